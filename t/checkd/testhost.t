#!/usr/bin/perl

# An account's own list of domains, in a zone where a host is named "test".  The
# list need not have a test point; its listings count.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;

my $none = ['.', { rcode => 'nxdomain', soa => ['own.test', 2, 2] }];
my $dns = RblDns->new(rules => [
    ['^test\.own\.test( |$)', { a => ['10.1.2.3'], ttl => 2 }],
    ['^bad\.example\.own\.test( |$)', { a => ['127.0.0.2'], ttl => 2 }],
    $none]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'none' } });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port },
    conf => { conf_short(control_retry => '1s') });
own_lists($w, 'own.test' => 'uribl');
my $ht = add_host($w, 'bad.example', type => 'uribl', family => 4);
eventually { host_record($w, $ht)->{listed_count} == 1 } 10,
    'the own list lists the host';
is(log_count($checkd, 'own\.test.*wildcarding'), 0,
    'the list is not logged as wildcarding');
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
