#!/bin/sh
# Runs the commands of rbl-operations(7) on a fresh Debian 12.
# usage: fresh.sh [DIR]
#
# Makes a machine in DIR (default: a new directory under TMPDIR) with
# debootstrap and boots it with systemd-nspawn, so that the units run under
# systemd.  In it, the page's own lines build, install and use a copy of this
# tree, and look.sh checks the result.  Needs root, the network for Debian's
# packages (MIRROR), and some minutes; it is not part of `make check`.  At the
# end the machine is stopped and removed; KEEP=1 leaves the directory.
set -eu

here=$(cd -- "$(dirname -- "$0")" && pwd)
top=$(cd -- "$here/../.." && pwd)


die()
{
    echo "fresh.sh: $*" >&2
    exit 1
}


. "$here/root.sh"


[ "$(id -u)" = 0 ] || die 'this takes root'
for program in debootstrap systemd-nspawn nsenter; do
    command -v $program >/dev/null \
        || die "$program is missing: apt-get install debootstrap" \
               'systemd-container util-linux'
done

dir=${1:-$(mktemp -d "${TMPDIR:-/tmp}/rbl-fresh.XXXXXX")}
root=$dir/root
mkdir -p -- "$dir"
nspawn=
leader=
work=


finish()
{
    status=$?
    trap - EXIT INT TERM
    [ -z "$work" ] || kill "$work" 2>/dev/null || :
    if [ -n "$leader" ]; then
        kill -s RTMIN+4 "$leader" 2>/dev/null || :      # power off
    fi
    if [ -n "$nspawn" ]; then
        tries=0
        while kill -0 "$nspawn" 2>/dev/null && [ $tries -lt 30 ]; do
            sleep 1
            tries=$((tries + 1))
        done
        kill -KILL "$nspawn" 2>/dev/null || :
        wait "$nspawn" 2>/dev/null || :
    fi
    if [ $status != 0 ]; then
        echo "fresh.sh: failed; its output is in $dir" >&2
    elif [ -z "${KEEP:-}" ]; then
        rm -rf --one-file-system -- "$dir"
    fi
    exit $status
}

trap finish EXIT
trap 'exit 1' INT TERM


# in_machine COMMAND...: runs it as root there, with a clean environment
in_machine()
{
    nsenter -t "$leader" -a env $root_env "$@"
}


echo "# a machine in $dir"
root_make bookworm "$dir" \
    ca-certificates,dbus,systemd-sysv,init-system-helpers
root_tree "$root/root/ngx_rbl"

{
    echo 'set -eu; cd /root/ngx_rbl; PS4="+ "; set -x'
    # its exit status is the verdict: this machine may reach no list
    echo 'rblctl() { command rblctl "$@" || [[ "$1 $?" = status\ [12] ]]; }'
    awk -f "$here/lines.awk" "$top/conf/man/rbl-operations.7"
    echo '{ set +x; } 2>/dev/null'
    cat -- "$here/look.sh"
} >"$root/root/operations.sh"

SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=${UNIFIED:-0} systemd-nspawn -q -D "$root" \
    --boot --register=no --keep-unit --resolv-conf=copy-host \
    --hostname=fresh </dev/null >"$dir/boot.log" 2>&1 &
nspawn=$!
tries=0
until leader=$(pgrep -P "$nspawn" -x systemd) && [ -n "$leader" ] \
    && in_machine systemctl is-active -q multi-user.target 2>/dev/null
do
    tries=$((tries + 1))
    [ $tries -lt 60 ] || die "it does not boot; see $dir/boot.log"
    kill -0 "$nspawn" 2>/dev/null || die "it does not boot; see $dir/boot.log"
    sleep 1
done

echo '# the operations'
in_machine apt-get update -q >"$dir/apt.log" 2>&1 \
    || die "apt-get update failed; see $dir/apt.log"
# In the background, so that signals are handled.
in_machine env DEBIAN_FRONTEND=noninteractive timeout 1800 \
    bash /root/operations.sh >"$dir/operations.log" 2>&1 </dev/null &
work=$!
if ! wait $work; then
    tail -n 40 "$dir/operations.log" >&2
    die "see $dir/operations.log"
fi
sed -n '/^# looked at/,$p' "$dir/operations.log"
