#!/bin/sh
#
# run.sh BUILD: the whole system on this machine, private, for trying it out.
#
# All files are in run/; the programs listen on sockets there and on 127.0.0.1.
# The environment may change: RUN_DIR (run), RUN_PORT (8080, HTTP),
# RUN_LIST_PORT (15353, the demonstration lists), RUN_MAIL_PORT (12525, the mail
# server, which shows mails and sends none on), RUN_OFFLINE (1: no query
# leaves this machine; all lists but the demonstration are unknown), RUN_SAMPLE
# (1: a second account with 2,150 hosts and sixty days of listings), RUN_GATEWAY
# (manual: the account pays for its plan, and you book its payments), and for a
# module with a sanitizer RUN_NGINX (another nginx) or RUN_PRELOAD (LD_PRELOAD
# of nginx).  Ends by Ctrl-C, and then stops each process that it started.

set -eu

build=$(cd -- "${1:?usage: run.sh BUILD}" && pwd)
conf=$(cd -- "$(dirname -- "$0")" && pwd)
http=${RUN_PORT:-8080}
list=${RUN_LIST_PORT:-15353}
mail=${RUN_MAIL_PORT:-12525}
gateway=${RUN_GATEWAY:-none}
PATH=$PATH:/usr/sbin:/sbin
export PATH
unset RBL_STORE


die()
{
    echo "make run: $*" >&2
    exit 1
}


# --- checks before the start -------------------------------------------------

case $gateway in
none | manual) ;;
*) die "RUN_GATEWAY=$gateway: manual tries billing, none does without" ;;
esac

for program in redis-server redis-cli nginx rbldnsd curl perl setsid
do
    command -v $program >/dev/null || die "$program is missing: make deps"
done

/usr/bin/python3 -c 'import aiosmtpd' 2>/dev/null \
    || die "python3-aiosmtpd is missing: make deps"

for file in rblctl rbl-checkd ngx_rbl_module.so portal/index.html; do
    [ -e "$build/$file" ] || die "$build/$file is missing: make"
done

mkdir -p "${RUN_DIR:-run}"
run=$(cd -- "${RUN_DIR:-run}" && pwd)

case $run in
*[!A-Za-z0-9/_.+@%=:-]*)
    die "$run: servers cannot use a directory with such a name; RUN_DIR=..." \
        "takes another" ;;
esac

store=$run/store.sock
[ ${#store} -le 100 ] \
    || die "$run: the name is too long for a socket; RUN_DIR=... takes another"

if [ -s "$run/pid" ] \
    && grep -aq run.sh "/proc/$(cat "$run/pid")/cmdline" 2>/dev/null
then
    die "it is running already, as process $(cat "$run/pid")"
fi

# Binds each port for a moment; prints the first that is taken.
taken=$(perl -MIO::Socket::INET -e '
    for (@ARGV) {
        my ($proto, $port) = split /:/;
        IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $port,
            Proto => $proto, ReuseAddr => 1,
            $proto eq "tcp" ? (Listen => 1) : ()) and next;
        print "$_ ($!)";
        last;
    }' "tcp:$http" "udp:$list" "tcp:$mail")

case $taken in
'') ;;
*:"$http "*) die "port $taken of 127.0.0.1 cannot be used: RUN_PORT=8081" \
                 "make run takes another" ;;
*:"$mail "*) die "port $taken of 127.0.0.1 cannot be used:" \
                 "RUN_MAIL_PORT=12526 make run takes another" ;;
*)           die "port $taken of 127.0.0.1 cannot be used:" \
                 "RUN_LIST_PORT=15354 make run takes another" ;;
esac


# --- starting and stopping ---------------------------------------------------

names=
follow=                         # tail and sleep
nap=

# start NAME COMMAND...: in a separate session, so that only this script gets
# Ctrl-C; it then stops the programs in order.
start()
{
    name=$1
    shift
    setsid "$@" >>"$run/log/$name.log" 2>&1 </dev/null &
    eval "pid_$name=$!"
    names="$name $names"
}


