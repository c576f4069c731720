#!/usr/bin/perl

# Nodes of a cluster that say what is wrong, or are of another one: no program
# writes to a wrong server, ends or waits without limit, and each goes on as soon
# as the answer is right.

use strict;
use warnings;

use RblFailover;
use RblFailover::Hostile;
use RblFakeRedis;
use Time::HiRes qw(sleep);

subtest 'a cluster' => sub {
    my $f = start_cluster(replicas => 0);
    my @nodes = @{ $f->{nodes} };
    my $w = failover_world($f, checkd => 0);
    my @acct = map {
        my $node = $_;
        grep { node_of($f, slot_of_account($f, $_)) == $node }
            @{ $w->{accounts} };
    } @nodes;
    my $nginx = $w->{nginx};
    serves($nginx, $_, 'three nodes') for @acct;

    my $slot = slot_of_account($f, $acct[1]);
    slot_given_up($f, $slot);
    refuses($nginx, $acct[1], 'a slot without a node');
    serves($nginx, $acct[$_], 'another slot') for 0, 2;
    my $r = rblctl($f, 'status');
    like("$r->{out}$r->{err}", qr/away|no node|not served/i,
        'the output of rblctl status names the missing node');
    redis($nodes[1], 'CLUSTER', 'ADDSLOTS', $slot);
    wait_ok($f);
    serves($nginx, $acct[1], 'the slot has a node again');

    my $other = start_cluster(masters => 3, replicas => 0);
    # The first node that answers decides which cluster it is, ours or an empty
    # one; rblctl says that they differ.
    my $stranger = $other->{nodes}[0];
    for my $case ([200, @nodes, $stranger], [503, $stranger, @nodes],
        [200, { port => free_port() }, $nodes[0], $stranger])
    {
        my ($status, @all) = @$case;
        my $words = cluster_words(@all);
        my $mixed = start_nginx(workers => 4,
            store => { %$f, addr => $words });
        my $name = "$words: only $status";
        $status == 200 ? serves($mixed, $_, $name)
            : refuses($mixed, $_, $name) for @acct;
        my %status;
        for (1 .. 10) {
            signal_server($mixed, 'HUP');
            $status{ try_write($mixed, $_) }++ for (@acct) x 8;
        }
        is(join(' ', sort keys %status), $status, $name);
        like(read_file($mixed->{error_log}), qr/belongs to another cluster/,
            'the error log names the other cluster');
        $r = rblctl({ %$f, addr => $words }, 'account', 'list');
        like($r->{err}, qr/different clusters/,
            'the message of rblctl names different clusters');
        ok(stop_server($mixed), 'the nginx of the mixed addresses stops');

        my $checkd = start_checkd(store => { %$f, addr => $words },
            ready => $status == 200 ? qr/\bready\b/ : qr/not been initialised/);
        sleep 1;
        is(scalar(() = read_file($checkd->{log})
            =~ /not been initialised/g) > 0 ? 503 : 200, $status,
            'the daemon decides like nginx');
        ok(stop_server($checkd), 'the daemon of the mixed addresses stops');
    }
    pause_server($nodes[0]);
    my $late = start_nginx(store => { %$f, addr =>
        cluster_words(@nodes, $stranger) });
    serves($late, $acct[1], 'while the first node is silent');
    cont_server($nodes[0]);
    wait_ok($f);
    serves($late, $acct[0], 'when it answers again');
    is(redis($_, 'DBSIZE'), 0, 'nothing was written to the other cluster')
        for @{ $other->{nodes} };

    redis($nodes[2], 'ACL', 'SETUSER', 'rbl-api', 'resetpass', '>another');
    redis($nodes[2], 'CLIENT', 'KILL', 'USER', 'rbl-api');
    refuses($nginx, $acct[2], 'a password that one of three nodes refuses');
    serves($nginx, $acct[$_], 'the others') for 0, 1;
    like(read_file($nginx->{error_log}),
        qr/node 127\.0\.0\.1:$nodes[2]{port}\b.*(?:password|WRONGPASS)/,
        'the log names the node');
    redis($nodes[2], 'ACL', 'SETUSER', 'rbl-api', '>secret of rbl-api');
    serves($nginx, $acct[2], 'the password is right again');
};

# A node that no real server is like.
subtest 'a false node of a cluster' => sub {
    my $f = start_cluster(replicas => 0);
    my $w = failover_world($f, checkd => 0);
    my $acct = $w->{accounts}[0];
    my $slot = slot_of_account($f, $acct);
    my $fake = start_fake('good', port => 1);
    my $id = 'f' x 40;
    my %says = (AUTH => "+OK\r\n", 'CLUSTER MYID' => bulk($id),
        INFO => bulk("role:master\r\n"),
        HMGET => names(schema_version(), 64), '' =>
        "-MOVED $slot 127.0.0.1:$fake->{port}\r\n");
    my $slots = sub {
        my ($host, $port) = @_;

        return list(list(":0\r\n", ":16383\r\n", list(bulk($host),
            ":$port\r\n", bulk($id))));
    };
    my $mine = $slots->('127.0.0.1', $fake->{port});
    my @wrong = (
        ['it moves all to itself', $mine],
        ['it names 0.0.0.0', $slots->('0.0.0.0', 6379)],
        ['it names a name', $slots->('localhost', 6379)],
        ['slots out of range', list(list(":0\r\n", ":999999\r\n",
            list(bulk('127.0.0.1'), ":$fake->{port}\r\n", bulk($id))))],
        ['negative slots', list(list(":-5\r\n", ":-1\r\n",
            list(bulk('127.0.0.1'), ":$fake->{port}\r\n", bulk($id))))],
        ['no slots', "*0\r\n"],
        ['an error', "-ERR This instance has cluster support disabled\r\n"],
        ['garbage', "HTTP/1.1 400 Bad Request\r\n\r\n"],
        ['nothing', ''],
        ['nothing, and closes', undef],
    );
    my $alone = cluster_words($fake);
    for my $case (@wrong) {
        my ($name, $answer) = @$case;
        fake_answers($fake, { %says, 'CLUSTER SLOTS' => $answer });
        my $nginx = start_nginx(store => { %$f, addr => $alone });
        refuses($nginx, $acct, $name);
        like(read_file($nginx->{error_log}), qr/not ready: it answers MOVED/,
            "$name: the error log has the reason") if $name =~ /^it moves/;
        ok(stop_server($nginx), "$name: the nginx process ends");
        rblctl_ends($f, $alone, $name) if $name =~ /^(?:it moves|nothing$)/;
    }
    fake_answers($fake, { %says, 'CLUSTER SLOTS' =>
        "-ERR This instance has cluster support disabled\r\n" });
    my $nginx = start_nginx(store => { %$f, addr =>
        cluster_words($fake, @{ $f->{nodes} }) });
    serves($nginx, $_, 'among right ones') for @{ $w->{accounts} };
};

done_testing();
