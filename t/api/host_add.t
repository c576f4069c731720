#!/usr/bin/perl

# host/add: every field right and wrong, subnets, ranges, limits.

use strict;
use warnings;

use RblApi;

my $t = api_setup(api => 'rbl_max_expand 256;');
my $acct = record('chosen', redis($t->{redis}, 'GET',
    redis_key('chosen', $t->{acct}{sid})));
my $foreign = record('chosen', redis($t->{redis}, 'GET',
    redis_key('chosen', $t->{other}{sid})));

sub add { return call($t, 'POST', 'host/add.json', form => [@_]) }

my @good = (host => '192.0.2.99', name => 'n', type => 'rbl');

sub with {
    my ($field, @values) = @_;

    my %form = @good;
    delete $form{$field};
    return (%form, map { ($field => $_) } @values);
}

# --- wrong -----------------------------------------------------------------

my $invalid = sub { qr/^Invalid $_[0] value provided\. Please try again\./ };

unchanged {
    for my $field (qw(host name type)) {
        refused(add(with($field)), 400, qr/\b$field\b/,
            "host/add without $field is refused");
        refused(add(with($field, '')), 400, qr/\b$field\b/,
            "host/add with an empty $field is refused");
        refused(add(with($field, "  \t ")), 400, qr/\b$field\b/,
            "host/add with a blank $field is refused");
        for (["\0", 'NUL'], ["a\0b", 'NUL inside'], ["a\x01b", 'control'],
            ["a\nb", 'line feed'], ["a\x7fb", 'DEL'], ["\xff\xfe", 'not UTF-8'],
            ["a\xc2\x80b", 'C1'], ["\xc0\xaf", 'overlong'],
            ["\xed\xa0\x80", 'surrogate'], ["\xf4\x90\x80\x80", 'too high'],
            ["a\xe2\x82", 'cut short'])
        {
            refused(add(with($field, $_->[0])), 400, $invalid->($field),
                "host/add with a bad $field is refused: $_->[1]");
        }
    }
    refused(call($t, 'POST', 'host/add.json'), 400, qr/\bhost\b/,
        'host/add without a body is refused');

    refused(add(with(name => 'x' x 256)), 400, $invalid->('name'),
        'a name of 256 characters is refused');
    refused(add(with(name => "\xc3\xa9" x 256)), 400, $invalid->('name'),
        'a name of 256 characters of two octets is refused');

    for my $type (qw(RBL rbls ip_Range ip-range uri 0 1), 'rbl,uribl',
        "rbl\x{301}")
    {
        refused(add(with(type => $type)), 400, $invalid->('type'),
            'type ' . length $type);
    }

    my %bad = (
        rbl => ['256.1.1.1', '1.2.3', '1.2.3.4.5', '01.2.3.4',
            '1.2.3.4:25', 'fe80::1%eth0', ':::', '2001:db8::g',
            '12345', 'localhost', 'a..b', '-a.test', 'a-.test', 'a b.test',
            'http://a.test/', 'a.test/24', 'user@a.test', '*.a.test',
            'a.123', '.', 'a.test,b.test', ('a' x 64) . '.test',
            join('.', ('a' x 60) x 5), 'x' x 3000, '10.0.0.0/33',
            '10.0.0.0/-1', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/08',
            '/24', '10.0.0/24', '10.0.0.0/255.255.255.0', '2001:db8::/129',
            '::ffff:10.0.0.0/120', '10.0.0.0/2x', sid_of('HT')],
        uribl => ['10.0.0.1', '10.0.0.0/30', '2001:db8::1', 'localhost',
            'http://a.test/', 'a..b', 'x' x 3000, '1.2.3.4.'],
        ip_range => ['10.0.0.1', '2001:db8::1', 'a.test', '10.0.0.0/33',
            'nonsense', '10.0.0.1/32', '2001:db8::1/128', '10.0.0.0'],
    );
    for my $type (sort keys %bad) {
        for my $host (@{ $bad{$type} }) {
            my $show = length $host > 50 ? length $host : $host;
            refused(add(host => $host, name => 'n', type => $type), 400,
                $invalid->('host'), "the $type host $show is refused");
        }
    }
    for my $type (qw(rbl uribl ip_range)) {
        for my $host ('192.0.2.10-20', '192.0.2.0-255', '192.0.2.x',
            '192.0.2.*', '192.0.*.*', '192.0.2.10-192.0.2.20',
            '192.0.2.10 - 192.0.2.20', '192.0.0-3.1', '2001:db8::1-2001:db8::f')
        {
            refused(add(host => $host, name => 'n', type => $type), 400,
                qr{^Invalid host .* written as a subnet, such as \d},
                "the $type host $host is refused with a hint");
        }
        next if $type eq 'ip_range';
        for my $host ('192.0.2.1O', '192.0.2.1_24', '198.51.100.5-eth0',
            'example.c0m', 'example.a-b', 'a.xn--a', 'example.com1')
        {
            refused(add(host => $host, name => 'n', type => $type), 400,
                qr/^Invalid host value provided\. Please try again\.$/,
                "the $type host $host is refused for its last label");
        }
    }
    for my $type (qw(rbl ip_range)) {
        for (['10.0.0.1/24', '10.0.0.0/24'], ['10.0.3.0/23', '10.0.2.0/23'],
            ['2001:db8::1/120', '2001:db8::/120'],
            ['255.255.255.255/0', '0.0.0.0/0'])
        {
            refused(add(host => $_->[0], name => 'n', type => $type), 400,
                qr{^Invalid host value .*\Q$_->[1]\E\b},
                "the $type host $_->[0] with host bits is refused");
        }
        for ('10.0.0.0/23', '0.0.0.0/0', '10.0.0.0/8', '::/0',
            '2001:db8::/119', '2001:db8::/64')
        {
            refused(add(host => $_, name => 'n', type => $type), 400,
                qr{^Invalid host value .*\b256\b}, "$type: $_ is too large");
        }
    }

    for (['rbl_profile', 'RP', $foreign->{profile}],
        ['contact_group', 'CG', $foreign->{group}])
    {
        my ($field, $kind, $theirs) = @$_;
        my %text;
        for my $value (sid_of($kind), $theirs, "${kind}1", 'x', sid_of('HT'),
            $theirs . '0', lc $theirs)
        {
            my $r = add(@good, $field => $value);
            refused($r, 400, $invalid->($field),
                "host/add with $field=$value is refused");
            $text{$r->{body}}++;
        }
        is(scalar keys %text, 1, "all refusals of $field have the same text");
    }
    refused(add(@good, contact_group => "$acct->{group},$acct->{group}"), 400,
        $invalid->('contact_group'), 'two groups in one field are refused');
    refused(add(@good, contact_group => $acct->{group},
        contact_group => $acct->{group}), 400, $invalid->('contact_group'),
        'two fields with a group are refused');
    for my $raw ('host=%', 'host=%4', 'host=%zz') {
        refused(call($t, 'POST', 'host/add.json', form => $raw), 400,
            $invalid->('host'), "the invalid encoding $raw is refused");
    }
    refused(call($t, 'POST', 'host/add.json', form => 'host=1.2.3.4&na%=x'
        . '&x=%&type=rbl'), 400, qr/^No name value/,
        'an invalid name is no parameter');
} $t, 'bad fields';

