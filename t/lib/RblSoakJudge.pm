package RblSoakJudge;

# Judge of the soak: compares the daemons' events in a world (RblSoakWorld) with
# the responses of its servers at each time.
#
# A listing or its end is false if no trusted server had it within the possible
# age of its response.  A server is trusted if it passes its test points.  In
# direct mode a server is not trusted if a steadily sound server differs and has
# a serial at least as new.
#
# A state that has lasted long enough at a sound list must have been announced.
# A list is sound if all of its servers are, and have been for a while.  No
# announcement is due while daemons or the store are away, while the resolver is
# faulty, or while the machine is too busy ("starved").  If the resolver hides
# the age of negative responses, nothing is late.
#
#     my $j = judge($world, $run, slack => seconds, work => seconds);
#
# `work` is the longest duration of a check.  `slack` is the time that an
# announcement, at the end of a check, may take beyond the interval and TTLs.
#
#   run: start, mode, ended (s), events => [{at, host, zone, is, id}], down =>
#       [[from, to, what]], ids => {event => times}
#   judgement: counts, and faults => [{kind, at, host, list, text}]

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(max min first sum0);

use RblSoakWorld;

our @EXPORT = qw(judge story oldest);

use constant {
    LEASE => 5,             # s until another daemon takes over a check
    FIXED => 6,             # s: slack after two TTLs, and a whole second each
    STEADY => 10,           # s after which a server is surely trusted again
    ALONE => 10,            # s of back-off after a refusal
};


