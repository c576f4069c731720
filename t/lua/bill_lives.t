#!/usr/bin/perl

# 500 random lives of accounts that are billed, beside a model (RblBillModel):
# periods and checks, payments in time, late, twice and never, recharges, requests
# to pay at once, plans that change, a clock that leaps and goes back.  Half of them pay through a
# gateway, which declines, answers late, twice, or so that nothing is known.
# Balance, ledger, payments and events are those of the model, whenever a daemon
# has looked.
#
# RBL_SEED repeats a run; LIVES is their number.

use strict;
use warnings;

use RblBillModel;
use RblScript;
use RblTest;

use constant { DAY => 86_400_000, GRACE => 7 * 86_400_000, USD => 1_000_000 };
use constant { PRICE => 4, PERIOD => 5, ENDS => 8, STATE => 9, OPEN => 10,
    CHANGE => 14, LEASE => 1000 };

srand(my $seed = $ENV{RBL_SEED} // time);
diag("RBL_SEED=$seed");
redis_new(cluster => 1);        # all scripts read the same clock key
my $now;
my ($ac, $acct, $m, @done, %types, %answers, %retries, %words,
    $offs);
my ($refunds, $wishes) = (0, 0);

sub pick { return $_[rand @_] }
sub cents { return 10_000 * int rand $_[0] }
sub clock { $now += int $_[0]; script_clock($now) }

# Of each event people get a notice, too, with the same data.
my %notice = qw(billing.renewal.success paid billing.renewal.failed failed
    billing.recharge.success paid billing.recharge.failed failed
    billing.balance.alert low expiring.plan.alert ends);
my %noticed;

sub told {
    my (@all, $next);

    for my $e (@{ cmd('XRANGE', k('outbox'), '-', '+') }) {
        my %f = @{ $e->[1] };
        my $event = unpacked($f{d});
        my ($type, $d) = ($event->[2], unpacked($event->[16]));
        my $is = "$event->[13] $event->[16]";
        cmd('XDEL', k('outbox'), $e->[0]);
        die "the notice $is instead of $next\n" if defined $next
            && $is ne $next;
        $next = $notice{$type} && "$notice{$type} $event->[16]";
        $noticed{ $event->[13] }++;
        next if $type eq 'contact.notice';
        my $amount = ref $d ? ($d->[2] eq '' ? 0 : unpacked($d->[2])->[4]) : 0;
        push @all, join ' ', $type, $type =~ /balance/ ? @$d[8, 9]
            : $type =~ /renewal.success/ ? $amount
            : $type =~ /renewal.failed/ ? @$d[3, 4]
            : $type =~ /recharge.success/ ? (@$d[10, 11], $amount)
            : $type =~ /recharge.failed/ ? @$d[10, 11, 3, 4] : $d->[6];
        $types{$type}++;
    }
    return @all;
}

# The content of the store, in the form of the model.
my @events;
sub stored {
    push @events, told();
    my $raw = cmd('GET', k('bill', $ac));
    my $b = $raw ? unpacked($raw) : [];
    my %money = (balance => 0, used => 0, @{ cmd('HGETALL', k('money', $ac)) });
    my @pay = map { unpacked(cmd('GET', k('pay', $ac, $_))) }
        @{ cmd('ZRANGE', k('payments', $ac), 0, -1) };
    my ($open) = grep { $_->[1] eq ($b->[OPEN] // '') } @pay;
    return {
        state => $b->[STATE], ends => $b->[ENDS],
        plan => join(' ', @$b[PRICE, PERIOD], $b->[CHANGE] ? @{ unpacked(
            $b->[CHANGE]) }[2, 3, 9] : ()),
        open => $open ? $open->[3] : '', balance => $money{balance},
        used => $money{used}, events => [@events],
        ledger => [map { my %f = @{ $_->[1] }; join ' ', @f{qw(k d c a b)} }
            @{ cmd('XRANGE', k('ledger', $ac), '-', '+') }],
        pay => { map { $_->[3] => "@$_[2, 4, 5, 6, 8, 22, 25, 26]" } @pay } };
}
sub expected {
    return {
        (map { $_ => $m->{$_} } qw(state ends open balance used events ledger)),
        plan => join(' ', @$m{qw(price kind)}, map { @$_{qw(price kind at)} }
            $m->{change} // ()),
        pay => { map { $_->{key} => "@$_{qw(kind amount state
            attempt reason refunded credited told)}" }
            values %{ $m->{pay} } } };
}

# The operator finds the payment that is open by its state, and no other.
sub listed {
    my @all = map { my $state = $_; map { "$state $_" } @{ cmd('ZRANGE',
        k('unpaid', $state), 0, -1) } } qw(open sent processing customer unknown
        operator failed);
    my $p = $m->{pay}{ $m->{open} };
    my $want = $p ? join ' ', $p->{late} ? 'operator' : $p->{state}, "$ac:PY"
        . substr(Digest::SHA::sha1_hex($m->{open}), 0, 32) : '';
    cmd('DEL', map { k('unpaid', $_) } qw(open sent processing customer unknown
        operator failed));
    return "@all" eq $want ? '' : "listed: @all, not $want";
}

# A daemon looks at the bill, if it is time.
sub look {
    my $at = cmd('ZSCORE', k('billdue'), $ac) // return;
    return if $at > $now;
    script('bill_step', [$acct], grace => GRACE, kept => 0)
        for 0 .. int rand 2;
    $m->step($now);
}

# Clear checks of a host, alone or in batches of an account.
sub checks {
    my ($n) = @_;
    my @ht = map { sid('HT') } 1 .. $n;
    cmd('HSET', k('flight:due'), map { ("$ac:$_", flight()) } @ht);
    cmd('SET', k('r', $ac, $_), packed([1, $_, '192.0.2.1', 'n', 'rbl', 1, '',
        'active', '', [], 1, 1, 0, 0, 0, 0, []])) for @ht;
    my $r = script('check_clear', [k('flight:due')],
        member => [map { "$ac:$_" } @ht], flight => flight(),
        interval => 3600);
    die "check_clear: @$r\n" if grep { $_ ne '1' } @$r[1 .. $#$r];
    cmd('DEL', k('due', $ac), map { k('r', $ac, $_) } @ht);
    $m->check($n);
}
sub flight { return 'PP' . '0' x 64 . ':1:' . '9' x 13 . ':test' }

# A daemon asks the gateway for what is due, and dies before the answer or after
# it now and then.
sub gateway {
    for (1 .. 4) {
        my $at = cmd('ZSCORE', k('paydue'), $ac);
        if (!defined $at || $at > $now) {
            my $want = $m->task($now);
            die "nobody makes the $want\n" if $want ne '';
            return;
        }
        my $want = $m->task($now, 1);
        my $r = script('bill_send', [$acct], gateway => $m->{gateway},
            live => 0, lease => LEASE);
        die "bill_send: $r->[1], not $want\n" if $r->[1] ne $want;
        return if $want eq '';
        my $k = $m->{open};
        $m->send($now, LEASE);
        clock(rand 20_000);
        return if rand() < 0.1;
        answer($k);
        return if rand() < 0.2;
    }
}

# The gateway answers, perhaps twice.
sub answer {
    my ($k) = @_;

    my $p = $m->{pay}{$k};
    my $result = pick(qw(succeeded declined declined unknown unknown
        processing customer misconfigured missing));
    $result = 'declined' if $m->{poor} && $result ne 'unknown';
    my ($reason, $final) = (pick('card_declined', 'lost_card'), rand() < 0.5);
    # A store that was restored opens a recharge again for another amount.
    my $amount = $p->{kind} eq 'recharge' && $result eq 'succeeded'
        && rand() < 0.2 ? 500_000 + cents(3000) : '';
    my @args = (payment => 'PY' . substr(Digest::SHA::sha1_hex($k), 0, 32),
        attempt => $p->{attempt} + 1, result => $result,
        reference => $result eq 'succeeded' ? 'pi_1' : '', reason => $reason,
        final => $final ? 1 : 0, amount => $amount);
    $p->{amount} = $amount if $amount ne '';
    my $r = script('bill_answer', [$acct], @args);
    $m->answered($now, $k, $result, $reason, $final);
    my $left = $p->{late} == $now
        && $p->{state} =~ /^(?:unknown|processing|customer)$/;
    die "bill_answer: @$r\n"
        if "@$r" ne 'OK ' . ($left ? 'operator' : $p->{state});
    $answers{$result}++;
    $r = script('bill_answer', [$acct], @args)
        if $result =~ /succeeded|declined/ && rand() < 0.3;
    die "bill_answer again: @$r\n" if $r->[0] ne 'OK';
}

my %act;
%act = (
    gateway => [60, \&gateway],
    # The gateway finds out late that it has charged.
    late => [1, sub {
        my $k = $m->{open} || return;
        my $r = script('bill_answer', [$acct],
            payment => 'PY' . substr(Digest::SHA::sha1_hex($k), 0, 32),
            attempt => 1, result => 'succeeded', reference => 'pi_3');
        die "bill_answer late: @$r\n" if $r->[0] ne 'OK';
        $m->succeeds($now, $k);
    }],
    settle => [2, sub {
        my $k = $m->{open} || return;
        my $p = $m->{pay}{$k};
        my $result = pick('succeeded', 'failed');
        my $amount = pick('', cents(3000) + 10_000);
        my $r = script('bill_settle', [$acct],
            payment => 'PY' . substr(Digest::SHA::sha1_hex($k), 0, 32),
            result => $result, reference => "pi_$k", amount => $amount);
        my $waits = $p->{sent} && $p->{state} !~ /^(?:succeeded|void)$/
            && ($result ne 'failed' || $p->{late} && $p->{state} ne 'sent');
        die "bill_settle: @$r\n" if ($r->[0] eq 'OK') != !!$waits;
        return if !$waits;
        $result eq 'failed' ? $m->declined($now, $k, 'settled', 0)
            : $m->comes($now, $k, $amount eq '' ? undef : $amount);
    }],
    time => [30, sub { clock(rand pick(60_000, 3_600_000, DAY, 12 * DAY)) }],
    checks => [25, sub { checks(1 + int rand 20) for 0 .. int rand 3 }],
    pay => [14, sub {
        my $k = $m->{open} || pick(keys %{ $m->{pay} }) // return;
        my $py = 'PY' . substr Digest::SHA::sha1_hex($k), 0, 32;
        for (0 .. int rand 2) {
            my $p = $m->{pay}{$k};
            next if $p->{kind} eq 'topup';
            my ($reference, $amount) = (rand() < 0.1 ? 'R'
                : pick('R', 'S') . $py, rand() < 0.7 ? undef
                : cents(3000) + 10_000);
            my $r = script('bill_settle', [$acct], result => 'paid',
                payment => $py,
                reference => $reference, amount => $amount // '');
            my $ok = $m->paid($now, $k, $reference, $amount);
            die "bill_settle: @$r\n" if ($r->[0] eq 'OK') != !!$ok;
        }
    }],
    refund => [8, sub {
        my @k = grep { $m->{pay}{$_}{state} eq 'succeeded' }
            sort keys %{ $m->{pay} };
        my $k = pick(@k ? @k : keys %{ $m->{pay} }) // return;
        my ($amount, $reference) = (pick($m->{pay}{$k}{amount}, 10_000,
            cents(3000) + 10_000), pick('R', 'F' . int rand 4));
        for (0 .. int rand 2) {
            my $r = script('bill_refund', [$acct], payment => 'PY'
                . substr(Digest::SHA::sha1_hex($k), 0, 32),
                amount => $amount, reference => $reference);
            my $ok = $m->refund($now, $k, $amount, $reference);
            die "bill_refund: @$r\n" if ($r->[0] eq 'OK') != !!$ok;
            $refunds++ if $ok;
        }
    }],
    wish => [6, sub {
        my ($once, $amount) = (int rand 5, cents(3000) + 500_000);
        my $r = script('bill_wish', [$acct], once => $once, amount => $amount);
        my $ok = $m->wish($now, $once, $amount);
        die "bill_wish: @$r\n" if ($r->[0] eq 'OK') != !!$ok;
        $wishes++ if $ok;
    }],
    topup => [6, sub {
        my ($of, $amount) = (int rand 8, USD * (1 + int rand 3));
        my $r = script('bill_adjust', [$acct], what => 'topup',
            once => sid('XX'),
            amount => $amount, reference => $of);
        my $ok = $m->topup($now, $of, $amount);
        die "bill_adjust: @$r\n" if ($r->[0] eq 'OK') != !!$ok;
    }],
    adjust => [3, sub {
        my ($of, $amount) = (pick('A', sid('XX')), cents(300) - cents(300)
            || 1);
        my $r = script('bill_adjust', [$acct], once => sid('XX'),
            reference => $of, amount => $amount, reason => 'Why');
        my $ok = $m->adjust($now, $of, $amount);
        die "bill_adjust: @$r\n" if ($r->[0] eq 'OK') != !!$ok;
    }],
    terms => [8, sub {
        my %t = (renew => int rand 2, falls => cents(800), to => cents(3000),
            alert => cents(800));
        delete @t{ grep { rand() < 0.5 } keys %t };
        $t{to} = 0 if rand() < 0.1;
        my $force = int rand 2;
        my $r = script('bill_terms', [$acct], %t, now => $force);
        my %new = map { $_ => $t{$_} // $m->{$_} } qw(renew falls to alert);
        my $ok = $new{to} == 0 || $new{to} > $new{falls};
        $ok = 0 if !$force && $m->{kind} eq 'check' && $new{to}
            && $m->left < $new{falls}
            && ($new{to} != $m->{to} || $new{falls} != $m->{falls});
        die "bill_terms: @$r\n" if ($r->[0] eq 'OK') != !!$ok;
        $m->ask($now) if $ok && $new{renew} > $m->{renew};
        @$m{ keys %new } = values %new if $ok;
    }],
    retry => [6, sub {
        my $r = script('bill_retry', [$acct]);
        my $word = $m->retry($now);
        die "bill_retry: @$r, not $word\n" if $r->[0] ne $word;
        $retries{$word}++;
    }],
    plan => [6, sub {
        my $kind = pick('check', 'check', 'month', 'month', 'year');
        my $price = $kind eq 'check' ? 1 + int rand 60_000 : USD * (1 + int rand 50);
        # The plan that it has, or is going to have.
        ($kind, $price) = @{ pick($m, $m->{change} // $m) }{qw(kind price)}
            if rand() < 0.3 && $m->{kind} ne '';
        my $force = int rand 2;
        my $r = script('bill_plan', [$acct], gateway => $m->{gateway},
            plan => 'P', price => $price, period => $kind, paid => 1,
            hosts => 0, contacts => 0, checks => 0, shortest => 900,
            now => $force);
        my $word = $m->buy($now, $kind, $price, $force);
        die "bill_plan: @$r, not $word\n" if $r->[0] ne $word;
        $words{$word}++;
    }],
    # The next period is paid before a plan that waits for it begins.
    ahead => [6, sub {
        my $to = ($m->{ends} // 0) - DAY * (1 + int rand 6);
        return if !$m->until($now) || $to <= $now;
        $act{plan}[1]->();
        return if !$m->until($now);
        clock($to - $now);
        look();
        $m->{gateway} eq 'manual' ? $act{pay}[1]->() : gateway();
        $act{plan}[1]->();
    }],
    leap => [0.2, sub { clock(366 * DAY) }],
    back => [0.5, sub { clock(-rand 3 * DAY) }],
);
my @acts = map { ($_) x (10 * $act{$_}[0]) } sort keys %act;

for my $life (1 .. $ENV{LIVES} // 500) {
    ($ac, $acct) = account();
    $m = RblBillModel->new(ac => $ac, grace => GRACE,
        gateway => pick('manual', 'http'), poor => rand() < 0.4);
    @done = @events = ();
    $now = time * 1000 + int rand 366 * DAY;
    clock(0);
    $act{topup}[1]->() if rand() < 0.5;
    $act{plan}[1]->();
    my $bad = '';
    for (1 .. 40) {
        my $what = pick(@acts);
        next if $m->{gateway} eq 'manual' ? $what =~ /gateway|settle|late/
            : $what =~ /pay|topup/ && rand() < 0.9;
        push @done, "$now $what";
        $bad = eval { $act{$what}[1]->(); '' } // $@;
        last if $bad ne '';
        look();
        # Between two looks the balance is never low without a wake.
        $bad = 'a low balance wakes nobody' if $m->{kind} eq 'check'
            && ($m->{alert} && $m->left < $m->{alert} && !$m->{alerted}
                || $m->left <= 0 && $m->{state} ne 'lapsed');
        last if $bad ne '';
    }
    $bad ||= listed();
    my ($is, $want) = (stored(), expected());
    my $equal = packed_text($is) eq packed_text($want);
    $offs += $m->{offs} // 0;
    ok($bad eq '' && $equal, "life $life: as the model")
        or diag(explain({ why => $bad, done => \@done, is => $is,
            want => $want }));
    cmd('DEL', map { k($_, $ac) } qw(bill terms meter ledger money payments
        booked));
    cmd('ZREM', k($_), $ac) for qw(billdue paydue);
    last if $bad ne '' || !$equal;
}

sub packed_text {
    my ($v) = @_;
    return ref $v eq 'HASH' ? join("\n", map { "$_=" . packed_text($v->{$_}) }
        sort keys %$v) : ref $v ? join("\n", map { packed_text($_) } @$v)
        : $v // '';
}
is(scalar keys %types, 6, 'each type of event was among them')
    if !$ENV{LIVES};
is_deeply([sort grep { $_ ne '' } keys %noticed], [qw(active customer due ends
    expired failed low operator paid recharge)], 'people get each kind of notice')
    if !$ENV{LIVES};
is(scalar keys %answers, 7,
    'the gateway gives each kind of answer') if !$ENV{LIVES};
is(scalar keys %retries, 6, 'a request to pay gets each answer')
    or diag(join ' ', %retries) if !$ENV{LIVES};
is(scalar keys %words, 6, 'each answer about a plan was among them')
    if !$ENV{LIVES};
note(join ', ', map { "$_: $words{$_}" } sort keys %words);
cmp_ok($refunds, '>', 50, 'payments were refunded') if !$ENV{LIVES};
cmp_ok($wishes, '>', 50, 'accounts paid in advance by their gateway')
    if !$ENV{LIVES};
note("recharges that were turned off: $offs");
note(join ', ', map { "$_: $answers{$_}" } sort keys %answers);
note(join ', ', map { "$_: $types{$_}" } sort keys %types);
note(join ', ', map { "$_: $noticed{$_}" } sort keys %noticed);
done_testing();
