#!/usr/bin/perl

# list_grant and list_told alone: number of queries granted for a list to all
# daemons together, and the back-off of a list.

use strict;
use warnings;
use RblTest;
use RblScript;
use Time::HiRes qw(time);

my $redis = redis_new();
my $DAY = 86_400_000;
my $key;

sub today { return int now_ms() / $DAY }

# The test must not cross midnight (UTC).
wait_for { $DAY - now_ms() % $DAY > 20_000 } 30, 'a new day';

sub fresh { return $key = k('list', sid('RB')) }
sub field { return cmd('HGET', $key, $_[0]) }
sub set { return cmd('HSET', $key, @_) }

sub grant {
    my ($want, $rate, $quota, $patience) = @_;

    return script('list_grant', [$key], want => $want, rate => $rate,
        quota => $quota, patience => $patience // 10_000);
}

# --- quota per day ---------------------------------------------------------

# quota, used of it, wanted, granted
for my $case ([1000, 0, 100, 20], [1000, 0, 5, 5], [1000, 500, 100, 10],
    [1000, 951, 100, 1], [1000, 999, 100, 1], [1000, 1000, 1, 'USED'],
    [1000, 2000, 1, 'USED'], [1, 0, 100, 1], [1, 1, 1, 'USED'],
    [100_000, 0, 1, 1], [1000, 'junk', 3, 3], [1000, -5, 3, 3],
    [1000, 'nan', 3, 3], [1000, 'inf', 3, 3], [1000, '1e300', 3, 3])
{
    my ($quota, $used, $want, $n) = @$case;
    fresh();
    set(day => today(), used => $used);
    my $r = grant($want, 0, $quota);
    is($n eq 'USED' ? $r->[0] : $r->[1], $n,
        "$used of $quota used, $want wanted: $n");
    my $was = $used =~ /^\d+\z/ ? $used : 0;
    if ($n eq 'USED') {
        is(field('used'), $used, 'nothing is counted');
        my $ms = $DAY - now_ms() % $DAY;
        cmp_ok(abs($r->[1] - $ms), '<', 1000,
            'a list with a used quota is refused until midnight');
        next;
    }
    is_deeply([@$r[0, 2 .. 4]], ['OK', 0, 2000, $quota - $was - $n],
        'now, for two seconds');
    is(field('used'), $was + $n, 'the granted queries are counted');
}

fresh();
set(day => today() - 1, used => 1000);
is_deeply(grant(5, 0, 1000), ['OK', 5, 0, 2000, 995, 0],
    'the use of yesterday does not count');
is(field('day'), today(), 'the day is another one');
set(day => today() + 1, used => 1000);
is(grant(5, 0, 1000)->[0], 'OK',
    'a future day of a wrong clock does not count');
is_deeply(grant(0, 0, 1000), ['OK', 0, 0, 0, 995, 0], 'a look takes nothing');
set(used => 1000);
is(grant(0, 0, 1000)->[0], 'USED',
    'a request for no query sees the used quota');
is_deeply(grant(0, 0, 2000), ['OK', 0, 0, 0, 1000, 0], 'more is allowed now');
is(grant(1, 0, 900)->[0], 'USED', 'a lower quota holds at once');

fresh();
is_deeply(grant(7, 0, 0), ['OK', 7, 0, 2000, -1, 0], 'no limit at all');
is(cmd('EXISTS', $key), 0, 'a list without limits leaves no key');

# --- rate ------------------------------------------------------------------

# rate, wanted, granted, life
for my $case ([10, 100, 5, 500], [10, 1, 1, 500], [1, 9, 1, 1000],
    [2, 9, 1, 500], [3, 9, 1, 500], [1000, 9, 9, 500], [1000, 900, 500, 500])
{
    my ($rate, $want, $n, $life) = @$case;
    fresh();
    is_deeply(grant($want, $rate, 0), ['OK', $n, 0, $life, -1, 0],
        "$rate a second, $want wanted: $n");
    my $next = grant(1, $rate, 0);
    my $ms = 1000 * $n / $rate;
    ok($next->[0] eq 'OK' && $next->[2] <= $ms + 1 && $next->[2] > $ms - 200,
        "the next one after the time that these take ($next->[2] of $ms)");
}

fresh();
grant(5, 10, 0) for 1 .. 3;
my $r = grant(5, 10, 0, 1000);
is($r->[0], 'LATE', 'a turn that is too late is refused');
ok($r->[1] > 1300 && $r->[1] <= 1500, 'the turn would come so late');
my $turn = field('turn');
grant(5, 10, 0, 1000);
is(field('turn'), $turn, 'a refused request uses no turn');
is(grant(5, 10, 0, 2000)->[0], 'OK',
    'a request that can wait longer is granted');
set(turn => '1e15');
is(grant(5, 10, 0)->[2], 0, 'a turn long ago is no credit');
set(turn => (now_ms() + 3_600_000) * 1000);
is(grant(5, 10, 0)->[2], 0, 'a turn in one hour is ignored');

fresh();
set(day => today(), used => 10);
is(grant(5, 10, 10)->[0], 'USED', 'a rate, and a quota that is used up');
is(field('turn'), undef, 'takes no turn');
is_deeply(grant(5, 100, 60), ['OK', 1, 0, 500, 49, 0], 'the lesser of both');

# --- many at once ----------------------------------------------------------

# Each child takes as many grants as it gets, over a connection of its own.
sub crowd {
    my ($children, $code) = @_;

    my @from;
    for (1 .. $children) {
        pipe my $r, my $w or die "pipe: $!";
        my $pid = fork // die "fork: $!";
        if ($pid == 0) {
            close $r;
            print $w eval { $code->() } // "died: $@";
            close $w;
            require POSIX;
            POSIX::_exit(0);
        }
        close $w;
        push @from, [$pid, $r];
    }
    return map { my $s = readline $_->[1]; waitpid $_->[0], 0; $s } @from;
}

# `cmd` connects again after a fork
my $sum = sub {
    my ($rate, $quota, $seconds) = @_;
    my ($n, $till) = (0, time + $seconds);
    while (time < $till) {
        my $got = grant(3, $rate, $quota, 0);
        last if $got->[0] eq 'USED';
        $n += $got->[1] if $got->[0] eq 'OK';
    }
    return $n;
};

fresh();
my $total = 0;
$total += $_ for crowd(4, sub { $sum->(0, 500, 20) });
is($total, 500, 'four daemons share a quota of 500');
is(field('used'), 500, 'as many as are counted');

fresh();
$total = 0;
my $began = time;
$total += $_ for crowd(4, sub { $sum->(100, 0, 1.5) });
my $most = 100 * (time - $began) + 50;
ok($total > 80 && $total <= $most,
    "a rate of 100 gave $total, not more than $most");

# --- back-off --------------------------------------------------------------

sub told { return script('list_told', [$key], refused => $_[0]) }

fresh();
is_deeply(told(0), ['OK', 0, 0, 0], 'a good answer of a good list');
is(cmd('EXISTS', $key), 0, 'a good answer of a good list writes no key');

# Each back-off is twice as long, up to an hour.
my $times = 0;
for my $s (300, 600, 1200, 2400, 3600, 3600) {
    $times++;
    is_deeply(told(1), ['OK', $s * 1000, $times, 1], "refusal $times: $s s");
    my $again = told(1);
    ok($again->[1] > ($s - 5) * 1000 && $again->[1] <= $s * 1000,
        'another refusal does not extend the back-off');
    is_deeply([@$again[2, 3]], [$times, 0], 'another refusal is not counted');
    my $no = grant(1, 10, 10);
    is($no->[0], 'BLOCKED', 'nothing is granted');
    cmp_ok(abs($no->[1] - $s * 1000), '<', 5000,
        'the list is blocked until the end of the back-off');
    is(grant(0, 0, 0)->[0], 'BLOCKED',
        'a daemon without limits sees the block too');
    set(till => now_ms() - 1);
    is_deeply([@{ grant(1, 10, 10) }[0, 5]], ['OK', $times],
        'the grant after the back-off asks for a report');
}

told(1);
is(told(0)->[1] > 0, 1, 'an answer to an older query ends nothing');
set(since => now_ms() - 11_000);
is_deeply(told(0), ['OK', 0, 0, 0], 'a later one does');
is(field('till'), undef, 'a later good answer ends the back-off');
is_deeply(told(1), ['OK', 300_000, 1, 1],
    'the next one starts at the beginning');

set(till => now_ms() + 3 * 3_600_000);
is(grant(1, 10, 10)->[0], 'OK', 'an end in three hours: the clock was wrong');
set(till => 'x', refused => 'nan', since => '');
is(told(1)->[2], 1, 'damaged fields count as absent');
set(refused => '9007199254740992', till => 0);
is(told(1)->[1], 3_600_000, 'however often: an hour');

done_testing();
