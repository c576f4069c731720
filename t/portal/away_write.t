#!/usr/bin/perl

# The portal writes in several partitions, and a node of the cluster is away: no
# answer says that nothing was changed although something was.

use strict;
use warnings;

use Test::More;

use RblFailover;
use RblPortal;

my $f = start_cluster(replicas => 0);
my $w = failover_world($f, checkd => 0, nginx => { workers => 1,
    portal => 'rbl_portal_url http://localhost/portal/;',
    http => 'rbl_zone rbl 1m;' });
my $t = { redis => $f, nginx => $w->{nginx}, acct => $w->{accounts}[0] };
operators($t);
my $ops = { sid => 'AC' . '0' x 32 };
my @needed = map { node_of($f, $_) } slot_of_account($f, $ops),
    slot_of('rbl:meta');
my ($dead) = grep { my $n = $_; !grep { $_ == $n } @needed } @{ $f->{nodes} };
my ($live) = grep { node_of($f, slot_of_account($f, $_)) != $dead }
    @{ $w->{accounts} };

my $owner = sign_in($t, acct => $live, role => 'owner', user => undef);
my @users = map { add_user($t, acct => $live, role => 'viewer') } 1 .. 12;
my $operator = sign_in($t, acct => $ops, role => 'owner', user => undef);
my ($list) = @{ redis($f, 'ZRANGE', 'rbl:{0}:lists', 0, -1) };
kill_server($dead);

# A deleted user is in an index by mail, which may be away.
my %said;
for my $user (@users) {
    my $r = portal($t, $owner, 'POST', "user/delete/$user->{id}.json");
    my $there = redis($f, 'EXISTS', redis_key('user', $live->{sid},
        $user->{id}));
    $said{"$r->{status} $there"}++;
}
is_deeply(\%said, { '200 0' => 12 }, 'users are deleted');

# A list is in all partitions.
my $r = portal($t, $operator, 'POST', "operator/list/disable/$list.json");
is($r->{status}, 503, 'a list cannot be disabled in all partitions');
like(json($r)->{status_message}, qr/made in a part of it: please repeat/,
    'the message tells that a part of the change was made');
ok($r->{headers}{'retry-after'}, 'the response has a Retry-After header');

done_testing();
