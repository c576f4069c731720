#!/usr/bin/perl

# A host of callbacks and endpoint contacts always fails: it gets only a probe
# now and then.  Other hosts of the account are served meanwhile, and when it
# works again all deliveries arrive.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

use constant { OPENS => 5, MORE => 20 };

my $redis = deliver_setup();
my $d = start_deliverd();
my ($dead, $fine) = (start_receiver(), start_receiver());

sub circuits { return @{ cmd('KEYS', k('hook', $AC, 'CB*')) } }
sub arrived { return scalar(() = received($_[0])) }
sub till { my ($k) = circuits(); return $k ? cmd('HGET', $k, 'till') // 0 : 0 }

answer_with($dead, status => 500);
for my $n (1 .. OPENS) {
    one_off("$dead->{url}?$n", "192.0.2.$n");
    soon { arrived($dead) == $n } "attempt $n fails";
}
soon { till() }
    'the circuit is open';

one_off("$dead->{url}?" . (OPENS + $_), "192.0.2.$_") for 1 .. MORE;
confirm(contact_put('endpoint', "$dead->{url}?contact"), 'aabb11');
one_off($fine->{url}, "192.0.2.$_") for 1 .. MORE;
soon { arrived($fine) == MORE } 'another host is served';
is(arrived($dead), OPENS, 'the failing host gets no further requests');
is(scalar(keys %{ deliveries() }), OPENS + MORE + 1,
    'the waiting deliveries remain in the queue');

my $till = till();
time_passes(120);
soon { arrived($dead) == OPENS + 1 } 'a probe';
soon { till() > $till } 'the probe fails: the next pause is longer';
is(arrived($dead), OPENS + 1, 'the failing host gets nothing but the probe');

answer_with($dead, status => 200);
time_passes(300);
soon { !circuits() } 'it is back: a probe closes the circuit';
due_now(keys %{ deliveries() });
soon { idle() } 'all arrives';
my %seen = map { ($_->{path} // '') . ' ' . $_->{headers}{'webhook-id'} => 1 }
    received($dead);
is(scalar(keys %seen), OPENS + MORE + 1,
    'the failing host gets each delivery after its return');

ok(stop_server($d), 'the daemon stops without an error');
done_testing();
