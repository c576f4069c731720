#!/usr/bin/perl

# fsck of the ledger: an account in order has no fault, and each way to spoil
# its books is found.

use strict;
use warnings;

use RblScript;
use RblTest;

use constant { P_KIND => 2, P_AMOUNT => 4, P_STATE => 5 };

my $redis = redis_new();
cmd('HSET', 'rbl:meta', 'schema', schema_version(), 'partitions', 1, 'created',
    1);
rblctl($redis, 'upgrade');
my ($ac, $acct) = account();
my $ledger = k('ledger', $ac);

sub buy {
    script('bill_plan', [$acct], gateway => 'manual', plan => 'P',
        price => 25_000_000, period => 'month', paid => 1, hosts => 0,
        contacts => 0, checks => 0, shortest => 900);
    my $py = script('bill_step', [$acct], grace => 0, kept => 0)->[2];
    script('bill_settle', [$acct], result => 'paid',
        payment => $py, reference => 'R1');
    return $py;
}

my $py = buy();
my ($entry) = @{ cmd('XRANGE', $ledger, '-', '+') };

sub faults {
    my $r = rblctl($redis, 'fsck', '--json');
    my $rows = json($r->{out} || die $r->{err});
    return $r->{status}, map { "$_->{fault} $_->{where}: $_->{text}" }
        @{ ref $rows eq 'HASH' ? $rows->{faults} : $rows };
}

sub found {
    my ($name, $pattern, $spoil, $mend) = @_;

    $spoil->();
    my ($status, @all) = faults();
    is($status, 1, "fsck finds $name");
    is(scalar(grep { /$pattern/ } @all), 1,
        "fsck reports $name once with its reason")
        or diag(join "\n", @all);
    $mend->();
    is_deeply([faults()], [0], "fsck finds no fault after $name is removed");
}

is_deeply([faults()], [0], 'fsck finds no fault in the books');

sub add {
    my (%f) = (k => 'x', d => 'cash', c => 'credit', a => 1, r => $py, b => 0,
        @_);
    return cmd('XADD', $ledger, '*', map { $_ => $f{$_} } qw(k d c a r b));
}

my $id;
my $drop = sub { cmd('XDEL', $ledger, $id) };
found('an entry twice', qr/twice/, sub {
    $id = cmd('XADD', $ledger, '*', @{ $entry->[1] }) }, $drop);
found('a sum that is not the balance', qr/money: is not the sum/,
    sub { $id = add() }, $drop);
found("an amount of $_", qr/no movement/, do { my $a = $_; sub {
    $id = add(a => $a) } }, $drop)
    for '0', '-1', 'x', '1e3', '9' x 30;
found('an unknown account', qr/no movement/, sub { $id = add(c => 'gold') },
    $drop);
found('a movement from an account to itself', qr/no movement/,
    sub { $id = add(c => 'cash') }, $drop);
found('a balance from nowhere', qr/money: is not the sum/,
    sub { cmd('HSET', k('money', $ac), 'balance', 5) },
    sub { cmd('HSET', k('money', $ac), 'balance', 0) });
found('a payment that is not in the ledger', qr/\Q$py\E: .*not in the ledger/,
    sub { cmd('XDEL', $ledger, $entry->[0]) },
    sub { cmd('DEL', $ledger);
        cmd('XADD', $ledger, '*', @{ $entry->[1] }) });
my $raw = cmd('GET', k('pay', $ac, $py));
found('an entry of a payment that is open', qr/\Q$py\E: .*not succeeded/, sub {
    my $p = unpacked($raw);
    $p->[P_STATE] = 'open';
    cmd('SET', k('pay', $ac, $py), packed($p));
}, sub { cmd('SET', k('pay', $ac, $py), $raw) });
my $p = unpacked($raw);
sub spoilt {
    my ($i, $value) = @_;
    my @p = @$p;
    $p[$i] = $value;
    cmd('SET', k('pay', $ac, $py), packed(\@p));
}
my $heal = sub { cmd('SET', k('pay', $ac, $py), $raw) };
found('an entry of another amount', qr/as another payment/,
    sub { spoilt(P_AMOUNT, 5) }, $heal);
found('an entry of another kind', qr/as another payment/,
    sub { spoilt(P_KIND, 'topup') }, $heal);
