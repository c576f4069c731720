package RblStripe::Calls;

# The calls of the stand-in: their table, Idempotency keys, and the faults that
# a test orders.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use Exporter 'import';
use JSON::XS ();
use MIME::Base64 qw(decode_base64);

use RblStripe::Cards;
use RblStripe::Pay;
use RblStripe::World;

our @EXPORT = qw(decide ordered refusal spoil);

use constant { KEY_AGE => 86_400, KEY_LENGTH => 255, EVENT_AGE => 30 * 86_400 };

my $json = JSON::XS->new->utf8->canonical;

sub page { return (map({ "$_:str" } qw(starting_after ending_before)),
    'limit:int', 'created:any') }

# Calls: method, path, function of the world, form, and ids in the path.
my @CALLS = (
    [POST => 'customers', \&customer_create],
    [POST => 'checkout/sessions', \&session_create],
    [GET => 'checkout/sessions/(\w+)', got(\&session_get)],
    [GET => 'payment_methods/(\w+)', got(\&method_get)],
    [POST => 'payment_methods/(\w+)/attach', \&method_attach],
    [POST => 'payment_methods/(\w+)/detach', \&method_detach],
    [POST => 'payment_intents', \&payment_create],
    [POST => 'refunds', \&refund_create],
    [GET => 'payment_intents/search', sub {
        my ($w, $form) = @_;
        my $p = params($form, 'query:str!', 'limit:int', 'page:str');
        return searched($w, 'payment_intent', '/v1/payment_intents/search', $p);
    }],
    [GET => 'payment_intents', list_of('payment_intent', 'customer')],
    [GET => 'payment_methods', list_of('payment_method', 'customer', 'type')],
    [GET => 'refunds', list_of('refund', 'charge', 'payment_intent')],
    [GET => 'events', \&events],
    map { my ($path, $type) = @$_; [GET => "$path/(\\w+)", got(sub {
        return found($_[0], $type, $_[2]) })] } [customers => 'customer'],
        [setup_intents => 'setup_intent'], [charges => 'charge'],
        [payment_intents => 'payment_intent'], [events => 'event'],
        [refunds => 'refund'],
);

sub got {
    my ($call) = @_;

    return sub {
        my ($w, $form, $id) = @_;
        return $call->($w, params($form), $id);
    };
}

sub list_of {
    my ($type, @filters) = @_;

    return sub {
        my ($w, $form) = @_;
        my $p = params($form, page(), map { "$_:str" } @filters);
        return listed($w, $type, "/v1/${type}s", $p, @filters);
    };
}

# docs.stripe.com/api/events/list: 30 days, a type or types, with "*".
sub events {
    my ($w, $form) = @_;

    my $p = params($form, page(), 'type:str', 'types:list',
        'delivery_success:bool');
    my @types = map { quotemeta =~ s/\\\*/.*/gr }
        $p->{types} ? @{ $p->{types} } : $p->{type} // '*';
    my $types = join '|', @types;
    return listed($w, 'event', '/v1/events', $p, sub {
        my ($e) = @_;
        return $e->{created} > now($w) - EVENT_AGE
            && $e->{type} =~ /\A(?:$types)\z/;
    });
}


# --- calls and their keys --------------------------------------------------

