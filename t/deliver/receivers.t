#!/usr/bin/perl

# A receiver from its operator's view: tests, the log, dead letters and replays;
# and from its neighbours' view: a dead or slow one delays no other.

use strict;
use warnings;
use List::Util qw(min);
use Time::HiRes ();
use RblTest;
use RblScript;
use RblDeliver;

my $redis = deliver_setup();
my $d = start_deliverd(conf => { deliveries_max => 16,
    deliver_timeout => '2s' });

# Output of a command with --json; its exit status is in $status.
my $status;
sub ctl {
    my $got = rblctl($redis, 'webhook', @_, '--json');
    $status = $got->{status};
    diag($got->{err}) if $got->{err} ne '';
    return $got->{out} ne '' ? json($got->{out}) : {};
}
sub tries { return @{ ctl('log', $AC, @_) } }

# --- tests

my $hook = start_receiver();
my $wh = hook_add($hook->{url}, 's1', 'rbl.host.listed');
my $v = ctl('test', $AC, $wh);
is($status, 0, 'webhook test exits with 0 after a delivery');
is_deeply([@$v{qw(outcome http error answer)}], ['delivered', 200, '', 'ok'],
    'webhook test reports the delivery');
my ($r) = received($hook);
is($r->{json}{event_type}, 'webhook.test', 'a type that no other has');
is($r->{json}{event_sid}, $v->{event},
    'the test event has the SID that was printed');
ok(signature_ok($r, 's1'), 'the test event is signed');
ok(idle(), 'a test leaves no delivery behind');
answer_with($hook, status => 503, body => 'not today');
$v = ctl('test', $AC, $wh);
is($status, 1, 'a failed test has status 1');
is_deeply([@$v{qw(outcome http answer)}], ['failed', 503, 'not today'],
    'webhook test reports status and body of the refusal');
ok(idle() && !dead_letters(), 'a failed test is not repeated');
my $inside = hook_add('http://10.255.255.1/', 's1', 'rbl.host.listed');
$v = ctl('test', $AC, $inside);
is_deeply([$status, @$v{qw(outcome http error)}], [1, 'failed', 0,
    'connection failed'], 'the address filter refuses a test to 10.255.255.1');
ctl('delete', $AC, $inside);

# --- the log

my $long = join '', 'answer ', map { chr(97 + $_ % 26) } 1 .. 5000;
answer_with($hook, status => [500, 200], body => $long);
my ($ev, $m);
event_emit();
soon { ($m) = keys %{ deliveries() }; $m && delivery($m)->{attempt} }
    'an attempt fails';
due_now($m);
soon { idle() } 'the next does not';
($ev) = $m =~ /:(EV\w+)/;
my @t = tries($wh, '--event', $ev);
is_deeply([map { "$_->{attempt} $_->{outcome} $_->{http}" } @t],
    ['1 retry 500', '2 ok 200'], 'both are logged');
is($t[0]{error}, 'HTTP status', 'the log has the error of the first attempt');
is($_->{answer}, substr($long, 0, 1024),
    'the log has the first KiB of the answer') for @t;
my ($next, $at) = map { my ($h, $m, $s) = /T(\d+):(\d+):(\d+)/;
    ($h * 60 + $m) * 60 + $s } @{ $t[0] }{qw(next time)};
ok(grep({ $_ == ($next - $at) % 86_400 } 4 .. 6),
    'the log has the time when the next attempt was due');
answer_with($hook, status => 200, delay => 0.5);
my $began = Time::HiRes::time();
event_emit();
soon { idle() } 'a slow one';
my $took = 1000 * (Time::HiRes::time() - $began);
@t = tries($wh, '--last', 1);
cmp_ok($t[0]{ms}, '>=', 500, "how long it took ($t[0]{ms} ms)");
cmp_ok($t[0]{ms}, '<=', $took,
    'the logged duration is no longer than the test waited');
like($t[0]{time}, qr/^20\d\d-/, 'the log has the time of the attempt');
answer_with($hook, status => 200);
one_off($hook->{url}, '192.0.2.1');
soon { idle() } 'a callback';
is_deeply([map { "$_->{type} $_->{outcome}" } tries($AP)],
    ['rbl.host.check.completed ok'],
        'a callback is logged with its application');

# --- disabled, dead, replayed

my $told = start_receiver();
contact_active('endpoint', "$told->{url}?told", groups => []);
answer_with($hook, status => 500);
event_emit() for 1 .. 6;
soon { 6 == grep { $_ > 0.5 } values %{ deliveries() } } 'six fail';
my @waiting = keys %{ deliveries() };
cmd('HSET', k('hook', $AC, $wh), 'since', 1000 * (time - 5 * 86_400 - 1),
    'fails', 20);
