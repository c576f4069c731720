#!/usr/bin/perl

# A machine with IPv6 alone, behind a translator (NAT64) and a real DNS64: the
# addresses of servers and receivers are judged by the IPv4 address inside, for
# the well-known prefix and for those of ipv4only.arpa (RFC 7050), also after a
# change of the prefix.  A prefix in private space is refused.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblDns;
use RblTest;
use RblTrap;
use RblZones;

own_net();

# Servers of lists, and receivers, which are not this machine's own addresses.
my ($public, $private) = ('45.64.1.1', '10.1.2.3');
my ($receiver, $inner) = ('45.64.1.8', '10.1.2.8');
sub inside {
    my ($prefix, $v4) = @_;
    return sprintf '%s%x:%x', $prefix, unpack 'n2', pack 'C4', split /\./, $v4;
}

my ($known, $site, $other, $hostile) = ('64:ff9b::', '2a00:1450:64::',
    '2a00:1450:65::', 'fd00:64::');
my @prefix = ($known, $site, $other, $hostile);
sub ip { my $r = run_cmd('ip', @_); die "ip @_: $r->{err}" if $r->{status} }
ip('link', 'set', 'lo', 'up');
ip('-6', 'route', 'add', 'local', '::/0', 'dev', 'lo');
for my $v4 ($public, $private) {
    ip('-6', 'address', 'add', inside($_, $v4) . '/128', 'dev', 'lo', 'nodad')
        for @prefix;
}

# One list at a public server, one at a private server.
my %server = ('a.test' => $public, 'p.test' => $private);
my @list = map { my $zone = $_; start_rbldnsd(port => 53,
    host => inside($known, $server{$zone}),
    args => [map { ('-b', inside($_, $server{$zone}) . '/53') }
        @prefix[1 .. 3]],
    zones => [[$zone, 'ip4set', "\$SOA 60 ns1.$zone h.$zone 7 60 60 60 1\n"
        . "\$NS 60 ns1.$zone\n" . listed_entry('10.0.0.1')]]) }
    sort keys %server;
my $above = RblDns->new(rules => [zone_rules(map { $_ => [$server{$_}] }
    keys %server), ['^ipv4only\.arpa A$' => { ttl => 1,
        a => ['192.0.0.170', '192.0.0.171'] }],
    ['^hook\.example A$' => { a => [$receiver], ttl => 0 }],
    ['^in\.example A$' => { a => [$inner], ttl => 0 }],
    ['^(?:ipv4only\.arpa|(?:hook|in)\.example) ' => 'nodata']]);

# The resolvers of the machine, one at a time.
my $file = temp_dir() . '/resolv.conf';
sub conf {
    my ($n) = @_;
    open my $fh, '>', $file or die "$file: $!";
    print $fh "nameserver 127.0.0.$n\n";
    close $fh or die "$file: $!";
    return;
}
conf(1);
run_cmd('mount', '--bind', $file, '/etc/resolv.conf');
my ($dns64, $checkd, $at, $looks) = (undef, undef, 0, 0);
sub looks { return $checkd ? log_count($checkd, 'ipv4only.arpa: 2 addresses')
    : 0 }
sub dns64 {
    my ($prefix) = @_;

    my $old = $dns64;
    $looks = looks();
    my $stubs = { map { $_ => $above->port } qw(a.test p.test ipv4only.arpa
        example) };
    my $n = ++$at;
    $dns64 = start_unbound(port => 53, stubs => $stubs,
        conf => "  interface: 127.0.0.$n\n  dns64-prefix: $prefix/96\n"
            . qq{  module-config: "dns64 iterator"\n});
    conf($n);
    stop_server($old) if $old;
    return;
}

my $trap = start_trap(80);
my $w = world(no_dns => 1,
    zones => { map { $_ => { control => 'ip' } } keys %server });
sub webhook_add {
    my ($url) = @_;
    my $r = rblctl($w->{redis}, '--json', 'webhook', 'add', $w->{acct}{sid},
        'hook', $url);
    die "webhook add: $r->{err}" if $r->{status};
    return json($r->{out})->{id};
}
sub webhook_try {
    my ($wh) = @_;
    trap_forget($trap);
    my $r = json(rblctl($w->{redis}, '--json', 'webhook', 'test',
        $w->{acct}{sid}, $wh)->{out});
    return $r->{error} || 'delivered';
}
my ($hook, $in) = map { webhook_add("http://$_.example/") } qw(hook in);
sub restart {
    stop_server($checkd) if $checkd;
    $looks = 0;
    $checkd = start_checkd(store => $w->{redis}, conf => { conf_short(
        deliver => 'on', deliver_http => 'on', lookup => 'direct',
        control_retry => '1s', check_timeout => '5s', lease => '15s') });
    return;
}
my $ht = add_host($w, '10.0.0.1');

sub right {
    my ($prefix, $what) = @_;

    eventually { verdict($w, $ht, 'a.test') eq 'listed ' } 40,
        "$what: the list at a public server lists the host";
    like(verdict($w, $ht, 'p.test'), qr/^unknown /,
        "$what: the list at a private server is unknown");
    is(webhook_try($hook), 'delivered', "$what: the public receiver answers");
    is_deeply({ map { $_->{to} => 1 } trapped($trap) },
        { inside($prefix, $receiver) . ' 80' => 1 },
        "$what: the request goes through the translator");
    is(webhook_try($in), 'connection failed',
        "$what: the private receiver is refused");
    is(scalar(grep { $_->{to} eq inside($prefix, $inner) . ' 80' }
        trapped($trap)), 0,
        "$what: no connection is made to the private receiver");
    return;
}
sub learned {
    my ($n, $what) = @_;
    eventually { looks() > $looks } 20, "$what: the daemon looks at the prefix";
    is((read_file($checkd->{log}) =~ /2 addresses, (\d) prefixes/g)[-1], $n,
        "$what: it takes $n prefixes");
    return;
}

dns64($site);
restart();
learned(1, 'the prefix of a site');
right($site, 'the prefix of a site');

dns64($other);
learned(1, 'another prefix');
right($other, 'another prefix');

dns64($known);
learned(0, 'the well-known prefix');
right($known, 'the well-known prefix');

# --- a prefix in private space ------------------------------------------------

dns64($hostile);
learned(0, 'a private prefix');
is(webhook_try($_), 'connection failed',
    'a private prefix: no receiver is reached') for $hook, $in;
is(scalar(trapped($trap)), 0, 'a private prefix: no connection is made');
restart();
learned(0, 'a private prefix, after a restart');
like(verdict($w, $ht, $_), qr/^unknown /,
    "a private prefix: the list $_ is unknown") for sort keys %server;
is(host_record($w, $ht)->{listed_count}, 1,
    'a private prefix: the listing stays');

dns64($site);
learned(1, 'the prefix of the site again');
right($site, 'the prefix of the site again');

ok(stop_server($checkd), 'the daemon stops');
$above->stop;
stop_server($_) for @list, $dns64;
done_testing();
