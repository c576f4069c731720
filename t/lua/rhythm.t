#!/usr/bin/perl

# When a contact is notified: listings that have to stand for some minutes, or
# to be found by some checks; a rhythm and quiet hours, whose times a daemon
# finds (t/unit/test_rhythm.c).  Nothing is lost meanwhile, and nothing is said
# twice.

use strict;
use warnings;
use RblDigest;
use RblScript;
use RblTest;

my ($ac, $acct) = digests_new();
my $LOOK = 3 * 2 ** 42;

sub alert {
    my ($co, %o) = @_;
    return script('contact_alert', [$acct], contact => $co, %o);
}
sub later { return cmd('ZSCORE', k('later'), "$ac:$_[0]") }

# That many minutes pass for a host and a contact.
sub minutes {
    my ($minutes, $ht, $co) = @_;
    my $ms = 60_000 * $minutes;
    my $h = unpacked(cmd('GET', k('r', $ac, $ht)));
    $_->[5] -= $ms for @{ $h->[16] };
    cmd('SET', k('r', $ac, $ht), packed($h));
    my $told = cmd('HGET', k('open', $ac, $co), $ht);
    if ($told) {
        my ($at, $rest) = split /\|/, $told, 2;
        cmd('HSET', k('open', $ac, $co), $ht, $at - $ms . "|$rest");
    }
    my @digest = @{ cmd('ZRANGE', k('digest', $ac, $co), $LOOK, '+inf',
        'BYSCORE', 'WITHSCORES') };
    while (my ($member, $score) = splice @digest, 0, 2) {
        cmd('ZADD', k('digest', $ac, $co), $score - $ms, $member);
    }
    cmd('ZADD', k('later'), later($co) - $ms, "$ac:$co") if later($co);
}

