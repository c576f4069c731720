#!/bin/sh

# Runs test programs: sh t/check.sh BUILD JOBS "BESIDE..." "ALONE..."
# JOBS of the first at a time, then the second one by one, whatever the first
# have said.  What did not pass is repeated at the end, for who sees only the
# last lines of a long log.

build=$1 jobs=$2 beside=$3 alone=$4
bad=0

# part NAME JOBS PROGRAM...
part() {
    log=$build/$1.log
    n=$2
    shift 2
    { ${PROVE:-prove} -It/lib --timer -j"$n" "$@"; echo "$?" >"$log.status"; } \
        2>&1 | tee "$log"
    [ "$(cat "$log.status")" = 0 ] || bad=1
}

part beside "$jobs" $beside
part alone 1 $alone
[ "$bad" = 0 ] && exit 0

printf '\nWhat did not pass, out of %s and %s:\n' "$build/beside.log" \
    "$build/alone.log"
cat "$build/beside.log" "$build/alone.log" \
    | grep -vE '^\[[0-9:]+\].* ok +[0-9]+ ms|^# [^ ]' | tail -n 60
exit 1
