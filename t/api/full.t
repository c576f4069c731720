#!/usr/bin/perl

# Reads while the store refuses writes: also of an account without totals, and
# of an application with limits, which is counted in a full store.

use strict;
use warnings;
use RblApi;

my $t = api_setup();
my $redis = $t->{redis};
my $other = $t->{other};
my $ht;
{
    local $t->{acct} = $other;
    $ht = json(call($t, 'POST', 'host/add.json', form => [host => '192.0.2.1',
        type => 'rbl', name => 'x']))->{data}[0]{id};
}
my @paths = ('hosts.json', 'hosts.json?page=2', "host/$ht.json",
    'listings.json', 'contacts.json', 'listings.nagios');
for (['maxmemory', 1], ['min-replicas-to-write', 9]) {
    my ($name, $on) = @$_;
    for my $path (@paths) {
        for my $before ([], [redis_key('totals', $other->{sid})]) {
            redis($redis, 'DEL', redis_key('totals', $other->{sid}));
            redis($redis, 'SET', @$before, 'x') if @$before;
            redis($redis, 'CONFIG', 'SET', $name, $on);
            my $r = call($t, 'GET', $path, auth => $other);
            is($r->{status}, 200, "$name: $path is served") or diag($r->{body});
            is(json($r)->{total_hosts}, 1,
                "$name: $path has the total of hosts")
                if $path =~ /^host/;
            redis($redis, 'CONFIG', 'SET', $name, 0);
            is(redis($redis, 'GET', redis_key('totals', $other->{sid})),
                $before->[0] && 'x', "$name: $path stores nothing");
        }
    }
}
accepted(call($t, 'GET', 'hosts.json', auth => $other),
    'hosts.json is served when the store accepts writes again');
ok(redis($redis, 'EXISTS', redis_key('totals', $other->{sid})),
    'totals are stored when they can be');

is(rblctl($redis, qw(app limit), $t->{acct}{sid}, $t->{acct}{app}, '--hour', 5)
    ->{status}, 0, 'an application gets a limit');
is(call($t, 'GET', 'hosts.json')->{status}, 200,
    'the application with a limit is served');
redis($redis, 'CONFIG', 'SET', 'maxmemory', 1);
for my $left (3, 2, 1, 0) {
    my $r = call($t, 'GET', 'hosts.json');
    is($r->{status}, 200, 'a full store serves reads with a limit');
    is($r->{headers}{'ratelimit-remaining'}, $left,
        "the request is counted with $left left");
}
is(call($t, 'GET', 'hosts.json')->{status}, 429,
    'a request over the limit is refused while the store is full');
redis($redis, 'CONFIG', 'SET', 'maxmemory', 0);

done_testing();
