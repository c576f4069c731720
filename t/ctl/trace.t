#!/usr/bin/perl
# rblctl check --trace: queries, responses and rules, in order.

use strict;
use warnings;

use lib 't/lib';
use RblAuthority;
use RblDns;
use RblTest;
use RblTrace;
use RblZones;

need_port_53();

my $host = '10.0.0.1';
my @yes = (serial => 7, listed => [$host]);
my @soa = (aa => 1, soa => ['lame.test', 60, 60, 1]);
my $w = trace_world({
    'a.test' => [[authority('a.test', @yes)]],
    'w.test' => [[authority('w.test', @yes)],
        [authority('w.test', serial => 9, wild => 'all')]],
    'd.test' => [[authority('d.test', @yes)], [authority('d.test', serial => 7)]],
    'n.test' => [[authority('n.test', @yes)], [authority('n.test', serial => 8)]],
    'o.test' => [[['^2\.0\.0\.127\.o\.test A$' => 'mute', { aa => 1,
        a => ['127.0.0.2'] }], authority('o.test', @yes)]],
    'x.test' => [[['.' => 'mute']]],
    't.test' => [[
        ['^1\.0\.0\.10\.t\.test A$' => { aa => 1, tc => 1, a => ['127.0.0.2'] }],
        ['^1\.0\.0\.10\.t\.test TXT$' => { aa => 1, tc => 1, tcp => 'close',
            txt => ['x'] }],
        authority('t.test')]],
    'f.test' => [[['\.f\.test' => { aa => 1, first => ['bit', 'name'],
        a => ['127.0.0.2'] }, { aa => 1, a => ['127.0.0.2'] }]]],
    's.test' => [[['.' => 'servfail']], [['.' => 'servfail']]],
    'l.test' => [[['.' => {}]]],
    'c.test' => [[['^1\.0\.0\.10' => { aa => 1, more => [
            [1, '', 'CNAME', 'to.other.example']] }],
        authority('c.test')]],
    'e.test' => [[['^1\.0\.0\.10' => { aa => 1, a => ['127.255.255.254'] }],
        authority('e.test')]],
}, conf => { dns_timeout => '1s' }, resolver => [
    ['^to\.other\.example A$' => { a => ['127.0.0.2'] }],
    ['^p\.test SOA$' => { more => [[1, '', 'SOA', 60]] }],
    ['^p\.test NS$' => { more => [[1, '', 'NS', 'ns.p.test']] }],
    ['^ns\.p\.test A$' => { a => ['10.1.2.3'] }]]);
my $at = quotemeta $w->{server}{'a.test'}[0]->addr;
my ($r, $where);

sub names {
    my ($trace, $what) = @_;
    my %seen = map { $_ => 1 } $trace->{text} =~ /^$what (\S+ [A-Z]+) /mg;
    return sort keys %seen;
}

# A new listing.
$r = trace($w, $host, 'a.test');
is($r->{status}, 1, 'check --trace exits with 1 for a new listing')
    or diag($r->{err});
in_order($r, 'its order', qr/^name servers of a\.test: searched through/,
    qr/^query a\.test SOA to ${\quotemeta $w->{resolver}->addr} over UDP, RD, EDNS, attempt 1$/,
    qr/^response a\.test SOA from .* after \d+\.\d ms: NOERROR, SOA of a\.test/,
    qr/^query a\.test NS to /,
    qr/^response a\.test NS from .*: NOERROR, NS of a\.test ns1\.a\.test, TTL 300 s$/,
    qr/^name servers of a\.test: found: $at$/,
    qr/^query 1\.0\.0\.10\.a\.test A to $at over UDP, no RD, EDNS, attempt 1$/,
    qr/^response 1\.0\.0\.10\.a\.test A from $at after \d+\.\d ms: NOERROR, authoritative, 127\.0\.0\.2, TTL 60 s$/,
    qr/^list a\.test, ipv4, server $at: the response says listed$/,
    qr/^list a\.test: news, a new listing: .*confirm/,
    qr/^list a\.test, ipv4, server $at: test points and a sample are queried$/,
    qr/^query 2\.0\.0\.127\.a\.test A to $at/,
    qr/^list a\.test, ipv4, server $at: the sample passes$/,
    qr/^list a\.test, ipv4, server $at: test points end: good/,
    qr/^list a\.test, ipv4, server $at: passes and lists it, serial 7$/,
    qr/^list a\.test: listed: confirmed: all servers that pass agree$/,
    qr/^list a\.test: verdict: listed$/);
in_order($r, 'the positive test point', qr/^response 2\.0\.0\.127\.a\.test A/,
    qr/: the positive test point is listed, as it must be$/);
in_order($r, 'the negative one',
    qr/^response 1\.0\.0\.127\.a\.test A .*: NXDOMAIN, authoritative, serial 7, MINIMUM 60 s, TTL 60 s$/,
    qr/: the negative test point is not listed, as it must be$/);
