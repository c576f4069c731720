#!/usr/bin/perl

# The chapter "Routine" of rbl-operations(7) with the real programs: its lines
# close an account, and each step means for money what the page says.

use strict;
use warnings;

use RblBill;
use RblTest;

my $page = read_file(repo_dir() . '/conf/man/rbl-operations.7');
my ($chapter) = $page =~ /^\.Ss Routine\n(.*?)^\.Ss /ms;
ok($chapter, 'the page has the chapter') or BAIL_OUT('no chapter');
my @lines = map { /^rblctl (.*)/ } map { split /\n/ }
    $chapter =~ /^\.Bd -literal.*?\n(.*?)^\.Ed/msg;
is(scalar @lines, 5, 'the chapter has five lines');
is_deeply([grep { my $state = $_; $chapter !~ /^\.It Li .*\b$state\b/m }
    qw(open sent processing customer unknown operator failed)], [],
    'the chapter has each state of a payment');
is_deeply([$chapter =~ /^\.It (Suspend|End|Refund|Chargeback|Close)$/mg],
    [qw(Suspend End Refund Chargeback Close)], 'the chapter has each step of the operator');

my $t = bill_world(conf => { gateway => 'manual' });
my $ac = $t->{ac};
write_file($t->{file}, read_file(repo_dir() . '/conf/plans.json'));
write_file($t->{ctl}, "gateway manual\nbill_plans $t->{file}\n");

# A line of the page; what it prints.
sub line {
    my ($line) = @_;
    my @words = $line =~ /("[^"]*"|\S+)/g;
    my $r = rblctl($t->{redis}, '-c', $t->{ctl},
        map { s/\$SID/$ac/r =~ tr/"//dr } @words);
    is("$r->{status} $r->{err}", '0 ', "works as it is written: $line");
    return $r->{out};
}
sub ctl_fails {
    my ($why, @words) = @_;
    my $r = rblctl($t->{redis}, '-c', $t->{ctl}, @words);
    is($r->{status}, 3, "rblctl @words is refused");
    return like($r->{err}, $why, 'with the reason');
}
sub due {
    wait_for { bill($t)->{open} ne '' } 20, 'a payment';
    return bill($t)->{open};
}

# The plans of the configuration, without --file.
is(ctl($t, 'bill', 'plan', $ac, 'Business')->{plan}, 'Business',
    'rblctl reads the plans of bill_plans');
my $py = due();
like(line(shift @lines), qr/$py/,
    'the list has the payment that is open');
is(join('', @{ ctl($t, 'bill', 'show', $ac) }{qw(begins expires)}), '',
    'a new account has paid for no period');
my $begins = bill($t)->{begins};
sleep 1;
ctl($t, 'bill', 'paid', $ac, $py, '--reference', 'R 1');
is(bill($t)->{begins}, $begins,
    'the first period begins with rblctl bill plan');

# Renewal is turned off and on while a payment is due.
$py = next_period($t);
ctl($t, 'bill', 'renew', $ac, 'off');
wait_for { my $p = payment($t, $py); $p->{state} eq 'void' } 20, 'it is void';
is_deeply(ctl($t, 'bill', 'list'), [], 'no payment is open without renewal');
ctl_fails(qr/the payment is void/, 'bill', 'paid', $ac, $py);
ctl($t, 'bill', 'renew', $ac, 'on');
is(due(), $py, 'the same payment is open with renewal');
ctl($t, 'bill', 'paid', $ac, $py, '--reference', 'R 2');

# A suspended account is charged nothing, and is when it is active again.
ctl($t, 'account', 'suspend', $ac);
passes($t, bill($t)->{ends} - int(time * 1000) - DAY);
sleep 2;
is(bill($t)->{open}, '', 'nothing is opened while the account is suspended');
ctl($t, 'account', 'resume', $ac);
ctl($t, 'bill', 'paid', $ac, due(), '--reference', 'R 3');

# A refund leaves the period, and no amount goes with a payment that failed.
my $ends = bill($t)->{ends};
ctl($t, 'bill', 'refund', $ac, $py, '25.00', '--reference', 'F 1');
is(bill($t)->{ends}, $ends, 'a refund leaves the period');
ctl_fails(qr/left out: when a payment has failed/, 'bill', 'settle', $ac, $py,
    'failed', '--amount', '5');

# The account is closed.
line(shift @lines);
my ($left) = map { $_->{a} } grep { $_->{k} =~ /^rest:/ } ledger($t);
cmp_ok($left, '>', 20_000_000, 'the rest of the period is in the balance');
ctl($t, 'bill', 'adjust', $ac, '-' . ($left - 7_500_000) / 1e6, 'Paid back');
line($_) for @lines;
is(redis($t->{redis}, 'HGET', redis_key('money', $ac), 'balance'), 0,
    'the balance was paid back');
my $fsck = rblctl($t->{redis}, 'fsck');
is($fsck->{status}, 0, 'fsck finds nothing') or diag($fsck->{out});
done_testing();
