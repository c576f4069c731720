package RblNeighboursLoad;

# The steady load of one account, in a process of its own: reads, writes and
# checks at constant rates, and a receiver of its webhooks.  A request's time
# runs from when it was due, a check's until its status is completed, a
# delivery's from when its check was due until the receiver has it.
#
#     my $load = RblNeighboursLoad->start(port => $nginx->{port},
#         acct => $account, hosts => [HT...], hook => $port);
#     my $s = $load->slice(2, sub { each 50 ms });
#     # {read => [s, ...], write => [..], large => [..], check => [..],
#     #  deliver => [..],
#     #  status => {200 => n, ...}, failed => [why, ...], late => n}
#
# failed: checks that failed or found a list unknown.  late: checks and
# deliveries that had not ended PATIENCE seconds after the slice; their times
# until then count.

use strict;
use warnings;

use IO::Handle;
use IO::Socket::INET;
use POSIX ();
use Socket qw(AF_UNIX SOCK_STREAM PF_UNSPEC);
use Storable qw(freeze thaw);

use RblNeighboursLoop;
use RblTest::Http;
use RblTest::Process;

# Requests per second of each kind.
our %RATE = (host => 40, page => 20, nagios => 20, update => 10, add => 5,
    range => 4, one_off => 4, check => 9);
our $PATIENCE = 4;

sub start {
    my ($class, %o) = @_;

    socketpair my $ours, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC
        or die "socketpair: $!";
    my $pid = fork // die "fork: $!";
    if ($pid == 0) {
        close $ours;
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
        $o{measuring}->() if $o{measuring};
        my $self = bless { %o, control => $theirs, n => 0,
            loop => RblNeighboursLoop->new }, $class;
        eval { $self->serve; 1 } or print STDERR "# load: $@";
        POSIX::_exit(0);
    }
    close $theirs;
    my $self = bless { pid => $pid, control => $ours }, $class;
    at_stop(sub { $self->stop });
    return $self;
}

sub stop {
    my ($self) = @_;

    my $pid = delete $self->{pid} or return;
    kill 'TERM', $pid;
    local $?;
    waitpid $pid, 0;
}

sub slice {
    my ($self, $seconds, $meanwhile, %more) = @_;

    $self->begin($seconds, %more);
    return $self->result($meanwhile);
}

sub begin {
    my ($self, $seconds, %more) = @_;

    syswrite $self->{control}, JSON::XS::encode_json({ s => $seconds, %more })
        . "\n";
}

sub result {
    my ($self, $meanwhile) = @_;

    my $data = '';
    while (length $data < 4 || length $data < 4 + unpack 'N', $data) {
        vec(my $in = '', fileno $self->{control}, 1) = 1;
        if (!select $in, undef, undef, 0.05) {
            $meanwhile->() if $meanwhile;
            next;
        }
        sysread $self->{control}, $data, 1 << 20, length $data
            or die "the steady load has ended\n";
    }
    return thaw(substr $data, 4);
}


# --- the process -------------------------------------------------------------

sub serve {
    my ($self) = @_;

    my $loop = $self->{loop};
    if ($self->{hook}) {
        my $socket = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
            LocalPort => $self->{hook}, Proto => 'tcp', Listen => 512,
            ReuseAddr => 1) or die "port $self->{hook}: $!";
        $loop->listen_on($socket, sub { $self->receiver(@_) });
    }
    my $over;
    my $c = $loop->add($self->{control}, on_close => sub { $over = 1 },
        on_data => sub { my ($c, $text) = @_;
            $self->run_slice($c, JSON::XS::decode_json($text)) });
    $loop->run(sub { $over });
}

sub run_slice {
    my ($self, $c, $o) = @_;

    my $loop = $self->{loop};
    my $end = $loop->now + $o->{s};
    $self->{got} = { map { $_ => [] } qw(read write large check
        deliver failed) };
    @{ $self->{got} }{qw(status late)} = ({}, 0);
    $self->{open} = {};
    $self->{asked} = 0;
    for my $kind (sort keys %RATE) {
        next if $o->{only} && $kind !~ /$o->{only}/;
        my ($rate, $k) = ($RATE{$kind}, 0);
        my $first = $loop->now + 0.01 + rand 1 / $rate;
        $loop->at($first, my $next = sub {});
        my $again;
        $again = sub {
            my $due = $first + $k++ / $rate;
            return if $due > $end;
            $self->$kind($due);
            $loop->at($first + $k / $rate, $again);
        };
        $loop->at($first, $again);
    }
    my $settle;
    $settle = sub {
        if (($self->{asked} || %{ $self->{open} })
            && $loop->now < $end + $PATIENCE)
        {
            return $loop->after(0.01, $settle);
        }
        $self->give_up;
        my $data = freeze($self->{got});
        $c->{fh}->blocking(1);
        print { $c->{fh} } pack('N', length $data) . $data;
        $c->{fh}->flush;
        $c->{fh}->blocking(0);
    };
    $loop->at($end + 0.02, $settle);
}

