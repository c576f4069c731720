#!/usr/bin/perl

# rblctl ends what is paid for: bill plan with another plan or one without a
# price, and bill settle for a payment that the daemon may still ask for.  Without
# the option for it, both refuse what would lose money, and change nothing.

use strict;
use warnings;

use RblBillModel qw(end_of);
use RblPortal;
use RblTest;
use Test::More;

my $redis = start_redis();
init_store($redis);
delete $redis->{judge};         # bills are made in the store alone
my $t = { redis => $redis };
my $file = temp_dir() . '/plans.json';
write_file($file, <<'JSON');
{ "version": 1, "plans": [
{ "name": "Free", "paid": 0, "max_hosts": 5, "max_contacts": 2,
  "max_checks": 20, "interval": "6h" },
{ "name": "Small", "paid": 1, "max_hosts": 50, "max_contacts": 2,
  "max_checks": 20, "interval": "1h", "price": "9.00", "period": "month" },
{ "name": "Large", "paid": 1, "max_hosts": 5000, "max_contacts": 2,
  "max_checks": 20, "interval": "1h", "price": "99.00", "period": "month" },
{ "name": "Checks", "paid": 1, "max_hosts": 0, "max_contacts": 0,
  "max_checks": 0, "interval": "1h", "check_price": "0.002" } ] }
JSON
my $gone = temp_dir() . '/gone.json';
write_file($gone, '{ "version": 1, "plans": [ { "name": "Free", "paid": 0,'
    . ' "max_hosts": 5, "max_contacts": 2, "max_checks": 20,'
    . ' "interval": "6h" } ] }');

sub ctl { return rblctl_json($redis, @_) }

sub refused_by_hand {
    my ($acct, $pattern, $name, @words) = @_;

    my $before = state_of($acct);
    my $r = rblctl($redis, @words);
    is($r->{status}, 3, "$name is refused");
    like($r->{err}, $pattern, "$name is refused with the reason");
    is_deeply(state_of($acct), $before, "$name changes nothing");
}

sub payment { return record('payment', redis($redis, 'GET',
    redis_key('pay', $_[0]{sid}, $_[1]))) }

# Bill, payments and plan of an account.
sub state_of {
    my ($acct) = @_;

    return [map { redis($redis, 'GET', $_) } redis_key('bill', $acct->{sid}),
        redis_key('acct', $acct->{sid}), map { redis_key('pay', $acct->{sid},
        $_) } @{ redis($redis, 'ZRANGE', redis_key('payments', $acct->{sid}),
        0, -1) }];
}

# An account that has paid 29.00 for a month.
sub paying {
    my $acct = make_account($redis);
    my $begins = (time - 86_400) * 1000;
    my $anchor = (gmtime $begins / 1000)[3];
    my $ends = end_of($begins, 'month', $anchor);
    my $py = payment_of($t, $acct, 1, begins => $begins, ends => $ends);
    movement_of($t, $acct, '*', k => payment($acct, $py)->{key}, r => $py,
        c => 'revenue', a => 29_000_000);
    bill_of($t, $acct, begins => $begins, ends => $ends, anchor => $anchor);
    return $acct;
}

# --- a plan without a price --------------------------------------------------

my $paid = paying();
my @free = ('bill', 'plan', $paid->{sid}, 'Free', '--file', $file);
refused_by_hand($paid, qr/paid until .*bill renew SID off.*--now/,
    'a plan without a price, while a period is paid,', @free);
is(ctl(@free, '--now')->{hosts}{max}, 5,
    '--now puts the account on the plan without a price');
refused_by_hand($paid, qr/has no bill/, 'bill show of an ended bill', 'bill',
    'show', $paid->{sid});
refused_by_hand($paid, qr/no bill; rblctl account plan/,
    'a plan without a price for an account without a bill', @free);
my @sources = map { source_of($t, $paid, last4 => \$_) } '0001', '0002';
is_deeply([map { "$_->{id} $_->{last4} $_->{exp_year}" } @{ ctl('bill',
    'sources', $paid->{sid}) }], ["$sources[0] 0001 2030",
    "$sources[1] 0002 2030"],
    'bill sources shows the sources of an account without a bill');
is_deeply([map { $_->{id} } @{ ctl('bill', 'source', 'remove', $paid->{sid},
    $sources[0]) }], [$sources[1]],
    'bill source remove shows the sources that are left');
refused_by_hand($paid, qr/$paid->{sid} has no source PS0/, 'an unknown source',
    'bill', 'source', 'remove', $paid->{sid}, 'PS' . '0' x 32);

my $over = make_account($redis);
bill_of($t, $over, begins => time * 1000 - 40 * 86_400_000,
    ends => time * 1000 - 86_400_000);
is(ctl('bill', 'plan', $over->{sid}, 'Free', '--file', $file)->{hosts}{max}, 5,
    'a bill whose period is over ends without --now');

my $rich = make_account($redis);
bill_of($t, $rich, period => \'check', price => 2000);
ctl('bill', 'adjust', $rich->{sid}, '+3.50', 'gift');
my @rich = ('bill', 'plan', $rich->{sid}, 'Free', '--file', $file);
refused_by_hand($rich, qr/balance of 3\.50 USD.*bill adjust.*--now/,
    'a plan without a price beside a balance', @rich);
is(ctl(@rich, '--now')->{hosts}{max}, 5, '--now leaves the balance');

# --- another plan inside a paid period ---------------------------------------

