#!/usr/bin/perl

# Latency at half load: requests come at a constant rate, half of the server's
# maximum, and their time counts from when they were due (t/tools/httprate).
# For comparison, at the same rate: `return 200` of the same worker, and minimal
# programs that answer after a reply of Redis (t/tools/storefloor), or at once.
#
# A round is a slice of each in turn, and there are many.  A slice in which
# another machine used a processor of this one (steal) is left out, for any
# server.

use strict;
use warnings;

use List::Util qw(min);

use RblBench;
use RblBenchHttp;
use RblTest;

use constant {
    CONNECTIONS => 64,
    SLICE       => 50,                  # ms
    BATCH       => 25,                  # consecutive rounds
    ENOUGH      => 60,                  # rounds needed for a result
};

bench('latency', 'at half of what each answer can do');

my $s = http_servers(accounts => 10);
my $floor = [$s->{nginx}, '/floor/'];

# Name, server and path, rate.
my @rows = (['return 200', @$floor, 'half'], half_load('one host', 'host',
    "/3.0/host/$s->{host}.json"), half_load('page of 20', 'page',
    '/3.0/hosts.json?page_size=20'));

# The target is for each at half of its own maximum.  At the same rate the round
# trip to Redis dominates: for the minimal program it costs once or twice as
# much as `return 200`.
my @names = ('one host', 'page of 20');
my @pairs = map { [$_, 'return 200'], [$_, "beside $_: return 200"],
    [$_, "beside $_: least with Redis"],
    ["beside $_: least with Redis", "beside $_: return 200"] } @names;

my ($rounds, @seen) = (0);
while ($rounds < rounds(400) && min(map { scalar clean(@$_) } @pairs) < ENOUGH)
{
    push @seen, rates();
    $rounds += BATCH;
}

remark('64 connections; us from when a request was due to its whole answer;');
remark('late: p99 of the delay of the client program itself; medians of the');
remark('slices of ' . SLICE . " ms, of $rounds, without other load on the "
    . 'processors of this machine');
table(['answer', 'slices', 'requests a second', 'p50', 'p90', 'p99', 'p99.9',
    'late'], map { line($_->[0]) } @rows);

print "\n";
remark('p99 at the same rate:');
for my $name (@names) {
    remark("$name: " . join ', ', map { figure(pair(@{ $_->[0] }))
        . " of $_->[1]" } [[$name, "beside $name: return 200"], 'return 200'],
        [[$name, "beside $name: least with Redis"], 'the least with Redis']);
    remark('  the least with Redis: ' . figure(pair("beside $name: least with "
        . 'Redis', "beside $name: return 200")) . ' of return 200');
}

for my $name (@names) {
    target("$name: p99 of return 200, each at half of its own load",
        pair($name, 'return 200'), '<', 3, 'x');
}

bench_end();

sub half_load {
    my ($name, $least, $path) = @_;

    return ([$name, $s->{nginx}, $path, 'half'],
        ["beside $name: return 200", @$floor, "=$name"],
        ["beside $name: least with Redis", $s->{least}{$least}, '/', "=$name"],
        ["beside $name: least without", $s->{least}{none}, '/', "=$name"]);
}

# A batch of rounds: hashes {name => {rate, p99, ..}}.
sub rates {
    my $text = join '', map { join("\t", $_->[0], $_->[1]{port}, $_->[3],
        $_->[2], "Authorization: $s->{auth}") . "\n" } @rows;
    my $c = spend(sub { run_cmd({ timeout => 120, stdin => $text },
        build_dir() . '/t/tools/httprate', BATCH, SLICE, CONNECTIONS) },
        servers => [$s->{redis}{pid}, map { @{ $_->[1]{workers} } }
            @rows[0, 3, 4, 7]]);
    my $out = $c->{value};
    die "httprate: $out->{out}$out->{err}\n" if $out->{status} != 0;

    my (@rounds, %round);
    for my $line (split /\n/, $out->{out}) {
        my ($name, $rest) = $line =~ /^name=(.*?) (rate=.*)$/;
        $round{$name} = { $rest =~ /(\w+)=([\d.]+)/g };
        push @rounds, { %round } if keys %round == @rows;
        %round = () if keys %round == @rows;
    }
    return @rounds;
}

# The rounds in which all these rows are undisturbed.
sub clean {
    my (@names) = @_;

    return grep { my $round = $_; smoke(1)
        || !grep { $round->{$_}{steal} } @names } @seen;
}

# The ratios of two rows' p99.
sub pair {
    my ($x, $y) = @_;

    my @rounds = clean($x, $y);
    die "this machine never had its processors for itself: nothing is "
        . "measured\n" if !@rounds;
    return stat_of(map { $_->{$x}{p99} / $_->{$y}{p99} } @rounds);
}

sub line {
    my ($name) = @_;

    my @clean = map { $_->{$name} } clean($name);
    return [$name, scalar @clean, map { my $key = $_;
        @clean ? figure(stat_of(map { $_->{$key} } @clean)) : '-' }
        qw(rate p50 p90 p99 p999 late)];
}