sub judge {
    my ($w, $run, %o) = @_;

    my $j = { w => $w, run => $run, slack => $o{slack} // 2.5,
        work => $o{work} // 2.5, faults => [], wait => [],
        starved => sum0(map { $_->[1] - $_->[0] }
            grep { $_->[2] eq 'starved' } @{ $run->{down} }),
        map({ $_ => 0 } qw(listings ends false_listing false_end doubled
            missed late due)) };
    my %of = map { $_->{zone} => $_ } @{ $w->{list} };
    my %told;
    for my $e (sort { $a->{at} <=> $b->{at} } @{ $run->{events} }) {
        my $l = $of{ $e->{zone} };
        one_event($j, $l, $e, $told{ $l->{n} }{ $e->{host} } //= [[-1, 0]]);
    }
    for my $l (@{ $w->{list} }) {
        my @good = in_order($j, $l);
        due($j, $l, $_, $told{ $l->{n} }{$_} // [[-1, 0]], @good)
            for @{ $w->{hosts} };
    }
    for my $id (grep { $run->{ids}{$_} > 1 } sort keys %{ $run->{ids} }) {
        fault($j, 'doubled', 0, '', undef, "event $id is there twice");
    }
    return $j;
}

sub fault {
    my ($j, $kind, $at, $host, $l, $text) = @_;

    $j->{$kind}++;
    push @{ $j->{faults} }, { kind => $kind, at => $at, host => $host,
        list => $l, text => $text };
}

sub one_event {
    my ($j, $l, $e, $told) = @_;

    $j->{ $e->{is} ? 'listings' : 'ends' }++;
    if ($told->[-1][1] == $e->{is}) {
        fault($j, 'doubled', $e->{at}, $e->{host}, $l,
            'the same was reported at '
            . sprintf '%.2f', $told->[-1][0]);
    }
    push @$told, [$e->{at}, $e->{is}];
    my $kind = $e->{is} ? 'false_listing' : 'false_end';
    fault($j, $kind, $e->{at}, $e->{host}, $l, sprintf
        'no trusted response has it since %.2f', oldest($j, $l, $e->{at}))
        if !supported($j, $l, $e);
}

# The earliest time of a response that was announced at a time.
sub oldest {
    my ($j, $l, $at) = @_;

    my $u = $j->{w}{unit};
    my $from = $at - 1.1 * $j->{w}{interval} - $j->{work} * $u
        - ($j->{run}{mode} eq 'resolver' ? max(@$l{qw(ttl negative)}) : 0);
    for my $d (@{ $j->{run}{down} }) {
        $from -= $d->[1] - $d->[0] if $d->[2] =~ /^(?:store|starved)$/
            && $d->[1] > $from && $d->[0] < $at;
    }
    return $from;
}

sub lines_of {
    my ($l, $host) = @_;

    return ($l->{host}{$host}, $l->{serial},
        map { $_->{regime} } @{ $l->{server} });
}

# The times at which the state may change.
sub turns {
    my ($l, $host, $from, $to) = @_;

    my %at = map { $_ => 1 } map { my $t = $_;
        map { $t + $_->{lag} + 1e-6 } @{ $l->{server} } }
        breaks($from - 2, $to, lines_of($l, $host));
    $at{$_} = 1 for breaks($from, $to, lines_of($l, $host));
    return ($from, grep { $_ > $from && $_ <= $to }
        sort { $a <=> $b } keys %at);
}

sub supported {
    my ($j, $l, $e) = @_;

    for my $t (turns($l, $e->{host}, oldest($j, $l, $e->{at}), $e->{at})) {
        for my $s (@{ $l->{server} }) {
            next if !passes($s, $t) || says($s, $e->{host}, $t) != $e->{is};
            return 1 if $j->{run}{mode} eq 'resolver'
                || !outdone($j, $l, $s, $e, $t);
        }
    }
    return 0;
}

sub outdone {
    my ($j, $l, $s, $e, $t) = @_;

    my $serial = serial_of($s, $t);
    for my $other (@{ $l->{server} }) {
        return 1 if $other != $s && steady($j, $other, $t)
            && says($other, $e->{host}, $t) != $e->{is}
            && serial_of($other, $t) >= $serial;
    }
    return 0;
}

sub steady {
    my ($j, $s, $t) = @_;

    my $from = $t - STEADY * $j->{w}{unit};
    return !grep { !passes($s, $_) || !reaches($s, $_) }
        $from, breaks($from, $t, $s->{regime});
}


# --- due announcements -------------------------------------------------------

# [from, to] in which a list has been sound for so long that all of it is known
# again.
sub in_order {
    my ($j, $l) = @_;

    my $u = $j->{w}{unit};
    my @bad = map { [$_->[0], $_->[1] + back($j, $l, $_->[1] - $_->[0])] }
        joined(bad_times($l));
    push @bad, map { [$_->[0], $_->[1] + back($j, $l, $_->[1] - $_->[0])] }
        faults_of($j->{w}{resolver}, $j->{run}{ended})
        if $j->{run}{mode} eq 'resolver';
    push @bad, [$l->{moved}, $l->{moved} + 20 * $u] if $l->{moved};
    for my $d (@{ $j->{run}{down} }) {
        push @bad, [$d->[0], $d->[1] + back($j, $l, 0)
            + ($d->[2] eq 'starved' ? 0 : LEASE * $u)];
    }
    my ($from, @good) = ($j->{w}{warm});
    for my $b (joined(@bad)) {
        push @good, [$from, $b->[0]] if $b->[0] > $from;
        $from = $b->[1];
    }
    return (@good, [$from, $j->{run}{ended}]);
}

# Time after which a list that was bad for so long is known to be sound: each
# query comes after twice the time of the one before.
sub back {
    my ($j, $l, $length) = @_;

    return 1.2 * $length + 1.1 * $j->{w}{interval} + $j->{w}{unit}
        + ($j->{run}{mode} eq 'resolver' ? $l->{ttl} + $l->{negative} : 0);
}

sub bad_times {
    my ($l) = @_;

    return map { map { my $r = $_->[1]; [$r->{since},
            max($r->{until}, $r->{kind} =~ /^(?:refused|error)$/
                ? $r->{since} + ALONE : 0)] }
        grep { $_->[1]{kind} ne 'healthy' } @{ $_->{regime} } }
        @{ $l->{server} };
}

# Times at which the resolver is faulty.
sub faults_of {
    my ($line, $ended) = @_;

    return () if !$line;
    return map { [$line->[$_][0], $_ < $#$line ? $line->[$_ + 1][0] : $ended] }
        grep { $line->[$_][1] =~ /^(?:rewrite|hide|strip)$/ } 0 .. $#$line;
}

sub joined {
    my @all = sort { $a->[0] <=> $b->[0] } @_;

    my @out;
    for my $b (@all) {
        if (@out && $b->[0] <= $out[-1][1]) {
            $out[-1][1] = max($out[-1][1], $b->[1]);
        } else {
            push @out, [@$b];
        }
    }
    return @out;
}

# The longest time until news must be announced.  The cache of the daemon, or of
# the resolver, may still hold the old response.  Behind a resolver an end then
# waits for the TTL of the test point, that of a negative response, and a few
# seconds that are always the same; a listing, which replaces a negative
# response, waits for its own TTL.
sub limit {
    my ($j, $l) = @_;

    return 1.1 * $j->{w}{interval} + $j->{slack} * $j->{w}{unit}
        + ($j->{run}{mode} eq 'resolver'
            ? FIXED + 2 * $l->{ttl} + $l->{negative}
            : max(@$l{qw(ttl negative)}));
}

# While a list is sound and its response for a host does not change, the state
# must be announced in time.
sub due {
    my ($j, $l, $host, $told, @good) = @_;

    my $lag = max(map { $_->{lag} } @{ $l->{server} });
    my $limit = limit($j, $l);
    for my $g (@good) {
        my @at = ($g->[0], breaks(@$g, $l->{host}{$host}));
        for my $i (0 .. $#at) {
            my $to = $i < $#at ? $at[$i + 1] : $g->[1];
            my $by = $at[$i] + $lag + $limit;
            next if $to < $by;
            $j->{due}++;
            one_due($j, $l, $host, $told, $at[$i], $by, $to);
        }
    }
}

sub one_due {
    my ($j, $l, $host, $told, $from, $by, $to) = @_;

    my $is = at($l->{host}{$host}, $from);
    my $when = first { $_->[0] > $from && $_->[1] == $is } @$told;
    push @{ $j->{wait} }, $when->[0] - $from if $when
        && at($told, $from) != $is && $when->[0] <= $by;
    return if at($told, $by) == $is;
    my $late = $when && $when->[0] <= $to
        || $to < $by + 2 * $j->{w}{interval};
    fault($j, $late ? 'late' : 'missed', $by, $host, $l, sprintf
        '%s since %.2f; reported by %.2f?  %s', $is ? 'listed' : 'not listed',
        $from, $by, $when ? sprintf '%.2f', $when->[0] : 'never');
}


# --- for the reader ----------------------------------------------------------

# Events of a host at a list, around a time.
sub story {
    my ($w, $run, $host, $l, $at) = @_;

    my ($from, $to) = ($at - 30 * $w->{unit}, $at + 5 * $w->{unit});
    my @line;
    my $add = sub { push @line, [@_] if $_[0] >= $from && $_[0] <= $to };
    $add->($_->[0], $_->[1] ? 'IS LISTED' : 'IS NOT LISTED')
        for @{ $l->{host}{$host} };
    for my $s (@{ $l->{server} }) {
        my $name = "server $s->{n} " . at($s->{address}, $at);
        $add->($_->[0], "$name: " . ($_->[1]{kind} eq 'healthy' ? 'healthy'
            : "$_->[1]{kind}, until " . sprintf '%.3f', $_->[1]{until}))
            for @{ $s->{regime} };
        $add->($_->[0], "$name: moves to $_->[1]") for @{ $s->{address} };
    }
    $add->($_->[0], "resolver: $_->[1]") for @{ $w->{resolver} // [] };
    $add->($_->[0], sprintf '%s down until %.2f', @$_[2, 1])
        for @{ $run->{down} };
    $add->($_->{at}, ($_->{is} ? "reported: LISTED " : "reported: CLEAR ")
        . $_->{check})
        for grep { $_->{host} eq $host && $_->{zone} eq $l->{zone} }
        @{ $run->{events} };
    return map { sprintf "    %8.3f  %s\n", @$_ }
        sort { $a->[0] <=> $b->[0] } @line;
}

1;
