#!/usr/bin/perl

# The size of an account's largest host and profile, which bounds the pages of
# nginx: stored as soon as a record exceeds 4 KiB, a power of two, never
# decreasing, separate for each account.

use strict;
use warnings;
use RblTest;
use RblScript;

redis_new();
my ($ac, $acct) = account(interval => 600);
my ($other) = account();
my $ht = unpacked(add_host($acct, 'rbl', '192.0.2.1')->[1])->[1];

sub mark { return cmd('GET', k('large', $ac, $_[0])) }

# A check of the host that finishes with these results.
sub checked {
    my $pp = sid('PP');
    script('check_start', [$acct], check => $pp, host => $ht, app => 'APx',
        keep => 60_000);
    begin($acct, $pp, $ht);
    finish_check($acct, $pp, $ht, [@_]);
    return length cmd('GET', k('r', $ac, $ht));
}

sub listing { return listed_result('RBa', details => 'x' x $_[0]) }

my $n = checked(listed_result('RBa'));
cmp_ok($n, '<', 4097, 'a usual record');
is(mark('hosts'), undef, 'a usual record has no mark');
for ([5000, 8192], [20_000, 32_768], [6000, 32_768]) {
    my ($size, $mark) = @$_;
    checked(result('RBa', 'clear')) for 1 .. 3;
    my $n = checked(listing($size));
    cmp_ok($n, '>', $size, "a record of $n octets");
    is(mark('hosts'), $mark, "a record of $n octets has the mark $mark");
}
is(cmd('EXISTS', map { k('large', $other, $_) } qw(hosts profiles)), 0,
    'another account has none');

my @lists = map { sid('RB') } 1 .. 300;
cmd('ZADD', k('lists'), map { (0, $_) } @lists);
my $rp = sid('RP');
script('profile_add', [$acct], profile => $rp, name => 'few', given => '1',
    entries => [@lists[0 .. 99]]);
is(mark('profiles'), undef, 'a profile of 100 entries is not large');
script('profile_add', [$acct], profile => sid('RP'), name => 'many',
    given => '1', entries => [@lists[0 .. 199]]);
is(mark('profiles'), 8192, 'one of 200 is');
script('profile_update', [$acct], profile => $rp, given => '1',
    entries => \@lists);
is(mark('profiles'), 16_384, 'a profile that gets 300 entries raises the mark');
script('profile_update', [$acct], profile => $rp, given => '1',
    entries => $lists[0]);
is(mark('profiles'), 16_384, 'a smaller profile does not lower the mark');
cmp_ok(length cmd('GET', k('r', $ac, $rp)), '<', 300, 'whatever comes then');

done_testing();
