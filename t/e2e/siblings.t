#!/usr/bin/perl
# The whole system: a subnet is watched as a range, and a list begins to list a
# part of it.  One check finds the first address; the others are checked at
# once, and the contact gets one message with one line.

use strict;
use warnings;

use lib 't/lib';
use RblTest;
use RblWhole;

my $zone = 'dnsbl.siblings.test';
my $spam = ":127.0.0.2:spam\n127.0.0.2\n";
my $w = whole_system(direct => 1, conf => { digest_window => '8s' },
    zones => { $zone => { name => 'Kin', data => $spam } });
my $hook = $w->{hook};

post('/3.0/host/add.json', { host => '192.0.2.0/28', name => 'office',
    type => 'ip_range' });
my @hosts;
ok(wait_for(sub {
    @hosts = grep { $_->{type} ne 'ip_range' }
        @{ get('/3.0/hosts.json?page=1&page_size=50')->{data} };
    @hosts == 16 && !grep { !$_->{last_checked} } @hosts }, 60),
    'all addresses of the range are checked') or diag(scalar @hosts);
is(scalar(grep { $_->{listed_count} } @hosts), 0, 'none of them is listed');

rbldnsd_data($w->{dns}, $zone, $spam . "192.0.2.1-192.0.2.9\n");
my ($first) = map { $_->{id} } grep { $_->{host} eq '192.0.2.4' } @hosts;
post('/3.0/check/start.json', { host => $first });
ok(wait_for(sub { received($hook) >= 2 }, 40), 'the contact gets a message');
my ($m) = (told())[1];
is($m->{title}, '9 hosts listed: 192.0.2.0/28 by Kin',
    'one check was enough for all of them');
like($m->{message}, qr{^192\.0\.2\.0/28: 9 of 16 by Kin$}m,
    'the message has one line for all of them');
is($m->{listed}, 9, 'the message counts all of them');
is(scalar(grep { $_->{listed} } told()), 1, 'there is no other message');

done_testing();
