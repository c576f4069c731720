#!/usr/bin/perl

# Responses with hundreds of addresses, and a resolver that drops queries with
# EDNS, get the same verdicts as others.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;

my @neutral = map { '127.0.' . (1 + ($_ >> 8)) . '.' . ($_ & 255) } 2 .. 400;
my @rules = (
    ['^2\.0\.0\.10\.a\.test A$' => { a => [@neutral, '127.0.0.2'] }],
    ['^3\.0\.0\.10\.a\.test A$' => { tc => 1, a => [@neutral, '127.0.0.2'] }],
    ['^4\.0\.0\.10\.a\.test A$' => { tc => 1, a => \@neutral }],
    ['^5\.0\.0\.10\.a\.test A$' => { tc => 1, a => [@neutral, '10.0.0.1'] }],
    test_entry(), not_there());
my $dns = RblDns->new(rules => \@rules);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip',
    codes => ['127.0.0.2=listed', '~127.0.1.0-127.0.2.255=neutral'] } });
my $checkd = start_checkd(store => $w->{redis}, resolver => $dns,
    conf => { conf_short() });

sub look {
    my ($ip) = @_;

    my $pp = check_value($w, $ip);
    wait_check($w, $pp);
    return details($w, $pp)->{'a.test'};
}

my %want = ('10.0.0.2' => 'listed ', '10.0.0.3' => 'listed ',
    '10.0.0.4' => 'clear ', '10.0.0.5' => 'unknown hijacked');
for my $ip (sort keys %want) {
    my $d = look($ip);
    is("$d->{status} $d->{error}", $want{$ip}, "$ip: 400 addresses");
    cmp_ok(scalar @{ $d->{codes} }, '<=', 16,
        "$ip: at most 16 addresses are shown");
    is($d->{codes}[0], '127.0.0.2', "the first code of $ip is 127.0.0.2")
        if $want{$ip} eq 'listed ';
}

# This server drops queries with EDNS.
my $deaf = RblDns->new(rules => [
    ['^2\.0\.0\.10\.' => { a => ['127.0.0.2'], drop_edns => 1 }],
    ['^2\.0\.0\.127\.' => { a => ['127.0.0.2'], ttl => 0, drop_edns => 1 }],
    ['.' => { more => [[2, 'test', 'SOA', ['ns.test', 'admin.test', 1, 2, 3, 4,
        0], 0]], rcode => 3, drop_edns => 1 }] ]);
ok(stop_server($checkd), 'the daemon stops');
$checkd = start_checkd(store => $w->{redis}, resolver => $deaf,
    conf => { conf_short() });
for my $n (0 .. 9) {
    my $d = look("10.1.0.$n");
    is("$d->{status} $d->{error}", 'clear ', "10.1.0.$n: is clear");
}
is(look('10.0.0.2')->{status}, 'listed', 'the host 10.0.0.2 is listed');
ok(stop_server($checkd), 'the daemon stops');
done_testing();
