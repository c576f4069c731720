#!/usr/bin/perl
# rblctl fsck of one account with as many objects as the API allows: groups in
# use, and deliveries of one event.  All are checked.

use strict;
use warnings;

use lib 't/lib';
use RblTest;
use RblScript;

use constant { USERS => 20, EACH => 49, DELIVERIES => 3000 };

my $redis = redis_new();
rblctl($redis, 'init', '--partitions', 1);
my ($ac, $acct) = account();
my @cg = map { sid('CG') } 1 .. USERS * EACH;
script('group_add', [$acct], group => $_, name => 'g', is_default => '0')
    for @cg;
for my $i (0 .. USERS - 1) {
    my @some = @cg[$i * EACH .. $i * EACH + EACH - 1];
    my $ht = unpacked(add_host($acct, 'rbl', "192.0.2.$i")->[1])->[1];
    my $r = script('host_update', [$acct], host => $ht, groups => \@some);
    die "@$r" if $r->[0] ne 'OK';
    $r = script('contact_add', [$acct], contact => sid('CO'), type => 'email',
        value => "a$i\@b.example", schedule => 'every_check', digest => 'd',
        code => 'c', event => sid('EV'), groups => \@some);
    die "@$r" if $r->[0] ne 'OK';
}
cmp_ok(cmd('HLEN', k('refs', $ac)), '>', 2 * USERS * EACH, 'many are counted');

my $ev = sid('EV');
my $now = int(cmd('TIME')->[0]) * 1000;
cmd('HSET', k('event', $ac, $ev), 'type', 't', 'date', $now, 'body', '{}',
    'open', DELIVERIES);
for my $n (1 .. DELIVERIES) {
    cmd('HSET', k('dlv', $ac, $ev, "CB$n"), 'attempt', 0, 'first', $now);
    cmd('ZADD', k('retry'), $now, "$ac:$ev:CB$n");
    cmd('ZADD', k('pending', $ac), 0, "CB$n:$now:$ev:CB$n");
}
my $r = rblctl($redis, 'fsck');
is($r->{status}, 0, 'fsck checks all counters and deliveries')
    or diag("$r->{out}$r->{err}");

cmd('HINCRBY', k('refs', $ac), "$cg[-1]:c", 3);
cmd('HSET', k('event', $ac, $ev), 'open', DELIVERIES - 1);
my ($ac2, $acct2) = account();
add_host($acct2, 'rbl', '192.0.2.9');
cmd('HINCRBY', k('refs', $ac2), sid('RP'), 3);
$r = rblctl($redis, 'fsck', '--json');
is($r->{status}, 1, 'faults are reported');
is(scalar @{ json($r->{out}) }, 3, 'fsck reports three faults of both accounts')
    or diag($r->{out});
is(rblctl($redis, 'fsck', '--repair')->{status}, 1,
    'fsck --repair reports the faults');
is(rblctl($redis, 'fsck')->{status}, 0, 'fsck finds no fault after the repair');
is(cmd('HGET', k('event', $ac, $ev), 'open'), DELIVERIES,
    'the event counts all of its deliveries');
done_testing();
