#!/usr/bin/perl

# A master stops answering, and another server takes its place.
#
# Alone: measures when nginx notices it.

use strict;
use warnings;

use RblFailover;
use Time::HiRes qw(sleep time);

sub status_of {
    my ($nginx, $acct) = @_;

    return http($nginx, 'GET', '/3.0/hosts.json', auth => $acct)->{status};
}

# The connection to the old master is silent, and is given up only after twice
# rbl_store_timeout.  When it answers again, it must not pass for one to the
# server that has taken its place.
subtest 'a connection that is silent meanwhile' => sub {
    my $f = start_cluster();
    # The others are found, and only one that is found can lose its place.
    my $w = failover_world({ %$f, addr => cluster_words($f->{nodes}[0]) },
        checkd => 0, nginx => { workers => 1, level => 'notice',
        http => 'rbl_store_timeout 4s;' });
    my $nginx = $w->{nginx};
    my $old = $f->{nodes}[1];
    my ($acct) = grep { node_of($f, slot_of_account($f, $_)) == $old }
        @{ $w->{accounts} };
    pause_server($old);
    is(status_of($nginx, $acct), 503,
        'a request to the silent master gets 503');
    ok((wait_for {
        read_file($nginx->{error_log}) =~ /:$old->{port} is silent/;
    } 2), 'its connection is silent');
    ok((wait_for {
        my $now = node_of($f, slot_of_account($f, $acct));
        $now && $now != $old;
    } 3), 'there is another master');
    sleep 0.5;                          # nginx asks for the slots each 0.2 s
    cont_server($old);
    ok((wait_for { status_of($nginx, $acct) == 200 } 5),
        'the new master serves requests');
};

# The query of the role finds the new master before a request needs it.
subtest 'no request meanwhile' => sub {
    my $f = start_sentinels();
    my $w = failover_world($f, checkd => 0, nginx => { workers => 1,
        level => 'notice', http => 'rbl_store_timeout 1s;' });
    my $old = master($f);
    pause_server($old);
    ok(wait_master($f, $old), 'there is another master');
    sleep 4;                            # a query, twice the timeout, back-off
    my $start = time;
    is(status_of($w->{nginx}, $w->{accounts}[0]), 200,
        'the first request is served');
    cmp_ok(time - $start, '<', 0.5, 'the first request is served at once');
    cont_server($old);
};

done_testing();
