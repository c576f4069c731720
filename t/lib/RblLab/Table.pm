package RblLab::Table;

# The scenarios of the laboratory: the DNS data, and the result of a checker
# that is never wrong.  RblLab.pm builds the servers and explains the members of
# a scenario.  Names are unique and make the list's zone.
#
# [name, kind, verdict, error, what it shows, {members}]; kinds: 1 data of lists in
# use, 2 dead lists, 3 codes and resolvers, 4 other checkers, 5 complaints of
# users, 6 principles; a number behind the dot is a part of the kind.

use strict;
use warnings;

use Exporter 'import';

our @EXPORT_OK = qw(scenarios);

sub scenarios { return (living(), deaths(), codes(), neutral(), resolvers(),
    transport(), chains(), families(), domains()) }

my $wild = sub { { all => { a => [@_], txt => ['x'] } } };
my $one = sub { my ($list, @a) = @_; { list => $list, answer => [@a] } };


sub living { return (
    ['living-listed', '3.2', 'listed', '', 'a valid list, a host on it',
        { rbldnsd => "127.0.0.2\n192.0.2.7\n" }],
    ['living-clear', '3.2', 'clear', '', 'a valid list, a host not on it',
        { rbldnsd => "127.0.0.2\n192.0.2.8\n" }],
    ['living-range', '3.2', 'listed', '', 'a host in a listed network',
        { rbldnsd => "127.0.0.2\n192.0.2.0/26\n!192.0.2.1\n" }],
    ['living-excluded', '3.2', 'clear', '', 'a host excepted from a network',
        { rbldnsd => "127.0.0.2\n192.0.2.0/26\n!192.0.2.7\n" }],
) }


# Part 2, and the effect on hosts that are on no list.
sub deaths { return (
    ['emptied', '2', 'unknown', 'unhealthy',
        'the zone is empty, its servers answer', { rbldnsd => '' }],
    ['emptied-nodata', '2', 'unknown', 'unhealthy',
        'every name is there without an address', { all => 'nodata' }],
    ['gone-servfail', '2', 'unknown', 'servfail',
        'the name servers are down: SERVFAIL', { all => 'servfail' }],
    ['gone-port', '2', 'unknown', 'servfail timeout',
        'no server listens where the zone is delegated to',
        { direct => 'unknown network', via => 'plain', to => 'closed' }],
    ['gone-mute', '2', 'unknown', 'timeout', 'the name servers are silent',
        { all => 'mute' }],
    ['lame', '2', 'unknown', 'servfail',
        'the servers do not know the zone (lame), behind a resolver',
        { direct => 'unknown refused', via => 'plain', all => 'refused' }],
    ['unroutable', '2', 'unknown', 'timeout servfail',
        'delegated to where nothing comes back, behind a resolver',
        { via => 'plain', all => 'mute' }],
    ['tree-gone', '2', 'unknown', 'unhealthy', 'NXDOMAIN for the whole tree',
        { all => 'nxdomain' }],
    ['squatter', '2', 'unknown', 'hijacked',
        'a squatter answers everything (SpamCannibal)',
        $wild->('91.195.240.117')],
    ['squatter-two', '2', 'unknown', 'hijacked',
        'two addresses of a parking service',
        $wild->('216.120.147.200', '91.195.240.117')],
    ['squatter-part', '2', 'unknown', 'hijacked',
        'the squatter answers hosts, test points are as before',
        { answer => ['91.195.240.117'] }],
    ['squatter-clear', '2', 'unknown', 'unhealthy',
        'a squatter has the test points, the host has a cached NXDOMAIN',
        { rest => { a => ['91.195.240.117'] }, answer => 'nxdomain',
          positive => { a => ['91.195.240.117'] } }],
    ['world', '2', 'unknown', 'unhealthy',
        'the operator lists the world (ORDB, AHBL)', $wild->('127.0.0.2')],
    ['world-some-code', '2', 'unknown', 'unhealthy',
        'the world, with a code of the table',
        { list => 'zen.spamhaus.org', all => { a => ['127.0.0.4'] } }],
    ['world-odd-code', '2', 'unknown', 'unhealthy',
        'the world, with an unknown code', $wild->('127.0.0.77')],
    ['world-but-one', '2', 'unknown', 'unhealthy',
        'the world, but 127.0.0.1 as a list should',
        { rest => { a => ['127.0.0.2'] },
          rule => ['^1\.0\.0\.127\.' => 'nxdomain'] }],
    ['world-rbldnsd', '2', 'unknown', 'unhealthy',
        'the world, by one line of a zone file',
        { set => 'ip4trie', rbldnsd => "0.0.0.0/0\n" }],
    ['world-domains', '2', 'unknown', 'unhealthy',
        'every domain is listed', { list => 'dbl.nordspam.com',
          value => 'shop.example.com', all => { a => ['127.0.0.2'] } }],
    ['retired-192', '2', 'unknown', 'hijacked',
        'retired: test network 192.0.2.0/24', $wild->('192.0.2.1')],
    ['retired-198', '2', 'unknown', 'hijacked',
        'retired: test network 198.51.100.0/24', $wild->('198.51.100.1')],
    ['retired-203', '2', 'unknown', 'hijacked',
        'retired: test network 203.0.113.0/24', $wild->('203.0.113.1')],
    ['renamed', '2', 'listed', '', 'renamed: the old tree is an alias',
        { rest => { rcode => 'nxdomain' }, answer => { more => [
            [1, '', 'CNAME', '7.2.0.192.new.lab.test'],
            [1, '7.2.0.192.new.lab.test', 'A', '127.0.0.2']] } }],
    ['hidden-nxdomain', '1.2', 'unknown', 'unhealthy',
        'a public resolver gets NXDOMAIN for all names',
        { list => 'zen.spamhaus.org', all => 'nxdomain' }],
    ['hidden-mute', '1.2', 'unknown', 'timeout',
        'shared resolvers get no answer (SpamRATS)',
        { list => 'all.spamrats.com', all => 'mute' }],
    ['hidden-control', '3.1', 'unknown', 'blocked',
        'hosts are clean, only the test point shows the refusal',
        { list => 'zen.spamhaus.org', positive => '127.255.255.254' }],
    ['hidden-refused', '3.1', 'unknown', 'blocked',
        'hosts are clean, test points REFUSED', { positive => 'refused' }],
    ['control-servfail', '3.1', 'unknown', 'unhealthy',
        'hosts are clean, the test point fails', { positive => 'servfail' }],
) }


