#!/usr/bin/perl
# The whole system: a host added over HTTP is found on a list and reported by
# listings, webhooks and a callback, and reported again when the list delists
# it.

use strict;
use warnings;

use lib 't/lib';
use RblTest;

my $zone = 'dnsbl.e2e.test';
my $listed = ":127.0.0.2:\$ sends <spam> & more\n127.0.0.2\n";
my $rbldnsd = start_rbldnsd(zones => [
    [$zone, 'ip4set', $listed . "192.0.2.10\n198.51.100.0/28\n"],
    ['uribl.e2e.test', 'dnset', ":127.0.0.2:seen\n.bad.example\n"],
]);
# One more list, whose server never answers.
my $silent = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0,
    Proto => 'udp') or die "udp: $!";
my $unbound = start_unbound(stubs => { $zone => $rbldnsd,
    'uribl.e2e.test' => $rbldnsd, 'silent.e2e.test' => $silent->sockport });
my $redis = start_redis();
my $lists = temp_dir() . '/lists.json';
write_file($lists, <<"JSON");
{ "version": 1, "lists": [
{"zone": "$zone", "name": "E2E", "type": "rbl", "families": ["ipv4"],
 "website": "https://list.example/", "codes": ["127.0.0.2=spam"]},
{"zone": "uribl.e2e.test", "name": "E2E domains", "type": "uribl",
 "families": ["domain"], "codes": ["127.0.0.2=spam"]},
{"zone": "silent.e2e.test", "name": "Silent", "type": "rbl",
 "families": ["ipv4"], "codes": ["127.0.0.2=spam"]}
] }
JSON
init_store($redis, lists => $lists);
my $nginx = start_nginx(store => $redis);
# The timeouts of conf/run.sh.
my $checkd = start_checkd(store => $redis, resolver => $unbound, conf => {
    dns_timeout => '1200ms', dns_tries => 2, check_timeout => '3500ms',
    deliver_http => 'on', deliver_allow => '127.0.0.0/8' });
my $acct = make_account($redis);
my $hooks = start_receiver();
my $calls = start_receiver();
my $wh = json(rblctl($redis, 'webhook', 'add', $acct->{sid}, 'All',
    $hooks->{url}, '--json')->{out});

sub get { return api($nginx, $acct, 'GET', @_) }
sub post { return api($nginx, $acct, 'POST', @_) }
sub text { return http($nginx, 'GET', $_[0], auth => $acct)->{body} }

