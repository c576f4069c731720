package RblTest::Receiver;

# A receiver of webhooks: a child process that keeps every request it gets and
# answers as told.

use strict;
use warnings;

use Digest::SHA qw(hmac_sha256_hex);
use Exporter 'import';
use IO::Socket::INET;
use JSON::XS ();
use POSIX ();
use Socket qw(SOL_SOCKET SO_LINGER);
use Time::HiRes qw(sleep time);

use RblTest::Process;

our @EXPORT = qw(start_receiver received answer_with stop_receiver
    signature_ok);

my @receivers;

# start_receiver(status => 200 or [500, 200, ...]: one for each request, the
# last for all that follow; headers => ["Name: value"]; delay => seconds;
# body => text, or several as with status; broken => "reset" or "half": what
# the answer is instead): {port, url, pid, file}.
sub start_receiver {
    my (%opt) = @_;

    my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Proto => 'tcp',
        LocalPort => $opt{port} // free_port(), Listen => 64, ReuseAddr => 1)
        or die "receiver: $!";
    my $port = $listen->sockport;
    my $file = sprintf '%s/receiver-%d', temp_dir(), $port;
    my $self = { port => $port, url => "http://127.0.0.1:$port/hook",
        file => $file };
    answer_with($self, %opt);
    write_file("$file.log", '');
    my $pid = fork // die "fork: $!";
    if ($pid == 0) {
        setpgrp 0, 0;
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
        $SIG{CHLD} = 'IGNORE';
        serve($self, $listen);
        POSIX::_exit(0);
    }
    setpgrp $pid, $pid;
    close $listen;
    $self->{pid} = $pid;
    push @receivers, $self;
    return $self;
}

# Changes the responses from now on; counting starts at 0.
sub answer_with {
    my ($self, %opt) = @_;

    $opt{status} //= 200;
    $opt{since} = time;
    write_file("$self->{file}.answer",
        JSON::XS->new->canonical->encode(\%opt));
}

sub serve {
    my ($self, $listen) = @_;

    my ($since, $n, $nth) = (0, 0, 0);
    while (my $c = $listen->accept) {
        my $plan = JSON::XS::decode_json(
            read_file("$self->{file}.answer"));
        ($since, $n) = ($plan->{since}, 0) if $plan->{since} != $since;
        my ($status, $body) = map {
            ref $_ ? $_->[$n] // $_->[-1] : $_ } @$plan{qw(status body)};
        $plan->{body} = $body;
        $n++;
        $nth++;
        my $pid = fork;
        if (defined $pid && $pid == 0) {
            close $listen;
            alarm 30;
            handle($self, $c, $plan, $status, $nth);
            POSIX::_exit(0);
        }
        close $c;
    }
}

sub handle {
    my ($self, $c, $plan, $status, $nth) = @_;

    my $raw = '';
    while ($raw !~ /\r\n\r\n/) {
        sysread $c, $raw, 65536, length $raw or return;
    }
    my ($head, $body) = split /\r\n\r\n/, $raw, 2;
    my ($line, @lines) = split /\r\n/, $head;
    my %h = map { /^([^:]+):\s*(.*)$/ ? (lc $1, $2) : () } @lines;
    if (lc($h{expect} // '') eq '100-continue') {
        syswrite $c, "HTTP/1.1 100 Continue\r\n\r\n";
    }
    while (length $body < ($h{'content-length'} // 0)) {
        sysread $c, $body, 65536, length $body or return;
    }
    my %record = (time => time, line => $line, headers => \%h, body => $body,
        status => $status, nth => $nth);
    open my $fh, '>>', "$self->{file}.log" or return;
    syswrite $fh, JSON::XS->new->latin1->canonical->encode(\%record) . "\n";
    close $fh;
    sleep $plan->{delay} if $plan->{delay};
    my $broken = $plan->{broken} // '';
    if ($broken eq 'reset') {
        setsockopt $c, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0;
        close $c;
        return;
    }
    my $text = $plan->{body} // 'ok';
    $text = substr $text, 0, length($text) / 2 if $broken eq 'half';
    syswrite $c, join "\r\n", "HTTP/1.1 $status Answer",
        'Content-Length: ' . length($plan->{body} // 'ok'), 'Connection: close',
        @{ $plan->{headers} // [] }, '', $text;
    close $c;
}

# Requests so far: {time, line, headers, body, status, json, nth}, in the order
# of reading; nth counts connections in the order in which they were made.
sub received {
    my ($self) = @_;

    my @out;
    # The receiver may be writing the last line.
    for my $line (read_file("$self->{file}.log") =~ /^(.*)\n/mg) {
        my $r = JSON::XS->new->latin1->decode($line);
        $r->{json} = eval { JSON::XS::decode_json($r->{body}) };
        push @out, $r;
    }
    return @out;
}

# True if X-Webhook-Signature of a request is valid for this secret.
sub signature_ok {
    my ($request, $secret) = @_;

    my $h = $request->{headers}{'x-webhook-signature'} // return 0;
    my ($t, $v1) = $h =~ /^t=(\d+),v1=([0-9a-f]{64})$/ or return 0;
    return $v1 eq hmac_sha256_hex("$t.$request->{body}", $secret);
}

# Also stops pending responses: their processes would keep the test's output
# open, and its reader waiting.
sub stop_receiver {
    my ($self) = @_;

    if ($self->{pid}) {
        kill 'TERM', -$self->{pid};
        waitpid $self->{pid}, 0;
        $self->{pid} = 0;
    }
}

sub stop_receivers {
    stop_receiver($_) for @receivers;
    @receivers = ();
}

at_stop(\&stop_receivers);

1;
