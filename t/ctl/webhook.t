#!/usr/bin/perl
# rblctl webhook: changes of a receiver, its log and its dead letters.  The part
# of the daemons: t/deliver/receivers.t.

use strict;
use warnings;

use POSIX qw(strftime);

use lib 't/lib';
use RblCtl;

my $redis = ctl_store();
my $ac = good('an account', 'account', 'add', 'x')->{id};
my $other = good('another', 'account', 'add', 'y')->{id};
my $url = 'https://hooks.example.com/x';
my $made = good('a receiver', 'webhook', 'add', $ac, 'Ops', $url);
my $wh = $made->{id};
my $ap = good('an application', 'app', 'add', $ac, 'x')->{id};
my $none = 'WH' . '0' x 32;
my $v;

sub hook { return record('hook', redis($redis, 'GET',
    redis_key('s', $ac, $wh))) }

# show
$v = good('show', 'webhook', 'show', $ac, $wh);
is_deeply([@$v{qw(id name url types status disabled reason
    old_secret_until failing_since failed quiet_until)}],
    [$wh, 'Ops', $url, [], 'active', '', '', '', '', 0, ''],
    'webhook show prints a receiver without failures');
redis($redis, 'HSET', redis_key('hook', $ac, $wh), 'since', 1_795_167_000_000,
    'fails', 7, 'till', 1000 * (time + 100));
$v = good('show', 'webhook', 'show', $ac, $wh);
is("$v->{failing_since} $v->{failed}", '2026-11-20T09:30:00+00:00 7',
    'webhook show prints since when a receiver fails');
like($v->{quiet_until}, qr/^20/,
    'webhook show prints until when a receiver is paused');
my $text = rblctl($redis, 'webhook', 'show', $ac, $wh)->{out};
like($text, qr/^failed attempts +7$/m,
    'webhook show prints the number of failed attempts');
unlike($text, qr/whsec_/, 'webhook show does not print the secret');
bad('an unknown one', 'has no webhook', 'webhook', 'show', $ac, $none);
bad("another account's", 'has no webhook', 'webhook', 'show', $other, $wh);
bad('no SID', 'is not the SID of a webhook', 'webhook', 'show', $ac, 'x');
bad('an account is no webhook', 'is not the SID of a webhook', 'webhook',
    'show', $ac, $ac);

# A damaged record has a name that no text of C can hold.
my $raw = redis($redis, 'GET', redis_key('s', $ac, $wh));
redis($redis, 'SET', redis_key('s', $ac, $wh), $raw =~ s/Ops/O\0s/r);
is(good('a NUL', 'webhook', 'show', $ac, $wh)->{name}, "O\0s",
    'webhook show prints a name with a NUL');
redis($redis, 'SET', redis_key('s', $ac, $wh), $raw);

# changes
$v = good('rename', 'webhook', 'rename', $ac, $wh, " N\xc3\xa4me ");
is($v->{name}, "N\x{e4}me", 'webhook rename trims the name');
is(good('url', 'webhook', 'url', $ac, $wh, "$url/2")->{url}, "$url/2",
    'webhook url changes the URL');
is(good('show', 'webhook', 'show', $ac, $wh)->{failed}, 0,
    'webhook url resets the failures of the receiver');
is_deeply(good('types', 'webhook', 'types', $ac, $wh, 'rbl.host.listed')
    ->{types}, ['rbl.host.listed'], 'webhook types selects one type');
is_deeply(good('all', 'webhook', 'types', $ac, $wh, '--all')->{types}, [],
    'webhook types --all selects all types');
is(hook()->{secret}, $made->{secret}, 'changes of a receiver keep its secret');
bad('no name', 'Invalid name value', 'webhook', 'rename', $ac, $wh, ' ');
bad('no URL', 'Invalid url value', 'webhook', 'url', $ac, $wh, 'ftp://x.example/');
bad('no type', 'they are rbl.host.check.started', 'webhook', 'types', $ac, $wh, 'x');
bad('neither', 'give the types', 'webhook', 'types', $ac, $wh);
bad('both', 'give the types', 'webhook', 'types', $ac, $wh, 'rbl.host.listed',
    '--all');
bad('rename of none', 'has no webhook', 'webhook', 'rename', $ac, $none, 'x');

# secrets
my $began = time;
$v = good('rotate', 'webhook', 'rotate', $ac, $wh);
like($v->{secret}, qr/^whsec_/, 'webhook rotate prints a secret');
isnt($v->{secret}, $made->{secret}, 'webhook rotate makes a new secret');
is_deeply([@{ hook() }{qw(secret old)}], [$v->{secret}, $made->{secret}],
    'the record has the new and the old secret');
is_current(hook()->{old_until} / 1000 - 86_400, $began,
    'the old secret is valid for a day');
is(good('show', 'webhook', 'show', $ac, $wh)->{old_secret_until},
    $v->{old_secret_until},
    'webhook show prints until when the old secret is valid');
good('rotate', 'webhook', 'rotate', $ac, $wh, '--overlap', '2h');
is_current(hook()->{old_until} / 1000 - 7200, $began,
    'the old secret is valid for the time of --overlap');
