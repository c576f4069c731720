#!/usr/bin/perl

# The plain responses for monitoring, and rbl_legacy_errors: a script reads a
# word or a number, and never "OK" or a count if the state is unknown.

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

# --- known states ----------------------------------------------------------

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

# A daemon was seen so many minutes ago; the first check has been due since
# then.
sub daemons { return redis_key('daemons', partition_of($t->{acct}{sid})) }
my $daemons = daemons();
my $due = redis_key('due', $sid);
sub now { return redis($redis, 'TIME')->[0] * 1000 }
sub seen { redis($redis, 'ZADD', daemons(), now() - $_[0] * 60_000, 'one') }
sub due_for { redis($redis, 'ZADD', $due, now() - $_[1] * 60_000, $_[0]) }

plain('UNKNOWN - No daemon has been seen.', '-1', 'no daemon so far');
seen(4);
redis($redis, 'ZADD', $daemons, 1, 'another');
plain('OK - 0 hosts listed!', '0', 'nothing is listed');
my @hosts = map { add_host($t, "10.0.0.$_")->{id} } 1 .. 8;
plain('UNKNOWN - No check of a host has had an answer.', '-1',
    'before the first answer');
my ($coverage, $checked) = map { redis_key($_, $sid) } 'coverage', 'checked';
redis($redis, 'SET', $checked, now() . ' what scripts noted');
redis($redis, 'DEL', $coverage);
plain('OK - 0 hosts listed!', '0', 'a list has answered');
list_host($t, $hosts[0]);
plain('CRITICAL - 1 host listed!', '1', 'one');
list_host($t, $_) for @hosts[1 .. 6];
plain('CRITICAL - 7 hosts listed!', '7', 'seven');
call($t, 'POST', "host/pause/$hosts[3].json");
plain('CRITICAL - 6 hosts listed!', '6', 'one of them paused');

# Without daemons, listings are reported, and nothing else.
seen(12.5);
my $unseen = 'No daemon has been seen for 12 minutes.';
plain("CRITICAL - 6 hosts listed! $unseen", '6', 'listed, no daemon');
{
    local $t->{acct} = $t->{other};
    seen(12.5);
    plain("UNKNOWN - $unseen", '-1', 'nothing listed, no daemon');
    seen(0);
    plain('OK - 0 hosts listed!', '0', 'it is there again');
}
seen(60 * 24 * 3);
plain('CRITICAL - 6 hosts listed! No daemon has been seen for 3 days.', '6',
    'for days');
seen(0);

# The account's interval is one hour; three intervals without a check are too
# long.
due_for($hosts[7], 179);
plain('CRITICAL - 6 hosts listed!', '6', 'one check is late');
due_for($hosts[7], 185);
plain('CRITICAL - 6 hosts listed! The oldest check has been due for 3 hours.',
    '6', 'listed, and checks are not done');
my $listed = redis_key('listed', $sid);
redis($redis, 'RENAME', $listed, "$listed:kept");
plain('UNKNOWN - The oldest check has been due for 3 hours.', '-1',
    'nothing listed, and checks are not done');
due_for($hosts[7], 0);
plain('OK - 0 hosts listed!', '0', 'they are again');

