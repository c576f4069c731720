#!/usr/bin/perl

# rbl_etag: the response to a read has an ETag that changes with the content,
# and a client that has it gets 304.  Without the directive there is no ETag.

use strict;
use warnings;

use RblApi;

my $t = api_setup(api => 'rbl_etag on;', http => 'gzip on; gzip_min_length 20;
    gzip_types application/json application/xml;',
    server => 'location /off/ { rbl_api on; }
    location /legacy/ { rbl_api on; rbl_etag on; rbl_legacy_errors on; }');
my $redis = $t->{redis};
my $id = add_host($t, '10.0.0.1', name => 'one')->{id};

sub get { my ($path, @headers) = @_;
    return call($t, 'GET', $path, headers => \@headers) }
sub etag { return $_[0]{headers}{etag} // 'none' }

# The response is a 304 with this ETag and without other content.
sub same {
    my ($r, $etag, $name) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is_deeply([$r->{status}, etag($r), @{ $r->{headers} }{qw(cache-control
        content-type content-length)}, $r->{raw} =~ /\r\n\r\n(.*)/s],
        [304, $etag, 'no-store', undef, undef, ''], $name)
        or diag($r->{raw});
}

# --- the ETag matches the content ------------------------------------------

my %seen;
for my $path ('hosts.json', 'hosts.xml', 'listings.json', "host/$id.json",
    'hosts.json?page=2', 'hosts.json?page_size=1')
{
    my $r = get($path);
    like(etag($r), qr/^"[0-9a-f]{16}"$/, "$path has a strong ETag");
    is(etag(get($path)), etag($r),
        "$path keeps its ETag while the content is the same");
    is($seen{ $r->{body} }++ ? 1 : 0, $seen{ etag($r) }++ ? 1 : 0,
        "$path has another ETag than other content");
    same(get($path, 'If-None-Match: ' . etag($r)), etag($r),
        "$path with its ETag is a 304");
    is_deeply([@{ call($t, 'HEAD', $path)->{headers} }
        {qw(etag content-length)}], [etag($r), length $r->{body}],
        "HEAD $path has the same ETag and length");
}

my $etag = etag(get('hosts.json'));
same(get('hosts.json', "If-None-Match: $_"), $etag, "If-None-Match: $_")
    for '*', "W/$etag", qq{"x", $etag}, qq{"x",W/$etag , "y"};
same(call($t, 'HEAD', 'hosts.json', headers => ["If-None-Match: $etag"]),
    $etag, 'HEAD');
for ('"x"', 'W/"x"', substr($etag, 1, 16), '', '"', 'x' x 3000)
{
    my $r = get('hosts.json', "If-None-Match: $_");
    accepted($r, 'If-None-Match: ' . substr $_, 0, 40);
    is(etag($r), $etag, 'the response to another ETag has the current one');
}
for ('If-Match: "x"', 'If-Match: *',
    'If-Unmodified-Since: Fri, 20 Nov 2020 13:37:06 GMT',
    'If-Modified-Since: Fri, 20 Nov 2099 13:37:06 GMT')
{
    accepted(get('hosts.json', $_), "$_ has no effect");
    is(get('hosts.json', $_, "If-None-Match: $etag")->{status}, 200,
        "$_ prevents a 304 for If-None-Match");
}

# --- it changes with the content -------------------------------------------

sub changes {
    my ($name, $code) = @_;

    my $before = etag(get('hosts.json'));
    $code->();
    my $r = get('hosts.json', "If-None-Match: $before");
    accepted($r, "there is no 304 after a change: $name");
    isnt(etag($r), $before, "the ETag changes with the content: $name");
}
changes('a new host', sub { add_host($t, '10.0.0.2') });
changes('a new name', sub { call($t, 'POST', "host/update/$id.json",
    form => { name => 'two' }) });
changes('paused', sub { call($t, 'POST', "host/pause/$id.json") });
changes('resumed', sub { call($t, 'POST', "host/resume/$id.json") });
list_host($t, $id, since => (time - 100) * 1000);
changes('a listing lasts a second longer', sub {
    my $before = get('hosts.json')->{body};
    ok(wait_for { get('hosts.json')->{body} ne $before } 5,
        'the listed period grows');
});
changes('deleted', sub { call($t, 'POST', "host/delete/$id.json") });
add_host($t, "10.1.$_.1", name => 'n' x 255) for 0 .. 254;
my $r = get('hosts.json?page_size=1000');
cmp_ok(length $r->{body}, '>', 131072, 'the page takes several buffers');
same(get('hosts.json?page_size=1000', 'If-None-Match: ' . etag($r)), etag($r),
    'a large page with its ETag is a 304');

# --- compressed ------------------------------------------------------------

$etag = etag(get('hosts.json'));
$r = get('hosts.json', 'Accept-Encoding: gzip');
is_deeply([$r->{headers}{'content-encoding'}, etag($r)], ['gzip', "W/$etag"],
    'the ETag of a compressed response is weak');
same(get('hosts.json', 'Accept-Encoding: gzip', "If-None-Match: W/$etag"),
    $etag, 'a compressed page with its weak ETag is a 304');

# --- responses without ETag ------------------------------------------------

for (['GET', 'hosts.json?page=x', 400], ['GET', 'nothing.json', 404],
    ['GET', 'host/' . sid_of('HT') . '.json', 404],
    ['POST', 'host/add.json', 400], ['POST', 'hosts.json', 405],
    ['POST', 'host/pause/' . sid_of('HT') . '.json', 404],
    ['GET', 'listings.nagios', 200], ['GET', 'listings.zabbix', 200])
{
    my ($method, $path, $status) = @$_;
    $r = call($t, $method, $path, headers => ['If-None-Match: *']);
    is_deeply([$r->{status}, etag($r)], [$status, 'none'],
        "$method $path has no ETag");
}
$r = call($t, 'POST', 'host/add.json', headers => ['If-None-Match: *'],
    form => { host => '10.2.0.1', name => 'n', type => 'rbl' });
accepted($r, 'a write with If-None-Match is accepted');
is(etag($r), 'none', 'the response to a write has no ETag');
$r = http($t->{nginx}, 'GET', '/off/hosts.json', auth => $t->{acct},
    headers => ['If-None-Match: *']);
is_deeply([$r->{status}, etag($r)], [200, 'none'],
    'rbl_etag is off by default');
$r = http($t->{nginx}, 'GET', '/legacy/nothing.json', auth => $t->{acct},
    headers => ['If-None-Match: *']);
is_deeply([$r->{status}, json($r)->{status_code}, etag($r)],
    [200, 500, 'none'], 'a refusal as HTTP 200 has none either');

# a 304 is counted like any other read
my @app = ($t->{acct}{sid}, $t->{acct}{app});
rblctl($redis, 'app', 'limit', @app, '--hour', 2);
same(get('hosts.json', 'If-None-Match: *'), etag(get('hosts.json')),
    'a 304 within the limit is served');
$r = get('hosts.json', 'If-None-Match: *');
is_deeply([$r->{status}, etag($r)], [429, 'none'],
    'a request over the limit gets 429 without ETag');

done_testing();
