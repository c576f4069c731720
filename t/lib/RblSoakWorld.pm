package RblSoakWorld;

# A world for the soak: lists, the servers of each, hosts, and all their
# changes, generated from a seed before the run.  It is a function of time: the
# servers (RblSoakServer) answer by it, and the judge (RblSoakJudge) derives
# from it each server's responses at any time.
#
# A line of time is [[since, value], ...]; at($line, $t) is its value then.
# Times are seconds since the world began; all lengths are multiples of `unit`,
# so that the whole world can be slowed down.
#
#   world: seed, unit, seconds, warm, quiet (when the last change is over),
#       net ("127.x.y"), parent (its address), hosts => [addresses],
#       interval, resolver => undef (unbound) or the line of a faulty one's
#       faults ('' for none), unbounds (their number), list => [...]
#   list: zone, own (of an account), ttl, negative (s), calm (nothing happens),
#       host => {address => line of 0 and 1}, serial => line,
#       server => [...]
#   server: number, lag (s behind the list's data), name => line,
#       address => line, old (what answers where it was before),
#       regime => line of {kind, since, until, delay, all, salt}

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(min);

our @EXPORT = qw(at breaks soak_world says serial_of passes reaches data_at
    place_of regime_at);

use constant NEVER => -1e9;

# States of a server, with their weights: of one server, or of all servers of a
# list together.
my %ALONE = (empty => 4, half => 4, beside => 3, wild => 2, partial => 2,
    refused => 1, servfail => 1, lame => 2, noaa => 1, slow => 2, silent => 2,
    parked => 2, error => 2, stale => 4, back => 1);
my %TOGETHER = (empty => 8, half => 2, beside => 2, wild => 3, refused => 1,
    servfail => 1, lame => 1, slow => 1, silent => 2, parked => 2, error => 2,
    back => 1);
# Server at the old address after a move.
my %BEHIND = (silent => 4, refused => 3, parked => 2, wild => 2, lame => 2);


# --- time --------------------------------------------------------------------

