#!/usr/bin/perl

# Scripts of statistics and error logs: sums add up by hours and days, a call
# sent twice is executed once, and a damaged key affects only itself.

use strict;
use warnings;
use RblTest;
use RblScript;

redis_new();
my ($ac, $ap, $ap2) = (sid('AC'), sid('AP'), sid('AP'));
my $hour = 24 * 20_000 + 5;
my $from = k('stats:from', 'a' x 34);

sub usage { return script('app_usage', [$from], @_) }
sub hash { return { @{ cmd('HGETALL', k('stats', $ac, @_)) } } }

is_deeply(usage(1, $ac, $ap, $hour, 3, 1, $ac, $ap2, $hour, 1, 0), ['OK', 0],
    'app_usage counts calls of two applications');
is_deeply(hash($ap, 'h20000'), { 5 => 3, '5e' => 1 },
    'app_usage counts calls and errors by the hour');
is_deeply(hash($ap, 'd625'), { 20_000 => 3, '20000e' => 1 },
    'app_usage counts calls and errors by the day');
is_deeply(hash($ap2, 'h20000'), { 5 => 1 }, 'no errors, no field');
is_deeply(usage(1, $ac, $ap, $hour, 3, 1), ['AGAIN'],
    'app_usage recognizes a call that is sent twice');
is_deeply(usage(2, $ac, $ap, $hour + 18, 4, 0, $ac, $ap, $hour + 19, 5, 5),
    ['OK', 0], 'the last hour of a day, and the first of the next');
is_deeply(hash($ap, 'h20000'), { 5 => 3, '5e' => 1, 23 => 4 },
    'the last hour is counted in its own day');
is_deeply(hash($ap, 'h20001'), { 0 => 5, '0e' => 5 },
    'the first hour of the next day is counted there');
is_deeply(hash($ap, 'd625'), { 20_000 => 7, '20000e' => 1, 20_001 => 5,
    '20001e' => 5 }, 'the daily counters have both days');
is_deeply(usage(1, $ac, $ap, $hour, 1, 0), ['AGAIN'], 'a late one');
is_deeply(script('app_usage', [k('stats:from', 'b' x 34)], 1, $ac, $ap, $hour,
    10, 0), ['OK', 0], 'another sender has its own numbers');
is(hash($ap, 'h20000')->{5}, 13, 'app_usage adds up the calls of two senders');

my $day = 86_400;
cmp_ok(cmd('TTL', k('stats', $ac, $ap, 'h20000')), '>', 32 * $day,
    'hours are kept 31 days and the last');
cmp_ok(cmd('TTL', k('stats', $ac, $ap, 'd625')), '>', (396 + 32) * $day,
    'days 13 months and the last 32 in their key');
cmp_ok(cmd('TTL', $from), '>', $day - 60, 'the number a day');

cmd('SET', k('stats', $ac, $ap2, 'h20000'), 'x');
cmd('HSET', k('stats', $ac, $ap, 'h20000'), 6, 'x');
is_deeply(usage(3, $ac, $ap2, $hour, 1, 1, $ac, $ap, $hour + 1, 1, 0, $ac, $ap,
    $hour, 1, 0), ['OK', 3], 'damaged keys are counted');
is(hash($ap, 'h20000')->{5}, 14, 'the rest is kept');
is(hash($ap2, 'd625')->{20_000}, 2, 'the days, too');
cmd('SET', $from, 'x');
is_deeply(usage(4, $ac, $ap, $hour, 1, 0), ['OK', 0], 'an invalid number');

# --- error logs -------------------------------------------------------------

sub errors { return script('app_errors', [$from], @_) }
sub entries { return cmd('LRANGE', k('errors', $ac, $_[0]), 0, -1) }

is_deeply(errors(5, $ac, $ap, 1 .. 3), ['OK', 0],
    'app_errors stores three errors');
is_deeply(entries($ap), [3, 2, 1], 'the last one first');
is_deeply(errors(5, $ac, $ap, 1 .. 3), ['AGAIN'],
    'app_errors recognizes a call that is sent twice');
is_deeply(errors(6, $ac, $ap, 4 .. 1003), ['OK', 0],
    'app_errors stores a thousand errors in one call');
is_deeply(entries($ap), [reverse 4 .. 1003], 'the last thousand');
is_deeply(errors(7, $ac, $ap, 1004), ['OK', 0],
    'app_errors stores one more error');
is_deeply(entries($ap), [reverse 5 .. 1004],
    'the error log keeps only the last thousand entries');
cmp_ok(cmd('TTL', k('errors', $ac, $ap)), '>', 396 * $day, 'kept 13 months');
cmd('SET', k('errors', $ac, $ap2), 'x');
is_deeply(errors(8, $ac, $ap2, 1), ['OK', 1], 'a damaged key');
is(cmd('GET', k('errors', $ac, $ap2)), 'x',
    'app_errors does not change a damaged key');

done_testing();
