# The repository, the first installation, and an upgrade.
. /root/packages/common.sh
origin() { apt-cache policy "$1" | grep -q 'file:/srv/repo'; }

# update SOURCE-OPTIONS DIR: apt reads this repository alone
update()
{
    echo "deb $1 file:$2 $(. /etc/os-release; echo "$VERSION_CODENAME") main" \
        >/tmp/one.list
    apt-get update -q --error-on=any -o Dir::State::lists=/tmp/lists \
        -o Dir::Etc::sourcelist=/tmp/one.list -o Dir::Etc::sourceparts=- \
        >/tmp/apt.out 2>&1
}

for package in rbl-checkd libnginx-mod-rbl; do
    is "$package is in the repository" origin $package
done
key='[signed-by=/usr/share/keyrings/ngx-rbl.gpg]'
mkdir -p /tmp/lists/partial
is 'apt accepts the signature' update "$key" /srv/repo
is 'and refuses the repository without the key' no update \
    '[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]' /srv/repo
cp -r /srv/repo /srv/bad
sed -i 's/^Version: .*/Version: 9/' /srv/bad/dists/*/main/binary-*/Packages
gzip -9nf /srv/bad/dists/*/main/binary-*/Packages
is 'and refuses an index that was changed' no update "$key" /srv/bad
rm -rf /srv/bad
cp -r /srv/repo /srv/bad
sed -i 's/^Label: .*/Label: other/' /srv/bad/dists/*/InRelease
is 'and refuses a release file that was changed' no update "$key" /srv/bad
rm -rf /srv/bad

is 'an older version is installed' apt install /root/older/*.deb
is 'no compiler came with it' no command -v cc gcc g++ c++ clang make node
cat >/etc/nginx/sites-available/shop <<'CONF'
server { listen 127.0.0.1:8090; location / { return 200 "the shop\n"; } }
CONF
ln -s ../sites-available/shop /etc/nginx/sites-enabled/shop
is 'nginx takes another site' systemctl reload nginx
is 'rblctl setup makes a service' set_up
curl -s --netrc-file /etc/rbl-checkd/api.netrc -d host=192.0.2.10 -d name=mail \
    -d type=rbl http://127.0.0.1:8080/3.0/host/add.json >/dev/null
is 'the API answers' within api
ln -s rbl-checkd.conf /etc/rbl-checkd/second.conf
is 'a second daemon starts' systemctl enable --now rbl-checkd@second

# The administrator changes files; the new version changes two of them, too.
echo '# of the administrator' | tee -a /etc/rbl-checkd/rbl-checkd.conf \
    >>/etc/rbl-checkd/rblctl.conf
first=$(systemctl show -p MainPID --value rbl-checkd)
second=$(systemctl show -p MainPID --value rbl-checkd@second)
is 'apt upgrades to the version of the repository' apt install --only-upgrade \
    rbl-checkd libnginx-mod-rbl
is 'which is newer' said '\) over \(0\.0\.1\)'
is 'the installed version is of this release of Debian' sh -c \
    'dpkg-query -W -f "\${Version}" rbl-checkd \
     | grep -q "~deb$(. /etc/os-release; echo $VERSION_ID)u1\$"'
for file in rbl-checkd.conf rblctl.conf; do
    is "the administrator's line of $file stays" \
        grep -q '^# of the administrator' /etc/rbl-checkd/$file
done
is 'the new version of a changed file is beside it' \
    test -s /etc/rbl-checkd/rblctl.conf.dpkg-dist
is 'a file that nobody changed is the new one' sh -c \
    'test -n "$(tail -n 1 /etc/rbl-checkd/plans.json)"'
is 'the API answers after the upgrade' within api
is 'the site stays enabled' test -L /etc/nginx/sites-enabled/rbl
is 'no site was moved' test ! -e /etc/nginx/sites-enabled.rbl-removed
other()
{
    runs "$1" && [ "$2" != "$(systemctl show -p MainPID --value "$1")" ]
}
is 'the daemon is a new process' within other rbl-checkd "$first"
is 'so is the second daemon' within other rbl-checkd@second "$second"
plan
