#!/usr/bin/perl

# Receivers behind TLS, served by nginx: only a certificate that is valid for
# the name and issued by a known authority is accepted; nginx's own responses.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

my $dir = own_dir('ca');

authority($dir, 'known');
authority($dir, 'stranger');
certificate($dir, 'known', 'good', 'DNS:good.hook.example,IP:127.0.0.1');
certificate($dir, 'stranger', 'bad', 'DNS:good.hook.example,IP:127.0.0.1');
certificate($dir, 'known', 'old', 'DNS:good.hook.example', expired => 1);

my %port = map { $_ => free_port() } qw(good bad old tls11);
sub server {
    my ($name, $cert, $more) = @_;
    return <<"CONF";
server {
    listen 127.0.0.1:$port{$name} ssl;
    ssl_certificate $dir/$cert.pem;
    ssl_certificate_key $dir/$cert.key;
    $more
    location / { return 204; }
    location /text { return 201 "made"; }
    location /broken { return 502; }
    location /close { return 444; }
}
CONF
}
my $nginx = start_nginx(module => 0, http => join '',
    "log_format hook '\$server_port \$request_method \$request_uri"
        . " \$ssl_protocol \$ssl_server_name \$connection_requests';",
    "access_log %%DIR%%/hook.log hook;",
    server('good', 'good', ''), server('bad', 'bad', ''),
    server('old', 'old', ''),
    server('tls11', 'good', 'ssl_protocols TLSv1.1; '
        . 'ssl_ciphers ALL:@SECLEVEL=0;'));
my $dns = start_unbound(local => [
    'local-data: "good.hook.example. A 127.0.0.1"',
    'local-data: "other.hook.example. A 127.0.0.1"']);

deliver_setup();
my $d = start_deliverd(resolver => $dns->{port},
    conf => { deliver_ca => "$dir/known.pem", deliver_http => 'off' });

my $good = "https://good.hook.example:$port{good}";
is(attempt("$good/"), 'delivered', 'a valid certificate is accepted');
is(attempt("$good/text"), 'delivered',
    'the response 201 with a body is a success');
is(attempt("https://127.0.0.1:$port{good}/"), 'delivered',
    'a valid certificate for an address is accepted');
is(attempt("$good/broken"), '502 HTTP status', 'the response 502 is a failure');
is(attempt("$good/close"), '0 incomplete HTTP response',
    'a connection closed without a response is a failure');
is(attempt("https://other.hook.example:$port{good}/"), '0 TLS failed',
    'a certificate for another name is refused');
is(attempt("https://good.hook.example:$port{bad}/"), '0 TLS failed',
    'a certificate of an unknown authority is refused');
is(attempt("https://good.hook.example:$port{old}/"), '0 TLS failed',
    'an expired certificate is refused');
is(attempt("https://good.hook.example:$port{tls11}/"), '0 TLS failed',
    'a server with TLS 1.1 is refused');
is(attempt("https://good.hook.example:$nginx->{port}/"), '0 TLS failed',
    'a server without TLS is refused');

soon { read_file("$nginx->{dir}/hook.log") =~ /good.hook.example [2-9]/ }
    'connections are kept';
my $log = read_file("$nginx->{dir}/hook.log");
unlike($log, qr/^(?:$port{bad}|$port{old}) POST/m,
    'no request is sent before the certificate is verified');
unlike($log, qr/^\d+ (?!POST)[A-Z]/m, 'the servers get no method but POST');
like($log, qr/^$port{good} POST \/ TLSv1\.[23] good\.hook\.example/m,
    'the handshake has the name of the server');
done_testing();
