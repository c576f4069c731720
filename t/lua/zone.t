#!/usr/bin/perl

# zone_told and zone_ask alone: what daemons remember of a list's zone.

use strict;
use warnings;
use RblTest;
use RblScript;

redis_new();
my $n = 0;
my $key;

sub fresh { return $key = k('zone', 'list' . ++$n . '.test') }
sub field { return cmd('HGET', $key, $_[0]) }
sub told { return script('zone_told', [$key], @_) }
sub asked { return script('zone_ask', [$key], $_[0], $_[1] // 'ipv4') }
sub near { return $_[0] > $_[1] - 1500 && $_[0] <= $_[1] }

# --- lies -------------------------------------------------------------------

fresh();
is_deeply(asked('a'), ['OK', 0, 0], 'nothing is known');
is(cmd('EXISTS', $key), 0, 'and nothing is written for that');

told('a', 16, '');
told('a', 9, '');
is(field('lied a'), 16, 'the largest TTL counts, not the last');
my $r = asked('a');
ok(near($r->[1], 18_000), "in order: its lies last for their TTL ($r->[1])");
is(field('lied a'), undef, 'from then on');
my $till = field('till a');
$r = asked('a');
ok(near($r->[1], 18_000), 'not anew for each who asks');
is(field('till a'), $till, 'the end stays');
is_deeply(asked('b'), ['OK', 0, 0], 'another resolver keeps none');

told('a', 3, '');
asked('a');
is(field('till a'), $till, 'a shorter lie ends no sooner');
told('a', 1_000, '');
$r = asked('a');
ok(near($r->[1], 1_002_000), 'a longer one later');
told('a', 0, '');
is(field('lied a'), undef, 'a TTL of 0 is not kept');

told('c', 999_999_999, '');
$r = asked('c');
ok(near($r->[1], 86_402_000), 'nobody keeps one for more than a day');
for my $end (1, 'x', -1, '9' x 30) {
    cmd('HSET', $key, 'till d', $end);
    ok(asked('d')->[1] <= 86_400_000, "an end of $end is none");
}
cmd('HSET', $key, 'lied e', 'x');
is_deeply(asked('e'), ['OK', 0, 0], 'nor is a TTL of x');

# --- the test entry ---------------------------------------------------------

fresh();
told('a', 0, 'ipv4');
is_deeply(asked('b'), ['OK', 0, 1], 'a test entry, through whatever resolver');
is_deeply(asked('b', 'ipv6'), ['OK', 0, 0], 'of its family');
my $ttl = cmd('PTTL', $key) / 86_400_000;
ok($ttl > 89.9 && $ttl <= 90, 'kept for 90 days');
cmd('PEXPIRE', $key, 5_000);
told('a', 0, 'ipv4');
ok(cmd('PTTL', $key) > 86_400_000, 'from when it was seen last');

done_testing();
