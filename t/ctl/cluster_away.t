#!/usr/bin/perl

# rblctl on a cluster with parts that are away, and on nodes that do not belong
# together.

use strict;
use warnings;

use lib 't/lib';
use RblCtlCluster;
use RblFakeRedis;
use RblFailover::Member;

my ($f, @node) = ctl_cluster();
my @name = map { "127.0.0.1:$_->{port}" } @node;
my $lists = repo_dir() . '/conf/lists.json';
my $r;


sub bulk { return '$' . length($_[0]) . "\r\n$_[0]\r\n" }

ctl('init');
ctl('lists', 'load', $lists);
my @ac = accounts();
my %ac = map { map { $_ => 1 } @$_ } @ac;
for my $n (0 .. 2) {
    is(script('host_add', [redis_key('acct', $ac[$n][0])], name => 'a name',
        type => 'rbl', family => 1, host => sprintf('HT%032x', $n + 1),
        value => '192.0.2.1')->[0], 'OK', "host_add adds a host on node $n");
    ctl('user', 'add', $ac[$n][0], "u$n\@a.example", '--role', 'owner');
}
my ($zone) = grep { $_->{list}{status} eq 'active' && $_->{key} eq '' }
    @{ ctl('lists', 'show') };
$zone = $zone->{list}{host};


# --- a master is away -----------------------------------------------------------

# Not that of rbl:meta, which every command needs.
my $dead = slot_of('rbl:meta') < 5461 ? 2 : 0;
my ($live) = grep { $_ != $dead } 2, 0;
my $parts = $dead == 0 ? '0-20' : '43-63';
my $away = qr/partitions $parts \(\Q$name[$dead]\E\) cannot be used/;
kill_server($node[$dead]);

$r = run('quick', 'status');
# The records of daemons are in partition 0.
is($r->{status}, $dead == 0 ? 1 : 2, 'status is not good');
like($r->{out}, qr/^store_away: degraded: \d+ of 64 partitions cannot be/m,
    'status has a condition for the part that is away');
like($r->{err}, qr/^rblctl: $away: Connection refused$/,
    'status names the partitions that are away');
like($r->{out}, qr/^\Q$name[$dead]\E +Connection refused .*$parts$/m,
    'status shows the node that is away');
like($r->{out}, qr/^partitions +64$/m, 'status shows the number of partitions');
like($r->{out}, qr/^\Q$name[$live]\E +ok .* +43-63|0-20$/m,
    'status shows a node that is up');

my $only = qr/$away, and is not shown: Connection refused/;
my $shown = fails($only, 'account', 'list');
unlike($shown, qr/$ac[$dead][0]/,
    'account list leaves out the part that is away');
like($shown, qr/$ac[$live][0].*/, 'account list shows the other accounts');
is(() = fails($only, 'queue') =~ /^ *\d+ /mg, 64 - 21,
    'queue shows the partitions that are up');
fails($only, 'lists', 'show') if $dead != 0;

ctl('account', 'show', $ac[$live][0]);
ctl('app', 'add', $ac[$live][0], 'during');
is(run('quick', 'host', sprintf 'HT%032x', $live + 1)->{status}, 0,
    'a host of the other nodes is found by its SID');
my $nothing = qr/$away: Connection refused. Nothing was changed\.$/;
fails($nothing, 'account', 'show', $ac[$dead][0]);
fails($nothing, 'app', 'add', $ac[$dead][0], 'during');
fails(qr/$away, and may have the host/, 'host', sprintf 'HT%032x', 9);
my $refused = qr/$away, and nothing was changed: Connection refused/;
fails($refused, 'lists', 'load', $lists);
fails($refused, 'lists', 'disable', $zone) if $dead != 0;

# init: as if it had not been run
my %meta = @{ redis($f, 'HGETALL', 'rbl:meta') };
redis($f, 'DEL', 'rbl:meta');
fails($refused, 'init');
is(redis($f, 'EXISTS', 'rbl:meta'), 0, 'a refused init writes no rbl:meta');
redis($f, 'HSET', 'rbl:meta', %meta);

my $bad = sprintf 'HT%032x', $live + 1;
redis($f, 'ZREM', redis_key('hosts', $ac[$live][0]), $bad);
like(fails(qr/$away, and was not checked: Connection refused/m, 'fsck'),
    qr/$ac[$live][0].* no$/m, 'fsck finds faults of the other nodes');
like(fails(qr/$away, and was not checked/m, 'fsck', '--repair'),
    qr/$ac[$live][0].* yes$/m, 'fsck repairs faults of the other nodes');
