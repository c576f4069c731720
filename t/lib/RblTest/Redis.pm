package RblTest::Redis;

# A small Redis client, MessagePack, and the records of the store by the names
# of shared/schema.txt.

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use IO::Socket::UNIX;

use RblTest::Http ();

our @EXPORT = qw(redis redis_try redis_each redis_dump redis_digest redis_key
    tagged partitions partition_of mp_pack mp_unpack record record_pack
    record_fields host_answers schema_version caller_of);

# redis($server, 'GET', 'key'): a string, undef for nil, an array for arrays.
# An error reply dies.  "rbl:{3}:due" stands for the key of partition 3, of one
# partition if the store is not initialised.  A store of several servers chooses
# one of them by {route} (RblFailover).
sub redis {
    my ($server, @args) = @_;

    my $reply = redis_raw($server, @args);
    die 'store: ' . $$reply . "\n" if ref $reply eq 'SCALAR';
    return $reply;
}

# The same; an error reply is returned as its text, no connection as undef.
sub redis_try {
    my ($server, @args) = @_;

    my $reply = eval { redis_raw($server, @args) };
    return ref $reply eq 'SCALAR' ? $$reply : $reply;
}

sub redis_raw {
    my ($server, @args) = @_;

    return $server->{route}->($server, @args) if $server->{route};
    return (redis_sent($server, \@args))[0];
}

# The replies to many commands: redis_each($server, ['GET', 'a'], ...).  They
# are sent together, so they cost a small part of as many calls of redis().
sub redis_each {
    my ($server, @commands) = @_;

    return map { redis($server, @$_) } @commands if $server->{route};
    my @replies;
    push @replies, redis_sent($server, splice @commands, 0, 200)
        while @commands;
    my ($error) = grep { ref eq 'SCALAR' } @replies;
    die "store: $$error\n" if $error;
    return @replies;
}

# {key => DUMP of it} of the whole store; texts can be found in it.
sub redis_dump {
    my ($server) = @_;

    redis($server, 'CONFIG', 'SET', 'rdbcompression', 'no');
    my @keys = @{ redis($server, 'KEYS', '*') };
    my @dumps = redis_each($server, map { ['DUMP', $_] } @keys);
    return { map { $keys[$_] => $dumps[$_] } grep { defined $dumps[$_] }
        keys @keys };
}

# The same for any content in any order, another one after each change.
my $DIGEST = <<'END';
local keys, digest = redis.call('KEYS', '*'), ''
table.sort(keys)
for _, key in ipairs(keys) do
    digest = redis.sha1hex(digest .. key .. (redis.call('DUMP', key) or ''))
end
return digest
END

sub redis_digest {
    my ($server) = @_;

    return redis($server, 'EVAL', $DIGEST, 0) if !$server->{route};
    my $all = redis_dump($server);
    return join "\n", map { $_, $all->{$_} } sort keys %$all;
}

# Commands to a server that is not one of several, and their replies.
sub redis_sent {
    my ($server, @commands) = @_;

    my $bytes = join '', map { encoded($server, @$_) } @commands;
    my $c = client_of($server);
    my @replies = eval {
        RblTest::Http::write_all($c, $bytes) or die "write: $!\n";
        read_replies($c, scalar @commands);
    };
    if ($@) {
        delete $server->{client};
        die $@;
    }
    return @replies;
}

sub client_of {
    my ($server) = @_;

    if (!$server->{client} || $server->{client_pid} != $server->{pid}.$$) {
        $server->{client} = IO::Socket::UNIX->new(Peer => $server->{socket})
            or die "cannot connect to $server->{socket}: $!\n";
        $server->{client_pid} = $server->{pid}.$$;
        delete $server->{known};
    }
    return $server->{client};
}

