#!/usr/bin/perl

# Ten million hosts that are checked every hour, on one Redis: as scale.pl,
# which takes about ten minutes for them and 14 GB of memory.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/lib";

use RblBench qw(smoke);

$ENV{SCALE_HOSTS} ||= smoke(10_000) || 10_000_000;
do "$FindBin::Bin/scale.pl" or die $@ || $!;
