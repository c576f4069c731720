#!/usr/bin/perl

# A plan by the check with all programs: checks that daemons make are paid from
# the balance, though daemons are killed between the end of a check and its
# booking (events.t has the events field by field).

use strict;
use warnings;

use RblCheckd;
use RblTest;

use constant { DAY => 86_400_000 };

my $w = world(redis => { appendonly => 1,
    args => ['--appendfsync', 'always'] });
my ($redis, $ac) = ($w->{redis}, $w->{acct}{sid});
my $file = temp_dir() . '/plans.json';
write_file($file, <<'JSON');
{ "version": 1, "plans": [
{ "name": "Business", "paid": 1, "max_hosts": 1000, "max_contacts": 100,
  "max_checks": 5000, "interval": "15m", "price": "25.00", "period": "month" },
{ "name": "By the check", "paid": 1, "max_hosts": 0, "max_contacts": 0,
  "max_checks": 0, "interval": "1h", "check_price": "0.3002" } ] }
JSON

my %conf = (conf_short(), gateway => 'manual', deliver => 'on',
    deliver_http => 'on', deliver_allow => '127.0.0.0/8');
sub daemon {
    return start_checkd(store => $redis, resolver => $w->{dns},
        conf => \%conf);
}
my $checkd = daemon();
my $to = start_receiver();
my $hook = ctl('webhook', 'add', $ac, 'Bills', $to->{url}, '--types',
    'billing.balance.alert,billing.recharge.success,billing.recharge.failed');

sub ctl { return rblctl_json($redis, @_) }

