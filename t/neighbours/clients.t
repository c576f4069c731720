#!/usr/bin/perl

# Account A next to clients that read or write slowly, or send many requests.

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
