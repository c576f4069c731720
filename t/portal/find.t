#!/usr/bin/perl

# hosts/find and counts: what text, state, group, profile and sort find; pages
# while hosts come and go; what is refused.

use strict;
use warnings;

use Test::More;

use RblPortal;

my $t = portal_setup();
my $me = sign_in($t, role => 'viewer');
my $admin = sign_in($t, role => 'admin');
my $ac = $t->{acct}{sid};

sub query {
    my (@o) = @_;

    my @q;
    while (my ($field, $value) = splice @o, 0, 2) {
        utf8::encode($value);
        push @q, "$field=" . $value
            =~ s/([^A-Za-z0-9_.-])/sprintf '%%%02X', ord $1/ger;
    }
    return join '&', @q;
}
sub find {
    my (%o) = @_;

    return accepted(portal($t, $me, 'GET', 'hosts/find.json?' . query(%o)),
        'hosts/find');
}
sub names { return join ' ', map { $_->{name} } @{ find(@_)->{data} } }
sub all {
    my (%o) = @_;

    my ($after, @all) = ('');
    do {
        my $r = find(%o, after => $after);
        push @all, @{ $r->{data} };
        $o{between}->() if $o{between};
        $after = $r->{next};
    } while defined $after;
    return @all;
}
sub add {
    my ($host, $name, %fields) = @_;

    my $r = accepted(portal($t, $admin, 'POST', 'host/add.json', fields =>
        { host => $host, name => $name,
            type => $host =~ m{/} ? 'ip_range'
                : $host =~ /[g-z]/ ? 'uribl' : 'rbl', %fields }), 'host/add');
    return $r->{data}[0]{id};
}
sub counts {
    my $c = accepted(portal($t, $me, 'GET', 'counts.json'), 'counts')->{data};
    return join ' ', map { "$_ $c->{$_}" } grep { $c->{$_} }
        qw(hosts listed unknown uncovered paused clear ranges critical high
        normal info);
}

is_deeply([@{ find() }{qw(data next looked)}], [[], undef, 0],
    'a new account has no hosts');
is(counts(), '', 'none is counted');

# --- what is found -----------------------------------------------------------

my %id = (
    a => add('192.0.2.1', 'a'),
    markup => add('192.0.2.2', '<b>"&amp;\\'),
    apple => add('192.0.2.3', "\xc4pfel"),
    star => add('192.0.2.4', '* star'),
    six => add('2001:db8::1', 'Six'),
    domain => add('mail.example.org', 'MAIL.example.org'),
    rtl => add('192.0.2.6', "\x{202e}rtl"),
);
my $long = "\x{1f4e7}" x 255;
$id{long} = add('192.0.2.5', $long);
my $range = add('198.51.100.0/30', 'Net');

sub ids { return join ' ', sort map { $_->{id} } @{ find(@_)->{data} } }
my %one = (a => ['A'], markup => ['<B>"&aMp;\\'], apple => ["\xc4p"],
    star => ['*'], six => ['2001:DB8:'], domain => ['mail.EX'],
    rtl => ["\x{202e}"], long => [$long, "\x{1f4e7}"]);
for my $name (sort keys %one) {
    is(ids(text => $_), $id{$name}, "$name is found") for @{ $one{$name} };
}
is(ids(text => "\xe4p"), '', 'only ASCII letters have two cases');
is(ids(text => '192.0.2.*'), '', 'a star is no pattern');
is(ids(text => '[a'), '', 'a bracket is no pattern');
is(names(text => '192.0.2.', limit => 3), "a <b>\"&amp;\\ \xc4pfel",
    'hosts are found in the order of their values');
is(ids(text => '198.51.100'), join(' ', sort map { $_->{id} } grep {
    $_->{type} eq 'ip_range' || $_->{parent} eq $range } all()),
    'addresses of a range are found, and the range');
