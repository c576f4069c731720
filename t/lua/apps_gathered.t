#!/usr/bin/perl

# The script of statistics and error logs: sums add up by hours and days, an
# error log keeps the last 1,000 refusals, a damaged key affects only itself, and
# a store that takes no changes ends the script.

use strict;
use warnings;
use RblTest;
use RblScript;

redis_new(cluster => 0);                # it becomes a replica
my ($ac, $ap, $ap2) = (sid('AC'), sid('AP'), sid('AP'));
my $hour = 24 * 20_000 + 5;

sub usage { return script('app_usage', [k('acct', $ac)], values => \@_) }
sub hash { return { @{ cmd('HGETALL', k('stats', $ac, @_)) } } }

is_deeply(usage($ac, $ap, $hour, 3, 1, 0, $ac, $ap2, $hour, 1, 0, 0),
    ['OK', 0], 'app_usage counts calls of two applications');
is_deeply(hash($ap, 'h20000'), { 5 => 3, '5e' => 1 },
    'app_usage counts calls and errors by the hour');
is_deeply(hash($ap, 'd625'), { 20_000 => 3, '20000e' => 1 },
    'app_usage counts calls and errors by the day');
is_deeply(hash($ap2, 'h20000'), { 5 => 1 }, 'no errors, no field');
is_deeply(usage($ac, $ap, $hour + 18, 4, 0, 0, $ac, $ap, $hour + 19, 5, 5, 0),
    ['OK', 0], 'the last hour of a day, and the first of the next');
is_deeply(hash($ap, 'h20000'), { 5 => 3, '5e' => 1, 23 => 4 },
    'the last hour is counted in its own day');
is_deeply(hash($ap, 'h20001'), { 0 => 5, '0e' => 5 },
    'the first hour of the next day is counted there');
is_deeply(hash($ap, 'd625'), { 20_000 => 7, '20000e' => 1, 20_001 => 5,
    '20001e' => 5 }, 'the daily counters have both days');
is_deeply(usage($ac, $ap, $hour, 10, 0, 0), ['OK', 0],
    'app_usage accepts another call');
is(hash($ap, 'h20000')->{5}, 13, 'app_usage adds up the numbers of two calls');

my $day = 86_400;
cmp_ok(cmd('TTL', k('stats', $ac, $ap, 'h20000')), '>', 32 * $day,
    'hours are kept 31 days and the last');
cmp_ok(cmd('TTL', k('stats', $ac, $ap, 'd625')), '>', (396 + 32) * $day,
    'days 13 months and the last 32 in their key');

cmd('SET', k('stats', $ac, $ap2, 'h20000'), 'x');
cmd('HSET', k('stats', $ac, $ap, 'h20000'), 6, 'x');
is_deeply(usage($ac, $ap2, $hour, 1, 1, 0, $ac, $ap, $hour + 1, 1, 0, 0, $ac,
    $ap, $hour, 1, 0, 0), ['OK', 3], 'damaged keys are counted');
is(hash($ap, 'h20000')->{5}, 14, 'the rest is kept');
is(hash($ap2, 'd625')->{20_000}, 2, 'the days, too');

# --- error logs -------------------------------------------------------------

sub errors {
    my ($app, @refusals) = @_;

    return usage($ac, $app, $hour, scalar @refusals, scalar @refusals,
        scalar @refusals, @refusals);
}
sub entries { return cmd('LRANGE', k('errors', $ac, $_[0]), 0, -1) }

is_deeply(errors($ap, 1 .. 3), ['OK', 0], 'app_usage stores three errors');
is_deeply(entries($ap), [3, 2, 1], 'the last one first');
is_deeply(errors($ap, 4 .. 1003), ['OK', 0],
    'app_usage stores a thousand errors in one call');
is_deeply(entries($ap), [reverse 4 .. 1003], 'the last thousand');
is_deeply(errors($ap, 1004), ['OK', 0], 'app_usage stores one more error');
is_deeply(entries($ap), [reverse 5 .. 1004],
    'the error log keeps only the last thousand entries');
cmp_ok(cmd('TTL', k('errors', $ac, $ap)), '>', 396 * $day, 'kept 13 months');

my $ap3 = sid('AP');
cmd('SET', k('errors', $ac, $ap3), 'x');
is_deeply(usage($ac, $ap3, $hour, 2, 1, 1, 'lost', $ac, $ap, $hour, 1, 1, 1,
    'kept'), ['OK', 1], 'app_usage counts a damaged error log');
is(cmd('GET', k('errors', $ac, $ap3)), 'x',
    'app_usage does not change a damaged key');
is(entries($ap)->[0], 'kept', 'the refusals behind a damaged log are kept');
is(hash($ap3, 'd625')->{20_000}, 2,
    'the requests beside a damaged log are kept');

# --- a store that takes no changes ------------------------------------------

my $before = hash($ap, 'd625');
cmd('REPLICAOF', '127.0.0.1', 1);
like(eval { usage($ac, $ap, $hour, 1, 0, 0) } // $@, qr/READONLY/,
    'app_usage says that a replica takes no changes');
cmd('REPLICAOF', 'NO', 'ONE');
cmd('CONFIG', 'SET', 'maxmemory', 1);
like(eval { usage($ac, $ap, $hour, 1, 0, 0) } // $@, qr/OOM/,
    'app_usage says that a full store takes no changes');
cmd('CONFIG', 'SET', 'maxmemory', 0);
is_deeply(hash($ap, 'd625'), $before, 'app_usage has changed nothing there');

done_testing();
