#!/usr/bin/perl

# Lists die while hosts are monitored, behind a caching resolver: listed hosts
# stay listed, others do not become listed, and the operator is notified once.
# When a list is back, its responses count again.

use strict;
use warnings;

use FindBin;
use JSON::XS;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;

use constant TTL => 5;

my @lists = qw(a.test b.test c.test d.test);

# Data of a zone: the given entries and the test points.
sub zone {
    my ($zone, @entries) = @_;

    return sprintf "\$SOA %d ns.$zone h.$zone 1 60 60 60 2\n\$TTL %d\n"
        . "\$NS 60 ns.$zone\n:127.0.0.2:\$ is listed\n%s", TTL, TTL,
        join '', map { "$_\n" } @entries;
}
sub good { return zone(shift, '127.0.0.2', @_) }

my $w = world(no_dns => 1, zones => { map { $_ => { control => 'ip' } }
    @lists });
my $dns = $w->{dns} = start_rbldnsd(zones => [map { [$_, 'ip4set',
    good($_, '10.0.0.5')] } @lists]);
my $cache = "  cache-max-ttl: 3600\n  cache-max-negative-ttl: 3600\n";
my $unbound = start_unbound(stubs => { map { $_ => $dns } @lists },
    conf => $cache);
my $checkd = start_checkd(store => $w->{redis}, resolver => $unbound,
    conf => { conf_short(check_timeout => '6s', lease => '20s',
        control_retry => '2s') });

sub data { return rbldnsd_data($dns, $_[0], $_[1]) }

sub asked {
    my ($ht) = @_;

    my $pp = check_host($w, $ht);
    wait_check($w, $pp);
    return details($w, $pp);
}
sub said {
    my ($d, $zone) = @_;
    return "$d->{$zone}{status} $d->{$zone}{error}";
}
sub moves {
    my ($ht) = @_;
    return join ' ', map { "$_->{z} $_->{v}" } @{ history_of($w, $ht) };
}

my $ht = add_host($w, '10.0.0.5');
my $clean = add_host($w, '10.0.0.6');
eventually { host_record($w, $ht)->{listed_count} == 4
    && host_record($w, $clean)->{checked} } 10,
    'a host on four lists, and one on none';
my $first = moves($ht);
is(moves($clean), '', 'the clean host has no history');


# --- an emptied list whose test point is still in the resolver's cache -----

sleep TTL + 2;
dns_query($unbound, '2.0.0.127.a.test');
ok(data('a.test', zone('a.test')), 'a list is emptied');
is(dns_query($unbound, '2.0.0.127.a.test')->{answers}[0], '127.0.0.2',
    'the resolver still caches the test point');
is(dns_query($unbound, '5.0.0.10.a.test')->{rcode}, 3,
    'the resolver does not cache the host');

my $d = asked($ht);
is(said($d, 'a.test'), 'unknown unconfirmed',
    'emptied: the clear response is not accepted');
is(host_record($w, $ht)->{listed_count}, 4,
    'emptied: the host is still listed');
my $h = host_record($w, $ht);
cmp_ok($h->{next_check}, '<=', $h->{checked} + (TTL + 3) * 1000,
    'emptied: queried again when the test point has expired');
eventually { log_count($checkd, 'list a\.test, ipv4.*: down, was good') == 1 }
    20, 'emptied: found down without a request';
$d = asked($ht);
is(said($d, 'a.test'), 'unknown unhealthy', 'dead: the listed host is unknown');
is(said(asked($clean), 'a.test'), 'unknown unhealthy',
    'dead: another host is unknown');
is(said($d, 'b.test'), 'listed ', 'dead: the other lists are unchanged');
is(moves($ht), $first, 'dead: no transition');

ok(data('a.test', good('a.test', '10.0.0.5')), 'the list is back');
eventually { said(asked($clean), 'a.test') eq 'clear ' } 60,
    'back: clear is accepted';
is(said(asked($ht), 'a.test'), 'listed ', 'back: listed as before');
is(moves($ht), $first, 'back: no transition');
is(log_count($checkd, 'list a\.test, ipv4.*: good, was down'), 1,
    'back: logged once');
is(log_count($checkd, 'list a\.test, ipv4.*: down, was good'), 1,
    'dead: logged once');


# --- a host that a living list delists -------------------------------------

ok(data('a.test', good('a.test')), 'the list drops the host');
eventually { asked($ht); host_record($w, $ht)->{listed_count} == 3 }
    4 * TTL, 'delisted: found out';
