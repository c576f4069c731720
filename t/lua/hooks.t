#!/usr/bin/perl

# Receivers: changes, secrets, and failures: the circuit, the log, disabling,
# and replays.

use strict;
use warnings;
use RblTest;
use RblScript;

redis_new();
my ($ac, $acct) = account();
my ($none, $day, $code) = (sid('WH'), 86_400_000, 'k7m2xq');
cmd('XGROUP', 'CREATE', k('outbox'), 'deliver', '0', 'MKSTREAM');

sub hook {
    my $wh = sid('WH');
    script('hook_put', [$acct], hook => $wh, name => 'n',
        url => 'https://x.example/', secret => 's1', types => \@_);
    return $wh;
}
sub hook_record { return record('hook', cmd('GET', k('s', $ac, $_[0]))) }
sub claim {
    my $r = script('delivery_claim', [k('retry')], most => $_[0] // 100,
        lease => 60_000);
    return @$r[2 .. $#$r];
}
sub done {
    my ($d, $outcome, %o) = @_;
    return script('delivery_done', [k('retry')], member => $d->[0],
        attempt => $d->[4], outcome => $outcome, delay => $o{wait} // 0,
        status => $outcome eq 'ok' ? 200 : 500, error => 'text',
        log => $o{log} // '', quiet => $o{quiet} // 0)->[0];
}
sub event {
    my ($type) = @_;
    my $id = read_event($ac, my $ev = sid('EV'));
    return ($ev, leave_event($id, $ac, $ev, $type // 't', qq({"body":"$ev"}))
        ->[1]);
}
sub letters {
    return map { { @{ $_->[1] }, id => $_->[0] } }
        @{ cmd('XRANGE', k('dead', $ac), '-', '+') };
}
sub state { return { @{ cmd('HGETALL', k('hook', $ac, $_[0])) } } }
sub all_due {
    cmd('ZADD', k('retry'), 1, $_) for @{ cmd('ZRANGE', k('retry'), 0, -1) };
}
sub clear {
    cmd('DEL', k('retry'), k('dead', $ac), @{ cmd('KEYS', k('dlv', '*')) },
        @{ cmd('KEYS', k('event', '*')) });
}

# --- changes

my $wh = hook('a', 'b');
is(script('hook_update', [$acct], hook => $wh, name => 'new', typed => 0)->[0],
    'OK', 'hook_update renames the receiver');
is(script('hook_update', [$acct], hook => $wh, url => 'https://y.example/',
    typed => 0)->[0], 'OK', 'hook_update changes the URL');
script('hook_update', [$acct], hook => $wh, typed => 1,
    types => ['c', 'd', 'e']);
my $h = hook_record($wh);
is_deeply([@$h{qw(name url types secret status)}],
    ['new', 'https://y.example/', ['c', 'd', 'e'], 's1', 'active'],
    'each changed alone');
script('hook_update', [$acct], hook => $wh, typed => 1);
is_deeply(hook_record($wh)->{types}, [],
    'the receiver gets events of all types');
is(script("hook_$_->[0]", [$acct], hook => $none, @$_[1 .. $#$_])->[0],
    'HOOK', "hook_$_->[0]: an unknown one")
    for ['update', name => 'x', typed => 0], ['secret', secret => 's',
    stays => 0], ['status', status => 'active'], ['delete'],
    ['test', event => sid('EV'), type => 't', body => '{}', most => 0],
    ['replay', from => '-', to => '+', most => 10];
my ($strange, $their) = account();
script('hook_put', [$their], hook => my $foreign = sid('WH'), name => 'n',
    url => 'https://x.example/', secret => 's1');
is(script('hook_update', [$acct], hook => $foreign, name => 'x',
    typed => 0)->[0], 'HOOK',
    'hook_update refuses a receiver of another account');

# --- secrets

sub secrets {
    my ($hook) = @_;
    my ($ev) = event();
    my ($d) = grep { $_->[0] =~ /$hook/ } claim();
    clear();
    return [@$d[3, 9]];
}
is_deeply(secrets($wh), ['s1', ''], 'a delivery has one secret');
my $until = script('hook_secret', [$acct], hook => $wh, secret => 's2',
    stays => $day / 1000)->[1];
ok(abs($until - now_ms() - $day) < 10_000, 'the old one stays for a day');
is_deeply(secrets($wh), ['s2', 's1'],
    'a delivery has the new and the old secret');
script('hook_secret', [$acct], hook => $wh, secret => 's3',
    stays => $day / 1000);
is_deeply(secrets($wh), ['s3', 's2'], 'a delivery has at most two secrets');
cmd('SET', k('s', $ac, $wh), record_pack('hook', %{ hook_record($wh) }, old_until => now_ms() - 1));
is_deeply(secrets($wh), ['s3', ''], 'an expired old secret is not used');
is(script('hook_secret', [$acct], hook => $wh, secret => 's4',
    stays => 0)->[1], 0, 'the old secret can end at once');
is_deeply(secrets($wh), ['s4', ''], 'a delivery has only the new secret');
is(hook_record($wh)->{old}, '', 'the old secret is deleted');
script('hook_delete', [$acct], hook => $wh);

# --- the log

$wh = hook();
my $ap = sid('AP');
script('app_put', [$acct], app => $ap, name => 'app', secret => 'callback',
    field => 'f' x 16, digest => 'd' x 32);
event();
my ($d) = claim();
done($d, 'retry', log => 'first');
is(done($d, 'retry', log => 'again'), 'STALE',
    'an attempt is recorded only once');
all_due();
($d) = claim();
done($d, 'ok', log => 'second');
sub logged { return cmd('LRANGE', k('log', $ac, @_), 0, -1) }
sub old_try {
    my ($age) = @_;
    return packed([1, now_ms() - $age * $day, sid('EV'), 'x' x 500]);
}
is_deeply(logged($wh), ['first', 'second'], 'each attempt is logged once');
ok(cmd('PTTL', k('log', $ac, $wh)) > 29 * $day,
    'the log of attempts is kept for a month');
cmd('RPUSH', k('log', $ac, $wh), map { 'x' x 1000 } 1 .. 1500);
event();
done((claim())[0], 'ok', log => 'last');
is(scalar @{ logged($wh) }, 1000, 'the last thousand');
is(logged($wh)->[-1], 'last', 'the log ends with the last attempt');
cmd('DEL', k('log', $ac, $wh));
cmd('RPUSH', k('log', $ac, $wh), (map { old_try(40) } 1 .. 60), old_try(29),
    old_try(28), 'junk');
event();
done((claim())[0], 'ok', log => 'new');
is(scalar @{ logged($wh) }, 4, 'entries older than a month are deleted');
is(logged($wh)->[-1], 'new', 'the last stays');
cmd('DEL', k('log', $ac, $wh));
cmd('RPUSH', k('log', $ac, $wh), old_try(40), old_try(31), old_try(29));
event();
done((claim())[0], 'ok', log => 'new');
is(scalar @{ logged($wh) }, 2, 'of few too');
event();
my ($full) = claim();
my $kept = logged($wh);
cmd('CONFIG', 'SET', 'maxmemory', 1);
eval { done($full, 'ok', log => 'none') };
cmd('CONFIG', 'SET', 'maxmemory', 0);
is_deeply(logged($wh), $kept, 'a full store loses no line');
done($full, 'ok', log => 'new');
my $ev = sid('EV');
cmd('HSET', k('event', $ac, $ev), 'type', 't', 'body', '{}', 'open', 1);
cmd('HSET', k('dlv', $ac, $ev, 'CB0'), 'attempt', 0, 'first', 1, 'url',
    'https://c.example/', 'app', $ap);
cmd('ZADD', k('retry'), 1, "$ac:$ev:CB0");
done((claim())[0], 'dead', log => 'of a callback');
is(scalar @{ logged($ap) }, 1, 'callbacks: with the application');
is((letters())[0]{a}, $ap, 'the dead letter names the application');

# --- the circuit

clear();
my $other = hook();
sub failing {
    my ($hook, $n, %o) = @_;
    for (1 .. $n) {
        cmd('HDEL', k('hook', $ac, $hook), 'till', 'probe') if $o{force};
        my ($event) = event();
        my @got = claim();
        done($_, $_->[0] =~ /$hook/ ? 'retry' : 'ok',
            wait => 3_600_000, %o) for @got;
    }
}
failing($wh, 4);
is(state($wh)->{fails}, 4, 'attempts that fail are counted');
failing($wh, 1);
my $till = state($wh)->{till} - now_ms();
ok($till > 20_000 && $till <= 30_000, "five open the circuit ($till)");
event();
my @got = claim();
is_deeply([map { (split /:/, $_->[0])[2] } @got], [$other],
    'nothing is sent, but to others');
done($_, 'ok') for @got;
my $n = cmd('ZCARD', k('retry'));
is($n, 6, 'new events wait');
is(cmd('ZCOUNT', k('retry'), '-inf', now_ms() + 20_000), 0,
    'the new events wait for the end of the pause');
cmd('HSET', k('hook', $ac, $wh), 'till', now_ms() - 1);
all_due();
@got = claim();
is(scalar @got, 1, 'one tries it then');
all_due();
for (1 .. 2) { is(scalar(my @more = claim()), 0, 'and only one') }
done($got[0], 'retry', wait => 3_600_000);
$till = state($wh)->{till} - now_ms();
ok($till > 50_000 && $till <= 60_000,
    "the probe fails: the pause is doubled ($till)");
cmd('HSET', k('hook', $ac, $wh), 'till', now_ms() - 1, 'level', 20);
all_due();
done((claim())[0], 'retry', wait => 3_600_000);
$till = state($wh)->{till} - now_ms();
ok($till > 290_000 && $till <= 300_000, "five minutes at most ($till)");
cmd('HSET', k('hook', $ac, $wh), 'till', now_ms() - 1);
all_due();
done((claim())[0], 'ok');
is_deeply(state($wh), {}, 'delivered: all is forgotten');
all_due();
@got = claim();
is(scalar @got, $n - 1, 'all other events are claimed');
done($_, 'ok') for @got;
is(cmd('ZCARD', k('retry')), 0, 'none is left');
cmd('HSET', k('hook', $ac, $wh), 'till', now_ms() - 1, 'probe', now_ms() - 1);
event();
is(scalar(grep { $_->[0] =~ /$wh/ } claim()), 1,
    'the one that tried died: another tries');
clear();
cmd('HSET', k('hook', $ac, $wh), 'fails', 4, map { ($_, now_ms() + 400 * $day) }
    'till', 'probe');
event();
@got = grep { $_->[0] =~ /$wh/ } claim();
is(scalar @got, 1, 'open for a year, for the clock was ahead: it is tried');
done($got[0], 'retry', wait => 3_600_000);
$till = state($wh)->{till} - now_ms();
ok($till > 20_000 && $till <= 30_000,
    "the circuit opens for the usual time ($till)");
clear();
cmd('DEL', k('hook', $ac, $wh));
failing($wh, 1, quiet => 20_000);
$till = state($wh)->{till} - now_ms();
ok($till > 15_000 && $till <= 20_000, "paused as Retry-After requests ($till)");
cmd('DEL', k('hook', $ac, $wh));
failing($wh, 1, quiet => 9 * $day);
ok(state($wh)->{till} - now_ms() <= 3_600_000,
    'the receiver is paused for one hour at most');
script('hook_status', [$acct], hook => $wh, status => 'active');
is_deeply(state($wh), {}, 'enabling closes the circuit');
failing($wh, 2);
script('hook_update', [$acct], hook => $wh, url => 'https://z.example/',
    typed => 0);
is_deeply(state($wh), {}, 'a new URL closes the circuit');

# --- five days

sub since {
    cmd('HSET', k('hook', $ac, $wh), 'since', now_ms() - $_[0]);
}
clear();
failing($wh, 20, force => 1);
is(hook_record($wh)->{status}, 'active', 'many failures in a short time');
since(5 * $day - 60_000);
failing($wh, 1, force => 1);
is(hook_record($wh)->{status}, 'active', 'nearly five days');
since(5 * $day);
failing($wh, 1, force => 1);
$h = hook_record($wh);
is($h->{status}, 'disabled', 'the receiver is disabled after five days');
like($h->{reason}, qr/failed for five days/, 'the record has the reason');
ok(abs($h->{disabled} - now_ms()) < 10_000,
    'the record has the time when it was disabled');
is(cmd('XLEN', k('outbox')), 0, 'an account without contacts gets no notice');
script('hook_status', [$acct], hook => $wh, status => 'active');
clear();
sub contact {
    my ($status) = @_;
    my $co = sid('CO');
    cmd('SET', k('r', $ac, $co), record_pack('contact', version => 1,
        id => $co, type => 'endpoint', value => 'https://d.example/',
        schedule => 'start_and_end', status => $status, groups => [],
        created => 1, digest => '', until => 0, tries => 0, sent => 0));
    my $seq = cmd('INCR', k('seq', $ac));
    cmd('ZADD', k('contacts', $ac), $seq, $co);
    cmd('ZADD', k('hears', $ac), $seq, $co) if $status eq 'active';
    return $co;
}
my ($told, $second, $paused, $pending) = map { contact($_) } 'active',
    'active', 'paused', 'pending';
failing($wh, 8, force => 1);
since(30 * $day);
failing($wh, 1, force => 1);
is(hook_record($wh)->{status}, 'active', 'nine attempts in a month');
failing($wh, 1, force => 1);
is(hook_record($wh)->{status}, 'disabled', 'ten are enough');
my $entry = cmd('XREADGROUP', 'GROUP', 'deliver', 'me', 'STREAMS',
    k('outbox'), '>')->[0][1][0];
my $notice = record('event', { @{ $entry->[1] } }->{d});
is_deeply([@$notice{qw(type check value hooks)}], ['contact.notice', $wh, 'n',
    0], 'a notice for the contacts');
like($notice->{message}, qr/failed for five days/, 'the notice has the reason');
clear();
is(script('event_fanout', [k('outbox')], id => $entry->[0], account => $ac,
    event => $notice->{id}, type => 'contact.notice',
    body => '{"notice":1}')->[1], 2,
    'event_fanout sends the notice to the active contacts');
my @notices = sort { $a->[0] cmp $b->[0] } claim();
is_deeply([map { [@$_[0, 1, 2, 7, 8]] } @notices], [map { [
    "$ac:$notice->{id}:$_", 'contact.notice', 'https://d.example/',
    '{"notice":1}', 'endpoint'] } $told, $second], 'each gets it');
done($_, 'ok') for @notices;
is(scalar @{ cmd('KEYS', k('line', '*')) }, 0,
    'the lines of the contacts are empty');
cmd('DEL', k('contacts', $ac));

# --- a disabled receiver: dead letters, which are delivered later

clear();
my @ev = map { (event())[0] } 1 .. 3;
my $dropped = cmd('ZCARD', k('retry'));
is($dropped, 6, 'the events are queued for both receivers');
done($_, 'ok') for grep { $_->[0] =~ /$other/ or die } claim();
is(cmd('ZCARD', k('retry')), 0, 'the queue of deliveries is empty');
my @l = letters();
is_deeply([map { "$_->{e} $_->{to}" } @l], [map { "$_ $wh" } @ev],
    'the events of the disabled receiver are dead letters');
is($l[0]{b}, qq({"body":"$ev[0]"}), 'the dead letter has the body');
cmd('SET', k('s', $ac, $wh), record_pack('hook', %{ hook_record($wh) }, disabled => now_ms() - 6 * $day));
is((event())[1], 1, 'an event has only one receiver after five days');
done($_, 'ok') for claim();
my $replay = sub {
    my ($from, $most, %o) = @_;
    return script('hook_replay', [$acct], hook => $wh, from => $from,
        to => '+', most => $most, %o);
};
is_deeply($replay->('-', 10), ['DISABLED'],
    'hook_replay refuses a disabled receiver');
script('hook_status', [$acct], hook => $wh, status => 'active');
is_deeply($replay->('-', 10, event => $ev[1]), ['OK', 1, ''], 'one of them');
@got = claim();
is_deeply([map { @$_[0, 1, 4, 7] } @got],
    ["$ac:$ev[1]:$wh", 't', 0, qq({"body":"$ev[1]"})],
    'the replayed delivery has its SID and body');
done($got[0], 'dead');
is(scalar(@l = letters()), 3,
    'a replayed delivery can become a dead letter again');
is_deeply($replay->('-', 2), ['OK', 2, $l[1]{id}],
    'hook_replay replays a slice of two');
is_deeply($replay->("($l[1]{id}", 2), ['OK', 1, ''],
    'hook_replay replays the last dead letter');
is_deeply($replay->('-', 2), ['OK', 0, ''],
    'hook_replay finds no other dead letter');
is(scalar letters(), 0, 'no letter is left');
@got = claim();
is(scalar @got, 3, 'all are delivered');
done($_, 'ok') for @got;
is(scalar @{ cmd('KEYS', k('event', '*')) }, 0, 'the store has no event left');

# letters are shown without bodies, and large ones in small slices
{
    my @sid = map { sid('EV') } 1 .. 12;
    my @id = map { cmd('XADD', k('dead', $ac), '*', 'e', $sid[$_], 'to',
        $_ % 2 ? $wh : $other, 't', 't', 'b', $_ == 3 ? '' : 'b' x 20_000, 's',
        500, 'x', 'why', 'n', 9, 'a', $_ == 5 ? $ap : '') } 0 .. 11;
    my $dead = sub {
        my ($of, $before, $most) = @_;
        return script('hook_dead', [$acct], of => $of, before => $before,
            most => $most);
    };
    my @shown = map { $_->[0] } @{ $dead->('', '', 2)->[2] };
    is_deeply(\@shown, [@id[11, 10]], 'dead letters, the newest first');
    is_deeply($dead->($wh, $id[10], 1), ['OK', $id[9],
        [[$id[9], $sid[9], 't', $wh, '500', 'why', '9', 1]]],
        'hook_dead shows the letters of a receiver from an ID on');
    is($dead->($wh, $id[4], 1)->[2][0][7], 0, 'one without a body');
    is_deeply([map { $_->[0] } @{ $dead->($ap, $id[7], 100)->[2] }], [$id[5]],
        'hook_dead shows the letters of an application');
    my $r = $dead->($none, '', 100);
    isnt($r->[1], '', 'a call ends after some octets');
    is(scalar @{ $r->[2] }, 0, 'though it found nothing');
    is_deeply($dead->($wh, $id[3], 100)->[1], '', 'the end is told');
    is_deeply($dead->($wh, $id[0], 1), ['OK', '', []], 'behind the last one');
    $r = $replay->('-', 40);
    is($r->[2], $id[4], 'a replay ends after some octets, too');
    cmd('DEL', k('dead', $ac));
    clear();
    cmd('DEL', k('pending', $ac));
}
my @many = map { sid('WH') } 1 .. 98;
script('hook_put', [$acct], hook => $_, name => 'n',
    url => 'https://x.example/', secret => 's') for @many;
is_deeply(script('hook_put', [$acct], hook => $none, name => 'n',
    url => 'https://x.example/', secret => 's'), ['LIMIT', 100],
    'an account has a hundred receivers')
    or diag(cmd('ZCARD', k('hooks', $ac)));
script('hook_delete', [$acct], hook => $_) for @many;

# a dead letter of an event that other receivers still have
($ev) = event();
done($_, 'dead') for grep { $_->[0] =~ /$wh/ } claim();
is_deeply($replay->('-', 10), ['OK', 1, ''], 'beside its others');
is(cmd('HGET', k('event', $ac, $ev), 'open'), 2, 'both are counted');
all_due();
done($_, 'ok') for claim();
is(scalar @{ cmd('KEYS', k('event', '*')) }, 0, 'the store has no event left');

# a dead letter that cannot be delivered stays, callbacks go to their URL
cmd('XADD', k('dead', $ac), '*', 'to', $wh, 'raw', 'x');
cmd('XADD', k('dead', $ac), '*', 'e', sid('EV'), 'to', $wh, 't', 't', 'b', '');
cmd('XADD', k('dead', $ac), '*', 'e', $ev = sid('EV'), 'to', 'CB0', 't', 't',
    'b', '{}', 'url', 'https://c.example/', 'a', $ap);
is_deeply($replay->('-', 10), ['OK', 0, ''], 'letters without a body');
is_deeply(script('hook_replay', [$acct], hook => $ap, from => '-', to => '+',
    most => 10), ['OK', 1, ''], 'the callback of an application');
@got = claim();
is_deeply([@{ $got[0] }[0, 2, 3]], ["$ac:$ev:CB0", 'https://c.example/',
    'callback'],
    'the callback goes to its URL with the secret of its application');
done($got[0], 'ok');
is(scalar letters(), 2, 'the others stay');
is(script('hook_replay', [$acct], hook => sid('AP'), from => '-', to => '+',
    most => 10)->[0], 'APP', 'an unknown application');

# --- a test

clear();
is(script('hook_test', [$acct], hook => $wh, event => $ev = sid('EV'),
    type => 'webhook.test', body => '{}', most => 0)->[0], 'OK',
    'hook_test queues a test');
cmd('HSET', k('hook', $ac, $wh), 'till', now_ms() + 60_000);
@got = claim();
is_deeply([map { @$_[0, 1] } @got], ["$ac:$ev:$wh", 'webhook.test'],
    'the test is claimed in spite of the circuit');
is(done($got[0], 'retry', log => 'test'), 'OK',
    'delivery_done records the failed test');
is_deeply([cmd('ZCARD', k('retry')), scalar(letters()),
    scalar @{ cmd('KEYS', k('event', '*')) }], [0, 0, 0],
    'a failed test leaves nothing in the store');
is(state($wh)->{fails}, undef, 'a failed test does not count as a failure');
script('hook_test', [$acct], hook => $wh, event => sid('EV'),
    type => 'webhook.test', body => '{}', most => 0);
script('hook_status', [$acct], hook => $wh, status => 'disabled');
is(scalar(@got = claim()), 0, 'disabled before its attempt: it is not sent');
is(scalar(letters()), 0, 'an unsent test leaves no dead letter');
script('hook_status', [$acct], hook => $wh, status => 'disabled');
is(script('hook_test', [$acct], hook => $wh, event => sid('EV'), type => 't',
    body => '{}', most => 0)->[0], 'DISABLED', 'a disabled one gets none');
is_deeply([@{ hook_record($wh) }{qw(status reason)}], ['disabled', ''],
    'disabled by hand');

# --- the end of it

event();
is(script('hook_delete', [$acct], hook => $wh)->[0], 'OK',
    'hook_delete deletes the receiver');
done($_, 'ok') for claim();
is(scalar(grep { $_->{to} eq $wh } letters()), 1,
    'the waiting delivery is a dead letter');
is((event())[1], 1, 'an event goes to the other receiver only');
unlike(join("\n", @{ cmd('KEYS', '*') }), qr/:(?:s|log|hook):$ac:$wh/,
    'nothing of it is left');

done_testing();
