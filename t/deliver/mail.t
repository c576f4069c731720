#!/usr/bin/perl

# The confirmation code of a contact, by mail: to exim, with and without TLS and
# a password, and to a server with every fault; no log contains it.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;
use RblMail;

my $dir = own_dir('ca');
authority($dir, 'known');
authority($dir, 'stranger');
certificate($dir, 'known', 'good', 'DNS:localhost,IP:127.0.0.1');
certificate($dir, 'stranger', 'bad', 'DNS:localhost,IP:127.0.0.1');
sub tls { return { cert => "$dir/$_[0].pem", key => "$dir/$_[0].key" } }

my $password = 'Correct-Horse 1';
write_file("$dir/password", "$password\n", 0600);
write_file("$dir/wrong", "another\n", 0600);

my $redis = deliver_setup();
my $plain = start_exim();
my $auth = start_exim(tls => tls('good'), user => ['robot', $password]);
my $login = start_exim(tls => tls('good'), user => ['robot', $password],
    login => 1);
my $implicit = start_exim(tls => tls('good'), implicit => 1);
my $bad = start_exim(tls => tls('bad'));
my (@daemons, $d);

# Replaces the daemon by one with that configuration
sub daemon {
    my ($port, %conf) = @_;

    stop_server($d) if $d;
    $d = start_deliverd(env => { ALL_PROXY => 'http://127.0.0.1:9',
            all_proxy => 'http://127.0.0.1:9' },
        conf => { smtp_url => "smtp://127.0.0.1:$port",
            smtp_from => 'blocklists@example.net', smtp_timeout => '5s',
            smtp_ca => "$dir/known.pem", %conf });
    push @daemons, $d;
}

# --- messages

daemon($plain->{port});
my $co = contact_put('email', 'jo.doe+rbl@example.net');
my $ev = confirm($co, 'k7m2xq');
soon { idle() && mails($plain) == 1 } 'a mail comes';
my ($mail) = mails($plain);
my %h = %{ $mail->[0] };
is($h{'return-path'}, '<blocklists@example.net>',
    'the return path is the configured sender');
is($h{'envelope-to'}, 'jo.doe+rbl@example.net',
    'the envelope has the contact as recipient');
is($h{from}, 'Blocklist monitoring <blocklists@example.net>',
    'the From header has the sender and a name');
is($h{to}, '<jo.doe+rbl@example.net>', 'the To header has the contact');
is($h{subject}, 'Confirm this contact for blocklist monitoring',
    'the subject asks to confirm the contact');
is($h{'message-id'}, "<$ev\@example.net>",
    'the Message-ID has the ID of the event');
like($h{date}, qr/^\w{3}, \d{1,2} \w{3} 20\d\d \d\d:\d\d:\d\d \+0000$/,
    'the Date header is in UTC');
is($h{'auto-submitted'}, 'auto-generated',
    'the mail is marked as auto-generated');
is($h{'mime-version'}, '1.0', 'the MIME version is 1.0');
is($h{'content-type'}, qq{multipart/alternative; boundary="=_$ev"},
    'the Content-Type is multipart/alternative');
my $text = mail_body($mail);
like($text, qr/^ {4}k7m2xq$/m, 'the text has the confirmation code');
like($text, qr/24 hours/, 'the text says how long the code is valid');
like($text, qr/If it was not you/, 'the advice for strangers');
like($text, qr/\Q$co\E/, 'the text names the contact');
is(scalar(grep { length > 78 } split /\n/, $mail->[2]), 0, 'no long line');

# as another program parses it
my $read = mail_check($mail);
is_deeply($read->{defects}, [], 'a MIME parser finds no defects');
is($read->{type}, 'multipart/alternative', 'two forms of one message');
my ($plainly, $html) = @{ $read->{parts} };
is_deeply([map { [@$_{qw(type charset encoding)}] } $plainly, $html],
    [['text/plain', 'utf-8', 'quoted-printable'],
        ['text/html', 'utf-8', 'quoted-printable']],
        'text and HTML, in this sequence');
