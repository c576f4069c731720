#!/usr/bin/perl

# Billing by hand with all programs: a plan, its payments, and the end of both
# (events.t has the events field by field).

use strict;
use warnings;

use RblTest;

use constant { DAY => 86_400_000 };

my $redis = start_redis();
init_store($redis);
my $acct = make_account($redis);
my $ac = $acct->{sid};
my $file = temp_dir() . '/plans.json';
write_file($file, <<'JSON');
{ "version": 1, "plans": [
{ "name": "Business yearly", "paid": 1, "max_hosts": 1000,
  "max_contacts": 100, "max_checks": 5000, "interval": "15m",
  "price": "250.00", "period": "year" },
{ "name": "Free", "paid": 0, "max_hosts": 5, "max_contacts": 2,
  "max_checks": 20, "interval": "6h" } ] }
JSON

my %conf = (gateway => 'manual', deliver_http => 'on',
    deliver_allow => '127.0.0.0/8', schedule => 'off');
my $checkd = start_checkd(store => $redis, conf => \%conf);
my $to = start_receiver();
my $hook = ctl('webhook', 'add', $ac, 'Bills', $to->{url});

sub ctl { return rblctl_json($redis, @_) }

sub refused {
    my ($pattern, @words) = @_;

    my $r = rblctl($redis, @words);
    is($r->{status}, 3, "rblctl @words[0, 1] is refused");
    like($r->{err}, $pattern, "rblctl @words[0, 1] names the reason");
}

sub bill_key { return redis_key(@_) }

