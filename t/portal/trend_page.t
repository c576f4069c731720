#!/usr/bin/perl

# The overview in a browser: hosts by weight and the change since yesterday, the
# days as a chart and as a table, what is not right, what is to be done, hosts by
# list and by group; in English and German.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup(lists => 1);
my $ac = $t->{acct}{sid};
my $date = int(time / 86_400);
my @ids = map { add_host($t, "192.0.2.$_")->{id} } 1 .. 3;
list_host($t, $_) for @ids[0, 1];
redis($t->{redis}, 'SET', redis_key('days', $ac), join '', map {
    pack 'C*', 1, $_, 1, $_ == 10 ? 1 : 0, 2, 1 } 1 .. 20);
redis($t->{redis}, 'SET', redis_key('today', $ac), record_pack('today',
    version => 1, date => $date, begun => 3, ended => 4, info_was => 2,
    normal_was => 1, high_was => 0, critical_was => 5, first => $date - 20,
    last => $date - 1, made => $date - 20));
my @lists = @{ redis($t->{redis}, 'ZRANGE', 'rbl:{0}:lists:active', 0, 30) };
redis($t->{redis}, 'HSET', redis_key('refs', $ac), w4 => 7, w2 => 1,
    map { ("$lists[$_]:h" => 30 - $_) } 0 .. 24);
redis($t->{redis}, 'HSET', redis_key('newly', $ac, $date), $lists[0] => 12);
my $group = json(portal($t, sign_in($t), 'GET', 'contactgroups.json'))
    ->{data}[0]{id};
redis($t->{redis}, 'HSET', redis_key('refs', $ac), "$group:l" => 2);
redis($t->{redis}, 'HSET', redis_key('moved', $ac, $date), $group => 1);
browser_run($t, 'trend', list => $lists[0], who => [
    { link => add_user($t, role => 'viewer')->{link}, locale => 'en-GB',
        weights => ['7 critical +2 since yesterday', '1 normal as yesterday',
            "0 info \x{2212}2 since yesterday"],
        says => '7 days: listed hosts now 2, new listings 15, ended 10.',
        more => '17 more lists', first => 'critical,30,12',
         care => ['Not right: nobody is notified about the hosts of 1 group: '
             . 'Default'],
         group => '3,2,+1,nobody is notified',
        since => 'The numbers begin on',
        unknown => 'Hosts were unknown at the end of' },
    { link => add_user($t, role => 'viewer')->{link}, locale => 'de-DE',
        weights => ['7 kritisch +2 seit gestern', '1 normal wie gestern',
            "0 Info \x{2212}2 seit gestern"],
        says => "7 Tage: gelistete Hosts jetzt 2, neue Eintr\x{e4}ge 15,"
            . ' beendete 10.',
        more => '17 weitere Listen', first => 'kritisch,30,12', care => [
            "Stimmt nicht: von den Hosts 1 Gruppe erf\x{e4}hrt niemand: Default"],
        group => "3,2,+1,niemand erf\x{e4}hrt es",
        since => 'Die Zahlen beginnen am',
        unknown => 'waren Hosts unbekannt' }]);

done_testing();
