#!/usr/bin/perl

# app_admit alone: windows that begin with their first request, exact counts, by
# the clock of the store.

use strict;
use warnings;
use RblTest;
use RblScript;

redis_new();
my ($ac, $acct) = account();
my ($hour, $read, $write, $start) = (0 .. 3);

sub admit {
    my ($app, $kind, $n, $m) = @_;

    return script('app_admit', [$acct], app => $app, kind => $kind, hour => $n,
        second => $m);
}

sub state { return unpacked(cmd('GET', k('rate', $ac, $_[0]))) }

# --- one window ------------------------------------------------------------

my $ap = sid('AP');
my $before = now_ms();
for my $left (2, 1, 0) {
    my $r = admit($ap, $read, 3, 0);
    is_deeply([@$r[0 .. 2]], ['OK', 3, $left], "an hour: $left left");
}
my $first = state($ap)->[0] - 3_600_000;
ok($first >= $before && $first <= now_ms(),
    'the window starts with the first request');
my $r = admit($ap, $read, 3, 0);
is_deeply([@$r[0 .. 2]], ['LIMIT', 3, 0],
    'app_admit refuses the fourth request of the window');
cmp_ok(abs($first + 3_600_000 - now_ms() - $r->[3]), '<', 1000, 'until its end');
is_deeply(admit($ap, $_, 3, 0)->[0], 'LIMIT',
    "the hourly limit also refuses requests of kind $_") for 1 .. 3;
is(state($ap)->[1], 3, 'refused requests are not counted');
cmp_ok(abs(cmd('PTTL', k('rate', $ac, $ap)) - $r->[3]), '<', 1000,
    'the count ends with it');
is_deeply([@{ admit($ap, $read, 5, 0) }[0 .. 2]], ['OK', 5, 1],
    'a higher limit holds at once');
is_deeply([@{ admit($ap, $read, 2, 0) }[0 .. 2]], ['LIMIT', 2, 0],
    'a lower one too');
is(admit(sid('AP'), $read, 3, 0)->[0], 'OK',
    'another application has its own window');

# --- kinds -----------------------------------------------------------------

$ap = sid('AP');
for my $kind ($read, $write, $start) {
    my $n = 0;
    my $last;
    my $began = now_ms();
    $n++ while $n < 100 && ($last = admit($ap, $kind, 0, 7))->[0] eq 'OK';
    is($n, 7, "kind $kind: seven a second") if now_ms() - $began < 1000;
    is_deeply([@$last[0 .. 2]], ['LIMIT', 7, 0],
        "app_admit refuses requests of kind $kind beyond seven");
    ok($last->[3] > 0 && $last->[3] <= 1000,
        "the refusal of kind $kind lasts at most one second");
    ok(wait_for { admit($ap, $kind, 0, 7)->[0] eq 'OK' } 5,
        "app_admit accepts kind $kind in the next second");
}
is(admit($ap, $read, 0, 0)->[0], 'OK',
    'app_admit accepts requests without a limit');
ok(wait_for { !cmd('EXISTS', k('rate', $ac, $ap)) } 5,
    'seconds leave nothing behind');

# --- both at once ----------------------------------------------------------

sub set {
    my ($app, @state) = @_;

    cmd('SET', k('rate', $ac, $app), packed([@state]), 'PX', 3_600_000);
}

$ap = sid('AP');
my $now = now_ms();
set($ap, $now + 1_800_000, 90, $now + 60_000, 0, (0) x 4);
$r = admit($ap, $read, 100, 1000);
is_deeply([@$r[0 .. 2]], ['OK', 100, 9],
    'the response names the limit with the fewest requests left');
$r = admit($ap, $read, 100, 1);
is_deeply([@$r[0 .. 2]], ['LIMIT', 1, 0], 'a second is used up');
is(state($ap)->[1], 91, 'a refused request does not count for the hour');
cmd('DEL', k('rate', $ac, $ap));
admit($ap, $read, 1, 1);
$r = admit($ap, $read, 1, 1);
is($r->[0], 'LIMIT', 'both are used up');
cmp_ok($r->[3], '>', 3_590_000, 'the response has the longer wait');
set($ap, $now + 1_800_000, 90, (0) x 6);
$r = admit($ap, $write, 90, 5);
is_deeply([$r->[0], state($ap)->[5]], ['LIMIT', 0],
    'a request refused by the hour does not count for the second');

# --- clocks and junk -------------------------------------------------------

set($ap, now_ms() - 1, 100, (0) x 6);
is(admit($ap, $read, 1, 0)->[0], 'OK', 'an expired window');
set($ap, now_ms() + 9_000_000, 100, (0) x 6);
is(admit($ap, $read, 1, 0)->[0], 'OK', 'the clock was set back');
cmp_ok(cmd('PTTL', k('rate', $ac, $ap)), '<=', 3_600_000,
    'a window that ends too late is replaced by a new one');
for my $junk ([], [1, 2], 7, 'x') {
    cmd('SET', k('rate', $ac, $ap), packed($junk));
    is_deeply([@{ admit($ap, $read, 2, 0) }[0 .. 2]], ['OK', 2, 1],
        'junk is no count');
}

done_testing();
