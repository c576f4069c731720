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
        END { if (FNR > 600) print f ": over 600 lines" }' "$f"
done >/tmp/style.$$ 2>&1

while read -r line; do
    say "$line"
done </tmp/style.$$
rm -f /tmp/style.$$

deny() {
    # deny PATTERN WHY FILE...
    pattern=$1 why=$2
    shift 2
    for hit in $(grep -nE "$pattern" "$@" 2>/dev/null | cut -d: -f1,2); do
        say "$hit: $why"
    done
}

c=$(echo "$sources" | grep -v '^t/')
deny '\b(strcpy|strcat|sprintf|gets|system|popen)\(' 'banned call' $c
deny '\bldns_(resolver_[a-z_]+|rr2str|[a-z]+2buffer_str)\(' \
    'banned ldns call' $c
deny '\b(redisCommand|redisConnect|redisGetReply|getaddrinfo|gethostbyname)\(' \
    'would block a worker' $(echo "$c" | grep '^ngx_rbl_module/')
deny '#include.*(ngx_|<ev\.h>|ldns|curl/)' 'shared/ knows nothing of it' \
    $(echo "$c" | grep '^shared/')
deny '#include.*ldns' 'only dns/wire.c includes ldns' \
    $(echo "$c" | grep -v '/dns/wire\.c$')
deny '#include.*curl/' 'only deliver/transfer.c includes curl' \
    $(echo "$c" | grep -v '/deliver/transfer\.c$')
deny '\bredisAsync[A-Z]' 'only the store side speaks to hiredis' \
    $(echo "$c" | grep '^ngx_rbl_module/' | grep -vE 'redis|batch|store')
deny '\bngx_http_finalize_request\(' 'only ngx_rbl_handler.c finalizes' \
    $(echo "$c" | grep '^ngx_rbl_module/' | grep -v 'handler\.c$')

exit $bad
