#!/usr/bin/perl

# rbl-availability(7), Cluster: its lines, one by one, on three machines in
# network namespaces.  A machine is lost, masters and slots are moved, a node is
# replaced, and a backup is restored, while clients write.  (Sentinels:
# availability.t.)
#
# Alone: nodes of a cluster measure times.

use strict;
use warnings;

use RblTest;
use RblMachines;
use RblMachines::Writers;

RblMachines::enter();

my $page = page_blocks('rbl-availability.7');
my $lan = start_machines(3);

run_section($lan, $page, 'THREE MACHINES', $_) for qw(Packages Passwords);
run_section($lan, $page, 'CLUSTER', $_) for qw(Servers Slots);
run_section($lan, $page, 'PROGRAMS', $_)
    for 'Addresses', 'Store', 'Start', 'What is away';

# An account at each master; the clients of a machine write to one of them.
my %tag;
for my $n (1 .. 60) {
    last if keys %tag == 3;
    my $sid = (on($lan, 1, "rblctl account add a$n --json")
        =~ /"id": *"(AC\w+)"/)[0];
    my ($key) = tries($lan, 1, "for h in '1 -p 6379' '2 -p 6380' '3 -p 6381'; "
        . "do redis-cli -h 10.0.0.\$h --scan --pattern 'rbl:{*}:acct:$sid' | "
        . "sed \"s/^/\$h /\"; done")->{out} =~ /^(\d) -p \d+ rbl/m;
    $tag{ $key // die "no key of $sid" } //= $sid;
}
is(join(' ', sort keys %tag), '1 2 3', 'an account at each master');
for my $n (1 .. 3) {
    my $token = (on($lan, 1, "rblctl app add $tag{$n} a --json")
        =~ /"token": *"([^"]+)"/)[0];
    on($lan, $n, "echo machine 127.0.0.1 login $tag{$n} password $token "
        . '>/root/api.netrc');
}
judge($lan, $_->{n}, "10.0.0.$_->{n}", stop_writers(written($lan, [$_])))
    for @{ start_writers($lan, 1, 2, 3) };
check_ends($lan, $_) for 1 .. 3;

# --- the rights are upgraded -------------------------------------------------

# As an older release had them.
on($lan, $_, "sed -i 's/ +wait / /' /etc/redis/rbl.acl\n"
    . 'for port in 6379 6380 6381; do redis-cli -p $port ACL LOAD | grep OK; '
    . 'done') for 1 .. 3;
