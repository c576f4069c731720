#!/usr/bin/perl

# rblctl app stats and app errors: the contents of the store, as a table or JSON,
# with damaged records, too.

use strict;
use warnings;

use lib 't/lib';
use RblTest;

my $redis = start_redis();
init_store($redis);
my $acct = make_account($redis);
my ($ac, $ap) = @$acct{qw(sid app)};
my $other = make_account($redis, name => 'Other');

sub good {
    my ($name, @args) = @_;

    my $got = rblctl($redis, @args, '--json');
    is("$got->{status} $got->{err}", '0 ', $name);
    return $got->{status} == 0 ? json($got->{out}) : {};
}

sub bad {
    my ($name, $pattern, @args) = @_;

    my $got = rblctl($redis, @args);
    is($got->{status}, 3, "$name is refused with exit status 3");
    like($got->{err}, qr/\Arblctl: [^\n]*$pattern[^\n]*\n\z/,
        "$name: the error message has the reason");
    is($got->{out}, '', "$name: nothing is written to standard output");
}

# Away from the turn of the hour.
sleep 61 - time % 60 if time % 3600 > 3540;
my $hour = int(time / 3600);

sub sum {
    my ($unit, $part, %field) = @_;

    redis($redis, 'HSET', redis_key('stats', $ac, $ap, "$unit$part"), %field);
}

sub at {
    my ($seconds) = @_;

    my @t = gmtime $seconds;
    return sprintf '%04d-%02d-%02dT%02d:%02d:%02d+00:00', $t[5] + 1900,
        $t[4] + 1, @t[3, 2, 1, 0];
}

# --- no data ----------------------------------------------------------------

my $v = good('no requests', 'app', 'stats', $ac, $ap);
is_deeply([@$v{qw(account id unit requests errors)}], [$ac, $ap, 'hour', 0, 0],
    'app stats counts no requests without data');
is(scalar @{ $v->{data} }, 24, 'app stats shows 24 hours');
is($v->{data}[23]{time}, at($hour * 3600), 'the last hour is the present one');
like(rblctl($redis, 'app', 'stats', $ac, $ap)->{err}, qr/rbl_zone/,
    'a note names rbl_zone');
is_deeply(good('no errors', 'app', 'errors', $ac, $ap), [],
    'app errors is empty without data');

# --- hours and days ---------------------------------------------------------

for my $h (0, 1, 30, 743, 744) {
    my $at = $hour - $h;
    sum('h', int($at / 24), $at % 24 => 100 + $h, $at % 24 . 'e' => $h);
}
my %day;
for my $d (0, 1, 31, 32, 395, 396) {
    my $at = int($hour / 24) - $d;
    sum('d', int($at / 32), $at => 1000 + $d, "${at}e" => $d);
}

$v = good('24 hours', 'app', 'stats', $ac, $ap);
is_deeply([@$v{qw(requests errors)}], [201, 1],
    '24 hours contain the counters of two hours');
is_deeply($v->{data}[22], { time => at(($hour - 1) * 3600), requests => 101,
    errors => 1 }, 'each hour has its own counters');
$v = good('31 days of hours', 'app', 'stats', $ac, $ap, '--hours', 744);
is_deeply([@$v{qw(requests errors)}], [100 + 101 + 130 + 843, 774],
    '31 days of hours contain the counters of four hours');
is(scalar @{ $v->{data} }, 744, 'app stats shows 744 hours');
is($v->{data}[0]{requests}, 843, 'the first of 744 hours has its counter');
$v = good('13 months of days', 'app', 'stats', $ac, $ap, '--days', 396);
is_deeply([@$v{qw(unit requests errors)}],
    ['day', 1000 + 1001 + 1031 + 1032 + 1395, 459],
    '13 months contain the counters of five days');
is($v->{data}[0]{time}, at((int($hour / 24) - 395) * 86_400),
    'the first day is 395 days ago');
is(good('one day', 'app', 'stats', $ac, $ap, '--days', 1)->{requests}, 1000,
    'one day contains the counter of today');
is(good('another account', 'app', 'stats', @$other{qw(sid app)})->{requests},
    0, 'another account has no requests');

# --- as a table ---------------------------------------------------------------

my @line = split /\n/, rblctl($redis, 'app', 'stats', $ac, $ap)->{out};
is(scalar @line, 26, 'the table has a head, 24 hours and the sum');
like($line[-2], qr/^[\dT:+-]+ +100 +0$/, 'an hour without errors');
like($line[-3], qr/^[\dT:+-]+ +101 +1$/, 'an hour with an error');
like($line[-4], qr/^[\dT:+-]+ +0 +0$/, 'an hour without requests');
like($line[-1], qr/^all +201 +1$/, 'the last line has the sum of all hours');

