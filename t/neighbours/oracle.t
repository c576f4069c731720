#!/usr/bin/perl

# Own lists must not read DNS data that their account could not read itself (row
# D5): responses outside 127/8 are not shown, and reserved zones cannot be
# lists.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use RblNeighbours;

my $w = neighbours();
my $b = hostile($w, 'B');

sub asks {
    my ($path, $form) = @_;

    return (ask_all($b, request($b, $form ? 'POST' : 'GET', $path, $form)))[0];
}

for my $zone (qw(10.in-addr.arpa resolver.arpa)) {
    is(asks('rbl/add.json', { type => 'uribl', host => $zone })->[0], 400,
        "$zone is refused");
}

my ($rb) = in_data('RB', asks('rbl/add.json',
    { type => 'uribl', host => 'corp.test' }));
ok($rb, 'a zone that the operator does not protect is added');
asks('rblprofile/add.json', { name => 'p', is_default => 1, entries => $rb });
my ($pp) = in_data('PP', asks('check/start.json', { host => 'db.prod' }));
my $body;
wait_for {
    $body = asks("check/status/$pp.json?details=1")->[1];
    $body =~ /"status":"completed"/;
} 20, 'the check';
like($body, qr/"host":"corp\.test"/, 'the list is among the details');
unlike($body, qr/10\.1\.2\.3/, 'the address 10.1.2.3 is not among the details');
done_testing();
