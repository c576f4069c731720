package RblBillModel;

# The work of the scripts of bills, written down a second time: a bill with
# its payments, ledger and events, for tests of random lives.  Times are ms,
# amounts micro-USD.
#
#     my $m = RblBillModel->new(ac => $ac, grace => 7 * 86_400_000);
#     $m->buy($now, 'check', 2000); $m->step($now);

use strict;
use warnings;

use Digest::SHA 'sha1_hex';
use Exporter 'import';
use POSIX qw(strftime);
use Time::Local qw(timegm);

our @EXPORT_OK = qw(end_of);

use constant { DAY => 86_400_000, HOUR => 3_600_000, PAUSE => 600_000,
    CENT => 10_000, LEAD => 7 * 86_400_000 };

# The end of a period, by the C library.
sub end_of {
    my ($from, $period, $anchor) = @_;

    my ($s, $mi, $h, undef, $m, $y) = gmtime $from / 1000;
    $y += 1900;
    $period eq 'year' ? $y++ : $m++;
    ($m, $y) = (0, $y + 1) if $m > 11;
    for my $day (reverse 1 .. $anchor) {
        my $t = eval { timegm($s, $mi, $h, $day, $m, $y) } // next;
        return 1000 * $t + $from % 1000;
    }
}

sub new {
    my ($class, %o) = @_;
    return bless { renew => 1, gateway => 'manual', falls => 0, to => 0, alert => 0, kind => '',
        open => '', ledger => [], events => [], pay => {}, refs => {},
        wish => undef, map({ $_ => 0 }
        qw(balance used alerted last fails runs day uses seq asked followed)),
        %o }, $class;
}
sub left { return $_[0]{balance} - $_[0]{used} }
sub tell { my ($s, @e) = @_; push @{ $s->{events} }, join ' ', @e; return }
sub book {
    my ($s, $k, $d, $c, $a) = @_;
    $s->{balance} += $a if $c eq 'credit';
    $s->{balance} -= $a if $d eq 'credit';
    push @{ $s->{ledger} }, "$k $d $c $a $s->{balance}";
    return;
}
sub use_up {
    my ($s, $now) = @_;
    return if !$s->{used};
    my $day = $s->{day} || int($now / DAY);
    my $k = strftime('use:%Y-%m-%d:', gmtime 86_400 * $day) . ++$s->{uses};
    my $used = $s->{used};
    $s->{used} = 0;
    return $s->book($k, 'credit', 'revenue', $used);
}
sub void {
    my ($s, $why) = @_;
    @{ $s->{pay}{ $s->{open} } }{qw(state reason)} = ('void', $why);
    $s->{open} = '';
    return;
}
sub open_one {
    my ($s, $now, $kind, $k, $amount, @period) = @_;
    my $was = $s->{pay}{$k};
    $s->{pay}{$k} = { kind => $kind, key => $k, amount => $amount,
        state => 'open', reason => '', created => $now, period => [@period],
        refunded => 0, credited => 0, attempt => $was ? $was->{attempt} : 0,
        sent => 0, tried => 0, next => 0, late => 0, told => $was ? $was->{told} : 0 }
        if !$was || $was->{state} eq 'void';
    $s->due($s->{pay}{$k});
    return $s->{open} = $k;
}
# People are told an amount that is to be paid by hand.
sub due {
    my ($s, $p) = @_;
    $p->{told} = $p->{told} ? -$p->{amount} : $p->{amount}
        if $s->{gateway} eq 'manual' && abs $p->{told} != $p->{amount};
    return;
}
sub check { my ($s, $n) = @_;
    $s->{used} += $n * $s->{price}
        if $s->{kind} eq 'check' && $s->{state} ne 'lapsed';
    return }

