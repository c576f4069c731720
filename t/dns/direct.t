#!/usr/bin/perl

# The engine finds the servers of a zone through a resolver, and queries them
# directly.

use warnings;
use strict;

use Test::More;

use RblDns;
use RblDnsAsk;
use RblZones;

need_port_53();

my @aa = (aa => 1);
my @listed = ('^2\.0\.0\.127\.list\.test A$' => { @aa, a => ['127.0.0.2'],
    ttl => 60 });
my @clear = ('^[\d.]+\.list\.test' => { @aa, rcode => 'nxdomain',
    soa => ['list.test', 90, 30, 2026] });
my @host = map { zone_host($_) } 0 .. 9;
my @server = map { zone_server($_, [@listed], [@clear]) } 1 .. 3;
my $resolver = RblDns->new(rules => [zone_rules('list.test',
    [@host[1, 2, 3]])]);
my @direct = (-r => $resolver->addr, '-D', -A => '127.0.0.0/8', -t => '0.5',
    -n => 2);
my ($v, $c);

# One query for the zone: the verdict and the counters.
sub ask {
    my ($options, $name, $zone) = @_;
    ($v, $c) = dnsask($options, "$name " . ($zone // 'list.test'));
    $v = $v->{$name}[0];
    return $v->{status};
}

is(ask([@direct], '2.0.0.127.list.test'), 'NOERROR',
    'a listing is found at a server of the list');
is("$v->{a} $v->{aa} $v->{ttl}", '127.0.0.2 1 60',
    'the response comes from the list itself');
is(scalar(grep { $_->[6] } map { $_->log('list') } @server), 0,
    'queries to the list have no RD');
is(scalar(grep { !$_->[6] } $resolver->log('.')), 0,
    'queries to the resolver have RD');
is(scalar($resolver->log('127\.list')), 0,
    'the resolver gets no query for the data');
is(ask([@direct], '1.0.0.127.list.test'), 'NXDOMAIN',
    'a clear name is found at a server of the list');
is("$v->{ttl} $v->{serial} $v->{minimum} $v->{aa}", '30 2026 30 1',
    'the response has the serial of the zone');
is(ask([@direct, -T => 'txt'], '2.0.0.127.list.test'), 'NXDOMAIN',
    'a TXT query goes to a server of the list');

# The resolver's responses for the data do not matter.
$resolver->set('^2\.0\.0\.127\.list', 'nxdomain');
is(ask([@direct], '2.0.0.127.list.test'), 'NOERROR',
    'a resolver that filters does not affect the list');
is(ask([-r => $resolver->addr], '2.0.0.127.list.test'), 'NXDOMAIN',
    'a resolver that filters affects a list without -D');

# All servers are used.
my @names = map { "$_.0.0.10.list.test list.test" } 1 .. 200;
$_->rules([@listed], [@clear]) for @server;
my @more = map { my $n = $_; map { "$_.$n.0.10.list.test list.test" } 1 .. 200 }
    1 .. 6;
($v, $c) = dnsask([@direct, -w => 4], @more);
is(scalar(grep { $_->[0]{status} eq 'NXDOMAIN' } values %$v), 1200,
    '1,200 queries get a response');
is($c->{questions}, 1200 + 8, 'the servers of the zone are looked up once');
cmp_ok($_->asked('list'), '>', 2, 'each server gets some of the queries')
    for @server;

# A list below the zone cut, and a zone that a key hides.
$resolver->rules(zone_rules('list.test', [@host[1, 2, 3]]));
is(ask([@direct], '2.0.0.127.list.test', 'ip.list.test'), 'NOERROR',
    'a list below the zone cut gets a response');

# Configured servers.
$resolver->rules();
is(ask([@direct, -S => "$host[2]\@53"], '2.0.0.127.list.test'), 'NOERROR',
    'a configured server gets the query');
is($resolver->asked('.'), 0, 'a configured server is not looked up');
my $own = RblDns->new(rules => [[@listed], [@clear]]);
is(ask([-r => $resolver->addr, '-D', -S => $own->addr],
       '2.0.0.127.list.test'), 'NOERROR',
    'a configured server may have any address and port');

# A server that is not trusted.
$resolver->rules(zone_rules('list.test', [@host[1, 2, 3]]));
$_->rules([@listed], [@clear]) for @server;
($v, $c) = dnsask([@direct, -w => 1, -d => "$host[2]\@53"], @names);
is(scalar(grep { $_->[0]{status} eq 'NXDOMAIN' } values %$v), 200,
    'all queries get a response without a distrusted server');
cmp_ok($server[1]->asked('list'), '<=', 1,
    'a distrusted server gets at most one query');
$_->rules([@listed], [@clear]) for @server;
is(ask([@direct, -d => "$own->{host}\@$own->{port}", -S => $own->addr],
       '2.0.0.127.list.test'), 'NOERROR',
    'a distrusted server is used when it is the only one');

# Servers that fail.
for my $bad (
    ['refuses', 'refused'], ['fails', 'servfail'], ['is silent', 'mute'],
    ['is not authoritative', { a => ['127.0.0.9'] }],
    ['denies, and is not authoritative', 'nxdomain'],
    ['refers to the root', { more => [[2, '.', 'NS', 'a.root']] }],
    ['refers to each name', { more => [[2, '', 'NS', 'a.root']] }],
    ['refers upward', { more => [[2, 'test', 'NS', 'ns.test']] }],
    ['refers sideways', { more => [[2, 'other.test', 'NS', 'ns.test']] }],
    ['refers to itself', { more => [[2, 'list.test', 'NS', 'ns1.list.test']] }],
    ['answers for its parent', { @aa, rcode => 'nxdomain',
        soa => ['test', 60, 60] }],
) {
    my ($name, $action) = @$bad;
    $server[0]->rules(['.' => $action]);
    ($v, $c) = dnsask([@direct, -w => 1], @names[0 .. 39]);
    is(scalar(grep { $_->[0]{status} eq 'NXDOMAIN' } values %$v), 40,
        "a server $name: the others are queried");
    cmp_ok($server[0]->asked('list'), '<', 20,
        "a server $name: the server gets few queries");
}

# No server is reachable.
$_->rules(['.' => 'nxdomain']) for @server;
is(ask([@direct], '2.0.0.127.list.test'), 'SERVFAIL',
    'the query fails when no server is authoritative');
$resolver->rules(zone_rules('list.test', [zone_host(20)]));
is(ask([@direct], '2.0.0.127.list.test'), 'NETWORK',
    'the query fails when no server is reachable');

# Servers that move: the zone is looked up again when all of them fail.
$resolver->rules(['^ns1.* A$' => { a => [$host[2]] }, { a => [$host[1]] }],
    zone_rules('list.test', [$host[2]]));
$server[0]->rules([@listed], [@clear]);
$server[1]->rules(['.' => 'mute']);
($v, $c) = dnsask([@direct, -w => 1, -n => 1], @names[0 .. 7]);
is((grep { $_->{nth} == 0 } map { @$_ } values %$v)[0]{status}, 'TIMEOUT',
    'a query to the old address of a server times out');
is((grep { $_->{nth} == 7 } map { @$_ } values %$v)[0]{status}, 'NXDOMAIN',
    'a later query finds the new address of the server');

# EDNS and TCP, server by server.
my @one = (@direct, -w => 1);
$resolver->rules(zone_rules('list.test', [$host[1]]));
$server[0]->rules(['.' => { @aa, no_edns => 1, a => ['127.0.0.2'] }]);
is(ask([@direct], '2.0.0.127.list.test'), 'NOERROR',
    'a server that answers EDNS with FORMERR is queried without it');
$server[0]->rules(['.' => { @aa, drop_edns => 1, a => ['127.0.0.2'] }]);
is(ask([@direct], '2.0.0.127.list.test'), 'NOERROR',
    'a server that drops EDNS is queried without it');
$server[0]->rules(['.' => { @aa, tc => 1, a => ['127.0.0.2'] }]);
is(ask([@direct], '2.0.0.127.list.test'), 'NOERROR',
    'a truncated response is followed by a query over TCP');
is("$v->{a} $c->{tcp}", '127.0.0.2 1', 'the response over TCP has the address');
$server[0]->rules(['.' => { tc => 1, a => ['127.0.0.2'] }]);
is(ask([@direct], '2.0.0.127.list.test'), 'SERVFAIL',
    'a response over TCP that is not authoritative is refused');

done_testing;