is(good('rotate', 'webhook', 'rotate', $ac, $wh, '--overlap', '0')
    ->{old_secret_until}, '', '--overlap 0 ends the old secret at once');
is_deeply([@{ hook() }{qw(old old_until)}], ['', 0],
    '--overlap 0 deletes the old secret');
bad("overlap $_", '--overlap must be', 'webhook', 'rotate', $ac, $wh,
    '--overlap', $_) for '31d', 'x', '-1', '';
bad('rotate of none', 'has no webhook', 'webhook', 'rotate', $ac, $none);

# status
$v = good('disable', 'webhook', 'disable', $ac, $wh);
is($v->{status}, 'disabled', 'webhook disable prints the status disabled');
like($v->{disabled}, qr/^20/, 'webhook disable prints the time');
is(good('list', 'webhook', 'list', $ac)->[0]{status}, 'disabled',
    'webhook list shows the disabled receiver');
bad('a test', 'is disabled', 'webhook', 'test', $ac, $wh);
bad('a replay', 'is disabled', 'webhook', 'replay', $ac, $wh, '--all');
$v = good('enable', 'webhook', 'enable', $ac, $wh);
is_deeply([@$v{qw(status disabled)}], ['active', ''],
    'webhook enable makes the receiver active');

# the log
my $at = (time - 86_400) * 1000;
sub try_of {
    my (%o) = @_;
    return record_pack('try', version => 1, at => $at, event => 'EV' . $o{ev} x 32,
        type => 'rbl.host.listed', number => 1, outcome => 'retry',
        status => 500, took => 12, next => 5000, error => 'HTTP status',
        answer => \"<b>\x1b[1mno\xff", %o{number}, map { ($_ => $o{$_}) }
            grep { exists $o{$_} } 'at');
}
sub log_entry {
    my ($to, @tries) = @_;
    redis($redis, 'RPUSH', redis_key('log', $ac, $to), @tries);
}
sub attempt {
    my ($to, %o) = @_;
    log_entry($to, try_of(%o));
}
is_deeply(good('log', 'webhook', 'log', $ac, $wh), [],
    'webhook log is empty at first');
attempt($wh, ev => $_ % 2, number => $_) for 1 .. 30;
$v = good('log', 'webhook', 'log', $ac, $wh);
is_deeply([map { $_->{attempt} } @$v], [11 .. 30],
    'webhook log shows the last twenty attempts');
is_deeply([@{ $v->[0] }{qw(time event type outcome http ms next error)}],
    [strftime('%Y-%m-%dT%H:%M:%S+00:00', gmtime $at / 1000), 'EV' . '1' x 32, 'rbl.host.listed', 'retry',
    500, 12, strftime('%Y-%m-%dT%H:%M:%S+00:00', gmtime $at / 1000 + 5),
    'HTTP status'], 'webhook log shows all fields of an attempt');
is($v->[0]{answer}, "<b>\x1b[1mno\x{fffd}",
    'webhook log shows the start of the response');
is_deeply([map { $_->{attempt} } @{ good('of an event', 'webhook', 'log', $ac,
    $wh, '--event', 'EV' . '0' x 32, '--last', 3) }], [26, 28, 30],
    'webhook log --event shows the attempts of one event');
unlike(rblctl($redis, 'webhook', 'log', $ac, $wh)->{out}, qr/\x1b/,
    'webhook log escapes control characters');
log_entry($wh, try_of(ev => 0, number => 99, at => $at - 30 * 86_400_000));
is(good('without older ones', 'webhook', 'log', $ac, $wh)->[-1]{attempt}, 30,
    'webhook log leaves out attempts older than 30 days');
log_entry($wh, 'junk');
$v = rblctl($redis, 'webhook', 'log', $ac, $wh, '--last', 3, '--json');
is(json($v->{out})->[-1]{attempt}, 30, 'webhook log skips a damaged entry');
like($v->{err}, qr/is damaged/, 'webhook log reports a damaged entry');
attempt($ap, ev => 'a', number => 3);
is(good('of callbacks', 'webhook', 'log', $ac, $ap)->[0]{attempt}, 3,
    'webhook log shows the attempts of an application');
my $co = 'CO' . 'c' x 32;
bad('log of no contact', 'has no contact', 'webhook', 'log', $ac, $co);
redis($redis, 'ZADD', redis_key('contacts', $ac), 1, $co);
attempt($co, ev => 'a', number => 4);
is(good('of a contact', 'webhook', 'log', $ac, $co)->[0]{attempt}, 4,
    'webhook log shows the attempts of a contact');
bad('log of none', 'has no webhook', 'webhook', 'log', $ac, $none);
bad('log of no application', 'has no application', 'webhook', 'log', $other,
    $ap);
bad('last', '--last must be', 'webhook', 'log', $ac, $wh, '--last', 1001);
bad('event', 'SID of an event', 'webhook', 'log', $ac, $wh, '--event', 'x');

