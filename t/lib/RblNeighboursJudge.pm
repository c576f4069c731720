package RblNeighboursJudge;

# What account A and the servers may notice of an attack, and the tests of it in
# the short form that `make check` runs.
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
# grow; MiB of an answer without an end that the daemon takes; bytes out of the
# store for a request without proof or over its limit.
our %MOST = (nginx => 256, daemon => 64, store => 128, taken => 4,
    refused => 8 * 1024);

# The p99 beside an attack: so many times the one alone, and so many seconds
# more, for in the short form everybody shares two processors.  The median of
# reads and writes has less need of that.
our ($TIMES, $MARGIN, $MEDIAN_MARGIN) = (3, 0.25, 0.04);

use constant {
    TRIES   => 3,
    CLASSES => [qw(read write large check deliver)],
    UNIT    => { nginx => 'MiB of the workers', daemon => 'MiB of the daemon',
        store => 'MiB of the store', taken => 'MiB of an endless answer',
        refused => 'bytes a refused request' },
};

# What A's load is alone is measured once.  A world is left after an attack on
# the daemon, which would still be busy with it.  Times alone may also be due to
# what else the machine does: they are measured again before they are believed.
sub short_form {
    my (@attacks) = @_;

    my ($w, $was);
    for my $attack (@attacks) {
        my @verdicts;
        for (1 .. ($attack->{todo} ? 1 : TRIES)) {
            if (!$w || $attack->{daemon}) {
                leave($w) if $w;
                $w = neighbours(store_timeout => '1s',
                    %{ $attack->{world} // {} });
            }
            undef $was if $_ > 1;
            $was //= $w->{load}->slice(1);
            @verdicts = verdicts(beside($w, $attack, was => $was,
                beside => 1, refused => 0.3));
            leave($w), undef $w if $attack->{world};
            last if !grep { !$_->[1] && $_->[4] } @verdicts;
        }
        told($attack, @$_) for @verdicts;
    }
}

# A test; what the attack's `todo` names is not yet so.
sub told {
    my ($attack, $what, $good, $name, $why) = @_;

    my $todo = $attack->{todo};
    $todo = $todo->{$what} if ref $todo;
    my $builder = Test::More->builder;
    $builder->todo_start($todo) if $todo;
    ok($good, "$attack->{row} $attack->{name}: $name") or diag($why);
    $builder->todo_end if $todo;
}

# ([what, good, name, why, true if it is a matter of time], ...)
sub verdicts {
    my ($r) = @_;

    my ($x, $y) = @$r{qw(alone beside)};
    my %bad = bad_answers($y);
    my @failed = @{ $y->{failed} };
    return (['errors', !%bad, 'A gets no 503',
            join ', ', map { "$_: $bad{$_} times" } sort keys %bad],
        ['failed', !@failed, 'no check of A fails',
            @failed . ' failed: ' . ($failed[0] // '')],
        ['late', !$y->{late}, 'all of A ends in time', "$y->{late} did not", 1],
        (map { times_of($_, $x->{$_}, $y->{$_}) } @{ +CLASSES }),
        (map { most($r, $_) } sort keys %MOST));
}

# What A was answered that it should not be: {status => times}
sub bad_answers {
    my ($seen) = @_;

    return map { $_ => $seen->{status}{$_} } grep { !/^(?:200|404|409)$/ }
        keys %{ $seen->{status} };
}

sub times_of {
    my ($class, $alone, $beside) = @_;

    return () if !@$alone || !@$beside;
    return map { at_most($class, @$_, $alone, $beside) } [99, $MARGIN],
        $class =~ /^(?:read|write)$/ ? [50, $MEDIAN_MARGIN] : ();
}

sub at_most {
    my ($class, $p, $margin, $alone, $beside) = @_;

    my ($was, $is) = map { percentile($p, @$_) } $alone, $beside;
    return [$class, $is <= $TIMES * $was + $margin, "p$p of $class",
        sprintf('%.1f ms, alone %.1f ms', 1000 * $is, 1000 * $was), 1];
}

# Sanitizers keep what is freed.
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
