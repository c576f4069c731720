#!/usr/bin/perl

# Signing in and out: an account cannot reach the sign-in of another one by its
# users' addresses, sessions and links end when they are replaced, and a browser
# knows that the outside has https.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use POSIX ();
use Test::More;

use RblPortal;

my $t = portal_setup();
my $redis = $t->{redis};
my ($sid, $other) = map { $t->{$_}{sid} } qw(acct other);
my $owner = sign_in($t, role => 'owner');
my $evil = sign_in($t, role => 'owner', acct => $t->{other});

sub mail_key {
    my ($mail) = @_;

    my $hash = substr sha256_hex(lc $mail), 0, 32;
    return redis_key('mail', hex(substr $hash, 0, 4) % partitions(), $hash);
}

sub entries { return scalar @{ redis($redis, 'ZRANGE', mail_key($_[0]), 0, -1) } }

sub add {
    my ($who, $mail) = @_;

    return portal($t, $who, 'POST', 'user/add.json',
        fields => { mail => $mail, role => 'viewer' })->{status};
}

sub door {
    my ($portal) = @_;

    my $door = { %$t, nginx => start_nginx(store => $redis, workers => 1,
        portal => $portal, http => 'rbl_store_timeout 5s;') };
    wait_for { portal($door, undef, 'GET', 'me.json')->{status} == 401 } 10,
        'the store of nginx';
    return $door;
}

# --- the address of a user of another account ----------------------------------

is(add($evil, 'ceo@corp.test'), 200, 'an account adds an address');
is(add($evil, $_), 409, "the account cannot add it again as $_")
    for qw(ceo@corp.test Ceo@corp.test cEO@CORP.test);
is(entries('ceo@corp.test'), 1, 'refused calls leave no entry in the index');
is(add($owner, 'ceo@corp.test'), 200, 'another account adds the address');
my $sso = door('rbl_portal_user $http_x_mail; rbl_portal_trust 127.0.0.1;');
my @as = (headers => ['X-Mail: ceo@corp.test']);
my $choice = accepted(portal($sso, undef, 'POST', 'session/start.json', @as),
    'the user has a choice of accounts')->{data}{accounts};
is(join(' ', sort map { $_->{id} } @$choice), join(' ', sort $sid, $other),
    'the choice has both accounts');

# Entries of others that lead nowhere.
redis($redis, 'ZADD', mail_key('ceo@corp.test'), 'inf',
    sid_of('AC') . ':' . sprintf('US%032x', $_)) for 1 .. 20;
my $r = portal($sso, undef, 'POST', 'session/start.json', @as,
    fields => { account => $sid });
is(accepted($r, 'the user names the account')->{data}{account}, $sid,
    'older entries of others do not hide the account that the user names');

is(accepted(portal($sso, undef, 'POST', 'session/start.json', @as),
    'the user signs in again')->{data}{account}, $sid,
    'a confirmed address needs no choice although another account has it');
is(redis($redis, 'ZSCORE', mail_key('ceo@corp.test'),
    (grep { /^$other/ } @{ redis($redis, 'ZRANGE', mail_key('ceo@corp.test'), 0,
    -1) })[0]), 'inf', 'the other account has no confirmed user');

# An account adds an address that has never signed in.
is(add($evil, 'new@corp.test'), 200, 'an account adds a new address');
my @new = (headers => ['X-Mail: new@corp.test']);
$r = portal($sso, undef, 'POST', 'session/start.json', @new);
is_deeply([map { $_->{id} } @{ accepted($r, 'the browser of the address')->
    {data}{accounts} }], [$other],
    'no browser signs in by itself to an account that it never chose');
