#!/usr/bin/perl

# Receivers that answer nonsense, too much, too slowly or never: each is one
# failed attempt within the time limit, and the next delivery works.

use strict;
use warnings;
use IO::Socket::INET;
use POSIX ();
use Time::HiRes qw(sleep);
use RblTest;
use RblScript;
use RblDeliver;

my %answer = (
    nothing => sub { },
    garbage => sub { print { $_[0] } "\0\1\2 hello\r\n\r\n" },
    http09  => sub { print { $_[0] } 'no header at all' },
    ssh     => sub { print { $_[0] } "SSH-2.0-OpenSSH_9.2\r\n" },
    half    => sub { print { $_[0] } 'HTTP/1.1 20' },
    cut     => sub { print { $_[0] } "HTTP/1.1 500 No\r\nContent-Le" },
    short   => sub { print { $_[0] } "HTTP/1.1 200 OK\r\n"
        . "Content-Length: 100\r\n\r\nabc" },
    length  => sub { print { $_[0] } "HTTP/1.1 200 OK\r\n"
        . "Content-Length: -5\r\n\r\nabc" },
    chunk   => sub { print { $_[0] } "HTTP/1.1 200 OK\r\n"
        . "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n" },
    status  => sub { print { $_[0] } "HTTP/1.1 2x0 No\r\n\r\n" },
    headers => sub { print { $_[0] } "HTTP/1.1 200 OK\r\n";
        print { $_[0] } 'X-Y: ' . 'z' x 1000 . "\r\n" or return for 1 .. 2000 },
    interim => sub { print { $_[0] } "HTTP/1.1 102 Wait\r\n\r\n" or return
        while !select undef, undef, undef, 0.01 },
    drip    => sub { print { $_[0] } "HTTP/1.1 200 OK\r\nX: ";
        print { $_[0] } 'z' or return
            while !select undef, undef, undef, 0.05 },
    silence => sub { sleep 20 },
    endless => sub { print { $_[0] } "HTTP/1.1 500 No\r\n\r\n";
        print { $_[0] } 'x' x 65536 or return while 1 },
    fine    => sub { print { $_[0] } "HTTP/1.1 200 OK\r\n\r\n";
        print { $_[0] } 'x' x 65536 or return while 1 },
);

my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 16,
    ReuseAddr => 1) or die "listen: $!";
my $port = $listen->sockport;
my $server = fork // die "fork: $!";
if ($server == 0) {
    setpgrp 0, 0;
    $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
    $SIG{CHLD} = $SIG{PIPE} = 'IGNORE';
    while (my $c = $listen->accept) {
        my $pid = fork // next;
        if ($pid == 0) {
            alarm 25;
            $c->autoflush(1);
            sysread $c, my $head, 65536;
            $head =~ m{^POST /(\w+)} && $answer{$1}->($c);
            POSIX::_exit(0);
        }
    }
    POSIX::_exit(0);
}
setpgrp $server, $server;
at_stop(sub { kill 'TERM', -$server; waitpid $server, 0 });
close $listen;

deliver_setup();
my $d = start_deliverd(conf => { deliver_timeout => '1s' });

# An attempt with that kind of response.  One without an end has no result.
sub timed { return attempt("http://127.0.0.1:$port/$_[0]") }

my $broken = '0 incomplete HTTP response';
is(timed($_), $broken, "$_: the response is incomplete")
    for qw(nothing garbage http09 ssh
    half short length chunk status headers);
is(timed($_), '0 timeout', "$_: the attempt ends with a timeout")
    for qw(interim drip silence);
is(timed('cut'), '500 HTTP status', 'cut: the status of the response counts');
is(timed('endless'), '500 HTTP status',
    'endless: the status of the response counts');
is(timed('fine'), 'delivered', 'fine: the status of the response counts');

my $hook = start_receiver();
one_off($hook->{url}, '192.0.2.8');
soon { received($hook) == 1 && idle() } 'the next delivery works';
ok(alive($d), 'the daemon runs after the hostile responses');
done_testing();
