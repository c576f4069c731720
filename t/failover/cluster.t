#!/usr/bin/perl

# A cluster of three masters with a replica each.  One of the masters is killed
# again and again while clients write and daemons check: nothing that was
# acknowledged is lost, a 503 says the truth about the change, and every check
# ends.
#
# FAILOVERS: how many (2).
#
# Alone: measures how long the API is away.

use strict;
use warnings;

use RblFailover;

my $f = start_cluster();
endures($f, failovers(2), 1);

done_testing();
