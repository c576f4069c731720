#!/usr/bin/perl

# Manual checks precede scheduled ones, but a flood of them must not stop the
# scheduled checks of other accounts.  A manual check does
# not wait for the scheduled checks of all partitions, however few slots there
# are.  Scheduled checks begin although the store is so far away that partitions
# are looked at for manual checks all the time.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;
use RblFault;

my $dns = RblDns->new(rules => [[ '.', { rcode => 3, delay => 0.2 } ]]);
my $w = world(no_dns => 1, partitions => 1,
    zones => { 'a.test' => {}, 'b.test' => {} });

my @pp = map { check_value($w, "10.0.0.$_") } 1 .. 120;
my $ht = add_host($w, '10.1.0.1');
start_checkd(store => $w->{redis}, resolver => { port => $dns->port },
    conf => { conf_short(checks_max => 2, check_timeout => '1s',
        lease => '2500ms', dns_timeout => '900ms') });

sub waiting { return grep { check_state($w, $_)->{status} eq 'queued' } @pp }

wait_for { host_record($w, $ht)->{checked} } 30, 'the scheduled check';
my $scheduled = host_record($w, $ht)->{checked};
wait_for { !waiting() } 60, 'all manual checks';
my @ended = map { check_state($w, $_)->{completed} // 0 } @pp;
cmp_ok(scalar(grep { $_ < $scheduled } @ended), '>=', 1,
    'manual checks begin before scheduled ones');
cmp_ok(scalar(grep { $_ > $scheduled } @ended), '>', 20,
    'the scheduled check does not wait for all of them');

$w = world(no_dns => 1, zones => { 'a.test' => {}, 'b.test' => {} });
for my $n (1 .. 48) {
    my $acct = make_account($w->{redis});
    script_ok($w, 'host_add', [redis_key('acct', $acct->{sid})], name => 'n',
        type => 'rbl', family => 1, host => [map { fresh_sid('HT') } 1 .. 4],
        value => [map { "10.2.$n.$_" } 1 .. 4]);
}
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short(checks_max => 2,
        check_timeout => '2s', lease => '10s', dns_timeout => '1800ms',
        log_level => 'info') });
wait_for { log_count($checkd, 'finished,') >= 4 } 15, 'scheduled checks';
my $before = log_count($checkd, 'finished,');
is(wait_check($w, check_value($w, '10.3.0.1'), 20)->{status}, 'completed',
    'a manual check among scheduled ones completes');
my $meanwhile = log_count($checkd, 'finished,') - $before;
note("$meanwhile checks meanwhile");
cmp_ok($meanwhile, '<', 12,
    'a manual check does not wait for due hosts of all partitions');
ok(stop_server($checkd), 'the daemon stops');

$w = world(no_dns => 1, zones => { 'a.test' => {}, 'b.test' => {} },
    redis => { cluster => 0 });
$ht = add_host($w, '10.4.0.1');
my $relay = start_relay($w->{redis});
relay_mode($relay, 'late 20');
start_checkd(store => $relay, resolver => { port => $dns->port },
    conf => { conf_short(checks_max => 1) });
eventually { host_record($w, $ht)->{checked} } 30,
    'the store is far away: a scheduled check';

done_testing();
