package RblStripe::Control;

# Control calls of a test, below /_test/, and the hosted page of Checkout.

use strict;
use warnings;

use Exporter 'import';
use JSON::XS ();

use RblStripe::Calls;
use RblStripe::Cards;
use RblStripe::Pay;
use RblStripe::World;

our @EXPORT = qw(control checkout);

my $json = JSON::XS->new->utf8->canonical;

my %CONTROL = (
    state => \&seen,
    fault => sub {
        my ($self, $p) = @_;
        my %known = map { $_ => 1 } qw(refuse rate_limit unavailable
            error_before error_after late delay cut half change page);
        die "no fault $p->{fault}\n" if !$known{ $p->{fault} };
        push @{ $self->{orders} }, { times => 1, after => 0,
            match => '^POST /v1/payment_intents$', %$p };
        return {};
    },
    clock => sub {
        my ($self, $p) = @_;
        $self->{w}{ahead} += $p->{add};
        payments_settle($self->{w});
        return { now => now($self->{w}) };
    },
    complete => sub {
        my ($self, $p) = @_;
        my $w = $self->{w};
        my $o = session_complete($w, $p->{session}, $p->{card});
        my $intent = $w->{objects}{ $o->{setup_intent} };
        behaves($w, $w->{objects}{ $intent->{payment_method} }, $p->{behaves})
            if defined $p->{behaves} && defined $intent->{payment_method};
        return { session => $o, setup_intent => $intent };
    },
    card => sub {
        my ($self, $p) = @_;
        my $w = $self->{w};
        my $o = found($w, payment_method => $p->{payment_method});
        behaves($w, $o, $p->{behaves}) if defined $p->{behaves};
        if ($p->{card}) {
            $o->{card} = { %{ $o->{card} }, %{ $p->{card} } };
            event($w, 'payment_method.automatically_updated', $o);
        }
        return $o;
    },
    event => sub {
        my ($self, $p) = @_;
        return event($self->{w}, $p->{type}, $p->{object});
    },
);

sub control {
    my ($self, $name, $r) = @_;

    my $call = $CONTROL{$name};
    $self->{w}{request} = {};
    payments_settle($self->{w});
    my $text = $call && eval { $json->encode($call->($self,
        length $r->{body} ? $json->decode($r->{body}) : {})) };
    return { status => 200, body => $text } if defined $text;
    my $why = !$call ? "no control call $name"
        : ref $@ ? $@->{error}{message} : $@;
    return { status => 400, body => $json->encode({ error => $why }) };
}

# doubled: what was charged more than once, by key, and by the account and
# period, or payment, of the metadata.
sub seen {
    my ($self) = @_;

    my $w = $self->{w};
    my (%key, %what);
    for my $c (@{ $w->{charges} }) {
        $key{ $c->{key} // '' }++;
        $what{"$c->{account} $c->{what}"}++;
    }
    delete $what{' '};
    return { now => now($w), charges => $w->{charges}, by_key => \%key,
        refunds => $w->{refunds}, by_period => \%what,
        doubled => [sort grep { $what{$_} > 1 } keys %what],
        orders => $self->{orders}, requests => $self->{requests},
        keys => scalar keys %{ $self->{keys} }, log => $self->{log},
        pending => scalar @{ $w->{pending} } };
}

# The hosted page: ?card=NAME completes the session and sends the browser to its
# success_url.
sub checkout {
    my ($self, $id, $r) = @_;

    my $w = $self->{w};
    $w->{request} = {};
    my $o = eval { session_get($w, {}, $id) };
    return { status => 404, type => 'text/html', body => 'No such page' }
        if !$o || $o->{status} ne 'open';
    my ($card) = $r->{query} =~ /\bcard=(\w+)/;
    my $done = eval { defined $card && session_complete($w, $id, $card) };
    return { status => 303, body => '', headers => { Location =>
        $o->{success_url} =~ s/\{CHECKOUT_SESSION_ID\}/$id/gr } }
        if $done && $o->{status} eq 'complete';
    my $back = $o->{cancel_url} // '';
    $back =~ s/([&<>"])/sprintf '&#%d;', ord $1/ge;
    return { status => 200, type => 'text/html', body => '<!DOCTYPE html>'
        . '<html lang="en"><title>Checkout</title><h1>Card</h1>'
        . join '', qq(<p><a href="$back">Back</a></p>),
            map { qq(<p><a href="?card=$_">$_</a></p>) }
                qw(pm_card_visa pm_card_visa_chargeDeclined) };
}

1;
