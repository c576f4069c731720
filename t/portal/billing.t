#!/usr/bin/perl

# Billing in the portal: what its calls answer and refuse, what nginx writes,
# and that nothing of the gateway is in an answer.

use strict;
use warnings;

use Encode qw(encode_utf8);
use Test::More;

use RblPortal;

my $t = portal_setup();
my ($redis, $acct) = @$t{qw(redis acct)};
my $ac = $acct->{sid};
my $owner = sign_in($t);
my $viewer = sign_in($t, role => 'viewer');
my $day = 86_400_000;
my $now = time * 1000;

sub get { return portal($t, $owner, 'GET', $_[0]) }
sub data { return accepted(get($_[0]), $_[0])->{data} }
sub update { my ($fields, $who) = @_;
    return portal($t, $who // $owner, 'POST', 'billing/update.json',
        fields => $fields) }
sub due_key { return redis_key('x', $ac) =~ s/x:.*/billdue/r }
sub keyed { return redis_key($_[0], $ac) }
sub terms { return record('terms', redis($redis, 'GET', keyed('terms'))) }
sub bill_state { return accepted(portal($t, $_[0] // $viewer, 'GET',
    'me.json'), 'me')->{data}{account}{bill} }

# --- no bill -----------------------------------------------------------------

refused(get('billing.json'), 404, qr/no bill/, 'an account without a bill');
refused(update({ renew => 0 }), 404, qr/no bill/,
    'an account without a bill has no choices');
refused(portal($t, $owner, 'POST', 'billing/source/add.json'), 404,
    qr/no bill/, 'an account without a bill has no sources');
is(bill_state(), undef, 'me has no bill');
is_deeply(data('billing/payments.json'), [],
    'an account without a bill has no payments');
is_deeply(data('billing/ledger.json'), [], 'an empty ledger');
is(redis($redis, 'EXISTS', keyed('terms'), keyed('setup')), 0,
    'nothing is written');

# --- a bill --------------------------------------------------------------------

sub payment { return payment_of($t, $acct, @_) }

my $open = payment(1, state => \'customer', url =>
    \'https://pay.example/3ds#x', done => 0, attempt => 1,
    reason => \'authentication_required');
bill_of($t, $acct, open => \$open, gateway => \'stripe',
    customer => \'cus_secret_canary');
redis($redis, 'HSET', keyed('money'), balance => 5_000_000, used => 2_000);
my $v = data('billing.json');
is(join(' ', @$v{qw(gateway plan price currency period state stops)}),
    'stripe Business 29.00 USD month active ', 'billing.json has the plan');
like("$v->{begins} $v->{expires}", qr/^\d{4}-\S+00:00 \d{4}-\S+00:00$/,
    'billing.json has the period of the plan');
is("$v->{balance} $v->{used}", '4.998 0.002', 'the balance less what is used');
redis($redis, 'HSET', keyed('money'), balance => -1_500_000);
is(data('billing.json')->{balance}, '-1.502', 'the balance may be below zero');
is_deeply([@$v{qw(renew falls_below recharge_to alert source)}],
    [JSON::XS::true(), '0.00', '0.00', '0.00', ''], 'the choices by default');
is("$v->{payment}{id} $v->{payment}{state} $v->{payment}{url}",
    "$open customer https://pay.example/3ds#x", 'the open payment with its link');
is_deeply($v->{sources}, [], 'the bill has no sources');
ok(!exists $v->{setup}, 'none is being added');

for my $url ('javascript:alert(1)', 'http://pay.example/', 'https://', '') {
    payment(1, state => \'customer', url => \$url);
    is(data('billing.json')->{payment}{url}, '', "no link to \"$url\"");
}
payment(1, state => \'open', url => \'https://pay.example/');
is(data('billing.json')->{payment}{url}, '',
    'a payment that needs no customer has no link');

# --- states, which all roles see ---------------------------------------------

is_deeply([sort keys %{ bill_state() }], [qw(expires state stops)],
    'me has the state alone');
