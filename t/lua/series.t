#!/usr/bin/perl

# Points of five minutes of the whole service; how the queries to each list ended
# in each hour.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { DAY => 20_900, DAY_MS => 86_400_000, MOST => 4_294_967_295 };

redis_new();
my @names = qw(checks answered refused timed_out failed oldest delivered retried
    dead);
my @of_list = qw(responses refusals failures);
my ($rba, $rbb) = (sid('RB'), sid('RB'));

sub at { script_clock(DAY * DAY_MS + $_[0] * 1000) }
# Nine numbers, and rows [list, three numbers].
sub add {
    my ($n, @lists) = @_;

    my %n;
    @n{@names} = @$n;
    return script('series_add', [k('leases')], %n, @lists ? (list =>
        [map { $_->[0] } @lists], map { my $i = $_; $of_list[$i - 1] =>
        [map { $_->[$i] } @lists] } 1 .. 3) : ());
}
sub series { return cmd('GET', k('series', DAY + ($_[0] // 0))) // '' }
sub point { return [unpack 'N10', substr series($_[1]), 40 * $_[0], 40] }
sub hours {
    my ($list, $hour, $day) = @_;
    my $raw = cmd('HGET', k('responses', DAY + ($day // 0)), $list) // '';
    return join ' ', length $raw, unpack 'N3', substr $raw, 12 * $hour, 12;
}
sub ends { my $ttl = cmd('PTTL', k($_[0], DAY)); return $ttl / 3_600_000 }

at(0);
is_deeply(add([1 .. 9]), ['OK'], 'a daemon reports at the beginning of a day');
is_deeply(point(0), [1, 1 .. 9], 'the first point has its numbers');
is(length series(), 40, 'the day has one point');
is(sprintf('%.0f', ends('series')), 8 * 24 + 1,
    'a day ends seven days and an hour after it');
at(299);
add([10, 0, 0, 0, 0, 3, 0, 0, 1]);
is_deeply(point(0), [2, 11, 2, 3, 4, 5, 6, 7, 8, 10],
    'a second report is added, but for the time: the longest one counts');
at(300);
add([(0) x 9]);
is_deeply([point(0)->[0], point(1)], [2, [1, (0) x 9]],
    'five minutes later another point begins');
at(86_399);
add([MOST, (1) x 8]);
add([MOST, (1) x 8]);
is_deeply(point(287), [2, MOST, 2, 2, 2, 2, 1, 2, 2, 2],
    'a number stays at the most that it can be');
is_deeply([length series(), point(200)], [11_520, [(0) x 10]],
    'a whole day has 288 points, also empty ones');
cmp_ok(cmd('MEMORY', 'USAGE', k('series', DAY)), '<', 32_000,
    'a day is small in the memory of Redis');
at(86_400);
add([7, (0) x 8]);
is_deeply([point(0, 1), length series()], [[1, 7, (0) x 8], 11_520],
    'the next day is another string');

at(3600);
add([(0) x 9], [$rba, 5, 0, 1], [$rbb, 0, 2, 0]);
is_deeply([hours($rba, 1), hours($rbb, 1)], ['288 5 0 1', '288 0 2 0'],
    'queries of two lists in an hour');
is_deeply({ @{ cmd('HGETALL', k('responded')) } },
    { $rba => DAY * DAY_MS + 3_600_000 },
    'a list that answered has the time of that, one that refused has not');
is(sprintf('%.0f', ends('responses')), 48,
    'the hours end a day and an hour after the day');
at(7199);
add([(0) x 9], [$rba, 1, 1, MOST]);
is(hours($rba, 1), '288 6 1 ' . MOST, 'a second report of the hour is added');
at(23 * 3600);
add([(0) x 9], [$rba, 1, 0, 0]);
is_deeply([hours($rba, 1), hours($rba, 23), hours($rba, 22)],
    ['288 6 1 ' . MOST, '288 1 0 0', '288 0 0 0'], 'hours are apart');
is(cmd('HGET', k('responded'), $rba), DAY * DAY_MS + 23 * 3_600_000,
    'the last answer counts');
cmd('HSET', k('responses', DAY), $rba, 'x');
add([(0) x 9], [$rba, 2, 0, 0]);
is(hours($rba, 23), '288 2 0 0', 'a damaged value begins again');
done_testing();
