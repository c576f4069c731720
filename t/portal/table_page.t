#!/usr/bin/perl

# The table of hosts in a browser, with thousands of hosts.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup();

sub add {
    my ($value, %with) = @_;

    my $r = call($t, 'POST', 'host/add.json', timeout => 60, form =>
        { host => $value, name => "host $value", type => 'rbl', %with });
    die "host/add: $r->{raw}\n" if $r->{status} != 200;
    return @{ json($r)->{data} };
}

my $group = json(call($t, 'POST', 'contactgroup/add.json', form =>
    { name => 'Few' }))->{data}{id};
my @hosts = (add('10.9.0.0/22'), add('10.9.16.0/23'));
push @hosts, add("198.51.100.$_", contact_group => $group) for 1, 2;
push @hosts, add('192.0.2.1', name => 'Mail <b>&amp;</b>');
my @range = add('203.0.113.0/28', type => 'ip_range');
my ($listed) = grep { $_->{host} eq '10.9.1.17' } @hosts;
list_host($t, $listed->{id}, lists => 2);
is(rblctl($t->{redis}, 'fsck', '--repair')->{status} >> 1, 0,
    'the indexes have what was written by hand');
my ($name, $value) = split /=/, sign_in($t)->{cookie}, 2;
browser_run($t, 'table', cookie => { name => $name, value => $value },
    total => @hosts + 1, addresses => 16, group => $group);

done_testing();
