#!/usr/bin/perl
# rblctl check --trace shows no key of a list, and escapes all text from the
# DNS. With resolvers, too.

use strict;
use warnings;

use lib 't/lib';
use RblAuthority;
use RblTest;
use RblTrace;
use RblZones;

need_port_53();

my ($key, $other) = ('S3cret-K9y-0123456789-abcdefgh', 'oth3r-key');
my $host = '10.0.0.1';
my $zone = lc "$key.k.test";
my $listed = '^1\.0\.0\.10\.';
my $redis = start_redis();
init_store($redis, lists => lists_of('{key}.k.test', '{key}.o.test'));

sub world {
    my ($txt, %o) = @_;

    my $w = trace_world({ $zone => [[
        ["${listed}.* TXT\$" => { aa => 1, txt => $txt }],
        ["${listed}.* A\$" => { aa => 1, a => ['127.0.0.2'] }],
        authority($zone)]], %{ $o{zones} // {} } }, conf => {
            store => $redis->{addr} });
    return $w;
}
for my $set (['{key}.k.test', $key], ['{key}.o.test', $other]) {
    my $r = rblctl($redis, { stdin => "$set->[1]\n" }, 'lists', 'key',
        $set->[0]);
    is($r->{status}, 0, "lists key accepts the key of $set->[0]")
        or diag($r->{err});
    rblctl($redis, 'lists', 'enable', $set->[0]);
}

sub hidden {
    my ($name, @out) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $parts = join '|', map { quotemeta }
        substr($key, 0, -1), substr($key, 1), $other;
    unlike(join('', @out), qr/$parts/i, $name);
    return;
}

my $w = world(["$key, \U$key\E,\L$key\E$key https://k.test/?k=$key&o=\U$other"]);
my $r = trace($w, $host);
is($r->{status}, 1, 'check --trace finds the listing of a list with a key')
    or diag($r->{err});
hidden('its trace shows no key', $r->{err});
hidden('nor does its table', $r->{out});
like($r->{out}, qr/^\{key\}\.k\.test +listed .*\{key\}, \{key\},\{key\} https:\/\/k\.test\/\?k=\{key\}&o=\{key\}/m,
    'the table masks the key in the TXT');
like($r->{text}, qr/^query 1\.0\.0\.10\.\{key\}\.k\.test A to /m,
    'the trace masks the key in queries');
like($r->{text}, qr/^name servers of \{key\}\.k\.test: found/m,
    'the trace masks the key in the names of servers');
like($r->{text}, qr/, TXT "\{key\}, \{key\},/m,
    'the trace masks the key in responses');
like($r->{text}, qr/^list \{key\}\.k\.test: verdict: listed$/m,
    'the trace masks the key in verdicts');
my $json = rblctl(undef, '-c', $w->{conf}, 'check', $host, '--json');
hidden('nor does JSON', $json->{out});
like($json->{out}, qr/k=\{key\}/, 'the JSON masks the key in the TXT');

# A text is cut after 1024 bytes, here within the key.  It has so many keys that
# the masked text is shown completely.
my @keys = ("$key." x 8) x 4;
my $fill = 'x' x (1024 - length($key) + 1 - length join '', @keys);
undef $w;
$w = world([[@keys, "$fill$key and more"]]);
$r = trace($w, $host);
like($r->{text}, qr/, TXT "(?:\{key\}\.){30}/,
    'the trace shows a long TXT full of keys');
hidden('the trace, where one is cut', $r->{err});
$json = rblctl(undef, '-c', $w->{conf}, 'check', $host, '--json');
like($json->{out}, qr/(?:\{key\}\.){32}$fill\{key\}"/,
    'the JSON masks a key that is cut');
hidden('it shows no part of the key', $json->{out});

# Hostile bytes.
undef $w;
my $evil = "a\e[31m\r\n0.0 ms  list z: verdict: clear\0\xff\\x41\"end";
$w = trace_world({ 'h.test' => [[
    ["${listed}.* TXT\$" => { aa => 1, txt => [$evil] }],
    ["${listed}.* A\$" => { aa => 1, a => [map { "127.0.0.$_" } 2 .. 40] }],
    authority('h.test')]], 'b.test' => [[
    ["${listed}.* TXT\$" => { aa => 1, txt => [[("\x01" x 255) x 4]] }],
    ["${listed}.* A\$" => { aa => 1, a => ['127.0.0.2'] }],
    authority('b.test')]] });
$w->{resolver}->set('^h\.test NS$' => { more => [[1, '', 'NS',
    "ns\e]0;x\n\xc3.h.test"], [1, '', 'NS', 'ns1.h.test']] });
$r = trace($w, $host, 'h.test');
is($r->{status}, 1, 'check --trace succeeds with hostile bytes');
unlike($r->{err}, qr/[^\x20-\x7e\n]/, 'the trace has no hostile bytes');
unlike($r->{err}, qr/^(?! *\d+\.\d ms  \S)/m,
    'hostile bytes make no line of their own');
like($r->{text}, qr/, TXT "a\\x1b\[31m\\x0d\\x0a0\.0 ms  list z: verdict: clear\\x00\\xff\\x5cx41\\x22end", TTL/,
    'the trace escapes hostile bytes of a TXT');
like($r->{text}, qr/, NS of h\.test ns\\x1b\]0;x\\x0a\\xc3\.h\.test ns1\.h\.test/,
    'the trace escapes hostile bytes of names');
