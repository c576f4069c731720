#!/usr/bin/perl

# Cards that are declined: attempts seven, five, three and one days before the
# end, an event for each; other cards; cards that expire.

use strict;
use warnings;

use RblBill;
use RblStripe;
use RblTest;

my $t = bill_world();
my ($ac, $stripe) = @$t{qw(ac stripe)};
bill_plan($t, 'Business');
my $ps = add_card($t, 'pm_card_visa');
wait_for { bill($t)->{state} eq 'active' && bill($t)->{open} eq '' } 20,
    'the first payment';
my $n = 1;                              # events so far
my $plan = bill($t);
event($t, 1, 'the first success');

sub keys_of { return join ' ', $_[0] =~ /"(\w+)":/g }

# The next event, which is a failure.
sub failure {
    my ($py, $attempt, $reason, $days, $name) = @_;

    my $e = event($t, ++$n, $name);
    my $next = $days ? rfc(bill($t)->{ends} - $days * DAY) : '';
    is_deeply([@{ $e->{json} }{qw(event_type attempt reason next_attempt)}],
        ['billing.renewal.failed', $attempt, $reason, $next],
        "the event has the attempt and its reason: $name");
    wait_for { posts($t, $py) == $attempt } 5, "$name: requests";
    is(scalar(posts($t, $py)), $attempt,
        "the gateway has one request for each attempt: $name");
    return $e;
}

# --- four attempts ---------------------------------------------------------------

stripe_card($stripe, source($t, $ps)->{method}, behaves =>
    'pm_card_chargeDeclined');
my $py = next_period($t);
my $e = failure($py, 1, 'card_declined', 5, 'seven days before');
is(keys_of($e->{body}), 'event_sid event_type event_date plan id name price'
    . ' currency hosts check_interval expires auto_renew attempt reason'
    . ' next_attempt', 'the event of a failure has its members in order');
is($e->{json}{plan}{expires}, rfc(bill($t)->{ends}),
    'a declined attempt does not change the end of the plan');
due_now($t);
sleep 3;
is(scalar(posts($t, $py)), 1,
    'no attempt is made before the next day of the schedule');
stripe_card($stripe, source($t, $ps)->{method}, behaves =>
    'pm_card_chargeDeclinedInsufficientFunds');
passes($t, 2 * DAY);
failure($py, 2, 'insufficient_funds', 3, 'five days before');
passes($t, 2 * DAY);
failure($py, 3, 'insufficient_funds', 1, 'three days before');
passes($t, 2 * DAY);
failure($py, 4, 'insufficient_funds', 0, 'one day before');
my $p = payment($t, $py);
is("$p->{state} $p->{next}", 'failed 0', 'no attempt follows the fourth one');
is(join(' ', map { $_->{key} } posts($t, $py)), join(' ', map { "$py-$_" }
    1 .. 4), 'each attempt has a key of its own');
passes($t, 2 * DAY);
wait_for { bill($t)->{state} eq 'grace' } 20, 'the period ends';
is(scalar(received($t->{to})), $n, 'the end of the period sends no event');

# --- another card ----------------------------------------------------------------

my $ps2 = add_card($t, 'pm_card_mastercard');
wait_for { bill($t)->{open} eq '' } 20, 'another card is charged at once';
$e = event($t, ++$n, 'the success');
is($e->{json}{payment}{id}, $py,
    'the event of the success has the same payment');
is($e->{json}{payment}{payment_source}{brand}, 'mastercard',
    'the event of the success has the new card');
is((posts($t, $py))[-1]{key}, "$py-5",
    'the new card is charged with a new key');

# --- a card that is not tried again ----------------------------------------------

my $method = source($t, $ps2)->{method};
for (['LostCard', 'lost_card'], ['StolenCard', 'stolen_card'],
    ['ExpiredCard', 'expired_card'],
    ['InsufficientFunds', 'insufficient_funds', 5])
{
    my ($card, $reason, $days) = @$_;
    stripe_card($stripe, $method, behaves => "pm_card_chargeDeclined$card");
    $py = next_period($t);
    failure($py, 1, $reason, $days, $reason);
    stripe_card($stripe, $method, behaves => 'pm_card_mastercard');
    if ($days) {
        ctl($t, 'bill', 'renew', $ac, 'off');
        hurry($t);
        is(event($t, ++$n, 'a reminder')->{json}{event_type},
            'expiring.plan.alert',
            'the event says that the plan is going to end');
        sleep 2;
        is(payment($t, $py)->{state}, 'void',
            'the payment is void while renewal is off');
        is(posts($t, $py), 1, 'no attempt is made while renewal is off');
        ctl($t, 'bill', 'renew', $ac, 'on');
        hurry($t);
    } else {
        ctl($t, 'bill', 'paid', $ac, $py, '--reference', "bank $py");
    }
    wait_for { bill($t)->{open} eq '' } 20, "$reason: paid in the end";
    event($t, ++$n, "$reason: success");
}

# --- the customer is wanted -------------------------------------------------------

stripe_card($stripe, $method, behaves => 'pm_card_authenticationRequired');
$py = next_period($t);
failure($py, 1, 'authentication_required', 0, 'authentication');
ctl($t, 'bill', 'source', 'remove', $ac, $ps2);
failure($py, 2, 'insufficient_funds', 5, 'the card that is left');
$ps2 = add_card($t, 'pm_card_visa');
wait_for { bill($t)->{open} eq '' } 20, 'a card that was set up anew';
event($t, ++$n, 'a success');

