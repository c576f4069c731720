#!/usr/bin/perl

# rbl_status: counters of all workers together, exact over a reload and the
# death of a worker, in JSON and in Prometheus' text format, with and without a
# store.

use strict;
use warnings;

use RblApi;
use RblFault;
use RblPrometheus;
use RblRedis;
use RblTest;

my $port = free_port();
my $t = api_setup(redis => { cluster => 1 },    # connections are counted
    workers => 2, http => <<"CONF", server => <<'CONF');
    rbl_zone rbl 1m;
    rbl_store_timeout 300ms;
    log_format pid '\$pid';
    server {
        listen 127.0.0.1:$port reuseport;
        access_log %%DIR%%/pids.log pid;
        location /3.0/ { rbl_api on; }
    }
CONF
    location /etag/ { rbl_api on; rbl_etag on; }
    location /status { rbl_status; if ($arg_x) { set $y 1; } }
    location /metrics {
        rbl_status prometheus;
        limit_except GET { deny all; }
    }
CONF
my $nginx = $t->{nginx};

# A port where the kernel distributes connections to both workers.
my $both = { %$t, nginx => { %$nginx, port => $port } };

sub status {
    my $r = http($nginx, 'GET', '/status', @_);
    return json($r);
}

wait_for { status()->{store}{ready} == 2 } 5, 'both workers';

# Increments since the last call.
my $before = status();
sub since {
    my $now = status();
    my %d = map { $_ => $now->{$_} - $before->{$_} }
        qw(requests refused_logins unavailable);
    for my $group (qw(answers endpoints)) {
        my %sum = map { $_ => $now->{$group}{$_} - $before->{$group}{$_} }
            keys %{ $now->{$group} };
        $d{$group} = { map { $_ => $sum{$_} } grep { $sum{$_} } keys %sum };
    }
    $d{batches} = $now->{store}{latency}{count}
        - $before->{store}{latency}{count};
    $before = $now;
    return \%d;
}

# --- format -----------------------------------------------------------------

my $r = http($nginx, 'GET', '/status');
is($r->{status}, 200, 'rbl_status answers with 200');
is($r->{headers}{'content-type'}, 'application/json; charset=utf-8',
    'rbl_status answers in JSON');
