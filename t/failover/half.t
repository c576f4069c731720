#!/usr/bin/perl

# Half of the masters of a cluster are away, with partition 0.  The accounts of
# the other half see no 503 and no slower responses, and their checks go on.
#
# A node of a cluster serves only while it reaches most of the masters that have
# slots.  Therefore a fifth one has a slot, and no partition.
#
# Alone: measures response times.

use strict;
use warnings;

use RblFailover;
use Time::HiRes qw(time);

my $f = start_cluster(masters => 5, replicas => 0, arbiter => 1);
my @nodes = @{ $f->{nodes} };

# None at the arbiter, which has no partition.
my $w = failover_world($f, accounts => 1,
    nginx => { http => 'rbl_store_timeout 2s;' });
my @accounts = @{ $w->{accounts} };
is(node_of($f, 'rbl:{0}:lists'), $nodes[0], 'partition 0 is at the first node');
my $load = start_load($w->{nginx}, accounts => \@accounts, clients => 8,
    ops => { add => 1, update => 5, read => 3, check => 1 }, rate => 100);
sleep 5;
my $down = time;
kill_server($_) for @nodes[0, 1];
sleep 7;

# Checks of the other half that were started in the meantime.
my %other = map { $_ => 1 }
    grep { node_of($f, slot_of_account($f, $accounts[$_])) } 0 .. $#accounts;
my @checks = grep { $_->{op} eq 'check' && $other{ $_->{account} }
    && $_->{start} > $down } @{ load_so_far($load) };
cmp_ok(scalar @checks, '>', 10, 'more than 10 checks of the other half start');
is(scalar unfinished($w, \@checks, 5), 0, 'all checks of the other half end');
my $up = time;
restart_member($f, $_) for @nodes[0, 1];
ok(wait_ok($f), 'the cluster is whole again');
sleep 2;
my $records = stop_load($load);

my @ours = grep { $other{ $_->{account} } } @$records;
my @during = grep { $_->{start} > $down && $_->{end} < $up } @ours;
cmp_ok(scalar @during, '>', 100, 'the other half sends more than 100 requests');
is(scalar(grep { $_->{said} ne 'done' } @during), 0,
    'no request of the other half gets 503 meanwhile');
is(scalar(grep { $_->{said} ne 'done' } @ours), 0,
    'no request of the other half ever gets 503');

sub quantile {
    my ($q, @records) = @_;

    my @t = sort { $a <=> $b } map { 1000 * ($_->{end} - $_->{start}) }
        @records;
    return $t[$q * $#t];
}

my @before = grep { $_->{end} < $down && $_->{start} > $down - 4 } @ours;
for my $q (0.5, 0.9) {
    my ($normal, $now) = map { quantile($q, @$_) } \@before, \@during;
    note sprintf '%.0f %%: %.1f ms, half away: %.1f ms', 100 * $q, $normal,
        $now;
    cmp_ok($now, '<', 2 * $normal + 2,
        'requests of the other half take no longer');
}

my @theirs = grep { !$other{ $_->{account} } } @$records;
cmp_ok(scalar(grep { $_->{status} == 503 } @theirs), '>', 10,
    'the first half sees 503');
my $report = load_report($w->{nginx}, $records, \@accounts);
note away_text($report);
is_clean($report, 'the clients were told the truth');

is(scalar unfinished($w, $records), 0, 'all checks end');
fsck_clean($f, 'fsck finds nothing');

done_testing();
