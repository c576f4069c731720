#!/usr/bin/perl

# No account is charged for anything that has ended: hosts that are still checked on a
# lapsed plan, a suspended account, an account whose bill was ended, a payment
# that is settled while a charge is on its way.

use strict;
use warnings;

use RblScript;
use RblTest;

use constant { DAY => 86_400_000, GRACE => 7 * 86_400_000 };
use constant { BEGINS => 7, ENDS => 8, STATE => 9, OPEN => 10 };
use constant { P_STATE => 5, P_SOURCE => 13, P_SENT => 18,
    P_NEXT => 20, P_LATE => 21 };

redis_new();

sub bill { return unpacked(cmd('GET', k('bill', $_[0]))) }
sub payment { return unpacked(cmd('GET', k('pay', @_))) }
sub put_payment { my ($ac, $p) = @_;
    cmd('SET', k('pay', $ac, $p->[1]), packed($p)) }

sub buy {
    my ($acct, $gateway, $price, $period) = @_;

    return script('bill_plan', [$acct], gateway => $gateway,
        plan => 'Business', price => $price, period => $period, paid => 1,
        hosts => 1000, contacts => 100, checks => 5000, shortest => 900);
}

sub end_bill {
    my ($acct, $now) = @_;

    return script('bill_plan', [$acct], gateway => 'manual', plan => 'Free',
        price => 0, period => '', paid => 0, hosts => 10, contacts => 5,
        checks => 50, shortest => 21600, now => $now ? 1 : '');
}

sub look { return script('bill_step', [$_[0]], grace => GRACE, kept => 5) }
sub status { return script('account_status', [$_[0]], status => $_[1]) }
sub is_due { return defined cmd('ZSCORE', k($_[1]), $_[0]) }
sub asked {
    my ($acct) = @_;
    return script('bill_send', [$acct], gateway => 'http', live => 1,
        lease => 60_000)->[1];
}

sub ends_in {
    my ($ac, $ms) = @_;

    my $b = bill($ac);
    @$b[BEGINS, ENDS] = (time * 1000 - 30 * DAY, time * 1000 + $ms);
    $b->[STATE] = 'active';
    cmd('SET', k('bill', $ac), packed($b));
}

# --- hosts that are kept on a lapsed plan ------------------------------------

my ($ac, $acct) = account();
buy($acct, 'manual', 500_000, 'check');
script('bill_adjust', [$acct], what => 'topup',
    once => sid('PY'), amount => 1_000_000);
look($acct);
is(cmd('GET', k('meter', $ac)) =~ s/^.{8}//sr, 500_000,
    'a check costs the price while there is a balance');
cmd('HINCRBY', k('money', $ac), 'used', 1_500_000);
look($acct);
is(bill($ac)->[STATE], 'lapsed', 'the plan lapses below the balance');
is(cmd('GET', k('meter', $ac)) =~ s/^.{8}//sr, 0,
    'a check of a kept host costs nothing on a lapsed plan');
script('bill_adjust', [$acct], what => 'topup',
    once => sid('PY'), amount => 2_000_000);
is(bill($ac)->[STATE], 'active', 'the plan goes on with a balance');
is(cmd('GET', k('meter', $ac)) =~ s/^.{8}//sr, 500_000,
    'a check costs the price again');

# --- a suspended account -----------------------------------------------------

($ac, $acct) = account();
buy($acct, 'http', 25_000_000, 'month');
ends_in($ac, 6 * DAY);
status($acct, 'suspended');
is(look($acct)->[2], '', 'no payment is opened for a suspended account');
ok(!is_due($ac, 'billdue'), 'no daemon looks at the bill of a suspended account');
ends_in($ac, -30 * DAY);
is_deeply(look($acct), ['OK', 'active', ''],
    'the bill of a suspended account does not change after its period');
status($acct, 'active');
ok(is_due($ac, 'billdue'), 'an active account has its bill looked at');
ends_in($ac, 6 * DAY);
my $py = look($acct)->[2];
isnt($py, '', 'a payment is opened for an active account');
status($acct, 'suspended');
is(asked($acct), '', 'nothing is charged while the account is suspended');
is(payment($ac, $py)->[P_STATE], 'open', 'the payment stays open');
status($acct, 'active');
is(asked($acct), 'charge', 'the payment is charged when the account is active');
status($acct, 'suspended');
my $p = payment($ac, $py);
$p->[P_NEXT] = 1;
put_payment($ac, $p);
is(asked($acct), 'query',
    'a suspended account is only asked for how a request has ended');

