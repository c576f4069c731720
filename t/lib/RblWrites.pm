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

use RblExamples;
use RblJudge;
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

sub host { return made('host/add', example('host/add'))->[0]{id} }
sub profile { return made('rblprofile/add', example('rblprofile/add'))->{id} }
sub group { return made('contactgroup/add', example('contactgroup/add'))->{id} }
sub own { return made('rbl/add', example('rbl/add'))->{id} }
sub contact { return made('contact/add', { type => 'slack',
    contact => secret('https://hooks.slack.com/services/T1/B1/canary' . ++$n),
    schedule => 'every_check' })->{id} }
sub confirmed {
    my $co = contact();
    made("contact/confirm/$co", { authcode => code_of($co) });
    return $co;
}
# The fields of a call, with a secret in the URL.
sub hook_fields {
    return { %{ example($_[0]) },
        url => secret('https://hook.example/?key=canary' . ++$n) };
}
sub hook { return made('webhook/add', hook_fields('webhook/add'))->{id} }
my $token;
sub new_app {
    my $v = made('app/add', example('app/add'));
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
my %passkey = (made => \&added, viewers => 1, name => qr/^Key$/);
my %host = (made => \&host, name => qr/^198\.18\.\d+\.\d+$/);
my %profile = (made => \&profile, name => qr/^strict$/);
my %group = (made => \&group, name => qr/^ops$/);
my %own = (made => \&own, name => qr/^dnsbl\d+\.example\.net$/);
my %contact = (made => \&confirmed, name => qr/^slack$/);
my %hook = (made => \&hook, name => qr/^chat$/);
my %app = (made => \&new_app, name => qr/^monitor$/);
my %user = (made => \&user, name => qr/^user\d+\@example\.(?:test|net)$/);
my %of = (host => \%host, rblprofile => \%profile, profile => \%profile,
    rbl => \%own,
    contact => \%contact, contactgroup => \%group, webhook => \%hook,
    app => \%app, user => \%user, passkey => \%passkey, mute => {
        made => sub { made('mute/add', example('mute/add'))->{id} },
        name => qr/^ticket 4711$/ });

# A call adds an object, or changes one that was made before; its fields are the
# example of conf/openapi.json.
sub plain_call {
    my ($name) = @_;

    my ($family, $does) = split m{/}, $name;
    return if !$of{$family};
    my %row = (%{ $of{$family} }, fields => sub { example($name) });
    delete $row{made} if $does eq 'add';
    return \%row;
}

# A payment has failed, and no request for another attempt was made.
sub unpaid {
    source_of($t, $t->{acct});
    bill_of($t, $t->{acct}, gateway => \'stripe', open =>
        \payment_of($t, $t->{acct}, 1, state => \'failed'));
    redis($t->{redis}, 'DEL', redis_key('terms', $t->{acct}{sid}));
    return '';
}

# A host with a listing, at the list of the example.
sub listed_host {
    my $id = host();
    list_host($t, $id);
    return $id;
}

# Calls that need something else.
my ($link, $signed, $bulk);
my %write = (
    'host/mark' => { %host, made => \&listed_host, fields => sub {
        example('host/mark') } },
    'hosts/bulk' => { fields => sub { $bulk = host();
        { hosts => $bulk, action => 'pause' } }, target => sub { $bulk },
        name => $host{name} },
    'contact/add' => { fields => sub { example('contact/add') },
        name => qr/^ops\d+\@example\.net$/ },
    'contact/resend' => { %contact, made => \&contact },
    'contact/confirm' => { %contact, made => \&contact, fields => sub {
        { authcode => code_of($_[0]) } } },
    'session/start' => { open => 1, fields => sub {
        $link = add_user($t, role => 'viewer');
        { link => secret($link->{link}) } }, target => sub { $link->{id} },
        who => sub { $link }, name => $user{name} },
    'session/passkey' => { open => 1, fields => sub {
        added();
        my $begun = begun();
        return { passkey_signed($passkey, $begun->{challenge}) } },
        target => sub { $owner->{id} }, name => $user{name} },
    'session/end' => { as => sub { $signed = sign_in($t, role => 'viewer') },
        target => sub { $signed->{id} }, who => sub { $signed },
        name => $user{name}, viewers => 1 },
    'passkey/add' => { fields => \&passkey, name => qr/^Key$/, viewers => 1 },
    'account/update' => { fields => sub { example('account/update') },
        target => sub { $t->{acct}{sid} }, name => qr/^/ },
    'billing/update' => { fields => sub { { alert => '1.0' . ++$n % 10 } },
        target => sub { $t->{acct}{sid} }, name => qr/^Business$/ },
    'billing/retry' => { made => \&unpaid, target => sub { $t->{acct}{sid} },
        name => qr/^Business$/ },
    'billing/topup' => { target => sub { $t->{acct}{sid} },
        name => qr/^Business$/, fields => sub {
        bill_of($t, $t->{acct}, gateway => \'stripe', period => \'check');
        source_of($t, $t->{acct});
        redis($t->{redis}, 'DEL', redis_key('terms', $t->{acct}{sid}));
        return { %{ example('billing/topup') },
            idempotency_key => 'k' x 20 . ++$n } } },
    'billing/source/add' => { target => sub { $t->{acct}{sid} },
        name => qr/^Business$/ },
    'billing/source/remove' => { made => sub { source_of($t, $t->{acct}) },
        name => qr/^4242$/ },
    'webhook/add' => { fields => sub { hook_fields('webhook/add') },
        name => $hook{name} },
    'webhook/update' => { %hook,
        fields => sub { hook_fields('webhook/update') } },
    'token/revoke' => { %app, fields => sub {
        { token => substr $token, 0, 8 } } },
);

# The table; its objects are made by the user.
sub write_calls {
    ($t, $owner) = @_;

    bill_of($t, $t->{acct}, gateway => \'stripe');
    for my $name (map { write_name($_) } grep { $_->{method} eq 'POST' }
        routes(), routes('/portal/1/'))
    {
        $write{$name} //= plain_call($name) // next;
    }
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
