#!/usr/bin/perl

# The unit test programs under valgrind (make valgrind).

use strict;
use warnings;
use RblTest;

plan(skip_all => 'for `make valgrind`') if !$ENV{RBL_VALGRIND};

my @programs = grep { -x && !/\.\w+$/ } glob build_dir() . '/t/unit/test_*';
cmp_ok(scalar @programs, '>', 15, 'there are unit tests');
for my $program (@programs) {
    my $r = run_cmd({ timeout => 60, cwd => repo_dir() }, $program);
    my ($name) = $program =~ m{([^/]+)$};
    is($r->{status} || $r->{signal}, 0, $name) or diag($r->{err});
}

done_testing();
