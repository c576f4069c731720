#!/usr/bin/perl

# An account's own list once had 127.0.0.2 as a test by its owner, and has it no
# longer.  It need not have it: its listings count.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;

my $none = ['.', { rcode => 'nxdomain', soa => ['own.test', 2, 2] }];
my $dns = RblDns->new(rules => [
    ['^2\.0\.0\.127\.own\.test( |$)', { a => ['127.0.0.2'], ttl => 2 }],
    ['^6\.0\.0\.10\.own\.test( |$)', { a => ['127.0.0.2'], ttl => 2 }],
    $none]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'none' } });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port },
    conf => { conf_short(control_retry => '1s') });
own_lists($w, 'own.test' => 'rbl');
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{checked} } 10,
    'the unlisted host is checked';
my $ends = add_host($w, '10.0.0.6');
eventually { host_record($w, $ends)->{listed_count} == 1 } 10,
    'another is listed';
$dns->rules(['^5\.0\.0\.10\.own\.test( |$)', { a => ['127.0.0.2'], ttl => 2 }],
    $none);
is(verdict($w, $ends, 'own.test'), 'unknown unhealthy',
    'no listing ends without the test point');
eventually { verdict($w, $ht, 'own.test') eq 'listed ' } 30,
    'a listing is reported';
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
