#!/usr/bin/perl

# Zones below zones, aliases, and zones under hostile control: no query leads to
# a wrong server, or causes more than a few queries.

use warnings;
use strict;

use Test::More;

use RblDns;
use RblDnsAsk;
use RblZones;

need_port_53();

my @aa = (aa => 1);
my @host = map { zone_host($_) } 0 .. 9;
my $list = zone_server(1);
my $below = zone_server(2);
my $resolver = RblDns->new;
my @direct = (-r => $resolver->addr, '-D', -A => '127.0.0.0/8', -t => '0.5',
    -n => 2);
my $listed = { @aa, a => ['127.0.0.2'], ttl => 60 };
my $name = '2.0.0.127.list.test';
my ($v, $c);

sub ask {
    my ($options, $n, $zone) = @_;
    ($v, $c) = dnsask($options, "$n " . ($zone // 'list.test'));
    $v = $v->{$n}[0];
    return $v->{status};
}

sub ns { return map { [2, $_[0], 'NS', $_] } @_[1 .. $#_] }

# --- Referrals ---------------------------------------------------------------

my @zones = zone_rules('127.list.test', [$host[2]], 'list.test', [$host[1]]);
$resolver->rules(@zones);
$list->rules(['.' => { more => [ns('127.list.test', 'ns1.127.list.test'),
    [3, 'ns1.127.list.test', 'A', '127.0.0.1']] }]);
$below->rules(['.' => $listed]);
is(ask(\@direct, $name), 'NOERROR', 'a referral is followed');
is("$v->{a} $v->{aa}", '127.0.0.2 1', 'the zone below gives the answer');
is($list->asked('.'), 1, 'the parent zone is queried once');
is($resolver->asked('ns1\.127\.list\.test A$'), 1,
    'glue is not used: the resolver knows the address');

# Deeper and deeper.
my @deep = map { my $n = $_; join('.', reverse(map { "z$_" } 1 .. $n),
    'list.test') } 1 .. 8;
$resolver->rules(map { zone_rules($_, [$host[1]]) } reverse('list.test', @deep));
$list->rules(['.' => { more => [ns($deep[0], 'ns1.x')] }]);
is(ask(\@direct, "a.$deep[7]"), 'SERVFAIL',
    'a repeated referral gives SERVFAIL');
cmp_ok($list->asked('.'), '<=', 8,
    'a repeated referral causes at most eight queries');

$resolver->rules(zone_rules('list.test', [$host[1]]), ['SOA$' =>
    { soa => ['list.test', 60, 60] }]);
$list->rules(['.' => { more => [ns('127.list.test', 'ns1.x')] }]);
is(ask(\@direct, $name), 'SERVFAIL',
    'a referral to a zone without a server gives SERVFAIL');
cmp_ok($list->asked('.'), '<=', 10,
    'a referral to a zone without a server causes few queries');

$list->rules(['.' => { more => [[2, 'a+b.list.test', 'NS', 'ns.x']] }]);
is(ask(\@direct, 'x.a+b.list.test'), 'SERVFAIL',
    'a referral to a name that no list has');

# --- Aliases -----------------------------------------------------------------

$resolver->rules(zone_rules('list.test', [$host[1]]),
    ['^other\.test A$' => { a => ['127.0.0.9'], ttl => 20 }],
    ['^gone\.test A$' => 'nxdomain'], ['^mute\.test A$' => 'mute']);
sub alias { return ['.' => { @aa, more => [[1, '', 'CNAME', $_[0], 40]] }] }
$list->rules(alias('other.test'));
is(ask(\@direct, $name), 'NOERROR', 'an alias out of the zone');
is("$v->{a} $v->{alias} $v->{ttl}", '127.0.0.9 1 20',
    'the resolver gives the address of the alias target');
$list->rules(alias('gone.test'));
is(ask(\@direct, $name), 'NXDOMAIN', 'an alias of a name that does not exist');
$list->rules(alias('mute.test'));
is(ask(\@direct, $name), 'SERVFAIL', 'an alias that no server can resolve');
$list->rules(['.' => { @aa, more => [[1, '', 'CNAME', 'a.list.test'],
    [1, 'a.list.test', 'A', '127.0.0.3']] }]);
is(ask(\@direct, $name), 'NOERROR', 'an alias inside of the zone');
is("$v->{a} " . $resolver->asked('a\.list'), '127.0.0.3 0',
    'the address of the alias is in the same response');
$list->rules(alias($name));
is(ask(\@direct, $name), 'BADREPLY', 'an alias of itself');
$list->rules(['.' => { more => [[1, '', 'CNAME', 'other.test']] }]);
is(ask(\@direct, $name), 'SERVFAIL', 'an alias without authority');

# --- Misleading delegations --------------------------------------------------

# With these rules of a resolver in front the zone is not found; returns the
# number of queries.
sub unfound {
    my ($what, @rules) = @_;
    $resolver->rules(@rules, zone_rules('list.test', [$host[1]]));
    $list->rules(['.' => $listed]);
    is(ask([@direct, -t => '0.3'], $name), 'UNFOUND', $what);
    is($list->asked('.'), 0, '  and no server is queried');
    cmp_ok($resolver->asked('.'), '<=', 80, '  few queries for it');
}

unfound('no SOA, no NS', ['(SOA|NS)$' => 'nodata']);
unfound('the resolver fails', ['.' => 'servfail']);
unfound('the resolver is silent', ['.' => 'mute']);
unfound('the resolver refuses', ['.' => 'refused']);
unfound('name servers without addresses', ['^ns1.* A' => 'nodata']);
unfound('name servers inside themselves', ['^ns1.* A' => 'servfail']);
unfound('NS records of another zone', ['NS$' => { more =>
    [[1, 'other.test', 'NS', 'ns1.list.test']] }]);
unfound('the zone of a top-level domain', ['SOA$' => { rcode => 'nxdomain',
    soa => ['test', 60, 60] }]);
is($v->{gone}, 1, '  it does not exist');
unfound('the root\'s', ['SOA$' => { rcode => 'nxdomain',
    more => [[2, '.', 'SOA', 60]] }]);
unfound('names in a circle', ['^ns1.* A' => { more =>
    [[1, '', 'CNAME', 'ns2.x'], [1, 'ns2.x', 'CNAME', 'ns1.list.test']] }]);

# Addresses that are not public, in each family.
my @narrow = (-r => $resolver->addr, '-D', -A => '127.64.0.0/10',
    -t => '0.3', -n => 2);
for my $bad ('10.0.0.1', '127.0.0.1', '192.168.1.1', '169.254.169.254',
             '224.0.0.1', '255.255.255.255', '0.0.0.0', '100.64.0.1') {
    $resolver->rules(zone_rules('list.test', [$bad]));
    is(ask(\@narrow, $name), 'UNFOUND', "$bad is not queried");
    is($c->{sent}, $resolver->asked('.'), '  nothing is sent there');
}
for my $bad ('::1', 'fe80::1', 'ff02::1', '::ffff:127.0.0.1', 'fd00::1') {
    $resolver->rules(zone_rules('list.test', [$bad]));
    is(ask(\@narrow, $name), 'UNFOUND', "$bad is not queried");
    is($c->{sent}, $resolver->asked('.'), '  nothing is sent there');
}

$resolver->rules(zone_rules('list.test', ['10.0.0.1', $host[1]]));
$list->rules(['.' => $listed]);
is(ask(\@narrow, $name), 'NOERROR', 'one address of two may be queried');

# 300 name servers, each with addresses of its own.
$resolver->rules((zone_rules('list.test', [$host[1]]))[2],
    ['^list\.test NS$' => { more => [map { [1, '', 'NS', "n$_.victim.test"] }
        1 .. 300] }],
    ['\.victim\.test A$' => { a => [map { zone_host($_) } 3 .. 30] }],
    ['\.victim\.test AAAA$' => 'nodata']);
ask([@direct, -n => 1, -t => '0.3'], $name);
cmp_ok($resolver->asked('victim'), '<=', 32, '300 name servers: 16 of them');
cmp_ok($c->{sent}, '<=', 40, '  and few queries in all');

# --- Servers with false responses --------------------------------------------

$resolver->rules(zone_rules('list.test', [$host[1]]));

sub lied {
    my ($what, $status, @actions) = @_;
    $list->rules(['.' => @actions]);
    is(ask([@direct, -n => 1, -t => '0.3'], $name), $status, $what);
}

lied('another address answers first', 'NOERROR', { %$listed,
    first => ['port'] });
is($v->{a}, '127.0.0.2', 'a response of another address is ignored');
lied('false responses come before the true one', 'NOERROR', { %$listed,
    first => [qw(id bit name type class query two)] });
is($v->{a}, '127.0.0.2', 'responses with another ID, name or type are ignored');
lied('a response of 200 records is accepted', 'NOERROR', { @aa, tc => 1,
    a => [map { "127.0.1.$_" } 1 .. 200] });
is(scalar(split /,/, $v->{a}), 200, 'all 200 records of a response are read');
lied('one octet at a time over TCP', 'TRUNCATED', { @aa, tc => 1,
    tcp => 'drip', a => ['127.0.0.2'] });
lied('nothing over TCP', 'TRUNCATED', { @aa, tc => 1, tcp => 'mute' });
lied('its address for a name that was not queried', 'BADREPLY', { @aa,
    more => [[1, 'other.test', 'A', '127.0.0.2']] });
lied('lists and denies', 'BADREPLY', { %$listed, rcode => 'nxdomain' });

# No other query waits while an account's zone is looked up.
$list->rules(['.' => $listed]);
$resolver->rules(['slow\d+\.test' => 'mute'],
    zone_rules('list.test', [$host[1]]));
my @slow = map { "2.0.0.127.slow$_.test slow$_.test=7" } 1 .. 400;
($v, $c) = dnsask([@direct, -f => 100, -t => '0.3'], @slow,
    "$name list.test", "$name list.test=8");
is(join(' ', map { $_->{status} } @{ $v->{$name} }), 'NOERROR NOERROR',
    'queries for a zone that can be found succeed');
my ($last) = sort { $b <=> $a } map { $_->{nth} } @{ $v->{$name} };
my @later = grep { $_->[0]{status} eq 'UNFOUND' && $_->[0]{nth} > $last }
    values %$v;
cmp_ok(scalar @later, '>', 50,
    'queries do not wait for zones that are not found');
is(scalar(grep { $_->[0]{status} eq 'UNFOUND' } values %$v), 400,
    'zones of silent servers are not found');

done_testing;
