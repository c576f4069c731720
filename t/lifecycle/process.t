#!/usr/bin/perl

# Reload, quit, stop and the cache manager, with requests that wait for a store
# that hangs.  A clean error log is checked at the end of every test.

use strict;
use warnings;

use lib 't/lib';
use RblRedis;
use RblTest;

my $redis = start_redis();
store_meta($redis);

sub nginx {
    my (%opt) = @_;

    my $nginx = start_nginx(store => $redis,
        http => 'rbl_store_timeout 5s; ' . ($opt{text} // ''),
        server => 'location /status { stub_status; }', %opt);
    ok(wait_for { ask($nginx) == 401 } 3, 'service');
    return $nginx;
}

# Requests that the store has, and that it does not answer.
sub hang {
    my ($nginx) = @_;

    pause_server($redis);
    my @c = map { send_request($nginx) } 1 .. 4;
    ok(wait_for { writing($nginx) > 4 } 3, 'requests are waiting');
    return @c;
}

# Requests that nginx works on, with this one.
sub writing {
    my ($nginx) = @_;

    return http($nginx, 'GET', '/status')->{body} =~ /Writing: (\d+)/ ? $1 : 0;
}

sub gone {
    my (@pids) = @_;

    return !grep { kill 0, $_ } @pids;
}

# reload: the old workers finish what they have, new ones serve

my $nginx = nginx(workers => 2);
my @old = workers($nginx, 2);
my @waiting = hang($nginx);

signal_server($nginx, 'HUP');
ok(wait_for { my %w = map { $_ => 1 } workers_now($nginx);
    grep { !$w{$_} } @old or keys %w >= 4 } 5, 'reload: new workers are there');
is(scalar(grep { kill 0, $_ } @old) > 0, 1, 'old ones wait for their requests');
cont_server($redis);
is(scalar(grep { status_line($_) =~ / 401 / } @waiting), 4,
    'which are answered as if nothing had been');
ok(wait_for { gone(@old) } 5, 'then the old workers leave');
ok(wait_for { ask($nginx) == 401 } 2, 'the new ones serve');

# again, twice at once, with a changed configuration

my $conf = read_file($nginx->{conf_path});
$conf =~ s/rbl_api on;/rbl_api on; rbl_realm again; rbl_store_timeout 4s;/;
write_file($nginx->{conf_path}, $conf);
for (1, 2) {
    @old = workers($nginx, 2);
    signal_server($nginx, 'HUP');
    ok(wait_for { gone(@old) } 5, 'idle workers leave at once');
}
ok(wait_for { ask($nginx) == 401 } 2, 'service');

# quit

@waiting = hang($nginx);
signal_server($nginx, 'QUIT');
ok(wait_for { messages($nginx, qr/gracefully shutting down/) } 5, 'quit');
ok(alive($nginx), 'nginx waits');
cont_server($redis);
is(scalar(grep { status_line($_) =~ / 401 / } @waiting), 4, 'for the answers');
ok(wait_for { !alive($nginx) } 5, 'and ends');

# quit while the store is away: its timers do not hold the worker

my $dir = temp_dir();
$nginx = start_nginx(store_addr => "unix:$dir/none", workers => 2);
is(ask($nginx), 503, 'no store');
signal_server($nginx, 'QUIT');
ok(wait_for { !alive($nginx) } 2, 'quit ends at once without a store');

# quit, and the store never answers: the deadline ends it

$nginx = nginx(workers => 1);
@waiting = hang($nginx);
signal_server($nginx, 'QUIT');
is(scalar(grep { status_line($_) =~ / 503 / } @waiting), 4,
    'quit with a hung store: 503 at the deadline');
ok(wait_for { !alive($nginx) } 5, 'then the end');
cont_server($redis);

# worker_shutdown_timeout cuts in before the deadline

$nginx = nginx(workers => 1, main => 'worker_shutdown_timeout 300ms;');
@waiting = hang($nginx);
signal_server($nginx, 'QUIT');
ok(wait_for { !alive($nginx) } 3, 'worker_shutdown_timeout ends the worker');
close $_ for @waiting;
cont_server($redis);

# stop with requests under way

$nginx = nginx(workers => 2);
@waiting = hang($nginx);
ok(stop_server($nginx, 3), 'stop with requests under way');
close $_ for @waiting;
cont_server($redis);

# a worker that is killed

$nginx = nginx(workers => 1);
my ($worker) = workers($nginx);
expect_alert("worker process $worker exited on signal 9");
kill 'KILL', $worker;
ok(wait_for { my ($w) = workers_now($nginx); $w && $w != $worker } 5,
    'a worker that is killed is replaced');
ok(wait_for { ask($nginx) == 401 } 2, 'and serves');
stop_server($nginx);

# cache manager and loader have no use for the store

mkdir "$dir/cache";
$nginx = nginx(workers => 1, text =>
    "proxy_cache_path $dir/cache keys_zone=z:1m;");
($worker) = workers($nginx);
my @clients = grep { !/cmd=client/ } split /\n/, redis($redis, 'CLIENT', 'LIST');
is(scalar @clients, 1, 'with a cache manager: one connection, the worker\'s');
stop_server($nginx);

# one process only

$nginx = nginx(main => 'master_process off;', workers => 1);
ok(stop_server($nginx), 'without a master process');

done_testing();
