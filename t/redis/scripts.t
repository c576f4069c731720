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
    == 200 } 3, 'service');

sub add {
    my ($host) = @_;

    return http($nginx, 'POST', '/3.0/host/add.json', auth => $account,
        form => { type => 'rbl', host => $host, name => $host });
}

sub total {
    return api($nginx, $account, 'GET', '/3.0/hosts.json')->{total_hosts};
}

sub commands {
    my ($name) = @_;

    return redis($redis, 'INFO', 'commandstats')
        =~ /^cmdstat_$name:calls=(\d+)/m ? $1 : 0;
}

redis($redis, 'SCRIPT', 'FLUSH');
redis($redis, 'CONFIG', 'RESETSTAT');
is(add('10.0.0.1')->{status}, 200, 'a script that the store does not have');
is(commands('eval'), 1, 'is sent once more with its source');
is(total(), 1, 'and done once');

redis($redis, 'CONFIG', 'RESETSTAT');
is(add('10.0.0.2')->{status}, 200, 'from then on');
is(commands('eval'), 0, 'it has it');

for my $i (3 .. 22) {
    redis($redis, 'SCRIPT', 'FLUSH') if $i % 3 == 0;
    is(add("10.0.0.$i")->{status}, 200, "host $i");
}
is(total(), 22, 'each was added once');
is(messages($nginx, qr/\[(?:error|crit|warn)\].*NOSCRIPT/), 0,
    'without a message in the log');

done_testing();
