#!/usr/bin/perl

# An account with 100,000 hosts and one with 100: the first page, page 5,000 and
# changes of one host, through the API, one request at a time on one connection;
# and the memory of the store per host, with all indexes.  BENCH_HOSTS sets
# another number of hosts.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/lib";

use IO::Socket::INET;
use MIME::Base64 qw(encode_base64);
use RblBench;
use RblTest;

use constant { SMALL => 100, EACH => smoke(5) // 100 };

my $big_hosts = $ENV{BENCH_HOSTS} || smoke(2_000) || 100_000;
my $redis = start_redis();
init_store($redis);
my $nginx = start_nginx(store => $redis);
my ($small, $big) = map { make_account($redis, name => $_) } 'Small', 'Big';
my $c;

bench('big', "an account with $big_hosts hosts");


# Sends one request on a persistent connection; returns the body.
sub ask {
    my ($acct, $method, $path, $form) = @_;

    local $_;
    $c //= IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $nginx->{port}) or die "connect: $!\n";
    my $auth = encode_base64("$acct->{sid}:$acct->{token}", '');
    my $body = $form // '';
    print {$c} "$method /3.0/$path HTTP/1.1\r\nHost: x\r\n"
        . "Authorization: Basic $auth\r\n"
        . ($method eq 'POST' ? 'Content-Type: '
            . "application/x-www-form-urlencoded\r\nContent-Length: "
            . length($body) . "\r\n" : '') . "\r\n$body";
    $c->flush;
    my ($length, $chunked, $last) = (0);
    my $status = readline $c // die "no answer to $path\n";
    while (($_ = readline $c) =~ /\S/) {
        $length = $1 if /^Content-Length: (\d+)/i;
        $chunked = 1 if /^Transfer-Encoding: chunked/i;
        $last = 1 if /^Connection: close/i;
    }
    my $out = '';
    if ($chunked) {
        while ((my $n = hex readline $c) > 0) {
            read $c, my $part, $n + 2;
            $out .= substr $part, 0, $n;
        }
        readline $c;
    } else {
        read $c, $out, $length;
    }
    undef $c if $last;
    die "$path: $status$out\n" if $status !~ / 200 /;
    return $out;
}

my %net = ($small->{sid} => 0, $big->{sid} => 64);

# Adds the hosts of whole subnets, up to the wanted number.
sub fill {
    my ($acct, $n, $size) = @_;

    for (my $i = 0; $i < $n; $i += $size) {
        my $at = $net{ $acct->{sid} } * 65536 + $i;
        my $bits = 32 - log($size) / log 2;
        ask($acct, 'POST', 'host/add.json', sprintf 'type=rbl&name=server'
            . '&host=10.%d.%d.%d%%2F%d', $at >> 16, $at >> 8 & 255, $at & 255,
            $bits);
    }
}

sub used { return redis($redis, 'INFO', 'memory') =~ /^used_memory:(\d+)/m
    ? $1 : die "no used_memory\n" }

fill($small, SMALL, 4);
my $before = used();
fill($big, $big_hosts, 32);
my $each = (used() - $before) / $big_hosts;

# Makes EACH requests of a kind: CPU of the store and latency, in us each.
sub cost {
    my (@calls) = @_;

    my $spent = spend(sub { $_->() for @calls }, redis => [$redis->{pid}],
        nginx => [$nginx->{pid}]);
    return { redis => $spent->{redis} / 1000 / @calls,
        wall => $spent->{wall} * 1e6 / @calls };
}

sub page_of {
    my ($acct, $page) = @_;

    my $out = ask($acct, 'GET', "hosts.json?page=$page&page_size=20");
    my $n = () = $out =~ /"id":"HT/g;
    die "page $page has $n hosts\n" if $n != 20;
}

my $serial = 0;
my %added;

sub add {
    my ($acct) = @_;

    my $n = ++$serial;
    my $out = ask($acct, 'POST', 'host/add.json', 'type=rbl&name=one&host=11.'
        . join '.', $n >> 16, $n >> 8 & 255, $n & 255);
    push @{ $added{ $acct->{sid} } }, $out =~ /"id":"(HT\w+)"/;
}

sub change {
    my ($verb, $acct, $i) = @_;

    ask($acct, 'POST', "host/$verb/$added{ $acct->{sid} }[$i].json");
}

my $last = $big_hosts / 20;
my @kinds = (
    [first => 'the first page', sub { page_of($_[0], 1) }],
    [last => 'the last page',
        sub { page_of($_[0], $_[0] == $big ? $last : SMALL / 20) }],
    [add => 'add', sub { add($_[0]) }],
    [pause => 'pause', sub { change('pause', @_) }],
    [resume => 'resume', sub { change('resume', @_) }],
    [delete => 'delete', sub { change('delete', @_) }],
);
my %sum;
my @rows;
for my $kind (@kinds) {
    my ($name, undef, $code) = @$kind;
    push @rows, map { my ($size, $acct) = @$_;
        "$name $size" => sub { cost(map { my $i = $_; sub { $code->($acct,
            $i) } } 0 .. EACH - 1) } } [small => $small], [big => $big];
}
my $r = interleave(rounds(7), [
    forget => sub { %added = (); return {} },
    @rows,
], warm => 1);

table(['us a request', 'Redis CPU, ' . SMALL . ' hosts', "$big_hosts hosts",
        'ratio', 'latency, ' . SMALL . ' hosts', "$big_hosts hosts", 'ratio'],
    map { my $k = $_->[0]; [$_->[1], map { my $of = $_;
        (figure($r->{"$k small"}{$of}), figure($r->{"$k big"}{$of}),
        figure(ratio($r, "$k big", "$k small", $of))) } qw(redis wall)] }
        @kinds);
remark(sprintf 'memory of a host, all indexes included: %.0f bytes', $each);

for my $kind (@kinds) {
    target("$kind->[1], $big_hosts hosts to " . SMALL . ': Redis CPU',
        ratio($r, "$kind->[0] big", "$kind->[0] small", 'redis'), '<=', 1.2);
}
for my $of (['Redis CPU', 'redis'], ['latency', 'wall']) {
    target("page $last to page 1: $of->[0]",
        ratio($r, 'last big', 'first big', $of->[1]), '<=', 1.2);
}
target('memory of a host', $each, '<=', 1024, 'bytes');
stop_server($_) for $nginx, $redis;
bench_end();
