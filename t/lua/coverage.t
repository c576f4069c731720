#!/usr/bin/perl

# Which lists apply to the active hosts of an account, and when each last gave
# an answer: what a check notes of it.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant INTERVAL => 800;           # s; an answer is noted again after 100

redis_new();
my $now = 1_800_000_000;
sub later { $now += $_[0]; script_clock($now * 1000) }
later(0);

my ($ac, $acct) = account(interval => INTERVAL);
my $rp = cmd('ZRANGE', k('profiles', $ac), 0, 0)->[0];
my @rb = map { sid('RB') } 0 .. 3;
# SID, minimum interval, is it critical: for IPv4; the second for domains, too;
# the last for domains alone.
my @of = ([$rb[0], 0, 1], [$rb[1], 86_400, 0], [$rb[2], 0, 0]);
my @names = ([$rb[3], 0, 1]);
sub add { return unpacked(add_host($acct, @_)->[1])->[1] }
sub coverage { return (coverage_in($ac))[0] }
sub classes { return (coverage_in($ac))[1] // {} }
# Writes the record; scripts forget what they noted of it before.
sub put_coverage {
    cmd('SET', k('coverage', $ac), $_[0]);
    cmd('SET', k('checked', $ac), substr(cmd('GET', k('checked', $ac)), 0, 13));
    return;
}
sub last_of { my $c = coverage(); return [map { $c->{$_}[2] } @_] }
my ($pp, $reply);
# A scheduled check of the host, by check_clear or check_finish.
sub check {
    my ($how, $ht, @lists) = @_;
    cmd('ZADD', k('due', $ac), 1, $ht);
    cmd('ZADD', k('due'), 1, $ac);
    my ($job) = grep { /$ht/ } take('d', 100);
    $pp = (split /:/, $job)[1];
    $pp = begin($acct, $pp, $ht)->[8];
    my $flight = cmd('HGET', k('flight:due'), "$ac:$ht");
    # As the daemon, which goes on with check_finish after "0".
    $reply = $how ne 'clear' ? '' : script('check_clear', [k('flight:due')],
        member => "$ac:$ht", flight => $flight, interval => INTERVAL,
        asks => asks_of(@lists))->[1];
    return if $reply eq '1';
    my @results = map { result($_->[0], $_->[3] // 1 ? 'clear' : 'unknown',
        error => 'timeout') } @lists;
    finish_check($acct, $pp, $ht, \@results, '', interval => INTERVAL,
        $how eq 'none' ? () : (asks => asks_of(@lists),
        members => members_of(@lists)));
}
sub with { my ($answers, @lists) = @_;
    return map { [@{ $lists[$_] }, substr $answers, $_, 1] } 0 .. $#lists }

# before the first answer

my $ht = add('rbl', '192.0.2.1');
my $second = add('rbl', '192.0.2.2');
is(cmd('EXISTS', k('coverage', $ac)), 0,
    'no lists are known before the first check finishes');
check('clear', $ht, with('000', @of));
is($reply, '0', 'check_clear leaves a new class to check_finish');
is_deeply(coverage(), { $rb[0] => [1, 0, 'never'],
    $rb[1] => [0, 86_400, 'never'], $rb[2] => [0, 0, 'never'] },
    'the lists of a check apply, also if none of them gave an answer');
is_deeply(classes(), { "$rp:1:rbl" => [0, $now, @rb[0 .. 2]] },
    'the hosts of a profile, family and type are one class');
my $raw = cmd('GET', k('coverage', $ac));
later(10);

# all answer: noted, and not again for a while

for my $how ('clear', 'finish') {
    put_coverage($raw);
    check($how, $ht, @of);
    is_deeply(classes(), { "$rp:1:rbl" => [$now, $now, @rb[0 .. 2]] },
        "check_$how notes that all lists of a class have answered");
    my $noted = cmd('GET', k('coverage', $ac));
    later(99);
    check($how, $second, @of);
    is(cmd('GET', k('coverage', $ac)), $noted, "check_$how does not write it "
        . 'again within an eighth of an interval');
    later(1);
    check($how, $second, @of);
    is(classes()->{"$rp:1:rbl"}[0], $now, "check_$how writes it again later");
}

# some answer

my $all = $now;
for my $how ('clear', 'finish') {
    later(200);
    check($how, $ht, with('101', @of));
    is_deeply(last_of(@rb[0 .. 2]), [$now, 'never', $now],
        "check_$how notes the lists that have answered, not the others");
    is_deeply([@{ classes()->{"$rp:1:rbl"} }[0, 1]], [$all, $now],
        "check_$how notes that the class was checked");
    my $noted = cmd('GET', k('coverage', $ac));
    check($how, $second, with('101', @of));
    is(cmd('GET', k('coverage', $ac)), $noted,
        "check_$how does not note the same answers at once again");
}
later(20);
check('finish', $second, with('010', @of));
is_deeply(last_of($rb[1]), ['never'], 'a list with a minimum interval of a day that '
    . 'has answered within an eighth of that is not noted again');
later(10_800);
check('finish', $second, with('010', @of));
is_deeply(last_of(@rb[0 .. 2]), [$now - 11_020 + 200, $now, $now - 10_820],
    'a list that answers one host alone has answered');
later(300);
$raw = cmd('GET', k('coverage', $ac));
check('finish', $second, with('000', @of));
is_deeply(last_of(@rb[0 .. 2]), [$now - 11_120, $now - 300, $now - 11_120],
    'lists that give no answer change no time of an answer');
is(classes()->{"$rp:1:rbl"}[1], $now, 'the class was checked all the same');
check('none', $second, @of);
is(classes()->{"$rp:1:rbl"}[0], $all,
    'a check of a daemon that says nothing of its lists notes nothing');

# another set of lists than the class has

later(200);
check('clear', $ht, @of[0, 1]);
is($reply, '0', 'check_clear leaves other lists to check_finish');
is_deeply(classes()->{"$rp:1:rbl"}, [$now, $now, @rb[0, 1]],
    'the lists of the last check are those of the class');
check('finish', $ht, with('101', @of));
is_deeply(last_of(@rb[0 .. 2]), [$now, $now, $now],
    'earlier answers of a list stay');
check('finish', $ht, with('001', @of[0, 1], [$rb[2], 60, 1]));
is_deeply(coverage()->{$rb[2]}, [1, 60, $now],
    'a list has the minimum interval and the weight of the last check');
check('finish', $ht, @of);

# a second class, and the end of its hosts

my $name = add_host($acct, 'uribl', 'example.com')->[1];
$name = unpacked($name)->[1];
cmd('SET', k('r', $ac, $name), do {
    my $h = unpacked(cmd('GET', k('r', $ac, $name)));
    $h->[5] = 4;
    packed($h) });
check('clear', $name, @names);
check('clear', $ht, @of);
is_deeply([sort keys %{ classes() }], ["$rp:1:rbl", "$rp:4:uribl"],
    'classes are told apart by family and type; one without a list is none');
later(5 * INTERVAL);
check('finish', $name, with('0', [$rb[3], 5, 1]));
is_deeply([sort keys %{ classes() }], ["$rp:4:uribl"],
    'a class that is no longer checked ends when another one changes');
check('clear', $second, @of);

# A profile that has no list left for its hosts.

$_ = unpacked(cmd('GET', k('r', $ac, $rp)));
$_->[4] = 0;
$_->[5] = [];
cmd('SET', k('r', $ac, $rp), packed($_));
cmd('ZADD', k('due', $ac), 1, $ht);
cmd('ZADD', k('due'), 1, $ac);
my ($job) = grep { /$ht/ } take('d', 100);
my $last = begin($acct, (split /:/, $job)[1], $ht)->[8];
finish_check($acct, $last, $ht, [], 'No list applies.', interval => INTERVAL);
ok(!classes()->{"$rp:1:rbl"},
    'a check that finds no list for its host ends the class');
check('clear', $second, @of);
$raw = cmd('GET', k('coverage', $ac));

# Of a class that was noted a moment ago the record is not read again, alone
# or with others, until it has other lists.

later(200);
check('clear', $ht, @of);
cmd('DEL', k('coverage', $ac));
for my $how ('clear', 'finish') {
    check($how, $second, @of);
    is(cmd('EXISTS', k('coverage', $ac)), 0,
        "check_$how does not read the record of a class that it has noted");
}
check('clear', $name, @of);
is($reply, '0', 'another class with these lists was not noted');
check('clear', $second, @of);
is($reply, '0', 'what was noted of other classes is forgotten then');
check('clear', $second, with('011', @of));
is_deeply(classes()->{"$rp:1:rbl"}, [$now, $now, @rb[0 .. 2]],
    'a check that not all lists answered is another one');
later(200);
check('clear', $ht, with('101', @of));
$raw = cmd('GET', k('coverage', $ac));
cmd('DEL', k('coverage', $ac));
for my $how ('clear', 'finish') {
    check($how, $second, with('101', @of));
    is(cmd('EXISTS', k('coverage', $ac)), 0, "check_$how does not read the "
        . 'record if the same lists as a moment ago gave no answer');
}
check('clear', $second, with('100', @of));
is($reply, '0', 'the record is read if other lists gave none');
put_coverage($raw);
check('clear', $ht, @of);

# Whatever answers when: what was noted of a list is never older than its last
# answer by an eighth of its interval.

srand 5;
my %answered = map { $_ => $now } @rb[0 .. 2];
my $behind = '';
for my $i (1 .. 150) {
    later(1 + int rand 45);
    my $answers = (qw(111 111 101 101 100 011 000))[rand 7];
    check((qw(clear finish))[rand 2], ($ht, $second)[rand 2],
        with($answers, @of));
    my ($full, $last) = (classes()->{"$rp:1:rbl"}[0], coverage());
    for my $list (0 .. 2) {
        my $sid = $rb[$list];
        $answered{$sid} = $now if substr $answers, $list, 1;
        my ($noted) = sort { $b <=> $a } $full, $last->{$sid}[2];
        $behind .= " $i:$list" if $noted > $answered{$sid}
            || $answered{$sid} - $noted >= ($of[$list][1] || INTERVAL) / 8;
    }
    $behind .= " $i:seen" if $now - classes()->{"$rp:1:rbl"}[1] >= INTERVAL / 8;
}
is($behind, '', 'each answer is noted in time, with any answers and times');

# bad input

for my $bad ('', 'x', packed([2, '']), packed([1, 'short', 'x']),
    packed([1, "\0" x 24, "\xff" x 28 . "$rp:1:rbl;\xff\xff"]),
    packed([1, '', 'd' x 16 . "$rp:1:rbl;"]), packed('no array'),
    substr $raw, 0, 60)
{
    put_coverage($bad);
    check('clear', $second, @of) for 1 .. 2;
    is_deeply(classes()->{"$rp:1:rbl"}, [$now, $now, @rb[0 .. 2]],
        'a record of ' . length($bad) . ' bytes that is damaged is made again');
}
put_coverage('');
cmd('DEL', k('coverage', $ac));
cmd('RPUSH', k('coverage', $ac), 'x');
check('finish', $second, @of);
is(classes()->{"$rp:1:rbl"}[0], $now, 'a key of another type is made again, too');
later(-5 * INTERVAL);
check('clear', $second, @of);
is(classes()->{"$rp:1:rbl"}[0], $now,
    'a clock that has gone back is noted at once');
later(200);
my $k = k('r', $ac, $ht);
for my $i (1 .. 70) {
    my $h = unpacked(cmd('GET', $k));
    $h->[8] = sid('RP');
    cmd('SET', $k, packed($h));
    check('finish', $ht, @of[0, 2]);
}
is(scalar keys %{ classes() }, 64, 'an account has at most 64 classes');
cmp_ok(length cmd('GET', k('coverage', $ac)), '<', 64 * 80 + 10 * 24,
    'the record is small');

done_testing();
