package RblZones;

# Zones with their own servers: loopback addresses with port 53, and the
# resolver rules (RblDns) by which a daemon finds them.

use strict;
use warnings;

use Exporter 'import';
use IO::Socket::INET;
use RblDns;
use Test::More ();

our @EXPORT = qw(zone_host zone_server zone_rules need_port_53);

# An address that no other process uses; $i from 1 to 63.
sub zone_host {
    my ($i) = @_;
    my $n = $$ % 65536 * 64 + $i;
    return sprintf '127.%d.%d.%d', 64 + ($n >> 16), $n >> 8 & 255, $n & 255;
}


sub need_port_53 {
    IO::Socket::INET->new(Proto => 'udp', LocalAddr => zone_host(63),
        LocalPort => 53)
        or Test::More::plan(skip_all => "port 53 of loopback addresses: $!");
    return;
}


# A server with these rules.
sub zone_server {
    my ($i, @rules) = @_;
    return RblDns->new(host => zone_host($i), port => 53, rules => \@rules);
}


# ('list.test', [ADDRESS, ...], ...): the rules of a resolver that knows these
# zones, and the one by which the daemon tests resolvers.  Each address has its own name server name.
sub zone_rules {
    my @zones = @_;
    my @rules = (['^root-servers\.net ' => 'nodata']);

    while (my ($zone, $servers) = splice @zones, 0, 2) {
        my $re = quotemeta $zone;
        my @ns = map { "ns$_.$zone" } 1 .. @$servers;

        push @rules, map { my $i = $_;
            ["^ns$i\\.$re A\$" => $servers->[$i - 1] =~ /:/ ? 'nodata'
                : { a => [$servers->[$i - 1]] }],
            ["^ns$i\\.$re AAAA\$" => $servers->[$i - 1] =~ /:/
                ? { aaaa => [$servers->[$i - 1]] } : 'nodata'] } 1 .. @ns;
        push @rules, ["^$re SOA\$" => { more => [[1, '', 'SOA', 60]] }],
            ["^$re NS\$" => { more => [map { [1, '', 'NS', $_] } @ns] }],
            ["\\.$re SOA\$" => { soa => [$zone, 60, 60] }];
    }

    return @rules;
}

1;
