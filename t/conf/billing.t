#!/usr/bin/perl

# The manual pages and the portal describe billing as the programs do it: notices
# and who gets them, requests to a server of the operator and its answers, times
# of attempts, limits, plans.  (t/bill/routine.t runs the routine of an operator,
# t/e2e/run.t the demonstration.)

use strict;
use warnings;

use RblTest;

my $top = repo_dir();

sub source { return read_file("$top/$_[0]") }
sub line { return $_[0] =~ s/\s+/ /gr }

# A chapter of a page, as one line without the marks.
sub chapter {
    my ($page, $name) = @_;

    my ($text) = source("conf/man/$page")
        =~ /^\.S[sh] \Q$name\E\n(.*?)(?=^\.S[sh] |\z)/ms;
    ok($text, "$page has the chapter $name") or return '';
    $text =~ s/^\.\\".*\n|^\.[A-Z][a-z] ?//mg;
    $text =~ s/\b(?:Ic|Li|Ql|Fl) //g;
    $text =~ s/\\\(dq/"/g;
    return line($text) =~ s/ ([.,;:)])/$1/gr;
}

sub says {
    my ($text, $pattern, $name) = @_;
    return ok($text =~ /$pattern/, $name) || diag("not there: $pattern");
}

my $lua = join '', map { read_file($_) } glob "$top/shared/lua/bill/*.lua";

# --- notices -----------------------------------------------------------------

# Words of notices whose subject is an event for webhook receivers, too.
my %event = map { $_ => 1 } $lua =~ /\['[\w.]+'\] =\s+'(\w+)'/g;
is(scalar keys %event, 5, 'five kinds of notices are events, too');
my ($notices) = source('rbl-checkd/deliver/message/notice.c')
    =~ /^\} notices\[\] = \{\n(.*?)^\};/ms;
my %words;                              # of each title
push @{ $words{$2} }, $1 while ($notices // '')
    =~ /\{ "([\w:]+)", "\w+",\s+"((?:[^"\\]|\\.)+)",/g;
