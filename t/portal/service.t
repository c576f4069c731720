#!/usr/bin/perl

# The verdict in the portal: users get the names of conditions, operators also
# reasons and remedies.

use strict;
use warnings;

use RblCheckd qw(eventually);
use RblPortal;

my $t = portal_setup();
my $operators = operators($t);
my $user = sign_in($t, role => 'viewer');
my $operator = sign_in($t, acct => $operators, role => 'viewer');

sub service {
    my ($who) = @_;

    my $r = portal($t, $who, 'GET', 'service.json');
    return $r->{status} == 200 ? json($r)->{data} : { verdict => '' };
}

sub says {
    my ($conditions, $verdict, $name) = @_;

    my $now = int(time) * 1000;
    redis($t->{redis}, 'ZADD', 'rbl:{0}:daemons', $now, 'one');
    redis($t->{redis}, 'SET', 'rbl:{0}:daemon:one', mp_pack([1, 'one', 'v1',
        $now, $now, [1], [], [], [], [], $conditions]));
    eventually { service($user)->{verdict} eq $verdict } 20, $name;
    return service($user);
}

eventually { service($user)->{verdict} eq 'broken' } 20,
    'the service is broken without a daemon';
is_deeply([map { $_->{name} } @{ service($user)->{conditions} }],
    ['no_daemon'], 'a user gets the name of the condition');

my $s = says([], 'good', 'the service is good with a daemon');
is_deeply($s->{conditions}, [], 'a good service has no condition');

$s = says([['dns', 2, 60_000, 'resolver 192.0.2.53 is at fault', 'try: dig']],
    'broken', 'the service is broken without DNS');
is_deeply($s->{conditions}, [{ name => 'dns', state => 'broken',
    since => '1970-01-01T00:01:00+00:00' }],
    'a user gets name, state and time only');
is_deeply(service($operator)->{conditions}, $s->{conditions},
    'an operator gets the same for the banner');
$s = accepted(portal($t, $operator, 'GET', 'operator/status.json'),
    'an operator reads the status')->{data};
is($s->{verdict}, 'broken', 'the status of the operator has the verdict');
is_deeply($s->{conditions}, [{ name => 'dns', state => 'broken',
    since => '1970-01-01T00:01:00+00:00',
    reason => 'one: resolver 192.0.2.53 is at fault', remedy => 'try: dig' }],
    'the status of the operator has reason and remedy');

$s = says([['clocks', 1, 1, 'x', 'y']], 'degraded',
    'the service is degraded with different clocks');
says([], 'good', 'the service is good again');
is(portal($t, undef, 'GET', 'service.json')->{status}, 401,
    'a stranger does not get the verdict');

done_testing();
