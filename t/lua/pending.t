#!/usr/bin/perl

# A receiver has at most 10,000 pending deliveries: with one more, the oldest
# becomes a dead letter.  The same holds for the callbacks of an application.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblScript qw(take_one done due_now);

use constant { MOST => 10_000, LEASE => 60_000 };

my $redis = redis_new();
rblctl($redis, 'init', '--partitions', 1);
my ($ac, $acct) = account();
my ($wh, $other, $ap) = (sid('WH'), sid('WH'), sid('AP'));
script('app_put', [$acct], app => $ap, name => 'app', secret => 'secret',
    field => 'f' x 16, digest => "\xff" x 8 . 'd' x 24);
script('hook_put', [$acct], hook => $_, name => 'n',
    url => 'https://a.example/', secret => 's') for $wh, $other;
cmd('XGROUP', 'CREATE', k('outbox'), 'deliver', '0', 'MKSTREAM');
my $text = 'more than 10,000 deliveries to the receiver were pending';
my $body = '{"body":1}';
my $late = now_ms() + 3_600_000;

sub pending { return cmd('ZCARD', k('pending', $ac)) }
sub letters {
    return map { { @{ $_->[1] } } } @{ cmd('XRANGE', k('dead', $ac), '-', '+') };
}
sub fsck_is_clean {
    my $r = rblctl($redis, 'fsck');
    is($r->{out}, "no fault in 1 account\n", $_[0]);
}

# An event whose deliveries {target, outcome, app} have failed.
sub event {
    my (@to) = @_;
    my $id = read_event($ac, my $ev = sid('EV'));
    my $r = end_events(LEASE, [$id, $ac, $ev, 't', $body, map {
        my ($target, $outcome, $app) = @$_;
        [$target, $outcome, '', $app ? 'https://c.example/' : '', $app // '',
            3_600_000, 500, 'why', 0] } @to]);
    die "@$r" if $r->[2] ne 1;
    # No circuit must delay due deliveries.
    cmd('DEL', map { k('hook', $ac, $_) } $wh, $other, 'all');
    return $ev;
}

my $filled = 0;

# That many pending deliveries, older than all others, oldest first.
my $FILL = <<'LUA';
local ac, target, app, since, late, body, of = unpack(ARGV, 1, 7)
for i = 8, #ARGV do
    local ev, first = ARGV[i], string.format('%.0f', since + i - 8)
    redis.call('HSET', of .. 'event:' .. ac .. ':' .. ev, 'type', 't', 'date',
        1, 'body', body, 'open', 1)
    local dlv = of .. 'dlv:' .. ac .. ':' .. ev .. ':' .. target
    redis.call('HSET', dlv, 'attempt', 3, 'first', first, 'status', 500,
        'error', 'why')
    if app ~= '' then
        redis.call('HSET', dlv, 'url', 'https://c.example/', 'app', app)
    end
    redis.call('ZADD', of .. 'retry', late, ac .. ':' .. ev .. ':' .. target)
    redis.call('ZADD', of .. 'pending:' .. ac, 0, (app ~= '' and app or target)
        .. ':' .. first .. ':' .. ev .. ':' .. target)
end
LUA

sub fill {
    my ($n, $target, $app) = @_;
    my $since = ++$filled * -1_000_000 + now_ms();
    my @ev = map { sid('EV') } 1 .. $n;
    cmd('EVAL', $FILL, 1, k('due'), $ac, $target, $app // '', $since, $late, $body, k(''),
        @ev);
    return @ev;
}


# --- pending deliveries ------------------------------------------------------

event([$wh, 'ok'], ['CB0', 'ok', $ap]);
is(pending(), 0, 'a delivery that succeeds at once is not pending');
event([$wh, 'dead']);
is(pending(), 0, 'a delivery that is given up at once is not pending');
my $ev = event([$wh, 'retry'], [$other, 'later'], ['CB0', 'now', $ap]);
is(pending(), 3, 'deliveries to be tried are pending');
fsck_is_clean('with them');
my @d = take_one();
is(scalar @d, 1, 'one is claimed');
is(done($d[0], 'ok'), 'OK', 'delivery_done records the claimed delivery');
is(pending(), 2, 'a finished delivery is not pending');
due_now(["$ac:$ev:$wh"]);
due_now(["$ac:$ev:CB0"]);
@d = sort { $a->[0] cmp $b->[0] } take_one();
is(done($d[0], 'retry', 1000), 'OK', 'one fails again');
is(done($d[1], 'dead'), 'OK', 'one is given up');
is(pending(), 1, 'the first one stays');
is(done([$d[0][0], '', '', '', 2], 'ok'), 'STALE',
    'delivery_done refuses another attempt');
