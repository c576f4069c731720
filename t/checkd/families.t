#!/usr/bin/perl

# A list that has its test points for IPv4 only: its responses for IPv6
# addresses.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;

my $listed = { a => ['127.0.0.2'], ttl => 2 };
my $clear = { rcode => 'nxdomain', soa => ['v.test', 2, 2] };
my $entry = '^1\.0\.(0\.)+8\.b\.d\.0\.1\.0\.0\.2\.v\.test';
my @rules = ([ '^2\.0\.0\.127\.v', $listed ], [ '.', $clear ]);
my $dns = RblDns->new(rules => [ [ $entry, $listed ], @rules ]);
my $w = world(no_dns => 1, zones => { 'v.test' => { control => 'ip',
    families => ['ipv4', 'ipv6'] } });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short() });

sub asked {
    my ($ht) = @_;

    my $pp = check_host($w, $ht);
    wait_check($w, $pp);
    my $d = details($w, $pp)->{'v.test'};
    return "$d->{status} $d->{error}";
}

my $ht = add_host($w, '2001:db8::1', family => 2);
my $other = add_host($w, '2001:db8::2', family => 2);
eventually { host_record($w, $ht)->{listed_count} == 1 } 10,
    'a listing of an IPv6 address is announced';
is(asked($other), 'skipped ',
    'an address family without a test point is skipped');
is(log_count($checkd, 'v\.test, ipv6.*: unsupported'), 1,
    'the log says that IPv6 is unsupported');

$dns->rules(@rules);
is(asked($ht), 'unknown unconfirmed',
    'the end of a listing needs confirmation');
is(host_record($w, $ht)->{listed_count}, 1, 'the listing is still current');
cmp_ok(cleared($w, $ht), '>', 0,
    'the record keeps the time of the first clear response');

# A list that is wildcarding for IPv6 is detected by random names.
$dns->rules($rules[0], [ '.', $listed ]);
my $third = add_host($w, '2001:db8::3', family => 2);
eventually { host_record($w, $third)->{checked} } 10,
    'a host is checked while the list is wildcarding';
is(host_record($w, $third)->{listed_count}, 0,
    'a wildcard response is not a listing');

done_testing();
