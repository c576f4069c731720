package RblBenchStore;

# The store's scripts called as by the daemon, pipelined on one connection of
# the benchmark to each server of the store: one Redis, or a cluster
# (RblFailover).
#
#     my $store = RblBenchStore->new($redis);
#     my ($replies, $us) = $store->pipelined(64, $store->call_of('check_take',
#         $key, @args), ...);       # $us: CPU of the store, each

use strict;
use warnings;

use IO::Socket::UNIX;
use RblBench;
use RblSeam;
use RblTest;

sub new {
    my ($class, $redis) = @_;

    my @nodes = $redis->{masters} ? $redis->{masters}->($redis) : $redis;
    my @sockets = map { IO::Socket::UNIX->new(Peer => $_->{socket})
        or die "$_->{socket}: $!\n" } @nodes;
    return bless { redis => $redis, nodes => \@nodes, sockets => \@sockets,
        of => {} }, $class;
}

# The index of the server that has the keys of a command.
sub place_of {
    my ($self, $bytes) = @_;

    return 0 if @{ $self->{nodes} } == 1 || $bytes !~ /:(\{...\}):/;
    return $self->{of}{$1} //= do {
        my $node = RblFailover::Cluster::node_of($self->{redis},
            RblFailover::Cluster::slot_of($1));
        my ($i) = grep { $self->{nodes}[$_] == $node } 0 .. $#{ $self->{nodes} };
        $i;
    };
}

# Replies and CPU of the store in ns: all commands at once, each at its server.
sub exchange {
    my ($self, @calls) = @_;

    my (@bytes, @order, @got);
    for my $call (@calls) {
        my $at = $self->place_of($call);
        $bytes[$at] .= $call;
        push @order, $at;
    }
    for my $at (grep { defined $bytes[$_] } 0 .. $#bytes) {
        print { $self->{sockets}[$at] } $bytes[$at];
        $self->{sockets}[$at]->flush;
    }
    for my $at (grep { defined $bytes[$_] } 0 .. $#bytes) {
        $got[$at] = [RblTest::Redis::read_replies($self->{sockets}[$at],
            scalar grep { $_ == $at } @order)];
    }
    return map { shift @{ $got[$_] } } @order;
}

sub bytes_of {
    my ($self, @words) = @_;

    my $n = $self->{partitions} //= redis($self->{redis}, 'HGET', 'rbl:meta',
        'partitions') // 1;
    return join '', '*' . @words . "\r\n", map {
        '$' . length($_) . "\r\n$_\r\n"
    } map { index($_, ':{') < 0 ? $_ : tagged($n, $_) } @words;
}

# Loads the text of a script into the store; returns its SHA-1.
sub load_script {
    my ($self, $text) = @_;

    return $self->{sha}{$text} //= do {
        my @sha = map { redis($_, 'SCRIPT', 'LOAD', $text) }
            @{ $self->{nodes} };
        $sha[0];
    };
}

sub call_of {
    my ($self, $script, @args) = @_;

    return $self->bytes_of('EVALSHA', $self->load_script(seam_source($script)),
        seam_words($script, @args));
}

# Sends all commands, so many at a time; returns the replies and the CPU of the
# store per command in microseconds.
sub pipelined {
    my ($self, $batch, @calls) = @_;

    my @replies;
    my $n = @calls or return ([], 0);
    my @parts;
    push @parts, [splice @calls, 0, $batch] while @calls;
    my $cost = spend(sub {
        for my $part (@parts) {
            for my $r ($self->exchange(@$part)) {
                die "$$r\n" if ref $r eq 'SCALAR';
                push @replies, $r;
            }
        }
    }, redis => [map { $_->{pid} } @{ $self->{nodes} }]);
    return (\@replies, $cost->{redis} / 1000 / $n);
}

1;
