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
case(fsck_hosts => 'a range of 1,024', sub { full();
    slice('fsck_hosts', [$acct], '', $range) });
case(fsck_entries => '10 values', sub { full();
    slice('fsck_entries', [$acct], '', 'uniq', map { 'rbl|' . unpacked(cmd('GET',
        k('r', $ac, $_)))->[2] } @kids) });
case(fsck_jobs => '10 hosts that are due', sub { slice('fsck_jobs', [$base],
    '', 'due', ($ac) x SLICE) });
case(fsck_jobs => '10 leases', sub { in_flight(2000)
        if cmd('ZCARD', k('leases')) < 2000;
    slice('fsck_jobs', [$base], '', 'leases',
        @{ cmd('ZRANGE', k('leases'), 0, SLICE - 1) }) });
case(fsck_keys => '10 records of profiles', sub { slice('fsck_keys', [$base],
    '', map { "r:$ac:$_" } @{ $W{rp} }[0 .. SLICE - 1]) });
case(fsck_keys => '10 checks', sub { my @pp = map { sid('PP') } 1 .. SLICE;
    cmd('HSET', k('check', $ac, $_), 'status', 'running', 'host_id', '')
        for @pp;
    slice('fsck_keys', [$base], '', map { "check:$ac:$_" } @pp);
    cmd('DEL', map { k('check', $ac, $_) } @pp) });
case(fsck_refs => '3,000 counters', sub { slice('fsck_refs', [$acct], '',
    @{ cmd('HGETALL', k('refs', $ac)) }) });
case(fsck_event => '50 targets', sub { my $ev = sid('EV');
    cmd('HSET', k('event', $ac, $ev), 'open', 50);
    slice('fsck_event', [$acct], '', $ev, '', map { sid('WH') } 1 .. 50) });

1;
