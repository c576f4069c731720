#!/usr/bin/perl

# Each instant at which a daemon or the store may be killed while a payment is
# made: the payment is charged once, booked once and reported once.  A relay
# before the store keeps a call or its reply back, so that the instant is known.

use strict;
use warnings;

use Digest::SHA qw(sha1_hex);
use Time::HiRes qw(time);

use RblBill;
use RblFault;
use RblStripe;
use RblTest;

my $t = bill_world(redis => { cluster => 1,         # its relay
    args => ['--appendfsync', 'always'] },
    conf => { gateway_timeout => '5s', lease => '2s', check_timeout => '500ms' });
my $stripe = $t->{stripe};
bill_plan($t, 'Business');
add_card($t, 'pm_card_visa');
wait_for { bill($t)->{state} eq 'active' && bill($t)->{open} eq '' } 20,
    'the first payment';
stop_server($t->{checkd});
my $relay = start_relay($t->{redis});
$t->{conf}{store} = $relay->{addr};
bill_start($t);

sub sha_of { return sha1_hex(read_file(build_dir() . "/gen/lua/$_[0].lua")) }

sub charges { return scalar @{ stripe_state($stripe)->{charges} } }

sub newest { return redis($t->{redis}, 'ZRANGE', redis_key('payments',
    $t->{ac}), -1, -1)->[0] }

# The payment that is due; undef: there is none.
my $last;
sub current { my $py = newest();
    return $py eq $last ? undef : payment($t, $py) }

sub state_now { my $p = current(); return $p ? $p->{state} : 'none' }

sub due { $last = newest();
    return passes($t, bill($t)->{ends} - int(time * 1000) - 7 * DAY + 1000) }

# The list of payments that the gateway keeps is empty for once, so that the
# request itself is made again.
sub blind {
    stripe_fault($stripe, 'change', match => '^GET /v1/payment_intents$',
        set => { data => [], has_more => JSON::XS::false });
}

# The payment goes on, and ends: so many requests were to charge, the last one
# was a replay or not.
sub goes_on {
    my ($name, $before, $posts, $replayed) = @_;

    wait_for { my $b = bill($t); $b->{open} eq '' && $b->{ends} > time * 1000
        + 8 * DAY } 30, "$name: the end";
    my $p = current();
    is("$p->{state} $p->{attempt}", 'succeeded 0',
        "$name: the payment succeeds in the end");
    my @posts = posts($t, $p->{id});
    is(join(' ', map { $_->{key} } @posts), join(' ', ("$p->{id}-1") x $posts),
        "$name: all requests have one key");
    is($posts[-1]{replayed}, $replayed,
        "$name: the last request has the replay flag $replayed");
    is(charges() - $before, 1, "$name: the gateway has one charge");
}

# Kills the daemon when the relay has kept a call of the script, or its reply,
# back.
sub killed {
    my ($name, $side, $script, $found, %opt) = @_;

    my $before = charges();
    relay_mode($relay, "$side " . sha_of($script));
    due();
    wait_for { relay_kept($relay) && state_now() =~ /$found/ } 30, $name;
    kill_server($t->{checkd});
    like(state_now(), qr/^(?:$found)$/,
        "$name: the payment is in the state $found");
    is(charges() - $before, $opt{charged} // 0,
        "$name: the gateway has the expected charges so far");
    relay_mode($relay, 'through');
    hurry($t);
    due_now($t);
    blind() if $opt{blind};
    restart_server($t->{checkd});
    goes_on($name, $before, $opt{posts} // 1, $opt{blind} ? 1 : 0);
}

killed('before the payment is opened', 'calls', 'bill_step', 'none');
killed('before the reply to that', 'replies', 'bill_step', 'open|sent');
killed('before it is written down that it is sent', 'calls', 'bill_send',
    'open');
killed('before the request', 'replies', 'bill_send', 'sent');
killed('before the answer is recorded', 'calls', 'bill_answer', 'sent',
    charged => 1);
killed('the same, and the list lacks it', 'calls', 'bill_answer', 'sent',
    charged => 1, blind => 1, posts => 2);
killed('after it was recorded', 'replies', 'bill_answer', 'succeeded',
    charged => 1);

# --- the request has arrived, its answer has not -------------------------------

for my $blind (0, 1) {
    my $before = charges();
    stripe_fault($stripe, 'delay', seconds => 3);
    due();
    wait_for { charges() > $before } 30, 'the charge';
    my $over = time + 3;
    kill_server($t->{checkd});
    is(state_now(), 'sent', 'the payment is sent while the answer is delayed');
    hurry($t);
    wait_for { time > $over } 10, 'its key is free';
    blind() if $blind;
    restart_server($t->{checkd});
    goes_on('before the answer', $before, 1 + $blind, $blind);
}

# --- the store is killed while the answer is recorded ---------------------------

for (['calls', 'sent'], ['replies', 'succeeded']) {
    my ($side, $found) = @$_;
    my $before = charges();
    relay_mode($relay, "$side " . sha_of('bill_answer'));
    due();
    wait_for { relay_kept($relay) && state_now() eq $found } 30, 'the answer';
    kill_server($t->{redis});
    relay_mode($relay, 'through');
    restart_server($t->{redis});
    is(state_now(), $found, "the payment is $found after the store is killed");
    hurry($t);
    goes_on('the daemon goes on', $before, 1, 0);
}

# --- the store forgets ------------------------------------------------------------

# Its writes since then are lost.
for my $days (0, 2) {
    kill_server($t->{checkd});
    due();
    my ($before, $file) = (charges(),
        glob "$t->{redis}{dir}/appendonlydir/*.incr.aof");
    my $size = -s $file;
    restart_server($t->{checkd});
    goes_on('before it forgets', $before, 1, 0);
    my $py = current()->{id};
    kill_server($_) for $t->{checkd}, $t->{redis};
    truncate $file, $size or die "truncate: $!";
    stripe_clock($stripe, 86_400 * $days);
    restart_server($t->{redis});
    is(state_now(), 'none',
        "the store has forgotten the payment of $days days ago");
    due_now($t);
    restart_server($t->{checkd});
    goes_on('it is found at the gateway', $before, 1, 0);
    is(current()->{id}, $py,
        'the payment found at the gateway has the same SID');
}

books_agree($t);
done_testing();
