package RblCrash::Verify;

# Checks the results of a run of RblCrash.pm against its model: each check's
# verdicts, each host's state, history, events and schedule.
#
#     my %fault = faults($c, left => [what is not over], zones => \@zones,
#         each => $n, worlds => [an account of each partition]);
#
# Every host has `each` turns.  It reads from $c the hosts with their turns
# ({host}, {oneoff}, {range}), {stuck} and {w}.  It counts {surprises}, lists
# that were unknown although they answer, {ends} of listings, checks {again} in
# one turn, and {plain}, hosts in the state of their zones.

use strict;
use warnings;

use Exporter 'import';
use Time::HiRes qw(time);

use RblCheckd;
use RblTest;

our @EXPORT_OK = qw(faults completed_host);


# {topic => text}; the text is '' if nothing is wrong.
sub faults {
    my ($c, %opt) = @_;

    $c->{$_} = $opt{$_} for qw(zones each worlds);
    my %fault = map { $_ => [] } qw(left checks verdicts states history events
        schedule ranges);
    $c->{$_} = 0 for qw(surprises ends again plain);
    $c->{order} = {};
    push @{ $fault{left} }, @{ $opt{left} };
    push @{ $fault{left} }, "$c->{stuck} checks did not end" if $c->{stuck};
    my %events = read_events($c, \%fault);
    for my $h (@{ $c->{oneoff} }) {
        verdicts($c, \%fault, $h, $h->{turns}[0]{truth}, $h->{pp}, 1);
        expect(\%fault, \%events, $h, $h->{pp},
            $h->{called} ? ('check.completed') : ());
    }
    verify_host($c, \%fault, \%events, $_) for @{ $c->{host} };
    verify_range($c, \%fault);
    push @{ $fault{events} }, map { "$_: of no check" } sort keys %events;
    my %told;
    return map { $_ => join "\n", grep { !$told{$_}++ } @{ $fault{$_} } }
        keys %fault;
}

# {check => {type => n}}, and the checks of each host in the order of their
# ends.
sub read_events {
    my ($c, $fault) = @_;

    my (%n, %id);
    for my $w (@{ $c->{worlds} }) {
        for my $entry (@{ redis($w->{redis}, 'XRANGE',
            RblCheckd::pkey($w, 'outbox'), '-', '+') })
        {
            my %f = @{ $entry->[1] };
            my $e = record('event', $f{d});
            $e->{type} =~ s/^rbl\.host\.//;
            push @{ $fault->{events} }, "$f{e} is there twice"
                if $id{ $f{e} }++;
            push @{ $n{ $e->{check} }{ $e->{type} } }, $e;
            my $ht = completed_host($f{d}) // next;
            push @{ $c->{order}{$ht} }, $e->{check};
        }
    }
    return %n;
}

# The host whose check an event reports as completed, or undef.
sub completed_host {
    my $e = record('event', $_[0]);
    return undef if $e->{type} !~ /^(?:rbl\.host\.)?check\.completed$/
        || $e->{host} eq '';
    return record('host', $e->{host})->{id};
}

sub expect {
    my ($fault, $events, $h, $pp, @types) = @_;

    my $got = delete $events->{$pp} // {};
    my $text = join ' ', map { $_ . ' x' . @{ $got->{$_} } } sort keys %$got;
    my $want = join ' ', map { "$_ x1" } sort @types;
    push @{ $fault->{events} }, "$h->{value} $pp: $text instead of $want"
        if $text ne $want;
}

