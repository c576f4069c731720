#!/usr/bin/perl

# The days of an account: what each one ended with, what began and ended on it;
# hosts by list and by the weight of their heaviest listing.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { DAY => 86_400_000, FIRST => 20_900, DATE => 1, BEGUN => 2,
    ENDED => 3, WAS => 4, OLDEST => 8, LAST => 9, MADE => 10, DETAILS => 16 };

redis_new();
my ($ac, $acct, %ht);
my $now;
sub at { $now = (FIRST + $_[0]) * DAY + int $_[1] * 3_600_000;
    script_clock($now) }
at(0, 0);

sub add { my ($name, $value) = @_;
    $ht{$name} = unpacked(add_host($acct, 'rbl', $value)->[1])->[1] }
sub host { return unpacked(cmd('GET', k('r', $ac, $ht{ $_[0] }))) }
# The host is checked: lists with a weight list it, with 0 they do not, with ""
# they do not answer.  Code behind the name runs while the check does.
sub check {
    my ($name, @is) = @_;

    my $meanwhile = ref $is[0] ? shift @is : sub {};
    my %is = @is;
    cmd('ZADD', k('due', $ac), 1, $ht{$name});
    cmd('ZADD', k('due'), 1, $ac);
    my ($job) = grep { /$ht{$name}/ } take('d', 100);
    my $pp = begin_job($job)->[8];
    $meanwhile->();
    my $r = finish_check($acct, $pp, $ht{$name}, [map { my $w = $is{$_};
        $w eq '' ? result($_, 'unknown', error => 'timeout')
            : $w ? listed_result($_, weight => $w) : result($_, 'clear') }
        sort keys %is], '', interval => 3600);
    die "check_finish: @$r\n" if $r->[0] ne 'OK';
    return;
}
sub status { script('host_status', [$acct], host => $ht{ $_[0] },
    status => $_[1]) }
sub pause_b { return status(b => 'paused') }
sub remove { script('host_delete', [$acct], host => $ht{ $_[0] }, keep => 1) }

sub today { my $raw = cmd('GET', k('today', $ac));
    return defined $raw ? unpacked($raw) : [] }
# The entries: day since FIRST, listed, critical, unknown, begun, ended.
sub days {
    my @numbers = (0);
    my $worth = 1;
    for my $c (unpack 'C*', cmd('GET', k('days', $ac)) // '') {
        $numbers[-1] += $c % 128 * $worth;
        $worth *= 128;
        ($worth, @numbers) = (1, @numbers, 0) if $c < 128;
    }
    pop @numbers;
    my ($date, @days) = today()->[OLDEST] // 0;
    while (my @n = splice @numbers, 0, 6) {
        $date += $n[0] if @days;
        push @days, join ' ', $date - FIRST, @n[1 .. 5];
    }
    return join ', ', @days;
}
sub refs {
    my %n = @{ cmd('HGETALL', k('refs', $ac)) };
    return join ' ', map { "$_=$n{$_}" } sort grep { /^w|^RB/ } keys %n;
}

