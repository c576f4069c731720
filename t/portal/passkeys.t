#!/usr/bin/perl

# Passkeys: added by a session, they sign in; challenges; each part that an
# attacker or a strange authenticator can bend.

use strict;
use warnings;

use JSON::XS ();
use Test::More;

use RblPasskey;
use RblPortal;

my $t = portal_setup();
my $sid = $t->{acct}{sid};
my $user = sign_in($t);
my $wrong = qr/does not sign in here/;
my $late = qr/longer than five minutes/;

sub post {
    my ($who, $call, $fields, %opt) = @_;

    return portal($t, $who, 'POST', "$call.json", fields => $fields // {},
        %opt);
}
sub passkeys { return accepted(portal($t, $_[0], 'GET', 'passkeys.json'),
    'passkeys')->{data} }
sub begin { return accepted(post($_[0], 'passkey/begin'), 'begin')->{data} }
sub challenge { return accepted(post(undef, 'session/begin'), 'a challenge')
    ->{data}{challenge} }

# Adds a passkey to a user.
sub passkey_of {
    my ($who, %opt) = @_;

    my $key = passkey_new(%opt);
    my $begun = begin($who);
    $key->{user} = $begun->{user};
    my $r = post($who, 'passkey/add', { name => $opt{name} // 'Key',
        passkey_made($key, $begun->{challenge}, %opt) });
    $key->{sid} = accepted($r, 'a passkey is added')->{data}{id};
    return $key;
}

