#!/usr/bin/perl

# The scripts of a check hold Redis at most 2 ms on the worst host that the
# limits allow: on all system lists and 200 own ones, with the longest texts and
# codes that a check keeps, 32 callbacks, a receiver, contacts, a range.  Times
# are measured as in t/lua/cost.t.
#
# Alone: it measures how long scripts take.

use strict;
use warnings;
use RblSeam;
use RblTest;
use RblScript;
use RblWorst qw(calibrate slowness spent);

use constant { SYSTEM => 200, OWN => 200, TRIES => 5, MOST => 40,
    BOUND => 2000 };

my $redis = redis_new();
my ($ac, $acct) = account();
my $rp = chosen($acct)->[1];

# lists, in a profile of their own

my (@sid, %zone);
script('lists_put', [k('lists')], records => [map {
    my $sid = sid('RB');
    push @sid, $sid;
    $zone{$sid} = sprintf 'system%03d.blocklist.example', $_;
    packed([1, $sid, 'rbl', $zone{$sid}, "List $_",
        "https://www.system$_.example/", 3, 0, 'active', '', [], '', '',
        'normal', 'ip', 'block', 'ip']) } 1 .. SYSTEM]);
for my $n (1 .. OWN) {
    my $sid = sid('RB');
    push @sid, $sid;
    $zone{$sid} = join '.', ('x' x 59) x 3, sprintf '%050d', $n;
    my $r = script('rbl_add', [$acct], list => $sid, type => 'rbl',
        zone => $zone{$sid});
    die "rbl_add: @$r" if $r->[0] ne 'OK';
}
my $profile = unpacked(cmd('GET', k('r', $ac, $rp)));
@$profile[4, 5] = (0, [@sid]);
cmd('SET', k('r', $ac, $rp), packed($profile));
script('hook_put', [$acct], hook => sid('WH'), name => 'n',
    url => 'https://x.example/', secret => 's');
my $cg = chosen($acct)->[2];

my @range = map { unpacked($_)->[1] } (@{ add_host($acct, 'ip_range',
    '10.0.0.0/30', '10.0.0.0', '10.0.0.1', '10.0.0.2', '10.0.0.3') })[1 .. 5];

# The daemon's result for each list (texts.h).
sub results {
    my ($status, %o) = @_;

    return map {
        my $own = $_ >= SYSTEM;
        my ($text, $codes) = $own ? (40, 2) : (88, 2);
        my $is = $status eq 'listed';
        [$sid[$_], 'rbl', $own ? 1 : 0, $zone{ $sid[$_] },
            $own ? '' : "https://www.system$_.example/", $status,
            $is ? [map { "127.0.0.10$_" } 1 .. $codes] : [],
            $is ? 'd' x $text : '', $is ? 'r' x $text : '',
            $status eq 'unknown' ? 'timeout' : '', 2500, $is ? 3 : 0];
    } 0 .. $#sid;
}

# Microseconds of each script's call, the minimum of several attempts.
my (%took, @looks);
sub timed {
    my ($name, $code) = @_;

    push @looks, calibrate();
    my $before = spent();
    my @r = $code->();
    my $us = spent() - $before;
    $took{$name} = $us if !defined $took{$name} || $us < $took{$name};
    return @r;
}

# As the daemon's call, without the marks that script() looks for.
my %sha;
sub call {
    my ($name, @args) = @_;
    $sha{$name} //= cmd('SCRIPT', 'LOAD', seam_source($name));
    return cmd('EVALSHA', $sha{$name}, seam_words($name, @args));
}

sub check {
    my ($what, $ht, @results) = @_;

    for my $n (1 .. 32) {
        my @start = ('check_start', [$acct], check => sid('PP'), host => $ht,
            callback => "https://callback.example/$n/" . 'u' x 2015,
            app => 'AP' . '0' x 32, keep => 60_000, lists => '0');
        $n < 32 ? call(@start) : timed('check_start', sub { call(@start) });
    }
    my ($job) = timed('check_take', sub { take('m', 1) });
    is((timed("check_begin, $what", sub { call('check_begin', [$acct],
        job => $job, keep => 60_000, leave => '0') }))[0][0], 'OK',
        "$what: check_begin starts the check");
    my @other = grep { $_->[5] ne 'clear' } @results;
    my @args = (told => packed(\@other), clear => join('', map { $_->[0] }
        grep { $_->[5] eq 'clear' } @results), lists => scalar @results,
        all => @other == @results ? '=' : packed(\@results), keep => 60_000,
        interval => 600, events => '1', soon => 0, details => 16 << 20);
    is((timed("check_finish, $what", sub { call('check_finish', [$acct],
        job => $job, @args) }))[0][0], 'OK',
        "$what: check_finish ends the check");
    return;
}

for my $try (1 .. MOST) {
    last if $try > TRIES
        && !grep { $_ > BOUND * slowness(@looks) } values %took;
    my $ht = $range[1];
    check('all newly listed', $ht, results('listed'));
    is(unpacked(cmd('GET', k('r', $ac, $ht)))->[13], @sid,
        'all lists have the host') if $try == 1;
    check('all listed as before', $ht, results('listed'));
    check('all unknown', $ht, results('unknown'));
    my ($n, @unknown) = (0, results('unknown'));
    check('half unknown', $ht, map { $n++ % 2 ? $_ : $unknown[$n - 1] }
        results('listed'));
    check('all over', $ht, reverse results('clear'));
    is(unpacked(cmd('GET', k('r', $ac, $ht)))->[13], 0,
        'no list has the host') if $try == 1;
    cmd('DEL', k('outbox'));
}

# The history holds about the last 200 changes, however many a check makes.

my $hist = cmd('XRANGE', k('hist', $ac, $range[1]), '-', '+');
is(scalar @$hist, 1, 'an entry of 200 changes leaves no other');
is(scalar @{ unpacked({ @{ $hist->[0][1] } }->{t}) }, 200,
    'the entry of the history has 200 changes');

# The events of a finished check are not kept with its record.

my ($pp) = map { /(PP\w+)\z/ } @{ cmd('KEYS', k('check', $ac, 'PP*[0-9a-f]')) };
ok(!cmd('HEXISTS', k('check', $ac, $pp), 'callbacks'), 'no callbacks are kept');

for my $name (sort keys %took) {
    my $us = $took{$name} / slowness(@looks);
    cmp_ok($us, '<=', BOUND, $name);
    note sprintf '%6d us  %s', $us, $name;
}

done_testing();
