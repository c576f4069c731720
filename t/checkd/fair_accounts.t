#!/usr/bin/perl

# One account has 100,000 due hosts, and then thousands of manual checks, next
# to another account in the same partition, on one daemon whose slots are always
# in use.  The other account's manual check begins within a second, and its
# hosts are checked.
#
# Alone: measures how soon a check begins.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time);

use constant { HOSTS => 100_000, FLOOD => 1500, SLOW => 2.5 };

my $dns = RblDns->new(rules => [[ '.', { rcode => 3, delay => SLOW } ]]);
my $many = world(no_dns => 1, partitions => 1,
    zones => { 'a.test' => {}, 'b.test' => {} });
my $few = { %$many, acct => make_account($many->{redis}, name => 'Few') };

for my $n (0 .. HOSTS / 1000 - 1) {
    add_many($many, map { join '.', 10, $n, $_ >> 8, $_ & 255 } 0 .. 999);
}
is(redis($many->{redis}, 'ZCARD', RblCheckd::akey($many, 'due')), HOSTS,
    'an account with 100,000 hosts that are due');
my $checkd = start_checkd(store => $many->{redis},
    resolver => { port => $dns->port },
    conf => { conf_short(checks_max => 64, dns_timeout => '5s',
        check_timeout => '10s', lease => '30s') });

sub leases {
    return redis($many->{redis}, 'ZCARD', RblCheckd::pkey($many, 'leases'))
        + redis($many->{redis}, 'HLEN',
            RblCheckd::pkey($many, 'flight:due'));
}
sub begins_soon {
    my ($name) = @_;

    my $began = time;
    my $pp = check_value($few, '10.250.0.1');
    wait_for { check_state($few, $pp)->{status} ne 'queued' } 15,
        "$name to start";
    cmp_ok(time - $began, '<', 1, "$name starts within a second");
    return $pp;
}

# A check takes longer than the second of delay allowed to others.

wait_for { leases() >= 56 } 15, 'the daemon to be full';
my @pp = map { begins_soon("another account's manual check, beside hosts that "
    . 'are due,') } 1, 2;
cmp_ok(leases(), '>=', 58, 'the daemon is still full');
is(wait_check($few, $_)->{status}, 'completed',
    "another account's check beside due hosts completes") for @pp;

my $ht = add_host($few, '10.251.0.1');
eventually { host_record($few, $ht)->{checked} } 10,
    "another account's new host is checked";
cmp_ok(redis($many->{redis}, 'ZCARD', RblCheckd::akey($many, 'due')), '>',
    HOSTS - 2000, 'many hosts of the first account are still due');

# a flood of manual checks

for my $n (0 .. FLOOD - 1) {
    check_value($many, join '.', 10, 252, $n >> 8, $n & 255);
}
my $waiting = RblCheckd::akey($many, 'manual');
wait_for { redis($many->{redis}, 'LLEN', $waiting) < FLOOD - 50 } 15,
    'the flood to fill the places';
@pp = map { begins_soon("another account's manual check, behind a flood,") }
    1, 2;
cmp_ok(redis($many->{redis}, 'LLEN', $waiting), '>', FLOOD / 2,
    'half of the flood is still waiting');
is(wait_check($few, $_)->{status}, 'completed',
    "another account's check behind a flood completes") for @pp;

# an account waits for its own flood, but not forever

is(check_state($many, check_value($many, '10.253.0.1'))->{status}, 'queued',
    'the account of the flood waits in its own line');

stop_server($checkd);
$dns->stop;
done_testing();
