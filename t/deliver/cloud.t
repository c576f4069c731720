#!/usr/bin/perl

# SMS, Pushover, Datadog, SNS and CloudWatch: the daemon's requests, which
# third-party code parses, and its handling of each documented response.

use strict;
use warnings;
use JSON::XS ();
use RblTest;
use RblScript;
use RblDeliver;

my %secret = (sms => 'sms-token:x', pushover => 'p' x 30);
my $secrets = own_dir('tokens');
write_file("$secrets/$_", "$secret{$_}\n", 0600) for keys %secret;

deliver_setup();
my $s = start_receiver();
my $base = "http://127.0.0.1:$s->{port}";
my %conf = (deliver_timeout => '1s', sms_url => "$base/sms",
    sms_account => 'AC0123', sms_token_file => "$secrets/sms",
    sms_from => '+15005550006', pushover_url => "$base/po",
    pushover_token_file => "$secrets/pushover", datadog_url => "$base/dd",
    sns_url => $base, logs_url => $base);
my $d = start_deliverd(conf => \%conf);

my ($id, $key) = ('AKIDEXAMPLE00000',
    'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY');
my $topic = 'arn:aws:sns:eu-west-1:123456789012:alerts';
my $group = 'arn:aws-us-gov:logs:us-gov-east-1:123456789012:log-group:'
    . 'rbl/alerts';
my %value = (sms => '+4915112345678', pushover => 'u' x 30,
    datadog => 'us5.datadoghq.com,' . 'd' x 32,
    'aws-sns' => "$topic,$id,$key", 'aws-cloudwatch' => "$group,$id,$key");
my %ok = (sms => 201, pushover => 200, datadog => 202, 'aws-sns' => 200,
    'aws-cloudwatch' => 200);

# --- requests

# The request for a confirmation
sub sent {
    my ($type, $line, $form) = @_;

    answer_with($s, status => $ok{$type}, body => '{"status":1}');
    my $n = received($s);
    confirm(contact_put($type, $value{$type}), 'k7m2xq');
    soon { idle() && received($s) == $n + 1 } "$type: it is sent";
    my $r = (received($s))[-1];
    is($r->{line}, "POST $line HTTP/1.1",
        "$type: the request goes to the path of the service");
    is($r->{headers}{'content-type'}, $form,
        "$type: the request has the content type");
    like($r->{headers}{'user-agent'}, qr{^ngx_rbl/\d},
        "$type: the request has the user agent of ngx_rbl");
    ok(!exists $r->{headers}{$_}, "$type: the request has no header $_")
        for qw(webhook-id x-webhook-signature expect);
    like($r->{body}, qr/k7m2xq/, "$type: the request has the code");
    return $r;
}

sub form {
    my ($r) = @_;

    return map { my ($k, $v) = split /=/, $_, 2;
        s/%([0-9A-F]{2})/chr hex $1/ge for $k, $v; ($k, $v) }
        split /&/, $r->{body};
}

my $form = 'application/x-www-form-urlencoded';
my $r = sent('sms', '/sms/2010-04-01/Accounts/AC0123/Messages.json', $form);
my %f = form($r);
is_deeply([@f{qw(To From ValidityPeriod)}],
    [$value{sms}, '+15005550006', 3600],
    'sms: the request has sender, recipient and validity');
like($f{Body}, qr/^k7m2xq is the code/, 'sms: the text starts with the code');
cmp_ok(length $f{Body}, '<=', 160, 'sms: the text fits in one message');
require MIME::Base64;
is($r->{headers}{authorization}, 'Basic '
    . MIME::Base64::encode_base64("AC0123:$secret{sms}", ''),
    'sms: the request has the credentials of the account');

$r = sent('pushover', '/po/1/messages.json', $form);
%f = form($r);
is_deeply([@f{qw(token user title priority)}], [$secret{pushover},
    $value{pushover}, 'Confirm this contact for blocklist monitoring', 0],
    'pushover: the request has token, user and title');

$r = sent('datadog', '/dd/api/v1/events', 'application/json');
is($r->{headers}{'dd-api-key'}, 'd' x 32, 'datadog: the request has the key');
is($r->{json}{alert_type}, 'info', 'datadog: the event has the type info');
is_current($r->{json}{date_happened}, $^T,
    'datadog: the event has the present time');

