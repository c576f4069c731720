#!/bin/sh
# Installs missing Debian packages and prints their names.
# usage: deps.sh GROUP...
# groups: build, run, test, doc, deb, repo, fresh, suite, container, bench, fuzz,
# analyze, valgrind, lab
set -eu

# Packages that Debian 12 names otherwise than later releases, or includes in
# another one.
case $(. /etc/os-release && echo "${VERSION_ID:-}") in
12) clang_rt=libclang-rt-14-dev zones= ;;
*)  clang_rt=libclang-rt-dev zones=tzdata-legacy ;;
esac

build="gcc make pkg-config nginx nginx-dev libhiredis-dev libjansson-dev
libcurl4-openssl-dev libev-dev libidn2-dev libjemalloc-dev libldns-dev
libpsl-dev libsodium-dev libssl-dev libxxhash-dev perl"
run="redis-server redis-tools unbound rbldnsd curl python3-aiosmtpd tzdata
$zones"
test="$run chromium chromium-headless-shell clang dnsmasq-base dpkg-dev
exim4-daemon-light
iproute2 libnginx-mod-nchan
libjson-xs-perl libxml2-utils logrotate mandoc nodejs openssl perl
python3-botocore redis-sentinel systemd"
doc="mandoc"
deb="build-essential debhelper fakeroot lintian nodejs"
repo="apt-utils debootstrap gpg util-linux"
fresh="debootstrap systemd-container util-linux"
suite="debootstrap util-linux"
container="curl debootstrap iproute2 openssl python3-yaml rbldnsd util-linux"
fuzz="clang dpkg-dev $clang_rt"
analyze="clang-tools cppcheck"
valgrind="dpkg-dev valgrind"
lab="iproute2 libcapture-tiny-perl libdata-validate-domain-perl
libdata-validate-ip-perl libmail-rbl-perl libmonitoring-plugin-perl
libnet-dns-perl libnet-ip-perl libnet-rblclient-perl libreadonly-perl
monitoring-plugins-contrib nodejs rblcheck"
bench="dnsperf iproute2 libnet-rblclient-perl rblcheck wrk libnginx-mod-http-lua lua-nginx-redis lua-cjson nodejs"

# Node from elsewhere brings its own npm.
npm=
command -v npm >/dev/null || npm=npm

want=
for group; do
    case $group in
    build) want="$want $build" ;;
    run) want="$want $run" ;;
    test) want="$want $test $npm" ;;
    doc) want="$want $doc" ;;
    deb) want="$want $deb $npm" ;;
    repo) want="$want $repo" ;;
    fresh) want="$want $fresh" ;;
    suite) want="$want $suite" ;;
    container) want="$want $container" ;;
    fuzz) want="$want $fuzz" ;;
    analyze) want="$want $analyze" ;;
    valgrind) want="$want $valgrind" ;;
    lab) want="$want $lab $npm" ;;
    bench) want="$want $bench $npm" ;;
    *) echo "deps.sh: no group \"$group\"" >&2
       exit 2 ;;
    esac
done

missing=
for package in $want; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null \
        | grep -q '^install ok installed' || missing="$missing $package"
done

[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "Missing:$missing. This needs Debian 12 or 13 and apt-get." >&2
    exit 1
fi

sudo=
if [ "$(id -u)" != 0 ]; then
    sudo=sudo
fi

# Server packages would start their servers; tests start each privately.
echo "Installing missing packages:$missing"
policy=/usr/sbin/policy-rc.d
made=
if [ ! -e $policy ]; then
    printf '#!/bin/sh\nexit 101\n' | $sudo tee $policy >/dev/null
    $sudo chmod 755 $policy
    made=1
fi
status=0
{ $sudo apt-get update -q &&
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
      --no-install-recommends $missing; } >build-deps.log 2>&1 || status=$?
[ -z "$made" ] || $sudo rm -f $policy
if [ $status != 0 ]; then
    tail -n 20 build-deps.log >&2
    echo "apt-get could not install them; its output is in build-deps.log" >&2
    exit $status
fi
rm -f build-deps.log
