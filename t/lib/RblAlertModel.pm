package RblAlertModel;

# A model of the messages that contacts get about listings, and of their times,
# written from rbl-events(7) beside the scripts of the store.  It knows hosts
# with their listings, contacts, and mutes with their times; times are ms, in
# the time zone of TZ.
#
#     my $m = model_new();
#     model_check($m, $ht, $t, { RBa => 2, RBb => undef, RBc => 'unknown' });
#     my %told = model_tick($m, $t);      # {CO => ["listed 192.0.2.1 RBa"]}
#
# A message is a difference: `told` has what the contact knows about a host, by
# list the number of the listing.  A contact looks at a host if a check says so
# (`mark`), or if something else may have changed (`look`).

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(max min);
use Time::Local 'timegm_modern';

our @EXPORT = qw(model_new model_check model_tick model_open model_window
    model_goes model_mutes_end model_looks model_truth);

my @DAYS = qw(mon tue wed thu fri sat sun);
my $MINUTE = 60_000;
my $INF = 9**9**9;

sub model_new { return { host => {}, co => {}, mute => {}, n => 0 } }


# --- local times -------------------------------------------------------------

# The local time at a second, and the second with a local time: the second one
# of two, and as much later if clocks leave it out.
sub shown {
    my ($sec) = @_;
    my @t = localtime $sec;
    return timegm_modern(@t[0 .. 4], $t[5] + 1900);
}
sub at_shown {
    my ($shown) = @_;
    my @at = map { $shown - (shown($_) - $_) } $shown - 86_400,
        $shown + 86_400;
    return max(grep { shown($_) == $shown } @at) // $at[0];
}
sub seconds { my ($h, $m) = split /:/, $_[0]; return $h * 3600 + $m * 60 }

# The days and the time of "daily 08:00" or "weekly mon,sat 08:00".
sub rule_of {
    my ($days, $at) = $_[0] =~ /^(?:daily|weekly (\S+)) (\S+)$/ or return;
    my %on = map { $_ => 1 } $days ? split /,/, $days : @DAYS;
    return (\%on, seconds($at));
}

# The times of a rule around a second, in their order.
sub times_around {
    my ($rule, $sec, $before, $after) = @_;
    my ($on, $at) = rule_of($rule);
    my $day = int(shown($sec) / 86_400);
    return map { at_shown($_ * 86_400 + $at) }
        grep { $on->{ $DAYS[ ($_ + 3) % 7 ] } } $day - $before .. $day + $after;
}

# When a message about something that happened may go.
sub model_goes {
    my ($rhythm, $quiet, $t) = @_;
    my ($sec, $go) = (int $t / 1000, $t);
    if ($rhythm eq 'hourly') {
        $go = 1000 * ($sec - shown($sec) % 3600 + 3600);
    } elsif ($rhythm ne '') {
        $go = 1000 * min(grep { $_ > $sec } times_around($rhythm, $sec, 1, 8));
    }
    return $go if $quiet eq '';
    my ($from, $to) = map { seconds($_) } split /-/, $quiet;
    my $at = shown(int $go / 1000) % 86_400;
    return $go if $from < $to ? $at < $from || $at >= $to
        : $at < $from && $at >= $to;
    my $end = substr $quiet, 6;
    return 1000 * min(grep { 1000 * $_ > $go }
        times_around("daily $end", int $go / 1000, 1, 2));
}

# The time of a mute that is open at t, or the next one: its begin and end, or
# nothing if there is none.
sub model_window {
    my ($m, $t) = @_;
    return $m->{ends} > $t ? @$m{qw(begins ends)} : () if !$m->{rule};
    for my $sec (times_around($m->{rule}, int max($t, $m->{begins}) / 1000, 2,
        8))
    {
        my ($from, $to) = (1000 * $sec, 1000 * $sec + $MINUTE * $m->{minutes});
        next if $from < $m->{begins} || $to <= $t;
        return if $m->{last} && $from >= $m->{last};
        $to = min($to, $m->{last} || $to);
        return $to > $t ? ($from, $to) : ();
    }
    return;
}
sub model_open {
    my ($m, $t) = @_;
    my ($from) = model_window($m, $t);
    return defined $from && $from <= $t;
}


