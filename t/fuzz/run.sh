#!/bin/sh
#
# run.sh BUILD        runs each fuzz target of BUILD for FUZZ_SECONDS (60), two
#                     at a time, from t/fuzz/corpus and from what was found
#                     before (BUILD/corpus); any finding is a failure
# run.sh BUILD keep   puts into t/fuzz/corpus what reaches most, as little as
#                     does, with what was written by hand
#
# FUZZ_TARGETS names the targets (all).  A finding's input stays in BUILD/found,
# the output of each target in BUILD/log.

set -eu
LC_ALL=C
export LC_ALL

if [ $# -lt 1 ]; then
    echo "usage: $0 BUILD [keep]" >&2
    exit 2
fi

here=$(cd -- "$(dirname -- "$0")" && pwd)
build=$(cd -- "$1" && pwd)
seconds=${FUZZ_SECONDS:-60}
names=${FUZZ_TARGETS:-$(cd -- "$here" && ls fuzz_*.c | sed 's/^fuzz_//; s/\.c$//')}

ASAN_OPTIONS=detect_leaks=1
UBSAN_OPTIONS=print_stacktrace=1
export ASAN_OPTIONS UBSAN_OPTIONS


one()
{
    name=$1
    bin=$build/t/fuzz/fuzz_$name
    log=$build/log/$name
    mkdir -p -- "$build/corpus/$name" "$here/corpus/$name"

    set -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
        -max_len=4096 -print_final_stats=1 \
        -artifact_prefix="$build/found/$name-"
    if [ -f "$here/dict/$name" ]; then
        cp -- "$here/dict/$name" "$build/log/$name.dict"
        set -- "$@" -dict="$build/log/$name.dict"
    fi
    if [ "$name" = ngx_route ]; then
        sed -n 's/^[A-Z_]*(\(GET\|POST\), \("[^"]*"\).*/\2/p' \
            "$here/../../ngx_rbl_module/http/ngx_rbl_calls.h" \
            >>"$build/log/$name.dict"
    elif [ "$name" = ngx_params ]; then
        sed -n 's/^ *\("[a-z_]*"\): {.*/\1/p' \
            "$here/../../conf/openapi.json" | sort -u \
            >>"$build/log/$name.dict"
    fi

    status=0
    "$bin" "$@" "$build/corpus/$name" "$here/corpus/$name" >"$log" 2>&1 \
        </dev/null || status=$?
    awk -v name="$name" -v status="$status" '
        /cov: / { for (i = 1; i < NF; i++) v[$i] = $(i + 1) }
        /^stat::number_of_executed_units/ { runs = $2 }
        /^stat::average_exec_per_sec/ { speed = $2 }
        END { printf "%-14s %s %9d runs %7d/s, cov %s, ft %s, corpus %s\n",
                  name, status ? "FAILED" : "ok    ", runs, speed,
                  v["cov:"], v["ft:"], v["corp:"] }' "$log"

    if [ "$status" != 0 ]; then
        grep -E 'does not hold|ERROR: |SUMMARY: |runtime error' "$log" \
            | sed 's/^/    /' || tail -n 5 "$log"
        for input in "$build/found/$name"-*; do
            [ ! -f "$input" ] || echo "    repeat: $bin $input"
        done
        return 1
    fi
}


# Inputs with names of their own were written by hand and are always kept.
keep()
{
    name=$1
    new=$build/keep/$name
    rm -rf -- "$new"
    mkdir -p -- "$new" "$build/corpus/$name" "$here/corpus/$name"
    find "$here/corpus/$name" -type f | grep -v '/[0-9a-f]\{40\}$' \
        | while read -r input; do cp -- "$input" "$new/"; done
    "$build/t/fuzz/fuzz_$name" -set_cover_merge=1 -use_counters=0 -timeout=10 \
        "$new" "$here/corpus/$name" "$build/corpus/$name" \
        >"$build/log/$name.keep" 2>&1 </dev/null
    rm -rf -- "$here/corpus/$name"
    cp -r -- "$new" "$here/corpus/$name"
    echo "$name: $(ls "$new" | wc -l) inputs," \
        "$(cat "$new"/* | wc -c) bytes"
}


mkdir -p -- "$build/found" "$build/log"

case ${2:-} in
one)
    one "$3"
    ;;
keep)
    for name in $names; do
        keep "$name"
    done
    ;;
*)
    for name in $names; do
        echo "$name"
    done | xargs -n 1 -P 2 sh "$0" "$build" one
    ;;
esac
