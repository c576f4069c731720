#!/usr/bin/perl

# Questions of people who use the portal, in a browser, by keyboard: which of
# their ranges is worst and since when; mute one list for one group until Friday.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup();
my $ac = $t->{acct}{sid};
my ($now, $day) = (int(time) * 1000, 86_400_000);

# Three ranges; the worst one is neither the first nor listed for the longest.
my %range = map { $_->[0] => { id => add_host($t, $_->[1], type => 'ip_range',
    name => $_->[0])->{id}, host => $_->[1] } } ['Mail', '192.0.2.0/28'],
    ['VPS', '198.51.100.0/28'], ['Web', '203.0.113.0/28'];
my $who = sign_in($t);
my %since = ('192.0.2.3' => 9, '198.51.100.4' => 2, '198.51.100.5' => 5,
    '198.51.100.6' => 1);
for my $host (sort keys %since) {
    my ($of) = grep { $_->{host} eq $host =~ s/\d+$/0\/28/r } values %range;
    $of->{n}++;
    $of->{days} = $since{$host} if $since{$host} > ($of->{days} // 0);
    my ($one) = grep { $_->{host} eq $host } @{ json(portal($t, $who, 'GET',
        "hosts/find.json?text=$host"))->{data} };
    list_host($t, $one->{id}, since => $now - $since{$host} * $day);
}
for my $of (grep { $_->{n} } values %range) {
    my $key = redis_key('r', $ac, $of->{id});
    my $r = record('host', redis($t->{redis}, 'GET', $key));
    redis($t->{redis}, 'SET', $key, record_pack('host', %$r,
        name => \$r->{name}, value => \$r->{value}, checked => $now,
        listed_count => $of->{n}, first_listed => $now - $of->{days} * $day));
}
is(rblctl($t->{redis}, 'fsck', '--repair')->{status} >> 1, 0,
    'the indexes have the listings that were written by hand');
forget($t, $ac);

# Two groups beside the default one.
my ($mail, $other) = map { json(call($t, 'POST', 'contactgroup/add.json',
    form => { name => $_ }))->{data}{id} } 'Mail out', 'Office';
my ($list) = @{ redis($t->{redis}, 'ZRANGE', 'rbl:{0}:lists:active', 3, 3) };
my $zone = record('list', redis($t->{redis}, 'GET',
    "rbl:{0}:r:SYS:$list"))->{zone};
browser_run($t, 'journeys', worst => $range{VPS}{host},
    since => $now - 5 * $day, listed => 3, zone => $zone,
    links => [map { add_user($t)->{link} } 1, 2]);

my ($mute, @others) = @{ json(portal($t, $who, 'GET', 'mutes.json'))->{data} };
is(scalar @others, 0, 'one thing was muted');
is_deeply([@$mute{qw(target group reason active)}], [$list, $mail,
    'ticket 4711', 0], 'the list was muted within the group, until the mute was ended');

done_testing();