sub refused {
    my ($pattern, @words) = @_;

    my $r = rblctl($redis, 'bill', $words[0], $ac, @words[1 .. $#words]);
    is($r->{status}, 3, "@words is refused") or diag($r->{out});
    like($r->{err}, $pattern,
        "rblctl bill @words has the reason in its message");
}

sub bill { return ctl('bill', 'show', $ac) }
sub opened { return (bill()->{payment} // { id => '' })->{id} }
sub key { return RblCheckd::akey($w, @_) }
sub used { return redis($redis, 'HGET', key('money'), 'used') // 0 }
sub ledger { return @{ ctl('bill', 'ledger', $ac) } }
sub wake { redis($redis, 'ZADD', RblCheckd::pkey($w, 'billdue'), 0, $ac) }

# As if the last look at the bill, and its open payment, had been a day before.
sub next_day {
    my ($py) = @_;

    redis($redis, 'HINCRBY', key('money'), 'day', -1);
    if ($py) {
        my $k = key('pay', $py);
        my $p = record('payment', redis($redis, 'GET', $k));
        redis($redis, 'SET', $k, record_pack('payment', %$p,
            created => $p->{created} - DAY, map { $_ => \$p->{$_} }
            qw(id kind key state reference reason)));
    }
    wake();
}

sub event {
    my ($n, $type) = @_;

    wait_for { received($to) >= $n } 20, "event $n, $type";
    my $e = (received($to))[$n - 1];
    ok(signature_ok($e, $hook->{secret}), "$type is signed");
    is($e->{json}{event_type}, $type, "the event has the type $type");
    return $e->{json};
}


# --- bad input ---------------------------------------------------------------

refused(qr/has no bill/, 'alert', '5');
my $b = ctl('bill', 'plan', $ac, 'By the check', '--file', $file);
is_deeply([@$b{qw(price period expires balance)}], ['0.3002', 'check', '', '0.00'],
    'rblctl bill plan sets a plan by the check');
for my $bad ('', '0', '0.00', '-5', '+5', '5e3', '1E2', '0x10', '5 0', '5,00',
    '5.001', '.5', '5.', '05', '9' x 30, '1000000001', '5 USD', 'EUR 5',
    'nan', 'inf')
{
    refused(qr/be an amount|No amount/, 'topup', $bad);
    next if $bad =~ /^0/ && $bad ne '05' && $bad ne '0x10';
    refused(qr/be an amount/, 'alert', $bad);
    refused(qr/be an amount/, 'recharge', $bad, '25');
    refused(qr/be an amount/, 'recharge', '5', $bad);
}
for my $bad ('', '5', '+', '-', '+0', '-0.00', '+-5', '--5', '+5e3', '+' . '9' x 30,
    '+5.1234567')
{
    refused(qr/with its sign|No amount|unknown option --5/, 'adjust', $bad, 'Why');
}
refused(qr/more than falls_below/, 'recharge', '5', '5');
refused(qr/more than falls_below/, 'recharge', '5.01', '5');
refused(qr/or off/, 'recharge', 'on');
refused(qr/No reason/, 'adjust', '+5', '');
refused(qr/must be a day/, 'ledger', '--from', $_)
    for '2026-11', '26-11-01', '2026-13-01', '2026-11-01x', '1.11.2026';
is_deeply([ledger()], [], 'refused commands book nothing');
wait_for { bill()->{state} eq 'lapsed' } 20, 'without a balance it lapses';


# --- checks cost -------------------------------------------------------------

is(ctl('bill', 'topup', $ac, '2.00', '--reference', 'R-1')->{balance}, '2.00',
    'rblctl bill topup raises the balance');
is(ctl('bill', 'topup', $ac, '2', '--reference', 'R-1')->{balance}, '2.00',
    'a topup with the same reference is booked once');
refused(qr/was booked by that reference, of 2.00 USD/, 'topup', '3', '--reference', 'R-1');
is(bill()->{state}, 'active', 'the topup makes the account active');
is(ctl('bill', 'alert', $ac, '1.50')->{alert}, '1.50',
    'rblctl bill alert sets the threshold');
my @ht = map { add_host($w, "10.0.7.$_") } 1 .. 2;
wait_for { used() == 600_400 } 20, 'two scheduled checks';
is(event(1, 'billing.balance.alert')->{balance}, '1.3996',
    'the event has the balance after two checks');
my $last = (ledger())[-1];
is_deeply([@$last{qw(debit credit amount balance)}],
    ['credit', 'revenue', '0.6004', '1.3996'],
    'the ledger has the use of two checks');
is(used(), 0, 'no use is left after the booking');


# --- the recharge, and a daemon that is killed -------------------------------

$b = ctl('bill', 'recharge', $ac, '1.00', '5.00');
is_deeply([@$b{qw(falls_below recharge_to)}], ['1.00', '5.00'],
    'rblctl bill recharge sets both amounts');

# While billing stops, another daemon makes the checks.
kill_server($checkd);
my %dumb = (%conf, gateway => 'none');
my $other = start_checkd(store => $redis, resolver => $w->{dns},
    conf => { %dumb });
wait_check($w, check_host($w, $ht[0]));
set_due($w, $ht[1]);
wait_for { used() == 600_400 } 20, 'a manual and a scheduled check';
kill_server($other);
is(scalar ledger(), 2, 'the other daemon books no checks');
$checkd = daemon();
wait_for { opened() ne '' } 20, 'the daemon that comes next does it';
my $py = opened();
my ($p) = grep { $_->{id} eq $py } @{ ctl('bill', 'payments', $ac) };
is_deeply([@$p{qw(kind amount state)}], ['recharge', '4.21', 'open'],
    'the daemon opens a recharge for the missing amount');
is((ledger())[-1]{balance}, '0.7992',
    'the daemon books the use of the other daemon');
ctl('bill', 'paid', $ac, $py, '--reference', 'Transfer 7') for 1 .. 2;
is(event(2, 'billing.recharge.success')->{payment}{amount}, '4.21',
    'the event has the amount of the recharge');
is(bill()->{balance}, '5.0092',
    'the balance is that of the use and the recharge');


# --- a recharge that is not paid ---------------------------------------------

redis($redis, 'HINCRBY', key('money'), 'last', -600_000);
is(ctl('bill', 'adjust', $ac, '-4.1', 'Test of <the "recharge">')->{balance},
    '0.9092', 'rblctl bill adjust lowers the balance');
wait_for { opened() ne '' } 20, 'a payment';
$py = opened();
is(event(3, 'billing.balance.alert')->{balance}, '0.9092',
    'a fall below the threshold sends an alert');
next_day($py);
is(event(4, 'billing.recharge.failed')->{reason}, 'unpaid',
    'the event of an unpaid recharge has the reason');
wait_for { opened() ne $py } 20, 'another payment';
ctl('bill', 'recharge', $ac, 'off');
wait_for { opened() eq '' } 20, 'none when it is off';


# --- the end of the balance --------------------------------------------------

ctl('bill', 'adjust', $ac, '-0.6092', 'Less');
set_due($w, $_) for @ht;
wait_for { bill()->{state} eq 'lapsed' } 20, 'the plan lapses';
$b = bill();
is($b->{balance}, '-0.3004',
    'an accepted check may lower the balance below zero');
is(ctl('bill', 'topup', $ac, '10')->{balance}, '9.6996',
    'a topup raises a negative balance');
is(bill()->{state}, 'active', 'a topup makes the lapsed plan active');

my @entries = ledger();
my ($day, $next) = map { POSIX::strftime('%Y-%m-%d', gmtime time + $_ * 86400) }
    0, 1;
is(@{ ctl('bill', 'ledger', $ac, '--from', $next) }, 0,
    'the ledger has no entries from tomorrow on');
is(@{ ctl('bill', 'ledger', $ac, '--to', $day) }, 0,
    'the ledger has no entries before today');
is(@{ ctl('bill', 'ledger', $ac, '--from', $day, '--to', $next) }, @entries,
    'the ledger has all entries of today');
refused(qr/a balance of 9.*does not use; with --now/, 'plan', 'Business',
    '--file', $file);
refused(qr/is 9\.69 USD.* 190\.31 USD .*Confirm that with now/, 'recharge',
    '100', '200');
is(bill()->{recharge_to}, '0.00', 'rblctl bill recharge asks before it charges');
is(ctl('bill', 'plan', $ac, 'Business', '--file', $file, '--now')->{period},
    'month',
    'rblctl bill plan sets a plan by the month');
wait_for { opened() ne '' } 20, 'its payment';
is(bill()->{state}, 'grace', 'the bill is in grace until the payment');
my %seen = map { $_->{json}{event_sid} => 1 } received($to);
is(scalar keys %seen, 4, 'the receiver gets four events with different SIDs');
is(rblctl($redis, 'fsck')->{status}, 0, 'fsck finds nothing');
my %log = map { $_->{call} => 1 } @{ ctl('audit', $ac) };
is_deeply([grep { !$log{$_} } map { "bill/$_" } qw(topup adjust recharge alert
    plan paid)], [], 'the audit log has what was done') or diag(explain(\%log));
done_testing();
