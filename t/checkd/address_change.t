#!/usr/bin/perl

# The address of the machine changes while the daemon runs (a reconnect, a new
# lease): the next check has verdicts in both lookup modes, and the names of
# receivers are found.  The lists, the resolver and the receiver are in another
# network namespace.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblDns;
use RblTest;
use RblZones;

own_net();

sub ip { my $r = run_cmd('ip', @_); die "ip @_: $r->{err}" if $r->{status} }
sub there { return ('nsenter', '-t', $_[0], '-n') }

# --- two networks ------------------------------------------------------------

ip('link', 'set', 'lo', 'up');
my $far = spawn('far', { dir => own_dir('far') }, 'unshare', '-n', 'sleep',
    '600');
started($far, sub { (readlink("/proc/$far->{pid}/ns/net") // '')
    ne readlink('/proc/self/ns/net') });
ip('link', 'add', 'v0', 'type', 'veth', 'peer', 'name', 'v1');
ip('link', 'set', 'v1', 'netns', $far->{pid});
ip('link', 'set', 'v0', 'up');
run_cmd(there($far->{pid}), 'ip', 'link', 'set', $_, 'up') for 'lo', 'v1';
run_cmd(there($far->{pid}), 'ip', 'address', 'add', "$_/24", 'dev', 'v1')
    for '45.64.0.1', '45.64.0.254';
ip('address', 'add', '45.64.0.2/24', 'dev', 'v0');

# rbldnsd has the lists, unbound finds it and the receiver.
my @zones = ('a.test', 'b.test');
my $d = own_dir('rbldnsd');
chmod 0755, $d;
write_file("$d/z$_", "\$SOA 60 ns1.$_ h.$_ 7 60 60 60 1\n\$NS 60 ns1.$_\n"
    . listed_entry('10.0.0.1')) for @zones;
my $rbl = spawn('rbldnsd', { dir => $d }, there($far->{pid}), 'rbldnsd', '-n',
    $> == 0 ? ('-u', 'nobody') : (), '-w', $d, '-b', '45.64.0.1/53',
    map { "$_:ip4set:z$_" } @zones);
started($rbl, sub { read_file($rbl->{log}) =~ /\bstarted \(/ });
my $ud = own_dir('unbound');
write_file("$ud/unbound.conf", <<"CONF");
server:
  interface: 45.64.0.254
  access-control: 0.0.0.0/0 allow
  username: ""
  chroot: ""
  directory: ""
  pidfile: ""
  use-syslog: no
  num-threads: 1
  module-config: "iterator"
  do-ip6: no
  qname-minimisation: no
  cache-max-ttl: 0
  cache-max-negative-ttl: 0
  local-zone: "." static
  local-zone: "a.test" transparent
  local-zone: "b.test" transparent
  local-zone: "ns1.a.test" static
  local-zone: "ns1.b.test" static
  local-data: "ns1.a.test. 60 IN A 45.64.0.1"
  local-data: "ns1.b.test. 60 IN A 45.64.0.1"
  local-data: "hook.example. 60 IN A 45.64.0.1"
remote-control:
  control-enable: no
stub-zone:
  name: "a.test"
  stub-addr: 45.64.0.1
stub-zone:
  name: "b.test"
  stub-addr: 45.64.0.1
CONF
my $unbound = spawn('unbound', { dir => $ud }, there($far->{pid}), 'unbound',
    '-d', '-p', '-c', "$ud/unbound.conf");
started($unbound, sub { read_file($unbound->{log}) =~ /start of service/ });

# --- the address changes -----------------------------------------------------

my $last = 2;
sub move {
    ip('address', 'del', "45.64.0.$last/24", 'dev', 'v0');
    $last++;
    ip('address', 'add', "45.64.0.$last/24", 'dev', 'v0');
}

sub webhook_add {
    my ($w, $url) = @_;
    my $r = rblctl($w->{redis}, '--json', 'webhook', 'add', $w->{acct}{sid},
        'hook', $url);
    die "webhook add: $r->{err}" if $r->{status};
    return json($r->{out})->{id};
}

# Nothing listens at the receiver.
sub webhook_error {
    my ($w, $wh) = @_;
    return json(rblctl($w->{redis}, '--json', 'webhook', 'test',
        $w->{acct}{sid}, $wh)->{out})->{error};
}

for my $mode ('direct', 'resolver') {
    my $w = world(no_dns => 1,
        zones => { map { $_ => { control => 'ip' } } @zones });
    my $checkd = start_checkd(store => $w->{redis}, conf => { conf_short(
        deliver => 'on', deliver_http => 'on', lookup => $mode, resolver => '45.64.0.254', check_timeout => '10s',
        lease => '30s') });
    my $ht = add_host($w, '10.0.0.1');
    my $other = add_host($w, '10.0.0.2');
    my ($hook, $unknown) = map { webhook_add($w, "http://$_/") }
        'hook.example', 'none.example';
    for my $zone (@zones) {
        eventually { verdict($w, $ht, $zone) eq 'listed ' } 60,
            "lookup $mode: $zone lists the host";
    }
    for my $n (1 .. 3) {
        move();
        is(verdict($w, $ht, $zones[$_]), 'listed ',
            "lookup $mode, change $n of the address: the next check of"
            . " $zones[$_] finds the listing") for 0, 1;
        is(verdict($w, $other, $zones[0]), 'clear ',
            "lookup $mode, change $n of the address: the other host is clear");
        move();
        is(webhook_error($w, $hook), 'connection failed',
            "lookup $mode, change $n of the address: a receiver is found");
    }
    is(webhook_error($w, $unknown), 'the name cannot be resolved',
        "lookup $mode: the name of a receiver that does not exist");

    # No route at all for a while, as with a cable that is pulled.
    ip('link', 'set', 'v0', 'down');
    like(verdict($w, $ht, $zones[0]), qr/^unknown /,
        "lookup $mode: without a network the verdict is unknown");
    is(host_record($w, $ht)->{listed_count}, 2,
        "lookup $mode: without a network no listing ends");
    ip('link', 'set', 'v0', 'up');
    eventually { verdict($w, $ht, $zones[0]) eq 'listed ' } 60,
        "lookup $mode: the verdict is back with the network";
    ok(stop_server($checkd), "lookup $mode: the daemon stops");
}
stop_server($_) for $rbl, $unbound, $far;
done_testing();
