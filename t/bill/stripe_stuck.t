#!/usr/bin/perl

# Payments that do not go on by themselves: the bank wants the customer, the
# gateway says nothing for two days, cards of the other mode of the key, a store
# that may forget.  A person is notified, once.

use strict;
use warnings;

use RblBill;
use RblStripe;
use RblTest;

sub paid_world {
    my (%opt) = @_;

    my $t = bill_world(%opt);
    bill_plan($t, 'Business');
    $t->{ps} = add_card($t, 'pm_card_visa');
    wait_for { bill($t)->{state} eq 'active' && bill($t)->{open} eq '' } 20,
        'the first payment';
    return $t;
}

sub titled { my ($t, $title) = @_;
    return grep { $_->{title} eq $title } notices($t) }

sub notified {
    my ($t, $title, $text) = @_;

    wait_for { titled($t, $title) } 20, $title;
    my @all = titled($t, $title);
    is(scalar @all, 1, "the contact gets the message once: $title");
    like($all[0]{message}, $text, "the message says what to do: $title");
}

my $what = 'The payment of 25.00 USD for the plan "Business"';

# --- the bank wants the customer -----------------------------------------------

my $t = paid_world();
my ($ac, $stripe) = @$t{qw(ac stripe)};
add_contact($t);
stripe_card($stripe, source($t, $t->{ps})->{method}, behaves =>
    'pm_card_authenticationRequired');
my $py = next_period($t);
notified($t, "$what needs you",
    qr/nothing was charged: .*Add the card again on the billing page/s);
is(payment($t, $py)->{state}, 'failed',
    'no attempt is made while the customer is needed');
ctl($t, 'bill', 'source', 'remove', $ac, $t->{ps});
$t->{ps} = add_card($t, 'pm_card_visa');
wait_for { bill($t)->{open} eq '' } 20, 'it is paid by the card that was added';
is(payment($t, $py)->{state}, 'succeeded',
    'the new card pays the same payment');

# --- nothing is known for two days ------------------------------------------------

stripe_fault($stripe, 'error_before');
$py = next_period($t);
wait_for { payment($t, $py)->{state} eq 'unknown' } 20, 'nothing is known';
is(scalar(titled($t, "$what is not clear")), 0,
    'an unknown payment sends no message at first');
stripe_fault($stripe, 'unavailable', match => '^GET /v1/payment_intents$');
passes($t, 2 * DAY);
notified($t, "$what is not clear", qr/operator .*Do not pay/s);
cmp_ok(payment($t, $py)->{next}, '>', time * 1000,
    'the daemon asks on after two days');
ok(wait_log($t->{checkd}, qr/error.*payment $py: the gateway has not said .* how it/,
    20), 'the log has an error for the operator');
my ($left) = @{ ctl($t, 'bill', 'list', '--state', 'operator') };
is_deeply([@$left{qw(account id amount state)}],
    [$ac, $py, '25.00', 'unknown'],
    'rblctl bill list has the payment that is left to the operator');
is(ctl($t, 'status')->{payments}, 1, 'rblctl status counts the payment');
is_deeply(ctl($t, 'bill', 'list', '--state', 'open,unknown,failed'), [],
    'no other state has the payment');
ctl($t, 'bill', 'settle', $ac, $py, 'failed');
is_deeply(ctl($t, 'bill', 'list', '--state', 'operator'), [],
    'a payment that is settled is not on the list');
hurry($t);
wait_for { bill($t)->{open} eq '' } 20, 'the next attempt';
notified($t, "$what is not clear", qr/operator/);
is((posts($t, $py))[-1]{key}, "$py-2", 'the next attempt has a key of its own');
is(rblctl($t->{redis}, 'fsck')->{status}, 0, 'fsck finds nothing');

# --- cards of the other mode ---------------------------------------------------------

# All cards of the account become real, or of the test mode.
sub cards_of {
    my ($world, $live) = @_;

    my $ps = $world->{ps};
    RblBill::bill_put($world, 'source', { %{ source($world, $ps) },
        live => $live }, 'source', $world->{ac}, $ps);
}

for my $live (0, 1) {
    my ($key, $card) = $live ? qw(live test) : qw(test live);
    my $w = $live ? paid_world(stripe => { key => 'sk_live_standin' }) : $t;
    my $before = @{ stripe_state($w->{stripe})->{charges} };
    cards_of($w, 1 - $live);
    my $p = next_period($w);
    my $wrong = qr/payment $p: all cards were added with a key of the $card mode,/
        . " and gateway_key_file has one of the $key mode";
    wait_log($w->{checkd}, $wrong, 20);
    like(payment($w, $p)->{text}, $live ? qr/real money, and all cards are of/
        : qr/in its test mode, and all cards are real/,
        'the text of the payment names the wrong mode');
    for (1, 2) {
        due_now($w);
        select undef, undef, undef, 2.5;
    }
    my $log = read_file($w->{checkd}{log});
    is(scalar(() = $log =~ /$wrong/g), 1,
        "the log names cards of the $card mode once");
    is(scalar(posts($w, $p)), 0,
        "the gateway gets no request for cards of the $card mode");
    is(payment($w, $p)->{state}, 'open',
        "the payment waits for a card of the $key mode");
    cards_of($w, $live);
    due_now($w);
    wait_for { bill($w)->{open} eq '' } 20, 'with a card of that mode';
    is(payment($w, $p)->{text}, '', 'the text is deleted after the payment');
    is(@{ stripe_state($w->{stripe})->{charges} } - $before, 1,
        'the payment is charged once');
    books_agree($w);
}

# --- a store that may forget ----------------------------------------------------------

my $w = bill_world(redis => { appendonly => 0 });
ok(wait_log($w->{checkd}, qr/nothing is charged: the store has "appendonly no"/,
    20), 'the log says that nothing is charged with appendonly no');
bill_plan($w, 'Business');
ctl($w, 'bill', 'source', 'add', $w->{ac}, '--back', 'https://p.example/');
wait_for { bill($w)->{open} ne '' } 20, 'a payment is open';
due_now($w);
select undef, undef, undef, 2.5;
is(stripe_state($w->{stripe})->{requests}, 0,
    'the gateway gets no request with appendonly no');
done_testing();
