#!/usr/bin/perl

# host/lists and host/history: the state of a host at each of its lists, and the
# changes that the checks found.

use strict;
use warnings;

use Test::More;

use RblPortal;

my $t = portal_setup(lists => 1);
my $me = sign_in($t, role => 'viewer');
my $ac = $t->{acct}{sid};

sub lists_of {
    my ($id) = @_;

    return accepted(portal($t, $me, 'GET', "host/lists/$id.json"),
        'host/lists')->{data};
}

# Changes the record of a host by hand.
sub put {
    my ($id, %value) = @_;

    my $key = redis_key('r', $ac, $id);
    my $host = record('host', redis($t->{redis}, 'GET', $key));
    redis($t->{redis}, 'SET', $key, record_pack('host', %$host,
        name => \$host->{name}, value => \$host->{value}, %value));
    forget($t, $ac);
}

my $id = add_host($t, '192.0.2.1')->{id};
my $data = lists_of($id);
is($data->{host}{id}, $id, 'host/lists has the host');
my @lists = @{ $data->{lists} };
cmp_ok(scalar @lists, '>', 20, 'the lists of its profile');
is(scalar(grep { $_->{status} ne '' } @lists), 0,
    'the state is not known before the first check');
my ($list) = grep { $_->{lookup} =~ /^https/ && $_->{delisting} } @lists;
ok($list, 'a list has links to look up and to delist');
like($list->{lookup}, qr/192\.0\.2\.1/, 'the lookup link has the address');

my $at = int(time) * 1000 - 60_000;
put($id, checked => $at);
$data = lists_of($id);
is(scalar(grep { $_->{status} ne 'clear' } @{ $data->{lists} }), 0,
    'all are clear after a check');
like($data->{lists}[0]{asked}, qr/^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/,
    'a time of RFC 3339');

put($id, listed_count => 1, first_listed => $at, unknown_count => 2,
    details => [[$list->{id}, $list->{host}, '', 'why <b>', ['127.0.0.2'],
        $at, $at, 3, 0]],
    troubled => [[$lists[1]{id}, 'timeout', $at, 4]]);
$data = lists_of($id);
is($data->{unknown_unnamed}, 0, 'all unknown lists are named');
my %of = map { $_->{id} => $_ } @{ $data->{lists} };
is_deeply([@{ $of{ $list->{id} } }{qw(status errors details)}, @{
    $of{ $list->{id} }{codes} }], ['listed', 3, 'why <b>', '127.0.0.2'],
    'a current listing of a list that is unknown now');
is_deeply([@{ $of{ $lists[1]{id} } }{qw(status error errors)}],
    ['unknown', 'timeout', 4], 'an unknown list, and why');
is(scalar(grep { $_->{status} eq 'clear' } @{ $data->{lists} }), @lists - 2,
    'the others are clear');

put($id, unknown_count => 5);
$data = lists_of($id);
is($data->{unknown_unnamed}, 3, 'unknown lists that the record does not name');
is(scalar(grep { $_->{status} eq 'clear' } @{ $data->{lists} }), 0,
    'no list is shown as clear');

my $gone = sid_of('RB');
put($id, unknown_count => 0, troubled => [], details => [[$gone, 'gone.test', '',
    'why', [], $at, $at, 0, 0]]);
$data = lists_of($id);
is_deeply([@{ $data->{lists}[-1] }{qw(id host status)}],
    [$gone, 'gone.test', 'listed'],
    'a listing by a list that no longer checks the host');

my $range = json(call($t, 'POST', 'host/add.json', form => { name => 'r',
    host => '198.51.100.0/30', type => 'ip_range' }))->{data}[0]{id};
is_deeply(lists_of($range)->{lists}, [], 'a range has no lists of its own');

# --- history -----------------------------------------------------------------

sub history_of {
    my ($id) = @_;

    return accepted(portal($t, $me, 'GET', "host/history/$id.json"),
        'host/history')->{data};
}

is_deeply(history_of($id), [], 'no changes yet');
my $pp = sid_of('PP');
for my $n (1 .. 3) {
    redis($t->{redis}, 'XADD', redis_key('hist', $ac, $id), "$n" . '000-0',
        'c', $pp, 't', mp_pack([map { [\$list->{id}, \$list->{host},
            \($n % 2 ? 'listed' : 'clear'), \'127.0.0.2'] } 1 .. $n]));
}
my $history = history_of($id);
is(scalar @$history, 6, 'the history has each change');
is_deeply([@{ $history->[0] }{qw(time id status codes check)}],
    ['1970-01-01T00:00:03+00:00', $list->{id}, 'listed', '127.0.0.2', $pp],
    'the newest first');
redis($t->{redis}, 'XADD', redis_key('hist', $ac, $id), '9000-0', 't', 'x');
is(scalar @{ history_of($id) }, 6, 'a malformed entry is left out');

done_testing();
