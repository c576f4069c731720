#!/usr/bin/perl

# Many queries at once: limits, pacing, several resolvers.
#
# Alone: measures rates and times.

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


# The most queries that arrived within one second.
sub busiest {
    my @t = sort { $a <=> $b } map { $_->[3] } @_;
    my ($most, $from) = (0, 0);

    for my $to (0 .. $#t) {
        $from++ while $t[$to] - $t[$from] >= 1;
        $most = $to - $from + 1 if $to - $from + 1 > $most;
    }

    return $most;
}


my $dns = RblDns->new(rules => [
    ['^l\d+\.' => { a => ['127.0.0.2'], delay => 0.05 }],
    ['^c\d+\.' => { rcode => 'nxdomain', delay => 0.05 }],
    ['^p\d+\.' => { a => ['127.0.0.2'] }],
    ['^t\d+\.' => { tc => 1, a => ['127.0.0.3'] }],
    ['^m\d+\.' => 'mute'],
]);
my @one = (-r => $dns->addr, -t => 5);

# Every response belongs to its query.
my @names = map { ("l$_.a.test", "c$_.b.test") } 1 .. 2500;
($v, $c) = dnsask([@one, -f => 300, -w => 5000, -u => 100], @names);
is(count($v, 'NOERROR'), 2500, 'all 2,500 listed names get their response');
is(count($v, 'NXDOMAIN'), 2500, 'all 2,500 clear names get their response');
is(scalar(grep { $v->{$_}[0]{a} ne (/^l/ ? '127.0.0.2' : '') } keys %$v), 0,
   'each query gets the response for its name');
cmp_ok($c->{most_in_flight}, '<=', 300,
    'the engine sends at most 300 queries at a time');
cmp_ok($dns->most_pending, '<=', 300,
    'the server sees at most 300 queries at a time');
cmp_ok($dns->most_pending, '>', 100,
    'the server sees more than 100 queries at a time');
my %ports = map { $_->[4] => 1 } $dns->log('.');
cmp_ok(scalar(keys %ports), '>=', 40,
    'the queries use at least 40 source ports');
my %ids = map { $_->[5] => 1 } $dns->log('.');
cmp_ok(scalar(keys %ids), '>', 4500, 'the queries use more than 4,500 ids');

# A dead list occupies no more than its share of the slots.
$dns->rules(['dead' => 'mute'], ['.' => { a => ['127.0.0.2'] }]);
($v, $c) = dnsask([-r => $dns->addr, -t => 1, -n => 1, -f => 80, -w => 1000],
                  (map { "p$_.dead.test dead.test" } 1 .. 20),
                  (map { "p$_.good.test good.test" } 1 .. 400));
is(count($v, 'TIMEOUT'), 20, 'all queries for a dead list time out');
is(count($v, 'NOERROR'), 400, 'all queries for a good list get a response');
my @good = sort { $a <=> $b } map { $_->[3] } $dns->log('good');
cmp_ok($good[-1] - $good[0], '<', 1,
    'a good list does not wait for a dead one');
my @dead = sort { $a <=> $b } map { $_->[3] } $dns->log('dead');
is(scalar(grep { $_ < $dead[0] + 0.8 } @dead), 10,
    'a dead list uses one eighth of the slots');

# Pacing, per class: a slow class does not delay another.
$dns->rules(['.' => { a => ['127.0.0.2'] }]);
@names = ((map { "p$_.slow.test slow.test" } 1 .. 300),
          (map { "p$_.brief.test brief.test" } 1 .. 50),
          (map { "p$_.free.test" } 1 .. 500));
($v, $c) = dnsask([@one, -z => 150], @names);
is(count($v, 'NOERROR'), 850, 'paced queries all get a response');
my $most = busiest($dns->log('slow\.test'));
cmp_ok($most, '<=', 165, 'a paced list gets at most its rate');
cmp_ok($most, '>=', 100, 'a paced list gets about its rate');
my @slow = sort { $a <=> $b } map { $_->[3] } $dns->log('slow\.test');
my @free = sort { $a <=> $b } map { $_->[3] } $dns->log('free\.test');
cmp_ok($slow[-1] - $slow[0], '>=', 1.8,
    '300 queries at 150 per second take two seconds');
cmp_ok($free[-1] - $free[0], '<', 1.5, 'queries without a class do not wait');

# A rate below one a second still lets the first pass at once.
($v) = one([@one, -z => '0.01'], 'p1.rare.test rare.test');
($v) = dnsask([@one, -z => '0.01'], 'p1.rare.test rare.test');
is($v->{'p1.rare.test'}[0]{status}, 'NOERROR',
    'the first query at 0.01 per second is sent at once');

