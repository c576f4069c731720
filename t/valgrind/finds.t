#!/usr/bin/perl

# `make valgrind` must detect errors: checked with a faulty program, also with
# the allocator of rbl-checkd.

use strict;
use warnings;
use RblTest;
use RblTest::Valgrind;

plan(skip_all => 'for `make valgrind`') if !$ENV{RBL_VALGRIND};

my $dir = temp_dir();
write_file("$dir/fault.c", <<'END');
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
    char *volatile  p = malloc(10);

    if (argc > 1 && strcmp(argv[1], "leak") == 0) {
        p = NULL;
        return 0;
    }

    if (argc > 1 && strcmp(argv[1], "overrun") == 0) {
        p[10] = 1;
    }

    if (argc > 1 && strcmp(argv[1], "unset") == 0 && p[3] == 7) {
        (void) !write(1, "x", 1);
    }

    if (argc > 1 && strcmp(argv[1], "child") == 0 && fork() == 0) {
        p[10] = 1;
        _exit(0);
    }

    free(p);
    return 0;
}
END
is(run_cmd('gcc', '-g', '-O0', '-o', "$dir/fault", "$dir/fault.c",
    '-ljemalloc')->{status}, 0, 'gcc builds the faulty program');

my %tells = (leak => qr/definitely lost/, overrun => qr/Invalid write/,
    unset => qr/uninitialised/, child => qr/Invalid write/);
for my $fault (sort keys %tells) {
    run_cmd("$dir/fault", $fault);
    wait_for { RblTest::Valgrind::reports($dir) } 5;
    my @reports = RblTest::Valgrind::reports($dir);
    is(scalar @reports, 1, "$fault: one report");
    like($reports[0] // '', $tells{$fault}, "$fault: the report names it");
    unlink glob "$dir/valgrind.*";
}
run_cmd("$dir/fault");
is(scalar RblTest::Valgrind::reports($dir), 0, 'no fault: nothing');
my @silent = glob "$dir/valgrind.*";
is(scalar @silent, 1, 'valgrind writes one file without an error');

# A separate server is checked, too.
my $server = spawn('fault', {}, "$dir/fault", 'leak');
wait_for { !alive($server) } 10, 'its end';
like((RblTest::Valgrind::reports($dir))[0] // '', $tells{leak},
    'a server that leaks');
unlink glob "$dir/valgrind.*";

done_testing();
