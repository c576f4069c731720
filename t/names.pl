#!/usr/bin/perl

# Prints the assertions of test programs whose names are no sentences.  The line
# of a failure has to say which part of the product should have done what: a
# name has three words, and none at its beginning that refers to the assertion
# before it.
#
# usage: names.pl PROGRAM...

use strict;
use warnings;

my @assertions = qw(ok is isnt like unlike cmp_ok is_deeply pass accepted
    refused eventually is_clean);
my $string = qr/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/;
my $name = qr/(?<name>$string(?:\s*\.\s*$string)*)/;
my $modifier = qr/(?:or|for|if|unless|foreach)\b(?:$string|[^;'"])*/;
my $refers = qr/^(?:and|or|but|nor|its?|their|they|them|which|so|then|not|also
    |too|again|still|that|those|these|this|to|for|in|by|with|without|at|after
    |before|from|is|are|has|have|was|does)\b/xi;

for my $file (@ARGV) {
    open my $fh, '<', $file or die "$file: $!\n";
    my @lines = <$fh>;
    my %own = map { /^sub (\w+)/ ? ($1 => 1) : () } @lines;
    my $assertion = join '|', grep { !$own{$_} } @assertions;
    my ($text, $n, $here) = ('', 0);
    for my $line (@lines) {
        $n++;
        my $inside = defined $here;
        undef $here if $inside && $line eq "$here\n";
        next if $inside;
        ($here) = $line =~ /<<["']?([A-Z]\w*)/;
        last if $line =~ /^__(?:END|DATA)__/;
        $text .= $line if $line !~ /^\s*#/;
        next if $line !~ /[;{}]\s*(?:#.*)?$/
            || $line =~ /}$/ && $text =~ /^\s*(?:$assertion)\b/
            || $text =~ /^\s*eventually\b/
            && $text =~ tr/{// > $text =~ tr/}//;
        my ($statement) = ($text =~ /^\s*((?:$assertion)\b\s*[({].*)/s);
        $text = '';
        $statement =~ s/^(.*\))\s+$modifier;/$1;/s if defined $statement;
        next if !defined $statement
            || $statement !~ /[\s(,]$name\s*\)?\s*(?:$modifier)?;\s*(?:#.*)?$/s;
        my $said = $+{name} =~ s/['"]\s*\.\s*['"]//gr =~ s/^.|.$//gr;
        print "$file:$n: no sentence: $said\n"
            if split(' ', $said) < 3 || $said =~ $refers;
    }
}
