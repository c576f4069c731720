#!/usr/bin/perl

# rbl-checkd as a service: its notifications to the service manager, the reload,
# and secrets as credentials.

use strict;
use warnings;

use RblManager;
use RblTest;
use RblTls;

my $redis = start_redis();
init_store($redis);
my $dir = temp_dir();

my $manager = RblManager->new;

sub told {
    my ($pattern, $name) = @_;

    ok($manager->told($pattern), $name)
        or diag(join "\n--\n", $manager->all);
}

my $log = "$dir/checkd.log";
my $d = start_checkd(store => $redis, ready => 0, conf => { log => $log,
    log_level => 'notice', resolver => '127.0.0.1@9' },
    env => { NOTIFY_SOCKET => $manager->path, WATCHDOG_USEC => 200_000 });

told(qr/^READY=1$/m, 'notified: ready');
told(qr/^STATUS=The store is ready/m, 'notified: the store is ready');
ok($manager->told(qr/^WATCHDOG=1$/m, 3), 'notified: alive, again and again');
told(qr/^STATUS=0 of [0-9]+ checks, 0 queries in flight\.$/m,
    'and how much it has to do, of how much it may have');

# Reload: the log level applies at once; other changes are named.

sub conf_says {
    my ($from, $to) = @_;

    my $text = read_file($d->{conf_path});
    $text =~ s/$from/$to/ or die "no $from";
    write_file($d->{conf_path}, $text);
}

sub reload {
    $manager->forget;
    my $before = () = read_file($log) =~ /log reopened/g;
    signal_server($d, 'HUP');
    my $again = wait_for {
        my $n = () = read_file($log) =~ /log reopened/g;
        $n > $before;
    } 10;
    ok($again, "the daemon reloads its configuration: $_[0]");
    told(qr/\ARELOADING=1\nMONOTONIC_USEC=\d+\z/, 'notified: it reloads');
    told(qr/\AREADY=1\z/, 'notified: it is ready again');
}

reload('nothing is new');
unlike(read_file($log), qr/has changed|reload failed/,
    'the log reports no change after a plain reload');

conf_says(qr/^log_level \w+/m, 'log_level info');
conf_says(qr/\z/, "checks_max 7\ndeliver_allow 10.0.0.0/8\n");
reload('three keys');
like(read_file($log), qr/checks_max has changed: this needs a restart/,
    'the log names a key that needs a restart');
like(read_file($log), qr/deliver_allow has changed/,
    'the log names a second key that has changed');
unlike(read_file($log), qr/log_level has changed/,
    'a new log level needs no restart');
my $password = (store_login($redis, 'rbl-checkd'))[1];
unlike(read_file($log), qr/\Q@{[ read_file($password) =~ s{\n}{}r ]}\E/,
    'the log does not show the password');

redis($redis, 'CLIENT', 'KILL', 'USER', 'rbl-checkd');
my $info = wait_for { $manager->all; read_file($log) =~ /\[info\]/ } 10;
ok($info, 'the new log level applies at once');

conf_says(qr/^checks_max 7/m, 'checks_max x');
reload('a fault');
like(read_file($log),
    qr/reload failed, nothing has changed: \S+:\d+: checks_max: a whole/,
    'the log has the fault in the file');
ok(alive($d), 'the daemon continues after a failed reload');

$manager->forget;
ok(stop_server($d), 'the daemon stops without an error');
told(qr/^STOPPING=1$/m, 'notified: it stops');

# A watchdog for another process.

$d = start_checkd(store => $redis, conf => { resolver => '127.0.0.1@9' },
    env => { NOTIFY_SOCKET => $manager->path, WATCHDOG_USEC => 100_000,
        WATCHDOG_PID => 1 });
told(qr/^STATUS=The store is ready/m, 'another process: ready');
$manager->forget;
select undef, undef, undef, 0.4;
is(join(' ', grep { /WATCHDOG/ } $manager->all), '',
    'the daemon sends no watchdog message for another process');
stop_server($d);

# A manager that has gone is no reason to fail.

$manager->stop;
$d = start_checkd(store => $redis, conf => { resolver => '127.0.0.1@9' },
    env => { NOTIFY_SOCKET => $manager->path });
ok(wait_log($d, qr/cannot send READY=1.* to the service manager/s, 10),
    'the daemon logs that the service manager is gone');
ok(alive($d), 'the daemon continues without a service manager');
stop_server($d);

# A credential replaces the file of the same name.

mkdir "$dir/credentials" or die $!;
write_file("$dir/credentials/store.password", read_file($password), 0400);
$d = start_checkd(store => $redis, conf => { store_user => 'rbl-checkd',
    store_password_file => '/no/such/dir/store.password' },
    env => { CREDENTIALS_DIRECTORY => "$dir/credentials" });
ok(alive($d), 'the daemon reads the password from a credential');
stop_server($d);
my $r = run_cmd({ env => { CREDENTIALS_DIRECTORY => "$dir/none" } },
    build_dir() . '/rbl-checkd', '-t', '-c', $d->{conf_path});
is($r->{status}, 1, 'rbl-checkd needs the password file without a credential');

my $tls = tls_files();
write_file("$dir/credentials/store.key", read_file("$tls/client.key"), 0400);
write_file("$dir/tls.conf", "store tls:127.0.0.1:1\nstore_tls_ca $tls/ca.pem\n"
    . "store_tls_certificate $tls/client.pem\n"
    . "store_tls_key /no/such/dir/store.key\n");
for (['credentials', 0, ''], ['none', 1, qr/store_tls_key: the file cannot/]) {
    $r = run_cmd({ env => { CREDENTIALS_DIRECTORY => "$dir/$_->[0]" } },
        build_dir() . '/rbl-checkd', '-t', '-c', "$dir/tls.conf");
    is($r->{status}, $_->[1],
        "rbl-checkd -t exits with $_->[1] when the TLS key is in $_->[0]");
    like($r->{err}, qr/$_->[2]/,
        "rbl-checkd -t has the expected message when the TLS key is in "
        . "$_->[0]");
}

done_testing();
