#!/bin/sh
#
# analyze.sh BUILD
#
# Reads the project's sources with three analyzers: gcc -fanalyzer, clang's by
# scan-build, cppcheck.  BUILD is a finished build: nginx's configuration and
# the generated files are there.  RBL_CPPFLAGS are the flags of the
# preprocessor.
#
# Any finding is a failure, except those in known.txt, which gives the reason
# for each.  The output is in BUILD/analyze/TOOL.log.

set -eu
LC_ALL=C
export LC_ALL

if [ $# -lt 1 ]; then
    echo "usage: $0 BUILD" >&2
    exit 2
fi

here=$(cd -- "$(dirname -- "$0")" && pwd)
build=$(cd -- "$1" && pwd)
out=$build/analyze
cd -- "$here/../.."


sources()
{
    ls shared/*/*.c rbl-checkd/*.c rbl-checkd/*/*.c rbl-checkd/*/*/*.c \
        ngx_rbl_module/*.c ngx_rbl_module/*/*.c
}


# compile CC FILE OPTION...: as the project does, but without -Werror
compile()
{
    cc=$1 file=$2
    shift 2
    set -- "$@" $(sh t/flags.sh "$build" "$file")
    object=$out/obj/$(echo "$file" | tr / _).o
    $cc "$@" ${RBL_CPPFLAGS:-} -O1 -g -fno-strict-aliasing \
        -c -o "$object" "$file"
}


run_gcc()
{
    sources | xargs -n 1 -P 2 sh "$here/analyze.sh" "$build" one gcc
}


run_clang()
{
    rm -rf -- "$out/report"
    sources | scan-build -o "$out/report" \
        xargs -n 1 -P 2 sh "$here/analyze.sh" "$build" one clang
}


run_cppcheck()
{
    cppcheck --quiet --std=c11 -j 2 --library=posix --max-configs=4 \
        --enable=warning,performance,portability --error-exitcode=0 \
        --template='{file}:{line}:{column}: warning: {message} [{id}]' \
        --suppress='*:/usr/*' -D_GNU_SOURCE $(printf -- " -I%s" shared/*/) \
        -Irbl-checkd -Ingx_rbl_module \
        $(printf -- " -I%s" ngx_rbl_module/*/) \
        -I"$build/gen" shared rbl-checkd ngx_rbl_module
}


# Prints the findings of a log that are not in known.txt; status 0: none.
judge()
{
    awk -v known="$here/known.txt" -v tool="$1" -v root="$PWD/" '
        BEGIN {
            while ((getline line < known) > 0) {
                if (line !~ /^(#|$)/) { excuse[line] = 1 }
            }
        }
        /: warning: .*\[[^]]*\]$/ || /: (fatal )?error: / {
            split($0, at, ":")
            file = at[1]
            if (index(file, root) == 1) {
                file = substr(file, length(root) + 1)
            }
            text = ""
            for (n = 0; n < at[2] && (getline line < file) > 0; n++) {
                text = line
            }
            close(file)
            gsub(/^[ \t]+|[ \t]+$/, "", text)
            check = $0
            sub(/.*\[/, "[", check)
            sub(/^\[CWE-[0-9]+\] /, "", check)
            line = tool " " file " " check " " text
            if (line in excuse) { used[line] = 1; next }
            if (!seen[$0]++) { print $0; print "    " line; bad = 1 }
        }
        END {
            for (line in excuse) {
                if (index(line, tool " ") == 1 && !(line in used)) {
                    print "known.txt, not found any more: " line
                }
            }
            exit bad
        }' "$out/$1.log"
}


if [ "${2:-}" = one ]; then
    if [ "$3" = gcc ]; then
        compile gcc "$4" -fanalyzer
    else
        compile "$CC" "$4"
    fi
    exit 0
fi

bad=0
mkdir -p -- "$out/obj"

for tool in ${ANALYZE_TOOLS:-gcc clang cppcheck}; do
    echo "$tool:"
    if ! "run_$tool" > "$out/$tool.log" 2>&1; then
        tail -n 5 -- "$out/$tool.log"
        bad=1
    fi
    judge "$tool" || bad=1
done

if [ $bad = 0 ]; then
    echo "no finding in $(sources | wc -l) files"
fi
exit $bad