cmp_ok(scalar keys %words, '>', 12, 'the notices have more than 12 titles');
my ($table) = source('conf/man/rbl-events.7') =~ /^\.Ss Notices\n(.*?)^\.Ss /ms;
my %row = map { split / Ta /, $_, 2 }
    ($table // '') =~ /^\.It (?!Sy)(.* Ta .* Ta .*)$/mg;
for my $title (sort keys %words) {
    my ($row) = grep { my $n = s/n days/\\\$days/r; $title =~ /\b$n\b/ }
        sort keys %row;
    ok($row, "rbl-events(7) has the notice: $title") or next;
    my $told = grep { $event{s/:.*//r} } @{ $words{$title} };
    is((delete $row{$row}) =~ /^webhooks / ? 1 : 0, $told ? 1 : 0,
        "rbl-events(7) says whether webhook receivers get it: $title");
}
is(join(', ', sort keys %row), '', 'rbl-events(7) has no other notice');
unlike(chapter('rbl-events.7', 'Retries'), qr/plan|recharg|payment/,
    'the chapter about retries to receivers is not about bills');

# --- a server of the operator --------------------------------------------------

my $own = chapter('rbl-operations.7', 'Billing by a server of your own');
my $http = source('rbl-checkd/bill/gateway_http.c');
my %kind = map { $_ => 1 } $lua =~ /payment_open\(\w+, '(\w+)'/g;
is(join(' ', sort keys %kind), 'recharge renewal topup upgrade',
    'payments are of four kinds');
says($own, "\\bkind\\b.*\\b$_\\b", "the page has the kind of a payment: $_")
    for sort keys %kind;
says($own, "\"$_\":", "the request of the page has $_")
    for $http =~ /rbl_doc_(?:str|int|z)\(&doc, "(\w+)"/g;
my %answer = map { $_ => 1 } $http =~ /root, "(\w+)"/g;
cmp_ok(scalar keys %answer, '>=', 9, 'an answer has at least nine members');
says($own, "\\b$_\\b", "the page has the member of an answer: $_")
    for sort keys %answer;
says($own, "status is .*\\b$_\\b", "the page has the status $_")
    for $http =~ /\{ "(\w+)", GATEWAY_/g;
says($own, 'topup, for a balance, whose begins and ends are 0',
    'the page says for which time a balance is paid');
says($own, 'After a plan has lapsed .* begins with the payment',
    'the page says for which time a plan that has lapsed is paid');
says($own, 'A decline has the status 200',
    'the page has the status of a decline');
says($own, 'After 401, 402 and .* the log has an error',
    'the page says what an answer of 402 means');

# When the daemon asks again (bill_answer.lua).
my ($first, @minutes) = $lua
    =~ /waits = \{(\d+)000, minute, (\d+) \* minute, (\d+) \* minute\}/;
my ($hours) = $lua =~ /age > (\d+) \* hour and hour or waits/;
my ($days, $missing) = map { $_ / 24 }
    ($lua =~ /late\((\d+) \* hour\)/)[0] + 1, $lua =~ /age > (\d+) \* hour then/;
says($own, "after $first seconds, then after 1, $minutes[0] and $minutes[1]"
    . " minutes, then every $minutes[1] minutes, and after $hours hours once an"
    . ' hour, until', 'the page says when the daemon asks again');
my %number = (1 => 'one', 2 => 'two', 3 => 'three', 5 => 'five');
says($own, "After $number{$days} days without an answer",
    'the page says when a payment is left to the operator');
says($own, 'the server may be away for days; then each payment is made once',
    'the page says what an outage of days means');
says($own, 'Of a recharge the amount that the server has charged .* counts',
    'the page says which amount of a recharge counts');

# --- Stripe --------------------------------------------------------------------

my $stripe = chapter('rbl-operations.7', 'Billing by Stripe');
says($stripe, 'restored .*; of a recharge it books the amount that was charged',
    'the page says what a restored store books');
says($stripe, "for $hours hours, .* after " . 24 * $missing . ' hours that'
    . ' attempt has failed', 'the page says what an outage of Stripe means');
my ($least, $most) = map { sprintf '%.2f', $_ / 1e6 } source(
    'rbl-checkd/ctl/bill.c') =~ /STRIPE_LEAST +(\d+).*STRIPE_MOST\D+64_C\((\d+)/s;
says($stripe, "charges from $least to $most USD",
    'the page has the amounts that Stripe charges');

# --- gateways, plans -------------------------------------------------------------

my $billing = chapter('rbl-operations.7', 'BILLING');
says($billing, 'writes the gateway into the bill of the account, which keeps'
    . ' it. After a change of gateway run it again for each account',
    'the page says what a change of the gateway needs');
says(line(run_cmd(build_dir() . '/rblctl', 'bill', 'plan', '--help')->{out}),
    'the first period begins now, but after the plan has lapsed when it is'
    . ' paid', 'rblctl says when the first period begins');
says(chapter('rbl-operations.7', 'Billing by hand'), 'The first period begins'
    . ' with rblctl bill plan', 'the page says when the first period begins');
my $plans = chapter('rblctl.8.in', 'PLANS');
my $form = source('rbl-checkd/ctl/plan.c');
for my $array ('plan_members', 'plan_periods') {
    my ($values) = $form =~ /$array\[\] = \{(.*?)NULL/s;
    says($plans, "\\b$_\\b", "rblctl(8) has the word of a plan: $_")
        for ($values // '') =~ /"(\w+)"/g;
}
says($plans, 'price, period .* with two digits after the point',
    'rblctl(8) has the form of a price');
says($plans, 'check_price .* with two to six digits after the point',
    'rblctl(8) has the form of the price of a check');
says($plans, 'if it has a bill, bill plan is run again; so a new price in the'
    . ' file counts for a bill only then',
    'rblctl(8) says when a new price counts');
my ($key) = run_cmd(build_dir() . '/rbl-checkd', '-D')->{out}
    =~ /((?:^# .*\n)+)#bill_plans /m;
says($key // '', '\brblctl\b', 'the text of bill_plans names rblctl');

# --- plans by the check ------------------------------------------------------------

my $check = chapter('rbl-operations.7', 'Plans by the check');
my ($a_day) = $lua =~ /recharge_most = (\d+)/;
says($check, '--now|Fl now adds what is left of a period that is paid',
    'the page says what is left of a period');
says($check, "At most $number{$a_day} are opened a day",
    'the page has the limit of a day');
says($check, "after $number{$a_day}, an event and a message say so once, for the"
    . ' checks stop', 'the page says what the limit of a day means');

# --- the portal ----------------------------------------------------------------------

my ($reminders) = $lua =~ /bill_reminders = \{(.*?)\}/;
for my $lang (['en', 'and', 'days before'], ['de', 'und', 'Tage vorher']) {
    my ($name, $and, $before) = @$lang;
    my $texts = json(source("ngx_rbl_module/web/lang/$name.json"));
    my ($help) = map { $_->{bill_renew_0_help} // () } grep { ref } $texts,
        values %$texts;
    says($help, ($reminders =~ s/, (?=\d+$)/ $and /r) . " $before",
        "the portal ($name) says when the end of a plan is told");
}

done_testing();
