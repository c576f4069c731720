#!/usr/bin/perl

# Latency at half load: requests come at a constant rate, half of what the
# server can do, and their time runs from when they were due (t/tools/httprate).
# `return 200` of the same worker is asked at the same rate.

use strict;
use warnings;

use RblBench;
use RblBenchHttp;
use RblTest;

use constant CONNECTIONS => 64;

bench('latency', 'at half of what each answer can do');

my $s = http_servers(accounts => 10);
my $auth = "Authorization: $s->{auth}";
my %path = (
    'return 200' => '/floor/',
    'one host'   => "/3.0/host/$s->{host}.json",
    'page of 20' => '/3.0/hosts.json?page_size=20',
);


# One run of httprate: microseconds.
sub at_rate {
    my ($name, $rate) = @_;

    my $c = spend(sub { run_cmd({ timeout => 60 },
        build_dir() . '/t/tools/httprate', $s->{nginx}{port}, $rate,
        seconds(1), CONNECTIONS, $path{$name}, $auth) },
        servers => [@{ $s->{nginx}{workers} }, $s->{redis}{pid}]);
    my $r = $c->{value};
    my %v = $r->{out} =~ /(\w+)=([\d.]+)/g;
    die "httprate: $r->{out}$r->{err}\n" if $r->{status} != 0;
    return { rate => $rate, map { $_ => $v{"${_}_us"} }
        qw(late p50 p90 p99 p999) };
}

# Half of what it can do now: a machine is not as fast all the time.
sub half {
    my ($name) = @_;

    my $most = wrk({ connections => CONNECTIONS, seconds => seconds(1),
        url => url_of($s->{nginx}, $path{$name}), headers => [$auth] });
    return int $most->{rps} / 2;
}

my (@rows, @shown, %half);
for my $name (sort keys %path) {
    push @shown, $name, $name eq 'return 200' ? () : "return 200 beside $name";
    push @rows, $name => sub { at_rate($name, $half{$name} = half($name)) };
    push @rows, "return 200 beside $name"
        => sub { at_rate('return 200', $half{$name}) }
        if $name ne 'return 200';
}
my $r = interleave(rounds(7), \@rows, warm => 1);

remark('64 connections; us from when a request was due to its whole answer;');
remark('late: p99 of what the asking program itself was late');
table(['answer', 'asked a second', 'p50', 'p90', 'p99', 'p99.9', 'late'],
    map { my $row = $_; [$row, map { figure($r->{$row}{$_}) }
        qw(rate p50 p90 p99 p999 late)] } @shown);

for my $name ('one host', 'page of 20') {
    target("$name: p99 of return 200 at the same rate",
        ratio($r, $name, "return 200 beside $name", 'p99'), '<', 3, 'x');
}

bench_end();
