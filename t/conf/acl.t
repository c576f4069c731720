#!/usr/bin/perl

# conf/redis-rbl.acl: each program has the rights it needs (ACL LOG is empty
# after all have run), no right that its source does not use, and none that
# could do harm.  A missing right is reported by name, and affects nothing else.

use strict;
use warnings;

use RblTest;

my $acl = read_file(repo_dir() . '/conf/redis-rbl.acl');
my %user;
while ($acl =~ /^user (\S+) off (.*)$/mg) {
    my ($name, $rules) = ($1, $2);
    $user{$name} = {
        commands => { map { $_ => 1 } $rules =~ /(?<=[ (])\+([^\s)]+)/g },
        patterns => [ $rules =~ /(?:^|[ (])(?:%[RW]+)?~([^\s)]+)/g ],
        rules => $rules,
    };
}
is(join(' ', sort keys %user), 'default rbl-api rbl-checkd rbl-portal '
    . 'rbl-replica rbl-sentinel rblctl rblctl-fsck',
    'the file has eight users without a password');
for my $name (grep { $_ ne 'default' } sort keys %user) {
    like($user{$name}{rules}, qr/resetchannels .*-\@all \+[^@]*$/,
        "$name has no commands except those that are named");
    is(join(' ', $user{$name}{rules} =~ /&(\S+)/g),
        $name eq 'rbl-sentinel' ? '__sentinel__:hello'
            : $name =~ /^rbl(?:ctl|-replica)$/ ? '' : 'rbl:news',
        "$name has the channels that it needs");
    is(scalar(grep { !/^rbl:/ } @{ $user{$name}{patterns} }), 0,
        "$name has keys of the prefix only");
    is(scalar(grep { /^rbl:(?:\{\*\}:)?\*?$/ } @{ $user{$name}{patterns} }), 0,
        "$name cannot use all keys");
}


# --- rights that the sources use --------------------------------------------

