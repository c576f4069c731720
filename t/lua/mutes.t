#!/usr/bin/perl

# Messages to contacts beside mutes and least weights: random histories of
# hosts at two lists, mutes of lists, hosts, ranges, groups and the account that
# begin, end and overlap, and contacts of all schedules, beside a model that
# knows which listings each contact was told.  All messages are exact.
#
# RBL_SEED is the seed of the first history, RBL_LIVES their number.

use strict;
use warnings;
use RblDigest;
use RblScript;
use RblTest;

my $SEED = $ENV{RBL_SEED} // 47;
my $LIVES = $ENV{RBL_LIVES} // 320;

my ($ac, $acct, @groups) = digests_new();
my @lists = qw(RBa RBb);
for my $l (@lists) {
    cmd('SET', k('r', 'SYS', $l), packed([1, $l, 'rbl',
        lc(substr $l, 2) . '.example', $l, '', 7, 0, 'active', '', [], '', '',
        'normal', 'ip', 'block', 'none']));
}

my (%host, %co, %mute, @log, $name);

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }
sub pause { select undef, undef, undef, 0.0015 }
sub say_it { push @log, "@_" }
sub now { my $t = cmd('TIME'); return $t->[0] * 1000 + int $t->[1] / 1000 }


# --- the store ---------------------------------------------------------------

sub mute {
    my ($target, $ends) = @_;
    my $mu = sid('MU');
    my $r = script('mute_add', [$acct], mute => $mu, target => $target,
        ends => $ends // now() + 3_600_000, reason => 'why',
        longest => 366 * 86_400_000);
    return $r->[0] eq 'OK' ? $mu : $r->[0];
}

# The time of its end comes.
sub expire {
    my ($mu) = @_;
    my $m = unpacked(cmd('GET', k('r', $ac, $mu)));
    $m->[4] = now();
    cmd('SET', k('r', $ac, $mu), packed($m));
    cmd('ZADD', k('mutes', $ac), $m->[4], $mu);
    cmd('ZADD', k('unmutes'), $m->[4], $ac);
}
sub tellings {
    pause();
    for (1 .. 100) {
        return if !script('telling_step', [k('tellings')])->[1];
    }
    fail("$name: contacts are looked at for ever");
}


# --- the model ---------------------------------------------------------------

sub covers { my ($target) = @_; return grep { $_ eq $target } values %mute }
sub muted {
    my ($c, $ht) = @_;
    my @by = grep { my $g = $_; grep { $_ eq $g } @{ $host{$ht}{groups} } }
        @{ $c->{groups} };
    return covers('') || covers($ht) || !grep { !covers($_) } @by;
}
sub theirs {
    my ($c, $ht) = @_;
    return grep { my $g = $_; grep { $_ eq $g } @{ $host{$ht}{groups} } }
        @{ $c->{groups} };
}

