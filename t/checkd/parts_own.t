#!/usr/bin/perl

# An account's own list without a test point; a part of its zone is delegated
# ("127.own.test", or "net.names.test"), and the test points would be there.  As
# in parts.t, the end of a listing elsewhere in the zone is announced after a
# day of negative responses.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time);

my @rest = (['\.127\.own\.test', { rcode => 'nxdomain',
        soa => ['127.own.test', 2, 2] }],
    ['\.net\.names\.test', { rcode => 'nxdomain',
        soa => ['net.names.test', 2, 2] }],
    ['names\.test', { rcode => 'nxdomain', soa => ['names.test', 2, 2] }],
    ['.', { rcode => 'nxdomain', soa => ['own.test', 2, 2] }]);
my %a = (a => ['127.0.0.2'], ttl => 2);
my $dns = RblDns->new(rules => [['^5\.0\.0\.10\.own\.test', { %a }],
    ['^bad\.example\.names\.test', { %a }], @rest]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'none' } });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short() });
own_lists($w, 'own.test' => 'rbl', 'names.test' => 'uribl');
my %ht = ('own.test' => add_host($w, '10.0.0.5'),
    'names.test' => add_host($w, 'bad.example', type => 'uribl', family => 4));
for my $zone (sort keys %ht) {
    eventually { host_record($w, $ht{$zone})->{listed_count} == 1 } 10,
        "$zone: the own list lists the host";
}
$dns->rules(@rest);
for my $zone (sort keys %ht) {
    is(verdict($w, $ht{$zone}, $zone), 'unknown unconfirmed',
        "$zone: the listing does not end at once");
    cleared($w, $ht{$zone}, time * 1000 - 25 * 3_600_000);
    is(verdict($w, $ht{$zone}, $zone), 'clear ',
        "$zone: the listing ends after a day");
}
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
