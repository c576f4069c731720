#!/usr/bin/perl
# rblctl operator: users of an account of their own, which the other commands
# live with.

use strict;
use warnings;

use lib 't/lib';
use RblCtl;

my $redis = ctl_store();
my $ac = 'AC' . '0' x 32;
my ($one, $v);

bad('list without operators', 'there are no operators', 'operator', 'list');
bad('link without operators', 'there are no operators', 'operator', 'link',
    'US' . '0' x 32);

$one = good('operator add', 'operator', 'add', 'One@Example.test', '--name',
    'One');
is_deeply([@$one{qw(mail role)}], ['One@example.test', 'viewer'],
    'operator add makes a user, a viewer by default');
like($one->{link}, qr{^#/link/\Q$ac\E\.[0-9a-f]{64}$},
    'operator add prints a link');
my $a = record('account', redis($redis, 'GET', redis_key('acct', $ac)));
is_deeply([@$a{qw(name status max_hosts paid)}], ['Operators', 'active', 0, 0],
    'operator add makes the account of the operators');
my $created = $a->{created};

$v = good('a second one', 'operator', 'add', 'two@example.test', '--role',
    'owner');
is($v->{role}, 'owner', 'operator add accepts another role');
is(record('account', redis($redis, 'GET', redis_key('acct', $ac)))->{created},
    $created, 'a second operator add keeps the account');
bad('the same address', 'Another user has this address', 'operator', 'add',
    'two@example.test');
bad('no address', 'must be an e-mail address', 'operator', 'add', 'two');
bad('a role that is none', 'must be owner, admin or viewer', 'operator', 'add',
    'x@example.test', '--role', 'root');
is_deeply([map { "$_->{mail} $_->{role}" }
    @{ good('operator list', 'operator', 'list') }],
    ['One@example.test viewer', 'two@example.test owner'],
    'operator list shows both operators');
like(good('operator link', 'operator', 'link', $one->{id})->{link},
    qr{^#/link/\Q$ac\E}, 'operator link prints a new link');
bad('a link of nobody', 'has no user', 'operator', 'link', 'US' . '1' x 32);
is(good('operator delete', 'operator', 'delete', $one->{id})->{id}, $one->{id},
    'operator delete prints the SID of the operator');
is(scalar @{ good('list', 'operator', 'list') }, 1,
    'one operator is left after the deletion');

# the other commands

bad('app add', 'has users only', 'app', 'add', $ac, 'x');
bad('webhook add', 'has users only', 'webhook', 'add', $ac, 'x',
    'https://hook.example/');
is_deeply([map { $_->{name} } @{ good('account list', 'account', 'list') }],
    ['Operators'], 'account list shows the account of the operators');
is(good('account show', 'account', 'show', $ac)->{hosts}{used}, 0,
    'account show counts no hosts of the operators');
is(good('user list', 'user', 'list', $ac)->[0]{mail}, 'two@example.test',
    'user list shows the remaining operator');
is_deeply(good('fsck', 'fsck'), [], 'fsck finds no fault in the account');
is(good('queue', 'queue')->[-1]{scheduled}, 0,
    'the account of the operators has no scheduled checks');
is(json(rblctl($redis, 'status', '--json')->{out})->{accounts}, 1,
    'status counts the account of the operators');

done_testing();
