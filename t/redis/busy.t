#!/usr/bin/perl

# A busy store is not dead.  While it executes a long command, or sends a long
# reply, single requests may be late; the connection stays, and commands in
# flight are answered.  A dead connection is dropped if the store answers
# elsewhere.
#
# Alone: requests sent before a deadline must not arrive after it.

use strict;
use warnings;

use RblFakeRedis;
use RblRedis;
use RblTest;
use Time::HiRes qw(sleep time);

# One server is busy.
my $redis = start_redis(cluster => 1,
    args => ['--enable-debug-command', 'local']);
store_meta($redis);
my $nginx = start_nginx(store => $redis, workers => 1,
    http => 'rbl_store_timeout 2s;');
ok(wait_for { ask($nginx) == 401 } 3, 'nginx answers requests from the store');

# Keeps the store busy with that many commands of so many seconds each, all sent
# at once: it answers no client before the last one ends.  (A script cannot tell
# how long it has run.)
sub keep_busy {
    my ($commands, $seconds) = @_;

    my $c = IO::Socket::UNIX->new(Peer => $redis->{socket}) or die "$!";
    print {$c} "DEBUG SLEEP $seconds\r\n" x $commands;
    $c->flush;
    return $c;
}

sub clients_of_nginx {
    return map { /^id=(\d+) /m } grep { !/ cmd=client/ && !/ cmd=debug/ }
        split /\n/, redis($redis, 'CLIENT', 'LIST', 'TYPE', 'normal');
}

for my $case ([1, 3, 'one long command'],
    [20, 0.15, 'many commands at once'])
{
    my ($commands, $seconds, $name) = @$case;
    my ($main) = clients_of_nginx();
    my $busy = keep_busy($commands, $seconds);
    sleep 0.1;
    my $late = send_request($nginx);
    sleep 1.6;
    my $later = send_request($nginx);
    like(status_line($late), qr/ 503 /, "$name: a request is late");
    my $status = ask($nginx);
    like($status, qr/^(?:401|503)$/, 'a later request gets a response');
    like(status_line($later), qr/ 401 /,
        'a request that has time left is served');
    ok((wait_for { ask($nginx) == 401 } 3),
        "$name: requests get a response afterwards");
    is((clients_of_nginx())[0], $main,
        "$name: nginx keeps the same connection");
    is(messages($nginx, qr/ is waiting/), 0, 'the connection was not given up');
}

subtest 'hung for a moment' => sub {
    my ($main) = clients_of_nginx();
    my $late = send_request($nginx);
    wait_for { status_line($late) =~ / 401 / } 3;
    pause_server($redis);
    $late = send_request($nginx);
    like(status_line($late), qr/ 503 /, 'a request to a hung store gets 503');
    my ($status, $seconds) = asked_in($nginx);
    is($status, 503, 'the next request to a hung store gets 503');
    cmp_ok($seconds, '<', 1, 'the next request gets 503 at once');
    cont_server($redis);
    ok((wait_for { ask($nginx) == 401 } 2), 'service within 2 seconds');
    no_message($nginx, qr/" is waiting/, 'by the same connection');
};

subtest 'hung for long' => sub {
    pause_server($redis);
    is(ask($nginx), 503, 'a request to a hung store gets 503');
    ok((wait_for { messages($nginx, qr/" is waiting/) } 9),
        'the connection is given up');
    my ($status, $seconds) = asked_in($nginx);
    is($status, 503, 'a request without a connection gets 503');
    cmp_ok($seconds, '<', 1, 'a request without a connection gets 503 at once');
    cont_server($redis);
    ok((wait_for { ask($nginx) == 401 } 2), 'service within 2 seconds');
};

stop_server($nginx);

my $fake = start_fake('good');
$nginx = start_nginx(store => $fake, workers => 1,
    http => 'rbl_store_timeout 3s;');
ok((wait_for { ask($nginx) == 401 } 3),
    'nginx answers requests from the store');

subtest 'a reply that takes long' => sub {
    fake_mode($fake, 'dribble');
    my $seen = length fake_seen($fake);
    my $late = send_request($nginx);
    wait_for { length fake_seen($fake) > $seen } 5;
    fake_mode($fake, 'bytewise');
    sleep 2.5;
    my $later = send_request($nginx);
    like(status_line($late), qr/ 50[03] /,
        'the request with a long reply is late');
    like(status_line($later), qr/ 401 /,
        'the next request gets a response in time');
    no_message($nginx, qr/ is waiting/, 'the connection stays');
};

subtest 'a connection that is dead' => sub {
    fake_mode($fake, 'deaf');
    is(ask($nginx), 503, 'a request on a dead connection gets 503');
    ok((wait_for { messages($nginx, qr/is not ready: no reply, while/) } 5),
        'the store replies on other connections');
    fake_mode($fake, 'good');
    ok((wait_for { ask($nginx) == 401 } 2), 'service within 2 seconds');
};

done_testing();
