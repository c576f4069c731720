#!/usr/bin/perl

# First start at a small site: one account, 20 hosts of one network, all of them
# rightly listed, 36 lists, and a resolver that is the lists' own name server.
# All listings are announced soon, and an immediate check of one address gives
# the right result.
#
# Alone: measures how soon a small site is served.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use Time::HiRes 'time';
use RblTest;
use RblCheckd;
use RblDns;

my @lists = map { sprintf 'l%02d.test', $_ } 1 .. 36;
my @hosts = map { "10.9.0.$_" } 1 .. 20;
my $w = world(no_dns => 1, zones => { map { $_ => { control => 'ip' } }
    @lists });
my $dns = $w->{dns} = start_rbldnsd(zones => [map { [$_, 'ip4set',
    "\$SOA 300 ns.$_ h.$_ 1 60 60 60 1\n\$TTL 1\n:127.0.0.2:listed\n"
    . "127.0.0.2\n" . ($_ eq $lists[6] ? "10.9.0.0/27\n" : '')] } @lists]);

my %host = %{ add_many($w, @hosts) };
my $start = time;
my $checkd = start_checkd(store => $w->{redis}, resolver => $dns,
    conf => { deliver => 'off', cache_size => '8m' });
my $pp = check_value($w, '10.9.0.25');
wait_check($w, $pp, 20);
my $d = details($w, $pp);
is($d->{ $lists[6] }{status}, 'listed',
    'a check requested at once finds the listing');
is(scalar(grep { $d->{$_}{status} eq 'clear' } @lists), 35,
    'the other lists are clear');
diag sprintf '%.1f s', time - $start;
cmp_ok(time - $start, '<', 4, 'the first check finishes within four seconds');
eventually { !grep { !host_record($w, $_)->{checked} } values %host } 30,
    'all hosts are checked';
eventually { !grep { host_record($w, $_)->{listed_count} != 1 } values %host }
    30, 'all listings are announced';
is(redis($w->{redis}, 'ZCARD', RblCheckd::akey($w, 'listed')), 20,
    'all hosts are listed');
diag sprintf '%.1f s', time - $start;
cmp_ok(time - $start, '<', 15, 'all listings are announced within 15 seconds');

# --- delistings, announced as soon ------------------------------------------

rbldnsd_data($dns, $lists[6], "\$SOA 0 ns.x h.x 1 60 60 60 0\n\$TTL 1\n"
    . ":127.0.0.2:listed\n127.0.0.2\n");
ok(stop_server($checkd), 'the daemon is restarted');
$checkd = start_checkd(store => $w->{redis}, resolver => $dns,
    conf => { deliver => 'off', cache_size => '8m' });
my @pp = map { check_host($w, $_) } values %host;
wait_check($w, $_, 30) for @pp;
eventually { !grep { host_record($w, $_)->{listed_count} != 0 } values %host }
    30, 'all ends are announced';

done_testing();
