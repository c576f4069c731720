#!/usr/bin/perl

# Operators: their own calls, and what they do in accounts.  t/portal/calls.t
# has their roles in each call.

use strict;
use warnings;

use Test::More;

use RblCheckd qw(script_ok);
use RblPortal;

my $t = portal_setup(lists => 1);
my $ac = $t->{acct}{sid};
my $operators = operators($t);
my $owner = sign_in($t, role => 'owner', acct => $operators);
my $admin = sign_in($t, role => 'admin', acct => $operators);
my $viewer = sign_in($t, role => 'viewer', acct => $operators);
my $user = sign_in($t, role => 'owner');

sub get { return portal($t, $_[0], 'GET', $_[1], @_[2 .. $#_]) }

sub post {
    my ($who, $path, $fields) = @_;

    return portal($t, $who, 'POST', $path, fields => $fields // {});
}

my $stranger = qr/^Invalid account id provided/;
my $only = qr/for operators/;

# --- who is one -------------------------------------------------------------

my $me = accepted(get($admin, 'me.json'), 'me')->{data};
is_deeply([$me->{account}{id}, $me->{account}{name}, $me->{user}{role}],
    [$operators->{sid}, 'Operators', 'admin'],
    'an operator in the own account');
refused(get($user, 'operator/status.json'), 403, $only,
    'a user cannot read the status');
refused(post($user, 'operator/list/thaw/' . sid_of('RB') . '.json'), 403,
    $only, 'a user cannot thaw a list');
refused(post($user, 'operator/list/thaw/x.json'), 403, $only,
    'a user cannot thaw a list with a malformed ID');
refused(get($admin, $_), 403, qr/must name an account/, "$_ without an account")
    for qw(hosts.json rbls.json changes.json apps.json), 'host/x.json';
refused(post($owner, 'host/add.json', { host => '192.0.2.1', name => 'n',
    type => 'rbl' }), 403, qr/must name an account/,
    'the account has no hosts');
{
    my ($secret) = $owner->{cookie} =~ /\.(.*)/;
    refused(get({ cookie => "rbl=$_.$secret" }, 'hosts.json'), 401,
        qr/sign in/, 'the cookie of an operator with another account')
        for $ac, sid_of('AC');
    my ($users) = $user->{cookie} =~ /\.(.*)/;
    refused(get({ cookie => "rbl=$operators->{sid}.$users" },
        "hosts.json?account=$ac"), 401, qr/sign in/,
        'the cookie of a user with the operators\' account');
}

# --- status -----------------------------------------------------------------

my $now = int(time) * 1000;
redis($t->{redis}, 'ZADD', 'rbl:{0}:daemons', $now, 'one', $now - 10, 'gone');
redis($t->{redis}, 'SET', 'rbl:{0}:daemon:one', mp_pack([1, 'one', '9.9 <b>',
    $now - 5000, $now, [7, 2, 0, 3, 64, 1500, 90, 1, 4, 100, 5],
    [[\'192.0.2.53', 10, 1, 50_000]], []]));
redis($t->{redis}, 'ZADD', 'rbl:{5}:retry', 1, 'x');
redis($t->{redis}, 'ZADD', 'rbl:{0}:daemons:addr', $now, '192.0.2.7 one.test');
my $status = accepted(get($viewer, 'operator/status.json'), 'status')->{data};
is_deeply([@{ $status->{store} }{qw(partitions accounts)}], [64, 2],
    'the partitions, and the accounts without that of the operators');
ok($status->{store}{lists} > $status->{store}{lists_active},
    'the status counts all lists and active ones');
is(scalar @{ $status->{daemons} }, 1, 'the status has one daemon');
is_deeply([@{ $status->{daemons}[0] }{qw(name version checks checks_failed
    checks_running checks_per_1000s queries queries_waiting timeouts)}],
    ['one', '9.9 <b>', 7, 2, 3, 1500, 90, 4, 5],
    'the status has the counters of the daemon');
is_deeply($status->{daemons}[0]{resolvers}, [{ address => '192.0.2.53',
    answered => 10, failed => 1, latency_us => 5000 }],
    'the status has the resolver of the daemon');
is_deeply($status->{addresses}, [{ address => '192.0.2.7',
    host => 'one.test' }], 'the status has the addresses of queries');
is($status->{queues}{deliveries}, 1, 'a delivery of another partition');
ok(!$status->{queues}{more}, 'all accounts are counted');
{
    # more accounts in a partition than are counted
    redis($t->{redis}, 'ZADD', 'rbl:{3}:due', map { (5, $_) }
        map { sprintf 'AC0003%028x', $_ } 1 .. 40);
    redis($t->{redis}, 'ZADD', sprintf('rbl:{3}:due:AC0003%028x', $_), 1, 'HT')
        for 1 .. 40;
    my $q = accepted(get($viewer, 'operator/status.json'), 'many')->{data}
        {queues};
    ok($q->{more} && $q->{due} == 8, 'a part of them is counted')
        or diag(explain($q));
    ok($q->{oldest} > 1e9, 'the status has the time of the oldest job');
    redis($t->{redis}, 'DEL', 'rbl:{3}:due', map {
        sprintf 'rbl:{3}:due:AC0003%028x', $_ } 1 .. 40);
}

# --- accounts ---------------------------------------------------------------

sub page {
    return accepted(get($viewer, "operator/accounts.json?$_[0]"), $_[0]);
}

my $v = page('');
is_deeply([$v->{total}, $v->{next}, sort map { $_->{name} } @{ $v->{data} }],
    [2, '', sort 'Other', map { $_->{name} } grep { $_->{id} eq $ac }
    @{ $v->{data} }], 'the page has the two accounts');
$v = page("id=$ac");
is_deeply([map { $_->{id} } @{ $v->{data} }], [$ac],
    'the page has only the account with the ID');
is_deeply(page('id=' . sid_of('AC'))->{data}, [], 'an unknown one');
refused(get($viewer, "operator/accounts.json?$_"), 400, qr/Invalid/, $_)
    for qw(id=x after=x after=-1 after=1 after=1-x after=9999999-1 limit=0
    limit=101);
is_deeply(page('after=1023-999999')->{data}, [], 'behind the end');

sub row { my ($id) = @_; return (grep { $_->{id} eq $id } @{ page('')->{data} })[0] }
is_deeply([@{ row($ac) }{qw(worst worst_hosts unknown)}], ['', 0, 0],
    'an account without hosts has no listing');
redis($t->{redis}, 'HSET', redis_key('refs', $ac), w4 => 0, w3 => 2, w1 => 9);
redis($t->{redis}, 'ZADD', redis_key('states', $ac), map { $_ . '0000000000005'
    => "HT$_" } 1 .. 3);
is_deeply([@{ row($ac) }{qw(worst worst_hosts unknown)}], ['high', 2, 1],
    'the row has the heaviest listing with its hosts, and the unknown ones');
redis($t->{redis}, 'DEL', redis_key($_, $ac)) for 'refs', 'states';
is_deeply([map { $_->{name} } @{ page('name=OTH')->{data} }], ['Other'],
    'the page has the accounts with a text in their name');
is_deeply(page('name=nobody')->{data}, [], 'no account has that in its name');
refused(get($viewer, 'operator/accounts.json?name=' . 'x' x 256), 400,
    qr/name/, 'a name of 256 letters is refused');

# --- receivers --------------------------------------------------------------

sub receivers {
    return accepted(get($viewer, 'operator/receivers.json'), 'receivers')
        ->{data};
}
is_deeply(receivers(), [], 'a delivery that cannot be read has no receiver');
{
    my $wh = json(rblctl($t->{redis}, '--json', 'webhook', 'add', $ac,
        'Hook <b>', 'https://hook.example/secret')->{out})->{id};
    my $co = sid_of('CO');
    my $retry = redis_key('retry', $ac) =~ s/:AC.*//r;
    my @to = map { join ':', $ac, "EV$_", ($wh, $wh, $wh, 'CB1', 'CB2', $co)[$_]
        } 0 .. 5;
    redis($t->{redis}, 'ZADD', $retry, map { $_ => $to[$_] } 0 .. $#to);
    redis($t->{redis}, 'HSET', redis_key('hook', $ac, $wh), since => $now,
        fails => 7);
    my $other = redis_key('retry', $t->{other}{sid}) =~ s/:AC.*//r;
    redis($t->{redis}, 'ZADD', $other, map { $_ => join ':', $t->{other}{sid},
        "EV$_", 'CB1' } 1 .. 4);
    my $r = receivers();
    is_deeply([map { "$_->{account} $_->{id} $_->{name} $_->{waiting}"
        . " $_->{fails}" } @$r[0 .. 2]], ["$t->{other}{sid}   4 0",
        "$ac $wh Hook <b> 3 7", "$ac   2 0"],
        'receivers of all accounts, those with most deliveries first');
    is_deeply([$r->[0]{account_name}, $r->[1]{failing} ne '', $r->[0]{failing}],
        ['Other', 1, ''], 'receivers have the account, and since when a webhook fails');
    is_deeply([$r->[3]{id}, $r->[3]{name}], [$co, ''],
        'a contact that is gone has its ID only');
    redis($t->{redis}, 'DEL', $retry, $other, redis_key('hook', $ac, $wh));
    rblctl($t->{redis}, 'webhook', 'delete', $ac, $wh);
}

# --- payments ---------------------------------------------------------------

sub unpaid {
    return accepted(get($viewer, "operator/payments.json?$_[0]"), $_[0]);
}

{
    my ($other) = grep { $_ ne $ac } map { $_->{id} } @{ page('')->{data} };
    my $file = own_dir('plans') . '/plans.json';
    write_file($file, '{ "version": 1, "plans": [ { "name": "Month", "paid": 1,'
        . ' "max_hosts": 10, "max_contacts": 5, "max_checks": 10, "interval":'
        . ' "1h", "price": "9.00", "period": "month" } ] }');
    is_deeply(unpaid('')->{data}, [], 'no payment is open');
    rblctl_json($t->{redis}, 'bill', 'plan', $other, 'Month', '--file', $file);
    script_ok($t, 'bill_step', [redis_key('acct', $other)], grace => 0,
        kept => 0);
    my $p = unpaid('');
    is("$p->{total} $p->{partitions_away} $p->{next}", '1 0 ',
        'the page has its totals');
    is_deeply([map { "$_->{account} $_->{plan} $_->{gateway} $_->{status}"
        . " $_->{payment}{amount} $_->{payment}{state}" } @{ $p->{data} }],
        ["$other Month manual active 9.00 open"],
        'a payment that is open, of any account');
    is_deeply(unpaid("state=$_")->{data}, [], "none is $_")
        for qw(sent processing customer unknown operator failed);
    my $py = $p->{data}[0]{payment}{id};
    my $key = redis_key('unpaid', $other) =~ s/:AC.*//r;
    redis($t->{redis}, 'ZADD', "$key:operator", 1, "$other:$py");
    is(accepted(get($viewer, 'operator/status.json'), 'status')->{data}{queues}
        {payments}, 1, 'the status has the payments that are left to the'
        . ' operator');
    redis($t->{redis}, 'DEL', "$key:operator");
    rblctl_json($t->{redis}, 'bill', 'paid', $other, $py);
    is(unpaid('')->{total}, 0, 'a payment that is paid is not on the page');
}
refused(get($viewer, "operator/payments.json?$_"), 400, qr/Invalid/, $_)
    for qw(state=x state=void state= after=x limit=0), 'state=open,failed';
refused(get($user, 'operator/payments.json'), 403, $only,
    'a user cannot read the payments of all accounts');

# Many accounts, in some of the partitions.
my $acct = redis($t->{redis}, 'GET', redis_key('acct', $ac));
for my $i (1 .. 300) {
    my $sid = sprintf 'AC%04x%028x', $i % 5, $i;
    redis($t->{redis}, 'SET', redis_key('acct', $sid), $acct);
    redis($t->{redis}, 'ZADD', redis_key('accounts', $sid) =~ s/:AC.*//r, $i,
        $sid);
}
{
    my (%seen, $after, $pages);
    my $before = commands();
    do {
        my $v = page('limit=40' . ($after ? "&after=$after" : ''));
        $seen{ $_->{id} }++ for @{ $v->{data} };
        $after = $v->{next};
        is($v->{total}, 302, 'the number of all') if !$pages++;
    } while $after && $pages < 20;
    is(scalar keys %seen, 302, 'the pages have all accounts');
    is(scalar(grep { $_ > 1 } values %seen), 0, 'each of them once');
    my $cost = (commands() - $before) / $pages;
    ok($cost < partitions() + 6 + 5 * 40 + 10, "$cost commands a page");
}

sub commands {
    my $sum = 0;
    my $stats = redis($t->{redis}, 'INFO', 'commandstats');
    $sum += $1 while $stats =~ /calls=(\d+)/g;
    return $sum;
}

# --- acting in an account ---------------------------------------------------

$me = accepted(get($owner, "me.json?account=$ac"), 'me there')->{data};
is_deeply([$me->{account}{id}, @{ $me->{user} }{qw(id role mail)}],
    [$ac, $owner->{id}, 'admin', ''], 'an owner is an admin there');
my $r = accepted(portal($t, $admin, 'POST', "host/add.json?account=$ac",
    fields => { host => '192.0.2.1', name => 'n', type => 'rbl' }), 'host/add');
is(accepted(get($user, 'hosts.json'), 'hosts')->{data}[0]{id},
    $r->{data}[0]{id}, 'adds a host to the account');
is(accepted(get($viewer, "hosts.json?account=$ac"), 'hosts')->{total_hosts}, 1,
    'a viewer reads it');
is(accepted(get($viewer, "hosts.json?account=\L$t->{other}{sid}" =~
    s/account=ac/account=AC/r), 'hosts of another')->{total_hosts}, 0,
    'a viewer reads another account');
refused(post($viewer, "host/delete/$r->{data}[0]{id}.json?account=$ac"), 403,
    qr/needs the role admin/, 'a viewer changes nothing');
refused(get($owner, "users.json?account=$ac"), 403, qr/another account/,
    'nobody manages the users there');
refused(post($owner, "session/end.json?account=$ac"), 403, qr/another account/,
    'an operator cannot sign out in another account');
refused(post($admin, "host/delete/$r->{data}[0]{id}.json?account="
    . $t->{other}{sid}), 404, qr/Invalid host id/, 'a host of another account');
for my $where (sid_of('AC'), 'x', '', "$ac$ac", 'AC%00', lc $ac) {
    my $way = "account=$where";
    refused(get($owner, "hosts.json?$way"), 404, $stranger, $way);
    refused(get($owner, "me.json?$way"), 404, $stranger,
        "me.json refuses $way");
    refused(post($owner, "host/pause/x.json?$way"), 404, $stranger,
        "a change, $way");
    refused(get($user, "hosts.json?$way"), 404, $stranger, "a user, $way");
}
refused(get($user, "hosts.json?account=$t->{other}{sid}"), 404, $stranger,
    'a user in another account');
refused(post($user, "host/add.json?account=$t->{other}{sid}",
    { host => '192.0.2.9', name => 'n', type => 'rbl' }), 404, $stranger,
    'a user cannot change another account');
refused(get($user, "hosts.json?account=$operators->{sid}"), 404, $stranger,
    'a user in the account of the operators');
accepted(get($user, "hosts.json?account=$ac"), 'a user in the own account');
accepted(get($owner, "me.json?account=$operators->{sid}"),
    'an operator in the own account, named');
refused(get(undef, "hosts.json?account=$ac"), 401, qr/sign in/,
    'a request without a session is refused');
is(call($t, 'GET', "hosts.json?account=$t->{other}{sid}")->{status}, 200,
    'the API does not know it');

# --- visits -----------------------------------------------------------------

{
    my $key = redis_key('visit', $ac, $owner->{id});
    my $ttl = redis($t->{redis}, 'TTL', $key);
    ok($ttl > 3500 && $ttl <= 3600, 'a visit is noted for an hour');
    is(redis($t->{redis}, 'EXISTS', redis_key('visit', $ac, $user->{id})), 0,
        'the request of a user is no visit');
    is(redis($t->{redis}, 'EXISTS', redis_key('visit', sid_of('AC'),
        $owner->{id})), 0, 'a visit to an unknown account is not noted');
}

sub audit {
    my ($who, $query) = @_;
    return @{ accepted(get($who, "audit.json?limit=100$query"), 'audit')
        ->{data} };
}

{
    my @mine = grep { $_->{who}{id} eq $owner->{id} } audit($user, '');
    is_deeply([map { $_->{call} } @mine], ['operator/visit'],
        'the first visit of an hour is in the audit log of the account');
    is_deeply([@{ $mine[0]{who} }{qw(kind name)}, $mine[0]{target}{id},
        $mine[0]{from}], ['operator', $owner->{mail}, $ac, '127.0.0.1'],
        'the entry names the operator');
    is_deeply([map { $_->{call} } grep { $_->{who}{id} eq $admin->{id} }
        audit($user, '')], ['host/add', 'operator/visit'],
        'the audit log has each change by an operator');
    redis($t->{redis}, 'DEL', redis_key('visit', $ac, $viewer->{id}));
    accepted(get($viewer, "hosts.json?account=$ac"), 'an hour later');
    is(scalar(grep { $_->{who}{id} eq $viewer->{id} }
        audit($owner, "&account=$ac")), 2, 'the log has a second visit');

    my ($visit, $log) = map { redis_key($_, $ac) } 'visit', 'audit';
    redis($t->{redis}, 'DEL', "$visit:$viewer->{id}");
    redis($t->{redis}, 'RENAME', $log, "$log.kept");
    redis($t->{redis}, 'SET', $log, 'damaged');
    is(get($viewer, "hosts.json?account=$ac")->{status}, 503,
        "visit $_ of an account without a log is refused") for 1 .. 3;
    redis($t->{redis}, 'DEL', $log);
    redis($t->{redis}, 'RENAME', "$log.kept", $log);
    accepted(get($viewer, "hosts.json?account=$ac"), 'a log allows the visit');
    is(scalar(grep { $_->{who}{id} eq $viewer->{id} }
        audit($owner, "&account=$ac")), 3, 'the visit is in the log');
}

# --- suspended accounts, and operators that are gone ------------------------

rblctl($t->{redis}, 'account', 'suspend', $ac);
refused(get($user, 'hosts.json'), 403, qr/suspended/, 'a suspended account');
accepted(get($viewer, "hosts.json?account=$ac"), 'an operator reads it');
rblctl($t->{redis}, 'account', 'resume', $ac);
rblctl($t->{redis}, 'account', 'suspend', $operators->{sid});
refused(get($owner, $_), 403, qr/suspended/, "suspended operators: $_")
    for 'operator/status.json', "hosts.json?account=$ac";
rblctl($t->{redis}, 'account', 'resume', $operators->{sid});
accepted(get($admin, "hosts.json?account=$ac"),
    'an operator reads the account before the deletion');
rblctl($t->{redis}, 'operator', 'delete', $admin->{id});
refused(get($admin, "hosts.json?account=$ac"), 401, qr/sign in/,
    'a deleted operator is signed out at once');
refused(get($admin, 'operator/status.json'), 401, qr/sign in/,
    'a deleted operator cannot read the status');
accepted(post($owner, "user/role/$viewer->{id}.json", { role => 'admin' }),
    'an owner manages the operators');
accepted(post($viewer, "host/pause/$r->{data}[0]{id}.json?account=$ac"),
    'a new role counts at once');

# --- system lists -----------------------------------------------------------

sub lists {
    return map { $_->{list}{id} => $_ }
        @{ accepted(get($owner, 'operator/lists.json'), 'lists')->{data} };
}

sub change {
    my ($verb, $id, $fields) = @_;
    return post($owner, "operator/list/$verb/$id.json", $fields);
}

sub in_all {
    my ($id, $field) = @_;
    my %seen = map { (record('list', redis($t->{redis}, 'GET',
        "rbl:{$_}:r:SYS:$id"))->{$field} => 1) } 0 .. partitions() - 1;
    return join ' ', sort keys %seen;
}

my %list = lists();
my ($id) = grep { $list{$_}{list}{status} eq 'active' } sort keys %list;
is_deeply($list{$id}{by_hand}, [], 'nothing was changed by hand');
accepted(change('disable', $id), 'an operator disables a list');
is(in_all($id, 'status'), 'disabled', 'the list is disabled in all partitions');
%list = lists();
is_deeply([$list{$id}{list}{status}, @{ $list{$id}{by_hand} }],
    ['disabled', 'status'], 'the lists show the change by hand');
accepted(change('enable', $id), 'an operator enables the list');
is(in_all($id, 'status'), 'active', 'the list is active in all partitions');
my ($keyed) = grep { $list{$_}{list}{host} =~ /\{key\}/ } keys %list;
refused(change('enable', $keyed), 409, qr/needs a key/, 'a list with a key')
    if $keyed;

refused(change('thaw', $id), 409, qr/not frozen/, 'thaw of a list that is not');
redis($t->{redis}, 'HSET', redis_key('list', $id), frozen => $now,
    turned => 3, of => 9);
is({ lists() }->{$id}{turned}, 3, 'a frozen list');
accepted(change('thaw', $id), 'an operator thaws the list');
is({ lists() }->{$id}{frozen}, '', 'the list is no longer frozen');

my $was = { lists() }->{$id};
accepted(change('override', $id, { day_quota => 4321, weight => 'high',
    rate => 0 }), 'an operator overrides values of the list');
is(in_all($id, 'day_quota'), 4321, 'the override is in all partitions');
%list = lists();
is_deeply([@{ $list{$id} }{qw(day_quota weight rate)}], [4321, 'high', 0],
    'the new values');
is(join(' ', sort @{ $list{$id}{by_hand} }), 'day_quota rate status weight',
    'the lists show the values that were set by hand');
accepted(change('override', $id, { none => 1 }), 'override with none');
is(in_all($id, 'day_quota'), $was->{day_quota}, 'as in the catalogue');
refused(change('override', $id), 400, qr/Nothing to change/,
    'an override without values is refused');
refused(change('override', $id, $_), 400, qr/Invalid/, join ' ', %$_)
    for { weight => 'x' }, { rate => -1 }, { rate => 1_000_001 },
    { day_quota => 'x' }, { min_interval => 2_592_001 };

refused(change('kill', $id), 400, qr/reason/, 'kill without a reason');
accepted(change('kill', $id, { reason => 'It <b>ended</b>.' }),
    'an operator kills the list');
is(in_all($id, 'status'), 'killed', 'the list is killed in all partitions');
is({ lists() }->{$id}{reason}, 'It <b>ended</b>.', 'the lists show it');
refused(change('disable', $id), 404, qr/Invalid list id/,
    'a killed list cannot be disabled');
accepted(change('unkill', $id), 'an operator undoes the kill');
is(in_all($id, 'status'), 'active',
    'the list is active again in all partitions');
refused(change($_, sid_of('RB')), 404, qr/Invalid list id/, "$_ of none")
    for qw(enable thaw unkill);
{
    my %did;
    for my $e (audit($owner, "&target=$id")) {
        $did{ $e->{call} =~ s{operator/list/}{}r }++;
        is($e->{target}{name}, $list{$id}{list}{host}, "$e->{call} is logged");
    }
    is(join(' ', sort keys %did), 'disable enable kill override thaw unkill',
        'all changes of a list are in the log of the operators');
}

for my $i (1 .. 300) {
    my $sid = sprintf 'AC%04x%028x', $i % 5, $i;
    redis($t->{redis}, 'DEL', redis_key('acct', $sid));
    redis($t->{redis}, 'ZREM', redis_key('accounts', $sid) =~ s/:AC.*//r, $sid);
}
redis($t->{redis}, 'DEL', $_) for 'rbl:{3}:due', 'rbl:{5}:retry';
$r = rblctl($t->{redis}, 'fsck');
is($r->{status}, 0, 'fsck finds nothing') or diag($r->{out} . $r->{err});

done_testing();
