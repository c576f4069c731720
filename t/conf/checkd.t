#!/usr/bin/perl

# The configuration of rbl-checkd: valid values pass -t; an invalid value gives
# one line with file, line, key and the allowed values.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;

my $checkd = build_dir() . '/rbl-checkd';
my $file = temp_dir() . '/checkd.conf';
my $password = temp_dir() . '/password';
write_file($password, "secret\n");

sub test_conf {
    my ($text) = @_;

    write_file($file, $text);
    return run_cmd($checkd, '-t', '-c', $file);
}

sub right {
    my ($text, $name) = @_;

    my $r = test_conf($text);
    is("$r->{status} $r->{err}", '0 ', "rbl-checkd -t accepts $name");
    is($r->{out}, "$file: the configuration is valid\n",
        "rbl-checkd -t reports a valid file: $name");
}

sub wrong {
    my ($text, $line, $pattern, $name) = @_;

    my $r = test_conf($text);
    is($r->{status}, 1, "rbl-checkd -t refuses $name");
    like($r->{err}, qr/\A\Q$file\E:$line: $pattern\n\z/,
        "the message has the line and the reason: $name");
    is($r->{out}, '', "rbl-checkd writes no output when it refuses $name");
}

# The shipped file is the output of -D, and all of it is valid.

my $r = run_cmd($checkd, '-D');
is($r->{status}, 0, '-D prints a configuration');
is(read_file(repo_dir() . '/conf/rbl-checkd.conf'), $r->{out},
    'conf/rbl-checkd.conf is the output of -D');
right($r->{out}, 'the output of -D');
is(scalar(grep { length > 80 } split /\n/, $r->{out}), 0,
    'the output of -D has lines of at most 80 characters');

my $all = join '', map { /^#(\w+ .*?)(    # no default)?$/ && !$2 ? "$1\n"
    : '' } split /\n/, $r->{out};
cmp_ok(scalar(() = $all =~ /\n/g), '>', 20,
    'the output of -D shows more than 20 defaults');
right($all, 'every default, written out');

# Forms of lines.

right('', 'an empty file');
right("# nothing\n\n   \t\n", 'comments and empty lines');
right("  log   stderr   # here\n", 'space and a comment');
right("log \"stderr\"# here\n", 'a value in quotes');
right("log stderr", 'no newline at the end');
right("log stderr\r\nlog_level info\r\n", 'CR LF');
right("resolver 127.0.0.1 127.0.0.1\@5353 ::1 [::1]:53\n", 'four resolvers');
right("deliver_allow 10.0.0.0/8\ndeliver_allow fd00::/8\n",
    'a key that may be repeated');
right("store unix:/run/redis.sock\nstore_password_file $password\n",
    'a socket and a password');
right("store [::1]:6379\n", 'an IPv6 store');
right("store sentinel:rbl\@10.0.0.1:26379,no-such-host.invalid:26379\n",
    'Sentinels; names are not resolved');
right("store cluster:10.0.0.1:6379,[fd00::1]:6379\n"
    . "store_nodes a:1=10.0.0.1:2\nstore_nodes b:1=10.0.0.2:2\n", 'a cluster');
right("check_timeout 500ms\nlease 1001ms\n", 'a lease just long enough');

my $duration = 'a duration such as .*';
wrong("workers 4\n", 1, 'workers: this key was removed; run rbl-checkd@NAME.service'
    . ' once .*', 'a removed key');
wrong("lgo stderr\n", 1, 'lgo: there is no such key .*', 'an unknown key');
wrong("log\n", 1, 'log: stderr, syslog or an absolute path', 'no value');
wrong("# x\nlog stderr\n\nlog syslog\n", 4,
    'log: given in line 2 already; once is allowed', 'a key twice');
wrong("log \"stderr\n", 1, 'the closing quote is missing', 'an open quote');
wrong("log \"stderr\" x\n", 1, 'text behind the closing quote;.*',
    'text behind a quote');
wrong("log std\"err\"\n", 1, 'a quote inside a value;.*', 'a quote inside');
wrong("log stderr\0\n", 1, 'a control character \(byte 0\);.*', 'NUL');
wrong("log std\x1berr\n", 1, 'a control character \(byte 27\);.*', 'ESC');
wrong('#' x 1100 . "\n", 1, 'too long;.*', 'a long line');
wrong("\n" x 11_000, '\d+', 'too long;.*', 'too many lines');
wrong("\"log\" stderr\n", 1, '.*', 'a key in quotes');

