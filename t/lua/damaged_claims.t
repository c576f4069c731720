#!/usr/bin/perl

# Keys of an account are damaged.  The other accounts of its partition lose no
# check by that.  A claim reports the account, which has its next turn in a
# minute.

use strict;
use warnings;
use RblTest;
use RblScript;

redis_new();
my ($good, $acct) = account();
my ($bad, $bad_acct) = account(id => 2);
my $ht = unpacked(add_host($acct, 'rbl', '192.0.2.1')->[1])->[1];

# The hosts, manual checks and reports of a claim.
sub claimed {
    my ($kinds) = @_;

    my $r = script('check_take', [k('leases')], kinds => $kinds, most => 10,
        share => 10, lease => 60_000, daemon => 'd', alone => 1);
    return map { ref ? "due $_->[0]" : s/^(\w+):.*:m:1:d$/manual $1/r }
        @$r[1 .. $#$r];
}

sub start {
    my ($to) = @_;

    my $r = script('check_start', [$to], check => sid('PP'),
        value => '192.0.2.9', family => 1, app => 'AP' . '0' x 32,
        keep => 60_000);
    return $r->[1];
}

# The schedule: its error comes after manual checks were taken.
my $pp = start($acct);
cmd('SET', k('due', $bad), 'x');
cmd('ZADD', k('due'), 1, $bad);
is_deeply([claimed('md')], ["manual $good",
    "damaged $bad: WRONGTYPE Operation against a key holding the wrong kind of"
    . ' value', "due $good"], 'the schedule of one: others are claimed')
    or diag(explain([claimed('md')]));
like((grep { /:$pp:/ } @{ cmd('ZRANGE', k('leases'), 0, -1) })[0], qr/^$good:/,
    'the manual check has a lease');
is_deeply([claimed('md')], [], 'one report in a minute');

# Manual checks.
start($bad_acct);
cmd('DEL', k('manual', $bad));
cmd('SET', k('manual', $bad), 'x');
start($acct);
is_deeply([sort map { s/:.*//r } claimed('m')], ["damaged $bad", "manual $good"],
    'manual checks of one: others are claimed');
is_deeply([claimed('m')], [], 'one report in a minute');

# A claimed check whose record is none: another daemon has it nevertheless.
my ($handle) = grep { /:$pp:/ } @{ cmd('ZRANGE', k('leases'), 0, -1) };
cmd('ZADD', k('leases'), 1, $handle);
cmd('SET', k('check', $good, $pp), 'x');
start($acct);
is_deeply([claimed('m')], ["manual $good", "manual $good"],
    'an expired lease with a damaged record: others are claimed');

# The checks of the schedule that a daemon had before.
cmd('HSET', k('flight:due'), "$bad:$ht", 'x' x 69 . '1:d');
is_deeply(script('check_recall', [k('leases')], daemon => 'd', rank => -1,
    cursor => 0), ['OK', -1, -1], 'a daemon that starts is not held up');

done_testing();