is(ids(text => 'net 198.51.100.3'), ids(text => '198.51.100.3'),
    'addresses of a range are found by their names');
is(names(sort => 'name', limit => 3), '* star <b>"&amp;\\ a',
    'sorted by name');
is(names(limit => 2), 'a <b>"&amp;\\', 'hosts are sorted by creation');
is(join(' ', map { $_->{host} } all(sort => 'address', limit => 4)),
    join(' ', map({ "192.0.2.$_" } 1 .. 6), '198.51.100.0/30',
        map({ "198.51.100.$_" } 0 .. 3), '2001:db8::1', 'mail.example.org'),
    'sorted by address: a range before its addresses, domains last');
is(scalar(grep { $_->{state} ne ($_->{type} eq 'ip_range' ? 'range'
    : 'unknown') } all()), 0, 'none was checked yet');
is(join(' ', map { $_->{host} } @{ find(sort => 'address', parent => 'none',
    text => '')->{data} }), join(' ', map({ "192.0.2.$_" } 1 .. 6),
    '198.51.100.0/30', '2001:db8::1', 'mail.example.org'),
    'ranges without their addresses');
is(join(' ', map { $_->{host} } all(parent => $range, limit => 3)),
    join(' ', map { "198.51.100.$_" } 0 .. 3), 'the addresses of a range');
is(ids(parent => $id{a}), '', 'a host that is no range has no addresses');
is(counts(), 'hosts 13 unknown 12 ranges 1',
    'counts.json counts the unknown hosts and the range');

# --- states ------------------------------------------------------------------

list_host($t, $id{six}, since => 5_000);
list_host($t, $id{a}, since => 9_000);
accepted(portal($t, $admin, 'POST', "host/pause/$id{star}.json", fields => {}),
    'the portal pauses a host');
is(counts(), 'hosts 13 listed 2 unknown 9 paused 1 ranges 1',
    'counts.json counts the hosts of each state');
is(names(state => 'listed'), 'a Six', 'the listed hosts are found');
is(names(sort => 'since'), 'Six a',
    'the hosts that are listed longest come first');
is(names(state => 'listed', sort => 'name'), 'a Six',
    'the listed hosts are sorted by name');
is(names(state => 'listed', text => '2001'), 'Six', 'text and state');
is(names(state => 'paused'), '* star', 'the paused host is found');
is(names(state => $_), '', "no one is $_") for 'clear', 'uncovered';
is(scalar @{ find(state => 'unknown')->{data} }, 9,
    'the unknown hosts are found');
accepted(portal($t, $admin, 'POST', "host/pause/$range.json", fields => {}),
    'the portal pauses a range');
is(counts(), 'hosts 13 listed 2 unknown 5 paused 6', 'a range is paused');
is(scalar @{ find(state => 'paused', text => '198.')->{data} }, 5,
    'a paused range is found with its addresses');
is(find(state => 'listed')->{data}[0]{state}, 'listed',
    'the found host has the state listed');

# --- text in the middle ------------------------------------------------------

is(names(text => 'EXAMPLE', part => 1), '', 'parts come after the beginnings');
is(join(' ', map { $_->{name} } all(text => 'EXAMPLE', part => 1)),
    'MAIL.example.org', 'a part of a name is found');
is(join(' ', map { $_->{host} } all(text => '2.', part => 1, limit => 2)),
    '192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.4 192.0.2.6 192.0.2.5',
    'a part of a value is found, in the order of creation');
is(join(' ', sort map { $_->{host} } all(text => '198', part => 1,
    limit => 3)), '198.51.100.0 198.51.100.0/30 198.51.100.1 198.51.100.2'
    . ' 198.51.100.3', 'what begins with the text comes once');
is(join(' ', all(text => '2.', part => 0)), '',
    'a part of a value is not looked for without part');
is(join(' ', all(text => 'p.el', part => 1)), '', 'a text is no pattern');
is(join(' ', all(text => 'zzz', part => 1)), '', 'nothing has that text');

