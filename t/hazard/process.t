#!/usr/bin/perl

# Hazards in the life of nginx's processes that no other test shows
# (t/hazard/PLAN), and the ways in which processes of both programs end.

use strict;
use warnings;

use RblCheckd;
use RblDns;
use RblFault;
use RblRedis;
use RblTest;
use Time::HiRes qw(sleep);

my $dns = RblDns->new(rules => [[ '.', { a => ['127.0.0.2'] } ]]);
my $w = world(no_dns => 1, zones => { 'a.test' => {} },
    redis => { appendonly => 1, args => ['--appendfsync', 'always'] });
my $redis = $w->{redis};
my $read = http_head('GET', '/3.0/hosts.json', auth => $w->{acct});

sub nginx {
    my (%opt) = @_;

    my $nginx = start_nginx(store => $redis, workers => 1, %opt,
        http => 'rbl_store_timeout 5s; ' . ($opt{http} // ''),
        server => 'location /status { stub_status; }');
    ok((wait_for { served($nginx) } 3), 'nginx serves the API');
    return $nginx;
}

sub served {
    my ($nginx) = @_;

    return http($nginx, 'GET', '/3.0/hosts.json', auth => $w->{acct})
        ->{status} == 200;
}

# Requests that wait for a store that hangs.
sub waiting {
    my ($nginx, $n) = @_;

    my @c = map { client('asks', $nginx, $read) } 1 .. $n;
    wait_for { http($nginx, 'GET', '/status')->{body} =~ /Writing: (\d+)/
        && $1 > $n } 3, 'requests are waiting';
    return @c;
}

# {title => pid} of the children of an nginx
sub children {
    my ($nginx) = @_;

    my %pid;
    for my $stat (glob '/proc/[0-9]*/stat') {
        my ($pid, $ppid) = read_file($stat) =~ /^(\d+) \(.*\) \S (\d+) /s;
        next if !$pid || $ppid != $nginx->{pid};
        $pid{$1} = $pid if read_file("/proc/$pid/cmdline")
            =~ /^nginx: ([a-z ]+?)(?: process)?(?: is .*)?\0*$/;
    }
    return \%pid;
}

subtest 'hazard 15: the module keeps nothing beside its configuration' => sub {

    # Variables that are written at run time, and so could outlive a
    # configuration, are in .bss.  These are allowed: the digest context and the
    # time; the page cache (numbers, SIDs and texts; its pointers to a
    # configuration are only compared); the credential cache with the key and the
    # context of its hash; the queue of large responses, which has living requests
    # only; the cached due times and numbers of lists, which have a pointer to a
    # store for comparison; what is known about each store, which a worker makes
    # at its start and frees at its end;
    # the table of calls and its index, constants that each configuration sets;
    # statistics, and whether the stores run here, which are set when a worker
    # starts.
    my %may = map { $_ => 1 } qw(md ngx_rbl_pages ngx_rbl_pages_held
        ngx_rbl_pages_next ngx_rbl_pages_used ngx_rbl_logins
        ngx_rbl_login_keys ngx_rbl_login_keyed ngx_rbl_places
        ngx_rbl_progresses ngx_rbl_verdicts ngx_rbl_nverdicts
        ngx_rbl_routes ngx_rbl_nroutes ngx_rbl_route_first
        ngx_rbl_route_next ngx_rbl_running ngx_rbl_counts_now
        ngx_rbl_counts_own ngx_rbl_meter_own ngx_rbl_shm_block
        ngx_rbl_usages ngx_rbl_nusages);
    my $objects = build_dir() . '/nginx/addon';
    my @kept = grep { !$may{$_} && !/^_/ } map { s/\.\d+$//r }
        map { / O \.bss\s+\S+\s+(\S+)$/ } map { split /\n/,
            run_cmd('objdump', '-t', $_)->{out} }
        map { s{.*/(.+/.+)\.c$}{$objects/$1.o}r }
        map { glob repo_dir() . "/ngx_rbl_module/$_" } qw(*.c */*.c);
    is_deeply(\@kept, [], 'no variable of its own');

    my $nginx = nginx();
    my $conf = read_file($nginx->{conf_path});
    for my $i (1 .. 4) {
        my @old = workers($nginx);
        write_file($nginx->{conf_path}, $i % 2 ? $conf =~ s/(rbl_api on;)/$1
            } location \/other\/ { rbl_api on; rbl_store_timeout 4s;/r : $conf);
        signal_server($nginx, 'HUP');
        wait_for { my @now = workers_now($nginx);
            @now == 1 && $now[0] != $old[0] } 5, 'the new worker';
        ok((wait_for { served($nginx) } 3), "reload $i, with "
            . ($i % 2 ? 'another store' : 'one store'));
    }
    stop_server($nginx);
};

subtest 'hazard 26: cache manager and loader have no store' => sub {
    mkdir temp_dir() . '/cache';
    my $nginx = nginx(http => 'proxy_cache_path ' . temp_dir()
        . '/cache keys_zone=z:1m;');
    my $of = {};
    ok((wait_for { $of = children($nginx);
        3 == grep { defined } @$of{qw(worker), 'cache manager',
            'cache loader'} } 5), 'both are there');

    # They have been through their first turn when they sleep.
    my @idle = @$of{'cache manager', 'cache loader'};
    ok((wait_for { 2 == grep { read_file("/proc/$_/stat") =~ /\) S / } @idle }
        5), 'the cache manager and loader have nothing to do');
    my @clients = grep { /user=|addr=/ && !/cmd=client|rbl-replica/ }
        split /\n/, redis($redis, 'CLIENT', 'LIST');
    # In a cluster it has two links to each master.
    is(scalar @clients, $redis->{nodes} ? 2 * $ENV{RBL_REDIS_CLUSTER} : 1,
        'the store has one client, the worker');
    stop_server($nginx);
};

subtest 'hazard 27: nothing is open when a worker ends' => sub {
    for my $fault (undef, qw(hung absent crowded)) {
        my $nginx = nginx();
        my $end = sub {
            wait_for { !served($nginx) } 8,
                'the fault to take effect' if $fault;
            signal_server($nginx, 'QUIT');
            ok((wait_for { !alive($nginx) } 8), 'nginx exits: '
                . ($fault // 'no fault'));
            no_message($nginx, qr/open socket|\[alert\]/, 'no alert');
        };
        $fault ? with_fault($fault, $redis, $end) : $end->();
    }
};

subtest 'hazard 28: worker_shutdown_timeout with requests waiting' => sub {
    my $nginx = nginx(main => 'worker_shutdown_timeout 300ms;');
    with_fault('hung', $redis, sub {
        my @c = waiting($nginx, 10);
        signal_server($nginx, 'QUIT');
        my @r = map { RblTest::Http::read_answer($_, 4) } @c;
        my $told = grep { $_->{status} == 503 && $_->{complete} } @r;

        # nginx closes connections in the order of their slots; it closes those
        # with a slot before the store's itself.
        cmp_ok($told, '>=', 8, 'eight or more waiting clients get a 503');
        is($told + grep({ $_->{raw} eq '' } @r), 10,
            'each waiting client gets a 503 or nothing');
        ok((wait_for { !alive($nginx) } 3),
            'the worker ends after the timeout');
    });
};

subtest 'hazard 29: a graceful end leaves the connection alone' => sub {
    my $nginx = nginx();
    my @c;
    with_fault('hung', $redis, sub {
        @c = waiting($nginx, 10);
        signal_server($nginx, 'QUIT');
        ok((wait_for { messages($nginx, qr/gracefully shutting down/) } 5),
            'nginx starts a graceful shutdown');
        sleep 0.1;
    });
    my @r = map { RblTest::Http::read_answer($_, 4) } @c;
    is(scalar(grep { $_->{status} == 200 } @r), 10, 'all get a response');
    ok((wait_for { !alive($nginx) } 5),
        'the worker ends after its last response');
};

subtest 'a worker that dies affects no other' => sub {

    # A sanitizer must not report intended crashes.
    my $nginx = nginx(workers => 2, env => { ASAN_OPTIONS => join ':',
        $ENV{ASAN_OPTIONS} // (), 'handle_segv=0:handle_abort=0' });
    for my $end (qw(killed crashed aborted)) {
        my @old = workers($nginx, 2);
        my @c;
        with_fault('hung', $redis, sub {
            @c = waiting($nginx, 12);
            expect_alert("worker process $old[0] exited on signal");
            strike($end, $old[0]);
            wait_for { my @now = workers_now($nginx);
                @now == 2 && !grep { $_ == $old[0] } @now } 5, 'another';
        });
        my %n;
        $n{ RblTest::Http::read_answer($_, 5)->{status} }++ for @c;
        is(($n{0} // 0) + ($n{200} // 0), 12,
            "$end: cut off with it, or served by the other");
        ok((wait_for { served($nginx) } 3), "$end: nginx serves the API");
    }
    stop_server($nginx);
};

# t/checkd tests the ways in which a daemon ends under load.
subtest 'a daemon that is killed, stopped, restarted' => sub {
    my $start = sub { start_checkd(store => $redis, resolver =>
        { port => $dns->port }, conf => { conf_short(@_) }) };
    my $daemon = $start->(name => 'one');
    my $check = sub { wait_check($w, check_value($w, $_[0]), 15)->{status} };

    is($check->('10.0.0.1'), 'completed', 'the daemon completes a check');
    strike('killed', $daemon->{pid});
    wait_for { !alive($daemon) } 5, 'its end';
    my $pp = check_value($w, '10.0.0.2');
    relaunch($daemon);
    is(wait_check($w, $pp, 15)->{status}, 'completed',
        'a restarted daemon completes the check');
    pause_server($daemon);
    $pp = check_value($w, '10.0.0.3');
    my $other = $start->(name => 'two');
    is(wait_check($w, $pp, 20)->{status}, 'completed',
        'another daemon completes the check of a paused one');
    cont_server($daemon);
    is($check->('10.0.0.4'), 'completed',
        'a check is completed beside two daemons');
    ok(stop_server($_), 'the daemon stops cleanly') for $other, $daemon;
    is(jobs_left($w), 0, 'no job is left in the store');
};

subtest 'hazard 31: sanitized builds see into pools' => sub {
    for my $script (qw(build.sh nginx-asan.sh)) {
        like(read_file(repo_dir() . "/ngx_rbl_module/$script"),
            qr/^[^#]*-DNGX_DEBUG_PALLOC=1/m,
            "$script sets NGX_DEBUG_PALLOC");
    }
    like(run_cmd($ENV{RBL_NGINX}, '-V')->{err}, qr/NGX_DEBUG_PALLOC=1/,
        'as this nginx does') if defined $ENV{RBL_NGINX};
};

$dns->stop;
done_testing();
