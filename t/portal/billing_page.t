#!/usr/bin/perl

# Billing in a browser, by the keyboard alone: choices, payment sources, the way to the gateway, the banner, and the table.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup();
my $acct = $t->{acct};
my ($owner, $viewer) = map { add_user($t, role => $_) } qw(owner viewer);
my $none = add_user($t, acct => $t->{other});
my $now = time * 1000;
my $day = 86_400_000;

bill_of($t, $acct, gateway => \'stripe', state => \'grace',
    open => \sprintf('PY%032x', 1000),
    begins => $now - 32 * $day, ends => $now - 2 * $day,
    stops => $now + 5 * $day, customer => \'', change => \record_pack(
        'change', version => 1, plan => \'Small', price => 9_000_000,
        period => \'year', paid => 1, hosts => 10, contacts => 5,
        checks => 50, shortest => 900, at => $now + $day, payment => \''));
my @sources = (source_of($t, $acct), source_of($t, $acct, brand => \'amex',
    last4 => \'0005', live => 1));
payment_of($t, $acct, $_ * 1000) for 1 .. 12;
payment_of($t, $acct, 1000, state => \'failed', reason => \'card_declined');
movement_of($t, $acct, "$now-$_", k => "key$_", r => "=1+$_") for 1 .. 25;
browser_run($t, 'billing', owner => $owner->{link}, viewer => $viewer->{link},
    none => $none->{link});

my $terms = record('terms', redis($t->{redis}, 'GET', redis_key('terms',
    $acct->{sid})));
cmp_ok($terms->{asked}, '>=', $now, 'the store has the request to pay now');
is_deeply([@$terms{qw(renew falls_below recharge_to alert source)}],
    [0, 0, 0, 0, $sources[0]],
    'what was chosen is in the store');
is_deeply(redis($t->{redis}, 'ZRANGE', redis_key('setup', $acct->{sid},
    'gone'), 0, -1), [$sources[1]], 'the store has the removed source');
is(record('setup', redis($t->{redis}, 'GET', redis_key('setup',
    $acct->{sid})))->{state}, 'wanted',
    'the store has the request for a source');

done_testing();