# --- right -----------------------------------------------------------------

sub added {
    my ($want, $name, @form) = @_;

    my $r = add(@form);
    my $v = accepted($r, $name);
    is($v->{data}[0]{host}, $want, "$name: the value is $want");
    return $v;
}

my $v = added('10.10.10.10', 'an address', host => '10.10.10.10',
    name => ' mail one ', type => 'rbl');
is($v->{status_message}, 'Host added successfully.',
    'host/add says that the host is added');
my $h = $v->{data}[0];
is($h->{name}, 'mail one', 'the name is trimmed');
is_deeply([@$h{qw(type parent status listed listed_count)}],
    ['rbl', '', 'active', '0', '0'], 'a new host is active and not listed');
is($h->{rbl_profile}, $acct->{profile}, 'a new host has the default profile');
is($h->{contact_group}, $acct->{group}, 'a new host has the default group');
like($h->{id}, qr/^HT[0-9a-f]{32}$/, 'a new host has an id');
ok(defined redis($t->{redis}, 'ZSCORE', redis_key('due', $t->{acct}{sid}),
    $h->{id}),
    'the first check of a new host is due');

for (['2001:DB8:0::00:1', '2001:db8::1'], ['::FFFF:10.10.10.11', '10.10.10.11'],
    ['127.0.0.1', '127.0.0.1'], [' 10.10.10.12 ', '10.10.10.12'],
    ['10.10.10.13/32', '10.10.10.13'], ['2001:db8::2/128', '2001:db8::2'],
    ['0.0.0.0', '0.0.0.0'], ['Mail.Example.TEST.', 'mail.example.test'],
    ['_dmarc.example.test', '_dmarc.example.test'],
    ["b\xc3\xbccher.example", 'xn--bcher-kva.example'],
    ["fa\xc3\x9f.example", 'xn--fa-hia.example'],
    ['XN--LS8H.la', 'xn--ls8h.la'], ['1-20.example', '1-20.example'],
    ['192.0.2.10-20.example.com', '192.0.2.10-20.example.com'],
    ['mail.xn--p1ai', 'mail.xn--p1ai'])
{
    my $w = added($_->[1], "rbl: $_->[1]", host => $_->[0], name => 'n',
        type => 'rbl');
    is(scalar @{ $w->{data} }, 1, "the value $_->[1] adds one host");
    is($w->{status_message}, 'Host added successfully.',
        "the message for $_->[1] is in the singular");
    refused(add(host => $_->[1], name => 'm', type => 'rbl'), 409, qr/already/,
        "the value $_->[1] is refused a second time");
}
$v = added('mail.example.test', 'the same as uribl',
    host => 'MAIL.example.test', name => 'n', type => 'uribl');
