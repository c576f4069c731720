#!/usr/bin/perl

# Reads: hosts, host/{id}, listings; paging; every format.

use strict;
use warnings;

use RblApi;

my $t = api_setup(api => 'rbl_max_page_size 50;');

# --- an empty account ------------------------------------------------------

my $v = accepted(call($t, 'GET', 'hosts.json'), 'hosts of an empty account');
is_deeply([@$v{qw(page total_pages page_size total_hosts total_listed)}],
    [1, 0, 20, 0, 0], 'its counters');
is_deeply($v->{data}, [], 'its data');
is($v->{oldest_due}, 0, 'nothing is due');
daemon_seen($t);
is(call($t, 'GET', 'listings.nagios')->{body}, 'OK - 0 hosts listed!',
    'nagios: nothing listed');
is(call($t, 'GET', 'listings.zabbix')->{body}, '0', 'zabbix: nothing listed');

# --- the record ------------------------------------------------------------

my $first = add_host($t, '10.0.0.1', name => '<Ünï & "q">');
my @fields = qw(id host name type parent status rbl_profile contact_group
    last_checked first_listed listed_period listed listed_count
    listed_details next_check unknown_count covered);
my $r = call($t, 'GET', "host/$first->{id}.json");
$v = accepted($r, 'host/{id}');
is_deeply([sort keys %{ $v->{data}[0] }], [sort @fields], 'fields of a host');
my ($order) = $r->{body} =~ /"data":\[\{(.*)\}\]/;
$order =~ s/"listed_details":\[\]/"listed_details":""/;
is_deeply([$order =~ /(?:^|,)"(\w+)":/g], \@fields, 'in their sequence');
is_deeply($v->{data}[0], $first, 'host/add and host/{id} return the same');
is($first->{name}, "<\x{dc}n\x{ef} & \"q\">", 'the name as given');
like($r->{body}, qr/"name":"<\xc3\x9cn\xc3\xaf & \\"q\\">"/, 'UTF-8 unchanged');
is_deeply([grep { /^".*_count":\d|"listed":\d/ } split /,/, $order], [],
    'values are strings');
is_deeply([@$v{qw(page total_pages page_size total_hosts total_listed)}],
    [1, 1, 20, 1, 0], 'envelope of one host');
