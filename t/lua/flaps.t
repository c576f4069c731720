#!/usr/bin/perl

# Hosts that flap, and what a message says of changes: what is new, what has
# ended, what a list lists again.  A table of histories, each with what a contact
# is told after each step; then what may go wrong.

use strict;
use warnings;
use RblDigest;
use RblScript;
use RblTest;

$RblDigest::flaps = 1;
my ($ac, $acct, $group, $other) = digests_new();
my $LOOK = 3 * 2 ** 42;

sub pause { select undef, undef, undef, 0.002 }
sub now { my $t = cmd('TIME'); return $t->[0] * 1000 + int $t->[1] / 1000 }
sub stored { return unpacked(cmd('GET', k('r', $ac, $_[0]))) }
sub alert {
    my ($co, %o) = @_;
    return script('contact_alert', [$acct], contact => $co, map({ $_ =>
        $o{$_} // '' } qw(weight rhythm quiet after checks)));
}

# That many hours pass for a host and a contact.
sub hours {
    my ($hours, $ht, $co) = @_;
    my $ms = int 3_600_000 * $hours;
    my $h = stored($ht);
    my $earlier = sub { $_ -= $ms for grep { $_ } @_ };
    $earlier->(@$_[5, 6], @$_ > 12 ? $_->[12] : ()) for @{ $h->[16] };
    $earlier->(@$_[2, 3]) for @{ $h->[21] // [] };
    $earlier->(@{ $h->[22] }[0, 1, 2, 6, 7]) if @{ $h->[22] // [] };
    cmd('SET', k('r', $ac, $ht), packed($h));
    my $told = cmd('HGET', k('open', $ac, $co), $ht);
    if ($told) {
        my ($at, $rest) = split /\|/, $told, 2;
        cmd('HSET', k('open', $ac, $co), $ht, $at - $ms . "|$rest");
    }
    my @digest = @{ cmd('ZRANGE', k('digest', $ac, $co), $LOOK, '+inf',
        'BYSCORE', 'WITHSCORES') };
    while (my ($member, $score) = splice @digest, 0, 2) {
        cmd('ZADD', k('digest', $ac, $co), $score - $ms, $member);
    }
    my $later = cmd('ZSCORE', k('later'), "$ac:$co");
    cmd('ZADD', k('later'), $later - $ms, "$ac:$co") if $later;
}

# What the contact is told now: "listed +a b -c flaps 5": a is new, b stood
# before, c has ended; the host flaps, after five changes.  "~" is a list that
# lists the host again.
my @states = qw(listed delisted clear unreported);
sub told {
    my ($co) = @_;
    my @out;
    pause();
    for my $d (claim()) {
        my ($of) = $d->[0] =~ /(CO\w+)$/;
        my @hosts = @{ $d->[7] };
        my @news = @{ $d->[12] };
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
# there is no check), what the contact is told.
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

done_testing();
