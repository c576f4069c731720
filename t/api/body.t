#!/usr/bin/perl

# Request bodies: types, sizes, framing.  The connection must be usable or
# closed after each, whatever the response was.

use strict;
use warnings;

use IO::Socket::INET;
use RblApi;

my $t = api_setup();
my $n = 0;

sub add { return call($t, 'POST', 'host/add.json', @_) }
sub form { return "host=10.0.0." . ++$n . '&name=n&type=rbl' }

sub head {
    my (@headers) = @_;

    my $head = http_head('GET', '/3.0/host/add.json', auth => $t->{acct},
        keep => 1, headers => \@headers);
    $head =~ s/^GET/POST/;
    return $head;
}

sub chunks { return join '', map { sprintf "%x\r\n%s\r\n", length, $_ } @_, '' }

# Sends one request, then another on the same connection.  The first must have
# that status; the second must be served, or the connection closed in time.
sub in_order {
    my ($name, $first, $status) = @_;

    my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $t->{nginx}{port}) or die;
    $s->autoflush(1);
    print {$s} $_ for ref $first ? @$first : $first;
    my $r = RblTest::Http::read_answer($s, 10);
    is($r->{status}, $status,
        "$name: the status is $status") or diag($r->{raw});
    print {$s} http_head('GET', '/3.0/listings.zabbix', auth => $t->{acct});
    my $next = RblTest::Http::read_answer($s, 10);
    if (($r->{headers}{connection} // '') eq 'close') {
        is($next->{status}, 0, "$name: the connection is closed");
    } else {
        is($next->{status}, 200, "$name: the next request is served");
    }
    return $r;
}

# --- types -----------------------------------------------------------------

