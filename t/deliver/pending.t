#!/usr/bin/perl

# A dead receiver keeps 10,000 pending deliveries: for each new event the oldest
# becomes a dead letter, which is delivered when it is replayed.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

use constant MOST => 10_000;

my $redis = deliver_setup();
my $d = start_deliverd();
my $wh = hook_add('http://127.0.0.1:1/', 's1', 'rbl.host.listed');
my $now = time * 1000;

# Earlier deliveries, the oldest first; none of them is due.
my @old = map { sid('EV') } 1 .. MOST;
for my $i (0 .. $#old) {
    my ($ev, $first) = ($old[$i], $now - 2 * MOST + $i);
    cmd('HSET', k('event', $AC, $ev), 'type', 'rbl.host.listed', 'date',
        $first, 'body', "{\"n\":$i}", 'open', 1);
    cmd('HSET', k('dlv', $AC, $ev, $wh), 'attempt', 4, 'first', $first,
        'status', 500, 'error', 'HTTP status');
    cmd('ZADD', k('retry'), $now + 7_200_000, "$AC:$ev:$wh");
    cmd('ZADD', k('pending', $AC), 0, "$wh:$first:$ev:$wh");
}

# Eight first attempts fail, or wait for the circuit.
for my $n (1 .. 8) {
    event_emit();
    soon { (() = dead_letters()) == $n } "event $n: the oldest is given up";
}
is_deeply([map { $_->{e} } dead_letters()], [@old[0 .. 7]],
    'the oldest eight deliveries become dead letters in order');
is_deeply([@{ (dead_letters())[0] }{qw(to b n x)}], [$wh, '{"n":0}', 4,
    'more than 10,000 deliveries to the receiver were pending'],
    'the dead letter has the reason');
is(cmd('ZCARD', k('retry')), MOST, '10,000 deliveries wait for their time');
is(cmd('ZCARD', k('pending', $AC)), MOST, '10,000 deliveries count as pending');

my $hook = start_receiver();
script('hook_update', [$ACCT], hook => $wh, url => $hook->{url}, typed => 0);
my $r = rblctl($redis, 'webhook', 'replay', $AC, $wh, $old[0]);
is($r->{status}, 0, 'webhook replay replays one dead letter')
    or diag($r->{err});
soon { grep { $_->{body} eq '{"n":0}' } received($hook) } 'and delivered';
soon { (dead_letters())[-1]{e} eq $old[8] } 'the next one is given up for it';
done_testing();
