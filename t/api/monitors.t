#!/usr/bin/perl

# The plain answers for monitoring, and rbl_legacy_errors, in every case: who
# asks by a script reads a word or a number, and never "OK" or a count where
# nobody knows.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use RblApi;

my $location = 'location /old/ { rbl_api on; rbl_legacy_errors on; }';
my $t = api_setup(server => $location);
my $redis = $t->{redis};
my ($sid, $app, $token) = @{ $t->{acct} }{qw(sid app token)};

sub ctl {
    my $r = rblctl($redis, @_);
    die "rblctl @_: $r->{err}" if $r->{status};
}

# --- what is known ---------------------------------------------------------

sub plain {
    my ($nagios, $zabbix, $name) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    for my $base ('3.0', 'old') {
        for (['nagios', $nagios], ['zabbix', $zabbix]) {
            my $r = http($t->{nginx}, 'GET', "/$base/listings.$_->[0]",
                auth => $t->{acct});
            is_deeply([$r->{status}, $r->{body},
                @{ $r->{headers} }{qw(content-type cache-control)}],
                [200, $_->[1], 'text/plain; charset=utf-8', 'no-store'],
                "$name: $_->[0] below /$base/");
        }
    }
}
plain('OK - 0 hosts listed!', '0', 'nothing is listed');
my @hosts = map { add_host($t, "10.0.0.$_")->{id} } 1 .. 8;
list_host($t, $hosts[0]);
plain('CRITICAL - 1 host listed!', '1', 'one');
list_host($t, $_) for @hosts[1 .. 6];
plain('CRITICAL - 7 hosts listed!', '7', 'seven');
call($t, 'POST', "host/pause/$hosts[3].json");
plain('CRITICAL - 6 hosts listed!', '6', 'one of them paused');

# --- what is not -----------------------------------------------------------

my @curl = ('curl', '-s', '-G');
sub ask {
    my ($nginx, $auth, $path, @args) = @_;

    return run_cmd(@curl, $auth ? ('-u', $auth) : (), @args,
        "http://127.0.0.1:$nginx->{port}/$path")->{out};
}

# Both plain forms of a refusal, asked as scripts ask, and the documents of an
# nginx that refuses the old way.
sub unknown {
    my ($name, $message, %o) = @_;

    my $nginx = $o{nginx} // $t->{nginx};
    my $auth = exists $o{auth} ? $o{auth} : "$sid:$token";
    my $path = $o{path} // 'listings';
    my @args = @{ $o{args} // [] };
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    for my $base ('3.0', 'old') {
        like(ask($nginx, $auth, "$base/$path.nagios", @args),
            qr/\AUNKNOWN - $message\z/, "$name: Nagios below /$base/");
        is(ask($nginx, $auth, "$base/$path.zabbix", @args), '-1',
            "$name: Zabbix below /$base/");
    }
    my $r = ask($nginx, $auth, "old/$path.json", '-i', @args);
    like($r, qr/\AHTTP\/1\.1 200 .*\{"status_code":500,/s,
        "$name: JSON, the old way");
    like($r, qr/,"status_message":"$message"\}\z/, 'with the message');
    like(ask($nginx, $auth, "old/$path.xml", @args),
        qr{<response><status_code>500</status_code><status_message>}s,
        "$name: XML, the old way");
}

unknown('no credentials', 'Invalid credentials\.', auth => undef);
unknown("credentials '$_'", 'Invalid credentials\.', auth => $_)
    for 'x:y', "$sid:", "$sid:" . '0' x 64, "$sid:" . uc $token,
        'AC' . '0' x 32 . ":$token", "$t->{other}{sid}:$token";
unknown('an unknown path', 'Unknown path\.', path => $_)
    for 'listing', 'x', 'listings/x', 'listings.json';
unknown('another method', 'This call is made by GET\.', args => ['-X', $_])
    for 'POST', 'PUT', 'DELETE', 'OPTIONS';
is(ask($t->{nginx}, "$sid:$token", "3.0/$_.nagios"), 'UNKNOWN - Unknown path.',
    "$_.nagios") for 'hosts', "host/$hosts[0]", 'host/add';

ctl('account', 'suspend', $sid);
unknown('suspended', 'The account is suspended\.');
ctl('account', 'resume', $sid);
ctl('app', 'allow', $sid, $app, '192.0.2.0/24');
unknown('from elsewhere', 'The application may not be used from this address\.');
ctl('app', 'allow', $sid, $app, '--none');
ctl('app', 'limit', $sid, $app, '--hour', 1);
call($t, 'GET', 'listings.nagios');
unknown('too often', 'Too many requests\. Please try again in \d+ seconds?\.');
ctl('app', 'limit', $sid, $app, '--none');
ctl('app', 'rotate', $sid, $app, '--keep');
ctl('token', 'revoke', $sid, $app, substr sha256_hex($token), 0, 8);
unknown('a token that ended', 'Invalid credentials\.');
$token = json(rblctl($redis, 'app', 'rotate', $sid, $app, '--json')->{out})
    ->{token};
$t->{acct}{token} = $token;
plain('CRITICAL - 6 hosts listed!', '6', 'another token');

# a store that cannot tell
my $listed = redis_key('listed', $sid);
redis($redis, 'RENAME', $listed, 'kept');
redis($redis, 'SET', $listed, 'junk');
like(ask($t->{nginx}, "$sid:$token", "$_/listings.nagios"),
    qr/\AUNKNOWN - ./, 'junk is not "OK"') for '3.0', 'old';
is(ask($t->{nginx}, "$sid:$token", "$_/listings.zabbix"), '-1', 'nor 0')
    for '3.0', 'old';
redis($redis, 'DEL', $listed);
redis($redis, 'RENAME', 'kept', $listed);
plain('CRITICAL - 6 hosts listed!', '6', 'it can again');

my $away = 'The store cannot be reached\. Nothing was changed, please try '
    . 'again\.';
my $empty = start_redis();
for (['no store', no_store => 1], ['a store that is not prepared',
    store => $empty])
{
    my ($name, @opt) = @$_;
    my $nginx = start_nginx(server => $location, @opt);
    unknown($name, $away, nginx => $nginx);
}
pause_server($redis);
unknown('a store that hangs', '(?:' . $away . '|The store gave no answer.*)');
cont_server($redis);
ok(wait_for { ask($t->{nginx}, "$sid:$token", '3.0/listings.zabbix') eq '6' }
    10, 'it goes on');
stop_server($redis);
unknown('a store that is dead', $away);

done_testing();
