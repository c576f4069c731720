#!/usr/bin/perl

# A store that is missing, not ready or foreign when nginx starts: 503 with
# Retry-After, and service without a restart within 2 seconds of its start.

use strict;
use warnings;

use lib 't/lib';
use RblRedis;
use RblTest;

my $dir = temp_dir();
my $nginx = start_nginx(store_addr => "unix:$dir/later/s");

my ($status, undef, $r) = asked_in($nginx);
is($status, 503, 'a request without a store gets 503');
cmp_ok(request_took($nginx, qr/ 503 /), '<', 0.5,
    'the response 503 comes at once');
ok($r->{headers}{'retry-after'}, 'the response 503 has Retry-After');
my $away = qr/\[warn\].*rbl store "unix:\S+" is not ready: No such/;
wait_for { messages($nginx, $away) == 2 } 3;
is(messages($nginx, $away), 2, 'each worker logs once that the store is away');

# empty, then initialised

mkdir "$dir/later";
my $redis = start_redis(dir => "$dir/later");
ok(wait_for { messages($nginx, qr/has not been initialised \(rblctl init\)/)
    == 2 } 3, 'the log distinguishes an empty store from an absent one');
is(ask($nginx), 503, 'nginx does not use an empty store');

store_meta($redis);
ok(wait_for { messages($nginx, qr/rbl store "unix:\S+" is ready/) == 2 } 2,
    'both workers find it within 2 seconds of its initialisation');
is(ask($nginx), 401, 'nginx uses the store after its initialization');
is(messages($nginx, qr/has not been initialised/), 2,
    'each worker logs once that the store is not initialized');
stop_server($nginx);

# another schema, impossible partitions

my $schema = schema_version();
my $needs = qr/this module can use @{[ $schema - 1 ]} and $schema \(rbl-operations\(7\), Upgrading\)/;
my @wrong = (
    (map { [{ schema => $_ }, qr/it has schema $_, $needs/] } $schema - 2,
        $schema + 1),
    (map { [{ partitions => $_->[0] }, qr/its number of partitions, $_->[1], is/] }
        [3, 3], [0, 0], [2048, 2048], ['many', -1]),
    [{ schema => '' }, qr/it has schema -1, $needs/],
);

for my $case (@wrong) {
    my ($meta, $message) = @$case;

    store_meta($redis, %$meta);
    $nginx = start_nginx(store => $redis, workers => 1);
    ok(wait_for { messages($nginx, $message) } 5,
        "nginx refuses a wrong store: $message");
    is(ask($nginx), 503, "nginx does not use a wrong store: $message");
    stop_server($nginx);
}

redis($redis, 'DEL', 'rbl:meta');
redis($redis, 'SET', 'rbl:meta', 'x');
$nginx = start_nginx(store => $redis, workers => 1);
ok(wait_for { messages($nginx, qr/is not ready: WRONGTYPE/) } 5,
    'nginx refuses a store with meta of another type');
redis($redis, 'DEL', 'rbl:meta');
store_meta($redis);
ok(wait_for { ask($nginx) == 401 } 2, 'nginx uses the store after the repair');
stop_server($nginx);

# credentials

sub passworded {
    my ($password, $user) = @_;

    write_file("$dir/password", "$password\n", 0600);
    return start_nginx(store => $redis, workers => 1, http =>
        "rbl_store_password_file $dir/password;"
        . (defined $user ? "rbl_store_user $user;" : ''));
}

delete $redis->{users};
redis($redis, 'ACL', 'SETUSER', 'web', 'on', '>right secret', '~rbl:*',
    '+@all');
redis($redis, 'CONFIG', 'SET', 'requirepass', 'other secret');

$nginx = start_nginx(store => $redis, workers => 1);
ok(wait_for { messages($nginx, qr/is not ready: NOAUTH/) } 5,
    'the log names the missing password');
is(ask($nginx), 503, 'nginx does not use the store without a password');
stop_server($nginx);

for my $case (['wrong secret', 'web'], ['wrong secret'],
    ['right secret', 'nobody'])
{
    my ($password, $user) = @$case;

    $nginx = passworded($password, $user);
    ok(wait_for { messages($nginx, qr/it refuses the user or the password/) }
        5, 'wrong credentials: ' . ($user // 'no user'));
    is(ask($nginx), 503, 'nginx does not use the store with wrong credentials');
    no_message($nginx, qr/secret/, 'the password is not in the log');
    stop_server($nginx);
}

for my $case (['right secret', 'web'], ['other secret']) {
    $nginx = passworded(@$case);
    ok(wait_for { ask($nginx) == 401 } 2,
        'right credentials: ' . ($case->[1] // 'no user'));
    no_message($nginx, qr/secret/, 'the password is not in the log');
    stop_server($nginx);
}

# The password is the last one set.
redis($redis, 'AUTH', 'other secret');
redis($redis, 'CONFIG', 'SET', 'requirepass', '');

# two stores for two locations

my $second = start_redis(port => 1);
store_meta($second);
redis($second, 'HSET', 'other:meta', 'schema', $schema, 'partitions', 4);
$nginx = start_nginx(store => $redis, workers => 1, server => <<"CONF");
location /same/  { rbl_api on; }
location /tcp/   { rbl_api on; rbl_store 127.0.0.1:$second->{port}; }
location /other/ { rbl_api on; rbl_store 127.0.0.1:$second->{port};
                   rbl_store_prefix other; }
CONF
ok(wait_for { ask($nginx, "/$_/hosts.json") == 401 } 2,
    "location /$_/ reaches its store")
    for qw(same tcp other);
sub connections { scalar grep { !/cmd=client/ }
    split /\n/, redis($_[0], 'CLIENT', 'LIST') }
is(connections($redis), 1,
    'one connection for two locations with the same store');
is(connections($second), 2,
    'nginx has one connection for each prefix');
kill_server($second);
ok(wait_for { ask($nginx, '/tcp/hosts.json') == 503 } 2,
    'a location gets 503 when its store is down');
is(ask($nginx, '/same/hosts.json'), 401,
    'the locations of the other store are not affected');

done_testing();
