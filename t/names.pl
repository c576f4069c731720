#!/usr/bin/perl

# Prints the assertions of test programs whose names are no sentences: a line of
# a failure has to say what was expected of whom.  A name needs three words, and
# does not begin with a word that refers to the assertion before it.
#
# usage: names.pl PROGRAM...

use strict;
use warnings;

my $assertion = qr/(?:ok|is|isnt|like|unlike|cmp_ok|is_deeply|isnt_deeply|pass
    |accepted|refused|eventually|is_clean)/x;
my $string = qr/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/;
my $refers = qr/^(?:and|or|but|nor|its?|their|they|them|which|so|then|not|also
    |too|again|still|that|those|these|this|to|for|in|by|with|without|at|after
    |before|from|is|are|has|have|was|does)\b/xi;

for my $file (@ARGV) {
    open my $fh, '<', $file or die "$file: $!\n";
    my $text = '';
    while (my $line = <$fh>) {
        last if $line =~ /^__(?:END|DATA)__/;
        next if $line =~ /^\s*#/;
        $text .= $line;
        next if $line !~ /;\s*(?:#.*)?$/ && $line !~ /^\s*\}?\s*$/
            && $line !~ /[\{]\s*$/;
        my ($statement) = ($text =~ /^\s*($assertion\b\s*[\(\{].*)/s);
        $text = '';
        next if !defined $statement;
        $statement =~ s/\)\s*\b(?:or|for|if|unless|foreach)\b.*/);/s;
        my ($name) = ($statement =~
            /($string(?:\s*\.\s*$string)*)\s*\)?\s*;\s*(?:\#.*)?$/s) or next;
        $name =~ s/['"]\s*\.\s*['"]//gs;
        $name = substr $name, 1, -1;
        my @words = split ' ', $name;
        next if @words >= 3 && $name !~ $refers;
        print "$file:$.: no sentence: $name\n";
    }
}
