#!/usr/bin/perl

# Reload with another configuration, quit and stop, with a store that hangs or
# is away.  A clean error log is checked at the end of every test.  Reloads
# under load: reload.t; how processes end: t/hazard/process.t.

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
    ok(wait_for { ask($nginx) == 401 } 3,
        'nginx answers requests from the store');
    return $nginx;
}

# Requests that the store has received and does not answer.
sub hang {
    my ($nginx) = @_;

    pause_server($redis);
    my @c = map { send_request($nginx) } 1 .. 4;
    ok(wait_for { writing($nginx) > 4 } 3, 'the requests wait for the store');
    return @c;
}

# Requests being processed by nginx, including this one.
sub writing {
    my ($nginx) = @_;

    return http($nginx, 'GET', '/status')->{body} =~ /Writing: (\d+)/ ? $1 : 0;
}

sub gone {
    my (@pids) = @_;

    return !grep { kill 0, $_ } @pids;
}

# reload, twice, with a changed configuration

my $nginx = nginx(workers => 2);
my (@old, @waiting);
my $conf = read_file($nginx->{conf_path});
$conf =~ s/rbl_api on;/rbl_api on; rbl_realm again; rbl_store_timeout 4s;/;
write_file($nginx->{conf_path}, $conf);
for (1, 2) {
    @old = workers($nginx, 2);
    signal_server($nginx, 'HUP');
    ok(wait_for { gone(@old) } 5, 'idle workers leave at once');
}
ok(wait_for { ask($nginx) == 401 } 2,
    'nginx answers requests after the reload');

stop_server($nginx);

# quit while the store is away: its timers do not hold the worker

my $dir = temp_dir();
$nginx = start_nginx(store_addr => "unix:$dir/none", workers => 2);
is(ask($nginx), 503, 'a request without a store gets 503');
signal_server($nginx, 'QUIT');
ok(wait_for { !alive($nginx) } 2, 'quit ends at once without a store');

# quit, and the store never answers: the deadline ends the worker

$nginx = nginx(workers => 1, http => 'rbl_store_timeout 1500ms;');
@waiting = hang($nginx);
signal_server($nginx, 'QUIT');
is(scalar(grep { status_line($_) =~ / 503 / } @waiting), 4,
    'quit with a hung store: 503 at the deadline');
ok(wait_for { !alive($nginx) } 5, 'nginx ends after the deadline');
cont_server($redis);

# stop with requests in progress

$nginx = nginx(workers => 2);
@waiting = hang($nginx);
ok(stop_server($nginx, 3, 'TERM'), 'stop with requests under way');
close $_ for @waiting;
cont_server($redis);

# one process only

$nginx = nginx(main => 'master_process off;', workers => 1);
ok(stop_server($nginx), 'nginx without a master process stops');

# A reload of such a process leaves it without connections, which is a matter of
# nginx, but the module must not use objects of the old configuration.

$nginx = nginx(main => 'master_process off;', workers => 1,
    text => 'rbl_zone rbl 1m;');
for my $size (2, 3) {
    my $conf = read_file($nginx->{conf_path});
    $conf =~ s/rbl_zone rbl \S+;/rbl_zone rbl ${size}m;/ or die $conf;
    write_file($nginx->{conf_path}, $conf);
    my $before = messages($nginx, qr/using the "epoll"/);
    signal_server($nginx, 'HUP');
    ok(wait_for { messages($nginx, qr/using the "epoll"/) > $before } 5,
        "the shared memory becomes $size MiB");
    # The statistics timer runs every second.
    sleep 2;
    ok(alive($nginx), "nginx lives after the reload to $size MiB");
}
ok(stop_server($nginx), 'nginx stops after the reloads');

done_testing();
