#!/usr/bin/perl

# A list without a test entry has said for twenty hours that a listing is over.
# Its server is away for a moment, once a day: that is no other answer, and the
# day goes on (it may otherwise never be over).

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
    resolver => { port => $dns->port }, conf => { conf_short(control_retry => '3s') });
my $acct = redis_key('acct', $w->{acct}{sid});
my $rb = fresh_sid('RB');
script_ok($w, 'rbl_add', [$acct], $rb, 'rbl', 'own.test');
script_ok($w, 'profile_add', [$acct], fresh_sid('RP'), 'own', 1, 1,
    @{ redis($w->{redis}, 'ZRANGE', RblCheckd::pkey($w, 'lists'), 0, -1) },
    $rb);
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{listed_count} == 1 } 10, 'listed';
sub result {
    my $pp = check_host($w, $ht);
    wait_check($w, $pp);
    my $d = details($w, $pp)->{'own.test'};
    return "$d->{status} $d->{error}";
}
sub cleared {
    wait_for { jobs_left($w) == 0 } 10, 'nothing to be under way';
    my $h = host_record($w, $ht);
    my $was = $h->{details}[0][8];
    return $was if !@_;
    $h->{details}[0][8] = $_[0];
    redis($w->{redis}, 'SET', RblCheckd::akey($w, 'r', $ht),
        record_pack('host', %$h, name => \$h->{name}, value => \$h->{value}));
    return $was;
}
$dns->rules($none);
is(result(), 'unknown unconfirmed', 'it is over, the list says');
my $at = int(time * 1000) - 20 * 3_600_000;
cleared($at);
is(result(), 'unknown unconfirmed', 'for 20 hours');
is(cleared(), $at, 'which is kept');
sleep 4;
$dns->rules(['.', 'servfail']);
like(result(), qr/^unknown servfail/, 'it is away');
is(cleared(), $at, 'which is kept');
eventually { log_count($checkd, 'own\.test, ipv4.*: down') == 1 } 5,
    'the daemon notes it';
$dns->rules($none);
is(result(), 'unknown unconfirmed', 'it is back');
is(cleared(), $at, 'it is back with the same answer: which is kept');
ok(stop_server($checkd), 'it stops');
$dns->stop;
done_testing();
