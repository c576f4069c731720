#!/usr/bin/perl

# A list whose rules this daemon cannot read (a newer release has more) is not
# queried, and its current listings stay: a listing is not lost without a
# response.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;

my $dns = RblDns->new(rules => [
    [ 'a\.test', { a => ['127.0.0.2'], txt => ['why'], ttl => 0 } ],
    [ '.', { rcode => 3 } ],
]);
my $w = world(no_dns => 1, zones => { 'a.test' => {}, 'b.test' => {} });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short() });
my $ht = add_host($w, '10.0.0.9');

wait_for { host_record($w, $ht)->{checked} } 15, 'the first check';
is(host_record($w, $ht)->{listed_count}, 1, 'the first check lists the host');

for my $sid (@{ redis($w->{redis}, 'ZRANGE', 'rbl:{0}:lists', 0, -1) }) {
    my $key = "rbl:{0}:r:SYS:$sid";
    my $list = mp_unpack(redis($w->{redis}, 'GET', $key));
    next if $list->[3] ne 'a.test';
    $list->[10] = ['127.0.0.2=listed', 'a rule of another release'];
    redis($w->{redis}, 'SET', $key, mp_pack($list));
}
redis($w->{redis}, 'INCR', 'rbl:{0}:lists:ver');
wait_log($checkd, qr/list a\.test is not queried/);

my $check = wait_check($w, check_host($w, $ht), 20);
is($check->{status}, 'completed', 'the check ends');
is($check->{unknown}, 1, 'a list with unreadable rules is unknown');
is(host_record($w, $ht)->{listed_count}, 1,
    'the listing on the unreadable list stays');

done_testing();
