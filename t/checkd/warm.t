#!/usr/bin/perl

# Resolver mode: a list is empty, and the cache of a resolver still holds its test
# point.  A daemon that starts now sees only the rest of the TTL.  It must not end
# the listing.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use Time::HiRes qw(sleep time);

use constant { ENTRY => 30, KEPT => 1 };        # s

# Listings have a TTL.
sub zone {
    my ($ttl, @listed) = @_;

    return "\$SOA 60 ns.a.test h.a.test 1 60 60 60 " . KEPT . "\n\$TTL $ttl\n"
        . ":127.0.0.2:listed\n" . join '', map { "$_\n" } @listed;
}

sub begin {
    my ($w, $unbound, $name) = @_;

    return start_checkd(store => $w->{redis}, resolver => $unbound,
        conf => { conf_short(name => $name) });
}

my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } });
my $dns = start_rbldnsd(zones => [['a.test', 'ip4set',
    zone(1, '127.0.0.2', '10.0.0.1')]]);
my $unbound = start_unbound(stubs => { 'a.test' => $dns },
    conf => "  cache-max-ttl: 3600\n  cache-max-negative-ttl: 3600\n");

my $first = begin($w, $unbound, 'first');
my $ht = add_host($w, '10.0.0.1');
eventually { host_record($w, $ht)->{listed_count} == 1 } 20,
    'the list lists the host';
ok(stop_server($first), 'a daemon stops');

# Only the test point, with a long TTL.
rbldnsd_data($dns, 'a.test', zone(ENTRY, '127.0.0.2'));
eventually { dns_query($unbound, '1.0.0.10.a.test')->{rcode} == 3 } 10,
    'the resolver answers NXDOMAIN for the host';
sleep 1.1;
is(dns_query($unbound, '2.0.0.127.a.test')->{rcode}, 0,
    'the resolver has the test point');
my $gone = time + ENTRY;
rbldnsd_data($dns, 'a.test', zone(ENTRY));
eventually { dns_query($dns, '2.0.0.127.a.test')->{rcode} == 3 } 10,
    'the list has lost it';

my %found;
my $checkd = begin($w, $unbound, 'second');
$found{ verdict($w, $ht, 'a.test') }++;
ok(stop_server($checkd), 'a daemon sees no listing, and stops');
sleep 0.1 while time < $gone - 13;
$checkd = begin($w, $unbound, 'third');
while (time < $gone + 5) {
    $found{ verdict($w, $ht, 'a.test') }++;
    sleep 0.5;
}
is(join(', ', grep { /clear/ } keys %found), '',
    'no daemon finds the host clear');
is(host_record($w, $ht)->{listed_count}, 1,
    'the listing of the host is current');
is(verdict($w, $ht, 'a.test'), 'unknown unhealthy',
    'the daemon knows that the list is empty');
ok(stop_server($checkd), 'the daemon stops');
done_testing();
