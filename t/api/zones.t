#!/usr/bin/perl

# Times are shown in the account's time zone, with the abbreviation in force at
# that time.  A time zone that does not exist, or whose file is damaged, is
# shown as UTC.

use strict;
use warnings;

use POSIX ();
use RblApi;
use RblRedis;

my $ZONES = '/usr/share/zoneinfo';
my $t = api_setup(workers => 1);
my $redis = $t->{redis};
my $dir = temp_dir() . '/zoneinfo';

sub zone_set {
    my ($acct, $zone) = @_;

    my $r = rblctl($redis, 'account', 'timezone', $acct->{sid}, $zone);
    is($r->{status}, 0, "rblctl sets the time zone $zone") or diag($r->{err});
}

# Writes a time zone into the account's record, as rblctl would not
sub zone_force {
    my ($acct, $zone) = @_;

    my $key = redis_key('acct', $acct->{sid});
    my $v = record('account', redis($redis, 'GET', $key));
    redis($redis, 'SET', $key, record_pack('account', %$v,
        name => \$v->{name}, timezone => \$zone));
    forget($t, $acct->{sid});
}

sub host_times {
    my ($acct, $id, %times) = @_;

    my $key = redis_key('r', $acct->{sid}, $id);
    my $v = record('host', redis($redis, 'GET', $key));
    redis($redis, 'SET', $key, record_pack('host', %$v, name => \$v->{name},
        value => \$v->{value}, map { $_ => $times{$_} * 1000 } keys %times));
}

sub shown {
    my ($acct, $id, $nginx) = @_;

    local $t->{nginx} = $nginx // $t->{nginx};
    my $r = call($t, 'GET', "host/$id.json", auth => $acct);
    return $r->{status} == 200 ? json($r)->{data}[0]{last_checked}
        : $r->{raw} // $r->{error};
}

sub told {
    my ($nginx, $pattern) = @_;

    return scalar(() = read_file($nginx->{error_log}) =~ /$pattern/g);
}

# --- every time of a host --------------------------------------------------

my ($us, $utc) = @$t{qw(acct other)};
zone_set($us, 'America/New_York');
my $new = add_host($t, '10.1.0.1', name => 'us');
my %id = (us => $new->{id});
{
    local $t->{acct} = $utc;
    $id{utc} = add_host($t, '10.1.0.1')->{id};
}
my %times = (checked => 1478570493, first_listed => 1467331200,
    next_check => 4118101200);
list_host($t, $id{us});
list_host($t, $id{utc}, acct => $utc->{sid});
host_times($us, $id{us}, %times);
host_times($utc, $id{utc}, %times);

my @us = ('2016-11-07 21:01:33 EST', '2016-06-30 20:00:00 EDT',
    '2100-07-01 01:00:00 EDT');
my @utc = ('2016-11-08 02:01:33 UTC', '2016-07-01 00:00:00 UTC',
    '2100-07-01 05:00:00 UTC');
for my $call ("host/$id{us}.json", 'hosts.json', 'listings.json') {
    my $v = accepted(call($t, 'GET', $call), "$call is served");
    is_deeply([@{ $v->{data}[0] }{qw(last_checked first_listed next_check)}],
        \@us, "$call shows the times of New York");
}
for my $call ("host/$id{utc}.json", 'hosts.json', 'listings.json') {
    my $v = accepted(call($t, 'GET', $call, auth => $utc),
        "$call is served to the other account");
    is_deeply([@{ $v->{data}[0] }{qw(last_checked first_listed next_check)}],
        \@utc, "$call shows UTC to another account of the worker");
}
like(call($t, 'GET', 'hosts.xml')->{body},
    qr{<last_checked>\Q$us[0]\E</last_checked>},
    'hosts.xml shows the times of New York');

host_times($us, $id{us}, checked => 1478411999);
is(shown($us, $id{us}), '2016-11-06 01:59:59 EDT',
    'the last second of EDT is shown as EDT');
host_times($us, $id{us}, checked => 1478412000);
is(shown($us, $id{us}), '2016-11-06 01:00:00 EST',
    'the first second of EST is shown as EST');

# responses of calls that make or change a record
is($new->{last_checked}, '', 'a new host has no time of a check');
my $pp = do {
    my $r = call($t, 'POST', 'check/start.json',
        form => { host => $id{us} });
    accepted($r, 'a check')->{data}{id};
};
redis($redis, 'HSET', redis_key('check', $us->{sid}, $pp),
    started => 1467331200000, completed => 1478570493000);
my $check = accepted(call($t, 'GET', "check/status/$pp.json"), 'its status')
    ->{data};
is_deeply([@$check{qw(started completed)}], [@us[1, 0]],
    'a check shows the times of New York');

# --- other time zones, compared with the C library -------------------------

