#!/usr/bin/perl
# rblctl restored: a Redis goes on from an older copy while clients use it.
# Rights that ended since then are valid again, until the command ends all
# sessions and links, in all partitions; tokens go on, and are listed without
# secrets.

use strict;
use warnings;

use Digest::SHA 'sha256_hex';
use File::Copy;
use POSIX 'WNOHANG';
use Test::More;

use RblPasskey;
use RblPortal;

my $t = portal_setup();
my ($redis, $ac) = ($t->{redis}, $t->{acct}{sid});

sub ctl {
    my @words = @_;

    my $r = rblctl($t->{redis}, '--json', @words);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is("$r->{status} $r->{err}", '0 ', "rblctl @words[0 .. ($#words > 0)]");
    return json($r->{out});
}
sub me { return portal($t, $_[0], 'GET', 'me.json')->{status} }
sub token_works { return http($t->{nginx}, 'GET', '/3.0/hosts.json',
    auth => $_[0])->{status} }
sub link_works {
    return portal($t, undef, 'POST', 'session/start.json', fields => {
        link => $_[0] })->{status};
}

# Users in every partition that the accounts have; one with several sessions.
my @accounts = ($t->{acct}, $t->{other}, map { make_account($redis) } 1 .. 12);
my @users = map { sign_in($t, acct => $_) } @accounts;
my $operator = ctl('operator', 'add', 'op@example.test');
my @links = map { ctl('user', 'link', $_->{sid},
    ctl('user', 'list', $_->{sid})->[0]{id})->{link} =~ s{^#/link/}{}r }
    @accounts[0, 3];
is(join(' ', map { me($_) } @users), join(' ', ('200') x @users),
    'users are signed in');
my $app = ctl('app', 'add', $ac, 'ended later');
my $leaked = { %{ $t->{acct} }, token => $app->{token} };
my $rotated = ctl('app', 'rotate', $ac, $app->{id}, '--keep');
is(token_works($leaked), 200, 'a token works');

# --- the copy, and what ends after it -------------------------------------------

sub begun { return json(portal($t, undef, 'POST', 'session/begin.json'))->{data}
    {challenge} }
sub enters { return portal($t, undef, 'POST', 'session/passkey.json', fields =>
    $_[0])->{status} }
my $key = passkey_new();
{
    my $begun = json(portal($t, $users[1], 'POST', 'passkey/begin.json'))->{data};
    $key->{user} = $begun->{user};
    accepted(portal($t, $users[1], 'POST', 'passkey/add.json', fields => {
        name => 'n', passkey_made($key, $begun->{challenge}) }), 'a passkey');
}
my %signed = passkey_signed($key, begun());
redis($redis, 'SAVE');
is(enters(\%signed), 200, 'a passkey signs in');
is(enters(\%signed), 403, 'the same answer signs in once');
copy("$redis->{dir}/dump.rdb", "$redis->{dir}/older.rdb") or die "$!";
accepted(portal($t, $users[0], 'POST', 'session/end.json'), 'a user signs out');
ctl('app', 'revoke', $ac, $app->{id});
is(me($users[0]), 401, 'the session has ended');
is(token_works($leaked), 401, 'the token has ended');

# --- the restore, under load ---------------------------------------------------

# A program that asks with its token, whatever it is answered.
my $load = fork // die "fork: $!";
if ($load == 0) {
    $SIG{TERM} = 'DEFAULT';
    token_works($t->{acct}) while 1;
}
at_stop(sub { kill 'TERM', $load; local $?; waitpid $load, 0 });
kill_server($redis);
unlink "$redis->{dir}/dump.rdb";
copy("$redis->{dir}/older.rdb", "$redis->{dir}/dump.rdb") or die "$!";
$t->{redis} = $redis = start_redis(dir => $redis->{dir});
ok(wait_for(sub { token_works($t->{acct}) == 200 }, 30, 'the API'),
    'the API uses the restored store');
ok(wait_for(sub { me($users[0]) == 200 && token_works($leaked) == 200 }, 10,
    'the old state'), 'what had ended is valid again');

my $r = ctl('restored');
cmp_ok($r->{accounts}, '>=', @accounts + 1, 'all accounts, also that of the'
    . ' operators');
cmp_ok($r->{sessions}, '>=', scalar @users, 'all sessions were ended');
is($r->{links}, 3, 'all links were ended');
is(join(' ', map { me($_) } @users), join(' ', ('401') x @users),
    'nobody is signed in');
is(join(' ', map { link_works($_) } @links,
    $operator->{link} =~ s{^#/link/}{}r), '403 403 403', 'no link signs in');
is(enters(\%signed), 403, 'what signed in before does not sign in again');
is(token_works($_), 200, 'a token that existed goes on') for @accounts, $leaked;
is(join(' ', map { "@$_{qw(account app name digits)}" } grep { $_->{app} eq
    $app->{id} } @{ $r->{tokens} }), join(' ', map { "$ac $app->{id} ended later "
    . substr(sha256_hex($_), 0, 8) } $app->{token}, $rotated->{token}),
    'the tokens of an application are listed, the oldest first');
is(scalar @{ $r->{tokens} }, @accounts + 2, 'all tokens are');
like($_->{created}, qr/^20\d\d-/, 'a token says when it was made')
    for $r->{tokens}[0];
my $text = rblctl($redis, 'restored');
is($text->{status}, 0, 'the command can be repeated');
like($text->{out}, qr/^sessions ended +0$/m, 'nothing is left to end');
like($text->{out}, qr/^ACCOUNT +APPLICATION .*\n.*\Q$app->{id}\E/ms,
    'the text has a table of the tokens');
is(join(' ', grep { index($text->{out}, $_) >= 0 } $app->{token},
    $rotated->{token}, map { $_->{token} } @accounts), '', 'no secret is printed');
my $again = sign_in($t);
is(me($again), 200, 'users sign in again');
is(enters({ passkey_signed($key, begun()) }), 200, 'passkeys sign in again');
my @seen = grep { $_->{call} eq 'restored' } @{ ctl('audit', $ac, '--limit',
    100) };
is(scalar @seen, 1, 'the audit log has who ended the sessions of a user, once');
is(waitpid($load, WNOHANG), 0, 'the load went on until now');

# --- one that is damaged keeps none of the others signed in ---------------------

my ($user) = map { $_->{id} } @{ ctl('user', 'list', $ac) };
redis($redis, 'SET', redis_key('user', $ac, $user), "\xc1");
my $last = sign_in($t, acct => $t->{other});
$r = rblctl($redis, 'restored', '--json');
is($r->{status}, 0, 'the record of a user is damaged');
is(me($last), 401, 'the others are signed out');
redis($redis, 'SET', redis_key('sessions', $ac, $user), 'x');
$last = sign_in($t, acct => $t->{other});
$r = rblctl($redis, 'restored', '--json');
is($r->{status}, 3, 'sessions that cannot be ended are an error');
like($r->{err}, qr/sessions of user \Q$user\E of account \Q$ac\E/,
    'the error names the user');
is(me($last), 401, 'the others are signed out nevertheless');

done_testing();
