package RblFailover::Proxy;

# A TCP forwarder that can cut a server off from some of its peers.

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use IO::Select;
use IO::Socket::INET;
use Socket qw(SOL_SOCKET SO_LINGER);

use RblTest::Process;
use RblTest::Servers;

our @EXPORT = qw(start_forward cut_off heal);

sub start_forward {
    my ($to) = @_;

    my $d = own_dir('forward');
    my $port = free_port();
    my $lib = abs_path(dirname(__FILE__) . '/..');
    my $s = spawn('forward', { dir => $d }, $^X, "-I$lib",
        '-MRblFailover::Proxy', '-e', 'RblFailover::Proxy::serve(@ARGV)',
        $port, $to, $d);
    $s->{port} = $port;
    return started($s, sub { -e "$d/listens" });
}

# Returns when it holds.
sub cut_off {
    my ($s, $mode) = @_;

    write_file("$s->{dir}/mode", $mode // 'reset');
    wait_for { !-e "$s->{dir}/mode" } 10, 'the forwarder';
}

sub heal { return cut_off($_[0], 'pass') }


# --- its process -----------------------------------------------------------

my ($select, %peer, %rest, $mode);

sub serve {
    my ($port, $to, $d) = @_;

    $SIG{PIPE} = 'IGNORE';
    my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
        LocalPort => $port, Listen => 128, ReuseAddr => 1)
        or die "listen: $!";
    write_file("$d/listens", '');
    $select = IO::Select->new($listen);
    $mode = 'pass';
    while (1) {
        if (-e "$d/mode") {
            $mode = read_file("$d/mode");
            unlink "$d/mode";
            change();
        }
        for my $c ($select->can_read(0.01)) {
            $c == $listen ? take($listen, $to) : pass($c);
        }
    }
}

sub is_cut {
    my ($c) = @_;

    return $mode eq 'all' || ($mode ne 'pass' && $rest{$c});
}

# A connection that is cut off is reset, or stays and is not read.
sub change {
    for my $c (grep { exists $peer{$_} } map { $_->[0] } values %peer) {
        next if !$peer{$c};
        if (is_cut($c) ? $mode ne 'silent' : !$peer{$c}[1]) {
            drop($c, 1);
        } elsif (is_cut($c)) {
            $select->remove($c);
        } else {
            $select->add($c);
        }
    }
}

sub take {
    my ($listen, $to) = @_;

    my $c = $listen->accept or return;
    $rest{$c} = $c->peerhost eq '127.0.0.2';
    my $server = is_cut($c) ? undef : IO::Socket::INET->new(
        PeerAddr => '127.0.0.1', PeerPort => $to);
    if (!$server) {
        # Without a peer it is not read.
        $peer{$c} = [$c, undef];
        drop($c, 1) if $mode ne 'silent' || !is_cut($c);
        return;
    }
    $rest{$server} = $rest{$c};
    $peer{$c} = [$c, $server];
    $peer{$server} = [$server, $c];
    $select->add($c, $server);
}

# Waits while the other side takes no more, which is good enough for a test.
sub pass {
    my ($c) = @_;

    return if !$peer{$c};
    my $n = sysread $c, my $bytes, 262_144;
    return drop($c, 0) if !$n;
    my $other = $peer{$c}[1];
    while ($bytes ne '') {
        my $sent = syswrite $other, $bytes;
        return drop($c, 0) if !$sent;
        substr $bytes, 0, $sent, '';
    }
}

sub drop {
    my ($c, $reset) = @_;

    for my $s (grep { defined } @{ delete $peer{$c} // [] }) {
        setsockopt $s, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0 if $reset;
        $select->remove($s);
        delete $peer{$s};
        delete $rest{$s};
        close $s;
    }
}

1;