alive()
{
    eval "kill -0 \$pid_$1" 2>/dev/null
}


pause()
{
    perl -e 'select undef, undef, undef, 0.1'
}


# stop NAME: TERM, up to 15 seconds, then KILL.
stop()
{
    eval "pid=\$pid_$1"
    kill -TERM "$pid" 2>/dev/null || :
    tries=0
    while kill -0 "$pid" 2>/dev/null; do
        tries=$((tries + 1))
        if [ $tries -eq 150 ]; then
            echo "make run: $1 does not stop and is killed" >&2
            kill -KILL "$pid" 2>/dev/null || :
            break
        fi
        pause
    done
    wait "$pid" 2>/dev/null || :
}


finish()
{
    status=$?
    trap '' INT TERM HUP
    trap - EXIT
    for pid in $follow $nap; do
        kill "$pid" 2>/dev/null || :
    done
    for name in $names; do
        stop "$name"
    done
    rm -f "$run/pid"
    [ -z "$names" ] || echo "make run: stopped; its data stays in $run"
    exit $status
}


# ready NAME SECONDS COMMAND...: waits until the command is true.
ready()
{
    name=$1
    tries=$(($2 * 10))
    shift 2
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        if ! alive "$name" || [ $tries -le 0 ]; then
            tail -n 5 "$run/log/$name.log" >&2
            die "$name does not start; its log is $run/log/$name.log"
        fi
        pause
    done
}


logged()
{
    tail -n +"$3" "$run/log/$1.log" | grep -q -- "$2"
}


# First line of a log that is yet to be written.
mark()
{
    [ -e "$run/log/$1.log" ] || : >"$run/log/$1.log"
    echo $(($(wc -l <"$run/log/$1.log") + 1))
}


# --- configuration -----------------------------------------------------------

umask 022
mkdir -p "$run/log" "$run/store" "$run/dns" "$run/nginx"
chmod 700 "$run/store"
chmod 755 "$run/dns"
echo $$ >"$run/pid"
trap finish EXIT
trap 'exit 0' INT TERM HUP

for zone in dnsbl4 dnsbl6 uribl; do
    # Changes made by hand are kept.
    [ -e "$run/dns/$zone.zone" ] || cp "$conf/demo/$zone.zone" "$run/dns/"
    chmod 644 "$run/dns/$zone.zone"
done

# The sample is made once; what it made is shown by each later run.
sample=
if [ "${RUN_SAMPLE:-0}" != 0 ] && [ ! -e "$run/sample" ]; then
    [ ! -e "$run/dns/traps.zone" ] \
        || die "the sample in $run is not complete; RUN_DIR=... takes another"
    perl "$conf/demo/sample.pl" zones "$run/dns"
    sample=new
fi

zones="dnsbl.demo.ngx-rbl.test:ip4set:dnsbl4.zone
dnsbl.demo.ngx-rbl.test:ip6trie:dnsbl6.zone
uribl.demo.ngx-rbl.test:dnset:uribl.zone"

if [ -e "$run/dns/traps.zone" ]; then
    for zone in traps bots attacks policy; do
        zones="$zones $zone.demo.ngx-rbl.test:ip4set:$zone.zone"
    done
    for zone in traps attacks; do
        zones="$zones $zone.demo.ngx-rbl.test:ip6trie:${zone}6.zone"
    done
    for zone in links hacked; do
        zones="$zones $zone.demo.ngx-rbl.test:dnset:$zone.zone"
    done
fi

# As root, the servers change to another user, or stay root so that they can
# read run/.
if [ "$(id -u)" = 0 ]; then
    nginx_user='user root;'
    dns_user=$(id -un rbldns 2>/dev/null || echo nobody)
    set -- -u "$dns_user" -r "$run/dns" -w /
else
    nginx_user=
    set -- -w "$run/dns"
fi