# Authentication and rate limits come before the layer of the keys, so their
# answers are not stored: docs.stripe.com/error-low-level.
sub decide {
    my ($self, $r) = @_;

    authorized($self->{w}, $r->{headers}{authorization} // '');
    if (my $o = ordered($self, $r, qw(refuse rate_limit unavailable))) {
        return { status => 0, body => '', broken => 'cut', fault => 'refuse' }
            if $o->{fault} eq 'refuse';
        fail(429, 'Request rate limit exceeded.', code => 'rate_limit')
            if $o->{fault} eq 'rate_limit';
        fail(503, 'Stripe is unavailable.', type => 'api_error');
    }
    my ($call, @ids) = route($r);
    fail(400, 'Invalid request (check that your POST content type is '
        . 'application/x-www-form-urlencoded).') if length $r->{body}
        && ($r->{headers}{'content-type'} // '') !~
            m{\Aapplication/x-www-form-urlencoded\b};
    $r->{params} = form_decode($r->{method} eq 'POST' ? $r->{body}
        : $r->{query});
    return execute($self, $r, $call, @ids) if !defined $self->{w}{request}{key};
    return keyed($self, $r, $call, @ids);
}

# docs.stripe.com/api/authentication: bearer, or the user of basic.
sub authorized {
    my ($w, $text) = @_;

    my $key = $text =~ /\ABearer (\S+)\z/i ? $1
        : $text =~ /\ABasic (\S+)\z/i ? decode_base64($1) =~ s/:.*//sr : '';
    fail(401, 'You did not provide an API key. You need to provide your API '
        . 'key in the Authorization header, using Bearer auth.') if $key eq '';
    fail(401, 'Invalid API Key provided: ' . substr($key, 0, 8) . '****'
        . substr $key, -4) if $key ne $w->{key};
}

sub route {
    my ($r) = @_;

    for my $call (@CALLS) {
        my ($method, $path, $code) = @$call;
        next if $r->{method} ne $method;
        my @ids = $r->{path} =~ m{\A/v1/$path\z} or next;
        return ($code, $path =~ /\(/ ? @ids : ());
    }
    fail(404, "Unrecognized request URL ($r->{method}: $r->{path}).");
}

# docs.stripe.com/api/idempotent_requests
sub keyed {
    my ($self, $r, $call, @ids) = @_;

    my $w = $self->{w};
    my $key = $w->{request}{key};
    fail(400, 'Idempotency keys have at most ' . KEY_LENGTH . ' characters.')
        if $key eq '' || length $key > KEY_LENGTH;
    my $same = sha256_hex($json->encode([@$r{qw(method path params)}]));
    my $old = $self->{keys}{$key};
    delete $self->{keys}{$key}, $old = undef
        if $old && $old->{at} <= now($w) - KEY_AGE;
    if ($old) {
        fail(400, 'Keys for idempotent requests can only be used with the same '
            . 'parameters they were first used with. Try using a key other '
            . "than '$key' if you meant to execute a different request.",
            type => 'idempotency_error') if $old->{same} ne $same;
        return { %{ in_use($key) }, headers => { 'Stripe-Should-Retry' =>
            'true' } } if $old->{running};
        return { %{ $old->{answer} }, replayed => 1,
            fault => undef, headers => {
            %{ $old->{answer}{headers} // {} }, 'Idempotent-Replayed' => 'true',
            'Original-Request' => $old->{id} } };
    }
    my $a = execute($self, $r, $call, @ids);
    if ($a->{stored}) {
        $self->{keys}{$key} = { at => now($w), same => $same, running => 1,
            id => $w->{request}{id}, answer => { %$a } };
        $a->{headers}{'Original-Request'} = $w->{request}{id};
        $a->{entry} = $self->{keys}{$key};
    }
    return $a;
}

sub in_use {
    my ($key) = @_;

    return refusal({ status => 409, error => { type => 'idempotency_error',
        code => 'idempotency_key_in_use', message => 'There is currently '
        . 'another in-progress request using this Idempotent Key (that '
        . 'probably means you submitted twice, and the other request is still '
        . "going through): $key.", doc_url =>
        'https://stripe.com/docs/error-codes/idempotency-key-in-use' } });
}

# docs.stripe.com/error-low-level: a 500 says nothing about what was done, and
# another try with its key is of no use.
sub execute {
    my ($self, $r, $call, @ids) = @_;

    my $w = $self->{w};
    my $e500 = { status => 500, body => $json->encode({ error => {
        type => 'api_error', message => 'An unknown error occurred' } }),
        stored => 1, headers => { 'Stripe-Should-Retry' => 'false' } };
    return { %$e500, fault => 'error_before' }
        if ordered($self, $r, 'error_before');
    my $made;
    my $a = eval {
        my $expand = delete local $r->{params}{expand};
        my $paths = params({ defined $expand ? (expand => $expand) : () })
            ->{expand} // [];
        $made = $call->($w, $r->{params}, @ids);
        return { status => 200,
            body => $json->encode(expanded($w, $made, @$paths)) };
    } // refusal($@);
    $a->{stored} ||= defined $made;
    return { %$e500, fault => 'error_after' }
        if $a->{stored} && ordered($self, $r, 'error_after');
    return $a;
}

sub refusal {
    my ($e) = @_;

    die $e if !ref $e;
    return { status => $e->{status}, body => $json->encode({ error =>
        $e->{error} }), stored => $e->{stored} };
}


# --- faults that a test orders ---------------------------------------------

# The next order of these kinds that is due for a request.
sub ordered {
    my ($self, $r, @kinds) = @_;

    my $what = "$r->{method} $r->{path}";
    for my $o (@{ $self->{orders} }) {
        next if !grep({ $_ eq $o->{fault} } @kinds) || $what !~ /$o->{match}/;
        next if $o->{after}-- > 0;
        $self->{orders} = [grep { $_ != $o } @{ $self->{orders} }]
            if --$o->{times} <= 0;
        return $o;
    }
    return undef;
}

# Faults of the answer, also if it is a replay.  The stored answer stays good.
sub spoil {
    my ($self, $r, $a) = @_;

    my $delay = ordered($self, $r, 'delay');
    $a->{delay} = $delay->{seconds} // 1 if $delay;
    my $o = ordered($self, $r, qw(cut half change page)) or return;
    $a->{fault} = $o->{fault};
    if ($o->{fault} eq 'change') {
        $a->{body} = $json->encode({ %{ $json->decode($a->{body}) },
            %{ $o->{set} } });
    } elsif ($o->{fault} eq 'page') {
        @$a{qw(status type body)} = ($o->{status} // 200, $o->{type}
            // 'text/html', $o->{body} // '<html><body>Welcome</body></html>');
    } else {
        $a->{broken} = $o->{fault};
    }
}

1;
