#!/usr/bin/perl

# As gone.t, with an alias: the domain of an account's own list is gone, and the
# parent zone answers all names below it with an alias to a missing name, deep
# in a foreign zone.  These are not responses of the list, either.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time);

my $dns = RblDns->new(rules => [
    ['^5\.0\.0\.10\.own\.test( |$)', { a => ['127.0.0.2'], ttl => 2 }],
    ['.', { rcode => 'nxdomain', soa => ['own.test', 2, 2] }]]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'none' } });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short() });
own_lists($w, 'own.test' => 'rbl');
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{listed_count} == 1 } 10,
    'the own list lists the host';
is(verdict($w, $ht, 'own.test'), 'listed ',
    'the first result of the host is a listing');
wait_check($w, check_value($w, '10.0.0.6'));

$dns->rules(['.', { rcode => 'nxdomain',
    more => [[1, '', 'CNAME', 'x.parked.cloud.example', 2]],
    soa => ['parked.cloud.example', 2, 2] }]);
like(verdict($w, $ht, 'own.test'), qr/^unknown/,
    'an alias of the parent zone makes the host unknown');
cleared($w, $ht, time * 1000 - 25 * 3_600_000);
like(verdict($w, $ht, 'own.test'), qr/^unknown/,
    'the host is unknown after a day of such aliases');
is(host_record($w, $ht)->{listed_count}, 1, 'the listing is current');
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
