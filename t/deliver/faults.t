#!/usr/bin/perl

# A receiver with any fault gets the event in the end, with the same bytes; the
# test moves the store's clock.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

deliver_setup();
my $hook = start_receiver();
my $wh = hook_add($hook->{url}, 's1', 'rbl.host.listed');
my $d = start_deliverd(conf => { deliver_timeout => '1s' });

sub forget { cmd('DEL', k('hook', $AC, $wh)) }

# The last attempt as it was logged
sub last_try {
    my $raw = cmd('LINDEX', k('log', $AC, $wh), -1);
    return $raw ? record('try', $raw) : {};
}

# --- each fault and its effect: status, error, least and most seconds to
# the next attempt

my $elsewhere = start_receiver();
my @fault = (
    ['500', { status => 500 }, 500, 'HTTP status', 4, 6],
    ['400', { status => 400 }, 400, 'HTTP status', 4, 6],
    ['301', { status => 301, headers => ["Location: $elsewhere->{url}"] }, 301,
        'redirects are not followed', 4, 6],
    ['a reset', { broken => 'reset' }, 0, 'incomplete HTTP response', 4, 6],
    ['half an answer', { broken => 'half', body => 'x' x 10_000 }, 0,
        'incomplete HTTP response', 4, 6],
    ['no answer', { delay => 5 }, 0, 'timeout', 4, 6],
    ['429 with Retry-After', { status => 429,
        headers => ['Retry-After: 90'] }, 429, 'HTTP status', 90, 90],
    ['503 with Retry-After', { status => 503,
        headers => ['Retry-After: 3600'] }, 503, 'HTTP status', 3600, 3600],
    ['503, as a date', { status => 503, headers => ['Retry-After: '
        . POSIX::strftime('%a, %d %b %Y %H:%M:%S GMT', gmtime(time + 200))] },
        503, 'HTTP status', 150, 200],
);
for my $f (@fault) {
    my ($name, $answer, $http, $error, $least, $most) = @$f;
    my $before = () = received($hook);
    answer_with($hook, %$answer);
    event_emit();
    my $m;
    soon { ($m) = keys %{ deliveries() }; $m && delivery($m)->{attempt} }
        "$name: the attempt fails";
    my $try = last_try();
    is("$try->{status} $try->{error}", "$http $error",
        "$name: the log has the expected status and error");
    my $due = $try->{next} / 1000;
    ok($due >= $least && $due <= $most, "$name: the next attempt is in $due s");
    my $quiet = grep { /Retry-After/ } @{ $answer->{headers} // [] };
    is(cmd('HEXISTS', k('hook', $AC, $wh), 'till'), $quiet,
        "$name: the others " . ($quiet ? 'wait too' : 'do not wait'));
    answer_with($hook, status => 200);
    time_passes($due + 1);
    soon { idle() } "$name: it is delivered then";
    my @r = (received($hook))[$before .. $before + 1];
    is($r[1]{body}, $r[0]{body}, "$name: the second attempt has the same body");
    is($r[1]{headers}{'webhook-id'}, $r[0]{headers}{'webhook-id'},
        "$name: the second attempt has the same webhook-id");
}
is(scalar received($elsewhere), 0, 'the daemon follows no redirect');
answer_with($hook, status => 200, delay => 0.7);
event_emit();
soon { idle() } 'a slow one is not at fault';

# --- down for ten minutes, one event per minute

# A lease is 130 s now, unlike any other time: this distinguishes attempts in
# progress from waiting ones.
stop_server($d);
$d = start_deliverd(conf => { deliver_timeout => '1m' });
sub settled {
    return cmd('XLEN', k('outbox')) == 0
        && !grep { $_ <= 0 || $_ > 126 && $_ <= 130 } values %{ deliveries() };
}

forget();
stop_receiver($hook);
cmd('DEL', k('log', $AC, $wh));
my $first = () = received($hook);
for my $minute (1 .. 10) {
    event_emit();
    wake();
    for (1 .. 6) {
        wait_for { settled() } 10, 'the attempts';
        time_passes(10);
    }
}
my $attempts = cmd('LLEN', k('log', $AC, $wh));
ok($attempts >= 5 && $attempts <= 20,
    "ten events in ten minutes lead to $attempts attempts");
is(scalar keys %{ deliveries() }, 10, 'ten deliveries wait for the receiver');
is(hook_status($wh), 'active', 'the receiver stays active while it is down');
$hook = start_receiver(port => $hook->{port});
my $passed = 0;
while ($passed < 3600 && !idle()) {
    time_passes(10);
    $passed += 10;
    wait_for { settled() } 10, 'the attempts';
}
ok(idle(), "all events are delivered $passed s after the return");
ok($passed <= 36 * 60 + 300,
    'the deliveries end by the schedule of the oldest');
my %n;
$n{ $_->{headers}{'webhook-id'} }++ for received($hook);
is(scalar keys %n, 10, 'the receiver gets each of the ten events');
is(scalar received($hook), 10, 'the receiver gets each event once');

# --- dead: the whole schedule

forget();
answer_with($hook, status => 500);
event_emit();
my ($m, @due);
soon { ($m) = keys %{ deliveries() } } 'a delivery';
for my $n (1 .. 9) {
    wait_for { (delivery($m)->{attempt} // 0) == $n } 10, "attempt $n";
    push @due, my $next = last_try()->{next} / 1000;
    cmd('HDEL', k('hook', $AC, $wh), 'till', 'probe');
    wait_for { settled() } 10, 'its record';
    time_passes($next + 1);
}
my @table = (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400);
is(scalar(grep { $due[$_] < 0.8 * $table[$_] || $due[$_] > 1.2 * $table[$_] }
    0 .. 8), 0, "attempts follow the schedule within a fifth (@due)");
soon { idle() } 'then it is done';
my ($letter) = dead_letters();
is("$letter->{to} $letter->{n} $letter->{s}", "$wh 10 500",
    'the tenth failure leaves a dead letter');
is($letter->{b}, (received($hook))[-1]{body}, 'the dead letter has the body');

# --- a callback: 24 hours

my $back = start_receiver(status => 500);
one_off($back->{url}, '192.0.2.1');
soon { ($m) = grep { /:CB/ } keys %{ deliveries() } } 'a callback';
my ($hours, $n) = (0, 0);
while (keys %{ deliveries() } && $hours < 40) {
    wait_for { !keys %{ deliveries() }
        || (delivery($m)->{attempt} // 0) > $n } 10, 'an attempt';
    wait_for { settled() } 10, 'its record';
    my ($wait) = values %{ deliveries() };
    last if !defined $wait;
    $n++;
    $hours += $wait / 3600;
    time_passes($wait + 1);
}
soon { idle() } 'is given up';
ok(abs($hours - 24) < 0.1,
    "the callback is given up after 24 hours, at $hours h");
is((dead_letters())[-1]{a}, $AP, 'the dead letter belongs to the application');

done_testing();
