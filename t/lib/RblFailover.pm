package RblFailover;

# Stores of several servers, and tests of their failovers.
#
#     use RblFailover;                  # exports RblTest, too
#     my $f = start_sentinels();        # or start_cluster()
#     init_store($f);
#     my $nginx = start_nginx(store => $f);
#     my $acct  = make_account($f);
#     my $load  = start_load($nginx, accounts => [$acct], clients => 10);
#     my $old   = master($f);
#     kill_server($old);
#     wait_master($f, $old);
#     restart_member($f, $old);
#     my $report = load_report($nginx, stop_load($load),
#         [$acct]);
#
# A store of several servers takes the place of the hash that start_redis()
# returns: init_store, make_account, start_nginx, start_checkd, rblctl and redis
# take it.  Its members:
#
#   addr        "sentinel:rbl@127.0.0.1:P,..." or "cluster:127.0.0.1:P,..."
#   users       as start_redis(): the programs log in with their ACL users
#   nodes       [servers]: the Redis servers, {port, socket, index, ...}
#   sentinels   [servers] (start_sentinels)
#   ids         [node IDs] in the order of `nodes` (start_cluster)
#
# With tls => CERTIFICATE (RblTls.pm) each server has a second port, {tls}, for
# clients with a certificate; the servers among themselves use the plain ones.
#
# redis($f, COMMAND...) goes to the server that has the key: to the master that
# the Sentinels name, or by the map of slots, and follows MOVED and ASK.
# redis($f->{nodes}[0], COMMAND...) asks one server.
#
# Each node and each Sentinel is a server of RblTest::Process: kill_server (kill
# -9), pause_server (SIGSTOP), cont_server, alive, wait_log.  After kill_server
# call restart_member, not restart_server.
#
# Sentinel.pm
#   start_sentinels(replicas => 2, sentinels => 3, quorum => 2, down_after =>
#       2000 (ms), min_replicas => 1, max_lag => 2 (s), forward => 0, args =>
#       [...] for each Redis).  With forward => 1 the first master is announced
#       at a forwarder, $f->{forward}; see cut_off.  Sentinels ping once a
#       second: with down_after => 1000 they sometimes think that a new master
#       is down, and a failover of a master that lives loses writes.
#   master($f): the server that the Sentinels name and that is a master; undef
#   wait_master($f, $old, $seconds): waits until the master is not $old
#       and is a master; returns it
#   replicas($f): the other servers that are alive
#   failover($f): SENTINEL FAILOVER; returns the new master
#   sentinel_words(@ports): the words for the programs
#
# Cluster.pm
#   start_cluster(masters => 3, replicas => 1, timeout => 1000 (ms),
#       full_coverage => 'no', min_replicas => 1, max_lag => 2, args => [...],
#       arbiter => 0).  Node I (below `masters`) begins as a master.  Each
#       master has the same number of slots; with arbiter => 1 the last one has
#       only slot 16383: it has a vote, and no partition.
#   slot_of($key), slot_of_account($f, $acct): slots
#   node_of($f, $slot or $key): the server that has the slot; undef if none
#   master_of($f, $node): the master whose slots the node has or replicates
#   replica_of_node($f, $node): the first replica that is alive
#   fail_node($f, $node): kills the server, waits until another one has its
#       slots, and returns that one
#   failover($f, $node): CLUSTER FAILOVER by its replica; returns the new master
#   move_slots($f, [slots], $to, $step): moves the slots and their keys to a
#       server while clients go on; $step->($slot), if given, is called while
#       half of the keys of a slot are moved
#   wait_ok($f, $seconds): all alive nodes see all slots served, all replicas in
#       step
#
# Both
#   restart_member($f, $node): starts a server that was killed.  It becomes a
#       replica of the present master, if another server took its place.
#   wait_replicas($f, $seconds): all replicas that are alive are in step
#   wait_written($f): ... and have what was written before
#
# Proxy.pm
#   start_forward($port): a TCP forwarder to 127.0.0.1:$port, a process with
#       {port}.  Connections from 127.0.0.2 are "the rest" (Redis servers and
#       Sentinels connect from there), all others are clients.
#   cut_off($forward, 'reset'): from now on the rest is cut off: its connections
#       are reset and new ones are refused; clients stay.  'silent': its
#       connections stay, and no byte passes.  'all': clients too.
#   heal($forward): everything passes again
#
# Load.pm
#   start_load($nginx, accounts => [...], clients => 10 (connections), ops =>
#       {add => 2, update => 5, read => 3} (shares; also check), rate => 0
#       (requests/s in all; 0: no limit), limit => 10 (s to wait for a
#       response), keep => 1 (0: a connection for each request)): a process that
#       sends requests until stop_load
#   stop_load($load): stops it and returns its records, in order of their start:
#       {start, end, account (index), client, op, host, id, name, status, said}.
#       said: 'done', 'unchanged' (nothing was changed), 'unknown' (it may have
#       happened), 'refused' (another 4xx), 'broken' (no valid response; for a
#       write as 'unknown')
#   load_so_far($load): the records while it goes on
#   start_register($nginx, accounts => [...], clients => 5 (for each account)):
#       the same for one host of each account: its name is the register
#
# Judge.pm
#   load_report($nginx, $records, $accounts): compares the records with the
#       store: {acked, lost => [...], doubled => [...], untrue => [...]
#       (answered 'unchanged', but done), stale => [...] (reads of older state), odd =>
#       [...] (neither 200 nor 503 as it should be), away => [[account, begin,
#       end], ...] (intervals of 503), longest (s), unknown, unchanged}
#   is_clean($report, $name): a test: nothing lost, doubled, untrue, stale, odd
#   rate_of($records): answers in a second, the median of all whole seconds
#
# History.pm
#   history_fault(\@ops, $initial): undef if the history of a register is
#       linearizable; otherwise {op, text}: the operation that cannot be placed
#       and a text about it.  An op: {op => 'write' or 'read', value, start,
#       end, said}, `said` as above.
#
#   history_of_records($records, $account): the ops of an account (index)
#
# World.pm
#   failover_world($f, accounts => 1 (at each master), checkd => 1, nginx => {
#       options of start_nginx }): the store with one list, accounts, nginx and
#       a daemon: {f, accounts, nginx, dns, checkd}
#   accounts_at($f, $n): so many accounts at each master
#   kill_one($f, $node): kills a master and waits until all are in step again;
#       returns how long it took no writes (s)
#   stop_one($f, $node): the same by SIGSTOP; then the server goes on
#   drill($f, $n, $every, $how): kill_one n times, every so many seconds, and
#       stop_one instead of each third; or $how
#   endures($f, $failovers, $accounts): tests of a drill while clients write and
#       daemons check, with so many accounts at each master
#   unfinished($w, $records): checks that were acknowledged and do not end
#   fsck_clean($f, $name): a test: rblctl fsck finds nothing
#
# Open.pm
#   open_at_rest($w): counts the descriptors of nginx and of the daemon, and the
#       clients of all servers
#   none_left_open($w, $name): a test: no count is larger now
#
# Hostile.pm, which is not exported from here: replies of Sentinels and nodes for
#   RblFakeRedis; serves, refuses, rblctl_ends: tests of the programs
#
# Environment: FAILOVERS=20 is the number of failovers of a test (long form).

use strict;
use warnings;

use Exporter 'import';

use RblTest;

use RblFailover::Cluster;
use RblFailover::History;
use RblFailover::Judge;
use RblFailover::Load;
use RblFailover::Member;
use RblFailover::Open;
use RblFailover::Proxy;
use RblFailover::Sentinel;
use RblFailover::World;

our @EXPORT = (@RblTest::EXPORT, @RblFailover::Cluster::EXPORT,
    @RblFailover::History::EXPORT, @RblFailover::Judge::EXPORT,
    @RblFailover::Load::EXPORT, @RblFailover::Proxy::EXPORT,
    @RblFailover::Open::EXPORT, @RblFailover::Sentinel::EXPORT,
    @RblFailover::World::EXPORT,
    qw(ask info_of restart_member wait_replicas wait_written failover
        failovers));

# The number of failovers of a test.
sub failovers {
    my ($short) = @_;

    return $ENV{FAILOVERS} // $short;
}

sub failover {
    my ($f, $node) = @_;

    return $f->{kind} eq 'sentinel' ? sentinel_fail($f)
        : cluster_fail($f, $node);
}

1;
