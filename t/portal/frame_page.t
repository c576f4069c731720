#!/usr/bin/perl

# The frame of the portal in a browser: each address that there has ever been
# shows its screen, with its item and tab of the menu, for all roles and for
# operators; titles; name and logo of who runs the portal; the menu of a phone.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $brand = 'Example <b>Hosting</b>';
my $t = browser_setup(lists => 1, http => 'rbl_zone rbl 1m;',
    portal => 'rbl_portal_url http://localhost:%%PORT%%/portal/;'
        . qq{rbl_portal_name "$brand"; rbl_portal_logo /portal/icon.svg?own;});
daemon_seen($t);
my $host = add_host($t, '192.0.2.1', name => 'mail');
list_host($t, $host->{id}, lists => 2);
my ($list) = @{ json(call($t, 'GET', 'rbls.json'))->{data} };
my $app = json(rblctl($t->{redis}, '--json', 'app', 'add', $t->{acct}{sid},
    'Nagios')->{out});
my $hook = json(rblctl($t->{redis}, '--json', 'webhook', 'add',
    $t->{acct}{sid}, 'Tickets', 'https://hook.example/')->{out});
my $contact = json(call($t, 'POST', 'contact/add.json', form => {
    type => 'endpoint', contact => 'https://example.com/',
    schedule => 'start_and_end' }))->{data};
my ($group) = @{ json(call($t, 'GET', 'contactgroups.json'))->{data} };
my ($profile) = @{ json(call($t, 'GET', 'rblprofiles.json'))->{data} };
bill_of($t, $t->{acct});
my $operators = operators($t);
browser_run($t, 'frame', brand => $brand, host => $host->{id}, list => $list->{id},
    app => $app->{id}, hook => $hook->{id}, contact => $contact->{id},
    group => $group->{id}, profile => $profile->{id},
    account => $t->{acct}{sid}, name => json(rblctl($t->{redis}, '--json',
        'account', 'show', $t->{acct}{sid})->{out})->{name},
    map({ $_ => add_user($t, role => 'viewer')->{link} } qw(again keys)),
    map { ($_ => add_user($t, role => $_)->{link},
        "operator_$_" => add_user($t, acct => $operators, role => $_)->{link})
    } qw(owner viewer));

done_testing();
