package RblFault;

# Every fault that tests cause, by its name, and how to cause it:
#
#     with_fault('hung', $redis, sub { ... });   # caused, the code, undone
#     strike('killed', $worker_pid);             # happens, cannot be undone
#     my $c = client('half', $nginx, $bytes);    # a client of that kind
#
# Store faults use a real redis-server, or a relay before one (start_relay).
# RblFakeRedis has the faults that no real server has.

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use RblTest;
use Socket qw(SOL_SOCKET SO_LINGER SO_RCVBUF);
use Time::HiRes qw(sleep time);

our @EXPORT = qw(store_faults relay_faults with_fault strike start_relay
    relay_mode relay_kept relaunch client leave watch_env watched);


# --- processes -------------------------------------------------------------

# Ways in which a process ends: like a crash, or the kernel's OOM killer.
my %signal = (killed => 'KILL', crashed => 'SEGV', aborted => 'ABRT');

sub strike {
    my ($name, $pid) = @_;

    my $signal = $signal{$name} // die "no such end: $name";
    return kill $signal, $pid;
}

# Restarts a killed server in the same place with the same data.
sub relaunch {
    my ($server) = @_;

    delete $server->{client};
    RblTest::Process::launch($server);
    RblTest::Process::ready($server);
    return $server;
}

