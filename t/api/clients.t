#!/usr/bin/perl

# The wire forms of the client libraries that exist, byte for byte.

use strict;
use warnings;

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

like($t->{acct}{sid}, qr/^AC[0-9a-f]{32}$/, 'account SID as clients want it');
like($t->{acct}{token}, qr/^[0-9a-f]{64}$/, 'token as clients want it');
my $group = record('account', redis($t->{redis}, 'GET',
    redis_key('acct', $t->{acct}{sid})))->{group};

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
    my $v = accepted($r, "$client: add");
    is($v->{data}[0]{name}, 'mail one', 'the name');
    is($v->{data}[0]{contact_group}, $group, 'the group');
    is($r->{continued} // 0, (grep { /^Expect/ } @$headers) ? 1 : 0,
        'invited if it asked');
}

# --- bodies of nothing -----------------------------------------------------

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
            "$client: $verb");
        is(json(call($t, 'GET', "host/$id.json"))->{data}[0]{status},
            $verb eq 'pause' ? 'paused' : 'active', 'is done');
    }
}

# --- checks ----------------------------------------------------------------

my $body = 'host=10.1.0.1&details=1&callback=' . RblTest::Http::escape(
    'https://cb.example.test/done?a=1&b=2');
my $v = accepted(send_raw('POST /3.0/check/start/.json', ['Content-Type: '
    . 'application/x-www-form-urlencoded', 'Content-Length: ' . length $body],
    $body), 'Node: check/start/.json');
my $pp = $v->{data}{id};
is_deeply(mp_unpack(redis($t->{redis}, 'HGET', redis_key('check',
    $t->{acct}{sid}, $pp), 'callbacks'))->[0][0],
    'https://cb.example.test/done?a=1&b=2', 'the callback');
accepted(send_raw("GET /3.0/check/status/$pp.json?details=1", []),
    'status in the path');
accepted(send_raw("GET /3.0/check/status.json?id=$pp&details=0", []),
    'status in the query');

# --- monitoring scripts, by curl itself ------------------------------------

my $base = "http://127.0.0.1:$t->{nginx}{port}/3.0";
my @curl = ('curl', '-s', '-G', '-u', "$t->{acct}{sid}:$t->{acct}{token}");
is(run_cmd(@curl, "$base/listings.nagios")->{out}, 'OK - 0 hosts listed!',
    'nagios');
is(run_cmd(@curl, "$base/listings.zabbix")->{out}, '0', 'zabbix');
is(run_cmd('curl', '-s', '-G', "$base/listings.nagios")->{out},
    'UNKNOWN - Invalid credentials.', 'nagios without credentials');
is(run_cmd(@curl, '--http1.0', "$base/listings.zabbix")->{out}, '0',
    'HTTP/1.0');
is(json(run_cmd(@curl, '-d', 'page=1', '-d', 'page_size=3',
    "$base/hosts.json")->{out})->{page_size}, 3, 'a query by curl');

# --- gzip, when it is on ---------------------------------------------------

my $gzip = start_nginx(store => $t->{redis}, http => 'gzip on;
    gzip_types application/json application/xml; gzip_min_length 20;');
wait_for { http($gzip, 'GET', '/3.0/hosts.json', auth => $t->{acct})
    ->{status} == 200 } 10, 'the store';
for my $format (qw(json xml)) {
    my $out = run_cmd(@curl, '--compressed', '-i',
        "http://127.0.0.1:$gzip->{port}/3.0/hosts.$format")->{out};
    like($out, qr/^Content-Encoding: gzip\r$/m, "$format: gzip");
    like($out, qr/mail one/, 'and what is in it');
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
    'HTTP/2: a read');
my $file = temp_dir() . '/form';
my $sent = 1;
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

        # What was sent: curl does not always show an early answer.
        $sent++;
        ok(wait_for {
            my @codes = read_file("$two->{dir}/access.log")
                =~ m{HTTP/2\.0" (\d+) }g;
            @codes == $sent && $codes[-1] == $want;
        } 5, "HTTP/2: $size octets" . ($length && ', length not given'));
    }
}

done_testing();
