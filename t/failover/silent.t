#!/usr/bin/perl

# A master stops, another server takes its place, and the old one goes on.
#
# Alone: nginx must know the new master before the old one goes on.

use strict;
use warnings;

use RblFailover;
use Time::HiRes qw(sleep);

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
    is(status_of($nginx, $acct), 503, 'a request to the old master');
    like(read_file($nginx->{error_log}), qr/:$old->{port} is silent/,
        'its connection is silent');
    ok((wait_for {
        my $now = node_of($f, slot_of_account($f, $acct));
        $now && $now != $old;
    } 3), 'there is another master');
    sleep 0.5;                          # nginx asks for the slots each 0.2 s
    cont_server($old);
    ok((wait_for { status_of($nginx, $acct) == 200 } 5),
        'requests are served by the new one');
};

done_testing();
