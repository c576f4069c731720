#!/usr/bin/perl

# Mixed case (0x20): responses in another case are dropped, and servers that do
# not support it get lower case.
#
# Alone: the responses of several servers are due at the same time.

use warnings;
use strict;

use Test::More;

use RblDns;
use RblDnsAsk;
use RblZones;

need_port_53();

my $entry = '2.0.0.127.list.test';
my $host = zone_host(1);
my $resolver = RblDns->new(rules => [zone_rules('list.test', [$host])]);
my @direct = (-r => $resolver->addr, '-D', -A => '127.0.0.0/8', -t => '0.3',
    -n => 3, -w => 1);
my $server = zone_server(1);
my ($v, $c);

# The test point and everything else, each with these members.
sub rules {
    my %with = (aa => 1, @_);

    $server->rules(['^2\.0\.0\.127\.list' => { a => ['127.0.0.2'],
            ttl => 60, %with }],
        ['\.list\.test' => { rcode => 'nxdomain',
            soa => ['list.test', 9, 9, 7], %with }]);
}

# The test point as a probe, then these names, one after the other.
sub ask {
    my @names = @_;

    ($v, $c) = dnsask(\@direct, "$entry list.test!", map { "$_ list.test" }
        @names);
    return join ' ', map { $v->{$_}[0]{status} } $entry, @names;
}

sub raws { return map { $_->[7] } $server->log($_[0]) }
sub mixed { return scalar grep { /[A-Z]/ } raws(@_) }

my @names = map { "$_.0.0.10.abcdef.list.test" } 1 .. 20;
my $all = join ' ', 'NOERROR', ('NXDOMAIN') x @names;

rules();
is(ask(@names), $all, 'a server that returns the case is used');
is(scalar(raws('.')), 1 + @names, 'the server gets one query for each name');
cmp_ok(mixed('10\.abcdef'), '>', 15, 'the queries have mixed case');
is(scalar(grep { !/abcdef/ } raws('10\.abcdef')), 0,
    'the part of the host is in lower case');
my %seen = map { $_ =~ /(\x04list\x04test)/i; ($1 => 1) } raws('abcdef');
cmp_ok(scalar(keys %seen), '>', 10, 'the case changes with each query');
is($v->{ $names[0] }[0]{serial}, 7, 'the SOA record of the response is read');

# Without a test point there is no trial.
rules();
($v, $c) = dnsask(\@direct, map { "$_ list.test" } @names);
is(mixed('.'), 0, 'an unknown server gets lower case');
is(dnsask_given(), 0, 'a configured server gets lower case');

sub dnsask_given {
    rules();
    ($v, $c) = dnsask([@direct, -S => "$host\@53"], "$entry list.test!",
        map { "$_ list.test" } @names);
    return mixed('.');
}

# Servers that support lower case only.
for my $bad (['responds in lower case', 1, lower => 1],
    ['responds in upper case', 1, upper => 1],
    ['finds names in lower case only', 2, no_case => 1])
{
    my ($what, $tries, @with) = @$bad;
    rules(@with);
    is(ask(@names), $all, "a server that $what is used");
    is(mixed('.'), 1, "a server that $what gets one trial");
    is($v->{$entry}[0]{tries}, $tries,
        "the trial of a server that $what takes $tries queries");
}
rules(drop_case => 1);
is(ask(@names), $all, 'a server that drops mixed case is used');
is(mixed('.'), 1, 'a server that drops mixed case gets one trial');
($v, $c) = dnsask(\@direct, map { ("$entry list.test!", "$_ list.test") }
    map { my $n = $_; map { "$_.$n.0.10.list.test" } 1 .. 9 } 1 .. 4);
is(scalar(grep { !/^N/ } map { map { $_->{status} } @$_ } values %$v), 0,
    'each query gets a response during later trials');
cmp_ok(mixed('.'), '<=', 4, 'later trials of the server are rare');

# Short names: a trial has a capital letter, or there is none.
for my $short (['x.1', 1], ['2.1', 0]) {
    my ($zone, $trials) = @$short;
    my ($point, $listed) = map { "$_.$zone" } '2.0.0.127', '5.0.0.10';
    $resolver->rules(zone_rules($zone, [$host]));
    my ($right, $capitals) = (0, 0);
    for (1 .. 8) {
        $server->rules(map { ['^' . quotemeta($_) . ' ' => { aa => 1,
            a => ['127.0.0.2'], no_case => 1 }] } $point, $listed);
        ($v, $c) = dnsask(\@direct, "$point $zone!", ("$listed $zone") x 3);
        $right += grep { $_->{status} eq 'NOERROR' } @{ $v->{$listed} };
        $capitals += mixed('.');
    }
    is($right, 24, "the listed host is found in $zone, which has lower case");
    is($capitals, 8 * $trials, "$zone gets $trials trials in mixed case");
}
$resolver->rules(zone_rules('list.test', [$host]));

# The engine repeats a trial without result.
rules();
($v, $c) = dnsask(\@direct, "$names[0] list.test!");
is("$v->{ $names[0] }[0]{status} $v->{ $names[0] }[0]{tries}", 'NXDOMAIN 2',
    'a trial without a listing leads to a second query');
is(mixed('abcdef'), 1, 'the second query is in lower case');

# False replies with the right id, from the right address and port.
$server->rules(['^2\.0\.0\.127\.list' => { aa => 1, a => ['127.0.0.2'] }],
    ['\.list\.test' => { aa => 1, rcode => 'nxdomain', first => ['case'] }]);
is(ask(@names[0, 1]), 'NOERROR NXDOMAIN NXDOMAIN',
    'responses in another case are dropped');
is(scalar(grep { $v->{$_}[0]{a} } @names[0, 1]), 0,
    'addresses of dropped responses are not used');
is($c->{dropped}, 2, 'the engine counts both dropped responses');

# Another server takes its place, or shares its address, and returns lower case.
for my $beside (0, 1) {
    my %sane = (aa => 1, rcode => 'nxdomain');
    $server->rules(['^2\.0\.0\.127\.list' => { aa => 1, a => ['127.0.0.2'] }],
        map { ["^$_\\.0" => $beside && $_ % 2 ? { %sane }
            : { %sane, lower => 1 }] } 1 .. @names);
    ($v, $c) = dnsask([@direct, -n => 5], "$entry list.test!",
        map { "$_ list.test" } @names);
    is(scalar(grep { $v->{$_}[0]{status} ne 'NXDOMAIN' } @names), 0,
        'a server that is replaced' . ($beside ? ' in part' : ''));
    is($c->{dropped}, 3,
        'the server gets lower case after three dropped responses');
}

$_->stop for $server, $resolver;
done_testing();
