#!/bin/sh
# Life of the packages: installed from the repository of `make repo` with apt,
# upgraded, removed and purged, beside another site of nginx.
# usage: packages.sh REPO SUITE [DIR]
#
# REPO is a directory made by conf/debian/repo.sh.  Makes a machine of the
# release in DIR (default: a new directory under TMPDIR) with debootstrap and
# boots it with systemd-nspawn, without a network and without compilers;
# packages/ has the checks that run in it.  KEEP=1 leaves the machine.
set -eu

here=$(cd -- "$(dirname -- "$0")" && pwd)
top=$(cd -- "$here/../.." && pwd)


die()
{
    echo "packages.sh: $*" >&2
    exit 1
}


. "$here/root.sh"
. "$here/machine.sh"

repo=$(cd -- "${1:?usage: packages.sh REPO SUITE [DIR]}" && pwd)
suite=${2:?usage: packages.sh REPO SUITE [DIR]}
machine_needs
dir=${3:-$(mktemp -d "${TMPDIR:-/tmp}/rbl-packages.XXXXXX")}
mkdir -p -- "$dir"
dir=$(cd -- "$dir" && pwd)
root=$dir/root


finish()
{
    status=$?
    trap - EXIT INT TERM
    machine_off
    if [ $status != 0 ]; then
        echo "packages.sh: failed; its output is in $dir" >&2
    elif [ -z "${KEEP:-}" ]; then
        rm -rf --one-file-system -- "$dir"
    fi
    exit $status
}

trap finish EXIT
trap 'exit 1' INT TERM


# older DEB: an earlier version of it in /root/older, with other defaults in two
# of its configuration files
older()
{
    tree=$dir/older
    rm -rf -- "$tree"
    dpkg-deb -R "$1" "$tree"
    sed -i 's/^Version: .*/Version: 0.0.1/' "$tree/DEBIAN/control"
    for file in rblctl.conf plans.json; do
        [ ! -e "$tree/etc/rbl-checkd/$file" ] \
            || echo >>"$tree/etc/rbl-checkd/$file"
    done
    mkdir -p "$root/root/older"
    dpkg-deb --root-owner-group -b "$tree" "$root/root/older" >/dev/null
    rm -rf -- "$tree"
}


echo "# a machine of $suite in $dir"
root_make "$suite" "$dir" \
    ca-certificates,curl,dbus,systemd-sysv,init-system-helpers
mkdir -p "$root/srv" "$root/root/packages"
rm -rf -- "$root/srv/repo"
cp -r -- "$repo" "$root/srv/repo"
cp -- "$here"/packages/*.sh "$here/tap.sh" "$root/root/packages/"
for deb in "$repo/pool/$suite"/*.deb; do
    older "$deb"
done

# The lines of rbl-operations(7), with this place of the repository.  The
# machine will have no network, so it fetches the packages only.
sed -n '/not run: packages.sh/,/^\.Ed/p' "$top/conf/man/rbl-operations.7" \
    | sed -e '/^\./d' -e 's/\\e/\\/g' -e 's|https://[a-z.]*|file:///srv/repo|' \
        -e 's/^apt-get install/& --download-only/' >"$root/root/lines.sh"
chroot "$root" env $root_env DEBIAN_FRONTEND=noninteractive \
    sh -e /root/lines.sh >"$dir/fetch.log" 2>&1 \
    || die "apt does not take the repository; see $dir/fetch.log"

machine_on
for part in install remove; do
    echo "# packages/$part.sh"
    in_machine timeout 1200 bash "/root/packages/$part.sh" </dev/null \
        || die "packages/$part.sh failed"
done