# Each step: the day and hour, what happens, then what began and ended on the
# day, the counters, and the entries that it adds.
my @story = (
    [0, 9, 'the first hosts are added', sub { add(a => '192.0.2.1');
        add(b => '192.0.2.2'); add(c => '192.0.2.3') }, '0 0', ''],
    [0, 10, 'all are clear', sub { check($_, RBa => 0, RBb => 0)
        for qw(a b c) }, '0 0', ''],
    [0, 11, 'two lists begin to list a host', sub {
        check(a => RBa => 2, RBb => 4) }, '2 0', 'RBa:h=1 RBb:h=1 w4=1'],
    [0, 12, 'a check finds the same', sub { check(a => RBa => 2, RBb => 4) },
        '2 0', 'RBa:h=1 RBb:h=1 w4=1'],
    [1, 0, 'the next day has a check with the same result', sub {
        check(a => RBa => 2, RBb => 4) }, '2 0', 'RBa:h=1 RBb:h=1 w4=1'],
    [1, 1, 'a list begins to list another host', sub { check(b => RBa => 1) },
        '1 0', 'RBa:h=2 RBb:h=1 w1=1 w4=1', '0 1 1 0 2 0'],
    [1, 2, 'a listing rises', sub { check(b => RBa => 3) },
        '1 0', 'RBa:h=2 RBb:h=1 w3=1 w4=1'],
    [1, 3, 'a list gives no answer', sub { check(b => RBa => '');
        check(c => RBa => '') }, '1 0', 'RBa:h=2 RBb:h=1 w3=1 w4=1'],
    [4, 5, 'three days later the heaviest listing ends', sub {
        check(a => RBa => 2, RBb => 0) }, '0 1', 'RBa:h=2 w2=1 w3=1',
        '1 2 1 1 1 0', '2 2 1 1 0 0'],
    [4, 6, 'a host is paused while a check of it runs, which ends its listing',
        sub { check('b', \&pause_b, RBa => 0) }, '0 2', 'RBa:h=1 w2=1'],
    [4, 7, 'it is resumed', sub { status(b => 'active') }, '0 2',
        'RBa:h=1 w2=1'],
    [4, 8, 'the same again, and a listing begins', sub {
        check('b', \&pause_b, RBa => 4) }, '1 2', 'RBa:h=1 w2=1'],
    [6, 0, 'it is resumed two days later', sub { status(b => 'active') },
        '0 0', 'RBa:h=2 w2=1 w4=1', '4 1 0 1 1 2', '5 1 0 1 0 0'],
    [7, 0, 'a listed host is deleted', sub { remove('a') }, '0 0',
        'RBa:h=1 w4=1', '6 2 1 1 0 0'],
    [7, 1, 'a host is clear again', sub { check(c => RBa => 0) }, '0 0',
        'RBa:h=1 w4=1'],
    [9, 0, 'the last listing ends', sub { check(b => RBa => 0) }, '0 1', '',
        '7 1 1 0 0 0', '8 1 1 1 0 0'],
    [8, 0, 'the clock was ahead', sub { check(b => RBa => 1) }, '1 1',
        'RBa:h=1 w1=1'],
);

($ac, $acct) = account();
is_deeply(today(), [], 'an account without hosts has no days');
my @all;
for (@story) {
    my ($day, $hour, $name, $do, $today, $refs, @more) = @$_;
    at($day, $hour);
    $do->();
    my $t = today();
    push @all, @more;
    is_deeply([join(' ', @$t[BEGUN, ENDED]), refs(), days()],
        [$today, $refs, join ', ', @all], "day $day, $hour:00: $name");
}
is_deeply([@{ today() }[WAS .. WAS + 3]], [0, 0, 0, 1],
    'the record has the weights with which the day before ended');

# --- an account of an older release ------------------------------------------

($ac, $acct) = account();
at(20, 1);
add(old => '192.0.2.4');
check(old => RBa => 3);
my $h = host('old');
$#{ $h->[DETAILS][0] } = 11;
cmd('SET', k('r', $ac, $ht{old}), packed($h));
cmd('DEL', map({ k($_, $ac) } 'today', 'days'), k('newly', $ac, FIRST + 20));
cmd('HDEL', k('refs', $ac), 'RBa:h', 'w3');
status(old => 'paused');
is(refs(), '', 'a listing that is not counted is not taken away');
status(old => 'active');
at(21, 1);
check(old => RBa => 3);
is_deeply([refs(), @{ today() }[BEGUN, MADE]], ['RBa:h=1 w3=1', 0, FIRST + 20],
    'the next check counts a listing of an older record, which is not new');
check(old => RBa => 0);
is(refs(), '', 'the next check counts the end of that listing once');

# --- limits ------------------------------------------------------------------

($ac, $acct) = account();
at(0, 0);
add(long => '192.0.2.5');
for my $day (1 .. 420) {
    at($day, 1);
    check(long => RBa => $day % 2 ? 4 : 0);
}
my @days = split /, /, days();
is_deeply([scalar @days, @days[0, -1]], [400, '20 0 0 0 0 1', '419 1 1 0 1 0'],
    'the store keeps 400 days before today');
