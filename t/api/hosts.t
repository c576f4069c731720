#!/usr/bin/perl

# Reads: hosts, host/{id}, listings; paging; every format.

use strict;
use warnings;

use RblApi;

my $t = api_setup(api => 'rbl_max_page_size 50;');

# --- an empty account ------------------------------------------------------

my $v = accepted(call($t, 'GET', 'hosts.json'),
    'hosts of an empty account are served');
is_deeply([@$v{qw(page total_pages page_size total_hosts total_listed)}],
    [1, 0, 20, 0, 0], 'an empty account has the counters of an empty list');
is_deeply($v->{data}, [], 'an empty account has no hosts');
is($v->{oldest_due}, 0, 'nothing is due');
daemon_seen($t);
is(call($t, 'GET', 'listings.nagios')->{body}, 'OK - 0 hosts listed!',
    'listings.nagios is OK without a listing');
is(call($t, 'GET', 'listings.zabbix')->{body}, '0',
    'listings.zabbix is 0 without a listing');

# --- the record ------------------------------------------------------------

my $first = add_host($t, '10.0.0.1', name => '<Ünï & "q">');
my ($described) = read_file(repo_dir() . '/conf/openapi.json')
    =~ /^ {6}"Host": \{\n(.*?)^ {6}\}/ms;
