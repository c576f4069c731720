#!/usr/bin/perl

# Signing in by the identity that nginx vouches for: Basic, a client certificate,
# a header of a proxy; what a client can forge; sessions that are bound to it.

use strict;
use warnings;

use MIME::Base64 qw(encode_base64);
use Test::More;

use RblDeliver qw(authority certificate);
use RblPortal;

my $t = portal_setup();
my $redis = $t->{redis};
my ($sid, $other) = map { $t->{$_}{sid} } qw(acct other);
my $dir = temp_dir();
my $unknown = qr/no user of the portal has/;
my $nobody = qr/vouches for no mail address/;
my $signed_out = qr/Please sign in/;

sub door {
    my ($portal, %opt) = @_;

    my $nginx = start_nginx(store => $redis, portal => $portal, workers => 1,
        http => 'rbl_store_timeout 5s; ' . (delete $opt{http} // ''), %opt);
    return { %$t, nginx => $nginx };
}

sub ready {
    my ($door, @headers) = @_;

    wait_for { portal($door, undef, 'GET', 'me.json', headers => \@headers)->
        {status} == 401 } 10, 'the store of nginx';
    return $door;
}

sub enter {
    my ($door, $headers, %fields) = @_;

    return portal($door, undef, 'POST', 'session/start.json',
        headers => $headers, fields => \%fields);
}

sub me {
    my ($door, $r, @headers) = @_;

    return portal($door, { cookie => cookie_of($r) }, 'GET', 'me.json',
        headers => \@headers);
}

my $jo = add_user($t, mail => 'Jo@example.net', role => 'admin');
my $eve = add_user($t, mail => 'eve@example.net', role => 'owner');

# --- Basic -------------------------------------------------------------------

write_file("$dir/users", join '', map { "$_:{PLAIN}secret\n" }
    'jo@example.net', 'JO@EXAMPLE.NET', 'eve@example.net', 'nobody@example.net',
    'jo');
sub basic {
    my ($user, $password) = @_;

    return 'Authorization: Basic ' . encode_base64($user . ':'
        . ($password // 'secret'), '');
}
{
    my $door = ready(door('rbl_portal_user $remote_user; '
        . "auth_basic x; auth_basic_user_file $dir/users;"),
        basic('jo@example.net'));
    my @jo = (basic('jo@example.net'));
    my $r = portal($door, undef, 'GET', 'me.json', headers => \@jo);
    is($r->{headers}{'www-authenticate'},
        'Session realm="Blocklist Monitoring API", doors="identity"',
        'the challenge offers the door');
    $r = enter($door, \@jo);
    is_deeply(accepted($r, 'Basic signs in')->{data}, { account => $sid,
        user => $jo->{id}, mail => 'Jo@example.net', name => '',
        role => 'admin' }, 'the user with the address');
    like(cookie_of($r), qr/^rbl=\Q$sid\E\./, 'the sign-in sets a cookie');
    is(enter($door, [basic('jo@example.net', 'wrong')])->{status}, 401,
        'a wrong password');
    is(accepted(enter($door, [basic('JO@EXAMPLE.NET')]),
        'an address in capitals')->{data}{user}, $jo->{id},
        'an address in capitals is the same user');
    refused(enter($door, [basic('nobody@example.net')]), 403, $unknown,
        'an address that nobody has');
    refused(enter($door, [basic('jo')]), 403, $nobody,
        'a name that is no address');
    refused(portal($door, undef, 'POST', 'session/start.json', fields => {},
        headers => \@jo, site => $_), 403, qr/page of this site/,
        "a sign-in from elsewhere: $_")
        for qw(cross-site same-site none);

    # The session is bound to the identity.
    accepted(me($door, $r, @jo),
        'the session accepts a request of its identity') for 1 .. 3;
    accepted(me($door, $r, basic('JO@EXAMPLE.NET')),
        'the session ignores the case of the address');
    for (1 .. 2) {
        refused(me($door, $r, basic('eve@example.net')), 401, $signed_out,
            'another identity in the middle of a session');
        refused(me($door, $r, basic('jo')), 401, $signed_out,
            'the session refuses a request without an identity');
        accepted(portal($door, { cookie => cookie_of($r) }, 'GET', 'hosts.json',
            headers => \@jo), 'the right one again');
        refused(portal($door, { cookie => cookie_of($r) }, 'GET', 'hosts.json',
            headers => [basic('eve@example.net')]), 401, $signed_out,
            'a read that is cached');
        refused(portal($door, { cookie => cookie_of($r) }, 'POST',
            'host/add.json', headers => [basic('eve@example.net')], fields =>
                { host => '192.0.2.1', name => 'n', type => 'rbl' }), 401,
            $signed_out, 'a change by another identity is refused');
    }
    refused(me($t, $r), 401, $signed_out,
        'the cookie is refused where nginx vouches for no identity');

    # Sessions of links are not.
    my $linked = sign_in($t);
    accepted(portal($door, $linked, 'GET', 'me.json', headers => \@jo),
        'a session that a link began');
    accepted(use_link($door, add_user($t)->{link}, headers => \@jo),
        'a link signs in here, too');

    # The role, and the end.
    accepted(portal($t, $linked, 'POST', "user/role/$jo->{id}.json",
        fields => { role => 'viewer' }),
        'the portal changes the role of the user');
    is(json(me($door, $r, @jo))->{data}{user}{role}, 'viewer',
        'counts at once');
    refused(me($door, $r, basic('eve@example.net')), 401, $signed_out,
        'the session is still bound to its identity');
    accepted(portal($t, $linked, 'POST', "user/delete/$jo->{id}.json"),
        'the user is deleted');
    refused(me($door, $r, @jo), 401, $signed_out, 'the session is over');
    refused(enter($door, \@jo), 403, $unknown, 'a deleted user cannot sign in');
    stop_server($door->{nginx});
}

# --- several accounts --------------------------------------------------------

$jo = add_user($t, mail => 'jo@example.net', role => 'admin');
my $jo2 = add_user($t, mail => 'jo@example.net', role => 'viewer',
    acct => $t->{other});
{
    my $door = ready(door('rbl_portal_user $http_x_mail; '
        . 'rbl_portal_trust 127.0.0.1;'));
    my @jo = ('X-Mail: jo@example.net');
    my $r = enter($door, \@jo);
    my $data = accepted($r, 'an address of two accounts')->{data};
    is_deeply([sort { $a->{id} cmp $b->{id} } @{ $data->{accounts} }],
        [sort { $a->{id} cmp $b->{id} } { id => $sid, name => 'Test' },
            { id => $other, name => 'Other' }], 'the answer lists them');
    ok(!$r->{headers}{'set-cookie'}, 'the choice of accounts sets no cookie');
    for my $pair ([$sid, $jo], [$other, $jo2]) {
        my ($account, $user) = @$pair;
        is(accepted(enter($door, \@jo, account => $account),
            'one is chosen')->{data}{user}, $user->{id},
            'the chosen account signs in its own user');
    }
    refused(enter($door, \@jo, account => sid_of('AC')), 403, $unknown,
        'an account that is not among them');
    refused(enter($door, \@jo, account => 'x'), 400, qr/account/,
        'what is no account');
    rblctl($redis, 'user', 'delete', $other, $jo2->{id});
    is(accepted(enter($door, \@jo), 'when one is left')->{data}{user},
        $jo->{id}, 'there is no choice');
    redis($redis, 'ZADD', $_, 1, "$other:" . sid_of('US'))
        for @{ redis($redis, 'KEYS', 'rbl:{*}:mail:*') };
    is(accepted(enter($door, \@jo), 'a member that names nobody')->
        {data}{user}, $jo->{id}, 'a member without a user is no choice');
    refused(enter($door, \@jo, account => $other), 403, $unknown,
        'an account without the user is refused');

    # --- headers -------------------------------------------------------------

    refused(enter($door, []), 403, $nobody,
        'a request without the header is refused');
    refused(enter($door, ['X-Mail:']), 403, $nobody, 'an empty one');
    refused(enter($door, ['X-Mail: jo@example.net', $_]), 403, $nobody,
        "a second header is refused: $_")
        for 'X-Mail: eve@example.net', 'X-Mail: jo@example.net',
        'x-mail: eve@example.net';
    refused(enter($door, ["X-Mail: $_"]), 403, $nobody, "a header $_")
        for 'jo@example.net, eve@example.net', 'jo@example.net eve@example.net',
        '<jo@example.net>', 'Jo <jo@example.net>',
        'jo@@example.net', "j\xc3\xb6@", '"jo"@example.net';
    my $in = enter($door, \@jo);
    refused(me($door, $in, @jo, 'X-Mail: eve@example.net'), 401, $signed_out,
        'a session with two headers');
    accepted(me($door, $in, @jo),
        'the session accepts a request with one header');
    stop_server($door->{nginx});
}

# From outside of the networks, also if realip makes them the client's.
{
    my $conf = 'rbl_portal_user $http_x_mail; rbl_portal_trust 10.1.0.0/16;';
    my $door = ready(door($conf));
    refused(enter($door, ['X-Mail: jo@example.net']), 403, $nobody,
        'a header from elsewhere');
    stop_server($door->{nginx});
    my $realip = 'set_real_ip_from 127.0.0.0/8; real_ip_header X-Real-IP;';
    $door = ready(door($conf, http => $realip));
    refused(enter($door, ['X-Mail: jo@example.net', "X-Real-IP: $_"]), 403,
        $nobody, "the address $_ in a header is not trusted")
        for '10.1.2.3', '192.0.2.1';
    stop_server($door->{nginx});
    $door = ready(door('rbl_portal_user $http_x_mail; '
        . 'rbl_portal_trust ::1 127.0.0.1;', http => $realip));
    accepted(enter($door, ['X-Mail: jo@example.net', 'X-Real-IP: 192.0.2.1']),
        'a proxy that tells the address of its client');
    stop_server($door->{nginx});
    $door = ready(door('rbl_portal_user $mail; rbl_portal_trust 10.1.0.0/16;',
        http => 'map $http_x_mail $mail { default $http_x_mail; }'));
    refused(enter($door, ['X-Mail: jo@example.net']), 403, $nobody,
        'a map of a header from elsewhere');
    stop_server($door->{nginx});
}

# --- auth_request, as oauth2-proxy answers it --------------------------------

{
    my $sso = start_nginx(module => 0, server => 'location / { '
        . 'if ($http_x_session = "") { return 401; } '
        . 'add_header X-Email $http_x_session; return 204; }');
    my $door = door('auth_request /sso; '
        . 'auth_request_set $mail $upstream_http_x_email; '
        . 'rbl_portal_user $mail;', server => 'location = /sso { internal; '
        . "proxy_pass http://127.0.0.1:$sso->{port}; "
        . 'proxy_pass_request_body off; proxy_set_header Content-Length ""; }');
    my @jo = ('X-Session: jo@example.net');
    ready($door, @jo);
    my $r = enter($door, \@jo);
    is(accepted($r, 'auth_request signs in')->{data}{user}, $jo->{id},
        'the user that the other server knows');
    is(enter($door, [])->{status}, 401,
        'a request without a session of the other server is refused');
    is(enter($door, ['X-Email: jo@example.net'])->{status}, 401,
        'the client cannot send the header of the other server');
    accepted(me($door, $r, @jo),
        'the session accepts a request of its identity');
    refused(me($door, $r, 'X-Session: eve@example.net'), 401, $signed_out,
        'the session of another user of that server');
    stop_server($door->{nginx});
}

# --- a client certificate ----------------------------------------------------

{
    authority($dir, 'ca');
    authority($dir, 'stranger');
    certificate($dir, 'ca', 'server', 'DNS:localhost,IP:127.0.0.1');
    for my $ca ('ca', 'stranger') {
        certificate($dir, $ca, "client-$ca", 'email:jo@example.net');
    }
    my $port = free_port();
    my $tls = "listen 127.0.0.1:$port ssl; ssl_certificate $dir/server.pem; "
        . "ssl_certificate_key $dir/server.key; ";
    for my $verify ('optional', 'optional_no_ca') {
        my $door = door('rbl_portal_user $mail;', http =>
            'map $ssl_client_serial $mail { "" ""; default jo@example.net; }',
            server => "$tls ssl_client_certificate $dir/ca.pem; "
                . "ssl_verify_client $verify;");
        my $enter = sub {
            my (@client) = @_;

            my $r = run_cmd('curl', '-sS', '--cacert', "$dir/ca.pem", @client,
                '-H', 'Sec-Fetch-Site: same-origin', '-H',
                'Content-Type: application/json', '-d', '{}', '-w',
                '%{http_code}', '-i',
                "https://localhost:$port/portal/1/session/start.json",
                '--resolve', "localhost:$port:127.0.0.1");
            return $r->{out};
        };
        wait_for { $enter->() !~ /503$/ } 10;
        my @good = ('--cert', "$dir/client-ca.pem", '--key',
            "$dir/client-ca.key");
        my @bad = ('--cert', "$dir/client-stranger.pem", '--key',
            "$dir/client-stranger.key");
        like($enter->(@good), qr/^set-cookie: __Host-rbl=.*200$/mis,
            "$verify: a certificate signs in");
        like($enter->(@bad), qr/40[03]$/, 'one of another authority does not');
        like($enter->(), qr/403$/,
            "$verify: a request without a certificate is refused");
        stop_server($door->{nginx});
    }
}

my $r = rblctl($redis, 'fsck', '--repair');
$r = rblctl($redis, 'fsck');
is($r->{status}, 0, 'the store is consistent') or diag("$r->{out}$r->{err}");

done_testing();
