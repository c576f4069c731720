#!/bin/sh
# Builds and runs the containers of a folder that `make container` made.
# usage: container.sh FOLDER [DIR]
#
# With an engine, `docker compose` or `podman compose` does it.  Without one,
# container.py does the same steps in namespaces, from a root of debootstrap,
# and needs root.  Debian's packages come from the network (MIRROR).  At the end
# all containers and volumes are removed, and without DIR also the root.  KEEP=1
# leaves the directory.
set -eu

here=$(cd -- "$(dirname -- "$0")" && pwd)
top=$(cd -- "$here/../.." && pwd)


die()
{
    echo "container.sh: $*" >&2
    exit 1
}


. "$here/root.sh"


from=$(cd -- "${1:?usage: container.sh FOLDER [DIR]}" && pwd)
dir=${2:-$(mktemp -d "${TMPDIR:-/tmp}/rbl-container.XXXXXX")}
mkdir -p -- "$dir"
dir=$(cd -- "$dir" && pwd)
work=$dir/work
v6=fd5e:83a1:c20f:1                     # the network of the daemon
dns=
n=0
bad=0

if [ -z "${RBL_ENGINE-}" ]; then
    RBL_ENGINE=
    for name in docker podman; do
        if $name info >/dev/null 2>&1 && $name compose version >/dev/null 2>&1
        then
            RBL_ENGINE=$name
            break
        fi
    done
fi


# The engine's command, or ours.
compose()
{
    if [ -n "$RBL_ENGINE" ]; then
        (cd -- "$work" && "$RBL_ENGINE" compose "$@")
    else
        /usr/bin/python3 "$here/container.py" "$work" "$@"
    fi
}


up()
{
    if [ -n "$RBL_ENGINE" ]; then
        compose up -d --wait
    else
        compose up
    fi
}


# --- the image ---------------------------------------------------------------

if [ -z "${RBL_INSIDE-}" ]; then
    rm -rf --one-file-system -- "$work" "$work.state"
    cp -a -- "$from" "$work"
    echo "# in $dir with ${RBL_ENGINE:-namespaces}"

    if [ -n "$RBL_ENGINE" ]; then
        compose build
    else
        [ "$(id -u)" = 0 ] || die 'this takes root'
        suite=$(sed -n 's/^ARG SUITE=//p' "$work/Containerfile")
        root_make "$suite" "$dir" ca-certificates
        # what root_make has for this machine does not belong into an image
        compose build "$dir/root" >"$dir/build.log" 2>&1 \
            || { tail -n 20 "$dir/build.log"; die "see $dir/build.log"; }

        # A network of its own, with nothing but the containers.
        RBL_INSIDE=1
        export RBL_INSIDE RBL_ENGINE
        exec unshare --net --mount --propagation private -- \
            sh "$0" "$from" "$dir"
    fi
fi

[ -n "$RBL_ENGINE" ] || ip link set lo up


finish()
{
    status=$?
    trap - EXIT INT TERM
    [ -z "$dns" ] || kill "$dns" 2>/dev/null || :
    if [ -n "$RBL_ENGINE" ]; then
        compose down --volumes >/dev/null 2>&1 || :
    else
        compose down >/dev/null 2>&1 || :
    fi
    if [ -z "${KEEP-}" ]; then
        rm -rf --one-file-system -- "$work" "$work.state"
        [ $status != 0 ] || rm -rf --one-file-system -- "$dir"
    fi
    exit $status
}

trap finish EXIT
trap 'exit 1' INT TERM


# --- checks ------------------------------------------------------------------

# is WHAT COMMAND...: one line of TAP
is()
{
    what=$1
    shift
    n=$((n + 1))
    if "$@" >"$dir/is.out" 2>&1; then
        echo "ok $n - $what"
    else
        echo "not ok $n - $what"
        sed 's/^/# /' "$dir/is.out"
        bad=$((bad + 1))
    fi
}

no() { ! "$@"; }
within() { i=0; until "$@"; do i=$((i + 1)); [ $i -lt 60 ] || return 1; sleep 1
    done; }

