#!/usr/bin/perl

# kill -9 of the store and its return, with requests: 503 with Retry-After
# within rbl_store_timeout, service within 2 seconds of its return without
# intervention; a static location of the same nginx is not affected; and every
# write that was answered with 200 is there.
#
# Alone: compares latencies.

use strict;
use warnings;

use POSIX ();
use RblApi;
use RblFault;
use RblTest;
use Time::HiRes qw(sleep time);

my $limit = 0.5;                        # rbl_store_timeout, its default

my $redis = start_redis(appendonly => 1, args => ['--appendfsync', 'always']);
init_store($redis);
my $acct = make_account($redis);
my $nginx = start_nginx(store => $redis, workers => 2, http => q{
    log_format took '$uri $status $request_time';
    access_log %%DIR%%/took.log took;
    }, server => 'location /static/ { root %%DIR%%; access_log off; }');
mkdir "$nginx->{dir}/static";
write_file("$nginx->{dir}/static/x.txt", 'x' x 2000);
ok((wait_for { http($nginx, 'GET', '/3.0/hosts.json', auth => $acct)
    ->{status} == 200 } 5), 'nginx answers requests with a running store');

# --- programs that run during the faults -----------------------------------

# Runs a process; returns its result when it must end.  A file tells it to end:
# a signal would interrupt the request that it waits for.
sub beside {
    my ($name, $code) = @_;

    my $file = temp_dir() . "/$name";
    my $pid = fork // die "fork: $!";
    if ($pid == 0) {
        my @lines = $code->(sub { !-e "$file.end" });
        write_file($file, join '', map { "$_\n" } @lines);
        POSIX::_exit(0);
    }
    return sub {
        write_file("$file.end", '');
        waitpid $pid, 0;
        return split /\n/, read_file($file);
    };
}

# Adds hosts: "host status seconds time, and what is wrong".
sub writer {
    my ($net) = @_;

    return beside("writer$net", sub {
        my ($on) = @_;

        my @lines;
        for (my $n = 0; $on->(); $n++) {
            my $host = "10.$net." . ($n >> 8) . '.' . ($n & 255);
            my $r = http($nginx, 'POST', '/3.0/host/add.json', auth => $acct,
                form => { host => $host, name => 'n', type => 'rbl' });
            my $wrong = $r->{status} == 200 ? ''
                : $r->{status} != 503 ? 'another status'
                : !$r->{headers}{'retry-after'} ? 'no Retry-After'
                : $r->{body} =~ /Nothing was changed/ ? 'unchanged'
                : $r->{body} =~ /outcome is unknown/ ? 'unknown'
                : 'another message';
            push @lines, sprintf '%s %d %.3f %.3f %s', $host, $r->{status},
                $r->{ms} / 1000, time, $wrong;
            sleep 0.002;
        }
        return @lines;
    });
}

# Requests the file repeatedly: "time seconds"
sub watcher {
    return beside('watcher', sub {
        my ($on) = @_;

        my @lines;
        while ($on->()) {
            my $since = time;
            my $r = http($nginx, 'GET', '/static/x.txt');
            my $took = time - $since;
            push @lines, sprintf '%.4f %.6f', $since,
                $r->{status} == 200 ? $took : 99;
            sleep 0.004;
        }
        return @lines;
    });
}

# --- alternately with and without the store --------------------------------

my @writers = map { writer($_) } 1 .. 3;
my $watcher = watcher();
my (@calm, @away);                      # [from, to]
my @back;

for my $round (1 .. 3) {
    my $from = time;
    sleep 0.8;
    push @calm, [$from, time];
    kill_server($redis);
    $from = time;
    sleep 0.8;
    push @away, [$from, time];
    relaunch($redis);
    my $since = time;
    my $served = wait_for { http($nginx, 'GET', '/3.0/hosts.json',
        auth => $acct)->{status} == 200 } 5;
    push @back, $served ? time - $since : 99;
}

# A store that hangs
pause_server($redis);
my $from = time;
sleep 0.8;
push @away, [$from, time];
cont_server($redis);
my $since = time;
my $served = wait_for { http($nginx, 'GET', '/3.0/hosts.json', auth => $acct)
    ->{status} == 200 } 5;
push @back, $served ? time - $since : 99;
sleep 0.3;

my @writes = map { [split ' ', $_, 5] } map { $_->() } @writers;
my @static = map { [split ' '] } $watcher->();

# --- writes ----------------------------------------------------------------

my %by;
push @{ $by{ $_->[1] } }, $_ for @writes;
is(join(' ', sort keys %by), '200 503', 'writes get 200 or 503');
cmp_ok(scalar @{ $by{200} }, '>', 20, @{ $by{200} } . ' writes are done');
cmp_ok(scalar @{ $by{503} }, '>', 50, @{ $by{503} } . ' writes are refused');
is_deeply([grep { $_->[4] !~ /^(?:unchanged|unknown)$/ } @{ $by{503} }], [],
    'refused writes have Retry-After and the outcome');

# By nginx's own clock, because this test may wait for a processor.
my @took = map { (split)[2] } grep { / 503 / }
    split /\n/, read_file("$nginx->{dir}/took.log");
# Those without the store show how long nginx itself waited for one.
my ($longest) = sort { $b <=> $a } @took;
my ($held_up) = sort { $b <=> $a } grep { $_ < 99 } map { $_->[1] } @static;
cmp_ok($longest, '<=', $limit + 0.2 + 2 * $held_up,
    sprintf 'within rbl_store_timeout (%.3f s at most; static %.3f s)',
    $longest, $held_up);

for my $i (0 .. $#back) {
    cmp_ok($back[$i], '<', 2, sprintf 'round %d: service %.2f s after its '
        . 'return', $i + 1, $back[$i]);
}

my %there = map { /([\d.]+)$/ ? ($1 => 1) : () } @{ redis($redis, 'HKEYS',
    redis_key('uniq', $acct->{sid})) };
is_deeply([grep { !$there{$_} } map { $_->[0] } @{ $by{200} }], [],
    'every write with status 200 is in the store');
is_deeply([grep { $there{$_} } map { $_->[0] }
    grep { $_->[4] eq 'unchanged' } @{ $by{503} }], [],
    'no write with "Nothing was changed" is');

# --- static location -------------------------------------------------------

# (median, 99th of 100) in milliseconds of the requests in these times
sub latency {
    my (@spans) = @_;

    my @ms = sort { $a <=> $b } map { 1000 * $_->[1] } grep { my $s = $_;
        grep { $s->[0] >= $_->[0] && $s->[0] < $_->[1] } @spans } @static;
    return ($ms[$#ms / 2], $ms[$#ms * 0.99], scalar @ms);
}

my @with = latency(@calm);
my @without = latency(@away);
diag(sprintf 'static, ms: median %.2f, p99 %.2f with the store (%d), '
    . '%.2f, %.2f without (%d)', @with, @without);
is(scalar(grep { $_->[1] == 99 } @static), 0, 'a static file is always served');
cmp_ok($without[0], '<', 2 * $with[0] + 1,
    'the median time is as low without the store');

# A worker that waits for the store would show $limit here.
cmp_ok($without[1], '<', $with[1] + 1000 * $limit / 4,
    'the slowest 1 % is as fast without the store');

done_testing();
