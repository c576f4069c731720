#!/usr/bin/perl

# t/hazard/PLAN is complete: it has the 40 hazards and the ten questions, each
# leads to an existing text of a test or of a style rule, and each text that
# names a hazard is in the plan.  The mutants (MUTANTS) name existing files and
# tests; t/hazard/mutate runs them.

use strict;
use warnings;

use RblTest;

my $dir = repo_dir();
my $plan = read_file("$dir/t/hazard/PLAN");
my (%where, %title, $at);

for my $line (grep { !/^#/ && /\S/ } split /\n/, $plan) {
    if ($line =~ /^(\d\d|Q\d+) +(\S.+)/) {
        $at = $1;
        ok(!$title{$at}, "the plan has $at once");
        $title{$at} = $2;
        next;
    }
    $line =~ /^    (\S+): (\S.*)/ or die "PLAN: $line";
    push @{ $where{$at} }, [$1, $2];
}
is_deeply([sort keys %title], [sort map({ sprintf '%02d', $_ } 1 .. 40),
    map { "Q$_" } 1 .. 10], 'forty hazards, ten questions');

my $style = read_file("$dir/t/style.sh");
for my $id (sort keys %title) {
    my @lost = grep {
        my ($file, $text) = @$_;

        # In quotes: the name of a test or the reason of a rule.
        my $in = $file eq 'style' ? $style : read_file("$dir/$file");
        $in !~ /['"][^'"\n]*\Q$text\E/;
    } @{ $where{$id} };
    is(join(', ', map { "$_->[0]: $_->[1]" } @lost), '',
        "$id leads to existing tests: $title{$id}") or next;
    ok(scalar @{ $where{$id} // [] }, "$id is tried somewhere");
}

for my $file ('t/style.sh', map { s{^\Q$dir\E/}{}r } glob "$dir/t/*/*.t") {
    next if $file =~ /plan\.t$/;
    my $text = read_file("$dir/$file");
    for my $id ($text =~ /['"]hazards? (\d\d)/g,
        $text =~ /hazards \d\d, (\d\d)/g)
    {
        my $name = $file eq 't/style.sh' ? 'style' : $file;
        ok(scalar grep({ $_->[0] eq $name } @{ $where{$id} // [] }),
            "$file: hazard $id is in the plan");
    }
}

# --- mutants ---------------------------------------------------------------

my (%mutants, @lost, @old, $in, $id);
my $bare = sub { return join "\n", map { s/^\s+//r } split /\n/, $_[0] };
for my $line (split(/\n/, read_file("$dir/t/hazard/MUTANTS")), '') {
    if ($line =~ /^-   (.*)/) {
        push @old, $1;
        next;
    }
    if (@old && index($bare->($in), $bare->(join "\n", @old)) < 0) {
        push @lost, "$id: $old[0]";
    }
    @old = ();
    if ($line =~ /^(\d\d|Q\d+) +(\S+)$/) {
        $id = $1;
        $mutants{$id}++;
        push @lost, $2 if $2 ne 'style' && !-e "$dir/$2";
    } elsif ($line =~ /^@ (\S+)$/) {
        $in = -e "$dir/$1" ? read_file("$dir/$1") : '';
        push @lost, $1 if $in eq '';
    }
}
is_deeply(\@lost, [], 'files and lines of the mutants are there');
is_deeply([grep { !$mutants{$_} } qw(05 06 08 09 11 16 17 18 19 20 21 22 23
    26 27 28)], [], 'the most important hazards have mutants');

done_testing();
