package RblWrites;

# Every call that changes something of an account, with what it needs to succeed.
#
#     use RblWrites;                    # and RblPortal
#     my $calls = write_calls($t, $owner);
#     my $c = $calls->{'app/revoke'};
#     my $id = $c->{made} ? $c->{made}->() : '';
#     my $fields = $c->{fields} ? $c->{fields}->($id) : {};
#     my $r = write_call($row, $who, $id, $fields);
#
# A call has: made: returns the id; fields: of a call that succeeds; name: what
# its entry in the audit log calls the object; target: its SID, if it is not the
# id; who: the user; as: makes the user; open: needs no session; viewers: a
# viewer may make it.  The names are those of the table of calls, without aliases
# and the final slash: write_name.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use Exporter 'import';

use RblPasskey;
use RblPortal;

our @EXPORT = qw(write_calls write_call write_name secret secrets secrets_of
    made host profile group own confirmed hook new_app user);

my ($t, $owner);
my $n = 0;

sub made {
    my ($call, $fields) = @_;

    my $r = portal($t, $owner, 'POST', "$call.json", fields => $fields);
    die "$call: $r->{raw}" if $r->{status} != 200;
    return json($r)->{data};
}

# Secrets that were sent or answered, which must not be in the log.
my @secrets;
sub secrets { return @secrets }
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
        @{ redis($t->{redis}, 'XREVRANGE', redis_key('outbox',
            partition_of($t->{acct}{sid})), '+', '-') };
    return secret($code);
}

# --- what each call needs ------------------------------------------------------

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
# A challenge of a sign-in.
sub begun { return json(portal($t, undef, 'POST', 'session/begin.json'))
    ->{data} }
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
        my $begun = begun();
        return { passkey_signed($passkey, $begun->{challenge}) } },
        target => sub { $owner->{id} }, name => $user{name} },
    'passkey/add' => { fields => \&passkey, name => qr/^Key$/, viewers => 1 },
    'passkey/rename' => { %passkey, fields => sub { { name => 'New' } },
        name => qr/^New$/ },
    'passkey/delete' => { %passkey, name => qr/^Key$/ },
    'account/update' => { fields => sub { { interval => 7200 } },
        target => sub { $t->{acct}{sid} }, name => qr/^/ },
    'contact/test' => { %contact },
    'billing/update' => { fields => sub { { alert => '1.0' . ++$n % 10 } },
        target => sub { $t->{acct}{sid} }, name => qr/^Business$/ },
    'billing/source/add' => { target => sub { $t->{acct}{sid} }, name => qr/^Business$/ },
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

# The table; its objects are made by the user.
sub write_calls {
    ($t, $owner) = @_;

    bill_of($t, $t->{acct}, gateway => \'stripe');
    return \%write;
}

sub write_name {
    my ($row) = @_;

    return $row->{path} =~ s{/$}{}r =~ s/^monitoringprofile/rblprofile/r
        =~ s/^contactgroups/contactgroup/r;
}

# Makes a call of a row of the table of calls; by an application with $api.
sub write_call {
    my ($row, $who, $id, $fields, $api) = @_;

    my $path = $row->{path} . ($row->{path} =~ m{/$} ? $id : '') . '.json';
    return $api ? RblApi::call($t, 'POST', $path, form => $fields)
        : portal($t, $who, 'POST', $path, fields => $fields);
}

1;
