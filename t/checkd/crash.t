#!/usr/bin/perl

# 500 checks by three daemons that are killed, or stopped for longer than their
# lease, at random moments: each check finishes, each host's state matches the
# lists, each event exists once, nothing is left behind.
#
# With an odd seed the store dies, too.
#
# CRASH_SEEDS=20 runs so many seeds, CRASH_SEED=7 only that one; otherwise one
# is drawn.  A seed determines the actions, but not the speed of the machine: a
# failure may take more than one run to reproduce.

use strict;
use warnings;

use RblTest;
use RblCrash;
use Time::HiRes qw(time);

my @seeds = defined $ENV{CRASH_SEED} ? split ' ', $ENV{CRASH_SEED}
    : $ENV{CRASH_SEEDS} ? 1 .. $ENV{CRASH_SEEDS}
    : 101 + 2 * int rand 5000;          # odd: the store dies too

my %name = (
    left     => 'nothing waits, is leased or in flight',
    checks   => CHECKS . ' checks are completed, as often as they were started',
    verdicts => 'no verdict is against the truth',
    states   => "each host's state is right",
    history  => 'its transitions are reported once',
    events   => 'each event is there once, and no other',
    schedule => 'each host has its next check',
    ranges   => 'the range counts its children',
);

for my $seed (@seeds) {
    my $began = time;
    my $c = crash_world($seed);
    crash_run($c);
    my %fault = crash_verify($c);
    for my $topic (sort keys %name) {
        is($fault{$topic}, '', "seed $seed: $name{$topic}");
    }
    cmp_ok($c->{did}{'with jobs'} // 0, '>', 2,
        "seed $seed: daemons died with jobs in hand");
    # Two lists a check; a busy machine loses some, which prove nothing.
    cmp_ok($c->{surprises}, '<', CHECKS / 2,
        "seed $seed: most look-ups were not lost");
    cmp_ok($c->{ends}, '>', 20, "seed $seed: listings ended");
    for my $d (@{ $c->{daemon} }) {
        ok(stop_server($d), "seed $seed: a daemon stops");
        is($d->{status}, 0, "seed $seed: with status 0");
    }
    note(sprintf 'seed %d: %.1f s; %s; %d look-ups lost, %d repeated, '
        . '%d ends; %d of %d hosts as in their zones', $seed, time - $began,
        join(', ', map { "$_: $c->{did}{$_}" } sort keys %{ $c->{did} }),
        @$c{qw(surprises again ends plain)}, scalar @{ $c->{host} });
    $c->{dns}->stop;
    stop_server($c->{w}{redis});
}

done_testing();
