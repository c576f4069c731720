package RblFailover::History;

# Is the history of a register linearizable?  That is: can each operation be
# given a moment between its start and its end, so that a register that does them
# in that order returns what they returned?
#
# A write that may have happened (said: unknown, broken) has no end: it takes
# effect at any moment after its start, or never.  One that was refused
# (unchanged, refused) never does.  All writes have different values.
#
# The search goes through starts and ends in order of time, with all states that
# are possible so far: the value, and which of the open operations have had their
# moment.  At the end of an operation the states remain in which it has had its
# moment.  An operation without such a state is the fault.

use strict;
use warnings;

use Exporter 'import';

our @EXPORT = qw(history_fault history_of_records);

sub history_fault {
    my ($all, $initial) = @_;

    my @ops = relevant($all);
    my $fault = nowhere(\@ops, $all, $initial);
    return $fault if $fault;
    my %open;
    my %states = ("$initial\0" => [$initial, {}]);
    for my $e (events(@ops)) {
        my ($at, $i, $starts) = @$e;
        if ($starts) {
            $open{$i} = $ops[$i];
            next;
        }
        %states = after($i, \%open, \%states);
        return { op => $ops[$i], text => text_of($ops[$i]) } if !%states;
        delete $open{$i};
    }
    return undef;
}

# Operations that were done, or may have been.  A write without a response and
# whose value was not read has no effect that can be seen: it is left out, as the
# number of states doubles with each.
sub relevant {
    my ($all) = @_;

    my %read = map { $_->{value} => 1 }
        grep { $_->{op} eq 'read' && $_->{said} eq 'done' } @$all;
    return grep {
        $_->{said} eq 'done' || ($_->{op} eq 'write'
            && $_->{said} =~ /^(?:unknown|broken)$/ && $read{ $_->{value} })
    } @$all;
}

# A read of a value that no write may have made.
sub nowhere {
    my ($ops, $all, $initial) = @_;

    my %made = ($initial => 1, map { $_->{value} => 1 }
        grep { $_->{op} eq 'write' } @$ops);
    for my $op (grep { $_->{op} eq 'read' && !$made{ $_->{value} } } @$ops) {
        my ($write) = grep { $_->{op} eq 'write'
            && $_->{value} eq $op->{value} } @$all;
        return { op => $op, text => text_of($op) . ($write
            ? ", which was answered '$write->{said}'"
            : ', which was never written') };
    }
    return undef;
}

# (time, index, whether it starts), in order; starts come first, so that
# operations which touch are at the same time.
sub events {
    my @ops = @_;

    my @e;
    for my $i (0 .. $#ops) {
        push @e, [$ops[$i]{start}, $i, 1];
        push @e, [$ops[$i]{end}, $i, 0] if $ops[$i]{said} eq 'done';
    }
    return sort { $a->[0] <=> $b->[0] || $b->[2] <=> $a->[2] } @e;
}

# The states in which operation $i has had its moment.
sub after {
    my ($i, $open, $states) = @_;

    my (%seen, %good);
    my @todo = values %$states;
    $seen{ key_of(@$_) } = 1 for @todo;
    while (my $state = pop @todo) {
        my ($value, $done) = @$state;
        if ($done->{$i}) {
            my %rest = %$done;
            delete $rest{$i};
            $good{ key_of($value, \%rest) } = [$value, \%rest];
            next;
        }
        for my $j (grep { !$done->{$_} } keys %$open) {
            my $op = $open->{$j};
            next if $op->{op} eq 'read' && $op->{value} ne $value;
            my $next = [$op->{value}, { %$done, $j => 1 }];
            push @todo, $next if !$seen{ key_of(@$next) }++;
        }
    }
    return %good;
}

sub key_of {
    my ($value, $done) = @_;

    return join "\0", $value, sort keys %$done;
}

sub text_of {
    my ($op) = @_;

    return sprintf '%s of %s at %.6f .. %.6f by client %s', $op->{op},
        $op->{value}, @$op{qw(start end)}, $op->{client} // '?';
}

# The history of an account in the records of RblFailover::Load.
sub history_of_records {
    my ($records, $account) = @_;

    return map {
        { op => $_->{op} eq 'read' ? 'read' : 'write', value => $_->{name},
            said => $_->{said},
            start => $_->{start}, end => $_->{end}, client => $_->{client} }
    } grep { $_->{account} == $account && $_->{op} =~ /^(?:read|update)$/ }
        @$records;
}

1;
