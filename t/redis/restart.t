#!/usr/bin/perl

# Death and return of the store under load: every request is answered, with 401
# (the store was queried) or 503, and service is back within 2 seconds.  No
# descriptor leaks.

use strict;
use warnings;

use lib 't/lib';
use RblRedis;
use RblTest;
use Time::HiRes qw(time sleep);

my $redis = start_redis(appendonly => 1);
store_meta($redis);
my $nginx = start_nginx(store => $redis, workers => 1);
my ($worker) = workers($nginx);

ok(wait_for { ask($nginx) == 401 } 3, 'nginx answers requests from the store');
# When all links are made, one after the other in a cluster.
my $before = 0;
wait_for {
    my $n = $before;
    sleep 0.3;
    $n == ($before = descriptors($worker));
} 5;

for my $round (1 .. 3) {
    my @during = map { send_request($nginx) } 1 .. 30;
    kill_server($redis);
    push @during, map { send_request($nginx) } 1 .. 30;
    is(scalar(grep { status_line($_) =~ / (?:401|503) / } @during), 60,
        "round $round: every request gets a response");
    ok(wait_for { ask($nginx) == 503 } 1,
        'nginx notices that the store is away');
    sleep 1.2;
    RblTest::Process::launch($redis);
    RblTest::Process::ready($redis);
    ok(wait_for { ask($nginx) == 401 } 2, 'service within 2 seconds');
}

ok(wait_for { descriptors($worker) <= $before } 5, 'no descriptor is left over')
    or diag(descriptors($worker) . " after $before");
is_deeply([workers($nginx)], [$worker], 'the worker is the same all the time');

# a connection that the store closes while idle and while busy

for my $round (1 .. 5) {
    redis($redis, 'CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    my @during = map { send_request($nginx) } 1 .. 10;
    redis($redis, 'CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    is(scalar(grep { status_line($_) =~ / (?:401|503) / } @during), 10,
        "killed connection, round $round: every request gets a response");
}

ok(wait_for { ask($nginx) == 401 } 2,
    'nginx answers requests after killed connections');
ok(wait_for { descriptors($worker) <= $before } 5,
    'no descriptor is left over');

done_testing();
