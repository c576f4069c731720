#!/usr/bin/perl

# State transitions of a host: for each current listing of a list, and each
# result of that list, the new details, troubles and events.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { CHECKED => 11, FIRST => 12, COUNT => 13, UNKNOWN => 14,
    NEXT => 15, DETAILS => 16, TROUBLED => 17, SINCE => 1_700_000_000_000 };

redis_new();
my ($ac, $acct) = account(interval => 600);
script('hook_put', [$acct], hook => sid('WH'), name => 'n',
    url => 'https://x.example/', secret => 's');
my $fresh = unpacked(add_host($acct, 'rbl', '192.0.2.1')->[1]);
my $ht = $fresh->[1];
$#$fresh = DETAILS;

sub host { return unpacked(cmd('GET', k('r', $ac, $ht))) }
sub types {
    return join ' ', map { unpacked($_->[1][5])->[2] =~ s/^rbl\.host\.//r }
        @{ cmd('XRANGE', k('outbox'), '-', '+') };
}
sub history {
    return join ' ', map { my %e = @{ $_->[1] };
            map { "$_->[0] $_->[2]" } @{ unpacked($e{t}) } }
        @{ cmd('XRANGE', k('hist', $ac, $ht), '-', '+') };
}

# A scheduled check of the host with that state; its reply of check_begin.
sub check_of {
    my ($details, $troubled, $results, %o) = @_;
    my @h = @$fresh;
    @h[CHECKED, FIRST, COUNT, DETAILS] = (SINCE, @$details ? SINCE : 0,
        scalar @$details, $details);
    $h[TROUBLED] = $troubled if $troubled;
    cmd('DEL', k('hist', $ac, $ht), k('due'), k('due', $ac));
    cmd('SET', k('r', $ac, $ht), packed(\@h));
    cmd(@$details ? ('ZADD', k('listed', $ac), 1, $ht)
        : ('ZREM', k('listed', $ac), $ht));
    cmd('ZADD', k('due', $ac), 1, $ht);
    cmd('ZADD', k('due'), 1, $ac);
    my ($job) = take('d', 1);
    my $begun = begin_job($job);
    cmd('DEL', k('outbox'));
    my $r = finish_check($acct, $begun->[8], $ht, $results, $o{failed} // '',
        %o);
    die "finish: $r->[0]\n" if $r->[0] ne 'OK';
    return $begun;
}

sub entry {
    my ($sid, @more) = @_;
    return [$sid, lc(substr $sid, 2) . '.example', '', 'why', ['127.0.0.2'],
        SINCE, @more];
}

# Writes times near now as words: the tests state what is new and what stays.
sub words {
    my ($r, @at) = @_;
    my $now = host()->[CHECKED];
    return join ' ', map { $_ == $now ? 'now' : $_ == SINCE ? 'old' : $_ }
        @$r[@at];
}
sub stands { return join ', ', map { "$_->[0] " . words($_, 5 .. ($#$_ < 8 ? $#$_ : 8)) }
    @{ host()->[DETAILS] } }
sub troubles { return join ', ', map { "$_->[0] $_->[1] " . words($_, 2, 3) }
    @{ host()->[TROUBLED] // [] } }

sub unknown { return result($_[0], 'unknown', error => $_[1]) }

my $six = [entry('RBa')];
my $nine = [entry('RBa', SINCE, 0, 0)];
my $tried = [entry('RBa', SINCE, 2, 0)];
my $over = [entry('RBa', SINCE, 2, SINCE)];
my $clear = result('RBa', 'clear');
my $other = 'check.completed';
my ($on, $off) = ("$other listed", "$other delisted");

# name; details, troubled before; result; details, troubled, history, events
for my $case (
    ['clear, as before', [], undef, $clear, '', '', '', $other],
    ['listed now', [], undef, listed_result('RBa'), 'RBa now now 0 0', '',
        'RBa listed', $on],
    ['an old entry, listed again', $six, undef, listed_result('RBa'),
        'RBa old now 0 0', '', '', $on],
    ['listed again', $nine, undef, listed_result('RBa'), 'RBa old now 0 0', '',
        '', $on],
    ['listed again after unknowns', $tried, undef, listed_result('RBa'),
        'RBa old now 0 0', '', '', $on],
    ['listed again after it was not confirmed', $over, undef,
        listed_result('RBa'), 'RBa old now 0 0', '', '', $on],
    ['an old entry, clear', $six, undef, $clear, '', '', 'RBa clear', $off],
    ['clear', $nine, undef, $clear, '', '', 'RBa clear', $off],
    ['confirmed', $over, undef, $clear, '', '', 'RBa clear', $off],
    ['an old entry, unknown', $six, undef, unknown('RBa', 'timeout'),
        'RBa old 0 1 0', '', '', $on],
    (map { ["$_: the listing stays", $tried, undef, unknown('RBa', $_),
        'RBa old old 3 0', '', '', $on] } qw(blocked hijacked timeout servfail
        refused badreply truncated network unhealthy name quota resolver
        frozen)),
    ['an old entry, not confirmed', $six, undef, unknown('RBa', 'unconfirmed'),
        'RBa old 0 1 now', '', '', $on],
    ['not confirmed', $nine, undef, unknown('RBa', 'unconfirmed'),
        'RBa old old 1 now', '', '', $on],
    ['not confirmed again', $over, undef, unknown('RBa', 'unconfirmed'),
        'RBa old old 3 old', '', '', $on],
    # The last check was long ago: the time since then does not count.
    ['not confirmed, then a time-out', $over, undef, unknown('RBa', 'timeout'),
        'RBa old old 3 now', '', '', $on],
    (map { ["not confirmed, then $_", $over, undef, unknown('RBa', $_),
        'RBa old old 3 0', '', '', $on] } qw(unhealthy resolver blocked)),
    (map { ["not confirmed, then $_", $over, undef, unknown('RBa', $_),
        'RBa old old 3 now', '', '', $on] } qw(servfail network quota)),
    ['skipped, an old entry', $six, undef, result('RBa', 'skipped'),
        'RBa old', '', '', $on],
    ['skipped', $over, undef, result('RBa', 'skipped'), 'RBa old old 2 old',
        '', '', $on],
    ['another zone by now, unknown', [['RBa', 'was.example', '', '', [], SINCE,
        SINCE, 2, SINCE]], undef, unknown('RBa', 'timeout'), '',
        'RBa timeout now 1', 'RBa ended', $off],
    ['another zone by now, listed', [['RBa', 'was.example', '', '', [], SINCE,
        SINCE, 2, SINCE]], undef, listed_result('RBa'), 'RBa now now 0 0', '',
        'RBa ended RBa listed', $on],
    ['no longer queried', $nine, undef, result('RBb', 'clear'), '', '',
        'RBa ended', $off],
    (map { ["$_: trouble", [], undef, unknown('RBa', $_), '',
        "RBa $_ now 1", '', $other] } qw(timeout quota frozen resolver)),
    ['trouble continues', [], [['RBa', 'timeout', SINCE, 1]],
        unknown('RBa', 'timeout'), '', 'RBa timeout old 2', '', $other],
    ['with another reason', [], [['RBa', 'timeout', SINCE, 9]],
        unknown('RBa', 'servfail'), '', 'RBa servfail old 10', '', $other],
    ['trouble ends', [], [['RBa', 'timeout', SINCE, 1]], $clear, '', '', '',
        $other],
    ['trouble ends with a listing', [], [['RBa', 'timeout', SINCE, 1]],
        listed_result('RBa'), 'RBa now now 0 0', '', 'RBa listed', $on],
    ['trouble of a list that was left out', [], [['RBa', 'timeout', SINCE, 4]],
        result('RBa', 'skipped'), '', 'RBa timeout old 4', '', $other],
    ['trouble of a list that is no longer queried', [],
        [['RBa', 'timeout', SINCE, 4]], unknown('RBb', 'servfail'), '',
        'RBb servfail now 1', '', $other],
    ['no trouble, skipped', [], undef, result('RBa', 'skipped'), '', '', '',
        $other],
    ['an empty field stays one', [], [], $clear, '', '', '', $other],
) {
    my ($name, $details, $troubled, $result, @want) = @$case;
    check_of($details, $troubled, [$result]);
    is_deeply([stands(), troubles(), history(), types()], \@want, $name);
    my ($h, $listed) = (host(), $want[0] ne '');
    is_deeply([$h->[COUNT], $h->[UNKNOWN], $h->[FIRST] > 0 || 0,
        defined cmd('ZSCORE', k('listed', $ac), $ht) || 0],
        [$listed || 0, ($result->[5] eq 'unknown') || 0, ($listed || 0) x 2],
        "$name: the state of the host is counted");
    is(scalar @$h, $want[2] ? 23
        : $troubled || $want[1] ? 18 : 17, "$name: no more fields than needed");
}

# the weight of a listing; one that rises is noted

for my $case (
    ['a new listing', undef, 3, '3 0'],
    ['an older record without a weight', [], 4, '4 0'],
    ['the same', [2, 0], 2, '2 0'],
    ['the same, after a rise', [4, SINCE], 4, '4 old'],
    ['a fall', [4, SINCE], 1, '1 old'],
    ['a rise', [1, 0], 4, '4 now'],
    ['a rise after one', [2, SINCE], 3, '3 now'],
) {
    my ($name, $was, $weight, $is) = @$case;
    check_of($was ? [entry('RBa', SINCE, 0, 0, @$was)] : [], undef,
        [listed_result('RBa', weight => $weight)]);
    my ($l) = @{ host()->[DETAILS] };
    is("$l->[9] " . words($l, 10), $is, "$name: the weight, and when it rose");
}
check_of([entry('RBa', SINCE, 0, 0, 4, SINCE)], undef,
    [unknown('RBa', 'timeout')]);
is_deeply([@{ host()->[DETAILS][0] }[9, 10]], [4, SINCE],
    'an unknown list keeps the weight of its listing');

# a failed check does not change the state

check_of($over, [['RBb', 'timeout', SINCE, 1]], [], failed => 'why');
is_deeply([@{ host() }[CHECKED, DETAILS, TROUBLED]], [SINCE, $over,
    [['RBb', 'timeout', SINCE, 1]]], 'a failed check changes nothing');
check_of($nine, undef, [], failed => 'why');
is(scalar @{ host() }, 17, 'a failed check does not add a field');

# the number of troubles is limited; older ones keep their places

my @many = map { unknown("RB$_", 'timeout') } 'c' .. 'n';
check_of([], undef, \@many);
is(join('', map { $_->[0] } @{ host()->[TROUBLED] }),
    join('', map { "RB$_" } 'c' .. 'j'), 'eight lists with trouble');
is(host()->[UNKNOWN], 12, 'all that are unknown are counted');
check_of([], [map { ["RB$_", 'timeout', SINCE, 1] } 'k' .. 'n'], \@many);
is(join('', map { $_->[0] } @{ host()->[TROUBLED] }),
    join('', map { "RB$_" } 'k' .. 'n', 'c' .. 'f'), 'older trouble stays');

# a new listing that is not confirmed is pending until there is a verdict

for my $case (['unconfirmed', 1], ['timeout', 1], ['frozen', 1],
    ['disagree', 1], ['servfail', 1], ['unhealthy', undef],
    ['timeout', undef], ['unconfirmed', 1],
    ['resolver', undef], ['frozen', 1], ['blocked', undef])
{
    my ($why, $pending) = @$case;
    check_of([], host()->[TROUBLED], [unknown('RBa', $why)]);
    is(host()->[TROUBLED][0][4], $pending, "$why: "
        . ($pending ? 'it is pending' : 'nothing is'));
}
check_of([], [['RBa', 'frozen', SINCE, 1, 1]], [$clear]);
is_deeply(host()->[TROUBLED], [], 'clear: no trouble');

# new listings that are not confirmed have separate places

my @news = map { unknown(sprintf('RB%02d', $_), $_ % 2 ? 'frozen'
    : 'unconfirmed') } 1 .. 70;
check_of([], undef, [@many, @news]);
is(scalar @{ host()->[TROUBLED] }, 8 + 64, 'eight, and 64');
is(scalar(grep { $_->[1] =~ /^(?:frozen|unconfirmed)$/ }
    @{ host()->[TROUBLED] }), 64,
    'the record has 64 listings that are not confirmed');
my $full = host()->[TROUBLED];
check_of([], $full, [@many, @news, map { unknown("RBx$_", 'frozen') } 1 .. 9]);
is(scalar @{ host()->[TROUBLED] }, 8 + 64,
    'the record never has more than 72 troubles');

# the reply to a daemon at the start

my $r = check_of($over, [map { [$_, 'timeout', SINCE, 1] } 'RBb', 'RBc'],
    [$clear]);
is_deeply(unpacked($r->[5]), [['RBa', 'a.example', SINCE]],
    'the current listings, and since when one is reported clear');
is($r->[11], SINCE, 'when it was checked last');
cmp_ok(abs($r->[10] - host()->[CHECKED]), '<', 5000, 'the time of the check');
is($r->[12], 'RBbRBc', 'the lists that have trouble');
$r = check_of($six, undef, [$clear]);
is_deeply([@{ unpacked($r->[5])->[0] }, $r->[12]], ['RBa', 'a.example', 0, ''],
    'of an old entry');
$r = check_of([], undef, [$clear]);
is_deeply([@$r[5, 12]], ['', ''], 'of a host without any');

# the next check is sooner if a delisting waits for its confirmation

for my $case ([0, 600], [7, 7], [599, 599], [1200, 600]) {
    my ($recheck, $most) = @$case;
    check_of($nine, undef, [unknown('RBa', 'unconfirmed')],
        recheck => $recheck);
    my $h = host();
    my $wait = $h->[NEXT] - $h->[CHECKED];
    my $slot = on_its_slot($ht, @$h[CHECKED, NEXT], 600);
    ok($recheck == 0 ? $slot : $wait == $recheck * 1000
        || $slot && $wait <= $recheck * 1000, "queried again after $recheck s");
    is(cmd('ZSCORE', k('due', $ac), $ht), $h->[NEXT],
        'the schedule has the time of the next check');
    cmp_ok(cmd('ZSCORE', k('due'), $ac), '<=', $h->[NEXT],
        'the turn of the account is not later');
}

# a host with trouble does not finish with clear ones; without trouble it does

sub clear_of {
    my ($troubled) = @_;
    my @h = (@$fresh, $troubled // ());
    cmd('SET', k('r', $ac, $ht), packed(\@h));
    cmd('ZADD', k('due', $ac), 1, $ht);
    cmd('ZADD', k('due'), 1, $ac);
    my ($job) = take('d', 1);
    begin_job($job);
    return script('check_clear', [k('flight:due')], member => "$ac:$ht",
        flight => cmd('HGET', k('flight:due'), "$ac:$ht"),
        interval => 600)->[1];
}
for my $case ([undef, 1], [[], 1], [[['RBa', 'timeout', SINCE, 1]], 0]) {
    my ($troubled, $ends) = @$case;
    is(clear_of($troubled), $ends, 'trouble '
        . ($troubled ? scalar @$troubled : 'unknown') . ": ends $ends");
    my $h = host();
    is_deeply([$h->[CHECKED] > 0 || 0, $h->[TROUBLED]],
        [$ends, $ends ? [] : $troubled],
        'check_clear changes only the times of the record, and the answers');
    cmd('DEL', k('flight:due'));
}

done_testing();
