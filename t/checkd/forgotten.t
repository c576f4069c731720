#!/usr/bin/perl

# An account's own list had a test point, and its owner has removed it: none of
# its listings ends.  Evidence on the zone is kept for 90 days; daily evidence
# (its SOA) does not keep the test point for longer.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time);

use constant DAY => 86_400_000;         # ms

my @rest = (['.', { rcode => 'nxdomain', soa => ['own.test', 1, 1] }]);
my @listed = map { ["^$_\\.own\\.test( |\$)", { a => ['127.0.0.2'], ttl => 1 }] }
    '2\.0\.0\.127', '5\.0\.0\.10';
my $dns = RblDns->new(rules => [@listed, @rest]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'none' } });
sub daemon {
    return start_checkd(store => $w->{redis},
        resolver => { port => $dns->port },
        conf => { conf_short(control_retry => '1s') });
}
my $checkd = daemon();
own_lists($w, 'own.test' => 'rbl');
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{listed_count} == 1 } 10,
    'the own list lists the host';
my ($key) = grep { /own\.test/ } @{ redis($w->{redis}, 'KEYS', '*zone*') };
eventually { redis($w->{redis}, 'HEXISTS', $key, 'entry ipv4') } 5,
    'the store records the test point of the list';
$dns->rules(@rest);                     # both are removed
ok(stop_server($checkd), 'the daemon stops');

# The test point was seen so many days ago, and the SOA today.
for ([89, 'unknown unhealthy'], [91, 'clear ']) {
    my ($days, $verdict) = @$_;
    redis($w->{redis}, 'HSET', $key, 'entry ipv4',
        sprintf '1 %.0f', time * 1000 - $days * DAY);
    $checkd = daemon();
    like(verdict($w, $ht, 'own.test'), qr/^unknown/, "$days days: at first");
    cleared($w, $ht, time * 1000 - 25 / 24 * DAY);
    is(verdict($w, $ht, 'own.test'), $verdict, "$days days: $verdict");
    ok(stop_server($checkd), 'the daemon stops');
}
$dns->stop;
done_testing();
