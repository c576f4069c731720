# After the two commands: everything works, as a client sees it.
. /root/setup/tap.sh
name=rbl.example.net
netrc=/etc/rbl-checkd/api.netrc

api()
{
    path=$1
    shift
    curl -s -S --netrc-file $netrc "https://$name/3.0/$path" "$@"
}

# portal METHOD CALL BODY: of the page, with its cookies
portal()
{
    curl -s -S -b /tmp/jar -c /tmp/jar -X "$1" \
        -H 'Sec-Fetch-Site: same-origin' -H 'Content-Type: application/json' ${3:+-d "$3"} \
        "https://$name/portal/1/$2"
}

cli()
{
    address=$(sed -n 's/^store unix:\([^ ]*\).*/\1/p' \
        /etc/rbl-checkd/rblctl.conf)
    command -v redis-cli >/dev/null && echo "redis-cli -s $address" \
        || echo "valkey-cli -s $address"
}
store() { REDISCLI_AUTH=$(cat /etc/rbl-checkd/redis.password) $(cli) "$@"; }
has() { pattern=$1; shift; "$@" | tee /dev/stderr | grep -q -E -- "$pattern"; }
links() { sed -n 's/^ *https.*#\/link\///p' /root/setup.out; }
signs_in() { has '"role":"owner"|"account"' portal POST session/start.json \
    "{\"link\":\"$1\"}"; }

for unit in redis-server@rbl valkey-server@rbl; do
    systemctl is-enabled -q $unit 2>/dev/null && break
done
for unit in $unit rbl-checkd nginx rbl-backup.timer; do
    is "$unit runs" systemctl is-active $unit
    is "$unit will run after a boot" systemctl is-enabled $unit
done
is 'no compiler is on this machine' no command -v cc gcc g++ c++ clang make
is 'the store has no TCP port' has '^0$' store CONFIG GET port
is 'nobody enters the store without a password' has NOAUTH env \
    REDISCLI_AUTH= $(cli) PING
is 'each write is on the disk before it is answered' has '^always$' store \
    CONFIG GET appendfsync
is 'the store evicts nothing' has '^noeviction$' store CONFIG GET \
    maxmemory-policy
is 'a host is added over TLS' within has '"id":"HT' api host/add.json -d \
    host=192.0.2.10 -d name=mail -d type=rbl
api check/start.json -d host=192.0.2.10 -d details=1 >/tmp/check.json
check=$(sed -n 's/.*"id":"\(PP[0-9a-f]*\)".*/\1/p' /tmp/check.json)
is 'a manual check completes' within has '"status":"completed"' \
    api "check/status/$check.json?details=1"
is 'the list of this machine has listed the host' \
    has 'dnsbl.demo.ngx-rbl.test' api "check/status/$check.json?details=1"
is 'the portal has its page over TLS' has '<html' curl -s https://$name/portal/
is 'the link of the owner signs in' signs_in "$(links | head -n 1)"
is 'a link signs in once' no signs_in "$(links | head -n 1)"
rm -f /tmp/jar
is 'the link of the operator signs in' signs_in "$(links | tail -n 1)"
rm -f /tmp/jar
is 'the owner asks for a link by mail' has '"status":|{' portal POST \
    session/link.json "{\"mail\":\"owner@$name\"}"
is 'the mail arrives' within grep -q '/link/' /var/mail/owner
mail=$(tr -d '\r' </var/mail/owner | sed -e ':a' -e '/=$/{N;s/=\n//;ba' -e '}')
link=$(echo "$mail" | sed -n 's/.*#\/link\/\(AC[^ ]*\).*/\1/p' | tail -n 1)
is 'the link of the mail begins with the URL of the portal' \
    grep -q "https://$name/portal/#/link/" /var/mail/owner
is 'the link of the mail signs in' signs_in "$link"
is 'a copy of the store is there' sh -c 'ls /var/backups/rbl/rbl-*.rdb'
is 'the copies belong to root alone' sh -c \
    'test "$(stat -c "%U %a" /var/backups/rbl)" = "root 700"'
is 'the token belongs to root alone' sh -c \
    'test "$(stat -c "%U %a" /etc/rbl-checkd/api.netrc)" = "root 600"'
is 'rblctl status is good' within rblctl status
is 'another setup changes nothing' setup 0
is 'another setup does only what it always does' no grep -E \
    '^  done        (write|set|enable|start|restart|reload|add)' /tmp/setup.out
is 'nginx has nothing to complain about' no grep -E '\[(alert|emerg|crit)\]' \
    /var/log/nginx/error.log
plan
