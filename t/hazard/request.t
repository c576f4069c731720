#!/usr/bin/perl

# Hazards in the life of a request that no other test shows (t/hazard/PLAN),
# and the clients that cause them.

use strict;
use warnings;

use RblApi;
use RblFault;
use RblRedis;
use RblTest;
use Time::HiRes qw(time sleep);

my $t = api_setup(workers => 1, api => 'rbl_max_page_size 3000;', http => q{
    rbl_store_timeout 2s;
    error_page 400 401 403 404 405 409 413 415 500 503 = /never;
    keepalive_requests 100000;
    }, server => q{
    location /status { stub_status; }
    location = /never { return 418 never; }
    location /both/ { addition_types *; add_before_body /3.0/listings.zabbix;
        add_after_body /3.0/hosts.json?page_size=3000; root %%DIR%%; }
    });
my $nginx = $t->{nginx};
my @worker = workers($nginx);
mkdir "$nginx->{dir}/both";
write_file("$nginx->{dir}/both/x.txt", '|');
add_host($t, "10.0.$_.0/24", name => 'n' x 200) for 0 .. 3;

my $read = http_head('GET', '/3.0/hosts.json', auth => $t->{acct}, keep => 1);
my $page = http_head('GET', '/3.0/hosts.json?page_size=3000',
    auth => $t->{acct});
my $both = http_head('GET', '/both/x.txt', auth => $t->{acct});

sub add_bytes {
    my ($host) = @_;

    return http_head('POST', '/3.0/host/add.json', auth => $t->{acct},
        keep => 1, form => { host => $host, name => 'n', type => 'rbl' });
}

# Requests of nginx besides the status request.
sub busy {
    return (http($nginx, 'GET', '/status')->{body} =~ /Writing: (\d+)/
        ? $1 : 0) - 1;
}

sub as_before {
    my ($name) = @_;

    ok((wait_for { busy() == 0 } 5), "$name: nothing is left over");
    is(call($t, 'GET', 'hosts.json')->{status}, 200, "$name: the API serves");
    is_deeply([workers_now($nginx)], \@worker, "$name: the same worker");
}

subtest 'hazard 18: a client that leaves is noticed while it waits' => sub {
    with_fault('hung', $t->{redis}, sub {
        my @c = map { client('asks', $nginx, $read) } 1 .. 10;
        ok((wait_for { busy() == 10 } 3), 'ten requests wait for the store');
        leave($_ % 2 ? 'leaves' : 'breaks', $c[$_]) for 0 .. 9;
        ok((wait_for { busy() == 0 } 1),
            'requests of gone clients end before the timeout');
    });
    as_before('after it');
};

subtest 'hazard 19: replies come when the clients have left' => sub {
    for my $bytes ($page, $both, add_bytes('10.9.0.1'), $read x 5) {
        my $at = $t->{redis};
        my @c;
        with_fault('hung', $at, sub {
            @c = map { client('asks', $nginx, $bytes) } 1 .. 10;
            wait_for { busy() >= 10 } 3, 'requests in flight';
            leave($_ % 2 ? 'leaves' : 'breaks', $c[$_]) for 0 .. 9;
        });
        as_before($bytes =~ /^(.*?) HTTP/);
    }
};

subtest 'hazard 20: the request ends while its answer is sent' => sub {

    # A subrequest does not notice a disconnect; sending the response does.
    for my $bytes ($both, $page) {
        for my $kind (qw(breaks leaves)) {
            kill 'STOP', @worker;
            my @c = map { client('deaf', $nginx, $bytes) } 1 .. 10;
            kill 'CONT', @worker;
            wait_for { busy() >= 1 } 0.2;
            leave($kind, $_) for @c;
            as_before("$kind, " . ($bytes =~ /^(.*?) HTTP/)[0]);
        }
    }
};

