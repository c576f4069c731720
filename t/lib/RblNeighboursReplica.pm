package RblNeighboursReplica;

# nginx on a replica, which serves reads and refuses writes: refusals must not
# affect other accounts.  RblNeighboursAttacks explains attacks.

use strict;
use warnings;

use RblNeighbours;
use RblNeighboursAttacks;

define('8', 'replica', what => 'writes that a replica refuses, 1,000 a '
    . 'second on 16 connections; A only reads', world => { replica => 1 },
    daemon => 1, by => 'store', only => '^(?:host|page|nagios)$',
    setup => sub { return { acct => hostile($_[0], 'B') } },
    run => sub {
        my ($a, $w, $s) = @_;
        my $bytes = request($s->{acct}, 'POST', 'host/add.json',
            { host => '198.18.70.1', name => 'n', type => 'rbl' });
        $a->flood(port => $w->{nginx}{port}, connections => 16, rate => 1000,
            next => sub { $bytes });
    });

1;
