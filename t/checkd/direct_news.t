#!/usr/bin/perl

# Direct mode: a new listing, and its end, are known after two round trips to
# the list: the address, then the confirmation at all servers, test points,
# sample and TXT side by side.  Several new listings share test points and
# sample.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblAuthority;
use RblZones;
use Time::HiRes qw(sleep time);

# Two round trips, and not three.
use constant { DELAY => 1, KNOWN => 2.6 };

need_port_53();

my @slow = (delay => DELAY, minimum => 0, ttl => 0);
my $w = direct_world({ 'a.test' => [([authority('a.test', @slow)]) x 2] },
    conf => { dns_timeout => '4s', check_timeout => '12s', lease => '30s' });
my $ht = add_host($w, '10.0.0.1');
my $servers = $w->{server}{'a.test'};

sub put { data($w, 'a.test', $_, authority('a.test', @slow, @_)) for 0, 1 }
sub queries { my ($re) = @_; return map { $_->log($re) } @$servers }
sub first_query {
    my ($first) = sort { $a <=> $b } map { $_->[3] } queries('^1\.0\.0\.10');
    return $first;
}

# Seconds from the first query of a check to the host's new state.
sub known_after {
    my ($listed) = @_;

    check_host($w, $ht);
    for (1 .. 2000) {
        last if host_record($w, $ht)->{listed_count} == $listed;
        sleep 0.002;
    }
    my $now = time;
    is(host_record($w, $ht)->{listed_count}, $listed, $listed
        ? 'it is listed' : 'it has ended');
    return $now - first_query();
}

is(verdict($w, $ht, 'a.test'), 'clear ', 'clear');
put(listed => ['10.0.0.1']);
cmp_ok(known_after(1), '<=', KNOWN, 'a new listing takes two round trips');
is(scalar(queries('^1\.0\.0\.10\.a\.test A')), 3,
    'the address once, then at both servers');
my ($first, @confirm) = sort { $a->[3] <=> $b->[3] }
    queries('^1\.0\.0\.10\.a\.test A');
is(scalar(grep { $_->[7] =~ /[A-Z]/ } @confirm), 0,
    'in lower case, so that the case does not matter');
is(scalar(queries('^1\.0\.0\.127')), 2, 'test points of each');
is(scalar(grep { $_->[0] !~ /\.127\.a\.test$|^1\.0\.0\.10\./ }
    queries('^\d+\.\d+\.\d+\.\d+\.a\.test A')), 2 * 24, 'a sample of each');
is(scalar(queries('^1\.0\.0\.10\.a\.test TXT')), 1, 'and the TXT once');
put();
cmp_ok(known_after(0), '<=', KNOWN, 'so does its end');
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
