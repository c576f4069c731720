#!/usr/bin/perl

# Zones that work although their own servers do not answer for their SOA or NS
# records, or do not know their own addresses: a resolver finds them by the
# referral and the glue of the zone above, and so does the engine.  The zones
# above are served by a real unbound, the resolver is another one, and a real
# rbldnsd serves lists without $SOA and $NS.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblDns;
use RblDnsAsk;
use RblTest;

# A private network name space, with addresses that are public elsewhere.
own_net();
my ($root, $above, $child, $bl) = map { "45.64.$_.1" } 0 .. 3;
run_cmd('ip', 'link', 'set', 'lo', 'up');
run_cmd('ip', 'address', 'add', "$_/32", 'dev', 'lo')
    for $root, $above, $child, $bl, '10.1.1.1';

# --- the zones above ---------------------------------------------------------

# rbldnsd: without $SOA and $NS, with one of them, and with both, but no address
# of its name server.  The others: an RblDns, whose answers for the apex change.
my %real = (
    'none.test' => '',
    'soa.test' => "\$SOA 60 ns1.soa.test h.x.test 7 60 60 60 60\n",
    'ns.test' => "\$NS 60 ns1.ns.test\n",
    'glue.test' => "\$SOA 60 ns1.glue.test h.x.test 7 60 60 60 60\n"
        . "\$NS 60 ns1.glue.test\n",
);
my @test = ((map { ["bl.$_", "ns1.bl.$_", $bl] } map { s/\.test$//r . '.test' }
    sort keys %real), ['bl.odd.test', 'ns1.bl.odd.test', $child],
    ['bl.private.test', 'ns1.bl.private.test', '10.1.1.1'],
    ['bl.lame.test', 'ns1.bl.lame.test', $above],
    ['bl.foreign.test', 'ns1.other.test', $child],
    ['deep.test', 'ns1.deep.test', $child]);
my $soa = 'SOA ns. h. 1 60 60 60 60';
sub delegations {
    return join '', map { "$_->[0]. 60 IN NS $_->[1].\n"
        . "$_->[1]. 60 IN A $_->[2]\n" } @_;
}
my @served = (authoritative($root, ['.' => ". 60 IN $soa\n. 60 IN NS a.root.\n"
        . "a.root. 60 IN A $root\n"
        . delegations(['test', 'a.ns.test', $above])]),
    authoritative($above, ['test' => "test. 60 IN $soa\n"
        . "test. 60 IN NS a.ns.test.\na.ns.test. 60 IN A $above\n"
        . delegations(grep { $_->[1] !~ /other/ } @test)
        . "bl.foreign.test. 60 IN NS ns1.other.test.\n"
        . "inside.test. 60 IN A 192.0.2.1\n"]));

sub authoritative {
    my ($host, @zones) = @_;

    my $d = own_dir('auth');
    my $text = '';
    for my $z (@zones) {
        my $file = "$d/zone" . ($z->[0] eq '.' ? 'root' : $z->[0]);
        write_file($file, $z->[1]);
        $text .= qq{auth-zone:\n  name: "$z->[0]"\n  zonefile: "$file"\n}
            . "  for-downstream: yes\n  for-upstream: no\n";
    }
    return unbound($d, $host, $text, '  access-control: 0.0.0.0/0 allow');
}

sub unbound {
    my ($d, $host, $text, @server) = @_;

    my $server = join "\n", @server;
    write_file("$d/unbound.conf", <<"CONF");
server:
  interface: $host
  port: 53
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
  infra-host-ttl: 0
  local-zone: "test." nodefault
$server
remote-control:
  control-enable: no
$text
CONF
    my $s = spawn('unbound', { dir => $d }, 'unbound', '-d', '-p', '-c',
        "$d/unbound.conf");
    return started($s, sub { read_file($s->{log}) =~ /start of service/ });
}

my $d = own_dir('resolver');
write_file("$d/hints", ". 60 IN NS a.root.\na.root. 60 IN A $root\n");
push @served, unbound($d, '127.0.0.1', '', "  root-hints: $d/hints",
    '  access-control: 127.0.0.0/8 allow');

my $rd = own_dir('rbldnsd');
chmod 0755, $rd;
my $i = 0;
my @spec = map {
    write_file("$rd/z" . ++$i, "$real{$_}\$TTL 60\n:127.0.0.2:x\n127.0.0.2\n");
    my $zone = s/\.test$//r;
    "bl.$zone.test:ip4set:z$i";
} sort keys %real;
my $rbl = spawn('rbldnsd', { dir => $rd }, 'rbldnsd', '-n',
    $> == 0 ? ('-u', 'nobody') : (), '-w', $rd, '-b', "$bl/53", @spec);
push @served, started($rbl, sub { read_file($rbl->{log}) =~ /\bstarted \(/ });

# --- how the zone answers for itself -----------------------------------------

my $odd = RblDns->new(host => $child, port => 53);
my @listed = ['^2\.0\.0\.127\.' => { aa => 1, a => ['127.0.0.2'] }];
my @direct = (-r => '127.0.0.1@53', '-D', -t => '0.5', -n => 2);

# The verdict for the test point of a list.
sub status {
    my ($zone, @more) = @_;
    my $name = "2.0.0.127.$zone";
    my ($v) = dnsask([@direct, @more], "$name $zone");
    return $v->{$name}[0]{status};
}

is(status("bl.$_"), 'NOERROR', "rbldnsd's zone bl.$_ is found by its glue")
    for sort keys %real;

my $zone = 'bl.odd.test';
my @good = (["^bl\\.odd\\.test SOA\$" => { aa => 1,
        more => [[1, '', 'SOA', 60]] }],
    ["^bl\\.odd\\.test NS\$" => { aa => 1,
        more => [[1, '', 'NS', "ns1.$zone"]] }],
    ["^ns1\\.bl\\.odd\\.test A\$" => { aa => 1, a => [$child] }]);
my %way = (
    'refuses' => 'refused', 'fails' => 'servfail',
    'denies that it exists' => { aa => 1, rcode => 'nxdomain' },
    'denies with its SOA' => { aa => 1, rcode => 'nxdomain',
        soa => [$zone, 60, 60] },
    'is empty' => { aa => 1 },
    'is silent' => 'mute', 'has a format error' => 'formerr',
    'refers upwards' => { more => [[2, '.', 'NS', 'a.root']] },
    'is not authoritative' => { more => [[1, '', 'TXT', 'x']] },
    'is an alias' => { aa => 1, more => [[1, '', 'CNAME', 'nowhere.test']] },
    'is broken' => { raw => [1, 1, 1, 'x'] },
);
for my $what (sort keys %way) {
    for my $bad (['SOA', 0], ['NS', 1], ['all of them', 0, 1, 2]) {
        my ($of, @which) = @$bad;
        next if $what eq 'is silent' && $of ne 'SOA';       # slow
        my %is = map { $_ => 1 } @which;
        $odd->rules(@listed, map { $is{$_} ? [$good[$_][0], $way{$what}]
            : $good[$_] } 0 .. 2);
        is(status($zone), 'NOERROR', "a zone that $what: $of");
    }
}

# --- zones below, names inside of a zone -------------------------------------

$odd->rules(@listed, ['.' => 'refused']);
is(status('a.b.deep.test'), 'NOERROR',
    'a list below a zone that does not answer for itself');
$odd->rules(['^(.*\.)?low\.deep\.test ' => { more => [
        [2, 'low.deep.test', 'NS', 'ns1.low.deep.test'],
        [3, 'ns1.low.deep.test', 'A', $bl]] }], ['.' => 'refused']);
isnt(status('low.deep.test'), 'NOERROR',
    'the servers of a referral are asked, and refuse');
is($odd->asked('^low\.deep\.test NS$') > 0, 1,
    'the referral of a referral is followed');

# --- glue that is not believed -----------------------------------------------

$odd->rules(@listed, ['.' => 'refused']);
is(status('bl.private.test'), 'UNFOUND', 'private glue is not queried');
isnt(status('bl.lame.test'), 'NOERROR',
    'glue that leads to a server without the zone gives no verdict');
is(status('bl.foreign.test'), 'UNFOUND', 'a foreign name gets no glue');
is(status('gone.test', -t => '0.3'), 'UNFOUND',
    'a name that the zone above denies is not found');
is(status('inside.test', -t => '0.3'), 'UNFOUND',
    'a name inside of a top-level domain is not found');

$odd->stop;
stop_server($_) for @served;
done_testing();
