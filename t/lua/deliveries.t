#!/usr/bin/perl

# Scripts of delivery: an accepted event is delivered or becomes a dead letter,
# the body never changes, recording twice has no second effect.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblScript qw(take_one done due_now);

redis_new();
my ($ac, $acct) = account();
my ($all, $some, $ap) = (sid('WH'), sid('WH'), sid('AP'));

script('app_put', [$acct], app => $ap, name => 'app',
    secret => 'callback secret', field => 'f' x 16, digest => 'd' x 32);
script('hook_put', [$acct], hook => $all, name => 'all',
    url => 'https://a.example/', secret => 's1');
script('hook_put', [$acct], hook => $some, name => 'some',
    url => 'https://b.example/', secret => 's2', types => 'rbl.host.listed');
cmd('XGROUP', 'CREATE', k('outbox'), 'deliver', '0', 'MKSTREAM');

my $id = read_event($ac, my $ev = sid('EV'));

sub fanout {
    return leave_event($id, $ac, $ev, 'rbl.host.check.completed',
        '{"body":1}', ['https://c.example/', $ap]);
}
is_deeply(fanout(), ['OK', 2, 1], 'a receiver of all types and the callback');
is_deeply(fanout(), ['OK', 0, 0],
    'event_fanout creates the deliveries only once');
is(cmd('XLEN', k('outbox')), 0, 'the outbox is empty');

my @d = sort { $a->[0] cmp $b->[0] } take_one();
is(scalar @d, 2, 'both are claimed');
is(scalar(my @again = take_one()), 0,
    'claimed deliveries are leased to one daemon');
my ($cb, $hook) = @d;
is($cb->[2], 'https://c.example/', 'the callback goes to its URL');
is($cb->[3], 'callback secret', 'signed by the application');
is($hook->[2], 'https://a.example/', 'the hook to its own');
is($hook->[3], 's1', 'the hook is signed with its own secret');
is($_->[7], '{"body":1}', 'the body is unchanged') for @d;

is(done($cb, 'ok'), 'OK', 'delivery_done records the callback as delivered');
is(done($cb, 'ok'), 'STALE', 'delivery_done records the callback only once');
is(done($hook, 'retry', 3_600_000), 'OK',
    'delivery_done queues the hook for another attempt');
is(done($hook, 'retry', 3_600_000), 'STALE',
    'delivery_done counts the failed attempt only once');
due_now($hook);
($hook) = take_one();
is($hook->[4], 1, 'the second attempt');
is($hook->[7], '{"body":1}', 'the same body');
is(done($hook, 'dead'), 'OK', 'delivery_done gives up the hook');
my $dead = cmd('XRANGE', k('dead', $ac), '-', '+');
is(scalar @$dead, 1, 'a dead letter');
my %dead = @{ $dead->[0][1] };
is($dead{b}, '{"body":1}', 'the dead letter has the body');
is($dead{to}, $all, 'the dead letter names the receiver');
ok(!cmd('EXISTS', k('event', $ac, $ev)), 'the event is done with');
is(cmd('ZCARD', k('retry')), 0, 'the queue of deliveries is empty');

# 410: the receiver is disabled and gets nothing from now on

$id = read_event($ac, $ev = sid('EV'));
fanout();
($hook) = grep { $_->[0] =~ /:WH/ } take_one();
is(done($hook, 'gone'), 'OK', 'the receiver answers 410');
is(unpacked(cmd('GET', k('s', $ac, $all)))->[6], 'disabled',
    'the receiver is disabled');
is(cmd('XLEN', k('dead', $ac)), 2,
    'the event that is answered with 410 is a dead letter');

# its open deliveries become dead letters, too

$ev = sid('EV');
my $member = "$ac:$ev:$all";
cmd('HSET', k('dlv', $ac, $ev, $all), 'url', '', 'app', '', 'attempt', 3,
    'first', 1);
