#!/usr/bin/perl

# An event leaves only when its record is safe from a failover: while no replica
# has it, nothing is sent, and afterwards all is.  This holds for first attempts,
# for later ones and for messages to contacts.

use strict;
use warnings;

use Digest::SHA qw(sha256);
use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblFailover;
use RblNodes;

# Redis and the Sentinels take no notice of servers that stand still.
my $f = start_sentinels(replicas => 1, max_lag => 60, down_after => 60000);
my $w = nodes_world($f, data => listed_entry(map { "10.0.0.$_" } 1 .. 9));
my $receiver = receiver_of($w);
my $checkd = start_checkd(store => $f, resolver => $w->{dns},
    conf => { conf_short(deliver => 'on', deliver_http => 'on',
        deliver_allow => '127.0.0.0/8', deliver_timeout => '1s',
        log_level => 'debug') });
my ($replica) = replicas($f);

sub seen { return map { $_->{json}{host}{host} } received($receiver) }
sub held {
    my ($n) = @_;

    eventually { log_count($checkd,
        'a replica is gone, and may be the master now') >= $n } 20,
        'the daemon notices that no replica has what it has read';
}

add_host($w, '10.0.0.1');
eventually { grep { $_ eq '10.0.0.1' } seen() } 20,
    'an event is delivered while the replica answers';

# --- first attempts ----------------------------------------------------------

pause_server($replica);
my $before = log_count($checkd, 'a replica is gone');
add_host($w, '10.0.0.2');
held($before + 2);
is(scalar(grep { $_ eq '10.0.0.2' } seen()), 0,
    'no event leaves that no replica has');
cont_server($replica);
eventually { grep { $_ eq '10.0.0.2' } seen() } 30,
    'the event leaves when the replica has it';

# --- later attempts ----------------------------------------------------------

answer_with($receiver, status => 500);
add_host($w, '10.0.0.3');
eventually { grep { $_ eq '10.0.0.3' } seen() } 20, 'an attempt fails';
my $p = partition_of($w->{acct}{sid});
my @retry = ($f, 'ZRANGE', "rbl:{$p}:retry", 0, -1);
eventually { @{ redis(@retry) } == 1 } 20, 'the delivery waits for a retry';
answer_with($receiver, status => 200);
pause_server($replica);
$before = log_count($checkd, 'a replica is gone');
redis($f, 'ZADD', "rbl:{$p}:retry", 0, redis(@retry)->[0]);
held($before + 1);
is(scalar(grep { $_ eq '10.0.0.3' } seen()), 1,
    'a retry that no replica has does not leave');
cont_server($replica);
eventually { grep({ $_ eq '10.0.0.3' } seen()) == 2 } 40,
    'the retry leaves when a replica has it';

# --- messages to contacts ----------------------------------------------------

my $contact = start_receiver();
pause_server($replica);
$before = log_count($checkd, 'a replica is gone');
my $co = fresh_sid('CO');
script_ok($w, 'contact_add', [redis_key('acct', $w->{acct}{sid})],
    contact => $co, type => 'endpoint', value => $contact->{url},
    schedule => 'every_check', digest => sha256("${co}code"), code => 'code',
    event => fresh_sid('EV'));
held($before + 1);
is(scalar(my @none = received($contact)), 0,
    'no message to a contact leaves that no replica has');
cont_server($replica);
eventually { received($contact) == 1 } 30,
    'the message leaves when the replica has it';

# --- no replica --------------------------------------------------------------

# A replica that is gone delays nothing for long.
redis($_, 'CONFIG', 'SET', 'min-replicas-to-write', 0) for @{ $f->{nodes} };
kill_server($replica);
add_host($w, '10.0.0.4');
eventually { grep { $_ eq '10.0.0.4' } seen() } 20,
    'events are delivered without a replica';
ok(stop_server($checkd), 'the daemon stops');

done_testing();
