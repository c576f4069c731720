#!/usr/bin/perl

# Events that are read together are recorded together, with and without
# subscribers: many events need few calls.  Their number depends on timing; one
# by one, each event would need one call and each delivery another.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

use constant EVENTS => 300;

deliver_setup();
my $hook = start_receiver();

sub calls {
    my %n = map { /^cmdstat_(eval|evalsha):calls=(\d+)/ ? ($1, $2) : () }
        split /\r?\n/, cmd('INFO', 'commandstats');
    return ($n{eval} // 0) + ($n{evalsha} // 0);
}

# Responses that arrive one by one finish deliveries one by one.
for my $case (['rbl.host.delisted', 0, EVENTS / 3, 'without a receiver'],
    ['rbl.host.listed', EVENTS / 3, EVENTS * 2 / 3, 'with a receiver'])
{
    my ($type, $wanted, $most, $name) = @$case;
    my $wh = hook_add($hook->{url}, 's', $type);
    event_emit() for 1 .. EVENTS / 3;
    is(cmd('XLEN', k('outbox')), EVENTS,
        "the outbox has the events of a case $name");
    cmd('CONFIG', 'RESETSTAT');
    my $d = start_deliverd();
    soon { idle() && received($hook) == $wanted } 'they are over';
    my $n = calls();
    cmp_ok($n, '<', $most, "the daemon needs $n calls for events $name");
    stop_server($d);
}

done_testing();