my %sources = ('rbl-api' => [grep { !m{_module/portal/|_visit} }
        map { glob repo_dir() . "/ngx_rbl_module/$_" } qw(*.c */*.c)],
    'rbl-portal' => [map { glob repo_dir() . "/$_" }
        qw(ngx_rbl_module/*.c ngx_rbl_module/*/*.c shared/op/*.c)],
    'rbl-checkd' => [map { glob repo_dir() . "/rbl-checkd/$_" }
        qw(*.c [!c]*/*.c [!c]*/*/*.c check/*.c check/*/*.c config/*.c)],
    rblctl => [grep { !m{/fsck\w*\.c$} } map { glob repo_dir() . "/$_" }
        qw(rbl-checkd/ctl/*.c rbl-checkd/store/store_greet.c rbl-checkd/store/store_map.c
            shared/op/*.c)],
    'rblctl-fsck' => [map { glob repo_dir() . "/rbl-checkd/$_" }
        qw(ctl/fsck*.c ctl/client.c ctl/fault.c ctl/meta.c ctl/nodes.c
            ctl/parts.c store/store_greet.c store/store_map.c)]);

# A script without the unused functions of its includes.
sub used {
    my ($lua) = @_;

    my $before;
    do {
        $before = $lua;
        for my $f ($lua =~ /^local function (\w+)/mg) {
            my $uses = () = $lua =~ /\b$f\b/g;
            $lua =~ s/^local function $f\b.*?^end\n//ms if $uses == 1;
        }
    } while ($lua ne $before);
    return $lua;
}

for my $name (sort keys %sources) {
    my $c = join '', map { read_file($_) } @{ $sources{$name} };
    my %script = map { $_ => 1 } grep { defined } $c =~ /\brbl_script_(\w+)\b
        |\b(?:store_call|ngx_rbl_run)\([^,;]+,\s*(\w+)
        |\bCTL_SCRIPT\((\w+)/gx;
    delete $script{name};               # the macros themselves
    delete @script{qw(t list)};
    cmp_ok(scalar keys %script, '>=', 5, "$name has at least five scripts");

    my (%verb, %key);
    for my $s (sort keys %script) {
        my $lua = used(read_file(build_dir() . "/gen/lua/$s.lua"));
        isnt($lua, '', "$name has the script $s");
        while ($lua =~ /\b(?:p?call|command)\(\s*
            '([A-Z]+)'(?:,\s*'([A-Z]+)')?/gx)
        {
            my ($v, $sub) = (lc $1, lc($2 // ''));
            $verb{ $v =~ /^x(?:info|group)$/ ? "$v|$sub" : $v } = $s;
        }
        $key{$1} = $s while $lua =~ /\bkey\(\s*'([\w:]+)'/g;
    }

    my $have = $user{$name}{commands};
    is(join(' ', map { "$_($verb{$_})" } grep { !$have->{$_} }
        sort keys %verb), '', "$name has every command of its scripts");
    my %literal = map { lc $_ => 1 } $c =~ /"([A-Z]+)"/g;
    my @idle = grep {
        my ($v, $sub) = split /\|/;
        !$verb{$_} && !($literal{$v} && (!defined $sub || $literal{$sub}))
            && !/^eval(?:sha)?$/;
    } sort keys %$have;
    is("@idle", '', "$name has no command that it does not use");

    # "r" and "s" are distinguished by the next part, which is not checked here.
    my @lost = grep { my $k = $_; $k !~ /^[rs]$/ && !grep {
        /^rbl:\{\?\?\?\}:\Q$k\E(?::\*)?$/ } @{ $user{$name}{patterns} } }
        sort keys %key;
    is(join(' ', map { "$_($key{$_})" } @lost), '',
        "$name has every key of its scripts");
}


# --- all programs at work ---------------------------------------------------

my $zone = 'dnsbl.acl.test';
my $rbldnsd = start_rbldnsd(zones => [
    [$zone, 'ip4set', "\$TTL 1\n:127.0.0.2:spam\n127.0.0.2\n192.0.2.10\n"]]);
my $redis = start_redis();
my $lists = temp_dir() . '/lists.json';
write_file($lists, <<"JSON");
{ "version": 1, "lists": [ {"zone": "$zone", "name": "ACL", "type": "rbl",
 "families": ["ipv4"], "codes": ["127.0.0.2=spam"]} ] }
JSON
init_store($redis, lists => $lists);
my $acct = make_account($redis);
my $nginx = start_nginx(store => $redis, workers => 1,
    http => 'rbl_zone rbl 1m;');
my $checkd = start_checkd(store => $redis, resolver => $rbldnsd,
    conf => { deliver_http => 'on', deliver_allow => '127.0.0.0/8' });
my $hooks = start_receiver();

sub ctl {
    my @words = @_;

    my $r = rblctl($redis, @words, '--json');
    is("$r->{status} $r->{err}", '0 ', "rblctl @words[0, $#words > 0 ? 1 : 0]");
    return eval { json($r->{out}) };
}

sub ok_api {
    my ($method, $path, $form) = @_;

    my $r = http($nginx, $method, "/3.0/$path", auth => $acct,
        $form ? (form => $form) : ());
    is($r->{status}, 200, "the API answers $method $path with 200")
        or diag($r->{raw});
    return eval { json($r) };
}

ctl('webhook', 'add', $acct->{sid}, 'All', $hooks->{url});
ctl('app', 'limit', $acct->{sid}, $acct->{app}, '--hour', 1000);
ctl('app', 'allow', $acct->{sid}, $acct->{app}, '127.0.0.1,unix:');
ctl('token', 'list', $acct->{sid}, $acct->{app});
my $host = ok_api('POST', 'host/add.json', { host => '192.0.2.10',
    name => 'mail', type => 'rbl' })->{data}[0]{id};
my $range = ok_api('POST', 'host/add.json', { host => '192.0.2.16/30',
    name => 'range', type => 'ip_range' })->{data}[0]{id};
my $check = ok_api('POST', 'check/start.json', { host => $host,
    callback => $hooks->{url} })->{data}{id};
for my $what ('listed', 'check.completed') {
    my $came = wait_for { scalar grep { ($_->{json}{event_type} // '')
        =~ /$what$/ } received($hooks) } 30, "the event $what";
    ok($came, "the receiver gets an event $what");
}
ok_api('GET', "check/status/$check.json?details=1");
ok_api('GET', $_) for 'hosts.json', 'listings.json', "host/$host.json",
    'listings.nagios', 'listings.zabbix';
ctl('host', $host);
ctl('host', $acct->{sid}, '192.0.2.10');
ok_api('POST', "host/$_/$range.json", $_ eq 'update' ? { name => 'x' } : undef)
    for qw(update pause resume delete);
ok_api('POST', "host/delete/$host.json");
my $rbl = ok_api('POST', 'rbl/add.json', { type => 'rbl',
    host => 'custom.acl.test' })->{data}{id};
my $profile = ok_api('POST', 'rblprofile/add.json', { name => 'p',
    is_default => 1, entries => $rbl })->{data}{id};
ok_api('GET', $_) for 'rblprofiles.json', "rblprofile/$profile.json",
    'rbls.json', "rbl/$rbl.json", 'acls.json';
ok_api('POST', "rbl/$_/$rbl.json", $_ eq 'update' ? { type => 'uribl' } : undef)
    for qw(update pause resume delete);
ok_api('POST', "rblprofile/update/$profile.json", { entries => '' });
ok_api('POST', "rblprofile/delete/$profile.json");
my $group = ok_api('POST', 'contactgroup/add.json', { name => 'Ops',
    is_default => 1 })->{data}{id};
my $contact = ok_api('POST', 'contact/add.json', { contact => 'ops@a.example',
    type => 'email', schedule => 'every_check' })->{data}{id};
ok_api('POST', "contact/update/$contact.json", { contact_group => $group });
ok_api('POST', "contact/resend/$contact.json");
for (['confirm', 400, { authcode => 'wrong' }], ['pause', 409]) {
    my ($verb, $code, $form) = @$_;
    is(http($nginx, 'POST', "/3.0/contact/$verb/$contact.json", auth => $acct,
        form => $form // '')->{status}, $code,
        "the API answers POST contact/$verb with $code");
}
ok_api('GET', $_) for 'contacts.json', "contact/$contact.json",
    'contactgroups.json', "contactgroup/$group.json";
ok_api('POST', "contact/delete/$contact.json");
ok_api('POST', "contactgroup/$_/$group.json", $_ eq 'update' ? { name => 'x' }
    : undef) for qw(update delete);
is(http($nginx, 'GET', "/3.0/host/$host.json", auth => $acct)->{status}, 404,
    'the API answers a query for a deleted host with 404');
ok((wait_for { redis($redis, 'EXISTS',
    redis_key('errors', @$acct{qw(sid app)})) } 5),
    'the worker writes the error to the error log');
ctl(@$_) for ['account', 'list'], ['account', 'show', $acct->{sid}],
    ['account', 'suspend', $acct->{sid}], ['account', 'resume', $acct->{sid}],
    ['app', 'list', $acct->{sid}], ['app', 'stats', @$acct{qw(sid app)}],
    ['app', 'errors', @$acct{qw(sid app)}],
    ['app', 'rotate', $acct->{sid}, $acct->{app}, '--keep'],
    ['webhook', 'list', $acct->{sid}],
    ['operator', 'add', 'o@example.test'], ['operator', 'list'],
    ['lists', 'show'],
    ['lists', 'show', $zone, '--stored'],
    ['lists', 'disable', $zone],
    ['lists', 'enable', $zone], ['lists', 'load', $lists], ['queue'],
    ['bill', 'plan', $acct->{sid}, 'Starter', '--file',
        repo_dir() . '/conf/plans.json'], ['bill', 'show', $acct->{sid}],
    ['bill', 'renew', $acct->{sid}, 'off'],
    ['bill', 'sources', $acct->{sid}],
    ['bill', 'payments', $acct->{sid}], ['bill', 'payments'],
    ['bill', 'ledger', $acct->{sid}],
    ['bill', 'plan', $acct->{sid}, 'By the check', '--file',
        repo_dir() . '/conf/plans.json'],
    ['bill', 'topup', $acct->{sid}, '25'],
    ['bill', 'adjust', $acct->{sid}, '-5', 'Test'],
    ['bill', 'alert', $acct->{sid}, '5'],
    ['bill', 'recharge', $acct->{sid}, '5', '25'],
    ['store', 'plan'], ['fsck'], ['fsck', $acct->{sid}], ['app', 'revoke', $acct->{sid},
    ctl('app', 'add', $acct->{sid}, 'other')->{id}];
is(rblctl($redis, 'bill', @$_, '--csv')->{status}, 0,
    "rblctl reads the table of $_->[0]")
    for ['ledger', $acct->{sid}], ['payments', $acct->{sid}], ['payments'];
cmp_ok(rblctl($redis, 'status')->{status}, '<', 3,
    'rblctl status reads the store');
unlike(rblctl($redis, 'doctor', '--json', '--daemon', '/none')->{out},
    qr/permission/i, 'rblctl doctor reads the store');
is(rblctl($redis, 'check', '192.0.2.10', '--resolver',
    "127.0.0.1\@$rbldnsd->{port}")->{status}, 1,
    'rblctl check finds the listing');

is_deeply(redis($redis, 'ACL', 'LOG'), [], 'no right was missing')
    or diag(join ' ', map { @$_[3, 5, 7, 9] } @{ redis($redis, 'ACL', 'LOG') });


# --- refusals of each program -----------------------------------------------

my $ac = $acct->{sid};
my $sha = redis($redis, 'SCRIPT', 'LOAD', 'return 1');
my @harm = (
    [qw(KEYS *)], [qw(SCAN 0)], ['RANDOMKEY'], ['DBSIZE'], [qw(TYPE rbl:meta)],
    ['FLUSHALL'], ['FLUSHDB'], [qw(SWAPDB 0 1)], [qw(SELECT 1)],
    [qw(CONFIG GET *)], [qw(CONFIG SET maxmemory 1)], ['CONFIG', 'REWRITE'],
    [qw(ACL LIST)], [qw(ACL SETUSER rbl-api +@all)], [qw(ACL LOG)],
    [qw(SCRIPT FLUSH)], [qw(SCRIPT KILL)], [qw(FUNCTION LIST)],
    [qw(FUNCTION LOAD x)], [qw(CLIENT LIST)], [qw(CLIENT KILL TYPE normal)],
    [qw(CLIENT PAUSE 1)], ['MONITOR'], ['SHUTDOWN', 'NOSAVE'], ['SAVE'],
    ['BGSAVE'], ['BGREWRITEAOF'], [qw(DEBUG SLEEP 0)], [qw(REPLICAOF NO ONE)],
    [qw(MODULE LIST)], [qw(LATENCY RESET)], [qw(SLOWLOG GET)],
    [qw(MEMORY DOCTOR)], [qw(DUMP rbl:meta)], [qw(RESTORE rbl:x 0 x)],
    [qw(MIGRATE h 1 k 0 1)], [qw(RENAME rbl:meta rbl:x)], [qw(COPY rbl:a b)],
    [qw(MOVE rbl:meta 1)], [qw(SORT rbl:{0}:apps:x)], [qw(SUBSCRIBE x)],
    [qw(PSUBSCRIBE *)], [qw(PUBLISH x y)], ['MULTI'],
    [qw(OBJECT ENCODING rbl:meta)],
    [qw(PERSIST rbl:meta)], [qw(EXPIRE rbl:meta 1)], [qw(GETDEL rbl:meta)],
    # foreign keys, read and written, directly and in a script
    [qw(GET other)], [qw(HMGET other a)], [qw(EXISTS other)],
    ['EVAL', 'return 1', 1, 'other'], ['EVALSHA', $sha, 1, 'other'],
    ['EVAL', "return redis.call('GET', 'other')", 0],
    ['EVAL', "return redis.call('SET', 'other', 1)", 0],
    ['EVAL', "return redis.call('FLUSHALL')", 0],
    ['EVAL', "return redis.call('KEYS', '*')", 0],
    ['EVAL', "return redis.call('CONFIG', 'GET', '*')", 0],
);

is_deeply(redis($redis, 'ACL', 'LOG'), [], 'Redis has refused nothing so far');
my %harm = (
    'rbl-api' => [
        # accounts, their plan and status
        ['SET', "rbl:{0}:acct:$ac", 'x'], [qw(SET rbl:{0}:acct:ACx x)],
        ['EVAL', "return redis.call('SET', KEYS[1], 'x')", 1,
            "rbl:{0}:acct:$ac"],
        # accounts' tokens, secrets and receivers, lists, the queue of events
        ['HSET', "rbl:{0}:tokens:$ac", 'x', 'y'], ['GET', "rbl:{0}:s:$ac:WHx"],
        ['GET', "rbl:{0}:s:$ac:APx"], ['SET', "rbl:{0}:s:$ac:APx", 'x'],
        ['SET', 'rbl:{0}:r:SYS:RBx', 'x'], [qw(SET rbl:{0}:defaults x)],
        [qw(ZADD rbl:{0}:lists 1 x)], [qw(ZADD rbl:{0}:lists:active 1 x)],
        [qw(HGETALL rbl:{0}:lists:keys)], [qw(HKEYS rbl:{0}:lists:keys)],
        [qw(HGET rbl:{0}:lists:keys x)], [qw(HSET rbl:{0}:lists:keys a b)],
        ['EVAL', "return redis.call('HGETALL', 'rbl:{0}:lists:keys')", 0],
        [qw(HSET rbl:{0}:lists:zones a b)], [qw(ZADD rbl:{0}:daemons:addr 1 x)],
        [qw(HSET rbl:meta schema 9)],
        [qw(DEL rbl:meta)], ['ZADD', "rbl:{0}:apps:$ac", 1, 'x'],
        ['ZADD', "rbl:{0}:hooks:$ac", 1, 'x'], [qw(ZADD rbl:{0}:accounts 1 x)],
        [qw(XRANGE rbl:{0}:outbox - +)], [qw(XREAD STREAMS rbl:{0}:outbox 0)],
        ['EVAL', "return redis.call('LRANGE', 'rbl:{0}:errors:x:y', 0, -1)", 0],
        [qw(ZADD rbl:{0}:retry 1 x)], ['HSET', "rbl:{0}:dlv:$ac:x:y", 'a', 'b'],
        ['HGETALL', "rbl:{0}:dlv:$ac:x:y"], ['INFO'],
        [qw(ZADD rbl:{0}:leases 1 x)], [qw(ZRANGE rbl:{0}:due 0 -1)],
        ['EVAL', "return redis.call('HSET', 'rbl:{0}:tokens:x', 'a', 'b')", 0],
        # money
        ['HINCRBY', "rbl:{0}:money:$ac", 'balance', 1],
        ['XADD', "rbl:{0}:ledger:$ac", '*', 'a', 'b'],
        ['SET', "rbl:{0}:pay:$ac:PYx", 'x'], ['SET', "rbl:{0}:bill:$ac", 'x'],
        ['GET', "rbl:{0}:bill:$ac"], [qw(ZADD rbl:{0}:billdue 1 x)],
        ['SET', "rbl:{0}:meter:$ac", 'x'],
    ],
    'rbl-portal' => [
        # of billing it may write nothing but choices
        ['HINCRBY', "rbl:{0}:money:$ac", 'balance', 1],
        ['HSET', "rbl:{0}:money:$ac", 'balance', 1],
        ['XADD', "rbl:{0}:ledger:$ac", '*', 'a', 'b'],
        ['XDEL', "rbl:{0}:ledger:$ac", '1-1'],
        ['ZADD', "rbl:{0}:payments:$ac", 1, 'x'],
        ['ZADD', "rbl:{0}:sources:$ac", 1, 'x'],
        map({ (['SET', "rbl:{0}:$_", 'x'], ['DEL', "rbl:{0}:$_"]) }
            "bill:$ac", "pay:$ac:PYx", "source:$ac:PSx", "money:$ac",
            "ledger:$ac", "payments:$ac", "sources:$ac"),
        [qw(ZRANGE rbl:{0}:billdue 0 -1)],
        ['EVAL', "return redis.call('SET', 'rbl:{0}:bill:x', 'x')", 0],
        # it queues requests of operators, and what becomes of them it only
        # reads; accounts are made, and changed, by others
        ['RPUSH', "rbl:{0}:ended:$ac", 'x'], ['LTRIM', "rbl:{0}:ended:$ac",
            0, 0], ['DEL', "rbl:{0}:ended:$ac"], [qw(SET rbl:{0}:plans x)],
        ['SET', "rbl:{0}:planned:$ac", 'x'], ['GET', "rbl:{0}:planned:$ac"],
        ['SET', "rbl:{0}:acct:$ac", 'x'], [qw(ZADD rbl:{0}:accounts 1 x)],
    ],
    'rbl-checkd' => [
        ['XRANGE', "rbl:{0}:ledger:$ac", '-', '+'],
        ['DEL', "rbl:{0}:ledger:$ac"], ['XTRIM', "rbl:{0}:ledger:$ac",
            'MAXLEN', 0],
        ['XDEL', "rbl:{0}:ledger:$ac", '1-1'],
        ['SET', "rbl:{0}:ledger:$ac", 'x'],
        ['HGETALL', "rbl:{0}:tokens:$ac"], ['HGET', "rbl:{0}:tokens:$ac", 'x'],
        ['HGETALL', "rbl:{0}:stats:$ac:APx:h1"],
        ['HSET', "rbl:{0}:tokens:$ac", 'x', 'y'],
        ['SET', "rbl:{0}:s:$ac:APx", 'x'], ['SET', 'rbl:{0}:r:SYS:RBx', 'x'],
        [qw(SET rbl:{0}:defaults x)], [qw(ZADD rbl:{0}:lists 1 x)],
        [qw(HSET rbl:{0}:lists:keys a b)], [qw(HDEL rbl:{0}:lists:keys a)],
        [qw(HSET rbl:meta schema 9)], [qw(DEL rbl:meta)],
        [qw(ZRANGE rbl:{0}:accounts 0 -1)],
        ['INFO'], [qw(XGROUP DESTROY rbl:{0}:outbox deliver)],
        [qw(XGROUP SETID rbl:{0}:outbox deliver 0)],
        [qw(XTRIM rbl:{0}:outbox MAXLEN 0)],
    ],
    rblctl => [
        ['SET', "rbl:{0}:r:$ac:HTx", 'x'], ['DEL', "rbl:{0}:hist:$ac:HTx"],
        ['HGET', "rbl:{0}:open:$ac:COx", 'x'],
        ['ZADD', "rbl:{0}:hosts:$ac", 1, 'x'], [qw(ZADD rbl:{0}:due 1 x)],
        [qw(DEL rbl:meta)], [qw(ZADD rbl:{0}:leases 1 x)],
        ['SET', "rbl:{0}:stats:$ac:APx:h1", 'x'],
        ['SET', "rbl:{0}:errors:$ac:APx", 'x'],
        [qw(XACK rbl:{0}:outbox deliver 1-1)],
        [qw(XGROUP CREATE rbl:{0}:outbox x 0)],
        ['HGETALL', "rbl:{0}:dlv:$ac:x:y"],
    ],
    'rblctl-fsck' => [
        # lists, and the meta data of the store
        [qw(HGETALL rbl:{0}:lists:keys)],
        ['SET', 'rbl:{0}:r:SYS:RBx', 'x'], [qw(SET rbl:{0}:defaults x)],
        [qw(ZADD rbl:{0}:lists 1 x)], [qw(HSET rbl:meta schema 9)],
        [qw(DEL rbl:meta)], ['INFO'], [qw(XADD rbl:{0}:outbox * a b)],
        [qw(XREAD STREAMS rbl:{0}:outbox 0)], ['GET', "rbl:{0}:future:$ac"],
        [qw(ZADD rbl:{0}:daemons:addr 1 x)], ['SET', "rbl:{0}:rate:$ac:APx", 1],
    ],
    map { $_ => [[qw(GET rbl:meta)], [qw(HGETALL rbl:meta)], [qw(SET rbl:x 1)],
        [qw(PUBLISH rbl:news 1)], [qw(SUBSCRIBE rbl:news)],
        [qw(FAILOVER)], [qw(CLUSTER NODES)], [qw(ACL WHOAMI)]] }
        'rbl-replica', 'rbl-sentinel',
);
# Audit logs and accounts stay; a daemon adds to the log of before an hour.
push @{ $harm{$_} }, ['SET', "rbl:{0}:audit:$ac", 'x'],
    ['SET', "rbl:{0}:acct:$ac", 'x'], ['SET', "rbl:{0}:acct:AC1", 'x'],
    (map { ['XADD', $_, 'MAXLEN', 0, '*', 'a', 'b'], ['XDEL', $_, '1-1'],
        ['SET', $_, 'x'], ['LPUSH', $_, 'x'] } map { "rbl:{0}:$_$ac" }
        'past:', 'past:rest:'),
    ['LPUSH', "rbl:{0}:acct:$ac", 'x'],
    [qw(ZADD rbl:{0}:accounts 1 x)], map({ my $key = "rbl:{0}:$_:$ac";
        (['DEL', $key], ['PEXPIRE', $key, 1], ['INCR', $key],
        ['HSET', $key, 'a', 'b'], ['MSET', $key, 'x'],
        ['EVAL', "return redis.call('DEL', '$key')", 0]) } qw(audit acct past))
    for 'rbl-api', 'rbl-portal';
push @{ $harm{'rbl-portal'} }, ['GETDEL', "rbl:{0}:audit:$ac"],
    ['GETDEL', "rbl:{0}:acct:$ac"], ['GETDEL', "rbl:{0}:past:$ac"];
push @{ $harm{$_} }, map { ['CLUSTER', @$_] } ['NODES'], ['INFO'],
    ['FAILOVER'], [qw(SETSLOT 1 STABLE)], ['RESET'], [qw(ADDSLOTS 1)],
    [qw(MEET 127.0.0.1 1)] for grep { !/^rblctl/ } keys %harm;
# Exceptions that do no harm.
my %may = ('rbl-checkd' => qr/^(?:TYPE rbl:meta|CLUSTER NODES)$/,
    'rblctl-fsck' => qr/^(?:SCAN 0|TYPE rbl:meta|MULTI)$/,
    # what Sentinel needs: it ends connections, scripts and roles
    'rbl-sentinel' => qr/^(?:CONFIG\ REWRITE|SCRIPT\ KILL|MULTI
        |CLIENT\ KILL\ TYPE\ normal)$/x);

my $refusal = qr/$RblTest::Process::DENIED|not allowed/;
my $before = redis($redis, 'DBSIZE');
my $one = ($redis->{nodes} // [$redis])->[0];
for my $name (sort keys %harm) {
    my $c = { socket => $one->{socket}, pid => $one->{pid} };
    redis($c, 'AUTH', $name, read_file($redis->{users}{$name}) =~ s/\n//r);
    for my $try (@harm, @{ $harm{$name} }) {
        next if $may{$name} && "@$try" =~ $may{$name};
        like(redis_try($c, map { tagged($redis, $_) } @$try) // 'lost',
            $refusal, "$name may not: @$try");
    }
}
is(redis($redis, 'DBSIZE'), $before, 'refused commands change no key');
is(redis_try({ socket => $one->{socket}, pid => $one->{pid} },
    'AUTH', 'rbl-api', 'wrong'), 'WRONGPASS invalid username-password pair or '
    . 'user is disabled.', 'Redis refuses a user with a wrong password');


my %users = %{ $redis->{users} };

# --- a missing right --------------------------------------------------------

expect_denial();

sub rights { redis($redis, 'ACL', 'SETUSER', @_) }

ok_api('POST', 'host/add.json', { host => '192.0.2.11', name => 'secret name',
    type => 'rbl' });
rights('rbl-api', '-zrange');
my $r = http($nginx, 'GET', '/3.0/hosts.json', auth => $acct);
is($r->{status}, 503, 'the API answers with 503 without ZRANGE');
my $answers = qr/\[error\].* rbl store "[^"]+".* answers/;
like(read_file($nginx->{error_log}), qr/$answers ZRANGE: NOPERM .*'zrange'/,
    'the error log names the command ZRANGE');
is(http($nginx, 'GET', '/3.0/hosts.json', auth => $acct)->{status}, 503,
    'the API answers with 503 a second time');
ok_api('POST', 'check/start.json', { host => '192.0.2.77' });
unlike(read_file($nginx->{error_log}), qr/is not ready: NOPERM/,
    'the connection to the store stays open');
rights('rbl-api', '+zrange', '-hset');
$r = http($nginx, 'POST', '/3.0/host/add.json', auth => $acct, form => {
    host => '192.0.2.12', name => 'secret name', type => 'rbl' });
is($r->{status}, 503, 'the API answers with 503 when a script cannot use HSET');
like(read_file($nginx->{error_log}), qr/$answers host_add: ERR $RblTest::Process::DENIED/,
    'the error log names the script host_add');
unlike(read_file($nginx->{error_log}), qr/secret|192\.0\.2\.1[12]/,
    'the error log has no data of the request');
rights('rbl-api', '+hset');
ok_api('GET', 'hosts.json');

rights('rbl-checkd', '-xreadgroup');
ok(wait_log($checkd, qr/(?:the store|it) refuses XREADGROUP: NOPERM .*'xreadgroup'/, 15),
    'the daemon logs the refused command XREADGROUP');
rights('rbl-checkd', '+xreadgroup', '-evalsha');
ok_api('POST', 'check/start.json', { host => '192.0.2.78' });
ok(wait_log($checkd, qr/(?:the store|it) refuses \w+: NOPERM .* 'evalsha'/, 15),
    'the daemon logs the refused command EVALSHA');
rights('rbl-checkd', '+evalsha');

$check = ok_api('POST', 'check/start.json', { host => '192.0.2.79' })->{data}{id};
my $done = wait_for { api($nginx, $acct, 'GET',
    "/3.0/check/status/$check.json")->{data}{status} eq 'completed' } 30;
ok($done, 'the daemon continues after the right is restored');

rights('rblctl', '-zrange');
$r = rblctl($redis, 'account', 'list');
is($r->{status}, 3, 'rblctl fails without ZRANGE');
like($r->{err}, qr/refuses: NOPERM .*'zrange'.*ACL/,
    'the message of rblctl names the command and the ACL');
rights('rblctl', '+zrange');
delete $redis->{users};
sub as {
    my ($user, @args) = @_;

    return rblctl($redis, '--user', $user, '--password-file', $users{$user},
        @args)->{err};
}
like(as('rblctl', 'fsck'), qr/has a user of its own, rblctl-fsck/,
    'fsck as another user names its own user');
rights('rblctl', '-zadd');
like(as('rblctl', 'account', 'add', 'Half'),
    qr/ACL.* too little, and a part may have been done: run rblctl fsck/,
    'a script that ends in the middle is not reported as without effect');
rights('rblctl', '+zadd');

done_testing();
