#!/usr/bin/perl

# The domain of an account's own list, which has no test point, is gone for more
# than a day (its registration expired): the parent zone answers NXDOMAIN for
# everything, including the test points.  A daemon that has seen the list alive
# detects by the SOA that the responses are not the list's; a daemon started
# later reads from the store where the list's zone ends.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time);

my $dns = RblDns->new(rules => [
    ['^5\.0\.0\.10\.own\.test( |$)', { a => ['127.0.0.2'], ttl => 2 }],
    ['.', { rcode => 'nxdomain', soa => ['own.test', 2, 2] }]]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'none' } });
sub daemon {
    return start_checkd(store => $w->{redis},
        resolver => { port => $dns->port }, conf => { conf_short() });
}
my $checkd = daemon();
own_lists($w, 'own.test' => 'rbl');
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{listed_count} == 1 } 10,
    'the own list lists the host';
sub result { return verdict($w, $ht, 'own.test') }
is(result(), 'listed ', 'the listing of the own list is current');
my $pp = check_value($w, '10.0.0.6');
wait_check($w, $pp);

$dns->rules(['.', { rcode => 'nxdomain', soa => ['test', 2, 2] }]);
is(result(), 'unknown unhealthy', 'a missing zone makes the list unhealthy');
cleared($w, $ht, time * 1000 - 25 * 3_600_000);
like(result(), qr/^unknown/,
    'the host is unknown after a day without the zone');
ok(stop_server($checkd), 'the daemon stops');
$checkd = daemon();
like(result(), qr/^unknown/, 'the host is unknown to a daemon started later');
cleared($w, $ht, time * 1000 - 25 * 3_600_000);
like(result(), qr/^unknown/,
    'the host stays unknown to that daemon after a day');
is(host_record($w, $ht)->{listed_count}, 1, 'the listing is current');
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
