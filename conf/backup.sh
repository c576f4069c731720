#!/bin/sh
# Copies the store to /var/backups/rbl and keeps the newest copies.
# usage: backup.sh [DIR [KEEP]]
#
# rbl-backup.timer runs this each day.  The store is that of rblctl.conf, one
# server; the password is that of its user "default".  An older copy is removed
# only when the new one is complete.  rbl-operations(7) describes the restore.
set -eu

etc=/etc/rbl-checkd
dir=${1:-/var/backups/rbl}
keep=${2:-14}
umask 077
LC_ALL=C
export LC_ALL


die()
{
    echo "backup.sh: $*" >&2
    exit 1
}


store=$(sed -n -E 's/^[ 	]*store[ 	]+([^ 	#]+).*/\1/p' "$etc/rblctl.conf" \
    | tail -n 1)
store=${store:-127.0.0.1:6379}
case $store in
unix:*)
    set -- -s "${store#unix:}" ;;
sentinel:* | cluster:* | tls:*)
    die "$store: copy each server of this store on its own machine" ;;
\[*\]:*)
    host=${store%:*}
    host=${host#[}
    set -- -h "${host%]}" -p "${store##*:}" ;;
*)
    set -- -h "${store%:*}" -p "${store##*:}" ;;
esac

cli=
for name in redis valkey; do
    [ -n "$cli" ] || ! command -v $name-cli >/dev/null || cli=$name-cli
done
[ -n "$cli" ] || die 'there is no redis-cli: apt-get install redis-tools'

case $keep in
'' | *[!0-9]* | 0*) die "\"$keep\" is not a number of copies" ;;
esac

if [ -s "$etc/redis.password" ]; then
    REDISCLI_AUTH=$(head -n 1 "$etc/redis.password")
    export REDISCLI_AUTH
fi

mkdir -p -- "$dir"
new=$dir/rbl-$(date -u +%Y%m%dT%H%M%SZ).rdb
trap 'rm -f -- "$new.part"' EXIT
trap 'exit 1' INT TERM HUP
rm -f -- "$dir"/*.part

# redis-cli may report success although the disk is full; a complete copy ends
# with an opcode and eight bytes.
said=$("$cli" "$@" --rdb "$new.part" 2>&1) \
    || die "the store at $store cannot be copied: $said"
[ "$(tail -c 9 -- "$new.part" | od -An -tx1 -N 1 | tr -d ' ')" = ff ] \
    || die "the copy in $dir is not complete: df -h $dir"
sync "$new.part"
mv -- "$new.part" "$new"

# A clock that was set back must not remove the copy that was just made.
ls -- "$dir" | grep '^rbl-.*\.rdb$' | grep -vxF "${new##*/}" | sort -r \
    | tail -n +"$keep" | while read -r old; do
    rm -f -- "$dir/$old"
done
echo "copied the store at $store to $new"
