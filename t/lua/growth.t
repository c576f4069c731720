#!/usr/bin/perl

# No script and no read costs more in an account of 20,000 hosts than in one of
# 20: each sends the same commands, and none of them walks the account.  A walk
# would cost a thousand times as much, so a factor of three, on the fastest of
# several attempts, separates it from noise.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { SMALL => 20, BIG => 20_000, TIMES => 50, TRIES => 5,
    DUE => 10 };

my $redis = redis_new();
my %a = map { $_ => [account()] } 'small', 'big';
my %hosts;

sub fill {
    my ($size, $n) = @_;

    my ($ac, $acct) = @{ $a{$size} };
    for (my $i = 0; $i < $n; $i += 1000) {
        my @sid = map { sid('HT') } $i .. ($n < $i + 1000 ? $n : $i + 1000) - 1;
        script('host_add', [$acct], name => 'name', type => 'rbl', family => 1,
            host => \@sid, value => [map { join '.', 10, $_ >> 16,
            $_ >> 8 & 255, $_ & 255 } $i .. $i + $#sid]);
        push @{ $hosts{$size} }, @sid;
    }
}
fill(small => SMALL);
fill(big => BIG);
is(cmd('ZCARD', k('hosts', $a{$_}[0])), scalar @{ $hosts{$_} }, "$_ is there")
    for 'small', 'big';

# {command => calls}, and the microseconds of all
sub stats {
    my %n;
    my $us = 0;
    my $info = cmd('INFO', 'commandstats');
    while ($info =~ /^cmdstat_(\S+):calls=(\d+),usec=(\d+)/mg) {
        next if $1 =~ /^(?:info|config|eval|replconf|ping)/;
        $n{$1} = $2;
    }
    $us += $1 while $info
        =~ /^cmdstat_(?:eval|zrevrange|mget):calls=\d+,usec=(\d+)/mg;
    return (\%n, $us);
}

my ($next, %job) = (0);
my %value = (small => 0, big => 0);
my @deeds = (
    ['the first page' => sub { page($_[0], 0) }],
    ['the last page' => sub { page($_[0], @{ $hosts{ $_[0] } } - 10) }],
    map({ my ($name, @args) = @$_; ["host_find $name" => sub {
        my $r = script('host_find', [$a{ $_[0] }[1]], @args,
            limit => 10);
        die "host_find: @$r" if $r->[0] ne 'OK';
    }] } ['all', sort => 'created'], ['by value', text => '10.0.0.1'],
        ['by name', text => 'NA'], ['unknown', state => 2],
        ['paused', state => 4, sort => 'name'],
        ['listed since', sort => 'since'], ['sorted by name', sort => 'name'],
        ['sorted by address', sort => 'address'],
        ['of a list', list => sid('RB')], ['of a weight', weight => 4],
        ['listed lately', since => 24],
        ['a text in a state', text => '10.', state => 1]),
    ['host_strips' => sub {
        script('host_strips', [$a{ $_[0] }[1]],
            hosts => [@{ $hosts{ $_[0] } }[0 .. 9]]) }],
    ['host_add' => sub {
        my ($size) = @_;
        my $r = script('host_add', [$a{$size}[1]], name => 'name',
            type => 'rbl', family => 1, host => sid('HT'),
            value => '11.0.' . ($value{$size} >> 8) . '.'
            . ($value{$size}++ & 255));
        push @{ $job{$size} }, unpacked($r->[1])->[1];
    }],
    (map { my $to = $_; ["host_status $to" => sub {
        script('host_status', [$a{ $_[0] }[1]], host => $job{ $_[0] }[$_[1]],
            status => $to)
    }] } 'paused', 'active'),
    ['host_update' => sub { script('host_update', [$a{ $_[0] }[1]],
        host => $job{ $_[0] }[$_[1]], named => '1', name => 'other') }],
    ['check_start' => sub { script('check_start', [$a{ $_[0] }[1]],
        check => sid('PP'), host => $job{ $_[0] }[$_[1]], keep => 60_000) }],
    ['check_take' => sub {
        my ($job) = take('m', 1);
        push @{ $job{"$_[0] jobs"} }, $job;
    }],
    ['check_begin' => sub { script('check_begin', [$a{ $_[0] }[1]],
        job => $job{"$_[0] jobs"}[$_[1]], keep => 60_000) }],
    ['check_finish' => sub { script('check_finish', [$a{ $_[0] }[1]],
        job => $job{"$_[0] jobs"}[$_[1]],
        told => packed([listed_result('RBa')]), lists => 1,
        all => packed([listed_result('RBa')]), keep => 60_000, interval => 600,
        events => '1', soon => 0, details => 1 << 24) }],
    ['check_take, due' => sub {
        my ($job) = take('d', 1);
        push @{ $job{"$_[0] due"} }, $job if $_[1] < DUE;
    }],
    ['check_begin, due' => sub {
        begin_job($job{"$_[0] due"}[$_[1]] // return);
    }],
    ['check_clear, due' => sub {
        my ($ac, $pp, $ht, undef, $till, $name) =
            split /:/, $job{"$_[0] due"}[$_[1]] // return;
        my $r = script('check_clear', [k('flight:due')], member => "$ac:$ht",
            flight => "$pp:1:$till:$name", interval => 7200);
        die "check_clear: @$r" if "@$r" ne 'OK 1';
    }],
    ['app_admit' => sub { script('app_admit', [$a{ $_[0] }[1]],
        app => 'AP' . '0' x 32, kind => 1, hour => 1_000_000,
        second => 1_000_000) }],
    ['range_cells' => sub { script('range_cells', [$a{ $_[0] }[1]], from => 0,
        ranges => 0, fields => [map { "rbl|10.0.0.$_" } 1 .. 9]) }],
    ['range_history' => sub { script('range_history', [$a{ $_[0] }[1]],
        from => 0, oldest => 0, fields => [map { "rbl|10.0.0.$_" } 1 .. 9])
    }],
    ['days_show' => sub { script('days_show', [$a{ $_[0] }[1]], most => 20) }],
    ['lists_mine' => sub { script('lists_mine', [$a{ $_[0] }[1]]) }],
    ['host_delete' => sub { script('host_delete', [$a{ $_[0] }[1]],
        host => $job{ $_[0] }[$_[1]], keep => 1000) }],
);

sub page {
    my ($size, $from) = @_;

    my $sids = cmd('ZREVRANGE', k('hosts', $a{$size}[0]), $from, $from + 9);
    cmd('MGET', map { k('r', $a{$size}[0], $_) } @$sids);
}

my (%least, %calls);
for my $try (1 .. TRIES) {
    for my $size ('small', 'big') {
        cmd('DEL', k('due'));
        cmd('ZADD', k('due'), 1, $a{$size}[0]);
        for my $deed (@deeds) {
            my ($name, $code) = @$deed;
            cmd('CONFIG', 'RESETSTAT');
            $code->($size, $_) for 0 .. TIMES - 1;
            my ($n, $us) = stats();
            $calls{$name}{$size} = $n;
            $least{$name}{$size} = $us
                if $us < ($least{$name}{$size} // 9e9);
        }
        %job = ();
        cmd('DEL', k('leases'), k('flight'), k('flight:due'), k('outbox'));
        cmd('ZADD', k('due', $a{$size}[0]), 1, $_)
            for @{ $hosts{$size} }[0 .. DUE - 1];
    }
}

for my $deed (@deeds) {
    my $name = $deed->[0];
    is_deeply($calls{$name}{big}, $calls{$name}{small},
        "$name: the same commands") if $name !~ /due/;
    cmp_ok($least{$name}{big}, '<', 3 * $least{$name}{small} + 300,
        "$name: of the same cost")
        or diag("$least{$name}{small} and $least{$name}{big} us for "
            . TIMES);
}

done_testing();
