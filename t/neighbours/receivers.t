#!/usr/bin/perl

# Account A next to accounts whose receivers of callbacks and contacts misbehave
# (rows D1, D2, D6).

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use RblNeighbours;
use RblNeighboursAttacks;
use RblNeighboursDaemon;
use RblNeighboursJudge;

short_form(attacks(qr/./, 'receivers'));
done_testing();