sub codes {
    my $all = sub { my ($list, $a, $value) = @_;
        { list => $list, all => { a => [$a] }, value => $value } };
    my $domain = 'shop.example.com';

    return (
    (map { ["error-$_", '3.2', 'unknown', 'blocked', "127.255.255.$_",
        $all->('zen.spamhaus.org', "127.255.255.$_")] } 252, 254, 255),
    ['error-foreign', '3.2', 'unknown', 'blocked',
        '127.255.255.x from a list that has no such rule',
        $all->(undef, '127.255.255.254')],
    ['error-odd', '3.2', 'unknown', 'blocked',
        'any other address of 127.255.255.0/24', { answer => ['127.255.255.9'] }],
    ['error-mixed', '3.2', 'unknown', 'blocked',
        'a listing and an error in one answer',
        { list => 'zen.spamhaus.org',
          answer => ['127.0.0.2', '127.255.255.255'] }],
    ['error-cbl', '5', 'unknown', 'blocked',
        'the flood of 2025: abuseat behind a public resolver',
        $all->('cbl.abuseat.org', '127.255.255.254')],
    ['error-senderscore', '1.2', 'unknown', 'blocked',
        'Validity without an account',
        $all->('bl.score.senderscore.com', '127.255.255.255')],
    ['uribl-refused', '3.2', 'unknown', 'blocked', 'URIBL: 127.0.0.1',
        $all->('multi.uribl.com', '127.0.0.1', $domain)],
    ['surbl-refused', '3.2', 'unknown', 'blocked', 'SURBL: 127.0.0.1',
        $all->('multi.surbl.org', '127.0.0.1', $domain)],
    ['any-1', '3.2', 'unknown', 'blocked', '127.0.0.1 from any list',
        { answer => ['127.0.0.1'] }],
    ['dbl-255', '3.2', 'unknown', 'blocked', 'DBL: 127.0.1.255',
        { list => 'dbl.spamhaus.org', value => $domain,
          answer => ['127.0.1.255'] }],
    ['zrd-255', '3.2', 'unknown', 'blocked', 'ZRD: 127.0.2.255',
        { list => 'zrd.spamhaus.org', value => $domain,
          answer => ['127.0.2.255'] }],
    ['dnswl-255', '1.2', 'unknown', 'blocked', 'DNSWL: 127.0.0.255',
        $all->('list.dnswl.org', '127.0.0.255')],
    ['dnswl-lies', '1.2', 'unknown', 'blocked',
        'DNSWL over the limit: every address is trusted',
        $all->('list.dnswl.org', '127.0.10.3')],
    ['efnet-1', '1.3', 'listed', '', 'EFnet: 127.0.0.1 is a listing',
        $one->('rbl.efnetrbl.org', '127.0.0.1')],
    ['unknown-code', '3.2', 'listed', '',
        'a code that the table does not know, test points pass',
        $one->('zen.spamhaus.org', '127.0.0.99')],
    ['zen-several', '1.3', 'listed', '', 'ZEN: SBL, XBL and PBL together',
        $one->('zen.spamhaus.org', '127.0.0.2', '127.0.0.4', '127.0.0.10')],
    ['zen-policy', '1.3', 'listed', '', 'ZEN: PBL alone',
        $one->('zen.spamhaus.org', '127.0.0.11')],
    ['mixed-set', '3.2', 'unknown', 'hijacked',
        'one address inside 127/8, one outside',
        { answer => ['127.0.0.2', '91.195.240.117'] }],
    ['block-page', '3.2', 'unknown', 'hijacked',
        'a block page (146.112.61.108)', { answer => ['146.112.61.108'] }],
    ['nodata', '3.2', 'clear', '', 'NODATA for the host, test points pass',
        { answer => 'nodata' }],
    ['blocklist-service', '1.3', 'listed', '',
        'blocklist.de: 127.0.0.14, attacks on ssh',
        $one->('bl.blocklist.de', '127.0.0.14')],
    ['suomispam', '1.3', 'listed', '', 'Suomispam: its test entry is .99',
        { list => 'bl.suomispam.net', answer => ['127.0.0.2'],
          positive => '127.0.0.99' }],
) }


