#!/usr/bin/perl

# The audit log: each call that changes something leaves one entry, which names
# the caller, the address and the changed object; a refused call leaves none.  No
# secret is in the log.  Roles and accounts that may read it, and its pages.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use Test::More;

use RblJudge;
use RblPasskey;
use RblPortal;

my $t = portal_setup();
my ($redis, $ac) = ($t->{redis}, $t->{acct}{sid});
my $log = redis_key('audit', $ac);
my $owner = sign_in($t);
my $viewer = sign_in($t, role => 'viewer');
my $app = $t->{acct}{app};
my $n = 0;

sub post { return portal($t, $owner, 'POST', "$_[0].json", fields => $_[1]) }
sub made { return accepted(post(@_), "$_[0]: made")->{data} }
sub entries { return redis($redis, 'XLEN', $log) }
sub shown {
    my ($query, $who) = @_;

    return accepted(portal($t, $who // $owner, 'GET', 'audit.json'
        . ($query ? "?$query" : '')), 'the log: ' . ($query // 'all'));
}

# Secrets that were sent or answered, which must not be in the log.
my @secrets;
sub secret { push @secrets, $_[0]; return $_[0] }
sub secrets_of {
    my ($v) = @_;

    if (ref $v eq 'HASH') {
        secret($v->{$_}) for grep { defined $v->{$_} && !ref $v->{$_} }
            qw(secret token link);
        secrets_of($_) for values %$v;
    } elsif (ref $v eq 'ARRAY') {
        secrets_of($_) for @$v;
    }
}

# The code that a contact was sent.
sub code_of {
    my ($co) = @_;

    my ($code) = map { $_->{code} } grep { ($_->{contact} // '') eq $co }
        map { my %f = @{ $_->[1] }; record('event', $f{d}) }
        @{ redis($redis, 'XREVRANGE', redis_key('outbox',
            partition_of($ac)), '+', '-') };
    return secret($code);
}

# --- what each call needs ------------------------------------------------------

# made: returns the id; fields: of a call that succeeds; name: what the entry
# calls it; target: its SID, if it is not the id; who: the user.
sub host { return made('host/add', { host => '192.0.2.' . ++$n, name => 'n',
    type => 'rbl' })->[0]{id} }
sub profile { return made('rblprofile/add', { name => 'p' . ++$n })->{id} }
sub group { return made('contactgroup/add', { name => 'g' . ++$n })->{id} }
sub own { return made('rbl/add', { type => 'rbl',
    host => 'l' . ++$n . '.list.test' })->{id} }
sub contact { return made('contact/add', { type => 'slack',
    contact => secret('https://hooks.slack.com/services/T1/B1/canary' . ++$n),
    schedule => 'every_check' })->{id} }
sub confirmed {
    my $co = contact();
    made("contact/confirm/$co", { authcode => code_of($co) });
    return $co;
}
sub hook { return made('webhook/add', { name => 'w' . ++$n,
    url => secret('https://hook.example/?key=canary' . $n) })->{id} }
my $token;
sub new_app {
    my $v = made('app/add', { name => 'a' . ++$n });
    $token = sha256_hex($v->{token});
    secrets_of($v);
    return $v->{id};
}
sub user { return add_user($t, role => 'admin')->{id} }
my $passkey;
sub passkey {
    my $begun = made('passkey/begin');
    $passkey = passkey_new();
    $passkey->{user} = $begun->{user};
    return { name => 'Key', passkey_made($passkey, $begun->{challenge}) };
}
sub added { return made('passkey/add', passkey())->{id} }
my %passkey = (made => \&added, viewers => 1);
my %host = (made => \&host, name => qr/^192\.0\.2\.\d+$/);
my %profile = (made => \&profile, name => qr/^p\d+$/);
my %group = (made => \&group, name => qr/^g\d+$/);
my %own = (made => \&own, name => qr/^l\d+\.list\.test$/);
my %contact = (made => \&confirmed, name => qr/^slack$/);
my %hook = (made => \&hook, name => qr/^w\d+$/);
my %app = (made => \&new_app, name => qr/^a\d+$/);
my %user = (made => \&user, name => qr/^user\d+\@example\.test$/);
bill_of($t, $t->{acct}, gateway => \'stripe');
my ($link, $signed);
my %write = (
    'host/add' => { fields => sub { { host => '192.0.2.' . ++$n, name => 'n',
        type => 'rbl' } }, name => $host{name} },
    'host/update' => { %host, fields => sub { { name => 'new' } } },
    map({ $_ => { %host } } 'host/pause', 'host/resume', 'host/delete'),
    'rblprofile/add' => { fields => sub { { name => 'p' . ++$n } },
        name => $profile{name} },
    'rblprofile/update' => { %profile, fields => sub { { name => 'p0' } } },
    'rblprofile/delete' => { %profile },
    'rbl/add' => { fields => sub { { type => 'rbl', host => 'l' . ++$n
        . '.list.test' } }, name => $own{name} },
    'rbl/update' => { %own, fields => sub { { type => 'uribl' } } },
    map({ $_ => { %own } } 'rbl/pause', 'rbl/resume', 'rbl/delete'),
    'contact/add' => { fields => sub { { type => 'email', contact =>
        'c' . ++$n . '@a.example', schedule => 'every_check' } },
        name => qr/^c\d+\@a\.example$/ },
    'contact/update' => { %contact, fields => sub {
        { schedule => 'start_and_end' } } },
    map({ $_ => { %contact } } 'contact/pause', 'contact/resume',
        'contact/delete'),
    'contact/resend' => { %contact, made => \&contact },
    'contact/confirm' => { %contact, made => \&contact, fields => sub {
        { authcode => code_of($_[0]) } } },
    'contactgroup/add' => { fields => sub { { name => 'g' . ++$n } },
        name => $group{name} },
    'contactgroup/update' => { %group, fields => sub { { name => 'g0' } } },
    'contactgroup/delete' => { %group },
    'session/start' => { open => 1, fields => sub {
        $link = add_user($t, role => 'viewer');
        { link => secret($link->{link}) } }, target => sub { $link->{id} },
        who => sub { $link }, name => $user{name} },
    'session/passkey' => { open => 1, fields => sub {
        added();
        my $begun = accepted(portal($t, undef, 'POST', 'session/begin.json'),
            'a challenge')->{data};
        return { passkey_signed($passkey, $begun->{challenge}) } },
        target => sub { $owner->{id} }, name => $user{name} },
    'passkey/add' => { fields => \&passkey, name => qr/^Key$/, viewers => 1 },
    'passkey/rename' => { %passkey, fields => sub { { name => 'New' } },
        name => qr/^New$/ },
    'passkey/delete' => { %passkey, name => qr/^Key$/ },
    'account/update' => { fields => sub { { interval => 7200 } },
        target => sub { $ac }, name => qr/^/ },
    'contact/test' => { %contact },
    'billing/update' => { fields => sub { { alert => '1.0' . ++$n % 10 } },
        target => sub { $ac }, name => qr/^Business$/ },
    'billing/source/add' => { target => sub { $ac }, name => qr/^Business$/ },
    'billing/source/remove' => { made => sub { source_of($t, $t->{acct}) },
        name => qr/^4242$/ },
    'session/end' => { as => sub { $signed = sign_in($t, role => 'viewer') },
        target => sub { $signed->{id} }, who => sub { $signed },
        name => $user{name}, viewers => 1 },
    'user/add' => { fields => sub { { mail => 'a' . ++$n . '@example.test',
        role => 'viewer' } }, name => qr/^a\d+\@example\.test$/ },
    'user/link' => { %user },
    'user/role' => { %user, fields => sub { { role => 'viewer' } } },
    'user/delete' => { %user },
    'webhook/add' => { fields => sub { { name => 'w' . ++$n, url => secret(
        'https://hook.example/?key=canary' . $n) } }, name => $hook{name} },
    'webhook/update' => { %hook, fields => sub { { url => secret(
        'https://hook.example/?key=canary' . ++$n) } } },
    map({ $_ => { %hook } } 'webhook/rotate', 'webhook/enable',
        'webhook/disable', 'webhook/delete', 'webhook/test'),
    'webhook/replay' => { %hook, fields => sub { { all => 1 } } },
    'app/add' => { fields => sub { { name => 'a' . ++$n } },
        name => $app{name} },
    'app/rotate' => { %app },
    'app/revoke' => { %app },
    'app/allow' => { %app, fields => sub { { allow => ['192.0.2.0/24',
        'unix:'] } } },
    'app/limit' => { %app, fields => sub { { hour => 100 } } },
    'token/revoke' => { %app, fields => sub {
        { token => substr $token, 0, 8 } } },
);

# Calls that change nothing, one without a caller, and those that operator.t
# tests.
my $others = qr{^(?:check/start$|passkey/begin$|session/begin$|session/link$
    |operator/)}x;
my @rows = grep { $_->{method} eq 'POST' && $_->{path} !~ $others }
    routes(), routes('/portal/1/');
my %name_of = map { my $p = $_->{path} =~ s{/$}{}r;
    $p =~ s/^monitoringprofile/rblprofile/; $p =~ s/^contactgroups/contactgroup/;
    $_->{at} => $p } @rows;
is(join(' ', grep { !$write{$_} } sort { $a cmp $b } values %name_of), '',
    'each call that changes something is in the table of this test');

# The new entry of a call, which must be the only one.
sub entry {
    my ($what, $before) = @_;

    is(entries() - $before, 1, "$what: one entry") or return {};
    my $e = shown('limit=1')->{data}[0];
    return $e;
}

sub call_of {
    my ($row, $case, $who, $id, $fields, $api) = @_;

    my $path = $row->{path} . ($row->{path} =~ m{/$} ? $id : '') . '.json';
    return $api ? call($t, 'POST', $path, form => $fields)
        : portal($t, $who, 'POST', $path, fields => $fields);
}

sub check_row {
    my ($row, $api) = @_;

    my $name = $name_of{ $row->{at} };
    my $case = $write{$name};
    my $what = "$row->{path} " . ($api ? 'by an application' : 'by a user');
    my $id = $case->{made} ? $case->{made}->() : '';
    my $who = $case->{as} ? $case->{as}->() : $case->{open} ? undef : $owner;
    my $fields = $case->{fields} ? $case->{fields}->($id) : {};
    my ($before, $began) = (entries(), time);
    my $r = call_of($row, $case, $who, $id, $fields, $api);
    is($r->{status}, 200, "$what: is made") or diag($r->{raw});
    my $v = json($r);
    secrets_of($v);
    my $e = entry($what, $before);
    my $by = $case->{who} ? $case->{who}->() : $owner;
    is($e->{call}, $name, "$what: the call");
    is_deeply($e->{who}, $api
        ? { kind => 'application', id => $app, name => 'Test' }
        : { kind => 'user', id => $by->{id}, name => $by->{mail} },
        "$what: the entry names the caller");
    like($e->{from}, qr/^(?:127\.0\.0\.1|unix:)$/, "$what: from where");
    my $data = ref $v->{data} eq 'ARRAY' ? $v->{data}[0] : $v->{data} // {};
    is($e->{target}{id}, $case->{target} ? $case->{target}->() : $id
        || $data->{id}, "$what: what was changed");
    like($e->{target}{name}, $case->{name}, "$what: its name");
    is(join(' ', sort map { $_->{name} } @{ $e->{fields} }),
        join(' ', sort keys %$fields), "$what: the fields");
    is_current(shown_time($e->{at}), $began, "$what: when");
    $before = entries();
    my $bad = $case->{open} ? call_of($row, $case, undef, $id,
            { link => 'x' })
        : $case->{viewers} ? call_of($row, $case, undef, $id, {})
        : call_of($row, $case, $viewer, $id, $fields);
    like($bad->{status}, $case->{open} ? qr/^40[03]$/ : qr/^40[13]$/,
        "$what: may not");
    is(entries(), $before, "$what: a refused call leaves nothing");
    if ($row->{id}) {
        my $other = substr($id, 0, 2) . '0' x 32;
        is(call_of($row, $case, $owner, $other, $fields, $api)->{status}, 404,
            "$what: an unknown id");
        is(entries(), $before, "$what: leaves nothing either");
    }
}

sub shown_time {
    my ($text) = @_;

    require Time::Piece;
    return Time::Piece->strptime($text =~ s/\+00:00$//r,
        '%Y-%m-%dT%H:%M:%S')->epoch;
}

check_row($_) for @rows;
check_row($_, 1) for grep { index($_->{at}, '/3.0/') == 0 } @rows;

# --- more than one host --------------------------------------------------------

my $before = entries();
my $range = made('host/add', { host => '198.51.100.0/28', name => 'net',
    type => 'ip_range' })->[0]{id};
is_deeply(entry('a range', $before)->{target}, { id => $range,
    name => '198.51.100.0/28' }, 'a range: one entry');
for my $call ('host/update', 'host/pause', 'host/delete') {
    $before = entries();
    accepted(post("$call/$range", { name => 'x' }), "$call of a range");
    is(entry("$call of a range", $before)->{target}{name}, '198.51.100.0/28',
        "$call of a range: recorded when it is accepted");
}
$before = entries();
made('host/add', { host => '203.0.113.0/30', name => 'x' x 255,
    type => 'rbl' });
my %f = map { @$_{qw(name value)} } @{ entry('a subnet', $before)->{fields} };
is_deeply(\%f, { host => '203.0.113.0/30', name => 'x' x 200, type => 'rbl' },
    'a long value is cut');
$before = entries();
my $text = "\x{e4}" x 254;
made('rblprofile/add', { name => "a$text", entries => join ',',
    map { $_->{id} } @{ json(call($t, 'GET', 'rbls.json'))->{data} } });
my ($cut) = map { $_->{value} } grep { $_->{name} eq 'name' }
    @{ entry('a profile', $before)->{fields} };
is(length $cut, 100, 'a long value is cut between characters');

my %same = ('host/update' => host(), 'rblprofile/update' => profile(),
    'contactgroup/update' => group(), 'rbl/update' => own(),
    'contact/update' => confirmed(), 'webhook/update' => hook());
$before = entries();
accepted(post("$_/$same{$_}", {}), "$_ without a field") for sort keys %same;
is(entries(), $before, 'a call that changes nothing leaves nothing');

# --- rblctl --------------------------------------------------------------------

sub ctl { my @w = @_; my $r = rblctl($redis, '--json', @w);
    is($r->{status}, 0, "rblctl @w[0, 1]") or diag($r->{err});
    return json($r->{out}) }
my $us = user();
my $wh = hook();
my $ap = new_app();
ctl('account', 'suspend', $ac);         # now nothing can be read
for my $c ([['account', 'resume', $ac], $ac, {}],
    [['account', 'timezone', $ac, 'Europe/Berlin'], $ac,
        { name => 'Europe/Berlin' }],
    [['account', 'interval', $ac, '2h'], $ac, { seconds => '2h' }],
    [['app', 'limit', $ac, $ap, '--hour', 7], $ap, { hour => 7 }],
    [['app', 'allow', $ac, $ap, 'unix:'], $ap, { cidr => 'unix:' }],
    [['app', 'rotate', $ac, $ap, '--keep'], $ap, { keep => 1 }],
    [['app', 'revoke', $ac, $ap], $ap, {}],
    [['user', 'link', $ac, $us], $us, {}],
    [['user', 'delete', $ac, $us], $us, {}],
    [['webhook', 'rename', $ac, $wh, 'w0'], $wh, { name => 'w0' }],
    [['webhook', 'url', $ac, $wh, secret('https://h.example/?canary=ctl')],
        $wh, { url => '****' }],
    [['webhook', 'rotate', $ac, $wh], $wh, {}],
    [['webhook', 'disable', $ac, $wh], $wh, {}],
    [['webhook', 'delete', $ac, $wh], $wh, {}])
{
    my ($words, $target, $fields) = @$c;
    my $what = "rblctl @$words[0, 1]";
    $before = entries();
    secrets_of(ctl(@$words));
    forget($t, $ac);
    my $e = entry($what, $before);
    is($e->{call}, "$words->[0]/$words->[1]", "$what: the command");
    is("$e->{who}{kind} $e->{who}{id}", 'rblctl rblctl',
        "$what: the entry names rblctl");
    ok(length $e->{who}{name} && length $e->{from}, "$what: login and host");
    is($e->{target}{id}, $target, "$what: the entry names its target");
    is_deeply({ map { @$_{qw(name value)} } @{ $e->{fields} } }, $fields,
        "$what: with what");
}
is(scalar(grep { $_->{call} eq 'account/suspend' }
    @{ shown('limit=200')->{data} }), 1, 'the suspension, too');
$before = entries();
isnt(rblctl($redis, 'user', 'delete', $ac, $us)->{status}, 0,
    'rblctl does not delete a user twice');
is(entries(), $before, 'a refused command leaves no entry');
my $seen = ctl('audit', $ac, '--limit', 3);
is(scalar @$seen, 3, 'rblctl audit prints three entries');
is($seen->[0]{id} // $seen->[0]{call}, 'webhook/delete',
    'rblctl audit has the newest entry first');
like(rblctl($redis, 'audit', $ac)->{out}, qr/webhook\/url .*url=\*\*\*\*/,
    'as a table');
is(scalar @{ ctl('audit', $ac, '--target', $wh, '--limit', 100) }, 6,
    'rblctl audit prints the entries of a target');
like(rblctl($redis, 'audit', $ac, '--who', 'x')->{err}, qr/must be a SID/,
    'rblctl audit refuses an invalid SID');

# --- reads ---------------------------------------------------------------------

my @all;
my $next = '';
do {
    my $v = shown('limit=100' . ($next && "&before=$next"));
    push @all, @{ $v->{data} };
    $next = $v->{next};
} while ($next);
is(scalar @all, entries(), 'pages have all entries');
is(join(' ', map { $_->{id} } @all), join(' ', map { $_->[0] }
    @{ redis($redis, 'XREVRANGE', $log, '+', '-') }),
    'the newest entry comes first');
my $of = shown("who=$app&limit=200")->{data};
is(scalar @$of, scalar(grep { $_->{who}{id} eq $app } @all),
    'the filter finds all entries of an application');
is(join(' ', map { $_->{call} } @{ shown("target=$range")->{data} }),
    'host/delete host/pause host/update host/add',
    'the filter finds all entries of a host');
is(scalar @{ shown("who=$link->{id}")->{data} }, 1, 'a sign-in by its user');
is_deeply(shown('who=US' . '0' x 32)->{data}, [],
    'the filter finds no entry of an unknown user');
for my $q ('limit=0', 'limit=201', 'limit=x', 'before=x', 'before=1', 'who=x',
    'target=PP' . '0' x 64)
{
    refused(portal($t, $owner, 'GET', "audit.json?$q"), 400, qr/Invalid/, $q);
}
refused(portal($t, $viewer, 'GET', 'audit.json'), 403, qr/role admin/,
    'a viewer may not read it');
my $admin = sign_in($t, role => 'admin');
shown('limit=1', $admin);
my $other = sign_in($t, acct => $t->{other});
is_deeply([grep { $_->{target}{id} eq $range }
    @{ shown('limit=200', $other)->{data} }], [],
    'another account has a log of its own');
is_deeply(shown("target=$range", $other)->{data}, [],
    'a filter finds no entry of another account');

# --- secrets -------------------------------------------------------------------

my $bytes = join "\n", map { $_->[0], @{ $_->[1] } }
    @{ redis($redis, 'XRANGE', $log, '-', '+') };
cmp_ok(scalar @secrets, '>', 40, 'secrets were sent and answered');
is(join(' ', grep { length && index($bytes, $_) >= 0 } @secrets), '',
    'none is in the log');

# --- damage and age ------------------------------------------------------------

redis($redis, 'XADD', $log, '*', @$_) for ['x', 'y'], ['b', "\xc1"],
    ['b', mp_pack([1, ('x') x 6]), 't', '', 'n', ''];
is(scalar @{ shown('limit=3')->{data} }, 0, 'damaged entries are left out');
redis($redis, 'XADD', $log, 'MAXLEN', 1, '*', 'b', mp_pack([1, \'rblctl', \'',
    \'', \'', \'x/y', []]), 't', $ac, 'n', 'n');
redis($redis, 'EVAL', "for i = 1, 3000 do redis.call('XADD', KEYS[1], '*', 'b',"
    . " ARGV[1], 't', ARGV[2], 'n', '') end", 1, $log, mp_pack([1, \'rblctl',
    \'', \'', \'', \'x/y', []]), $ac);
my $found = shown('who=' . $owner->{id});
is_deeply($found->{data}, [], 'a call looks at a part of a long log');
ok($found->{next}, 'the response says where the search continues');
host();
cmp_ok(entries(), '<', 2200, 'the log is capped');
is(redis($redis, 'MEMORY', 'USAGE', $log) > 1_000_000 ? 'large' : '', '',
    'the log takes at most 1 MB');

done_testing();
