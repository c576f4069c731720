#!/usr/bin/perl

# Daemons that always have new jobs still take over the jobs of a dead daemon,
# and nothing is lost when the slots run out.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;

my $dns = RblDns->new(rules => [[ '.', { rcode => 3, delay => 0.2 } ]]);
my $w = world(no_dns => 1, partitions => 1,
    zones => { 'a.test' => {}, 'b.test' => {} });
my $leases = RblCheckd::pkey($w, 'leases');

# another daemon claimed twenty of 160 jobs and died one lease ago

my @pp = map { check_value($w, "10.0.0.$_") } 1 .. 160;
is(take_jobs($w, 'm', 20, 'ghost'), 20, 'twenty are left behind');
redis($w->{redis}, 'ZADD', $leases, 1, $_)
    for @{ redis($w->{redis}, 'ZRANGE', $leases, 0, -1) };

my @daemons = map {
    start_checkd(store => $w->{redis}, resolver => { port => $dns->port },
        conf => { conf_short(checks_max => 2, check_timeout => '1s',
            lease => '2500ms', name => "d$_", dns_timeout => '900ms') })
} 1 .. 2;

sub states {
    my %n;
    $n{ check_state($w, $_)->{status} }++ for @pp;
    return \%n;
}
wait_for { grep { check_state($w, $_)->{status} ne 'queued' } @pp[0 .. 19] }
    15, 'the first take-over';
cmp_ok(states()->{queued} // 0, '>', 20, 'new jobs are still waiting');
wait_for { (states()->{completed} // 0) == @pp } 60, 'all of them to end';
is(states()->{completed}, scalar @pp, 'every check is completed');
is(jobs_left($w), 0, 'no job is left');

done_testing();
