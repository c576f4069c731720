#!/usr/bin/perl

# A clock that was ahead has left times behind: check_ahead pulls them in, and
# leaves everything else alone.

use strict;
use warnings;
use RblTest;
use RblScript;

my $redis = redis_new();
my ($ac, $acct) = account();
my ($other, $other_acct) = account();
my $interval = 3600;
my @host = map { sid('HT') } 1 .. 40;
my @fine = map { sid('HT') } 1 .. 3;
my $now = int(cmd('TIME')->[0]) * 1000;
use constant { DAY => 86_400_000, LEASE => 60_000 };

sub ahead {
    my ($from, $most) = @_;
    return script('check_ahead', [k('due')], from => $from // 0,
        most => $most // 32, lease => LEASE);
}
sub due { return cmd('ZSCORE', k('due', $_[0]), $_[1]) }

cmd('ZADD', k('due', $ac), $now + 2 * DAY, $_) for @host;
cmd('ZADD', k('due', $other), $now + 1000 * $interval, $fine[0]);
cmd('ZADD', k('due', $other), $now + 1099 * $interval, $fine[1]);
cmd('ZADD', k('due', $other), $now - 5000, $fine[2]);
cmd('ZADD', k('due'), $now + 2 * DAY, $ac);
cmd('ZADD', k('due'), $now - 5000, $other);
cmd('ZADD', k('manual'), $now + DAY, $ac);
cmd('ZADD', k('manual'), $now, $other);
cmd('ZADD', k('leases'), $now + DAY, 'late');
cmd('ZADD', k('leases'), $now + LEASE, 'good');

my $r = ahead();
is_deeply([@$r[0, 2, 3]], ['OK', -1, 34],
    'the first call pulls in 32 hosts, a lease and a turn');
$r = ahead();
is($r->[3], 8, 'the next call pulls in the other hosts');
is(ahead()->[3], 0, 'the third call finds nothing more');
my @wrong = grep { due($ac, $_) > $now + 1000 * $interval + 60_000
    || due($ac, $_) < $now } @host;
is("@wrong", '', 'each host is due within an interval');
my %times = map { due($ac, $_) => 1 } @host;
cmp_ok(scalar keys %times, '>', 30, 'the hosts are not due all at once');
my ($first) = sort { $a <=> $b } keys %times;
is(cmd('ZSCORE', k('due'), $ac), $first,
    'the turn of the account is that of its first host');
is_deeply([map { due($other, $_) } @fine], [$now + 1000 * $interval,
    $now + 1099 * $interval, $now - 5000], 'times that can be are kept');
is(cmd('ZSCORE', k('leases'), 'good'), $now + LEASE, 'a lease is kept');
cmp_ok(cmd('ZSCORE', k('leases'), 'late'), '<', $now + 60_000,
    'a lease that ends tomorrow ends now');
cmp_ok(cmd('ZSCORE', k('manual'), $ac), '<', $now + 60_000,
    'manual checks of tomorrow have their turn now');

# Slices, damaged accounts.
my @more = map { (account())[0] } 1 .. 5;
cmd('ZADD', k('due'), $now + 2 * DAY, $_), cmd('ZADD', k('due', $_),
    $now + 2 * DAY, sid('HT')) for @more;
is(ahead(0, 3)->[2], 3, 'a call looks at as many accounts as it may');
cmd('SET', k('acct', $more[0]), 'x');
cmd('DEL', k('due', $more[1]));
cmd('SET', k('due', $more[1]), 'x');
my $next = 0;
for (1 .. 9) {
    $r = ahead($next, 3);
    $next = $r->[3] ? $next : $r->[2];
    last if $next < 0;
}
is($next, -1, 'the accounts come to an end');
is(scalar(grep { cmd('ZSCORE', k('due'), $_) > $now + 2000 * $interval }
    @more[2 .. 4]), 0, 'damaged accounts do not stop the others');
done_testing();
