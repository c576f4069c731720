#!/usr/bin/perl

# Random lives of ranges: they are added, overlap, are changed, paused, resumed
# and deleted, single addresses of them are deleted, and any client makes slices
# of all that in between.  fsck, run now and then, finds no fault.  At the end,
# when no work is left, the hosts match a model that makes every change at once.
#
# RBL_SEED is the seed of one life; RBL_LIVES is the number of lives.

use strict;
use warnings;
use RblLife;
use RblTest;
use RblScript qw(:DEFAULT slice step);

use constant { VALUE => 2, NAME => 3, TYPE => 4, PARENT => 6, STATUS => 7,
    PROFILE => 8, STEPS => 400, LOOK => 40 };

my ($redis, $ac, $acct, @rp);
my (%range, %taken, %seen);             # the model, by SID and by value

sub add {
    my ($net, $n) = (int rand 3, pick(4, 16, 64, 256));
    my $value = "10.$net.0.0/" . (32 - log($n) / log(2));
    my $range = sid('HT');
    my %pair = map { (sid('HT'), join '.', 10, $net, 0, $_) } 0 .. $n - 1;
    my @sids = sort keys %pair;
    my ($name, $rp) = ('r' . int rand 1000, pick(@rp));
    my $r = slice('host_add', [$acct], name => $name, type => 'ip_range',
        family => 1, profile => $rp, range => $range, net => $value,
        host => \@sids, value => [@pair{@sids}]);
    $seen{$r->[0]}++;
    my @new = grep { !$taken{ $pair{$_} } } keys %pair;
    my $there = grep { $_->{value} eq $value } values %range;
    is($r->[0], 'EXISTS', 'nothing is new'), return
        if $r->[0] ne 'BUSY' && ($there || !@new);
    return if $r->[0] ne 'WORK';
    $range{$range} = { value => $value, name => $name, rp => $rp,
        status => 'active', kids => { map { $_ => $pair{$_} } @new } };
    $taken{ $pair{$_} } = $_ for @new;
}

sub change {
    my ($name, $model, @args) = @_;
    my $range = pick(keys %range) or return;
    my $r = slice($name, [$acct], host => $range, @args);
    $seen{$r->[0]}++;
    is($r->[0], $range{$range}{doomed} ? 'HOST' : 'WORK', $name)
        if $r->[0] !~ /^(?:WORK|BUSY)$/;
    $model->($range{$range}, $range) if $r->[0] eq 'WORK';
}

# The values of a range whose deletion was accepted become free at its end.
sub doom { $_[0]{doomed} = 1 }

sub bury {
    for my $range (grep { $range{$_}{doomed} } keys %range) {
        next if cmd('EXISTS', k('r', $ac, $range));
        delete @taken{ values %{ $range{$range}{kids} } };
        delete $range{$range};
    }
}

# Deletes an existing address, which its range need not have made yet.
sub delete_one {
    my $range = pick(keys %range) or return;
    my $kid = pick(keys %{ $range{$range}{kids} }) or return;
    my $r = slice('host_delete', [$acct], host => $kid, keep => 1000);
    delete $taken{ delete $range{$range}{kids}{$kid} } if $r->[0] eq 'OK';
}

# Values of a range being deleted become free one after the other.
sub settle {
    my $id = cmd('GET', k('seq', $ac));
    for (1 .. 5000) {
        my $r = step($acct, $id);
        is($r->[0], 'OK', 'work_step makes the next slice')
            if $r->[0] ne 'OK' || $r->[3] ne '';
        last if $r->[1];
    }
    bury();
}

my @deeds = (
    [3, sub { settle() if grep { $_->{doomed} } values %range; add() }],
    [2, sub { my $name = 'n' . int rand 1000; my $rp = pick('', @rp);
        change('host_update', sub { $_[0]{name} = $name;
            $_[0]{rp} = $rp if $rp }, named => '1', name => $name,
            profile => $rp) }],
    [2, sub { my $to = pick('paused', 'active');
        change('host_status', sub { $_[0]{status} = $to }, status => $to) }],
    [1, sub { change('host_delete', \&doom, keep => 1000) }],
    [2, \&delete_one],
    [6, sub { step($acct, '') for 1 .. 1 + rand 3 }],
    [1, \&settle],
);
my @draw = map { my $d = $_; ($d->[1]) x $d->[0] } @deeds;

sub in_order {
    my $r = rblctl($redis, 'fsck', '--json');
    return 1 if $r->{status} == 0;
    fail('fsck finds nothing');
    diag($r->{out});
    return 0;
}

sub as_the_model {
    my (%is, %want);
    for my $ht (@{ cmd('ZRANGE', k('hosts', $ac), 0, -1) }) {
        my $h = unpacked(cmd('GET', k('r', $ac, $ht)));
        $is{$ht} = join ' ', @$h[VALUE, NAME, STATUS, PROFILE, PARENT];
    }
    for my $range (keys %range) {
        my $m = $range{$range};
        $want{$range} = join ' ', @$m{qw(value name status rp)}, '';
        $want{$_} = join ' ', $m->{kids}{$_}, "$m->{name} $m->{kids}{$_}",
            @$m{qw(status rp)}, $range for keys %{ $m->{kids} };
    }
    is_deeply(\%is, \%want, 'the hosts are those of the model');
}

my $lives = $ENV{RBL_LIVES} // 2;
my $seed = int($ENV{RBL_SEED} // time ^ $$);
for my $life (0 .. $lives - 1) {
    note('seed ' . ($seed + $life));
    srand $seed + $life;
    if (!$redis) {
        $redis = redis_new();
        rblctl($redis, 'init', '--partitions', 1);
    }
    ($ac, $acct) = account();
    @rp = map { sid('RP') } 1 .. 3;
    script('profile_add', [$acct], profile => $_, name => 'p') for @rp;
    (%range, %taken) = ();
    for my $n (1 .. STEPS) {
        pick(@draw)->();
        last if $n % LOOK == 0 && !in_order();
    }
    settle();
    ok(in_order(), 'the store is consistent');
    as_the_model();
}
cmp_ok($seen{WORK} // 0, '>', 50, 'there was work');
done_testing();
