#!/usr/bin/perl

# Money behind Sentinels: an attempt is made when a replica has its record, so
# that a failover cannot undo it.  A payment that was made is there after a
# failover, and rblctl says when a change may be lost.

use strict;
use warnings;

use RblFailover;
use RblBill;
use RblStripe;

# Redis would notice the replica that stands still after max_lag.
my $f = start_sentinels(replicas => 1, max_lag => 60, down_after => 60_000);
init_store($f);
my $t = bill_world(of => { redis => $f, acct => make_account($f) });
my $stripe = $t->{stripe};
bill_plan($t, 'Business');
add_card($t, 'pm_card_visa');
ok((wait_for { bill($t)->{state} eq 'active' && bill($t)->{open} eq '' } 20,
    'the payment'), 'the daemon makes a payment while the replica answers');
is(scalar @{ stripe_state($stripe)->{charges} }, 1, 'the card is charged once');

# --- a replica that does not answer ------------------------------------------

my ($replica) = replicas($f);
pause_server($replica);
my $py = next_period($t);
ok(wait_log($t->{checkd}, qr/no replica of the store has the attempt/),
    'the daemon says that it waits for a replica');
is(scalar @{ stripe_state($stripe)->{charges} }, 1,
    'the daemon charges nothing without the replica');

my $r = rblctl($f, 'app', 'add', $t->{ac}, 'Other');
is($r->{status}, 3, 'the tool rblctl exits with status 3');
like($r->{err}, qr/change was made, but no replica confirms it/,
    'the message of rblctl says that the change was made');

cont_server($replica);
hurry($t);
ok((wait_for { bill($t)->{open} eq '' } 30, 'the payment'),
    'the daemon makes the payment when the replica answers');
is(payment($t, $py)->{state}, 'succeeded',
    'the payment has the state succeeded');
is(scalar @{ stripe_state($stripe)->{charges} }, 2,
    'the card is charged twice in all');

# --- after a failover --------------------------------------------------------

my $old = master($f);
kill_server($old);
redis($_, 'SENTINEL', 'FAILOVER', 'rbl') for $f->{sentinels}[0];
wait_master($f, $old, 30);
restart_member($f, $old);
wait_replicas($f, 30);
is(payment($t, $py)->{state}, 'succeeded', 'the new master has the payment');
books_agree($t, 'the books after a failover');

done_testing();