for my $state (qw(active grace lapsed)) {
    bill_of($t, $acct, state => \$state, begins => $now - 31 * $day,
        ends => $now - $day,
        stops => $now + 6 * $day);
    my $b = bill_state();
    is($b->{state}, $state, "a viewer sees: $state");
    is($b->{stops} ? 1 : 0, $state eq 'active' ? 0 : 1,
        "the time when checks stop fits the state $state");
}
bill_of($t, $acct, state => \'lapsed', period => \'check', ends => 0,
    stops => 7 * $day);
is_deeply(bill_state(), { state => 'lapsed', expires => '', stops => '' },
    'a plan by the check has no such times');
refused(portal($t, $viewer, 'GET', $_), 403, qr/owner/, "a viewer: $_")
    for map { "billing$_" } qw(.json /payments.json /payments.csv
        /ledger.json /ledger.csv);

# --- a plan by the tool and the daemon ---------------------------------------

my $plans = temp_dir() . '/plans.json';
write_file($plans, '{ "version": 1, "plans": [ { "name": "Yearly", "paid": 1,'
    . ' "max_hosts": 10, "max_contacts": 1, "max_checks": 5, "interval": "15m",'
    . ' "price": "250.00", "period": "year" } ] }');
my $buyer = make_account($redis, name => 'Buyer');
my $buys = sign_in($t, acct => $buyer);
my $seller = start_checkd(store => $redis, conf => { gateway => 'manual',
    schedule => 'off' });
my $shown = sub { accepted(portal($t, $buys, 'GET', $_[0]), $_[0])->{data} };
is(rblctl($redis, 'bill', 'plan', $buyer->{sid}, 'Yearly', '--file', $plans)
    ->{status}, 0, 'rblctl puts the account on a plan');
ok(wait_for(sub { $shown->('billing.json')->{payment} }), 'opens a payment');
$v = $shown->('billing.json');
is("$v->{state} $v->{expires} $v->{payment}{state} $v->{payment}{amount}",
    'grace  open 250.00', 'the bill is in its grace with an open payment');
like($v->{stops}, qr/^\d{4}-/, 'the bill tells when checks stop');
is(rblctl($redis, 'bill', 'paid', $buyer->{sid}, $v->{payment}{id},
    '--reference', '=2+3')->{status}, 0, 'rblctl books the payment');
