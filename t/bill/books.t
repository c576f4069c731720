#!/usr/bin/perl

# rblctl for the operator's books: refunds, amounts that differ, references,
# and tables of payments and of the ledger, by days and of all accounts.

use strict;
use warnings;

use RblPortal;
use RblTest;
use Test::More;

use constant { DAY => 86_400_000 };

my $redis = start_redis();
init_store($redis);
delete $redis->{judge};         # bills are made in the store alone
my $t = { redis => $redis };
my ($acct, $other) = map { make_account($redis) } 1 .. 2;
my $ac = $acct->{sid};
my $jan = 1_799_971_200_000;            # 15 January 2027

sub ctl { return rblctl_json($redis, @_) }
sub refused_by_hand {
    my ($pattern, $name, @words) = @_;

    my $before = redis_digest($redis);
    my $r = rblctl($redis, @words);
    is($r->{status}, 3, "$name is refused") or diag($r->{out});
    like($r->{err}, $pattern, "$name is refused with the reason");
    is(redis_digest($redis), $before, "$name changes nothing");
}
sub payment { return record('payment', redis($redis, 'GET',
    redis_key('pay', $ac, $_[0]))) }
sub ledger { return map { { @{ $_->[1] } } } @{ redis($redis, 'XRANGE',
    redis_key('ledger', $ac), '-', '+') } }

# --- another amount, and money that is paid back -----------------------------

my ($py, $late) = map { payment_of($t, $acct, $_, kind => \'renewal',
    state => \'open', done => 0, reference => \'') } 1, 2;
bill_of($t, $acct, open => \$py);
for my $bad ('0.001', '1e9', '-1', '0', '1000000001', '', 'x') {
    refused_by_hand(qr/amount/, "an amount of \"$bad\"", 'bill', 'paid', $ac,
        $py, '--amount', $bad);
    refused_by_hand(qr/amount/, "a refund of \"$bad\"", 'bill', 'refund', $ac,
        $py, '--reference', 'F1', $bad) if $bad !~ /^-/;
}
refused_by_hand(qr/the payment is open/, 'a refund of an open one',
    'bill', 'refund', $ac, $py, '1.00', '--reference', 'F1');
ctl('bill', 'paid', $ac, $py, '--amount', '28.50', '--reference', '2026-1');
is(payment($py)->{amount}, 28_500_000, 'rblctl books what has arrived');
like(rblctl($redis, 'bill', 'paid', $ac, $py, '--amount', '28.50',
    '--reference', '2026-1')->{err}, qr/Booked 28\.50 USD for $py\.\n/,
    'rblctl says what was booked');
refused_by_hand(qr/booked by that reference, of 28\.50 USD/,
    'a reference that was booked', 'bill', 'paid', $ac, $late, '--reference',
    '2026-1');
refused_by_hand(qr/reference/, 'a refund without its number', 'bill', 'refund',
    $ac, $py, '1.00');
refused_by_hand(qr/above what is left of the payment: 28\.50/,
    'a refund above the payment', 'bill', 'refund', $ac, $py, '28.51',
    '--reference', 'F1');
like(ctl('bill', 'refund', $ac, $py, '10.00', '--reference', 'F1')->{done},
    qr/money moves at the gateway/, 'rblctl says that it moves no money');
ctl('bill', 'refund', $ac, $py, '10.00', '--reference', 'F1');
is(payment($py)->{refunded}, 10_000_000, 'a refund that runs twice is one');
is_deeply([map { $_->{x} } ledger()], ['2026-1', 'F1'],
    'the ledger has the operator\'s references');
ctl('bill', 'adjust', $ac, '+1.00', 'gift', '--reference', 'G1') for 1 .. 2;
is((ledger())[-1]{b}, 1_000_000, 'a change that runs twice is one');
is(scalar(grep { $_->{call} =~ /refund/ } @{ ctl('audit', $ac) }), 1,
    'the audit log has the refund');

my $odd = make_account($redis);
my $much = payment_of($t, $odd, 1, kind => \'renewal', state => \'open',
    done => 0, reference => \'');