# --- what happens ------------------------------------------------------------

sub model_theirs {
    my ($c, $h) = @_;
    my %in = map { $_ => 1 } @{ $c->{groups} };
    return grep { $in{$_} } @{ $h->{groups} };
}

# A check of a host has ended; says: the weight by list, undef: clear,
# "unknown".
sub model_check {
    my ($m, $ht, $t, $says) = @_;
    my $h = $m->{host}{$ht};
    my ($was, $news) = (%{ $h->{on} } > 0, 0);
    for my $l (sort keys %$says) {
        my ($weight, $on) = ($says->{$l}, $h->{on}{$l});
        next if ($weight // '') eq 'unknown';
        if (!defined $weight) {
            $news = 1 if delete $h->{on}{$l};
        } elsif (!$on) {
            $h->{on}{$l} = { weight => $weight, since => $t, again => [],
                n => ++$m->{n} };
            $news = 1;
        } else {
            push @{ $on->{again} }, $t - $on->{since};
            $on->{n} = ++$m->{n} if $weight > $on->{weight};
            $news ||= $weight != $on->{weight};
            $on->{weight} = $weight;
        }
    }
    my $is = %{ $h->{on} } > 0;
    for my $c (grep { model_theirs($_, $h) } values %{ $m->{co} }) {
        my $hears = $c->{schedule} eq 'every_check'
            || $c->{schedule} eq 'while_listed' && ($is || $was)
            || $news || $was && !$is;
        next if !$hears;
        my $mark = $c->{mark}{$ht} // 'clear';
        $c->{mark}{$ht} = $is ? 'listed' : $was ? 'delisted' : $mark;
    }
    return;
}

# A mute is over, or one of its times.
sub model_mutes_end { $_->{all} = 1 for values %{ $_[0]{co} } }

# The groups of a host change, or it is deleted: contacts that get or lose it.
sub model_looks {
    my ($m, $ht, $groups) = @_;
    my $h = $m->{host}{$ht};
    for my $c (values %{ $m->{co} }) {
        my $before = model_theirs($c, $h);
        my $after = $groups && model_theirs($c, { groups => $groups });
        $c->{look}{$ht} = 1 if !$before ne !$after;
    }
    $h->{gone} = 1 if !$groups;
    $h->{groups} = $groups if $groups;
    return;
}


# --- what contacts are told --------------------------------------------------

sub covers {
    my ($m, $target, $t, $group) = @_;
    return grep { $_->{target} eq $target && $_->{group} eq ($group // '')
        && model_open($_, $t) } values %{ $m->{mute} };
}
sub muted {
    my ($m, $c, $ht, $t) = @_;
    return covers($m, '', $t) || covers($m, $ht, $t)
        || !grep { !covers($m, $_, $t) }
            model_theirs($c, $m->{host}{$ht});
}

# Is a list of a host, which is not muted, muted for the contact?  It is if all
# of their groups are, or the list is within them.
sub list_muted {
    my ($m, $c, $ht, $l, $t) = @_;
    return covers($m, $l, $t) || !grep { !covers($m, $_, $t)
        && !covers($m, $l, $t, $_) } model_theirs($c, $m->{host}{$ht});
}

# When a listing may be reported.
sub from_of {
    my ($c, $on) = @_;
    my $from = $on->{since} + $MINUTE * $c->{after};
    return $from if $c->{checks} < 2;
    my $found = $on->{again}[ $c->{checks} - 2 ] // return $INF;
    return max($from, $on->{since} + $found);
}

# The host is no longer the contact's, or gone.
sub lost {
    my ($c, $ht, $h) = @_;
    delete $c->{held}{$ht};
    return if !delete $c->{told}{$ht} || $c->{schedule} eq 'while_listed';
    return $h->{gone} || %{ $h->{on} } ? "unreported $h->{value}"
        : "delisted $h->{value}";
}
sub clear {
    my ($c, $h, $mark, $told) = @_;
    delete $c->{told}{ $h->{id} };
    return $c->{schedule} ne 'while_listed' ? "delisted $h->{value}" : ()
        if $told;
    return defined $mark && ($mark eq 'clear'
        || $c->{schedule} eq 'every_check') ? "clear $h->{value}" : ();
}

# The message about a host; what the contact knows changes.
sub message {
    my ($m, $c, $ht, $t, %why) = @_;
    my ($h, $told, $mark) = ($m->{host}{$ht}, $c->{told}{$ht}, $why{mark});
    return lost($c, $ht, $h) if $h->{gone} || !model_theirs($c, $h);
    my $held = delete $c->{held}{$ht};
    my @on = sort keys %{ $h->{on} };
    if (muted($m, $c, $ht, $t)) {
        $c->{held}{$ht} = 1 if @on || $told;
        return;
    }
    return clear($c, $h, $mark, $told) if !@on;

    my ($news, $known, $next, @shows) = (!$told, 0);
    for my $l (@on) {
        my $on = $h->{on}{$l};
        my $knows = $told && ($told->{on}{$l} // 0) == $on->{n};
        my $from = from_of($c, $on);
        if ($on->{weight} < $c->{least}) {
            next;
        } elsif (list_muted($m, $c, $ht, $l, $t)) {
            $c->{held}{$ht} = 1;
            $known ||= $knows;
        } elsif ($from > $t) {
            $next = min($next // $INF, $from);
            $known = 1;                 # the host is still listed
        } else {
            push @shows, $l;
            $news ||= !$knows;
        }
    }
    # A listing that needs more checks is looked at after the next one.
    $c->{later}{$ht} = $next == $INF ? max($t, $h->{next_check}) + $MINUTE
        : $next if defined $next;
    my $ends = $c->{schedule} ne 'while_listed';
    if (!@shows) {
        return if !$told || $known;
        delete $c->{told}{$ht};
        return $ends ? "unreported $h->{value}" : ();
    }
    return if !(defined $mark && $c->{schedule} ne 'start_and_end'
        || (defined $mark || $ends || $held || $why{later}) && $news);
    $c->{told}{$ht} = { on => { map { $_ => $h->{on}{$_}{n} }
        @shows } };
    return join ' ', 'listed', $h->{value}, @shows;
}

# A daemon is at work: returns the messages of each contact.
sub model_tick {
    my ($m, $t) = @_;
    my %told;
    for my $co (sort keys %{ $m->{co} }) {
        my $c = $m->{co}{$co};
        my @due = grep { $c->{later}{$_} <= $t } keys %{ $c->{later} };
        next if !@due && !%{ $c->{mark} } && !%{ $c->{look} } && !$c->{all};
        if ($c->{rhythm} ne '' || $c->{quiet} ne '') {
            $c->{go} //= model_goes($c->{rhythm}, $c->{quiet}, $t);
            next if $c->{go} > $t;
        }
        delete $c->{go};
        my %later = map { $_ => 1 } @due;
        delete @{ $c->{later} }{@due};
        my %look = (%{ $c->{mark} }, %{ $c->{look} }, %later, !$c->{all} ? ()
            : (%{ $c->{told} }, %{ $c->{held} }));
        my ($all, %mark) = ($c->{all}, %{ $c->{mark} });
        @$c{qw(mark look all)} = ({}, {}, 0);
        my @says = map { message($m, $c, $_, $t, mark => $mark{$_},
            later => $later{$_}) } sort keys %look;
        # Held hosts are looked at last, also if it is since just now.
        my %said = map { (split)[1] => 1 } @says;
        push @says, map { message($m, $c, $_, $t) }
            grep { $all && !$said{ $m->{host}{$_}{value} } }
            sort keys %{ $c->{held} };
        $told{$co} = [sort @says] if @says;
    }
    return %told;
}

# The lists of a host that a contact has to know in the end.
sub model_truth {
    my ($c, $h) = @_;
    return () if $h->{gone} || !model_theirs($c, $h);
    return grep { $h->{on}{$_}{weight} >= $c->{least} } sort keys %{ $h->{on} };
}

1;
