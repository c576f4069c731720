#!/usr/bin/perl

# Circuits of the hosts of callbacks and endpoint contacts, and the budget of an
# account for failed attempts.

use strict;
use warnings;
use RblTest;
use RblScript;

redis_new();
my ($ac, $acct) = account();
my ($ap, $day) = (sid('AP'), 86_400_000);
script('app_put', [$acct], app => $ap, name => 'app', secret => 'secret',
    field => 'f' x 16, digest => 'd' x 32);
cmd('XGROUP', 'CREATE', k('outbox'), 'deliver', '0', 'MKSTREAM');
my $url = 'https://Dead.example:8443/a?b';
my $same = 'https://dead.example:8443/other';

sub claim {
    my $r = script('delivery_claim', [k('retry')], most => 100,
        lease => 60_000);
    return @$r[2 .. $#$r];
}
sub done {
    my ($d, $outcome) = @_;
    return script('delivery_done', [k('retry')], member => $d->[0],
        attempt => $d->[4], outcome => $outcome, delay => 1000,
        status => $outcome eq 'ok' ? 200 : 500, error => 'text',
        quiet => 0)->[0];
}
# One event with a callback, whose first attempt has this outcome.
sub event {
    my ($to, $outcome) = @_;
    my $id = read_event($ac, my $ev = sid('EV'));
    end_events(60_000, [$id, $ac, $ev, 't', '{}',
        ['CB0', $outcome, '', $to, $ap, 1000, 500, 'text', 0]]);
    return "$ac:$ev:CB0";
}
sub waits { my ($m) = @_; return cmd('ZSCORE', k('retry'), $m) - now_ms() }
sub state {
    my ($k) = @{ cmd('KEYS', k('hook', $ac, 'CB*')) };
    return $k ? { @{ cmd('HGETALL', $k) } } : {};
}
sub direct { return scalar @{ (targets($ac, "$ap$_[0]"))[0][0] } > 1 }
sub all_due {
    cmd('ZADD', k('retry'), 1, $_) for @{ cmd('ZRANGE', k('retry'), 0, -1) };
}
sub quiet_over {
    cmd('HDEL', $_, 'probe') && 0 || cmd('HSET', $_, 'till', 1)
        for @{ cmd('KEYS', k('hook', $ac, 'CB*')) };
}

# --- a callback's host -----------------------------------------------------

my @m = map { event($url, 'retry') } 1 .. 4;
ok(direct($url), 'four failures: the next is tried at once');
is(state()->{fails}, 4, 'the circuit counts four failures');
event('https://fine.example/', 'ok');
is(state()->{fails}, 4, 'another host has no part in it');
push @m, event($same, 'retry');
ok(state()->{till} > now_ms() + 25_000, 'the fifth opens the circuit');
ok(!direct($url) && !direct($same), 'nothing is tried at once');
ok(direct('https://fine.example/') && direct('https://dead.example/')
    && direct('http://127.0.0.1/'), 'other hosts and ports are tried at once');
all_due();
is(scalar(() = claim()), 0, 'nothing is claimed');
cmp_ok($_, '>', 20_000,
    'a delivery waits for the end of the pause') for map { waits($_) } @m;

# the probe
quiet_over();
all_due();
my @d = claim();
is(scalar @d, 1, 'one event is sent as a probe');
is(done($d[0], 'retry'), 'OK', 'the probe fails');
ok(state()->{till} > now_ms() + 55_000, 'the pause is twice as long');
quiet_over();
all_due();
@d = claim();
is(done($d[0], 'ok'), 'OK', 'the next probe comes through');
is_deeply(state(), {}, 'the circuit is closed');
all_due();
is(scalar(@d = claim()), 4, 'all are claimed');
is(done($_, 'ok'), 'OK', 'delivery_done records each delivery') for @d;
ok(direct($url), 'the next is tried at once');

# --- contacts with a URL at the same host ----------------------------------

my $co = sid('CO');
sub contact {
    my ($type, $value) = @_;
    cmd('SET', k('r', $ac, $co), record_pack('contact', version => 1,
        id => $co, type => $type, value => \$value, schedule => 'every_check',
        status => 'active', groups => [], created => 1, digest => '',
        until => 0, tries => 0, sent => 0));
}
sub message {
    my $ev = sid('EV');
    cmd('HSET', k('dlv', $ac, $ev, $co), 'attempt', 0, 'first', now_ms());
    cmd('HSET', k('event', $ac, $ev), 'type', 'contact.trigger', 'body', '{}',
        'open', 1);
    cmd('ZADD', k('retry'), 1, "$ac:$ev:$co");
    return "$ac:$ev:$co";
}
sub fresh {
    cmd('DEL', k('retry'), k('dead', $ac), @{ cmd('KEYS', k('hook', '*')) });
}

# Types of contacts whose value is a URL at any host, and values.
for ([endpoint => $same], [endpoint => 'https://dead.example:8443 name:word']) {
    my ($type, $value) = @$_;
    my $to = "$type $value";
    fresh();
    contact($type, $value);
    message() for 1 .. 5;
    is(scalar(@d = claim()), 5, "five messages to $to are claimed");
    is(done($_, 'retry'), 'OK',
        "delivery_done records the failure of each message to $to") for @d;
    ok(state()->{till} > now_ms() + 25_000, "$to opens the circuit");
    ok(!direct($url), "callbacks to the host of $to wait too");
    my $late = message();
    is(scalar(() = claim()), 0, "the next message to $to waits too");

    # one day later
    cmd('HSET', k('dlv', split /:/, $late), 'first', now_ms() - $day - 1000);
    cmd('ZADD', k('retry'), 1, $late);
    is(scalar(() = claim()), 0, "a message to $to is not sent after a day");
    is(cmd('ZSCORE', k('retry'), $late), undef,
        "a message to $to leaves the queue after a day");
    my ($letter) = map { { @{ $_->[1] } } }
        @{ cmd('XRANGE', k('dead', $ac), '-', '+') };
    is($letter->{x}, 'the receiver failed all the time',
        "the dead letter of $to has the reason");
}

# A service has no circuit: only one of its channels may fail.
fresh();
contact('slack', $same);
message() for 1 .. 5;
done($_, 'retry') for claim();
is_deeply(state(), {}, 'a contact at a service opens no circuit');
message();
is(scalar(() = claim()), 1, 'the next message to the service is claimed');

# --- the account's budget --------------------------------------------------

cmd('DEL', k('retry'), @{ cmd('KEYS', k('hook', '*')) });
my @hosts = map { event("https://h$_.example/", 'retry') } 1 .. 499;
ok(direct('https://new.example/'), '499 hosts that fail');
event('https://h500.example/', 'retry');
ok(!direct('https://new.example/'),
    '500 failing hosts stop all first attempts of the account');
my ($other) = account();
my $its = sid('AP');
script('app_put', [k('acct', $other)], app => $its, name => 'app',
    secret => 's', field => 'e' x 16, digest => 'c' x 32);
is(scalar @{ (targets($other, "${its}https://h1.example/"))[0][0] }, 4,
    'of another account it is');
all_due();
is(scalar(() = claim()), 0, 'nothing is claimed');
cmp_ok(waits($hosts[0]), '<=', 15_000,
    'a delivery waits ten seconds and some to spread');
my $budget = k('hook', $ac, 'all');
cmp_ok(cmd('PTTL', $budget), '<=', 10_000, 'the budget is of ten seconds');
cmd('DEL', $budget);
all_due();
is(scalar(() = claim()), 100,
    'deliveries are claimed when the budget is renewed');
done_testing();
