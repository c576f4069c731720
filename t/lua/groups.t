#!/usr/bin/perl

# Contact groups: exactly one is always the default; a group in use, or the last
# one, cannot be deleted.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { GROUPS => 9 };

redis_new();
my ($ac, $acct) = account();
my ($oc, $other) = account();
my $first = default_group();
my $theirs = chosen($other)->[2];

sub default_group { return chosen($acct)->[2] }
sub group { return unpacked(cmd('GET', k('r', $ac, $_[0])) // return undef) }
sub groups { return cmd('ZRANGE', k('groups', $ac), 0, -1) }
sub add {
    my ($name, $default) = @_;
    my $sid = sid('CG');
    is(script('group_add', [$acct], group => $sid, name => $name,
        is_default => $default // '0')->[0], 'OK',
        "group_add adds the group $name");
    return $sid;
}
sub update { my ($cg, %o) = @_;
    return script('group_update', [$acct], group => $cg, %o)->[0] }
sub del { return script('chosen_delete', [$acct], id => $_[0],
    index => 'groups') }
sub refused_all {
    my ($name, $code) = @_;
    my @keys = sort @{ cmd('KEYS', '*') };
    my @before = map { cmd('DUMP', $_) } @keys;
    $code->();
    is_deeply([sort @{ cmd('KEYS', '*') }], \@keys, "$name: the same keys");
    is_deeply([map { cmd('DUMP', $_) } @keys], \@before,
        "$name: nothing changed");
}

# add

my $sid = sid('CG');
my $r = script('group_add', [$acct], group => $sid, name => 'Ops',
    is_default => '0');
is($r->[0], 'OK', 'group_add adds a group');
is_deeply([@{ unpacked($r->[1]) }[0 .. 2]], [1, $sid, 'Ops'],
    'group_add returns the record of the group');
is_deeply(group($sid), unpacked($r->[1]), 'equals the stored one');
cmp_ok(group($sid)->[3], '>', 1_700_000_000_000,
    'the record has the time of its creation');
is_deeply(groups(), [$first, $sid], 'sorted by creation');
is(default_group(), $first, 'the default stays');
my $night = add('Night', '1');
is(default_group(), $night, 'group_add makes the new group the default');
is(cmd('ZCARD', k('groups', $ac)), 3, 'the account has three groups');
is(script('group_add', [k('acct', sid('AC'))], group => sid('CG'), name => 'x',
    is_default => '0')->[0], 'ACCOUNT',
    'group_add refuses an unknown account');

# update

is(update($sid, named => '1', name => 'Desk'), 'OK',
    'group_update changes the name');
is(group($sid)->[2], 'Desk', 'the group has the new name');
is(default_group(), $night, 'the default is not');
is(update($sid, is_default => '1'), 'OK',
    'group_update makes the group the default');
is(default_group(), $sid, 'the group is the default');
is(group($sid)->[2], 'Desk', 'the name stays');
is(update($sid, named => '1', name => 'Desk 2', is_default => '1'), 'OK',
    'group_update accepts the group that is the default');
is(default_group(), $sid, 'the group stays the default');
is(update($night, is_default => '0'), 'OK', '0 on another changes nothing');
is(update($sid), 'OK',
    'group_update accepts a request without changes');
refused_all('0 on the default' => sub {
    is(update($sid, named => '1', name => 'Other', is_default => '0'),
        'DEFAULT',
        'another one must become the default');
});
refused_all('unknown' => sub {
    is(update($_, named => '1', name => 'Other', is_default => '1'), 'GROUP',
        'no such group')
        for sid('CG'), $theirs, '';
});

# delete

refused_all('unknown' => sub {
    is(del($_)->[0], 'GROUP', 'no such group') for sid('CG'), $theirs, '';
});
is(cmd('ZCARD', k('groups', $oc)), 1, 'the other account keeps its group');
my $ht = unpacked(script('host_add', [$acct], name => 'n', type => 'rbl',
    family => 1, group => $night, host => sid('HT'),
    value => '192.0.2.1')->[1])->[1];
refused_all('used by a host' => sub { is_deeply(del($night), ['USED', 1],
    'used') });
is(script('host_update', [$acct], host => $ht, groups => [$sid, $first])->[0],
    'OK', 'the host has others');
is_deeply(unpacked(cmd('GET', k('r', $ac, $ht)))->[GROUPS], [$sid, $first],
    'the host keeps the order of its groups');
is_deeply(del($night), ['OK'], 'no host has it');
ok(!group($night), 'the record is deleted');
is_deeply(groups(), [$first, $sid], 'the index has no deleted group');
is(default_group(), $sid, 'the default stays');
my $co = sid('CO');
is(script('contact_add', [$acct], contact => $co, type => 'email',
    value => 'a@b.example', schedule => 'every_check', digest => 'd',
    code => 'c', event => sid('EV'), groups => $first)->[0], 'OK',
    'contact_add adds a contact with the group');
is(script('host_delete', [$acct], host => $ht, keep => 1)->[0], 'OK',
    'host_delete deletes the host');
refused_all('used by a contact' => sub { is_deeply(del($first), ['USED', 1],
    'used') });
is(del($sid)->[0], 'OK', 'the default, which nothing uses');
is(default_group(), $first, 'the only other one takes its place');
refused_all('used and the last' => sub { isnt(del($first)->[0], 'OK', 'stays') });
is(script('contact_delete', [$acct], contact => $co)->[0], 'OK',
    'contact_delete deletes the contact');
refused_all('the last one' => sub { is_deeply(del($first), ['LAST'], 'stays') });
ok(!cmd('EXISTS', k('refs', $ac)), 'no use is counted');

# the new default after a deletion is chosen at random

my @many = map { add("n$_") } 1 .. 8;
my %new;
for (1 .. 60) {
    my $gone = default_group();
    is(del($gone)->[0], 'OK', 'the default goes') or last;
    my $now = default_group();
    isnt($now, $gone, 'another takes its place');
    ok(defined cmd('ZSCORE', k('groups', $ac), $now),
        'the new default is in the index');
    $new{ scalar grep { $_ lt $now } @{ groups() } }++;
    add('again');
}
cmp_ok(scalar keys %new, '>=', 4,
    'the new default is not always the same group');

# many

add("m$_") for cmd('ZCARD', k('groups', $ac)) + 1 .. 1000;
refused_all('one more' => sub {
    is_deeply(script('group_add', [$acct], group => sid('CG'), name => 'x',
        is_default => '1'), ['LIMIT', 1000],
        'group_add refuses a group beyond 1,000');
});

# Limit of groups per host or contact; the hosts of a range change at once, and
# their cost does not grow with addresses times groups.

my @fifty = @{ groups() }[0 .. 49];
my $range = sid('HT');
is(script('host_add', [$acct], name => 'n', type => 'ip_range', family => 1,
    group => $fifty[0], range => $range, net => '10.0.0.0/24',
    host => [map { sid('HT') } 0 .. 255],
    value => [map { "10.0.0.$_" } 0 .. 255])->[0], 'OK',
    'host_add adds a range');
sub change { return script('host_update', [$acct], host => $range,
    groups => \@_) }
cmd('CONFIG', 'RESETSTAT');
is(change(@fifty)->[0], 'OK', 'host_update gives the range fifty groups');
my %calls = cmd('INFO', 'commandstats') =~ /^cmdstat_(\w+):calls=(\d+)/mg;
cmp_ok($calls{hset}, '<=', $calls{eval}, 'all are counted once a slice');
is_deeply([map { cmd('HGET', k('refs', $ac), "$_:h") } @fifty], [(257) x 50],
    'each group counts all hosts of the range');
is_deeply(unpacked(cmd('GET', k('r', $ac, cmd('ZRANGE', k('kids', $ac, $range),
    -1, -1)->[0])))->[GROUPS], \@fifty, 'every address has them');
my @new = (contact => $co = sid('CO'), type => 'email',
    value => 'b@b.example', schedule => 'every_check', digest => 'd',
    code => 'c', event => sid('EV'));
refused_all('one more' => sub {
    my @more = (@fifty, groups()->[50]);
    is_deeply(change(@more), ['GROUPS', 50], 'a host has at most fifty groups');
    is_deeply(script('contact_add', [$acct], @new, groups => \@more),
        ['GROUPS', 50],
        'a new contact has at most fifty groups');
});
is(script('contact_add', [$acct], @new, groups => [@fifty, @fifty])->[0], 'OK',
    'each named twice is there once');
refused_all('one more' => sub {
    is_deeply(script('contact_update', [$acct], contact => $co,
        groups => [@{ groups() }[0 .. 50]]), ['GROUPS', 50],
        'a contact has at most fifty groups');
});
is(script('host_delete', [$acct], host => $range, keep => 1)->[0], 'OK',
    'the range goes');
is(script('contact_delete', [$acct], contact => $co)->[0], 'OK',
    'the contact goes');
ok(!cmd('EXISTS', k('refs', $ac)), 'no use is counted');

# fields that a later version added stay

cmd('SET', k('chosen', $ac), packed([@{ chosen($acct) }, 'newer']));
is(update($first = groups()->[3], is_default => '1'), 'OK',
    'group_update makes another group the default');
is(chosen($acct)->[-1], 'newer', 'the rest of the record stays');

done_testing();
