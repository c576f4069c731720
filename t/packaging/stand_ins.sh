# Stand-ins for what a machine without a network cannot reach, for the lines of
# rbl-operations(7); runs in the machine.  The names of the page lead to the
# machine itself.  certbot, which reaches no authority, makes the certificate
# with one of its own.  nginx answers as oauth2-proxy does, a program that Debian
# has no package of: its cookie is the mail address.
set -eu

echo '127.0.0.1 rbl.example.net portal.example.net fresh localhost' >/etc/hosts
useradd -r nagios

mkdir -p /root/authority
cd /root/authority
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
    -subj '/CN=Authority of this test' -keyout ca.key -out ca.pem 2>/dev/null
cp ca.pem /usr/local/share/ca-certificates/test.crt
update-ca-certificates >/dev/null 2>&1

cat >/usr/local/bin/certbot <<'SH'
#!/bin/sh
set -eu
authority=/root/authority
/usr/bin/certbot --version
while [ "$1" != -d ]; do shift; done
live=/etc/letsencrypt/live/$2
mkdir -p "$live"
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=x' \
    -keyout "$live/privkey.pem" -out "$live/request.pem" 2>/dev/null
echo "subjectAltName=DNS:$2" >"$live/names"
openssl x509 -req -in "$live/request.pem" -CA $authority/ca.pem \
    -CAkey $authority/ca.key -CAcreateserial -days 20 -extfile "$live/names" \
    -out "$live/cert.pem" 2>/dev/null
cat "$live/cert.pem" $authority/ca.pem >"$live/fullchain.pem"
SH
chmod 755 /usr/local/bin/certbot

mkdir -p /etc/nginx/conf.d
cat >/etc/nginx/conf.d/oauth2-proxy.conf <<'CONF'
server {
    listen 127.0.0.1:4180;

    location = /oauth2/auth {
        if ($cookie__oauth2_proxy = "") {
            return 401;
        }
        add_header X-Auth-Request-Email $cookie__oauth2_proxy always;
        return 202;
    }
    location /oauth2/ {
        return 200 "sign in at the provider\n";
    }
}
CONF
