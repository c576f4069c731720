# Cases of t/lua/cost.t: fsck, on the same account, with more things than a
# script looks at in one call, or the most expensive one last.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblWorst;

use constant SLICE => 50;

my ($ac, $acct) = @W{qw(ac acct)};
my $base = k('accounts');
my ($range, @kids);

# Positions in a record (schema.txt).
use constant { HOST_PARENT => 6, HOST_PROFILE => 8, HOST_GROUPS => 9,
    HOST_FIRST => 12, HOST_LISTED => 13 };

# A host with every fault that fsck can repair.
sub damaged {
    my ($ht) = @_;
    my $h = unpacked(cmd('GET', k('r', $ac, $ht)));
    cmd('HDEL', k('uniq', $ac), "rbl|$h->[2]");
    cmd('ZREM', k($_, $ac), $ht) for qw(listed due);
    cmd('ZADD', k('states', $ac), 1, $ht);
    cmd('ZREM', k('find', $ac), RblScript::find_address(@$h[1, 2]),
        RblScript::find_members(@$h[1 .. 3]));
    $h->[HOST_PARENT] = sid('HT');
    $h->[HOST_PROFILE] = sid('RP');
    $h->[HOST_GROUPS] = [map { sid('CG') } 1 .. 50];
    $h->[HOST_FIRST] = 0;
    $h->[HOST_LISTED] = 7;
    cmd('SET', k('r', $ac, $ht), packed($h));
}

sub full {
    $range //= full_range();
    @kids = @{ cmd('ZRANGE', k('kids', $ac, $range), 0, SLICE - 1) } if !@kids;
}

# A slice of the walk through the account.
sub entries {
    my ($mend, $what, $cursor, @entries) = @_;

    return slice('fsck_entries', [$acct], mend => $mend, profile => sid('RP'),
        group => sid('CG'), what => $what, cursor => $cursor,
        entries => \@entries);
}

case(fsck_aside => '200 lists', sub { slice('fsck_aside', [$base]) });
case(fsck_account => '1,000 contacts', sub { slice('fsck_account', [$acct]) });
case(fsck_entries => 'defaults, and from then on', sub { entries('', 'chosen',
    '0') });
case(fsck_entries => 'profiles of 400 entries', sub { entries('', 'profiles',
    '', @{ $W{rp} }[0 .. SLICE - 1]) });
case(fsck_entries => 'contacts in 50 groups', sub { entries('', 'contacts',
    '', @{ $W{co} }[0 .. SLICE - 1]) });
case(fsck_entries => 'addresses in 50 groups', sub { full();
    work(s1('host_update', host => $range, groups => [@{ $W{cg} }[0 .. 49]]));
    entries('', 'hosts', '', @kids) });
case(fsck_entries => '9 hosts, and one on 400 lists', sub { full();
    entries('', 'hosts', '', @kids[0 .. 8], listed_one()) });
case(fsck_entries => '9 hosts and one on 400 lists, all repaired', sub { full();
    my @ht = ((map { host_in() } 1 .. 9), listed_host());
    damaged($_) for @ht;
    entries('1', 'hosts', '', @ht) });
case(fsck_kids => 'addresses, one on 400 lists', sub { full();
    slice('fsck_kids', [$acct], range => $range, what => 'kids',
        entries => [@kids[0 .. 38], listed_one()]) });
case(fsck_kids => '40 without a range, repaired', sub { full();
    my @ht = map { host_in() } 1 .. 40;
    cmd('ZADD', k('kids', $ac, $range), map { (1, $_) } @ht);
    slice('fsck_kids', [$acct], mend => '1', range => $range, what => 'kids',
        entries => \@ht) });
case(fsck_range => 'repaired', sub { full(); my $n = unpacked(cmd('GET',
        k('r', $ac, $range)))->[HOST_LISTED];
    slice('fsck_range', [$acct], mend => '1', range => $range,
        listed => $n + 1);
    slice('fsck_range', [$acct], mend => '1', range => $range,
        listed => $n) });