sub at {
    my ($line, $t) = @_;

    my ($low, $high) = (0, $#$line);
    while ($low < $high) {
        my $middle = int(($low + $high + 1) / 2);
        if ($line->[$middle][0] <= $t) {
            $low = $middle;
        } else {
            $high = $middle - 1;
        }
    }
    return $line->[$low][1];
}

# Times at which a line changes, later than `from` and not after `to`.
sub breaks {
    my ($from, $to, @lines) = @_;

    return map { map { $_->[0] } grep { $_->[0] > $from && $_->[0] <= $to }
        @$_ } @lines;
}

sub between { return $_[0] + rand($_[1] - $_[0]) }

sub about {
    my ($mean) = @_;

    return -log(1 - rand) * $mean;
}

sub draw {
    my ($of) = @_;

    my @all = map { ($_) x $of->{$_} } sort keys %$of;
    return $all[rand @all];
}


# --- the plan ----------------------------------------------------------------

# Options: seed, seconds, unit, net, mode, unbound (1: no faulty resolver),
# unbounds (1 or 2), often (so many times as many faults of servers).
sub soak_world {
    my (%o) = @_;

    srand $o{seed};
    my $u = $o{unit} // 1;
    my $w = { seed => $o{seed}, unit => $u, seconds => $o{seconds},
        warm => 4 * $u, net => $o{net}, parent => "$o{net}.1",
        recursive => "$o{net}.2",
        interval => 2 * $u, next => 10, mode => $o{mode},
        often => $o{often} // 1 };
    $w->{quiet} = $o{seconds} - min(14 * $u, $o{seconds} / 4);
    $w->{hosts} = [map { sprintf '%d.%d.0.%d', 20 + int rand 60, $_,
        1 + int rand 250 } 1 .. 24];
    $w->{list} = [map { plan_list($w, $_) } 1 .. 7];
    $w->{accidents} = plan_accidents($w);
    $w->{resolver} = plan_resolver($w) if !$o{unbound};
    $w->{unbounds} = $w->{resolver} ? 0 : $o{unbounds} // 1 + int rand 2;
    srand;
    return $w;
}

sub plan_list {
    my ($w, $n) = @_;

    my $u = $w->{unit};
    my $l = { zone => "l$n.soak.test", n => $n, own => $n == 7,
        calm => $n <= 2, ttl => $u * (1, 1, 2, 2, 4)[rand 5],
        negative => $u * (1, 2, 2, 4, 6)[rand 5], server => [] };
    my $servers = (1, 1, 2, 2, 2, 3, 4)[rand 7];
    push @{ $l->{server} }, plan_server($w, $l, $_) for 0 .. $servers - 1;
    plan_data($w, $l);
    if (!$l->{calm}) {
        plan_regimes($w, $l);
        plan_moves($w, $l) if rand() < 0.35;
    }
    return $l;
}

sub plan_server {
    my ($w, $l, $i) = @_;

    my $letter = chr(ord('a') + $i);
    return { n => $i, list => $l, lag => $i && rand() < 0.4
            ? between(0.05, 0.8) * $w->{unit} : 0,
        name => [[NEVER, "$letter-$l->{n}.ns.soak.test"]],
        address => [[NEVER, "$w->{net}." . $w->{next}++]],
        old => draw(\%BEHIND), regime => [[NEVER, { kind => 'healthy' }]] };
}

# Hosts are listed and delisted; each change has a new serial.
sub plan_data {
    my ($w, $l) = @_;

    my $u = $w->{unit};
    my @changes;
    for my $host (@{ $w->{hosts} }) {
        my $is = rand() < 0.1 ? 1 : 0;
        my $line = $l->{host}{$host} = [[NEVER, $is]];
        for (my $t = $w->{warm}; ; ) {
            $t += $is ? stay($u) : (1 + about(25)) * $u;
            last if $t >= $w->{quiet};
            push @$line, [$t, $is = 1 - $is];
            push @changes, $t;
        }
    }
    my $serial = 1000 + int rand 1_000_000;
    $l->{serial} = [[NEVER, $serial], map { [$_, ++$serial] }
        sort { $a <=> $b } @changes];
}

# How long a host stays on a list: mostly longer than a check's interval.
sub stay {
    my ($u) = @_;

    return rand() < 0.15 ? between(0.2, 2) * $u : (6 + about(12)) * $u;
}

sub plan_regimes {
    my ($w, $l) = @_;

    my @together;
    for (my $t = $w->{warm}; ; ) {
        $t += (4 + about(14)) / $w->{often} * $w->{unit};
        my $r = regime($w, draw(\%TOGETHER), $t) or last;
        $r->{all} = 1;
        push @together, $r;
        $t = $r->{until};
    }
    plan_alone($w, $l, $_, @together) for @{ $l->{server} };
}

# Plans the states of one server, between those of all servers.
sub plan_alone {
    my ($w, $l, $s, @all) = @_;

    my @own;
    for (my $t = $w->{warm}; @{ $l->{server} } > 1; ) {
        $t += (5 + about(15)) / $w->{often} * $w->{unit};
        my $r = regime($w, draw(\%ALONE), $t) or last;
        $t = $r->{until};
        push @own, $r if !grep { $_->{since} < $r->{until}
            && $_->{until} > $r->{since} } @all;
    }
    for my $r (sort { $a->{since} <=> $b->{since} } @own, @all) {
        push @{ $s->{regime} }, [$r->{since}, $r], [$r->{until},
            { kind => 'healthy' }];
    }
}

# undef: no time is left for it.
sub regime {
    my ($w, $kind, $t) = @_;

    my $u = $w->{unit};
    my $length = rand() < 0.5 ? between(0.3, 2.5) * $u : (3 + about(7)) * $u;
    return undef if $t + $length >= $w->{quiet};
    return { kind => $kind, since => $t, until => $t + $length,
        delay => between(0.05, 0.9) * $u, salt => int rand 1000 };
}

# Moves one server to another address, or all, with new names, too.
sub plan_moves {
    my ($w, $l) = @_;

    my $t = between($w->{warm} + 2 * $w->{unit}, $w->{quiet});
    return if $t > $w->{quiet} - 25 * $w->{unit};
    my @moved = rand() < 0.5 ? @{ $l->{server} } : $l->{server}[0];
    for my $s (@moved) {
        push @{ $s->{address} }, [$t, "$w->{net}." . $w->{next}++];
        push @{ $s->{name} }, [$t, "new-" . at($s->{name}, NEVER)]
            if @moved > 1;
    }
    $l->{moved} = $t;
}

# Mostly none: then it is unbound.
sub plan_resolver {
    my ($w) = @_;

    my $fault = draw({ unbound => 6, whole => 1, strip => 1, rewrite => 1,
        hide => 1 });
    return undef if $fault eq 'unbound';
    return [[NEVER, $fault]] if $fault =~ /^(?:whole|strip)$/;
    my @line = [NEVER, ''];
    for (my $t = $w->{warm}; ; ) {
        $t += (6 + about(10)) * $w->{unit};
        my $over = $t + between(0.5, 5) * $w->{unit};
        return \@line if $over > $w->{quiet};
        push @line, [$t, $fault], [$over, ''];
        $t = $over;
    }
}

# Times at which daemons, the store and the resolver are killed, and for how
# long.
sub plan_accidents {
    my ($w) = @_;

    my $u = $w->{unit};
    my @all;
    for (my $t = $w->{warm} + between(5, 15) * $u; $t < $w->{quiet} - 5 * $u;
        $t += between(15, 35) * $u)
    {
        push @all, { at => $t, what => draw({ daemon => 5, store => 3,
            resolver => 1 }), which => int rand 3,
            seconds => between(0.2, 3) * $u };
    }
    $w->{daemons} = 1 + int rand 3;
    return \@all;
}


# --- the state at a time -----------------------------------------------------

sub regime_at {
    my ($s, $t) = @_;

    return at($s->{regime}, $t);
}

# The time whose data the server has.
sub data_at {
    my ($s, $r, $t) = @_;

    return ($r->{kind} eq 'stale' ? $r->{since} - $s->{list}{ttl} : $t)
        - $s->{lag};
}

sub serial_of {
    my ($s, $t) = @_;

    my $r = regime_at($s, $t);
    return at($s->{list}{serial}, data_at($s, $r, $t))
        - ($r->{kind} eq 'back' ? 5000 : 0);
}

# A constant number for a name.
sub hash_of {
    my ($name, $salt) = @_;

    return unpack('%32C*', pack 'w/a*', "$name$salt") * 2654435761 % 4093;
}

# True if this server lists the address; undef: it does not answer.
sub says {
    my ($s, $address, $t) = @_;

    my $r = regime_at($s, $t);
    my $kind = $r->{kind};
    return undef if $kind =~ /^(?:refused|servfail|lame|silent|parked|error)$/;
    return 0 if $kind =~ /^(?:empty|noaa)$/;
    return 1 if $kind eq 'wild' || $address eq '127.0.0.2';
    my $host = $s->{list}{host}{$address};
    my $is = $host ? at($host, data_at($s, $r, $t)) : 0;
    return $is && hash_of($address, $r->{salt}) % 2 if $kind eq 'partial';
    return 1 if $is;
    return 0 if $kind !~ /^(?:half|beside)$/ || $address eq '127.0.0.1';
    return hash_of($address, $r->{salt}) % 2 if $kind eq 'half';
    return beside($s, $address, data_at($s, $r, $t));
}

# A wildcard covers no name below an existing one: in 2.0.0.127 `127` exists.
sub beside {
    my ($s, $address, $t) = @_;

    my ($first) = $address =~ /^(\d+)\./;
    return 0 if $first == 127;
    my $hosts = $s->{list}{host};
    return !grep { /^$first\./ && at($hosts->{$_}, $t) } keys %$hosts;
}

# True if it passes its test points, and is not wildcarding.
sub passes {
    my ($s, $t) = @_;

    return regime_at($s, $t)->{kind} =~ /^(?:healthy|slow|stale|partial|back)$/;
}

# True if it answers soon.
sub reaches {
    my ($s, $t) = @_;

    return regime_at($s, $t)->{kind} !~ /^(?:slow|silent)$/;
}

# {address => [server, its state there]}: a regime's kind where the server is no
# longer or not yet, undef where it is now.
sub place_of {
    my ($w) = @_;

    my %place;
    for my $s (map { @{ $_->{server} } } @{ $w->{list} }) {
        $place{ $_->[1] } = $s for @{ $s->{address} };
    }
    return \%place;
}

1;