# rbldnsd serves only its own lists, and refuses others.
resolver=
[ "${RUN_OFFLINE:-0}" = 0 ] || resolver="resolver 127.0.0.1@$list"

cat >"$run/rbl-checkd.conf" <<CONF
store unix:$store
log stderr
log_level info
$resolver

# Short, so that a list that cannot be reached does not hold up the others'
# answers for long; rbl-checkd.conf has patient defaults.
dns_timeout 1200ms
dns_tries 2
check_timeout 3500ms

# For trying out callbacks and webhooks on this machine.
deliver_http on
deliver_allow 127.0.0.0/8

smtp_url smtp://127.0.0.1:$mail
smtp_from blocklists@demo.ngx-rbl.test
digest_window 5s
portal_url http://localhost:$http/portal/

gateway $gateway
bill_plans $conf/plans.json
CONF

portal=http://localhost:$http/portal/
sed -e '/rbl_store_/d' -e '/limit_req/d' -e "s|root /usr/share/ngx_rbl;|root $build;|" \
    -e "s|#rbl_portal_url .*|rbl_portal_url $portal;|" \
    "$conf/nginx-portal.conf" >"$run/nginx/portal.conf"

cat >"$run/nginx/nginx.conf" <<CONF
load_module $build/ngx_rbl_module.so;
$nginx_user
daemon off;
worker_processes 2;
worker_shutdown_timeout 5s;
pid $run/nginx/nginx.pid;
lock_file $run/nginx/nginx.lock;
error_log $run/log/nginx.log notice;
events {
    worker_connections 512;
}
http {
    include /etc/nginx/mime.types;
    access_log $run/log/access.log;
    client_body_temp_path $run/nginx/body;
    proxy_temp_path $run/nginx/proxy;
    fastcgi_temp_path $run/nginx/fastcgi;
    uwsgi_temp_path $run/nginx/uwsgi;
    scgi_temp_path $run/nginx/scgi;
    rbl_zone rbl 1m;
    server {
        listen 127.0.0.1:$http;
        gzip on;
        gzip_min_length 1000;
        gzip_types application/json application/xml;
        gzip_proxied any;
        rbl_store unix:$store;
        location /3.0/ {
            rbl_api on;
        }
        include $run/nginx/portal.conf;
        location /mails/ {
            root $run;
            add_header Cache-Control no-store;
            add_header Content-Security-Policy "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; sandbox allow-popups allow-popups-to-escape-sandbox";
        }
        location = /rbl_status {
            rbl_status json;
            access_log off;
            allow 127.0.0.1;
            deny all;
        }
    }
}
CONF


# --- the servers -------------------------------------------------------------

rblctl()
{
    "$build/rblctl" -c "$run/rbl-checkd.conf" "$@"
}

# PONG, not LOADING
redis_answers()
{
    [ "$(redis-cli -s "$store" PING)" = PONG ]
}


echo "make run: starting the store, the lists, a mail server, the daemon, nginx"

# A machine without the Internet may need seconds to notice it.
online=
[ "${RUN_OFFLINE:-0}" != 0 ] || {
    perl -e 'alarm 3; exit !gethostbyname("a.root-servers.net")' &
    online=$!
}

start redis redis-server --port 0 --unixsocket "$store" \
    --unixsocketperm 700 --dir "$run/store" --appendonly yes \
    --appendfsync always --save '' --daemonize no

first=$(mark rbldnsd)
start rbldnsd rbldnsd -n "$@" -c 5 -b "127.0.0.1/$list" $zones
ready rbldnsd 10 logged rbldnsd 'started (' "$first"

ready redis 60 redis_answers
{ rblctl init && rblctl upgrade; } >/dev/null \
    || die "$run/store cannot be used; RUN_DIR=... takes another directory"
rblctl lists load "$conf/lists.json" >/dev/null
rblctl lists load "$conf/demo/lists.json" >/dev/null
server()
{
    rblctl lists override "$1.demo.ngx-rbl.test" --server "127.0.0.1@$2" \
        >/dev/null
}
for zone in dnsbl uribl; do
    server $zone "$list"
