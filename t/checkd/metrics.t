#!/usr/bin/perl

# Metrics of a daemon: soon in the store, exact, removed soon after the daemon
# ends, and shown by rblctl.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblDns;
use RblTest;
use Time::HiRes qw(time);

my $soa = { rcode => 'nxdomain', soa => ['test', 60, 60] };
my $dns = RblDns->new(rules => [
    [ '^1\.0\.0\.10\.a\.test' => { a => ['127.0.0.2'], txt => ['why'] } ],
    [ '\.b\.test' => 'servfail' ],
    [ '.', $soa ],
]);
my $w = world(no_dns => 1, zones => { 'a.test' => {}, 'b.test' => {},
    'c.test' => {} });
my %opt = (store => $w->{redis}, resolver => { port => $dns->port });
my $checkd = start_checkd(%opt, conf => { conf_short(name => 'one x',
    schedule => 'off', checks_max => 7, check_timeout => '14s', lease => '30s',
    dns_timeout => '14s', dns_tries => 1) });

sub daemons {
    my $r = rblctl($w->{redis}, '--json', 'status');
    return { map { $_->{name} => $_ } @{ json($r->{out})->{daemons} } };
}

sub one { return daemons()->{'one x'} }

eventually { one() && one()->{checks} } 10, 'a record is there';
my $d = one();
is($d->{checks}{max}, 7, 'how many checks it may do');
is($d->{checks}{completed}, 0, 'and none was done');
like($d->{version}, qr/^\d+\.\d+\.\d+$/, 'its version');
cmp_ok(redis($w->{redis}, 'PTTL', 'rbl:{0}:daemon:one x'), '<=', 20_000,
    'it ends soon');
cmp_ok(redis($w->{redis}, 'PTTL', 'rbl:{0}:daemon:one x'), '>', 10_000,
    'but not before the next one comes');

# Three checks of three lists.

my $table;

wait_check($w, check_value($w, "10.0.0.$_"), 20) for 1 .. 3;
eventually { one()->{checks}{completed} == 3 } 12, 'three checks';
$d = one();
is($d->{checks}{failed}, 0, 'none failed');
is($d->{checks}{in_flight}, 0, 'none is in flight');
cmp_ok($d->{checks}{per_1000s}, '>=', 0, 'a rate');
cmp_ok($d->{questions}{asked}, '>=', 9, 'nine queries at least');
is($d->{questions}{in_flight} + $d->{questions}{waiting}, 0,
    'none is in flight or waits');
cmp_ok($d->{answers}{nxdomain}, '>=', 5, 'answers: not listed');
cmp_ok($d->{answers}{servfail}, '>=', 3, 'answers: failed');
cmp_ok($d->{answers}{noerror}, '>=', 1, 'answers: listed');
is(join(' ', sort keys %{ $d->{answers} }), 'badreply network noerror nxdomain '
    . 'refused servfail timeout truncated', 'every class');
is($d->{queue}{manual_ms}, 0, 'no check waits');
is(scalar @{ $d->{resolvers} }, 1, 'one resolver');
is($d->{resolvers}[0]{address}, '127.0.0.1@' . $dns->port, 'its address');

my %list = map { $_->{zone} => $_ } @{ $d->{lists} };
is(join(' ', sort keys %list), 'a.test b.test c.test custom other',
    'every list, and two more rows');
is_deeply($list{'a.test'}{results}, { listed => 1, clear => 2, unknown => 0 },
    'the results of a list');
is_deeply($list{'b.test'}{results}, { listed => 0, clear => 0, unknown => 3 },
    'and at another one');
cmp_ok($list{'a.test'}{answers}{answered}, '>=', 3,
    'the responses of the list');
cmp_ok($list{'a.test'}{latency}{sum_us}, '>', 0,
    'the responses took some time');
