#!/usr/bin/perl

# Each condition of the service is planted, named by rblctl status and by nginx
# with its remedy, and ends.  A healthy system names none.  DNS: verdict.t and
# unreachable.t.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;
use RblPrometheus;

# A clock that is a minute ahead.
my $ahead = temp_dir() . '/ahead';
write_file("$ahead.c", <<'C');
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int
clock_gettime(clockid_t id, struct timespec *ts)
{
    int  rc = (int) syscall(SYS_clock_gettime, id, ts);

    ts->tv_sec += id == CLOCK_REALTIME ? 60 : 0;

    return rc;
}
C
my $made = run_cmd('cc', '-shared', '-fPIC', '-o', "$ahead.so", "$ahead.c");

my @zones = map { "$_.test" } qw(a b c);
my %rule = map { $_ => { control => 'ip' } } @zones;
my @yes = (test_entry(), not_there());
my $dns = RblDns->new(rules => \@yes);
my $w = world(no_dns => 1, zones => \%rule,
    redis => { port => 1, cluster => 0 });
my $redis = $w->{redis};
my $nginx = start_nginx(store => $redis,
    http => 'rbl_zone rbl 1m; rbl_store_timeout 2s;',
    server => 'location /metrics { rbl_status prometheus; }'
        . ' location /status { rbl_status; }');

sub start {
    my (%o) = @_;
    return start_checkd(store => $redis, resolver => $dns->port,
        env => delete $o{env} // {}, conf => { conf_short(name => 'one',
            control_retry => '1s', deliver => 'off', %o) });
}

sub conditions {
    return { map { $_->{name} => $_ }
        @{ json(rblctl($redis, '--json', 'status')->{out})->{conditions} } };
}

sub sample {
    my ($name) = @_;
    my $m = prometheus(http($nginx, 'GET', '/metrics')->{body});
    my ($family) = $name =~ /^(\w+)/;
    return $m->{$family}{samples}{$name} // 'none';
}

# A list is tested while it is used.
my $values = 0;
sub use_lists { check_value($w, '10.0.1.' . ++$values % 250) }

# The condition is named on all surfaces with this state and reason.
sub named {
    my ($name, $state, $reason) = @_;

    my $c;
    eventually { use_lists() if $name =~ /lists/; ($c = conditions()->{$name})
        && $c->{state} eq $state && $c->{reason} =~ $reason } 60,
        "$name: rblctl status names it";
    ok($c && $c->{remedy} =~ /\w+ \w+/, "$name: rblctl status has a remedy")
        or diag(rblctl($redis, 'status')->{out});
    my $r = rblctl($redis, 'status');
    like($r->{out}, qr/^$name: $state\b.*: .*; /m,
        "$name: the text of rblctl status has a line");
    cmp_ok($r->{status}, '>=', $state eq 'broken' ? 2 : 1,
        "$name: the exit status is not good");
    eventually { sample("rbl_condition{name=\"$name\"}") eq '1' } 20,
        "$name: the metrics of nginx name it";
    my ($row) = grep { $_->{name} eq $name }
        @{ json(http($nginx, 'GET', '/status'))->{conditions} };
    is($row && $row->{state}, $state, "$name: rbl_status has its state");
}

sub over {
    my ($name) = @_;

    eventually { use_lists() if $name =~ /lists/; !conditions()->{$name} } 90,
        "$name: rblctl status names it no longer";
    eventually { sample("rbl_condition{name=\"$name\"}") eq '0' } 20,
        "$name: the metrics of nginx name it no longer";
}

sub healthy {
    my ($when) = @_;

    eventually { rblctl($redis, 'status')->{out} =~ /^good$/m } 60,
        "a healthy system $when: rblctl status says good";
    my $r = rblctl($redis, 'status');
    is($r->{status}, 0, "a healthy system $when: the exit status is 0")
        or diag($r->{out});
    eventually { sample('rbl_verdict') eq '0' } 20,
        "a healthy system $when: the metrics say good";
}

my $one = start();
check_host($w, add_host($w, '10.0.0.1'));
eventually { json(rblctl($redis, '--json', 'lists', 'show')->{out})->[0]{health}
    } 30, 'the lists are tested';
healthy('at first');

# --- lists -------------------------------------------------------------------

rblctl($redis, 'lists', 'override', 'a.test', '--tier', 'critical');
$dns->rules(['\.a\.test ' => 'servfail'], @yes);
named('critical_lists', 'degraded', qr/one: .*: a\.test/);
ok(!conditions()->{silent_lists}, 'one of three lists is not the most of them');
$dns->rules(['\.[ab]\.test ' => 'servfail'], @yes);
named('silent_lists', 'degraded', qr/2 of 3 lists do not answer: a\.test, b/);
is(log_count($one, 'critical_lists \(degraded\): .*a\.test; '), 1,
    'the log has one line when a condition begins');
$dns->rules(@yes);
over($_) for 'silent_lists', 'critical_lists';
eventually { log_count($one, 'critical_lists: this is over') == 1 } 120,
    'the log has one line when a condition ends';
healthy('with all lists');

# --- the store's settings ----------------------------------------------------

