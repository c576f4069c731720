#!/usr/bin/perl

# The query engine's results for responses of one resolver, including hostile
# ones.

use warnings;
use strict;

use Test::More;

use RblDns;
use RblDnsAsk;

my $dns = RblDns->new;
my @fast = (-r => $dns->addr, -t => '0.3', -n => 2);
my @slow = (-r => $dns->addr, -t => 5, -n => 1);
my ($v, $c);

# The verdict for one rule.
sub try {
    my ($options, @actions) = @_;
    $dns->rules(['^2\.0\.0\.127\.zen\.test$' => @actions]);
    ($v, $c) = one($options, '2.0.0.127.zen.test');
    return $v->{status};
}

is(try(\@slow, { a => ['127.0.0.2', '127.0.0.4'], ttl => 77 }), 'NOERROR',
   'an answer');
is($v->{a}, '127.0.0.2,127.0.0.4', 'its addresses');
is("$v->{ttl} $v->{tries}", '77 1', 'TTL and tries');
is($dns->asked('zen\.test A$'), 1, 'queried once');

is(try([@slow, -T => 'txt'], { txt => [['see ', 'http://x'], "b\x01\xff"] }),
   'NOERROR', 'texts');
is($v->{txt}, 'see http://x\x0ab\x01\xff', 'joined');

is(try([@slow, -T => 'aaaa'], { aaaa => ['::1', '2001:db8::2'] }), 'NOERROR',
   'IPv6');
is($v->{aaaa}, '::1,2001:db8::2', 'its addresses');

is(try(\@slow, { rcode => 'nxdomain', soa => ['zen.test', 900, 120] }),
   'NXDOMAIN', 'no such name');
is($v->{ttl}, 120, 'negative TTL');
is(try(\@slow, { soa => ['zen.test', 60, 120] }), 'NOERROR', 'no data');
is("$v->{a}/$v->{ttl}", '/60', 'no address, its TTL');
is(try(\@slow, 'servfail'), 'SERVFAIL', 'SERVFAIL');
is($dns->asked('zen'), 1, 'is not repeated to the only resolver');
is(try(\@slow, 'refused'), 'REFUSED', 'REFUSED');
is(try(\@slow, { rcode => 9 }), 'BADREPLY', 'NOTAUTH');

is(try(\@slow, { more => [[1, '', 'CNAME', 'a.test'],
    [1, 'a.test', 'A', '127.0.0.9'], [1, 'b.test', 'A', '127.0.0.8']] }),
   'NOERROR', 'an alias');
is($v->{a}, '127.0.0.9', 'leads to its address only');
is(try(\@slow, { more => [[1, '', 'CNAME', '2.0.0.127.zen.test']] }),
   'BADREPLY', 'an alias of itself');
is(try(\@slow, { more => [[2, 'test', 'NS', 'ns.test']] }), 'BADREPLY',
   'a referral');
is(try(\@slow, { aa => 1, more => [[2, 'test', 'NS', 'ns.test']] }), 'NOERROR',
   'the same from an authority: no data');

# EDNS
is(try(\@slow, { no_edns => 1, a => ['127.0.0.2'] }), 'NOERROR',
   'FORMERR to EDNS');
is("$v->{a} $v->{tries}", '127.0.0.2 2', 'is queried again without it');
is(try(\@slow, 'formerr'), 'BADREPLY', 'FORMERR in any case');
is($dns->asked('zen'), 2, 'is queried again once');
is(try(\@slow, 'notimp'), 'BADREPLY', 'NOTIMP');

# A resolver that drops queries with EDNS.
{
    my $deaf = RblDns->new(rules => [['.' => { drop_edns => 1,
        a => ['127.0.0.2'] }]]);
    # Longer than the server may be held up: a late reply counts as a try.
    my @to = (-r => $deaf->addr, -t => '1.5');
    ($v, $c) = one([@to, -n => 2], 'first.test');
    is("$v->{status} $v->{tries} $v->{a}", 'NOERROR 2 127.0.0.2',
       'a query that is dropped for its EDNS is tried without');
    ($v, $c) = dnsask([@to, -n => 2, -w => 1], map { "n$_.test" } 1 .. 100);
    is(scalar(grep { $_->[0]{status} eq 'NOERROR' } values %$v), 100,
       'a hundred queries get a response');
    cmp_ok(scalar(grep { $_->[0]{tries} > 1 } values %$v), '<', 20,
       'few of them with EDNS');
    ($v, $c) = dnsask([@to, -n => 1, -w => 1], map { "o$_.test" } 1 .. 9);
    is(scalar(grep { $_->[0]{status} eq 'NOERROR' } values %$v), 8,
       'with one try each the first is lost, and no other');
    my @mixed = (['^[a-c]\d' => { drop_edns => 1, a => ['127.0.0.2'] }],
        ['.' => { a => ['127.0.0.2'] }]);
    $deaf->rules(@mixed);
    ($v, $c) = dnsask([@to, -n => 2, -w => 1], 'a1.test',
        map { "x$_.test" } 1 .. 3000);
    is($v->{'a1.test'}[0]{tries}, 2, 'EDNS dropped once');
    is(scalar(grep { $_->[0]{tries} > 1 } values %$v), 1, 'and then no more');
}

# Silence
is(try(\@fast, 'mute'), 'TIMEOUT', 'silence');
is("$v->{tries} $c->{timeouts} " . $dns->asked('zen'), '2 2 2',
   'after the tries configured');
cmp_ok($v->{ms}, '>=', 740, 'the second waits half as long again');
is(try(\@fast, 'mute', { a => ['127.0.0.2'] }), 'NOERROR',
   'the first reply lost');
is("$v->{a} $v->{tries}", '127.0.0.2 2', 'the second try gets a response');
my @log = $dns->log('zen');
isnt($log[0][4], $log[1][4], 'from another port');