found('two payments for the same', qr/for the same/, sub {
    my @p = @$p;
    @p[1, P_STATE] = ($id = sid('PY'), 'void');
    cmd('SET', k('pay', $ac, $id), packed(\@p));
    cmd('ZADD', k('payments', $ac), 1, $id);
}, sub { cmd('ZREM', k('payments', $ac), $id); cmd('DEL', k('pay', $ac, $id)) });
found('another balance after an entry', qr/another balance/, sub {
    cmd('DEL', $ledger);
    my @f = @{ $entry->[1] };
    $f[-1] = 7;
    cmd('XADD', $ledger, '*', @f);
}, sub { cmd('DEL', $ledger); cmd('XADD', $ledger, '*', @{ $entry->[1] }) });
found('use without its key', qr/no movement/,
    sub { $id = add(d => 'credit', c => 'revenue') }, $drop);
found('a meter without its bill', qr/meter: is not/,
    sub { cmd('SET', k('meter', $ac), "\0" x 8 . '25000000') },
    sub { cmd('DEL', k('meter', $ac)) });
found('a use below zero', qr/a use that cannot be/,
    sub { cmd('HSET', k('money', $ac), 'used', -1) },
    sub { cmd('HDEL', k('money', $ac), 'used') });
found('a payment without an index', qr/lacks \Q$py/,
    sub { cmd('ZREM', k('payments', $ac), $py) },
    sub { cmd('ZADD', k('payments', $ac), 1, $py) });
found('a turn for nothing', qr/billdue/,
    sub { cmd('ZADD', k('billdue'), 1, $id = sid('AC')) },
    sub { cmd('ZREM', k('billdue'), $id) });

# the ledger, payments and bill beside each other

my $index = k('payments', $ac);
found('cash for a payment that is not there',
    qr/PY\w+: is in the ledger, and there is no such payment/,
    sub { $id = sid('PY'); add(k => 'tp:x', r => $id) },
    sub { cmd('DEL', $ledger); cmd('XADD', $ledger, '*', @{ $entry->[1] }) });
found('a payment that was deleted with its index', qr/$py: .*no such payment/,
    sub { cmd('DEL', k('pay', $ac, $py)); cmd('ZREM', $index, $py) },
    sub { cmd('SET', k('pay', $ac, $py), $raw); cmd('ZADD', $index, 1, $py) });
found('refunds that the ledger does not have', qr/$py: has other refunds/,
    sub { spoilt(22, 5) }, $heal);
found('a refund that the payment does not have', qr/$py: has other refunds/,
    sub { $id = add(k => "rf:$py:F", d => 'revenue', a => 5, c => 'cash') },
    $drop);
found('a refund of nothing', qr/PYx: is refunded, and there is no such/,
    sub { $id = add(k => 'rf:PYx:F', d => 'revenue', r => 'PYx', c => 'cash') },
    $drop);
found('a refund under another key', qr/no movement/,
    sub { $id = add(k => 'x', d => 'revenue', c => 'cash') }, $drop);
found('a reference that nothing has', qr/booked R9: is no reference of the ledger/,
    sub { cmd('HSET', k('booked', $ac), 'R9', '1 x') },
    sub { cmd('HDEL', k('booked', $ac), 'R9') });
found('a reference that could be booked again', qr/booked: lacks a reference/,
    sub { $id = cmd('HGET', k('booked', $ac), 'R1');
        cmd('HDEL', k('booked', $ac), 'R1') },
    sub { cmd('HSET', k('booked', $ac), 'R1', $id) });
my ($begins, $ends) = @$p[11, 12];
found('a period that is no month', qr/$py: pays for a time/,
    sub { spoilt(12, $ends + 400 * 86_400_000) }, $heal);
my $bought = cmd('GET', k('bill', $ac));
sub sold {
    my (%field) = @_;
    my $b = unpacked($bought);
    @$b[keys %field] = values %field;
    cmd('SET', k('bill', $ac), packed($b));
}
my $sell = sub { cmd('SET', k('bill', $ac), $bought) };
found('a bill that is paid until ' . ($_ < 0 ? 'an earlier' : 'a later')
    . ' time', qr/bill: is paid until another time/,
    do { my $days = $_; sub { sold(8, $ends + $days * 86_400_000) } }, $sell)
    for 365, 1, -1;
