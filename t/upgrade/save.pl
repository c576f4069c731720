#!/usr/bin/perl

# Makes the store of a release: perl -It/lib t/upgrade/save.pl, with its
# programs in build/ (RBL_BUILD).  Run it before the schema is raised, and commit
# what it writes: t/upgrade/<schema>.rdb.gz and <schema>.json.gz.
#
# No release has a schema yet.  RBL_SCHEMA=8 writes that number into the store, so
# that the test has one to raise.

use strict;
use warnings;

use JSON::PP;
use RblUpgrade;

my $redis = start_redis(args => ['--dbfilename', 'dump.rdb']);
my $dns = upgrade_dns();
my $receiver = start_receiver();
init_store($redis, lists => upgrade_lists());
my $plans = temp_dir() . '/plans.json';
write_file($plans, '{"version": 1, "plans": [{"name": "By the check", "paid": 1,'
    . ' "max_hosts": 0, "max_contacts": 0, "max_checks": 0, "interval": "1h",'
    . ' "check_price": "0.002"}]}');
my $nginx = start_nginx(store => $redis, http => 'rbl_store_timeout 5s;');
my $checkd = start_checkd(store => $redis, resolver => $dns,
    conf => { deliver_http => 'on', deliver_allow => '127.0.0.0/8' });

sub ctl {
    my $r = rblctl($redis, @_, '--json');
    die "rblctl @_: $r->{err}" if $r->{status} != 0;
    return json($r->{out});
}

sub post {
    my ($acct, $path, %form) = @_;

    my $r = http($nginx, 'POST', "/3.0/$path.json", auth => $acct,
        form => \%form);
    die "$path: $r->{raw}" if $r->{status} != 200;
    return json($r)->{data};
}

my %accounts = map { $_ => make_account($redis, name => $_) }
    qw(small large paying empty);
my ($small, $large, $paying) = @accounts{qw(small large paying)};
wait_for { http($nginx, 'GET', '/3.0/hosts.json', auth => $small)->{status}
    == 200 } 10, 'the store';

# One of each kind.
ctl('webhook', 'add', $small->{sid}, 'All', $receiver->{url});
my $group = post($small, 'contactgroup/add', name => 'Night shift')->{id};
my $profile = post($small, 'rblprofile/add', name => 'Few lists')->{id};
post($small, 'rbl/add', host => 'own.upgrade.test', name => 'Own',
    type => 'rbl');
post($small, 'contact/add', contact => $_, type => 'email',
    schedule => 'every_check') for 'a@example.test', 'b@example.test';
post($small, 'host/add', host => '192.0.2.1', name => 'listed', type => 'rbl',
    group => $group);
post($small, 'host/add', host => '198.51.100.7', name => 'Own list',
    type => 'rbl', rblprofile => $profile);
post($small, 'host/add', host => 'bad.example', name => 'bad.example',
    type => 'uribl');
post($small, 'host/add', host => '203.0.113.0/28', name => 'Range',
    type => 'rbl');
my $paused = post($small, 'host/add', host => '203.0.113.99', name => 'paused',
    type => 'rbl');
$paused = $paused->[0] if ref $paused eq 'ARRAY';
post($small, "host/pause/$paused->{id}");
post($large, 'host/add', host => "198.18.$_.0/24", name => "Net $_",
    type => 'rbl') for 0, 1;
post($paying, 'host/add', host => '192.0.2.9', name => 'paid', type => 'rbl');
ctl('bill', 'plan', $paying->{sid}, 'By the check', '--file', $plans);
ctl('bill', 'topup', $paying->{sid}, '5.00');
ctl('user', 'add', $small->{sid}, 'owner@example.test', '--role', 'owner');
$small->{second} = ctl('app', 'add', $small->{sid}, 'Second')->{token};

wait_for {
    !grep {
        my $ac = $_->{sid};
        redis($redis, 'EXISTS', redis_key('work', $ac)) || grep {
            my $h = record('host', redis($redis, 'GET',
                redis_key('r', $ac, $_)));
            $h->{status} eq 'active' && !$h->{checked}
                && $h->{type} ne 'ip_range';
        } @{ redis($redis, 'ZRANGE', redis_key('hosts', $ac), 0, -1) };
    } values %accounts;
} 60, 'a check of each host';
my $listed;
wait_for {
    $listed = 0;
    $listed += json(http($nginx, 'GET', '/3.0/listings.json', auth => $_))
        ->{total_listed} for values %accounts;
    $listed == 3;
} 30, 'three listings' or die "$listed listings";
my %said = map { $_ => upgrade_said($nginx, $accounts{$_}) } keys %accounts;
stop_server($_) for $checkd, $nginx;
my $r = rblctl($redis, 'fsck');
die "fsck: $r->{out}$r->{err}" if $r->{status} != 0;

my $schema = $ENV{RBL_SCHEMA} // schema_version();
redis($redis, 'HSET', 'rbl:meta', 'schema', $schema);
redis($redis, 'SAVE');
my $to = repo_dir() . "/t/upgrade/$schema";
my $json = temp_dir() . '/said';
write_file($json, JSON::PP->new->canonical->encode({ accounts => \%accounts,
    said => \%said }));
system("gzip -9nc $_->[0] >$_->[1].gz") == 0 or die 'gzip'
    for ["$redis->{dir}/dump.rdb", "$to.rdb"], [$json, "$to.json"];
ok(1, "schema $schema is saved");
done_testing();
