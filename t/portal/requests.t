#!/usr/bin/perl

# Requests of operators: accounts, owners and plans, which nginx queues and a
# daemon carries out, once, also if it is killed; refusals, what is wrong in the
# queue, and the audit logs.

use strict;
use warnings;
use utf8;

use Test::More;

use RblPortal;

my $t = portal_setup(lists => 1);
my $ac = $t->{acct}{sid};
my $ops = operators($t)->{sid};
my ($owner, $other) = map { sign_in($t, acct => { sid => $ops },
    role => 'owner') } 1, 2;
my $queue = redis_key('requests', $ops);
my $plans = temp_dir() . '/plans.json';

# A file of plans with these names.
sub plans {
    my (@names) = @_;

    write_file("$plans.new", '{"version": 1, "plans": [' . join(',', map {
        qq({"name": "$_", "paid": 1, "max_hosts": 7, "max_contacts": 3,
        "max_checks": 9, "interval": "2h", "price": "9.00",
        "period": "month"}) } @names) . ']}');
    rename "$plans.new", $plans or die "$plans: $!";
    return;
}
plans('Small', 'Large', 'Gone');

my $checkd;
sub daemon {
    $checkd = start_checkd(store => $t->{redis}, resolver => 9,
        conf => { bill_plans => $plans });
    return;
}

sub ask {
    my ($call, $fields, $who) = @_;

    return portal($t, $who // $owner, 'POST', "operator/$call.json",
        fields => $fields);
}

sub queued {
    my ($call, $fields, $who) = @_;

    return accepted(ask($call, $fields, $who), "$call is queued")->{data};
}

sub shown {
    my ($id) = @_;

    my $body = accepted(portal($t, $owner, 'GET', 'operator/requests.json'),
        'the requests are shown');
    return $body if !defined $id;
    return (grep { $_->{id} eq $id } @{ $body->{data} })[0];
}

# How a request has ended: "state why".
sub ended {
    my ($id) = @_;

    my $one;
    wait_for { $one = json(portal($t, $owner, 'GET', 'operator/requests.json'));
        ($one) = grep { $_->{id} eq $id } @{ $one->{data} };
        $one && $one->{ended} ne '' } 40, "the end of request $id";
    return "$one->{state} $one->{why}";
}

sub account {
    my ($sid) = @_;

    return record('account', redis($t->{redis}, 'GET', redis_key('acct',
        $sid)));
}

# Sets a field of a request in the queue.
sub put {
    my ($id, $field, $value) = @_;

    my @fields = @{ record_fields('request') };
    my ($n) = map { $_ + 1 } grep { $fields[$_] eq $field } 0 .. $#fields;
    redis($t->{redis}, 'EVAL', q{local r = cmsgpack.unpack(
        redis.call('HGET', KEYS[1], ARGV[1]))
        r[tonumber(ARGV[2])] = tonumber(ARGV[3]) or ARGV[3]
        redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(r))}, 1, $queue,
        $id, $n, $value);
    return;
}

sub log_of {
    my ($sid) = @_;

    my $path = $sid eq $ops ? 'audit.json' : "audit.json?account=$sid";
    return @{ accepted(portal($t, $owner, 'GET', $path),
        'the audit log')->{data} };
}

# --- no daemon ----------------------------------------------------------------

my $name = '<b>&amp;"' . "\x{202e}" . 'ä' x 245;
my $first = queued('account/add', { name => $name, mail => 'Boss@Example.test',
    plan => 'Small' });
like($first->{account}, qr/^AC[0-9a-f]{32}$/, 'the answer has the new SID');
like($first->{link}, qr/^\Q$first->{account}\E\.[0-9a-f]{64}$/,
    'the answer has a link of the new account');
my $one = shown($first->{id});
is_deeply([@$one{qw(state why ended kind name mail plan by)}], ['waiting', '',
    '', 'account', $name, 'Boss@example.test', 'Small', $owner->{mail}],
    'a request waits, with all of its fields');
like($one->{queued}, qr/^\d{4}-\d\d-\d\dT/, 'a request shows since when it waits');
is(account($first->{account}), undef, 'nginx has made no account');
refused(portal($t, undef, 'POST', 'session/start.json',
    fields => { link => $first->{link} }), 403, qr/expired or was used/,
    'the link of a request that waits does not sign in');

# --- what is refused ------------------------------------------------------------

refused(ask('account/add', { name => $name, mail => 'Boss@Example.test',
    plan => 'Small' }, $other), 409, qr/same request waits/,
    'two operators cannot queue the same request');
