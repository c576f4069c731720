#!/usr/bin/perl

# The judge of histories (RblFailover::History): histories by hand, among them
# ones with faults, and random ones of a true register.

use strict;
use warnings;

use RblFailover;
use Time::HiRes qw(time);

# "w1 0 2": a write of 1 from 0 to 2; "r1 ..": a read; a fourth word: said.
sub fault_of {
    my @ops = map {
        my ($what, $start, $end, $said) = split;
        { op => $what =~ /^w/ ? 'write' : 'read', value => substr($what, 1),
            start => $start, end => $end, said => $said // 'done' }
    } @_;
    return history_fault(\@ops, 0);
}

sub good {
    my ($name, @ops) = @_;

    my $fault = fault_of(@ops);
    is($fault && $fault->{text}, undef, $name);
}

sub bad {
    my ($name, $what, @ops) = @_;

    my $fault = fault_of(@ops);
    like($fault && $fault->{text} // '', qr/^$what\b/, "the judge finds $name");
}

subtest 'histories that are in order' => sub {
    good('none');
    good('the first value', 'r0 0 1');
    good('one after the other', 'w1 0 1', 'r1 2 3', 'w2 4 5', 'r2 6 7');
    good('a read during a write has the old value', 'w1 0 5', 'r0 1 2');
    good('or the new one', 'w1 0 5', 'r1 1 2');
    good('first the old one, then the new one', 'w1 0 9', 'r0 1 2', 'r1 3 4');
    good('two writes at once in either order', 'w1 0 5', 'w2 0 5', 'r1 6 7');
    good('the other order', 'w1 0 5', 'w2 0 5', 'r2 6 7');
    good('both are seen', 'w1 0 9', 'w2 0 9', 'r1 1 2', 'r2 3 4');
    good('operations that touch are at the same time', 'w1 0 1', 'r0 1 2');
    good('an unknown write happens', 'w1 0 1 unknown', 'r1 2 3');
    good('late', 'w1 0 1 unknown', 'r0 2 3', 'r1 4 5');
    good('later than another write', 'w1 0 1 unknown', 'w2 2 3', 'r2 4 5',
        'r1 6 7');
    good('or never', 'w1 0 1 unknown', 'r0 2 3', 'w2 4 5', 'r2 6 7');
    good('while many others do not',
        (map { "w$_ 0 1 unknown" } 1 .. 40), 'r0 2 3', 'r40 4 5', 'r7 6 7');
    good('a broken response is unknown', 'w1 0 1 broken', 'r1 2 3');
    good('a write that changed nothing', 'w1 0 1 unchanged', 'r0 2 3');
    good('a read without a response', 'r7 0 1 unchanged', 'r7 0 1 broken');
};

subtest 'histories with faults' => sub {
    bad('a stale read', 'read of 0', 'w1 0 1', 'r0 2 3');
    bad('a stale read after a new one', 'read of 0', 'w1 0 9', 'r1 1 2',
        'r0 3 4');
    bad('a stale read by another client', 'read of 1', 'w1 0 1', 'w2 2 3',
        'r2 4 5', 'r1 6 7');
    bad('a lost update', 'read of 1', 'w1 0 1', 'w2 2 3', 'r1 4 5', 'r1 6 7');
    bad('a lost update that had been read', 'read of 1', 'w1 0 1', 'w2 2 3',
        'r2 4 5', 'r1 6 7');
    bad('an unknown write undone after it was read', 'read of 0',
        'w1 0 1 unknown', 'r1 2 3', 'r0 4 5');
    bad('an unknown write that happens twice', 'read of 1', 'w1 0 1 unknown',
        'r1 2 3', 'w2 4 5', 'r2 6 7', 'r1 8 9');
    bad('a value from nowhere', 'read of 7', 'w1 0 1', 'r7 2 3');
    bad('a value from the future', 'read of 1', 'r1 0 1', 'w1 2 3');
    bad('a write that was refused', 'read of 1.* answered .unchanged',
        'w1 0 1 unchanged', 'r1 2 3');
    bad('two reads in opposite orders', 'read of 2', 'w1 0 3', 'w2 0 3',
        'r1 4 5', 'r2 6 7', 'r1 8 9');
};

# A true register: each operation has its moment within its time.
sub random_history {
    my ($seed, $clients, $n) = @_;

    srand $seed;
    my (@todo, $value);
    for my $c (1 .. $clients) {
        my $at = rand;
        for my $i (1 .. $n / $clients) {
            my $start = $at += rand;
            my $end = $at += rand 3;
            push @todo, { client => $c, start => $start, end => $end,
                op => rand() < 0.5 ? 'write' : 'read', value => "$c.$i",
                said => 'done', moment => $start + rand($end - $start) };
            next if $todo[-1]{op} eq 'read' || rand() > 0.1;
            $todo[-1]{said} = 'unknown';
            $todo[-1]{moment} = rand() < 0.5 ? undef : $start + rand 20;
        }
    }
    $value = 0;
    for my $op (sort { $a->{moment} <=> $b->{moment} }
        grep { defined $_->{moment} } @todo)
    {
        $op->{value} = $value if $op->{op} eq 'read';
        $value = $op->{value};
    }
    return \@todo;
}

subtest 'random histories' => sub {
    my ($wrong, $missed, $slowest) = (0, 0, 0);
    my $seed = int($ENV{RBL_SEED} // time);
    note("seed $seed");
    for my $i (1 .. 12) {
        my $h = random_history($seed + $i, 5, 600);
        my $start = time;
        my $fault = history_fault($h, 0);
        $slowest = time - $start if $slowest < time - $start;
        $wrong++, diag("seed $seed + $i: $fault->{text}") if $fault;
        # A read much later of a value that was overwritten long before.
        my @writes = sort { $a->{end} <=> $b->{end} }
            grep { $_->{op} eq 'write' && $_->{said} eq 'done' } @$h;
        my $end = (sort { $b <=> $a } map { $_->{end} } @$h)[0] + 30;
        push @$h, { op => 'read', value => $writes[@writes / 2]{value},
            start => $end, end => $end + 1, said => 'done' };
        $missed++ if !history_fault($h, 0);
    }
    is($wrong, 0, 'the judge finds no fault in a true register');
    is($missed, 0, 'the judge finds a stale read');
    note sprintf 'slowest: %.2f s for 600 operations', $slowest;
};

done_testing();
