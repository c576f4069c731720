package RblRedis;

# Base of the tests of the module's store.  A request for an unknown account
# shows the state of the store: 401 if the store was queried and answered, 503
# if not.

use strict;
use warnings;

use Exporter 'import';
use IO::Socket::INET;
use RblTest;
use Time::HiRes qw(time);

our @EXPORT = qw(store_meta ask asked_in status_line send_request workers
    workers_now descriptors error_log no_message messages);

my $user = 'AC' . '0' x 32;
my $token = 'f' x 64;

# A store after `rblctl init`, as far as a handshake looks.
sub store_meta {
    my ($redis, %meta) = @_;

    %meta = (schema => schema_version(), partitions => 16, %meta);
    redis($redis, 'HSET', 'rbl:meta', %meta);
}

# (status, seconds) of one request
sub asked_in {
    my ($nginx, $path) = @_;

    my $start = time;
    my $r = http($nginx, 'GET', $path // '/3.0/hosts.json',
        auth => [$user, $token]);
    return ($r->{status}, time - $start, $r);
}

sub ask { return (asked_in(@_))[0] // 0 }

# Sends a request on a new connection without waiting.
sub send_request {
    my ($nginx, $path) = @_;

    my $c = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $nginx->{port}, Proto => 'tcp', Timeout => 5)
        or die "connect: $!";
    print {$c} http_head('GET', $path // '/3.0/hosts.json',
        auth => [$user, $token]);
    $c->flush;
    return $c;
}

# The first line of the response; '' if the connection ends without one.
sub status_line {
    my ($c) = @_;

    local $SIG{ALRM} = sub { die "no answer\n" };
    alarm 20;
    my $line = eval { readline $c } // '';
    alarm 0;
    return $line;
}

# Process ids of an nginx's workers (without the cache processes), sorted; waits
# until there are as many as wanted (1).
sub workers {
    my ($nginx, $wanted) = @_;

    my @pids;
    wait_for { (@pids = workers_now($nginx)) >= ($wanted // 1) } 5,
        'the workers';
    return @pids;
}

sub workers_now {
    my ($nginx) = @_;

    my @pids;
    for my $stat (glob '/proc/[0-9]*/stat') {
        my ($pid, $ppid) = read_file($stat) =~ /^(\d+) \(.*\) \S (\d+) /s
            or next;
        next if $ppid != $nginx->{pid};
        my $title = read_file("/proc/$pid/cmdline");
        # Under valgrind the process title is not visible.
        push @pids, $pid if $ENV{RBL_VALGRIND}
            || $title =~ /^nginx: worker process/;
    }
    @pids = sort { $a <=> $b } @pids;
    return @pids;
}

sub descriptors {
    my ($pid) = @_;

    opendir my $d, "/proc/$pid/fd" or die "/proc/$pid/fd: $!";
    return scalar grep { /^\d/ } readdir $d;
}

sub error_log { return read_file($_[0]{error_log}) }

# Number of lines of the error log that match.
sub messages {
    my ($nginx, $pattern) = @_;

    return scalar grep { /$pattern/ } split /\n/, error_log($nginx);
}

sub no_message {
    my ($nginx, $pattern, $name) = @_;

    is(messages($nginx, $pattern), 0, $name);
}

1;
