#!/usr/bin/perl

# Scripts of delivery: what is accepted is delivered or a dead letter, the body
# never changes, recording twice has no second effect.

use strict;
use warnings;
use RblTest;
use RblScript;

redis_new();
my ($ac, $acct) = account();
my ($all, $some, $ap) = (sid('WH'), sid('WH'), sid('AP'));

script('app_put', [$acct], $ap, 'app', 'callback secret', 'f' x 16, 'd' x 32);
script('hook_put', [$acct], $all, 'all', 'https://a.example/', 's1');
script('hook_put', [$acct], $some, 'some', 'https://b.example/', 's2',
    'rbl.host.listed');
cmd('XGROUP', 'CREATE', k('outbox'), 'deliver', '0', 'MKSTREAM');

my $ev = sid('EV');
cmd('XADD', k('outbox'), '*', 'a', $ac, 'e', $ev, 'd', 'x');
my $id = cmd('XREADGROUP', 'GROUP', 'deliver', 'me', 'STREAMS',
    k('outbox'), '>')->[0][1][0][0];

sub fanout {
    return script('event_fanout', [k('outbox')], $id, $ac, $ev,
        'rbl.host.check.completed', '{"body":1}', '1', 'https://c.example/',
        $ap);
}
sub claim {
    my $r = script('delivery_claim', [k('retry')], 10, 60_000);
    return @$r[2 .. $#$r];
}
sub done {
    my ($d, $outcome, $wait) = @_;
    return script('delivery_done', [k('retry')], $d->[0], $d->[4], $outcome,
        $wait // 0, $outcome eq 'ok' ? 200 : 500, 'text')->[0];
}
sub due_now { cmd('ZADD', k('retry'), 0, $_[0][0]) }

is_deeply(fanout(), ['OK', 2], 'a receiver of all types and the callback');
is_deeply(fanout(), ['OK', 0], 'once');
is(cmd('XLEN', k('outbox')), 0, 'the outbox is empty');

my @d = sort { $a->[0] cmp $b->[0] } claim();
is(scalar @d, 2, 'both are claimed');
is(scalar(my @again = claim()), 0, 'and leased');
my ($cb, $hook) = @d;
is($cb->[2], 'https://c.example/', 'the callback goes to its URL');
is($cb->[3], 'callback secret', 'signed by the application');
is($hook->[2], 'https://a.example/', 'the hook to its own');
is($hook->[3], 's1', 'with its secret');
is($_->[7], '{"body":1}', 'the body as it was') for @d;

is(done($cb, 'ok'), 'OK', 'delivered');
is(done($cb, 'ok'), 'STALE', 'recorded once');
is(done($hook, 'retry', 3_600_000), 'OK', 'to be tried again');
is(done($hook, 'retry', 3_600_000), 'STALE', 'counted once');
due_now($hook);
($hook) = claim();
is($hook->[4], 1, 'the second attempt');
is($hook->[7], '{"body":1}', 'the same body');
is(done($hook, 'dead'), 'OK', 'given up');
my $dead = cmd('XRANGE', k('dead', $ac), '-', '+');
is(scalar @$dead, 1, 'a dead letter');
my %dead = @{ $dead->[0][1] };
is($dead{b}, '{"body":1}', 'with the body');
is($dead{to}, $all, 'and the receiver');
ok(!cmd('EXISTS', k('event', $ac, $ev)), 'the event is done with');
is(cmd('ZCARD', k('retry')), 0, 'nothing waits');

# 410: the receiver is disabled, and gets nothing any more

$ev = sid('EV');
cmd('XADD', k('outbox'), '*', 'a', $ac, 'e', $ev, 'd', 'x');
$id = cmd('XREADGROUP', 'GROUP', 'deliver', 'me', 'STREAMS',
    k('outbox'), '>')->[0][1][0][0];
fanout();
($hook) = grep { $_->[0] =~ /:WH/ } claim();
is(done($hook, 'gone'), 'OK', 'gone');
is(unpacked(cmd('GET', k('r', $ac, $all)))->[6], 'disabled',
    'the receiver is disabled');
is(cmd('XLEN', k('dead', $ac)), 2, 'its event is a dead letter');

# what was open for it ends as a dead letter too, not in silence

$ev = sid('EV');
my $member = "$ac:$ev:$all";
cmd('HSET', k('dlv', $ac, $ev, $all), 'url', '', 'app', '', 'attempt', 3,
    'first', 1);
cmd('HSET', k('event', $ac, $ev), 'type', 't', 'body', '{}', 'open', 1);
cmd('ZADD', k('retry'), 0, $member);
ok(!grep({ $_->[0] eq $member } claim()), 'a disabled receiver gets nothing');
$dead = cmd('XREVRANGE', k('dead', $ac), '+', '-', 'COUNT', 1);
%dead = @{ $dead->[0][1] };
is($dead{e}, $ev, 'its event is a dead letter');
like($dead{x}, qr/disabled/, 'that says why');

done_testing();
