#!/usr/bin/perl

# The zone of a list was missing while a host was queried: the parent zone
# answered NXDOMAIN, and a resolver caches that for longer than any response of
# the list.  The zone is back and passes its test points.  A daemon that has not
# seen it missing must not take the cached response for the end of a listing.

use strict;
use warnings;

use RblCheckd;
use RblDns;
use RblTest;

use constant KEPT => 20;

my $listed = { a => ['127.0.0.2'], ttl => 3, aa => 1 };
my @there = (['^2\.0\.0\.127\.', $listed], ['^5\.0\.0\.10\.', $listed],
    ['.', { rcode => 'nxdomain', soa => ['a.test', 2, 2], aa => 1 }]);
my @away = (['.', { rcode => 'nxdomain', soa => ['test', KEPT, KEPT],
    aa => 1 }]);

my $dns = RblDns->new(rules => \@there);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } });
my $unbound = start_unbound(stubs => { test => { port => $dns->port } },
    conf => "  cache-max-ttl: 3600\n  cache-max-negative-ttl: 3600\n");
my %conf = (store => $w->{redis}, resolver => $unbound,
    conf => { conf_short(check_timeout => '6s', lease => '20s',
        control_retry => '1s') });

sub rcode { return dns_query($unbound, '5.0.0.10.a.test')->{rcode} }

my $checkd = start_checkd(%conf);
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{listed_count} == 1 } 10,
    'the first check lists the host';
ok(stop_server($checkd), 'the daemon that knows the list stops');

$dns->rules(@away);
eventually { rcode() == 3 } 10, 'the zone does not exist';
$dns->rules(@there);
$checkd = start_checkd(%conf);
for (1 .. 3) {
    my $pp = check_host($w, $ht);
    wait_check($w, $pp);
    my $d = details($w, $pp)->{'a.test'};
    is("$d->{status} $d->{error}", 'unknown unconfirmed',
        'a cached response of the parent zone ends no listing');
    my $wait = host_record($w, $ht)->{next_check} / 1000 - time;
    cmp_ok($wait, '>', $_ == 1 ? 1 : KEPT / 3,
        'the list is queried again when that has expired') if $_ != 2;
}

# In its last seconds its TTL is like that of the list's responses; only the
# owner of its SOA differs.
my %said;
my $end = time + KEPT + 10;
while (rcode() == 3 && time < $end) {
    my $pp = check_host($w, $ht);
    wait_check($w, $pp);
    my $d = details($w, $pp)->{'a.test'};
    $said{ $d->{status} }++;
}
cmp_ok($said{unknown} // 0, '>', 0, 'queried until it has expired');
delete @said{qw(unknown listed)};
is_deeply(\%said, {}, 'no check finds it clear in its last seconds');
is(rcode(), 0, 'the response has expired');
eventually {
    my $pp = check_host($w, $ht);
    wait_check($w, $pp);
    details($w, $pp)->{'a.test'}{status} eq 'listed'
} 10, 'the list is accepted when the response has expired';
is(host_record($w, $ht)->{listed_count}, 1, 'the host is listed all the time');
is_deeply([map { "$_->{z} $_->{v}" } @{ history_of($w, $ht) }],
    ['a.test listed'], 'the history has no other transition');
stop_server($checkd);
done_testing();
