#!/usr/bin/perl

# The store is something other than redis-server, or a faulty one: the daemon
# logs that, does nothing, retries, and ends on a signal.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblFakeRedis;
use RblTest;

my $fake = start_fake('mute');
my $checkd = start_checkd(store => $fake, ready => 0,
    resolver => { port => 9 }, conf => { conf_short() });

# Those that fail at once come last: the log drops lines of a kind after twenty.
for my $mode (qw(mute loading late_loading readonly masterdown oom noscript
    strange half close close_at_once maxclients garbage huge negative
    nested_huge deep long integer short nested many bytewise unasked later
    doubled unsubscribe shouted told)) {
    fake_mode($fake, $mode);
    my $seen = () = fake_seen($fake) =~ /\n/g;
    my $again = wait_for { (() = fake_seen($fake) =~ /\n/g) >= $seen + 2 } 12,
        "$mode: requests";
    ok($again, "$mode: it continues");
    ok(alive($checkd), "$mode: it lives");
}

my $log = read_file($checkd->{log});
like($log, qr/$_/, "the log has: $_") for 'announced a reply with too many',
    'Protocol error', 'LOADING', 'no reply (?:in time|while connecting)';
unlike($log, qr/secret/, 'arguments in error replies are not logged');
unlike($log, qr/[^\n\x20-\x7e]/, 'the log has no control bytes');
ok(stop_server($checkd), 'the daemon stops on request');
ok(stop_server($fake), 'the fake stops');
done_testing();
