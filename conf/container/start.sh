#!/bin/sh
# Entry point of the containers of compose.yaml.
# usage: start.sh store | setup | checkd | nginx | backup | restore
#        start.sh health store | checkd | nginx
#
# store, checkd, nginx: the server, which replaces this script.  setup: schema,
# lists, account, token and owner, as far as they are missing.  backup: the data
# to standard output, in the container of the store.  restore: data from
# standard input, while the store is stopped.  health: exit status 0 if the
# server is well.
set -eu
umask 077

lib=/var/lib/rbl
socket=$lib/socket/redis.sock


die()
{
    echo "start.sh: $*" >&2
    exit 1
}


# --- the store ---------------------------------------------------------------

# password USER FILE: the file of a password, which is made if it is missing;
# then the user is on in the ACL.
password()
{
    if [ ! -s "$2" ]; then
        head -c 32 /dev/urandom | sha256sum | cut -c -64 >"$2.new"
        mv -- "$2.new" "$2"
    fi
    hash=$(head -n 1 "$2" | tr -d '\n' | sha256sum | cut -c -64)
    sed -i "s/^user $1 off /user $1 on #$hash /" /tmp/rbl.acl
}


# The operator of Redis itself has a new password at each start.
store()
{
    cat -- /usr/share/rbl-checkd/redis-rbl.acl >/tmp/rbl.acl
    password default /tmp/default
    password rbl-api "$lib/nginx/rbl-api"
    password rbl-portal "$lib/nginx/rbl-portal"
    password rbl-checkd "$lib/checkd/rbl-checkd"
    password rblctl "$lib/operator/rblctl"
    password rblctl-fsck "$lib/operator/rblctl-fsck"

    cat >/tmp/redis.conf <<CONF
port 0
unixsocket $socket
unixsocketperm 700
dir $lib/store
appendonly yes
appendfsync always
save ""
maxmemory ${STORE_MEMORY:-512mb}
maxmemory-policy noeviction
include /tmp/rbl.acl
CONF
    exec redis-server /tmp/redis.conf
}


# redis USER FILE ARGUMENT...: redis-cli with the password of that file
redis()
{
    user=$1
    REDISCLI_AUTH=$(head -n 1 "$2")
    export REDISCLI_AUTH
    shift 2
    redis-cli -s "$socket" --user "$user" "$@"
}


# By a file: to standard output redis-cli writes the mark of the end of the
# transfer, too, and Redis does not load data with that behind them.
backup()
{
    file=$lib/store/backup.rdb
    redis default /tmp/default --rdb "$file" >&2
    cat -- "$file"
    rm -f -- "$file"
}


# The data become the base of the append-only file, since Redis reads no dump
# file if it has one of those.
restore()
{
    new=$lib/store/restore
    rm -rf -- "$new"
    mkdir -- "$new"
    cat >"$new/appendonly.aof.1.base.rdb"
    redis-check-rdb "$new/appendonly.aof.1.base.rdb" >&2 \
        || die 'standard input is no backup; the data are as they were'
    echo 'file appendonly.aof.1.base.rdb seq 1 type b' \
        >"$new/appendonly.aof.manifest"
    sync
    rm -rf -- "$lib/store/appendonlydir"
    mv -- "$new" "$lib/store/appendonlydir"
}


# --- setup -------------------------------------------------------------------

# member NAME: the values of that member in the output of rblctl --json
member()
{
    sed -n "s/^ *\"$1\": \"\(.*\)\",*\$/\1/p"
}


# with NAME VALUE: the ids of the objects with that member
with()
{
    awk -v want="\"$1\": \"$2\"" '
        /"id": /               { id = $0; gsub(/.*: "|",*$/, "", id) }
        index($0, want)        { print id; exit }'
}


# The account is that of the token; its name may have been changed since.  A
# setup that was killed before it had the token finds it by its name.
setup()
{
    rblctl init
    rblctl lists load /usr/share/rbl-checkd/lists.json

    file=$lib/operator/api.netrc
    account=$(sed -n 's/.* login \(AC[0-9a-f]*\) .*/\1/p' "$file" 2>/dev/null \
        || :)
    if [ -z "$account" ]; then
        all=$(rblctl account list --json)
        account=$(echo "$all" | with name "$RBL_ACCOUNT")
        [ -n "$account" ] || account=$(rblctl account add "$RBL_ACCOUNT" \
            --paid --json | member id)
        [ -n "$account" ] || die "no account \"$RBL_ACCOUNT\""
        token
    fi
    echo "account $account: a token is in $file"
    owner
}


# The token of a setup that was killed is lost: its application gets another.
token()
{
    all=$(rblctl app list "$account" --json)
    app=$(echo "$all" | with name setup)
    if [ -n "$app" ]; then
        token=$(rblctl app rotate "$account" "$app" --json | member token)
    else
        token=$(rblctl app add "$account" setup --json | member token)
    fi
    [ -n "$token" ] || die "no token for $account"
    echo "machine localhost login $account password $token" >"$file.new"
    mv -- "$file.new" "$file"
}


# Only an account without users gets one: an owner who was deleted does not come
# back.  The link is shown once, by `docker compose logs setup`.
owner()
{
    url=${RBL_URL%/}/portal/
    all=$(rblctl user list "$account" --json)
    user=$(echo "$all" | member id | head -n 1)
    if [ -n "$user" ]; then
        echo "it has users; another link: docker compose run --rm rblctl" \
            "user link $account $user --url $url"
    elif [ -z "$RBL_OWNER" ]; then
        echo 'nobody can sign in to the portal: set RBL_OWNER in .env, then' \
            'docker compose up -d'
    else
        echo "this link signs in $RBL_OWNER once, within 15 minutes:"
        rblctl user add "$account" "$RBL_OWNER" --role owner --url "$url" \
            --json | member link
    fi
}


# --- health ------------------------------------------------------------------

# How often process 1 has waited for events.
waits()
{
    sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p' /proc/1/status
}


health()
{
    case ${1:-} in
    store)
        [ "$(redis default /tmp/default PING)" = PONG ] ;;
    checkd)
        # The loop of events turns, and the store answers.
        before=$(waits)
        sleep 3
        [ "$(waits)" -gt "$before" ]
        redis rbl-checkd "$lib/checkd/rbl-checkd" TIME | grep -q '^[0-9]' ;;
    nginx)
        # Both servers: its counters, and the service, which refuses strangers.
        curl -fsS -o /dev/null http://127.0.0.1:8081/rbl_status
        [ "$(curl -s -o /dev/null -w '%{http_code}' \
             http://127.0.0.1:8080/3.0/hosts.json)" = 401 ] ;;
    *)
        die 'health store, health checkd or health nginx' ;;
    esac
}


case ${1:-} in
store | setup | backup | restore)
    "$1" ;;
checkd)
    exec rbl-checkd ;;
nginx)
    rm -f /tmp/service.sock
    exec nginx -e stderr ;;
health)
    health "${2:-}" ;;
*)
    die "\"${1:-}\": store, setup, checkd, nginx, backup, restore or health" ;;
esac