cmd('HSET', k('event', $ac, $ev), 'type', 't', 'body', '{}', 'open', 1);
cmd('ZADD', k('retry'), 0, $member);
ok(!grep({ $_->[0] eq $member } take_one()), 'a disabled receiver gets nothing');
$dead = cmd('XREVRANGE', k('dead', $ac), '+', '-', 'COUNT', 1);
%dead = @{ $dead->[0][1] };
is($dead{e}, $ev, 'the open delivery of a disabled receiver is a dead letter');
like($dead{x}, qr/disabled/,
    'the dead letter says that the receiver is disabled');

# a confirmation goes to its contact while that waits for this very code

my $code = 'k7m2xq';
cmd('DEL', k('retry'));                 # leased when the 410 came

sub contact {
    my (%o) = @_;
    my $co = $o{id} // sid('CO');
    cmd('SET', k('r', $ac, $co), record_pack('contact', version => 1,
        id => $co, type => 'endpoint', value => 'https://d.example/',
        schedule => 'start_and_end', status => $o{status} // 'pending',
        groups => [], created => 1, digest => $o{digest} // 'D' x 32,
        until => $o{until} // 1000 * (time + 3600), tries => 0, sent => 0));
    return $co;
}
sub confirm {
    my ($co, $digest) = @_;
    my $entry = read_event($ac, my $event = sid('EV'));
    return ($event, script('event_fanout', [k('outbox')], id => $entry,
        account => $ac, event => $event, type => 'contact.confirm',
        body => qq({"authcode":"$code"}), contact => $co,
        digest => $digest // 'D' x 32)->[1]);
}
sub claimed { return scalar(my @all = take_one()) }
sub nothing_left {
    my ($event, $name) = @_;
    ok(!cmd('EXISTS', k('event', $ac, $event)), "$name: no event is left");
    is(cmd('ZCARD', k('retry')), 0, "$name: nothing waits");
}
my $letters = cmd('XLEN', k('dead', $ac));
my $co = contact();
my ($event, $n) = confirm($co);
is($n, 1, 'one delivery to the contact');
my ($d) = take_one();
is_deeply([@$d[0, 1, 2, 3, 4, 6, 8]], ["$ac:$event:$co", 'contact.confirm',
    'https://d.example/', '', 0, $event, 'endpoint'],
    'the delivery goes to the value of the contact');
is($d->[7], qq({"authcode":"$code"}), 'the delivery has the body of the event');
is(done($d, 'retry', 1000), 'OK',
    'delivery_done queues the message for another attempt');
due_now($d);
($d) = take_one();
is($d->[4], 1, 'the second attempt');
is(done($d, 'ok'), 'OK', 'delivery_done records the message as delivered');
nothing_left($event, 'delivered');

for my $case (['active', status => 'active'], ['paused', status => 'paused'],
    ['sent another code', digest => 'E' x 32])
{
    my ($name, %o) = @$case;
    my $other = contact(%o);
    ($event, $n) = confirm($other);
    is($n, 0, "$name at fan-out: dropped");
    nothing_left($event, $name);
    $other = contact();
    ($event) = confirm($other);
    contact(id => $other, %o);
    is(claimed(), 0, "$name at the claim: dropped");
    nothing_left($event, $name);
}
(my $gone, $n) = confirm(sid('CO'));
is($n, 0, 'an unknown contact');
$co = contact();
($event) = confirm($co);
cmd('DEL', k('r', $ac, $co));
is(claimed(), 0, 'a contact that was deleted');
nothing_left($event, 'deleted');
is(cmd('XLEN', k('dead', $ac)), $letters, 'none of them is a dead letter');

sub last_letter {
    my $r = cmd('XREVRANGE', k('dead', $ac), '+', '-', 'COUNT', 1);
    return { @{ $r->[0][1] } };
}
($event) = confirm(contact(until => 1000 * time - 1));
is(claimed(), 0, 'a code that is too old');
like(last_letter()->{x}, qr/too old/,
    'a message with a code that is too old is a dead letter');
nothing_left($event, 'too old');
for my $outcome ('dead', 'gone') {
    $co = contact();
    ($event) = confirm($co);
    ($d) = take_one();
    is(done($d, $outcome), 'OK', "delivery_done accepts the outcome $outcome");
    is_deeply([@{ last_letter() }{qw(e to t b)}],
        [$event, $co, 'contact.confirm', ''], 'a letter without its body');
    is(unpacked(cmd('GET', k('r', $ac, $co)))->[5], 'pending',
        'the contact is unchanged');
    nothing_left($event, $outcome);
}
unlike(digest(), qr/$code/,
    'the code is nowhere in the store');

# Attempts that were sent and not answered are counted, for services that cannot
# detect a repetition; the outcome for a contact is recorded with the attempt.

sub sent { return script('delivery_send', [k('retry')], member => $d->[0],
    attempt => $_[0]) }
$co = contact();
($event) = confirm($co);
($d) = take_one();
is_deeply(sent(0), ['OK', 1], 'the first time');
is_deeply(sent(0), ['OK', 2],
    'delivery_send counts the attempt of another daemon');
is_deeply(sent(1), ['STALE'], 'delivery_send refuses another attempt');
is(done($d, 'retry', 1000), 'OK', 'refused: that one did not arrive');
is_deeply(sent(1), ['OK', 2], 'the other may have');
($d) = do { due_now($d); take_one() };
is(done($d, 'unsure', 1000), 'OK',
    'delivery_done accepts an attempt without an answer');
is_deeply(sent(2), ['OK', 3],
    'an attempt without an answer is counted as sent');
due_now($d);
($d) = take_one();
is(script('delivery_done', [k('retry')], member => $d->[0], attempt => 2,
    outcome => 'retry', delay => 0, status => 400, error => 'moved',
    value => '-100123')->[0], 'OK', 'a contact that is called otherwise now');
($d) = take_one();
is($d->[2], '-100123', 'the next attempt goes there');
contact(id => $co, status => 'active');
is(done($d, 'gone'), 'OK', 'the contact is unreachable');
is(unpacked(cmd('GET', k('r', $ac, $co)))->[5], 'paused',
    'the unreachable contact is paused');
nothing_left($event, 'paused');

# A damaged record, or a key of another type, delays only its own deliveries.

cmd('DEL', k('retry'));
my ($broken) = account();
my @open = map { [$broken, sid('EV'), sid('WH')] } 1 .. 3;
push @open, [(account())[0], sid('EV'), sid('WH')];
for my $o (@open) {
    my ($of, $event, $to) = @$o;
    script('hook_put', [k('acct', $of)], hook => $to, name => 'n',
        url => 'https://x.example/', secret => 's');
    cmd('HSET', k('event', $of, $event), 'type', 't', 'date', 1, 'body', '{}',
        'open', 1);
    cmd('HSET', k('dlv', $of, $event, $to), 'attempt', 0, 'first', 1);
    cmd('ZADD', k('retry'), 1, join ':', @$o);
}
cmd('SET', k('s', $broken, $open[0][2]), 'x');
cmd('SET', k('s', $broken, $open[1][2]), "\xc1");
cmd('DEL', k('dlv', @{ $open[2] }));
cmd('SET', k('dlv', @{ $open[2] }), 'x');
cmd('ZADD', k('retry'), 1, 'what is this');
is_deeply([map { $_->[0] } take_one()], [join ':', @{ $open[3] }],
    'the valid one is claimed');
is(cmd('ZCARD', k('retry')), 4, 'the others stay, invalid members do not');
is(cmd('ZCOUNT', k('retry'), '-inf', time * 1000), 0,
    'the other deliveries are due later');
cmd('SET', k('s', $broken, $open[0][2]), packed([1, $open[0][2], 'n',
    'https://x.example/', [], 's', 'active', 1, '', 0, 0, '']));
cmd('ZADD', k('retry'), 1, join ':', @{ $open[0] });
is_deeply([map { $_->[0] } take_one()], [join ':', @{ $open[0] }],
    'a repaired one is sent');

# Nor does it keep an event in the outbox, which would delay all others.

cmd('DEL', k('retry'));
my ($fine, $lost) = (sid('WH'), sid('CO'));
script('hook_put', [k('acct', $broken)], hook => $fine, name => 'n',
    url => 'https://x.example/', secret => 's');
cmd('SET', k(@$_), 'x') for ['s', $broken, $open[0][2]], ['r', $broken, $lost];
$id = read_event($broken, $ev = sid('EV'));
is_deeply(leave_event($id, $broken, $ev, 'rbl.host.listed', '{}'), ['OK', 4, 1],
    'receivers that can be read and others');
$id = read_event($broken, $ev);
is_deeply(script('event_fanout', [k('outbox')], id => $id, account => $broken,
    event => $ev, type => 'contact.confirm', body => '{}', contact => $lost,
    digest => 'digest'), ['OK', 1],
    'event_fanout accepts an event to a damaged contact');
is(cmd('XLEN', k('outbox')), 0, 'the event has left the outbox');
is(join(' ', sort map { (split /:/, $_->[0])[2] } take_one()),
    join(' ', sort $fine, $open[2][2]),
    'receivers that can be read get the event');

# An event that cannot be recorded has left the outbox already: it becomes a
# dead letter in the same step.

my ($rec) = account();
my @events = map { sid('EV') } 1 .. 3;
my $bad = sid('WH');
cmd('SET', k('dlv', $rec, $events[1], $bad), 'x');
my $r = end_events(60_000, map { my $e = $events[$_]; [read_event($rec, $e),
    $rec, $e, 'rbl.host.listed', "{\"n\":$_}", $_ == 1 ? [$bad, 'later', '',
        '', ''] : [sid('WH'), 'ok', 'attempt', '', '', 0, 200, 'OK', 0]] }
    0 .. 2);
is_deeply([@$r[0, 1, 2, 4]], ['OK', 0, 1, 1], 'events beside it are recorded');
like($r->[3], qr/wrong kind of value/, 'why one of them could not be');
is(cmd('XLEN', k('outbox')), 0, 'all have left the outbox');
my $kept = cmd('XRANGE', k('dead', $rec), '-', '+');
is(scalar @$kept, 1, 'an event that cannot be recorded is a dead letter');
my %kept = @{ $kept->[0][1] };
is_deeply([@kept{qw(e to t b)}], [$events[1], '', 'rbl.host.listed',
    '{"n":1}'], 'the dead letter has the body of its event');
like($kept{x}, qr/wrong kind of value/, 'the dead letter has the reason');

# One call makes dead letters of at most 256 KiB; it queues the other deliveries.
my ($many) = account();
my @wh = map { sid('WH') } 1 .. 6;
$ev = sid('EV');
$r = end_events(60_000, [read_event($many, $ev), $many, $ev, 't', 'b' x 60_000,
    map { [$_, 'dead', 'attempt', '', '', 0, 500, 'error', 0] } @wh]);
is_deeply($r, ['OK', 0, 1], 'six that are dead, with 60 KB each');
is(cmd('XLEN', k('dead', $many)), 4, 'four dead letters');
is(cmd('HGET', k('event', $many, $ev), 'open'), 2, 'two are still open');
is_deeply([sort map { $_->[0] =~ /:$many|^$many:/ ? 1 : () }
    map { [$_] } @{ cmd('ZRANGEBYSCORE', k('retry'), '-inf',
    cmd('TIME')->[0] * 1000 + 1000) }], [1, 1],
    'the two open deliveries are due now');

$co = contact();
cmd('SET', k('dlv', $ac, $ev = sid('EV'), $co), 'x');
$id = read_event($ac, $ev);
$r = script('event_fanout', [k('outbox')], id => $id, account => $ac,
    event => $ev, type => 'contact.confirm', body => '{"code":1}',
    contact => $co, digest => 'D' x 32);
is($r->[0], 'DEAD', 'one to a contact likewise');
like($r->[1], qr/wrong kind of value/,
    'event_fanout returns the reason of the dead letter');
is_deeply([@{ last_letter() }{qw(e to t b)}], [$ev, '', 'contact.confirm', ''],
    'a dead letter, without the code');
is(cmd('XLEN', k('outbox')), 0, 'the event to the contact has left the outbox');

done_testing();
