#!/usr/bin/perl

# Direct mode: a new listing, and its end, are known after two round trips to
# the list: the address, then the confirmation at all servers, test points,
# sample and TXT side by side.  Several new listings share test points and
# sample.
#
# Alone: measures round trips.  The daemon repeats a query whose response is
# later than those before it.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblAuthority;
use RblZones;

use constant DELAY => 2;                # s of a round trip

need_port_53();

my @slow = (delay => DELAY, minimum => 0, ttl => 0);
my $w = direct_world({ 'a.test' => [([authority('a.test', @slow)]) x 2] },
    conf => { dns_timeout => '8s', check_timeout => '30s', lease => '70s' });
my $ht = add_host($w, '10.0.0.1');
my $servers = $w->{server}{'a.test'};

sub put { data($w, 'a.test', $_, authority('a.test', @slow, @_)) for 0, 1 }
sub queries { my ($re) = @_; return map { $_->log($re) } @$servers }

# A check gives the host its new state after two round trips: the list gets the
# last query before a third could begin.
sub two_round_trips {
    my ($listed, $name) = @_;

    my $s = wait_check($w, check_host($w, $ht), 30);
    is(host_record($w, $ht)->{listed_count}, $listed, $listed
        ? 'the host is listed' : 'the listing has ended');
    my ($first, @more) = sort { $a->[3] <=> $b->[3] } queries('^\d');
    cmp_ok($more[-1][3], '<', $first->[3] + 2 * DELAY, $name)
        or diag(map { sprintf "%.3f %s %s\n", $_->[3] - $first->[3], @$_[0, 1] }
            $first, @more);
    cmp_ok($s->{completed} - $s->{started}, '<', 3000 * DELAY,
        "$name, by the daemon's clock");
}

is(verdict($w, $ht, 'a.test'), 'clear ', 'the host is clear at first');
put(listed => ['10.0.0.1']);
two_round_trips(1, 'a new listing takes two round trips');
is(scalar(queries('^1\.0\.0\.10\.a\.test A')), 3,
    'the address is queried once, then at both servers');
my ($first, @confirm) = sort { $a->[3] <=> $b->[3] }
    queries('^1\.0\.0\.10\.a\.test A');
is(scalar(grep { $_->[7] =~ /[A-Z]/ } @confirm), 0,
    'the confirming queries are in lower case');
is(scalar(queries('^1\.0\.0\.127')), 2, 'test points of each');
is(scalar(grep { $_->[0] !~ /\.127\.a\.test$|^1\.0\.0\.10\./ }
    queries('^\d+\.\d+\.\d+\.\d+\.a\.test A')), 2 * 24, 'a sample of each');
is(scalar(queries('^1\.0\.0\.10\.a\.test TXT')), 1,
    'the TXT record is queried once');
put();
two_round_trips(0, 'the end of a listing takes two round trips');
is(scalar(queries('^1\.0\.0\.10\.a\.test A')), 3, 'confirmed at both servers');

# Several hosts at once.
my @more = map { add_host($w, "10.0.1.$_") } 1 .. 8;
eventually { !grep { !host_record($w, $_)->{checked} } @more } 20,
    'eight hosts are clear';
put(listed => [map { "10.0.1.$_" } 1 .. 8]);
my @pp = map { check_host($w, $_) } @more;
wait_check($w, $_) for @pp;
is(scalar(grep { host_record($w, $_)->{listed_count} == 1 } @more), 8,
    'eight new listings');
cmp_ok(scalar(queries('^1\.0\.0\.127')), '<=', 6, 'share their test points');

ok(stop_server($w->{checkd}), 'the daemon stops');
done_testing();
