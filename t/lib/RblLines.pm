package RblLines;

# Many clients in one process: persistent connections, each with one request in
# flight.
#
#     lines_run($nginx, 8, sub { $next }, sub { my ($r, $answer) = @_; ... });
#
# The first code gives requests, {bytes, head => it is a HEAD, last => nothing
# may follow it on its connection}, or nothing when there are no more; the
# second gets each of them with its answer (RblTest::Http), where `complete` is
# false if there was none.

use strict;
use warnings;

use Exporter 'import';
use IO::Select;
use Time::HiRes qw(time);

use RblTest::Http;
use RblTest::Process;

our @EXPORT = qw(lines_run);

use constant PATIENCE => 20;            # s to wait for a response

sub lines_run {
    my ($server, $n, $next, $got) = @_;

    my $busy = IO::Select->new;
    my %line;                           # by descriptor
    my @free = map { {} } 1 .. $n;
    my $more = 1;
    while ($more || $busy->count) {
        while ($more && @free) {
            my $r = $next->();
            $more = 0, last if !$r;
            my $line = shift @free;
            ask($server, $line, $r);
            $line{ fileno $line->{socket} } = $line;
            $busy->add($line->{socket});
        }
        for my $s (answered($busy, \%line)) {
            my $line = $line{ fileno $s };
            my $a = heard($line) or next;
            $busy->remove($s);
            delete $line{ fileno $s };
            drop($line) if $a->{ended} || $line->{asked}{last}
                || length($a->{rest} // '')
                || lc($a->{headers}{connection} // '') eq 'close';
            push @free, $line;
            $got->($line->{asked}, $a);
        }
    }
    drop($_) for @free;
}

sub drop { close delete $_[0]{socket} if $_[0]{socket} }

sub ask {
    my ($server, $line, $r) = @_;

    if (!$line->{socket}) {
        $line->{socket} = RblTest::Http::tcp_connect($server->{port})
            or die "connect: $!";
    }
    @$line{qw(asked since raw)} = ($r, time, '');
    RblTest::Http::write_all($line->{socket}, $r->{bytes});
    shutdown $line->{socket}, 1 if $r->{last};
}

# Connections that can be read, and those that have waited too long.
sub answered {
    my ($busy, $line) = @_;

    my @ready = $busy->can_read(1);
    return @ready if @ready;
    my $limit = time - PATIENCE * $RblTest::Process::PATIENCE;
    return map { $_->{socket} } grep { $_->{since} < $limit
        && ($_->{late} = 1) } values %$line;
}

sub heard {
    my ($line) = @_;

    my $n = delete $line->{late} ? 0
        : sysread $line->{socket}, $line->{raw}, 262_144, length $line->{raw};
    my $a = RblTest::Http::parse_answer($line->{raw}, $line->{asked}{head},
        !$n);
    return undef if $n && !$a->{complete};
    $a->{raw} = $line->{raw};
    $a->{ended} = 1 if !$n;
    return $a;
}

1;
