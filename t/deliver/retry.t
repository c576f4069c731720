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
like($m, qr/^$AC:EV[0-9a-f]{32}:$wh$/, 'a delivery waits');
my $due = deliveries()->{$m};
ok($due > 2 && $due <= 6.1, "the first repeat comes after 5 s (in $due)");
is(delivery($m)->{status}, 500, 'the status is kept');
soon { received($hook) == 2 } 'the repeat comes by itself';
after_attempt(2);
$due = deliveries()->{$m};
ok($due > 230 && $due <= 361, "the next after 5 min (in $due)");
due_now($m);
soon { idle() } 'delivered at last';
my @r = received($hook);
is(scalar @r, 3, 'in three attempts');
is($r[$_]{body}, $r[0]{body}, "attempt $_: the same bytes") for 1, 2;
is($r[$_]{headers}{'webhook-id'}, $r[0]{headers}{'webhook-id'},
    "attempt $_: the same id") for 1, 2;
ok(signature_ok($_, 's1'), 'signed') for @r;
isnt($r[1]{headers}{'webhook-timestamp'}, $r[0]{headers}{'webhook-timestamp'},
    'at its own time');

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
ok($got->{due} > 90 && $got->{due} <= 100.1, 'Retry-After is honoured');
drop($got);
$got = repeat_of(status => 503, headers => ['Retry-After: 999999999']);
ok($got->{due} > 86_000 && $got->{due} <= 86_401, 'at most a day');
drop($got);
$got = repeat_of(status => 503, headers => ['Retry-After: 1']);
ok($got->{due} > 2, 'and never earlier than the schedule');
drop($got);

my $other = start_receiver();
for my $status (301, 302, 307, 308) {
    $got = repeat_of(status => $status, headers => ["Location: $other->{url}"]);
    is($got->{status}, $status, "$status is a failure");
    drop($got);
}
is(scalar received($other), 0, 'no redirect is followed');

for my $status (400, 401, 404, 408, 425, 500, 502, 504, 599) {
    $got = repeat_of(status => $status);
    is($got->{status}, $status, "$status is tried again");
    drop($got);
}

$got = repeat_of(status => 200, delay => 5);
is("$got->{status} $got->{error}", '0 timeout', 'a receiver that is slow');
drop($got);

answer_with($hook, status => 202, body => 'x' x 300_000);
event_emit();
soon { idle() } 'a long answer counts by its status: 202';
$got = repeat_of(status => 500, body => 'x' x 300_000);
is($got->{status}, 500, 'and 500');
drop($got);

stop_receiver($hook);
event_emit();
$m = after_attempt(1);
is(delivery($m)->{error}, 'connection failed', 'no server at the port');
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
is($dead->{to}, $wh, 'but a dead letter');
is("$dead->{n} $dead->{s} $dead->{t}", '10 500 rbl.host.listed',
    'with the number of attempts, the status and the type');
is($dead->{b}, (received($hook))[-1]{body}, 'and the body');
is(hook_status($wh), 'active', 'the receiver stays');

# callbacks are retried for a day
my $back = start_receiver(status => 500);
one_off($back->{url}, '192.0.2.1');
$m = after_attempt(1);
like($m, qr/:CB0$/, 'a callback is tried again');
cmd('HSET', k('dlv', split /:/, $m), 'attempt', 5, 'first',
    1000 * (time - 84_000));
due_now($m);
soon { idle() && (dead_letters())[-1]{to} eq 'CB0' }
    'and given up when the next attempt would be after a day';
is((dead_letters())[-1]{url}, $back->{url}, 'with its URL');

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
is_deeply([@{ (dead_letters())[-1] }{qw(e to)}], [$told->{e}, ''], 'once');
cmd('DEL', $damaged);
soon { idle() } 'and stops nothing';
like(read_file($d->{log}), qr/is a dead letter: .*wrong kind of value/,
    'and the daemon logs it');

# 410
answer_with($hook, status => 410);
event_emit();
soon { idle() } 'nothing is left';
is(hook_status($wh), 'disabled', '410 disables the receiver');
is((dead_letters())[-1]{s}, 410, 'and leaves a dead letter');
my $n = received($hook);
event_emit();
soon { idle() } 'later events';
is(scalar received($hook), $n, 'do not go there');
one_off($back->{url}, '192.0.2.2');
after_attempt(1);
answer_with($back, status => 410);
due_now(only());
soon { idle() } 'a callback that answers 410';

done_testing();