sub neutral {
    my $karma = 'hostkarma.junkemailfilter.com';
    my $spike = 'bl.mailspike.net';
    my $uribl = sub { my ($list, $n, $test) = @_;
        { list => $list, value => 'example.com', answer => ["127.0.0.$n"],
          positive => "127.0.0.$test" } };

    return (
    ['karma-1', '1.3', 'clear', '', 'Hostkarma white',
        $one->($karma, '127.0.0.1')],
    ['karma-3', '1.3', 'clear', '', 'Hostkarma yellow',
        $one->($karma, '127.0.0.3')],
    ['karma-5', '1.3', 'clear', '', 'Hostkarma NOBL',
        $one->($karma, '127.0.0.5')],
    ['karma-quit', '5', 'clear', '', 'Hostkarma: uses QUIT',
        $one->($karma, '127.0.1.1', '127.0.0.3')],
    ['karma-black', '1.3', 'listed', '', 'Hostkarma black, and QUIT',
        $one->($karma, '127.0.0.2', '127.0.1.3')],
    (map { ["spike-$_", '1.3', 'clear', '', "Mailspike .$_: no listing",
        $one->($spike, "127.0.0.$_")] } 13, 14, 16, 17, 20),
    (map { ["spike-$_", '1.3', 'listed', '', "Mailspike .$_: a listing",
        $one->($spike, "127.0.0.$_")] } 2, 12),
    ['dnswl-high', '1.3', 'clear', '', 'DNSWL: trusted',
        { list => 'list.dnswl.org', answer => ['127.0.5.3'],
          positive => '127.0.10.0' }],
    ['spfbl-3', '1.3', 'clear', '', 'SPFBL .3: suspect only',
        $one->('dnsbl.spfbl.net', '127.0.0.3')],
    ['score', '1.3', 'clear', '', 'a score is no listing',
        $one->('score.senderscore.com', '127.0.4.12')],
    ['surbl-bits', '1.3', 'listed', '', 'SURBL: phishing and malware, 24',
        $uribl->('multi.surbl.org', 24, 254)],
    ['surbl-abuse', '1.3', 'listed', '', 'SURBL: abuse, 64',
        $uribl->('multi.surbl.org', 64, 254)],
    ['uribl-black', '1.3', 'listed', '', 'URIBL: black, 2',
        $uribl->('multi.uribl.com', 2, 14)],
    ['uribl-sum', '1.3', 'listed', '', 'URIBL: black and grey, 6',
        $uribl->('multi.uribl.com', 6, 14)],
    ['uribl-test', '1.3', 'clear', '', 'URIBL: the test bit alone',
        $uribl->('multi.uribl.com', 16, 14)],
    ['uribl-white', '5', 'clear', '', 'URIBL white',
        $uribl->('white.uribl.com', 2, 2)],
) }


