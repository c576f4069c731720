#!/usr/bin/perl

# The stand-in of Stripe is held to the official client: every call, every class
# of error, keys and retries.  Then what the client does not do: bytes of broken
# answers, clients that die, and the encodings of other programs.

use strict;
use warnings;

use RblNode;
use RblStripe;
use RblTest;

plan(skip_all => 'node or npm is missing')
    if grep { run_cmd('sh', '-c', "command -v $_")->{status} } qw(node npm);

my $dir = repo_dir() . '/t/bill/node';
for my $program (qw(calls errors keys)) {
    my $s = start_stripe(frozen => 1);
    node_judge($program, node_lines($dir, 'bill', $program,
        { port => $s->{port}, key => $s->{key} }));
}

my $stripe = start_stripe();
my $bearer = "Authorization: Bearer $stripe->{key}";

# pay(key, options of http, parameters)
sub pay {
    my ($key, $opt, %p) = @_;

    return http($stripe, 'POST', '/v1/payment_intents', headers => [$bearer,
        "Idempotency-Key: $key"], form => [amount => 700, currency => 'usd',
        confirm => 'true', payment_method => 'pm_card_visa',
        'metadata[account]' => 'AC1', 'metadata[payment]' => $key, %p], %$opt);
}

sub charged { return stripe_state($stripe)->{by_period}{"AC1 $_[0]"} // 0 }

my $began = time;
is_current(stripe_state($stripe)->{now}, $began,
    'the clock of the stand-in runs');
stripe_clock($stripe, 7200);
is_current(stripe_state($stripe)->{now} - 7200, $began,
    'the clock of the stand-in can be moved');

# encodings of other clients
my $r = pay('PY1', {});
is($r->{status}, 200, 'the stand-in accepts a payment');
is(json($r)->{amount}, 700, 'the payment has the requested amount');
like($r->{body}, qr/"amount":700,/, 'the amount is a number in the JSON');
like($r->{body}, qr/"livemode":false/, 'livemode is a boolean in the JSON');
is($r->{headers}{'content-type'}, 'application/json',
    'the response has the content type of JSON');
$r = http($stripe, 'GET', '/v1/payment_intents/' . json($r)->{id}
    . '?expand[]=latest_charge&expand%5B%5D=payment_method',
    auth => [$stripe->{key}, '']);
is(json($r)->{latest_charge}{amount}, 700, 'expand[], and a key as user');
is(json($r)->{payment_method}{card}{last4}, '4242',
    'escaped brackets in a parameter are decoded');
my @post = ($stripe, 'POST', '/v1/customers', headers => [$bearer]);
is(http(@post, body => '{"name":"x"}', type => 'application/json')->{status},
    400, 'JSON is refused');
is(http(@post, form => 'name=%ff')->{status}, 400,
    'a form with invalid UTF-8 is refused');
is(http(@post, form => 'metadata[a=b')->{status}, 400,
    'a parameter with an unclosed bracket is refused');
is(json(http(@post, form => 'name=a+b%2Bc'))->{name}, 'a b+c',
    'plus signs in a form are decoded as spaces');
is(http($stripe, 'GET', '/v1/customers/x')->{status}, 401,
    'a request without a key gets status 401');

# two requests in one write, on one connection
my $get = http_head('GET', '/v1/events?limit=1', headers => [$bearer],
    keep => 1);
$r = http_raw($stripe, $get . $get);
is($r->{status}, 200, 'two requests at once: the first');
ok(wait_for { my @log = @{ stripe_state($stripe)->{log} };
    2 == grep { $_->{path} eq '/v1/events' } @log }, 'and the second');

# the bytes of broken answers; all are charged
stripe_fault($stripe, 'cut');
$r = pay('PY2', {});
is($r->{raw}, '', 'the fault "cut" sends no byte');
is(charged('PY2'), 1, 'the payment with the fault "cut" is charged');
stripe_fault($stripe, 'half');
$r = pay('PY3', {});
is(length($r->{body}), int($r->{headers}{'content-length'} / 2),
    'half: of the length that is announced');
ok(!eval { json($r) }, 'half of a response is no valid JSON');
is(charged('PY3'), 1, 'the payment with half of a response is charged');
stripe_fault($stripe, 'page');
$r = pay('PY4', {});
is("$r->{status} $r->{headers}{'content-type'}", '200 text/html',
    'the fault "page" answers with HTML');
is(charged('PY4'), 1, 'the payment with an HTML response is charged');
stripe_fault($stripe, 'change', set => { status => 'strange' });
is(json(pay('PY5', {}))->{status}, 'strange', 'a status that does not exist');
is(json(pay('PY5', {}))->{status}, 'succeeded', 'the replay is right');
stripe_fault($stripe, 'refuse');
is(pay('PY6', {})->{raw}, '', 'refuse: not a byte');
is(charged('PY6'), 0, 'the payment with the fault "refuse" is not charged');

# a client that is killed while it waits: its charge stays, and its key
stripe_fault($stripe, 'delay', seconds => 2);
my $pid = fork // die "fork: $!";
if ($pid == 0) {
    pay('PY7', {});
    POSIX::_exit(0);
}
ok(wait_for(sub { charged('PY7') == 1 }), 'a charge before the answer');
kill 'KILL', $pid;
waitpid $pid, 0;
is(pay('PY7', {})->{status}, 409, 'the key is in use after the client');
ok(wait_for(sub { pay('PY7', {})->{headers}{'idempotent-replayed'} }),
    'the key gets a replay after the delay');
is(charged('PY7'), 1, 'the payment of the killed client is charged once');
is_deeply(stripe_state($stripe)->{doubled}, [], 'nothing was charged twice');

# events of the test; orders that are wrong
stripe_event($stripe, 'charge.dispute.created', { id => 'dp_1', amount => 5 });
is(json(http($stripe, 'GET', '/v1/events?type=charge.dispute.*',
    headers => [$bearer]))->{data}[0]{data}{object}{id}, 'dp_1',
    'the event list has the event of the test');
ok(!eval { stripe_fault($stripe, 'nothing'); 1 },
    'an unknown fault is refused');
like($@, qr/no fault nothing/, 'the error names the unknown fault');

# live mode
my $live = start_stripe(key => 'sk_live_standin');
$r = http($live, 'POST', '/v1/customers', form => '',
    headers => ["Authorization: Bearer $live->{key}"]);
ok(json($r)->{livemode}, 'a live key makes live objects');
is(http($live, 'POST', '/v1/customers', form => '', headers => [$bearer])
    ->{status}, 401, 'the live server refuses the test key');

done_testing();
