#!/usr/bin/perl

# Every call of the portal: who may make it, by role; what it answers, as
# conf/openapi.json describes it; what it refuses.  The calls of the API are
# made as a user of the portal, too.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use Test::More;

use RblExamples;
use RblJudge;
use RblPasskey;
use RblPortal;

my $t = portal_setup(lists => 1);
my $judge = start_judge();
my $down = start_nginx(store_addr => 'unix:/nonexistent/store',
    portal => 'rbl_store_timeout 500ms;');
my %rank = (viewer => 1, admin => 2, owner => 3);
my %who = map { $_ => sign_in($t, role => $_) } keys %rank;
my $late = sign_in($t);
sign_in_ago($t, $late, 11 * 60_000);
my $operators = operators($t);
my %operator = map { $_ => sign_in($t, role => $_, acct => $operators) }
    keys %rank;
my $late_operator = sign_in($t, acct => $operators);
sign_in_ago($t, $late_operator, 11 * 60_000);
my $n = 0;
my $out = '/portal/1/';

my $host;
sub some_host {
    return $host //= do {
        # not by the API: its token ends with app/rotate
        my $r = portal($t, $who{owner}, 'POST', 'host/add.json', fields =>
            { host => '192.0.2.1', name => 'n', type => 'rbl' });
        my $id = json($r)->{data}[0]{id};
        list_host($t, $id, lists => 2);
        $id;
    };
}
my $foreign;
sub foreign_host {
    return $foreign //= json(call($t, 'POST', 'host/add.json',
        auth => $t->{other}, form => { host => '192.0.2.1', name => 'n',
            type => 'rbl' }))->{data}[0]{id};
}

# An application of its own, made with rblctl, and the digits of its token.
my $new;
sub new_app {
    my $app = json(rblctl($t->{redis}, '--json', 'app', 'add',
        $t->{acct}{sid}, 'New')->{out});
    $new = sha256_hex($app->{token});
    return $app->{id};
}

sub app_id {
    my ($made) = @_;

    return (made => $made // sub { $t->{acct}{app} }, none => sid_of('AP'),
        foreign => sub { $t->{other}{app} });
}

sub some_list {
    my $r = portal($t, $who{owner}, 'GET', 'rbls.json?page_size=1');
    return json($r)->{data}[0]{id};
}
my $foreign_list;
sub foreign_list {
    return $foreign_list //= json(call($t, 'POST', 'rbl/add.json',
        auth => $t->{other}, form => { host => 'o.list.test',
            type => 'rbl' }))->{data}{id};
}

# The calls that are only of the portal.  role: who may make it; recent: only
# within ten minutes of the sign-in; fields: of a call that succeeds, if they are
# not the example of conf/openapi.json; made: code that makes what it needs and
# returns its id, none: a well-formed id of nothing; foreign: code that returns
# an id of another account; as: code that returns another user of a role;
# query: of a GET that needs one;
# operator: only operators make it, in no account; self: operators make it, in no
# account, too; home: in their own account and in others.
sub hook_of {
    my ($acct) = @_;

    my $r = rblctl($t->{redis}, '--json', 'webhook', 'add', $acct->{sid}, 'n',
        'https://hook.example/');
    return json($r->{out})->{id};
}
my ($hook, $foreign_hook) = map { hook_of($_) } @$t{qw(acct other)};
my %hook = (role => 'admin', none => sid_of('WH'), made => sub { $hook },
    foreign => sub { $foreign_hook });
# A contact that is confirmed.
sub some_contact {
    my ($acct) = @_;

    my %fields = (type => 'email', contact => 'c' . ++$n . '@example.test',
        schedule => 'start_and_end');
    my $id = json($acct == $t->{acct}
        ? portal($t, $who{owner}, 'POST', 'contact/add.json',
            fields => \%fields)
        : call($t, 'POST', 'contact/add.json', auth => $acct,
            form => \%fields))->{data}{id};
    my $key = redis_key('r', $acct->{sid}, $id);
    my $c = record('contact', redis($t->{redis}, 'GET', $key));
    redis($t->{redis}, 'SET', $key, record_pack('contact', %$c,
        value => \$c->{value}, status => 'active'));
    return $id;
}
my $contact;
my %contact = (role => 'admin', none => sid_of('CO'), made => sub {
    $contact //= some_contact($t->{acct}) }, foreign => sub {
    some_contact($t->{other}) });