due_now($waiting[0]);
soon { hook_status($wh) eq 'disabled' } 'after five days it is disabled';
$v = ctl('show', $AC, $wh);
like("$v->{status} $v->{reason}", qr/^disabled every attempt has failed for f/,
    'webhook show prints why the webhook is disabled');
soon { grep { $_->{json}{event_type} eq 'contact.notice' } received($told) }
    "the contact of the account gets a notice";
my ($notice) = grep { $_->{json}{event_type} eq 'contact.notice' }
    received($told);
is($notice->{json}{title}, 'Webhook "hook" was disabled',
    'the title of the notice names the webhook');
like($notice->{json}{message}, qr/\($wh\) was disabled at 20.*: every attempt/,
    'the notice has SID, time and reason');
is_deeply([@{ $notice->{json} }{qw(hosts weight)}], [[], 'normal'],
    'of no host');
due_now(@waiting);
event_emit();
soon { idle() } 'waiting and new events are dead letters';
my @dead = @{ ctl('dead', $AC, $wh) };
is(scalar @dead, 7, 'all are dead letters');
my %seen = map { $_->{headers}{'webhook-id'} => $_->{body} } received($hook);
my $n = () = received($hook);
answer_with($hook, status => 200);
like(rblctl($redis, 'webhook', 'replay', $AC, $wh, '--all')->{err},
    qr/is disabled/, 'a disabled webhook refuses a replay');
is(ctl('enable', $AC, $wh)->{status}, 'active',
    'webhook enable makes the webhook active');
is(ctl('replay', $AC, $wh, $dead[0]{event})->{deliveries}, 1,
    'a replay of one event makes one delivery');
soon { idle() && received($hook) == $n + 1 } 'is delivered';
is((received($hook))[-1]{headers}{'webhook-id'}, $dead[0]{event},
    'the requested event');
is(ctl('replay', $AC, $wh, '--from', '1h')->{deliveries}, 6,
    'a replay by time makes the other six deliveries');
soon { idle() && received($hook) == $n + 7 } 'are delivered';
is(scalar(grep { exists $seen{ $_->{headers}{'webhook-id'} }
    && $seen{ $_->{headers}{'webhook-id'} } ne $_->{body} } received($hook)),
    0, 'each with the bytes it had');
is(scalar(dead_letters()), 0, 'no letter is left');

# 410
answer_with($hook, status => 410);
event_emit();
soon { idle() && hook_status($wh) eq 'disabled' } '410 disables';
like(ctl('show', $AC, $wh)->{reason}, qr/gone/,
    'the reason of 410 is that the receiver is gone');
answer_with($hook, status => 200);
ctl('enable', $AC, $wh);
$n = () = received($hook);
ctl('replay', $AC, $wh, '--all');
soon { idle() && received($hook) == $n + 1 } 'it can come back';

# --- neighbours: four that never answer and one that does, of one account

ctl('disable', $AC, $wh);
my @mute = map { start_receiver(delay => 30) } 1 .. 4;
my @mute_id = map { hook_add($_->{url}, 's1') } @mute;
my $quick = start_receiver();
hook_add($quick->{url}, 's1', 'rbl.host.listed');

# Attempts at the four that have ended by their timeout.
sub timeouts { return scalar(() = read_file($d->{log}) =~ /: timeout$/mg) }

my @waited;
for (1 .. 15) {
    my ($had, $were) = (scalar(() = received($quick)), timeouts());
    event_emit();
    wait_for { received($quick) > $had } 20, 'its event';
    push @waited, timeouts() - $were;
}
@waited = sort { $a <=> $b } @waited;
soon { timeouts() >= 4 } 'attempts at the four time out';
is($waited[7], 0, 'half of its events wait for none of them');
cmp_ok($waited[-1], '<=', 2 * 16,
    'no event waits for more than two timeouts in each slot')
    or diag("@waited");
soon { (grep { (cmd('HGET', k('hook', $AC, $_), 'till') // 0) > 0 } @mute_id)
    == 4 } 'the circuits of the four are open', 30;
my $till = min(map { cmd('HGET', k('hook', $AC, $_), 'till') } @mute_id);
$n = timeouts();
event_emit() for 1 .. 10;
soon { received($quick) == 25 } 'more events';
my $more = timeouts();
SKIP: {
    # one attempt each may be under way
    skip 'this machine is so slow that a circuit has closed', 1
        if $more > $n + 4 && time * 1000 > $till;
    ok($more <= $n + 4, 'nothing is sent to the four meanwhile');
}
unlike(read_file($d->{log}), qr/\bs1\b|\/hook/, 'no secret, no URL in the log');
done_testing();
