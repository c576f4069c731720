package RblStripe::World;

# The objects of the stand-in of Stripe, and the rules that its calls share:
# errors, parameters, expansion, lists, search.  A comment names the public page
# that a rule is from.

use strict;
use warnings;

use Exporter 'import';
use JSON::XS ();
use Time::HiRes qw(time);

our @EXPORT = qw(world now new_id add event copy fail params given found
    expanded listed searched form_decode);

my $json = JSON::XS->new->utf8->canonical;

use constant { DAY => 86_400, PAGE => 10, MAX_PAGE => 100, DEPTH => 4 };

# Names in messages and the parameter of the path, by type of object.
my %NAMED = (
    customer => ['customer', 'id'],
    payment_intent => ['payment_intent', 'intent'],
    setup_intent => ['setupintent', 'intent'],
    payment_method => ['PaymentMethod', 'payment_method'],
    'checkout.session' => ['checkout.session', 'session'],
    event => ['event', 'id'],
    refund => ['refund', 'id'],
    charge => ['charge', 'id'],
);

# key: the API key that is accepted; lag: seconds before search finds a payment.
# faults: orders of the test; request: the one that is being answered.
sub world {
    my (%opt) = @_;

    return { key => 'sk_test_standin', lag => 60, ahead => 0, ids => 0,
        objects => {}, newest => {}, cards => {}, pending => [],
        charges => [], refunds => [], %opt,
        live => ($opt{key} // '') =~ /^sk_live_/ ? JSON::XS::true
            : JSON::XS::false };
}

# The clock of the stand-in, which a test can move; "frozen" it only moves so.
sub now {
    my ($w) = @_;

    $w->{from} //= time;
    return int(($w->{frozen} ? $w->{from} : time) + $w->{ahead});
}

sub copy { return $json->decode($json->encode($_[0])) }

sub new_id {
    my ($w, $prefix) = @_;

    return sprintf '%s_3T%022d', $prefix, ++$w->{ids};
}

sub add {
    my ($w, $id, $type, %fields) = @_;

    $id = new_id($w, $id) if $id !~ /_./;
    my $o = { id => $id, object => $type, created => now($w),
        livemode => $w->{live}, %fields };
    $w->{objects}{ $o->{id} } = $o;
    unshift @{ $w->{newest}{$type} }, $o;
    return $o;
}

# An event shows the object as it is now: docs.stripe.com/api/events/object.
sub event {
    my ($w, $type, $object) = @_;

    return add($w, 'evt', 'event', type => $type, pending_webhooks => 0,
        api_version => $w->{request}{version}, data => { object =>
            copy($object) }, request => { id => $w->{request}{id},
            idempotency_key => $w->{request}{key} });
}


# --- errors: docs.stripe.com/api/errors ------------------------------------

# Refuses the call.  stored: its execution has begun, so the answer is kept for
# the Idempotency-Key (docs.stripe.com/api/idempotent_requests).
sub fail {
    my ($status, $message, %more) = @_;

    my $stored = delete $more{stored};
    $more{doc_url} = 'https://stripe.com/docs/error-codes/'
        . $more{code} =~ tr/_/-/r if defined $more{code};
    die { status => $status, stored => $stored, error => {
        type => 'invalid_request_error', message => $message, %more } };
}


# --- parameters ------------------------------------------------------------

# The fields of a form as nested hashes: a[b]=c, a[0]=c, and a[]=c, whose
# elements get numbers.
sub form_decode {
    my ($text) = @_;

    my %form;
    for my $pair (split /&/, $text) {
        my ($name, $value) = map { unescape($_) } split /=/, $pair, 2;
        my ($first, $rest) = $name =~ /\A([^\[\]]+)((?:\[[^\[\]]*\])*)\z/
            or fail(400, "Invalid parameter name: $name");
        my $at = \$form{$first};
        for my $key ($rest =~ /\[([^\[\]]*)\]/g) {
            $$at //= {};
            fail(400, 'Invalid hash', param => $first) if ref $$at ne 'HASH';
            $at = \$$at->{ $key eq '' ? scalar keys %$$at : $key };
        }
        $$at = $value // '';
    }
    return \%form;
}

sub unescape {
    my ($s) = @_;

    $s =~ tr/+/ /;
    $s =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ge;
    utf8::decode($s) or fail(400, 'Invalid UTF-8');
    return $s;
}

my %TYPE = (
    any => sub { return $_[0] },
    str => sub {
        my ($v, $name) = @_;

        fail(400, 'Invalid string', param => $name) if ref $v;
        return $v;
    },
    int => sub {
        my ($v, $name) = @_;

        fail(400, 'Invalid integer: ' . (ref $v ? 'hash' : $v),
            code => 'parameter_invalid_integer', param => $name)
            if ref $v || $v !~ /\A[0-9]{1,15}\z/;
        return $v + 0;
    },
    bool => sub {
        my ($v, $name) = @_;

        fail(400, 'Invalid boolean', param => $name)
            if ref $v || $v !~ /\A(?:true|false)\z/;
        return $v eq 'true' ? JSON::XS::true : JSON::XS::false;
    },
    list => sub {
        my ($v, $name) = @_;

        fail(400, 'Invalid array', param => $name)
            if ref $v ne 'HASH' || grep { !/\A[0-9]+\z/ } keys %$v;
        return [map { $v->{$_} } sort { $a <=> $b } keys %$v];
    },
    # docs.stripe.com/api/metadata: 50 keys of 40 characters, values of 500
    map => sub {
        my ($v, $name) = @_;

        fail(400, 'Invalid hash', param => $name) if ref $v ne 'HASH';
        for my $key (keys %$v) {
            fail(400, 'Metadata is too long', param => "${name}[$key]")
                if keys %$v > 50 || length $key > 40
                || ref $v->{$key} || length $v->{$key} > 500;
        }
        return $v;
    },
);

# Checks a form against names like "amount:int!", "!": required; returns the
# values.  A parameter that Stripe does not know is an error, as a typing error
# of a client should be.
sub params {
    my ($form, @known) = @_;

    my %known = map { /^(\w+):(\w+)(!?)$/ ? ($1 => [$2, $3]) : die $_ }
        @known, 'expand:list';
    for my $name (sort keys %$form) {
        fail(400, "Received unknown parameter: $name",
            code => 'parameter_unknown', param => $name) if !$known{$name};
    }
    my %p;
    for my $name (sort keys %known) {
        my ($type, $required) = @{ $known{$name} };
        fail(400, "Missing required param: $name.",
            code => 'parameter_missing', param => $name)
            if $required && !exists $form->{$name};
        next if !exists $form->{$name};
        fail(400, "You passed an empty string for '$name'.",
            code => 'parameter_invalid_empty', param => $name)
            if $required && $form->{$name} eq '';
        $p{$name} = $TYPE{$type}->($form->{$name}, $name)
            if ref $form->{$name} || $form->{$name} ne '';
    }
    return \%p;
}

# The object of a parameter; undef if it is not given.
sub given {
    my ($w, $type, $p, $name) = @_;

    return undef if !defined $p->{$name};
    my $o = $w->{objects}{ $p->{$name} };
    fail(400, "No such $NAMED{$type}[0]: '$p->{$name}'", stored => 1,
        code => 'resource_missing', param => $name)
        if !$o || $o->{object} ne $type;
    return $o;
}

# The object of a path.
sub found {
    my ($w, $type, $id) = @_;

    my $o = $w->{objects}{$id};
    my ($name, $param) = @{ $NAMED{$type} };
    fail(404, "No such $name: '$id'", code => 'resource_missing',
        param => $param) if !$o || $o->{object} ne $type;
    return $o;
}


# --- expansion, lists, search ----------------------------------------------

# A copy with objects in place of ids: docs.stripe.com/expand.
sub expanded {
    my ($w, $object, @paths) = @_;

    my $o = copy($object);
    for my $path (@paths) {
        my @names = split /\./, $path;
        fail(400, "You cannot expand more than ${\DEPTH} levels: $path",
            param => 'expand') if @names > DEPTH;
        expand($w, $o, $path, @names);
    }
    return $o;
}

sub expand {
    my ($w, $o, $path, $name, @rest) = @_;

    return if !defined $name;
    if (ref $o eq 'HASH' && ref $o->{$name} eq 'ARRAY') {
        expand($w, $_, $path, @rest) for @{ $o->{$name} };
        return;
    }
    fail(400, "This property cannot be expanded ($path).", param => 'expand')
        if ref $o ne 'HASH' || !exists $o->{$name};
    my $v = $o->{$name} // return;
    if (!ref $v) {
        fail(400, "This property cannot be expanded ($path).",
            param => 'expand') if $name eq 'id' || !$w->{objects}{$v};
        $o->{$name} = copy($w->{objects}{$v});
    }
    expand($w, $o->{$name}, $path, @rest);
}

# docs.stripe.com/api/pagination: newest first, 10 objects, at most 100.  A
# filter is the name of a parameter and field, or a function.
sub listed {
    my ($w, $type, $url, $p, @filters) = @_;

    my @all = grep { in_range($_->{created}, $p->{created}) }
        @{ $w->{newest}{$type} // [] };
    for my $f (@filters) {
        @all = grep { ref $f ? $f->($_)
            : !defined $p->{$f} || ($_->{$f} // '') eq $p->{$f} } @all;
    }
    my $limit = page_size($p);
    my $more = 0;
    my $before = defined $p->{ending_before};
    if (my $cursor = $p->{ending_before} // $p->{starting_after}) {
        my ($at) = grep { $all[$_]{id} eq $cursor } 0 .. $#all;
        fail(400, "No such $NAMED{$type}[0]: '$cursor'",
            code => 'resource_missing',
            param => $before ? 'ending_before' : 'starting_after')
            if !defined $at;
        @all = $before ? @all[0 .. $at - 1] : @all[$at + 1 .. $#all];
    }
    if (@all > $limit) {
        $more = 1;
        @all = $before ? @all[-$limit .. -1] : @all[0 .. $limit - 1];
    }
    return { object => 'list', url => $url, data => \@all,
        has_more => $more ? JSON::XS::true : JSON::XS::false };
}

sub page_size {
    my ($p) = @_;

    my $limit = $p->{limit} // PAGE;
    fail(400, "Limit must be between 1 and ${\MAX_PAGE}.", param => 'limit',
        code => 'parameter_invalid_integer')
        if $limit < 1 || $limit > MAX_PAGE;
    return $limit;
}

my %COMPARE = (
    gt => sub { $_[0] > $_[1] }, '>' => sub { $_[0] > $_[1] },
    gte => sub { $_[0] >= $_[1] }, '>=' => sub { $_[0] >= $_[1] },
    lt => sub { $_[0] < $_[1] }, '<' => sub { $_[0] < $_[1] },
    lte => sub { $_[0] <= $_[1] }, '<=' => sub { $_[0] <= $_[1] },
);

sub in_range {
    my ($t, $range) = @_;

    return 1 if !defined $range;
    return $t == $TYPE{int}->($range, 'created') if !ref $range;
    for my $op (keys %$range) {
        my $compare = $COMPARE{ $op =~ /^[gl]te?$/ ? $op : '' }
            or fail(400, "Received unknown parameter: created[$op]",
                code => 'parameter_unknown', param => "created[$op]");
        return 0 if !$compare->($t, $TYPE{int}->($range->{$op}, 'created'));
    }
    return 1;
}

# docs.stripe.com/search: clauses with AND or OR, not both.  A payment is found
# only some time after it was made, so search is no proof of its absence.
sub searched {
    my ($w, $type, $url, $p) = @_;

    my @parts = split /\s+(AND|OR)\s+/i, $p->{query};
    my %joins = map { uc $parts[$_] => 1 } grep { $_ % 2 } 0 .. $#parts;
    fail(400, 'You cannot mix AND and OR in a query.', param => 'query')
        if keys %joins > 1;
    my @clauses = map { clause($_) } @parts[grep { !($_ % 2) } 0 .. $#parts];
    my @all;
    for my $o (@{ $w->{newest}{$type} // [] }) {
        next if $o->{created} > now($w) - $w->{lag};
        my $true = grep { $_->($o) } @clauses;
        push @all, $o if $joins{OR} ? $true : $true == @clauses;
    }
    my ($at) = ($p->{page} // 'page_0') =~ /\Apage_(\d+)\z/
        or fail(400, 'Invalid page', param => 'page');
    my $limit = page_size($p);
    my $next = $at + $limit;
    my $more = $next < @all;
    return { object => 'search_result', url => $url,
        has_more => $more ? JSON::XS::true : JSON::XS::false,
        next_page => $more ? "page_$next" : undef,
        data => [grep { defined } @all[$at .. $next - 1]] };
}

# A function that says if an object satisfies a clause.
sub clause {
    my ($text) = @_;

    my ($not, $field, $key, $op, $value) = $text =~ /\A\s*(-?)
        (\w+)(?:\[(["'].*?["'])\])?(:|~|>=|<=|>|<)(".*"|'.*'|[0-9]+)\s*\z/x
        or fail(400, "We were unable to parse your search query: $text",
            param => 'query');
    fail(400, "Field `$field` is an unsupported search field.",
        param => 'query')
        if $field !~ /\A(?:amount|created|currency|customer|metadata|status)\z/
        || defined $key != ($field eq 'metadata');
    my $compare = $COMPARE{$op};
    fail(400, "Operator `$op` is not supported on `$field`.", param => 'query')
        if $compare && $field !~ /\A(?:amount|created)\z/;
    s/\A(["'])(.*)\1\z/$2/s for grep { defined } $key, $value;
    return sub {
        my $v = $_[0]{$field};
        $v = $v->{$key} if defined $key;
        my $true = defined $v && ($compare ? $compare->($v, $value)
            : $op eq '~' ? index($v, $value) >= 0 : $v eq $value);
        return $not ? !$true : $true;
    };
}

1;
