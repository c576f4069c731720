# rblctl setup that is killed after each of its changes, and at random moments,
# and run again: files, units and store are as if it had not been killed.
# /root/etc.tar has the /etc from before the first setup.
. /root/setup/tap.sh

server=redis
[ -d /var/lib/redis/rbl ] || server=valkey
options='--owner owner@rbl.example.net --smtp smtp://127.0.0.1:25
    --from blocklists@rbl.example.net'
places="/etc/rbl-checkd /etc/nginx /etc/$server /etc/systemd/system"

# The machine from before the first setup.
reset()
{
    systemctl stop rbl-backup.timer rbl-checkd $server-server@rbl
    rm -rf $places /var/lib/$server/rbl /var/backups/rbl /run/rbl-setup
    tar -C / -xf /root/etc.tar
    systemctl daemon-reload
    systemctl restart nginx
}

# Everything that setup makes, without what is random.
state()
{
    find $places -printf '%p %y %m %u:%g %l\n' | sort
    find $places -type f | sort | while read -r file; do
        echo "$file"
        sed -E -e 's/[0-9a-f]{64}/HEX/g' -e 's/AC[0-9a-f]{32}/ACCOUNT/g' \
            -e 's/(# rblctl setup: )[0-9a-f]{8}/\1DIGEST/' "$file"
    done
    find /var/lib/$server/rbl -maxdepth 0 -printf '%p %m %u:%g\n'
    find /run/rbl-setup -type f ! -name lock
    for unit in $server-server@rbl rbl-checkd nginx rbl-backup.timer; do
        echo "$unit $(systemctl is-enabled $unit) $(systemctl is-active $unit)"
    done
    rblctl account list --json | grep -c '"id"'
    account=$(rblctl account list --json | sed -n 's/.*"id": "\(.*\)",/\1/p' \
        | grep -v 'AC0*$')
    rblctl app list "$account" --json | grep -c '"id"'
    rblctl user list "$account" --json | grep -c '"id"'
    rblctl operator list --json | grep -c '"id"'
    rblctl lists show | wc -l
    curl -s -o /dev/null -w '%{http_code}\n' --netrc-file \
        /etc/rbl-checkd/api.netrc http://127.0.0.1:8080/3.0/hosts.json
}

same() { state >/tmp/state; diff /root/state /tmp/state; }

reset
is 'setup works on the machine from before' setup 0 $options
state >/root/state

for kill in $(seq 60); do
    reset
    status=0
    RBL_SETUP_STOP=$kill rblctl setup $options >/tmp/killed.out 2>&1 \
        || status=$?
    [ $status = 137 ] || break
    last=$(grep '^  done' /tmp/killed.out | tail -n 1)
    is "killed after change $kill (${last#  done *}): setup works again" \
        setup 0 $options
    is "killed after change $kill: all is the same" same
done
is 'the last setup was not killed' test $status = 0
is 'setup was killed more than 25 times' test $kill -gt 25

for try in 1 2 3 4 5 6; do
    reset
    timeout -s KILL 0.$((RANDOM % 90 + 10)) rblctl setup $options \
        >/tmp/killed.out 2>&1
    is "killed at a random moment, $try: setup works again" setup 0 $options
    is "killed at a random moment, $try: all is the same" same
done
plan
