#!/usr/bin/perl

# Hosts in a browser, with a real daemon and a real list.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $zone = 'dnsbl.portal.test';
my $rbldnsd = start_rbldnsd(zones => [[$zone, 'ip4set', "\$TTL 1\n"
    . ":127.0.0.2:spam source\n127.0.0.2\n192.0.2.10\n"]]);
my $lists = temp_dir() . '/lists.json';
write_file($lists, qq({"version": 1, "lists": [{"zone": "$zone", "name": "P",
    "type": "rbl", "families": ["ipv4"], "codes": ["127.0.0.2=spam"]}]}));
my $t = browser_setup(lists => $lists);
my $daemon = start_checkd(store => $t->{redis}, resolver => $rbldnsd);
browser_run($t, 'hosts', link => add_user($t)->{link}, zone => $zone);

my $r = portal($t, sign_in($t), 'GET', 'changes.json');
my ($change) = @{ accepted($r, 'changes')->{data} };
is_deeply([@$change{qw(host total)}, map { @$_{qw(host status)} }
    @{ $change->{changes} }], ['192.0.2.10', 1, $zone, 'listed'],
    'the check that found the listing is among the changes');

done_testing();
