#!/bin/sh

# The programs that took ten seconds or more in the logs of make check, the
# slowest first: what t/slow holds.

cat <<'END'
# The slowest programs of make check, which begins with them, so that two cores
# stay busy to the end.  `make slow` writes this file from the logs of a run.
END

sed -n 's|^.*] \([^ ]*\) \.* ok *\([0-9]*\) ms.*|\2 \1|p' "$@" \
    | sed 's|[^ ]*/t/unit/\(test_.*\)$|t/unit/\1.c|' \
    | sort -rn | awk '$1 >= 10000 { print $2 }'
