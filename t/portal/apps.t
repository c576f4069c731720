#!/usr/bin/perl

# Applications in the portal: made, rotated, limited and revoked by its calls,
# used at the API, and seen in statistics and error log.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use Test::More;

use RblPortal;

my $t = portal_setup(workers => 1, http => 'rbl_zone rbl 1m;');
my $sid = $t->{acct}{sid};
my $owner = sign_in($t);
my $admin = sign_in($t, role => 'admin');
my $other = sign_in($t, acct => $t->{other});

sub get { return portal($t, $owner, 'GET', @_) }

sub post {
    my ($path, %fields) = @_;

    return portal($t, $owner, 'POST', $path, fields => \%fields);
}

sub app { return accepted(get("app/$_[0].json"), 'an application')->{data} }
sub digits { return substr sha256_hex($_[0]), 0, 8 }

# A call of the API with a token of the application.
sub uses {
    my ($token, $path) = @_;

    return http($t->{nginx}, 'GET', '/3.0/' . ($path // 'hosts.json'),
        auth => { sid => $sid, token => $token });
}


# --- a new one ---------------------------------------------------------------

my $made = accepted(portal($t, $admin, 'POST', 'app/add.json',
    fields => { name => ' <b>Web</b> & more ' }), 'an admin adds one')->{data};
my ($id, $token) = @$made{qw(id token)};
like($id, qr/^AP[0-9a-f]{32}$/, 'the ID of the application begins with AP');
like($token, qr/^[0-9a-f]{64}$/, 'the token has 64 hex digits');
like($made->{secret}, qr{^whsec_[A-Za-z0-9+/]{43}=$},
    'the secret begins with whsec_');
is($made->{name}, '<b>Web</b> & more',
    'the name of the application is trimmed');
is_deeply($made->{limits}, { hour => 0, reads => 0, writes => 0, starts => 0 },
    'a new application has no limits');
is_deeply([map { $_->{digits} } @{ $made->{tokens} }], [digits($token)],
    'the digits of its token');
{
    my $r = get("app/$id.json");
    my $same = json($r)->{data};
    my %kept = %$made;
    delete @kept{qw(token secret)};
    is_deeply($same, \%kept, 'app/ID has all but token and secret');
    my $app = record('app', redis($t->{redis}, 'GET',
        redis_key('s', $sid, $id)));
    is($app->{secret}, $made->{secret}, 'the store has the secret');
    for my $path ('apps.json', "app/$id.json") {
        my $raw = get($path)->{raw};
        ok(index($raw, $_) < 0, "$path does not show it")
            for $made->{secret}, $token, sha256_hex($token);
    }
    unlike(read_file($t->{nginx}{error_log}), qr/\Q$token\E|whsec_/,
        'the error log shows neither token nor secret');
}
accepted(uses($token), 'the token is used at the API');
is(post('app/add.json', name => 'x' x 255)->{status}, 200, 'a long name');
refused(post('app/add.json', %$_), 400, qr/name/, 'a bad name')
    for {}, { name => '' }, { name => 'x' x 256 }, { name => "a\x{1}" },
    { name => [1] };

my $list = accepted(get('apps.json?page_size=2'), 'a page');
is_deeply([@$list{qw(page total_pages page_size total_applications)}],
    [1, 2, 2, 3], 'the page counts all applications');
is_deeply([map { $_->{id} } @{ $list->{data} }], [$t->{acct}{app}, $id],
    'the applications are sorted by creation');
ok(!exists $list->{data}[0]{tokens}, 'the list of applications has no tokens');
is_deeply(accepted(get('apps.json?page=9'), 'past the end')->{data}, [],
    'a page past the end is empty');
refused(get('apps.json?page=x'), 400, qr/page/, 'a bad page');
is(accepted(portal($t, $other, 'GET', 'apps.json'), 'another account')
    ->{total_applications}, 1, 'another account has only its own application');


# --- tokens ------------------------------------------------------------------

my $second = accepted(post("app/rotate/$id.json", keep => 1), 'a second one')
    ->{data};
is($second->{digits}, digits($second->{token}),
    'the response has the digits of the new token');
is_deeply([map { $_->{digits} } @{ app($id)->{tokens} }],
    [digits($token), $second->{digits}],
    'the tokens are sorted, the oldest first');
accepted(uses($_), 'both are used') for $token, $second->{token};
accepted(post("token/revoke/$id.json", token => uc digits($token)),
    'one is revoked');
refused(uses($token), 401, qr/credentials/,
    'the API refuses the revoked token');
accepted(uses($second->{token}), 'the other is not');
refused(post("token/revoke/$id.json", token => digits($token)), 404,
    qr/No token/, 'a revoked token cannot be revoked again');
refused(post("token/revoke/$id.json", token => $_), 400, qr/token/,
    'the portal refuses malformed digits')
    for '', 'a' x 7, 'a' x 17, 'g' x 8, "a\0aaaaaaaaa";
refused(post("token/revoke/$id.json", token => digits($t->{acct}{token})),
    404, qr/No token/, 'of another application');
my $third = accepted(post("app/rotate/$id.json"), 'a new one')->{data};
refused(uses($second->{token}), 401, qr/credentials/, 'the older one is over');
accepted(uses($third->{token}), 'the new one is used');
refused(post("app/rotate/$id.json", keep => 'x'), 400, qr/keep/, 'a bad flag');
{
    my $app = accepted(post('app/add.json', name => 'many'), 'one')->{data}{id};
    accepted(post("app/rotate/$app.json", keep => 1),
        'the portal adds a token to the application') for 2 .. 20;
    refused(post("app/rotate/$app.json", keep => 1), 409, qr/at most 20/,
        'an application has at most twenty tokens');
    is(scalar @{ app($app)->{tokens} }, 20, 'all are shown');
    accepted(post("app/rotate/$app.json"), 'instead of all');
    is(scalar @{ app($app)->{tokens} }, 1, 'one is left');
}
sign_in_ago($t, $owner, 11 * 60_000);
for my $path ('app/add.json', "app/rotate/$id.json") {
    my $r = post($path, name => 'x');
    refused($r, 401, qr/last 10 minutes/, "$path long after the sign-in");
    like($r->{headers}{'www-authenticate'},
        qr/error="insufficient_user_authentication"/,
        "$path names the reason in the challenge");
}
sign_in_ago($t, $owner, -11 * 60_000);


# --- allowed networks and limits ---------------------------------------------

my @good = (
    [['192.0.2.0/24', '2001:DB8::/32', '192.0.2.7', 'unix:', '192.0.2.7/32'],
        ['192.0.2.0/24', '2001:db8::/32', '192.0.2.7/32', 'unix:']],
    ['10.0.0.1, ::1', ['10.0.0.1/32', '::1/128']],
    [['0.0.0.0/0'], ['0.0.0.0/0']],
    [[map { "10.0.$_.0/24" } 1 .. 64], [map { "10.0.$_.0/24" } 1 .. 64]],
    [['127.0.0.0/8'], ['127.0.0.0/8']],
);
for my $case (@good) {
    accepted(post("app/allow/$id.json", allow => $case->[0]),
        'the portal accepts the allowed networks');
    is_deeply(app($id)->{allow}, $case->[1], 'as they are stored');
}
my @bad = (['192.0.2.1/24', qr{host bits set. The network is 192.0.2.0/24}],
    ['x', qr/x is not a network/], [['127.0.0.1', ''], qr/is not a network/],
    ['::ffff:1.2.3.4/99', qr/is not a network/], ['1.2.3.4/33', qr/not a/],
    ["\x{20ac}" x 100, qr/^\S+ \S+ \S+ \S+ \x{20ac}{20} is not/],
    [[map { "10.0.$_.0/24" } 1 .. 65], qr/at most 64/], [{}, qr/allow/]);
for my $case (@bad) {
    refused(post("app/allow/$id.json", allow => $case->[0]), 400, $case->[1],
        'the portal refuses bad networks');
}
refused(post("app/allow/$id.json"), 400, qr/No allow/,
    'the portal refuses a request without networks');
is_deeply(app($id)->{allow}, ['127.0.0.0/8'], 'nothing has changed');
accepted(uses($third->{token}),
    'the API accepts a token from an allowed network');
accepted(post("app/allow/$id.json", allow => '192.0.2.0/24'),
    'the portal allows another network');
refused(uses($third->{token}), 403, qr/address/, 'no longer allowed');
accepted(post("app/allow/$id.json", allow => []),
    'the portal allows all networks');
accepted(uses($third->{token}), 'the API accepts the token again');

accepted(post("app/limit/$id.json", hour => 50, reads => '3'),
    'the portal sets limits of the application');
is_deeply(app($id)->{limits}, { hour => 50, reads => 3, writes => 0,
    starts => 0 }, 'as they were given');
is(uses($third->{token})->{headers}{'ratelimit-limit'}, 3,
    'the API uses the new limits');
accepted(post("app/limit/$id.json", reads => 0, starts => 1_000_000),
    'the portal sets other limits of the application');
is_deeply(app($id)->{limits}, { hour => 50, reads => 0, writes => 0,
    starts => 1_000_000 }, 'the rest stays');
refused(post("app/limit/$id.json", %$_), 400, qr/value/, 'a bad limit')
    for { hour => -1 }, { hour => 1_000_000_001 }, { reads => 1_000_001 },
    { writes => 'x' }, { starts => '' }, { hour => '1.5' };
accepted(post("app/limit/$id.json", map { $_ => 0 } qw(hour starts)),
    'the portal removes the limits');


# --- statistics and error log ------------------------------------------------

refused(uses($third->{token}, 'host/' . sid_of('HT') . '.json'), 404, qr/host/,
    'the API refuses an unknown host');
refused(uses($third->{token}, 'hosts.json?page=x'), 400, qr/page/,
    'the API refuses an invalid page');
ok((wait_for { json(get("app/stats/$id.json"))->{errors} >= 3
    && json(get("app/errors/$id.json"))->{total_errors} >= 3 } 15),
    'the statistics and the error log count the errors');
my $stats = accepted(get("app/stats/$id.json?hours=2"), 'statistics');
is_deeply([@$stats{qw(account id unit)}], [$sid, $id, 'hour'],
    'the statistics are by the hour');
is(scalar @{ $stats->{data} }, 2, 'two of them');
my $said = json(rblctl($t->{redis}, '--json', 'app', 'stats', $sid, $id,
    '--hours', 2)->{out});
delete @$stats{qw(status_code status_message version)};
is_deeply($stats, $said, 'as rblctl has them');
for my $range (['', 24], ['?hours=744', 744], ['?hours=1', 1],
    ['?days=1', 1], ['?days=396', 396])
{
    my ($query, $n) = @$range;
    my $v = accepted(get("app/stats/$id.json$query"), "stats$query");
    is(scalar @{ $v->{data} }, $n, "stats$query has $n sums");
    is($v->{unit}, $query =~ /day/ ? 'day' : 'hour',
        "stats$query names the unit of its sums");
    cmp_ok($v->{requests}, '>=', 10, "stats$query counts all requests");
}
refused(get("app/stats/$id.json?$_"), 400, qr/./,
    "stats?$_ is refused with 400")
    for qw(hours=0 hours=745 days=397 hours=x hours= days= hours=1&days=1
    hours=99999999999999999999);

my $log = accepted(get("app/errors/$id.json"), 'the error log');
is_deeply([map { $_->{code} } @{ $log->{data} }], [400, 404, 403],
    'the errors are sorted, the newest first');
is($log->{total_errors}, 3, 'all of them');
my $first = $log->{data}[0];
is_deeply([@$first{qw(method path address)}],
    ['GET', '/3.0/hosts.json', '127.0.0.1'], 'what was refused');
like($first->{message}, qr/Invalid page/, 'the entry has the error message');
like($first->{time}, qr/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/,
    'the entry has the time of the error');
$log = accepted(get("app/errors/$id.json?code=404"), 'those with one status');
is_deeply([map { $_->{code} } @{ $log->{data} }], [404],
    'the filtered log has only errors with that status');
is_deeply([@$log{qw(total_errors total_pages)}], [1, 1],
    'the filtered log counts only errors with that status');
$log = accepted(get("app/errors/$id.json?page=2&page_size=2"), 'a page');
is_deeply([map { $_->{code} } @{ $log->{data} }], [403],
    'the second page has the third error');
is($log->{total_pages}, 2, 'the error log has two pages');
is_deeply(accepted(get("app/errors/$id.json?$_"), $_)->{data}, [],
    "errors?$_ has no errors")
    for 'code=500', 'page=2&code=404', 'page=1000000000000&page_size=1000';
refused(get("app/errors/$id.json?$_"), 400, qr/./,
    "errors?$_ is refused with 400")
    for qw(code=x code=99 code=600 code= page=0 page_size=x);
refused(portal($t, $other, 'GET', $_), 404, qr/application id/,
    "another account: $_") for map { "$_/$id.json" } qw(app app/stats
    app/errors);
{
    my $key = redis_key('errors', $sid, $id);
    redis($t->{redis}, 'LPUSH', $key, 'damage');
    expect_log($t->{nginx}, qr/error log record/) if defined &expect_log;
    is(scalar @{ accepted(get("app/errors/$id.json"), 'a damaged entry')
        ->{data} }, 3, 'a damaged entry is skipped');
    redis($t->{redis}, 'LPOP', $key);
}


# --- all applications --------------------------------------------------------

sub used { return accepted(get('apps/usage.json' . ($_[0] // '')), 'usage') }

my $used = used();
is_deeply([@$used{qw(page total_pages page_size total_applications)}],
    [1, 1, 20, 4], 'apps/usage counts all applications');
is_deeply([map { $_->{id} } @{ $used->{data} }],
    [reverse map { $_->{id} } @{ json(get('apps.json'))->{data} }],
    'apps/usage has the newest application first');
is($used->{unit}, 'hour', 'apps/usage has hours unless days are wanted');
{
    my %of = map { $_->{id} => $_ } @{ $used->{data} };
    my $one = $of{$id};
    my $list = json(get('apps.json'))->{data};
    my ($same) = grep { $_->{id} eq $id } @$list;
    is_deeply({ map { $_ => $one->{$_} } keys %$same }, $same,
        'apps/usage has the members of apps');
    my $sums = json(get("app/stats/$id.json"));
    is_deeply([@$one{qw(requests errors)}], [@$sums{qw(requests errors)}],
        'the requests and errors of an application are those of app/stats');
    is_deeply($one->{each}, [map { $_->{requests} } @{ $sums->{data} }],
        'the requests by the hour are those of app/stats');
    is($one->{last}, (grep { $_->{requests} > 0 } @{ $sums->{data} })[-1]{time},
        'the last hour with a request');
    my ($none) = grep { $_->{name} eq 'x' x 255 } values %of;
    is_deeply([@$none{qw(requests errors last)}], [0, 0, ''],
        'an application without requests');
}
for my $what (qw(requests errors)) {
    my $sum = 0;
    $sum += $_->{$what} for @{ $used->{data} };
    is($used->{$what}, $sum, "apps/usage has the sum of the $what");
    my $times = 0;
    $times += $_->{$what} for @{ $used->{times} };
    is($times, $sum, "the $what by the hour have the same sum");
}
is_deeply([map { [@$_{qw(code address)}, $_->{application}{id}] }
    @{ $used->{refusals} }], [map { [$_, '127.0.0.1', $id] } 400, 404, 403],
    'apps/usage has the last refusals, the newest first');
is($used->{refusals}[0]{application}{name}, '<b>Web</b> & more',
    'a refusal names its application');
{
    my $now = time * 1000;
    my ($other) = map { $_->{id} } grep { $_->{name} eq 'x' x 255 }
        @{ $used->{data} };
    my $key = redis_key('errors', $sid, $other);
    my $refusal = sub { record_pack('refusal', version => 1, time => $_[0],
        method => \'GET', path => \"/$_[1]", code => 400, message => \'m',
        address => \'192.0.2.1') };
    redis($t->{redis}, 'RPUSH', $key, $refusal->($now + 1000, 'first'),
        map({ $refusal->($now - 60_000 * $_, $_) } 1 .. 20));
    is_deeply([map { $_->{path} } @{ used()->{refusals} }[0, 4, 9]],
        ['/first', '/1', '/6'],
        'the last ten refusals are merged by their times');
    is(scalar @{ used()->{refusals} }, 10, 'there are no more than ten refusals');
    redis($t->{redis}, 'LPUSH', $key, 'damage');
    is(used()->{refusals}[0]{path}, '/first', 'a damaged entry is left out');
    redis($t->{redis}, 'DEL', $key);
    redis($t->{redis}, 'SET', $key, 'damage');
    is_deeply([map { $_->{code} } @{ used()->{refusals} }], [400, 404, 403],
        'a damaged error log is left out');
    redis($t->{redis}, 'DEL', $key);
    my $stats = redis_key('stats', $sid, $other, 'h' . int(time / 86_400));
    redis($t->{redis}, 'SET', $stats, 'damage');
    is(used()->{requests}, $used->{requests}, 
        'damaged statistics are left out');
    redis($t->{redis}, 'DEL', $stats);
    my $record = redis_key('s', $sid, $other);
    my $raw = redis($t->{redis}, 'GET', $record);
    redis($t->{redis}, 'SET', $record, 'damage');
    is(scalar @{ used()->{data} }, 3, 'a damaged application is left out');
    redis($t->{redis}, 'SET', $record, $raw);
}
is_deeply([map { $_->{id} } @{ used('?page=2&page_size=3')->{data} }],
    [$t->{acct}{app}], 'the second page has the oldest application');
for my $range (['?hours=3', 3, 'hour'], ['?days=31', 31, 'day'],
    ['?days=1', 1, 'day'])
{
    my ($query, $n, $unit) = @$range;
    my $v = used($query);
    is_deeply([scalar @{ $v->{times} }, scalar @{ $v->{data}[0]{each} },
        $v->{unit}], [$n, $n, $unit], "apps/usage$query has $n sums");
    is($v->{requests}, used()->{requests}, "apps/usage$query counts today");
}
refused(get("apps/usage.json?$_"), 400, qr/./, "apps/usage?$_ is refused")
    for qw(hours=0 hours=25 days=32 days= hours=1&days=1 page=0 page_size=x);
is(used('?page_size=1000')->{page_size}, 20, 'a page has at most 20');
is(accepted(portal($t, $other, 'GET', 'apps/usage.json'), 'of another')
    ->{requests}, 0, 'another account sees only what its applications did');


# --- its end -----------------------------------------------------------------

refused(portal($t, $other, 'POST', "app/revoke/$id.json", fields => {}), 404,
    qr/application id/, 'another account does not end it');
accepted(post("app/revoke/$id.json"), 'the portal revokes the application');
refused(uses($third->{token}), 401, qr/credentials/,
    'the API refuses a token of a revoked application');
is(app($id)->{status}, 'revoked',
    'the portal still shows the revoked application');
is_deeply(app($id)->{tokens}, [], 'a revoked application has no tokens');
is(accepted(get("app/errors/$id.json"), 'its log')->{total_errors}, 3,
    'a revoked application keeps its error log');
refused(post("app/$_->[0]/$id.json", %{ $_->[1] }), 409, qr/is revoked/,
    "$_->[0] of a revoked one") for ['rotate', {}], ['allow', { allow => '' }],
    ['limit', { hour => 1 }];
accepted(post("app/revoke/$id.json"), 'the portal accepts a second revocation');

my $r = rblctl($t->{redis}, 'fsck');
is($r->{status}, 0, 'the store is consistent') or diag("$r->{out}$r->{err}");

done_testing();
