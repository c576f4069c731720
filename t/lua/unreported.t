#!/usr/bin/perl

# A range of listed addresses that many contacts are not told of any more: each
# hears how many they were, and what one call costs the store does not grow with
# addresses times contacts.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { KIDS => 1024, TOLD => 200, LISTED => 13 };

redis_new();
my ($ac, $acct, $cg, $cg2, $range, @kids, @co);

# An account with so many contacts in a group, and a range of that group whose
# addresses are all listed.
sub fill {
    my ($n) = @_;

    cmd('FLUSHALL');
    ($ac, $acct) = account();
    ($cg, $cg2) = map { sid('CG') } 1 .. 2;
    script('group_add', [$acct], $_, 'g', '0') for $cg, $cg2;
    @co = map { sid('CO') } 1 .. $n;
    for my $i (0 .. $#co) {
        cmd('SET', k('r', $ac, $co[$i]), packed([1, $co[$i], 'endpoint',
            'https://x.example/', 'start_and_end', 'active', [$cg], 1, '', 0, 0,
            0]));
        cmd('ZADD', k('contacts', $ac), $i, $co[$i]);
    }
    ($range, @kids) = map { unpacked($_)->[1] } @{ add_host($acct, 'ip_range',
        '10.0.0.0/22', map { '10.0.' . ($_ >> 8) . '.' . ($_ & 255) }
        0 .. KIDS - 1) }[1 .. KIDS + 1];
    change($cg);
    for my $ht (@kids) {
        my $h = unpacked(cmd('GET', k('r', $ac, $ht)));
        $h->[LISTED] = 1;
        cmd('SET', k('r', $ac, $ht), packed($h));
    }
    cmd('CONFIG', 'RESETSTAT');
}
sub change {
    is(script('host_update', [$acct], $range, '0', '', '', @_)->[0], 'OK',
        'other groups');
}
sub gone { is(script('host_delete', [$acct], $range, 1)->[0], 'OK', 'deleted') }
sub in_digests {
    my $n = 0;
    $n += cmd('ZCARD', k('digest', $ac, $_)) for @co;
    return $n;
}
# How often these commands were sent since fill().
sub calls {
    my $info = cmd('INFO', 'commandstats');
    my $n = 0;
    $n += $info =~ /^cmdstat_$_:calls=(\d+)/m ? $1 : 0 for @_;
    return $n;
}
# [number that is told, hosts by name] of a contact
sub told {
    cmd('ZADD', k('digests'), 'XX', 0, "$ac:$co[0]");
    my $r = script('digest_claim', [k('digests')], 0, 30_000, TOLD, sid('EV'));
    my $d = $r->[2] // return [0, 0];
    is($d->[0], "$ac:$co[0]", 'a digest') if $d->[0] ne "$ac:$co[0]";
    script('digest_store', [k('digests')], @$d[0, 2], 20);
    return [$d->[9], @{ $d->[7] } / 2];
}

# what is told

fill(1);
gone();
is_deeply(told(), [KIDS, TOLD], 'deleted: all are counted, so many are told');
fill(1);
change($cg2);
is(in_digests(), TOLD + 1, 'moved');
change($cg);
is(in_digests(), 0, 'and back');
change($cg2);
change($cg2, $cg);
is(in_digests(), 0, 'or to both');
gone();
is_deeply(told(), [KIDS, TOLD], 'deleted after that');
fill(1);
script('host_update', [$acct], $_, '0', '', '', $cg2) for @kids[0 .. 299];
cmd('DEL', k('digest', $ac, $co[0]), k('digests'));
gone();
is_deeply(told(), [KIDS - 300, TOLD], 'those that had its group alone');
fill(1);
script('host_update', [$acct], $_, '0', '', '', $cg, $cg2) for @kids[0 .. 99];
gone();
is_deeply(told(), [KIDS, TOLD], 'of groups of several kinds');

# a host that was to be told as listed is not any more

fill(1);
cmd('ZADD', k('digest', $ac, $co[0]), 1, $_) for @kids;
change($cg2);
is(in_digests(), TOLD + 1, 'what waits of all addresses is gone');

# what it costs

fill(300);
change($cg);
is(calls('zadd', 'zrem', 'exists'), 0, 'the same groups: nobody is looked at');
my $max = 20 * (@co + @kids);
gone();
cmp_ok(calls('zadd', 'zrem', 'exists'), '<', $max, 'a range that is deleted');
cmp_ok(in_digests(), '<=', 50_000 + @co, 'what many contacts hear has a bound');
cmp_ok(in_digests(), '>=', 100 * @co, 'and each of them hears of some');
is(told()->[0], KIDS, 'and how many they are');
fill(300);
change($cg2);
cmd('CONFIG', 'RESETSTAT');
change($cg, $cg2);
cmp_ok(calls('zadd', 'zrem', 'exists'), '<', $max, 'what is taken back');
is(in_digests(), 0, 'is');

done_testing();
