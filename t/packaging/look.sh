# Checks of fresh.sh, in the same shell, after the lines of rbl-operations(7).

echo '# looked at'
logged() { journalctl -q -b "$@" | grep .; }

for unit in redis-server@rbl rbl-checkd rbl-checkd@second nginx \
    rbl-backup.timer
do
    is "$unit runs" systemctl is-active "$unit"
done
for unit in rbl-checkd nginx redis-server@rbl rbl-backup.timer; do
    is "$unit will run after a boot" systemctl is-enabled "$unit"
done
has() { api "$1" | grep "$2"; }
is 'the first check was accepted' grep '"status":"queued"' /root/check.json
# nginx may still be reconnecting to the restored store.
is 'and answered' within has "check/status/$PP.json" '"status":"completed"'
is 'the host is there, after upgrade and restore' \
    within has hosts.json '"host":"192.0.2.10"'
is 'two daemons take jobs' within sh -c \
    'test "$(rblctl status --json | grep -c "\"idle\":")" -ge 2'
is 'the daemon is a user of its own' sh -c \
    'test "$(stat -c %U /proc/$(systemctl show -p MainPID --value rbl-checkd))" \
     = rbl-checkd'
is 'the password belongs to root alone' sh -c \
    'test "$(stat -c "%U %a" /etc/rbl-checkd/store.password)" = "root 600"'
is 'the store is consistent' rblctl fsck --user rblctl-fsck \
    --password-file /etc/rbl-checkd/fsck.password
is 'Prometheus reads the metrics' within sh -c \
    'curl -s "http://127.0.0.1:9090/api/v1/query?query=rbl_verdict" \
     | grep "\"__name__\":\"rbl_verdict\""'
is 'and has all rules' sh -c \
    'test "$(curl -s http://127.0.0.1:9090/api/v1/rules \
     | grep -o "\"health\":\"ok\"" | wc -l)" = 5'
is 'Nagios gets a status without root' within sh -c \
    'runuser -u nagios -- /usr/local/bin/check_rbl_hosts
     test $? = 3'

# page [MAIL [CALL [OPTION...]]]: of the portal with single sign-on, as this user
# of the provider
page()
{
    mail=${1:-} call=${2:-}
    shift 2
    curl -s -b "${mail:+_oauth2_proxy=$mail}" -b /tmp/jar -c /tmp/jar \
        -H 'Sec-Fetch-Site: same-origin' "$@" \
        "https://portal.example.net/tools/rbl/$call"
}
code() { page "$@" -o /dev/null -w '%{http_code} %{redirect_url}'; }
told_of() { want=$1; shift; "$@" | tee /dev/stderr | grep -q -E -- "$want"; }
signs_in() { told_of "$2" page "$1" 1/session/start.json \
    -H 'Content-Type: application/json' -d '{}'; }
provider=https://portal.example.net/oauth2/start
is 'the portal sends a user to the provider' told_of \
    "^302 $provider\?rd=/tools/rbl/\$" code '' ''
is 'but not the calls of its page' told_of '^401 $' code '' 1/me.json
is 'the provider can be reached' told_of 'sign in' curl -s "$provider"
is 'a user of the provider gets the page' told_of '<html' \
    page colleague@example.net ''
is 'who is a user of the account signs in' within signs_in \
    colleague@example.net '"role":"viewer"'
is 'and reads' told_of '"host":"192.0.2.10"' page colleague@example.net \
    1/hosts.json
is 'no other user of the provider signs in' signs_in stranger@example.net \
    'no user of the portal'
rm -f /tmp/jar
is 'an operator signs in' within signs_in boss@example.net '"role":"admin"'
is 'no right is missing' sh -c \
    'REDISCLI_AUTH=$(cat /etc/rbl-checkd/redis.password) \
     redis-cli -s /run/redis-rbl/redis.sock ACL LOG \
     | grep -v "^$" | { ! grep -E "rbl-api|rbl-checkd|rblctl"; }'
is 'nobody enters without a password' sh -c \
    'env -u REDISCLI_AUTH redis-cli -s /run/redis-rbl/redis.sock PING 2>&1 \
     | grep NOAUTH'
is 'nginx has nothing to complain about' no grep -E '\[(alert|emerg|crit)\]' \
    /var/log/nginx/error.log
is 'nor has systemd' sh -c \
    'test -z "$(systemctl --failed --no-legend list-units "rbl*" nginx)"'
is 'reload' systemctl reload rbl-checkd
is 'the reload is in the log' within logged -u rbl-checkd -g 'log reopened'
is 'the daemon is alive to the manager' sh -c \
    'test "$(systemctl show -p WatchdogUSec --value rbl-checkd)" != 0'
sed -i 's/^log_level.*//; $ a log_level nonsense' /etc/rbl-checkd/rbl-checkd.conf
is 'a fault in the configuration refuses the reload' \
    no systemctl reload rbl-checkd
is 'and leaves the daemon alone' systemctl is-active rbl-checkd
sed -i '$ d' /etc/rbl-checkd/rbl-checkd.conf
echo 'log /var/log/rbl-checkd/rbl-checkd.log' >>/etc/rbl-checkd/rbl-checkd.conf
is 'a log file' systemctl restart rbl-checkd
is 'is written' within test -s /var/log/rbl-checkd/rbl-checkd.log
is 'turned over' logrotate -f /etc/logrotate.d/rbl-checkd
is 'and written again' within grep -q 'log reopened' \
    /var/log/rbl-checkd/rbl-checkd.log
systemctl kill -s KILL rbl-checkd
sleep 1
is 'a daemon that died is back' within systemctl is-active rbl-checkd
is 'the manual pages' sh -c \
    'cd /usr/share/man && ls man8/rbl-checkd.8.gz man8/rblctl.8.gz \
     man5/rbl-checkd.conf.5.gz man5/ngx_rbl.5.gz man7/rbl-api.7.gz \
     man7/rbl-availability.7.gz man7/rbl-events.7.gz \
     man7/rbl-operations.7.gz || grep -q usr/share/man \
     /etc/dpkg/dpkg.cfg.d/*'
is 'what it exposes' sh -c \
    "systemd-analyze security --no-pager rbl-checkd | tail -n 1 | grep -E ' [01]\.'"
DEBIAN_FRONTEND=noninteractive apt-get purge -y -q rbl-checkd libnginx-mod-rbl \
    >/tmp/purge.log 2>&1 || cat /tmp/purge.log
is 'purged: nothing is left but passwords' test ! -e /usr/sbin/rbl-checkd
is 'purged: nginx starts without the module' systemctl restart nginx

plan
