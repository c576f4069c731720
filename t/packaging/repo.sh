#!/bin/sh
# Makes the repository twice and compares; packages.sh then lives with it on
# machines of both releases.
# usage: repo.sh BUILD
set -eu

here=$(cd -- "$(dirname -- "$0")" && pwd)
top=$(cd -- "$here/../.." && pwd)
build=${1:?usage: repo.sh BUILD}
suites='bookworm trixie'
cd -- "$top"


# made DIR: a repository, and nothing of an earlier build is used
made()
{
    for suite in $suites; do
        rm -rf -- "$build/suite/$suite/root/root/ngx_rbl/build"
    done
    sh conf/debian/repo.sh "$1" "$build/suite" $suites
}


made "$build/repo"
rm -rf -- "$build/again"
cp -a -- "$build/repo.key" "$build/again.key"
made "$build/again"
if ! diff -r "$build/repo" "$build/again"; then
    echo "repo.sh: $build/repo and $build/again differ" >&2
    exit 1
fi
echo "ok - two builds gave the same $(find "$build/repo" -type f | wc -l) files"
rm -rf -- "$build/again"

for suite in $suites; do
    sh "$here/packages.sh" "$build/repo" "$suite"
done
