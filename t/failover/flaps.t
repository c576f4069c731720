#!/usr/bin/perl

# A replica that comes and goes: a durable change waits for the other one and is
# refused only while it cannot be, and none that was acknowledged is lost when
# the master is killed at the end.
#
# FAILOVERS: how many masters are killed (2).
#
# Alone: a replica that is away for a moment has to be noticed in time.

use strict;
use warnings;

use RblApps;
use RblFailover;
use RblPortal;
use RblTest;
use Time::HiRes qw(sleep);

my $f = start_sentinels();
my $w = failover_world($f, checkd => 0, nginx => { portal => '' });
# By turns it stands still for a moment, and is killed and started again.
sub flaps {
    my ($replica, $i) = @_;

    if ($i % 2) {
        pause_server($replica);
        sleep 0.4;
        cont_server($replica);
    } else {
        kill_server($replica);
        sleep 0.4;
        restart_member($f, $replica);
    }
    sleep 0.4;
}

for my $n (1 .. failovers(2)) {
    my $t = { redis => $f, nginx => $w->{nginx}, acct => make_account($f) };
    my $owner = sign_in($t);
    my $maker = start_apps($t, $owner);
    my ($replica) = replicas($f);
    flaps($replica, $_) for 1 .. 8;
    my @apps = stop_apps($maker);
    cmp_ok(scalar @apps, '>', 10,
        "changes are acknowledged while a replica comes and goes, round $n");
    kill_one($f);
    wait_for { portal($t, $owner, 'GET', 'me.json')->{status} == 200 } 20,
        'the portal';
    is(join(' ', map { $_->{id} } lost_apps($t, $owner, @apps)), '',
        "no acknowledged change is lost with the master, round $n");
}
fsck_clean($f, 'fsck finds nothing');

done_testing();