sub some_profile {
    my ($acct) = @_;

    my %fields = (name => 'p');
    return json($acct == $t->{acct}
        ? portal($t, $who{owner}, 'POST', 'rblprofile/add.json',
            fields => \%fields)
        : call($t, 'POST', 'rblprofile/add.json', auth => $acct,
            form => \%fields))->{data}{id};
}
my ($profile, $foreign_profile);
my %profile = (role => 'admin', none => sid_of('RP'),
    made => sub { $profile //= some_profile($t->{acct}) },
    foreign => sub { $foreign_profile //= some_profile($t->{other}) });

# A mute, in the store alone.
sub some_mute {
    my ($acct) = @_;

    my $id = sprintf 'MU%032x', ++$n;
    my $ends = (time + 3600) * 1000;
    redis($t->{redis}, 'SET', redis_key('r', $acct->{sid}, $id),
        record_pack('mute', version => 1, id => $id, target => '', made => 1,
            begins => 1, ends => $ends, rule => '', minutes => 0, last => 0,
            reason => 'r', name => '', by => ''));
    redis($t->{redis}, 'ZADD', redis_key('mutes', $acct->{sid}), $ends, $id);
    return $id;
}

# A challenge of session/begin or passkey/begin.
sub challenge {
    my ($what, $who) = @_;

    my $r = portal($t, $who, 'POST', "$what/begin.json");
    return $r->{status} == 200 ? json($r)->{data}{challenge} : 'A' x 43;
}

# A passkey of a user, in the store alone.
sub some_passkey {
    my ($who) = @_;

    my $user = $who // $who{owner};
    my $id = sprintf 'PK%032x', ++$n;
    redis($t->{redis}, 'HSET', redis_key('keys', $user->{acct}{sid},
        $user->{id}), $id, record_pack('passkey', version => 1, id => $id,
        credential => 'c', algorithm => -7, key => 'k', counter => 0,
        name => 'n', made => 1, used => 0, rp => 'r'));
    return $id;
}
my $passkey = passkey_new();
{
    my $user = sign_in($t, role => 'viewer');
    my $begun = json(portal($t, $user, 'POST', 'passkey/begin.json'))->{data};
    $passkey->{user} = $begun->{user};
    portal($t, $user, 'POST', 'passkey/add.json', fields => { name => 'n',
        passkey_made($passkey, $begun->{challenge}) });
}
my %passkey = (role => 'viewer', self => 1, none => sid_of('PK'),
    made => sub { some_passkey($_[1]) }, foreign => sub { some_passkey($who{admin}) });

# Both accounts have a bill, and a payment source that is in the store alone.
bill_of($t, $_, gateway => \'stripe') for @$t{qw(acct other)};
sub some_source { return source_of($t, $_[2] // $t->{acct}) }

# A payment of the account has failed, and no request for another attempt was
# made.
sub unpaid {
    some_source();
    bill_of($t, $t->{acct}, gateway => \'stripe', open =>
        \payment_of($t, $t->{acct}, 1, state => \'failed'));
    redis($t->{redis}, 'DEL', redis_key('terms', $t->{acct}{sid}));
    return '';
}

my %call = (
    'session/start' => { role => 'nobody', fields => sub {
        { link => add_user($t)->{link} } } },
    'session/link' => { role => 'nobody' },
    'session/end' => { role => 'viewer', self => 1, as => sub {
        sign_in($t, role => $_[0], $_[1] ? (acct => $operators) : ()) } },
    'me' => { role => 'viewer', home => 1 },
    'service' => { role => 'viewer', home => 1 },
    'changes' => { role => 'viewer' },
    'users' => { role => 'owner', self => 1 },
    'user/add' => { role => 'owner', self => 1, recent => 1 },
    map({ $_ => { role => 'owner', self => 1, recent => 1,
            none => sid_of('US'), made => sub {
                add_user($t, $_[0] ? (acct => $operators) : ())->{id} },
            foreign => sub { add_user($t, acct => $t->{other})->{id} } } }
        'user/link', 'user/role', 'user/delete'),
    'webhooks' => { role => 'viewer' },
    'webhook' => { %hook, role => 'viewer' },
    'webhook/add' => { role => 'admin', recent => 1 },
    'webhook/update' => { %hook, recent => 1 },
    'webhook/rotate' => { %hook, recent => 1 },
    'webhook/enable' => { %hook },
    'webhook/disable' => { %hook },
    'webhook/delete' => { %hook, made => sub { hook_of($t->{acct}) } },
    'webhook/test' => { %hook },
    'webhook/log' => { %hook, role => 'viewer' },
    'webhook/dead' => { %hook, role => 'viewer' },
    'webhook/replay' => { %hook },
    'host/lists' => { role => 'viewer', made => \&some_host,
        none => sid_of('HT'), foreign => \&foreign_host },
    'host/history' => { role => 'viewer', made => \&some_host,
        none => sid_of('HT'), foreign => \&foreign_host },
    'host/alerts' => { role => 'viewer', made => \&some_host,
        none => sid_of('HT'), foreign => \&foreign_host },
    map({ $_ => { role => 'viewer', query => 'net=192.0.2.0/24' } }
        'range/cells', 'range/history'),
    'host/mark' => { role => 'admin', made => \&some_host,
        none => sid_of('HT'), foreign => \&foreign_host },
    'apps' => { role => 'viewer' },
    'apps/usage' => { role => 'viewer' },
    'app' => { role => 'viewer', app_id() },
    'app/add' => { role => 'admin', recent => 1 },
    'app/rotate' => { role => 'admin', recent => 1, app_id() },
    'app/revoke' => { role => 'admin', app_id(\&new_app) },
    'app/allow' => { role => 'admin', recent => 1, app_id(), fields => sub {
        { allow => [] } } },
    'app/limit' => { role => 'admin', recent => 1, app_id() },
    'app/stats' => { role => 'viewer', app_id() },
    'app/errors' => { role => 'viewer', app_id() },
    'token/revoke' => { role => 'admin', app_id(\&new_app), fields => sub {
        { token => substr $new // 'a' x 16, 0, 8 } } },
    'hosts/read' => { role => 'admin' },
    'hosts/find' => { role => 'viewer' },
    'hosts/ids' => { role => 'viewer' },
    'hosts/bulk' => { role => 'admin', fields => sub {
        { hosts => some_host(), action => 'resume' } } },
    'hosts/strips' => { role => 'viewer' },
    'counts' => { role => 'viewer' },
    'trend' => { role => 'viewer' },
    'lists/state' => { role => 'viewer' },
    'lists/mine' => { role => 'viewer' },
    'list/trend' => { role => 'viewer', made => \&some_list,
        none => sid_of('RB'), foreign => \&foreign_list },
    'list' => { role => 'viewer', made => \&some_list, none => sid_of('RB'),
        foreign => \&foreign_list },
    'audit' => { role => 'admin' },
    'portal' => { role => 'nobody', bare => 1 },
    'contacts/alerts' => { role => 'viewer' },
    'contact/types' => { role => 'viewer' },
    'contact/log' => { %contact, role => 'viewer' },
    'contact/test' => { %contact, made => sub { some_contact($t->{acct}) } },
    'contact/alerts' => { %contact, role => 'viewer' },
    'contact/alert' => { %contact },
    'profiles' => { role => 'viewer' },
    'profile' => { %profile, role => 'viewer' },
    'profile/add' => { role => 'admin' },
    'profile/update' => { %profile },
    'mutes' => { role => 'viewer' },
    'mute/add' => { role => 'admin' },
    'mute/end' => { role => 'admin', none => sid_of('MU'),
        made => sub { some_mute($t->{acct}) }, foreign => sub {
            some_mute($t->{other}) } },
    'session/begin' => { role => 'nobody' },
    'session/passkey' => { role => 'nobody', fields => sub {
        +{ passkey_signed($passkey, challenge('session')) } } },
    'passkeys' => { role => 'viewer', self => 1 },
    'passkey/begin' => { role => 'viewer', self => 1, recent => 1 },
    'passkey/add' => { role => 'viewer', self => 1, recent => 1, fields => sub {
        { name => 'n', passkey_made(passkey_new(),
            challenge('passkey', $_[0])) } } },
    'passkey/rename' => { %passkey },
    'passkey/delete' => { %passkey, recent => 1 },
    'account' => { role => 'viewer' },
    'account/update' => { role => 'owner' },
    'audit' => { role => 'admin', home => 1 },
    map({ $_ => { role => 'owner' } } 'billing', 'billing/payments',
        'billing/ledger', 'billing/ledger.csv', 'billing/payments.csv'),
    'billing/topup' => { role => 'owner', recent => 1, fields => sub {
        some_source();
        bill_of($t, $t->{acct}, gateway => \'stripe', period => \'check');
        redis($t->{redis}, 'DEL', redis_key('terms', $t->{acct}{sid}));
        example('billing/topup') } },
    'billing/update' => { role => 'owner', recent => 1 },
    'billing/source/add' => { role => 'owner', recent => 1 },
    'billing/retry' => { role => 'owner', recent => 1, made => \&unpaid },
    'billing/source/remove' => { role => 'owner', recent => 1,
        none => sid_of('PS'), made => \&some_source, foreign => sub {
            some_source(undef, undef, $t->{other}) } },
    'operator/status' => { role => 'viewer', operator => 1 },
    'operator/health' => { role => 'viewer', operator => 1 },
    'operator/receivers' => { role => 'viewer', operator => 1 },
    'operator/accounts' => { role => 'viewer', operator => 1 },
    'operator/payments' => { role => 'viewer', operator => 1 },
    'operator/lists' => { role => 'viewer', operator => 1 },
    'operator/requests' => { role => 'viewer', operator => 1 },
    map({ my $call = $_; $call => { role => 'owner', operator => 1,
            recent => 1, fields => sub { my $fields = example($call);
            $_ .= ++$n for grep { defined } @$fields{qw(name plan)};
            $fields } } }
        'operator/account/add', 'operator/account/plan', 'operator/owner/add'),
    map({ $_ => { role => 'admin', operator => 1, none => sid_of('RB'),
            recent => !/enable/, made => \&some_list } }
        'operator/list/enable', 'operator/list/disable',
        'operator/list/override', 'operator/list/kill',
        'operator/list/unkill'),
    'operator/list/thaw' => { role => 'admin', operator => 1,
        none => sid_of('RB'), made => sub { my $id = some_list();
            redis($t->{redis}, 'HSET', redis_key('list', $id), frozen => 1);
            $id } },
);

sub judged {
    my ($d, $r, $name) = @_;

    my $v = judge($judge, { at => $d->{at}, method => lc $d->{method},
        format => $d->{at} =~ /\.csv$/ && $r->{status} == 200 ? 'csv'
            : 'json' }, $r);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is(join("\n", @{ $v->{bad} }), '', "$d->{method} $d->{at}: $name")
        or diag(substr $r->{raw} // 'no answer', 0, 2000);
    return;
}

my @described = described($out);
my @names = map { s{^\Q$out\E|/\{id\}|\.json$}{}gr } map { $_->{at} }
    @described;
is(join(' ', sort @names), join(' ', sort keys %call),
    'each described call is tested');
my @table = map { s{^\Q$out\E|/\{id\}|\.json$}{}gr } map { $_->{at} }
    routes($out);
is(join(' ', sort @table), join(' ', sort @names),
    'each call of the table is described');

for my $d (@described) {
    my $name = $d->{at} =~ s{^\Q$out\E|/\{id\}|\.json$}{}gr;
    my $call = $call{$name};
    my $make = sub {
        my ($who, %opt) = @_;

        my $id = $opt{id} // ($call->{made} ? $call->{made}->($opt{home}, $who)
            : '');
        my $path = $d->{at} =~ s{^\Q$out\E}{}r =~ s/\{id\}/$id/r;
        my $query = join '&', $call->{query} // (),
            $opt{account} ? "account=$opt{account}" : ();
        $path .= "?$query" if $query ne '';
        my $method = $opt{method} // $d->{method};
        my %fields = $d->{method} eq 'POST' && !exists $opt{body}
            ? (fields => $opt{fields}
                // ($call->{fields} ? $call->{fields}->($who)
                    : example($name))) : ();
        return portal({ %$t, nginx => $opt{nginx} // $t->{nginx} }, $who,
            $method, $path, %fields, map { $_ => $opt{$_} }
            grep { exists $opt{$_} } qw(site type body headers));
    };
    my $says = sub {
        my ($status, $text, $who, %opt) = @_;

        my $r = $make->($who, %opt);
        is($r->{status}, $status, "$d->{method} $name: $text")
            or diag($r->{raw});
        judged($d, $r, $text);
        return $r;
    };

    my $open = $call->{role} eq 'nobody';
    for my $role (sort keys %rank) {
        my $may = $open || $rank{$role} >= $rank{ $call->{role} };
        my $who = $call->{as} ? $call->{as}->($role) : $who{$role};
        $says->($may && !$call->{operator} ? 200 : 403,
            "by a user who is $role", $who);
        next if $open;

        my $operator = sub { $call->{as} ? $call->{as}->($role, 1)
            : $operator{$role} };
        $says->($may && ($call->{operator} || $call->{self} || $call->{home})
            ? 200 : 403, "by an operator who is $role", $operator->(),
            home => 1);
        my $there = $rank{$role} >= $rank{ $call->{role} }
            && $call->{role} ne 'owner';
        $says->($there && !$call->{operator} && !$call->{self} ? 200 : 403,
            "by an operator who is $role, in an account", $operator->(),
            account => $t->{acct}{sid});
    }
    $says->($open ? 200 : 401, 'without a session', undef);
    $says->($call->{recent} ? 401 : 200, 'not soon after the sign-in',
        $call->{operator} ? $late_operator : $late) if !$open && !$call->{as};
    my $who = $call->{operator} ? $operator{owner} : $who{owner};
    $says->(405, 'another method', $who, method => 'PUT');
    $says->($call->{bare} ? 200 : 503, 'without a store', $who,
        nginx => $down);
    if ($d->{method} eq 'POST') {
        $says->(403, 'from another site', $who, site => 'cross-site');
        $says->(415, 'not as JSON', $who, type => 'text/plain');
        $says->(413, 'too much', $who, body => 'x' x 65_537,
            type => 'application/json');
        $says->(400, 'not an object', $who, body => '[1]',
            type => 'application/json');
        $says->(400, 'without its fields', $who, fields => {})
            if @{ $d->{required} };
    } elsif ($d->{codes}{304}) {
        my $r = $make->($who);
        ok($r->{headers}{etag}, "$name: has an ETag");
        # An answer may tell for how many seconds a host has been listed.
        for (1 .. 5) {
            my $etag = $r->{headers}{etag} // '';
            $r = $make->($who, headers => ["If-None-Match: $etag"]);
            last if ($r->{headers}{etag} // '') eq $etag;
        }
        is($r->{status}, 304, "$d->{method} $name: unchanged");
        judged($d, $r, 'unchanged');
    }
    if ($d->{id}) {
        for my $id ($call->{none}, "$call->{none}0", 'x', '%20', '%01',
            $call->{foreign} ? $call->{foreign}->() : ())
        {
            $says->(404, "the id $id", $who, id => $id);
        }
    }
}

# --- the calls of the API, by role ------------------------------------------

for my $route (grep { $_->{formats}{json} } routes()) {
    my $path = $route->{path};
    my $at = $path . ($path =~ m{/$} ? sid_of('HT') : '') . '.json';
    my ($viewer, $admin) = map { portal($t, $who{$_}, $route->{method}, $at) }
        qw(viewer admin);
    my $get = $route->{method} eq 'GET';
    is($viewer->{status} == 403 ? 0 : 1, $get ? 1 : 0,
        "$route->{method} $path: a viewer " . ($get ? 'may' : 'may not'));
    isnt($admin->{status}, 403, "$route->{method} $path: an admin may");
}

done_testing();
