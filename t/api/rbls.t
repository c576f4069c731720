#!/usr/bin/perl

# rbls, rbl/{id}, add, update, pause, resume, delete: system lists are
# read-only; the account's own lists follow them.

use strict;
use warnings;

use RblApi;

my $t = api_setup(lists => 1);
my $redis = $t->{redis};
my $ac = $t->{acct}{sid};
my $p = partition_of($ac);

sub rbl { return json(call($t, 'GET', "rbl/$_[0].json"))->{data}[0] }
sub post { return call($t, 'POST', "rbl/$_[0].json",
    $_[1] ? (form => $_[1]) : ()) }
sub add {
    my ($host, $type) = @_;

    return accepted(post('add', { type => $type // 'rbl', host => $host }),
        "add $host")->{data};
}
sub list {
    my ($size) = @_;

    return json(call($t, 'GET', 'rbls.json?page_size=' . ($size // 1000)));
}

my @system = @{ redis($redis, 'ZRANGE', redis_key('lists:active', $p), 0, -1) };
my %catalogue = map { $_->{zone} => $_ } @{ json(read_file(repo_dir()
    . '/conf/lists.json'))->{lists} };
my $theirs = do {
    local $t->{acct} = $t->{other};
    add('theirs.test')->{id};
};

# --- the system's ----------------------------------------------------------

my $v = accepted(call($t, 'GET', 'rbls.json?page_size=1000'), 'rbls');
is(join(' ', map { $v->{$_} } qw(status_code status_message version page
    total_pages page_size total_rbls)), "200 OK 3.6 1 1 1000 " . @system,
    'rbls has the envelope of one page');
is_deeply([map { $_->{id} } @{ $v->{data} }], \@system,
    'rbls has the active system lists in their order');
for my $l (@{ $v->{data} }) {
    my $c = $catalogue{ $l->{host} };
    my $good = $c && $c->{enabled} && $l->{custom} == 0
        && $l->{status} eq 'active' && "@{ $l->{families} }"
        eq join ' ', grep { my $f = $_; grep { $_ eq $f } @{ $c->{families} } }
            qw(ipv4 ipv6 domain);
    ok($good && !grep({ $l->{$_} ne $c->{$_} } qw(type name website)),
        "$l->{host} matches the catalogue");
}
my $sys = $v->{data}[0];
my $r = call($t, 'GET', "rbl/$sys->{id}.json");
like($r->{body}, qr/"total_rbls":\d+,"data":\[\{"id":"RB\w+","type":"u?r\w+",
    "host":"[\w.]+","custom":0,"status":"active","name":"[^"]+",
    "website":"[^"]*","families":\["[\w",]+"\],"health":"[^"]*"\}\]\}\z/x,
    'the fields of a list are in their sequence');
is_deeply(accepted($r, 'rbl/{id}')->{data}, [$sys],
    'rbl/{id} returns one list');
is(rblctl($redis, 'lists', 'disable', $sys->{host})->{status}, 0,
    'rblctl disables a system list');
is(list()->{total_rbls}, @system - 1, 'a disabled list is not counted');
is(rbl($sys->{id})->{status}, 'disabled', 'a request by its id returns it');
is(rblctl($redis, 'lists', 'enable', $sys->{host})->{status}, 0,
    'rblctl enables the system list again');
is_deeply([map { $_->{id} } @{ list()->{data} }], \@system,
    'all are back, in their sequence');

# --- add -------------------------------------------------------------------

$v = accepted(post('add', { type => 'rbl', host => ' DNSBL.Ours.TEST. ' }),
    'add');
is($v->{status_message}, 'RBL added successfully.',
    'rbl/add says that the list is added');
my $own = $v->{data};
like($own->{id}, qr/^RB[0-9a-f]{32}$/, 'a new list has an id');
is_deeply($own, { id => $own->{id}, type => 'rbl', host => 'dnsbl.ours.test',
    custom => 1, status => 'active', name => 'dnsbl.ours.test', website => '',
    families => ['ipv4', 'ipv6'], health => '' },
    'rbl/add returns the new list');
is_deeply(rbl($own->{id}), $own, 'the same when it is read');
my $uri = add("b\xc3\xbccher.example", 'uribl');
is_deeply([@$uri{qw(host families)}], ['xn--bcher-kva.example', ['domain']],
    'a name is stored as A-labels');
is_deeply([map { $_->{id} } @{ list()->{data} }],
    [@system, $own->{id}, $uri->{id}],
    'custom lists come behind the system lists');
is(list()->{total_rbls}, @system + 2, 'custom lists are counted');
is(json(call($t, 'GET', 'rblprofiles.json'))->{data}[0]{total_entries},
    scalar @system, 'the default profile does not follow them');

# --- refusals --------------------------------------------------------------

my %bad = (
    type => ['', 'ip_range', 'RBL', 'rbl,uribl', "\0", 'x' x 1000],
    host => ['', '192.0.2.1', '2001:db8::1', '192.0.2.0/24', 'localhost',
        'a..test', '-a.test', 'a-.test', 'x' x 64 . '.test', 'a b.test',
        "a.test\0", "a.test\n.x", '%s%n.test/', 'a.test/x', 'http://a.test',
        'a.test:53', "\xff.test", join('.', ('x' x 60) x 5),
        '{key}.dq.test', '1.2.3.4.5', '*.test', '.'],
);
unchanged {
    refused(post('add', { host => 'x.test' }), 400, qr/^No type value/,
        'an add without a type is refused');
    refused(post('add', { type => 'rbl' }), 400, qr/^No host value/,
        'an add without a host is refused');
    my %good = (type => 'rbl', host => 'x.test');
    for my $field (sort keys %bad) {
        for my $value (@{ $bad{$field} }) {
            my $what = "$field " . unpack 'H*', substr $value, 0, 20;
            refused(post('add', { %good, $field => $value }), 400,
                qr/^(?:Invalid|No) $field value provided\. Please try/,
                "an add with this field is refused: $what");
            refused(post("update/$own->{id}", { $field => $value }), 400,
                qr/^Invalid $field value provided\. Please try again\.$/,
                "an update with this field is refused: $what");
        }
    }
    for my $zone (qw(db.prod.corp 10.in-addr.arpa resolver.arpa a.local
        a.LOCALHOST. a.invalid a.onion a.home.arpa a.internal))
    {
        my ($top) = lc($zone) =~ /(\w+)\.?$/;
        my $why = qr/^Invalid\ host\ value\ provided\.\ A\ custom\ RBL\ cannot
            \ be\ in\ "$top",\ which\ \w/x;
        refused(post('add', { %good, host => $zone }), 400, $why,
            "an add of $zone in a reserved zone is refused");
        refused(post("update/$own->{id}", { host => $zone }), 400, $why,
            "an update to $zone in a reserved zone is refused");
    }
    my $exists = qr/^The account has this RBL already\.$/;
    refused(post('add', { type => 'rbl', host => 'dnsbl.OURS.test' }), 409,
        $exists, 'a list cannot be added twice');
    refused(post('add', { type => $sys->{type}, host => $sys->{host} }), 409,
        $exists, 'an add of a system list is refused');
    refused(post("update/$own->{id}", { host => $uri->{host},
        type => 'uribl' }), 409, $exists,
        'an update to another custom list is refused');
    refused(post("update/$own->{id}", { host => $sys->{host},
        type => $sys->{type} }), 409, $exists,
        'an update to a system list is refused');
    my %text;
    for my $id (sid_of('RB'), $theirs, 'RB1', 'x', "$own->{id}0",
        sid_of('HT'), '%ff', '%01')
    {
        my @r = (call($t, 'GET', "rbl/$id.json"),
            map { post("$_/$id", $_ eq 'update' ? { host => 'y.test' } : ()) }
            qw(update pause resume delete));
        refused($_, 404, qr/^Invalid rbl id provided\.$/,
            "the list $id is not found") for @r;
        $text{ $_->{body} }++ for @r;
    }
    is(scalar keys %text, 1, 'all refusals of an id have the same text');
    for my $verb (qw(update pause resume delete)) {
        refused(post("$verb/$sys->{id}", $verb eq 'update'
            ? { host => 'y.test' } : ()), 403,
            qr/^A system RBL cannot be changed\.$/,
            "rbl/$verb of a system list is refused");
        refused(post($verb), 404, qr/rbl id/,
            "rbl/$verb without an id is refused");
        $r = call($t, 'GET', "rbl/$verb/$own->{id}.json");
        is("$r->{status} $r->{headers}{allow}", '405 POST',
            "GET rbl/$verb is refused with 405");
    }
    accepted(post("update/$own->{id}", {}),
        'an update without fields is accepted');
    accepted(post("update/$own->{id}", { type => 'rbl',
        host => 'dnsbl.ours.test' }),
        'an update to the same values is accepted');
} $t, 'refusals';

# --- update, pause, resume -------------------------------------------------

$v = accepted(post("update/$own->{id}", { host => 'New.test' }), 'update');
is_deeply($v, { status_code => 200, version => '3.6',
    status_message => 'RBL updated successfully.' },
    'rbl/update returns no data');
is_deeply([@{ rbl($own->{id}) }{qw(host name type)}],
    ['new.test', 'new.test', 'rbl'], 'rbl/update changes the host');
accepted(post("update/$own->{id}", { type => 'uribl' }),
    'an update of the type is accepted');
is_deeply([@{ rbl($own->{id}) }{qw(host type families)}],
    ['new.test', 'uribl', ['domain']], 'rbl/update changes the type');
for my $try (['pause', 'paused'], ['pause', 'paused'], ['resume', 'active'],
    ['resume', 'active'])
{
    my ($verb, $status) = @$try;
    $v = accepted(post("$verb/$own->{id}"),
        "rbl/$verb is accepted");
    is($v->{status_message}, "RBL ${verb}d successfully.",
        "rbl/$verb says that the list is ${verb}d");
    is(rbl($own->{id})->{status}, $status, "the list is $status after $verb");
}
accepted(post("pause/$own->{id}"), 'an active list can be paused');
is(scalar(grep { $_->{id} eq $own->{id} && $_->{status} eq 'paused' }
    @{ list()->{data} }), 1, 'a paused one is in the list');

# --- paging over both ------------------------------------------------------

add("p$_.test") for 1 .. 11;
my @all = map { $_->{id} } @{ list()->{data} };
is(scalar @all, @system + 13, 'rbls has all lists of the account');
for my $size (1, 7, scalar @system, @system - 1, @system + 1, 1000) {
    my (@seen, %page);
    my $pages = int((@all + $size - 1) / $size);
    for my $page (1 .. $pages + 1) {
        next if $size == 1 && $page > 3 && abs($page - @system) > 2
            && $page < @all - 1;
        $v = json(call($t, 'GET', "rbls.json?page=$page&page_size=$size"));
        my @ids = map { $_->{id} } @{ $v->{data} };
        my $from = ($page - 1) * $size;
        my $to = $from + $size - 1;
        $to = $#all if $to > $#all;
        is_deeply([@ids, @$v{qw(page page_size total_pages total_rbls)}],
            [@all[$from .. $to], $page, $size, $pages, scalar @all],
            "page $page of $size has its lists");
    }
}
refused(call($t, 'GET', "rbls.json?$_"), 400, qr/^Invalid page/,
    "rbls.json?$_ is refused")
    for 'page=0', 'page=', 'page_size=x';
is_deeply(accepted(call($t, 'GET', 'rbls.json?page=' . '9' x 40),
    'a page far past the end')->{data}, [], 'a page far past the end is empty');

# --- XML -------------------------------------------------------------------

$r = call($t, 'GET', "rbl/$own->{id}.xml");
xml_ok($r->{body}, 'rbl/{id}.xml is valid XML');
like($r->{body}, qr{<data><item><id>$own->{id}</id><type>uribl</type>
    <host>new.test</host><custom>1</custom><status>paused</status>
    <name>new.test</name><website></website>
    <families><item>domain</item></families><health></health>
    </item></data></response>}x, 'rbl/{id}.xml has all fields');
xml_ok(call($t, 'GET', 'rbls.xml')->{body}, 'rbls.xml is valid XML');
$r = call($t, 'POST', 'rbl/add.xml', form => { type => 'rbl',
    host => 'xml.test' });
xml_ok($r->{body}, 'rbl/add.xml returns valid XML');
like($r->{body}, qr{<data><id>RB\w+</id><type>rbl</type>},
    'rbl/add.xml returns the new list');
$r = call($t, 'POST', "rbl/pause/$sys->{id}.xml");
is($r->{status}, 403, 'rbl/pause.xml of a system list is refused');
xml_ok($r->{body}, 'is XML');

# --- profiles, checks ------------------------------------------------------

my $profile = accepted(call($t, 'POST', 'rblprofile/add.json', form => {
    name => 'own', entries => "$own->{id},$uri->{id},$sys->{id}",
    is_default => 1 }), 'a profile')->{data};
$v = accepted(call($t, 'POST', 'check/start.json',
    form => { host => 'example.org', details => 1 }), 'a one-off')->{data};
is_deeply([map { [@$_{qw(id custom host)}] } grep { $_->{custom} }
    @{ $v->{rbls} }], [[$uri->{id}, 1, $uri->{host}]],
    'queries the custom list that is not paused');
$v = accepted(post("delete/$uri->{id}"), 'delete');
is($v->{status_message}, 'RBL deleted successfully.',
    'rbl/delete says that the list is deleted');
refused(call($t, 'GET', "rbl/$uri->{id}.json"), 404, qr/rbl id/,
    'a deleted list is not found');
refused(post("delete/$uri->{id}"), 404, qr/rbl id/,
    'a list cannot be deleted twice');
is_deeply(json(call($t, 'GET', "rblprofile/$profile->{id}.json"))
    ->{data}[0]{entries}, [$own->{id}, $sys->{id}],
    'a deleted list leaves the profile');

# --- limit -----------------------------------------------------------------

my $n = list()->{total_rbls} - @system;
post('add', { type => 'rbl', host => "l$_.test" }) for $n + 1 .. 200;
is(list()->{total_rbls}, @system + 200,
    'the account has two hundred custom lists');
unchanged {
    refused(post('add', { type => 'rbl', host => 'more.test' }), 409,
        qr/^An account may have at most 200 custom RBLs\.$/,
        'a list beyond the limit is refused');
} $t, 'the limit';
is(scalar @{ list()->{data} }, @system + 200, 'all are shown');

# --- accounts without access -----------------------------------------------

my $free = { %$t, acct => make_account($redis, free => 1) };
unchanged {
    my %text;
    for my $path ('rbls.json', 'rbls.json?page=x', "rbl/$sys->{id}.json",
        'rbl/x.json')
    {
        $r = call($free, 'GET', $path);
        refused($r, 403, qr/paid plan/, "a free account may not read $path");
        $text{ $r->{body} }++;
    }
    for my $path ('add', map { ("$_/$sys->{id}", "$_/x") }
        qw(update pause resume delete))
    {
        for my $form ({}, { type => 'rbl', host => 'free.test' }) {
            $r = call($free, 'POST', "rbl/$path.json", form => $form);
            refused($r, 403, qr/paid plan/,
                "a free account may not call $path");
            $text{ $r->{body} }++;
        }
    }
    is(scalar keys %text, 1,
        'all refusals of a free account have the same text');
} $t, 'a free account';
is(call($t, 'GET', $_, auth => undef)->{status}, 401,
    "$_ is refused without credentials")
    for 'rbls.json', "rbl/$sys->{id}.json";

# --- killed lists, unexpected contents of the store ------------------------

my $killed = temp_dir() . '/killed.json';
write_file($killed, JSON::XS->new->encode({ version => 1, lists => [],
    killed => [{ zone => $sys->{host}, reason => 'gone' }] }));
is(rblctl($redis, 'lists', 'load', $killed)->{status}, 0, 'a list is killed');
refused(call($t, 'GET', "rbl/$sys->{id}.json"), 404, qr/rbl id/,
    'a killed list is not found');
refused(post("pause/$sys->{id}"), 404, qr/rbl id/,
    'a killed list cannot be paused');

my $key = redis_key('r', $ac, $own->{id});
redis($redis, 'SET', $key, 'x');
is(call($t, 'GET', "rbl/$own->{id}.json")->{status}, 500,
    'a list with an invalid record is refused');
is(scalar @{ list()->{data} }, @system - 1 + 199,
    'a page leaves out a list with an invalid record');
redis($redis, 'DEL', $key);
is(scalar @{ list()->{data} }, @system - 1 + 199,
    'a page leaves out a list without a record');

# --- source addresses of checks --------------------------------------------

sub acls { return accepted(call($t, 'GET', "acls.json"), 'acls') }

is_deeply(acls(), { status_code => 200, status_message => 'OK',
    version => '3.6', total_acls => 0, data => [] }, 'no daemon has been here');
my $checkd = start_checkd(store => $redis, resolver => 9, conf => {
    source_address => ['2001:DB8:0::1', '192.0.2.9'], deliver => 'off' });
ok((wait_for { @{ acls()->{data} } == 2 } 10),
    'a daemon reports its addresses');
chomp(my $host = `hostname`);
my $two = [{ host => $host, ip => '192.0.2.9' },
    { host => $host, ip => '2001:db8::1' }];
is_deeply(acls()->{data}, $two, 'acls has host and address');
is(acls()->{total_acls}, 2, 'acls counts both addresses');
my $again = start_checkd(store => $redis, resolver => 9, conf => {
    source_address => ['192.0.2.9', '198.51.100.7'], deliver => 'off' });
ok((wait_for { @{ acls()->{data} } == 3 } 10),
    'another daemon reports its addresses');
is_deeply(acls()->{data}, [$two->[0], { host => $host,
    ip => '198.51.100.7' }, $two->[1]], 'acls has each address once in order');
$r = call($t, 'GET', 'acls.xml');
xml_ok($r->{body}, 'XML');
like($r->{body}, qr{<total_acls>3</total_acls><data><item><host>[^<]+</host>
    <ip>192.0.2.9</ip></item>}x, 'acls.xml has the host and the address');
is(call($t, 'POST', 'acls.json')->{status}, 405, 'acls is refused with POST');
is(call($t, 'GET', 'acls.json', auth => undef)->{status}, 401,
    'acls is refused without credentials');
accepted(call($free, 'GET', 'acls.json'), 'acls is served to a free account');

# An address that was not reported for a day is removed at the next report.
my $addr = redis_key('daemons:addr', $p);
redis($redis, 'ZADD', $addr, 1, "192.0.2.200 gone");
is(acls()->{total_acls}, 4, 'acls still has an address of long ago');
ok(stop_server($_), 'a daemon ends') for $checkd, $again;
start_checkd(store => $redis, resolver => 9, conf => {
    source_address => '203.0.113.1', deliver => 'off' });
ok((wait_for { acls()->{total_acls} == 4 && !grep { $_->{host} eq 'gone' }
    @{ acls()->{data} } } 10), 'an old address is removed at the next report');
redis($redis, 'DEL', $addr);
redis($redis, 'ZADD', $addr, 1, "\xff<&> ", 2, 'x', 3, '');
$r = call($t, 'GET', 'acls.xml');
xml_ok($r->{body}, 'nonsense in the store is written as text');

done_testing();
