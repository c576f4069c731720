#!/usr/bin/perl

# PagerDuty, Slack, Discord and Telegram: the daemon's requests, and its
# handling of each documented response.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

my $token = '123456:AAbot-token_x';
my $file = own_dir('token') . '/telegram';
write_file($file, "$token\n");
chmod 0600, $file;

deliver_setup();
my $s = start_receiver();
my $base = "http://127.0.0.1:$s->{port}";
my %conf = (deliver_timeout => '1s', pagerduty_url => "$base/pd",
    telegram_url => "$base/tg", telegram_token_file => $file);
my $d = start_deliverd(conf => \%conf);

my %value = (pagerduty => '0123456789abcdef0123456789abcdef',
    slack => "$base/services/T0/B0/hush-slack",
    discord => "$base/api/webhooks/1/hush-discord",
    telegram => '-1001234567890');

# --- requests

sub sent {
    my ($type, $line) = @_;

    my $co = contact_put($type, $value{$type});
    my $n = received($s);
    my $ev = confirm($co, 'k7m2xq');
    soon { idle() && received($s) == $n + 1 } "$type: it is sent";
    my $r = (received($s))[-1];
    is($r->{line}, "POST $line HTTP/1.1",
        "$type: the request goes to the path of the service");
    is($r->{headers}{'content-type'}, 'application/json',
        "$type: the request has a body of JSON");
    like($r->{headers}{'user-agent'}, qr{^ngx_rbl/\d},
        "$type: the request has the user agent of ngx_rbl");
    ok(!exists $r->{headers}{$_}, "$type: the request has no header $_")
        for qw(authorization webhook-id x-webhook-signature expect);
    like($r->{body}, qr/k7m2xq/, "$type: the request has the code");
    return ($r->{json}, $ev);
}

answer_with($s, status => 202, body => '{"status":"success"}');
my ($j, $ev) = sent('pagerduty', '/pd/v2/enqueue');
is($j->{routing_key}, $value{pagerduty},
    'pagerduty: the request has the routing key');
is("$j->{event_action} $j->{dedup_key}", "trigger rbl-$ev",
    'pagerduty: the request triggers an alert of its own');
is($j->{payload}{severity}, 'info',
    'pagerduty: the alert has the severity info');
answer_with($s, status => 200, body => 'ok');
($j) = sent('slack', '/services/T0/B0/hush-slack');
is($j->{blocks}[0]{text}{text}, $j->{text},
    'slack: the first block has the title');
answer_with($s, status => 200, body => '{"id":"1"}');
($j) = sent('discord', '/api/webhooks/1/hush-discord?wait=true');
is_deeply($j->{allowed_mentions}, { parse => [] },
    'discord: the message allows no mentions');
answer_with($s, status => 200, body => '{"ok":true,"result":{}}');
($j) = sent('telegram', "/tg/bot$token/sendMessage");
is($j->{chat_id}, $value{telegram}, 'telegram: the request has the chat');
is($j->{parse_mode}, 'HTML', 'telegram: the message is HTML');

# --- responses

sub answered {
    my ($type, $want, %answer) = @_;

    answer_with($s, %answer);
    my $name = "$type: $answer{status} " . substr $answer{body} // '', 0, 60;
    my $got = confirm_attempt($type, $value{$type}, 'abcdef');
    ref $want ? like($got, $want, $name) : is($got, $want, $name);
}

