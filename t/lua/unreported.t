#!/usr/bin/perl

# A range of listed addresses is no longer reported to many contacts: each gets
# the number of addresses, and the cost of one call does not grow with addresses
# times contacts.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { KIDS => 1024, TOLD => 50, LISTED => 13 };

redis_new();
my ($ac, $acct, $cg, $cg2, $range, @kids, @co);

# An account with so many contacts in a group, and a range of that group whose
# addresses are all listed.
sub fill {
    my ($n) = @_;

    cmd('FLUSHALL');
    ($ac, $acct) = account();
    ($cg, $cg2) = map { sid('CG') } 1 .. 2;
    script('group_add', [$acct], group => $_, name => 'g', is_default => '0')
        for $cg, $cg2;
    @co = map { sid('CO') } 1 .. $n;
    for my $i (0 .. $#co) {
        cmd('SET', k('r', $ac, $co[$i]), packed([1, $co[$i], 'endpoint',
            'https://x.example/', 'start_and_end', 'active', [$cg], 1, '', 0, 0,
            0]));
        cmd('ZADD', k('contacts', $ac), $i, $co[$i]);
    }
    contacts_hear($ac);
    ($range, @kids) = map { unpacked($_)->[1] } @{ add_host($acct, 'ip_range',
        '10.0.0.0/22', map { '10.0.' . ($_ >> 8) . '.' . ($_ & 255) }
        0 .. KIDS - 1) }[1 .. KIDS + 1];
    change($cg);
    tellings_end();
    for my $ht (@kids) {
        my $h = unpacked(cmd('GET', k('r', $ac, $ht)));
        $h->[LISTED] = 1;
        cmd('SET', k('r', $ac, $ht), packed($h));
    }
    for my $co (@co) {
        cmd('HSET', k('open', $ac, $co), map { ($_, '1|10.0.0.0|n') } @kids);
        cmd('DEL', k('digest', $ac, $co));
    }
    cmd('DEL', k('digests'));
    cmd('CONFIG', 'RESETSTAT');
}
sub change {
    is(script('host_update', [$acct], host => $range, groups => \@_)->[0],
        'OK', 'host_update gives the range other groups');
}
sub gone { is(script('host_delete', [$acct], host => $range, keep => 1)->[0],
    'OK', 'deleted') }
sub in_digests {
    my $n = 0;
    for my $co (@co) {
        $n += cmd('ZCARD', k($_, $ac, $co)) for 'digest', 'making';
    }
    return $n;
}
# Number of these commands since fill().
sub calls {
    my $info = cmd('INFO', 'commandstats');
    my $n = 0;
    $n += $info =~ /^cmdstat_$_:calls=(\d+)/m ? $1 : 0 for @_;
    return $n;
}
# [number reported, hosts by name] of a contact
sub told {
    my $of = "$ac:$co[0]";
    my $d;
    for (1 .. 500) {
        cmd('ZADD', k('digests'), 'XX', 0, $of);
        my $r = script('digest_claim', [k('digests')], window => 0,
            lease => 30_000, most => TOLD, events => sid('EV'));
        $d = $r->[3] // next if @$r > 3 || cmd('EXISTS', k('making', $ac,
            $co[0]), k('batch', $ac, $co[0]));
        last;
    }
    return [0, 0] if !$d;
    is($d->[0], $of, 'the digest is that of the contact') if $d->[0] ne $of;
    my $rows = @{ $d->[7] } / 2;
    my $said = 'MORE';
    $said = script('digest_store', [k('digests')], member => $of,
        claimed => $d->[2], limit => 20)->[0] while $said eq 'MORE';
    return [$d->[9], $rows];
}

# reports

fill(1);
gone();
is_deeply(told(), [KIDS, TOLD],
    'deleted: all are counted, and the message has its maximum');
ok(!cmd('EXISTS', k('open', $ac, $co[0])),
    'the contact has no open listing left');
fill(1);
change($cg2);
change($cg);
is_deeply(told(), [0, 0], 'moved and back');
change($cg2);
change($cg2, $cg);
is_deeply(told(), [0, 0], 'a range that gets both groups is not reported');
change($cg2);
is_deeply(told(), [KIDS, TOLD], 'a moved range is reported');
gone();
is_deeply(told(), [0, 0], 'a range deleted after its move is not reported');
fill(1);
script('host_update', [$acct], host => $_, groups => $cg2) for @kids[0 .. 299];
is_deeply(told(), [300, TOLD], 'addresses that are moved');
gone();
is_deeply(told(), [KIDS - 300, TOLD],
    'the other addresses are reported when the range is deleted');
fill(1);
script('host_update', [$acct], host => $_, groups => [$cg, $cg2])
    for @kids[0 .. 99];
is_deeply(told(), [0, 0], 'of groups of several kinds');
gone();
is_deeply(told(), [KIDS, TOLD], 'all are deleted');

# a host that was about to be reported as listed is no longer listed

fill(1);
cmd('DEL', k('open', $ac, $co[0]));
cmd('ZADD', k('digest', $ac, $co[0]), 1, $_) for @kids;
cmd('ZADD', k('digests'), 1, "$ac:$co[0]");
change($cg2);
is_deeply(told(), [0, 0], 'a waiting change is not reported');
is(in_digests(), 0, 'the digests have no change left');

# more than fits in one message

fill(1);
cmd('HSET', k('open', $ac, $co[0]), map { (sid('HT'), "1|192.0.2.$_|n") }
    1 .. 200) for 1 .. 20;
gone();
my ($sum, $messages) = (0, 0);
for (1 .. 9) {
    $sum += told()->[0];
    $messages++ if in_digests();
}
is($sum, KIDS + 4000, 'all are reported in the end');
cmp_ok($messages, '>=', 1, 'the report takes several messages');

# many ranges changed at once are processed in turn

fill(1);
my @ranges = map { my $of = sid('HT');
    cmd('ZADD', k('kids', $ac, $of), map { (1, sid('HT')) } 1 .. 900);
    $of } 1 .. 5;
cmd('ZADD', k('digest', $ac, $co[0]), 3 * 2 ** 42, "?$_") for @ranges;
cmd('ZADD', k('digests'), 1, "$ac:$co[0]");
my @left;
for (1 .. 3) {
    told();
    push @left, in_digests();
}
is_deeply(\@left, [0, 0, 0], 'all of them, in slices');

# cost

fill(300);
change($cg);
is(in_digests(), 0, 'the same groups: no contact is visited');
ok(!cmd('EXISTS', k('telling', $ac)), 'no contact is visited later');
my $max = 20 * (@co + @kids);
gone();
tellings_end();
cmp_ok(calls('zadd', 'zrem', 'exists'), '<', $max, 'a range that is deleted');
is(in_digests(), scalar @co, 'one thing to look at for each contact');
is(told()->[0], KIDS, 'the message has the number of addresses');

done_testing();
