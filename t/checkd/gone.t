#!/usr/bin/perl

# The domain of an account's own list, which has no test entry, is gone for
# more than a day (it was not paid for): the zone above says of everything, the
# controls too, that it is not there.  A daemon that has seen the list alive
# sees by the SOA that this is not the list's word.

use strict;
use warnings;
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
my $acct = redis_key('acct', $w->{acct}{sid});
my $rb = fresh_sid('RB');
script_ok($w, 'rbl_add', [$acct], $rb, 'rbl', 'own.test');
script_ok($w, 'profile_add', [$acct], fresh_sid('RP'), 'own', 1, 1,
    @{ redis($w->{redis}, 'ZRANGE', RblCheckd::pkey($w, 'lists'), 0, -1) },
    $rb);
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{listed_count} == 1 } 10, 'listed';
sub result {
    my $pp = check_host($w, $ht);
    wait_check($w, $pp);
    my $d = details($w, $pp)->{'own.test'};
    return "$d->{status} $d->{error}";
}
is(result(), 'listed ', 'it stands');
my $pp = check_value($w, '10.0.0.6');
wait_check($w, $pp);

$dns->rules(['.', { rcode => 'nxdomain', soa => ['test', 2, 2] }]);
is(result(), 'unknown unhealthy', 'its zone is gone');
wait_for { jobs_left($w) == 0 } 10, 'nothing to be under way';
my $h = host_record($w, $ht);
$h->{details}[0][8] = int(time * 1000) - 25 * 3_600_000;
redis($w->{redis}, 'SET', RblCheckd::akey($w, 'r', $ht), record_pack('host',
    %$h, name => \$h->{name}, value => \$h->{value}));
like(result(), qr/^unknown/, 'for more than a day');
is(host_record($w, $ht)->{listed_count}, 1, 'the listing stands');
ok(stop_server($checkd), 'it stops');
$dns->stop;
done_testing();
