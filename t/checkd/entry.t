#!/usr/bin/perl

# An account's own list once had 127.0.0.2 (its owner tried it out), and has not
# any more.  Nobody said that it must: what it lists from then on is listed.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;

my $none = ['.', { rcode => 'nxdomain', soa => ['own.test', 2, 2] }];
my $dns = RblDns->new(rules => [
    ['^2\.0\.0\.127\.own\.test( |$)', { a => ['127.0.0.2'], ttl => 2 }],
    ['^6\.0\.0\.10\.own\.test( |$)', { a => ['127.0.0.2'], ttl => 2 }],
    $none]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'none' } });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port },
    conf => { conf_short(control_retry => '1s') });
my $acct = redis_key('acct', $w->{acct}{sid});
my $rb = fresh_sid('RB');
script_ok($w, 'rbl_add', [$acct], $rb, 'rbl', 'own.test');
script_ok($w, 'profile_add', [$acct], fresh_sid('RP'), 'own', 1, 1,
    @{ redis($w->{redis}, 'ZRANGE', RblCheckd::pkey($w, 'lists'), 0, -1) },
    $rb);
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{checked} } 10, 'checked';
my $ends = add_host($w, '10.0.0.6');
eventually { host_record($w, $ends)->{listed_count} == 1 } 10, 'another is listed';
$dns->rules(['^5\.0\.0\.10\.own\.test( |$)', { a => ['127.0.0.2'], ttl => 2 }],
    $none);
my $last = '';
my $pp6 = check_host($w, $ends);
wait_check($w, $pp6);
note details($w, $pp6)->{'own.test'}{error};
eventually {
    my $pp = check_host($w, $ht);
    wait_check($w, $pp);
    my $d = details($w, $pp)->{'own.test'};
    $last = "$d->{status} $d->{error}";
    $last eq 'listed '
} 30, 'a listing is told';
note $last;
ok(stop_server($checkd), 'it stops');
$dns->stop;
done_testing();
