#!/bin/sh
#
# nginx.sh BUILD
#
# Builds BUILD/nginx-debug: the installed version of Debian's nginx, with a
# separate allocation for each pool allocation (NGX_DEBUG_PALLOC) and with
# symbols.  In Debian's binary, pools hide errors from valgrind, and leaks of
# nginx itself have no names.  It loads the same modules as Debian's nginx.

set -eu
LC_ALL=C
export LC_ALL

if [ $# -ne 1 ]; then
    echo "usage: $0 BUILD" >&2
    exit 2
fi

mkdir -p -- "$1/nginx-src"
build=$(cd -- "$1" && pwd)
src=$build/nginx-src
here=$(cd -- "$(dirname -- "$0")" && pwd)
version=$(dpkg-query -W -f '${Version}' nginx-dev)
stamp="$version $(cksum < "$0")"

if [ -x "$build/nginx-debug" ] \
    && [ "$(cat -- "$src/stamp-debug")" = "$stamp" ]
then
    exit 0
fi

tree=$(sh "$here/../../ngx_rbl_module/nginx-source.sh" "$build")
cd -- "$tree"
{
    CC=${CC:-gcc} OBJS=$src/objs-debug bash -c '
        . /usr/share/nginx/src/conf_flags
        ./configure --with-cc="$CC" --builddir="$OBJS" \
            --with-cc-opt="-g -O1 -fPIC -fno-omit-frame-pointer \
                -DNGX_DEBUG_PALLOC=1" \
            --with-ld-opt="-Wl,-E" \
            --with-http_addition_module "${NGX_CONF_FLAGS[@]}"'
    "${MAKE:-make}" -f "$src/objs-debug/Makefile" binary
} > "$src/build-debug.log" 2>&1 || {
    tail -n 20 -- "$src/build-debug.log" >&2
    exit 1
}

cp -- "$src/objs-debug/nginx" "$build/nginx-debug"
echo "$stamp" > "$src/stamp-debug"
