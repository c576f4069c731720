#!/usr/bin/perl

# An owner tops up the balance in a browser, by the keyboard alone: a wrong
# amount, the question, and the request that a daemon finds; wrong and right
# amounts of a recharge.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup();
my $ac = $t->{acct}{sid};
my $owner = add_user($t, role => 'owner');
bill_of($t, $t->{acct}, gateway => \'http', period => \'check', price => 2000,
    ends => 0, begins => 0);
redis($t->{redis}, 'HSET', redis_key('money', $ac), 'balance', 90_000_000);
browser_run($t, 'topup', owner => $owner->{link});
my $terms = record('terms', redis($t->{redis}, 'GET', redis_key('terms', $ac)));
is($terms->{topup}, 25_500_000, 'the store has the amount that is to be paid');
like($terms->{once}, qr/^[0-9a-f]{32}$/, 'the store has what makes the payment the same');
is_deeply([@$terms{qw(falls_below recharge_to alert)}],
    [5_000_000, 25_500_000, 1_000_000],
    'the store has the amounts that were chosen');
done_testing();
