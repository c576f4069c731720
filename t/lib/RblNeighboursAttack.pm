package RblNeighboursAttack;

# An attack by one or several hostile accounts, in a separate process with low
# priority (nice) that counts its responses.
#
#     my $attack = RblNeighboursAttack->start(sub {
#         my ($a) = @_;
#         $a->flood(port => $port, connections => 16, rate => 500,
#             next => sub { $bytes });
#     });
#     $attack->counts;                  # {401 => n, bytes => n, ...}
#     $attack->stop;
#
# Kinds of attack on nginx: flood(), deaf() (requests whose responses are not
# read), slow() (responses are read slowly), drip() (requests that are sent
# slowly).  On the daemon: receiver().

use strict;
use warnings;

use IO::Socket::INET;
use JSON::XS ();
use MIME::Base64 qw(encode_base64);
use POSIX ();
use Socket qw(AF_UNIX SOCK_STREAM PF_UNSPEC);

use RblNeighboursLoop;
use RblTest::Process;

use constant { NICE => 10, RCVBUF => 4096 };

sub start {
    my ($class, $run) = @_;

    socketpair my $ours, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC
        or die "socketpair: $!";
    my $pid = fork // die "fork: $!";
    if ($pid == 0) {
        close $ours;
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
        $SIG{PIPE} = 'IGNORE';
        give_way();
        my $self = bless { loop => RblNeighboursLoop->new, count => {} },
            $class;
        eval { $self->serve($theirs, $run); 1 }
            or print STDERR "# attack: $@";
        POSIX::_exit(0);
    }
    close $theirs;
    my $self = bless { pid => $pid, control => $ours }, $class;
    at_stop(sub { $self->stop });
    $self->counts;                      # it has started
    return $self;
}

