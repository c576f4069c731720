#!/usr/bin/perl

# A rest that is paid is never lost: plans that change inside a paid period, from
# the period to the check and back, the end of a bill, and recharges that reach
# the limit of a day or would be opened at once.

use strict;
use warnings;

use POSIX qw(ceil floor);

use RblScript;
use RblTest;

use constant { DAY => 86_400_000, GRACE => 7 * 86_400_000, USD => 1_000_000 };
use constant { PLAN => 3, PRICE => 4, BEGINS => 7, ENDS => 8, STATE => 9,
    OPEN => 10, CHANGE => 14 };
use constant { P_KIND => 2, P_AMOUNT => 4, P_STATE => 5, P_ATTEMPT => 6,
    P_REASON => 8, P_NEXT => 20 };
use constant { MAX_HOSTS => 7 };

redis_new(cluster => 1);
my $now = int(time) * 1000;
my ($ac, $acct);

sub clock { $now += $_[0]; script_clock($now) }
sub bill { return unpacked(cmd('GET', k('bill', $ac))) }
sub change { my $c = bill()->[CHANGE]; return $c eq '' ? '' : unpacked($c) }
sub payment { return unpacked(cmd('GET', k('pay', $ac, $_[0]))) }
sub hosts_max { return unpacked(cmd('GET', $acct))->[MAX_HOSTS] }
sub balance { return cmd('HGET', k('money', $ac), 'balance') // 0 }
sub left { return balance() - (cmd('HGET', k('money', $ac), 'used') // 0) }
sub look { return script('bill_step', [$acct], grace => GRACE, kept => 0) }
sub ledger { return map { +{ @{ $_->[1] } } }
    @{ cmd('XRANGE', k('ledger', $ac), '-', '+') } }
sub paid { return script('bill_settle', [$acct], result => 'paid',
    payment => $_[0],
    reference => "R$_[0]") }
sub topup { return script('bill_adjust', [$acct], what => 'topup',
    once => sid('PY'),
    amount => $_[0], reference => '') }
sub terms { return script('bill_terms', [$acct], @_) }
sub send_it { return script('bill_send', [$acct], gateway => 'http', live => 1,
    lease => 60_000)->[1] }
sub answer {
    my ($py, $attempt, $result, %o) = @_;

    return script('bill_answer', [$acct], payment => $py, attempt => $attempt,
        result => $result, reference => 'x', %o);
}

# name => [price, period, hosts, shortest interval]
my %plans = (
    Starter => [100 * USD, 'year', 10, 3600],
    Business => [250 * USD, 'year', 1000, 900],
    Month => [25 * USD, 'month', 100, 900],
    Yearly => [600 * USD, 'year', 5000, 900],
    Check => [2000, 'check', 0, 3600],
    Other => [3000, 'check', 0, 3600],
);
sub buy {
    my ($plan, %o) = @_;

    my ($price, $period, $hosts, $shortest) = @{ $plans{$plan} };
    return script('bill_plan', [$acct], gateway => $o{gateway} // 'manual',
        plan => $plan, price => $price, period => $period, paid => 1,
        hosts => $hosts, contacts => 5, checks => 50, shortest => $shortest,
        now => $o{now} // '');
}

# An account that has paid for a plan.
sub fresh {
    my ($plan, %o) = @_;

    ($ac, $acct) = account();
    clock(1000);
    buy($plan, %o);
    my $py = look()->[2];
    return if $py eq '';
    send_it() if $o{gateway};
    $o{gateway} ? answer($py, 1, 'succeeded') : paid($py);
    told();
    return $py;
}

sub told {
    my @all;

    for my $e (@{ cmd('XRANGE', k('outbox'), '-', '+') }) {
        my %f = @{ $e->[1] };
        my $event = unpacked($f{d});
        cmd('XDEL', k('outbox'), $e->[0]);
        next if $event->[2] !~ /^billing/;
        my $d = unpacked($event->[16]);
        push @all, { type => $event->[2], data => $d,
            plan => unpacked($d->[1]) };
    }
    return @all;
}

# The price of the rest of the period.
sub rest {
    my ($price) = @_;

    my $b = bill();
    return $price * (($b->[ENDS] - $now) / ($b->[ENDS] - $b->[BEGINS]));
}


# --- to a plan by the check, and back ----------------------------------------

fresh('Starter');
clock(DAY);
my $before = cmd('GET', k('bill', $ac));
is_deeply(buy('Check'), ['PAID', bill()->[ENDS], 0],
    'a plan by the check is refused while a year is paid');
is(cmd('GET', k('bill', $ac)), $before, 'the refused plan changes nothing');
my $rest = floor(rest(100 * USD));
my $ends = bill()->[ENDS];
is_deeply(buy('Check', now => 1), ['OK'], 'the operator can change it now');
is(balance(), $rest, 'the rest of the year is the balance');
my ($e) = (ledger())[-1];
is_deeply([@$e{qw(d c a)}], ['revenue', 'credit', $rest],
    'the ledger has the rest as an entry of its own');
is($e->{k}, 'rest:' . cmd('ZRANGE', k('payments', $ac), 0, 0)->[0],
    'the entry names the payment of the period');
is_deeply(look(), ['OK', 'active', ''], 'the account goes on with the rest');
is_deeply(buy('Check', now => 1), ['OK'], 'the same command again');
is(balance(), $rest, 'the rest is credited once');
is_deeply(buy('Other'), ['OK'], 'another price of a check needs no more');
is_deeply(buy('Month'), ['PAID', 0, $rest],
    'a plan by the period is refused while there is a balance');
is_deeply(buy('Month', now => 1), ['OK'], 'the operator can change it back');
is(balance(), $rest, 'the balance is kept');
my $py = look()->[2];
is(payment($py)->[P_AMOUNT], 25 * USD, 'the month is to be paid');
paid($py);
is_deeply(buy('Check', now => 1), ['OK'],
    'the operator can change it to the check again');
is(balance(), $rest + 25 * USD, 'an unused month is credited in full');

fresh('Month');
clock(bill()->[ENDS] - $now);
look();
is(bill()->[STATE], 'grace', 'the period is over');
is_deeply(buy('Check'), ['OK'], 'nothing is left then, and nothing is refused');
is(balance(), 0, 'nothing is credited');

# --- the end of a bill ---------------------------------------------------------

fresh('Starter');
clock(100 * DAY);
sub end_bill {
    return script('bill_plan', [$acct], gateway => 'manual', plan => 'Free',
        price => 0, period => '', paid => 0, hosts => 10, contacts => 5,
        checks => 50, shortest => 21600, now => $_[0] eq 'now' ? 1 : '');
}
is(end_bill('end')->[0], 'PAID', 'a bill does not end inside a paid year');
$rest = floor(rest(100 * USD));
is(end_bill('now')->[0], 'OK', 'the operator can end it now');
is(balance(), $rest, 'the rest of the year is in the balance');

# --- upgrades ------------------------------------------------------------------

fresh('Starter');
clock(100 * DAY);
my $cost = 10_000 * ceil(rest(150 * USD) / 10_000);
my $said = buy('Business');
is_deeply([@$said[0, 2]], ['UPGRADE', $cost],
    'a plan that costs more opens a payment of the difference');
$py = $said->[1];
is_deeply([@{ payment($py) }[P_KIND, P_AMOUNT, P_STATE]],
    ['upgrade', $cost, 'open'], 'the payment is a kind of its own');
is_deeply([@{ bill() }[PLAN, OPEN], hosts_max()], ['Starter', $py, 10],
    'the plan does not change before it is paid');
is_deeply(look(), ['OK', 'active', ''], 'no other payment is opened');
is_deeply(buy('Business'), $said, 'the same command again opens no other one');
$ends = bill()->[ENDS];
is_deeply(paid($py), ['OK', $cost, 0], 'the difference is paid');
is_deeply([@{ bill() }[PLAN, PRICE, ENDS, OPEN], hosts_max()],
    ['Business', 250 * USD, $ends, '', 1000],
    'the plan begins, and the period ends as before');
my @events = told();
is_deeply([map { $_->{type}, @{ $_->{plan} }[1, 2] } @events],
    ['billing.renewal.success', 'Business', 250 * USD],
    'the event has the new plan');
is(unpacked($events[0]{data}[2])->[P_AMOUNT], $cost,
    'the event has what was paid');
is_deeply([map { [@$_{qw(d c a r)}] } (ledger())[-1]],
    [['cash', 'revenue', $cost, $py]], 'the ledger has the payment');
is_deeply(buy('Business'), ['OK'], 'the plan again costs nothing');
is(bill()->[OPEN], '', 'no payment is opened for the plan that it has');
$rest = floor(rest(100 * USD));
buy('Check', now => 1);
is(balance(), $rest + $cost, 'the rest is of both payments');

fresh('Month');
clock(bill()->[ENDS] - $now - 7 * DAY - 60_000);
is(buy('Yearly')->[0], 'UPGRADE', 'a plan of another period costs more a day');
is(payment(bill()->[OPEN])->[P_AMOUNT] >= 500_000, 1,
    'an upgrade costs at least half a dollar');
clock(60_000);
$py = bill()->[OPEN];
look();
is_deeply([@{ payment($py) }[P_STATE, P_REASON]], ['void', 'unpaid'],
    'an upgrade that is not paid is void when the renewal is opened');
is_deeply([@{ payment(bill()->[OPEN]) }[P_KIND, P_AMOUNT]],
    ['renewal', 600 * USD], 'the renewal is of the new plan');
is(change()->[9], bill()->[ENDS], 'the plan begins at the end of the period');
is_deeply(paid($py)->[0], 'DONE', 'a void upgrade cannot be paid');
is_deeply(buy('Month'), ['OK'], 'the present plan cancels that');
is_deeply([change(), payment(bill()->[OPEN])->[P_AMOUNT]], ['', 25 * USD],
    'the renewal has its price again');

# --- an upgrade by a gateway ---------------------------------------------------

fresh('Starter', gateway => 'http');
clock(DAY);
$py = buy('Business', gateway => 'http')->[1];
is(send_it(), 'charge', 'the difference is charged at once');
is_deeply(buy($_, gateway => 'http'), ['PAYING', 'sent'],
    "no change to $_ while the difference is charged")
    for qw(Starter Business Check);
answer($py, 1, 'declined', reason => 'card_declined', final => '');
@events = told();
is_deeply([map { ($_->{type}, $_->{plan}[1], @{ $_->{data} }[3, 4]) } @events],
    ['billing.renewal.failed', 'Business', 1, 'card_declined'],
    'an attempt that failed is reported with the plan that it was for');
is(send_it(), '', 'the next attempt is not made at once');
is(buy('Business', gateway => 'http')->[1], $py, 'the operator asks again');
is(send_it(), 'charge', 'the same command is a new attempt');
is(answer($py, 2, 'succeeded')->[1], 'succeeded', 'the new attempt succeeds');
is(bill()->[PLAN], 'Business', 'the plan begins');

# --- downgrades ----------------------------------------------------------------

fresh('Business');
clock(DAY);
$ends = bill()->[ENDS];
is_deeply(buy('Starter'), ['LATER', $ends],
    'a cheaper plan begins at the end of the period');
is_deeply([@{ bill() }[PLAN, OPEN], hosts_max()], ['Business', '', 1000],
    'the account keeps what it has paid for');
is_deeply(buy('Starter'), ['LATER', $ends], 'the same command again');
is_deeply(buy('Business'), ['OK'], 'the present plan cancels that');
is(change(), '', 'no plan begins later');
buy('Starter');
clock($ends - 6 * DAY - $now);
$py = look()->[2];
is(payment($py)->[P_AMOUNT], 100 * USD, 'the renewal is of the cheaper plan');
is_deeply([grep { ref } @{ script('fsck_account', [$acct], mend => 0) }], [],
    'fsck finds nothing while a renewal of the cheaper plan is open');
told();
paid($py);
@events = told();
is_deeply([$events[0]{plan}[1], $events[0]{plan}[3]], ['Starter', 10],
    'the event of the renewal has the cheaper plan');
is_deeply([@{ bill() }[PLAN, BEGINS], hosts_max()], ['Business', $ends, 1000],
    'the plan does not begin before its period');
for my $plan (qw(Month Business Check)) {
    is_deeply(buy($plan, now => 1), ['WAITS', 'Starter', $ends],
        "no change to $plan between the payment and its period");
}
is_deeply(end_bill('now'), ['WAITS', 'Starter', $ends],
    'the bill does not end between the payment and its period');
look();
is(cmd('ZSCORE', k('billdue'), $ac) <= $ends, 1,
    'a daemon looks at the bill when the plan begins');
clock($ends - $now);
look();
is_deeply([@{ bill() }[PLAN, PRICE, STATE], hosts_max(), change()],
    ['Starter', 100 * USD, 'active', 10, ''], 'the cheaper plan begins with its period');

fresh('Business');
buy('Starter');
clock(bill()->[ENDS] - $now);
look();
is_deeply([@{ bill() }[PLAN, STATE], hosts_max()], ['Starter', 'grace', 10],
    'the cheaper plan begins at the end also without a payment');

# --- both within a second --------------------------------------------------------

fresh('Month');
clock(DAY);
$plans{Large} = [50 * USD, 'month', 200, 900];
$plans{Small} = [10 * USD, 'month', 20, 900];
$py = buy('Large')->[1];
is(buy('Small')->[0], 'LATER', 'a downgrade follows an upgrade at once');
is_deeply([@{ payment($py) }[P_STATE, P_REASON]], ['void', 'plan changed'],
    'the upgrade that was not paid is void');
is_deeply([change()->[1], bill()->[OPEN]], ['Small', ''],
    'the later command counts');
my $again = buy('Large');
is_deeply([@$again[0, 1]], ['UPGRADE', $py], 'the upgrade once more');
is_deeply([change()->[1], payment($py)->[P_STATE]], ['Large', 'open'],
    'the upgrade has the same payment, which is open again');
paid($py);
is(buy('Small')->[0], 'LATER', 'a downgrade after the upgrade is paid');
is_deeply([bill()->[PLAN], change()->[1]], ['Large', 'Small'],
    'the account keeps the plan that it has paid for');

# --- what events say of the plan -------------------------------------------------

fresh('Month');
script('account_update', [$acct], interval => 21600, now => 1);
clock(bill()->[ENDS] - $now - 7 * DAY);
paid(look()->[2]);
is((told())[0]{plan}[4], 900, 'the interval in an event is that of the plan,'
    . ' whatever the account has chosen');

# --- recharges: the limit of a day -----------------------------------------------

my $TO = 25 * USD;
sub by_check {
    ($ac, $acct) = account();
    clock(DAY - $now % DAY + 3_700_000);
    buy('Check');
    topup(30 * USD);
    look();
    terms(falls => 5 * USD, to => $TO);
    told();
}
sub use_up {
    cmd('HINCRBY', k('money', $ac), 'used', $_[0]);
    return look()->[2];
}
sub notices {
    my @all;

    for my $e (@{ cmd('XRANGE', k('outbox'), '-', '+') }) {
        my %f = @{ $e->[1] };
        my $event = unpacked($f{d});
        push @all, $event->[13] if $event->[2] eq 'contact.notice';
    }
    return @all;
}
by_check();
cmd('ZADD', k('contacts', $ac), 1, sid('CO'));
for (1 .. 5) {
    clock(600_000);
    my $py = use_up(left() - USD);
    isnt($py, '', "recharge $_ of a day is opened");
    paid($py);
}
is(scalar(my @ok = told()), 5, 'each is reported');
is(use_up(left() - USD), '', 'the sixth one is not opened');
is_deeply([notices()], ['failed'], 'the contacts are told of the limit');
@events = told();
is_deeply([map { $_->{type}, @{ $_->{data} }[3, 4, 10, 11] } @events],
    ['billing.recharge.failed', 0, 'limit', 5 * USD, $TO],
    'the limit is reported as a recharge that failed');
is(int($events[0]{data}[5] / DAY), int($now / DAY) + 1,
    'the event has the time of the next one');
clock(600_000);
use_up(USD / 2);
is_deeply([told()], [], 'the limit is reported once a day');
clock($events[0]{data}[5] - $now);
isnt(look()->[2], '', 'the next day a recharge is opened');

by_check();
script('bill_adjust', [$acct], once => 'x', amount => -300 * USD,
    reason => 'Chargeback');
$py = bill()->[OPEN];
is(payment($py)->[P_AMOUNT], 2 * $TO,
    'a debt opens a recharge of at most twice the amount');

# --- recharges: at once ----------------------------------------------------------

by_check();
$before = cmd('GET', k('terms', $ac));
is_deeply(terms(falls => 2500 * USD, to => 2600 * USD),
    ['NOW', '30.00', '2570.00'],
    'terms that would charge at once are refused with the amount');
is(cmd('GET', k('terms', $ac)), $before, 'the refused terms change nothing');
is_deeply(terms(falls => 10 * USD, to => 60 * USD), ['OK'],
    'terms below the balance need no confirmation');
is_deeply(terms(falls => 2500 * USD, to => 2600 * USD, now => 1), ['OK'],
    'the account can confirm it');
look();
is(payment(bill()->[OPEN])->[P_AMOUNT], 2570 * USD,
    'the recharge that is opened is of that amount');
is_deeply(terms(alert => USD), ['OK'],
    'another choice needs no confirmation then');

done_testing();
