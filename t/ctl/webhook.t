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
is_deeply([@$v{qw(account id name url types status disabled reason
    old_secret_until failing_since failed quiet_until)}],
    [$ac, $wh, 'Ops', $url, [], 'active', '', '', '', '', 0, ''],
    'a receiver that fares well');
redis($redis, 'HSET', redis_key('hook', $ac, $wh), 'since', 1_795_167_000_000,
    'fails', 7, 'till', 1000 * (time + 100));
$v = good('show', 'webhook', 'show', $ac, $wh);
is("$v->{failing_since} $v->{failed}", '2026-11-20T09:30:00+00:00 7',
    'and one that does not');
like($v->{quiet_until}, qr/^20/, 'that gets nothing for a while');
my $text = rblctl($redis, 'webhook', 'show', $ac, $wh)->{out};
like($text, qr/^failed attempts +7$/m, 'as lines');
unlike($text, qr/whsec_/, 'without its secret');
bad('an unknown one', 'has no webhook', 'webhook', 'show', $ac, $none);
bad("another account's", 'has no webhook', 'webhook', 'show', $other, $wh);
bad('no SID', 'is not the SID of a webhook', 'webhook', 'show', $ac, 'x');
bad('an account is no webhook', 'is not the SID of a webhook', 'webhook',
    'show', $ac, $ac);

# changes
$v = good('rename', 'webhook', 'rename', $ac, $wh, " N\xc3\xa4me ");
is($v->{name}, "N\x{e4}me", 'trimmed');
is(good('url', 'webhook', 'url', $ac, $wh, "$url/2")->{url}, "$url/2",
    'another URL');
is(good('show', 'webhook', 'show', $ac, $wh)->{failed}, 0,
    'its failures are forgotten');
is_deeply(good('types', 'webhook', 'types', $ac, $wh, 'rbl.host.listed')
    ->{types}, ['rbl.host.listed'], 'one type');
is_deeply(good('all', 'webhook', 'types', $ac, $wh, '--all')->{types}, [],
    'every type');
is(hook()->{secret}, $made->{secret}, 'the secret stays');
bad('no name', 'name of a webhook', 'webhook', 'rename', $ac, $wh, ' ');
bad('no URL', 'is not a URL', 'webhook', 'url', $ac, $wh, 'ftp://x.example/');
bad('no type', 'is not an event type', 'webhook', 'types', $ac, $wh, 'x');
bad('neither', 'give the types', 'webhook', 'types', $ac, $wh);
bad('both', 'give the types', 'webhook', 'types', $ac, $wh, 'rbl.host.listed',
    '--all');
bad('rename of none', 'has no webhook', 'webhook', 'rename', $ac, $none, 'x');

# secrets
$v = good('rotate', 'webhook', 'rotate', $ac, $wh);
like($v->{secret}, qr/^whsec_/, 'a new secret');
isnt($v->{secret}, $made->{secret}, 'another one');
is_deeply([@{ hook() }{qw(secret old)}], [$v->{secret}, $made->{secret}],
    'and the old one');
ok(abs(hook()->{old_until} / 1000 - time - 86_400) < 100, 'for a day');
is(good('show', 'webhook', 'show', $ac, $wh)->{old_secret_until},
    $v->{old_secret_until}, 'it is shown until when');
good('rotate', 'webhook', 'rotate', $ac, $wh, '--overlap', '2h');
ok(abs(hook()->{old_until} / 1000 - time - 7200) < 100, 'for so long');
is(good('rotate', 'webhook', 'rotate', $ac, $wh, '--overlap', '0')
    ->{old_secret_until}, '', 'or not at all');
is_deeply([@{ hook() }{qw(old old_until)}], ['', 0],
    'the old secret is deleted');
bad("overlap $_", '--overlap must be', 'webhook', 'rotate', $ac, $wh,
    '--overlap', $_) for '31d', 'x', '-1', '';
bad('rotate of none', 'has no webhook', 'webhook', 'rotate', $ac, $none);

# status
$v = good('disable', 'webhook', 'disable', $ac, $wh);
is($v->{status}, 'disabled', 'disabled');
like($v->{disabled}, qr/^20/, 'since when');
is(good('list', 'webhook', 'list', $ac)->[0]{status}, 'disabled', 'listed so');
bad('a test', 'is disabled', 'webhook', 'test', $ac, $wh);
bad('a replay', 'is disabled', 'webhook', 'replay', $ac, $wh, '--all');
$v = good('enable', 'webhook', 'enable', $ac, $wh);
is_deeply([@$v{qw(status disabled)}], ['active', ''], 'and enabled');

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
is_deeply(good('log', 'webhook', 'log', $ac, $wh), [], 'nothing yet');
attempt($wh, ev => $_ % 2, number => $_) for 1 .. 30;
$v = good('log', 'webhook', 'log', $ac, $wh);
is_deeply([map { $_->{attempt} } @$v], [11 .. 30], 'the last twenty');
is_deeply([@{ $v->[0] }{qw(time event type outcome http ms next error)}],
    [strftime('%Y-%m-%dT%H:%M:%S+00:00', gmtime $at / 1000), 'EV' . '1' x 32, 'rbl.host.listed', 'retry',
    500, 12, 5, 'HTTP status'], 'all fields');
