#!/usr/bin/perl

# Mutes: what is refused, and what may go wrong beside them.  Random histories
# of mutes and messages are in histories.t.

use strict;
use warnings;
use RblDigest;
use RblScript;
use RblTest;

my ($ac, $acct, $group, $other) = digests_new();
for my $l (qw(RBa RBb RBc)) {
    cmd('SET', k('r', 'SYS', $l), packed([1, $l, 'rbl',
        lc(substr $l, 2) . '.example', $l, '', 7, 0, 'active', '', [], '', '',
        'normal', 'ip', 'block', 'none']));
}

sub pause { select undef, undef, undef, 0.0015 }

sub mute {
    my ($target, $ends, $within) = @_;
    my $mu = sid('MU');
    my $r = script('mute_add', [$acct], mute => $mu, target => $target,
        group => $within // '', ends => $ends // now_ms() + 3_600_000,
        reason => 'why', longest => 366 * 86_400_000);
    return $r->[0] eq 'OK' ? $mu : $r->[0];
}
sub within { return mute($_[0], undef, $_[1]) }

# The time of its end comes.
sub expire {
    my ($mu) = @_;
    my $m = unpacked(cmd('GET', k('r', $ac, $mu)));
    $m->[5] = now_ms();
    cmd('SET', k('r', $ac, $mu), packed($m));
    cmd('ZADD', k('mutes', $ac), $m->[5], $mu);
    cmd('ZADD', k('unmutes'), $m->[5], "$ac:$mu");
}
sub tellings { pause(); tellings_end() }

# what is refused

is(mute('', now_ms() - 1), 'PAST', 'a mute that ends in the past is refused');
is(mute('', now_ms() + 367 * 86_400_000), 'LONG', 'one of more than a year is');
is(mute(sid('HT')), 'TARGET', 'one of a host that does not exist is');
is(mute(sid('RB')), 'TARGET', 'one of a list that does not exist is');
is(script('mute_add', [$acct], mute => sid('MU'), target => '',
    begins => now_ms() + 60_000, ends => now_ms() + 30_000, reason => 'why',
    longest => 86_400_000)->[0], 'PAST',
    'one that ends before it begins is');
is(script('mute_add', [$acct], mute => sid('MU'), target => '',
    begins => now_ms() + 90_000_000, ends => 0, rule => 'daily 22:00',
    minutes => 90, reason => 'why', longest => 86_400_000)->[0], 'FAR',
    'one that begins too late is');
is(mute($ac), 'TARGET', 'one of something that cannot be muted is');
is(script('mute_end', [$acct], mute => sid('MU'))->[0], 'MUTE',
    'a mute that does not exist cannot be ended');
is(within(sid('RB'), $group), 'TARGET',
    'a list that does not exist is not muted within a group');
is(within(@$_), 'GROUP', "$_->[2] is refused")
    for ['RBa', sid('CG'), 'a mute within a group that does not exist'],
    ['RBa', $ac, 'a mute within something that is no group'],
    ['', $group, 'a mute of the account within a group'],
    [$other, $group, 'a mute of a group within a group'];

# a host that is muted and deleted

my $co = contact('start_and_end');
my $ht = host();
check($ht, 'listed', 'clear');
pause();
is_deeply({ tells() }, { $co => 'listed ' . last_address() },
    'a listing is told');
my $mu = mute($ht);
pause();
script('host_delete', [$acct], host => $ht, keep => 60_000);
pause();
is_deeply({ tells() }, { $co => 'unreported ' . last_address() },
    'a muted host that is deleted is no longer reported');
is(script('mute_end', [$acct], mute => $mu)->[0], 'OK',
    'the mute of a host that is gone can be ended');
tellings();
is_deeply({ tells() }, {}, 'nothing is reported when that mute ends');

# a mute that begins while a message is made, which is claimed once more

