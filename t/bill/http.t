#!/usr/bin/perl

# A gateway of the operator: signed requests, every answer of its contract, and
# those that are none.

use strict;
use warnings;

use JSON::XS ();
use List::Util qw(first);

use RblBill;
use RblTest;

my $server = start_receiver(status => 503);
my $secret = 'the secret of the server';
my $dir = own_dir('http');
write_file("$dir/key", "$secret\n", 0600);
my $t = bill_world(conf => { gateway => 'http', gateway_key_file => "$dir/key",
    gateway_url => "http://127.0.0.1:$server->{port}/rbl" });
my $ac = $t->{ac};

my $r = rblctl($t->{redis}, '-c', $t->{ctl}, 'bill', 'source', 'add', $ac,
    '--back', 'https://portal.example/');
like($r->{err}, qr/has no bill/, 'a source needs a bill first');
bill_plan($t, 'Business');
add_contact($t);
$r = rblctl($t->{redis}, '-c', $t->{ctl}, 'bill', 'source', 'add', $ac,
    '--back', 'https://portal.example/');
like($r->{err}, qr/without payment sources/,
    'the gateway http keeps no payment sources');

sub asked { my ($py, $n) = @_;
    return grep { ($_->{headers}{'idempotency-key'} // '') eq "$py-$n" }
        received($server) }

wait_for { bill($t)->{open} ne '' && payment($t, bill($t)->{open})->{state}
    eq 'unknown' } 20, 'the server is not there';
my $py = bill($t)->{open};
my ($first) = asked($py, 1);
is($first->{line}, 'POST /rbl/payments HTTP/1.1',
    'the request is a POST of a payment');
ok(signature_ok($first, $secret),
    'the request is signed by the secret of the gateway');
is($first->{headers}{'webhook-id'}, "$py-1",
    'the request has the key of the first attempt');
my $b = bill($t);
my $p = payment($t, $py);
is_deeply($first->{json}, { account => $ac, payment => $py, attempt => 1,
    kind => 'renewal', amount => '25.00', currency => 'USD',
    begins => int($p->{begins} / 1000), ends => int($p->{ends} / 1000) },
    'the body of the request has the payment');

# The server answers so to attempt n of the payment.
sub says {
    my ($n, $status, %more) = @_;

    answer_with($server, status => 200, body => JSON::XS->new->encode({
        key => "$py-$n", amount => '25.00', currency => 'USD',
        status => $status, %more }));
    hurry($t);
}

sub becomes {
    my ($name, $state, $attempt) = @_;

    my $n = received($server);
    wait_for { received($server) > $n && payment($t, $py)->{state} eq $state }
        20, $name;
    my $is = payment($t, $py);
    is("$is->{state} $is->{attempt}", "$state $attempt", $name);
    return $is;
}

# --- what means nothing -----------------------------------------------------------

for (['another amount', amount => '2.50'], ['another key', key => "$py-2"],
    ['another currency', currency => 'EUR'], ['no reference'],
    ['a number as reference', reference => 7], ['a strange reference',
    reference => 'a b'])
{
    my ($name, %more) = @$_;
    says(1, 'succeeded', reference => 'r', %more) if %more;
    says(1, 'succeeded') if !%more;
    becomes($name, 'unknown', 0);
}
says(1, 'declined');
becomes('declined without a reason', 'unknown', 0);
says(1, 'paid', reference => 'r');
becomes('a strange status', 'unknown', 0);
for my $o ({ status => 200, body => '<html>' }, { status => 201, body => '{}' },
    { status => 302, headers => ['Location: /'] }, { status => 500 },
    { status => 401 }, { broken => 'half', body => '{"key":1}' })
{
    answer_with($server, %$o);
    hurry($t);
    becomes('an answer ' . ($o->{status} // 'cut'), 'unknown', 0);
}
my %bodies = map { $_->{body} => 1 } asked($py, 1);
is(scalar keys %bodies, 1, 'all requests of an attempt have the same bytes');
is(scalar(grep { $_->{line} !~ /^POST/ } asked($py, 1)), 0,
    'all requests of an attempt are POST requests');

# --- what means something ---------------------------------------------------------

answer_with($server, status => 409);
hurry($t);
becomes('it is being made', 'processing', 0);
my $at = received($server);
says(1, 'processing');
becomes('processing', 'processing', 0);
is((received($server))[$at]{line}, "GET /rbl/payments/$py-1 HTTP/1.1",
    'a query of the payment follows a charge in progress');
ok(signature_ok((received($server))[$at], $secret),
    'the query of the payment is signed');
says(1, 'customer', url => 'https://pay.example/1');
is(becomes('the customer has to act', 'customer', 0)->{url},
    'https://pay.example/1', 'the payment has the URL for the customer');
wait_for { grep { $_->{title} =~ /needs you/ } notices($t) } 20, 'a message';
my ($m) = grep { $_->{title} =~ /needs you/ } notices($t);
is($m->{title}, 'The payment of 25.00 USD for the plan "Business" needs you',
    'the contact gets a message that the customer is needed');
like($m->{message}, qr{ waits for you. Confirm it here:\n\nhttps://pay.example/1\n},
    'the message has the URL for the customer');
says(1, 'customer', url => 'javascript:alert(1)');
is(becomes('another address', 'customer', 0)->{url}, '',
    'a URL of another scheme is not accepted');
says(1, 'declined', reason => 'card_declined', message => "no\nmoney");
$p = becomes('declined', 'open', 1);
is("$p->{reason} $p->{text}", 'card_declined no?money',
    'the payment has the reason of the decline');
my $e = event($t, 1, 'the event');
is("$e->{json}{event_type} $e->{json}{reason}",
    'billing.renewal.failed card_declined',
    'the failed attempt sends an event');
my %card = (brand => 'visa', last4 => '4242', exp_month => 8,
    exp_year => 2031);
says(2, 'succeeded', reference => 'book-7', payment_source => \%card);
wait_for { bill($t)->{open} eq '' } 20, 'paid';
$e = event($t, 2, 'the event');
is($e->{json}{payment}{reference}, 'book-7',
    'the event has the reference of the gateway');
my $source = delete $e->{json}{payment}{payment_source}{id};
is_deeply($e->{json}{payment}{payment_source}, { %card, type => 'card' },
    'the event has the card that the server has charged');
is_deeply([map { "@$_{qw(id type last4 exp_year)}" }
    @{ ctl($t, 'bill', 'sources', $ac) }], ["$source card 4242 2031"],
    'the account has the card as its payment source');
is((asked($py, 2))[0]{json}{attempt}, 2,
    'the request has the number of the second attempt');
is_deeply([map { "$_->{d} $_->{c} $_->{a}" } ledger($t)],
    ['cash revenue 25000000'], 'the ledger has the charge once');
is((grep { $_->{title} =~ /needs you/ } notices($t)), 1,
    'the contact gets the message for the customer once');
is(rblctl($t->{redis}, 'fsck')->{status}, 0, 'fsck finds nothing');

# --- the card ---------------------------------------------------------------------

# It ends with this month, or the next one, which has not more than 30 days left.
my ($month, $year) = ((gmtime)[4] + 1, (gmtime)[5] + 1900);
my $asked = received($server);
RblBill::bill_put($t, 'source', { %{ source($t, $source) }, month => $month,
    year => $year, asked => 1 }, 'source', $ac, $source);
due_now($t, 'paydue');
SKIP: {
    skip 'the month has more than 30 days left', 2 if (gmtime)[3] == 1;
    $e = event($t, 3, 'the alert of the card');
    is("$e->{json}{event_type} $e->{json}{payment_source}{last4}",
        'expiring.card.alert 4242', 'the end of the card is announced');
}
is(received($server), $asked, 'the server is not asked for the card');

# A payment without a card, of the next period.
$py = next_period($t);
says(1, 'succeeded', reference => 'book-8');
wait_for { bill($t)->{open} eq '' } 20, 'paid without a card';
ctl($t, 'bill', 'source', 'remove', $ac, $source);
wait_for { !@{ ctl($t, 'bill', 'sources', $ac) } } 20, 'the card is removed';
$py = next_period($t);
says(1, 'succeeded', reference => 'book-9', payment_source => { %card,
    exp_month => 13 });
wait_for { bill($t)->{open} eq '' } 20, 'paid by a card that is none';
wait_for { events_of($t, 'billing.renewal.success') == 3 } 20, 'its event';
$e = (events_of($t, 'billing.renewal.success'))[2];
is($e->{json}{payment}{payment_source}{type}, 'http',
    'a payment without a card says that a server was paid');
is_deeply(ctl($t, 'bill', 'sources', $ac), [], 'a card of the month 13 is no payment source');

# Another gateway does not know the card.
$py = next_period($t);
says(1, 'succeeded', reference => 'book-10', payment_source => \%card);
wait_for { @{ ctl($t, 'bill', 'sources', $ac) } } 20, 'the card again';
wait_for { bill($t)->{open} eq '' } 20, 'paid again';
write_file($t->{ctl}, "gateway manual\n");
bill_plan($t, 'Business');
is_deeply(ctl($t, 'bill', 'sources', $ac), [],
    'an account of another gateway has no card of the server');
is(rblctl($t->{redis}, 'fsck')->{status}, 0, 'fsck finds nothing at the end');
unlike(read_file($t->{checkd}{log}), qr/the secret of/,
    'the log does not have the secret');
done_testing();
