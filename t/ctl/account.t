#!/usr/bin/perl
# rblctl account, app and webhook.

use strict;
use warnings;

use lib 't/lib';
use Digest::SHA qw(sha256 sha256_hex);
use RblTest;

my $redis = start_redis();
init_store($redis);
my ($r, $v);

sub good {
    my ($name, @args) = @_;

    my $got = rblctl($redis, @args, '--json');
    is($got->{status}, 0, $name) or diag($got->{err});
    return $got->{status} == 0 ? json($got->{out}) : {};
}

sub bad {
    my ($name, $pattern, @args) = @_;

    my $before = redis($redis, 'DBSIZE');
    my $got = rblctl($redis, @args);
    is($got->{status}, 3, "$name: exit status");
    like($got->{err}, qr/\Arblctl: [^\n]*$pattern[^\n]*\n\z/, "$name: why");
    is($got->{out}, '', "$name: nothing else");
    is(redis($redis, 'DBSIZE'), $before, "$name: nothing was written");
}

my $none = 'AC' . '0' x 32;

# account add
$v = good('account add', 'account', 'add', '  Paid & Söhne ', '--paid',
    '--max-hosts', 10, '--max-contacts', 3, '--interval', '15m');
like($v->{id}, qr/^AC[0-9a-f]{32}$/, 'SID');
my $ac = $v->{id};
is($v->{name}, "Paid & S\x{f6}hne", 'name, trimmed');
my $a = record('account', redis($redis, 'GET', redis_key('acct', $ac)));
is_deeply([@$a{qw(version id status timezone plan paid max_hosts max_contacts
    interval)}], [1, $ac, 'active', 'UTC', 'paid', 1, 10, 3, 900], 'record');
ok(redis($redis, 'EXISTS', redis_key('r', $ac, $a->{profile})),
    'default profile');
ok(redis($redis, 'EXISTS', redis_key('r', $ac, $a->{group})),
    'default group');
$v = good('an account with nothing said', 'account', 'add', 'Free');
is_deeply([@$v{qw(plan interval max_hosts)}, $v->{paid} ? 1 : 0],
    ['free', 3600, 0, 0], 'is free, hourly, without limits');
my $free = $v->{id};
is(good('interval', 'account', 'add', 'x', '--interval', $_->[0])->{interval},
    $_->[1], "interval $_->[0]") for ['1', 1], ['90s', 90], ['2h', 7200],
    ['30d', 2592000], ['900', 900];
is(good('plan', 'account', 'add', 'x', '--plan', 'Gold', '--paid')->{plan},
    'Gold', 'plan');
is(good('name', 'account', 'add', "\xc3\xa9" x 255)->{plan}, 'free',
    '255 characters');
is(rblctl($redis, 'account', 'add', '--json', '--', '--paid')->{status}, 0,
    'a name that looks like an option');

bad('no name', 'name of an account', 'account', 'add', ' ');
bad('long name', 'name of an account', 'account', 'add', 'x' x 256);
bad('control characters', 'name of an account', 'account', 'add', "a\nb");
bad('bad UTF-8', 'name of an account', 'account', 'add', "a\xff");
bad('both plans', 'exclude', 'account', 'add', 'x', '--paid', '--free');
bad("interval $_", '--interval must be', 'account', 'add', 'x', '--interval',
    $_) for '0', '-1', '31d', '1w', 'm', '', '1.5h', '99999999999999999999';
bad("max-hosts $_", '--max-hosts must be', 'account', 'add', 'x',
    '--max-hosts', $_) for '-1', 'x', '', '1e3', '99999999999';
bad('max-contacts', '--max-contacts must be', 'account', 'add', 'x',
    '--max-contacts', '-2');
bad('plan', 'name of a plan', 'account', 'add', 'x', '--plan', '');

# show, list, suspend, resume
$v = good('account show', 'account', 'show', uc $ac);
is_deeply([@$v{qw(id hosts listed apps webhooks)}], [$ac, 0, 0, 0, 0],
    'shows and counts');
bad('unknown account', 'there is no account', 'account', 'show', $none);
bad("SID $_", 'is not the SID of an account', 'account', 'show', $_)
    for '', 'AC', 'x' x 34, 'AP' . '0' x 32, $none . '0';
$v = good('account list', 'account', 'list');
is(scalar @$v, 10, 'lists all of them, over all partitions');
is(scalar(grep { $_->{id} eq $ac } @$v), 1, 'the first among them');
is(good('suspend', 'account', 'suspend', $ac)->{status}, 'suspended',
    'suspended');
is(good('suspend again', 'account', 'suspend', $ac)->{status}, 'suspended',
    'still');
is(good('resume', 'account', 'resume', $ac)->{status}, 'active', 'active');
bad('suspend nobody', 'there is no account', 'account', 'suspend', $none);
bad('resume nobody', 'there is no account', 'account', 'resume', $none);

# applications
$v = good('app add', 'app', 'add', $ac, 'Web');
my ($app, $token, $secret) = @$v{qw(id token secret)};
like($app, qr/^AP[0-9a-f]{32}$/, 'SID of the application');
like($token, qr/^[0-9a-f]{64}$/, 'token');
like($secret, qr/^whsec_[A-Za-z0-9+\/]{43}=$/, 'secret');
my $tokens = { @{ redis($redis, 'HGETALL', redis_key('tokens', $ac)) } };
is_deeply([keys %$tokens], [substr sha256_hex($token), 0, 16],
    'token is found by its digest');
