#!/usr/bin/perl

# trend: the days of an account, hosts by the weight of their heaviest listing,
# and the lists that list them.  lists/mine: all lists, with the hosts on each.
# list/trend: the days of a list.

use strict;
use warnings;

use Test::More;

use RblPortal;

my $t = portal_setup(lists => 1);
my $me = sign_in($t, role => 'viewer');
my $ac = $t->{acct}{sid};

sub trend {
    my ($query) = @_;

    return accepted(portal($t, $me, 'GET', 'trend.json' . ($query // '')),
        'trend')->{data};
}
sub today { return int(time / 86_400) }
sub date_of { my @d = gmtime $_[0] * 86_400;
    return sprintf '%04d-%02d-%02d', $d[5] + 1900, $d[4] + 1, $d[3] }
sub weights { return join ' ', map { "$_->{weight} $_->{hosts} "
    . ($_->{yesterday} // 'null') } @{ $_[0]{weights} } }

my $empty = trend();
is_deeply([map { join ' ', map { $_ // 'null' }
        @$_{qw(date listed critical unknown new ended)} } @{ $empty->{days} }],
    [date_of(today()) . ' 0 0 0 0 0'], 'an account without hosts has today');
is(weights($empty), 'critical 0 null high 0 null normal 0 null info 0 null',
    'how yesterday ended is not known');
is_deeply([@$empty{qw(total_lists lists)}], [0, []], 'no list lists a host');

# Entries two days apart, the last one three days ago.
my $date = today();
redis($t->{redis}, 'SET', redis_key('days', $ac), join '', map {
    pack 'C*', 2, $_, 1, 0, 2, 1 } 1 .. 20);
sub put_today {
    redis($t->{redis}, 'SET', redis_key('today', $ac), record_pack('today',
        version => 1, date => $date, begun => 3, ended => 4, info_was => 1,
        normal_was => 2, high_was => 3, critical_was => 4,
        first => $date - 3 - 38, last => $date - 3, made => $date - 90, @_));
    return;
}
put_today();
my @lists = @{ redis($t->{redis}, 'ZRANGE', 'rbl:{0}:lists:active', 0, 30) };
redis($t->{redis}, 'HSET', redis_key('refs', $ac), w4 => 6, w1 => 1,
    map { ("$lists[$_]:h" => 30 - $_) } 0 .. 24);
redis($t->{redis}, 'HSET', redis_key('newly', $ac, $date - $_),
    $lists[0] => 1) for 0, 6, 7;
for my $case (['', 30], ['?days=7', 7], ['?days=400', 42]) {
    my ($query, $n) = @$case;
    my $days = trend($query)->{days};
    is(scalar @$days, $n, "trend$query has $n days");
    is_deeply([map { $_->{date} } @$days],
        [map { date_of($date - $_) } reverse 0 .. $n - 1],
        "trend$query has days without a gap, the last one today");
}
my $data = trend('?days=7');
is_deeply([map { join ' ', @$_{qw(listed critical unknown new ended)} }
        @{ $data->{days} }],
    ['18 1 0 0 0', '19 1 0 2 1', '19 1 0 0 0', '20 1 0 2 1', '20 1 0 0 0',
        '20 1 0 0 0', '0 6 0 3 4'],
    'days without an entry are as the one before, and today is as it is now');
is(weights($data), 'critical 6 4 high 0 3 normal 0 2 info 1 1',
    'hosts by weight, and when yesterday ended');
is_deeply([$data->{total_lists}, map { scalar @$_ } $data->{lists}], [25, 20],
    'no more than twenty lists');
is_deeply([map { "$_->{id} $_->{hosts} $_->{new}" } @{ $data->{lists} }[0, 1]],
    ["$lists[0] 30 2", "$lists[1] 29 0"],
    'the lists with most hosts are first, with what began in seven days');
# Groups: the default one, and others.
my $admin = sign_in($t);
accepted(portal($t, $admin, 'POST', 'contactgroup/add.json',
    fields => { name => $_ }), 'a group is added') for 'one', 'two';
my @groups = map { $_->{id} }
    @{ json(portal($t, $admin, 'GET', 'contactgroups.json'))->{data} };
sub groups {
    my %place = map { $groups[$_] => $_ } 0 .. $#groups;
    return join ' ', map { "$place{ $_->{id} }: $_->{hosts} "
        . ($_->{yesterday} // 'null') } @{ trend()->{groups} };
}
is(groups(), '', 'groups without listed hosts are left out');
redis($t->{redis}, 'HSET', redis_key('refs', $ac), "$groups[0]:l" => 5,
    "$groups[2]:l" => 1);
redis($t->{redis}, 'HSET', redis_key('moved', $ac, $date), $groups[0] => 2,
    $groups[1] => -3, $groups[2] => 9);
is(groups(), '0: 5 3 1: 0 3 2: 1 0',
    'listed hosts of each group, now and when yesterday ended');
redis($t->{redis}, 'SET', redis_key('moved', $ac, $date), 'damaged');
is(groups(), '0: 5 5 2: 1 1', 'damaged changes are left out');
redis($t->{redis}, 'DEL', redis_key('moved', $ac, $date));
put_today(made => $date);
is(groups(), '0: 5 null 2: 1 null',
    'of a new account it is not known how yesterday ended');
put_today(date => $date - 2);
is(weights(trend()), 'critical 6 6 high 0 0 normal 0 0 info 1 1',
    'yesterday ended as it is now if nothing has changed today');
put_today(made => $date);
is(weights(trend()), 'critical 6 null high 0 null normal 0 null info 1 null',
    'nothing is known of the time before the record was made');

# --- lists ----------------------------------------------------------------------

sub mine { return accepted(portal($t, $me, 'GET', 'lists/mine.json'),
    'lists/mine')->{data} }
sub list_trend {
    my ($id, $query) = @_;
    return accepted(portal($t, $me, 'GET', "list/trend/$id.json"
        . ($query // '')), "list/trend $id")->{data};
}
sub of { my ($id, $all) = @_; return (grep { $_->{list}{id} eq $id } @$all)[0] }
sub list_days { return join ', ', map { join ' ',
    @$_{qw(hosts new left)} } @{ $_[0]{days} } }

my $all = mine();
is_deeply([map { $_->{list}{id} } @$all], [map { $_->{id} } @{ accepted(
        portal($t, $me, 'GET', 'rbls.json?page_size=1000'), 'rbls')->{data} }],
    'lists/mine has the lists of rbls, in their order');
is_deeply([@{ of($lists[0], $all) }{qw(hosts new asked answers answered days)}],
    [30, 2, 0, 0, '', [30]], 'a list with hosts, of whose days none is known');
is(list_days(list_trend($lists[0])), '30 1 0', 'today alone is known');
redis($t->{redis}, 'SET', redis_key('trends', $ac), record_pack('trends',
    version => 1, first => $date - 5, last => $date - 1,
    lists => \pack('H12', substr $lists[0], 2), hosts => \"\x1c",
    days => \"\1\1\0\4\3\1\1\0\1\0"));
is(list_days(list_trend($lists[0], '?days=7')),
    '27 0 0, 29 3 1, 28 0 1, 28 0 0, 28 0 0, 30 1 0',
    'the days of a list: hosts, new listings, hosts that left');
is(list_days(list_trend($lists[1], '?days=7')),
    join(', ', ('0 0 0') x 5, '29 0 0'), 'a list without a change');
is_deeply([list_trend($lists[0])->{days}[-1]{date}, of($lists[0], mine())->{days},
        trend()->{lists}[0]{days}],
    [date_of($date), ([27, 29, 28, 28, 28, 30]) x 2],
    'the same in lists/mine and trend, the last day today');
my $own = accepted(portal($t, sign_in($t), 'POST', 'rbl/add.json', fields =>
    { host => 'own.list.test', type => 'rbl' }), 'an own list')->{data}{id};
is_deeply([@{ of($own, mine()) }{qw(hosts new weight)}], [0, 0, 'normal'],
    'own lists are among them');
my $s = int time;
my $covered = join '', map { pack 'H32 NN', substr($lists[$_], 2),
    $_ == 2 ? 0x40000000 : 0, $_ == 1 ? $s - 99_999 : $s - 9 } 0 .. 2;
my $class = '0123456789abcdef' . pack('NNN', 0, 0, $s) . 'RP' . '0' x 32
    . ':1:rbl;' . pack 'n3', 1, 2, 3;
redis($t->{redis}, 'SET', redis_key('coverage', $ac),
    mp_pack([1, \$covered, \$class]));
is_deeply([map { join ' ', @$_{qw(asked answers)}, $_->{answered} ? 1 : 0 }
        map { of($_, mine()) } @lists[0 .. 3]], ['1 1 1', '1 0 1', '1 0 0',
        '0 0 0'], 'when a list answered last for a host of the account');
is_deeply([@{ list_trend($lists[1]) }{qw(asked answers)}], [1, 0],
    'the same of one list');
for my $bytes ("\xc1", mp_pack([1, 9, 3, '', '', ''])) {
    redis($t->{redis}, 'SET', redis_key('trends', $ac), $bytes);
    is(list_days(list_trend($lists[0])), '30 1 0',
        'damaged days of lists are left out');
}
refused(portal($t, $me, 'GET', "list/trend/$lists[0].json?days=6"), 400,
    qr/days/, 'list/trend refuses too few days');

redis($t->{redis}, 'SET', redis_key('days', $ac), "\xff" x 9);
is_deeply([map { $_->{date} } @{ trend()->{days} }], [date_of($date)],
    'damaged days are left out');
for my $query ('?days=6', '?days=401', '?days=x', '?days=-7') {
    refused(portal($t, $me, 'GET', "trend.json$query"), 400, qr/days/,
        "trend refuses $query");
}
done_testing();