is($plainly->{text}, $text, 'a MIME parser reads the same text');
is_deeply($read->{html}{faults}, [], 'the HTML is valid, and loads nothing');
is_deeply($read->{html}{links}, [], 'the HTML part has no links');
like($read->{html}{text}, qr/ with this code: k7m2xq Enter it where /,
    'the HTML part has the code');

unlike($h{subject}, qr/k7m2xq/, 'no code where servers log it');

confirm(contact_put('email', "n$_\@example.net"), 'k7m2xq') for 1 .. 40;
soon { idle() && mails($plain) == 41 } 'forty more mails arrive', 30;
my %to;
$to{ $_->[0]{'envelope-to'} }++ for mails($plain);
is(scalar(grep { $_ != 1 } values %to), 0, 'each contact gets one mail');
my $log = sub { return read_file("$plain->{dir}/log/mainlog") };
unlike($log->(), qr/lost|unexpected|syntax|protocol/i,
    'exim has nothing to complain of');

# --- responses of the server

like(confirm_attempt('email', 'later@example.net', 'k7m2xq'),
    qr/^451 the mail server said: 451 .*come back later/,
    'the delivery is retried after a 4xx response');
like(confirm_attempt('email', 'nobody@example.net', 'k7m2xq'),
    qr/^dead: the mail server said: 550 there is no such user/,
    'the delivery is dead after a 5xx response');
is_deeply([@{ letter() }{qw(s b)}], [550, ''], 'a letter without the code');
like(confirm_attempt('email', 'a@elsewhere.example', 'k7m2xq'),
    qr/^dead: .*550 relaying is not/,
    'the delivery is dead if the server does not relay');

# --- invalid addresses

my $said = mails($plain);
for my $value ("a\@example.net\r\nRCPT TO:<b\@example.net>", "a\@example.net\n",
    'a b@example.net', '<a@example.net>', 'a@example.net> SIZE=1', '@b.example',
    'a@', 'a@b@example.net', 'a..b@example.net', '.a@example.net',
    '"a b"@example.net', 'a@localhost', 'a@[127.0.0.1]', "a\0\@example.net",
    'a,b@example.net', "\xc3\xa4\@example.net", 'x' x 65 . '@example.net',
    'a@' . 'x' x 64 . '.example', 'example.net', '', 'a@exa mple.net')
{
    is(confirm_attempt('email', $value, 'k7m2xq'),
        'dead: not an address that mail can be sent to',
        'the delivery to an invalid address is dead');
}
is(scalar mails($plain), $said, 'no mail is sent to an invalid address');
is(confirm_attempt('email', "a\@m\xc3\xbcll.example.net", 'k7m2xq') =~ /relay/,
    1, 'a domain of other letters is sent to by its A-labels');
like(read_file("$plain->{dir}/log/mainlog"), qr/<a\@xn--mll-hoa\.example\.net>/,
    'the server gets the A-labels of the domain');

# --- TLS and a password

# The text of the last mail; there must be that many.
sub came {
    my ($server, $want) = @_;

    wait_for { mails($server) >= $want } 15, "mail $want";
    my @got = mails($server);
    return @got == $want ? $got[-1][2] : scalar(@got) . ' mails';
}

my $n = 0;
sub try { return confirm_attempt('email', 'try' . ++$n . '@example.net',
    'k7m2xq') }
my @user = (smtp_user => 'robot', smtp_password_file => "$dir/password",
    smtp_tls => 'required');
daemon($auth->{port}, @user);
is(try(), 'delivered', 'STARTTLS and a password');
like(came($auth, 1), qr/with esmtpsa .*TLS1\.[23]/s,
    'exim gets the mail by TLS with authentication');
daemon($login->{port}, @user);
is(try(), 'delivered', 'AUTH LOGIN, if the server has no other');
like(came($login, 1), qr/with esmtpsa .*TLS1\.[23]/s,
    'exim gets the mail by TLS with AUTH LOGIN');
daemon($auth->{port}, smtp_tls => 'required');
like(try(), qr/^dead: .*authentication is needed/,
    'the delivery is dead without a password');
