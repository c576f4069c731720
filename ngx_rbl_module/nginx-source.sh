#!/bin/sh
#
# nginx-source.sh BUILD
#
# Unpacks the source of the nginx that is installed, from Debian's source
# package, and prints the directory's name: nginx-dev has headers only.  It is
# fetched once, by apt-get with separate package lists in BUILD/nginx-src; the
# system is not changed.  If the archive no longer has that package, or only
# part of it, another revision of the same nginx version is used.  NGX_TREE
# names an unpacked source tree to use instead.

set -eu
LC_ALL=C
export LC_ALL

if [ $# -ne 1 ]; then
    echo "usage: $0 BUILD" >&2
    exit 2
fi

if [ -n "${NGX_TREE:-}" ]; then
    echo "$NGX_TREE"
    exit 0
fi

mkdir -p -- "$1/nginx-src"
src=$(cd -- "$1/nginx-src" && pwd)
version=$(dpkg-query -W -f '${Version}' nginx-dev)
tree=$src/nginx-${version%%-*}


# Prints the deb-src form of the machine's package sources of Debian itself.

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

    others=$(apt-cache "$@" showsrc nginx | sed -n 's/^Version: //p' \
        | grep -F -- "${version%%-*}-" | sort -rV)
    for v in "$version" $others; do
        rm -rf -- "$tree"
        if apt-get "$@" source "nginx=$v"; then
            return
        fi
    done
    return 1
}


if [ ! -d "$tree" ]; then
    fetch > "$src/fetch.log" 2>&1 || {
        tail -n 10 -- "$src/fetch.log" >&2
        echo "$0: the source of nginx $version is not to be had" >&2
        exit 1
    }
fi

echo "$tree"
