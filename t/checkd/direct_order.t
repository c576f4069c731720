#!/usr/bin/perl

# Direct mode: a list is empty, or wildcarding, and sound again while a change
# is being confirmed: the name is queried before that, and the test points,
# whose first query is lost, after it.  This confirms nothing: the name is
# queried once more.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblAuthority;
use RblZones;

need_port_53();

my @now = (minimum => 0, ttl => 0);
my $w = direct_world({ 'a.test' => [[authority('a.test', @now,
    listed => ['10.0.0.1'])]] });
my ($listed, $clear) = map { add_host($w, "10.0.0.$_") } 1, 2;
eventually { host_record($w, $listed)->{listed_count} == 1
    && host_record($w, $clear)->{checked} } 20, 'one host is listed';

my %yes = (a => ['127.0.0.2'], aa => 1, ttl => 0);
my %no = (rcode => 'nxdomain', aa => 1, soa => ['a.test', 0, 0]);

# Responses for the host's name: at first, at the confirmation, and from then
# on.
sub turns {
    my ($n, @turns) = @_;

    data($w, 'a.test', 0,
        ["^$n\\.0\\.0\\.10\\.a\\.test A\$" => map { $_ ? { %yes } : { %no } }
            @turns],
        ['^2\.0\.0\.127\.a\.test A$' => 'mute', { %yes }],
        ['^1\.0\.0\.10\.a\.test A$' => { %yes }],
        ['.' => { %no }]);
}

turns(1, 0, 0, 1);
is(verdict($w, $listed, 'a.test'), 'listed ',
    'empty for a moment: the listing does not end');
is(host_record($w, $listed)->{listed_count}, 1, 'the host stays listed');
my ($server) = @{ $w->{server}{'a.test'} };
cmp_ok($server->asked('^1\.0\.0\.10\.a\.test A$'), '>=', 3,
    'the name was queried once more');

turns(2, 1, 1, 0);
is(verdict($w, $clear, 'a.test'), 'clear ',
    'wildcarding for a moment: the host is not listed');
is(scalar @{ history_of($w, $clear) }, 0, 'no listing is announced');

ok(stop_server($w->{checkd}), 'the daemon stops');
done_testing();
