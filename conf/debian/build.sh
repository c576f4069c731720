#!/bin/sh
# Builds the Debian packages in DIR from a copy of this tree and the bundled
# portal; no network.
# usage: build.sh DIR PORTAL
#
# The version is that of shared/text/rbl_version.h and, as Debian marks what is
# built for a stable release, ~deb12u1 or ~deb13u1: a machine that is upgraded
# to the next release gets its packages.  DEBFULLNAME and DEBEMAIL name the
# builder, as for any Debian package.
#
# The same tree gives the same packages, byte by byte, in the same release with
# the same versions of compiler and debhelper, whatever clock, user and
# directory the build has.  SOURCE_DATE_EPOCH dates the packages, by default the
# last commit or, without git, the newest source file.
set -eu
umask 022

# The variables of the calling make do not apply to the package.
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD SANITIZE V

here=$(cd -- "$(dirname -- "$0")" && pwd)
top=$(cd -- "$here/../.." && pwd)
mkdir -p -- "${1:?usage: build.sh DIR PORTAL}"
out=$(cd -- "$1" && pwd)
portal=$(cd -- "${2:?usage: build.sh DIR PORTAL}" && pwd)
[ -s "$portal/index.html" ] || { echo "build.sh: no portal" >&2; exit 1; }

version=$(sed -n 's/^#define RBL_VERSION  *"\([0-9.]*\)"$/\1/p' \
    "$top/shared/text/rbl_version.h")
[ -n "$version" ] || { echo "build.sh: no version" >&2; exit 1; }
. /etc/os-release
case ${ID:-}:${VERSION_ID:-} in
debian:[0-9]*) version=$version~deb${VERSION_ID}u1 ;;
esac
# Without "~", which the build of nginx does not take in a path.
tree=$out/ngx-rbl-${version%%~*}
who="${DEBFULLNAME:-The ngx_rbl authors} <${DEBEMAIL:-ngx-rbl@example.org}>"

rm -rf -- "$out"/*
mkdir -p -- "$tree"

for file in Makefile README.md LICENSE conf ngx_rbl_module rbl-checkd shared t
do
    cp -a -- "$top/$file" "$tree/"
done

cp -a -- "$portal" "$tree/portal"

if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git -C "$top" log -1 --format=%ct 2>/dev/null) \
        || SOURCE_DATE_EPOCH=$(find "$tree" -type f -printf '%Ts\n' \
            | sort -n | tail -n 1)
fi
export SOURCE_DATE_EPOCH
# Some files keep their times in the packages.
find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
chmod -R u+rwX,go+rX,go-w "$tree"

cp -a -- "$tree/conf/debian" "$tree/debian"
rm -f -- "$tree/debian/build.sh" "$tree/debian/repo.sh"
sed -i "s|@MAINTAINER@|$who|" "$tree/debian/control"
sed -e 's/^$/./' -e 's/^/ /' "$top/LICENSE" >"$out/license"
sed -i -e "/@LICENSE@/{r $out/license" -e 'd}' "$tree/debian/copyright"
rm -f -- "$out/license"

cat >"$tree/debian/changelog" <<CHANGELOG
ngx-rbl ($version) ${VERSION_CODENAME:-unstable}; urgency=medium

  * Version $version; see README.md.

 -- $who  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
CHANGELOG

# Two packages; none with debug symbols unless requested.
DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-noautodbgsym} parallel=$(nproc)"
export DEB_BUILD_OPTIONS

cd -- "$tree"
printf '  %-4s %s\n' DEB "$1, for some minutes; output in build.log there"
if ! dpkg-buildpackage -b -us -uc -tc >"$out/build.log" 2>&1; then
    tail -n 30 "$out/build.log" >&2
    echo "build.sh: the packages cannot be built; all is in $out/build.log" >&2
    ! grep -q '^Result: FAIL' "$out/build.log" \
        || echo 'build.sh: a unit test failed, as it may on a busy machine; try' \
            'again, or without these tests: DEB_BUILD_OPTIONS="noautodbgsym' \
            'nocheck" make deb' >&2
    exit 1
fi

if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error,warning --tag-display-limit 0 \
        "$out"/*.changes
fi

rm -rf -- "$tree"
ls -- "$out"/*.deb
