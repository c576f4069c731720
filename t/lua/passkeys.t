#!/usr/bin/perl

# Passkeys of a user: added by a challenge, named, deleted, signed in with;
# challenges of sign-ins, counted by network.

use strict;
use warnings;

use RblTest;
use RblScript;

redis_new();
my ($ac, $acct) = account();
my (undef, $other) = account();
my ($us, $pk, $challenge) = (sid('US'), sid('PK'), 'c' x 64);
my $keys = k('keys', $ac, $us);
script('user_put', [$acct], user => $us, mail => 'a@example.test', name => 'A',
    role => 'owner', field => 'f' x 16, digest => 'd' x 32);

sub challenge { cmd('SET', k('challenge', $ac, $challenge), 'session') }
sub add {
    my ($passkey, %o) = @_;

    return script('passkey_add', [$o{acct} // $acct], passkey => $passkey,
        user => $o{user} // $us, session => $o{session} // 'session',
        challenge => $o{challenge} // $challenge, name => 'Name',
        credential => "id\0", algorithm => -7, key => "key\xff",
        counter => $o{counter} // 0, rp => 'r' x 32);
}
sub enter {
    my ($passkey, $counter, $begun) = @_;

    return script('session_passkey', [$acct], passkey => $passkey, user => $us,
        counter => $counter, field => 'e' x 16, digest => 'd' x 32,
        begun => $begun // now_ms());
}
sub stored { return unpacked(cmd('HGET', $keys, $_[0])) }
sub unchanged_by {
    my ($name, $code) = @_;

    # a large hash may change the order of its fields
    my $all = sub { join "\n", map { $_, cmd('TYPE', $_) eq 'hash'
        ? sort @{ cmd('HGETALL', $_) } : cmd('DUMP', $_) }
        sort @{ cmd('KEYS', '*') } };
    my $before = $all->();
    $code->();
    ok($all->() eq $before, "$name: nothing changed");
}

# add

unchanged_by('no challenge' => sub {
    is(add($pk)->[0], 'CHALLENGE',
        'passkey_add refuses a request without a challenge');
});
challenge();
unchanged_by('another session' => sub {
    is(add($pk, session => 'other')->[0], 'CHALLENGE', 'of another session');
    is(add($pk, challenge => 'd' x 64)->[0], 'CHALLENGE',
        'passkey_add refuses another challenge');
    is(add($pk, acct => $other)->[0], 'CHALLENGE', 'of another account');
    is(add($pk, user => sid('US'))->[0], 'USER', 'of no user');
});
is(add($pk, counter => 5)->[0], 'OK', 'passkey_add adds a passkey');
my $p = stored($pk);
is_deeply([@$p[0 .. 6, 8, 9]], [1, $pk, "id\0", -7, "key\xff", 5, 'Name', 0,
    'r' x 32], 'the record has the fields of the request');
is(cmd('EXISTS', k('challenge', $ac, $challenge)), 0, 'the challenge is used');
challenge();
unchanged_by('twice' => sub { is(add($pk)->[0], 'EXISTS', 'once') });
for (2 .. 10) {
    challenge();
    is(add(sid('PK'))->[0], 'OK', "passkey_add adds passkey $_");
}
challenge();
unchanged_by('too many' => sub {
    is_deeply(add(sid('PK')), ['LIMIT', 10], 'a user has at most ten passkeys');
});

# name

is(script('passkey_name', [$acct], passkey => $pk, user => $us,
    name => 'New')->[0], 'OK', 'passkey_name renames the passkey');
is(stored($pk)->[6], 'New', 'the passkey has the new name');
unchanged_by('a stranger' => sub {
    for (['passkey_name', name => 'n'], ['passkey_delete']) {
        my ($script, @args) = @$_;
        is(script($script, [$acct], passkey => sid('PK'), user => $us,
            @args)->[0], 'PASSKEY', "$script: no such passkey");
        is(script($script, [$acct], passkey => $pk, user => sid('US'),
            @args)->[0], 'PASSKEY', "$script: of another user");
        is(script($script, [$other], passkey => $pk, user => $us, @args)->[0],
            'PASSKEY', "$script: of another account");
    }
});

# sign in

my $r = enter($pk, 6);
is_deeply([@$r[0 .. 4]], ['OK', $us, 'a@example.test', 'A', 'owner'],
    'session_passkey signs the user in');
is_deeply([@{ stored($pk) }[5, 8]], [6, $r->[5]], 'counter and time');
my $session = unpacked(cmd('GET', k('session', $ac, 'e' x 16)));
is_deeply($session, [1, 'd' x 32, $us, 'owner', $r->[5], 'a@example.test', ''],
    'the session has the user and the time');
unchanged_by('its counter' => sub {
    is(enter($pk, $_)->[0], 'COUNTER',
        "session_passkey refuses the counter $_") for 6, 5, 0;
});
my ($plain) = grep { stored($_)->[5] == 0 } @{ cmd('HKEYS', $keys) };
is(enter($plain, 0)->[0], 'OK', 'one that does not count') for 1, 2;
my $begun = now_ms();
is(script('user_signout', [$acct], user => $us)->[0], 'OK',
    'all sessions end');
unchanged_by('begun before' => sub {
    is(enter($plain, 0, $_)->[0], 'ENDED', 'a sign-in that was begun before all'
        . ' sessions ended ends, too') for $begun, 1;
});
is(enter($plain, 0, now_ms() + 1)->[0], 'OK',
    'a sign-in that is begun afterwards goes on');
unchanged_by('no passkey' => sub {
    is(enter(sid('PK'), 1)->[0], 'PASSKEY', 'no such passkey');
});

# its end

is(script('passkey_delete', [$acct], passkey => $pk, user => $us)->[0], 'OK',
    'passkey_delete deletes the passkey');
is(enter($pk, 9)->[0], 'PASSKEY', 'a deleted passkey no longer signs in');
my $u = unpacked(cmd('GET', k('user', $ac, $us)));
$u->[5] = 'suspended';
cmd('SET', k('user', $ac, $us), packed($u));
is(enter($plain, 0)->[0], 'PASSKEY', 'of a user who is not active');
is(script('user_delete', [$acct], user => $us, last => '1')->[0], 'OK',
    'the user is deleted');
is(cmd('EXISTS', $keys), 0, 'a deleted user has no passkeys');

# challenges of sign-ins

my $name = k('challenge', '1' x 64);
is(script('challenge_new', [$name], network => 'aa', most => 2)->[0], 'OK',
    "challenge_new makes challenge $_") for 1, 2;
like(cmd('GET', $name), qr/^\d{13}$/, 'the challenge has the time when it was'
    . ' made');
cmp_ok(cmd('PTTL', $name), '<=', 300_000,
    'the challenge is valid for five minutes');
unchanged_by('too many' => sub {
    $r = script('challenge_new', [k('challenge', '2' x 64)], network => 'aa',
        most => 2);
    is($r->[0], 'LATER',
        'challenge_new refuses a third challenge within the hour');
    cmp_ok($r->[1], '<=', 3600,
        'challenge_new returns at most 3600 seconds to wait');
});
is(script('challenge_new', [$name], network => 'bb', most => 2)->[0], 'OK',
    'challenge_new accepts another network');
cmp_ok(cmd('PTTL', k('begun', 'aa')), '<=', 3_600_000, 'counted for an hour');

done_testing();
