#!/usr/bin/perl

# Time: responses that are slow, lost or late; the start of another attempt, how
# long each may be answered, which server is queried, and the counters.
#
# Alone: measures times.

use warnings;
use strict;

use Test::More;

use RblDns;
use RblDnsAsk;

my ($v, $c);

sub count {
    my ($verdict, $status) = @_;
    return scalar grep { $_->{status} eq $status } map { @$_ } values %$verdict;
}


sub of {
    my ($verdict, $what) = @_;
    return map { $verdict->{$_}[0] } grep { /$what/ } sort keys %$verdict;
}


my @fast = map { "f$_.quick.test quick.test" } 1 .. 100;
my $dns = RblDns->new;

# A lost query is repeated when its response is overdue, not at its timeout.
$dns->rules(['^lost' => 'mute', { a => ['127.0.0.3'] }],
            ['.' => { a => ['127.0.0.2'] }]);
my @one = (-r => $dns->addr, -t => 3, -n => 2, -w => 1);
($v, $c) = dnsask(\@one, @fast, map { "lost$_.quick.test quick.test" } 1 .. 5);
is(count($v, 'NOERROR'), 105,
    'five lost queries and 100 others get a response');
my @lost = of($v, '^lost');
is(scalar(grep { $_->{tries} == 2 && $_->{a} eq '127.0.0.3' } @lost), 5,
   'a lost query is sent a second time');
is(scalar(grep { $_->{ms} >= 290 && $_->{ms} < 2500 } @lost), 5,
   'a lost query is repeated long before its timeout');
is("$c->{hedged} $c->{timeouts}", '5 5',
    'the engine counts five repeated queries');
is("$c->{questions} $c->{sent} $c->{r0_sent}", '105 110 110',
   'the engine counts repeated queries as sent twice');
is("$c->{r0_replies} $c->{r0_latencies} $c->{r0_good} $c->{r0_timeouts}",
   '105 105 105 5', 'the resolver has counters of its own');
cmp_ok($c->{r0_srtt}, '>', 0, 'the mean response time exceeds zero');
cmp_ok($c->{r0_rto}, '>=', 0.3, 'the timeout is at least 0.3 s');
cmp_ok($c->{r0_rto}, '<=', 3, 'the timeout is at most the configured one');
is("$c->{r0_in_flight} $c->{in_flight} $c->{r0_down}", '0 0 0',
   'no query is in flight at the end');

# The same response twice counts once.
$dns->rules(['^slow' => { a => ['127.0.0.3'], delay => 0.5 }],
            ['.' => { a => ['127.0.0.2'] }]);
($v, $c) = dnsask(\@one, @fast, 'slow1.quick.test quick.test', @fast);
is($v->{'slow1.quick.test'}[0]{status}, 'NOERROR',
    'an overdue response is accepted');
cmp_ok($v->{'slow1.quick.test'}[0]{ms}, '<', 750,
    'the overdue response belongs to the first attempt');
is("$v->{'slow1.quick.test'}[0]{tries} $c->{hedged}", '2 1',
   'the engine has sent a second attempt before it');
is($c->{answered}, 201, 'the engine reports the query once');

# A slow list is not queried twice forever.
$dns->rules(['\.slow\.test' => { a => ['127.0.0.3'], delay => 0.6 }],
            ['.' => { a => ['127.0.0.2'] }]);
($v, $c) = dnsask([-r => $dns->addr, -t => 3, -n => 2, -w => 5], @fast,
                  map { "s$_.slow.test slow.test" } 1 .. 60);
is(count($v, 'NOERROR'), 160, 'a slow list is never unknown');
cmp_ok($c->{hedged}, '<=', 15, 'a slow list is queried twice only at first');

# Timeout: the sum of all attempts, however early the last one was sent.
$dns->rules(['^late' => { a => ['127.0.0.3'], delay => 2.2 }, 'mute'],
            ['.' => { a => ['127.0.0.2'] }]);
($v, $c) = dnsask([-r => $dns->addr, -t => 1, -n => 2, -w => 1], @fast,
                  'late1.quick.test quick.test');
is($v->{'late1.quick.test'}[0]{status}, 'NOERROR',
    'a response after 2.2 of 2.5 seconds is accepted');
$dns->rules(['^late' => 'mute'], ['.' => { a => ['127.0.0.2'] }]);
($v, $c) = dnsask([-r => $dns->addr, -t => 1, -n => 2, -w => 1], @fast,
                  'late1.quick.test quick.test');
is($v->{'late1.quick.test'}[0]{status}, 'TIMEOUT',
    'a query without a response ends with a timeout');
cmp_ok($v->{'late1.quick.test'}[0]{ms}, '>=', 2490,
    'the timeout comes after at least 2.5 seconds');
cmp_ok($v->{'late1.quick.test'}[0]{ms}, '<', 3500,
    'the timeout comes within 3.5 seconds');