is($v->{data}[0]{type}, 'uribl', 'a name can be added as uribl too');
added('10.11.0.1', 'name of 255 characters', host => '10.11.0.1',
    name => "\x{1f4e7}" x 255, type => 'rbl');
added('10.11.0.2', 'SIDs in upper case', host => '10.11.0.2', name => 'n',
    type => 'rbl', rbl_profile => 'RP' . uc substr($acct->{profile}, 2),
    contact_group => 'CG' . uc substr($acct->{group}, 2));
$v = added('10.11.0.3', 'empty options', host => '10.11.0.3', name => 'n',
    type => 'rbl', rbl_profile => '', contact_group => '');
is($v->{data}[0]{rbl_profile}, $acct->{profile},
    'an empty profile gives the default profile');
added('10.11.0.4', 'the last value wins', host => 'x', host => '10.11.0.4',
    name => 'n', type => 'x', type => 'rbl');
added('10.11.0.5', 'unknown fields', host => '10.11.0.5', name => 'n',
    type => 'rbl', id => 'x', parent => "\0", 'y' x 500 => 'z');
is(added('10.11.0.6', 'a name of digits', host => '10.11.0.6', name => '0',
    type => 'rbl')->{data}[0]{name}, '0', 'a name of digits is a string');

# --- subnets ---------------------------------------------------------------

sub totals {
    my $all = json(call($t, 'GET', 'hosts.json'));
    return $all->{total_hosts};
}

my $before = totals();
my $r = add(host => '198.51.100.0/24', name => 'net', type => 'rbl');
$v = accepted($r, 'a /24 is accepted as rbl');
is($v->{status_message}, 'Hosts added successfully.',
    'the message for a subnet is in the plural');