# botocore's opinion on each request
my @aws;
sub aws {
    my ($service, $region, $request) = @_;

    push @aws, JSON::XS->new->ascii->encode({ service => $service,
        region => $region, id => $id, secret => $key,
        request => { map { $_ => $request->{$_} } qw(line headers body) } });
}

sub botocore {
    my $got = run_cmd({ stdin => join("\n", @_) . "\n" }, '/usr/bin/python3',
        repo_dir() . '/t/lib/aws_check.py');
    return $got->{status} == 0 ? split /\n/, $got->{out} : $got->{err};
}

$r = sent('aws-sns', '/', "$form; charset=utf-8");
aws('sns', 'eu-west-1', $r);
%f = form($r);
is_deeply([@f{qw(Action TopicArn Subject MessageStructure)}], ['Publish',
    $topic, 'Confirm this contact for blocklist monitoring', 'json'],
    'sns: the request has action, topic and subject');
my $j = JSON::XS::decode_json($f{Message});
like($j->{default}, qr/^    k7m2xq$/m, 'sns: the default text has the code');
like($j->{sms}, qr/^k7m2xq is the code/,
    'sns: the text for phones starts with the code');
$value{'aws-sns'} = "$topic.fifo,$id,$key";
my $fifo = sent('aws-sns', '/', "$form; charset=utf-8");
aws('sns', 'eu-west-1', $fifo);
%f = form($fifo);
like($f{MessageDeduplicationId}, qr/^EV\w{32}$/,
    'sns: a FIFO topic gets an id against duplicates');
$value{'aws-sns'} = "$topic,$id,$key";

$r = sent('aws-cloudwatch', '/', 'application/x-amz-json-1.1');
aws('logs', 'us-gov-east-1', $r);
is($r->{headers}{'x-amz-target'}, 'Logs_20140328.PutLogEvents',
    'logs: the request is PutLogEvents');
is($r->{json}{logGroupName}, 'rbl/alerts',
    'logs: the request has the log group');
$j = JSON::XS::decode_json($r->{json}{logEvents}[0]{message});
is($j->{authcode}, 'k7m2xq', 'logs: the event is JSON with the code');

# --- responses

sub twilio { return qq({"code":$_[0],"message":"x","more_info":"","status":1}) }
sub xml { return "<ErrorResponse><Error><Type>Sender</Type><Code>$_[0]</Code>"
    . '<Message>abcdef</Message></Error></ErrorResponse>' }
sub type { return qq({"__type":"$_[0]","message":"abcdef"}) }

