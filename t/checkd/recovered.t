#!/usr/bin/perl

# A list was bad for a while and is sound again: a resolver still caches its
# responses of that time, which must not count.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;

use constant TTL => 20;

my $listed = { a => ['127.0.0.2'], ttl => TTL };
my $clear = { rcode => 'nxdomain', soa => ['test', TTL, TTL] };
my @controls = ([ '^2\.0\.0\.127\.', $listed ],
    [ '\.127\.\w+\.test ', $clear ]);
my %control = ('a.test' => 'ip', 'c.test' => '');
my $dns = RblDns->new(rules => [ @controls, [ '.', $clear ] ]);
my $unbound = start_unbound(stubs => { 'a.test' => $dns->port },
    conf => "  cache-max-ttl: 3600\n  cache-max-negative-ttl: 3600\n");
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } });
my $checkd = start_checkd(store => $w->{redis}, resolver => $unbound,
    conf => { conf_short(control_retry => '1s', dns_timeout => '2s',
        check_timeout => '9s', lease => '20s') });

sub asked {
    my $pp = check_value($w, $_[0]);
    wait_check($w, $pp);
    my $d = details($w, $pp)->{'a.test'};
    return "$d->{status} $d->{error}";
}
sub good { return log_count($checkd, 'list a\.test.*: good, was') }

is(asked('10.0.0.1'), 'clear ', 'a living list');

# --- wildcarding, except for its test points ---------------------------------

$dns->rules(@controls, [ '.', $listed ]);
is(asked('10.0.0.2'), 'unknown unhealthy', 'wildcarding: not accepted');
$dns->rules(@controls, [ '.', $clear ]);
eventually { asked('10.0.0.3'); good() == 2 } TTL, 'the list is valid again';

# Is that answer still cached?
sub cached {
    return @{ dns_query($unbound, '2.0.0.10.a.test')->{answers} // [] } > 0;
}

my $is = asked('10.0.0.2');
ok(cached(), 'while its answers are still cached');
is($is, 'unknown unhealthy',
    'an answer given while the list was wildcarding is no listing');
eventually { asked('10.0.0.2') eq 'clear ' } TTL + 5,
    'the host is clear when the cached response expires';

# --- later responses count ---------------------------------------------------

$dns->set('^4\.0\.0\.10\.', $listed);
eventually { asked('10.0.0.4') eq 'listed ' } TTL,
    'a later listing is accepted';
is(asked('10.0.0.4'), 'listed ',
    'the cached response is accepted as a listing');

done_testing();
