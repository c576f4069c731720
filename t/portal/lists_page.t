#!/usr/bin/perl

# Lists, profiles and checks in a browser, with a real daemon and real lists.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my ($system, $own) = ('system.portal.test', 'own.portal.test');
my $rbldnsd = start_rbldnsd(zones => [
    [$system, 'ip4set', "\$TTL 1\n:127.0.0.2:spam\n127.0.0.2\n"],
    [$own, 'ip4set', "\$TTL 1\n:127.0.0.2:seen by us\n127.0.0.2\n192.0.2.10\n"]]);
my $lists = temp_dir() . '/lists.json';
write_file($lists, qq({"version": 1, "lists": [{"zone": "$system", "name": "S",
    "type": "rbl", "families": ["ipv4"], "day_quota": 5000, "weight": "high",
    "codes": ["127.0.0.2=spam", "!127.255.255.254=refused"]}]}));
my $t = browser_setup(lists => $lists);
# 90 of 100 queries of this hour were answered.
my ($sid) = @{ redis($t->{redis}, 'ZRANGE', 'rbl:{0}:lists:active', 0, 0) };
my $hour = "\0" x 288;
substr $hour, 12 * int(time % 86_400 / 3600), 12, pack 'N3', 90_000, 0, 10_000;
redis($t->{redis}, 'HSET', 'rbl:{0}:responses:' . int(time / 86_400), $sid,
    $hour);
my $daemon = start_checkd(store => $t->{redis}, resolver => $rbldnsd);
my $free = make_account($t->{redis}, name => 'Free', free => 1);
my $many = make_account($t->{redis}, name => 'Many');
rblctl($t->{redis}, 'profile', 'add', $many->{sid}, "profile $_") for 1 .. 50;
browser_run($t, 'lists', link => add_user($t)->{link}, own => $own,
    system => $system, viewer => add_user($t, role => 'viewer')->{link},
    free => add_user($t, acct => $free)->{link},
    many => add_user($t, acct => $many)->{link});

done_testing();
