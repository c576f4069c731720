#!/usr/bin/perl

# For a moment another store stands behind the address, one with another number
# of partitions.  The daemon refuses it, and its keys are right for the store
# that is there afterwards.

use strict;
use warnings;

use RblCheckd;
use RblTest;

my $w = world(zones => { 'a.test' => { data => listed_entry('10.0.0.1') } },
    redis => { cluster => 0 });
my $checkd = start_checkd(store => $w->{redis}, resolver => $w->{dns},
    conf => { conf_short() });
is(wait_check($w, check_value($w, '10.0.0.1'))->{status}, 'completed',
    'a check completes on the first store');

redis($w->{redis}, 'HSET', 'rbl:meta', 'partitions', 2 * partitions());
redis($w->{redis}, 'CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
ok(wait_log($checkd, qr/its number of partitions has changed/, 10),
    'another number of partitions is refused');

redis($w->{redis}, 'HSET', 'rbl:meta', 'partitions', partitions());
is(wait_check($w, check_value($w, '10.0.0.1'), 20)->{status}, 'completed',
    'checks go on when it is right again');

ok(stop_server($checkd), 'the daemon stops');
done_testing();