# Until when it is paid; 0: it is not.
sub until {
    my ($s, $now) = @_;
    return $s->{kind} ne '' && $s->{begins} < $s->{ends} && $s->{ends} > $now
        ? $s->{ends} : 0;
}
# The price of the time that is paid.
sub worth {
    my ($s, $now, $kind, $price) = @_;
    return $price * (($s->{ends} - $now)
        / (end_of($s->{begins}, $kind, $s->{anchor}) - $s->{begins}));
}
sub change_due {
    my ($s, $now) = @_;
    my $c = $s->{change};
    $s->change_begins if $c && $c->{at} && $now >= $c->{at};
    return;
}
sub change_begins {
    my ($s) = @_;
    @$s{qw(kind price)} = @{ $s->{change} }{qw(kind price)};
    return delete $s->{change};
}
# The price of a payment, and of what.
sub priced {
    my ($s, $begins) = @_;
    my $c = $s->{change};
    my $of = $c && $c->{at} && $c->{at} <= $begins ? $c : $s;
    return ($of->{price}, [$begins, end_of($begins, $of->{kind},
        $s->{anchor})]);
}

# Credits the shares of the payments for the time that is left.
sub rests {
    my ($s, $now) = @_;
    for my $p (sort { $b->{created} <=> $a->{created}
        || sid_of($b->{key}) cmp sid_of($a->{key}) } values %{ $s->{pay} })
    {
        next if $p->{kind} !~ /^(?:renewal|upgrade)$/
            || $p->{state} ne 'succeeded' || $p->{credited};
        my ($begins, $ends) = @{ $p->{period} };
        my $from = $now > $begins ? $now : $begins;
        next if $ends <= $now;
        $p->{credited} = int(($p->{amount} - $p->{refunded})
            * (($ends - $from) / ($ends - $begins)));
        $s->book('rest:' . sid_of($p->{key}), 'revenue', 'credit',
            $p->{credited}) if $p->{credited};
    }
    return;
}

