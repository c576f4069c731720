#!/usr/bin/perl

# list and lists/state: the record of a list, what the daemons found last at its
# test points, and the state that they share.

use strict;
use warnings;

use Test::More;

use RblPortal;

my $secret = 'k3y0fthelist';
my $t = portal_setup(lists => 1);
my $me = sign_in($t, role => 'viewer');
my $ac = $t->{acct}{sid};
my $partition = 'rbl:{' . partition_of($ac) . '}';
my @sids = @{ redis($t->{redis}, 'ZRANGE', "$partition:lists:active", 0, -1) };
my $id = $sids[3];

sub list_of {
    my ($list) = @_;

    return accepted(portal($t, $me, 'GET', "list/$list.json"), 'list')->{data};
}

sub states {
    my $data = accepted(portal($t, $me, 'GET', 'lists/state.json'),
        'lists/state')->{data};
    return map { $_->{id} => $_ } @$data;
}

# Changes the record of a list by hand.
sub put {
    my ($list, %value) = @_;

    my $key = "$partition:r:SYS:$list";
    redis($t->{redis}, 'SET', $key, record_pack('list',
        %{ record('list', redis($t->{redis}, 'GET', $key)) }, %value));
}

# --- the record --------------------------------------------------------------

put($id, name => \'B & <b>', day_quota => 100, rate => 5, min_interval => 900,
    note => \'only for the operator', codes => ['127.0.0.2=spam source'],
    lookup => \'https://list.test/?q={ip}', servers => \'192.0.2.1@53',
    zone => \'{key}.list.test');
redis($t->{redis}, 'HSET', 'rbl:{0}:lists:keys', '{key}.list.test', $secret);
my $r = portal($t, $me, 'GET', "list/$id.json");
unlike($r->{raw}, qr/\Q$secret\E|only for the operator|192\.0\.2\.1/,
    'no key, no note, no server');
my $data = accepted($r, 'list')->{data};
is_deeply([@{ $data->{list} }{qw(id custom status name host)}],
    [$id, 0, 'active', 'B & <b>', '{key}.list.test'],
    'the response has the list');
is_deeply([@$data{qw(day_quota rate min_interval lookup)}, @{ $data->{codes} }],
    [100, 5, 900, 'https://list.test/?q={ip}', '127.0.0.2=spam source'],
    'what else its record has');
is_deeply([@$data{qw(quota_used quota_left frozen turned of refusing
    refusing_till)}], [0, 100, '', 0, 0, '', ''], 'no state yet');
is_deeply($data->{tests}, [], 'no daemon has tested it');
put($sids[0], day_quota => 0);
is(list_of($sids[0])->{quota_left}, -1, 'a list without a quota');

# --- state that daemons share ------------------------------------------------

my $now = int(time) * 1000;
my $day = int(time / 86_400);
my $key = redis_key('list', $id);

sub shared {
    my (%value) = @_;

    redis($t->{redis}, 'DEL', $key);
    redis($t->{redis}, 'HSET', $key, %value);
    return list_of($id);
}

$data = shared(day => $day, used => 40, since => $now - 60_000,
    till => $now + 240_000, frozen => $now - 3_600_000, turned => 12,
    of => 30);
is_deeply([@$data{qw(quota_used quota_left turned of)}], [40, 60, 12, 30],
    'the response has the shared numbers of the list');
like($data->{$_}, qr/^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/, "$_: a time")
    for qw(frozen refusing refusing_till);
my %state = states();
is(scalar keys %state, scalar @sids, 'all active lists have a state');
is_deeply([@{ $state{$id} }{qw(quota_left frozen refusing_till)}],
    [60, @$data{qw(frozen refusing_till)}], 'the same state');
is_deeply([@{ $state{ $sids[0] } }{qw(quota_left frozen refusing_till)}],
    [-1, '', ''], 'another list has none of it');

is(shared(day => $day - 1, used => 40)->{quota_left}, 100,
    'a count of yesterday is void');
is(shared(day => $day, used => 140)->{quota_left}, 0, 'never below 0');
is(shared(since => $now - 9000, till => $now - 1000)->{refusing}, '',
    'a refusal that is over');
is(shared(till => $now + 7_200_000)->{refusing_till}, '',
    'the clock was set back');
is(shared(turned => 3, of => 5)->{of}, 0, 'only a frozen list was frozen by');
is(shared(day => $day, used => 'x', till => -1, frozen => 'x')->{quota_left},
    100, 'nonsense counts as nothing');

# --- how queries ended -------------------------------------------------------

my $hour = int(time % 86_400 / 3600);
sub responded {
    my (@hours) = @_;           # [hours ago, answered, refused, failed], ...

    my %day = map { $_ => "\0" x 288 } $day, $day - 1;
    for (@hours) {
        my ($ago, @n) = @$_;
        my $at = 24 * $day + $hour - $ago;
        substr($day{ int($at / 24) }, $at % 24 * 12, 12) = pack 'N3', @n;
    }
    redis($t->{redis}, 'HSET', "rbl:{0}:responses:$_", $id, $day{$_})
        for keys %day;
    return @{ list_of($id)->{responses} }{qw(answered refused failed)};
}
is_deeply([@{ list_of($id) }{qw(responses responded)}],
    [{ answered => 0, refused => 0, failed => 0, hours => '-' x 24 }, ''],
    'nothing is known of a list that nobody has queried');
is_deeply([responded([0, 5, 1, 0], [23, 10, 0, 7])], [15, 1, 7],
    'the queries of this hour and the 23 before it are counted');
