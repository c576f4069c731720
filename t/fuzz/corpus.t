#!/usr/bin/perl

# Each fuzz target on the inputs that are kept for it: no property fails, and
# nothing crashes.  `make fuzz` looks for more.

use strict;
use warnings;

use File::Basename qw(basename);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

my $BUILD = $ENV{RBL_BUILD} // "$FindBin::Bin/../../build";
my $FILES_MAX = 200;

my $out = tempdir(CLEANUP => 1) . '/out';


sub output {
    open my $fh, '<', $out or return "$out: $!";
    my @lines = <$fh>;
    return join '', @lines > 20 ? @lines[-20 .. -1] : @lines;
}


for my $source (sort glob "$FindBin::Bin/fuzz_*.c") {
    my ($name) = basename($source) =~ /^fuzz_(\w+)\.c$/;
    my $bin = "$BUILD/t/fuzz/fuzz_$name";
    my @files = glob "$FindBin::Bin/corpus/$name/*";

    SKIP: {
        skip "$name: nginx's source is not here (make fuzz, make asan)", 3
            if $name =~ /^ngx_/ && !-x $bin;

        cmp_ok(scalar @files, '>', 1, "$name has more than one input");
        cmp_ok(scalar @files, '<', $FILES_MAX,
            "$name has fewer than $FILES_MAX inputs");

        my $pid = fork() // die "fork: $!";
        if ($pid == 0) {
            open STDOUT, '>', $out or die "$out: $!";
            open STDERR, '>&', \*STDOUT or die "dup: $!";
            exec $bin, '-runs=0', "$FindBin::Bin/corpus/$name"
                or die "$bin: $!";
        }

        waitpid $pid, 0;
        is($?, 0, "$name passes all inputs") or diag(output());
    }
}

done_testing();
