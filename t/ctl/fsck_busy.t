#!/usr/bin/perl
# rblctl fsck while daemons check, deliver and time out, one is killed, and
# clients write as fast as they can: no false alarm.

use strict;
use warnings;

use lib 't/lib';
use POSIX ();
use Time::HiRes qw(time sleep);
use RblCheckd;
use RblTest;

# A third of the time is for the daemon that is killed, and the rest is longer
# than its leases (7 s).
use constant { SECONDS => 12, WRITERS => 3, LEAST => 110 };

my $w = world(partitions => 2, zones => {
    'a.test' => { data => listed_entry(map { "198.18.0.$_" } 1 .. 120) },
    'b.test' => { data => listed_entry('198.18.0.0/28') },
    'gone.test' => { data => listed_entry('198.19.9.9') },
}, account => { args => ['--interval', '1s'] });
my $redis = $w->{redis};
my $hook = start_receiver(status => [(500, 200) x 200, 200]);
my @acct = ($w->{acct}, make_account($redis, name => 'Other',
    args => ['--interval', '1s']));
rblctl($redis, 'webhook', 'add', $_->{sid}, 'All', $hook->{url}) for @acct;
my $nginx = start_nginx(store => $redis, workers => 1);
my @daemons = map { start_checkd(store => $redis, resolver => $w->{dns},
    conf => { conf_short(lease => '7s', deliver => 'on', deliver_http => 'on',
        deliver_allow => '127.0.0.0/8', name => "d$_") }) } 1 .. 2;
wait_for { api($nginx, $acct[0], 'GET', '/3.0/hosts.json')
    ->{status_code} == 200 } 10, 'the API';

sub post {
    my ($acct, $path, %form) = @_;

    my $r = http($nginx, 'POST', "/3.0/$path", auth => $acct,
        %form ? (form => \%form) : ());
    return eval { json($r) } // { status_code => 0 };
}

# The writers end when it exists.
my $enough = temp_dir() . '/enough';

# One client: adds, changes and deletes hosts and ranges, profiles, groups and
# contacts, and starts checks.
sub writer {
    my ($n, $till) = @_;

    srand $n;
    my $acct = $acct[$n % @acct];
    my ($done, @own) = (0);
    my %other = map { $_ => [] } qw(rblprofile contactgroup contact);
    while ((!-e $enough || $done < LEAST) && time < $till + 60) {
        my $what = @own < 8 ? 0 : int rand 10;
        my $ht = @own ? $own[rand @own] : '';
        my $r;
        if ($what == 0) {
            my $value = '198.18.0.' . int(80 * ($n - 1) + rand 80);
            my $ranges = rand() < 0.2;
            $r = post($acct, 'host/add.json', name => 'x', $ranges
                ? (type => 'ip_range', host => join('.', 198, 20 + $n,
                    int rand 250, 0) . '/30') : (type => 'rbl', host => $value));
            push @own, $r->{data}[0]{id} if $r->{data};
        } elsif ($what < 4) {
            $r = post($acct, 'check/start.json', host => rand() < 0.3
                ? '198.18.0.' . int rand 200 : $ht,
                rand() < 0.5 ? (callback => $hook->{url}) : ());
        } elsif ($what < 9) {
            my $verb = (qw(pause resume resume update update))[$what - 4];
            my $rp = $other{rblprofile}[rand @{ $other{rblprofile} }];
            my $cg = $other{contactgroup}[rand @{ $other{contactgroup} }];
            $r = post($acct, "host/$verb/$ht.json", name => 'y',
                $rp ? (rbl_profile => $rp) : (),
                $cg ? (contact_group => $cg) : ());
        } else {
            $r = post($acct, "host/delete/$ht.json");
            @own = grep { $_ ne $ht } @own;
        }
        other($acct, $_, $other{$_}, $other{contactgroup}) for keys %other;
        $done++ if $r->{status_code} == 200;
        sleep 0.01;                     # a host is checked before it is deleted
    }
    return $done;
}

# Adds, changes or deletes a profile, group or contact.
sub other {
    my ($acct, $what, $own, $groups) = @_;

    my $id = $own->[rand @$own];
    if (@$own < 3) {
        my $r = post($acct, "$what/add.json", $what eq 'contact'
            ? (type => 'email', contact => 'a@b.example',
                schedule => 'every_check') : (name => 'x'));
        push @$own, $r->{data}{id} if $r->{data};
    } elsif (rand() < 0.6) {
        post($acct, "$what/update/$id.json", $what eq 'contact'
            ? (contact_group => $groups->[rand @$groups])
            : (name => 'y', rand() < 0.3 ? (is_default => 1) : ()));
    } else {
        my $r = post($acct, "$what/delete/$id.json");
        @$own = grep { $_ ne $id } @$own if $r->{status_code} == 200;
    }
}

my $till = time + SECONDS;
my @writers;
for my $n (1 .. WRITERS) {
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
        my $done = eval { writer($n, $till) } // "died: $@";
        write_file(temp_dir() . "/writer.$n", $done);
        POSIX::_exit(0);
    }
    push @writers, $pid;
}

my ($runs, $listed, @alarms) = (0, 0);
while (time < $till || $runs < 3) {
    $listed ||= redis($redis, 'ZCARD', redis_key({ partitions => 2 }, 'listed',
        $_->{sid})) for @acct;
    my $r = rblctl($redis, 'fsck', '--json');
    $runs++;
    push @alarms, $r->{out} . $r->{err} if $r->{status} != 0;
    my $left = $till - time;
    if ($left < SECONDS * 2 / 3 && alive($daemons[0])) {
        kill_server($daemons[0]);       # for good: the other daemon takes over
    }
}
write_file($enough, '');
waitpid $_, 0 for @writers;
is(join("\n", @alarms), '', 'fsck finds no fault while all programs work');
cmp_ok($runs, '>=', 3, 'fsck has run at least three times');
my $done = 0;
for (1 .. WRITERS) {
    my $n = read_file(temp_dir() . "/writer.$_");
    like($n, qr/^\d+$/, "client $_: $n");
    $done += $n if $n =~ /^\d+$/;
}
cmp_ok($done, '>', WRITERS * 100,
    'the clients completed more than a hundred requests each');
for my $index (qw(profiles groups contacts)) {
    cmp_ok(redis($redis, 'ZCARD', redis_key({ partitions => 2 }, $index,
        $acct[0]{sid})), '>', 1, "the account has more than one of its $index");
}
cmp_ok($listed, '>', 0, 'hosts were listed');
cmp_ok(scalar received($hook), '>', 20, 'events were delivered');

kill_server($daemons[1]);
my $r = rblctl($redis, 'fsck', '--json');
is("$r->{status} $r->{out}", "0 []\n", 'none after the daemons were killed')
    or diag($r->{out});
done_testing();
