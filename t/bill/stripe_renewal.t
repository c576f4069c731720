#!/usr/bin/perl

# Renewals by Stripe: a card is added on the gateway's page, charged before the
# period ends, declined and tried again; events field by field, the ledger.

use strict;
use warnings;

use RblBill;
use RblStripe;
use RblTest;

my $t = bill_world();
my ($ac, $stripe) = @$t{qw(ac stripe)};

# --- a card ---------------------------------------------------------------------

bill_plan($t, 'Business');
wait_for { bill($t)->{open} ne '' } 20, 'the first payment is opened';
is_deeply(stripe_state($stripe)->{charges}, [], 'and waits for a card');
my $ps = add_card($t, 'pm_card_visa');
wait_for { bill($t)->{state} eq 'active' } 20, 'then it is charged';
my $e = event($t, 1, 'the success');
my $py = $e->{json}{payment}{id};
my %p = %{ payment($t, $py) };
is("$p{state} $p{attempt} $p{source}", "succeeded 0 $ps", 'the payment');
my @charges = @{ stripe_state($stripe)->{charges} };
is(scalar @charges, 1, 'one charge');
is("$charges[0]{amount} $charges[0]{key} $charges[0]{metadata}{payment}",
    "2500 $py-1 $py", 'its amount, key and payment');
is_deeply($e->{json}{payment}, { id => $py, amount => '25.00',
    currency => 'USD', date => $e->{json}{event_date}, status => 'succeeded',
    reference => $charges[0]{payment_intent}, payment_source => { id => $ps,
        type => 'card', brand => 'visa', last4 => '4242', exp_month => 12,
        exp_year => (gmtime)[5] + 1902 } }, 'the payment as it is told');
is($e->{json}{plan}{auto_renew}, JSON::XS::true, 'the plan renews itself');
is_deeply([map { [@$_{qw(d c a r)}] } ledger($t)],
    [['cash', 'revenue', 25_000_000, $py]], 'the ledger has it once');

# --- the next period ------------------------------------------------------------

passes($t, bill($t)->{ends} - time * 1000 - 7 * DAY + 1000);
$e = event($t, 2, 'the renewal');
is($e->{json}{event_type}, 'billing.renewal.success', 'a success');
is(scalar @{ stripe_state($stripe)->{charges} }, 2, 'two charges');

books_agree($t);
done_testing();
