#!/usr/bin/perl

# Hazards of Redis inside nginx that no other test shows (t/hazard/PLAN).

use strict;
use warnings;

use IO::Socket::INET;
use RblApi;
use RblFakeRedis;
use RblFault;
use RblRedis;
use RblTest;
use Time::HiRes qw(time);

sub get {
    my ($t, $path) = @_;

    return http($t->{nginx}, 'GET', $path, auth => $t->{acct});
}

# Requests being processed by nginx, including this one.
sub writing {
    my ($nginx) = @_;

    return http($nginx, 'GET', '/status')->{body} =~ /Writing: (\d+)/ ? $1 : 0;
}

my $watch = watch_env();
my $t = api_setup(workers => 1, env => $watch, api => 'rbl_max_page_size 3000;',
    server => q{
    location /status { stub_status; }
    location /both/ { addition_types *; add_before_body /3.0/listings.zabbix;
        add_after_body /3.0/hosts.json; root %%DIR%%; }
    });
my ($worker) = workers($t->{nginx});
mkdir "$t->{nginx}{dir}/both";
write_file("$t->{nginx}{dir}/both/x.txt", '|');

subtest 'hazard 05: large replies are read to the end' => sub {
    for my $net (0 .. 9) {
        call($t, 'POST', 'host/add.json', form => { type => 'rbl',
            host => '10.0.' . 4 * $net . '.0/24', name => 'n' x 200 });
    }
    is(json(call($t, 'GET', 'hosts.json'))->{total_hosts}, 2560,
        'many hosts with long names');
    my $before = time;
    my @r = map { call($t, 'GET', 'hosts.json?page_size=1024') } 1 .. 5;
    is(join(' ', map { $_->{status} } @r), '200 200 200 200 200',
        'the largest page, over and over');
    is(scalar @{ json($r[4])->{data} }, 1024,
        'the largest page has all 1,024 hosts');
    cmp_ok(length $r[4]{raw}, '>', 500_000, 'the page is more than one read');
};

subtest 'hazard 10: connections end while large pages are read' => sub {
    for my $round (1 .. 20) {
        my @c = map { client('reads', $t->{nginx}, http_head('GET',
            '/3.0/hosts.json?page_size=1024', auth => $t->{acct})) } 1 .. 4;
        select undef, undef, undef, $round / 1000;
        redis($t->{redis}, qw(CLIENT KILL TYPE normal SKIPME yes));
        RblTest::Http::read_answer($_, 5) for @c;
    }
    ok((wait_for { eval { @{ json(call($t, 'GET',
        'hosts.json?page_size=1024'))->{data} } == 1024 } } 5),
        'the account gets large pages afterwards');
};

subtest 'hazard 10: completions that send again as a connection ends' => sub {
    for my $round (1 .. 3) {
        pause_server($t->{redis});
        my @c = map { client('asks', $t->{nginx}, http_head('GET',
            '/both/x.txt', auth => $t->{acct})) } 1 .. 10;
        ok((wait_for { writing($t->{nginx}) == 11 } 3), 'requests are waiting');
        kill_server($t->{redis});
        my @r = map { RblTest::Http::read_answer($_, 5) } @c;
        is(scalar(grep { $_->{body} =~ /^-1\|.*"status_code":503/s } @r), 10,
            'each of two sub-requests gets a response, once');
        relaunch($t->{redis});
        init_store($t->{redis});
        ok((wait_for { call($t, 'GET', 'hosts.json')->{status} == 401 } 2),
            'nginx uses the store when it is back');
    }
};

subtest 'hazard 13: every batch is completed, ready or not' => sub {
    for my $name (qw(absent crowded cut foreign)) {
        with_fault($name, $t->{redis}, sub {
            my @c = map { client('asks', $t->{nginx}, http_head('GET',
                "/both/x.txt", auth => $t->{acct})) } 1 .. 10;
            is(scalar(grep { RblTest::Http::read_answer($_, 5)->{complete} }
                @c), 10, "$name: each request gets a response");
        });
    }
    ok((wait_for { writing($t->{nginx}) == 1 } 3),
        'no request is left in nginx');
};

