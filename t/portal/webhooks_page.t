#!/usr/bin/perl

# Webhooks in a browser, with a real daemon and a real receiver.

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
my $receiver = start_receiver(body => 'thank <you>');
my $daemon = start_checkd(store => $t->{redis}, resolver => $rbldnsd,
    conf => { deliver_http => 'on', deliver_allow => '127.0.0.0/8' });
my $late = sign_in($t);
sign_in_ago($t, $late, 11 * 60_000);
my ($name, $value) = split /=/, $late->{cookie}, 2;
browser_run($t, 'webhooks', link => add_user($t)->{link},
    receiver => $receiver->{url}, answers => "$receiver->{file}.answer",
    late => { name => $name, value => $value });

my @got = received($receiver);
my $store = rblctl($t->{redis}, '--json', 'webhook', 'list', $t->{acct}{sid});
is_deeply(json($store->{out}), [], 'the account has no webhook in the end');
ok((grep { $_->{json}{event_type} eq 'webhook.test' && $_->{status} == 200 }
    @got), 'the receiver got a test');
ok((grep { $_->{json}{event_type} eq 'webhook.test' && $_->{status} == 500 }
    @got), 'the receiver refused a test');
ok((grep { $_->{json}{event_type} eq 'rbl.host.check.started' } @got),
    'the receiver got the event of the dead letter');

done_testing();
