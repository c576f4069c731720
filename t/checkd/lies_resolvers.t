#!/usr/bin/perl

# Two resolvers.  A list is wildcarding; the daemon sees that through the first
# resolver, while others (mail servers) use the second, which caches it.  The
# list is sound again and the first resolver is not reachable: the cached
# responses of the second one are no listings.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;

use constant TTL => 60;

my $end = '\.a\.test( |$)';
my $test = ["^2\\.0\\.0\\.127$end", { a => ['127.0.0.2'], ttl => 2 }];
my $none = ['.', { rcode => 'nxdomain', soa => ['a.test', 2, 2] }];
my @world = ($test, ['.', { a => ['127.0.0.2'], ttl => TTL }]);
my $first = RblDns->new(rules => \@world);
my $second = RblDns->new(rules => ['.', 'refused']);
$second->rules(['.', 'refused']);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } });
my $checkd = start_checkd(store => $w->{redis}, conf => { conf_short(
    resolver => join(' ', $first->addr, $second->addr),
    control_retry => '1s') });
sub result {
    my $pp = check_value($w, $_[0]);
    wait_check($w, $pp);
    my $d = details($w, $pp)->{'a.test'};
    return "$d->{status} $d->{error}";
}
for (1 .. 4) {
    like(result("10.0.0.$_"), qr/^unknown/,
        'a wildcard response gives an unknown result');
}
is(log_count($checkd, 'a\.test, ipv4, through .*: wildcarding'), 1,
    'both are detected');
$first->rules(['.', 'refused']);
$second->rules($test, ["^[5]\\.0\\.0\\.10$end", { a => ['127.0.0.2'],
    ttl => TTL - 10 }], $none);
eventually { result('10.0.0.9') =~ /^clear/ } 20,
    'a host is clear when the list is valid again';
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{checked} } 10,
    'the host with a cached response is checked';
is_deeply([map { $_->{v} } @{ history_of($w, $ht) }], [],
    'no wildcard answer was reported');
ok(stop_server($checkd), 'the daemon stops');
$_->stop for $first, $second;
done_testing();
