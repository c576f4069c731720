#!/usr/bin/perl

# rblctl behind Sentinels: failovers, a master cut off from its replicas, and
# Sentinels that are away, know nothing or name a replica.

use strict;
use warnings;

use Time::HiRes qw(time);

use lib 't/lib';
use RblTest;
use RblFakeRedis;
use RblFailover::Member;
use RblFailover::Sentinel;

# s, after which a command is killed.  One that waits for `patient` takes longer.
use constant SOON => 15;

my $f = start_sentinels(replicas => 3, sentinels => 3);
my $dir = temp_dir();
my $addr = $f->{addr};
my $r;

for (['quick', '250ms'], ['patient', '60s']) {
    write_file("$dir/$_->[0]", join "\n", 'store_user rblctl',
        "store_password_file $f->{users}{rblctl}", "store_timeout $_->[1]", '');
}

sub ctl {
    my @words = @_;

    my $r = rblctl($f, @words, '--json');
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is("$r->{status} $r->{err}", '0 ', "@words[0, $#words > 0 ? 1 : 0]");
    return eval { json($r->{out}) } // {};
}

sub fails {
    my ($pattern, @words) = @_;

    my $r = rblctl($f, { timeout => SOON }, '-c', "$dir/quick", @words);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($r->{status}, 3, "rblctl @words exits with status 3");
    like($r->{err}, qr/\Arblctl: [^\n]*$pattern[^\n]*\n\z/,
        "rblctl @words prints the reason");
}

sub at { return "127.0.0.1:$_[0]{announced}" }

my $plan = ctl('store', 'plan');
is_deeply([@$plan{qw(master role replicas good min_replicas)}],
    [at($f->{nodes}[0]), 'master', 3, 3, 'set'], 'the plan: the master');
is_deeply([sort map { "$_->{node} $_->{state}" } @{ $plan->{nodes} }],
    [sort map { at($_) . ' online' } @{ $f->{nodes} }[1 .. 3]],
    'the plan has three replicas online');
like(rblctl($f, 'store', 'plan')->{out}, qr/^min-replicas-to-write  set$/m,
    'the plan as text has min-replicas-to-write');

ctl('init');
ctl('lists', 'load', repo_dir() . '/conf/lists.json');
my $ac = ctl('account', 'add', 'x')->{id};
ctl('user', 'add', $ac, 'a@a.example', '--role', 'owner');
ctl('fsck');
# No daemon is at work, so the status is broken.
my $s = json(rblctl($f, 'status', '--json')->{out});
is("$s->{role} $s->{accounts} $s->{version}", 'master 1 '
    . $s->{servers}[0]{version},
    'the status has the role, accounts and version');
like(rblctl($f, 'status')->{out}, qr/^\Q@{[ at($f->{nodes}[0]) ]}\E +ok .* 3 /m,
    'the status names the server');
is_deeply(redis($_, 'ACL', 'LOG'), [], 'no right was missing')
    for @{ $f->{nodes} };

# min-replicas-to-write
my $master = master($f);
my $warns = qr/^rblctl: min-replicas-to-write is not set at \Q@{[ at($master) ]}\E/;
for (['--min', 0], ['--min', 1]) {
    my $set = $_->[1];
    redis($master, 'CONFIG', 'SET', 'min-replicas-to-write', $set);
    for my $words (['status'], ['store', 'plan']) {
        $r = rblctl($f, @$words);
        is($r->{status}, $words->[0] eq 'status' ? 2 : 0,
            "@$words, min-replicas-to-write $set");
        ($set ? \&unlike : \&like)->($r->{err}, $warns,
            'rblctl warns of the value 0 only');
    }
}
redis($master, 'CONFIG', 'SET', 'min-replicas-to-write', 4);
fails(qr/NOREPLICAS.* Nothing was changed/, 'account', 'suspend', $ac);
is(ctl('account', 'show', $ac)->{status}, 'active',
    'the refused command does not suspend the account');
redis($master, 'CONFIG', 'SET', 'min-replicas-to-write', 1);

# failovers
for my $how ('kill -9', 'SIGSTOP') {
    my $old = $master;
    $how eq 'kill -9' ? kill_server($old) : pause_server($old);
    my $begun = time;
    is(ctl('account', 'show', $ac)->{id}, $ac,
        "a command that waits for the failover after $how");
    diag(sprintf '%s: away for %.1f s', $how, time - $begun);
    $master = wait_master($f, $old);
    is(ctl('store', 'plan')->{master}, at($master), 'the new master');
}
ctl('fsck');

