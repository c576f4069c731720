# The Internet of a machine that has no network: a resolver, the demonstration
# lists behind it, a mail server, and an authority that has made a certificate
# where certbot would have put it.
set -eu
name=rbl.example.net

echo "127.0.0.1 $name fresh localhost" >/etc/hosts
printf 'nameserver 127.0.0.1\nnameserver ::1\n' >/etc/resolv.conf

# Mail for users of this machine is delivered, into /var/mail.
useradd -m owner
echo $name >/etc/mailname
echo "exim4-config exim4/dc_other_hostnames string $name" \
    | debconf-set-selections
echo 'exim4-config exim4/mailname string '$name | debconf-set-selections

# The units of the packages wait for the Internet.
ln -s /dev/null /etc/systemd/system/unbound.service
ln -s /dev/null /etc/systemd/system/rbldnsd.service
systemctl daemon-reload
apt-get install -q -y --no-install-recommends exim4-daemon-light \
    iproute2 rbldnsd unbound >/root/world.log 2>&1 \
    || { tail /root/world.log; exit 1; }

# The lists of the demonstration, with name servers of both address families.
mkdir -p /var/lib/rbldns
cp /root/demo/*.zone /var/lib/rbldns/
cat >/etc/systemd/system/lists.service <<'UNIT'
[Service]
ExecStartPre=-/sbin/ip addr add fd00::53/128 dev lo nodad
ExecStart=/usr/sbin/rbldnsd -n -u rbldns -r /var/lib/rbldns \
    -b 127.0.0.2/53 -b fd00::53/53 \
    dnsbl.demo.ngx-rbl.test:ip4set:dnsbl4.zone \
    dnsbl.demo.ngx-rbl.test:ip6trie:dnsbl6.zone \
    uribl.demo.ngx-rbl.test:dnset:uribl.zone

[Install]
WantedBy=multi-user.target
UNIT
cat >/etc/systemd/system/resolver.service <<'UNIT'
[Service]
ExecStart=/usr/sbin/unbound -d -p -c /etc/unbound/test.conf

[Install]
WantedBy=multi-user.target
UNIT
cat >/etc/unbound/test.conf <<'CONF'
server:
    use-syslog: yes
    interface: 127.0.0.1
    interface: ::1
    chroot: ""
    local-zone: "demo.ngx-rbl.test." static
    local-data: "ns.demo.ngx-rbl.test. A 127.0.0.2"
    local-data: "ns.demo.ngx-rbl.test. AAAA fd00::53"
    local-data: "dnsbl.demo.ngx-rbl.test. NS ns.demo.ngx-rbl.test."
    local-data: "uribl.demo.ngx-rbl.test. NS ns.demo.ngx-rbl.test."
CONF
systemctl daemon-reload
systemctl enable -q --now lists resolver
cp /root/demo/lists.json /usr/share/rbl-checkd/lists.json
printf 'list_server_allow 127.0.0.0/8\nlist_server_allow fd00::/8\n' \
    >>/etc/rbl-checkd/rbl-checkd.conf

# The certificate.
live=/etc/letsencrypt/live/$name
mkdir -p $live
cd $live
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
    -subj '/CN=Authority of this test' -keyout ca.key -out chain.pem 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=x' \
    -keyout privkey.pem -out request.pem 2>/dev/null
printf 'subjectAltName=DNS:%s\n' $name >names
openssl x509 -req -in request.pem -CA chain.pem -CAkey ca.key -CAcreateserial \
    -days 20 -extfile names -out cert.pem 2>/dev/null
cat cert.pem chain.pem >fullchain.pem
cp chain.pem /usr/local/share/ca-certificates/test.crt
update-ca-certificates >/dev/null 2>&1
