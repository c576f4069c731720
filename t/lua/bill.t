#!/usr/bin/perl

# Bills of accounts by the period: the calendar of periods, each transition and
# its event.

use strict;
use warnings;

use Time::Local qw(timegm);

use RblBillModel qw(end_of);
use RblScript;
use RblTest;

use constant { DAY => 86_400_000, GRACE => 7 * 86_400_000 };
use constant { PLAN => 3, PRICE => 4, ANCHOR => 6, BEGINS => 7, ENDS => 8,
    STATE => 9, OPEN => 10, TOLD => 11 };
use constant { P_AMOUNT => 4, P_STATE => 5, P_ATTEMPT => 6, P_REASON => 8,
    P_BEGINS => 11, P_ENDS => 12 };

srand(my $seed = $ENV{RBL_SEED} // time);
diag("RBL_SEED=$seed");
redis_new();

sub bill { return unpacked(cmd('GET', k('bill', $_[0]))) }
sub payment { return unpacked(cmd('GET', k('pay', @_))) }

# As if the bill had been made earlier by that time (ms).
sub passes {
    my ($ac, $ms) = @_;

    my $b = bill($ac);
    $b->[$_] -= $ms for BEGINS, ENDS;
    cmd('SET', k('bill', $ac), packed($b));
    return if $b->[OPEN] eq '';
    my $p = payment($ac, $b->[OPEN]);
    $p->[$_] -= $ms for P_BEGINS, P_ENDS;
    cmd('SET', k('pay', $ac, $b->[OPEN]), packed($p));
}

sub buy {
    my ($acct, $price, $period) = @_;

    return script('bill_plan', [$acct], gateway => 'manual',
        plan => 'Business', price => $price, period => $period, paid => 1,
        hosts => 1000, contacts => 100, checks => 5000, shortest => 900);
}

sub renew {
    my ($acct, $on) = @_;
    return script('bill_terms', [$acct], renew => $on);
}

sub look { return script('bill_step', [$_[0]], grace => GRACE, kept => 0) }

sub paid {
    my ($acct, $py, $reference, $amount) = @_;
    return script('bill_settle', [$acct], result => 'paid', payment => $py,
        reference => $reference // "R$py", amount => $amount // '');
}

# Reads the events that the outbox has, and removes them; not the notices.
sub told {
    my @all;

    for my $e (@{ cmd('XRANGE', k('outbox'), '-', '+') }) {
        my %f = @{ $e->[1] };
        my $event = unpacked($f{d});
        push @all, $event->[2] eq 'contact.notice' ? () : { sid => $event->[1], type => $event->[2],
            data => unpacked($event->[16]) };
        cmd('XDEL', k('outbox'), $e->[0]);
    }
    return @all;
}

sub types { return [map { $_->{type} } @_] }

sub ledger {
    my ($ac) = @_;
    return map { +{ @{ $_->[1] } } }
        @{ cmd('XRANGE', k('ledger', $ac), '-', '+') };
}


# --- the calendar ----------------------------------------------------------

my ($ac, $acct) = account();
is_deeply(buy($acct, 25_000_000, 'month'), ['OK'], 'an account has a bill');
my @dates = map { 1000 * timegm(1, 2, 3, @$_) } [31, 0, 2027], [31, 0, 2028],
    [30, 0, 2028], [29, 1, 2028], [28, 1, 2027], [31, 11, 2026],
    [31, 7, 2026], [1, 2, 2100], [29, 1, 2000], [31, 0, 2400];
push @dates, map { int rand 4_102_444_800_000 } 1 .. 300;
my $wrong = 0;
for my $from (@dates) {
    my $anchor = (gmtime $from / 1000)[3] + (rand() < 0.3 ? int rand 3 : 0);
    $anchor = 31 if $anchor > 31;
    for my $period ('month', 'year') {
        my ($ac, $acct) = account();
        buy($acct, 1_000_000, $period);
        my $b = bill($ac);
        @$b[BEGINS, ENDS, ANCHOR] = ($from, $from, $anchor);
        cmd('SET', k('bill', $ac), packed($b));
        my $r = look($acct);
        # one that lies ahead is opened in time only
        if ($r->[2] eq '') {
            $b->[ENDS] > time * 1000 or $wrong++;
            next;
        }
        my $want = end_of($from, $period, $anchor);
        my $got = payment($ac, $r->[2])->[P_ENDS];
        $got == $want or $wrong++, diag("$from $period $anchor: $got, $want");
    }
}
is($wrong, 0, scalar(@dates) . ' dates: periods end as the calendar says');
told();


# --- a plan, its payment, the next one -------------------------------------

# Looks, and returns the payment that was opened.
sub opened {
    my ($name) = @_;

    my $py = look($acct)->[2];
    isnt($py, '', $name);
    return $py;
}

my $open = opened('the first payment is opened at once');
my $b = bill($ac);
is($b->[STATE], 'grace', 'the account has not paid, and goes on');
is_deeply([@{ payment($ac, $open) }[P_AMOUNT, P_STATE]],
    [25_000_000, 'open'],
    'the first payment is open for the price of the plan');
is_deeply(look($acct), ['OK', 'grace', ''],
    'looking again opens no second one');
is(cmd('ZCARD', k('payments', $ac)), 1, 'there is one payment');
is_deeply([told()], [], 'bill_step writes no event before a period ends');

is_deeply(buy($acct, 30_000_000, 'month'), ['OK'],
    'another plan before it is paid');
is(payment($ac, $open)->[P_AMOUNT], 30_000_000,
    'changes what is to be paid');
is_deeply(buy($acct, 25_000_000, 'month'), ['OK'],
    'bill_plan accepts the first plan again');

is_deeply(paid($acct, sid('PY')), ['PAYMENT'], 'an unknown payment');
is_deeply(paid($acct, $open), ['AMOUNT', '25.00'],
    'bill_settle asks for the amount, because people were told two');
is_deeply(paid($acct, $open, undef, 25_000_000), ['OK', 25_000_000, 0],
    'the payment is booked');
my @events = told();
is_deeply(types(@events), ['billing.renewal.success'],
    'a billing.renewal.success event reports the payment');
is_deeply(paid($acct, $open), ['OK', 25_000_000, 0],
    'bill_settle accepts the same payment again');
is_deeply(paid($acct, $open, 'R2'), ['DONE', 'succeeded', "R$open"],
    'bill_settle refuses the payment with another reference');
is_deeply([told()], [], 'a payment that is booked twice is reported once');
is_deeply([map { { %$_{qw(k d c a r b)} } } ledger($ac)], [{ d => 'cash',
    c => 'revenue', a => 25_000_000, r => $open, b => 0,
    k => payment($ac, $open)->[3] }],
    'the ledger has it once');
$b = bill($ac);
is($b->[STATE], 'active', 'the account is active');
is($b->[OPEN], '', 'no payment is open');
cmp_ok($b->[ENDS] - $b->[BEGINS], '>=', 28 * DAY,
    'the paid period lasts a month');

is_deeply(look($acct), ['OK', 'active', ''], 'nothing is due now');
sub in_a_day { return abs($_[0] / 1000 - time - 86_400) < 60 }
ok(in_a_day(cmd('ZSCORE', k('billdue'), $ac)),
    'the bill is looked at again in a day');
passes($ac, $b->[ENDS] - time * 1000 - 7 * DAY - 60_000);
look($acct);
is(cmd('ZSCORE', k('billdue'), $ac), bill($ac)->[ENDS] - 7 * DAY,
    'the bill is due again seven days before the end');
$b = bill($ac);

passes($ac, $b->[ENDS] - time * 1000 - 7 * DAY + 1000);
$open = opened('then the next payment is opened');
is(bill($ac)->[STATE], 'active', 'the account stays active');
passes($ac, 7 * DAY);
is_deeply(look($acct), ['OK', 'grace', ''], 'unpaid at the end');
@events = told();
is_deeply(types(@events), ['billing.renewal.failed'],
    'an unpaid renewal is reported as failed');
is_deeply([@{ $events[0]{data} }[3, 4]], [1, 'unpaid'],
    'the event has the reason of the failure');
look($acct);
is_deeply([told()], [], 'the failed renewal is reported only once');
ok(in_a_day(cmd('ZSCORE', k('billdue'), $ac)),
    'a bill in its grace is looked at in a day');
my $ends = bill($ac)->[ENDS];
is_deeply(paid($acct, $open), ['OK', 25_000_000, 0], 'paid in the grace');
told();
is(bill($ac)->[BEGINS], $ends, 'the period begins where the last one ended');
is(bill($ac)->[STATE], 'active', 'the account is active after the payment');


# --- lapse and return ------------------------------------------------------

passes($ac, bill($ac)->[ENDS] - time * 1000 + 1);
$open = opened('a payment that nobody makes');
passes($ac, GRACE);
is_deeply(look($acct), ['OK', 'lapsed', ''], 'the plan lapses after the grace');
is(cmd('ZSCORE', k('billdue'), $ac), undef, 'a lapsed bill is no longer due');
told();
my $began = time;
is_deeply(paid($acct, $open), ['OK', 25_000_000, 0], 'paid after all');
$b = bill($ac);
is($b->[STATE], 'active', 'the late payment makes the account active');
is_current($b->[BEGINS] / 1000, $began,
    'the new period begins with the late payment');
told();


# --- a plan that does not renew itself -------------------------------------

is_deeply(renew($acct, 0), ['OK'], 'renewal is turned off');
my %days = map { $_ => 1 } 14, 7, 1;
for my $days (20, 14, 10, 7, 3, 1) {
    my $b = bill($ac);
    passes($ac, $b->[ENDS] - time * 1000 - $days * DAY + 1000);
    is_deeply(look($acct), ['OK', 'active', ''], "$days days before its end");
    @events = told();
    is_deeply([map { $_->{type} . $_->{data}[6] } @events],
        [$days{$days} ? "expiring.plan.alert$days" : ()],
        "the account gets only the alert due at $days days");
    look($acct);
    is_deeply([told()], [], "bill_step sends no second alert at $days days");
}
is(bill($ac)->[OPEN], '', 'no payment is opened');
passes($ac, DAY + 1000);
is_deeply(look($acct), ['OK', 'grace', ''],
    'a plan that is not renewed enters its grace period');
is_deeply(types(told()), [], 'no renewal has failed');
is_deeply(renew($acct, 1), ['OK'], 'turned on in the grace');
opened('a payment is opened');

is_deeply(renew(k('acct', sid('AC')), 1), ['BILL'],
    'an account without a bill');
is_deeply(buy(k('acct', sid('AC')), 1, 'month'), ['ACCOUNT'],
    'an unknown account');

done_testing();
