#!/usr/bin/perl

# A request for a mailed link takes as long for an unknown address as for that
# of a user, also where each write waits for the disk: medians of requests of
# both kinds, which come in a random order, each from a network of its own.
#
# RBL_SEED=N repeats a run; it prints the seed.
#
# Alone: it compares two times.

use strict;
use warnings;

use List::Util qw(max min shuffle);
use Test::More;
use Time::HiRes ();

use RblPortal;

use constant { USERS => 70, EACH => 3, WARM => 10, RATIO => 1.25, TRIES => 3 };

my $seed = $ENV{RBL_SEED} // time;
diag("seed $seed");
srand $seed;
my $t = portal_setup(redis => { appendonly => 1,
    args => ['--appendfsync', 'always'] },
    http => 'set_real_ip_from 127.0.0.1; real_ip_header X-Real-IP;');
my $net = 0;

# How long a request takes (ms).
sub took {
    my ($mail) = @_;

    $net++;
    my $from = sprintf '10.%d.%d.1', $net >> 8, $net & 255;
    my $begun = Time::HiRes::time();
    my $r = portal($t, undef, 'POST', 'session/link.json',
        fields => { mail => $mail }, headers => ["X-Real-IP: $from"]);
    my $took = 1000 * (Time::HiRes::time() - $begun);
    die "session/link: $r->{raw}" if $r->{status} != 200;
    return $took;
}

sub median {
    my @v = sort { $a <=> $b } @_;
    return ($v[$#v / 2] + $v[@v / 2]) / 2;
}

# Requests of both kinds: {known, unknown}, the times.
sub measured {
    redis($t->{redis}, 'DEL', $_)
        for @{ redis($t->{redis}, 'KEYS', 'rbl:{*}:asked:*') };
    my %took;
    for my $one (shuffle map { my $n = $_; map { ["known$n", 'known'],
        ["other$n", 'unknown'] } 1 .. EACH } 1 .. USERS)
    {
        my ($name, $kind) = @$one;
        push @{ $took{$kind} }, took("$name\@example.test");
    }
    return \%took;
}

add_user($t, mail => "known$_\@example.test", role => 'viewer')
    for 1 .. USERS;
took("warm$_\@example.test") for 1 .. WARM;

my ($ratio, @said);
for (1 .. TRIES) {
    my $took = measured();
    my %median = map { $_ => median(@{ $took->{$_} }) } keys %$took;
    $ratio = max(values %median) / min(values %median);
    push @said, sprintf '%d and %d requests, medians %.2f ms (known) and %.2f ms'
        . ' (unknown), ratio %.3f', (map { scalar @{ $took->{$_} } }
        qw(known unknown)), @median{qw(known unknown)}, $ratio;
    last if $ratio < RATIO;
}
diag($_) for @said;
cmp_ok($ratio, '<', RATIO, 'the time of an answer does not tell whether an'
    . ' address is that of a user');
is(scalar @{ redis($t->{redis}, 'KEYS', redis_key('links', $t->{acct}{sid},
    'US*')) } >= USERS, 1, 'each user has got a link');

done_testing();
