#!/usr/bin/perl

# Account A next to accounts that keep the store and its connection busy with
# large objects (rows 1 to 4).

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use RblNeighbours;
use RblNeighboursAttacks;
use RblNeighboursJudge;

short_form(attacks(qr/^[1-4]/));
done_testing();