refused(ask('account/add', $_->[1]), 400, $_->[2], $_->[0])
    for ['no name', {}, qr/No name value/],
    ['a name of 256 characters', { name => 'ä' x 256 }, qr/Invalid name/],
    ['a plan of 256 characters', { name => 'x', plan => 'x' x 256 },
        qr/Invalid plan/],
    ['an address that is none', { name => 'x', mail => 'x' },
        qr/must be an e-mail/];
refused(ask('account/add', { name => "a\nb" }), 400, qr/name|text|character/i,
    'a name with a line end');
refused(ask('owner/add', { account => $ops, mail => 'a@example.test' }), 404,
    qr/Invalid account id/, 'an owner of the account of the operators');
refused(ask('account/plan', { account => $ops, plan => 'Small' }), 404,
    qr/Invalid account id/, 'a plan for the account of the operators');
refused(ask('owner/add', { account => $_, mail => 'a@example.test' }), 400,
    qr/account/, "an owner of the account '$_'")
    for 'x', "${ac}0", '', "$ac,$ac";
my @more = map { queued('account/plan', { account => $ac, plan => "P$_" })
    ->{id} } 1 .. 19;
refused(ask('account/plan', { account => $ac, plan => 'P20' }), 409,
    qr/^20 requests wait/, 'a queue of 20 requests is full');
redis($t->{redis}, 'HDEL', $queue, @more);

# --- a daemon -------------------------------------------------------------------

daemon();
is(ended($first->{id}), 'done ', 'a daemon carries the request out');
my $made = account($first->{account});
is_deeply([@$made{qw(status plan paid max_hosts max_contacts max_checks
    interval min_interval timezone)}],
    ['active', 'Small', 1, 7, 3, 9, 7200, 7200, 'UTC'],
    'the account has the values of its plan');
is($made->{name}, do { my $n = $name; utf8::encode($n); $n },
    'the account has its name');
my $user = { link => $first->{link}, acct => { sid => $first->{account} } };
my $boss = sign_in($t, user => $user);
my $me = accepted(portal($t, $boss, 'GET', 'me.json'), 'the user is shown')->{data};
is("$me->{user}{role} $me->{user}{mail}", 'owner Boss@example.test',
    'the link signs the owner in');
isnt(accepted(portal($t, $boss, 'GET', 'users.json'), 'the users are shown')
    ->{data}[0]{confirmed}, '', 'the address of the owner counts as confirmed');
is_deeply(shown()->{plans}, ['Small', 'Large', 'Gone'],
    'operators see the names of the plans');
{
    my @own = grep { $_->{call} =~ m{^(?:account|user)/add$} }
        log_of($first->{account});
    is_deeply([sort map { "$_->{call} $_->{who}{kind} $_->{who}{name}" } @own],
        [map { "$_ operator $owner->{mail}" } 'account/add', 'user/add'],
        'the log of the account has both changes, by the operator');
    my @log = grep { $_->{target}{id} eq $first->{account} } log_of($ops);
    is_deeply([map { $_->{call} } @log], ['operator/request/done',
        'operator/account/add'], 'the log of the operators has request and end');
    is($log[0]{who}{name}, $owner->{mail}, 'the end names the operator');
}
is(redis($t->{redis}, 'HLEN', $queue), 0, 'no request waits any longer');

# Without a plan or an owner.
my $plain = queued('account/add', { name => 'Plain' });
is($plain->{link}, '', 'a request without an owner has no link');
is(ended($plain->{id}), 'done ', 'a request without a plan and an owner');
is(account($plain->{account})->{plan}, 'free', 'an account without a plan has no limits');
is(redis($t->{redis}, 'ZCARD', redis_key('users', $plain->{account})), 0,
    'an account without an owner has no user');

# --- refused by the daemon --------------------------------------------------------

my $late = queued('owner/add', { account => $first->{account},
    mail => 'boss@EXAMPLE.test' }, $other);
is(ended($late->{id}), 'refused mail', 'an owner who exists');
plans('Small', 'Large');
is(ended(queued('account/plan', { account => $ac, plan => 'Gone' })->{id}),
    'refused plan', 'a plan that is gone');
is(ended(queued('account/add', { name => 'x', plan => 'Gone' })->{id}),
    'refused plan', 'an account on a plan that is gone');
wait_for { "@{ shown()->{plans} }" eq 'Small Large' } 20,
    'the names of the plans that are left';
is("@{ shown()->{plans} }", 'Small Large', 'the plan is not offered any more');
is(ended(queued('account/plan', { account => sid_of('AC'),
    plan => 'Small' })->{id}), 'refused account', 'an account that is none');
is(ended(queued('owner/add', { account => sid_of('AC'),
    mail => 'a@example.test' })->{id}), 'refused account',
    'an owner of an account that does not exist');
