#!/usr/bin/perl

# A gateway that answers late, wrongly or not at all: the same key and the same
# bytes again, and one charge.

use strict;
use warnings;

use JSON::XS ();

use RblBill;
use RblStripe;
use RblTest;

my $t = bill_world();
my $stripe = $t->{stripe};
bill_plan($t, 'Business');
add_card($t, 'pm_card_visa');
wait_for { bill($t)->{state} eq 'active' && bill($t)->{open} eq '' } 20,
    'the first payment';

# One renewal with a fault; the payment.
sub renewed {
    my ($name, $state, $fault, %opt) = @_;

    my $before = @{ stripe_state($stripe)->{charges} };
    stripe_fault($stripe, $fault, %opt) if $fault;
    my $py = next_period($t);
    wait_for { payment($t, $py)->{state} =~ /$state/ } 20, "$name: $state";
    my $p = payment($t, $py);
    like($p->{state}, qr/\A$state\z/, "$name: the payment becomes $state")
        or diag(explain($p));
    stripe_clock($stripe, 7200) if $p->{state} eq 'processing';
    hurry($t);
    wait_for { hurry($t) if payment($t, $py)->{state} eq 'unknown';
        bill($t)->{open} eq '' } 20, "$name: the end";
    $p = payment($t, $py);
    is("$p->{state} $p->{attempt}", 'succeeded 0',
        "$name: the payment succeeds in the end");
    my @posts = posts($t, $py);
    is(join(' ', keys %{{ map { $_->{key} => 1 } @posts }}), "$py-1",
        "$name: all requests have one key");
    my %bytes = map { JSON::XS->new->canonical->encode($_) => 1 }
        grep { defined } map { $_->{params} } @posts;
    is(scalar keys %bytes, 1, "$name: all requests have the same bytes");
    is(@{ stripe_state($stripe)->{charges} } - $before, 1,
        "$name: the gateway has one charge");
    return $p;
}

renewed('nothing', 'succeeded', '');
renewed($_, 'unknown', $_) for qw(cut half page refuse rate_limit unavailable
    error_after);
renewed('an answer that comes too late', 'unknown', 'delay', seconds => 2);
renewed('another amount', 'unknown', 'change', set => { amount => 100 });
renewed('another currency', 'unknown', 'change', set => { currency => 'eur' });
renewed('an answer of another payment', 'unknown', 'change',
    set => { metadata => { payment => 'PY' . '0' x 32, attempt => '1' } });
renewed('an answer of live mode', 'unknown', 'change',
    set => { livemode => JSON::XS::true });
renewed('an answer without an id', 'unknown', 'change', set => { id => '' });
renewed('a strange status', 'unknown', 'change', set => { status => 'x' });
renewed('an empty object', 'unknown', 'page', type => 'application/json',
    body => '{}');
renewed('a list', 'unknown', 'page', type => 'application/json',
    body => '{"object":"list","data":[],"has_more":true}');
renewed('a key that is refused', 'unknown', 'page', status => 401,
    type => 'application/json', body => '{"error":{"message":"sk_test_stand"}}');
renewed('a decline of another payment', 'unknown', 'page', status => 402,
    type => 'application/json', body => '{"error":{"type":"card_error",'
    . '"code":"card_declined","payment_intent":{"object":"payment_intent",'
    . '"id":"pi_1","amount":2500,"currency":"usd","livemode":false,"status":'
    . '"requires_payment_method","metadata":{"payment":"PYx"}}}}');
renewed('a decline without a payment', 'unknown', 'page', status => 402,
    type => 'application/json', body => '{"error":{"type":"card_error",'
    . '"code":"card_declined"}}');
renewed("faults of the list", 'unknown', 'page', match => 'GET /v1/payment_i',
    body => 'x');
my $p = renewed('a payment that takes long', 'processing', 'late',
    seconds => 3600);
is($p->{reference}, (grep { $_->{metadata}{payment} eq $p->{id} }
    @{ stripe_state($stripe)->{charges} })[0]{payment_intent},
    'the payment has the reference of its charge');
my $log = read_file($t->{checkd}{log});
unlike($log, qr/sk_test|standin\b/, 'the log does not have the key');

# --- nothing is known for a day ------------------------------------------------

# 500 without an effect: its key gets the same answer for a day.
stripe_fault($stripe, 'error_before');
my $py = next_period($t);
wait_for { payment($t, $py)->{state} eq 'unknown' } 20, 'nothing is known';
for (1 .. 4) {
    hurry($t);
    my $n = $_;
    wait_for { posts($t, $py) > $n } 20, "try $n";
}
my $tries = posts($t, $py);
is((posts($t, $py))[-1]{replayed}, 1, 'the gateway replays the same answer');
passes($t, 23.5 * 3_600_000);
wait_for { payment($t, $py)->{text} =~ /does not know/ } 20, 'a question';
is(scalar posts($t, $py), $tries, 'no request is sent after 23 hours');
stripe_fault($stripe, 'unavailable', match => '^GET /v1/payment_intents$');
passes($t, DAY);
wait_for { payment($t, $py)->{late} > 0 } 20, 'the operator has to look';
my $r = rblctl($t->{redis}, 'bill', 'paid', $t->{ac}, $py);
is($r->{status}, 3, 'a payment that was sent cannot be booked');
$r = rblctl($t->{redis}, 'bill', 'settle', $t->{ac}, $py, 'perhaps');
like($r->{err}, qr/succeeded or failed/, 'an unknown result is refused');
ctl($t, 'bill', 'settle', $t->{ac}, $py, 'failed');
$p = payment($t, $py);
is("$p->{state} $p->{attempt} $p->{reason}", 'open 1 settled',
    'rblctl bill settle fails the attempt');
hurry($t);
wait_for { bill($t)->{open} eq '' } 20, 'the next attempt';
is((posts($t, $py))[-1]{key}, "$py-2", 'the next attempt has another key');
$r = rblctl($t->{redis}, 'bill', 'settle', $t->{ac}, $py, 'failed');
like($r->{err}, qr/it is succeeded/, 'a succeeded payment cannot be settled');

# --- what Stripe does not have after a day was not made -------------------------

for my $days (2, 5) {
    stripe_fault($stripe, 'error_before');
    $py = next_period($t);
    wait_for { payment($t, $py)->{state} eq 'unknown' } 20, 'nothing is known';
    passes($t, $days * DAY);
    wait_for { bill($t)->{open} eq '' } 20, 'the next attempt';
    is(join(' ', map { $_->{key} } (posts($t, $py))[0, -1]), "$py-1 $py-2",
        "the next attempt has another key after $days days");
    is_deeply([map { "$_->{json}{reason} $_->{json}{attempt}" }
        (events_of($t, 'billing.renewal.failed'))[-1]], ['not_made 1'],
        'the attempt that was not made is told');
}

books_agree($t);
done_testing();