sub rights {
    return join ' ', map { tries($lan, $_, 'for port in 6379 6380 6381; do '
        . 'redis-cli -p $port ACL GETUSER rbl-api; done')->{out}
        =~ s/^(?!.*\+wait\b).*\n?//mgr =~ tr/\n// } 1 .. 3;
}
is(rights(), '0 0 0', 'the rights of before lack one');
run_section($lan, $page, 'UPGRADING', 'Rights');
is(rights(), '3 3 3', 'all servers of the cluster have the new rights');
judge($lan, $_->{n}, "new rights, 10.0.0.$_->{n}",
    stop_writers(written($lan, [$_]))) for @{ start_writers($lan, 1, 2, 3) };
change_password($lan, $page);
judge($lan, $_->{n}, "another password, 10.0.0.$_->{n}",
    stop_writers(written($lan, [$_]))) for @{ start_writers($lan, 1, 2, 3) };

# --- a machine is lost -------------------------------------------------------

# The clients of machine 2 go on with the account of the machine that dies.
share_account($lan, 1, 2);
my $writers = start_writers($lan, 2, 3);
on($lan, 3, 'sleep 1');
kill_machine($lan, 1);
written($lan, $writers);
my $w = stop_writers($writers);
judge_each($lan, 'a machine is lost', $w, 15);
like(tries($lan, 2, 'rblctl status')->{out}, qr/10\.0\.0\.1/,
    'rblctl status names the servers that are away');
check_ends($lan, 2);
boot_machine($lan, 1, map({ "redis-server\@$_" } qw(a b c)), 'nginx',
    'rbl-checkd');
in_step($lan);
is(scalar(@{ hosts_of($lan, 1) }), scalar(@{ hosts_of($lan, 2) }),
    'the machine is up, and its nginx has the store');

# --- maintenance -------------------------------------------------------------

# Redis delays a second failover by the same server: 4 * cluster-node-timeout.
# For 2 * cluster-node-timeout after a vote, masters may take another server of
# these slots for a replica of the old one, for which they do not vote again.

my ($failover) = grep { $_->{section} eq 'CLUSTER'
    && $_->{part} eq 'Maintenance' } @$page;
$writers = start_writers($lan, 1, 2, 3);
run_section($lan, $page, 'CLUSTER', 'Maintenance');
is(master_of_part(6379), 2, 'the second node is the master of the first shard');
in_step($lan);
on($lan, 1, 'sleep 10');            # as the page demands
on($lan, 1, $failover->{text});
is(master_of_part(6379), 1,
    'the failover makes the first node the master again');
written($lan, $writers);
judge_each($lan, 'other masters for maintenance', stop_writers($writers), 5);
in_step($lan);

# --- slots, and a node -------------------------------------------------------

$writers = start_writers($lan, 1, 2, 3);
run_section($lan, $page, 'CLUSTER', 'Moving slots');
written($lan, $writers);
run_section($lan, $page, 'CLUSTER', 'Replacing a node');
written($lan, $writers);
judge_each($lan, 'slots moved, and a node replaced', stop_writers($writers));
in_step($lan);
fsck_clean($lan, 1);

# --- backup and restore ------------------------------------------------------

my @before = map { hosts_of($lan, $_) } 1 .. 3;
run_section($lan, $page, 'BACKUP AND RESTORE', 'Cluster',
    only => sub { $_[0]{text} =~ /--rdb/ });
on($lan, $_, curl('host/add.json -d host=192.0.2.77 -d name=x -d type=rbl'))
    for 1 .. 3;
run_section($lan, $page, 'BACKUP AND RESTORE', 'Cluster',
    only => sub { $_[0]{text} !~ /--rdb/ });
for my $n (1 .. 3) {
    ok((wait_for { "@{ hosts_of($lan, $n) }" eq "@{ $before[$n - 1] }" } 30),
        "10.0.0.$n: the hosts of the backup");
}
in_step($lan);
written($lan, $writers = start_writers($lan, 1, 2, 3));
judge_each($lan, 'after the restore', stop_writers($writers));
check_ends($lan, 3);
fsck_clean($lan, 1);

is(join("\n", grep { !/^SENTINELS|^BACKUP AND RESTORE, Sent/ }
    blocks_left($page)), '', 'every block was run');
stop_machines($lan);
done_testing();

# Every master has both its replicas.
sub in_step {
    my ($lan) = @_;

    ok((wait_for {
        my $out = tries($lan, 2, 'for m in 1 2 3; do for p in 6379 6380 6381; '
            . 'do redis-cli -h 10.0.0.$m -p $p INFO replication; done; done')
            ->{out};
        3 == (() = $out =~ /^min_slaves_good_slaves:2/mg)
            && 6 == (() = $out =~ /^master_link_status:up/mg);
    } 40), 'all servers are in step');
}

sub master_of_part {
    my ($port) = @_;

    my ($n) = grep { tries($lan, $_, "redis-cli -p $port ROLE")->{out}
        =~ /^master/ } 1 .. 3;
    return $n // 0;
}

# Each machine has its own account.
sub judge_each {
    my ($lan, $name, $records, $limit) = @_;

    for my $n (1 .. 3) {
        my @own = grep { $_->{n} == $n } @$records or next;
        judge($lan, $n, "$name: 10.0.0.$n", \@own, $limit);
    }
}