# --- damaged records --------------------------------------------------------

my $key = redis_key('stats', $ac, $ap, 'h' . int $hour / 24);
redis($redis, 'HSET', $key, 'x', 5, '', 5, 'e', 5, '-1', 5, '99', 5, '1ee', 5,
    '9' x 30, 5, $hour % 24, '-7', $hour % 24 . 'e', 'many');
$v = good('strange fields', 'app', 'stats', $ac, $ap, '--hours', 1);
is_deeply([@$v{qw(requests errors)}], [0, 0],
    'app stats ignores strange fields');
redis($redis, 'DEL', $key);
redis($redis, 'SET', $key, 'x');
bad('a key of another type', 'WRONGTYPE', 'app', 'stats', $ac, $ap);
redis($redis, 'DEL', $key);

# --- errors -----------------------------------------------------------------

sub refusal {
    my ($time, %other) = @_;

    return record_pack('refusal', version => 1, time => $time,
        method => 'GET', path => '/3.0/x', code => 404, message => 'Unknown.',
        address => '192.0.2.1', %other);
}
my $log = redis_key('errors', $ac, $ap);
my $ms = 1_700_000_000_000;
# Two workers: the order is not exact.
redis($redis, 'LPUSH', $log, map { refusal($ms + $_ * 1000) }
    2, 3, 1, 5, 4, 6 .. 30);
$v = good('the last 20', 'app', 'errors', $ac, $ap);
is(scalar @$v, 20, 'app errors shows 20 entries by default');
is_deeply([map { $_->{time} } @$v],
    [map { at($ms / 1000 + $_) } 11 .. 30],
    'app errors shows the newest entry last');
$v = good('more', 'app', 'errors', $ac, $ap, '--last', 1000);
is_deeply([map { $_->{time} } @$v], [map { at($ms / 1000 + $_) } 1 .. 30],
    'app errors sorts the entries by time');
is_deeply($v->[0], { time => at($ms / 1000 + 1), address => '192.0.2.1',
    method => 'GET', path => '/3.0/x', code => 404, message => 'Unknown.' },
    'an entry has all fields of its record');
is(scalar @{ good('one', 'app', 'errors', $ac, $ap, '--last', 1) }, 1,
    'app errors --last 1 shows one entry');

redis($redis, 'LPUSH', $log, 'junk', refusal($ms + 99_000,
    path => "/\e]0;x\a\x7f", message => "\x{202e}\x{9b}\x{e9}",
    method => "\r\n"));
my $r = rblctl($redis, 'app', 'errors', $ac, $ap);
is($r->{status}, 0, 'app errors accepts strange entries');
unlike($r->{out}, qr/[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae/,
    'app errors escapes control characters');
like($r->{err}, qr/\Arblctl: An entry of the error log is damaged\.\n\z/,
    'app errors reports a damaged entry');
is(scalar(split /\n/, $r->{out}), 20, 'app errors shows the other entries');

$r = rblctl($redis, 'app', 'errors', $ac, $ap, '--last', 1, '--json');
unlike($r->{out}, qr/[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae/,
    'the JSON of app errors has no control characters');
$v = json($r->{out})->[0];
is_deeply([@$v{qw(path message method)}],
    ["/\e]0;x\a\x7f", "\x{202e}\x{9b}\x{e9}", "\r\n"],
    'the decoded JSON has the bytes of the entry');

# --- arguments --------------------------------------------------------------

my $none = 'AP' . '0' x 32;
for my $what ('stats', 'errors') {
    bad("$what of nothing", 'has no application', 'app', $what, $ac, $none);
    bad("$what of another account", 'has no application', 'app', $what,
        $other->{sid}, $ap);
    bad("$what of an invalid SID", 'is not the SID of an app',
        'app', $what, $ac, $ac);
}
bad("hours $_", 'it must be a whole number from 1 to 744', 'app',
    'stats', $ac, $ap, '--hours', $_) for 0, 745, 'x', '-1';
bad("days $_", 'it must be a whole number from 1 to 396', 'app', 'stats',
    $ac, $ap, '--days', $_) for 0, 397, '';
bad("last $_", '--last must be a whole number from 1 to 1000', 'app',
    'errors', $ac, $ap, '--last', $_) for 0, 1001;
bad('hours and days', 'not both', 'app', 'stats', $ac, $ap, '--hours', 1,
    '--days', 1);

done_testing();
