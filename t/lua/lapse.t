#!/usr/bin/perl

# A plan expires and is paid again: which hosts are checked, what their records
# and indexes tell meanwhile, and the work in slices that does it.

use strict;
use warnings;
use RblTest;
use RblScript qw(:DEFAULT slice step);

use constant { STATUS => 7, CHECKED => 11, FIRST => 12, LISTED => 13,
    UNKNOWN => 14, NEXT => 15, DETAILS => 16, STOPPED => 19 };
use constant { A_LAPSED => 13, A_KEPT => 14, A_SETTLED => 15 };
use constant { IS_LISTED => 1, IS_UNKNOWN => 2, PAUSED => 4, RANGE => 5 };
use constant DAY => 86_400_000;

my $redis = redis_new();
rblctl($redis, 'init', '--partitions', 1);
my ($ac, $acct, $days, $began);

sub host { return unpacked(cmd('GET', k('r', $ac, $_[0]))) }
sub is_account { return unpacked(cmd('GET', $acct)) }
sub bill { return unpacked(cmd('GET', k('bill', $ac))) }
sub due { return cmd('ZSCORE', k('due', $ac), $_[0]) }
sub scheduled { return [sort @{ cmd('ZRANGE', k('due', $ac), 0, -1) }] }

sub state {
    my ($ht) = @_;
    return int((cmd('ZSCORE', k('states', $ac), $ht) // 0) / 1e13);
}

sub faultless {
    my ($when) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $r = rblctl($redis, 'fsck');
    is($r->{out}, "no fault in 1 account\n", "fsck finds no fault: $when");
}

# An account with a paid plan; hosts that were checked: n clear, then one that
# is listed.
sub born {
    my ($n) = @_;

    cmd('FLUSHALL');
    rblctl($redis, 'init', '--partitions', 1);
    ($ac, $acct) = account(interval => 600);
    $days = 0;
    script('bill_plan', [$acct], gateway => 'manual', plan => 'Plan',
        price => 1_000_000, period => 'month', paid => 1, hosts => 0,
        contacts => 0, checks => 0, shortest => 600);
    my @hosts = map { unpacked(add_host($acct, 'rbl', "10.0.0.$_")->[1])->[1] }
        1 .. $n + 1;
    check($_, result('RBa', 'clear'), result('RBb', 'clear'))
        for @hosts[0 .. $n - 1];
    check($hosts[-1], listed_result('RBa'), result('RBb', 'clear'));
    return @hosts;
}

sub make_due {
    my ($ht) = @_;
    cmd('ZADD', k('due', $ac), now_ms() - 5, $ht);
    cmd('ZADD', k('due'), 'LT', now_ms() - 5, $ac);
}

# A scheduled check of a host; returns the word of check_begin if it is not OK.
sub start {
    my ($ht) = @_;

    make_due($ht);
    my ($job) = grep { /$ht/ } take('d', 100);
    my $r = begin_job($job);
    return $r->[0] eq 'OK' ? $r->[8] : undef;
}

sub finish {
    my ($pp, $ht, @results) = @_;
    return finish_check($acct, $pp, $ht, \@results, @results ? '' : 'Failed.');
}

sub check {
    my ($ht, @results) = @_;
    return finish(start($ht), $ht, @results);
}

# The next period is not paid.
sub expire {
    my ($kept) = @_;

    my $b = bill();
    $began //= now_ms();                # no two periods end alike
    @$b[7, 8] = ($began - DAY - ++$days) x 2;
    cmd('SET', k('bill', $ac), packed($b));
    return script('bill_step', [$acct], grace => 0, kept => $kept // 0)->[1];
}

sub pay { return script('bill_settle', [$acct], result => 'paid', @_,
    payment => bill()->[10])->[0] }

sub work_ends { my $n = 0; $n++ while step($acct)->[2] > 0; return $n + 1 }

# Plan, word and hosts of the notices that a plan has expired or is active.
sub notices {
    return map { [unpacked(unpacked($_->[16])->[1])->[1], @$_[13, 8]] }
        grep { $_->[2] eq 'contact.notice' && $_->[13] =~ /^(?:expired|active)$/ }
        map { my %f = @{ $_->[1] }; unpacked($f{d}) }
        @{ cmd('XRANGE', k('outbox'), '-', '+') };
}


# --- all hosts ---------------------------------------------------------------

my @hosts = born(3);
my $listed = $hosts[3];
script('contact_add', [$acct], contact => sid('CO'), type => 'email',
    value => 'a\@b.example', schedule => 'start_and_end', digest => 'd',
    code => 'c', event => sid('EV'));
my @before = map { host($_) } @hosts;
faultless('all are checked');
is(state($hosts[0]), 0, 'one is clear');
is(state($listed), IS_LISTED, 'one is listed');
script('totals_make', [$acct]);
my $made = unpacked(cmd('GET', k('totals', $ac)))->[5];
is(expire(), 'lapsed', 'the plan expires');
my $a = is_account();
ok($a->[A_LAPSED] > now_ms() - 5000, 'the account tells since when');
is("@$a[A_KEPT, A_SETTLED]", '0 0', 'no host is kept, the work is to come');
cmp_ok(unpacked(cmd('GET', k('totals', $ac)))->[5], '>', $made,
    'the totals get a newer stamp for nginx');
is_deeply([notices()], [['Plan', 'expired', 0]],
    'the contacts are told') or diag(explain([notices()]));
is(start($hosts[0]), undef, 'a check that is due does not start');
ok(host($hosts[0])->[STOPPED], 'the host of the refused check is stopped');
is(due($hosts[0]), undef, 'the stopped host is in no schedule');
faultless('before the work');
is(script('bill_step', [$acct], grace => 0, kept => 0)->[1], 'lapsed',
    'looked at again');
is(scalar notices(), 1, 'the contacts are told once');
work_ends();
is_deeply(scheduled(), [], 'no host is scheduled');
is(is_account()->[A_SETTLED], 1, 'the work is done');
is(state($_), IS_UNKNOWN, 'a host is unknown') for @hosts;
is(cmd('ZCARD', k('listed', $ac)), 1, 'the listing stays');
is_deeply([@{ host($listed) }[CHECKED, FIRST, LISTED, DETAILS]],
    [@{ $before[3] }[CHECKED, FIRST, LISTED, DETAILS]], 'as it was');
is(host($_)->[STOPPED], $a->[A_LAPSED], 'a host tells since when')
    for @hosts;
is(host($_)->[NEXT], 0, 'a stopped host has no next check') for @hosts;
is_deeply([grep { /delisted/ } map { my %f = @{ $_->[1] };
    unpacked($f{d})->[2] } @{ cmd('XRANGE', k('outbox'), '-', '+') }], [],
    'no listing ends');
faultless('after the work');

is(pay(), 'OK', 'the plan is paid');
is(is_account()->[A_LAPSED], 0, 'the account is active at once');
is((notices())[1][1], 'active', 'the contacts are told');
is(state($hosts[1]), IS_UNKNOWN, 'a host is unknown until it is checked');
faultless('before its work');
work_ends();
is_deeply(scheduled(), [sort @hosts], 'all are due again');
for my $ht (@hosts) {
    my $due = due($ht);
    ok($due > now_ms() && $due < now_ms() + 661_000,
        'within one interval and a tenth');
    is(host($ht)->[NEXT], $due, 'as its record says');
    is(state($ht), IS_UNKNOWN, 'a host is unknown until its check');
}
faultless('after its work');
my $pp = start($hosts[0]);
is_deeply(script('check_clear', [k('flight:due')], member => "$ac:$hosts[0]",
    flight => cmd('HGET', k('flight:due'), "$ac:$hosts[0]"), interval => 600),
    ['OK', '0'], 'the first check is not finished in passing');
is(finish($pp, $hosts[0], map { result($_, 'clear') } 'RBa', 'RBb')->[0], 'OK',
    'check_finish ends the first check');
is(state($hosts[0]), 0, 'the host is clear');
is(host($hosts[0])->[STOPPED], 0, 'the checked host is not stopped');
$pp = start($hosts[0]);
is_deeply(script('check_clear', [k('flight:due')], member => "$ac:$hosts[0]",
    flight => cmd('HGET', k('flight:due'), "$ac:$hosts[0]"), interval => 600),
    ['OK', '1'], 'the second one is, in passing');
check($hosts[1]);
is(state($hosts[1]), IS_UNKNOWN, 'a check that fails tells nothing');
ok(due($hosts[1]), 'a failed check is repeated');
check($hosts[1], map { result($_, 'unknown', error => 'timeout') }
    'RBa', 'RBb');
is(state($hosts[1]), IS_UNKNOWN,
    'a check without responses leaves the host unknown');
is(host($hosts[1])->[STOPPED], 0,
    'a host checked without responses is not stopped');
check($listed, listed_result('RBa'), result('RBb', 'clear'));
is(state($listed), IS_LISTED, 'a host that is still listed');
is(host($listed)->[FIRST], $before[3][FIRST], 'since it was');
check($hosts[2], listed_result('RBa'), result('RBb', 'clear'));
is(state($hosts[2]), IS_LISTED, 'a host is listed since');
is(cmd('ZCARD', k('listed', $ac)), 2, 'the index has two listings');
faultless('after the checks');

expire();
work_ends();
pay();
work_ends();
check($listed, map { result($_, 'clear') } 'RBa', 'RBb');
is(state($listed), 0, 'a listing ended meanwhile');
is(cmd('ZCARD', k('listed', $ac)), 1, 'the ended listing is in no index');
faultless('one listing is over');


# --- checks that were accepted before ---------------------------------------

@hosts = born(2);
$listed = $hosts[2];
my ($p1, $p2) = map { start($_) } @hosts[0, 1];
script('check_start', [$acct], check => my $manual = sid('PP'),
    host => $listed, family => 1, app => 'APx', keep => 60_000);
script('check_start', [$acct], check => my $one_off = sid('PP'),
    value => '192.0.2.9', family => 1, app => 'APx', keep => 60_000);
expire();
is(finish($p1, $hosts[0], listed_result('RBa'), result('RBb', 'clear'))->[0],
    'OK', 'a running check ends before the work');
ok(due($hosts[0]),
    'the host of the ended check stays scheduled until the work');
work_ends();
is_deeply(scheduled(), [$hosts[1]], 'the other running one keeps its lease');
is(finish($p2, $hosts[1], listed_result('RBb'), result('RBa', 'clear'))->[0],
    'OK', 'the other running check ends after the work');
is_deeply(scheduled(), [], 'a check that ends after the work is not repeated');
is(cmd('ZCARD', k('listed', $ac)), 3, 'what they found is kept');
is(state($_), IS_UNKNOWN, 'a host stays unknown after its check') for @hosts;
take('m', 9);
is(begin($acct, $manual, $listed)->[0], 'OK', 'a check by hand starts');
is(finish($manual, $listed, map { result($_, 'clear') } 'RBa', 'RBb')->[0],
    'OK', 'the manual check ends');
is(cmd('ZCARD', k('listed', $ac)), 2, 'a listing is over');
is(state($listed), IS_UNKNOWN, 'the host is unknown all the same');
is_deeply(scheduled(), [], 'the host of the manual check is not scheduled');
is(begin($acct, $one_off, '')->[0], 'OK', 'a one-off check starts');
finish($one_off, '', result('RBa', 'clear'));
faultless('all accepted checks have ended');
pay();
work_ends();
is_deeply(scheduled(), [sort @hosts], 'all go on');

@hosts = born(1);
$pp = start($hosts[0]);
cmd('SET', k('r', $ac, $hosts[0]),
    packed([@{ host($hosts[0]) }[0 .. 16]]));
expire();
work_ends();
is(script('check_clear', [k('flight:due')], member => "$ac:$hosts[0]",
    flight => cmd('HGET', k('flight:due'), "$ac:$hosts[0]"),
    interval => 600)->[1], '0',
    'a clear check of a stopped host does not end in passing');
finish($pp, $hosts[0], map { result($_, 'clear') } 'RBa', 'RBb');
is(state($hosts[0]), IS_UNKNOWN,
    'a stopped host stays unknown after its clear check');
faultless('a clear check has ended');


# --- requests that nginx passes on -------------------------------------------

# All keys but the audit log, with their content.
sub content {
    return { map { $_ => cmd('DUMP', $_) } grep { !/:audit/ }
        @{ cmd('KEYS', '*') } };
}

for my $kept (0, 1, -1) {
    @hosts = born(1);
    script('host_status', [$acct], host => $hosts[0], status => 'paused');
    expire($kept);
    my $was = content();
    for (['a host', sub { add_host($acct, 'rbl', '10.1.0.1') }],
        ['a host that exists', sub { add_host($acct, 'rbl', '10.0.0.2') }],
        ['a subnet', sub { add_host($acct, 'rbl', '10.1.0.1', '10.1.0.2') }],
        ['a range', sub { add_host($acct, 'ip_range', '10.1.0.0/31',
            '10.1.0.0', '10.1.0.1') }],
        ['a check', sub { script('check_start', [$acct], check => sid('PP'),
            host => $hosts[1], family => 1, app => 'APx', keep => 60_000) }],
        ['one of no host', sub { script('check_start', [$acct],
            check => sid('PP'), host => sid('HT'), family => 1, app => 'APx',
            keep => 60_000) }],
        ['a one-off', sub { script('check_start', [$acct], check => sid('PP'),
            value => '192.0.2.9', family => 1, app => 'APx',
            keep => 60_000) }],
        ['a resumed host', sub { script('host_status', [$acct],
            host => $hosts[0], status => 'active') }])
    {
        my ($name, $does) = @$_;
        is_deeply($does->(), ['LAPSED'], "kept $kept: $name is refused");
    }
    is_deeply(content(), $was, "kept $kept: a refused request changes nothing");
    is_deeply(script('host_status', [$acct], host => $hosts[1],
        status => 'paused'), ['OK'], 'a host can be paused');
    work_ends();
    pay();
    work_ends();
    is_deeply(script('host_status', [$acct], host => $_, status => 'active'),
        ['OK'], 'a paused host is resumed when the plan is paid') for @hosts;
    is(add_host($acct, 'rbl', '10.1.0.1')->[0], 'OK', 'as is an add');
    faultless('refused requests');
}

# Accepted before, made afterwards.
@hosts = born(0);
is(slice('host_add', [$acct], name => 'name', type => 'rbl', family => 1,
    host => [map { sid('HT') } 1 .. 5],
    value => [map { "10.7.0.$_" } 1 .. 5])->[0], 'WORK',
    'hosts are still to be made');
expire();
work_ends();
is(cmd('ZCARD', k('hosts', $ac)), 6, 'the work makes the five hosts');
is_deeply(scheduled(), [], 'none of the new hosts is scheduled');
faultless('hosts that were made afterwards');


# --- the fall-back plan: the first hosts ------------------------------------

@hosts = born(4);
expire(2);
is(start($hosts[0]), undef, 'of a running work none is told apart') if 0;
isnt(start($hosts[0]), undef, 'the first host is checked before the work');
is(start($hosts[2]), undef, 'the third is not');
faultless('before the work');
work_ends();
is_deeply(scheduled(), [sort @hosts[0, 1]], 'two hosts are scheduled');
is(state($hosts[0]), 0, 'the first is clear');
is(state($hosts[4]), IS_UNKNOWN, 'the last is unknown');
faultless('two hosts are checked');
script('host_delete', [$acct], host => $hosts[0], keep => 60_000);
faultless('the first was deleted');
is_deeply(scheduled(), [$hosts[1]],
    'no other host takes the place of a deleted one');
check($hosts[1], listed_result('RBa'), result('RBb', 'clear'));
is(state($hosts[1]), IS_LISTED, 'the second is listed');
pay();
work_ends();
is_deeply(scheduled(), [sort @hosts[1 .. 4]], 'all are scheduled');
is(state($hosts[1]), IS_LISTED, 'the second stays listed');
expire(100);
work_ends();
is_deeply(scheduled(), [sort @hosts[1 .. 4]], 'a plan for more hosts keeps all');
faultless('all are kept');
pay();
work_ends();
expire(-1);
work_ends();
is_deeply(scheduled(), [sort @hosts[1 .. 4]], 'one without a limit, too');
pay();
work_ends();

# Hosts that wait for their first check since one expiry are kept by the next.
expire(0);
work_ends();
pay();
expire(2);
work_ends();
is_deeply(scheduled(), [sort @hosts[1, 2]], 'kept hosts are due again');
is(state($hosts[1]), IS_UNKNOWN, 'until then they are unknown');
faultless('two are kept');
pay();
work_ends();


# --- ranges, paused and deleted hosts ---------------------------------------

@hosts = born(1);
my @range = map { unpacked($_)->[1] } @{ add_host($acct, 'ip_range',
    '10.9.0.0/28', map { "10.9.0.$_" } 0 .. 15) }[1 .. 17];
my ($top, @kids) = @range;
script('host_status', [$acct], host => $hosts[0], status => 'paused');
expire();
step($acct);
script('host_delete', [$acct], host => $kids[3], keep => 60_000);
work_ends();
is_deeply(scheduled(), [], 'no address is scheduled');
is(state($top), RANGE, 'a range has no state');
ok(host($top)->[STOPPED], 'the range is stopped');
is(state($kids[0]), IS_UNKNOWN, 'an address is unknown');
is(state($hosts[0]), PAUSED, 'a paused host stays paused');
faultless('a range and a paused host');
script('host_status', [$acct], host => $kids[1], status => 'paused');
is(state($kids[1]), PAUSED, 'a stopped host is paused');
faultless('it is');
pay();
work_ends();
is(due($hosts[0]), undef, 'the paused ones stay paused');
is_deeply(scheduled(), [sort $hosts[1], @kids[0, 2, 4 .. 15]],
    'the others are due');
script('host_status', [$acct], host => $kids[1], status => 'active');
is(state($kids[1]), IS_UNKNOWN, 'one that is resumed waits for its check');
check($kids[0], map { result($_, 'clear') } 'RBa', 'RBb');
is(state($kids[0]), 0, 'an address is clear');
is(host($top)->[STOPPED], 0, 'the range of the checked address is not stopped');
faultless('a range goes on');

expire(5);                              # two hosts, the range, two addresses
work_ends();
is(scalar @{ scheduled() }, 3, 'a range is kept in part');
ok(host($top)->[STOPPED], 'a range that is kept in part is stopped');
faultless('a range in part');


# --- another plan ------------------------------------------------------------

sub buy {
    my ($period, %o) = @_;
    return script('bill_plan', [$acct], gateway => 'manual', plan => 'Other',
        price => 2_000_000, period => $period, paid => 1,
        hosts => $o{hosts} // 0, contacts => 0, checks => 0,
        shortest => $o{interval} // 600)->[0];
}
sub look { return script('bill_step', [$acct], grace => $_[0] // 0,
    kept => 0)->[1] }
sub told { return join ' ', map { $_->[1] } notices() }
sub hears {
    script('contact_add', [$acct], contact => sid('CO'), type => 'email',
        value => 'a\@b.example', schedule => 'start_and_end', digest => 'd',
        code => 'c', event => sid('EV'));
}

@hosts = born(2);
hears();
expire();
work_ends();
is(script('account_plan', [$acct], plan => 'Small', paid => 1, hosts => 2,
    contacts => 3, checks => 4, shortest => 1200)->[0], 'BILL',
    'account plan refuses an account that has a bill');
ok(is_account()->[A_LAPSED],
    'an expired account stays expired after a refused plan');
is(look(), 'lapsed', 'the bill of an expired account stays lapsed');
faultless('a refused plan');
is(buy('month'), 'OK', 'bill_plan puts the account on another plan');
ok(is_account()->[A_LAPSED], 'the account stays expired until it has paid');
faultless('another plan, not paid');
is(unpacked(cmd('GET', k('pay', $ac, bill()->[10])))->[4], 2_000_000,
    'the payment is of the new price');
pay(amount => 2_000_000);
work_ends();
is_deeply(scheduled(), [sort @hosts], 'the payment schedules all hosts');
is(told(), 'expired active', 'the contacts are told once each');
faultless('another plan, paid');

@hosts = born(2);
hears();
cmd('SET', k('terms', $ac), packed([1, 0, '', 0, 0, 0]));
script('bill_settle', [$acct], result => 'paid',
    payment => bill()->[10]) if bill()->[10] ne '';
expire();
work_ends();
is(bill()->[10], '', 'a plan that ended has no payment');
is(buy('month'), 'OK', 'bill_plan puts the account on another plan');
is(is_account()->[A_LAPSED], 0, 'the account is active like a new one');
faultless('a plan that ended, and another');
is(look(7 * DAY), 'grace', 'until its grace is over');
work_ends();
is_deeply(scheduled(), [sort @hosts], 'all are due');
is(told(), 'expired active', 'the contacts are told');
faultless('in its grace');

# By the check, without a balance, and back.
@hosts = born(2);
hears();
expire();
work_ends();
is(buy('check'), 'OK', 'bill_plan puts the account on a plan by the check');
ok(is_account()->[A_LAPSED], 'an account without a balance stays expired');
faultless('by the check');
is(look(), 'lapsed', 'as its bill says');
is(told(), 'expired', 'the contacts know');
script('bill_adjust', [$acct], what => 'topup',
    once => 'R', amount => 9_000_000);
look();
is(is_account()->[A_LAPSED], 0, 'a balance makes the account active');
work_ends();
is_deeply(scheduled(), [sort @hosts], 'all are due');
faultless('by the check, with a balance');
script('bill_adjust', [$acct], once => sid('XX'), amount => -9_000_000,
    reason => 'gone');
is(look(), 'lapsed', 'the balance is used up');
work_ends();
is_deeply(scheduled(), [], 'no host is scheduled');
is(buy('month'), 'OK', 'bill_plan puts the account on a plan by the month');
is(is_account()->[A_LAPSED], 0,
    'the plan by the month makes the account active');
faultless('by the month');
is(look(7 * DAY), 'grace', 'the plan by the month is in its grace');
work_ends();
is_deeply(scheduled(), [sort @hosts], 'all are due');
is(told(), 'expired active expired active', 'the contacts are told');


# --- suspended and expired ---------------------------------------------------

# A check that was begun, and is taken over: the account is suspended by then,
# and its plan has expired.
for my $kept (0, 1) {
    @hosts = born(1);
    $pp = start($hosts[1]);
    expire($kept);
    script('account_status', [$acct], status => 'suspended');
    work_ends();
    isnt(due($hosts[1]), undef, 'the check has its lease');
    faultless('suspended and expired, while a check runs');
    is(begin($acct, $pp, $hosts[1])->[0], 'GONE',
        'the check of the suspended account does not start');
    is_deeply(scheduled(), $kept ? [$hosts[0]] : [],
        'the host of that check is not scheduled');
    ok(host($hosts[1])->[STOPPED], 'the host of that check is stopped');
    is(start($hosts[0]), undef, 'the check of another host does not start');
    is_deeply(scheduled(), $kept ? [$hosts[0]] : [], 'one that is kept waits');
    faultless('suspended and expired');
    pay();
    work_ends();
    is_deeply(scheduled(), [sort @hosts], 'paid, and still suspended');
    is(start($_), undef, 'no check is done') for @hosts;
    faultless('paid and suspended');
    script('account_status', [$acct], status => 'active');
    isnt(start($hosts[1]), undef, 'active: a check starts');
    faultless('paid and active');
}


# --- work that is interrupted ------------------------------------------------

sub many {
    my ($n) = @_;

    my @first = born(0);
    my @all = map { unpacked($_)->[1] } @{ add_host($acct, 'rbl',
        map { sprintf '10.8.%d.%d', $_ >> 8, $_ & 255 } 1 .. $n) }[1 .. $n];
    return (@first, @all);
}

# A slice takes one piece only.
@hosts = many(200);
script_limits(slice => 0);
expire();
step($acct) for 1 .. 4;
my $stopped = grep { host($_)->[STOPPED] // 0 } @hosts;
ok($stopped > 30 && $stopped < 120, "a part of the hosts is stopped: $stopped");
faultless('in the middle of the work');
my $item = cmd('LINDEX', k('work', $ac), 0);
step($acct);
cmd('LSET', k('work', $ac), 0, $item);      # a slice that was lost
step($acct);
faultless('a slice was done twice');
pay();
faultless('paid in the middle of the work');
is(scalar @{ cmd('LRANGE', k('work', $ac), 0, -1) }, 2, 'two items of work');
step($acct);
is(scalar @{ cmd('LRANGE', k('work', $ac), 0, -1) }, 1,
    'the first one is over at once');
step($acct) for 1 .. 3;
expire();
faultless('expired in the middle of that work');
work_ends();
is_deeply(scheduled(), [], 'no host is scheduled');
is(scalar(grep { (host($_)->[STOPPED] // 0) > 0 } @hosts), 201,
    'all are stopped');
faultless('at the end');
pay();
expire();
pay();
work_ends();
is(scalar @{ scheduled() }, 201, 'all are due');
is(cmd('EXISTS', k('work', $ac)), 0, 'no work is left');
faultless('paid twice in a row');
script_limits();


# --- time --------------------------------------------------------------------

# The store's clock leaps a year ahead, and goes back.
@hosts = born(2);
my $b = bill();
@$b[7, 8] = (now_ms() - 366 * DAY) x 2;
cmd('SET', k('bill', $ac), packed($b));
is(script('bill_step', [$acct], grace => 7 * DAY, kept => 0)->[1], 'lapsed',
    'a year later the plan has expired');
work_ends();
faultless('a year later');
$a = is_account();
$a->[A_LAPSED] += 365 * DAY;
cmd('SET', $acct, packed($a));
is(start($hosts[0]) // '', '', 'expired in the future: no check');
pay();
work_ends();
is_deeply(scheduled(), [sort @hosts], 'all are due');
ok((!grep { due($_) > now_ms() + 661_000 } @hosts), 'within an interval');
faultless('the clock went back');


# --- fsck --------------------------------------------------------------------

sub finds {
    my ($what, $text) = @_;
    my $r = rblctl($redis, 'fsck');
    like($r->{out}, $text, $what);
    rblctl($redis, 'fsck', '--repair');
    faultless("$what, repaired");
}

@hosts = born(2);
expire(1);
work_ends();
make_due($hosts[1]);
finds('a stopped host is scheduled', qr/plan has expired/);
my $h = host($hosts[2]);
$h->[STOPPED] = 0;
cmd('SET', k('r', $ac, $hosts[2]), packed($h));
finds('a host that is not marked', qr/not known to be stopped/);
cmd('ZREM', k('due', $ac), $hosts[0]);
finds('a kept host is not scheduled', qr/no check of it is due/);
$a = is_account();
$a->[A_LAPSED] = 0;
cmd('SET', $acct, packed($a));
like(rblctl($redis, 'fsck')->{out}, qr/has lapsed, and the account has not/,
    'an account that does not follow its bill');
rblctl($redis, 'fsck', '--repair');
script('bill_step', [$acct], grace => 0, kept => 1);
work_ends();
faultless('a daemon has looked at it');
done_testing();