bill_of($t, $t->{other});
is(ended(queued('account/plan', { account => $t->{other}{sid},
    plan => 'Small' })->{id}), 'refused bill', 'an account with a bill');
like((log_of($ops))[0]{call}, qr{^operator/request/refused$},
    'the log of the operators has the refusal');
is_deeply([map { $_->{value} } grep { $_->{name} eq 'why' }
    @{ (log_of($ops))[0]{fields} }], ['bill'], 'the refusal has its reason');
write_file($plans, '{');
is(ended(queued('account/plan', { account => $ac, plan => 'Small' })->{id}),
    'refused plan', 'a file of plans with a mistake has none');
plans('Small', 'Large');

# --- a daemon that is killed ------------------------------------------------------

# It cannot store the end of the request.
my $done = redis_key('ended', $ops);
redis($t->{redis}, 'RENAME', $done, "$done:kept");
redis($t->{redis}, 'SET', $done, 'x');
my $twice = queued('account/plan', { account => $ac, plan => 'Small' });
my $owned = queued('owner/add', { account => $ac, mail => 'new@example.test' });
wait_for { account($ac)->{plan} eq 'Small' } 20, 'the plan';
wait_log($checkd, qr/end was not stored/, 20, 'the end is not stored');
is(record('request', redis($t->{redis}, 'HGET', $queue, $twice->{id}))
    ->{tries}, 1, 'the request was begun once');
kill_server($checkd, 'KILL');
is(rblctl($t->{redis}, 'account', 'plan', $ac, 'Large', '--file', $plans)
    ->{status}, 0, 'rblctl changes the plan meanwhile');
redis($t->{redis}, 'DEL', $done);
redis($t->{redis}, 'RENAME', "$done:kept", $done);
daemon();
is(ended($twice->{id}), 'done ', 'another daemon ends the request');
is(account($ac)->{plan}, 'Large', 'the change of the plan was made once');
is(ended($owned->{id}), 'done ', 'the next request follows');
is(scalar(grep { $_->{call} eq 'account/plan' && $_->{who}{kind} eq 'operator' }
    log_of($ac)), 1, 'the log has the change once');

# Killed at any time.
my @all;
for my $i (1 .. 8) {
    push @all, queued('account/add', { name => "Kill $i",
        mail => "kill$i\@example.test" });
    select undef, undef, undef, 0.05 * $i;
    kill_server($checkd, 'KILL');
    daemon();
}
is(join(' ', map { ended($_->{id}) } @all), join(' ', ('done ') x 8),
    'each request is done');
is(join(' ', map { redis($t->{redis}, 'ZCARD', redis_key('users',
    $_->{account})) } @all), join(' ', (1) x 8), 'each account has one owner');
is(join(' ', map { my $sid = $_->{account}; scalar(grep { $_->{call}
    =~ m{^(?:account|user)/add$} } log_of($sid)) } @all), join(' ', (2) x 8),
    'each log has the two changes once');
is(redis($t->{redis}, 'LLEN', $done) <= 50, 1, 'the last 50 are kept');

# --- what no daemon should carry out -----------------------------------------------

kill_server($checkd, 'KILL');
my $old = queued('account/add', { name => 'Old' });
put($old->{id}, 'queued', 1000 * (time - 3601));
is(shown($old->{id})->{state}, 'expired',
    'a request is expired after an hour, though no daemon says so');
my $fatal = queued('account/add', { name => 'Fatal' });
put($fatal->{id}, 'tries', 1);
is(shown($fatal->{id})->{state}, 'begun', 'a request that a daemon has begun');
put($fatal->{id}, 'tries', 3);
my $planted = queued('owner/add', { account => $ac, mail => 'p@example.test' });
put($planted->{id}, 'account', $ops);
my $wrong = queued('account/add', { name => 'Wrong' });
put($wrong->{id}, 'name', "a\nb");
redis($t->{redis}, 'HSET', $queue, 'x', 'y', 99_999, 'garbage',
    99_998, mp_pack([1, \'1', 'x']));
daemon();
is(ended($old->{id}), 'expired ', 'a daemon ends it');
is(account($old->{account}), undef, 'an expired request makes no account');
is(ended($fatal->{id}), 'failed tries', 'three daemons had the request');
is(ended($planted->{id}), 'refused damaged',
    'the queue makes no operator');
is(ended($wrong->{id}), 'refused damaged', 'a name with a line end');
ok((wait_for { redis($t->{redis}, 'HLEN', $queue) == 0 } 20,
    'the rest is removed'), 'what is no request is removed');
redis($t->{redis}, 'DEL', redis_key('bill', $t->{other}{sid}));
my $fsck = rblctl($t->{redis}, 'fsck');
is($fsck->{status}, 0, 'fsck finds nothing') or diag($fsck->{out});

done_testing();
