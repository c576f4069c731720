#!/usr/bin/perl

# Random lives of checks: three daemons claim, start and finish them in any
# order, with old and reused handles and expiring leases, while hosts are added,
# paused and deleted, their account is suspended, its plan expires and is paid
# again, and other clients request the same checks.  fsck never finds a fault.  At the end no check is left, each
# announced start has one announced end behind it, and each requester was
# notified once.
#
# RBL_SEED is the seed of one life, which is nearly repeatable, because leases
# expire by the clock; RBL_LIVES is the number of lives.

use strict;
use warnings;
use RblLife;
use RblTest;
use RblScript qw(:DEFAULT step);

use constant { STEPS => 1500, LOOK => 150, HOSTS => 7, KEEP => 60_000 };

my ($redis, $ac, $acct, $sum, $receiver, $asked);
my (@hosts, @taken, @begun, %owed);
my $n_hosts = 0;
my $n_periods = 0;

sub past { return int(cmd('TIME')->[0]) * 1000 - 5000 }


# --- actions ----------------------------------------------------------------

# The plan of the account, which is paid by hand.  It expires with the period;
# the work on its hosts is done later.  nginx refuses what begins checks then.
sub lapsed { return (unpacked(cmd('GET', $acct))->[13] // 0) > 0 }

sub look_at_bill { return script('bill_step', [$acct], grace => 0,
    kept => pick(0, 0, 2, -1)) }

sub expire {
    my $b = unpacked(cmd('GET', k('bill', $ac)));
    @$b[7, 8] = (past() - 1000 - ++$n_periods) x 2;
    cmd('SET', k('bill', $ac), packed($b));
    look_at_bill();
}

sub pay {
    look_at_bill() if unpacked(cmd('GET', k('bill', $ac)))->[10] eq '';
    script('bill_settle', [$acct], result => 'paid',
        payment => unpacked(cmd('GET',
        k('bill', $ac)))->[10]);
}

sub add {
    return if @hosts >= HOSTS || lapsed();
    my $r = add_host($acct, 'rbl', '10.0.0.' . ++$n_hosts);
    push @hosts, unpacked($r->[1])->[1] if $r->[0] eq 'OK';
}

sub start {
    return if lapsed();
    my $ht = chance(0.25) ? '' : pick(@hosts);
    my $url = chance(0.6) ? 'https://cb.example/' . ++$asked : '';
    my $r = script('check_start', [$acct], check => sid('PP'), host => $ht,
        value => $ht ? '' : '192.0.2.250', family => 1, callback => $url,
        app => 'APx', keep => pick(20_000, KEEP, 600_000));
    return if $r->[0] ne 'OK';
    like($r->[2], qr/^(?:queued|running)$/, 'a requested check is not finished')
        if $r->[2] !~ /^(?:queued|running)$/;
    $owed{"$r->[1] $url"} = 1 if $url ne '';
}

sub take_some {
    my ($kinds) = @_;

    my $name = 'd' . int rand 3;
    my $r = script('check_take', [k('leases')],
        kinds => $kinds // pick(qw(m d md dm)), most => 1 + int rand 6,
        share => 6, lease => pick(5, 50, 60_000, 3_600_000), daemon => $name,
        alone => 5);
    for my $job (grep { $_ ne 'alone' } @$r[1 .. $#$r]) {
        push @taken, !ref $job ? $job : map {
            join ':', $job->[0], sid('PP'), $_, 'd', $job->[1], $name
        } @{ $job->[2] };
    }
}

# A started job: its handle, its host, whether its events have subscribers, and
# its flight if it is scheduled.
sub begin_one {
    my $job = @taken ? drawn(\@taken) : return;
    my (undef, $pp, $ht, $kind, @lease) = split /:/, $job;
    my $flight = join ':', $pp, 1, @lease;
    if ($kind eq 'd' && chance(0.5)) {
        my $r = script('check_open', [k('flight:due')], sum => $sum,
            member => "$ac:$ht", flight => $flight);
        push @begun, ["$ac:$pp:$ht:d:1:" . join(':', @lease), $ht, 0, $flight]
            if ref $r->[1];
        return if ref $r->[1];
    }
    my $r = script('check_begin', [$acct], job => $job, keep => KEEP,
        leave => pick(0, 1, 1, ''));
    return if $r->[0] ne 'OK';
    push @begun, $kind eq 'm' ? [$job, $ht, $r->[7], '']
        : [join(':', $ac, $r->[8], $ht, 'd', $r->[9], @lease), $ht, $r->[7],
            join(':', $r->[8], $r->[9], @lease)];
}

sub answers {
    return if chance(0.2);
    return map { result($_, 'clear') } 'RBa', 'RBb' if chance(0.5);
    return map { chance(0.4) ? listed_result($_)
        : result($_, pick(qw(clear clear unknown))) } 'RBa', 'RBb';
}

sub finish_one {
    my $b = @begun ? drawn(\@begun) : return;
    my ($handle, $ht, $heard, $flight) = @$b;
    my @results = answers();
    my @other = grep { $_->[5] ne 'clear' } @results;
    if ($flight ne '' && !$heard && @results && !@other) {
        return if script('check_clear', [k('flight:due')], member => "$ac:$ht",
            flight => $flight, interval => 600)->[1] eq '1';
    }
    script('check_finish', [$acct], job => $handle, told => packed(\@other),
        clear => join('', map { $_->[0] }
            grep { $_->[5] eq 'clear' } @results),
        lists => scalar @results, all => packed(\@results),
        why => @results ? '' : 'It failed.', keep => KEEP,
        interval => pick(1, 600, 2_592_000), events => $heard, soon => 0,
        details => 1 << 24);
}

sub lease_ends {
    cmd('ZADD', k('leases'), past(), $_)
        for grep { chance($_[0] // 0.3) }
            @{ cmd('ZRANGE', k('leases'), 0, -1) };
}

# A host is due, or its lease has expired.
sub host_is_due {
    my ($ht) = @_;

    return if !cmd('ZSCORE', k('due', $ac), $ht);
    cmd('ZADD', k('due', $ac), past(), $ht);
    cmd('ZADD', k('due'), 'LT', past(), $ac);
}

my %may = (
    add => [3, \&add],
    start => [5, \&start],
    take => [9, \&take_some],
    begin => [9, \&begin_one],
    finish => [9, \&finish_one],
    due => [3, sub { my $ht = pick(@hosts);
        host_is_due($ht) if !cmd('HEXISTS', k('flight:due'), "$ac:$ht") }],
    late => [1, \&lease_ends],
    recall => [1, sub { script('check_recall', [k('leases')],
        daemon => 'd' . int rand 3, rank => 0, cursor => 0) }],
    progress => [1, sub { script('check_progress', [$acct],
        check => (split /:/, pick(@begun)->[0])[1], checked => 1, listed => 0,
        unknown => 0) if @begun }],
    pause => [1, sub { script('host_status', [$acct], host => pick(@hosts),
        status => 'paused') }],
    resume => [2, sub { script('host_status', [$acct], host => pick(@hosts),
        status => 'active') if !lapsed() }],
    expire => [1, \&expire],
    pay => [4, sub { pay() if lapsed() }],
    work => [2, sub { step($acct) }],
    delete => [2, sub { script('host_delete', [$acct],
        host => splice(@hosts, rand @hosts, 1), keep => KEEP) if @hosts > 2 }],
    suspend => [1, sub { script('account_status', [$acct],
        status => pick(qw(active active suspended))) }],
);
my @order = map { ($_) x $may{$_}[0] } sort keys %may;


# --- a life -----------------------------------------------------------------

sub faultless {
    my ($when) = @_;

    my $r = rblctl($redis, 'fsck');
    is($r->{out}, "no fault in 1 account\n", "fsck finds no fault $when")
        if $r->{status} != 0;
}

sub born {
    my ($seed) = @_;

    srand $seed;
    cmd('FLUSHALL');
    rblctl($redis, 'init', '--partitions', 1);
    ($ac, $acct) = account(interval => 600);
    script('bill_plan', [$acct], gateway => 'manual', plan => 'P', price => 1,
        period => 'month', paid => 1, hosts => 0, contacts => 0, checks => 0,
        shortest => 600);
    $receiver = $seed % 2;
    script('hook_put', [$acct], hook => sid('WH'), name => 'n',
        url => 'https://x.example/', secret => 's') if $receiver;
    (@hosts, @taken, @begun, %owed) = ();
    $n_hosts = 0;
    add() for 1 .. 4;
    $sum = cmd('HGET', k('defaults:for'), 'sum');
}

# Daemons without faults finish everything.
sub end_all {
    script('account_status', [$acct], status => 'active');
    pay() if lapsed();
    1 while step($acct)->[2] > 0;
    for (1 .. 100) {
        take_some('md');
        begin_one() while @taken;
        finish_one() while @begun;
        lease_ends(1);
        host_is_due((split /:/)[1]) for @{ cmd('HKEYS', k('flight:due')) };
        return if !cmd('EXISTS', map { k($_) } qw(flight flight:due leases
            manual));
    }
    fail('all checks end');
}

# Checks the events in their order.
sub told_right {
    my (%started, %ended);
    for my $entry (@{ cmd('XRANGE', k('outbox'), '-', '+') }) {
        my (undef, undef, $type, undef, $pp, @e)
            = @{ unpacked($entry->[1][5]) };
        next if $type !~ /^rbl/;
        my ($to_receivers, $callbacks) = @e[5, 6];
        if ($type eq 'rbl.host.check.started') {
            fail("$pp is started twice, or late")
                if $started{$pp}++ || $ended{$pp};
        } elsif ($type eq 'rbl.host.check.completed') {
            fail("$pp ends twice") if $ended{$pp}++;
            fail("$pp: the receivers of its end are not those of its start")
                if $receiver && !$to_receivers != !$started{$pp};
            delete $owed{"$pp $_->[0]"} // fail("$pp: $_->[0] is not owed it")
                for @$callbacks;
        } elsif (!$ended{$pp}) {
            fail("$pp: $type before its end");
        }
    }
    is_deeply([grep { !$ended{$_} } sort keys %started], [],
        'each started check has an end') if $receiver;
    is_deeply([sort keys %owed], [],
        'each request with a callback got its result');
    return scalar keys %ended;
}

# Records of checks: all have finished and expire.
sub records_end {
    my @open = grep { !/:d\z/ && cmd('HGET', $_, 'status')
        !~ /^(?:completed|failed)$/ || cmd('PTTL', $_) < 0 }
        @{ cmd('KEYS', k('check', '*')) };
    is_deeply(\@open, [], 'records are of finished checks, and expire');
}

$redis = redis_new();
my @seeds = defined $ENV{RBL_SEED} ? $ENV{RBL_SEED}
    : 1 .. ($ENV{RBL_LIVES} // 8);
for my $seed (@seeds) {
    born($seed);
    for my $step (1 .. STEPS) {
        my $what = pick(@order);
        $may{$what}[1]->();
        faultless("at step $step, after $what") if $step % LOOK == 0;
    }
    end_all();
    faultless('at the end');
    ok(told_right() > 20, "seed $seed: ends were reported");
    records_end();
}
done_testing();
