#!/usr/bin/perl

# 200 payments while three daemons and the store are killed at random moments:
# each is charged once, is in the ledger once, and was told once.  With
# "everysec" a killed store forgets up to a second; with "backup" it is at half
# time what it was before.
#
# CRASH_SEEDS=20 runs so many seeds, and half as many for the other two modes;
# CRASH_SEED=7 runs only that one; otherwise one is drawn.  The mode follows from
# the seed: of 30, the last 5 are for "backup", and 5 before for "everysec".
#
# Alone: daemons that are late are killed before they have done something.

use strict;
use warnings;

use RblCrash::Bill;
use RblTest;
use Time::HiRes qw(time);

my @seeds = defined $ENV{CRASH_SEED} ? split ' ', $ENV{CRASH_SEED}
    : $ENV{CRASH_SEEDS} ? 1 .. int 1.5 * $ENV{CRASH_SEEDS} : 101 + int rand 5000;
my %name = (
    left => 'every account has paid',
    twice => 'nothing is charged twice',
    all => 'as much is charged as was owed',
    ledger => 'the ledger has each charge once, and no other entry',
    told => 'each success was told, and no other',
    fsck => 'fsck finds nothing',
);

for my $seed (@seeds) {
    my $mode = (('always') x 4, 'everysec', 'backup')[($seed - 1) % 30 / 5];
    my $began = time;
    my $c = bill_world($seed, $mode);
    bill_run($c);
    my %fault = bill_verify($c);
    is($fault{$_}, '', "seed $seed ($mode): $name{$_}") for sort keys %name;
    cmp_ok($c->{did}{'daemon killed'} // 0, '>', 0,
        "seed $seed: daemons were killed");
    cmp_ok($c->{did}{restored}, '>', 0, "seed $seed: charges were forgotten")
        if $mode eq 'backup';
    note(sprintf 'seed %d (%s): %.1f s; %s', $seed, $mode, time - $began,
        join ', ', map { "$_: $c->{did}{$_}" } sort keys %{ $c->{did} });
    stop_server($_) for @{ $c->{daemon} };
    stop_server($c->{stripe});
    stop_server($c->{redis});
}
done_testing();
