#!/bin/sh
#
# nginx-asan.sh BUILD SANITIZERS
#
# Builds BUILD/nginx-asan: the installed version of Debian's nginx, from
# Debian's source package, with -fsanitize=SANITIZERS and a separate allocation
# for each pool allocation (NGX_DEBUG_PALLOC), so that use after free and
# overruns in pools are reported.  It loads modules that build.sh has built with
# the same SANITIZERS, without LD_PRELOAD.
#
# nginx copies zero bytes from NULL and uses unaligned access where the machine
# allows it.  Only these two are not reported for nginx's own files.
#
# nginx-source.sh fetches the source.

set -eu
LC_ALL=C
export LC_ALL

if [ $# -ne 2 ]; then
    echo "usage: $0 BUILD SANITIZERS" >&2
    exit 2
fi

mkdir -p -- "$1/nginx-src"
build=$(cd -- "$1" && pwd)
src=$build/nginx-src
sanitize=$2
version=$(dpkg-query -W -f '${Version}' nginx-dev)
stamp="$version $sanitize $(cksum < "$0")"

if [ -x "$build/nginx-asan" ] && [ "$(cat -- "$src/stamp")" = "$stamp" ]; then
    exit 0
fi


tree=$(sh "${0%/*}/nginx-source.sh" "$build")

# nginx leaves this memory to the kernel at exit.

cat > "$src/known.c" <<'END'
const char *__lsan_default_suppressions(void);

const char *
__lsan_default_suppressions(void)
{
    return "leak:ngx_event_process_init\n"
           "leak:ngx_init_cycle\n"
           "leak:ngx_save_argv\n"
           "leak:ngx_init_setproctitle\n"
           "leak:ngx_http_core_init_main_conf\n";
}
END
${CC:-gcc} -g -c -o "$src/known.o" "$src/known.c"

cd -- "$tree"
{
    CC=${CC:-gcc} OBJS=$src/objs KNOWN=$src/known.o bash -c '
        . /usr/share/nginx/src/conf_flags
        ./configure --with-cc="$CC" --builddir="$OBJS" \
            --with-cc-opt="-g -O1 -fPIC -fno-omit-frame-pointer \
                -fsanitize='"$sanitize"' -fno-sanitize=nonnull-attribute,alignment \
                -DNGX_DEBUG_PALLOC=1" \
            --with-ld-opt="-Wl,-E -fsanitize='"$sanitize"' $KNOWN" \
            --with-http_addition_module --with-http_gzip_static_module \
            "${NGX_CONF_FLAGS[@]}"'
    "${MAKE:-make}" -f "$src/objs/Makefile" binary
} > "$src/build.log" 2>&1 || {
    tail -n 20 -- "$src/build.log" >&2
    exit 1
}

cp -- "$src/objs/nginx" "$build/nginx-asan"
echo "$stamp" > "$src/stamp"
