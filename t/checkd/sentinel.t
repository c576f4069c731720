#!/usr/bin/perl

# The daemon behind Sentinels: failovers while it checks and delivers, and
# Sentinels that are away or name the wrong server.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblFailover;
use RblNodes;

my $f = start_sentinels();
my $w = nodes_world($f, data => listed_entry(map { "10.0.0.$_" } 1 .. 9));
my $receiver = receiver_of($w);
my @sentinel = @{ $f->{sentinels} };

# No server listens at the first address.

my $checkd = start_checkd(store => { %$f,
        addr => sentinel_words(1, map { $_->{port} } @sentinel) },
    resolver => $w->{dns}, conf => { conf_short(deliver => 'on',
        deliver_http => 'on', deliver_allow => '127.0.0.0/8') });
is(checked($w), 'completed', 'a check completes when one Sentinel is away');
is(log_count($checkd,
    '\[warn\].*store sentinel:rbl@\S+, Sentinel 127\.0\.0\.1:1: '), 1,
    'a Sentinel that is away is named once');

# Failovers.

for my $n (1, 2) {
    my $old = master($f);
    add_host($w, "10.0.0.$n");
    my $pp = check_value($w, "10.0.0.2$n");
    kill_server($old);
    my $new = wait_master($f, $old);
    is(wait_check($w, check_value($w, "10.0.0.1$n"), 20)->{status},
        'completed', "failover $n: checks go on");
    like(wait_check($w, $pp, 20)->{status} // 'lost', qr/completed|lost/,
        "failover $n: a check of before completes");
    ok(wait_log($checkd, qr/node \S+:$new->{port}: its data have another history/,
        5), "failover $n: it is logged");
    eventually { subscribed($f) eq $new->{index} } 10,
        "failover $n: the daemon subscribes to the news at the new master";
    restart_member($f, $old);
    wait_replicas($f);
}
eventually { jobs_left($w) == 0 } 20, 'no job is left';
add_host($w, '10.0.0.3');
eventually { my %seen;
    $seen{ $_->{json}{event_sid} }++ for received($receiver);
    keys %seen == 3 } 30, 'the events of all listings arrive';

# The master hangs.

my $old = master($f);
pause_server($old);
my $new = wait_master($f, $old);
is(checked($w, 20), 'completed', 'the master hangs: checks go on');
cont_server($old);
wait_replicas($f);
is(checked($w), 'completed', 'checks go on when the old master is a replica');

# No Sentinel is there, and the connection to the master is.

my $master = master($f);
pause_server($_) for @sentinel;
is(checked({ %$w, redis => $master }), 'completed',
    'checks go on while no Sentinel answers');
kill_server($master);
ok(wait_log($checkd, qr/no Sentinel names a usable master/, 10),
    'the daemon logs that no Sentinel names a usable master');
cont_server($_) for @sentinel;
restart_member($f, $master);
wait_master($f);
wait_replicas($f);
is(checked($w, 20), 'completed', 'all are there again: checks go on');
ok(stop_server($checkd), 'the daemon stops');

# Sentinels that name a replica, no master, a name, the address of no machine.

my ($replica) = replicas($f);
my %wrong = (
    'it is a replica' => address('127.0.0.1', $replica->{port}),
    'it does not know a master of this name' => "*-1\r\n",
    'it names a server by a name' => address('redis.example', 6379),
    'an address of no machine' => address('0.0.0.0', 6379),
    'its answer is none of a Sentinel' => "+OK\r\n",
);
for my $why (sort keys %wrong) {
    my $naming = start_naming($wrong{$why});
    my $wrong = start_checkd(store => { %$f, addr => sentinel_words(
            $naming->{port}, $sentinel[0]{port}) },
        resolver => $w->{dns}, conf => { conf_short() });
    is(checked($w), 'completed', "$why: the other one is asked");
    # The other one names a master of a newer configuration.
    $why eq 'it is a replica'
        ? unlike(read_file($wrong->{log}), qr/\Q$why\E/,
            "$why: the daemon does not connect to it")
        : ok(wait_log($wrong, qr/\Q$why\E/, 5), "$why: it is logged");
    stop_server($_) for $wrong, $naming;
}

sub address {
    my ($host, $port) = @_;

    return sprintf "*2\r\n\$%d\r\n%s\r\n\$%d\r\n%s\r\n", length $host, $host,
        length $port, $port;
}

done_testing();