is(moves($ht), "$first a.test clear", 'delisted: one transition');


# --- a wildcarding list ------------------------------------------------------

ok(data('b.test', zone('b.test', '0.0.0.0/1', '128.0.0.0/1')),
    'a list is wildcarding');
sleep TTL + 2;
$d = asked($clean);
is(said($d, 'b.test'), 'unknown unhealthy',
    'wildcarding: the listed response is not accepted');
is(host_record($w, $clean)->{listed_count}, 0,
    'wildcarding: the clean host is not listed');
is(said(asked($ht), 'b.test'), 'unknown unhealthy',
    'wildcarding: unknown where it was listed');
is(host_record($w, $ht)->{listed_count}, 3, 'wildcarding: it stays listed');
is(log_count($checkd, 'list b\.test, ipv4.*: wildcarding, was good'), 1,
    'wildcarding: logged once');


# --- a domain bought by a third party ---------------------------------------

my $parked = zone('c.test', '0.0.0.0/1', '128.0.0.0/1');
$parked =~ s/:127\.0\.0\.2:/:198.51.100.7:/;
ok(data('c.test', $parked), 'a list answers with another address');
sleep TTL + 2;
is(said(asked($clean), 'c.test'), 'unknown hijacked',
    'bought: the clean host is unknown');
is(said(asked($ht), 'c.test'), 'unknown hijacked',
    'bought: the listed host is unknown');
is(moves($ht), "$first a.test clear",
    'bought: the listed host has no transition');
is(moves($clean), '', 'bought: the clean host has no transition');
ok(stop_server($checkd), 'the daemon stops');


# --- a resolver that filters 127.0.0.0/8 ------------------------------------

data($_, good($_, '10.0.0.5')) for @lists;
my $filter = start_unbound(stubs => { map { $_ => $dns } @lists },
    conf => "$cache  private-address: 127.0.0.0/8\n");
is_deeply(dns_query($filter, '2.0.0.127.a.test')->{answers}, [],
    'a resolver that filters');
$checkd = start_checkd(store => $w->{redis}, resolver => $filter,
    conf => { conf_short(check_timeout => '6s', lease => '20s') });
$d = asked($ht);
is(join(', ', map { said($d, $_) } @lists),
    join(', ', ('unknown resolver') x 4), 'filter: nothing is known');
is(host_record($w, $ht)->{listed_count}, 3, 'filter: listed as before');
$d = asked($clean);
is(said($d, 'a.test'), 'unknown resolver', 'filter: not clear');
is(log_count($checkd, "resolver 127\\.0\\.0\\.1\@$filter->{port} is at fault"
    . '.*private-address: 127\.0\.0\.0/8'), 1,
    'filter: logged once, with the reason');
is(log_count($checkd, 'list [a-d]\.test, ipv4.*: down'), 0,
    'filter: no list is blamed');
ok(stop_server($checkd), 'the daemon stops');
ok(stop_server($_), 'a server stops') for $filter, $unbound, $dns;


# --- responses of one list, and their verdicts ------------------------------

my $file = temp_dir() . '/one.json';
my $conf = temp_dir() . '/one.conf';
write_file($conf, "dns_timeout 300ms\ndns_tries 2\ncheck_timeout 5s\n");
my $server = RblDns->new;

sub rblctl_check {
    my ($value, %list) = @_;

    write_file($file, RblCheckd::lists_json({ 'z.test' => { control => 'ip',
        families => [qw(ipv4 ipv6)], %list } }));
    my $r = run_cmd({ timeout => 60 }, build_dir() . '/rblctl', '-c', $conf,
        'check', $value, '--lists', $file, '--resolver', $server->addr,
        '--json');
    my $json = eval { JSON::XS->new->decode($r->{out}) }
        // die "rblctl check: $r->{out} $r->{err}";
    is($r->{err}, '', "$value: no other message");
    return $json->{lists}[0];
}