# --- listings ----------------------------------------------------------------

sub listing_of {
    my ($host, %with) = @_;

    my $key = redis_key('r', $ac, $id{$host});
    my $h = record('host', redis($t->{redis}, 'GET', $key));
    my $now = time * 1000;
    redis($t->{redis}, 'SET', $key, record_pack('host', %$h,
        name => \$h->{name}, value => \$h->{value}, details => [map {
        ['RB' . '0' x 31 . $_, "list$_.test", '', 'why', ['127.0.0.2'], $now,
        $now, 0, 0, $with{$_}, 0, [], 0, $with{$_}] } sort keys %with]));
    forget($t, $ac);
    return;
}
listing_of('six', 1 => 4, 2 => 1);
my $rb = 'RB' . '0' x 31;
is(names(list => $rb . 1), 'a Six', 'hosts on a list are found');
is(names(list => $rb . 2), 'Six', 'hosts on another list are found');
is(names(list => $rb . 3), '', 'no host is on the third list');
is(names(weight => 'critical'), 'Six', 'the heaviest listing counts');
is(names(weight => 'info'), '', 'a lighter listing does not count');
is(names(weight => 'normal'), 'a', 'a weight that is not known is normal');
is(names(list => $rb . 1, weight => 'critical', text => '2001'), 'Six',
    'list, weight and text together');
is(names(list => $rb . 1, state => 'unknown'), '',
    'an unknown host is on no list');
is(names(since => 24), '', 'no host is listed since yesterday');
list_host($t, $id{six}, since => time * 1000 - 7_200_000);
is(names(since => 1), '', 'the host is listed for more than an hour');
is(names(since => 3), 'Six', 'the host is listed within three hours');
is(names(since => 3, sort => 'since'), 'Six',
    'hosts of these hours are sorted by time, too');
is(names(since => 3, list => $rb . 2), '',
    'no host is on another list within these hours');
list_host($t, $id{six}, since => 5_000);
redis($t->{redis}, 'HSET', redis_key('refs', $ac), w4 => 1, w2 => 1);
is(counts(), 'hosts 13 listed 2 unknown 5 paused 6 critical 1 normal 1',
    'counts.json counts the listed hosts by weight');
my ($six) = grep { $_->{id} eq $id{six} } @{ find()->{data} };
is_deeply([@{ $six->{listed_details}[0] }{qw(host id weight)}],
    ['list1.test', $rb . 1, ''], 'a host has the lists that list it');

# --- groups and profiles -----------------------------------------------------

my $group = accepted(portal($t, $admin, 'POST', 'contactgroup/add.json',
    fields => { name => 'G' }), 'group')->{data}{id};
my $profile = accepted(portal($t, $admin, 'POST', 'rblprofile/add.json',
    fields => { name => 'P' }), 'profile')->{data}{id};
accepted(portal($t, $admin, 'POST', "host/update/$id{a}.json", fields =>
    { contact_group => $group }), 'the portal changes the group of a host');
accepted(portal($t, $admin, 'POST', "host/update/$id{$_}.json", fields =>
    { rbl_profile => $profile }),
    'the portal changes the profile of a host') for 'a', 'apple';
is(names(group => $group), 'a', 'of a group');
is(names(profile => $profile), "a \xc4pfel", 'of a profile');
is(names(profile => $profile, text => "\xc4"), "\xc4pfel",
    'a profile and a text together find one host');
is(names(profile => $profile, group => $group, state => 'listed',
    sort => 'since'), 'a', 'all filters together find one host');
my $foreign = json(call($t, 'GET', 'contactgroups.json',
    auth => $t->{other}))->{data}[0]{id};
my $foreign_profile = json(call($t, 'GET', 'rblprofiles.json',
    auth => $t->{other}))->{data}[0]{id};
