package RblFailover::Cluster;

# A Redis Cluster.

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(min sum);
use Time::HiRes qw(sleep time);

use RblFailover::Member;
use RblTest::Process;
use RblTest::Redis;

our @EXPORT = qw(start_cluster slot_of slot_of_account node_of master_of
    replica_of_node fail_node cluster_fail move_slots move_begin move_keys
    move_end slot_given_up wait_ok cluster_words);

use constant SLOTS => 16384;

# The nodes know one another from their start, by their files.
sub start_cluster {
    my (%opt) = @_;

    my $f = { name => 'cluster', kind => 'cluster', masters_n => 3,
        replicas => 1, timeout => 1000, full_coverage => 'no',
        max_lag => 2 * $RblTest::Process::PATIENCE, args => [], %opt };
    my $masters = $opt{masters} // 3;
    $f->{min_replicas} //= $f->{replicas} ? 1 : 0;
    my $n = $masters * (1 + $f->{replicas});
    my @at = map { { port => free_port(), bus => free_port(),
        id => sprintf('%08x', rand 2**32) . sprintf '%032x', $_ } } 0 .. $n - 1;
    $f->{ids} = [map { $_->{id} } @at];
    $f->{nodes} = [map { start_node($f, \@at, $masters, $_) } 0 .. $n - 1];
    $f->{users} = $f->{nodes}[0]{users};
    $f->{addr} = cluster_words(@{ $f->{nodes} });
    @$f{qw(route before_start masters)} = (\&route, sub {}, \&masters_now);
    @$f{qw(log start_timeout)} = ($f->{nodes}[0]{log}, 20);
    return RblTest::Process::started($f, sub { is_ok($f) });
}

sub cluster_words {
    return 'cluster:' . join ',', map { "127.0.0.1:$_->{port}" } @_;
}