is(list_of($id)->{responses}{hours}, '5' . '-' x 22 . '7',
    'the share that was answered is shown by the hour');
is_deeply([responded([24, 10, 0, 7], [1, 2, 3, 4])], [2, 3, 4],
    'queries of an hour before these are not counted')
    if $hour < 23;
redis($t->{redis}, 'HSET', 'rbl:{0}:responded', $id, $now);
like(list_of($id)->{responded}, qr/^2\d{3}-/, 'the time of the last answer');
is_deeply([@{ { states() }->{$id} }{qw(responses responded)}],
    [@{ list_of($id) }{qw(responses responded)}],
    'lists/state has the same of this list');
is({ states() }->{ $sids[0] }{responses}{answered}, 0, 'lists/state has no queries of another list');
redis($t->{redis}, 'HSET', "rbl:{0}:responses:$day", $id, 'damaged');
is(list_of($id)->{responses}{answered} < 15, 1, 'a damaged day is left out');

# --- what the daemons found --------------------------------------------------

sub daemon {
    my ($name, $lists) = @_;

    redis($t->{redis}, 'ZADD', 'rbl:{0}:daemons', $now++, $name);
    redis($t->{redis}, 'SET', "rbl:{0}:daemon:$name", ref $lists
        ? mp_pack([1, $name, 'v', 1, 1, [], [], $lists]) : $lists);
    return;
}

sub found {
    my (%of) = @_;

    return [map { [\"$_", \"$_.test", \($of{$_}[0] // 'good'),
        \($of{$_}[1] // 'passes'), (1) x 10, $of{$_}[2] // 3000] } @sids];
}

# "STATE REASON SECOND", for each test; the times are of 1970-01-01.
sub tests_of {
    my ($data) = @_;

    return [map { "$_->{state} $_->{reason} "
        . ($_->{since} =~ s/^1970-01-01T00:00:(\d\d)\+00:00$/$1/r) }
        @{ $data->{tests} }];
}

daemon('old', found($id => ['unsupported', 'no_family', 4000]));
daemon("of$_", found()) for 1 .. 5;
daemon('late', found($id => ['wildcarding', 'wildcard', 9000]));
daemon('two', [reverse @{ found($id => ['wildcarding', 'sample', 5000],
    $sids[0] => ['<b>', 'passes'], $sids[1] => ['down', '<b>', 0]) }]);
my @states = ('good passes 03', 'wildcarding sample 05');
is_deeply(tests_of(list_of($id)), [@states, 'unsupported no_family 04'],
    'each state once, with the reason and the time of the first daemon');
%state = states();
is_deeply(tests_of($state{$id}), [@states, 'unsupported no_family 04'],
    'the states of all lists have the tests in any order');
is(join(' ', map { @{ tests_of($state{$_}) } } @sids[0, 1, -1]),
    'good passes 03 good passes 03 down   good passes 03',
    'unknown words of a daemon are left out');
daemon('three', "\x98\x01");
is_deeply(tests_of(list_of($id)), \@states,
    'the eight daemons seen last count; a damaged record does not');
redis($t->{redis}, 'DEL', map { "rbl:{0}:daemon:$_" } 'late', 'two', 'three');
is_deeply(tests_of(list_of($id)), ['good passes 03'],
    'a daemon that has expired does not count');

# --- own and killed lists ----------------------------------------------------

my $own = json(call($t, 'POST', 'rbl/add.json', form => { type => 'uribl',
    host => 'own.list.test' }))->{data}{id};
$data = list_of($own);
is_deeply([@{ $data->{list} }{qw(id custom host status)}, $data->{quota_left}],
    [$own, 1, 'own.list.test', 'active', -1], 'an own list');
my $other = json(call($t, 'POST', 'rbl/add.json', auth => $t->{other},
    form => { type => 'rbl', host => 'o.list.test' }))->{data}{id};
is(portal($t, $me, 'GET', "list/$other.json")->{status}, 404,
    'a list of another account is not found');
is((states())[0] eq $own || exists { states() }->{$own} ? 1 : 0, 0,
    'own lists share no state');

my $host = record('list', redis($t->{redis}, 'GET',
    "$partition:r:SYS:$sids[5]"))->{zone};
is(rblctl($t->{redis}, 'lists', 'kill', $host, 'sold')->{status}, 0,
    'rblctl kills the list');
$data = list_of($sids[5]);
is_deeply([$data->{list}{status}, $data->{reason}], ['killed', 'sold'],
    'a killed list, and why');
ok(!exists { states() }->{ $sids[5] }, 'a killed list is not among the others');

redis($t->{redis}, 'SET', "$partition:r:SYS:$sids[6]", "\x91\x01");
is(portal($t, $me, 'GET', "list/$sids[6].json")->{status}, 500,
    'a record that cannot be read');
ok(!exists { states() }->{ $sids[6] },
    'a list that cannot be read is left out among others');

redis($t->{redis}, 'DEL', "$partition:lists:active");
is_deeply({ states() }, {}, 'lists/state is empty without lists');

# --- a free plan -------------------------------------------------------------

my $free = sign_in($t, acct => make_account($t->{redis}, free => 1));
is(portal($t, $free, 'GET', "list/$sids[1].json")->{status}, 200,
    'a user of a free plan sees a list');
is(portal($t, $free, 'GET', 'rbls.json')->{status}, 403,
    'a user of a free plan does not see the table of lists');

done_testing();