subtest 'hazard 21: octets after a body are a request of their own' => sub {
    for my $bytes (add_bytes('10.9.1.1'), add_bytes('nonsense'),
        http_head('POST', '/3.0/nothing', keep => 1, body => "GET / \r\n\r\n"),
        http_head('DELETE', '/3.0/hosts.json', keep => 1, body => 'x' x 900),
        http_head('POST', '/3.0/host/add.json', keep => 1, body => $read))
    {
        my $c = client('pipeline', $nginx, $bytes, 1);
        my $r = RblTest::Http::read_answer($c, 5);
        cmp_ok($r->{status}, '>=', 200,
            "the request with a body is answered: $r->{status}");
        next if ($r->{headers}{connection} // '') eq 'close';
        print {$c} $read;
        is(RblTest::Http::read_answer($c, 5)->{status}, 200,
            'the next request on the connection is served');
    }
};

subtest 'clients: half a request, byte after byte, many at once' => sub {
    my @half = map { client('half', $nginx, $_) } ($read, $page,
        add_bytes('10.9.2.1')) x 5;
    my $c = client('dawdle', $nginx, add_bytes('10.9.2.2'), 0.3);
    is(RblTest::Http::read_answer($c, 5)->{status}, 200, 'byte after byte');

    $c = client('pipeline', $nginx, $read, 200);
    my $got = '';
    my $end = time + 10;
    while (time < $end && (() = $got =~ /"status_code":200/g) < 200) {
        sysread $c, $got, 65536, length $got or last;
    }
    is(scalar(() = $got =~ m{HTTP/1\.1 200 OK}g), 200, '200 in one go');

    my @deaf = map { client('deaf', $nginx, $page) } 1 .. 5;
    is(call($t, 'GET', 'hosts.json')->{status}, 200,
        'a client that does not read delays no other');
    leave('breaks', $_) for @half, @deaf;
    as_before('after them');
};

subtest 'hazards 22, 25: each refusal is ours, whole, with a reason' => sub {
    my $other = $t->{other};
    rblctl($t->{redis}, 'account', 'suspend', $other->{sid});
    my $dup = { host => '10.0.0.1', name => 'n', type => 'rbl' };
    my @case = (
        [400, 'POST', 'host/add', form => {}],
        [401, 'GET', 'hosts', auth => undef],
        [401, 'GET', 'hosts', auth => [$t->{acct}{sid}, '0' x 64]],
        [403, 'GET', 'hosts', auth => $other],
        [404, 'GET', 'nothing'],
        [404, 'GET', 'host/' . sid_of('HT')],
        [405, 'GET', 'host/add'],
        [409, 'POST', 'host/add', form => $dup],
        [413, 'POST', 'host/add', body => 'x' x 70_000],
        [415, 'POST', 'host/add', body => 'x', type => 'text/plain'],
        [503, 'GET', 'hosts'],
        [503, 'POST', 'host/add', form => $dup],
    );
    my $all = sub {
        for my $case (@_) {
            my ($status, $method, $path, @opt) = @$case;
            for my $ext (qw(json xml)) {
                my $r = call($t, $method, "$path.$ext", keep => 1, @opt);
                my $name = "$status $method $path.$ext";
                is($r->{status}, $status, "$name: the status");
                like($r->{reason}, qr/^[A-Z][a-z]/,
                    "$name: the status line has a reason");
                like($r->{body}, $ext eq 'json'
                    ? qr/^\{"status_code":$status,"status_message":"[^"]+"/
                    : qr/<status_code>$status</,
                    "$name: the body is from the API");
                is($r->{headers}{'content-length'}, length $r->{body},
                    "$name: the body has its Content-Length");
                is($r->{headers}{connection}, $status =~ /^(?:400|413)$/
                    ? 'close' : 'keep-alive',
                    "$name: the Connection header fits the status");
            }
        }
    };
    $all->(grep { $_->[0] != 503 } @case);
    with_fault('absent', $t->{redis}, sub {
        wait_for { call($t, 'GET', 'hosts.json')->{status} == 503 } 3,
            'the store to be missed';
        $all->(grep { $_->[0] == 503 } @case);
    });
};

stop_server($nginx);

# --- memory ----------------------------------------------------------------

subtest 'card 6: each allocation may fail' => sub {
    my $env = watch_env(nomem => 1);
    my $t = api_setup(workers => 1, env => $env, api => 'rbl_etag on;',
        server => q{
        location /both/ { addition_types *;
            add_before_body /3.0/listings.zabbix; root %%DIR%%; } });
    my @worker = workers($t->{nginx});
    mkdir "$t->{nginx}{dir}/both";
    write_file("$t->{nginx}{dir}/both/x.txt", '|');
    rblctl($t->{redis}, 'app', 'limit', @{ $t->{other} }{qw(sid app)},
        '--hour', 1_000_000);
    my $h = add_host($t, '10.0.0.1');
    my $check = json(call($t, 'POST', 'check/start.json', form =>
        { host => '10.0.0.1' }))->{data}{id};

    # Fails the nth allocation; returns the number left when the response is
    # there.
    my $limit = sub {
        open my $fh, '+<:raw', $env->{RBL_NOMEM} or die "countdown: $!";
        sysread $fh, my $left, 4;
        if (@_) {
            sysseek $fh, 0, 0;
            syswrite $fh, pack 'l', $_[0];
        }
        return unpack 'l', $left;
    };
    my $add = 0;
    my $form = sub { my (%f) = @_; sub { (form => \%f) } };
    my @calls = (
        ['GET', '/3.0/hosts.xml'], ['GET', '/3.0/listings.nagios'],
        ['GET', "/3.0/check/status/$check.json?details=1"],
        ['GET', '/3.0/nothing'], ['PUT', '/3.0/hosts.json'],
        ['GET', '/both/x.txt'],
        ['POST', '/3.0/host/add.json', sub { (form => { name => 'n',
            host => '10.1.0.' . ++$add, type => 'rbl' }) }],
        ['POST', '/3.0/host/add.json', sub { (type => 'application/json',
            body => '{"host":"10.1.0.' . ++$add
            . '","name":"n","type":"rbl"}') }],
        ['GET', '/3.0/hosts.json', sub { (auth => $t->{other}) }],
        ['POST', '/3.0/host/add.json', sub { (auth => $t->{other}, form => {
            name => 'n', host => '10.1.0.' . ++$add, type => 'rbl' }) }],
        ['POST', '/3.0/host/add.xml', $form->()],
        ['POST', '/3.0/check/start.json', $form->(host => '10.3.0.1',
            callback => 'https://x.example/')],
        ['POST', "/3.0/host/update/$h->{id}.json", $form->(name => 'm')],
    );
    for my $call (@calls) {
        my ($method, $path, $opt) = @$call;
        my ($n, %seen, @bad) = (0);
        while (++$n < 200) {
            $limit->($n);
            my $r = http($t->{nginx}, $method, $path, auth => $t->{acct},
                timeout => 5, $opt ? $opt->() : ());
            my $left = $limit->(0);
            $seen{ $r->{status} }++;
            push @bad, "$n: $r->{status} $r->{error}" if $r->{error};
            last if $left > 0;          # no more allocations are needed

            # A reply without memory costs the connection to the store.
            wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 3,
                'the store';
            push @bad, "$n: it was changed" if $r->{raw} =~ /Nothing was ch/
                && $path =~ /add\.json/ && grep { redis($t->{redis},
                'HEXISTS', redis_key('uniq', $_->{sid}), "rbl|10.1.0.$add") }
                @$t{qw(acct other)};
        }
        cmp_ok($n, '<', 200, "$method $path: " . ($n - 1) . ' failures: '
            . join ' ', map { "$_ ($seen{$_})" } sort keys %seen);
        is(join(', ', @bad), '', 'each gets a response or is cut off at once');
        is_deeply([workers_now($t->{nginx})], \@worker,
            "$method $path: the worker is the same");
    }
    ok((wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 3),
        'the API serves when there is memory again');
};

done_testing();
