#!/usr/bin/perl

# The times of a host in an event are in the account's time zone when the event
# was made; event_date is always GMT.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

my $ZONES = '/usr/share/zoneinfo';
my $dir = temp_dir() . '/zoneinfo';
mkdir $dir or die "$dir: $!";
write_file("$dir/Here", read_file("$ZONES/Asia/Kolkata"));

my $redis = deliver_setup();
my $to = start_receiver();
hook_add($to->{url}, 'plain', 'rbl.host.listed');
my $d = start_deliverd(conf => { zoneinfo => $dir });
my $seen = 0;

# The times of the next event of a host of the account
sub event_times {
    my ($zone) = @_;

    is(script('account_update', [$ACCT], timezone => $zone, now => 1)->[0],
        'OK', "account_update sets the time zone $zone");
    event_emit();
    soon { idle() && received($to) == $seen + 1 } 'the event';
    my $e = (received($to))[$seen++]->{json};
    like($e->{event_date}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/,
        'the date of the event is in GMT');
    my $date = substr $e->{event_date}, 0, 19;
    $date =~ tr/T/ /;
    return ($date, @{ $e->{host} }{qw(last_checked first_listed)});
}

my ($date, @times) = event_times('UTC');
is_deeply(\@times, [("$date UTC") x 2], 'the times of the host are in UTC');

my %later = (Here => [5.5 * 3600, 'IST'], 'Mars/Olympus' => [0, 'UTC'],
    '../Here' => [0, 'UTC'], 'UTC' => [0, 'UTC']);
for my $zone ('Here', 'Mars/Olympus', 'Mars/Olympus', '../Here', 'UTC') {
    ($date, @times) = event_times($zone);
    my ($offset, $name) = @{ $later{$zone} };
    my $want = `date -u -d '$date UTC + $offset seconds' '+%F %T'`;
    chomp $want;
    is_deeply(\@times, [("$want $name") x 2],
        "the times of the host in zone $zone are in $name");
}
my $log = read_file($d->{log});
is(scalar(() = $log =~ /no time zone Mars\/Olympus in \S+: UTC is used/g), 1,
    'an unknown time zone is logged once');
is(scalar(() = $log =~ /invalid time zone of an account: UTC is used/g), 1,
    'an invalid name of a time zone is logged once');

# The daemon rereads time zones on reload.
stop_server($d);
script('account_update', [$ACCT], timezone => 'Here', now => 1);
event_emit();
$d = start_checkd(store => $redis, resolver => 9, conf => {
    schedule => 'off', zoneinfo => $dir, deliver_http => 'on',
    deliver_allow => '127.0.0.0/8' });
soon { idle() && received($to) == $seen + 1 } 'the event';
like((received($to))[$seen++]->{json}{host}{last_checked}, qr/ IST$/,
    'the event has the time zone before SIGHUP');
pause_server($d);      # so that it runs none of the checks
write_file("$dir/Here", read_file("$ZONES/Etc/GMT+5"));
event_emit();
signal_server($d, $_) for 'HUP', 'CONT';
soon { idle() && received($to) == $seen + 1 } 'the event';
like((received($to))[$seen++]->{json}{host}{last_checked}, qr/ -05$/,
    'the event has the time zone after SIGHUP');

done_testing();
