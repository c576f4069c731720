#!/usr/bin/perl

# An event is delivered whichever process dies: after its lease, by the next
# daemon, after the store's return; with the same id and bytes, and rarely
# twice.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

# Each write is on the disk before it is answered: Redis loses none of them.
my $redis = deliver_setup(appendonly => 1,
    args => ['--appendfsync', 'always']);
my $hook = start_receiver();
my $wh = hook_add($hook->{url}, 's1', 'rbl.host.listed');
# No attempt must time out here: on a busy machine the receiver is slow.
my %conf = (deliver_timeout => '10s', lease => '1s', store_timeout => '1s',
    check_timeout => '400ms');

sub count_ids {
    my %n;
    $n{ $_->{headers}{'webhook-id'} }++ for received($hook);
    return \%n;
}

# killed after the request, before the record
answer_with($hook, status => 200, delay => 8);
my $d = start_deliverd(conf => \%conf);
event_emit();
my $m;
soon { ($m) = keys %{ deliveries() }; $m } 'a delivery is queued';
soon { (deliveries()->{$m} // 0) > 10 } 'the attempt is leased';
soon { received($hook) == 1 } 'the receiver has it';
kill_server($d);
is(delivery($m)->{attempt}, 0, 'the store has no record of the attempt');
answer_with($hook, status => 200);
$d = start_deliverd(conf => \%conf);
due_now($m);                            # the lease expires
soon { idle() } 'it is delivered again';
my @r = received($hook);
is(scalar @r, 2, 'the receiver gets the event twice');
is($r[1]{body}, $r[0]{body}, 'the second request has the same body');
is($r[1]{headers}{'webhook-id'}, $r[0]{headers}{'webhook-id'},
    'the second request has the same webhook-id');

# the lease expires by itself
answer_with($hook, status => 200, delay => 8);
event_emit();
soon { ($m) = keys %{ deliveries() }; $m && deliveries()->{$m} > 5 } 'leased';
soon { received($hook) == 3 } 'the request is there';
kill_server($d);
answer_with($hook, status => 200);
cmd('ZADD', k('retry'), 'XX', 1000 * (time + 2), $m);
$d = start_deliverd(conf => \%conf);
soon { idle() } 'claimed after its lease, without a notification';
is(scalar received($hook), 4,
    'the event is delivered a second time after its lease');

# entries of a daemon that died between reading and fan-out
stop_server($d);
event_emit();
my $read = cmd('XREADGROUP', 'GROUP', 'deliver', 'dead', 'STREAMS',
    k('outbox'), '>');
is(scalar @{ $read->[0][1] }, 3, 'a daemon reads three entries before it dies');
my $before = received($hook);
$d = start_deliverd(conf => \%conf);
soon { idle() && received($hook) == $before + 1 } 'claimed after its lease';

# damaged entries
my @bad = (
    ['a', $AC, 'e', sid('EV'), 'd', 'no record'],
    ['a', $AC, 'e', sid('EV'), 'd', record_pack('event', version => 1,
        id => sid('EV'), type => 'rbl.host.unheard', date => 1, listed => 0,
        total => 0, hooks => 1, callbacks => [], results => "\x90")],
    ['a', $AC, 'e', sid('EV')],
    ['a', $AC, 'e', sid('EV'), 'd', "\x9e\1", 'r', "\x91x", 's', "\x92\x90",
        'h', "\1", 'c', "\x90", 't', ''],
    ['a', 'AC', 'e', 'EV', 'd', 'x'],
    ['x', 'y'],
);
cmd('XADD', k('outbox'), '*', @$_) for @bad;
event_emit();
soon { idle() && received($hook) == $before + 2 } 'do not stop the others';
is(cmd('XPENDING', k('outbox'), 'deliver')->[0], 0,
    'no damaged entry is pending');
my @dead = dead_letters();
is(scalar @dead, 4, 'the damaged entries of an account are dead letters');
is($dead[0]{raw}, 'no record',
    'the dead letter has the bytes of the damaged entry');
like(read_file($d->{log}), qr/not an event record/,
    'the log reports the damaged entry');

# the group is gone
cmd('XGROUP', 'DESTROY', k('outbox'), 'deliver');
event_emit();
soon { idle() && received($hook) == $before + 3 } 'the group is recreated';
cmd('DEL', k('outbox'));
event_emit();
soon { idle() && received($hook) == $before + 4 } 'the stream too';

# the store dies and comes back
kill_server($redis);
restart_server($redis);
event_emit();
soon { idle() && received($hook) == $before + 5 } 'after the store is back';

# the store is away during an attempt
answer_with($hook, status => 200, delay => 1);
event_emit();
soon { received($hook) == $before + 6 || grep { $_ > 2 }
    values %{ deliveries() } } 'an attempt starts';
pause_server($redis);
sleep 2;
cont_server($redis);
soon { idle() } 'its end is recorded when the store answers again';
answer_with($hook, status => 200);

# two daemons; neither takes over an attempt that the other is recording
stop_server($d);
delete $conf{lease};
$d = start_deliverd(conf => \%conf);
my $d2 = start_deliverd(conf => \%conf);
$before = received($hook);
my ($n, @by) = 0;
soon {
    event_emit() for 1 .. 20;
    $n += 20;
    @by = map { scalar(() = read_file($_->{log}) =~ /attempt 1: HTTP 200/g) }
        $d, $d2;
    $n >= 60 && $by[0] && $by[1];
} 'two daemons share';
soon { idle() } 'until all is done';
is(scalar(received($hook)) - $before, $n, "each event is delivered once (@by)");

# attempts in flight are finished on TERM
answer_with($hook, status => 200, delay => 1);
event_emit();
soon { grep { $_ > 2 } values %{ deliveries() } } 'an attempt is under way';
ok(stop_server($_), 'the daemon stops in time') for $d, $d2;
is($_->{status}, 0, 'the daemon exits with 0') for $d, $d2;
is(scalar keys %{ deliveries() }, 0, 'the attempt in flight is recorded');

my %n = %{ count_ids() };
is(scalar(grep { $_ > 2 } values %n), 0,
    'no event is delivered more than twice');
done_testing();
