#!/usr/bin/perl

# Direct mode with real servers: two rbldnsd serve a list, and the only resolver
# is an unbound that removes 127.0.0.0/16 from its responses, as public
# resolvers do.  It is good enough to find the list's servers.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblZones;

need_port_53();

my $zone = 'a.test';
my @host = map { zone_host($_) } 1, 2;

sub data_of {
    return "\$SOA 0 ns1.servers.test h.$zone 7 60 60 60 1\n"
        . "\$NS 60 ns1.servers.test ns2.servers.test\n" . listed_entry(@_);
}

my @served = map { start_rbldnsd(host => $_, port => 53,
    zones => [[$zone, 'ip4set', data_of('10.0.0.1')]]) } @host;
my $unbound = start_unbound(stubs => { $zone => "$host[0]\@53" },
    local => ['local-zone: "servers.test." static', map {
        qq{local-data: "ns$_.servers.test. 60 IN A $host[$_ - 1]"} } 1, 2],
    conf => "  private-address: 127.0.0.0/16\n");

my $w = world(no_dns => 1, zones => { $zone => { control => 'ip' } });
my ($listed, $clear) = map { add_host($w, "10.0.0.$_") } 1, 2;

sub daemon {
    return start_checkd(store => $w->{redis}, resolver => $unbound,
        conf => { conf_short(lookup => 'direct', @_) });
}

my $checkd = daemon(list_server_allow => '127.64.0.0/10');
is(verdict($w, $listed, $zone), 'listed ',
    'a check finds the listed host listed');
is(host_record($w, $listed)->{listed_count}, 1,
    'the record of the listed host has one listing');
is(verdict($w, $clear, $zone), 'clear ', 'an unlisted host is clear');

stop_server($served[0]);
is(verdict($w, $clear, $zone), 'clear ',
    'the unlisted host is clear when one server dies');
is(verdict($w, $listed, $zone), 'listed ',
    'the other server lists the listed host');
stop_server($served[1]);
like(verdict($w, $clear, $zone), qr/^unknown /,
    'the host is unknown when both servers are dead');
is(host_record($w, $listed)->{listed_count}, 1, 'no listing ends');

# Servers of an account's own list, at any address.
my $feed = start_rbldnsd(zones => [[$zone, 'ip4set',
    listed_entry('10.0.0.1', '10.0.0.2')]]);
my $r = rblctl($w->{redis}, 'lists', 'override', $zone, '--server',
    "127.0.0.1\@$feed->{port}");
is($r->{status}, 0, 'the operator sets a server') or diag($r->{err});
eventually { verdict($w, $clear, $zone) eq 'listed ' } 40,
    "the daemon queries the operator's server and finds a listing";
is(host_record($w, $clear)->{listed_count}, 1,
    "the host listed by the operator's server has one listing");

$r = rblctl($w->{redis}, 'lists', 'override', $zone, '--none');
is($r->{status}, 0, 'the server is removed');
eventually { verdict($w, $clear, $zone) =~ /^unknown / } 40,
    'the daemon no longer queries the removed server';
stop_server($checkd);

# Addresses that are not public are queried only if that is configured.
@served = map { start_rbldnsd(host => $_, port => 53,
    zones => [[$zone, 'ip4set', data_of('10.0.0.1')]]) } @host;
$checkd = daemon();
like(verdict($w, $clear, $zone), qr/^unknown servfail/,
    'servers in a private network are not queried');
stop_server($checkd);

done_testing();