my $octets = length cmd('GET', k('days', $ac));
cmp_ok($octets * 365 / 400, '<', 4096, 'a year takes less than 4 KiB');
note("$octets octets for 400 days");
# Numbers that are larger than those of any account.
my $t = today();
cmd('SET', k('days', $ac), "\x01" . "\xff\xff\x07" x 5);
$t->[OLDEST] = $t->[LAST] = FIRST + 419;
cmd('SET', k('today', $ac), packed($t));
for my $day (421 .. 900) {
    at($day, 1);
    my $r = today();
    @$r[BEGUN, ENDED] = (300_000_000, 300_000_000);
    cmd('SET', k('today', $ac), packed($r));
    check(long => RBa => $day % 2 ? 4 : 0);
}
cmp_ok(length cmd('GET', k('days', $ac)), '<=', 4480,
    'the days of an account take no more than 4480 bytes');
like(days(), qr/^58\d 0 /, 'the oldest days go first');
at(2000, 1);
check(long => RBa => 4);
like(days(), qr/, 900 0 0 0 0 1, 901 0 0 1 0 0\z/,
    'the last entries show how a long pause began');

# --- what a reader gets ------------------------------------------------------

($ac, $acct) = account();
at(0, 0);
add(one => '192.0.2.6');
add(two => '192.0.2.7');
check(one => RBa => 4, RBb => 1);
at(3, 0);
check(two => RBa => 3);
at(5, 0);
check(two => RBa => 0);
sub shown { my $r = script('days_show', [$acct], most => $_[0] // 9);
    return [@$r[3, 4, 6], join(' ', map { $_ // 0 } @{ $r->[8] }), $r->[9],
        join ', ', map { join ' ', @$_[0 .. 2], (unpacked($_->[3]))->[4] }
        @{ $r->[11] }] }
is_deeply(shown(), [1, 0, FIRST + 5, '0 0 0 1', 2,
    'RBa 1 2 A, RBb 1 1 B'], 'lists with the most hosts and new listings');
is_deeply([@{ shown(1) }[4, 5]], [2, 'RBa 1 2 A'], 'a reader gets no more lists than wanted');
at(8, 23);
is(shown()->[5], 'RBa 1 1 A, RBb 1 0 B',
    'listings are new on the day on which they began and six more');
cmp_ok(cmd('PTTL', k('newly', $ac, FIRST + 5)) // 0, '<', 0,
    'a day on which no listing began has no such key');
cmp_ok(cmd('PTTL', k('newly', $ac, FIRST + 3)), '>', 7 * DAY,
    'what began on a day is kept for more than seven days');

# --- days without an answer --------------------------------------------------

($ac, $acct) = account();
at(0, 0);
add($_ => "192.0.2.1$_") for 1 .. 4;
check($_ => RBa => 0) for 2 .. 4;
check(1 => RBa => 3);
status(4 => 'paused');
sub answers { my ($name, $as) = @_;
    cmd('ZADD', k('due', $ac), 1, $ht{$name});
    cmd('ZADD', k('due'), 1, $ac);
    my ($job) = grep { /$ht{$name}/ } take('d', 100);
    my @lists = ([sid('RB'), 0, 0]);
    my $pp = begin_job($job)->[8];
    finish_check($acct, $pp, $ht{$name}, [map { result($_->[0], 'clear') }
        @lists], '', asks => asks_of(@lists), members => members_of(@lists));
}
answers(2);
at(2, 0);
answers(2);
is(days(), '0 1 0 0 1 0, 1 1 0 2 0 0',
    'on a day without an answer the active hosts that are not listed were '
    . 'unknown');
at(3, 0);
answers(3);
is(days(), '0 1 0 0 1 0, 1 1 0 2 0 0',
    'nothing is written for a day on which a list answered');
at(6, 0);
is_deeply([@{ script('days_show', [$acct], most => 1) }[4, 5, 7]],
    [0, 2, FIRST + 3], 'readers know when a list answered last');
check(1 => RBa => 0);
is(days(), '0 1 0 0 1 0, 1 1 0 2 0 0, 2 1 0 0 0 0, 4 1 0 2 0 0',
    'the same if the first answer changes something');

# --- damage ------------------------------------------------------------------

my $later = 30;
for my $what (['today', "\xc1"], ['today', packed([1, 'x'])],
    ['days', "\xff" x 5000])
{
    my ($name, $bytes) = @$what;
    cmd('SET', k($name, $ac), $bytes);
    at($later++, 0);
    check(2 => RBa => 3);
    is(refs(), 'RBa:h=1 w3=1', "a damaged $name keeps no check from "
        . 'finishing');
    check(2 => RBa => 0);
}

# --- groups ------------------------------------------------------------------

($ac, $acct) = account();
at(0, 9);
my %cg = (d => chosen($acct)->[2], map { $_ => sid('CG') } 'e', 'f');
script('group_add', [$acct], group => $cg{$_}, name => $_) for 'e', 'f';
# Of each group its listed hosts, and by how much they changed today.
sub in_groups {
    my %n = @{ cmd('HGETALL', k('refs', $ac)) };
    my %moved = @{ cmd('HGETALL', k('moved', $ac, int($now / DAY))) };
    return join ', ', map { join ' ', $_, $n{"$cg{$_}:l"} // 0,
        $moved{ $cg{$_} } // 0 } sort keys %cg;
}
sub moves { my ($name, @to) = @_; script('host_update', [$acct],
    host => $ht{$name}, groups => [map { $cg{$_} } @to]) }
for my $step (
    [0, 'hosts that are not listed', sub { add(a => '192.0.2.31');
        add(b => '192.0.2.32'); moves(b => 'e', 'f') }, 'd 0 0, e 0 0, f 0 0'],
    [0, 'one listed host, and one in two groups', sub {
        check(a => RBa => 2, RBb => 4); check(b => RBa => 1) },
        'd 1 1, e 1 1, f 1 1'],
    [0, 'one of two listings ends', sub { check(a => RBa => 0, RBb => 4) },
        'd 1 1, e 1 1, f 1 1'],
    [1, 'the only listing ends a day later', sub { check(b => RBa => 0) },
        'd 1 0, e 0 -1, f 0 -1'],
    [1, 'and begins again', sub { check(b => RBa => 3) },
        'd 1 0, e 1 0, f 1 0'],
    [1, 'a listed host gets other groups', sub { moves(b => 'd', 'e') },
        'd 2 1, e 1 0, f 0 -1'],
    [1, 'it is paused', \&pause_b, 'd 1 0, e 0 -1, f 0 -1'],
    [1, 'it gets another group while it is paused', sub { moves(b => 'f') },
        'd 1 0, e 0 -1, f 0 -1'],
    [1, 'it is resumed', sub { status(b => 'active') },
        'd 1 0, e 0 -1, f 1 0'],
    [1, 'a listed host is deleted', sub { remove('a') },
        'd 0 -1, e 0 -1, f 1 0'])
{
    my ($day, $name, $do, $want) = @$step;
    at($day, 9);
    $do->();
    is(in_groups(), $want, "listed hosts of groups: $name");
}
is_deeply([map { "@$_" } @{ script('days_show', [$acct], most => 1)->[12] }],
    ["$cg{d} 0 -1", "$cg{e} 0 -1", "$cg{f} 1 0"],
    'readers know of listed hosts of groups, and their changes');
at(2, 0);
is_deeply([map { "@$_" } @{ script('days_show', [$acct], most => 1)->[12] }],
    ["$cg{f} 1 0"], 'groups without listed hosts are left out');
is(cmd('EXISTS', k('moved', $ac, FIRST + 1)), 1,
    'changes of the day before are kept');
cmp_ok(cmd('PTTL', k('moved', $ac, FIRST + 1)), '<', 2 * DAY,
    'changes of a day are kept for less than two days');

done_testing();
