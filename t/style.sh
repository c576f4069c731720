#!/bin/sh
# House style: what a grep can see.  Prints one line for each fault.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0

say() {
    echo "style: $1"
    bad=1
}

sources=$(find shared ngx_rbl_module rbl-checkd t \
    \( -name '*.c' -o -name '*.h' \) -type f | sort)

for f in $sources; do
    awk -v f="$f" '
        length($0) > 80 { print f ":" FNR ": over 80 columns" }
        /\t/            { print f ":" FNR ": tab" }
        /[ \t]$/        { print f ":" FNR ": trailing space" }
        /^{/            { start = FNR }
        /^}/ && start   { if (FNR - start > 100)
                              print f ":" start ": function over 100 lines"
                          start = 0 }
        END { if (FNR > 600) print "warning: " f ": over 600 lines" }' "$f"
done >/tmp/style.$$ 2>&1

for f in $(find ngx_rbl_module/web t -name node_modules -prune \
    -o \( -name '*.js' -o -name '*.mjs' \) -type f -print | sort)
do
    awk -v f="$f" '
        length($0) > 80 { print f ":" FNR ": over 80 columns" }
        /\t/            { print f ":" FNR ": tab" }
        /[ \t]$/        { print f ":" FNR ": trailing space" }' "$f"
done >>/tmp/style.$$

# The main chunk of a script: its lines behind the head comment and in no
# function at the left margin.
for f in shared/lua/*/*.lua; do
    awk -v f="$f" '
        length($0) > 80 { print f ":" FNR ": over 80 columns" }
        !start && (/^(local )?function / || /^[a-z].* = function\(/) {
            start = FNR
        }
        !start && (main || !/^--/) { main++ }
        start && /^end/ {
            if (FNR - start + 1 > 100)
                print f ":" start ": function over 100 lines"
            start = 0
        }
        END { if (main > 100)
                  print f ": main chunk of " main " lines, over 100" }' "$f"
done >>/tmp/style.$$

# One story may need a long file, so its length is only a warning.
while read -r line; do
    case "$line" in
    warning:*) echo "style: $line" ;;
    *)         say "$line" ;;
    esac
done </tmp/style.$$
rm -f /tmp/style.$$

deny() {
    # deny PATTERN WHY FILE...
    pattern=$1 why=$2
    shift 2
    [ $# -gt 0 ] || return 0
    for hit in $(grep -nE "$pattern" "$@" 2>/dev/null | cut -d: -f1,2); do
        say "$hit: $why"
    done
}

deny_prose() {
    # deny_prose PATTERN FILE...: no comment has the pattern
    pattern=$1
    shift
    for hit in $(awk -v pattern="$pattern" '
        FNR == 1  { c = FILENAME ~ /\.[ch]$/; on = 0 }
                  { text = "" }
        !c && match($0, /(^| )#.*/)          { text = substr($0, RSTART) }
        c && !on && (at = index($0, "/*"))   { text = substr($0, at); on = 1 }
        c && on && text == ""                { text = $0 }
        c && index(text, "*/")               { on = 0 }
        text ~ pattern                       { print FILENAME ":" FNR }' "$@")
    do
        say "$hit: plain English: subject, verb, object"
    done
}

need() {
    # need PATTERN WHY FILE
    grep -qE "$1" "$3" || say "$3: $2"
}

inside() {
    # inside FUNCTION PATTERN WHY FILE: the pattern is not in that function
    grep -q "^$1(" "$4" || say "$4: no function $1, which style.sh looks at"
    awk -v name="$1(" -v pattern="$2" '
        index($0, name) == 1      { on = 1 }
        on && $0 ~ pattern        { print FNR }
        /^}/                      { on = 0 }' "$4" >/tmp/style.$$
    while read -r line; do
        say "$4:$line: $3"
    done </tmp/style.$$
    rm -f /tmp/style.$$
}