my @fields = $described =~ /^ {10}"(\w+)": \{/mg;
cmp_ok(scalar @fields, '>', 15, 'openapi.json describes the fields of a host');
my $r = call($t, 'GET', "host/$first->{id}.json");
$v = accepted($r, 'host/{id} is served');
is_deeply([sort keys %{ $v->{data}[0] }], [sort @fields],
    'host/{id} returns all described fields');
my ($order) = $r->{body} =~ /"data":\[\{(.*)\}\]/;
$order =~ s/"listed_details":\[\]/"listed_details":""/;
is_deeply([$order =~ /(?:^|,)"(\w+)":/g], \@fields,
    'the fields of a host are in their sequence');
is_deeply($v->{data}[0], $first, 'host/add and host/{id} return the same');
is($first->{name}, "<\x{dc}n\x{ef} & \"q\">",
    'the response has the name as given');
like($r->{body}, qr/"name":"<\xc3\x9cn\xc3\xaf & \\"q\\">"/,
    'the UTF-8 of a name is unchanged');
is_deeply([grep { /^".*_count":\d|"listed":\d/ } split /,/, $order], [],
    'the values of a host are strings');
is_deeply([@$v{qw(page total_pages page_size total_hosts total_listed)}],
    [1, 1, 20, 1, 0], 'host/{id} has the counters of one host');
($order) = $r->{body} =~ /^(\{.*?),"data"/;
is_deeply([$order =~ /"(\w+)":/g], [qw(status_code status_message version page
    total_pages page_size total_hosts total_listed)],
    'the fields of the envelope are in their sequence');
is($v->{status_message}, 'OK', 'the message of a read is OK');
accepted(call($t, 'GET', 'host/HT' . uc(substr $first->{id}, 2) . '.json'),
    'an id in upper case is accepted');

# --- unknown, malformed, foreign: the same ---------------------------------

my $foreign = do {
    local $t->{acct} = $t->{other};
    add_host($t, '10.0.0.1');
};
my %text;
for my $id (sid_of('HT'), $foreign->{id}, 'HT12', 'HT' . 'g' x 32,
    "$first->{id}0", substr($first->{id}, 2), sid_of('RP'), 'add', 'x%20y',
    'HT%01', '%ff%fe')
{
    $r = call($t, 'GET', "host/$id.json");
    refused($r, $id eq 'add' ? 405 : 404, $id eq 'add' ? qr/POST/
        : qr/^Invalid host id provided\.$/, "host id $id");
    $text{$r->{body}}++ if $id ne 'add';
}
is(scalar keys %text, 1,
    'unknown, malformed and foreign ids have the same refusal');

# --- pages -----------------------------------------------------------------

my @hosts = ($first, map { add_host($t, "10.0.1.$_") } 1 .. 44);
my @ids = map { $_->{id} } @hosts;
my @seen;
for my $page (1 .. 3) {
    $v = accepted(call($t, 'GET', "hosts.json?page=$page"),
        "page $page of hosts is served");
    is_deeply([@$v{qw(page total_pages page_size total_hosts)}],
        [$page, 3, 20, 45], "page $page has the right counters");
    push @seen, map { $_->{id} } @{ $v->{data} };
}
is_deeply(\@seen, \@ids, 'the pages have all hosts sorted by creation');
for ([4, 20], ['999999999999999999999999999', 20], [2, 45], [46, 1]) {
    my ($page, $size) = @$_;
    $v = accepted(call($t, 'GET', "hosts.json?page=$page&page_size=$size"),
        "page $page of $size is served");
    is_deeply($v->{data}, [], 'a page past the end is empty');
}
for ([1, 45, 45, 1], [2, 44, 44, 2], [45, 1, 1, 45], [1, 50, 50, 1],
    [1, 51, 50, 1], [1, 4294967297, 50, 1], [1, '9' x 40, 50, 1],
    ['01', '007', 7, 7])
{
    my ($page, $size, $served, $pages) = @$_;
    $v = accepted(call($t, 'GET', "hosts.json?page_size=$size&page=$page"),
        "page_size $size is accepted");
    is($v->{page_size}, $served, "page_size $size is served as $served");
    is($v->{total_pages}, $pages, "page_size $size makes $pages pages");
    my $from = ($page - 1) * $served;
    my $to = $from + $served > 45 ? 44 : $from + $served - 1;
    is_deeply([map { $_->{id} } @{ $v->{data} }], [@ids[$from .. $to]],
        "page $page of $size has its hosts");
}
for my $field (qw(page page_size)) {
    for my $bad ('0', '-1', '1.5', 'x', '', '%2B1', '1e3', '0x10', '00',
        '1%00', "1%0a2", '%ff', '1%c2%85%31')
    {
        for my $list (qw(hosts listings)) {
            refused(call($t, 'GET', "$list.json?$field=$bad"), 400,
                qr/^Invalid \Q$field\E value/,
                "$list with $field=$bad is refused");
        }
    }
}
$v = accepted(call($t, 'GET', 'hosts.json?page=x&page=2&nonsense=%00&page'
    . '_size=10'), 'the last value wins, unknown fields are ignored');
is_deeply([@$v{qw(page page_size)}], [2, 10],
    'the last value of a field is used');
$v = accepted(call($t, 'GET', 'hosts.json?page=%20+2%20&page_size=+10'),
    'values are trimmed');
is_deeply([@$v{qw(page page_size)}], [2, 10],
    'blanks around a value are ignored');

# --- listings --------------------------------------------------------------

list_host($t, $ids[7], since => (int(time) - 90_061) * 1000, lists => 2);
$v = accepted(call($t, 'GET', 'listings.json'),
    'listings of one host are served');
is_deeply([@$v{qw(page total_pages page_size total_hosts total_listed)}],
    [1, 1, 20, 45, 1], 'listings counts one listed host');
my $l = $v->{data}[0];
is($l->{id}, $ids[7], 'listings has the listed host');
is_deeply([@$l{qw(listed listed_count)}], ['1', '2'],
    'the host is listed by two lists');
like($l->{listed_period}, qr/^1 day 01:01:0\d$/,
    'the listed period is a little over one day');
like($l->{$_}, qr/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
    "$_ is a time in UTC")
    for qw(last_checked first_listed);
is_deeply($l->{listed_details}, [map { { host => "list$_.test",
    website => "https://list$_.test/", details => "why $_ & <so>" } } 1, 2],
    'listed_details has both lists');
$r = call($t, 'GET', 'listings.nagios');
is($r->{body}, 'CRITICAL - 1 host listed!',
    'listings.nagios is critical for one host');
is($r->{status}, 200, 'listings.nagios has status 200');
like($r->{headers}{'content-type'}, qr{^text/plain},
    'listings.nagios is plain text');
is($r->{headers}{'cache-control'}, 'no-store',
    'listings.nagios must not be cached');
list_host($t, $ids[$_]) for 1, 2, 3, 30;
is(call($t, 'GET', 'listings.nagios')->{body}, 'CRITICAL - 5 hosts listed!',
    'listings.nagios counts several hosts');
is(call($t, 'GET', 'listings.zabbix')->{body}, '5',
    'listings.zabbix counts several hosts');
$v = accepted(call($t, 'GET', 'listings.json?page_size=2&page=2'),
    'a page of listings is served');
is_deeply([map { $_->{id} } @{ $v->{data} }], [@ids[3, 7]],
    'listings are sorted by creation');
is_deeply([@$v{qw(total_pages total_hosts total_listed)}], [3, 45, 5],
    'a page of listings has the right counters');
$v = accepted(call($t, 'GET', 'hosts.json'), 'hosts');
is($v->{total_listed}, 5, 'hosts.json has total_listed');
is(accepted(call($t, 'GET', "host/$ids[0].json"), 'host')->{total_listed}, 5,
    'host/{id} has total_listed');

accepted(call($t, 'POST', "host/pause/$ids[1].json"),
    'a listed host can be paused');
is(call($t, 'GET', 'listings.zabbix')->{body}, '4',
    'listings.zabbix does not count a paused host');
is(accepted(call($t, 'GET', 'hosts.json'), 'hosts')->{total_listed}, 4,
    'total_listed does not count a paused host');
is(accepted(call($t, 'GET', "host/$ids[1].json"), 'host')->{data}[0]{listed},
    '1', 'a paused host keeps its listing');
accepted(call($t, 'POST', "host/resume/$ids[1].json"),
    'a listed host can be resumed');
is(call($t, 'GET', 'listings.zabbix')->{body}, '5',
    'listings.zabbix counts the resumed host');

# --- formats ---------------------------------------------------------------

for my $path ('hosts', 'listings', "host/$ids[7]", 'hosts/', 'listings/') {
    my $json = call($t, 'GET', "$path.json");
    my $none = call($t, 'GET', $path);
    is(json($none)->{status_code}, 200, "$path: no suffix is JSON");
    is(length $none->{body}, length $json->{body},
        "$path has the same size without a suffix");
    my $xml = call($t, 'GET', "$path.xml");
    is($xml->{headers}{'content-type'}, 'application/xml; charset=utf-8',
        "$path.xml has the type of XML");
    xml_ok($xml->{body}, "$path.xml is well-formed");
    like($xml->{body}, qr{<response><status_code>200</status_code>
        <status_message>OK</status_message><version>3\.6</version>
        <page>1</page>.*<data><item><id>HT}x,
        "$path.xml has the envelope and the data");
    for my $format ('.json', '.xml') {
        my $head = call($t, 'HEAD', $path . $format);
        is($head->{status}, 200, "HEAD $path$format is served");
        is($head->{raw} =~ /\r\n\r\n(.*)/s ? $1 : undef, '',
            "HEAD $path$format has no body");
        is($head->{headers}{'content-length'},
            length(($format eq '.xml' ? $xml : $json)->{body}),
            "HEAD $path$format has the length of the body");
    }
}
like(call($t, 'GET', "host/$ids[0].xml")->{body},
    qr{<name>&lt;\xc3\x9cn\xc3\xaf &amp; (?:&quot;|")q(?:&quot;|")&gt;</name>},
    'XML is escaped');
refused(call($t, 'GET', "hosts.txt"), 404, qr/^Unknown path\.$/,
    'hosts.txt is an unknown path');
like(call($t, 'GET', 'hosts.nagios')->{body}, qr/^UNKNOWN - Unknown path\.$/,
    'hosts.nagios is an unknown path');

# --- a page of the largest size, in more than one buffer -------------------

my @many = add_host($t, '10.9.0.0/25', name => 'x' x 255);
is(scalar @many, 128, 'a /25 adds 128 hosts');
$v = accepted(call($t, 'GET', 'hosts.json?page_size=50&page=2'),
    'a long page is served');
is(scalar @{ $v->{data} }, 50, 'a page of 50 long names is served');
xml_ok(call($t, 'GET', 'hosts.xml?page_size=50&page=2')->{body},
    'a long page is valid XML');

done_testing();
