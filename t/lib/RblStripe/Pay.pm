package RblStripe::Pay;

# Payments and refunds, and the count of charges that tests judge by.

use strict;
use warnings;

use Exporter 'import';
use JSON::XS ();

use RblStripe::Cards;
use RblStripe::World;

our @EXPORT = qw(payment_create payments_settle refund_create);

# Cents: docs.stripe.com/currencies#minimum-and-maximum-charge-amounts.
use constant { MIN_AMOUNT => 50, MAX_AMOUNT => 99_999_999 };

# docs.stripe.com/api/payment_intents/create
sub payment_create {
    my ($w, $form) = @_;

    my $p = params($form, 'amount:int!', 'currency:str!',
        map({ "$_:bool" } qw(confirm off_session error_on_requires_action)),
        map({ "$_:str" } qw(customer payment_method description return_url
        receipt_email setup_future_usage statement_descriptor_suffix)),
        'metadata:map', 'payment_method_types:list',
        'automatic_payment_methods:any');
    amount_good($p);
    for my $name (grep { $p->{$_} && !$p->{confirm} }
        qw(off_session error_on_requires_action))
    {
        fail(400, "The parameter `$name` can only be used with `confirm=true`.",
            param => $name);
    }
    given($w, customer => $p, 'customer');
    my $method = method_for($w, $p);
    my $o = add($w, 'pi', 'payment_intent', amount => $p->{amount},
        amount_capturable => 0, amount_received => 0, canceled_at => undef,
        cancellation_reason => undef, capture_method => 'automatic',
        confirmation_method => 'automatic', currency => $p->{currency},
        customer => $p->{customer}, description => $p->{description},
        last_payment_error => undef, latest_charge => undef,
        metadata => $p->{metadata} // {}, next_action => undef,
        payment_method => $method ? $method->{id} : undef,
        payment_method_types => $p->{payment_method_types} // ['card'],
        processing => undef, receipt_email => $p->{receipt_email},
        setup_future_usage => $p->{setup_future_usage}, statement_descriptor =>
        undef, status => $method ? 'requires_confirmation'
            : 'requires_payment_method');
    $o->{client_secret} = "$o->{id}_secret_standin";
    event($w, 'payment_intent.created', $o);
    confirm($w, $o, $method, $p) if $p->{confirm};
    return $o;
}

sub amount_good {
    my ($p) = @_;

    fail(400, "Invalid currency: $p->{currency}. Stripe currently supports "
        . 'these currencies: usd', param => 'currency')
        if lc $p->{currency} ne 'usd';
    $p->{currency} = 'usd';
    fail(400, 'Amount must be at least $0.50 usd', param => 'amount',
        code => 'amount_too_small') if $p->{amount} < MIN_AMOUNT;
    fail(400, 'Amount must be no more than $999,999.99', param => 'amount',
        code => 'amount_too_large') if $p->{amount} > MAX_AMOUNT;
}

