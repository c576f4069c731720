#!/usr/bin/perl

# rblctl doctor names faults of stores, clocks, name servers, receivers and
# accounts.  The healthy system, and other faults: doctor.t.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblClock;
use RblDoctor;

my $d = doctor_world();
my ($redis, $dns) = @$d{qw(redis dns)};
my $ac = $d->{acct}{sid};
my $r;
wait_for { $r = doctor($d); $r->{status} == 0
    && $r->{rows}{registration}{state} eq 'good' } 90, 'health';
is($r->{status}, 0, 'the system is healthy at first') or diag($r->{out});

# --- stores ------------------------------------------------------------------

my $empty = start_redis(cluster => 0);
named($d, 'an empty store', 'store_emptied', 'broken', qr/no meta data/,
    redis => $empty);
init_store($empty);
named($d, 'a store without a daemon', 'no_daemon', 'broken',
    qr/no daemon has reported/, redis => $empty);
named($d, 'a store without lists', 'lists', 'broken', qr/no list is active/,
    redis => $empty);
named($d, 'a store without accounts', 'accounts', 'degraded',
    qr/there is no account/, redis => $empty);
named($d, 'another store than that of nginx', 'nginx_store', 'broken',
    qr/nginx uses \S+, which is not the store of rblctl/, redis => $empty);
mkdir "$empty->{dir}/blocked";
my $blocked = start_redis(cluster => 0, args => ['--dbfilename', 'blocked']);
mkdir "$blocked->{dir}/blocked";
init_store($blocked);
redis($blocked, 'BGSAVE');
wait_for { redis($blocked, 'INFO', 'persistence') =~ /bgsave_status:err/ } 20,
    'the snapshot to fail';
named($d, 'a snapshot that fails', 'store_settings', 'degraded',
    qr/the last snapshot failed/, redis => $blocked);
named($d, 'appendfsync everysec', 'store_sync', 'degraded',
    qr/appendfsync is not set in \S+users\.conf/, redis => $blocked);
if ($d->{full}) {
    # Without appendfsync always Redis goes on when a write fails.
    my $room = temp_dir() . '/room';
    mkdir $room or die "mkdir $room: $!";
    run_cmd('mount', '-t', 'tmpfs', '-o', 'size=2m', 'none', $room);
    at_stop(sub { run_cmd('umount', '-l', $room) });
    my $full = start_redis(cluster => 0, args => ['--dir', $room,
        '--appendonly', 'yes', '--appendfsync', 'everysec']);
    init_store($full);
    my $big = 'x' x 100_000;
    wait_for { redis_try($full, 'SET', 'big' . rand, $big);
        redis($full, 'INFO', 'persistence') =~ /aof_last_write_status:err/ } 30,
        'a write to fail';
    named($d, 'no room for the append-only file', 'store_settings', 'broken',
        qr/the append-only file cannot be written/, redis => $full);
}
my $loud = start_redis(cluster => 0, conf => "appendfsync no\n");
init_store($loud);
named($d, 'appendfsync no', 'store_sync', 'degraded',
    qr/appendfsync is no in \S+: what was answered in the last minute/,
    redis => $loud);
my $master = start_redis(cluster => 0, port => 1);
init_store($master);
my $replica = start_redis(cluster => 0, args => ['--replicaof',
    "127.0.0.1 $master->{port}", '--masteruser', 'rbl-replica', '--masterauth',
    'secret of rbl-replica']);
wait_for { redis($replica, 'INFO', 'replication')
    =~ /master_link_status:up/ } 30, 'the replica';
named($d, 'a replica that need not have a write', 'store_settings', 'degraded',
    qr/1 replicas and min-replicas-to-write is not set/, redis => $master);
named($d, 'a replica', 'store_settings', 'broken', qr/the store is a replica/,
    redis => $replica);

# --- the clock ---------------------------------------------------------------

my %env = clock_env();
set_clock(600);
named($d, 'a clock ten minutes ahead', 'clock', 'degraded',
    qr/the clock here is 600 s ahead of that of the store/, env => \%env);
set_clock(-400 * 86_400);
named($d, 'a clock a year behind', 'clock', 'broken',
    qr/before the time when rblctl was made/, env => \%env);
is(doctor($d, env => \%env)->{rows}{certificate}{state}, 'broken',
    'a clock a year behind: the certificate is not valid yet');
set_clock(0);
units($d, 'systemd-timesyncd.service' => 'inactive');
# The kernel of some machines is kept right by their host.
my $clock = doctor($d)->{rows}{clock};
like("$clock->{state} $clock->{reason}", qr/^good|^degraded nothing keeps/,
    'no time service: clock depends on the kernel');
units($d);

# --- port 53 -----------------------------------------------------------------

# All lists get this name server.
sub servers {
    my ($address) = @_;

    rblctl($redis, 'lists', 'override', $_, '--server', $address)
        for qw(a.test b.test c.test);
    return;
}

my $rbldnsd = start_rbldnsd(zones => [map {
    [$_, 'ip4set', ":127.0.0.2:listed\n127.0.0.2\n"] } qw(a.test b.test c.test)]);