# Pages of hosts show it, too; a worker caches it for five seconds.
for my $call ('hosts', 'listings') {
    due_for($hosts[7], 125);
    my $nginx = start_nginx(store => $redis);
    my $r;
    ok(wait_for { $r = http($nginx, 'GET', "/3.0/$call.json",
        auth => $t->{acct}); $r->{status} == 200 } 10,
        "nginx serves $call.json");
    is(json($r)->{oldest_due}, 125 * 60,
        "$call.json has the age of the oldest due check");
    like($r->{body}, qr/\],"oldest_due":7500,"lists_asked":0,
        "lists_answered":0,"critical_asked":0,"critical_answered":0\}\z/x,
        "$call.json has the age and the coverage at its end");
    due_for($hosts[7], 0);
    ok(wait_for { json(http($nginx, 'GET', "/3.0/$call.json",
        auth => $t->{acct}))->{oldest_due} == 0 } 15,
        "$call.json has the current age soon");
    like(http($nginx, 'GET', "/3.0/$call.xml", auth => $t->{acct})->{body},
        qr{</data><oldest_due>\d+</oldest_due><lists_asked>0</lists_asked>
        <lists_answered>0</lists_answered><critical_asked>0</critical_asked>
        <critical_answered>0</critical_answered></response>}x,
        "$call.xml has the age of the oldest due check");
    ok(!exists json(http($nginx, 'GET', "/3.0/host/$hosts[0].json",
        auth => $t->{acct}))->{oldest_due}, 'a single host has none');
    stop_server($nginx);
}

# A host to which no list applies is not clear; it changes the state only if
# there is no other.
my $states = redis_key('states', $sid);
my $uncovered = '3' . '0' x 13;         # scores of that state (_state.lua)
redis($redis, 'ZADD', $states, $uncovered + 1, $hosts[7]);
plain('OK - 0 hosts listed!, 1 host cannot be checked', '0',
    'one is not covered');
redis($redis, 'ZADD', $states, $uncovered + 1, $hosts[6]);
plain('OK - 0 hosts listed!, 2 hosts cannot be checked', '0', 'two');
redis($redis, 'RENAME', "$listed:kept", $listed);
plain('CRITICAL - 6 hosts listed!, 2 hosts cannot be checked', '6',
    'something is listed');
redis($redis, 'RENAME', $listed, "$listed:kept");
my @before = @{ redis($redis, 'ZRANGE', $states, 0, -1, 'WITHSCORES') };
redis($redis, 'ZADD', $states, map { ($uncovered + 1, $_) }
    grep { $_ ne $hosts[3] } @hosts);
plain('UNKNOWN - No list applies to 7 hosts.', '-1',
    'no list applies to any active host');