found('a bill that is paid for a time that no payment has',
    qr/bill: is paid until another time/,
    sub { sold(7, $ends, 8, 2 * $ends - $begins) }, $sell);
found('a period longer than that of its bill',
    qr/bill: is paid until another time/,
    sub { spoilt(12, $ends + 86_400_000) }, $heal);
found('a bill without a turn', qr/billdue: has a bill and no turn/,
    sub { cmd('ZREM', k('billdue'), $ac) },
    sub { cmd('ZADD', k('billdue'), 1, $ac) });
found("a bill whose payment $_->[0]", qr/bill: names a payment that is not/,
    do { my $open = $_->[1]; sub { sold(10, $open) } }, $sell)
    for ['is lost', sid('PY')], ['is done', $py];
found('a price that is not that of the open payment', qr/another price/, sub {
    my @p = @$p;
    @p[1, 3, 4, P_STATE] = ($id = sid('PY'), 'rn:y', 5, 'open');
    cmd('SET', k('pay', $ac, $id), packed(\@p));
    cmd('ZADD', $index, 1, $id);
    sold(10, $id);
}, sub {
    $sell->();
    cmd('ZREM', $index, $id);
    cmd('DEL', k('pay', $ac, $id));
});
found('a recharge to less than falls below', qr/terms: recharge to no more/,
    sub { cmd('SET', k('terms', $ac), packed([1, 1, '', 500, 400, 0])) },
    sub { cmd('DEL', k('terms', $ac)) });
found('terms that cannot be read', qr/terms: cannot be read/,
    sub { cmd('SET', k('terms', $ac), 'x') },
    sub { cmd('DEL', k('terms', $ac)) });

# what fsck cannot see, as rbl-operations(7) says

sub unseen {
    my ($name, $spoil, $mend) = @_;

    $spoil->();
    is_deeply([faults()], [0], "fsck cannot see $name");
    $mend->();
}

my ($unseen) = read_file(repo_dir() . '/conf/man/rbl-operations.7')
    =~ /^It cannot see (.*?)\.$/ms;
is($unseen =~ s/\s+/ /gr, 'a use that was deleted before it was booked, the price'
    . ' of a plan by the period while no payment is open, or a ledger that'
    . ' somebody has rewritten as a whole', 'the page says what fsck cannot see');
unseen('a price while no payment is open', sub { sold(4, 5) }, $sell);
unseen('a ledger that was rewritten as a whole', sub {
    spoilt(P_AMOUNT, 24_000_000);
    my %f = (@{ $entry->[1] }, a => 24_000_000);
    cmd('DEL', $ledger);
    cmd('XADD', $ledger, $entry->[0], %f);
    cmd('HSET', k('booked', $ac), 'R1', "24000000 $f{k}");
}, sub {
    $heal->();
    cmd('DEL', $ledger);
    cmd('XADD', $ledger, '*', @{ $entry->[1] });
    cmd('HSET', k('booked', $ac), 'R1', "25000000 $p->[3]");
});
is_deeply([faults()], [0], 'fsck finds no fault after both');

rblctl($redis, 'fsck', '--repair');
cmd('ZREM', k('billdue'), $ac);
rblctl($redis, 'fsck', '--repair');
is(cmd('ZSCORE', k('billdue'), $ac), 0, '--repair gives a bill its turn');

# an account with a card

my $ps = sid('PS');
my $method = 'pm_1';
cmd('SET', k('source', $ac, $ps), packed([1, $ps, 'card', 'visa', \'4242', 12,
    2099, $method, 0, 0, 1, 1]));
cmd('ZADD', k('sources', $ac), 1, $ps);
is_deeply([faults()], [0], 'fsck finds no fault in an account with a card');
found('a card without a record', qr/sources PS\w+: has no record/,
    sub { cmd('ZADD', k('sources', $ac), 2, $id = sid('PS')) },
    sub { cmd('ZREM', k('sources', $ac), $id) });
found('a card without an index', qr/lacks \Q$ps/,
    sub { cmd('ZREM', k('sources', $ac), $ps) },
    sub { cmd('ZADD', k('sources', $ac), 1, $ps) });
