#!/usr/bin/perl

# Resolver mode: a list is wildcarding for a moment in which its test points are
# not queried, and the resolver caches a listing of that moment.  It must not be
# announced.  A real listing is announced after its TTL; a one-off check reports
# it at once.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(sleep time);

use constant TTL => 9;                  # s

my @sane = (
    [ '^2\.0\.0\.127\.', { a => ['127.0.0.2'], ttl => 1, aa => 1 } ],
    [ '^[89]\.0\.0\.10\.', { a => ['127.0.0.2'], ttl => TTL, aa => 1 } ],
    [ '.', { rcode => 'nxdomain', aa => 1, soa => ['a.test', 0, 0] } ]);
my @wild = ([ '\.a\.test ', { a => ['127.0.0.2'], ttl => TTL, aa => 1 } ]);
my $dns = RblDns->new(rules => [@wild]);
my $unbound = start_unbound(stubs => { 'a.test' => $dns->port },
    conf => "  cache-max-ttl: 3600\n  cache-max-negative-ttl: 3600\n");
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } });

# At that moment another client queries the resolver.
is(dns_query($unbound, "$_.0.0.10.a.test")->{rcode}, 0,
    "the resolver keeps 10.0.0.$_") for 1 .. 3;
my $kept = time + TTL;
$dns->rules(@sane);

my @checkd = map { start_checkd(store => $w->{redis}, resolver => $unbound,
    conf => { conf_short(name => "d$_") }) } 1, 2;
my %ht = %{ add_many($w, map { "10.0.0.$_" } 1 .. 3) };
my $listed = add_host($w, '10.0.0.9');
my $added = time;
my %found;
while (time < $kept - 1) {
    $found{ verdict($w, $_, 'a.test') }++ for values %ht;
    sleep 0.3;
}
is(join(', ', sort keys %found), 'unknown unconfirmed',
    'a cached response does not confirm it');
is(scalar(grep { @{ history_of($w, $_) } } values %ht), 0,
    'a cached wildcard response announces no listing');

eventually { !grep { my $h = host_record($w, $_); $h->{unknown_count}
    || $h->{listed_count} } values %ht } TTL + 10,
    'the cache entry has expired: not listed, without a request';
is(scalar(grep { @{ history_of($w, $_) } } values %ht), 0,
    'no listing was ever announced');

eventually { host_record($w, $listed)->{listed_count} } TTL + 15,
    'a true listing is announced';
cmp_ok(time - $added, '>', TTL, 'the true listing is announced after its TTL');
is(scalar @{ history_of($w, $listed) }, 1,
    'the true listing is announced once');

my $pp = check_value($w, '10.0.0.8');
wait_check($w, $pp);
is(details($w, $pp)->{'a.test'}{status}, 'listed',
    'a value that is checked once is judged at once');

# A listing that one check saw, then "clear", then a listing from a moment of
# wildcarding: the first does not confirm the second.
my $again = add_host($w, '10.0.0.7');
$dns->rules([ '^7\.0\.0\.10\.', { a => ['127.0.0.2'], ttl => 1, aa => 1 } ],
    @sane);
eventually { verdict($w, $again, 'a.test') eq 'unknown unconfirmed' } 10,
    'a listing, not yet confirmed';
$dns->rules(@sane);
eventually { verdict($w, $again, 'a.test') eq 'clear ' } 10,
    'the host is clear again';
sleep 6;
$dns->rules(@wild);
is(dns_query($unbound, '7.0.0.10.a.test')->{rcode}, 0,
    'the resolver keeps one of a wildcard');
$dns->rules(@sane);
is(verdict($w, $again, 'a.test'), 'unknown unconfirmed',
    'a second unconfirmed listing needs confirmation too');
is(scalar @{ history_of($w, $again) }, 0,
    'an old unconfirmed listing does not confirm another');

ok(stop_server($_), 'a daemon stops') for @checkd;
$dns->stop;
done_testing();
