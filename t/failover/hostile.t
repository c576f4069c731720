#!/usr/bin/perl

# Sentinels that say what is wrong: no program writes to a wrong server, ends or
# waits without limit, and each goes on as soon as the answer is right, or if
# another Sentinel is right.

use strict;
use warnings;

use RblFailover;
use RblFailover::Hostile;
use RblFakeRedis;

my $f = start_sentinels();
my $fake = start_fake('good', port => 1);
my ($master, $replica) = @{ $f->{nodes} };
my $good = names('127.0.0.1', $master->{port});
my %says = (AUTH => "+OK\r\n", PING => "+PONG\r\n");
my $say = sub {
    my ($answer, $auth) = @_;

    fake_answers($fake, { %says, $auth ? (AUTH => $auth) : (),
        'SENTINEL' => $answer });
};
$say->($good);
my $addr = sentinel_words($fake->{port});
my $both = sentinel_words($fake->{port}, $f->{sentinels}[0]{port});
my $right = "and another Sentinel that is right";

# An nginx that asks the false Sentinel first.
sub serves_beside {
    my ($acct, $name) = @_;

    my $nginx = start_nginx(store => { %$f, addr => $both }, workers => 1);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    serves($nginx, $acct, "$name, $right");
    stop_server($nginx);
}

my $w = failover_world({ %$f, addr => $addr });
my $acct = $w->{accounts}[0];

# rblctl and the daemon find the one that is right.
$say->(names('127.0.0.1', $replica->{port}));
my $listed = rblctl({ %$f, addr => $both }, 'account', 'list');
is($listed->{status}, 0, "rblctl, a replica, $right") or diag($listed->{err});
my $daemon = start_checkd(store => { %$f, addr => $both }, ready => 0,
    resolver => $w->{dns});
ok(wait_log($daemon, qr/ready/, 10), "the daemon, a replica, $right");
stop_server($daemon);
$say->($good);

my $noauth = "-NOAUTH Authentication required.\r\n";
my @wrong = (
    ['a replica', names('127.0.0.1', $replica->{port})],
    ['itself', names('127.0.0.1', $fake->{port})],
    ['0.0.0.0', names('0.0.0.0', $master->{port})],
    ['a name', names('localhost', $master->{port})],
    ['a port that is none', names('127.0.0.1', 99999)],
    ['a port without a server', names('127.0.0.1', free_port())],
    ['no master', "*-1\r\n"],
    ['an error', "-ERR \e[31m%s%n\r\n"],
    ['NOAUTH, and it takes our password', $noauth],
    ['NOAUTH, and it refuses our password', $noauth,
        "-WRONGPASS invalid username-password pair\r\n"],
    ['garbage', "HTTP/1.1 400 Bad Request\r\n\r\n"],
    ['half of an answer', "*2\r\n\$9\r\n127.0.0.1\r\n"],
    ['nothing', ''],
    ['nothing, and closes', undef],
);
for my $case (@wrong) {
    my ($name, @answers) = @$case;
    $say->(@answers);
    redis($master, 'CLIENT', 'KILL', 'USER', "rbl-$_") for qw(api checkd);
    refuses($w->{nginx}, $acct, $name);
    serves_beside($acct, $name);
    rblctl_ends($f, $addr, $name)
        if $name =~ /^(?:a replica|nothing)$/;
    $say->($good);
    serves($w->{nginx}, $acct, "$name, then the master");
}
ok(alive($w->{checkd}), 'the daemon lives');

# A master without replicas near enough, as a Sentinel without contact to the
# others may name it.
my $false = start_redis(port => 1, cluster => 0);
init_store($false);
redis($false, 'CONFIG', 'SET', 'min-replicas-to-write', 1);
my $before = redis($false, 'DBSIZE');
$say->(names('127.0.0.1', $false->{port}));
redis($master, 'CLIENT', 'KILL', 'USER', "rbl-$_") for qw(api checkd);
refuses($w->{nginx}, $acct, 'two masters');
serves_beside($acct, 'two masters');
is(redis($false, 'DBSIZE'), $before, 'nothing was written to the false one');
$say->($good);
serves($w->{nginx}, $acct, 'two masters, then the right one');

SKIP: {
    my $own = own_address() // skip 'only loopback here', 1;
    my $far = start_nginx(store => { %$f,
        addr => "sentinel:rbl\@$own:$fake->{port}" });
    refuses($far, $acct, 'a Sentinel elsewhere that names 127.0.0.1');
}

my $r = http($w->{nginx}, 'POST', '/3.0/check/start.json', auth => $acct,
    form => { host => '198.51.100.9' });
is(scalar unfinished($w, [{ op => 'check', said => 'done', account => 0,
    id => json($r)->{data}{id} }]), 0, 'the daemon checks');

done_testing();
