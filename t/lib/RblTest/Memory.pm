package RblTest::Memory;

# The size of a process's memory, and its growth.

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(min);

use RblTest::Process ();

our @EXPORT = qw(heap_kib growth);

# KiB of the process's heap and stack.  Private memory as a whole is no measure:
# it includes pages of a program or a library while no other process maps them,
# and depends on other tests.
sub heap_kib {
    my ($pid) = @_;

    my ($kib) = RblTest::Process::read_file("/proc/$pid/smaps_rollup")
        =~ /^Anonymous:\s+(\d+) kB/m;
    return $kib // die "process $pid: no Anonymous in smaps_rollup\n";
}

# Growth per step of the same work, from the readings before the first step and
# after each.  A heap reaches its size in the first step and then goes up and
# down; a leak raises the lowest values.  So this compares the lowest of the
# first third with the lowest of the last.
sub growth {
    my (undef, @kib) = @_;

    my $third = int(@kib / 3) || die "too few steps\n";
    return (min(@kib[-$third .. -1]) - min(@kib[0 .. $third - 1]))
        / (@kib - $third);
}

1;
