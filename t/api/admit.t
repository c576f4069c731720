#!/usr/bin/perl

# Access control of an application: allowed networks and rate limits; the limits
# are exact over all workers.

use strict;
use warnings;

use IO::Socket::INET;
use List::Util qw(min sum);
use RblApi;
use RblRedis ();
use Time::HiRes qw(sleep time);

my $sock = temp_dir() . '/nginx.sock';
my $v6 = free_port();
my $t = api_setup(http => 'rbl_store_timeout 1s;',
    server => "listen unix:$sock; listen [::1]:$v6;
    set_real_ip_from 127.0.0.0/8; real_ip_header X-Client;");
my $redis = $t->{redis};
my ($sid, $app) = @{ $t->{acct} }{qw(sid app)};

sub ctl {
    my @words = @_;

    my $r = rblctl($redis, @words, '--json');
    die "rblctl @words: $r->{err}" if $r->{status};
    return json($r->{out});
}

sub allow { ctl('app', 'allow', $sid, $app, @_) }
sub limit { ctl('app', 'limit', $sid, $app, '--none');
    ctl('app', 'limit', $sid, $app, @_) if @_ }
sub from { call($t, 'GET', 'hosts.json', headers => ["X-Client: $_[0]"]) }

# --- allowed networks ------------------------------------------------------

my $no = qr/^The application may not be used from this address\.$/;
my @table = (
    # allow list, allowed addresses, refused addresses
    ['192.0.2.0/24', ['192.0.2.0', '192.0.2.255', '::ffff:192.0.2.7'],
        ['192.0.3.0', '192.0.1.255', '10.0.0.1', '2001:db8::1',
        '::192.0.2.7']],
    ['192.0.2.7', ['192.0.2.7', '::ffff:192.0.2.7'],
        ['192.0.2.6', '192.0.2.8', '::ffff:192.0.2.8']],
    ['192.0.2.128/25,198.51.100.4/30', ['192.0.2.128', '198.51.100.7'],
        ['192.0.2.127', '198.51.100.8', '198.51.100.3']],
    ['2001:db8::/33', ['2001:db8::1', '2001:db8:7fff:ffff::'],
        ['2001:db8:8000::', '2001:db7::', '32.1.13.184']],
    ['2001:db8::1', ['2001:db8::1', '2001:DB8:0::1'], ['2001:db8::2']],
    ['0.0.0.0/0', ['1.2.3.4', '::ffff:1.2.3.4'], ['2001:db8::1', '::1']],
    ['::/0', ['2001:db8::1'], ['1.2.3.4', '::ffff:1.2.3.4']],
    ['unix:', [], ['127.0.0.1', '::1']],
    ['::/0,0.0.0.0/0', ['1.2.3.4', '2001:db8::1'], []],
);
for (@table) {
    my ($list, $may, $not) = @$_;
    allow($list);
    accepted(from($_), "the allow list $list accepts $_") for @$may;
    refused(from($_), 403, $no, "the allow list $list refuses $_") for @$not;
}
allow('--none');
accepted(from($_),
    "any address is accepted without an allow list: $_")
    for '192.0.2.1', '2001:db8::1';

my @curl = ('curl', '-s', '-g', '-u', "$sid:$t->{acct}{token}");
my @unix = ('--unix-socket', $sock, 'http://x/3.0/hosts.json');
sub code { json(run_cmd(@curl, @_)->{out})->{status_code} }
for (['unix:', 200, 403, 403], ['127.0.0.0/8,::1', 403, 200, 200],
    ['::1', 403, 403, 200], ['127.0.0.1,unix:', 200, 200, 403])
{
    my ($list, @want) = @$_;
    allow($list);
    is_deeply([code(@unix), code("http://127.0.0.1:$t->{nginx}{port}/3.0/"
        . 'hosts.json'), code("http://[::1]:$v6/3.0/hosts.json")], \@want,
        "the allow list $list holds for a unix socket, IPv4 and IPv6");
}

# a list that rblctl would not write matches no address
my ($field) = @{ redis($redis, 'HKEYS', redis_key('tokens', $sid)) };
my $key = redis_key('token', $sid, $field);
my $token = redis($redis, 'GET', $key);
sub token_with {
    redis($redis, 'SET', $key, record_pack('token',
        %{ record('token', $token) }, @_));
    forget($t, $sid);
}
for my $list (['junk'], ['', '/', '1.2.3.4'], [1], [['0.0.0.0/0']],
    ['127.0.0.1/8'], [\'0.0.0.0/00'], ["0.0.0.0/0\0"], [('x' x 300) x 300])
{
    token_with(allow => $list);
    refused(call($t, 'GET', 'hosts.json'), 403, $no, 'junk is no network');
}
token_with(allow => ['junk', '127.0.0.1/32']);
accepted(call($t, 'GET', 'hosts.json'),
    'junk in the allow list does not hide a valid network');

allow('192.0.2.0/24');
refused(call($t, 'GET', 'hosts.json', auth => { %{ $t->{acct} },
    token => '0' x 64 }), 401, qr/credentials/,
    'credentials are checked before the address');
refused(call($t, 'GET', 'hosts.json?page=x'), 403, $no,
    'a refused address gets no parameter error');
refused(call($t, 'GET', 'host/' . sid_of('HT') . '.json'), 403, $no,
    'a refused address gets no 404 for an unknown host');
unchanged { refused(call($t, 'POST', 'host/add.json', form => {
    host => '10.0.0.1', name => 'n', type => 'rbl' }), 403, $no, 'a write') }
    $t, 'a write from the wrong place';
is(call($t, 'GET', 'listings.nagios')->{body}, 'UNKNOWN - The application may '
    . 'not be used from this address.',
    'the Nagios response to a refused address is UNKNOWN');
is(call($t, 'GET', 'listings.zabbix')->{body}, '-1',
    'the Zabbix response to a refused address is -1');
accepted(call($t, 'GET', 'hosts.json', auth => $t->{other}),
    'another application is not concerned');
my $second = ctl('app', 'add', $sid, 'second');
accepted(call($t, 'GET', 'hosts.json', auth => [$sid, $second->{token}]),
    'another application of the same account is not concerned');
my $kept = ctl('app', 'rotate', $sid, $app, '--keep')->{token};
refused(call($t, 'GET', 'hosts.json', auth => [$sid, $kept]), 403, $no,
    'a new token of the application has the same allow list');
ctl('account', 'suspend', $sid);
refused(call($t, 'GET', 'hosts.json'), 403, qr/suspended/,
    'a suspension is reported before the address is checked');
ctl('account', 'resume', $sid);
allow('--none');
accepted(call($t, 'GET', 'hosts.json'),
    'removing the allow list takes effect at once');

# --- rate limit: what clients see ------------------------------------------

my @names = qw(ratelimit-limit ratelimit-remaining ratelimit-reset);
sub told { [@{ $_[0]{headers} }{@names}] }
sub uncount { redis($redis, 'DEL', redis_key('rate', $sid, $app)) }
sub counts { mp_unpack(redis($redis, 'GET', redis_key('rate', $sid, $app))) }
sub between {
    my ($got, $from, $to, $name) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok($got =~ /^\d+$/ && $got >= $from && $got <= $to, $name)
        or diag("$got is not $from to $to");
}

my $evals = sub { redis($redis, 'INFO', 'commandstats')
    =~ /cmdstat_evalsha:calls=(\d+)/ ? $1 : 0 };
my $scripts = $evals->();
my $r = call($t, 'GET', 'hosts.json');
is_deeply(told($r), [undef, undef, undef],
    'a response without a limit has no limit headers');
is($evals->(), $scripts, 'a request without a limit is not counted');

limit('--hour', 3);
for my $left (2, 1, 0) {
    $r = call($t, 'GET', 'hosts.json');
    accepted($r, 'a request within the limit is served');
    is_deeply([@{ told($r) }[0, 1]], [3, $left],
        "the headers show a limit of 3 with $left left");
    between(told($r)->[2], 3500, 3600, 'the limit is reset within an hour');
}
my $late = qr/^Too many requests\. Please try again in \d+ seconds\.$/;
$r = call($t, 'GET', 'hosts.json');
refused($r, 429, $late, 'the fourth request within the hour is refused');
is($r->{reason}, 'Too Many Requests',
    'the reason phrase of a 429 is "Too Many Requests"');
is_deeply([@{ told($r) }[0, 1]], [3, 0],
    'the headers of a 429 show no request left');
between($r->{headers}{'retry-after'}, 3500, 3600, 'Retry-After');
is($r->{headers}{'retry-after'}, told($r)->[2],
    'Retry-After equals the reset time');
$r = call($t, 'GET', 'hosts.xml');
is($r->{status}, 429, 'the XML response over the limit is a 429');
xml_ok($r->{body}, 'the XML response over the limit is valid');
like(call($t, 'GET', 'listings.nagios')->{body}, qr/^UNKNOWN - Too many req/,
    'the Nagios response over the limit is UNKNOWN');
is(call($t, 'GET', 'listings.zabbix')->{body}, '-1',
    'the Zabbix response over the limit is -1');
refused(call($t, 'GET', 'hosts.json?page=x'), 429, $late,
    'a refused request gets no parameter error');
is(call($t, 'HEAD', 'hosts.json')->{status}, 429,
    'the response to HEAD over the limit is a 429');
is(counts()->[1], 3, 'refused requests are not counted');
refused(call($t, 'GET', 'hosts.json', auth => [$sid, $kept]), 429, $late,
    'all tokens of an application share its limit');
is(call($t, 'GET', 'hosts.json', auth => [$sid, $second->{token}])->{status},
    200, 'another application is not concerned');
unchanged { refused(call($t, 'POST', $_->[0], form => $_->[1]), 429, $late,
    $_->[0]) for ['host/add.json', { host => '10.0.0.1', name => 'n',
    type => 'rbl' }], ['check/start.json', { host => '10.0.0.1' }] } $t,
    'a write that is refused';

# --- rate limit: counted requests and their kinds --------------------------

limit('--hour', 1000, '--reads', 100, '--writes', 100, '--starts', 100);
my %calls = (
    read => [['GET', 'hosts.json', 200], ['HEAD', 'hosts.json', 200],
        ['GET', 'listings.xml', 200], ['GET', 'listings.nagios', 200],
        ['GET', 'hosts.json?page=x', 400],
        ['GET', 'host/' . sid_of('HT') . '.json', 404],
        ['GET', 'check/status/' . sid_of('PP') . '.json', 404]],
    write => [['POST', 'host/add.json', 400],
        ['POST', 'host/pause/' . sid_of('HT') . '.json', 404],
        ['POST', 'host/add.json', 200, { host => '10.0.1.1', name => 'n',
        type => 'rbl' }]],
    start => [['POST', 'check/start.json', 200, { host => '10.0.1.2' }],
        ['POST', 'check/start.json', 400]],
    none => [['GET', 'nothing.json', 404], ['POST', 'hosts.json', 405],
        ['GET', 'hosts.json', 401, undef, [$sid, '0' x 64]]],
);
my %at = (read => 3, write => 5, start => 7);
for my $kind (sort keys %calls) {
    for (@{ $calls{$kind} }) {
        my ($method, $path, $status, $form, $auth) = @$_;
        uncount();
        $r = call($t, $method, $path, $form ? (form => $form) : (),
            $auth ? (auth => $auth) : ());
        is($r->{status}, $status, "the status of $method $path is $status");
        my $raw = redis($redis, 'GET', redis_key('rate', $sid, $app));
        my $n = $raw ? mp_unpack($raw) : [(0) x 8];
        is_deeply([@$n[1, 3, 5, 7]], [$kind eq 'none' ? 0 : 1,
            map { $kind eq $_ ? 1 : 0 } qw(read write start)],
            "$method $path counts as $kind");
        is_deeply([@{ told($r) }[0, 1]], $kind eq 'none' ? [undef, undef]
            : [100, 99],
            "$method $path has the nearest limit if it is counted");
    }
}

limit('--reads', 1);
uncount();
$r = call($t, 'GET', 'hosts.json');
is_deeply(told($r), [1, 0, 1], 'the headers show a limit of one read a second');
ok(wait_for { ($r = call($t, 'GET', 'hosts.json'))->{status} == 429
    || (uncount(), call($t, 'GET', 'hosts.json')) && 0 } 5,
    'the second read within a second is refused');
is($r->{headers}{'retry-after'}, 1,
    'Retry-After of a second read is one second');
like(json($r)->{status_message}, qr/in 1 second\.$/,
    'the message has the wait');
is(call($t, 'POST', 'host/add.json')->{status}, 400, 'writes still work');
ok(wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 5,
    'reads work again after the wait');

# --- rate limit: exact numbers ---------------------------------------------

my $two = start_nginx(store => $redis, workers => 2);
wait_for { http($two, 'GET', '/3.0/hosts.json', auth => $t->{other})->{status}
    == 200 } 10, 'the other nginx';

# Sends requests at once, each on a connection of its own, and counts the
# statuses.
sub burst {
    my ($n, $method, $path, $form) = @_;

    my (@s, %got);
    for my $i (0 .. $n - 1) {
        my $server = $i % 2 ? $two : $t->{nginx};
        my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
            PeerPort => $server->{port}) or die "connect: $!";
        $s->autoflush(1);
        push @s, $s;
    }
    for my $i (0 .. $#s) {
        print { $s[$i] } http_head($method, "/3.0/$path", auth => $t->{acct},
            $form ? (form => $form->($i)) : ());
    }
    $got{ RblTest::Http::read_answer($_, 20)->{status} }++ for @s;
    return \%got;
}

