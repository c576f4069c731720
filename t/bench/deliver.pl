#!/usr/bin/perl

# Deliveries: events from the outbox to receivers, one or four per account, of
# many accounts in turn or of one alone; each is signed and recorded in the
# store.  The comparison is plain libcurl, which posts the same bytes and does
# nothing else (t/tools/curlrate).  The receiver is an nginx on loopback that
# answers 204; both have the same number of requests in flight, on persistent
# connections.
#
# The outbox is filled while the daemon, one process, is stopped; the time runs
# from its continuation until the last delivery is recorded: the outbox is
# empty, and nothing is pending or waits for a retry.
#
# A queued delivery is one whose first attempt failed: it has its own records in
# the store.  Its cost is shown together with that of a first attempt from the
# outbox, which is the reason for both ways.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/lib";

use RblBench;
use RblBenchStore;
use RblDeliver;
use RblRedis qw(workers);
use RblScript;
use RblTest;
use Time::HiRes qw(sleep);

use constant { ACCOUNTS => 16, IN_FLIGHT => 64 };

bench('deliver', 'events to receivers, beside plain libcurl');

my $total = $ENV{BENCH_DELIVERIES} || smoke(512) || 8_192;


# --- the receiver, the store, the daemon -----------------------------------

my $nginx = start_nginx(module => 0, workers => 1, level => 'error',
    server => 'access_log off; keepalive_requests 100000000; '
        . 'location /hook/ { return 204; } location /said { stub_status; }');
my $url = "http://127.0.0.1:$nginx->{port}/hook";
my @receiver = workers($nginx);

# The number of requests, without those for this status.
my $asked = 0;
sub requests {
    my $r = http_raw($nginx->{port}, "GET /said HTTP/1.0\r\n\r\n");
    my ($handled) = $r->{body} =~ /^ \d+ \d+ (\d+)/m or die $r->{raw};
    return $handled - ++$asked;
}

my $redis = deliver_setup();
my $store = RblBenchStore->new($redis);

# Makes accounts with receivers: an event for each receiver, as in the outbox.
sub events {
    my ($accounts, $receivers) = @_;

    return [map {
        ($RblDeliver::AC, $RblDeliver::ACCT) = account();
        my @hooks = map { hook_add("$url/$_", "secret of receiver $_",
            'rbl.host.listed') } 1 .. $receivers;
        cmd('DEL', k('outbox'));
        event_emit();
        my ($e) = grep { $_->{d} =~ /rbl\.host\.listed/ }
            map { { @{ $_->[1] } } } @{ cmd('XRANGE', k('outbox'), '-', '+') };
        cmd('DEL', k('outbox'));
        +{ %$e, hooks => \@hooks };
    } 1 .. $accounts];
}
my ($ONE, $FOUR, $ALONE, $QUEUED) = ('events to one receiver each',
    'events to four receivers each', 'the same, of one account',
    'queued deliveries');
my %events = ($ONE => events(ACCOUNTS, 1), $FOUR => events(ACCOUNTS, 4),
    $ALONE => events(1, 4), $QUEUED => events(ACCOUNTS, 1));

my $d = start_deliverd(conf => { log_level => 'notice',
    deliveries_max => IN_FLIGHT, deliver_allow => '127.0.0.1/32' });


# --- what is measured ------------------------------------------------------

my $body = temp_dir() . '/body';

sub fill_outbox {
    my ($name) = @_;

    my @calls;
    my $events = $total / ($name eq $ONE ? 1 : 4);
    for (1 .. $events / @{ $events{$name} }) {
        for my $e (@{ $events{$name} }) {
            my $ev = sid('EV');
            push @calls, $store->bytes_of('XADD', k('outbox'), '*', 'a',
                $e->{a}, 'e', $ev, 'd', $e->{d} =~ s/\Q$e->{e}\E/$ev/r);
        }
    }
    $store->pipelined(256, @calls);
}

# Queues deliveries as event_done does after a failed first attempt, due now.
sub fill_queue {
    my ($text, @calls) = read_file($body);
    for (1 .. $total / ACCOUNTS) {
        for my $e (@{ $events{$QUEUED} }) {
            my ($ac, $ev, $wh) = ($e->{a}, sid('EV'), $e->{hooks}[0]);
            push @calls, map { $store->bytes_of(@$_) }
                ['HSET', k('event', $ac, $ev), 'type', 'rbl.host.listed',
                    'date', 1, 'body', $text, 'open', 1],
                ['HSET', k('dlv', $ac, $ev, $wh), 'attempt', 1, 'first', 1],
                ['ZADD', k('pending', $ac), 0, "$wh:1:$ev:$wh"],
                ['ZADD', k('retry'), 1, "$ac:$ev:$wh"];
        }
    }
    $store->pipelined(256, @calls);
}

