#!/usr/bin/perl

# One account has checks of many lists, which count as several, and more of them
# than a daemon has slots.  The slots reserved for others stay free: another
# account's check begins before any of these has finished.

use strict;
use warnings;

use RblCheckd;
use RblDns;
use RblTest;

use constant { LISTS => 180, CHECKS => 40, PLACES => 32 };

my $dns = RblDns->new(rules => [[ '.', { rcode => 3, delay => 20 } ]]);
my $w = world(no_dns => 1, partitions => 1, zones => { 'a.test' => {} });
my $other = { %$w, acct => make_account($w->{redis}, name => 'Other') };
own_lists($w, map { ("l$_.own.test" => 'rbl') } 1 .. LISTS);
# All of them are claimed at once.
my @pp = map { check_value($w, "10.0.0.$_") } 1 .. CHECKS;
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port },
    conf => { conf_short(checks_max => PLACES, dns_timeout => '30s',
        check_timeout => '40s', lease => '90s') });

sub running { return grep { check_state($w, $_)->{status} eq 'running' } @pp }

wait_for { running() >= PLACES * 3 / 4 } 15, 'the daemon to be full';
my $pp = check_value($other, '10.1.0.1');
ok((wait_for { check_state($other, $pp)->{status} eq 'running' } 15),
    "another account's check starts");
is(scalar(grep { check_state($w, $_)->{status} eq 'completed' } @pp), 0,
    'no check of the first account has finished');

kill_server($checkd);                   # they would take a while
done_testing();