# The message that the contact is to get about a host; its knowledge changes.
sub expected {
    my ($c, $ht) = @_;
    my $h = $host{$ht};
    my $mark = delete $c->{mark}{$ht};
    my $look = delete $c->{look}{$ht};
    return if !defined $mark && !$look;
    my $told = $c->{told}{$ht};
    my @on = grep { $h->{on}{$_} } @lists;
    if (muted($c, $ht)) {
        $c->{held}{$ht} = 1 if @on || $told;
        return;
    }
    my $held = delete $c->{held}{$ht};
    my $ends = $c->{schedule} ne 'while_listed';
    if (!@on) {
        delete $c->{told}{$ht} if $told;
        return $ends ? "delisted $h->{value}" : () if $told;
        return defined $mark && ($mark eq 'clear'
            || $c->{schedule} eq 'every_check') ? "clear $h->{value}" : ();
    }
    my @there = grep { $h->{on}{$_}{weight} >= $c->{least} } @on;
    my @muted = grep { covers($_) } @there;
    my @view = grep { !covers($_) } @there;
    $c->{held}{$ht} = 1 if @muted;
    my $knows = sub { $told && ($told->{ $_[0] } // '') eq $h->{on}{$_[0]}{n} };
    if (!@view) {
        return if !$told || grep { $knows->($_) } @muted;
        delete $c->{told}{$ht};
        return $ends ? "unreported $h->{value}" : ();
    }
    my $news = !$told || grep { !$knows->($_) } @view;
    my $tell = defined $mark && $c->{schedule} ne 'start_and_end'
        || (defined $mark || $ends || $held) && $news;
    return if !$tell;
    $c->{told}{$ht} = { map { $_ => $h->{on}{$_}{n} } @view };
    return "listed $h->{value}";
}

sub flush {
    tellings();
    my %is = tells();
    pause();
    for my $co (sort keys %co) {
        my $want = join ', ', sort map { expected($co{$co}, $_) }
            sort keys %host;
        my $got = join ', ', sort split /, /, $is{$co} // '';
        next if $got eq $want;
        fail("$name: $co{$co}{schedule}, $co{$co}{least}: got '$got', "
            . "want '$want'");
        diag(join "\n", @log);
        return 0;
    }
    return 1;
}

sub looks {
    for my $c (values %co) {
        $c->{look}{$_} = 1 for keys %{ $c->{told} }, keys %{ $c->{held} };
    }
}


# --- steps -------------------------------------------------------------------

my $listings = 0;
sub step_check {
    my $ht = pick(sort keys %host);
    my $h = $host{$ht};
    my $was = %{ $h->{on} } > 0;
    my @says = map { pick('clear', 'clear', map { "listed:$_" } 1 .. 4) }
        @lists;
    @says = ('clear', 'clear') if chance(0.2);
    pause();
    check($ht, @says);
    pause();
    my $new = 0;
    for my $i (0 .. $#lists) {
        my $l = $lists[$i];
        if ($says[$i] eq 'clear') {
            delete $h->{on}{$l};
            next;
        }
        my ($weight) = $says[$i] =~ /(\d)/;
        my $on = $h->{on}{$l};
        if (!$on || $on->{weight} < $weight) {
            $h->{on}{$l} = { weight => $weight, n => ++$listings };
            $new = 1;
        } else {
            $on->{weight} = $weight;
        }
    }
    say_it('check', $h->{value}, @says);
    my $is = %{ $h->{on} } > 0;
    for my $c (values %co) {
        next if !theirs($c, $ht);
        my $hears = $c->{schedule} eq 'every_check'
            || $c->{schedule} eq 'while_listed' && ($is || $was)
            || $new || $was && !$is;
        next if !$hears;
        # An end stays in the digest, whatever follows while it is clear.
        $c->{mark}{$ht} = $is ? 'listed' : $was ? 'delisted'
            : $c->{mark}{$ht} && $c->{mark}{$ht} ne 'clear' ? $c->{mark}{$ht}
            : 'clear';
    }
}
sub step_mute {
    return if keys %mute >= 5;
    my $target = pick('', @lists, @lists, @groups, sort keys %host);
    my $mu = mute($target);
    return fail("$name: a mute is refused: $mu") if $mu !~ /^MU/;
    $mute{$mu} = $target;
    say_it('mute', $target);
    pause();
}
sub step_end {
    my $mu = pick(sort keys %mute) // return;
    pause();
    if (chance(0.5)) {
        script('mute_end', [$acct], mute => $mu);
    } else {
        expire($mu);
    }
    say_it('end of', delete $mute{$mu});
    looks();
}

sub life {
    my ($seed) = @_;
    srand $seed;
    $name = "history $seed";
    @log = ();
    my @all = (\@groups, [$groups[0]], [$groups[1]]);
    %host = map { my $g = pick(@all); host(@$g) =>
        { value => last_address(), groups => $g, on => {} } } 1 .. 2;
    %co = map { my $g = pick(@all); my $least = pick(1, 1, 3, 4);
        my $schedule = pick(qw(start_and_end start_and_end every_check
            while_listed));
        my $co = contact($schedule, groups => $g);
        script('contact_alert', [$acct], contact => $co, weight => $least);
        $co => { schedule => $schedule, least => $least, groups => $g } }
        1 .. 3;
    my $good = flush();
    for (1 .. 14) {
        last if !$good;
        my $do = rand;
        $do < 0.5 ? step_check() : $do < 0.72 ? step_mute() : step_end();
        $good = flush() if chance(0.7);
    }
    # When all mutes are over, nothing is held back, and contacts know what the
    # model says.
    while ($good && %mute) { step_end() }
    $good &&= flush();
    for my $co (sort keys %co) {
        for my $ht (grep { theirs($co{$co}, $_) } sort keys %host) {
            my $told = $co{$co}{told}{$ht} ? 1 : 0;
            my $open = cmd('HEXISTS', k('open', $ac, $co), $ht);
            $good = 0, fail("$name: $co{$co}{schedule} knows $open, not $told")
                if $good && $told != $open;
        }
        $good = 0, fail("$name: something is held back for ever")
            if $good && cmd('EXISTS', k('held', $ac, $co));
        script('contact_delete', [$acct], contact => $co);
    }
    script('host_delete', [$acct], host => $_, keep => 60_000)
        for sort keys %host;
    forget(sort keys %co);
    return $good;
}
my $good = grep { life($_) } $SEED .. $SEED + $LIVES - 1;
is($good, $LIVES, "all of $LIVES histories are told exactly");


# --- what may go wrong -------------------------------------------------------

is(mute('', now() - 1), 'PAST', 'a mute that ends in the past is refused');
is(mute('', now() + 367 * 86_400_000), 'LONG', 'one of more than a year is');
is(mute(sid('HT')), 'TARGET', 'one of a host that does not exist is');
is(mute(sid('RB')), 'TARGET', 'one of a list that does not exist is');
is(mute($ac), 'TARGET', 'one of something that cannot be muted is');
is(script('mute_end', [$acct], mute => sid('MU'))->[0], 'MUTE',
    'a mute that does not exist cannot be ended');

# a host that is muted and deleted

my $co = contact('start_and_end');
my $ht = host();
check($ht, 'listed', 'clear');
pause();
is_deeply({ tells() }, { $co => 'listed ' . last_address() },
    'a listing is told');
my $mu = mute($ht);
pause();
script('host_delete', [$acct], host => $ht, keep => 60_000);
pause();
is_deeply({ tells() }, { $co => 'unreported ' . last_address() },
    'a muted host that is deleted is no longer reported');
is(script('mute_end', [$acct], mute => $mu)->[0], 'OK',
    'the mute of a host that is gone can be ended');
tellings();
is_deeply({ tells() }, {}, 'nothing is reported when that mute ends');

# an older record: the weight of a listing is not known

script('contact_alert', [$acct], contact => $co, weight => 4);
$ht = host();
check($ht, 'listed:1', 'clear');
pause();
is_deeply({ tells() }, {}, 'a listing below the least weight is not told');
my $h = unpacked(cmd('GET', k('r', $ac, $ht)));
splice @{ $h->[16][0] }, 9;
cmd('SET', k('r', $ac, $ht), packed($h));
cmd('ZADD', k('digest', $ac, $co), now(), $ht);
cmd('ZADD', k('digests'), now(), "$ac:$co");
is_deeply({ tells() }, { $co => 'listed ' . last_address() },
    'one without a weight is told');

# a group without a contact, and many mutes

my $alone = sid('CG');
script('group_add', [$acct], group => $alone, name => 'alone',
    is_default => '0');
like(mute($alone), qr/^MU/, 'a group without a contact can be muted');
my %said;
$said{ mute('') =~ /^MU/ ? 'MU' : 'LIMIT' }++ for 1 .. 1000;
is(cmd('ZCARD', k('mutes', $ac)), 100, 'an account has at most 100 mutes');
ok($said{LIMIT} >= 900, 'of 1,000 mutes most are refused');
my ($one) = @{ cmd('ZRANGE', k('mutes', $ac), 0, 0) };
expire($one);
tellings();
like(mute(''), qr/^MU/, 'the place of one that has ended is free');
is(cmd('ZCARD', k('mutes', $ac)), 100, 'the new mute takes that place');
done_testing();
