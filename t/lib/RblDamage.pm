package RblDamage;

# A relay before a store that understands replies and damages them: each
# command still has one, but it is not what it was.
#
#     my $relay = start_damage($redis);         # {addr}, for start_nginx
#     damage($relay, 'none');
#     damage($relay, 'integers', -1);           # all of them are -1
#     damage($relay, 'random', 0.2);            # of the replies so many
#
# Replies to the handshake pass.  RBL_SEED: the seed of the generator.

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use IO::Select;
use IO::Socket::UNIX;
use RblTest;

our @EXPORT = qw(start_damage damage);

use constant GREETING => 4;             # replies

sub start_damage {
    my ($to, $seed) = @_;

    my $d = own_dir('damage');
    write_file("$d/mode", 'none');
    my $lib = abs_path(dirname(__FILE__));
    my $s = spawn('damage', { dir => $d }, $^X, "-I$lib", '-MRblDamage', '-e',
        'RblDamage::relay(@ARGV)', $d, $to->{socket}, $seed);
    @$s{qw(socket addr)} = ("$d/s", "unix:$d/s");
    return started($s, sub { -S "$d/s" });
}

# Written to another file and renamed, so it is never read half-written.
sub damage {
    my ($s, @mode) = @_;

    write_file("$s->{dir}/mode.new", "@mode");
    rename "$s->{dir}/mode.new", "$s->{dir}/mode" or die "rename: $!";
}

# --- the relay's process ----------------------------------------------------

sub relay {
    my ($d, $to, $seed) = @_;

    srand $seed;
    local $SIG{PIPE} = 'IGNORE';
    my $listen = IO::Socket::UNIX->new(Local => "$d/s", Listen => 64)
        or die "listen: $!";
    my $select = IO::Select->new($listen);
    my (%peer, %reading);
    while (1) {
        for my $c ($select->can_read) {
            if ($c == $listen) {
                my $client = $listen->accept or next;
                my $server = IO::Socket::UNIX->new(Peer => $to) or next;
                @peer{$client, $server} = ($server, $client);
                $reading{$server} = { bytes => '', n => 0 };
                $select->add($client, $server);
                next;
            }
            my $other = $peer{$c} // next;
            if (!sysread $c, my $bytes, 65536) {
                $select->remove($c, $other);
                delete @peer{$c, $other};
                delete @reading{$c, $other};
                close $_ for $c, $other;
            } else {
                pass_on($other, $reading{$c}
                    ? damaged($reading{$c}, $bytes, read_file("$d/mode"))
                    : $bytes);
            }
        }
    }
}

sub pass_on {
    my ($to, $bytes) = @_;

    for (my $at = 0; $at < length $bytes; ) {
        $at += syswrite($to, $bytes, length($bytes) - $at, $at) || return;
    }
}

# The replies that are complete by now.
sub damaged {
    my ($in, $bytes, $mode) = @_;

    my ($how, $value) = split ' ', $mode;
    my $out = '';
    $in->{bytes} .= $bytes;
    while (my ($reply, $end) = parsed(\$in->{bytes}, 0)) {
        my $raw = substr $in->{bytes}, 0, $end, '';
        if (++$in->{n} <= GREETING || $how eq 'none') {
            $out .= $raw;
        } elsif ($how eq 'integers') {
            $_->[0] eq ':' and $_->[1] = $value for parts($reply);
            $out .= written($reply);
        } else {
            strike($reply) if rand() < $value;
            $out .= written($reply);
        }
    }
    return $out;
}

# ([type, value], end position), or nothing if it is incomplete.
sub parsed {
    my ($bytes, $at) = @_;

    my $end = index $$bytes, "\r\n", $at;
    return if $end < 0;
    my ($type, $value) = unpack 'a1a*', substr $$bytes, $at, $end - $at;
    $at = $end + 2;
    return ([$type, $value], $at) if $type !~ /[\$*]/;
    return ([$type, undef], $at) if $value < 0;
    if ($type eq '$') {
        return if length $$bytes < $at + $value + 2;
        return ([$type, substr $$bytes, $at, $value], $at + $value + 2);
    }
    my @inside;
    for (1 .. $value) {
        (my $v, $at) = parsed($bytes, $at) or return;
        push @inside, $v;
    }
    return ([$type, \@inside], $at);
}

sub written {
    my ($type, $v) = @{ $_[0] };

    return "$type-1\r\n" if !defined $v;
    return '*' . @$v . "\r\n" . join '', map { written($_) } @$v
        if $type eq '*';
    return $type eq '$' ? '$' . length($v) . "\r\n$v\r\n" : "$type$v\r\n";
}

# A reply and all its parts.
sub parts {
    my ($reply) = @_;

    my $inside = $reply->[0] eq '*' && $reply->[1];
    return ($reply, $inside ? map { parts($_) } @$inside : ());
}

sub pick { return $_[rand @_] }
sub junk { return pack 'C*', map { rand 256 } 1 .. rand shift }

my @strange = (
    sub { ['$', undef] }, sub { ['*', undef] }, sub { ['*', []] },
    sub { ['*', [map { strange() } 1 .. rand 4]] }, sub { ['$', ''] },
    sub { ['$', junk(80)] }, sub { ['$', 'x' x rand 70_000] },
    sub { ['+', 'OK'] }, sub { [':', int rand 5] }, sub { [':', -1] },
    sub { [':', '9223372036854775807'] },
    sub { ['-', pick(qw(ERR WRONGTYPE NOPERM OOM LOADING NOSCRIPT)) . ' x'] },
);

sub strange { return pick(@strange)->() }

# One part becomes another value, or nearly its old one.
sub strike {
    my ($reply) = @_;

    my $part = pick(parts($reply));
    my ($type, $v) = @$part;
    my $chance = rand;
    if ($chance < 0.4 && $type eq '$' && length($v // '')) {
        $part->[1] = bent($v);
    } elsif ($chance < 0.6 && $type eq '*' && $v && @$v) {
        pick(sub { pop @$v }, sub { push @$v, pick(@$v) },
            sub { @$v = reverse @$v },
            sub { splice @$v, rand @$v, 0, strange() })->();
    } else {
        @$part = @{ strange() };
    }
}

# Damaged bytes of a record or SID.  The last ones are heads of long arrays,
# strings and numbers.
sub bent {
    my ($v) = @_;

    my $at = int rand length $v;
    my @new = (chr rand 256, '', junk(9), map { chr } 0x90, 0xc6, 0xcb, 0xcf,
        0xdb, 0xdc, 0xdd);
    return substr $v, 0, $at if rand() < 0.2;
    substr $v, $at, pick(0, 1, 1, 1, 5), pick(@new);
    return $v;
}

1;
