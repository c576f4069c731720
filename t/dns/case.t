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
is(ask(@names), $all, 'a server that returns the case');
is(scalar(raws('.')), 1 + @names, 'gets one query for each name');
cmp_ok(mixed('10\.abcdef'), '>', 15, 'in mixed case');
is(scalar(grep { !/abcdef/ } raws('10\.abcdef')), 0,
    'except the name of the zone');
my %seen = map { $_ =~ /(\x04list\x04test)/i; ($1 => 1) } raws('abcdef');
cmp_ok(scalar(keys %seen), '>', 10, 'and another one each time');
is($v->{ $names[0] }[0]{serial}, 7, 'its SOA record is read');

# Without a test point there is no trial.
rules();
($v, $c) = dnsask(\@direct, map { "$_ list.test" } @names);
is(mixed('.'), 0, 'an unknown server gets lower case');
is(dnsask_given(), 0, 'a server of the operator, too');

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
    is(ask(@names), $all, "a server that $what");
    is(mixed('.'), 1, '  gets one trial');
    is($v->{$entry}[0]{tries}, $tries, '  and its response is right');
}
rules(drop_case => 1);
is(ask(@names), $all, 'a server that drops mixed case');
is(mixed('.'), 1, '  gets one trial');
($v, $c) = dnsask(\@direct, map { ("$entry list.test!", "$_ list.test") }
    map { my $n = $_; map { "$_.$n.0.10.list.test" } 1 .. 9 } 1 .. 4);
is(scalar(grep { !/^N/ } map { map { $_->{status} } @$_ } values %$v), 0,
    '  and more later, and each query gets a response');
cmp_ok(mixed('.'), '<=', 4, '  not often');

# The engine repeats a trial without result.
rules();
($v, $c) = dnsask(\@direct, "$names[0] list.test!");
is("$v->{ $names[0] }[0]{status} $v->{ $names[0] }[0]{tries}", 'NXDOMAIN 2',
    'the trial finds nothing: a second query');
is(mixed('abcdef'), 1, '  in lower case');

# False replies with the right id, from the right address and port.
$server->rules(['^2\.0\.0\.127\.list' => { aa => 1, a => ['127.0.0.2'] }],
    ['\.list\.test' => { aa => 1, rcode => 'nxdomain', first => ['case'] }]);
is(ask(@names[0, 1]), 'NOERROR NXDOMAIN NXDOMAIN',
    'responses in another case are dropped');
is(scalar(grep { $v->{$_}[0]{a} } @names[0, 1]), 0,
    'whatever their answers are');
is($c->{dropped}, 2, 'and counted');

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
    is($c->{dropped}, 3, '  gets lower case after three dropped responses');
}

$_->stop for $server, $resolver;
done_testing();
