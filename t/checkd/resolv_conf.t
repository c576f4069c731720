#!/usr/bin/perl

# /etc/resolv.conf changes while the daemon runs, as it does at boot and with
# DHCP or a VPN: the daemon uses the new name servers within seconds.  If the
# file has none it keeps the former ones, and says so: a condition of the
# service.  Name servers of a link, which need its name (fe80::1%v0).

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblConditions;
use RblDns;
use RblTest;
use RblZones;

own_net();

my @own = map { "45.64.0.$_" } 1 .. 4;
run_cmd('ip', 'link', 'set', 'lo', 'up');
run_cmd('ip', 'address', 'add', "$_/32", 'dev', 'lo') for @own;
run_cmd('ip', 'link', 'add', 'v0', 'type', 'veth', 'peer', 'name', 'v1');
run_cmd('ip', 'link', 'set', $_, 'up') for 'v0', 'v1';
run_cmd('ip', 'address', 'add', 'fe80::53/64', 'dev', 'v0', 'nodad');

# The file keeps its inode, as the mount needs.
my $file = temp_dir() . '/resolv.conf';
sub conf {
    open my $fh, '>', $file or die "$file: $!";
    print $fh map { "$_\n" } @_;
    close $fh or die "$file: $!";
    return;
}
conf("nameserver $own[3]");                             # nothing listens there
run_cmd('mount', '--bind', $file, '/etc/resolv.conf');

my $zone = 'a.test';
my $list = start_rbldnsd(host => $own[0], port => 53, zones => [[$zone,
    'ip4set', "\$SOA 60 ns1.$zone h.$zone 7 60 60 60 1\n\$NS 60 ns1.$zone\n"
    . listed_entry('10.0.0.1')]]);
my @known = zone_rules($zone => [$own[0]]);
my @resolver = map { RblDns->new(host => $_, port => 53, rules => \@known) }
    @own[1, 2];
my $w = world(no_dns => 1, zones => { $zone => { control => 'ip' } });
condition_nginx($w);
my ($checkd, $ht);

sub daemon {
    stop_server($checkd) if $checkd;
    $checkd = start_checkd(store => $w->{redis}, conf => { conf_short(
        name => 'one', lookup => 'direct', control_retry => '1s',
        check_timeout => '5s', lease => '15s') });
    return;
}
sub listed { return verdict($w, $ht, $zone) eq 'listed ' }
sub taken {
    my ($n, $what) = @_;
    eventually { log_count($checkd, "the resolvers are now $n") > 0 } 20,
        "$what: the log names the resolvers";
}

$ht = add_host($w, '10.0.0.1');
daemon();
like(verdict($w, $ht, $zone), qr/^unknown /,
    'a resolver that does not respond finds no list');
conf("nameserver $own[1]");
eventually { listed() } 40, 'the resolver of the new file finds the list';
taken(quotemeta "$own[1]\@53", 'another name server');

# --- the file has no name server ---------------------------------------------

conf('nameserv');
named($w, 'nameserver', 'degraded', qr/^one: \/etc\/resolv\.conf has no usable/);
like(conditions($w)->{nameserver}{reason}, qr/the former ones are used/,
    'a torn file: the former resolvers stay');
is(listed(), 1, 'a torn file: the list is still found');
like(read_file($checkd->{log}), qr/nameserver \(degraded\): \S+ has no usable/,
    'the log has the condition');
conf((map { "nameserver $_" } @own[2, 1]), map { "nameserver 192.0.2.$_" }
    1 .. 98);
over($w, 'nameserver');
taken(join(' ', map { quotemeta "$_\@53" } @own[2, 1],
    map { "192.0.2.$_" } 1 .. 6), 'a hundred name servers: eight of them');

# --- the scope of a link ------------------------------------------------------

my $scoped = start_unbound(port => 53, stubs => { $zone => "$own[0]\@53" },
    local => [qq{local-zone: "ns1.$zone." static},
        qq{local-data: "ns1.$zone. 60 IN A $own[0]"}],
    conf => "  interface: fe80::53%v0\n  access-control: fe80::/10 allow\n"
        . "  do-ip6: yes\n  log-queries: yes\n");
conf('nameserver fe80::53%v0');
taken(quotemeta 'fe80::53%v0@53', 'a name server of a link');
daemon();
eventually { listed() } 40, 'the resolver of a link finds the list';
like(read_file($scoped->{log}), qr/fe80::53\S* a\.test\. SOA/,
    'the resolver of the link is asked');

# --- at the start -------------------------------------------------------------

conf();
daemon();
named($w, 'nameserver', 'degraded', qr/127\.0\.0\.1 is used/);
conf("nameserver $own[1]");
over($w, 'nameserver');
eventually { listed() } 40, 'a file that is written after the start is read';

ok(stop_server($checkd), 'the daemon stops');
$_->stop for @resolver;
stop_server($_) for $list, $scoped;
done_testing();
