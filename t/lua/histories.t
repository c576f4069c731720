#!/usr/bin/perl

# Random histories of messages to contacts, by a seed, beside a model that was
# written from the manual (RblAlertModel.pm): hosts are listed, get other
# weights and leave their lists, move between groups and are deleted; lists,
# also within groups, hosts, groups and the account are muted at once, later and
# in windows that are repeated, also where clocks change; contacts have all
# schedules, least weights, rhythms, quiet hours, minutes and checks; daemons are
# away.  The scripts are the real ones, with a clock that the test sets, and the
# times are those that a daemon finds (t/tools/times.c).
#
# Each message is exact: who gets it, when, which hosts and lists it has, begin
# or end.  At the end nothing waits or is held back, and each contact knows the
# listings of its hosts.
#
# RBL_SEED is the seed of the first history, RBL_LIVES their number.

use strict;
use warnings;

use IPC::Open2;
use RblAlertModel;
use RblScript;
use RblSeam;
use RblTest;

my $SEED = $ENV{RBL_SEED} // 4700;
my $LIVES = $ENV{RBL_LIVES} // 320;
my $ZONE = 'Europe/Berlin';
my @LISTS = qw(RBa RBb RBc);
my $EVENTS = 14;
my $INTERVAL = 8 * 3600;                # s, of checks
my ($SECOND, $HOUR, $DAY) = (1000, 3_600_000, 86_400_000);
my @STATES = qw(listed delisted clear unreported);

$ENV{TZ} = $ZONE;
my $redis = redis_new();
rblctl($redis, 'init', '--partitions', 1);
script_clock(0);
script_quick();
cmd('SET', k('r', 'SYS', 'RBc'), packed([1, 'RBc', 'rbl', 'c.example', 'C', '',
    7, 0, 'active', '', [], '', '', 'normal', 'ip', 'block', 'none']));
my $pid = open2(my $answers, my $asks, build_dir() . '/t/tools/times', $ZONE);

my ($m, $ac, $acct, @groups, $now, $name, @log, $good, $away, $hosts);

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }
sub found { print {$asks} join('|', @_), "\n"; $asks->flush;
    chomp(my $ms = <$answers>); return $ms }
sub at { my @t = localtime $_[0] / 1000; return sprintf
    '%d-%02d-%02d %02d:%02d:%06.3f', $t[5] + 1900, $t[4] + 1, @t[3, 2, 1],
    $t[0] + $_[0] % 1000 / 1000 }
sub note_it { push @log, at($now) . " @_"; return }
sub wrong {
    fail("$name: @_") if $good;
    diag(join "\n", @log, at($now)) if $good;
    $good = 0;
    return;
}


# --- a daemon ----------------------------------------------------------------

# The next times of mutes, until there is nothing left to do.
sub tellings {
    for (1 .. 200) {
        my (undef, $more, $ask) = @{ script('telling_step', [k('tellings')]) };
        for my $a (@$ask) {
            my ($member, $rule, $minutes, $from, $last, $at) = @$a;
            my $begins = found('window', $rule, $minutes, $from, $at);
            my $ends = $begins + 60_000 * $minutes;
            $begins = $ends = 0 if $last && $begins >= $last;
            $ends = $last if $last && $ends > $last;
            script('mute_next', [k('unmutes')], member => $member,
                begins => $begins, ends => $ends);
        }
        return if !$more && !@$ask;
    }
    return wrong('contacts are looked at for ever');
}

# The text of a row of a message, about a host.
sub says {
    my ($raw, $state) = @_;
    my $h = unpacked($raw);
    return "$STATES[$state] $h->[2]" if $state;
    wrong("$h->[2]: $h->[13] listings") if $h->[13] != @{ $h->[16] };
    return join ' ', 'listed', $h->[2], sort map { $_->[0] } @{ $h->[16] };
}
sub messages {
    my %told;
    for (1 .. 500) {
        my (undef, $wait, $ask, @rows) = @{ script('digest_claim',
            [k('digests')], window => 0, lease => 30_000, most => 50,
            events => [map { sid('EV') } 1 .. 4]) };
        script('digest_when', [k('digests')], member => $_->[0],
            at => found('go', @$_[1, 2], $now)) for @$ask;
        for my $d (map { { seam_row('digest_claim', $_) } } @rows) {
            my @shows = @{ $d->{hosts} };
            while (my ($raw, $state) = splice @shows, 0, 2) {
                push @{ $told{ substr $d->{member}, 35 } }, says($raw, $state);
            }
            1 while script('digest_store', [k('digests')],
                member => $d->{member}, claimed => $d->{event},
                limit => 20)->[0] eq 'MORE';
        }
        return \%told if !@rows && !@$ask && $wait;
    }
    wrong('messages are made for ever');
    return \%told;
}

