#!/usr/bin/perl

# The daemon's cache keeps responses for their TTL.  Scheduled checks use it;
# manual checks, of a host and of a value, bypass it, in both modes.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;

my $dns = RblDns->new(rules => [
    ['^2\.0\.0\.127\.', { a => ['127.0.0.2'], aa => 1 }],
    ['.', { rcode => 'nxdomain', aa => 1, soa => ['a.test', 300, 300] }]]);

sub asked { return $dns->asked('^' . quotemeta(join '.', reverse split /\./,
    $_[0]) . '\.a\.test A$') }

my $n = 0;
for my $lookup ('direct', 'resolver') {
    my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } });
    is(rblctl($w->{redis}, 'lists', 'override', 'a.test', '--server',
        '127.0.0.1@' . $dns->port)->{status}, 0, "$lookup: its server");
    my $checkd = start_checkd(store => $w->{redis},
        resolver => { port => $dns->port },
        conf => { conf_short(lookup => $lookup,
            cache_size => '8m') });
    my $ip = '10.0.0.' . ++$n;
    my $ht = add_host($w, $ip);
    eventually { host_record($w, $ht)->{checked} } 10,
        "$lookup: a scheduled check of the host finishes";
    my $first = asked($ip);
    cmp_ok($first, '>=', 1, "$lookup: the list was queried");

    for (1 .. 3) {
        my $before = host_record($w, $ht)->{checked};
        set_due($w, $ht);
        wait_for { host_record($w, $ht)->{checked} > $before } 10, 'a check';
    }
    is(asked($ip), $first, "$lookup: scheduled checks use the cache");
    wait_check($w, check_host($w, $ht));
    is(asked($ip), $first + 1,
        "$lookup: a manual check of the host bypasses the cache");
    wait_check($w, check_value($w, $ip));
    is(asked($ip), $first + 2,
        "$lookup: a check of the value bypasses the cache");
    ok(stop_server($checkd), "$lookup: the daemon stops");
}
$dns->stop;
done_testing();
