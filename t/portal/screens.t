#!/usr/bin/perl

# The portal's screens in a browser.

use strict;
use warnings;

use Test::More;

use RblBrowser;

# Two lists that listed the host in the last weeks; one does still.
sub history_of {
    my ($t, $id) = @_;

    my $day = 86_400_000;
    my $now = time * 1000;
    my $key = redis_key('hist', $t->{acct}{sid}, $id);
    for my $e ([70, 'list1.test', 'listed'], [40, 'list1.test', 'clear'],
        [20, 'list2.test', 'listed'], [9, 'list1.test', 'listed'])
    {
        my ($ago, $zone, $status) = @$e;
        redis($t->{redis}, 'XADD', $key, $now - $ago * $day . '-0', 'c',
            sid_of('PP'), 't', mp_pack([[\sid_of('RB'), \$zone, \$status,
            \'127.0.0.2']]));
    }
    redis($t->{redis}, 'XADD', redis_key('changes', $t->{acct}{sid}),
        $now - 9 * $day . '-0', 'h', $id, 'v', '192.0.2.1', 'n', 7, 't',
        mp_pack([map { [\sid_of('RB'), \"list$_.test", \'listed',
            \'127.0.0.2'] } 1 .. 5]));
    my $host = redis_key('r', $t->{acct}{sid}, $id);
    my $r = record('host', redis($t->{redis}, 'GET', $host));
    my ($first) = @{ redis($t->{redis}, 'ZRANGE', 'rbl:{0}:lists', 0, 0) };
    redis($t->{redis}, 'SET', $host, record_pack('host', %$r,
        name => \$r->{name}, value => \$r->{value}, unknown_count => 1,
        troubled => [[$first, 'timeout', $now - 3 * $day, 4]]));
    forget($t, $t->{acct}{sid});
}

my $t = browser_setup();
daemon_seen($t);
my $listed = add_host($t, '192.0.2.1', name => 'mail <b>&amp;</b>');
list_host($t, $listed->{id}, lists => 2);
history_of($t, $listed->{id});
add_host($t, '2001:db8::1', name => "\x{202e}" . 'x' x 200);
add_host($t, '192.0.2.2', name => 'W' x 255);
my ($name, $value) = split /=/, sign_in($t)->{cookie}, 2;
browser_run($t, 'screens', cookie => { name => $name, value => $value },
    host => $listed->{id});

done_testing();
