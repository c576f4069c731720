package RblLife;

# Random choices for random lives.

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(pick chance drawn);

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }

# A random element of a list; now and then it stays there, to be used again.
sub drawn {
    my ($list) = @_;

    my $i = int rand @$list;
    return chance(0.75) ? splice @$list, $i, 1 : $list->[$i];
}

1;