# Another plan; returns what the script says.
sub buy {
    my ($s, $now, $kind, $price, $force) = @_;
    my $other = $s->{kind} ne '' && ($kind eq 'check') != ($s->{kind} eq 'check');
    my $until = $s->until($now);
    my $c = $s->{change};
    return 'PAYING' if $s->{open} ne ''
        && $s->{pay}{ $s->{open} }{state} !~ /^(?:open|failed)$/;
    return 'WAITS' if $until && $c && $c->{at} && $c->{at} < $until;
    return 'PAID' if $other && !$force
        && ($until || $kind ne 'check' && $s->left > 0);
    if ($other) {
        $s->void('plan changed') if $s->{open} ne '';
        $s->use_up($now);
        $s->rests($now) if $until;
        $s->{day} = 0;
    } else {
        $s->change_due($now);
        my $said = $until ? $s->buy_inside($now, $kind, $price) : '';
        return $said if $said;
    }
    my $again = $kind ne 'check' && $s->{kind} ne '' && $s->{open} eq ''
        && $s->{state} eq 'lapsed';
    if ($s->{kind} eq '' || $other || $again) {
        my $lag = ($s->{begins} // 0) - $now;
        my $from = $lag >= 0 && $lag < 1000 ? $s->{begins} + 1 : $now;
        @$s{qw(anchor begins ends state told)} = ((gmtime $now / 1000)[3],
            $from, $kind eq 'check' ? 0 : $from, 'active', 0);
    }
    @$s{qw(kind price)} = ($kind, $price);
    delete $s->{change};
    $s->reprice;
    return 'OK';
}
sub reprice {
    my ($s) = @_;
    my $p = $s->{pay}{ $s->{open} };
    @$p{qw(amount period)} = $s->priced($p->{period}[0])
        if $p && $p->{kind} eq 'renewal';
    $s->due($p) if $p;
    return;
}
# Inside a period that is paid; "": at once.
sub buy_inside {
    my ($s, $now, $kind, $price) = @_;
    my $c = $s->{change};
    my $p = $s->{pay}{ $s->{open} };
    my $more = $s->worth($now, $kind, $price)
        - $s->worth($now, @$s{qw(kind price)});
    if ($p && $p->{kind} eq 'upgrade') {
        if ("$c->{price} $c->{kind}" eq "$price $kind") {
            @$p{qw(state next)} = ('open', 0);
            return 'UPGRADE';
        }
        $s->void('plan changed');
        $p = undef;
    }
    return '' if $more == 0;
    $s->{change} = { kind => $kind, price => $price, at => 0 };
    if ($more > 0 && !$p && $now < $s->{ends} - LEAD) {
        my $amount = CENT * POSIX::ceil($more / CENT);
        $s->open_one($now, 'upgrade', sprintf('up:%s:%.0f:%s:%s', $s->{ac},
            $s->{ends}, $kind, $price), $amount < 500_000 ? 500_000 : $amount,
            $now, $s->{ends});
        return 'UPGRADE';
    }
    $s->{change}{at} = $s->{ends};
    $s->reprice;
    return 'LATER';
}

# A request to pay at once: the word of the answer.
sub retry {
    my ($s, $now) = @_;
    my $p = $s->{pay}{ $s->{open} };
    my $check = $s->{kind} eq 'check';
    my $since = $now - $s->{asked};
    return !$p && ($check || $s->{state} ne 'lapsed') ? 'NOTHING'
        : $p && $p->{state} !~ /^(?:open|failed)$/ ? 'FLIGHT'
        : !$check && !$s->{renew} && !($p && $p->{kind} eq 'upgrade') ? 'RENEW'
        : $p && $s->{gateway} eq 'manual' ? 'HAND'
        : $since >= 0 && $since < 60_000 ? 'SOON'
        : $s->ask($now);
}
sub ask {
    my ($s, $now) = @_;
    $s->{asked} = $now > $s->{asked} ? $now : $s->{asked} + 1;
    return 'OK';
}
sub follow {
    my ($s) = @_;
    my $p = $s->{pay}{ $s->{open} };
    $s->{wanted} = $s->{asked} != $s->{followed};
    $s->{followed} = $s->{asked};
    @$p{qw(state next)} = ('open', 0) if $s->{wanted} && $p
        && ($p->{state} eq 'open' || $p->{state} eq 'failed'
            && $p->{kind} ne 'recharge');
    return;
}

sub step {
    my ($s, $now) = @_;
    $s->follow if $s->{kind} ne '';
    return $s->{kind} eq '' ? undef : $s->{kind} eq 'check'
        ? $s->step_check($now, 1) : $s->step_period($now);
}
sub unpaid {
    my ($s) = @_;
    my $p = $s->{renew} ? $s->{pay}{ $s->{open} } : undef;
    return if !$p || $p->{kind} ne 'renewal' || $p->{attempt}
        || $p->{reason} ne '';
    $p->{reason} = $p->{state} eq 'open' ? 'unpaid' : $p->{state};
    return $s->tell('billing.renewal.failed', 1, $p->{reason});
}
# Whether an attempt that should have been made is made before the plan lapses.
sub attempts {
    my ($s, $now) = @_;
    my $p = $s->{pay}{ $s->{open} };
    return 0 if $now < $s->{ends} || $s->{gateway} eq 'manual' || !$s->{renew}
        || !$p || $p->{kind} ne 'renewal' || $p->{state} ne 'open';
    my $at = $p->{next} > $p->{created} ? $p->{next} : $p->{created};
    $at = $p->{next} = $now if $now > $at + HOUR;
    return $at <= $now && $now < $at + PAUSE;
}
sub step_period {
    my ($s, $now) = @_;
    my $ends = $s->{ends};
    my $p = $s->{pay}{ $s->{open} };
    if ($p && $p->{kind} eq 'upgrade' && $now >= $ends - LEAD
        && $p->{state} =~ /^(?:open|failed)$/)
    {
        $s->void('unpaid');
        $s->{change}{at} = $ends;
    }
    $s->change_due($now);
    $p = $s->{pay}{ $s->{open} };
    $s->void('renewal is off') if !$s->{renew} && $s->{begins} < $ends && $p
        && $p->{kind} eq 'renewal' && $p->{state} =~ /^(?:open|failed)$/;
    my $before = $s->{open};
    my ($price, $period) = $s->priced($ends);
    $s->open_one($now, 'renewal', sprintf('rn:%s:%.0f', $s->{ac}, $ends),
        $price, @$period)
        if ($s->{state} ne 'lapsed' || $s->{wanted}) && $s->{renew}
            && $s->{open} eq '' && $now >= $ends - LEAD;
    my $first = $s->attempts($now);
    if ($s->{state} eq 'active' && $now >= $ends) {
        if (!$first || $s->{begins} == $ends) {
            $s->{state} = 'grace';
            $s->unpaid if $s->{begins} < $ends && $before ne '';
        }
    } elsif ($s->{state} eq 'active' && !$s->{renew}) {
        my ($days) = grep { $now >= $ends - $_ * DAY } 1, 7, 14;
        if ($days && (!$s->{told} || $days < $s->{told})) {
            $s->{told} = $days;
            $s->tell('expiring.plan.alert', $days);
        }
    }
    if ($s->{state} eq 'grace' && $now >= $ends + $s->{grace} && !$first) {
        $s->{state} = 'lapsed';
        $s->unpaid;
    }
    return;
}
# lapses: only the daemon lets the plan lapse.
sub step_check {
    my ($s, $now, $lapses) = @_;
    my ($left, $day, $books) = ($s->left, int($now / DAY));
    ($s->{runs}, $books) = (0, 1) if $day != $s->{day};
    my $p = $s->{pay}{ $s->{open} };
    my $final;
    if ($p && $p->{kind} eq 'topup') {
        $s->void('unpaid') if $p->{state} eq 'open'
            && $now >= $p->{created} + DAY;
    } elsif ($p && $p->{state} eq 'failed') {
        $s->{open} = '';
        $s->{fails}++;
        $final = $p->{attempt} < 4;
    } elsif ($p && $p->{state} eq 'open'
        && (!$s->{to} || $left >= $s->{falls}))
    {
        $s->void('not needed');
    } elsif ($p && $s->{gateway} eq 'manual' && $now >= $p->{created} + DAY) {
        $p->{attempt} = 1;
        $s->void('unpaid');
        $s->tell('billing.recharge.failed', $s->{of}, 1, 'unpaid');
        $s->{fails}++;
    }
    if ($final || $s->{fails} == 3) {
        @$s{qw(to fails)} = (0, 0);
        $s->{offs}++;
    }
    my $low = $s->{alert} && $left < $s->{alert} ? 1 : 0;
    $s->tell('billing.balance.alert', $left, $s->{alert}), $books = 1
        if $low && !$s->{alerted};
    $s->{alerted} = $low;
    if (my $w = delete $s->{wish}) {
        my $k = "tu:$s->{ac}:$w->{once}";
        $s->open_one($now, 'topup', $k, $w->{amount}, 0, 0), $books = 1
            if $s->{open} eq '' && !$s->{pay}{$k} && $now <= $w->{at} + HOUR;
    }
    my $amount = CENT * POSIX::ceil(($s->{to} - $left) / CENT);
    $amount = 2 * $s->{to} if $amount > 2 * $s->{to};
    $amount = 500_000 if $amount < 500_000;
    my $low_again = $s->{to} && $left < $s->{falls} && $s->{open} eq '';
    if ($low_again && $s->{runs} == 5) {
        $s->{runs}++;
        $s->{of} = "$s->{falls} $s->{to}";
        $s->tell('billing.recharge.failed', $s->{of}, 0, 'limit');
    } elsif ($low_again && $s->{runs} < 5
        && ($now < $s->{last} || $now >= $s->{last} + PAUSE))
    {
        $s->{runs}++;
        $s->{of} = "$s->{falls} $s->{to}";
        $s->open_one($now, 'recharge', "rc:$s->{ac}:" . ++$s->{seq}, $amount,
            0, 0);
        $books = 1;
    }
    my $state = $left > 0 ? 'active' : $lapses ? 'lapsed' : $s->{state};
    $s->use_up($now) if $books || $state ne $s->{state};
    $s->{state} = $state;
    $s->{day} = $day;
    return;
}

# By the operator.  1: it is booked, or was.
sub paid {
    my ($s, $now, $k, $reference, $amount) = @_;
    my $p = $s->{pay}{$k};
    my $over = ($s->{pay}{ over_of($s, $k) } // {})->{amount} // 0;
    my $all = $p->{amount} + $over;
    return ($p->{by_hand} // '') eq $reference && $all == ($amount // $all)
        if $p->{state} eq 'succeeded';
    return 0 if $p->{told} < 0 && !defined $amount
        || $p->{state} !~ /^(?:open|failed|void)$/
        || $p->{state} eq 'void' && $p->{kind} =~ /^(?:renewal|upgrade)$/
        || $s->{refs}{$reference};
    $s->{refs}{$reference} = 1;
    $p->{by_hand} = $reference;
    return $s->comes($now, $k, $amount);
}
sub over_of { my ($s, $k) = @_; return "tp:$s->{ac}:" . sid_of($k) }
# The payment is made with this amount; the balance gets the part above a price.
sub comes {
    my ($s, $now, $k, $amount) = @_;
    my $p = $s->{pay}{$k};
    my $over = ($amount // 0) - $p->{amount};
    if ($p->{kind} =~ /^(?:renewal|upgrade)$/ && $over > 0) {
        my $of = over_of($s, $k);
        $s->{pay}{$of} = { kind => 'topup', key => $of, amount => $over,
            state => 'succeeded', reason => '', attempt => 0, refunded => 0,
            credited => 0, told => 0, created => $now };
        $s->book($of, 'cash', 'credit', $over);
        $amount = undef;
    }
    $p->{amount} = $amount // $p->{amount};
    return $s->succeeds($now, $k);
}
# 1: some of it was paid back, or that was booked before.
sub refund {
    my ($s, $now, $k, $amount, $reference) = @_;
    my $p = $s->{pay}{$k};
    my $as = "rf $k $amount";
    return $s->{refs}{$reference} eq $as if $s->{refs}{$reference};
    my $credit = $p->{kind} !~ /^(?:renewal|upgrade)$/;
    return 0 if $p->{state} ne 'succeeded'
        || $p->{refunded} + $p->{credited} + $amount > $p->{amount}
        || $credit && $s->{kind} eq 'check' && $s->{to}
            && $s->left - $amount < $s->{falls};
    $s->{refs}{$reference} = $as;
    $p->{refunded} += $amount;
    $s->book('rf:' . sid_of($k) . ":$reference", $credit ? 'credit'
        : 'revenue', 'cash', $amount);
    $s->step_check($now) if $credit && $s->{kind} eq 'check';
    return 1;
}
# The account wants to pay in advance by its gateway.
sub wish {
    my ($s, $now, $once, $amount) = @_;
    return 1 if $s->{pay}{"tu:$s->{ac}:$once"}
        || $s->{wish} && $s->{wish}{once} eq $once;
    return 0 if $s->{kind} ne 'check' || $s->{gateway} eq 'manual'
        || $s->{open} ne '' || $s->{wish};
    $s->{wish} = { once => $once, amount => $amount, at => $now };
    return 1;
}
sub sid_of { return 'PY' . substr sha1_hex($_[0]), 0, 32 }
sub succeeds {
    my ($s, $now, $k) = @_;
    my $p = $s->{pay}{$k};
    @$p{qw(state reason)} = ('succeeded', '');
    $s->{open} = '' if $s->{open} eq $k;
    if ($p->{kind} eq 'upgrade') {
        $s->book($k, 'cash', 'revenue', $p->{amount});
        $s->change_begins;
        $s->tell('billing.renewal.success', $p->{amount});
        return 1;
    }
    if ($p->{kind} ne 'renewal') {
        $s->book($k, 'cash', 'credit', $p->{amount});
        if ($p->{kind} eq 'recharge') {
            @$s{qw(last fails)} = ($now, 0);
            $s->tell('billing.recharge.success', $s->{of}, $p->{amount});
        }
        $s->step_check($now) if $s->{kind} eq 'check';
        return 1;
    }
    $s->change_due($now);
    if ($s->{state} eq 'lapsed') {
        $s->{anchor} = (gmtime $now / 1000)[3];
        $p->{period} = [$now, end_of($now, @$s{qw(kind anchor)})];
    }
    $s->book($k, 'cash', 'revenue', $p->{amount});
    @$s{qw(begins ends state told)} = (@{ $p->{period} }, 'active', 0);
    $s->tell('billing.renewal.success', $p->{amount});
    return 1;
}
sub topup {
    my ($s, $now, $reference, $amount) = @_;
    my $k = "tp:$s->{ac}:$reference";
    return $s->{pay}{$k}{amount} == $amount if $s->{pay}{$k};
    return 0 if $s->{refs}{$reference};
    $s->{pay}{$k} = { kind => 'topup', key => $k, amount => $amount,
        state => 'open', reason => '', attempt => 0, refunded => 0,
        credited => 0, told => 0, created => $now };
    return $s->paid($now, $k, $reference);
}
sub adjust {
    my ($s, $now, $of, $amount) = @_;
    my $as = "ad $amount";
    return $s->{refs}{$of} eq $as if $s->{refs}{$of};
    $s->{refs}{$of} = $as;
    $s->book($amount > 0 ? ("ad:$of", 'adjust', 'credit')
        : ("ta:$of", 'credit', 'adjust'), abs $amount);
    $s->step_check($now) if $s->{kind} eq 'check';
    return 1;
}

# --- a gateway ---------------------------------------------------------------

# The daemon's next request for the open payment: charge, query, or "".  When it
# $looks, a time that only a clock which was ahead can have made has come.
sub task {
    my ($s, $now, $looks) = @_;
    my $p = $s->{pay}{ $s->{open} };
    return '' if !$p || $p->{state} eq 'failed';
    my $longest = $p->{state} eq 'open' ? 7 * DAY : HOUR;
    return '' if $p->{next} > $now && !($looks && $p->{next} > $now + $longest);
    return $p->{kind} ne 'renewal' || $s->{renew} ? 'charge' : ''
        if $p->{state} eq 'open';
    return $p->{state} =~ /^(?:sent|unknown)$/ ? 'charge' : 'query';
}
sub send {
    my ($s, $now, $lease) = @_;
    my $p = $s->{pay}{ $s->{open} };
    @$p{qw(amount sent state)} = (CENT * POSIX::ceil($p->{amount} / CENT),
        $now, 'sent') if $p->{state} eq 'open';
    $p->{sent} = $now if $p->{sent} > $now;
    $p->{state} = 'sent' if $p->{state} eq 'unknown';
    $p->{tried}++;
    return $p->{next} = $now + $lease;
}
sub try_next {
    my ($s, $now, $p) = @_;
    return $now if $p->{reason} eq 'not_made';
    return 0 if $p->{kind} eq 'topup';
    if ($p->{kind} ne 'renewal') {
        my $wait = (HOUR, DAY, 3 * DAY)[$p->{attempt} - 1];
        return $wait ? $now + $wait : 0;
    }
    my ($made, $ends) = ($p->{created}, $p->{period}[0]);
    my ($next) = grep { $_ > $now } $made < $ends - DAY
        ? map({ $ends - $_ * DAY } 7, 5, 3, 1)
        : map({ $made + $_ * DAY } 2, 4, 6);
    return $next // 0;
}
sub declined {
    my ($s, $now, $k, $reason, $final) = @_;
    my $p = $s->{pay}{$k};
    $p->{attempt}++;
    @$p{qw(reason sent tried late)} = ($reason, 0, 0, 0);
    $p->{next} = $final ? 0 : $s->try_next($now, $p);
    $p->{state} = $p->{next} ? 'open' : 'failed';
    @$p{qw(amount period)} = $s->priced($p->{period}[0])
        if $p->{kind} eq 'renewal';
    if ($p->{kind} eq 'topup') {
        $s->{open} = '' if $s->{open} eq $k && $p->{state} eq 'failed';
        return;
    }
    return $s->tell('billing.' . ($p->{kind} eq 'recharge' ? 'recharge'
        : 'renewal') . '.failed', $p->{kind} eq 'recharge'
        ? $s->{of} : (), $p->{attempt}, $reason);
}
sub answered {
    my ($s, $now, $k, $result, $reason, $final) = @_;
    my $p = $s->{pay}{$k};
    return $s->succeeds($now, $k) if $result eq 'succeeded';
    return $s->declined($now, $k, $reason, $final) if $result eq 'declined';
    my $age = $now - $p->{sent};
    return $s->declined($now, $k, 'not_made', 0)
        if $result eq 'missing' && $age > 24 * HOUR;
    $p->{late} ||= $now if $age > ($result =~ /^(?:processing|customer)$/
        ? 7 * DAY : 47 * HOUR);
    if ($result =~ /^(?:processing|customer)$/) {
        my $wait = $age / 4 < HOUR ? $age / 4 : HOUR;
        @$p{qw(state next)} = ($result, int($now + ($wait > 30_000 ? $wait
            : 30_000)));
        return;
    }
    my $wait = (5000, 60_000, 300_000)[$p->{tried} - 1] // 1_800_000;
    @$p{qw(state next)} = ('unknown',
        $now + ($age > 23 * HOUR ? HOUR : $wait));
    return;
}

1;