$ht = host();
check($ht, 'listed', 'listed');
pause();
my ($d) = claim();
is(scalar(@{ unpacked($d->{hosts}[0])->[16] }), 2, 'a message has two listings');
$mu = mute('RBa');
pause();
leases_end($co);
($d) = claim();
is_deeply([map { $_->[0] } @{ unpacked($d->{hosts}[0])->[16] }], ['RBb'],
    'a list that is muted since is not in the message that is made again');
is_deeply(store($d, messages => []), ['OK', 0], 'the message is stored');
is_deeply({ tells() }, {}, 'the mute holds the other one back');
script('mute_end', [$acct], mute => $mu);
tellings();
is_deeply({ tells() }, { $co => 'listed ' . last_address() },
    'the other one is told when the mute is over');
is(cmd('EXISTS', k('held', $ac, $co)), 0, 'nothing is held back after that');

# a contact that is paused before it gets what a mute has held back

$mu = mute('RBa');
$ht = host();
check($ht, 'listed', 'listed');
pause();
is_deeply({ tells() }, { $co => 'listed ' . last_address() },
    'a message leaves out a list that is muted');
script('mute_end', [$acct], mute => $mu);
tellings();
($d) = claim();
is(scalar(@{ unpacked($d->{hosts}[0])->[16] }), 2, 'the next one is to have both');
script('contact_status', [$acct], contact => $co, status => 'paused');
is(store($d, messages => [])->[0], 'GONE', 'the contact is paused');
script('contact_status', [$acct], contact => $co, status => 'active');
is_deeply({ tells() }, { $co => 'listed ' . last_address() },
    'the contact gets it when it is resumed');

# a window whose next time is not known yet

$mu = sid('MU');
script('mute_add', [$acct], mute => $mu, target => $ht, ends => 0,
    rule => 'daily 22:00', minutes => 90, reason => 'why',
    longest => 86_400_000);
check($ht, 'clear', 'clear');
pause();
is_deeply({ tells() }, {}, 'a window holds until its next time is known');
my $asks = script('telling_step', [k('tellings')])->[2];
is_deeply([map { @$_[0 .. 2, 4, 6] } @$asks], ["$ac:$mu", 'daily 22:00', 90, 0,
    'UTC'], 'a daemon is asked for it');
is_deeply(script('telling_step', [k('tellings')])->[2], [],
    'a daemon is asked once in the time of a lease');
sub next_time { return script('mute_next', [k('unmutes')],
    member => "$ac:$mu", begins => $_[0], ends => $_[1])->[0] }
is(next_time(now_ms() + 60_000, now_ms() + 120_000), 'OK',
    'the next time of a window is set');
tellings();
is_deeply({ tells() }, { $co => 'delisted ' . last_address() },
    'what was held back meanwhile is told');
is(next_time(now_ms() - 60_000, now_ms() + 60_000), 'OK',
    'a time that has not begun may be set again');
is(next_time(now_ms() + 60_000, now_ms() + 120_000), 'STALE',
    'one that has begun may not');
is(script('mute_end', [$acct], mute => $mu)->[0], 'OK', 'a window is ended');
is(next_time(now_ms() + 60_000, now_ms() + 120_000), 'STALE',
    'a window that was ended gets no other time');
is(cmd('EXISTS', k('unmutes')), 0, 'nothing waits for it');
tellings();
is_deeply({ tells() }, {}, 'the end of a window that was not open is no news');

# a listing whose weight falls

script('contact_alert', [$acct], contact => $co, weight => 3);
my $all = contact('start_and_end');
$ht = host();
my $listed = 'listed ' . last_address();
check($ht, 'listed:3', 'clear');
pause();
is_deeply({ tells() }, { $co => $listed, $all => $listed },
    'a listing of high weight is told');
check($ht, 'listed:1', 'clear');
pause();
is_deeply({ tells() }, { $co => 'unreported ' . last_address() },
    'when its weight falls it is over for a contact with a least weight alone');
