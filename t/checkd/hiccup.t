#!/usr/bin/perl

# A list without a test point has answered for twenty hours that a listing has
# ended.  Its server is away for a moment, once a day.  This is not a different
# response, and the day continues (it might otherwise never end).  The length of
# the outage does not count.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time);

my $none = ['.', { rcode => 'nxdomain', soa => ['own.test', 2, 2] }];
my $dns = RblDns->new(rules => [
    ['^5\.0\.0\.10\.own\.test( |$)', { a => ['127.0.0.2'], ttl => 2 }],
    $none]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'none' } });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port },
    conf => { conf_short(control_retry => '3s') });
own_lists($w, 'own.test' => 'rbl');
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{listed_count} == 1 } 10,
    'the own list lists the host';
sub result { return verdict($w, $ht, 'own.test') }
$dns->rules($none);
is(result(), 'unknown unconfirmed',
    'one response without the entry is not enough');
my $at = int(time * 1000) - 20 * 3_600_000;
cleared($w, $ht, $at);
is(result(), 'unknown unconfirmed',
    '20 hours of clear responses do not end the listing');
is(cleared($w, $ht), $at, 'the time of the first such response stays');
sleep 4;
$dns->rules(['.', 'servfail']);
like(result(), qr/^unknown servfail/, 'the list is down');
my $later = cleared($w, $ht);
cmp_ok($later - $at, '<', 30_000, 'the time of the first such response stays');
eventually { log_count($checkd, 'own\.test, ipv4.*: down') == 1 } 5,
    'the daemon logs that the list is down';
$dns->rules($none);
is(result(), 'unknown unconfirmed',
    'a list that is back does not end the listing');
is(cleared($w, $ht), $later, 'the same response again: the time stays');

$dns->rules(['.', 'servfail']);
my $h = host_record($w, $ht);
$h->{checked} -= 6 * 3_600_000;
redis($w->{redis}, 'SET', RblCheckd::akey($w, 'r', $ht), record_pack('host',
    %$h, name => \$h->{name}, value => \$h->{value}));
like(result(), qr/^unknown servfail/, 'the list is down for six hours');
my $away = cleared($w, $ht) - $later - 6 * 3_600_000;
cmp_ok(abs $away, '<', 30_000, 'the six hours do not count');
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