for my $t (
    [slack => 'delivered', 200, 'ok'],
    [slack => 'dead: Slack said: 200 sorry', 200, 'sorry'],
    [slack => 'dead: Slack said: 400 invalid_payload', 400, 'invalid_payload'],
    [slack => 'dead: Slack said: 400 user_not_found', 400, 'user_not_found'],
    [slack => 'dead: Slack said: 403 action_prohibited', 403,
        'action_prohibited'],
    [slack => 'dead: Slack said: 404 channel_not_found', 404,
        'channel_not_found'],
    [slack => 'dead: Slack said: 410 channel_is_archived', 410,
        'channel_is_archived'],
    [slack => 'dead: Slack said: 404 no_service', 404, 'no_service'],
    [slack => '500 Slack said: 500 rollup_error', 500, 'rollup_error'],
    [slack => '429 Slack said: 429 rate_limited', 429, 'rate_limited'],
    [slack => 'dead: Slack said: 302', 302, ''],
    [pagerduty => 'delivered', 202, '{"status":"success"}'],
    [pagerduty => 'dead: PagerDuty said: 400 bad key', 400,
        '{"status":"invalid event","errors":["bad key"]}'],
    [pagerduty => '429 PagerDuty said: 429 throttled', 429,
        '{"message":"throttled"}'],
    [pagerduty => '500 PagerDuty said: 500', 500, ''],
    [pagerduty => '503 PagerDuty said: 503', 503, '<html>'],
    [discord => 'delivered', 204, ''],
    [discord => 'dead: Discord said: 404 Unknown Webhook', 404,
        '{"message":"Unknown Webhook","code":10015}'],
    [discord => 'dead: Discord said: 401 Invalid Webhook Token', 401,
        '{"message":"Invalid Webhook Token","code":50027}'],
    [discord => 'dead: Discord said: 400 Invalid Form Body', 400,
        '{"message":"Invalid Form Body","code":50035,"errors":{}}'],
    [discord => '500 Discord said: 500', 500, ''],
    [telegram => 'dead: Telegram said: 400 Bad Request: chat not found', 400,
        '{"ok":false,"error_code":400,"description":'
        . '"Bad Request: chat not found"}'],
    [telegram => 'dead: Telegram said: 401 Unauthorized', 401,
        '{"ok":false,"error_code":401,"description":"Unauthorized"}'],
    [telegram => 'dead: Telegram said: 403 Forbidden: bot was kicked', 403,
        '{"ok":false,"error_code":403,"description":'
        . '"Forbidden: bot was kicked"}'],
    [telegram => 'dead: Telegram said: 404 Not Found', 404,
        '{"ok":false,"error_code":404,"description":"Not Found"}'],
    [telegram => '502 Telegram said: 502', 502, '<html>'],
    # foreign text is printable, and does not reveal the code
    [slack => 'dead: Slack said: 400 a??b ******', 400, "a\r\nb abcdef"],
) {
    my ($type, $want, $status, $body) = @$t;
    answered($type, $want, status => $status, body => $body,
        headers => ['Location: http://127.0.0.1:9/']);
}

# --- back-off

sub only { my @m = keys %{ deliveries() }; return @m == 1 ? $m[0] : undef }