call($t, 'POST', 'host/add.json', auth => $t->{other}, form =>
    { host => '192.0.2.99', name => 'foreign', type => 'rbl' });
is(ids(text => '192.0.2.99'), '', 'hosts of others are not found');

# --- refusals ----------------------------------------------------------------

my $next = find(limit => 1)->{next};
ok($next, 'a page that is not the last has a cursor');
for (['text', 'x' x 256], ['text', "a\0"], ['text', "a\nb"],
    ['state', 'range'], ['state', 'Listed'], ['state', '1'],
    ['group', $foreign], ['group', 'CG' . '0' x 32], ['group', 'x'],
    ['list', 'x'], ['list', $profile], ['weight', 'heavy'],
    ['weight', 4], ['since', 0], ['since', 9999], ['since', 'x'], ['part', 2],
    ['parent', 'x'],
    ['parent', $profile],
    ['group', $profile], ['profile', $foreign_profile], ['profile', $group],
    ['sort', 'value'], ['limit', 0], ['limit', 501], ['limit', 'x'],
    ['limit', -1], ['after', 'x'], ['after', "$next%"], ['after', "x$next"],
    ['after', 'n6G'], ['after', 'n' . '61' x 2000], ['after', "$next\0"],
    ['after', 'n61'], ['after', 's' . 9 x 300 . 'HT' . '0' x 32])
{
    my ($field, $value) = @$_;
    refused(portal($t, $me, 'GET', 'hosts/find.json?'
        . query($field, $value)), 400, qr/\b$field\b/,
        "$field " . substr($value, 0, 20) =~ s/[^ -~]/?/gr);
}
refused(portal($t, $me, 'GET', 'hosts/find.json?text=%ff'), 400, qr/\btext\b/,
    'what is not UTF-8');
is(scalar @{ find(map { $_ => '' } qw(text state group profile list weight
    since parent part sort after limit))->{data} }, 13,
    'empty fields are as good as none');

# --- pages -------------------------------------------------------------------

add("203.0.113.$_", "page $_") for 1 .. 40;
is(join(' ', grep { /^203/ } map { $_->{host} } all(sort => 'address')),
    join(' ', map { "203.0.113.$_" } 1 .. 40), 'addresses are numbers');
my $serial = 0;
for my $o ({}, { sort => 'name' }, { sort => 'address' }, { text => '203.' },
    { text => 'PAGE' }, { state => 'unknown' })
{
    # a range would take its addresses along
    my %stay = map { $_->{id} => $_->{type} ne 'ip_range' }
        all(%$o, limit => 500);
    my %seen;
    $seen{ $_->{id} }++ for all(%$o, limit => 7, between => sub {
        my ($id) = grep { $stay{$_} } keys %stay;
        portal($t, $admin, 'POST', "host/delete/$id.json", fields => {});
        delete $stay{$id};
        add('203.0.113.' . (100 + $serial), 'page ' . $serial++);
    });
    my $name = join ' ', %$o;
    is(scalar(grep { $_ > 1 } values %seen), 0, "none comes twice: $name");
    is(scalar(grep { !$seen{$_} } keys %stay), 0, "each comes: $name");
}

# a damaged record and a damaged index
redis($t->{redis}, 'SET', redis_key('r', $ac, $id{markup}), 'x');
my $r = portal($t, $me, 'GET', 'hosts/find.json?text=203');
is($r->{status}, 200, 'other hosts are found');
redis($t->{redis}, 'DEL', redis_key('find', $ac));
redis($t->{redis}, 'SET', redis_key('find', $ac), 'x');
$r = portal($t, $me, 'GET', 'hosts/find.json?text=203');
is($r->{status}, 503, 'an index that is none');
redis($t->{redis}, 'DEL', redis_key('states', $ac));
redis($t->{redis}, 'SET', redis_key('states', $ac), 'x');
is(portal($t, $me, 'GET', 'counts.json')->{status}, 503, 'of states, too');

done_testing();
