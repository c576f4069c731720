package RblTest::Memory;

# What a process's memory has become, and whether it grows.

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(min);

use RblTest::Process ();

our @EXPORT = qw(heap_kib growth);

# KiB of the process's heap and stack.  Not what is called private: a page of
# a program or a library is that too while no other process maps it, and comes
# and goes with what other tests start and stop.
sub heap_kib {
    my ($pid) = @_;

    my ($kib) = RblTest::Process::read_file("/proc/$pid/smaps_rollup")
        =~ /^Anonymous:\s+(\d+) kB/m;
    return $kib // die "process $pid: no Anonymous in smaps_rollup\n";
}

# By how much each step of the same work has let it grow, from the readings
# before the first step and after each.  A heap finds its size in the first
# step, and then goes up and down with what lies where; a leak lifts what is
# lowest.  So: the lowest of the first third beside the lowest of the last.
sub growth {
    my (undef, @kib) = @_;

    my $third = int(@kib / 3) || die "too few steps\n";
    return (min(@kib[-$third .. -1]) - min(@kib[0 .. $third - 1]))
        / (@kib - $third);
}

1;
