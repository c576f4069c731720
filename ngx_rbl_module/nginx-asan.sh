#!/bin/sh
#
# nginx-asan.sh BUILD SANITIZERS
#
# Builds BUILD/nginx-asan: Debian's nginx of the version that is installed, from
# Debian's source package, with -fsanitize=SANITIZERS and with each pool
# allocation on its own (NGX_DEBUG_PALLOC), so that use after free and overruns
# in pools are seen, which they are not in Debian's binary.  It loads modules
# that build.sh has built with the same SANITIZERS, and wants no LD_PRELOAD.
#
# nginx copies zero bytes from NULL, and reads and writes what is not aligned
# where the machine allows it: that alone is not reported, of nginx's own files.
#
# The source is fetched by apt-get with package lists of its own in
# BUILD/nginx-src; nothing of the system is changed.  NGX_TREE names an unpacked
# source tree to use instead.

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


# The deb-src form of what the machine has of Debian itself.

sources()
{
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null \
        | sed -n 's/^deb \(.*debian\.org.*\)/deb-src \1/p' > "$src/apt/list.list"
    for file in /etc/apt/sources.list.d/*.sources; do
        if [ -f "$file" ] && grep -q 'debian\.org' "$file"; then
            sed 's/^Types:.*/Types: deb-src/' "$file"
            echo
        fi
    done > "$src/apt/more.sources"
}


fetch()
{
    rm -rf -- "$src/apt" "$src/lists"
    mkdir -p -- "$src/apt" "$src/lists/partial"
    sources

    set -- -q -o "Dir::Etc::sourcelist=/dev/null" \
        -o "Dir::Etc::sourceparts=$src/apt" -o "Dir::State::lists=$src/lists" \
        -o "Dir::Cache::pkgcache=" -o "Dir::Cache::srcpkgcache=" \
        -o "APT::Sandbox::User=root"
    apt-get "$@" update
    cd -- "$src"
    apt-get "$@" source "nginx=$version"
}


tree=${NGX_TREE:-}
if [ -z "$tree" ]; then
    tree=$src/nginx-${version%%-*}
    if [ ! -d "$tree" ]; then
        fetch > "$src/fetch.log" 2>&1 || {
            tail -n 10 -- "$src/fetch.log" >&2
            echo "$0: the source of nginx $version is not to be had" >&2
            exit 1
        }
    fi
fi

# nginx leaves these to the kernel when a process ends.

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
"${CC:-gcc}" -g -c -o "$src/known.o" "$src/known.c"

cd -- "$tree"
{
    CC=${CC:-gcc} OBJS=$src/objs KNOWN=$src/known.o bash -c '
        . /usr/share/nginx/src/conf_flags
        ./configure --with-cc="$CC" --builddir="$OBJS" \
            --with-cc-opt="-g -O1 -fPIC -fno-omit-frame-pointer \
                -fsanitize='"$sanitize"' -fno-sanitize=nonnull-attribute,alignment \
                -DNGX_DEBUG_PALLOC=1" \
            --with-ld-opt="-Wl,-E -fsanitize='"$sanitize"' $KNOWN" \
            --with-http_addition_module "${NGX_CONF_FLAGS[@]}"'
    "${MAKE:-make}" -f "$src/objs/Makefile" binary
} > "$src/build.log" 2>&1 || {
    tail -n 20 -- "$src/build.log" >&2
    exit 1
}

cp -- "$src/objs/nginx" "$build/nginx-asan"
echo "$stamp" > "$src/stamp"