# shell SERVICE LINE: in the container of that service
shell() { compose exec -T "$1" sh -c "$2"; }
rblctl() { compose run --rm -T rblctl "$@"; }
operators() { compose run --rm -T --entrypoint cat rblctl \
    "/var/lib/rbl/operator/$1"; }

# api CALL ARGUMENT...: by the token; has PATTERN CALL...: its answer
api() { call=$1; shift; curl -gs --netrc-file "$dir/netrc" "$@" \
    "http://$name:8080/3.0/$call"; }
has() { want=$1; shift; api "$@" >"$dir/answer"; said "$want"; }
said() { grep -e "$1" "$dir/answer" \
    || { head -c 1000 "$dir/answer"; return 1; }; }
hosts='hosts.json?page_size=1000'
add() { has '"status_code":200' host/add.json -d host="$1" -d name="$1" \
    -d type=rbl; }
code() { curl -gs -o /dev/null -w '%{http_code}' "$@"; }

# counted NUMBER COMMAND...: so many objects in its JSON
counted() { want=$1; shift; test "$(rblctl "$@" --json | grep -c '"id": ')" \
    = "$want"; }

# edited FILE SED: the lines that an operator changes
edited() { sed -i "$2" "$work/$1"; }
again() { compose down && up; }


# --- the first start ---------------------------------------------------------

name=localhost
echo 'RBL_OWNER=owner@example.org' >"$work/.env"
is 'all containers become healthy' up
[ $bad = 0 ] || exit 1
touch "$dir/started"
operators api.netrc >"$dir/token"
sed 's/machine [^ ]*/default/' "$dir/token" >"$dir/netrc"
SID=$(awk '{ print $4; exit }' "$dir/token")
is 'the token is for the address that the port is published at' \
    grep -q '^machine localhost login AC' "$dir/token"
name=127.0.0.1
is 'the API answers over IPv4' has '"total_hosts":0' hosts.json
name='[::1]'
is 'the API answers over IPv6' has '"total_hosts":0' hosts.json
name=localhost
is 'a stranger is refused' \
    test "$(code http://localhost:8080/3.0/hosts.json)" = 401
is 'the page of the portal is there' \
    test "$(code http://localhost:8080/portal/)" = 200
is 'the counters are not for strangers' \
    test "$(code http://localhost:8080/rbl_status)" = 404

# signs_in URL ARGUMENT...: the link in $link does
signs_in()
{
    url=$1
    shift
    curl -gs "$@" -H "Origin: ${url%/}" -H 'Content-Type: application/json' \
        -d "{\"link\":\"${link##*/link/}\"}" \
        "${url}portal/1/session/start.json" >"$dir/answer"
    said '"status_code":200'
}
link=$(compose logs setup | sed -n 's/.*\(http:.*#\/link\/[^ ]*\).*/\1/p')
is 'the link of the owner is in the log of setup' test -n "$link"
is 'it signs in, over the port for a proxy' signs_in http://localhost:8080/


# --- a check -----------------------------------------------------------------

# The list of the demonstration, at the address that the daemon's network has
# here; no other list can be reached without an engine.
cp -- "$top/conf/demo/dnsbl4.zone" "$dir/"
chmod 755 "$dir"
rbldnsd -n -b "$v6::1/15353" -r "$dir" -w / -u "$(id -un rbldns 2>/dev/null \
    || echo nobody)" dnsbl.demo.ngx-rbl.test:ip4set:dnsbl4.zone \
    >"$dir/rbldnsd.log" 2>&1 &
dns=$!
lists() { rblctl lists load /dev/stdin <"$top/conf/demo/lists.json"; }
is 'rblctl reads a catalogue' lists
is 'rblctl changes a list' rblctl lists override dnsbl.demo.ngx-rbl.test \
    --server "$v6::1@15353"
