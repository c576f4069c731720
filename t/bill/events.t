#!/usr/bin/perl

# Receivers get the seven events of billing, by Stripe's stand-in and by hand:
# content field by field, order, number and signature.  Each attempt that fails
# sends an event.  The event of the balance is sent when it falls below the
# threshold, not while it is below.

use strict;
use warnings;

use RblBill;
use RblStripe;
use RblTest;

my ($t, $ac, $by, $card, $n, @order);
my $PLAN = 'plan id name price currency hosts check_interval expires auto_renew';
my $SOURCE = 'payment_source id type brand last4 exp_month exp_year';
my $PAID = "payment id amount currency date status reference $SOURCE";

# The next event: its type, members and content, without SID and date.
sub next_is {
    my ($name, $type, $members, $content) = @_;

    my $e = event($t, ++$n, "$by: $name");
    push @order, $type;
    is(members($e), "event_sid event_type event_date $members",
        "$name: the event has its members in order");
    my %j = %{ $e->{json} };
    like(delete $j{event_sid}, qr/^EV[0-9a-f]{32}$/,
        "$name: the event has a SID");
    my $date = delete $j{event_date};
    like($date, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/,
        "$name: the event has a date");
    is(delete $j{payment}{date}, $date,
        "$name: the payment has the date of the event") if $j{payment};
    is_deeply(\%j, { event_type => $type, %$content },
        "$name: the event has the expected content")
        or diag($e->{body});
}

# None comes when the bill is looked at again.
sub no_more {
    due_now($t);
    sleep 3;
    is(scalar(received($t->{to})), $n, "$by: no further event is sent: $_[0]");
}

sub plan_told {
    my ($renew) = @_;
    return { id => 'business', name => 'Business', price => '25.00',
        currency => 'USD', hosts => 1000, check_interval => 900,
        expires => rfc(bill($t)->{ends}),
        auto_renew => $renew ? JSON::XS::true : JSON::XS::false };
}

sub source_told {
    return { id => '', type => 'manual', brand => '', last4 => '',
        exp_month => 0, exp_year => 0 } if $by eq 'manual';
    return { id => $card, type => 'card', brand => 'visa', last4 => '4242',
        exp_month => 12, exp_year => (gmtime)[5] + 1902 };
}

sub paid_told {
    my ($py, $amount) = @_;

    my ($charge) = grep { $_->{metadata}{payment} eq $py }
        @{ stripe_state($t->{stripe})->{charges} };
    return { id => $py, amount => $amount, currency => 'USD',
        status => 'succeeded', payment_source => source_told(),
        reference => $charge ? $charge->{payment_intent} : "Bank <$py>" };
}

sub behaves {
    my ($name) = @_;
    stripe_card($t->{stripe}, source($t, $card)->{method},
        behaves => "pm_card_$name") if $card;
}

# The operator, or the gateway, pays the payment that is open.
sub pays {
    wait_for { bill($t)->{open} ne '' } 20, "$by: a payment is open"
        if $by eq 'manual';
    my $py = bill($t)->{open};
    ctl($t, 'bill', 'paid', $ac, $py, '--reference', "Bank <$py>")
        if $by eq 'manual';
}

sub renewed {
    my ($name, $py) = @_;

    wait_for { bill($t)->{open} eq '' } 20, "$by: $name";
    next_is($name, 'billing.renewal.success', "$PLAN $PAID", {
        plan => plan_told(1), payment => paid_told($py, '25.00') });
}

sub renewals {
    bill_plan($t, 'Business');
    wait_for { bill($t)->{open} ne '' } 20, "$by: the first payment";
    my $py = bill($t)->{open};
    $card = $by eq 'stripe' ? add_card($t, 'pm_card_visa') : '';
    pays();
    renewed('the first period', $py);
    $py = next_period($t);
    pays();
    renewed('the next one', $py);

    # an event of each attempt
    behaves('chargeDeclinedInsufficientFunds');
    $py = next_period($t);
    my @days = $by eq 'stripe' ? (5, 3, 1, 0) : 0;
    for my $attempt (1 .. @days) {
        passes($t, $by eq 'stripe' ? 2 * DAY : 8 * DAY)
            if $attempt > 1 || $by eq 'manual';
        my $days = $days[$attempt - 1];
        wait_for { my $p = payment($t, $py);
            $by eq 'manual' ? $p->{reason} eq 'unpaid'
                : $p->{attempt} == $attempt } 20, "$by: attempt $attempt";
        next_is("attempt $attempt", 'billing.renewal.failed',
            "$PLAN attempt reason next_attempt", { plan => plan_told(1),
            attempt => $attempt, reason => $by eq 'stripe'
                ? 'insufficient_funds' : 'unpaid',
            next_attempt => $days ? rfc(bill($t)->{ends} - $days * DAY)
                : '' });
        no_more('once an attempt') if $attempt == 1;
    }
    behaves('visa');
    ctl($t, 'bill', 'paid', $ac, $py, '--reference', "Bank <$py>");
    renewed('paid at last', $py);
}

