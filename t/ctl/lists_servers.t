#!/usr/bin/perl
# rblctl lists show: the servers of a list, as they are now.

use strict;
use warnings;

use lib 't/lib';
use RblAuthority;
use RblCheckd;
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
is($r->{status}, 0, 'a list is shown') or diag($r->{err});
my %server = map { $_->{address} => $_ } @{ json($r->{out})->{name_servers} };
my ($good, $bad) = map { $server{ $_->host . '@53' } }
    @{ $w->{server}{$zone} };
is(scalar keys %server, 2, 'with two servers');
is("@$good{qw(family health serial)}", 'ipv4 good 7', 'one is in order');
is("@$bad{qw(family health serial)}", 'ipv4 lying 9', 'the other lists all');
like($good->{rtt_ms}, qr/^\d+$/, 'with the time of a round trip');

$r = show($zone);
like($r->{out}, qr/^zone +a\.test\n/m, 'the list in words');
like($r->{out}, qr/\n\nSERVER +FAMILY +HEALTH +MS +SERIAL\n(?:127\S+\@53 +ipv4 .*\n){2}\z/,
    'and a table of its servers');

unlike(show($zone, '--stored')->{out}, qr/SERVER/,
    '--stored: what the store knows, and nothing is asked');
is(json(show($zone, '--stored', '--json')->{out})->{name_servers}, undef,
    'nor told');

$w->{resolver}->rules(['.' => { rcode => 'servfail' }]);
$r = show($zone);
is($r->{status}, 0, 'servers that cannot be found are no error');
like($r->{out}, qr/\n\nNo name servers can be found from here\.\n\z/, 'but said');
done_testing();