# --- a plan that changes while a payment is out -----------------------------------

stripe_fault($stripe, 'cut');
$py = next_period($t);
wait_for { payment($t, $py)->{state} eq 'unknown' } 20, 'nothing is known';
like(rblctl($t->{redis}, 'bill', 'plan', $ac, 'Large', '--file', $t->{file})
    ->{err}, qr/a payment is under way \(unknown\)/,
    'no other plan while a payment is out');
is(payment($t, $py)->{amount}, 25_000_000,
    'an unknown payment keeps its amount');
hurry($t);
wait_for { bill($t)->{open} eq '' } 20, 'it is found';
$e = event($t, ++$n, 'the success');
is($e->{json}{payment}{amount}, '25.00',
    'the event has the amount of the plan');
is($e->{json}{plan}{price}, '25.00', 'the event has the price of the plan');
my $ends = bill($t)->{ends};
bill_plan($t, 'Large');
wait_for { bill($t)->{plan} eq 'Large' } 20, 'the difference is charged';
$e = event($t, ++$n, 'the upgrade');
is($e->{json}{event_type}, 'billing.renewal.success',
    'an upgrade is told as a renewal');
is($e->{json}{plan}{price}, '100.00',
    'the event has the price of the new plan');
cmp_ok($e->{json}{payment}{amount}, '>', 75,
    'the difference is for the rest, which is more than a month');
is(bill($t)->{ends}, $ends, 'the period ends as before');
stripe_card($stripe, source($t, $ps2)->{method}, behaves =>
    'pm_card_chargeDeclined');
$py = next_period($t);
failure($py, 1, 'card_declined', 5, 'the next one is declined');
bill_plan($t, 'Business');
is(payment($t, $py)->{amount}, 25_000_000,
    'an open payment gets the amount of the plan that begins with it');
stripe_card($stripe, source($t, $ps2)->{method}, behaves => 'pm_card_visa');
hurry($t);
wait_for { bill($t)->{open} eq '' } 20, 'and it is paid';
event($t, ++$n, 'the success');

# --- without a card ----------------------------------------------------------------

ctl($t, 'bill', 'source', 'remove', $ac, $_->{id})
    for @{ ctl($t, 'bill', 'sources', $ac) };
is_deeply(ctl($t, 'bill', 'sources', $ac), [], 'the account has no card');
passes($t, bill($t)->{ends} - time * 1000 - 13 * DAY);
$e = event($t, ++$n, 'a plan that cannot renew itself');
is($e->{json}{event_type} . $e->{json}{days}, 'expiring.plan.alert14',
    'the event says that the plan ends in 14 days');
ok(!$e->{json}{plan}{auto_renew}, 'the event says that the plan does not renew itself');
like(rblctl($t->{redis}, 'bill', 'source', 'remove', $ac, $ps)->{err},
    qr/has no source PS/, 'a removed card cannot be removed again');
$ps = add_card($t, 'pm_card_visa');

# --- cards that expire --------------------------------------------------------------

# The card of the account ends with this month, or the next one.
sub ends {
    my ($month, $year, %seen) = @_;

    my $s = source($t, $ps);
    RblBill::bill_put($t, 'source', { %$s, month => $month, year => $year,
        asked => 0, %seen }, 'source', $ac, $ps);
    due_now($t);
}

sub real {
    my ($month, $year) = @_;
    stripe_card($stripe, source($t, $ps)->{method}, card => {
        exp_month => $month, exp_year => $year });
}

my ($month, $year) = ((gmtime)[4] + 1, (gmtime)[5] + 1900);
my ($next, $of) = $month == 12 ? (1, $year + 1) : ($month + 1, $year);
real(12, $year + 5);
ends($month, $year);
wait_for { source($t, $ps)->{year} == $year + 5 } 20,
    'a card that was renewed meanwhile';
is(scalar(received($t->{to})), $n, 'a renewed card sends no event');
my $left = (POSIX::mktime(0, 0, 0, 1, $next - 1, $of - 1900) - time) / 86_400;
my $days = $left <= 7 ? 7 : $left <= 30 ? 30 : 0;
SKIP: {
    skip 'the month has more than 30 days left', 6 if !$days;
    real($month, $year);
    ends($month, $year);
    $e = event($t, ++$n, 'a card that expires');
    is(keys_of($e->{body}), 'event_sid event_type event_date payment_source id'
        . ' type brand last4 exp_month exp_year days',
        'the event of an expiring card has its members in order');
    is_deeply([@{ $e->{json} }{qw(event_type payment_source days)}],
        ['expiring.card.alert', { id => $ps, type => 'card', brand => 'visa',
            last4 => '4242', exp_month => $month, exp_year => $year }, $days],
        'the event of an expiring card has the card and the days');
    ends($month, $year);
    sleep 3;
    is(scalar(received($t->{to})), $n,
        'the event of an expiring card is sent once');
    is(source($t, $ps)->{told}, $days, 'the source has the days of the event');
}

is(rblctl($t->{redis}, 'fsck')->{status}, 0, 'fsck finds nothing');
is_deeply(stripe_state($stripe)->{doubled}, [], 'nothing was charged twice');
done_testing();
