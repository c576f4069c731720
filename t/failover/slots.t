#!/usr/bin/perl

# The slots of partitions move from one server to another while clients make
# 1,000 requests a second and daemons check.  A 503 in the meantime has changed
# nothing.  Afterwards no connection is left.
#
# FAILOVERS: how many times each slot moves (2).  If it is set, the rate must be
# reached.
#
# Alone: measures how long accounts are away.

use strict;
use warnings;

use RblFailover;
use Time::HiRes qw(sleep);

my $f = start_cluster(replicas => 0);
my $w = failover_world($f, accounts => 2);
my @accounts = @{ $w->{accounts} };
open_at_rest($w);
my @loads = map { start_load($w->{nginx}, accounts => \@accounts,
    clients => 12, %$_) } ({ rate => 300,
    ops => { add => 2, update => 5, read => 3, check => 1 } },
    ({ rate => 600 / $RblTest::Process::PATIENCE, ops => { read => 1 } }) x 2);
sleep 2;

# Those of the accounts, and partition 0.
my %slot = map { $_ => 1 } map({ slot_of_account($f, $_) } @accounts),
    slot_of((RblFailover::Member::with_tags($f, 'rbl:{0}:lists'))[0]);
my @slots = sort { $a <=> $b } keys %slot;
my $moved = 0;
for my $round (1 .. failovers(2)) {
    for my $slot (@slots) {
        my $now = node_of($f, $slot);
        my $to = $f->{nodes}[($now->{index} + 1) % 3];
        move_slots($f, [$slot], $to, sub { sleep 0.5 });
        $moved += node_of($f, $slot) == $to;
    }
}
is($moved, @slots * failovers(2), 'slots were moved');
sleep 1;
my $records = [map { @{ stop_load($_) } } @loads];
my $rate = rate_of($records);
note "$rate requests a second";
cmp_ok($rate, '>=', 1000, 'the rate is reached') if $ENV{FAILOVERS};
my $report = load_report($w->{nginx}, $records, \@accounts);
note away_text($report);
is_clean($report, 'the clients were told the truth');
is($report->{unknown}, 0, 'a 503 always says that nothing was changed');
cmp_ok($report->{longest}, '<', 3, 'no account is away for long');
is(scalar unfinished($w, $records), 0, 'all checks end');
fsck_clean($f, 'fsck finds nothing');
none_left_open($w, 'no connection is left');

done_testing();
