#!/usr/bin/perl

# A list is shut down by a wildcard next to its old data (BIND, not rbldnsd):
# "*.a.test A 127.0.0.2".  Its test point 2.0.0.127.a.test makes 127.a.test an
# empty non-terminal, below which no wildcard works (RFC 4592, 2.2.2): 127.0.0.1
# and every random name below 127 do not exist.  The list is wildcarding.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;

my $dns = RblDns->new(rules => [
    ['^2\.0\.0\.127\.a\.test( |$)', { a => ['127.0.0.2'], ttl => 60 }],
    ['\.127\.a\.test( |$)', { rcode => 'nxdomain', soa => ['a.test', 2, 2] }],
    ['.', { a => ['127.0.0.2'], ttl => 60 }]]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short() });
my @ht = map { add_host($w, "10.$_.0.5") } 1 .. 4;
eventually { 4 == grep { host_record($w, $_)->{checked} } @ht } 15,
    'all four hosts are checked';
is_deeply([map { map { $_->{v} } @{ history_of($w, $_) } } @ht], [],
    'no host is reported as listed');
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
