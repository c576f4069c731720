#!/usr/bin/perl

# rbl-availability(7), Sentinels: its lines, one by one, on three machines in
# network namespaces.  One machine that runs by the lines of rbl-operations(7)
# becomes the first of three.  Then machines are lost, stopped and cut off while
# the API is written to; and a backup is restored.
#
# Alone: Sentinels measure times.

use strict;
use warnings;

use RblTest;
use RblMachines;
use RblMachines::Writers;

RblMachines::enter();

my $page = page_blocks('rbl-availability.7');
my $one = page_blocks('rbl-operations.7');
my $lan = start_machines(3);

# --- one machine -----------------------------------------------------------

run_section($lan, $page, 'THREE MACHINES', 'Packages');
run_section($lan, $one, 'STEP BY STEP', $_, which => 1)
    for 'Redis', 'Lists and accounts', 'Daemon', 'nginx';
run_section($lan, $one, 'INSTALLATION', 'First check', which => 1);
on($lan, 1, 'cp /etc/rbl-checkd/api.netrc /root/api.netrc');
my $all = hosts_of($lan, 1);
is("@$all", '192.0.2.10', 'one machine: a host');

# --- it becomes the first of three ------------------------------------------

my $writers = start_writers($lan, 1);
run_section($lan, $page, 'SENTINELS', 'From one Redis', which => 1);
run_section($lan, $page, 'THREE MACHINES', 'Passwords',
    only => sub { $_[0]{text} !~ /^password default/m });
run_section($lan, $page, 'SENTINELS', $_) for qw(Servers Sentinels);
run_section($lan, $page, 'PROGRAMS', $_)
    for 'Addresses', 'Start', 'What is away';
share_account($lan, 1, 2, 3);
ok((wait_for { tries($lan, 3, curl('hosts.json'))->{out} =~ /192\.0\.2\.10/ }
    20), 'nginx of another machine has the store');
my $w = stop_writers($writers);
judge($lan, 1, 'one Redis becomes three', $w);

# --- the rights are upgraded, and a password is changed ----------------------

# As an older release had them, and with a user of the operator.
on($lan, $_, "sed -i 's/ +wait / /; s/ +lset / /' /etc/redis/rbl.acl\n"
    . "echo 'user mine on #' | tr -d '\\n' >>/etc/redis/rbl.acl\n"
    . "echo mine | sha256sum | cut -c -64 | tr -d '\\n' >>/etc/redis/rbl.acl\n"
    . "echo ' -\@all +ping' >>/etc/redis/rbl.acl\n"
    . 'redis-cli ACL LOAD | grep OK') for 1 .. 3;
sub rights {
    return join ' ', map { my $n = $_;
        map { tries($lan, $n, "redis-cli ACL GETUSER $_[0]")->{out} =~ $_[1]
            ? 1 : 0 } 1 } 1 .. 3;
}
is(rights('rbl-api', qr/\+wait\b/), '0 0 0', 'the rights are those of before');
$writers = start_writers($lan, 1, 2, 3);
run_section($lan, $page, 'UPGRADING', 'Rights');
written($lan, $writers);
$w = stop_writers($writers);
judge($lan, 1, 'the rights are upgraded', $w, 12);
is(rights('rbl-api', qr/\+wait\b/), '1 1 1', 'all servers have the new rights');
is(rights('mine', qr/\+ping\b/), '1 1 1', 'users of the operator stay');

$writers = start_writers($lan, 1, 2, 3);
change_password($lan, $page);
written($lan, $writers);
$w = stop_writers($writers);
judge($lan, 1, 'a password is changed', $w, 12);
is(rights('rbl-api', qr/\A(?:(?!flags).)*flags.*?passwords\s+([0-9a-f]{64})\s+commands/s),
    '1 1 1', 'the user has one password');

# --- the machine of the master is lost ---------------------------------------

$writers = start_writers($lan, 2, 3);
on($lan, 2, 'sleep 1');
kill_machine($lan, 1);
written($lan, $writers);
$w = stop_writers($writers);
judge($lan, 2, 'a machine is lost', $w, 12);
like(tries($lan, 2, 'rblctl status')->{out}, qr/10\.0\.0\.1/,
    'rblctl status names the server that is away');
check_ends($lan, 3);

boot_machine($lan, 1, qw(redis-server redis-sentinel nginx rbl-checkd));
run_section($lan, $page, 'SENTINELS', 'Maintenance', which => 1,
    only => sub { $_[0]{on} =~ /is back/ });
ok(scalar(grep { $_ eq '192.0.2.10' } @{ hosts_of($lan, 1) }),
    'the machine is up, and its nginx has the store');

# --- maintenance -------------------------------------------------------------

my $master = master_of($lan, 1, 2, 3);
isnt($master, 1, 'another machine has the master');
$writers = start_writers($lan, 1, 2, 3);
run_section($lan, $page, 'SENTINELS', 'Maintenance', which => $master,
    only => sub { $_[0]{on} =~ /of the master/ });
written($lan, $writers);
$w = stop_writers($writers);
judge($lan, 1, 'another master for maintenance', $w, 12);
run_section($lan, $page, 'SENTINELS', 'Maintenance', which => $master,
    only => sub { $_[0]{on} =~ /is back/ });

# --- the master is cut off ---------------------------------------------------

$master = master_of($lan, 1, 2, 3);
my @others = grep { $_ != $master } 1 .. 3;
on($lan, $others[0], 'until redis-cli INFO replication | grep '
    . 'master_link_status:up; do sleep 0.2; done');
my $inside = start_writers($lan, $master);
$writers = start_writers($lan, @others);
on($lan, $master, 'sleep 1');
my $cut = time;
cut_machine($lan, $master);
written($lan, $writers);
my ($out, $in) = map { stop_writers($_) } $writers, $inside;
judge($lan, $others[0], 'the master is cut off', $out, 12);
my @late = grep { $_->{time} > $cut + 4 && $_->{code} == 200 } @$in;
is(scalar(@late), 0, 'the old master refuses writes');
join_machine($lan, $master);
run_section($lan, $page, 'SENTINELS', 'Maintenance', which => $master,
    only => sub { $_[0]{on} =~ /is back/ });
fsck_clean($lan, 1);

# --- backup and restore ------------------------------------------------------

my $before = hosts_of($lan, 1);
run_section($lan, $page, 'BACKUP AND RESTORE', 'Sentinels',
    only => sub { $_[0]{text} =~ /--rdb/ });
on($lan, 1, curl('host/add.json -d host=192.0.2.77 -d name=x -d type=rbl'));
run_section($lan, $page, 'BACKUP AND RESTORE', 'Sentinels',
    only => sub { $_[0]{text} !~ /--rdb/ });
ok((wait_for { "@{ hosts_of($lan, 3) }" eq "@$before" } 30),
    'the hosts of the backup');
written($lan, $writers = start_writers($lan, 1, 2, 3));
judge($lan, 2, 'after the restore', stop_writers($writers));
check_ends($lan, 2);
fsck_clean($lan, 1);

is(join("\n", grep {
    /^SENTINELS|^BACKUP AND RESTORE, Sent|^UPGRADING/ }
    blocks_left($page)), '', 'every block was run');
stop_machines($lan);
done_testing();
