#!/usr/bin/perl

# The banner of every screen while the service does not work, for users in two
# languages and for an operator, with a real daemon whose resolver is dead.

use strict;
use warnings;

use Test::More;

use RblBrowser;
use RblCheckd ();
use RblDns;

my $dns = RblDns->new(rules => [['.' => 'mute']]);
my $lists = temp_dir() . '/lists.json';
write_file($lists, RblCheckd::lists_json({ map { ("$_.test",
    { control => 'ip' }) } qw(a b c) }));
my $t = browser_setup(lists => $lists);
my $daemon = start_checkd(store => $t->{redis}, resolver => $dns->port,
    conf => { RblCheckd::conf_short(control_retry => '1s') });
add_host($t, '192.0.2.1');
my $operators = operators($t);
ok(wait_for(sub { rblctl($t->{redis}, 'status')->{out} =~ /^broken: dns/ },
    90), 'rblctl status says that DNS does not work');
browser_run($t, 'service', who => [
    { link => add_user($t, role => 'viewer')->{link}, locale => 'en-GB',
        text => 'The monitoring does not work at present.',
        why => 'DNS does not work, so lists cannot be queried.',
        lists => '0 of 3 lists answered' },
    { link => add_user($t, role => 'owner')->{link}, locale => 'de-DE',
        text => "Die \x{dc}berwachung arbeitet zurzeit nicht.",
        why => "DNS arbeitet nicht, also k\x{f6}nnen Listen nicht gefragt"
            . ' werden.' },
    { link => add_user($t, acct => $operators, role => 'viewer')->{link},
        locale => 'en-GB', operator => 1, secret => '127.0.0.1',
        text => 'The monitoring does not work at present.',
        why => 'DNS does not work, so lists cannot be queried.' }]);
$dns->stop;

done_testing();
