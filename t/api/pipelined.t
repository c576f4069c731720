#!/usr/bin/perl

# A client sends many requests and reads the responses slowly.  nginx cannot
# send the headers of some responses at once; their bodies must follow.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Select;
use IO::Socket::INET;
use MIME::Base64 qw(encode_base64);
use RblApi;
use Socket qw(SOL_SOCKET SO_RCVBUF);

use constant REQUESTS => 60;

my $port = free_port();
my $t = api_setup(server => "listen 127.0.0.1:$port sndbuf=4k; "
    . 'postpone_output 0;');
call($t, 'POST', 'host/add.json', form => { host => "10.0.0.$_",
    type => 'rbl', name => 'n' x 60 }) for 1 .. 4;

my $s = IO::Socket::INET->new(Proto => 'tcp');
setsockopt $s, SOL_SOCKET, SO_RCVBUF, pack 'i', 2048;
$s->connect($port, Socket::inet_aton('127.0.0.1')) or die $!;
my $login = encode_base64("$t->{acct}{sid}:$t->{acct}{token}", '');
syswrite $s, "GET /3.0/hosts.json?page_size=" . ($_ % 4 + 1)
    . " HTTP/1.1\r\nHost: a\r\nAuthorization: Basic $login\r\n\r\n"
    for 1 .. REQUESTS;

my ($in, $whole) = ('', 0);
my $ready = IO::Select->new($s);
while ($whole < REQUESTS && $ready->can_read(3)) {
    select undef, undef, undef, 0.002;
    sysread $s, $in, 700, length $in or last;
    while ($in =~ /\A(HTTP\/1\.1 200 OK\r\n.*?\r\n\r\n)/s) {
        my $head = $1;
        my ($length) = $head =~ /^Content-Length: (\d+)\r$/m or last;
        last if length($in) < length($head) + $length;
        like(substr($in, length $head, $length),
            qr/\A\{"status_code":200,.*\}\z/s,
            'the response has a complete body');
        substr $in, 0, length($head) + $length, '';
        $whole++;
    }
}
is($whole, REQUESTS, 'each answer has its headers and its body');

done_testing();
