#!/usr/bin/perl

# Recharges by a card: each attempt that is declined, answers that mean nothing,
# daemons that are killed, a store that is restored.  Three runs without success
# turn recharging off, and contacts are notified.

use strict;
use warnings;

use RblBill;
use RblCheckd qw(fresh_sid script_ok);
use RblStripe;
use RblTest;

use constant { HOUR => 3_600_000 };

my $t = bill_world(redis => { cluster => 1,         # its file is put back
    args => ['--appendfsync', 'always'] });
my ($ac, $stripe, $redis) = @$t{qw(ac stripe redis)};
my $contacts = start_receiver();
my $co = fresh_sid('CO');
script_ok($t, 'contact_add', [redis_key('acct', $ac)], contact => $co,
    type => 'endpoint', value => $contacts->{url}, schedule => 'start_and_end',
    digest => 'digest', code => 'code', event => fresh_sid('EV'));
script_ok($t, 'contact_confirm', [redis_key('acct', $ac)], contact => $co,
    digest => 'digest');

sub behaves {
    my ($name) = @_;
    stripe_card($stripe, source($t, $_->{id})->{method},
        behaves => "pm_card_$name") for @{ ctl($t, 'bill', 'sources', $ac) };
}

sub charges { return scalar @{ stripe_state($stripe)->{charges} } }
sub balance { return ctl($t, 'bill', 'show', $ac)->{balance} }
sub adjust { return ctl($t, 'bill', 'adjust', $ac, $_[0], 'Test')->{balance} }
sub last_payment {
    return redis($redis, 'ZRANGE', redis_key('payments', $ac), -1, -1)->[0];
}