case(fsck_entries => 'values', sub { full();
    entries('', 'uniq', '', map { 'rbl|'
        . unpacked(cmd('GET', k('r', $ac, $_)))->[2] } @kids) });
case(fsck_entries => 'values without a host, repaired', sub {
    cmd('HSET', k('uniq', $ac), map { ("rbl|x$_", sid('HT')) } 1 .. SLICE);
    entries('1', 'uniq', '', map { "rbl|x$_" }
        1 .. SLICE) });
case(fsck_entries => 'listings without a host, repaired', sub {
    my @ht = map { sid('HT') } 1 .. SLICE;
    cmd('ZADD', k('listed', $ac), map { (1, $_) } @ht);
    entries('1', 'listed', '', @ht);
    slice('totals_make', [$acct]) });
case(fsck_entries => 'members that find a host on 400 lists', sub {
    my $h = unpacked(cmd('GET', k('r', $ac, listed_one())));
    entries('', 'find', '',
        (RblScript::find_members(@$h[1 .. 3])) x (SLICE / 2)) });
case(fsck_entries => 'members that find nothing, repaired', sub {
    my @gone = map { RblScript::find_members(sid('HT'), 'x', text_of(1020)) }
        1 .. SLICE / 2;
    cmd('ZADD', k('find', $ac), map { (0, $_) } @gone);
    entries('1', 'find', '', @gone) });
case(fsck_entries => 'profiles that lost 200 lists, repaired', sub {
    my @rp = map { sid('RP') } 1 .. SLICE;
    cmd('SET', k('r', $ac, $_), packed([1, $_, text_of(255), 'active', 0,
        [@{ $W{rb} }, map { sid('RB') } 1 .. 200], 1])) for @rp;
    cmd('ZADD', k('profiles', $ac), map { (1e9, $_) } @rp);
    entries('1', 'profiles', '', @rp);
    cmd('ZREM', k('profiles', $ac), @rp);
    cmd('DEL', map { k('r', $ac, $_) } @rp) });
case(fsck_entries => 'contacts that are in no set, repaired', sub {
    my @co = @{ $W{co} }[0 .. SLICE - 1];
    cmd('ZREM', k('hears', $ac), @co);
    entries('1', 'contacts', '', @co) });
case(fsck_uses => 'contacts and hosts', sub {
    slice('fsck_uses', [$acct], what => 'contacts',
        entries => [@{ $W{co} }[0 .. 49]]) });
case(fsck_uses => 'hosts, one on 400 lists', sub { full();
    slice('fsck_uses', [$acct], what => 'hosts', entries => [(host_in()) x 15,
        listed_one()]) });
case(fsck_refs => '100 counters that are wrong, repaired', sub {
    slice('fsck_refs', [$acct], mend => '1', field => [map { "x$_" } 1 .. 100],
        is => 5);
    cmd('HDEL', k('refs', $ac), map { "x$_" } 1 .. 100) });
case(fsck_account => 'all keys of another type, repaired', sub {
    my $other = sid('AC');
    my $record = unpacked(cmd('GET', $acct));
    $record->[1] = $other;
    cmd('SET', k('acct', $other), packed($record));
    cmd('SADD', k($_, $other), 1) for qw(chosen wanted totals checked coverage
        seq started refs dead changes audit audit:rest past past:rest
        audit:again audit:rest:again bill terms money meter ledger payments
        sources setup work rbls profiles groups apps hooks users contacts hosts
        uniq listed states find due tokens manual details hears telling
        pending);
    slice('fsck_account', [k('acct', $other)], mend => '1');
    cmd('DEL', k('acct', $other));
    cmd('ZREM', k('accounts'), $other) });
case(fsck_jobs => 'checks in flight without a host, repaired', sub {
    my @ht = map { sid('HT') } 1 .. SLICE;
    cmd('HSET', k('flight'), map { ("$ac:$_", sid('PP')) } @ht);
    slice('fsck_jobs', [$base], mend => '1', what => 'flight',
        entries => [map { "$ac:$_" } @ht]) });
