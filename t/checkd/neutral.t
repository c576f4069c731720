#!/usr/bin/perl

# A host changes from a code that is a listing to one that is not (mailspike:
# .12 -> .13).  This is a response of the list itself, and no cache is involved.
# The listing ends soon, not after a day.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;

my $end = '\.a\.test( |$)';
my @rest = (["^2\\.0\\.0\\.127$end", { a => ['127.0.0.2'], ttl => 2 }],
    ['.', { rcode => 'nxdomain', soa => ['a.test', 60, 60] }]);
my $dns = RblDns->new(rules => [["^5\\.0\\.0\\.10$end",
    { a => ['127.0.0.2'], ttl => 2 }], @rest]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip',
    codes => ['127.0.0.2=listed', '~127.0.0.13=neutral'] } });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short() });
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{listed_count} == 1 } 10,
    'the first code lists the host';
$dns->rules(["^5\\.0\\.0\\.10$end", { a => ['127.0.0.13'], ttl => 2 }], @rest);
eventually { verdict($w, $ht, 'a.test') eq 'clear ' } 40, 'the listing ends';
is(host_record($w, $ht)->{listed_count}, 0,
    'the record of the host has no listing');
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
