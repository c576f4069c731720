package RblStripe;

# A stand-in of Stripe: a server on a private port that speaks API v1 as far as
# billing uses it, with test cards, Idempotency keys, faults, and a count of the
# charges, in the memory of a process of its own.  t/bill/stripe.t holds it to
# the official client.
#
#     my $stripe = start_stripe();              # {port, url, key}
#     stripe_fault($stripe, 'cut');             # the next payment is charged,
#                                               # and the answer is not sent
#     stripe_clock($stripe, 86_400);            # a day passes
#     is_deeply(stripe_state($stripe)->{doubled}, []);
#
# Payments are counted by metadata[account] with metadata[period], or
# metadata[payment] if there is none.

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use JSON::XS ();

use RblTest::Http;
use RblTest::Process;

our @EXPORT = qw(start_stripe stripe_state stripe_fault stripe_clock
    stripe_complete stripe_card stripe_event);

my $json = JSON::XS->new->utf8->canonical;

# The key is in a file, so that a test can look for it in the list of processes.
# start_stripe(key => the API key that it accepts: a live one makes the objects
# live; lag => seconds before search finds a payment; frozen => 1: only
# stripe_clock moves its clock; pages => the site that its pages seem to be of).
sub start_stripe {
    my (%opt) = @_;

    my $key = $opt{key} //= 'sk_test_standin';
    my ($port, $d) = (free_port(), own_dir('stripe'));
    my $lib = abs_path(dirname(__FILE__));
    write_file("$d/options", $json->encode(\%opt), 0600);
    my $s = spawn('stripe', { dir => $d }, $^X, "-I$lib",
        '-MRblStripe::Server', '-e', 'RblStripe::Server::run(@ARGV)', $port,
        "$d/options");
    @$s{qw(port url key)} = ($port, "http://127.0.0.1:$port", $key);
    return started($s, sub {
        http($s, 'GET', '/_test/state')->{status} == 200 });
}

sub control {
    my ($s, $name, %what) = @_;

    my $r = http($s, 'POST', "/_test/$name", body => $json->encode(\%what),
        type => 'application/json');
    die "stripe $name: $r->{body}" if $r->{status} != 200;
    return json($r);
}

# {charges, by_key, by_period, doubled, refunds, keys, orders, requests, log,
# pending, now}.  doubled: each "ACCOUNT PERIOD" that was charged repeatedly.
# log: the last 1000 requests, {id, method, path, key, params, status, replayed,
# fault, version}.
sub stripe_state { return control($_[0], 'state') }

# stripe_fault($s, KIND, options): one request that matches gets the fault, or
# `times` of them, after `after` others.  `match` is a pattern of "METHOD PATH";
# without it the creation of a payment is meant.
#
# Before the call; the answer is not stored for the key:
#   refuse        the connection is closed
#   rate_limit    429
#   unavailable   503
# In the call:
#   error_before  500, nothing is done
#   error_after   500, all is done
#   late          "processing"; the payment ends after `seconds` of the clock of
#                 the stand-in, as its card does, or as the card `behaves` does
# After it, or after a replay; the stored answer stays good:
#   delay         for `seconds`; the key is in use meanwhile
#   cut, half     nothing, or half of the answer, is sent
#   page          HTML with 200, or `status`, `type`, `body`
#   change        members of the answer are those of `set`
sub stripe_fault {
    my ($s, $kind, %opt) = @_;

    return control($s, 'fault', fault => $kind, %opt);
}

# Moves the clock of the stand-in, which starts at the time of day.
sub stripe_clock { return control($_[0], 'clock', add => $_[1]) }

# The customer enters a card on the page of a session.  behaves: the card it
# becomes afterwards.
sub stripe_complete {
    my ($s, $session, $card, %opt) = @_;

    return control($s, 'complete', session => $session, card => $card, %opt);
}

# Changes a payment method: behaves => test card, card => {exp_month, exp_year,
# last4}, as the network of the card does, with its event.
sub stripe_card {
    my ($s, $method, %opt) = @_;

    return control($s, 'card', payment_method => $method, %opt);
}

# An event that no call of the stand-in makes.
sub stripe_event {
    my ($s, $type, $object) = @_;

    return control($s, 'event', type => $type, object => $object);
}

1;
