#!/usr/bin/perl

# Resolver mode: a list is empty for a moment.  A negative response of that
# moment stays in the resolver's cache, while the test point is queried again a
# little later.  This must not end the listing, for one daemon, for two, and for
# two with a resolver each, whose zone keeps its SOA record.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use Time::HiRes qw(sleep time);

use constant { KEPT => 14, ENTRY => 1 };    # s

sub zone {
    return "\$SOA 60 ns.a.test h.a.test 1 60 60 60 " . KEPT . "\n\$TTL "
        . ENTRY . "\n:127.0.0.2:listed\n" . join '', map { "$_\n" } @_;
}

my @listed = ('127.0.0.2', map { "10.0.0.$_" } 1 .. 3);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } });
my $dns = start_rbldnsd(zones => [['a.test', 'ip4set',
    zone(@listed)]]);
my @unbound = map { start_unbound(stubs => { 'a.test' => $dns },
    conf => "  cache-max-ttl: 3600\n  cache-max-negative-ttl: 3600\n") } 1, 2;

# The listing of 10.0.0.N; the resolvers of the daemons that check it.
my %of = (1 => [0], 2 => [0, 0], 3 => [0, 1]);
for my $n (sort keys %of) {
    my @resolver = @unbound[@{ $of{$n} }];
    my @checkd = map { start_checkd(store => $w->{redis},
        resolver => $resolver[$_], conf => { conf_short(control_retry => '1s',
            name => "d$_") }) } 0 .. $#resolver;
    my $ht = add_host($w, "10.0.0.$n");
    eventually { host_record($w, $ht)->{listed_count} == 1 } 20,
        "$n: the list lists the host";

    # After three seconds the TTL of the random names is below the full TTL.
    sleep 3;
    rbldnsd_data($dns, 'a.test', zone());
    eventually { !grep { dns_query($_, "$n.0.0.10.a.test")->{rcode} != 3 }
        @resolver } 10,
        "$n: empty: the resolver keeps that the host is not listed";
    my $till = time + KEPT - 3;
    rbldnsd_data($dns, 'a.test', zone(@listed));
    eventually { !grep { dns_query($_, '2.0.0.127.a.test')->{rcode} != 0 }
        @resolver } 10,
        "$n: and fetches the test point again";
    my %found;
    while (time < $till) {
        $found{ verdict($w, $ht, 'a.test') }++;
        sleep 0.5;
    }
    is(join(', ', grep { /clear/ } keys %found), '',
        "$n: the listing does not end");
    is(host_record($w, $ht)->{listed_count}, 1, "$n: it is current");
    eventually { verdict($w, $ht, 'a.test') eq 'listed ' } KEPT + 10,
        "$n: until the list lists the host again";
    ok(stop_server($_), "$n: a daemon stops") for @checkd;
}
done_testing();
