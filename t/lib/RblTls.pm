package RblTls;

# Stores behind TLS: certificates of two authorities, "ca" and "other", and
# Redis servers that use them.

use strict;
use warnings;

use Exporter 'import';
use IO::Socket::INET;
use RblDeliver qw(authority certificate);
use RblTest;

our @EXPORT = qw(tls_files tls_args tls_redis tls_conf tls_several
    tls_forger);

my $d;

# Makes the certificates: redis (of 127.0.0.1), named (store.example.org),
# client, stranger (a client of the other authority), expired.  Returns their
# folder, which has NAME.pem and NAME.key.
sub tls_files {
    return $d if $d;

    $d = own_dir('tls');
    authority($d, $_) for 'ca', 'other';
    certificate($d, 'ca', 'redis', 'IP:127.0.0.1');
    certificate($d, 'ca', 'named', 'DNS:store.example.org');
    certificate($d, 'ca', 'client', 'DNS:client.example.org');
    certificate($d, 'other', 'stranger', 'DNS:client.example.org');
    certificate($d, 'ca', 'expired', 'IP:127.0.0.1', expired => 1);
    return $d;
}

# Arguments of redis-server; auth: 'yes' if clients need a certificate.
sub tls_args {
    my ($port, $name, $auth) = @_;

    tls_files();
    return ('--tls-port', $port, '--tls-cert-file', "$d/$name.pem",
        '--tls-key-file', "$d/$name.key", '--tls-ca-cert-file', "$d/ca.pem",
        '--tls-auth-clients', $auth // 'no');
}

# A Redis server with the certificate NAME: as start_redis(), which takes the
# other options, with {tls}, the port.  Its socket is not encrypted.
sub tls_redis {
    my ($name, %opt) = @_;

    my $port = free_port();
    my $redis = start_redis(cluster => 1, %opt, args => [ tls_args($port, $name,
        $opt{auth}), @{ $opt{args} // [] } ]);
    $redis->{tls} = $port;
    return $redis;
}

# Keys of rbl-checkd.conf for certificates: tls_conf('ca'), or with a client's
# tls_conf('ca', 'client').
sub tls_conf {
    my ($ca, $client) = @_;

    tls_files();
    return (store_tls_ca => "$d/$ca.pem", $client
        ? (store_tls_certificate => "$d/$client.pem",
            store_tls_key => "$d/$client.key") : ());
}

# A store of several servers (RblFailover with tls => ...) as its clients reach
# it: (the place, and for rbl-checkd.conf the addresses of its servers)
sub tls_several {
    my ($f) = @_;

    my $words = $f->{kind} eq 'sentinel' ? 'sentinel:rbl@' : 'cluster:';
    return ("tls:$words" . join(',', map { "127.0.0.1:$_->{tls}" }
            @{ $f->{sentinels} // $f->{nodes} }),
        [map { "127.0.0.1:$_->{port}=127.0.0.1:$_->{tls}" }
            @{ $f->{nodes} }]);
}

# A forwarder to a port; half a second after their beginning the first three
# connections get replies in plain text from it.  These must end the connection.
sub tls_forger {
    my ($to) = @_;

    my $at = free_port();
    my $s = spawn('forger', { dir => own_dir('forger') }, $^X,
        '-MIO::Socket::INET', '-MIO::Select', '-MTime::HiRes=time', '-e',
        <<'PERL', $at, $to);
my ($at, $to) = @ARGV;
my $l = IO::Socket::INET->new(LocalAddr => "127.0.0.1:$at", Listen => 9,
    ReuseAddr => 1) or die $!;
my $s = IO::Select->new($l);
my (%peer, %when, $n);
$SIG{PIPE} = 'IGNORE';
for (;;) {
    for my $c ($s->can_read(0.05)) {
        if ($c == $l) {
            my $client = $l->accept or next;
            my $server = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$to")
                or next;
            @peer{$client, $server} = ($server, $client);
            $when{$client} = [time + 0.5, $client] if ++$n <= 4;
            $s->add($client, $server);
        } elsif (sysread $c, my $x, 65536) {
            syswrite $peer{$c}, $x;
        } else {
            delete $when{$_} for $c, $peer{$c};
            $s->remove($c, $peer{$c});
            shutdown $_, 2 for $c, $peer{$c};
        }
    }
    for (grep { $when{$_}[0] < time } keys %when) {
        syswrite $when{$_}[1], "+forged\r\n" x 8000;
        delete $when{$_};
    }
}
PERL
    $s->{port} = $at;
    return started($s, sub {
        IO::Socket::INET->new(PeerAddr => "127.0.0.1:$at");
    });
}

1;
