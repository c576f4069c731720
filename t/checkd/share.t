#!/usr/bin/perl

# Two daemons on one store: 200 checks, each done once.  A small daemon never
# claims more than its slots.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;

my $dns = RblDns->new(rules => [[ '.', { rcode => 'nxdomain',
    soa => ['test', 60, 60], delay => 0.1 } ]]);
my $w = world(no_dns => 1, zones => { 'a.test' => {}, 'b.test' => {} });
# Queries are counted: none may be repeated because its response is late.
my %conf = conf_short(checks_max => 8, dns_timeout => '5s', dns_tries => 1,
    check_timeout => '20s', lease => '60s');
my @checkd = map { start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => \%conf) } 1, 2;

my @values = map { "10.1.0.$_" } 1 .. 200;
my $hosts = add_many($w, @values);
my @sids = map { $hosts->{$_} } @values;

eventually { !grep { !host_record($w, $_)->{checked} } @sids } 60,
    'all 200 hosts were checked';
eventually { jobs_left($w) == 0 } 5, 'no job is left';

my %ended;
for my $s (@checkd) {
    $ended{$_}++ for read_file($s->{log}) =~ /check (PP\w+) of \w+: finished/g;
}
is(scalar keys %ended, 200, 'the daemons finish 200 checks');
is(scalar(grep { $_ > 1 } values %ended), 0, 'none of them twice');
cmp_ok(log_count($_, 'finished,'), '>', 20,
    'each daemon finishes more than 20 checks')
    for @checkd;

my %asked;
# Those of hosts: a daemon also asks a list for its test points at its start.
$asked{ $_->[0] }++ for grep { $_->[0] =~ /\.0\.1\.10\./ } $dns->log('.');
is(scalar keys %asked, 400, '400 names were queried');
is(scalar(grep { $_ > 1 } values %asked), 0, 'none of them twice');
cmp_ok($dns->most_pending, '<=', 32,
    'never more than 8 checks of 2 lists for each daemon');

# A flood of manual checks precedes due hosts.

ok(stop_server($checkd[1]), 'one daemon stops');
$dns->rules([ '.', { rcode => 'nxdomain', delay => 0.2 } ]);
set_due($w, $_) for @sids;
wait_for { jobs_left($w) > 0 } 5;
my $pp = check_value($w, '10.2.0.1');
is(wait_check($w, $pp, 10)->{status}, 'completed', 'a manual check ends');
cmp_ok(hosts_due($w), '>', 20, 'many due hosts are still waiting');

eventually { jobs_left($w) == 0 && hosts_due($w) == 0 } 60,
    'all jobs and due hosts finish in the end';

$dns->stop;
done_testing();
