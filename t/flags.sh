#!/bin/sh

# Compiler flags for reading one source file, but for what the makefile says:
# sh t/flags.sh BUILD FILE
#
# sh t/flags.sh BUILD: all files, as a compile_commands.json (make compdb).
# RBL_CPPFLAGS is what the makefile says.

build=$1
nginx=${NGX_SRC:-/usr/share/nginx/src}/src

flags() {
    case $1 in
    ngx_rbl_module/*)
        printf '%s' '-std=gnu11 -Ingx_rbl_module'
        for dir in core event event/modules os/unix http http/modules \
            http/v2
        do
            printf ' -isystem %s/%s' "$nginx" "$dir"
        done
        printf ' -isystem %s/nginx' "$build"
        ;;
    *)
        printf '%s' '-std=c11'
        ;;
    esac
    printf ' -D_GNU_SOURCE\n'
}

if [ $# -eq 2 ]; then
    flags "$2"
    exit 0
fi

comma='['
for file in shared/*.[ch] rbl-checkd/*.[ch] rbl-checkd/*/*.[ch] \
    ngx_rbl_module/*.[ch] t/unit/*.[ch] t/tools/*.c
do
    printf '%s{ "directory": "%s", "file": "%s",\n  "command": "cc %s %s -c %s" }' \
        "$comma" "$PWD" "$file" "$(flags "$file")" "${RBL_CPPFLAGS:-}" "$file"
    comma=',
'
done
printf ']\n'
