#!/usr/bin/perl

# No step of billing is made while the clocks of the daemon and of the store
# differ by more than an hour.  A time that was written while the clock was
# ahead is pulled in.

use strict;
use warnings;

use RblScript;
use RblTest;

use constant { HOUR => 3_600_000, DAY => 86_400_000, OPEN => 10 };
use constant { P_STATE => 5, P_SENT => 18, P_NEXT => 20, S_NEXT => 6 };

redis_new();
my ($ac, $acct) = account();
script('bill_plan', [$acct], gateway => 'http', plan => 'Business',
    price => 25_000_000, period => 'month', paid => 1, hosts => 1000,
    contacts => 100, checks => 5000, shortest => 900);
sub now { return int(time * 1000) }
sub look { return script('bill_step', [$acct], grace => 7 * DAY, kept => 0,
    clock => $_[0] // now()) }
sub asked { return script('bill_send', [$acct], gateway => 'http', live => 1,
    lease => 60_000, clock => $_[0] // now()) }
sub stored { return [map { cmd('GET', $_) } sort grep { cmd('TYPE', $_) eq
    'string' } @{ cmd('KEYS', '*') }] }

# --- clocks that differ --------------------------------------------------------

my $was = stored();
for my $off (-90 * DAY, -2 * HOUR, 2 * HOUR, 92 * DAY) {
    is_deeply(look(now() + $off), ['APART'],
        "no step of a bill with clocks that differ by $off ms");
}
is_deeply(stored(), $was, 'a refused step changes nothing');
my $py = look(now() + HOUR / 2)->[2];
like($py, qr/^PY/, 'half an hour is no obstacle');
$was = stored();
for my $off (-90 * DAY, -2 * HOUR, 2 * HOUR, 92 * DAY) {
    is_deeply(asked(now() + $off), ['APART'],
        "nothing is charged with clocks that differ by $off ms");
}
is_deeply(stored(), $was, 'a refused charge changes nothing');
is(asked()->[1], 'charge', 'the payment is charged with clocks that agree');

# --- times that were written while the clock was ahead -------------------------

sub payment { return unpacked(cmd('GET', k('pay', $ac, $py))) }
sub put_off {
    my ($state, $sent, $next) = @_;
    my $p = payment();
    @$p[P_STATE, P_SENT, P_NEXT] = ($state, $sent, $next);
    cmd('SET', k('pay', $ac, $py), packed($p));
    return;
}
for my $state (qw(open sent unknown processing customer)) {
    my $sent = $state eq 'open' ? 0 : now();
    my $most = $state eq 'open' ? 7 * DAY : HOUR;
    put_off($state, $sent, now() + $most - 60_000);
    is(asked()->[1], '', "a payment that is $state waits for its time");
    put_off($state, $sent, now() + 60 * DAY);
    isnt(asked()->[1], '', "a payment that is $state is due if its time is"
        . ' later than can be');
    cmp_ok(payment()->[P_NEXT], '<=', now() + HOUR,
        "a payment that is $state has a right time then");
}

put_off('failed', 0, 0);
cmd('SET', k('setup', $ac), packed([1, 'open', now(), 'http://x/', 'cs_1', '',
    now() + 60 * DAY, '']));
is(asked()->[1], 'look', 'a page of the gateway is looked at, likewise');
is(cmd('ZCOUNT', k('paydue'), now() + 25 * HOUR, '+inf'), 0,
    'no turn is further away than a day');

# --- turns (check_ahead) ---------------------------------------------------------

my %most = (retry => 30 * HOUR, digests => HOUR, works => HOUR,
    tellings => HOUR, billdue => 25 * HOUR, paydue => 25 * HOUR);
for my $index (sort keys %most) {
    my $edge = now() + $most{$index};
    cmd('DEL', k($index));
    cmd('ZADD', k($index), $edge - 60_000, 'good', map({ ($edge + 60_000,
        "late$_") } 1 .. 40));
    my $r = script('check_ahead', [k('due')], from => 0, most => 32,
        lease => 60_000);
    is($r->[3], 32, "$index: one call pulls in as many as it may");
    script('check_ahead', [k('due')], from => 0, most => 32, lease => 60_000);
    is(cmd('ZCOUNT', k($index), '-inf', now() + 2000), 40,
        "$index: what waits for longer than can be is due now");
    is(cmd('ZSCORE', k($index), 'good'), $edge - 60_000,
        "$index: a time that can be is kept");
}
done_testing();
