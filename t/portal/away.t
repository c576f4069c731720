#!/usr/bin/perl

# The portal while one master of a cluster is away: what the others can answer
# is answered.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use Time::HiRes qw(sleep);

use RblFailover;
use RblPasskey;
use RblPortal;

my $f = start_cluster(replicas => 0);
my $w = failover_world($f, checkd => 0, nginx => { workers => 1,
    portal => 'rbl_portal_url http://localhost/portal/;' });
my $t = { redis => $f, nginx => $w->{nginx} };
my @acct = @{ $w->{accounts} };
my $zero = node_of($f, redis_key('daemons', 0));
my ($dead, $other) = grep { $_ != $zero } @{ $f->{nodes} };
my %at = map { node_of($f, slot_of_account($f, $_))->{index} => $_ } @acct;
my %part_at = map { $_ => node_of($f, redis_key('due', $_)) } 0 .. 63;

# An address whose entry in the index of users is at a node.  A request for a
# link writes there as well, so not in the partition of an account.
my %taken = map { partition_of($_->{sid}) => 1 } @acct;
my ($n, @mail) = (0);
sub address_at {
    my ($node) = @_;

    while (1) {
        my $mail = 'a' . ++$n . '@example.test';
        my $part = hex(substr sha256_hex($mail), 0, 4) % 64;
        next if $part_at{$part} != $node || $taken{$part};
        push @mail, $mail;
        return $mail;
    }
}

sub link_for {
    return portal($t, undef, 'POST', 'session/link.json',
        fields => { mail => $_[0] });
}

sub links_of {
    return redis($f, 'XLEN', redis_key('outbox', partition_of($_[0]{sid})));
}

sub down {
    my ($node) = @_;

    kill_server($node);
    wait_for { http($w->{nginx}, 'GET', '/3.0/hosts.json',
        auth => $at{ $node->{index} })->{status} == 503 } 10, 'a node is away';
    return;
}

sub up {
    my ($node) = @_;

    restart_member($f, $node);
    ok(wait_ok($f), 'the cluster is whole again');
    wait_for { http($w->{nginx}, 'GET', '/3.0/hosts.json',
        auth => $at{ $node->{index} })->{status} == 200 } 10, 'nginx sees it';
    return;
}


# --- links by mail ------------------------------------------------------------

# One address of two users: the first one's account is away, or the second's.
my $both = address_at($other);
add_user($t, acct => $at{$_}, mail => $both)
    for $dead->{index}, $other->{index};
my $gone = address_at($other);
add_user($t, acct => $at{ $dead->{index} }, mail => $gone);
my $live = address_at($other);
add_user($t, acct => $at{ $other->{index} }, mail => $live);
my $sent = links_of($at{ $other->{index} });

down($dead);
my $whole = link_for(address_at($other));
is($whole->{status}, 200, 'a link for an unknown address');
for ([$live, 1, 'a user'], [$both, 1, 'a user, and one who is away'],
    [$gone, 0, 'a user who is away'])
{
    my ($mail, $links, $name) = @$_;
    my $r = link_for($mail);
    is($r->{status}, 200, "$name: the portal accepts the request for a link");
    is($r->{body}, $whole->{body}, 'the answer is that for an unknown address');
    $sent += $links;
    is(links_of($at{ $other->{index} }), $sent, "links made: $links");
}
my $r = link_for(address_at($dead));
is($r->{status}, 503, 'an address whose index is away');
like($r->{body}, qr/Nothing was changed/, 'nothing was changed');
up($dead);
$r = link_for($gone);
is($r->{status}, 200, 'the user is back');
is(links_of($at{ $dead->{index} }), 1, 'a link is made');

# The partition that counts the requests of the network is away: another one
# counts them.
my %of_mail = map { substr(sha256_hex($_), 0, 32) => 1 } @mail;
my ($asked) = grep { !$of_mail{ (split /:/)[-1] } }
    map { @{ redis($_, 'KEYS', 'rbl:{*}:asked:*') } } @{ $f->{nodes} };
my $counts = node_of($f, slot_of($asked));
my ($rest) = grep { $_ != $counts } @{ $f->{nodes} };
down($counts);
is(link_for(address_at($rest))->{status}, 200, 'the network is counted');
up($counts);


# --- passkeys -----------------------------------------------------------------

# The passkey of a user signs in while any other node is away, that of partition
# 0, too.
my $user = sign_in($t, acct => $at{ $other->{index} });
my $key = passkey_new();
my $begun = json(portal($t, $user, 'POST', 'passkey/begin.json'))->{data};
$key->{user} = $begun->{user};
accepted(portal($t, $user, 'POST', 'passkey/add.json', fields => { name => 'n',
    passkey_made($key, $begun->{challenge}) }), 'the portal adds a passkey');
for my $node (grep { $_ != $other } @{ $f->{nodes} }) {
    down($node);
    my $r = portal($t, undef, 'POST', 'session/begin.json');
    is($r->{status}, 200, 'a challenge without a node');
    $r = portal($t, undef, 'POST', 'session/passkey.json', fields => {
        passkey_signed($key, json($r)->{data}{challenge} // 'A' x 43) });
    is($r->{status}, 200, 'the passkey signs in');
    $r = accepted(portal($t, $user, 'GET', 'lists/state.json'), 'the lists');
    is(scalar @{ $r->{data} }, 1, 'all of them');
    is($r->{partitions_away}, (grep { $_ == $node } values %part_at),
        'the response counts the partitions of the node');
    up($node);
}


# --- the pages of operators ---------------------------------------------------

operators($t);
my $op = sign_in($t, acct => { sid => 'AC' . '0' x 32 });
sub ask_op { return accepted(portal($t, $op, 'GET', $_[0]), $_[0]) }

my $accounts = ask_op('operator/accounts.json');
my $listed = ask_op('operator/lists.json');
is($_->{partitions_away}, 0, 'nothing is left out') for
    ask_op('operator/status.json')->{data}{store}, $accounts, $listed;
my $parts = grep { $_ == $dead } values %part_at;
my @left = grep { $part_at{ partition_of($_) } != $dead }
    map { $_->{id} } @{ $accounts->{data} };
down($dead);
my $store = ask_op('operator/status.json')->{data}{store};
is($store->{partitions_away}, $parts, 'status: the partitions of the node');
is($store->{accounts}, @left,
    'the status does not count the accounts of the node');
my ($next, @pages) = ('');
do {
    my $page = ask_op('operator/accounts.json?limit=1' . ($next
        && "&after=$next"));
    is($page->{partitions_away}, $parts, 'accounts: says so');
    push @pages, map { $_->{id} } @{ $page->{data} };
    $next = $page->{next};
} while $next && @pages <= @left;
is_deeply(\@pages, \@left, 'the pages have all accounts of the other nodes');
my $now = ask_op('operator/lists.json');
is_deeply($now->{data}, $listed->{data}, 'lists: all of them');
is($now->{partitions_away}, $parts,
    'the response to the lists counts the partitions away');
up($dead);

done_testing();
