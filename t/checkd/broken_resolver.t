#!/usr/bin/perl

# Broken DNS in resolver mode: each row of "Broken DNS" of rbl-operations(7),
# with an interval of 20 s.  broken_direct.t has the other mode.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblBroken;
use RblDns;

my @zones = map { "$_.test" } qw(a b c d);
my @yes = (test_entry(), not_there());
my $w = world(no_dns => 1,
    zones => { map { $_ => { control => 'ip' } } @zones });
my $dns = RblDns->new(rules => \@yes);
$w->{checkd} = start_checkd(store => $w->{redis}, resolver => $dns->port,
    conf => { conf_short(name => 'one', control_retry => '1s') });
my $b = broken_world($w, lookup => 'resolver', critical => 'd.test');
my $mend = sub { $dns->rules(@yes) };

broken($b, 'the resolver is dead', sub { $dns->rules(['.' => 'mute']) },
    $mend);
broken($b, 'the resolver refuses', sub { $dns->rules(['.' => 'refused']) },
    $mend);
broken($b, 'the resolver denies all names',
    sub { $dns->rules(['.' => 'nxdomain']) }, $mend);
broken($b, 'port 53 is closed', sub { $dns->rules(
    ['^root-servers\.net ' => 'nodata'], ['.' => 'servfail']) }, $mend);
broken($b, 'a critical list fails',
    sub { $dns->rules(['\.d\.test ' => 'servfail'], @yes) }, $mend);

done_testing();
