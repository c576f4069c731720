#!/usr/bin/perl

# A failover on demand, of a master that lives, by `SENTINEL FAILOVER`.  The old
# master keeps one of two replicas until the Sentinels move that one, too, which
# takes a second, and with min-replicas-to-write 1 it takes writes in that time;
# these are lost.  Therefore its writes are paused first: nothing is lost.
#
# FAILOVERS: how many (1).
#
# Alone: measures how long the API is away.

use strict;
use warnings;

use RblFailover;

my $f = start_sentinels();
my $w = failover_world($f, accounts => 2, checkd => 0);
my $load = start_load($w->{nginx}, accounts => $w->{accounts}, clients => 8,
    rate => 300);
for (1 .. failovers(1)) {
    sleep 1;
    my $old = wait_master($f);
    is(redis($old, 'CLIENT', 'PAUSE', 5000, 'WRITE'), 'OK',
        'the old master pauses its writes');
    my $new = failover($f);
    ok($new && $new != $old, 'the Sentinels promote another master');
    wait_for { (info_of($old, 'replication')->{role} // '') eq 'slave' } 30,
        'the old master to follow';
    wait_replicas($f);
}
sleep 1;
my $records = stop_load($load);
my $report = load_report($w->{nginx}, $records, $w->{accounts});
note away_text($report);
is_clean($report, 'the clients were told the truth');
cmp_ok($report->{longest}, '<', 4, 'the API is away for a short time');
fsck_clean($f, 'fsck finds nothing');

done_testing();
