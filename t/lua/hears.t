#!/usr/bin/perl

# Subscribers of a host: 1,000 contacts in 50 groups each, and no script takes
# more than 2 ms of Redis on the fastest of several attempts; a slow machine may take
# longer (t/lib/RblWorst.pm).  A few subscribers
# are notified at once; many are notified in slices, each of them once, in the
# order of the changes.
#
# Alone: measures the time of scripts.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblWorst qw(calibrate slowness);

use constant { CONTACTS => 1000, GROUPS => 50, TRIES => 5, MOST_US => 2000,
    STATE => 2 ** 42 };

redis_new();
my ($ac, $acct) = account();
my @cg = map { sid('CG') } 1 .. 2 * GROUPS + 1;
script('group_add', [$acct], group => $_, name => 'g', is_default => '0')
    for @cg;
my @here = @cg[0 .. GROUPS - 1];
my @there = @cg[GROUPS .. 2 * GROUPS - 1];
my $one = $cg[-1];
my @co = map { sid('CO') } 1 .. CONTACTS;

# Contacts with these groups: the first argument is their schedule.
sub contact_is {
    my ($i, $schedule, @groups) = @_;

    cmd('SET', k('r', $ac, $co[$i]), packed([1, $co[$i], 'endpoint',
        'https://x.example/', $schedule, 'active', [@groups], 1, '', 0, 0,
        0]));
    cmd('ZADD', k('contacts', $ac), $i + 1, $co[$i]);
}
sub contacts_are {
    my ($schedule, @groups) = @_;

    contact_is($_, $schedule, @groups) for 0 .. $#co;
    cmd('SET', k('seq', $ac), CONTACTS + 1);
    contacts_hear($ac);
}
sub forget {
    tellings_end();
    cmd('DEL', @$_) for grep { @$_ } map { cmd('KEYS', k($_, '*')) }
        'digest', 'open', 'batch';
    cmd('DEL', k('digests'));
}

# Runs the code and returns the longest time of one script (us).  If there are
# very many, the slowest twentieth were interrupted and do not count.
sub most_us {
    my ($code) = @_;

    cmd('SLOWLOG', 'RESET');
    $code->();
    my @us = sort { $b <=> $a } 0, map { $_->[2] }
        grep { $_->[3][0] =~ /^eval/i } @{ cmd('SLOWLOG', 'GET', -1) };
    return $us[@us / 20];
}

# Number of commands that the code sends, including those of scripts.
sub calls {
    my ($code) = @_;

    cmd('CONFIG', 'RESETSTAT');
    $code->();
    my ($n, $info) = (0, cmd('INFO', 'commandstats'));
    $n += $1 while $info =~ /^cmdstat_[^:]+:calls=(\d+)/mg;
    return $n;
}
cmd('CONFIG', 'SET', 'slowlog-log-slower-than', 0);
cmd('CONFIG', 'SET', 'slowlog-max-len', 100_000);

my $ht = unpacked(add_host($acct, 'rbl', '192.0.2.1')->[1])->[1];
sub move { return script('host_update', [$acct], host => $ht,
    groups => \@_)->[0] }
sub check {
    my ($says) = @_;

    my $pp = sid('PP');
    script('check_start', [$acct], check => $pp, host => $ht, family => 1,
        app => sid('AP'), keep => 60_000);
    take('m', 1);
    begin($acct, $pp, $ht);
    my $r = finish_check($acct, $pp, $ht, [$says eq 'listed'
        ? listed_result('RBa') : result('RBa', 'clear')]);
    is($r->[0], 'OK', "a check: $says") if $r->[0] ne 'OK';
}
sub marks {
    my %n;
    for my $co (@co) {
        my $score = cmd('ZSCORE', k('digest', $ac, $co), $ht) // next;
        $n{ int $score / STATE }++;
    }
    return join ' ', map { "$_:$n{$_}" } sort keys %n;
}
sub looks {
    return scalar grep { cmd('ZSCORE', k('digest', $ac, $_), "?$ht") } @co;
}


# --- cost ---------------------------------------------------------------------