my $card = cmd('GET', k('source', $ac, $ps));
found('a card that cannot be read', qr/cannot be read/,
    sub { cmd('SET', k('source', $ac, $ps), 'x') },
    sub { cmd('SET', k('source', $ac, $ps), $card) });
my @page = (1, 'wanted', 1, 'https://a.example/', '', '', 0, '');
found('a page that nobody asks for', qr/paydue: has something to ask/,
    sub { cmd('SET', k('setup', $ac), packed(\@page)) },
    sub { cmd('DEL', k('setup', $ac)) });
found('a removed card that nobody detaches', qr/paydue: has something to ask/,
    sub { cmd('ZREM', k('sources', $ac), $ps);
        cmd('ZADD', k('setup', $ac, 'gone'), 0, $ps);
        cmd('ZREM', k('billdue'), $ac) },
    sub { cmd('ZADD', k('sources', $ac), 1, $ps);
        cmd('DEL', k('setup', $ac, 'gone'));
        cmd('ZADD', k('billdue'), 1, $ac) });
found('a page that cannot be read', qr/setup: cannot be read/,
    sub { cmd('SET', k('setup', $ac), packed([1, 2])) },
    sub { cmd('DEL', k('setup', $ac)) });
found('a turn at the gateway for nothing', qr/paydue/,
    sub { cmd('ZADD', k('paydue'), 1, $id = sid('AC')) },
    sub { cmd('ZREM', k('paydue'), $id) });
my $bill = cmd('GET', k('bill', $ac));
found('a payment that was sent and has no turn', qr/paydue: has something/,
    sub {
        my ($b, @p) = (unpacked($bill), @$p);
        $b->[10] = $id = $p[1] = sid('PY');
        @p[3, P_STATE, 13 .. 20] = ('rn:x', 'sent', $ps, $method, '', '', '',
            1, 1, 1);
        cmd('SET', k('bill', $ac), packed($b));
        cmd('SET', k('pay', $ac, $id), packed(\@p));
        cmd('ZADD', k('payments', $ac), 1, $id);
    }, sub {
        cmd('SET', k('bill', $ac), $bill);
        cmd('DEL', k('pay', $ac, $id));
        cmd('ZREM', k('payments', $ac), $id);
    });

my $open = sub {
    my ($b, @p) = (unpacked($bill), @$p);
    $b->[10] = $id = $p[1] = sid('PY');
    @p[3, P_STATE] = ('rn:y', 'open');
    cmd('SET', k('bill', $ac), packed($b));
    cmd('SET', k('pay', $ac, $id), packed(\@p));
    cmd('ZADD', k('payments', $ac), 1, $id);
};
my $none = sub {
    cmd('SET', k('bill', $ac), $bill);
    cmd('DEL', k('pay', $ac, $id), k('unpaid', 'open'));
    cmd('ZREM', k('payments', $ac), $id);
};
found('a payment that no state lists', qr/is not in the index of its state/,
    $open, $none);
$open->();
rblctl($redis, 'fsck', '--repair');
is_deeply(cmd('ZRANGE', k('unpaid', 'open'), 0, -1), ["$ac:$id"],
    'fsck --repair lists the payment in its state');
$none->();
found('a payment in the list of another state',
    qr/unpaid \Q$py\E: is not failed/,
    sub { cmd('ZADD', k('unpaid', 'failed'), 1, "$ac:$py") },
    sub { rblctl($redis, 'fsck', '--repair') });

# an account that pays by the check

script('bill_refund', [$acct], payment => $py, amount => 1_000_000,
    reference => 'F0');
script('bill_plan', [$acct], gateway => 'manual', plan => 'P', price => 2000,
    period => 'check', paid => 1, hosts => 0, contacts => 0, checks => 0,
    shortest => 900, now => 1);
