#!/usr/bin/perl

# Credentials: every malformed one gives the same 401; suspension gives 403; no
# part of a password is ever logged.

use strict;
use warnings;

use MIME::Base64 qw(encode_base64);
use RblApi;

my $t = api_setup(level => 'debug');
my $redis = $t->{redis};
my ($sid, $token) = @{ $t->{acct} }{qw(sid token)};
my $h = add_host($t, '10.0.0.1');

sub header { return call($t, 'GET', 'hosts.json', auth => undef,
    headers => ["Authorization: $_[0]"]) }
sub basic { return 'Basic ' . encode_base64($_[0], '') }
sub commands {
    my ($n) = redis($redis, 'INFO', 'commandstats')
        =~ /cmdstat_mget:calls=(\d+)/;
    return $n // 0;
}

# --- malformed: refused without a query ------------------------------------

my (%text, $before);
$before = commands();
for (undef, '', 'Basic', 'Basic ', 'Basic !!!', 'Bearer ' . $token,
    "Basic $sid:$token", basic(''), basic(':'), basic("$sid:"),
    basic(":$token"), basic($sid), basic("$sid:x"), basic("x:$token"),
    basic("$sid:" . uc $token), basic("$sid:${token}0"),
    basic("$sid:" . substr $token, 1), basic("$sid:" . 'g' x 64),
    basic("$sid : $token"), basic("AC123:$token"), basic("${sid}0:$token"),
    basic("ac" . substr($sid, 2) . ":$token"),
    basic("HT" . substr($sid, 2) . ":$token"), basic("$sid\0:$token"),
    basic("$sid:$token\n"), basic("$sid:$token:x"), basic('x' x 3000),
    basic("\xff" x 34 . ":$token"), 'Digest username="x"', basic("*:$token"),
    basic("$sid}:$token"), 'Basic ' . 'A' x 4000)
{
    my $r = defined $_ ? header($_) : call($t, 'GET', 'hosts.json',
        auth => undef);
    my $name = defined $_ ? substr $_, 0, 30 : 'no header';
    refused($r, 401, qr/^Invalid credentials\.$/,
        "the credentials '$name' are refused");
    is($r->{headers}{'www-authenticate'},
        'Basic realm="Blocklist Monitoring API"',
        "the refusal of '$name' has a WWW-Authenticate header");
    $text{$r->{body}}++;
}
is(commands(), $before, 'malformed credentials do not reach the store');

# --- well-formed and wrong -------------------------------------------------

my $unknown = 'AC' . '0' x 32;
for ([$sid, '0' x 64], [$unknown, $token], [$sid, $t->{other}{token}],
    [$t->{other}{sid}, $token])
{
    my $r = call($t, 'GET', 'hosts.json', auth => $_);
    refused($r, 401, qr/^Invalid credentials\.$/,
        'a wrong account or token is refused');
    $text{$r->{body}}++;
}
cmp_ok(commands(), '>', $before, 'well-formed credentials reach the store');
is(scalar keys %text, 1, 'all refusals have the same text');

# The first half of the digest is not sufficient.
my $tokens = redis_key('tokens', $sid);
my ($field) = @{ redis($redis, 'HKEYS', $tokens) };
my $key = redis_key('token', $sid, $field);
my $good = redis($redis, 'GET', $key);
my $record = record('token', $good);
for (['another digest', digest => substr($record->{digest}, 0, 31) . chr(1
        ^ ord substr $record->{digest}, 31)],
    ['a short digest', digest => substr $record->{digest}, 0, 8],
    ['no digest', digest => ''], ['a revoked token', status => 'revoked'],
    ['no application', app => ''], ['another version', version => 2])
{
    my ($name, %change) = @$_;
    redis($redis, 'SET', $key,
        record_pack('token', %$record, %change));
    forget($t, $sid);
    refused(call($t, 'GET', 'hosts.json'), 401, qr/^Invalid credentials\.$/,
        "a record of a token is refused: $name");
}
for my $bad ('', 'garbage', "\x94\x01", "\xdd\xff\xff\xff\xff") {
    redis($redis, 'SET', $key, $bad);
    forget($t, $sid);
    refused(call($t, 'GET', 'hosts.json'), 401, qr/^Invalid credentials\.$/,
        'a token with an invalid record is refused');
}
redis($redis, 'SET', $key, $good);

accepted(call($t, 'GET', 'hosts.json'), 'the right credentials are accepted');
accepted(call($t, 'GET', 'hosts.json',
    auth => ['AC' . uc(substr $sid, 2), $token]),
    'a SID in upper case is accepted');
accepted(header('basic ' . encode_base64("$sid:$token", '')),
    'the scheme in lower case is accepted');

# --- refusals in every format, on every kind of call -----------------------