like(fails(qr/$away, and was not checked/m, 'fsck'),
    qr/^no fault in \d+ accounts$/, 'fsck finds no fault after the repair');
fails(qr/$away, and was not checked/, 'fsck', $ac[$dead][0]);
like(run('quick', 'store', 'plan')->{out},
    qr/^\Q$name[$dead]\E +Connection refused +546\d .* +$parts *$/m,
    'store plan shows that the node is away');

restart_member($f, $node[$dead]);
wait_ok($f);
ctl('fsck');
is(json(run('conf', 'status', '--json')->{out})->{accounts}, keys %ac,
    'status counts all accounts after the restart');

# a server that takes connections and does not answer
pause_server($node[$dead]);
fails(qr/$away: .*Nothing was changed/, 'account', 'show', $ac[$dead][0]);
fails(qr/$away, and is not shown/, 'account', 'list');
cont_server($node[$dead]);
wait_ok($f);


# --- a password that is right on two of three ------------------------------------

redis($node[$dead], 'ACL', 'SETUSER', 'rblctl', 'resetpass', '>another');
ctl('account', 'show', $ac[$live][0]);
fails(qr/server at \Q$name[$dead]\E refuses: .*Set store_user/, 'account',
    'show', $ac[$dead][0]);
fails(qr/$away, and is not shown: .*password/, 'account', 'list');
redis($node[$dead], 'ACL', 'SETUSER', 'rblctl', 'resetpass',
    '>secret of rblctl');


# --- nodes that do not belong together ---------------------------------------------

my $other = start_cluster(masters => 1, replicas => 0);
my $alone = start_redis(port => 1, cluster => 0);
my $was = $f->{addr};
my $theirs = "127.0.0.1:$other->{nodes}[0]{port}";
for my $addr ("$was,$theirs", "cluster:$theirs,$name[0]") {
    $f->{addr} = $addr;
    fails(qr/127\.\S+ and 127\.\S+ belong to different clusters/, 'status');
}
$f->{addr} = "cluster:127.0.0.1:$alone->{port}";
fails(qr/127\.\S+: it is no node of a cluster/, 'account', 'list');
$f->{addr} = "cluster:127.0.0.1:$alone->{port},$name[1]";
ctl('account', 'show', $ac[0][0]);
$f->{addr} = "cluster:localhost:$node[1]{port}";
ctl('account', 'show', $ac[0][0]);
$f->{addr} = "cluster:localhost.invalid:$node[1]{port}";
fails(qr/the name "localhost.invalid" cannot be resolved/, 'status');
$f->{addr} = 'cluster:127.0.0.1:' . free_port();
fails(qr/cannot find the store cluster:.*Connection refused/, 'status');
$f->{addr} = 'cluster:127.0.0.1:' . free_port() . ",$name[2]";
ctl('account', 'show', $ac[0][0]);
# A node that names strange servers, or itself for ever.
my $fake = start_fake('good', port => 1);
my @replies = ('CLUSTER MYID' => bulk('0' x 40), AUTH => "+OK\r\n",
    HMGET => "-MOVED 1 127.0.0.1:$fake->{port}\r\n");
$f->{addr} = "cluster:127.0.0.1:$fake->{port}";
for (['127.0.0.1', $fake->{port}, qr/^rblctl: rbl:meta \(127\S+\) cannot .*MOVED/],
    ['0.0.0.0', 1, qr/^rblctl: rbl:meta \(no server\) cannot be used: no node/],
    ['a.example', 1, qr/^rblctl: rbl:meta \(no server\) cannot be used: no node/])
{
    my ($host, $port, $why) = @$_;
    fake_answers($fake, { @replies, 'CLUSTER SLOTS' => "*1\r\n*3\r\n:0\r\n"
        . ":16383\r\n*3\r\n" . bulk($host) . ":$port\r\n" . bulk('0' x 40) });
    like(run('quick', 'account', 'list')->{err}, $why,
        "the error names the server $host");
}
fake_answers($fake, { @replies, 'CLUSTER SLOTS' => "*0\r\n" });
fails(qr/: it knows no slots/, 'account', 'list');
fake_answers($fake, { @replies, 'CLUSTER SLOTS' => "*1\r\n:1\r\n" });
fails(qr/: its map of slots is invalid/, 'account', 'list');

$f->{addr} = $name[0];
my @here = grep { at($_) != 0 } keys %ac;
$r = rblctl($f, 'account', 'show', $here[0]);
is($r->{status}, 3, 'one node without cluster: is refused');
like($r->{err}, qr/It is a node of a cluster: write cluster: before/,
    'the message says how to name a cluster');

done_testing();
