#!/usr/bin/perl

# Account A beside accounts whose own lists do not behave, or are asked too much
# (rows D3, D4).

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use RblNeighbours;
use RblNeighboursAttacks;
use RblNeighboursDaemon;
use RblNeighboursJudge;

short_form(attacks(qr/./, 'lists'));
done_testing();
