#!/bin/sh
# Runs make in a root of another Debian release, on a copy of this tree.
# usage: suite.sh SUITE DIR [GOAL | VARIABLE=VALUE]...
#
# Makes the root in DIR with debootstrap, or uses the one of an earlier run: that
# one holds the packages and all that was built.  A change of conf/deps.sh makes
# a new one.  Needs root and the network for Debian's packages (MIRROR).
#
# The programs run in namespaces of mounts and processes, so neither a mount nor
# a process is left when this script ends or is killed.  Variables of the
# environment that choose or size tests are passed on.  The exit status is that
# of make.
set -eu

here=$(cd -- "$(dirname -- "$0")" && pwd)
top=$(cd -- "$here/../.." && pwd)


die()
{
    echo "suite.sh: $*" >&2
    exit 2
}


. "$here/root.sh"

[ $# -ge 2 ] || die 'usage: suite.sh SUITE DIR [GOAL | VARIABLE=VALUE]...'
suite=$1
mkdir -p -- "$2"
dir=$(cd -- "$2" && pwd)
shift 2

[ "$(id -u)" = 0 ] || die 'this takes root'
for program in debootstrap unshare flock; do
    command -v $program >/dev/null \
        || die "$program is missing: apt-get install debootstrap util-linux"
done

exec 9>"$dir/lock"
flock -n 9 || die "another run uses $dir"

digest=$(cat -- "$top/conf/deps.sh" "$here/root.sh" | cksum)
[ "$(cat -- "$dir/digest" 2>/dev/null)" = "$digest" ] || rm -f -- "$dir/made"
[ -e "$dir/made" ] || echo "Making a root of $suite in $dir"
root_make "$suite" "$dir" ca-certificates,make
echo "$digest" >"$dir/digest"
root_tree "$root/root/ngx_rbl"

for name in $(env | sed -n -E -e 's/^((RBL_|DEB_)[A-Z_]+)=.*/\1/p' \
    -e 's/^((CRASH_|FUZZ_|BENCH_)[A-Z_]+|JOBS|T|V|CUT|FAILOVERS)=.*/\1/p')
do
    eval "set -- \"\$@\" \"$name=\$$name\""
done

# Process 1 in there is the shell, which collects orphans.
cat >"$dir/inside.sh" <<'END'
set -e
root=$1
shift
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount --rbind /sys sys
mount --rbind /dev dev
mount -t tmpfs -o mode=1777 shm dev/shm
find tmp -mindepth 1 -delete
chroot . env "$@"
END

# The shell ignores SIGINT in what it starts in the background.
env --default-signal=INT,QUIT unshare --mount --propagation private --pid \
    --fork --kill-child sh "$dir/inside.sh" "$root" $root_env \
    make -C /root/ngx_rbl "$@" SUITE= </dev/null 9>&- &
work=$!
trap 'kill -KILL $work; exit 130' INT TERM
wait $work
