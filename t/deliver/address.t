#!/usr/bin/perl

# A customer's URL must lead only to public addresses and to allowed ones; the
# daemon must not even connect to others.

use strict;
use warnings;
use IO::Socket::INET;
use IO::Socket::IP;
use RblDns;
use RblTest;
use RblScript;
use RblDeliver;

my $dns = start_unbound(local => [
    'local-data: "in.hook.example. A 127.0.0.1"',
    'local-data: "mixed.hook.example. A 10.1.2.3"',
    'local-data: "mixed.hook.example. A 127.0.0.1"',
    'local-data: "mixed.hook.example. AAAA fd00::1"',
    'local-data: "private.hook.example. A 10.1.2.3"',
    'local-data: "mapped.hook.example. AAAA ::ffff:127.0.0.1"',
    'local-data: "six.hook.example. AAAA ::1"',
    'local-data: "empty.hook.example. TXT x"',
]);
deliver_setup();
my $hook = start_receiver();
my $port = $hook->{port};

# Counts connections at addresses of the loopback that are not allowed.
my @traps = map {
    IO::Socket::IP->new(LocalHost => $_, LocalPort => $port, Listen => 16,
        ReuseAddr => 1, Blocking => 0, ($_ eq '::1' ? (V6Only => 1) : ()))
        or die "$_: $!";
} '127.9.9.9', -e '/proc/net/if_inet6' && IO::Socket::IP->new(
    LocalHost => '::1', Listen => 1) ? '::1' : ();
sub connections { return scalar grep { defined $_->accept } @traps }

my $d;

sub restart {
    my (%opt) = @_;

    stop_server($d) if $d;
    $d = start_deliverd(resolver => $dns->{port}, %opt,
        conf => { deliver_timeout => '2s', dns_timeout => '500ms',
            %{ $opt{conf} // {} } });
}

# nothing is allowed
restart(conf => { deliver_allow => undef });
my @inside = ('127.0.0.1', '127.9.9.9', '0.0.0.0', '10.1.2.3',
    '169.254.169.254', '[::1]', '[::]', '[::ffff:127.0.0.1]',
    '[::127.0.0.1]', '[fd00::1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]',
    'in.hook.example', 'mapped.hook.example', 'six.hook.example',
    'mixed.hook.example', 'private.hook.example');
for my $host (@inside) {
    is(attempt("http://$host:$port/"), '0 connection failed',
        "$host is refused");
}
for my $host ('none.hook.example', 'empty.hook.example') {
    is(attempt("http://$host:$port/"), '0 the name cannot be resolved',
        "$host has no address");
}
for my $host ('localhost', '2130706433', '0x7f000001', '127.1', '0177.0.0.1',
    '0x7f.0.0.1')
{
    my $e = attempt("http://$host:$port/");
    like($e, qr/^0 (?:connection failed|not a valid URL)$/, "$host is refused");
}
is(scalar received($hook), 0, 'the receiver gets no request');
is(connections(), 0, 'the daemon makes no connection to the other addresses');
like(read_file($d->{log}), qr/address 127\.0\.0\.1 refused: loopback/,
    'the log has the reason');

# allowed
restart(conf => { deliver_allow => '127.0.0.1/32' });
for my $host ('127.0.0.1', '[::ffff:127.0.0.1]', 'in.hook.example',
    'IN.Hook.Example', 'mixed.hook.example', 'mapped.hook.example')
{
    is(attempt("http://$host:$port/a?b=%20c"), 'delivered',
        "$host is allowed");
}
my @r = received($hook);
is(scalar @r, 6, 'the receiver gets six requests');
is($r[0]{line}, 'POST /a?b=%20c HTTP/1.1',
    'the request has the path and the query of the URL');
is($r[3]{headers}{host}, "in.hook.example:$port",
    'the request has the host name of the URL');
is(attempt("http://127.0.0.1:$port?x=1"), 'delivered',
    'a URL with a query and no path is allowed');
is((received($hook))[-1]{line}, 'POST /?x=1 HTTP/1.1',
    'the request for a URL without a path has one');
is(attempt("http://127.9.9.9:$port/"), '0 connection failed',
    'an address beside the allowed one is refused');
is(attempt("http://[::1]:$port/"), '0 connection failed',
    'the address ::1 is refused');
is(connections(), 0, 'the daemon makes no connection to the refused addresses');

# URLs that two parsers may read differently
for my $url ("http://user\@127.0.0.1:$port/", "http://127.0.0.1:$port/#f",
    "http://127.0.0.1:99999/", "ftp://127.0.0.1:$port/", "file:///etc/passwd",
    "http:///", "http://127.0.0.1:$port\\\@x.example/", "gopher://127.0.0.1/",
    "http://127.0.0.1:$port/\r\nX: y", '//127.0.0.1/')
{
    is(attempt($url), '0 not a valid URL', 'not a URL: ' . $url =~ s/\s+/ /r);
}
my $n = received($hook);

# proxies in the environment are ignored
my $proxy = start_receiver();
my $at = "http://127.0.0.1:$proxy->{port}/";
restart(conf => { deliver_allow => '127.0.0.1/32' },
    env => { http_proxy => $at, https_proxy => $at, ALL_PROXY => $at,
        HTTPS_PROXY => $at });
is(attempt("http://127.0.0.1:$port/"), 'delivered',
    'a delivery ignores a proxy in the environment');
is(attempt("http://127.9.9.9:$port/"), '0 connection failed',
    'a refused address is refused with a proxy as well');
is(scalar received($proxy), 0, 'the proxy gets no request');

# https only
restart(conf => { deliver_http => 'off' });
is(attempt("http://127.0.0.1:$port/"), '0 only https is allowed',
    'http is refused with deliver_http off');
is(scalar received($hook), $n + 1, 'the receiver gets no request over http');

# the resolver is not reachable
restart(resolver => free_port());
is(attempt("http://in.hook.example:$port/"), '0 the name cannot be resolved',
    'a delivery fails without a resolver');

# nor does it help
for my $way (qw(servfail refused nxdomain nodata mute)) {
    my $bad = RblDns->new(rules => [['.' => $way]]);
    restart(resolver => $bad->port);
    is(attempt("http://in.hook.example:$port/"),
        '0 the name cannot be resolved',
        "a delivery fails with a resolver that answers $way");
    $bad->stop;
}
done_testing();