# Resolvers in between: each spoils or saves something.
sub resolvers { return (
    ['strips-listed', '3.3', 'unknown', 'unhealthy',
        'rebinding protection takes 127/8 away, a listed host',
        { direct => 'listed', via => 'strips', answer => ['127.0.0.2'] }],
    ['strips-clear', '3.3', 'unknown', 'unhealthy',
        'rebinding protection, a host that is not listed',
        { direct => 'clear', via => 'strips' }],
    ['rewrites', '3.2', 'unknown', 'hijacked',
        'a resolver that rewrites NXDOMAIN to its search page',
        { rest => { a => ['203.0.113.80'] } }],
    ['pihole', '3.3', 'unknown', 'hijacked', 'a filter that answers 0.0.0.0',
        { answer => ['0.0.0.0'] }],
    ['forwarder', '3.3', 'unknown', 'hijacked',
        'a captive portal answers everything with itself',
        $wild->('10.0.0.1')],
    ['loopback-filter', '3.3', 'unknown', 'blocked',
        'a filter that answers 127.0.0.1', $wild->('127.0.0.1')],
    ['minimises', '3.3', 'listed', '',
        'QNAME minimisation, rbldnsd answers NXDOMAIN for empty names',
        { via => 'minimises', rbldnsd => "127.0.0.2\n192.0.2.7\n" }],
    ['minimises-strict', '3.3', 'unknown', 'unhealthy',
        'strict QNAME minimisation: a listed host seems clean',
        { direct => 'listed', via => 'strict',
            rbldnsd => "127.0.0.2\n192.0.2.7\n" }],
    ['behind-listed', '6.8', 'listed', '', 'a resolver as it should be',
        { via => 'plain', answer => ['127.0.0.2'] }],
    ['behind-clear', '6.8', 'clear', '', 'the same, a host not on the list',
        { via => 'plain' }],
    ['behind-servfail', '3.3', 'unknown', 'servfail',
        'broken DNSSEC shows as SERVFAIL',
        { via => 'plain', all => 'servfail' }],
    ['resolver-down', '5', 'unknown', 'network timeout',
        'no server listens at the address of the resolver',
        { direct => 'clear', via => 'closed' }],
    ['resolver-mute', '5', 'unknown', 'timeout', 'the resolver is silent',
        { direct => 'clear', via => 'mute' }],
    ['resolver-refuses', '3.2', 'unknown', 'refused',
        'the resolver does not serve us',
        { direct => 'clear', via => 'refuses' }],
    # Lists that fail half a second before others get no excuse.
    ['resolver-to-blame', '6.5', 'unknown', 'resolver resolver+unhealthy',
        'through one resolver no list knows its test entry',
        { direct => 'unknown unhealthy', via => 'plain', all => 'nxdomain',
            lists => 4, zone => 'resolver-to-blame.test' }],
) }


sub transport { return (
    ['servfail', '3.2', 'unknown', 'servfail', 'SERVFAIL for this host',
        { answer => 'servfail' }],
    ['refused', '3.2', 'unknown', 'refused',
        'REFUSED for this host (Abusix, SPFBL)', { answer => 'refused' }],
    ['formerr', '3.2', 'unknown', 'badreply', 'FORMERR for this host',
        { answer => 'formerr' }],
    ['notimp', '3.2', 'unknown', 'badreply', 'NOTIMP for this host',
        { answer => 'notimp' }],
    ['mute', '3.2', 'unknown', 'timeout', 'no answer for this host',
        { answer => 'mute' }],
    ['second-try', '3.3', 'listed', '', 'the first query is lost',
        { answer => ['mute', { a => ['127.0.0.2'] }] }],
    ['truncated', '3.5', 'listed', '', 'truncated, and whole over TCP',
        { answer => { tc => 1, a => ['127.0.0.2'] } }],
    ['truncated-for-good', '3.2', 'unknown', 'truncated timeout network',
        'truncated, and TCP is closed',
        { answer => { tc => 1, tcp => 'close', a => ['127.0.0.2'] } }],
    ['spoofed', '4', 'clear', '',
        'false replies (id, name, type, port) before the right one',
        { answer => { rcode => 'nxdomain',
          first => [qw(id bit name type class port query noise)] } }],
    ['mangled', '4', 'listed', '', 'the response has the question in capitals',
        { answer => { a => ['127.0.0.2'], upper => 1 } }],
    ['cut', '3.2', 'unknown', 'badreply timeout',
        'the reply ends in the middle',
        { answer => { a => ['127.0.0.2'], cut => 50 } }],
    ['no-edns', '3.3', 'listed', '', 'a server that does not know EDNS',
        { answer => { a => ['127.0.0.2'], no_edns => 1 } }],
) }


