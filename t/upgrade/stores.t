#!/usr/bin/perl

# The stores of released versions are raised while nginx and two daemons use
# them: no request fails, no check is lost, nothing is changed.

use strict;
use warnings;

use RblUpgrade;
use Time::HiRes qw(sleep);

my $schema = schema_version();
my $dns = upgrade_dns();
my @before = saved_stores();
is($before[-1], $schema - 1, 'the schema before is there');

for my $from (@before) {
    my $said = saved_said($from);
    my $redis = upgrade_store($from);
    is(redis($redis, 'HGET', 'rbl:meta', 'schema'), $from,
        "the saved store has schema $from");
    my $nginx = start_nginx(store => $redis, http => 'rbl_store_timeout 5s;');
    my @daemons = map { start_checkd(store => $redis, resolver => $dns) } 1, 2;
    my ($load, $accounts) = upgrade_load($redis, $nginx, $said);
    sleep 1.5;
    my $r = rblctl($redis, 'upgrade');
    is($r->{status}, 0,
        "the upgrade from schema $from succeeds") or diag($r->{err});
    is(redis($redis, 'HGET', 'rbl:meta', 'schema'), $schema,
        "the upgrade raises schema $from to this one");
    sleep 1;

    # One that starts afterwards, too.
    restart_server($daemons[0]);
    sleep 0.5;
    upgrade_judge($redis, $nginx, $said, $load, $accounts);
    stop_server($_) for $nginx, @daemons, $redis;
}

done_testing();
