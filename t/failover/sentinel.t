#!/usr/bin/perl

# A store behind Sentinels, whose master is killed again and again while clients
# write and daemons check: nothing that was acknowledged is lost, a 503 says the
# truth about the change, and every check ends.
#
# FAILOVERS: how many (2).
#
# Alone: measures how long the API is away.

use strict;
use warnings;

use RblFailover;

my $f = start_sentinels();
my $w = failover_world($f, accounts => 3);
my $load = start_load($w->{nginx}, accounts => $w->{accounts}, clients => 9,
    ops => { add => 2, update => 5, read => 3, check => 1 }, rate => 200);
sleep 1;
my @away = drill($f, failovers(2), 5);
my $records = stop_load($load);
my $report = load_report($w->{nginx}, $records, $w->{accounts});
note away_text($report);
is_clean($report, 'the clients were told the truth');
cmp_ok($report->{acked}, '>', 200, 'writes were acknowledged');
my ($longest) = sort { $b <=> $a } @away;
cmp_ok($report->{longest}, '<', $longest + 2,
    'the API is back soon after the store');
is(scalar unfinished($w, $records), 0, 'all checks end');
fsck_clean($f, 'fsck finds nothing');

done_testing();
