#!/usr/bin/perl

# Ends of listings are reported once, whatever happens while their message is in
# delivery: hosts that are deleted or moved, contacts that are paused or change,
# daemons that are late.  told_truth.t has found these histories.

use strict;
use warnings;
use RblDigest;
use RblScript;
use RblTest;

my ($ac, $acct, $cg, $other) = digests_new();

# A daemon stores late what another has claimed since, and the host was deleted
# in between: a host reported as listed is then reported as ended.
for my $type ('endpoint', 'pagerduty') {
    my $co = contact('start_and_end', type => $type);
    my $ht = host();
    check($ht, qw(listed clear));
    my ($slow) = claim();
    script('host_delete', [$acct], host => $ht, keep => 60_000);
    leases_end($co);
    my ($again) = claim();              # without the host; it dies, or is late
    my $told = store($slow)->[0] eq 'OK' ? 'listed' : '';
    done($_, 'ok') for take_one();
    leases_end($co);
    if ($told ne 'listed') {            # the other messages are good
        is(store($again, messages => [])->[0], 'OK', 'the other is in time');
        leases_end($co);
    }
    my %next = tells();
    $told .= ', ' . ($next{$co} // 'nothing');
    ok($told !~ /^listed, nothing/, "$type: a reported listing ends: $told");
    script('contact_delete', [$acct], contact => $co);
}

# The end of a listing is stored, and the contact is paused before it is sent:
# it is not reported after the contact is resumed, and an alert of PagerDuty
# stays open.
for my $type ('endpoint', 'pagerduty') {
    my $co = contact('start_and_end', type => $type);
    my $ht = host();
    check($ht, qw(listed clear));
    tells();
    check($ht, qw(clear clear));
    store($_) for claim();              # in delivery
    script('contact_status', [$acct], contact => $co, status => 'paused');
    is(scalar(my @none = take_one()), 0, 'a paused contact gets nothing');
    script('contact_status', [$acct], contact => $co, status => 'active');
    my %next = tells();
    like($next{$co} // 'nothing', qr/^delisted/,
        "$type: the end is reported");
    script('host_delete', [$acct], host => $ht, keep => 60_000);
    script('contact_delete', [$acct], contact => $co);
    tells();
}

# The end of a listing, claimed again when the host is gone: a host with its
# address and its name.
my $ht = host();
my $co = contact('start_and_end');
check($ht, qw(listed clear));
tells();
check($ht, qw(clear clear));
claim();
script('host_delete', [$acct], host => $ht, keep => 60_000);
leases_end($co);
my ($again) = claim();
my @rows = @{ $again->{hosts} };
ok(@rows && unpacked($rows[0])->[2] eq last_address(),
    'a reported host has an address');
store($again, messages => []);
script('contact_delete', [$acct], contact => $co);

# A contact that changes its schedule back and forth while its digest is in
# delivery gets the same end twice.
$co = contact('start_and_end');
$ht = host();
check($ht, qw(listed clear));
tells();
check($ht, qw(clear clear));
my ($end) = claim();
script('contact_update', [$acct], contact => $co, schedule => 'while_listed');
is(store($end, messages => [])->[0], 'OK', 'the delisting is reported');
script('contact_update', [$acct], contact => $co, schedule => 'start_and_end');
leases_end($co);
is({ tells() }->{$co}, undef, 'the delisting is reported only once');

# A range is moved to another group and deleted, both before the digest for the
# contacts that know its addresses: their alerts stay open.
for my $type ('endpoint', 'pagerduty') {
    my $to = contact('start_and_end', type => $type);
    my ($range, $kid) = (sid('HT'), sid('HT'));
    script('host_add', [$acct], name => 'name', type => 'ip_range',
        family => 1, range => $range, net => '198.51.100.0/31',
        host => [$kid, sid('HT')], value => ['198.51.100.0', '198.51.100.1']);
    check($kid, qw(listed clear));
    tells();
    script('host_update', [$acct], host => $range, groups => $other);
    script('host_delete', [$acct], host => $range, keep => 60_000);
    is({ tells() }->{$to}, 'unreported 198.51.100.0', "$type: a range");
    script('contact_delete', [$acct], contact => $to);
}

done_testing();
