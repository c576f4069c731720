#!/usr/bin/perl

# HTTP: the cost of a request compared with `return 200` of the same nginx, with
# minimal programs that query Redis (t/tools/storefloor), and with peers that
# give the same answers (lib/RblBenchHttp.pm, peers/README).

use strict;
use warnings;

use List::Util qw(max);

use RblBench;
use RblBenchHttp;
use RblTest;

bench('http', 'answers of the API beside return 200 and beside peers');

my $s = http_servers(peers => 1, accounts => smoke(10));
same_answers($s);

my $HOST = "host/$s->{host}.json";
my $PAGE = 'hosts.json?page_size=20';
my %who = (%{ $s->{least} }, map { $_ => $s->{$_} } qw(nginx open lua node));
my $every_host = sub { my ($a) = @_;
    return map { "/3.0/host/$_.json" } @{ $a->{hosts} } };
my $every_page = sub { return map { "/3.0/$PAGE&page=$_" } 1 .. 6 };

# --- measuring -------------------------------------------------------------

# One second of wrk: requests per second, CPU per request of the server and of
# Redis in us.
sub row {
    my ($name, $path, %opt) = @_;

    my $server = $who{$name};
    my %load = (connections => $opt{connections} // 64, seconds => seconds(1),
        url => url_of($server, $path), script => $opt{script},
        headers => ["Authorization: $s->{auth}"]);
    return sub {
        my $c = spend(sub { wrk(\%load) }, server => $server->{workers},
            redis => [$s->{redis}{pid}]);
        my $n = $c->{value}{requests} * 1000;
        return { rps => $c->{value}{rps}, server => $c->{server} / $n,
            redis => $c->{redis} / $n,
            busier => max($c->{server}, $c->{redis}) / $n };
    };
}

# The cost of one GET in Redis, 64 of them at a time on one connection.
redis($s->{redis}, 'SET', 'floor', 'x' x 2500);
sub get_row {
    my ($n) = @_;

    return sub {
        my $r = spend(sub { run_cmd({ timeout => 60 }, 'redis-benchmark',
            '-s', $s->{redis}{socket}, '-c', 1, '-P', 64, '-n', $n, '-q',
            'GET', 'floor') }, redis => [$s->{redis}{pid}]);
        my $us = $r->{redis} / $n / 1000;
        return { rps => $n / $r->{wall}, redis => $us, server => 0,
            busier => $us };
    };
}

# Another account, token and page at nearly every request, in one shuffled
# order.  The texts of all pages do not fit into the page cache of the worker
# (4 MiB), so a part of the requests reads its records from Redis.
my $pages = random_script($s, 'page', $every_page);
my $hosts = random_script($s, 'host', $every_host);
my $MANY = 'page of 20, many accounts in turn';

my $GET = 'Redis: GET of 2.5 KB, 64 at a time';
# The rows with fixed bounds are measured side by side, and often, and once more
# beside the peers.
my @bound = (
    'return 200, 2.5 KB'     => row('nginx', '/floor/'),
    'one host'               => row('nginx', "/3.0/$HOST"),
    'page of 20'             => row('nginx', "/3.0/$PAGE"),
    $MANY                    => row('nginx', '/', script => $pages),
    $GET                     => get_row(500_000 * seconds(1)),
);
my @rows = (
    @bound,
    'return 200, as host'    => row('nginx', '/floor-host/'),
    'return 200, as page'    => row('nginx', '/floor-page/'),
    'least program: none'    => row('none', '/'),
    'least program: host'    => row('host', '/'),
    'least program: page'    => row('page', '/'),
    'one host, many accounts in turn' => row('nginx', '/', script => $hosts),
    'one host, no ACL'       => row('open', "/3.0/$HOST"),
    'page of 20, no ACL'     => row('open', "/3.0/$PAGE"),
    (map { my ($peer, $as) = @$_; (
        "$as: host, packed" => row($peer, "/host-packed/$HOST"),
        "$as: host, ready"  => row($peer, "/host-ready/$HOST"),
        "$as: page, packed" => row($peer, "/page-packed/$PAGE"),
        "$as: page, ready"  => row($peer, "/page-ready/$PAGE"),
        "$as: page, hashes" => row($peer, "/page-hashes/$PAGE"),
    ) } ['lua', 'nginx-lua'], ['node', 'Node']),
    'page of 20, alone'      => row('nginx', "/3.0/$PAGE", connections => 1),
    'nginx-lua: host, alone' => row('lua', "/host-ready/$HOST",
        connections => 1),
);
# Most of the time of these two is the kernel's wakeup of a process, which
# varies: they are measured side by side, and often.
my @alone = (
    'one host, alone'        => row('nginx', "/3.0/$HOST", connections => 1),
    'least program: host, alone' => row('host', '/', connections => 1),
);
my @names = grep { !ref } @rows, @alone;
my $FLOOR = $names[0];
my $b = interleave(rounds(15), \@bound, warm => 1);
my $r = interleave(rounds(5), \@rows, warm => 1);
%$r = (%$r, %{ interleave(rounds(15), \@alone, warm => 1) });


