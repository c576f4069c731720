#!/usr/bin/perl

# 2,000 deliveries to 20 receivers, while the daemon is killed at random 50
# times.  Five receivers are dead.  The 15 live ones get every event, with the
# same bytes each time, and repeatedly only if a kill came between sending and
# recording.  The other deliveries become dead letters, which are delivered when
# the five are back.

use strict;
use warnings;
use Time::HiRes ();
use RblTest;
use RblScript;
use RblDeliver;

my ($events, $kills) = (100, $ENV{RBL_KILLS} // 50);
my $seed = $ENV{RBL_SEED} // time ^ $$;
srand $seed;
note("RBL_SEED=$seed");

my $redis = deliver_setup();
# The first daemon may be killed before it makes the group.
cmd('XGROUP', 'CREATE', k('outbox'), 'deliver', 0, 'MKSTREAM');
my %conf = (deliver_timeout => '2s', lease => '1s', check_timeout => '400ms',
    log_level => 'notice');

# Some live receivers are slow, and some refuse now and then, ever more seldom,
# so that regular attempts do not always meet a refusal.
my @live = map { start_receiver($_ % 5 == 3 ? (delay => 0.05) : (),
    $_ % 5 == 4 ? (status => [map { (503, (200) x $_) } 2 .. 60]) : ())
    } 1 .. 15;
my @dead = map { start_receiver(@$_) } [delay => 5], [status => 500],
    [broken => 'reset'], [broken => 'half'], [];
stop_receiver($dead[4]);
$_->{id} = hook_add($_->{url}, 's1', 'rbl.host.listed') for @live, @dead;
my %is_dead = map { $_->{id} => 1 } @dead;

# Requests for each event at a receiver: {SID => [requests]}
sub by_event {
    my %by;
    push @{ $by{ $_->{headers}{'webhook-id'} } }, $_ for received($_[0]);
    return \%by;
}

# While no daemon runs: everything is due at once.
sub hurry {
    due_now($_) for @{ cmd('ZRANGE', k('retry'), 0, -1) };
    cmd('HDEL', $_, 'till', 'probe') for @{ cmd('KEYS', k('hook', '*')) };
}

# Runs daemons, and makes waiting deliveries due in between, until all is done.
sub work {
    my ($done) = @_;

    for (1 .. 30) {
        hurry();
        my $d = start_deliverd(conf => { %conf, deliveries_max => 200 });
        wait_for { cmd('XLEN', k('outbox')) == 0
            && !grep { $_ <= 0 } values %{ deliveries() } } 60, 'the attempts';
        stop_server($d, 10);
        return 1 if $done->();
    }
    return 0;
}

# --- the kills

# Work that a killed daemon had not recorded: the deliveries of events that it
# had read from the outbox,
sub unrecorded {
    my %pending = map { $_->[0] => 1 }
        @{ cmd('XPENDING', k('outbox'), 'deliver', '-', '+', 1000) };
    my @ev = map { { @{ $_->[1] } }->{e} } grep { $pending{ $_->[0] } }
        @{ cmd('XRANGE', k('outbox'), '-', '+') };
    return map { my $ev = $_; map { "$AC:$ev:$_->{id}" } @live, @dead } @ev;
}

# and those that it had leased: for 14 s, while a repetition is due after 4 to
# 6, and later ones after minutes.
my ($killed, $emitted, %leased) = (0, 0);
for my $n (1 .. $kills) {
    my $d = start_deliverd(conf => \%conf);
    for (1 .. 2) {
        event_emit() if $emitted++ < $events;
        Time::HiRes::sleep(rand 0.1);
    }
    kill_server($d);
    $killed++;
    my $waits = deliveries();
    $leased{$_}++ for unrecorded(), grep { $waits->{$_} > 6.5
        && $waits->{$_} <= 14 } keys %$waits;
    hurry();
}
event_emit() while $emitted++ < $events;
is($killed, $kills, "the daemon is killed $kills times");
ok(work(sub { !grep { !$is_dead{ (split /:/)[2] } } keys %{ deliveries() } }),
    'no delivery waits for the live receivers');

# --- live receivers: everything, the same bytes, explained repetitions

my ($whole, $bytes, $repeats, $unexplained, $requests, $refused) = (0) x 6;
my (%event, %body);
for my $r (@live) {
    my $by = by_event($r);
    $whole += keys %$by == $events;
    $event{$_}++ for keys %$by;
    for my $ev (keys %$by) {
        my @got = @{ $by->{$ev} };
        $requests += @got;
        $body{$ev} //= $got[0]{body};
        $bytes += grep { $_->{body} ne $body{$ev} } @got;
    }

    # Each recorded response belongs to a request; a request without a record
    # was in flight, or waited for recording, when its daemon was killed.
    my (%answered, %tried);
    for (@{ cmd('LRANGE', k('log', $AC, $r->{id}), 0, -1) }) {
        my $t = record('try', $_);
        $tried{ $t->{event} }++;
        $answered{ $t->{event} }++ if $t->{status};
    }
    for my $ev (keys %$by) {
        my $n = @{ $by->{$ev} };
        my $lost = $leased{"$AC:$ev:$r->{id}"} // 0;
        $repeats += $n - 1;
        $unexplained++ if $n < ($answered{$ev} // 0)
            || $n > ($tried{$ev} // 0) + $lost;
        $refused += ($tried{$ev} // 1) - 1;
    }
}
is($whole, 15, 'each of the 15 live receivers has every event');
is(scalar keys %event, $events,
    "the live receivers have $events different events");
is($bytes, 0, 'each request of an event has the same body');
is($unexplained, 0, 'a repeated event was in flight when the daemon died');
ok($repeats > 0 || $kills < 50, 'some events are repeated after a kill');
note("$requests requests for " . 15 * $events
    . " deliveries; of $repeats repeats $refused followed an answer that was "
    . "none of success or came late, the others one of $kills kills");
is(scalar(grep { signature_ok($_, 's1') } map { received($_) } @live),
    $requests, 'every request of the live receivers is signed');

# --- dead receivers: dead letters, and replays of all

my $waiting = grep { $is_dead{ (split /:/)[2] } } keys %{ deliveries() };
my $letters = () = dead_letters();
is($waiting + $letters, 5 * $events,
    'every delivery to the dead receivers waits or is a dead letter');
cmd('HSET', k('hook', $AC, $_->{id}), 'since', 1, 'fails', 100) for @dead;
ok(work(\&idle), 'no delivery waits after five days');
is(scalar(grep { hook_status($_->{id}) eq 'disabled' } @dead), 5,
    'all five dead receivers are disabled');
is(scalar(() = dead_letters()), 5 * $events,
    'all deliveries to the dead receivers are dead letters');
is(scalar(grep { $_->{b} ne $body{ $_->{e} } } dead_letters()), 0,
    'the dead letters have the same bytes');

my @before = map { my @r = received($_); scalar @r } @dead;
answer_with($_) for @dead;
start_receiver(port => $dead[4]{port});
for my $r (@dead) {
    rblctl($redis, 'webhook', 'enable', $AC, $r->{id});
    my $got = rblctl($redis, 'webhook', 'replay', $AC, $r->{id}, '--all',
        '--json');
    is(json($got->{out})->{deliveries}, $events,
        'webhook replay replays all dead letters of the receiver');
}
ok(work(\&idle), 'no delivery waits after the replay');
for my $i (0 .. 4) {
    my @new = received($dead[$i]);
    my %have = map { $_->{headers}{'webhook-id'} => $_->{body} }
        @new[$before[$i] .. $#new];
    is(scalar(grep { ($have{$_} // '') eq $body{$_} } keys %body), $events,
        'a receiver that is back has every event, with the same bytes');
}
is(scalar(() = dead_letters()), 0, 'the account has no dead letter at the end');

done_testing();
