#!/bin/sh

# The programs that took ten seconds or more in the logs of make check, the
# slowest first, then those of t/slow that did not run: what t/slow holds.

cat <<'END'
# The slowest programs, with which each run begins, so that two cores stay busy
# to the end.  `make slow` writes this file from the logs of the last run.
END

took() {
    sed -n 's|^.*] \([^ ]*\) \.* ok *\([0-9]*\) ms.*|\2 \1|p' "$@" \
        | sed 's|[^ ]*/t/unit/\(test_.*\)$|t/unit/\1.c|'
}
took "$@" | sort -rn | awk '$1 >= 10000 { print $2 }'
took "$@" | awk 'NR == FNR { ran[$2] = 1; next }
    !/^#/ && !($1 in ran)' - t/slow
