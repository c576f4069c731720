#!/usr/bin/perl

# The daemon on a cluster whose masters have replicas: failovers while it checks
# and delivers.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblFailover;
use RblNodes;
use Time::HiRes 'time';

my $f = start_cluster();
my $w = nodes_world($f, data => listed_entry(map { "10.0.0.$_" } 1 .. 9));
my @world = map { world_at($w, $_) } $f->{masters}->($f);
my @receiver = map { receiver_of($_) } @world;
my $checkd = start_checkd(store => $f, resolver => $w->{dns},
    conf => { conf_short(deliver => 'on', deliver_http => 'on',
        deliver_allow => '127.0.0.0/8') });
is(checked($_), 'completed', 'a check at each master') for @world;
is(log_count($checkd, 'min-replicas-to-write'), 0, 'no warning: it is set');

eventually { subscribed($f) =~ /^[012]$/ } 10,
    'the daemon subscribes to the news at one master';
for my $i (0 .. 2) {
    my $node = node_of($f, slot_of_account($f, $world[$i]{acct}));
    add_host($_, '10.0.0.' . (1 + $i)) for @world;
    my $begin = time;
    fail_node($f, $node);
    restart_member($f, $node);
    is(checked($_), 'completed', "failover $i: checks") for @world;
    note(sprintf 'failover %d: %.1f s', $i, time - $begin);
    eventually { log_count($checkd, 'partitions are on another node now')
        > $i } 10, "failover $i: it is logged";
    wait_ok($f);
    wait_replicas($f);
}

# The daemon inspects the store after failovers, and repairs nothing.
eventually { log_count($checkd, 'looked at 64 of 64 partitions, no fault') } 20,
    'the daemon finds no fault after the failovers';
my $lost = "$world[0]{acct}{sid}:HT" . '0' x 32;
redis($f, 'HSET', RblCheckd::pkey($world[0], 'flight'), $lost, 'PP' . '0' x 64);
redis($f, 'APPEND', RblCheckd::pkey($world[2], 'defaults'), 'x');
my %used = map { partition_of($_->{acct}{sid}) => 1 } @world;
my ($bare) = grep { !$used{$_} } 1 .. 63;
redis($f, 'DEL', redis_key('defaults', $bare));
my $hit = node_of($f, slot_of_account($f, $world[1]{acct}));
fail_node($f, $hit);
restart_member($f, $hit);
wait_ok($f);
wait_replicas($f);
eventually { log_count($checkd, 'HT0{32} has a check, but there is no such host') } 60,
    'the daemon reports a check without a host';
eventually { log_count($checkd, 'after a failover: 1 faults in the queues') } 60,
    'the daemon reports the number of faults';
ok(log_count($checkd, '2 partitions have other system lists'),
    'the daemon reports partitions with other lists');
is(redis($f, 'HDEL', RblCheckd::pkey($world[0], 'flight'), $lost), 1,
    'the daemon leaves the fault in the store');
is(rblctl($f, 'fsck', '--repair')->{status} < 3, 1,
    'rblctl fsck --repair runs without an error');

# The replica of a master is away: the master refuses writes.

my ($poor) = node_of($f, slot_of_account($f, $world[0]{acct}));
my $replica = replica_of_node($f, $poor);
my $refuses = "node \\S+:$poor->{port}: it refuses \\w+: NOREPLICAS";
my $before = log_count($checkd, $refuses);
my $warned = log_count($checkd, "\\[warn\\].*$refuses");
kill_server($replica);
eventually { log_count($checkd, $refuses) > $before } 15,
    'the daemon logs that a master refuses writes';
is(checked($_), 'completed',
    'checks at the other masters complete meanwhile') for @world[1, 2];
sleep 4;
is(checked($_), 'completed',
    'checks at the other masters complete 4 s later') for @world[1, 2];
cmp_ok(log_count($checkd, "\\[warn\\].*$refuses"), '<=', $warned + 1,
    'the daemon warns of the refusals at most once');
restart_member($f, $replica);
wait_ok($f);
is(checked($world[0], 20), 'completed', 'the replica is back: its checks');

# The news come at any node.

eventually { subscribed($f) =~ /^[345]$/ } 10,
    'the daemon subscribes to the news at one of the new masters';

is(checked($_), 'completed',
    'checks at each master complete after all failovers') for (@world) x 2;
for my $r (@receiver) {
    eventually {
        my %seen = map { $_->{json}{event_sid} => 1 } received($r);
        keys %seen == 3;
    } 30, 'the events of all listings arrive';
}
ok(stop_server($checkd), 'the daemon stops');
done_testing();
