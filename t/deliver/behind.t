#!/usr/bin/perl

# The outbox holds hundreds of callbacks of one account, to a receiver that
# never answers, and behind them an event of another account.  The daemon must
# deliver that event at once, not only when the receiver is known to be slow.

use strict;
use warnings;
use IO::Socket::INET;
use List::Util qw(min);
use Time::HiRes qw(time);
use RblTest;
use RblScript;
use RblDeliver;

# Number of callbacks, more than the daemon queues; attempts, because the
# machine may be busy; seconds that the best attempt may take longer than one
# without callbacks.
use constant { CALLBACKS => 400, TRIES => 8, BOUND => 0.5 };

# The kernel accepts connections, and no program answers.
my $port = free_port();
my @tarpits = map { IO::Socket::INET->new(LocalAddr => "127.0.0.$_",
    LocalPort => $port, Listen => 4096, ReuseAddr => 1) or die "listen: $!" }
    1 .. 100;

deliver_setup();
my $hook = start_receiver();
hook_add($hook->{url}, 's', 'rbl.host.listed');
my $d = start_deliverd(conf => { deliver_timeout => '15s' });

sub callbacks_of_another {
    my ($to) = @_;

    local ($RblDeliver::AC, $RblDeliver::ACCT) = account();
    local $RblDeliver::AP = sid('AP');
    script('app_put', [$RblDeliver::ACCT], app => $RblDeliver::AP,
        name => 'app', secret => $SECRET, field => 'f' x 16,
        digest => 'd' x 32);
    one_off('http://' . $to->($_) . ":$port/$_", '192.0.2.7')
        for 1 .. CALLBACKS;
}

# Seconds until the daemon delivers an event, with what is before it.
sub waits {
    my ($before) = @_;

    signal_server($d, 'STOP');
    $before->();
    event_emit();
    my $had = () = received($hook);
    my $since = time;
    signal_server($d, 'CONT');
    wait_for { received($hook) > $had } 40, 'the event';
    return time - $since;
}

# The same without callbacks, on this machine and now.
my $alone = min(map { waits(sub {}) } 1 .. 3);

for my $case (['one host', sub { '127.0.0.1' }],
    ['many hosts', sub { '127.0.0.' . (1 + $_[0] % 100) }])
{
    my ($name, $to) = @$case;
    my @took;
    while (@took < TRIES && (!@took || min(@took) >= $alone + BOUND)) {
        push @took, waits(sub { callbacks_of_another($to) });
    }
    cmp_ok(min(@took), '<', $alone + BOUND,
        sprintf '%s: it waits for %.2f s, alone %.2f s', $name, min(@took),
        $alone);
}
ok(alive($d), 'the daemon lives');
done_testing();
