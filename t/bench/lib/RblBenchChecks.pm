package RblBenchChecks;

# The first check of hosts that are due, with the scripts and the arguments of
# the daemon, at full speed: each host is clear.  The interval is one day, so that
# no host becomes due again during the round.  The minutes of the hour are those
# of an interval of one hour.
#
# A host has 36 lists, which the daemon says.  The first check of a class of
# hosts (rbl_coverage.h) is finished by check_finish, which notes them; it is
# not measured.
#
#     my %us = first_round($store, partitions => 16, hosts => 1000);
#     # CPU of the store per host: take, begin, clear

use strict;
use warnings;

use Digest::SHA qw(sha1_hex);
use Exporter 'import';

use RblTest;

our @EXPORT = qw(sid first_round lists_said TAKE TOGETHER);

use constant { BATCH => 64, DAY => 86400, TAKE => 100, TOGETHER => 32,
    NAME => 'checkd-1.example.org:12345' };

my $tags;
sub k {
    my ($p, @parts) = @_;

    return join ':', "rbl:{$tags->[$p]}", @parts;
}

my $random = '';
sub sid {
    my ($kind) = @_;

    my $n = $kind eq 'PP' ? 32 : 16;
    if (length $random < $n) {
        open my $fh, '<:raw', '/dev/urandom' or die "urandom: $!\n";
        read $fh, $random, 1 << 20;
    }
    return $kind . unpack 'H*', substr $random, 0, $n, '';
}

# The jobs claimed from one partition.
sub taken_of {
    my ($p, $reply) = @_;

    my @jobs;
    for my $taken (@$reply[1 .. $#$reply]) {
        my ($ac, $till, $hosts) = @$taken;
        push @jobs, map { my $pp = sid('PP'); { p => $p, ac => $ac,
            member => "$ac:$_", flight => "$pp:1:$till:" . NAME } } @$hosts;
    }
    return @jobs;
}

# The calls of a script for jobs, many of a partition in one batch.  `args`: its
# other arguments.
sub calls_for {
    my ($store, $script, $args, @jobs) = @_;

    my (@calls, %of);
    push @{ $of{ $_->{p} } }, $_ for @jobs;
    for my $p (sort keys %of) {
        while (my @some = splice @{ $of{$p} }, 0, TOGETHER) {
            push @calls, $store->call_of($script, [k($p, 'flight:due')],
                @$args, member => [map { $_->{member} } @some],
                flight => [map { $_->{flight} } @some]);
        }
    }
    return @calls;
}

# The jobs that check_clear did not finish, by its replies to calls_for.
sub left_of {
    my ($replies, @jobs) = @_;

    my %of;
    push @{ $of{ $_->{p} } }, $_ for @jobs;
    my @in_order = map { @{ $of{$_} } } sort keys %of;
    my @done = map { @$_[1 .. $#$_] } @$replies;
    return map { $done[$_] eq '1' ? () : $in_order[$_] } 0 .. $#done;
}

# `asks` and `members` of check_finish for lists that all gave an answer.
sub lists_said {
    my $members = join '', map { pack 'H32 N', substr($_, 2), 0 } @_;
    return (substr(sha1_hex($members), 0, 16), $members);
}

my @lists = map { sprintf 'RB%032x', $_ } 1 .. 36;
sub finish_of {
    my ($store, $j) = @_;

    my ($pp, $started, $till) = split /:/, $j->{flight};
    my ($ht) = $j->{member} =~ /:(\w+)/;
    my ($asks, $members) = lists_said(@lists);
    return $store->call_of('check_finish', [k($j->{p}, 'acct', $j->{ac})],
        job => join(':', $j->{ac}, $pp, $ht, 'd', $started, $till, NAME),
        told => "\x90", clear => join('', @lists), lists => scalar @lists,
        keep => DAY * 1000, interval => DAY, events => '0', soon => 0,
        details => 1 << 24, asks => $asks, members => $members);
}

# CPU of the store per host for claiming, starting and finishing.
sub first_round {
    my ($store, %opt) = @_;

    $tags = RblTest::Redis::tags_of($opt{partitions});
    my $sum = redis($store->{redis}, 'HGET', k(0, 'defaults:for'), 'sum');
    my $pipelined = sub { $store->pipelined(BATCH, @_) };
    my ($n, %us) = (0);
    while ($n < $opt{hosts}) {
        my ($r, $take) = $pipelined->(map { $store->call_of('check_take',
            [k($_, 'leases')], kinds => 'md', most => TAKE, share => TAKE,
            lease => 600_000, daemon => NAME, alone => 1) }
            0 .. $opt{partitions} - 1);
        my @jobs = map { taken_of($_, $r->[$_]) } 0 .. $#$r;
        die "$n hosts of $opt{hosts} were checked\n" if !@jobs;
        $us{take} += $take * @$r;
        ($r, my $begin) = $pipelined->(calls_for($store, 'check_open',
            [sum => $sum], @jobs));
        die "open\n" if grep { !ref } map { @$_[1 .. $#$_] } @$r;
        $us{begin} += $begin * @$r;
        ($r, my $clear) = $pipelined->(calls_for($store, 'check_clear',
            [interval => DAY, asks => (lists_said(@lists))[0]], @jobs));
        $us{clear} += $clear * @$r;
        ($r) = $pipelined->(map { finish_of($store, $_) }
            left_of($r, @jobs));
        die "finish: $r->[0][0]\n" if grep { $_->[0] ne 'OK' } @$r;
        $n += @jobs;
    }
    return map { $_ => $us{$_} / $n } keys %us;
}

1;
