#!/usr/bin/perl

# A daemon with "schedule off" makes manual checks and leaves due hosts alone.

use strict;
use warnings;

use RblCheckd;
use RblTest;

my $w = world(zones => { 'a.test' => { data => listed_entry('10.0.0.1') } });
set_due($w, add_host($w, '10.2.0.1'));
my @manual = map { check_value($w, "10.3.0.$_") } 1 .. 60;
start_checkd(store => $w->{redis}, resolver => $w->{dns},
    conf => { conf_short(schedule => 'off') });
is(scalar(grep { wait_check($w, $_, 20)->{status} ne 'completed' } @manual), 0,
    'manual checks complete');
is(hosts_due($w), 1, 'a host that is due is not checked');

done_testing();
