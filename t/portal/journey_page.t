#!/usr/bin/perl

# The portal from the first link to the last sign-out, in a browser, by keyboard,
# with a real daemon, list, mail server and receiver: what a new customer does.

use strict;
use warnings;

use Test::More;

use RblBrowser;
use RblMail;

my $zone = 'dnsbl.portal.test';
my $rbldnsd = start_rbldnsd(zones => [[$zone, 'ip4set', "\$TTL 1\n"
    . ":127.0.0.2:spam source\n127.0.0.2\n192.0.2.10\n"]]);
my $lists = temp_dir() . '/lists.json';
write_file($lists, qq({"version": 1, "lists": [{"zone": "$zone", "name": "P",
    "type": "rbl", "families": ["ipv4"], "codes": ["127.0.0.2=spam"]}]}));
my $exim = start_exim();
my $t = browser_setup(lists => $lists, http => 'rbl_zone rbl 1m;');
my $receiver = start_receiver();
my $daemon = start_checkd(store => $t->{redis}, resolver => $rbldnsd,
    conf => { smtp_url => "smtp://127.0.0.1:$exim->{port}",
        smtp_from => 'blocklists@example.net', deliver_http => 'on',
        deliver_allow => '127.0.0.0/8' });
my $user = add_user($t);
my $other = sign_in($t, user => { %$user, link => json(rblctl($t->{redis},
    '--json', 'user', 'link', $t->{acct}{sid}, $user->{id})->{out})->{link}
    =~ s{^#/link/}{}r });
browser_run($t, 'journey', link => $user->{link}, account => $t->{acct}{sid},
    zone => $zone, mails => $exim->{mails}, receiver => $receiver->{url},
    answers => "$receiver->{file}.answer");

is(portal($t, $other, 'GET', 'me.json')->{status}, 401,
    'signing out everywhere ended the session in another browser, too');
my ($again) = grep { $_->{json}{event_type} eq 'rbl.host.check.started'
    && $_->{status} == 200 } received($receiver);
ok($again, 'the receiver got the event that was a dead letter');

done_testing();