# Open measurements end with their present age.
sub give_up {
    my ($self) = @_;

    my $now = $self->{loop}->now;
    for my $o (values %{ $self->{open} }) {
        $self->{got}{late}++;
        push @{ $self->{got}{ $o->{class} } }, $now - $o->{due};
    }
    $self->{got}{late} += $self->{asked};
    $self->{open} = {};
    $self->{over}++;
}

sub call {
    my ($self, $class, $due, $method, $path, $form, $then) = @_;

    my ($loop, $got, $over) = @$self{qw(loop got over)};
    $self->{asked}++;
    $loop->ask($self->{port}, http_head($method, "/3.0/$path", keep => 1,
        auth => $self->{acct}, defined $form ? (form => $form) : ()), sub {
            my ($status, $body) = @_;
            return if ($over // 0) != ($self->{over} // 0);
            $self->{asked}--;
            $got->{status}{$status}++;
            push @{ $got->{$class} }, $loop->now - $due if $class;
            $then->($status, $body) if $then;
        });
}

sub some_host {
    my ($self) = @_;

    return $self->{hosts}[$self->{n}++ % @{ $self->{hosts} }];
}

sub host {
    my ($self, $due) = @_;

    $self->call('read', $due, 'GET', 'host/' . $self->some_host . '.json');
}

sub page {
    my ($self, $due) = @_;

    $self->call('read', $due, 'GET', 'hosts.json?page_size=100&page='
        . (1 + $self->{n}++ % 2));
}

sub nagios { $_[0]->call('read', $_[1], 'GET', 'listings.nagios') }

sub update {
    my ($self, $due) = @_;

    $self->call('write', $due, 'POST', 'host/update/' . $self->some_host
        . '.json', { name => 'name ' . $self->{n} });
}

# A host is added and then deleted.
sub add {
    my ($self, $due) = @_;

    my $n = $self->{n}++;
    $self->come_and_go('write', $due, 'rbl',
        join('.', 10, 3, $n >> 8 & 255, $n & 255));
}

# The same with a range, which nginx writes on its second connection.
sub range {
    my ($self, $due) = @_;

    $self->come_and_go('large', $due, 'ip_range',
        join('.', 10, 5, $self->{n}++ & 255, 0) . '/26');
}

sub come_and_go {
    my ($self, $class, $due, $type, $host) = @_;

    $self->call($class, $due, 'POST', 'host/add.json',
        { host => $host, name => 'n', type => $type }, sub {
            my ($id) = $_[1] =~ /"data":\[?\{"id":"(HT\w+)"/ or return;
            $self->call($class, $self->{loop}->now, 'POST',
                "host/delete/$id.json", '');
        });
}

sub one_off {
    my ($self, $due) = @_;

    my $n = $self->{n}++;
    $self->begin_check($due, join('.', 198, 18,
        128 + ($n >> 8 & 127), $n & 255));
}

sub check {
    my ($self, $due) = @_;

    $self->begin_check($due, $self->some_host);
}

sub begin_check {
    my ($self, $due, $what) = @_;

    $self->call(undef, $due, 'POST', 'check/start.json', { host => $what },
        sub {
            my ($pp) = $_[1] =~ /"id":"(PP\w+)"/ or return;
            $self->{open}{"check $pp"} = { class => 'check', due => $due };
            $self->{open}{"deliver $pp"} = { class => 'deliver', due => $due }
                if $what =~ /^HT/ && $self->{hook};
            # The event may arrive before this response was read.
            $self->ended("deliver $pp") if delete $self->{early}{$pp};
            $self->look($pp, 0.005);
        });
}

sub look {
    my ($self, $pp, $pause) = @_;

    my $over = $self->{over};
    $self->call(undef, 0, 'GET', "check/status/$pp.json", undef, sub {
        my ($status, $body) = @_;
        my ($state) = $body =~ /"status":"(\w+)"/;
        if ($status == 200 && $state =~ /completed|failed/) {
            my ($unknown) = $body =~ /"unknown_count":"?(\d+)/;
            push @{ $self->{got}{failed} }, $body
                if $state eq 'failed' || $unknown;
            return $self->ended("check $pp");
        }
        $self->{loop}->after($pause, sub {
            $self->look($pp, $pause < 0.05 ? $pause * 1.5 : 0.05)
                if ($over // 0) == ($self->{over} // 0);
        });
    });
}

sub ended {
    my ($self, $name) = @_;

    my $o = delete $self->{open}{$name} or return 0;
    push @{ $self->{got}{ $o->{class} } }, $self->{loop}->now - $o->{due};
    return 1;
}

sub receiver {
    my ($self, $c) = @_;

    $c->{in} = '';
    $self->{loop}->read_with($c, sub {
        my ($conn, $data) = @_;
        $conn->{in} .= $data;
        while ($conn->{in} =~ /\r\n\r\n/) {
            my $head = $+[0];
            my ($n) = $conn->{in} =~ /^content-length: *(\d+)/mi;
            return if length $conn->{in} < $head + ($n // 0);
            my $request = substr $conn->{in}, 0, $head + ($n // 0), '';
            my ($pp) = $request =~ /"check_sid":"(PP\w+)"/;
            $self->ended("deliver $pp") or $self->{early}{$pp} = 1 if $pp;
            $self->{loop}->send($conn,
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        }
    });
}

1;
