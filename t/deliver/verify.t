#!/usr/bin/perl

# Third-party verifiers, npm stripe and npm standardwebhooks, accept the
# daemon's requests, by either secret while both are valid; they refuse altered
# or old requests, and those for another secret.

use strict;
use warnings;
use JSON::XS ();
use MIME::Base64 qw(encode_base64);
use RblTest;
use RblScript;
use RblDeliver;
use RblNode;

my $dir = repo_dir() . '/t/deliver/verify';
my $modules = node_modules("$dir/package.json", 'verify');
my $json = JSON::XS->new->canonical;

# Verdicts on each [request, secret, changes]: {stripe, standard}
sub verdicts {
    my $text = '';
    for (@_) {
        my ($r, $secret, %o) = @$_;
        my %h = (%{ $r->{headers} }, %{ $o{headers} // {} });
        $text .= $json->encode({ headers => \%h, secret => $secret,
            body => encode_base64($o{body} // $r->{body}, ''),
            later => $o{later} // 0 }) . "\n";
    }
    my $got = run_cmd({ stdin => $text, timeout => 60,
        env => { NODE_PATH => $modules } }, 'node', "$dir/verify.js");
    die "verify.js: $got->{err}" if $got->{status} != 0;
    return map { $json->decode($_) } split /\n/, $got->{out};
}

sub accepted {
    my ($name, @case) = @_;

    my $v = (verdicts(\@case))[0];
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is("stripe $v->{stripe}, standard $v->{standard}",
        'stripe ok, standard ok', $name);
}

sub refused {
    my ($name, $why, @case) = @_;

    my $v = (verdicts(\@case))[0];
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    like($v->{stripe}, $why, "$name: stripe refuses the request");
    like($v->{standard}, $why, "$name: standardwebhooks refuses the request");
}

deliver_setup();
my $hook = start_receiver();
my $secret = 'whsec_' . encode_base64(join('', map { chr } 100 .. 131), '');
my $wh = hook_add($hook->{url}, $secret);
my $d = start_deliverd();

# every type of event
my ($pp, $ht) = event_emit();
soon { received($hook) == 3 } 'the events of a listing';
event_emit(host => $ht, results => [result('RBa', 'clear'),
    result('RBb', 'clear')]);
soon { idle() && received($hook) == 6 } 'and of its end';
my %by = map { $_->{json}{event_type} => $_ } received($hook);
is(scalar keys %by, 4, 'the receiver gets four types of events');
accepted($_, $by{$_}, $secret) for sort keys %by;

# a callback, by the secret of the application
my $back = start_receiver();
one_off($back->{url}, '192.0.2.44');
soon { idle() && received($back) == 1 } 'a callback';
accepted('a callback', (received($back))[0], $SECRET);

# refused requests
my $r = $by{'rbl.host.listed'};
my $signature = qr/signature/i;
(my $body = $r->{body}) =~ s/"total":2/"total":0/ or die;
refused('an altered body', $signature, $r, $secret, body => $body);
refused('a byte more', $signature, $r, $secret, body => "$r->{body} ");
refused('another secret', $signature, $r,
    'whsec_' . encode_base64('x' x 32, ''));
refused('five minutes later', qr/timestamp|too old/i, $r, $secret,
    later => 301);
my $t = $r->{headers}{'webhook-timestamp'};
(my $own = $r->{headers}{'x-webhook-signature'}) =~ s/^t=\d+/'t=' . ($t + 1)/e;
refused('a newer time with the old signature', $signature, $r, $secret,
    headers => { 'x-webhook-signature' => $own,
        'webhook-timestamp' => $t + 1 });
my $v = (verdicts([$r, $secret, headers => { 'webhook-id' => sid('EV') }]))[0];
like($v->{standard}, $signature, 'standardwebhooks refuses another webhook-id');
accepted('four minutes later', $r, $secret, later => 240);

# two secrets
my $new = 'whsec_' . encode_base64(join('', map { chr } 200 .. 231), '');
script('hook_secret', [$ACCT], hook => $wh, secret => $new, stays => 60);
event_emit();
soon { idle() && received($hook) == 9 } 'while there are two secrets';
$r = (received($hook))[-1];
is(scalar(() = $r->{headers}{'x-webhook-signature'} =~ /,v1=/g), 2,
    'the request has two signatures');
accepted('the new secret', $r, $new);
accepted('the old secret', $r, $secret);
refused('a third', $signature, $r, 'whsec_' . encode_base64('x' x 32, ''));
refused('an altered body, by the new', $signature, $r, $new,
    body => "$r->{body} ");
refused('and by the old', $signature, $r, $secret, body => "$r->{body} ");

script('hook_secret', [$ACCT], hook => $wh, secret => $new, stays => 0);
event_emit();
soon { idle() && received($hook) == 12 } 'after the old one has expired';
$r = (received($hook))[-1];
accepted('the new secret', $r, $new);
refused('the old secret', $signature, $r, $secret);

unlike(read_file($d->{log}), qr/whsec_|$SECRET/, 'the log has no secret');
done_testing();