sub chains {
    my $alias = sub { my ($to, @more) = @_;
        { answer => { more => [[1, '', 'CNAME', $to], @more] } } };
    my $long = sub { my ($n) = @_; $alias->('c1.lab.test',
        map({ [1, "c$_.lab.test", 'CNAME', 'c' . ($_ + 1) . '.lab.test'] }
            1 .. $n - 1), [1, "c$n.lab.test", 'A', '127.0.0.2']) };

    return (
    ['cname', '3.4', 'listed', '', 'an alias that ends in 127/8',
        $alias->('x.other.lab.test', [1, 'x.other.lab.test', 'A',
            '127.0.0.2'])],
    ['cname-parked', '3.4', 'unknown', 'hijacked',
        'an alias that ends at a parking service',
        $alias->('parked.lab.test', [1, 'parked.lab.test', 'A',
            '91.195.240.117'])],
    ['cname-loop', '3.4', 'unknown', 'badreply', 'aliases in a circle',
        $alias->('y.lab.test', [1, 'y.lab.test', 'CNAME', 'z.lab.test'],
            [1, 'z.lab.test', 'CNAME', 'y.lab.test'])],
    ['cname-8', '3.4', 'listed', '', 'eight aliases', $long->(8)],
    ['cname-20', '3.4', 'unknown', 'badreply', 'twenty aliases', $long->(20)],
    ['cname-stray', '3.4', 'clear unknown', '* badreply',
        'an address that no alias leads to',
        { answer => { more => [[1, 'stray.lab.test', 'A', '127.0.0.2']] } }],
    ['dname', '3.4', 'listed', '', 'a renamed tree: DNAME and its CNAME',
        { answer => { more => [
            [1, 'dname.lab.test', 'DNAME', 'new.lab.test'],
            [1, '', 'CNAME', '7.2.0.192.new.lab.test'],
            [1, '7.2.0.192.new.lab.test', 'A', '127.0.0.2']] } }],
) }


sub families { return (
    ['v6-listed', '3.4', 'listed', '', 'IPv6 in nibbles',
        { value => '2001:db8::bad:1', families => ['ipv4', 'ipv6'],
          answer => ['127.0.0.2'] }],
    ['v6-rbldnsd', '3.4', 'listed', '', 'IPv6, a listed /64',
        { value => '2001:DB8:0:0::1', families => ['ipv6'], set => 'ip6trie',
          rbldnsd => "::ffff:7f00:2\n2001:db8::/64\n" }],
    ['v6-clear', '3.4', 'clear', '', 'IPv6, not on the list',
        { value => '2001:db8:1::1', families => ['ipv6'], set => 'ip6trie',
          rbldnsd => "::ffff:7f00:2\n2001:db8::/64\n" }],
    ['v6-no-data', '3.4', 'skipped unknown', '* unhealthy',
        'a list without IPv6 data: its NXDOMAIN means nothing',
        { value => '2001:db8::1', families => ['ipv4', 'ipv6'],
          rule => ['^2\.(0\.){5}f\.7\.' => 'nxdomain'] }],
    ['v6-world', '2', 'unknown', 'unhealthy', 'the world, IPv6',
        { value => '2001:db8::1', families => ['ipv6'],
          all => { a => ['127.0.0.2'] } }],
    ['v6-mapped', '3.4', 'listed', '', 'an IPv4-mapped address is IPv4',
        { value => '::ffff:192.0.2.7', asked => '7.2.0.192',
          answer => ['127.0.0.2'] }],
    ['v6-not-taken', '3.4', 'none', '', 'IPv6 at a list of IPv4: not queried',
        { value => '2001:db8::1', all => { a => ['127.0.0.2'] } }],
    ['ip-at-domains', '3.4', 'none', '', 'an address at a list of domains',
        { list => 'dbl.spamhaus.org', all => { a => ['127.0.1.255'] } }],
) }


