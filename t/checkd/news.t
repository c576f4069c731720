#!/usr/bin/perl

# How a daemon learns that a manual check waits: by a message, which may be lost;
# and how it learns of events: by reading each partition.

# Alone: the time until a check begins

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblDns;
use RblTest;
use Time::HiRes qw(time);

use constant { SOON => 0.1, CHECKS => 11 };     # s; the interval is 0.4 s

my $dns = RblDns->new(rules => [[ '.', { a => ['127.0.0.2'] } ]]);
my $w = world(no_dns => 1, zones => { 'a.test' => { codes => [] } });
my $redis = $w->{redis};
my %conf = (store => $redis, resolver => { port => $dns->port });
my $checkd = start_checkd(%conf, conf => { conf_short(deliver => 'on') });

sub subscribers { return redis($redis, 'PUBSUB', 'NUMSUB', 'rbl:news')->[1] }

# The median time from the request of a check until a daemon has it.
my $n = 0;
sub latency {
    my @took;
    for (1 .. CHECKS) {
        my $since = time;
        my $pp = check_value($w, '10.0.0.' . ++$n);
        wait_for { check_state($w, $pp)->{status} ne 'queued' } 10;
        push @took, time - $since;
    }
    wait_check($w, check_value($w, '10.0.0.' . ++$n));
    return (sort { $a <=> $b } @took)[CHECKS / 2];
}

eventually { subscribers() == 1 } 5, 'the daemon subscribes';
cmp_ok(latency(), '<', SOON, 'a check begins at once');

# Without messages.

expect_denial();
redis($redis, 'ACL', 'SETUSER', 'rbl-checkd', '-subscribe');
redis($redis, 'CLIENT', 'KILL', 'TYPE', 'pubsub');
ok(wait_log($checkd, qr/\[warn\].* NOPERM .*'subscribe'/, 5),
    'a missing right is logged');
is(subscribers(), 0, 'no daemon is subscribed without the right');
my $late = latency();
cmp_ok($late, '<', 0.6, 'a check without messages begins soon');
cmp_ok($late, '>', SOON, 'a check without messages waits for the interval');
is(log_count($checkd, '\[warn\].* NOPERM'), 1,
    'the log has one line about the missing right');
redis($redis, 'ACL', 'SETUSER', 'rbl-checkd', '+subscribe');
eventually { subscribers() == 1 } 5, 'the daemon subscribes again';
cmp_ok(latency(), '<', SOON, 'checks begin at once again');

# A message of no account.

redis($redis, 'PUBLISH', 'rbl:news', $_) for '', 'AC', "\0" x 100, 'x' x 10_000;
is(wait_check($w, check_value($w, '10.1.0.1'))->{status}, 'completed',
    'nonsense as a message does no harm');

# Redis is killed and comes back.

kill_server($redis);
wait_log($checkd, qr/store .*: (?:Connection|Server closed|No such)/, 5);
restart_server($redis);
init_store($redis, lists => $w->{lists_file});
$w->{acct} = make_account($redis);
eventually { subscribers() == 1 } 10,
    'the daemon subscribes after a restart of Redis';
eventually { wait_check($w, check_value($w, '10.1.0.2'))->{status}
    eq 'completed' } 10, 'the daemon finds checks after a restart of Redis';
cmp_ok(latency(), '<', SOON, 'checks begin at once after a restart of Redis');

# Two daemons.

my $second = start_checkd(%conf, conf => { conf_short(deliver => 'on') });
eventually { subscribers() == 2 } 5, 'a second daemon subscribes';
my @pp = map { check_value($w, "10.2.0.$_") } 1 .. 50;
eventually { !grep { check_state($w, $_)->{status} ne 'completed' } @pp } 20,
    'two daemons: all checks end';
eventually {
    my %by = map { my $d = $_; map { $_ => 1 }
        read_file($d->{log}) =~ /check (PP\w+) of a value: finished,/g }
        $checkd, $second;
    !grep { !$by{$_} } @pp;
} 5, 'one of the two daemons finishes each check';
cmp_ok(latency(), '<', SOON, 'two daemons: a check begins at once');
ok(stop_server($second), 'the second stops');

# A damaged outbox.

my ($bad, $good) = map { redis_key('outbox', $_) } 0, 1;
redis($redis, 'SET', $bad, 'x');
ok(wait_log($checkd, qr/cannot read the outbox of partition 0: WRONGTYPE/, 5),
    'a damaged outbox is logged');
redis($redis, 'XADD', $good, '*', 'a', 'x');
eventually { redis($redis, 'XLEN', $good) == 0 } 5,
    'the daemon reads the other outboxes';
redis($redis, 'DEL', $bad);
redis($redis, 'XADD', $bad, '*', 'a', 'x');
eventually { redis($redis, 'XLEN', $bad) == 0 } 5,
    'the repaired outbox is read again';
unlike(read_file($checkd->{log}), qr/outbox of partition [1-9]\d*:/,
    'no other outbox has an error');

ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
