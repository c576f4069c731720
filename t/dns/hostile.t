#!/usr/bin/perl

# Hostile responses of every kind: the query engine's result for each, the
# verdict of a check, and no effect on other queries.
#
# Alone: measures times.

use warnings;
use strict;

use Test::More;

use RblDns;
use RblDnsAsk;
use RblTest;

my $dns = RblDns->new;
my ($v, $c);

# Messages made by hand

sub name { return join('', map { chr(length) . $_ } split /\./, $_[0]) . "\0" }

sub rr {
    my ($owner, $type, $data, $ttl, $class) = @_;
    return $owner . pack('nnNn', $type, $class // 1, $ttl // 300, length $data)
        . $data;
}

my $q = "\xc0\x0c";                             # the asked name
my $listed = rr($q, 1, "\x7f\0\0\2");
my $tsig = rr(name('key'), 250, name('hmac-md5') . "\0" x 16, 0, 255);
my $soa = name('ns.test') . name('admin.test') . pack('N5', 1 .. 4, 60);

sub an { return { raw => [$_[0], 0, 0, $_[1]] } }

# [name, server behaviour, result of the engine, verdict, its error]
my @cases = (
    # invalid compression pointers
    ['a pointer to itself', an(1, rr("\xc0\x27", 1, "\x7f\0\0\2")),
        'BADREPLY'],
    ['a pointer forward', an(1, rr("\xc0\xff", 1, "\x7f\0\0\2")), 'BADREPLY'],
    ['a pointer past the end', an(1, rr("\xff\xff", 1, "\x7f\0\0\2")),
        'BADREPLY'],
    ['two pointers in a ring', an(2, rr($q, 5, "\1a\xc0\x37")
        . rr("\xc0\x33", 1, "\x7f\0\0\2")), 'BADREPLY'],
    ['a label of a kind that is not used', an(1, rr("\x80a\0", 1,
        "\x7f\0\0\2")), 'BADREPLY'],
    ['a name of 400 octets', an(1, rr(name(join '.', ('x' x 60) x 7), 1,
        "\x7f\0\0\2")), 'BADREPLY'],
    ['half a pointer', an(1, "\xc0"), 'BADREPLY'],

    # counts
    ['65,000 answers announced', an(65000, $listed), 'BADREPLY'],
    ['65,535 authorities', { raw => [1, 65535, 0, $listed] }, 'BADREPLY'],
    ['65,535 additional ones', { raw => [1, 0, 65535, $listed] }, 'BADREPLY'],
    ['4,000 answers over TCP', { tc => 1, a => [('127.0.0.2') x 4000] },
        'NOERROR', 'listed'],
    ['4,000 answers over TCP, the last outside 127/8', { tc => 1,
        a => [('127.0.0.2') x 3999, '192.0.2.1'] }, 'NOERROR', 'unknown',
        'hijacked'],
    ['4,000 answers over TCP, the last a refusal', { tc => 1,
        a => [('127.0.0.2') x 3999, '127.255.255.254'] }, 'NOERROR', 'unknown',
        'blocked'],
    ['one announced, two there', an(1, $listed x 2), 'BADREPLY'],
    ['one announced, none there', an(1, ''), 'BADREPLY'],
    ['64 answers', { a => [map { "127.0.0.$_" } 2 .. 65] }, 'NOERROR',
        'listed'],
    ['64 answers, the last outside 127/8',
        { a => [(map { "127.0.0.$_" } 2 .. 64), '192.0.2.1'] }, 'NOERROR',
        'unknown', 'hijacked'],

    # unrequested records
    ['TSIG', { raw => [1, 0, 1, $listed . $tsig] }, 'BADREPLY'],
    ['TSIG twice', { raw => [1, 0, 2, $listed . $tsig x 2] }, 'BADREPLY'],
    ['OPT twice', { raw => [1, 0, 2, $listed . ("\0" . pack 'nnNn', 41, 1232,
        0, 0) x 2] }, 'BADREPLY'],
    ['an address of five octets', an(1, rr($q, 1, "\x7f\0\0\2\2")),
        'BADREPLY'],
    ['rdata longer than the message', an(1, $q . pack('nnNn', 1, 1, 1, 999)
        . "\x7f\0\0\2"), 'BADREPLY'],
    ['an address of another name', an(1, rr(name('other.test'), 1,
        "\x7f\0\0\2")), 'BADREPLY'],
    ['another class', an(1, rr($q, 1, "\x7f\0\0\2", 60, 3)), 'NOERROR',
        'clear'],

    # aliases
    ['an alias of itself', an(1, rr($q, 5, $q)), 'BADREPLY'],
    ['a ring of aliases', { more => [[1, '', 'CNAME', 'a.test'],
        [1, 'a.test', 'CNAME', 'b.test'], [1, 'b.test', 'CNAME', 'a.test']] },
        'BADREPLY'],
    ['eight aliases', { more => [[1, '', 'CNAME', 'a1.test'],
        (map { [1, "a$_.test", 'CNAME', 'a' . ($_ + 1) . '.test'] } 1 .. 7),
        [1, 'a8.test', 'A', '127.0.0.2']] }, 'NOERROR', 'listed'],
    ['nine', { more => [[1, '', 'CNAME', 'a1.test'],
        (map { [1, "a$_.test", 'CNAME', 'a' . ($_ + 1) . '.test'] } 1 .. 8),
        [1, 'a9.test', 'A', '127.0.0.2']] }, 'BADREPLY'],
    ['an alias to a parking place', { more => [[1, '', 'CNAME', 'park.test'],
        [1, 'park.test', 'A', '192.0.2.80']] }, 'NOERROR', 'unknown',
        'hijacked'],
    ['an alias, and the address of another name', { more => [
        [1, '', 'CNAME', 'a.test'], [1, 'b.test', 'A', '127.0.0.2']] },
        'BADREPLY'],
    ['an alias to nothing', { more => [[1, '', 'CNAME', 'a.test']] },
        'NOERROR', 'clear'],
    ['DNAME alone', { more => [[1, 'test', 'DNAME', 'new.test']] },
        'BADREPLY'],
    ['DNAME with its alias', { more => [[1, 'test', 'DNAME', 'new.test'],
        [1, '', 'CNAME', 'x.new.test'], [1, 'x.new.test', 'A', '127.0.0.2']] },
        'NOERROR', 'listed'],
    ['DNAME that leads around', { more => [[1, 'test', 'DNAME', 'test'],
        [1, '', 'CNAME', 'x.test'], [1, 'x.test', 'CNAME', 'x.test']] },
        'BADREPLY'],

    # addresses
    ['outside 127/8', { a => ['192.0.2.1'] }, 'NOERROR', 'unknown',
        'hijacked'],
    ['a mixed set', { a => ['127.0.0.2', '192.0.2.1'] }, 'NOERROR', 'unknown',
        'hijacked'],
    ['0.0.0.0', { a => ['0.0.0.0'] }, 'NOERROR', 'unknown', 'hijacked'],
    ['126.255.255.255', { a => ['126.255.255.255'] }, 'NOERROR', 'unknown',
        'hijacked'],
    ['a refusal among listings', { a => ['127.0.0.2', '127.255.255.254'] },
        'NOERROR', 'unknown', 'blocked'],
    ['127.0.0.1', { a => ['127.0.0.1'] }, 'NOERROR', 'unknown', 'blocked'],
    ['NXDOMAIN with an address', { rcode => 3, a => ['127.0.0.2'] },
        'BADREPLY'],
    ['a TTL of 0', { ttl => 0, a => ['127.0.0.2'] }, 'NOERROR', 'listed'],
    ['a TTL of 2^31', { ttl => 2 ** 31, a => ['127.0.0.2'] }, 'NOERROR',
        'listed'],
    ['a TTL of 2^32 - 1', { ttl => 2 ** 32 - 1, a => ['127.0.0.2'] },
        'NOERROR', 'listed'],
    ['a negative TTL of 2^31', { rcode => 3, raw => [0, 1, 0,
        rr(name('test'), 6, $soa, 2 ** 31)] }, 'NXDOMAIN', 'clear'],

    # codes
    ['SERVFAIL', 'servfail', 'SERVFAIL', 'unknown', 'servfail'],
    ['REFUSED', 'refused', 'REFUSED', 'unknown', 'refused'],
    ['REFUSED with an address', { rcode => 5, a => ['127.0.0.2'] }, 'REFUSED',
        'unknown', 'refused'],
    ['NOTIMP', 'notimp', 'BADREPLY'],
    ['FORMERR', 'formerr', 'BADREPLY'],
    ['NOTAUTH', { rcode => 9 }, 'BADREPLY'],
    ['an rcode without a name', { rcode => 15, a => ['127.0.0.2'] },
        'BADREPLY'],
    ['an rcode made of two halves', { raw => [1, 0, 1, $listed . "\0"
        . pack('nnNn', 41, 1232, 0x01000000, 0)] }, 'BADREPLY'],
    ['nothing at all', {}, 'NOERROR', 'clear'],
    ['a referral', { more => [[2, 'test', 'NS', 'ns.test']] }, 'BADREPLY'],

    # responses that are not accepted
    (map { ["only a false $_", { first => [($_) x 3], mute => 1 }, 'TIMEOUT',
        'unknown', 'timeout'] } qw(id bit name type class port query two short
        noise empty bare)),
    ['silence', 'mute', 'TIMEOUT', 'unknown', 'timeout'],
    ['a reply after the last time-out', { a => ['127.0.0.2'], delay => 4 },
        'TIMEOUT', 'unknown', 'timeout'],

    # TCP
    (map { ["TCP: $_->[0]", { tc => 1, tcp => $_->[1], a => ['127.0.0.2'] },
        'TRUNCATED', 'unknown', 'truncated'] } ['mute', 'mute'],
        ['closed', 'close'], ['an octet short', 'short'],
        ['another id', 'id'], ['never ends', 'drip'],
        ['a message of one octet', 'tiny']),
    ['TCP: more and more behind the reply', { tc => 1, tcp => 'flood',
        a => ['127.0.0.2'] }, 'NOERROR', 'listed'],
);

my @names = map { "2.2.0.192.h$_.test" } 0 .. $#cases;
my @rules = map { ["^2\\.2\\.0\\.192\\.h$_\\.test\$" => $cases[$_][1]] }
    0 .. $#cases;
my @good = map { "g$_.good.test" } 1 .. 300;

sub all_rules { return (@_, @rules, ['.' => { a => ['127.0.0.2'] }]) }

# The engine, all of them at once, with good responses among them.

$dns->rules(all_rules());
my @ask = (-r => $dns->addr, -t => 1, -n => 2, -w => 5000, -c => 64);
($v, $c) = dnsask(\@ask, (map { ($names[$_], @good[$_ * 3 .. $_ * 3 + 2]) }
                  0 .. $#cases), @good[3 * @cases .. $#good]);

for my $i (0 .. $#cases) {
    my ($what, undef, $status) = @{ $cases[$i] };
    my $got = $v->{ $names[$i] } // [];

    is("@{[ scalar @$got ]} $got->[0]{status}", "1 $status",
        "the engine ends with $status for the case: $what");
}

is(scalar(grep { $_->{status} ne 'NOERROR' || $_->{a} ne '127.0.0.2' }
          map { $v->{$_}[0] } @good), 0,
              'all valid queries among them get a response');
cmp_ok((sort { $a <=> $b } map { $v->{$_}[0]{ms} } @good)[-1], '<', 1000,
       'no valid query waits for a hostile response');
is("$c->{in_flight} $c->{waiting}", '0 0', 'no query is in flight at the end');

my %ttl = map { $cases[$_][0] => $v->{ $names[$_] }[0]{ttl} } 0 .. $#cases;
is($ttl{$_}, 0, "$_ is not cacheable")
    for 'a TTL of 0', 'a TTL of 2^31', 'a TTL of 2^32 - 1',
        'a negative TTL of 2^31';

# Cut after every octet, over UDP and over TCP.

my $whole = 12 + 15 + 4 + 3 * 16 + 11;          # cN.cut.test, three A, OPT
my @cut = map { sprintf 'c%03d.cut.test', $_ } 0 .. $whole;
$dns->rules((map { ["^$cut[$_] A\$" => { cut => $_,
    a => ['127.0.0.2', '127.0.0.3', '127.0.0.4'] }] } 0 .. $whole));
($v) = dnsask([-r => $dns->addr, -t => '0.3', -n => 1], @cut);
is(join(' ', map { $v->{ $cut[$_] }[0]{status} } 0 .. $whole),
   join(' ', map { $_ < 31 ? 'TIMEOUT' : $_ < $whole ? 'BADREPLY' : 'NOERROR' }
   0 .. $whole), 'a response cut after any octet is not accepted');
$dns->rules((map { ["^$cut[$_] A\$" => { tc => 1, cut => $_,
    a => ['127.0.0.2', '127.0.0.3', '127.0.0.4'] }] } 0 .. $whole));
($v) = dnsask([-r => $dns->addr, -t => '0.3', -n => 1, -c => 64], @cut);
is(scalar(grep { $v->{ $cut[$_] }[0]{status} eq 'NOERROR' } 0 .. $whole), 1,
   'a response cut over TCP is not accepted');

# TXT: 64 KiB of any bytes.

my $octets = join '', map { chr } 0 .. 255;
my $txt = [map { substr $octets x 2, $_, 255 } 0 .. 250];
$dns->rules(['^long' => { tc => 1, txt => [$txt] }],
            ['.' => { txt => [substr $octets, 0, 255] }]);
($v) = dnsask([-r => $dns->addr, '-T', 'txt'], 'long.test', 'short.test');
is($v->{'long.test'}[0]{status}, 'NOERROR', 'a TXT of 64 KiB is accepted');
is(length($v->{'long.test'}[0]{txt} =~ s/\\x../x/gr), 1024,
    'a TXT of 64 KiB is cut to 1024 bytes');
like($v->{'short.test'}[0]{txt}, qr/^\\x00\\x01.*\\xfe$/,
     'the engine escapes control characters of a TXT');

# Memory: the same after many as after few.

$dns->rules(all_rules());
my @hard = grep { $cases[$_][2] ne 'TIMEOUT' && $cases[$_][2] ne 'TRUNCATED' }
    0 .. $#cases;
my @again = ('-q', -r => $dns->addr, -w => 500, -c => 16);
my (undef, $few) = dnsask([@again, -R => 5], @names[@hard]);
my (undef, $many) = dnsask([@again, -R => 100], @names[@hard]);
is($many->{answered}, 100 * @hard,
    'the engine answers a hundred rounds of hostile queries');

# Sanitizers and valgrind keep freed memory to detect use after free.
cmp_ok($many->{rss_kb} - $few->{rss_kb}, '<', 600, 'takes no more memory')
    unless $ENV{RBL_VALGRIND}
        || read_file(build_dir() . '/t/tools/dnsask') =~ /__asan_init/;

# Checks: the same responses, as responses of lists.

my $dir = temp_dir();
write_file("$dir/conf", "dns_timeout 1s\ndns_tries 2\ndns_max_tcp 64\n");
write_file("$dir/lists.json", '{"version": 1, "lists": [' . join(', ',
    map { qq({"zone": "$_", "name": "$_", "type": "rbl", "control": "none",
             "families": ["ipv4"], "codes": ["127.0.0.2=spam"]}) }
    (map { "h$_.test" } 0 .. $#cases), 'good.test', 'txt.test') . ']}');
$dns->rules(
    ['^2\.2\.0\.192\.txt\.test TXT$' => { tc => 1, txt => [$txt] }],
    map({ ["$_->[0] TXT" =~ s/\$ TXT/ TXT\$/r => { txt => ["\e[31m\xff\n"] }] }
        @rules), all_rules());
my $r = run_cmd({}, build_dir() . '/rblctl', '-c', "$dir/conf", 'check',
    '192.0.2.2', '--lists', "$dir/lists.json", '--resolver', $dns->addr,
    '--json');
my %list = map { $_->{zone} => $_ } @{ json($r->{out})->{lists} };

for my $i (0 .. $#cases) {
    my ($what, undef, $status, $verdict, $error) = @{ $cases[$i] };
    my $got = $list{"h$i.test"};
    my $want = $verdict // 'unknown';

    $error //= $want eq 'unknown' ? 'badreply' : '';
    is("$got->{status} $got->{error}", "$want $error",
        "a check ends with $want for the case: $what");
}

is($list{'good.test'}{status}, 'listed', 'a valid list among them is listed');
cmp_ok($list{'good.test'}{response_ms}, '<', 1000,
    'a valid list does not wait for hostile ones');
is($list{'txt.test'}{status}, 'listed',
    'a list with a reason of 64 KiB is listed');
cmp_ok(length $list{'txt.test'}{reason}, '<=', 1024,
    'a reason of 64 KiB is cut to 1024 characters');
unlike($r->{out}, qr/[\x00-\x08\x0b-\x1f\x7f]/,
    'the output of the check has no control characters');
is($r->{err}, '', 'the check writes no error message');

done_testing();
