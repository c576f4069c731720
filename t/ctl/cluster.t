#!/usr/bin/perl

# rblctl on a cluster of three masters: every command, at each node.

use strict;
use warnings;

use lib 't/lib';
use RblCtlCluster;

my ($f, @node) = ctl_cluster();
my @name = map { "127.0.0.1:$_->{port}" } @node;
my $lists = repo_dir() . '/conf/lists.json';
my $plans = repo_dir() . '/conf/plans.json';
my $r;

my @known = map { /^  (\S.*?)(?= [A-Z\[+]| -|$)/ ? $1 : () }
    split /\n/, (rblctl(undef, '--help')->{out} =~ s/\nSTORE .*//sr);


# --- before init -------------------------------------------------------------

is(scalar @known, scalar(grep { !/^\s/ } @known), 'the commands are known');
cmp_ok(scalar @known, '>', 70, 'the help names more than 70 commands');

my $plan = ctl('store', 'plan');
is_deeply([map { "$_->{node} $_->{slots}" } @{ $plan->{nodes} }],
    ["$name[0] 5461", "$name[1] 5461", "$name[2] 5462"],
    'an empty cluster has a plan of its slots');
slot_given_up($f, 7000);
fails(qr/: 1 slot of the cluster has no node, and nothing was changed/,
    'init');
is(ctl('store', 'plan')->{missing}, 1, 'the plan shows the slot');
redis($node[1], qw(CLUSTER ADDSLOTS 7000));
wait_ok($f);

ctl('init');
ok(!ctl('init')->{created}, 'init once more');
is(ctl('upgrade')->{before}, schema_version(), 'upgrade has nothing to do');
$plan = ctl('store', 'plan');
is_deeply([map { "$_->{count}: $_->{parts}" } @{ $plan->{nodes} }],
    ['21: 0-20', '22: 21-42', '21: 43-63'],
    'store plan shows the partitions of each node');
ok($plan->{even}, 'the partitions are even');
is($plan->{missing}, 0, 'each slot has a node');
is_deeply($plan->{empty}, [], 'each node has partitions');
like(rblctl($f, 'store', 'plan')->{out},
    qr/^even +yes\n.*^\Q$name[1]\E +ok +5461 +5461-10921 +22 +21-42 +0$/ms,
    'store plan prints a table');


# --- every command -----------------------------------------------------------

ctl('lists', 'load', $lists);
my @ac = accounts();
my %ac = map { map { $_ => 1 } @$_ } @ac;
is_deeply([sort map { $_->{id} } @{ ctl('account', 'list') }],
    [sort keys %ac], 'account list shows the accounts of all nodes');

my ($ht, $ap);
for my $n (0 .. 2) {
    my $ac = $ac[$n][0];
    ctl('account', $_, $ac) for qw(show suspend resume);
    ctl('account', 'timezone', $ac, 'Europe/Berlin');
    ctl('account', 'plan', $ac, 'Starter', '--file', $plans);
    ctl('account', 'interval', $ac, '6h');
    is_deeply(ctl('contact', 'list', $ac), [], 'an account has no contact');
    fails(qr/contact/, 'contact', 'alert', $ac, 'CO' . '0' x 32, '--weight',
        'high');
    my $profile = ctl('profile', 'add', $ac, 'Most', '--except',
        'dnsbl-3.uceprotect.net')->{profile}{id};
    ctl('profile', 'except', $ac, $profile, '--none');
    ctl('profile', 'show', $ac, $profile);
    ctl('profile', 'list', $ac);
    my $mute = ctl('mute', 'add', $ac, '90m', 'Window')->{id};
    ctl('mute', 'end', $ac, $mute);
    is(ctl('mute', 'add', $ac, 'never', 'Window', '--repeat',
        'weekly sat,sun 02:00', '--minutes', 90, '--begin', '1d')->{repeat},
        'weekly sat,sun 02:00', 'a mute is repeated');
    ctl('mute', 'list', $ac);
    fails(qr/host/, 'mark', $ac, 'HT' . '0' x 32, 'RB' . '0' x 32,
        '--asked', 'true');
    $ap = ctl('app', 'add', $ac, 'x')->{id};
    ctl('app', 'rotate', $ac, $ap, '--keep');
    ctl('app', 'limit', $ac, $ap, '--hour', 9);
    ctl('app', 'allow', $ac, $ap, '192.0.2.0/24');
    ctl('app', $_, $ac, $ap) for qw(stats errors);
    ctl('app', 'list', $ac);
    my $token = ctl('token', 'list', $ac, $ap)->[0];
    ctl('token', 'revoke', $ac, $ap, $token->{digits});
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
    is(script('host_add', [redis_key('acct', $ac)], name => 'a name',
        type => 'rbl', family => 1, host => $ht, value => '192.0.2.1')->[0],
        'OK', "host_add adds a host on node $n");
    ctl('host', $ht);
    ctl('host', $ac, '192.0.2.1');
    ctl('audit', $ac);
    my $by = $ac[$n][1];
    my $file = ['--file', $plans];
    ctl('bill', 'plan', $by, 'Starter', @$file);
    ctl('bill', $_, $by) for qw(show sources payments ledger);
    ctl('bill', 'list');
    ctl('bill', 'renew', $by, 'off');
    ctl('bill', 'plan', $by, 'By the check', @$file);
    ctl('bill', 'topup', $by, '25');
    ctl('bill', 'adjust', $by, '-5', 'Test');
    ctl('bill', 'alert', $by, '5');
    ctl('bill', 'recharge', $by, '5', '25');
    # Without a daemon there are no payments and sources.
    my $none = 'PY' . '0' x 32;
    my $source = 'PS' . '0' x 32;
    for (['paid', $by, $none], ['settle', $by, $none, 'failed'], ['retry', $by],
        ['refund', $by, $none, '1.00', '--reference', 'r1'],
        ['source', 'remove', $by, $source],
        ['source', 'default', $by, $source],
        ['source', 'add', $by, '--back', 'https://a.example/'])
    {
        unlike(run('conf', 'bill', @$_)->{err}, qr/the store|cannot be used/,
            "bill $_->[0] does not fail because of the store");
    }
}
ctl('plan', 'list', '--file', $plans);
ctl('plan', 'show', 'Starter', '--file', $plans);
my $op = ctl('operator', 'add', 'o@a.example')->{id};
ctl('operator', 'list');
ctl('operator', $_, $op) for qw(link delete);

my ($zone) = grep { $_->{list}{status} eq 'active' && $_->{key} eq '' }
    @{ ctl('lists', 'show') };
$zone = $zone->{list}{host};
ctl('lists', 'show', $zone, '--stored');
ctl('lists', $_, $zone) for qw(disable enable);
ctl('lists', 'override', $zone, '--rate', 5);
ctl('lists', 'kill', $zone, 'Test');
ctl('lists', 'unkill', $zone);
fails(qr/is not frozen/, 'lists', 'thaw', $zone);
my ($keyed) = grep { $_->{key} ne '' } @{ ctl('lists', 'show') };
write_file(temp_dir() . '/key', "abc\n");
ctl('lists', 'key', $keyed->{list}{host}, '--file', temp_dir() . '/key');
cmp_ok(run('conf', 'check', '192.0.2.1', '--resolver',
    '127.0.0.1@' . free_port())->{status}, '<', 3,
    'check can use the lists of the cluster');

ok(ctl('restored'), 'restored ends the sessions of all nodes');
my $queue = ctl('queue');
is(@$queue, 65, 'queue shows all partitions and the sum');
my $s = json(run('conf', 'status', '--json')->{out});   # no daemon is at work
is($s->{accounts}, keys(%ac) + 1, 'status counts the accounts of all nodes');
is_deeply([map { "$_->{node} $_->{state} $_->{parts}" } @{ $s->{servers} }],
    ["$name[0] ok 0-20", "$name[1] ok 21-42", "$name[2] ok 43-63"],
    'status shows the nodes and their partitions');
cmp_ok(run('conf', 'doctor')->{status}, '<', 3, 'doctor examines a cluster');
ctl('fsck');
ctl('fsck', $ac[1][0]);
my $ran = join "\n", '', ran(), '';
# setup becomes a shell script, which calls the others
is_deeply([grep { $_ ne 'setup' && $ran !~ /\n\Q$_\E\b/ } @known], [],
    'every command was run');
for my $n (@node) {
    is_deeply(redis($n, 'ACL', 'LOG'), [], 'no right was missing');
}


# --- faults in two partitions, of different nodes -----------------------------

my $user = ctl('user', 'list', $ac[0][0])->[0]{id};
my ($mail) = grep { grep { /\Q$user\E/ } @{ redis($f, 'ZRANGE', $_, 0, -1) } }
    @{ redis($f, 'KEYS', 'rbl:*:mail:*') };
redis($f, 'DEL', $mail);
# It was made long ago: a new one may not be in the index yet.
my $key = tagged($f, redis_key('user', $ac[0][0], $user));
my $made = record('user', redis($f, 'GET', $key));
redis($f, 'SET', $key, record_pack('user', %$made, created => 1_700_000_000_000));
redis($f, 'ZREM', redis_key('hosts', $ac[2][0]), sprintf 'HT%032x', 3);
$r = rblctl($f, 'fsck');
is($r->{status}, 1, 'fsck finds faults of all nodes');
like($r->{out}, qr/$_/, "fsck names the fault of $_") for $ac[0][0], $ac[2][0];
is(rblctl($f, 'fsck', '--repair')->{status}, 1,
    'fsck --repair reports the faults of all nodes');
ctl('fsck');

redis($f, 'DEL', 'rbl:meta');
like(rblctl($f, 'fsck')->{out}, qr/meta +is missing: rblctl init makes it/,
    'fsck finds that rbl:meta is lost');
is(ctl('init')->{partitions}, 64, 'rblctl init writes it');
ctl('fsck');

done_testing();