is_deeply(record('token', (values %$tokens)[0]), { version => 1,
    digest => sha256($token), app => $app, status => 'active' },
    'and kept as its digest alone');
is(record('app', redis($redis, 'GET', redis_key('r', $ac, $app)))->{secret},
    $secret, 'secret for callbacks');
bad('app of nobody', 'there is no account', 'app', 'add', $none, 'x');
bad('app without a name', 'name of an application', 'app', 'add', $ac, '');

my $second = good('app rotate', 'app', 'rotate', $ac, $app)->{token};
like($second, qr/^[0-9a-f]{64}$/, 'another token');
isnt($second, $token, 'is new');
is_deeply([redis($redis, 'HKEYS', redis_key('tokens', $ac))],
    [[substr sha256_hex($second), 0, 16]], 'the old one is gone');
my $third = good('app rotate --keep', 'app', 'rotate', $ac, $app, '--keep')
    ->{token};
is(redis($redis, 'HLEN', redis_key('tokens', $ac)), 2, 'both are valid');
bad('rotate nothing', 'no active application', 'app', 'rotate', $ac,
    'AP' . '0' x 32);
bad('rotate of another account', 'no active application', 'app', 'rotate',
    $free, $app);
bad('rotate what is no application', 'is not the SID of an application',
    'app', 'rotate', $ac, $ac);

my $other = good('a second application', 'app', 'add', $ac, 'Other');
$v = good('app list', 'app', 'list', $ac);
is_deeply([map { [@$_{qw(id name status tokens)}] } @$v],
    [[$app, 'Web', 'active', 2], [$other->{id}, 'Other', 'active', 1]],
    'lists applications and their tokens');
$r = rblctl($redis, 'app', 'list', $ac);
unlike($r->{out} . $r->{err}, qr/$second|$third|whsec_/,
    'no token and no secret in a list');
bad('list of nobody', 'there is no account', 'app', 'list', $none);

is(good('app revoke', 'app', 'revoke', $ac, $app)->{ended}, 2,
    'two tokens ended');
is_deeply([redis($redis, 'HKEYS', redis_key('tokens', $ac))],
    [[substr sha256_hex($other->{token}), 0, 16]], "the other's stays");
is(good('revoke again', 'app', 'revoke', $ac, $app)->{ended}, 0,
    'nothing more to end');
bad('rotate after revoke', 'no active application', 'app', 'rotate', $ac,
    $app);
bad('revoke nothing', 'has no application', 'app', 'revoke', $ac,
    'AP' . '0' x 32);

# webhooks
my $url = 'https://hooks.example.com/x?y=1';
$v = good('webhook add', 'webhook', 'add', $ac, 'Ops', $url, '--types',
    'rbl.host.listed,rbl.host.delisted');
like($v->{id}, qr/^WH[0-9a-f]{32}$/, 'SID of the receiver');
like($v->{secret}, qr/^whsec_/, 'its secret');
is_deeply($v->{types}, ['rbl.host.listed', 'rbl.host.delisted'], 'types');
my $hook = record('hook', redis($redis, 'GET', redis_key('r', $ac,
    $v->{id})));
is_deeply([@$hook{qw(name url types secret status)}], ['Ops', $url,
    $v->{types}, $v->{secret}, 'active'], 'record');
is_deeply(good('every type', 'webhook', 'add', $ac, 'All', $url)->{types},
    [], 'no types are all');
$v = good('webhook list', 'webhook', 'list', $ac);
is_deeply([map { $_->{name} } @$v], ['Ops', 'All'], 'lists receivers');
unlike(rblctl($redis, 'webhook', 'list', $ac)->{out}, qr/whsec_/,
    'no secret in a list');
bad("URL $_", 'is not a URL', 'webhook', 'add', $ac, 'x', $_)
    for '', 'ftp://a.example/', 'https://', 'https://u:p@a.example/',
    'https://a.example/#x', "https://a.example/\n", 'https://a.example:0/',
    'hooks.example.com';
bad("types '$_'", 'is not an event type', 'webhook', 'add', $ac, 'x', $url,
    '--types', $_) for '', 'frob', 'rbl.host.listed,', ',rbl.host.listed',
    'rbl.host.listed,frob';
bad('webhook without a name', 'name of a webhook', 'webhook', 'add', $ac,
    ' ', $url);
bad('webhook of nobody', 'there is no account', 'webhook', 'add', $none, 'x',
    $url);
bad('webhooks of nobody', 'there is no account', 'webhook', 'list', $none);

# what others put into the store reaches no terminal
redis($redis, 'SET', redis_key('r', $ac, $app), record_pack('app',
    version => 1, id => $app, name => "\e]0;x\a\x{9b}\x{202e}",
    status => 'active', secret => 's', created => 1));
$r = rblctl($redis, 'app', 'list', $ac);
is($r->{status}, 0, 'a strange record');
unlike($r->{out}, qr/[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae/,
    'control characters are escaped');
redis($redis, 'SET', redis_key('r', $ac, $app), "\x93junk");
$r = rblctl($redis, 'app', 'list', $ac);
is($r->{status}, 0, 'a damaged record');
like($r->{err}, qr/application $app is damaged/, 'is told');
like($r->{out}, qr/$other->{id}/, 'and the others are listed');
redis($redis, 'SET', redis_key('acct', $free), 'junk');
bad('a damaged account', 'is damaged', 'account', 'show', $free);

done_testing();