done
if [ -e "$run/dns/traps.zone" ]; then
    rblctl lists load "$conf/demo/sample.json" >/dev/null
    for zone in traps bots attacks policy links hacked; do
        server $zone "$list"
    done
    server silent 9
fi

first=$(mark mails)
start mails /usr/bin/python3 "$conf/demo/mails.py" "$mail" "$run/mails"
ready mails 20 logged mails '^ready' "$first"

# nginx opens its log itself; its earlier output goes to the same file.
set -- "${RUN_NGINX:-nginx}"
[ -z "${RUN_PRELOAD:-}" ] || set -- env "LD_PRELOAD=$RUN_PRELOAD" "$@"
start nginx "$@" -p "$run/nginx/" -e "$run/log/nginx.log" \
    -c "$run/nginx/nginx.conf"
ready nginx 15 curl -s -o /dev/null "http://127.0.0.1:$http/3.0/hosts.json"


# --- the account -------------------------------------------------------------

# value NAME: a string member of the output of rblctl --json
value()
{
    sed -n 's/^ *"'"$1"'": "\([^"]*\)",*$/\1/p'
}

if [ -s "$run/account" ]; then
    . "$run/account"
    rblctl account show "$SID" >/dev/null 2>&1 || rm -f "$run/account"
fi

if [ ! -s "$run/account" ]; then
    SID=$(rblctl account add Demonstration --plan Business \
          --file "$conf/plans.json" --json | value id)
    app=$(rblctl app add "$SID" Demonstration --json)
    TOKEN=$(printf '%s\n' "$app" | value token)
    (
        umask 077
        printf 'SID=%s\nTOKEN=%s\nSECRET="%s"\n' "$SID" "$TOKEN" \
            "$(printf '%s\n' "$app" | value secret)" >"$run/account.new"
        mv "$run/account.new" "$run/account"
    )
fi

# --- the sample --------------------------------------------------------------

# Its past is made before the daemon is there.
if [ -n "$sample" ]; then
    echo "make run: the sample: sixty days of 2,150 hosts"
    id=$(rblctl account add "Example Hosting" --paid --max-hosts 5000 \
         --interval 15m --json | value id)
    key=$(rblctl app add "$id" Inventory --json | value token)
    perl "$conf/demo/sample.pl" past "http://127.0.0.1:$http/3.0" "$id" "$key" \
        "$store" "$build" || die "there is no sample"
fi

first=$(mark checkd)
start checkd "$build/rbl-checkd" -c "$run/rbl-checkd.conf"
ready checkd 15 logged checkd ' ready' "$first"

# nginx reads every few seconds whether a daemon is at work.
at_work()
{
    curl -s "http://127.0.0.1:$http/rbl_status" >"$run/status" \
        && grep -q '"verdict"' "$run/status" \
        && ! grep -q '"no_daemon"' "$run/status"
}
ready nginx 30 at_work

# link ACCOUNT MAIL: a new link for each run, of a user who is made by the first
link()
{
    user=$(rblctl user list "$1" --json | value id | head -n 1)
    if [ -n "$user" ]; then
        rblctl user link "$1" "$user" --url "$portal" --json | value link
    else
        rblctl user add "$1" "$2" --role owner --url "$portal" --json \
            | value link
    fi
}

if [ -n "$sample" ]; then
    link "$id" owner@example.com >/dev/null
    perl "$conf/demo/sample.pl" now "http://127.0.0.1:$http/3.0" "$id" "$key" \
        "$store" "$build" "$run" || die "there is no sample"
    rblctl operator add operator@demo.ngx-rbl.test --role owner >/dev/null
    echo "$id" >"$run/sample"
fi

sample=
if [ -s "$run/sample" ]; then
    user=$(rblctl operator list --json | value id | head -n 1)
    sample="
