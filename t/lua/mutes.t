#!/usr/bin/perl

# Mutes: what is refused, and what may go wrong beside them.  Random histories
# of mutes and messages are in histories.t.

use strict;
use warnings;
use RblDigest;
use RblScript;
use RblTest;

my ($ac, $acct) = digests_new();
for my $l (qw(RBa RBb)) {
    cmd('SET', k('r', 'SYS', $l), packed([1, $l, 'rbl',
        lc(substr $l, 2) . '.example', $l, '', 7, 0, 'active', '', [], '', '',
        'normal', 'ip', 'block', 'none']));
}

sub pause { select undef, undef, undef, 0.0015 }

sub mute {
    my ($target, $ends) = @_;
    my $mu = sid('MU');
    my $r = script('mute_add', [$acct], mute => $mu, target => $target,
        ends => $ends // now_ms() + 3_600_000, reason => 'why',
        longest => 366 * 86_400_000);
    return $r->[0] eq 'OK' ? $mu : $r->[0];
}

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