sub signed {
    my ($key, %opt) = @_;

    return post(undef, 'session/passkey', { passkey_signed($key,
        $opt{challenge} // challenge(), %opt) });
}

sub no_cookie {
    my ($r, $code, $text, $name) = @_;

    refused($r, $code, $text, $name);
    ok(!$r->{headers}{'set-cookie'}, "$name: no cookie is set");
    return;
}

# --- add and sign in ---------------------------------------------------------

is_deeply(passkeys($user), [], 'a new user has no passkeys');
my $begun = begin($user);
is(length $begun->{challenge}, 43, 'the challenge has 256 bits');
is($begun->{site}, 'localhost', 'the challenge names the site localhost');
is(unpack('H*', decode_base64url($begun->{user})), substr($sid, 2)
    . substr($user->{id}, 2), 'the user is the digits of both SIDs');
isnt(begin($user)->{challenge}, $begun->{challenge}, 'each challenge is new');

my %key = map { $_ => passkey_of($user, alg => $_, name => "$_ <b>") }
    qw(ES256 EdDSA RS256);
my $list = passkeys($user);
is_deeply([map { $_->{name} } @$list], ['ES256 <b>', 'EdDSA <b>', 'RS256 <b>'],
    'passkeys.json has the three passkeys');
is_deeply([map { $_->{used} } @$list], ['', '', ''],
    'the new passkeys have not been used');
is_deeply(begin($user)->{exclude}, [map { encode_base64url($key{$_}{id}) }
    qw(ES256 EdDSA RS256)], 'no authenticator makes a second one');
for my $alg (sort keys %key) {
    my $r = signed($key{$alg});
    my $data = accepted($r, "$alg signs in")->{data};
    is_deeply($data, { account => $sid, user => $user->{id}, name => '',
        mail => $user->{mail}, role => 'owner' },
        "$alg signs in the right user");
    like($r->{headers}{'set-cookie'}, qr/^rbl=\Q$sid\E\.[0-9a-f]{64};\ Path=\/;
        \ Max-Age=604800;\ HttpOnly;\ SameSite=Strict$/x, 'the cookie');
    my $in = { %$user, cookie => cookie_of($r) };
    is(json(portal($t, $in, 'GET', 'me.json'))->{data}{user}{id}, $user->{id},
        "$alg starts a session of the user");
    accepted(post($in, 'user/add', { mail => "$alg\@example.test",
        role => 'viewer' }), "$alg counts as a recent sign-in");
}
isnt(passkeys($user)->[0]{used}, '',
    'the used passkey has the time of its use');

# --- challenges --------------------------------------------------------------

{
    my $key = $key{ES256};
    my $challenge = challenge();
    accepted(signed($key, challenge => $challenge),
        'a passkey signs in with a challenge');
    no_cookie(signed($key, challenge => $challenge), 403, $late, 'is used once');
    $challenge = challenge();
    no_cookie(signed($key, challenge => $challenge, sign => $key{EdDSA}), 403,
        $wrong, 'a wrong signature');
    no_cookie(signed($key, challenge => $challenge), 403, $late,
        'uses it up, too');
    no_cookie(signed($key, challenge => 'A' x 43), 403, $late,
        'one that nobody gave');
    no_cookie(signed($key, challenge => begin($user)->{challenge}), 403, $late,
        'one for a new passkey');
    $challenge = challenge();
    my $digits = unpack 'H*', decode_base64url($challenge);
    my $store = redis_key('challenge', hex(substr $digits, 0, 4) % partitions(),
        $digits);
    my $ttl = redis($t->{redis}, 'PTTL', $store);
    ok($ttl > 290_000 && $ttl <= 300_000,
        'the challenge expires after five minutes');
    redis($t->{redis}, 'DEL', $store);
    no_cookie(signed($key, challenge => $challenge), 403, $late, 'an old one');

    # eight at once with one challenge: one gets in

    $challenge = challenge();
    my $body = JSON::XS->new->encode({ passkey_signed($key, $challenge) });
    my @socks = map { RblTest::Http::tcp_connect($t->{nginx}{port}) } 1 .. 8;
    my $bytes = RblTest::Http::http_head('POST',
        '/portal/1/session/passkey.json', body => $body,
        type => 'application/json', headers => ['Sec-Fetch-Site: same-origin']);
    RblTest::Http::write_all($_, $bytes) for @socks;
    my @status = map { RblTest::Http::read_answer($_, 10)->{status} } @socks;
    is_deeply([sort @status], [200, (403) x 7], 'eight at once: one gets in');
}
{
    my $key = passkey_new();
    my $mine = begin($user);
    my $second = sign_in($t, user => { %$user, link => json(rblctl($t->{redis},
        '--json', 'user', 'link', $sid, $user->{id})->{out})->{link}
        =~ s{^#/link/}{}r });
    my %made = (name => 'n', passkey_made($key, $mine->{challenge}));
    refused(post($second, 'passkey/add', { %made }), 409, $late,
        'a challenge of another session');
    refused(post($user, 'passkey/add', { name => 'n', passkey_made($key,
        challenge()) }), 409, $late, 'a challenge of a sign-in');
    accepted(post($user, 'passkey/add', { %made }),
        'the session of the challenge adds the passkey');
    refused(post($user, 'passkey/add', { %made }), 409, $late,
        'a challenge adds only one passkey');
    $key->{user} = $mine->{user};
    refused(post($user, 'passkey/add', { name => 'n', passkey_made($key,
        begin($user)->{challenge}) }), 409, qr/added already/,
        'a passkey is added once');
}

# --- what can be bent: a new passkey ------------------------------------------

{
    my $key = passkey_new();
    my @bad = (
        ['another type', client_data => type => 'webauthn.get'],
        ['another origin', client_data => origin => 'http://evil.example'],
        ['another port', client_data => origin => 'http://localhost:81'],
        ['another scheme', client_data => origin => 'https://localhost'],
        ['a page inside another', client_data => cross => 'true'],
        ['a foreign page around it', client_data => cross =>
            'false,"topOrigin":"http://evil.example"'],
        ['client data that is no JSON', client_data => client => 'x'],
        ['a short challenge', client_data => challenge => 'AAAA'],
        ['another site', attestation => rp => 'evil.example'],
        ['nobody there', attestation => flags => 0x44],
        ['nobody recognized', attestation => flags => 0x41],
        ['no credential', attestation => flags => 0x05],
        ['another attestation', attestation => fmt => 'packed'],
        ['no id', attestation => id => ''],
        ['a long id', attestation => id => 'x' x 1024],
        ['no key', attestation => cose => ''],
        ['an unknown algorithm', attestation => cose =>
            "\xa4\1\3\3\x38\x24\x20\x41a\x21\x41b"],
        ['octets behind it', attestation => cose => "$key->{cose}x"],
        ['no CBOR', attestation => attestation => 'x' x 100],
        ['too much', attestation => attestation => 'x' x 5000],
    );
    for my $case (@bad) {
        my ($name, $field, %opt) = @$case;
        my $challenge = delete $opt{challenge} // begin($user)->{challenge};
        my $n = @{ passkeys($user) };
        refused(post($user, 'passkey/add', { name => 'n', passkey_made($key,
            $challenge, %opt) }), 400, qr/\b$field\b/, "a new one: $name");
        is(scalar @{ passkeys($user) }, $n, "the passkey is not added: $name");
    }
    for my $field (qw(name client_data attestation)) {
        my %made = (name => 'n', passkey_made($key, begin($user)->{challenge}));
        refused(post($user, 'passkey/add', { %made, $field => $_ }), 400,
            qr/\b$field\b/, "the $field value '$_' is refused")
            for '', $field eq 'name' ? 'x' x 256 : ('AB', 'A+/=', 'A');
    }
}

# --- what can be bent: a sign-in ----------------------------------------------

{
    my $key = $key{ES256};
    my $other = sign_in($t, acct => $t->{other});
    my $theirs = passkey_of($other);
    my $nobody = encode_base64url("\1" x 32);
    my @bad = (
        ['another type', 400, client_data => type => 'webauthn.create'],
        ['another origin', 400, client_data => origin => 'http://evil.example'],
        ['a page inside another', 400, client_data => cross => 'true'],
        ['a foreign page around it', 400, client_data => cross =>
            'false,"topOrigin":"http://evil.example"'],
        ['another site', 400, authenticator_data => rp => 'evil.example'],
        ['nobody there', 400, authenticator_data => flags => 4],
        ['nobody recognized', 400, authenticator_data => flags => 1],
        ['a credential in it', 400, authenticator_data => flags => 0x45],
        ['short data', 400, authenticator_data => data => 'x' x 36],
        ['a short handle', 400, user => user => 'AAAA'],
        ['another user\'s handle', 403, '' => user => $theirs->{user}],
        ['nobody\'s handle', 403, '' => user => $nobody],
        ['another passkey\'s id', 403, '' => id => $key{EdDSA}{id}],
        ['another account\'s id', 403, '' => id => $theirs->{id}],
        ['an unknown id', 403, '' => id => 'x' x 20],
        ['another key', 403, '' => sign => $theirs],
        ['a signature of nothing', 403, '' => signature => 'x'],
    );
    for my $case (@bad) {
        my ($name, $code, $field, %opt) = @$case;
        no_cookie(signed($key, %opt), $code, $code == 400 ? qr/\b$field\b/
            : $wrong, "a sign-in: $name");
    }
    for my $field (qw(credential client_data authenticator_data signature user))
    {
        my %signed = passkey_signed($key, challenge());
        for my $value ('', 'A', 'A=', "$signed{$field}+", 'A' x 9000) {
            no_cookie(post(undef, 'session/passkey', { %signed,
                $field => $value }), 400, qr/\b$field\b/,
                "$field: " . substr $value, 0, 10);
        }
    }
    is(json(signed($theirs))->{data}{user}, $other->{id},
        'each passkey signs in its own user');
}

# --- the counter -------------------------------------------------------------

{
    my $key = passkey_of($user, counter => 5);
    accepted(signed($key, counter => 6), 'a counter that counts');
    no_cookie(signed($key, counter => 6), 403, $wrong, 'the same again');
    no_cookie(signed($key, counter => 0), 403, $wrong, 'from the start');
    like(read_file($t->{nginx}{error_log}), qr/counter\ of\ passkey
        \ \Q$key->{sid}\E\ of\ user\ \Q$user->{id}\E\ went\ back\ to\ 6/x,
        'the error log names the passkey and its counter');
    accepted(signed($key, counter => 0xffff_ffff), 'any higher one');
    accepted(signed($key{EdDSA}, counter => 0), 'one that does not count')
        for 1, 2;
}

# --- its life ----------------------------------------------------------------

{
    my $who = sign_in($t, role => 'viewer');
    my @keys = map { passkey_of($who) } 1 .. 10;
    refused(post($who, 'passkey/add', { name => 'n', passkey_made(passkey_new(),
        begin($who)->{challenge}) }), 409, qr/at most 10 passkeys/,
        'a user has at most ten passkeys');
    accepted(post($who, "passkey/rename/$keys[0]{sid}", { name => 'New' }),
        'a viewer renames one');
    is((grep { $_->{id} eq $keys[0]{sid} } @{ passkeys($who) })[0]{name}, 'New',
        'the passkey has its new name');
    refused(post($user, "passkey/$_/$keys[0]{sid}", { name => 'x' }), 404,
        qr/passkey id/, "$_ by another user") for 'rename', 'delete';
    accepted(signed($keys[0]), 'the renamed passkey signs in');
    accepted(post($who, "passkey/delete/$keys[0]{sid}"),
        'a viewer deletes a passkey');
    no_cookie(signed($keys[0]), 403, $wrong, 'and signs in no longer');
    is(scalar @{ passkeys($who) }, 9, 'the others are there');
    sign_in_ago($t, $who, 11 * 60_000);
    refused(post($who, 'passkey/begin'), 401, qr/sign in again/,
        'a new one needs a recent sign-in');
    refused(post($who, "passkey/delete/$keys[1]{sid}"), 401, qr/sign in again/,
        'a deletion needs a recent sign-in');

    is(rblctl($t->{redis}, 'user', 'delete', $sid, $who->{id})->{status}, 0,
        'the user is deleted');
    no_cookie(signed($keys[1]), 403, $wrong, 'with all passkeys');
    is(redis($t->{redis}, 'EXISTS', redis_key('keys', $sid, $who->{id})), 0,
        'nothing of them is left');
}

# --- a new sign-in -----------------------------------------------------------

{
    my ($before, $elsewhere) = map {
        +{ cookie => cookie_of(signed($key{ES256})) } } 1, 2;
    my $r = post($before, 'session/passkey', { passkey_signed($key{ES256},
        challenge()) });
    accepted($r, 'the browser signs in again with a passkey');
    refused(portal($t, $before, 'GET', 'me.json'), 401, qr/sign in/,
        'a sign-in by passkey ends the session before it');
    accepted(portal($t, { cookie => cookie_of($r) }, 'GET', 'me.json'),
        'the session of the passkey');
    accepted(portal($t, $elsewhere, 'GET', 'me.json'),
        'a session in another browser goes on');
}

# --- names of the site -------------------------------------------------------

{
    my $one = { %$t, nginx => start_nginx(store => $t->{redis}, workers => 1,
        http => 'rbl_store_timeout 5s;', portal => '') };
    wait_for { portal($one, undef, 'POST', 'session/begin.json')->{status}
        == 200 } 10, 'without rbl_portal_url, by the first server_name';
    for my $case ([undef, 'session/begin'], [$user, 'passkey/begin']) {
        my ($who, $call) = @$case;
        refused(portal($one, $who, 'POST', "$call.json", host => $_), 403,
            qr/name of the site/, "$call: another Host: $_")
            for 'evil.example', 'localhost.evil.example';
    }
    my $begun = json(portal($one, undef, 'POST', 'session/begin.json',
        host => 'LOCALHOST:8080'))->{data};
    accepted(portal($one, undef, 'POST', 'session/passkey.json',
        host => 'LOCALHOST:8080', fields => { passkey_signed($key{ES256},
        $begun->{challenge}, origin => 'http://localhost:8080') }),
        'the port is that of the request');
}
{
    my $nginx = start_nginx(store => $t->{redis}, workers => 1,
        http => 'rbl_store_timeout 5s;',
        portal => 'rbl_portal_url https://Portal.example:8443/portal/;');
    my %at = (host => 'portal.example:8443');
    my $one = { %$t, nginx => $nginx };
    my $ask = sub { portal($one, $_[0], 'POST', "$_[1].json",
        fields => $_[2] // {}, %at) };
    wait_for { $ask->(undef, 'session/begin')->{status} == 200 } 10;
    my $there = { %$user, cookie => "__Host-$user->{cookie}" };
    my $begun = json($ask->($there, 'passkey/begin'))->{data};
    is($begun->{site}, 'portal.example', 'rbl_portal_url names the site');
    my $key = passkey_new();
    my %site = (rp => 'portal.example',
        origin => 'https://portal.example:8443');
    accepted($ask->($there, 'passkey/add', { name => 'n', passkey_made($key,
        $begun->{challenge}, %site) }), 'the passkey is added');
    $key->{user} = $begun->{user};
    my $in = sub { $ask->(undef, 'session/passkey', { passkey_signed($key,
        json($ask->(undef, 'session/begin'))->{data}{challenge}, %site, @_) }) };
    accepted($in->(), 'the passkey signs in at that site');
    no_cookie($in->(origin => $_), 400, qr/client_data/,
        "the origin $_ is another one") for 'http://any.example',
        'https://portal.example', 'https://portal.example:8444';
    refused(portal($one, undef, 'POST', 'session/begin.json'), 403,
        qr/page of this site/, 'a request with another Host is refused');
    no_cookie(signed($key), 403, $wrong, 'and not at another site');
    no_cookie($in->(id => $key{ES256}{id}, sign => $key{ES256}), 403, $wrong,
        'nor does a passkey of another site here');
}

# --- limits ------------------------------------------------------------------

{
    my ($begun) = @{ redis($t->{redis}, 'KEYS', 'rbl:{*}:begun:*') };
    my $since = time * 1000 - 1_800_000;
    redis($t->{redis}, 'SET', $begun, "300 $since", 'PX', 1_800_000);
    my $r = post(undef, 'session/begin');
    refused($r, 429, qr/from this network/,
        'a network has a limit of challenges');
    like($r->{headers}{'retry-after'}, qr/^1[78]\d\d$/,
        'the refusal has a Retry-After header');
    redis($t->{redis}, 'SET', $begun, "299 $since", 'PX', 1_800_000);
    challenge();
    is(redis($t->{redis}, 'GET', $begun), "300 $since",
        'the challenges of a network are counted');
    ok(redis($t->{redis}, 'PTTL', $begun) <= 1_800_000,
        'the count of challenges expires after an hour');
    redis($t->{redis}, 'DEL', $begun);
}

my $r = rblctl($t->{redis}, 'fsck');
is($r->{status}, 0, 'the store is consistent') or diag("$r->{out}$r->{err}");
my $gone = sid_of('US');
redis($t->{redis}, 'HSET', redis_key('keys', $sid, $gone), sid_of('PK'), 'x');
redis($t->{redis}, 'HSET', redis_key('keys', $sid, $user->{id}), sid_of('PK'),
    'x');
$r = rblctl($t->{redis}, 'fsck', '--repair');
like($r->{out}, qr/\Q$gone\E.*is no user and has passkeys/,
    'passkeys of nobody');
like($r->{out}, qr/has a damaged passkey/, 'a damaged one');
is(rblctl($t->{redis}, 'fsck')->{status}, 0,
    'fsck finds no fault after the repair');
accepted(signed($key{RS256}), 'the others stay');

done_testing();
