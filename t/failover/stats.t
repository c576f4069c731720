#!/usr/bin/perl

# Statistics and error logs while one master of a cluster is away: those of the
# other accounts are stored.  Those of its own follow when it is back, or are
# counted as lost if a call was not answered or the worker exits before.

use strict;
use warnings;

use RblFailover;
use RblRedis qw(workers workers_now);
use RblTest;
use Time::HiRes qw(sleep);

my $f = start_cluster(replicas => 0);
my $w = failover_world($f, checkd => 0, nginx => { workers => 1,
    http => 'rbl_zone rbl 1m; rbl_store_timeout 500ms;',
    server => 'location /status { rbl_status; }' });
my $nginx = $w->{nginx};
my @acct = @{ $w->{accounts} };
my $dead = node_of($f, slot_of_account($f, $acct[0]));
my ($live) = grep { node_of($f, slot_of_account($f, $_)) != $dead } @acct;
my $gone = $acct[0];
my $none = 'HT' . '0' x 32;

# Requests and errors in the statistics, and the entries of the error log.
sub sums {
    my ($acct) = @_;

    my ($n, $e) = (0, 0);
    my $p = partition_of($acct->{sid});
    for my $day (map { int((time - $_ * 86400) / 86400) } 0, 1) {
        my %h = @{ redis($f, 'HGETALL', redis_key('stats', $acct->{sid},
            $acct->{app}, "h$day")) };
        /e$/ ? ($e += $h{$_}) : ($n += $h{$_}) for keys %h;
    }
    return "$n/$e/" . redis($f, 'LLEN', redis_key('errors', $acct->{sid},
        $acct->{app}));
}

sub calls {
    my ($acct, $n, $path) = @_;

    return grep { http($nginx, 'GET', "/3.0/$path.json", auth => $acct)
        ->{status} < 500 } 1 .. $n;
}

sub settled {
    my ($acct, $want, $name) = @_;

    my $got;
    ok((wait_for { $got = sums($acct); $got eq $want } 15), $name)
        or diag("$got, not $want");
    return;
}

sub statistics { return json(http($nginx, 'GET', '/status'))->{statistics} }

sleep 2.5;
my %at = map { $_->{sid} => (split m{/}, sums($_))[0] } $live, $gone;
for my $acct ($live, $gone) {
    calls($acct, 3, 'hosts');
    calls($acct, 2, "host/$none");
}

# The last requests may have been sent to the node already, or not.
kill_server($dead);
wait_for { http($nginx, 'GET', '/3.0/hosts.json', auth => $gone)->{status}
    == 503 } 10, 'a node is away';
my $n = 5 + calls($live, 20, 'hosts') + calls($live, 4, "host/$none");
is($n, 29, 'the other accounts are answered');
settled($live, $at{ $live->{sid} } + $n . '/6/6',
    'and their requests are stored');
my $before = statistics()->{flush_errors};
calls($live, 3, "host/$none");
settled($live, $at{ $live->{sid} } + $n + 3 . '/9/9', 'the next ones, too');
is(statistics()->{flush_errors}, $before,
    'nothing is sent to the node that is away');

# A worker that exits meanwhile counts them as lost.
my @old = workers($nginx, 1);
signal_server($nginx, 'HUP');
ok((wait_for { my @now = workers_now($nginx);
    @now == 1 && $now[0] != $old[0] } 15), 'a reload');

restart_member($f, $dead);
ok(wait_ok($f), 'the cluster is whole again');
wait_for { http($nginx, 'GET', '/3.0/hosts.json', auth => $gone)->{status}
    == 200 } 10, 'nginx sees it';
my $s;
ok((wait_for { $s = statistics();
    (split m{/}, sums($gone))[0] + $s->{uncounted} >= $at{ $gone->{sid} } + 5 }
    15), 'requests of the others are stored then, or counted as lost')
    or diag(sums($gone));

done_testing();