for my $type (undef, 'application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded; charset=UTF-8',
    'APPLICATION/X-WWW-Form-Urlencoded ;a=b', '')
{
    accepted(add(body => form(), type => $type),
        'form as ' . ($type // 'nothing'));
}
for my $type ('text/plain', 'multipart/mixed; boundary=x',
    'application/xml', 'application/jsonx', 'application', 'x',
    'application/x-www-form-urlencoded,application/json')
{
    unchanged {
        refused(add(body => 'host=10.9.9.9&name=n&type=rbl', type => $type),
            415, qr{application/x-www-form-urlencoded},
            "a body of the type $type is refused");
    } $t, $type;
}
refused(add(headers => ['Content-Type: text/plain']), 400, qr/host/,
    'the type of an empty body does not matter');

# --- JSON ------------------------------------------------------------------

sub json_add { return add(body => $_[0], type => $_[1] // 'application/json') }
sub json_form { return '"host":"10.1.0.' . ++$n . '","type":"rbl"' }

for (['{' . json_form() . ',"name":"n"}', 'n'],
    ['{' . json_form() . ',"name":7}', '7'],
    ['{' . json_form() . ',"name":-0}', '0'],
    ['{' . json_form() . ',"name":9223372036854775807}',
        '9223372036854775807'],
    ["  {\n" . json_form() . ",\t\"name\":\"\\u00e9\"}\n", "\x{e9}"],
    ['{' . json_form() . ',"name":"n","contact_group":null,"x":{"y":[1]},'
        . '"z":1.5}', 'n'],
    ['{' . json_form() . ',"name":"n","contact_group":[]}', 'n'],
    ["\xef\xbb\xbf{" . json_form() . ',"name":"BOM"}', 'BOM'],
    ["\xef\xbb\xbf\r\n {" . json_form() . ',"name":"BOM"}', 'BOM'],
    ['{' . json_form() . ',"name":" n "}', 'n', 'Application/JSON;charset=x'])
{
    my $v = accepted(json_add($_->[0], $_->[2]), "JSON $_->[0]");
    is($v->{data}[0]{name}, $_->[1], 'the host has the name that JSON gives');
}
my $group = record('chosen', redis($t->{redis}, 'GET',
    redis_key('chosen', $t->{acct}{sid})))->{group};
for my $g ("\"$group\"", "[\"$group\"]") {
    accepted(json_add('{' . json_form() . ",\"name\":\"n\",
        \"contact_group\":$g}"), "JSON with the list $g is accepted");
}
my $id = add_host($t, '10.2.0.1')->{id};
accepted(call($t, 'POST', "host/update/$id.json",
    body => '{"name":"j","contact_group":["' . $group . '","' . $group
        . '"]}', type => 'application/json'),
    'an update takes a JSON array of groups');
is(accepted(call($t, 'POST', 'check/start.json', body =>
    '{"host":"10.0.0.1","details":false}', type => 'application/json'),
    'JSON flag')->{data}{rbls}, undef, 'the JSON flag false gives no lists');
is(ref accepted(call($t, 'POST', 'check/start.json', body =>
    '{"host":"10.0.0.1","details":true}', type => 'application/json'),
    'JSON flag')->{data}{rbls}, 'ARRAY', 'the JSON flag true gives the lists');

unchanged {
    my $j = '"host":"10.9.9.9","type":"rbl"';
    for ("{$j,\"name\":\"\\u0000\"}", "{$j,\"name\":\"a\\u0000b\"}",
        "{$j,\"name\":\"a\\nb\"}", "{$j,\"name\":[\"n\"]}",
        "{$j,\"name\":{}}", "{$j,\"name\":1.5}", "{$j,\"name\":[]}",
        "{$j,\"name\":\"\\u0085\"}", "{$j,\"name\":null}", "{$j}",
        "{$j,\"name\":\"\"}")
    {
        refused(json_add($_), 400, qr/\bname\b/,
            "the JSON body $_ has no valid name");
    }
    for ("{$j,\"name\":\"n\",\"contact_group\":[[]]}",
        "{$j,\"name\":\"n\",\"contact_group\":[1.5]}",
        "{$j,\"name\":\"n\",\"contact_group\":{\"a\":1}}")
    {
        refused(json_add($_), 400, qr/\bcontact_group\b/,
            "the JSON body $_ has no valid contact_group");
    }
    for ('{', '[]', '""', '1', 'null', 'x', '{}x', "{$j,\"name\":\"n\"",
        "{$j,\"name\":\"n\",\"name\":\"m\"}", "{$j,\"name\":'n'}",
        "{$j,\"name\":\"\xff\"}", "{$j,\"name\":\"\\ud800\"}",
        "{$j,\"name\":\"n\",\"a\\u0000b\":1}", '[' x 5000,
        '{"a":' x 5000, "\xef\xbb\xbf", "\xef\xbb{$j,\"name\":\"n\"}",
        "\xef\xbb\xbf\xef\xbb\xbf{$j,\"name\":\"n\"}", "\0",
        "{$j,\"name\":99999999999999999999}")
    {
        refused(json_add($_), 400, qr/JSON/, 'JSON ' . substr $_, 0, 60);
    }
} $t, 'bad JSON';
refused(json_add('{}'), 400, qr/host/, 'an empty JSON object has no host');

# --- multipart -------------------------------------------------------------

sub part {
    my ($name, $value, @headers) = @_;

    return join '', map { "$_\r\n" } qq(Content-Disposition: form-data; )
        . qq(name="$name"), @headers, '', $value;
}
sub parts {
    my ($boundary, @parts) = @_;

    return join '', map({ "--$boundary\r\n$_" } @parts), "--$boundary--\r\n";
}
sub multi { return add(body => $_[0], type => $_[1]
    // 'multipart/form-data; boundary=xyz') }
sub multi_parts {
    return (part(host => '10.3.0.' . ++$n), part(type => 'rbl'),
        part(name => $_[0] // 'n'));
}

for (['as curl sends it', parts('xyz', multi_parts('curl')), 'curl'],
    ['with a quoted boundary', parts('a b', multi_parts()), 'n',
        'Multipart/Form-Data; charset=utf-8; boundary="a b"'],
    ['with a boundary before another parameter', parts('xyz', multi_parts()),
        'n', 'multipart/form-data;boundary=xyz;charset=utf-8'],
    ['with a preamble and an epilogue',
        "before\r\n" . parts('xyz', multi_parts()) . 'after', 'n'],
    ['with an empty line before it', "\r\n" . parts('xyz', multi_parts()), 'n'],
    ['with other headers', parts('xyz', (multi_parts())[0, 1], part(name => 'n',
        'Content-Type: text/plain; charset=UTF-8', 'X: y')), 'n'],
    ['with a token as name', do { (my $b = parts('xyz', multi_parts()))
        =~ s/name="name"/name=name/; $b }, 'n'],
    ['with spaces behind a boundary', do { (my $b = parts('xyz',
        multi_parts())) =~ s/--xyz\r/--xyz \t\r/g; $b }, 'n'],
    ['with a name in Latin letters and a line that looks like a boundary',
        parts('xyz', multi_parts('--xyzz')), '--xyzz'],
    ['with a field twice', parts('xyz', part(name => 'first'),
        multi_parts('last')), 'last'],
    ['with unknown fields', parts('xyz', part(('x' x 5000) => 'y'),
        part(other => "\0\r\n\xff"), multi_parts()), 'n'],
    ['with a value that is trimmed', parts('xyz', multi_parts(" n \r\n")),
        'n'])
{
    my ($name, $body, $want, $type) = @$_;
    my $v = accepted(multi($body, $type), "a form $name is accepted");
    is($v->{data}[0]{name}, $want, "a form $name has the name");
}
accepted(call($t, 'POST', "host/update/$id.json", body => parts('xyz',
    map { part("contact_group[$_]", $group) } '', 0, 1),
    type => 'multipart/form-data; boundary=xyz'), 'a list in a form');

unchanged {
    my $good = parts('xyz', multi_parts());
    for (['without its last boundary', $good =~ s/--xyz--\r\n\z//r],
        ['that ends in its last boundary', $good =~ s/--\r\n\z//r],
        ['that ends behind a boundary', $good =~ s/--\r\n\z/\r\n/r],
        ['that ends in a header', $good =~ s/(.*form-data).*/$1/sr],
        ['cut in its first line', '--xy'], ['of line feeds',
            $good =~ s/\r//gr], ['of another boundary', $good =~ s/xyz/abc/gr],
        ['of urlencoded fields', 'host=10.9.9.9&name=n&type=rbl'])
    {
        refused(multi($_->[1]), 400, qr/^The request body is not a form: it /,
            "a form $_->[0] is refused");
    }
    for (['without a name', $good =~ s/name="name"/x="name"/r],
        ['without a disposition', $good =~ s/Content-Disposition: .*"name"/X:/r],
        ['without headers', parts('xyz', "\r\nvalue\r\n")],
        ['without the end of headers', parts('xyz', "X: y\r\n")])
    {
        refused(multi($_->[1]), 400, qr/a part of it has no name/,
            "a form with a part $_->[0] is refused");
    }
    for (['a file', '; filename="x.txt"'], ['an empty file', '; filename=""'],
        ['an encoded file name', "; filename*=UTF-8''x"],
        ['a file before the name', 'before'])
    {
        (my $body = $good) =~ s/(name="name")/$_->[1] eq 'before'
            ? qq(filename="y"; $1) : "$1$_->[1]"/e;
        refused(multi($body), 415, qr/files is not accepted/,
            "a form with $_->[0] is refused");
    }
    for my $type ('multipart/form-data', 'multipart/form-data; boundary=',
        'multipart/form-data; boundary=""', 'multipart/form-data; boundary="xyz',
        'multipart/form-data; boundary=' . 'x' x 71,
        'multipart/form-data; bound=xyz')
    {
        refused(multi($good, $type), 400, qr/no valid boundary/,
            "a form of the type $type is refused");
    }
    for (["\0", 'NUL'], ["a\r\nb", 'a line break'], ["\xff", 'not UTF-8'],
        ['', 'nothing'])
    {
        refused(multi(parts('xyz', multi_parts($_->[0]))), 400, qr/\bname\b/,
            "a form with $_->[1] in a value is refused");
    }
    refused(multi(parts('xyz', multi_parts(), part(x => 'x' x 66_000))), 413,
        qr/./, 'a form of more than 64 KiB is refused');
} $t, 'bad forms';

# --- sizes -----------------------------------------------------------------

sub sized {
    my ($size, $form) = @_;

    $form //= form() . '&pad=';
    return $form . 'x' x ($size - length $form);
}

for my $size (1000, 8192, 16384, 16385, 65535, 65536) {
    accepted(add(body => sized($size)), "a body of $size octets is accepted");
    accepted(http_raw($t->{nginx}, head('Transfer-Encoding: chunked',
        'Connection: close') . chunks(unpack '(a4000)*', sized($size))),
        "a body of $size octets in chunks is accepted");
    accepted(http_raw($t->{nginx}, head('Transfer-Encoding: chunked',
        'Connection: close') . chunks(sized($size))),
        "a body of $size octets in one chunk is accepted");
}
unchanged {
    for my $size (65537, 65600, 100_000, 3_000_000) {
        my $body = sized($size, 'host=10.9.9.9&name=n&type=rbl&pad=');
        my $r = add(body => $body);
        refused($r, 413, qr/\b65536\b/, "a body of $size octets is refused");
        is($r->{headers}{connection}, 'close',
            "the connection ends after a body of $size octets");
        refused(http_raw($t->{nginx}, head('Transfer-Encoding: chunked')
            . chunks(unpack '(a16000)*', $body)), 413, qr/\b65536\b/,
            "a body of $size octets in chunks is refused");
        refused(http_raw($t->{nginx}, head("Content-Length: $size",
            'Expect: 100-continue')), 413, qr/\b65536\b/,
            "a body of $size octets is refused before it is sent");
        refused(json_add($body), 413, qr/\b65536\b/,
            "a JSON body of $size octets is refused");
    }
    is(call($t, 'POST', 'host/add.xml', body => 'x' x 70_000)->{status}, 413,
        'a large body is refused in XML with 413');
} $t, 'too large';
ok(!http_raw($t->{nginx}, head('Content-Length: 70000',
    'Expect: 100-continue'))->{continued},
    'the client is not invited to send 70,000 octets');

# --- many small buffers ----------------------------------------------------

accepted(add(body => form() . '&a' x 30_000),
    '30,000 unknown fields are accepted');
accepted(add(body => form() . '&name=m' x 9_000),
    'a field is accepted 9,000 times');
refused(add(body => 'host=10.9.9.9&name=n&type=rbl'
    . '&contact_group[]=' x 3_800), 400, qr/contact_group/,
    'a list of 3,800 empty items is refused');
refused(call($t, 'POST', "host/update/$id.json",
    body => 'contact_group=' . ',' x 65_000), 400, qr/contact_group/,
    'a list of 65,000 empty items is refused');

# --- framing ---------------------------------------------------------------

in_order('form', head('Content-Length: 30')
    . substr(form() . '&pad=xxxxxxxxxxxxxxxxx', 0, 30), 200);
my $f = form();
in_order('in single octets', [head('Content-Length: ' . length $f),
    split //, $f], 200);
in_order('chunked', head('Transfer-Encoding: chunked') . chunks(form()), 200);
in_order('chunked in single octets', [head('Transfer-Encoding: chunked'),
    split //, chunks(split //, form())], 200);
$f = form();
in_order('chunked with extension and trailer',
    head('Transfer-Encoding: chunked') . sprintf("%x;a=b\r\n%s\r\n0\r\n\r\n",
        length $f, $f), 200);
my $r = in_order('Expect: 100-continue', head('Expect: 100-continue',
    'Content-Length: ' . length($f = form())) . $f, 200);
ok($r->{continued}, 'the client is invited to send its body');
in_order('no length at all', head(), 400);
in_order('length 0', head('Content-Length: 0'), 400);
in_order('chunked and empty', head('Transfer-Encoding: chunked')
    . "0\r\n\r\n", 400);
for my $bad ("x\r\n", "5\r\nabcdefgh\r\n0\r\n\r\n", "-1\r\n",
    "fffffffffffffffff\r\nx")
{
    $r = in_order('bad chunks', head('Transfer-Encoding: chunked') . $bad, 400);
    is(json($r)->{status_code}, 400,
        'the refusal of bad chunks comes from the API');
}

# refused early, with a body that is read or discarded: it is never parsed
my $smuggled = "GET /3.0/hosts.json HTTP/1.1\r\nHost: x\r\n\r\n";
for (['401', 401, [], auth => undef], ['404', 404, [], path => 'nonsense'],
    ['405', 405, [], method => 'PUT'],
    ['415', 415, ['Content-Type: text/plain']],
    ['GET with a body', 200, [], method => 'GET', path => 'hosts.json'],
    ['404 for an id', 404, [], path => 'host/pause/x.json'])
{
    my ($name, $status, $headers, %o) = @$_;
    for my $framing ('length', 'chunked') {
        my $bytes = http_head($o{method} // 'GET', '/3.0/'
            . ($o{path} // 'host/add.json'), keep => 1,
            auth => exists $o{auth} ? $o{auth} : $t->{acct},
            headers => [@$headers, $framing eq 'length'
                ? 'Content-Length: ' . length $smuggled
                : 'Transfer-Encoding: chunked']);
        $bytes =~ s/^GET/POST/ if !$o{method};
        in_order("$name, $framing", $bytes . ($framing eq 'length'
            ? $smuggled : chunks($smuggled)), $status);
    }
}

# pipelined
my @forms = (form(), form());
my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
    PeerPort => $t->{nginx}{port}) or die;
$s->autoflush(1);
print {$s} head('Content-Length: ' . length $forms[0]) . $forms[0]
    . head('Content-Length: ' . length $forms[1], 'Connection: close')
    . $forms[1];
my $all = do { local $/; readline $s };
my @codes = $all =~ /"status_code":(\d+)/g;
is_deeply(\@codes, [200, 200], 'pipelined: both are served') or diag($all);

# an incomplete body changes nothing
unchanged {
    $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $t->{nginx}{port}) or die;
    $s->autoflush(1);
    print {$s} head('Content-Length: 100') . 'host=10.9.9.9&name=n';
    is(call($t, 'GET', 'hosts.json')->{status}, 200,
        'another request is served while the body is incomplete');
    close $s;
    ok(wait_for {
        read_file($t->{nginx}{error_log}) =~ /prematurely closed/
    } 10, 'nginx notices the disconnect of the client');
} $t, 'half a body';

done_testing();
