#!/bin/sh
# Runs the commands of rbl-operations(7) on a fresh Debian.
# usage: fresh.sh [SUITE [DIR]]
#
# Makes a machine of this release (default: bookworm) in DIR (default: a new
# directory under TMPDIR) with debootstrap and boots it with systemd-nspawn, so
# that the units run under systemd.  In it, the page's own lines install and use
# this tree's packages, and look.sh checks the result.  t/conf/availability.t
# runs the lines of STEP BY STEP.  stand_ins.sh stands in for what the machine
# cannot reach.  Needs root, the network for Debian's packages (MIRROR), and some
# minutes; it is not part of `make check`.  DEBS is a directory with the packages,
# BASE a root to copy.  At the end the machine is stopped and removed; KEEP=1
# leaves the directory.
set -eu

here=$(cd -- "$(dirname -- "$0")" && pwd)
top=$(cd -- "$here/../.." && pwd)


die()
{
    echo "fresh.sh: $*" >&2
    exit 1
}


. "$here/root.sh"
. "$here/machine.sh"

machine_needs
suite=${1:-bookworm}
dir=${2:-$(mktemp -d "${TMPDIR:-/tmp}/rbl-fresh.XXXXXX")}
mkdir -p -- "$dir"
dir=$(cd -- "$dir" && pwd)
work=


finish()
{
    status=$?
    trap - EXIT INT TERM
    [ -z "$work" ] || kill "$work" 2>/dev/null || :
    machine_off
    if [ $status != 0 ]; then
        echo "fresh.sh: failed; its output is in $dir" >&2
    elif [ -z "${KEEP:-}" ]; then
        rm -rf --one-file-system -- "$dir"
    fi
    exit $status
}

trap finish EXIT
trap 'exit 1' INT TERM

echo "# a machine of $suite in $dir"
machine_make "$suite"
machine_debs "$suite"
machine_fetch certbot prometheus
cp -- "$here/tap.sh" "$here/stand_ins.sh" "$root/root/"

{
    echo 'set -eu; cd /root/debs; PS4="+ "; set -x'
    # Its exit status is a verdict: this machine reaches no list.
    echo 'rblctl() { command rblctl "$@" \
        || [[ "$1 $?" =~ ^((status|doctor)\ [12]|setup\ 1)$ ]]; }'
    awk -v without='STEP BY STEP' -f "$here/lines.awk" \
        "$top/conf/man/rbl-operations.7"
    echo '{ set +x; } 2>/dev/null; . /root/tap.sh'
    cat -- "$here/look.sh"
} >"$root/root/operations.sh"

machine_on
in_machine sh /root/stand_ins.sh || die 'no stand-ins'
echo '# the operations'
# In the background, so that signals are handled.
in_machine timeout 1800 bash /root/operations.sh \
    >"$dir/operations.log" 2>&1 </dev/null &
work=$!
if ! wait $work; then
    tail -n 40 "$dir/operations.log" >&2
    die "see $dir/operations.log"
fi
! grep -E -o '"status_code":[45][^}]*' "$dir/operations.log" >&2 \
    || die "a call was refused; see $dir/operations.log"
sed -n '/^# looked at/,$p' "$dir/operations.log"
