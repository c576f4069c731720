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
   'a positive response gives NOERROR');
is($v->{a}, '127.0.0.2,127.0.0.4', 'the result has both addresses');
is("$v->{ttl} $v->{tries}", '77 1', 'TTL and tries');
is($dns->asked('zen\.test A$'), 1, 'the resolver gets one query');

is(try([@slow, -T => 'txt'], { txt => [['see ', 'http://x'], "b\x01\xff"] }),
   'NOERROR', 'a TXT response gives NOERROR');
is($v->{txt}, 'see http://x\x0ab\x01\xff', 'the result has the texts joined');

is(try([@slow, -T => 'aaaa'], { aaaa => ['::1', '2001:db8::2'] }), 'NOERROR',
   'an AAAA response gives NOERROR');
is($v->{aaaa}, '::1,2001:db8::2', 'the result has both IPv6 addresses');

is(try(\@slow, { rcode => 'nxdomain', soa => ['zen.test', 900, 120] }),
   'NXDOMAIN', 'no such name');
is($v->{ttl}, 120, 'the negative TTL is the minimum of the SOA');
is(try(\@slow, { soa => ['zen.test', 60, 120] }), 'NOERROR',
   'a response without data gives NOERROR');
is("$v->{a}/$v->{ttl}", '/60', 'no address, its TTL');
is(try(\@slow, 'servfail'), 'SERVFAIL', 'a SERVFAIL response gives SERVFAIL');
is($dns->asked('zen'), 1, 'the query is not repeated to the only resolver');
is(try(\@slow, 'refused'), 'REFUSED', 'a REFUSED response gives REFUSED');
is(try(\@slow, { rcode => 9 }), 'BADREPLY',
   'a NOTAUTH response gives BADREPLY');

is(try(\@slow, { more => [[1, '', 'CNAME', 'a.test'],
    [1, 'a.test', 'A', '127.0.0.9'], [1, 'b.test', 'A', '127.0.0.8']] }),
   'NOERROR', 'a response with an alias gives NOERROR');
is($v->{a}, '127.0.0.9', 'the result has only the address of the alias');
is(try(\@slow, { more => [[1, '', 'CNAME', '2.0.0.127.zen.test']] }),
   'BADREPLY', 'an alias of itself');
is(try(\@slow, { more => [[2, 'test', 'NS', 'ns.test']] }), 'BADREPLY',
   'a referral by a resolver gives BADREPLY');
is(try(\@slow, { aa => 1, more => [[2, 'test', 'NS', 'ns.test']] }), 'NOERROR',
   'a referral by an authority gives NOERROR');

# EDNS
is(try(\@slow, { no_edns => 1, a => ['127.0.0.2'] }), 'NOERROR',
   'FORMERR to EDNS');
is("$v->{a} $v->{tries}", '127.0.0.2 2', 'the query is repeated without EDNS');
is(try(\@slow, 'formerr'), 'BADREPLY', 'FORMERR in any case');
is($dns->asked('zen'), 2, 'the query is repeated once after FORMERR');
is(try(\@slow, 'notimp'), 'BADREPLY', 'a NOTIMP response gives BADREPLY');

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
       'only the first query is lost with one try each');
    my @mixed = (['^[a-c]\d' => { drop_edns => 1, a => ['127.0.0.2'] }],
        ['.' => { a => ['127.0.0.2'] }]);
    $deaf->rules(@mixed);
    ($v, $c) = dnsask([@to, -n => 2, -w => 1], 'a1.test',
        map { "x$_.test" } 1 .. 3000);
    is($v->{'a1.test'}[0]{tries}, 2, 'EDNS dropped once');
    is(scalar(grep { $_->[0]{tries} > 1 } values %$v), 1,
       'no later query is sent twice');
    # It answered to EDNS before; a firewall on the way has changed.
    ($v, $c) = dnsask([@to, -t => '0.5', -n => 2, -w => 1],
        (map { "x$_.test" } 1 .. 3), map { "a$_.test" } 1 .. 12);
    is(scalar(grep { $_->[0]{status} eq 'NOERROR' } values %$v), 15,
       'each query is tried without EDNS, if EDNS is dropped from now on');
}

# Silence
is(try(\@fast, 'mute'), 'TIMEOUT', 'a silent resolver gives TIMEOUT');
is("$v->{tries} $c->{timeouts} " . $dns->asked('zen'), '2 2 2',
   'a silent resolver gets the configured tries');
cmp_ok($v->{ms}, '>=', 740, 'the second waits half as long again');
is(try(\@fast, 'mute', { a => ['127.0.0.2'] }), 'NOERROR',
   'the first reply lost');
is("$v->{a} $v->{tries}", '127.0.0.2 2', 'the second try gets a response');
my @log = $dns->log('zen');
isnt($log[0][4], $log[1][4], 'the second try comes from another port');

# A response that arrives while a later attempt is in flight.
is(try([-r => $dns->addr, -t => '0.3', -n => 3],
       { a => ['127.0.0.2'], delay => 0.4 }, 'mute'),
   'NOERROR', 'a late response gives NOERROR');
