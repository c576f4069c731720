#!/usr/bin/perl

# A list of IPv4 and IPv6 has its test points of both.  Its IPv6 data are
# emptied (a data set that did not load), its IPv4 data are not: the positive
# test point of IPv6 is missing.  A list that had one before is dead without it
# (gate.c), so the listing of an IPv6 address stays, even a day later.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time);

my $listed = { a => ['127.0.0.2'], ttl => 2 };
my $clear = { rcode => 'nxdomain', soa => ['v.test', 2, 2] };
my $six = [ '^2\.0\.0\.0\.0\.0\.f\.7\.f\.f\.f\.f\.(0\.)+v\.test', $listed ];
my $entry = [ '^1\.0\.(0\.)+8\.b\.d\.0\.1\.0\.0\.2\.v\.test', $listed ];
my @four = ([ '^2\.0\.0\.127\.v', $listed ], [ '.', $clear ]);
my $dns = RblDns->new(rules => [ $entry, $six, @four ]);
my $w = world(no_dns => 1, zones => { 'v.test' => { control => 'ip',
    families => ['ipv4', 'ipv6'] } });
sub daemon {
    return start_checkd(store => $w->{redis},
        resolver => { port => $dns->port },
        conf => { conf_short(control_retry => '1s') });
}
my $checkd = daemon();

my $ht = add_host($w, '2001:db8::1', family => 2);
eventually { host_record($w, $ht)->{listed_count} == 1 } 10,
    'the list lists the IPv6 address';
is(verdict($w, $ht, 'v.test'), 'listed ',
    'the first result of the address is a listing');
is(log_count($checkd, 'v\.test, ipv6.*: good'), 1,
    'the log says that the IPv6 test point passes');

$dns->rules(@four);
like(verdict($w, $ht, 'v.test'), qr/^unknown/,
    'the emptied IPv6 data make the address unknown');
eventually { verdict($w, $ht, 'v.test') eq 'unknown unhealthy' } 10,
    'the missing IPv6 test point makes the list unhealthy';
for my $who ('the daemon that saw it', 'one that was started since') {
    like(verdict($w, $ht, 'v.test'), qr/^unknown/, "$who: nothing ends");
    cleared($w, $ht, time * 1000 - 25 * 3_600_000);
    like(verdict($w, $ht, 'v.test'), qr/^unknown/,
        "$who: nothing ends a day later");
    is(host_record($w, $ht)->{listed_count}, 1, "$who: the listing is current");
    ok(stop_server($checkd), "$who: the daemon stops");
    $checkd = daemon();
}
ok(stop_server($checkd), 'the last daemon stops');
$dns->stop;
done_testing();
