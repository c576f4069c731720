#!/usr/bin/perl

# One random world of the soak (soak.pl) in each lookup mode, the same each
# time.  A false or repeated announcement is a fault; a late one is a fault only
# beyond the time that a busy machine may need.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblSoak;
use RblSoakJudge;
use RblSoakServer;
use RblTest;

use constant { SEED => 30, SECONDS => 30 };

plan(skip_all => 'port 53 is not to be had')
    if !eval { RblSoakServer::free_net() };

for my $mode (soak_modes()) {
    my ($w, $run) = soak(seed => $ENV{SEED} // SEED, mode => $mode,
        seconds => SECONDS, dns_timeout => 600, unbound => 1,
        often => 4);
    ok(soak_over($run), "$mode: the daemons and servers stop");
    my $j = judge($w, $run, slack => 6, work => 5);
    my ($line, @faults) = soak_text($w, $run, $j);
    note($line);
    cmp_ok($j->{listings} + $j->{ends}, '>', 30,
        "$mode: more than 30 listings begin or end");
    is($j->{$_}, 0, "$mode: the judge counts no $_ announcement")
        for qw(false_listing false_end doubled missed late);
    diag($_) for @faults;
}

done_testing();
