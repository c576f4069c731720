#!/usr/bin/perl

# An account A and hostile accounts: the times of A's reads, writes, checks and
# deliveries alone and during each attack, and the cost of the attack in nginx,
# the daemon and the store.  BENCH_ATTACK is a pattern of row and name that
# selects attacks.  t/neighbours/*.t are the short form.
#
# A alone is measured in one series before all attacks and a short one before
# each; attacks are compared with all of these.  A slice in which others, or
# another machine, used the processors of this one is left out of the times; its
# errors still count.

use strict;
use warnings;

use List::Util qw(first max min sum0);

use RblBench;
use RblNeighbours;
use RblNeighboursAttacks;
use RblNeighboursDaemon;
use RblNeighboursJudge;
use RblNeighboursOwn;
use RblNeighboursReplica;

use constant {
    FASTER  => 4,                       # than the load of the short form
    CLASSES => [qw(read write large check deliver)],
    SLICE   => 2,                       # s
    BETWEEN => 1,                       # slices alone before each attack
    OTHERS  => 0.05,                    # of the processors
    LIMIT   => 3,                       # limit, relative to A alone
    MORE    => 2,                       # measurements of what misses it
    ABOVE   => 4,                       # samples above a quantile; fewer may
};                                      # be an accident

bench('neighbours', 'one account beside hostile ones', beside => 1);
$_ *= FASTER for values %RblNeighboursLoad::RATE;

my $wanted = $ENV{BENCH_ATTACK} // smoke('^1 ') // '.';
my @attacks = grep { name_of($_) =~ /$wanted/ } attacks();
my ($slices, $disturbed) = (0, 0);
my (%alone, %seen);
measure($_) for map { @attacks } 1 .. rounds(1);

