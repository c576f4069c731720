#!/usr/bin/perl

# Sessions of the portal: links, the cookie, sign-out, expiry, and what a browser
# of another site can do.

use strict;
use warnings;

use Digest::SHA qw(sha256 sha256_hex);
use Test::More;

use RblPortal;

my $t = portal_setup();
my $over = qr/expired or was used/;

sub keys_of {
    my ($kind, $acct) = @_;

    return @{ redis($t->{redis}, 'KEYS', redis_key($kind, $acct, '*')) };
}

# --- a link ------------------------------------------------------------------

my $owner = add_user($t, role => 'owner', mail => 'Owner@Example.test');
my $sid = $t->{acct}{sid};
like($owner->{link}, qr/^\Q$sid\E\.[0-9a-f]{64}$/, 'a link has 256 bits');
is($owner->{mail}, 'Owner@example.test', 'an address in its canonical form');
{
    my ($key) = keys_of('link', $sid);
    my ($secret) = $owner->{link} =~ /\.(.*)/;
    like($key, qr/:\Q${\ substr sha256_hex($secret), 0, 16 }\E$/,
        'the store names it by its digest');
    my $raw = redis($t->{redis}, 'GET', $key);
    ok(index($raw, $secret) < 0 && index($raw, sha256($secret)) >= 0,
        'the store has only the digest of the link');
    my $ttl = redis($t->{redis}, 'PTTL', $key);
    ok($ttl > 890_000 && $ttl <= 900_000, 'the link expires after 15 minutes');
}
my $r = use_link($t, $owner->{link});
my $data = accepted($r, 'a link signs in')->{data};
is_deeply($data, { account => $sid, user => $owner->{id}, name => '',
    mail => 'Owner@example.test', role => 'owner' },
    'the response has the user of the link');
like($r->{headers}{'set-cookie'}, qr/^rbl=\Q$sid\E\.[0-9a-f]{64};\ Path=\/;
    \ Max-Age=604800;\ HttpOnly;\ SameSite=Strict$/x, 'the cookie');
$owner->{cookie} = cookie_of($r);
isnt($owner->{cookie}, "rbl=$owner->{link}", 'the cookie is not the link');
refused(use_link($t, $owner->{link}), 403, $over, 'a link is used once');
is(scalar keys_of('link', $sid), 0, 'a used link is gone');

my $me = accepted(portal($t, $owner, 'GET', 'me.json'), 'me')->{data};
is_deeply([@{ $me->{user} }{qw(id mail role)}],
    [@$owner{qw(id mail)}, 'owner'], 'the user of the session');
is($me->{account}{id}, $sid, 'me.json has the account of the session');

# --- links that lead nowhere -------------------------------------------------

