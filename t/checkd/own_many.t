#!/usr/bin/perl

# Many own lists of one account list a host at the same time.  Each list must
# pass its test points and a sample within the check, and the account's budget
# is not sufficient for all of them.  The lists take turns: each check announces
# some.

use strict;
use warnings;

use RblCheckd;
use RblDns;
use RblTest;

use constant { LISTS => 60, RATE => 50 };

my $dns = RblDns->new(rules => [ test_entry(),
    ['^5\.0\.0\.10\.' => { a => ['127.0.0.2'], ttl => 0 }],
    ['.' => { rcode => 3, soa => ['test', 0, 0] }] ]);
my $w = world(no_dns => 1, partitions => 1, zones => {});
own_lists($w, map { ("l$_.own.test" => 'rbl') } 1 .. LISTS);
start_checkd(store => $w->{redis}, resolver => $dns,
    conf => { conf_short(check_timeout => '6s', lease => '15s',
        dns_own_rate => RATE) });

my $ht = add_host($w, '10.0.0.5');
my @listed;
for (1 .. 3) {
    wait_check($w, check_host($w, $ht), 20);
    push @listed, host_record($w, $ht)->{listed_count};
}
cmp_ok($listed[0], '<', LISTS,
    'the budget is not enough for all lists at once');
cmp_ok($listed[0], '>', 0, 'the budget is enough for some of the lists');
cmp_ok($listed[2], '>', $listed[0], 'later checks find more lists');

done_testing();
