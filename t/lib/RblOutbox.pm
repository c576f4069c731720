package RblOutbox;

# Random processing of events and deliveries, as daemons do it, and a model of
# the deliveries ("<EV>:<target>"): open, delivered, dead letter, or without a
# target.  The store must match the model.

use strict;
use warnings;
use Exporter 'import';
use RblLife;
use RblScript;
use RblTest;

use constant DAY => 86_400_000;
our ($ac, $acct, $notices, $noticed);
our (@read, @claimed, %hook, %app, %co, %event, %open, %dead, %over, %logged);
our @types = map { "rbl.host.$_" } qw(check.started check.completed listed);
our @EXPORT = qw(DAY $ac $acct $notices $noticed @read @claimed %hook %app %co
    %event %open %dead %over %logged @types same begins
    forget_fails read_some end_some claim send_one record_one due);

sub hook_of { return $_[0] =~ /:(WH\w+)/ ? $hook{$1} : undef }
sub same {
    my ($got, $want, $name) = @_;
    return if "@{[sort @$got]}" eq "@{[sort @$want]}";
    is_deeply([sort @$got], [sort @$want], $name);
}

# --- outcomes of a delivery -------------------------------------------------

sub begins {
    my ($k, %o) = @_;
    fail("$k starts twice") if $open{$k} || $over{$k} || $dead{$k};
    $open{$k} = { attempt => 0, sent => 0, %o };
}
sub ends {
    my ($k, $outcome) = @_;
    my ($ev, $to) = split /:/, $k;
    my $o = delete $open{$k} // {};
    fail("$k ends twice") if $over{$k} || $dead{$k};
    ($outcome =~ /^(?:ok|dropped)$/ || $o->{test} ? \%over : \%dead)
        ->{$k} = $outcome;
    @{ $co{$to}{line} } = grep { $_ ne $ev } @{ $co{$to}{line} } if $co{$to};
}
sub forget_fails { @{ $_[0] }{qw(fails long till)} = (0, 0, 0) }

# An attempt was recorded: it counts for the receiver.
sub attempted {
    my ($k, $outcome, $test, $quiet) = @_;
    my $h = hook_of($k) or return;
    return forget_fails($h) if $outcome eq 'ok';
    if ($outcome ne 'gone') {
        return if $test;
        $h->{till} = 1 if ++$h->{fails} >= 5 || $quiet;
        return if $h->{fails} < 10 || !$h->{long};
    }
    $notices++ if $h->{status} eq 'active' && grep { !$_->{gone} } values %co;
    @$h{qw(status late)} = ('disabled', 0) if $h->{status} eq 'active';
}
sub logs {
    $logged{$_[0]}++;
    return packed([1, now_ms(), 'EV', 't', 1, 'ok', 200, 1, 0, '', '']);
}
sub wants {
    my ($h, $type) = @_;
    return ($h->{status} eq 'active' || !$h->{late})
        && (!@{ $h->{types} } || grep { $_ eq $type } @{ $h->{types} });
}
sub awaits { return $_[0]{status} eq 'pending' && $_[0]{code} eq $_[1] }

# --- actions ----------------------------------------------------------------

