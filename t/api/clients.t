#!/usr/bin/perl

# The requests of the existing client libraries, byte for byte.

use strict;
use warnings;

use IO::Socket::INET;
use MIME::Base64 qw(encode_base64);
use RblApi;

my $t = api_setup();
my $auth = 'Authorization: Basic '
    . encode_base64("$t->{acct}{sid}:$t->{acct}{token}", '');
my $n = 0;

sub send_raw {
    my ($line, $headers, $body) = @_;

    return http_raw($t->{nginx}, join("\r\n", "$line HTTP/1.1",
        'Host: api.example.test', $auth, @$headers, 'Connection: close', '',
        '') . ($body // ''));
}

like($t->{acct}{sid}, qr/^AC[0-9a-f]{32}$/,
    'the account SID has the format of the clients');
like($t->{acct}{token}, qr/^[0-9a-f]{64}$/,
    'the token has the format of the clients');
my $group = record('chosen', redis($t->{redis}, 'GET',
    redis_key('chosen', $t->{acct}{sid})))->{group};

# --- bodies of fields ------------------------------------------------------

my @forms = (
    ['Node', '/3.0/host/add/.json', ['Content-Type: '
        . 'application/x-www-form-urlencoded', 'Accept: application/json',
        'Accept-Encoding: gzip, deflate'],
        'host=%s&name=mail%%20one&type=rbl&contact_group=' . $group],
    ['Node, list', '/3.0/host/add/.json', ['Content-Type: '
        . 'application/x-www-form-urlencoded'],
        "host=%s&name=mail%%20one&type=rbl&contact_group[0]=$group"],
    ['PHP, curl', '/3.0/host/add.json', ['Content-Type: '
        . 'application/x-www-form-urlencoded', 'Expect: 100-continue'],
        "host=%s&name=mail+one&type=rbl&contact_group%%5B0%%5D=$group"],
    ['PHP, streams', '/3.0/host/add.json', ['Content-type: '
        . 'application/x-www-form-urlencoded'],
        'host=%s&name=mail+one&type=rbl'],
    ['Python', '/3.0/host/add.json', ['Content-Type: '
        . 'application/x-www-form-urlencoded', 'User-Agent: python-requests'],
        "host=%s&name=mail+one&type=rbl&contact_group=$group"],
    ['curl', '/3.0/host/add.json', [],
        'host=%s&name=mail%%20one&type=rbl'],
);
for (@forms) {
    my ($client, $path, $headers, $form) = @$_;
    my $body = sprintf $form, '10.0.0.' . ++$n;
    my $r = send_raw("POST $path", [@$headers,
        'Content-Length: ' . length $body], $body);
    my $v = accepted($r, "$client: host/add is accepted");
    is($v->{data}[0]{name}, 'mail one', "$client: the host has the name");
    is($v->{data}[0]{contact_group}, $group, "$client: the host has the group");
    is($r->{continued} // 0, (grep { /^Expect/ } @$headers) ? 1 : 0,
        "$client: 100 Continue is sent only for Expect");
}

# --- empty bodies ----------------------------------------------------------

my $id = add_host($t, '10.1.0.1')->{id};
for (['Node', ['Content-Length: 0'], ''],
    ['Python', ['Content-Length: 0', 'Content-Type: '
        . 'application/x-www-form-urlencoded'], ''],
    ['PHP, curl', ['Transfer-Encoding: chunked', 'Expect: 100-continue'],
        "0\r\n\r\n"],
    ['PHP, curl, no invitation', ['Transfer-Encoding: chunked'],
        "0\r\n\r\n"],
    ['PHP, streams', [], ''])
{
    my ($client, $headers, $body) = @$_;
    for my $verb (qw(pause resume)) {
        accepted(send_raw("POST /3.0/host/$verb/$id.json", $headers, $body),
            "$client: $verb is accepted");
        is(json(call($t, 'GET', "host/$id.json"))->{data}[0]{status},
            $verb eq 'pause' ? 'paused' : 'active',
            "$client: the host is ${verb}d");
    }
}

# --- checks ----------------------------------------------------------------

my $body = 'host=10.1.0.1&details=1&callback=' . RblTest::Http::escape(
    'https://cb.example.test/done?a=1&b=2');
my $v = accepted(send_raw('POST /3.0/check/start/.json', ['Content-Type: '
    . 'application/x-www-form-urlencoded', 'Content-Length: ' . length $body],
    $body), 'Node: check/start/.json is accepted');
my $pp = $v->{data}{id};
is_deeply(mp_unpack(redis($t->{redis}, 'HGET', redis_key('check',
    $t->{acct}{sid}, $pp), 'callbacks'))->[0][0],
    'https://cb.example.test/done?a=1&b=2',
    'the check has the callback of the client');
accepted(send_raw("GET /3.0/check/status/$pp.json?details=1", []),
    'check/status takes the id in the path');
accepted(send_raw("GET /3.0/check/status.json?id=$pp&details=0", []),
    'check/status takes the id in the query');

# --- lists and spaces ------------------------------------------------------

my @groups = map {
    my $cg = sprintf 'CG%032x', $_;
    redis($t->{redis}, 'SET', redis_key('r', $t->{acct}{sid}, $cg),
        record_pack('group', version => 1, id => $cg, name => "g$_",
            created => 1));
    redis($t->{redis}, 'ZADD', redis_key('groups', $t->{acct}{sid}), $_, $cg);
    $cg;
} 1, 2;
my ($one, $other) = @groups;
for my $list ("contact_group=$one,$other", "contact_group=$one%2C$other",
    "contact_group=$one&contact_group=$other",
    "contact_group[]=$one&contact_group[]=$other",
    "contact_group%5B%5D=$one&contact_group%5B%5D=$other",
    "contact_group[0]=$one&contact_group[1]=$other",
    "contact_group%5B0%5D=$one&contact_group%5B1%5D=$other",
    "contact_group%5b0%5d=$one&contact_group%5b1%5d=$other",
    "contact_group[]=$one,$other", "contact_group=$one&contact_group[]=$other",
    "contact_group=$one&contact_group=%20$other+")
{
    call($t, 'POST', "host/update/$id.json", form => "contact_group=$group");
    accepted(send_raw("POST /3.0/host/update/$id.json", ['Content-Type: '
        . 'application/x-www-form-urlencoded', 'Content-Length: '
        . length $list], $list), substr $list, 0, 30);
    is(json(call($t, 'GET', "host/$id.json"))->{data}[0]{contact_group},
        "$one,$other", 'the host has both groups');
}
for (['a+b', 'a b'], ['a%20b', 'a b'], ['a%2Bb', 'a+b'], ['a%2bb', 'a+b'],
    ['%C3%A9+%e2%82%ac', "\x{e9} \x{20ac}"], ["\xc3\xa9", "\x{e9}"],
    ['a%26b%3Dc', 'a&b=c'], ['+a%20', 'a'], ['a=b', 'a=b'])
{
    my ($wire, $name) = @$_;
    my $form = "name=first&name=$wire";
    accepted(send_raw("POST /3.0/host/update/$id.json", ['Content-Length: '
        . length $form], $form), "the name in name=$wire is accepted");
    is(json(call($t, 'GET', "host/$id.json"))->{data}[0]{name}, $name,
        "the last of two names is read from name=$wire");
}
is(json(send_raw('GET /3.0/hosts.json?page_size=3&page=+2%20', []))->{page},
    2, 'spaces around a number in a query are ignored');

# --- every path, with the slash that some clients write --------------------

# A method that no call has shows that the path is known, and lists its methods.
my %paths = (
    'GET, HEAD' => ['hosts', 'listings', "host/$id", "check/status/$pp",
        'check/status'],
    POST => ['check/start', 'host/add', "host/update/$id", "host/pause/$id",
        "host/resume/$id", "host/delete/$id"],
);
for my $allow (sort keys %paths) {
    for my $path (@{ $paths{$allow} }) {
        for my $end ('', '/', '.json', '/.json', '.xml', '/.xml') {
            my $r = send_raw("PUT /3.0/$path$end", ['Content-Length: 0']);
            is_deeply([$r->{status}, $r->{headers}{allow}], [405, $allow],
                "$path$end allows only $allow");
        }
    }
}
accepted(send_raw("GET /3.0/check/status$_?id=$pp", []),
    "check/status$_?id= is accepted")
    for '', '/', '.json', '/.json';
xml_ok(send_raw("GET /3.0/check/status/.xml?details=1&id=$pp", [])->{body},
    'check/status/.xml?id=');
refused(send_raw('GET /3.0/check/status.json?id=', []), 400, qr/\bid\b/,
    'check/status.json?id= is refused without an id');

# --- XML in each requested form --------------------------------------------

for (["GET /3.0/hosts.xml"], ["GET /3.0/hosts/.xml?page=1"],
    ["GET /3.0/listings.xml"], ["GET /3.0/host/$id.xml"],
    ["GET /3.0/check/status/$pp.xml?details=1"],
    ["POST /3.0/host/pause/$id.xml", 'Content-Length: 0'],
    ["POST /3.0/host/resume/$id/.xml"])
{
    my ($line, @headers) = @$_;
    my $r = send_raw($line, [@headers, 'Accept: application/json']);
    is_deeply([$r->{status}, $r->{headers}{'content-type'}],
        [200, 'application/xml; charset=utf-8'],
        "$line returns XML");
    xml_ok($r->{body}, "$line returns valid XML");
    like($r->{body}, qr{<response><status_code>200</status_code>.*
        <version>3\.6</version>}xs, "$line returns a success in XML");
}

# --- one connection for all ------------------------------------------------

sub keep {
    my ($line, $headers, $body) = @_;

    return join("\r\n", "$line HTTP/1.1", 'Host: api.example.test', $auth,
        @$headers, '', '') . ($body // '');
}

my @kept = (
    [keep('GET /3.0/hosts.json?page_size=1', []), 200],
    [keep("POST /3.0/host/pause/$id.json", ['Content-Length: 0']), 200],
    [keep("POST /3.0/host/resume/$id.json", []), 200],
    [keep("POST /3.0/host/pause/$id.json", ['Transfer-Encoding: chunked'],
        "0\r\n\r\n"), 200],
    [keep('HEAD /3.0/hosts.json', []), 200, 1],
    [keep("POST /3.0/host/update/$id.json", ['Content-Length: 8'],
        'name=one'), 200],
    [keep('GET /3.0/nothing.json', []), 404],
    [keep("POST /3.0/host/update/$id.json", ['Transfer-Encoding: chunked'],
        "4\r\nname\r\n4\r\n=two\r\n0\r\n\r\n"), 200],
    [keep('DELETE /3.0/hosts.json', ['Content-Length: 3'], 'x=y'), 405],
    [keep("POST /3.0/host/resume/$id.json", []), 200],
    [keep("GET /3.0/host/$id.json", []), 200],
    [keep('GET /3.0/listings.zabbix', ['Connection: close']), 200],
);

# Sends all at once, or each after the response to the one before.
for my $once (1, 0) {
    my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $t->{nginx}{port}) or die "connect: $!";
    $s->autoflush(1);
    print {$s} map { $_->[0] } @kept if $once;
    my ($rest, @last) = ('');
    for my $k (@kept) {
        print {$s} $k->[0] if !$once;
        my $r = RblTest::Http::parse_answer($rest, $k->[2]);
        while (!$r->{complete} && sysread $s, $rest, 65536, length $rest) {
            $r = RblTest::Http::parse_answer($rest, $k->[2]);
        }
        $rest = substr $rest, length($r->{head}) + 2
            + ($k->[2] ? 0 : $r->{headers}{'content-length'} // 0);
        is($r->{status}, $k->[1], ($once ? 'pipelined: ' : 'kept alive: ')
            . substr $k->[0], 0, 40) or last;
        push @last, $r;
    }
    is($rest, '', 'each response is as long as its Content-Length');
    is_deeply([@{ json($last[-2])->{data}[0] }{qw(name status)}],
        ['two', 'active'], 'all requests were served, in sequence');
}
is(json(http_raw($t->{nginx}, join("\r\n", 'POST /3.0/host/update/' . $id
    . '.json HTTP/1.0', $auth, 'Content-Length: 6', '', 'name=x')))
    ->{status_code}, 200, 'a form is accepted over HTTP/1.0');

# --- monitoring scripts, by curl itself ------------------------------------

daemon_seen($t);

my $base = "http://127.0.0.1:$t->{nginx}{port}/3.0";
my @curl = ('curl', '-s', '-G', '-u', "$t->{acct}{sid}:$t->{acct}{token}");
is(run_cmd(@curl, "$base/listings.nagios")->{out}, 'OK - 0 hosts listed!',
    'listings.nagios answers curl with OK');
is(run_cmd(@curl, "$base/listings.zabbix")->{out}, '0',
    'listings.zabbix answers curl with 0');
is(run_cmd('curl', '-s', '-G', "$base/listings.nagios")->{out},
    'UNKNOWN - Invalid credentials.',
    'listings.nagios refuses curl without credentials');
is(run_cmd(@curl, '--http1.0', "$base/listings.zabbix")->{out}, '0',
    'listings.zabbix answers curl over HTTP/1.0');
is(json(run_cmd(@curl, '-d', 'page=1', '-d', 'page_size=3',
    "$base/hosts.json")->{out})->{page_size}, 3,
    'a query that curl builds is read');

# --- gzip, when it is on ---------------------------------------------------

my $gzip = start_nginx(store => $t->{redis}, http => 'gzip on;
    gzip_types application/json application/xml; gzip_min_length 20;');
wait_for { http($gzip, 'GET', '/3.0/hosts.json', auth => $t->{acct})
    ->{status} == 200 } 10, 'the store';
for my $format (qw(json xml)) {
    my $out = run_cmd(@curl, '--compressed', '-i',
        "http://127.0.0.1:$gzip->{port}/3.0/hosts.$format")->{out};
    like($out, qr/^Content-Encoding: gzip\r$/m,
        "hosts.$format is compressed with gzip");
    like($out, qr/mail one/, "the compressed hosts.$format has the hosts");
}

# --- HTTP/2 ----------------------------------------------------------------

my $port = free_port();
my $two = start_nginx(store => $t->{redis},
    server => "listen 127.0.0.1:$port http2;");
wait_for { http($two, 'GET', '/3.0/hosts.json', auth => $t->{acct})->{status}
    == 200 } 10, 'the store';
my @two = ('curl', '-s', '--http2-prior-knowledge', '-u',
    "$t->{acct}{sid}:$t->{acct}{token}");
$base = "http://127.0.0.1:$port/3.0";
is(json(run_cmd(@two, "$base/hosts.json")->{out})->{status_code}, 200,
    'HTTP/2 serves a read');
for (['a body-less POST', 'POST', "host/pause/$id.json"],
    ['with a length', 'POST', "host/resume/$id.json", '-d', ''],
    ['XML', 'GET', 'hosts.xml'], ['a slash', 'GET', 'hosts/.json'])
{
    my ($name, $method, $path, @args) = @$_;
    like(run_cmd(@two, '-i', '-X', $method, @args, "$base/$path")->{out},
        qr{\AHTTP/2 200 .*status_code"?[>:]200}s,
        "HTTP/2 serves $method $path ($name)");
}
like(run_cmd(@two, '-I', "$base/hosts.json")->{out},
    qr{\AHTTP/2 200 \r\n.*\r\n\r\n\z}s, 'HTTP/2 serves a HEAD request');
like(run_cmd(@two, '--compressed', "$base/listings.nagios")->{out},
    qr/\AOK - 0 hosts listed!\z/,
    'HTTP/2 serves listings.nagios to a client with gzip');
like(run_cmd(@two[0 .. 2], '-i', "$base/hosts.json")->{out},
    qr{\AHTTP/2 401 .*"Invalid credentials\."}s,
    'HTTP/2 refuses a read without credentials');
my $file = temp_dir() . '/form';
my $sent = 8;
for my $size (0, 1000, 20_000, 65_536, 65_537, 300_000) {
    my $form = 'host=10.8.0.' . ++$n . '&name=n&type=rbl&x=';
    $form .= 'x' x ($size - length $form) if $size > length $form;
    $form = '' if !$size;
    write_file($file, $form);
    for my $length ('', 'Content-Length:') {
        run_cmd(@two, '-H', $length || 'X: y', '--data-binary',
            "\@$file", "$base/host/add.json");
        my $want = !$size ? 400 : $size > 65_536 ? 413
            : $length eq '' ? 200 : 409;

        # Bytes sent: curl does not always show an early response.
        $sent++;
        ok(wait_for {
            my @codes = read_file("$two->{dir}/access.log")
                =~ m{HTTP/2\.0" (\d+) }g;
            @codes == $sent && $codes[-1] == $want;
        } 5, "HTTP/2: $size octets" . ($length && ', length not given'));
    }
}

done_testing();
