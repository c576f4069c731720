package RblFailover::Judge;

# Compares what clients were told (RblFailover::Load) with what the store has.

use strict;
use warnings;

use Exporter 'import';
use Test::More ();

use RblTest::Http;
use RblTest::Process;

our @EXPORT = qw(load_report is_clean away_text rate_of hosts_of);

# Through any nginx of the store.
sub load_report {
    my ($nginx, $records, $accounts) = @_;

    my $report = { acked => 0, unknown => 0, unchanged => 0, requests =>
        scalar @$records, map { $_ => [] } qw(lost doubled untrue stale odd) };
    my (@host, %by);
    push @{ $by{ $_->{account} }{ $_->{host} } }, $_
        for grep { $_->{op} ne 'check' } @$records;
    for my $r (@$records) {
        $report->{acked}++ if $r->{said} eq 'done' && $r->{op} ne 'read';
        $report->{ $r->{said} }++ if $r->{said} =~ /^un/;
        push @{ $report->{odd} }, $r if $r->{said} =~ /^(?:broken|refused)$/;
    }
    for my $account (sort keys %by) {
        my %there;
        push @{ $there{ $_->{host} } }, $_
            for hosts_of($nginx, $accounts->[$account]);
        judge($report, $_, $by{$account}{$_}, $there{$_} // [])
            for sort keys %{ $by{$account} };
    }
    away($report, $records);
    return $report;
}

# All hosts of an account, as the API has them.
sub hosts_of {
    my ($nginx, $account) = @_;

    my @all;
    for my $page (1 .. 1000) {
        my $r;
        wait_for {
            $r = http($nginx, 'GET', "/3.0/hosts.json?page=$page"
                . '&page_size=1000', auth => $account);
            $r->{status} == 200;
        } 20, 'the list of hosts' or die "hosts: $r->{raw}";
        my $v = json($r);
        push @all, @{ $v->{data} };
        return @all if @{ $v->{data} } < 1000;
    }
    return @all;
}

# The operations on a host, which one client made one after the other.  `may` is
# what the name can be: the last one that was acknowledged, and those since then
# that may have happened.  A request that was never answered is not in the store
# for long: it may happen once later ones were answered, so it stays.
sub judge {
    my ($report, $host, $ops, $there) = @_;

    my (%may, %never, $acked, $last);
    for my $op (@$ops) {
        my ($said, $name) = @$op{qw(said name)};
        if ($op->{op} eq 'read') {
            push @{ $report->{stale} }, $op
                if $said eq 'done' && !$may{$name};
        } elsif ($said eq 'done') {
            delete @may{ grep { $may{$_} ne 'unknown' } keys %may };
            $may{$name} = 'done';
            ($acked, $last) = (1, $op);
        } elsif ($said eq 'unknown' || $said eq 'broken') {
            $may{$name} = 'unknown';
        } else {
            $never{$name} = $op;
        }
    }
    push @{ $report->{doubled} }, $there if @$there > 1;
    if (!@$there) {
        push @{ $report->{lost} }, $last if $acked;
        return;
    }
    my $name = $there->[0]{name};
    return if $may{$name};
    push @{ $report->{ $never{$name} ? 'untrue' : 'lost' } },
        $never{$name} // { %$last, found => $name };
}

# Intervals without a success of an account, from its first 503 to the next
# success.
sub away {
    my ($report, $records) = @_;

    my (%since, @away);
    my @by_end = sort { $a->{end} <=> $b->{end} } @$records;
    for my $r (@by_end) {
        my $a = $r->{account};
        if ($r->{status} == 503) {
            $since{$a} //= $r->{end};
        } elsif ($r->{said} eq 'done' && $since{$a}
            && $r->{start} > $since{$a})
        {
            push @away, [$a, delete $since{$a}, $r->{end}];
        }
    }
    push @away, map { [$_, $since{$_}, $by_end[-1]{end}] } keys %since;
    $report->{away} = \@away;
    my ($longest) = sort { $b <=> $a } map { $_->[2] - $_->[1] } @away;
    $report->{longest} = $longest // 0;
}

# Answers in a second: the median of all seconds but the first and the last.
sub rate_of {
    my ($records) = @_;

    my %n;
    $n{ int $_->{end} }++ for @$records;
    my ($first, @whole) = sort { $a <=> $b } keys %n;
    pop @whole;
    my @sorted = sort { $a <=> $b } @n{@whole};
    return $sorted[@sorted / 2] // 0;
}

# For a note.
sub away_text {
    my ($report) = @_;

    my @s = map { $_->[2] - $_->[1] } @{ $report->{away} };
    my $sum = 0;
    $sum += $_ for @s;
    return sprintf '%d requests, %d writes acknowledged, %d unknown, %d '
        . 'unchanged; %d intervals of 503, mean %.2f s, longest %.2f s',
        @$report{qw(requests acked unknown unchanged)}, scalar @s,
        @s ? $sum / @s : 0, $report->{longest};
}

# A test: the clients were told the truth, and nothing is lost.
sub is_clean {
    my ($report, $name) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @bad;
    for my $what (qw(lost doubled untrue stale odd)) {
        my @r = @{ $report->{$what} } or next;
        my $first = ref $r[0] eq 'HASH' ? $r[0] : $r[0][0];
        push @bad, "$what: " . @r . ', ' . join ' ',
            map { "$_=" . ($first->{$_} // '-') } sort keys %$first;
    }
    return Test::More::is(join("\n", @bad), '', $name)
        || Test::More::diag(away_text($report));
}

1;