# TCP, more than there are slots.
$dns->rules(['.' => { tc => 1, a => ['127.0.0.3'] }]);
($v, $c) = dnsask([@one, -c => 3], map { "t$_.test" } 1 .. 60);
is(count($v, 'NOERROR'), 60,
    '60 truncated queries get responses over 3 slots of TCP');
$dns->rules(['.' => { tc => 1, tcp => 'mute' }]);
($v, $c) = dnsask([-r => $dns->addr, -t => '0.3', -c => 3],
                  map { "t$_.test" } 1 .. 60);
is(count($v, 'TRUNCATED'), 60, '60 queries end truncated when TCP is mute');
cmp_ok($c->{seconds}, '<', 5,
    '60 queries over mute TCP end within five seconds');

# Some are lost, some answered.
$dns->rules(['^m' => 'mute'], ['^2' => 'mute', { a => ['127.0.0.2'] }],
            ['.' => { a => ['127.0.0.4'] }]);
@names = map { ("m$_.test", "2$_.test", "x$_.test") } 1 .. 200;
($v, $c) = dnsask([-r => $dns->addr, -t => '0.3', -n => 2, -f => 2000],
                  @names);
is(count($v, 'TIMEOUT'), 200, 'all mute names end with a timeout');
is(scalar(grep { $v->{$_}[0]{a} eq (/^2/ ? '127.0.0.2' : '127.0.0.4') }
          grep { !/^m/ } keys %$v), 400, 'all other names get a response');
is($c->{timeouts}, 600, 'the engine counts each lost attempt');

# One after the other: the second attempt uses another socket.
$dns->rules(['.' => 'mute']);
dnsask([-r => $dns->addr, -t => '0.01', -n => 2, -f => 1],
       map { "m$_.test" } 1 .. 80);
my %from;
push @{ $from{$_->[0]} }, $_->[4] for $dns->log('.');
is(scalar(keys %from), 80, 'the server sees queries for all 80 names');
is(scalar(grep { @$_ != 2 || $_->[0] == $_->[1] } values %from), 0,
   'both attempts of a query use different ports');

# Two resolvers
my $other = RblDns->new(rules => [['.' => { a => ['127.0.0.5'] }]]);
$dns->rules(['.' => { a => ['127.0.0.2'] }]);
my @two = (-r => $dns->addr, -r => $other->addr, -t => '0.3', -n => 2);
($v) = dnsask(\@two, map { "x$_.test" } 1 .. 50);
is($other->asked('.'), 0,
    'the second resolver gets no query while the first works');

$dns->rules(['.' => 'mute']);
($v, $c) = dnsask([@two, -w => 100], map { "x$_.test" } 1 .. 500);
is(scalar(grep { $v->{$_}[0]{a} eq '127.0.0.5' } keys %$v), 500,
   'a second resolver replaces a mute one');
cmp_ok($dns->asked('.'), '<', 250, 'the mute resolver soon gets few queries');

$dns->rules(['.' => 'servfail']);
($v, $c) = one(\@two, 'x.test');
is("$v->{status} $v->{a} $v->{tries}", 'NOERROR 127.0.0.5 2',
   'the other resolver is queried after SERVFAIL');
$other->rules(['.' => 'servfail']);
($v, $c) = one([@two, -n => 5], 'x.test');
is("$v->{status} $v->{tries}", 'SERVFAIL 2',
    'each resolver is queried once after SERVFAIL');
$other->rules(['.' => 'mute']);
($v, $c) = one([@two, -n => 3], 'x.test');
is($v->{status}, 'SERVFAIL', 'a silent resolver does not hide SERVFAIL');

$other->rules(['.' => { a => ['127.0.0.5'] }]);
my $closed = '127.0.0.1@' . RblDns::closed_port();
($v, $c) = dnsask([-r => $closed, -r => $other->addr, -t => 5],
                  map { "x$_.test" } 1 .. 300);
is(scalar(grep { $v->{$_}[0]{a} eq '127.0.0.5' } keys %$v), 300,
   'a second resolver replaces a closed port');
cmp_ok($c->{seconds}, '<', 4, 'a closed port is replaced within four seconds');

my $third = '127.0.0.1@' . RblDns::closed_port();
($v, $c) = one([-r => $closed, -r => $third, -t => 5, -n => 5], 'x.test');
is($v->{status}, 'NETWORK', 'two closed ports end with a network error');

done_testing();
