#!/usr/bin/perl

# A million hosts that are checked every hour: their memory in the store, the
# distribution of their checks over the hour after all were added at once, and
# the CPU time of the store while daemons claim and finish the checks of that
# hour.
#
# This program makes the first round of checks, with the scripts and the
# arguments of the daemon, at full speed.  The memory of a host is that after its
# first check, which all lists answered.  Real daemons make the steady load.
# All lists but one have a minimum interval of 30 days, so that they are left out
# of the checks after the first; that one lists nothing.
#
# SCALE_HOSTS sets another number of hosts, in 1,000 accounts; SCALE_MASTERS=3
# a cluster of three masters, with 256 partitions and 20,000 accounts.  The first
# round checks at most a million hosts; the others are postponed until after the
# measurements.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/lib";

use List::Util qw(max min sum0);
use RblBench;
use RblBenchChecks;
use RblBenchStore;
use RblDns;
use RblFailover;
use RblTest;
use Time::HiRes qw(sleep time);

use constant MASTERS => $ENV{SCALE_MASTERS} || 0;
use constant { ACCOUNTS => smoke(200) // (MASTERS ? 20_000 : 1000),
    PARTITIONS => MASTERS ? 256 : 64, LISTS => 36, BATCH => 64, HOUR => 3600,
    DAEMONS => 2, FIRST => 1_000_000, MONTH => 30 * 86400 };

my $total = $ENV{SCALE_HOSTS} || smoke(20_000) || 1_000_000;
my $each = int $total / ACCOUNTS;
my $first = min($each, FIRST / ACCOUNTS);
$total = $each * ACCOUNTS;

bench('scale', "$total hosts, each checked once an hour"
    . (MASTERS ? ', on ' . MASTERS . ' masters' : ''));

my $redis = MASTERS ? start_cluster(masters => MASTERS, replicas => 0)
    : start_redis();
my $file = temp_dir() . '/lists.json';
write_file($file, '{ "version": 1, "lists": [' . join(',', map {
    sprintf '{"zone": "list%d.dnsbl.example", "name": "List %d", "type": "rbl",'
        . ' "families": ["ipv4"], "enabled": true, "codes": ["127.0.0.2=spam"],'
        . ' "control": "none", "min_interval": %d}', $_, $_, $_ == 1 ? 0 : MONTH
    } 1 .. LISTS) . '] }');
init_store($redis, lists => $file, partitions => PARTITIONS);
my $store = RblBenchStore->new($redis);

sub cmd { return redis($redis, @_) }
my $tags = RblTest::Redis::tags_of(PARTITIONS);
sub k {
    my ($p, @parts) = @_;
    return join ':', "rbl:{$tags->[$p]}", @parts;
}
sub pipelined { return $store->pipelined(BATCH, @_) }

sub used {
    return sum0(map { redis($_, 'INFO', 'memory') =~ /^used_memory:(\d+)/m }
        @{ $store->{nodes} });
}

# The most and the fewest hosts of a master, in % of an even distribution.
sub spread {
    my (@ac) = @_;

    my @n = (0) x MASTERS;
    $n[$store->place_of($_->{key})] += $each for @ac;
    return map { 100 * $_ * MASTERS / $total - 100 } max(@n), min(@n);
}


# --- hosts -----------------------------------------------------------------

sub add_accounts {
    my (@ac, @calls);
    for (1 .. ACCOUNTS) {
        my $ac = { sid => sid('AC') };
        $ac->{p} = hex(substr $ac->{sid}, 2, 4) % PARTITIONS;
        $ac->{key} = k($ac->{p}, 'acct', $ac->{sid});
        push @ac, $ac;
        push @calls, $store->call_of('account_put', [$ac->{key}],
            name => 'Bench', timezone => 'UTC', plan => 'plan', paid => 1,
            hosts => 0, contacts => 0, interval => HOUR, profile => sid('RP'),
            group => sid('CG'), checks => 0, shortest => 0);
    }
    pipelined(@calls);
    return @ac;
}

