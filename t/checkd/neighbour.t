#!/usr/bin/perl

# A system list of addresses and domains answers every domain with a score (a
# neutral code) or with 127.0.0.2.  A customer adds its zone as an own URI list
# (another type: allowed), without codes: as that list it is wildcarding.  This
# evidence on the zone must not hold back the listings of the system list.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;

my @rules = (['^2\.0\.0\.127\.', { a => ['127.0.0.2'], ttl => 0 }],
    ['^bad\.example\.', { a => ['127.0.0.2'], ttl => 0 }],
    ['^1\.0\.0\.127\.', { rcode => 'nxdomain', soa => ['a.test', 2, 2] }],
    ['.', { a => ['127.0.0.15'], ttl => 3600 }]);
my $dns = RblDns->new(rules => \@rules);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip',
    families => ['ipv4', 'domain'],
    codes => ['127.0.0.2=listed', '~127.0.0.15=neutral'] } });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port },
    conf => { conf_short(control_retry => '1s') });

own_lists($w, 'a.test' => 'uribl');
my $u = add_host($w, 'other.example', type => 'uribl', family => 4);
wait_check($w, check_host($w, $u));
eventually { grep { redis($w->{redis}, 'HEXISTS', $_, 'lied domain') }
    @{ redis($w->{redis}, 'KEYS', '*:zone:*') } } 5,
    'his own list is wildcarding';
my $ht = add_host($w, 'bad.example', family => 4);
eventually { host_record($w, $ht)->{listed_count} >= 1 } 8,
    'the system list announces its listing';
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