The sample, Example Hosting: its owner, and an operator, sign in by

$(link "$(cat "$run/sample")" owner@example.com)
$(rblctl operator link "$user" --url "$portal" --json | value link)

"
fi


# --- the account of the demonstration ----------------------------------------

# A profile beside the default one: all system lists but one, and those
# that come later.
if [ "$(rblctl profile list "$SID" --json | value id | wc -l)" -lt 2 ]; then
    rblctl profile add "$SID" "All but one" --except dnsbl-3.uceprotect.net \
        >/dev/null
fi

link=$(link "$SID" owner@demo.ngx-rbl.test)

# A maintenance window, which mutes all contacts.
mute=$(rblctl mute list "$SID" --json | value id | head -n 1)
if [ -z "$mute" ]; then
    rblctl mute add "$SID" never "Backups" --repeat "weekly sat,sun 02:00" \
        --minutes 90 >/dev/null
fi

# The payment that waits for the operator, if there is one.
payment()
{
    rblctl bill list --state open --json | value id | head -n 1
}

opened()
{
    [ -n "$(payment)" ]
}

billing=
if [ "$gateway" = manual ]; then
    if ! rblctl bill show "$SID" >/dev/null 2>&1; then
        rblctl bill plan "$SID" Business >/dev/null
        ready checkd 20 opened
    fi
    ctl="$build/rblctl -c $run/rbl-checkd.conf"
    py=$(payment)
    billing="
The account pays for its plan, and the operator books that by hand.  The portal
has the page of the owner (Billing).  Lines of the operator:

$ctl bill list
${py:+$ctl bill paid $SID $py --reference invoice-1
}$ctl bill show $SID
$ctl bill ledger $SID

Then a plan that is paid by the check, from a balance:

$ctl bill plan $SID \"By the check\" --now
$ctl bill topup $SID 10.00 --reference invoice-2
"
fi

lists='Those that do not answer this machine are "unknown", and
the log below says why.'
if [ -z "$online" ]; then
    lists='RUN_OFFLINE keeps all queries on this machine: they are "unknown".'
elif ! wait $online; then
    lists='This machine cannot look up names of the Internet
(a.root-servers.net): they are all "unknown" until it can.'
    printf '\nmake run: no Internet: only the demonstration lists answer\n'
fi

url=http://127.0.0.1:$http/3.0
curl="curl -s -u $SID:$TOKEN"

cat <<TEXT

  account  $SID
  token    $TOKEN
  (both, and the secret that signs callbacks, are in $run/account)

Open the portal; this link signs you in once, within 15 minutes:

$link

${sample}Or try, in another terminal:

$curl $url/host/add.json -d host=192.0.2.10 -d name=mail -d type=rbl
$curl $url/listings.json
$curl $url/listings.nagios
$curl $url/listings.xml
$curl $url/check/start.json -d host=198.51.100.7 -d details=1

The last one gives an id: $url/check/status/<id>.json?details=1

All mails come to http://localhost:$http/mails/ and go no further: sign in as
owner@demo.ngx-rbl.test by a mailed link, or add an e-mail contact.

192.0.2.10 is on the list dnsbl.demo.ngx-rbl.test, which runs here.  The other
lists are on the Internet.  $lists
Which they are: $build/rblctl -c $run/rbl-checkd.conf lists show
Whether all is well: $build/rblctl -c $run/rbl-checkd.conf status
$billing
Ctrl-C stops everything.

TEXT


# --- until Ctrl-C ------------------------------------------------------------

tail -q -n 0 -F "$run/log/checkd.log" "$run/log/nginx.log" \
    "$run/log/access.log" 2>/dev/null &
follow=$!

while :; do
    sleep 1 &
    nap=$!
    wait $nap
    for name in $names; do
        alive "$name" && continue
        tail -n 5 "$run/log/$name.log" >&2
        die "$name has ended; its log is $run/log/$name.log"
    done
done
