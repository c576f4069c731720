#!/usr/bin/perl

# Resolver mode: a listing that has really ended is announced after the TTL of
# the test point, the TTL of a negative response and a few seconds, although the
# host's interval is an hour and no manual check is requested.  It is announced
# after every cache entry with older data has expired, and never an hour later.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use Time::HiRes qw(sleep time);

use constant { ENTRY => 5, KEPT => 7, HOSTS => 8 };     # s

sub zone {
    return "\$SOA 60 ns.a.test h.a.test 1 60 60 60 " . KEPT . "\n\$TTL "
        . ENTRY . "\n:127.0.0.2:listed\n127.0.0.2\n"
        . join '', map { "$_\n" } @_;
}

my @host = map { "10.0.0.$_" } 1 .. HOSTS;
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } });
my $dns = start_rbldnsd(zones => [['a.test', 'ip4set', zone(@host)]]);
my $unbound = start_unbound(stubs => { 'a.test' => $dns },
    conf => "  cache-max-ttl: 3600\n  cache-max-negative-ttl: 3600\n");
my $checkd = start_checkd(store => $w->{redis}, resolver => $unbound,
    conf => { conf_short() });
my $ht = add_many($w, @host);

sub listed { return scalar grep { host_record($w, $_)->{listed_count} }
    values %$ht }

eventually { listed() == HOSTS } 30, 'all are listed';
rbldnsd_data($dns, 'a.test', zone());
eventually { dns_query($unbound, '1.0.0.10.a.test')->{rcode} == 3 } 15,
    'the list has no entry';
my $ended = time;
set_due($w, $_) for values %$ht;
eventually { !listed() } 60, 'all ends are reported';
my $took = time - $ended;
diag sprintf '%.1f s', $took;
cmp_ok($took, '>', ENTRY + KEPT, 'not while a cache may have older data');
cmp_ok($took, '<', 2 * (ENTRY + KEPT) + 10, 'and soon after that');

ok(stop_server($checkd), 'the daemon stops');
done_testing();
