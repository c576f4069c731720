#!/usr/bin/perl

# Resolver mode: two daemons with different resolvers take turns, and each is
# restarted before its turn.  The end of a listing needs the same three checks as
# with one resolver: each daemon goes on with the wait that the other began.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;

use constant { ENTRY => 12, KEPT => 3 };        # s; each wait has 2 s more

sub zone {
    return "\$SOA 60 ns.a.test h.a.test 1 60 60 60 " . KEPT . "\n\$TTL "
        . ENTRY . "\n:127.0.0.2:listed\n127.0.0.2\n"
        . join '', map { "$_\n" } @_;
}

my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } });
my $dns = start_rbldnsd(zones => [['a.test', 'ip4set', zone('10.0.0.1')]]);
my @unbound = map { start_unbound(stubs => { 'a.test' => $dns },
    conf => "  cache-max-ttl: 3600\n  cache-max-negative-ttl: 3600\n") } 1, 2;

sub begin {
    my ($n) = @_;

    return start_checkd(store => $w->{redis}, resolver => $unbound[$n - 1],
        conf => { conf_short(name => "d$n", dns_timeout => '5s',
            check_timeout => '20s', lease => '45s') });
}

my $ht;
sub record_of { return host_record($w, $ht) }

# Runs a daemon until a check is followed by one that is due more than two
# seconds later, or until the listing has ended.  Returns these seconds; 0: it
# has ended.  A daemon that has just started may have to look again in a moment.
sub turn {
    my ($n, $name) = @_;

    my $before = record_of()->{checked};
    my $checkd = begin($n);
    my $due;
    eventually {
        my $h = record_of();
        return 0 if $h->{checked} <= $before;
        $due = $h->{listed_count} ? ($h->{next_check} - $h->{checked}) / 1000
            : 0;
        $due == 0 || $due > 2;
    } 60, $name;
    ok(stop_server($checkd), "$name; then daemon $n stops");
    return $due;
}

my $checkd = begin(1);
$ht = add_host($w, '10.0.0.1');
eventually { record_of()->{listed_count} == 1 } 60,
    'daemon 1 announces the listing';
ok(stop_server($checkd), 'daemon 1 stops after the listing');
$checkd = begin(2);
is(verdict($w, $ht, 'a.test'), 'listed ',
    'daemon 2 sees the listing through its resolver');
ok(stop_server($checkd), 'daemon 2 stops after the listing');

rbldnsd_data($dns, 'a.test', zone());
for my $n (1, 2) {
    eventually { dns_query($unbound[$n - 1], '1.0.0.10.a.test')->{rcode} == 3 }
        60, "resolver $n has no listing";
}
set_due($w, $ht);
my $due = turn(1, 'daemon 1 sees no listing');
cmp_ok($due, '>', ENTRY, 'the next check waits for the TTL of the test point');
$due = turn(2, 'daemon 2 sees a newer test point');
cmp_ok($due, '>', KEPT, 'the next check waits for the TTL of "not listed"');
cmp_ok($due, '<', ENTRY, 'the wait for the test point does not begin again');
is(turn(1, 'daemon 1 sees a newer response'), 0,
    'the first check of daemon 1 that counts ends the listing');
is(scalar @{ history_of($w, $ht) }, 2,
    'the listing began once and ended once');
done_testing();
