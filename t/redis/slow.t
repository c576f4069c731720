#!/usr/bin/perl

# The slow link: large writes use a separate connection, on which the accounts
# take turns, and other requests do not wait behind them.  To hold writes up,
# the test pauses them in the store.
#
# Alone: compares times.

use strict;
use warnings;

use IO::Select;
use IO::Socket::UNIX;
use RblApi;
use RblFault;
use RblRedis;
use Time::HiRes qw(time);

my $status = 'location /status { stub_status; }';
my $t = api_setup(workers => 1, http => 'rbl_store_timeout 60s;',
    redis => { cluster => 1 },          # MONITOR and links of one server
    server => $status);
my ($redis, $nginx) = @$t{qw(redis nginx)};
my $host = add_host($t, '192.0.2.1')->{id};
my ($worker) = workers($nginx);
my $net = 0;

sub adding_form {
    return { type => 'rbl', name => 'range',
        host => sprintf '10.%d.%d.0/30', $net / 256, $net++ % 256 };
}

# A range of four hosts, added on a connection of its own.
sub adding {
    my ($acct) = @_;

    return client('adds', $nginx, http_head('POST', '/3.0/host/add.json',
        auth => $acct, form => adding_form()));
}

sub answer { return RblTest::Http::read_answer($_[0], 20) }

sub ranges_of {
    my ($acct) = @_;

    return json(http($nginx, 'GET', '/3.0/hosts.json', auth => $acct))
        ->{total_hosts} >> 2;
}

# Connections to the store, and requests being processed by nginx.
sub links {
    return scalar grep { !/ cmd=client/ }
        split /\n/, redis($redis, 'CLIENT', 'LIST', 'TYPE', 'normal');
}

sub writing {
    return http($nginx, 'GET', '/status')->{body} =~ /Writing: (\d+)/
        ? $1 - 1 : 0;
}

sub busy {
    my ($wanted) = @_;

    return wait_for { writing() == $wanted } 5, "$wanted requests";
}

# Calls of scripts in the order of execution.
sub monitor {
    my $c = IO::Socket::UNIX->new(Peer => $redis->{socket}) or die "$!";
    print {$c} "MONITOR\r\n";
    $c->flush;
    return $c;
}

sub executed {
    my ($c, $n) = @_;

    my @calls;
    local $SIG{ALRM} = sub { die "no $n calls\n" };
    alarm 60;
    while (@calls < $n && defined(my $line = readline $c)) {
        push @calls, $line if $line =~ /"EVALSHA" .*:acct:/i;
    }
    alarm 0;
    return @calls;
}

# How long slow batches kept the store until now, and the rests between them
# (s): each is between two TIME.
sub rests {
    my ($c) = @_;

    redis($redis, 'ECHO', 'now');
    my (@at, $took, $rests);
    while (defined(my $line = readline $c)) {
        last if $line =~ /"ECHO"/;
        push @at, $1 if $line =~ /^\+([\d.]+) \[\d+ (?!lua).*\] "TIME"/;
    }
    for my $i (1 .. $#at) {
        ($i % 2 ? $took : $rests) += $at[$i] - $at[$i - 1];
    }
    return ($took, $rests);
}

sub pause_writes { redis($redis, 'CLIENT', 'PAUSE', 60_000, 'WRITE') }
sub unpause { redis($redis, 'CLIENT', 'UNPAUSE') }

subtest 'a connection of its own' => sub {
    is(links(), 1, 'the module has one connection at first');
    is(answer(adding($t->{acct}))->{status}, 200, 'a range is added');
    is(links(), 2, 'the range is sent on a second connection');
    is(answer(adding($t->{acct}))->{status}, 200, 'the API adds another range');
    is(links(), 2, 'the second connection stays');
};