# times in winter, in summer, and in the far future (the last offset stays after
# 2106)
for my $zone (qw(Asia/Kolkata Australia/Lord_Howe Europe/Dublin Asia/Tehran
    Africa/Casablanca Pacific/Apia America/Sao_Paulo Pacific/Chatham Etc/GMT+12
    EST5EDT America/Argentina/ComodRivadavia))
{
    zone_set($us, $zone);
    for my $sec (1325239199, 1767225600, 1782864000, 4102444799, 4285000000) {
        local $ENV{TZ} = $zone;
        POSIX::tzset();
        my $want = POSIX::strftime('%Y-%m-%d %H:%M:%S %Z', localtime $sec);
        host_times($us, $id{us}, checked => $sec);
        is(shown($us, $id{us}), $want, "the time zone $zone shows $want");
    }
}
POSIX::tzset();

# --- unknown time zones ----------------------------------------------------

host_times($us, $id{us}, checked => 1478570493);
my $n = 0;
for my $zone ('Mars/Olympus', '../../../etc/passwd', '/etc/passwd',
    'America/../UTC', 'posix/Europe/Paris', 'localtime', 'America',
    'A' x 64, 'A' x 65, 'A' x 5000, "A\nB", "A\0B", "\xff\xfe", 'A%nB',
    'zone.tab', 'Europe/Paris/x')
{
    zone_force($us, $zone);
    my $name = substr $zone, 0, 20;
    $name =~ s/[^\x21-\x7e]/?/g;
    my $before = told($t->{nginx}, 'UTC is shown');
    is(shown($us, $id{us}), $utc[0], "$name is UTC") for 1 .. 2;
    is(told($t->{nginx}, 'UTC is shown') - $before, $zone eq 'A' x 5000 ? 0
        : 1, "the invalid name $name is logged once at most");
}
unlike(read_file($t->{nginx}{error_log}), qr/[^\n\x20-\x7e]/,
    'no name is logged unescaped');
is(told($t->{nginx}, '"Mars/Olympus", UTC is shown'), 1,
    'a printable name is logged as it is');
for my $i (1 .. 70) {
    zone_force($us, "Nowhere/Z$i");
    $n++ if shown($us, $id{us}) eq $utc[0];
}
is($n, 70, 'many invalid names are shown as UTC');
is(told($t->{nginx}, 'UTC is shown'), 64,
    'invalid names are logged up to a maximum');
zone_force($us, '');
is(shown($us, $id{us}), $utc[0], 'an empty name is shown as UTC');
zone_set($us, 'Europe/Paris');
is(shown($us, $id{us}), '2016-11-08 03:01:33 CET', 'a zone still is one');

# --- invalid files, and files that change ----------------------------------

mkdir $dir or die "$dir: $!";
my $good = read_file("$ZONES/Europe/Paris");
mkdir "$dir/Folder";
POSIX::mkfifo("$dir/Pipe", 0600) or die "mkfifo: $!";
symlink '/dev/zero', "$dir/Device";
write_file("$dir/Empty", '');
write_file("$dir/Short", substr $good, 0, length($good) / 2);
write_file("$dir/Large", $good . 'x' x 65536);
write_file("$dir/Text", 'Europe/Paris');
write_file("$dir/Here", read_file("$ZONES/Asia/Kolkata"));
my $nginx = start_nginx(store => $redis, workers => 1,
    http => "rbl_zoneinfo $dir;");
wait_for { call({ %$t, nginx => $nginx }, 'GET', 'hosts.json')->{status}
    == 200 } 10, 'the store of nginx';
for my $zone (qw(Folder Pipe Device Empty Short Large Text Europe/Paris)) {
    zone_force($us, $zone);
    is(shown($us, $id{us}, $nginx), $utc[0], "$zone is UTC");
    is(told($nginx, "\"$zone\", UTC is shown"), 1,
        "the use of UTC for $zone is logged once");
}
zone_force($us, 'Here');
is(shown($us, $id{us}, $nginx), '2016-11-08 07:31:33 IST',
    'rbl_zoneinfo sets the directory of the files');
write_file("$dir/Here", $good);
is(shown($us, $id{us}, $nginx), '2016-11-08 07:31:33 IST',
    'a file is read once');
my @old = workers($nginx, 1);
signal_server($nginx, 'HUP');
wait_for { my @now = workers_now($nginx); @now == 1 && $now[0] != $old[0] } 10,
    'the new worker';
is(shown($us, $id{us}, $nginx), '2016-11-08 03:01:33 CET',
    'a file is read again after a reload');
unlink "$dir/Here";
is(shown($us, $id{us}, $nginx), '2016-11-08 03:01:33 CET',
    'a removed file is not missed by a running worker');

done_testing();
