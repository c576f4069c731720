#!/usr/bin/perl

# The credential cache of a worker: account and token are read again as soon as
# one of them has changed, so the next request is judged by the new state.

use strict;
use warnings;

use POSIX ();
use RblApi;
use RblSeam;
use RblTest;

my $second = start_redis();
init_store($second);
my $t = api_setup(workers => 1, server => 'location /other/3.0/ { rbl_api on; '
    . "rbl_store $second->{addr}; }");
my $redis = $t->{redis};
my ($sid, $app) = @{ $t->{acct} }{qw(sid app)};
my $h = add_host($t, '10.0.0.1');
my $one = "host/$h->{id}.json";
my $page = 'hosts.json?page_size=20';

sub ctl {
    my $r = rblctl($redis, @_, '--json');
    is($r->{status}, 0, "rblctl @_[0, 1] succeeds") or diag($r->{err});
    return json($r->{out});
}

# Number of keys read from the store.
sub keys_of {
    my ($code) = @_;

    my @n;
    for my $i (0, 1) {
        my $n = 0;
        $n += $_ for redis($redis, 'INFO', 'stats')
            =~ /^keyspace_(?:hits|misses):(\d+)/mg;
        push @n, $n;
        $code->() if !$i;
    }
    return $n[1] - $n[0];
}

# Reads until only the totals and the record are read.  The cache expires after
# a second, so several attempts may be needed.
sub warm {
    my ($path, $auth) = @_;

    return ok((wait_for { keys_of(sub { call($t, 'GET', $path,
        $auth ? (auth => $auth) : ()) }) == 2 } 10), "$path is remembered");
}

for my $path ($one, $page) {
    accepted(call($t, 'GET', $path), "$path is served");
    warm($path);
}

# --- changes of the account --------------------------------------------------

for my $path ($one, $page) {
    warm($path);
    ctl('account', 'suspend', $sid);
    refused(call($t, 'GET', $path), 403, qr/suspended/,
        'a suspended account is refused at once');
    refused(call($t, 'GET', $path), 403, qr/suspended/,
        'a suspended account is refused again');
    ctl('account', 'resume', $sid);
    accepted(call($t, 'GET', $path), 'a resumed account is served at once');

    warm($path);
    ctl('app', 'allow', $sid, $app, '192.0.2.0/24');
    refused(call($t, 'GET', $path), 403, qr/from this address/,
        'an address outside the allow list is refused at once');
    ctl('app', 'allow', $sid, $app, '127.0.0.0/8');
    accepted(call($t, 'GET', $path),
        'an address on the allow list is served at once') for 1 .. 3;
    ctl('app', 'allow', $sid, $app, '192.0.2.0/24');
    refused(call($t, 'GET', $path), 403, qr/from this address/,
        'an address that left the allow list is refused');
    ctl('app', 'allow', $sid, $app, '--none');
    accepted(call($t, 'GET', $path),
        'any address is served without an allow list');

    warm($path);
    ctl('app', 'limit', $sid, $app, '--hour', 1000);
    my @left = map { call($t, 'GET', $path)->{headers}{'ratelimit-remaining'} }
        1 .. 3;
    is("@left[1, 2]", join(' ', $left[0] - 1, $left[0] - 2),
        'requests are counted as soon as there is a limit');
    ctl('app', 'limit', $sid, $app, '--hour', 1);
    refused(call($t, 'GET', $path), 429, qr/Too many/,
        'a request over a new limit is refused');
    ctl('app', 'limit', $sid, $app, '--hour', 0);
    accepted(call($t, 'GET', $path),
        'an application without a limit is served at once');

    warm($path);
    ctl('account', 'timezone', $sid, 'Asia/Tokyo');
    like(call($t, 'GET', $path)->{body}, qr/"next_check":"[^"]* JST"/,
        'a new time zone is shown at once');
    ctl('account', 'timezone', $sid, 'UTC');
    like(call($t, 'GET', $path)->{body}, qr/"next_check":"[^"]* UTC"/,
        'the old time zone is shown again at once');
}

# --- tokens that end ---------------------------------------------------------

my $acct = $t->{acct};
for my $path ($one, $page) {
    my $new = ctl('app', 'add', $sid, 'New');
    my $auth = [$sid, $new->{token}];
    warm($path, $auth);
    warm($path);
    ctl('token', 'revoke', $sid, $new->{id},
        ctl('token', 'list', $sid, $new->{id})->[0]{digits});
    refused(call($t, 'GET', $path, auth => $auth), 401, qr/credentials/,
        'a token that was revoked');
    accepted(call($t, 'GET', $path),
        'another token of the account is accepted');

    $new = ctl('app', 'add', $sid, 'Newer');
    $auth = [$sid, $new->{token}];
    warm($path, $auth);
    ctl('app', 'revoke', $sid, $new->{id});
    refused(call($t, 'GET', $path, auth => $auth), 401, qr/credentials/,
        'the token of a revoked application is refused');
    refused(call($t, 'GET', 'host/nonsense.json', auth => $auth), 401,
        qr/credentials/, 'no other error is returned');
}

# --- changes of the token ----------------------------------------------------

warm($one);
for ([$t->{other}{sid}, $acct->{token}], [$sid, $t->{other}{token}]) {
    refused(call($t, 'GET', $one, auth => $_), 401, qr/credentials/,
        'a mixture of two credentials is refused');
}
refused(call($t, 'GET', $one, auth => $t->{other}), 404, qr/host/,
    "another account does not see it");
warm($one);
my $r = http($t->{nginx}, 'GET', "/other/3.0/$one", auth => $acct);
is($r->{status}, 401, 'another store does not know the credentials');
is(http($t->{nginx}, 'GET', "/other/3.0/$one", auth => $acct)->{status}, 401,
    'another store does not know the credentials later');

# --- totals of an older version, and none ------------------------------------

for my $made ([1, 1, 1, 1, 0], [1, 1, 1, 1, 0, 0], 'x') {
    redis($redis, 'SET', redis_key('totals', $sid),
        ref $made ? mp_pack($made) : $made);
    accepted(call($t, 'GET', $one), 'totals without a stamp are counted');
    warm($one);
}
redis($redis, 'DEL', redis_key('totals', $sid));
accepted(call($t, 'GET', $page), 'a page is served without totals');

# --- concurrent changes of the account ----------------------------------------

my $child = fork // die;
if ($child == 0) {
    my @zone = ('Asia/Tokyo', 'UTC');
    redis($redis, 'EVAL', seam_source('account_update'),
        seam_words('account_update', [redis_key('acct', $sid)],
        timezone => $zone[$_ % 2], now => 1)) for 1 .. 100_000;
    POSIX::_exit(0);
}
my %status;
$status{ call($t, 'GET', $_)->{status} }++ for ($one, $page) x 300;
kill 'KILL', $child;
waitpid $child, 0;
is_deeply(\%status, { 200 => 600 }, 'every read gets a response');

# --- changes by hand ---------------------------------------------------------

# The totals do not change: the cache finds out within a second or so.
my ($field) = @{ redis($redis, 'HKEYS', redis_key('tokens', $sid)) };
warm($one);
redis($redis, 'DEL', redis_key('token', $sid, $field));
ok((wait_for { call($t, 'GET', $one)->{status} == 401 } 10),
    'a token deleted by hand leaves the cache');
refused(call($t, 'GET', $page), 401, qr/credentials/,
    'a token deleted by hand is refused');

done_testing();
