#!/usr/bin/perl

# host/lists, host/alerts and host/history: the state of a host at each of its
# lists, who is notified, and the changes that the checks found.

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
is_deeply([map { "$_->{status} $_->{error} $_->{asked}" } @lists],
    [('unknown unasked ') x @lists],
    'every list is unknown before the first check, which has not asked it');
my ($list) = grep { $_->{lookup} =~ /^https/ && $_->{delisting} } @lists;
ok($list, 'a list has links to look up and to delist');
like($list->{lookup}, qr/192\.0\.2\.1/, 'the lookup link has the address');

# Lists that answered as given, the others gave an answer in the check.
my $at = int(time) * 1000 - 60_000;
sub answered {
    my (%o) = @_;

    my ($fields, $coverage) = host_answers($at,
        map { [$_->{id}, @{ $o{ $_->{id} } // [] }] } @lists);
    redis($t->{redis}, 'SET', redis_key('coverage', $ac), $coverage);
    return %$fields;
}
sub of_status {
    my ($data, $status) = @_;
    return scalar grep { $_->{status} eq $status } @{ $data->{lists} };
}

put($id, checked => $at);
$data = lists_of($id);
is_deeply([map { "$_->{status} $_->{error}" } @{ $data->{lists} }],
    [('unknown unrecorded') x @lists],
    'no list is clear if the record does not say that it answered');
put($id, answered());
$data = lists_of($id);
is(of_status($data, 'clear'), @lists, 'all are clear after a check');
like($data->{lists}[0]{asked}, qr/^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/,
    'a time of RFC 3339');

my @errors = qw(blocked hijacked timeout servfail refused badreply truncated
    network unhealthy name quota resolver unconfirmed frozen disagree);
my @silent = grep { $_ != $list } @lists;
put($id, answered($list->{id} => [3, 200], map { ($silent[$_ - 1]{id} => [$_,
    $_ % 2 ? 60 : ()]) } 1 .. 15), listed_count => 1, first_listed => $at,
    details => [[$list->{id}, $list->{host}, '', 'why <b>',
        ['127.0.0.2'], $at, $at, 3, 0]],
    troubled => [[$silent[2]{id}, 'timeout', $at, 4]]);
$data = lists_of($id);
my %of = map { $_->{id} => $_ } @{ $data->{lists} };
is_deeply([@{ $of{ $list->{id} } }{qw(status error errors details)}, @{
    $of{ $list->{id} }{codes} }], ['listed', 'timeout', 3, 'why <b>',
    '127.0.0.2'], 'a current listing of a list that is unknown now');
is_deeply([map { $of{ $silent[$_ - 1]{id} }{error} } 1 .. 15], \@errors,
    'each of fifteen unknown lists has its reason');
is_deeply([map { $of{ $silent[$_ - 1]{id} }{asked} ne '' || 0 } 1 .. 15],
    [map { $_ % 2 } 1 .. 15], 'an unknown list has the time of its last answer, if it has one');
is($of{ $silent[2]{id} }{errors}, 4,
    'a list whose silent checks are counted has their number');
is(of_status($data, 'unknown') . ' ' . of_status($data, 'clear'),
    '15 ' . (@lists - 16), 'all others are clear');

put($id, answered($lists[0]{id} => [0, 120], $lists[1]{id} => [0]),
    details => [], listed_count => 0, first_listed => 0);
$data = lists_of($id);
is(of_status($data, 'skipped'), 2, 'lists that the check left out are skipped');
is_deeply([map { $_->{asked} ne '' || 0 } @{ $data->{lists} }[0 .. 1]], [1, 0],
    'a skipped list has the time of its last answer, if it has one');

my @all = @lists;
@lists = @all[0 .. $#all - 1];
put($id, answered());
@lists = @all;
$data = lists_of($id);
is("@{ $data->{lists}[-1] }{qw(status error)}", 'unknown unasked',
    'a list that was added after the last check is not clear');
put($id, answered(), checked => $at + 1);
is(of_status(lists_of($id), 'clear'), 0,
    'answers of another check than the last one are not believed');
put($id, answered(), unknown_count => 1);
is(of_status(lists_of($id), 'clear'), 0,
    'answers of fewer unknown lists than the last check had are not believed');
for my $bad ('', 'x', "\0" x 5, 'x' x 70) {
    put($id, answered(), answers => \$bad);
    is(of_status(lists_of($id), 'clear'), 0,
        'damaged answers of ' . length($bad) . ' bytes make no list clear');
}
put($id, answered(), status => 'paused');
is_deeply([map { "$_->{status} $_->{error}" } @{ lists_of($id)->{lists} }],
    [('unknown paused') x @lists], 'no list of a paused host is clear');
put($id, answered(), status => 'active');

my $gone = sid_of('RB');
put($id, answered(), details => [[$gone, 'gone.test', '',
    'why', [], $at, $at, 0, 0]]);
$data = lists_of($id);
is_deeply([@{ $data->{lists}[-1] }{qw(id host status)}],
    [$gone, 'gone.test', 'listed'],
    'a listing by a list that no longer checks the host');

my $range = json(call($t, 'POST', 'host/add.json', form => { name => 'r',
    host => '198.51.100.0/30', type => 'ip_range' }))->{data}[0]{id};
is_deeply(lists_of($range)->{lists}, [], 'a range has no lists of its own');

# --- who is notified ---------------------------------------------------------

sub alerts_of {
    my ($id) = @_;

    return accepted(portal($t, $me, 'GET', "host/alerts/$id.json"),
        'host/alerts')->{data};
}
my $group = json(call($t, 'POST', 'contactgroup/add.json',
    form => { name => 'Mail' }))->{data}{id};
accepted(call($t, 'POST', "host/update/$id.json",
    form => { contact_group => $group }), 'a host in a group');
is_deeply(alerts_of($id), { contacts => [], groups => [{ id => $group,
    name => 'Mail', total_contacts => 0, active_contacts => 0,
    contacts => [] }] }, 'a group without a contact notifies nobody');
my @contacts = map { json(call($t, 'POST', 'contact/add.json', form => {
    type => 'email', contact => "c$_\@example.test", contact_group => $group,
    schedule => 'start_and_end' }))->{data}{id} } 1 .. 12;
redis($t->{redis}, 'ZADD', redis_key('hears', $ac, $group), 1, $_)
    for @contacts[0 .. 10];
my $alerts = alerts_of($id);
is_deeply([@{ $alerts->{groups}[0] }{qw(total_contacts active_contacts)},
    scalar @{ $alerts->{groups}[0]{contacts} }], [12, 11, 10],
    'how many contacts a group has, and ten of those that are active');
is_deeply([map { $_->{contact}{id} } @{ $alerts->{contacts} }],
    $alerts->{groups}[0]{contacts}, 'host/alerts has the contacts that its groups name');
is($alerts->{contacts}[0]{weight}, 'info', 'a contact of host/alerts has its least weight');

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