# The payment method, which a customer must own.
sub method_for {
    my ($w, $p) = @_;

    return undef if !defined $p->{payment_method};
    my $method = method_made($w, $p->{payment_method})
        // given($w, payment_method => $p, 'payment_method');
    my $owner = $method->{customer};
    fail(400, 'The provided PaymentMethod cannot be used: the customer does '
        . "not have a payment method with the ID $method->{id}. The payment "
        . 'method must be attached to the customer.', stored => 1,
        code => 'resource_missing', param => 'payment_method')
        if defined $owner && $owner ne ($p->{customer} // '')
        || $w->{cards}{ $method->{id} }{detached};
    return $method;
}

# One attempt: docs.stripe.com/payments/paymentintents/lifecycle.
sub confirm {
    my ($w, $o, $method, $p) = @_;

    fail(400, "You cannot confirm this PaymentIntent because it's missing a "
        . 'payment method.', code => 'payment_intent_unexpected_state',
        payment_intent => copy($o), stored => 1) if !$method;
    my $attempt = { intent => $o, method => $method,
        key => $w->{request}{key} };
    if (wants_authentication($w, $method, $p->{off_session})) {
        return declined($w, $attempt, 'authentication_required',
            'authentication_required', undef, 'Your card was declined. This '
            . 'transaction requires authentication.') if $p->{off_session};
        return declined($w, $attempt, 'authentication_required',
            'authentication_not_handled', undef, 'This payment required an '
            . 'authentication action to complete, but '
            . '`error_on_requires_action` was set.')
            if $p->{error_on_requires_action};
        @$o{qw(status next_action)} = ('requires_action', { type =>
            'use_stripe_sdk', use_stripe_sdk => { type =>
            'three_d_secure_redirect' } });
        event($w, 'payment_intent.requires_action', $o);
        return;
    }
    my $decline = decline($w, $method);
    return declined($w, $attempt, @$decline) if $decline;
    if (my $late = $w->{ordered}->('late')) {
        $o->{status} = 'processing';
        push @{ $w->{pending} }, { %$attempt, behaves => $late->{behaves},
            at => now($w) + ($late->{seconds} // 60) };
        event($w, 'payment_intent.processing', $o);
        return;
    }
    succeeded($w, $attempt);
}

# Ends the payments that a test ordered to be late.
sub payments_settle {
    my ($w) = @_;

    my @pending = @{ $w->{pending} };
    $w->{pending} = [grep { $_->{at} > now($w) } @pending];
    for my $attempt (grep { $_->{at} <= now($w) } @pending) {
        behaves($w, $attempt->{method}, $attempt->{behaves})
            if defined $attempt->{behaves};
        my $decline = decline($w, $attempt->{method});
        if (!$decline) {
            succeeded($w, $attempt);
        } elsif (!eval { declined($w, $attempt, @$decline); 1 }) {
            die $@ if !ref $@;
        }
    }
}

sub charge {
    my ($w, $attempt, %more) = @_;

    my ($o, $card) = ($attempt->{intent}, $attempt->{method}{card});
    my $charge = add($w, 'ch', 'charge', amount_refunded => 0,
        balance_transaction => undef, payment_intent => $o->{id},
        payment_method => $attempt->{method}{id}, refunded => JSON::XS::false,
        payment_method_details => { type => 'card', card => copy($card) },
        failure_code => undef, failure_message => undef,
        map({ $_ => $o->{$_} } qw(amount currency customer description
        metadata)), %more);
    $o->{latest_charge} = $charge->{id};
    return $charge;
}

sub succeeded {
    my ($w, $attempt) = @_;

    my $o = $attempt->{intent};
    my $charge = charge($w, $attempt, status => 'succeeded',
        amount_captured => $o->{amount}, captured => JSON::XS::true,
        paid => JSON::XS::true);
    @$o{qw(status amount_received)} = ('succeeded', $o->{amount});
    my $m = $o->{metadata};
    push @{ $w->{charges} }, { charge => $charge->{id}, key =>
        $attempt->{key}, account => $m->{account} // '', what => $m->{period}
        // $m->{payment} // '', metadata => $m, created => now($w),
        map { $_ => $charge->{$_} } qw(amount currency customer
        payment_intent payment_method) };
    event($w, 'charge.succeeded', $charge);
    event($w, 'payment_intent.succeeded', $o);
}

# 402 with the PaymentIntent, which waits for another payment method.
sub declined {
    my ($w, $attempt, $code, $decline, $advice, $message, $param) = @_;

    my $o = $attempt->{intent};
    my $charge = charge($w, $attempt, status => 'failed', captured =>
        JSON::XS::false, amount_captured => 0, paid => JSON::XS::false,
        failure_code => $code, failure_message => $message);
    my %error = (type => 'card_error', code => $code, message => $message,
        decline_code => $decline, charge => $charge->{id},
        payment_method => copy($attempt->{method}),
        $advice ? (advice_code => $advice) : (),
        $param ? (param => $param) : ());
    @$o{qw(status payment_method last_payment_error)} =
        ('requires_payment_method', undef, { %error, doc_url =>
        'https://stripe.com/docs/error-codes/' . $code =~ tr/_/-/r });
    event($w, 'charge.failed', $charge);
    event($w, 'payment_intent.payment_failed', $o);
    fail(402, $message, %error, payment_intent => copy($o), stored => 1);
}


# --- refunds: docs.stripe.com/api/refunds/create ---------------------------

sub refund_create {
    my ($w, $form) = @_;

    my $p = params($form, 'amount:int', 'metadata:map',
        map { "$_:str" } qw(charge payment_intent reason));
    my $charge = refunded_charge($w, $p);
    my $left = $charge->{amount} - $charge->{amount_refunded};
    fail(400, "Charge $charge->{id} has already been refunded.", stored => 1,
        code => 'charge_already_refunded') if $left == 0;
    my $amount = $p->{amount} // $left;
    fail(400, 'Invalid positive integer', param => 'amount',
        code => 'parameter_invalid_integer') if $amount == 0;
    fail(400, sprintf('Refund amount ($%.2f) is greater than unrefunded amount '
        . 'on charge ($%.2f)', $amount / 100, $left / 100), param => 'amount',
        stored => 1) if $amount > $left;
    my $o = add($w, 're', 'refund', amount => $amount, status => 'succeeded',
        balance_transaction => undef, charge => $charge->{id},
        metadata => $p->{metadata} // {}, reason => $p->{reason},
        map { $_ => $charge->{$_} } qw(currency payment_intent));
    $charge->{amount_refunded} += $amount;
    $charge->{refunded} = JSON::XS::true if $amount == $left;
    push @{ $w->{refunds} }, { refund => $o->{id}, key => $w->{request}{key},
        map { $_ => $o->{$_} } qw(amount charge payment_intent metadata) };
    event($w, 'refund.created', $o);
    event($w, 'charge.refunded', $charge);
    return $o;
}

sub refunded_charge {
    my ($w, $p) = @_;

    fail(400, 'One of the following params should be provided for this '
        . 'request: payment_intent or charge.')
        if !defined $p->{charge} && !defined $p->{payment_intent};
    my $charge = given($w, charge => $p, 'charge');
    if (my $intent = given($w, payment_intent => $p, 'payment_intent')) {
        $charge //= $w->{objects}{ $intent->{latest_charge} // '' };
        fail(400, "This PaymentIntent ($intent->{id}) does not have a "
            . 'successful charge to refund.', stored => 1)
            if $intent->{status} ne 'succeeded';
    }
    fail(400, 'You cannot refund a charge that failed.', stored => 1)
        if $charge->{status} ne 'succeeded';
    return $charge;
}

1;
