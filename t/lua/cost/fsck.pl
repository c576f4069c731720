# Cases of t/lua/cost.t: fsck, on the same account, with as many things a call
# as rblctl gives it (FSCK_SLICE).

use strict;
use warnings;
use RblTest;
use RblScript;
use RblWorst;

use constant SLICE => 10;

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
    cmd('ZREM', k('find', $ac), RblScript::find_members(@$h[1 .. 3]));
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

case(fsck_types => '', sub { slice('fsck_types', [$acct], '', map {
    ("$_:$ac", 'zset') } qw(hosts listed profiles groups rbls contacts apps
    hooks due)) });
case(fsck_aside => '200 lists', sub { slice('fsck_aside', [$base], '') });
case(fsck_account => '1,000 contacts', sub { slice('fsck_account', [$acct],
    '') });
case(fsck_defaults => '', sub { slice('fsck_defaults', [$acct], '', sid('RP'),
    sid('CG')) });
case(fsck_index => '10 profiles of 400 entries', sub { slice('fsck_index',
    [$acct], '', 'profiles', @{ $W{rp} }[0 .. SLICE - 1]) });
case(fsck_index => '10 contacts in 50 groups', sub { slice('fsck_index',
    [$acct], '', 'contacts', @{ $W{co} }[0 .. SLICE - 1]) });
case(fsck_hosts => '10 addresses in 50 groups', sub { full();
    work(s1('host_update', $range, '', '', '',
        @{ $W{cg} }[0 .. 49]));
    slice('fsck_hosts', [$acct], '', @kids) });
case(fsck_hosts => '9 hosts, and one on 400 lists', sub { full();
    slice('fsck_hosts', [$acct], '', @kids[0 .. 8], listed_one()) });
case(fsck_hosts => '9 hosts and one on 400 lists, all repaired', sub { full();
    my @ht = ((map { host_in() } 1 .. 9), listed_host());
    damaged($_) for @ht;
    slice('fsck_hosts', [$acct], '1', @ht) });
case(fsck_kids => '10 addresses, one on 400 lists', sub { full();
    slice('fsck_kids', [$acct], '', $range, @kids[0 .. 7], listed_one()) });
case(fsck_kids => '9 without a range, repaired', sub { full();
    my @ht = map { host_in() } 1 .. 9;
    cmd('ZADD', k('kids', $ac, $range), map { (1, $_) } @ht);
    slice('fsck_kids', [$acct], '1', $range, @ht) });
case(fsck_range => 'repaired', sub { full(); my $n = unpacked(cmd('GET',
        k('r', $ac, $range)))->[HOST_LISTED];
    slice('fsck_range', [$acct], '1', $range, $n + 1);
    slice('fsck_range', [$acct], '1', $range, $n) });
case(fsck_entries => '10 values', sub { full();
    slice('fsck_entries', [$acct], '', 'uniq', map { 'rbl|' . unpacked(cmd('GET',
        k('r', $ac, $_)))->[2] } @kids) });
case(fsck_entries => '10 values without a host, repaired', sub {
    cmd('HSET', k('uniq', $ac), map { ("rbl|x$_", sid('HT')) } 1 .. SLICE);
    slice('fsck_entries', [$acct], '1', 'uniq', map { "rbl|x$_" }
        1 .. SLICE) });
case(fsck_entries => '10 listings without a host, repaired', sub {
    my @ht = map { sid('HT') } 1 .. SLICE;
    cmd('ZADD', k('listed', $ac), map { (1, $_) } @ht);
    slice('fsck_entries', [$acct], '1', 'listed', @ht);
    slice('totals_make', [$acct]) });
case(fsck_entries => '10 that find a host on 400 lists', sub {
    my $h = unpacked(cmd('GET', k('r', $ac, listed_one())));
    slice('fsck_entries', [$acct], '',
        'find', (RblScript::find_members(@$h[1 .. 3])) x 5) });
case(fsck_entries => '10 that find nothing, repaired', sub {
    my @gone = map { RblScript::find_members(sid('HT'), 'x', text_of(1020)) }
        1 .. 5;
    cmd('ZADD', k('find', $ac), map { (0, $_) } @gone);
    slice('fsck_entries', [$acct], '1', 'find', @gone) });
