#!/usr/bin/perl
# rblctl fsck reads an event's deliveries while `webhook replay` adds some: the
# counter may exceed the number seen, and that is no fault.

use strict;
use warnings;

use lib 't/lib';
use Digest::SHA qw(sha1_hex);
use IO::Select;
use IO::Socket::UNIX;
use POSIX ();
use RblTest;
use RblScript;

my $redis = redis_new(cluster => 1);     # its relay is to one server
rblctl($redis, 'init', '--partitions', 1);
my ($ac, $acct) = account();
my $now = int(cmd('TIME')->[0]) * 1000;

sub event {
    my ($open, @to) = @_;

    my $ev = sid('EV');
    cmd('HSET', k('event', $ac, $ev), 'type', 't', 'date', $now, 'body', '{}',
        'open', $open);
    for my $to (@to) {
        cmd('HSET', k('dlv', $ac, $ev, $to), 'attempt', 0, 'first', $now);
        cmd('ZADD', k('retry'), $now, "$ac:$ev:$to");
        cmd('ZADD', k('pending', $ac), 0, "$to:$now:$ev:$to");
    }
    return $ev;
}
sub open_of { return cmd('HGET', k('event', $ac, $_[0]), 'open') // 'gone' }


# The counter, its earlier value, and the number of deliveries seen.

for (
    ['it comes out even', 2, 2, 2, [0, 1], 2],
    ['too many', 4, 4, 2, [0, 1], 2],
    ['none is left', 1, 1, 0, [], 'gone'],
    ['more than before', 3, 2, 2, [0, 1], 3],
    ['fewer than before', 3, 4, 2, [0, 1], 3],
    ['as many, but one has finished', 2, 2, 1, [0, 1], 2],
    ['none is left, but there were others', 1, 1, 0, [0], 1],
    ['too few, whatever was added and finished', 1, 5, 2, [0, 1, 2], 2],
    ['it has just come to its end', 0, 1, 0, [0], 0],
    ['nonsense', 'x', 'x', 2, [0, 1], 2],
) {
    my ($name, $open, $counted, $there, $seen, $mended) = @$_;
    my $ev = event($open, map { "CB$_" } 0 .. $there - 1);
    my @targets = map { "CB$_" } @$seen;
    my $r = script('fsck_event', [$acct], mend => '1', event => $ev,
        counted => $counted, targets => \@targets);
    is($r->[0], 'OK', "$name: the event is checked");
    is(open_of($ev), $mended, "$name: it counts $mended");
    is(scalar @$r, $mended eq $open ? 1 : 2, "$name: and reported accordingly");
    cmd('DEL', k('event', $ac, $ev), k('retry'),
        k('pending', $ac), map { k('dlv', $ac, $ev, "CB$_") } 0 .. 2);
}
my $kept = event(2);
is_deeply(script('fsck_keys', [k('accounts')], mend => '1',
    keys => "event:$ac:$kept"), ['OK', ["$ac:$kept 2"]],
    'the counter is read before the deliveries, and not judged');
cmd('DEL', @{ cmd('KEYS', k('event', '*')) }, k('pending', $ac));


# One is being tried, two were given up.  A relay replays one before fsck looks
# for deliveries, and one before it checks the event.

my @wh = map { sid('WH') } 1 .. 3;
script('hook_put', [$acct], hook => $_, name => 'n',
    url => 'https://x.example/', secret => 's') for @wh;
my $ev = event(1, $wh[0]);
cmd('XADD', k('dead', $ac), '*', 'e', $ev, 'to', $_, 'url', '', 't', 't', 'b',
    '{}', 's', 0, 'x', 'x', 'n', 9, 'a', '') for @wh[1, 2];
is(rblctl($redis, 'fsck')->{status}, 0, 'no fault before');

my $path = temp_dir() . '/relay';
my $listen = IO::Socket::UNIX->new(Local => $path, Listen => 4) or die $!;
my $pid = fork // die "fork: $!";
if (!$pid) {
    $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
    relay($listen);
    POSIX::_exit(0);
}
close $listen;

sub replay {
    my ($hook) = @_;

    system build_dir() . '/rblctl', '--store', $redis->{addr}, '--user',
        'rblctl', '--password-file', $redis->{users}{rblctl}, 'webhook',
        'replay', $ac, $hook, '--all';
}

sub relay {
    my ($from) = @_;

    my $asked = sha1_hex(read_file(build_dir() . '/gen/lua/fsck_event.lua'));
    my @again = @wh[1, 2];
    my $client = $from->accept;
    my $store = IO::Socket::UNIX->new(Peer => $redis->{socket});
    my $both = IO::Select->new($client, $store);
    while (1) {
        for my $h ($both->can_read) {
            sysread $h, my $bytes, 1 << 20 or return;
            replay(shift @again) if $h == $client && (@again == 2
                ? $bytes =~ /SCAN\r\n.*:dlv:/s
                : @again && $bytes =~ /EVALSHA\r\n\$40\r\n$asked/);
            my $to = $h == $client ? $store : $client;
            for (my $at = 0; $at < length $bytes;) {
                $at += syswrite $to, $bytes, length($bytes) - $at, $at;
            }
        }
    }
}

my $r = run_cmd({ timeout => 60 }, build_dir() . '/rblctl', '--store',
    "unix:$path", '--user', 'rblctl-fsck', '--password-file',
    $redis->{users}{'rblctl-fsck'}, 'fsck', '--repair');
kill 'TERM', $pid;
waitpid $pid, 0;
is($r->{status}, 0, 'no fault meanwhile') or diag("$r->{out}$r->{err}");
is(scalar @{ cmd('KEYS', k('dlv', $ac, $ev, '*')) }, 3,
    'two were delivered later');
is(open_of($ev), 3, 'the event counts all of its deliveries');
is(rblctl($redis, 'fsck')->{status}, 0, 'no fault afterwards');
done_testing();
