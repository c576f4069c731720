#!/usr/bin/perl

# Eight new accounts whose receivers never answer do not use up the slots of
# others: an account whose receiver answers at once gets its events at once,
# with callbacks to one host each or to many.  The unanswered deliveries become
# dead letters.

use strict;
use warnings;
use IO::Socket::INET;
use Time::HiRes qw(sleep);
use RblTest;
use RblScript;
use RblDeliver;

# Attacking accounts; callbacks of each; events of the other account; seconds
# that the test waits for one of them, in which no unanswered attempt ends.
use constant { ACCOUNTS => 8, CALLBACKS => 40, EVENTS => 10, SOON => 10 };

# The kernel accepts connections, and no program answers.
my $port = free_port();
my @tarpits = map { IO::Socket::INET->new(LocalAddr => "127.0.0.$_",
    LocalPort => $port, Listen => 4096, ReuseAddr => 1) or die "listen: $!" }
    1 .. 100;

deliver_setup();
my $hook = start_receiver();
my $d = start_deliverd(conf => { deliver_timeout => '60s' });

sub as_account {
    my ($code, @of) = @_;

    local ($RblDeliver::AC, $RblDeliver::ACCT, $RblDeliver::AP) = @of;
    return $code->();
}

sub new_account {
    my ($ac, $acct) = account();
    my $ap = sid('AP');
    script('app_put', [$acct], app => $ap, name => 'app', secret => $SECRET,
        field => 'f' x 16, digest => 'd' x 32);
    return [$ac, $acct, $ap];
}

# Connections from here to the tarpits.
sub connections {
    my $hex = sprintf '%04X', $port;
    return scalar(() = read_file('/proc/net/tcp')
        =~ /^ *\d+: \w+:\w+ \w+:$hex 0[12] /mg);
}

# All dead letters of the account are of attempts at its callbacks.
sub letters { return map { as_account(sub { dead_letters() }, @$_) } @_ }

my @attackers;
for my $case (['one host', sub { 1 }], ['a host each', sub { $_[0] }]) {
    my ($name, $host) = @$case;
    push @attackers, my @new = map { new_account() } 1 .. ACCOUNTS;
    for my $of (@new) {
        as_account(sub { one_off('http://127.0.0.' . $host->($_) . ":$port/$_",
            '192.0.2.7') for 1 .. CALLBACKS }, @$of);
    }
    soon { connections() >= 30 } "$name: most places are in use";

    my $victim = new_account();
    as_account(sub { hook_add($hook->{url}, 's', 'rbl.host.listed') },
        @$victim);
    for (1 .. EVENTS) {
        my $had = () = received($hook);
        as_account(sub { event_emit() }, @$victim);
        soon { received($hook) > $had } "$name: the other account gets event $_",
            SOON;
        sleep 0.1;
    }
}

# A day passes.
stop_server($d);
time_passes(90_000);
$d = start_deliverd(conf => { deliver_timeout => '1s' });
my $all = CALLBACKS * @attackers;
soon { letters(@attackers) >= $all } 'all end as dead letters', 120;
my %ends = map { ("$_->{s} $_->{x}" => 1) } letters(@attackers);
is(scalar(() = letters(@attackers)), $all,
    'each delivery becomes one dead letter');
like($_, qr/^0 (?:timeout|the receiver failed)/,
    "the dead letters have the error $_")
    for sort keys %ends;
soon { !grep { @{ cmd('KEYS', k('dlv', $_->[0], '*')) } } @attackers }
    'nothing is left';
ok(alive($d), 'the daemon runs after the attack');
done_testing();