sub plan_ends {
    ctl($t, 'bill', 'renew', $ac, 'off');
    passes($t, bill($t)->{ends} - time * 1000 - 15 * DAY);
    no_more('nothing is told 15 days before the end');
    for my $days (14, 7, 1) {
        passes($t, bill($t)->{ends} - time * 1000 - $days * DAY + 1000);
        next_is("$days days before", 'expiring.plan.alert', "$PLAN days",
            { plan => plan_told(0), days => $days });
    }
    no_more('once for each of these days');
}

# The card ends with this month.
sub card_ends {
    my ($month, $year) = ((gmtime)[4] + 1, (gmtime)[5] + 1900);
    my $left = (POSIX::mktime(0, 0, 0, 1, $month, $year - 1900) - time) / 86400;
    my $days = $left <= 7 ? 7 : $left <= 30 ? 30 : return;
    my $s = source($t, $card);
    stripe_card($t->{stripe}, $s->{method}, card => { exp_month => $month,
        exp_year => $year });
    my %soon = (%$s, month => $month, year => $year, asked => 0);
    for (1 .. 2) {
        RblBill::bill_put($t, 'source', { %soon, told => source($t,
            $card)->{told} }, 'source', $ac, $card);
        due_now($t);
        next_is('a card ends', 'expiring.card.alert', "$SOURCE days", {
            payment_source => { %{ source_told() }, exp_month => $month,
            exp_year => $year }, days => $days }) if $_ == 1;
    }
    no_more('once for these days');
    stripe_card($t->{stripe}, $s->{method}, card => { exp_month => 12,
        exp_year => (gmtime)[5] + 1902 });
    RblBill::bill_put($t, 'source', { %$s, asked => 0 }, 'source', $ac, $card);
}

sub low {
    my ($balance) = @_;
    next_is('a low balance', 'billing.balance.alert', 'balance alert_threshold',
        { balance => $balance, alert_threshold => '5.00' });
}

sub balance {
    bill_plan($t, 'By the check', '--now');
    my $rest = ctl($t, 'bill', 'show', $ac)->{balance};
    ctl($t, 'bill', 'adjust', $ac, "-$rest", 'The rest of the period')
        if $rest > 0;
    ctl($t, 'bill', 'topup', $ac, '20');
    ctl($t, 'bill', 'alert', $ac, '5');
    ctl($t, 'bill', 'adjust', $ac, '-15', 'To the threshold');
    no_more('5.00 is not below 5.00');
    ctl($t, 'bill', 'adjust', $ac, '-0.002', 'A check');
    low('4.998');
    ctl($t, 'bill', 'adjust', $ac, '-1', 'Further');
    no_more('it is told when it falls, not while it is low');
    ctl($t, 'bill', 'topup', $ac, '1.01', '--reference', 'up');
    ctl($t, 'bill', 'adjust', $ac, '-0.008001', 'Again');
    low('4.999999');
}

sub recharges {
    behaves('chargeDeclined');
    ctl($t, 'bill', 'recharge', $ac, '5', '25', '--now');
    wait_for { bill($t)->{open} ne '' } 20, "$by: a recharge is open";
    my $py = bill($t)->{open};
    my %terms = (falls_below => '5.00', recharge_to => '25.00');
    if ($by eq 'manual') {
        passes($t, DAY);
    } else {
        wait_for { payment($t, $py)->{attempt} == 1 } 20, 'declined';
    }
    next_is('the recharge', 'billing.recharge.failed',
        'falls_below recharge_to attempt reason next_attempt', { %terms,
        attempt => 1, reason => $by eq 'manual' ? 'unpaid' : 'card_declined',
        next_attempt => $by eq 'manual' ? '' : rfc(payment($t, $py)->{next}) });
    no_more('once an attempt');
    behaves('visa');
    wait_for { bill($t)->{open} !~ /^(?:$py|)$/ } 20, 'another one'
        if $by eq 'manual';
    $py = bill($t)->{open};
    pays();
    passes($t, 3_600_000) if $by eq 'stripe';
    wait_for { bill($t)->{open} eq '' } 20, "$by: paid";
    next_is('the recharge', 'billing.recharge.success', 'falls_below'
        . " recharge_to $PAID", { %terms, payment => paid_told($py, '20.01') });
    is(ctl($t, 'bill', 'show', $ac)->{balance}, '25.009999',
        "$by: the recharge raises the balance by 20.01");
    no_more('and no more');
}

for (qw(stripe manual)) {
    ($by, $n, @order) = ($_, 0);
    $t = bill_world(conf => { gateway => $by });
    $ac = $t->{ac};
    renewals();
    plan_ends();
    card_ends() if $by eq 'stripe';
    balance();
    recharges();
    my @told = received($t->{to});
    is_deeply([map { $_->{json}{event_type} } @told], \@order,
        "$by: the receiver gets the expected events in order");
    my %sids = map { $_->{json}{event_sid} => 1 } @told;
    is(scalar keys %sids, $n, "$by: each event has a SID of its own");
    is(rblctl($t->{redis}, 'fsck')->{status}, 0, "$by: fsck finds nothing");
    is_deeply(stripe_state($t->{stripe})->{doubled}, [],
        "$by: nothing was charged twice");
    stop_server($t->{checkd});
}
done_testing();