# A quantile of few samples may be an accident: what misses the limit is measured
# again, and all of its samples count.
my %again;
for (1 .. smoke(0) // MORE) {
    for my $attack (grep { (worst_of($_) // 0) > LIMIT } @attacks) {
        $again{ name_of($attack) }++;
        measure($attack);
    }
}

print "\n";
remark("$_->{row} $_->{name}: $_->{what}") for @attacks;
print "\n";
remark('ms, alone and beside the attack, p50 and p99; times: of the p99s, or of');
remark('the quantile named, if fewer than ' . ABOVE . ' samples are beyond them');
table(['attack', map { ("$_ alone", 'beside', 'times') } @{ +CLASSES }],
    map { my $a = $_; [name_of($a), map { latency($a, $_) } @{ +CLASSES }] }
    @attacks);
print "\n";
remark('of A: other answers than 200, checks that failed or found a list');
remark('unknown, and what did not finish in 4 s; by how many MiB nginx, the');
remark('daemon and the data of the store grew at most; refused:');
remark('bytes out of the store for each refused request');
table(['attack', 'bad', 'failed', 'late', 'nginx', 'daemon', 'store',
    'refused'], map { my $a = $_; [name_of($a), map { plain($_) }
    bad($a), failed($a), late($a), map { most($a, $_) }
    qw(nginx daemon store refused)] } @attacks);
print "\n";
remark('what the attackers got, by statuses, or did:');
remark('  ' . name_of($_) . ': ' . counts($_)) for @attacks;
print "\n";
remark("slices that are left out, with other load on the processors: "
    . "$disturbed of $slices");
remark('alone, ms, medians of each series: ' . join '; ', map { "$_ " . drift($_)
    } qw(read write check));

remark("measured again: $_, $again{$_} times") for sort keys %again;

for my $a (grep { defined worst_of($_) } @attacks) {
    target(name_of($a) . ': p99 of the worst kind, of alone', worst_of($a),
        '<=', LIMIT, 'x');
}
target('answers but 200', sum0(map { bad($_) } @attacks), '<=', 0);
target('checks that failed', sum0(map { failed($_) } @attacks), '<=', 0);
target('not in time', sum0(map { late($_) } @attacks), '<=', 0);
for (['nginx', 'MiB'], ['daemon', 'MiB'], ['store', 'MiB'], ['taken', 'MiB'],
    ['refused', 'bytes'])
{
    my ($what, $unit) = @$_;
    target("$what, of any attack", max(0, grep { defined }
        map { most($_, $what) } @attacks), '<=',
        $RblNeighboursJudge::MOST{$what}, $unit);
}

bench_end();

sub measure {
    my ($attack) = @_;

    my $w = neighbours(%{ $attack->{world} // {} }, measuring => \&go_first);
    long_alone($w, $attack) if !$alone{ load_of($attack) };
    my $r = beside($w, $attack, long => 1, refused => 1, alone => SLICE,
        beside => SLICE, series => \&series);
    push @{ $alone{ load_of($attack) } }, $r->{alone};
    push @{ $seen{ $attack->{name} } }, $r;
    leave($w);
}

sub name_of { return "$_[0]{row} $_[0]{name}" }

# During these attacks A requests the same share as alone.
sub load_of { return $_[0]{only} // 'all' }

sub plain { return defined $_[0] ? sprintf '%.0f', $_[0] : '-' }

# The slices of a series, added up: as many as seconds(12) needs.
sub series {
    my ($take, $when) = @_;

    my $wanted = $when eq 'alone' ? BETWEEN : seconds(12) / SLICE;
    my ($clean, %sum) = (0);
    for my $n (1 .. 2 * $wanted) {
        my ($s, $share) = others_share($take);
        my $good = $share <= OTHERS;
        $slices++;
        $disturbed++ if !$good;
        $clean++ if $good;
        add_up(\%sum, $s, $good);
        last if $clean >= $wanted;
    }
    return \%sum;
}

sub add_up {
    my ($sum, $s, $with_times) = @_;

    push @{ $sum->{$_} }, $with_times ? @{ $s->{$_} } : () for @{ +CLASSES };
    push @{ $sum->{failed} }, @{ $s->{failed} };
    $sum->{late} += $s->{late};
    $sum->{status}{$_} += $s->{status}{$_} for keys %{ $s->{status} };
}

sub long_alone {
    my ($w, $attack) = @_;

    my %more = $attack->{only} ? (only => $attack->{only}) : ();
    $w->{load}->slice(SLICE, undef, %more);             # warm
    push @{ $alone{ load_of($attack) } }, series(sub {
        $w->{load}->slice(SLICE, undef, %more) }, 'long');
}

# All measurements of one kind, in ms.
sub all_of {
    my ($a, $when, $class) = @_;

    my @from = $when eq 'alone' ? @{ $alone{ load_of($a) } }
        : map { $_->{beside} } @{ $seen{ $a->{name} } };
    return map { 1000 * $_ } map { @{ $_->{$class} } } @from;
}

# The slowdown of the slowest of a kind, and its quantile.
sub times_of {
    my ($a, $class) = @_;

    my ($x, $y) = map { [all_of($a, $_, $class)] } qw(alone beside);
    my $p = first { min(scalar @$x, scalar @$y) * (100 - $_) >= 100 * ABOVE }
        99, 98, 95, 90;
    return undef if !$p;
    return (percentile($p, @$y) / percentile($p, @$x), $p);
}

# That of the slowest kind.
sub worst_of {
    my ($a) = @_;

    return max(grep { defined } map { (times_of($a, $_))[0] } @{ +CLASSES });
}

sub latency {
    my ($a, $class) = @_;

    my ($times, $p) = times_of($a, $class);
    return ('-', '-', 'too few') if !defined $times;
    return ((map { my $when = $_; join ' ', map { number_of(percentile($_,
        all_of($a, $when, $class))) } 50, $p } qw(alone beside)),
        sprintf $p == 99 ? '%.1f' : "%.1f p$p", $times);
}

sub number_of {
    return sprintf $_[0] < 10 ? '%.1f' : '%.0f', $_[0];
}

# The first series, and the least and greatest of those between.
sub drift {
    my ($class) = @_;

    my ($first, @between) = map { percentile(50, @{ $_->{$class} }) // () }
        map { @$_ } values %alone;
    return '-' if !@between;
    return join ' ', map { number_of(1000 * $_) } $first, min(@between),
        max(@between);
}

sub most {
    my ($a, $what) = @_;

    my @all = grep { defined } map { $_->{$what} } @{ $seen{ $a->{name} } };
    return @all ? max(@all) : undef;
}

sub counts {
    my ($a) = @_;

    my %all;
    for my $c (map { $_->{counts} } @{ $seen{ $a->{name} } }) {
        $all{$_} += $c->{$_} for keys %$c;
    }
    return join ', ', map { "$_ $all{$_}" } sort keys %all;
}

sub bad {
    my ($a) = @_;

    return sum0(map { my %bad = bad_answers($_->{beside}); values %bad }
        @{ $seen{ $a->{name} } });
}

sub failed { return sum0(map { scalar @{ $_->{beside}{failed} } }
    @{ $seen{ $_[0]{name} } }) }

sub late { return sum0(map { $_->{beside}{late} } @{ $seen{ $_[0]{name} } }) }
