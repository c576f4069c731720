#!/usr/bin/perl

# Claims of jobs: accounts in turn, leases that expire, names that come back.

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
    my @ht = map { $_->[1] } records(@$r[1 .. $#$r]);
    my $last = cmd('ZSCORE', k('due', $ac), $ht[-1]);
    wait_for { now() > $last } 10, 'the last one to be due';
    return @ht;
}
sub ask {
    my ($n, $count) = @_;
    my ($ac, $acct) = @{ $ac[$n] };
    return map { script('check_start', [$acct], check => sid('PP'),
        value => "10.9.0.$_", family => 1, keep => 60_000)->[1] } 1 .. $count;
}
sub of_account {
    my %n;
    $n{ (split /:/)[0] }++ for @_;
    return join ' ', map { $n{ $_->[0] } // 0 } @ac;
}
sub now { my $t = cmd('TIME'); return $t->[0] * 1000 + $t->[1] / 1000 }
sub release {
    for my $job (@_) {
        my ($ac, $pp, $ht) = split /:/, $job;
        begin_job($job);
        my $r = script('check_finish', [k('acct', $ac)],
            job => handle(k('acct', $ac), $pp, $ht), told => packed([]),
            lists => 0, all => packed([]), keep => 60_000, interval => 3600,
            events => '0', soon => 0, details => 1 << 24);
        die "finish: $r->[0]\n" if $r->[0] ne 'OK';
    }
}

# due hosts

hosts(0, 300);
my @b = hosts(1, 2);
my @jobs = take('d', 10);
is(of_account(@jobs), '8 2 0', 'few get all of theirs, the rest is for many');
is(scalar(keys %{ { map { (split /:/)[1] => 1 } @jobs } }), 10,
    'each check has a SID of its own');
sub due_in {
    my ($n, $from, $to) = @_;
    return cmd('ZCOUNT', k('due', $ac[$n][0]), now() + $from, now() + $to);
}
is(due_in(0, 50_000, 60_000) + due_in(1, 50_000, 60_000), 10,
    'each is due again at the end of its lease');
is(due_in(0, -1e12, 0), 292, 'the others wait');
cmp_ok(cmd('ZSCORE', k('due'), $ac[1][0]), '>', now() + 50_000,
    'the account without hosts to do has no turn before that');
hosts(2, 50);
@jobs = (@jobs, take('d', 1));
is(of_account($jobs[-1]), '1 0 0', 'the account that waits longer comes first');
push @jobs, take('d', 1);
is(of_account($jobs[-1]), '0 0 1',
    'the next job is of the account in turn');
my ($job_b) = grep { /$b[0]/ } @jobs;
is(begin_job($job_b)->[0], 'OK', 'a claimed check starts');
is(cmd('HLEN', k('flight:due')), 1, 'the claimed check is in flight');
my $till = cmd('ZSCORE', k('due', $ac[1][0]), $b[0]);
script('host_status', [$ac[1][1]], host => $b[0], status => $_) for 'paused',
    'active';
is(cmd('ZSCORE', k('due', $ac[1][0]), $b[0]), $till,
    'a host that is resumed while it is in flight waits for that end');
is(scalar(grep { /$b[0]/ } take('d', 100)), 0,
    'a resumed host adds no second job');

# the SIDs of a claim's checks and of their events differ

my %sids;
for my $job (@jobs[0 .. 9]) {
    my $pp = (split /:/, $job)[1];
    $sids{ substr $pp, $_, 32 }++ for 2, 18, 34;
}
is(scalar(keys %sids), 30, 'the SIDs of events too');

# a host's next check gives its account a turn, whatever else it has

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
cmd('CONFIG', 'RESETSTAT');
my @first = ask(0, 500);
ask(1, 1);
ask(2, 3);
like(cmd('INFO', 'commandstats'), qr/^cmdstat_publish:calls=3,/m,
    'one message for each account that begins to wait');
@jobs = take('m', 6);
is(of_account(@jobs), '3 1 2',
    'accounts take turns, and waiting ones get free shares');
is((split /:/, $jobs[0])[1], $first[0], 'of one account the oldest first');
ask(1, 1);
is(of_account(take('m', 3)), '1 1 1', 'a new one waits for one turn');
is(of_account(take('m', 3, not => [$ac[0][0]])), '0 0 0',
    'accounts that are to wait get nothing');
is(of_account(take('m', 100, share => 4)), '4 0 0',
    'an account gets no more than its share');
is(scalar(my @due = take('d', 9)), 0, 'of the other kind there is nothing');
is(scalar(my @none = take('m', 1000)), 492, 'all of them are handed out');
is(scalar(@none = take('m', 1000)), 0, 'each manual check is handed out once');
is_deeply([cmd('EXISTS', k('manual')), cmd('KEYS', k('manual', '*'))],
    [0, []], 'nothing is left');

# both kinds by one call, the first one first

cmd('FLUSHALL');
@ac = map { [account()] } 1 .. 3;
hosts(0, 4);
ask(1, 4);
sub kinds { return join '', map { (split /:/)[3] } @_ }
is(kinds(take('dm', 3)), 'ddd', 'hosts that are due first');
is(kinds(take('md', 3)), 'mmm', 'manual checks first');
is(join('', sort split //, kinds(take('md', 9))), 'dm',
    'check_take returns the rest of both kinds');
ask(1, 3);
hosts(2, 3);
is(of_account(take('md', 9, share => 2, not => [$ac[2][0]])), '0 2 0',
    'accounts that are to wait, and shares, are those of both');
cmd('FLUSHALL');
@ac = map { [account()] } 1 .. 3;

# leases of manual checks

cmd('FLUSHALL');
@ac = map { [account()] } 1 .. 2;
ask(0, 4);
my @old = (take('m', 3, lease => 1000),
    take('m', 1, lease => 1000, name => 'b'));
ask(1, 5);
is(begin_job($_)->[0], 'OK', 'the check starts') for @old[0 .. 2];
wait_for { cmd('ZCOUNT', k('leases'), '-inf', now() - 1) == 4 } 5,
    'the leases to run out';
is(begin_job($_)->[0], 'GONE', 'an expired lease: the check does not start')
    for @old[2, 3];
is(cmd('ZCARD', k('leases')), 4, 'the leases stay for others');
my @new = take('m', 6, name => 'c:d');
is(scalar @new, 6, 'jobs of others and new ones');
sub bare { return join ':', (split /:/, $_[0])[0 .. 3] }
my %old = map { bare($_) => 1 } @old;
is(scalar(grep { $old{ bare($_) } } @new), 4,
    'expired jobs are handed out again');
is(scalar(grep { /:2:c:d\z/ } @new), 3,
    'an attempt is a check that was started in time');
is(of_account(@new), '4 2', 'check_take returns the expired jobs first');
is(cmd('ZCARD', k('leases')), 6, 'the old leases are deleted');
script('check_finish', [k('acct', $ac[0][0])], job => $old[0],
    told => packed([]), lists => 0, all => packed([]), why => 'x',
    keep => 60_000, interval => 3600, events => '1', soon => 0,
    details => 1 << 24);
is(cmd('ZCARD', k('leases')), 6,
    'a late daemon does not finish the job of another');

# leases that ran out keep to the shares

cmd('FLUSHALL');
@ac = map { [account()] } 1 .. 2;
ask(0, 8);
take('m', 8, lease => 1);
wait_for { cmd('ZCOUNT', k('leases'), '-inf', now() - 1) == 8 } 5,
    'the leases to run out';
ask(1, 2);
is(of_account(take('m', 4, share => 1)), '1 1', 'a share each');
is(of_account(take('m', 4, share => 1, not => [$ac[0][0]])), '0 1',
    'an account that is to get nothing gets nothing');
is(of_account(take('m', 8)), '7 0', 'all of them come in the end');

cmd('FLUSHALL');
@ac = map { [account()] } 1 .. 2;
ask(0, 4);
ask(1, 2);
@new = take('m', 6, name => 'c:d');

# a daemon with the same name comes back

sub recall { return script('check_recall', [k('leases')], daemon => $_[0],
    rank => $_[1], cursor => $_[2]) }
my @scores = map { cmd('ZSCORE', k('leases'), $_) } @new;
is_deeply(recall('c', 0, 0), ['OK', -1, -1], 'another name holds nothing');
is_deeply([map { cmd('ZSCORE', k('leases'), $_) } @new], \@scores,
    'check_recall of another name changes no lease');
recall('c:d', 0, 0);
is(scalar(grep { /:[123]:other\z/ } take('d', 10, name => 'other')), 6,
    'a daemon that starts returns the jobs of its name');
cmd('ZADD', k('leases'), 5e12, "AC1:PP${_}::m:1:old") for 1 .. 1500;
is_deeply(recall('old', 0, -1), ['OK', 250, -1],
    'many are processed in slices');
recall('old', 250 * $_, -1) for 1 .. 5;
is_deeply(recall('old', 1500, -1), ['OK', -1, -1],
    'check_recall processes all leases');
is(cmd('ZCOUNT', k('leases'), '-inf', now()), 1500, 'all of them');
cmd('DEL', k('leases'));
cmd('ZADD', k('leases'), 0, 'nonsense');
is(scalar(@none = take('m', 1)), 0, 'nonsense is no job');
ok(!cmd('ZSCORE', k('leases'), 'nonsense'),
    'check_take deletes an invalid job');

# leases of due hosts

cmd('FLUSHALL');
@ac = map { [account()] } 1 .. 2;
script('hook_put', [$ac[0][1]], hook => sid('WH'), name => 'n',
    url => 'https://x.example/', secret => 's');
my ($ht, @more) = hosts(0, 3);
my $acct = $ac[0][1];
my $due = k('due', $ac[0][0]);
my $member = "$ac[0][0]:$ht";

sub end {
    my ($job, $results, $failed) = @_;
    my ($ac, $pp, $h) = split /:/, $job;
    return script('check_finish', [$acct], job => $job,
        told => packed($results // []), clear => $results ? '' : 'RBaRBb',
        lists => 2, why => $failed // '', keep => 60_000, interval => 3600,
        events => '1', soon => 0, details => 1 << 24)->[0];
}
# Claims that host, whatever else is due; its check starts.
sub claim {
    my ($name, $lease, $alone) = @_;
    cmd('ZADD', $due, 5e12, $_) for @more;
    my @jobs;
    wait_for { @jobs = take('d', 9, name => $name, lease => $lease // 60_000) }
        5, "$name to get it";
    die "got @jobs" if @jobs != 1 || $jobs[0] !~ /$ht/;
    my $r = begin_job($jobs[0], '', $alone);
    return ($jobs[0], $r->[0] eq 'OK' ? handle($acct, $r->[8], $ht) : '', $r);
}
sub flight { return cmd('HGET', k('flight:due'), $member) // 'none' }
sub event_sids {
    return join ' ', map { unpacked($_->[1][5])->[1] }
        @{ cmd('XRANGE', k('outbox'), '-', '+') };
}

my ($job, $end, $r) = claim('a', 1000);
my $pp = $r->[8];
like($job, qr/:$pp:$ht:/, 'the daemon gives the check its SID');
is($r->[9], 1, 'the first start');
my $events = event_sids();
my $same = begin_job($job);
is_deeply([@$same[8, 9]], [$pp, 1],
    'a second start by the same daemon does not count');
my ($job2, $end2, $r2) = claim('b', 60_000);
is($r2->[8], $pp, 'a check keeps its SID when another daemon claims it');
is($r2->[9], 2, 'the second daemon starts the check a second time');
is(event_sids(), $events, 'the start is reported once');
is(begin_job($job)->[0], 'GONE', 'the first daemon cannot start it again');
my $record = cmd('GET', k('r', $ac[0][0], $ht));
isnt(end($end, [listed_result('RBa')]), 'OK',
    'the first daemon cannot finish the check');
is(cmd('GET', k('r', $ac[0][0], $ht)), $record,
    'the first daemon does not change the host');
is(event_sids(), $events, 'the first daemon reports no event');
is(end($end2, [listed_result('RBa')]), 'OK', 'the second one ends it');
isnt(end($end2, [listed_result('RBa')]), 'OK',
    'the second daemon ends the check only once');
is(flight(), 'none', 'the check is not in flight');
cmp_ok(cmd('ZSCORE', $due, $ht), '>', now() + 300_000,
    'the next check is due in more than five minutes');

# claimed by another daemon but not started: the late daemon still finishes

sub make_due { cmd('ZADD', $_->[0], 1, $_->[1]) for [$due, $ht],
    [k('due'), $ac[0][0]] }
make_due();
($job, $end) = claim('a', 1000);
wait_for { ($job2) = take('d', 9, name => 'b') } 5, 'b to get it';
is(end($end), 'OK',
    'a late finish counts while no other daemon has started it');
is(begin_job($job2)->[0], 'GONE',
    'no job is left for the other daemon to start');

# A daemon that wakes up when its lease has expired starts nothing: the check
# would be released at once, and three of these would end it.
make_due();
($job) = take('d', 9, lease => 1);
my @late = split /:/, $job;
wait_for { now() > $late[4] } 5, 'the lease to run out';
is(begin_job($job)->[0], 'GONE', 'an expired lease: the check does not start');
is(script('check_open', [k('flight:due')],
    sum => cmd('HGET', k('defaults:for'), 'sum'), member => $member,
    flight => join(':', $late[1], 1, @late[4, 5]))->[1], '',
    'check_open does not start the expired job');
is(flight(), 'none', 'the expired job is no attempt');

# a manual check in between

make_due();
($job) = take('d', 9);
my $manual = script('check_start', [$acct], check => sid('PP'), host => $ht,
    keep => 60_000);
is($manual->[2], 'queued', 'a request for a claimed host without a start');
is(begin_job($job)->[0], 'GONE', 'the scheduled one does not start');
release(take('m', 9));
make_due();
($job, $end) = claim('a');
$manual = script('check_start', [$acct], check => sid('PP'), host => $ht,
    keep => 60_000);
is_deeply([@$manual[1, 2]], [(split /:/, $job)[1], 'running'],
    'a request for a started check returns that check');
is(end($end), 'FULL', 'check_finish needs all results of a requested check');
is(cmd('HGET', k('check', $ac[0][0], $manual->[1]), 'status'), 'running',
    'the requested check is still running');
is(script('check_finish', [$acct], job => $end, told => packed([]), lists => 2,
    all => packed([]), keep => 60_000, interval => 3600, events => '1',
    soon => 0, details => 1 << 24)->[0], 'OK',
    'check_finish ends the check with all results');

# a host that is paused or deleted while a dead daemon has it

make_due();
($job, $end) = claim('a', 1000);
script('host_status', [$acct], host => $ht, status => 'paused');
($job, $end) = claim('b');
is(end($end), 'OK',
    'a paused host: another daemon claims its check and finishes it');
is_deeply([flight(), cmd('ZSCORE', $due, $ht)], ['none', undef],
    'the paused host is in no schedule');
script('host_status', [$acct], host => $ht, status => 'active');
($job) = take('d', 9);
script('host_status', [$acct], host => $ht, status => 'paused');
is(begin_job($job)->[0], 'GONE', 'paused before its start: it does not start');
is(cmd('ZSCORE', $due, $ht), undef, 'the paused host is not scheduled');
script('host_status', [$acct], host => $ht, status => 'active');
($job, $end) = claim('a');
is(cmd('HGET', k('check', $ac[0][0], (split /:/, $job)[1]), 'status'),
    'running', 'a reported check has a record');

# a daemon dies each time

for my $try (2, 3) {
    make_due();
    ($job, $end, $r) = claim("c$try", 60_000, '0');
    is($r->[0], $try == 2 ? 'OK' : 'ALONE',
        "check_begin answers attempt $try with the right word");
}
is(begin_job($job, '', '')->[0], 'GONE',
    'the check does not start while it cannot run alone');
cmp_ok(cmd('ZSCORE', $due, $ht), '<', now() + 2000,
    'the refused check is due in a moment');
like(flight(), qr/\APP\w+:2:/, 'the refused start is no attempt');
make_due();
($job, $end, $r) = claim('c3', 60_000, '1');
is($r->[9], 3, 'alone it starts a third time');
make_due();
($job, $end, $r) = claim('c4');
is($r->[9], 4, 'the fourth is for its end');
is(end($end, [], 'The check failed after 3 attempts.'), 'OK',
    'check_finish ends the check as failed');
is(flight(), 'none', 'the failed check is not in flight');

# a daemon with the same name comes back

make_due();
($job, $end) = claim('e:f');
my $lease = cmd('ZSCORE', $due, $ht);
recall('e', 0, 0);
is(cmd('ZSCORE', $due, $ht), $lease, 'another name holds nothing');
is_deeply(recall('e:f', -1, 0), ['OK', -1, -1], 'the same one gives it back');
($job2, $end2, $r) = claim('g');
is($r->[9], 2, 'another daemon takes it over');
recall('e:f', -1, 0);
cmp_ok(cmd('ZSCORE', $due, $ht), '>', now(),
    'the check of the other daemon is not released');
cmd('HSET', k('flight:due'), "AC1:HT$_", "PP:1:1:e:f") for 1 .. 2500;
my ($at, $calls) = (0, 0);
($at, $calls) = (recall('e:f', -1, $at)->[2], $calls + 1)
    while $at >= 0 && $calls < 100;
cmp_ok($calls, '>', 2, 'many are processed in slices');
is($at, -1, 'check_recall processes all checks in flight');
is(end($end2), 'OK', 'a running check continues after check_recall');

# a host whose record is lost

make_due();
($job, $end) = claim('a', 1);
$record = cmd('GET', k('r', $ac[0][0], $ht));
cmd('DEL', k('r', $ac[0][0], $ht));
is((claim('b'))[2][0], 'GONE',
    'check_begin starts no check of a host without a record');
is_deeply([flight(), cmd('ZSCORE', $due, $ht)], ['none', undef],
    'the check of a host without a record is not tried again');
cmd('SET', k('r', $ac[0][0], $ht), $record);

# a deleted host

make_due();
($job, $end) = claim('a');
script('host_delete', [$acct], host => $ht, keep => 60_000);
is(flight(), 'none', 'a deleted host is not in flight');
isnt(end($end), 'OK', 'the check of a deleted host has finished');
is(cmd('HGET', k('check', $ac[0][0], (split /:/, $job)[1]), 'message'),
    'The host was deleted.', 'the message of the check gives the reason');

# the operator's view

my %seen = map { $_ => 1 } @{ cmd('ZRANGE', k('daemons'), 0, -1) };
is(join(' ', grep { $seen{$_} } 'a', 'b', 'c3', 'g', 'gone'), 'a b c3 g',
    'the daemons are known');
add_host($acct, 'rbl', '10.0.0.99');
($job) = take('d', 9, name => 'busy:1');
begin_job($job);
my (undef, @shown) = @{ script('daemons_show', [k('lists')], rank => 0,
    cursor => 0) };
my @next = splice @shown, 0, 2;
my %has;
while (1) {
    while (my ($name, undef, $n) = splice @shown, 0, 3) { $has{$name} += $n }
    last if "@next" eq '-1 -1';
    (undef, @next[0, 1], @shown) = @{ script('daemons_show', [k('lists')],
        rank => $next[0], cursor => $next[1]) };
}
is($has{'busy:1'}, 1, 'daemons_show counts the jobs of the daemon');
cmd('ZADD', k('daemons'), 1, 'gone');
recall('x', 0, 0);
ok(!cmd('ZSCORE', k('daemons'), 'gone'),
    'check_recall deletes a daemon that is gone');

done_testing();
