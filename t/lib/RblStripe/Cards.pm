package RblStripe::Cards;

# Test cards, customers, payment methods, and Checkout in setup mode.

use strict;
use warnings;

use Exporter 'import';
use JSON::XS ();

use RblStripe::World;

our @EXPORT = qw(customer_create method_get method_attach method_detach
    method_made session_create session_get session_complete session_url
    behaves decline wants_authentication);

use constant { DAY => 86_400 };

# Why a card is declined: code, decline_code, advice_code, message, param.  The
# names and codes are from docs.stripe.com/testing, the texts from
# docs.stripe.com/error-codes, the advice from the test mode itself.
my %DECLINES = (
    chargeDeclined => [qw(card_declined generic_decline try_again_later),
        'Your card was declined.'],
    chargeDeclinedInsufficientFunds => [qw(card_declined insufficient_funds
        try_again_later), 'Your card has insufficient funds.'],
    chargeDeclinedLostCard => [qw(card_declined lost_card do_not_try_again),
        'Your card was declined.'],
    chargeDeclinedStolenCard => [qw(card_declined stolen_card
        do_not_try_again), 'Your card was declined.'],
    chargeDeclinedExpiredCard => [qw(expired_card expired_card
        confirm_card_data), 'Your card has expired.', 'exp_month'],
    chargeDeclinedIncorrectCvc => [qw(incorrect_cvc incorrect_cvc
        confirm_card_data), "Your card's security code is incorrect.", 'cvc'],
    chargeDeclinedProcessingError => [qw(processing_error processing_error
        try_again_later), 'An error occurred while processing your card. '
        . 'Try again in a little bit.'],
    chargeDeclinedVelocityLimitExceeded => ['card_declined',
        'card_velocity_exceeded', undef, 'Your card was declined for making '
        . 'repeated attempts too frequently or exceeding its amount limit.'],
    chargeDeclinedFraudulent => ['card_declined', 'fraudulent', undef,
        'Your card was declined.'],
    radarBlock => ['card_declined', 'fraudulent', undef,
        'Your card was declined.'],
);
$DECLINES{chargeCustomerFail} = $DECLINES{chargeDeclined};

my %BRANDS = (visa => '4242', mastercard => '4444', amex => '8431',
    discover => '1117');

# With 3D Secure; "once": not after it was set up for use off session.
my %AUTHENTICATES = (authenticationRequired => 'always',
    authenticationRequiredOnSetup => 'once',
    authenticationRequiredSetupForOffSession => 'off_session_never',
    authenticationRequiredChargeDeclinedInsufficientFunds => 'once');

# pm_card_visa_chargeDeclined and pm_card_chargeDeclined are the same card.
sub behaviour {
    my ($name) = @_;

    my ($rest) = $name =~ /\Apm_card_(\w+)\z/ or return undef;
    $rest =~ s/^visa_//;
    return $DECLINES{$rest} || $BRANDS{$rest} || $AUTHENTICATES{$rest}
        ? $rest : undef;
}

# Lets a payment method behave as another test card from now on, as a card may
# that has run out of funds.
sub behaves {
    my ($w, $method, $name) = @_;

    $w->{cards}{ $method->{id} }{behaves} = behaviour($name)
        // fail(400, "No such card: $name");
}

# Why a payment with it is declined; undef: it is not.
sub decline {
    my ($w, $method) = @_;

    my $name = $w->{cards}{ $method->{id} }{behaves};
    return $DECLINES{$name} if !$AUTHENTICATES{$name};
    return $name =~ /(ChargeDeclined.*)/ ? $DECLINES{ lcfirst $1 } : undef;
}

# docs.stripe.com/testing#authentication-and-setup
sub wants_authentication {
    my ($w, $method, $off_session) = @_;

    my $card = $w->{cards}{ $method->{id} };
    my $when = $AUTHENTICATES{ $card->{behaves} } // return 0;
    return 1 if $when eq 'always' || !$off_session;
    return $when eq 'once' && !$card->{set_up};
}

# A payment method of a test card: each use of its name makes another one.
sub method_made {
    my ($w, $name) = @_;

    my $rest = behaviour($name) // return undef;
    my $brand = $BRANDS{$rest} ? $rest : 'visa';
    my $year = (gmtime now($w))[5] + 1902;
    my $o = add($w, 'pm', 'payment_method', type => 'card', customer => undef,
        metadata => {}, billing_details => { name => undef, email => undef },
        card => { brand => $brand, last4 => $BRANDS{$brand}, exp_month => 12,
            exp_year => $year, funding => 'credit', country => 'US',
            fingerprint => sprintf 'Xt%014d', length $name });
    $w->{cards}{ $o->{id} } = { behaves => $rest };
    return $o;
}

sub method_get {
    my ($w, $p, $id) = @_;

    return method_made($w, $id) // found($w, payment_method => $id);
}