my ($sns, $logs) = ('Amazon SNS said:', 'Amazon CloudWatch said:');
for my $t (
    [sms => 'delivered', 201, '{"sid":"SM1","status":"queued"}'],
    [sms => '429 the SMS service takes no more at once (429, 20429)', 429,
        twilio(20429)],
    [sms => '400 the SMS service has too many messages that wait (400, 21611)',
        400, twilio(21611)],
    [sms => '401 the SMS service refuses its account (401, 20003)', 401,
        twilio(20003)],
    [sms => 'dead: the SMS service does not know this number (400, 21211)', 400,
        twilio(21211)],
    [sms => 'dead: the SMS service does not send to this country (400, 21408)',
        400, twilio(21408)],
    [sms => 'dead: the SMS service reports that this number refuses messages'
        . ' (400, 21610)', 400, twilio(21610)],
    [sms => 'dead: the SMS service has no way to this number (400, 21612)',
        400, twilio(21612)],
    [sms => 'dead: the SMS service reports that this number cannot receive'
        . ' messages (400, 21614)', 400, twilio(21614)],
    [sms => 'dead: the SMS service responded: 400, code 21602', 400,
        twilio(21602)],
    [sms => '500 the SMS service said: 500', 500, '<html>'],
    [sms => 'dead: the SMS service said: 302', 302, ''],
    [pushover => 'delivered', 200, '{"status":1,"request":"x"}'],
    [pushover => 'dead: Pushover has no such user or group (400)', 400,
        '{"user":"invalid","errors":["user is invalid"],"status":0}'],
    [pushover => 'dead: Pushover refuses its application (400)', 400,
        '{"token":"invalid","errors":["token is invalid"],"status":0}'],
    [pushover => 'dead: Pushover said: 400', 400,
        '{"message":"cannot be blank","errors":["x"],"status":0}'],
    [pushover => '500 Pushover said: 500', 500, ''],
    [datadog => 'delivered', 202, '{"status":"ok"}'],
    [datadog => 'dead: Datadog said: 400', 400, '{"errors":["x"]}'],
    [datadog => 'dead: Datadog refuses the key (403)', 403,
        '{"errors":["Forbidden"]}'],
    [datadog => '408 Datadog said: 408', 408, ''],
    [datadog => '503 Datadog said: 503', 503, ''],
    ['aws-sns' => 'delivered', 200, '<PublishResponse/>'],
    (map { ['aws-sns' => "dead: $sns $_->[0] $_->[1]", @$_[0], xml($_->[1])] }
        [400, 'InvalidParameter'], [400, 'ParameterValueInvalid'],
        [400, 'EndpointDisabled'], [404, 'NotFound'],
        [403, 'AuthorizationError'], [403, 'InvalidSecurity'],
        [403, 'InvalidClientTokenId'], [403, 'SignatureDoesNotMatch'],
        [400, 'KMSDisabled'], [400, 'KMSAccessDenied']),
    (map { ['aws-sns' => "$_->[0] $sns $_->[0] $_->[1]", @$_[0], xml($_->[1])] }
        [400, 'Throttling'], [400, 'ThrottlingException'],
        [400, 'KMSThrottling'], [500, 'InternalError'],
        [503, 'ServiceUnavailable'], [403, 'RequestExpired']),
    ['aws-cloudwatch' => 'delivered', 200, '{"nextSequenceToken":"1"}'],
    ['aws-cloudwatch' => 'dead: Amazon CloudWatch refuses the time of the'
        . ' events, or has not kept them', 200,
        '{"rejectedLogEventsInfo":{"tooOldLogEventEndIndex":1}}'],
    (map { ['aws-cloudwatch' => "dead: $logs 400 $_", 400, type($_)] }
        qw(InvalidParameterException UnrecognizedClientException
        AccessDeniedException InvalidSignatureException)),
    ['aws-cloudwatch' => "400 $logs 400 ThrottlingException", 400,
        type('ThrottlingException')],
    ['aws-cloudwatch' => "503 $logs 503 ServiceUnavailableException", 503,
        type('ServiceUnavailableException')],
) {
    my ($type, $want, $status, $body) = @$t;
    answer_with($s, status => $status, body => $body,
        headers => ['Location: http://127.0.0.1:9/']);
    is(confirm_attempt($type, $value{$type}, 'abcdef'), $want,
        "$type: $status " . substr $body, 0, 60);
}

# --- receivers that are no longer notified

for my $t ([sms => 400, twilio(21610)],
    [pushover => 400, '{"user":"invalid","status":0}'],
    ['aws-sns' => 404, xml('NotFound')],
    ['aws-cloudwatch' => 400, type('ResourceNotFoundException')])
{
    my ($type, $status, $body) = @$t;
    answer_with($s, status => $status, body => $body);
    confirm(my $co = contact_put($type, $value{$type}), 'abcdef');
    soon { idle() } "$type: it is given up";
    like(read_file($d->{log}), qr/:$co is dropped, and its contact paused: /,
        "$type: the contact is paused");
    cmd('DEL', k('r', $AC, $co));
}

# --- a log stream that does not exist

my $missing = type('ResourceNotFoundException');
for my $t (
    ['created', [400, 200, 200], [$missing, '', '{}'], 3, 'delivered'],
    ['created by another client meanwhile', [400, 400, 200],
        [$missing, type('ResourceAlreadyExistsException'), '{}'], 3,
        'delivered'],
    ['without the right to make it', [400, 400],
        [$missing, type('AccessDeniedException')], 2,
        "dead: $logs 400 AccessDeniedException"],
    ['nor the group', [400], [$missing], 2,
        'dead: Amazon CloudWatch has no such log group'],
    ['created and not visible', [400, 200, 400], [$missing, '', $missing], 3,
        "400 $logs 400 ResourceNotFoundException"],
) {
    my ($name, $status, $body, $count, $want) = @$t;
    my $n = received($s);
    answer_with($s, status => $status, body => $body);
    is(confirm_attempt('aws-cloudwatch', $value{'aws-cloudwatch'}, 'abcdef'),
        $want, "the attempt ends with $want for a stream $name");
    my @r = (received($s))[$n .. received($s) - 1];
    is(join(' ', map { (split /\./, $_->{headers}{'x-amz-target'})[1] } @r),
        join(' ', ('PutLogEvents', 'CreateLogStream', 'PutLogEvents')
            [0 .. $count - 1]),
        "one attempt makes all requests for a stream $name");
    aws('logs', 'us-gov-east-1', $_) for @r;
}
is_deeply([grep { $_ ne 'ok' } botocore(@aws)], [],
    "botocore accepts each of @{[ scalar @aws ]} requests");