($entry) = @{ cmd('XREVRANGE', $ledger, '+', '-', 'COUNT', 1) };
my %rest = @{ $entry->[1] };
is($rest{d}, 'revenue', 'the rest of the period is credited');
is_deeply([faults()], [0], 'fsck finds no fault in a rest that is credited');
sub rests {
    my ($name, $pattern, %f) = @_;

    found($name, $pattern, sub {
        cmd('XDEL', $ledger, $entry->[0]);
        $id = add(%rest, %f);
        cmd('HSET', k('money', $ac), 'balance', $f{b} // $rest{b});
    }, sub {
        cmd('XDEL', $ledger, $id);
        cmd('XADD', $ledger, '*', @{ $entry->[1] });
        ($entry) = @{ cmd('XREVRANGE', $ledger, '+', '-', 'COUNT', 1) };
        cmd('HSET', k('money', $ac), 'balance', $rest{b});
    });
}
rests('another rest than that of the payment', qr/$py: has another rest/,
    a => 25_000_001, b => 25_000_001);
rests('a rest of a payment that is not there', qr/PYx: has another rest/,
    k => 'rest:PYx');
my $credited = cmd('GET', k('pay', $ac, $py));
found('a refund of what was credited', qr/$py: is refunded and credited by more/,
    sub {
        my @p = @{ unpacked($credited) };
        $p[22] += 2_000_000;
        cmd('SET', k('pay', $ac, $py), packed(\@p));
        $id = add(k => "rf:$py:F", d => 'revenue', c => 'cash', a => 2_000_000,
            b => $rest{b});
    }, sub { $drop->(); cmd('SET', k('pay', $ac, $py), $credited) });
rests('a rest without its key', qr/no movement/, k => 'x');
script('bill_adjust', [$acct], what => 'topup',
    once => 'R2', amount => 5_000_000,
    reference => 'R2');
script('bill_adjust', [$acct], once => 'x', amount => -1_000_000,
    reason => 'Less');
my $credit = cmd('ZRANGE', $index, -1, -1)->[0];
script('bill_refund', [$acct], payment => $_->[0], amount => $_->[1],
    reference => "F$_->[1]") for [$credit, 500_000],
    [$credit, 100_000];
cmd('HSET', k('money', $ac), 'used', 5000, 'day', 1);
unseen('a use that was deleted before it was booked',
    sub { cmd('HSET', k('money', $ac), 'used', 0) },
    sub { cmd('HSET', k('money', $ac), 'used', 4000, 'day', 1) });
is_deeply([faults()], [0], 'the books of a plan by the check are in order');
script('bill_step', [$acct], grace => 0, kept => 0);
is_deeply([faults()], [0], 'fsck finds no fault after a booking of use');
script('bill_adjust', [$acct], once => "many$_", amount => 10_000,
    reason => 'More') for 1 .. 150;
is_deeply([faults()], [0], 'a ledger of several slices has no fault');
my ($middle) = @{ cmd('XREVRANGE', $ledger, '+', '-', 'COUNT', 100) }[-1];
found('an entry that is gone', qr/\d: has another balance than/, sub {
    cmd('RENAME', $ledger, k('ledger', 'kept'));
    cmd('XADD', $ledger, $_->[0], @{ $_->[1] })
        for grep { $_->[0] ne $middle->[0] }
        @{ cmd('XRANGE', k('ledger', 'kept'), '-', '+') };
}, sub { cmd('RENAME', k('ledger', 'kept'), $ledger) });
my $meter = cmd('GET', k('meter', $ac));
for my $bad ('', '5', $meter . '0', substr($meter, 0, 8), 'x' . $meter,
    pack('d>', -1) . substr $meter, 8)
{
    found('a meter of "' . unpack('H*', $bad) . '"', qr/meter: is not/,
        sub { cmd('SET', k('meter', $ac), $bad) },
        sub { cmd('SET', k('meter', $ac), $meter) });
}

# less and more than the price, and the rests of both

for (1, 27) {
    ($ac, $acct) = account();
    script('bill_plan', [$acct], gateway => 'manual', plan => 'P',
        price => 25_000_000, period => 'month', paid => 1, hosts => 0,
        contacts => 0, checks => 0, shortest => 900);
    script('bill_settle', [$acct], result => 'paid', reference => 'R1',
        payment => script('bill_step', [$acct], grace => 0, kept => 0)->[2],
        amount => $_ * 1_000_000);
    is_deeply([faults()], [0], "fsck finds no fault in $_.00 for 25.00");
    script('bill_plan', [$acct], gateway => 'manual', plan => 'Free',
        price => 0, period => '', paid => 0, hosts => 0, contacts => 0,
        checks => 0, shortest => 900, now => 1);
    is_deeply([faults()], [0], "fsck finds no fault in the rest of $_.00");
}
done_testing();
