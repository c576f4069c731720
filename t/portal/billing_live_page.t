#!/usr/bin/perl

# Billing in a browser with a real daemon and a stand-in of Stripe: an owner
# adds a card on the page of the gateway, pays, and sees what has moved.

use strict;
use warnings;

use Test::More;

use RblBill;
use RblBrowser;

my $t = browser_setup();
redis($t->{redis}, 'CONFIG', 'SET', 'appendonly', 'yes');
bill_world(of => $t, stripe => { pages => 'https://pay.example' });
bill_plan($t, 'Business');
wait_for { bill($t)->{open} ne '' } 20, 'the first payment is open';
browser_run($t, 'billing_live', link => add_user($t)->{link},
    stripe => $t->{stripe}{url});

my ($py, @more) = @{ redis($t->{redis}, 'ZRANGE',
    redis_key('payments', $t->{ac}), 0, -1) };
is(scalar @more, 0, 'the account has one payment');
my $p = payment($t, $py);
is_deeply([@$p{qw(state amount)}], ['succeeded', 25_000_000],
    'the payment succeeds with its amount');
is(bill($t)->{state}, 'active', 'the plan is active');
is(record('terms', redis($t->{redis}, 'GET', redis_key('terms', $t->{ac})))
    ->{renew}, 1, 'the plan renews itself');
books_agree($t);

done_testing();
