#!/usr/bin/perl

# A daemon without work queries the store seldom, however few slots it has:
# fewer than partitions, and fewer still.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblTest;

my $w = world(no_dns => 1, zones => { 'a.test' => {} });
my $redis = $w->{redis};

sub commands {
    my ($n) = redis($redis, 'INFO', 'stats')
        =~ /^total_commands_processed:(\d+)/m;
    return $n;
}

for my $slots (2, 8, 20) {
    my $d = start_checkd(store => $redis, resolver => { port => free_port() },
        conf => { conf_short(checks_max => $slots) });
    my $before = commands();
    sleep 2;
    cmp_ok(commands() - $before, '<', 10_000,
        "an idle daemon with $slots slots sends few commands");
    ok(stop_server($d), 'the idle daemon stops');
}

done_testing();