redis($redis, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
named('store_evicting', 'degraded', qr/allkeys-lru/);
redis($redis, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
over('store_evicting');

my $replica = start_redis(port => 1, cluster => 0);
redis($redis, 'CONFIG', 'SET', 'repl-diskless-sync-delay', 0);
redis($replica, 'REPLICAOF', '127.0.0.1', $redis->{port});
eventually { redis($replica, 'INFO', 'replication')
    =~ /master_link_status:up/ } 30, 'the replica follows its master';
my $looked = time;
wait_for { time - $looked > 35 } 60;      # the daemon looks every half a minute
ok(stop_server($replica), 'the replica stops');
named('store_replicas', 'degraded', qr/0 of 1 replicas/);
ok(stop_server($one), 'the daemon stops');

# --- what waits --------------------------------------------------------------

my $part = partition_of($w->{acct}{sid});
my $ht = add_host($w, '10.0.0.9');
redis($redis, 'ZADD', "rbl:{$part}:due", 1000 * (time - 600), $w->{acct}{sid});
redis($redis, 'ZADD', redis_key('due', $w->{acct}{sid}),
    1000 * (time - 600), $ht);
redis($redis, 'XADD', "rbl:{$part}:outbox", 1000 * (time - 600) . '-0', 'x',
    'y');
$one = start(schedule => 'off');
named('late_checks', 'degraded', qr/waited for 10 minutes/);
named('deliveries', 'degraded', qr/waited for 10 minutes; this daemon/);
ok(stop_server($one), 'the daemon without a schedule stops');
redis($redis, 'DEL', "rbl:{$part}:outbox");
$one = start();
over($_) for 'late_checks', 'deliveries', 'store_replicas';
healthy('with a schedule');
ok(stop_server($one), 'the daemon stops');

# --- configuration -----------------------------------------------------------

$one = start(deliver => 'on');
my $r = http($nginx, 'POST', '/3.0/contact/add.json', auth => $w->{acct},
    form => { type => 'email', value => 'jo@example.org' });
is($r->{status}, 200, 'a contact that wants mails is added')
    or diag($r->{raw});
named('mail_server', 'degraded', qr/no SMTP server/);
ok(stop_server($one), 'the daemon without a mail server stops');

my $file = temp_dir() . '/keyed.json';
write_file($file, RblCheckd::lists_json({ %rule,
    '{key}.k.test' => { control => 'ip' } }));
$r = rblctl($redis, 'lists', 'load', $file);
is($r->{status}, 0, 'a list with a key is loaded') or diag($r->{err});
$one = start();
named('credential', 'degraded', qr/\{key\}\.k\.test/);
rblctl($redis, 'lists', 'disable', '{key}.k.test');
over('credential');

SKIP: {
    skip 'no C compiler', 1 if $made->{status} || $ENV{RBL_ASAN};
    my $two = start(name => 'two', env => { LD_PRELOAD => "$ahead.so" });
    named('clocks', 'degraded', qr/two: the clock here is \d+ s ahead of/);
    ok(stop_server($two), 'the daemon with another clock stops');
    over('clocks');
}
healthy('with one clock');

# --- the store itself --------------------------------------------------------

redis($redis, 'CONFIG', 'SET', 'maxmemory', 1);
named('store_refuses', 'broken', qr/OOM/);
is(messages($nginx, qr/refuses changes: OOM/), 2,
    'each worker has one line about a store that refuses');
like(http($nginx, 'GET', '/3.0/listings.nagios', auth => $w->{acct})->{body},
    qr/^UNKNOWN - The database takes no changes/,
    'Nagios gets UNKNOWN while the store refuses changes');
redis($redis, 'CONFIG', 'SET', 'maxmemory', 0);
over('store_refuses');
healthy('with a store that takes changes');

my $gone = { sid => 'AC' . '1' x 32, app => 'AP' . '1' x 32, token => 'x' };
is(http($nginx, 'GET', '/3.0/hosts.json', auth => $gone)->{status}, 401,
    'an unknown account gets 401');
my %kept = map { $_ => redis($redis, 'DUMP', $_) } @{ redis($redis, 'KEYS',
    '*') };
redis($redis, 'FLUSHALL');
eventually { http($nginx, 'GET', '/3.0/hosts.json', auth => $w->{acct})
    ->{status} == 503 } 10, 'an emptied store gives 503';
like(http($nginx, 'GET', '/3.0/hosts.json', auth => $w->{acct})->{body},
    qr/lost its data/, 'the answer says that the store has lost its data');
ok(messages($nginx, qr/was emptied: the store has lost its meta data/),
    'the log says that the store was emptied');
eventually { conditions()->{store_emptied} } 20,
    'rblctl status names the emptied store';
is(rblctl($redis, 'status')->{status}, 2,
    'rblctl status exits with 2 with an emptied store');
eventually { sample('rbl_condition{name="store_emptied"}') eq '1' } 20,
    'the metrics name the emptied store';
redis($redis, 'FLUSHALL');
redis($redis, 'RESTORE', $_, 0, $kept{$_}) for keys %kept;
eventually { http($nginx, 'GET', '/3.0/hosts.json', auth => $w->{acct})
    ->{status} == 200 } 20, 'a restored store serves again';
over('store_emptied');

ok(stop_server($one), 'the daemon stops');
named('no_daemon', 'broken', qr/no daemon has reported/);

kill_server($redis);
eventually { sample('rbl_condition{name="store_away"}') eq '1' } 20,
    'the metrics name a store that is away';
is(sample('rbl_verdict'), '2', 'a store that is away is broken');
is(rblctl($redis, 'status')->{status}, 3,
    'rblctl status exits with 3 without the store');

$dns->stop;
done_testing();
