#!/usr/bin/perl

# Account A beside accounts whose receivers of callbacks and contacts do not
# behave (rows D1, D2, D6).

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
