#!/usr/bin/perl

# Who gets which job: accounts in turn, leases that run out, names that come
# back.

use strict;
use warnings;
use RblTest;
use RblScript;

redis_new();
my @ac = map { [account()] } 1 .. 3;

sub hosts {
    my ($n, $count) = @_;
    my ($ac, $acct) = @{ $ac[$n] };
    my $r = add_host($acct, 'rbl', map { "10.$n." . ($_ >> 8) . '.'
        . ($_ & 255) } 1 .. $count);
    return map { $_->[1] } records(@$r[1 .. $#$r]);
}
sub ask {
    my ($n, $count) = @_;
    my ($ac, $acct) = @{ $ac[$n] };
    return map { script('check_start', [$acct], sid('PP'), '', "10.9.0.$_", 1,
        '', '', 60_000)->[1] } 1 .. $count;
}
sub of_account {
    my %n;
    $n{ (split /:/)[0] }++ for @_;
    return join ' ', map { $n{ $_->[0] } // 0 } @ac;
}
sub release {
    for my $job (@_) {
        my ($ac, $pp, $ht) = split /:/, $job;
        begin(k('acct', $ac), $pp, $ht);
        script('check_finish', [k('acct', $ac)], $job, packed([]), '', 0,
            packed([]), '', 60_000, 3600);
    }
}

# hosts that are due

hosts(0, 300);
my @b = hosts(1, 2);
my @jobs = take('d', 10);
is(of_account(@jobs), '8 2 0', 'few get all of theirs, the rest is for many');
is(scalar(keys %{ { map { (split /:/)[1] => 1 } @jobs } }), 10,
    'each check has a SID of its own');
is(cmd('ZCARD', k('leases')), 10, 'each job is leased');
is(cmd('HLEN', k('flight')), 10, 'each host is in flight');
is(cmd('ZCARD', k('due', $ac[0][0])), 292, 'the others wait');
is(cmd('ZCARD', k('due')), 1, 'the account without hosts to do has no turn');
hosts(2, 50);
@jobs = (@jobs, take('d', 1));
is(of_account($jobs[-1]), '1 0 0', 'who waits longer comes first');
push @jobs, take('d', 1);
is(of_account($jobs[-1]), '0 0 1', 'then the next one, whoever has more');
script('host_status', [$ac[1][1]], $b[0], $_) for 'paused', 'active';
ok(!cmd('ZSCORE', k('due', $ac[1][0]), $b[0]),
    'a host that is resumed while it is in flight waits for that end');
is(scalar(grep { /$b[0]/ } take('d', 1)), 0, 'and makes no second job');

# the SIDs of a claim's checks and of their events differ

my %sids;
for my $job (@jobs[0 .. 9]) {
    my $pp = (split /:/, $job)[1];
    $sids{ substr $pp, $_, 32 }++ for 2, 18, 34;
}
is(scalar(keys %sids), 30, 'the SIDs of events too');

# a host's next check gives its account a turn, whatever else it waits for

release(@jobs);
for my $n (0 .. 2) {
    my $ac = $ac[$n][0];
    my $first = cmd('ZRANGE', k('due', $ac), 0, 0, 'WITHSCORES')->[1];
    my $turn = cmd('ZSCORE', k('due'), $ac) // 9e15;
    my $now = do { my $t = cmd('TIME'); $t->[0] * 1000 + $t->[1] / 1000 };
    cmp_ok($turn, '<=', $first > $now ? $first : $now,
        "the turn of account $n is not late");
}

# manual checks

cmd('FLUSHALL');
@ac = map { [account()] } 1 .. 3;
my @first = ask(0, 500);
ask(1, 1);
ask(2, 3);
is(cmd('XLEN', k('news')), 1, 'there is news');
@jobs = take('m', 6);
is(of_account(@jobs), '3 1 2', 'in turn; shares that are left go to who waits');
is((split /:/, $jobs[0])[1], $first[0], 'of one account the oldest first');
ask(1, 1);
is(of_account(take('m', 3)), '1 1 1', 'a new one waits for one turn');
is(of_account(take('m', 3, not => [$ac[0][0]])), '0 0 0',
    'accounts that are to wait get nothing');
is(of_account(take('m', 100, share => 4)), '4 0 0', 'nor more than a share');
is(scalar(my @due = take('d', 9)), 0, 'of the other kind there is nothing');
is(scalar(my @none = take('m', 1000)), 492, 'all of them are handed out');
is(scalar(@none = take('m', 1000)), 0, 'once');
is_deeply([cmd('EXISTS', k('manual')), cmd('KEYS', k('manual', '*'))],
    [0, []], 'nothing is left');

# leases

cmd('FLUSHALL');
@ac = map { [account()] } 1 .. 2;
ask(0, 3);
hosts(0, 1);
my @old = (take('m', 3, lease => 1), take('d', 1, lease => 1, name => 'b'));
ask(1, 5);
wait_for { cmd('ZCOUNT', k('leases'), '-inf', cmd('TIME')->[0] * 1000 - 1)
    == 4 } 5, 'the leases to run out';
my @new = take('m', 6, name => 'c:d');
is(scalar @new, 6, 'jobs of others and new ones');
my @again = grep { /:2:c:d\z/ } @new;
is(scalar @again, 4, 'what ran out is handed out again, of either kind');
is(join(' ', sort map { join ':', (split /:/)[0 .. 3] } @again),
    join(' ', sort map { join ':', (split /:/)[0 .. 3] } @old),
    'the same jobs');
is(of_account(@new), '4 2', 'and first');
is(cmd('ZCARD', k('leases')), 6, 'the old leases are gone');
script('check_finish', [k('acct', $ac[0][0])], $old[0], packed([]), '', 0,
    packed([]), 'x', 60_000, 3600);
is(cmd('ZCARD', k('leases')), 6, 'who comes late does not end another\'s');

# a name comes back

my @scores = map { cmd('ZSCORE', k('leases'), $_) } @new;
is_deeply(script('check_recall', [k('leases')], 'c', 0), ['OK', -1],
    'another name holds nothing');
is_deeply([map { cmd('ZSCORE', k('leases'), $_) } @new], \@scores,
    'and changes nothing');
script('check_recall', [k('leases')], 'c:d', 0);
is(scalar(grep { /:[23]:other\z/ } take('d', 10, name => 'other')), 6,
    'a daemon that begins gives back what its name held');
cmd('ZADD', k('leases'), 5e12, "AC1:PP${_}::m:1:old") for 1 .. 1500;
is_deeply(script('check_recall', [k('leases')], 'old', 0), ['OK', 1000],
    'many are gone through in slices');
is_deeply(script('check_recall', [k('leases')], 'old', 1000), ['OK', -1],
    'to the end');
is(cmd('ZCOUNT', k('leases'), 0, 0), 1500, 'all of them');
cmd('DEL', k('leases'));
cmd('ZADD', k('leases'), 0, 'nonsense');
is(scalar(@none = take('m', 1)), 0, 'nonsense is no job');
ok(!cmd('ZSCORE', k('leases'), 'nonsense'), 'it is gone');

# what the operator sees

my %seen = map { $_ => 1 } @{ cmd('ZRANGE', k('daemons'), 0, -1) };
is_deeply(\%seen, { map { $_ => 1 } 'test', 'b', 'c:d', 'other' },
    'the daemons are known');
cmd('ZADD', k('daemons'), 1, 'gone');
script('check_recall', [k('leases')], 'x', 0);
ok(!cmd('ZSCORE', k('daemons'), 'gone'), 'but not for ever');

done_testing();
