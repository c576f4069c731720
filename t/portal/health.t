#!/usr/bin/perl

# operator/health: the verdict, and the points of the last hours.

use strict;
use warnings;

use Test::More;

use RblPortal;

my $t = portal_setup(lists => 1);
my $operators = operators($t);
my $viewer = sign_in($t, role => 'viewer', acct => $operators);

sub health {
    my ($query) = @_;

    return accepted(portal($t, $viewer, 'GET', 'operator/health.json'
        . ($query // '')), 'operator/health' . ($query // ''))->{data};
}

my @names = qw(reports checks answered refused timed_out failed oldest delivered
    retried dead);
my $known = health('?hours=1');
is_deeply([sort keys %$known], [qw(conditions points step verdict)],
    'the answer has the verdict and the points');
is_deeply([map { $_->{reports} } @{ $known->{points} }], [(0) x 12],
    'an hour without a daemon has twelve points of which nothing is known');

# The points of now and of some minutes and days ago.  The test may lie on either
# side of a border: its points are those of one time.
my $now = int(time / 300);
sub put {
    my ($ago, @n) = @_;

    my $at = $now - $ago;
    redis($t->{redis}, 'SETRANGE', 'rbl:{0}:series:' . int($at / 288),
        40 * ($at % 288), pack 'N10', @n);
}
put(0, 1 .. 10);
put(1, 1, (100) x 9);
put(200, 3, 9, 8, 7, 6, 5, 4, 3, 2, 1);
put(287, 2, (1) x 9);
put(12 * 24 * 7 - 30, 4, (2) x 9);

sub at { my ($health, $ago) = @_;
    my $time = ($now - $ago) * 300;
    my @d = gmtime $time - $time % $health->{step};
    my $text = sprintf '%04d-%02d-%02dT%02d:%02d:%02d+00:00', $d[5] + 1900,
        $d[4] + 1, @d[3, 2, 1, 0];
    my ($p) = grep { $_->{time} eq $text } @{ $health->{points} };
    return $p ? join ' ', @$p{@names} : "none of $text";
}
my $hour = health('?hours=1');
is_deeply([$hour->{step}, at($hour, 0), at($hour, 1)],
    [300, join(' ', 1 .. 10), '1' . ' 100' x 9], 'the last hour has two points');
my $day = health();
is_deeply([$day->{step}, scalar @{ $day->{points} }, at($day, 200)],
    [300, 288, '3 9 8 7 6 5 4 3 2 1'], 'a day has points of yesterday, too');
my $week = health('?hours=168');
is_deeply([$week->{step}, scalar @{ $week->{points} }], [1800, 336],
    'a week has points of half an hour');
like(at($week, 12 * 24 * 7 - 30), qr/^4 2 2 2/, 'the week has a point of seven days ago');
my $sum = 0;
$sum += $_->{checks} for @{ $week->{points} };
is($sum, 2 + 100 + 9 + 1 + 2, 'points of half an hour have the sum of six');
my ($oldest) = sort { $b <=> $a } map { $_->{oldest} } @{ $week->{points} };
is($oldest, 100, 'of the times that checks waited they have the longest');
my @times = map { $_->{time} } @{ $week->{points} };
is_deeply(\@times, [sort @times], 'the points are in order');

refused(portal($t, $viewer, 'GET', "operator/health.json?hours=$_"), 400,
    qr/hours/, "hours=$_ is refused") for qw(0 169 x -1 1.5);
redis($t->{redis}, 'SET', 'rbl:{0}:series:' . int($now / 288), 'damaged');
is_deeply([map { $_->{reports} } @{ health('?hours=1')->{points} }],
    [(0) x 12], 'nothing is known of a day that is damaged')
    if $now % 288 >= 12;
redis($t->{redis}, 'DEL', 'rbl:{0}:series:' . int($now / 288));
redis($t->{redis}, 'HSET', 'rbl:{0}:series:' . int($now / 288), 1, 1);
is(scalar @{ health()->{points} }, 288,
    'a key of another type hides its day only');

done_testing();
