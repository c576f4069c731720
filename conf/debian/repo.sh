#!/bin/sh
# Makes a signed apt repository of the packages in DIR.
# usage: repo.sh DIR ROOTS SUITE...
#
# The packages of each Debian release are built in a root of that release in
# ROOTS/SUITE (t/packaging/suite.sh), for the architecture of this machine; this
# needs root and the network.  DIR is served as it is, by any web server or as
# file:; rbl-operations(7) has the lines for its clients.
#
# REPO_KEY names the key that signs, as gpg knows it (GNUPGHOME).  Without it a
# test key signs, which is made in DIR.key and kept there.
#
# The same commit and key give the same bytes: all times are those of the commit
# (SOURCE_DATE_EPOCH), or that of the key if it is younger, and signatures by
# Ed25519 and RSA keys have no random part.  Packages differ after a change in
# Debian itself: another version of compiler, debhelper, or a library on which
# they depend.
set -eu

here=$(cd -- "$(dirname -- "$0")" && pwd)
top=$(cd -- "$here/../.." && pwd)
umask 022


die()
{
    echo "repo.sh: $*" >&2
    exit 1
}


[ $# -ge 3 ] || die 'usage: repo.sh DIR ROOTS SUITE...'
mkdir -p -- "$(dirname -- "$1")" "$2"
out=$(cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
roots=$(cd -- "$2" && pwd)
shift 2
[ "$(id -u)" = 0 ] || die 'this takes root'
for program in apt-ftparchive debootstrap gpg; do
    command -v $program >/dev/null \
        || die "$program is missing: apt-get install apt-utils debootstrap gpg"
done

if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git -C "$top" log -1 --format=%ct 2>/dev/null) \
        || die 'without git, SOURCE_DATE_EPOCH must date the packages'
fi
export SOURCE_DATE_EPOCH

home=
finish()
{
    [ -z "$home" ] || { GNUPGHOME=$home gpgconf --kill gpg-agent || :; }
    rm -rf -- ${home:+"$home"} "$out.new"
}

trap finish EXIT
trap 'exit 1' INT TERM


# --- the key -----------------------------------------------------------------

# The path of the agent's socket must be short, so the test key is imported into
# a directory below /tmp.
if [ -n "${REPO_KEY:-}" ]; then
    key=$REPO_KEY
else
    home=$(mktemp -d /tmp/rbl-repo.XXXXXX)
    export GNUPGHOME="$home"
    key='ngx_rbl test key'
    if [ ! -s "$out.key" ]; then
        # Older than any commit, so that it never dates a signature.
        gpg -q --batch --passphrase '' --faked-system-time 20250101T000000! \
            --quick-generate-key "$key" ed25519 sign never 2>/dev/null
        (umask 077; gpg -q --batch --export-secret-keys "$key" >"$out.key.new")
        mv -- "$out.key.new" "$out.key"
    else
        gpg -q --batch --import "$out.key"
    fi
fi

facts=$(gpg --batch --with-colons --list-secret-keys "$key" 2>/dev/null) \
    || die "gpg has no secret key \"$key\" (REPO_KEY)"
case $(echo "$facts" | awk -F: '$1 == "sec" { print $2; exit }') in
[eird]) die "the key \"$key\" is expired, revoked or disabled" ;;
esac
# A signature that is older than its key is refused.
signed=$(echo "$facts" | awk -F: -v last="$SOURCE_DATE_EPOCH" '
    ($1 == "sec" || $1 == "ssb") && $6 > last { last = $6 }
    END { print last }')


# sign OPTION... FILE; gpg warns of the faked time
sign()
{
    output=$(gpg -q --batch --yes --no-comments --no-emit-version \
        --digest-algo SHA512 --local-user "$key" \
        --faked-system-time "$signed!" "$@" 2>&1) \
        || die "gpg does not sign: $output"
}


# --- packages and indexes ----------------------------------------------------

rm -rf -- "$out.new"
mkdir -p -- "$out.new"

for suite; do
    echo "Building the packages of $suite"
    mkdir -p -- "$roots/$suite"
    rm -rf -- "$roots/$suite/root/root/ngx_rbl/build/deb"
    sh "$top/t/packaging/suite.sh" "$suite" "$roots/$suite" deb BUILD=build \
        SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" >"$roots/$suite/deb.log" 2>&1 \
        || { tail -n 20 "$roots/$suite/deb.log" >&2
             die "no packages of $suite; see $roots/$suite/deb.log"; }

    mkdir -p -- "$out.new/pool/$suite"
    cp -- "$roots/$suite/root/root/ngx_rbl/build/deb"/*.deb \
        "$out.new/pool/$suite/"
done

cd -- "$out.new"
arch=$(dpkg --print-architecture)
date=$(date -u -R -d "@$SOURCE_DATE_EPOCH")

for suite; do
    dist=dists/$suite
    index=$dist/main/binary-$arch
    mkdir -p -- "$index"
    apt-ftparchive --no-md5 --no-sha1 packages "pool/$suite" >"$index/Packages"
    gzip -9nk "$index/Packages"
    # No Valid-Until: a repository that is signed once stays usable.
    apt-ftparchive --no-md5 --no-sha1 \
        -o APT::FTPArchive::Release::Origin=ngx_rbl \
        -o APT::FTPArchive::Release::Label=ngx_rbl \
        -o APT::FTPArchive::Release::Suite="$suite" \
        -o APT::FTPArchive::Release::Codename="$suite" \
        -o APT::FTPArchive::Release::Architectures="$arch" \
        -o APT::FTPArchive::Release::Components=main \
        -o APT::FTPArchive::Release::Date="$date" \
        release "$dist" >Release
    mv Release "$dist/Release"
    sign --armor --detach-sign -o "$dist/Release.gpg" "$dist/Release"
    sign --clearsign -o "$dist/InRelease" "$dist/Release"
done

gpg -q --batch --export-options export-minimal --export "$key" >ngx-rbl.gpg
cd -- "$top"
rm -rf -- "$out"
mv -- "$out.new" "$out"

if [ -n "${REPO_KEY:-}" ]; then
    echo "$out is signed by $key; clients need its ngx-rbl.gpg."
else
    echo "$out is signed by a test key, for tests only; REPO_KEY names yours."
fi
