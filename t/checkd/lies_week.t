#!/usr/bin/perl

# A list was wildcarding with a TTL of a week, and a resolver caches that for a
# week (BIND's max-cache-ttl).  When the list passes its test points again, the
# cached response is still not a listing.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;

use constant WEEK => 7 * 86400;

my $end = '\.a\.test( |$)';
my $test = ["^2\\.0\\.0\\.127$end", { a => ['127.0.0.2'], ttl => 2 }];
my $none = ['.', { rcode => 'nxdomain', soa => ['a.test', 2, 2] }];
my $dns = RblDns->new(rules => [$test,
    ['.', { a => ['127.0.0.2'], ttl => WEEK }]]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port },
    conf => { conf_short(control_retry => '1s') });
sub result {
    my $pp = check_value($w, $_[0]);
    wait_check($w, $pp);
    my $d = details($w, $pp)->{'a.test'};
    return "$d->{status} $d->{error}";
}
is(result('10.0.0.1'), 'unknown unhealthy',
    'a list that is wildcarding is unhealthy');
my $ttl = WEEK - 100;
$dns->rules($test, ["^[25]\\.0\\.0\\.10$end", { a => ['127.0.0.2'],
    ttl => $ttl }], $none);
eventually { result('10.0.0.3') =~ /^clear/ } 20,
    'a host is clear when the list is valid again';
like(result('10.0.0.2'), qr/^unknown/,
    'a cached answer of the resolver is no listing');
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{checked} } 10,
    'the host with a cached response is checked';
is_deeply(history_of($w, $ht), [], 'nothing was reported');
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