# Values.

for my $v ('127.0.0.1', '127.0.0.1:0', '127.0.0.1:65536',
    '::1:6379', '[::1]', '[::1]6379', '127.0.0.1:6379x', ':6379', 'unix:',
    'unix:run', 'unix:/' . 'x' x 120, '[127.0.0.1:1', 'sentinel:10.0.0.1:1',
    'a:1,b:1', 'cluster:' . join(',', ('10.0.0.1:1') x 17))
{
    wrong("store $v\n", 1, 'store: "' . quotemeta(substr $v, 0, 100) . '": .+',
        "store $v");
}
wrong("log stderr\nstore tls:127.0.0.1:1\n", 2,
    'store: tls: needs store_tls_ca, .*', 'tls: without authorities');
for (['certificate', 'key'], ['key', 'certificate']) {
    wrong("store_tls_$_->[0] $password\n", 1,
        "store_tls_$_->[0]: store_tls_$_->[1] must be given too",
        "store_tls_$_->[0] alone");
    wrong("store_tls_$_->[0] /no/such\n", 1,
        "store_tls_$_->[0]: the file cannot be read: No such file.*",
        "store_tls_$_->[0]: no file");
}
$r = test_conf("store tls:127.0.0.1:1\nstore_tls_ca $password\n");
is("$r->{status} $r->{err}", "1 $file: store_tls_ca: $password cannot be used:"
    . " no certificate or crl found\n",
    'the message says that another file has no certificate');
wrong("store_nodes a:1\n", 1, 'store_nodes: "a:1": it must be .*', 'no address');
wrong("store_prefix a b\n", 1, 'store_prefix: 1 to 32 .*', 'prefix: space');
wrong('store_prefix ' . 'x' x 33 . "\n", 1, 'store_prefix: 1 to 32 .*',
    'prefix: long');
wrong('store_user ' . 'x' x 64 . "\n", 1, 'store_user: .*', 'user: long');
wrong("# x\nstore_user x\n", 2,
    'store_user: store_password_file must be given too', 'user: no password');
wrong("store_password_file /no/such\n", 1,
    'store_password_file: the file cannot be read: No such file.*',
    'password: no file');
write_file("$password.0", "\n");
wrong("store_password_file $password.0\n", 1,
    'store_password_file: a readable file that holds .*', 'password: empty');
write_file("$password.1", 'x' x 300);
wrong("store_password_file $password.1\n", 1,
    'store_password_file: a readable file that holds .*', 'password: long');
wrong("log relative.log\n", 1, 'log: stderr, .*', 'log: relative');
wrong("log_level loud\n", 1, 'log_level: error, warn, .*', 'level');
wrong("schedule yes\n", 1, 'schedule: on or off', 'flag');

for my $v (qw(0 10001 -1 1.5 x 1x 99999999999999999999), '1 2') {
    wrong("checks_max $v\n", 1,
        'checks_max: a whole number from 1 to 10000', "checks_max $v");
}
for my $v (qw(0ms 49ms 61s 2 s 2x 2.5s -2s 99999999999999999999s), '2 s',
    '2ss')
{
    wrong("store_timeout $v\n", 1,
        "store_timeout: $duration, from 50ms to 1m", "store_timeout $v");
}
wrong("lease 2h\n", 1, "lease: $duration, from 500ms to 1h", 'lease');
wrong("keep_manual 367d\n", 1, "keep_manual: $duration, from 1m to 366d",
    'keep_manual');
wrong("dns_zone_rate 100001\n", 1,
    'dns_zone_rate: a whole number from 0 to 100000', 'rate');
for my $v ('localhost', '127.0.0.1@0', '127.0.0.1@65536', '127.0.0.1@x',
    '127.0.0', '127.0.0.1,127.0.0.2', join ' ', ('127.0.0.1') x 9)
{
    wrong("resolver $v\n", 1, 'resolver: 1 to 8 numeric addresses, .*',
        "resolver $v");
}
for my $v (qw(10.0.0.1/8 10.0.0.0 10.0.0.0/33 x/8 ::/129)) {
    wrong("deliver_allow $v\n", 1, 'deliver_allow: a subnet .*',
        "deliver_allow $v");
}
right("deliver_allow $_\n", "deliver_allow $_") for qw(10.0.0.0/8:25
    [fd00::/8]:8443 10.1.2.3/32:65535 ::/0);