verdict() { rblctl status >"$dir/answer" || [ $? -le 2 ]; }
is 'rblctl says how the service is' verdict
is 'a host is added' add 192.0.2.10
# checked: a check is accepted and completes
checked()
{
    has '"status":"queued"' check/start.json -d host=192.0.2.10 -d details=1 \
        || return 1
    PP=$(sed -n 's/.*"id":"\(PP[0-9a-f]*\)".*/\1/p' "$dir/answer")
    within has '"status":"completed"' "check/status/$PP.json"
}
# finds: a check finds the listing; the daemon looks at the lists once a second
finds()
{
    for try in 1 2 3; do
        checked && has \
            '"host":"dnsbl.demo.ngx-rbl.test"[^}]*"status":"listed"' \
            "check/status/$PP.json?details=1" && return
    done
    return 1
}
is 'a check completes' checked
is 'a check finds the listing of the list at an IPv6 address' finds


# --- rights ------------------------------------------------------------------

for on in store checkd nginx; do
    is "$on: no process is root or has a capability" shell $on '
        for p in /proc/[0-9]*; do
            grep -q "^Uid:	10001	10001	10001	10001$" $p/status || exit 1
            ! grep -E "^Cap(Inh|Prm|Eff|Bnd|Amb):.*[1-9a-f]" $p/status \
                || exit 1
            grep -q "^NoNewPrivs:	1$" $p/status || exit 1
        done'
    is "$on: its root is read-only" no shell $on 'touch /etc/x || touch /x'
done
is 'the store has no network' shell store \
    '! grep -v -e lo: -e "|" /proc/net/dev'
is 'the store listens at no port' shell store \
    '! grep -E "^ *[0-9]+:" /proc/net/tcp /proc/net/tcp6'
is 'nginx has the passwords of nginx alone' shell nginx \
    'test "$(cd /var/lib/rbl && ls checkd operator store nginx | xargs)" = \
     "checkd: nginx: rbl-api rbl-portal operator: store:"'
is 'the daemon has the password of the daemon alone' shell checkd \
    'test "$(cd /var/lib/rbl && ls checkd operator store nginx | xargs)" = \
     "checkd: rbl-checkd nginx: operator: store:"'
is 'passwords are readable by their user alone' shell store \
    'test -z "$(find /var/lib/rbl -type f -perm /077)"'
is 'no client enters without a password' shell store \
    'redis-cli -s /var/lib/rbl/socket/redis.sock PING 2>&1 | grep NOAUTH'


# --- restarts ----------------------------------------------------------------

is 'everything starts again' again
is 'the data are there, and the token counts' \
    has '"host":"192.0.2.10"' "$hosts"
cp -- "$dir/token" "$dir/token.before"
operators api.netrc >"$dir/token"
is 'the token is the same' cmp "$dir/token.before" "$dir/token"
is 'there is one account' counted 1 account list
is 'there is one application' counted 1 app list "$SID"
is 'there is one user' counted 1 user list "$SID"
is 'the link is not shown again' no sh -c "echo '$(compose logs setup \
    | tail -n 1)' | grep '/link/'"

# Hosts whose addition was acknowledged, while Redis is killed.
writes()
{
    i=0
    : >"$dir/added"
    while [ $i -lt 250 ] && [ ! -e "$dir/stop" ]; do
        i=$((i + 1))
        api host/add.json -d host="198.51.100.$i" -d name="$i" -d type=rbl \
            | grep -q '"status_code":200' && echo "198.51.100.$i"
    done >"$dir/added"
}
rm -f "$dir/stop"
writes 2>/dev/null &
writer=$!
is 'hosts are added' within sh -c "test \$(wc -l <$dir/added) -gt 20"
compose kill -s KILL store
sleep 2
is 'Redis is killed and comes back' up
: >"$dir/stop"
wait $writer || :
api "$hosts" >"$dir/hosts"
is "all $(wc -l <"$dir/added") acknowledged writes are there" sh -c \
    "test -s $dir/added && while read -r host; do
         grep -q \"\\\"host\\\":\\\"\$host\\\"\" $dir/hosts || exit 1
     done <$dir/added"
for on in checkd nginx; do
    compose kill -s KILL $on
    is "$on is killed and comes back" up
done
is 'the API answers as before' within has '"host":"192.0.2.10"' "$hosts"
is 'the store is consistent' rblctl fsck --user rblctl-fsck \
    --password-file /var/lib/rbl/operator/rblctl-fsck


# --- backup ------------------------------------------------------------------

