#!/usr/bin/perl

# make soak: random worlds (RblSoakWorld), one after the other, until their time
# is over; false, doubled and missed announcements are faults, with a history of
# the host at the list.  While the machine is too busy for a world, which is then
# "starved", many lists do not respond in time, and no announcement is late.
#
#     SEED          the first seed (now); with it one world of each mode is run
#     SOAK_MODE     direct or resolver (both)
#     SOAK_UNBOUNDS 1 or 2 resolvers without faults (by the seed)
#     SOAK_SECONDS  a world's length (60)
#     SOAK_UNIT     3: all times of a world are three times as long, for a busy
#                   machine; SOAK_SECONDS is then 180 for the same world
#     SOAK_MINUTES  of the whole (10)

use strict;
use warnings;

use Time::HiRes qw(time);

use RblSoak;
use RblSoakJudge;
use RblTest;

my $seed = $ENV{SEED} // time % 1_000_000;
my $seconds = $ENV{SOAK_SECONDS} // 60;
my $end = time + 60 * ($ENV{SOAK_MINUTES} // 10);
my @modes = $ENV{SOAK_MODE} // soak_modes();
my ($runs, %sum) = (0);
$| = 1;

do {
    one($seed, $_) for @modes;
    $seed++;
} while (!defined $ENV{SEED} && time + @modes * $seconds < $end);

sub one {
    my ($n, $mode) = @_;

    my ($w, $run) = soak(seed => int $n, mode => $mode, seconds => $seconds,
        unit => $ENV{SOAK_UNIT} // 1, unbounds => $ENV{SOAK_UNBOUNDS},
        unbound => defined $ENV{SOAK_UNBOUNDS});
    soak_over($run);
    my $j = judge($w, $run);
    my ($line, @faults) = soak_text($w, $run, $j);
    print $line, @faults;
    print "  again: make soak SEED=$w->{seed} SOAK_MODE=$mode "
        . "SOAK_SECONDS=$seconds\n" if @faults;
    $runs++;
    $sum{$_} += $j->{$_} for grep { !ref $j->{$_} } keys %$j;
}

printf "%d worlds: %d listings, %d ends, %d due; false listings %d, false ends "
    . "%d, missed %d, doubled %d, late %d; starved for %d s\n", $runs,
    map { $sum{$_} // 0 } qw(listings ends due false_listing false_end missed
    doubled late starved);
exit 1 if grep { $sum{$_} } qw(false_listing false_end missed doubled late);
if (!$sum{due} && !defined $ENV{SEED}) {
    print "nothing was judged: the machine is too busy, choose a SOAK_UNIT\n";
    exit 1;
}
