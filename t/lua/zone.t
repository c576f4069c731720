#!/usr/bin/perl

# zone_told and zone_ask alone: the evidence on a list's zone that daemons
# share.

use strict;
use warnings;
use RblTest;
use RblScript;
use Time::HiRes qw(time sleep);

redis_new();
my $n = 0;
my $key;

sub fresh { return $key = k('zone', 'list' . ++$n . '.test') }
sub field { return cmd('HGET', $key, $_[0]) }
sub lied { return script('zone_told', [$key], family => $_[0], ttl => $_[1],
    entry => 0, soa => 0) }
sub lives { return script('zone_told', [$key], family => $_[0], ttl => 0,
    entry => $_[1], soa => $_[2]) }
# family, resolver, ms since the list was first seen sound
sub asked { return script('zone_ask', [$key, k('seen', 'RBx', 'h')],
    family => $_[0], resolver => $_[1], order => $_[2] // 0, any => 0) }
sub near { return $_[0] > $_[1] - 1500 && $_[0] <= $_[1] }

# --- wildcarding ------------------------------------------------------------

fresh();
is_deeply(asked('ipv4', 'a'), ['OK', 0, 0, 0, 0], 'nothing is known');
is(cmd('EXISTS', $key), 0, 'a request for an unknown zone writes nothing');

lied('ipv4', 16);
lied('ipv4', 9);
like(field('lied ipv4'), qr/^16 \d+$/, 'the largest TTL counts, not the last');
my $r = asked('ipv4', 'a', 60_000);
ok(near($r->[1], 18_000),
    'the wait starts now for a list not seen valid since');
ok(near(asked('ipv4', 'a', 60_000)->[1], 18_000),
    'the wait starts now with each request');
is(field('good ipv4 a'), undef, 'the store has no time of a good answer');

sleep 1;
$r = asked('ipv4', 'a');
ok(near($r->[1], 18_000),
    "seen valid: its answers last for their TTL ($r->[1])");
my $good = field('good ipv4 a');
sleep 1;
$r = asked('ipv4', 'a');
ok(near($r->[1], 17_000), 'the wait runs from then on, not from each request');
is(field('good ipv4 a'), $good, 'the beginning stays');
ok(near(asked('ipv4', 'b')->[1], 18_000), 'through another resolver likewise');
is_deeply(asked('ipv6', 'a'), ['OK', 0, 0, 0, 0],
    'another family has no effect');
is_deeply(asked('domain', 'a'), ['OK', 0, 0, 0, 0],
    'a third family has no effect');
like(field('lied ipv4'), qr/^16 \d+$/,
    'requests of others do not shorten the wait');

lied('ipv4', 3);
ok(near(asked('ipv4', 'a', 5_000)->[1], 18_000),
    'the earlier time does not count after new wildcarding');
lied('ipv4', 1_000);
sleep 1;
ok(near(asked('ipv4', 'a')->[1], 1_002_000), 'a longer TTL lasts longer');
my $was = field('lied ipv4');
lied('ipv4', 0);
is(field('lied ipv4'), $was, 'a TTL of 0 is not stored');

lied('domain', 999_999_999);
ok(near(asked('domain', 'a', 9)->[1], 604_802_000),
    'no cache keeps one for more than a week');
fresh();
for my $lie ('x', '5', '5 x', '-1 5', '5 ' . '9' x 30, '9' x 30 . ' 5') {
    cmd('HSET', $key, 'lied ipv4', $lie);
    my $left = asked('ipv4', 'a')->[1];
    ok($left >= 0 && $left <= 604_802_000, "a stored TTL of $lie ($left)");
}
for my $seen (1, 'x', -1, '9' x 30) {
    cmd('HSET', $key, 'lied ipv4', '5 ' . int(time * 1000),
        'good ipv4 a', $seen);
    my $left = asked('ipv4', 'a', 1)->[1];
    ok($left >= 0 && $left <= 7_000, "seen valid at $seen ($left)");
}

# --- the test point, and the zone -------------------------------------------

fresh();
lives('ipv4', 1, 3);
is_deeply(asked('ipv4', 'b'), ['OK', 0, 1, 3, 0],
    'a test point and a zone, through any resolver');
is_deeply(asked('ipv6', 'b'), ['OK', 0, 0, 0, 0], 'of this family');
lives('ipv4', 0, 2);
is_deeply(asked('ipv4', 'b'), ['OK', 0, 1, 3, 0], 'the most labels count');
my $ttl = cmd('PTTL', $key) / 86_400_000;
ok($ttl > 89.9 && $ttl <= 90, 'kept for 90 days');
cmd('PEXPIRE', $key, 5_000);
lives('ipv4', 1, 3);
ok(cmd('PTTL', $key) > 86_400_000,
    'the evidence is kept from when it was seen last');

# --- changes must be seen again ---------------------------------------------

my $seen;
# A result, from a response so many ms old, through a resolver, with waits (ms)
# that began ("": any time, or at most so many ms ago); returns in how many ms
# it counts.
sub seen {
    my ($is, $age, $resolver, $since, @wait) = @_;

    return script('zone_ask', [$key, $seen], family => 'ipv4',
        resolver => $resolver, order => 0, response => $is, age => $age,
        since => $since, any => 0, waits => \@wait)->[4];
}
sub listing { return seen('listed', 0, $_[1] // 'a', '', $_[0]) }
sub ends { return seen('clear', $_[0], $_[2] // 'a', $_[1] // '', 200, 300) }
sub fresh_news { fresh(); $seen = k('seen', "RB$n", '192.0.2.1') }
sub kept { return cmd('PTTL', $seen) }

fresh_news();
is(listing(300_000), 300_000,
    'seen first: it counts when the caches have expired');
ok(kept() > 890_000 && kept() <= 900_000, 'kept for ten minutes more');
sleep 0.2;
my $left = listing(100);
ok($left > 290_000 && $left <= 299_800, "seen again, too soon ($left)");
ok(kept() > 60_000, 'the listing that is seen too soon is kept');
is(listing(100, 'b'), 100, 'through another resolver it is another matter');
sleep 0.2;
cmp_ok(seen('listed', 150, 'b', '', 100), '>=', 1,
    'a response from before the end of the wait is not newer than caches');
is(listing(100, 'b'), 0, 'seen again after the wait');
ok(listing(300_000) > 290_000,
    'the listing does not count through the other resolver');
ok(kept() > 890_000, 'the wait of that one is kept');
cmd('PEXPIRE', $seen, 5000);
is(listing(100, 'b'), 0, 'the listing counts for each later daemon');
ok(kept() > 590_000 && kept() <= 600_000,
    'the listing is kept for ten minutes more');
is(listing('9' x 30, 'c'), 0, 'nonsense is no time');
is(listing('9' x 12, 'd'), 604_800_000,
    'no cache keeps it for more than a week');
for my $value ('x', -1, '', '9' x 30, '1 2', '2 0 0', '0 0 0', '1 0 '
    . '9' x 15, '1 ' . '9' x 15 . ' 0')
{
    cmd('HSET', $seen, 'a', $value);
    is(listing(1000), 1000, "'$value' is no wait: seen first");
}

fresh_news();
is(ends(0), 200, 'an end, seen first: the first wait');
cmp_ok(ends(0), '<=', 200, 'an end that is seen too soon has to wait');
sleep 0.25;
cmp_ok(ends(100), '>=', 1, 'a response of before');
is(ends(0), 300, 'the list was alive since: the second wait');
sleep 0.2;
my $wait = ends(0);
ok($wait >= 1 && $wait <= 100,
    "an end that is seen too soon waits again ($wait)");
is(ends(0, '', 'b'), 200, 'through another resolver it is another matter');
sleep 0.15;
is(ends(0), 0, 'the response is newer than that: it counts');
is(ends(0), 0, 'the end counts for another daemon that claims the check');
is(ends(0, 10), 200, 'a failure of the list restarts the wait');
sleep 0.25;
is(ends(0, 10_000), 300, 'the second wait starts when the list has recovered');
is(listing(1000), 1000, 'a new listing has to wait');
is(ends(0), 200, 'the earlier end does not count after a new listing');

is(asked('ipv4', 'a')->[4], 0, 'no listing, no wait');

# --- waits through any resolver ---------------------------------------------

use constant { HOUR => 3_600_000, DAY => 86_400_000 };

# "clear" from a response of now, through a resolver, where the test point has a
# TTL (ms) and negative responses another; the waits are these and 2 s.
sub any {
    my ($resolver, $ttl, $negative, $since, $age) = @_;

    return script('zone_ask', [$key, $seen], family => 'ipv4',
        resolver => $resolver, order => 0, response => 'clear',
        age => $age // 0, since => $since // '', ttl => $ttl, any => 1,
        waits => [$ttl + 2_000, $negative + 2_000])->[4];
}
sub told { return script('zone_ask', [$key, $seen], family => 'ipv4',
    resolver => $_[0], order => 0, ttl => $_[1], any => 0)->[4] }
# Sets a TTL that was reported so many ms ago, a resolver that is watched for so
# many, a wait that began so many ms ago.
sub told_before { cmd('HSET', $key, 'ttl ipv4', "$_[0] " . (now_ms() - $_[1])) }
sub watched { cmd('HSET', $key, "watched ipv4 $_[0]", (now_ms() - $_[1]) . ' '
    . (now_ms() - ($_[2] // 0))) }
sub waits { my ($n, $ago) = @_; my $t = now_ms() - $ago;
    cmd('HSET', $seen, 'is', 'clear', 'any', "$n $t $t") }
sub is_near { my ($is, $want, $name) = @_;
    ok($is > $want - 1500 && $is <= $want, "$name ($is of $want ms)") }

fresh_news();
is(any('a', 60_000, 5_000), 62_000, 'an end, seen first: P and 2 s');
ok(kept() > 660_000, 'the wait is kept for ten minutes more');
is_near(any('b', 60_000, 5_000), 62_000,
    'another resolver, which no daemon has looked at before: P from now on');
is(field('ttl ipv4') =~ /^(\d+) / && $1, 60_000,
    'the store has the largest TTL of the test point');

# ago: the wait began; a and b were watched; the TTL that others have told
for my $case (
    ['P is over, through the same', 'a', 63_000, DAY, DAY, 60_000, 7_000],
    ['P is over, through another', 'b', 63_000, DAY, DAY, 60_000, 7_000],
    ['P is not over, through another', 'b', 40_000, DAY, DAY, 60_000, 22_000],
    ['another was added a moment ago', 'b', 90_000, DAY, 10_000, 60_000,
        52_000],
    ['another was added, and P is over since', 'b', 90_000, DAY, 63_000,
        60_000, 7_000],
    ['another was added a moment ago, but this one goes on', 'a', 90_000, DAY,
        10_000, 60_000, 7_000],
    ['a daemon has reported a larger TTL', 'b', 90_000, DAY, DAY, 300_000,
        212_000],
    ['a daemon has reported a smaller TTL', 'b', 40_000, DAY, DAY, 30_000,
        22_000],
) {
    my ($name, $resolver, $ago, $a, $b, $others, $want) = @$case;
    fresh_news();
    told_before($others, HOUR / 2);
    watched('a', $a);
    watched('b', $b);
    waits(1, $ago);
    is_near(any($resolver, 60_000, 5_000), $want, $name);
}

fresh_news();
told_before(300_000, HOUR);
watched('b', DAY);
waits(2, 40_000);
is(any('b', 60_000, 5_000), 0,
    'N is over, through another: the end counts at once');
is_near(any('c', 60_000, 60_000), 22_000,
    'where N is larger, it does not count yet');
is(any('d', 60_000, 5_000), 0, 'N does not depend on what P is elsewhere');
waits(2, 7_500);
cmp_ok(any('b', 60_000, 5_000, '', 1_000), '>=', 1,
    'a response from before the end of N is not newer than caches');
waits(2, 40_000);
is_near(any('b', 60_000, 5_000, 30_000), 302_000,
    'the list has failed since: all waits begin again, with the largest P');
waits(1, 999_000);
is(any('b', 60_000, 5_000), 7_000, 'the new waits go on');
is(listing(5_000), 5_000, 'a new listing has to wait');
is_near(any('b', 60_000, 5_000), 302_000,
    'the earlier end does not count after the new listing');
is(ends(0), 200, 'a wait through the same resolver is another matter');

fresh_news();
is(told('a', 60_000), 0, 'a daemon reports a TTL of the test point');
is(cmd('EXISTS', $seen), 0, 'the report of a TTL begins no wait');
waits(1, 90_000);
is_near(any('a', 10_000, 5_000), 62_000,
    'a daemon that sees the rest of it waits for all of it');
$ttl = cmd('PTTL', $key) / DAY;
ok($ttl > 89.9 && $ttl <= 90, 'the TTL is kept with the other evidence');
for my $case (
    ['a TTL of two days ago is forgotten', 49 * HOUR, 10_000],
    ['a TTL of yesterday is still the largest', 47 * HOUR, 60_000])
{
    told_before(60_000, $case->[1]);
    told('a', 10_000);
    is((split / /, field('ttl ipv4'))[0], $case->[2], $case->[0]);
}
for my $case (
    ['watched until yesterday: go on', 30 * HOUR, 0],
    ['watched until two days ago: begin again', 37 * HOUR, 1])
{
    watched('a', 9 * DAY, $case->[1]);
    told('a', 10_000);
    my ($since) = split / /, field('watched ipv4 a');
    is($since > now_ms() - HOUR ? 1 : 0, $case->[2], "a resolver $case->[0]");
}
my $before = field('ttl ipv4') . field('watched ipv4 a');
told('a', 5_000) for 1 .. 3;
is(field('ttl ipv4') . field('watched ipv4 a'), $before,
    'what is known already writes nothing');

for my $value ('x', '-1 5', '5', '9' x 30 . ' 5', '5 ' . '9' x 30) {
    fresh_news();
    cmd('HSET', $key, 'ttl ipv4', $value, 'watched ipv4 a', $value);
    waits(1, 5_000);
    my $is = any('a', 60_000, 5_000);
    ok($is >= 50_000 && $is <= 604_802_000,
        "a stored '$value' shortens no wait ($is)");
}
told('a', '9' x 12);
is((split / /, field('ttl ipv4'))[0], 604_800_000,
    'no cache keeps the test point for more than a week');

done_testing();
