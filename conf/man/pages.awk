# Fills in a page (pages.sh).  First file: what the programs print of their keys
# and commands.  Second file, also named by -v page=: the page.

function fail(text)
{
    print "pages.awk: " page ": " text >"/dev/stderr"
    failed = 1
    exit 1
}

# One sentence on each line, as mdoc wants it.
function sentences(text)
{
    gsub(/--/, "\\-\\-", text)
    gsub(/[.]  +/, ".\n", text)
    return text
}

# A synopsis in macros: [--file FILE]|--remove becomes
# Oo Fl Fl file Ar FILE Oc | Fl Fl remove.
function synopsis(text,    out, word, last, c, i)
{
    text = text " "
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "[" && word != "") {           # ADDRESS[@PORT]
            word = word substr(text, i, index(substr(text, i), "]"))
            i += index(substr(text, i), "]") - 1
        } else if (index("[]| ", c) == 0) {
            word = word c
        } else {
            if (word ~ /^--/) {
                out = out " Fl Fl " substr(word, 3)
                last = ""
            } else if (word != "") {
                out = out (last == "|" ? " " : " Ar ") word
                last = "word"
            }
            word = ""
            if (c == "[")
                out = out " Oo"
            else if (c == "]")
                out = out " Oc"
            else if (c == "|") {
                out = out " |"
                last = last == "" ? "" : "|"
            }
            if (c == "[" || c == "]")
                last = ""
        }
    }
    return out
}

function print_key(i)
{
    print ".It Ic " key[i]
    print sentences(text[key[i]])
    if (value[key[i]] ~ / # no default$/) {
        print "No default; for example"
        sub(/ *# no default$/, "", value[key[i]])
    } else
        print "Default:"
    print ".Ql " value[key[i]] " ."
}

FNR == 1 { files++ }

# --- what the programs print ------------------------------------------------

files == 1 && /^usage: / { in_help = 1 }

files == 1 && !in_help && /^# / {
    line = substr($0, 3)
    block = block (block == "" ? "" : block ~ /[.]$/ ? "  " : " ") line
    next
}

files == 1 && !in_help && /^#[a-z]/ {
    key[++keys] = substr($1, 2)
    place[key[keys]] = keys
    text[key[keys]] = block
    value[key[keys]] = substr($0, length($1) + 2)
}

files == 1 && !in_help { block = "" }

files == 1 && in_help && /^  [a-z]/ {
    words = $1
    for (i = 2; i <= NF && $i ~ /^[a-z]+$/; i++)
        words = words " " $i
    command[words] = synopsis(substr($0, length(words) + 4))
}

files == 1 && in_help && /^        [a-z]/ {
    line = substr($0, 9)
    told[words] = toupper(substr(line, 1, 1)) substr(line, 2) "."
}

# --- the page ---------------------------------------------------------------

files == 2 && /^@KEYS / {
    first = place[$2]
    last = place[substr($3, 1, length($3) - 1)]
    if (!first || !last)
        fail("no such keys: " $0)
    for (i = first; i <= last; i++) {
        print_key(i)
        shown[key[i]] = 1
    }
    any_key = 1
    next
}

files == 2 && /^@COMMAND / {
    words = substr($0, 10, length($0) - 10)
    if (!(words in command))
        fail("no such command: " words)
    print ".It Ic " words command[words]
    print sentences(told[words])
    shown[words] = 1
    next
}

files == 2

END {
    if (failed)
        exit 1
    if (any_key) {
        for (i = 1; i <= keys; i++)
            if (!(key[i] in shown))
                fail("key " key[i] " is missing")
    } else
        for (words in command)
            if (!(words in shown))
                fail("command " words " is missing")
}
