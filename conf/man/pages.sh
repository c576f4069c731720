#!/bin/sh
# Writes the manual pages into BUILD/man.
# usage: pages.sh BUILD
#
# A page is copied.  Where a page X.in has a line "@KEYS FIRST LAST@" it gets
# these configuration keys, and all between them, as `rbl-checkd -D` prints
# them; where it has a line "@COMMAND WORDS@" it gets this command as `rblctl
# --help` prints it.  A key or command that is missing in the program, or in the
# pages, is an error.
set -eu

build=${1:?usage: pages.sh BUILD}
here=$(cd -- "$(dirname -- "$0")" && pwd)
mkdir -p -- "$build/man"

{ "$build/rbl-checkd" -D; "$build/rblctl" --help; } >"$build/man/help.txt"

for file in "$here"/*.[1-9] "$here"/*.in; do
    page=$build/man/$(basename -- "$file" .in)
    case $file in
    *.in) awk -v page="$file" -f "$here/pages.awk" "$build/man/help.txt" \
            "$file" >"$page.new" ;;
    *) cp -- "$file" "$page.new" ;;
    esac
    mv -- "$page.new" "$page"
done

rm -f -- "$build/man/help.txt"
