package RblTest::Process;

# Directories, files and processes of a test, and its end.

use strict;
use warnings;

use Carp 'croak';
use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use File::Path qw(remove_tree);
use File::Temp ();
use IO::Socket::INET;
use POSIX qw(:sys_wait_h);
use Socket qw(AF_UNIX SOCK_STREAM pack_sockaddr_un);
use Test::More ();
use Time::HiRes qw(time sleep);

use RblTest::Valgrind ();

our @EXPORT = qw(spawn stop_server kill_server signal_server cont_server
    pause_server restart_server alive wait_for wait_log run_cmd free_port
    temp_dir own_dir build_dir repo_dir write_file read_file started
    watch_log at_stop expect_alert expect_report expect_denial own_net);

our $REPO  = abs_path(dirname(__FILE__) . '/../../..');
our $BUILD = abs_path($ENV{RBL_BUILD} // "$REPO/build")
    // "$REPO/build";

# Factor on all waiting times.
our $PATIENCE = $ENV{RBL_PATIENCE} // 1;

# Limits are for what hangs: a machine that runs other tests, too, may be three
# times slower than a quiet one.
use constant BUSY => 3;

my $SANITIZED = qr/ERROR: AddressSanitizer|runtime error:|LeakSanitizer/;

# Redis' messages if the user's ACL (conf/redis-rbl.acl) lacks a right, for a
# command or inside a script (in Redis 7.0, and since 7.2).
our $DENIED = qr/NOPERM|The\ user\ executing\ the\ script\ can't
    |ACL\ failure\ in\ script/x;

# ... and if the keys of a command or of a script have different slots.
my $CROSSED = qr/CROSSSLOT|access a non local key/;

our $owner_pid = $$;
my ($dir, @servers, @logs, @at_stop, $finished);
my $counter = 0;
my (%allowed_alerts, $allowed_reports, $allowed_denials);


# --- directories and files -------------------------------------------------

sub repo_dir  { return $REPO }
sub build_dir { return $BUILD }

sub temp_dir {
    if (!$dir) {
        $dir = File::Temp::tempdir('rbl-XXXXXX', TMPDIR => 1);
        chmod 0711, $dir;               # rbldnsd drops root
    }
    return $dir;
}

sub own_dir {
    my ($name) = @_;

    my $d = sprintf '%s/%s%d', temp_dir(), $name, ++$counter;
    mkdir $d, 0755 or die "mkdir $d: $!";
    chmod 0755, $d;
    return $d;
}

sub write_file {
    my ($path, $text, $mode) = @_;

    open my $fh, '>:raw', "$path.new" or die "$path.new: $!";
    print {$fh} $text;
    close $fh or die "$path.new: $!";
    chmod $mode // 0644, "$path.new";
    rename "$path.new", $path or die "$path: $!";
}

sub read_file {
    my ($path) = @_;

    open my $fh, '<:raw', $path or return '';
    local $/;
    my $text = <$fh>;
    return $text // '';
}

# A port of 127.0.0.1 that is free for TCP and UDP, outside the range of
# outgoing ports.  It belongs to this program until the program ends, whether a
# server listens or not: a name among the abstract sockets, which are unique,
# keeps it from other programs that run at the same time.
my @taken;

# Ports to which no delivery goes (rbl-checkd/deliver/transport/address.c).
my %REFUSED = map { $_ => 1 } 10250, 11211, 26379, 27017;

sub free_port {
    for (1 .. 500) {
        my $port = 10_000 + int rand 22_000;
        next if $REFUSED{$port};
        my $own = take_port($port) or next;
        my @args = (LocalAddr => '127.0.0.1', LocalPort => $port);
        my $tcp = IO::Socket::INET->new(@args, Proto => 'tcp', Listen => 1,
            ReuseAddr => 1) or next;
        my $udp = IO::Socket::INET->new(@args, Proto => 'udp') or next;
        push @taken, $own;
        return $port;
    }
    die 'no free port';
}

sub take_port {
    my ($port) = @_;

    socket my $own, AF_UNIX, SOCK_STREAM, 0 or die "socket: $!";
    return bind($own, pack_sockaddr_un("\0ngx-rbl-test-$port")) ? $own : undef;
}

# The program runs again in a network and a mount namespace of its own, or is
# skipped where there are none.  To be called before anything is started.
sub own_net {
    return if $ENV{RBL_OWN_NET};
    my @own = ('unshare', $> == 0 ? () : '-r', '-m', '-n');
    Test::More::plan(skip_all => 'no namespaces here')
        if run_cmd(@own, 'true')->{status} != 0;
    $ENV{RBL_OWN_NET} = 1;
    exec @own, $^X, map({ "-I$_" } @INC), $0, @ARGV or die "unshare: $!\n";
}


# --- processes -------------------------------------------------------------

# wait_for { condition } seconds, 'what': polls; true as soon as the condition
# is, otherwise false, with a message.  A condition that dies is not true yet.
sub wait_for(&;$$) {
    my ($condition, $timeout, $what) = @_;

    my $end = time + ($timeout // 10) * BUSY * $PATIENCE;
    my $pause = 0.005;
    while (1) {
        my $value = eval { $condition->() };
        return $value if $value;
        last if time > $end;
        sleep $pause;
        $pause = $pause < 0.1 ? $pause * 1.5 : 0.1;
    }
    Test::More::diag('timeout while waiting for ' . $what) if defined $what;
    return 0;
}

sub wait_log {
    my ($server, $pattern, $timeout) = @_;

    return wait_for { read_file($server->{log}) =~ $pattern } $timeout,
        "$pattern in $server->{log}";
}

# spawn(name, {dir, env}, command...): a process in a group of its own, its
# output in dir/name.log.
sub spawn {
    my ($name, $opt, @command) = @_;

    my $d = $opt->{dir} // own_dir($name);
    my $server = {
        name => $name, dir => $d, log => $opt->{log} // "$d/$name.log",
        command => \@command, env => $opt->{env} // {},
    };
    launch($server);
    push @servers, $server;
    push @logs, $server;
    return $server;
}

# The servers of a store of several.  It is alive if all of them are, and what
# is done to it is done to each of them.
sub nodes { return @{ $_[0]{nodes} } }

sub launch {
    my ($server) = @_;

    return map { launch($_) } nodes($server) if $server->{nodes};
    my $pid = fork // die "fork: $!";
    if ($pid == 0) {
        setpgrp 0, 0;
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP PIPE);
        open STDIN,  '<',  '/dev/null'     or POSIX::_exit(126);
        open STDOUT, '>>', $server->{log}  or POSIX::_exit(126);
        open STDERR, '>&', \*STDOUT        or POSIX::_exit(126);
        %ENV = (%ENV, %{ $server->{env} });
        my @command = RblTest::Valgrind::wrapped($dir // '/tmp',
            @{ $server->{command} });
        { no warnings 'exec'; exec { $command[0] } @command; }
        print STDERR "cannot run $server->{command}[0]: $!\n";
        POSIX::_exit(127);
    }
    setpgrp $pid, $pid;
    @$server{qw(pid ended status)} = ($pid, 0, undef);
}

sub alive {
    my ($server) = @_;

    return !grep { !alive($_) } nodes($server) if $server->{nodes};
    return 0 if $server->{ended};
    # A signal to no process would reach the whole group of the test.
    croak 'no server' if !$server->{pid};
    if (waitpid($server->{pid}, WNOHANG) == $server->{pid}) {
        @$server{qw(ended status)} = (1, $?);
        return 0;
    }
    return 1;
}

sub signal_server {
    my ($server, $signal) = @_;

    return !grep { !signal_server($_, $signal) } nodes($server)
        if $server->{nodes};
    return alive($server) && kill $signal, $server->{pid};
}

# Returns when the process is stopped: a signal takes a moment.
sub pause_server {
    my ($server) = @_;

    return !grep { !pause_server($_) } nodes($server) if $server->{nodes};
    signal_server($server, 'STOP') or return 0;
    return wait_for {
        !alive($server)
            || read_file("/proc/$server->{pid}/stat") =~ /\) [Tt] /;
    } 10, "$server->{name} to stand still";
}

