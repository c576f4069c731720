package RblNeighboursLoop;

# An event loop for load programs: timers, connections, HTTP/1.1 requests on
# persistent connections, and listeners.
#
#     my $loop = RblNeighboursLoop->new;
#     $loop->at($loop->now + 0.1, sub { ... });
#     $loop->ask($port, $bytes, sub { my ($status, $body, $length) = @_; });
#     my $c = $loop->open($port, on_data => sub { my ($c, $bytes) = @_; },
#         on_close => sub { my ($c) = @_; });
#     $loop->send($c, $bytes);
#     $loop->listen_on($socket, sub { my ($c) = @_; });
#     $loop->run(sub { done() });       # until that is true
#
# A connection is a hash with fh, fd, out and members of the caller.  It reads
# only while it has on_data: without one the peer's data stay in the kernel.
# ask() gives a status of 0 if the connection ends before the answer, and at
# most KEPT bytes of a body.

use strict;
use warnings;

use Errno qw(EAGAIN EINPROGRESS EINTR);
use Fcntl qw(F_GETFL F_SETFL O_NONBLOCK);
use Socket qw(:DEFAULT IPPROTO_TCP TCP_NODELAY inet_aton);
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

use constant { CHUNK => 262_144, KEPT => 1 << 20, LONGEST => 0.2 };

sub new {
    my ($class) = @_;

    return bless { conns => {}, idle => {}, timers => [], rin => '',
        win => '' }, $class;
}

sub now { return clock_gettime(CLOCK_MONOTONIC) }

sub at {
    my ($self, $when, $code) = @_;

    my $t = $self->{timers};
    my $i = @$t;
    $i-- while $i && $t->[$i - 1][0] > $when;
    splice @$t, $i, 0, [$when, $code];
}

sub after { my ($self, $s, $code) = @_; $self->at($self->now + $s, $code) }

# Repeats the code every so many seconds as long as it returns true.
sub every {
    my ($self, $step, $code) = @_;

    my $next = $self->now;
    my $tick;
    $tick = sub {
        $code->() or return;
        $next += $step;
        $self->at($next, $tick);
    };
    $tick->();
}

sub run {
    my ($self, $done) = @_;

    while (!$done->()) {
        $self->step;
    }
}

sub step {
    my ($self) = @_;

    my $now = $self->now;
    my $t = $self->{timers};
    while (@$t && $t->[0][0] <= $now) {
        (shift @$t)->[1]->();
    }
    my $wait = @$t ? $t->[0][0] - $self->now : LONGEST;
    $wait = $wait < 0 ? 0 : $wait > LONGEST ? LONGEST : $wait;
    my ($r, $w) = @$self{qw(rin win)};
    return if select($r, $w, undef, $wait) <= 0;
    for my $fd (keys %{ $self->{conns} }) {
        my $c = $self->{conns}{$fd} or next;
        $self->flush($c) if vec $w, $fd, 1;
        $self->readable($c) if $self->{conns}{$fd} && vec $r, $fd, 1;
    }
}


# --- connections -------------------------------------------------------------

sub add {
    my ($self, $fh, %member) = @_;

    my $fd = fileno $fh;
    fcntl $fh, F_SETFL, fcntl($fh, F_GETFL, 0) | O_NONBLOCK;
    my $c = { out => '', %member, fh => $fh, fd => $fd };
    $self->{conns}{$fd} = $c;
    vec($self->{rin}, $fd, 1) = $c->{on_data} || $c->{on_accept} ? 1 : 0;
    vec($self->{win}, $fd, 1) = 0;
    return $c;
}

# Options besides the members: rcvbuf (bytes of the receive buffer).
sub open {
    my ($self, $port, %member) = @_;

    socket my $fh, PF_INET, SOCK_STREAM, 0 or die "socket: $!";
    setsockopt $fh, SOL_SOCKET, SO_RCVBUF, $member{rcvbuf}
        if $member{rcvbuf};
    setsockopt $fh, IPPROTO_TCP, TCP_NODELAY, 1;
    my $c = $self->add($fh, %member);
    if (!connect($fh, pack_sockaddr_in($port, inet_aton('127.0.0.1')))
        && $! != EINPROGRESS)
    {
        $self->after(0, sub { $self->shut($c) });
    }
    return $c;
}

sub listen_on {
    my ($self, $socket, $on_accept) = @_;

    return $self->add($socket, on_accept => $on_accept);
}