# Reads new entries, the daemon's own, or those of dead daemons.
sub read_some {
    my ($how) = @_;
    my $me = 'd' . int rand 3;
    $how //= pick('>', '>', '0', 'over');
    my @got = $how eq 'over' ? @{ cmd('XAUTOCLAIM', k('outbox'), 'deliver',
        $me, 0, '0-0', 'COUNT', 4)->[1] } : @{ (cmd('XREADGROUP', 'GROUP',
        'deliver', $me, 'COUNT', 3, 'STREAMS', k('outbox'), $how)
            // [[0, []]])->[0][1] };
    for my $entry (@got) {
        my ($ev, $d) = @{ $entry->[1] }[3, 5];
        my $r = $d ne 'x' && record('event', $d);
        $noticed++ if $r && !$event{$ev} && $r->{type} eq 'contact.notice';
        $event{$ev} //= { type => $r->{type}, body => "{\"c\":\"$ev\"}",
            co => $r->{contact}, code => $r->{code} };
        $event{$ev}{id} = $entry->[0];
        fail("$ev is read, and was recorded") if $event{$ev}{done};
        push @read, { ev => $ev } if chance(0.9) || $_[0];
    }
}
sub ask {
    my (@of) = @_;
    my $r = script('event_targets', [k('outbox')], account => $ac,
        what => [map { my $e = $event{ $_->{ev} };
            ($e->{type}, map { $_->[2] } @{ $e->{cb} }) } @of]);
    shift @$r;
    for my $o (@of) {
        my $e = $event{ $o->{ev} };
        $o->{to} = shift @$r;
        same([map { "@$_" } @{ $o->{to} }], [map { my $h = $hook{$_};
            $h->{till} || $h->{status} ne 'active' ? $_
                : "$_ $h->{url} $h->{secret} $h->{old}" }
            grep { wants($hook{$_}, $e->{type}) } keys %hook], 'its receivers');
        push @{ $o->{to} }, map { [$_->[0], @{ shift(@$r)->[0] }[1, 2]] }
            @{ $e->{cb} };
    }
}
sub fan_out {
    my ($ev) = @_;
    my $e = $event{$ev};
    my $r = script('event_fanout', [k('outbox')], id => $e->{id},
        account => $ac, event => $ev, type => $e->{type}, body => $e->{body},
        contact => $e->{co} // '', digest => $e->{code} // '');
    my @to = $e->{done}++ ? () : $e->{co}
        ? (awaits($co{ $e->{co} }, $e->{code}) ? $e->{co} : ())
        : grep { $co{$_}{status} eq 'active' } keys %co;
    is_deeply($r, ['OK', scalar @to], "$e->{type} goes to those who want it")
        if "@$r" ne 'OK ' . @to;
    for my $co (@to) {
        begins("$ev:$co");
        push @{ $co{$co}{line} }, $ev if !$e->{co};
    }
}
sub end_some {
    my @of = map { @read ? drawn(\@read) : () } 1 .. pick(1, 1, 3);
    my %seen;
    @of = grep { !$seen{ $_->{ev} }++ } @of;
    fan_out($_->{ev}) for grep { !$event{ $_->{ev} }{cb} } @of;
    @of = grep { $event{ $_->{ev} }{cb} } @of or return;
    ask(grep { !$_->{to} } @of);
    return push @read, @of if chance(0.2);      # it waits for its receivers
    my (@packed, @want);
    for my $o (@of) {
        my ($ev, $e) = ($o->{ev}, $event{ $o->{ev} });
        my $first = !$e->{done}++;
        push @want, $first ? 1 : 0;
        my @to = map { my ($to, $whole) = @$_;
            my ($cb) = grep { $_->[0] eq $to } @{ $e->{cb} };
            my $outcome = defined $whole ? pick(('ok') x 6, ('retry') x 3,
                qw(dead gone now later)) : 'later';
            my ($k, $quiet) = ("$ev:$to", pick(0, 0, 0, 20_000));
            push @claimed, ["$ac:$k", 0] if $outcome eq 'now';
            if ($first && $outcome =~ /^(?:now|later)$/) {
                begins($k, leased => $outcome eq 'now', app => $cb && $cb->[2]);
            } elsif ($first) {
                begins($k, app => $cb && $cb->[2]);
                attempted($k, $outcome, 0, $quiet) if !$cb;
                @{ $open{$k} }{qw(attempt leased)} = (1, 1);
                ends($k, $outcome) if $outcome ne 'retry';
            }
            [$to, $outcome, $first && $outcome !~ /^(?:now|later)$/
                ? logs($cb ? $cb->[2] : $to) : 'never', $cb ? @$cb[1, 2]
                : ('', ''), 3_600_000, 500, 'why', $quiet] } @{ $o->{to} };
        push @packed, [$e->{id}, $ac, $ev, $e->{type},
            (grep { $_->[1] ne 'ok' } @to) ? $e->{body} : '', @to];
    }
    my $r = end_events(60_000, @packed);
    is_deeply([@$r[2 .. $#$r]], \@want, 'recorded by one')
        if "@$r[2 .. $#$r]" ne "@want";
}
sub circuits {
    return { map { $_ => [map { $_ // 0 } @{ cmd('HMGET', k('hook', $ac, $_),
        'till', 'probe') }] } grep { $hook{$_}{till} } keys %hook };
}
sub claim {
    my ($n, $lease) = (pick(1, 3, 50), pick(1, 60_000, 60_000));
    my ($circuit, $now, %tried) = (circuits(), now_ms());
    my $r = script('delivery_claim', [k('retry')], most => $n,
        lease => $lease);
    for my $c (@$r[2 .. $#$r]) {
        my ($member, $type, $url, $secret, $attempt, $first, $ev, $body) = @$c;
        my ($k, $to) = $member =~ /^\w+:(\w+:(\w+))$/;
        my ($o, $h) = ($open{$k}, $hook{$to});
        if (!$o || $o->{leased}) {
            fail("$k is claimed, " . ($o ? 'and leased' : 'and over'));
            next;
        }
        same([$type, $attempt, $ev, $body, $first], [$event{$ev}{type},
            $o->{attempt}, $k =~ /^(\w+)/, $event{$ev}{body},
            $o->{first} //= $first], 'what was to be delivered');
        same([$url, $secret, $c->[9]], [@$h{qw(url secret old)}],
            'as the receiver is now') if $h;
        fail("$k goes to who is $h->{status}")
            if $h && $h->{status} ne 'active';
        fail("$k is not its turn") if $co{$to} && !$event{$ev}{co}
            && $co{$to}{line}[0] ne $ev;
        fail("$k is sent, and its circuit is open") if $h && $circuit->{$to}
            && !$o->{test} && ($circuit->{$to}[0] > $now + 1000
                || $circuit->{$to}[1] > $now + 1000 || $tried{$to}++);
        $o->{leased} = $lease > 1;
        push @claimed, [$member, $attempt] if chance(0.85);   # else it dies
    }
    my %there = map { /:dlv:\w+:(\w+:\w+)$/; $1 => 1 }
        @{ cmd('KEYS', k('dlv', '*')) };
    for my $k (grep { !$there{$_} } sort keys %open) {
        my ($ev, $to) = split /:/, $k;
        my ($e, $c) = ($event{$ev}, $co{$to});
        fail("$k is lost") if hook_of(":$to") && $hook{$to}{status} eq 'active'
            || $to =~ /^CB/ || $c && ($e->{co} ? awaits($c, $e->{code})
                && !$c->{old} : $c->{status} eq 'active');
        ends($k, $c && !($e->{co} && awaits($c, $e->{code})) ? 'dropped'
            : 'dead');
    }
}
sub send_one {
    my ($member, $attempt) = @{ @claimed ? pick(@claimed) : return };
    my $o = $open{ substr $member, 35 };
    my $r = script('delivery_send', [k('retry')], member => $member,
        attempt => $attempt);
    my $want = $o && $o->{attempt} == $attempt ? 'OK ' . ++$o->{sent} : 'STALE';
    is("@$r", $want, 'noted') if "@$r" ne $want;
}
sub record_one {
    my ($outcome) = @_;
    my ($member, $attempt) = @{ @claimed ? drawn(\@claimed) : return };
    my $k = substr $member, 35;
    my ($to, $o) = ((split /:/, $k)[1], $open{$k});
    $outcome //= pick(('ok') x 4, ('retry') x 5, qw(unsure dead gone));
    my $fresh = $o && $o->{attempt} == $attempt;
    my $quiet = pick(0, 0, 0, 20_000);
    my $r = script('delivery_done', [k('retry')], member => $member,
        attempt => $attempt, outcome => $outcome, delay => 3_600_000,
        status => 500, error => 'why',
        log => $fresh ? logs($o->{app} // $to) : 'never',
        quiet => $quiet)->[0];
    is($r, $fresh ? 'OK' : 'STALE', "$k, attempt $attempt, $outcome")
        if $r ne ($fresh ? 'OK' : 'STALE');
    return if !$fresh;
    attempted($k, $outcome, $o->{test}, $quiet);
    $co{$to}{status} = 'paused'
        if $outcome eq 'gone' && $co{$to} && $co{$to}{status} eq 'active';
    return ends($k, $outcome) if $outcome !~ /^(?:retry|unsure)$/ || $o->{test};
    $o->{sent}-- if $outcome eq 'retry' && $o->{sent} > 0;
    @$o{qw(attempt leased)} = ($attempt + 1, 1);
}

# Makes leases expire and deliveries due.
sub due {
    my ($p) = @_;
    for my $member (@{ cmd('ZRANGE', k('retry'), 0, -1) }) {
        next if !chance($p // 0.4);
        cmd('ZADD', k('retry'), 1, $member);
        $open{ substr $member, 35 }{leased} = 0;
    }
}

1;
