package RblDnsAsk;

# Runs t/tools/dnsask and parses its output.

use warnings;
use strict;

use Exporter 'import';
use File::Temp ();
use POSIX ();
use RblTest::Valgrind ();
use Test::More ();

our @EXPORT = qw(dnsask verdict one);

my $dir = File::Temp->newdir;
my $runs = 0;


# ({ NAME => [VERDICT, ...] }, { counter => value }); `nth` of a verdict is its
# position among all.  Limit: one minute; output of sanitizers and valgrind on
# standard error is a failure.
sub dnsask {
    my ($options, @names) = @_;
    my $bin = ($ENV{RBL_BUILD} || 'build') . '/t/tools/dnsask';
    my $base = "$dir/" . ++$runs;

    open my $fh, '>', "$base.in" or die "$base.in: $!";
    print $fh map { "$_\n" } @names;
    close $fh;

    my $pid = fork();
    die "fork: $!" unless defined $pid;

    if ($pid == 0) {
        open STDIN, '<', "$base.in" or POSIX::_exit(126);
        open STDOUT, '>', "$base.out" or POSIX::_exit(126);
        open STDERR, '>', "$base.err" or POSIX::_exit(126);
        exec RblTest::Valgrind::wrapped("$dir", $bin, '-s', @$options)
            or POSIX::_exit(126);
    }

    local $SIG{ALRM} = sub { kill 'KILL', $pid };
    alarm 60;
    waitpid $pid, 0;
    alarm 0;

    my $status = $?;
    my ($out, $err) = map { slurp("$base.$_") } qw(out err);
    my ($wrong) = ($err =~ /((?:ERROR: |runtime error|==\d+==).*)/,
        RblTest::Valgrind::reports("$dir"));

    if ($status || $wrong) {
        Test::More::fail("dnsask @$options");
        Test::More::diag("status $status\n$err", $wrong // '');
    }

    my %verdict;
    my @lines = split /\n/, $out;
    push @{ $verdict{(split / /, $lines[$_])[0]} },
        { %{ verdict($lines[$_]) }, nth => $_ } for 0 .. $#lines;
    my %counter = $err =~ /(\w+)=([\d.]+)/g;

    return (\%verdict, \%counter);
}


sub slurp {
    my ($file) = @_;
    local $/;
    open my $fh, '<', $file or return '';
    my $text = <$fh>;
    return defined $text ? $text : '';
}


sub verdict {
    my ($line) = @_;
    my ($name, $status) = split / /, $line;
    my %v = (status => $status, a => '', aaaa => '', txt => '');

    $v{txt} = $1 if $line =~ s/ txt="(.*)"$//;
    $v{$1} = $2 while $line =~ / (\w+)=(\S+)/g;
    return \%v;
}


# One query: its verdict and the counters.
sub one {
    my ($options, $name) = @_;
    my ($verdict, $counter) = dnsask($options, $name);
    my $list = $verdict->{$name} || [{ status => 'none' }];

    return ($list->[0], $counter);
}

1;
