#!/usr/bin/perl

# A digest of 2,000 hosts takes no more than 2 ms of Redis per call, whatever
# the records contain: it is made, reported and written in slices.  The same
# holds for a contact with many known hosts.  A slow machine may take longer
# (t/lib/RblWorst.pm).
#
# Alone: measures times.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblWorst qw(calibrate slowness);

use constant { HOSTS => 2000, LISTS => 386, MOST_US => 2000, TOLD => 50,
    STATE => 2 ** 42 };

redis_new();
my ($ac, $acct) = account();
my $cg = chosen($acct)->[2];
my @rb = map { sid('RB') } 1 .. LISTS;
cmd('SET', k('r', 'SYS', $_), packed([1, $_, 'rbl', "$_.example", 'A list',
    'https://a.example/', 3, 0, 'active', '', [], '', '', 'normal', 'ip',
    'block', 'ip'])) for @rb;
my @ht = map { sid('HT') } 1 .. HOSTS;

# Lists all hosts on that many lists, with texts of that length.
sub listed_on {
    my ($n, $length) = @_;

    my @details = map { [$_, "$_.example", 'https://a.example/',
        'x' x $length, ['127.0.0.2'], 1, 1, 0, 0] } @rb[0 .. $n - 1];
    for my $i (0 .. $#ht) {
        cmd('SET', k('r', $ac, $ht[$i]), packed([1, $ht[$i],
            '10.0.' . int($i / 250) . '.' . $i % 250, 'name', 'rbl', 1, '',
            'active', 'RP', [$cg], 1, 1, $n ? 1 : 0, $n, 0, 1, \@details]));
        cmd('ZADD', k('hosts', $ac), $i, $ht[$i]);
    }
}
my $co = sid('CO');
script('contact_add', [$acct], contact => $co, type => 'endpoint',
    value => 'https://x.example/', schedule => 'start_and_end', digest => 'd',
    code => 'code', event => sid('EV'));
script('contact_confirm', [$acct], contact => $co, digest => 'd');
cmd('CONFIG', 'SET', 'slowlog-log-slower-than', 0);
cmd('CONFIG', 'SET', 'slowlog-max-len', 100_000);

# Reports the digest.  Calls of a kind are alike; on a busy machine some are
# interrupted, so the median counts.
my (@stores, @looks);
sub tells {
    my ($name, $listed, $delisted, $unreported, $shown) = @_;

    push @looks, map { calibrate() } 1 .. 5;

    cmd('ZADD', k('digests'), 1, "$ac:$co");
    cmd('SLOWLOG', 'RESET');
    my (%us, $d);
    my $timed = sub {
        my $r = script($_[0], [k('digests')], @_[1 .. $#_]);
        my ($entry) = grep { $_->[3][0] =~ /^eval/i }
            @{ cmd('SLOWLOG', 'GET', 20) };
        push @{ $us{ $_[0] } }, $entry->[2];
        cmd('SLOWLOG', 'RESET');
        return $r;
    };
    my $claim = sub { return $timed->('digest_claim', window => 0,
        lease => 30_000, most => TOLD, events => sid('EV')) };
    for (1 .. HOSTS) {          # those on all lists are two in a call
        $d = $claim->()->[3];
        last if $d;
    }
    is_deeply([@$d[4, 5, 9]], [$listed, $delisted, $unreported],
        "$name: all are counted");
    my $rows = @{ $d->[7] } / 2;
    is($rows, $shown, "$name: the message has as many as it may show");
    my $said = $timed->('digest_store', member => $d->[0], claimed => $d->[2],
        limit => 20, event => $d->[2], body => 'x' x 300_000)->[0];
    $claim->() while cmd('EXISTS', k('batch', $ac, $co));
    for (1 .. 2) {
        my $r = script('delivery_claim', [k('retry')], most => 10,
            lease => 60_000);
        script('delivery_done', [k('retry')], member => $_->[0],
            attempt => $_->[4], outcome => 'ok', delay => 0, status => 200)
            for @$r[2 .. $#$r];
    }
    for my $script (sort keys %us) {
        my @us = sort { $a <=> $b } @{ $us{$script} };
        push @stores, @us if $script eq 'digest_store';
        cmp_ok($us[@us / 2], '<', MOST_US * slowness(@looks),
            "$name: $script takes at most 2 ms")
            or diag("@us") if $script ne 'digest_store';
        note("$name: $script: " . @us . " calls, $us[@us / 2] us, the slowest "
            . "$us[-1], " . sprintf 'slowness %.2f', slowness(@looks));
    }
    return $said;
}
sub known { return cmd('HLEN', k('open', $ac, $co)) }

listed_on(LISTS, 20);
cmd('ZADD', k('digest', $ac, $co), map { (1, $_) } @ht);
tells('on all lists', HOSTS, 0, 0, 1);
is(known(), HOSTS, 'all are known');
listed_on(0, 0);
cmd('ZADD', k('digest', $ac, $co), map { (STATE + 1, $_) } @ht[0 .. 999]);
tells('on no list', 0, 1000, 0, TOLD);
is(known(), HOSTS - 1000, 'the others are known still');
my $other = sid('CG');
script('group_add', [$acct], group => $other, name => 'other',
    is_default => '0');
listed_on(2, 20);
script('contact_update', [$acct], contact => $co, groups => $other);
tells('another group', 0, 0, 1000, TOLD);
is(known(), 0, 'none is known');

my ($store) = sort { $a <=> $b } @stores;
cmp_ok($store, '<', MOST_US * slowness(@looks),
    'digest_store, the quickest of several');

done_testing();
