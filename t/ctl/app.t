#!/usr/bin/perl
# rblctl app and token: applications, their tokens, and their access.

use strict;
use warnings;

use lib 't/lib';
use Digest::SHA qw(sha256 sha256_hex);
use RblCtl;

my $redis = ctl_store();
my ($r, $v);
my $none = 'AC' . 'f' x 32;
my $nothing = 'AP' . '0' x 32;
my $ac = good('an account', 'account', 'add', 'A')->{id};
my $free = good('another', 'account', 'add', 'B')->{id};

sub token_record {
    return record('token', redis($redis, 'GET', redis_key('token', $ac,
        $_[0])));
}


# --- applications ----------------------------------------------------------

my $began = time;
$v = good('app add', 'app', 'add', $ac, 'Web');
my ($app, $token, $secret) = @$v{qw(id token secret)};
like($app, qr/^AP[0-9a-f]{32}$/, 'app add returns the SID of the application');
like($token, qr/^[0-9a-f]{64}$/, 'app add returns a token of 64 digits');
like($secret, qr/^whsec_[A-Za-z0-9+\/]{43}=$/,
    'app add returns a secret for callbacks');
my $tokens = { @{ redis($redis, 'HGETALL', redis_key('tokens', $ac)) } };
is_deeply([keys %$tokens], [substr sha256_hex($token), 0, 16],
    'the token is stored under its digest');
is((values %$tokens)[0], $app, 'the token belongs to the new application');
my $record = token_record((keys %$tokens)[0]);
is_current(delete($record->{created}) / 1000, $began,
    'the token record has the present time');
is_deeply($record, { version => 1, digest => sha256($token), app => $app,
    status => 'active', allow => [], limits => [] },
    'the token record has the digest alone');
is(record('app', redis($redis, 'GET', redis_key('s', $ac, $app)))->{secret},
    $secret, 'the application record has the secret for callbacks');
bad('app of an unknown account', 'there is no account', 'app', 'add', $none,
    'x');
bad('app without a name', 'No name value', 'app', 'add', $ac, '');

my $second = good('app rotate', 'app', 'rotate', $ac, $app)->{token};
like($second, qr/^[0-9a-f]{64}$/, 'app rotate returns a token of 64 digits');
isnt($second, $token, 'app rotate returns a different token');
is_deeply([redis($redis, 'HKEYS', redis_key('tokens', $ac))],
    [[substr sha256_hex($second), 0, 16]], 'app rotate deletes the old token');
my $third = good('app rotate --keep', 'app', 'rotate', $ac, $app, '--keep')
    ->{token};
is(redis($redis, 'HLEN', redis_key('tokens', $ac)), 2,
    'app rotate --keep keeps the old token');
bad('rotate nothing', 'has no application', 'app', 'rotate', $ac,
    $nothing);
bad('rotate of another account', 'has no application', 'app', 'rotate',
    $free, $app);
bad('rotate an invalid SID', 'is not the SID of an application',
    'app', 'rotate', $ac, $ac);

my $other = good('a second application', 'app', 'add', $ac, 'Other');
$v = good('app list', 'app', 'list', $ac);
is_deeply([map { [@$_{qw(id name status total_tokens)}] } @$v],
    [[$app, 'Web', 'active', 2], [$other->{id}, 'Other', 'active', 1]],
    'app list shows applications and counts their tokens');
$r = rblctl($redis, 'app', 'list', $ac);
unlike($r->{out} . $r->{err}, qr/$second|$third|whsec_/,
    'app list shows no token and no secret');
bad('list of an unknown account', 'there is no account', 'app', 'list', $none);

# --- tokens ----------------------------------------------------------------

