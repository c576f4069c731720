#!/bin/sh
# Builds the Debian packages in DIR from a copy of this tree and the bundled
# portal; no network.
# usage: build.sh DIR PORTAL
#
# The version is that of shared/text/rbl_version.h.  DEBFULLNAME and DEBEMAIL
# name the builder, as for any Debian package.
set -eu

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
tree=$out/ngx-rbl-$version
who="${DEBFULLNAME:-The ngx_rbl authors} <${DEBEMAIL:-ngx-rbl@example.org}>"

rm -rf -- "$out"/*
mkdir -p -- "$tree"

for file in Makefile README.md LICENSE conf ngx_rbl_module rbl-checkd shared t
do
    cp -a -- "$top/$file" "$tree/"
done

cp -a -- "$portal" "$tree/portal"

# The newest source file dates the package, so that builds are reproducible.
date=$(find "$tree" -type f -printf '%T@\n' | sort -n | tail -n 1)
SOURCE_DATE_EPOCH=${date%%.*}
export SOURCE_DATE_EPOCH

cp -a -- "$tree/conf/debian" "$tree/debian"
rm -f -- "$tree/debian/build.sh"
sed -i "s|@MAINTAINER@|$who|" "$tree/debian/control"
sed -e 's/^$/./' -e 's/^/ /' "$top/LICENSE" >"$out/license"
sed -i -e "/@LICENSE@/{r $out/license" -e 'd}' "$tree/debian/copyright"
rm -f -- "$out/license"

cat >"$tree/debian/changelog" <<CHANGELOG
ngx-rbl ($version) bookworm; urgency=medium

  * Version $version; see README.md.

 -- $who  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
CHANGELOG

# Two packages; none with debug symbols unless requested.
DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS-noautodbgsym}
export DEB_BUILD_OPTIONS

cd -- "$tree"
if ! dpkg-buildpackage -b -us -uc -tc >"$out/build.log" 2>&1; then
    tail -n 30 "$out/build.log" >&2
    echo "build.sh: the packages cannot be built; all is in $out/build.log" >&2
    exit 1
fi

if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error --tag-display-limit 0 "$out"/*.changes
fi

rm -rf -- "$tree"
ls -- "$out"/*.deb
