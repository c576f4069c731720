#!/usr/bin/perl

# A gateway that does not tell how an attempt has ended: requests that are
# repeated, attempts that were not made, notices to the operator, payments that
# he may settle, and events of a renewal that is not paid when its period ends.

use strict;
use warnings;

use RblScript;
use RblTest;

use constant { HOUR => 3_600_000, DAY => 86_400_000 };
use constant { BEGINS => 7, ENDS => 8, STATE => 9 };
use constant { P_AMOUNT => 4, P_STATE => 5, P_ATTEMPT => 6, P_REASON => 8,
    P_SENT => 18, P_NEXT => 20, P_LATE => 21 };

redis_new(cluster => 1);        # all scripts read the same clock key
my $now = 1_800_000_000_000;
my ($ac, $acct, $gateway, $py);

sub passes { $now += $_[0]; script_clock($now) }
sub bill { return unpacked(cmd('GET', k('bill', $ac))) }
sub payment { return unpacked(cmd('GET', k('pay', $ac, $py))) }
sub state { my $p = payment(); return "$p->[P_STATE] $p->[P_ATTEMPT]" }
sub look { return script('bill_step', [$acct], grace => 7 * DAY, kept => 0,
    gateway => $gateway) }
sub asked { return script('bill_send', [$acct], gateway => $gateway, live => 1,
    lease => 60_000)->[1] }
sub says {
    my ($result, %o) = @_;

    return script('bill_answer', [$acct], payment => $py,
        result => $result, reference => $result eq 'succeeded' ? 'r1' : '',
        attempt => payment()->[P_ATTEMPT] + 1 - ($result eq 'missing'
            && payment()->[P_REASON] eq 'not_made'), %o);
}
sub settle { return script('bill_settle', [$acct], payment => $py, @_)->[0] }

# Events since the last call; of the notices those that are no events, too.
sub told {
    my @all;

    for my $e (@{ cmd('XRANGE', k('outbox'), '-', '+') }) {
        my $event = unpacked({ @{ $e->[1] } }->{d});
        cmd('XDEL', k('outbox'), $e->[0]);
        next if $event->[13] =~ /^(?:paid|failed|low|due)$/;
        my $d = $event->[2] eq 'contact.notice' ? [] : unpacked($event->[16]);
        push @all, join ' ', $event->[2], $event->[2] =~ /notice/
            ? $event->[13] : $event->[2] =~ /failed/ ? @$d[3, 4] : ();
    }
    return \@all;
}

