#!/usr/bin/perl

# Direct mode: a list moves to other servers, and its old servers are
# wildcarding from then on.  They fail their test points, so the daemon looks up
# the list's servers again although its cached delegation has not expired.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblAuthority;
use RblZones;

need_port_53();

my $zone = 'a.test';
my @now = (minimum => 0, ttl => 0);
my $w = direct_world({ $zone => [[authority($zone, @now,
    listed => ['10.0.0.1'])]] });
my ($listed, $clear) = map { add_host($w, "10.0.0.$_") } 1, 2;

is(verdict($w, $listed, $zone), 'listed ',
    'the old servers list the first host');
is(verdict($w, $clear, $zone), 'clear ', 'another host is clear');

my $new = zone_server(2, authority($zone, @now, listed => ['10.0.0.2']));
$w->{resolver}->rules(zone_rules($zone => [$new->host]));
data($w, $zone, 0, ['.' => { aa => 1, a => ['127.0.0.2'], ttl => 0 }]);

eventually { verdict($w, $clear, $zone) eq 'listed ' } 30,
    'the new servers are found';
eventually { verdict($w, $listed, $zone) eq 'clear ' } 30,
    'the new servers do not list the first host';
is(host_record($w, $listed)->{listed_count}, 0, 'the listing has ended');

ok(stop_server($w->{checkd}), 'the daemon stops');
done_testing();
