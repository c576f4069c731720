#!/usr/bin/perl

# Account A beside accounts that keep the store and its connection busy, with
# large objects or with requests that are refused (rows 1 to 6), or
# whose writes a replica refuses (row 8).
#
# Alone: measures how long A waits.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use RblNeighbours;
use RblNeighboursAttacks;
use RblNeighboursReplica;
use RblNeighboursJudge;

short_form(attacks(qr/^[1-68]/));
done_testing();
