#!/usr/bin/perl

# Alerts of cards that expire, by a clock of the test: 30 and 7 days before the
# month of the card ends, once each, after the card was read again; none for a
# card that was renewed.

use strict;
use warnings;

use Time::Local qw(timegm);

use RblScript;
use RblTest;

use constant { DAY => 86_400_000, HOUR => 3_600_000 };

redis_new(cluster => 1);        # all scripts read the same clock key
my ($ac, $acct) = account();
script_clock(timegm(0, 0, 0, 1, 0, 126) * 1000);
script('bill_plan', [$acct], gateway => 'stripe', plan => 'P',
    price => 25_000_000, period => 'month', paid => 1, hosts => 0,
    contacts => 0, checks => 0, shortest => 900);
my $ps = sid('PS');
cmd('ZADD', k('sources', $ac), 1, $ps);

# The card ends with that month.
sub card {
    my ($year, $month, $added) = @_;

    cmd('SET', k('source', $ac, $ps), packed([1, $ps, 'card', 'visa', \'4242',
        $month, $year, 'pm_1', 1, 0, $added, $added]));
    cmd('DEL', k('outbox'));
}

# The task of the daemon at that time, and the time of its next one.
sub asked {
    my ($at) = @_;

    script_clock($at);
    my $r = script('bill_send', [$acct], gateway => 'stripe', live => 1,
        lease => 1000);
    return ($r->[1], cmd('ZSCORE', k('paydue'), $ac) // 'never');
}

# The gateway says that the card ends so.
sub says {
    my ($year, $month) = @_;
    return script('bill_card', [$acct], source => $ps, brand => 'visa',
        last4 => '4242', month => $month, year => $year)->[1];
}

sub alerts {
    return map { unpacked($_->[16])->[6] }
        grep { $_->[2] eq 'expiring.card.alert' }
        map { unpacked({ @{ $_->[1] } }->{d}) }
        @{ cmd('XRANGE', k('outbox'), '-', '+') };
}

for my $of ([2026, 1], [2026, 2], [2028, 2], [2026, 4], [2027, 11], [2026, 12],
    [2099, 12])
{
    my ($year, $month) = @$of;
    my $name = "$month/$year";
    my $over = 1000 * timegm(0, 0, 0, 1, $month % 12, $year + ($month == 12)
        - 1900);
    my ($first, $last) = ($over - 30 * DAY, $over - 7 * DAY);
    card($year, $month, $first - 100 * DAY);
    is_deeply([asked($first - 90 * DAY)], ['', $first - 89 * DAY],
        "$name: a daemon looks each day");
    is_deeply([asked($first - 1)], ['', $first],
        "$name: the card is read 30 days before its end");
    is((asked($first))[0], 'card',
        "$name: the card is due 30 days before its end");
    is(says($year, $month), 30, 'the alert of 30 days');
    is(says($year, $month), 0, "$name: the alert of 30 days is not repeated");
    is_deeply([asked($last - 1)], ['', $last],
        "$name: the card is read again 7 days before its end");
    is((asked($last))[0], 'card',
        "$name: the card is due 7 days before its end");
    is(says($year, $month), 7, 'the alert of 7 days');
    is(says($year, $month), 0, "$name: the alert of 7 days is not repeated");
    is((asked($last + HOUR))[0], '',
        "$name: the card is not due an hour later");
    is_deeply([alerts()], [30, 7], "$name: the outbox has both alerts");
    is_deeply([asked($over - 1)], ['', $over],
        "$name: the card is read again after its end");
    is((asked($over))[0], 'card', "$name: the card is due after its end");
    is(says($year + 3, $month), 0, 'a card that was renewed at its end');
    my $far = 1000 * timegm(0, 0, 0, 1, $month % 12, $year + 3 + ($month == 12)
        - 1900) - 30 * DAY;
    is((asked($far - DAY))[0], '',
        "$name: a renewed card is not due for years");
    is((asked($far))[0], 'card',
        "$name: a renewed card is read before its new end");
    is(says($year + 3, $month), 30, "$name: its new end is announced");

    card($year, $month, $first - 100 * DAY);
    is((asked($first))[0], 'card', 'a card that its bank has renewed');
    is(says($year + 3, $month), 0, 'sends no alert');
    my ($n) = asked($first + HOUR);
    is($n, '', "$name: a renewed card is not due an hour later");
    is_deeply([alerts()], [], "$name: a renewed card causes no event");

    card($year, $month, $over - 5 * DAY);
    is((asked($over - 4 * DAY))[0], 'card', 'a card that was added late');
    is(says($year, $month), 7,
        "$name: a card added late gets the alert of 7 days");
    is_deeply([alerts()], [7], "$name: a card added late causes one event");

    card($year, $month, $over - 60 * DAY);
    is((asked($over))[0], 'card', 'a daemon that was away until the end');
    is(says($year, $month), 0,
        "$name: no alert is sent after the end of the card");
    is_deeply([asked($over + HOUR)], ['', 'never'],
        "$name: an expired card is never read again");
}

# A card that was not renewed in time is charged all the same.

{
    my $over = 1000 * timegm(0, 0, 0, 1, 6, 126);
    card(2026, 6, 1);
    asked($over);
    says(2026, 6);
    is_deeply([asked($over + DAY)], ['', 'never'],
        'an expired card is not read');
    my $b = unpacked(cmd('GET', k('bill', $ac)));
    @$b[7, 8] = ($over - 25 * DAY, $over + 6 * DAY);
    cmd('SET', k('bill', $ac), packed($b));
    my $py = script('bill_step', [$acct], grace => DAY, kept => 0)->[2];
    is((asked($over + DAY))[0], 'charge', 'the expired card is charged');
    script('bill_answer', [$acct], payment => $py, attempt => 1,
        result => 'succeeded', reference => 'pi_1');
    is((asked($over + DAY + 2000))[0], 'card',
        'a card that is charged after its end is read again');
    says(2029, 6);
    is(unpacked(cmd('GET', k('source', $ac, $ps)))->[6], 2029,
        'the record has the new end of the card');
}

# The gateway does not answer: the card is read again an hour later.

card(2026, 6, 1);
my $first = 1000 * timegm(0, 0, 0, 1, 6, 126) - 30 * DAY;
is((asked($first))[0], 'card', 'the card is due 30 days before its end');
is_deeply([asked($first + 60_000)], ['', $first + HOUR], 'an hour later');
is((asked($first + HOUR))[0], 'card', 'the card is due again an hour later');
done_testing();
