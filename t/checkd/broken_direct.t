#!/usr/bin/perl

# Broken DNS in direct mode: each row of "Broken DNS" of rbl-operations(7), with
# an interval of 20 s.  broken_resolver.t has the other mode.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblAuthority;
use RblBroken;
use RblDns;
use RblZones;

need_port_53();

my @zones = map { "$_.test" } qw(a b c d);
my $w = direct_world({ map { $_ => [[authority($_)]] } @zones },
    conf => { name => 'one' });
my $dns = $w->{resolver};
my @known = zone_rules(map { $_ => [map { $_->host } @{ $w->{server}{$_} }] }
    @zones);
my $b = broken_world($w, lookup => 'direct', critical => 'd.test');

# A daemon that knows the name servers needs no resolver for a while.
sub restart {
    my (@rules) = @_;

    ok(stop_server($b->{checkd}), 'the daemon stops');
    $dns->rules(@rules);
    $b->{checkd} = $w->{start}->();
    $b->{log_at} = 0;
}

broken($b, 'the resolver is dead', sub { restart(['.' => 'mute']) },
    sub { $dns->rules(@known) });
broken($b, 'the resolver refuses', sub { restart(['.' => 'refused']) },
    sub { $dns->rules(@known) });
broken($b, 'the resolver denies all names',
    sub { restart(['.' => 'nxdomain']) }, sub { $dns->rules(@known) });
broken($b, 'port 53 is closed',
    sub { data($w, $_, 0, ['.' => 'mute']) for @zones },
    sub { data($w, $_, 0, authority($_)) for @zones });
broken($b, 'a critical list fails',
    sub { data($w, 'd.test', 0, ['.' => 'mute']) },
    sub { data($w, 'd.test', 0, authority('d.test')) });

done_testing();
