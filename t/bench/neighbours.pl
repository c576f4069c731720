#!/usr/bin/perl

# One account beside hostile ones: how long its reads, writes, checks and
# deliveries take alone and beside each attack, in turns, and what the attack
# costs nginx, the daemon and the store.  BENCH_ATTACK is a
# pattern of row and name: only those attacks.  t/neighbours/*.t are the short
# form.

use strict;
use warnings;

use List::Util qw(max sum0);

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
    FEW     => 5,                       # too few to speak of a p99
};

bench('neighbours', 'one account beside hostile ones');
$_ *= FASTER for values %RblNeighboursLoad::RATE;

my $wanted = $ENV{BENCH_ATTACK} // '.';
my @attacks = grep { name_of($_) =~ /$wanted/ } attacks();
my %seen;
for (1 .. rounds(2)) {
    for my $attack (@attacks) {
        my $w = neighbours(%{ $attack->{world} // {} });
        push @{ $seen{ $attack->{name} } }, beside($w, $attack, long => 1,
            alone => seconds(3), beside => seconds(3), refused => 1);
        leave($w);
    }
}

print "\n";
remark("$_->{row} $_->{name}: $_->{what}") for @attacks;
print "\n";
remark('ms, alone and beside the attack, p50 and p99; times: of the p99s');
table(['attack', map { ("$_ alone", 'beside', 'times') } @{ +CLASSES }],
    map { my $a = $_; [name_of($a), map { latency($a, $_) } @{ +CLASSES }] }
    @attacks);
print "\n";
remark('of A: other answers than 200, checks that failed or found a list');
remark('unknown, and what had not ended 4 s later; by how many MiB nginx, the');
remark('daemon and the data of the store grew at most; refused:');
remark('bytes out of the store for each refused request');
table(['attack', 'bad', 'failed', 'late', 'nginx', 'daemon', 'store',
    'refused'], map { my $a = $_; [name_of($a), map { plain($_) }
    bad($a), failed($a), late($a), map { most($a, $_) }
    qw(nginx daemon store refused)] } @attacks);

for my $a (@attacks) {
    my @times = grep { defined } map { times_of($a, $_) } @{ +CLASSES };
    target(name_of($a) . ': p99 of the worst kind, of alone', max(@times), '<=',
        3, 'x') if @times;
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

sub name_of { return "$_[0]{row} $_[0]{name}" }

sub plain { return defined $_[0] ? sprintf '%.0f', $_[0] : '-' }

# All that was measured of one kind, of every round, in ms.
sub all_of {
    my ($a, $when, $class) = @_;

    return map { 1000 * $_ } map { @{ $_->{$when}{$class} } }
        @{ $seen{ $a->{name} } };
}

sub times_of {
    my ($a, $class) = @_;

    my ($x, $y) = map { [all_of($a, $_, $class)] } qw(alone beside);
    return undef if @$x < FEW || @$y < FEW;
    return percentile(99, @$y) / percentile(99, @$x);
}

sub latency {
    my ($a, $class) = @_;

    my $times = times_of($a, $class) // return ('-', '-', '-');
    return ((map { my $when = $_; join ' ', map { number_of(percentile($_,
        all_of($a, $when, $class))) } 50, 99 } qw(alone beside)),
        sprintf '%.1f', $times);
}

sub number_of {
    return sprintf $_[0] < 10 ? '%.1f' : '%.0f', $_[0];
}

sub most {
    my ($a, $what) = @_;

    my @all = grep { defined } map { $_->{$what} } @{ $seen{ $a->{name} } };
    return @all ? max(@all) : undef;
}

sub bad {
    my ($a) = @_;

    return sum0(map { my %bad = bad_answers($_->{beside}); values %bad }
        @{ $seen{ $a->{name} } });
}

sub failed { return sum0(map { scalar @{ $_->{beside}{failed} } }
    @{ $seen{ $_[0]{name} } }) }

sub late { return sum0(map { $_->{beside}{late} } @{ $seen{ $_[0]{name} } }) }
