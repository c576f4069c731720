#!/usr/bin/perl

# A list (or the operator of the resolver: cache-max-negative-ttl) lowers for
# how long "not there" is kept.  From then on ends of listings are told as
# before, without a restart of the daemon.

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
eventually { host_record($w, $ht)->{listed_count} == 1 } 10, 'listed';
my $pp = check_value($w, '10.0.0.7');
wait_check($w, $pp);
$dns->rules(rules(2, 1));
$pp = check_value($w, '10.0.0.8');
wait_check($w, $pp);
$dns->rules(rules(2, 0));
my $said = '';
my $over = 0;
my $till = time + 40;
while (time < $till && !$over) {
    $pp = check_host($w, $ht);
    wait_check($w, $pp);
    my $d = details($w, $pp)->{'a.test'};
    $said = "$d->{status} $d->{error}";
    $over = host_record($w, $ht)->{listed_count} == 0;
    sleep 1;
}
ok($over, "the listing ends within 40 s ($said)");
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
$checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short() });
eventually { $pp = check_host($w, $ht); wait_check($w, $pp);
    host_record($w, $ht)->{listed_count} == 0 } 30,
    'a daemon that was started since sees that it has ended';
ok(stop_server($checkd), 'it stops');
$dns->stop;
done_testing();
