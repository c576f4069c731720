#!/usr/bin/perl

# Programs start while a server is slow, and while the server of <prefix>:meta
# is away: the others have copies of it.

use strict;
use warnings;

use RblFailover;
use Time::HiRes qw(sleep);

my $f = start_cluster(replicas => 0);
my $w = failover_world($f, accounts => 1, checkd => 0);
my $meta = node_of($f, slot_of('rbl:meta'));
my ($away) = grep { node_of($f, slot_of_account($f, $_)) == $meta }
    @{ $w->{accounts} };
my @here = grep { $_ != $away } @{ $w->{accounts} };
stop_server($w->{nginx});

# A request that comes before the nodes are known waits for them, no longer.
pause_server($meta);
my $slow = start_nginx(store => $f, workers => 1,
    http => 'rbl_store_timeout 8s;');
my $c = RblTest::Http::tcp_connect($slow->{port});
RblTest::Http::write_all($c, http_head('GET', '/3.0/hosts.json', auth => $away));
sleep 0.5;
cont_server($meta);
is(RblTest::Http::read_answer($c, 4)->{status}, 200,
    'a request waits until the nodes of a new worker are known');
stop_server($slow);

kill_server($meta);
my $nginx = start_nginx(store => $f, workers => 1);
ok((wait_for {
    !grep { http($nginx, 'GET', '/3.0/hosts.json', auth => $_)->{status} != 200 }
        @here;
} 20), 'nginx serves the accounts of the others');
is(http($nginx, 'GET', '/3.0/hosts.json', auth => $away)->{status}, 503,
    'nginx does not serve an account of the absent server');

my $dns = start_rbldnsd(zones => [['a.test', 'ip4set',
    "\$SOA 0 ns.test h.test 1 60 60 60 0\n\$TTL 1\n127.0.0.2\n"]]);
my $checkd = start_checkd(store => $f, resolver => $dns,
    conf => { check_timeout => '3s', dns_timeout => '300ms',
    store_timeout => '2s', deliver => 'off' });
my $pp = json(http($nginx, 'POST', '/3.0/check/start.json', auth => $here[0],
    form => { host => '192.0.2.1' }))->{data}{id};
ok((wait_for {
    json(http($nginx, 'GET', "/3.0/check/status/$pp.json", auth => $here[0]))
        ->{data}{status} eq 'completed';
} 20), 'a daemon that starts now ends a check');

my $r = rblctl($f, 'account', 'show', $here[0]{sid});
is($r->{status}, 0, 'rblctl shows an account') or diag($r->{err});
$r = rblctl($f, 'upgrade');
is($r->{status}, 3, 'rblctl does not raise the schema meanwhile');
like($r->{err}, qr/\bno node\b|cannot be|away|Connection refused/,
    'the message of rblctl has the reason');

RblFailover::Member::restart_member($f, $meta);
wait_ok($f);
ok((wait_for {
    http($nginx, 'GET', '/3.0/hosts.json', auth => $away)->{status} == 200;
} 20), 'the server is back');
is(rblctl($f, 'upgrade')->{status}, 0,
    'rblctl raises the schema when the server is back');
fsck_clean($f, 'fsck finds nothing');

done_testing();
