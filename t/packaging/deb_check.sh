#!/bin/sh
# make deb-check: the packages of this tree on machines of these releases.
# usage: deb_check.sh SUITE...
#
# Builds the packages and a root once for each release; fresh.sh and setup.sh
# get copies of the root.  Where Debian has Valkey, setup.sh runs with it, too.
# Setups are killed on Debian 12 only.
set -eu

here=$(cd -- "$(dirname -- "$0")" && pwd)
top=$(cd -- "$here/../.." && pwd)


die()
{
    echo "deb_check.sh: $*" >&2
    exit 1
}


. "$here/root.sh"
. "$here/machine.sh"

machine_needs
work=$(mktemp -d "${TMPDIR:-/tmp}/rbl-deb.XXXXXX")
trap 'rm -rf --one-file-system -- "$work"' EXIT
trap 'exit 1' INT TERM

for suite; do
    dir=$work/$suite
    unset BASE
    machine_make "$suite"
    machine_debs "$suite"
    BASE=$root DEBS=$root/root/debs
    export BASE DEBS
    sh "$here/fresh.sh" "$suite"
    if [ "$suite" = bookworm ]; then
        sh "$here/setup.sh" "$suite"
    else
        KILLS=0 sh "$here/setup.sh" "$suite"
        KILLS=0 SERVER=valkey sh "$here/setup.sh" "$suite"
    fi
    unset DEBS
done
