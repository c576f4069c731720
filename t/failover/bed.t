#!/usr/bin/perl

# The helpers of the tests of failovers: Sentinels, a cluster, a forwarder.
#
# Alone: measures how long a master that is cut off takes writes.

use strict;
use warnings;

use RblFailover;
use Time::HiRes qw(time sleep);

# The reply to a write, or its error.
sub try_set {
    my ($f, $key, $value) = @_;

    return redis_try($f, 'SET', $key, $value) // 'no connection';
}

subtest 'Sentinels' => sub {
    my $f = start_sentinels();
    my $old = master($f);
    is($old, $f->{nodes}[0], 'the first server is the master');
    is(scalar replicas($f), 2, 'the others are replicas');
    like($f->{addr}, qr/^sentinel:rbl\@(127\.0\.0\.1:\d+,?){3}$/,
        'the address has the name and three Sentinels');
    is(redis($f, 'SET', 'k', 1), 'OK', 'the master accepts a write');
    ok(wait_written($f), 'the replicas have it');
    kill_server($old);
    my $start = time;
    my $new = wait_master($f, $old);
    ok($new && $new != $old, 'another server becomes the master');
    is(redis($f, 'INCR', 'k'), 2, 'the new master has the written value');
    note sprintf 'away for %.2f s', time - $start;
    restart_member($f, $old);
    ok((wait_for { ask($old, 'INFO', 'replication')
        =~ /role:slave.*master_link_status:up/s } 10),
        'the old master follows the new one');
    is(ask($old, 'GET', 'k'), 2, 'the old master has the new value');
    ok(wait_replicas($f), 'the new master has two replicas');
    my $third = failover($f);
    ok($third && $third != $new, 'a failover without a death');
    is(redis($f, 'INCR', 'k'), 3, 'nothing is lost');
};

subtest 'a master that is cut off' => sub {
    my $f = start_sentinels(forward => 1);
    my $old = $f->{nodes}[0];
    is(master($f), $old, 'the first server is the master');
    is(redis($old, 'SET', 'k', 1), 'OK', 'the master accepts a write');
    cut_off($f->{forward}, 'silent');
    my ($start, $acked, $reply) = (time, 0);
    while (time < $start + 5) {
        $reply = try_set($old, 'k', 2);
        last if $reply ne 'OK';
        $acked++;
        sleep 0.01;
    }
    like($reply, qr/NOREPLICAS/, 'the master refuses writes');
    cmp_ok(time - $start, '<', 4.5,
        'the master refuses writes within 4.5 seconds');
    note sprintf 'refused after %.2f s', time - $start;
    my $new = wait_master($f, $old);
    note sprintf 'another master after %.2f s', time - $start;
    is(redis($new, 'SET', 'k', 3), 'OK', 'the new master accepts a write');
    heal($f->{forward});
    ok((wait_for { (ask($old, 'GET', 'k') // '') eq '3'
        && ask($old, 'INFO', 'replication') =~ /role:slave/ } 20),
        'the old master follows the new one');
};

subtest 'a cluster' => sub {
    my $start = time;
    my $f = start_cluster();
    note sprintf 'up in %.2f s', time - $start;
    is(scalar @{ $f->{nodes} }, 6, 'the cluster has six servers');
    is(slot_of('x{user1000}y'), 3443, 'the slot of a key');
    is(redis($f, 'SET', "{$_}k", $_), 'OK', "a write, $_") for 1 .. 8;
    is_deeply([map { redis($f, 'GET', "{$_}k") } 1 .. 8], [1 .. 8],
        'the cluster returns all written values');
    is(scalar @{ redis($f, 'KEYS', '*') }, 8, 'the cluster has eight keys');
    my $slot = slot_of('{1}k');
    my $old = node_of($f, $slot);
    ok(wait_written($f), 'the replicas have them');
    $start = time;
    my $new = fail_node($f, $old);
    ok($new && $new != $old, 'a replica becomes the master of the slot');
    note sprintf 'away for %.2f s', time - $start;
    is(redis($f, 'GET', '{1}k'), 1, 'the failover loses no written value');
    restart_member($f, $old);
    ok(wait_ok($f), 'the cluster is whole after the restart');
    is(master_of($f, $old), $new, 'the old one follows');
    is(replica_of_node($f, $new), $old, 'the new one');
    is(redis($f, 'SET', '{1}k', 'x'), 'OK', 'the new master accepts a write');
    ok(wait_written($f), 'the replicas have them');
    is(failover($f, $new), $old, 'a failover without a death');
    is(redis($f, 'GET', '{1}k'), 'x',
        'the failover without a death loses no value');

    my ($to) = grep { $_ != $old && master_of($f, $_) == $_ }
        @{ $f->{nodes} };
    redis($f, 'SET', "{1}k$_", $_) for 1 .. 20;
    my $half = 0;
    move_slots($f, [$slot], $to, sub {
        $half++;
        is(join(' ', map { redis($f, 'GET', "{1}k$_") } 1 .. 20), "@{[1 .. 20]}",
            'reads while it moves');
    });
    is($half, 1, 'a slot was moved');
    is(node_of($f, $slot), $to, 'the slot is at the chosen server');
    is(join(' ', map { redis($f, 'GET', "{1}k$_") } 1 .. 20), "@{[1 .. 20]}",
        'reads when it has moved');
};

done_testing();