daemon($auth->{port}, @user, smtp_password_file => "$dir/wrong");
is(try(), '0 the mail server refuses its user',
    'the mail server refuses a wrong password');
like(read_file($d->{log}), qr/\[error\].*refuses smtp_user and its password/,
    'the daemon logs the refused password as an error');
daemon($auth->{port}, @user, smtp_ca => "$dir/stranger.pem");
is(try(), '0 no secure connection to the mail server',
    'a certificate of another authority is refused');
like(read_file($d->{log}), qr/\[error\].*no TLS connection to the mail server/,
    'the daemon logs the failed TLS connection as an error');
daemon($bad->{port}, smtp_tls => 'required');
is(try(), '0 no secure connection to the mail server',
    'the daemon refuses a bad certificate');
daemon($plain->{port}, smtp_tls => 'required');
is(try(), '0 no secure connection to the mail server',
    'a server without STARTTLS gets no mail');
daemon($bad->{port}, smtp_tls => 'opportunistic');
is(try(), 'delivered', 'opportunistic: whatever the certificate');
like(came($bad, 1), qr/with esmtps .*TLS1/s,
    'the opportunistic connection uses TLS');
daemon($plain->{port}, smtp_tls => 'opportunistic');
is(try(), 'delivered', 'the opportunistic connection works without TLS');
daemon($bad->{port});
is(try(), 'delivered', 'auto on this machine');
like(came($bad, 2), qr/with esmtp\b/,
    'the connection on this machine uses no TLS');
daemon($implicit->{port}, smtp_url => "smtps://localhost:$implicit->{port}");
is(try(), 'delivered', 'an smtps URL delivers the mail');
like(came($implicit, 1), qr/with esmtps .*TLS1/s,
    'an smtps connection begins with TLS');
daemon($implicit->{port}, smtp_ca => "$dir/stranger.pem",
    smtp_url => "smtps://localhost:$implicit->{port}");
is(try(), '0 no secure connection to the mail server',
    'smtps: another authority');

daemon(free_port());
is(try(), '0 no connection to the mail server', 'no server at the port');
like(read_file($d->{log}),
    qr/\[notice\].* next attempt in .*: no connection to the mail server$/m,
    'the daemon logs the next attempt as a notice');

# --- faults

my $fake = start_fake_smtp();
daemon($fake->{port});
sub fault {
    my (%answer) = @_;
    answer_smtp($fake, %answer);
    return try();
}
is(fault(), 'delivered', 'the server that is to have faults');
like((smtp_seen($fake, 'message'))[0]{line}, qr/\A(?:[^\r\n]{0,998}\r\n)+\z/,
    'lines end in CR LF');
my $words = 'the mail server said:';
my @again = (
    [greet => '421 busy'], [mail => '450 not now'], [rcpt => '450 greylisted'],
    [rcpt => '421 go away'], [data => '451 no disk'], [end => '452 full'],
);
like(fault(@$_), qr/^\d+ $words \Q$_->[1]\E/,
    "the delivery is retried after $_->[1] at $_->[0]") for @again;
my @never = (
    [greet => '554 no'], [mail => '553 no'], [rcpt => '550 no'],
    [data => '554 no'], [end => '554 spam'],
);
like(fault(@$_), qr/^dead: $words \Q$_->[1]\E/,
    "the delivery is dead after $_->[1] at $_->[0]")
    for @never;
is(fault(ehlo => '500 what', helo => '550 no'), "dead: $words 550 no",
    'no EHLO, no HELO');
is(fault(ehlo => '500 what'), 'delivered',
    'the daemon uses HELO if EHLO is refused');
is(fault($_ => 'cut'), '0 the mail server closed the connection', "$_: cut off")
    for qw(mail rcpt data end);
like(fault($_ => 'flood'), qr/^0 the mail server/, "$_: without an end")
    for qw(greet ehlo rcpt end);
like(fault($_ => 'long'), qr/^0 the mail server/, "$_: a line too long")
    for qw(greet rcpt end);