is(call($t, 'GET', 'listings.nagios', auth => undef)->{body},
    'UNKNOWN - Invalid credentials.',
    'the Nagios response without credentials is UNKNOWN');
is(call($t, 'GET', 'listings.zabbix', auth => undef)->{body}, '-1',
    'the Zabbix response without credentials is -1');
is(call($t, 'GET', 'listings.zabbix', auth => undef)->{status}, 401,
    'the Zabbix response without credentials is a 401');
my $xml = call($t, 'GET', 'hosts.xml', auth => undef);
xml_ok($xml->{body}, 'XML');
like($xml->{body}, qr{<response><status_code>401</status_code>
    <status_message>Invalid\ credentials\.</status_message></response>}x,
    'the XML response without credentials has the same message');
unchanged {
    for (['POST', 'host/add.json', form => { host => '10.0.0.2', name => 'n',
            type => 'rbl' }], ['POST', "host/delete/$h->{id}.json"],
        ['POST', 'check/start.json', form => { host => '10.0.0.2' }],
        ['GET', "host/$h->{id}.json"], ['GET', 'host/nonsense.json'],
        ['GET', 'hosts.json?page=x'], ['POST', 'host/add.json'],
        ['POST', 'host/add.json', body => '{', type => 'application/json'],
        ['POST', 'host/add.json', body => 'x', type => 'text/plain'])
    {
        my ($method, $path, @opt) = @$_;
        for my $auth (undef, [$sid, '0' x 64]) {
            refused(call($t, $method, $path, @opt, auth => $auth), 401,
                qr/^Invalid credentials\.$/,
                "$method $path is refused without valid credentials");
        }
    }
} $t, 'without credentials';
refused(call($t, 'GET', 'nonsense.json', auth => undef), 404, qr/path/,
    'an unknown path is refused before missing credentials');
refused(call($t, 'PUT', 'hosts.json', auth => undef), 405, qr/GET/,
    'a wrong method is refused before missing credentials');

# --- another account -------------------------------------------------------

{
    local $t->{acct} = $t->{other};
    is(accepted(call($t, 'GET', 'hosts.json'), 'other account')->{total_hosts},
        0, 'the other account sees no host of the first');
}

# --- suspended, gone, revoked ----------------------------------------------

is(rblctl($redis, 'account', 'suspend', $sid)->{status}, 0,
    'rblctl suspends the account');
unchanged {
    refused(call($t, 'GET', 'hosts.json'), 403, qr/suspended/,
        'a suspended account may not read');
    refused(call($t, 'GET', 'hosts.json?page=x'), 403, qr/suspended/,
        'a suspended account gets no parameter error for a read');
    refused(call($t, 'POST', "host/delete/$h->{id}.json"), 403,
        qr/suspended/, 'a suspended account may not write');
    refused(call($t, 'POST', 'host/add.json'), 403, qr/suspended/,
        'a suspended account gets no parameter error for a write');
    like(call($t, 'GET', 'listings.nagios')->{body},
        qr/^UNKNOWN - .*suspended/,
        'the Nagios response to a suspended account is UNKNOWN');
    refused(call($t, 'GET', 'hosts.json', auth => [$sid, '0' x 64]), 401,
        qr/^Invalid credentials\.$/,
        'only a caller with a token gets the reason');
} $t, 'suspended';
my $acct = redis_key('acct', $sid);
my $packed = redis($redis, 'GET', $acct);
for my $bad (undef, '', 'garbage') {
    redis($redis, defined $bad ? ('SET', $acct, $bad) : ('DEL', $acct));
    forget($t, $sid);
    refused(call($t, 'GET', 'hosts.json'), 401, qr/^Invalid credentials\.$/,
        'an account without a valid record is refused');
}
redis($redis, 'SET', $acct,
    record_pack('account', %{ record('account', $packed) },
        status => 'active'));
accepted(call($t, 'GET', 'hosts.json'),
    'an account that is active again may read');
is(rblctl($redis, 'app', 'revoke', $sid, $t->{acct}{app})->{status}, 0,
    'rblctl revokes the application');
refused(call($t, 'GET', 'hosts.json'), 401, qr/^Invalid credentials\.$/,
    'a token of a revoked application is refused');

# --- the log ---------------------------------------------------------------

my $log = read_file($t->{nginx}{error_log});
like($log, qr/\[info\].*rbl: login of $unknown refused/,
    'nginx logs the SID of a refused login');
my $ours = join "\n", grep { /\brbl\b/ } split /\n/, $log;
unlike($ours, qr/\Q$token\E/i, 'our log lines do not have the token');
unlike($ours, qr/\Q@{[encode_base64("$sid:$token", '')]}\E/,
    'our log lines do not have the encoded credentials');

done_testing();