is($v->[0]{answer}, "<b>\x1b[1mno?", 'and the answer');
is_deeply([map { $_->{attempt} } @{ good('of an event', 'webhook', 'log', $ac,
    $wh, '--event', 'EV' . '0' x 32, '--last', 3) }], [26, 28, 30],
    'the last of one event');
unlike(rblctl($redis, 'webhook', 'log', $ac, $wh)->{out}, qr/\x1b/,
    'nothing steers the terminal');
log_entry($wh, try_of(ev => 0, number => 99, at => $at - 30 * 86_400_000));
is(good('without older ones', 'webhook', 'log', $ac, $wh)->[-1]{attempt}, 30,
    'not those older than 30 days');
log_entry($wh, 'junk');
$v = rblctl($redis, 'webhook', 'log', $ac, $wh, '--last', 1, '--json');
is(json($v->{out})->[0]{attempt}, 30, 'a damaged entry is skipped');
like($v->{err}, qr/is damaged/, 'and reported');
attempt($ap, ev => 'a', number => 3);
is(good('of callbacks', 'webhook', 'log', $ac, $ap)->[0]{attempt}, 3,
    "an application's");
my $co = 'CO' . 'c' x 32;
bad('log of no contact', 'has no contact', 'webhook', 'log', $ac, $co);
redis($redis, 'ZADD', redis_key('contacts', $ac), 1, $co);
attempt($co, ev => 'a', number => 4);
is(good('of a contact', 'webhook', 'log', $ac, $co)->[0]{attempt}, 4,
    "a contact's");
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
    'the last twenty of the account');
is_deeply([@{ $v->[-1] }{qw(time type to attempts http error)}],
    ['2026-11-20T09:41:40+00:00', 'rbl.host.check.completed', $ap, 6, 0,
    'timeout'], 'all fields');
is(scalar @{ good('dead', 'webhook', 'dead', $ac, $ap) }, 1,
    'those of an application');
is(scalar @{ good('dead', 'webhook', 'dead', $ac, $wh, '--last', 1000) }, 600,
    'those of a receiver, however many');
bad('dead of an unknown account', 'there is no account', 'webhook', 'dead',
    'AC' . 'f' x 32);

# replay
sub retry_key { my $k = redis_key('acct', $ac); $k =~ s/:acct:.*/:retry/; $k }
sub retry { return redis($redis, 'ZCARD', retry_key()) }
is(good('one', 'webhook', 'replay', $ac, $wh, sprintf 'EV%032x', 7)
    ->{deliveries}, 1, 'one event');
is(retry(), 1, 'is queued for delivery');
bad('again', 'no dead letter of event', 'webhook', 'replay', $ac, $wh,
    sprintf 'EV%032x', 7);
is(good('a span', 'webhook', 'replay', $ac, $wh, '--from',
    '2026-11-20T09:30:00', '--to', '2026-11-20T09:33:20+00:00')->{deliveries},
    199, 'a span');
is(good('from', 'webhook', 'replay', $ac, $wh, '--from', '2026-11-20T09:38:20Z')
    ->{deliveries}, 101, 'from a time on');
is(good('all', 'webhook', 'replay', $ac, $wh, '--all')->{deliveries}, 299,
    'the rest');
is(retry(), 600, 'all are queued for delivery');
is(good('callbacks', 'webhook', 'replay', $ac, $ap, '--from', '2000-01-01')
    ->{deliveries}, 1, 'a callback');
is(good('none', 'webhook', 'replay', $ac, $wh, '--from', '2h')->{deliveries},
    0, 'none is left');
is(redis($redis, 'XLEN', redis_key('dead', $ac)), 0, 'no letter either');
bad("from $_", '--from must be', 'webhook', 'replay', $ac, $wh, '--from', $_)
    for 'x', '2026-13-01', '2026-11-20T', '2026-11-20T09:30:00+01:00', '';
bad('no selection', 'give an event', 'webhook', 'replay', $ac, $wh);
bad('two selections', 'give an event', 'webhook', 'replay', $ac, $wh, '--all',
    '--from', '2h');
bad('to alone', 'give an event', 'webhook', 'replay', $ac, $wh, '--to', '2h');
bad('replay to a contact', 'cannot be sent again', 'webhook', 'replay', $ac, $co,
    '--all');
bad('replay of none', 'has no webhook', 'webhook', 'replay', $ac, $none,
    '--all');

# a test that no daemon sends
$v = rblctl($redis, 'webhook', 'test', $ac, $wh, '--wait', '1s');
is($v->{status}, 3, 'a test without a daemon');
like($v->{err}, qr/no daemon has sent event EV\w+ in 1 s/,
    'the message has the reason');

# the end
is(good('delete', 'webhook', 'delete', $ac, $wh)->{id}, $wh, 'deleted');
is_deeply(good('list', 'webhook', 'list', $ac), [], 'it is not listed');
bad('once', 'has no webhook', 'webhook', 'delete', $ac, $wh);
redis($redis, 'ZADD', redis_key('hooks', $other), map { ($_, sprintf 'WH%032x',
    $_) } 1 .. 100);
bad('too many', 'at most 100 webhooks', 'webhook', 'add', $other, 'x', $url);
ok(!redis($redis, 'EXISTS', redis_key('log', $ac, $wh),
    redis_key('s', $ac, $wh)), 'nothing of it is left');

done_testing();
