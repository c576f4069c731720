#!/bin/sh
#
# lua2c.sh SCHEMA OUTDIR SCRIPT.lua...
#
# Turns the scripts of the store into C: OUTDIR/rbl_script_list.h declares one
# rbl_script_t per script and the types of its arguments and replies,
# OUTDIR/rbl_script_list.c holds the sources and their SHA-1.  The source for
# Redis is also written to OUTDIR/lua/NAME.lua.
#
# Comment lines at the head of a script, before its first code, declare its
# keys, arguments and replies (seam.awk), and may request
#     --- use: host account       the fields of these entities (schema)
#     --- include: NAME           the text of _NAME.lua from the same folder, or
#                                 from the folder "part" next to it.  An
#                                 indented include in the code puts the text
#                                 there: Redis creates its functions only if
#                                 that block runs
#     --- flags: allow-oom        flags of the script ("#!lua flags=")
#     --- audit: ARG              the script's changes are in the audit log of
#                                 its account, as changes of what this argument
#                                 names; without ARG: of the account.  The text
#                                 is put into a function between the parts "by"
#                                 and "audit", and may set `about` (SID) and
#                                 `named`
# An included file may request the first two.  Files whose names begin with "_"
# are not scripts.  Comments, blank lines and indentation are removed, outside
# strings.  HOST.id and the like become numbers, ARG.name becomes ARGV[1]: so a
# script in Redis builds no tables of names, and an unknown name ends the build.
# Functions at the left margin that are never called are removed, too, because
# Redis would create them at each call.  Unchanged files are not written.

set -eu
LC_ALL=C
export LC_ALL

