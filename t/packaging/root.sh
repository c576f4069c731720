# The root directory of a Debian release, for scripts that source this file.
#
# The caller sets `top`, the source tree, and a function die().  MIRROR names
# another mirror than deb.debian.org.

mirror=${MIRROR:-http://deb.debian.org/debian}


# root_make SUITE DIR PACKAGES
#
# Makes the root in DIR/root, with debootstrap and these packages (separated by
# commas) and a log in DIR, unless an earlier call has made it.  A root that was
# not finished is removed first.
root_make()
{
    suite=$1
    root=$2/root

    if [ ! -e "$2/made" ]; then
        rm -rf --one-file-system -- "$root"
        mkdir -p -- "$2"
        debootstrap --variant=minbase --include="$3" "$suite" "$root" \
            "$mirror" >"$2/debootstrap.log" 2>&1 \
            || die "debootstrap failed; its output is in $2/debootstrap.log"
        # dpkg waits for the disk after each file; a root is cheap to lose.
        echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
        : >"$2/made"
    fi

    root_follow "$root" "$suite" >"$2/certificates.log" 2>&1 \
        || die "update-ca-certificates failed; see $2/certificates.log"
}


# The root reaches the network the way this machine does: by its resolver,
# proxies, certificate authorities (npm, too, may be behind a proxy) and, if
# both have the same release, sources of packages.
root_follow()
{
    rm -f -- "$1/etc/resolv.conf" "$1/etc/hosts"
    cp -L -- /etc/resolv.conf /etc/hosts "$1/etc/"
    for file in $(grep -lE '^Acquire::(http|https|Check)' \
                      /etc/apt/apt.conf.d/* 2>/dev/null)
    do
        cp -- "$file" "$1$file"
    done
    if [ "$(. /etc/os-release; echo "${VERSION_CODENAME:-}")" = "$2" ] \
        && [ -e /etc/apt/sources.list.d/debian.sources ]
    then
        cp -- /etc/apt/sources.list.d/debian.sources \
            "$1/etc/apt/sources.list.d/"
        rm -f -- "$1/etc/apt/sources.list"
    fi
    cas=/usr/local/share/ca-certificates
    for file in $cas/*.crt; do
        [ ! -e "$file" ] || cp -L -- "$file" "$1$cas/"
    done
    chroot "$1" update-ca-certificates
}


# Programs in a root start with this environment, as arguments of env.
root_env='-i HOME=/root LANG=C.UTF-8 TERM=dumb
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'


# root_tree DIR: replaces the source tree in DIR; a build directory in it stays
root_tree()
{
    mkdir -p -- "$1"
    find "$1" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf -- {} +
    for file in Makefile README.md LICENSE conf ngx_rbl_module rbl-checkd \
        shared t
    do
        cp -a -- "$top/$file" "$1/"
    done
}
