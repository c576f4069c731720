#!/usr/bin/perl

# Direct mode: a list has two servers, and one of them is faulty.  Its responses
# neither begin nor end a listing.  If both are sound, the newer data count.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblAuthority;
use RblZones;

need_port_53();

use constant CHECKS => 12;          # enough for both servers to be queried

my $zone = 'a.test';
my @now = (minimum => 0, ttl => 0);
my $w = direct_world({ $zone => [([authority($zone, @now)]) x 2] });
my ($bad, $good) = map { add_host($w, "10.0.0.$_") } 1, 2;

sub put {
    my ($n, @rules) = @_;
    data($w, $zone, $n, @rules);
}
sub sane { return authority($zone, @now, serial => 5, @_) }

# Results of checks of a host, each once.
sub found {
    my ($ht) = @_;
    my %found;
    $found{ verdict($w, $ht, $zone) }++ for 1 .. CHECKS;
    return join ', ', sort keys %found;
}

# Both servers are sound again, and the daemon knows it.
sub heal {
    put($_, sane(@_)) for 0, 1;
    wait_for { my %f = map { $_ => 1 } map { verdict($w, $_, $zone) } $bad,
        $good; !grep { /unknown/ } keys %f } 40,
        'the list to pass its test points';
}

my @wrong = (
    ['is wildcarding beside its data', authority($zone, @now, wild => 'all')],
    ['is wildcarding for half of the names', authority($zone, @now,
        wild => 'half', listed => ['10.0.0.1'])],
    ['is empty', authority($zone, @now, empty => 1)],
    ['refuses', ['.' => 'refused']],
    ['fails', ['.' => 'servfail']],
    ['is lame', ['.' => 'nxdomain']],
    ['is hijacked', ['.' => { aa => 1, a => ['203.0.113.9'], ttl => 0 }]],
);

for my $wrong (@wrong) {
    my ($name, @rules) = @$wrong;

    heal(listed => ['10.0.0.2']);
    is(host_record($w, $good)->{listed_count}, 1,
        "a server $name: one host is listed before");
    is(host_record($w, $bad)->{listed_count}, 0,
        "a server $name: the other host is not listed before");
    put(0, @rules);
    is(found($bad), 'clear ', "a server $name: the unlisted host is clear");
    is(found($good), 'listed ', "a server $name: the listed host is listed");
}

# --- both are sound and disagree ----------------------------------------------

heal();
put(0, sane(listed => ['10.0.0.1'], serial => 9));
eventually { verdict($w, $bad, $zone) eq 'listed ' } 20,
    'the server with the newer serial lists the host';
is(found($bad), 'listed ', 'the newer serial decides in later checks');
put(1, sane(serial => 12));
eventually { verdict($w, $bad, $zone) eq 'clear ' } 20,
    'the server with the newer serial clears the host';
put(0, sane(listed => ['10.0.0.1'], serial => 12));
eventually { verdict($w, $bad, $zone) eq 'unknown disagree' } 20,
    'equal serials: unknown where one lists it';
is(found($bad), 'unknown disagree',
    'no server alone says that the host is clear, while the other lists it');
is(host_record($w, $bad)->{listed_count}, 0, 'the listing does not change');
my $log = read_file($w->{checkd}{log});
like($log, qr/list a\.test, ipv4: servers disagree about a host: server 127\S+, serial 12, lists it/,
    'the log names the server that lists it');
like($log, qr/servers disagree about a host: server 127\S+, serial 12, does not list it/,
    'the log names the server that does not list the host');
put(1, sane(listed => ['10.0.0.1'], serial => 12));
eventually { verdict($w, $bad, $zone) eq 'listed ' } 20,
    'the host is listed when the servers agree';
put(0, sane(serial => 12));
eventually { verdict($w, $bad, $zone) eq 'unknown disagree' } 20,
    'equal serials: the listed host is unknown';
like(found($bad), qr/^listed (?:, unknown disagree)?$|^unknown disagree$/,
    'servers that disagree never clear a listed host');
is(host_record($w, $bad)->{listed_count}, 1, 'the host stays listed');

# --- metrics of the list ------------------------------------------------------

sub health {
    my $r = rblctl($w->{redis}, '--json', 'status');
    my ($d) = grep { $_->{lists} } @{ json($r->{out})->{daemons} };
    return (grep { $_->{zone} eq $zone } @{ $d->{lists} // [] })[0]{health};
}
heal();
put(0, authority($zone, @now, wild => 'all'));
my $seen = log_count($w->{checkd}, ': wildcarding, was good');
wait_for {
    found($bad);
    log_count($w->{checkd}, ': wildcarding, was good') > $seen;
} 30, 'one server is wildcarding';
eventually { health() eq 'good' } 20,
    'one faulty server of two: the list is good';
put(1, authority($zone, @now, wild => 'all'));
eventually { verdict($w, $bad, $zone); health() eq 'wildcarding' } 40,
    'two faulty servers: the list is not good';

ok(stop_server($w->{checkd}), 'the daemon stops');
done_testing();
