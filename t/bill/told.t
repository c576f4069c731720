#!/usr/bin/perl

# Notices about a bill go to the contacts, or to the owner if there is no
# contact.  t/unit/test_deliver_message.c has all texts.

use strict;
use warnings;

use POSIX ();

use RblBill;
use RblMail;
use RblStripe;
use RblTest;

my $t;

# The messages of that title, once there are n; each names what is to be done.
sub told {
    my ($n, $title, $text) = @_;

    my $of = sub { grep { $_->{title} eq $title } notices($t) };
    wait_for { $of->() >= $n } 20, $title;
    my @all = $of->();
    is(scalar @all, $n, "message $n: $title");
    like($all[-1]{message}, $text, "what it says: $title");
    return $all[-1];
}

# The daemon looks once more and sends no second message.
sub quiet {
    my ($name) = @_;

    my $n = notices($t);
    due_now($t);
    sleep 2;
    is(scalar(notices($t)), $n, "no other message: $name");
}

sub ends_in {
    my ($days) = @_;
    passes($t, bill($t)->{ends} - int(time * 1000) - $days * DAY + 1000);
}


# --- by hand -----------------------------------------------------------------

$t = bill_world(conf => { gateway => 'manual' });
my $ac = $t->{ac};
add_contact($t);
bill_plan($t, 'Business');
my $m = told(1, '25.00 USD are due for the plan "Business"',
    qr/reference PY[0-9a-f]{32}\.\n\nThe checks stop at 20.* unless it is/);
is($m->{event_type}, 'contact.notice', 'a message about a bill is a notice');
is($m->{weight}, 'normal', 'a payment that is due is a warning');
my $py = bill($t)->{open};
like($m->{message}, qr/$py/, 'the message names the payment');
quiet('due');
is_deeply([map { "@$_{qw(account id plan gateway kind amount state)}" }
    @{ ctl($t, 'bill', 'list') }],
    ["$ac $py Business manual renewal 25.00 open"],
    'rblctl bill list has the payment of the account');
is_deeply(ctl($t, 'bill', 'list', '--state', 'failed,operator'), [],
    'the list of another state does not have the payment');
for ('x', 'void', 'open,x', '') {
    my $r = rblctl($t->{redis}, 'bill', 'list', '--state', $_);
    is($r->{status}, 3, "rblctl bill list --state \"$_\" is refused");
    like($r->{err}, qr/must be one of open,sent,/, "the refusal of \"$_\"");
}
my $nginx = start_nginx(store => $t->{redis}, http => 'rbl_zone rbl 1m;',
    server => 'location /metrics { rbl_status prometheus; }');
sub metric {
    my ($name, $state) = @_;
    return http($nginx, 'GET', '/metrics')->{body}
        =~ /^rbl_checkd_$name\{[^}]*state="$state"[^}]*\} (\S+)$/m ? $1 : 'none';
}
wait_for { metric('payments', 'open') eq '1' } 20, 'the metrics';
is(join(' ', map { metric('payments', $_) } qw(open failed unknown operator)),
    '1 0 0 0', 'Prometheus gets the number of payments in each state');
cmp_ok(metric('payment_age_seconds', 'open'), '>', 0,
    'Prometheus gets the age of the oldest payment');
ctl($t, 'bill', 'paid', $ac, $py, '--reference', 'R 1');
is_deeply(ctl($t, 'bill', 'list'), [],
    'a payment that is paid is not on the list');
$m = told(1, '25.00 USD are paid for the plan "Business"',
    qr/reference is $py\.\n\nThe plan is paid until 20/);
is($m->{weight}, 'info', 'a payment that has arrived is no warning');

next_period($t);
told(2, '25.00 USD are due for the plan "Business"', qr/checks stop at/);
ends_in(0);
told(1, 'The plan "Business" is not paid', qr/checks stop at .* unless/);
quiet('the end of the period');
passes($t, 7 * DAY);
told(1, 'Plan "Business" has expired', qr/No host is checked from now on\./);
ctl($t, 'bill', 'paid', $ac, bill($t)->{open});
told(2, '25.00 USD are paid for the plan "Business"', qr/paid until/);
told(1, 'Plan "Business" is active again', qr/All hosts are checked/);