sub send {
    my ($self, $c, $bytes) = @_;

    $c->{out} .= $bytes;
    $self->flush($c) if $c->{fh};
}

sub flush {
    my ($self, $c) = @_;

    if (length $c->{out}) {
        my $n = syswrite $c->{fh}, $c->{out};
        return $self->shut($c)
            if !defined $n && $! != EAGAIN && $! != EINTR && !$!{ENOTCONN};
        substr $c->{out}, 0, $n, '' if $n;
    }
    $c->{on_drain}->($c) if $c->{on_drain} && !length $c->{out};
    vec($self->{win}, $c->{fd}, 1) = length $c->{out} ? 1 : 0 if $c->{fh};
}

sub readable {
    my ($self, $c) = @_;

    if ($c->{on_accept}) {
        while (accept my $fh, $c->{fh}) {
            $c->{on_accept}->($self->add($fh));
        }
        return;
    }
    my $n = sysread $c->{fh}, my $data, CHUNK;
    return if !defined $n && ($! == EAGAIN || $! == EINTR);
    return $self->shut($c) if !$n;
    $c->{on_data}->($c, $data);
}

# From now on the connection is read.
sub read_with {
    my ($self, $c, $on_data) = @_;

    $c->{on_data} = $on_data;
    vec($self->{rin}, $c->{fd}, 1) = 1;
}

sub shut {
    my ($self, $c) = @_;

    return if !$c->{fh};
    vec($self->{$_}, $c->{fd}, 1) = 0 for qw(rin win);
    delete $self->{conns}{ $c->{fd} };
    close delete $c->{fh};
    $c->{on_close}->($c) if $c->{on_close};
}


# --- HTTP --------------------------------------------------------------------

# One request on a persistent connection; opens more connections as needed.
sub ask {
    my ($self, $port, $bytes, $then) = @_;

    my $idle = $self->{idle}{$port} //= [];
    my $c;
    while (@$idle && !$c) {
        $c = pop @$idle;
        undef $c if !$c->{fh};
    }
    $c //= $self->open($port, on_data => sub { $self->answer_part(@_) },
        on_close => sub { $_[0]{then}->(0, '', 0) if $_[0]{then} });
    $self->talk($c, $bytes, sub {
        push @$idle, $c if $c->{fh};
        $then->(@_);
    });
}

# A request on a connection of open() whose on_data is answer_part().
sub talk {
    my ($self, $c, $bytes, $then) = @_;

    @$c{qw(then in status left length)} = ($then, '', undef, undef, 0);
    ($c->{asked}) = $bytes =~ /^(.*?)\r\n/;
    $self->send($c, $bytes);
}

# Handles a part of a response; calls {then} at its end, and continues with the
# bytes behind it if that sends another request.
sub answer_part {
    my ($self, $c, $data) = @_;

    $c->{in} .= $data;
    while ($c->{then}) {
        if (!defined $c->{status}) {
            my $end = index $c->{in}, "\r\n\r\n";
            return if $end < 0;
            my $head = substr $c->{in}, 0, $end + 4, '';
            ($c->{status}) = $head =~ m{^HTTP/1\.1 (\d+)};
            ($c->{left}) = $head =~ /^content-length: *(\d+)/mi;
            @$c{qw(body length)} = ('', 0);
            if ($head =~ /^transfer-encoding/mi) {
                delete $c->{left};
                $c->{in} = "\r\n$c->{in}";
            }
        }
        body_part($c) or return;
        my ($then, @answer) = @$c{qw(then status body length)};
        delete @$c{qw(then status body)};
        $then->(@answer);
    }
}

# 1: the body is complete.
sub body_part {
    my ($c) = @_;

    my $have = length $c->{in};
    if (defined $c->{left}) {
        my $n = $have < $c->{left} ? $have : $c->{left};
        my $part = substr $c->{in}, 0, $n, '';
        $c->{body} .= $part if length $c->{body} < KEPT;
        $c->{length} += $n;
        return ($c->{left} -= $n) == 0;
    }
    my $end = index $c->{in}, "\r\n0\r\n\r\n";
    my $n = $end >= 0 ? $end + 7 : $have > 6 ? $have - 6 : 0;
    my $part = substr $c->{in}, 0, $n, '';
    $c->{body} .= $part =~ s/\r\n[0-9a-f]+\r\n//gr =~ s/^[0-9a-f]+\r\n//r
        if length $c->{body} < KEPT;
    $c->{length} += $n;
    return $end >= 0;
}

1;
