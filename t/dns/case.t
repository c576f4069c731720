#!/usr/bin/perl

# Letters of a zone in capitals and small ones by chance: what a reply in other
# letters is worth, and that no server is lost that does not keep them.

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
is(ask(@names), $all, 'a server that keeps the letters');
is(scalar(raws('.')), 1 + @names, 'is asked once for each');
cmp_ok(mixed('10\.abcdef'), '>', 15, 'in mixed letters');
is(scalar(grep { !/abcdef/ } raws('10\.abcdef')), 0,
    'but for what is not the zone');
my %seen = map { $_ =~ /(\x04list\x04test)/i; ($1 => 1) } raws('abcdef');
cmp_ok(scalar(keys %seen), '>', 10, 'and others each time');
is($v->{ $names[0] }[0]{serial}, 7, 'its SOA record is read');

# No test point, no trial.
rules();
($v, $c) = dnsask(\@direct, map { "$_ list.test" } @names);
is(mixed('.'), 0, 'a server that nothing is known of: small letters');
is(dnsask_given(), 0, 'and one that the operator names');

sub dnsask_given {
    rules();
    ($v, $c) = dnsask([@direct, -S => "$host\@53"], "$entry list.test!",
        map { "$_ list.test" } @names);
    return mixed('.');
}

# Servers that know small letters only, each in its way.
for my $bad (['answers in small letters', 1, lower => 1],
    ['answers in capitals', 1, upper => 1],
    ['finds nothing in other letters', 2, no_case => 1])
{
    my ($what, $tries, @with) = @$bad;
    rules(@with);
    is(ask(@names), $all, "a server that $what");
    is(mixed('.'), 1, '  is on trial once');
    is($v->{$entry}[0]{tries}, $tries, '  and tells the truth');
}
rules(drop_case => 1);
is(ask(@names), $all, 'a server that drops other letters');
is(mixed('.'), 1, '  is on trial once');
($v, $c) = dnsask(\@direct, map { ("$entry list.test!", "$_ list.test") }
    map { my $n = $_; map { "$_.$n.0.10.list.test" } 1 .. 9 } 1 .. 4);
is(scalar(grep { !/^N/ } map { map { $_->{status} } @$_ } values %$v), 0,
    '  and again later, with an answer in any case');
cmp_ok(mixed('.'), '<=', 4, '  not often');

# What a trial does not find is asked again.
rules();
($v, $c) = dnsask(\@direct, "$names[0] list.test!");
is("$v->{ $names[0] }[0]{status} $v->{ $names[0] }[0]{tries}", 'NXDOMAIN 2',
    'nothing is found on trial: a second look');
is(mixed('abcdef'), 1, '  in small letters');

# False replies with the right id, from the right address and port.
$server->rules(['^2\.0\.0\.127\.list' => { aa => 1, a => ['127.0.0.2'] }],
    ['\.list\.test' => { aa => 1, rcode => 'nxdomain', first => ['case'] }]);
is(ask(@names[0, 1]), 'NOERROR NXDOMAIN NXDOMAIN',
    'replies in other letters are dropped');
is(scalar(grep { $v->{$_}[0]{a} } @names[0, 1]), 0, 'whatever they say');
is($c->{dropped}, 2, 'and counted');

# Another server in its place, or beside it, which does not keep letters.
for my $beside (0, 1) {
    my %sane = (aa => 1, rcode => 'nxdomain');
    $server->rules(['^2\.0\.0\.127\.list' => { aa => 1, a => ['127.0.0.2'] }],
        map { ["^$_\\.0" => $beside && $_ % 2 ? { %sane }
            : { %sane, lower => 1 }] } 1 .. @names);
    ($v, $c) = dnsask([@direct, -n => 5], "$entry list.test!",
        map { "$_ list.test" } @names);
    is(scalar(grep { $v->{$_}[0]{status} ne 'NXDOMAIN' } @names), 0,
        'a server that is replaced' . ($beside ? ' in part' : ''));
    is($c->{dropped}, 3, '  after some replies that were dropped');
}

$_->stop for $server, $resolver;
done_testing();
