# Removed, installed again, purged: nginx serves its other site all the time.
. /root/packages/common.sh
closed() { ! curl -s -o /dev/null http://127.0.0.1:8080/; }
enabled=/etc/nginx/sites-enabled

# other_site WHEN: it is served now and after a restart of nginx
other_site()
{
    is "$1, nginx accepts its configuration" nginx -t
    is "$1, the other site is served" within shop
    is "$1, nginx restarts" systemctl restart nginx
    is "$1, the other site is served by the new nginx" within shop
}

is 'the module is removed' apt remove libnginx-mod-rbl
is 'its site is named' said "$enabled/rbl needs the module ngx_rbl"
is 'its site is out of nginx' test ! -L $enabled/rbl
is 'the text of the site is there' test -s /etc/nginx/sites-available/rbl
is 'the API is closed without a restart' within closed
other_site 'without the module'
is 'the module is installed again' apt install libnginx-mod-rbl
is 'its site is back' said "$enabled/rbl is enabled again"
is 'the API answers again' within api
other_site 'with the module'

is 'the module is removed once more' apt remove libnginx-mod-rbl
is 'and purged' apt purge libnginx-mod-rbl
is 'what stays is named' said '  rm -rf .*/etc/nginx/sites-available/rbl'
is 'the link is gone' sh -c '! ls -d /etc/nginx/*.rbl-removed'
is 'the module is installed anew' apt install libnginx-mod-rbl
is 'rblctl setup completes the service' set_up
is 'the API answers after setup' within api

is 'the daemon is removed' apt remove rbl-checkd
for unit in rbl-checkd rbl-checkd@second rbl-backup.timer; do
    is "$unit is stopped" no runs $unit
done
is 'no daemon is left' no pgrep -x rbl-checkd
is 'the store still runs' sh -c \
    'systemctl is-active redis-server@rbl || systemctl is-active \
     valkey-server@rbl'
is 'the daemon is installed again' apt install rbl-checkd
is 'it runs' within runs rbl-checkd
is 'the API answers' within api

is 'both are purged' apt purge rbl-checkd libnginx-mod-rbl
other_site 'after the purge'
is 'the store is named' said '/var/lib/(redis|valkey)/rbl  *the store, of '
is 'so are passwords' said '/etc/rbl-checkd  *passwords'
is 'so are copies of the store' said '/var/backups/rbl  *copies'
is 'no program is left' sh -c '! ls /usr/sbin/rbl* /usr/share/rbl-checkd'
is 'no unit is enabled' sh -c \
    '! find /etc/systemd /var/lib/systemd/deb-systemd-helper-enabled \
       -name "rbl-*" | grep .'
is 'no unit has failed' sh -c \
    'test -z "$(systemctl --failed --no-legend list-units "rbl*" nginx)"'
is 'no log is left' test ! -e /var/log/rbl-checkd
is 'passwords stay' test -s /etc/rbl-checkd/store.password

is 'after a purge both are installed again' \
    apt install rbl-checkd libnginx-mod-rbl
is 'rblctl setup finds the data' set_up
is 'the host is there' within api

# The lines that purge printed remove the rest.  apt gave dpkg a terminal.
apt purge rbl-checkd libnginx-mod-rbl
tr -d '\r' </tmp/apt.out | grep -E '^  (rm|systemctl) ' >/tmp/rest.sh
is 'the lines that purge prints work' sh -e /tmp/rest.sh
is 'no data are left' sh -c \
    '! ls -d /etc/rbl-checkd /etc/nginx/*rbl* /etc/nginx/*/rbl \
       /var/backups/rbl /var/lib/*/rbl /etc/*/*-rbl.* 2>/dev/null | grep .'
other_site 'without any data'
plan
