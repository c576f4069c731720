#!/usr/bin/perl

# Resolver mode: a resolver shares one SOA record between all negative responses
# of a zone.  A fresh response then has less than its whole TTL.  The end of a
# listing is still announced in time.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(sleep time);

use constant { ENTRY => 2, KEPT => 7, LEFT => 4 };      # s

sub denied { return { rcode => 'nxdomain', soa => ['a.test', $_[0], KEPT] } }

my @entry = ('^2\.0\.0\.127\.', { a => ['127.0.0.2'], ttl => ENTRY });
my $dns = RblDns->new(rules => [[@entry],
    ['^1\.0\.0\.10\.', { a => ['127.0.0.2'], ttl => 1 }],
    ['\.a\.test', denied(LEFT)], ['.', denied(LEFT)]]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } });
my $checkd = start_checkd(store => $w->{redis}, resolver => $dns->port,
    conf => { conf_short() });
my $ht = add_host($w, '10.0.0.1');
eventually { host_record($w, $ht)->{listed_count} == 1 } 20,
    'the list lists the host';

$dns->rules([@entry], ['^1\.0\.0\.10\.', denied(KEPT)],
    ['\.a\.test', denied(LEFT)], ['.', denied(LEFT)]);
my $ended = time;
set_due($w, $ht);
eventually { host_record($w, $ht)->{listed_count} == 0 } 40,
    'the end is reported, though the host\'s response has a longer TTL';
cmp_ok(time - $ended, '>', ENTRY + KEPT,
    'the end is reported after the whole TTL');

ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
