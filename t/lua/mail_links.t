#!/usr/bin/perl

# Links by mail: the index of addresses has one place for an account, who has
# confirmed an address comes first, a request for an unknown address costs the
# same, and the secret of a link ends with its record.

use strict;
use warnings;

use Digest::SHA qw(sha256 sha256_hex);

use RblTest;
use RblScript;

redis_new();
my ($ac, $acct) = account();
my $us = sid('US');
my $mail = 'jo@example.test';
my $index = k('mail', 'a' x 32);

cmd('XGROUP', 'CREATE', k('outbox'), 'deliver', '0', 'MKSTREAM');

# --- the index ---------------------------------------------------------------

sub place { return script('mail_put', [$index], member => $_[0],
    confirmed => $_[1]) }
sub places { return cmd('ZRANGE', $index, 0, -1) }

my ($evil, $good, $later) = map { sid('AC') } 1 .. 3;
place("$evil:" . sid('US'), 0) for 1 .. 9;
is(scalar @{ places() }, 1, 'an account has one place of an address');
place("$later:$us", 2000);
place("$good:$us", 1000);
is(join(' ', map { substr $_, 0, 34 } @{ places() }), "$good $later $evil",
    'users who have confirmed the address come first, in turns');
place("$evil:$us", 3000);
is(substr(places()->[2], 0, 34), $evil, 'a confirmation has its time');

# --- confirmed, by what ------------------------------------------------------

my $n = 0;
sub put {
    my ($sure) = @_;

    my $user = sid('US');
    my $said = script('user_put', [$acct], user => $user,
        mail => 'u' . ++$n . '@example.test', name => 'U', role => 'viewer',
        field => sprintf('%016x', $n), digest => 'd' x 32, sure => $sure);
    return ($user, @$said[1 .. $#$said]);
}
sub confirmed { return unpacked(cmd('GET', k('user', $ac, $_[0])))->[8] }
sub enter {
    my ($link, $user, $address) = @_;

    return script('session_start', [$acct], link => $link,
        proof => $link eq '' ? '' : 'd' x 32, field => sprintf('%016x', ++$n),
        digest => 'e' x 32, user => $user, mail => $address,
        identity => 'i' x 32);
}

my ($sure, $since) = put(1);
ok($since > 1e12 && confirmed($sure) == $since,
    'an operator vouches for the address of a user');
my ($user, $zero) = put(0);
is("$zero " . confirmed($user), '0 0', 'an owner does not');
my $said = enter(sprintf('%016x', 2), '', '');
is("$said->[0] $said->[6] " . confirmed($user), 'OK 0 0',
    'a link that was shown to an owner confirms nothing');
my $same = enter('', $user, 'u2@example.test');
ok($same->[6] > 1e12 && confirmed($user) == $same->[6],
    'the identity of nginx confirms the address');
is(enter('', $user, 'u2@example.test')->[6], 0, 'an address is confirmed once');

# --- links by mail -----------------------------------------------------------

script('user_put', [$acct], user => $us, mail => $mail, name => 'Jo',
    role => 'viewer', field => '1' x 16, digest => 'd' x 32, sure => 0);

sub commands {
    my ($code) = @_;

    cmd('CONFIG', 'RESETSTAT');
    my $reply = $code->();
    my $stats = cmd('INFO', 'commandstats');
    return ($reply->[0], join ' ', sort grep { !/^(?:config|info|zscore|eval):/ }
        $stats =~ /cmdstat_(\w+:calls=\d+)/g);
}

my ($ev, $secret, $digest);
sub ask {
    my ($account, $who) = @_;

    $ev = sid('EV');
    $secret = sprintf '%064x', ++$n;
    $digest = sha256($secret);
    return script('user_mail', [$account], user => $who, mail => $mail,
        field => substr(sha256_hex($secret), 0, 16), digest => $digest,
        secret => $secret, link => substr($account, -34) . '.'
        . sha256_hex($secret), event => $ev, url => 'https://a.example/',
        from => '192.0.2.1');
}

my $nobody = k('acct', sid('AC'));
my ($word, $known) = commands(sub { ask($acct, $us) });
is($word, 'OK', 'a user gets a link');
my $link = [$ev, $secret, $digest];
is_deeply([commands(sub { ask($nobody, sid('US')) })], ['USER', $known],
    'an unknown account costs the same commands');
is_deeply([commands(sub { ask($acct, sid('US')) })], ['USER', $known],
    'an unknown user costs the same commands');
cmp_ok(($known =~ /\bset:calls=(\d)/)[0], '>=', 1, 'one of them writes');

sub fan_out {
    my ($account, $to, $event, $of) = @_;

    cmd('XADD', k('outbox'), '*', 'a', $account, 'e', $event, 'd', 'x');
    my $r = cmd('XREADGROUP', 'GROUP', 'deliver', 'me', 'COUNT', 100, 'STREAMS',
        k('outbox'), '>')->[0][1];
    my ($entry) = grep { { @{ $_->[1] } }->{e} eq $event
        && { @{ $_->[1] } }->{d} eq 'x' } @$r;
    return script('event_fanout', [k('outbox')], id => $entry->[0],
        account => $account, event => $event, type => 'user.link',
        body => '{"body":1}', contact => $to, digest => $of);
}

is_deeply(fan_out($ac, $us, @$link[0, 2]), ['OK', 1],
    'the link of a user is delivered');
ask($nobody, $us);
is_deeply(fan_out(substr($nobody, -34), $us, $ev, $digest), ['OK', 0],
    'the link of an unknown account is not');
is(scalar @{ cmd('KEYS', k('event', '*')) }, 1,
    'an unknown account leaves no event');

sub with_secret {
    return grep { my $type = cmd('TYPE', $_);
        index(join(' ', $type eq 'string' ? cmd('GET', $_)
            : $type eq 'hash' ? @{ cmd('HGETALL', $_) }
            : $type eq 'stream' ? map { @{ $_->[1] } }
                @{ cmd('XRANGE', $_, '-', '+') } : ''), $_[0]) >= 0 }
        @{ cmd('KEYS', 'rbl:*') };
}
my $field = substr sha256_hex($link->[1]), 0, 16;
like(join(' ', with_secret($link->[1])), qr/^\S+:link:$ac:$field$/,
    'the secret is in the record of the link alone');
cmp_ok(cmd('PTTL', k('link', $ac, $field)), '<=', 900_000,
    'the record ends within 15 minutes');
my $row = script('delivery_claim', [k('retry')], most => 10,
    lease => 60_000)->[2];
is("$row->[2] $row->[3]", "$mail $link->[1]", 'the daemon gets the secret');
$said = script('session_start', [$acct], link => $field, proof => $link->[2],
    field => '9' x 16, digest => 'e' x 32);
ok($said->[0] eq 'OK' && $said->[6] == confirmed($us),
    'a link that was mailed confirms the address');
is(join(' ', with_secret($link->[1])), '', 'the used link is nowhere');

done_testing();
