#!/usr/bin/perl

# A master stands still for some seconds and goes on: a machine that is moved, a
# disk that stalls.  The Sentinels may have begun to replace it, and name it until
# the new one is announced.  Durable changes that were acknowledged are not lost,
# and neither are others that were begun after it went on.
#
# STOPS: how long it stands still, in seconds (2.2 2.5 2.8 3.1).
#
# Alone: measures times.

use strict;
use warnings;

use RblApps;
use RblFailover;
use RblPortal;
use Time::HiRes qw(time sleep);

my @stops = split ' ', $ENV{STOPS} // '2.2 2.5 2.8 3.1';

# Changes that were acknowledged in this time after the master went on were under
# way, or came before nginx had noticed.
my $bound = 0.2;

my $f = start_sentinels();
my $w = failover_world($f, accounts => 3, checkd => 0,
    nginx => { portal => '' });
my $t = { redis => $f, nginx => $w->{nginx}, acct => make_account($f) };
my $owner = sign_in($t);

my $maker = start_apps($t, $owner);
my $load = start_load($w->{nginx}, accounts => $w->{accounts}, clients => 9,
    ops => { add => 1, update => 6, read => 2 }, rate => 100);
sleep 1;

my (@on, $failovers);
for my $stop (@stops) {
    my $old = wait_master($f);
    pause_server($old);
    sleep $stop;
    cont_server($old);
    push @on, time;
    # A failover that has begun ends within this time.
    sleep 3;
    my $new = wait_master($f);
    $failovers += $new != $old;
    wait_replicas($f);
    sleep 1;
}
my $records = stop_load($load);
my @apps = stop_apps($maker);
note "$failovers failovers in " . @stops . ' stops';

# --- durable changes ---------------------------------------------------------

# When it was, in seconds after the last time that a master went on.
sub after {
    my ($time) = @_;

    my ($last) = grep { $_ <= $time } reverse @on;
    return defined $last ? $time - $last : -1;
}

my @gone = lost_apps($t, $owner, @apps);
cmp_ok(scalar @apps, '>', 10, 'durable changes were acknowledged');
is(scalar @gone, 0, 'no durable change that was acknowledged is lost')
    or diag(join ' ', map { sprintf '%.2f', after($_->{at}) } @gone);

# --- others ------------------------------------------------------------------

my $report = load_report($w->{nginx}, $records, $w->{accounts});
note away_text($report);
note sprintf 'away for %.1f s, until %.1f s after it went on',
    $_->[2] - $_->[1], after($_->[2])
    for grep { $_->[2] - $_->[1] > 6 } @{ $report->{away} };
my @lost = @{ $report->{lost} };
my @late = grep { after($_->{end}) > $bound } @lost;
note sprintf '%d of %d changes lost: %s', scalar @lost, $report->{acked},
    join ' ', map { sprintf '%.2f', after($_->{end}) } @lost;
cmp_ok($report->{acked}, '>', 100, 'other changes were acknowledged');
is(scalar @late, 0,
    'no other change is lost that was acknowledged after nginx could notice');
is(scalar @{ $report->{$_} }, 0, "no change is $_") for qw(doubled untrue);
fsck_clean($f, 'fsck finds nothing');

done_testing();