($order) = $r->{body} =~ /^(\{.*?),"data"/;
is_deeply([$order =~ /"(\w+)":/g], [qw(status_code status_message version page
    total_pages page_size total_hosts total_listed)], 'order of the envelope');
is($v->{status_message}, 'OK', 'message');
accepted(call($t, 'GET', 'host/HT' . uc(substr $first->{id}, 2) . '.json'),
    'an id in upper case');

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
is(scalar keys %text, 1, 'unknown, malformed and foreign ids: one text');

# --- pages -----------------------------------------------------------------

my @hosts = ($first, map { add_host($t, "10.0.1.$_") } 1 .. 44);
my @ids = map { $_->{id} } @hosts;
my @seen;
for my $page (1 .. 3) {
    $v = accepted(call($t, 'GET', "hosts.json?page=$page"), "page $page");
    is_deeply([@$v{qw(page total_pages page_size total_hosts)}],
        [$page, 3, 20, 45], "counters of page $page");
    push @seen, map { $_->{id} } @{ $v->{data} };
}
is_deeply(\@seen, \@ids, 'all hosts, sorted by creation');
for ([4, 20], ['999999999999999999999999999', 20], [2, 45], [46, 1]) {
    my ($page, $size) = @$_;
    $v = accepted(call($t, 'GET', "hosts.json?page=$page&page_size=$size"),
        "page $page of $size");
    is_deeply($v->{data}, [], 'past the end: empty');
}
for ([1, 45, 45, 1], [2, 44, 44, 2], [45, 1, 1, 45], [1, 50, 50, 1],
    [1, 51, 50, 1], [1, 4294967297, 50, 1], [1, '9' x 40, 50, 1],
    ['01', '007', 7, 7])
{
    my ($page, $size, $served, $pages) = @$_;
    $v = accepted(call($t, 'GET', "hosts.json?page_size=$size&page=$page"),
        "page_size $size");
    is($v->{page_size}, $served, "served as $served");
    is($v->{total_pages}, $pages, "$pages pages");
    my $from = ($page - 1) * $served;
    my $to = $from + $served > 45 ? 44 : $from + $served - 1;
    is_deeply([map { $_->{id} } @{ $v->{data} }], [@ids[$from .. $to]],
        'the hosts of that page');
}
for my $field (qw(page page_size)) {
    for my $bad ('0', '-1', '1.5', 'x', '', '%2B1', '1e3', '0x10', '00',
        '1%00', "1%0a2", '%ff', '1%c2%85%31')
    {
        for my $list (qw(hosts listings)) {
            refused(call($t, 'GET', "$list.json?$field=$bad"), 400,
                qr/^Invalid \Q$field\E value/, "$list: $field=$bad");
        }
    }
}
$v = accepted(call($t, 'GET', 'hosts.json?page=x&page=2&nonsense=%00&page'
    . '_size=10'), 'the last value wins, unknown fields are ignored');
is_deeply([@$v{qw(page page_size)}], [2, 10], 'and takes precedence');
$v = accepted(call($t, 'GET', 'hosts.json?page=%20+2%20&page_size=+10'),
    'values are trimmed');
is_deeply([@$v{qw(page page_size)}], [2, 10], 'of blanks');

# --- listings --------------------------------------------------------------

list_host($t, $ids[7], since => (int(time) - 90_061) * 1000, lists => 2);
$v = accepted(call($t, 'GET', 'listings.json'), 'listings: one');
is_deeply([@$v{qw(page total_pages page_size total_hosts total_listed)}],
    [1, 1, 20, 45, 1], 'its counters');
my $l = $v->{data}[0];
is($l->{id}, $ids[7], 'the listed host');
is_deeply([@$l{qw(listed listed_count)}], ['1', '2'], 'it is listed');
like($l->{listed_period}, qr/^1 day 01:01:0\d$/, 'for a day and a bit');
like($l->{$_}, qr/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/, $_)
    for qw(last_checked first_listed);
is_deeply($l->{listed_details}, [map { { host => "list$_.test",
    website => "https://list$_.test/", details => "why $_ & <so>" } } 1, 2],
    'listed_details');
$r = call($t, 'GET', 'listings.nagios');
is($r->{body}, 'CRITICAL - 1 host listed!', 'nagios: one');
is($r->{status}, 200, 'its status');
like($r->{headers}{'content-type'}, qr{^text/plain}, 'its type');
is($r->{headers}{'cache-control'}, 'no-store', 'not cacheable');
list_host($t, $ids[$_]) for 1, 2, 3, 30;
is(call($t, 'GET', 'listings.nagios')->{body}, 'CRITICAL - 5 hosts listed!',
    'nagios: several');
is(call($t, 'GET', 'listings.zabbix')->{body}, '5', 'zabbix: several');
$v = accepted(call($t, 'GET', 'listings.json?page_size=2&page=2'),
    'listings: a page');
is_deeply([map { $_->{id} } @{ $v->{data} }], [@ids[3, 7]],
    'sorted by creation');
is_deeply([@$v{qw(total_pages total_hosts total_listed)}], [3, 45, 5],
    'counters of listings');
$v = accepted(call($t, 'GET', 'hosts.json'), 'hosts');
is($v->{total_listed}, 5, 'total_listed in hosts');
is(accepted(call($t, 'GET', "host/$ids[0].json"), 'host')->{total_listed}, 5,
    'total_listed in host');

accepted(call($t, 'POST', "host/pause/$ids[1].json"), 'pause a listed host');
is(call($t, 'GET', 'listings.zabbix')->{body}, '4', 'it does not show');
is(accepted(call($t, 'GET', 'hosts.json'), 'hosts')->{total_listed}, 4,
    'nor count');
is(accepted(call($t, 'GET', "host/$ids[1].json"), 'host')->{data}[0]{listed},
    '1', 'but keeps its state');
accepted(call($t, 'POST', "host/resume/$ids[1].json"), 'resume it');
is(call($t, 'GET', 'listings.zabbix')->{body}, '5', 'it shows again');

# --- formats ---------------------------------------------------------------

for my $path ('hosts', 'listings', "host/$ids[7]", 'hosts/', 'listings/') {
    my $json = call($t, 'GET', "$path.json");
    my $none = call($t, 'GET', $path);
    is(json($none)->{status_code}, 200, "$path: no suffix is JSON");
    is(length $none->{body}, length $json->{body}, 'of the same size');
    my $xml = call($t, 'GET', "$path.xml");
    is($xml->{headers}{'content-type'}, 'application/xml; charset=utf-8',
        "$path.xml: type");
    xml_ok($xml->{body}, "$path.xml is well-formed");
    like($xml->{body}, qr{<response><status_code>200</status_code>
        <status_message>OK</status_message><version>3\.6</version>
        <page>1</page>.*<data><item><id>HT}x, "$path.xml: content");
    for my $format ('.json', '.xml') {
        my $head = call($t, 'HEAD', $path . $format);
        is($head->{status}, 200, "HEAD $path$format");
        is($head->{raw} =~ /\r\n\r\n(.*)/s ? $1 : undef, '', 'without a body');
        is($head->{headers}{'content-length'},
            length(($format eq '.xml' ? $xml : $json)->{body}),
            'with the length of it');
    }
}
like(call($t, 'GET', "host/$ids[0].xml")->{body},
    qr{<name>&lt;\xc3\x9cn\xc3\xaf &amp; (?:&quot;|")q(?:&quot;|")&gt;</name>},
    'XML is escaped');
refused(call($t, 'GET', "hosts.txt"), 404, qr/^Unknown path\.$/, 'hosts.txt');
like(call($t, 'GET', 'hosts.nagios')->{body}, qr/^UNKNOWN - Unknown path\.$/,
    'hosts.nagios');

# --- a page of the largest size, in more than one buffer -------------------

my @many = add_host($t, '10.9.0.0/25', name => 'x' x 255);
is(scalar @many, 128, 'a /25 added');
$v = accepted(call($t, 'GET', 'hosts.json?page_size=50&page=2'), 'long page');
is(scalar @{ $v->{data} }, 50, 'of 50');
xml_ok(call($t, 'GET', 'hosts.xml?page_size=50&page=2')->{body},
    'the same in XML');

done_testing();