check($ht, 'listed:4', 'clear');
pause();
is_deeply({ tells() }, { $co => $listed, $all => $listed },
    'when its weight rises that is told to both');
check($ht, 'listed:4', 'listed:1');
pause();
is_deeply({ tells() }, { $all => $listed },
    'a second listing of low weight is told to one of them');
check($ht, 'clear', 'listed:1');
pause();
is_deeply({ tells() }, { $co => 'unreported ' . last_address() },
    'when the first ends the host is unreported for the other one');
check($ht, 'clear', 'clear');
pause();
tells();
script('contact_delete', [$acct], contact => $all);

# an older record: the weight of a listing is not known

script('contact_alert', [$acct], contact => $co, weight => 4);
$ht = host();
check($ht, 'listed:1', 'clear');
pause();
is_deeply({ tells() }, {}, 'a listing below the least weight is not told');
my $h = unpacked(cmd('GET', k('r', $ac, $ht)));
splice @{ $h->[16][0] }, 9;
cmd('SET', k('r', $ac, $ht), packed($h));
cmd('ZADD', k('digest', $ac, $co), now_ms(), $ht);
cmd('ZADD', k('digests'), now_ms(), "$ac:$co");
is_deeply({ tells() }, { $co => 'listed ' . last_address() },
    'one without a weight is told');

# a list within a group: the lists of a host in the message to each contact

script('contact_delete', [$acct], contact => $co);
my ($here, $both) = map { contact('start_and_end', groups => $_) } [$group],
    [$group, $other];
sub lists_told {
    my %told;
    pause();
    for my $d (claim()) {
        $told{ substr $d->{member}, 35 } = join ' ', map { $_->[0] }
            @{ unpacked($d->{hosts}[0])->[16] };
        is_deeply(store($d, messages => []), ['OK', 0],
            'the message about lists is stored');
    }
    return \%told;
}
sub clear {
    check($_[0], 'clear', 'clear');
    pause();
    return { tells() };
}
my @two = map { within('RBa', $group) } 1, 2;
$ht = host($group, $other);
check($ht, 'listed', 'listed');
is_deeply(lists_told(), { $here => 'RBb', $both => 'RBa RBb' },
    'a list is muted for contacts that have the host by that group alone');
script('mute_end', [$acct], mute => $two[0]);
tellings();
is_deeply({ tells() }, {}, 'a list that is muted twice stays muted');
script('mute_end', [$acct], mute => $two[1]);
tellings();
is_deeply(lists_told(), { $here => 'RBa RBb' },
    'the list is told when the second mute is over');
my @mine = (within('RBa', $group), mute($other));
is_deeply(clear($ht), { $here => 'delisted ' . last_address(),
    $both => 'delisted ' . last_address() },
    'the end of the last listing is told, also of a list that is muted');
check($ht, 'listed', 'clear');
is_deeply(lists_told(), {},
    'one group is muted, the list within the other: the list is');
check($ht, 'listed', 'listed');
is_deeply(lists_told(), { $here => 'RBb', $both => 'RBb' },
    'another list is not');
script('mute_end', [$acct], mute => $_) for @mine;
tellings();
lists_told();
clear($ht);

my $unused = within('RBc', $group);
like($unused, qr/^MU/, 'a list that no host uses can be muted within a group');
check($ht, 'listed', 'clear');
is_deeply(lists_told(), { $here => 'RBa', $both => 'RBa' },
    'the lists that hosts use are not muted by that');
clear($ht);
script('mute_end', [$acct], mute => $unused);
tellings();
lists_told();

# a message is made when a mute within a group begins

check($ht, 'listed', 'listed');
pause();
my %claimed = map { substr($_->{member}, 35) => $_ } claim();
$mu = within('RBa', $group);
pause();
leases_end($here);
my ($anew) = grep { $_->{member} =~ /$here/ } claim();
is_deeply([map { $_->[0] } @{ unpacked($anew->{hosts}[0])->[16] }], ['RBb'],
    'a list that is muted within a group meanwhile is left out');
