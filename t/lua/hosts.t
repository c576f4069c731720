#!/usr/bin/perl

# Scripts that change hosts: all or none, uniqueness, plan limit, ranges.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { ID => 1, VALUE => 2, NAME => 3, TYPE => 4, PARENT => 6,
    STATUS => 7, PROFILE => 8, GROUPS => 9, LISTED => 13 };

redis_new();
my ($ac, $acct) = account(max_hosts => 10);

sub card { return cmd('ZCARD', k($_[0], $ac)) }

# The totals match the indexes, and an index that has changed since the last
# call has a new stamp; returns those indexes.
my %stamp;
sub totals_changed {
    my $t = unpacked(cmd('GET', k('totals', $ac)));
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is_deeply([@$t[2, 4]], [card('hosts'), card('listed')],
        'the totals match the indexes');
    my %now = (hosts => $t->[1], listed => $t->[3]);
    my @changed = grep { $now{$_} != ($stamp{$ac}{$_} // 0) } sort keys %now;
    ok(!(grep { $now{$_} < ($stamp{$ac}{$_} // 0) } @changed),
        'the stamps of the totals never decrease');
    $stamp{$ac} = \%now;
    return "@changed";
}
sub host { return unpacked(cmd('GET', k('r', $ac, $_[0]))) }
sub refs { return cmd('HGET', k('refs', $ac), $_[0]) }

my (undef, $rp, $cg) = @{ chosen($acct) };

is(script('account_put', [$acct], name => 'x', timezone => 'UTC', plan => 'p',
    paid => 0, hosts => 0, contacts => 0, interval => 60, profile => sid('RP'),
    group => sid('CG'), checks => 0, shortest => 0)->[0], 'EXISTS',
    'an account is created once');

# one host

my $r = add_host($acct, 'rbl', '192.0.2.1');
is($r->[0], 'OK', 'a host is added');
my $h = unpacked($r->[1]);
my $ht = $h->[ID];
is($h->[VALUE], '192.0.2.1', 'the record has the value');
is($h->[PROFILE], $rp, 'the default profile');
is_deeply($h->[GROUPS], [$cg], 'the default group');
is(cmd('HGET', k('uniq', $ac), 'rbl|192.0.2.1'), $ht,
    'the unique index has the host');
ok(cmd('ZSCORE', k('due', $ac), $ht), 'the first check of the host is due');
ok(cmd('ZSCORE', k('due'), $ac), 'the account has its turn');
is(refs($rp), 1, 'the profile is in use');
is(refs("$cg:h"), 1, 'the group is in use');

is(cmd('EXISTS', k('totals', $ac)), 0, 'no totals until they are counted');
is(script('totals_make', [$acct])->[0], 'OK', 'totals_make counts the totals');
is(totals_changed(), 'hosts listed', 'both totals have new stamps');
is(script('totals_make', [k('acct', sid('AC'))])->[0], 'ACCOUNT',
    'of accounts that are there');

is(add_host($acct, 'rbl', '192.0.2.1')->[0], 'EXISTS', 'twice is refused');
is(totals_changed(), '', 'a refused host does not change the totals');
is(add_host($acct, 'uribl', '192.0.2.1')->[0], 'OK', 'another type is not');
is(script('host_add', [$acct], name => 'n', type => 'rbl', family => 1,
    profile => sid('RP'), host => sid('HT'), value => '192.0.2.9')->[0],
    'PROFILE', 'a foreign profile is refused');
is(script('host_add', [$acct], name => 'n', type => 'rbl', family => 1,
    group => sid('CG'), host => sid('HT'), value => '192.0.2.9')->[0], 'GROUP',
    'a foreign group is refused');
is(card('hosts'), 2, 'a refused request changes nothing');

# expansion and limit

$r = add_host($acct, 'rbl', map { "192.0.2.$_" } 0 .. 3);
is(scalar @$r, 4, 'of a subnet those that exist are skipped');
is(card('hosts'), 5, 'the others are there');
is(totals_changed(), 'hosts', 'the totals count the new hosts');
for my $bad (['SET', 'x'], ['SET', packed([2, 1, 2, 3, 4])], ['SET', ''],
    ['SET', packed([1, 'x', 'y'])], ['HSET', 'a', 'b'])
{
    my ($command, @value) = @$bad;
    cmd('DEL', k('totals', $ac));
    cmd($command, k('totals', $ac), @value);
    my $new = add_host($acct, 'rbl', '192.0.2.200');
    is($new->[0], 'OK', 'unreadable totals do not prevent an addition');
    is(cmd('EXISTS', k('totals', $ac)), 0,
        'host_add deletes unreadable totals');
    script('totals_make', [$acct]);
    script('host_delete', [$acct], host => unpacked($new->[1])->[ID],
        keep => 1000);
    is(totals_changed(), 'hosts listed',
        'totals_make counts both totals again');
}
$r = add_host($acct, 'rbl', map { "192.0.2.$_" } 10 .. 15);
is_deeply($r, ['LIMIT', 10], 'the limit of the plan holds for all or none');
is(card('hosts'), 5, 'nothing was added');

# update

my $cg2 = sid('CG');
cmd('ZADD', k('groups', $ac), 9, $cg2);
is(script('host_update', [$acct], host => $ht, named => '1',
    name => 'new name', groups => [$cg2, $cg2])->[0], 'OK',
    'name and groups change');
$h = host($ht);
is($h->[NAME], 'new name', 'the host has the new name');
is_deeply($h->[GROUPS], [$cg2], 'a group named twice is there once');
is(refs("$cg2:h"), 1, 'the new group is in use');
is(refs("$cg:h"), 4, 'the old one by one less');
is(script('host_update', [$acct], host => sid('HT'), named => '1',
    name => 'x')->[0], 'HOST', 'an unknown host');
is(script('host_update', [$acct], host => $ht, named => '1', name => 'x',
    profile => sid('RP'))->[0], 'PROFILE', 'an unknown profile');
is(host($ht)->[NAME], 'new name', 'a refused update changed nothing');

# pause and resume

is(script('host_status', [$acct], host => $ht, status => 'paused')->[0], 'OK',
    'host_status pauses the host') for 1, 2;
is(host($ht)->[STATUS], 'paused', 'the host is paused');
ok(!cmd('ZSCORE', k('due', $ac), $ht), 'a paused host is not scheduled');
is(script('host_status', [$acct], host => $ht, status => 'active')->[0], 'OK',
    'host_status resumes the host');
ok(cmd('ZSCORE', k('due', $ac), $ht), 'due at once');

# delete

is(script('host_delete', [$acct], host => $ht, keep => 1000)->[0], 'OK',
    'host_delete deletes the host');
is(script('host_delete', [$acct], host => $ht, keep => 1000)->[0], 'HOST',
    'the host does not exist');
ok(!cmd('EXISTS', k('r', $ac, $ht)), 'the deleted host has no record');
ok(!cmd('HGET', k('uniq', $ac), 'rbl|192.0.2.1'),
    'the deleted host is not in the unique index');
ok(!cmd('ZSCORE', k('due', $ac), $ht), 'the deleted host is not scheduled');
ok(!refs("$cg2:h"), 'no group counts the deleted host');

# a range

my ($ac2, $acct2) = account();
$ac = $ac2;
$r = add_host($acct2, 'rbl', '198.51.100.1');
my $own = unpacked($r->[1])->[ID];
$r = add_host($acct2, 'ip_range', '198.51.100.0/30',
    map { "198.51.100.$_" } 0 .. 3);
is(scalar @$r, 5, 'a range, and children but for the one that exists');
my @all = records(@$r[1 .. 4]);
my $range = $all[0][ID];
is($all[0][TYPE], 'ip_range', 'the range comes first');
is($all[1][PARENT], $range, 'a child knows its range');
is($all[1][NAME], 'name 198.51.100.0',
    'a child is named after its range and its address');
is(cmd('ZCARD', k('kids', $ac, $range)), 3, 'the range has three children');
is(add_host($acct2, 'ip_range', '198.51.100.0/30', '198.51.100.9')->[0],
    'EXISTS', 'the same range again');

script('host_status', [$acct2], host => $range, status => 'paused');
is_deeply([map { host($_->[ID])->[STATUS] } @all], [('paused') x 4],
    'a pause acts on the children');
is(host($own)->[STATUS], 'active', 'a host outside the range stays active');
script('host_status', [$acct2], host => $range, status => 'active');
is_deeply([map { host($_->[ID])->[STATUS] } @all], [('active') x 4],
    'a resume too');
script('host_update', [$acct2], host => $range, named => '1',
    name => 'office');
is_deeply([map { host($_->[ID])->[NAME] } @all[0, 1]],
    ['office', 'office 198.51.100.0'],
    'a new name of the range renames its children');

# a listed child counts in its range, until it is deleted

my $kid = $all[1][ID];
my $pp = sid('PP');
script('check_start', [$acct2], check => $pp, host => $kid, keep => 60_000);
begin($acct2, $pp, $kid);
script('totals_make', [$acct2]);
totals_changed();
finish_check($acct2, $pp, $kid, [listed_result('RBa')]);
is(totals_changed(), 'listed', 'a listing is counted');
is(host($range)->[LISTED], 1, 'the range is listed by its child');
is(card('listed'), 1, 'listings show the child');
script('host_status', [$acct2], host => $range, status => 'paused');
is(card('listed'), 0, 'the listings do not show a child of a paused range');
is(totals_changed(), 'listed', 'the pause changes the total of listings');
script('host_status', [$acct2], host => $range, status => 'active');
is(card('listed'), 1, 'the listings show the child of the resumed range');
is(totals_changed(), 'listed',
    'the resumed range changes the total of listings');
script('host_status', [$acct2], host => $range, status => 'active');
is(totals_changed(), '', 'a second resumption changes no total');
script('check_start', [$acct2], check => $pp = sid('PP'), host => $kid,
    keep => 60_000);
begin($acct2, $pp, $kid);
finish_check($acct2, $pp, $kid, [listed_result('RBa')]);
is(totals_changed(), '', 'a current listing changes nothing');
script('check_start', [$acct2], check => $pp = sid('PP'), host => $kid,
    keep => 60_000);
begin($acct2, $pp, $kid);
finish_check($acct2, $pp, $kid, [result('RBa', 'clear')]);
is(totals_changed(), 'listed', 'one that ends does');
script('check_start', [$acct2], check => $pp = sid('PP'), host => $kid,
    keep => 60_000);
begin($acct2, $pp, $kid);
finish_check($acct2, $pp, $kid, [listed_result('RBa')]);
is(totals_changed(), 'listed', 'a new listing changes the total of listings');
script('host_delete', [$acct2], host => $kid, keep => 1000);
is(host($range)->[LISTED], 0, 'a deleted child does not count');
is(card('listed'), 0, 'the listings do not show a deleted child');
is(totals_changed(), 'hosts listed',
    'the deletion of a child changes both totals');
script('host_delete', [$acct2], host => $range, keep => 1000);
is(card('hosts'), 1, 'a deleted range takes its children along');
is(totals_changed(), 'hosts', 'all of them');

done_testing();
