#!/usr/bin/perl

# First attempts of events: their targets, and the record of many of them in one
# call.  A delivered event leaves only its log.  With any other outcome no
# accepted event is lost, and nothing counts twice.

use strict;
use warnings;
use RblTest;
use RblScript;

redis_new();
my ($ac, $acct) = account();
my ($other, $their) = account();
my $day = 86_400_000;
cmd('XGROUP', 'CREATE', k('outbox'), 'deliver', '0', 'MKSTREAM');

sub hook {
    my ($account, @types) = @_;
    my $wh = sid('WH');
    script('hook_put', [$account], hook => $wh, name => 'n',
        url => "https://$wh.example/", secret => "s $wh", types => \@types);
    return $wh;
}
sub change {
    my ($wh, %o) = @_;
    my $k = k('s', $ac, $wh);
    cmd('SET', $k, record_pack('hook', %{ record('hook', cmd('GET', $k)) },
        %o));
}
sub put_app {
    script('app_put', [$acct], app => my $ap = sid('AP'), name => 'app',
        secret => 'callback', field => 'f' x 16, digest => 'd' x 32);
    return $ap;
}

# --- targets

my ($all, $some, $none) = (hook($acct), hook($acct, 'a', 'b'),
    hook($acct, 'c'));
my $theirs = hook($their);
my $ap = put_app();
sub whole { return [$_[0], "https://$_[0].example/", "s $_[0]", $_[1] // ''] }
is_deeply([targets($ac, 'a', $other, 'a', $ac, $ap, $ac, 'c')],
    [[whole($all), whole($some)], [whole($theirs)],
    [[$ap, '', 'callback', '']], [whole($all), whole($none)]],
    'receivers that want the type, of each account, and an application');
my $gone = sid('AP');
is_deeply([targets(sid('AC'), 'a', $ac, $gone)], [[], [[$gone]]],
    'an unknown account, and a deleted application');

my @cases = (
    ['a second secret', [old => 'o', old_until => now_ms() + $day],
        sub { whole($_[0], 'o') }],
    ['an expired one', [old => 'o', old_until => now_ms() - 1],
        sub { whole($_[0]) }],
    ['disabled', [status => 'disabled', disabled => now_ms() - 4 * $day],
        sub { [$_[0]] }],
    ['for long', [status => 'disabled', disabled => now_ms() - 6 * $day],
        sub { () }],
);
for my $case (@cases) {
    my ($name, $fields, $expected) = @$case;
    my $wh = hook($acct, 'one');
    change($wh, @$fields);
    is_deeply([targets($ac, 'one')], [[whole($all), $expected->($wh)]], $name);
    script('hook_delete', [$acct], hook => $wh);
}
for my $case (['open', now_ms() + 9_000], ['to be tried', now_ms() - 9_000]) {
    cmd('HSET', k('hook', $ac, $all), 'till', $case->[1]);
    is_deeply([targets($ac, 'a')], [[[$all], whole($some)]],
        "a circuit that is $case->[0]: claimed for that only");
}
cmd('HSET', k('hook', $ac, $all), 'fails', 3);
cmd('HDEL', k('hook', $ac, $all), 'till');
is_deeply([targets($ac, 'c')], [[whole($all), whole($none)]],
    'some failures do not open it');
cmd('DEL', k('hook', $ac, $all));
my @broken = map { hook($acct, 'b') } 1 .. 2;
cmd('SET', k('s', $ac, $broken[0]), "\xc1");
cmd('DEL', k('s', $ac, $broken[1]));
cmd('RPUSH', k('s', $ac, $broken[1]), 'x');
is_deeply([targets($ac, 'b')],
    [[whole($all), whole($some), map { [$_] } @broken]],
    'damaged records: the delivery waits until they are repaired');
cmd('ZREM', k('hooks', $ac), @broken);
my ($bad) = account();
cmd('SET', k('hooks', $bad), 'x');
is_deeply([targets($bad, 'b', $other, 'b')], ['', [whole($theirs)]],
    'an index that is damaged stops no other account');
is(cmd('XLEN', k('outbox')), 0, 'nothing was changed');

# --- the record

# A read event in the form of end_events
sub event {
    my ($of, $body, @to) = @_;
    my $id = read_event($of, my $ev = sid('EV'));
    return [$id, $of, $ev, 'rbl.host.listed', $body, @to];
}
sub ok_to { return map { [$_, 'ok', "log of $_"] } @_ }
sub logged { return cmd('LRANGE', k('log', @_), 0, -1) }
sub deliveries {
    my %r = @{ cmd('ZRANGE', k('retry'), 0, -1, 'WITHSCORES') };
    return \%r;
}
sub fields { return { @{ cmd('HGETALL', k(@_)) } } }
sub letters {
    return map { { @{ $_->[1] } } }
        @{ cmd('XRANGE', k('dead', $ac), '-', '+') };
}

my @e = (event($ac, '', ok_to($all, $some)), event($other, '', ok_to($theirs)),
    event($ac, '', ok_to($all)), event($ac, ''));
cmd('HSET', k('hook', $ac, $all), 'fails', 4);
is_deeply(end_events(60_000, @e), ['OK', 0, 1, 1, 1, 1],
    'event_done records all events as delivered');
is_deeply([cmd('XLEN', k('outbox')), cmd('XPENDING', k('outbox'),
    'deliver')->[0]], [0, 0], 'the outbox is empty');
is_deeply([map { scalar @{ cmd('KEYS', k($_, '*')) } } 'dlv', 'event', 'hook'],
    [0, 0, 0], 'nothing is written, and failures are forgotten');
is_deeply([logged($ac, $all), logged($ac, $some), logged($other, $theirs)],
    [["log of $all", "log of $all"], ["log of $some"], ["log of $theirs"]],
    'the logs have each attempt');
ok(cmd('PTTL', k('log', $ac, $all)) > 29 * $day,
    'the log of attempts is kept for a month');
is_deeply(end_events(60_000, @e), ['OK', 0, 0, 0, 0, 0],
    'a second report changes nothing');
is(scalar @{ logged($ac, $all) }, 2, 'a repeated report logs no attempt');

my $app = put_app();
my $e = event($ac, '{"b":1}', [$all, 'retry', 'l', '', '', 5000, 500, 'why',
    0], ok_to($some), [$none, 'later', '', '', ''], ['CB0', 'now', '',
    'https://c.example/', $app], ['CB1', 'dead', 'of a callback',
    'https://d.example/', $app, 0, 404, 'no', 0], ['CB2', 'retry', '',
    'https://e.example/', $app, 7000, 0, 'off', 0]);
my ($ev, $since) = ($e->[2], now_ms());
is_deeply(end_events(60_000, $e), ['OK', 1, 1], 'each another end');
my $wait = deliveries();
is(scalar keys %$wait, 4, 'an unfinished target is a delivery');
for my $case ([$all, 5000], [$none, 0], ['CB0', 60_000], ['CB2', 7000]) {
    my ($to, $ms) = @$case;
    my $got = ($wait->{"$ac:$ev:$to"} // 0) - $since;
    ok($got >= $ms && $got < $ms + 3000, "$to: in $ms ms ($got)");
}
my $dlv = fields('dlv', $ac, $ev, $all);
ok(abs(delete($dlv->{first}) - $since) < 3000, 'the open delivery starts now');
is_deeply($dlv, { attempt => 1, status => 500, error => 'why' },
    'the open delivery has its first attempt');
$dlv = fields('dlv', $ac, $ev, 'CB0');
delete $dlv->{first};
is_deeply($dlv, { attempt => 0, url => 'https://c.example/', app => $app },
    'one that is under way');
my $event = fields('event', $ac, $ev);
delete $event->{date};
is_deeply($event, { type => 'rbl.host.listed', body => '{"b":1}', open => 4 },
    'the event is stored once with its body');
is_deeply(letters(), { e => $ev, to => 'CB1', url => 'https://d.example/',
    t => 'rbl.host.listed', b => '{"b":1}', s => 404, x => 'no', n => 1,
    a => $app }, 'one that is given up is a letter');
is_deeply(logged($ac, $app), ['of a callback'], 'callbacks: with theirs');
is(fields('hook', $ac, $all)->{fails}, 1, 'a failure is counted');
my $claimed = script('delivery_claim', [k('retry')], most => 10,
    lease => 60_000);
is_deeply([map { [@$_[0, 2, 4, 7]] } @$claimed[2 .. $#$claimed]],
    [["$ac:$ev:$none", "https://$none.example/", 0, '{"b":1}']],
    'an untried delivery is claimed');
is(script('delivery_done', [k('retry')], member => "$ac:$ev:CB0", attempt => 0,
    outcome => 'ok', delay => 0, status => 200)->[0], 'OK',
    'a delivery in flight finishes');
is(fields('event', $ac, $ev)->{open}, 3, 'the event has three open deliveries');

# --- receivers that fail

cmd('DEL', k('retry'), @{ cmd('KEYS', k('hook', '*')) });
sub bad {
    my ($outcome, $status, $quiet) = @_;
    return event($ac, 'b', [$all, $outcome // 'retry', '', '', '', 5000,
        $status // 500, 'x', $quiet // 0]);
}
sub good { return event($ac, '', ok_to($all)) }
sub fails {
    my ($n, @after) = @_;
    end_events(60_000, (map { bad() } 1 .. $n), @after);
}
fails(4);
is_deeply([@{ fields('hook', $ac, $all) }{qw(fails till)}], [4, undef],
    'many in one call, each counts');
fails(3, good(), bad(), good(), bad());
is(fields('hook', $ac, $all)->{fails}, 1,
    'failures before a success do not count');
fails(5);
ok(fields('hook', $ac, $all)->{till} > now_ms() + 20_000,
    'five open the circuit');
cmd('DEL', k('hook', $ac, $all));
end_events(60_000, bad('retry', 429, 20_000));
ok(abs(fields('hook', $ac, $all)->{till} - now_ms() - 20_000) < 3000,
    'paused as Retry-After requests');
end_events(60_000, bad('gone', 410));
is(record('hook', cmd('GET', k('s', $ac, $all)))->{status}, 'disabled',
    'a receiver that answers 410');
is((letters())[-1]{to}, $all,
    'the event to a receiver that answers 410 is a dead letter');

# --- the log is bounded

cmd('RPUSH', k('log', $ac, $some), map { 'x' x 1000 } 1 .. 1500);
end_events(60_000, event($ac, '', ok_to($some)));
is(scalar @{ logged($ac, $some) }, 1000, 'the last thousand');
end_events(60_000, map { event($ac, '', ok_to($some)) } 1 .. 20);
is_deeply([@{ logged($ac, $some) }[-21 .. -1]], [("log of $some") x 21],
    'many of one call');
my $t = packed([1, now_ms(), sid('EV')]);
end_events(60_000, event($ac, '', map { [$none, 'ok', "$t$_"] } 1 .. 250));
is_deeply(logged($ac, $none), [map { "$t$_" } 1 .. 250],
    'however many there are, in their order');

# --- damaged records

@e = (event($ac, '', ok_to($some)), event($ac, '{}', [$none, 'later', '', '',
    '']), event($ac, '', ok_to($some)));
cmd('SET', k('dlv', $ac, $e[1][2], $none), 'x');
my $got = end_events(60_000, @e);
is_deeply([@$got[0 .. 2, 4]], ['OK', 0, 1, 1], 'stops no other event');
like($got->[3], qr/WRONGTYPE/, 'the damaged record is reported');
is(cmd('XLEN', k('outbox')), 0, 'none is left');
cmd('SET', k('log', $ac, $none), 'x');
is(end_events(60_000, event($ac, '', ok_to($none)))->[2], 1,
    'a damaged log stops no event');
is_deeply(logged($ac, $none), ["log of $none"], 'a damaged log is replaced');

done_testing();
