#!/usr/bin/perl

# Each condition that a daemon sees is planted, named by rblctl status and by
# nginx with its remedy, and ends.  A healthy system names none.  DNS: verdict.t
# and unreachable.t; those that a reader sees: conditions_store.t.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblClock;
use RblConditions;
use RblDns;

my @zones = map { "$_.test" } qw(a b c);
my %rule = map { $_ => { control => 'ip' } } @zones;
my @yes = (test_entry(), not_there());
my $dns = RblDns->new(rules => \@yes);
my $w = world(no_dns => 1, zones => \%rule,
    redis => { port => 1, cluster => 0 });
my $redis = $w->{redis};
my $nginx = condition_nginx($w);
my $values = 0;
# A list is tested while it is used.
$w->{poke} = sub { check_value($w, '10.0.1.' . ++$values % 250) };

sub start {
    my (%o) = @_;
    return start_checkd(store => $redis, resolver => $dns->port,
        env => delete $o{env} // {}, conf => { conf_short(name => 'one',
            control_retry => '1s', deliver => 'off', %o) });
}

my $one = start();
check_host($w, add_host($w, '10.0.0.1'));
eventually { json(rblctl($redis, '--json', 'lists', 'show')->{out})->[0]{health}
    } 30, 'the lists are tested';
healthy($w, 'at first');

# --- lists -------------------------------------------------------------------

rblctl($redis, 'lists', 'override', 'a.test', '--weight', 'critical');
$dns->rules(['\.a\.test ' => 'servfail'], @yes);
named($w, 'critical_lists', 'degraded', qr/one: .*: a\.test/);
ok(!conditions($w)->{silent_lists},
    'one of three lists is not the most of them');
$dns->rules(['\.[ab]\.test ' => 'servfail'], @yes);
named($w, 'silent_lists', 'degraded',
    qr/2 of 3 lists do not answer: a\.test, b/);
is(log_count($one, 'critical_lists \(degraded\): .*a\.test; '), 1,
    'the log has one line when a condition begins');
$dns->rules(@yes);
over($w, $_) for 'silent_lists', 'critical_lists';
eventually { log_count($one, 'critical_lists: this is over') == 1 } 120,
    'the log has one line when a condition ends';
healthy($w, 'with all lists');

# --- the store's settings ----------------------------------------------------

redis($redis, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
named($w, 'store_evicting', 'degraded', qr/allkeys-lru/);
redis($redis, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
over($w, 'store_evicting');

my $replica = start_redis(port => 1, cluster => 0);
redis($redis, 'CONFIG', 'SET', 'repl-diskless-sync-delay', 0);
redis($replica, 'REPLICAOF', '127.0.0.1', $redis->{port});
eventually { redis($replica, 'INFO', 'replication')
    =~ /master_link_status:up/ } 30, 'the replica follows its master';
my $looked = time;
wait_for { time - $looked > 35 } 60;      # the daemon looks every half a minute
ok(stop_server($replica), 'the replica stops');
named($w, 'store_replicas', 'degraded', qr/0 of 1 replicas/);
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
named($w, 'late_checks', 'degraded', qr/waited for 10 minutes/);
named($w, 'deliveries', 'degraded', qr/waited for 10 minutes; this daemon/);
ok(stop_server($one), 'the daemon without a schedule stops');
redis($redis, 'DEL', "rbl:{$part}:outbox");
$one = start();
over($w, $_) for 'late_checks', 'deliveries', 'store_replicas';
healthy($w, 'with a schedule');
ok(stop_server($one), 'the daemon stops');

# --- configuration -----------------------------------------------------------

$one = start(deliver => 'on');
my $r = http($nginx, 'POST', '/3.0/contact/add.json', auth => $w->{acct},
    form => { type => 'email', schedule => 'every_check',
        contact => 'jo@example.org' });
is($r->{status}, 200, 'a contact that wants mails is added')
    or diag($r->{raw});
named($w, 'mail_server', 'degraded', qr/no SMTP server/);
ok(stop_server($one), 'the daemon without a mail server stops');

my $file = temp_dir() . '/keyed.json';
my $keyed = RblCheckd::lists_json({ %rule, '{key}.k.test' =>
    { control => 'ip' } }) =~ s/(\{key\}\.k\.test.*?"enabled": )true/$1false/r;
write_file($file, $keyed);
write_file(temp_dir() . '/key', "abc\n", 0600);
for (['load', $file], ['key', '{key}.k.test', '--file', temp_dir() . '/key'],
    ['enable', '{key}.k.test'])
{
    $r = rblctl($redis, 'lists', @$_);
    is($r->{status}, 0, "rblctl lists $_->[0] prepares a list with a key")
        or diag($r->{err});
}
redis($redis, 'DEL', 'rbl:{0}:lists:keys');
$one = start();
named($w, 'credential', 'degraded', qr/\{key\}\.k\.test/);
rblctl($redis, 'lists', 'disable', '{key}.k.test');
over($w, 'credential');

my %clock = clock_env();
set_clock(60);
my $two = start(name => 'two', env => \%clock);
named($w, 'clocks', 'degraded', qr/two: the clock here is \d+ s ahead of/);
ok(stop_server($two), 'the daemon with another clock stops');
over($w, 'clocks');
healthy($w, 'with one clock');

ok(stop_server($one), 'the daemon stops');
$dns->stop;
done_testing();
