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

# The replica of a master is away: the master refuses writes.

my ($poor) = node_of($f, slot_of_account($f, $world[0]{acct}));
my $replica = replica_of_node($f, $poor);
my $refuses = "node \\S+:$poor->{port}: it refuses \\w+: NOREPLICAS";
my $before = log_count($checkd, $refuses);
my $warned = log_count($checkd, "\\[warn\\].*$refuses");
kill_server($replica);
eventually { log_count($checkd, $refuses) > $before } 15,
    'a master that refuses writes';
is(checked($_), 'completed', 'it delays no others') for @world[1, 2];
sleep 4;
is(checked($_), 'completed', 'nor later') for @world[1, 2];
cmp_ok(log_count($checkd, "\\[warn\\].*$refuses"), '<=', $warned + 1,
    'it is logged once');
restart_member($f, $replica);
wait_ok($f);
is(checked($world[0], 20), 'completed', 'the replica is back: its checks');

# The news come at any node.

eventually { subscribed($f) =~ /^[345]$/ } 10,
    'the daemon subscribes to the news at one of the new masters';

my $begin = time;
is(checked($_), 'completed', 'after all: checks') for (@world) x 2;
cmp_ok(time - $begin, '<', 6, 'the daemon gets the news');
for my $r (@receiver) {
    eventually {
        my %seen = map { $_->{json}{event_sid} => 1 } received($r);
        keys %seen == 3;
    } 30, 'the events of all listings arrive';
}
ok(stop_server($checkd), 'the daemon stops');
done_testing();
