#!/usr/bin/perl

# Times that a daemon finds in the account's time zone: a mute that is repeated
# holds at its times, and contacts get what it held back when one is over; a
# message to a contact with a rhythm waits for its time.  All times are in
# t/unit/test_rhythm.c.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

my $AHEAD = 5.5 * 3600;                 # Asia/Kolkata, all the year

my $redis = deliver_setup();
lists_of_messages();
my $a = unpacked(cmd('GET', $ACCT));
$a->[4] = 'Asia/Kolkata';
cmd('SET', $ACCT, packed($a));
my $d = start_deliverd(conf => { digest_window => '100ms',
    contact_limit => 1000 });
my $hook = start_receiver();
contact_active('endpoint', $hook->{url});

# The local time there; a time in ms without its seconds.
sub shown { my @t = gmtime $_[0] + $AHEAD; return sprintf '%02d:%02d',
    @t[2, 1] }
sub minute { return 60_000 * int $_[0] / 60 }

sub mute {
    my ($target, $rule, $minutes) = @_;
    my $mu = sid('MU');
    is(script('mute_add', [$ACCT], mute => $mu, target => $target, ends => 0,
        rule => $rule, minutes => $minutes, reason => 'why',
        longest => 86_400_000)->[0], 'OK', "a mute is repeated: $rule");
    return $mu;
}
sub times_of { my $m = unpacked(cmd('GET', k('r', $AC, $_[0])));
    return @$m[4, 5] }
sub found {
    my ($mu) = @_;
    soon { (times_of($mu))[1] > 0 } 'a daemon finds the next time';
    return times_of($mu);
}
sub host {
    my ($value) = @_;
    my $ht = sid('HT');
    script('host_add', [$ACCT], name => $value, type => 'rbl', family => 1,
        host => $ht, value => $value);
    return $ht;
}
sub hosts { return map { $_->{host} } map { @{ $_->{json}{hosts} } }
    received($hook) }

# --- a time that has begun ---------------------------------------------------

my $begin = time - 600;
my $muted = host('192.0.2.1');
my $open = mute($muted, 'daily ' . shown($begin), 60);
my ($begins, $ends) = found($open);
is($begins, minute($begin), 'a mute has begun at the local time of its rule');
is($ends, $begins + 3_600_000, 'a mute lasts for its minutes');

event_emit(host => $muted);
event_emit(host => host('192.0.2.2'));
soon { idle() && hosts() } 'a host that is not muted is told';
is_deeply([hosts()], ['192.0.2.2'], 'a host that is muted is not told');

# --- it is over --------------------------------------------------------------

# The rule of an hour ago, whose time has just ended.
my $m = unpacked(cmd('GET', k('r', $AC, $open)));
$m->[5] = 1000 * time - 1000;
$m->[4] = $m->[5] - 60_000;
my $hour_ago = time - 3600;
@$m[6, 7] = ('daily ' . shown($hour_ago), 10);
cmd('SET', k('r', $AC, $open), packed($m));
cmd('ZADD', k('unmutes'), $m->[5], "$AC:$open");
soon { hosts() == 2 } 'what was held back is told when that time is over';
is_deeply([hosts()], ['192.0.2.2', '192.0.2.1'], 'the muted host is told once');
is((times_of($open))[0], minute($hour_ago) + 86_400_000,
    'the next time is the one of tomorrow');

# --- a time that is to come --------------------------------------------------

my $later = time + 2 * 86_400;
my $day = (qw(sun mon tue wed thu fri sat))[(gmtime $later + $AHEAD)[6]];
my $weekly = mute('', "weekly $day " . shown($later), 90);
($begins, $ends) = found($weekly);
is($begins, minute($later), 'a mute begins on its day of the week');
is($ends, $begins + 90 * 60_000, 'a mute of a later day has its minutes, too');
event_emit(host => host('192.0.2.3'));
soon { hosts() == 3 } 'before that everything is told';

# --- one without another time ------------------------------------------------

my $short = sid('MU');
script('mute_add', [$ACCT], mute => $short, target => '', ends => 1000 * time
    + 60_000, rule => 'daily ' . shown(time + 7200), minutes => 5,
    reason => 'why', longest => 86_400_000);
found($short);
is(unpacked(cmd('GET', k('r', $AC, $short)))->[6], '',
    'a mute whose next time would be too late is over');
is(cmd('ZSCORE', k('unmutes'), "$AC:$short"), undef,
    'a mute that is over has no turn');

# --- a rhythm ----------------------------------------------------------------

my $co = contact_active('endpoint', "$hook->{url}hourly", weight => 0,
    rhythm => 'hourly');
event_emit(host => host('192.0.2.4'));
soon { cmd('ZSCORE', k('later'), "$AC:$co") } 'a message waits for its time';
my $wait = cmd('ZSCORE', k('later'), "$AC:$co") - 1000 * time;
ok($wait > -60_000 && $wait <= 3_601_000,
    'a message waits for an hour at most');
is(cmd('ZSCORE', k('later'), "$AC:$co") % 3_600_000, 1_800_000,
    'a message goes on the full hour of the time zone');
done_testing();
