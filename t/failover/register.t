#!/usr/bin/perl

# The name of a host is a register: five clients of each account write and read
# it while masters are killed.  Each history is linearizable; only writes whose
# outcome was unknown may happen late or never.
#
# FAILOVERS: how many of each store (1).

use strict;
use warnings;

use RblFailover;

for my $kind (qw(Sentinels cluster)) {
    my $f = $kind eq 'cluster' ? start_cluster() : start_sentinels();
    my $w = failover_world($f, checkd => 0);
    my @accounts = @{ $w->{accounts} };
    my $load = start_register($w->{nginx}, accounts => \@accounts,
        rate => 60 * @accounts);
    sleep 1;
    drill($f, failovers(1), 5);
    my $records = stop_load($load);
    for my $i (0 .. $#accounts) {
        my @history = history_of_records($records, $i);
        my $fault = history_fault(\@history, 'first');
        is($fault && $fault->{text}, undef,
            "$kind: the history of account $i is linearizable");
        my %said;
        $said{ $_->{said} }++ for @history;
        note join ', ', map { "$said{$_} $_" } sort keys %said;
        cmp_ok($said{done}, '>', 100,
            "$kind: account $i has more than 100 operations");
    }
    my @odd = grep { $_->{said} =~ /^(?:broken|refused)$/ } @$records;
    is(scalar @odd, 0, 'each response is 200 or 503')
        or diag("$odd[0]{status} $odd[0]{message}");
    stop_server($w->{nginx});
    stop_server($_) for reverse @{ $f->{nodes} }, @{ $f->{sentinels} // [] };
}

done_testing();
