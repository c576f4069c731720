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
    # No query may fail because its response is late: a check without a verdict
    # is repeated later.
    conf => { conf_short(dns_timeout => '5s', check_timeout => '20s',
        lease => '45s') });
my $ht = add_many($w, @host);

sub listed { return scalar grep { host_record($w, $_)->{listed_count} }
    values %$ht }

eventually { listed() == HOSTS } 30, 'all are listed';
rbldnsd_data($dns, 'a.test', zone());
eventually {
    !grep { dns_query($unbound, "$_.0.0.10.a.test")->{rcode} != 3 } 1 .. HOSTS
} 15, 'no cache has an entry of the list';
my $ended = time;
set_due($w, $_) for values %$ht;
# The daemon's own schedule, because this program may wait for a processor.
my (%due, %seen);
eventually {
    for my $h (map { host_record($w, $_) } values %$ht) {
        next if $h->{checked} / 1000 < $ended || $seen{"@$h{qw(id checked)}"}++;
        push @{ $due{ $h->{id} } }, ($h->{next_check} - $h->{checked}) / 1000
            if $h->{listed_count};
    }
    !listed();
} 120, 'all ends are reported';
cmp_ok(time - $ended, '>', ENTRY + KEPT,
    'no end is reported before cached data expires');
my @due = map { @$_ } values %due;
cmp_ok(scalar @due, '>=', HOSTS, 'each host was checked before');
is_deeply([grep { $_ > ENTRY + KEPT + 5 } @due], [],
    'each host is due when the cached entries expire') or diag("@due");
my ($most) = sort { $b <=> $a } map { scalar @$_ } values %due;
cmp_ok($most, '<=', 3, 'each host needs at most three checks') or diag("@due");

ok(stop_server($checkd), 'the daemon stops');
done_testing();