my $n = 0;
my $add = sub { { host => '10.2.' . ($n >> 8) . '.' . ($n++ & 255),
    name => 'n', type => 'rbl' } };
for (['reads', 'GET', 'hosts.json'], ['writes', 'POST', 'host/add.json', $add],
    ['starts', 'POST', 'check/start.json', $add])
{
    my ($what, @call) = @$_;
    limit('--hour', 100);
    uncount();
    my $hosts = redis($redis, 'ZCARD', redis_key('hosts', $sid));
    my %sum;
    for my $round (1 .. 4) {
        my $got = burst(64, @call);
        $sum{$_} += $got->{$_} for keys %$got;
    }
    is_deeply(\%sum, { 200 => 100, 429 => 156 },
        "$what: 100 of 256 concurrent calls are within the limit");
    is(redis($redis, 'ZCARD', redis_key('hosts', $sid)) - $hosts,
        $what eq 'writes' ? 100 : 0, "$what: only accepted writes add hosts");
}

limit('--reads', 10);
uncount();
my $began = time;
my $passed = 0;
$passed += burst(64, 'GET', 'hosts.json')->{200} // 0 for 1 .. 6;
between($passed, 10, 10 * (int(time - $began) + 1),
    'ten reads a second pass and no more');

# --- a store that cannot count ---------------------------------------------

