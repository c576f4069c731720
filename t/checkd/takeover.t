#!/usr/bin/perl

# Daemons that die, stop or are stopped: nothing is lost, nothing hangs.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time);

my $listed = { a => ['127.0.0.2'], ttl => 0, txt => ['why'] };
my $dns = RblDns->new(rules => [[ '.', 'mute' ]]);
my $w = world(no_dns => 1, zones => { 'a.test' => {}, 'b.test' => {} });
my %conf = conf_short(check_timeout => '2s', dns_timeout => '2s',
    lease => '4500ms');

sub checkd {
    return start_checkd(store => $w->{redis},
        resolver => { port => $dns->port }, conf => { %conf, @_ });
}

sub running {
    my ($pp) = @_;
    return wait_for { check_state($w, $pp)->{status} eq 'running' } 10,
        'a running check';
}

# kill -9 in the middle of a check; another takes it over.

my $first = checkd();
my $other = checkd();
pause_server($other);
my $pp = check_value($w, '10.0.0.1');
ok(running($pp), 'the check is running');
my $began = time;
kill_server($first);
$dns->rules([ '.', $listed ]);
cont_server($other);
my $state = wait_check($w, $pp, 15);
is($state->{status}, 'completed', 'killed: another completed the check');
is($state->{listed}, 2, 'killed: with its results');
cmp_ok(time - $began, '>', 3, 'killed: not before the lease expired');
is(log_count($other, 'taking over job'), 1, 'killed: it was claimed once');
eventually { jobs_left($w) == 0 } 5, 'killed: no job is left';

# A scheduled check likewise; the host is still checked afterwards.

pause_server($other);
my $ht = add_host($w, '10.0.0.9');
$dns->rules([ '.', 'mute' ]);
$first = checkd(checks_max => 4);
eventually { jobs_left($w) == 1 && log_count($first, 'ready') } 5,
    'a due host becomes a job';
wait_for { $dns->asked('^9\.') > 0 } 5, 'its queries';
kill_server($first);
$dns->rules([ '.', $listed ]);
cont_server($other);
eventually { host_record($w, $ht)->{listed_count} == 2 } 15,
    'another daemon claimed the scheduled check';
ok(stop_server($other), 'the other stops');

# A daemon takes back the jobs of an earlier daemon of the same name at once; a
# check that repeatedly crashes its daemon is ended.

$dns->rules([ '.', 'mute' ]);
$pp = check_value($w, '10.0.0.2');
my $last;
for my $n (1 .. 3) {
    my $asked = $dns->asked('^2\.');
    $last = checkd(name => 'same', check_timeout => '10s', lease => '60s',
        dns_timeout => '10s', schedule => 'off');
    wait_for { $dns->asked('^2\.') > $asked } 10, "life $n to query";
    is(check_state($w, $pp)->{status}, 'running', "life $n: running");
    kill_server($last);
}
$last = checkd(name => 'same', lease => '60s');
$state = wait_check($w, $pp, 10);
is($state->{status}, 'failed', 'the check fails after three crashes');
is($state->{message}, 'The check failed after 3 attempts.',
    'the failed check has the number of attempts');
is(log_count($last, "\\[error\\].*$pp.*The check failed after 3"), 1,
    'the daemon logs the failed check as an error');
eventually { jobs_left($w) == 0 } 5, 'the failed check leaves no job';
ok(stop_server($last), 'the daemon stops');

# The same for a check of a host: the host is free again.

$pp = check_host($w, $ht);
for my $n (1 .. 3) {
    my $asked = $dns->asked('^9\.');
    $last = checkd(name => 'same', check_timeout => '10s', lease => '60s',
        dns_timeout => '10s', schedule => 'off');
    wait_for { $dns->asked('^9\.') > $asked } 10, "life $n to query";
    kill_server($last);
}
$dns->rules([ '.', $listed ]);
$last = checkd(name => 'same', lease => '60s');
is(wait_check($w, $pp, 10)->{status}, 'failed', 'host: that check failed');
is(host_record($w, $ht)->{listed_count}, 2, 'host: its state stays');
is(wait_check($w, check_host($w, $ht))->{status}, 'completed',
    'host: it can be checked again');

# TERM: claims no new work, finishes the checks in flight.

$dns->rules([ '.', { %$listed, delay => 1 } ]);
my @pp = map { check_value($w, "10.0.3.$_") } 1 .. 5;
running($_) for @pp;
signal_server($last, 'TERM');
wait_log($last, qr/stopping: 5 checks/, 5);
my $late = check_value($w, '10.0.3.99');
eventually { !alive($last) } 10, 'TERM: it stops';
is($last->{status}, 0, 'TERM: with status 0');
is(scalar(grep { check_state($w, $_)->{status} eq 'completed' } @pp), 5,
    'TERM: the checks in flight completed');
is(check_state($w, $late)->{status}, 'queued',
    'TERM: no new check was started');

# A second signal does not wait; the jobs go to another daemon.

$dns->rules([ '.', 'mute' ]);
$last = checkd(check_timeout => '60s', lease => '150s', dns_timeout => '30s');
running($late);
signal_server($last, 'TERM');
wait_log($last, qr/no new work is claimed/, 5);
signal_server($last, 'TERM');
eventually { !alive($last) } 10, 'two signals: it exits before the check ends';
is(jobs_left($w), 1, 'two signals: the job stays in the store');

# Progress is visible while a manual check runs.  The list was wildcarding so
# far, and is not trusted.

is(rblctl($w->{redis}, 'lists', 'thaw', $_)->{status}, 0, "$_ is thawed")
    for qw(a.test b.test);
$dns->rules([ 'a\.test', $listed ], [ '.', 'mute' ]);
$last = checkd(schedule => 'off', lease => '30s', check_timeout => '10s',
    dns_timeout => '4s', dns_tries => 1);
$pp = check_value($w, '10.0.0.77');
eventually { my $s = check_state($w, $pp);
    $s->{status} eq 'running' && ($s->{checked} // 0) == 1
        && $s->{listed} == 1 } 4, 'progress: one of two, listed';
$state = wait_check($w, $pp);
is("$state->{checked} $state->{listed} $state->{unknown}", '2 1 1',
    'progress: the end');
ok(stop_server($last), 'progress: it stops');

# HUP reopens the log.

my $file = temp_dir() . '/checkd.log';
$dns->rules([ '.', $listed ]);
$last = start_checkd(store => $w->{redis}, conf => { %conf, log => $file },
    resolver => { port => $dns->port }, ready => 0);
eventually { read_file($file) =~ /ready/ } 10, 'HUP: a log file is written';
rename $file, "$file.1" or die $!;
signal_server($last, 'HUP');
eventually { read_file($file) =~ /log reopened/ } 10,
    'HUP: a new file is started';

$dns->stop;
done_testing();
