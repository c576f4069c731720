#!/usr/bin/perl

# The daemon on a cluster of three masters without replicas: checks of accounts
# in all partitions, slots that move, a master that is away, and the master of
# partition 0.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblFailover;
use RblNodes;

use constant DEADLINE => 15;            # s

my $f = start_cluster(masters => 3, replicas => 0);
my @node = @{ $f->{nodes} };
my $w = nodes_world($f);
my @world = map { world_at($w, $_) } @node;

# One address of the cluster is enough, and one that is not there does no harm.

my $checkd = start_checkd(store => { %$f,
        addr => "cluster:127.0.0.1:1,127.0.0.1:$node[1]{port}" },
    resolver => $w->{dns}, conf => { conf_short(check_timeout => DEADLINE . 's',
        lease => 2 * DEADLINE + 1 . 's') });
is(checked($_), 'completed', 'a check at each master') for @world;
is(log_count($checkd, 'min-replicas-to-write is not set'), 3,
    'each master without min-replicas-to-write is named once');
like(read_file($checkd->{log}),
    qr/\[warn\].* store cluster:\S+, node 127\.0\.0\.1:1: Connection refused/,
    'a node that is not there is named');

# Slots that move.

my $before = log_count($checkd, 'refuses');
my ($slot) = map { slot_of_account($f, $_->{acct}) } $world[0];
my $pp = check_value($world[0], '10.0.0.9');
move_slots($f, [$slot], $node[1], sub { sleep 1 });
is(wait_check($world[0], $pp)->{status}, 'completed',
    'a check completes while its slot moves');
is(checked($world[0]), 'completed', 'later checks of the moved slot complete');
ok(wait_log($checkd, qr/1 partitions are on another node now/, 10),
    'the daemon has seen the move');
move_slots($f, [$slot], $node[0]);
is(checked($_), 'completed',
    'a check at each master completes after the slot is back')
    for @world;

# A master is killed; that of partition 0 is the first.

for my $i (2, 0) {
    kill_server($node[$i]);
    my @others = grep { $_ != $world[$i] } @world;
    is(checked($_), 'completed', "master $i is away: checks of others")
        for @others;
    ok(wait_log($checkd, qr/of 64 partitions are away/, 10),
        'the daemon logs that partitions are away');
    is(checked($_), 'completed',
        'later checks at the other masters complete') for @others;
    my $scheduled = add_host($others[0], '10.0.0.1');
    eventually { host_record($others[0], $scheduled)->{listed_count} == 1 } 20,
        "master $i is away: a listing is found" if $i != 0;
    quick($_, "master $i is away") for $i != 0 ? () : @others;
    restart_member($f, $node[$i]);
    wait_ok($f);
    is(checked($world[$i]), 'completed', "master $i is back: its checks");
    eventually { log_count($checkd, 'all partitions are there again')
        == log_count($checkd, 'partitions are away') } 5,
        'the daemon logs that all partitions are back';
}

# It hangs.

pause_server($node[2]);
is(checked($_), 'completed', 'a master hangs: checks of others')
    for @world[0, 1];
ok(wait_log($checkd, qr/node \S+:$node[2]{port}: no reply/, 10),
    'the daemon logs that the master does not reply');
is(checked($_), 'completed',
    'later checks at the responsive masters complete') for @world[0, 1];
cont_server($node[2]);
is(checked($world[2]), 'completed',
    'a check completes when its master continues');

ok(stop_server($checkd), 'the daemon stops');

# The evidence of other daemons is out of reach.  The check ends before its
# deadline.
sub quick {
    my ($at, $name) = @_;

    my $pp = check_value($at, '10.0.0.1');
    my $s = wait_check($at, $pp, 30);
    is($s->{status}, 'completed', "$name: a listing");
    cmp_ok($s->{completed} - $s->{started}, '<', 1000 * DEADLINE,
        "$name: it ends before its deadline");
    my $r = details($at, $pp)->{'a.test'};
    like("$r->{status} $r->{error}", qr/^(?:listed |unknown unconfirmed)$/,
        "$name: its result");
}

done_testing();
