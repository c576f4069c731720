#!/usr/bin/perl

# A host goes from a code that is a listing to one that is not (mailspike:
# .12 -> .13): that is the list's own word, and no cache is between.  The
# listing ends soon, not after a day.

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
eventually { host_record($w, $ht)->{listed_count} == 1 } 10, 'listed';
$dns->rules(["^5\\.0\\.0\\.10$end", { a => ['127.0.0.13'], ttl => 2 }], @rest);
my $said = '';
my $ok = wait_for_end();
ok($ok, "the listing ends within 40 s ($said)");

sub wait_for_end {
    my $till = time + 40;
    while (time < $till) {
        my $pp = check_host($w, $ht);
        wait_check($w, $pp);
        my $d = details($w, $pp)->{'a.test'};
        $said = "$d->{status} $d->{error}";
        return 1 if host_record($w, $ht)->{listed_count} == 0;
        sleep 1;
    }
    return 0;
}
# Nor does it end when that has been said for 25 hours.
{
    wait_for { jobs_left($w) == 0 } 10, 'nothing to be under way';
    my $h = host_record($w, $ht);
    if (@{ $h->{details} }) {
        $h->{details}[0][8] = int(time * 1000) - 25 * 3_600_000;
        redis($w->{redis}, 'SET', RblCheckd::akey($w, 'r', $ht),
            record_pack('host', %$h, name => \$h->{name},
                value => \$h->{value}));
    }
    my $till2 = time + 20;
    my $gone;
    while (time < $till2 && !$gone) {
        my $pp = check_host($w, $ht);
        wait_check($w, $pp);
        $gone = host_record($w, $ht)->{listed_count} == 0;
        sleep 1;
    }
    ok($gone, 'the listing has ended a day later at the latest');
}
ok(stop_server($checkd), 'it stops');
$dns->stop;
done_testing();