is("$v->{a} $v->{tries}", '127.0.0.2 2', 'the late response is accepted');
is(try([-r => $dns->addr, -t => '0.3', -n => 2],
       { a => ['127.0.0.2'], delay => 0.7 }, 'mute'),
   'NOERROR', 'one that comes before the end of all tries');
is(try([-r => $dns->addr, -t => '0.3', -n => 2],
       { a => ['127.0.0.2'], delay => 1.2 }, 'mute'),
   'TIMEOUT', 'a response after the end of all tries gives TIMEOUT');
is(try([-r => $dns->addr, -t => '0.3', -n => 2],
       { a => ['127.0.0.2'], delay => 0.6 }, 'refused'),
   'NOERROR', 'a failure does not hide a slow resolver');
is($v->{a}, '127.0.0.2', 'the address of the slow resolver is accepted');
is(try([-r => $dns->addr, -t => '0.3', -n => 2], 'mute', 'refused'),
   'REFUSED', 'a failure counts if the first try gets no response');

# False responses before the true one
for my $lie (qw(id bit name type class query two short noise port)) {
    is(try(\@slow, { first => [($lie) x 3], a => ['127.0.0.2'] }), 'NOERROR',
       "a response after a false one gives NOERROR: $lie");
    is("$v->{a} $v->{tries}", '127.0.0.2 1',
       "the false response is dropped: $lie");
    is($c->{dropped}, $lie eq 'port' ? 0 : 3,
       $lie eq 'port' ? 'the kernel drops the false responses'
       : 'the false responses are counted');
}

is(try(\@fast, { first => ['id'], mute => 1 }), 'TIMEOUT',
   'a false response alone gives TIMEOUT');
is(try(\@slow, { upper => 1, a => ['127.0.0.2'] }), 'NOERROR',
   'capitals in the question');
is(try(\@slow, { copies => 5, a => ['127.0.0.2'] }), 'NOERROR',
   'five copies of a response give NOERROR');
is("$v->{a} $c->{answered} $c->{replies}", '127.0.0.2 1 1',
   'copies of a response count once');
is(try(\@slow, { cut => 40, a => ['127.0.0.2'] }), 'BADREPLY',
   'a response that is cut off gives BADREPLY');
is(try(\@slow, { append => 'x', a => ['127.0.0.2'] }), 'BADREPLY',
   'an octet too many');
is(try(\@slow, { more => [[3, 'x', 250, "\0" x 20], [3, 'x', 250, "\0" x 20]],
    a => ['127.0.0.2'] }), 'BADREPLY',
    'a response with two TSIG records gives BADREPLY');
is(try(\@slow, { more => [[1, '', 1, "\x7f\0\0"]] }), 'BADREPLY',
   'an address of three octets');
is(try(\@slow, { a => [map { "127.0.0.$_" } 1 .. 65] }), 'NOERROR',
   'a response with 65 addresses gives NOERROR');
is(scalar(split(/,/, $v->{a})), 65, 'the result has all 65 addresses');
is(try(\@slow, { a => ['127.0.0.2'],
    more => [map { [2, '', 'TXT', 'x' x 255] } 1 .. 20] }), 'NOERROR',
   'a reply longer than any buffer');
is("$v->{a} $c->{tcp}", '127.0.0.2 1', 'the long response is fetched over TCP');
my @hundreds = map { '127.' . ($_ >> 8) . '.' . ($_ & 255) . '.9' } 1 .. 900;
for my $how ({ tc => 1 }, {}) {
    my $name = $how->{tc} ? 'truncated' : 'too long for UDP';
    is(try(\@slow, { a => \@hundreds, %$how }), 'NOERROR',
       "900 addresses, $name");
    is("$v->{a} $c->{tcp}", join(',', @hundreds) . ' 1',
       'all 900 addresses are read over TCP');
}

# Truncation
is(try(\@slow, { tc => 1, a => ['127.0.0.2'] }), 'NOERROR',
   'a truncated response gives NOERROR');
is("$v->{a} $c->{tcp}", '127.0.0.2 1', 'a response over TCP');
is(try([@slow, -T => 'txt'], { tc => 1, txt => [('x' x 250) x 60] }),
   'NOERROR', 'a long response over TCP gives NOERROR');
is(length $v->{txt}, 1024 + 3 * 4, 'the text of a long response is cut');
is(try(\@slow, { tc => 1, tcp => 'close' }), 'TRUNCATED',
   'a closed TCP connection gives TRUNCATED');
is(try(\@slow, { tc => 1, tcp => 'short', a => ['127.0.0.2'] }), 'TRUNCATED',
   'TCP closes an octet early');
is(try(\@slow, { tc => 1, tcp => 'id', a => ['127.0.0.2'] }), 'TRUNCATED',
   'another id over TCP');
is(try(\@fast, { tc => 1, tcp => 'mute' }), 'TRUNCATED', 'TCP is mute');
my $mute = $v->{ms};
is(try(\@fast, { tc => 1, tcp => 'drip', a => ['127.0.0.2'] }), 'TRUNCATED',
   'TCP never ends');
cmp_ok($v->{ms}, '<', 3 * $mute,
   'an endless TCP response does not prolong the wait');
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
is($c->{timeouts}, 0, 'a closed port is detected without a timeout');

done_testing();
