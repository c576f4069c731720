#!/usr/bin/perl

# check/start and check/status: fields, states, details, JSON and XML.

use strict;
use warnings;

use RblApi;

my $t = api_setup(lists => 1, api => 'rbl_check_keep 1h;');
my $redis = $t->{redis};
my $ac = $t->{acct}{sid};

sub start { return call($t, 'POST', 'check/start.json', form => [@_]) }
sub status { return call($t, 'GET', "check/status/$_[0].json" . ($_[1] // '')) }

my $h = add_host($t, '192.0.2.1');
my $d = add_host($t, 'example.test', type => 'uribl');
my ($range, @kids) = add_host($t, '10.5.0.0/30', type => 'ip_range');
my $theirs = do {
    local $t->{acct} = $t->{other};
    add_host($t, '192.0.2.1');
};

# --- wrong -----------------------------------------------------------------

unchanged {
    my $bad = qr/^Invalid host value provided\. Please try again\.$/;
    refused(start(), 400, qr/\bhost\b/, 'a check without a host is refused');
    refused(start(host => $_), 400, qr/\bhost\b/,
        'a check of a blank host is refused') for '', ' ';
    my %text;
    for my $host ('10.0.0.0/24', '10.0.0', 'localhost', '1.2.3.4.', 'x' x 3000,
        sid_of('HT'), $theirs->{id}, 'HT12', sid_of('RP'), "\0", "\xff",
        "192.0.2.1\0", 'http://a.test', '::g')
    {
        my $r = start(host => $host);
        refused($r, 400, $bad, 'host ' . substr $host, 0, 40);
        $text{$r->{body}}++;
    }
    is(scalar keys %text, 1, 'all refusals of a host have the same text');
    refused(start(host => $_), 400, $bad,
        "a check of $_ is refused for its last label")
        for '192.0.2.1O', '192.0.2.1_24', 'example.c0m';
    refused(start(host => $_), 400, qr/written as a subnet/,
        "a check of $_ is refused with a hint")
        for '192.0.2.10-20', '192.0.2.x', '2001:db8::1-2001:db8::f';
    refused(start(host => $range->{id}), 400,
        qr/A range is checked by its addresses\. Provide the id of one of/,
        'a check of a whole range is refused');
    for my $url ('x', 'ftp://a.test/', '//a.test/', 'http://', 'http:///x',
        'http://u:p@a.test/', 'http://a.test/#f', 'http://a.test:0/',
        'http://a.test:65536/', 'http://a b.test/', "http://a.test/\x01",
        'http://a.test/' . 'x' x 2048, 'javascript:alert(1)',
        "http://a.test/\r\nX: y", "\0", "http://\xff/")
    {
        refused(start(host => '192.0.2.1', callback => $url), 400,
            qr/^Invalid callback value provided\. Please try again\.$/,
            'callback ' . substr $url, 0, 30);
    }
    for my $flag ('', '2', '-1', 'yes', 'TRUE', '01', "1\0", 'on') {
        refused(start(host => '192.0.2.1', details => $flag), 400,
            qr/^Invalid details value/, "check/start refuses details=$flag");
        (my $escaped = $flag) =~ s/\0/%00/;
        refused(status(sid_of('PP'), "?details=$escaped"), 400,
            qr/^Invalid details value/,
            "check/status refuses details=$escaped");
    }
    for my $id (sid_of('PP'), 'PP1', 'x', sid_of('HT'), sid_of('PP') . '0') {
        refused(status($id), 404, qr/^Invalid check id provided\.$/,
            "check/status/$id is not found");
        refused(call($t, 'GET', "check/status.json?id=$id"), 404,
            qr/^Invalid check id provided\.$/,
            "check/status.json?id=$id is refused");
    }
    for ('', '?id=', '?id=%20', '?details=1') {
        refused(call($t, 'GET', "check/status.json$_"), 400, qr/\bid\b/,
            "check/status.json$_ without an id is refused");
        refused(call($t, 'GET', "check/status/.json$_"), 400, qr/\bid\b/,
            "check/status/.json$_ without an id is refused");
    }
    is(call($t, 'GET', 'check/start.json')->{headers}{allow}, 'POST',
        'check/start allows only POST');
    is(call($t, 'POST', 'check/status/' . sid_of('PP') . '.json')
        ->{headers}{allow}, 'GET, HEAD',
        'check/status allows only GET and HEAD');
} $t, 'bad checks';

# --- one-offs --------------------------------------------------------------

for (['192.0.2.7', '192.0.2.7'], ['2001:DB8:0:0::1', '2001:db8::1'],
    ['::ffff:192.0.2.8', '192.0.2.8'], [' Example.TEST. ', 'example.test'])
{
    my $v = accepted(start(host => $_->[0]), "start $_->[1]")->{data};
    is_deeply([sort keys %$v], [qw(host id status total_count)],
        'the response of check/start has four fields');
    is_deeply([@$v{qw(host status)}], [$_->[1], 'queued'],
        "check/start queues a check of $_->[1]");
    like($v->{id}, qr/^PP[0-9a-f]{64}$/, "the check of $_->[1] has an id");
    cmp_ok($v->{total_count}, '>', 0, "some lists apply to $_->[1]");
    my $s = accepted(status($v->{id}), 'its status')->{data};
    is_deeply($s, { id => $v->{id}, status => 'queued', host => $_->[1],
        host_id => '', started => '', completed => '', checked_count => 0,
        total_count => $v->{total_count}, listed => JSON::XS::false(),
        listed_count => 0, unknown_count => 0, covered => 1 },
        'the status of a queued check has all fields');
    my $k = redis_key('check', $ac, $v->{id});
    cmp_ok(redis($redis, 'PTTL', $k), '>', 365 * 86_400_000,
        'a check is kept until it is finished');
    is(redis($redis, 'HGET', $k, 'keep'), 3_600_000,
        'a check records the time of rbl_check_keep');
}
is(json(call($t, 'GET', 'hosts.json'))->{total_hosts}, 7, 'no host was added');

# --- hosts -----------------------------------------------------------------

my $r = start(host => 'HT' . uc(substr $h->{id}, 2), details => 'true',
    callback => 'https://cb.test:8443/x?y=1');
my $v = accepted($r, 'start a host')->{data};
is(scalar @{ $v->{rbls} }, $v->{total_count},
    'check/start with details returns each list');
is_deeply([sort keys %{ $v->{rbls}[0] }], [qw(custom host id type)],
    'a list in rbls has four fields');
like($v->{rbls}[0]{id}, qr/^RB[0-9a-f]{32}$/, 'a list in rbls has an id');
like($r->{body}, qr/^\{"status_code":200,"status_message":"OK","version":"3.6",
    "data":\{"id":"PP\w+","status":"queued","host":"192.0.2.1",
    "total_count":\d+,"rbls":\[\{"id":"RB\w+","type":"rbl","custom":0,
    "host":"[^"]+"\}[],]/x, 'check/start returns its fields in their sequence');
my $again = accepted(start(host => $h->{id}, callback => 'http://cb.test/2'),
    'start it again')->{data};
is($again->{id}, $v->{id}, 'a second start returns the queued check');
is_deeply([map { $_->[0] } @{ mp_unpack(redis($redis, 'HGET',
    redis_key('check', $ac, $v->{id}), 'callbacks')) }],
    ['https://cb.test:8443/x?y=1', 'http://cb.test/2'],
    'the check has both callbacks');
is(redis($redis, 'LLEN', redis_key('manual', $ac)), 5,
    'each check has one job in the queue');
accepted(start(host => $kids[0]{id}),
    'a check of a child of a range is started');
is(accepted(start(host => $d->{id}), 'start a uribl host')->{data}{host},
    'example.test', 'the check of a uribl host has its value');
accepted(call($t, 'POST', "host/pause/$kids[1]{id}.json"),
    'host/pause pauses a host');
accepted(start(host => $kids[1]{id}), 'a paused host can be checked');
accepted(start(host => '192.0.2.1', callback => ''),
    'an empty callback is accepted');
accepted(start(host => '192.0.2.1', callback => 'http://a.test/'
    . 'x' x 2034), 'a callback of 2,048 octets is accepted');

# --- states, as the daemon writes them -------------------------------------

my $pp = $v->{id};
my $ck = redis_key('check', $ac, $pp);
redis($redis, 'HSET', $ck, 'status', 'running', 'started', 1479261693000,
    'checked', 5, 'listed', 1, 'unknown', 2);
my $s = accepted(status($pp), 'running')->{data};
is_deeply([@$s{qw(status started completed checked_count listed listed_count
    unknown_count)}], ['running', '2016-11-16 02:01:33 UTC', '', 5,
    JSON::XS::true(), 1, 2], 'the status of a running check shows its counts');
is($s->{host_id}, $h->{id}, 'the status has the id of the host');
is_deeply(accepted(status($pp, '?details=1'), 'details while it runs')
    ->{data}{details}, [], 'a running check has no details yet');

my @results = (
    [sid_of('RB'), 'rbl', 0, 'a.test', 'https://a.test/', 'listed',
        ['127.0.0.2', '127.0.0.3'], 'https://a.test/?ip=192.0.2.1',
        "why <&> \"q\"", '', 12],
    [sid_of('RB'), 'rbl', 1, 'b.test', '', 'unknown', [], '', '', 'timeout',
        5000],
);
redis($redis, 'HSET', $ck, 'status', 'completed', 'completed', 1479261699000,
    'checked', 29, 'message', '');
redis($redis, 'SET', "$ck:d", mp_pack([@results]));
$s = accepted(status($pp, '?details=true'), 'completed')->{data};
is($s->{completed}, '2016-11-16 02:01:39 UTC',
    'the status has the time of completion');
is_deeply($s->{details}[0], { id => sid_of('RB'), type => 'rbl', custom => 0,
    host => 'a.test', website => 'https://a.test/', status => 'listed',
    codes => ['127.0.0.2', '127.0.0.3'],
    details => 'https://a.test/?ip=192.0.2.1', reason => "why <&> \"q\"",
    error => '', response_ms => 12 }, 'an item of the details has all fields');
is($s->{details}[1]{error}, 'timeout',
    'an item without a response has an error');
ok(!exists $s->{message}, 'a completed check has no message');
is_deeply(accepted(call($t, 'GET', "check/status.json?details=1&id=PP"
    . uc substr $pp, 2), 'check/status.json?id=')->{data}, $s,
    'check/status.json?id= returns the same status');
ok(!exists accepted(status($pp, '?details=0'), 'details=0')->{data}{details},
    'details=0 returns no details');
my $xml = call($t, 'GET', "check/status/$pp.xml?details=1")->{body};
xml_ok($xml, 'check/status returns valid XML');
like($xml, qr{<details><item><id>RB.*?<codes><item>127\.0\.0\.2</item>
    <item>127\.0\.0\.3</item></codes>}x, 'the details in XML have both codes');
xml_ok(call($t, 'POST', 'check/start.xml', form => { host => '192.0.2.1',
    details => 1 })->{body}, 'check/start returns valid XML');

redis($redis, 'HSET', $ck, 'status', 'failed', 'message', 'No list applies.');
$r = status($pp, '?details=1');
is(accepted($r, 'failed')->{data}{message}, 'No list applies.',
    'a failed check has the reason');
like($r->{body}, qr/\],"message":"No\ list\ applies\.","details_kept":1,
    "covered":1\}\}$/x,
    'the message comes after the details');
redis($redis, 'SET', "$ck:d", 'garbage');
accepted(status($pp, '?details=1'), 'a check with damaged details is shown');
redis($redis, 'DEL', "$ck:d");
is(accepted(status($pp, '?details=1'), 'none')->{data}{details_kept}, 1,
    'details_kept is 1 for a check without details');
redis($redis, 'HSET', $ck, 'details', 1);
$s = accepted(status($pp, '?details=1'), 'details that were removed')->{data};
is_deeply($s->{details}, [], 'removed details are an empty list');
is($s->{details_kept}, 0, 'the response shows that the details were removed');
ok(!exists accepted(status($pp), 'not requested')->{data}{details_kept},
    'a status without details has no flag of them');
redis($redis, 'DEL', $ck);
refused(status($pp), 404, qr/check id/, 'an expired check is not found');

# --- another account's check -----------------------------------------------

my $mine = accepted(start(host => '192.0.2.55'), 'start')->{data}{id};
{
    local $t->{acct} = $t->{other};
    refused(status($mine), 404, qr/^Invalid check id provided\.$/,
        'the check of another account is not found');
}

# --- as many as the plan allows --------------------------------------------

{
    local $t->{acct} = make_account($redis, args => ['--max-checks', 2]);
    my ($host) = add_host($t, '192.0.2.1');
    accepted(start(host => '192.0.2.1'),
        'the first check of a day is accepted');
    my $pp = accepted(start(host => $host->{id}), 'the second')->{data}{id};
    unchanged {
        refused(start(host => '192.0.2.2'), 409,
            qr/^The plan allows at most 2 checks a day\.$/,
            'the third check of a day is refused');
    } $t, 'a check too many';
    is(accepted(start(host => $host->{id}), 'one that is queued')->{data}{id},
        $pp, 'a start of a queued check beyond the limit returns it');
}

done_testing();
