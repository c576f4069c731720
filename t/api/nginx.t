#!/usr/bin/perl

# Inside nginx: variables, subrequests, clients that disconnect, a store that is
# away or slow, reload and quit with requests in flight.

use strict;
use warnings;

use IO::Socket::INET;
use RblApi;

my $redis = start_redis();
init_store($redis, lists => repo_dir() . '/conf/lists.json');
my $t = { redis => $redis, acct => make_account($redis) };
$t->{nginx} = start_nginx(store => $redis, workers => 1, level => 'debug',
    http => q{
    rbl_store_timeout 1500ms;
    log_format rbl '$uri $status [$rbl_account] [$rbl_application] '
        '[$rbl_endpoint] [$rbl_status] [$rbl_store_time]';
    access_log %%DIR%%/rbl.log rbl;
    log_subrequest on;
    limit_req_zone $rbl_account$rbl_endpoint zone=a:1m rate=1r/m;
    }, server => q{
    location /guarded/ { auth_request /3.0/hosts.json; root %%DIR%%; }
    location /limited/ { rbl_api on; limit_req zone=a; }
    location /legacy/ { rbl_api on; rbl_legacy_errors on; }
    location /mirrored/ { mirror /copy; proxy_pass http://127.0.0.1:%%PORT%%/end; }
    location /end { return 204; }
    location = /copy { internal; rewrite ^ /3.0/host/add.json last; }
    location /both/ { addition_types *; add_before_body /3.0/listings.zabbix;
        add_after_body /3.0/listings.nagios; root %%DIR%%; }
    location /plain/ { rbl_api on; limit_except GET { allow all; } }
    });
my $dir = $t->{nginx}{dir};
for my $name (qw(both guarded)) {
    mkdir "$dir/$name";
    write_file("$dir/$name/x.txt", '|');
}
ok(wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 10,
    'nginx answers requests with a running store');

sub get { return http($t->{nginx}, 'GET', $_[0], auth => $t->{acct},
    @_[1 .. $#_]) }
sub logged {
    my ($pattern, $name) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok(wait_for { read_file("$dir/rbl.log") =~ $pattern } 5, $name)
        or diag(read_file("$dir/rbl.log"));
}

# --- variables -------------------------------------------------------------

my $h = add_host($t, '10.0.0.1');
my ($ac, $ap) = @{ $t->{acct} }{qw(sid app)};
logged(qr{^/3\.0/host/add\.json\ 200\ \[$ac\]\ \[$ap\]\ \[host/add\]\ \[200\]
    \ \[\d+\.\d{3}\]$}mx, 'variables of a success');
call($t, 'GET', 'host/x.json');
logged(qr{^/3\.0/host/x\.json 404 \[$ac\] \[\S+\] \[host\] \[404\]}m,
    'of a refusal');
call($t, 'GET', 'hosts.xml', auth => [$ac, '0' x 64]);
logged(qr{^/3\.0/hosts\.xml 401 \[$ac\] \[-?\] \[hosts\] \[401\]}m,
    'of wrong credentials: no application');
call($t, 'GET', 'nothing', auth => undef);
logged(qr{^/3\.0/nothing 404 \[-?\] \[-?\] \[-?\] \[404\]}m,
    'of nothing at all');
get('/legacy/host/x.json');
logged(qr{^/legacy/host/x\.json 200 \[$ac\] \[$ap\] \[host\] \[404\]}m,
    'legacy errors do not hide the status');
get('/elsewhere');
logged(qr{^/elsewhere 404 \[$ac\] \[-?\] \[-?\] \[-?\] \[-?\]}m, 'outside');

is(get('/limited/hosts.json')->{status}, 200, 'limit_req: the first');
is(get('/limited/hosts.json')->{status}, 503, 'the second is refused');
is(get('/limited/listings.json')->{status}, 200, 'another call is not');

# --- subrequests -----------------------------------------------------------

is(get('/guarded/x.txt')->{status}, 200, 'auth_request: good credentials');
is(get('/guarded/x.txt', auth => undef)->{status}, 401,
    'auth_request refuses a request without credentials');
is(get('/guarded/x.txt', auth => [$ac, '0' x 64])->{status}, 401,
    'auth_request refuses wrong credentials');
daemon_seen($t);
is(get('/both/x.txt')->{body}, '0|OK - 0 hosts listed!',
    'the responses of two subrequests are joined');
is(get('/both/x.txt', auth => undef)->{body},
    '-1|UNKNOWN - Invalid credentials.',
    'both subrequests report invalid credentials');
is(http($t->{nginx}, 'POST', '/mirrored/x', auth => $t->{acct}, form =>
    'host=10.3.0.1&name=n&type=rbl')->{status}, 204,
    'a mirrored request gets the response of its upstream');
ok(wait_for { json(call($t, 'GET', 'hosts.json'))->{total_hosts} == 2 } 10,
    'the copy came, with its body');
is(http($t->{nginx}, 'POST', '/mirrored/x', auth => $t->{acct},
    form => 'host=10.3.0.2&name=n&type=rbl&x=' . 'x' x 40_000)->{status}, 204,
    'mirror of a body in a file');
logged(qr{^/3\.0/host/add\.json 413 }m,
    'the mirrored request with a body in a file is refused');
is(json(call($t, 'GET', 'hosts.json'))->{total_hosts}, 2,
    'the mirrored request with a body in a file adds no host');
is(http($t->{nginx}, 'POST', '/plain/host/add.json', auth => $t->{acct},
    form => {})->{status}, 400, 'a location with limit_except serves the API');

# --- a slow store ----------------------------------------------------------

sub connect_raw {
    my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $t->{nginx}{port}) or die;
    $s->autoflush(1);
    return $s;
}

# Number of requests to the API so far.
sub handled {
    my $n = () = read_file("$dir/error.log") =~ /rbl handler/g;
    return $n;
}

my $read = http_head('GET', '/3.0/hosts.json', auth => $t->{acct});
pause_server($redis);
my $count = handled();
my $s = connect_raw();
print {$s} $read;
ok(wait_for { handled() == $count + 1 } 5, 'a request is in flight');
close $s;
logged(qr{^/3\.0/hosts\.json 499 }m, 'a client that goes away is noticed');
cmp_ok(request_took($t->{nginx}, qr{hosts\.json 499 }), '<', 1.5,
    'nginx logs the lost client before the store times out');

my $r = call($t, 'GET', 'hosts.json');
refused($r, 503, qr/Nothing was changed/,
    'a read is refused while the store hangs');
is($r->{headers}{'retry-after'}, 1,
    'the refused read asks for a retry after 1 s');
like(call($t, 'GET', 'listings.nagios')->{body}, qr/^UNKNOWN - The store/,
    'the Nagios output is UNKNOWN while the store hangs');
is(call($t, 'GET', 'listings.zabbix')->{body}, '-1',
    'the Zabbix output is -1 while the store hangs');
xml_ok(call($t, 'GET', 'hosts.xml')->{body}, 'XML');
refused(call($t, 'POST', 'host/add.json', form => { host => '10.4.0.1',
    name => 'n', type => 'rbl' }), 503, qr/Nothing was changed/,
    'a write is refused while the store hangs');
refused(call($t, 'GET', 'hosts.json', auth => undef), 401, qr/credentials/,
    'malformed credentials need no store');
refused(call($t, 'GET', 'x.json'), 404, qr/path/,
    'an unknown path is refused without the store');
is(get('/both/x.txt')->{body} =~ /^-1\|UNKNOWN - /, 1,
    'a subrequest reports UNKNOWN while the store hangs');
cont_server($redis);
ok(wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 10,
    'service is back by itself');

# --- a store that stops between the rounds of a write ----------------------

redis($redis, 'CONFIG', 'SET', 'busy-reply-threshold', 100_000);
my @slow = map { my $c = connect_raw(); print {$c} http_head('POST',
    '/3.0/host/add.json', auth => $t->{acct}, form => { host => "10.5.$_.0/22",
    name => 'n', type => 'rbl' }); $c } map { $_ * 4 } 0 .. 7;
wait_for { redis_try($redis, 'EXISTS', redis_key('hosts', $ac)) } 1;
pause_server($redis);
my %codes;
for my $c (@slow) {
    my $answer = RblTest::Http::read_answer($c, 15);
    $codes{$answer->{status}}++;
    next if $answer->{status} == 200;
    refused($answer, 503,
        qr/Nothing was changed|outcome is unknown|not finished yet/,
        'a write that was cut off has an error');
}
@slow = ();
cont_server($redis);
ok(!grep({ $_ != 200 && $_ != 503 } keys %codes),
    'every write gets status 200 or 503');
ok(wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 10,
    'nginx serves requests when the store continues');

# --- no store at all -------------------------------------------------------

stop_server($redis);
ok(wait_for { call($t, 'GET', 'hosts.json')->{status} == 503 } 10,
    'nginx answers 503 after the store has stopped');
refused(call($t, 'GET', 'hosts.json?down'), 503, qr/Nothing was changed/,
    'the store is down');
cmp_ok(request_took($t->{nginx}, qr/\?down /), '<', 1, 'the error is immediate');
refused(call($t, 'POST', "host/delete/$h->{id}.json"), 503,
    qr/Nothing was changed/, 'a write is refused without a store');
like(call($t, 'GET', 'listings.nagios')->{body}, qr/^UNKNOWN - /,
    'the Nagios output is UNKNOWN without a store');
is(get('/guarded/x.txt')->{status}, 500,
    'auth_request answers 500 without a store');
RblTest::Process::launch($redis);
RblTest::Process::ready($redis);
delete $redis->{client};
init_store($redis);
ok(wait_for { call($t, 'GET', 'hosts.json')->{status} == 401 } 10,
    'an empty store has no accounts');
$t->{acct} = make_account($redis, name => 'New');
accepted(call($t, 'GET', 'hosts.json'), 'service is back');

# --- reload and quit in flight ---------------------------------------------

$read = http_head('GET', '/3.0/hosts.json', auth => $t->{acct});
for my $signal (qw(HUP QUIT)) {
    pause_server($redis);
    my $served = handled();
    my @waiting = map { my $c = connect_raw(); print {$c} $read; $c } 1 .. 5;
    ok(wait_for { handled() == $served + 5 } 5,
        "$signal: requests in flight");
    signal_server($t->{nginx}, $signal);
    ok(wait_for {
        my $n = () = read_file("$dir/error.log")
            =~ /gracefully shutting down/g;
        $n == ($signal eq 'HUP' ? 1 : 2);
    } 10, "$signal: shutting down");
    cont_server($redis);
    is(RblTest::Http::read_answer($_, 10)->{status}, 200,
        "$signal: a waiting request gets a response") for @waiting;
    next if $signal eq 'QUIT';
    ok(wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 10,
        'the new worker serves');
}

done_testing();
