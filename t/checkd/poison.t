#!/usr/bin/perl

# A check that repeatedly crashes its daemon is ended; checks in flight with it
# each time are not.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;

# Nothing is answered before the daemon is dead.
my $slow = { a => ['127.0.0.2'], delay => 0.4 };
my $dns = RblDns->new(rules => [[ '^66\.', 'mute' ], [ '.', $slow ]]);
my $w = world(no_dns => 1, partitions => 1, zones => { 'a.test' => {} });
my $n = 0;

sub checkd {
    return start_checkd(store => $w->{redis},
        resolver => { port => $dns->port }, conf => { conf_short(
            check_timeout => '2700ms', lease => '6s', dns_timeout => '2400ms',
            dns_tries => 1, name => 'd' . ++$n) });
}

my @others = map { check_value($w, "10.0.1.$_") } 1 .. 6;
my $poison = check_value($w, '10.0.0.66');
my @hosts = map { add_host($w, "10.0.2.$_") } 1 .. 4;

# The daemon is killed whenever it queries that value, as by a bug.
my $daemon = checkd();
my $deaths = 0;
for my $death (1 .. 3) {
    wait_for { $dns->asked('^66\.') > $deaths } 20, "query $death";
    kill_server($daemon);
    $deaths = $dns->asked('^66\.');
    $daemon = checkd();
}

my $state = wait_check($w, $poison, 60);
is($state->{status}, 'failed', 'the check that crashes its daemon fails');
is($state->{message}, 'The check failed after 3 attempts.',
    'the failed check names the three attempts');
is($deaths, 3, 'the check has crashed three daemons');
wait_for { jobs_left($w) == 0 } 60, 'the others';
my %states;
$states{ check_state($w, $_)->{status} }++ for @others;
is_deeply(\%states, { completed => scalar @others },
    'the one-offs beside it are completed');
is(scalar(grep { host_record($w, $_)->{checked} } @hosts), scalar @hosts,
    'the hosts beside the failed check are checked');
is(log_count($daemon, 'The check failed after 3'), 1,
    'the log has only one failed check');
ok(alive($daemon), 'the daemon lives');

done_testing();
