#!/usr/bin/perl

# A plan expires and is paid again, and the daemon that works on its hosts is
# killed between two slices, or nginx is, which does that work for a request that
# waits behind it.  The store is without fault each time, and right at the end.

use strict;
use warnings;

use POSIX ();
use RblPortal;
use RblTest;
use Time::HiRes qw(sleep);

use constant { DAY => 86_400_000 };

my $t = portal_setup();
my ($redis, $ac) = ($t->{redis}, $t->{acct}{sid});
my @ranges = map { (add_host($t, "10.$_.0.0/22", type => 'ip_range'))[0]{id} }
    1 .. 3;
my @single = map { add_host($t, "192.0.2.$_")->{id} } 1 .. 3;
accepted(call($t, 'POST', "host/pause/$single[2].json"),
    'the API pauses one host');
my $hosts = 3 * 1024 + 2;                       # that are to be scheduled
my $me = sign_in($t);

sub key { return redis_key($_[0], $ac, @_[1 .. $#_]) }
sub item { return redis($redis, 'LINDEX', key('work'), 0) // '' }
sub due { return redis($redis, 'ZCARD', key('due')) }

sub daemon {
    return start_checkd(store => $redis, conf => { gateway => 'manual',
        schedule => 'off' });
}

sub faultless {
    is(rblctl($redis, 'fsck')->{out}, "no fault in 2 accounts\n",
        "fsck finds no fault: $_[0]");
}

sub states {
    my $c = accepted(portal($t, $me, 'GET', 'counts.json'), 'counts')->{data};
    return join ' ', map { "$_ $c->{$_}" } qw(unknown paused clear listed);
}

# Kills what the code starts as soon as a slice is done, so that some hosts are
# done, and some are not.
sub kills {
    my ($name, $start, $kill) = @_;

    my $cut = 0;
    for my $n (1 .. 3) {
        my $was = item();
        my $what = $start->($n);
        my $till = time + 20;
        sleep 0.0002 while item() eq $was && time < $till;
        sleep rand 0.01;
        $kill->($what);
        my $due = due();
        $cut++ if $due > 0 && $due < $hosts;
        is(states(), "unknown $hosts paused 1 clear 0 listed 0",
            "$name, $n: all hosts are unknown, $due are due");
        faultless("$name, $n");
    }
    cmp_ok($cut, '>', 0, "$name: the work was cut $cut times");
}

sub ends {
    my ($name) = @_;

    my $daemon = daemon();
    ok(wait_for(sub { item() eq '' }, 60), "$name: a daemon ends the work");
    ok(stop_server($daemon), "$name: the daemon stops without an error");
    faultless("$name: at the end");
}

sub expire {
    my $at = time * 1000 - 20 * DAY;
    bill_of($t, $t->{acct}, begins => $at, ends => $at);
    redis($redis, 'ZADD', key('billdue') =~ s/:AC.*//r, 0, $ac);
    my $daemon = daemon();
    ok(wait_for(sub { item() ne '' }, 20), 'the plan expires');
    kill_server($daemon);
}

sub pay {
    my $b = json(rblctl($redis, 'bill', 'show', $ac, '--json')->{out});
    my $r = rblctl($redis, 'bill', 'paid', $ac, $b->{payment}{id});
    is($r->{status}, 0, 'the plan is paid') or diag($r->{err});
}

# A request for a range waits behind the work, and does it.
sub request {
    my ($n) = @_;

    my $pid = fork // die "fork: $!";
    return $pid if $pid;
    eval { call($t, 'POST', "host/update/$ranges[0].json",
        form => { name => "name $n" }) };
    POSIX::_exit(0);
}

sub nginx_dies {
    my ($pid) = @_;

    kill_server($t->{nginx});
    waitpid $pid, 0;
    restart_server($t->{nginx});
    wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 10, 'nginx';
}

for (['a daemon', \&daemon, \&kill_server],
    ['nginx', \&request, \&nginx_dies])
{
    my ($who, @how) = @$_;
    expire();
    faultless('before the work');
    kills("$who stops hosts", @how);
    ends("$who stops hosts");
    is(due(), 0, 'no host is scheduled');
    pay();
    kills("$who schedules hosts", @how);
    ends("$who schedules hosts");
    is(due(), $hosts, 'all hosts are scheduled');
}

done_testing();
