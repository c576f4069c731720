#!/usr/bin/perl

# Custom lists, end to end: they are queried, judged by the rules for a list
# without documented codes, and their listings end when they are paused, deleted
# or moved to another zone.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;

# Responses of a custom zone by address.
my %code = ('10.0.0.2' => '127.0.0.2', '10.0.0.3' => '127.0.0.77',
    '10.0.0.4' => '127.1.2.3', '10.0.0.5' => '127.0.0.1',
    '10.0.0.6' => '127.255.255.254', '10.0.0.7' => '192.0.2.1');
my %zones = map { $_ => 'ip4set' } qw(a.test own.test other.test);
my %data = map { $_ => listed_entry('10.9.9.9') } keys %zones;
$data{'own.test'} = "\$TTL 1\n" . join '', map { "$_ :$code{$_}:why $_\n" } sort keys %code;
my $dns = start_rbldnsd(zones => [
    (map { [$_, $zones{$_}, $data{$_}] } sort keys %zones),
    ['own6.test', 'ip6trie', "2001:db8::1 :127.0.0.2:six\n"],
    ['names.test', 'dnset', "bad.example :127.0.0.2:name\n"],
]);
my $w = world(no_dns => 1, zones => { 'a.test' => {} });
$w->{dns} = $dns;
my $checkd = start_checkd(store => $w->{redis}, resolver => $dns,
    conf => { conf_short() });
my $acct = redis_key('acct', $w->{acct}{sid});

sub add_rbl {
    my ($zone, $type) = @_;

    my $rb = fresh_sid('RB');
    script_ok($w, 'rbl_add', [$acct], list => $rb, type => $type // 'rbl',
        zone => $zone);
    return $rb;
}

sub run_check {
    my ($ht) = @_;

    my $pp = check_host($w, $ht);
    my $state = wait_check($w, $pp);
    return ($state, details($w, $pp), host_record($w, $ht));
}

my $rb = add_rbl('own.test');
my $six = add_rbl('own6.test');
my $names = add_rbl('names.test', 'uribl');
my ($system) = @{ redis($w->{redis}, 'ZRANGE',
    RblCheckd::pkey($w, 'lists'), 0, -1) };
my $rp = fresh_sid('RP');
script_ok($w, 'profile_add', [$acct], profile => $rp, name => 'custom',
    is_default => 1, given => 1, entries => [$system, $rb, $six, $names]);

# --- the rules -------------------------------------------------------------

my %expected = ('10.0.0.1' => ['clear', ''], '10.0.0.2' => ['listed', ''],
    '10.0.0.3' => ['listed', ''], '10.0.0.4' => ['listed', ''],
    '10.0.0.5' => ['unknown', 'blocked'], '10.0.0.6' => ['unknown', 'blocked'],
    '10.0.0.7' => ['unknown', 'hijacked']);
for my $ip (sort keys %expected) {
    my $pp = check_value($w, $ip);
    wait_check($w, $pp);
    my $d = details($w, $pp);
    is_deeply([sort keys %$d], ['a.test', 'own.test', 'own6.test'],
        "$ip: the lists of the address type are queried");
    my $own = $d->{'own.test'};
    is_deeply([@$own{qw(list type custom status error)}],
        [$rb, 'rbl', 1, @{ $expected{$ip} }],
        "the response " . ($code{$ip} // 'NXDOMAIN')
        . " makes $ip $expected{$ip}[0]");
    my @shown = grep { defined && /^127\./ } $code{$ip};
    is_deeply($own->{codes}, \@shown, "$ip: the code, if it is one");
    is($own->{reason}, $expected{$ip}[0] eq 'listed' ? "why $ip" : '',
        "$ip: the reason");
}
my $pp = check_value($w, '2001:db8::1', 2);
wait_check($w, $pp);
is(details($w, $pp)->{'own6.test'}{status}, 'listed',
    'the custom IPv6 list lists an IPv6 address');
$pp = check_value($w, 'bad.example', 4);
wait_check($w, $pp);
is_deeply([map { "$_->{zone} $_->{status}" } values %{ details($w, $pp) }],
    ['names.test listed'], 'a domain is queried at the uribl alone');

# --- listings and their ends -----------------------------------------------

my $ht = add_host($w, '10.0.0.2');
eventually { host_record($w, $ht)->{listed_count} == 1 } 20,
    'a scheduled check finds it listed';
is(host_record($w, $ht)->{details}[0][1], 'own.test',
    'the listing is on the custom list');

script_ok($w, 'rbl_status', [$acct], list => $rb, status => 'paused');
my ($state, $d, $h) = run_check($ht);
is_deeply([sort keys %$d], ['a.test', 'own6.test'],
    'a paused list is not queried');
is($h->{listed_count}, 0, 'a paused list does not list the host');
script_ok($w, 'rbl_status', [$acct], list => $rb, status => 'active');
wait_for { ($state, $d, $h) = run_check($ht);
    $h->{listed_count} == 1 } 20, 'the listing is confirmed';
is($h->{listed_count}, 1, 'a resumed list lists the host again');

script_ok($w, 'rbl_update', [$acct], list => $rb, zone => 'other.test');
wait_for { ($state, $d, $h) = run_check($ht);
    $d->{'other.test'}{status} eq 'clear' } 30, 'the new zone is queried';
is($d->{'other.test'}{status}, 'clear', 'the new zone is queried');
is($h->{listed_count}, 0, 'the new zone does not list the host');
script_ok($w, 'rbl_update', [$acct], list => $rb, zone => 'own.test');
wait_for { ($state, $d, $h) = run_check($ht);
    $h->{listed_count} == 1 } 20, 'the listing is confirmed';
is($h->{listed_count}, 1, 'the old zone lists the host again');
is(redis($w->{redis}, 'EXISTS', redis_key({ partitions => $w->{partitions} },
    'list', $rb)), 0, 'the guard does not count listings of a custom list');

# A scheduled check, too, ends the listing of a deleted list.
script_ok($w, 'rbl_delete', [$acct], list => $rb);
my $before = $h->{checked};
set_due($w, $ht);
eventually { host_record($w, $ht)->{checked} > $before } 10,
    'a scheduled check of the host finishes';
is(host_record($w, $ht)->{listed_count}, 0,
    'the deleted list does not list the host');

# Only custom lists, all of them paused.
script_ok($w, 'profile_update', [$acct], profile => $rp, given => 1,
    entries => $six);
script_ok($w, 'rbl_status', [$acct], list => $six, status => 'paused');
($state) = run_check($ht);
is("$state->{status} $state->{message}",
    'failed No blocklist applies to this host.', 'no list is left to query');

ok(stop_server($checkd), 'the daemon stops');
done_testing();