# wait_for pauses for longer and longer, and would be late by as much; frequent
# checks cost the store's time, and are made only near the end.
sub all_ended {
    my ($till) = @_;

    while (my $left = cmd('XLEN', k('outbox'))
        || cmd('XPENDING', k('outbox'), 'deliver')->[0]
        || cmd('ZCARD', k('retry')))
    {
        die "deliveries do not end\n" if time > $till;
        sleep($left > 256 ? 0.005 : 0.0005);
    }
}

sub deliver_all {
    my ($name) = @_;

    my $before = requests();

    pause_server($d);
    $name eq $QUEUED ? fill_queue() : fill_outbox($name);
    my $c = spend(sub {
        cont_server($d);
        all_ended(time + 120);
    }, daemon => [$d->{pid}], store => [$redis->{pid}],
        receiver => \@receiver);
    die "repeated or lost\n" if requests() != $before + $total;
    die "not recorded\n" if !idle();
    return row($c, 'daemon');
}

my @headers = ('Content-Type: application/json',
    'webhook-id: EV' . 'a' x 32, 'webhook-timestamp: 1795167000',
    'X-Webhook-Signature: t=1795167000,v1=' . 'a' x 64,
    'webhook-signature: v1,' . 'a' x 44, 'User-Agent: ngx_rbl/3.0',
    'Expect:');

sub plain {
    my $before = requests();

    my $c = spend(sub { run_cmd({ timeout => 120 },
        build_dir() . '/t/tools/curlrate', "$url/1", $total, IN_FLIGHT, $body,
        @headers) }, receiver => \@receiver);
    my %v = $c->{value}{out} =~ /(\w+)=(\d+)/g;
    die "curlrate: $c->{value}{out}$c->{value}{err}\n"
        if $c->{value}{status} != 0 || requests() != $before + $total;
    $c->{wall} = $v{wall_us} / 1e6;
    $c->{curl} = 1e3 * ($v{user_us} + $v{system_us});
    return row($c, 'curl');
}

sub row {
    my ($c, $own) = @_;

    return { rps => $total / $c->{wall}, us => $c->{$own} / 1e3 / $total,
        store => ($c->{store} // 0) / 1e3 / $total,
        receiver => $c->{receiver} / 1e3 / $total };
}

# The body that curlrate posts was made by the daemon.
{
    my $hook = start_receiver();
    ($RblDeliver::AC, $RblDeliver::ACCT) = account();
    my $wh = hook_add($hook->{url}, 'secret', 'rbl.host.listed');
    event_emit();
    wait_for { received($hook) } 10, 'an event';
    my ($r) = received($hook);
    write_file($body, $r->{body});
    remark(length($r->{body}) . ' bytes each, ' . IN_FLIGHT . ' in flight, '
        . "$total a round");
    wait_for { idle() } 10, 'the end of it';
    stop_receiver($hook);
}

# Each row has a plain run right before it, since the speed of a machine varies.
my $PLAIN = 'plain libcurl';
my @events = ($ONE, $FOUR, $ALONE, $QUEUED);
my $r = interleave(rounds(17), [map { my $name = $_;
    ("before $name" => \&plain, $name => sub { deliver_all($name) }) }
    @events], warm => 1);
$r->{$PLAIN} = $r->{"before $FOUR"};
table(['posts to a receiver', 'a second', 'us of its own', 'us of the store',
    'us of the receiver'], map { [$_, map { figure($_) }
        @{ $r->{$_} }{qw(rps us store receiver)}] } $PLAIN, @events);
for my $row (@events) {
    remark("$row: " . figure(ratio($r, $row, "before $row", 'rps'))
        . ' of its rate, ' . figure(ratio($r, $row, "before $row", 'us'))
        . ' times its CPU');
}
target('deliveries a second beside plain libcurl',
    ratio($r, $FOUR, "before $FOUR", 'rps'), '>=', 0.6);
bench_end();
