#!/usr/bin/perl

# A resolver (for example the stub of systemd-resolved) returns negative
# responses without the SOA, so their age is unknown.  A list was empty for a
# while, and the resolver still caches a negative response of that time,
# although the list has all its data again.  The listing must not end until the
# list has been negative for a day.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblDns;
use RblTest;
use Time::HiRes qw(time);

sub listed {
    my ($name, $zone) = @_;

    return ["^\Q$name.$zone\E( |\$)", { a => ['127.0.0.2'], ttl => 1 }];
}
my %none = (rcode => 'nxdomain', soa => undef);
my @entries = map { listed('2.0.0.127', $_) } 'a.test', 'b.test';
my @rest = (@entries, ['.', { %none }]);
my $dns = RblDns->new(rules => [listed('5.0.0.10', 'a.test'),
    listed('5.0.0.10', 'b.test'), @rest]);
my $w = world(no_dns => 1, zones => { map { $_ => { control => 'ip' } }
    'a.test', 'b.test' });
sub daemon {
    return start_checkd(store => $w->{redis},
        resolver => { port => $dns->port },
        conf => { conf_short(control_retry => '1s', dns_timeout => '2s',
            check_timeout => '9s', lease => '20s') });
}
my $checkd = daemon();
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{listed_count} == 2 } 10,
    'both lists list the host';

$dns->rules(listed('5.0.0.10', 'b.test'), ['.', { %none }]);
is(verdict($w, $ht, 'a.test'), 'unknown unhealthy', 'the list is emptied');
$dns->rules(listed('5.0.0.10', 'b.test'), @rest);
my $said = '';
my $till = time + 10;
while (time < $till && $said !~ /clear/) {
    $said = verdict($w, $ht, 'a.test');
    select undef, undef, undef, 0.5;
}
is($said, 'unknown unconfirmed',
    'the test point is back, the host is not yet clear');
my $h = host_record($w, $ht);
cmp_ok($h->{next_check} - $h->{checked}, '>', 300_000,
    'an earlier query would show nothing');
cleared($w, $ht, time * 1000 - 25 * 3_600_000);
is(verdict($w, $ht, 'a.test'), 'clear ', 'a day does');

# Another list's SOA comes through the same resolver: the resolver strips none,
# and does not cache negative responses of a list without SOA (RFC 2308, 5).

$dns->rules(@entries, ['b\.test', { rcode => 'nxdomain',
    soa => ['b.test', 1, 1] }], ['.', { %none }]);
eventually { verdict($w, $ht, 'b.test') eq 'clear ' } 20,
    'where there is an SOA a listing ends soon';
$dns->rules(listed('5.0.0.10', 'a.test'), @rest);
eventually { verdict($w, $ht, 'a.test') eq 'listed ' } 20,
    'a.test lists the host again';
$dns->rules(@rest);
eventually { verdict($w, $ht, 'a.test') eq 'clear ' } 20,
    'a listing also ends soon on a list without an SOA';
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
