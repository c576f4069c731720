#!/usr/bin/perl

# A store that answers wrongly, partly or not at all.  Every request is answered
# (401: the store was queried; 503 or 500: not), no worker dies, no raw bytes of
# the store are logged, and service returns with a good store.

use strict;
use warnings;

use lib 't/lib';
use RblFakeRedis;
use RblRedis;
use RblTest;

my $fake = start_fake('loading');
my $nginx = start_nginx(store => $fake, workers => 1,
    http => 'rbl_store_timeout 300ms;');
my ($worker) = workers($nginx);

sub recovers {
    my ($name) = @_;

    fake_mode($fake, 'good');
    ok(wait_for { ask($nginx) == 401 } 2, "$name: good again within 2 s");
    is_deeply([workers($nginx)], [$worker], "$name: the worker is the same");
}

ok(wait_for { messages($nginx, qr/not ready: LOADING Redis is load/) } 3,
    'the log names LOADING at the handshake');
is(ask($nginx), 503, 'a request to a store that is loading gets 503');
recovers('loading');

# The connection is up; then:

my %status = (
    late_loading => 503, readonly => 503, masterdown => 503, oom => 503,
    noscript => 503, strange => 503, half => 503, close => 503,
    doubled => qr/^(?:401|503)$/, garbage => 503, long => 503, mute => 503, huge => 503,
    nested_huge => 503,
    negative => 503, deep => 503,
    bytewise => 401,
);

for my $mode (sort keys %status) {
    fake_mode($fake, $mode);
    # With doubled replies, the first may be read before the second arrives.
    my $want = ref $status{$mode} ? $status{$mode} : qr/^$status{$mode}$/;
    like(ask($nginx), $want, "answers are $mode: $want");
    my @many = map { send_request($nginx) } 1 .. 10;
    my @lines = map { status_line($_) } @many;
    is(scalar(grep { m{^HTTP/1\.1 (?:401|503|500) } } @lines), 10,
        'ten at once: each is answered') or diag(@lines);
    recovers($mode);
}

# Replies of a type that no command has do not crash.

for my $mode (qw(integer nested short)) {
    fake_mode($fake, $mode);
    ok(scalar(ask($nginx) =~ /^(?:401|50[03])$/), "answers are $mode");
    recovers($mode);
}

# The handshake itself

my %reason = (
    maxclients => qr/not ready: ERR max number of clients reached/,
    close_at_once => qr/not ready: the server has closed the connection/,
    unasked => qr/not ready: it sent a reply that no command waits for/,
    garbage => qr/not ready: Protocol error/,
    huge => qr/not ready: it announced a reply with too many elements/,
    nested_huge => qr/not ready: it announced a reply with too many elements/,
    negative => qr/not ready: /,
    deep => qr/not ready: it announced a reply with too many levels/,
    integer => qr/not ready: a reply of an unexpected type/,
    short => qr/not ready: its number of partitions, -1, is not/,
    nested => qr/not ready: it has not been initialised/,
    mute => qr/not ready: no reply while greeting/,
);

for my $mode (sort keys %reason) {
    my $other = start_nginx(store => $fake, workers => 1,
        http => 'rbl_store_timeout 300ms;') if fake_mode($fake, $mode);
    ok(wait_for { messages($other, $reason{$mode}) } 4,
        "handshake $mode: the log has the reason");
    is(ask($other), 503, "handshake $mode: a request gets 503");
    fake_mode($fake, 'good');
    ok(wait_for { ask($other) == 401 } 2, 'good again within 2 s');
    stop_server($other);
}

recovers('handshakes');

# A reply after the handshake that answers no command

fake_mode($fake, 'later');
my $other = start_nginx(store => $fake, workers => 1);
ok(wait_for { messages($other, qr/it sent a reply that no command/) } 4,
    'an unasked reply on an idle connection');
fake_mode($fake, 'good');
ok(wait_for { ask($other) == 401 } 2, 'good again within 2 s');
is(scalar workers($other), 1, 'the worker lives');

no_message($nginx, qr/secret/, 'arguments in error replies are not logged');
no_message($nginx, qr/[\x00-\x08\x0b-\x1f\x7f-\xff]/, 'nor control bytes');

done_testing();
