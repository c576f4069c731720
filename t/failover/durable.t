#!/usr/bin/perl

# Changes that a failover must not undo, such as a code that was used: they are
# acknowledged when a replica has them.  While none answers, the response says
# that the outcome is unknown.

use strict;
use warnings;

use RblFailover;
use RblPortal;

# Redis would notice the replica that stands still after max_lag.
my $f = start_sentinels(replicas => 1, max_lag => 60, down_after => 60000);
init_store($f);
my $acct = make_account($f);
my $nginx = start_nginx(store => $f);

sub post {
    my ($call, @form) = @_;

    return http($nginx, 'POST', "/3.0/$call.json", auth => $acct,
        form => [@form]);
}

# The code of the contact, from the event that a daemon would send.
sub code_of {
    my ($id) = @_;

    my $p = partition_of($acct->{sid});
    my ($event) = grep { $_->{contact} eq $id }
        map { record('event', $_->[1][5]) }
        @{ redis($f, 'XREVRANGE', "rbl:{$p}:outbox", '+', '-') };
    return $event->{code};
}

sub add_contact {
    my ($name) = @_;

    my $r = post('contact/add', contact => "$name\@example.com",
        type => 'email', schedule => 'every_check');
    return json($r)->{data}{id};
}

my ($one, $two) = (add_contact('one'), add_contact('two'));
my %code = map { $_ => code_of($_) } $one, $two;

# Until a pattern is in the error log.
sub logged {
    my ($pattern) = @_;

    return wait_for { read_file($nginx->{error_log}) =~ $pattern } 10,
        "$pattern in the log";
}

logged(qr/durable link\) is ready/);
my $r = post("contact/confirm/$one", authcode => $code{$one});
is($r->{status}, 200, 'the API uses a code while the replica answers');

my ($replica) = replicas($f);
pause_server($replica);
$r = post("contact/confirm/$two", authcode => $code{$two});
is($r->{status}, 503, 'a change that no replica confirms gets 503');
like($r->{body}, qr{outcome is unknown},
    'the response says that the outcome is unknown');
ok(logged(qr/no replica confirms a change/),
    'the error log says that no replica confirms a change');

$r = post('host/add', host => '192.0.2.1', name => 'n', type => 'rbl');
is($r->{status}, 200, 'other changes do not wait');

# A program may find that the change was made already, by another connection.
for my $verb (qw(suspend resume resume)) {
    my $c = rblctl($f, 'account', $verb, $acct->{sid});
    isnt($c->{status}, 0, "rblctl: account $verb fails");
    like($c->{err}, qr/no replica confirms it/,
        'rblctl says that no replica confirms it');
}
stop_server($nginx);
$nginx = start_nginx(store => $f, workers => 1);
logged(qr/durable link\) is ready/);
$r = post("contact/confirm/$two", authcode => $code{$two});
is($r->{status}, 503, 'the same change by another worker gets 503');

cont_server($replica);
$r = post("contact/confirm/$two", authcode => $code{$two});
isnt($r->{status}, 503, 'the API answers the call when the replica is back');
is(json(http($nginx, 'GET', "/3.0/contact/$two.json", auth => $acct))
    ->{data}[0]{status}, 'active', 'the code was used');

# All replicas must have it, but one that is dead, or stands still, refuses
# nothing: the Sentinels say that the master is the master still.
{
    my $g = start_sentinels();
    init_store($g);
    my $t = { redis => $g, acct => make_account($g) };
    $t->{nginx} = start_nginx(store => $g, workers => 1,
        portal => 'rbl_store_timeout 4s;');
    my $owner = sign_in($t);
    my ($one, $two) = replicas($g);
    my $n = 0;
    my $add = sub {
        my @got = map { portal($t, $owner, 'POST', 'app/add.json',
            fields => { name => 'n' . ++$n }) } 1 .. 5;
        is(join(' ', map { $_->{status} } @got), '200 200 200 200 200',
            "@_: durable changes are made") or diag(map { $_->{raw} } @got);
    };
    $add->('two replicas');
    pause_server($one);
    $add->('one replica stands still');
    kill_server($one);
    $add->('one replica is dead');
    pause_server($g->{sentinels}[0]);
    pause_server($two);
    my $r = portal($t, $owner, 'POST', 'app/add.json', fields => { name => 'x' });
    is($r->{status}, 503, 'no replica, one Sentinel: a durable change gets 503');
    cont_server($two);
    restart_member($g, $one);
    wait_replicas($g);
    $add->('both are back');
    cont_server($g->{sentinels}[0]);

    # A request of an operator is done when no failover can undo it.
    my $operator = sign_in($t, acct => { sid => operators($t)->{sid} },
        role => 'owner');
    my $state = sub { json(portal($t, $operator, 'GET',
        'operator/requests.json'))->{data}[0]{state} };
    is(portal($t, $operator, 'POST', 'operator/account/add.json',
        fields => { name => 'New' })->{status}, 200, 'an account is requested');
    pause_server($_) for $one, $two;
    my $checkd = start_checkd(store => $g, resolver => 9);
    ok(wait_for(sub { read_file($checkd->{log})
        =~ /no replica of the store has what it changed/ }, 30),
        'a daemon waits for a replica');
    isnt($state->(), 'done',
        'the request of an operator is not done meanwhile');
    cont_server($_) for $one, $two;
    ok(wait_for(sub { $state->() eq 'done' }, 60),
        'the request is done when the replicas are back');
}

# The first request of a new worker may be such a change.
my @first;
for (1 .. 10) {
    stop_server($nginx);
    $nginx = start_nginx(store => $f, workers => 1);
    push @first, post("contact/confirm/$two", authcode => 'wrong1')->{status};
}
is(scalar(grep { $_ == 503 } @first), 0, "new workers refuse none (@first)");

done_testing();
