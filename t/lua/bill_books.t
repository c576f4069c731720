#!/usr/bin/perl

# The books of bills by the scripts alone: refunds, amounts that are not those
# of the payments, references that are booked once, the day of use, top-ups by
# the gateway, and a payment that is lost.

use strict;
use warnings;

use RblScript;
use RblTest;

use constant { DAY => 86_400_000, HOUR => 3_600_000, USD => 1_000_000 };

redis_new(cluster => 1);
my $now = 1_801_440_000_000;            # 1 February 2027, 00:00
my ($ac, $acct, $next);
sub at { $now = $_[0]; script_clock($now) }

sub rec {
    my ($entity, @key) = @_;

    my $raw = cmd('GET', k(@key));
    return defined $raw ? record($entity, $raw) : undef;
}
sub bill { return rec('bill', 'bill', $ac) }
sub payment { return rec('payment', 'pay', $ac, $_[0]) }
sub payments { return map { payment($_) } @{ cmd('ZRANGE',
    k('payments', $ac), 0, -1) } }
sub ledger { return map { { @{ $_->[1] } } } @{ cmd('XRANGE',
    k('ledger', $ac), '-', '+') } }
sub lines { return [map { "@$_{qw(d c a r x)}" } ledger()] }
sub balance { return cmd('HGET', k('money', $ac), 'balance') // 0 }
sub look { return script('bill_step', [$acct], grace => 7 * DAY, kept => 0) }
sub buy {
    my ($period, %with) = @_;
    return script('bill_plan', [$acct], gateway => $with{gateway} // 'manual',
        plan => 'P',
        price => $with{price} // ($period eq 'check' ? 2000 : 25 * USD), period => $period,
        paid => 1, hosts => 0, contacts => 0, checks => 0,
        shortest => 900, now => 1)->[0];
}
sub refund { return script('bill_refund', [$acct], payment => $_[0],
    amount => $_[1], reference => $_[2]) }
sub topup { return script('bill_adjust', [$acct], what => 'topup',
    once => sid('XX'),
    amount => $_[0], reference => $_[1]) }
sub paid { my ($py, %with) = @_; return script('bill_settle', [$acct],
    result => 'paid',
    payment => $py, %with) }
sub fresh { ($ac, $acct) = account(); return }

# --- a period: another amount, refunds ---------------------------------------

at($now);
fresh();
buy('month');
my $py = look()->[2];
is_deeply([@{ payment($py) }{qw(plan gateway refunded)}], ['P', 'manual', 0],
    'a payment has the plan and the gateway of the bill');
is_deeply(refund($py, USD, 'F1'), ['DONE', 'open', ''],
    'a payment that is open is not refunded');
is_deeply(refund(sid('PY'), USD, 'F1'), ['PAYMENT'],
    'an unknown payment is not refunded');
is_deeply(paid($py, amount => 24 * USD, reference => 'I1'),
    ['OK', 24 * USD, 0], 'less than the amount has arrived');
is_deeply(lines(), ["cash revenue 24000000 $py I1"],
    'the ledger has what has arrived, and the reference of it');
is(payment($py)->{amount}, 24 * USD, 'the payment has what has arrived');
is(bill()->{state}, 'active', 'the period is paid');
is_deeply(paid($py, amount => 24 * USD, reference => 'I1'),
    ['OK', 24 * USD, 0], 'the same again is no error');
is_deeply(paid($py, amount => 25 * USD, reference => 'I1')->[0], 'DONE',
    'another amount of a payment that is booked is refused');
is_deeply(refund($py, 24 * USD + 1, 'F1'), ['ABOVE', '24.00'],
    'a refund above the payment is refused');
is_deeply(refund($py, 10 * USD, 'F1'), ['OK'], 'some is paid back');
is_deeply(refund($py, 10 * USD, 'F1'), ['OK'], 'the same refund again');
is_deeply(refund($py, 11 * USD, 'F1'), ['USED', '10.00'],
    'another amount by the same reference is refused');
is_deeply(refund($py, 10 * USD, 'I1'), ['USED', '24.00'],
    'a refund by the reference of the payment is refused');
is_deeply(refund($py, 15 * USD, 'F2'), ['ABOVE', '14.00'],
    'a second refund above the rest is refused');
is_deeply(refund($py, 14 * USD, 'F2'), ['OK'], 'the rest is paid back');
is_deeply(lines(), ["cash revenue 24000000 $py I1",
    "revenue cash 10000000 $py F1", "revenue cash 14000000 $py F2"],
    'the ledger has each refund once');
is(payment($py)->{refunded}, 24 * USD, 'the payment knows what was paid back');
is(bill()->{state}, 'active', 'a refund leaves the period paid');
my $before = digest();
refund($py, USD, 'F3');
refund($py, 10 * USD, 'F1');
is(digest(), $before, 'a refund that is refused, or booked, changes nothing');

# --- a reference is booked once ----------------------------------------------

at(bill()->{ends} - 6 * DAY);
$next = look()->[2];
$before = digest();
is_deeply(paid($next, reference => 'I1'), ['USED', '24.00'],
    'the reference of another payment is refused');
is_deeply(topup(5 * USD, 'I1'), ['USED', '24.00'], 'a top-up by it, too');
is_deeply(script('bill_adjust', [$acct], once => 'x', amount => USD,
    reason => 'Why', reference => 'I1'), ['USED', '24.00'],
    'a change of the balance by it, too');
is(digest(), $before, 'a reference that is refused changes nothing');
sub adjust { return script('bill_adjust', [$acct], once => sid('XX'),
    amount => $_[0], reason => 'Gift', reference => $_[1])->[0] }
is_deeply([map { adjust(3 * USD, 'G1') } 1 .. 2], ['OK', 'OK'],
    'a change of the balance is made again after a lost answer');
is(balance(), 3 * USD, 'a change that runs twice has one effect');
is(adjust(-3 * USD, 'G1'), 'USED',
    'the contrary by the same reference is refused');
is_deeply([map { adjust(USD, '') } 1 .. 2], ['OK', 'OK'],
    'changes without a reference are two');
is(balance(), 5 * USD, 'each has its effect');
my @first = ($ac, $acct);
fresh();
is_deeply(topup(5 * USD, 'I1'), ['OK', 5 * USD],
    'the reference of another account is free');
($ac, $acct) = @first;

# --- settled with another amount ---------------------------------------------

fresh();
buy('check', gateway => 'http');
script('bill_terms', [$acct], falls => 5 * USD, to => 25 * USD,
    now => 1);
$py = look()->[2];
script('bill_send', [$acct], gateway => 'http', live => 0, lease => 1000);
is_deeply(refund($py, USD, 'F1'), ['DONE', 'sent', ''],
    'a payment in flight is not refunded');
is_deeply(script('bill_settle', [$acct], payment => $py, result => 'succeeded',
    reference => 'pi_1', amount => 20_100_000), ['OK', 20_100_000, 0],
    'the operator says what was charged');
is(balance(), 20_100_000, 'the balance has what was charged');
is_deeply(refund($py, 20 * USD, 're_1'), ['RECHARGE', '5.00'],
    'a refund that would begin a recharge is refused');
script('bill_terms', [$acct], falls => 0, to => 0);
is_deeply(refund($py, 20 * USD, 're_1'), ['OK'],
    'a refund without a recharge is booked');
is(balance(), 100_000, 'the refund is taken from the balance');
topup(9e14, 'L1');
at($now + DAY);
script('bill_terms', [$acct], falls => 9.1e14, to => 9.2e14, now => 1);
is_deeply(paid(look()->[2], amount => 9e14, reference => 'L2'), ['LIMIT'],
    'an amount with which the balance would be too large is refused');

# --- the day of use ----------------------------------------------------------

fresh();
at(1_801_440_000_000 - 20 * HOUR);      # 31 January 2027, 04:00
buy('check');
topup(5 * USD, 'T1');
look();
cmd('HINCRBY', k('money', $ac), 'used', 1_234_000);
at(1_801_440_000_000 + HOUR / 2);
look();
is_deeply([map { "$_->{r} $_->{a}" } grep { $_->{d} eq 'credit' } ledger()],
    ['2027-01-31 1234000'],
    'the use of a month\'s last day is of that day, though it is booked later');
like((ledger())[-1]{k}, qr/^use:2027-01-31:/,
    'the key of the entry has the day');
cmd('HINCRBY', k('money', $ac), 'used', 1000);
at($now - HOUR);
look();
is((ledger())[-1]{r}, '2027-02-01',
    'a clock that goes back over midnight leaves use on its day');
my %seen;
$seen{ $_->{k} }++ for ledger();
is((sort { $b <=> $a } values %seen)[0], 1, 'each entry has a key of its own');
buy('month');
at($now + 60 * DAY);
buy('check');
cmd('HINCRBY', k('money', $ac), 'used', 1000);
look();
is((ledger())[-1]{r}, '2027-04-01',
    'use on a plan that begins is not of the last day of an earlier one');

# --- once in advance, by the gateway -----------------------------------------

sub wish { return script('bill_wish', [$acct], once => $_[0],
    amount => $_[1] // 25 * USD)->[0] }
sub answer { return script('bill_answer', [$acct], payment => $_[0],
    attempt => 1, @_[1 .. $#_]) }
sub send_it { return script('bill_send', [$acct], gateway => 'http', live => 0,
    lease => 1000)->[1] }
fresh();
is(wish('k1'), 'BILL', 'an account without a bill has nothing to top up');
buy('month', gateway => 'http');
is(wish('k1'), 'PERIOD',
    'an account that pays by the period has nothing to top up');
fresh();
buy('check');
is(wish('k1'), 'GATEWAY', 'an account that pays by hand asks its operator');
buy('check', gateway => 'stripe');
is(wish('k1'), 'CARD', 'an account without a card cannot be charged');
buy('check', gateway => 'http');
look();
is_deeply([map { wish('k1') } 1 .. 2], ['OK', 'OK'],
    'bill_wish accepts the same request twice');
is(wish('k2'), 'OPEN', 'another one has to wait');
is(cmd('ZSCORE', k('billdue'), $ac), 0, 'a daemon looks at once');
$py = look()->[2];
is_deeply([@{ payment($py) }{qw(kind state amount)}],
    ['topup', 'open', 25 * USD], 'the payment is open');
is_deeply([wish('k1'), wish('k2')], ['OK', 'OPEN'],
    'a request that comes late has no effect');
is(send_it(), 'charge', 'the gateway charges');
answer($py, result => 'succeeded', reference => 'g1');
is_deeply([balance(), bill()->{open}, bill()->{state}],
    [25 * USD, '', 'active'], 'the balance has it');
is(wish('k1'), 'OK', 'the same after it was paid');
is(look()->[2], '', 'the request is not charged again');
is(wish('k2'), 'OK', 'bill_wish accepts another request');
$py = look()->[2];
send_it();
answer($py, result => 'declined', reason => 'card_declined', final => 0);
is_deeply([payment($py)->{state}, bill()->{open}], ['failed', ''],
    'one that is declined has failed, and nothing waits for it');
at($now + 4 * DAY);
look();
is(send_it(), '', 'a decline is not tried again');
is(wish('k3'), 'OK', 'the next one');
at($now + 2 * HOUR);
is(look()->[2], '', 'what no daemon has opened for an hour is wanted no more');
is(wish('k4'), 'OK', 'a new one');
$py = look()->[2];
at($now + 25 * HOUR);
look();
is_deeply([payment($py)->{state}, bill()->{open}], ['void', ''],
    'one that nobody could charge for a day is void');
script('bill_terms', [$acct], falls => 30 * USD, to => 50 * USD);
wish('k5');
is((payment(look()->[2]))->{kind}, 'topup',
    'what the account asks for comes before a recharge');
is(scalar(grep { $_->{state} eq 'open' } payments()), 1,
    'never two payments are open');

# --- a refund, and the rest of a period --------------------------------------

# A month of 25.00 that is paid, and half over.
sub half {
    fresh();
    buy('month');
    my $of = look()->[2];
    paid($of, @_);
    at(bill()->{begins} + (bill()->{ends} - bill()->{begins}) / 2);
    return $of;
}
$py = half();
refund($py, 25 * USD, 'F1');
buy('check');
is(balance(), 0, 'nothing is left of a period whose price was paid back');
$py = half();
refund($py, 5 * USD, 'F1');
buy('check');
is(balance(), 10 * USD, 'the rest is the share of what was not paid back');
is_deeply(refund($py, 20 * USD, 'F2'), ['CREDITED', '10.00', '10.00'],
    'a refund of what is in the balance is refused');
is_deeply(refund($py, 10 * USD, 'F2'), ['OK'],
    'what was not credited may be paid back');
is_deeply(refund($py, 10_000, 'F3'), ['CREDITED', '0.00', '10.00'],
    'nothing is left then');
buy('month');
$next = look()->[2];
paid($next);
buy('check');
is(balance(), 35 * USD, 'a payment whose rest was credited is not credited'
    . ' again');

# --- less or more than the price ---------------------------------------------

$py = half(amount => 10 * USD);
buy('check');
is(balance(), 5 * USD, 'the rest is the share of what was paid');
fresh();
buy('month');
$py = look()->[2];
is_deeply([map { paid($py, amount => 27 * USD, reference => 'I1') } 1 .. 2],
    [(['OK', 25 * USD, 2 * USD]) x 2], 'more than the price has arrived');
my ($over) = grep { $_->{kind} eq 'topup' } payments();
is_deeply(lines(), ["cash credit 2000000 $over->{id} I1",
    "cash revenue 25000000 $py I1"], 'the balance has what is above the price');
is(payment($py)->{amount}, 25 * USD, 'the payment has its price');
is(paid($py, amount => 25 * USD, reference => 'I1')->[0], 'DONE',
    'another amount of a payment with more than its price is refused');
is(adjust(USD, 'I1'), 'USED', 'the reference of both is booked');
is_deeply(refund($py, 26 * USD, 'F1'), ['ABOVE', '25.00'],
    'a refund of the payment is at most its price');
is_deeply(refund($over->{id}, 2 * USD, 'F1'), ['OK'],
    'the other part is refunded from the balance');
at(bill()->{begins} + (bill()->{ends} - bill()->{begins}) / 2);
buy('check');
is(balance(), 12_500_000, 'the rest is the share of the price');

# --- the amount changes after it was told ------------------------------------

# Amounts that people were told are due.
sub due {
    my @all;
    for my $e (@{ cmd('XRANGE', k('outbox'), '-', '+') }) {
        my $event = unpacked({ @{ $e->[1] } }->{d});
        push @all, record('payment', unpacked($event->[16])->[2])->{amount}
            if $event->[13] eq 'due';
    }
    cmd('DEL', k('outbox'));
    return \@all;
}
fresh();
due();
buy('month');
$py = look()->[2];
is_deeply(due(), [25 * USD], 'the customer is told what is due');
buy('month', price => 49 * USD) for 1 .. 2;
is_deeply(due(), [49 * USD], 'the customer is told the new amount once');
is_deeply(paid($py), ['AMOUNT', '49.00'],
    'the operator has to say which amount has arrived');
is_deeply(paid($py, amount => 49 * USD), ['OK', 49 * USD, 0],
    'the operator says it');
at(bill()->{ends} - 6 * DAY);
$py = look()->[2];
script('bill_terms', [$acct], renew => $_), look() for 0, 1;
is_deeply([due(), paid($py)], [[49 * USD], ['OK', 49 * USD, 0]],
    'the same amount is told once, and needs no word');
fresh();
buy('month', gateway => 'http');
look();
due();
buy('month');
is_deeply(due(), [25 * USD],
    'the customer is told when the payment is no longer by a gateway');

fresh();
buy('check', gateway => 'http');
wish('k9');
buy('check');
$py = look()->[2];
is_deeply([payment($py)->{kind}, due()], ['topup', [25 * USD]],
    'the customer is told when a top-up is no longer by a gateway');

# --- a payment that is lost --------------------------------------------------

fresh();
buy('month');
$py = look()->[2];
cmd('DEL', k('pay', $ac, $py));
cmd('ZREM', k('payments', $ac), $py);
is(look()->[2], $py, 'a payment that is lost is opened again, by its name');
is(payment($py)->{state}, 'open', 'the payment that was lost waits again');

done_testing();
