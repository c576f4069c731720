#!/usr/bin/perl

# Budgets of accounts in the query engine: the queries for own lists of one
# account are bounded over all its zones, and delay neither system lists nor own
# lists of other accounts.

use warnings;
use strict;

use List::Util qw(max min);
use Test::More;

use RblDns;
use RblDnsAsk;
use Time::HiRes qw(time);

my $dns = RblDns->new;
my @to = (-r => $dns->addr);
my $answer = ['.' => { a => ['127.0.0.2'] }];

# Verdicts of the names that match.
sub those {
    my ($v, $pattern) = @_;
    return map { @{ $v->{$_} } } grep { /$pattern/ } sort keys %$v;
}

sub how {
    my ($v, $pattern) = @_;
    my %n;
    $n{ $_->{status} }++ for those($v, $pattern);
    return join ' ', map { "$_ $n{$_}" } sort keys %n;
}

# --- in flight: 16 slots, zones whose servers are silent come first ---------

my @silent = map { my $zone = "z$_.bad.test"; "x.$zone $zone=" . (1 + $_ % 2) }
    1 .. 16;
my @good = ((map { "s$_.sys.test sys.test" } 1 .. 40),
    (map { "o$_.own.test own.test=3" } 1 .. 40));
$dns->rules(['bad\.test A$' => 'mute'], $answer);
my ($v, $c) = dnsask([@to, -f => 16, -t => 3, -n => 1], @silent, @good);
is(how($v, 'bad\.test'), 'TIMEOUT 16', 'silent own lists time out');
is(how($v, 'sys\.test'), 'NOERROR 40', 'the system list gets a response');
is(how($v, 'own\.test'), 'NOERROR 40',
    'the own list of another account gets a response');
my $first = min map { $_->{nth} } those($v, 'bad\.test');
cmp_ok((max map { $_->{nth} } those($v, '(?:sys|own)\.test')), '<', $first,
    'other lists get responses before the silent lists time out');

# This does not count against the resolver, either.
my $second = RblDns->new(rules => [$answer]);
($v) = dnsask([@to, -r => $second->addr, -t => '0.3', -n => 1, -w => 1],
    'first.sys.test', (map { "x$_.bad.test bad.test=1" } 1 .. 9),
    map { "s$_.sys.test sys.test" } 1 .. 5);
is(how($v, 'bad\.test'), 'TIMEOUT 9', 'queries for a silent own list time out');
is(join('', map { $_->{server} } those($v, 'sys\.test')), '000000',
    'a silent own list does not count against the resolver');

# --- queries per second -----------------------------------------------------

# 10 a second: 200 at once; 2 a second for probes: 120 at once.
$dns->rules($answer);
my $began = time;
($v) = dnsask([@to, -o => 10, -t => 10],
    (map { my $z = 'r' . $_ % 40 . '.own.test'; "n$_.$z $z=7" } 1 .. 230),
    (map { my $z = 'r' . $_ % 40 . '.own.test'; "p$_.$z $z!=7" } 1 .. 126),
    map { "s$_.sys.test sys.test" } 1 .. 500);
my $took = time - $began;
is(how($v, '^[nps]'), 'NOERROR 856', 'all queries get a response');
cmp_ok($took, '>', 2.8, 'queries for 40 own zones wait for the rate limit');
my @late = sort { $a <=> $b } map { $_->{nth} } those($v, '^[np]');
cmp_ok((max map { $_->{nth} } those($v, '^s')), '<', $late[-10],
    'system lists do not wait for the rate limit');
($v) = dnsask([@to, -o => 10, -t => 10], map { ("n$_.a.test a.test=7",
    "n$_.b.test b.test=8") } 1 .. 190);
is(how($v, '.'), 'NOERROR 380', 'each account has its own rate limit');

# --- TCP: 8 slots, zones whose servers truncate and then hang ---------------

my @hang = map { my $zone = "z$_.hang.test"; "x.$zone $zone=1" } 1 .. 20;
@good = ((map { "s$_.sys.test sys.test" } 1 .. 40),
    (map { "o$_.own.test own.test=2" } 1 .. 10));
$dns->rules(['hang\.test A$' => { tc => 1, tcp => 'mute' }],
    ['.' => { tc => 1, a => ['127.0.0.2'] }]);
($v, $c) = dnsask([@to, -c => 8, -t => 3, -n => 2], @hang, @good);
is(how($v, 'hang\.test'), 'TRUNCATED 20', 'own lists that hang are truncated');
is(how($v, 'sys\.test'), 'NOERROR 40',
    'a truncated system list gets slots of TCP');
is(how($v, 'own\.test'), 'NOERROR 10',
    'a truncated own list of another account gets a response');

# A system list that hangs leaves slots free, too.
@hang = map { "x$_.hang.test hang.test" } 1 .. 20;
($v) = dnsask([@to, -c => 8, -t => 3, -n => 2], @hang, @good);
is(how($v, '(?:sys|own)\.test'), 'NOERROR 50',
    'truncated lists get responses beside a list that hangs');
is(how($v, 'hang\.test'), 'TRUNCATED 20',
    'a system list that hangs is truncated');

# --- lists that answer only their test points ------------------------------

$dns->rules(['^d\d+\.mute\.test A$' => 'mute'], $answer);
my @mix = map { my $zone = $_; map { ("d$_.$zone $zone", "p$_.$zone $zone!",
    "s$_.sys.test sys.test") } 1 .. 200 } 'mute.test';
($v, $c) = dnsask([@to, -f => 64, -t => '0.3', -n => 1, -w => 30], @mix);
is(how($v, '^d'), 'TIMEOUT 200',
    'no data query of a mute list gets a response');
is(how($v, '^[ps]'), 'NOERROR 400',
    'test points of a mute list and other lists get responses');
cmp_ok($dns->asked('^d\d+\.mute'), '<', 60,
    'a mute list gets few data queries');
is(scalar(grep { $_->{tries} == 0 } those($v, '^d')),
    200 - $dns->asked('^d\d+\.mute'),
    'the other data queries do not wait for the mute list');

$dns->rules(['^d\d\.mute\.test A$' => 'mute'],
    ['^s' => { a => ['127.0.0.2'], delay => 0.02 }], $answer);
($v) = dnsask([@to, -f => 64, -t => '0.3', -n => 1, -w => 3], @mix);
is((those($v, '^d200\.'))[0]{status}, 'NOERROR',
    'a list that responds again is queried again');
done_testing();
