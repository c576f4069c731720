#!/usr/bin/perl

# A replica.  The module reads from it while its link to the master is up; it
# refuses writes, and other requests are not affected.  Without its master it
# counts as away, because its data may be outdated.
#
# Alone: waits for the master's silence.

use strict;
use warnings;

use RblApi;
use RblRedis;

# Replicas are not waited for to come together.
my @at_once = (port => 1, cluster => 0,
    args => ['--repl-diskless-sync-delay', 0]);
my $master = start_redis(@at_once);
init_store($master, lists => repo_dir() . '/conf/lists.json');
my $t = { redis => $master, acct => make_account($master) };
daemon_seen($t);

sub replica_of {
    my ($server) = @_;

    my $r = start_redis(@at_once);
    redis($r, 'REPLICAOF', '127.0.0.1', $server->{port});
    ok((wait_for { redis($r, 'INFO', 'replication')
        =~ /master_link_status:up/ } 20),
        'the replica is connected to its master');
    return $r;
}

sub nginx_of {
    my ($redis) = @_;

    return start_nginx(store => $redis, workers => 1,
        http => 'rbl_store_timeout 5s; rbl_zone rbl 1m;');
}

sub nagios { return call($t, 'GET', 'listings.nagios')->{body} }
sub says { my ($re) = @_; return wait_for { nagios() =~ $re } 5 }
sub links { return messages($t->{nginx}, qr/" is waiting/) }

my $replica = replica_of($master);
$t->{nginx} = nginx_of($replica);
ok(says(qr/^OK /), 'the module reads from the replica');
ok(messages($t->{nginx}, qr/ is a replica: writes are refused/),
    'the log says that the store is a replica');

for my $n (1 .. 3) {
    my @reads = map { send_request($t->{nginx}) } 1 .. 10;
    my $r = call($t, 'POST', 'host/add.json',
        form => { type => 'rbl', host => "192.0.2.$n", name => 'n' });
    is($r->{status}, 503, 'a write is refused');
    like($r->{body}, qr/Nothing was changed/,
        'the response says that nothing was changed');
    is(scalar(grep { status_line($_) =~ / 401 / } @reads), 10,
        'reads beside it get a response');
}
# Statistics are sent once a second.
wait_for { messages($t->{nginx}, qr/app_usage: READONLY/) } 5,
    'statistics that are refused';
like(nagios(), qr/^OK /, 'refused statistics do not cost the connection');
is(links(), 0, 'the connection is the same all the time');

subtest 'the master dies' => sub {
    kill_server($master);
    ok(says(qr/^UNKNOWN/), 'a replica without its master gives UNKNOWN');
    ok((wait_for { messages($t->{nginx},
        qr/not ready: it is a replica without its master/) } 5),
        'the log has the reason');
    is(scalar(grep { nagios() !~ /^UNKNOWN/ } 1 .. 20), 0,
        'a replica without its master always gives UNKNOWN');

    my $other = start_nginx(store => $replica, workers => 1);
    is(scalar(grep { http($other, 'GET', '/3.0/listings.nagios',
        auth => $t->{acct})->{body} !~ /^UNKNOWN/ } 1 .. 20), 0,
        'another nginx never has another response');
    stop_server($other);

    my $daemon = start_checkd(store => $replica, ready => 0,
        resolver => { port => free_port() });
    ok(wait_log($daemon, qr/store \S+: it is a replica/, 10),
        'a daemon does not work on a replica');

    redis($replica, 'REPLICAOF', 'NO', 'ONE');
    ok(says(qr/^OK /), 'the replica serves as a master');
    ok(wait_log($daemon, qr/ready/, 10),
        'the daemon starts to work on the new master');
    stop_server($daemon);
};

subtest 'a master that becomes a replica' => sub {
    $master = start_redis(port => 1, cluster => 0);
    pause_server($master);
    redis($replica, 'REPLICAOF', '127.0.0.1', $master->{port});
    ok(says(qr/^UNKNOWN/),
        'the module detects the new replica without a write');
    redis($replica, 'REPLICAOF', 'NO', 'ONE');
    cont_server($master);
    ok(says(qr/^OK /), 'the module uses the server as a master again');
};

subtest 'a master that is silent' => sub {
    stop_server($t->{nginx});
    my $second = replica_of($replica);
    $t->{nginx} = nginx_of($second);
    ok(says(qr/^OK /), 'the replica serves');
    pause_server($replica);
    ok((wait_for { nagios() =~ /^UNKNOWN/ } 40),
        'the replica of a silent master gives UNKNOWN');
    like(redis($second, 'INFO', 'replication'), qr/master_link_status:up/,
        'the link of the replica is still up');
    cont_server($replica);
    ok((wait_for { nagios() =~ /^OK / } 20),
        'the replica serves when its master continues');
};

done_testing();