store($_, messages => []) for $anew, $claimed{$both};
check($ht, 'clear', 'listed');
pause();
my ($d2) = claim();
is($d2, undef, 'the end of a listing that the message left out is not told');
script('mute_end', [$acct], mute => $mu);
tellings();
is_deeply({ tells() }, {}, 'the end of the mute does not tell it either');
clear($ht);

# a list that the operator ends, a group and an own list that are deleted

$mu = within('RBa', $group);
check($ht, 'listed', 'listed');
is_deeply(lists_told(), { $here => 'RBb', $both => 'RBa RBb' },
    'one of two lists is muted');
script('lists_kill', [k('lists')], list => 'RBa', reason => 'gone');
clear($ht);
script('mute_end', [$acct], mute => $mu);
tellings();
is_deeply({ tells() }, {},
    'nothing is left of a muted list that the operator has ended');
script('lists_kill', [k('lists')], list => 'RBb', reason => 'gone');
like(within('RBa', $group), qr/^MU/, 'a list that has ended can be muted');

sub over {
    my ($mu) = @_;
    my $m = unpacked(cmd('GET', k('r', $ac, $mu)));
    return $m->[5] <= now_ms() && $m->[6] eq ''
        && cmd('ZSCORE', k('mutes', $ac), $mu) == $m->[5]
        && !defined cmd('ZSCORE', k('unmutes'), "$ac:$mu");
}
my ($gone, $own) = (sid('CG'), sid('RB'));
script('group_add', [$acct], group => $gone, name => 'gone',
    is_default => '0');
script('rbl_add', [$acct], list => $own, type => 'rbl', zone => 'o.example');
my @of = (mute($gone), within('RBc', $gone), within($own, $group), mute($own));
my $repeated = sid('MU');
script('mute_add', [$acct], mute => $repeated, target => $own, group => $gone,
    ends => 0, rule => 'daily 22:00', minutes => 90, reason => 'why',
    longest => 86_400_000);
my $stays = within('RBc', $group);
is(script('chosen_delete', [$acct], id => $gone, index => 'groups')->[0], 'OK',
    'a group is deleted while it is muted');
ok(over($of[0]), 'the mute of the group ends with it');
ok(over($of[1]), 'the mute of a list within the group ends with it');
ok(over($repeated), 'a mute that is repeated ends with its group');
is(unpacked(cmd('GET', k('r', $ac, $of[1])))->[13], 'gone',
    'such a mute keeps the name of the group');
ok(!over($of[2]), 'a mute of a list within another group stays');
is(script('rbl_delete', [$acct], list => $own)->[0], 'OK',
    'an own list is deleted while it is muted');
ok(over($_), 'the mute of an own list ends with it') for @of[2, 3];
ok(!over($stays), 'mutes of other lists stay');
tellings();
is_deeply({ tells() }, {}, 'mutes of what is deleted end without a message');

# a group without a contact, and many mutes

my $alone = sid('CG');
script('group_add', [$acct], group => $alone, name => 'alone',
    is_default => '0');
like(mute($alone), qr/^MU/, 'a group without a contact can be muted');
my %said;
$said{ mute('') =~ /^MU/ ? 'MU' : 'LIMIT' }++ for 1 .. 1000;
is(cmd('ZCARD', k('mutes', $ac)), 100, 'an account has at most 100 mutes');
ok($said{LIMIT} >= 900, 'of 1,000 mutes most are refused');
my ($one) = @{ cmd('ZRANGE', k('mutes', $ac), 0, 0) };
expire($one);
tellings();
like(mute(''), qr/^MU/, 'the place of one that has ended is free');
is(cmd('ZCARD', k('mutes', $ac)), 100, 'the new mute takes that place');
done_testing();
