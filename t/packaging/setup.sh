#!/bin/sh
# Two commands on an empty Debian: installs the packages, runs rblctl setup, and
# looks at the result.
# usage: setup.sh SUITE [DIR]
#
# Makes a machine of this release in DIR (default: a new directory under TMPDIR)
# with debootstrap and boots it with systemd-nspawn, without a network.
# setup/world.sh gives it a resolver, lists, a mail server and a certificate;
# the other files of setup/ are the checks.  SERVER=valkey installs Valkey in
# place of Redis.  Prints the seconds of both commands.  DEBS is a directory
# with the packages, BASE a root to copy; KEEP=1 leaves the machine.  KILLS=0
# leaves out setup/killed.sh.
set -eu

here=$(cd -- "$(dirname -- "$0")" && pwd)
top=$(cd -- "$here/../.." && pwd)


die()
{
    echo "setup.sh: $*" >&2
    exit 1
}


. "$here/root.sh"
. "$here/machine.sh"

suite=${1:?usage: setup.sh SUITE [DIR]}
machine_needs
dir=${2:-$(mktemp -d "${TMPDIR:-/tmp}/rbl-setup.XXXXXX")}
mkdir -p -- "$dir"
dir=$(cd -- "$dir" && pwd)


finish()
{
    status=$?
    trap - EXIT INT TERM
    machine_off
    if [ $status != 0 ]; then
        echo "setup.sh: failed; its output is in $dir" >&2
    elif [ -z "${KEEP:-}" ]; then
        rm -rf --one-file-system -- "$dir"
    fi
    exit $status
}

trap finish EXIT
trap 'exit 1' INT TERM


# timed WHAT COMMAND...: in the machine; prints the seconds
timed()
{
    what=$1
    shift
    start=$(date +%s.%N)
    status=0
    in_machine "$@" </dev/null >"$dir/timed.log" 2>&1 || status=$?
    printf '# %s: %.1f s\n' "$what" \
        "$(echo "$(date +%s.%N) $start" | awk '{ print $1 - $2 }')"
    [ $status = 0 ] || { cat "$dir/timed.log" >&2; die "$what failed"; }
}


# checks NAME: the checks of setup/NAME.sh, in the machine
checks()
{
    echo "# setup/$1.sh"
    in_machine timeout 1200 bash "/root/setup/$1.sh" </dev/null \
        || die "setup/$1.sh failed"
}


echo "# a machine of $suite in $dir"
machine_make "$suite"
machine_debs "$suite"
set --
[ "${SERVER:-redis}" = redis ] || set -- valkey-server
machine_fetch "$@" exim4-daemon-light iproute2 rbldnsd unbound
mkdir -p "$root/root/setup" "$root/root/demo"
cp -- "$here"/setup/*.sh "$here/tap.sh" "$root/root/setup/"
cp -- "$top"/conf/demo/* "$root/root/demo/"

machine_on
timed 'apt-get install' sh -c 'cd /root/debs && apt-get install -q -y "$@" \
    ./libnginx-mod-rbl_*.deb ./rbl-checkd_*.deb' sh "$@"
in_machine sh /root/setup/world.sh || die 'no world'
in_machine tar -C / -cf /root/etc.tar etc
timed 'rblctl setup' rblctl setup --domain rbl.example.net \
    --owner owner@rbl.example.net --smtp smtp://127.0.0.1:25 \
    --from blocklists@rbl.example.net
cp -- "$dir/timed.log" "$root/root/setup.out"
checks works
machine_off
machine_on
checks booted
checks bad
[ "${KILLS:-1}" = 0 ] || checks killed