sub encoded {
    my ($server, @args) = @_;

    delete $server->{known} if $args[0] =~ /^(?:FLUSHALL|RESTORE)$/
        || ($args[1] // '') =~ /:meta\z/ && $args[0] ne 'HGET';
    my $bytes = '*' . @args . "\r\n";
    for my $a (@args) {
        my $b = "$a";
        utf8::encode($b) if utf8::is_utf8($b);
        $b = tagged($server, $b) if index($b, ':{') >= 0;
        $bytes .= '$' . length($b) . "\r\n$b\r\n";
    }
    return $bytes;
}

# The text with the hash tags of a store, or of so many partitions, in the place
# of the partitions' numbers.
my %tags;
sub tagged {
    my ($server, $text) = @_;

    return $text =~ s/([\w.-]+):\{\K(\d\d?)(?=\}:)/
        my ($prefix, $p) = ($1, $2);
        my $n = ref $server ? partitions_at($server, $prefix) || 1 : $server;
        ($tags{$n} \/\/= tags_of($n))->[$p] \/\/ die "$text: of $n partitions\n"
        /gerx;
}

# Asks the store only once: its server may be away later.  Commands that may
# change the number (rblctl init, FLUSHALL) delete {known}.
sub partitions_at {
    my ($server, $prefix) = @_;

    my $n = $server->{known}{$prefix};
    if (!defined $n) {
        $n = redis_raw($server, 'HGET', "$prefix:meta", 'partitions') // 0;
        $server->{known}{$prefix} = $n;
    }
    return $n;
}

# The tags of n partitions (rbl_tags.h): of all tags, in the order of their
# octets, the first in each slot.
sub tags_of {
    my ($n) = @_;

    my @chars = (0 .. 9, 'A' .. 'Z', 'a' .. 'z');
    my ($width, @crc, @tags, $found) = (16384 / $n);
    for my $octet (0 .. 255) {
        $crc[$octet] = $octet << 8;
        $crc[$octet] = ($crc[$octet] << 1 ^ ($crc[$octet] & 0x8000 && 0x1021))
            & 0xffff for 1 .. 8;
    }
    for my $two (map { my $c = $_; map { $c . $_ } @chars } @chars) {
        my $begun = 0;
        $begun = ($begun << 8 ^ $crc[$begun >> 8 ^ ord]) & 0xffff
            for split //, $two;
        for my $c (@chars) {
            my $slot = ($begun << 8 ^ $crc[$begun >> 8 ^ ord $c]) % 16384;
            next if $slot % $width != $width / 2 || $tags[$slot / $width];
            $tags[$slot / $width] = $two . $c;
            return \@tags if ++$found == $n;
        }
    }
}

# Bytes read from a connection, and where the unread rest begins.
my ($in, $at);

# All replies that are due.
sub read_replies {
    my ($c, $n) = @_;

    ($in, $at) = ('', 0);
    my @replies = map { next_reply($c) } 1 .. $n;
    die "more than $n replies\n" if $at != length $in;
    return @replies;
}

sub read_more {
    my ($c) = @_;

    my $n;
    do { $n = sysread $c, $in, 262_144, length $in } while !defined $n
        && $!{EINTR};
    die "connection closed\n" if !$n;
}

sub next_reply {
    my ($c) = @_;

    my $end;
    read_more($c) while ($end = index $in, "\r\n", $at) < 0;
    my $type = substr $in, $at, 1;
    my $line = substr $in, $at + 1, $end - $at - 1;
    $at = $end + 2;
    return $line if $type eq '+' || $type eq ':';
    return \$line if $type eq '-';
    if ($type eq '$') {
        return undef if $line < 0;
        read_more($c) while length $in < $at + $line + 2;
        $at += $line + 2;
        return substr $in, $at - $line - 2, $line;
    }
    die "unknown reply type $type\n" if $type ne '*';
    return undef if $line < 0;
    return [map { next_reply($c) } 1 .. $line];
}

# How many partitions `rblctl init` makes.
sub partitions { return 64 }

# The partition of an account.
sub partition_of { return hex(substr $_[0], 2, 4) % partitions() }

# redis_key('r', account SID, host SID): prefix "rbl", 64 partitions, or
# redis_key({prefix => .., partitions => ..}, ...).  An account of "" or a
# plain number as second part is a partition: redis_key('due', 3).
sub redis_key {
    my $opt = ref $_[0] ? shift : {};
    my ($name, $account, @rest) = @_;

    my $prefix = $opt->{prefix} // 'rbl';
    return "$prefix:{$account}:" . join ':', $name, @rest
        if $account =~ /^\d+$/;
    my $p = hex(substr $account, 2, 4) % ($opt->{partitions} // partitions());
    return "$prefix:{$p}:" . join ':', $name, $account, @rest;
}


# --- MessagePack -----------------------------------------------------------

# By the first byte: the template of a number, or that of a length.
my %NUMBER = (0xcc => 'C', 0xcd => 'n', 0xce => 'N', 0xcf => 'Q>',
    0xd0 => 'c', 0xd1 => 's>', 0xd2 => 'l>', 0xd3 => 'q>', 0xca => 'f>',
    0xcb => 'd>');
my %LENGTH = (0xd9 => 'C', 0xda => 'n', 0xdb => 'N', 0xc4 => 'C', 0xc5 => 'n',
    0xc6 => 'N', 0xdc => 'n', 0xdd => 'N');
my %OCTETS = map { $_ => length pack $_, 0 } values %NUMBER;
my %VALUE = (0xc0 => undef, 0xc2 => 0, 0xc3 => 1);

my ($bytes, $pos);

sub mp_unpack {
    ($bytes, $pos) = ($_[0], 0);
    my ($value) = mp_values(1);
    die "bytes left over\n" if $pos != length $bytes;
    return $value;
}

# The next values.  Tests that look at many records are as fast as this loop.
sub mp_values {
    my ($left) = @_;

    my $end = length $bytes;
    my @values;
    while ($left-- > 0) {
        die "record is short\n" if $pos >= $end;
        my $t = ord substr $bytes, $pos++, 1;
        if ($t < 0x80 || $t >= 0xe0 || exists $VALUE{$t}) {
            push @values, $t < 0x80 ? $t : $t < 0xe0 ? $VALUE{$t} : $t - 256;
            next;
        }
        my $n = $t & ($t < 0xa0 ? 15 : 31);
        if ($t < 0x90 || $t >= 0xc0) {
            my $template = $NUMBER{$t} // $LENGTH{$t}
                // die sprintf "unknown byte %02x\n", $t;
            $n = unpack($template, substr $bytes, $pos, $OCTETS{$template})
                // die "record is short\n";
            $pos += $OCTETS{$template};
        }
        push @values, $NUMBER{$t} ? $n
            : $t < 0xa0 || $t == 0xdc || $t == 0xdd ? [mp_values($n)]
            : substr $bytes, ($pos += $n) - $n, $n;
    }
    die "record is short\n" if $pos > $end;
    return @values;
}

# A reference to an array is an array; a scalar that looks like an integer is an
# integer, unless it is given as a reference to a string.
sub mp_pack {
    my ($v) = @_;

    if (ref $v eq 'ARRAY') {
        my $n = @$v;
        my $head = $n < 16 ? pack 'C', 0x90 | $n : pack 'Cn', 0xdc, $n;
        return $head . join '', map { mp_pack($_) } @$v;
    }
    if (ref $v eq 'SCALAR') {
        $v = $$v;
    } elsif ($v =~ /\A(?:0|-?[1-9]\d{0,17})\z/) {
        return pack 'C', $v if $v >= 0 && $v < 128;
        return pack 'Cq>', 0xd3, $v;
    }
    utf8::encode($v) if utf8::is_utf8($v);
    my $n = length $v;
    return ($n < 32 ? pack 'C', 0xa0 | $n : $n < 256 ? pack 'CC', 0xd9, $n
        : pack 'Cn', 0xda, $n) . $v;
}


# --- records ---------------------------------------------------------------

my %schema;

# The names of the fields of a record, in their order.
sub record_fields {
    my ($entity) = @_;

    if (!%schema) {
        my $path = dirname(abs_path(__FILE__))
            . '/../../../shared/schema.txt';
        open my $fh, '<', $path or die "$path: $!";
        while (my $line = <$fh>) {
            $schema{$1} = [map { s/:.//r } grep { $_ ne '|' } split ' ', $2]
                if $line =~ /^(\w+):\s*(.*)/;
        }
    }
    return $schema{$entity} // die "no entity $entity\n";
}

# The schema version of the programs.
sub schema_version {
    my $path = dirname(abs_path(__FILE__))
        . '/../../../shared/record/rbl_meta.h';
    open my $fh, '<', $path or die "$path: $!";
    my ($n) = map { /^#define RBL_SCHEMA_VERSION +(\d+)$/ ? $1 : () } <$fh>;
    return $n // die "$path: no version\n";
}

# record('host', $bytes): {id => .., value => .., ...}; undef stays undef
sub record {
    my ($entity, $bytes) = @_;

    return undef if !defined $bytes;
    my %r;
    @r{ @{ record_fields($entity) } } = @{ mp_unpack($bytes) };
    return \%r;
}

# The bytes of a record; missing fields are "", or omitted at the end.
sub record_pack {
    my ($entity, %value) = @_;

    my @v = map { $value{$_} } @{ record_fields($entity) };
    pop @v while @v && !defined $v[-1];
    return mp_pack([map { $_ // '' } @v]);
}

# Fields of a host's record that say what its lists answered in the check that
# ended at $checked (ms), and the record "coverage" of its account that goes with
# them.  Each list: [SID], which gave an answer; [SID, error], which did not (the
# number of its error, 0: it was left out), and how many minutes before the check
# it did, if it ever did.
sub host_answers {
    my ($checked, @lists) = @_;

    my $minute = int $checked / 60_000;
    my $rest = sprintf '%03b%05b%016b', 0, 24, $minute % 65_536;
    $rest .= sprintf '%05b', defined $_->[1] ? $_->[1] + 1 : 0 for @lists;
    $rest .= sprintf '%024b', defined $_->[2] ? ($minute - $_->[2]) % (1 << 24)
        : (1 << 24) - 1 for grep { defined $_->[1] } @lists;
    my $answers = pack('C', $checked % 256) . "\xab\xcd\xef"
        . (grep({ defined $_->[1] } @lists) ? pack 'B*', $rest : '');
    my $class = 'abcdef0123456789' . pack('N3', 0, 0, $checked / 1000)
        . 'RP' . '0' x 32 . ':1:rbl;' . pack 'n*', 1 .. @lists;
    return ({ checked => $checked, unknown_count => scalar(grep { $_->[1] }
        @lists), troubled => [], uncovered => 0, stopped => 0,
        answers => \$answers }, mp_pack([1, \join('', map { pack 'H32 N2',
        substr($_->[0], 2), 0, $checked / 1000 } @lists), \$class]));
}

# The last argument of an audited script, which names its caller; nothing for
# another script.  Options: fields of the record "by".
sub caller_of {
    my ($source, %by) = @_;

    return () if $source !~ /^local by = table\.remove\(ARGV\)$/m;
    return record_pack('by', version => 1, who => 'AP' . '0' x 32,
        from => '192.0.2.99', call => 'test/call', fields => [], %by);
}

1;
