#!/usr/bin/perl

# Manual checks precede scheduled ones, but a flood of them must not stop the
# scheduled checks of other accounts.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;

my $dns = RblDns->new(rules => [[ '.', { rcode => 3, delay => 0.2 } ]]);
my $w = world(no_dns => 1, partitions => 1,
    zones => { 'a.test' => {}, 'b.test' => {} });

my @pp = map { check_value($w, "10.0.0.$_") } 1 .. 120;
my $ht = add_host($w, '10.1.0.1');
start_checkd(store => $w->{redis}, resolver => { port => $dns->port },
    conf => { conf_short(checks_max => 2, check_timeout => '1s',
        lease => '2500ms', dns_timeout => '900ms') });

sub waiting { return grep { check_state($w, $_)->{status} eq 'queued' } @pp }

wait_for { waiting() < 118 } 15, 'the first manual checks';
ok(!host_record($w, $ht)->{checked}, 'manual checks come first');
wait_for { host_record($w, $ht)->{checked} } 30, 'the scheduled check';
cmp_ok(scalar waiting(), '>', 20,
    'the scheduled check does not wait for all of them');

done_testing();