# The cards that are declined cannot be attached, but for the one of that name:
# docs.stripe.com/testing#declined-payments.
sub method_attach {
    my ($w, $form, $id) = @_;

    my $p = params($form, 'customer:str!');
    my $customer = given($w, customer => $p, 'customer');
    my $method = method_get($w, $form, $id);
    fail(400, 'The payment method you provided has already been attached to a '
        . 'customer.', stored => 1) if defined $method->{customer};
    fail(400, 'This PaymentMethod was previously used without being attached '
        . 'to a Customer or was detached from a Customer, and may not be used '
        . 'again.', stored => 1) if $w->{cards}{ $method->{id} }{detached};
    my $name = $w->{cards}{ $method->{id} }{behaves};
    if ($DECLINES{$name} && $name ne 'chargeCustomerFail') {
        my ($code, $decline, $advice, $message, $param) = @{ $DECLINES{$name} };
        fail(402, $message, type => 'card_error', stored => 1, code => $code,
            decline_code => $decline, payment_method => copy($method),
            $advice ? (advice_code => $advice) : (),
            $param ? (param => $param) : ());
    }
    $method->{customer} = $customer->{id};
    event($w, 'payment_method.attached', $method);
    return $method;
}

sub method_detach {
    my ($w, $form, $id) = @_;

    params($form);
    my $method = found($w, payment_method => $id);
    fail(400, 'The payment method you provided is not attached to a customer '
        . 'so detachment is impossible.', stored => 1)
        if !defined $method->{customer};
    $method->{customer} = undef;
    $w->{cards}{$id}{detached} = 1;
    event($w, 'payment_method.detached', $method);
    return $method;
}

sub customer_create {
    my ($w, $form) = @_;

    my $p = params($form, map({ "$_:str" } qw(description email name phone)),
        'metadata:map');
    my $o = add($w, 'cus', 'customer', balance => 0, currency => undef,
        default_source => undef, delinquent => JSON::XS::false,
        invoice_settings => { default_payment_method => undef },
        metadata => $p->{metadata} // {},
        map { $_ => $p->{$_} } qw(description email name phone));
    event($w, 'customer.created', $o);
    return $o;
}


# --- Checkout: docs.stripe.com/api/checkout/sessions -----------------------

# The page is of the stand-in, with a fragment as long as Stripe's.
sub session_url {
    my ($w, $id) = @_;

    return ($w->{pages} // "http://127.0.0.1:$w->{port}") . "/c/pay/$id#"
        . 'fidkdWxOYHwn' x 20;
}

sub session_create {
    my ($w, $form) = @_;

    my $p = params($form, 'mode:str!', 'success_url:str!', 'metadata:map',
        map({ "$_:str" } qw(cancel_url client_reference_id currency customer
        customer_creation customer_email locale ui_mode)), 'expires_at:int',
        'payment_method_types:list', 'setup_intent_data:any');
    fail(400, "The stand-in has no mode '$p->{mode}'.", param => 'mode')
        if $p->{mode} ne 'setup';
    fail(400, 'You must provide either currency or payment_method_types.',
        code => 'parameter_missing', param => 'currency')
        if !defined $p->{currency} && !$p->{payment_method_types};
    my $customer = given($w, customer => $p, 'customer');
    my $more = params($p->{setup_intent_data} // {}, 'metadata:map',
        'description:str', 'on_behalf_of:str');
    my $types = $p->{payment_method_types} // ['card'];
    my $intent = add($w, 'seti', 'setup_intent', usage => 'off_session',
        customer => $p->{customer}, description => $more->{description},
        last_setup_error => undef, metadata => $more->{metadata} // {},
        next_action => undef, payment_method => undef,
        payment_method_types => $types, status => 'requires_payment_method');
    my $id = new_id($w, 'cs_test_a1');
    return add($w, $id . 'x' x (66 - length $id), 'checkout.session',
        amount_total => undef, currency => $p->{currency},
        expires_at => $p->{expires_at} // now($w) + DAY,
        metadata => $p->{metadata} // {}, mode => 'setup',
        payment_intent => undef, payment_method_types => $types,
        payment_status => 'no_payment_required', status => 'open',
        setup_intent => $intent->{id},
        url => session_url($w, $id . 'x' x (66 - length $id)),
        map { $_ => $p->{$_} } qw(cancel_url client_reference_id customer
        customer_creation customer_email locale success_url));
}

# The page of an expired or completed session is gone.
sub session_get {
    my ($w, $p, $id) = @_;

    my $o = found($w, 'checkout.session' => $id);
    if ($o->{status} eq 'open' && $o->{expires_at} <= now($w)) {
        @$o{qw(status url)} = ('expired', undef);
        event($w, 'checkout.session.expired', $o);
    }
    return $o;
}

# The customer enters a card on the page.  A card that is declined leaves the
# session open.
sub session_complete {
    my ($w, $id, $name) = @_;

    my $session = session_get($w, {}, $id);
    fail(400, "The session is $session->{status}.")
        if $session->{status} ne 'open';
    my $intent = $w->{objects}{ $session->{setup_intent} };
    my $customer = $session->{customer};
    if (!defined $customer && ($session->{customer_creation} // '') eq 'always')
    {
        $customer = customer_create($w, {})->{id};
    }
    my $method = method_made($w, $name) // fail(400, "No such card: $name");
    if (defined $customer && !eval { method_attach($w, { customer =>
        $customer }, $method->{id}) })
    {
        die $@ if !ref $@;
        $intent->{last_setup_error} = $@->{error};
        event($w, 'setup_intent.setup_failed', $intent);
        return $session;
    }
    $w->{cards}{ $method->{id} }{set_up} = 1;
    @$intent{qw(customer payment_method status)} = ($customer, $method->{id},
        'succeeded');
    @$session{qw(customer status url)} = ($customer, 'complete', undef);
    event($w, 'setup_intent.succeeded', $intent);
    event($w, 'checkout.session.completed', $session);
    return $session;
}

1;