# Events of a type for a check or a value, as received.
sub events {
    my ($type, $value) = @_;

    return grep { ($_->{json}{event_type} // '') eq $type
        && $_->{json}{host}{host} eq $value } received($hooks);
}

sub checked {
    my ($id) = @_;

    my $data;
    wait_for {
        $data = get("/3.0/check/status/$id.json?details=1")->{data};
        $data->{status} =~ /^(?:completed|failed)$/;
    } 15, "the end of check $id";
    return $data;
}

# nothing is listed yet
is(text('/3.0/listings.nagios'), 'OK - 0 hosts listed!',
    'listings.nagios is OK without a listing');
is(text('/3.0/listings.zabbix'), '0', 'listings.zabbix is 0 without a listing');
is(get('/3.0/listings.json')->{total_listed}, 0,
    'listings has no listed host at first');

# a listed host shows, though a list never answers
my $added = post('/3.0/host/add.json', { host => '192.0.2.10',
    name => 'mail <1> & "2"', type => 'rbl' });
is($added->{status_code}, 200, 'host/add adds the host');
my $ht = $added->{data}[0]{id};
my $l;
wait_for { $l = get('/3.0/listings.json'); @{ $l->{data} } } 15,
    'the listing';
is_deeply([@{ $l->{data}[0] }{qw(id host listed listed_count unknown_count)}],
    [$ht, '192.0.2.10', '1', '1', '1'],
    'the listing has the host and its unknown lists');
is_deeply($l->{data}[0]{listed_details}, [{ host => $zone,
    website => 'https://list.example/',
    details => '192.0.2.10 sends <spam> & more' }],
    'the listing has the list and the reason');
is_deeply([@$l{qw(total_hosts total_listed)}], [1, 1],
    'the totals count the listed host');
is(text('/3.0/listings.nagios'), 'CRITICAL - 1 host listed!',
    'listings.nagios is critical for the listed host');
is(text('/3.0/listings.zabbix'), '1', 'listings.zabbix counts the listed host');

# XML
my $xml = http($nginx, 'GET', '/3.0/listings.xml', auth => $acct);
is($xml->{headers}{'content-type'}, 'application/xml; charset=utf-8',
    'listings.xml has the type of XML');
my $lint = sub {
    return run_cmd({ stdin => $xml->{body} }, 'xmllint', '--noout', '--xpath',
        $_[0], '-');
};
is($lint->('string(/response/data/item/name)')->{out},
    "mail <1> & \"2\"\n", 'XML is well-formed and has the same name');
is($lint->('string(/response/data/item/listed_details/item/details)')->{out},
    "192.0.2.10 sends <spam> & more\n",
    'the XML has the reason of the listing');

# a clear host
post('/3.0/host/add.json', { host => '203.0.113.9', name => 'c',
    type => 'rbl' });
my $clear;
wait_for {
    ($clear) = grep { $_->{host} eq '203.0.113.9' && $_->{last_checked} }
        @{ get('/3.0/hosts.json')->{data} };
} 15, 'the check of the clear host';
is($clear->{listed}, '0', 'a clear host is clear');
is(get('/3.0/listings.json')->{total_listed}, 1,
    'listings does not have the clear host');

# webhook events of the first check
wait_for { events('rbl.host.listed', '192.0.2.10') } 10, 'rbl.host.listed';
my %first = map { $_ => (events("rbl.host.$_", '192.0.2.10'))[0] }
    qw(check.started check.completed listed);
for my $type (sort keys %first) {
    my $e = $first{$type} or next;
    ok(signature_ok($e, $wh->{secret}), "$type is signed");
    like($e->{json}{event_sid}, qr/^EV[0-9a-f]{32}$/, "$type has an id");
    is($e->{headers}{'webhook-id'}, $e->{json}{event_sid},
        "$type has it in the header");
    like($e->{json}{event_date}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/,
        "$type has a date");
    is($e->{json}{host}{id}, $ht, "$type has the host");
}
is(scalar(keys %first), 3, 'the webhook gets started, completed and listed');
my $done = $first{'check.completed'}{json};
is_deeply([$done->{total}, map { $_->{host} } @{ $done->{details} }],
    [1, $zone], 'completed names the list');
ok($done->{listed}, 'the completed event has the listing');
is($first{'check.started'}{json}{check_sid}, $done->{check_sid},
    'the events have the same check');
wait_for { events('rbl.host.check.completed', '203.0.113.9') } 10,
    'completed of the clear host';
is(scalar events('rbl.host.listed', '203.0.113.9'), 0,
    'a clear host is not reported as listed');

# a manual check with details and a callback
my $r = post('/3.0/check/start.json', { host => $ht, details => 1,
    callback => $calls->{url} });
is($r->{status_code}, 200, 'check/start starts a check');
my $pp = $r->{data}{id};
like($pp, qr/^PP[0-9a-f]{64}$/, 'the check has an id');
is($r->{data}{total_count}, 2, 'two lists take an IPv4 address');
my $data = checked($pp);
is_deeply([@$data{qw(status host host_id checked_count total_count
    listed_count unknown_count)}],
    ['completed', '192.0.2.10', $ht, 2, 2, 1, 1],
    'the completed check has its counts');
my %by = map { ($_->{host} => $_) } @{ $data->{details} };
is_deeply([@{ $by{$zone} }{qw(status codes reason error)}],
    ['listed', ['127.0.0.2'], '192.0.2.10 sends <spam> & more', ''],
    'the details of the check have the listing');
is($by{'silent.e2e.test'}{status}, 'unknown', 'the silent list is unknown');
wait_for { received($calls) } 10, 'the callback';
my ($call) = received($calls);
ok(signature_ok($call, $acct->{secret}),
    "the callback is signed with the application's secret");
is($call->{line}, 'POST /hook HTTP/1.1', 'the callback is a POST request');
like($call->{headers}{'content-type'}, qr{^application/json},
    'the callback has a JSON body');
is_deeply([@{ $call->{json} }{qw(event_type check_sid total)}],
    ['rbl.host.check.completed', $pp, 1],
    'the callback has the completed event');
is($call->{json}{host}{id}, $ht, 'the callback has the host');

# one-off values
$r = post('/3.0/check/start.json', { host => 'www.bad.example', details => 1,
    callback => $calls->{url} });
$data = checked($r->{data}{id});
is_deeply([@$data{qw(status host host_id listed_count)}],
    ['completed', 'www.bad.example', '', 1],
    'the check of a one-off domain is completed');
wait_for { @{[received($calls)]} >= 2 } 10, 'its callback';
is_deeply((received($calls))[1]{json}{host}, { host => 'www.bad.example' },
    'the callback of a one-off has only the value');

# the list delists it: reported after the next check
ok(rbldnsd_data($rbldnsd, $zone, $listed . "198.51.100.0/28\n"),
    'the entry is removed');
$data = checked(post('/3.0/check/start.json', { host => $ht })->{data}{id});
ok(!$data->{listed}, 'the next check does not find it');
is(get('/3.0/listings.json')->{total_listed}, 0, 'listings are empty');
is(text('/3.0/listings.nagios'), 'OK - 0 hosts listed!',
    'listings.nagios is OK after the delisting');
wait_for { events('rbl.host.delisted', '192.0.2.10') } 10,
    'rbl.host.delisted';
my ($off) = events('rbl.host.delisted', '192.0.2.10');
ok(signature_ok($off, $wh->{secret}), 'delisted is signed');
is_deeply([$off->{json}{total}, $off->{json}{details}], [0, []],
    'delisted has no details');
ok(!$off->{json}{listed}, 'the delisted event is not listed');
my $n = events('rbl.host.delisted', '192.0.2.10');
$data = checked(post('/3.0/check/start.json', { host => $ht })->{data}{id});
wait_for { events('rbl.host.check.completed', '192.0.2.10') >= 4 } 10,
    'completed of every check';
is(scalar events('rbl.host.delisted', '192.0.2.10'), $n,
    'a delisting is reported once');

# without the resolver nothing is clear and nothing changes
ok(rbldnsd_data($rbldnsd, $zone, $listed . "192.0.2.10\n"),
    'the list has the address again');
checked(post('/3.0/check/start.json', { host => $ht })->{data}{id});
is(get('/3.0/listings.json')->{total_listed}, 1,
    'the next check finds the address again');
stop_server($unbound);
$data = checked(post('/3.0/check/start.json', { host => $ht })->{data}{id});
is_deeply([@$data{qw(status unknown_count)}], ['completed', 2],
    'all lists are unknown without a resolver');
is(get('/3.0/listings.json')->{total_listed}, 1, 'the listing is current');
is(scalar events('rbl.host.delisted', '192.0.2.10'), $n,
    'the loss of the resolver is not a delisting');

# no secret in any log
for my $s ($nginx, $checkd, $redis) {
    for my $file (glob "$s->{dir}/*.log") {
        my $log = read_file($file);
        my @found = grep { index($log, $_) >= 0 } $acct->{token},
            $acct->{secret}, $wh->{secret};
        is(scalar @found, 0, "no secret in $s->{name}'s log");
    }
}

done_testing();