sub domains {
    my $long = join('.', map { 'a' x 60 } 1 .. 3) . '.' . 'b' x 50 . '.com';
    my $bad = 'shop.example.com';

    return (
    ['domain-listed', '3.4', 'listed', '', 'the very name is listed',
        { list => 'dbl.spamhaus.org', value => $bad,
          answer => ['127.0.1.2'] }],
    ['domain-clear', '3.4', 'clear', '', 'a name that is not listed',
        { list => 'dbl.spamhaus.org', value => $bad }],
    ['domain-rbldnsd', '3.4', 'listed', '', 'a name below a listed domain',
        { list => 'dbl.nordspam.com', value => 'a.b.example.com',
          set => 'dnset', rbldnsd => "test\n.example.com\n" }],
    ['domain-registered', '3.4', 'listed', '',
        'URIBL holds registered domains only',
        { list => 'multi.uribl.com', value => 'www.shop.example.co.uk',
          asked => 'example.co.uk', answer => ['127.0.0.2'],
          positive => '127.0.0.14' }],
    ['domain-full', '3.4', 'listed', '', 'SURBL holds the full host',
        { list => 'multi.surbl.org', value => 'bad.example.com',
          answer => ['127.0.0.8'], positive => '127.0.0.254' }],
    ['domain-either', '3.4', 'listed', '',
        'SURBL: the registered domain, a host below it is watched',
        { list => 'multi.surbl.org', value => 'www.example.com',
          asked => 'example.com', answer => ['127.0.0.8'],
          positive => '127.0.0.254' }],
    ['domain-private', '3.4', 'clear', '',
        "a neighbour below a private suffix is not the host's domain",
        { list => 'multi.uribl.com', value => 'mine.github.io',
          asked => 'github.io', answer => ['127.0.0.2'],
          positive => '127.0.0.14' }],
    ['domain-half', '3.2', 'unknown', 'servfail',
        'of two names one is clear, the other fails',
        { list => 'multi.surbl.org', value => 'www.example.com',
          asked => 'example.com', answer => 'servfail',
          positive => '127.0.0.254' }],
    ['domain-idn', '3.4', 'listed', '', 'a name with umlauts, as A-label',
        { list => 'dbl.spamhaus.org', value => "b\xc3\xbccher.example",
          asked => 'xn--bcher-kva.example', answer => ['127.0.1.4'] }],
    ['domain-case', '3.4', 'listed', '', 'capitals and a trailing dot',
        { list => 'dbl.spamhaus.org', value => 'Shop.EXAMPLE.com.',
          asked => $bad, answer => ['127.0.1.5'] }],
    ['domain-long', '3.4', 'unknown', 'name',
        'with the zone it is longer than a name may be',
        { list => 'dbl.spamhaus.org', value => $long,
          all => { a => ['127.0.1.2'] } }],
    ['domain-invalid', '3.1', 'unknown', 'unhealthy',
        'a domain list that lists what is below .invalid',
        { list => 'dbl.spamhaus.org', value => $bad,
          answer => ['127.0.1.2'],
          rule => ['\.invalid\.' => { a => ['127.0.1.2'] }] }],
    ['keyed', '3.4', 'listed', '', 'a zone with our key in the name',
        { list => '{key}.zen.dq.spamhaus.net', key => 'k3yk3yk3y',
          answer => ['127.0.0.3'] }],
    ['keyed-refused', '1.2', 'unknown', 'refused',
        'the operator refuses our key (Abusix)',
        { list => '{key}.combined.mail.abusix.zone', key => 'k3yk3yk3y',
          all => 'refused' }],
    ['keyed-over', '1.2', 'unknown', 'blocked', 'a key that is used up',
        { list => '{key}.zen.dq.spamhaus.net', key => 'k3yk3yk3y',
          all => { a => ['127.255.255.255'] } }],
) }

1;
