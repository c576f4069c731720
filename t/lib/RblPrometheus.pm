package RblPrometheus;

# Reads Prometheus' text format, version 0.0.4, strictly.

use strict;
use warnings;

use Exporter 'import';

our @EXPORT = qw(prometheus);

my $name = qr/[a-zA-Z_:][a-zA-Z0-9_:]*/;
my $number = qr/[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf|NaN)/i;

# {family => {type, help, samples => {"name{labels}" => value}}} by the grammar
# of the text format; dies on any other line.
sub prometheus {
    my ($text) = @_;

    die 'no newline at the end' if $text !~ /\n\z/;
    my (%family, $open);
    for my $line (split /\n/, $text) {
        if ($line =~ /^# HELP ($name) (\S.*)$/) {
            die "$1 twice" if $family{$1};
            $open = $1;
            $family{$1}{help} = $2;
        } elsif ($line =~ /^# TYPE ($name) (counter|gauge|histogram)$/) {
            die "TYPE of $1 after samples or HELP of another: $line"
                if !$open || $open ne $1 || $family{$1}{samples};
            $family{$1}{type} = $2;
        } elsif ($line =~ /^($name)(\{(.*)\})? ($number)$/) {
            my ($n, $labels, $inside, $v) = ($1, $2 // '', $3 // '', $4);
            my $base = $n;
            $base =~ s/_(?:bucket|sum|count)$// if defined $open
                && ($family{$open}{type} // '') eq 'histogram';
            die "sample outside its family: $line"
                if !defined $open || $base ne $open;
            die "labels: $line" if $inside ne ''
                && $inside !~ /^(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n]
                    )*",?)+$/x;
            die "twice: $line" if exists $family{$open}{samples}{"$n$labels"};
            $family{$open}{samples}{"$n$labels"} = $v;
            push @{ $family{$open}{order} }, "$n$labels";
        } else {
            die "not of the format: $line";
        }
    }
    return \%family;
}

1;