is(fault(quit => 'hang'), 'delivered', 'silence at QUIT');
is(fault(quit => 'cut'), 'delivered', 'cut off at QUIT');
is(fault(rcpt => "550-one\r\n550-two\r\n550 three"),
    "dead: $words 550 one two three", 'all lines of the last reply');
is(fault(rcpt => "550 a\tb\e[31m\x01\xff\xc2\x85" . 'y' x 400),
    "dead: $words 550 a?b?[31m???" . 'y' x 119,
    'the error has the reply cleaned and cut');
is(fault(rcpt => '550 your code is K7M2XQ, k7m2xq'),
    "dead: $words 550 your code is ******, ******",
    'the error has the reply without the code');

daemon($fake->{port}, smtp_timeout => '1s');
is(fault($_ => 'hang'), '0 the mail server did not answer in time',
    "silence at $_ is a timeout") for qw(greet ehlo mail rcpt data end);
is(fault(greet => 'SSH-2.0-OpenSSH'),
    '0 the mail server did not answer in time',
    'a greeting of another protocol is a timeout');
daemon($fake->{port});

# a repetition sends the same mail
answer_smtp($fake, end => '451 once more');
my $before = () = smtp_seen($fake, 'message');
$co = contact_put('email', 'a@example.net');
$ev = confirm($co, 'k7m2xq');
my $m = "$AC:$ev:$co";
soon { (delivery($m)->{attempt} // 0) == 1 } 'refused at the end';
answer_smtp($fake);
due_now($m);
soon { idle() } 'accepted';
my @sent = (smtp_seen($fake, 'message'))[$before, $before + 1];
is($sent[1]{line}, $sent[0]{line}, 'byte for byte the same');

# a server that hangs delays only mail
answer_smtp($fake, greet => 'hang');
daemon($fake->{port}, smtp_timeout => '1s');
my $hook = start_receiver();
confirm(contact_put('email', "h$_\@example.net"), 'k7m2xq') for 1 .. 20;
confirm(contact_put('endpoint', $hook->{url}), 'k7m2xq') for 1 .. 100;
soon { received($hook) == 100 } 'an endpoint has its hundred at once', 10;
answer_smtp($fake);
cmd('DEL', k('r', $AC, $_)) for map { /:(CO\w+)$/ } keys %{ deliveries() };
due_now(keys %{ deliveries() });
soon { idle() } 'the rest is dropped', 30;

# --- shutdown

answer_smtp($fake, end => 'hang');
daemon($fake->{port}, smtp_timeout => '60s');
$ev = confirm($co = contact_put('email', 'a@example.net'), 'k7m2xq');
$m = "$AC:$ev:$co";
my $seen = sub { grep { $_->{line} =~ /$ev/ } smtp_seen($fake, 'message') };
soon { $seen->() == 1 } 'the server has the mail and does not answer';
ok(stop_server($d, 20), 'TERM ends the daemon before the timeout');
is($d->{status}, 0, 'the terminated daemon exits with status 0');
is(delivery($m)->{attempt}, 0, 'the outcome is not known');

answer_smtp($fake, end => 'hang');
daemon($fake->{port}, smtp_timeout => '60s');
due_now($m);
soon { $seen->() == 2 } 'it is sent again';
kill_server($d);
answer_smtp($fake);
daemon($fake->{port});
due_now($m);
soon { idle() } 'and again after a kill';
my @all = $seen->();
is(scalar @all, 3, 'once more for each');
is($_->{line}, $all[0]{line}, 'the same mail') for @all;

# --- nothing of it is stored

answer_smtp($fake);
stop_server($d);
cmd('DEL', @{ cmd('KEYS', k('r', $AC, 'CO*')) });
unlike(join("\n", %{ redis_dump($redis) }),
    qr/k7m2xq/i, 'no code is left in the store');
unlike(join('', map { read_file($_->{log}) } @daemons),
    qr/k7m2xq|Correct-Horse|example\.net/i,
    'no log has the code, the password or an address');
done_testing();