my $moves = paying();
sub moved { return ('bill', 'plan', $moves->{sid}, $_[0], '--file',
    $_[1] // $file) }
sub said { return rblctl($redis, moved(@_))->{err} }
sub shown { return ctl('bill', 'show', $moves->{sid}) }
refused_by_hand($moves, qr/paid until .*--now changes it now, and credits/,
    'a plan by the check, while a period is paid,', moved('Checks'));
like(said('Large'), qr/begins when payment PY[0-9a-f]{32} of \S+ USD is paid/,
    'bill plan names the payment of a plan that costs more');
my $b = shown();
is_deeply([@$b{qw(plan)}, @{ $b->{change} }{qw(plan price period begins)},
    $b->{payment}{kind}], ['Business', 'Large', '99.00', 'month', '',
    'upgrade'], 'bill show has both plans and the payment');
like(said('Small'), qr/begins at \d{4}-\S+, the end of the paid period/,
    'bill plan says when a cheaper plan begins');
$b = shown();
is_deeply([$b->{plan}, $b->{change}{plan}, $b->{change}{begins},
    $b->{payment}], ['Business', 'Small', $b->{expires}, undef],
    'the cheaper plan replaces the one that was not paid');
refused_by_hand($moves, qr/no plan "Small"/, 'a plan that is gone',
    moved('Small', $gone));
is(shown()->{change}{plan}, 'Small', 'a plan that is noted begins although it is gone');
is(ctl(moved('Checks'), '--now')->{balance} > 27, 1,
    '--now credits the rest of the period');
my $rest = (ctl('bill', 'ledger', $moves->{sid}))->[-1];
is($rest->{debit}, 'revenue', 'the ledger has the rest');
refused_by_hand($moves, qr/may be refunded: the rest .*bill adjust pays/,
    'a refund of the rest that was credited', 'bill', 'refund', $moves->{sid},
    ctl('bill', 'payments', $moves->{sid})->[0]{id}, '25.00', '--reference',
    'F1');

my $busy = make_account($redis);
my $charge = payment_of($t, $busy, 1, state => \'sent', done => 0,
    sent => time * 1000, next => time * 1000 + 60_000);
bill_of($t, $busy, open => \$charge);
refused_by_hand($busy, qr/a payment is under way/,
    'a plan without a price, with a charge on its way and --now,', 'bill',
    'plan', $busy->{sid}, 'Free', '--file', $file, '--now');

# --- an open payment whose amount changes ------------------------------------

my $due = make_account($redis);
my $py = payment_of($t, $due, 1, kind => \'renewal', state => \'open',
    done => 0, reference => \'', credited => 0, told => 29_000_000);
bill_of($t, $due, open => \$py, begins => time * 1000, ends => time * 1000);
ctl('bill', 'plan', $due->{sid}, 'Large', '--file', $file);
my @paid = ('bill', 'paid', $due->{sid}, $py);
refused_by_hand($due, qr/is now 99\.00 USD.*told another.*--amount/,
    'a payment whose amount has changed', @paid);
ctl(@paid, '--amount', '99');
is(payment($due, $py)->{state}, 'succeeded', '--amount says what has arrived');

# --- settling by hand --------------------------------------------------------

my @settle = ('bill', 'settle', $busy->{sid}, $charge);
refused_by_hand($busy, qr/is on its way.*--force/,
    'a failure that the operator books while the daemon asks', @settle,
    'failed');
refused_by_hand($busy, qr/no such payment/, 'a payment that is unknown', 'bill',
    'settle', $busy->{sid}, 'PY' . 'f' x 32, 'failed', '--force');
refused_by_hand($busy, qr/succeeded or failed/, 'another end', @settle, 'maybe');
ctl(@settle, 'failed', '--force');
is_deeply([@{ payment($busy, $charge) }{qw(state sent reason)}],
    ['open', 0, 'settled'],
    '--force books the failure, and the payment may be asked for again');

my $done = make_account($redis);
$charge = payment_of($t, $done, 2, state => \'sent', done => 0,
    sent => time * 1000, next => time * 1000 + 60_000);
bill_of($t, $done, open => \$charge);
@settle = ('bill', 'settle', $done->{sid}, $charge, 'succeeded');
ctl(@settle, '--reference', 'pi_7');
is_deeply([@{ payment($done, $charge) }{qw(state reference)}],
    ['succeeded', 'pi_7'], 'a success is booked without --force');
refused_by_hand($done, qr/does not wait for the gateway: it is succeeded/,
    'a payment that is booked', @settle, '--force');
is(scalar @{ redis($redis, 'XRANGE', redis_key('ledger', $done->{sid}), '-',
    '+') }, 1, 'the ledger has the payment once');


# Stripe charges 0.50 to 999999.99 USD at once.
for my $of (['0.49', 3], ['0.50', 0], ['1000000.00', 3], ['999999.99', 0]) {
    my ($price, $status) = @$of;
    my $d = own_dir('price');
    write_file("$d/key", "sk_test_x\n", 0600);
    write_file("$d/plans.json", '{ "version": 1, "plans": [ { "name": "P",'
        . ' "paid": 1, "max_hosts": 1, "max_contacts": 1, "max_checks": 1,'
        . qq( "interval": "1h", "price": "$price", "period": "month" } ] }));
    write_file("$d/conf", "gateway stripe\ngateway_key_file $d/key\n"
        . "bill_plans $d/plans.json\n");
    my $sid = make_account($t->{redis})->{sid};
    my $r = rblctl($t->{redis}, '-c', "$d/conf", 'bill', 'plan', $sid, 'P');
    is($r->{status}, $status, "a plan for $price USD with Stripe");
    like($r->{err}, qr/costs $price USD: Stripe charges 0\.50 to 999999\.99/,
        'the refusal has both amounts') if $status;
}
done_testing();
