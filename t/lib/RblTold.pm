package RblTold;

# Random daemons that deliver digests to contacts, and the contacts' knowledge:
# hosts that each takes for listed (told), open alerts, listings whose report it
# got or will get (heard), and messages in delivery (line).

use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use Exporter 'import';
use RblLife;
use RblScript;
use RblTest;

our ($name, @log);              # of this life
our (@claims, @sent, %co, %host, %msg, %stored, %unnamed);
our @EXPORT = qw($name @log @claims @sent %co %host %msg %stored %unnamed
    wrong hears claim store send_some record_one due drain);

sub wrong {
    my ($what) = @_;
    fail("$name: $what");
    diag(join "\n", @log) if $ENV{RBL_LOG};
}
sub hears {
    return $_[0]{schedule} ne 'while_listed' || per_host($_[0]{type});
}

# --- daemons ----------------------------------------------------------------

# The messages of a digest, in the daemon's form (digest_make.c): event, the
# host of a message about a single host, rows of host and state, key of the
# alert.
sub messages {
    my ($d) = @_;
    my ($member, $apart, $event, undef, $listed, $delisted, $clear, $hosts,
        undef, $gone, $storm, $ends) = @$d;
    my @rows;
    for (my $i = 0; $i < @$hosts; $i += 2) {
        my $h = unpacked($hosts->[$i]);
        wrong("$h->[1] has no address") if $h->[2] eq ''
            && !$unnamed{ $h->[1] };
        push @rows, [$h->[1], $hosts->[$i + 1]];
    }
    my $one = $listed == 1 && @rows == 1 && $rows[0][1] == 0;
    return $listed + $delisted + $clear + $gone
        ? [$event, $one ? $rows[0][0] : '', \@rows, ''] : ()
        if !$apart;
    my @begin = $apart == 2 ? grep { $_->[1] == 0 } @rows : ();
    return (@begin ? [$event, '', \@begin, $storm || $event] : (),
        (map { ['EV' . md5_hex($event . $_->[0]), $_->[1] == 0 ? $_->[0] : '',
            [$_], $_->[0]] } grep { $_->[1] != 2 && !(@begin && $_->[1] == 0) }
            @rows), $ends && !@begin ? [$event, '', [], $storm] : ());
}
sub claim {
    my $lease = $_[0] // pick(1, 60_000);
    my $r = script('digest_claim', [k('digests')], window => 0,
        lease => $lease, most => 50, events => [map { sid('EV') } 1 .. 4]);
    for my $d (@$r[3 .. $#$r]) {
        my $co = substr $d->[0], 35;
        wrong("$co gets a second report before the end of the first")
            if !$co{$co} || @{ $co{$co}{line} };
        wrong("$co is claimed, and leased") if $co{$co}{leased};
        my $apart = !per_host($co{$co}{type}) ? 0 : $d->[4] > 25 ? 2 : 1;
        wrong("$co has messages of its hosts: $d->[1], not $apart")
            if $d->[1] != $apart;
        $co{$co}{leased} = $lease > 1;
        push @claims, $d if $_[0] || chance(0.85);
    }
}
sub store {
    my $d = @claims ? $_[0] ? shift @claims : drawn(\@claims) : return;
    my ($co, $event) = (substr($d->[0], 35), $d->[2]);
    my @m = messages($d);
    my $r = script('digest_store', [k('digests')], member => $d->[0],
        claimed => $event, limit => 1000, event => [map { $_->[0] } @m],
        body => [map { packed($_->[2]) } @m], host => [map { $_->[1] } @m]);
    return if $r->[0] !~ /^(?:OK|MORE)$/ || $r->[1] == 0 && @m;
    $r = script('digest_store', [k('digests')], member => $d->[0],
        claimed => $event, limit => 1000) while $r->[0] eq 'MORE'
        && chance(0.8);
    my $c = $co{$co};
    wrong("$event is stored twice, or for no active contact")
        if $stored{$event}++ || !$c || $c->{status} ne 'active';
    $c->{leased} = 0;
    for my $m (@m) {
        $msg{ $m->[0] } = { co => $co, host => $m->[1], rows => $m->[2],
            key => $m->[3], attempt => 0, hears => hears($c),
            ends => [map { $_->[1] % 2 ? $_->[0] : () }
                map { @{ $_->[2] } } @m],
            begins => [grep { !$c->{heard}{$_} } map { $_->[1] ? () : $_->[0] }
                @{ $m->[2] }] };
        push @{ $c->{line} }, $m->[0];
        for my $row (@{ $m->[2] }) {
            my ($ht, $state) = @$row;
            push @log, "  $co is to hear: $ht $state";
            wrong("$co hears of $ht, state $state, and did not know it")
                if $state % 2 && !$c->{heard}{$ht};
            $c->{heard}{$ht} = 1 if $state == 0;
            $unnamed{$ht} = 1 if !$host{$ht};
            delete $c->{heard}{$ht} if $state % 2;
        }
    }
}
# how: ok, dead (the end that a message reports is not reported again), dropped
# (it is).  A message that may have arrived counts as heard.
sub over {
    my ($ev, $how) = @_;
    my $m = delete $msg{$ev} // return wrong("$ev is over twice");
    my $c = $co{ $m->{co} } // return;
    wrong("$ev was not its turn") if shift @{ $c->{line} } ne $ev;
    push @log, "  $m->{co}: $how"
        . join '', map { " $_->[0]:$_->[1]" } @{ $m->{rows} };
    my $begins = $how eq 'ok' || $m->{unsure};
    # After a resume, the ended hosts are reported again.
    @{ $c->{heard} }{ @{ $m->{ends} } } = @{ $m->{ends} }
        if $how eq 'dropped' && $c->{status} eq 'paused';
    delete @{ $c->{heard} }{ @{ $m->{begins} } } if !$begins;
    for my $row (grep { $m->{hears} && hears($c) } @{ $m->{rows} }) {
        my ($ht, $state) = @$row;
        $state ? $how ne 'dropped' && delete $c->{told}{$ht}
            : $begins ? $c->{told}{$ht} = 1 : delete $c->{must}{$ht};
    }
    return if $m->{key} eq '';
    grep({ $_->[1] == 0 } @{ $m->{rows} })
        ? $begins && ($c->{open}{ $m->{key} } = 1)
        : $how ne 'dropped' && delete $c->{open}{ $m->{key} };
}
sub send_some {
    my $r = script('delivery_claim', [k('retry')], most => pick(1, 5, 50),
        lease => $_[0] // pick(1, 60_000));
    my %there = map { /:dlv:\w+:(\w+):/; $1 => 1 }
        @{ cmd('KEYS', k('dlv', '*')) };
    for my $co (sort keys %co) {
        for my $ev (grep { !$there{$_} } @{ [@{ $co{$co}{line} }] }) {
            wrong("$ev of $co is lost") if $co{$co}{status} eq 'active'
                && ($msg{$ev}{host} eq '' || $msg{$ev}{attempt});
            over($ev, 'dropped');
        }
    }
    for my $d (@$r[2 .. $#$r]) {
        my ($co, $m) = ((split /:/, $d->[0])[2], $msg{ $d->[6] });
        wrong("$d->[0] is sent") if !$m || $co{$co}{line}[0] ne $d->[6]
            || $d->[7] ne packed($m->{rows}) || $d->[4] != $m->{attempt};
        push @sent, [@$d[0, 4, 6]] if $_[0] || chance(0.85);
    }
}
sub record_one {
    my ($outcome) = @_;
    my ($member, $attempt, $ev) = @{ @sent ? drawn(\@sent) : return };
    $outcome //= pick(qw(ok ok ok retry retry dead),
        chance(0.2) ? 'gone' : 'ok');
    my ($m, $unsure) = ($msg{$ev}, $outcome ne 'ok' && chance(0.2));
    my $r = script('delivery_done', [k('retry')], member => $member,
        attempt => $attempt, outcome => $outcome, delay => 600_000,
        status => 500, error => 'why', quiet => 0,
        unsure => $unsure ? 1 : '')->[0];
    return if !$m;
    my $fresh = $m->{attempt} == $attempt;
    wrong("$ev, $outcome: $r") if ($r eq 'OK') != $fresh;
    return if !$fresh;
    $m->{unsure} ||= $unsure;
    @{ $co{ $m->{co} } }{qw(status must leased)} = ('paused', {}, 0)
        if $outcome eq 'gone' && $co{ $m->{co} }{status} eq 'active';
    return $m->{attempt}++ if $outcome eq 'retry';
    over($ev, $outcome eq 'ok' ? 'ok' : 'dead');
}
sub due {
    my ($what, $p) = @_;
    for my $member (@{ cmd('ZRANGE', k($what), 0, -1) }) {
        next if !chance($p // 0.5);
        cmd('ZADD', k($what), 'XX', 0, $member);
        my $c = $what eq 'digests' && $co{ substr $member, 35 };
        $c->{leased} = 0 if $c;
    }
}

# Daemons without faults finish everything.
sub drain {
    for (1 .. 300) {
        tellings_end();
        due('digests', 1);
        claim(1);
        store(1) while @claims;
        due('retry', 1);
        send_some(60_000);
        record_one('ok') while @sent;
        return if !cmd('EXISTS', k('digests')) && !cmd('EXISTS', k('retry'));
    }
    wrong('all is reported');
}

1;
