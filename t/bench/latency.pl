#!/usr/bin/perl

# Latency at half load: requests come at a constant rate, half of what the
# server can do, and their time runs from when they were due (t/tools/httprate).
# Beside it, at the same rate: `return 200` of the same worker, and the least
# programs that answer after Redis has (t/tools/storefloor), or at once.

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

my %least = ('one host' => 'host', 'page of 20' => 'page');

# One run of httprate: microseconds.
sub at_rate {
    my ($server, $path, $rate) = @_;

    my $c = spend(sub { run_cmd({ timeout => 60 },
        build_dir() . '/t/tools/httprate', $server->{port}, $rate,
        seconds(1), CONNECTIONS, $path, $auth) },
        servers => [@{ $server->{workers} }, $s->{redis}{pid}]);
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

my (@rows, %rate);
for my $name ('one host', 'page of 20') {
    push @rows, $name => sub { at_rate($s->{nginx}, $path{$name},
            $rate{$name} = half($name)) },
        "beside $name: return 200" => sub {
            at_rate($s->{nginx}, $path{'return 200'}, $rate{$name}) },
        "beside $name: least with Redis" => sub {
            at_rate($s->{least}{$least{$name}}, '/', $rate{$name}) },
        "beside $name: least without" => sub {
            at_rate($s->{least}{none}, '/', $rate{$name}) };
}
push @rows, 'return 200' => sub { at_rate($s->{nginx}, $path{'return 200'},
    half('return 200')) };
my $r = interleave(rounds(7), \@rows, warm => 1);

remark('64 connections; us from when a request was due to its whole answer;');
remark('late: p99 of what the asking program itself was late');
table(['answer', 'asked a second', 'p50', 'p90', 'p99', 'p99.9', 'late'],
    map { my $row = $_; [$row, map { figure($r->{$row}{$_}) }
        qw(rate p50 p90 p99 p999 late)] } grep { !ref } @rows);
print "\n";
remark('p99 with Redis of p99 without, of the least programs: what any program');
remark('pays here for the way to Redis and back');
for my $name (sort keys %least) {
    remark("$name: " . figure(ratio($r, "beside $name: least with Redis",
        "beside $name: least without", 'p99')));
}

# "p99 at half load": of `return 200` at half of its own, or at as many requests
# as are half of the answer's, which asks more.
for my $name (sort keys %least) {
    target("$name: p99 of return 200, each at half of its own load",
        ratio($r, $name, 'return 200', 'p99'), '<', 3, 'x');
    target("$name: p99 of return 200 at the same rate",
        ratio($r, $name, "beside $name: return 200", 'p99'), '<', 3, 'x');
}

bench_end();