# An account whose period ends in so many days, with its open payment and a
# contact.
sub account_by {
    ($gateway, my $days) = @_;

    ($ac, $acct) = account();
    passes(1000);
    script('bill_plan', [$acct], gateway => $gateway, plan => 'Business',
        price => 25_000_000, period => 'month', paid => 1, hosts => 1000,
        contacts => 100, checks => 5000, shortest => 900);
    my $b = bill();
    @$b[BEGINS, ENDS] = ($now - 25 * DAY, $now + ($days // 7) * DAY);
    cmd('SET', k('bill', $ac), packed($b));
    my $ps = sid('PS');
    cmd('ZADD', k('sources', $ac), 1, $ps);
    cmd('SET', k('source', $ac, $ps), packed([1, $ps, 'card', 'visa', \'4242',
        12, 2099, 'pm', 1, 0, 1, 1]));
    cmd('ZADD', k('contacts', $ac), 1, sid('CO'));
    told();
    $py = look()->[2];
    return;
}

# --- away for hours, days, weeks ---------------------------------------------

for my $hours (20, 25, 60, 24 * 20) {
    account_by('http', 40);
    my $b = bill();
    $b->[ENDS] = $now + 7 * DAY;
    cmd('SET', k('bill', $ac), packed($b));
    $py = look()->[2];
    for (1 .. $hours) {
        asked();
        says('unknown');
        passes(HOUR);
    }
    is(asked(), 'charge', "bill_send repeats the request after $hours hours");
    is(state(), 'sent 0', 'the repeated request has the same key');
    is(says('succeeded')->[0], 'OK', 'the server has charged');
    is(bill()->[STATE], 'active', 'the plan goes on');
}

for my $hours (25, 60) {
    account_by('stripe');
    is(asked(), 'charge', 'Stripe does not answer');
    says('unknown');
    for (1 .. $hours) {
        passes(HOUR);
        says('unknown') if asked() ne '';
    }
    told();
    passes(HOUR);
    is(asked(), 'query', "bill_send queries Stripe after $hours hours");
    is_deeply(says('missing'), ['OK', 'open'], 'all payments are read');
    is(payment()->[P_REASON], 'not_made',
        'the payment has the reason not_made');
    is_deeply(told(), ['billing.renewal.failed 1 not_made'],
        'the attempt has failed');
    is_deeply(says('missing'), ['OK', 'open'],
        'the same answer again changes nothing');
    is(asked(), 'charge', 'the next attempt is made at once');
    is(state(), 'sent 1', 'the next attempt has another key');
    says('succeeded');
}
account_by('stripe');
asked();
passes(23.5 * HOUR);
is(asked(), 'query', 'no request is sent again after 23 hours');
is_deeply(says('missing'), ['OK', 'unknown'],
    'a request of the last day may still arrive');
is(state(), 'unknown 0', 'the attempt goes on');

# A daemon that was off, a suspended account.
account_by('stripe');
asked();
passes(3 * DAY);
is(asked(), 'query', 'bill_send queries Stripe after days without a daemon');
says('missing');
is(asked(), 'charge', 'what was not made is made');
account_by('http');
asked();
script('account_status', [$acct], status => 'suspended');
passes(3 * DAY);
is(asked(), 'query', 'a suspended account is not charged');
says('unknown');
script('account_status', [$acct], status => 'active');
passes(HOUR);
is(asked(), 'charge', 'the request is sent again when it is active');

# A recharge, and an attempt that was sent while the clock was ahead.
($gateway, $ac, $acct) = ('stripe', account());
script('bill_plan', [$acct], gateway => 'stripe', plan => 'P', price => 2000,
    period => 'check', paid => 1, hosts => 0, contacts => 0, checks => 0,
    shortest => 900);
script('bill_terms', [$acct], falls => 5_000_000, to => 25_000_000,
    now => 1);
my $ps = sid('PS');
cmd('ZADD', k('sources', $ac), 1, $ps);
cmd('SET', k('source', $ac, $ps), packed([1, $ps, 'card', 'visa', \'4242', 12,
    2099, 'pm', 1, 0, 1, 1]));
$py = look()->[2];
asked();
passes(26 * HOUR);
asked();
says('missing');
is(asked(), 'charge', 'a recharge that was not made is made');
is_deeply(says('succeeded', amount => 20_100_000), ['OK', 'succeeded'],
    'the gateway has charged another amount');
is(cmd('HGET', k('money', $ac), 'balance'), 20_100_000,
    'what was charged is in the balance');
is(payment()->[P_AMOUNT], 20_100_000, 'the payment has what was charged');
account_by('stripe');
passes(60 * DAY);
asked();
passes(-60 * DAY);
look();
is(asked(), 'charge', 'an attempt of a clock that was ahead is sent again');
passes(26 * HOUR);
asked();
is(says('missing')->[1], 'open', 'the age of the attempt counts from then on');

# --- left to the operator ----------------------------------------------------

account_by('http');
asked();
says('unknown');
is(settle(result => 'failed'), 'FLIGHT',
    'an unknown payment is not settled at once');
passes(46 * HOUR);
asked();
says('unknown');
is_deeply(told(), [], 'nobody is told within two days');
passes(2 * HOUR);
asked();
is(settle(result => 'failed'), 'FLIGHT',
    'a payment that is being sent is not settled');
says('unknown');
is_deeply(told(), ['contact.notice operator'],
    'a notice tells it after two days');
is(payment()->[P_LATE], $now, 'the payment is left to the operator');
ok(payment()->[P_NEXT] > $now, 'the gateway is asked on');
passes(HOUR);
asked();
is(settle(result => 'failed'), 'FLIGHT', 'a request is on its way: not now');
says('misconfigured');
is_deeply(told(), [], 'the notice is sent once');
is(settle(result => 'failed'), 'OK', 'he may settle it then');
is(payment()->[P_LATE], 0, 'the next attempt is not left to him');
is(settle(result => 'failed'), 'STATE', 'twice is refused');

for my $state (qw(processing customer)) {
    account_by('http');
    asked();
    says($state);
    passes(6 * DAY);
    asked();
    told();
    says($state);
    is_deeply(told(), [], "a payment may be $state for days");
    is(settle(result => 'failed'), 'FLIGHT',
        'a payment of six days is not settled');
    passes(2 * DAY);
    asked();
    says($state);
    is_deeply(told(), ['contact.notice operator'],
        "one that is $state for a week is told");
    passes(HOUR);
    is(asked(), 'query', 'the gateway is asked on');
    is(settle(result => 'failed'), 'OK', 'the operator may settle it');
}

# --- the end of the period ---------------------------------------------------

sub events { return [grep { !/notice/ } @{ told() }] }
for my $state (qw(customer processing unknown)) {
    account_by('http');
    asked();
    says($state);
    passes(7 * DAY);
    is(look()->[1], 'grace', "the period ends while the payment is $state");
    is_deeply(events(), ["billing.renewal.failed 1 $state"],
        'an event tells the end');
    passes(7 * DAY);
    is(look()->[1], 'lapsed', 'the grace is over');
    is_deeply(events(), [], 'the event is sent once');
}
# An attempt that should have been made before may be made first.
sub past {
    my ($ms) = @_;
    passes($ms);
    look();
    is_deeply(events(), [], 'nothing is told before the attempt');
    passes(600_000);
    return look()->[1];
}
for my $case (['manual', 'the operator books by hand'],
    ['http', 'no daemon has this gateway'])
{
    account_by($case->[0]);
    $case->[0] eq 'manual' ? passes(7 * DAY) : past(7 * DAY);
    look();
    is_deeply(events(), ['billing.renewal.failed 1 unpaid'],
        "$case->[1]: the end of the period is told");
    is(payment()->[P_ATTEMPT], 0, 'no attempt has failed');
    is(past(7 * DAY), 'lapsed', 'the plan lapses');
    is_deeply(events(), [], 'the event is sent once');
}
account_by('stripe');
cmd('SET', k('source', $ac, $_), packed([1, $_, 'card', 'visa', \'4242', 12,
    2099, 'pm', 0, 0, 1, 1])) for @{ cmd('ZRANGE', k('sources', $ac), 0, -1) };
is(asked(), '', 'all cards are of the other mode');
past(7 * DAY);
is_deeply(events(), ['billing.renewal.failed 1 unpaid'],
    'the end of the period is told');
account_by('http');
asked();
says('declined', reason => 'card_declined', final => 1);
told();
passes(7 * DAY);
look();
passes(7 * DAY);
is(look()->[1], 'lapsed', 'the plan lapses after a decline');
is_deeply(events(), [], 'a decline is told once');

# A daemon that was off until after the end charges first.
account_by('http', 20);
passes(22 * DAY);
$py = look()->[2];
is_deeply(events(), [], 'a payment that was opened after the end is not told');
asked();
says('succeeded');
is_deeply(events(), ['billing.renewal.success'], 'the late payment succeeds');
($gateway, $ac, $acct) = ('manual', account());
script('bill_plan', [$acct], gateway => 'manual', plan => 'P',
    price => 25_000_000, period => 'month', paid => 1, hosts => 0,
    contacts => 0, checks => 0, shortest => 900);
look();
is_deeply(events(), [], 'a new account has not failed to renew');
passes(8 * DAY);
is(look()->[1], 'lapsed', 'an account that never pays lapses');
is_deeply(events(), ['billing.renewal.failed 1 unpaid'],
    'an event tells the lapse');
script('bill_terms', [$acct], renew => 0);
account_by('manual');
script('bill_terms', [$acct], renew => 0);
passes(15 * DAY);
is(look()->[1], 'lapsed', 'a plan that does not renew itself lapses');
is_deeply([grep { /failed/ } @{ events() }], [],
    'no renewal of the plan has failed');

# --- a card that was removed -------------------------------------------------

account_by('stripe');
($ps) = @{ cmd('ZRANGE', k('sources', $ac), 0, -1) };
script('bill_source_gone', [$acct], source => $ps);
look();
is(cmd('EXISTS', k('source', $ac, $ps)), 1,
    'a removed card is kept until the gateway has forgotten it');
is(asked(), 'detach', 'the gateway is asked to forget it');
is(asked(), '', 'bill_send asks only once');
passes(HOUR);
is(asked(), 'detach', 'bill_send asks an hour later again');
script('bill_card', [$acct], source => $ps, gone => 1, month => 0,
    year => 0);
is(cmd('EXISTS', k('source', $ac, $ps), k('setup', $ac, 'gone')), 0,
    'a forgotten card is deleted');
passes(HOUR);
is(asked(), '', 'bill_send asks no more');
for my $other ('manual', 'none') {
    account_by('stripe');
    ($ps) = @{ cmd('ZRANGE', k('sources', $ac), 0, -1) };
    script('bill_source_gone', [$acct], source => $ps);
    $gateway = $other;
    look();
    is(cmd('EXISTS', k('source', $ac, $ps), k('setup', $ac, 'gone')), 0,
        "a daemon with the gateway $other deletes it at once");
}

done_testing();
