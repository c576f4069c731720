#!/usr/bin/perl

# Targets of benchmarks, and the misses that t/bench/known lists.

use strict;
use warnings;

use lib 't/bench/lib';
use RblBench;
use RblTest;

my $dir = own_dir('known');
my $listed = read_file($RblBench::KNOWN);

# The output and exit status of a benchmark "demo" with these lines in
# t/bench/known and this code.
sub demo {
    my ($lines, $code) = @_;

    write_file("$dir/known", $lines);
    my $r = run_cmd({ env => { BENCH_FIRST => 0 } }, $^X, '-It/lib',
        '-It/bench/lib', '-MRblBench', '-e', "\$RblBench::KNOWN = shift; "
        . "bench('demo', 'a test'); $code; bench_end();", "$dir/known");
    return ($r->{status}, $r->{out} . $r->{err});
}

my $rps = "demo | rate: of the floor | 0.66 | A plan\n";
my $cpu = "demo | cpu | 1.8 | Another plan\n";

for (
    # lines, value, operator, limit, status, what is printed, unit
    ['', 0.75, '>=', 0.75, 0,
        qr/pass   rate: of the floor  0\.75  \(target >= 0\.75\)/],
    ['', 0.74, '>=', 0.75, 1, qr/MISS   rate: .*  \(target >= 0\.75\)/],
    [$rps, 0.70, '>=', 0.75, 0,
        qr/KNOWN  .*0\.70 x  \(target >= 0\.75 x; >= 0\.66 x until "A plan"\)/,
        'x'],
    [$rps, 0.66, '>=', 0.75, 0, qr/KNOWN  rate: /],
    [$rps, 0.65, '>=', 0.75, 1,
        qr/MISS   rate: .*; >= 0\.66 until "A plan"\)/],
    [$rps, 0.76, '>=', 0.75, 0,
        qr/pass   rate: .*its line in t\/bench\/known can be removed/],
    [$rps =~ s/demo/other/r, 0.70, '>=', 0.75, 1, qr/MISS   rate: /],
    )
{
    my ($lines, $value, $op, $limit, $status, $text, $unit) = @$_;
    my ($got, $out) = demo("# A comment.\n\n$lines", "target('rate: of the "
        . "floor', $value, '$op', $limit" . ($unit ? ", '$unit')" : ')'));
    my $name = "$value $op $limit" . ($lines && ', listed');
    is($got, $status, "the benchmark exits with $status for $name");
    like($out, $text, "the benchmark prints the verdict on $name");
}

my ($status, $out) = demo("$rps$cpu", "target('cpu', stat_of(1, 1.7, 9), '<=',"
    . " 1.6); target('first', 1, '<', 2); target('rate', 1, '>=', 2)");
is($status, 1, 'three targets: one is missed');
like($out, qr/KNOWN  cpu .*; <= 1\.8 until "Another plan"\)/, 'judged by the '
    . 'median, at most the accepted value');
like($out, qr/1 of 3 met, 1 known to be missed/,
    'the benchmark prints how many targets it met');
like($out, qr/t\/bench\/known: demo has no target 'rate: of the floor'/,
    'a line without a target is named');
unlike($out, qr/no target 'cpu'/, 'one with a target is not');

for my $line ('demo | cpu | 1.8', 'demo | cpu | much | A plan', 'cpu 1.8',
    'demo | cpu | 1.8 | ')
{
    ($status, $out) = demo("$line\n", '');
    isnt($status, 0, "the benchmark fails with the invalid line: $line");
    like($out, qr/not 'bench \| target \| value \| issue': \Q$line\E$/m,
        'the error shows the line');
}

# The file itself.

my @names = map { m{([^/]+)\.pl$} } glob 't/bench/*.pl';
($status, $out) = demo($listed, '');
is($status, 0, 't/bench/known is valid') or diag($out);
for my $bench (map { /^(\w+) \|/ } split /\n/, $listed) {
    ok((grep { $_ eq $bench } @names), "$bench is a benchmark");
}

done_testing();