# Also if the starting program has a high priority (RblBench).
sub give_way {
    my ($out) = `chrt -p $$ 2>&1`;
    system 'chrt', '-o', '-p', 0, $$ if ($out // '') =~ /SCHED_RR/;
    POSIX::nice(NICE);
}

sub serve {
    my ($self, $control, $run) = @_;

    my $over;
    $self->{loop}->add($control, on_close => sub { $over = 1 },
        on_data => sub { $self->{loop}->send($_[0],
            JSON::XS::encode_json($self->{count}) . "\n") });
    $run->($self);
    $self->{loop}->run(sub { $over });
}

sub counts {
    my ($self) = @_;

    syswrite $self->{control}, 'c' or return {};
    my $line = readline $self->{control} // return {};
    return JSON::XS::decode_json($line);
}

sub stop {
    my ($self) = @_;

    my $pid = delete $self->{pid} or return {};
    my $counts = $self->counts;
    kill 'TERM', $pid;
    local $?;
    waitpid $pid, 0;
    return $counts;
}

sub count { $_[0]{count}{ $_[1] } += $_[2] // 1 }


# --- clients -----------------------------------------------------------------

# connections, each with one request after the other: next => sub {bytes}, or
# undef for none at present; then => sub {status, body, length, nth connection};
# depth => requests in the pipeline; rate => requests per second in all.
sub flood {
    my ($self, %o) = @_;

    my $loop = $self->{loop};
    my $depth = $o{depth} // 1;
    my $pause = $o{rate} ? $o{connections} * $depth / $o{rate} : 0;
    for my $n (0 .. $o{connections} - 1) {
        my $c;
        my $send;
        my $again = sub {
            my $due = ($c->{due} // $loop->now) + $pause;
            $c->{due} = $due > $loop->now - 1 ? $due : $loop->now;
            return $loop->at($c->{due}, $send);
        };
        $send = sub {
            my @bytes = map { $o{next}->($n) // () } 1 .. $depth;
            return $loop->after(0.02, $send) if !@bytes;
            if (!$c || !$c->{fh}) {
                my $due = $c && $c->{due};
                $c = $self->client($o{port}, \%o);
                $c->{due} = $due;
            }
            my $left = @bytes;
            my $one;
            $one = sub {
                my ($status, $body, $length) = @_;
                $self->count($status);
                $self->count('bytes', $length);
                $o{then}->($status, $body, $length, $n) if $o{then};
                return $again->() if --$left == 0 || !$status;
                $c->{then} = $one;
                @$c{qw(status left length)} = (undef, undef, 0);
            };
            $loop->talk($c, join('', @bytes), $one);
        };
        $loop->after($pause * $n / $o{connections}, $send);
    }
}

sub client {
    my ($self, $port, $o) = @_;

    return $self->{loop}->open($port,
        on_data => sub { $self->{loop}->answer_part(@_) },
        on_close => sub {
            my $then = delete $_[0]{then} or return;
            $then->(0, '', 0);
        });
}

# Connections that send this and read nothing; closed ones are opened again.
sub deaf {
    my ($self, %o) = @_;

    for my $n (1 .. $o{connections}) {
        $self->deaf_one(%o);
    }
}

sub deaf_one {
    my ($self, %o) = @_;

    $self->count('connected');
    my $c = $self->{loop}->open($o{port}, rcvbuf => RCVBUF);
    $self->{loop}->send($c, $o{bytes});
    push @{ $self->{held} }, $c;
}

# The same, but reading slowly: `read` bytes each `pause`.
sub slow {
    my ($self, %o) = @_;

    $self->deaf(%o);
    $self->{loop}->every($o{pause} // 0.1, sub {
        for my $c (@{ $self->{held} }) {
            next if !$c->{fh};
            my $n = sysread $c->{fh}, my $data, $o{read} // 64;
            $self->count('bytes', $n) if $n;
        }
        return 1;
    });
}

# Requests that never end: so many bytes of `more` each `pause`.
sub drip {
    my ($self, %o) = @_;

    my $loop = $self->{loop};
    my @c = (undef) x $o{connections};
    $loop->every($o{pause} // 0.1, sub {
        for my $c (@c) {
            if (!$c || !$c->{fh}) {
                $self->count('connected');
                $c = $loop->open($o{port});
                $loop->send($c, $o{bytes});
                next;
            }
            $loop->send($c, $o{more});
        }
        return 1;
    });
}


# --- HTTP/2 ------------------------------------------------------------------

sub h2_frame {
    my ($type, $flags, $stream, $payload) = @_;

    return substr(pack('N', length $payload), 1) . pack('CCN', $type, $flags,
        $stream) . $payload;
}

sub h2_text {
    my ($text) = @_;

    my $n = length $text;
    return pack('C', $n) . $text if $n < 127;
    $n -= 127;
    my $head = pack 'C', 127;
    for (; $n >= 128; $n >>= 7) {
        $head .= pack 'C', $n & 127 | 128;
    }
    return $head . pack('C', $n) . $text;
}

# A connection of HTTP/2 without TLS that requests a path in so many streams,
# and gives each response a window of so many bytes.
sub h2_requests {
    my ($path, $acct, $streams, $window) = @_;

    my $bytes = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        . h2_frame(4, 0, 0, pack 'nN', 4, $window);
    my @header = (':method' => 'GET', ':scheme' => 'http', ':path' => $path,
        ':authority' => 'localhost', 'authorization' => 'Basic '
            . encode_base64("$acct->{sid}:$acct->{token}", ''));
    my $block = '';
    for (my $i = 0; $i < @header; $i += 2) {
        $block .= "\0" . h2_text($header[$i]) . h2_text($header[$i + 1]);
    }
    return $bytes . join '', map { h2_frame(1, 5, 2 * $_ + 1, $block) }
        0 .. $streams - 1;
}


# --- receivers ---------------------------------------------------------------

# Listens on a port for deliveries of the daemon: request => sub {connection,
# the request with its body}, called once for each.
sub receiver {
    my ($self, $port, $request) = @_;

    my $loop = $self->{loop};
    my $socket = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
        LocalPort => $port, Proto => 'tcp', Listen => 512, ReuseAddr => 1)
        or die "port $port: $!";
    $loop->listen_on($socket, sub {
        my ($c) = @_;
        $self->count('connections');
        $loop->read_with($c, sub {
            my (undef, $data) = @_;
            $c->{in} = ($c->{in} // '') . $data;
            my $head = index $c->{in}, "\r\n\r\n";
            return if $head < 0;
            my ($n) = $c->{in} =~ /^content-length: *(\d+)/mi;
            my $end = $head + 4 + ($n // 0);
            return if length $c->{in} < $end;
            $self->count('requests');
            $request->($c, substr $c->{in}, 0, $end, '');
        });
    });
}

# Responses without an end: `begin`, then `more` as fast as it is read.
sub endless {
    my ($self, $c, $begin, $more) = @_;

    $c->{on_drain} = sub {
        $_[0]{out} = $more;
        $self->count('sent', length $more);
    };
    $self->{loop}->send($c, $begin);
}

sub answer_ok {
    my ($self, $c) = @_;

    $self->{loop}->send($c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
}

1;