$v = $shown->('billing.json');
is("$v->{state} $v->{stops} " . ($v->{payment} // ''), 'active  ',
    'the payment makes the plan active');
is_deeply([map { "$_->{state} $_->{reference}" }
    @{ $shown->('billing/payments.json') }], ['succeeded =2+3'],
    'the list of payments has the payment');
is_deeply([map { "$_->{debit} $_->{credit} $_->{amount}" }
    @{ $shown->('billing/ledger.json') }], ['cash revenue 250.00'],
    'the ledger has the movement of the payment');
stop_server($seller);

# --- choices -------------------------------------------------------------------

bill_of($t, $acct, gateway => \'stripe');
my $source = source_of($t, $acct);
my @other = map { source_of($t, $t->{other}) } 1 .. 2;
my $raw = redis($redis, 'GET', keyed('bill'));
redis($redis, 'DEL', due_key());
accepted(update({ renew => 0, falls_below => '5', recharge_to => '25.50',
    alert => '0.01', source => $source }),
    'the portal changes all choices');
is_deeply(terms(), { version => 1, renew => 0, source => $source,
    falls_below => 5_000_000, recharge_to => 25_500_000, alert => 10_000,
    asked => 0, topup => 0, once => '', wanted => 0 },
    'the store has the choices in micro-USD');
is(redis($redis, 'ZSCORE', due_key(), $ac), 0,
    'the bill is due at once');
is(redis($redis, 'GET', keyed('bill')), $raw, 'the bill is as it was');
$v = data('billing.json');
is_deeply([@$v{qw(renew falls_below recharge_to alert source)}],
    [JSON::XS::false(), '5.00', '25.50', '0.01', $source],
    'billing.json shows the choices');
my $before = redis($redis, 'GET', keyed('terms'));
for my $field (qw(falls_below recharge_to alert)) {
    for my $bad ('-1', '+1', '1e3', '1E3', '0x10', '1,50', '1.', '.5', '01',
        '1.005', "\x{a0}1", '5 EUR', 'EUR 5', "\x{20ac}5", '$5', 'five',
        '1' x 30, '1000000001', '9223372036854775808', 'NaN', 'Infinity', '',
        '1 000', "1\x{2009}000")
    {
        refused(update({ $field => $bad }), 400,
            qr/^Invalid $field value/, "the $field value \""
            . encode_utf8($bad) . '" is refused with 400');
    }
}
for my $body ('{"alert":-1}', '{"alert":1e3}', '{"alert":5.005}',
    '{"alert":[1]}', '{"alert":{}}',
    '{"alert":123456789012345678901234567890}')
{
    my $r = portal($t, $owner, 'POST', 'billing/update.json', body => $body,
        type => 'application/json');
    is($r->{status}, 400, $body);
}
for my $to (['5.00', '5.00'], ['5.00', '4.99'], ['0.01', '0.01']) {
    refused(update({ falls_below => $to->[0], recharge_to => $to->[1] }), 400,
        qr/^Invalid recharge_to value .*more than falls_below/,
        "a recharge from $to->[0] to $to->[1] is refused");
}
refused(update({ recharge_to => '5' }), 400, qr/more than falls_below/,
    'compared with what was chosen before');
refused(update({ falls_below => '25.50' }), 400, qr/more than falls_below/,
    'the other, too');
refused(update({ source => $_ }), 400, qr/^Invalid source value/,
    "the source \"$_\" is refused with 400")
    for 'x', 'PS', '', "$source,$source", $ac;
refused(update({ source => $_ }), 404, qr/^Invalid source id/,
    "the source \"$_\" is refused with 404") for $other[1], sid_of('PS');
refused(update({ renew => $_ }), 400, qr/^Invalid renew value/,
    "the renew value \"$_\" is refused with 400") for 'yes', '2', '';
is(redis($redis, 'GET', keyed('terms')), $before, 'nothing has changed');
accepted(update({ recharge_to => 0 }), 'the portal turns the recharge off');
accepted(update({ falls_below => '30' }),
    'falls_below can be any amount without a recharge');
accepted(update({}), 'the portal accepts an update without fields');
is(terms()->{renew}, 0, 'an update without fields changes nothing');
sign_in_ago($t, my $late = sign_in($t), 11 * 60_000);
refused(update({ renew => 1 }, $late), 401, qr/./,
    'the portal refuses an update long after the sign-in');

# --- choices that charge at once -----------------------------------------------

bill_of($t, $acct, gateway => \'stripe', period => \'check', ends => 0,
    begins => $now - $day);
redis($redis, 'HSET', keyed('money'), balance => 3_000_000, used => 1);
$before = redis($redis, 'GET', keyed('terms'));
my %once = (falls_below => '2500', recharge_to => '2600');
refused(update({ %once, now => $_ }), 409,
    qr/balance is 2\.99 USD.* of 2597\.01 USD .*Confirm that with now/,
    "a recharge that would be opened at once is refused with now=$_") for 0;
refused(update({ %once }), 409, qr/at once/, 'such a recharge is refused without now');
refused(update({ %once, now => 'yes' }), 400, qr/^Invalid now value/,
    'now is a flag');
is(redis($redis, 'GET', keyed('terms')), $before,
    'the refused amounts change nothing');
accepted(update({ %once, now => 1 }), 'the owner can confirm it');
accepted(update({ falls_below => '0', recharge_to => '0' }),
    'turning it off needs no confirmation');
redis($redis, 'DEL', keyed('money'));

# --- a plan that begins later --------------------------------------------------

sub change { return \record_pack('change', version => 1, plan => \'Next',
    price => 100_000_000, period => \'year', paid => 1, hosts => 10,
    contacts => 5, checks => 50, shortest => 900, at => 0, payment => \'',
    @_) }
my $later = $now + 29 * $day;
bill_of($t, $acct, gateway => \'stripe', customer => \'', ends => $later,
    change => change(at => $later));
is_deeply(data('billing.json')->{change}, { plan => 'Next', price => '100.00',
    period => 'year', begins => data('billing.json')->{expires} },
    'billing.json has the plan that begins later');
bill_of($t, $acct, gateway => \'stripe', customer => \'',
    change => change(payment => \$open));
is(data('billing.json')->{change}{begins}, '',
    'a plan that begins with its payment has no time');
bill_of($t, $acct, gateway => \'stripe');
ok(!exists data('billing.json')->{change}, 'no other plan begins');

# --- sources -------------------------------------------------------------------

my $second = source_of($t, $acct, brand => \'"=<b>', last4 => \'0002');
is_deeply([map { "$_->{id} $_->{brand} $_->{last4} $_->{exp_month}/"
    . $_->{exp_year} } @{ data('billing.json')->{sources} }],
    ["$source visa 4242 12/2030", "$second \"=<b> 0002 12/2030"],
    'billing.json shows both sources');
my $remove = sub { portal($t, $owner, 'POST',
    "billing/source/remove/$_[0].json") };
refused($remove->($_), 404, qr/Invalid source id/, "no source $_")
    for $other[1], sid_of('PS'), 'x', $ac;
accepted($remove->($source), 'one is removed');
is_deeply([map { $_->{id} } @{ data('billing.json')->{sources} }], [$second],
    'the removed source is not shown');
is(terms()->{source}, '', 'the removed source is not chosen');
is(redis($redis, 'EXISTS', redis_key('source', $ac, $source)), 1,
    'nginx does not delete it');
my $checkd = start_checkd(store => $redis, conf => { gateway => 'manual',
    schedule => 'off' });
ok(wait_for(sub { !redis($redis, 'EXISTS', redis_key('source', $ac, $source)) }),
    'the daemon does');
stop_server($checkd);
is(redis($redis, 'ZCARD', keyed('sources')), 1,
    'the daemon deletes no other source');
refused($remove->($source), 404, qr/Invalid source id/,
    'a removed source cannot be removed again');

bill_of($t, $acct);
refused(portal($t, $owner, 'POST', 'billing/source/add.json'), 409,
    qr/without payment sources/, 'a manual plan has no sources');
bill_of($t, $acct, gateway => \'stripe');
accepted(portal($t, $owner, 'POST', 'billing/source/add.json',
    fields => { back => 'https://evil.example/' }), 'one is wanted');
my $setup = record('setup', redis($redis, 'GET', keyed('setup')));
is("$setup->{state} $setup->{back}",
    'wanted http://localhost/portal/#/billing',
    'the gateway sends the customer back to the portal');
is_deeply([@{ data('billing.json')->{setup} }{qw(state url)}], ['wanted', ''],
    'there is no page yet');
for my $case (['open', 'https://pay.example/s#f', 1],
    ['open', 'http://pay.example/', 0], ['open', 'javascript:1', 0],
    ['done', 'https://pay.example/s', 0])
{
    redis($redis, 'SET', keyed('setup'), record_pack('setup', %$setup,
        state => \$case->[0], back => \$setup->{back}, url => \$case->[1],
        session => \'cs_secret_canary', text => \'', next => 0));
    is(data('billing.json')->{setup}{url}, $case->[2] ? $case->[1] : '',
        "$case->[0] at $case->[1]");
}

# --- pay now -------------------------------------------------------------------

sub pay_now { return portal($t, $_[0] // $owner, 'POST', 'billing/retry.json') }
accepted(update({ renew => 1 }), 'the plan renews itself');
refused(pay_now(), 409, qr/nothing to pay/, 'nothing is to be paid');
my $failed = payment(2, state => \'failed', done => 0);
bill_of($t, $acct, gateway => \'stripe', open => \$failed);
my @keys = (keyed('bill'), redis_key('pay', $ac, $failed));
my @raw = map { redis($redis, 'GET', $_) } @keys;
refused(pay_now(), 409, qr/last minute/, 'renewal was turned on just now');
redis($redis, 'DEL', keyed('terms'), due_key());
refused(pay_now($viewer), 403, qr/owner/, 'a viewer cannot pay');
accepted(pay_now(), 'an owner asks to pay now');
cmp_ok(terms()->{asked}, '>', $now, 'the store has the request');
is(redis($redis, 'ZSCORE', due_key(), $ac), 0, 'the daemon looks at it at once');
is_deeply([map { redis($redis, 'GET', $_) } @keys], \@raw,
    'bill and payment are as they were');
redis($redis, 'DEL', keyed('terms'));
for my $state (qw(sent unknown processing customer)) {
    payment(2, state => \$state, done => 0);
    refused(pay_now(), 409, qr/is $state: its last attempt has not ended/,
        "a payment that is $state is not tried");
}
bill_of($t, $acct, state => \'lapsed', open => \'');
accepted(pay_now(), 'a plan that has expired is paid for again');

# --- payments ------------------------------------------------------------------

redis($redis, 'DEL', keyed('payments'));
my @py = map { payment($_, kind => \($_ % 2 ? 'renewal' : 'topup')) } 1 .. 45;
$v = accepted(get('billing/payments.json'), 'payments');
is_deeply([@$v{qw(page total_pages page_size total_payments)}], [1, 3, 20, 45],
    'the first page has 20 of 45 payments');
is_deeply([map { $_->{id} } @{ $v->{data} }], [@py[0 .. 19]],
    'the payments are sorted, the newest first');
is_deeply([map { $_->{id} } @{ data('billing/payments.json?page=3') }],
    [@py[40 .. 44]], 'the last page');
is_deeply([map { $_->{id} } @{ data('billing/payments.json?page=1&page_size=44')
    }], [@py[0 .. 43]], 'of another size');
is_deeply(data("billing/payments.json?page=$_"), [], "page $_ has no payments")
    for 4, 5000, '9' x 30;
refused(get("billing/payments.json?$_"), 400, qr/Invalid page/,
    "$_ is refused with 400")
    for 'page=0', 'page=-1', 'page_size=x';
redis($redis, 'SET', redis_key('pay', $ac, $py[1]), "\xc1");
is(scalar @{ data('billing/payments.json') }, 19, 'a damaged one is left out');

# --- the ledger ------------------------------------------------------------------

my @bad = ('=1+1', '+1', '-1', '@SUM(A1)', "\tx", "\rx", 'a"b', 'plain,x',
    "two\nlines");
movement_of($t, $acct, "$now-$_", k => "key$_", a => $_ * 10_000,
    r => $bad[$_ % @bad], x => "ch_$_", b => -$_ * 1000) for 1 .. 120;
my (@all, $next);
do {
    $v = accepted(get('billing/ledger.json?limit=50'
        . ($next ? "&before=$next" : '')), 'a page of the ledger');
    push @all, @{ $v->{data} };
    $next = $v->{next};
} while ($next);
is_deeply([map { $_->{key} } @all], [map { "key$_" } reverse 1 .. 120],
    'pages have all movements once, newest first');
is_deeply([@{ $all[0] }{qw(debit credit amount balance about reference)}],
    ['cash', 'credit', '1.20', '-0.12', $bad[120 % @bad], 'ch_120'],
    'the movement has its amount, balance, text and reference');
refused(get("billing/ledger.json?$_"), 400, qr/Invalid/,
    "$_ is refused with 400")
    for 'limit=0', 'limit=201', 'before=x', 'before=1', 'before=%2B', 'before=';

my $r = get('billing/ledger.csv');
is($r->{status}, 200, 'the portal returns the ledger as a table');
is($r->{headers}{'content-type'}, 'text/csv; charset=utf-8',
    'the table has the type text/csv');
like($r->{headers}{'content-disposition'}, qr/^attachment; /,
    'the table is sent as an attachment');
my @rows = rows($r->{body});
is_deeply($rows[0], [qw(id at key debit credit amount balance
    about reference currency)], 'the table has its head line');
is(scalar @rows, 121, 'the table has all movements');
is_deeply([@{ $rows[1] }[0, 2 .. 6, 8, 9]],
    ["$now-1", qw(key1 cash credit 0.01 -0.001 ch_1 USD)], 'the oldest first');
my %seen = map { $_->[7] => 1 } @rows[1 .. 120];
is_deeply([sort keys %seen], [sort map { /^[=+\-\@\t\r]/ ? "'$_" : $_ } @bad],
    'a text that a spreadsheet would run has an apostrophe');
is(scalar(grep { $_->[7] =~ /^[=+\-\@\t\r]/ } @rows), 0, 'none is without');
$r = portal($t, $viewer, 'GET', 'billing/ledger.csv');
is("$r->{status} $r->{headers}{'content-type'}",
    '403 application/json; charset=utf-8', 'a refusal is no table');
ok(!$r->{headers}{'content-disposition'},
    'the refusal is not sent as an attachment');

sub by_hand {
    my $r = rblctl($redis, 'bill', @_, '--csv');
    is($r->{status}, 0, "rblctl bill @_ prints the table");
    return $r->{out};
}
is(by_hand('ledger', $ac) =~ s/\\x(0[9ad])/chr hex $1/ger,
    get('billing/ledger.csv')->{body}, 'rblctl prints the same table');
is(by_hand('payments', $ac), get('billing/payments.csv')->{body},
    'the tables of payments are the same');

# RFC 4180.
sub rows {
    my ($text) = @_;

    my (@rows, @row);
    while ($text =~ /\G(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gc) {
        my ($quoted, $plain, $end) = ($1, $2, $3);
        push @row, defined $quoted ? $quoted =~ s/""/"/gr : $plain;
        push(@rows, [@row]), @row = () if $end ne ',';
    }
    is(pos($text) // 0, length $text, 'the table can be read');
    return @rows;
}

# Slices: the table of a ledger that is larger than one.
redis($redis, 'EVAL', "for i = 1, 2500 do redis.call('XADD', KEYS[1], '*', 'k',"
    . " 'more' .. i, 'd', 'x', 'c', 'y', 'a', 1, 'r', 'r', 'b', 0) end", 1,
    keyed('ledger'));
@rows = rows(get('billing/ledger.csv')->{body});
is(scalar @rows, 2621, 'a large table');
is_deeply([map { $_->[2] } @rows[1 .. 2620]],
    [map({ "key$_" } 1 .. 120), map { "more$_" } 1 .. 2500],
    'the large table is in order');

# --- nothing of the gateway --------------------------------------------------------

bill_of($t, $acct, open => \$open, gateway => \'stripe',
    customer => \'cus_secret_canary');
payment(1);
unlike(join("\n", map { get($_)->{raw} } 'billing.json',
    'billing/payments.json?page_size=100', 'billing/ledger.json', 'me.json',
    'billing/ledger.csv', 'audit.json'), qr/canary/,
    'ids of the gateway that move money are in no answer');

# --- damage ------------------------------------------------------------------------

for my $name ('bill', 'terms', 'setup') {
    my $old = redis($redis, 'GET', keyed($name));
    redis($redis, 'SET', keyed($name), record_pack($name, version => 1));
    my $status = get('billing.json')->{status};
    is($status, $name eq 'bill' ? 500 : 200, "a damaged record: $name");
    redis($redis, 'SET', keyed($name), $old);
}
is(get('me.json')->{status}, 200, 'me is as it was');

done_testing();
