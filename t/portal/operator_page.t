#!/usr/bin/perl

# An operator in a browser, with a real daemon.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $zone = 'system.portal.test';
my $rbldnsd = start_rbldnsd(zones => [
    [$zone, 'ip4set', "\$TTL 1\n:127.0.0.2:spam\n127.0.0.2\n"]]);
my $lists = temp_dir() . '/lists.json';
write_file($lists, qq({"version": 1, "lists": [{"zone": "$zone", "name": "S",
    "type": "rbl", "families": ["ipv4"], "day_quota": 5000,
    "codes": ["127.0.0.2=spam"]}, {"zone": "off.portal.test", "name": "O",
    "type": "rbl", "families": ["ipv4"], "enabled": false,
    "codes": ["127.0.0.2=spam"]}]}));
my $t = browser_setup(lists => $lists);
my $daemon = start_checkd(store => $t->{redis}, resolver => $rbldnsd);
my $operators = operators($t);
my ($list) = @{ redis($t->{redis}, 'ZRANGE', 'rbl:{0}:lists', 0, 0) };
redis($t->{redis}, 'HSET', redis_key('list', $list), frozen => 1000 * (time
    - 60), turned => 12, of => 30);
# Two points: in the last hour, and before it.  The daemon adds some queries.
my $now = int(time / 300);
for ([$now - 1, 1, 1, 700, 100, 100, 100, 2, 0, 0, 0],
    [$now - 100, 1, 9, 6300, 900, 900, 900, 3, 4, 5, 6])
{
    my ($at, @n) = @$_;
    redis($t->{redis}, 'SETRANGE', 'rbl:{0}:series:' . int($at / 288),
        40 * ($at % 288), pack 'N10', @n);
}
my $day = int($now / 288);
redis($t->{redis}, 'HSET', "rbl:{0}:responses:$day", $list,
    "\0" x (12 * int($now % 288 / 12)) . pack('N3', 900, 200, 100)
    . "\0" x (276 - 12 * int($now % 288 / 12)));
redis($t->{redis}, 'HSET', redis_key('refs', $t->{acct}{sid}), w4 => 1);
browser_run($t, 'operator', zone => $zone, account => $t->{acct}{sid},
    other => $t->{other}{sid},
    owner => add_user($t, acct => $operators, role => 'owner')->{link},
    viewer => add_user($t, acct => $operators, role => 'viewer')->{link});

done_testing();
