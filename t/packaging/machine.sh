# A root directory that is booted, for scripts that source this file after
# root.sh.
#
# The caller sets `top`, the source tree, `dir`, a directory for logs, and a
# function die().

nspawn=
leader=


# machine_needs: as root, with the programs that these functions run
machine_needs()
{
    [ "$(id -u)" = 0 ] || die 'this takes root'
    for program in debootstrap systemd-nspawn nsenter; do
        command -v $program >/dev/null \
            || die "$program is missing: apt-get install debootstrap" \
                   'systemd-container util-linux'
    done
}


# machine_make SUITE: makes $root, in $dir, of this release: with debootstrap,
# or as a copy of the root BASE
machine_make()
{
    root=$dir/root
    mkdir -p -- "$dir"
    if [ -n "${BASE:-}" ] && [ ! -e "$dir/made" ]; then
        rm -rf --one-file-system -- "$root"
        cp -a -- "$BASE" "$root"
        : >"$dir/made"
    fi
    root_make "$1" "$dir" \
        ca-certificates,dbus,systemd-sysv,init-system-helpers
}


# machine_debs SUITE: puts this tree's packages for the release into /root/debs
# of $root.  They are built on this machine, or in a root of that release; DEBS
# names a directory that has them.
machine_debs()
{
    debs=${DEBS:-}
    if [ -n "$debs" ]; then
        :
    elif [ "$(. /etc/os-release; echo "${VERSION_CODENAME:-}")" = "$1" ]; then
        make -C "$top" deb >"$dir/debs.log" 2>&1 \
            || die "no packages; see $dir/debs.log"
        debs=$top/build/deb
    else
        suite_dir=$top/build/suite/$1
        DEB_BUILD_OPTIONS='noautodbgsym nocheck' sh "$here/suite.sh" "$1" \
            "$suite_dir" deb BUILD=build >"$dir/debs.log" 2>&1 \
            || die "no packages; see $dir/debs.log"
        debs=$suite_dir/root/root/ngx_rbl/build/deb
    fi
    mkdir -p -- "$root/root/debs"
    cp -- "$debs"/libnginx-mod-rbl_*.deb "$debs"/rbl-checkd_*.deb \
        "$root/root/debs/" || die "no packages in $debs"
}


# machine_fetch PACKAGE...: downloads these and all that they and /root/debs
# need, so that the machine can install them without a network
machine_fetch()
{
    chroot "$root" env $root_env DEBIAN_FRONTEND=noninteractive sh -c '
        apt-get update -q \
            && apt-get install -q -y --download-only "$@" /root/debs/*.deb
        ' sh "$@" >"$dir/fetch.log" 2>&1 \
        || die "no packages; see $dir/fetch.log"
}


# machine_on: boots $root with systemd-nspawn, so that units run under systemd.
# It has no network but its own loopback interface, so its servers may use any
# port.
machine_on()
{
    SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=${UNIFIED:-0} systemd-nspawn -q \
        -D "$root" --boot --register=no --keep-unit --private-network \
        --resolv-conf=off --hostname=fresh </dev/null >>"$dir/boot.log" 2>&1 &
    nspawn=$!
    tries=0
    until leader=$(pgrep -P "$nspawn" -x systemd) && [ -n "$leader" ] \
        && in_machine systemctl is-active -q multi-user.target 2>/dev/null
    do
        tries=$((tries + 1))
        [ $tries -lt 120 ] || die "it does not boot; see $dir/boot.log"
        kill -0 "$nspawn" 2>/dev/null \
            || die "it does not boot; see $dir/boot.log"
        sleep 1
    done
}


# in_machine COMMAND...: runs it as root there, with a clean environment
in_machine()
{
    nsenter -t "$leader" -a env $root_env DEBIAN_FRONTEND=noninteractive "$@"
}


machine_off()
{
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
    leader=
    nspawn=
}
