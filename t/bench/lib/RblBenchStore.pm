package RblBenchStore;

# The store's scripts called as by the daemon, pipelined on one connection of
# the benchmark.
#
#     my $store = RblBenchStore->new($redis);
#     my ($replies, $us) = $store->pipelined(64, $store->call_of('check_take',
#         $key, @args), ...);       # $us: CPU of the store, each

use strict;
use warnings;

use IO::Socket::UNIX;
use RblBench;
use RblTest;

sub new {
    my ($class, $redis) = @_;

    my $socket = IO::Socket::UNIX->new(Peer => $redis->{socket})
        or die "$redis->{socket}: $!\n";
    return bless { redis => $redis, socket => $socket, sha => {} }, $class;
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

    return $self->{sha}{$text} //= redis($self->{redis}, 'SCRIPT', 'LOAD',
        $text);
}

sub call_of {
    my ($self, $script, @args) = @_;

    my $s = $self->{script}{$script} //= do {
        my $text = read_file(build_dir() . "/gen/lua/$script.lua");
        { sha => $self->load_script($text), by => [caller_of($text)] };
    };
    return $self->bytes_of('EVALSHA', $s->{sha}, 1, @args, @{ $s->{by} });
}

# Sends all commands, so many at a time; returns the replies and the CPU of the
# store per command in microseconds.
sub pipelined {
    my ($self, $batch, @calls) = @_;

    my @replies;
    my $n = @calls;
    my @parts;
    push @parts, [splice @calls, 0, $batch] while @calls;
    my $cost = spend(sub {
        for my $part (@parts) {
            print { $self->{socket} } join '', @$part;
            $self->{socket}->flush;
            for my $r (RblTest::Redis::read_replies($self->{socket},
                scalar @$part))
            {
                die "$$r\n" if ref $r eq 'SCALAR';
                push @replies, $r;
            }
        }
    }, redis => [$self->{redis}{pid}]);
    return (\@replies, $cost->{redis} / 1000 / $n);
}

1;
