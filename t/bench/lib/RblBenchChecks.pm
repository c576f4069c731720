package RblBenchChecks;

# The first check of hosts that are due, with the scripts and the arguments of
# the daemon, at full speed: each host is clear.  The interval is one day, so that
# no host becomes due again during the round.  The minutes of the hour are those
# of an interval of one hour.
#
#     my %us = first_round($store, partitions => 16, hosts => 1000);
#     # CPU of the store per host: take, begin, clear

use strict;
use warnings;

use Exporter 'import';

use RblTest;

our @EXPORT = qw(sid first_round TAKE TOGETHER);

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

# The calls of a script for jobs, many of a partition in one batch: [first
# arguments], member, flight, [last arguments] of each.
sub calls_for {
    my ($store, $script, $head, $tail, @jobs) = @_;

    my (@calls, %of);
    push @{ $of{ $_->{p} } }, $_ for @jobs;
    for my $p (sort keys %of) {
        while (my @some = splice @{ $of{$p} }, 0, TOGETHER) {
            push @calls, $store->call_of($script, k($p, 'flight:due'), @$head,
                map { @$_{qw(member flight)}, @$tail } @some);
        }
    }
    return @calls;
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
            k($_, 'leases'), 'md', TAKE, TAKE, 600_000, NAME, 1) }
            0 .. $opt{partitions} - 1);
        my @jobs = map { taken_of($_, $r->[$_]) } 0 .. $#$r;
        die "$n hosts of $opt{hosts} were checked\n" if !@jobs;
        $us{take} += $take * @$r;
        ($r, my $begin) = $pipelined->(calls_for($store, 'check_open', [$sum],
            [], @jobs));
        die "open\n" if grep { !ref } map { @$_[1 .. $#$_] } @$r;
        $us{begin} += $begin * @$r;
        ($r, my $clear) = $pipelined->(calls_for($store, 'check_clear', [],
            [DAY, ''], @jobs));
        die "clear\n" if grep { $_ ne '1' } map { @$_[1 .. $#$_] } @$r;
        $us{clear} += $clear * @$r;
        $n += @jobs;
    }
    return map { $_ => $us{$_} / $n } keys %us;
}

1;
