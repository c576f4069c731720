#!/usr/bin/perl

# Plans by the check: what each check adds to the use, when that is booked, the
# alert, the recharge with its limits, and the end of a balance.

use strict;
use warnings;

use List::Util qw(min);
use RblScript;
use RblSeam;
use RblTest;

use constant { DAY => 86_400_000, PRICE => 2000, USD => 1_000_000 };
use constant { ENDS => 8, STATE => 9, OPEN => 10 };
use constant { P_KIND => 2, P_AMOUNT => 4, P_STATE => 5, P_REASON => 8,
    P_CREATED => 9 };
use constant { E_ATTEMPT => 3, E_REASON => 4, E_BALANCE => 8, E_ALERT => 9,
    E_FALLS => 10, E_TO => 11 };

redis_new();

my ($ac, $acct) = account();
my ($ht) = map { $_->[1] } records(@{ add_host($acct, 'rbl', '192.0.2.1') }[1]);

sub bill { return unpacked(cmd('GET', k('bill', $ac))) }
sub payment { return unpacked(cmd('GET', k('pay', $ac, $_[0]))) }
sub money { my %m = @{ cmd('HGETALL', k('money', $ac)) }; return \%m }
sub used { return money()->{used} // 0 }
sub balance { return money()->{balance} // 0 }
sub left { return balance() - used() }
sub wakes { return cmd('ZSCORE', k('billdue'), $ac) eq '0' }
sub look { return script('bill_step', [$acct], grace => 0, kept => 0) }
sub topup { return script('bill_adjust', [$acct], what => 'topup',
    once => sid('XX'),
    amount => $_[0], reference => $_[1] // '') }
sub terms { return script('bill_terms', [$acct], falls => $_[0], to => $_[1],
    alert => $_[2], now => 1) }
sub paid {
    my $r = script('bill_settle', [$acct], result => 'paid',
        payment => $_[0], reference => "R$_[0]");
    return $r->[0] eq 'OK' ? ['OK'] : $r;
}

sub buy {
    my ($period, $price) = @_;

    return script('bill_plan', [$acct], gateway => 'manual', plan => 'P',
        price => $price // PRICE, period => $period // 'check', paid => 1,
        hosts => 0, contacts => 0, checks => 0, shortest => 900, now => 1);
}

# As if that had been so much earlier (ms).
sub passes {
    my ($ms) = @_;

    my $m = money();
    cmd('HSET', k('money', $ac), 'day', $m->{day} - int($ms / DAY),
        'last', ($m->{last} // 0) - $ms);
    my $b = bill();
    return if $b->[OPEN] eq '';
    my $p = payment($b->[OPEN]);
    $p->[P_CREATED] -= $ms;
    cmd('SET', k('pay', $ac, $b->[OPEN]), packed($p));
}

# So much is used, at a price of 1, by a check that has finished.
sub use_up {
    my ($n) = @_;

    cmd('HINCRBY', k('money', $ac), 'used', $n - PRICE);
    check(result('RBa', 'clear'));
}

sub told {
    my @all;

    for my $e (@{ cmd('XRANGE', k('outbox'), '-', '+') }) {
        my %f = @{ $e->[1] };
        my $event = unpacked($f{d});
        cmd('XDEL', k('outbox'), $e->[0]);
        push @all, { sid => $event->[1], type => $event->[2],
            data => unpacked($event->[16]) } if $event->[2] =~ /^billing/;
    }
    return @all;
}
sub types { return [map { $_->{type} } @_] }

sub ledger {
    return map { my %f = @{ $_->[1] }; \%f }
        @{ cmd('XRANGE', k('ledger', $ac), '-', '+') };
}

# A scheduled check of the host that ends by check_finish.
sub job {
    cmd('ZADD', k('due', $ac), 1, $ht);
    cmd('ZADD', k('due'), 1, $ac);
    my ($job) = take('d', 1);
    return begin_job($job)->[8];
}
sub check {
    my (@results) = @_;
    return finish_check($acct, job(), $ht, \@results)->[0];
}


# --- what a check costs ------------------------------------------------------

check(result('RBa', 'clear'));
is(cmd('EXISTS', k('money', $ac)), 0, 'an account without a bill has no use');
is_deeply(buy(), ['OK'], 'a plan by the check');
is(bill()->[ENDS], 0, 'a plan by the check has no end');
is_deeply(topup(5 * USD, 'first'), ['OK', 5 * USD], 'money in advance');
is_deeply(look(), ['OK', 'active', ''], 'the account is active');
is(balance(), 5 * USD, 'the top-up is the balance');
is_deeply(topup(5 * USD, 'first'), ['OK', 5 * USD], 'the same again');
is_deeply(topup(6 * USD, 'first'), ['USED', '5.00'],
    'bill_adjust refuses the reference with another amount');
is(balance(), 5 * USD, 'a repeated top-up has one effect');
is(scalar ledger(), 1, 'the ledger has one entry for the top-up');

my $pp = job();
is(finish_check($acct, $pp, $ht, [result('RBa', 'clear')])->[0], 'OK',
    'check_finish ends a check');
is(used(), PRICE, 'costs its price');
is(finish_check($acct, $pp, $ht, [result('RBa', 'clear')])->[0], 'DONE',
    'check_finish ends the check only once');
is(used(), PRICE, 'a check that is finished again costs nothing');
check(result('RBa', 'listed', codes => ['127.0.0.2']), result('RBb', 'unknown'));
is(used(), 2 * PRICE, 'a listing costs the same');
check(result('RBa', 'unknown'), result('RBb', 'unknown'));
is(used(), 2 * PRICE, 'a check without an answer costs nothing');
check(result('RBa', 'skipped'), result('RBb', 'skipped'));
is(used(), 2 * PRICE, 'a check that queries no list costs nothing');
finish_check($acct, job(), $ht, [], 'Failed.');
is(used(), 2 * PRICE, 'one that failed costs nothing');
check(result('RBa', 'clear'));
is(used(), 3 * PRICE, 'a clear check costs its price again');

# one-off and manual
$pp = sid('PP');
is(script('check_start', [$acct], check => $pp, host => $ht, app => 'APx',
    keep => 60_000, lists => '0')->[0], 'OK', 'a manual check');
take('m', 1);
begin($acct, $pp, $ht);
finish_check($acct, $pp, $ht, [result('RBa', 'clear')]);
is(used(), 4 * PRICE, 'costs its price');
$pp = sid('PP');
is(script('check_start', [$acct], check => $pp, value => '192.0.2.9',
    family => 1, callback => 'rbl', app => 'APx', keep => 60_000,
    lists => '0')->[0], 'OK', 'a check without a host');
take('m', 1);
begin($acct, $pp, '');
finish_check($acct, $pp, '', [result('RBa', 'clear')]);
is(used(), 5 * PRICE, 'costs its price');

# in batches
sub batch {
    my (@hosts) = @_;

    cmd('ZADD', k('due', $_->[0]), 1, $_->[1]), cmd('ZADD', k('due'), 1, $_->[0])
        for @hosts;
    my @flight;
    for my $job (take('d', scalar @hosts)) {
        my ($of, $pp, $host, undef, $lease) = split /:/, $job, 5;
        my $r = begin_job($job);
        push @flight, { member => "$of:$host",
            flight => cmd('HGET', k('flight:due'), "$of:$host") };
    }
    return script('check_clear', [k('flight:due')], columns(@flight),
        interval => 3600);
}
my $before = used();
is_deeply(batch([$ac, $ht]), ['OK', '1'], 'a clear check alone');
is(used() - $before, PRICE, 'costs its price');
my @more = map { $_->[1] } records(@{ script('host_add', [$acct], name => 'n',
    type => 'rbl', family => 1, host => [map { sid('HT') } 1 .. 5],
    value => [map { "192.0.2.1$_" } 1 .. 5]) }[1 .. 5]);
my ($ac2, $acct2) = account();
my ($free) = map { $_->[1] } records(@{ add_host($acct2, 'rbl', '192.0.2.7') }[1]);
$before = used();
my $r = batch((map { [$ac, $_] } @more), [$ac2, $free]);
is(scalar(grep { $_ eq '1' } @$r), 6, 'six in a batch');
is(used() - $before, 5 * PRICE, 'each of the account costs its price');
is(cmd('EXISTS', k('money', $ac2)), 0,
    'a check of an account without a bill costs nothing');

is_deeply(buy('check', 3000), ['OK'], 'the price changes');
$before = used();
$pp = job();
is_deeply(buy('check', PRICE), ['OK'], 'while a check runs');
finish_check($acct, $pp, $ht, [result('RBa', 'clear')]);
is(used() - $before, PRICE, 'the price is that of the bill at its end');


# --- bookings ----------------------------------------------------------------

look();
my $n = ledger();
look() for 1 .. 3;
is(scalar ledger(), $n, 'looking does not book');
my $use = used();
passes(DAY);
is_deeply(look(), ['OK', 'active', ''], 'the next day');
my $last = (ledger())[-1];
is_deeply([@$last{qw(d c a)}], ['credit', 'revenue', $use],
    'the use of the day is booked');
like($last->{k}, qr/^use:\d{4}-\d\d-\d\d:1$/, 'under the day and a number');
is($last->{b}, 5 * USD - $use, 'the entry has the balance after it');
is_deeply([used(), left()], [0, $last->{b}], 'nothing is left out');
look();
is(scalar ledger(), $n + 1, 'the use of the day is booked only once');
my $next = cmd('ZSCORE', k('billdue'), $ac);
my $midnight = (int(time / 86400) + 1) * DAY;
ok($next >= $midnight && $next < $midnight + DAY / 24,
    'the bill is due again within an hour after midnight');


# --- the alert ---------------------------------------------------------------

is_deeply([told()], [], 'nothing was told so far');
is_deeply(terms('', '', 4 * USD), ['OK'], 'an alert below 4 USD');
look();
is_deeply(types(told()), [], 'the balance is above');
use_up(left() - 4 * USD);
ok(!wakes(), 'a balance at the threshold wakes no daemon');
look();
is_deeply(types(told()), [], 'a balance at the threshold sends no alert');
use_up(PRICE);
ok(wakes(), 'below it a daemon looks at once');
look();
my @e = told();
is_deeply(types(@e), ['billing.balance.alert'],
    'a balance below the threshold sends an alert');
is_deeply([@{ $e[0]{data} }[E_BALANCE, E_ALERT]], [4 * USD - PRICE, 4 * USD],
    'the alert has the balance and the threshold');
is(used(), 0, 'the use is booked then');
use_up(PRICE);
ok(!wakes(), 'the next check wakes nobody');
look();
is_deeply(types(told()), [], 'the alert is sent only once');
topup(USD);
look();
use_up(left() - 4 * USD + 1);
look();
my @f = told();
is_deeply(types(@f), ['billing.balance.alert'],
    'the alert is sent again after a top-up');
isnt($f[0]{sid}, $e[0]{sid}, 'as another event');
terms('', '', 0);
look();


# --- the recharge ------------------------------------------------------------

is_deeply(terms(5 * USD, 5 * USD, ''), ['RECHARGE'], 'no more than the limit');
is_deeply(terms(2 * USD, 25 * USD, ''), ['OK'], 'a recharge below 2 USD');
is_deeply(look(), ['OK', 'active', ''],
    'a balance above the limit opens no recharge');
use_up(left() - 2 * USD);
is_deeply(look(), ['OK', 'active', ''],
    'a balance at the limit opens no recharge');
use_up(PRICE);
ok(wakes(), 'below it a daemon looks');
my $py = look()->[2];
isnt($py, '', 'a balance below the limit opens a payment');
is_deeply([@{ payment($py) }[P_KIND, P_AMOUNT, P_STATE]],
    ['recharge', 23_010_000, 'open'],
    'the recharge is in whole cents, rounded up');
is(bill()->[OPEN], $py, 'the bill has the open payment');
is(look()->[2], '', 'one at a time');
is_deeply(types(told()), [], 'nothing is told yet');
is_deeply(paid($py), ['OK'], 'bill_settle accepts the payment');
is_deeply(paid($py), ['OK'], 'bill_settle accepts the payment again');
@e = told();
is_deeply(types(@e), ['billing.recharge.success'],
    'the recharge is reported once');
is_deeply([@{ $e[0]{data} }[E_FALLS, E_TO]], [2 * USD, 25 * USD],
    'the event has the terms of the recharge');
$last = (ledger())[-1];
is_deeply([@$last{qw(d c a r k)}], ['cash', 'credit', 23_010_000, $py,
    "rc:$ac:1"], 'the ledger has it');
is(bill()->[OPEN], '', 'nothing is open');

use_up(left() - USD);
is(look()->[2], '', 'no other one within ten minutes');
# The daemon also looks at midnight.
my $last_at = money()->{last};
$next = min($last_at + 600_000, $last_at - $last_at % DAY + DAY);
ok(abs(cmd('ZSCORE', k('billdue'), $ac) - $next) < 30_000,
    'the bill is due after ten minutes');
passes(600_000);
$py = look()->[2];
isnt($py, '', 'the next recharge is opened after ten minutes');
is(topup(10 * USD)->[0], 'OK', 'money by another way');
is(payment($py)->[P_STATE], 'void', 'a top-up makes the open recharge void');
is(bill()->[OPEN], '', 'the bill has no open payment');
is_deeply(paid($py), ['OK'], 'a void recharge can still be paid');
told();

# the least
terms(34 * USD, 34 * USD + 1, '');
use_up(left() - 34 * USD + 1);
passes(600_000);
$py = look()->[2];
is(payment($py)->[P_AMOUNT], 500_000, 'a recharge is at least 0.50 USD');
paid($py);

# limits of a day
passes(DAY);
look();
told();
terms(20 * USD, 21 * USD, '');
my @py;
for (1 .. 7) {
    passes(600_000);
    use_up(left() - 19 * USD);
    my $py = look()->[2];
    push @py, $py if $py ne '';
    paid($py) if $py ne '';
}
is(scalar @py, 5, 'an account has at most five recharges a day');
passes(DAY);
look();
paid(bill()->[OPEN]);
terms(1, 100 * USD, '');
use_up(left() + 150 * USD);
passes(600_000);
$py = look()->[2];
is(payment($py)->[P_AMOUNT], 200 * USD,
    'a recharge is at most twice the amount');
is(bill()->[STATE], 'lapsed', 'the plan has lapsed meanwhile');
is_deeply(paid($py), ['OK'],
    'bill_settle accepts the recharge of a lapsed account');
is(bill()->[STATE], 'active', 'the recharge makes the account active again');
told();

# not paid
passes(DAY);
look();
terms(20 * USD, 25 * USD, '');
use_up(left() - 15 * USD);
$py = look()->[2];
my $first = $py;
for my $run (1 .. 3) {
    passes(DAY - 60_000);
    is(look()->[2], '', "run $run: not paid yet");
    is_deeply(types(told()), [], 'nothing is told');
    is(cmd('ZSCORE', k('billdue'), $ac) <= payment($py)->[P_CREATED] + DAY, 1,
        'a daemon looks when its day is over');
    passes(60_001);
    my $next = look()->[2];
    @e = told();
    is_deeply(types(@e), ['billing.recharge.failed'],
        "run $run: the unpaid recharge is reported as failed");
    is_deeply([@{ $e[0]{data} }[E_ATTEMPT, E_REASON, E_FALLS, E_TO]],
        [1, 'unpaid', 20 * USD, 25 * USD],
        "run $run: the event has the reason");
    is_deeply([@{ payment($py) }[P_STATE, P_REASON]], ['void', 'unpaid'],
        "run $run: the unpaid recharge is void");
    is($next eq '', $run == 3, 'the next one is open, but not after the third');
    $py = $next;
}
is(unpacked(cmd('GET', k('terms', $ac)))->[4], 0, 'the recharge is off');
passes(DAY);
is(look()->[2], '', 'no recharge is opened after the third failure');
is_deeply(paid($first), ['OK'], 'money that comes late is booked');
is_deeply(types(told()), ['billing.recharge.success'],
    'the late payment is reported');
terms(20 * USD, 25 * USD, '');
use_up(left() - 15 * USD);
passes(600_000);
isnt(look()->[2], '', 'turned on again');
told();


# --- the end of the balance --------------------------------------------------

terms(0, 0, '');
look();
is(bill()->[OPEN], '', 'turned off, it is not open');
use_up(left() - 1);
look();
is(bill()->[STATE], 'active', 'the last micro-USD');
check(result('RBa', 'clear'));
ok(wakes(), 'a check that uses up the balance wakes a daemon');
my $accepted = job();
is_deeply(look(), ['OK', 'lapsed', ''], 'the plan lapses without a grace');
is(left(), 1 - PRICE, 'below zero by what was accepted');
is(finish_check($acct, $accepted, $ht, [result('RBa', 'clear')])->[0], 'OK',
    'a check that was accepted ends');
is(used(), 0, 'a check that ends after the plan lapsed costs nothing');
ok(!wakes(), 'a check of a lapsed account wakes no daemon');
look();
is(bill()->[STATE], 'lapsed', 'the account stays lapsed');
topup(USD);
is(bill()->[STATE], 'active', 'a top-up makes the account active');
is_deeply(types(told()), [], 'no event has this name');


# --- from one kind of plan to the other --------------------------------------

terms(20 * USD, 25 * USD, '');
passes(DAY);
$py = look()->[2];
check(result('RBa', 'clear'));
my $left = left();
is_deeply(buy('month', 25 * USD), ['OK'], 'a plan by the month');
is(payment($py)->[P_STATE], 'void', 'what is open is void');
is_deeply([left(), used()], [$left, 0], 'the use is booked, the balance stays');
check(result('RBa', 'clear'));
is(used(), 0, 'a check costs nothing');
$py = look()->[2];
is(payment($py)->[P_KIND], 'renewal', 'a payment of the period is open');
is_deeply(buy(), ['OK'], 'bill_plan accepts the plan by the check again');
is(payment($py)->[P_STATE], 'void', 'the open payment of the month is void');
is_deeply(paid($py)->[0], 'DONE', 'the void payment is not booked');
is(look()->[1], 'active', 'there is still money');
check(result('RBa', 'clear'));
is(used(), PRICE, 'a check costs its price again');

is(script('bill_adjust', [$acct], once => 'x1', amount => -3 * USD,
    reason => 'Refund')->[0], 'OK', 'the operator takes back');
$last = (ledger())[-1];
is_deeply([@$last{qw(d c a r)}], ['credit', 'adjust', 3 * USD, 'Refund'],
    'the ledger has it') if $last->{d} eq 'credit' && $last->{c} eq 'adjust';
is_deeply(script('bill_adjust', [$acct], once => 'x2', amount => 2e15,
    reason => 'Gift'), ['LIMIT'],
    'bill_adjust refuses an amount that is too large');
is_deeply(topup(2e15), ['LIMIT'],
    'bill_adjust refuses an amount that is too large');
my %sum;
for my $e (ledger()) {
    $sum{ $e->{d} } -= $e->{a};
    $sum{ $e->{c} } += $e->{a};
}
is($sum{credit}, balance(), 'the balance is the sum of the ledger');
done_testing();
