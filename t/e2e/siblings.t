#!/usr/bin/perl
# The whole system: a subnet is watched as a range, and a list begins to list a
# part of it.  One check finds the first address; the others are checked at once,
# and the contact gets one message with one line.

use strict;
use warnings;

use lib 't/lib';
use RblTest;

my $zone = 'dnsbl.siblings.test';
my $spam = ":127.0.0.2:spam\n127.0.0.2\n";
my $rbldnsd = start_rbldnsd(zones => [[$zone, 'ip4set', $spam]]);
my $redis = start_redis();
my $lists = temp_dir() . '/lists.json';
write_file($lists, <<"JSON");
{ "version": 1, "lists": [
{"zone": "$zone", "name": "Kin", "type": "rbl", "families": ["ipv4"],
 "website": "https://list.example/", "codes": ["127.0.0.2=a source of spam"],
 "lookup": "https://list.example/q?%s", "delist": "https://list.example/off",
 "weight": "critical"} ] }
JSON
init_store($redis, lists => $lists);
is(rblctl($redis, 'lists', 'override', $zone, '--server',
    "127.0.0.1\@$rbldnsd->{port}")->{status}, 0, 'the list has a server');
my $nginx = start_nginx(store => $redis);
start_checkd(store => $redis, resolver => $rbldnsd, conf => {
    lookup => 'direct', dns_timeout => '500ms', check_timeout => '3s',
    digest_window => '8s', deliver_http => 'on',
    deliver_allow => '127.0.0.0/8' });
my $acct = make_account($redis);
my $hook = start_receiver();

sub get { return api($nginx, $acct, 'GET', @_) }
sub post { return api($nginx, $acct, 'POST', @_) }
sub told { return map { $_->{json} } received($hook) }

my $co = post('/3.0/contact/add.json', { type => 'endpoint',
    contact => $hook->{url}, schedule => 'start_and_end' })->{data}{id};
wait_for { received($hook) == 1 } 15, 'the code';
is(post("/3.0/contact/confirm/$co.json", { authcode => (told())[0]{authcode} })
    ->{status_code}, 200, 'the contact is confirmed');

post('/3.0/host/add.json', { host => '192.0.2.0/28', name => 'office',
    type => 'ip_range' });
my @hosts;
ok(wait_for(sub {
    @hosts = grep { $_->{type} ne 'ip_range' }
        @{ get('/3.0/hosts.json?page=1&page_size=50')->{data} };
    @hosts == 16 && !grep { !$_->{last_checked} } @hosts }, 60),
    'all addresses of the range are checked') or diag(scalar @hosts);
is(scalar(grep { $_->{listed_count} } @hosts), 0, 'none of them is listed');

rbldnsd_data($rbldnsd, $zone, $spam . "192.0.2.1-192.0.2.9\n");
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
