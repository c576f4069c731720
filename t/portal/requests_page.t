#!/usr/bin/perl

# Requests of operators in a browser: without a daemon, then with one.

use strict;
use warnings;
use utf8;

use Test::More;

use RblBrowser;

my $t = browser_setup(lists => 1);
my $plans = temp_dir() . '/plans.json';
write_file($plans, '{"version": 1, "plans": [' . join(',', map {
    qq({"name": "$_", "paid": 0, "max_hosts": 7, "max_contacts": 3,
    "max_checks": 9, "interval": "2h"}) } 'Small', 'Large') . ']}');
my $operators = operators($t);
my @roles = map { my $role = $_; ($role => sub { add_user($t,
    acct => $operators, role => $role)->{link} }) } 'owner', 'viewer';
my %link = @roles;

sub run {
    my (%more) = @_;

    browser_run($t, 'requests', account => $t->{acct}{sid}, %more,
        map { $_ => $link{$_}->() } sort keys %link);
    return;
}

run(away => 1);
start_checkd(store => $t->{redis}, resolver => 9,
    conf => { bill_plans => $plans });
run(away => 0);

done_testing();