case(fsck_keys => '6 hosts in no index, one on 400 lists, repaired', sub {
    my @ht = ((map { host_in() } 1 .. 5), listed_host());
    for my $ht (@ht) {
        my $h = unpacked(cmd('GET', k('r', $ac, $ht)));
        cmd('ZREM', k('hosts', $ac), $ht);
        cmd('HDEL', k('uniq', $ac), "rbl|$h->[2]");
    }
    slice('fsck_keys', [$base], mend => '1', keys => [map { "r:$ac:$_" } @ht]);
    slice('totals_make', [$acct]) });
case(fsck_keys => 'groups that contacts hear of', sub {
    slice('fsck_keys', [$base],
        keys => [map { "hears:$ac:$_" } @{ $W{cg} }[0 .. SLICE - 1]]) });
case(fsck_keys => 'details of checks', sub {
    my @pp = map { sid('PP') } 1 .. SLICE;
    my @k = map { k('check', $ac, "$_:d") } @pp;
    cmd('SET', $_, 'x' x 140_000, 'PX', 60_000) for @k;
    slice('fsck_keys', [$base], mend => '1',
        keys => [map { "check:$ac:$_:d" } @pp]);
    cmd('DEL', @k, k('details', $ac)) });
case(fsck_jobs => 'hosts that are due', sub { slice('fsck_jobs', [$base],
    what => 'due', entries => [($ac) x SLICE]) });
case(fsck_jobs => 'leases', sub { in_flight(2000)
        if cmd('ZCARD', k('leases')) < 2000;
    slice('fsck_jobs', [$base], what => 'leases', entries => [@{ cmd('ZRANGE',
        k('leases'), 0, SLICE - 1) }]) });
case(fsck_sample => 'the queues of a partition', sub {
    in_flight(2000) if cmd('ZCARD', k('leases')) < 2000;
    slice('fsck_sample', [k('due')], mend => '0') });
case(fsck_keys => 'records of profiles', sub { slice('fsck_keys', [$base],
    keys => [map { "r:$ac:$_" } @{ $W{rp} }[0 .. SLICE - 1]]) });
case(fsck_keys => 'checks', sub { my @pp = map { sid('PP') } 1 .. SLICE;
    cmd('HSET', k('check', $ac, $_), 'status', 'running', 'host_id', '')
        for @pp;
    slice('fsck_keys', [$base], keys => [map { "check:$ac:$_" } @pp]);
    cmd('DEL', map { k('check', $ac, $_) } @pp) });
case(fsck_event => '50 targets', sub { my $ev = sid('EV');
    cmd('HSET', k('event', $ac, $ev), 'open', 50);
    slice('fsck_event', [$acct], event => $ev,
        targets => [map { sid('WH') } 1 .. 50]) });
case(fsck_bill => 'a ledger and its payments', sub {
    my @py = map { sid('PY') } 1 .. SLICE;
    cmd('SET', k('pay', $ac, $_), packed([1, $_, 'renewal', "x$_", 1,
        'succeeded', 0, 'x' x 255, '', 1, 1, 1, 1])) for @py;
    my $last = '-';
    my @ids = map { my $id = cmd('XADD', k('ledger', $ac), '*', k => "x$_",
        d => 'cash', c => 'revenue', a => 1, b => 0, r => $_, x => 'x' x 255);
        my $entry = "$last $id"; $last = $id; $entry } @py;
    slice('fsck_bill', [$acct], what => 'ledger', cursor => '',
        entries => \@ids);
    slice('fsck_bill', [$acct], what => 'payments', cursor => '',
        entries => \@py);
    cmd('DEL', k('ledger', $ac), map { k('pay', $ac, $_) } @py) });
case(fsck_mail => '1000 users', sub { my $k = k('mail', 'b' x 32);
    cmd('ZADD', $k, map { (1, "$ac:" . sid('US')) } 1 .. 1000);
    slice('fsck_mail', [$k], what => 'mail', cursor => '0');
    slice('fsck_mail', [$k], mend => '1', member => "$ac:" . sid('US'),
        confirmed => 1);
    cmd('DEL', $k) });

1;
