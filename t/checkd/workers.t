#!/usr/bin/perl

# One daemon of several workers: they share the work, one that dies is replaced,
# signals reach all of them, and none outlives the parent.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblDns;
use RblManager;
use RblTest;
use Time::HiRes qw(time);

my $answer = { rcode => 'nxdomain', soa => ['test', 60, 60] };
my $dns = RblDns->new(rules => [[ '.', 'mute' ]]);
my $w = world(no_dns => 1, zones => { 'a.test' => {}, 'b.test' => {} });
my $manager = RblManager->new;
my ($log, $lives, $value) = ('', 0, 0);

sub checkd {
    $manager->forget;
    $log = temp_dir() . '/life' . ++$lives . '.log';
    return start_checkd(store => $w->{redis}, ready => 0,
        resolver => { port => $dns->port },
        env => { NOTIFY_SOCKET => $manager->path, WATCHDOG_USEC => 2_000_000 },
        conf => { conf_short(checks_max => 2, dns_timeout => '10s',
            dns_tries => 1, check_timeout => '10s', lease => '60s',
            schedule => 'off', log => $log, log_level => 'debug', @_) });
}

# Process ids of the workers, by their numbers, as the log tells them.
sub workers {
    my %pid = read_file($log) =~ /worker (\d+) is process (\d+)/g;
    return @pid{ sort { $a <=> $b } keys %pid };
}

sub gone {
    my (@pid) = @_;
    return !grep { kill 0, $_ } @pid;
}

sub values_of {
    my ($n) = @_;
    return map { check_value($w, '10.7.0.' . ++$value) } 1 .. $n;
}

sub count {
    my ($status, @pp) = @_;
    return scalar grep { check_state($w, $_)->{status} eq $status } @pp;
}

# Three workers that may have two checks each: six run at a time.

my $d = checkd(name => 'many', workers => 3);
ok($manager->told(qr/^READY=1$/m), 'the manager is told: ready');
ok($manager->told(qr/^STATUS=The store is ready; 3 workers\.$/m),
    'and that all have the store');
is($manager->count(qr/^READY=1$/m), 1, 'once');
my @pid = workers();
is(scalar(grep { kill 0, $_ } @pid), 3, 'three processes');
isnt($_, $d->{pid}, 'none of them is the parent') for @pid;

my @pp = values_of(8);
eventually { count('running', @pp) == 6 } 10, 'six checks run at a time';
$dns->rules([ '.', $answer ]);
eventually { count('completed', @pp) == 8 } 30, 'all checks end';
is(join(' ', sort @{ redis($w->{redis}, 'ZRANGE',
    RblCheckd::pkey($w, 'daemons'), 0, -1) }), 'many.1 many.2 many.3',
    'each worker has a name of its own');
$dns->rules([ '.', 'mute' ]);

# kill -9 of one: another takes its place, and its checks.

@pp = values_of(6);
eventually { count('running', @pp) == 6 } 10, 'all are busy again';
kill 'KILL', $pid[1];
eventually { my @now = workers(); $now[1] != $pid[1] && kill 0, $now[1] } 10,
    'killed: another worker takes its place';
my @now = workers();
is("$now[0] $now[2]", "$pid[0] $pid[2]", 'killed: the others go on');
like(read_file($log), qr/\[error\] $d->{pid}: worker 2 was killed by signal 9/,
    'killed: the log tells');
$dns->rules([ '.', $answer ]);
eventually { count('completed', @pp) == 6 } 20,
    'killed: what it had is taken back at once, and ended';
ok(alive($d), 'killed: the daemon goes on');
@pid = workers();

# One that dies again and again is started more and more seldom.

my $began = time;
for my $n (1 .. 3) {
    my $before = (workers())[0];
    kill 'KILL', $before;
    wait_for { my $p = (workers())[0]; $p != $before && kill 0, $p } 10,
        "life $n";
}
cmp_ok(time - $began, '>', 0.5 + 1, 'again and again: later each time');
ok($manager->told(qr/^STATUS=1 of 3 workers wait for the store\.$/m),
    'again and again: the manager is told of it');
@pid = workers();

# HUP: all of them open the log again.