sub failed {
    my ($type, $attempt, %answer) = @_;

    answer_with($s, %answer);
    my $co = contact_put($type, $value{$type});
    confirm($co, 'abcdef');
    my $m;
    wait_for { $m = only() and (delivery($m)->{attempt} // 0) == $attempt } 15,
        "attempt $attempt of $type";
    return ($m, $co);
}

sub drop { cmd('DEL', k('r', $AC, $_[1])); due_now($_[0]);
    wait_for { idle() } 15, 'the end' }

for my $t (
    [slack => 100, 'rate_limited', 'Retry-After: 100'],
    [pagerduty => 100, '', 'Retry-After: 100'],
    [discord => 65, '{"retry_after":64.57,"global":false}', 'Retry-After: 60'],
    [discord => 100, '{"retry_after":64.57}', 'Retry-After: 100'],
    [telegram => 77, '{"ok":false,"error_code":429,"description":"x",'
        . '"parameters":{"retry_after":77}}', 'X: y'],
) {
    my ($type, $wait, $body, $header) = @$t;
    my ($m, $co) = failed($type, 1, status => 429, body => $body,
        headers => [$header]);
    my $due = deliveries()->{$m};
    ok($due > $wait - 10 && $due <= $wait + 0.1, "$type: 429 waits $wait s")
        or diag($due);
    drop($m, $co);
}
my ($m, $co) = failed('slack', 1, status => 500);
my $due = deliveries()->{$m};
ok($due > 20 && $due <= 36.1, "the schedule of contacts: 30 s ($due)");
cmd('HSET', k('dlv', split /:/, $m), 'attempt', 5);
due_now($m);
soon { idle() && letter()->{n} == 6 } 'six attempts, then it is given up';
cmd('DEL', k('r', $AC, $co));

# --- a group that moved to another chat

($m, $co) = failed('telegram', 1, status => 400, body => '{"ok":false,'
    . '"error_code":400,"description":"upgraded","parameters":'
    . '{"migrate_to_chat_id":-1009876543210}}');
is(record('contact', cmd('GET', k('r', $AC, $co)))->{value}, '-1009876543210',
    'the contact gets the new id of its chat');
answer_with($s, status => 200, body => '{"ok":true}');
due_now($m);
soon { idle() } 'and its message is delivered there';
is((received($s))[-1]{json}{chat_id}, '-1009876543210',
    'the message goes to the new id of the chat');
cmd('DEL', k('r', $AC, $co));

# --- attempts that may have arrived

for my $type (qw(slack discord telegram)) {
    ($m, $co) = failed($type, 1, status => 200, delay => 3);
    my $n = received($s);
    is(delivery($m)->{sent}, 1, "$type: the attempt counts as sent");
    due_now($m);
    soon { idle() } "$type: once more";
    is(received($s), $n + 1, "$type: the message is sent once more only");
    is(letter()->{x}, 'whether it arrived is unknown',
        "$type: the dead letter has the reason");
    cmd('DEL', k('r', $AC, $co));
}
($m, $co) = failed('slack', 1, status => 500);
is(delivery($m)->{sent}, 0, 'a refused message does not count as sent');
cmd('HSET', k('dlv', split /:/, $m), 'sent', 2);    # two daemons died
my $n = received($s);
due_now($m);
soon { idle() } 'sent twice without a record:';
is(received($s), $n, 'a message sent twice is not sent a third time');
cmd('DEL', k('r', $AC, $co));

($m, $co) = failed('pagerduty', 1, status => 202, delay => 3);
for my $i (2 .. 4) {
    due_now($m);
    soon { (delivery($m)->{attempt} // 0) == $i } 'pagerduty knows a repeat';
}
ok(!defined delivery($m)->{sent}, 'attempts of PagerDuty do not count as sent');
drop($m, $co);

stop_receiver($s);
is(confirm_attempt('slack', $value{slack}, 'abcdef'), '0 connection failed',
    'a delivery fails without a server at the port');

my $log = read_file($d->{log});
unlike($log, qr/hush-|\Q$token\E|$value{pagerduty}|k7m2xq|abcdef/,
    'the log has no secret');
stop_server($d);

# --- TLS, and addresses for configured hosts only

my $dir = own_dir('ca');
authority($dir, 'known');
certificate($dir, 'known', 'good', 'IP:127.0.0.1');
my $port = free_port();
my $nginx = start_nginx(module => 0, http => <<"CONF");
log_format hook '\$request_uri \$connection_requests';
access_log %%DIR%%/hook.log hook;
server {
    listen 127.0.0.1:$port ssl;
    ssl_certificate $dir/good.pem;
    ssl_certificate_key $dir/good.key;
    location / { return 200 "ok"; }
}
CONF
$d = start_deliverd(conf => { deliver_ca => "$dir/known.pem",
    deliver_http => 'off', deliver_allow => undef,
    pagerduty_url => "https://127.0.0.1:$port/pd" });
is(confirm_attempt('pagerduty', $value{pagerduty}, 'abcdef'), 'delivered',
    'a configured service may have a private address');
is(confirm_attempt('slack', "https://127.0.0.1:$port/x", 'abcdef'),
    '0 connection failed',
    'the URL of a customer may not have a private address');
is(confirm_attempt('telegram', '5', 'abcdef'),
    'dead: no bot of Telegram is configured (telegram_token_file)',
    'a message to Telegram fails without a bot');
stop_server($d);
$d = start_deliverd(conf => { deliver_ca => "$dir/known.pem",
    deliver_http => 'off' });
is(confirm_attempt('slack', "https://127.0.0.1:$port/x", 'abcdef'),
    'delivered', 'a message to Slack is delivered over TLS') for 1, 2;
is(confirm_attempt('slack', "http://127.0.0.1:$port/x", 'abcdef'),
    '0 only https is allowed',
    'a message to Slack is not delivered without TLS');
is(join('', grep { m{^/x} } split /^/, read_file("$nginx->{dir}/hook.log")),
    "/x 1\n" x 2, 'each message to Slack has a connection of its own');

done_testing();
