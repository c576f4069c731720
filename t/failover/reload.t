#!/usr/bin/perl

# nginx -s reload, ten times during failovers: no request fails except with 503.
#
# FAILOVERS: how many of each store (1); ten reloads in each.

use strict;
use warnings;

use RblFailover;
use POSIX ();
use Time::HiRes qw(sleep);

# Each request has its own connection: one that is kept may be closed by nginx
# at the moment when it is used, which a client has to expect.
for my $kind (qw(Sentinels cluster)) {
    my $f = $kind eq 'cluster' ? start_cluster() : start_sentinels();
    my $w = failover_world($f, checkd => 0);
    my @accounts = @{ $w->{accounts} };
    open_at_rest($w);
    my $load = start_load($w->{nginx}, accounts => \@accounts, clients => 8,
        rate => 150, keep => 0);
    sleep 1;
    drill($f, failovers(1), 5, sub {
        my ($store) = @_;

        my $pid = fork // die "fork: $!";
        if ($pid == 0) {
            for (1 .. 10) {
                kill 'HUP', $w->{nginx}{pid};
                sleep 0.4;
            }
            POSIX::_exit(0);
        }
        my $away = kill_one($store);
        waitpid $pid, 0;
        return $away;
    });
    sleep 1;
    my $records = stop_load($load);
    my $report = load_report($w->{nginx}, $records, \@accounts);
    note away_text($report);
    is_clean($report, "$kind: no request fails except with 503");
    cmp_ok($report->{acked}, '>', 50,
        "$kind: more than 50 writes are acknowledged");
    none_left_open($w, "$kind: no connection is left");
    stop_server($w->{nginx});
    stop_server($_) for reverse @{ $f->{nodes} }, @{ $f->{sentinels} // [] };
}

done_testing();
