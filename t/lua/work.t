#!/usr/bin/perl

# Changes of many records are made in slices: all checks that can refuse come
# before the first change, the store is consistent after each slice (fsck), each
# slice is bounded, and a client that adds a slice continues with the first
# item.

use strict;
use warnings;
use RblTest;
use RblScript qw(:DEFAULT slice step);

use constant { ID => 1, NAME => 3, STATUS => 7, PROFILE => 8, GROUPS => 9,
    LISTED => 13, MOST => 16 };

my $redis = redis_new();
rblctl($redis, 'init', '--partitions', 1);
my ($ac, $acct) = account(max_hosts => 1100);
my ($ac2, $acct2) = account();
my (undef, $rp, $cg) = @{ chosen($acct) };

sub card { return cmd('ZCARD', k($_[0], $ac)) }
sub host { return unpacked(cmd('GET', k('r', $ac, $_[0]))) }
sub kids { return @{ cmd('ZRANGE', k('kids', $ac, $_[0]), 0, -1) } }

sub in_order {
    my ($name) = @_;

    my $r = rblctl($redis, 'fsck', '--json');
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($r->{status}, 0, "fsck finds no fault: $name") or diag($r->{out});
}

# Steps until the item is over, with fsck between some; returns the number of
# slices.
sub finish {
    my ($work, $name, %o) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($work->[0], 'WORK', "$name is work") or return 0;
    for my $n (1 .. 1000) {
        my $r = step($o{acct} // $acct, $work->[1]);
        is($r->[0], 'OK', "slice $n of $name") if $r->[0] ne 'OK';
        in_order("$name, slice $n") if $n <= 3 || $r->[1];
        $o{between}->($n) if $o{between} && !$r->[1];
        return $n if $r->[1] || $r->[0] ne 'OK';
    }
    fail("$name ends");
    return 0;
}

sub pairs {
    my ($net, $n) = @_;
    return (host => [map { sid('HT') } 1 .. $n],
        value => [map { join '.', $net, $_ >> 8, $_ & 255 } 0 .. $n - 1]);
}
sub add_range {
    my ($net, $n, @more) = @_;
    my $range = sid('HT');
    return ($range, slice('host_add', [$acct], name => 'n', type => 'ip_range',
        family => 1, @more, range => $range, net => "$net.0.0/22",
        pairs($net, $n)));
}


# --- a range is added ------------------------------------------------------

my $rp2 = sid('RP');
script('profile_add', [$acct], profile => $rp2, name => 'other');
my $cg2 = sid('CG');
script('group_add', [$acct], group => $cg2, name => 'other');
my ($range, $work) = add_range('10.1', 1024, profile => $rp2,
    group => $cg2);
is($work->[0], 'WORK', 'a range of 1,024 is work');
is(cmd('HLEN', k('uniq', $ac)), 1025, 'all its values are reserved at once');
is(card('hosts'), 1, 'the range is there first');
in_order('before the first slice');
is_deeply(slice('host_add', [$acct], name => 'n', type => 'rbl', family => 1,
    host => sid('HT'), value => '10.1.3.255'), ['EXISTS'],
    'a reserved value exists');
is_deeply((add_range('10.1', 1024))[1], ['EXISTS'],
    'host_add refuses a range that is reserved');
my @addresses = (name => 'n', type => 'rbl', family => 1);
is_deeply(slice('host_add', [$acct], @addresses, pairs('10.2', 76)),
    ['LIMIT', 1100], 'reserved addresses count for the limit');
is_deeply(script('chosen_delete', [$acct], id => $rp2, index => 'profiles'),
    ['USED', 2], 'the profile of the range is in use');
is(script('chosen_delete', [$acct], id => $cg2, index => 'groups')->[0],
    'USED', 'the group of the range is in use');
my @half;
cmp_ok(finish($work, 'host_add', between => sub {
    @half = card('hosts') if !@half;
    cmp_ok(card('hosts'), '==', 1 + kids($range), 'the range has those made')
        if $_[0] < 3;
}), '>', 2, 'it takes several slices');
cmp_ok($half[0], '<', 900, 'each slice is small');
is(card('hosts'), 1025, 'all hosts are there');
is(cmd('EXISTS', k('work', $ac), k('works')), 0,
    'the account has no work left');
is(cmd('ZCARD', k('due', $ac)), 1024, 'the checks of all addresses are due');
is(step($acct, $work->[1])->[1], 1, 'finished work stays finished');
my @kids = kids($range);
is(host($kids[9])->[NAME], 'n 10.1.0.9', 'an address is named after its range');
is(cmd('ZSCORE', k('due', $ac), $kids[1000])
    - cmd('ZSCORE', k('due', $ac), $kids[0]), 4000,
    'the checks of the addresses are due one after the other');


# --- it is changed ---------------------------------------------------------

sub all_kids { my ($at) = @_; return map { host($_)->[$at] } @kids }
$work = slice('host_update', [$acct], host => $range, named => '1',
    name => 'new', profile => $rp, groups => [$cg, $cg2]);
my $gone = $kids[1000];
finish($work, 'host_update', between => sub {
    return if $_[0] > 1;
    is(script('host_delete', [$acct], host => $gone, keep => 1000)->[0], 'OK',
        'an address is deleted meanwhile');
    is(script('host_delete', [$acct], host => $kids[0], keep => 1000)->[0],
        'OK', 'an address that was changed is deleted');
});
@kids = grep { $_ ne $gone && $_ ne $kids[0] } @kids;
is(scalar(grep { $_ eq $rp } all_kids(PROFILE)), 1022, 'all have the profile');
is(scalar(grep { @$_ == 2 } all_kids(GROUPS)), 1022,
    'all addresses have the new groups');
is(host($kids[0])->[NAME], 'new 10.1.0.1', 'an address has the new name');
is(script('chosen_delete', [$acct], id => $rp2, index => 'profiles')->[0],
    'OK', 'the old one is free');

$work = slice('host_status', [$acct], host => $range, status => 'paused');
my $later = slice('host_status', [$acct], host => $range, status => 'active');
finish($work, 'pause');
finish($later, 'resume');
is(scalar(grep { $_ eq 'active' } all_kids(STATUS)), 1022,
    'a later request is done later');


# --- and deleted -----------------------------------------------------------

for my $ht (@kids[3, 4]) {
    my $pp = script('check_start', [$acct], check => sid('PP'), host => $ht,
        keep => 60_000)->[1];
    take('m', 1);
    begin($acct, $pp, $ht);
    finish_check($acct, $pp, $ht, [listed_result('RBa')]);
}
is(host($range)->[LISTED], 2, 'two addresses are listed');
my $open = script('check_start', [$acct], check => sid('PP'), host => $kids[5],
    keep => 60_000)->[1];
$work = slice('host_delete', [$acct], host => $range, keep => 60_000);
is_deeply(slice('host_delete', [$acct], host => $range, keep => 60_000),
    ['HOST'], 'a range that is being deleted does not exist');
is_deeply(slice('host_update', [$acct], host => $range, named => '1',
    name => 'x'), ['HOST'], 'a range that is being deleted is not changed');
is_deeply(slice('host_status', [$acct], host => $range, status => 'paused'),
    ['HOST'], 'a range that is being deleted is not paused');
cmp_ok(finish($work, 'host_delete'), '>', 2,
    'the deletion takes several slices');
is(card('hosts'), 0, 'no host is left');
is(cmd('HLEN', k('uniq', $ac)), 0, 'the unique index has no value left');
is(card('listed'), 0, 'the account has no listing left');
is(card('due'), 0, 'the account has no check due');
is(cmd('HGET', k('check', $ac, $open), 'status'), 'failed',
    'a waiting check has failed');
is(cmd('HLEN', k('refs', $ac)), 0, 'nothing is used');


# --- a custom list leaves the profiles -------------------------------------

my $rb = sid('RB');
script('rbl_add', [$acct], list => $rb, type => 'rbl', zone => 'own.example');
my @rp = map { sid('RP') } 1 .. 300;
script('profile_add', [$acct], profile => $_, name => 'p', given => '1',
    entries => ['RBa', $rb, 'RBb']) for @rp;
$work = slice('rbl_delete', [$acct], list => $rb);
is_deeply(slice('rbl_delete', [$acct], list => $rb), ['RBL'],
    'the list does not exist');
is_deeply(slice('rbl_status', [$acct], list => $rb, status => 'paused'),
    ['RBL'], 'rbl_status refuses a list that is being deleted');
is_deeply(slice('profile_add', [$acct], profile => sid('RP'), name => 'p',
    given => '1', entries => $rb), ['ENTRIES'], 'no profile gets it');
cmp_ok(finish($work, 'rbl_delete', between => sub {
    my $left = grep { @{ unpacked(cmd('GET', k('r', $ac, $_)))->[5] } == 3 }
        @rp;
    ok(!$left || cmd('ZSCORE', k('rbls', $ac), $rb),
        'the list is indexed as long as a profile has it') if $_[0] < 4;
}), '>', 1, 'it takes several slices');
is(scalar(grep { "@{ unpacked(cmd('GET', k('r', $ac, $_)))->[5] }" eq 'RBa RBb' }
    @rp), 300, 'no profile has it');
is(cmd('EXISTS', k('r', $ac, $rb), k('rbls', $ac)), 0,
    'the list is deleted after the profiles');


# --- the queue -------------------------------------------------------------

($range, $work) = add_range('10.3', 4);
finish($work, 'four addresses');
my @work = map { slice('host_status', [$acct], host => $range,
    status => $_ % 2 ? 'paused' : 'active') } 1 .. MOST;
is(scalar(grep { $_->[0] eq 'WORK' } @work), MOST,
    'an account may queue 16 changes');
is_deeply(slice(@$_), ['BUSY'], "no more: $_->[0]")
    for ['host_status', [$acct], host => $range, status => 'paused'],
    ['host_update', [$acct], host => $range, named => '1', name => 'x'],
    ['host_delete', [$acct], host => $range, keep => 1000],
    ['host_add', [$acct], @addresses, pairs('10.4', 2)];
is(script('host_add', [$acct], @addresses, pairs('10.4', 1))->[0], 'OK',
    'one host is added without a wait');
is(script('host_add', [$acct2], @addresses, pairs('10.4', 2))->[0], 'OK',
    'as does another account');
finish($work[-1], 'the last of them');
is(host($range)->[STATUS], 'active', 'the last change in the queue holds');

$work = slice('host_status', [$acct], host => $range, status => 'paused');
for my $off (3500, -3500, 3700, -3700) {
    my $clock = 1000 * (cmd('TIME')->[0] + $off);
    is(slice('accounts_take', [k('billdue')], most => 8, clock => $clock)->[0],
        abs $off > 3600 ? 'APART' : 'OK',
        "accounts_take for a clock that differs by $off s");
}
is_deeply(slice('accounts_take', [k('works')], most => 8), ['OK'],
    'a daemon leaves new work to its request');
cmd('ZADD', k('works'), 1, $ac);
is_deeply(slice('accounts_take', [k('works')], most => 8), ['OK', $ac],
    'a daemon takes work that has waited');
is_deeply(slice('accounts_take', [k('works')], most => 8), ['OK'],
    'accounts_take returns an account only once');
finish($work, 'work that a daemon has claimed');

# items that cannot be done

$work = slice('host_status', [$acct], host => $range, status => 'active');
cmd('LPUSH', k('work', $ac), packed([1, 1, 'later', 0, '', []]));
is(step($acct, '')->[0], 'KIND', 'work of a later release stays');
cmd('LPOP', k('work', $ac));
cmd('LPUSH', k('work', $ac), 'junk', packed([1, 7, 'host_status', 0, '', 'x']));
my $r;
$r = step($acct, $work->[1]) for 1 .. 2;
like($r->[3], qr/./, 'damaged work is dropped, and the response names it');
finish($work, 'the work behind it');
is(host($range)->[STATUS], 'active', 'the work behind damaged work is done');
cmd('LPUSH', k('work', $ac), packed([1, 7, 'host_status', 0, '', 'x']));
is(step($acct, 7)->[0], 'FAILED', 'the request of damaged work fails');
my @two = map { slice('host_status', [$acct], host => $range,
    status => $_) } 'paused', 'active';
cmd('LSET', k('work', $ac), 0, packed([1, $two[0][1], 'host_status', 0, '',
    'x']));
step($acct, '') while cmd('LLEN', k('work', $ac));
is(step($acct, $two[0][1])->[0], 'FAILED',
    'the request fails when a daemon has dropped its work');
is(step($acct, $two[1][1])->[1], 1, 'the next one was done');
@two = map { slice('host_status', [$acct], host => $range,
    status => $_) } 'paused', 'active';
cmd('LSET', k('work', $ac), 0, 'junk');
step($acct, '') while cmd('LLEN', k('work', $ac));
is(step($acct, $two[0][1])->[0], 'FAILED',
    'the request fails when its work cannot be read');
is(step($acct, $two[1][1])->[1], 1, 'the next one was done then');
cmp_ok(cmd('PTTL', k('work', $ac, $_)), '>', 0,
    "the result of work $_ is kept for a while") for 0, $two[0][1] - 2;
in_order('with dropped work');

# fsck

sub finds {
    my ($pattern, $name) = @_;
    my $r = rblctl($redis, 'fsck');
    like($r->{out}, $pattern, "fsck finds $name");
    rblctl($redis, 'fsck', '--repair');
}
finds(qr/no fault/, 'nothing');
cmd('RPUSH', k('work', $ac, 77), 'x');
finds(qr/work 77 .*belongs to no work/, 'an item of no work');
in_order('repaired');
cmd('ZADD', k('works'), 1, $ac);
finds(qr/works .*has a turn for nothing/, 'a turn for nothing');
in_order('repaired');
$work = slice('host_status', [$acct], host => $range, status => 'paused');
cmd('ZREM', k('works'), $ac);
finds(qr/works .*has work and no turn/, 'work without a turn');
in_order('repaired');
cmd('LPUSH', k('work', $ac), 'junk');
finds(qr/work .*cannot be read/, 'work that cannot be read');
in_order('repaired');
cmd('LSET', k('work', $ac), 0, packed([1, $work->[1], 'host_status', 5, '',
    [$range, 'paused']]));
finds(qr/host_status .*has waited for/, 'work that no worker does');
finish($work, 'until a worker does it');

done_testing();