wait_for { log_count({ log => $log }, qr/as many\.1, store/) == 4 } 5, 'start';
rename $log, "$log.1" or die $!;
$manager->forget;
signal_server($d, 'HUP');
eventually { log_count({ log => $log }, qr/log reopened/) == 4 } 10,
    'HUP: parent and workers open the log again';
ok($manager->told(qr/^READY=1$/m), 'HUP: told when all have');
is($manager->count(qr/^RELOADING=1$/m), 1, 'HUP: reloading once');
is($manager->count(qr/^READY=1$/m), 1, 'HUP: ready once');
unlike(read_file($log), qr/has changed/, 'HUP: nothing has changed');

# The watchdog hears of all of them, or nothing.

ok($manager->told(qr/^WATCHDOG=1$/m, 2), 'the watchdog is told');
kill 'STOP', $pid[2];
eventually { read_file($log) =~ /worker 3: no heartbeat/ } 10,
    'a worker that hangs is noticed';
$manager->forget;
select undef, undef, undef, 1.2;
is($manager->count(qr/^WATCHDOG=1$/m), 0, 'and the watchdog is not told then');
kill 'CONT', $pid[2];
ok($manager->told(qr/^WATCHDOG=1$/m), 'it goes on: told again');

# TERM: what is in flight ends, then all are gone.

$dns->rules([ '.', { %$answer, delay => 1 } ]);
@pp = values_of(6);
eventually { count('running', @pp) == 6 } 10, 'busy';
$manager->forget;
signal_server($d, 'TERM');
eventually { !alive($d) } 12, 'TERM: it ends';
is($d->{status}, 0, 'TERM: with status 0');
ok(gone(@pid), 'TERM: no worker is left');
is(count('completed', @pp), 6, 'TERM: what was in flight completed');
is($manager->count(qr/^STOPPING=1$/m), 1, 'TERM: the manager was told, once');

# The same from a terminal: every process gets the signal.

$d = checkd(name => 'many', workers => 3);
ok($manager->told(qr/3 workers/), 'it is back');
@pp = values_of(6);
eventually { count('running', @pp) == 6 } 10, 'busy';
kill 'INT', -$d->{pid};
eventually { !alive($d) } 12, 'INT of the group: it ends';
is(count('completed', @pp), 6, 'INT of the group: and nothing is cut off');

# Twice: at once.

$dns->rules([ '.', 'mute' ]);
$d = checkd(name => 'many', workers => 2);
@pp = values_of(4);
eventually { count('running', @pp) == 4 } 10, 'busy';
@pid = workers();
$began = time;
signal_server($d, 'TERM');
wait_for { read_file($log) =~ /stopping 2 workers/ } 5;
signal_server($d, 'TERM');
eventually { !alive($d) } 5, 'twice: it is gone';
cmp_ok(time - $began, '<', 5, 'twice: at once');
ok(gone(@pid), 'twice: and its workers');

# A worker that does not end in time is killed.

$dns->rules([ '.', $answer ]);
$d = checkd(name => 'many', workers => 2, check_timeout => '100ms');
eventually { scalar(() = read_file($log) =~ /store unix\S+ ready/g) == 2 } 10,
    'ready';
@pid = workers();
kill 'STOP', $pid[0];
signal_server($d, 'TERM');
eventually { !alive($d) } 20, 'one hangs: it ends all the same';
ok(gone(@pid), 'one hangs: no worker is left');
like(read_file($log), qr/worker 1 does not exit: killed/, 'one hangs: told');

# The parent is killed: its workers leave by themselves.

$d = checkd(name => 'many', workers => 3);
eventually { scalar(() = read_file($log) =~ /store unix\S+ ready/g) == 3 } 10,
    'ready';
@pid = workers();
kill 'KILL', $d->{pid};
eventually { gone(@pid) } 10, 'the parent is killed: its workers leave';
is(scalar(() = read_file($log) =~ /the parent process has died/g), 3,
    'and tell why');
ok(!alive($d), 'it is gone');

# One worker is the daemon itself.

$d = checkd(workers => 1);
eventually { read_file($log) =~ /store unix\S+ ready/ } 10, 'one: ready';
is(read_file("/proc/$d->{pid}/task/$d->{pid}/children"), '',
    'one: no other process');
unlike(read_file($log), qr/worker/, 'one: nor any word of one');
ok(stop_server($d), 'one: it stops');

$dns->stop;
done_testing();
