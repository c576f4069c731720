#!/usr/bin/perl

# Redundancy that is gone is a condition of the service: replicas that are away,
# silent, or that a master does not have; Sentinels that do not answer, or that
# name several masters.  A healthy store has none.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblConditions;
use RblFailover;
use RblFailover::Member;
use RblNodes;

my $f = start_sentinels();
my $w = nodes_world($f);
my $nginx = condition_nginx($w);
my $checkd;

sub start {
    $checkd = start_checkd(store => $f, resolver => $w->{dns},
        conf => { conf_short(name => 'one') });
}
sub metric { return sample($w, "rbl_checkd_store_$_[0]\{daemon=\"one\"}") }

start();
is(checked($w, 20), 'completed', 'a check completes');
healthy($w, 'with two replicas');
eventually { metric('replicas') eq '2' && metric('sentinels') eq '3' } 60,
    'the metrics have the replicas and the Sentinels';

my ($one, $two) = replicas($f);
kill_server($one);
named($w, 'store_replicas', 'degraded', qr/1 of 2 replicas/);
is(metric('replicas'), '1', 'the metrics have the number of replicas');
ok(stop_server($checkd), 'the daemon stops');
start();
named($w, 'store_replicas', 'degraded', qr/one: 1 of 2 replicas/);
restart_member($f, $one);
wait_replicas($f);
over($w, 'store_replicas');

pause_server($two);
named($w, 'store_replicas', 'degraded', qr/silent for \d\d s/);
cmp_ok(metric('replica_lag_seconds'), '>=', 10,
    'the metrics have the lag of a silent replica');
cont_server($two);
wait_replicas($f);
over($w, 'store_replicas');

my $sentinel = $f->{sentinels}[1];
pause_server($sentinel);
named($w, 'store_sentinels', 'degraded', qr/2 of 3 Sentinels/);
eventually { metric('sentinels') eq '2' } 30,
    'the metrics have the number of Sentinels';
cont_server($sentinel);
over($w, 'store_sentinels');

# One of the Sentinels watches another server under the same name.
sub watch {
    my ($server) = @_;

    redis($sentinel, 'SENTINEL', 'REMOVE', 'rbl');
    redis($sentinel, 'SENTINEL', 'MONITOR', 'rbl', '127.0.0.1', $server->{port},
        $f->{quorum});
    my @login = login($f->{users}, 'rbl-sentinel', 'auth-user', 'auth-pass');
    redis($sentinel, 'SENTINEL', 'SET', 'rbl', splice @login, 0, 2)
        while @login;
    return;
}
my $stray = start_sentinels(replicas => 0, min_replicas => 0);
watch($stray->{nodes}[0]);
named($w, 'store_sentinels', 'degraded', qr/name 2 masters/);
watch(master($f));
over($w, 'store_sentinels');
healthy($w, 'when all are back');
ok(stop_server($checkd), 'the daemon stops');


# A store that Sentinels watch, and that has no replica.
my $bare = nodes_world($stray);
condition_nginx($bare);
$checkd = start_checkd(store => $stray, resolver => $bare->{dns},
    conf => { conf_short(name => 'one') });
named($bare, 'store_replicas', 'degraded', qr/1 of 1 masters have no replica/);

done_testing();