# The store creates the hosts of a call in slices.  Its CPU time for all slices.
sub work {
    my ($ac) = @_;

    my ($us, $left, @step) = (0, 1, ($store->call_of('work_step',
        [$ac->{key}])) x 8);
    while ($left) {
        my ($r, $cost) = pipelined(@step);
        die "work: @{ $r->[-1] }\n" if $r->[-1][0] ne 'OK';
        ($left, $us) = ($r->[-1][2], $us + $cost * @step);
    }
    return $us;
}

sub add_hosts {
    my (@ac) = @_;

    my ($us, $n) = (0, 0);
    for my $ac (@ac) {
        for (my $left = $each; $left > 0; $left -= 500) {
            my @new = map { sid('HT') } 1 .. min($left, 500);
            my ($r, $cost) = pipelined($store->call_of('host_add',
                [$ac->{key}], name => 'mail server', type => 'rbl',
                family => 1, host => \@new, value => [map { my $i = $n++;
                    join '.', 10, $i >> 16 & 255, $i >> 8 & 255, $i & 255 }
                    @new]));
            die "host_add: @{ $r->[0] }\n" if $r->[0][0] ne 'WORK';
            $us += $cost + work($ac);
            push @{ $ac->{ht} }, @new;
        }
    }
    return $us / $n;
}


# Makes all hosts but the first ones of each account due at the end of the hour:
# a time further ahead than their interval would be pulled in.
sub postpone {
    my (@ac) = @_;

    my $at = 1000 * int(time + 0.9 * HOUR);
    for my $ac (@ac) {
        my @rest = @{ $ac->{ht} }[$first .. $each - 1];
        while (my @some = splice @rest, 0, 500) {
            pipelined($store->bytes_of('ZADD', k($ac->{p}, 'due', $ac->{sid}),
                map { ($at, $_) } @some));
        }
    }
    return;
}


# The number of checks in each minute of the hour.
sub minutes {
    my (@ac) = @_;

    my @n = (0) x 60;
    for my $ac (@ac) {
        my $due = cmd('ZRANGE', k($ac->{p}, 'due', $ac->{sid}), 0, $first - 1,
            'WITHSCORES');
        $n[$due->[2 * $_ + 1] / 60_000 % 60]++ for 0 .. @$due / 2 - 1;
    }
    die 'hosts that are due: ' . sum0(@n) . "\n"
        if sum0(@n) != $first * ACCOUNTS;
    return @n;
}


# --- the steady load -------------------------------------------------------

# Makes hosts due one after the other, at the rate of the hour: [AC, HT, when].
sub plan_checks {
    my ($start, $seconds, @ac) = @_;

    my $a_second = $total / HOUR;
    my (@plan, @calls);
    for my $i (0 .. $a_second * $seconds - 1) {
        my $ac = $ac[$i % @ac];
        my $ht = $ac->{ht}[int($i / @ac) % $first];
        my $at = int(1000 * ($start + $i / $a_second));
        push @plan, [$ac, $ht, $at];
        push @calls, $store->bytes_of('ZADD', k($ac->{p}, 'due', $ac->{sid}),
            $at, $ht), $store->bytes_of('ZADD', k($ac->{p}, 'due'), 'LT', $at,
            $ac->{sid});
    }
    pipelined(@calls);
    return @plan;
}

# The seconds from a check's due time to its end, sorted; and the checks without
# an end.
sub delays {
    my (@plan) = @_;

    my ($r) = pipelined(map { $store->bytes_of('GET', k($_->[0]{p}, 'r',
        $_->[0]{sid}, $_->[1])) } @plan);
    my @checked = map { record('host', $_)->{checked} } @$r;
    my @late = map { ($checked[$_] - $plan[$_][2]) / 1000 } 0 .. $#plan;
    return ([sort { $a <=> $b } grep { $_ >= 0 } @late],
        scalar grep { $_ < 0 } @late);
}