subtest 'no request waits behind it, and accounts take turns' => sub {
    my $monitor = monitor();
    pause_writes();
    my @first = map { adding($t->{acct}) } 1 .. 8;
    busy(8);
    my $r = call($t, 'GET', "host/$host.json");
    is($r->{status}, 200, 'a read beside waiting writes gets a response');
    cmp_ok($r->{ms}, '<', 2000, 'a read does not wait behind the writes');

    my $other = adding($t->{other});
    busy(9);
    unpause();
    is(join(' ', map { answer($_)->{status} } @first, $other),
        join(' ', (200) x 9), 'all writes get a response afterwards');
    my @order = map { /:acct:\Q$t->{other}{sid}\E"/ ? 'B' : 'A' }
        executed($monitor, 9);
    like(join('', @order), qr/^A{0,3}B/,
        'account B does not wait for all writes of A')
        or diag("@order");
};

subtest 'a client that leaves before its turn changes nothing' => sub {
    my $before = ranges_of($t->{acct});
    pause_writes();
    my @c = map { adding($t->{acct}) } 1 .. 3;
    busy(3);
    close $c[1];
    busy(2);
    unpause();
    is(join(' ', map { answer($_)->{status} } @c[0, 2]), '200 200',
        'the other clients get a response');
    is(ranges_of($t->{acct}), $before + 2,
        'the range of the closed connection is not added');
};

subtest 'how many wait is bounded' => sub {
    pause_writes();
    my @c = map { adding($t->{acct}) } 1 .. 260;
    my @r = map { answer($_) } splice @c, 257;
    is(join(' ', map { $_->{status} } @r), '429 429 429',
        'a request is refused when 256 wait');
    like($r[0]{body}, qr/: 256 of this account wait\. Nothing was changed/,
        'the response names the limit and the outcome');
    is($r[0]{headers}{'retry-after'}, 1, 'the response says when to try again');
    my $b = adding($t->{other});
    busy(258);
    unpause();
    is(answer($b)->{status}, 200, 'another account is served');
    # The store accepts the first few of so many changes at once.
    is(scalar(grep { answer($_)->{status} =~ /^(?:200|429)$/ } @c), 257,
        'all requests that waited get 200 or 429');
};

subtest 'waiting requests delay no other account' => sub {
    my $narrow = $nginx;
    $nginx = start_nginx(store => $redis, workers => 1, connections => 4096,
        http => 'rbl_store_timeout 60s;', server => $status);
    is(answer(adding($t->{acct}))->{status}, 200, 'another nginx adds a range');
    my @accts = map { make_account($redis, name => $_) } 1 .. 8;
    pause_writes();
    my @c = map { my $acct = $_; map { adding($acct) } 1 .. 257 } @accts;
    # Four have one in flight; one of the others is too many.
    busy(8 * 256 + 4);
    my $b = adding($t->{other});
    busy(8 * 256 + 5);
    unpause();
    is(answer($b)->{status}, 200, 'a ninth account is served');
    stop_server($nginx);
    $nginx = $narrow;
};

subtest 'with other accounts an account has a share of the store' => sub {
    my $b = make_account($redis, name => 'B');
    my $n = 0;
    my $write = sub { client('writes', $nginx, http_head('POST', "/3.0/$_[0]",
        auth => $b, form => $_[1])) };
    my $r = answer($write->('host/add.json', { name => 'r', type => 'ip_range',
        host => '10.99.0.0/22' }));
    my $range = json($r)->{data}[0]{id};
    # Rests of the account per time that its batches take.
    my $rests = sub {
        my ($meanwhile) = @_;
        my $monitor = monitor();
        for (1 .. 4) {
            my @c = map { $write->("host/update/$range.json",
                { name => 'name ' . $n++ }) } 1, 2;
            for my $c (@c) {
                $meanwhile->() while !IO::Select->new($c)->can_read(0.005);
                is(answer($c)->{status}, 200, 'the range is changed');
            }
        }
        my ($took, $rests) = rests($monitor);
        return $rests / $took;
    };
    my $visit = sub { call($t, 'GET', "host/$host.json") };
    my ($beside, $parts) = (0, 0);
    $beside = $rests->($visit) while $beside < 2 && $parts++ < 20;
    cmp_ok($beside, '>=', 2,
        'beside another account it has about a quarter of the store');
    sleep 1;                            # until A no longer counts as active
    cmp_ok($rests->(sub {}), '<', $beside / 2,
        'the busy account gets more time when it is alone');
};

subtest 'a graceful end waits for waiting requests' => sub {
    pause_writes();
    my @c = map { adding($t->{acct}) } 1 .. 3;
    busy(3);
    signal_server($nginx, 'HUP');
    ok((wait_for { (grep { $_ != $worker } workers($nginx)) } 5),
        'a new worker starts after the reload');
    unpause();
    is(join(' ', map { answer($_)->{status} } @c), '200 200 200',
        'the old worker answers all waiting requests');
    close $_ for @c;                    # nginx lingers until they close
    ok((wait_for { !kill 0, $worker } 20), 'the old worker ends');
};

subtest 'a quick end does not' => sub {
    is(answer(adding($t->{acct}))->{status}, 200, 'the slow link is up');
    pause_writes();
    my @c = map { adding($t->{acct}) } 1 .. 3;
    busy(3);
    stop_server($nginx);
    unpause();
};

$nginx = start_nginx(store => $redis, workers => 1,
    http => 'rbl_store_timeout 1s;', server => $status);
ok((wait_for { ask($nginx) == 401 } 5),
    'an nginx with a shorter timeout serves requests');

subtest 'a batch that is late fails alone' => sub {
    pause_writes();
    my @c = (adding($t->{acct}), adding($t->{acct}));
    my $r = answer($c[0]);
    is($r->{status}, 503, 'the write in flight gets 503');
    like($r->{body}, qr/outcome is unknown/,
        'the outcome of the write in flight is unknown');
    $r = answer($c[1]);
    is($r->{status}, 503, 'the write behind it gets 503');
    like($r->{body}, qr/Nothing was changed/,
        'the write behind it has changed nothing');
    unpause();
    ok((wait_for { answer(adding($t->{other}))->{status} == 200 } 5),
        'the API adds ranges after a late batch');
};

subtest 'a store that hangs' => sub {
    pause_server($redis);
    my @c = map { adding($_) } ($t->{acct}) x 3, $t->{other};
    my $start = time;
    is(join(' ', map { answer($_)->{status} } @c), '503 503 503 503',
        'every write to a hung store gets 503');
    cmp_ok(time - $start, '<', 8,
        'writes to a hung store fail within 8 seconds');
    cont_server($redis);
    ok((wait_for { answer(adding($t->{acct}))->{status} == 200 } 5),
        'the API adds a range when the store continues');
};

done_testing();
