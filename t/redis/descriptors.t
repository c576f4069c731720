#!/usr/bin/perl

# More than 100 failed connects leak no descriptor, and a lack of connection
# slots does no harm.

use strict;
use warnings;

use lib 't/lib';
use RblRedis;
use RblTest;

# One store each, so that they all fail at the same time.

sub locations {
    my ($n, $addr) = @_;

    return join '', map { "location /l$_/ { rbl_api on; rbl_store $addr; "
        . "rbl_store_prefix p$_; }\n" } 1 .. $n;
}

my $port = free_port();
my $attempts = qr/rbl store "\S+": waiting -> connecting/;

for my $addr ("127.0.0.1:$port", 'unix:' . temp_dir() . '/nobody') {
    my $nginx = start_nginx(store_addr => $addr, workers => 1,
        level => 'debug', server => locations(25, $addr));
    my ($worker) = workers($nginx);

    is(ask($nginx, '/l25/hosts.json'), 503,
        "a request without a server at $addr gets 503");
    my $before = descriptors($worker);
    ok(wait_for { messages($nginx, $attempts) >= 125 } 20,
        'nginx tries more than 100 times to connect');

    # An attempt in progress holds one; the pauses are longer.
    ok(wait_for { descriptors($worker) <= $before } 5,
        'failed connects leave no descriptor')
        or diag(descriptors($worker), ' after ', $before);
    is_deeply([workers($nginx)], [$worker],
        'the worker lives after the failed connects');
    stop_server($nginx);
}

my $redis = start_redis();
redis($redis, 'HSET', "p$_:meta", 'schema', schema_version(), 'partitions', 16)
    for 1 .. 25;
store_meta($redis);
my $nginx = start_nginx(store => $redis, workers => 1, conf => <<"CONF");
load_module %%MODULE%%;
user root;
daemon off;
worker_processes 1;
error_log %%DIR%%/error.log info;
pid %%DIR%%/nginx.pid;
events { worker_connections 16; }
http {
    access_log off;
    client_body_temp_path %%DIR%%/body;
    proxy_temp_path %%DIR%%/proxy;
    fastcgi_temp_path %%DIR%%/fastcgi;
    uwsgi_temp_path %%DIR%%/uwsgi;
    scgi_temp_path %%DIR%%/scgi;
    rbl_store %%STORE%%;
    server {
        listen 127.0.0.1:%%PORT%%;
        location /3.0/ { rbl_api on; }
        @{[ locations(25, $redis->{addr}) ]}
    }
}
CONF
expect_alert('worker_connections are not enough');
ok(wait_for { messages($nginx, qr/no connection is left/) } 5,
    'the log says that no connection is left');
is_deeply([scalar workers($nginx)], [1], 'the worker lives');

done_testing();
