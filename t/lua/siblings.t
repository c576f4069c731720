#!/usr/bin/perl

# Siblings: when a list begins to list an address of a range, or ceases to, the
# other addresses of the range are due at once, for each list once an hour, and in
# slices; none that is being checked, paused or has a manual check; none for an
# account that pays by the check.

use strict;
use warnings;
use RblDigest;
use RblScript;
use RblScript qw(slice);
use RblTest;

my ($ac, $acct) = digests_new();
my $queue = k('siblings');


# A range whose addresses are due in an hour; its SID, those of its addresses.
my $nets = 0;
sub range {
    my ($n) = @_;
    $nets++;
    my @kids = map { sid('HT') } 1 .. $n;
    my $r = script('host_add', [$acct], name => 'net', type => 'ip_range',
        family => 1, range => my $range = sid('HT'), net => "10.$nets.0.0/22",
        host => \@kids,
        value => [map { "10.$nets." . ($_ >> 8) . '.' . $_ % 256 } 0 .. $n - 1]);
    later($_) for @kids;
    return ($range, @kids);
}
sub later { cmd('ZADD', k('due', $ac), now_ms() + 3_600_000, $_) for @_ }
sub due_of { return grep { my $at = cmd('ZSCORE', k('due', $ac), $_);
    defined $at && $at < now_ms() + 60_000 } @_ }
sub steps {
    my $n = 0;
    while (1) {
        $n++;
        return $n if !slice('telling_step', [k('tellings')])->[1];
        return fail('siblings are looked for for ever') if $n > 100;
    }
}
sub queued { return "@{ cmd('ZRANGE', $queue, 0, -1) }" }

my ($range, @kid) = range(9);
check($kid[4], 'clear', 'clear');
is(queued(), '', 'a clear address has no siblings to check');
check($kid[4], 'listed', 'clear');
is(queued(), "$ac:$range", 'a new listing has the range looked at');
cmd('HSET', k('flight:due'), "$ac:$kid[1]", 'PP' . '0' x 64 . ':1:2:x');
script('host_status', [$acct], host => $kid[2], status => 'paused');
script('check_start', [$acct], check => sid('PP'), host => $kid[3],
    keep => 60_000);
cmd('ZADD', k('due', $ac), 5, $kid[5]);
cmd('DEL', k('due'));
is(steps(), 1, 'a small range is one slice');
is(queued(), '', 'nothing is left behind the slice');
is(join(' ', sort(due_of(@kid))),
    join(' ', sort @kid[0, 4, 5, 6, 7, 8]),
    'all addresses are due that are neither being checked nor paused');
is(cmd('ZSCORE', k('due', $ac), $kid[5]), 5, 'what was due before stays so');
is(cmd('ZSCORE', k('due'), $ac), 5, 'the account has its turn then');
my @at = sort map { cmd('ZSCORE', k('due', $ac), $_) } @kid[0, 6 .. 8];
is_deeply([map { $at[$_] - $at[$_ - 1] >= 4 ? 1 : 0 } 1 .. 3], [1, 1, 1],
    'the checks of siblings begin one after the other');
cmd('HDEL', k('flight:due'), "$ac:$kid[1]");

later(@kid);
check($kid[6], 'listed', 'clear');
is(queued(), '', 'a second address on the same list begins nothing');
check($kid[6], 'listed', 'listed');
is(queued(), "$ac:$range", 'another list does');
steps();
later(@kid);
check($kid[6], 'listed', 'clear');
is(queued(), "$ac:$range", 'the end of a listing has the range looked at');
steps();
later(@kid);
check($kid[6], 'listed', 'listed');
is(queued(), '', 'a listing that begins again in the hour does not');
cmd('ZADD', k('siblings', $ac), now_ms() - 3_600_000, "$range:RBb:listed");
check($kid[7], 'clear', 'listed');
is(queued(), "$ac:$range", 'an hour later it does');
is(join(' ', sort @{ cmd('ZRANGE', k('siblings', $ac), 0, -1) }),
    "$range:RBa:listed $range:RBb:clear $range:RBb:listed",
    'what is remembered has both lists');
cmp_ok(cmd('PTTL', k('siblings', $ac)), '>', 3_500_000, 'what is remembered expires');
steps();

my $single = host();
check($single, 'listed', 'listed');
is(queued(), '', 'a host of no range has no siblings');

# A large range, and one that is deleted meanwhile.
my ($large, @many) = range(256);
check($many[0], 'listed', 'clear');
is(slice('telling_step', [k('tellings')])->[1], 1, 'a slice leaves the others');
is(scalar(due_of(@many)), 32, 'a slice has 32 addresses');
steps();
is(scalar(due_of(@many)), 256, 'all addresses are due in the end');
my ($gone, @old) = range(64);
check($old[0], 'listed', 'clear');
script('host_delete', [$acct], host => $gone, keep => 1000);
steps();
is(queued(), '', 'a range that was deleted has nothing to check');

# Damage.
cmd('ZADD', $queue, 0, 'x');
is(steps(), 1, 'an entry that is no range goes');
cmd('ZADD', $queue, 0, "$ac:$large");
cmd('SET', k('kids', $ac, 'HT' . '1' x 32), 'x');
cmd('ZADD', $queue, 0, "$ac:HT" . '1' x 32);
steps();
is(queued(), '', 'a damaged range keeps no other one waiting');
cmd('DEL', k('kids', $ac, 'HT' . '1' x 32));

# An account that pays by the check.
my ($paid, @paying) = range(4);
cmd('SET', k('meter', $ac), pack('d>', 9e15) . '1');
check($paying[0], 'listed', 'clear');
is(queued(), '', 'an account that pays by the check gets no further checks');
cmd('DEL', k('meter', $ac));

# Messages get the ranges of their hosts.
my $co = contact('start_and_end');
my ($told, @of) = range(4);
check($_, 'listed', 'clear') for @of[0 .. 2];
my ($row) = claim();
is_deeply($row->{ranges}, [$told, "10.$nets.0.0/22", 4],
    'a message gets the subnet of its hosts, and how many addresses it has');
store($row, messages => []);
check($_, 'clear', 'clear') for @of[0 .. 2];
($row) = claim();
is_deeply($row->{ranges}, [$told, "10.$nets.0.0/22", 4],
    'the message about their end gets the same');
done_testing();