in_order($r, 'the TXT', qr/^query 1\.0\.0\.10\.a\.test TXT/,
    qr/^response 1\.0\.0\.10\.a\.test TXT .*, TXT "why", TTL 60 s$/);
all_queries($r, 'a new listing');
is(join("\n", names($r, 'response')), join("\n", names($r, 'query')),
    'each query in the trace has a response');
unlike($r->{err}, qr/^(?! *\d+\.\d ms  \S)/m,
    'each line of the trace has a time');
my @times = $r->{err} =~ /^ *(\d+\.\d) ms  /gm;
is("@times", join(' ', sort { $a <=> $b } @times),
    'the times of the trace are in ascending order');

# Standard output is unchanged.
my $plain = rblctl(undef, '-c', $w->{conf}, 'check', $host, '--lists',
    lists_of('a.test'));
is($r->{out} =~ s/ +\d*\n/ N\n/gr, $plain->{out} =~ s/ +\d*\n/ N\n/gr,
    'check prints the same table without --trace');
is($plain->{err}, '', 'check prints no trace without --trace');
$r = run_cmd({ timeout => 60 }, 'script', '-qec', join(' ', build_dir()
    . '/rblctl', '-c', $w->{conf}, 'check', '--trace', $host, '--lists',
    lists_of('a.test')), '/dev/null');
like($r->{out}, qr/verdict: listed/,
    'check --trace prints the trace on a terminal');
unlike($r->{out}, qr/lists answered/,
    'check --trace shows no progress on a terminal');

# A clear host.
$r = trace($w, '10.0.0.9', 'a.test');
is($r->{status}, 0, 'check --trace exits with 0 for a clear host');
in_order($r, 'its order', qr/: the response says clear$/,
    qr/^list a\.test: clear, and no listing is known: accepted/,
    qr/: test points are queried$/, qr/: test points end: good/,
    qr/^list a\.test: clear: no listing is known, and the list passes/,
    qr/^list a\.test: verdict: clear$/);
is(scalar(lines($r, 'sample')), 0, 'a clear host needs no sample');
all_queries($r, 'a clear host');

# One of two servers is wildcarding.
$where = quotemeta $w->{server}{'w.test'}[1]->addr;
$r = trace($w, $host, 'w.test');
is($r->{status}, 1, 'a host is listed although one server is wildcarding');
in_order($r, 'the reason is named',
    qr/server $where: a name of the sample fails: it lists names that no list/,
    qr/server $where: the sample is listed: the server is wildcarding$/,
    qr/server $where: test points end: wildcarding/,
    qr/server $where: is wildcarding .*: distrusted, .*; tested again after 30 s$/,
    qr/server $where: has no vote: it fails its test points \(wildcarding\)$/,
    qr/^list w\.test: listed: confirmed: all servers that pass agree$/);
all_queries($r, 'two servers');
$w->{server}{'w.test'}[0]->rules(authority('w.test', wild => 'all'));
$r = trace($w, $host, 'w.test');
is($r->{status}, 2, 'a host is unknown when both servers are wildcarding');
in_order($r, 'which is the reason', qr/has no vote/, qr/has no vote/,
    qr/^list w\.test: unknown: the list fails its test points$/,
    qr/^list w\.test: verdict: unknown, error unhealthy$/);

# A test point is queried once more, and so it is after the name.
$r = trace($w, $host, 'o.test');
is($r->{status}, 1, 'a host is listed although a test point has no response');
in_order($r, 'so the name is queried again',
    qr/^query 2\.0\.0\.127\.o\.test A: server \S+ has not responded in time$/,
    qr/^query 2\.0\.0\.127\.o\.test A to .*attempt 2$/,
    qr/: test points were sent after the query: it is queried for the name again$/,
    qr/^query 1\.0\.0\.10\.o\.test A to /, qr/^list o\.test: verdict: listed$/);
all_queries($r, 'with the lost one');

# Servers disagree.  The first one is chosen at random.
sub trace_news {
    my ($zone) = @_;

    for (1 .. 40) {
        $r = trace($w, $host, $zone);
        last if lines($r, 'news, a new listing');
    }
    return;
}

trace_news('d.test');
is($r->{status}, 2,
    'a host is unknown when servers with equal serials disagree');
in_order($r, 'and equal serials do not decide', qr/serial 7$/, qr/serial 7$/,
    qr/^list d\.test: unknown: servers disagree, and their serials do not show/,
    qr/^list d\.test: verdict: unknown, error disagree$/);
trace_news('n.test');
is($r->{status}, 0, 'a host is clear when the newer serial says so');
in_order($r, 'decides', qr/passes and .*, serial [78]$/,
    qr/passes and .*, serial [78]$/,
    qr/^list n\.test: clear: servers disagree: the side with the newer serial/,
    qr/^list n\.test: verdict: clear$/);