# --- the table -------------------------------------------------------------

remark("bodies: one host $s->{sizes}{host}, page $s->{sizes}{page} bytes");
my @accounts = @{ $s->{data}{accounts} };
remark('many accounts in turn: ' . @accounts . ' accounts, '
    . @accounts * $every_page->() . ' pages');
remark('wrk -t1 -c64 (alone: -c1), one worker; of return 200: the ratio to');
remark('the first row, round by round; CPU in us a request, all threads; x:');
remark('its ratio to the first row; no ACL: a user of Redis who may do');
remark('everything, as the peers are; the least program reads the same from');
remark('Redis (none: nothing) and answers as much');
table([ 'answer', 'requests/s', 'of return 200', 'server CPU', 'x',
    'Redis CPU' ],
    map { my $name = $_; [ $name, figure($r->{$name}{rps}),
        beside_floor($name, 'rps'), figure($r->{$name}{server}),
        beside_floor($name, 'server'), figure($r->{$name}{redis}) ] } @names);
print "\n";
remark('ours beside the peers: requests/s, and what the busier of server and');
remark('Redis needs (a core for each)');
my @beside = (['one host', 'host, packed'], ['one host', 'host, ready'],
    ['page of 20', 'page, packed'], ['page of 20', 'page, ready'],
    ['page of 20', 'page, hashes']);
table(['ours', 'theirs', map { ("$_: requests/s", 'CPU') } 'nginx-lua', 'Node'],
    map { my ($ours, $theirs) = @$_; [$ours, $theirs, map {
        (figure(ratio($r, $ours, "$_: $theirs", 'rps')),
            figure(ratio($r, "$_: $theirs", $ours, 'busier')))
    } qw(nginx-lua Node)] } @beside);
print "\n";
remark(sprintf 'private memory: nginx worker %d KiB, nginx-lua worker %d KiB,'
    . ' Node %d KiB', map { private_kb(@{ $who{$_}{workers} }) }
    qw(nginx lua node));


# --- targets ---------------------------------------------------------------

# Fixed bounds, which no version may lower: a comparison with the version before
# lets small steps add up.  The reference is `return 200` with 2.5 KB, in the
# same worker and round, for every answer.  Beside a text as large as the answer
# an answer could grow at no charge.
for (['one host', 0.75, 2.0], ['page of 20', 0.65, 3.0], [$MANY, 0.45]) {
    my ($name, $rps, $cpu) = @$_;
    target("$name: requests/s of return 200", ratio($b, $name, $FLOOR, 'rps'),
        '>=', $rps);
    target("$name: nginx CPU of return 200",
        ratio($b, $name, $FLOOR, 'server'), '<=', $cpu, 'x') if $cpu;
}
# The speed of Redis depends on the machine and on the moment: its targets
# assume a GET of 2.5 KB that takes 1.1 us, 64 at a time; here they are scaled by
# that GET in the same round.
for (['one host', 2.5], ['page of 20', 20], [$MANY, 20]) {
    my ($name, $us) = @$_;
    target("$name: Redis, of a GET", ratio($b, $name, $GET, 'redis'), '<=',
        sprintf('%.2f', $us / 1.1), 'x');
}
# One request at a time costs Redis a wakeup, which is dearer the longer it has
# waited.  The least program wakes it as often; a GET in a loop, twice as often.
target('one host, alone: Redis, of the least program',
    ratio($r, 'one host, alone', 'least program: host, alone', 'redis'), '<=',
    1.25, 'x');
for (['nginx-lua', 3.0], ['Node', 2.2]) {
    my ($peer, $times) = @$_;
    for (['one host', 'host, packed', $times], ['page of 20', 'page, packed',
        $times], ['page of 20', 'page, hashes', 15])
    {
        my ($ours, $theirs, $limit) = @$_;
        target("$ours: requests/s of $peer, $theirs",
            ratio($r, $ours, "$peer: $theirs", 'rps'), '>=', $limit, 'x');
    }
}

bench_end();

# Only rows of the same rounds have a ratio.
sub beside_floor {
    my ($name, $key) = @_;

    return (grep { $_ eq $name } @alone) ? '-'
        : figure(ratio($r, $name, $FLOOR, $key));
}
