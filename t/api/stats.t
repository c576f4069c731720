#!/usr/bin/perl

# Statistics and error logs of applications: in the store within seconds, exact
# although the store refuses changes for a while, or nginx is reloaded or
# stopped.  A call without a reply is not sent again, so requests may be missing,
# and none is counted twice.  An error log keeps the last 1,000 refusals and no
# secrets.

use strict;
use warnings;

use RblApi;
use RblFault;
use RblRedis;
use RblTest;

my $port = free_port();
my $second = start_redis();
init_store($second);
my $conf = <<"CONF";
    # the password is the same for both stores
    rbl_store_user rbl-api;
    rbl_store_password_file $second->{users}{'rbl-api'};
    rbl_store_timeout 2s;
    keepalive_requests 10000;
    server {
        listen 127.0.0.1:$port reuseport;
        location /3.0/ { rbl_api on; }
        location /other/ { rbl_api on; rbl_store $second->{addr}; }
    }
CONF
my $t = api_setup(workers => 2, http => "rbl_zone rbl 1m; $conf",
    server => 'location /status { rbl_status; }');
my $nginx = $t->{nginx};
$t->{nginx} = { %$nginx, port => $port };
my $redis = $t->{redis};
my $acct = $t->{acct};
my ($ac, $ap) = @$acct{qw(sid app)};

# Requests and errors of an application: from the hours, and from the days.
sub sums {
    my ($store, $account, $app) = @_;

    my %sum;
    for my $unit (qw(h d)) {
        my ($n, $e) = (0, 0);
        for my $key (@{ redis($store, 'KEYS', "rbl:{*}:stats:$account:$app:"
            . "$unit*") })
        {
            my %h = @{ redis($store, 'HGETALL', $key) };
            /e$/ ? ($e += $h{$_}) : ($n += $h{$_}) for keys %h;
        }
        $sum{$unit} = "$n/$e";
    }
    return $sum{h} eq $sum{d} ? $sum{h} : "hours $sum{h}, days $sum{d}";
}

my ($n, $e) = (1, 0);           # api_setup repeats a request until it gets 200
sub good { my ($k) = @_; ask200($_) for 1 .. $k; $n += $k }
sub ask200 { my $r = call($t, 'GET', 'hosts.json'); $r->{status} == 200
    or diag("hosts: $r->{status}") }
sub service {
    my ($name) = @_;

    ok((wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 5),
        "$name: the API serves");
    $n++;
}
sub wrong {
    my ($k, %opt) = @_;

    my $path = $opt{path} // 'check/status/x.json';
    call($t, 'GET', $path)->{status} == 404 or diag('no 404') for 1 .. $k;
    $n += $k;
    $e += $k;
}

