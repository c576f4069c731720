#!/usr/bin/perl

# rblctl while slots of a cluster are moved between its nodes.

use strict;
use warnings;

use lib 't/lib';
use RblCtlCluster;

use POSIX ();
use Time::HiRes qw(sleep time);

my ($f, @node) = ctl_cluster();
my @name = map { "127.0.0.1:$_->{port}" } @node;
my $lists = repo_dir() . '/conf/lists.json';
my $plans = repo_dir() . '/conf/plans.json';


ctl('init');
ctl('lists', 'load', $lists);
my @ac = accounts();

sub tags { return RblTest::Redis::tagged(64, "rbl:{$_[0]}:lists") }

# All slots of partitions FROM..TO go from the first node to the third, and back.
sub mover {
    my @slots = map { slot_of(tags($_)) } @_;

    my $pid = fork // die;
    return $pid if $pid;
    for my $n (@node) { delete $n->{client} }
    eval { move_slots($f, \@slots, $_, sub { sleep 0.02 })
        for map { ($node[2], $node[0]) } 1 .. 3 };
    print STDERR $@ if $@;
    POSIX::_exit($@ ? 1 : 0);
}

my %before = map { my $p = $_; $p => join ' ', @{ redis($f, 'ZRANGE',
    "rbl:{$p}:lists", 0, -1) } } 0 .. 63;
redis($f, 'DEL', "rbl:{$_}:lists:active", "rbl:{$_}:lists:zones") for 0 .. 63;
my $pid = mover(0 .. 20);
my $loads = 0;
do {
    my $begun = time;
    ctl('lists', 'load', $lists);
    diag(sprintf 'lists load took %.1f s', time - $begun);
    $loads++;
} while (waitpid($pid, 1) == 0);
is($?, 0, "slots were moved during $loads lists loads");
wait_ok($f);
is(join(' ', grep { $before{$_} ne join ' ', @{ redis($f, 'ZRANGE',
    "rbl:{$_}:lists", 0, -1) } } 0 .. 63), '', 'each partition has all lists');
is(join(' ', grep { !redis($f, 'EXISTS', "rbl:{$_}:lists:active") } 0 .. 63),
    '', 'each partition has the active lists');

my $slot = slot_of(tags(3));
move_begin($f, $slot, $node[2]);
like(fails(qr/slots move between the nodes.*run fsck again/, 'fsck'), qr/^$/,
    'fsck finds nothing while a slot moves');
redis($_, 'CLUSTER', 'SETSLOT', $slot, 'STABLE') for @node;

# Half of an account's keys are moved: scripts do nothing by halves.
my $moves = $ac[0][0];
my $of = slot_of_account($f, $moves);

# A string's bytes; of other types, whether it exists.
sub dumped {
    my ($key) = @_;
    for my $n (@node[0, 2]) {
        redis($n, 'ASKING');
        my $got = redis_try($n, 'GET', $key) // next;
        return $got =~ /^WRONGTYPE/ ? 'is there' : $got if $got !~ /^(?:ASK|MOVED) /;
    }
    return undef;
}
my %keys = map { $_ => dumped($_) }
    @{ redis($node[0], 'CLUSTER', 'GETKEYSINSLOT', $of, 1000) };
move_begin($f, $of, $node[2]);
move_keys($f, $of, $node[0], $node[2], int keys(%keys) / 2);
my $moved = qr/partition \d+ \(\Q$name[0]\E\) cannot be used: its slot is being /;
for (['account', 'suspend', $moves], ['app', 'add', $moves, 'x'],
    ['webhook', 'add', $moves, 'x', 'https://a.example/'],
    ['bill', 'topup', $moves, '5'], ['account', 'plan', $moves, 'Starter',
        '--file', $plans])
{
    fails(qr/${moved}moved to another node\. Nothing was changed\.$/, @$_);
}
fails(qr/${moved}.*/, 'account', 'show', $moves);
is_deeply({ map { $_ => dumped($_) } map {
    @{ redis($_, 'CLUSTER', 'GETKEYSINSLOT', $of, 1000) } } @node[0, 2] },
    \%keys, 'no key has changed');
ctl('account', 'suspend', $ac[2][0]);
ctl('account', 'resume', $ac[2][0]);
move_keys($f, $of, $node[0], $node[2]);
fails($moved, 'account', 'suspend', $moves);
move_end($f, $of, $node[0], $node[2]);
ctl('account', $_, $moves) for qw(suspend resume);
move_slots($f, [$of], $node[0]);

move_slots($f, [map { slot_of(tags($_)) } 3, 4], $node[2]);
my $plan = ctl('store', 'plan');
is_deeply([map { $_->{parts} } @{ $plan->{nodes} }],
    ['0-2 5-20', '21-42', '3-4 43-63'],
    'store plan shows the partitions after a move');
ok(!$plan->{even}, 'the partitions are not even after a move');
ctl('fsck');
move_slots($f, [map { slot_of(tags($_)) } 3, 4], $node[0]);
ctl('fsck');

done_testing();
