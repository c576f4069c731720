#!/usr/bin/perl

# A daemon changes the record of an account as its users want, since the rights
# of nginx do not allow that.  The portal shows it at
# once, also while no daemon runs; then the API has it, too.

use strict;
use warnings;

use RblPortal;
use RblTest;

my $t = portal_setup();
my $owner = sign_in($t);
my ($redis, $ac) = ($t->{redis}, $t->{acct}{sid});

sub seen {
    my ($path) = @_;
    my $v = accepted(portal($t, $owner, 'GET', "$path.json"), $path)->{data};
    $v = $v->{account} if $path eq 'me';
    return join ' ', @$v{qw(name timezone interval)};
}
sub stored {
    my $v = record('account', redis($redis, 'GET', redis_key('acct', $ac)));
    return join ' ', @$v{qw(name timezone interval)};
}

my $before = stored();
accepted(portal($t, $owner, 'POST', 'account/update.json', fields => {
    name => 'Another', timezone => 'Asia/Tokyo', interval => 7200 }),
    'an owner changes the account');
is(stored(), $before, 'while no daemon runs, the record stays');
is(seen($_), 'Another Asia/Tokyo 7200', "$_: the portal shows what is wanted")
    for 'account', 'me';

my $checkd = start_checkd(store => $redis);
ok((wait_for { stored() eq 'Another Asia/Tokyo 7200' } 30),
    'a daemon changes the record');
is(seen($_), 'Another Asia/Tokyo 7200', "$_: the portal shows the same")
    for 'account', 'me';
my $made = json(http($t->{nginx}, 'POST', '/3.0/host/add.json',
    auth => $t->{acct}, form => { host => '192.0.2.1', name => 'x',
    type => 'rbl' }));
ok((wait_for { http($t->{nginx}, 'GET', "/3.0/host/$made->{data}[0]{id}.json",
    auth => $t->{acct})->{body} =~ / JST"/ } 30),
    'the API has the new time zone');

# The log of before an hour goes where nginx cannot write.
my $log = redis_key('audit', $ac);
my $old = (redis($redis, 'TIME')->[0] - 7200) . '000-0';
my $rows = sub { accepted(portal($t, $owner, 'GET', 'audit.json?limit=100'),
    'the log')->{data} };
my ($young) = grep { $_->[1] } @{ redis($redis, 'XRANGE', $log, '-', '+') };
redis($redis, 'EVAL', "local e = redis.call('XRANGE', KEYS[1], '-', '+')[1][2] "
    . "redis.call('RENAME', KEYS[1], KEYS[2]) "
    . "redis.call('XADD', KEYS[1], ARGV[1], unpack(e)) "
    . "for _, x in ipairs(redis.call('XRANGE', KEYS[2], '-', '+')) do "
    . "redis.call('XADD', KEYS[1], x[1], unpack(x[2])) end", 2, $log, "$log:x",
    $old);
redis($redis, 'DEL', "$log:x");
my $shown = $rows->();
redis($redis, 'ZADD', redis_key('settle', $ac) =~ s/:\Q$ac\E$//r, 1, $ac);
ok((wait_for { redis($redis, 'XLEN', redis_key('past', $ac)) == 1 } 30),
    'a daemon moves an entry that is older than an hour');
is_deeply($rows->(), $shown, 'the portal shows the log as before');

done_testing();
