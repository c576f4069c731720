package RblBill;

# An account that pays by Stripe's stand-in: store, daemon, receiver of events.

use strict;
use warnings;

use Exporter 'import';
use JSON::XS ();
use POSIX ();
use Time::HiRes qw(time);

use RblStripe;
use RblTest;

our @EXPORT = qw(DAY bill_world bill_start bill_plan bill payment setup source
    ledger passes due_now hurry next_period posts event events_of members rfc
    add_card add_contact notices books_agree ctl);

use constant { DAY => 86_400_000 };

my $PLANS = <<'JSON';
{ "version": 1, "plans": [
{ "name": "Business", "paid": 1, "max_hosts": 1000, "max_contacts": 100,
  "max_checks": 5000, "interval": "15m", "price": "25.00", "period": "month" },
{ "name": "Large", "paid": 1, "max_hosts": 5000, "max_contacts": 100,
  "max_checks": 5000, "interval": "15m", "price": "100.00", "period": "month" },
{ "name": "By the check", "paid": 1, "max_hosts": 0, "max_contacts": 0,
  "max_checks": 0, "interval": "1h", "check_price": "0.002" }
] }
JSON

# bill_world(redis => options of start_redis, conf => more keys, stripe =>
# options of start_stripe, of => {redis, acct} that are there):
# {redis, stripe, checkd, conf, ac, to, hook, file}
sub bill_world {
    my (%opt) = @_;

    my $t = $opt{of} // {};
    if (!$t->{redis}) {
        $t->{redis} = start_redis(appendonly => 1, %{ $opt{redis} // {} });
        init_store($t->{redis});
        $t->{acct} = make_account($t->{redis});
    }
    $t->{ac} = $t->{acct}{sid};
    $t->{stripe} = start_stripe(%{ $opt{stripe} // {} });
    my $dir = own_dir('bill');
    $t->{file} = "$dir/plans.json";
    write_file($t->{file}, $PLANS);
    write_file("$dir/key", "$t->{stripe}{key}\n", 0600);
    $t->{conf} = { gateway => 'stripe', gateway_key_file => "$dir/key",
        gateway_url => $t->{stripe}{url}, gateway_timeout => '1s',
        deliver_http => 'on', deliver_allow => '127.0.0.0/8',
        schedule => 'off', log_level => 'debug', %{ $opt{conf} // {} } };
    $t->{ctl} = "$dir/rblctl.conf";
    write_file($t->{ctl}, join '', map { "$_ $t->{conf}{$_}\n" }
        grep { /^gateway/ } sort keys %{ $t->{conf} });
    $t->{to} = start_receiver();
    $t->{hook} = ctl($t, 'webhook', 'add', $t->{ac}, 'Bills', $t->{to}{url});
    bill_start($t);
    return $t;
}

sub bill_start {
    my ($t) = @_;

    return $t->{checkd} = start_checkd(store => $t->{redis},
        conf => $t->{conf});
}

sub ctl {
    my ($t, @words) = @_;

    my $r = rblctl($t->{redis}, '-c', $t->{ctl}, @words, '--json');
    die "rblctl @words: $r->{err}" if $r->{status};
    return json($r->{out});
}

sub bill_key { return redis_key(@_) }

sub bill_plan {
    my ($t, $name, @more) = @_;
    return ctl($t, 'bill', 'plan', $t->{ac}, $name, '--file', $t->{file},
        @more);
}

sub bill_record {
    my ($t, $entity, @key) = @_;

    my $raw = redis($t->{redis}, 'GET', redis_key(@key));
    return defined $raw ? record($entity, $raw) : undef;
}

sub bill { return bill_record($_[0], 'bill', 'bill', $_[0]{ac}) }
sub setup { return bill_record($_[0], 'setup', 'setup', $_[0]{ac}) }
sub payment {
    my ($t, $py) = @_;
    return bill_record($t, 'payment', 'pay', $t->{ac}, $py);
}
sub source {
    my ($t, $ps) = @_;
    return bill_record($t, 'source', 'source', $t->{ac}, $ps);
}

sub ledger {
    my ($t) = @_;
    return map { +{ @{ $_->[1] } } } @{ redis($t->{redis}, 'XRANGE',
        redis_key('ledger', $t->{ac}), '-', '+') };
}

# Strings are given by reference, so that they are packed as such.
sub bill_pack {
    my ($entity, $r) = @_;

    my %packed = map { $_ => $r->{$_} =~ /\A-?\d+\z/ && !/last4|method/
        ? $r->{$_} : \"$r->{$_}" } grep { defined $r->{$_} } keys %$r;
    return record_pack($entity, %packed);
}

sub bill_put {
    my ($t, $entity, $r, @key) = @_;

    redis($t->{redis}, 'SET', redis_key(@key), bill_pack($entity, $r));
}

# Changes a record by the code, which gets it; again if the daemon has changed it
# meanwhile.  Code that returns false changes nothing.
sub bill_change {
    my ($t, $entity, $key, $change) = @_;

    my $name = redis_key(@$key);
    for (1 .. 100) {
        my $raw = redis($t->{redis}, 'GET', $name);
        my $r = defined $raw ? record($entity, $raw) : return;
        $change->($r) or return;
        return if redis($t->{redis}, 'EVAL', <<'LUA', 1, $name, $raw,
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
    return 0
end
redis.call('SET', KEYS[1], ARGV[2])
return 1
LUA
            bill_pack($entity, $r));
    }
    die "$name changes all the time\n";
}

# The daemon looks at the account at once; at its bill, its payment, or both.
sub due_now {
    my ($t, @clocks) = @_;

    redis($t->{redis}, 'ZADD', redis_key($_, $t->{ac}) =~ s/:AC.*//r, 0,
        $t->{ac}) for @clocks ? @clocks : qw(billdue paydue);
}

# As if that time (ms) had passed for the bill and its payments.  The ledger names
# periods that were given up, so those of a plan by the check stay.
sub passes {
    my ($t, $ms) = @_;

    my ($open, $period) = @{ bill($t) }{qw(open period)};
    my $earlier = sub {
        my ($r, @fields) = @_;
        $r->{$_} -= $ms for grep { $r->{$_} } @fields;
        return 1;
    };
    for my $py (@{ redis($t->{redis}, 'ZRANGE', redis_key('payments',
        $t->{ac}), 0, -1) })
    {
        bill_change($t, 'payment', ['pay', $t->{ac}, $py], sub {
            $earlier->($_[0], $py eq $open ? qw(created begins ends sent next)
                : $period eq 'check' ? () : qw(begins ends)) });
    }
    bill_change($t, 'bill', ['bill', $t->{ac}], sub {
        my ($b) = @_;
        if ($b->{change}) {
            my $c = record('change', $b->{change});
            $earlier->($c, 'at');
            $b->{change} = bill_pack('change', $c);
        }
        $earlier->($b, qw(begins ends)) });
    due_now($t, 'billdue');
}

# The open payment is asked for at once.
sub hurry {
    my ($t) = @_;

    my $py = bill($t)->{open};
    return if $py eq '';
    bill_change($t, 'payment', ['pay', $t->{ac}, $py], sub {
        $_[0]{next} &&= 1 });
    due_now($t);
}

# Goes to seven days before the end of the period; returns the payment that is
# opened then.
sub next_period {
    my ($t) = @_;

    my $n = redis($t->{redis}, 'ZCARD', redis_key('payments', $t->{ac}));
    passes($t, bill($t)->{ends} - int(time * 1000) - 7 * DAY + 1000);
    wait_for { redis($t->{redis}, 'ZCARD', redis_key('payments', $t->{ac}))
        > $n } 20, 'a payment is opened';
    return redis($t->{redis}, 'ZRANGE', redis_key('payments', $t->{ac}), -1,
        -1)->[0];
}

# The requests that were to charge for a payment.
sub posts {
    my ($t, $py) = @_;
    return grep { $_->{method} eq 'POST' && ($_->{key} // '') =~ /^$py-/ }
        @{ stripe_state($t->{stripe})->{log} };
}

sub event {
    my ($t, $n, $name) = @_;

    wait_for { received($t->{to}) >= $n } 20, $name;
    my $e = (received($t->{to}))[$n - 1];
    ok(signature_ok($e, $t->{hook}{secret}), "$name is signed");
    return $e;
}

# The names of a body's members, in their order; a time as events have it.
sub members { return join ' ', $_[0]{body} =~ /"(\w+)":/g }
sub rfc {
    return POSIX::strftime('%Y-%m-%dT%H:%M:%S+00:00', gmtime $_[0] / 1000);
}

sub events_of {
    my ($t, $type) = @_;
    return grep { $_->{json}{event_type} eq $type } received($t->{to});
}

# Adds a card as a customer does; returns its SID.
sub add_card {
    my ($t, $card, %opt) = @_;

    my $n = redis($t->{redis}, 'ZCARD', redis_key('sources', $t->{ac}));
    ctl($t, 'bill', 'source', 'add', $t->{ac}, '--back',
        'https://portal.example/billing');
    wait_for { (setup($t)->{url} // '') ne '' } 20, 'the page';
    stripe_complete($t->{stripe}, setup($t)->{session}, $card, %opt);
    redis($t->{redis}, 'ZADD', redis_key('paydue', $t->{ac}) =~ s/:AC.*//r, 0,
        $t->{ac});
    wait_for { setup($t)->{state} eq 'done' } 20, 'the card';
    return redis($t->{redis}, 'ZRANGE', redis_key('sources', $t->{ac}), -1,
        -1)->[0];
}

# A contact of the account, whose messages go to a receiver of its own.
sub add_contact {
    my ($t) = @_;

    $t->{contact} = start_receiver();
    my $co = 'CO' . substr $t->{ac}, 2;
    my $group = bill_record($t, 'chosen', 'chosen', $t->{ac})->{group};
    redis($t->{redis}, 'SET', redis_key('r', $t->{ac}, $co), record_pack(
        'contact', version => 1, id => $co, type => 'endpoint', value =>
        \$t->{contact}{url}, schedule => 'start_and_end', status =>
        'active', groups => [$group], created => 1, digest => '', until => 0,
        tries => 0, sent => 0));
    redis($t->{redis}, 'ZADD', redis_key($_, $t->{ac}), 1, $co)
        for qw(contacts hears);
    redis($t->{redis}, 'ZADD', redis_key('hears', $t->{ac}, $group), 1, $co);
    redis($t->{redis}, 'HINCRBY', redis_key('refs', $t->{ac}), $_, 1)
        for "$group:c", 'c';
    redis($t->{redis}, 'INCR', redis_key('seq', $t->{ac}));
}

# The messages that the contact got.
sub notices {
    my ($t) = @_;
    return map { $_->{json} } received($t->{contact});
}

# Charges at the gateway, entries of the ledger, and events of success.
sub books_agree {
    my ($t, $name) = @_;

    $name //= 'the books';
    my $s = stripe_state($t->{stripe});
    my %of = (
        charged => [map { "$_->{metadata}{payment} $_->{amount}" }
            @{ $s->{charges} }],
        ledger => [map { "$_->{r} " . $_->{a} / 10_000 } ledger($t)],
    );
    my %told;                           # those of a kill come twice
    wait_for {
        $told{ $_->{json}{event_sid} } = $_->{json}{payment}
            for events_of($t, 'billing.renewal.success');
        keys %told >= @{ $of{charged} };
    } 20, "$name: events";
    $of{told} = [map { "$_->{id} " . $_->{amount} * 100 } values %told];
    $_ = [sort @$_] for values %of;
    is_deeply($of{ledger}, $of{charged}, "$name: the ledger has each charge");
    is_deeply($of{told}, $of{charged}, 'and each was told');
    is_deeply($s->{doubled}, [], 'none was charged twice');
    is(rblctl($t->{redis}, 'fsck')->{status}, 0, 'fsck finds nothing')
        or diag(rblctl($t->{redis}, 'fsck')->{out});
}

1;