# dead letters
sub letter {
    my ($at, %o) = @_;
    redis($redis, 'XADD', redis_key('dead', $ac), "$at-0", %o);
}
$at = 1_795_167_000_000;
for my $i (1 .. 600) {
    letter($at + $i * 1000, e => sprintf('EV%032x', $i), to => $wh, url => '',
        t => 'rbl.host.listed', b => "{$i}", s => 500, x => 'HTTP status',
        n => 10, a => '');
}
letter($at + 700_000, e => sprintf('EV%032x', 700), to => 'CB0',
    url => 'https://c.example/', t => 'rbl.host.check.completed', b => '{}',
    s => 0, x => 'timeout', n => 6, a => $ap);
$v = good('dead', 'webhook', 'dead', $ac);
is_deeply([map { hex substr $_->{event}, 2 } @$v], [582 .. 600, 700],
    'webhook dead shows the last twenty dead letters');
is_deeply([@{ $v->[-1] }{qw(time type to attempts http error)}],
    ['2026-11-20T09:41:40+00:00', 'rbl.host.check.completed', $ap, 6, 0,
    'timeout'], 'webhook dead shows all fields of a dead letter');
is(scalar @{ good('dead', 'webhook', 'dead', $ac, $ap) }, 1,
    'webhook dead shows the dead letters of an application');
is(scalar @{ good('dead', 'webhook', 'dead', $ac, $wh, '--last', 1000) }, 600,
    'webhook dead shows all 600 dead letters of a receiver');
bad('dead of an unknown account', 'there is no account', 'webhook', 'dead',
    'AC' . 'f' x 32);

# replay
sub retry_key { my $k = redis_key('acct', $ac); $k =~ s/:acct:.*/:retry/; $k }
sub retry { return redis($redis, 'ZCARD', retry_key()) }
is(good('one', 'webhook', 'replay', $ac, $wh, sprintf 'EV%032x', 7)
    ->{deliveries}, 1, 'webhook replay replays one event');
is(retry(), 1, 'one event is queued for delivery');
bad('again', 'no dead letter of event', 'webhook', 'replay', $ac, $wh,
    sprintf 'EV%032x', 7);
is(good('a span', 'webhook', 'replay', $ac, $wh, '--from',
    '2026-11-20T09:30:00', '--to', '2026-11-20T09:33:20+00:00')->{deliveries},
    199, 'webhook replay replays the events of a span');
is(good('from', 'webhook', 'replay', $ac, $wh, '--from', '2026-11-20T09:38:20Z')
    ->{deliveries}, 101, 'webhook replay replays the events since a time');
is(good('all', 'webhook', 'replay', $ac, $wh, '--all')->{deliveries}, 299,
    'webhook replay --all replays the remaining events');
is(retry(), 600, 'all 600 events are queued for delivery');
is(good('callbacks', 'webhook', 'replay', $ac, $ap, '--from', '2000-01-01')
    ->{deliveries}, 1, 'webhook replay replays a callback');
is(good('none', 'webhook', 'replay', $ac, $wh, '--from', '2h')->{deliveries},
    0, 'webhook replay finds no dead letters after that');
is(redis($redis, 'XLEN', redis_key('dead', $ac)), 0,
    'the account has no dead letters after the replay');
bad("from $_", 'from value provided: it must be a time', 'webhook', 'replay', $ac, $wh, '--from', $_)
    for 'x', '2026-13-01', '2026-11-20T', '2026-11-20T09:30:00+01:00', '';
bad('no selection', 'Give an event', 'webhook', 'replay', $ac, $wh);
bad('two selections', 'Give an event', 'webhook', 'replay', $ac, $wh, '--all',
    '--from', '2h');
bad('to alone', 'Give an event', 'webhook', 'replay', $ac, $wh, '--to', '2h');
bad('replay to a contact', 'is not the SID of a webhook', 'webhook', 'replay', $ac, $co,
    '--all');
bad('replay of none', 'has no webhook', 'webhook', 'replay', $ac, $none,
    '--all');

# a test that no daemon sends
$v = rblctl($redis, 'webhook', 'test', $ac, $wh, '--wait', '1s');
is($v->{status}, 3, 'webhook test fails without a daemon');
like($v->{err}, qr/no daemon has sent event EV\w+ in 1 s/,
    'the message says that no daemon has sent the event');

# the end
is(good('delete', 'webhook', 'delete', $ac, $wh)->{id}, $wh,
    'webhook delete prints the SID of the receiver');
is_deeply(good('list', 'webhook', 'list', $ac), [],
    'webhook list does not show the deleted receiver');
bad('once', 'has no webhook', 'webhook', 'delete', $ac, $wh);
redis($redis, 'ZADD', redis_key('hooks', $other), map { ($_, sprintf 'WH%032x',
    $_) } 1 .. 100);
bad('too many', 'at most 100 webhooks', 'webhook', 'add', $other, 'x', $url);
ok(!redis($redis, 'EXISTS', redis_key('log', $ac, $wh),
    redis_key('s', $ac, $wh)), 'webhook delete deletes the log and the record');

done_testing();
