#!/usr/bin/perl

# The audit log: each call that changes something leaves one entry, which names
# the caller, the address and the changed object; a refused call leaves none.  No
# secret is in the log.  Roles and accounts that may read it, and its pages.

use strict;
use warnings;

use Test::More;

use RblJudge;
use RblPortal;
use RblWrites;

my $t = portal_setup();
my ($redis, $ac) = ($t->{redis}, $t->{acct}{sid});
my $log = redis_key('audit', $ac);
my $rest = $log =~ s/:audit:/:audit:rest:/r;
my $owner = sign_in($t);
my $viewer = sign_in($t, role => 'viewer');
my $app = $t->{acct}{app};

sub post { return portal($t, $owner, 'POST', "$_[0].json", fields => $_[1]) }
sub entries { return redis($redis, 'XLEN', $log) + redis($redis, 'XLEN', $rest) }
sub shown {
    my ($query, $who) = @_;

    return accepted(portal($t, $who // $owner, 'GET', 'audit.json'
        . ($query ? "?$query" : '')), 'the log: ' . ($query // 'all'));
}

my %write = %{ write_calls($t, $owner) };

# Calls that change nothing, one without a caller, and those that operator.t
# tests.
my $others = qr{^(?:check/start$|hosts/read$|passkey/begin$|session/begin$
    |session/link$|operator/)}x;
my @rows = grep { $_->{method} eq 'POST' && $_->{path} !~ $others }
    routes(), routes('/portal/1/');
my %name_of = map { $_->{at} => write_name($_) } @rows;
is(join(' ', grep { !$write{$_} } sort { $a cmp $b } values %name_of), '',
    'each call that changes something is in the table of this test');
for my $language (qw(en de)) {
    my $text = read_file(repo_dir()
        . "/ngx_rbl_module/web/lang/$language.json");
    is(join(' ', grep { index($text, '"did_' . tr{/}{_}r . '":') < 0 }
        sort { $a cmp $b } values %name_of), '',
        "$language.json has words for what each of these calls does");
}

# The new entry of a call, which must be the only one.
sub entry {
    my ($what, $before) = @_;

    is(entries() - $before, 1, "$what: one entry") or return {};
    my $e = shown('limit=1')->{data}[0];
    return $e;
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
    my $r = write_call($row, $who, $id, $fields, $api);
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
        || $data->{id} || $data->{profile}{id}, "$what: what was changed");
    like($e->{target}{name}, $case->{name}, "$what: its name");
    is(join(' ', sort map { $_->{name} } @{ $e->{fields} }),
        join(' ', sort keys %$fields), "$what: the fields");
    is_current(shown_time($e->{at}), $began, "$what: when");
    $before = entries();
    my $bad = $case->{open} ? write_call($row, undef, $id, { link => 'x' })
        : $case->{viewers} ? write_call($row, undef, $id, {})
        : write_call($row, $viewer, $id, $fields);
    like($bad->{status}, $case->{open} ? qr/^40[03]$/ : qr/^40[13]$/,
        "$what: may not");
    is(entries(), $before, "$what: a refused call leaves nothing");
    if ($row->{id}) {
        my $other = substr($id, 0, 2) . '0' x 32;
        is(write_call($row, $owner, $other, $fields, $api)->{status}, 404,
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
is($seen->[0]{call}, 'webhook/delete',
    'rblctl audit has the newest entry first');
like(rblctl($redis, 'audit', $ac)->{out}, qr/webhook\/url .*url=\*\*\*\*/,
    'as a table');
is(scalar @{ ctl('audit', $ac, '--target', $wh, '--limit', 100) }, 6,
    'rblctl audit prints the entries of a target');
like(rblctl($redis, 'audit', $ac, '--who', 'x')->{err}, qr/it must be a SID/,
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
my @ms = map { $_->{id} =~ /(\d+)-/ } @all;
is(join(' ', @ms), join(' ', sort { $b <=> $a } @ms),
    'the newest entry comes first');
my %ids = map { $_->{id} => 1 } @all;
is(scalar keys %ids, scalar @all, 'each entry has an id of its own');
my $of = shown("who=$app&limit=200")->{data};
is(scalar @$of, scalar(grep { $_->{who}{id} eq $app } @all),
    'the filter finds all entries of an application');
is(join(' ', map { $_->{call} } @{ shown("target=$range")->{data} }),
    'host/delete host/pause host/update host/add',
    'the filter finds all entries of a host');
is(scalar @{ shown('who=' . $write{'session/start'}{target}->())->{data} }, 1,
    'a sign-in by its user');
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
    map { @{ redis($redis, 'XRANGE', $_, '-', '+') } } $log, $rest;
my @secrets = secrets();
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
redis($redis, 'DEL', $rest);
my $found = shown('who=' . $owner->{id});
is_deeply($found->{data}, [], 'a call looks at a part of a long log');
ok($found->{next}, 'the response says where the search continues');
new_app();
cmp_ok(entries(), '<', 2200, 'the log is capped');

# --- those who are in the log cannot push themselves out of it ------------------

redis($redis, 'DEL', $log, $rest);
my ($host, $secret) = (host(), new_app());
for my $n (1 .. 30) {
    accepted(post("host/update/$host", { name => "n$n" }), "change $n is made");
}
is(join(' ', map { "$_->{call} $_->{count}" } @{ shown('target=' . $host)
    ->{data} }), 'host/update 20' . ' host/update 1' x 10 . ' host/add 1',
    'thirty changes of a host are eleven entries, which count them');
is(shown('limit=1')->{data}[0]{fields}[0]{value}, 'n30',
    'the last one has the last value');
like(rblctl($redis, 'audit', $ac)->{out}, qr/ host\/update +20 /,
    'rblctl prints the count');
redis($redis, 'EVAL', "for i = 1, 3000 do redis.call('XADD', KEYS[1], 'MAXLEN',"
    . " '~', '2000', '*', 'b', ARGV[1], 't', ARGV[2], 'n', '') end", 1, $rest,
    mp_pack([1, \'rblctl', \'', \'', \'', \'x/y', []]), $host);
my ($made, $at) = (undef, '');
for (1 .. 20) {
    my $page = shown("target=$secret&limit=200" . ($at && "&before=$at"));
    $made //= $page->{data}[0];
    $at = $page->{next} or last;
}
is($made->{call}, 'app/add', 'no number of changes of hosts pushes out that an'
    . ' application was added');
is(redis($redis, 'MEMORY', 'USAGE', $log) > 1_000_000 ? 'large' : '', '',
    'the log takes at most 1 MB');

done_testing();