is($r->{headers}{'cache-control'}, 'no-store', 'the status must not be cached');
is_deeply([map { $before->{$_} // 'none' } qw(workers)], [2],
    'the status counts two workers');
is_deeply([@{ $before->{store} }{qw(connections ready pending)}], [2, 2, 0],
    'both workers are connected to the store');
unlike($r->{body}, qr/\Q@{[ temp_dir() ]}\E|AC[0-9a-f]{32}|secret/,
    'the status has no address and no account');
$r = http($nginx, 'HEAD', '/status');
is("$r->{status} $r->{body}", '200 ', 'the response to HEAD has no body');
is(http($nginx, 'POST', '/status', form => {})->{status}, 405,
    'rbl_status refuses a POST');
is(http($nginx, 'POST', '/metrics', form => {})->{status}, 403,
    'limit_except in the location is effective');
is(http($nginx, 'GET', '/status?x=1')->{status}, 200,
    'rbl_status works beside an if block');

# --- exact numbers over two workers -----------------------------------------

since();
my %made;
sub make {
    my ($n, $code, $endpoint, $method, $path, %opt) = @_;

    for (1 .. $n) {
        my $got = call($both, $method, $path, %opt)->{status};
        $code == $got or diag("$path: $got");
    }
    $made{answers}{$code} += $n;
    $made{endpoints}{$endpoint} += $n;
    $made{requests} += $n;
}

sub make_all {
    %made = (refused_logins => 3, unavailable => 0);
    make(20, 200, 'hosts', GET => 'hosts.json');
    make(2, 200, 'hosts', HEAD => 'hosts.xml');
    make(10, 200, 'listings', GET => 'listings.json');
    make(5, 200, 'listings', GET => 'listings.zabbix');
    make(2, 400, 'host/add', POST => 'host/add.json', form => {});
    make(3, 401, 'hosts', GET => 'hosts.json', auth => undef);
    make(4, 404, 'unknown', GET => 'nothing.json');
    make(6, 404, 'host', GET => 'host/' . sid_of('HT') . '.json');
    make(7, 405, 'host/add', GET => 'host/add.json');
    make(1, 413, 'host/add', POST => 'host/add.json',
        form => { name => 'x' x 70_000 });
}

make_all();
my $d = since();
my $batches = delete $d->{batches};
is_deeply($d, \%made, 'each request is counted, once');
cmp_ok($batches, '>=', 45, "the status counts $batches batches of commands");
my %pids = map { $_ => 1 } split /\n/, read_file("$nginx->{dir}/pids.log");
is(scalar keys %pids, 2, 'two workers serve the requests');

$r = http($nginx, 'GET', '/etag/hosts.json', auth => $t->{acct});
$r = http($nginx, 'GET', '/etag/hosts.json', auth => $t->{acct},
    headers => ["If-None-Match: $r->{headers}{etag}"]);
is($r->{status}, 304, 'a read with a known ETag is a 304');
is_deeply(since()->{answers}, { 200 => 1, 304 => 1 },
    'a 304 is counted as such');

# --- Prometheus -------------------------------------------------------------

$r = http($nginx, 'GET', '/metrics');
is($r->{headers}{'content-type'}, 'text/plain; version=0.0.4; charset=utf-8',
    'the metrics have the type of the text format');
my $m = eval { prometheus($r->{body}) } // {};
is($@, '', 'each line is of its grammar');
for my $f (sort keys %$m) {
    ok($m->{$f}{help} && $m->{$f}{type} && $m->{$f}{samples},
        "$f has help, type and samples");
    is(($f =~ /_total$/ ? 1 : 0), ($m->{$f}{type} eq 'counter' ? 1 : 0),
        "$f has the name of its type");
}

my $j = status();
my %want;
$want{qq(rbl_requests_total{endpoint="$_"})} = $j->{endpoints}{$_}
    for keys %{ $j->{endpoints} };
is_deeply($m->{rbl_requests_total}{samples}, \%want,
    'the metrics have the same endpoints');
%want = map { (qq(rbl_answers_total{code="$_"}) => $j->{answers}{$_}) }
    keys %{ $j->{answers} };
is_deeply($m->{rbl_answers_total}{samples}, \%want,
    'the metrics have the same codes');
is($m->{rbl_workers}{samples}{rbl_workers}, 2,
    'the metrics have the same number of workers');
is($m->{"rbl_store_$_"}{samples}{"rbl_store_$_"}, $j->{store}{$_},
    "the metrics have the same number: $_") for qw(connections ready pending);

my $h = $m->{rbl_store_latency_seconds};
is($h->{type}, 'histogram', 'the latency is a histogram');
my @bucket = grep { /_bucket/ } @{ $h->{order} };
my @le = map { /le="([^"]+)"/ } @bucket;
is_deeply([@le[0 .. $#le - 1]], [sort { $a <=> $b } @le[0 .. $#le - 1]],
    'the bounds of the histogram grow');
is($le[-1], '+Inf', 'the last bound of the histogram is infinity');
my @n = map { $h->{samples}{$_} } @bucket;
is_deeply(\@n, [sort { $a <=> $b } @n], 'the numbers of the histogram grow');
is($h->{samples}{rbl_store_latency_seconds_count}, $n[-1],
    'the last bucket has the count of all');
cmp_ok($h->{samples}{rbl_store_latency_seconds_sum}, '>', 0,
    'the sum of the latencies is positive');
cmp_ok($h->{samples}{rbl_store_latency_seconds_sum}, '<', 0.1 * $n[-1],
    'the average latency is below 100 ms');

# --- a reload, and a worker that dies ---------------------------------------

sub others {
    my (@old) = @_;

    return wait_for {
        my %now = map { $_ => 1 } workers_now($nginx);
        keys %now == 2 && !grep { $now{$_} } @old;
    } 10, 'other workers';
}

since();
my @old = workers($nginx, 2);
make_all();
signal_server($nginx, 'HUP');
ok(others(@old), 'a reload replaces the workers');
delete $made{$_} for qw(refused_logins unavailable);
my %half = map { $_ => ref $made{$_} ? { %{ $made{$_} } } : $made{$_} }
    keys %made;
make_all();
for my $group (qw(answers endpoints)) {
    $made{$group}{$_} += $half{$group}{$_} for keys %{ $half{$group} };
}
$made{requests} += $half{requests};
$made{refused_logins} = 6;
$d = since();
delete $d->{batches};
is_deeply($d, \%made, 'the counters are exact over a reload');
ok((wait_for { my $s = status(); $s->{workers} == 2
    && $s->{store}{connections} == 2 && $s->{store}{ready} == 2 } 5),
    'of workers that are there');

expect_alert(qr/worker process \d+ exited on signal 9/);
@old = workers($nginx, 2);
kill 'KILL', $old[0];
ok((wait_for { my @w = workers_now($nginx);
    @w == 2 && !grep { $_ == $old[0] } @w } 5), 'a worker is killed');
since();
make_all();
$d = since();
delete $d->{batches};
is($d->{requests}, 60, 'the counters are exact after the death of a worker');
ok((wait_for { my $s = status(); $s->{workers} == 2
    && $s->{store}{connections} == 2 && $s->{store}{ready} == 2 } 5),
    'the dead one is not among those that are there');

# --- without a store --------------------------------------------------------

since();
my $lost = status()->{store};
with_fault('hung', $t->{redis}, sub {
    is(call($t, 'GET', 'hosts.json')->{status}, 503,
        'a read is refused while the store hangs');
    is(http($nginx, 'GET', '/status')->{status}, 200,
        'rbl_status answers while the store hangs');
});
kill_server($t->{redis});
ok((wait_for { status()->{store}{ready} == 0 } 5), 'no connection is ready');
my $away = 0;
call($both, 'GET', 'hosts.json')->{status} == 503 and $away++ for 1 .. 10;
is($away, 10, 'the store is down');
my $s = status();
is($s->{unavailable}, $before->{unavailable} + 11, 'the requests are counted');
# Each worker has one connection, and perhaps a second one, on which it checks
# that the store lives.
like($s->{store}{connections}, qr/^[234]$/, 'there should be connections');
cmp_ok($s->{store}{away}, '>=', $lost->{away} + 10, 'batches found no store');
cmp_ok($s->{store}{lost}, '>=', $lost->{lost} + 1,
    'one connection or more is lost');
is($s->{store}{pending}, 0, 'no command waits without a store');
is(eval { ref prometheus(http($nginx, 'GET', '/metrics')->{body}) }, 'HASH',
    'the metrics are valid without a store');
restart_server($t->{redis});
init_store($t->{redis});
ok((wait_for { my $n = status();
    $n->{store}{ready} == $n->{store}{connections}
    && $n->{store}{reconnects} >= $lost->{reconnects} + 2 } 10),
    'reconnects are counted');

done_testing();
