#!/usr/bin/perl

# A bill whose renewal is off owes nothing; one whose daemons were away, or
# whose account was suspended, is charged before it can lapse; and only the
# daemon lets a plan by the check lapse, for the account follows then.

use strict;
use warnings;

use RblScript;
use RblTest;

use constant { DAY => 86_400_000, GRACE => 7 * 86_400_000, USD => 1_000_000 };
use constant { BEGINS => 7, ENDS => 8, STATE => 9, OPEN => 10 };
use constant { P_STATE => 5, P_ATTEMPT => 6, P_REASON => 8, P_NEXT => 20 };

redis_new(cluster => 1);        # all scripts read the same clock key
my $now = 1_800_000_000_000;
my ($ac, $acct, $gateway, $kept);

sub passes { $now += $_[0]; script_clock($now) }
sub bill { return unpacked(cmd('GET', k('bill', $ac))) }
sub payment { return unpacked(cmd('GET', k('pay', $ac, $_[0]))) }
sub look { return script('bill_step', [$acct], grace => GRACE, kept => $kept
    // 0, gateway => $gateway) }
sub asked { return script('bill_send', [$acct], gateway => $gateway, live => 1,
    lease => 60_000)->[1] }
sub renew { return script('bill_terms', [$acct], renew => $_[0])->[0] }
sub answered {
    my ($py, $result, %more) = @_;

    return script('bill_answer', [$acct], payment => $py,
        attempt => payment($py)->[P_ATTEMPT] + 1, result => $result,
        reference => 'r1', reason => 'card_declined', %more)->[0];
}
sub told {
    my @all;
    for my $e (@{ cmd('XRANGE', k('outbox'), '-', '+') }) {
        my %f = @{ $e->[1] };
        my $event = unpacked($f{d});
        cmd('XDEL', k('outbox'), $e->[0]);
        push @all, $event->[2] eq 'contact.notice' ? $event->[13]
            : $event->[2];
    }
    return join ' ', @all;
}

sub buy {
    my ($period, $price) = @_;
    return script('bill_plan', [$acct], gateway => $gateway, plan => 'P',
        price => $price, period => $period, paid => 1, hosts => 1000,
        contacts => 100, checks => 5000, shortest => 900)->[0];
}

# An account that has paid for so many more days.
sub account_of {
    my ($days) = @_;

    ($ac, $acct) = account();
    passes(1000);
    buy('month', 25 * USD);
    my $b = bill();
    @$b[BEGINS, ENDS] = ($now - (31 - $days) * DAY, $now + $days * DAY);
    cmd('SET', k('bill', $ac), packed($b));
    told();
}

# --- renewal is turned off ---------------------------------------------------

for my $of (['manual', 'open'], ['http', 'open'], ['http', 'failed']) {
    my $state;
    ($gateway, $state) = @$of;
    account_of(6);
    my $py = look()->[2];
    if ($gateway eq 'http') {
        asked();
        answered($py, 'declined', final => $state eq 'failed' ? 1 : 0);
    }
    is(payment($py)->[P_STATE], $state, "$gateway: a payment is $state");
    renew(0);
    told();
    look();
    is(join(' ', @{ payment($py) }[P_STATE, P_REASON]), 'void renewal is off',
        "$gateway: a payment that is $state is void without renewal");
    is(bill()->[OPEN], '', "$gateway: nothing is open without renewal");
    like(told(), qr/^expiring\.plan\.alert ends$/, "$gateway: the end of the plan is announced");
    passes(6 * DAY);
    look();
    is(bill()->[STATE], 'grace', 'the period ends');
    passes(GRACE);
    look();
    is(bill()->[STATE], 'lapsed', 'the plan lapses');
    unlike(told(), qr/failed/, 'no event says that a renewal has failed');
    renew(1);
    look();
    is(join(' ', bill()->[OPEN], payment($py)->[P_STATE]), "$py open",
        "$gateway: renewal that is turned on opens the same payment");
}
$gateway = 'http';
account_of(6);
my $py = look()->[2];
asked();
renew(0);
look();
is(payment($py)->[P_STATE], 'sent',
    'a payment that was sent stays without renewal');
is(answered($py, 'succeeded'), 'OK', 'a payment that was sent is booked without renewal');

($gateway, $ac, $acct) = ('manual', account());
buy('month', 25 * USD);
$py = look()->[2];
renew(0);
look();
is(payment($py)->[P_STATE], 'open',
    'the first payment of an account waits for the money');

# --- daemons that were away --------------------------------------------------

$gateway = 'http';
for my $of ([9, 'the payment was never opened'], [6, 'it was open'],
    [4, 'the account was suspended', 1], [6, 'it was declined once', 0, 1])
{
    my ($days, $name, $suspended, $declined) = @$of;
    account_of($days);
    my $py = $days < 7 ? look()->[2] : '';
    if ($declined) {
        asked();
        answered($py, 'declined');
    }
    script('account_status', [$acct], status => 'suspended') if $suspended;
    passes(20 * DAY);
    script('account_status', [$acct], status => 'active') if $suspended;
    told();
    look();
    $py = bill()->[OPEN];
    isnt(bill()->[STATE], 'lapsed', "$name: the plan has not lapsed yet");
    is(told(), '', 'nobody is told that the plan has lapsed');
    cmp_ok(cmd('ZSCORE', k('billdue'), $ac), '>', $now + 60_000,
        'the bill is looked at after the attempt');
    is(asked(), 'charge', 'an attempt is made');
    passes(3000);
    answered($py, 'succeeded');
    is(bill()->[STATE], 'active', 'the attempt pays for the plan');
    is(told(), 'billing.renewal.success paid', 'people are told of the payment alone');

    # The attempt fails, or is not made.
    for my $makes (1, 0) {
        account_of($days);
        my $py = $days < 7 ? look()->[2] : '';
        script('account_status', [$acct], status => 'suspended') if $suspended;
        passes(20 * DAY);
        script('account_status', [$acct], status => 'active') if $suspended;
        look();
        $py = bill()->[OPEN];
        if ($makes) {
            asked();
            answered($py, 'declined');
        }
        told();
        passes(700_000);
        look();
        is(bill()->[STATE], 'lapsed', 'it lapses if the attempt '
            . ($makes ? 'has failed' : 'is not made'));
        like(told(), $makes ? qr/^expired$/
            : qr/^billing.renewal.failed failed expired$/, 'people are told that the plan has lapsed');
    }
}

# --- the balance -------------------------------------------------------------

$gateway = 'manual';
($ac, $acct) = account();
buy('check', 2000);
script('bill_adjust', [$acct], what => 'topup', once => 'x', amount => USD,
    reason => '', reference => 'R');
look();
is(bill()->[STATE], 'active', 'a plan by the check with a balance is active');
for my $of (['a change', 'bill_adjust', what => 'adjust', once => 'y',
    amount => -2 * USD, reason => 'Why', reference => ''], ['a refund', 'bill_refund', amount => USD,
    reference => 'F'])
{
    my ($name, $script, @args) = @$of;
    push @args, payment => cmd('ZRANGE', k('payments', $ac), 0, 0)->[0]
        if $script eq 'bill_refund';
    is(script($script, [$acct], @args)->[0], 'OK', "$name takes the balance");
    is_deeply([grep { ref && $_->[1] =~ /lapse|ledger/ }
        @{ script('fsck_account', [$acct], mend => 0) }], [],
        "$name: fsck finds nothing before the daemon looks");
    look();
    is(bill()->[STATE], 'lapsed', "$name: the daemon lets the plan lapse");
    cmd('DEL', k('outbox'));
    script('bill_adjust', [$acct], what => 'topup', once => $name,
        amount => 5 * USD, reason => '', reference => "R $name");
    look();
    is(bill()->[STATE], 'active', "$name: the plan is active when the debt is paid");
    script('bill_adjust', [$acct], what => 'adjust', once => "z$name",
        amount => -4 * USD, reason => 'Why', reference => '');
}

# The meter has 16 digits before the price, whatever the balance (_charge.lua).
for my $balance (1, 999_999_999) {
    script('bill_adjust', [$acct], once => "m$balance", amount => $balance
        * USD, reason => 'Why');
    look();
    is(substr(cmd('GET', k('meter', $ac)), 8), '2000',
        "the price is behind 16 digits with a balance of $balance USD more");
}
script('bill_adjust', [$acct], once => 'all', amount => -1e15,
    reason => 'Why');
look();
like(cmd('GET', k('meter', $ac)), qr/^.{8}0$/s,
    'the price of a plan that has lapsed is 0, behind 16 digits');
done_testing();
