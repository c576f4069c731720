#!/usr/bin/perl

# The confirmation code of a contact, to an endpoint: its message, repetitions,
# when it is no longer sent, and that the code is stored nowhere else.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

deliver_setup();
my $hook = start_receiver();
my $d = start_deliverd();

my $co = contact_put('endpoint', $hook->{url});
my $ev = confirm($co, 'k7m2xq');
soon { idle() && received($hook) == 1 } 'the endpoint gets it';
my ($r) = received($hook);
is($r->{json}{event_sid}, $ev, 'event_sid');
is($r->{json}{event_type}, 'contact.confirm', 'event_type');
is($r->{json}{authcode}, 'k7m2xq', 'authcode');
is_deeply($r->{json}{hosts}, [], 'no hosts');
is($r->{json}{url}, '', 'no url');
like($r->{json}{title}, qr/^Confirm this contact/, 'a title');
my $text = $r->{json}{message};
like($text, qr/^ {4}k7m2xq$/m, 'the message: the code');
like($text, qr/24 hours \(until 2026-11-21 09:30:00 UTC\)/, 'how long');
like($text, qr/\Q$co\E/, 'which contact');
like($text, qr/If it was not you/, 'the advice for strangers');
like($r->{body}, qr/^\{"event_sid":.*"event_type":.*"title":.*"message":.*"url":
    .*"authcode":.*"hosts":\[\]\}$/sx, 'in this order');
is($r->{headers}{'content-type'}, 'application/json', 'Content-Type');
is($r->{headers}{'webhook-id'}, $ev, 'webhook-id');
ok(!exists $r->{headers}{$_}, "no $_") for 'x-webhook-signature',
    'webhook-signature';
is(scalar dead_letters(), 0, 'no dead letter');

# again, with the same bytes
answer_with($hook, status => [503, 500, 200]);
$co = contact_put('endpoint', $hook->{url});
$ev = confirm($co, 'abcdef');
my $m = "$AC:$ev:$co";
soon { (delivery($m)->{attempt} // 0) == 1 } 'a refusal';
is(delivery($m)->{status}, 503, 'is kept');
ok(deliveries()->{$m} > 22 && deliveries()->{$m} <= 36.1, 'by the schedule');
due_now($m);
soon { (delivery($m)->{attempt} // 0) == 2 } 'the second';
due_now($m);
soon { idle() } 'then it is accepted';
my @r = (received($hook))[1 .. 3];
is($_->{body}, $r[0]{body}, 'the same bytes') for @r;
is($_->{headers}{'webhook-id'}, $ev, 'the same id') for @r;

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
is(scalar dead_letters(), 0, 'and nothing is a dead letter');

$co = contact_put('endpoint', $hook->{url});
my $before = received($hook);
pause_server($d);
confirm($co, 'aaaaaa');
$ev = confirm($co, 'bbbbbb');
signal_server($d, 'CONT');
soon { idle() && received($hook) > $before } 'two codes at once';
is((received($hook))[-1]{json}{authcode}, 'bbbbbb',
    'only the newer one is sent');
is(scalar(received($hook)), $before + 1, 'once');

# given up
(my $c, $m) = waiting();
answer_with($hook, status => 503);
cmd('HSET', k('dlv', split /:/, $m), 'attempt', 5, 'first',
    1000 * (time - 80_000));
due_now($m);
soon { idle() } 'given up when the next attempt would be after a day';
is_deeply([@{ letter() }{qw(to t s b)}], [$c, 'contact.confirm', 503, ''],
    'a dead letter without the body');
answer_with($hook, status => 410);
is(confirm_attempt('endpoint', $hook->{url}, 'ccdd22'),
    'dead: HTTP status 410', '410 is the end');
is_deeply([@{ letter() }{qw(s b)}], [410, ''], 'a dead letter likewise');
(my $old, $m) = waiting();
contact_put('endpoint', $hook->{url}, %{ record('contact',
    cmd('GET', k('r', $AC, $old))) }, until => 1);
due_now($m);
soon { idle() } 'a code that is too old';
is(letter()->{x}, 'the code is too old', 'is not sent');

# unknown types, and addresses that must not be used
for my $type ('x' x 100, 'fax') {
    is(confirm_attempt($type, 'anything', 'ccdd22'),
        "dead: no channel for $type yet", "$type");
}
is(confirm_attempt('email', 'a@example.net', 'ccdd22'),
    'dead: no SMTP server is configured (smtp_url)', 'no mail server');
like(read_file($d->{log}),
    qr/no mail server for mails to contacts: set smtp_url/,
    'the log has the remedy');
is(confirm_attempt('endpoint', $_, 'ccdd22'), '0 connection failed', $_)
    for 'http://10.1.2.3/', 'http://169.254.169.254/', 'http://[::1]:1/';
is(confirm_attempt('endpoint', 'ftp://127.0.0.1/', 'ccdd22'),
    '0 not a valid URL', 'no URL of HTTP');
answer_with($hook, status => 302, headers => ["Location: $hook->{url}/x"]);
is(confirm_attempt('endpoint', $hook->{url}, 'ccdd22'),
    '302 redirects are not followed', 'a redirect');

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
is(join('', map { $_->{raw} // '' } dead_letters()), '', 'without their bytes');

my @codes = qw(k7m2xq abcdef uvwxyz aaaaaa bbbbbb ccdd22);
my $codes = join '|', @codes;
cmd('DEL', @{ cmd('KEYS', k('r', $AC, 'CO*')) });
unlike(everything(), qr/$codes/, 'no code is left in the store');
ok(stop_server($d, 5), 'ends on TERM');
unlike(read_file($d->{log}), qr/$codes|\/hook|127\.0\.0\.1:$hook->{port}/,
    'no code and no URL in the log');
done_testing();
