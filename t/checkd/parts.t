#!/usr/bin/perl

# Hosts are in delegated parts of a list's zone ("10.a.test"), which have an SOA
# of their own: negative responses are cached for 2 s there and for 900 s where
# the test points are (a); or the test points are in such a part (b:
# "127.b.test").  The age of a response is unknown then; the end of a listing is
# announced after a day of negative responses.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time);

my %zone = ('a.test' => '10.0.0.5', 'b.test' => '10.0.0.6');
sub rules {
    my ($listed) = @_;
    return (["^2\\.0\\.0\\.127\\.", { a => ['127.0.0.2'], ttl => 2 }],
        $listed ? ["^[56]\\.0\\.0\\.10\\.", { a => ['127.0.0.2'], ttl => 2 }]
        : (),
        ['\.10\.a\.test', { rcode => 'nxdomain', soa => ['10.a.test', 2, 2] }],
        ['a\.test', { rcode => 'nxdomain', soa => ['a.test', 900, 900] }],
        ['\.127\.b\.test', { rcode => 'nxdomain',
            soa => ['127.b.test', 2, 2] }],
        ['.', { rcode => 'nxdomain', soa => ['b.test', 2, 2] }]);
}
my $dns = RblDns->new(rules => [rules(1)]);
my $w = world(no_dns => 1, zones => { map { $_ => { control => 'ip' } }
    keys %zone });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short() });
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{listed_count} == 2 } 10,
    'both lists list the host';
$dns->rules(rules(0));
sub ends {
    my ($s) = @_;
    my $till = time + $s;
    my %left;
    do {
        wait_check($w, check_host($w, $ht));
        %left = map { $_->[1] => 1 } @{ host_record($w, $ht)->{details} };
        sleep 1;
    } while (%left && time < $till);
    return join ' ', sort keys %left;
}
is(ends(5), 'a.test b.test', 'no listing ends at once');
cleared($w, $ht, time * 1000 - 25 * 3_600_000);
is(ends(15), '', 'both listings end after a day');
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
