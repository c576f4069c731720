#!/bin/sh
# Runs a benchmark in its short form: sh t/bench/smoke.sh t/bench/NAME.pl
#
# Prints one line; of one that fails, also its output.  That has to end with the
# targets, behind a table.

name=$(basename "$1" .pl)
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
start=$(date +%s)
status=0
perl -It/lib -It/bench/lib "$1" >"$log" 2>&1 || status=$?
took="$(($(date +%s) - start)) s"

if [ $status = 0 ] && grep -q '^  ---' "$log" \
    && grep -q '^  [0-9]* of [0-9]* met, ' "$log"
then
    echo "smoke $name: runs through, $took"
else
    cat "$log"
    echo "smoke $name: FAILED with status $status, $took"
    exit 1
fi
