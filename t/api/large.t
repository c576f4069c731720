#!/usr/bin/perl

# Large responses: the bytes of a page are limited, and its paging fields show
# that; it is sent as fast as its client reads; if the store fails in the
# middle, the response is truncated.

use strict;
use warnings;

use IO::Socket::INET;
use IO::Uncompress::Gunzip qw(gunzip);
use List::Util qw(max);
use RblApi;
use RblFault;
use RblTest;

use constant { HOSTS => 300, RECORD => 30_000, MARK => 32_768,
    PAGE => 4_194_304, DEAF => 60 };

my $redis = start_redis(cluster => 1);     # its relay is to one server
init_store($redis, lists => repo_dir() . '/conf/lists.json');
my ($acct, $other) = map { make_account($redis, name => $_) } qw(Big Other);
my $relay = start_relay($redis);
my ($user, $password) = store_login($redis, 'rbl-api');
my $h2 = free_port();
my $small = free_port();
my $nginx = start_nginx(store_addr => $relay->{addr}, workers => 1, http =>
    "rbl_store_user $user; rbl_store_password_file $password;
    rbl_store_timeout 5s; gzip_types application/json application/xml;",
    server => "listen 127.0.0.1:$h2 http2; listen 127.0.0.1:$small sndbuf=16k;
    location /zip/ { rbl_api on; gzip on; }
    location /tag/ { rbl_api on; rbl_etag on; }
    location /slow/ { rbl_api on; limit_rate 2m; }
    location /ssi/ { ssi on; ssi_types *; root %%DIR%%; }");
my $t = { redis => $redis, acct => $acct, other => $other, nginx => $nginx };
wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 10, 'the store';
my $ac = $acct->{sid};
my ($worker) = map { /^(\d+)/ } split /\n/,
    run_cmd('pgrep', '-P', $nginx->{pid})->{out};

sub get { return http($nginx, 'GET', $_[0], auth => $acct, @_[1 .. $#_]) }

# --- an account whose records are large --------------------------------------

add_host($t, "10.0.$_.0/26", name => 'n') for 0 .. 4;
my @ids = @{ redis($redis, 'ZRANGE', redis_key('hosts', $ac), 0, -1) };
is(scalar @ids, 320, 'five subnets have 320 hosts');
redis($redis, 'ZREM', redis_key('hosts', $ac), splice @ids, HOSTS);
for my $id (@ids) {
    my $key = redis_key('r', $ac, $id);
    my $v = record('host', redis($redis, 'GET', $key));
    redis($redis, 'SET', $key, record_pack('host', %$v, name => \$v->{name},
        value => \$v->{value}, listed_count => 30, first_listed => 0,
        details => [map { ['RB' . '0' x 32, "list$_.test", '',
            'x' x (RECORD / 30), ['127.0.0.2'], 1] } 1 .. 30]));
}
redis($redis, 'SET', redis_key('large', $ac, 'hosts'), MARK);
forget($t, $ac);

# The numbers before the data, and the ids in the data.
sub parsed {
    my ($r) = @_;

    my ($head) = $r->{body} =~ /^(.*?),"data":\[.*\](?:,"oldest_due":\d+(?:,"\w+":\d+){4})?\}$/s
        or die substr $r->{raw}, 0, 500;
    my $v = json("$head}");
    $v->{ids} = [$r->{body} =~ /[\[,]\{"id":"(\w+)"/g];
    return $v;
}

# Reads all pages of a list with that size; returns the size of the largest
# response.
sub walk {
    my ($path, $size) = @_;

    my (@ids, %sizes, $largest, $v);
    for (my $page = 1; !$v || $page <= $v->{total_pages}; $page++) {
        my $r = get("/3.0/$path?page=$page&page_size=$size");
        $v = parsed($r);
        $sizes{ $v->{page_size} }++;
        $largest = max($largest // 0, length $r->{body});
        push @ids, @{ $v->{ids} };
        die 'no end' if $page > 2 * HOSTS;
    }
    return (\@ids, join(' ', keys %sizes), $largest);
}

for ([1000, PAGE / MARK], [200, PAGE / MARK], [100, 100], [33, 33], [20, 20])
{
    my ($size, $served) = @$_;
    my ($got, $sizes, $largest) = walk('hosts.json', $size);
    is_deeply($got, \@ids, "pages of $size have each host once");
    is($sizes, $served, "pages of $size are served as pages of $served");
    cmp_ok($largest, '<', 1.2 * PAGE, "pages of $size are limited in octets");
}
is(parsed(get('/3.0/hosts.json?page=9&page_size=1000'))->{page_size},
    PAGE / MARK, 'a page past the end has the same size');

# All reasons to repeat the first round: the caches are out of date, the totals
# are missing, and the page is smaller than its number of records.
my @app = ('app', 'limit', $ac, $acct->{app});
rblctl($redis, @app, '--hour', 1_000_000);
get('/3.0/hosts.json?page=2&page_size=1000');
forget($t, $ac);
is(get('/3.0/hosts.json?page=2&page_size=1000')->{status}, 200,
    'a page of an account without totals is served');
rblctl($redis, @app, '--none');

redis($redis, 'DEL', redis_key('large', $ac, 'hosts'));
is(parsed(get('/3.0/hosts.json?page_size=1000'))->{page_size}, 1000,
    'pages without large records have the requested size');
redis($redis, 'SET', redis_key('large', $ac, 'hosts'), 2 ** 23);
is((walk('hosts.json', 1000))[1], 1, 'one record is always a page');
redis($redis, 'SET', redis_key('large', $ac, 'hosts'), MARK);

# Profiles show their size themselves.
for my $i (1 .. 200) {
    my $r = call($t, 'POST', 'rbl/add.json', form => { name => "own $i",
        host => "own$i.test", type => 'rbl' });
    die $r->{raw} if $r->{status} != 200;
}
my @lists = map { $_->{id} } @{ json(get('/3.0/rbls.json?page_size=1000'))
    ->{data} };
is_deeply(\@lists, [map { @{ redis($redis, 'ZRANGE', $_, 0, -1) } }
    redis_key('lists:active', partition_of($ac)),
    redis_key('rbls', $ac)],
    'rbls has all lists and the custom ones last');
for my $i (1 .. 300) {
    my $r = call($t, 'POST', 'rblprofile/add.json', form => { name => "p$i",
        entries => join ',', @lists });
    die $r->{raw} if $r->{status} != 200;
    is(parsed(get('/3.0/rblprofiles.json?page_size=1000'))->{page_size}, 1000,
        'a list that fits into one page is one') if $i == 200;
}
my ($got, $sizes) = walk('rblprofiles.json', 1000);
is_deeply($got, redis($redis, 'ZRANGE', redis_key('profiles', $ac), 0, -1),
    'the pages have each profile once');
is($sizes, PAGE / 16_384, 'profiles are served in pages of 4 MiB');
my $one = json(get("/3.0/rblprofile/$got->[-1].json"))->{data}[0];
is_deeply($one->{entries}, \@lists, 'a profile has all of its entries');

# --- all formats and clients -------------------------------------------------

my $page = 'hosts.json?page_size=120';
my $whole = get("/3.0/$page");

# The age of the oldest due check changes.
sub same_as_whole {
    my ($body, $name) = @_;

    my ($is, $should) = map { s/"oldest_due":\d+//r } $body, $whole->{body};
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return ok($is eq $should, $name);
}

is(scalar @{ json($whole)->{data} }, 120, 'the large page has 120 hosts');
is($whole->{headers}{'transfer-encoding'}, 'chunked',
    'the large page is sent in chunks');
is($whole->{headers}{'content-length'}, undef,
    'the large page has no Content-Length');
my $plain = get("/3.0/$page", version => '1.0');
same_as_whole($plain->{body}, 'the page is the same over HTTP/1.0');
my $head = http($nginx, 'HEAD', "/3.0/$page", auth => $acct);
is_deeply([$head->{status}, $head->{raw} =~ /\r\n\r\n(.*)/s], [200, ''],
    'the response to HEAD has no body');
my $zip = get("/zip/$page", headers => ['Accept-Encoding: gzip']);
is($zip->{headers}{'content-encoding'}, 'gzip', 'the large page is compressed');
gunzip(\$zip->{body}, \my $text);
same_as_whole($text, 'the compressed page is the same');
my $xml = get('/3.0/hosts.xml?page_size=120')->{body};
xml_ok($xml, 'the large page is valid XML');
is(scalar @{ hosts_of_xml($xml) }, 120, 'the large page has 120 hosts in XML');
same_as_whole(get("/slow/$page")->{body},
    'the page is the same with limit_rate');
my $curl = run_cmd('curl', '-s', '--http2-prior-knowledge', '-u',
    "$ac:$acct->{token}", "http://127.0.0.1:$h2/3.0/$page");
same_as_whole($curl->{out}, 'the page is the same over HTTP/2');
$curl = run_cmd('curl', '-s', '--http2-prior-knowledge', '--limit-rate', '2M',
    '-u', "$ac:$acct->{token}", "http://127.0.0.1:$h2/3.0/$page");
same_as_whole($curl->{out}, 'the page is the same for a slow HTTP/2 client');
mkdir "$nginx->{dir}/ssi";
write_file("$nginx->{dir}/ssi/page.html",
    qq{[<!--#include virtual="/3.0/$page" -->]});
my $ssi = get('/ssi/page.html');
same_as_whole($ssi->{body} =~ s/^\[|\]\s*$//gr,
    'the page is the same in a sub-request')
    or diag(substr $ssi->{raw}, 0, 500);
my $tag = get("/tag/$page");
ok(!$tag->{headers}{etag}, 'the large page has no ETag');
$tag = get('/tag/rbls.json?page_size=1000');
ok($tag->{headers}{etag}, 'a smaller response has an ETag');
is(get('/tag/rbls.json?page_size=1000', headers => ['If-None-Match: '
    . $tag->{headers}{etag}])->{status}, 304,
    'a smaller response with a known ETag is a 304');

# Slices are read one by one.
sub mgets {
    return redis($redis, 'INFO', 'commandstats') =~ /^cmdstat_mget:calls=(\d+)/m
        ? $1 : 0;
}
my $mgets = mgets();
get("/3.0/$page");
cmp_ok(mgets() - $mgets, '>=', 120 * MARK / 262_144,
    'a large page is read in slices of 256 KiB');

# Also a small page, from the first time on; other pages are cached as before.
sub mget_of {
    my ($path) = @_;

    my $n = mgets();
    get("/3.0/$path");
    return mgets() - $n;
}
cmp_ok(mget_of('hosts.json?page_size=30&page=2'), '>=', 4,
    'a page of 30 hosts is read in slices')
    for 1 .. 2;
cmp_ok(mget_of('hosts.json?page_size=3&page=2'), '<=', 2,
    'a page of three hosts is not read in slices')
    for 1 .. 2;
is(mget_of('hosts.json?page_size=3&page=2'), 1,
    'a page of three hosts is cached');

# --- details of a check ------------------------------------------------------

my $check = json(call($t, 'POST', 'check/start.json',
    form => { host => '10.9.9.9' }))->{data}{id};
my $ck = redis_key('check', $ac, $check);
my @results = map { ['RB' . '0' x 32, 'rbl', 1, "list$_.test", '', 'listed',
    ['127.0.0.2'], '', 'y' x (900 + $_), '', $_] } 1 .. 380;
redis($redis, 'HSET', $ck, status => 'completed', message => 'm');
redis($redis, 'SET', "$ck:d", mp_pack([@results]));
my $status = "/3.0/check/status/$check.json?details=1";
my $details = sub { return json($_[0])->{data}{details} };
is_deeply([map { [@$_{qw(host reason response_ms)}] } @{ $details->(get(
    $status)) }], [map { [@$_[3, 8, 10]] } @results],
    'the status of a check has all details');
xml_ok(get($status =~ s/json/xml/r)->{body}, 'the details are valid XML');
redis($redis, 'HSET', $ck, status => 'failed');
is(json(get($status))->{data}{message}, 'm',
    'the status has the field behind the details');
for my $n (1 .. 3) {
    my $raw = mp_pack([@results]);
    $raw = substr $raw, 0, 65_536 * $n;
    redis($redis, 'SET', "$ck:d", $raw);
    my $r = get($status);
    ok(!$r->{complete} || $r->{status} == 500, 'details that are cut off')
        or diag(substr $r->{raw}, 0, 300);
}
redis($redis, 'SET', "$ck:d", mp_pack([@results]));

# --- the store fails in the middle -------------------------------------------

# A client with a small receive buffer, which reads only the header.
sub deaf {
    my ($path, $auth) = @_;

    return client('deaf', { port => $small }, http_head('GET', $path,
        auth => $auth // $acct));
}

sub begun {
    my ($c) = @_;

    return wait_for { sysread $c, my $bytes, 1 } 10, 'an answer starts';
}

for my $path ("/3.0/$page", '/3.0/rblprofiles.json?page_size=1000', $status) {
    my $c = deaf($path);
    begun($c);
    my $r;
    with_fault('slow', $relay, sub { });
    with_fault('cut', $relay, sub {
        $r = RblTest::Http::read_answer($c, 10);
    });
    ok(!$r->{complete},
        "$path is truncated if the store fails") or diag(length $r->{raw});
    ok(!eval { json("{$r->{raw}"); 1 },
        "$path: the truncated response is not well-formed");
    wait_for { get('/3.0/hosts.json?page_size=1')->{status} == 200 } 10,
        'the store is back';
}

# --- clients that do not read ------------------------------------------------

my $before = heap_kib($worker);
for my $path ('/3.0/hosts.json?page_size=1000',
    '/3.0/rblprofiles.json?page_size=1000', '/3.0/hosts.json?page_size=32',
    $status)
{
    my @c = map { deaf($path) } 1 .. DEAF;
    my (%seen, $slowest);
    my $end = time + 3;
    while (time < $end) {
        my $r = http($nginx, 'GET', '/3.0/hosts.json', auth => $other);
        $seen{ $r->{status} }++;
        $slowest = max($slowest // 0, $r->{ms});
    }
    is_deeply([keys %seen], [200], "beside $path: others are served");
    my $grown = heap_kib($worker) - $before;
    # The sanitizers keep freed memory, so the size means nothing with them.
    cmp_ok($grown, '<', 96 * 1024, DEAF . ' clients that do not read it')
        if !$ENV{RBL_NGINX};
    diag(sprintf '%s: %d KiB more, the slowest of others %.0f ms', $path,
        $grown, $slowest) if $ENV{RBL_FIGURES};
    close $_ for @c;
    ok((wait_for { get("/3.0/$page")->{complete} } 20),
        'a large page is served when the other clients are gone');
}

# --- the limit of an account -------------------------------------------------

my @c = map { deaf('/3.0/hosts.json?page_size=1000') } 1 .. 40;
begun($_) for @c[0 .. 31];
my $waits = client('asks', $nginx, http_head('GET', "/3.0/$page",
    auth => $acct));
is(http($nginx, 'GET', '/3.0/rbls.json?page_size=1000', auth => $other)
    ->{status}, 200, 'another account has its own');
vec(my $in = '', fileno $waits, 1) = 1;
is(scalar select($in, undef, undef, 0.5), 0,
    'the request beyond the limit waits');
redis_try($redis, 'PING');      # the connection was cut, too
redis($redis, 'DEL', redis_key('large', $ac, 'hosts'));
is(get('/3.0/hosts.json?page_size=32')->{status}, 429,
    'an unexpectedly large answer is refused');
redis($redis, 'SET', redis_key('large', $ac, 'hosts'), MARK);
close $_ for @c;
my $r = RblTest::Http::read_answer($waits, 20);
same_as_whole($r->{body},
    'the waiting request gets its page when a place is free');

# Waiting requests whose clients disconnect; the other ones are answered by
# their worker in any case.
@c = map { deaf('/3.0/hosts.json?page_size=1000') } 1 .. 40;
begun($_) for @c[0 .. 31];
leave('breaks', pop @c) for 1 .. 6;
signal_server($nginx, 'HUP');
ok((wait_for { my @now = run_cmd('pgrep', '-P', $nginx->{pid})->{out}
    =~ /(\d+)/g; @now > 1 && read_file("/proc/$worker/cmdline") =~ /shutting/
    } 10), 'nginx reloads while requests wait');
leave('breaks', shift @c) for 1 .. 24;
for my $c (@c) {
    my $raw = RblTest::Http::read_answer($c, 60)->{raw};
    ok($raw =~ /"critical_answered":\d+\}\r\n0\r\n\r\n$/,
        'the response is sent to its end');
}
ok((wait_for { !-e "/proc/$worker" } 30),
    'the old worker ends after its responses');
ok((wait_for { get("/3.0/$page")->{complete} } 10),
    'the new worker serves a large page');

# A client that does not read is disconnected after a timeout.
my $hurry = start_nginx(store => $redis, workers => 1, api =>
    'send_timeout 1s;', server => "listen 127.0.0.1:" . (my $port = free_port())
    . ' sndbuf=16k;');
wait_for { http($hurry, 'GET', '/3.0/hosts.json', auth => $acct)->{status}
    == 200 } 10, 'its store';
my $c = client('deaf', { port => $port }, http_head('GET',
    '/3.0/hosts.json?page_size=1000', auth => $acct));
begun($c);
ok((wait_for { read_file($hurry->{error_log}) =~ /client timed out/ } 20),
    'a client that does not read is disconnected');
ok(!RblTest::Http::read_answer($c, 10)->{complete},
    'the response of the disconnected client is truncated');

done_testing();
