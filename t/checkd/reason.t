#!/usr/bin/perl

# The reason of a current listing is queried together with its address, so that
# the check waits for the list only once.  Only the address decides on the
# listing.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;

use constant SLOW => 3;

my %reason = (txt => ['because'], ttl => 0);
my @rest = ([ '^2\.0\.0\.127\.', { a => ['127.0.0.2'], ttl => 0 } ],
    [ '.', { rcode => 'nxdomain', soa => ['test', 1, 1] } ]);
my $dns = RblDns->new(rules => [@rest]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short(
        cache_size => '0', check_timeout => '20s', lease => '60s',
        dns_timeout => '8s', dns_tries => 1, log_level => 'info') });
my $ht = add_host($w, '10.0.0.1');

sub now_it_says { $dns->rules([ '^1\.0\.0\.10\.a\.test ', @_ ], @rest) }

# Verdict, reason, and duration of the check (s).
sub checked {
    my $pp = check_host($w, $ht);
    wait_check($w, $pp);
    my ($s, $d) = (check_state($w, $pp), details($w, $pp)->{'a.test'});
    return ("$d->{status} '$d->{reason}'",
        ($s->{completed} - $s->{started}) / 1000);
}

wait_check($w, check_host($w, $ht));
now_it_says({ %reason, a => ['127.0.0.2'] });
is((checked())[0], "listed 'because'", 'a new listing');

now_it_says({ %reason, a => ['127.0.0.2'], delay => SLOW });
my ($is) = checked();
is($is, "listed 'because'", 'the listing has its reason from a slow list');
my ($first, @more) = sort { $a <=> $b } map { $_->[3] }
    $dns->log('^1\.0\.0\.10\.a\.test ');
is(scalar @more, 1, 'the list gets two queries');
cmp_ok($more[0], '<', $first + SLOW, 'the second before it answers the first')
    or diag(read_file($checkd->{log}));

$dns->rules([ '^1\.0\.0\.10\.a\.test TXT', 'mute' ],
    [ '^1\.0\.0\.10\.a\.test ', { a => ['127.0.0.2'] } ], @rest);
is((checked())[0], "listed ''", 'a reason that never comes');

# The TXT response arrives first, and the listing has ended.
$dns->rules([ '^1\.0\.0\.10\.a\.test TXT', { %reason } ],
    [ '^1\.0\.0\.10\.a\.test ', { rcode => 'nxdomain', delay => SLOW,
        soa => ['test', 1, 1] } ], @rest);
eventually { $is = (checked())[0]; $is =~ /^clear/ } 15,
    'the listing ends although a TXT arrives first';
is($is, "clear ''", 'the ended listing has no reason');

now_it_says({ %reason, rcode => 'servfail' });
$is = (checked())[0];
is($is, "unknown ''", 'the unknown result has no reason');

ok(stop_server($checkd), 'the daemon stops');
done_testing();
