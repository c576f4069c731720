#!/usr/bin/perl

# A daemon that is late, but not too late, finishes its check after another one
# has claimed the host and before that one starts it: the account's turn must
# not be later than its first due host.

use strict;
use warnings;
use RblTest;
use RblScript;
use Time::HiRes 'sleep';

for my $how ('finish', 'clear') {
    redis_new();
    my ($ac, $acct) = account(interval => 60);
    my $ht = unpacked(add_host($acct, 'rbl', '192.0.2.1')->[1])->[1];
    # its own next check is half an interval away, whatever the clock
    my ($job) = take('d', 10, lease => 300, name => 'a');
    my (undef, $pp) = split /:/, $job;
    is(begin_job($job)->[0], 'OK', 'A starts it');
    sleep 0.4;
    my ($other) = take('d', 10, lease => 3_600_000, name => 'b');
    ok($other, 'B claims it, the lease has expired');
    if ($how eq 'finish') {
        is(finish_check($acct, $pp, $ht, [result('RBa', 'clear'),
            result('RBb', 'clear')], undef, interval => 60)->[0], 'OK',
            'A ends its check');
    } else {
        my $flight = cmd('HGET', k('flight:due'), "$ac:$ht");
        is_deeply(script('check_clear', [k('flight:due')], member => "$ac:$ht",
            flight => $flight, interval => 60), ['OK', '1'],
            'A ends its check');
    }
    is(begin_job($other)->[0], 'GONE', 'B has it no more');
    my $due = cmd('ZSCORE', k('due', $ac), $ht);
    my $turn = cmd('ZSCORE', k('due'), $ac);
    cmp_ok($turn, '<=', $due, 'the turn is not after the first host is due')
        or diag(sprintf 'late by %d s', ($turn - $due) / 1000);
    is_deeply([grep { $_->[1] eq 'turn' } grep { ref }
        @{ script('fsck_account', [$acct], mend => '0') }], [],
            'fsck finds nothing');
}
done_testing();
