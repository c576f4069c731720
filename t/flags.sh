#!/bin/sh

# Prints the compiler flags of one source file: sh t/flags.sh BUILD FILE
# Without FILE: the compile_commands.json of all files (make compdb), with the
# flags of the makefile in RBL_CPPFLAGS.

build=$1
nginx=${NGX_SRC:-/usr/share/nginx/src}/src

flags() {
    case $1 in
    ngx_rbl_module/*)
        printf '%s' '-std=gnu11 -Ingx_rbl_module'
        printf ' -I%s' ngx_rbl_module/*/
        for dir in core event event/modules event/quic os/unix http \
            http/modules http/v2 http/v3
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
for file in shared/*/*.[ch] rbl-checkd/*.[ch] rbl-checkd/*/*.[ch] \
    rbl-checkd/*/*/*.[ch] ngx_rbl_module/*.[ch] ngx_rbl_module/*/*.[ch] t/unit/*.[ch] t/tools/*.c
do
    printf '%s{ "directory": "%s", "file": "%s",\n' "$comma" "$PWD" "$file"
    printf '  "command": "cc %s %s -c %s" }' "$(flags "$file")" \
        "${RBL_CPPFLAGS:-}" "$file"
    comma=',
'
done
printf ']\n'
