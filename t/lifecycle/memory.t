#!/usr/bin/perl

# Steady state: 1,000 and 100,000 requests of every kind leave a worker with the
# same memory and the same descriptors; so do as many broken connections.

use strict;
use warnings;

use RblApi;
use RblFault;
use RblRedis;
use RblTest;

# A sanitizer keeps freed memory, so sizes mean nothing; it reports leaks
# itself.
my $sanitized = defined $ENV{RBL_NGINX} || nginx_env();
my $block = $sanitized ? 1000 : 20_000;

my $t = api_setup(workers => 1,
    http => 'keepalive_requests 1000000; access_log off; rbl_zone rbl 1m;',
    level => 'warn');
my $nginx = $t->{nginx};
my ($worker) = workers($nginx);
my $h = (add_host($t, '10.0.0.0/27'))[0];
my $pp = json(call($t, 'POST', 'check/start.json',
    form => { host => $h->{id} }))->{data}{id};

sub bytes {
    my ($method, $path, %opt) = @_;

    return http_head($method, "/3.0/$path", keep => 1, auth => $t->{acct},
        %opt);
}

# None of these closes its connection.
my @mix = (
    bytes('GET', 'hosts.json'), bytes('GET', 'hosts.xml?page_size=30'),
    bytes('GET', 'listings.zabbix'), bytes('GET', "host/$h->{id}.json"),
    bytes('GET', "check/status/$pp.json?details=1"),
    bytes('GET', 'hosts.json', auth => [$t->{acct}{sid}, '0' x 64]),
    bytes('GET', 'nothing'), bytes('HEAD', 'hosts.json'),
    bytes('POST', "host/update/$h->{id}.json", form => { name => 'n' }),
    bytes('GET', 'host/' . sid_of('HT') . '.json'),
);

# Sends so many requests, pipelined; returns the number of responses.
sub drive {
    my ($n) = @_;

    my $answered = 0;
    my @c = map { client('asks', $nginx, '') } 1 .. 4;
    while ($n > 0) {
        my $batch = join '', (@mix) x 10;
        print {$_} $batch for @c;
        for my $c (@c) {
            my ($got, $buf) = ('', '');
            my $left = 10 * @mix;
            while ($left > 0 && sysread $c, $buf, 262_144) {
                # "HTTP/1.1 2" may be cut in two.
                $got .= $buf;
                my $seen = () = $got =~ /HTTP\/1\.1 \d/g;
                $got = substr $got, -9;
                $left -= $seen;
                $answered += $seen;
            }
        }
        $n -= @c * 10 * @mix;
    }
    return $answered;
}

# KiB of the worker's heap when it is idle.
my $open = descriptors($worker);

sub memory {
    wait_for { descriptors($worker) <= $open } 5, 'connections to end';
    return heap_kib($worker);
}

# Repeats the code, and returns the heap after each run.
sub grows {
    my ($times, $code) = @_;

    my @kib = (memory());
    for (1 .. $times) {
        $code->();
        push @kib, memory();
    }
    return (growth(@kib), join ' ', @kib);
}

drive(1000);
my $answered = 0;
my ($step, $all) = grows(9, sub { $answered += drive($block) });
cmp_ok($answered, '>=', 9 * $block, 9 * $block . ' requests are answered');
diag("KiB after 1,000 requests and each $block more: $all");
# The least leak, 32 bytes in one request of ten, is 62 KiB.
cmp_ok($step, '<=', 60,
    'more requests do not increase the memory of the worker') if !$sanitized;
ok((wait_for { descriptors($worker) <= $open } 5),
    'more requests leave no open descriptor');

# Late replies, clients that disconnect, stores that go away.

sub trouble {
    for (1 .. 4) {
        with_fault('hung', $t->{redis}, sub {
            my @c = map { client('asks', $nginx, join '', @mix) } 1 .. 25;
            leave('breaks', $_) for @c;
        });
        with_fault('cut', $t->{redis}, sub { });
        wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 5,
            'service';
    }
}

trouble();
($step, $all) = grows(5, \&trouble);
diag("KiB after each 100 connections that break: $all");
cmp_ok($step, '<=', 32, 'connections that break leave no memory')
    if !$sanitized;
ok((wait_for { descriptors($worker) <= $open } 5),
    'connections that break leave no open descriptor');
is_deeply([workers_now($nginx)], [$worker],
    'the worker is the same all the time');

done_testing();
