#!/usr/bin/perl

# Account A next to requests that are refused, for missing rights or by a
# replica (rows 5 and 8), and next to changes of large profiles (row 6).

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
