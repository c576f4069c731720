package RblPortal;

# Base of the portal's tests: users, sessions and calls below /portal/1/.
#
#     use RblPortal;                    # brings RblApi too
#     my $t = portal_setup();
#     my $owner = sign_in($t, role => 'owner');
#     accepted(portal($t, $owner, 'GET', 'me.json'), 'me');

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use Exporter 'import';
use JSON::XS ();

use RblApi;

our @EXPORT = (@RblApi::EXPORT, qw(portal_setup add_user operators use_link
    sign_in sign_in_ago portal cookie_of bill_of lapse
    source_of payment_of movement_of));

my $json = JSON::XS->new->utf8->canonical;
my ($users, $sources) = (0, 0);

# As api_setup; with a URL, for links by mail.
sub portal_setup {
    my (%opt) = @_;

    return api_setup(portal => 'rbl_portal_url http://localhost/portal/;',
        %opt);
}

# Adds a user with rblctl: {id, mail, role, link, acct}; link is what a browser
# sends.
sub add_user {
    my ($t, %opt) = @_;

    my $acct = $opt{acct} // $t->{acct};
    my $mail = $opt{mail} // 'user' . ++$users . '@example.test';
    my $r = rblctl($t->{redis}, '--json', 'user', 'add', $acct->{sid}, $mail,
        '--role', $opt{role} // 'owner');
    die "user add: $r->{err}" if $r->{status} != 0;
    my $user = json($r->{out});
    return { %$user, acct => $acct, link => $user->{link} =~ s{^#/link/}{}r };
}

# The account of the operators, for add_user and sign_in, once it has been made.
sub operators {
    my ($t) = @_;

    my $r = rblctl($t->{redis}, 'operator', 'add', 'first@operators.test');
    die "operator add: $r->{err}" if $r->{status} != 0;
    return { sid => 'AC' . '0' x 32 };
}

sub use_link {
    my ($t, $link, %opt) = @_;

    return portal($t, undef, 'POST', 'session/start.json',
        fields => { link => $link }, %opt);
}

# "name=value" of the cookie that an answer sets.
sub cookie_of {
    my ($r) = @_;

    my ($cookie) = ($r->{headers}{'set-cookie'} // '') =~ /^([^;]+)/;
    return $cookie;
}

# A user with a session: {cookie, ...}.
sub sign_in {
    my ($t, %opt) = @_;

    my $user = $opt{user} // add_user($t, %opt);
    my $r = use_link($t, $user->{link});
    die "session/start: $r->{raw}" if $r->{status} != 200;
    return { %$user, cookie => cookie_of($r) };
}

# Moves the sign-in of a user into the past.
sub sign_in_ago {
    my ($t, $who, $ms) = @_;

    my ($secret) = $who->{cookie} =~ /\.(.*)/;
    my $key = redis_key('session', $who->{acct}{sid},
        substr sha256_hex($secret), 0, 16);
    my $s = record('session', redis($t->{redis}, 'GET', $key));
    redis($t->{redis}, 'SET', $key, record_pack('session', %$s,
        user => \$s->{user}, role => \$s->{role}, made => $s->{made} - $ms),
        'KEEPTTL');
    forget($t, $who->{acct}{sid});
    return $key;
}

# A call as the portal's page makes it.  Options: fields (of a POST), site
# (Sec-Fetch-Site; undef: none), and those of http.
sub portal {
    my ($t, $who, $method, $path, %opt) = @_;

    my $site = exists $opt{site} ? delete $opt{site} : 'same-origin';
    my $fields = delete $opt{fields};
    my @headers = @{ delete $opt{headers} // [] };
    push @headers, "Cookie: $who->{cookie}" if $who;
    push @headers, "Sec-Fetch-Site: $site" if defined $site;
    if ($method eq 'POST' && !exists $opt{body}) {
        $opt{body} = $json->encode($fields // {});
        $opt{type} = 'application/json' if !exists $opt{type};
    }
    return http($t->{nginx}, $method, "/portal/1/$path",
        headers => \@headers, host => $t->{site}, %opt);
}

# Gives an account a bill, in the store alone.  %of: fields of the record, texts
# as \'...'.
sub bill_of {
    my ($t, $acct, %of) = @_;

    my $now = time * 1000;
    redis($t->{redis}, 'SET', redis_key('bill', $acct->{sid}),
        record_pack('bill', version => 1, account => \$acct->{sid},
            gateway => \'manual', plan => \'Business', price => 29_000_000,
            period => \'month', anchor => 1, begins => $now - 86_400_000,
            ends => $now + 29 * 86_400_000, state => \'active', open => \'',
            told => 0, stops => $now + 36 * 86_400_000, %of));
    return;
}

# The plan of an account has expired, in the store alone.
sub lapse {
    my ($t, $acct) = @_;

    my $now = time * 1000;
    bill_of($t, $acct, state => \'lapsed', begins => $now - 50 * 86_400_000,
        ends => $now - 20 * 86_400_000, stops => $now - 13 * 86_400_000);
    my $key = redis_key('acct', $acct->{sid});
    my $a = mp_unpack(redis($t->{redis}, 'GET', $key));
    $a->[11] //= 0;
    $a->[12] //= 0;
    @$a[13 .. 15] = ($now, 0, 0);
    redis($t->{redis}, 'SET', $key, mp_pack($a));
    forget($t, $acct->{sid});
}

# A payment source of an account, likewise; returns its id.
sub source_of {
    my ($t, $acct, %of) = @_;

    my $id = $of{id} // sprintf 'PS%032x', ++$sources;
    redis($t->{redis}, 'SET', redis_key('source', $acct->{sid}, $id),
        record_pack('source', version => 1, id => \$id, type => \'card',
            brand => \'visa', last4 => \'4242', month => 12, year => 2030,
            method => \'pm_secret_canary', live => 0, told => 0,
            created => time * 1000, asked => 0, %of));
    redis($t->{redis}, 'ZADD', redis_key('sources', $acct->{sid}),
        time * 1000 + $sources, $id);
    return $id;
}

# A payment of an account, likewise, made so many ms ago; returns its id.
sub payment_of {
    my ($t, $acct, $n, %of) = @_;

    my $id = sprintf 'PY%032x', $n;
    my $now = $^T * 1000;         # all of a program at one time
    redis($t->{redis}, 'SET', redis_key('pay', $acct->{sid}, $id),
        record_pack('payment', version => 1, id => \$id, kind => \'renewal',
            key => \"rn:$n", amount => 29_000_000, state => \'succeeded',
            attempt => 0, reference => \"pi_$n", reason => \'',
            created => $now - $n, done => $now, begins => $now,
            ends => $now + 86_400_000, source => \'',
            method => \'pm_secret_canary', customer => \'cus_secret_canary',
            text => \'', url => \'', sent => 0, tried => 0, next => 0,
            late => 0, refunded => 0, plan => \'Business', gateway => \'stripe', %of));
    redis($t->{redis}, 'ZADD', redis_key('payments', $acct->{sid}), $now - $n,
        $id);
    return $id;
}

# A movement in the ledger of an account, likewise.
sub movement_of {
    my ($t, $acct, $id, %of) = @_;

    redis($t->{redis}, 'XADD', redis_key('ledger', $acct->{sid}), $id,
        k => $of{k} // "key$id", d => $of{d} // 'cash',
        c => $of{c} // 'credit', a => $of{a} // 29_000_000,
        r => $of{r} // '', x => $of{x} // '', b => $of{b} // 0);
    return;
}

1;