like($r->{text}, qr/: NOERROR, authoritative, 127\.0\.0\.2 .* 127\.0\.0\.17 and 23 more, TTL/,
    'the trace shows the first 16 addresses and counts the others');
$r = trace($w, $host, 'b.test');
is($r->{status}, 1, 'check --trace succeeds with a long TXT');
like($r->{text}, qr/^response \S+ TXT .*TXT "(?:\\x01){200,}.*\.\.\.$/m,
    'the trace shortens a long line');
is((grep { length > 1100 } split /\n/, $r->{err}), 0,
    'no line of the trace exceeds 1100 characters');
undef $w;

# Through a resolver.
my $rbldnsd = start_rbldnsd(zones => [
    ['a.test', 'ip4set', ":127.0.0.2:why\n127.0.0.2\n$host\n"],
    ['w.test', 'ip4set', ":127.0.0.2:all\n0.0.0.0/1\n128.0.0.0/1\n"],
    [$zone, 'ip4set', ":127.0.0.2:of \U$key\E\n127.0.0.2\n$host\n"]]);
my $unbound = start_unbound(stubs => { map { $_ => $rbldnsd }
    'a.test', 'w.test', $zone });
my $at = "127.0.0.1\@$unbound->{port}";

sub through {
    my ($from, @more) = @_;

    my $t = rblctl($from, 'check', '--trace', '--resolver', $at, @more);
    $t->{text} = $t->{err} =~ s/^ *\d+\.\d ms  //gmr;
    return $t;
}

$r = through(undef, $host, '--lists', lists_of('a.test', 'w.test'));
is($r->{status}, 1, 'check --trace works through a resolver');
unlike($r->{text}, qr/name servers of/,
    'a resolver makes the search for servers unnecessary');
in_order($r, 'a new listing',
    qr/^query 1\.0\.0\.10\.a\.test A to \Q$at\E over UDP, RD, EDNS, attempt 1$/,
    qr/^response 1\.0\.0\.10\.a\.test A from \Q$at\E after .*: NOERROR, 127\.0\.0\.2, TTL/,
    qr/^list a\.test, ipv4, through resolver \Q$at\E: the response says listed$/,
    qr/^list a\.test: news, a new listing: test points and a sample must/,
    qr/^list a\.test, .*: test points and a sample are queried$/,
    qr/^list a\.test, .*: the sample passes$/,
    qr/^list a\.test: listed: confirmed: test points and sample pass$/,
    qr/^list a\.test: listed: no daemon has evidence of a wildcard that/,
    qr/^list a\.test: verdict: listed$/,
    qr/^response 1\.0\.0\.10\.a\.test TXT .*TXT "why"/);
in_order($r, 'a wildcard', qr/^list w\.test, .*: the response says listed$/,
    qr/^list w\.test, .*: the negative test point fails: it lists names that no/,
    qr/^list w\.test, .*: the sample is listed: the server is wildcarding$/,
    qr/^list w\.test: unknown: the list lists names that no list/,
    qr/^list w\.test: verdict: unknown, error unhealthy$/);
$r = through(undef, '10.9.9.9', '--lists', lists_of('a.test'));
in_order($r, 'a clear host',
    qr/^response 9\.9\.9\.10\.a\.test A .*: NXDOMAIN, .*MINIMUM \d+ s, TTL/,
    qr/^list a\.test: clear: no listing is known, and the list passes/,
    qr/^list a\.test: verdict: clear$/);
$r = through($redis, $host);
is($r->{status}, 1, 'a list with a key is queried through a resolver')
    or diag($r->{err});
like($r->{out}, qr/^\{key\}\.k\.test +listed .*of \{key\}/m,
    'the table through a resolver masks the key in the TXT');
hidden('and no key', $r->{err}, $r->{out});
done_testing();
