# Bad input on a machine where all works: setup refuses it, or leaves it alone,
# and the service goes on.
. /root/setup/tap.sh
name=rbl.example.net
site=/etc/nginx/sites-available/rbl
server=redis
[ -d /var/lib/redis/rbl ] || server=valkey

answers() { curl -s -f --netrc-file /etc/rbl-checkd/api.netrc \
    https://$name/3.0/hosts.json | grep 192.0.2.10; }

# A port that is taken.
perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(LocalPort => 8443,
    Listen => 1) or die; sleep 600' &
taken=$!
sleep 1
is 'setup ends with 1 with a port that is taken' setup 1 --port 8443
is 'setup names the program' told 'port 8443 is taken by perl'
is 'setup names another port' told 'rblctl setup --port 8443|--port 8444'
is 'the site goes on at its port' answers
kill $taken
is 'the port from before is taken back' setup 0 --port 443

# Another Redis with a password.
if [ $server = redis ]; then
    echo 'requirepass secret' >>/etc/redis/redis.conf
    systemctl restart redis-server
    sum=$(cksum </etc/redis/redis.conf)
    is 'a Redis with a password does not matter' setup 0
    is 'its configuration stays' test "$sum" = "$(cksum </etc/redis/redis.conf)"
    is 'its data are its own' sh -c \
        'REDISCLI_AUTH=secret redis-cli DBSIZE | grep "^0$"'
fi

# Files that were changed by hand.
conf=/etc/$server/$server-rbl.conf
cp -p $conf /root/conf
echo '# by hand' >>$conf
cp -p $conf /root/changed
is 'setup accepts a file that was changed by hand' setup 0
is 'setup says that it leaves the file alone' \
    told "left alone  $conf was changed"
is 'the file stays' cmp $conf /root/changed
is 'setup shows the file that it would write' sh -c \
    "rblctl setup --show $conf | cmp - /root/conf"
cp -p /root/conf $conf

# A password that was replaced.
head -c 9 /dev/urandom | sha256sum | cut -c -64 >/etc/rbl-checkd/rblctl.password
is 'setup gives the store a password that was replaced' setup 0
is 'the store has been restarted' told "restart $server-server@rbl"
is 'the service works with the new password' within answers

# Files of another machine, with their times, which daemon and nginx have not
# read.
tar -C / -cf /root/other.tar etc/rbl-checkd etc/nginx
sleep 1
tar -C / -xf /root/other.tar
is 'setup accepts files of another machine' setup 0
is 'the daemon reads them' told 'done  *restart rbl-checkd'
is 'nginx reads them' told 'done  *reload nginx'
is 'setup runs again' setup 0
is 'daemon and nginx have read them' no told '(restart|reload) '

# A timer that is enabled and does not run.
systemctl stop rbl-backup.timer
is 'setup works with a timer that does not run' setup 0
is 'setup starts the timer' told 'done  *start rbl-backup.timer'
is 'the timer runs' systemctl is-active rbl-backup.timer

# A full disk, at three places.
mount -t tmpfs -o size=64k none /etc/nginx/sites-available
head -c 1M /dev/zero >/etc/nginx/sites-available/zero 2>/dev/null
is 'setup ends with 1 if a file cannot be written' setup 1
is 'setup says why' told 'cannot write .*: No space left on device'
is 'nothing half is left' no ls $site $site.rbl-setup
umount /etc/nginx/sites-available
mount -t tmpfs -o size=64k none /var/lib/$server/rbl
is 'setup ends with 1 if the disk of the store is full' setup 1
is 'setup says which' told "the disk of /var/lib/$server/rbl is full"
umount /var/lib/$server/rbl
mv /var/backups/rbl /var/backups/kept
mkdir /var/backups/rbl
mount -t tmpfs -o size=64k none /var/backups/rbl
is 'setup works if a copy of the store has no room' setup 0
is 'setup says so' told 'still to do the store cannot be copied'
is 'no part of a copy is left' no sh -c 'ls /var/backups/rbl | grep .'
umount /var/backups/rbl
rmdir /var/backups/rbl
mv /var/backups/kept /var/backups/rbl

# A module that nginx cannot load.
module=$(ls /usr/lib/nginx/modules/ngx_rbl_module.so)
mv $module /root/module
head -c 100 /root/module >$module
is 'setup ends with 1 if nginx cannot load the module' setup 1
is 'setup says what nginx says' told 'nginx refuses its configuration: .*dlopen'
mv /root/module $module
is 'the site is still enabled' answers

# A site that nginx refuses is taken out, so that the other sites can start.
rm /etc/nginx/sites-enabled/rbl
sed -i 's/rbl_zone rbl 512k;/rbl_frob;/' $site
is 'setup ends with 1 with a site that nginx refuses' setup 1
is 'setup says why it is not enabled' told 'refuses the site, .*rbl_frob'
is 'nginx accepts its configuration' nginx -t
rm $site
is 'setup makes the site again' setup 0
is 'the service is back' within answers

# Two at a time.
flock /run/rbl-setup/lock sleep 5 &
sleep 1
is 'two setups at a time are refused' setup 2
is 'setup says that another one runs' told 'another rblctl setup is running'
wait $!

# Without systemd.
is 'setup works without systemd' unshare -m bash -c '. /root/setup/tap.sh
    mount -t tmpfs none /run/systemd; setup 0'
is 'setup says that it misses systemd' told 'this machine is not run by systemd'

# Without IPv4, even on the loopback interface.
ip addr del 127.0.0.1/8 dev lo
is 'setup works without IPv4' setup 0 --domain '' --port 8080
is 'the site is at the IPv6 loopback address' told \
    'The service works: http://\[::1\]:8080/portal/'
ip addr add 127.0.0.1/8 dev lo
is 'the site goes back to its name' setup 0 --domain $name
is 'the service is at its name again' within answers
is 'nginx serves its other site' curl -s -f -o /dev/null http://127.0.0.1:80/
plan
