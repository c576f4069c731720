#!/usr/bin/perl

# The confirmation code of a contact, to an endpoint: its message, repetitions,
# when it is no longer sent, and that the code is stored nowhere else.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

my $redis = deliver_setup();
my $hook = start_receiver();
my $d = start_deliverd();

my $co = contact_put('endpoint', $hook->{url});
my $ev = confirm($co, 'k7m2xq');
soon { idle() && received($hook) == 1 } 'the endpoint gets it';
my ($r) = received($hook);
is($r->{json}{event_sid}, $ev, 'the message has the SID of the event');
is($r->{json}{event_type}, 'contact.confirm',
    'the message has the type contact.confirm');
is($r->{json}{authcode}, 'k7m2xq', 'the message has the code');
is_deeply($r->{json}{hosts}, [], 'the message has no hosts');
is($r->{json}{url}, '', 'the message has an empty URL');
like($r->{json}{title}, qr/^Confirm this contact/, 'the message has a title');
my $text = $r->{json}{message};
like($text, qr/^ {4}k7m2xq$/m, 'the text has the code on a line of its own');
like($text, qr/24 hours \(until 2026-11-21 09:30:00 UTC\)/,
    'the text says how long the code is valid');
like($text, qr/\Q$co\E/, 'the text names the contact');
like($text, qr/If it was not you/, 'the text has advice for strangers');
like($r->{body}, qr/^\{"event_sid":.*"event_type":.*"title":.*"message":.*"url":
    .*"authcode":.*"hosts":\[\]\}$/sx, 'the body has its members in order');
is($r->{headers}{'content-type'}, 'application/json',
    'the request has the content type of JSON');
is($r->{headers}{'webhook-id'}, $ev,
    'the header webhook-id is the SID of the event');
ok(!exists $r->{headers}{$_}, "the request has no header $_")
    for 'x-webhook-signature',
    'webhook-signature';
is(scalar dead_letters(), 0, 'the account has no dead letter');

