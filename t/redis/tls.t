#!/usr/bin/perl

# The module's store behind TLS: certificates of the server and of nginx, a
# name in place of the address, large answers, a server that goes away, Sentinels
# and a cluster, and all that is refused with its reason.

use strict;
use warnings;

use RblApi;
use RblFailover;
use RblTls;

my $d = tls_files();

sub tls_nginx {
    my ($redis, %tls) = @_;

    my $lines = join ' ', map { "rbl_store_tls_$_ $tls{$_};" } sort keys %tls;
    return start_nginx(store => { %$redis, addr => "tls:127.0.0.1:"
        . $redis->{tls} }, http => $lines);
}

sub logged {
    my ($nginx, $pattern, $what) = @_;

    ok((wait_for { read_file($nginx->{error_log}) =~ $pattern } 10, $what),
        $what);
}

# --- it works --------------------------------------------------------------

my $redis = tls_redis('redis', auth => 'yes', appendonly => 1);
init_store($redis);
my $acct = make_account($redis);
my %good = (ca => "$d/ca.pem", certificate => "$d/client.pem",
    key => "$d/client.key");
my $nginx = tls_nginx($redis, %good);

sub get { http($nginx, 'GET', "/3.0/$_[0]", auth => $acct) }
sub add {
    my ($host) = @_;
    return http($nginx, 'POST', '/3.0/host/add.json', auth => $acct,
        form => { host => $host, name => 'n' x 200, type => 'rbl' });
}

is(get('hosts.json')->{status}, 200, 'the API reads hosts over TLS');
is(add('192.0.2.1')->{status}, 200, 'the API adds a host over TLS');
is(add('198.51.100.0/24')->{status}, 200, 'the API adds a subnet over TLS');
my $r = get('hosts.json?page_size=1000');
is(scalar @{ json($r)->{data} }, 257, 'one response has all 257 hosts');

my @many = map { get('hosts.json?page_size=200') } 1 .. 30;
is(scalar(grep { $_->{status} == 200 } @many), 30,
    'the API reads many records 30 times');

restart_server($redis);
ok((wait_for { get('hosts.json')->{status} == 200 } 20, 'the store'),
    'the API reads hosts after a restart of Redis');
stop_server($nginx);

# --- bytes that are not of TLS ---------------------------------------------

my $forger = tls_forger($redis->{tls});
$nginx = tls_nginx({ %$redis, tls => $forger->{port} }, %good);
logged($nginx, qr/SSL_read\(\) failed/, 'replies in plain text: they end the connection');
ok((wait_for { get('hosts.json')->{status} == 200 } 20, 'the store'),
    'replies in plain text: it is back');
unlike(read_file($nginx->{error_log}), qr/Protocol error|no command|forged/,
    'replies in plain text: none is read');
stop_server($_) for $nginx, $forger;

# --- a name ----------------------------------------------------------------

my $named = tls_redis('named');
$nginx = tls_nginx($named, ca => "$d/ca.pem", name => 'store.example.org');
logged($nginx, qr/not been initialised/, 'a certificate for a name');
stop_server($nginx);

# --- what is refused -------------------------------------------------------

for (['a server with a certificate for another name', $named,
        { ca => "$d/ca.pem", name => 'other.example.org' },
        qr/certificate is not for rbl_store_tls_name/],
    ['a server with a certificate for no address', $named,
        { ca => "$d/ca.pem" }, qr/certificate is not for its address/],
    ['a server of another authority', $redis,
        { %good, ca => "$d/other.pem" }, qr/not ready: (?:unable|self).*certificate/],
    ['an expired certificate', tls_redis('expired'), { ca => "$d/ca.pem" },
        qr/certificate has expired/],
    ['no certificate of nginx, where one is needed', $redis,
        { ca => "$d/ca.pem" }, qr/not ready: (?!.*idle)/],
    ['a certificate of nginx by another authority', $redis,
        { %good, certificate => "$d/stranger.pem", key => "$d/stranger.key" },
        qr/not ready: /])
{
    my ($what, $server, $tls, $pattern) = @$_;

    $nginx = tls_nginx($server, %$tls);
    logged($nginx, $pattern, "$what: refused, and why");
    is(get('hosts.json')->{status}, 503, "$what: a request gets 503");
    unlike(read_file($nginx->{error_log}), qr/link\) is ready|" is ready/,
        "$what: never ready");
    stop_server($nginx);
}

# --- plain and TLS mixed up ------------------------------------------------

my $plain = start_redis(port => free_port());
init_store($plain);
$nginx = tls_nginx({ %$plain, tls => $plain->{port} }, ca => "$d/ca.pem");
logged($nginx, qr/not ready: /,
    'the log says that a server without TLS is not ready');
is(get('hosts.json')->{status}, 503, 'nginx does not use a server without TLS');
stop_server($nginx);

# --- several servers -------------------------------------------------------

for my $f (start_sentinels(tls => 'redis'), start_cluster(tls => 'redis')) {
    my ($words, $nodes) = tls_several($f);
    init_store($f);
    $acct = make_account($f);
    my $where = "rbl_store_nodes @$nodes;";
    my $tls = join ' ', map { "rbl_store_tls_$_ $good{$_};" } sort keys %good;
    $nginx = start_nginx(store => { %$f, addr => $words },
        http => "$where $tls rbl_store_timeout 5s;");
    ok((wait_for { get('hosts.json')->{status} == 200 } 20),
        "$f->{kind}: the API reads hosts");
    is(add('192.0.2.1')->{status}, 200, "$f->{kind}: the API adds a host");
    my ($old) = $f->{kind} eq 'sentinel' ? master($f)
        : node_of($f, slot_of_account($f, $acct));
    if ($f->{kind} eq 'sentinel') {
        kill_server($old);
        wait_master($f, $old);
    } else {
        fail_node($f, $old);
        restart_member($f, $old);
    }
    ok((wait_for { add('192.0.2.2')->{status} == 200 } 20),
        "$f->{kind}: the API adds a host after a failover");
    stop_server($nginx);

    my $wrong = start_nginx(store => { %$f, addr => $words },
        http => "$where rbl_store_tls_ca $d/other.pem;");
    logged($wrong, qr/certificate/, 'another authority: refused, and why');
    is(http($wrong, 'GET', '/3.0/hosts.json', auth => $acct)->{status}, 503,
        "$f->{kind}: nginx does not use a server of another authority");
    stop_server($wrong);
}

done_testing();
