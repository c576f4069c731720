#!/usr/bin/perl

# Flushed scripts are sent again, and each call is executed once; also when the
# store flushes them between two calls under load.

use strict;
use warnings;

use lib 't/lib';
use RblRedis;
use RblTest;

my $redis = start_redis();
init_store($redis);
my $account = make_account($redis);
my $nginx = start_nginx(store => $redis, workers => 1);

ok(wait_for { http($nginx, 'GET', '/3.0/hosts.json', auth => $account)->{status}
    == 200 } 3, 'nginx answers requests from the store');

sub add {
    my ($host) = @_;

    return http($nginx, 'POST', '/3.0/host/add.json', auth => $account,
        form => { type => 'rbl', host => $host, name => $host });
}

sub total {
    return api($nginx, $account, 'GET', '/3.0/hosts.json')->{total_hosts};
}

# How often the script for that host was sent with its source.  nginx has other
# scripts in between.
sub sources {
    my ($host) = @_;

    my @commands = map { $_->[3] } @{ redis($redis, 'SLOWLOG', 'GET', -1) };
    return grep { lc $_->[0] eq 'eval' && grep { $_ eq $host } @$_ } @commands;
}

redis($redis, 'CONFIG', 'SET', 'slowlog-log-slower-than', 0);
redis($redis, 'SCRIPT', 'FLUSH');
is(add('10.0.0.1')->{status}, 200, 'a call of a flushed script succeeds');
is(scalar sources('10.0.0.1'), 1,
    'the flushed script is sent once with its source');
is(total(), 1, 'the call of the flushed script is executed once');

is(add('10.0.0.2')->{status}, 200, 'a call of a known script succeeds');
is(scalar sources('10.0.0.2'), 0, 'the known script is not sent again');

for my $i (3 .. 22) {
    redis($redis, 'SCRIPT', 'FLUSH') if $i % 3 == 0;
    is(add("10.0.0.$i")->{status}, 200, "the API adds host $i beside flushes");
}
is(total(), 22, 'each host is added once');
is(messages($nginx, qr/\[(?:error|crit|warn)\].*NOSCRIPT/), 0,
    'the log has no message about a missing script');

done_testing();
