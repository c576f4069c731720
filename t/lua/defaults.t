#!/usr/bin/perl

# Values derived from the system lists: each list with the zone, the website and
# the families of its record, however long its name is.

use strict;
use warnings;
use RblTest;
use RblScript;

redis_new();
my @lists = map { my $n = $_;
    { sid => sid('RB'), zone => "n$n.example", site => "https://n$n.example/",
        families => $n % 8, name => 'x' x $n,
        status => $n == 300 ? 'paused' : 'active' }
} 1, 7, 31, 32, 127, 128, 255, 256, 300, 1020;
my $r = script('lists_put', [k('lists')], records => [map { packed([1,
    $_->{sid}, 'rbl', @$_{qw(zone name site families)}, 0, $_->{status}, '',
    [], '', '', 'normal', 'ip', 'block', 'ip']) } @lists]);
is($r->[0], 'OK', 'lists are loaded');

my @active = grep { $_->{status} eq 'active' } @lists;
is_deeply(unpacked(cmd('GET', k('defaults'))),
    [map { [$_->{sid}, 'rbl', @$_{qw(zone families site)}] } @active],
    'the active ones, in their order');
is_deeply(cmd('ZRANGE', k('lists:active'), 0, -1),
    [map { $_->{sid} } @active], 'the index of active lists has their SIDs');
is_deeply({ @{ cmd('HGETALL', k('lists:zones')) } },
    { map { ($_->{zone} => 'rbl') } @lists }, 'the zones of all');
for my $family (1, 2, 4) {
    my @for = grep { $_->{families} & $family } @active;
    for my $field ("|$family", "rbl|$family") {
        is_deeply(unpacked(cmd('HGET', k('defaults:for'), $field)),
            [map { [$_->{sid}, 'rbl', 0, @$_{qw(zone site)}] } @for],
            "the lists for $field are the active ones");
        is(cmd('HGET', k('defaults:for'), "n|$field"), scalar @for,
            "$field: how many");
    }
}

done_testing();
