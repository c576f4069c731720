#!/bin/sh
#
# build.sh BUILD [SANITIZERS]
#
# Builds BUILD/ngx_rbl_module.so with nginx's own build system, as Debian builds
# its modules: the sources of nginx-dev (headers and auto/), the flags of
# conf_flags.  Objects go to BUILD/nginx.  RBL_GEN names the directory of the
# generated files.
#
# SANITIZERS is the value of -fsanitize ("address,undefined"), or nothing.  An
# nginx built without them needs the library of "address" in LD_PRELOAD (readelf
# -d names it: libasan.so.8).
#
# RBL_CC_OPT and RBL_LD_OPT replace the flags when building a package.
#
# configure runs when its arguments or the list of files have changed.  A
# changed header rebuilds all objects, a changed source its own.

set -eu
LC_ALL=C
export LC_ALL

if [ $# -lt 1 ] || [ -z "${RBL_GEN:-}" ]; then
    echo "usage: RBL_GEN=DIR $0 BUILD [SANITIZERS]" >&2
    exit 2
fi

here=$(cd -- "$(dirname -- "$0")" && pwd)
nginx=${NGX_SRC:-/usr/share/nginx/src}
cc=${CC:-gcc}
sanitize=${2:-}

if [ ! -f "$nginx/conf_flags" ]; then
    echo "$0: $nginx/conf_flags is missing: install nginx-dev" >&2
    exit 1
fi

mkdir -p -- "$1"
build=$(cd -- "$1" && pwd)
RBL_GEN=$(cd -- "$RBL_GEN" && pwd)
export RBL_GEN

for dir in "$here" "$build" "$RBL_GEN"; do
    case $dir in
    *[!A-Za-z0-9_./+@%=:,-]*)
        echo "$0: nginx's build cannot work in \"$dir\"" >&2
        exit 1
        ;;
    esac
done

# -O3 and inlining within a file speed up the documents by an eighth of a page.

cc_opt="-g -O3 -fno-semantic-interposition -fstack-protector-strong"
cc_opt="$cc_opt -Wformat -Werror=format-security"
cc_opt="$cc_opt -fPIC -D_GNU_SOURCE -D_FORTIFY_SOURCE=2"
cc_opt=${RBL_CC_OPT:-$cc_opt}
ld_opt=${RBL_LD_OPT:-"-fPIC -Wl,-z,relro -Wl,-z,now"}

if [ -n "$sanitize" ]; then
    cc_opt="-g -O1 -fPIC -D_GNU_SOURCE -fno-omit-frame-pointer"
    cc_opt="$cc_opt -fsanitize=$sanitize -fno-sanitize-recover=undefined"
    cc_opt="$cc_opt -DNGX_DEBUG_PALLOC=1"

    # never unloaded; otherwise memory that its variables point to looks leaked
    ld_opt="-fPIC -fsanitize=$sanitize -Wl,-z,nodelete"
fi


told()
{
    echo "$cc" "$cc_opt" "$ld_opt" "$nginx" "$RBL_GEN"
    cat -- "$nginx/conf_flags" "$here/config" "$here/build.sh"
    dpkg-query -W nginx-dev 2>/dev/null || :
    ls -- "$here"/*.[ch] "$here"/*/*.[ch] \
        "${here%/*}"/shared/*/*.[ch] "$RBL_GEN"/*.[ch]
}


objs=$build/nginx
mkdir -p -- "$objs"
told > "$objs/told.new"

if ! cmp -s -- "$objs/told.new" "$objs/told" || [ ! -f "$objs/Makefile" ]; then
    rm -f -- "$objs/told"
    if ! (
        cd -- "$nginx"
        CC=$cc CC_OPT=$cc_opt LD_OPT=$ld_opt ADDON=$here OBJS=$objs bash -c '
            . ./conf_flags
            ./configure --with-cc="$CC" --with-cc-opt="$CC_OPT" \
                --with-ld-opt="$LD_OPT" "${NGX_CONF_FLAGS[@]}" \
                --add-dynamic-module="$ADDON" --builddir="$OBJS"'
    ) > "$objs/configure.log" 2>&1; then
        tail -n 20 -- "$objs/configure.log" >&2
        exit 1
    fi

    mv -f -- "$objs/told.new" "$objs/told"
fi

rm -f -- "$objs/told.new"
"${MAKE:-make}" -s -f "$objs/Makefile" -C "$nginx" modules

cp -- "$objs/ngx_rbl_module.so" "$build/ngx_rbl_module.so.new"
mv -f -- "$build/ngx_rbl_module.so.new" "$build/ngx_rbl_module.so"