limit('--hour', 1000);
accepted(call($t, 'GET', 'hosts.json'), 'the totals are there again');
uncount();
redis($redis, 'HSET', redis_key('rate', $sid, $app), 'x', 'y');
unchanged {
    for (['GET', 'hosts.json'], ['POST', 'host/add.json', $add->()]) {
        my ($method, $path, $form) = @$_;
        $r = call($t, $method, $path, $form ? (form => $form) : ());
        ok($r->{status} >= 500,
            "$path: a request that cannot be counted is refused")
            or diag($r->{raw});
        is_deeply(told($r), [undef, undef, undef],
            "$path: a refused request has no limit headers");
    }
} $t, 'without a count';
uncount();

# Scripts wait while reads are answered: the request waits in the gate.
my $hosts = redis($redis, 'ZCARD', redis_key('hosts', $sid));
redis($redis, 'CLIENT', 'PAUSE', 60_000, 'WRITE');
for (['GET', 'hosts.json'], ['POST', 'host/add.json', $add->()]) {
    my ($method, $path, $form) = @$_;
    refused(call($t, $method, $path, $form ? (form => $form) : ()), 503,
        qr/^The store cannot be reached\. Nothing was changed/,
        "$path is refused if it is not counted in time");
}
# Requests of clients that disconnect.  nginx may just have dropped the
# connection on which the two requests before waited, so the first ones may be
# refused at once.
my $gone = sub { scalar(() = read_file("$t->{nginx}{dir}/access.log")
    =~ m{"POST /3\.0/host/add\.json HTTP\S+ (?:499|503) }g) };
my ($before, $asked) = ($gone->(), 0);
my $ask = sub {
    $asked++;
    my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $t->{nginx}{port}) or die "connect: $!";
    print {$s} http_head('POST', '/3.0/host/add.json', auth => $t->{acct},
        form => $add->());
    $s->flush;
    return $s;
};
ok(wait_for { my $s = $ask->(); sleep 0.05;
    redis($redis, 'CLIENT', 'LIST') =~ /cmd=evalsha/ } 5,
    'the request waits to be counted');
$ask->() for 1 .. 20;
# nginx must notice the disconnects before the store continues.
ok(wait_for { $gone->() - $before >= $asked } 5, 'nginx knows that they left');
redis($redis, 'CLIENT', 'UNPAUSE');
ok(wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 5,
    'nginx serves reads after the store continues');
is(redis($redis, 'ZCARD', redis_key('hosts', $sid)), $hosts,
    'requests that were cut off or refused changed nothing');

for (['x'], [-1, -1, -1, -1], [], [[1]], [0, 0], ['x', 'y', 'z', 'u', 'v'])
{
    token_with(limits => $_);
    # A worker that waited may drop its connection only now.
    wait_for { ($r = call($t, 'GET', 'hosts.json'))->{status} != 503 } 5;
    is($r->{status}, 200, 'junk is no limit') or diag($r->{raw});
}
redis($redis, 'SET', $key, $token);

# --- cost of a refused request ---------------------------------------------

# Nanoseconds that the workers use for so many refused requests to add this.
sub refused_ns {
    my ($host) = @_;

    my $ns = sub { sum(map { (split ' ', read_file($_))[0] }
        map { "/proc/$_/schedstat" } @{ $t->{workers} }) };
    my $before = $ns->();
    for (1 .. 100) {
        my $r = call($t, 'POST', 'host/add.json',
            form => { host => $host, name => 'n', type => 'rbl' });
        die $r->{raw} if $r->{status} != 429;
    }
    return $ns->() - $before;
}

limit('--hour', 1);
ok(wait_for { call($t, 'GET', 'hosts.json')->{status} == 429 } 5,
    'the hour is used up');
$t->{workers} = [RblRedis::workers_now($t->{nginx})];
# In turns, so that what others do concerns both; the least of each.
my @rounds = map { [map { refused_ns($_) } qw(10.33.0.0/22 10.33.0.1)] } 1 .. 6;
my ($large, $small) = map { my $i = $_; min(map { $_->[$i] } @rounds) } 0, 1;
cmp_ok($large / $small, '<', 2.5, sprintf '1,024 hosts that are refused cost '
    . 'the workers %.1f times what one does', $large / $small);

# --- clients that read the status in the body ------------------------------

my $legacy = start_nginx(store => $redis, api => 'rbl_legacy_errors on;');
wait_for { http($legacy, 'GET', '/3.0/hosts.json', auth => $t->{other})
    ->{status} == 200 } 10, 'an nginx with rbl_legacy_errors';
limit('--hour', 1);
http($legacy, 'GET', '/3.0/hosts.json', auth => $t->{acct});
$r = http($legacy, 'GET', '/3.0/hosts.json', auth => $t->{acct});
is_deeply([$r->{status}, json($r)->{status_code}], [200, 500],
    'a refusal has the legacy format');
between($r->{headers}{'retry-after'}, 1, 3600,
    'a refusal in the legacy format has Retry-After');

done_testing();