due_now($d[0]);
($d[0]) = take_one();
is(done($d[0], 'ok'), 'OK', 'delivery_done records the repeated delivery');
is(cmd('EXISTS', k('pending', $ac)), 0, 'nothing is pending');
is(script('hook_test', [$acct], hook => $wh, event => sid('EV'), type => 't',
    body => '{}', most => 0)->[0], 'OK', 'hook_test queues a test');
is(script('hook_test', [$acct], hook => $wh, event => sid('EV'), type => 't',
    body => '{}', most => 1)->[0], 'LATER', 'another one, while so many wait');
is(pending(), 1, 'the test is pending');
is(done((take_one())[0], 'retry', 1), 'OK', 'until its attempt');
is(pending(), 0, 'a finished test is not pending');


# --- the bound ---------------------------------------------------------------

cmd('DEL', k('dead', $ac));
my @old = fill(MOST - 1, $wh);
my @young = (event([$wh, 'retry']));
is(scalar(() = take_one()), 0, '10,000 are pending, and stay');
fsck_is_clean('at the bound');
event([$other, 'retry'], ['CB0', 'retry', $ap]);
is(scalar(() = take_one()), 0, 'other receivers have their own');
is(pending(), MOST + 2, 'none is given up');

push @young, event([$wh, 'later']);
fsck_is_clean('above the bound, before the next claim');
my @claimed = take_one();
is_deeply([map { $_->[0] } @claimed], ["$ac:$young[1]:$wh"],
    'the new one is claimed');
my @letter = letters();
is(scalar @letter, 1, 'the oldest is a dead letter');
is_deeply([@{ $letter[0] }{qw(e to b x n)}], [$old[0], $wh, $body, $text, 3],
    'the dead letter has the reason');
ok(!cmd('EXISTS', k('event', $ac, $old[0]), k('dlv', $ac, $old[0], $wh)),
    'nothing else is left of it');
my $r = rblctl($redis, 'webhook', 'dead', $ac, $wh);
like($r->{out}, qr/\Q$text\E/, 'rblctl shows it');
fsck_is_clean('after it');

# A delivery whose attempt is in progress.
due_now(["$ac:$old[1]:$wh"]);
my ($tried) = take_one();
event([$wh, 'retry']);
is(done($tried, 'retry', 3_600_000), 'OK', 'one fails, and is the oldest');
cmp_ok(cmd('ZSCORE', k('retry'), $tried->[0]), '<=', now_ms(),
    'the oldest delivery does not wait after its failure');
take_one();
is((letters())[-1]{e}, $old[1], 'the oldest delivery is a dead letter');
due_now(["$ac:$old[2]:$wh"]);
($tried) = take_one();
event([$wh, 'retry']);
is(done($tried, 'ok'), 'OK', 'one is delivered, and was the oldest');
take_one();
is(scalar(() = letters()), 2, 'a delivered event is no dead letter');
is(cmd('ZLEXCOUNT', k('pending', $ac), "[$wh:", "($wh;"), MOST,
    '10,000 are pending');
fsck_is_clean('after that');

# A replay starts again: it is the youngest.
$r = rblctl($redis, 'webhook', 'replay', $ac, $wh, $old[0]);
is($r->{status}, 0, 'rblctl replays the dead letter') or diag($r->{err});
@claimed = take_one();
is_deeply([map { $_->[0] } @claimed], ["$ac:$old[0]:$wh"],
    'the replayed delivery is claimed');
is((letters())[-1]{e}, $old[3], 'another one is the oldest');
is(done($claimed[0], 'ok'), 'OK',
    'delivery_done records the replayed delivery');
is(cmd('ZLEXCOUNT', k('pending', $ac), "[$wh:", "($wh;"), MOST - 1,
    'there is room');

# Deliveries above the bound for another reason end two at a time.
my $n = () = letters();
fill(6, $wh);
event([$wh, 'retry']);
take_one();
is(scalar(() = letters()), $n + 2, 'two are given up');
event([$wh, 'retry']);
take_one();
is(scalar(() = letters()), $n + 4, 'two more deliveries are given up');

