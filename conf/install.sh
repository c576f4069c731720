#!/bin/sh
# Copies the files of `make install`.
# usage: install.sh BUILD PORTAL PART...   parts: daemon, module
#
# The paths come from the environment (conf/install.mk).  Existing files in
# sysconfdir are not overwritten.  No unit is enabled.
set -eu

build=${1:?usage: install.sh BUILD PORTAL PART...}
portal=${2:?usage: install.sh BUILD PORTAL PART...}
conf=$(cd -- "$(dirname -- "$0")" && pwd)
shift 2
umask 022

# bin MODE FILE TARGET
bin()
{
    echo "  PUT  $3"
    install -D -m "$1" "$2" "$DESTDIR$3"
}


# put FILE TARGET: a text of conf/, with the paths of this installation
put()
{
    place "$conf/$1" "$2"
}


# script FILE TARGET: likewise, and the target can be executed
script()
{
    put "$@"
    chmod 755 "$DESTDIR$2"
}


# pages NAME...: manual pages; `make man` generates those that conf/man lacks
pages()
{
    for page; do
        file=$conf/man/$page
        [ -e "$file" ] || file=$build/man/$page
        place "$file" "$mandir/man${page##*.}/$page"
    done
}


place()
{
    sed -e "s|/usr/sbin/rbl-checkd|$sbindir/rbl-checkd|g" \
        -e "s|/usr/share/rbl-checkd|$datadir/rbl-checkd|g" \
        -e "s|/usr/share/ngx_rbl|$datadir/ngx_rbl|g" \
        -e "s|/usr/lib/nginx/modules|$moddir|g" \
        -e "s|/etc/rbl-checkd|$sysconfdir/rbl-checkd|g" \
        "$1" >"$build/install.$$"
    bin 644 "$build/install.$$" "$2"
    rm -f "$build/install.$$"
}


keep()
{
    [ -e "$DESTDIR$2" ] || put "$@"
}


daemon()
{
    bin 755 "$build/rbl-checkd" "$sbindir/rbl-checkd"
    bin 755 "$build/rblctl" "$sbindir/rblctl"

    pages rbl-checkd.8 rblctl.8 rbl-checkd.conf.5 rbl-events.7 rbl-operations.7 \
        rbl-availability.7

    put rbl-checkd.service "$unitdir/rbl-checkd.service"
    put rbl-unbound.service "$unitdir/rbl-unbound.service"
    put rbl-backup.service "$unitdir/rbl-backup.service"
    put rbl-backup.timer "$unitdir/rbl-backup.timer"
    put rbl-checkd.sysusers "$sysusersdir/rbl-checkd.conf"

    # Several daemons on one machine: the same unit, one configuration each.
    unit=$unitdir/rbl-checkd@.service
    put rbl-checkd.service "$unit"
    sed -i -e 's|/rbl-checkd\.conf|/%i.conf|' \
        -e 's|^Description=.*|& (%i)|' "$DESTDIR$unit"

    script setup.sh "$datadir/rbl-checkd/setup.sh"
    script backup.sh "$datadir/rbl-checkd/backup.sh"
    put lists.json "$datadir/rbl-checkd/lists.json"
    put redis-rbl.acl "$datadir/rbl-checkd/redis-rbl.acl"
    put unbound.conf "$datadir/rbl-checkd/unbound.conf"
    put gateway.py "$datadir/doc/rbl-checkd/examples/gateway.py"

    keep rbl-checkd.conf "$sysconfdir/rbl-checkd/rbl-checkd.conf"
    keep rblctl.conf "$sysconfdir/rbl-checkd/rblctl.conf"
    keep plans.json "$sysconfdir/rbl-checkd/plans.json"
    keep rbl-checkd.logrotate "$sysconfdir/logrotate.d/rbl-checkd"
}


module()
{
    bin 644 "$build/ngx_rbl_module.so" "$moddir/ngx_rbl_module.so"
    put nginx.conf "$datadir/ngx_rbl/nginx.conf"
    put nginx-site.conf "$datadir/ngx_rbl/nginx-site.conf"
    put nginx-portal.conf "$datadir/ngx_rbl/nginx-portal.conf"
    put openapi.json "$datadir/ngx_rbl/openapi.json"
    script sites.sh "$datadir/ngx_rbl/sites.sh"
    for file in "$portal"/*; do
        bin 644 "$file" "$datadir/ngx_rbl/portal/${file##*/}"
    done
    pages ngx_rbl.5 rbl-api.7 rbl-portal.7
}


for part; do
    case $part in
    daemon | module) "$part" ;;
    *) echo "install.sh: no part \"$part\": daemon, module" >&2; exit 2 ;;
    esac
done
