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
is($d->{checks}{max}, 7, 'the record has the limit of checks in flight');
is($d->{checks}{completed}, 0, 'the record counts no completed check');
like($d->{version}, qr/^\d+\.\d+\.\d+$/,
    'the record has the version of the daemon');
is($d->{dns}{state}, 'works', 'the record says that DNS works');
cmp_ok(redis($w->{redis}, 'PTTL', 'rbl:{0}:daemon:one x'), '<=', 20_000,
    'the record expires within 20 seconds');
cmp_ok(redis($w->{redis}, 'PTTL', 'rbl:{0}:daemon:one x'), '>', 10_000,
    'the record lasts at least 10 seconds');

# Three checks of three lists.

my $table;

wait_check($w, check_value($w, "10.0.0.$_"), 20) for 1 .. 3;
eventually { one()->{checks}{completed} == 3 } 12,
    'the record counts three completed checks';
$d = one();
is($d->{checks}{failed}, 0, 'the record counts no failed check');
is($d->{checks}{in_flight}, 0, 'no check is in flight');
cmp_ok($d->{checks}{per_1000s}, '>=', 0, 'the record has a rate of checks');
cmp_ok($d->{questions}{asked}, '>=', 9,
    'the daemon counts at least nine queries');
is($d->{questions}{in_flight} + $d->{questions}{waiting}, 0,
    'no query is in flight or waits');
cmp_ok($d->{answers}{nxdomain}, '>=', 5,
    'the daemon counts at least five NXDOMAIN responses');
cmp_ok($d->{answers}{servfail}, '>=', 3,
    'the daemon counts at least three SERVFAIL responses');
cmp_ok($d->{answers}{noerror}, '>=', 1,
    'the daemon counts a NOERROR response');
is(join(' ', sort keys %{ $d->{answers} }), 'badreply network noerror nxdomain '
    . 'refused servfail timeout truncated',
    'the record has every class of responses');
is($d->{queue}{manual_ms}, 0, 'no check waits');
is(scalar @{ $d->{resolvers} }, 1, 'the record has one resolver');
is($d->{resolvers}[0]{address}, '127.0.0.1@' . $dns->port,
    'the record has the address of the resolver');

my %list = map { $_->{zone} => $_ } @{ $d->{lists} };
is(join(' ', sort keys %list), 'a.test b.test c.test custom other',
    'the record has every list and two more rows');
is_deeply($list{'a.test'}{results}, { listed => 1, clear => 2, unknown => 0 },
    'a.test has one listed and two clear results');
is_deeply($list{'b.test'}{results}, { listed => 0, clear => 0, unknown => 3 },
    'b.test has three unknown results');
cmp_ok($list{'a.test'}{answers}{answered}, '>=', 3,
    'the responses of the list');
cmp_ok($list{'a.test'}{latency}{sum_us}, '>', 0,
    'the responses took some time');
cmp_ok($list{'a.test'}{latency}{max_us}, '>', 0, 'the slowest one too');
cmp_ok($list{'b.test'}{answers}{failed}, '>=', 3, 'the other one did not');
is($list{'b.test'}{answers}{answered}, 0, 'no response at all');
is($list{'c.test'}{quota}{frozen}, 0, 'a list without a quota is not frozen');
ok(!exists $list{'c.test'}{quota}{left},
    'a list without a quota shows no remaining queries');
note(join ' ', map { "$_: $list{$_}{health}" } sort keys %list);
my $of_lists = $list{'a.test'}{answers}{answered}
    + $list{'c.test'}{answers}{answered};
my $of_resolver = $d->{resolvers}[0]{answers}{answered};
# The question about NAT64 may be asked again.
ok($of_resolver >= $of_lists && $of_resolver <= $of_lists + 2,
    'the resolver has as many responses, and some about NAT64 perhaps')
    or diag("$of_resolver, $of_lists");
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
    'rblctl status has a line for the daemon');
$dns->rules([ '.', $soa ]);

# A second daemon; then both end.

my $other = start_checkd(%opt, conf => { conf_short(name => 'two') });
eventually { (daemons()->{two} // {})->{checks} } 10,
    'the record of a second daemon appears';
ok(stop_server($_), 'the daemon stops') for $other, $checkd;
my $left = redis($w->{redis}, 'PTTL', 'rbl:{0}:daemon:two');
cmp_ok($left, '<=', 20_000, 'the record of a stopped daemon expires soon');
cmp_ok($left, '>', 0, 'the record of a stopped daemon still has a TTL');
redis($w->{redis}, 'PEXPIRE', 'rbl:{0}:daemon:two', 1);
eventually { !redis($w->{redis}, 'EXISTS', 'rbl:{0}:daemon:two') } 5,
    'the record of a stopped daemon expires';
ok(!daemons()->{two}{checks},
    'rblctl status has no metrics for the stopped daemon');

# Damaged records are left out.

for my $bad ('x', "\x98\x01", mp_pack([1, 'two', 'v1', 1, 1, ['x'], [], []]),
    mp_pack([1, 'two', 'v1', 1, 1, [1], 7, []]), "\xdd\xff\xff\xff\xff")
{
    redis($w->{redis}, 'SET', 'rbl:{0}:daemon:two', $bad);
    my $r = rblctl($w->{redis}, '--json', 'status');
    cmp_ok($r->{status}, '<', 3, 'rblctl status ignores a damaged record');
    ok(!daemons()->{two}{checks}, 'rblctl status leaves a damaged record out');
}

# A newer release has more metrics, an older one fewer.

redis($w->{redis}, 'SET', 'rbl:{0}:daemon:two', mp_pack([1, 'two', 'v9', 1, 1,
    [1 .. 90], [['192.0.2.1@53', 1 .. 90]], [['', 'custom', 'good', '', 1 .. 90]],
    ['email'], ['udp', 1000, 3, 'a', 'w', 'c', 'more'],
    [['clocks', 1, 1000, 'differ', 'ntp', 'more']], 'more', [1]]));
$d = daemons()->{two};
is($d->{dns}{since}, '1970-01-01T00:00:01+00:00',
    'a longer state of DNS is read');
is($d->{checks}{completed}, 1, 'more numbers: read');
is($d->{lists}[0]{health}, 'good', 'more numbers: lists too');
redis($w->{redis}, 'SET', 'rbl:{0}:daemon:two', mp_pack([1, 'two', 'v0', 1, 1,
    [5], [['192.0.2.1@53']], [['', 'custom', '', '']]]));
$d = daemons()->{two};
is($d->{checks}{completed}, 5, 'fewer numbers: read');
is($d->{lists}[0]{answers}{answered}, 0, 'fewer numbers: the rest is 0');

$dns->stop;
done_testing();