right("deliver_deny $_\n", "deliver_deny $_") for qw(198.51.100.7/32
    2001:4860::/32);
for my $v ('10.0.0.0/8:', '10.0.0.0/8:0', '10.0.0.0/8:65536', '10.0.0.0:80',
    '10.0.0.0/8:80:80', '[10.0.0.0/8]:80', '[fd00::/8]', '[fd00::/8]:',
    '[fd00::/8]:x', '[fd00::/8:80', 'fd00::/8:80', '[]:80', '[:80', ':80', ':',
    ']:80')
{
    wrong("deliver_allow $v\n", 1, 'deliver_allow: a subnet .*',
        "deliver_allow $v");
}
for my $v ('10.0.0.1/8', '10.0.0.0', '10.0.0.0/8:25', 'x') {
    wrong("deliver_deny $v\n", 1, 'deliver_deny: a subnet .*',
        "deliver_deny $v");
}
wrong("deliver_deny 10.0.0.0/8\n" x 33, 33, 'deliver_deny: a subnet .*',
    'too many subnets that are denied');
right("refuse_zone a.example\nrefuse_zone B\nallow_zone test\n", 'zones');
for my $key (qw(refuse_zone allow_zone)) {
    wrong("$key $_\n", 1, "$key: a domain name; .*", "$key $_")
        for qw(a..b .a a/b * -a), 'x' x 64;
    wrong("$key a.example\n" x 33, 33, "$key: a domain name; .*",
        "too many of $key");
}
wrong("deliver_allow 10.0.0.0/8\n" x 33, 33, 'deliver_allow: a subnet .*',
    'too many subnets');
for my $v (qw(x 192.0.2 192.0.2.0/24 192.0.2.1@53 ::g)) {
    wrong("source_address $v\n", 1, 'source_address: a numeric address; .*',
        "source_address $v");
}
wrong("source_address ::1\n" x 17, 17, 'source_address: a numeric .*',
    'too many addresses');
wrong("deliver_ca /no/such\n", 1, 'deliver_ca: the file cannot be read: .*',
    'no CA file');
wrong("zoneinfo /no/such\n", 1, 'zoneinfo: the directory cannot be read: .*',
    'no time zones');
wrong("zoneinfo $file\n", 1, 'zoneinfo: a directory', 'a file');
right("zoneinfo /usr\n", 'a directory');
wrong('name ' . 'x' x 64 . "\n", 1, 'name: a name of 1 to 63 bytes', 'name');
wrong("lease 40s\n", 1, 'lease: 40s is not more than twice check_timeout .*',
    'a short lease');
wrong("# x\ncheck_timeout 30s\n", 2,
    'lease: 60s is not more than twice check_timeout .*',
    'a long check_timeout');

# The mail server.

