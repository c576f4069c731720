#!/usr/bin/perl

# A receiver that never answers, with hundreds of deliveries, must not delay
# other accounts.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

deliver_setup();
my $slow = start_receiver(delay => 30);
hook_add($slow->{url}, 's1');
event_emit() for 1 .. 100;

my $d = start_deliverd(conf => { deliveries_max => 8,
    deliver_timeout => '5s' });
soon { my $n = () = read_file("$slow->{file}.log"); cmd('XLEN', k('outbox'))
    == 0 && keys %{ deliveries() } >= 200 } 'the queue is full';
wait_for { grep { $_ > 2 } values %{ deliveries() } } 10, 'attempts start';

my $hook = start_receiver();
{
    local ($RblDeliver::AC, $RblDeliver::ACCT) = account();
    hook_add($hook->{url}, 's2', 'rbl.host.listed');
    event_emit();
    soon { received($hook) == 1 } 'the other account gets its event';
}
cmp_ok(scalar(grep { /^$AC:/ } keys %{ deliveries() }), '>=', 100,
    'deliveries of the first account still wait');
answer_with($slow, status => 200);
soon { idle() } 'the first receiver gets all events when it answers', 120;
is(scalar(grep { $_->{status} != 200 } received($slow)), 0,
    'the first account gets 200 for all its requests');
done_testing();
