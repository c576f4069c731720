#!/usr/bin/perl

# The daemon and its store: absent, not initialised, restarted, with a
# password, flushed of scripts, and with nonsense in its queues.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;

my $dns = RblDns->new(rules => [[ '.', { a => ['127.0.0.2'],
    txt => ["a\x01b\nc\xff\xfe \xc3\xa4", ['two', ' parts']] } ]]);
my %dns = (resolver => { port => $dns->port });

# Started before there is a store.

my $dir = own_dir('later');
my $early = start_checkd(store => "unix:$dir/s", %dns,
    conf => { conf_short() }, ready => 0);
wait_log($early, qr/store .*: No such file/, 5);
ok(alive($early), 'no store: the daemon waits');

my $w = world(no_dns => 1, zones => { 'a.test' => { codes => [] } },
    redis => { dir => $dir, appendonly => 1,
               args => ['--appendfsync', 'always'] });
wait_log($early, qr/ready/, 10);
my $pp = check_value($w, '10.0.0.1');
is(wait_check($w, $pp)->{status}, 'completed',
    'no store: it starts to work when there is one');
is(log_count($early, '\[warn\].*No such file'), 1,
    'no store: it is logged once');

# Texts from outside are cleaned.

my $d = details($w, $pp)->{'a.test'};
is($d->{status}, 'listed', 'a list without codes: listed');
is($d->{reason}, "a b; c\xef\xbf\xbd\xef\xbf\xbd \xc3\xa4; two parts",
    'the reason is clean UTF-8');

# The store is killed and comes back.

$dns->rules([ '.', { a => ['127.0.0.2'], delay => 1 } ]);
$pp = check_value($w, '10.0.0.2');
wait_for { check_state($w, $pp)->{status} eq 'running' } 5;
kill_server($w->{redis});
wait_log($early, qr/store \S+: (?:Connection|Server closed|No such)/, 5);
restart_server($w->{redis});
is(wait_check($w, $pp, 20)->{status}, 'completed',
    'restart: the check in flight completed');
is(wait_check($w, check_value($w, '10.0.0.3'))->{status}, 'completed',
    'restart: later checks complete too');
eventually { jobs_left($w) == 0 } 10, 'restart: no job is left';

# It hangs for longer than the command timeout.

$dns->rules([ '.', { a => ['127.0.0.2'] } ]);
pause_server($w->{redis});
wait_log($early, qr/no reply in time/, 10);
cont_server($w->{redis});
is(wait_check($w, check_value($w, '10.0.0.4'))->{status}, 'completed',
    'a store that hung: the daemon continues');

# The scripts are flushed.

redis($w->{redis}, 'SCRIPT', 'FLUSH');
is(wait_check($w, check_value($w, '10.0.0.5'))->{status}, 'completed',
    'scripts flushed: they are sent again');
my $p = partition_of($w->{acct}{sid});
# Entries that are not jobs.

my $ac = $w->{acct}{sid};
my $foreign = sprintf 'AC%04x%s', ($p + 1) % partitions(), '0' x 28;
my ($pp1, $pp2) = (fresh_sid('PP'), fresh_sid('PP'));
my @nonsense = ("$foreign:${pp1}::m:1:x", "AC1:${pp1}::m:1:x", "$ac:PP1::m:1:x",
    "$ac:$pp1:HT1:m:1:x", "$ac:${pp2}::m:1:");
redis($w->{redis}, 'ZADD', redis_key('leases', $p), 0, $_)
    for @nonsense, "$ac:$pp1\n::m:1:x", 'x';
eventually { jobs_left($w) == 0 } 10, 'nonsense is deleted from the leases';
is(log_count($early, 'malformed job'), 4, 'the log names four malformed jobs');
redis($w->{redis}, 'ZADD', redis_key('leases', $p), 0, join ':', $ac, $pp1,
    fresh_sid('HT'), 'm:1:x');
eventually { jobs_left($w) == 0 } 10, 'a job of a deleted host ends';
my $gone = redis_key('due', $ac);
redis($w->{redis}, 'ZADD', $gone, 1, $_)
    for 'nonsense', uc fresh_sid('HT'), fresh_sid('HT');
redis($w->{redis}, 'ZADD', redis_key('due', $p), 1, $ac);
eventually { redis($w->{redis}, 'ZCARD', $gone) == 0 } 10,
    'an unknown due host is deleted';
is(log_count($early, 'malformed host'), 2, 'the log names two malformed hosts');
redis($w->{redis}, 'RPUSH', redis_key('manual', $ac), 'nonsense', "$pp2:HT2");
redis($w->{redis}, 'ZADD', redis_key('manual', $p), 1, $ac);
eventually { jobs_left($w) == 0 } 10, 'nonsense in the queue is deleted';
is(wait_check($w, check_value($w, '10.0.0.7'))->{status}, 'completed',
    'the daemon completes a check after the nonsense');
ok(stop_server($early), 'the daemon stops');

# A password; a wrong one is reported, but not shown.

my $secret = 'correct-horse-' . fresh_sid('WH');
redis($w->{redis}, 'CONFIG', 'SET', 'requirepass', $secret);
my $file = temp_dir() . '/password';
write_file($file, "wrong-$secret\n");
my $wrong = start_checkd(store => $w->{redis}, %dns, ready => 0,
    conf => { conf_short(), store_password_file => $file });
ok(wait_log($wrong, qr/WRONGPASS/, 5), 'a wrong password is logged');
unlike(read_file($wrong->{log}), qr/\Q$secret\E/,
    'the log does not show the wrong password');
write_file($file, "$secret\n");
my $right = start_checkd(store => $w->{redis}, %dns,
    conf => { conf_short(), store_password_file => $file });
ok(alive($right), 'the daemon lives with the right password');
redis($w->{redis}, 'CONFIG', 'SET', 'requirepass', '');

# Another schema.

my $schema = schema_version();
redis($w->{redis}, 'HSET', 'rbl:meta', 'schema', $schema - 2);
my $old = start_checkd(store => $w->{redis}, %dns, ready => 0,
    conf => { conf_short() });
ok(wait_log($old, qr/it has schema @{[ $schema - 2 ]}, this rbl-checkd can use /,
    5),
    'a store of another schema is refused');
redis($w->{redis}, 'HSET', 'rbl:meta', 'schema', $schema - 1);
ok(wait_log($old, qr/ready/, 10),
    'the daemon uses a store of the previous schema');
ok(wait_log($old, qr/rblctl upgrade makes it $schema/, 5),
    'the log tells what to do');

$dns->stop;
done_testing();
