#!/usr/bin/perl

# The key of the gateway stays in the daemon: it is in no log, not in the list
# of processes or their environment, in no output of rblctl, no event, and
# nowhere in the store, also if the gateway quotes it.

use strict;
use warnings;

use File::Find ();

use RblBill;
use RblStripe;
use RblTest;

my $key = 'sk_test_SecretOfTheGateway';
my $part = qr/SecretOfThe|ofTheGateway|eGateway/i;
my $t = bill_world(stripe => { key => $key });
my $ac = $t->{ac};
bill_plan($t, 'Business');
add_card($t, 'pm_card_visa');
add_contact($t);
wait_for { bill($t)->{state} eq 'active' && bill($t)->{open} eq '' } 20,
    'the first payment';

# Answers that have the key in them, whole and in part.
my $quoted = "Invalid API Key provided: $key";
for ([401, qq({"error":{"type":"invalid_request_error","message":"$quoted"}})],
    [400, qq({"error":{"type":"invalid_request_error","code":"x"}})],
    [403, qq({"error":{"type":"invalid_request_error","message":"$quoted"}})],
    [200, "<html>$quoted</html>"], [500, $quoted])
{
    my ($status, $body) = @$_;
    stripe_fault($t->{stripe}, 'page', status => $status, body => $body,
        type => 'application/json');
    my $py = next_period($t);
    wait_for { payment($t, $py)->{state} eq 'unknown' } 20, "answer $status";
    hurry($t);
    wait_for { hurry($t); bill($t)->{open} eq '' } 20, "after $status";
}
stripe_card($t->{stripe}, source($t, $_->{id})->{method}, behaves =>
    'pm_card_authenticationRequired') for @{ ctl($t, 'bill', 'sources', $ac) };
next_period($t);
wait_for { grep { $_->{title} =~ /needs you/ } notices($t) } 20,
    'a message to a contact';

my $pid = $t->{checkd}{pid};
my %seen = (
    'the log of the daemon' => read_file($t->{checkd}{log}),
    'its command line' => read_file("/proc/$pid/cmdline"),
    'its environment' => read_file("/proc/$pid/environ"),
    'the events' => join(' ', map { $_->{body} } received($t->{to})),
    'the messages' => join(' ', map { $_->{body} } received($t->{contact})),
);
for (['bill', 'show', $ac], ['bill', 'payments', $ac], ['bill', 'ledger', $ac],
    ['bill', 'sources', $ac], ['audit', $ac], ['status'], ['queue'],
    ['webhook', 'log', $ac, $t->{hook}{id}], ['account', 'show', $ac])
{
    for my $json ('', '--json') {
        my $r = rblctl($t->{redis}, '-c', $t->{ctl}, @$_, $json || ());
        is($r->{status}, 0, "rblctl @$_ $json") or diag($r->{err});
        $seen{"rblctl @$_ $json"} = $r->{out} . $r->{err};
    }
}
my $r = run_cmd(build_dir() . '/rbl-checkd', '-t', '-c',
    $t->{checkd}{conf_path});
$seen{'rbl-checkd -t'} = $r->{out} . $r->{err};
# Every write of all records.
my $store = '';
File::Find::find(sub { $store .= read_file($_) if -f && /\.aof$/ },
    map { $_->{dir} } @{ $t->{redis}{nodes} // [$t->{redis}] });
like($store, qr/pm_/, 'the append-only file has the writes of billing');
$seen{'the store'} = $store;
unlike($seen{$_}, $part, "no part of the key is in $_") for sort keys %seen;
cmp_ok(length $seen{$_}, '>', 10, "$_ was read") for sort grep { !/sources/ }
    keys %seen;

# --- what is refused ---------------------------------------------------------------

my ($file) = $t->{conf}{gateway_key_file};
for (['readable by others', 0644, $key], ['no key of Stripe', 0600,
    'pk_live_SecretOfTheGateway'], ['a key with more', 0600, "$key;x"])
{
    my ($name, $mode, $text) = @$_;
    unlink $file;
    write_file($file, "$text\n", $mode);
    chmod $mode, $file;
    my $refused = run_cmd(build_dir() . '/rbl-checkd', '-t', '-c',
        $t->{checkd}{conf_path});
    is($refused->{status}, 1, "rbl-checkd -t refuses a key file: $name");
    like($refused->{err}, qr/gateway_key_file/,
        "the message names gateway_key_file: $name");
    unlike($refused->{err}, $part, "the message does not show the key: $name");
}
done_testing();