sub cont_server  { return signal_server($_[0], 'CONT') }

# kill -9 of the server and its process group.
sub kill_server {
    my ($server) = @_;

    if ($server->{nodes}) {
        kill_server($_) for nodes($server);
        return $server;
    }
    if (alive($server)) {
        kill 'KILL', $server->{pid};
        wait_for { !alive($server) } 10, "the end of $server->{name}";
    }
    kill 'KILL', -$server->{pid};
    return $server;
}

# Stops a server by TERM, or by its own signal; one that does not end in time is
# killed, and the result is false.  The wait status is in $server->{status}.
sub stop_server {
    my ($server, $timeout, $signal) = @_;

    return !grep { !stop_server($_, $timeout, $signal) } nodes($server)
        if $server->{nodes};
    return 1 if !alive($server);
    kill 'CONT', $server->{pid};
    kill $signal // $server->{signal} // 'TERM', $server->{pid};
    my $good = wait_for { !alive($server) } $timeout // 20;
    kill_server($server) if !$good;
    return $good ? 1 : 0;
}

sub restart_server {
    my ($server) = @_;

    stop_server($server) or die "$server->{name} does not stop";
    launch($server);
    ready($server);
    return $server;
}

sub ready {
    my ($server) = @_;

    return 1 if !$server->{ready};
    my $good = wait_for {
        if (!alive($server)) {
            die "\n" if !$server->{ended};
            return -1;
        }
        $server->{ready}->();
    } $server->{start_timeout} // 15;
    return 1 if $good && $good ne '-1';
    die "$server->{name} does not start:\n" . tail($server->{log});
}

sub started {
    my ($server, $ready) = @_;

    $server->{ready} = $ready;
    ready($server);
    return $server;
}

sub tail {
    my ($path) = @_;

    my $text = read_file($path);
    return length $text > 4000 ? substr $text, -4000 : $text;
}

