#!/usr/bin/perl

# Every fault of the store, under both programs at once.  Whatever it is:
#
# - each request is answered, 200 or 503 with Retry-After, in time;
# - a change answered with 200 is stored, one reported as not made is not;
# - when the fault ends, the API serves within 2 seconds, and a check that is
#   started then is completed, without action on either program.

use strict;
use warnings;

use RblCheckd;
use RblDns;
use RblFault;
use RblRedis;
use RblTest;
use Time::HiRes qw(time);

my $dns = RblDns->new(rules => [[ '.', { a => ['127.0.0.2'] } ]]);
my $w = world(no_dns => 1, zones => { 'a.test' => {} }, redis => {
    cluster => 0, appendonly => 1, args => ['--appendfsync', 'always'] });
my $relay = start_relay($w->{redis});

# Responses during a fault: to reads, to writes.  A closed connection fails its
# requests; the next requests wait for another one.
my $ok = qr/^200$/;
my $no = qr/^503$/;
my $some = qr/^200/;
my %expected = (
    absent => [$no, $no], hung => [$no, $no], loading => [$no, $no],
    readonly => [$some, $no], masterdown => [$no, $no], full => [$ok, $no],
    alone => [$ok, $no], crowded => [$no, $no], cut => [qr//, qr//],
    flushed => [$ok, $ok],
    foreign => [$no, $no], busy => [$no, $no],
    midreply => [$no, $no], slow => [$no, $no], octets => [$ok, $ok],
    mute => [$no, $no],
);
is_deeply([sort keys %expected], [sort(store_faults(), relay_faults())],
    'every fault is tried');

my $n = 0;

# A read and a write, then ten of them at once.  Returns how each write was
# answered, faults of responses, and the statuses of reads and writes.
sub requests {
    my ($nginx) = @_;

    my (%host, @bad, %seen);
    for my $round (1, 1, 10) {
        my @in_flight = map { [asks($nginx, ++$n)] } 1 .. $round;
        for my $f (@in_flight) {
            my ($c, $host) = @$f;
            my $r = RblTest::Http::read_answer($c, 5);
            my $v = eval { json($r) } // {};
            $seen{ $host ? 'write' : 'read' }{ $r->{status} } = 1;
            $host{$host} = $r->{status} == 200 ? 'done'
                : ($v->{status_message} // '') =~ /Nothing was changed/
                ? 'not done' : 'unknown' if $host;
            push @bad, $r->{raw} || $r->{error} if $r->{status} != 200
                && ($r->{status} != 503 || !$r->{headers}{'retry-after'}
                || ($v->{status_code} // 0) != 503);
        }
    }
    return (\%host, \@bad, [map { join '+', sort keys %{ $seen{$_} } }
        qw(read write)]);
}

# (connection, the host if it is a write)
sub asks {
    my ($nginx, $i) = @_;

    my $host = $i % 2 ? undef : "10.0.$i.1";
    return (client('asks', $nginx, $host
        ? http_head('POST', '/3.0/host/add.json', auth => $w->{acct},
            form => { host => $host, name => 'n', type => 'rbl' })
        : http_head('GET', '/3.0/hosts.json?page_size=5',
            auth => $w->{acct})), $host);
}

sub there {
    my ($host) = @_;

    my %value = map { $_ => 1 } map { /([\d.]+)$/ } @{ redis($w->{redis},
        'HKEYS', redis_key('uniq', $w->{acct}{sid})) };
    return grep { $value{$_} } @$host;
}

sub service {
    my ($nginx, $daemon, $name) = @_;

    my $since = time;
    my $served = wait_for { http($nginx, 'GET', '/3.0/hosts.json',
        auth => $w->{acct})->{status} == 200 } 5;
    ok($served, sprintf '%s: the API serves again after %.2f s', $name,
        time - $since);
    my $pp;
    wait_for {
        my $v = api($nginx, $w->{acct}, 'POST', '/3.0/check/start.json',
            { host => '198.51.100.1' });
        $pp = $v->{data} && $v->{data}{id};
    } 3, "$name: a check that starts";
    my $state = $pp ? wait_check($w, $pp, 15) : {};
    is($state->{status}, 'completed', "$name: and checks are done");
    ok(alive($daemon), "$name: by a daemon that lived on");
}

sub try_all {
    my ($at, @faults) = @_;

    my $nginx = start_nginx(store => $at, workers => 1,
        http => 'rbl_store_timeout 300ms;');
    my $daemon = start_checkd(store => $at, resolver => { port => $dns->port },
        conf => { conf_short(store_timeout => '500ms', lease => '7s') });
    my @worker = workers($nginx);
    service($nginx, $daemon, 'before');

    for my $name (@faults) {
        my ($host, $bad, $seen);
        my $code = sub { ($host, $bad, $seen) = requests($nginx) };

        # Lets the daemon meet the fault, too: it looks for jobs all the time.
        my $before = log_count($daemon, "\n");
        with_fault($name, $at, sub {
            $code->();
            wait_for { log_count($daemon, "\n") > $before } 1;
        });
        is(join("\n", @$bad), '', "$name: every request is answered in time");
        my ($read, $write) = @{ $expected{$name} };
        like($seen->[0], $read, "$name: reads get the expected responses");
        like($seen->[1], $write, "$name: writes get the expected responses");
        service($nginx, $daemon, $name);
        is_deeply([workers_now($nginx)], \@worker, "$name: the same worker");

        my @done = grep { $host->{$_} eq 'done' } keys %$host;
        my @not = grep { $host->{$_} eq 'not done' } keys %$host;
        is(scalar there(\@done), scalar @done,
            "$name: each done write is in the store");
        is_deeply([there(\@not)], [], "$name: no other write is");
    }
    stop_server($daemon);
    stop_server($nginx);
}

try_all($w->{redis}, store_faults());
try_all($relay, relay_faults());

$dns->stop;
done_testing();