# Environment of an nginx under t/hazard/watch.c, which see; and its report on a
# process.  nomem => 1: with {nomem}, the path of the countdown.
sub watch_env {
    my (%opt) = @_;

    my $d = own_dir('watch');
    my $r = run_cmd('gcc', '-std=c11', '-Wall', '-Wextra', '-Werror', '-g',
        '-shared', '-fPIC', '-o', "$d/watch.so",
        repo_dir() . '/t/hazard/watch.c', '-ldl');
    die "watch.c: $r->{err}" if $r->{status} != 0;
    my %env = (nginx_env(), RBL_WATCH => "$d/told");
    $env{LD_PRELOAD} = join ' ', grep { $_ } $env{LD_PRELOAD}, "$d/watch.so";
    $env{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (),
        'verify_asan_link_order=0';
    if ($opt{nomem}) {
        write_file($env{RBL_NOMEM} = "$d/nomem", pack 'l', 0);
    }
    return \%env;
}

sub watched {
    my ($env, $pid) = @_;

    return grep { /^\w+ $pid / } split /^/, read_file($env->{RBL_WATCH});
}


# --- the store -------------------------------------------------------------

# name => [cause, cure]; both get the server as argument.
my %store = (

    # kill -9, no listener
    absent => [\&kill_server, \&relaunch],

    # connected, never replies
    hung => [\&pause_server, \&cont_server],

    # restarted, with a long load before it serves
    loading => [
        sub {
            my ($s) = @_;

            # Clients get LOADING only between whole parts of an RDB file.
            redis($s, 'SET', "filler:$_", 'x' x 1000) for 1 .. 200;
            redis($s, 'BGREWRITEAOF');
            wait_for { redis($s, 'INFO', 'persistence')
                !~ /aof_rewrite_(?:in_progress|scheduled):1/ } 10,
                'the rewrite';
            kill_server($s);
            my @command = @{ $s->{command} };
            push @{ $s->{command} }, '--key-load-delay', 50_000,
                '--loading-process-events-interval-bytes', 1024;
            RblTest::Process::launch($s);
            $s->{command} = \@command;
            delete $s->{client};
            wait_for { (redis_try($s, 'GET', 'x') // '') =~ /^LOADING/ } 10,
                'a store that loads';
        },
        sub {
            my ($s) = @_;

            redis($s, 'CONFIG', 'SET', 'key-load-delay', 0);
            wait_for { (redis_try($s, 'PING') // '') eq 'PONG' } 30,
                'the end of loading';
        },
    ],

    # a replica whose master cannot be reached; reads are served, writes not
    readonly => [
        sub { redis($_[0], 'REPLICAOF', '127.0.0.1', free_port()) },
        sub { redis($_[0], 'REPLICAOF', 'NO', 'ONE') },
    ],

    # the same, and reads are refused, too
    masterdown => [
        sub {
            redis($_[0], 'CONFIG', 'SET', 'replica-serve-stale-data', 'no');
            redis($_[0], 'REPLICAOF', '127.0.0.1', free_port());
        },
        sub {
            redis($_[0], 'REPLICAOF', 'NO', 'ONE');
            redis($_[0], 'CONFIG', 'SET', 'replica-serve-stale-data', 'yes');
        },
    ],

    # maxmemory-policy noeviction, as required
    full => [
        sub { redis($_[0], 'CONFIG', 'SET', 'maxmemory', 1) },
        sub { redis($_[0], 'CONFIG', 'SET', 'maxmemory', 0) },
    ],

    # fewer replicas than a write requires
    alone => [
        sub { redis($_[0], 'CONFIG', 'SET', 'min-replicas-to-write', 1) },
        sub { redis($_[0], 'CONFIG', 'SET', 'min-replicas-to-write', 0) },
    ],

    # new connections are refused with an error; existing ones are cut
    crowded => [
        sub {
            redis($_[0], 'CONFIG', 'SET', 'maxclients', 1);
            cut_clients($_[0]);
        },
        sub { redis($_[0], 'CONFIG', 'SET', 'maxclients', 10_000) },
    ],

    # all connections are cut, once
    cut => [\&cut_clients, sub { }],

    # the scripts are flushed
    flushed => [sub { redis($_[0], 'SCRIPT', 'FLUSH') }, sub { }],

    # another version's data
    foreign => [
        sub {
            redis($_[0], 'HSET', 'rbl:meta', 'schema', 99);
            cut_clients($_[0]);
        },
        sub { redis($_[0], 'HSET', 'rbl:meta', 'schema', schema_version()) },
    ],

    # a foreign script that does not end
    busy => [
        sub {
            my ($s) = @_;

            redis($s, 'CONFIG', 'SET', 'busy-reply-threshold', 10);
            $s->{busy} = spawn('busy', {}, store_program('cli'), '-s',
                $s->{socket}, 'EVAL', 'while true do end', 0);
            wait_for { (redis_try($s, 'PING') // '') =~ /^BUSY/ } 10,
                'a busy store';
        },
        sub {
            my ($s) = @_;

            redis_try($s, 'SCRIPT', 'KILL');
            stop_server(delete $s->{busy});
            wait_for { (redis_try($s, 'PING') // '') eq 'PONG' } 10,
                'the end of the script';
            redis($s, 'CONFIG', 'SET', 'busy-reply-threshold', 5000);
        },
    ],
);

sub store_faults { return sort keys %store }

sub cut_clients {
    redis($_[0], 'CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
}

# Relay faults: the connection ends inside a reply, replies come late, or byte
# by byte, or are dropped.
my %relay = (midreply => 'cut 60', slow => 'late 700', octets => 'bytes',
    mute => 'mute');

sub relay_faults { return sort keys %relay }

# Causes a fault, runs the code, and undoes the fault in any case.
sub with_fault {
    my ($name, $server, $code) = @_;

    my ($cause, $cure) = $relay{$name}
        ? (sub { relay_mode($server, $relay{$name}) },
           sub { relay_mode($server, 'through') })
        : @{ $store{$name} // die "no such fault: $name" };
    $cause->($server);
    my $good = eval { $code->(); 1 };
    my $error = $@;
    $cure->($server);
    die $error if !$good;
}


# --- a relay before the store ----------------------------------------------

# A process that passes bytes between its clients and a server's unix socket.
sub start_relay {
    my ($to) = @_;

    my $d = own_dir('relay');
    write_file("$d/mode", 'through');
    my $lib = abs_path(dirname(__FILE__));
    my $s = spawn('relay', { dir => $d }, $^X, "-I$lib", '-MRblFault', '-e',
        'RblFault::relay(@ARGV)', $d, $to->{socket});
    @$s{qw(socket addr)} = ("$d/s", "unix:$d/s");
    return started($s, sub { -S "$d/s" });
}

# through; cut N: closes each connection after N bytes of replies; late MS;
# bytes; mute; calls WORD: a call with that word, and what follows it, does not
# arrive; replies WORD: the call arrives, its reply and what follows do not;
# valkey: INFO says that the server is Valkey.
sub relay_mode {
    my ($s, $mode) = @_;

    unlink "$s->{dir}/kept";
    write_file("$s->{dir}/mode", $mode);
}

# Whether something was kept back by "calls" or "replies".
sub relay_kept { return -e "$_[0]{dir}/kept" }

sub relay {
    my ($d, $to) = @_;

    local $SIG{PIPE} = 'IGNORE';
    my $listen = IO::Socket::UNIX->new(Local => "$d/s", Listen => 64)
        or die "listen: $!";
    my $select = IO::Select->new($listen);
    my (%peer, %up, %passed, %kept, @later);
    my $drop = sub {
        for my $s ($_[0], delete $peer{ $_[0] } // ()) {
            $select->remove($s);
            delete $_->{$s} for \%peer, \%up, \%passed, \%kept;
            @later = grep { $_->[1] != $s } @later;
            close $s;
        }
    };
    while (1) {
        my $wait = @later ? $later[0][0] - time : undef;
        $wait = 0 if defined $wait && $wait < 0;
        for my $c ($select->can_read($wait)) {
            if ($c == $listen) {
                my $client = $listen->accept or next;
                my $server = IO::Socket::UNIX->new(Peer => $to) or next;
                @peer{$client, $server} = ($server, $client);
                $up{$server} = 1;
                $select->add($client, $server);
                next;
            }
            my $other = $peer{$c} // next;
            if (!sysread $c, my $bytes, 65536) {
                $drop->($c);
            } elsif ($kept{$c}) {
                write_file("$d/kept", '');
            } elsif (!$up{$c}) {
                my $kept = keeps(read_file("$d/mode"), $bytes);
                $kept{$c} = $kept eq 'calls';
                $kept{$other} ||= $kept eq 'replies';
                write_file("$d/kept", '') if $kept{$c};
                syswrite $other, $bytes if !$kept{$c};
            } elsif (!answer(read_file("$d/mode"), $other, $bytes,
                \$passed{$c}, \@later))
            {
                $drop->($c);
            }
        }
        while (@later && $later[0][0] <= time) {
            my (undef, $s, $bytes) = @{ shift @later };
            syswrite $s, $bytes;
        }
    }
}

sub keeps {
    my ($mode, $bytes) = @_;

    my ($side, $word) = $mode =~ /^(calls|replies) (\S+)/ or return '';
    return index($bytes, $word) < 0 ? '' : $side;
}

# Forwards a reply by the mode; false: close the connection.
sub answer {
    my ($mode, $to, $bytes, $passed, $later) = @_;

    # A stream must not continue after a gap: a mute one ends.
    if ($mode eq 'mute') {
        $$passed = 'nothing';
        return 1;
    }
    return 0 if ($$passed //= 0) eq 'nothing';
    # Nothing may overtake late replies.
    my ($last) = grep { $_->[1] == $to } reverse @$later;
    if ($mode =~ /^cut (\d+)/) {
        my $n = $1 - $$passed;
        if ($n < length $bytes) {
            syswrite $to, substr $bytes, 0, $n > 0 ? $n : 0;
            return 0;
        }
    } elsif ($mode =~ /^late (\d+)/) {
        push @$later, [time + $1 / 1000, $to, $bytes];
        return 1;
    } elsif ($last) {
        push @$later, [$last->[0], $to, $bytes];
        return 1;
    } elsif ($mode eq 'bytes') {
        syswrite $to, $_ for split //, $bytes;
        return 1;
    }
    $bytes =~ s/redis_git_sha1:0{8}/valkey_version:8.0.0000/
        if $mode eq 'valkey';
    $$passed += length $bytes;
    syswrite $to, $bytes;
    return 1;
}


# --- clients ---------------------------------------------------------------

# A connection that misbehaves with the bytes of a request:
#   half      sends the first half, and then nothing
#   dawdle    sends them one by one, over so many seconds (0.5)
#   pipeline  sends them so many times (20) without reading
#   deaf      sends them and takes nothing: its windows are small
#   leaves    sends them and closes in order
#   breaks    sends them and resets the connection
sub client {
    my ($kind, $nginx, $bytes, $n) = @_;

    my $c = IO::Socket::INET->new(Proto => 'tcp');
    setsockopt $c, SOL_SOCKET, SO_RCVBUF, 2048 if $kind eq 'deaf';
    $c->connect($nginx->{port}, Socket::inet_aton('127.0.0.1'))
        or die "connect: $!";
    binmode $c;
    $c->autoflush(1);
    if ($kind eq 'half') {
        print {$c} substr $bytes, 0, length($bytes) / 2;
    } elsif ($kind eq 'dawdle') {
        my $pause = ($n // 0.5) / length $bytes;
        for my $byte (split //, $bytes) {
            print {$c} $byte;
            sleep $pause;
        }
    } elsif ($kind eq 'pipeline') {
        print {$c} $bytes x ($n // 20);
    } else {
        print {$c} $bytes;
    }
    return leave($kind, $c) if $kind eq 'leaves' || $kind eq 'breaks';
    return $c;
}

# Closes a connection: leaves (FIN) or breaks (RST).
sub leave {
    my ($kind, $c) = @_;

    setsockopt $c, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0
        if $kind eq 'breaks';
    close $c;
    return;
}

1;