# --- settled while a charge is on its way ------------------------------------

status($acct, 'active');
sub settle {
    my ($result, %o) = @_;

    return script('bill_settle', [$acct], payment => $py, result => $result,
        %o)->[0];
}
is(settle('failed'), 'FLIGHT',
    'a payment that the daemon asks for cannot be settled as failed');
is(payment($ac, $py)->[P_STATE], 'sent', 'a refused settlement changes nothing');
is(settle('failed', force => '1'), 'OK', 'the operator can force it');
is(payment($ac, $py)->[P_STATE], 'open', 'the payment is open again');
put_payment($ac, do { my $q = payment($ac, $py);
    @$q[P_STATE, P_SENT, P_NEXT, P_LATE] = ('unknown', 1, time * 1000, 1);
    $q });
is(settle('failed'), 'OK',
    'a payment that was left to the operator can be settled');
put_payment($ac, do { my $q = payment($ac, $py);
    @$q[P_STATE, P_SENT, P_NEXT] = ('unknown', 1, time * 1000); $q });
is(settle('succeeded', reference => 'pi_1'), 'OK',
    'a payment that has succeeded can be settled at any time');

# --- a final decline ends recharges ------------------------------------------

for my $attempt (1, 4) {
    my ($ac, $acct) = account();
    buy($acct, 'stripe', 500_000, 'check');
    script('bill_adjust', [$acct], what => 'topup',
        once => sid('PY'), amount => 9_000_000);
    my $ps = sid('PS');
    cmd('ZADD', k('sources', $ac), 1, $ps);
    cmd('SET', k('source', $ac, $ps), packed([1, $ps, 'card', 'visa', \'4242',
        12, 2099, 'pm', 1, 7, 1, 1]));
    script('bill_terms', [$acct], falls => 5_000_000, to => 25_000_000);
    cmd('HINCRBY', k('money', $ac), 'used', 8_000_000);
    my $py = look($acct)->[2];
    isnt($py, '', 'a recharge is opened');
    for my $n (1 .. $attempt) {
        put_payment($ac, do { my $q = payment($ac, $py); $q->[P_NEXT] = 0; $q })
            if $n > 1;
        script('bill_send', [$acct], gateway => 'stripe', live => 1,
            lease => 60_000);
        script('bill_answer', [$acct], payment => $py, attempt => $n,
            result => 'declined',
            reason => $n == $attempt ? 'stolen_card' : 'card_declined',
            final => $n == $attempt ? 1 : '', text => 'text');
    }
    is(payment($ac, $py)->[P_STATE], 'failed',
        "attempt $attempt of a recharge is declined for good");
    is(look($acct)->[2] // '', '', 'no recharge follows it');
    is(unpacked(cmd('GET', k('terms', $ac)))->[4], 0,
        'recharges are off until the account turns them on again');
    is(bill($ac)->[OPEN], '', 'no payment is open');
}

# --- a final decline is of one source --------------------------------------------

{
    my ($ac, $acct) = account();
    buy($acct, 'stripe', 25_000_000, 'month');
    my @ps = map { sid('PS') } 1 .. 2;
    my $card = sub {
        my ($ps, $added) = @_;
        cmd('ZADD', k('sources', $ac), $added, $ps);
        cmd('SET', k('source', $ac, $ps), packed([1, $ps, 'card', 'visa',
            \'4242', 12, 2099, "pm_$ps", 1, 7, $added, $added]));
    };
    $card->($ps[0], 1);
    my $send = sub { script('bill_send', [$acct], gateway => 'stripe',
        live => 1, lease => 60_000)->[1] };
    my $choose = sub { script('bill_terms', [$acct], source => $_[0]) };
    my $py = look($acct)->[2];
    my $declined = sub {
        script('bill_answer', [$acct], payment => $py, attempt => $_[0],
            result => 'declined', reason => 'stolen_card', final => 1,
            text => 'stolen');
        return payment($ac, $py)->[P_STATE];
    };
    is($send->(), 'charge', 'the only card is charged');
    is($declined->(1), 'failed', 'a final decline ends the attempts by a card');
    $card->($ps[1], 2);
    look($acct);
    is($send->(), '', 'a card that is there and not chosen is not charged');
    $choose->($ps[0]);
    look($acct);
    is($send->(), '', 'the card that was declined is not charged again when it'
        . ' is chosen');
    $choose->($ps[1]);
    look($acct);
    is($send->(), 'charge', 'another card is charged when it is chosen');
    is(payment($ac, $py)->[P_SOURCE], $ps[1], 'the charge is of that card');
    is($declined->(2), 'failed', 'a final decline of the other card ends the attempts, too');
    look($acct);
    is($send->(), '', 'the chosen card is not charged again');
    my $made = time * 1000;
    cmd('SET', k('setup', $ac), packed([1, 'open', $made, '', 'cs', 'u', 0,
        '']));
    is(script('bill_session', [$acct], made => $made, state => 'done',
        session => 'cs', customer => 'cus', method => 'pm_3', live => 1,
        type => 'card', brand => 'visa', last4 => '4343', month => 12,
        year => 2099)->[0], 'OK', 'a third card is added');
    is($send->(), '', 'the chosen card is not charged again when another is'
        . ' added');
}

# --- the end of a bill -------------------------------------------------------

is(script('account_plan', [$acct], plan => 'Free', paid => 0, hosts => 10,
    contacts => 5, checks => 50, shortest => 21600)->[0], 'BILL',
    'account plan refuses an account that has a bill');
is_deeply([@{ end_bill($acct) }[0, 1]], ['PAID', bill($ac)->[ENDS]],
    'a bill does not end while the period is paid');
isnt(bill($ac), undef, 'a refused end changes nothing');
is(end_bill($acct, 1)->[0], 'OK', 'the operator can end it now');
is(cmd('GET', k('bill', $ac)), undef, 'the account has no bill');
is(look($acct)->[1], '', 'a daemon finds no bill');
ok(!is_due($ac, $_), "the account is not in $_") for qw(billdue paydue);
is(script('account_plan', [$acct], plan => 'Free', paid => 0, hosts => 10,
    contacts => 5, checks => 50, shortest => 21600)->[0], 'OK',
    'account plan takes an account without a bill');
is(end_bill($acct)->[0], 'FREE', 'there is no bill to end');

($ac, $acct) = account();
buy($acct, 'http', 25_000_000, 'month');
$py = look($acct)->[2];
asked($acct);
is_deeply([@{ end_bill($acct) }[0, 1]], ['PAYING', 'sent'],
    'a bill does not end while a payment is under way');
put_payment($ac, do { my $q = payment($ac, $py);
    @$q[P_STATE, P_SENT, P_NEXT] = ('failed', 0, 0); $q });
is(end_bill($acct)->[0], 'OK', 'a bill ends when nothing is paid');
is(payment($ac, $py)->[P_STATE], 'void', 'the open payment is void');

($ac, $acct) = account();
buy($acct, 'manual', 500_000, 'check');
script('bill_adjust', [$acct], what => 'topup',
    once => sid('PY'), amount => 1_000_000);
is_deeply(end_bill($acct), ['PAID', 0, 1_000_000],
    'a bill does not end while there is a balance');
cmd('HINCRBY', k('money', $ac), 'used', 400_000);
is(end_bill($acct, 1)->[0], 'OK', 'the operator can end it now');
is(cmd('HGET', k('money', $ac), 'balance'), 600_000,
    'the balance without the use stays in the books');
is(cmd('GET', k('meter', $ac)), undef, 'a check costs nothing');

($ac, $acct) = account();
buy($acct, 'manual', 500_000, 'check');
look($acct);
is(bill($ac)->[STATE], 'lapsed', 'the plan has lapsed without a balance');
is(end_bill($acct)->[0], 'OK', 'the operator can end a lapsed bill');
is(unpacked(cmd('GET', $acct))->[13], 0, 'the hosts are checked again');

done_testing();