backup() { compose exec -T store start.sh backup >"$dir/rbl.rdb"; }
restore() { compose run --rm -T store restore <"$1"; }
is 'a backup' backup
is 'a host is added after it' add 203.0.113.77
compose down >/dev/null 2>&1
is 'what is no backup is refused' no restore "$dir/token"
is 'and changes nothing' up
is 'the host is still there' has '"host":"203.0.113.77"' "$hosts"
compose down >/dev/null 2>&1
is 'the backup is restored' restore "$dir/rbl.rdb"
is 'it starts with it' up
is 'restored' rblctl restored
is 'the store is as it was' has '"host":"192.0.2.10"' "$hosts"
is 'what was added later is gone' no has '"host":"203.0.113.77"' "$hosts"
is 'a write after the restore' add 203.0.113.78
is 'a start after that' again
is 'it is kept' has '"host":"203.0.113.78"' "$hosts"
is 'no right is missing' shell store \
    'export REDISCLI_AUTH=$(cat /tmp/default)
     redis-cli -s /var/lib/rbl/socket/redis.sock ACL LOG \
     | { ! grep -E "rbl-api|rbl-portal|rbl-checkd|rblctl"; }'


# --- choices -----------------------------------------------------------------

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
    -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout "$work/tls/privkey.pem" -out "$work/tls/fullchain.pem" 2>/dev/null
chown 10001 "$work/tls/privkey.pem"
edited nginx.conf 's/#\(listen .*8443\|ssl_certificate\)/\1/'
edited compose.yaml 's/#- "443:8443"/- "8443:8443"/'
echo secret >"$work/smtp.password"
chown 10001 "$work/smtp.password"
chmod 400 "$work/smtp.password"
edited rbl-checkd.conf 's/^#smtp_/smtp_/'
edited compose.yaml 's/^\( *\)#\(secrets:\|  *- smtp_password\)/\1\2/
    s/^#\(  *smtp_password:\|  *file: .*\)/\1/'
is 'TLS and a mail server' again
for ip in 127.0.0.1 ::1; do
    is "TLS at $ip" test "$(code --cacert "$work/tls/fullchain.pem" \
        --connect-to "localhost:8443:[$ip]:8443" \
        https://localhost:8443/portal/)" = 200
done
user=$(rblctl user list "$SID" --json | sed -n 's/.*"id": "\(.*\)".*/\1/p')
link=$(rblctl user link "$SID" "$user" --json \
    | sed -n 's/.*"link": "\(.*\)".*/\1/p')
is 'another link signs in over TLS' signs_in https://localhost:8443/ \
    --cacert "$work/tls/fullchain.pem"
is 'the daemon reads the secret' shell checkd \
    'rbl-checkd -t && test "$(cat /run/secrets/smtp_password)" = secret'
is 'nginx does not have it' shell nginx '! test -e /run/secrets'


# --- a setup that is killed --------------------------------------------------

if [ -n "$RBL_ENGINE" ]; then
    compose down --volumes
else
    compose down
    rm -rf --one-file-system -- "$work.state/volumes"
fi >/dev/null 2>&1
mv -- "$work/.env" "$dir/env"
is 'empty volumes' up
mv -- "$dir/env" "$work/.env"
as='RBL_ACCOUNT=Second RBL_OWNER=owner@example.org RBL_URL=http://localhost/'
for part in 03 06 10 15 20 30 40 60 80; do
    shell store "rm -f /var/lib/rbl/operator/api.netrc
        env $as timeout -s KILL 0.$part start.sh setup" >/dev/null 2>&1 || :
done
is 'a setup that was killed goes on' shell store "env $as start.sh setup"
SID=$(operators api.netrc | awk '{ print $4; exit }')
is 'it made one account' counted 2 account list
is 'one application' counted 1 app list "$SID"
is 'one user' counted 1 user list "$SID"

[ -n "$RBL_ENGINE" ] || is 'nothing was written into the image' \
    test -z "$(find "$work.state/image" -xdev -newer "$dir/started" \
        ! -path '*/proc/*' | head)"

echo "1..$n"
[ $bad = 0 ]
