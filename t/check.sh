#!/bin/sh

# Runs test programs: sh t/check.sh BUILD JOBS "BESIDE..." "ALONE..."
# "CLUSTER..."
#
# JOBS programs of BESIDE run at a time, then those of ALONE, two at a time, for
# which two cores are enough (JOBS=1: one by one).  Those of CLUSTER run at last
# and once more, with a cluster as their Redis.
#
# A program that fails runs again, alone, because several programs on two cores
# can starve one another.  One that passes only then is named at the end: it
# depends on the speed of the machine, which is a fault of the program.  At most
# RETRIES programs of each part get a second run.
#
# The end of the output repeats what failed, for readers of the last lines.

build=$1 jobs=$2 beside=$3 alone=$4 cluster=$5
RETRIES=3

# part NAME JOBS PROGRAM...: the status of prove
part() {
    log=$build/$1.log
    n=$2
    shift 2
    { ${PROVE:-prove} -It/lib --timer -j"$n" "$@"; echo "$?" >"$log.status"; } \
        2>&1 | tee "$log"
    return "$(cat "$log.status")"
}

# The programs in prove's summary of failures.
failed() {
    sed -n 's/^\([^ ]*\) *(Wstat: .*/\1/p' "$build/$1.log" | sort -u
}

# again PART: 0 if everything that failed in it passes alone
again() {
    again=$(failed "$1")
    [ -n "$again" ] && [ "$(echo "$again" | wc -l)" -le "$RETRIES" ] \
        || return 1
    printf '\nOnce more, alone: %s\n' "$(echo $again)"
    retried="$retried $(echo $again)"
    part "again-$1" 1 $again
}

bad=0
retried=
rm -f "$build/beside.log" "$build/alone.log" "$build/cluster.log" \
    "$build"/again-*.log
[ -z "${beside# }" ] || part beside "$jobs" $beside || again beside || bad=1
[ -z "${alone# }" ] || part alone "$((jobs > 1 ? 2 : 1))" $alone \
    || again alone || bad=1
if [ -n "$cluster" ]; then
    export RBL_REDIS_CLUSTER=1
    part cluster "$jobs" $cluster || again cluster || bad=1
fi

if [ "$bad" = 0 ]; then
    [ -z "$retried" ] \
        || printf '\nPassed only alone, see the logs in %s:%s\n' "$build" \
               "$retried"
    exit 0
fi

printf '\nWhat did not pass, out of the logs in %s:\n' "$build"
for name in beside again-beside alone again-alone cluster again-cluster; do
    [ ! -e "$build/$name.log" ] || cat "$build/$name.log"
done | grep -vE '^\[[0-9:]+\].* ok +[0-9]+ ms|^# [^ ]' | tail -n 60
exit 1
