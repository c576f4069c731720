#!/usr/bin/perl

# A payment that has failed has a way back: "bill retry" or "Pay now", another
# card, a card that is removed or added, renewal that is turned on; also after
# the plan has lapsed.  Other requests are refused.

use strict;
use warnings;

use RblScript;
use RblTest;

use constant { DAY => 86_400_000, GRACE => 7 * 86_400_000 };
use constant { BEGINS => 7, ENDS => 8, STATE => 9, OPEN => 10 };
use constant { P_KEY => 3, P_STATE => 5, P_ATTEMPT => 6, P_REASON => 8,
    P_SOURCE => 13, P_NEXT => 20 };

redis_new(cluster => 1);        # all scripts read the same clock key
my $now = 1_800_000_000_000;
my ($ac, $acct, $gateway);

sub passes { $now += $_[0]; script_clock($now) }
sub bill { return unpacked(cmd('GET', k('bill', $ac))) }
sub payment { return unpacked(cmd('GET', k('pay', $ac, $_[0]))) }
sub look { return script('bill_step', [$acct], grace => GRACE, kept => 0,
    gateway => $gateway) }
sub asked { return script('bill_send', [$acct], gateway => $gateway, live => 1,
    lease => 60_000)->[1] }
sub retry { return script('bill_retry', [$acct]) }
sub terms { return script('bill_terms', [$acct], @_)->[0] }
sub declined {
    my ($py, %o) = @_;

    script('bill_answer', [$acct], payment => $py,
        attempt => payment($py)->[P_ATTEMPT] + 1, result => 'declined',
        reason => $o{reason} // 'stolen_card', final => $o{final} // 1);
    return payment($py)->[P_STATE];
}
sub paid {
    my ($py) = @_;
    return script('bill_answer', [$acct], payment => $py,
        attempt => payment($py)->[P_ATTEMPT] + 1, result => 'succeeded',
        reference => 'r1')->[0];
}

# An account that has paid until in six days, and its open payment.
sub account_of {
    ($gateway) = @_;

    ($ac, $acct) = account();
    passes(1000);
    script('bill_plan', [$acct], gateway => $gateway, plan => 'Business',
        price => 25_000_000, period => 'month', paid => 1, hosts => 1000,
        contacts => 100, checks => 5000, shortest => 900);
    my $b = bill();
    @$b[BEGINS, ENDS] = ($now - 25 * DAY, $now + 6 * DAY);
    cmd('SET', k('bill', $ac), packed($b));
    card('first') if $gateway eq 'stripe';
    return look()->[2];
}

sub card {
    my ($name) = @_;

    my $ps = sid('PS');
    cmd('ZADD', k('sources', $ac), ++$now, $ps);
    cmd('SET', k('source', $ac, $ps), packed([1, $ps, 'card', 'visa', \'4242',
        12, 2099, "pm_$name", 1, 0, $now, $now]));
    return $ps;
}

# The next request is made, for an attempt of this number.
sub tries {
    my ($py, $n, $name) = @_;

    look();
    is(asked(), 'charge', $name);
    is(payment($py)->[P_ATTEMPT] + 1, $n, "$name: it is attempt $n");
}

# --- a server of the operator's ----------------------------------------------

my $py = account_of('http');
is_deeply(retry(), ['OK'], 'an open payment may be asked for');
tries($py, 1, 'the first attempt');
is_deeply(retry(), ['FLIGHT', 'sent'],
    'no attempt is asked for while a request is on its way');
for my $result (qw(unknown processing customer)) {
    script('bill_answer', [$acct], payment => $py, attempt => 1,
        result => $result);
    is_deeply(retry(), ['FLIGHT', $result],
        "a payment that is $result is not tried");
}
is(declined($py), 'failed', 'the payment is declined for good');
look();
is(asked(), '', 'no attempt follows a final decline by itself');
is_deeply(retry(), ['SOON'], 'two requests within a minute are refused');
passes(-3 * DAY);
is_deeply(retry(), ['OK'], 'a clock that was set back is no obstacle');
passes(3 * DAY + 60_000);
tries($py, 2, 'a person may ask after a final decline');
declined($py);
passes(60_000);
retry();
look();
look();
tries($py, 3, 'one more');
declined($py, final => 0, reason => 'card_declined');
look();
is(asked(), '', 'an attempt that is not final waits for its day');
passes(60_000);
is_deeply(retry(), ['OK'], 'a person need not wait for it');
tries($py, 4, 'at once');
declined($py);
terms(renew => 0);
passes(60_000);
is_deeply(retry(), ['RENEW'], 'there is no attempt without renewal');
terms(renew => 1);
tries($py, 5, 'renewal that is turned on is a new attempt');
is(paid($py), 'OK', 'the payment succeeds');
is_deeply(retry(), ['NOTHING'], 'there is nothing to pay then');
is(cmd('XLEN', k('ledger', $ac)), 1, 'the payment is booked once');
is_deeply(script('bill_retry', [k('acct', sid('AC'))]), ['BILL'],
    'an account without a bill');

# --- after a lapse -----------------------------------------------------------

$py = account_of('http');
asked();
declined($py);
passes(30 * DAY);
is(look()->[1], 'lapsed', 'the plan lapses');
is(asked(), '', 'nothing is tried');
is_deeply(retry(), ['OK'], 'a payment that failed before the lapse');
tries($py, 2, 'is tried again');
paid($py);
is(bill()->[STATE], 'active', 'the plan goes on');
is(bill()->[BEGINS], $now, 'the period begins with the payment');

account_of('http');
script('bill_settle', [$acct], result => 'paid', payment => bill()->[OPEN]);
terms(renew => 0);
passes(60 * DAY);
is(look()->[1], 'lapsed', 'a plan that does not renew itself lapses');
is(bill()->[OPEN], '', 'nothing is open');
is_deeply(retry(), ['RENEW'], 'a plan without renewal is not paid for');
terms(renew => 1);
$py = look()->[2];
like($py, qr/^PY/, 'renewal that is turned on opens a payment');
is(bill()->[STATE], 'lapsed', 'the plan waits for the payment');
is(asked(), 'charge', 'bill_send charges at once');
declined($py);
passes(DAY);
is(retry()->[0], 'OK', 'a declined payment may be asked for');
tries($py, 2, 'the second attempt after a lapse');
paid($py);
is(bill()->[BEGINS], $now, 'the period begins with the payment');
is(look()->[1], 'active', 'the plan is active');

# The open payment was void, and is for the same period.
$py = account_of('http');
my $p = payment($py);
$p->[P_STATE] = 'void';
cmd('SET', k('pay', $ac, $py), packed($p));
my $b = bill();
@$b[OPEN, STATE] = ('', 'lapsed');
cmd('SET', k('bill', $ac), packed($b));
retry();
is(look()->[2], $py, 'a void payment is opened again under its name');
is(asked(), 'charge', 'the payment is charged');

# --- by hand -----------------------------------------------------------------

$py = account_of('manual');
is_deeply(retry(), ['HAND'], 'the operator books what is paid by hand');
terms(renew => 0);
$b = bill();
@$b[OPEN, STATE] = ('', 'lapsed');
cmd('SET', k('bill', $ac), packed($b));
terms(renew => 1);
like(look()->[2], qr/^PY/, 'a plan that has lapsed gets a payment by hand');

# --- a suspended account -----------------------------------------------------

$py = account_of('http');
asked();
declined($py);
script('account_status', [$acct], status => 'suspended');
is_deeply(retry(), ['HELD'], 'a suspended account is not charged');
terms(renew => 0);
terms(renew => 1);
look();
is(asked(), '', 'a suspended account that turns renewal on waits');
script('account_status', [$acct], status => 'active');
tries($py, 2, 'it is charged when it is active again');

# --- cards -------------------------------------------------------------------

$py = account_of('stripe');
my ($first) = @{ cmd('ZRANGE', k('sources', $ac), 0, -1) };
my $second = card('second');
terms(source => $first);
look();
asked();
declined($py);
terms(source => $second);
tries($py, 2, 'the card that is chosen is tried');
is(payment($py)->[P_SOURCE], $second, 'the payment has the card');
declined($py, final => 0, reason => 'card_declined');
terms(source => $first);
tries($py, 3, 'another card need not wait for the next day');
declined($py, final => 0, reason => 'card_declined');
terms(source => $second);
terms(source => $first);
look();
is(payment($py)->[P_NEXT] > $now ? 1 : 0, 0,
    'a choice that was taken back is one attempt more');
asked();
declined($py);
is(script('bill_source_gone', [$acct], source => $first)->[0], 'OK',
    'the card that was declined is removed');
tries($py, 5, 'the card that is left is tried');
is(payment($py)->[P_SOURCE], $second, 'the payment has the other card');
declined($py);
script('bill_source_gone', [$acct], source => $second);
look();
is(payment($py)->[P_STATE], 'failed', 'no attempt without a card');
passes(DAY);
is_deeply(retry(), ['NOSOURCE'], 'a person is told so');
cmd('SET', k('setup', $ac), packed([1, 'open', 5, '', 'cs', 'u', 0, '']));
script('bill_session', [$acct], made => 5, state => 'done', session => 'cs',
    customer => 'cus', method => 'pm_3', live => 1, type => 'card',
    brand => 'visa', last4 => '4343', month => 12, year => 2099);
tries($py, 6, 'a card that is added is tried');
paid($py);

# A card that the account has removed is not charged before the daemon has seen
# that.
$py = account_of('stripe');
my ($only) = @{ cmd('ZRANGE', k('sources', $ac), 0, -1) };
script('bill_source_gone', [$acct], source => $only);
is(asked(), 'detach', 'a removed card is not charged, and is detached');
script('bill_card', [$acct], source => $only, gone => 1, month => 0, year => 0);
is(cmd('EXISTS', map { k(@$_) } ['source', $ac, $only], ['sources', $ac],
    ['setup', $ac, 'gone']), 0, 'nothing is left of it');

# --- a balance ---------------------------------------------------------------

($gateway, $ac, $acct) = ('http', account());
script('bill_plan', [$acct], gateway => 'http', plan => 'P', price => 2000,
    period => 'check', paid => 1, hosts => 0, contacts => 0, checks => 0,
    shortest => 900);
script('bill_adjust', [$acct], what => 'topup',
    once => 'x', amount => 4_000_000,
    reference => 'R');
look();
is_deeply(retry(), ['NOTHING'], 'a balance without a recharge');
terms(falls => 5_000_000, to => 25_000_000, now => 1);
$py = look()->[2];
asked();
declined($py, final => 0, reason => 'card_declined');
is(asked(), '', 'a recharge that was declined waits for an hour');
is_deeply(retry(), ['OK'], 'a person need not wait');
tries($py, 2, 'the recharge');
paid($py);
is(cmd('HGET', k('money', $ac), 'balance'), 25_000_000,
    'the balance is recharged');

done_testing();
