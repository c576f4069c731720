package RblFakeRedis;

# A fake store for faults that no real server can produce: a process on a unix
# socket, whose replies depend on the mode in its file.  It is used for faults
# only; everything else is tested with a real redis-server.
#
#     my $fake = start_fake('loading');
#     fake_mode($fake, 'good');
#
# With port => 1 it is on a TCP port, of all addresses of this machine; that is
# for fake Sentinels and nodes of a cluster.  fake_answers gives their replies.

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use JSON::XS ();
use RblTest;

our @EXPORT = qw(start_fake fake_mode fake_answers fake_seen);

my $LOADING = "-LOADING Redis is loading the dataset in memory\r\n";
my $SCHEMA = "\$1\r\n" . schema_version() . "\r\n";
my $MASTER = "\$13\r\nrole:master\r\n\r\n";
my $GOOD = "*2\r\n$SCHEMA\$2\r\n16\r\n";

# A message to a subscriber; other commands get the same reply.
sub message {
    my ($word, $value) = @_;

    return sprintf "*3\r\n\$%d\r\n%s\r\n\$8\r\nrbl:news\r\n%s", length $word,
        $word, $value;
}

# Replies by mode: handshake, other commands, and TIME if it differs.  INFO
# says that it is a master, except after the handshake if others get nothing or
# an error.  A text is sent; undef: the connection is closed; an array: these
# texts, with a pause between them.
my %modes = (
    good       => [$GOOD, undef],
    loading    => [$LOADING, $LOADING],
    late_loading => [$GOOD, $LOADING],
    readonly   => [$GOOD, "-READONLY You can't write against a replica.\r\n"],
    masterdown => [$GOOD, "-MASTERDOWN Link with MASTER is down\r\n"],
    oom        => [$GOOD, "-OOM command not allowed\r\n"],
    noscript   => [$GOOD, "-NOSCRIPT No matching script.\r\n"],
    strange    => [$GOOD, "-ERR strange \e[31m\x01\xff%s%n, with args "
        . "beginning with: 'secret'\r\n"],
    half       => [$GOOD, ["\$10\r\nabc", undef]],
    close      => [$GOOD, undef],
    close_at_once => [undef, undef],
    unasked    => [$GOOD . "+OK\r\n", "\$-1\r\n"],
    later      => [[$GOOD, "+OK\r\n"], "\$-1\r\n"],
    doubled    => [$GOOD, "\$-1\r\n+OK\r\n+OK\r\n"],
    maxclients => ["-ERR max number of clients reached\r\n", undef],
    garbage    => ["HTTP/1.1 400 Bad Request\r\n\r\n", 'x'],
    huge       => ["*2147483647\r\n", "*2147483647\r\n"],
    negative   => ["*-7\r\n", "\$-9\r\n"],
    nested_huge => ["*1000000\r\n" x 5, "*1000000\r\n" x 5],
    deep       => ["*1\r\n" x 40, "*1\r\n" x 40],
    long       => [$GOOD, "\$999999999999\r\nx"],
    flood      => [$GOOD, ["\$100000000\r\n", ('x' x 1_000_000) x 100]],
    integer    => [":1\r\n", ":1\r\n"],
    below      => [$GOOD, ":-1\r\n"],
    many       => [$GOOD, "*2000\r\n" . "\$1\r\nx\r\n" x 2000],
    short      => ["*1\r\n$SCHEMA", "*0\r\n"],
    nested     => ["*2\r\n*0\r\n*0\r\n", "*1\r\n*1\r\n*0\r\n"],
    mute       => ['', ''],
    deaf       => [$GOOD, '', ":1\r\n"],
    dribble    => [$GOOD, ["\$800\r\n", ('x') x 800, "\r\n"]],
    unsubscribe => [$GOOD, message('unsubscribe', "\$1\r\n0\r\n")],
    shouted    => [$GOOD, message('SUBSCRIBE', ":1\r\n")],
    told       => [$GOOD, message('subscribe', ":1\r\n")
        . message('message', "\$6\r\nAC\0\xff\r\n\r\n") . "+OK\r\n"],
    bytewise   => [[split //, $GOOD], [split //, "\$-1\r\n"]],
);

sub start_fake {
    my ($mode, %opt) = @_;

    my $d = own_dir('fake');
    write_file("$d/mode", $mode);
    my $port = $opt{port} ? free_port() : 0;
    my $lib = abs_path(dirname(__FILE__));
    my $s = spawn('fake', { dir => $d }, $^X, "-I$lib", '-MRblFakeRedis',
        '-e', 'RblFakeRedis::serve(@ARGV)', $d, $port);
    @$s{qw(socket addr port)} = ("$d/s", "unix:$d/s", $port);
    return started($s, sub { -e "$d/listens" });
}

sub fake_mode {
    my ($s, $mode) = @_;

    die "no mode $mode" if !$modes{$mode};
    write_file("$s->{dir}/mode", $mode);
}

# Replies by the beginning of a command: {'CLUSTER SLOTS' => bytes, ...}; undef:
# the connection is closed, "": no reply.  The longest beginning counts, and ""
# stands for all others.
sub fake_answers {
    my ($s, $answers) = @_;

    write_file("$s->{dir}/answers", JSON::XS->new->latin1->encode($answers));
    write_file("$s->{dir}/mode", 'answers');
}

# The commands so far, one per line: connection, then the words.
sub fake_seen { return read_file("$_[0]{dir}/seen") }

sub serve {
    my ($d, $port) = @_;

    local $SIG{PIPE} = 'IGNORE';
    my $listen = ($port ? IO::Socket::INET->new(LocalPort => $port,
            Listen => 64, ReuseAddr => 1)
        : IO::Socket::UNIX->new(Local => "$d/s", Listen => 64))
        or die "listen: $!";
    write_file("$d/listens", '');
    my $select = IO::Select->new($listen);
    my (%in, %number);
    my $n = 0;
    while (1) {
        for my $c ($select->can_read) {
            if ($c == $listen) {
                my $new = $listen->accept or next;
                $select->add($new);
                $in{$new} = '';
                $number{$new} = ++$n;
                next;
            }
            my $got = sysread $c, $in{$c}, 65536, length $in{$c};
            next if $got && answer_all($d, $c, \$in{$c}, $number{$c});
            $select->remove($c);
            delete $in{$c};
            close $c;
        }
    }
}

my %greeted;

sub answer_all {
    my ($d, $c, $in, $number) = @_;

    while (my @words = take_command($in)) {
        open my $seen, '>>', "$d/seen" or die "seen: $!";
        print {$seen} join(' ', $number, map { s/\s/?/gr } @words), "\n";
        close $seen;
        my $name = read_file("$d/mode");
        if ($name eq 'answers') {
            my $reply = answer_of($d, join ' ', @words);
            return 0 if !defined $reply;
            syswrite $c, $reply;
            next;
        }
        my $mode = $modes{$name};
        my $text = $mode->[$words[0] eq 'HMGET' && $words[1] =~ /:meta$/
            ? 0 : 1];
        $text = $mode->[2] if $words[0] eq 'TIME' && $mode->[2];
        $text = $MASTER if $words[0] eq 'INFO'
            && (!$greeted{$number}++ || ($text // 'x') !~ /^-|^$/);
        $text = "\$-1\r\n" if !defined $text && $mode->[0]
            && $mode == $modes{good};
        for my $part (ref $text ? @$text : $text) {
            return 0 if !defined $part;
            syswrite $c, $part if length $part;
            select undef, undef, undef, 0.005 if ref $text;
        }
    }
    return 1;
}

sub answer_of {
    my ($d, $command) = @_;

    my $answers = JSON::XS->new->latin1->decode(read_file("$d/answers"));
    my ($begin) = sort { length $b <=> length $a }
        grep { index(uc $command, uc $_) == 0 } keys %$answers;
    return defined $begin ? $answers->{$begin} : "-ERR unknown command\r\n";
}

sub take_command {
    my ($in) = @_;

    $$in =~ /\A\*(\d+)\r\n/g or return;
    my @words;
    for (1 .. $1) {
        $$in =~ /\G\$(\d+)\r\n/gc or return;
        my $at = pos $$in;
        return if length $$in < $at + $1 + 2;
        push @words, substr $$in, $at, $1;
        pos($$in) = $at + $1 + 2;
    }
    substr($$in, 0, pos $$in) = '';
    return @words;
}

1;
