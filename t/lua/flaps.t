#!/usr/bin/perl

# Hosts that flap, and what a message says of changes: what is new, what has
# ended, what a list lists again.  A table of histories, each with what a contact
# reads after each step; then what may go wrong.

use strict;
use warnings;
use RblDigest;
use RblScript;
use RblTest;

my ($ac, $acct, $group, $other) = digests_new(flaps => 1);
my $LOOK = 3 * 2 ** 42;

sub pause { select undef, undef, undef, 0.002 }
sub stored { return unpacked(cmd('GET', k('r', $ac, $_[0]))) }
sub alert {
    my ($co, %o) = @_;
    return script('contact_alert', [$acct], contact => $co, %o);
}

# That many hours pass for a host and a contact.
sub hours {
    my ($hours, $ht, $co) = @_;
    my $ms = int 3_600_000 * $hours;
    my $h = stored($ht);
    my $earlier = sub { $_ -= $ms for grep { $_ } @_ };
    $earlier->(@$_[5, 6], @$_ > 12 ? @$_[10, 12] : ()) for @{ $h->[16] };
    $earlier->(@$_[2, 3]) for @{ $h->[21] // [] };
    $earlier->(@{ $h->[22] }[0, 1, 2, 6, 7]) if @{ $h->[22] // [] };
    cmd('SET', k('r', $ac, $ht), packed($h));
    my $told = cmd('HGET', k('open', $ac, $co), $ht);
    if ($told) {
        my ($at, $rest) = split /\|/, $told, 2;
        cmd('HSET', k('open', $ac, $co), $ht, $at - $ms . "|$rest");
    }
    my $held = cmd('HGET', k('held', $ac, $co), $ht);
    cmd('HSET', k('held', $ac, $co), $ht, $held =~ s/ \K(\d+)/$1 - $ms/egr)
        if $held;
    my @digest = @{ cmd('ZRANGE', k('digest', $ac, $co), $LOOK, '+inf',
        'BYSCORE', 'WITHSCORES') };
    while (my ($member, $score) = splice @digest, 0, 2) {
        cmd('ZADD', k('digest', $ac, $co), $score - $ms, $member);
    }
    my $later = cmd('ZSCORE', k('later'), "$ac:$co");
    cmd('ZADD', k('later'), $later - $ms, "$ac:$co") if $later;
}

# The news of a contact: "listed +a b -c flaps 5": a is new, b stood
# before, c has ended; the host flaps, after five changes.  "~" is a list that
# lists the host again.
my @states = qw(listed delisted clear unreported);
sub told {
    my ($co) = @_;
    my @out;
    pause();
    for my $d (claim()) {
        my ($of) = $d->{member} =~ /(CO\w+)$/;
        my @hosts = @{ $d->{hosts} };
        my @news = @{ $d->{news} };
        while (my ($raw, $state) = splice @hosts, 0, 2) {
            my ($digits, $past, $flap) = splice @news, 0, 3;
            my $h = unpacked($raw);
            my @lists = $state == 0 ? @{ $h->[16] } : ();
            push @out, join ' ', $states[$state],
                map({ ($digits =~ s/^1// ? '+' : $digits =~ s/^0// ? '' : '?')
                    . ($_->[12] ? '~' : '') . lc substr $_->[0], 2 } @lists),
                map({ '-' . lc substr $_->[0], 2 } @{ unpacked($past) }),
                $flap ne '' ? 'flaps ' . unpacked($flap)->[8] : ()
                if $of eq $co;
        }
        store($d, messages => []);
    }
    return join ', ', sort @out;
}

# Each step: how many hours after the one before, what the two lists say ("":
# there is no check), what the contact reads.
my ($on, $off) = ('listed:2 clear', 'clear clear');
my @three = ([0, $on, 'listed +a'], [1, $off, 'delisted -a'],
    [1, $on, 'listed +~a'], [1, $off, 'delisted -a']);
my @flaps = (@three, [1, $on, 'listed +~a flaps 5']);
my @cases = (
    ['a host that flaps is told once', {}, @flaps,
        [1, $off, ''], [1, $on, ''], [1, $off, ''], [5.9, '', ''],
        [0.2, '', 'delisted -a'], [20, '', '']],
    ['it is listed when it is quiet', {}, @flaps,
        [1, $off, ''], [1, $on, ''], [5.9, '', ''], [0.2, '', 'listed +~a'],
        [20, '', ''], [1, $off, 'delisted -a']],
    ['it stays listed', {}, @flaps, [5.9, $on, ''], [0.2, $on, ''],
        [1, $off, 'delisted -a']],
    ['two listings are no flapping', {}, @three, [20, '', '']],
    ['the third one is a day later', {}, @three,
        [21.5, $on, 'listed +~a'], [1, $off, 'delisted -a']],
    ['a list that comes and goes once beside another is no flapping', {},
        [0, $on, 'listed +a'], [1, 'listed:2 listed:2', 'listed a +b'],
        [1, $on, ''], [1, 'listed:2 listed:2', 'listed a +~b'],
        [1, $off, 'delisted -a -b']],
    ['changes of both lists', {},
        [0, $on, 'listed +a'], [1, 'clear listed:2', 'listed +b -a'],
        [1, $on, 'listed +~a -b flaps 5'], [1, 'clear listed:2', ''],
        [6.1, '', 'listed +~b -a']],
    ['it flaps again', {}, @flaps, [1, $off, ''],
        [6.1, '', 'delisted -a'], [1, $on, 'listed +~a flaps 5'],
        [6.1, '', ''], [1, $off, 'delisted -a']],
    ['a higher weight is told at once', {}, @flaps, [1, $off, ''],
        [1, 'listed:2 listed:4', 'listed +~a +b flaps 8'],
        [1, 'listed:2 clear', ''], [1, 'listed:2 listed:4', ''],
        [6.1, '', 'listed ~a +~b']],
    ['a weight that rises', {}, @flaps, [1, 'listed:4 clear',
        'listed +~a flaps 5'], [1, $off, ''], [1, 'listed:4 clear', ''],
        [6.1, '', 'listed +~a']],
    ['below the least weight nothing flaps', { weight => 3 },
        map({ [1, $_, ''] } 'listed:1 clear', $off, 'listed:1 clear', $off,
            'listed:1 clear'),
        [1, 'listed:1 listed:4', 'listed +b flaps 6'],
        [1, 'listed:1 clear', ''], [6.1, '', 'unreported']],
    ['every check is told', { schedule => 'every_check' }, @flaps,
        [1, $off, 'delisted -a flaps 6'], [1, $on, 'listed +~a flaps 7'],
        [1, $on, 'listed ~a flaps 7']],
    ['while it is listed', { schedule => 'while_listed' },
        map({ [$_->[0], $_->[1], $_->[2] =~ /^delisted/ ? '' : $_->[2]] }
            @flaps), [1, $off, ''], [1, $on, 'listed +~a flaps 7']],
    ['an alert of its own', { type => 'pagerduty', schedule => 'while_listed' },
        @flaps, [1, $off, ''], [1, $on, ''], [1, $off, ''],
        [6.1, '', 'delisted -a']],
    ['a listing that has to stand', { after => 120 },
        map({ [0.5, $_, ''] } $on, $off, $on, $off, $on),
        [1.9, '', ''], [0.2, '', 'listed +~a flaps 5'], [1, $off, ''],
        [6.1, '', 'delisted -a']],
    ['relisted after six days', {}, @three[0, 1],
        [6 * 24, $on, 'listed +~a']],
    ['and after eight', {}, @three[0, 1], [8 * 24, $on, 'listed +a']],
);

for my $case (@cases) {
    my ($name, $o, @steps) = @$case;
    my $co = contact($o->{schedule} // 'start_and_end',
        type => $o->{type} // 'endpoint');
    alert($co, %$o) if grep { $o->{$_} } qw(weight after);
    my $ht = host();
    my $n = 0;
    for my $step (@steps) {
        my ($hours, $says, $expected) = @$step;
        hours($hours, $ht, $co);
        check($ht, split ' ', $says) if $says ne '';
        $n++;
        is(told($co), $expected, "$name: step $n");
    }
    cmd('DEL', k('manual'), k('manual', $ac));
    sound($name);
    script('host_delete', [$acct], host => $ht, keep => 60_000);
    script('contact_delete', [$acct], contact => $co);
    forget($co);
}


# --- when a host flaps, beside a model ---------------------------------------

# The model knows all changes of a host: [hour, how many listings begin, end].
sub model {
    my (@changes) = @_;
    my ($since, $last, $ended, $n, @turns);
    for my $i (0 .. $#changes) {
        my ($at, $begin, $end) = @{ $changes[$i] };
        undef $since if defined $last && $at - $last >= 6;
        $ended += $end;
        if ($begin && (!@turns || $ended)) {
            push @turns, $at;
            $ended = 0;
            $since //= $turns[-3] if @turns > 2 && $at - $turns[-3] <= 24;
        }
        $last = $at;
        $n = 0;
        $n += $_->[1] + ($_->[0] > ($since // 0) ? $_->[2] : 0)
            for defined $since ? grep { $_->[0] >= $since } @changes[0 .. $i]
            : ();
    }
    return ($since, $n);
}
sub pick { return $_[rand @_] }
my $SEED = $ENV{RBL_SEED} // 47;
for my $seed ($SEED .. $SEED + ($ENV{RBL_LIVES} // 24) - 1) {
    srand $seed;
    my ($ht, $hour, %on, @changes, $wrong) = (host(), 0);
    for (1 .. 20) {
        my $hours = pick(0.5, 0.5, 1, 2, 5.9, 6.1, 12);
        hours($hours, $ht, 'CO');
        $hour += $hours;
        my @says = map { pick('clear', 'listed') } 1, 2;
        check($ht, @says);
        my @is = map { $_ eq 'listed' } @says;
        my @change = ($hour, scalar(grep { $is[$_] && !$on{$_} } 0, 1),
            scalar(grep { !$is[$_] && $on{$_} } 0, 1));
        @on{0, 1} = @is;
        push @changes, \@change if $change[1] || $change[2];
        my $flap = stored($ht)->[22];
        my ($since, $n) = model(@changes);
        my $said = $flap->[6] ? sprintf '%.1f', (now_ms() - $flap->[6]) / 3.6e6
            : 'no';
        my $want = defined $since ? sprintf '%.1f', $hour - $since : 'no';
        next if !@changes || $said eq $want
            && (!defined $since || $n == $flap->[8]);
        $wrong = "since $said hours, $flap->[8] changes; the model says "
            . "$want, " . ($n // 0);
        last;
    }
    ok(!$wrong, "history $seed is told as the model does") or diag($wrong, ' ', join ' ', map { "@$_;" }
        @changes);
    script('host_delete', [$acct], host => $ht, keep => 60_000);
    cmd('DEL', k('manual'), k('manual', $ac));
}

# --- what may go wrong -------------------------------------------------------

# A host that flaps, which the contact was told.
sub flapping {
    my ($co, $ht, $name) = @_;
    for my $step (@flaps) {
        hours($step->[0], $ht, $co);
        check($ht, split ' ', $step->[1]);
        told($co);
    }
    ok(cmd('HGET', k('held', $ac, $co), $ht) =~ /^f \d+:2:$/,
        "$name: its changes are held back");
}
sub after {
    my ($ht, $co, $hours, $says, $expected, $name) = @_;
    hours($hours, $ht, $co);
    check($ht, split ' ', $says) if $says ne '';
    is(told($co), $expected, $name);
}
sub over {
    my ($co, $name) = @_;
    is(cmd('EXISTS', k('held', $ac, $co)), 0, "$name: nothing is held back");
    is(cmd('EXISTS', k('digest', $ac, $co)), 0, "$name: nothing waits");
    cmd('DEL', k('manual'), k('manual', $ac));
    sound($name);
}
sub mutes_end {
    my ($mu) = @_;
    script('mute_end', [$acct], mute => $mu);
    tellings_end();
}

my $co = contact('start_and_end');
my $ht = host();
flapping($co, $ht, 'muted');
my $mu = sid('MU');
is(script('mute_add', [$acct], mute => $mu, target => $ht,
    ends => now_ms() + 9e6, reason => 'why', longest => 9e9)->[0], 'OK',
    'a host that flaps is muted');
after($ht, $co, 1, $off, '', 'its end is held back');
after($ht, $co, 7, '', '', 'also when it has been quiet');
mutes_end($mu);
after($ht, $co, 0, '', 'delisted -a', 'until the mute ends');
over($co, 'muted');

$ht = host();
flapping($co, $ht, 'muted for a while');
$mu = sid('MU');
script('mute_add', [$acct], mute => $mu, target => $ht, ends => now_ms() + 9e6,
    reason => 'why', longest => 9e9);
after($ht, $co, 1, $off, '', 'the end of a muted host');
mutes_end($mu);
after($ht, $co, 0, '', '', 'waits when the mute ends while it flaps');
after($ht, $co, 1, $on, '', 'so does another listing');
after($ht, $co, 1, $off, '', 'and its end');
after($ht, $co, 6.1, '', 'delisted -a', 'until it has been quiet');
over($co, 'muted for a while');

# b has the weight of all that was told meanwhile, or a higher one.
for my $case ([2, '', ''], [4, 'listed ~a +b flaps 6', ''], [2, '', $group],
    [4, 'listed ~a +b flaps 6', $group])
{
    my ($weight, $expected, $within) = @$case;
    my $name = "a muted list of weight $weight"
        . ($within && ' within a group');
    $ht = host();
    flapping($co, $ht, $name);
    $mu = sid('MU');
    script('mute_add', [$acct], mute => $mu, target => 'RBb',
        group => $within, ends => now_ms() + 9e6, reason => 'why', longest => 9e9);
    after($ht, $co, 1, "listed:3 listed:$weight", 'listed +~a flaps 6',
        "$name is left out");
    mutes_end($mu);
    after($ht, $co, 0, '', $expected, "$name when the mute ends");
    after($ht, $co, 6.1, '', $expected ? '' : 'listed ~a +b',
        "$name when it has been quiet");
    after($ht, $co, 0, $off, 'delisted -a -b', "$name ends");
    over($co, $name);
}

$ht = host();
flapping($co, $ht, 'paused');
check($ht, 'listed:2', 'listed:4');
pause();
my ($d) = claim();
script('contact_status', [$acct], contact => $co, status => 'paused');
is(store($d, messages => [])->[0], 'GONE',
    'a higher weight: the contact is paused before it is told');
script('contact_status', [$acct], contact => $co, status => 'active');
is(told($co), 'listed ~a +b flaps 6', 'the contact is told when it is resumed');
after($ht, $co, 1, 'listed:2 clear', '', 'the end is held back');
after($ht, $co, 6.1, '', '', 'and is no news later');
over($co, 'paused');

$ht = host();
flapping($co, $ht, 'deleted');
script('host_delete', [$acct], host => $ht, keep => 60_000);
is(told($co), 'unreported', 'a host that flaps is deleted');
for my $look (@{ cmd('ZRANGE', k('digest', $ac, $co), 0, -1) }) {
    cmd('ZADD', k('digest', $ac, $co), $LOOK, $look);
}
cmd('ZADD', k('later'), 0, "$ac:$co");
is(told($co), '', 'nothing is told at the time when it would have been quiet');
over($co, 'deleted');

$ht = host($other);
check($ht, split ' ', $_) for $on, $off, $on, $off, $on;
is(told($co), '', 'a host that flaps, in a group without a contact');
is(stored($ht)->[22][8], 5, 'five changes are in its record');
over($co, 'no contact');

$ht = host();
flapping($co, $ht, 'changed');
after($ht, $co, 1, $off, '', 'the end is held back');
alert($co, weight => 1);
is(told($co), '', 'nothing is told if the contact wants other listings');
script('contact_status', [$acct], contact => $co, status => 'paused');
is(told($co), '', 'the contact is paused');
script('contact_status', [$acct], contact => $co, status => 'active');
is(told($co), '', 'a host that was resumed flaps still');
after($ht, $co, 6.1, '', 'delisted -a', 'until it has been quiet');
alert($co);
over($co, 'changed');

$ht = host();
flapping($co, $ht, 'another schedule');
script('contact_update', [$acct], contact => $co, schedule => 'every_check');
after($ht, $co, 1, $off, 'delisted -a flaps 6',
    'a contact that wants every check gets it');
script('contact_update', [$acct], contact => $co, schedule => 'start_and_end');
after($ht, $co, 6.1, '', '', 'nothing is left');
over($co, 'another schedule');

$ht = host();
flapping($co, $ht, 'the clock');
hours(-24 * 365, $ht, $co);
cmd('ZADD', k('digest', $ac, $co), now_ms(), $ht);
cmd('ZADD', k('digests'), now_ms(), "$ac:$co");
check($ht, split ' ', $off);
like(told($co), qr/^delisted/,
    'if the clock is set back by a year a host does not flap');
$ht = host();
flapping($co, $ht, 'a clock five hours ahead');
hours(-5, $ht, $co);
after($ht, $co, 0, $off, 'delisted', 'the end is told');
forget($co);
cmd('DEL', k('held', $ac, $co), k('later'));

# 400 lists at once

sub check_all {
    my ($says) = @_;
    cmd('HDEL', k($_), "$ac:$ht") for 'flight', 'flight:due';
    my $pp = sid('PP');
    script('check_start', [$acct], check => $pp, host => $ht, keep => 60_000);
    my $begun = begin($acct, $pp, $ht);
    my @lists = map { sprintf 'RB%032x', $_ } 1 .. 400;
    finish_check($acct, $pp, $ht, [map { $says eq 'listed'
        ? listed_result($_, weight => 2) : result($_, $says) } @lists], '',
        events => $begun->[7]);
}
$ht = host();
my @said;
sub of_today { return [@{ unpacked(cmd('GET', k('today', $ac))) }[2, 3]] }
my @today = @{ of_today() };
for my $says (qw(listed clear listed clear listed clear)) {
    hours(1, $ht, $co);
    check_all($says);
    my $said = told($co);
    push @said, join ' ', ($said =~ /^(\w+)/)[0] // '-',
        scalar(() = $said =~ / \+/g), scalar(() = $said =~ / -/g),
        $said =~ /flaps (\d+)/;
}
is_deeply(\@said, ['listed 50 0', 'delisted 0 32', 'listed 50 0',
    'delisted 0 32', 'listed 50 0 2000', '- 0 0'],
    '400 lists list a host and cease to, again and again');
is_deeply([map { of_today()->[$_] - $today[$_] } 0, 1], [1200, 1200],
    'the day counts all that begin and end');
my $h = stored($ht);
is(scalar @{ $h->[21] }, 32, '32 listings that ended are in its record');
my $octets = length packed([@$h[21, 22]]);
cmp_ok($octets, '<', 32 * 120, "what it keeps takes $octets octets");
$h = stored(host());
is(scalar @$h, 17, 'a host that no list ever listed has nothing of it');
done_testing();