bill_of($t, $odd, open => \$much);
like(rblctl($redis, 'bill', 'paid', $odd->{sid}, $much, '--amount', '30')
    ->{err}, qr/Booked 29\.00 USD for $much, and 1\.00 USD for the balance\./,
    'what is above the price is in the balance');
is_deeply([map { "@$_{qw(debit credit amount balance)}" } @{ ctl('bill',
    'ledger', $odd->{sid}) }], ['cash credit 1.00 1.00',
    'cash revenue 29.00 1.00'], 'the ledger has both parts');

# --- tables ------------------------------------------------------------------

sub table {
    my (@words) = @_;

    my $r = rblctl($redis, 'bill', @words, '--csv');
    is($r->{status}, 0, "bill @words prints a table") or diag($r->{err});
    return map { [map { s/^"|"$//gr } split /,/] } split /\r\n/, $r->{out};
}
my @rows = table('ledger', $ac);
is_deeply([map { [@$_[3 .. 8]] } @rows[1 .. 3]],
    [['cash', 'revenue', '28.50', '0.00', $py, '2026-1'],
    ['revenue', 'cash', '10.00', '0.00', $py, 'F1'],
    ['adjust', 'credit', '1.00', '1.00', 'gift', 'G1']],
    'the table of the ledger has purpose and reference');
redis($redis, 'DEL', redis_key($_, $ac)) for qw(ledger payments);
movement_of($t, $acct, ($jan + $_->[0]) . '-0', k => $_->[1], r => $_->[2])
    for [0, 'rn:1', 'PYa'], [16 * DAY, 'rn:2', 'PYb'],
    [17 * DAY + 1, 'use:2027-01-31:1', '2027-01-31'],
    [17 * DAY + 2, 'rn:3', 'PYc'],
    [18 * DAY, 'use:2027-02-01:2', '2027-02-01'];
my @days = ('--from', '2027-01-01', '--to', '2027-02-01');
is_deeply([map { $_->[7] } table('ledger', $ac, @days)],
    ['about', 'PYa', 'PYb', '2027-01-31'],
    'the table of a month has the use of its last day');
is_deeply([map { $_->{about} } @{ ctl('bill', 'ledger', $ac, @days) }],
    ['PYa', 'PYb', '2027-01-31'],
    'the list of a month has the use of its last day');
is_deeply([map { $_->{about} } @{ ctl('bill', 'ledger', $ac, '--from',
    '2027-02-01') }], ['PYc', '2027-02-01'], 'the next month has it not');
refused_by_hand(qr/--from must be a day/, "from $_", 'bill', 'ledger', $ac,
    '--from', $_) for '2027-02-30', '2027-13-01', '1.1.2027', '2027-1-1';
my @py = map { payment_of($t, $_->[0], $_->[1], created => $jan, refunded => 0,
    done => $_->[2], plan => \'Business', gateway => \'manual',
    reference => \"R$_->[1]") }
    [$acct, 3, $jan], [$other, 4, $jan + DAY], [$acct, 5, $jan + 40 * DAY],
    [$other, 6, 0];
@rows = table('payments', @days);
is_deeply($rows[0], [qw(account id kind plan begins ends amount refunded state
    reason gateway reference created done currency)],
    'the table of payments has its head');
is_deeply([sort map { "@$_[0, 1, 3, 10, 11]" } @rows[1 .. $#rows]],
    [sort "$ac $py[0] Business manual R3",
    map { "$other->{sid} $_->[0] Business manual R$_->[1]" } [$py[1], 4],
    [$py[3], 6]],
    'payments of all accounts have plan, gateway and reference');
is_deeply([map { $_->{id} } @{ ctl('bill', 'payments', $ac) }],
    [@py[2, 0]], 'the payments of one account, the oldest first');
is_deeply([sort map { "$_->{account} $_->{id}" } @{ ctl('bill', 'payments',
    @days) }], [sort "$ac $py[0]", map { "$other->{sid} $_" } @py[1, 3]],
    'the list of all accounts has the same');
refused_by_hand(qr/no account/, 'the payments of nobody', 'bill', 'payments',
    'AC' . 'f' x 32);
done_testing();