ctl($t, 'bill', 'renew', $ac, 'off');
for (14, 7, 1) {
    ends_in($_);
    told(1, "The plan \"Business\" ends in $_ day" . ($_ > 1 ? 's' : ''),
        qr/its renewal is off\.\n\nThe checks stop at/);
}


# --- by the check ------------------------------------------------------------

my $u = bill_world(conf => { gateway => 'manual' });
$t = $u;
$ac = $t->{ac};
add_contact($t);
bill_plan($t, 'By the check');
ctl($t, 'bill', 'topup', $ac, '10', '--reference', 'R 2');
told(1, '10.00 USD are paid for the plan "By the check"',
    qr/The balance is 10\.00 USD/);
ctl($t, 'bill', 'alert', $ac, '5');
ctl($t, 'bill', 'adjust', $ac, '-6', 'Used');
told(1, 'The balance is 4.00 USD',
    qr/threshold of 5\.00 USD\..*The checks stop when the balance is used up/s);
quiet('a low balance');
ctl($t, 'bill', 'recharge', $ac, '5', '25', '--now');
told(1, '21.00 USD are due for the plan "By the check"',
    qr/The checks stop when the balance is used up/);
passes($t, DAY);
told(1, 'The plan "By the check" is not paid',
    qr/21\.00 USD .*not made in time/);


# --- by a card ---------------------------------------------------------------

$t = bill_world();
$ac = $t->{ac};
my $stripe = $t->{stripe};
add_contact($t);
bill_plan($t, 'Business');
my $ps = add_card($t, 'pm_card_visa');
told(1, '25.00 USD are paid for the plan "Business"', qr/paid until/);
quiet('nothing is due that a card pays');
stripe_card($stripe, source($t, $ps)->{method},
    behaves => 'pm_card_chargeDeclined');
$py = next_period($t);
my $not = 'The payment of 25.00 USD for the plan "Business" was not made';
told(1, $not,
    qr/card_declined\. Nothing was charged\.\n\nThe next attempt is made/);
for (2 .. 4) {
    passes($t, 2 * DAY);
    told($_, $not, $_ < 4 ? qr/next attempt is made at 20/
        : qr/no other attempt.*choose another one there/s);
}
stripe_card($stripe, source($t, $ps)->{method}, behaves => 'pm_card_visa');

# The card ends with this month.
my ($month, $year) = ((gmtime)[4] + 1, (gmtime)[5] + 1900);
my $left = (POSIX::mktime(0, 0, 0, 1, $month, $year - 1900) - time) / 86_400;
my $days = $left <= 7 ? 7 : $left <= 30 ? 30 : 0;
SKIP: {
    skip 'the month has more than 30 days left', 2 if !$days;
    stripe_card($stripe, source($t, $ps)->{method},
        card => { exp_month => $month, exp_year => $year });
    RblBill::bill_put($t, 'source', { %{ source($t, $ps) }, month => $month,
        year => $year, asked => 0 }, 'source', $ac, $ps);
    due_now($t);
    told(1, "The card visa ...4242 expires in $days days",
        qr/pays for the plan "Business", expires at the end of/);
}


# --- no contact --------------------------------------------------------------

my $smtp = start_fake_smtp();
$t = bill_world(conf => { gateway => 'manual', smtp_url =>
    "smtp://127.0.0.1:$smtp->{port}", smtp_from => 'blocklists@example.net' });
$ac = $t->{ac};

sub user {
    my ($n, $role, $confirmed) = @_;

    my $us = ctl($t, 'user', 'add', $ac, "user$n\@example.net", '--role',
        $role)->{id};
    RblBill::bill_change($t, 'user', ['user', $ac, $us], sub {
        @{ $_[0] }{qw(confirmed ended)} = ($confirmed, 0); return 1 });
}
user(1, 'owner', 1);
user(2, 'admin', 1);
user(3, 'owner', 0);
bill_plan($t, 'Business');
sub seen { my ($step) = @_;
    return map { $_->{line} } grep { $_->{step} eq $step } smtp_seen($smtp) }
wait_for { grep { /are due/ } seen('message') } 20, 'a mail';
sleep 2;
is_deeply([map { /<([^>]*)>/ } seen('rcpt')], ['user1@example.net'],
    'an owner with a confirmed address gets the mail, if there is no contact');
done_testing();
