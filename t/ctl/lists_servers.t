#!/usr/bin/perl
# rblctl lists show: the current servers of a list.

use strict;
use warnings;

use lib 't/lib';
use RblAuthority;
use RblCheckd;
use RblDns;
use RblTest;
use RblZones;

need_port_53();

my $zone = 'a.test';
my $w = direct_world({
    $zone => [[authority($zone, serial => 7, listed => ['10.0.0.1'])],
        [authority($zone, serial => 9, wild => 'all')]] });
stop_server($w->{checkd});

my $conf = temp_dir() . '/rblctl.conf';
write_file($conf, "store $w->{redis}{addr}\nresolver 127.0.0.1@"
    . $w->{resolver}->port . "\nlist_server_allow 127.0.0.0/8\n"
    . "dns_timeout 500ms\n");

sub show { return rblctl(undef, '-c', $conf, 'lists', 'show', @_) }

my $r = show($zone, '--json');
is($r->{status}, 0, 'lists show succeeds for a list with servers')
    or diag($r->{err});
my %server = map { $_->{address} => $_ } @{ json($r->{out})->{name_servers} };
my ($good, $bad) = map { $server{ $_->host . '@53' } }
    @{ $w->{server}{$zone} };
is(scalar keys %server, 2, 'lists show prints two servers');
is("@$good{qw(family health serial)}", 'ipv4 good 7',
    'the first server is good with serial 7');
is("@$bad{qw(family health serial)}", 'ipv4 wildcarding 9',
    'the second server is wildcarding with serial 9');
like($good->{rtt_ms}, qr/^\d+$/, 'a server has the time of a round trip');

$r = show($zone);
like($r->{out}, qr/^zone +a\.test\n/m, 'the text names the zone of the list');
like($r->{out}, qr/\n\nSERVER +FAMILY +HEALTH +MS +SERIAL\n(?:127\S+\@53 +ipv4 .*\n){2}\z/,
    'the text has a table of two servers');

unlike(show($zone, '--stored')->{out}, qr/SERVER/,
    '--stored prints no table of servers');
is(json(show($zone, '--stored', '--json')->{out})->{name_servers}, undef,
    'the JSON of --stored has no servers');

# [address, health, serial, time] of each.
sub servers {
    my $shown = show(@_, '--json');
    is($shown->{status}, 0, "lists show succeeds for $_[0]")
        or diag($shown->{err});
    return [map { [@$_{qw(address health serial)}, defined $_->{rtt_ms}] }
        sort { $a->{address} cmp $b->{address} }
        @{ json($shown->{out})->{name_servers} }];
}

my @host = map { $_->host . '@53' } @{ $w->{server}{$zone} };
data($w, $zone, 1, ['.' => 'mute']);
is_deeply(servers($zone), [sort { $a->[0] cmp $b->[0] }
    [$host[0], 'good', 7, 1 == 1], [$host[1], 'down', undef, 1 == 0]],
    'a silent server has neither serial nor time');
like(show($zone)->{out}, qr/^\Q$host[1]\E +ipv4 +down *$/m,
    'the table has no serial of a silent server');

# Configured servers.
my $own = zone_server(40, authority($zone, serial => 11));
$r = rblctl($w->{redis}, 'lists', 'override', $zone, '--server', $own->host);
is($r->{status}, 0, 'lists override sets a server') or diag($r->{err});
unlike($r->{out}, qr/^SERVER/m, 'lists override prints no servers');
is($own->asked('.'), 0, 'lists override sends no query');
my $before = scalar $w->{server}{$zone}[0]->log('.');
is_deeply(servers($zone), [[$own->host . '@53', 'good', 11, 1 == 1]],
    'lists show prints the configured server only');
is(scalar $w->{server}{$zone}[0]->log('.'), $before,
    'lists show does not query the other servers');
rblctl($w->{redis}, 'lists', 'override', $zone, '--none');

# A list with a key.
my $secret = 'abc123';
my $keyed = '{key}.k.test';
my $known = zone_server(41, authority("$secret.k.test", serial => 3));
my $file = temp_dir() . '/keyed.json';
write_file($file, qq({"version": 1, "lists": [{"zone": "$keyed", "name": "k",
    "type": "rbl", "families": ["ipv4"], "control": "ip", "enabled": false,
    "codes": ["127.0.0.2=spam"]}]}));
rblctl($w->{redis}, 'lists', 'load', $file);
$w->{resolver}->set(@$_)
    for zone_rules("$secret.k.test" => [$known->host]);
$r = show($keyed);
is($r->{status}, 0, 'lists show succeeds for a list without its key');
like($r->{out}, qr/\n\nThe list needs a key to be queried\.\n\z/,
    'the text says that the list needs a key');
is($w->{resolver}->asked('k\.test'), 0,
    'lists show sends no query without the key');
is_deeply(servers($keyed), [],
    'the JSON of a list without its key has no servers');
$r = rblctl($w->{redis}, { stdin => "$secret\n" }, 'lists', 'key', $keyed);
is($r->{status}, 0, 'lists key accepts the key') or diag($r->{err});
$r = show($keyed);
like($r->{out}, qr/^\Q@{[$known->host]}\E\@53 +ipv4 +good +\d+ +3$/m,
    'the server is found with the key');
unlike("$r->{out}$r->{err}", qr/$secret/i, 'lists show does not print the key');

# A killed list.
rblctl($w->{redis}, 'lists', 'kill', $zone, 'gone');
$before = scalar $w->{resolver}->log('.');
$r = show($zone);
is($r->{status}, 0, 'lists show succeeds for a killed list');
unlike($r->{out}, qr/SERVER|No name servers/,
    'the text of a killed list has no servers');
is(scalar $w->{resolver}->log('.'), $before,
    'lists show queries no servers of a killed list');
rblctl($w->{redis}, 'lists', 'unkill', $zone);

# Resolvers instead of servers.
my $direct = read_file($conf);
my $other = RblDns->new(rules => [authority($zone, serial => 5)]);
write_file($conf, "store $w->{redis}{addr}\nlookup resolver\nresolver "
    . $other->addr . "\ndns_timeout 500ms\n");
is_deeply(servers($zone), [[$other->addr, 'good', 5, 1 == 1]],
    'lists show prints the resolver instead of servers');
$other->rules(['.' => 'mute']);
is_deeply(servers($zone), [[$other->addr, 'resolver', undef, 1 == 0]],
    'a silent resolver is at fault, not the list');
write_file($conf, $direct);

$w->{resolver}->rules(['.' => { rcode => 'servfail' }]);
$r = show($zone);
is($r->{status}, 0, 'lists show succeeds when no servers are found');
like($r->{out}, qr/\n\nNo name servers can be found from here\.\n\z/,
    'the text says that no servers are found');
$w->{resolver}->rules(['.' => 'mute']);
$r = show($zone);
is($r->{status}, 0, 'lists show succeeds when the resolver is silent');
like($r->{out}, qr/\n\nNo name servers can be found from here\.\n\z/,
    'the text says that no servers are found in time');
done_testing();
