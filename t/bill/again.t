#!/usr/bin/perl

# After a failure with Stripe: "bill retry", another card, a card that is
# removed here or on Stripe's own pages, a plan that has lapsed.

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

sub behaves {
    my ($of, $card) = @_;
    stripe_card($stripe, source($t, $of)->{method},
        behaves => "pm_card_$card");
}
sub failed {
    my ($py, $attempt) = @_;
    wait_for { my $p = payment($t, $py);
        $p->{state} eq 'failed' && $p->{attempt} == $attempt } 20,
        "attempt $attempt";
    is(scalar posts($t, $py), $attempt, "attempt $attempt is made once");
}
sub retry { return rblctl($t->{redis}, '-c', $t->{ctl}, 'bill', 'retry', $ac) }
# As if the last request had been made some time ago.
sub minute { RblBill::bill_change($t, 'terms', ['terms', $ac], sub {
    $_[0]{asked} -= 120_000 }) }
sub detached {
    my ($method) = @_;
    return scalar grep { $_->{path} eq "/v1/payment_methods/$method/detach" }
        @{ stripe_state($stripe)->{log} };
}

# --- a person asks for another attempt ---------------------------------------

like(retry()->{err}, qr/There is nothing to pay now/i, 'nothing is to be paid');
behaves($ps, 'chargeDeclinedStolenCard');
my $py = next_period($t);
failed($py, 1);
minute();
is(retry()->{status}, 0, 'rblctl bill retry asks for another attempt');
failed($py, 2);
like(retry()->{err}, qr/within the last minute/,
    'rblctl bill retry refuses a second request');
minute();
stripe_fault($stripe, 'cut');
behaves($ps, 'visa');
is(retry()->{status}, 0, 'rblctl bill retry takes a later request');
wait_for { payment($t, $py)->{state} eq 'unknown' } 20, 'nothing is known';
minute();
like(retry()->{err}, qr/payment is unknown/,
    'no attempt while nothing is known of the last one');
hurry($t);
wait_for { bill($t)->{open} eq '' } 20, 'it is paid';
is(join(' ', map { $_->{key} } (posts($t, $py))[0, -1]), "$py-1 $py-3",
    'each request has an attempt of its own');

# --- another card ------------------------------------------------------------

my $second = add_card($t, 'pm_card_mastercard');
ctl($t, 'bill', 'source', 'default', $ac, $ps);
behaves($ps, 'chargeDeclinedStolenCard');
$py = next_period($t);
failed($py, 1);
my $method = source($t, $ps)->{method};
ctl($t, 'bill', 'source', 'remove', $ac, $ps);
wait_for { bill($t)->{open} eq '' } 20, 'the other card pays';
is(payment($t, $py)->{source}, $second,
    'the card that is left is charged when the declined one is removed');
wait_for { !source($t, $ps) } 20, 'the record is deleted';
is(detached($method), 1, 'Stripe has forgotten the removed card');

# --- removed at Stripe -------------------------------------------------------

my $third = add_card($t, 'pm_card_visa');
ctl($t, 'bill', 'source', 'default', $ac, $third);
$method = source($t, $third)->{method};
my $r = http($stripe, 'POST', "/v1/payment_methods/$method/detach",
    form => [], headers => ["Authorization: Bearer $stripe->{key}"]);
is($r->{status}, 200, 'a card is removed at Stripe');
$py = next_period($t);
failed($py, 1);
is(payment($t, $py)->{reason}, 'resource_missing',
    'a card that Stripe does not have is declined for good');
ctl($t, 'bill', 'source', 'default', $ac, $second);
wait_for { bill($t)->{open} eq '' } 20, 'another card is chosen';
is(payment($t, $py)->{source}, $second, 'the card that is chosen is charged');
ctl($t, 'bill', 'source', 'remove', $ac, $third);
wait_for { !source($t, $third) } 20, 'the record is deleted';
ok(!source($t, $third), 'a card that Stripe does not have can be removed');

# --- after a lapse -----------------------------------------------------------

ctl($t, 'bill', 'renew', $ac, 'off');
passes($t, bill($t)->{ends} - time * 1000 + 8 * DAY);
wait_for { bill($t)->{state} eq 'lapsed' } 20, 'the plan lapses';
is(bill($t)->{open}, '', 'nothing is open');
ctl($t, 'bill', 'renew', $ac, 'on');
wait_for { bill($t)->{state} eq 'active' } 20, 'the plan goes on';
cmp_ok(bill($t)->{begins}, '>', (time - 60) * 1000,
    'renewal that is turned on pays for a period from now');
books_agree($t);
done_testing();