# Verdicts of one check by zone; each is right, or unknown.
sub verdicts {
    my ($c, $fault, $h, $truth, $pp, $full) = @_;

    my $state = check_state($h->{w}, $pp);
    push @{ $fault->{checks} }, "$h->{value} $pp: "
        . join ' ', map { "$_=" . ($state->{$_} // '?') } qw(status message)
        if ($state->{status} // '') ne 'completed';
    my $got = details($h->{w}, $pp);
    my %verdict;
    for my $zone (@{ $c->{zones} }) {
        my $r = $got->{$zone} // { status => $full ? 'absent' : 'clear' };
        my $is = $verdict{$zone} = $r->{status};
        next if $is eq $truth->{$zone}
            || $is eq 'unknown' && $truth->{$zone} eq 'servfail';
        $verdict{open} = 1 if $r->{error} =~ /^(?:unconfirmed|unhealthy)$/;
        if ($is eq 'unknown' && $r->{error}
            =~ /^(?:timeout|unconfirmed|unhealthy|resolver)$/)
        {
            # The end of a listing is checked twice.
            $c->{surprises}++ if $r->{error} ne 'unconfirmed'
                || $truth->{$zone} ne 'clear';
            next;
        }
        push @{ $fault->{verdicts} }, "$h->{value} $pp $zone: $is "
            . ($r->{error} // '') . ", the truth is $truth->{$zone}";
    }
    return \%verdict;
}

# Goes through the checks of a host in the order of their ends.
sub verify_host {
    my ($c, $fault, $events, $h) = @_;

    my @pp = @{ $c->{order}{ $h->{ht} } // [] };
    my @turns = @{ $h->{turns} // [] };
    my @till = map { $_->{till} // 0 } @turns;
    if (@turns != $c->{each} || $till[-1] != @pp
        || grep { $till[$_] <= ($_ ? $till[$_ - 1] : 0) } 0 .. $#till)
    {
        push @{ $fault->{checks} }, "$h->{value}: " . @pp
            . " reported as completed, after its turns: @till";
        delete @$events{@pp};
        return;
    }
    my (%on, @history, %last);
    for my $n (0 .. $#pp) {
        my ($pp, $turn) = ($pp[$n], $turns[0]);
        push @{ $fault->{checks} }, "$h->{value}: check $n is not $turn->{pp}"
            if $turn->{pp} && $turn->{pp} ne $pp && !$turn->{again};
        push @{ $fault->{checks} }, "$h->{value}: check $n was not called for"
            if $turn->{again} && !$last{open};
        $c->{again}++ if $turn->{again};
        %last = %{ verdicts($c, $fault, $h, $turn->{truth}, $pp,
            $turn->{pp} && !$turn->{again}) };
        $turn->{again} = 1;
        shift @turns if $n + 1 == $till[0] && shift @till;
        my ($was, @changed) = (scalar keys %on);
        for my $zone (@{ $c->{zones} }) {
            my $v = $last{$zone};
            next if $v eq 'unknown';
            push @changed, "$pp $zone $v"
                if ($v eq 'listed') ne (exists $on{$zone});
            $c->{ends}++ if $v ne 'listed' && $on{$zone};
            $v eq 'listed' ? $on{$zone} = 1 : delete $on{$zone};
        }
        push @history, sort @changed;
        expect($fault, $events, $h, $pp, 'check.started', 'check.completed',
            %on ? 'listed' : $was ? 'delisted' : ());
    }
    # The transitions of one check have no order.
    my (%nth, @told);
    for my $t (@{ history_of($h->{w}, $h->{ht}) }) {
        my $n = $nth{ $t->{c} } //= @told;
        push @{ $told[$n] }, "$t->{c} $t->{z} $t->{v}";
    }
    my $got = join ', ', map { sort @$_ } @told;
    push @{ $fault->{history} }, "$h->{value}: $got instead of @history"
        if $got ne join ', ', @history;
    $h->{on} = %on;
    verify_state($c, $fault, $h, \%on, \%last);
}

sub verify_state {
    my ($c, $fault, $h, $on, $last) = @_;

    my $redis = $c->{w}{redis};
    my $r = host_record($h->{w}, $h->{ht});
    my $index = redis($redis, 'ZSCORE', RblCheckd::akey($h->{w}, 'listed'),
        $h->{ht});
    my $got = join ' ', (map { $_->[1] } sort { $a->[1] cmp $b->[1] }
        @{ $r->{details} }), $r->{listed_count}, $r->{unknown_count},
        $r->{first_listed} ? 'since' : 'never', defined $index ? 'shown' : 'no';
    my $want = join ' ', (sort keys %$on), scalar keys %$on,
        scalar(grep { $last->{$_} eq 'unknown' } @{ $c->{zones} }),
        %$on ? ('since', 'shown') : ('never', 'no');
    push @{ $fault->{states} }, "$h->{value}: $got instead of $want"
        if $got ne $want;
    # Must match the zone, if it has data.
    $c->{plain}++ if !grep { ($h->{truth}{$_} eq 'listed')
        ne ($on->{$_} ? 1 : '') } @{ $c->{zones} };

    my $next = redis($redis, 'ZSCORE', RblCheckd::akey($h->{w}, 'due'),
        $h->{ht}) // 0;
    push @{ $fault->{schedule} }, "$h->{value}: next check at $next"
        if $next != $r->{next_check} || $next < time * 1000;
}

# A range counts the children that are listed.
sub verify_range {
    my ($c, $fault) = @_;

    my $r = $c->{range};
    my $got = host_record($r->{w}, $r->{ht})->{listed_count};
    my $want = grep { $_->{on} } @{ $r->{kids} };
    push @{ $fault->{ranges} }, "$got children listed instead of $want"
        if $got != $want;
}

1;
