#!/usr/bin/perl

# The programs of the version before are replaced while clients use them, then
# the store is raised: no request fails, no check is lost.
#
# RBL_OLD: the build of that version; without it the test is skipped.

use strict;
use warnings;

use RblUpgrade;
use Time::HiRes qw(sleep);

my $old = $ENV{RBL_OLD};
plan(skip_all => 'needs RBL_OLD, a build of the version before') if !$old;

sub of_old(&) {
    my ($start) = @_;

    no warnings 'redefine';
    local *RblTest::Servers::build_dir = sub { return $old };
    return $start->();
}

my $schema = schema_version();
my $dns = upgrade_dns();
my $from = (saved_stores())[-1];
my $said = saved_said($from);
my $redis = upgrade_store($from);
my @daemons = map { of_old { start_checkd(store => $redis, resolver => $dns) } }
    1, 2;
my $module = own_dir('module') . '/module.so';
symlink "$old/ngx_rbl_module.so", $module or die "symlink: $!";
# nginx changes its binary as a daemon only, and by a whole path.
my $nginx = start_nginx(store => $redis, http => 'rbl_store_timeout 5s;',
    start => 0);
write_file($nginx->{conf_path}, read_file($nginx->{conf_path})
    =~ s/^daemon off/daemon on/mr =~ s/^load_module \K[^;]+/$module/mr);
my (undef, @words) = @{ $nginx->{command} };
is(run_cmd('/usr/sbin/nginx', @words)->{status}, 0,
    'nginx starts with the old module');
my $pid = "$nginx->{dir}/nginx.pid";
sub master { return int(read_file($pid) || 0) }
at_stop(sub {
    my $last = master() or return;
    kill 'QUIT', $last;
    wait_for { !kill 0, $last } 10, 'the end of nginx';
});
ok((wait_for { -s $pid } 10), 'nginx writes its process id');
# nginx closes idle connections when it ends.
my ($load, $accounts) = upgrade_load($redis, $nginx, $said, keep => 0);
sleep 1;

sub replace_daemon {
    my ($i) = @_;

    my $new = start_checkd(store => $redis, resolver => $dns);
    ok(stop_server($daemons[$i]), "daemon $i is a new one");
    $daemons[$i] = $new;
    sleep 1;
}

replace_daemon(0);

# nginx loads the module in its new master.
unlink $module;
symlink build_dir() . '/ngx_rbl_module.so', $module or die "symlink: $!";
my $was = master();
kill 'USR2', $was;
ok((wait_for { -s "$pid.oldbin" && master() && master() != $was } 20),
    'a new nginx master starts');
sleep 1;
like(read_file('/proc/' . master() . '/maps'),
    qr{\Q@{[ build_dir() ]}\E/ngx_rbl_module},
    'the new master has the new module');
kill 'QUIT', $was;
ok((wait_for { !kill 0, $was } 20), 'the old nginx master is gone');
sleep 0.5;
my $r = rblctl($redis, 'upgrade');
is($r->{status}, 0,
    'the upgrade succeeds while one daemon is old') or diag($r->{err});
is(redis($redis, 'HGET', 'rbl:meta', 'schema'), $schema,
    'rblctl upgrade raises the store to this schema');
sleep 1;
redis($redis, 'CLIENT', 'KILL', 'USER', 'rbl-checkd');
ok(wait_log($daemons[1], qr/it has schema $schema, this rbl-checkd needs $from/, 10),
    'the old daemon refuses the raised store');
replace_daemon(1);
upgrade_judge($redis, $nginx, $said, $load, $accounts);
done_testing();