# Pending deliveries of a disabled receiver end with it.
script('hook_status', [$acct], hook => $wh, status => 'disabled');
event([$wh, 'later']);
cmd('ZADD', k('retry'), 1, $_) for @{ cmd('ZRANGE', k('retry'), 0, -1) };
cmd('DEL', k('dead', $ac));
for (1 .. 2000) {
    last if !cmd('ZLEXCOUNT', k('pending', $ac), "[$wh:", "($wh;");
    take_one();
}
is(cmd('ZLEXCOUNT', k('pending', $ac), "[$wh:", "($wh;"), 0,
    'a receiver that is disabled has none');
my %why;
$why{ $_->{x} }++ for letters();
is($why{'the receiver is disabled'}, MOST + 2,
    'the deliveries of a disabled receiver are dead letters');
fsck_is_clean('then');


# --- callbacks ---------------------------------------------------------------

cmd('DEL', k('dead', $ac), k('retry'), @{ cmd('KEYS', k('dlv', '*')) },
    @{ cmd('KEYS', k('event', '*')) }, k('pending', $ac));
my $its = sid('AP');
script('app_put', [$acct], app => $its, name => 'app', secret => 'secret',
    field => 'e' x 16, digest => "\xee" x 8 . 'c' x 24);
@old = fill(MOST, 'CB1', $ap);
event(['CB0', 'retry', $its]);
take_one();
is(scalar(() = letters()), 0, "another application's callback");
event(['CB0', 'retry', $ap]);
take_one();
@letter = letters();
is(scalar @letter, 1, 'one of the same');
is_deeply([@{ $letter[0] }{qw(e to url a x)}], [$old[0], 'CB1',
    'https://c.example/', $ap, $text],
    'the oldest callback of the application is a dead letter');
$r = rblctl($redis, 'webhook', 'replay', $ac, $ap, $old[0]);
is($r->{status}, 0, 'rblctl replays the callback') or diag($r->{err});
@claimed = take_one();
is_deeply([map { @$_[0, 2] } @claimed], ["$ac:$old[0]:CB1",
    'https://c.example/'], 'the replayed callback goes to its URL');
is((letters())[-1]{e}, $old[1],
    'the next oldest callback becomes a dead letter');
fsck_is_clean('with callbacks');


# --- messages to a contact ---------------------------------------------------

my $co = sid('CO');
script('contact_add', [$acct], contact => $co, type => 'email',
    value => 'a@a.example', schedule => 'every_check', digest => 'digest',
    code => 'abcdef', event => sid('EV'), groups => chosen($acct)->[2]);
script('contact_confirm', [$acct], contact => $co, digest => 'digest');
cmd('DEL', k('outbox'), k('dead', $ac));
cmd('XGROUP', 'CREATE', k('outbox'), 'deliver', '0', 'MKSTREAM');
sub notice {
    my $id = read_event($ac, my $ev = sid('EV'));
    $r = script('event_fanout', [k('outbox')], id => $id, account => $ac,
        event => $ev, type => 'contact.notice', body => $body);
    is_deeply($r, ['OK', 1], 'event_fanout sends a notice to the contact');
    return $ev;
}
my $first = notice();
cmd('EVAL', <<'LUA', 1, k('due'), k(''), $ac, $co, $body, map { sid('EV') } 2 .. MOST);
local of, ac, co, body = unpack(ARGV, 1, 4)
for i = 5, #ARGV do
    redis.call('HSET', of .. 'event:' .. ac .. ':' .. ARGV[i], 'type', 't',
        'body', body, 'open', 1)
    redis.call('HSET', of .. 'dlv:' .. ac .. ':' .. ARGV[i] .. ':' .. co,
        'attempt', 0, 'first', 1, 'at', 1, 'host', '')
    redis.call('RPUSH', of .. 'line:' .. ac .. ':' .. co, ARGV[i])
end
LUA
@claimed = take_one();
is($claimed[0][0], "$ac:$first:$co", 'the first of a line is tried');
my $second = cmd('LINDEX', k('line', $ac, $co), 1);
notice();
is(scalar(() = take_one()), 0, 'one more notice starts no attempt');
is_deeply([map { @$_{qw(e to x)} } letters()], [$first, $co, $text],
    'the oldest is a dead letter');
is(cmd('LLEN', k('line', $ac, $co)), MOST,
    'the line of the contact has 10,000 messages');
is((take_one())[0][0], "$ac:$second:$co", 'the next one is tried');
is(done($claimed[0], 'ok'), 'STALE', 'the first claim is stale');
done_testing();
