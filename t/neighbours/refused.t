#!/usr/bin/perl

# Account A beside requests that are refused, by what they lack or by a replica
# (rows 5 and 8), and beside what is done with large profiles (row 6).

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use RblNeighbours;
use RblNeighboursAttacks;
use RblNeighboursReplica;
use RblNeighboursJudge;

short_form(attacks(qr/^[5-8]/));
done_testing();
