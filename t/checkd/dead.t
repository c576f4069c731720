#!/usr/bin/perl

# A custom list dies: its zone is emptied with its test points, and it answers
# negatively for everything.  This must not end its listings, neither for a
# daemon that has seen it alive nor for one that has not.  When it passes its
# test points again (RFC 5782: 127.0.0.2; `test` for a list of domains) the end
# of a listing counts at once; for a list that never had test points it counts
# after a day of negative responses.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use Time::HiRes qw(sleep time);

use constant {
    DEAD => 6,              # s for which dead lists are queried
    HOUR => 3_600_000,      # ms
};

# own.test has the positive test point of addresses, names.test that of domains,
# bare.test has none.
my %set = ('own.test' => 'ip4set', 'names.test' => 'dnset',
    'bare.test' => 'ip4set', 'a.test' => 'ip4set');
my %host = ('own.test' => '10.0.0.2', 'names.test' => 'bad.example',
    'bare.test' => '10.0.0.3');
my %entry = ('own.test' => '127.0.0.2', 'names.test' => 'test');
my %asked = ('own.test' => '2.0.0.10', 'names.test' => 'bad.example',
    'bare.test' => '3.0.0.10');
my @proven = sort keys %entry;
my @custom = (@proven, 'bare.test');

sub zone {
    my ($zone, @entries) = @_;

    return "\$SOA 2 ns.$zone h.$zone 1 60 60 60 2\n\$TTL 3\n\$NS 60 ns.$zone\n"
        . ":127.0.0.2:\$ is listed\n" . join '', map { "$_\n" } @entries;
}

# A sound list: its test point and its listings.
sub good {
    my ($zone, @entries) = @_;

    return zone($zone, $entry{$zone} // (), @entries);
}

my $w = world(no_dns => 1,
    zones => { 'a.test' => { control => 'ip' } });
my $dns = $w->{dns} = start_rbldnsd(zones => [
    ['a.test', 'ip4set', zone('a.test', '127.0.0.2')],
    map { [$_, $set{$_}, good($_, $host{$_})] } @custom]);
my $unbound = start_unbound(stubs => { map { $_ => $dns } keys %set },
    conf => "  cache-max-ttl: 3600\n  cache-max-negative-ttl: 3600\n");

sub daemon {
    return start_checkd(store => $w->{redis}, resolver => $unbound,
        conf => { conf_short(check_timeout => '6s', lease => '20s',
            control_retry => '1s') });
}

own_lists($w, map { $_ => $set{$_} eq 'dnset' ? 'uribl' : 'rbl' } @custom);
my %ht = map { $_ => $set{$_} eq 'dnset'
    ? add_host($w, $host{$_}, type => 'uribl', family => 4)
    : add_host($w, $host{$_}) } @custom;

# One check of the host of a zone: the result of that zone's list.
sub result {
    my ($zone) = @_;

    return verdict($w, $ht{$zone}, $zone) =~ s/ .*//r;
}
sub listed { return host_record($w, $ht{ $_[0] })->{listed_count} }
sub moves {
    return join ' ', map { "$_->{z} $_->{v}" }
        @{ history_of($w, $ht{ $_[0] }) };
}

# The listings stay, however often they are checked.
sub they_stand {
    my ($who) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my %other;
    my $till = time + DEAD;
    while (time < $till) {
        for my $zone (@custom) {
            my $r = result($zone);
            $other{$zone} //= $r if $r ne 'unknown';
        }
        sleep 0.3;
    }
    for my $zone (@custom) {
        is($other{$zone} // 'unknown', 'unknown',
            "$zone: unknown to $who, not clear");
        is(listed($zone), 1, "$zone: its listing is current");
    }
    return;
}

# Sets for how long (ms) the list of a zone has answered negatively.
sub said_for {
    my ($zone, $ago) = @_;

    return cleared($w, $ht{$zone}, time * 1000 - $ago);
}

my $checkd = daemon();
for my $zone (@custom) {
    eventually { listed($zone) == 1 } 10, "$zone lists $host{$zone}";
}
my $clear = check_value($w, '10.0.0.4');
wait_check($w, $clear);
is(details($w, $clear)->{$_}{status}, 'clear', "$_: another host is clear")
    for 'own.test', 'bare.test';

# --- the lists die -----------------------------------------------------------

ok(rbldnsd_data($dns, $_, zone($_)), "the zone of $_ is emptied") for @custom;
eventually { !grep { dns_query($unbound, $_)->{rcode} != 3 }
    '2.0.0.127.own.test', 'test.names.test',
    map { "$asked{$_}.$_" } @custom } 10, 'the resolver finds no entry';
they_stand('the daemon that saw it live');
ok(stop_server($checkd), 'the daemon that saw the lists alive stops');
$checkd = daemon();
they_stand('one that did not');

# --- no test point: a day of negative responses ------------------------------

cmp_ok(cleared($w, $ht{'bare.test'}), '>', 0,
    'bare.test: the time of the first clear response is kept');
said_for('bare.test', 23 * HOUR);
is(result('bare.test'), 'unknown', 'bare.test: 23 hours are too short');
is(listed('bare.test'), 1, 'bare.test: the listing is current');
said_for('bare.test', 25 * HOUR);
is(result('bare.test'), 'clear', 'bare.test: a day is enough');
is(listed('bare.test'), 0, 'bare.test: the listing has ended');

for my $zone (@proven) {
    said_for($zone, 25 * HOUR);
    is(result($zone), 'unknown', "$zone: that it had one is not forgotten");
    is(listed($zone), 1, "$zone: the listing is current");
}

# --- the lists are back, without the hosts -----------------------------------

ok(rbldnsd_data($dns, $_, good($_)), "$_: lives again") for @proven;
for my $zone (@proven) {
    eventually { result($zone); listed($zone) == 0 } 30,
        "$zone: the listing ends";
}
is(moves($_), "$_ listed $_ clear", "$_: the history has no other transition")
    for @custom;
ok(stop_server($checkd), 'the daemon stops');
done_testing();
