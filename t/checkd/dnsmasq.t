#!/usr/bin/perl

# A real dnsmasq as the resolver: as it is installed, with fewer queries at a time
# than a check has, which it answers by REFUSED, and with its filter of private
# addresses, which takes all answers of lists away.  The lists are a real rbldnsd.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;

use constant { LISTS => 20, LISTED => '192.0.2.1' };

my @zones = map { sprintf 'l%02d.test', $_ } 1 .. LISTS;
my $w = world(zones => { map { $_ => { data => listed_entry(LISTED),
    control => 'ip', codes => ['127.0.0.2=listed'] } } @zones });
my @hosts = map { add_host($w, "192.0.2.$_") } 1 .. 8;

# How many lists say what of each host: "listed unknown".
sub seen {
    return map { my $h = host_record($w, $_);
        "$h->{listed_count} $h->{unknown_count}" } @_;
}
sub checked { return !grep { !host_record($w, $_)->{checked} } @_ }
sub again { wait_check($w, $_, 60) for map { check_host($w, $_) } @hosts }

# --- as it is installed -------------------------------------------------------

my $resolver = start_dnsmasq($w->{dns}{port});
my $checkd = start_checkd(store => $w->{redis}, resolver => $resolver,
    conf => { dns_timeout => '2s', check_timeout => '20s' });
again();
eventually { "@{[seen(@hosts)]}" eq join ' ', LISTS . ' 0', ('0 0') x 7 } 60,
    'each host has the verdict of each list';
stop_server($checkd);
stop_server($resolver);

# --- fewer queries at a time than a check has ---------------------------------

$resolver = start_dnsmasq($w->{dns}{port}, '--dns-forward-max=5',
    '--cache-size=0');
$checkd = start_checkd(store => $w->{redis}, resolver => $resolver,
    conf => { dns_timeout => '2s', check_timeout => '20s' });
for my $round (1 .. 3) {
    again();
    my ($listed, @clear) = seen(@hosts);
    my ($n, $unknown) = split / /, $listed;
    cmp_ok($n, '<=', LISTS, "round $round: no list lists the host twice");
    is(scalar(grep { !/^0 / } @clear), 0,
        "round $round: no list lists a host that none has");
    is($n, LISTS, "round $round: no listing ends, since no list has said so");
}
like(read_file($resolver->{log}), qr/Maximum number of concurrent DNS queries/,
    'dnsmasq had more queries than it takes');
stop_server($checkd);
stop_server($resolver);

# --- its filter ----------------------------------------------------------------

$resolver = start_dnsmasq($w->{dns}{port}, '--stop-dns-rebind');
$checkd = start_checkd(store => $w->{redis}, resolver => $resolver,
    conf => { dns_timeout => '2s', check_timeout => '20s' });
again();
my @new = map { add_host($w, "198.51.100.$_") } 1 .. 2;
wait_check($w, $_, 60) for map { check_host($w, $_) } @new;
eventually { checked(@new) } 60, 'hosts that were added meanwhile are checked';
my ($listed, @others) = seen(@hosts);
like($listed, qr/^20 /, 'no listing ends behind the filter');
is(scalar(grep { !/^0 / } @others), 0, 'no listing begins behind the filter');
is(join(',', seen(@new)), join(',', ('0 ' . LISTS) x 2),
    'all lists of a new host are unknown, and none is clear');
like(read_file($resolver->{log}), qr/possible DNS-rebind attack detected/,
    'dnsmasq has taken answers away');

stop_server($checkd);
stop_server($resolver);
done_testing();
