#!/usr/bin/perl

# Account A next to accounts whose own lists misbehave, or are queried too often
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
