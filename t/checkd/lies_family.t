#!/usr/bin/perl

# A list of addresses and domains is wildcarding for domains only.  That it
# passes its test points for addresses, and has a new listing there, is no
# evidence for domains: a daemon started since must not take a cached response
# for a listing.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;

use constant TTL => 6;

my $ip = '^(\d+\.){4}a\.test( |$)';
my $none = { rcode => 'nxdomain', soa => ['a.test', 2, 2] };
my $lie = { a => ['127.0.0.2'], ttl => TTL };
my @ip = (['^2\.0\.0\.127\.a\.test( |$)', { a => ['127.0.0.2'], ttl => 2 }],
    ['^5\.0\.0\.10\.a\.test( |$)', { a => ['127.0.0.2'], ttl => 20 }],
    [$ip, $none]);
my $dns = RblDns->new(rules => [@ip, ['.', $lie]]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip',
    families => ['ipv4', 'domain'] } });
my %conf = (store => $w->{redis}, resolver => { port => $dns->port },
    conf => { conf_short(control_retry => '60s') });
my $checkd = start_checkd(%conf);
sub result {
    my ($value, $family) = @_;
    my $pp = check_value($w, $value, $family);
    wait_check($w, $pp);
    my $d = details($w, $pp)->{'a.test'};
    return "$d->{status} $d->{error}";
}
is(result('some.example', 4), 'unknown unhealthy',
    'a list of all domains is unhealthy');
is(result('10.0.0.5', 1), 'listed ', 'an address is listed');

# It keeps wildcarding for longer than the TTL, without queries.
sleep TTL + 4;
ok(stop_server($checkd), 'the daemon that saw the wildcarding stops');

# Sound again; the resolver caches a recent response for one domain.
$dns->rules(@ip, ['^bad\.example\.a\.test( |$)', { a => ['127.0.0.2'],
    ttl => TTL - 2 }], ['.', $none]);
$checkd = start_checkd(%conf);
like(result('bad.example', 4), qr/^unknown/,
    'a cached wildcard answer is not accepted');
ok(stop_server($checkd), 'the daemon that was started since stops');
$dns->stop;
done_testing();