sub start_node {
    my ($f, $at, $masters, $i) = @_;

    my $d = own_dir('node');
    write_file("$d/nodes.conf", join('', map {
        my $a = $at->[$_];
        my $role = $_ < $masters ? 'master -'
            : "slave $at->[$_ % $masters]{id}";
        "$a->{id} 127.0.0.1:$a->{port}\@$a->{bus} "
            . ($_ == $i ? 'myself,' : '') . "$role 0 0 "
            . (1 + $_ % $masters) . ' connected'
            . ($_ < $masters ? slots_of($f, $_, $masters) : '') . "\n"
    } 0 .. $#$at) . "vars currentEpoch $masters lastVoteEpoch 0\n");
    # Before the users are known, the first server makes them.
    my @login = login($f->{users} // {}, 'rbl-replica', '--masteruser',
        '--masterauth');
    my $s = start_member($at->[$i]{port}, { %$f, dir => $d },
        '--cluster-enabled', 'yes', '--cluster-port', $at->[$i]{bus},
        '--cluster-config-file', "$d/nodes.conf",
        '--cluster-node-timeout', $f->{timeout},
        '--cluster-allow-replica-migration', 'no',
        '--cluster-require-full-coverage', $f->{full_coverage}, @login);
    $f->{users} //= $s->{users};
    $s->{index} = $i;
    return $s;
}

# With `arbiter` the last master has one slot, without which it had no vote.
sub slots_of {
    my ($f, $i, $masters) = @_;

    my $arbiter = $f->{arbiter} ? 1 : 0;
    return ' ' . (SLOTS - 1) if $arbiter && $i == $masters - 1;
    my ($from, $end) = map { int $_ * SLOTS / ($masters - $arbiter) }
        $i, $i + 1;
    $end -= $arbiter if $end == SLOTS;
    return " $from-" . ($end - 1);
}


# --- slots -----------------------------------------------------------------

my @crc;

sub slot_of {
    my ($key) = @_;

    my $tag = $key =~ /\{([^}]+)\}/ ? $1 : $key;
    if (!@crc) {
        for my $octet (0 .. 255) {
            my $v = $octet << 8;
            $v = ($v << 1 ^ ($v & 0x8000 && 0x1021)) & 0xffff for 1 .. 8;
            push @crc, $v;
        }
    }
    my $crc = 0;
    $crc = ($crc << 8 ^ $crc[$crc >> 8 ^ $_]) & 0xffff
        for unpack 'C*', $tag;
    return $crc % SLOTS;
}

sub slot_of_account {
    my ($f, $acct) = @_;

    my $sid = ref $acct ? $acct->{sid} : $acct;
    return slot_of((with_tags($f, redis_key('acct', $sid)))[0]);
}

# The map of slots as a node sees it: [[first, last, server], ...]
sub map_of {
    my ($f, $node) = @_;

    my $r = ask($node, 'CLUSTER', 'SLOTS');
    return () if ref $r ne 'ARRAY';
    return map {
        my ($first, $last, $port) = ($_->[0], $_->[1], $_->[2][1]);
        [$first, $last, by_port($f, $port)]
    } @$r;
}

sub by_port {
    my ($f, $port) = @_;

    return (grep { $_->{port} == $port } @{ $f->{nodes} })[0];
}

sub living { return grep { alive($_) } @{ $_[0]{nodes} } }

# The server that says of itself that it has the slot.
sub node_of {
    my ($f, $slot) = @_;

    $slot = slot_of((with_tags($f, $slot))[0]) if $slot !~ /^\d+$/;
    for my $node (living($f)) {
        my ($says) = grep { $_->[0] <= $slot && $slot <= $_->[1] && $_->[2]
            && $_->[2] == $node } map_of($f, $node);
        return $node if $says;
    }
    return undef;
}

sub masters_now {
    my ($f) = @_;

    my %seen;
    for my $node (living($f)) {
        $seen{ $_->[2]{index} } = $_->[2] for grep { $_->[2]
            && $_->[2] == $node } map_of($f, $node);
    }
    return map { $seen{$_} } sort { $a <=> $b } keys %seen;
}

# Commands about a server, which have no key, go to all masters.
my %OF_ALL = map { $_ => 1 } qw(ACL CLIENT CONFIG DBSIZE FLUSHALL INFO KEYS
    PUBSUB SCRIPT);

# A command whose connection breaks is sent again.
sub route {
    my ($f, @words) = @_;

    delete $f->{known} if $words[0] eq 'FLUSHALL';
    @words = with_tags($f, @words);
    return together($words[0], map { ask_raw($_, @words) } masters_now($f))
        if $OF_ALL{ $words[0] };
    my ($key) = grep { /\{[^}]+\}/ }
        @words[($words[0] =~ /^EVAL/ ? 3 : 1) .. $#words];
    my $slot = slot_of($key // $words[1] // '');
    for (1 .. 100) {
        my $node = $f->{slot}[$slot];
        $node = $f->{slot}[$slot] = node_of($f, $slot)
            if !$node || !alive($node);
        my $reply = $node ? eval { try_at($f, $node, $slot, @words) } : undef;
        return $reply if $node && $@ eq '' && !away($reply);
        delete $f->{slot}[$slot];
        sleep 0.1;
    }
    die "slot $slot is not served\n";
}

# The replies of several servers as those of one: an error, all keys and lines of
# ACL LOG, numbers by their sum, the first of other words.
sub together {
    my ($command, @replies) = @_;

    my ($first) = (grep({ ref eq 'SCALAR' } @replies), @replies);
    return [map { @$_ } @replies]
        if ref $first eq 'ARRAY' && $command =~ /^(?:KEYS|ACL)$/;
    return sum_of_info(@replies) if $command eq 'INFO';
    return join '', @replies if $command eq 'CLIENT' && $first =~ /^id=/;
    if (ref $first eq 'ARRAY' && $command eq 'PUBSUB') {
        return [map { my $i = $_; $i % 2 ? sum(map { $_->[$i] } @replies)
            : $first->[$i] } keys @$first];
    }
    return ref $first || $first !~ /^\d+$/ ? $first : sum(@replies);
}

# Counters are summed: those of commands and keys by their first number.
sub sum_of_info {
    my ($first, @others) = @_;

    for my $other (@others) {
        my %n = $other =~ /^((?:cmdstat|keyspace|total)_[^:]*:(?:calls=)?)(\d+)/gm;
        for my $name (keys %n) {
            $first =~ s/^\Q$name\E\K(\d+)/$1 + $n{$name}/me
                or $first .= "$name$n{$name},\r\n";
        }
    }
    return $first;
}

sub away {
    my ($reply) = @_;

    return ref $reply eq 'SCALAR' && $$reply =~ /^(?:MOVED|READONLY|LOADING
        |MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN)/x;
}

sub try_at {
    my ($f, $node, $slot, @words) = @_;

    my $reply = ask_raw($node, @words);
    return $reply if ref $reply ne 'SCALAR'
        || $$reply !~ /^ASK \d+ \S+:(\d+)$/;
    my $other = by_port($f, $1) // return $reply;
    redis($other, 'ASKING');
    return ask_raw($other, @words);
}


# --- failovers -------------------------------------------------------------

# The lines of CLUSTER NODES by a node that lives: {id => {flags, master}}
sub nodes_now {
    my ($f, $node) = @_;

    my %n;
    for (split /\n/, ask($node, 'CLUSTER', 'NODES') // '') {
        my ($id, undef, $flags, $master) = split / /;
        $n{$id} = { flags => $flags, master => $master };
    }
    return \%n;
}

sub index_of {
    my ($f, $id) = @_;

    return (grep { $f->{ids}[$_] eq $id } 0 .. $#{ $f->{ids} })[0];
}

sub master_of {
    my ($f, $node) = @_;

    for my $other (grep({ alive($_) } $node), living($f)) {
        my $at = nodes_now($f, $other)->{ $f->{ids}[$node->{index}] } // next;
        return $node if $at->{flags} =~ /\bmaster\b/;
        return $f->{nodes}[index_of($f, $at->{master})];
    }
    return undef;
}

sub replica_of_node {
    my ($f, $node) = @_;

    my $id = $f->{ids}[$node->{index}];
    my ($replica) = grep {
        $_ != $node && (nodes_now($f, $_)->{ $f->{ids}[$_->{index}] }{master}
            // '') eq $id
    } living($f);
    return $replica;
}

# First slots of the ranges of a master.
sub slots_at {
    my ($f, $node) = @_;

    return () if $f->{kind} ne 'cluster';
    return map { $_->[0] } grep { $_->[2] && $_->[2] == $node }
        map_of($f, $node);
}

sub fail_node {
    my ($f, $node) = @_;

    my ($slot) = slots_at($f, $node);
    kill_server($node);
    my $new;
    wait_for { $new = node_of($f, $slot) } 20, 'a failover';
    return $new;
}

sub cluster_fail {
    my ($f, $node) = @_;

    my ($slot) = slots_at($f, $node);
    my $replica = replica_of_node($f, $node) // return undef;
    # It fails if the two do not know each other well after a restart.
    for (1 .. 4) {
        redis($replica, 'CLUSTER', 'FAILOVER');
        return $replica
            if wait_for { (node_of($f, $slot) // 0) == $replica } 6;
    }
    die 'no failover';
}

# No node has the slot.  The last messages of its owner may give it the slot
# again in the eyes of another.
sub slot_given_up {
    my ($f, $slot) = @_;

    # A message that was under way still claims the slot: each node has heard of
    # all others since.
    my $since = time;
    return wait_for {
        my @with = grep { redis($_, 'CLUSTER', 'INFO')
            !~ /slots_assigned:16383/ } living($f);
        for my $node (@with) {
            eval { redis($node, 'CLUSTER', 'DELSLOTS', $slot) };
            $since = time;
        }
        !@with && !grep { heard_of_all($_) <= $since } living($f);
    } 30, "slot $slot is nobody's";
}

# When a node heard last of that of the others that it has not heard of for
# longest (s).
sub heard_of_all {
    my ($node) = @_;

    return min(map { (split)[5] / 1000 } grep { !/myself|fail/ }
        split /\n/, redis($node, 'CLUSTER', 'NODES'));
}

# Each node that lives sees all slots served; replicas are in step.
sub wait_ok {
    my ($f, $seconds) = @_;

    return wait_for { is_ok($f) } $seconds // 20, 'the whole cluster';
}

sub is_ok {
    my ($f) = @_;

    return !grep { !node_ok($f, $_) } living($f);
}

sub node_ok {
    my ($f, $node) = @_;

    my $info = ask($node, 'CLUSTER', 'INFO') // '';
    return 0 if $info !~ /^cluster_state:ok/m
        || $info !~ /^cluster_slots_ok:16384/m;
    my $role = info_of($node, 'replication');
    return $role->{master_link_status} eq 'up' if $role->{role} eq 'slave';
    return $f->{min_replicas} <= ($role->{min_slaves_good_slaves}
        // $f->{min_replicas});
}


# --- moves of slots --------------------------------------------------------

sub move_slots {
    my ($f, $slots, $to, $step) = @_;

    for my $slot (@$slots) {
        my $from = move_begin($f, $slot, $to) // next;
        my $n = redis($from, 'CLUSTER', 'COUNTKEYSINSLOT', $slot);
        move_keys($f, $slot, $from, $to, int $n / 2);
        $step->($slot) if $step;
        move_keys($f, $slot, $from, $to);
        move_end($f, $slot, $from, $to);
    }
}

sub move_begin {
    my ($f, $slot, $to) = @_;

    my $from = node_of($f, $slot) // die "slot $slot has no node";
    return undef if $from == $to;
    redis($to, 'CLUSTER', 'SETSLOT', $slot, 'IMPORTING',
        $f->{ids}[$from->{index}]);
    redis($from, 'CLUSTER', 'SETSLOT', $slot, 'MIGRATING',
        $f->{ids}[$to->{index}]);
    return $from;
}

# Moves n keys, or all.  A key that has expired or was deleted is no fault.
sub move_keys {
    my ($f, $slot, $from, $to, $n) = @_;

    while ($n // 1) {
        my $keys = redis($from, 'CLUSTER', 'GETKEYSINSLOT', $slot,
            $n && $n < 50 ? $n : 50);
        last if !@$keys;
        redis($from, 'MIGRATE', '127.0.0.1', $to->{port}, '', 0, 5000, 'KEYS',
            @$keys);
        $n -= @$keys if defined $n;
    }
}

sub move_end {
    my ($f, $slot, $from, $to) = @_;

    my $id = $f->{ids}[$to->{index}];
    redis($_, 'CLUSTER', 'SETSLOT', $slot, 'NODE', $id)
        for $to, $from, grep { $_ != $to && $_ != $from } masters_now($f);
    delete $f->{slot}[$slot];
}

1;