# CPU of the store and of the daemons, as parts of one core, during a period.
sub watch {
    my ($seconds, @daemons) = @_;

    my $cost = spend(sub { sleep $seconds },
        redis => [map { $_->{pid} } @{ $store->{nodes} }],
        daemons => [map { $_->{pid} } @daemons]);
    return map { $_ => 100 * $cost->{$_} / 1e9 / $cost->{wall} }
        'redis', 'daemons';
}

my $window = seconds(30);
my @ac = add_accounts();
my $before = used();
my $add = add_hosts(@ac);
postpone(@ac);
my %us = first_round($store, partitions => PARTITIONS,
    hosts => $first * ACCOUNTS);
my $bytes = (used() - $before) / $total;
my @minutes = minutes(@ac);
my ($least, $most) = map { 100 * $_ * 60 / ($first * ACCOUNTS) - 100 }
    min(@minutes), max(@minutes);

my $dns = RblDns->new(rules => [['.', { rcode => 'nxdomain',
    soa => ['example', 60, 60] }]]);
my @daemons = map { start_checkd(store => $redis,
    resolver => { port => $dns->port }, ready => qr/\[notice\]/,
    conf => { deliver => 'off', log_level => 'notice' }) } 1 .. DAEMONS;
my %idle = watch(max(3, $window / 3), @daemons);
my $start = time + 2;
my @plan = plan_checks($start, $window, @ac);
sleep max(0, $start - time);
my %busy = watch($window, @daemons);
sleep 2;
my ($late, $never) = delays(@plan);

table(['', 'figure'],
    ['hosts, of ' . ACCOUNTS . ' accounts, ' . PARTITIONS . ' partitions, '
        . LISTS . ' lists', $total],
    ['Redis CPU to add one, us', figure($add)],
    ['memory of one, bytes', figure($bytes)],
    ['the first check: claimed, us', figure($us{take})],
    ['started, ' . TOGETHER . ' together, us', figure($us{begin})],
    ['finished, likewise, us', figure($us{clear})],
    ['of ' . $first * ACCOUNTS . ', checks in a minute of the hour, the fewest',
        min(@minutes)],
    ['the most', max(@minutes)],
    ['hourly checks a second', figure($total / HOUR)],
    ['Redis CPU while nothing is due, % of a core', figure($idle{redis})],
    ['at the hourly rate, %', figure($busy{redis})],
    ['CPU of ' . DAEMONS . ' daemons while nothing is due, % of a core',
        figure($idle{daemons})],
    ['at the hourly rate, %', figure($busy{daemons})],
    ['checks that became due meanwhile', scalar @plan],
    ['not finished', $never],
    ['from their time to their end, s, median', figure($late->[@$late / 2])],
    ['99 of 100 within', figure($late->[@$late * 0.99])]);
remark('the first check: driven from here, ' . TAKE . " hosts a call; then the"
    . " daemons, $window s");

if (MASTERS) {
    my ($full, $empty) = spread(@ac);
    target('hosts of the fullest master, from even', $full, '<=', 2, '%');
    target('hosts of the emptiest master, from even', $empty, '>=', -2, '%');
}
target('memory of a host', $bytes, '<=', 1250, 'bytes');
target('checks of the fewest minute, from even', $least, '>=', -10, '%');
target('checks of the fullest minute, from even', $most, '<=', 10, '%');
target('CPU of a Redis at the hourly rate', $busy{redis} / (MASTERS || 1), '<',
    $total > FIRST ? 25 : 10, '% of a core');
target('99 of 100 checks, from their time to their end', $late->[@$late * 0.99],
    '<=', 2, 's');
target('checks that did not end', $never, '<=', 0, '');
stop_server($_) || die "a daemon does not stop\n" for @daemons;
$dns->stop;
stop_server($_) for @{ $store->{nodes} };
bench_end();
