#!/bin/sh

# Runs test programs: sh t/check.sh BUILD JOBS "BESIDE..." "ALONE..."
#
# JOBS programs of BESIDE run at a time, then those of ALONE, two at a time, for
# which two cores are enough (JOBS=1: one by one).
#
# A program that fails runs once more, alone.  If it passes then, the result
# depends on luck or on the speed of the machine, which is a fault of the
# program or of the product: a line FLAKY at the end names it.  At most RETRIES
# programs of each group get a second run.
#
# The end of the output repeats what failed, for readers of the last lines.

build=$1 jobs=$2 beside=$3 alone=$4
RETRIES=3

# group NAME JOBS PROGRAM...: the status of prove
group() {
    log=$build/$1.log
    n=$2
    shift 2
    {
        perl -It/lib t/browser.pl ${PROVE:-prove} -It/lib --timer -j"$n" "$@"
        echo "$?" >"$log.status"
    } 2>&1 | tee "$log"
    return "$(cat "$log.status")"
}

# The programs in prove's summary of failures.
failed() {
    sed -n 's/^\([^ ]*\) *(Wstat: .*/\1/p' "$build/$1.log" | sort -u
}

# again NAME: 0 if everything that failed in the group passes alone
again() {
    again=$(failed "$1")
    [ -n "$again" ] && [ "$(echo "$again" | wc -l)" -le "$RETRIES" ] \
        || return 1
    printf '\nOnce more, alone: %s\n' "$(echo $again)"
    group "again-$1" 1 $again || return 1
    flaky="$flaky $(echo $again)"
}

# The lines of the logs that are about failures.
failures() {
    for name in beside again-beside alone again-alone; do
        [ ! -e "$build/$name.log" ] || cat "$build/$name.log"
    done | grep -vE '^\[[0-9:]+\].* ok +[0-9]+ ms|^# [^ ]' | tail -n 60
}

bad=0
flaky=
start=$(date +%s)
rm -f "$build/beside.log" "$build/alone.log" "$build"/again-*.log
[ -z "${beside# }" ] || group beside "$jobs" $beside || again beside || bad=1
[ -z "${alone# }" ] || group alone "$((jobs > 1 ? 2 : 1))" $alone \
    || again alone || bad=1

if [ "$bad$flaky" != 0 ]; then
    printf '\nFailures in the logs in %s:\n' "$build"
    failures
fi
for program in $flaky; do
    printf 'FLAKY %s: failed, and passed when it ran again alone\n' "$program"
done
took=$(($(date +%s) - start))
printf '\nTests: %d min %02d s\n' $((took / 60)) $((took % 60))
exit $bad