ok(!$r->{headers}{'set-cookie'}, 'the question sets no cookie');
my ($place) = @{ redis($redis, 'ZRANGE', mail_key('new@corp.test'), 0, -1) };
accepted(use_link($t, json(portal($t, $evil, 'POST', 'user/link/'
    . $place =~ s/.*://r . '.json'))->{data}{link}), 'the owner takes a link');
is(redis($redis, 'ZSCORE', mail_key('new@corp.test'), $place), 'inf',
    'a link that an owner was shown confirms no address');
redis($redis, 'DEL', mail_key('new@corp.test'));
portal($t, $evil, 'POST', 'user/link/' . $place =~ s/.*://r . '.json');
is(entries('new@corp.test'), 1,
    'the next link of a user puts the user into the index again');
redis($redis, 'ZADD', mail_key('new@corp.test'), $_,
    "$other:" . sprintf('US%032x', $_)) for 1 .. 20;
portal($t, $evil, 'POST', 'user/link/' . $place =~ s/.*://r . '.json');
is(entries('new@corp.test'), 1, 'an account has one place of an address');

# An address that 50 accounts have.
my @many = map { make_account($redis) } 1 .. 50;
add_user($t, acct => $_, mail => 'many@corp.test') for @many;
my @each = (headers => ['X-Mail: many@corp.test']);
$choice = accepted(portal($sso, undef, 'POST', 'session/start.json', @each),
    'the user of 50 accounts has a choice')->{data}{accounts};
is(scalar @$choice, 5, 'the choice has five accounts');
is(accepted(portal($sso, undef, 'POST', 'session/start.json', @each,
    fields => { account => $_->{sid} }), 'a named account')->{data}{account},
    $_->{sid}, 'the user enters each account by its name')
    for @many[0, 24, 49];

my $full = $t->{other};
add_user($t, acct => $full) for 1 .. 97;
is(add($evil, 'full@corp.test'), 409, 'an account has 100 users at most');
is(entries('full@corp.test'), 0, 'the refused address is in no index');
is(rblctl($redis, 'fsck', $sid)->{status}, 0, 'fsck finds nothing');

# --- everywhere --------------------------------------------------------------

my $user = add_user($t, role => 'viewer');
sub link_of {
    my $r = portal($t, $owner, 'POST', "user/link/$user->{id}.json");
    return json($r)->{data}{link};
}
my $here = sign_in($t, user => $user);
my $left = link_of();
accepted(portal($t, $here, 'POST', 'session/end.json',
    fields => { everywhere => 1 }), 'the user signs out everywhere');
refused(use_link($t, $left), 403, qr/expired or was used/,
    'a link that was made before ends, too');
my @links = map { link_of() } 1 .. 100;
$here = sign_in($t, user => { %$user, link => pop @links });
accepted(portal($t, $here, 'POST', 'session/end.json',
    fields => { everywhere => 1 }), 'a user with 100 links signs out');
is(redis($redis, 'ZCARD', redis_key('links', $sid, $user->{id})), 0,
    'no link of 100 is left');
refused(use_link($t, $_), 403, qr/expired or was used/, 'each of them has ended')
    for @links[0, 49, 98];

# --- two owners who delete each other -----------------------------------------

sub delete_at_once {
    my ($who, $id) = @_;

    my $pid = fork // die "fork: $!";
    return $pid if $pid;
    portal($t, $who, 'POST', "user/delete/$id.json");
    POSIX::_exit(0);
}
for my $round (1 .. 5) {
    my $acct = make_account($redis);
    my @two = map { sign_in($t, role => 'owner', acct => $acct) } 1, 2;
    my @pids = map { delete_at_once($two[$_], $two[1 - $_]{id}) } 0, 1;
    waitpid $_, 0 for @pids;
    is(scalar(grep { portal($t, $_, 'GET', 'me.json')->{status} == 200 } @two),
        1, "one of two owners who delete each other stays, round $round");
}

# --- a new sign-in -----------------------------------------------------------

my $before = sign_in($t, user => { %$user, link => link_of() });
$r = use_link($t, link_of(), headers => ["Cookie: $before->{cookie}"]);
accepted($r, 'the browser signs in again');
refused(portal($t, $before, 'GET', 'me.json'), 401, qr/sign in/,
    'the session before it has ended');
my $now = { cookie => cookie_of($r) };
accepted(portal($t, $now, 'GET', 'me.json'), 'the new session');
$r = use_link($t, add_user($t)->{link}, headers => ["Cookie: $now->{cookie}"]);
accepted($r, 'another user signs in');
accepted(portal($t, $now, 'GET', 'me.json'),
    'the session of another user goes on');
(my $forged = $now->{cookie}) =~ s/.$/$& eq 'a' ? 'b' : 'a'/e;
accepted(use_link($t, link_of(), headers => ["Cookie: $forged"]),
    'a sign-in with a cookie of no session');
accepted(portal($t, $now, 'GET', 'me.json'),
    'a cookie that is not right ends no session');

# The identity that a proxy names.
sub known {
    my ($cookie) = @_;

    return portal($sso, undef, 'POST', 'session/start.json',
        fields => { account => $sid },
        headers => ['X-Mail: ceo@corp.test', $cookie ? "Cookie: $cookie" : ()]);
}
my ($first, $elsewhere) = map { { cookie => cookie_of(known()) } } 1, 2;
accepted(known($first->{cookie}), 'an identity signs in again');
refused(portal($sso, $first, 'GET', 'me.json', @as), 401, qr/sign in/,
    'a sign-in by identity ends the session before it');
accepted(portal($sso, { cookie => "$elsewhere->{cookie}" }, 'GET', 'me.json',
    headers => ['X-Mail: ceo@corp.test']),
    'a session of the identity in another browser goes on');

# --- https at the outside ----------------------------------------------------

my $behind = door('rbl_portal_url https://rbl.example/portal/;');
$r = use_link($behind, link_of(), host => 'rbl.example');
like($r->{headers}{'set-cookie'}, qr/^__Host-rbl=.*; Secure; HttpOnly/,
    'the cookie is secure if rbl_portal_url has https');
accepted(portal($behind, { cookie => cookie_of($r) }, 'GET', 'me.json'),
    'the secure cookie is a session');
refused(portal($behind, $now, 'GET', 'me.json'), 401, qr/sign in/,
    'a cookie of http is none there');
sub from {
    my ($origin, $site, $host) = @_;

    return portal($behind, undef, 'POST', 'session/start.json', site => $site,
        host => $host // 'rbl.example', fields => { link => 'x' },
        headers => [$origin ? "Origin: $origin" : ()]);
}
refused(from('https://evil.example', $_), 403, qr/page of this site/,
    'an origin that is not that of rbl_portal_url') for undef, 'same-origin';
refused(from('http://rbl.example', undef), 403, qr/page of this site/,
    'an origin with another scheme');
refused(from('https://rbl.example', $_), 403, qr/expired or was used/,
    'the origin of rbl_portal_url may sign in') for undef, 'same-origin';
refused(from('https://RBL.example', undef, 'Rbl.Example'), 403,
    qr/expired or was used/, 'capitals are the same name');
refused(from('https://rbl.example', 'same-origin', $_), 403,
    qr/page of this site/, "the Host $_ is not that of rbl_portal_url")
    for qw(evil.example rbl.example.evil.example rbl.example:81 localhost);
refused(from(undef, 'same-origin', 'evil.example'), 403, qr/page of this site/,
    'a name that leads here is not the site, for browsers of any kind');
refused(from('https://evil.example', undef, 'evil.example'), 403,
    qr/page of this site/, 'Host and Origin that agree are not enough');
refused(from(undef, undef), 403, qr/page of this site/,
    'a request that names no page');

# HTTP/2 has :authority in place of Host.
my $h2 = free_port();
my $two = start_nginx(store => $redis, workers => 1,
    server => "listen 127.0.0.1:$h2 http2;",
    portal => 'rbl_portal_url https://rbl.example/portal/;');
sub from_http2 {
    my ($host, $origin, @body) = @_;

    return run_cmd({ timeout => 10 }, 'curl', '-s', '--http2-prior-knowledge',
        '--connect-to', "::127.0.0.1:$h2", '-H', "Origin: $origin",
        '-H', 'Content-Type: application/json', '-X', 'POST', @body,
        "http://$host/portal/1/session/start.json")->{out};
}
# A refusal does not wait for a body, which curl may not like: only what is
# accepted has one.
my @right = ('rbl.example', 'https://rbl.example', '-d', '{"link":"x"}');
wait_for { from_http2(@right) =~ /expired/ } 10,
    'the store of the server with HTTP/2';
like(from_http2(@right), qr/expired or was used/,
    'over HTTP/2 the site may sign in');
like(from_http2('evil.example', 'https://evil.example'),
    qr/page of this site/,
    'over HTTP/2, authority and Origin that agree are not enough');
like(from_http2('evil.example', 'https://rbl.example'), qr/page of this site/,
    'over HTTP/2, the authority must be that of the site');
my $ported = door('rbl_portal_url https://rbl.example:443/portal/;');
$behind = $ported;
refused(from('https://rbl.example', 'same-origin'), 403,
    qr/expired or was used/, 'the usual port may be left out');

# --- receivers ---------------------------------------------------------------

portal($t, $owner, 'POST', 'webhook/add.json', fields => { name => 'h',
    url => 'https://hook.example:8443/path?token=secret' });
my $viewer = sign_in($t, role => 'viewer');
my @seen = map { json(portal($t, $_, 'GET', 'webhooks.json'))->{data}[0]{url} }
    $viewer, $owner;
is($seen[0], 'https://hook.example:8443/****',
    'a viewer sees scheme and host of a receiver');
is($seen[1], 'https://hook.example:8443/path?****',
    'an owner sees the path, too, and nobody the query');
my $hook = json(portal($t, $owner, 'GET', 'webhooks.json'))->{data}[0]{id};
my $stored = sub { record('hook', redis($redis, 'GET',
    redis_key('s', $sid, $hook)))->{url} };
my $secret_url = $stored->();
accepted(portal($t, $owner, 'POST', "webhook/update/$hook.json",
    fields => { name => 'i', url => $seen[1] }),
    'an owner writes back what was shown');
is($stored->(), $secret_url, 'what was shown changes no URL');
accepted(portal($t, $owner, 'POST', 'contact/add.json', fields => {
    contact => 'https://end.example/path?token=secret', type => 'endpoint',
    schedule => 'every_check' }), 'an endpoint');
my %shown = map { $_->[0] => json($_->[1])->{data}[0]{contact} }
    [viewer => portal($t, $viewer, 'GET', 'contacts.json')],
    [owner => portal($t, $owner, 'GET', 'contacts.json')],
    [token => http($t->{nginx}, 'GET', '/3.0/contacts.json',
        auth => $t->{acct})];
is_deeply(\%shown, { owner => 'https://end.example/path?****',
    map { $_ => 'https://end.example/****' } qw(viewer token) },
    'viewers and tokens see scheme and host of an endpoint');

# --- headers -----------------------------------------------------------------

for my $path ('hosts.json', 'hosts.xml', 'nothing.json') {
    my $h = portal($t, $owner, 'GET', $path)->{headers};
    is($h->{'x-content-type-options'}, 'nosniff', "$path: has nosniff");
    is($h->{'content-security-policy'},
        "default-src 'none'; frame-ancestors 'none'", "$path: has a policy");
    is($h->{'cross-origin-resource-policy'}, 'same-origin',
        "$path: is of its own site only");
}

done_testing();
