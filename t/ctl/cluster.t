#!/usr/bin/perl

# rblctl on a cluster of three masters: every command, slots that move, parts
# that are away, and nodes that do not belong together.

use strict;
use warnings;

use Time::HiRes qw(time);

use lib 't/lib';
use RblTest;
use RblFakeRedis;
use RblFailover::Cluster;
use RblFailover::Member;

my $f = start_cluster(masters => 3, replicas => 0);
my @node = @{ $f->{nodes} };
my @name = map { "127.0.0.1:$_->{port}" } @node;
my $dir = temp_dir();
my $lists = repo_dir() . '/conf/lists.json';
my $plans = repo_dir() . '/conf/plans.json';
my (%ran, $r);

my @known = map { /^  (\S.*?)(?= [A-Z\[+]| -|$)/ ? $1 : () }
    split /\n/, (rblctl(undef, '--help')->{out} =~ s/\nSTORE .*//sr);

# Configurations.  With a short limit of time, commands wait less for a server
# that is away.
for my $user ('rblctl', 'rblctl-fsck') {
    my $text = join "\n", "store_user $user",
        "store_password_file $f->{users}{$user}", 'gateway manual', '';
    write_file("$dir/$user.conf", $text);
    write_file("$dir/$user.quick", $text . "store_timeout 250ms\n");
}

sub run {
    my ($kind, @words) = @_;

    my $user = $words[0] eq 'fsck' ? 'rblctl-fsck' : 'rblctl';
    return rblctl($f, '-c', "$dir/$user.$kind", @words);
}

# Notes which command it is: the longest of the known ones.
sub note_command {
    my $words = join ' ', grep { !/^-/ } @_;

    my ($command) = sort { length $b <=> length $a }
        grep { "$words " =~ /^\Q$_\E / } @known;
    $ran{$command // "? $words"} = 1;
    return $command // $words;
}

sub ctl {
    my @words = @_;

    my $command = note_command(@words);
    my $r = run('conf', @words, '--json');
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is("$r->{status} $r->{err}", '0 ', $command);
    return eval { json($r->{out}) } // {};
}

# (pattern, words...): it fails soon.  Returns the standard output.
sub fails {
    my ($pattern, @words) = @_;

    my $command = note_command(@words);
    my $begun = time;
    my $r = run('quick', @words);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($r->{status}, 3, "$command: exit status");
    like($r->{err}, $pattern, "$command: why");
    unlike($r->{err}, qr/MOVED|CROSSSLOT|: *$/m, "$command: in our words");
    cmp_ok(time - $begun, '<', 4, "$command: soon");
    return $r->{out};
}

# A script of the store.
sub script {
    my ($name, $key, @args) = @_;

    my $text = read_file(build_dir() . "/gen/lua/$name.lua");
    my $sha;
    $sha = redis($_, 'SCRIPT', 'LOAD', $text) for grep { alive($_) } @node;
    return redis($f, 'EVALSHA', $sha, 1, $key, @args, caller_of($text));
}

sub bulk { return '$' . length($_[0]) . "\r\n$_[0]\r\n" }

sub at { return node_of($f, slot_of_account($f, $_[0]))->{index} }


# --- before init -------------------------------------------------------------

is(scalar @known, scalar(grep { !/^\s/ } @known), 'the commands are known');
cmp_ok(scalar @known, '>', 70, 'all of them');

my $plan = ctl('store', 'plan');
is_deeply([map { "$_->{node} $_->{slots}" } @{ $plan->{nodes} }],
    ["$name[0] 5461", "$name[1] 5461", "$name[2] 5462"],
    'the plan of an empty cluster');
is_deeply([map { $_->{command} } @{ ctl('store', 'plan', '--masters', 3) }],
    ['CLUSTER ADDSLOTSRANGE 0 5460', 'CLUSTER ADDSLOTSRANGE 5461 10921',
    'CLUSTER ADDSLOTSRANGE 10922 16383'], 'how it should be');
for my $n (2, 7, 64) {
    my ($next, %count) = 0;
    for my $m (@{ ctl('store', 'plan', '--masters', $n) }) {
        my ($from, $to) = split /-/, $m->{ranges};
        die "$n masters: $from" if $from != $next;
        $next = $to + 1;
        $count{ $m->{count} }++;
    }
    is($next, 16384, "all slots, for $n masters");
    cmp_ok(scalar keys %count, '<=', 2, 'and partitions as even as possible');
}
is(rblctl(undef, 'store', 'plan', '--masters', $_)->{status}, 3,
    "not $_ masters") for 1, 65, 'x';

redis($_, qw(CLUSTER DELSLOTS 7000)) for @node;
fails(qr/: 1 slot of the cluster has no node, and nothing was changed/,
    'init');
is(ctl('store', 'plan')->{missing}, 1, 'the plan shows the slot');
redis($node[1], qw(CLUSTER ADDSLOTS 7000));
wait_ok($f);

ctl('init');
ok(!ctl('init')->{created}, 'init once more');
$plan = ctl('store', 'plan');
is_deeply([map { "$_->{count}: $_->{parts}" } @{ $plan->{nodes} }],
    ['21: 0-20', '22: 21-42', '21: 43-63'], 'which partitions each node has');
ok($plan->{even}, 'they are even');
is($plan->{missing}, 0, 'each slot has a node');
is_deeply($plan->{empty}, [], 'and each node has partitions');
like(rblctl($f, 'store', 'plan')->{out},
    qr/^even +yes\n.*^\Q$name[1]\E +ok +5461 +5461-10921 +22 +21-42 +0$/ms,
    'as a table');


# --- every command -----------------------------------------------------------

ctl('lists', 'load', $lists);
my @ac;                                 # two accounts at each node
for (1 .. 1000) {
    my $ac = ctl('account', 'add', "Nr $_")->{id};
    push @{ $ac[at($ac)] }, $ac;
    last if !grep { @{ $ac[$_] // [] } < 2 } 0 .. 2;
}
my %ac = map { map { $_ => 1 } @$_ } @ac;
is_deeply([sort map { $_->{id} } @{ ctl('account', 'list') }],
    [sort keys %ac], 'the accounts of all nodes');

my ($ht, $ap);
for my $n (0 .. 2) {
    my $ac = $ac[$n][0];
    ctl('account', $_, $ac) for qw(show suspend resume);
    ctl('account', 'timezone', $ac, 'Europe/Berlin');
    ctl('account', 'plan', $ac, 'Starter', '--file', $plans);
    ctl('account', 'interval', $ac, '6h');
    $ap = ctl('app', 'add', $ac, 'x')->{id};
    ctl('app', 'rotate', $ac, $ap, '--keep');
    ctl('app', 'limit', $ac, $ap, '--hour', 9);
    ctl('app', 'allow', $ac, $ap, '192.0.2.0/24');
    ctl('app', $_, $ac, $ap) for qw(stats errors);
    ctl('app', 'list', $ac);
    my $token = ctl('token', 'list', $ac, $ap)->[0];
    ctl('token', 'revoke', $ac, $ap, $token->{token});
    ctl('app', 'revoke', $ac, $ap);
    my $us = ctl('user', 'add', $ac, "u$n\@a.example", '--role', 'owner')->{id};
    ctl('user', 'add', $ac, "v$n\@a.example", '--role', 'owner');
    ctl('user', 'list', $ac);
    ctl('user', $_, $ac, $us) for qw(link delete);
    my $wh = ctl('webhook', 'add', $ac, 'x', 'https://a.example/')->{id};
    ctl('webhook', 'rename', $ac, $wh, 'y');
    ctl('webhook', 'url', $ac, $wh, 'https://b.example/');
    ctl('webhook', 'types', $ac, $wh, '--all');
    ctl('webhook', $_, $ac, $wh) for qw(show rotate disable enable log dead);
    fails(qr/`deliver on`/, 'webhook', 'test', $ac, $wh, '--wait', '1s')
        if $n == 0;
    ctl('webhook', 'replay', $ac, $wh, '--all');
    ctl('webhook', 'list', $ac);
    ctl('webhook', 'delete', $ac, $wh);
    $ht = sprintf 'HT%032x', $n + 1;
    is(script('host_add', redis_key('acct', $ac), 'a name', 'rbl', 1, '',
        '', '', '', $ht, '192.0.2.1')->[0], 'OK', 'a host');
    ctl('host', $ht);
    ctl('host', $ac, '192.0.2.1');
    ctl('audit', $ac);
    my $by = $ac[$n][1];
    my $file = ['--file', $plans];
    ctl('bill', 'plan', $by, 'Starter', @$file);
    ctl('bill', $_, $by) for qw(show sources payments ledger);
    ctl('bill', 'renew', $by, 'off');
    ctl('bill', 'plan', $by, 'By the check', @$file);
    ctl('bill', 'topup', $by, '25');
    ctl('bill', 'adjust', $by, '-5', 'Test');
    ctl('bill', 'alert', $by, '5');
    ctl('bill', 'recharge', $by, '5', '25');
    # Without a daemon there are no payments and sources.
    my $none = 'PY' . '0' x 32;
    my $source = 'PS' . '0' x 32;
    for (['paid', $by, $none], ['settle', $by, $none, 'failed'],
        ['source', 'remove', $by, $source],
        ['source', 'default', $by, $source],
        ['source', 'add', $by, '--back', 'https://a.example/'])
    {
        note_command('bill', @$_);
        unlike(rblctl($f, 'bill', @$_)->{err}, qr/the store|cannot be used/,
            "bill $_->[0]: it is not the store");
    }
}
ctl('plan', 'list', '--file', $plans);
ctl('plan', 'show', 'Starter', '--file', $plans);
my $op = ctl('operator', 'add', 'o@a.example')->{id};
ctl('operator', 'list');
ctl('operator', $_, $op) for qw(link delete);

my ($zone) = grep { $_->{status} eq 'active' && $_->{key} eq '' }
    @{ ctl('lists', 'show') };
$zone = $zone->{zone};
ctl('lists', 'show', $zone, '--stored');
ctl('lists', $_, $zone) for qw(disable enable);
ctl('lists', 'override', $zone, '--rate', 5);
ctl('lists', 'kill', $zone, 'Test');
ctl('lists', 'unkill', $zone);
fails(qr/is not frozen/, 'lists', 'thaw', $zone);
my ($keyed) = grep { $_->{key} ne '' } @{ ctl('lists', 'show') };
note_command('lists', 'key');
is(rblctl($f, { stdin => "abc\n" }, 'lists', 'key', $keyed->{zone})->{status},
    0, 'lists key');
note_command('check');
cmp_ok(rblctl($f, 'check', '192.0.2.1', '--resolver',
    '127.0.0.1@' . free_port())->{status}, '<', 3, 'check');

my $queue = ctl('queue');
is(@$queue, 65, 'queue: all partitions');
my $s = ctl('status');
is($s->{accounts}, keys(%ac) + 1, 'status: accounts of all nodes');
is_deeply([map { "$_->{node} $_->{state} $_->{parts}" } @{ $s->{servers} }],
    ["$name[0] ok 0-20", "$name[1] ok 21-42", "$name[2] ok 43-63"],
    'and the nodes');
ctl('fsck');
ctl('fsck', $ac[1][0]);
is_deeply([grep { !$ran{$_} } @known], [], 'every command was run');
is_deeply([grep { /^\?/ } keys %ran], [], 'and no other');
for my $n (@node) {
    is_deeply(redis($n, 'ACL', 'LOG'), [], 'no right was missing');
}


# --- faults in two partitions, of different nodes -----------------------------

my $user = ctl('user', 'list', $ac[0][0])->[0]{id};
my ($mail) = grep { grep { /\Q$user\E/ } @{ redis($f, 'ZRANGE', $_, 0, -1) } }
    @{ redis($f, 'KEYS', 'rbl:*:mail:*') };
redis($f, 'DEL', $mail);
redis($f, 'ZREM', redis_key('hosts', $ac[2][0]), sprintf 'HT%032x', 3);
$r = rblctl($f, 'fsck');
is($r->{status}, 1, 'fsck finds faults of all nodes');
like($r->{out}, qr/$_/, "that of $_") for $ac[0][0], $ac[2][0];
is(rblctl($f, 'fsck', '--repair')->{status}, 1, 'and repairs them');
ctl('fsck');


# --- slots that move ----------------------------------------------------------

sub tags { return RblTest::Redis::tagged(64, "rbl:{$_[0]}:lists") }

# All slots of partitions FROM..TO go from the first node to the third, and back.
sub mover {
    my @slots = map { slot_of(tags($_)) } @_;

    my $pid = fork // die;
    return $pid if $pid;
    for my $n (@node) { delete $n->{client} }
    eval { move_slots($f, \@slots, $_, sub { select undef, undef, undef, 0.02 })
        for map { ($node[2], $node[0]) } 1 .. 3 };
    print STDERR $@ if $@;
    require POSIX;
    POSIX::_exit($@ ? 1 : 0);
}

my %before = map { my $p = $_; $p => join ' ', @{ redis($f, 'ZRANGE',
    "rbl:{$p}:lists", 0, -1) } } 0 .. 63;
redis($f, 'DEL', "rbl:{$_}:lists:active", "rbl:{$_}:lists:zones") for 0 .. 63;
my $pid = mover(0 .. 20);
my $loads = 0;
do {
    my $begun = time;
    ctl('lists', 'load', $lists);
    diag(sprintf 'lists load took %.1f s', time - $begun);
    $loads++;
} while (waitpid($pid, 1) == 0);
is($?, 0, "slots were moved during $loads lists loads");
wait_ok($f);
is(join(' ', grep { $before{$_} ne join ' ', @{ redis($f, 'ZRANGE',
    "rbl:{$_}:lists", 0, -1) } } 0 .. 63), '', 'each partition has all lists');
is(join(' ', grep { !redis($f, 'EXISTS', "rbl:{$_}:lists:active") } 0 .. 63),
    '', 'and the active ones');

my $slot = slot_of(tags(3));
move_begin($f, $slot, $node[2]);
like(fails(qr/slots move between the nodes.*run fsck again/, 'fsck'), qr/^$/,
    'fsck does not guess');
redis($_, 'CLUSTER', 'SETSLOT', $slot, 'STABLE') for @node;

move_slots($f, [map { slot_of(tags($_)) } 3, 4], $node[2]);
$plan = ctl('store', 'plan');
is_deeply([map { $_->{parts} } @{ $plan->{nodes} }],
    ['0-2 5-20', '21-42', '3-4 43-63'], 'the plan after a move');
ok(!$plan->{even}, 'which is not even');
ctl('fsck');
move_slots($f, [map { slot_of(tags($_)) } 3, 4], $node[0]);


# --- a master is away -----------------------------------------------------------

# Not that of rbl:meta, which every command needs.
my $dead = slot_of('rbl:meta') < 5461 ? 2 : 0;
my ($live) = grep { $_ != $dead } 2, 0;
my $parts = $dead == 0 ? '0-20' : '43-63';
my $away = qr/partitions $parts \(\Q$name[$dead]\E\) cannot be used/;
kill_server($node[$dead]);

note_command('status');
$r = run('quick', 'status');
is($r->{status}, 0, 'status without a master');
like($r->{err}, qr/^rblctl: $away: Connection refused$/, 'names what is away');
like($r->{out}, qr/^\Q$name[$dead]\E +Connection refused .*$parts$/m,
    'and the node');
like($r->{out}, qr/^partitions +64$/m, 'and shows the rest');
like($r->{out}, qr/^\Q$name[$live]\E +ok .* +43-63|0-20$/m, 'with its node');

my $only = qr/$away, and is not shown: Connection refused/;
my $shown = fails($only, 'account', 'list');
unlike($shown, qr/$ac[$dead][0]/, 'account list: without the part');
like($shown, qr/$ac[$live][0].*/, 'with the rest');
is(() = fails($only, 'queue') =~ /^ *\d+ /mg, 64 - 21, 'queue: the rest');
fails($only, 'lists', 'show') if $dead != 0;

ctl('account', 'show', $ac[$live][0]);
ctl('app', 'add', $ac[$live][0], 'during');
is(run('quick', 'host', sprintf 'HT%032x', $live + 1)->{status}, 0,
    'a host of the rest is found by its SID');
my $nothing = qr/$away: Connection refused. Nothing was changed\.$/;
fails($nothing, 'account', 'show', $ac[$dead][0]);
fails($nothing, 'app', 'add', $ac[$dead][0], 'during');
fails(qr/$away, and may have the host/, 'host', sprintf 'HT%032x', 9);
my $refused = qr/$away, and nothing was changed: Connection refused/;
fails($refused, 'lists', 'load', $lists);
fails($refused, 'lists', 'disable', $zone) if $dead != 0;

my $bad = sprintf 'HT%032x', $live + 1;
redis($f, 'ZREM', redis_key('hosts', $ac[$live][0]), $bad);
like(fails(qr/$away, and was not checked: Connection refused/m, 'fsck'),
    qr/$ac[$live][0].* no$/m, 'fsck: finds faults of the rest');
like(fails(qr/$away, and was not checked/m, 'fsck', '--repair'),
    qr/$ac[$live][0].* yes$/m, 'and repairs them');
like(fails(qr/$away, and was not checked/m, 'fsck'),
    qr/^no fault in \d+ accounts$/, 'fsck: no fault in the rest');
fails(qr/$away, and was not checked/, 'fsck', $ac[$dead][0]);
like(run('quick', 'store', 'plan')->{out},
    qr/^\Q$name[$dead]\E +Connection refused +546\d .* +$parts *$/m,
    'store plan: the node is away');

restart_member($f, $node[$dead]);
wait_ok($f);
ctl('fsck');
is(ctl('status')->{accounts}, keys(%ac) + 1, 'all of it is back');

# a server that takes connections and does not answer
pause_server($node[$dead]);
fails(qr/$away: .*Nothing was changed/, 'account', 'show', $ac[$dead][0]);
fails(qr/$away, and is not shown/, 'account', 'list');
cont_server($node[$dead]);
wait_ok($f);


# --- a password that is right on two of three ------------------------------------

my $hash = redis($node[$dead], 'ACL', 'GETUSER', 'rblctl');
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
    like(run('quick', 'account', 'list')->{err}, $why, "it names $host");
}
fake_answers($fake, { @replies, 'CLUSTER SLOTS' => "*0\r\n" });
fails(qr/: it knows no slots/, 'account', 'list');
fake_answers($fake, { @replies, 'CLUSTER SLOTS' => "*1\r\n:1\r\n" });
fails(qr/: its map of slots is invalid/, 'account', 'list');

$f->{addr} = $name[0];
my @here = grep { at($_) != 0 } keys %ac;
$r = rblctl($f, 'account', 'show', $here[0]);
is($r->{status}, 3, 'one node for the whole');
like($r->{err}, qr/It is a node of a cluster: write cluster: before/,
    'says how it is right');

done_testing();
