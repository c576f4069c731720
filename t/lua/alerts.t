#!/usr/bin/perl

# Who is told of an account's hosts is made of its contacts anew when one of
# them has changed: ten times the contacts cost the store ten times as much, the
# quickest of several tries, and not a hundred times.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { FEW => 150, MANY => 1500, TRIES => 3 };

redis_new();

# Microseconds of a check's begin in an account with so many contacts, each of
# the same fifty groups.
sub cost {
    my ($n) = @_;

    cmd('FLUSHALL');
    my ($ac, $acct) = account();
    my @cg = map { sid('CG') } 1 .. 50;
    script('group_add', [$acct], $_, 'g', '0') for @cg;
    my @co = map { sid('CO') } 1 .. $n;
    for my $i (0 .. $#co) {
        cmd('SET', k('r', $ac, $co[$i]), packed([1, $co[$i], 'endpoint',
            'https://x.example/', 'every_check', 'active', [@cg], 1, '', 0, 0,
            0]));
        cmd('ZADD', k('contacts', $ac), $i, $co[$i]);
    }
    my $ht = unpacked(add_host($acct, 'rbl', '192.0.2.1')->[1])->[1];
    my $least = 9e9;
    for (1 .. TRIES) {
        cmd('DEL', k('alerts', $ac));
        my $pp = sid('PP');
        script('check_start', [$acct], $pp, $ht, '', 1, '', sid('AP'), 60_000);
        cmd('CONFIG', 'RESETSTAT');
        begin($acct, $pp, $ht);
        my ($us) = cmd('INFO', 'commandstats')
            =~ /^cmdstat_eval:calls=\d+,usec=(\d+)/m;
        $least = $us if $us < $least;
        finish_check($acct, $pp, $ht, [result('RBa', 'clear')]);
    }
    is(cmd('HGET', k('alerts', $ac), $cg[49]), join('', map {
        "$_=every_check," } @co), "$n contacts, each in its order");
    return $least;
}

my ($few, $many) = map { cost($_) } FEW, MANY;
cmp_ok($many, '<', 30 * $few, 'ten times the contacts')
    or diag("$few and $many us");
note("$few and $many us");

done_testing();