# Mutes that are over, or one of their times is.  One whose next time has begun
# meanwhile goes on.
sub mutes_end {
    for my $mu (sort keys %{ $m->{mute} }) {
        my $mute = $m->{mute}{$mu};
        next if $mute->{till} > $now;
        my ($from, $till) = model_window($mute, $now);
        model_mutes_end($m) if !defined $from || $from > $now;
        delete $m->{mute}{$mu} if !defined $from;
        $mute->{till} = $till;
    }
    return;
}
sub tick {
    tellings();
    mutes_end();
    my $is = messages();
    my %want = model_tick($m, $now);
    for my $co (sort keys %{ $m->{co} }) {
        my $got = join ', ', sort @{ $is->{$co} // [] };
        my $want = join ', ', @{ $want{$co} // [] };
        note_it("  $m->{co}{$co}{name}: $got") if $got ne '';
        wrong("$m->{co}{$co}{name} is told '$got', not '$want'")
            if $got ne $want;
    }
    return;
}
sub first_of {
    my (undef, $at) = @{ cmd('ZRANGE', k($_[0]), 0, 0, 'WITHSCORES') };
    return $at // ();
}

# Time passes: daemons work whenever the store has something for them, and hosts
# are checked.
sub elapse {
    my ($till, $checks) = @_;
    for (1 .. 3000) {
        my @at = sort { $a <=> $b } map({ first_of($_) } qw(unmutes later
            digests)), !$checks ? () : map { $_->{next_check} }
            grep { !$_->{gone} } values %{ $m->{host} };
        last if !$good || $away || !@at || $at[0] > $till;
        set_clock_to($at[0] > $now ? $at[0] : $now + 1);
        for my $ht (sort keys %{ $m->{host} }) {
            my $h = $m->{host}{$ht};
            check($ht, map { $_ => 'same' } @LISTS)
                if $checks && !$h->{gone} && $h->{next_check} <= $now;
        }
        tick();
    }
    set_clock_to($till) if $till > $now;
    return;
}
sub set_clock_to {
    ($now) = @_;
    script_clock($now);
    return;
}


# --- events ------------------------------------------------------------------

# A check of a host: by list a weight, undef, "unknown" or "same".
sub check {
    my ($ht, %says) = (shift, map({ $_ => undef } @LISTS), @_);
    my $h = $m->{host}{$ht};
    for my $l (@LISTS) {
        my $on = $h->{on}{$l};
        $says{$l} = $on && $on->{weight} if ($says{$l} // '') eq 'same';
        $says{$l} = undef if !$on && !may_begin($h);
    }
    push @{ $h->{begins} }, $now
        if grep { ($says{$_} // 'unknown') ne 'unknown' && !$h->{on}{$_} }
            @LISTS;
    cmd('HDEL', k($_), "$ac:$ht") for 'flight', 'flight:due';
    my $pp = sid('PP');
    script('check_start', [$acct], check => $pp, host => $ht, keep => 60_000);
    my $begun = begin($acct, $pp, $ht);
    my $r = finish_check($acct, $pp, $ht, [map {
        !defined $says{$_} ? result($_, 'clear')
            : $says{$_} eq 'unknown' ? result($_, 'unknown', error => 'timeout')
            : listed_result($_, weight => $says{$_}) } @LISTS], '',
        events => $begun->[7], interval => $INTERVAL);
    wrong("a check ends with $r->[0]") if $r->[0] ne 'OK';
    model_check($m, $ht, $now, \%says);
    $h->{next_check} = unpacked(cmd('GET', k('r', $ac, $ht)))->[15];
    return note_it("check of $h->{value}:", map { $says{$_} // 'clear' }
        @LISTS);
}

# Hosts that begin to be listed again and again may be told in another way:
# histories have none.  The model has to know that before this goes.
sub may_begin {
    my ($h) = @_;
    return 2 > grep { $_ > $now - $DAY } @{ $h->{begins} };
}

sub new_host {
    my @in = @{ pick(\@groups, [$groups[0]], [$groups[1]]) };
    my ($ht, $value) = (sid('HT'), '192.0.2.' . ++$hosts);
    script('host_add', [$acct], name => 'name', type => 'rbl', family => 1,
        group => $in[0], host => $ht, value => $value);
    script('host_update', [$acct], host => $ht, groups => \@in) if @in > 1;
    $m->{host}{$ht} = { id => $ht, value => $value, groups => [$in[0]],
        on => {}, begins => [], next_check => $now + 1000 * $INTERVAL };
    model_looks($m, $ht, \@in);
    return note_it("$value is new, in", map { $_ eq $groups[0] ? 0 : 1 } @in);
}
sub new_contact {
    my ($timed) = @_;
    my $co = sid('CO');
    my %c = (schedule => pick(qw(start_and_end start_and_end every_check
        while_listed)), groups => pick(\@groups, [$groups[0]], [$groups[1]]),
        least => pick(0, 1, 2, 3, 4), rhythm => '', quiet => '', after => 0,
        checks => 0, told => {}, held => {}, mark => {}, look => {},
        later => {});
    $c{after} = pick(10, 45, 600) if chance(0.3);
    $c{checks} = pick(2, 3) if chance(0.2);
    if ($timed) {
        $c{rhythm} = pick('', 'hourly', 'daily 08:00', 'daily 02:30',
            'weekly mon 08:00', 'weekly sun 02:30');
        $c{quiet} = pick('', '22:00-02:00', '12:00-13:30', '02:00-09:00');
    }
    $c{all} = grep { $c{$_} } qw(least rhythm quiet after checks);
    script('contact_add', [$acct], contact => $co, type => 'endpoint',
        value => "https://x.example/$co", schedule => $c{schedule},
        digest => 'digest', code => 'code', event => sid('EV'),
        groups => $c{groups});
    script('contact_confirm', [$acct], contact => $co, digest => 'digest');
    script('contact_alert', [$acct], contact => $co,
        weight => $c{least} || '', rhythm => $c{rhythm}, quiet => $c{quiet},
        after => $c{after} || '', checks => $c{checks} || '');
    $c{name} = join ' ', map { $_ eq '' ? '-' : $_ } $co, @c{qw(schedule least
        rhythm quiet after checks)};
    $m->{co}{$co} = \%c;
    note_it("$c{name}, groups @{[map { $_ eq $groups[0] ? 0 : 1 }
        @{ $c{groups} }]}");
    return;
}

sub there { return grep { !$m->{host}{$_}{gone} } sort keys %{ $m->{host} } }
sub event_check {
    my ($ht) = pick(there()) // return;
    my %says = map { $_ => pick(undef, undef, 'same', 'unknown', 1 .. 4) }
        @LISTS;
    %says = () if chance(0.2);
    return check($ht, %says);
}
sub event_mute {
    return if keys %{ $m->{mute} } >= 5;
    my $target = pick('', @LISTS, @LISTS, @groups, there());
    my %mute = (target => $target, group => '', begins => $now, rule => '',
        minutes => 0, last => 0, ends => 0);
    $mute{group} = pick(@groups) if $target =~ /^RB/ && chance(0.5);
    my $begins = chance(0.5) ? '' : $now + int rand 30 * $HOUR;
    $mute{begins} = $begins if $begins ne '';
    if (chance(0.5)) {
        my $days = pick('daily', 'daily', 'weekly mon,tue,wed,thu,fri',
            'weekly sat,sun', 'weekly sun');
        $mute{rule} = $days . pick(' 02:30', ' 22:00', ' 12:15', ' 01:00');
        $mute{minutes} = pick(10, 90, 720, 1439);
        $mute{last} = $mute{begins} + 1000 + int rand 4 * $DAY if chance(0.3);
        $mute{begins} = $begins || 0;
    } else {
        $mute{ends} = $mute{begins} + 1000 + int rand pick(30 * $HOUR, $HOUR);
    }
    my $mu = sid('MU');
    my $r = script('mute_add', [$acct], mute => $mu, target => $target,
        group => $mute{group}, begins => $begins, ends => $mute{ends} || $mute{last},
        rule => $mute{rule}, minutes => $mute{minutes} || '', reason => 'why',
        longest => 366 * $DAY);
    return wrong("a mute is refused: $r->[0]") if $r->[0] ne 'OK';
    # A daemon has to find the first time of one that is repeated.
    $mute{till} = $mute{rule} ? 0 : $mute{ends};
    $m->{mute}{$mu} = \%mute;
    return note_it("mute $mu:", map({ "$_ " . ($mute{$_} // '') }
        qw(target group rule minutes)),
        map { $_ ? at($_) : 'never' } @mute{qw(begins ends last)});
}
sub event_end {
    my $mu = pick(grep { model_window($m->{mute}{$_}, $now) }
        sort keys %{ $m->{mute} }) // return;
    script('mute_end', [$acct], mute => $mu);
    delete $m->{mute}{$mu};
    model_mutes_end($m);
    return note_it("end of $mu");
}
sub event_groups {
    my $ht = pick(there()) // return;
    my @in = @{ pick(\@groups, [$groups[0]], [$groups[1]]) };
    script('host_update', [$acct], host => $ht, groups => \@in);
    model_looks($m, $ht, \@in);
    return note_it("$m->{host}{$ht}{value} is in",
        map { $_ eq $groups[0] ? 0 : 1 } @in);
}
sub event_delete {
    my $ht = pick(there()) // return;
    script('host_delete', [$acct], host => $ht, keep => 60_000);
    model_looks($m, $ht, undef);
    return note_it("$m->{host}{$ht}{value} is deleted");
}
sub event {
    my $do = rand;
    return $do < 0.5 ? event_check() : $do < 0.7 ? event_mute()
        : $do < 0.84 ? event_end() : $do < 0.94 ? event_groups()
        : $do < 0.97 ? event_delete() : new_host();
}


# --- histories ---------------------------------------------------------------

# Histories begin on any day from 2015 to 2024, half of them on one before
# clocks change.
sub begin_at {
    my $day = 1_420_070_400 + 86_400 * int rand 3650;
    if (chance(0.5)) {
        $day += 86_400
            while (localtime $day)[2] == (localtime $day + 2 * 86_400)[2];
    }
    return 1000 * ($day + int rand 86_400) + 1 + int rand 999;
}

# All mutes are over, what has to be found again is, and no message waits.
sub ends_well {
    tick();
    event_end() while %{ $m->{mute} };
    tick();
    for (1 .. 5) {
        elapse($now + $HOUR);
        check($_, map { $_ => 'same' } @LISTS) for there();
        tick();
    }
    elapse($now + 9 * $DAY);
    return if !$good;
    for my $co (sort keys %{ $m->{co} }) {
        my $c = $m->{co}{$co};
        for my $ht (sort keys %{ $m->{host} }) {
            my $h = $m->{host}{$ht};
            my @is = model_truth($c, $h);
            my $told = ($c->{told}{$ht} // {})->{on};
            wrong("$c->{name} does not know $h->{value} $_")
                for grep { ($told->{$_} // 0) != $h->{on}{$_}{n} } @is;
            my $open = cmd('HEXISTS', k('open', $ac, $co), $ht);
            wrong("$c->{name} knows $h->{value}: $open, not @is")
                if $open ne (@is ? 1 : 0);
        }
        for my $left (qw(held digest making batch when)) {
            wrong("$c->{name} has a $left for ever")
                if cmd('EXISTS', k($left, $ac, $co));
        }
    }
    wrong("$_ is not empty")
        for grep { cmd('EXISTS', k($_)) } qw(digests later unmutes tellings);
    return;
}

sub life {
    my ($seed) = @_;
    srand $seed;
    ($name, $good, $away, $hosts, @log) = ("history $seed", 1, 0, 0);
    $m = model_new();
    set_clock_to(begin_at());
    ($ac, $acct) = account();
    my $a = unpacked(cmd('GET', $acct));
    $a->[4] = $ZONE;
    cmd('SET', $acct, packed($a));
    @groups = (chosen($acct)->[2], sid('CG'));
    script('group_add', [$acct], group => $groups[1], name => 'other',
        is_default => '0');
    my $timed = chance(0.5);
    new_host() for 1 .. 3;
    new_contact($timed) for 1 .. 4;
    for (1 .. $EVENTS) {
        event();
        # Daemons that are away, or busy, find several events.
        $away = !$away if !$timed && chance(0.15);
        if (chance(0.3)) {
            set_clock_to($now + $SECOND + int rand 20 * $SECOND);
            event();
        }
        tick() if !$away;
        elapse($now + $SECOND + int rand(pick($HOUR, $HOUR, 12 * $HOUR)), 1);
        last if !$good;
    }
    $away = 0;
    ends_well() if $good;
    # Nothing is left for the next history, whose clock may be behind; checks
    # were begun without being claimed.
    script('contact_delete', [$acct], contact => $_) for keys %{ $m->{co} };
    script('host_delete', [$acct], host => $_, keep => 60_000) for there();
    cmd('DEL', k('manual'), k('manual', $ac));
    cmd('DEL', map { k($_) } qw(digests later unmutes tellings due)) if !$good;
    return $good;
}
my $right = grep { life($_) } $SEED .. $SEED + $LIVES - 1;
is($right, $LIVES, "all of $LIVES histories are told exactly");
close $asks;
waitpid $pid, 0;
my $fsck = rblctl($redis, 'fsck');
is($fsck->{status}, 0, 'fsck finds no fault after them')
    or diag($fsck->{out});
done_testing();