if [ $# -lt 3 ]; then
    echo "usage: $0 SCHEMA OUTDIR SCRIPT.lua..." >&2
    exit 2
fi

schema=$1
out=$2
shift 2

tab=$(printf '\t')
cr=$(printf '\r')
here=$(dirname -- "$0")
mkdir -p -- "$out/lua"
tmp=$(mktemp -d -- "$out/.lua2c.XXXXXX")
trap 'rm -rf -- "$tmp"' EXIT
trap 'exit 1' HUP INT TERM


# Prints the parts of a script in its order: "use ENTITY"; "at LINE FILE" before
# the lines of a file that begin after that line; and these lines, each after a
# space.  $2: what an audited script changes, or "".

needs()
{
    awk -v top="$1" -v dir="$(dirname -- "$1")" -v about="$2" '
    function put(first, file, text) {
        if (file == top && about != "" && !opened++) {
            printf(" local about, named = %s, \"\"\n" \
                   " local said = (function()\n", about)
        }

        printf("at %d %s\n%s", first, file, text)
    }

    function part(name,    file, line) {
        file = dir "/_" name ".lua"
        if ((getline line < file) < 0) {
            return dir "/../part/_" name ".lua"
        }

        close(file)
        return file
    }

    function include(line, depth,    n, word, i) {
        n = split(line, word, /[ \t\r]+/)
        for (i = 3; i <= n; i++) {
            if (word[i] != "") {
                walk(part(word[i]), depth + 1)
            }
        }
    }

    # Parts included in a block (an indented line) are unknown after its end.
    function include_here(line, depth,    known) {
        known = sub(/^[ \t]+/, "", line) ? n_seen : -1
        include(line, depth)
        while (known >= 0 && n_seen > known) {
            delete seen[order[n_seen--]]
        }
    }

    function walk(file, depth,    line, rc, text, n, first, code, word) {
        if (file in seen) {
            return
        }

        seen[file] = 1
        order[++n_seen] = file
        if (depth > 8) {
            print top ": includes are nested too deeply" > "/dev/stderr"
            exit 1
        }

        while ((rc = (getline line < file)) > 0) {
            n++
            if (code && line ~ /^[ \t]*--- include:/) {
                put(first, file, text)
                include_here(line, depth)
                text = ""
                first = n
                continue
            }

            if (line ~ /^--- include:/) {
                include(line, depth)
            } else if (!code && line ~ /^--- use:/) {
                split(line, word, /: */)
                gsub(/[ \t\r]+/, "\nuse ", word[2])
                print "use " word[2]
            } else if (line !~ /^[ \t\r]*(--.*)?$/) {
                code = 1
            }

            text = text " " line "\n"
        }

        if (rc < 0) {
            print top ": cannot read " file > "/dev/stderr"
            exit 1
        }

        close(file)
        put(first, file, text)
    }

    BEGIN {
        if (about == "") {
            walk(top, 0)
            exit
        }

        walk(part("by"), 0)
        walk(top, 0)
        print " end)()"
        walk(part("audit"), 0)
    }'
}


# Prints the functions at the left margin that no word in the rest of these
# files (listed in file $1) reaches.  A word in a string, after code or where a
# long comment may end counts as well, so a called function is never removed.
# Such a function consists of indented lines between
# "local function NAME(...)" and "end"; any other form ends the build.

unused()
{
    awk -v list="$1" '
    function reach(text,    n, i, word) {
        n = split(text, word, /[^A-Za-z0-9_]+/)
        for (i = 1; i <= n; i++) {
            if (word[i] in body && !(word[i] in reached)) {
                reached[word[i]] = 1
                reach(body[word[i]])
            }
        }
    }

    function refuse() {
        printf("%s:%d: a function at the left margin has indented lines and " \
               "an \"end\" of its own\n", file, number) > "/dev/stderr"
        exit failed = 1
    }

    function take(line,    word) {
        if (line ~ /^[ \t]*--/ && line !~ /\]/) {
            return
        }

        if (line ~ /^local function /) {
            if (name != "" || line !~ /^[^()]*\([^()]*\)?[ \t\r]*$/) {
                refuse()
            }

            split(line, word, /[ (]+/)
            name = word[3]
            sub(/^[^(]*/, "", line)
        }

        if (name == "") {
            rest = rest line "\n"
            return
        }

        body[name] = body[name] line "\n"

        if (line ~ /^end[ \t\r]*$/) {
            name = ""

        } else if (line !~ /^([ \t(]|\r?$)/) {
            refuse()
        }
    }

    BEGIN {
        while ((getline file < list) > 0) {
            for (number = 1; (getline line < file) > 0; number++) {
                take(line)
            }

            close(file)

            if (name != "") {
                refuse()
            }
        }

        reach(rest)
        for (name in body) {
            if (!(name in reached)) {
                print name
            }
        }
    }' </dev/null
}


# Removes comments, blank lines, indentation and the functions in file $3, and
# replaces the names of fields by their numbers (file $2).  File $1 is the output
# of needs().  long is the closing bracket of an open long string or comment,
# quote that of an open string.

strip()
{
    awk -v names="$2" -v unused="$3" '
    function closing(text,    m) {
        if (match(text, /^\[=*\[/)) {
            m = substr(text, 2, RLENGTH - 2)
            return "]" m "]"
        }

        return ""
    }

    function emit(text) {
        if (verbatim) {
            print text
            return
        }

        sub(/[ \t\r]+$/, "", text)
        if (text != "") {
            print text
        }
    }

    function no_string() {
        if (long != "" || quote != "") {
            print file ": the end is inside a string" > "/dev/stderr"
            exit failed = 1
        }
    }

    BEGIN {
        while ((getline line < names) > 0) {
            split(line, word, " ")
            number[word[1]] = word[2]
        }

        while ((getline line < unused) > 0) {
            left_out[line] = 1
        }
    }

    /^use / {
        next
    }

    /^at / {
        no_string()
        row = $2
        file = substr($0, length("at  " row) + 1)
        next
    }

    {
        $0 = substr($0, 2)
        row++
    }

    # Parts included in its blocks have functions, too.
    skipping {
        skipping += ($0 ~ /^local function /) - ($0 ~ /^end[ \t\r]*$/)
        next
    }

    long == "" && quote == "" && /^local function / {
        name = $3
        sub(/[^A-Za-z0-9_].*/, "", name)
        if (name in left_out) {
            skipping = 1
            next
        }
    }

    {
        rest = $0
        kept = ""
        verbatim = 0

        if (long == "" && quote == "") {
            sub(/^[ \t]+/, "", rest)

        } else if (!comment) {
            verbatim = 1
        }

        while (rest != "") {
            if (long != "") {
                at = index(rest, long)
                n = at ? at + length(long) - 1 : length(rest)
                if (!comment) {
                    kept = kept substr(rest, 1, n)
                }

                rest = substr(rest, n + 1)
                if (at) {
                    long = ""
                    if (!comment) {
                        verbatim = 0
                    }

                    comment = 0
                }

                continue
            }

            c = substr(rest, 1, 1)

            if (quote != "") {
                if (c == "\\") {
                    kept = kept substr(rest, 1, 2)
                    rest = substr(rest, 3)
                    if (rest == "") {
                        goes_on = 1
                    }

                    continue
                }

                if (c == quote) {
                    quote = ""
                    verbatim = 0
                }

            } else if (c == "\"" || c == "\047") {
                quote = c

            } else if (substr(rest, 1, 2) == "--") {
                long = closing(substr(rest, 3))
                if (long == "") {
                    break
                }

                comment = 1
                rest = substr(rest, 3 + length(long))
                kept = kept " "
                continue

            } else if (c == "[") {
                long = closing(rest)
                if (long != "") {
                    kept = kept substr(rest, 1, length(long))
                    rest = substr(rest, length(long) + 1)
                    continue
                }
            }

            if (quote == "" && c ~ /[A-Z]/ && kept !~ /[A-Za-z0-9_.:]$/ \
                && match(rest, /^[A-Z][A-Z0-9_]*\.[a-z][a-z0-9_]*/))
            {
                name = substr(rest, 1, RLENGTH)
                if (!(name in number)) {
                    printf("%s:%d: no field %s\n", file, row, name) \
                        > "/dev/stderr"
                    exit failed = 1
                }

                kept = kept number[name]
                rest = substr(rest, RLENGTH + 1)
                continue
            }

            kept = kept c
            rest = substr(rest, 2)
        }

        if (quote != "" && !goes_on) {
            printf("%s:%d: a string is not closed\n", file, row) \
                > "/dev/stderr"
            exit failed = 1
        }

        if (quote != "" || (long != "" && !comment)) {
            verbatim = 1
        }

        goes_on = 0
        emit(kept)
    }

    END {
        if (failed) {
            exit 1
        }

        no_string()
    }' "$1"
}


# Prints the source as C string literals; "?" is escaped because of trigraphs.

literal()
{
    sed -e 's/[\\"?]/\\&/g' -e "s/$tab/\\\\t/g" -e "s/$cr/\\\\r/g" \
        -e 's/^/    "/' -e 's/$/\\n"/' "$1"
}


# Moves a finished file to its place, unless it is unchanged.

settle()
{
    if ! cmp -s -- "$1" "$2"; then
        mv -f -- "$1" "$2"
    fi
}


names=

for script in "$@"; do
    name=$(basename -- "$script" .lua)

    case $name in
    _*)
        continue
        ;;
    *[!a-z0-9_]*)
        echo "$script: a script's name is made of a-z, 0-9 and _" >&2
        exit 1
        ;;
    esac

    about=$(sed -n -e 's/^--- audit$/ac/p' \
        -e 's/^--- audit: \([a-z0-9_]*\).*/ARG.\1/p' "$script")
    needs "$script" "$about" > "$tmp/needs"
    want=$(sed -n 's/^use //p' "$tmp/needs" | sort -u | tr '\n' ' ')
    final="$tmp/$name.lua"
    sed -n 's/^--- flags: \([a-z,-]*\)$/#!lua flags=\1/p' "$script" > "$final"

    awk -v mode=lua -v want="$want" -f "$here/schema.awk" "$schema" \
        > "$tmp/names" || { echo "$script: see above" >&2; exit 1; }
    awk -v mode=lua -f "$here/seam.awk" "$script" >> "$tmp/names"
    awk -v mode=h -v name="$name" -f "$here/seam.awk" "$script" >> "$tmp/types"
    awk -v mode=c -v name="$name" -f "$here/seam.awk" "$script" >> "$tmp/forms"

    sed -n 's/^at [0-9]* //p' "$tmp/needs" | sort -u > "$tmp/files"
    unused "$tmp/files" > "$tmp/unused"
    strip "$tmp/needs" "$tmp/names" "$tmp/unused" >> "$final"

    names="$names $name"
done

{
    echo '/* Generated from lua/ by lua2c.sh. */'
    echo
    echo '#ifndef RBL_SCRIPT_LIST_H_INCLUDED'
    echo '#define RBL_SCRIPT_LIST_H_INCLUDED'
    echo
    for name in $names; do
        echo "extern const rbl_script_t  rbl_script_$name;"
    done
    cat "$tmp/types"
    echo
    echo '#endif /* RBL_SCRIPT_LIST_H_INCLUDED */'
} > "$tmp/rbl_script_list.h"

{
    echo '/* Generated from lua/ by lua2c.sh. */'
    echo
    echo '#include <stddef.h>'
    echo
    echo '#include "rbl_script.h"'
    cat "$tmp/forms"
    for name in $names; do
        sha1=$(sha1sum < "$tmp/$name.lua")
        echo
        echo
        echo "static const char  source_$name[] ="
        literal "$tmp/$name.lua"
        echo '    "";'
        echo
        echo "const rbl_script_t  rbl_script_$name = {"
        echo "    \"$name\","
        echo "    \"${sha1%% *}\","
        echo "    source_$name, sizeof(source_$name) - 1, NKEYS_$name,"
        echo "    ARGC_$name, AUDITED_$name"
        echo '};'
    done
    echo
    echo
    echo 'const rbl_script_t *const  rbl_scripts[] = {'
    for name in $names; do
        echo "    &rbl_script_$name,"
    done
    echo '    NULL'
    echo '};'
} > "$tmp/rbl_script_list.c"

for name in $names; do
    settle "$tmp/$name.lua" "$out/lua/$name.lua"
done

settle "$tmp/rbl_script_list.h" "$out/rbl_script_list.h"
settle "$tmp/rbl_script_list.c" "$out/rbl_script_list.c"
