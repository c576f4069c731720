package RblTest::Valgrind;

# With RBL_VALGRIND=1 in the environment the project's programs, and nginx with
# the module in it, run under valgrind.  Its reports, one file a process, go
# into one directory; they must be empty.

use strict;
use warnings;

use Exporter 'import';
use File::Basename qw(basename dirname);

our @EXPORT_OK = qw(wrapped reports);

my $HERE = dirname(__FILE__) . '/../../valgrind';
my $OURS = qr/\A(?:rbl-checkd|rblctl|deliverd|dnsask|test_\w+|fault
    |nginx|nginx-debug)\z/x;

# The command, under valgrind if it is one of those programs.
sub wrapped {
    my ($dir, @command) = @_;

    return @command if !$ENV{RBL_VALGRIND}
        || basename($command[0]) !~ $OURS;
    return ('valgrind', '-q', '--vgdb=no', '--leak-check=full',
        '--show-leak-kinds=definite,indirect', '--keep-debuginfo=yes',
        '--errors-for-leak-kinds=definite,indirect', '--num-callers=24',
        '--trace-children=yes', "--suppressions=$HERE/nginx.supp",
        "--log-file=$dir/valgrind.%p", @command);
}

# valgrind's reports on the processes of a directory.
sub reports {
    my ($dir) = @_;

    my @bad;
    for my $file (defined $dir ? glob "$dir/valgrind.*" : ()) {
        open my $fh, '<:raw', $file or next;
        my @lines = <$fh>;
        push @bad, "$file: " . join '', @lines[0 .. ($#lines < 40
            ? $#lines : 40)] if @lines;
    }
    return @bad;
}

1;