servers("127.0.0.1\@$rbldnsd->{port}");
named($d, 'no TCP to name servers', 'dns_tcp', 'degraded',
    qr/none of 1 name servers of lists answers over TCP: .*refused/);
my $closed = '127.0.0.1@' . free_port();
servers($closed);
$r = named($d, 'port 53 is closed', 'dns_udp', 'broken',
    qr/none of 1 name servers of lists answers over UDP: \Q$closed\E/);
like($r->{remedy}, qr/try: dig \@127\.0\.0\.1 -p \d+ \. NS$/,
    'the line asks the same server');
servers($dns->addr);

# --- receivers, groups, contacts ---------------------------------------------

my $hook = json(rblctl($redis, '--json', 'webhook', 'list', $ac)->{out})
    ->[0]{id};
rblctl($redis, 'webhook', 'url', $ac, $hook, 'https://gone.example.net/');
named($d, 'a receiver without an address', 'receiver_names', 'degraded',
    qr/gone\.example\.net: the name has no address/);
$dns->rules(['^gone\.example\.net A$' => { a => ['10.1.2.3'] }],
    @{ $d->{rules} });
named($d, 'a receiver with a private address', 'receiver_names', 'degraded',
    qr/gone\.example\.net: address 10\.1\.2\.3 refused/);
$dns->rules(@{ $d->{rules} });
my $fails = redis_key('hook', $ac, $hook);
redis($redis, 'HSET', $fails, 'fails', 7, 'since', 1);
named($d, 'a receiver that fails', 'receivers', 'degraded', qr/Hook \($ac\)/);
redis($redis, 'DEL', $fails);
rblctl($redis, 'webhook', 'disable', $ac, $hook);
named($d, 'a group without a contact', 'groups', 'degraded',
    qr/without an active contact and without a webhook receiver: 1: /);

redis($redis, 'ZADD', redis_key('contacts', $ac), 1, fresh_sid('CO'));
named($d, 'a contact that was not confirmed', 'contacts', 'degraded',
    qr/contacts are all unconfirmed or paused.*: 1: Test \($ac\)/);

my $coverage = redis($redis, 'GET', redis_key('coverage', $ac));
redis($redis, 'SET', redis_key('coverage', $ac), record_pack('coverage',
    version => 1, lists => ''));
named($d, 'an account without a list', 'account_lists', 'degraded',
    qr/to which no active list applies: 1: Test \($ac\)/);
redis($redis, 'SET', redis_key('coverage', $ac), $coverage);

# --- lists and daemons -------------------------------------------------------

my $record = redis($redis, 'GET', 'rbl:{0}:daemon:one');
redis($redis, 'ZADD', 'rbl:{0}:daemons', time * 1000, 'old');
redis($redis, 'SET', 'rbl:{0}:daemon:old', $record =~ s/none\z/http/r);
named($d, 'a daemon with another gateway', 'gateway', 'degraded',
    qr/daemon one has gateway http, this rblctl has none/);
$record =~ s/\Q@{[ record('daemon', $record)->{release} ]}\E/0.0.9/;
redis($redis, 'SET', 'rbl:{0}:daemon:old', $record);
named($d, 'a daemon of another release', 'versions', 'degraded',
    qr/daemon one is 0\.0\.9, this rblctl is \d/);
redis($redis, 'DEL', 'rbl:{0}:daemon:old');
redis($redis, 'ZREM', 'rbl:{0}:daemons', 'old');
$dns->rules(['\.b\.test ' => 'refused'], @{ $d->{rules} });
my $n = 0;
wait_for { check_value($d, '10.0.1.' . ++$n % 250);
    doctor($d)->{rows}{registration}{state} eq 'degraded' } 90,
    'the list to be seen as bad';
$r = named($d, 'a list that wants a registration', 'registration', 'degraded',
    qr/b\.test answers registered addresses only.*queries come from \d/);
like($r->{remedy}, qr{at https://b\.test/}, 'the line says where');
rblctl($redis, 'lists', 'disable', $_) for qw(a.test b.test c.test);
named($d, 'no list applies', 'lists', 'broken', qr/no list is active/);
stop_server($d->{checkd});
wait_for { doctor($d)->{rows}{no_daemon}{state} eq 'broken' } 40, 'no daemon';
$r = named($d, 'the daemon is gone', 'no_daemon', 'broken', qr/20 seconds/);
$r = doctor($d)->{rows}{dns};
is("$r->{state}: $r->{reason}", 'unknown: no daemon reports it',
    'conditions that only daemons see are unknown without one');
kill 'STOP', $redis->{pid};
$r = named($d, 'a store that hangs', 'store_away', 'broken', qr/cannot reach/);
kill 'CONT', $redis->{pid};
stop_server($redis);
named($d, 'the store is gone', 'store_away', 'broken', qr/cannot reach/);
is(join(' ', grep { $_ !~ /^(?:store_away|resolver|smtp|mail_from|configuration
    |ipv6|nginx.*|certificate|portal|units|backup|disk|files|clock)$/x }
    map { $_->{name} } grep { $_->{state} ne 'unknown' }
    values %{ doctor($d)->{rows} }), '',
    'rows that need the store are unknown without it');

done_testing();