# a master without its replicas; one of them is left, and one is the old master
my @replicas = grep { alive($_) && $_ != $master } @{ $f->{nodes} };
pause_server($_) for @replicas;
ok((wait_for { (info_of($master, 'replication')->{min_slaves_good_slaves}
    // 1) == 0 } 15), 'the replicas do not follow');
fails(qr/at \Q@{[ at($master) ]}\E cannot be used: none of its replicas is near/,
    'account', 'show', $ac);
$r = rblctl($f, 'status');
is($r->{status}, 2, 'rblctl status is broken without the replicas');
like($r->{out}, qr/^store_refuses: broken: .*NOREPLICAS/m,
    'rblctl status says that the store refuses changes');
like($r->{out}, qr/^store_refuses: .*; start the missing replicas/m,
    'rblctl status has the remedy for missing replicas');
is(ctl('store', 'plan')->{good}, 0, 'the plan counts no good replica');
cont_server($_) for @replicas;
ok((wait_for { (info_of($master, 'replication')->{min_slaves_good_slaves}
    // 0) > 0 } 15), 'the replicas follow the master again');

# Sentinels
my @words = map { "127.0.0.1:$_->{port}" } @{ $f->{sentinels} };
kill_server($f->{sentinels}[0]);
ctl('account', 'show', $ac);
like(rblctl($f, 'status')->{out}, qr/^store_sentinels: degraded: 2 of 3/m,
    'rblctl status says that a Sentinel does not answer');
pause_server($f->{sentinels}[1]);
is(rblctl($f, { timeout => SOON }, '-c', "$dir/patient", 'account', 'show',
    $ac)->{status}, 0, 'one Sentinel of three is sufficient');
$f->{addr} = 'sentinel:nobody@' . join ',', @words;
fails(qr/cannot find the store sentinel:nobody.*does not know a master/,
    'account', 'show', $ac);
cont_server($f->{sentinels}[1]);
$f->{addr} = 'sentinel:rbl@127.0.0.1:' . free_port();
fails(qr/cannot find the store.*Sentinel 127\S+: Connection refused/, 'status');
$f->{addr} = 'sentinel:rbl@' . at($master);
fails(qr/Sentinel 127\S+: (?:ERR )?unknown command/i, 'status');

# A Sentinel that is asked for a password, and false ones.
my $fake = start_fake('good', port => 1);
my $fake_at = "127.0.0.1:$fake->{port}";

sub named {
    my ($host, $port) = @_;
    return "*2\r\n\$" . length($host) . "\r\n$host\r\n\$" . length($port)
        . "\r\n$port\r\n";
}

my $replica;
ok((wait_for {
    ($replica) = grep { alive($_)
        && (info_of($_, 'replication')->{role} // '') eq 'slave' }
        @{ $f->{nodes} };
} 10), 'a replica');
$f->{addr} = "sentinel:rbl\@$fake_at";
for (["127.0.0.1 $replica->{announced}", qr/cannot be used: it is a replica/],
    ["0.0.0.0 1", qr/it names a server with an address of no machine/],
    ["redis.example 6379", qr/it names a server by a name/],
    ["127.0.0.1 99999", qr/it names a server with an invalid address/],
    ["127.0.0.1 " . free_port(), qr/cannot be used: Connection refused/],
    ["127.0.0.1 $f->{sentinels}[2]{port}", qr/127\.\S+ refuses: |unknown/])
{
    fake_answers($fake, { SENTINEL => named(split / /, $_->[0]) });
    fails($_->[1], 'account', 'show', $ac);
}

# An address translation: the address that is announced is not the one to use.
write_file("$dir/nodes", read_file("$dir/quick")
    . "store_nodes 192.0.2.7:6379=127.0.0.1:$master->{port}\n");
fake_answers($fake, { SENTINEL => named('192.0.2.7', 6379) });
is(rblctl($f, '-c', "$dir/nodes", 'account', 'show', $ac)->{status}, 0,
    'rblctl uses the address that store_nodes gives');

fake_answers($fake, { SENTINEL => "*-1\r\n" });
fails(qr/does not know a master of this name/, 'status');
fake_answers($fake, { SENTINEL => '' });
fails(qr/Sentinel 127\S+: /, 'status');
fake_answers($fake, { SENTINEL => "-NOAUTH Authentication required.\r\n",
    AUTH => "-WRONGPASS invalid username-password pair\r\n" });
fails(qr/Sentinel 127\S+: /, 'status');
$f->{addr} = "sentinel:rbl\@$fake_at,$words[2]";
ctl('account', 'show', $ac);

done_testing();
