#!/usr/bin/perl

# Changes of many records, which the store makes in slices.  They complete
# whenever a client disconnects, a worker of nginx is killed between slices, or
# the store is killed; a daemon finishes accepted work.  Two clients that add
# the same subnet get one success and one refusal.  Ranges that are added and
# deleted in a loop do not delay other accounts.

use strict;
use warnings;

use POSIX ();
use RblApi;
use RblRedis ();
use Time::HiRes qw(sleep time);

my $redis = start_redis(appendonly => 1, args => ['--appendfsync', 'always']);
init_store($redis);
my ($acct, $other) = map { make_account($redis, name => $_) } 'One', 'Other';
my $nginx = start_nginx(store => $redis, workers => 2,
    http => 'rbl_store_timeout 5s;');
my $t = { redis => $redis, nginx => $nginx, acct => $acct };
ok((wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 10),
    'the API serves requests');
sub daemon { return start_checkd(store => $redis, conf => { schedule => 'off',
    deliver => 'off' }) }

sub ask { return redis($redis, @_) }
sub key { return redis_key($_[0], $acct->{sid}, @_[1 .. $#_]) }
sub card { return ask('ZCARD', key($_[0])) }
sub waiting { return ask('LLEN', key('work')) }
sub clean {
    my ($name) = @_;
    my $r = rblctl($redis, 'fsck');
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($r->{status}, 0, "fsck finds no fault: $name") or diag($r->{out});
}
sub add {
    my ($subnet, %o) = @_;
    return call($t, 'POST', 'host/add.json', %o, form => { host => $subnet,
        name => 'n', type => 'ip_range' });
}
sub end_range {
    return call($t, 'POST', "host/delete/$_[0].json");
}

# Makes calls in separate processes; returns their responses in order.
sub at_once {
    my (@calls) = @_;
    my $dir = temp_dir();
    my @pids = map {
        my $n = $_;
        my $pid = fork // die "fork: $!";
        if ($pid == 0) {
            delete $redis->{client};
            my $r = eval { $calls[$n]->() };
            write_file("$dir/answer.$n", ($r->{status} // 0) . ' '
                . ($r->{body} // $@));
            POSIX::_exit(0);
        }
        $pid;
    } 0 .. $#calls;
    return sub {
        waitpid $_, 0 for @pids;
        return map { read_file("$dir/answer.$_") } 0 .. $#calls;
    };
}


# --- responses -------------------------------------------------------------

my $r = add('10.0.0.0/22');
my $v = accepted($r, 'a range of 1,024');
is(scalar @{ $v->{data} }, 1025, 'all of it is in the response');
is($v->{data}[0]{type}, 'ip_range', 'the range first');
is(join(' ', map { $_->{host} } @{ $v->{data} }[1, 2, 1024]),
    '10.0.0.0 10.0.0.1 10.0.3.255', 'the hosts of the range are in order');
is($v->{status_message}, 'Hosts added successfully.', 'the usual message');
my $range = $v->{data}[0]{id};
$r = call($t, 'POST', 'host/add.json', form => { host => '10.0.3.254/31',
    name => 'n', type => 'uribl' });
is($r->{status}, 400, 'an invalid value is refused');
refused(call($t, 'POST', 'host/add.json', form => { host => '10.0.3.252/30',
    name => 'n', type => 'rbl' }), 409, qr/has this host already/,
    'a subnet with nothing new');
accepted(call($t, 'POST', "host/update/$range.json", form => { name => 'm' }),
    'a change of it');
my ($kid) = @{ ask('ZRANGE', key('kids', $range), -1, -1) };
is(json(call($t, 'GET', "host/$kid.json"))->{data}[0]{name} // '',
    'm 10.0.3.255',
    'a change of the range has reached its last host with the response');
clean('a range');
accepted(end_range($range), 'the range is deleted');
is(card('hosts'), 0, 'all hosts of the range are deleted');
refused(end_range($range), 404, qr/Invalid host id/,
    'a second deletion of the range is refused with 404');

# two at once

my @answers = at_once((sub { add('10.1.0.0/22') }) x 2)->();
is(join(' ', sort map { /^(\d+)/ } @answers), '200 409',
    'one of two additions of the same subnet succeeds');
is(card('hosts'), 1025, 'the subnet is added once');
$range = json({ body => (grep { /^200/ } @answers)[0] =~ s/^\d+ //r })
    ->{data}[0]{id};
@answers = at_once((sub { end_range($range) }) x 2)->();
like(join(' ', sort map { /^(\d+)/ } @answers), qr/^200 404$/,
    'concurrent deletions: one succeeds');
is(card('hosts'), 0, 'all are deleted');
clean('two at once');

# work that waits

ask('RPUSH', key('work'), (mp_pack([1, 1, 'later', time * 1000, '', []])) x 16);
$r = add('10.2.0.0/30');
refused($r, 429, qr/Too many changes of many records wait/,
    'a change is refused with 429 while too much work waits');
ok($r->{headers}{'retry-after'}, 'the refusal has Retry-After');
ask('LTRIM', key('work'), 0, 0);
$r = add('10.2.0.0/30');
refused($r, 503, qr/was accepted .* will be finished/,
    'a request that cannot wait');
is($r->{headers}{'retry-after'}, undef, 'accepted work has no Retry-After');
ask('LPOP', key('work'));


# --- clients, workers and the store die ------------------------------------

my $checkd = daemon();
eventually_done('accepted work is done');
is(card('hosts'), 5, 'a daemon has added the range');

sub eventually_done {
    my ($name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok((wait_for { waiting() == 0 } 30, $name), $name);
}

# Each range is complete, or absent.
sub whole {
    my ($name) = @_;
    my (%n, @ranges);
    for my $ht (@{ ask('ZRANGE', key('hosts'), 0, -1) }) {
        my $h = record('host', ask('GET', key('r', $ht)));
        push @ranges, $h if $h->{type} eq 'ip_range';
        $n{ $h->{parent} }++ if $h->{parent};
    }
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is(join(' ', grep { !/^(?:4|1024)$/ } map { $n{ $_->{id} } // 0 } @ranges),
        '', "$name: each range is whole");
    return map { $_->{id} } grep { $n{ $_->{id} } == 1024 } @ranges;
}

# Makes calls and runs the code while their work is in progress.
my $net = 10;
sub in_the_middle {
    my ($name, $calls, $code) = @_;
    for (1 .. 4) {
        my $done = at_once($calls->());
        wait_for { waiting() > 1 } 3, 'work';
        $code->();
        my $left = eval { waiting() } // 1;
        my @answers = $done->();
        next if !$left;
        pass("$name: in the middle");
        return @answers;
    }
    fail("$name: in the middle");
}
sub some_ranges { my $from = $net; $net += 6;
    return map { my $n = $_; sub { add("10.$n.0.0/22") } }
        $from .. $from + 5 }

expect_alert(qr/worker process \d+ exited on signal 9/);
stop_server($checkd);
in_the_middle('a worker dies', \&some_ranges, sub {
    kill 'KILL', RblRedis::workers($nginx, 2) });
clean('a worker has died');
cmp_ok(waiting(), '>', 0, 'no worker finishes it');
$checkd = daemon();
eventually_done('a daemon does');
my @ranges = whole('after that');
cmp_ok(scalar @ranges, '>', 0, 'there are ranges');
clean('a daemon has finished it');
wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 10, 'service';

my @doomed;
stop_server($checkd);
in_the_middle('while ranges are deleted', sub {
    @doomed = splice @ranges, 0, 2;
    return map { my $id = $_; sub { end_range($id) } } @doomed;
}, sub { kill 'KILL', RblRedis::workers($nginx, 2) }) if @ranges >= 4;
$checkd = daemon();
eventually_done('a daemon deletes them');
is(scalar(grep { ask('EXISTS', key('r', $_)) } @doomed), 0,
    'the hosts of the doomed ranges are deleted');
whole('after that');
clean('ranges were deleted');

wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 10, 'service';
my @late = in_the_middle('the store dies', \&some_ranges, sub {
    kill_server($redis);
    restart_server($redis) });
is(join(' ', grep { !/^(?:200|503)$/ } map { /^(\d+)/ } @late), '',
    'each client gets 200 or 503');
like($_, qr/accepted|unknown|Nothing was changed/,
    'each 503 says what became of the change')
    for grep { /^503/ } @late;
ok((wait_for { eval { waiting() == 0 } } 60, 'the end'),
    'the work is finished when the store is back');
whole('after that');
clean('the store has died');


# --- neighbours ------------------------------------------------------------

ok((wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 10),
    'the API serves requests again');
my $till = time + 2;
my @busy = map { my $n = 100 + $_; sub {
    my ($n_calls, $slowest) = (0, 0);
    while (time < $till || !$n_calls) {
        my $start = time;
        my $r = add("10.$n.0.0/22");
        die "add: $r->{raw}" if $r->{status} != 200;
        $r = end_range(json($r)->{data}[0]{id});
        die "delete: $r->{raw}" if $r->{status} != 200;
        $n_calls++;
        $slowest = time - $start if $slowest < time - $start;
    }
    return { status => 200, body => "$n_calls $slowest" };
} } 1 .. 4;
my $loop = at_once(@busy);
my ($reads, $worst, %status) = (0, 0);
while (time < $till) {
    my $start = time;
    $status{ http($nginx, 'GET', '/3.0/hosts.json', auth => $other)
        ->{status} }++;
    my $took = time - $start;
    $worst = $took if $took > $worst;
    $reads++;
}
@answers = $loop->();
is(scalar(grep { /^200 [1-9]/ } @answers), 4, 'ranges were added and deleted')
    or diag(join "\n", @answers);
is(join(' ', keys %status), '200', 'another account gets all its answers');
my ($slowest) = sort { $b <=> $a } map { (split)[2] } @answers;
cmp_ok($worst, '<', $slowest / 4, sprintf '%d reads of another account end '
    . 'within %.0f ms beside ranges that take %.0f ms', $reads,
    1000 * $worst, 1000 * $slowest);
clean('at the end');

done_testing();
