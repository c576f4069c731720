package RblManager;

# A service manager: the datagram socket of $NOTIFY_SOCKET, and the
# notifications of a daemon.
#
#     my $manager = RblManager->new;
#     start_checkd(env => { NOTIFY_SOCKET => $manager->path }, ...);
#     ok($manager->told(qr/^READY=1$/m));
#     $manager->forget;                 # earlier notifications
#     $manager->all;                    # each datagram since

use strict;
use warnings;

use IO::Socket::UNIX;
use RblTest;
use Socket qw(SOCK_DGRAM);

my $counter = 0;

sub new {
    my ($class) = @_;

    my $path = temp_dir() . '/notify' . ++$counter;
    my $socket = IO::Socket::UNIX->new(Local => $path, Type => SOCK_DGRAM)
        or die "$path: $!";
    return bless { path => $path, socket => $socket, told => [] }, $class;
}

sub path { return $_[0]{path} }

sub all {
    my ($self) = @_;

    vec(my $in = '', fileno $self->{socket}, 1) = 1;
    while (select my $ready = $in, undef, undef, 0) {
        recv $self->{socket}, my $text, 4096, 0;
        push @{ $self->{told} }, $text;
    }
    return @{ $self->{told} };
}

# Number of matching notifications so far.
sub count {
    my ($self, $pattern) = @_;

    return scalar grep { $_ =~ $pattern } $self->all;
}

# Waits for $n matching notifications.
sub told {
    my ($self, $pattern, $n) = @_;

    return wait_for { $self->count($pattern) >= ($n // 1) } 10, $pattern;
}

sub forget {
    my ($self) = @_;

    $self->all;
    $self->{told} = [];
}

sub stop {
    my ($self) = @_;

    close $self->{socket};
    unlink $self->{path};
}

1;
