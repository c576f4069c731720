#!/usr/bin/perl

# The table of wrong results: every scenario of the laboratory
# (t/lib/RblLab/Table.pm) by `rblctl check`, which has the daemon's engine, test
# points and verdicts, in both modes.  LAB="emptied world": only these
# scenarios.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblLab;

my $lab = lab();
my @scenarios = @{ $lab->{scenarios} };
my %seen;
ok(!(grep { $seen{ $_->{name} }++ } @scenarios), 'names are unique');
cmp_ok(scalar @scenarios, '>=', 60, 'the table has at least 60 scenarios');
for my $v (qw(listed clear unknown)) {
    cmp_ok(scalar(grep { $_->{verdict} eq $v } @scenarios), '>', 10,
        "many are $v");
}

my %only = map { $_ => 1 } split ' ', $ENV{LAB} // '';
my %wrong = (direct => 0, resolver => 0);
for my $mode (sort keys %wrong) {
    for my $s (map { in_mode($_, $mode) } @scenarios) {
        next if %only && !$only{ $s->{name} };
        my ($verdict, $error) = lab_check($lab, $s, $mode);
        ok(verdict_fits($s, $verdict, $error), "$mode: $s->{name} "
            . "($s->{source}): $s->{text}: " . wanted_text($s))
            or diag("got $verdict: $error"), $wrong{$mode}++;
    }
    diag("$mode: $wrong{$mode} of " . @scenarios . ' wrong') if $wrong{$mode};
}

lab_stop($lab);
done_testing();
