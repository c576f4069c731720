#!/usr/bin/perl

# A day of a company with 2,000 addresses that are checked hourly: a /24 is
# listed for six hours, 12 hosts come and go, three lists fail for hours, one
# dies, and some listings are ordinary.  Counts the messages that its contacts
# get.  A person gets at most ten.
#
# DAY_HOSTS: addresses, with those of the /24 (2000).  RBL_SEED: the seed.

use strict;
use warnings;
use List::Util qw(sum0);
use RblAlertModel;
use RblDigest;
use RblScript;
use RblSeam;
use RblTest;

my $N = $ENV{DAY_HOSTS} // 2000;
srand($ENV{RBL_SEED} // 47);
use constant { MINUTE => 60_000, HOUR => 3_600_000 };

$ENV{TZ} = 'UTC';                      # of the account
my ($ac, $acct) = digests_new();
my $midnight = 1_700_006_400_000;       # a Wednesday, 00:00 UTC
script_clock(my $now = $midnight - HOUR);

# --- lists -------------------------------------------------------------------

# Name, weight; when it fails, in hours of the day.
my @lists = (['zen', 4], ['block', 3], ['spam', 3], ['relay', 2],
    ['proxy', 2], ['dynamic', 1], ['slow', 2, 3, 5], ['broken', 2, 10, 13],
    ['limited', 3, 16, 20], ['dying', 2, 12, 99]);
my @words = qw(none info normal high critical);
for my $i (0 .. $#lists) {
    cmd('SET', k('r', 'SYS', "RB$i"), packed([1, "RB$i", 'rbl',
        "$lists[$i][0].example", $lists[$i][0], '', 7, 0, 'active', '', [], '',
        '', $words[ $lists[$i][1] ], 'ip', 'block', 'none']));
}

# --- hosts and when they are listed ------------------------------------------

# {host => {list => [from, to, from, to, ...]}} in hours of the day.
my %listed;

# A host is checked at a time of the hour that its SID says.
sub random_sid { return 'HT' . join '', map { sprintf '%x', rand 16 } 1 .. 32 }
sub added {
    my ($net, @values) = @_;

    my @ht = map { random_sid() } @values;
    my $r = script('host_add', [$acct], name => 'name', family => 1,
        $net ? (type => 'ip_range', range => random_sid(), net => $net)
            : (type => 'rbl'), host => \@ht, value => \@values);
    die "host_add: $r->[0]" if $r->[0] ne 'OK';
    return @ht;
}
my @block = added('192.0.2.0/24', map { "192.0.2.$_" } 0 .. 255);
my @single = map { added('', sprintf '198.18.%d.%d', $_ >> 8, $_ & 255) }
    1 .. $N - 256;
$listed{$_} = { 0 => [9.2, 15.2] } for @block;
for my $ht (@single[0 .. 11]) {         # they come and go
    my ($t, @times) = (rand 3);
    while ($t < 22) {
        push @times, $t, $t + 1 + rand 2;
        $t = $times[-1] + 1 + rand 2;
    }
    $listed{$ht} = { 1 + int(rand 4) => \@times };
}
for my $ht (@single[12 .. 16]) {        # stay
    $listed{$ht} = { int(rand 6) => [rand 22, 99] };
}
for my $ht (@single[17 .. 20]) {        # end, and stood before
    $listed{$ht} = { int(rand 6) => [-1, 2 + rand 20] };
}

sub is_on {
    my ($ht, $list, $hour) = @_;

    my @times = @{ $listed{$ht}{$list} // [] };
    while (my ($from, $to) = splice @times, 0, 2) {
        return 1 if $hour >= $from && $hour < $to;
    }
    return 0;
}

sub said {
    my ($ht, $hour) = @_;

    return map { my ($name, $weight, $from, $to) = @{ $lists[$_] };
        my @of = ("RB$_", zone => "$name.example");
        defined $from && $hour >= $from && $hour < $to
            ? result($of[0], 'unknown', error => 'timeout', @of[1, 2])
        : is_on($ht, $_, $hour) ? listed_result(@of, weight => $weight)
        : result($of[0], 'clear', @of[1, 2]) } 0 .. $#lists;
}

# --- contacts ----------------------------------------------------------------

my (%who, %got, %hours);
sub who {
    my ($name, %alert) = @_;

    my $co = contact('start_and_end');
    my $r = script('contact_alert', [$acct], contact => $co, %alert);
    is($r->[0], 'OK', "a contact: $name");
    $who{$co} = $name;
    $got{$name} = 0;
}
who('everything, at once');
who('on call: critical, at once', weight => 4);
who('by day: high, after four hours, hourly', weight => 3, after => 240,
    rhythm => 'hourly', quiet => '22:00-06:00');
who('daily at 08:00', rhythm => 'daily 08:00');

# --- the day -----------------------------------------------------------------

my $checks = 0;
sub checks {
    my $hour = ($now - $midnight) / HOUR;
    while (my @jobs = take('d', 100)) {
        for my $job (@jobs) {
            my ($ht) = (split /:/, $job)[2];
            my $begun = begin_job($job);
            my $r = finish_check($acct, $begun->[8], $ht, [said($ht, $hour)],
                '', events => $begun->[7], interval => 3600);
            die "a check: @$r" if $r->[0] ne 'OK';
            $checks++;
        }
    }
}

sub messages {
    tellings_end();
    for (1 .. 1000) {
        my $r = script('digest_claim', [k('digests')], window => MINUTE,
            lease => 30_000, most => 50, events => [map { sid('EV') } 1 .. 4]);
        my @rows = map { { seam_row('digest_claim', $_) } } @$r[3 .. $#$r];
        for my $ask (@{ $r->[2] }) {
            script('digest_when', [k('digests')], member => $ask->[0],
                at => model_goes(@$ask[1, 2], $now));
        }
        for my $d (@rows) {
            if (sum0(@$d{qw(listed delisted clear unreported)})) {
                my $name = $who{ substr $d->{member}, 35 };
                $got{$name}++;
                $hours{$name}[($now - $midnight) / HOUR]++
                    if $now >= $midnight;
            }
            store($d, messages => []) if !$d->{alert};
        }
        last if !@rows && !@{ $r->[2] } && $r->[1] != 0;
    }
}

# The hour before it is no part of the day.
for my $minute (-60 .. 24 * 60 + 9 * 60) {
    $now = $midnight + $minute * MINUTE;
    script_clock($now);
    checks();
    messages();
    %got = map { $_ => 0 } keys %got if $minute == 0;
}
note "$checks checks of $N addresses";
for my $name (sort keys %got) {
    note sprintf '%4d messages: %s (%s)', $got{$name}, $name,
        join ' ', map { $_ // '-' } @{ $hours{$name} }[0 .. 32];
}
cmp_ok($checks, '>=', 24 * $N, 'all hosts were checked hourly');
for my $name (grep { !/everything/ } sort keys %got) {
    cmp_ok($got{$name}, '<=', 10, "a contact gets at most ten messages: $name");
    cmp_ok($got{$name}, '>', 0, "the contact gets some: $name");
}

sound('after the day');

done_testing();