sub digits { return substr sha256_hex($_[0]), 0, $_[1] // 8 }

$v = good('token list', 'token', 'list', $ac, $app);
is_deeply([map { [@$_{qw(digits status)}] } @$v],
    [[digits($second), 'active'], [digits($third), 'active']],
    'token list shows eight digits of each token, the oldest first');
like($_->{created}, qr/^20\d\d-\d\d-\d\dT/,
    'token list shows when a token was created') for @$v;
bad('tokens of nothing', 'has no application', 'token', 'list', $ac, $nothing);
bad('tokens of an unknown account', 'has no application', 'token', 'list',
    $none, $app);

good('token revoke', 'token', 'revoke', $ac, $app, uc digits($second));
is_deeply([sort @{ redis($redis, 'HKEYS', redis_key('tokens', $ac)) }],
    [sort map { digits($_, 16) } $third, $other->{token}],
    'token revoke deletes the named token only');
bad('a deleted token', 'No token of this application', 'token', 'revoke', $ac,
    $app, digits($second));
bad('token of another application', 'No token of this application', 'token',
    'revoke', $ac, $app, digits($other->{token}));
bad('token of another account', 'has no application', 'token', 'revoke',
    $free, $app, digits($third));
bad("digits '$_'", 'token value provided', 'token', 'revoke', $ac, $app, $_)
    for '', '1234567', '12345678g', '0' x 17, '*' x 8;

my $key = redis_key('tokens', $ac);
my $raw = redis($redis, 'GET', redis_key('token', $ac, digits($third, 16)));
my $twin = digits($third) . '0' x 8;
redis($redis, 'HSET', $key, $twin, $app);
redis($redis, 'SET', redis_key('token', $ac, $twin), $raw);
bad('digits of two', 'Several tokens', 'token', 'revoke', $ac, $app,
    digits($third));
good('all digits', 'token', 'revoke', $ac, $app, $twin);
is_deeply([grep { $_ =~ /^\Q${\digits($third)}/ } @{ redis($redis, 'HKEYS',
    $key) }], [digits($third, 16)],
    'token revoke finds one of two tokens by more digits');
good('rotate --keep', 'app', 'rotate', $ac, $app, '--keep');

# --- allow list and limits -------------------------------------------------

sub token_records {
    my ($of) = @_;

    my %all = @{ redis($redis, 'HGETALL', $key) };
    return map { token_record($_) } grep { $all{$_} eq $of } keys %all;
}

sub app_record {
    return record('app', redis($redis, 'GET', redis_key('s', $ac, $_[0])));
}

# The application and all its tokens have the same values; the other application
# is unchanged.
sub says {
    my ($field, $want, $name) = @_;

    is_deeply([map { $_->{$field} } app_record($app), token_records($app)],
        [$want, $want, $want], $name);
    is_deeply([map { $_->{$field} } app_record($other->{id}),
        token_records($other->{id})], [[], []],
        'the other application is unchanged');
}

# An application without limits.
redis($redis, 'SET', redis_key('s', $ac, $app), mp_pack([1, $app, 'Web',
    'active', 'whsec_x', 1, [], []]));
redis($redis, 'SET', redis_key('token', $ac, digits($third, 16)),
    mp_pack([1, sha256($third), $app, 'active', [], [], 1]));
is_deeply([map { (@{ $_->{limits} }{qw(hour reads writes starts)},
    $_->{allow}) } grep { $_->{id} eq $app } @{ good('app list', 'app', 'list', $ac) }],
    [0, 0, 0, 0, []], 'a record without limits allows all addresses');

$v = good('app limit', 'app', 'limit', $ac, $app, '--hour', 1000);
is_deeply([@{ $v->{limits} }{qw(hour reads writes starts)}], [1000, 0, 0, 0],
    'app limit sets one of four limits');
says('limits', [1000, 0, 0, 0], 'is kept');
good('more', 'app', 'limit', $ac, $app, '--reads', 20, '--writes', 5,
    '--starts', 1);
says('limits', [1000, 20, 5, 1], 'the other limits stay');
good('less', 'app', 'limit', $ac, $app, '--hour', 0);
says('limits', [0, 20, 5, 1], '0 takes one away');

my %allow = (
    '10.0.0.0/8' => ['10.0.0.0/8'],
    '192.0.2.1' => ['192.0.2.1/32'],
    '192.0.2.1,192.0.2.1/32, 192.0.2.1' => ['192.0.2.1/32'],
    '::ffff:192.0.2.1' => ['192.0.2.1/32'],
    '2001:DB8::/32,::1' => ['2001:db8::/32', '::1/128'],
    '0.0.0.0/0,::/0,unix:' => ['0.0.0.0/0', '::/0', 'unix:'],
);
for my $list (sort keys %allow) {
    is_deeply(good(substr("allow $list", 0, 60), 'app', 'allow', $ac, $app,
        $list)->{allow}, $allow{$list}, "app allow shows the list for $list");
    says('allow', $allow{$list}, 'and kept');
}
says('limits', [0, 20, 5, 1], 'the limits are as they were');
my $many = join ',', map { "10.0.0.$_" } 1 .. 64;
good('64 of them', 'app', 'allow', $ac, $app, $many);

my $new = good('rotate', 'app', 'rotate', $ac, $app, '--keep')->{token};
is_deeply([map { [@$_{qw(allow limits)}] } grep { $_->{digest} eq sha256($new) }
    token_records($app)], [[[map { "10.0.0.$_/32" } 1 .. 64],
    [0, 20, 5, 1]]], 'a new token has the allow list and the limits');
good('its end', 'token', 'revoke', $ac, $app, digits($new));
is_deeply([map { (@{ $_->{limits} }{qw(hour reads writes starts)},
    scalar @{ $_->{allow} }) } grep { $_->{id} eq $app } @{ good('app list', 'app', 'list', $ac) }],
    [0, 20, 5, 1, 64], 'app list shows the limits and the allow list');

good('allow --none', 'app', 'allow', $ac, $app, '--none');
says('allow', [], 'from everywhere');
good('limit --none', 'app', 'limit', $ac, $app, '--none');
says('limits', [], 'no limit at all');
good('all of them 0', 'app', 'limit', $ac, $app, '--reads', 0);
says('limits', [], 'is no limit at all');

bad('allow nothing', 'an empty list', 'app', 'allow', $ac, $app, '');
bad("allow '$_'", 'allow value provided', 'app', 'allow', $ac, $app, $_) for
    ',', '10.0.0.0/8,', ',10.0.0.0/8', 'example.com', '10.0.0.0/33',
    '10.0.0.0/-1', '10.0.0.0/08', '::ffff:10.0.0.0/104', 'unix', 'unix:/run/x',
    '1.2.3', '*', "10.0.0.0/8\n,";
bad('host bits', 'The network is 10\.0\.0\.0/8', 'app', 'allow', $ac, $app,
    '192.0.2.1,10.1.2.3/8');
bad('65 networks', 'at most 64 networks', 'app', 'allow', $ac, $app,
    join ',', map { "10.0.0.$_" } 1 .. 65);
bad('no network', 'give the networks', 'app', 'allow', $ac, $app);
bad('both', 'give the networks', 'app', 'allow', $ac, $app, '10.0.0.0/8',
    '--none');
bad('no limit', 'give the limits', 'app', 'limit', $ac, $app);
bad('a limit and none', 'give the limits', 'app', 'limit', $ac, $app,
    '--none', '--hour', 1);
for my $n ('-1', '', 'x', '1.5', '1000000001') {
    bad("limit '$n'", 'hour value provided: it must be a whole number from 0',
        'app', 'limit', $ac, $app, "--hour=$n");
}
bad('too many reads', 'reads value provided: it must be', 'app', 'limit', $ac, $app,
    '--reads', 1000001);
for my $c (['allow', '10.0.0.0/8'], ['limit', '--hour', 1]) {
    bad("$c->[0] for nothing", 'has no application', 'app', $c->[0], $ac,
        $nothing, @$c[1 .. $#$c]);
    bad("$c->[0] for another account", 'has no application', 'app',
        $c->[0], $free, $app, @$c[1 .. $#$c]);
}
says('allow', [], 'none of it did anything');
says('limits', [], 'none of it');

# --- the end ---------------------------------------------------------------

is(good('app revoke', 'app', 'revoke', $ac, $app)->{id}, $app,
    'app revoke prints the SID of the application');
is_deeply([redis($redis, 'HKEYS', redis_key('tokens', $ac))],
    [[substr sha256_hex($other->{token}), 0, 16]],
    'the token of the other application remains');
good('revoke again', 'app', 'revoke', $ac, $app);
bad('rotate after revoke', 'is revoked', 'app', 'rotate', $ac,
    $app);
bad('revoke nothing', 'has no application', 'app', 'revoke', $ac,
    $nothing);
bad('allow after revoke', 'is revoked', 'app', 'allow', $ac, $app,
    '10.0.0.0/8');
bad('limit after revoke', 'is revoked', 'app', 'limit', $ac, $app,
    '--hour', 1);

# as many as there may be
{
    my $full = good('a full account', 'account', 'add', 'Full')->{id};
    my $one = good('an application', 'app', 'add', $full, 'one')->{id};
    good('a token', 'app', 'rotate', $full, $one, '--keep') for 2 .. 20;
    bad('too many tokens', 'at most 20 tokens', 'app', 'rotate', $full,
        $one, '--keep');
    redis($redis, 'HSET', redis_key('tokens', $full), map { ("x$_", 'AP') }
        21 .. 200);
    bad('too many in the account', 'at most 200 tokens', 'app', 'add',
        $full, 'two');
    good('without one', 'app', 'revoke', $full, $one);
    my $two = good('then there is room', 'app', 'add', $full, 'two')->{id};
    redis($redis, 'HSET', redis_key('tokens', $full), map { ("y$_", 'AP') }
        1 .. 20);
    bad('nor a second token', 'at most 200 tokens', 'app', 'rotate',
        $full, $two, '--keep');
    redis($redis, 'DEL', redis_key('tokens', $full));
    redis($redis, 'ZADD', redis_key('apps', $full), map { ($_, "AP$_") }
        1 .. 998);
    bad('too many applications', 'at most 1000 applications', 'app',
        'add', $full, 'three');
}

# bytes from the store that never reach a terminal
redis($redis, 'SET', redis_key('s', $ac, $app), record_pack('app',
    version => 1, id => $app, name => "\e]0;x\a\x{9b}\x{202e}",
    status => 'active', secret => 's', created => 1, allow => [],
    limits => []));
$r = rblctl($redis, 'app', 'list', $ac);
is($r->{status}, 0, 'app list accepts a name with control characters');
unlike($r->{out}, qr/[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae/,
    'app list escapes control characters');
redis($redis, 'SET', redis_key('s', $ac, $app), "\x93junk");
$r = rblctl($redis, 'app', 'list', $ac);
is($r->{status}, 0, 'app list continues after a damaged record');
like($r->{err}, qr/record of an application is damaged/,
    'app list reports the damaged record');
like($r->{out}, qr/$other->{id}/, 'app list shows the other applications');

done_testing();