# No response, no valid response, no complete response.
$r = trace($w, $host, 'x.test');
is($r->{status}, 2, 'a host is unknown when a list is silent');
in_order($r, 'is queried twice', qr/^query 1\.0\.0\.10\.x\.test A .*attempt 1$/,
    qr/^query 1\.0\.0\.10\.x\.test A: server \S+ has not responded in time$/,
    qr/^query 1\.0\.0\.10\.x\.test A .*attempt 2$/,
    qr/^query 1\.0\.0\.10\.x\.test A: ends, sent 2 times: timeout$/,
    qr/^list x\.test, .*: the response says unknown, error timeout$/,
    qr/^list x\.test: no verdict, so nothing changes$/,
    qr/^list x\.test: verdict: unknown, error timeout$/);
all_queries($r, 'silence');

$r = trace($w, $host, 't.test');
is($r->{status}, 1, 'a host is listed after a truncated response');
in_order($r, 'continues over TCP',
    qr/^query 1\.0\.0\.10\.t\.test A to \S+ over UDP/,
    qr/^response 1\.0\.0\.10\.t\.test A .*: NOERROR, truncated$/,
    qr/^query 1\.0\.0\.10\.t\.test A to \S+ over TCP, no RD, EDNS, attempt 1$/,
    qr/^response 1\.0\.0\.10\.t\.test A .*, 127\.0\.0\.2, TTL 300 s$/);
in_order($r, 'or fails there',
    qr/^query 1\.0\.0\.10\.t\.test TXT to \S+ over TCP/,
    qr/^query 1\.0\.0\.10\.t\.test TXT: server \S+ closed or refused .* TCP$/,
    qr/^query 1\.0\.0\.10\.t\.test TXT: ends, sent 1 times: truncated/);
all_queries($r, 'TCP');

$r = trace($w, $host, 'f.test');
in_order($r, 'a false response', qr/^query 1\.0\.0\.10\.f\.test A/,
    qr/^response from \S+ dropped: /, qr/^response from \S+ dropped: /,
    qr/^response 1\.0\.0\.10\.f\.test A .*127\.0\.0\.2/);

$r = trace($w, $host, 's.test');
in_order($r, 'SERVFAIL', qr/^response 1\.0\.0\.10\.s\.test A .*: SERVFAIL$/,
    qr/^query 1\.0\.0\.10\.s\.test A: server \S+ is avoided for a minute$/,
    qr/^query 1\.0\.0\.10\.s\.test A to .*attempt 2$/,
    qr/^response 1\.0\.0\.10\.s\.test A .*: SERVFAIL$/,
    qr/^list s\.test: verdict: unknown, error servfail$/);
all_queries($r, 'SERVFAIL');

$r = trace($w, $host, 'l.test');
in_order($r, 'a lame server', qr/^response 1\.0\.0\.10\.l\.test A .*: NOERROR, no data, TTL 0 s$/,
    qr/^query 1\.0\.0\.10\.l\.test A: server \S+ is lame: its response is not/);

$r = trace($w, $host, 'c.test');
in_order($r, 'an alias', qr/^response 1\.0\.0\.10\.c\.test A .*, no data, CNAME to\.other\.example/,
    qr/^query 1\.0\.0\.10\.c\.test A: is an alias out of the zone/,
    qr/^query to\.other\.example A to .* RD/,
    qr/^response to\.other\.example A .*127\.0\.0\.2/,
    qr/^query 1\.0\.0\.10\.c\.test A: takes the response to its alias' target: NOERROR$/,
    qr/^list c\.test, .*: the response says listed$/);
all_queries($r, 'an alias');

$r = trace($w, $host, 'e.test');
in_order($r, 'an error code', qr/: the response says unknown, error blocked$/,
    qr/^list e\.test: no verdict; the test points show whether the server/,
    qr/^list e\.test: verdict: unknown, error blocked$/);

# Servers that do not exist, or must not be queried.
$r = trace($w, $host, 'p.test');
in_order($r, 'an address that is not public',
    qr/^name servers of p\.test: left out, not public and not in list_server_allow: 10\.1\.2\.3\@53$/,
    qr/^name servers of p\.test: none can be found$/,
    qr/^query 1\.0\.0\.10\.p\.test A: ends, sent 0 times: the name servers/,
    qr/^list p\.test: no response: unknown, error servfail$/);

(delete $w->{server}{'a.test'})->[0]->stop;
$r = trace($w, $host, 'a.test');
in_order($r, 'a server that is down', qr/^query 1\.0\.0\.10\.a\.test A to $at/,
    qr/^query 1\.0\.0\.10\.a\.test A: server $at cannot be reached$/,
    qr/^query 1\.0\.0\.10\.a\.test A: ends, sent \d times: no server can be reached$/,
    qr/^list a\.test: verdict: unknown, error network$/);
done_testing();
