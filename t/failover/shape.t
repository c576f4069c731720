#!/usr/bin/perl

# The shape of a cluster is a condition of the service: a server that is away, a
# move of slots that was interrupted, a master that came back without slots.
# The remedies that rblctl prints end them.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblConditions;
use RblFailover;
use RblNodes;

my $f = start_cluster();
my $w = nodes_world($f);
my $nginx = condition_nginx($w);
my $checkd = start_checkd(store => $f, resolver => $w->{dns},
    conf => { conf_short(name => 'one') });
my @node = @{ $f->{nodes} };
is(checked($w, 20), 'completed', 'a check completes');
healthy($w, 'with a whole cluster');

# --- a server that is away ---------------------------------------------------

# The first master has the reports of daemons, which have to be written.
my $replica = replica_of_node($f, $node[1]);
kill_server($replica);
named($w, 'store_replicas', 'degraded', qr/cannot reach: 1, .*$replica->{port}/);
restart_member($f, $replica);
wait_ok($f);
over($w, 'store_replicas');

# --- a move that was interrupted ---------------------------------------------

my $slot = 5;
redis($node[1], 'CLUSTER', 'SETSLOT', $slot, 'IMPORTING', $f->{ids}[0]);
redis($node[0], 'CLUSTER', 'SETSLOT', $slot, 'MIGRATING', $f->{ids}[1]);
named($w, 'store_slots', 'degraded', qr/a move of slots is not over: slot 5 at/);
my ($at) = conditions($w)->{store_slots}{remedy}
    =~ /try: redis-cli --cluster fix (\S+)$/;
my $r = run_cmd(store_program('cli'), '--cluster', 'fix', $at // 'none');
is($r->{status}, 0, 'the remedy ends the move') or diag("$r->{out}$r->{err}");
over($w, 'store_slots');

# --- a master without slots --------------------------------------------------

redis($replica, 'CLUSTER', 'RESET', 'SOFT');
redis($replica, 'CLUSTER', 'MEET', '127.0.0.1', $node[1]{port},
    redis($node[1], 'CONFIG', 'GET', 'cluster-port')->[1]);
named($w, 'store_slots', 'degraded',
    qr/a master has no slots: 127\.0\.0\.1:$replica->{port}/);
like(conditions($w)->{store_slots}{remedy},
    qr/replicate $f->{ids}[1]$/,
    'the remedy names the master that has lost its replica');
eventually { redis($replica, 'CLUSTER', 'NODES') =~ /$f->{ids}[1]/ } 20,
    'the server knows the master again';
redis($replica, 'CLUSTER', 'REPLICATE', $f->{ids}[1]);
wait_ok($f);
over($w, 'store_slots');
healthy($w, 'when all are back');
ok(stop_server($checkd), 'the daemon stops');

done_testing();