my $from = "smtp_from blocklists\@example.net\n";
for my $v ('smtp://mail.example.net:587', 'smtp://mail.example.net',
    'smtps://mail.example.net', 'smtp://mailhost:25', 'smtp://192.0.2.1:25',
    'smtp://[2001:db8::1]:25', 'smtps://[2001:db8::1]',
    'smtp://a-b.c--d.example')
{
    right("smtp_url $v\n$from", "smtp_url $v");
}
for my $v ('mail.example.net', 'http://mail.example.net', 'smtp://', 'smtps://',
    'smtp://:25', 'smtp://mail.example.net:', 'smtp://mail.example.net:0',
    'smtp://mail.example.net:65536', 'smtp://mail.example.net:25x',
    'smtp://mail.example.net/', 'smtp://mail.example.net:25/x',
    'smtp://user@mail.example.net', 'smtp://user:pass@mail.example.net',
    'smtp://::1', 'smtp://[::1', 'smtp://[::1]25', 'smtp://[127.0.0.1]',
    'smtp://[mail.example.net]', 'smtp://-a.example', 'smtp://a-.example',
    'smtp://a..example', 'smtp://a.example.', 'smtp://a b', 'smtp://a%0d%0ab',
    'smtp://' . 'x' x 254, 'SMTP://mail.example.net')
{
    wrong("smtp_url $v\n$from", 1, 'smtp_url: smtp://HOST or smtps://HOST, .*',
        "smtp_url $v");
}
for my $v ('blocklists', '<a@example.net>', 'A <a@example.net>', 'a@localhost',
    'a b@example.net', 'a@example.net,b@example.net', '@example.net')
{
    wrong("smtp_from $v\n", 1, 'smtp_from: one address, .*', "smtp_from $v");
}
for my $v (qw(https://rbl.example/portal/ http://localhost:8080/portal/
    http://127.0.0.1/ http://[::1]:8080/portal))
{
    right("portal_url $v\n", "portal_url $v");
}
for my $v (qw(http://rbl.example/ http://localhost.example/
    http://localhost/?a https://u@rbl.example/))
{
    wrong("portal_url $v\n", 1, 'portal_url: https://HOST .*',
        "portal_url $v");
}

my $url = "smtp_url smtp://mail.example.net\n$from";
wrong("smtp_url smtp://mail.example.net\n", 1,
    'smtp_url: smtp_from must be given too', 'no sender');
wrong("smtp_tls yes\n", 1, 'smtp_tls: auto, required, opportunistic or off',
    'smtp_tls');
chmod 0600, $password;
my $user = "smtp_user robot\nsmtp_password_file $password\n";
right($url . $user, 'a user and its password');
wrong("${url}smtp_user robot\n", 3,
    'smtp_user: smtp_user and smtp_password_file go together', 'no password');
wrong("${url}smtp_password_file $password\n", 3,
    'smtp_password_file: smtp_user and .*', 'no user');
for my $tls ('off', 'opportunistic') {
    wrong("$url${user}smtp_tls $tls\n", 3, 'smtp_user: a password is not sent '
        . 'to another machine unless .*', "a password, and smtp_tls $tls");
    right("smtp_url smtp://127.0.0.1\n$from${user}smtp_tls $tls\n",
        "on this machine, with smtp_tls $tls");
    wrong("smtp_url smtps://127.0.0.1\n${from}smtp_tls $tls\n", 3,
        'smtp_tls: smtps:// is always required', "smtps, and smtp_tls $tls");
}
for my $mode (0644, 0640, 0604, 0660) {
    chmod $mode, $password;
    wrong($url . $user, 4, 'smtp_password_file: others than its owner can use '
        . 'the file; chmod 600 .*', sprintf 'a password file of %o', $mode);
}
wrong("smtp_password_file /no/such\n", 1,
    'smtp_password_file: the file cannot be read: No such file.*',
    'no password file');
wrong("smtp_timeout 11m\n", 1, "smtp_timeout: $duration, from 500ms to 10m",
    'smtp_timeout');

# Services of contacts.

for my $key (qw(pagerduty_url telegram_url pushover_url sms_url datadog_url
    sns_url logs_url))
{
    for my $v ('https://api.example.net', 'https://api.example.net:8443',
        'https://api.example.net/v9', 'https://192.0.2.1/x',
        'https://[2001:db8::1]', 'http://127.0.0.1:8080', 'http://[::1]:8080')
    {
        right("$key $v\n", "$key $v");
    }
    for my $v ('api.example.net', 'ftp://api.example.net', 'https://',
        'https://api.example.net/', 'https://api.example.net/?a=b',
        'https://api.example.net/x?y', 'http://api.example.net',
        'http://192.0.2.1', 'http://128.0.0.1', 'http://[::2]',
        'http://127.1', 'https://localhost', 'https://0x7f000001',
        'https://user@api.example.net', 'https://a b', 'https://x/\r')
    {
        wrong("$key $v\n", 1, "$key: .*HOST.*|.*only text is allowed",
            "$key $v");
    }
}
my $token = own_dir('tokens') . '/token';
sub token { write_file($token, $_[0]); chmod 0600, $token; return $token }
my $telegram = '123456:AAH-x_y';
right('telegram_token_file ' . token("$telegram\nmore\n") . "\n", 'a token');
for my $v ('', 'x', '123456', '123456:', ':abc', '123456:abc/../x',
    "123456:abc?x", '123456:a b', "123456:\xc3\xa4", 'a' x 600)
{
    wrong('telegram_token_file ' . token($v) . "\n", 1,
        'telegram_token_file: (?:the file does not hold such a token|a file '
        . 'that only .*)', "not a token of Telegram: $v");
}
right('pushover_token_file ' . token('a1' x 15) . "\n", 'a token of Pushover');
for my $v ('', 'a' x 29, 'a' x 31, '-' x 30) {
    wrong('pushover_token_file ' . token($v) . "\n", 1,
        'pushover_token_file: (?:the file does not hold .*|a file .*)',
        "not a token of Pushover: $v");
}
token($telegram);
for my $key (qw(telegram_token_file pushover_token_file sms_token_file
    gateway_key_file)) {
    chmod 0640, $token;
    wrong("$key $token\n", 1, "$key: others than its owner can use .*",
        "$key: a file that others can read");
}
chmod 0600, $token;
my @sms = ("sms_account AC1_-\n", "sms_token_file $token\n",
    "sms_from +15005550006\n");
right(join('', @sms), 'an account for text messages');
right("$sms[0]$sms[1]sms_from $_\n", "from $_")
    for 'MG0123456789abcdef', 'Blocklists', '"My lists"';
for my $i (0 .. 2) {
    wrong($sms[$i], 1, 'sms_\w+: sms_account, sms_token_file and sms_from go '
        . 'together', "$sms[$i] alone");
}
for my $v ('AC/..', 'a b', 'x' x 65, '') {
    wrong("sms_account $v\n", 1, 'sms_account: .*', "sms_account $v");
}
for my $v ('+1', '+0155', '+1500555x', 'a&b', 'x' x 65) {
    wrong("sms_from $v\n", 1, 'sms_from: a phone number .*', "sms_from $v");
}

# Files and options.

$r = run_cmd($checkd, '-t', '-c', '/no/such/file');
is($r->{status}, 1, 'rbl-checkd -t exits with 1 for a missing file');
is($r->{err}, "/no/such/file: cannot be read: No such file or directory\n",
    'the message names the missing file');
$r = run_cmd($checkd, '-t', '-c', temp_dir());
is($r->{status}, 1, 'rbl-checkd -t exits with 1 for a directory');
like($r->{err}, qr/cannot be read: Is a directory/,
    'the message says that the file is a directory');
$r = run_cmd($checkd, '-c', '/no/such/file');
is($r->{status}, 1, 'rbl-checkd without -t exits with 1 for a missing file');
write_file($file, "log /no/such/dir/log\n");
$r = run_cmd($checkd, '-c', $file);
is($r->{status}, 1, 'rbl-checkd exits with 1 for a log that cannot be opened');
like($r->{err}, qr{\A\Q$file\E: log: /no/such/dir/log: No such file},
    'the message names the log that cannot be opened');
$r = run_cmd($checkd, '-V');
like($r->{out}, qr/\Arbl-checkd \d+\.\d+\.\d+\n\z/,
    'rbl-checkd -V prints the version');
$r = run_cmd($checkd, '-h');
like($r->{out}, qr/\Ausage: rbl-checkd/, 'rbl-checkd -h prints its usage');
is($r->{status}, 0, 'rbl-checkd -h exits with 0');
for my $bad (['-x'], ['-c'], ['-t', 'more']) {
    $r = run_cmd($checkd, @$bad);
    is($r->{status}, 2, "rbl-checkd @$bad exits with 2");
    like($r->{err}, qr/usage: rbl-checkd/, "rbl-checkd @$bad prints its usage");
}

# Billing.

right("gateway $_\n", "gateway $_") for 'none', 'manual';
right("gateway stripe\ngateway_key_file " . token("$_\n") . "\n",
    "a key of Stripe") for 'sk_test_a1', 'rk_live_B2';
right("gateway http\ngateway_url https://pay.example\ngateway_key_file "
    . token("a secret\n") . "\n", 'gateway http');
wrong("gateway stripe\n", 1, 'gateway: [^\n]*needs gateway_key_file',
    'stripe without a key');
wrong("gateway http\ngateway_key_file " . token("x\n") . "\n", 1,
    'gateway: [^\n]*needs gateway_url', 'http without a URL');
wrong("gateway stripe\ngateway_key_file " . token("$_\n") . "\n", 2,
    'gateway_key_file: the file does not hold a secret key of Stripe[^\n]*',
    'a key of another kind') for 'pk_live_a', 'sk_prod_a', 'sk_test_',
    'sk_test_a b', 'x';
right("bill_grace $_\n", "a grace of $_") for '0s', '30d';
wrong("gateway $_\n", 1, 'gateway: [^\n]*none, manual, stripe or http[^\n]*',
    "gateway $_") for 'paypal', 'Manual', 'yes';
wrong("bill_grace $_\n", 1, 'bill_grace: [^\n]*', "a grace of $_")
    for '-1s', '367d', 'never';

done_testing();