# A response that arrives while a later attempt is in flight.
is(try([-r => $dns->addr, -t => '0.3', -n => 3],
       { a => ['127.0.0.2'], delay => 0.4 }, 'mute'),
   'NOERROR', 'a late reply');
is("$v->{a} $v->{tries}", '127.0.0.2 2', 'is accepted');
is(try([-r => $dns->addr, -t => '0.3', -n => 2],
       { a => ['127.0.0.2'], delay => 0.7 }, 'mute'),
   'NOERROR', 'one that comes before the end of all tries');
is(try([-r => $dns->addr, -t => '0.3', -n => 2],
       { a => ['127.0.0.2'], delay => 1.2 }, 'mute'),
   'TIMEOUT', 'and one that comes later');
is(try([-r => $dns->addr, -t => '0.3', -n => 2],
       { a => ['127.0.0.2'], delay => 0.6 }, 'refused'),
   'NOERROR', 'a failure does not hide a slow resolver');
is($v->{a}, '127.0.0.2', 'and alive');
is(try([-r => $dns->addr, -t => '0.3', -n => 2], 'mute', 'refused'),
   'REFUSED', 'but a silent one');

# False responses before the true one
for my $lie (qw(id bit name type class query two short noise port)) {
    is(try(\@slow, { first => [($lie) x 3], a => ['127.0.0.2'] }), 'NOERROR',
       "false $lie");
    is("$v->{a} $v->{tries}", '127.0.0.2 1', 'is dropped');
    is($c->{dropped}, $lie eq 'port' ? 0 : 3,
       $lie eq 'port' ? 'and stopped by the kernel' : 'and counted');
}

is(try(\@fast, { first => ['id'], mute => 1 }), 'TIMEOUT', 'nothing else');
is(try(\@slow, { upper => 1, a => ['127.0.0.2'] }), 'NOERROR',
   'capitals in the question');
is(try(\@slow, { copies => 5, a => ['127.0.0.2'] }), 'NOERROR', 'five copies');
is("$v->{a} $c->{answered} $c->{replies}", '127.0.0.2 1 1', 'count once');
is(try(\@slow, { cut => 40, a => ['127.0.0.2'] }), 'BADREPLY', 'cut off');
is(try(\@slow, { append => 'x', a => ['127.0.0.2'] }), 'BADREPLY',
   'an octet too many');
is(try(\@slow, { more => [[3, 'x', 250, "\0" x 20], [3, 'x', 250, "\0" x 20]],
    a => ['127.0.0.2'] }), 'BADREPLY', 'two TSIG');
is(try(\@slow, { more => [[1, '', 1, "\x7f\0\0"]] }), 'BADREPLY',
   'an address of three octets');
is(try(\@slow, { a => [map { "127.0.0.$_" } 1 .. 65] }), 'NOERROR',
   '65 addresses');
is(scalar(split(/,/, $v->{a})), 65, 'all of them');
is(try(\@slow, { a => ['127.0.0.2'],
    more => [map { [2, '', 'TXT', 'x' x 255] } 1 .. 20] }), 'NOERROR',
   'a reply longer than any buffer');
is("$v->{a} $c->{tcp}", '127.0.0.2 1', 'is fetched over TCP');
my @hundreds = map { '127.' . ($_ >> 8) . '.' . ($_ & 255) . '.9' } 1 .. 900;
for my $how ({ tc => 1 }, {}) {
    my $name = $how->{tc} ? 'truncated' : 'too long for UDP';
    is(try(\@slow, { a => \@hundreds, %$how }), 'NOERROR',
       "900 addresses, $name");
    is("$v->{a} $c->{tcp}", join(',', @hundreds) . ' 1', 'are read over TCP');
}

# Truncation
is(try(\@slow, { tc => 1, a => ['127.0.0.2'] }), 'NOERROR', 'TC');
is("$v->{a} $c->{tcp}", '127.0.0.2 1', 'a response over TCP');
is(try([@slow, -T => 'txt'], { tc => 1, txt => [('x' x 250) x 60] }),
   'NOERROR', 'a long one');
is(length $v->{txt}, 1024 + 3 * 4, 'is cut where it must be');
is(try(\@slow, { tc => 1, tcp => 'close' }), 'TRUNCATED', 'TCP closes');
is(try(\@slow, { tc => 1, tcp => 'short', a => ['127.0.0.2'] }), 'TRUNCATED',
   'TCP closes an octet early');
is(try(\@slow, { tc => 1, tcp => 'id', a => ['127.0.0.2'] }), 'TRUNCATED',
   'another id over TCP');
is(try(\@fast, { tc => 1, tcp => 'mute' }), 'TRUNCATED', 'TCP is mute');
my $mute = $v->{ms};
is(try(\@fast, { tc => 1, tcp => 'drip', a => ['127.0.0.2'] }), 'TRUNCATED',
   'TCP never ends');
cmp_ok($v->{ms}, '<', 3 * $mute, 'but the wait does, as for a mute server');
is(try([@slow, -c => 0], { tc => 1, a => ['127.0.0.2'] }), 'TRUNCATED',
   'no TCP configured');

{
    my $udp_only = RblDns->new(tcp => 0, rules => [['.' => { tc => 1 }]]);
    ($v) = one([-r => $udp_only->addr, -t => 5], 'a.test');
    is($v->{status}, 'TRUNCATED', 'TCP is closed');
}

# No server
my $closed = RblDns::closed_port();
($v, $c) = one([-r => "127.0.0.1\@$closed", -t => 5, -n => 3], 'a.test');
is("$v->{status} $v->{tries}", 'NETWORK 3', 'a closed port');
is($c->{timeouts}, 0, 'is known without waiting');

done_testing();
