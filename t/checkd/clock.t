#!/usr/bin/perl

# The clock of the store was two days ahead while hosts were checked, and is set
# right: the hosts are checked within an interval, and the log says so.  No
# account is billed while the clocks differ.  The clock of the daemon is set back
# by two days: nothing that it does waits so long.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblClock;
use RblDns;
use RblNodes qw(receiver_of);
use RblTest;
use RblTest::Redis;

my %clock = clock_env();
set_clock(2 * 86_400);

my $dns = RblDns->new(rules => [test_entry(), not_there()]);
my $w;
{
    local @ENV{keys %clock} = values %clock;
    $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } },
        account => { args => ['--interval', '60'] });
}
my $checkd = start_checkd(store => $w->{redis}, resolver => $dns->port,
    conf => { conf_short(gateway => 'manual') });
my @host = map { add_host($w, "10.0.0.$_") } 1 .. 3;
sub checked { return scalar grep { host_record($w, $_)->{checked} } @host }
eventually { checked() == 3 } 30, 'the hosts are checked while it is ahead';
eventually { log_count($checkd, 'billing: nothing is done while the clocks') }
    30, 'the log says that no account is billed while the clocks differ';
set_clock(0);
sub late { return scalar grep { host_record($w, $_)->{checked} / 1000 > time
    + 3600 } @host }
is(late(), 3, 'the last checks are in the future');
eventually { late() == 0 } 120, 'the hosts are checked after it was set right';
cmp_ok(log_count($checkd, 'were due later than they can be'), '>', 0,
    'the log says that hosts were due too late');

ok(stop_server($checkd), 'the daemon stops');

# --- the clock of the daemon -------------------------------------------------

$dns->rules(['^9\.0\.0\.10\.', { a => ['127.0.0.2'], ttl => 0 }],
    test_entry(), not_there());
set_clock(0);
$w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } });
my $receiver = receiver_of($w);
sub heard { return scalar received($receiver) }
set_clock(2 * 86_400);
$checkd = start_checkd(store => $w->{redis}, resolver => $dns->port,
    env => \%clock, conf => { conf_short(deliver => 'on',
        deliver_http => 'on', deliver_allow => '127.0.0.0/8') });
my $listed = add_host($w, '10.0.0.9');
eventually { heard() == 1 } 30, 'an event is delivered while it is ahead';
eventually { log_count($checkd, 'clocks \(degraded\)') } 60,
    'the log says that the clock of the daemon is ahead';
set_clock(0);
check_host($w, $listed);
eventually { heard() == 2 } 30, 'an event is delivered when it was set back';
eventually { log_count($checkd, 'clocks: this is over') } 90,
    'the log says that the clocks agree';
redis($w->{redis}, 'CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
check_host($w, $listed);
eventually { heard() == 3 } 30, 'the daemon connects to the store again';
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
