#!/usr/bin/perl

# list_turn and list_thaw alone: when a list that turns positive for many hosts
# is frozen, which daemon takes a sample, and when it thaws.

use strict;
use warnings;
use RblTest;
use RblScript;

redis_new();
my $HALF = 1_800_000;
my $key;

sub fresh { return $key = k('list', sid('RB')) }
sub field { return cmd('HGET', $key, $_[0]) }
sub set { return cmd('HSET', $key, @_) }
sub turn { return script('list_turn', [$key], clear => $_[0], fresh => $_[1],
    bad => $_[2] // '') }
sub thaw { return script('list_thaw', [$key], since => $_[0] // '') }

# Sends batches of clear responses and of listings until it is frozen; returns
# the listings passed before, and those held back.
sub go {
    my (@batches) = @_;
    my $gone = 0;
    for my $b (@batches) {
        my $r = turn(@$b);
        return ($gone, $b->[1]) if $r->[0] eq 'FROZEN';
        $gone += $b->[1];
    }
    return ($gone, 'none');
}

# --- when it freezes -------------------------------------------------------

# case, batches [clear, listings], listings passed, held back
my @one = ([0, 1]) x 60;
for my $case (
    ['clear only', [([50, 0]) x 100], 0, 'none'],
    ['four listings are no mass', [([0, 1]) x 4], 4, 'none'],
    ['a few hosts, all of them', [@one], 4, 1],
    ['one in ten', [([9, 1]) x 200], 200, 'none'],
    ['one in five', [([4, 1]) x 200], 200, 'none'],
    ['nine at once among others', [[30, 0], [0, 9]], 9, 'none'],
    ['ten of thirty-four', [[24, 0], [0, 10]], 10, 'none'],
    ['ten of thirty-three', [[23, 0], [0, 10]], 0, 10],
    ['five of eight', [[3, 0], [0, 5]], 0, 5],
    ['five of nine', [[4, 0], [0, 5]], 5, 'none'],
    ['300 at once', [[1000, 0], [0, 300]], 0, 300],
    ['300 at once in one batch with clear ones', [[700, 300]], 0, 300],
    ['a site of 20 turns, one by one', [[20, 0], @one], 9, 1],
    ['a site of 40 turns, one by one', [[40, 0], @one], 14, 1],
    ['a large one turns, one by one', [([400, 0]) x 9, @one], 11, 1],
    ['in batches of 25', [([400, 0]) x 9, ([0, 25]) x 9], 0, 25],
    ['half of each batch turns', [([400, 0]) x 9, ([10, 10]) x 9], 10, 10],
) {
    my ($what, $batches, $gone, $held) = @$case;
    fresh();
    my @got = go(@$batches);
    is("@got", "$gone $held", $what);
}

for my $clear (0 .. 100) {
    fresh();
    turn(1, 0) for 1 .. $clear;
    my ($gone) = go(@one);
    fail("$clear clear answers, then listings: $gone go") if $gone > 19;
}
pass('fewer than 20 go of a list that turns, whatever was before');

# --- time ------------------------------------------------------------------

fresh();
turn(0, 4);
set(moved => now_ms() - $HALF + 5000);
is(turn(0, 0)->[1], 4, 'listings younger than half an hour count in full');
set(moved => now_ms() - $HALF - 5000);
is(turn(0, 0)->[1], 2, 'older than half an hour counts half');
is(turn(0, 0)->[1], 2, 'older listings are halved only once');
set(moved => now_ms() - 2 * $HALF - 5000);
is(turn(0, 0)->[1], 0, 'older than an hour not at all');
turn(0, 4);
set(moved => now_ms() + 60_000);
is(turn(0, 1)->[1], 1, 'a future time of a wrong clock does not count');
for my $junk ('x', '-1', 'nan', 'inf', '1e300', '') {
    set(clear => $junk, fresh => $junk, passes => $junk, passed => $junk,
        frozen => $junk);
    is(turn(0, 1)->[0], 'OK', "'$junk' in all fields");
}

# --- frozen ----------------------------------------------------------------

fresh();
my $r = turn(5, 10);
is_deeply([@$r[0 .. 5]], ['FROZEN', 1, 10, 15, 1, 0],
    'the freeze starts with ten of fifteen; a sample is needed');
cmp_ok(abs($r->[6] - now_ms()), '<', 5000, 'the freeze starts now');
is_deeply([map { field($_) } qw(frozen turned of)], [$r->[6], 10, 15],
    'recorded for the operator');
my $since = $r->[6];
$r = turn(0, 1);
is_deeply([@$r[0 .. 4, 6]], ['FROZEN', 0, 10, 15, 0, $since],
    'the next one: no other sample');
ok($r->[5] >= 0 && $r->[5] < 5000, 'one has started a moment ago');
turn(1000, 0);
is(turn(0, 1)->[0], 'FROZEN', 'clear answers do not thaw it');
set(sampled => now_ms() - 4000);
is(turn(0, 1)->[4], 0, 'a sample in progress is not repeated');
set(sampled => now_ms() - 6000);
is(turn(0, 1)->[4], 1, 'the daemon with the sample has died: another one');
set(sampled => now_ms() - 29_000);
turn(0, 0, 1);
is(turn(0, 1)->[4], 0, 'the sample failed: half a minute is not over');
set(sampled => now_ms() - 31_000);
is(turn(5, 0)->[4], 0, 'no check waits: no sample');
is(turn(0, 1)->[4], 1, 'a check waits: another sample');
is(turn(0, 1)->[4], 0, 'one daemon has claimed it');

is_deeply(thaw($since - 1), ['NONE'],
    'a sample of another freeze does not thaw the list');
$r = thaw($since);
is($r->[0], 'OK', 'one of this');
is_deeply(thaw($since), ['NONE'], 'a sample thaws the list only once');
is_deeply([grep { defined } map { field($_) } qw(frozen turned of sampled
    found clear fresh)], [], 'nothing of it is left');
is_deeply(turn(0, 1), ['OK', 1], 'the counters start at 0');

# --- the next time ---------------------------------------------------------

fresh();
for my $bound (10, 20, 40, 80, 160, 320, 640, 640) {
    turn(2000, 0);
    turn(0, 1) for 1 .. $bound / 2 - 1;
    is(turn($bound, $bound / 2)->[0], 'OK', "fewer than $bound go");
    thaw() if cmd('HEXISTS', $key, 'frozen');
    cmd('HDEL', $key, 'clear', 'fresh');
    is(turn($bound, $bound)->[0], 'FROZEN', "$bound at once do not");
    is(thaw()->[0], 'OK', 'list_thaw thaws the list');
}
set(passed => now_ms() - 3_600_001);
is(turn(10, 10)->[0], 'FROZEN', 'an hour later ten are enough again');
thaw();
is(field('passes'), 1, 'counted from the start');

fresh();
is_deeply(thaw(), ['NONE'], 'one that is not frozen');
is(cmd('EXISTS', $key), 0,
    'list_thaw writes no key for a list that is not frozen');
set(turned => 5, rate => 'kept', used => 7);
turn(0, 50);
thaw();
is(field('used'), 7, 'other fields stay');

# --- many at once ----------------------------------------------------------

fresh();
my @pid;
pipe my $in, my $out or die "pipe: $!";
for (1 .. 4) {
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        my $said = '';
        for (1 .. 20) {
            my $t = turn(0, 1);
            $said .= $t->[0] eq 'OK' ? 'g' : 'f' . ($t->[1] ? 'b' : '')
                . ($t->[4] ? 's' : '');
        }
        syswrite $out, $said;
        require POSIX;
        POSIX::_exit(0);
    }
    push @pid, $pid;
}
waitpid $_, 0 for @pid;
close $out;
my $said = join '', <$in>;
is($said =~ tr/g//, 4, 'four daemons: as many go as with one');
is($said =~ tr/b//, 1, 'one sees the start');
is($said =~ tr/s//, 1, 'one takes the sample');

done_testing();