subtest 'hazard 06: a descriptor is closed once' => sub {
    is_deeply([grep { /^close/ } watched($watch, $worker)], [],
        'no descriptor was closed twice by the faults');
    stop_server($t->{nginx});
    is_deeply([grep { /^close/ } watched($watch, $worker)], [],
        'no descriptor is closed twice at the end of the worker');
};

subtest 'hazard 08: names are resolved when nginx starts, not later' => sub {
    my $redis = start_redis(port => 1);
    store_meta($redis);
    my $nginx = start_nginx(store_addr => "localhost:$redis->{port}",
        workers => 1, env => $watch);
    my ($w) = workers($nginx);
    ok((wait_for { ask($nginx) == 401 } 3), 'a store by its name is used');
    redis($redis, 'CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    ok((wait_for { messages($nginx, qr/ is ready/) == 2 } 3),
        'nginx connects to the store again');
    like(read_file($watch->{RBL_WATCH}), qr/^resolve \d+ localhost$/m,
        'nginx resolves the name at its start');
    is_deeply([watched($watch, $w)], [], 'the worker resolves no name');
    stop_server($nginx);
};

subtest 'hazard 09: connecting has an end' => sub {
    my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1)
        or die "listen: $!";
    my $port = $listen->sockport;
    my @fill = map { IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $port, Blocking => 0) } 1 .. 8;
    my $nginx = start_nginx(store_addr => "127.0.0.1:$port", workers => 1,
        http => 'rbl_store_timeout 300ms;');
    is(ask($nginx), 503, 'a store that does not even take connections: 503');
    cmp_ok(request_took($nginx, qr/ 503 /), '<', 1.5,
        'the 503 comes within 1.5 s');
    ok((wait_for { messages($nginx,
        qr/not ready: no reply while connecting/) } 3),
        'the log has the reason');
    stop_server($nginx);
};

subtest 'hazard 12: refusals of the store are distinguished' => sub {
    my $fake = start_fake('good');
    my $nginx = start_nginx(store => $fake, workers => 1,
        http => 'rbl_store_timeout 300ms;');
    for my $case ([late_loading => qr/is not ready: LOADING/],
        [readonly => qr/is not ready: READONLY/],
        [masterdown => qr/is not ready: MASTERDOWN/],
        [oom => qr/answers [^:]+: OOM/],
        [noscript => qr/answers [^:]+: NOSCRIPT/],
        [strange => qr/answers [^:]+: ERR strange/],
        [maxclients => qr/is not ready: ERR max number of clients/])
    {
        my ($mode, $message) = @$case;
        fake_mode($fake, 'good');
        wait_for { ask($nginx) == 401 } 3, 'service';
        fake_mode($fake, $mode);
        ok((wait_for { ask($nginx) == 503 && messages($nginx, $message) } 3),
            "$mode: the API answers 503 and logs $message");
    }
    stop_server($nginx);
};

subtest 'hazard 14: a worker without memory' => sub {
    plan skip_all => 'needs an address space of its own (no sanitizer)'
        if defined $ENV{RBL_NGINX} || nginx_env();

    my $fake = start_fake('good');
    my $nginx = start_nginx(store => $fake, workers => 1);
    ok((wait_for { ask($nginx) == 401 } 3), 'nginx serves the API');
    my ($w) = workers($nginx);
    my $kib = read_file("/proc/$w/status") =~ /^VmSize:\s+(\d+)/m ? $1 : 0;
    run_cmd('prlimit', "--pid=$w", '--as=' . 1024 * ($kib + 3000));

    expect_alert(qr{malloc\(\d+\) failed});
    fake_mode($fake, 'flood');
    like(ask($nginx), qr/^(?:0|500|503)$/, 'a reply that does not fit');
    fake_mode($fake, 'good');
    ok((wait_for { ask($nginx) == 401 } 5),
        'the API serves when the store is back');
    is(join(' ', workers($nginx)), $w, 'the worker lives');
    stop_server($nginx);
};

done_testing();