my $forged = $aws[0] =~ s/k7m2xq/k7m2xx/r;
my $other = $aws[0] =~ s/bPxRfiCY/bPxRfiCZ/r;
like($_, qr/^signature of/, 'botocore detects a forged request')
    for botocore($forged, $other);

# --- back-off

sub failed {
    my ($type, %answer) = @_;

    answer_with($s, %answer);
    confirm(my $co = contact_put($type, $value{$type}), 'abcdef');
    my $m;
    wait_for { ($m) = keys %{ deliveries() };
        $m and (delivery($m)->{attempt} // 0) == 1 } 15, "a failure of $type";
    return ($m, $co);
}

sub drop {
    my ($m, $co) = @_;

    cmd('DEL', k('r', $AC, $co));
    due_now($m);
    wait_for { idle() } 15, 'the end of it';
}

for my $t (
    [sms => 600, 400, twilio(21611), 'X: y'],
    [sms => 100, 429, twilio(20429), 'Retry-After: 100'],
    [datadog => 77, 429, '', 'X-RateLimit-Reset: 77'],
    [pushover => 200, 429, '', 'X-Limit-App-Reset: ' . (int(time) + 200)],
) {
    my ($type, $wait, $status, $body, $header) = @$t;
    my ($m, $co) = failed($type, status => $status, body => $body,
        headers => [$header]);
    my $due = deliveries()->{$m};
    ok($due > $wait - 10 && $due <= $wait + 0.1,
        "$type: the next attempt waits for $wait s")
        or diag($due);
    drop($m, $co);
}
answer_with($s, status => 429, headers => ['X-Limit-App-Reset: '
    . (int(time) + 86_400)]);
is(confirm_attempt('pushover', $value{pushover}, 'abcdef'),
    'dead: Pushover takes no more messages this month (429)',
    'pushover: messages are not kept until the next month');

# --- attempts that may have arrived

for my $type (sort keys %value) {
    my ($m, $co) = failed($type, status => 200, delay => 3);
    my $n = received($s);
    due_now($m);
    soon { idle() } "$type: once more";
    is(received($s), $n + 1, "$type: the message is sent once more only");
    is(letter()->{x}, 'whether it arrived is unknown',
        "$type: the dead letter has the reason");
    cmd('DEL', k('r', $AC, $co));
}

# --- values that were never checked, and secrets

my $n = received($s);
is(confirm_attempt($_->[0], $_->[1], 'abcdef'), "dead: $_->[2]",
    "an invalid value of $_->[0] is refused")
    for [sms => '+49 1', 'not a phone number'],
        [pushover => "u\r\nX: y", 'not a Pushover key'],
        [datadog => 'evil.example,' . 'd' x 32, 'not a Datadog key'],
        [datadog => 'd' x 31 . "\n", 'not a Datadog key'],
        ['aws-sns' => "$topic,$id", 'not a topic with its keys'],
        ['aws-sns' => "$group,$id,$key", 'not a topic with its keys'],
        ['aws-sns' => " $topic,$id,$key", 'not a topic with its keys'],
        ['aws-cloudwatch' => "$topic,$id,$key",
            'not a log group with its keys'];
is(received($s), $n, 'the services get no request for invalid values');

unlike(read_file($d->{log}), qr/k7m2xq|abcdef|\Q$key\E|$secret{pushover}|
    sms-token|\Q$value{sms}\E|\Q$value{pushover}\E|d{32}|arn:aws/x,
    'the log has no secret and no address');
stop_server($d);
$d = start_deliverd();
is(confirm_attempt($_->[0], $value{ $_->[0] }, 'abcdef'), "dead: $_->[1]",
    "$_->[0]: a message fails without the configuration")
    for [sms => 'no SMS account is configured (sms_account)'],
        [pushover => 'no Pushover application is configured'
            . ' (pushover_token_file)'];
done_testing();