# The balance falls to 4.00; returns the payment that is opened.
sub falls {
    my ($to) = @_;

    # as if the last one had been paid some time ago, and on another day
    redis($redis, 'HSET', redis_key('money', $ac), 'last', 0, 'runs', 0);
    my $n = redis($redis, 'ZCARD', redis_key('payments', $ac));
    adjust(sprintf '%.2f', ($to // 4) - balance());
    due_now($t);
    wait_for { redis($redis, 'ZCARD', redis_key('payments', $ac)) > $n } 20,
        'a recharge is opened';
    return last_payment();
}

# It is paid: charged once, in the ledger once, told once.
sub paid_once {
    my ($name, $py, $amount) = @_;

    wait_for { hurry($t) if (payment($t, $py)->{state} // '') eq 'unknown';
        bill($t)->{open} eq '' } 30, "$name: the end";
    my $p = payment($t, $py);
    is("$p->{state} $p->{amount}", 'succeeded ' . $amount * 1e6,
        "$name: the payment succeeds");
    my @charged = grep { $_->{metadata}{payment} eq $py }
        @{ stripe_state($stripe)->{charges} };
    is(join(' ', map { $_->{amount} } @charged), $amount * 100,
        "$name: the gateway has one charge");
    is(join(' ', map { $_->{a} } grep { $_->{r} eq $py } ledger($t)),
        $amount * 1e6, "$name: the ledger has the charge once");
    wait_for { grep { $_->{json}{payment}{id} eq $py }
        events_of($t, 'billing.recharge.success') } 20, "$name: told";
    my %sids = map { $_->{json}{event_sid} => 1 } grep {
        $_->{json}{payment}{id} eq $py }
        events_of($t, 'billing.recharge.success');
    is(scalar keys %sids, 1, "$name: the receiver gets one event");
    is_deeply(stripe_state($stripe)->{doubled}, [],
        "$name: the gateway charges nothing twice");
    is(rblctl($redis, 'fsck')->{status}, 0, "$name: fsck finds nothing");
}

sub failures { return events_of($t, 'billing.recharge.failed') }


# --- success, declines -------------------------------------------------------

bill_plan($t, 'By the check');
my $ps = add_card($t, 'pm_card_visa');
ctl($t, 'bill', 'topup', $ac, '20');
ctl($t, 'bill', 'recharge', $ac, '5', '25');
paid_once('a recharge', falls(), 21);
is(balance(), '25.00', 'the recharge raises the balance to 25.00');

behaves('chargeDeclined');
my $py = falls();
my $n = 0;
for my $wait (HOUR, DAY, 3 * DAY, 0) {
    $n++;
    wait_for { failures() >= $n } 20, "attempt $n";
    my $p = payment($t, $py);
    my $e = (failures())[-1]{json};
    is_deeply([@$e{qw(attempt reason next_attempt)}], [$n, 'card_declined',
        $wait ? rfc($p->{next}) : ''],
        "attempt $n: the event has the reason and the next attempt");
    my $rest = $p->{next} - time * 1000;
    ok(!$wait && !$p->{next} || abs($rest - $wait) < 60_000,
        "attempt $n: the next attempt is due after $wait ms") or diag($rest);
    last if !$wait;
    if ($wait == HOUR) {
        due_now($t);
        sleep 3;
        is(scalar(failures()), $n,
            "attempt $n: no attempt is made before that time");
    }
    passes($t, $wait);
}
is(join(' ', map { $_->{key} } posts($t, $py)), join(' ', map { "$py-$_" }
    1 .. 4), 'each attempt has a key of its own');
is(charges(), 1, 'the declined attempts charge nothing');


# --- the end after three runs ------------------------------------------------

for my $run (2, 3) {
    due_now($t);
    wait_for { due_now($t); bill($t)->{open} !~ /^(?:$py|)$/ } 20,
        "run $run is opened";
    $py = bill($t)->{open};
    for (1 .. 4) {
        my $attempt = $_;
        wait_for { payment($t, $py)->{attempt} == $attempt } 20,
            "run $run, attempt $attempt";
        passes($t, 3 * DAY) if $attempt < 4;
    }
    is(payment($t, $py)->{state}, 'failed', "run $run has failed");
}
due_now($t);
wait_for { ctl($t, 'bill', 'show', $ac)->{recharge_to} eq '0.00' } 20, 'off';
is(bill($t)->{open}, '', 'no payment is open when the recharge is off');
wait_for { failures() >= 12 } 20, 'all are told';
is(scalar(failures()), 12, 'each failed attempt sends an event');
sub recharge_off {
    return grep { ($_->{json}{title} // '') =~ /recharged/ }
        received($contacts);
}
wait_for { recharge_off() } 20, 'the contact is notified';
due_now($t);
sleep 3;
my @notices = recharge_off();
is(scalar @notices, 1, 'contacts are notified once');
is($notices[0]{json}{title}, 'Plan "By the check" is no longer recharged',
    'the message has the title of an ended recharge');
like($notices[0]{json}{message}, qr/has failed 3 times in a row.*off since 20/,
    'the message says that the recharge has failed three times');
is(charges(), 1, 'the failed runs charge nothing');


# --- unknown, killed ---------------------------------------------------------

behaves('visa');
adjust('+21');
ctl($t, 'bill', 'recharge', $ac, '5', '25');
stripe_fault($stripe, 'cut');
$py = falls();
wait_for { payment($t, $py)->{state} eq 'unknown' } 20, 'nothing is known';
adjust('-1');
is(payment($t, $py)->{amount}, 21_000_000,
    'the payment with an unknown result keeps its amount');
paid_once('an unknown one', $py, 21);

# The answer is held while the daemon is killed.
stripe_fault($stripe, 'delay', seconds => 3);
$py = falls();
wait_for { payment($t, $py)->{state} eq 'sent' } 20, 'it is sent';
kill_server($t->{checkd});
is(payment($t, $py)->{state}, 'sent',
    'the payment remains sent while the daemon is down');
sleep 3;
bill_start($t);
hurry($t);
paid_once('a daemon that was killed', $py, 21);


# --- a backup that is restored -----------------------------------------------

sub backup {
    stop_server($t->{checkd});
    stop_server($redis);
    my $dir = own_dir('backup');
    run_cmd('cp', '-a', "$redis->{dir}/appendonlydir", $dir);
    restart_server($redis);
    bill_start($t);
    return $dir;
}

sub restore {
    my ($dir) = @_;

    kill_server($_) for $t->{checkd}, $redis;
    run_cmd('rm', '-rf', "$redis->{dir}/appendonlydir");
    run_cmd('cp', '-a', "$dir/appendonlydir", $redis->{dir});
    stripe_clock($stripe, 2 * 86_400);
    restart_server($redis);
    bill_start($t);
}

my $was = backup();
my $before = charges();
$py = falls(4);
paid_once('the one to be forgotten', $py, 21);
restore($was);
is(payment($t, $py), undef, 'the restored store has no record of the payment');
is(falls(4), $py, 'the forgotten payment is opened under its old SID');
paid_once('a forgotten one', $py, 21);
is(charges(), $before + 1,
    'the forgotten payment is not charged a second time');

# With another use since the backup the amount is another one: what was charged
# is booked.
$was = backup();
$before = charges();
$py = falls(4);
paid_once('the next one', $py, 21);
restore($was);
is(falls(3), $py, 'the payment of another amount has the old SID');
paid_once('one of another amount', $py, 21);
is(charges(), $before + 1, 'the payment of another amount is not charged');
is(balance(), '24.00', 'the balance has what was charged');
wait_log($t->{checkd}, qr/payment $py: the gateway has charged 21\.00 USD/, 20);
done_testing();