case(fsck_index => '10 profiles that lost 200 lists, repaired', sub {
    my @rp = map { sid('RP') } 1 .. SLICE;
    cmd('SET', k('r', $ac, $_), packed([1, $_, text_of(255), 'active', 0,
        [@{ $W{rb} }, map { sid('RB') } 1 .. 200], 1])) for @rp;
    cmd('ZADD', k('profiles', $ac), map { (1e9, $_) } @rp);
    slice('fsck_index', [$acct], '1', 'profiles', @rp);
    cmd('ZREM', k('profiles', $ac), @rp);
    cmd('DEL', map { k('r', $ac, $_) } @rp) });
case(fsck_index => '10 contacts that are in no set, repaired', sub {
    my @co = @{ $W{co} }[0 .. SLICE - 1];
    cmd('ZREM', k('hears', $ac), @co);
    slice('fsck_index', [$acct], '1', 'contacts', @co) });
case(fsck_refs => '100 counters that are wrong, repaired', sub {
    slice('fsck_refs', [$acct], '1', map { ("x$_", '', 5) } 1 .. 100);
    cmd('HDEL', k('refs', $ac), map { "x$_" } 1 .. 100) });
case(fsck_types => 'all keys of an account, repaired', sub {
    cmd('SET', k("x$_", $ac), 1) for 1 .. 32;
    slice('fsck_types', [$acct], '1', map { ("x$_:$ac", 'zset') } 1 .. 32) });
case(fsck_jobs => '10 checks in flight without a host, repaired', sub {
    my @ht = map { sid('HT') } 1 .. SLICE;
    cmd('HSET', k('flight'), map { ("$ac:$_", sid('PP')) } @ht);
    slice('fsck_jobs', [$base], '1', 'flight', map { "$ac:$_" } @ht) });
case(fsck_keys => '10 hosts in no index, one on 400 lists, repaired', sub {
    my @ht = ((map { host_in() } 1 .. 9), listed_host());
    for my $ht (@ht) {
        my $h = unpacked(cmd('GET', k('r', $ac, $ht)));
        cmd('ZREM', k('hosts', $ac), $ht);
        cmd('HDEL', k('uniq', $ac), "rbl|$h->[2]");
    }
    slice('fsck_keys', [$base], '1', map { "r:$ac:$_" } @ht);
    slice('totals_make', [$acct]) });
case(fsck_keys => 'groups that contacts hear of', sub {
    slice('fsck_keys', [$base], '', map { "hears:$ac:$_" }
        @{ $W{cg} }[0 .. SLICE - 1]) });
case(fsck_keys => 'details of 10 checks', sub {
    my @pp = map { sid('PP') } 1 .. SLICE;
    my @k = map { k('check', $ac, "$_:d") } @pp;
    cmd('SET', $_, 'x' x 140_000, 'PX', 60_000) for @k;
    slice('fsck_keys', [$base], '1', map { "check:$ac:$_:d" } @pp);
    cmd('DEL', @k, k('details', $ac)) });
case(fsck_jobs => '10 hosts that are due', sub { slice('fsck_jobs', [$base],
    '', 'due', ($ac) x SLICE) });
case(fsck_jobs => '10 leases', sub { in_flight(2000)
        if cmd('ZCARD', k('leases')) < 2000;
    slice('fsck_jobs', [$base], '', 'leases',
        @{ cmd('ZRANGE', k('leases'), 0, SLICE - 1) }) });
case(fsck_sample => 'the queues of a partition', sub {
    in_flight(2000) if cmd('ZCARD', k('leases')) < 2000;
    slice('fsck_sample', [k('due')], '0') });
case(fsck_keys => '10 records of profiles', sub { slice('fsck_keys', [$base],
    '', map { "r:$ac:$_" } @{ $W{rp} }[0 .. SLICE - 1]) });
case(fsck_keys => '10 checks', sub { my @pp = map { sid('PP') } 1 .. SLICE;
    cmd('HSET', k('check', $ac, $_), 'status', 'running', 'host_id', '')
        for @pp;
    slice('fsck_keys', [$base], '', map { "check:$ac:$_" } @pp);
    cmd('DEL', map { k('check', $ac, $_) } @pp) });
case(fsck_event => '50 targets', sub { my $ev = sid('EV');
    cmd('HSET', k('event', $ac, $ev), 'open', 50);
    slice('fsck_event', [$acct], '', $ev, '', map { sid('WH') } 1 .. 50) });

1;