# A program that runs beside others does not bound the time that it measures
# itself, unless by another such time (a variable).
for hit in $(find t -name '*.t' -o -path 't/lib/*.pm' | sort | xargs perl -0777 -ne '
    next if /^# Alone: /m;
    my $in = qr/(?:(?!;\n).)*?/s;
    my $took = qr/(?<![\w\$>{])time(?:\(\))?\s*[-),]|-\s*time\b
        |[\$\@](?:took|seconds|elapsed|longest|worst)\b|\{(?:ms|longest)\}/x;
    my $bound = qr/(?![^,;]*\$[a-z])[\w(]/;
    while (/\bcmp_ok\($in$took$in\x27<=?\x27,\s*$bound
        |\bok\($in$took(?:(?!;\n)[^<>])*?\s<=?\s*$bound/gx)
    {
        my $line = 1 + (() = substr($_, 0, $-[0]) =~ /\n/g);
        print "$ARGV:$line\n";
    }')
do
    say "$hit: an upper bound of wall time in a test that is not alone"
done

c=$(echo "$sources" | grep -v '^t/')
m=$(echo "$c" | grep '^ngx_rbl_module/')
d=$(echo "$c" | grep '^rbl-checkd/')
deny '\b(strcpy|strcat|sprintf|gets|system|popen)\(' 'banned call' $c
deny '\bldns_(resolver_[a-z_]+|[a-z0-9_]+2(str|buffer)[a-z_]*)\(' \
    'banned ldns call' $c
deny '\b(redisCommand|redisConnect|redisGetReply|getaddrinfo|gethostbyname)\(' \
    'would block a worker' $(echo "$c" | grep '^ngx_rbl_module/')
deny '#include.*(ngx_|<ev\.h>|ldns|curl/)' 'shared/ knows nothing of it' \
    $(echo "$c" | grep '^shared/')
deny '#include.*ldns' 'only record.h includes ldns' \
    $(echo "$c" | grep -v '/dns/record\.h$')
deny '\bldns_[a-z_]*(free|new|clone)' 'only record.c makes and frees' \
    $(echo "$c" | grep -v '/dns/record\.c$')
deny '#include.*curl/' \
    'only transfer_int.h and smtp_int.h include curl' \
    $(echo "$c" | grep -vE '/transport/(transfer|smtp)_int\.h$')
deny '\bngx_http_finalize_request\(' 'only ngx_rbl_client.c finalizes' \
    $(echo "$m" | grep -v 'client\.c$')

# Which folder may include which.  A header of the same name in an allowed
# folder is meant.
for hit in $(awk '
    FNR == NR && /^[a-z]/ {
        who = $1; $1 = ""; top = who; sub("/.*", "/", top)
        may[who, who] = known[who] = 1
    }
    FNR == NR && !/^#/ {
        for (i = 1; i <= NF; i++) { may[who, top $i "/"] = 1 }
    }
    FNR == NR { next }
    FNR == 1  { dir = FILENAME; sub("[^/]*$", "", dir) }
    known[dir] && /^#include "/ {
        split($0, part, "\""); ok = found = 0
        split(dir, of, "/")
        try(dir); try(of[1] "/")
        for (d in known) { try(d) }
        if (found && !ok) { print FILENAME ":" FNR }
    }
    function try(d,    home) {
        home = d part[2]; sub("[^/]*$", "", home)
        if (!is_file(d part[2])) { return }
        found = 1
        ok = ok || (dir, home) in may \
             || (home ~ /^shared/ && dir !~ /^shared/)
    }
    function is_file(f,    line) {
        if (!(f in file)) { file[f] = (getline line < f) >= 0; close(f) }
        return file[f]
    }' t/folders $c)
do
    say "$hit: an include that t/folders does not allow"
done

# The hazards that a grep can see; the others have tests (t/hazard/PLAN).
inside store_drop '(let_go|_close|free)\(' \
    'hazards 01, 02: freed while replies are read' \
    rbl-checkd/store/store_connect.c
deny 'redisAsync' 'hazards 01 to 04: the programs have their own connections' \
    $c
deny 'NGX_CLEAR_EVENT' 'hazard 05: edge-triggered' $m
deny 'redisConnect' \
    'hazard 08: only ngx_rbl_redis_open.c connects, to numbers' \
    $(echo "$m" | grep -v 'redis_open\.c$')
deny '\b(422|423|428)\b' 'hazard 25: nginx has no reason phrase for it' $m
deny '[>.]idle = 1' 'hazard 29: nginx would cut it at a graceful end' $m
# The zone's memory is laid out once, before there are workers.
deny '\bngx_(shmtx_(try|force|un)?lock|slab_(free|alloc_locked|lock))' \
    'hazard 30: a killed worker would hold its lock' $m
deny '\b(ngx_slab_|ngx_shared_memory_add)' \
    'hazard 30: a killed worker would hold its lock' \
    $(echo "$m" | grep -v '/ngx_rbl_meter\.c$')
deny 'json_set_alloc_funcs' 'hazard 32: would concern the whole process' \
    $(echo "$c" | grep -v '^rbl-checkd/')
deny '\b(malloc|calloc|realloc|reallocarray|strn?dup)\(' \
    'only base/xalloc.c allocates, and never returns NULL' \
    $(echo "$d" | grep -v '/base/xalloc')
for f in transfer_set_timer transfer_set_socket; do
    inside "$f" 'curl_multi_(socket_action|perform|add|remove)|_collect\(' \
        'hazard 33: curl is called from inside its callback' \
        rbl-checkd/deliver/transport/transfer.c
done
deny '\bldns_(tcp_|udp_|send|verify|axfr)' \
    'hazard 34: replies are fetched and judged by the engine' $c
need '^ +if \(dns_screen\(' 'hazard 35: only what was screened is taken apart' \
    rbl-checkd/dns/wire.c
deny '#include.*(uv\.h|adapters/(libuv|libevent|poll)\.h)' \
    'hazard 36: libev is the loop' $c
need '^CFLAGS.*-fno-strict-aliasing' "hazard 37: libev's macros want it" \
    Makefile
for f in socket_read; do
    inside "$f" 'while|for \(;;|for \( /\*|goto' \
        'hazard 38: reads without an end' rbl-checkd/dns/udp.c
done

# One reading direction: what is called stands before its caller.  A prototype
# of a static function is for functions that call each other.
for hit in $(awk '
    FNR == 1 { delete proto; open = "" }
    /^static / && /\(/ && !/[={]/ {
        open = $0
        sub(/\(.*/, "", open)
        sub(/.*[ *]/, "", open)
    }
    open != "" && /;$/ { proto[open] = FNR; open = "" ; next }
    open != ""         { next }
    {
        for (name in proto) {
            if ($0 ~ "^" name "\\(") {
                print FILENAME ":" proto[name]
                delete proto[name]
            } else if ($0 ~ "(^|[^A-Za-z0-9_])" name "($|[^A-Za-z0-9_])") {
                delete proto[name]
            }
        }
    }' $(echo "$c" | grep '\.c$'))
do
    say "$hit: nothing needs this prototype"
done

deny '(design|decisions|api-3\.0|dnsbl)\.md|facts/' \
    'the repository explains itself' \
    $(git ls-files 2>/dev/null | grep -v '^t/style\.sh$')

# The README is the front page; details belong to the manual pages (conf/man).
[ "$(wc -l <README.md)" -le 250 ] || say 'README.md: over 250 lines'
deny '\b(whoever|whom|anew|be it|told of|let go|of which|any more)\b' \
    'plain English: subject, verb, object' README.md conf/man/*
deny '\b(time-outs?)\b' 'the word is timeout' README.md conf/man/*
prose="$sources
    $(find t ngx_rbl_module shared conf \
        \( -name '*.t' -o -name '*.p[lm]' -o -name '*.sh' -o -name '*.awk' \
        -o -name '*.service' -o -name '*.conf' -o -name '*.acl' \) \
        ! -path t/style.sh -type f)"
words='[Ww]ho(ever|m)|[Aa]new|lest|let go|be it|of which|any more|[Ss]omebody'
words="$words|[Nn]obody|told of|is told|what it has|time-outs?"
deny_prose "(^|[^A-Za-z@\"])($words)([^A-Za-z@]|\$)" $prose
deny_prose '(^ *(/?[*]|#)|[.] ) (What|Who|Whom|Whose) ' $prose

for hit in $(perl t/names.pl t/*/*.t | cut -d: -f1,2); do
    say "$hit: the name of the assertion is no sentence"
done

# One word, one meaning: words that others have replaced.
w="$d $(echo "$sources" | grep -E '^t/(unit|fuzz)/')"
deny '\b(names_control|health_controls?|CONTROL_[A-Z]+)\b' \
    'the word is test point' $w
deny '_(lies?|LIE|LYING)\b|\b(lies?|lied)_|\blied\b' \
    'the word is wildcarding' $w
deny '\b(check_)?standing_' 'the word is current listing' $w
deny '\btrust_' 'the word is evidence' $w
deny '\b(tally|TALLY|tell|told|[a-z]+_tell)(_|\()' \
    'the words are counters, report, notify, reply' $d
deny '\b(together|TOGETHER)_' 'the word is batch' $w
deny '\b(lanes?|LANE)(_|\b)' 'the word is receiver queue' $w
deny '\b(direct|DIRECT)_' 'the word is first attempt' \
    $(echo "$d" | grep '/deliver/')
deny '\bchecker_t +\*d\b' 'd is a deliver_t' $d
deny '\b(whoever|whom|anew|be it|told of|let go|lest|of which)\b' \
    'plain English: subject, verb, object' $w

# Files that call each other in circles.
circles=$(perl t/house.pl circles | grep 'too many')
[ -z "$circles" ] || say "call circle of $circles"

# The table of the causes of a 429 has every file that answers with one.
table=$(sed -n '/^Where a 429 is decided/,/^A 503/p' ngx_rbl_module/README.md)
for f in $(grep -lE 'TOO_MANY_REQUESTS,|, 429,' ngx_rbl_module/*.c \
    ngx_rbl_module/*/*.c shared/op/*.c | grep -v /stats/)
do
    case "$table" in
    *"\`$f\`"*) ;;
    *) say "$f: not in the table of ngx_rbl_module/README.md, 429" ;;
    esac
done

exit $bad
