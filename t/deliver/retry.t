#!/usr/bin/perl

# A failed delivery is retried with the same bytes, by the schedule, or becomes
# a dead letter with the reason.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

deliver_setup();
my $hook = start_receiver(status => [500, 503, 200]);
my $wh = hook_add($hook->{url}, 's1', 'rbl.host.listed');
my $d = start_deliverd(conf => { deliver_timeout => '1s' });

sub only { my @m = keys %{ deliveries() }; return @m == 1 ? $m[0] : undef }

# Waits until that attempt of the only delivery is recorded.
sub after_attempt {
    my ($n) = @_;

    my $m;
    wait_for { $m = only() and (delivery($m)->{attempt} // '') eq $n } 15,
        "attempt $n";
    return $m;
}

# 500, 503, 200: the same bytes, the same id
event_emit();
my $m = after_attempt(1);
like($m, qr/^$AC:EV[0-9a-f]{32}:$wh$/,
    'the failed delivery waits in the queue');
my $due = deliveries()->{$m};
ok($due > 2 && $due <= 6.1, "the second attempt is due after 5 s (in $due)");
is(delivery($m)->{status}, 500,
    'the delivery has the status of the first attempt');
soon { received($hook) == 2 } 'the repeat comes by itself';
after_attempt(2);
$due = deliveries()->{$m};
ok($due > 230 && $due <= 361, "the third attempt is due after 5 min (in $due)");
due_now($m);
soon { idle() } 'delivered at last';
my @r = received($hook);
is(scalar @r, 3, 'the event is delivered in three attempts');
is($r[$_]{body}, $r[0]{body}, "repeat $_ has the same body") for 1, 2;
is($r[$_]{headers}{'webhook-id'}, $r[0]{headers}{'webhook-id'},
    "repeat $_ has the same webhook-id") for 1, 2;
ok(signature_ok($_, 's1'), 'each attempt has a valid signature') for @r;
isnt($r[1]{headers}{'webhook-timestamp'}, $r[0]{headers}{'webhook-timestamp'},
    'each attempt has a timestamp of its own');

# One attempt with that response; returns the record.
sub repeat_of {
    my (%answer) = @_;

    answer_with($hook, %answer);
    event_emit();
    my $member = after_attempt(1);
    my %got = (%{ delivery($member) }, due => deliveries()->{$member},
        member => $member);
    return \%got;
}

sub drop {
    my ($got) = @_;

    answer_with($hook, status => 200);
    due_now($got->{member});
    wait_for { idle() } 15, 'the repeat';
}

my $got = repeat_of(status => 429, headers => ['Retry-After: 100']);
ok($got->{due} > 90 && $got->{due} <= 100.1,
    'the next attempt waits for Retry-After');
drop($got);
$got = repeat_of(status => 503, headers => ['Retry-After: 999999999']);
ok($got->{due} > 86_000 && $got->{due} <= 86_401,
    'the next attempt waits for at most a day');
drop($got);
$got = repeat_of(status => 503, headers => ['Retry-After: 1']);
ok($got->{due} > 2, 'the next attempt is never earlier than the schedule');
drop($got);

my $other = start_receiver();
for my $status (301, 302, 307, 308) {
    $got = repeat_of(status => $status, headers => ["Location: $other->{url}"]);
    is($got->{status}, $status, "the response $status counts as a failure");
    drop($got);
}
is(scalar received($other), 0, 'the daemon follows no redirect');

for my $status (400, 401, 404, 408, 425, 500, 502, 504, 599) {
    $got = repeat_of(status => $status);
    is($got->{status}, $status,
        "a delivery is retried after the response $status");
    drop($got);
}

$got = repeat_of(status => 200, delay => 5);
is("$got->{status} $got->{error}", '0 timeout',
    'a slow receiver leads to a timeout');
drop($got);

answer_with($hook, status => 202, body => 'x' x 300_000);
event_emit();
soon { idle() } 'a long answer counts by its status: 202';
$got = repeat_of(status => 500, body => 'x' x 300_000);
is($got->{status}, 500, 'a long response with the status 500 is a failure');
drop($got);

stop_receiver($hook);
event_emit();
$m = after_attempt(1);
is(delivery($m)->{error}, 'connection failed',
    'a missing server is a failed connection');
$hook = start_receiver(port => $hook->{port}, status => 200);
due_now($m);
soon { idle() } 'it is delivered when it is back';

# the last attempt
answer_with($hook, status => 500);
event_emit();
$m = after_attempt(1);
cmd('HSET', k('dlv', split /:/, $m), 'attempt', 9);
due_now($m);
soon { idle() } 'after the last attempt nothing is left';
my ($dead) = dead_letters();
is($dead->{to}, $wh, 'the last attempt leaves a dead letter');
is("$dead->{n} $dead->{s} $dead->{t}", '10 500 rbl.host.listed',
    'the dead letter has attempts, status and type');
is($dead->{b}, (received($hook))[-1]{body}, 'the dead letter has the body');
is(hook_status($wh), 'active', 'the receiver stays active after a dead letter');

# callbacks are retried for a day
my $back = start_receiver(status => 500);
one_off($back->{url}, '192.0.2.1');
$m = after_attempt(1);
like($m, qr/:CB0$/, 'a failed callback waits in the queue');
cmd('HSET', k('dlv', split /:/, $m), 'attempt', 5, 'first',
    1000 * (time - 84_000));
due_now($m);
soon { idle() && (dead_letters())[-1]{to} eq 'CB0' }
    'and given up when the next attempt would be after a day';
is((dead_letters())[-1]{url}, $back->{url},
    'the dead letter of a callback has its URL');

# attempts that cannot be recorded, because the record is damaged
my $letters = dead_letters();
answer_with($hook, status => 500);
pause_server($d);
event_emit();
my ($told) = grep { $_->{d} =~ /rbl\.host\.listed/ }
    map { { @{ $_->[1] } } } @{ cmd('XRANGE', k('outbox'), '-', '+') };
my $damaged = k('dlv', $AC, $told->{e}, $wh);
cmd('SET', $damaged, 'x');
cont_server($d);
soon { dead_letters() == $letters + 1 } 'is a dead letter';
is_deeply([@{ (dead_letters())[-1] }{qw(e to)}], [$told->{e}, ''],
    'a damaged delivery leaves one dead letter');
cmd('DEL', $damaged);
soon { idle() } 'and stops nothing';
like(read_file($d->{log}), qr/is a dead letter: .*wrong kind of value/,
    'the log reports the damaged delivery');

# 410
answer_with($hook, status => 410);
event_emit();
soon { idle() } 'nothing is left';
is(hook_status($wh), 'disabled', 'the response 410 disables the receiver');
is((dead_letters())[-1]{s}, 410, 'the response 410 leaves a dead letter');
my $n = received($hook);
event_emit();
soon { idle() } 'later events';
is(scalar received($hook), $n, 'a disabled receiver gets no later events');
one_off($back->{url}, '192.0.2.2');
after_attempt(1);
answer_with($back, status => 410);
due_now(only());
soon { idle() } 'a callback that answers 410';

done_testing();
