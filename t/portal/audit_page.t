#!/usr/bin/perl

# The audit log in a browser.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup();
my $admin = add_user($t, role => 'admin');
my $also = sign_in($t, user => { %$admin, link =>
    json(rblctl($t->{redis}, '--json', 'user', 'link', $t->{acct}{sid},
        $admin->{id})->{out})->{link} =~ s{^#/link/}{}r });
accepted(portal($t, $also, 'POST', 'contact/add.json', fields => {
    type => 'slack', contact => 'https://hooks.slack.com/services/T1/B1/canary',
    schedule => 'every_check' }), 'the contact is added');
accepted(portal($t, $also, 'POST', 'host/add.json', fields => {
    host => '192.0.2.7', name => 'mail', type => 'rbl' }), 'the host is added');
browser_run($t, 'audit', link => $admin->{link}, mail => $admin->{mail},
    viewer => add_user($t, role => 'viewer')->{link});

done_testing();
