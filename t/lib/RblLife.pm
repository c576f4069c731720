package RblLife;

# Chances, for random lives.

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(pick chance drawn);

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }

# One of a list; it stays there once in a while, to be used again.
sub drawn {
    my ($list) = @_;

    my $i = int rand @$list;
    return chance(0.75) ? splice @$list, $i, 1 : $list->[$i];
}

1;
