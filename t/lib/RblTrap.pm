package RblTrap;

# A network in which every address of IPv4 and IPv6 is this machine, and a trap
# that accepts every connection to some ports and logs its destination address.
# A test can thus show that no connection is made to any address, including
# those of clouds and of third parties.
#
#     any_network('9.9.9.9');           # first: restarts the test
#     my $trap = start_trap(80, 8080);
#     trapped($trap);                   # what came, oldest first: {to =>
#                                       # "ADDRESS PORT"} a connection, with
#                                       # {line, host} as well a request
#     trap_forget($trap);
#
# A request is answered with 204; for the path /to/301/HOST/PATH with 301, and
# that as its Location.  Connections are kept.

use strict;
use warnings;

use Exporter 'import';
use IO::Select;
use JSON::XS ();
use POSIX ();
use Socket qw(AF_INET6 IN6ADDR_ANY IPPROTO_IPV6 IPV6_V6ONLY SOCK_STREAM
    SOL_SOCKET SO_REUSEADDR inet_ntop pack_sockaddr_in6 unpack_sockaddr_in6);

use RblTest;

our @EXPORT = qw(any_network start_trap trapped trap_forget);

use constant { MARK => 'RBL_TEST_ANY_NETWORK', BACKLOG => 512 };

# The addresses given are this machine's own, with 127.0.0.1 and ::1; all others
# only have a route.
sub any_network {
    my (@own) = @_;

    enter() if !$ENV{ +MARK };
    for my $args ([qw(link set lo up)],
        map({ ['addr', 'add', $_, 'dev', 'lo'] } @own),
        [qw(route add local 0.0.0.0/0 dev lo)],
        [qw(-6 route add local ::/0 dev lo)])
    {
        my $r = run_cmd('ip', @$args);
        die "ip @$args: $r->{err}" if $r->{status} != 0;
    }
}

sub enter {
    my @unshare = ('unshare', $> == 0 ? () : '-r', '-n');

    my $r = run_cmd(@unshare, 'true');
    plan(skip_all => "no network of its own: $r->{err}")
        if $r->{status} != 0;
    local $ENV{ +MARK } = 1;
    exec @unshare, $^X, map({ "-I$_" } @INC), $0, @ARGV
        or die "unshare: $!\n";
}

sub start_trap {
    my (@ports) = @_;

    my $self = { file => own_dir('trap') . '/log' };
    write_file($self->{file}, '');
    my @listen = map { listen_at($_) } @ports;
    my $pid = fork // die "fork: $!";
    if ($pid == 0) {
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
        $SIG{PIPE} = 'IGNORE';
        serve($self, @listen);
        POSIX::_exit(0);
    }
    at_stop(sub { kill 'TERM', $pid; waitpid $pid, 0 });
    return $self;
}

# For both families.
sub listen_at {
    my ($port) = @_;

    socket my $s, AF_INET6, SOCK_STREAM, 0 or die "socket: $!";
    setsockopt $s, IPPROTO_IPV6, IPV6_V6ONLY, 0 or die "setsockopt: $!";
    setsockopt $s, SOL_SOCKET, SO_REUSEADDR, 1 or die "setsockopt: $!";
    bind $s, pack_sockaddr_in6($port, IN6ADDR_ANY) or die "port $port: $!";
    listen $s, BACKLOG or die "listen: $!";
    return $s;
}

sub serve {
    my ($self, @listen) = @_;

    open my $log, '>>', $self->{file} or return;
    my %listens = map { ($_ => 1) } @listen;
    my $select = IO::Select->new(@listen);
    my %c;
    while (my @ready = $select->can_read) {
        for my $fh (@ready) {
            if ($listens{$fh}) {
                accept my $new, $fh or next;
                $select->add($new);
                $c{$new} = { to => meant_for($new), in => '' };
                write_down($log, { to => $c{$new}{to} });
                next;
            }
            next if sysread $fh, $c{$fh}{in}, 65536, length $c{$fh}{in}
                and answered($log, $fh, $c{$fh});
            delete $c{$fh};
            $select->remove($fh);
            close $fh;
        }
    }
}

sub meant_for {
    my ($fh) = @_;

    my ($port, $addr) = unpack_sockaddr_in6(getsockname $fh);
    return inet_ntop(AF_INET6, $addr) =~ s/^::ffff:(?=\d+\.)//r . " $port";
}

sub write_down {
    my ($log, $what) = @_;

    syswrite $log, JSON::XS->new->latin1->canonical->encode($what) . "\n";
}

# 0: not HTTP.
sub answered {
    my ($log, $fh, $c) = @_;

    while ($c->{in} =~ /^(.*?\r\n)\r\n/s) {
        my ($head, $at) = ($1, length $&);
        my ($n) = $head =~ /^content-length: *(\d+)/mi;
        return 1 if length $c->{in} < $at + ($n // 0);
        substr $c->{in}, 0, $at + ($n // 0), '';
        my ($line) = $head =~ /^(.*?)\r\n/;
        my ($host) = $head =~ /^host: *(.*?)\r\n/mi;
        write_down($log, { to => $c->{to}, line => $line, host => $host });
        my ($status, $more) = $line =~ m{^POST /to/(\d\d\d)/(\S+) };
        $status //= 204;
        syswrite $fh, "HTTP/1.1 $status Answer\r\n"
            . ($status == 204 ? '' : "Content-Length: 0\r\n")
            . ($more ? "Location: http://$more\r\n"
                . "Refresh: 0; url=http://$more\r\n"
                . "Alt-Svc: http/1.1=\"127.0.0.1:80\"\r\n" : '') . "\r\n";
    }
    return $c->{in} !~ /^[^A-Z]/;
}

sub trapped {
    my ($self) = @_;

    my $json = JSON::XS->new->latin1;
    return map { $json->decode($_) } split /\n/, read_file($self->{file});
}

sub trap_forget {
    my ($self) = @_;

    truncate $self->{file}, 0 or die "$self->{file}: $!";
}

1;