contacts_are('start_and_end', @here);
my %deeds = (
    'other groups' => sub { move(@there); move(@here) },
    'the slices of that' => sub { move(@there); tellings_end(); move(@here);
        tellings_end() },
    'a check that ends' => sub { check($_) for 'listed', 'clear' },
    'the slices of those' => sub { check($_), tellings_end()
        for 'listed', 'clear' },
    'a contact that changes' => sub {
        my $co = $co[rand @co];
        script('contact_status', [$acct], contact => $co, status => $_)
            for 'paused', 'active';
        cmd('HSET', k('refs', $ac), 'c', 0);
        script('contact_update', [$acct], contact => $co,
            schedule => 'every_check', groups => $_) for \@there, \@here;
        script('contact_update', [$acct], contact => $co,
            schedule => 'start_and_end');
    },
    'a contact that comes and goes' => sub {
        my ($co, $last) = (sid('CO'), $co[-1]);
        script('contact_delete', [$acct], contact => $last);
        script('contact_add', [$acct], contact => $co, type => 'email',
            value => 'a@b.example', schedule => 'start_and_end', digest => 'd',
            code => 'code', event => sid('EV'), groups => \@here);
        script('contact_confirm', [$acct], contact => $co, digest => 'd');
        cmd('DEL', @{ cmd('KEYS', k('sent', '*')) });
        $co[-1] = $co;
    },
    'a host that is deleted' => sub {
        my $gone = unpacked(add_host($acct, 'rbl', '192.0.2.2')->[1])->[1];
        script('host_update', [$acct], host => $gone, groups => \@here);
        script('host_delete', [$acct], host => $gone, keep => 60_000);
    },
);
for my $name (sort keys %deeds) {
    my ($least, @looks) = 9e9;
    for (1 .. TRIES) {
        forget();
        push @looks, calibrate();
        my $us = most_us($deeds{$name});
        $least = $us if $us < $least;
    }
    cmp_ok($least, '<', MOST_US * slowness(@looks),
        "$name: at most 2 ms a script");
    note(sprintf '%s: %d us, slowness %.2f', $name, $least, slowness(@looks));
}
forget();
cmp_ok(calls(sub { move(@there) }), '<', 500, 'commands of a move');
cmp_ok(calls(sub { check('listed') }), '<', 500, 'commands of a check');
forget();


# --- few are notified at once, many in slices -----------------------------------

contacts_are('start_and_end', $one);
move($here[0]);
forget();
contact_is($_, 'start_and_end', $one, $here[0]) for 0 .. 99;
contacts_hear($ac);
check('clear');
check('listed');
is(marks(), '0:100', 'a hundred are changed at once');
forget();
move($one);
is(looks(), 0, 'the others follow later');
cmp_ok(tellings_end(), '>', 5, 'the other contacts are notified in slices');
is(looks(), CONTACTS - 100, 'each contact that lost or got the host');
is(cmd('ZCARD', k('digests')), CONTACTS - 100, 'each has a digest');
ok(!cmd('EXISTS', k('telling', $ac)), 'no work is left after the last slice');
forget();
check('clear');
check('listed');
is(marks(), '', 'a check that ends changes no digest at once');
script('telling_step', [k('tellings')]);
is(marks(), '0:16', 'one slice changes sixteen digests');
check('clear');
is(marks(), '0:16', 'later changes wait');
tellings_end();
is(marks(), '1:' . CONTACTS, 'the last slice applies later changes');
forget();

# the last waiting change counts, for each schedule

my %last = ('listed listed clear' => '1 1', 'listed clear listed' => '0 0',
    'listed clear' => '1 1', 'listed clear clear' => '1 1',
    'clear clear' => ' 2', 'listed listed' => '0 0');
for my $case (sort keys %last) {
    my @want = split / /, $last{$case}, 2;
    for my $schedule ('start_and_end', 'every_check') {
        contacts_are($schedule, $one);
        check('clear');
        forget();
        check($_) for split / /, $case;
        tellings_end();
        my $want = shift @want;
        is(marks(), $want eq '' ? '' : "$want:" . CONTACTS,
            "$schedule: the last change counts after $case");
        forget();
    }
}

# a host that is moved there and back, and a deleted one

contacts_are('start_and_end', $one);
move($here[0]);
move($one);
tellings_end();
is(looks(), CONTACTS, 'moved and moved back: all are visited');
forget();
move(@cg);
is(move(@there), 'OK', 'the host moves to other groups');
script('host_delete', [$acct], host => $ht, keep => 60_000);
is(cmd('HLEN', k('telling', $ac)), 1, 'one change of a host waits');
tellings_end();
my $row = cmd('ZRANGE', k('digest', $ac, $co[5]), 0, -1);
is_deeply($row, ["?$ht", "?$ht|192.0.2.1|name"],
    'the digest has the name of the deleted host');
forget();


# --- places of contacts in groups ------------------------------------------------

cmd('HSET', k('refs', $ac), 'c', 9_999);
cmd('ZREM', k('contacts', $ac), @co[10 .. $#co]);
sub add {
    return script('contact_add', [$acct], contact => sid('CO'),
        type => 'email', value => 'b' . rand() . '@b.example',
        schedule => 'start_and_end', digest => 'd', code => 'code',
        event => sid('EV'), groups => \@_);
}
is_deeply(add(@here[0, 1]), ['PLACES', 10_000], 'no more than 10,000 places');
is(add($here[0])->[0], 'OK', 'the last free place is accepted');
is(cmd('HGET', k('refs', $ac), 'c'), 10_000, 'the account uses 10,000 places');
is_deeply(script('contact_update', [$acct], contact => $co[0],
    groups => [@here[0, 1]]), ['PLACES', 10_000],
    'a change beyond 10,000 places is refused');
is(script('contact_update', [$acct], contact => $co[0],
    groups => $here[0])->[0], 'OK', 'one group for another');
is(script('contact_delete', [$acct], contact => $co[0])->[0], 'OK',
    'the contact is deleted');
is(cmd('HGET', k('refs', $ac), 'c'), 9_999,
    'the deleted contact frees its place');

done_testing();