# run_cmd({env, stdin, timeout}, command...): {status, signal, out, err}
sub run_cmd {
    my $opt = ref $_[0] ? shift : {};
    my @command = @_;

    my $base = sprintf '%s/cmd%d', temp_dir(), ++$counter;
    write_file("$base.in", $opt->{stdin} // '');
    my $pid = fork // die "fork: $!";
    if ($pid == 0) {
        setpgrp 0, 0;
        open STDIN,  '<', "$base.in"  or POSIX::_exit(126);
        open STDOUT, '>', "$base.out" or POSIX::_exit(126);
        open STDERR, '>', "$base.err" or POSIX::_exit(126);
        chdir $opt->{cwd} if defined $opt->{cwd};
        %ENV = (%ENV, %{ $opt->{env} // {} });
        @command = RblTest::Valgrind::wrapped($dir, @command);
        { no warnings 'exec'; exec { $command[0] } @command; }
        print STDERR "cannot run $command[0]: $!\n";
        POSIX::_exit(127);
    }
    my ($done, $status) = (0, 0);
    wait_for {
        $done = waitpid($pid, WNOHANG) == $pid and $status = $?;
        $done;
    } $opt->{timeout} // 30, "the end of @command";
    if (!$done) {
        kill 'KILL', -$pid, $pid;
        waitpid $pid, 0;
        $status = $?;
    }
    push @logs, { name => "@command", log => "$base.err" };
    return { status => $status >> 8, signal => $status & 127,
        out => read_file("$base.out"), err => read_file("$base.err") };
}


# --- the end ---------------------------------------------------------------

# Checks the log of an nginx at the end.
sub watch_log {
    my ($name, $path) = @_;

    push @logs, { name => $name, log => $path, nginx => 1 };
}

# Code to run when the servers are stopped.
sub at_stop { push @at_stop, $_[0] }

# Lets nginx log an [alert] or [emerg] that matches (a test that provokes it).
sub expect_alert { $allowed_alerts{ $_[0] } = 1 }

# Lets logs carry text that looks like a sanitizer's report.
sub expect_report { $allowed_reports = 1 }

# The test is about a missing right.
sub expect_denial { $allowed_denials = 1 }

sub group_left {
    my ($server) = @_;

    # Killed members may need a moment to be reaped by init.
    return !wait_for { !kill 0, -$server->{pid} } 5;
}

sub stop_all {
    my @bad;

    for my $s (reverse @servers) {
        if ($s->{judge} && alive($s)) {
            push @bad, $s->{judge}->($s);
        }
        if (!stop_server($s)) {
            push @bad, "$s->{name} had to be killed";
        }
        if (group_left($s)) {
            push @bad, "$s->{name} left processes";
            kill 'KILL', -$s->{pid};
        }
        my $signal = ($s->{status} // 0) & 127;
        if ($signal && $signal != 9 && $signal != 15) {
            push @bad, "$s->{name} exited by signal $signal";
        }
    }
    @servers = ();
    $_->() for @at_stop;
    return @bad;
}

sub log_trouble {
    my @bad;

    for my $l (@logs) {
        for my $line (split /\n/, read_file($l->{log})) {
            if ($l->{nginx} && $line =~ /\[(?:alert|emerg)\]/
                && !grep { $line =~ $_ } keys %allowed_alerts)
            {
                push @bad, $line;
            }
            if ($line =~ $SANITIZED && !$allowed_reports) {
                push @bad, "$l->{name}: $line";
            }
            if (($line =~ $DENIED && !$allowed_denials)
                || $line =~ $CROSSED)
            {
                push @bad, "$l->{name}: $line";
            }
        }
    }
    return @bad;
}

sub finish {
    return () if $finished++;
    my @bad = (stop_all(), log_trouble(), RblTest::Valgrind::reports($dir));
    if (@bad && !$ENV{RBL_KEEP}) {
        $ENV{RBL_KEEP} = 1;
    }
    return @bad;
}

{
    no warnings 'redefine';
    my $original = \&Test::Builder::done_testing;
    *Test::Builder::done_testing = sub {
        my ($builder) = @_;

        if ($$ == $owner_pid && !$builder->parent && !$finished) {
            my @bad = finish();
            Test::More::is(join("\n", @bad), '',
                'servers stopped, their logs are clean');
        }
        goto &$original;
    };
}

# A test that is stopped stops its servers.
$SIG{$_} = sub { exit 1 } for qw(INT TERM HUP);
$SIG{PIPE} = 'IGNORE';

END {
    if ($$ == $owner_pid) {
        my $status = $?;
        my @bad = finish();
        if (@bad) {
            Test::More::diag($_) for @bad;
            $status ||= 1;
        }
        if ($dir) {
            if ($ENV{RBL_KEEP} || !Test::More->builder->is_passing) {
                Test::More::diag("logs are in $dir");
            } else {
                remove_tree($dir, { safe => 1 });
            }
        }
        $? = $status;
    }
}

1;
