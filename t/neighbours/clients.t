#!/usr/bin/perl

# Account A beside clients that read or write slowly, or ask for a lot.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use RblNeighbours;
use RblNeighboursAttacks;
use RblNeighboursOwn;
use RblNeighboursJudge;

short_form(attacks('own', 'clients'));
done_testing();
