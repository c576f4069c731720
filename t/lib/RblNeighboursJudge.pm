package RblNeighboursJudge;

# The allowed effects of an attack on account A and the servers, and the tests
# in the short form that `make check` runs.
#
#     short_form(@attacks);             # measures and judges each
#     for (verdicts($r)) {              # of what RblNeighbours::beside() gave
#         my ($what, $good, $name, $why) = @$_;
#     }

use strict;
use warnings;

use Exporter 'import';

use RblNeighbours;

our @EXPORT = qw(short_form verdicts bad_answers);

# The bounds: MiB by which the workers, the daemon and the data of the store may
# grow; MiB of an endless response that the daemon reads; bytes out of the store
# for a request without proof or over its limit.
our %MOST = (nginx => 256, daemon => 64, store => 128, taken => 4,
    refused => 8 * 1024);

# The median during an attack may be so many times the one without, plus so many
# seconds, because the short form runs while other programs use the processors.
# The long form checks the slowest requests (t/bench/neighbours.pl).
our ($TIMES, $MARGIN) = (5, 0.25);

use constant {
    TRIES   => 3,
    TIMEOUT => $ENV{RBL_NGINX} ? '5s' : '2s',           # of the store
    CLASSES => [qw(read write large check deliver)],
    UNIT    => { nginx => 'MiB of the workers', daemon => 'MiB of the daemon',
        store => 'MiB of the store', taken => 'MiB of an endless answer',
        refused => 'bytes a refused request' },
};

# A's load without an attack is measured once per world.  A world is replaced
# after an attack on the daemon, which would still be busy with it, and after an
# attack with an effect: other programs may have caused that, so the attack is
# measured again in a new world before it counts.
sub short_form {
    my (@attacks) = @_;

    my ($w, $was);
    for my $attack (@attacks) {
        my @verdicts;
        for (1 .. ($attack->{todo} ? 1 : TRIES)) {
            if (!$w || $attack->{world}) {
                leave($w) if $w;
                $w = neighbours(store_timeout => TIMEOUT,
                    %{ $attack->{world} // {} });
                $was = $w->{load}->slice(1);
            }
            @verdicts = verdicts(beside($w, $attack, was => $was,
                beside => 1, refused => 0.3));
            my $bad = grep { !$_->[1] } @verdicts;
            leave($w), undef $w if $bad || $attack->{daemon};
            last if !$bad;
        }
        told($attack, @$_) for @verdicts;
    }
}

# A test; TODO if the attack's `todo` names it.
sub told {
    my ($attack, $what, $good, $name, $why) = @_;

    my $todo = $attack->{todo};
    $todo = $todo->{$what} if ref $todo;
    my $builder = Test::More->builder;
    $builder->todo_start($todo) if $todo;
    ok($good, "$attack->{row} $attack->{name}: $name") or diag($why);
    $builder->todo_end if $todo;
}

# ([what, good, name, why], ...)
sub verdicts {
    my ($r) = @_;

    my ($x, $y) = @$r{qw(alone beside)};
    my %bad = bad_answers($y);
    my @failed = @{ $y->{failed} };
    return (['errors', !%bad, 'A gets no 503',
            join ', ', map { "$_: $bad{$_} times" } sort keys %bad],
        ['failed', !@failed, 'no check of A fails',
            @failed . ' failed: ' . ($failed[0] // '')],
        ['late', !$y->{late}, 'all of A ends in time', "$y->{late} did not"],
        (map { median_of($_, $x->{$_}, $y->{$_}) } @{ +CLASSES }),
        (map { most($r, $_) } sort keys %MOST));
}

# Unexpected responses to A: {status => number}
sub bad_answers {
    my ($seen) = @_;

    return map { $_ => $seen->{status}{$_} } grep { !/^(?:200|404|409)$/ }
        keys %{ $seen->{status} };
}

sub median_of {
    my ($class, $alone, $beside) = @_;

    return () if !@$alone || !@$beside;
    my ($was, $is) = map { percentile(50, @$_) } $alone, $beside;
    return [$class, $is <= $TIMES * $was + $MARGIN, "median of $class",
        sprintf '%.1f ms, alone %.1f ms', 1000 * $is, 1000 * $was];
}

# Sanitizers keep freed memory.
sub most {
    my ($r, $what) = @_;

    my $attack = $r->{attack};
    my $max = $attack->{"${what}_max"} // $MOST{$what};
    my $is = $r->{$what};
    return $attack->{$what} ? [$what, 0, 'it is refused', 'none was'] : ()
        if !defined $is;
    return () if $ENV{RBL_NGINX} && $what =~ /^(?:nginx|daemon)$/;
    return [$what, $is <= $max, UNIT->{$what}, sprintf '%.1f, at most %d', $is,
        $max];
}

1;
