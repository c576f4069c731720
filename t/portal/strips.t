#!/usr/bin/perl

# hosts/strips: the last 30 days of hosts, from their listings and histories;
# the addresses of ranges; bounds.

use strict;
use warnings;

use Test::More;

use RblPortal;

use constant { DAY => 86_400_000, DAYS => 30 };

my $t = portal_setup();
my $me = sign_in($t, role => 'viewer');
my $admin = sign_in($t, role => 'admin');
my $ac = $t->{acct}{sid};
# The first moment of today, and now; no test runs over midnight.
sleep 30 if time % 86_400 > 86_400 - 30;
my $now = time * 1000;
my $today = $now - $now % DAY;
my @list = map { 'RB' . '0' x 31 . $_ } 1 .. 9;

sub strips {
    my (@ids) = @_;

    return accepted(portal($t, $me, 'GET', 'hosts/strips.json?hosts='
        . join ',', @ids), 'hosts/strips');
}
sub days { return strips(@_)->{data}[0]{days} }

my $n = 0;
sub add {
    my ($host, $type) = @_;

    return accepted(portal($t, $admin, 'POST', 'host/add.json', fields =>
        { host => $host, name => 'n', type => $type // 'rbl' }),
        'host/add')->{data}[0]{id};
}
sub set {
    my ($id, %with) = @_;

    my $key = redis_key('r', $ac, $id);
    my $h = record('host', redis($t->{redis}, 'GET', $key));
    redis($t->{redis}, 'SET', $key, record_pack('host', %$h,
        name => \$h->{name}, value => \$h->{value}, checked => $now,
        created => $now - 60 * DAY, %with));
    return $id;
}
sub new { return set(add('192.0.2.' . ++$n), @_) }
sub listing { my ($list, $since) = @_;
    return [$list, 'l.test', '', 'why', ['127.0.0.2'], $since] }
# [days ago, list, status]...
sub history {
    my ($id, @changes) = @_;

    redis($t->{redis}, 'XADD', redis_key('hist', $ac, $id),
        $today - $_->[0] * DAY . '-*', 'c', sid_of('PP'), 't',
        mp_pack([[\$_->[1], \'l.test', \$_->[2], \'']])) for @changes;
    return $id;
}
# The days of these letters, counted from today, on '-' or another ground.
sub strip {
    my (%of) = @_;

    my $strip = ($of{ground} // '-') x DAYS;
    for my $letter (grep { length == 1 } keys %of) {
        substr $strip, DAYS - 1 - $_, 1, $letter for @{ $of{$letter} };
    }
    return $strip;
}

is_deeply([@{ accepted(portal($t, $me, 'GET', 'hosts/strips.json'),
    'hosts/strips without hosts') }{qw(left data)}], [0, []],
    'the answer has no strips without hosts');
is(days(new()), strip(), 'a host without a listing has no letter for one');
is(days(set(add('192.0.2.200'), created => $now, checked => 0)),
    strip(ground => 'n', u => [0]), 'a new host is not known');
is(days(new(created => $now - 3 * DAY)), strip(ground => 'n',
    '-' => [0 .. 3]), 'a host was not there before it was added');
is(days(new(listed_count => 1, first_listed => $now - 2 * DAY, details =>
    [listing($list[0], $now - 2 * DAY)])), strip(l => [0 .. 2]),
    'a current listing lasts until today');
is(days(history(new(), [9, $list[0], 'listed'], [7, $list[0], 'clear'])),
    strip(l => [7 .. 9]), 'a listing that ended is in the history');
is(days(history(new(), [9, $list[0], 'listed'], [9, $list[0], 'clear'],
    [4, $list[0], 'listed'], [3, $list[0], 'ended'])), strip(l => [9, 3, 4]),
    'two listings are apart');
is(days(history(new(), [40, $list[0], 'listed'], [20, $list[0], 'clear'])),
    strip(l => [20 .. 29]), 'a listing began before these days');
is(days(history(new(), [12, $list[0], 'listed'], [11, $list[1], 'listed'],
    [10, $list[0], 'clear'], [8, $list[1], 'clear'])), strip(l => [8 .. 12]),
    'listings of two lists are one');
is(days(new(unknown_count => 1, troubled =>
    [[$list[0], 'timeout', $now - 3 * DAY, 9]])), strip(u => [0 .. 3]),
    'a list gives no answer');
is(days(history(new(unknown_count => 1), [2, $list[0], 'listed'],
    [0, $list[0], 'clear'])), strip(l => [0 .. 2]),
    'a listing counts more than what is not known');
is(days(new(uncovered => 1, troubled => [])), strip(u => [0]), 'no list applies');
is(days(new(checked => $now - 5 * DAY)), strip(u => [0 .. 4]),
    'a host that is not checked is not known');
is(days(new(checked => $now - 5 * DAY, listed_count => 1, first_listed =>
    $now - 8 * DAY, details => [listing($list[0], $now - 8 * DAY)])),
    strip(u => [0 .. 4], l => [5 .. 8]),
    'a listing lasts no longer than the host is checked');

# --- several, and ranges -----------------------------------------------------

my $range = add('198.51.100.0/29', 'ip_range');
my $r = strips($range);
is_deeply($r->{data}, [{ id => $range, addresses => 8, listed => 0,
    unclear => 8 }], 'no address of a new range was checked');
my @kids = @{ redis($t->{redis}, 'ZRANGE', redis_key('kids', $ac, $range), 0,
    -1) };
redis($t->{redis}, 'ZREM', redis_key('states', $ac), @kids[0 .. 5]);
list_host($t, $kids[1]);
set($range, listed_count => 1);
is_deeply(strips($range)->{data}, [{ id => $range, addresses => 8, listed => 1,
    unclear => 2 }], 'addresses of a range by their state');

my ($one, $two) = (new(), new());
my $other = json(call($t, 'POST', 'host/add.json', auth => $t->{other}, form =>
    { host => '192.0.2.1', name => 'n', type => 'rbl' }))->{data}[0]{id};
is(join(' ', map { $_->{id} } @{ strips($one, $other, sid_of('HT'), $range,
    $two)->{data} }), "$one $range $two",
    'hosts of others, and those that are gone, are left out');
redis($t->{redis}, 'SET', redis_key('r', $ac, $one), 'x');
is(join(' ', map { $_->{id} } @{ strips($one, $two)->{data} }), $two,
    'a damaged record is left out');
for my $bad ('x', "$two,x", join(',', ($two) x 51), $two =~ s/HT/CG/r) {
    refused(portal($t, $me, 'GET', "hosts/strips.json?hosts=$bad"), 400,
        qr/\bhosts\b/, 'hosts ' . substr $bad, 0, 40);
}

# a host with a long history, asked for as often as may be
my $long = new();
redis($t->{redis}, 'XADD', redis_key('hist', $ac, $long),
    $today - 29 * DAY + $_ * 10_000_000 . '-0', 'c', sid_of('PP'), 't',
    mp_pack([[\$list[0], \'l.test', \($_ % 2 ? 'clear' : 'listed'), \'']]))
    for 1 .. 200;
$r = strips(($long) x 50);
cmp_ok($r->{left}, '>', 40, 'long histories are read a few at a time');
is(scalar(@{ $r->{data} }), 50 - $r->{left},
    'the others are for the next call');
like($r->{data}[0]{days}, qr/^u{3,}-?l+-*$/,
    'of a history that is too long the first days are not known');

done_testing();
