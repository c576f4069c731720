#!/usr/bin/perl

# A daemon that is killed at any moment loses no report to contacts, keeps their
# order, and repeats nothing except identical messages.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

use constant { KILLS => 12, HOSTS => 20 };

deliver_setup();
my $hook = start_receiver();
my $co = contact_active('endpoint', $hook->{url}, schedule => 'start_and_end');
my %conf = (digest_window => '100ms', contact_limit => 1000,
    deliver_timeout => '2s');
my @ht = map { sid('HT') } 1 .. HOSTS;
script('host_add', [$ACCT], type => 'rbl', family => 1, host => $ht[$_],
    value => "192.0.2.$_") for 0 .. $#ht;

# Changes of each host, in their order
my (%truth, %is);
sub flip {
    my ($ht) = @_;

    my $listed = ($is{$ht} ^= 1);
    push @{ $truth{$ht} }, $listed ? 'listed' : 'delisted';
    event_emit(host => $ht, results => [
        $listed ? listed_result('RBa') : result('RBa', 'clear')]);
}

# Claims of a dead daemon are free at the end of its lease.
sub leases_end {
    for my $k ('retry', 'digests') {
        cmd('ZADD', k($k), 'XX', 0, $_) for @{ cmd('ZRANGE', k($k), 0, -1) };
    }
}

srand(my $seed = $ENV{RBL_SEED} // time);
note "seed $seed";
my $d = start_deliverd(conf => \%conf);
# On a slow machine a daemon may be killed before it sends anything; every
# second one is not killed.
for my $round (1 .. KILLS) {
    my $had = () = received($hook);
    for (1 .. 1 + int rand 40) {
        flip($ht[rand @ht]);
        select undef, undef, undef, rand 0.05 if rand() < 0.5;
    }
    wait_for { flip($ht[rand @ht]); received($hook) > $had } 20, 'a message'
        if $round % 2;
    kill_server($d);
    flip($ht[rand @ht]);
    leases_end();
    $d = start_deliverd(conf => \%conf);
}
leases_end();
soon { idle() } 'all is reported', 60;

my (@order, %body, %told);
my $repeats = 0;
# By connection: the receiver may read late a request sent before the daemon
# died.
for my $r (sort { $a->{nth} <=> $b->{nth} } received($hook)) {
    my $ev = $r->{json}{event_sid};
    if ($body{$ev}) {
        $repeats++;
        is($r->{body}, $body{$ev}, 'a repeat has the same bytes');
        is($order[-1], $ev, 'no other message comes before a repeat');
        next;
    }
    push @order, $ev;
    $body{$ev} = $r->{body};
    push @{ $told{ $_->{id} } }, $_->{status} for @{ $r->{json}{hosts} };
}
note scalar(@order) . " messages, $repeats repeats";
cmp_ok(scalar @order, '>=', KILLS / 2,
    'the endpoint gets messages between the kills');
cmp_ok($repeats, '<=', KILLS, 'each kill causes at most one repeat');

for my $ht (sort keys %truth) {
    my @left = @{ $truth{$ht} };
    my @told = @{ $told{$ht} // [] };
    my $ok = 1;
    for my $state (@told) {
        shift @left while @left && $left[0] ne $state;
        $ok &&= @left > 0;
        shift @left;
    }
    ok($ok, "changes are reported once and in order: @told")
        or diag "of: @{ $truth{$ht} }";
    is($told[-1], $truth{$ht}[-1], 'the last change is reported');
}
is(scalar dead_letters(), 0, 'the account has no dead letter');
ok(stop_server($d, 5), 'the daemon ends on TERM');
done_testing();
