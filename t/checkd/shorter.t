#!/usr/bin/perl

# A list (or the resolver's cache-max-negative-ttl) lowers the TTL of negative
# responses.  From then on ends of listings are announced as before, without a
# restart of the daemon.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;

my $end = '\.a\.test( |$)';
sub rules {
    my ($negative, $listed) = @_;
    return (["^2\\.0\\.0\\.127$end", { a => ['127.0.0.2'], ttl => 2 }],
        $listed ? ["^5\\.0\\.0\\.10$end", { a => ['127.0.0.2'], ttl => 2 }]
        : (), ['.', { rcode => 'nxdomain',
            soa => ['a.test', $negative, $negative] }]);
}
my $dns = RblDns->new(rules => [rules(900, 1)]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short() });
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{listed_count} == 1 } 10,
    'the list lists the host';
wait_check($w, check_value($w, '10.0.0.7'));
$dns->rules(rules(2, 1));
wait_check($w, check_value($w, '10.0.0.8'));
$dns->rules(rules(2, 0));
eventually { verdict($w, $ht, 'a.test') eq 'clear ' } 40, 'the listing ends';
is(host_record($w, $ht)->{listed_count}, 0,
    'the record of the host has no listing');
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