# Two resolvers: one stops answering in the middle.
my $other = RblDns->new(rules => [['.' => { a => ['127.0.0.5'] }]]);
my @two = (-r => $dns->addr, -r => $other->addr, -t => 3, -n => 2);
my @stop = map { "n$_.quick.test quick.test" } 1 .. 200;
$dns->rules(['^n' => 'mute'], ['.' => { a => ['127.0.0.2'] }]);
($v, $c) = dnsask([@two, -w => 20], @fast, @stop);
is(scalar(grep { $_->{a} eq '127.0.0.5' && $_->{server} == 1 }
          of($v, '^n')), 200,
    'the second resolver answers when the first stops');
cmp_ok($c->{seconds}, '<', 3,
    'the queries end before the timeout of the first');
cmp_ok($dns->asked('^n'), '<', 100,
    'the stopped resolver soon gets few queries');
is($c->{r1_good}, 200, 'the second resolver counts its valid responses');
is($c->{r0_down}, 1, 'the first resolver counts as down');

# A response of the slow one counts, too, and a failure of the other does not.
$dns->rules(['^n' => { a => ['127.0.0.2'], delay => 0.7 }],
            ['.' => { a => ['127.0.0.2'] }]);
$other->rules(['.' => 'refused']);
($v, $c) = dnsask([@two, -w => 1], @fast[0 .. 9], 'n1.quick.test quick.test');
is("$v->{'n1.quick.test'}[0]{status} $v->{'n1.quick.test'}[0]{server}",
   'NOERROR 0', 'REFUSED elsewhere does not hide a slow response');

# A resolver that refuses does not prevent queries to the other.
$dns->rules(['.' => 'refused']);
$other->rules(['.' => { a => ['127.0.0.2'] }]);
($v, $c) = dnsask([@two, -w => 1], map { "n$_.refused.test" } 1 .. 5);
is_deeply([map { "$_->[0]{status} $_->[0]{server}" } values %$v],
    [('NOERROR 1') x 5], 'a resolver that refuses is not the only one queried');
$other->rules(['.' => 'refused']);
($v, $c) = dnsask([@two, -w => 1], 'n6.refused.test');
is($v->{'n6.refused.test'}[0]{status}, 'REFUSED',
    'a query ends with REFUSED when both resolvers refuse');

# Only one resolver.
$other->rules(['.' => { a => ['127.0.0.5'] }]);
$dns->rules(['.' => { a => ['127.0.0.2'] }]);
($v, $c) = dnsask([@two, -p => 1], @stop);
is(scalar(grep { $_->{a} eq '127.0.0.5' && $_->{server} == 1 }
          of($v, '^n')), 200, '-p 1 queries the second resolver only');
is($dns->asked('.'), 0, '-p 1 sends no query to the first resolver');
$other->rules(['.' => 'mute']);
($v, $c) = dnsask([-r => $dns->addr, -r => $other->addr, -t => '0.2', -n => 3,
                   -p => 1], map { "n$_.test" } 1 .. 20);
is(count($v, 'TIMEOUT'), 20,
    '-p 1 queries the second resolver although it is mute');
is($dns->asked('.'), 0,
    'the first resolver gets no query when the second is mute');
is($other->asked('^n'), 60,
    'the mute resolver gets three attempts of each query');
$other->rules(['.' => 'servfail']);
($v) = one([@two, -p => 1], 'x.test');
is("$v->{status} $v->{tries}", 'SERVFAIL 1',
    '-p 1 queries the second resolver although it fails');
is($dns->asked('.'), 0,
    'the first resolver gets no query when the second fails');
my $closed = '127.0.0.1@' . RblDns::closed_port();
($v) = one([-r => $closed, -r => $dns->addr, -t => 2, -p => 0], 'x.test');
is($v->{status}, 'NETWORK',
    '-p 0 queries the first resolver although its port is closed');
is($dns->asked('.'), 0,
    'the second resolver gets no query when the first is closed');

# Slots: a second attempt at the same resolver uses no additional slot.
$dns->rules(['\.dead\.test' => 'mute'], ['.' => { a => ['127.0.0.2'] }]);
($v, $c) = dnsask([-r => $dns->addr, -t => 1, -n => 2, -f => 16, -w => 500],
    (map { "m$_.dead.test dead.test" } 1 .. 4),
    (map { "m$_.dead.test" } 5 .. 10),
    (map { "g$_.good.test good.test" } 1 .. 200));
is(count($v, 'TIMEOUT'), 10, 'all queries for dead lists time out');
is(count($v, 'NOERROR'), 200, 'all queries for a good list get a response');
cmp_ok((sort { $a <=> $b } map { $_->{ms} } of($v, '^g'))[-1], '<', 900,
   'a good list does not wait for dead ones');

done_testing();
