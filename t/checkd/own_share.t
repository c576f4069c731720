#!/usr/bin/perl

# An account whose own lists answer their test points and drop all other
# queries, next to another account.  The checks of the other account stay as
# good and as fast, and the queries to the lists' servers for the first account
# are bounded.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time);

use constant { LISTS => 60, CHECKS => 20, RATE => 10 };

my $dns = RblDns->new(rules => [ test_entry(),
    ['^(?!.*\.10\.)[^ ]*\.bad\.test A$' => { rcode => 3,
        soa => ['test', 0, 0] }],
    ['\.bad\.test ' => 'mute'], not_there() ]);
my $bad = world(no_dns => 1, partitions => 1, zones => { 'a.test' => {
    control => 'ip' }, 'b.test' => { control => 'ip' } });
my $good = { %$bad, acct => make_account($bad->{redis}, name => 'Good') };
own_lists($bad, map { ("z$_.bad.test" => 'rbl') } 1 .. LISTS);
own_lists($good, 'mine.own.test' => 'rbl');
my $checkd = start_checkd(store => $bad->{redis}, resolver => $dns,
    conf => { conf_short(check_timeout => '10s', lease => '30s',
        dns_timeout => '1s', dns_in_flight => 32, dns_own_rate => RATE) });

my $began = time;
my @attack = map { check_value($bad, "10.0.0.$_") } 1 .. CHECKS;
wait_for { $dns->asked('\.bad\.test A$') > 20 } 20, 'the attack to start';
my @pp = map { check_value($good, "10.1.0.$_") } 1 .. 40;
for my $pp (@pp) {
    wait_check($good, $pp, 60);
    my $d = details($good, $pp);
    push @{ $good->{bad} }, map { "$_ $d->{$_}{status} $d->{$_}{error}" }
        grep { $d->{$_}{status} ne 'clear' } sort keys %$d;
}
is_deeply($good->{bad} // [], [],
    "40 checks of another account get answers of all lists");
my $asked = $dns->asked('\.bad\.test A$');
my $most = RATE * 20 + RATE / 5 * 60 + (RATE + RATE / 5) * (time - $began);
cmp_ok($asked, '<=', $most + 2, 'the queries of all own lists are bounded');

wait_check($bad, $_, 60) for @attack;
my %error;
for my $pp (@attack) {
    my $d = details($bad, $pp);
    $error{"$d->{$_}{status} $d->{$_}{error}"}++
        for grep { /bad\.test/ } keys %$d;
}
is(join(' ', sort map { /^(?:unknown (?:timeout|quota)|clear )$/ ? () : $_ }
    keys %error), '', 'all of the attack is unknown, by timeout or quota');
ok($error{'unknown quota'}, 'some queries are over the rate');
$asked = $dns->asked('\.bad\.test A$');
$most = RATE * 20 + RATE / 5 * 60 + (RATE + RATE / 5) * (time - $began);
cmp_ok($asked, '<=', $most + 2, 'the queries of the ended attack are bounded');

# One such list: it is detected, and then answers again.

my $one = { %$bad, acct => make_account($bad->{redis}, name => 'One') };
own_lists($one, 'one.bad.test' => 'rbl');
my $mute = 'list one\.bad\.test, .* its queries ';
wait_check($one, $_, 30) for map { check_value($one, "10.2.0.$_") } 1 .. 16;
is(log_count($checkd, $mute . 'time out while'), 1,
    'a list that answers its test points alone is found out');
$dns->set('\.bad\.test ', { rcode => 3, soa => ['test', 0, 0] });
eventually {
    my $pp = check_value($one, '10.2.1.1');
    wait_check($one, $pp);
    details($one, $pp)->{'one.bad.test'}{status} eq 'clear';
} 60, 'the list is accepted soon after it responds';
is(log_count($checkd, $mute . 'get responses again'), 1, 'the log has it');
ok(stop_server($checkd), 'the daemon stops');
done_testing();