sub settled {
    my ($name, $seconds) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok((wait_for { sums($redis, $ac, $ap) eq "$n/$e" } $seconds // 5), $name)
        or diag(sums($redis, $ac, $ap) . " and not $n/$e");
}

sub statistics { return json(http($nginx, 'GET', '/status'))->{statistics} }

sub reload {
    my @old = workers($nginx, 2);
    signal_server($nginx, 'HUP');
    return wait_for { my %now = map { $_ => 1 } workers_now($nginx);
        keys %now == 2 && !grep { $now{$_} } @old } 15, 'the old workers to go';
}

# Workers that are gone have sent what they could.  At most so many requests are
# missing then.
sub missing {
    my ($name, $most) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok(reload(), "$name: nginx reloads");
    my $sums = sums($redis, $ac, $ap);
    my ($n_got, $e_got) = $sums =~ m{^(\d+)/(\d+)$};
    ok(defined $n_got && $n_got <= $n && $e_got <= $e,
        "$name: nothing is counted twice") or diag("$sums and not $n/$e");
    cmp_ok(($n_got // 0) + $most->(), '>=', $n,
        "$name: no other requests are missing");
    ($n, $e) = ($n_got // 0, $e_got // 0);
}

# --- counts -----------------------------------------------------------------

settled('all requests are in the store');
good(40);
wrong(10);
settled('requests and errors of two workers are counted');
select undef, undef, undef, 2.5;
is(sums($redis, $ac, $ap), "$n/$e", 'no request is counted twice later');
is(sums($redis, @{ $t->{other} }{qw(sid app)}), '0/0',
    'another account has none');

my $hour = int(time / 3600);
my $day = int($hour / 24);
my $key = redis_key('stats', $ac, $ap, "h$day");
cmp_ok(redis($redis, 'TTL', $key), '>', 32 * 86_400, 'hours are kept 31 days');
cmp_ok(redis($redis, 'TTL', redis_key('stats', $ac, $ap, 'd' . int $day / 32)),
    '>', 396 * 86_400, 'days are kept for 13 months');
cmp_ok(redis($redis, 'HGET', $key, $hour % 24), '>', 0,
    'requests are counted by the hour');

# Unauthenticated requests have no statistics.
call($t, 'GET', 'hosts.json', auth => [$ac, 'f' x 64]) for 1 .. 3;
call($t, 'GET', 'nothing.json') for 1 .. 3;
good(1);
settled('requests without an application are not counted');

# A second application, and an account in another partition.
my $app2 = json(rblctl($redis, 'app', 'add', $ac, 'Second', '--json')->{out});
my @more = map { make_account($redis, name => "More $_") } 1 .. 30;
for my $a ($app2, @more, @more) {
    call($t, 'GET', 'hosts.json', auth => [$a->{sid} // $ac, $a->{token}]);
}
ok((wait_for { my $bad = grep { sums($redis, @$_{qw(sid app)}) ne '2/0' }
    @more; !$bad } 20), 'applications in all partitions are counted');
is(sums($redis, $ac, $app2->{id}), '1/0',
    'the second application is counted by itself');
settled('the first is not touched');

# Each store has its own statistics.
my $away = make_account($second);
for (1 .. 5) {
    my $r = http($t->{nginx}, 'GET', '/other/hosts.json', auth => $away);
    is($r->{status}, 200, 'another store serves the API');
}
ok((wait_for { sums($second, @$away{qw(sid app)}) eq '5/0' } 5),
    'statistics go to the store that they are of');
is_deeply(redis($redis, 'KEYS', "*$away->{sid}*"), [],
    'the first store has no statistics of the second');

# --- faults -----------------------------------------------------------------

# The store stops between the requests and the flush.
sub stopped {
    my ($fault, $name) = @_;

    my $before = statistics()->{uncounted};
    good(7);
    wrong(3);
    with_fault($fault, $redis, sub {
        select undef, undef, undef, 2.2;
        my $r = call($t, 'GET', 'hosts.json');
        $n++ if $r->{status} == 200;
    });
    service($name);
    missing($name, sub { statistics()->{uncounted} - $before });
}
stopped('hung', 'a store that hangs');
stopped('cut', 'connections that are cut');

redis($redis, 'SCRIPT', 'FLUSH');
good(3);
settled('nothing is lost when the store forgets its scripts');

with_fault('full', $redis, sub {
    my $errors = statistics()->{flush_errors};
    good(5);
    wrong(2);
    ok((wait_for { statistics()->{flush_errors} > $errors } 5),
        'nginx counts a flush that the store refuses');
    good(5);
});
settled('nothing is lost when the store refuses a flush', 20);

# Workers: killed, reloaded, stopped.
expect_alert(qr/worker process \d+ exited on signal 9/);
settled('before');
kill 'KILL', (workers($nginx, 2))[0];
service('killed');
good(20);
wrong(5);
settled('a worker is killed: the others go on counting');
good(20);
wrong(5);
kill 'KILL', (workers($nginx, 2))[0];
service('killed again');
missing('a worker is killed with counters', sub { 25 });
for my $round (1 .. 3) {
    good(15);
    wrong(2);
    ok(reload(), "reload $round replaces the workers");
    good(5);
    settled("reload $round: the counters are exact");
}

# The store is away during a reload.
my $before = statistics()->{uncounted};
good(4);
my @old = workers($nginx, 2);
pause_server($redis);
signal_server($nginx, 'HUP');
ok((wait_for { my %now = map { $_ => 1 } workers_now($nginx);
    keys %now == 2 && !grep { $now{$_} } @old } 15),
    'nginx reloads without a store');
cont_server($redis);
ok((wait_for { my $s = json(http($nginx, 'GET', '/status'))->{store};
    $s->{ready} >= 4 && $s->{ready} == $s->{connections} } 10),
    'the store is back');
missing('a reload without a store',
    sub { statistics()->{uncounted} - $before });

# --- error logs -------------------------------------------------------------

sub entries {
    my ($account, $app) = @_;

    return map { record('refusal', $_) } @{ redis($redis, 'LRANGE',
        redis_key('errors', $account, $app), 0, -1) };
}

my $other = $t->{other};
my $now = time;
call($t, 'POST', 'host/add.json', auth => $other, form =>
    { host => 'not a host', name => 'secret-name', type => 'rbl' });
call($t, 'GET', 'host/x%0a%22%c3%28.json?token=secret-query', auth => $other);
call($t, 'GET', 'host/' . 'y' x 3000, auth => $other);
my @log;
ok((wait_for { @log = entries(@$other{qw(sid app)}); @log == 3 } 5),
    'refusals are in the log');
# Each worker sends its own refusals, in any order.
my ($form) = grep { $_->{method} eq 'POST' } @log;
my ($odd) = grep { $_->{path} =~ /x/ } @log;
my ($long) = grep { $_->{path} =~ /y/ } @log;
is_deeply([@$form{qw(method path code message address)}], ['POST',
    '/3.0/host/add.json', 400,
    'Invalid host value provided. Please try again.', '127.0.0.1'],
    'the entry has method, path, code, message and address');
is_current($form->{time} / 1000, $now, 'the entry of a refusal has its time');
is($odd->{path}, '/3.0/host/x%0A%22%C3(.json', 'a path is escaped');
like($long->{path}, qr{^/3\.0/host/y{200,300}$},
    'a long path is cut in the error log');
unlike(join('', redis($redis, 'LRANGE',
    redis_key('errors', @$other{qw(sid app)}), 0, -1)->@*),
    qr/secret|$other->{token}/, 'the error log has no secrets');
like($_->{path}, qr/^[\x21-\x7e]+$/,
    'a path in the error log has only plain characters') for @log;

# Many refusals at once, as a faulty client causes them.
my $commands = sub { redis($redis, 'INFO', 'commandstats')
    =~ /cmdstat_lpush:calls=(\d+)/ ? $1 : 0 };
my $pushed = $commands->();
my $requests = join '', map { http_head('GET', "/3.0/host/e$_.json",
    auth => $acct, keep => 1) } 1 .. 1500;
my $c = client('asks', $nginx, '');
my $child = fork // die;
if (!$child) {
    print {$c} $requests;
    require POSIX;
    POSIX::_exit(0);
}
my ($got, $buf, $seen) = ('', '', 0);
while ($seen < 1500 && sysread $c, $buf, 65_536) {
    $got .= $buf;
    $seen += () = $got =~ /HTTP\/1\.1 404/g;
    $got = substr $got, -11;
}
waitpid $child, 0;
is($seen, 1500, 'the client gets 1,500 errors');
$n += 1500;
$e += 1500;
settled('all 1,500 errors are counted');
ok((wait_for { my ($first) = entries($ac, $ap);
    ($first->{path} // '') eq '/3.0/host/e1500.json' } 5), 'the last is first');
@log = entries($ac, $ap);
is(scalar @log, 1000, 'the last 1,000 are kept');
is_deeply([map { $_->{path} } @log],
    [map { "/3.0/host/e$_.json" } reverse 501 .. 1500],
    'the kept refusals are in their order');
cmp_ok($commands->() - $pushed, '<', 30, 'the refusals take only a few writes');
call($t, 'GET', 'host/newest.json');
$n++;
$e++;
ok((wait_for { my ($first) = entries($ac, $ap);
    $first->{path} eq '/3.0/host/newest.json' } 5),
    'the error log has the newest refusal first');
is(scalar(entries($ac, $ap)), 1000, 'the error log still keeps 1,000 refusals');

# --- damaged keys -----------------------------------------------------------

my $bad = redis_key('stats', @{ $more[0] }{qw(sid app)}, "h$day");
redis($redis, 'DEL', $bad);
redis($redis, 'SET', $bad, 'x');
redis($redis, 'DEL', redis_key('errors', @$other{qw(sid app)}));
redis($redis, 'SET', redis_key('errors', @$other{qw(sid app)}), 'x');
call($t, 'GET', 'host/x.json', auth => $_) for $more[0], $other;
good(2);
settled('damaged keys of others change nothing');
ok((wait_for { messages($nginx,
    qr/\[error\].*keys of statistics or error logs in the store that are none/)
    } 5), 'nginx logs damaged keys of statistics');

# --- shutdown ---------------------------------------------------------------

good(5);
signal_server($nginx, 'QUIT');
settled('nginx stopped: the last requests are in the store');
ok((wait_for { !alive($nginx) } 10), 'nginx has exited');

# --- without shared memory --------------------------------------------------

$t->{nginx} = start_nginx(store => $redis, http => '');
my $counted = $n;
service('without a zone');
call($t, 'GET', 'host/x.json');
select undef, undef, undef, 2;
is(sums($redis, $ac, $ap), "$counted/$e",
    'nothing is gathered without a shared memory zone');

done_testing();
