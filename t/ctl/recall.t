#!/usr/bin/perl

# A daemon was killed while it had a check, whose host is deleted; it restarts
# and returns the lease.  The store is consistent, and fsck reports no fault.

use strict;
use warnings;
use RblTest;
use RblScript;

my $redis = redis_new();
rblctl($redis, 'init', '--partitions', 4);
my ($ac, $acct) = account();
my $ht = unpacked(add_host($acct, 'rbl', '192.0.2.1')->[1])->[1];
script('check_start', [$acct], check => sid('PP'), host => $ht,
    app => sid('AP'), keep => 86_400_000);
my ($job) = take('m', 1, name => 'a');
begin_job($job);
script('host_delete', [$acct], host => $ht, keep => 86_400_000);
my $r = rblctl($redis, 'fsck', $ac);
is($r->{status}, 0, 'fsck finds no fault while the lease is valid')
    or diag($r->{out});
script('check_recall', [k('leases')], daemon => 'a', rank => 0, cursor => 0);
$r = rblctl($redis, 'fsck', $ac);
is($r->{status}, 0, 'fsck finds no fault after the lease is released')
    or diag($r->{out});
done_testing();
