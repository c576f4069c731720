#!/usr/bin/perl

# Direct mode: an account's own list is wildcarding for half of the names, and
# this must list no host.  Then it loses its test point and answers negatively
# for everything.  This must clear no host, whether listed or not, for this
# daemon and for one that starts afterwards.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblAuthority;
use RblZones;

need_port_53();

my @now = (minimum => 0, ttl => 0);
my $zone = 'own.test';
my $w = direct_world({ $zone => [[authority($zone, @now,
    listed => ['10.0.0.1'])]], 'a.test' => [[authority('a.test', @now)]] },
    own => [$zone]);
my ($listed, $other) = map { add_host($w, "10.0.0.$_") } 1, 2;

eventually { verdict($w, $listed, $zone) eq 'listed ' } 20,
    'the own list lists the first host';
is(verdict($w, $other, $zone), 'clear ',
    'the own list does not list the other host');

data($w, $zone, 0, authority($zone, @now, listed => ['10.0.0.1'],
    wild => 'half'));
my $odd = add_host($w, '10.0.0.3');
like(verdict($w, $odd, $zone), qr/^unknown /, 'half a wildcard: no listing')
    for 1 .. 3;
is(host_record($w, $odd)->{listed_count}, 0,
    'half a wildcard: no listing is recorded');
data($w, $zone, 0, authority($zone, @now, listed => ['10.0.0.1']));
eventually { verdict($w, $odd, $zone) eq 'clear ' } 40,
    'the host is clear when the list is valid';

data($w, $zone, 0, authority($zone, @now, empty => 1));
for my $who ('the daemon that saw it alive', 'one that did not') {
    eventually { verdict($w, $listed, $zone) =~ /unknown/ } 20,
        "dead: to $who a listing does not end";
    eventually { verdict($w, $other, $zone) =~ /unknown unhealthy/ } 20,
        "dead: to $who the other host is not clear";
    is(verdict($w, $other, $zone), 'unknown unhealthy',
        "dead: to $who the other host stays unknown");
    is(host_record($w, $listed)->{listed_count}, 1,
        "dead: to $who the first host stays listed");
    next if $who =~ /not/;
    ok(stop_server($w->{checkd}), 'the daemon that saw the list alive stops');
    $w->{checkd} = $w->{start}->();
}

data($w, $zone, 0, authority($zone, @now));
eventually { verdict($w, $listed, $zone) eq 'clear ' } 30,
    'when it is alive the listing ends';
is(verdict($w, $other, $zone), 'clear ',
    'the other host is clear when the list is alive');
ok(stop_server($w->{checkd}), 'the daemon stops');
done_testing();
