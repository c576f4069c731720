#!/usr/bin/perl

# A daemon adds its counters to the points of the service, and to the hours of
# each list, once.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblDns;
use RblTest;

my $dns = RblDns->new(rules => [
    [ '^1\.0\.0\.10\.a\.test' => { a => ['127.0.0.2'], txt => ['why'] } ],
    [ '\.b\.test' => 'refused' ],
    [ '\.c\.test' => 'servfail' ],
    [ '.', { rcode => 'nxdomain', soa => ['test', 60, 60] } ],
]);
my $w = world(no_dns => 1, zones => { map { ("$_.test" => {}) } qw(a b c) });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short(name => 'one',
    schedule => 'off') });
wait_check($w, check_value($w, "10.0.0.$_"), 20) for 1 .. 3;

my @names = qw(reports checks answered refused timed_out failed oldest delivered
    retried dead);
# The sums of all days and hours.
sub of_days { return map { s/^rbl:\{\w+\}://r } grep { /:$_[0]:/ }
    @{ redis($w->{redis}, 'KEYS', "rbl:{0}:$_[0]:*") } }
sub service {
    my %sum;
    for my $key (of_days('series')) {
        my @n = unpack 'N*', redis($w->{redis}, 'GET', "rbl:{0}:$key");
        $sum{ $names[$_ % 10] } += $n[$_] for 0 .. $#n;
    }
    return \%sum;
}
sub of_lists {
    my %sum;
    for my $key (of_days('responses')) {
        my %raw = @{ redis($w->{redis}, 'HGETALL', "rbl:{0}:$key") };
        for my $list (keys %raw) {
            my @n = unpack 'N*', $raw{$list};
            $sum{$list}[$_ % 3] += $n[$_] for 0 .. $#n;
        }
    }
    return \%sum;
}

eventually { (service()->{checks} // 0) == 3 } 50,
    'the points have the three checks';
my $sum = service();
cmp_ok($sum->{$_}, '>', 0, "some queries are $_") for qw(answered refused
    failed);
is($sum->{oldest}, 0, 'no check has waited');
my $of = of_lists();
is(scalar keys %$of, 3, 'each list has its hours');
my @all = map { my $i = $_; my $n = 0; $n += $_->[$i] for values %$of; $n }
    0 .. 2;
is_deeply(\@all, [$sum->{answered}, $sum->{refused},
    $sum->{failed} + $sum->{timed_out}],
    'the lists together have the queries of the service');
is(scalar @{ redis($w->{redis}, 'HKEYS', 'rbl:{0}:responded') }, 1,
    'one list has answered');
my $reports = $sum->{reports};
eventually { service()->{reports} > $reports } 50, 'the daemon reports again';
is(service()->{checks}, 3, 'no check is counted twice');

done_testing();