my $listed = { a => ['127.0.0.2'] };
my $entry = '^2\.0\.0\.127\.z';
my $entry6 = '^2\.0\.0\.0\.0\.0\.f\.7\.f\.f\.f\.f\.(0\.){20}z';
my $host = '^1\.0\.0\.10\.z';
my @both = ([$entry => $listed], [$entry6 => $listed]);
my @cases = (
    ['a good list, clear', [@both], 'clear  good'],
    ['a good list, listed', [@both, [$host => $listed]], 'listed  good'],
    ['no test point, clear', [], 'unknown unhealthy down'],
    ['no test point, listed', [[$host => $listed]],
        'unknown unhealthy down'],
    ['a test point without address', [[$entry => 'nodata']],
        'unknown unhealthy down'],
    ['everything is listed', [['.' => $listed]], 'unknown unhealthy wildcarding'],
    ['127.0.0.1 is listed', [@both, ['^1\.0\.0\.127\.z' => $listed],
        [$host => $listed]], 'unknown unhealthy wildcarding'],
    ['only other names are listed',
        [@both, [$host => $listed], ['\.127\.z' => $listed]],
        'unknown unhealthy wildcarding'],
    ['another address for all but the host', [[$host => $listed],
        ['.' => { a => ['8.8.8.8'] }]], 'unknown unhealthy wildcarding'],
    ['test networks for all but the host', [[$host => 'nxdomain'],
        ['.' => { a => ['192.0.2.7'] }]], 'unknown unhealthy wildcarding'],
    ['another address', [['.' => { a => ['8.8.8.8'] }]],
        'unknown hijacked untried'],
    ['an error code', [['.' => { a => ['127.255.255.254'] }]],
        'unknown blocked untried'],
    ['an error code for the test points only', [[$host => 'nxdomain'],
        ['.' => { a => ['127.255.255.254'] }]], 'unknown blocked blocked'],
    ['refused', [['.' => 'refused']], 'unknown refused untried'],
    ['the test points are refused', [[$host => $listed], ['.' => 'refused']],
        'unknown blocked blocked'],
    ['the test points fail', [[$host => $listed], ['.' => 'servfail']],
        'unknown unhealthy down'],
    ['the test points get no response', [[$host => 'nxdomain'],
        ['.' => 'mute']], 'unknown unhealthy down'],
    ['the negative test point fails', [@both, [$host => $listed],
        ['.' => 'servfail']], 'unknown unhealthy down'],
    ['no test points', [[$host => $listed]], 'listed  good',
        control => 'none'],
    ['no negative test point', [@both, [$host => $listed],
        ['^1\.0\.0\.127\.z' => $listed]], 'listed  good',
        control => 'ip-positive-only'],
    ['no negative test point, unused networks are listed', [@both,
        [$host => $listed], ['\.24\d\.z' => $listed]], 'listed  good',
        control => 'ip-positive-only'],
    ['no negative test point, everything is listed', [@both,
        [$host => $listed], ['.' => $listed]], 'unknown unhealthy wildcarding',
        control => 'ip-positive-only'],
    ['127.0.0.1 is a neutral code', [@both,
        ['^1\.0\.0\.127\.z' => { a => ['127.0.0.1'] }]], 'clear  good',
        codes => ['127.0.0.2=black', '~127.0.0.1=white']],
);
for my $case (@cases) {
    my ($name, $rules, $want, %list) = @$case;

    $server->rules(@$rules);
    my $r = rblctl_check('10.0.0.1', %list);
    is("$r->{status} $r->{error} $r->{health}", $want,
        "$name: the result is $want");
}

# IPv6: a list may have no IPv6 data.

$server->rules([$entry => $listed]);
my $r = rblctl_check('2001:db8::1');
is("$r->{status} $r->{health}", 'skipped unsupported',
    'no IPv6 test point, but one of IPv4: skipped');
$server->rules(@both);
$r = rblctl_check('2001:db8::1');
is("$r->{status} $r->{health}", 'clear good',
    'an IPv6 test point: the address is clear');
$server->rules;
$r = rblctl_check('2001:db8::1');
is("$r->{status} $r->{health}", 'unknown down',
    'no test point of either family: the address is unknown');

# Domains: the name in the list's response.

my %domains = (families => ['domain'], type => 'uribl',
    control => 'name:test.example');
$server->rules(['^test\.example\.z' => $listed],
    ['^bad\.example\.z' => $listed]);
$r = rblctl_check('bad.example', %domains);
is("$r->{status} $r->{health}", 'listed good', 'a domain that is listed');
$r = rblctl_check('good.example', %domains);
is("$r->{status} $r->{health}", 'clear good',
    'a domain that is not listed is clear');
$server->rules(['.' => $listed]);
$r = rblctl_check('bad.example', %domains);
is("$r->{status} $r->{health}", 'unknown wildcarding',
    'a list of every domain is wildcarding');
$server->rules;
$r = rblctl_check('good.example', %domains);
is("$r->{status} $r->{health}", 'unknown down',
    'a list without its test point is down');
$server->stop;

done_testing();
