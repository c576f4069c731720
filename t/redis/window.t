#!/usr/bin/perl

# The daemon's connection gives the store at most 8 KiB of commands at a time,
# or one longer command.  Further commands wait, in order, and each command is
# answered once, although connections are lost.

use strict;
use warnings;

use lib 't/lib';
use IO::Select;
use IO::Socket::UNIX;
use RblRedis;
use RblTest;

use constant { WINDOW => 8192, COMMANDS => 400 };

my $redis = start_redis(cluster => 1);           # its relay is to one server
store_meta($redis);
my $dir = own_dir('between');

# Bytes of the first command or reply of a stream; 0: incomplete.
sub first_of {
    my ($bytes, $at) = @_;

    pos($$bytes) = $at;
    $$bytes =~ /\G([-+:\$*])([^\r]*)\r\n/g or return 0;
    my ($kind, $n, $end) = ($1, $2, pos $$bytes);
    if ($kind eq '$') {
        $end += $n + 2 if $n >= 0;
        return $end <= length $$bytes ? $end - $at : 0;
    }
    for (1 .. ($kind eq '*' && $n > 0 ? $n : 0)) {
        my $more = first_of($bytes, $end) or return 0;
        $end += $more;
    }
    return $end - $at;
}

# A relay between storeload and the store that counts commands without a reply,
# and closes the first connections after so many replies.
sub between {
    my ($listen, @drops) = @_;

    my ($most, $large, $n) = (0, 0, 0);
    while (my $client = $listen->accept) {
        my $store = IO::Socket::UNIX->new(Peer => $redis->{socket}) or die $!;
        my $drop = shift @drops;
        my ($from, $to, $replies, @open) = ('', '', 0);
        my $both = IO::Select->new($client, $store);
        ALL: while (1) {
            for my $s ($both->can_read) {
                my $buffer = $s == $client ? \$from : \$to;
                sysread $s, $$buffer, 1 << 20, length $$buffer or last ALL;
            }
            my $bytes = '';
            while (my $size = first_of(\$from, 0)) {
                push @open, $size;
                $bytes .= substr $from, 0, $size, '';
            }
            my $all = length $from;
            $all += $_ for @open;
            if (@open > 1) {
                $most = $all if $most < $all;
            } elsif ($large < $all) {
                $large = $all;
            }
            print {$store} $bytes;
            $store->flush;
            while (my $size = first_of(\$to, 0)) {
                shift @open;
                last ALL if $drop && ++$replies > $drop;
                print {$client} substr $to, 0, $size, '';
                $client->flush;
            }
        }
        close $_ for $client, $store;
        $n++;
        last if !@drops && !$drop;
    }
    return ($most, $large, $n);
}

sub load {
    my ($name, @drops) = @_;

    redis($redis, 'SCRIPT', 'FLUSH');
    redis($redis, 'DEL', 'numbers');
    my $path = "$dir/s";
    unlink $path;
    my $listen = IO::Socket::UNIX->new(Local => $path, Listen => 8) or die $!;
    open my $out, '-|', build_dir() . '/t/tools/storeload', "unix:$path",
        'numbers', COMMANDS or die $!;
    my ($most, $large, $n) = between($listen, @drops);
    my $said = <$out>;
    close $out;
    is($n, @drops + 1, "$name: each lost connection is made again");
    my ($answered, $again, $odd) = $said =~ /(\d+)/g;
    is($answered, COMMANDS, "$name: all get a response");
    is($odd, 0, "$name: each command gets one response");
    cmp_ok($most, '<=', WINDOW, "$name: at most 8 KiB of commands at a time");
    cmp_ok($large, '>', 20_000, "$name: or one that is longer");
    my @numbers = map { /^(\d+)/ } @{ redis($redis, 'LRANGE', 'numbers', 0,
        -1) };
    return ($again, @numbers);
}

my @want = grep { $_ % 7 } 0 .. COMMANDS - 1;
my ($again, @numbers) = load('a turn with 400 commands');
is($again, 0, 'no command is sent a second time');
is("@numbers", "@want", 'the commands are executed in sequence');

($again, @numbers) = load('connections that are lost', 10, 150);
cmp_ok($again, '>', 200, 'commands in flight or waiting are sent again');
my %seen = map { $_ => 1 } @numbers;
is(join(' ', sort { $a <=> $b } keys %seen), "@want",
    'no command is lost with its connection');

done_testing();