{
    my $user = add_user($t);
    my ($ac, $secret) = split /\./, $user->{link};
    my @bad = (
        ['empty', '', 400, qr/link/],
        ['short', substr($user->{link}, 0, -1), 403, $over],
        ['of another account', "$t->{other}{sid}.$secret", 403, $over],
        ['of no account', sid_of('AC') . ".$secret", 403, $over],
        ['with another secret', "$ac." . 'f' x 64, 403, $over],
        ['in capitals', "$ac." . uc $secret, 403, $over],
        ['with a NUL', "$ac." . "\0" x 64, undef, undef],
    );
    for my $case (@bad) {
        my ($name, $link, $code, $text) = @$case;
        my $r = use_link($t, $link);
        if ($code) {
            refused($r, $code, $text, "a link $name");
        } else {
            like($r->{status}, qr/^4/, "a link $name");
        }
        ok(!$r->{headers}{'set-cookie'}, 'sets no cookie');
    }
    refused(portal($t, undef, 'POST', 'session/start.json',
        fields => { link => [1, 2] }), 400, qr/link/, 'a link that is a list');
    refused(portal($t, undef, 'POST',
        "session/start.json?link=$user->{link}"), 400, qr/link/,
        'a link in the query, where logs have it');
    accepted(use_link($t, $user->{link}), 'the link itself is still valid');

    my $many = add_user($t);
    my @link = ($many->{link}, map { json(rblctl($t->{redis}, '--json', 'user',
        'link', $sid, $many->{id})->{out})->{link} =~ s{^#/link/}{}r } 1 .. 5);
    refused(use_link($t, $link[0]), 403, $over, 'the oldest of six links');
    accepted(use_link($t, $link[5]), 'the newest link signs in');
    rblctl($t->{redis}, 'user', 'delete', $sid, $many->{id});
    is(scalar(grep { /:\Q$many->{id}\E/ } keys_of('links', $sid)), 0,
        'links of a deleted user are gone');

    my $late = add_user($t);
    my ($key) = keys_of('link', $sid);
    redis($t->{redis}, 'PEXPIRE', $key, 1);
    wait_for { !redis($t->{redis}, 'EXISTS', $key) } 5, 'its end';
    refused(use_link($t, $late->{link}), 403, $over, 'an expired link');

    my $gone = add_user($t);
    is(rblctl($t->{redis}, 'user', 'delete', $sid, $gone->{id})->{status}, 0,
        'a user is deleted');
    refused(use_link($t, $gone->{link}), 403, $over, 'a link of no user');
}

# Two clients use one link at the same time: one of them gets in.
{
    my $user = add_user($t);
    my @socks = map { RblTest::Http::tcp_connect($t->{nginx}{port}) } 1 .. 8;
    my $body = qq({"link":"$user->{link}"});
    my $bytes = RblTest::Http::http_head('POST', '/portal/1/session/start.json',
        body => $body, type => 'application/json',
        headers => ['Sec-Fetch-Site: same-origin']);
    RblTest::Http::write_all($_, $bytes) for @socks;
    my @status = map { RblTest::Http::read_answer($_, 10)->{status} } @socks;
    is_deeply([sort @status], [200, (403) x 7], 'eight at once: one gets in');
}

# --- the cookie --------------------------------------------------------------

{
    my ($secret) = $owner->{cookie} =~ /\.(.*)/;
    my $other = sign_in($t, acct => $t->{other});
    my ($others) = $other->{cookie} =~ /\.(.*)/;
    my @bad = (
        ['none', undef],
        ['empty', 'rbl='],
        ['of another name', $owner->{cookie} =~ s/^rbl/rbx/r],
        ['with the prefix of TLS', "__Host-$owner->{cookie}"],
        ['short', substr $owner->{cookie}, 0, -1],
        ['long', "$owner->{cookie}0"],
        ['of another account', "rbl=$t->{other}{sid}.$secret"],
        ['with another\'s secret', "rbl=$sid.$others"],
        ['in capitals', "rbl=$sid." . uc $secret],
        ['of a token', "rbl=$sid.$t->{acct}{token}"],
    );
    for my $case (@bad) {
        my ($name, $cookie) = @$case;
        my $r = portal($t, $cookie ? { cookie => $cookie } : undef, 'GET',
            'hosts.json');
        refused($r, 401, qr/sign in/, "a cookie: $name");
        is($r->{headers}{'www-authenticate'},
            'Session realm="Blocklist Monitoring API", doors="mail"',
            "the refusal of a cookie $name does not offer Basic");
    }
    accepted(portal($t, { cookie => "a=b; $owner->{cookie}; rbl2=x" }, 'GET',
        'hosts.json'), 'a cookie among others');
    refused(portal($t, undef, 'GET', 'hosts.json', auth => $t->{acct}), 401,
        qr/sign in/, 'a token is no session');
    refused(http($t->{nginx}, 'GET', '/3.0/hosts.json', headers =>
        ["Cookie: $owner->{cookie}"]), 401, qr/credentials/,
        'a session is no token');
    refused(call($t, 'GET', 'me.json'), 404, qr/path/,
        'calls of the portal are not of the API');
    refused(call($t, 'POST', 'session/start.json', form => { link => 'x' }),
        404, qr/path/, 'the sign-in of the portal is not part of the API');
}

# A cookie that another host of the domain may have set.
{
    my $other = sign_in($t, acct => $t->{other});
    my $mine = $owner->{cookie};
    for my $case (['within another value', "a=b,$other->{cookie}; $mine", 200],
        ['twice', "$other->{cookie}; $mine", 401],
        ['in capitals', 'RBL=' . substr($other->{cookie}, 4) . "; $mine", 200],
        ['of a SID in capitals', $mine =~ s/=AC(\w+)/'=AC' . uc $1/er, 401])
    {
        my ($name, $cookie, $status) = @$case;
        my $r = portal($t, { cookie => $cookie }, 'GET', 'me.json');
        is($r->{status}, $status, "a cookie $name");
        is(json($r)->{data}{account}{id}, $sid,
            "a cookie $name does not change the session")
            if $status == 200;
    }
}

# Both kinds of credentials with one store and one user: none is the other.
{
    my $nginx = start_nginx(store => $t->{redis}, workers => 1,
        http => 'rbl_store_timeout 5s; rbl_store_user rbl-portal; '
            . "rbl_store_password_file $t->{redis}{users}{'rbl-portal'};",
        portal => '', api => '');
    my $one = { %$t, nginx => $nginx };
    my ($cookie) = $owner->{cookie} =~ /=(.*)/;
    wait_for { portal($one, $owner, 'GET', 'me.json')->{status} == 200 } 10;
    for my $i (1 .. 5) {
        accepted(portal($one, $owner, 'GET', 'hosts.json'),
            'the session reads the hosts');
        is(http($nginx, 'GET', '/3.0/hosts.json', headers =>
            ["Authorization: $cookie"])->{status}, 401,
            'the bytes of a session are no credentials of the API');
    }
}

# --- the calls of the API ----------------------------------------------------

{
    add_host($t, '192.0.2.1');
    my $hosts = accepted(portal($t, $owner, 'GET', 'hosts.json'), 'hosts');
    is($hosts->{data}[0]{host}, '192.0.2.1', 'of the account');
    my $r = portal($t, $owner, 'GET', 'hosts.json');
    ok($r->{headers}{etag}, 'the response has an ETag');
    is(portal($t, $owner, 'GET', 'hosts.json', headers =>
        ["If-None-Match: $r->{headers}{etag}"])->{status}, 304,
        'a conditional request is answered with 304');
    accepted(portal($t, $owner, 'POST', 'host/add.json', fields =>
        { host => '192.0.2.2', name => 'n', type => 'rbl' }),
        'the session adds a host');
    is(accepted(portal($t, $owner, 'GET', 'hosts.json'), 'hosts')->
        {total_hosts}, 2, 'the session sees the added host');
    my $id = $hosts->{data}[0]{id};
    refused(portal($t, $owner, 'POST', 'check/start.json', fields =>
        { host => $id, callback => 'https://example.com/' }), 400,
        qr/application/, 'a callback, which nothing could sign');
    my $other = sign_in($t, acct => $t->{other});
    refused(portal($t, $other, 'GET', "host/$id.json"), 404, qr/host id/,
        'another account\'s host');
}

# --- other sites -------------------------------------------------------------

{
    my %add = (fields => { host => '192.0.2.3', name => 'n', type => 'rbl' });
    my @bad = (
        ['cross-site', 403, site => 'cross-site'],
        ['same-site', 403, site => 'same-site'],
        ['none', 403, site => 'none'],
        ['a foreign Origin', 403, site => undef,
            headers => ['Origin: http://evil.test']],
        ['an Origin that begins alike', 403, site => undef,
            headers => ['Origin: http://localhost.evil.test']],
        ['an Origin of another scheme', 403, site => undef,
            headers => ['Origin: https://localhost']],
        ['no Origin', 403, site => undef],
        ['null', 403, site => undef, headers => ['Origin: null']],
        ['a right Origin beside a foreign site', 403, site => 'cross-site',
            headers => ['Origin: http://localhost']],
        ['a form', 415, type => 'application/x-www-form-urlencoded'],
        ['text', 415, type => 'text/plain'],
        ['no type', 415, type => undef],
    );
    unchanged {
        for my $case (@bad) {
            my ($name, $code, %opt) = @$case;
            refused(portal($t, $owner, 'POST', 'host/add.json', %add, %opt),
                $code, qr/./, "a POST from elsewhere: $name");
        }
    } $t, 'by other sites';
    accepted(portal($t, $owner, 'POST', 'host/add.json', %add, site => undef,
        headers => ['Origin: http://localhost']), 'an Origin of this site');
    for my $r (portal($t, $owner, 'GET', 'me.json', site => 'cross-site'),
        portal($t, $owner, 'OPTIONS', 'me.json'))
    {
        ok(!grep({ /^access-control/ } keys %{ $r->{headers} }),
            'no header allows another site to read');
    }
}

# --- roles -------------------------------------------------------------------

{
    my $viewer = sign_in($t, role => 'viewer');
    accepted(portal($t, $viewer, 'GET', 'hosts.json'), 'a viewer reads');
    unchanged {
        refused(portal($t, $viewer, 'POST', 'host/add.json', fields =>
            { host => '192.0.2.9', name => 'n', type => 'rbl' }), 403,
            qr/needs the role admin/, 'a viewer does not write');
    } $t, 'by a viewer';
    my $admin = sign_in($t, role => 'admin');
    accepted(portal($t, $admin, 'POST', 'host/add.json', fields =>
        { host => '192.0.2.9', name => 'n', type => 'rbl' }),
        'an admin does');
    accepted(portal($t, $viewer, 'POST', 'session/end.json'),
        'a viewer signs out');
}

# --- its end -----------------------------------------------------------------

{
    my $user = add_user($t);
    my @in = (sign_in($t, user => $user));
    for (1, 2) {
        my $r = rblctl($t->{redis}, '--json', 'user', 'link', $sid,
            $user->{id});
        push @in, sign_in($t, user => { %$user,
            link => json($r->{out})->{link} =~ s{^#/link/}{}r });
    }
    accepted(portal($t, $_, 'GET', 'hosts.json'),
        'each session reads the hosts') for @in, @in;
    my $r = portal($t, $in[0], 'POST', 'session/end.json');
    accepted($r, 'the user signs out');
    like($r->{headers}{'set-cookie'}, qr/^rbl=; Path=\/; Max-Age=0;/,
        'removes the cookie');
    refused(portal($t, $in[0], 'GET', 'hosts.json'), 401, qr/sign in/,
        'the session is over at once');
    accepted(portal($t, $in[1], 'GET', 'hosts.json'), 'others are not');
    accepted(portal($t, $in[1], 'POST', 'session/end.json',
        fields => { everywhere => 1 }), 'signing out everywhere');
    refused(portal($t, $_, 'GET', 'hosts.json'), 401, qr/sign in/,
        'all are over') for @in;
    accepted(portal($t, $owner, 'GET', 'hosts.json'),
        'the sessions of other users go on');
    is(scalar(grep { /:\Q$user->{id}\E$/ } keys_of('sessions', $sid)), 0,
        'nothing of them is left');

    my $gone = sign_in($t);
    accepted(portal($t, $gone, 'GET', 'hosts.json'),
        'a new user reads the hosts');
    rblctl($t->{redis}, 'user', 'delete', $sid, $gone->{id});
    refused(portal($t, $gone, 'GET', 'hosts.json'), 401, qr/sign in/,
        'a user that is deleted is out at once');
}

{
    my $user = sign_in($t);
    my $key = sign_in_ago($t, $user, 0);
    my $ttl = redis($t->{redis}, 'PTTL', $key);
    ok($ttl > 43_100_000 && $ttl <= 43_200_000, 'idle for twelve hours');
    redis($t->{redis}, 'PEXPIRE', $key, 60_000);
    accepted(portal($t, $user, 'GET', 'hosts.json'),
        'an idle session accepts a request');
    ok(redis($t->{redis}, 'PTTL', $key) > 43_000_000, 'keeps it alive');
    sign_in_ago($t, $user, 7 * 86_400_000);
    refused(portal($t, $user, 'GET', 'hosts.json'), 401, qr/sign in/,
        'a session ends after seven days');
    sign_in_ago($t, $user, -14 * 86_400_000 - 120_000);
    refused(portal($t, $user, 'GET', 'hosts.json'), 401, qr/sign in/,
        'a session that a wrong clock has made in a week or later is none');
    sign_in_ago($t, $user, 86_400_000);
    accepted(portal($t, $user, 'GET', 'hosts.json'),
        'a clock that is days ahead ends no session');
}

$r = rblctl($t->{redis}, 'fsck');
is($r->{status}, 0, 'the store is consistent') or diag("$r->{out}$r->{err}");

done_testing();