is(scalar @{ $v->{data} }, 256, 'a /24 adds 256 hosts');
is_deeply([map { $_->{host} } @{ $v->{data} }],
    [map { "198.51.100.$_" } 0 .. 255], 'a /24 adds each address');
is_deeply([grep { $_->{name} ne 'net' || $_->{parent} ne ''
    || $_->{type} ne 'rbl' } @{ $v->{data} }], [],
    'the hosts of a subnet have no parent');
is(totals(), $before + 256, 'total_hosts counts the hosts of a subnet');
refused(add(host => '198.51.100.0/24', name => 'net', type => 'rbl'), 409,
    qr/already/, 'a subnet without a new address is refused');
accepted(call($t, 'POST', "host/delete/$v->{data}[9]{id}.json"),
    'a host of the subnet is deleted');
$v = accepted(add(host => '198.51.100.0/28', name => 'net', type => 'rbl'),
    'a subnet is accepted if one address is missing');
is_deeply([map { $_->{host} } @{ $v->{data} }], ['198.51.100.9'],
    'the expansion adds the missing address');

$before = totals();
$r = add(host => '198.51.100.0/24', name => 'R', type => 'ip_range');
refused($r, 409, qr/already/, 'a range is refused if all addresses exist');
is(totals(), $before, 'the refused range adds no host');

$v = accepted(add(host => '203.0.113.0/24', name => 'R', type => 'ip_range'),
    'a /24 is accepted as ip_range');
is(scalar @{ $v->{data} }, 257, 'the response has the range and 256 children');
my ($range, @kids) = @{ $v->{data} };
is_deeply([@$range{qw(host name type parent)}],
    ['203.0.113.0/24', 'R', 'ip_range', ''], 'the range comes first');
is_deeply([grep { $_->{parent} ne $range->{id} || $_->{type} ne 'rbl'
    || $_->{name} ne "R $_->{host}" } @kids], [],
    'the children have the id and the name of their range');
is(totals(), $before + 257, 'total_hosts counts both');
refused(add(host => '203.0.113.0/24', name => 'R', type => 'ip_range'), 409,
    qr/already/, 'a range is refused a second time');
refused(add(host => '203.0.113.7', name => 'x', type => 'rbl'), 409,
    qr/already/, 'an address of a range is refused as a host');

$v = accepted(add(host => '2001:db8:1::/126', name => 'six', type => 'rbl'),
    'an IPv6 subnet is accepted');
is_deeply([map { $_->{host} } @{ $v->{data} }],
    [map { "2001:db8:1::$_" } '', 1 .. 3], 'an IPv6 subnet adds each address');
$v = accepted(add(host => '10.77.0.0/31', name => 'p', type => 'ip_range'),
    'the smallest range is accepted');
is(scalar @{ $v->{data} }, 3, 'the smallest range adds three hosts');

# --- the plan's limit, all or none -----------------------------------------

my $small = make_account($t->{redis}, args => ['--max-hosts', 5]);
{
    local $t->{acct} = $small;
    accepted(add(host => '10.1.0.0/30', name => 'n', type => 'rbl'),
        'four of five hosts are added');
    unchanged {
        refused(add(host => '10.2.0.0/31', name => 'n', type => 'rbl'), 409,
            qr/\b5\b/, 'two hosts are refused if the plan has one left');
        refused(add(host => '10.2.0.0/31', name => 'n', type => 'ip_range'),
            409, qr/\b5\b/, 'a range is refused if the plan has one host left');
    } $t, 'over the limit';
    accepted(add(host => '10.2.0.0', name => 'n', type => 'rbl'),
        'the fifth of five hosts is added');
    refused(add(host => '10.2.0.1', name => 'n', type => 'rbl'), 409,
        qr/\b5\b/, 'the sixth of five hosts is refused');
}

done_testing();