redis($redis, 'ZADD', $states, map { @before[2 * $_ + 1, 2 * $_] }
    0 .. $#before / 2);
redis($redis, 'ZREM', $states, @hosts[6, 7]);

# --- silent lists ----------------------------------------------------------

# Lists of one class: [SID, is it critical, minutes since its answer (undef:
# never, for ten minutes)].
sub covers {
    my @lists = @_;
    my $s = redis($redis, 'TIME')->[0];
    my $table = join '', map { pack 'H32NN', substr($_->[0], 2),
        ($_->[1] ? 1 << 31 : 0) | (defined $_->[2] ? 0 : 1 << 30),
        $s - 60 * ($_->[2] // 10) } @lists;
    redis($redis, 'SET', $coverage, mp_pack([1, $table, 'd' x 16
        . pack('NNN', 0, 0, $s) . 'RP' . '0' x 32 . ':1:rbl;'
        . pack 'n*', 1 .. @lists]));
}
my @rb = map { json(call($t, 'POST', 'rbl/add.json', form => { type => 'rbl',
    host => "l$_.example" }))->{data}{id} } 1 .. 7;
sub lists { return map { [$rb[$_ - 1], 0, 1] } @_ }
my @most = lists(2 .. 7);
for (
    ['all lists have answered', [[$rb[0], 1, 89], @most],
        'OK - 0 hosts listed!', '0'],
    ['a critical list is silent for two intervals', [[$rb[0], 1, 120], @most],
        'OK - 0 hosts listed!', '0'],
    ['a critical list is silent for more than three intervals',
        [[$rb[0], 1, 188], @most],
        'WARNING - 0 hosts listed, 1 of 7 lists silent: l1.example', '0'],
    ['another list is silent', [[$rb[0], 0, 500], @most],
        'OK - 0 hosts listed!', '0'],
    ['critical lists are named first', [[$rb[0], 0, 500], [$rb[1], 1, 500],
        lists(3 .. 7)], 'WARNING - 0 hosts listed, 2 of 7 lists silent: '
        . 'l2.example, l1.example', '0'],
    ['more than half are silent', [(map { [$_, 0, 91] } @rb[0 .. 3]),
        lists(5 .. 7)], 'UNKNOWN - 4 of 7 lists silent: l1.example, '
        . 'l2.example, l3.example, l4.example.', '-1'],
    ['seven are silent and five named', [map { [$_, 0] } @rb],
        'UNKNOWN - 7 of 7 lists silent: '
        . join(', ', map { "l$_.example" } 1 .. 5) . '.', '-1'],
    ['a list that is gone has no name', [['RB' . '1' x 32, 1, 500], @most],
        'WARNING - 0 hosts listed, 1 of 7 lists silent', '0'],
) {
    my ($name, $lists, @is) = @$_;
    covers(@$lists);
    plain(@is, $name);
}
covers(map { [$_, 1, 500] } @rb);
redis($redis, 'RENAME', "$listed:kept", $listed);
plain('CRITICAL - 6 hosts listed!', '6', 'listed, and all lists are silent');
my $covered;
ok(wait_for { $covered = json(http($t->{nginx}, 'GET', '/3.0/hosts.json',
    auth => $t->{acct})); $covered->{lists_asked} == 7 } 15,
    'pages of hosts count the lists that apply');
is_deeply([@$covered{qw(lists_answered critical_asked critical_answered)}],
    [0, 7, 0], 'pages count the lists that have answered, and critical ones');
redis($redis, 'SET', $coverage, 'x');
plain('CRITICAL - 6 hosts listed!', '6', 'the coverage cannot be read');
redis($redis, 'DEL', $coverage);

# --- unknown states --------------------------------------------------------

my @curl = ('curl', '-s', '-G');
sub ask {
    my ($nginx, $auth, $path, @args) = @_;

    return run_cmd(@curl, $auth ? ('-u', $auth) : (), @args,
        "http://127.0.0.1:$nginx->{port}/$path")->{out};
}

# Both plain forms of a refusal, requested as scripts do, and the documents with
# legacy errors.
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
    like($r, qr/,"status_message":"$message"\}\z/,
        "$name: JSON with legacy errors has the message");
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
    "$_.nagios is an unknown path") for 'hosts', "host/$hosts[0]", 'host/add';

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
unknown('a revoked token', 'Invalid credentials\.');
$token = json(rblctl($redis, 'app', 'rotate', $sid, $app, '--json')->{out})
    ->{token};
$t->{acct}{token} = $token;
plain('CRITICAL - 6 hosts listed!', '6', 'another token');

# a damaged store
redis($redis, 'RENAME', $listed, "$listed:kept");
redis($redis, 'SET', $listed, 'junk');
like(ask($t->{nginx}, "$sid:$token", "$_/listings.nagios"),
    qr/\AUNKNOWN - ./,
    'junk in the store is not "OK" for Nagios') for '3.0', 'old';
is(ask($t->{nginx}, "$sid:$token", "$_/listings.zabbix"), '-1',
    'junk in the store is not 0 for Zabbix')
    for '3.0', 'old';
redis($redis, 'DEL', $listed);
redis($redis, 'RENAME', "$listed:kept", $listed);
for my $k ($due, $daemons, $states, redis_key('checked', $sid)) {
    redis($redis, 'RENAMENX', $k, "$k:kept") if redis($redis, 'EXISTS', $k);
    redis($redis, 'SET', $k, 'junk');
    like(ask($t->{nginx}, "$sid:$token", '3.0/listings.nagios'),
        qr/\AUNKNOWN - ./, "junk in $k is not \"OK\" for Nagios");
    redis($redis, 'DEL', $k);
    redis($redis, 'RENAME', "$k:kept", $k)
        if redis($redis, 'EXISTS', "$k:kept");
}
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
    10, 'listings.zabbix is served when the store continues');
stop_server($redis);
unknown('a store that is dead', $away);

done_testing();
