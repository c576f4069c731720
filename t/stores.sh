#!/bin/sh

# The tests of the store with each server program that is supported:
# sh t/stores.sh BUILD JOBS "STORE..." "KIND..."
#
# A STORE is a package of a Debian release, which `package` below names.  A root
# of that release is made with debootstrap in BUILD/stores, and the server
# program runs from there with its own libraries, so one build of the product
# meets all of them.  On the same release the program of this machine is taken.
# The roots need to be made by root, and the network for Debian's packages
# (MIRROR).
#
# The last lines are a table: server, kind of tests, programs, result, seconds
# that the programs took (together; they run side by side).

# package STORE: release and server program
package() {
    case $1 in
    redis-7.0)  echo bookworm redis-server ;;
    redis-8.0)  echo trixie redis-server ;;
    valkey-8.1) echo trixie valkey-server ;;
    *)  die "no store \"$1\": redis-7.0, redis-8.0, valkey-8.1" ;;
    esac
}

# programs KIND
programs() {
    case $1 in
    scripts)  costs '' t/lua/*.t ;;
    costs)    costs 1 t/lua/*.t ;;
    store)    echo t/redis/*.t t/conf/acl.t t/ctl/init.t t/e2e/told.t ;;
    failover) echo t/failover/*.t t/checkd/sentinel.t \
                  t/checkd/cluster_failover.t t/ctl/sentinel.t \
                  t/ctl/doctor_large.t t/ctl/cluster_away.t \
                  t/ctl/cluster_moves.t ;;
    cluster)  sed '/^#/d' t/cluster ;;
    upgrade)  echo t/upgrade/*.t ;;
    *)  die "no tests \"$1\": scripts, costs, store, failover, cluster," \
            upgrade ;;
    esac
}

# costs [1] PROGRAM...: those that measure times, or the others
costs() {
    which=$1
    shift
    if [ "$which" ]; then
        grep -l '^# Alone: ' "$@"
    else
        grep -L '^# Alone: ' "$@"
    fi
}

die() {
    echo "stores.sh: $*" >&2
    exit 2
}

# server STORE: makes its root; prints the path of its server program
server() {
    set -- "$1" $(package "$1")
    if [ "$(. /etc/os-release; echo "${VERSION_CODENAME:-}")" = "$2" ] \
        && command -v "$3" >/dev/null
    then
        command -v "$3"
        return
    fi
    (
        [ "$(id -u)" = 0 ] || die "a root of $2 takes root"
        mkdir -p "$build/stores/$2" "$build/stores/$1"
        root_make "$2" "$build/stores/$2" ca-certificates,"$(servers "$2")"
        for program in "$3" "${3%server}cli"; do
            wrapper "$root" "$program" >"$build/stores/$1/$program"
            chmod 755 "$build/stores/$1/$program"
        done
    ) >&2 || return
    echo "$build/stores/$1/$3"
}

# The server programs of a release.
servers() {
    for store in redis-7.0 redis-8.0 valkey-8.1; do
        package $store
    done | awk -v ORS= -v release="$1" \
        '$1 == release { print sep $2; sep = "," }'
}

# wrapper ROOT PROGRAM: a script that runs it with the libraries of the root,
# in the process of the caller
wrapper() {
    cat <<END
#!/bin/sh
exec $(echo "$1"/lib64/ld-linux-*) --argv0 $2 \\
    --library-path $(echo "$1"/usr/lib/*-linux-gnu) $1/usr/bin/$2 "\$@"
END
}

# timed PROGRAM...: those that measure times
timed() {
    grep -l '^# Alone: ' "$@" /dev/null
}

# beside PROGRAM...: the others, the slowest first
beside() {
    grep -L '^# Alone: ' "$@" | awk 'NR == FNR { slow[$1] = FNR; next }
        { print ($1 in slow ? slow[$1] : 9999), $1 }' t/slow - \
        | sort -n | sed 's/.* //'
}

# tests STORE PROGRAM...: 0 if all pass; the logs are in BUILD/stores/STORE
tests() {
    logs=$build/stores/$1
    shift
    mkdir -p "$logs"
    rm -f "$logs"/*.log
    sh t/check.sh "$logs" "$jobs" "$(echo $(beside "$@"))" \
        "$(echo $(timed "$@"))"
}

# rows NAME KIND PROGRAM...: the row of the table, from the logs of `tests`
rows() {
    name=$1 kind=$2
    shift 2
    cat "$logs"/*.log | awk -v name="$name" -v kind="$kind" -v all="$*" '
        { sub(/^\[[^]]*\] /, "") }
        / ok +[0-9]+ ms/ { program = $1; sub(/.* ok +/, ""); ms[program] = $1 }
        / skipped: / { skipped[$1] = 1 }
        END {
            n = split(all, programs, " ")
            for (i = 1; i <= n; i++) {
                passed += programs[i] in ms
                left += programs[i] in skipped
                sum += ms[programs[i]]
            }
            printf "%-14s %-8s %8d  %-10s %5d%s\n", name, kind, n - left,
                passed + left == n ? "passed" : n - passed - left " FAILED",
                sum / 1000, (left > 0 ? ", " left " skipped" : "")
        }'
}

# Tests of a kind with RBL_REDIS_CLUSTER=1 run by themselves.
store() {
    program=$(server "$1") || return 2
    name=$("$program" --version | sed -E 's/^(\w+) server v=(\S+).*/\1 \2/')
    echo "Tests with $name: $kinds"
    export RBL_REDIS_SERVER="$program"
    status=0
    most=
    for kind in $kinds; do
        [ "$kind" = cluster ] || most="$most $(programs "$kind")"
    done
    if [ "${most# }" ]; then
        tests "$1" $most || status=1
        for kind in $kinds; do
            [ "$kind" = cluster ] \
                || table="$table$(rows "$name" "$kind" $(programs "$kind"))
"
        done
    fi
    case " $kinds " in
    *' cluster '*)
        most=$(programs cluster)
        RBL_REDIS_CLUSTER=1 tests "$1" $most || status=1
        table="$table$(rows "$name" cluster $most)
" ;;
    esac
    return $status
}

cd "$(dirname "$0")/.." || exit 2
top=$PWD
mkdir -p "$1"
build=$(cd "$1" && pwd) jobs=$2 stores=$3 kinds=$4
. t/packaging/root.sh
for name in $stores; do package "$name" >/dev/null || exit 2; done
for name in $kinds; do programs "$name" >/dev/null || exit 2; done
table=
bad=0
for name in $stores; do
    store "$name" || bad=1
done
printf '\n%-14s %-8s %8s  %-10s %s\n%s' store tests programs result seconds \
    "$table"
exit $bad
