#!/usr/bin/perl

# A machine whose only resolver cannot be used for blocklists: it filters 127/8,
# is refused by the lists as public resolvers are, or rewrites NXDOMAIN into an
# address.  Direct mode, without configuration, gives right verdicts for all
# lists, because it uses that resolver only to find their servers.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblDns;
use RblTest;
use RblZones;

# A private network name space with its own resolv.conf.
own_net();

# Addresses that are public elsewhere.
my @host = ('45.64.1.1', '45.64.1.2');
run_cmd('ip', 'link', 'set', 'lo', 'up');
run_cmd('ip', 'address', 'add', "$_/32", 'dev', 'lo') for @host;
write_file(temp_dir() . '/resolv.conf', "nameserver 127.0.0.1\n");
run_cmd('mount', '--bind', temp_dir() . '/resolv.conf', '/etc/resolv.conf');

my @zones = qw(lists.test clears.test dead.test);
sub data_of {
    my ($zone) = @_;
    my $soa = "\$SOA 0 ns1.$zone h.$zone 7 60 60 60 1\n"
        . "\$NS 60 ns1.$zone ns2.$zone\n";
    return $soa . ($zone eq 'lists.test' ? listed_entry('10.0.0.1')
        : $zone eq 'clears.test' ? listed_entry() : "\$TTL 1\n10.9.9.9\n");
}
my @served = map { start_rbldnsd(host => $_, port => 53,
    zones => [map { [$_, 'ip4set', data_of($_)] } @zones]) } @host;

my $re = join '|', map { quotemeta } @zones;
my @known = zone_rules(map { $_ => [@host] } @zones);
my %resolver = (
    'filters 127/8' => sub { start_unbound(port => 53,
        stubs => { map { $_ => "$host[0]\@53" } @zones },
        local => [map { my $z = $_; (qq{local-zone: "ns1.$z." static},
            qq{local-zone: "ns2.$z." static},
            map { qq{local-data: "ns$_.$z. 60 IN A $host[$_ - 1]"} } 1, 2) }
            @zones],
        conf => "  private-address: 127.0.0.0/8\n") },
    'is refused by the lists' => sub { RblDns->new(port => 53, rules => [
        ["^\\d+\\.\\d+\\.\\d+\\.\\d+\\.(?:$re) " => {
            a => ['127.255.255.254'] }], @known]) },
    'rewrites NXDOMAIN' => sub { RblDns->new(port => 53, rules => [
        @known, ['.' => { a => ['203.0.113.9'] }]]) },
);

for my $name (sort keys %resolver) {
    my $resolver = $resolver{$name}->();
    my $w = world(no_dns => 1,
        zones => { map { $_ => { control => 'ip' } } @zones });
    my $checkd = start_checkd(store => $w->{redis},
        conf => { conf_short(lookup => 'direct') });
    my $ht = add_host($w, '10.0.0.1');
    is(verdict($w, $ht, 'lists.test'), 'listed ',
        "a resolver that $name: the listed host is listed");
    is(verdict($w, $ht, 'clears.test'), 'clear ',
        "a resolver that $name: the unlisted host is clear");
    like(verdict($w, $ht, 'dead.test'), qr/^unknown /,
        "$name: the empty list is unknown");
    is(host_record($w, $ht)->{listed_count}, 1, "$name: one listing");
    ok(stop_server($checkd), "$name: the daemon stops");
    ref $resolver eq 'RblDns' ? $resolver->stop : stop_server($resolver);
}
stop_server($_) for @served;
done_testing();
