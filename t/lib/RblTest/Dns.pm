package RblTest::Dns;

# One DNS query over UDP, for tests that look at a server's responses.

use strict;
use warnings;

use Exporter 'import';
use IO::Socket::INET;

our @EXPORT = qw(dns_query);

my %TYPE = (A => 1, TXT => 16, AAAA => 28);

# dns_query($server or port, name, type): {rcode, answers [texts]}, or undef if
# there was no response in time.
sub dns_query {
    my ($server, $name, $type, $timeout) = @_;

    my $port = ref $server ? $server->{port} : $server;
    my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port,
        Proto => 'udp') or die "udp: $!";
    my $id = int rand 65536;
    my $t = $TYPE{ $type // 'A' } or die "type $type";
    my $q = pack('n6', $id, 0x0100, 1, 0, 0, 0)
        . join('', map { pack 'C/a', $_ } split /\./, $name)
        . pack 'Cnn', 0, $t, 1;
    send $s, $q, 0 or return undef;
    vec(my $in = '', fileno $s, 1) = 1;
    select $in, undef, undef, $timeout // 5 or return undef;
    defined recv $s, my $m, 4096, 0 or return undef;
    my ($rid, $flags, $qd, $an) = unpack 'n4', $m;
    return undef if $rid != $id || $qd != 1;
    my $pos = skip_name($m, 12) + 4;
    my @answers;
    for (1 .. $an) {
        $pos = skip_name($m, $pos);
        my ($rt, undef, undef, $len) = unpack "x$pos nnNn", $m;
        my $data = substr $m, $pos + 10, $len;
        $pos += 10 + $len;
        next if $rt != $t;
        push @answers, $t == 1 ? join('.', unpack 'C4', $data)
            : $t == 16 ? join('', unpack '(C/a)*', $data)
            : unpack 'H*', $data;
    }
    return { rcode => $flags & 15, answers => \@answers };
}

sub skip_name {
    my ($m, $pos) = @_;

    while ((my $n = ord substr $m, $pos, 1)) {
        return $pos + 2 if $n >= 0xc0;
        $pos += $n + 1;
    }
    return $pos + 1;
}

1;