sub told {
    my ($co, $expected, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my %told = tells();
    is($told{$co} // '', $expected, $name);
}

sub waits_for {
    my ($co, $minutes, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    sound($name);
    my $at = later($co);
    ok(defined $at && abs($at - now_ms() - 60_000 * $minutes) < 20_000,
        "$name: the digest waits that long") or diag($at // 'no time');
    is(cmd('ZSCORE', k('digests'), "$ac:$co"), undef,
        "$name: nothing looks at it meanwhile");
}

sub ended {
    my ($co, $name) = @_;
    nothing_left($name);
    is_deeply([map { @{ cmd('KEYS', k($_, '*')) } } qw(when)], [],
        "$name: no time is left");
    is(cmd('EXISTS', k('later')), 0, "$name: nothing waits");
    sound($name);
    script('contact_delete', [$acct], contact => $co);
}

# --- minutes -----------------------------------------------------------------

my $co = contact('start_and_end');
is(alert($co, after => 30)->[0], 'OK', 'a contact waits for 30 minutes');
my $ht = host();
my $v = last_address();
check($ht, qw(listed clear));
told($co, '', 'a new listing is not reported');
waits_for($co, 30, 'a new listing');
check($ht, qw(listed clear));
told($co, '', 'nor is it with the next check');
minutes(29, $ht, $co);
told($co, '', 'nor a minute before its time');
minutes(1, $ht, $co);
told($co, "listed $v", 'after 30 minutes it is reported');
told($co, '', 'and not once more');
check($ht, qw(clear clear));
told($co, "delisted $v", 'its end is reported at once');
minutes(60, $ht, $co);
told($co, '', 'and nothing after that');

check($ht, qw(listed clear));
told($co, '', 'a listing that is short');
check($ht, qw(clear clear));
told($co, '', 'ends without a message');
minutes(30, $ht, $co);
told($co, '', 'and none comes later');
ended($co, 'minutes');

# --- a second listing --------------------------------------------------------

$co = contact('start_and_end');
alert($co, after => 30);
check($ht, qw(listed clear));
told($co, '', 'the first of two listings');
minutes(30, $ht, $co);
told($co, "listed $v", 'is reported');
check($ht, qw(listed listed));
told($co, '', 'the second one waits');
check($ht, qw(clear listed));
told($co, '', 'and the end of the first is no news while it does');
minutes(30, $ht, $co);
told($co, "listed $v", 'then it is reported');
check($ht, qw(listed listed));
told($co, '', 'a third one');
check($ht, qw(clear listed));
told($co, '', 'ends before its time');
minutes(30, $ht, $co);
told($co, '', 'and is never reported');
check($ht, qw(clear clear));
told($co, "delisted $v", 'the end of all');
ended($co, 'two listings');

# --- checks ------------------------------------------------------------------

$co = contact('start_and_end');
is(alert($co, checks => 3)->[0], 'OK', 'a contact wants three checks');
check($ht, qw(listed clear));
told($co, '', 'one check is not enough');
ok(later($co) - now_ms() > 59_000, 'the digest waits for the next check');
check($ht, qw(listed clear));
minutes(24 * 60, $ht, $co);
told($co, '', 'nor are two');
select undef, undef, undef, 0.01;
check($ht, qw(listed clear));
minutes(24 * 60, $ht, $co);
told($co, "listed $v", 'three are');
check($ht, qw(listed clear)) for 1 .. 4;
is(scalar(@{ unpacked(cmd('GET', k('r', $ac, $ht)))->[16][0][11] }), 4,
    'a listing keeps the times of four more checks');
told($co, '', 'more checks are no news');
check($ht, qw(clear clear));
told($co, "delisted $v", 'the end is');
ended($co, 'checks');

# --- every check, and while listed -------------------------------------------

for my $schedule ('every_check', 'while_listed') {
    $co = contact($schedule);
    alert($co, after => 10);
    check($ht, qw(listed clear));
    told($co, '', "$schedule: a new listing is not reported");
    check($ht, qw(listed clear));
    told($co, '', "$schedule: nor with the next check");
    minutes(10, $ht, $co);
    told($co, "listed $v", "$schedule: then it is reported");
    check($ht, qw(listed clear));
    told($co, "listed $v", "$schedule: and with each check");
    check($ht, qw(clear clear));
    told($co, $schedule eq 'every_check' ? "delisted $v" : '',
        "$schedule: its end");
    ended($co, $schedule);
}

# --- a change while listings wait --------------------------------------------

$co = contact('start_and_end');
alert($co, after => 10_000);
my @more = map { host() } 1 .. 120;
check($_, qw(listed clear)) for @more;
told($co, '', '120 hosts wait');
waits_for($co, 10_000, '120 hosts');
alert($co, after => 0);
my ($d) = claim();
is($d->{listed}, 120, 'a contact that waits no longer gets all of them');
store($d, messages => []);
told($co, '', 'once');
check($_, qw(clear clear)) for @more;
($d) = claim();
is($d->{delisted}, 120, 'the contact gets all their ends');
store($d, messages => []);
ended($co, 'a change');

# --- a rhythm ----------------------------------------------------------------

sub asks { return script('digest_claim', [k('digests')], window => 0,
    lease => 30_000, most => 50, events => sid('EV'))->[2] }
sub goes {
    my ($of, $at) = @_;
    return script('digest_when', [k('digests')], member => "$ac:$of",
        at => $at)->[0];
}

$co = contact('start_and_end');
is(alert($co, rhythm => 'daily 08:00', quiet => '22:00-06:00')->[0], 'OK',
    'a contact has a rhythm');
check($ht, qw(listed clear));
my $asked = asks();
is_deeply([@{ $asked->[0] }[0 .. 3]],
    ["$ac:$co", 'daily 08:00', '22:00-06:00', 'UTC'],
    'a daemon is asked when the digest may go');
is_deeply(asks(), [], 'a daemon is asked once in the time of a lease');
is(goes($co, now_ms() + 3_600_000), 'OK', 'a digest may go in an hour');
waits_for($co, 60, 'a rhythm');
is(goes($co, now_ms()), 'STALE', 'a second answer comes too late');
check($more[0], qw(listed clear));
told($co, '', 'what is new does not go before');
waits_for($co, 60, 'a rhythm, again');
check($more[1], qw(listed clear));
check($more[1], qw(clear clear));
minutes(0, $ht, $co);
cmd('ZADD', k('later'), now_ms() - 1, "$ac:$co");
cmd('SET', k('when', $ac, $co), now_ms() - 1);
my %told = tells();
is_deeply([sort split /, /, $told{$co}], [sort "listed $v", 'listed '
    . unpacked(cmd('GET', k('r', $ac, $more[0])))->[2]],
    'all that holds goes when its time has come');
told($co, '', 'and no more');
check($ht, qw(clear clear));
is(scalar(@{ asks() }), 1, 'the next digest asks again');
is(goes($co, now_ms()), 'OK', 'a digest may go now');
told($co, "delisted $v", 'and goes');

check($more[0], qw(clear clear));
asks();
goes($co, now_ms() + 86_400_000);
my $old = now_ms() - 700_000;
cmd('ZADD', k('later'), $old, "$ac:$co");
cmd('SET', k('when', $ac, $co), $old);
is_deeply(asks()->[0], ["$ac:$co", '', '22:00-06:00', 'UTC'],
    'one that is ten minutes late asks for quiet hours alone');
is(goes($co, now_ms()), 'OK', 'a late digest may go');
told($co, 'delisted ' . unpacked(cmd('GET', k('r', $ac, $more[0])))->[2],
    'what is late is not lost');

alert($co, quiet => 'none');
check($more[0], qw(listed clear));
asks();
goes($co, now_ms() + 86_400_000);
cmd('ZADD', k('later'), $old, "$ac:$co");
cmd('SET', k('when', $ac, $co), $old);
told($co, 'listed ' . unpacked(cmd('GET', k('r', $ac, $more[0])))->[2],
    'without quiet hours a late one goes at once');
check($more[0], qw(clear clear));
asks();
goes($co, now_ms());
tells();

check($ht, qw(listed clear));
asks();
goes($co, now_ms() + 3_600_000);
is(alert($co, rhythm => 'now', quiet => 'none')->[0], 'OK',
    'the rhythm is taken away');
told($co, "listed $v", 'and what waits goes at once');
check($ht, qw(clear clear));
told($co, "delisted $v", 'as does all after that');
ended($co, 'a rhythm');

# --- contacts that go --------------------------------------------------------

for my $how ('delete', 'pause') {
    $co = contact('start_and_end');
    alert($co, rhythm => 'hourly', after => 10);
    check($ht, qw(listed clear));
    asks();
    goes($co, now_ms() + 1000);
    script($how eq 'delete' ? 'contact_delete' : 'contact_status', [$acct],
        contact => $co, $how eq 'pause' ? (status => 'paused') : ());
    sound("$how, while a message waits");
    cmd('ZADD', k('later'), 1, "$ac:$co");
    asks();
    is_deeply([tells()], [], "$how: nothing is said");
    is(cmd('EXISTS', map { k($_) } 'later', 'digests'), 0,
        "$how: nothing waits");
    check($ht, qw(clear clear));
    script('contact_delete', [$acct], contact => $co);
}

done_testing();
