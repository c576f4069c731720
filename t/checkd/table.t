#!/usr/bin/perl

# The checksum of the system lists means that the daemon has read all of them;
# it has none while they change.  A relay before the store disables a list just
# before the daemon reads the records, and enables it again just after.

use strict;
use warnings;

use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();
use RblCheckd;
use RblTest;
use Time::HiRes qw(sleep time);

my $w = world(partitions => 1, redis => { cluster => 1 });   # its relay
my $redis = $w->{redis};
my $ht = add_host($w, '10.0.0.1');
my ($list) = grep { record('list', redis($redis, 'GET',
        RblCheckd::pkey($w, "r:SYS:$_")))->{zone} eq 'a.test' }
    @{ redis($redis, 'ZRANGE', RblCheckd::pkey($w, 'lists'), 0, -1) };

sub turn {
    my ($status) = @_;

    script_ok($w, 'lists_status', [RblCheckd::pkey($w, 'lists')],
        list => $list, status => $status);
}

# One pass of the relay: copies the bytes of one connection.
sub relay {
    my ($listen, $select, $peer, $done, $s) = @_;

    if ($s == $listen) {
        my $client = $listen->accept;
        my $server = IO::Socket::UNIX->new(Peer => $redis->{socket}) or die;
        $select->add($client, $server);
        $peer->{$client} = [$server, 1];
        $peer->{$server} = [$client, 0];
        return;
    }
    my ($to, $asks) = @{ $peer->{$s} };
    if (!sysread $s, my $bytes, 65536) {
        $select->remove($s, $to);
        close $_ for $s, $to;
    } else {
        my $hit = $asks && !$$done && $bytes =~ /MGET\r.*r:SYS/s;
        turn('disabled') if $hit;
        syswrite $to, $bytes;
        return if !$hit;
        $$done = 1;
        sleep 0.05;
        turn('active');
    }
}

sub start_meddler {
    my $listen = IO::Socket::INET->new(Listen => 9, LocalAddr => '127.0.0.1')
        or die "listen: $!";
    my $pid = fork // die "fork: $!";
    return ($pid, '127.0.0.1:' . $listen->sockport) if $pid;
    delete $redis->{client};
    my ($done, %peer) = (0);
    my $select = IO::Select->new($listen);
    my $end = time + 60;
    while (time < $end) {
        relay($listen, $select, \%peer, \$done, $_) for $select->can_read(0.2);
    }
    POSIX::_exit(0);
}

sub checked_by {
    my ($store, $last) = @_;

    my $d = start_checkd(store => $store, resolver => $w->{dns},
        conf => { conf_short() }, ready => qr/system lists, version/);
    set_due($w, $ht) if $last;
    ok((wait_for { my $h = host_record($w, $ht);
        $h->{checked} != $last && ($last || $h->{listed_count}) } 20),
        'a check');
    stop_server($d);
    return host_record($w, $ht);
}

my $first = checked_by($redis, 0);
is($first->{listed_count}, 1, 'the host is listed');
my ($meddler, $addr) = start_meddler();
is(checked_by($addr, $first->{checked})->{listed_count}, 1,
    'a list that is disabled for a moment ends no listing');
kill 'TERM', $meddler;
waitpid $meddler, 0;
is(join(' ', map { "$_->{v} $_->{z}" } @{ history_of($w, $ht) }),
    'listed a.test', 'the history has no other transition');
done_testing();