# As if the period had begun earlier by that time (ms), and the daemon looks.
sub passes {
    my ($ms) = @_;

    my $key = bill_key('bill', $ac);
    my $b = record('bill', redis($redis, 'GET', $key));
    my $ends = $b->{ends} - $ms;
    redis($redis, 'SET', $key, record_pack('bill', %$b,
        begins => $b->{begins} - $ms, ends => $ends,
        map { $_ => \$b->{$_} } qw(account gateway plan period state open)));
    redis($redis, 'ZADD', bill_key('billdue', $ac) =~ s/:AC.*//r, 0, $ac);
    return $ends;
}

sub event {
    my ($n, $name) = @_;

    wait_for { received($to) >= $n } 20, $name;
    my $e = (received($to))[$n - 1];
    ok(signature_ok($e, $hook->{secret}), "$name is signed");
    return $e;
}

sub shown { return ctl('bill', 'show', $ac) }


# --- refusals --------------------------------------------------------------

refused(qr/has no bill/, 'bill', 'show', $ac);
refused(qr/has no bill/, 'bill', 'renew', $ac, 'off');
refused(qr/no account/, 'bill', 'show', 'AC' . 'f' x 32);
refused(qr/no plan "Gold"/, 'bill', 'plan', $ac, 'Gold', '--file', $file);
refused(qr/the account has no bill/, 'bill', 'plan', $ac, 'Free', '--file', $file);
refused(qr/on or off/, 'bill', 'renew', $ac, 'yes');
is_deeply(redis($redis, 'KEYS', 'rbl:*:bill*'), [],
    'refused commands leave no bill in the store');


# --- the first payment -----------------------------------------------------

my $b = ctl('bill', 'plan', $ac, 'Business yearly', '--file', $file);
is($b->{price}, '250.00', 'the bill has the price of the plan');
is(ctl('account', 'show', $ac)->{hosts}{max}, 1000,
    'the account has the limits of the plan');
wait_for { $b = json(rblctl($redis, 'bill', 'show', $ac, '--json')->{out});
    $b->{payment} } 20, 'the daemon opens a payment';
my $py = $b->{payment}{id};
is($b->{state}, 'grace', 'the account is in grace until the payment');
refused(qr/no such payment/, 'bill', 'paid', $ac, 'PY' . 'f' x 32);
refused(qr/at most 255/, 'bill', 'paid', $ac, $py, '--reference', 'x' x 256);
$b = ctl('bill', 'paid', $ac, $py, '--reference', 'Invoice <7>');
is($b->{state}, 'active', 'a booked payment makes the bill active');
is($b->{payment}, undef, 'no payment is open after the booking');
ctl('bill', 'paid', $ac, $py, '--reference', 'Invoice <7>');
refused(qr/is succeeded, reference "Invoice <7>"/, 'bill', 'paid', $ac,
    $py, '--reference', 'other');

my $e = event(1, 'the event of the payment');
is_deeply([$e->{json}{event_type}, @{ $e->{json}{payment} }{qw(id reference)}],
    ['billing.renewal.success', $py, 'Invoice <7>'],
    'the event has the payment and its reference');
my @entries = @{ ctl('bill', 'ledger', $ac) };
is_deeply([map { [@$_{qw(debit credit amount balance about)}] } @entries],
    [['cash', 'revenue', '250.00', '0.00', $py]],
    'the ledger has the payment once');


# --- the next one is not paid; the operator sells the plan no more ---------

write_file($file, '{ "version": 1, "plans": [ { "name": "Free", "paid": 0,'
    . ' "max_hosts": 5, "max_contacts": 2, "max_checks": 20,'
    . ' "interval": "6h" } ] }');
refused(qr/no plan "Business yearly"/, 'bill', 'plan', $ac, 'Business yearly',
    '--file', $file);
is(shown()->{price}, '250.00', 'the account keeps the price of a removed plan');

my $record = record('bill', redis($redis, 'GET', bill_key('bill', $ac)));
passes($record->{ends} - time * 1000 - 5 * DAY);
wait_for { shown()->{payment} } 20, 'the next payment is opened';
is(shown()->{state}, 'active',
    'the account is active before the end of the period');

# the daemon that would see the end of the period is killed, another one does
kill_server($checkd);
passes(6 * DAY);
$checkd = start_checkd(store => $redis, conf => \%conf);
$e = event(2, 'the event of the renewal that failed');
is_deeply([@{ $e->{json} }{qw(event_type attempt reason next_attempt)}],
    ['billing.renewal.failed', 1, 'unpaid', ''],
    'the event has the attempt and the reason');
is(shown()->{state}, 'grace', 'the account is in grace after the period');
passes(8 * DAY);
wait_for { shown()->{state} eq 'lapsed' } 20, 'the plan lapses';
$b = ctl('bill', 'paid', $ac, shown()->{payment}{id});
is($b->{state}, 'active', 'a late payment makes the bill active');
is(event(3, 'the event of that')->{json}{event_type},
    'billing.renewal.success', 'a late payment sends an event of success');
is(scalar @{ ctl('bill', 'payments', $ac) }, 2,
    'the account has two payments in all');


# --- a plan that ends ------------------------------------------------------

is(ctl('bill', 'renew', $ac, 'off')->{renew}, JSON::XS::false,
    'rblctl bill renew turns renewal off');
$record = record('bill', redis($redis, 'GET', bill_key('bill', $ac)));
passes($record->{ends} - time * 1000 - 6.5 * DAY);
$e = event(4, 'the reminder');
is_deeply([@{ $e->{json} }{qw(event_type days)}], ['expiring.plan.alert', 7],
    'the reminder comes seven days before the end');
is($e->{json}{plan}{auto_renew}, JSON::XS::false,
    'the reminder says that the plan does not renew');

my %seen = map { $_->{json}{event_sid} => 1 } received($to);
is(scalar keys %seen, 4, 'the receiver gets four events with different SIDs');
is(rblctl($redis, 'fsck')->{status}, 0, 'fsck finds nothing');
my @log = grep { $_->{call} =~ /^bill/ } @{ ctl('audit', $ac) };
cmp_ok(scalar @log, '>=', 4, 'the audit log has the commands of billing');
done_testing();