cmp_ok($list{'a.test'}{latency}{max_us}, '>', 0, 'the slowest one too');
cmp_ok($list{'b.test'}{answers}{failed}, '>=', 3, 'the other one did not');
is($list{'b.test'}{answers}{answered}, 0, 'no response at all');
is($list{'c.test'}{quota}{frozen}, 0, 'it is not frozen');
ok(!exists $list{'c.test'}{quota}{left}, 'and has no quota');
note(join ' ', map { "$_: $list{$_}{health}" } sort keys %list);
is($d->{resolvers}[0]{answers}{answered},
    $list{'a.test'}{answers}{answered} + $list{'c.test'}{answers}{answered},
    'the resolver has as many responses');
cmp_ok($d->{resolvers}[0]{answers}{failed}, '>=', 3, 'except to the others');
cmp_ok($d->{resolvers}[0]{latency}{sum_us}, '>', 0,
    'the responses took some time');
$table = rblctl($w->{redis}, 'lists', 'show')->{out};
like($table, qr/^a\.test /m, 'rblctl lists show has them');

# Queued checks are counted.

$dns->rules([ '.', 'mute' ]);
my @pp = map { check_value($w, "10.0.1.$_") } 1 .. 12;
eventually { one()->{checks}{in_flight} == 7 } 12, 'as many as it may';
eventually { my $q = one()->{queue}; $q->{manual_ms} > 0 } 12,
    'others wait, and the metrics have the time';
$table = rblctl($w->{redis}, 'status')->{out};
like($table, qr/^DAEMON +RUNNING +IDLE \(s\) +VERSION +UP +CHECKS /m,
    'rblctl status has a table of it');
like($table, qr/^one x +7 +\d+ +\d+\.\d+\.\d+ +0m \d+s +3 +[\d.]+ /m,
    'with a line for the daemon');
$dns->rules([ '.', $soa ]);

# A second daemon; then both end.

my $other = start_checkd(%opt, conf => { conf_short(name => 'two') });
eventually { (daemons()->{two} // {})->{checks} } 10, 'another daemon';
ok(stop_server($_), 'it stops') for $other, $checkd;
my $left = redis($w->{redis}, 'PTTL', 'rbl:{0}:daemon:two');
cmp_ok($left, '<=', 20_000, 'the record of a stopped daemon expires soon');
cmp_ok($left, '>', 0, 'by itself');
redis($w->{redis}, 'PEXPIRE', 'rbl:{0}:daemon:two', 1);
eventually { !redis($w->{redis}, 'EXISTS', 'rbl:{0}:daemon:two') } 5,
    'it has expired';
ok(!daemons()->{two}{checks}, 'and rblctl shows its name alone');

# Damaged records are left out.

for my $bad ('x', "\x98\x01", mp_pack([1, 'two', 'v1', 1, 1, ['x'], [], []]),
    mp_pack([1, 'two', 'v1', 1, 1, [1], 7, []]), "\xdd\xff\xff\xff\xff")
{
    redis($w->{redis}, 'SET', 'rbl:{0}:daemon:two', $bad);
    my $r = rblctl($w->{redis}, '--json', 'status');
    is($r->{status}, 0, 'a damaged record: status');
    ok(!daemons()->{two}{checks}, 'and it is left out');
}

# A newer release has more metrics, an older one fewer.

redis($w->{redis}, 'SET', 'rbl:{0}:daemon:two', mp_pack([1, 'two', 'v9', 1, 1,
    [1 .. 90], [['192.0.2.1@53', 1 .. 90]], [['', 'custom', 'good', 1 .. 90]],
    ['email'], 'more', [1]]));
$d = daemons()->{two};
is($d->{checks}{completed}, 1, 'more numbers: read');
is($d->{lists}[0]{health}, 'good', 'more numbers: lists too');
redis($w->{redis}, 'SET', 'rbl:{0}:daemon:two', mp_pack([1, 'two', 'v0', 1, 1,
    [5], [['192.0.2.1@53']], [['', 'custom', '']]]));
$d = daemons()->{two};
is($d->{checks}{completed}, 5, 'fewer numbers: read');
is($d->{lists}[0]{answers}{answered}, 0, 'fewer numbers: the rest is 0');

$dns->stop;
done_testing();