# again, with the same bytes
answer_with($hook, status => [503, 500, 200]);
$co = contact_put('endpoint', $hook->{url});
$ev = confirm($co, 'abcdef');
my $m = "$AC:$ev:$co";
soon { (delivery($m)->{attempt} // 0) == 1 } 'a refusal';
is(delivery($m)->{status}, 503,
    'the delivery has the status of the first attempt');
ok(deliveries()->{$m} > 22 && deliveries()->{$m} <= 36.1,
    'the second attempt is due after about 30 s');
due_now($m);
soon { (delivery($m)->{attempt} // 0) == 2 } 'the second';
due_now($m);
soon { idle() } 'then it is accepted';
my @r = (received($hook))[1 .. 3];
is($_->{body}, $r[0]{body}, 'each attempt has the same body') for @r;
is($_->{headers}{'webhook-id'}, $ev, 'each attempt has the same webhook-id')
    for @r;

# a useless confirmation is dropped
sub waiting {
    answer_with($hook, status => 503);
    my $c = contact_put('endpoint', $hook->{url});
    my $member = "$AC:" . confirm($c, 'abcdef') . ":$c";
    wait_for { (delivery($member)->{attempt} // 0) == 1 } 15, 'an attempt';
    answer_with($hook, status => 200);
    return ($c, $member);
}

my %useless = (
    'a deleted contact' => sub { cmd('DEL', k('r', $AC, $_[0])) },
    'a contact that is confirmed' => sub {
        contact_put('endpoint', $hook->{url}, id => $_[0],
            status => 'active') },
    'a code that was replaced' => sub { contact_code($_[0], 'uvwxyz') },
);
for my $name (sort keys %useless) {
    (my $c, $m) = waiting();
    my $before = received($hook);
    $useless{$name}->($c);
    due_now($m);
    soon { idle() } "$name: nothing is left";
    is(scalar(received($hook)), $before, "$name: nothing is sent");
}
is(scalar dead_letters(), 0, 'useless confirmations leave no dead letter');

$co = contact_put('endpoint', $hook->{url});
my $before = received($hook);
pause_server($d);
confirm($co, 'aaaaaa');
$ev = confirm($co, 'bbbbbb');
signal_server($d, 'CONT');
soon { idle() && received($hook) > $before } 'two codes at once';
is((received($hook))[-1]{json}{authcode}, 'bbbbbb',
    'the newer code is sent last');
is(scalar(received($hook)), $before + 1, 'the older code is not sent');

# given up
(my $c, $m) = waiting();
answer_with($hook, status => 503);
cmd('HSET', k('dlv', split /:/, $m), 'attempt', 5, 'first',
    1000 * (time - 80_000));
due_now($m);
soon { idle() } 'given up when the next attempt would be after a day';
is_deeply([@{ letter() }{qw(to t s b)}], [$c, 'contact.confirm', 503, ''],
    'the dead letter has no body');
answer_with($hook, status => 410);
is(confirm_attempt('endpoint', $hook->{url}, 'ccdd22'),
    'dead: HTTP status 410', 'the response 410 ends the delivery');
is_deeply([@{ letter() }{qw(s b)}], [410, ''],
    'the dead letter after 410 has no body');
(my $old, $m) = waiting();
contact_put('endpoint', $hook->{url}, %{ record('contact',
    cmd('GET', k('r', $AC, $old))) }, until => 1);
due_now($m);
soon { idle() } 'a code that is too old';
is(letter()->{x}, 'the code is too old', 'a code that has expired is not sent');

# unknown types, and addresses that must not be used
for my $type ('x' x 100, 'fax') {
    is(confirm_attempt($type, 'anything', 'ccdd22'),
        "dead: no channel for $type yet",
        "the unknown type of ${\length $type} bytes has no channel");
}
is(confirm_attempt('email', 'a@example.net', 'ccdd22'),
    'dead: no SMTP server is configured (smtp_url)',
    'a mail fails without an SMTP server');
like(read_file($d->{log}),
    qr/no mail server for mails to contacts: set smtp_url/,
    'the log says that smtp_url is missing');
is(confirm_attempt('endpoint', $_, 'ccdd22'), '0 connection failed',
    "the address of $_ is refused")
    for 'http://10.1.2.3/', 'http://169.254.169.254/', 'http://[::1]:1/';
is(confirm_attempt('endpoint', 'ftp://127.0.0.1/', 'ccdd22'),
    '0 not a valid URL', 'a URL of FTP is refused');
answer_with($hook, status => 302, headers => ["Location: $hook->{url}/x"]);
is(confirm_attempt('endpoint', $hook->{url}, 'ccdd22'),
    '302 redirects are not followed', 'a redirect is not followed');

# damaged entries keep no code, either
my $letters = dead_letters();
my @bad = (
    [contact => 'CO1'], [code => ''], [code => "k7m2xq\r\n"],
    [code => 'k7m2xq' x 10], [id => 'EV1'], [results => 'x' x 3, date => 'x'],
);
$co = contact_put('endpoint', $hook->{url});
for my $bad (@bad) {
    my %event = (version => 1, id => sid('EV'), type => 'contact.confirm',
        date => 1, listed => 0, total => 0, results => "\x90", hooks => 0,
        callbacks => [], timezone => '', contact => $co,
        code => 'k7m2xq', @$bad);
    cmd('XADD', k('outbox'), '*', 'a', $AC, 'e', $event{id}, 'd',
        record_pack('event', %event));
}
soon { idle() && dead_letters() == $letters + @bad } 'malformed events';
is(join('', map { $_->{raw} // '' } dead_letters()), '',
    'dead letters have no bytes of malformed events');

my @codes = qw(k7m2xq abcdef uvwxyz aaaaaa bbbbbb ccdd22);
my $codes = join '|', @codes;
cmd('DEL', @{ cmd('KEYS', k('r', $AC, 'CO*')) });
unlike(join("\n", %{ redis_dump($redis) }),
    qr/$codes/, 'the store has no code at the end');
ok(stop_server($d, 5), 'the daemon ends on TERM');
unlike(read_file($d->{log}), qr/$codes|\/hook|127\.0\.0\.1:$hook->{port}/,
    'the log has no code and no URL');
done_testing();
