#!/usr/bin/perl
# Sizes of the sources, and call circles: files that call each other, directly
# or through others.
#
#   perl t/house.pl           a table
#   perl t/house.pl circles   one line for each circle: its number of files, its
#                             folder, the files; t/style.sh allows five files
#
# A file calls another one if it names a function that the other defines.  Lines
# of code are those with more than a brace, a comment or nothing.

use strict;
use warnings;

my $most = 5;                           # files in a circle

my (%text, %defines, %calls);
sub slurp {
    my ($file) = @_;

    open my $fh, '<', $file or die "$file: $!";
    local $/;
    return <$fh>;
}

sub folder { return $_[0] =~ s{/[^/]+$}{}r }

# Without comments and strings.
sub bare {
    my ($c) = @_;

    $c =~ s{(/\*.*?\*/)|"(?:\\.|[^"\\\n])*"}{$1 ? "\n" x ($1 =~ tr/\n//)
        : '""'}gse;
    return $c;
}

my @files = sort split /\n/, `git ls-files 'shared/*.c' 'ngx_rbl_module/*.c' \\
    'rbl-checkd/*.c'`;
for my $file (@files) {
    $text{$file} = bare(slurp($file));
    while ($text{$file} =~ /^([^\n]*)\n(\w+)\([^;{}]*\)\n\{/mg) {
        $defines{$2} //= $file if $1 !~ /^static\b/;
    }
}
for my $file (@files) {
    for my $name ($text{$file} =~ /\b([a-z]\w+)\b/g) {
        my $at = $defines{$name};
        $calls{$file}{$at} = 1 if $at && $at ne $file
            && folder($at) eq folder($file);
    }
}

# Strongly connected files (Tarjan).
my ($n, %index, %low, @stack, %on, @circles) = (0);
sub visit {
    my ($v) = @_;

    $index{$v} = $low{$v} = $n++;
    push @stack, $v;
    $on{$v} = 1;
    for my $w (sort keys %{ $calls{$v} }) {
        if (!defined $index{$w}) {
            visit($w);
            $low{$v} = $low{$w} if $low{$w} < $low{$v};
        } elsif ($on{$w} && $index{$w} < $low{$v}) {
            $low{$v} = $index{$w};
        }
    }
    return if $low{$v} != $index{$v};
    my (@circle, $w);
    do {
        $w = pop @stack;
        delete $on{$w};
        push @circle, $w;
    } while $w ne $v;
    push @circles, [sort @circle] if @circle > 1;
    return;
}
defined $index{$_} || visit($_) for @files;
@circles = sort { @$b <=> @$a || $a->[0] cmp $b->[0] } @circles;

if (@ARGV && $ARGV[0] eq 'circles') {
    my $bad = 0;
    for my $c (@circles) {
        my $folder = folder($c->[0]);
        my $over = @$c > $most;
        $bad ||= $over;
        printf "%d %s:%s %s\n", scalar @$c, $folder,
            $over ? ' too many,' : '', join ' ', map { s{.*/}{}r } @$c;
    }
    exit $bad;
}

sub median {
    my ($part, @x) = @_;

    @x = sort { $a <=> $b } @x;
    return $x[int($part * $#x)] // 0;
}

my (%lines, %code, %count, @functions, $small, $large);
for my $file (split /\n/, `git ls-files shared ngx_rbl_module rbl-checkd t \\
    | grep -E '\\.(c|h|lua|js|pm|t|pl)\$'`)
{
    my ($kind) = $file =~ /\.(\w+)$/;
    my $top = $file =~ m{^(t|shared/lua|shared|[\w-]+/\w+)/} ? $1
        : folder($file);
    my $all = slurp($file);
    my $c = $kind =~ /^[ch]$/ ? bare($all) : $all =~ s/^\s*(?:--|#|\/\/).*//mgr;
    my $lines = $all =~ tr/\n//;
    my $key = sprintf '%-26s %s', $top, $kind =~ /^[ch]$/ ? 'c' : $kind;
    $lines{$key} += $lines;
    $code{$key} += grep { /[^\s{};]/ } split /\n/, $c;
    $count{$key}++;
    next if $kind ne 'c' || $file =~ m{^t/};
    $small += $lines < 100;
    $large += $lines > 600;
    while ($c =~ /^\{\n(.*?)^\}/msg) {
        push @functions, 2 + ($1 =~ tr/\n//);
    }
}
printf "%-30s %6s %8s %8s\n", 'folder', 'files', 'lines', 'code';
for my $key (sort keys %lines) {
    printf "%-30s %6d %8d %8d\n", $key, $count{$key}, $lines{$key}, $code{$key};
}
printf "\nfunctions: %d, median %d, p90 %d, most %d lines\n", scalar @functions,
    map { median($_, @functions) } 0.5, 0.9, 1;
printf "C files below 100 lines: %d, above 600: %d\n", $small, $large;
printf "files in call circles: %d; circles: %s\n",
    eval { my $s = 0; $s += @$_ for @circles; $s },
    join ', ', map { @$_ . ' ' . folder($_->[0]) } @circles;
