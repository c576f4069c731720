#!/usr/bin/perl

# How many hosts each list lists, day by day: what a daemon notes when a day is
# over, when it does, and how much of it is kept.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { DAY => 86_400_000, FIRST => 20_900, DATE => 1 };

redis_new();
my @rb = map { sprintf 'RB%012x%020x', $_, 0 } 1 .. 400;
my ($ac, $acct, $now, %ht);
sub at { $now = (FIRST + $_[0]) * DAY + int(($_[1] // 0) * 3_600_000);
    script_clock($now) }
sub new_account {
    ($ac, $acct) = account();
    cmd('DEL', k('lists:active'), k('settle'), k('due'));
    cmd('ZADD', k('lists:active'), map { ($_, $rb[$_ - 1]) } 1 .. $_[0] // 3);
    at(0);
}
sub settle { return script('account_settle', [$acct])->[0] }
sub turn { my $at = cmd('ZSCORE', k('settle'), $ac);
    return defined $at ? $at / DAY - FIRST : 'none' }
# The daemon comes when the turn of the account has come.
sub night { my ($day) = @_; at($day, 0.1);
    for (1 .. 9) { last if turn() eq 'none' || turn() > $day + 0.1; settle() } }

sub add { my ($name, $value) = @_;
    $ht{$name} = unpacked(add_host($acct, 'rbl', $value)->[1])->[1] }
# The host is checked; these lists, by their numbers, list it.
sub check {
    my ($name, @on) = @_;

    cmd('ZADD', k('due', $ac), 1, $ht{$name});
    cmd('ZADD', k('due'), 1, $ac);
    my ($job) = grep { /$ht{$name}/ } take('d', 100);
    my $pp = begin_job($job)->[8];
    my %on = map { $_ => 1 } @on;
    my $r = finish_check($acct, $pp, $ht{$name}, [map { $on{$_}
        ? listed_result($rb[$_ - 1], weight => 2)
        : result($rb[$_ - 1], 'clear') } 1 .. 3], '', interval => 3600);
    die "check_finish: @$r\n" if $r->[0] ne 'OK';
    return;
}

sub numbers {
    my ($text) = @_;

    my ($n, $worth, @n) = (0, 1);
    for my $c (unpack 'C*', $text) {
        $n += $c % 128 * $worth;
        $worth *= 128;
        if ($c < 128) {
            push @n, $n;
            ($n, $worth) = (0, 1);
        }
    }
    return @n;
}
sub stored { my $raw = cmd('GET', k('trends', $ac));
    return defined $raw ? unpacked($raw) : undef }
# The days of the record: "first-last hosts of each list | day list change begun
# ...", lists by their numbers.
sub trends {
    my $t = stored() // return '';

    my (undef, $first, $last, $lists, $hosts, $days) = @$t;
    my @names = map { hex } unpack '(H12)*', $lists;
    my @hosts = numbers($hosts);
    my @days = numbers($days);
    my ($date, @out) = ($first);
    while (@days) {
        my ($gap, $n) = splice @days, 0, 2;
        $date += $gap;
        push @out, join ' ', $date - FIRST, map {
            my ($list, $change, $begun) = splice @days, 0, 3;
            $change = $change % 2 ? -($change + 1) / 2 : $change / 2;
            "$names[$list] $change $begun" } 1 .. $n;
    }
    return join ' | ', join(' ', $first - FIRST . '-' . ($last - FIRST),
        map { "$names[$_]=$hosts[$_]" } 0 .. $#names), @out;
}

# --- days, one after the other -------------------------------------------------

new_account();
is(turn(), 'none', 'a daemon has nothing to note of a new account');
at(0, 9);
add(a => '192.0.2.1');
add(b => '192.0.2.2');
check(a => 1, 2);
check(b => 2);
settle();
is_deeply([trends(), turn()], ['', 1], 'nothing is noted before the day ends');
night(1);
is_deeply([trends(), turn()], ['0-0 1=1 2=2 | 0 1 0 1 2 0 2', 'none'],
    'the first day is noted when it is over; how it began is not known');
settle();
is(trends(), '0-0 1=1 2=2 | 0 1 0 1 2 0 2', 'a day is noted once');
at(1, 5);
check(a => 2, 3);
is(turn(), 2, 'a change makes a daemon come when the day ends');
check(b => 2);
night(2);
is(trends(), '0-1 2=2 3=1 1=0 | 0 1 0 1 2 0 2 | 1 1 -1 0 3 1 1',
    'a list that lists no host any more stays for its days');
night(3);
is(trends(), '0-1 2=2 3=1 1=0 | 0 1 0 1 2 0 2 | 1 1 -1 0 3 1 1',
    'a day without a change is not noted');
at(4, 1);
script('host_status', [$acct], host => $ht{a}, status => 'paused');
night(5);
like(trends(), qr/^0-4 2=1 .* \| 4 2 -1 0 3 -1 0\z/,
    'a paused host has left its lists');
at(5, 1);
check(b => 1, 2);
check(b => 2);
night(6);
like(trends(), qr/ \| 5 1 0 1\z/,
    'a listing that began and ended on a day counts as new');
at(6, 1);
script('host_delete', [$acct], host => $ht{b}, keep => 1);
night(7);
like(trends(), qr/^0-6 .* \| 6 2 -1 0\z/, 'a deleted host has left its lists');

# --- a daemon that is late, a clock that was ahead, lists that are gone --------

new_account();
at(0, 1);
add(a => '192.0.2.1');
check(a => 1);
night(1);
at(1, 1);
check(a => 1, 2);
at(2, 1);
check(a => 2);
check(a => 2, 3);
night(3);
is(trends(), '0-2 2=1 3=1 1=0 | 0 1 0 1 | 1 2 0 1 | 2 1 -1 0 2 1 0 3 1 1',
    'what began is known of each day on which no daemon came');
cmd('ZREM', k('lists:active'), $rb[1]);
at(3, 1);
check(a => 1, 3);
night(4);
is(trends(), '0-3 1=1 3=1 | 0 1 0 1 | 2 1 -1 0 3 1 1 | 3 1 1 1',
    'a list that is no longer used is left out, with its days');
my $t = stored();
$t->[2] += 50;
cmd('SET', k('trends', $ac), packed($t));
at(4, 1);
check(a => 3);
night(5);
is(trends(), '4-4 3=1', 'days in the future are dropped');
my $day = 0;
for my $bytes ("\xc1", packed([1, 'x']), packed([1, 3, 4, 'x', "\xff", "\1"]),
    packed([1, FIRST, FIRST + 5, '', '', "\1\1\7\1\1"]))
{
    $day += 10;
    cmd('SET', k('trends', $ac), $bytes);
    at($day, 1);
    check(a => 1, 3);
    check(a => 3);
    night($day + 1);
    like(trends(), qr/^$day-$day 3=1/, 'a damaged record is made again');
}

# --- what a store keeps --------------------------------------------------------

new_account(400);
at(0, 1);
add(a => '192.0.2.1');
my $most = 0;
for my $day (1 .. 500) {
    at($day, 1);
    cmd('HSET', k('refs', $ac), map { ("$rb[$_ - 1]:h" => $day % 2 ? 300 : 7) }
        1 .. 8);
    check(a => 1 + $day % 2);
    night($day + 1);
    my $n = length cmd('GET', k('trends', $ac));
    $most = $n if $n > $most;
}
cmp_ok($most, '<=', 4096, 'eight lists that change each day take 4 KiB');
cmp_ok($most, '>', 3800, 'as many days as fit are kept');
my (undef, $first, $last) = @{ stored() };
cmp_ok($last - $first, '>', 100, 'more than a hundred days fit');
note("$most octets for " . ($last - $first) . ' days');
cmd('HSET', k('refs', $ac), map { ("$_:h" => 100_000) } @rb);
at(600, 1);
check(a => 1);
night(601);
cmp_ok(length cmd('GET', k('trends', $ac)), '<=', 4096,
    '400 lists fit, with the fewer days');
my @shown = split / \| /, trends();
is(scalar(my @names = $shown[0] =~ /=/g), 400, 'each of them has its number');

new_account();
at(0, 1);
add(a => '192.0.2.1');
for my $day (1 .. 420) {
    at($day, 1);
    check(a => $day % 2 ? 1 : ());
    night($day + 1);
}
(undef, $first, $last) = @{ stored() };
is($last - $first, 400, 'no more than 400 days are kept');
note(length(cmd('GET', k('trends', $ac))) . ' octets for 400 days of a list');

# --- what readers get ----------------------------------------------------------

my $r = script('lists_mine', [$acct]);
is_deeply([$r->[1], map { "@$_[1, 2]" } @{ $r->[4] }],
    [FIRST + 421, '0 3', '0 0', '0 0'],
    'all lists with their hosts, and what is new in seven days');
is($r->[3], cmd('GET', k('trends', $ac)), 'the answer has the days of the lists');
$r = script('list_days', [$acct], list => $rb[0]);
is_deeply($r, ['LIST'], 'a list that does not exist is refused');
cmd('SET', k('r', 'SYS', $rb[0]), 'x');
$r = script('list_days', [$acct], list => $rb[0]);
is_deeply([$r->[0], $r->[1], $r->[2], $r->[5]],
    ['OK', FIRST + 421, 0, [0, 0, 1, 0, 1, 0, 1]],
    'one list with what began on each of the last days');

done_testing();
