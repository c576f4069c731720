#!/usr/bin/perl

# Scripts of digests: which contacts hear of what becomes of a host, by their
# schedule and groups; that each change is told once, whoever dies; the order of
# messages to a contact.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { HT => 2 ** 42 };

redis_new();
my ($ac, $acct) = account();
my $cg = unpacked(cmd('GET', $acct))->[11];
my $other = sid('CG');
script('group_add', [$acct], $other, 'other', '0');

sub contact {
    my ($schedule, %o) = @_;

    my $co = sid('CO');
    script('contact_add', [$acct], $co, $o{type} // 'endpoint',
        "https://x.example/$co",
        $schedule, 'digest', 'code', sid('EV'), @{ $o{groups} // [] });
    my $c = unpacked(cmd('GET', k('r', $ac, $co)));
    cmd('SET', k('r', $ac, $co), packed([@$c[0 .. 4], 'active', @{$c}[6, 7],
        '', 0, 0, 0]));
    cmd('DEL', k('alerts', $ac));
    return $co;
}

my $n_hosts = 0;
sub host {
    my (@groups) = @_;

    my $ht = sid('HT');
    script('host_add', [$acct], 'name', 'rbl', 1, '', $groups[0] // '', '',
        '', $ht, '192.0.2.' . ++$n_hosts);
    if (@groups) {
        my $h = unpacked(cmd('GET', k('r', $ac, $ht)));
        $h->[9] = [@groups];
        cmd('SET', k('r', $ac, $ht), packed($h));
    }
    return $ht;
}

# One check of a host: what each of its lists says.
sub check {
    my ($ht, @says) = @_;

    cmd('HDEL', k($_), "$ac:$ht") for 'flight', 'flight:due';
    my $pp = sid('PP');
    script('check_start', [$acct], $pp, $ht, '', '', '', '', 60_000);
    my $begun = begin($acct, $pp, $ht);
    my @zones = ('a', 'b');
    my $failed = $says[0] eq 'failed';
    my $r = finish_check($acct, $pp, $ht, $failed ? [] : [map {
        my $l = 'RB' . shift @zones;
        $_ eq 'listed' ? listed_result($l)
            : result($l, $_, error => $_ eq 'unknown' ? 'timeout' : '')
        } @says], $failed ? 'It failed.' : '', events => $begun->[7]);
    is($r->[0], 'OK', "the check ends: @says") if $r->[0] ne 'OK';
}

# What the digest of a contact has: "listed 192.0.2.1, ..."
my @states = qw(listed delisted clear unreported);
sub waits {
    my ($co) = @_;

    my @rows = @{ cmd('ZRANGE', k('digest', $ac, $co), 0, -1, 'WITHSCORES') };
    my @out;
    while (my ($ht, $score) = splice @rows, 0, 2) {
        my ($value) = $ht =~ /^HT\w+\|([^|]*)\|/;
        my $raw = defined $value ? '' : cmd('GET', k('r', $ac, $ht)) // next;
        $value //= unpacked($raw)->[2];
        push @out, $states[$score / HT] . ' ' . $value;
    }
    return join ', ', @out;
}

sub forget {
    cmd('DEL', k('digest', $ac, $_), k('batch', $ac, $_), k('line', $ac, $_))
        for @_;
    cmd('DEL', k('digests'));
}

sub claim {
    my (%o) = @_;

    my $r = script('digest_claim', [k('digests')], $o{window} // 0,
        $o{lease} // 30_000, $o{hosts} // 200, map { sid('EV') } 1 .. 4);
    is($r->[0], 'OK', 'claimed') if $r->[0] ne 'OK';
    return wantarray ? @$r[2 .. $#$r] : $r->[1];
}
# Of [member, type, event, timezone, listed, delisted, clear, hosts, lists,
# unreported, alert of many, it ends].
sub store {
    my ($d, %o) = @_;

    return script('digest_store', [k('digests')], @$d[0, 2], $o{limit} // 20,
        map { @$_ } @{ $o{messages} // [[$d->[2], '{"m":1}', '']] });
}
# What each contact is told now: {CO => "listed 192.0.2.1, ..."}
sub tells {
    my %told;
    for my $d (claim()) {
        my @rows = @{ $d->[7] };
        while (my ($raw, $state) = splice @rows, 0, 2) {
            push @{ $told{ substr $d->[0], 35 } },
                "$states[$state] " . unpacked($raw)->[2];
        }
        is_deeply(store($d, messages => []), ['OK', 0], 'stored')
            if !$d->[10];
    }
    return map { $_ => join ', ', @{ $told{$_} } } keys %told;
}

# --- histories x schedules: what each check adds to an empty digest ---------

my %co = map { $_ => contact($_) } qw(every_check start_and_end while_listed);
my ($l, $d, $c) = @states;
my @histories = (
    # checks, and what every_check, start_and_end, while_listed hear of each
    ['never listed', [qw(clear clear)], [$c, '', ''], [qw(clear clear)],
        [$c, '', '']],
    ['listed, stays, is delisted', [qw(listed clear)], [$l, $l, $l],
        [qw(listed clear)], [$l, '', $l], [qw(listed clear)], [$l, '', $l],
        [qw(clear clear)], [$d, $d, ''], [qw(clear clear)], [$c, '', '']],
    ['gets on a further list', [qw(listed clear)], [$l, $l, $l],
        [qw(listed listed)], [$l, $l, $l], [qw(clear listed)], [$l, '', $l],
        [qw(clear clear)], [$d, $d, '']],
    ['one list for another', [qw(listed clear)], [$l, $l, $l],
        [qw(clear listed)], [$l, $l, $l]],
    ['unknown changes nothing', [qw(unknown clear)], [$c, '', ''],
        [qw(listed unknown)], [$l, $l, $l], [qw(unknown unknown)], [$l, '', $l],
        [qw(unknown clear)], [$l, '', $l], [qw(clear unknown)], [$d, $d, '']],
    ['failed checks tell nothing', ['failed'], ['', '', ''],
        [qw(listed clear)], [$l, $l, $l], ['failed'], ['', '', ''],
        [qw(clear clear)], [$d, $d, '']],
    ['on and off', [qw(listed clear)], [$l, $l, $l], [qw(clear clear)],
        [$d, $d, ''], [qw(listed clear)], [$l, $l, $l]],
);
for my $history (@histories) {
    my ($name, @steps) = @$history;
    my ($ht, $n) = (host(), 0);
    my $value = "192.0.2.$n_hosts";
    while (my ($says, $told) = splice @steps, 0, 2) {
        check($ht, @$says);
        my %want;
        @want{qw(every_check start_and_end while_listed)} =
            map { $_ && "$_ $value" } @$told;
        is_deeply({ map { $_ => waits($co{$_}) } keys %co }, \%want,
            "$name, check " . ++$n . ": @$says");
        forget(values %co);
    }
    script('host_delete', [$acct], $ht, 60_000);
    forget(values %co);
}

# --- histories x windows: what is together in one digest --------------------

my @windows = (
    # all of it in one window, then what each hears
    ['twice listed', [qw(listed clear)], [qw(listed clear)], [$l, $l, $l]],
    ['listed and delisted', [qw(listed clear)], [qw(clear clear)],
        [$d, $d, $l]],
    ['delisted, then clear', [qw(listed clear)], [qw(clear clear)],
        [qw(clear clear)], [$d, $d, $l]],
    ['delisted and listed again', [qw(listed clear)], [qw(clear clear)],
        [qw(listed clear)], [$l, $l, $l]],
    ['clear, then listed', [qw(clear clear)], [qw(listed clear)],
        [$l, $l, $l]],
);
for my $w (@windows) {
    my ($name, @checks) = @$w;
    my $told = pop @checks;
    my $ht = host();
    my $value = "192.0.2.$n_hosts";
    check($ht, @$_) for @checks;
    is_deeply([map { waits($co{$_}) } qw(every_check start_and_end
        while_listed)], [map { "$_ $value" } @$told], "one window: $name");
    is(cmd('ZCARD', k('digests')), 3, 'one digest a contact');
    forget(values %co);
    script('host_delete', [$acct], $ht, 60_000);
    forget(values %co);
}

# --- hosts that are deleted, or get other groups --------------------------------

my $u = 'unreported';
my @ends = (
    # checks, what is done, what every_check, start_and_end, while_listed hear
    ['deleted while listed', [[qw(listed clear)]], 'delete', [$u, $u, '']],
    ['deleted while two list it', [[qw(listed listed)]], 'delete', [$u, $u, '']],
    ['deleted when clear', [[qw(clear clear)]], 'delete', ['', '', '']],
    ['deleted when delisted', [[qw(listed clear)], [qw(clear clear)]],
        'delete', ['', '', '']],
    ['deleted when unknown since', [[qw(listed clear)], [qw(unknown unknown)]],
        'delete', [$u, $u, '']],
    ['never checked', [], 'delete', ['', '', '']],
    ['another group', [[qw(listed clear)]], $other, [$u, $u, '']],
    ['another group when clear', [[qw(clear clear)]], $other, ['', '', '']],
    ['another group too', [[qw(listed clear)]], "$cg,$other", ['', '', '']],
    ['paused', [[qw(listed clear)]], 'paused', ['', '', '']],
    ['deleted while paused', [[qw(listed clear)]], 'paused delete',
        [$u, $u, '']],
);
sub change {
    my ($ht, $what) = @_;

    return script('host_delete', [$acct], $ht, 60_000)->[0]
        if $what eq 'delete';
    return script('host_status', [$acct], $ht, $what)->[0]
        if $what =~ /^(?:paused|active)$/;
    return script('host_update', [$acct], $ht, '0', '', '', split /,/, $what)
        ->[0];
}
for (@ends) {
    my ($name, $checks, $changes, $told) = @$_;
    for my $together (0, 1) {
        my $ht = host();
        my $value = "192.0.2.$n_hosts";
        for (@$checks) {
            check($ht, @$_);
            tells() unless $together;
        }
        is(change($ht, $_), 'OK', "$name: $_") for split / /, $changes;
        my %got = tells();
        my @of = map { $got{ $co{$_} } // '' }
            qw(every_check start_and_end while_listed);
        if ($together) {
            is_deeply([grep { /$u/ } @of], [], "$name, before it was told");
        } else {
            is_deeply(\@of, [map { $_ && "$_ $value" } @$told], $name);
        }
        change($ht, 'delete');
        tells();
    }
}

# told by name, as nothing else is left of it
my $named = host();
check($named, qw(listed clear));
tells();
script('host_update', [$acct], $named, '1', "a|b \xc3\xa4|", '');
change($named, 'delete');
my ($row) = grep { $_->[0] eq "$ac:$co{start_and_end}" } claim();
is_deeply([@$row[4, 5, 6, 9], @{ unpacked($row->[7][0]) }[1, 2, 3],
    $row->[7][1]], [0, 0, 0, 1, $named, "192.0.2.$n_hosts", "a|b \xc3\xa4|", 3],
    'a host that is gone is told of by its name');
store($_, messages => []) for $row;
leases_end($_) for values %co;
tells();

# moved and moved back: who has it again is told nothing of that
my $moved = host();
my $its = "192.0.2.$n_hosts";
check($moved, qw(listed clear));
tells();
change($moved, $other);
change($moved, $cg);
is({ tells() }->{ $co{start_and_end} }, undef, 'moved, and back');
change($moved, $other);
is({ tells() }->{ $co{start_and_end} }, "$u $its", 'moved');
change($moved, $cg);
is({ tells() }->{ $co{start_and_end} }, "$l $its", 'and back after that');
change($moved, 'delete');
is({ tells() }->{ $co{start_and_end} }, "$u $its", 'deleted');

# a range: each address that is listed, by any number of calls
my ($block, @blocked) = (sid('HT'), map { sid('HT') } 1 .. 256);
script('host_add', [$acct], 'name', 'ip_range', 1, '', '', $block,
    '10.7.0.0/24', map { ($blocked[$_], "10.7.0.$_") } 0 .. 255);
check($_, qw(listed clear)) for @blocked[0 .. 249];
tells();
change($block, 'delete');
is(cmd('ZCARD', k('digest', $ac, $co{start_and_end})), 1,
    'a range: one thing to look at');
is(cmd('ZCARD', k('digests')), 2, 'a digest a contact');
($row) = grep { $_->[0] eq "$ac:$co{every_check}" } claim();
is($row->[9], 250, 'all are counted');
is(scalar @{ $row->[7] } / 2, 200, 'so many are told');
forget(values %co);

# who is told first, where there are too many
my @mixed = map { host() } 1 .. 4;
check($mixed[$_], $_ == 3 ? 'clear' : 'listed', 'clear') for 0 .. 3;
tells();
check($mixed[0], qw(listed clear));
check($mixed[1], qw(clear clear));
check($mixed[3], qw(clear clear));
change($mixed[2], 'delete');
($row) = grep { $_->[0] eq "$ac:$co{every_check}" } claim(hosts => 3);
is_deeply([@{ $row->[7] }[1, 3, 5], @$row[4 .. 6, 9]], [0, 1, 3, 1, 1, 1, 1],
    'those that are clear come last');
change($_, 'delete') for @mixed[0, 1, 3];
forget(values %co);

# what is damaged keeps nothing from being deleted
my $hurt = host();
check($hurt, qw(listed clear));
cmd('DEL', k('digest', $ac, $_)) for values %co;
cmd('SET', k('digest', $ac, $co{start_and_end}), 'x');
is(change($hurt, 'delete'), 'OK', 'a digest of another type');
ok(!cmd('EXISTS', k('r', $ac, $hurt)), 'the host is gone');
forget(values %co);

# --- groups, statuses -------------------------------------------------------

script('contact_delete', [$acct], $_) for values %co;
my $here = contact('start_and_end');
my $there = contact('start_and_end', groups => [$other]);
my $both = contact('start_and_end', groups => [$cg, $other]);
my ($in, $out, $two) = (host(), host($other), host($cg, $other));
my @v = map { '192.0.2.' . ($n_hosts - $_) } 2, 1, 0;
check($_, qw(listed clear)) for $in, $out, $two;
is(waits($here), "listed $v[0], listed $v[2]", 'the hosts of its group');
is(waits($there), "listed $v[1], listed $v[2]", 'those of another');
is(waits($both), "listed $v[0], listed $v[1], listed $v[2]", 'each once');
forget($here, $there, $both);

is(script('contact_status', [$acct], $here, 'paused')->[0], 'OK', 'paused');
is(script('contact_update', [$acct], $both, '', $other)->[0], 'OK',
    'in another group');
is(script('contact_update', [$acct], $there, 'every_check')->[0], 'OK',
    'of another schedule');
check($in, qw(clear clear));
check($out, qw(listed clear));
is(waits($here), '', 'a paused contact hears nothing');
is(waits($both), '', 'nor one of no group of the host');
is(waits($there), "listed $v[1]", 'every check');
forget($there);
is(script('contact_status', [$acct], $here, 'active')->[0], 'OK', 'resumed');
is(script('contact_delete', [$acct], $there)->[0], 'OK', 'deleted');
check($in, qw(listed clear));
is(waits($here), "listed $v[0]", 'hears again');
check($out, qw(listed clear));
ok(!cmd('EXISTS', k('digest', $ac, $there)), 'one that is gone does not');
forget($here, $both);

# a contact without its record, an index of another type
cmd('SET', k('r', $ac, $both), 'x');
cmd('DEL', k('alerts', $ac));
cmd('SET', k('alerts', $ac), 'x');
check($in, qw(clear clear));
is(waits($here), "delisted $v[0]", 'what is damaged harms nobody else');
cmd('SET', k('digest', $ac, $here), 'x');
check($in, qw(listed clear));
is(unpacked(cmd('GET', k('r', $ac, $in)))->[13], 1,
    'nor does it keep a check from its end');
cmd('DEL', k('r', $ac, $both), k('alerts', $ac));
cmd('ZREM', k('contacts', $ac), $both);
forget($here);

# a range: its addresses are told of, it is not itself
my ($range, @kids) = (sid('HT'), sid('HT'), sid('HT'));
script('host_add', [$acct], 'name', 'ip_range', 1, '', '', $range,
    '198.51.100.0/31', $kids[0], '198.51.100.0', $kids[1], '198.51.100.1');
check($_, qw(listed clear)) for @kids;
is(waits($here), 'listed 198.51.100.0, listed 198.51.100.1',
    'the addresses of a range');
forget($here);

# --- claims ------------------------------------------------------------------

sub leases_end { cmd('ZADD', k('digests'), 'XX', 0, "$ac:$_[0]") }
sub take_one {
    my $r = script('delivery_claim', [k('retry')], 10, 60_000);
    return @$r[2 .. $#$r];
}
sub done {
    my ($d, $outcome, $wait) = @_;
    return script('delivery_done', [k('retry')], $d->[0], $d->[4], $outcome,
        $wait // 0, $outcome eq 'ok' ? 200 : 500, 'text')->[0];
}
sub due_now { cmd('ZADD', k('retry'), 0, $_[0][0]) }
sub nothing_left {
    my ($name) = @_;

    is_deeply([sort grep { !/:(?:pace|alerts|r|hosts|contacts):/ }
        map { @{ cmd('KEYS', k($_)) } } 'digest*', 'batch*', 'line*', 'event*',
        'dlv*', 'retry'], [], "$name: nothing is left");
}

check($in, qw(clear clear));
check($out, qw(clear clear));
forget($here);
check($in, qw(listed listed));
my $wait = claim(window => 60_000);
ok($wait > 59_000 && $wait <= 60_000, 'nothing before the window is over');
is(scalar(my @none = claim(window => 60_000)), 0, 'nobody gets it');
check($two, qw(clear clear));
my ($g) = claim();
is_deeply([@$g[0, 1, 3 .. 6]], ["$ac:$here", 'endpoint', 'UTC', 1, 1, 0],
    'then one');
is_deeply([map { unpacked($_)->[2] } @{ $g->[7] }[0, 2]], [$v[0], $v[2]],
    'with its hosts');
is_deeply([@{ $g->[7] }[1, 3]], [0, 1], 'and what became of them');
is_deeply([sort map { unpacked($_)->[3] } @{ $g->[8] }],
    ['a.example', 'b.example'], 'and the lists of those that are listed');
is(scalar(@none = claim()), 0, 'leased');
leases_end($here);
my ($again) = claim();
is_deeply($again, $g, 'a lease that is over: the same again');

# what comes meanwhile is for the next
check($out, qw(listed clear));
leases_end($here);
($again) = claim();
is($again->[2], $g->[2], 'the same event');
is($again->[4], 1, 'and hosts');
is_deeply(store($g), ['OK', 1], 'stored');
is_deeply(store($g), ['STALE'], 'once');
is_deeply(store($again), ['STALE'], 'whoever comes late');
my ($m) = take_one();
is_deeply([@$m[0 .. 4, 6, 7, 8]], ["$ac:$g->[2]:$here", 'contact.trigger',
    "https://x.example/$here", '', 0, $g->[2], '{"m":1}', 'endpoint'],
    'a delivery to the contact');

# nothing more goes to it before that is over
leases_end($here);
is(scalar(@none = claim()), 0, 'the next digest waits for it');
is(done($m, 'retry', 1000), 'OK', 'not yet');
leases_end($here);
is(scalar(@none = claim()), 0, 'nor is it over yet');
due_now($m);
($m) = take_one();
is(done($m, 'ok'), 'OK', 'delivered');
is(done($m, 'ok'), 'STALE', 'once');
leases_end($here);
my ($h) = claim();
is_deeply([@$h[4, 5, 6]], [0, 0, 0], 'its group has not the other host')
    if $h;
leases_end($here);
($h) = claim();
is($h, undef, 'nothing else waits') or diag explain $h;
nothing_left('told');

# deterministic cases of the end of a listing
check($in, qw(clear clear));
($g) = claim();
check($in, qw(listed clear));
leases_end($here);
($again) = claim();
is_deeply([@$again[4, 5]], [0, 1], 'an end that was taken stays an end');
store($again);
($m) = take_one();
done($m, 'ok');
leases_end($here);
($g) = claim();
is_deeply([@$g[4, 5]], [1, 0], 'and the listing comes next');
check($in, qw(clear clear));
leases_end($here);
($again) = claim();
is_deeply([@$again[4, 5]], [0, 0],
    'a listing that is over before it is told is not told');
is_deeply(store($again, messages => []), ['OK', 0], 'no message');
leases_end($here);
($g) = claim();
is_deeply([@$g[4, 5]], [0, 1], 'its end is');
store($g);
($m) = take_one();
done($m, 'ok');
nothing_left('not told');

# a host that was deleted
check($in, qw(listed clear));
my $gone = host();
check($gone, qw(listed clear));
script('host_delete', [$acct], $gone, 60_000);
($g) = claim();
is_deeply([@$g[4, 9], $#{ $g->[7] }], [1, 0, 1],
    'is not told that it is listed, nor that it is no more');
store($g);
($m) = take_one();
done($m, 'dead');
my $letter = cmd('XREVRANGE', k('dead', $ac), '+', '-', 'COUNT', 1)->[0][1];
is({ @$letter }->{b}, '{"m":1}', 'what is given up is a dead letter');
nothing_left('dead');

# --- several messages: one after the other, so many a minute -----------------

check($in, qw(clear clear));
($g) = claim();
my @ev = map { sid('EV') } 1 .. 5;
cmd('DEL', k('pace', $ac, $here));
is_deeply(store($g, limit => 3, messages => [map { [$ev[$_], "{\"m\":$_}",
    $_ == 2 || $_ == 4 ? $in : ''] } 0 .. 4]), ['OK', 5], 'five messages');
sub retry { return cmd('ZRANGE', k('retry'), 0, -1) }
for my $i (0 .. 2) {
    is_deeply(retry(), ["$ac:$ev[$i]:$here"], "only message $i is tried");
    ($m) = take_one();
    is($m && $m->[7], "{\"m\":$i}", 'at once');
    done($m, $i == 1 ? 'dead' : 'ok');
}
is(scalar(@none = take_one()), 0, 'the fourth has to wait');
my ($now) = map { $_->[0] * 1000 } cmd('TIME');
my $at = cmd('ZSCORE', k('retry'), "$ac:$ev[3]:$here");
ok($at > $now + 15_000 && $at < $now + 25_000, 'for a third of a minute')
    or diag $at - $now;
due_now(["$ac:$ev[3]:$here"]);
($m) = take_one();

# the last one says that a host is listed, which is over now
check($in, qw(listed clear));
check($in, qw(clear clear));
done($m, 'ok');
due_now(["$ac:$ev[4]:$here"]);
is(scalar(@none = take_one()), 0,
    'a listing that is over is dropped before the first attempt');
is_deeply(retry(), [], 'and the line is empty');
leases_end($here);
($g) = claim();
is_deeply([@$g[4, 5]], [0, 1], 'its end is told');
is_deeply(store($g, limit => 1000, messages => [[$ev[0], '{}', $in]]),
    ['OK', 1], 'stored');
check($in, qw(listed clear));
due_now(["$ac:$ev[0]:$here"]);
($m) = take_one();
is(done($m, 'retry', 0), 'OK', 'tried once');
check($in, qw(clear clear));
due_now($m);
is(scalar(my @tried = take_one()), 1, 'what was tried is tried again');
done($tried[0], 'ok');
leases_end($here);
($g) = claim();
store($g, limit => 1000);
due_now(["$ac:$g->[2]:$here"]);
($m) = take_one();
done($m, 'ok');
nothing_left('in turn');

# --- contacts that are paused or gone meanwhile ------------------------------

my %ends = (
    'paused' => sub { script('contact_status', [$acct], $_[0], 'paused') },
    'deleted' => sub { script('contact_delete', [$acct], $_[0]) },
);
script('contact_delete', [$acct], $here);
my $dead = cmd('XLEN', k('dead', $ac));
for my $name (sort keys %ends) {
    my $to = contact('while_listed');
    check($in, qw(listed clear));
    $ends{$name}->($to);
    is(scalar(@none = claim()), 0, "$name before the claim");
    nothing_left($name);

    $to = contact('while_listed');
    check($in, qw(listed clear));
    ($g) = claim();
    check($in, qw(listed clear));
    $ends{$name}->($to);
    is_deeply(store($g), ['GONE'], "$name before it is stored");
    nothing_left($name);

    $to = contact('while_listed');
    check($in, qw(listed clear));
    ($g) = claim();
    store($g, messages => [[$ev[0], '{}', ''], [$ev[1], '{}', '']]);
    check($in, qw(listed clear));
    $ends{$name}->($to);
    for (1 .. 2) {
        is(scalar(@none = take_one()), 0, "$name before the attempt");
    }
    leases_end($to);
    is(scalar(@none = claim()), 0, 'and nothing more');
    nothing_left($name);
    script('contact_delete', [$acct], $to);
}
is(cmd('XLEN', k('dead', $ac)), $dead, 'none of it is a dead letter');

# a contact that its service calls gone
my $to = contact('while_listed');
check($in, qw(listed clear));
($g) = claim();
store($g);
($m) = take_one();
is(done($m, 'gone'), 'OK', 'gone');
is(unpacked(cmd('GET', k('r', $ac, $to)))->[5], 'paused', 'it is paused');
check($in, qw(listed clear));
nothing_left('gone');
script('contact_delete', [$acct], $to);

# --- a storm ------------------------------------------------------------------

$to = contact('start_and_end');
my @storm = map { sid('HT') } 1 .. 300;
for my $i (0 .. $#storm) {
    script('host_add', [$acct], 'n', 'rbl', 1, '', '', '', '', $storm[$i],
        '10.0.' . int($i / 250) . '.' . $i % 250);
    check($storm[$i], qw(listed clear));
}
($g) = claim();
is($g->[4], 300, 'all are counted');
is(scalar @{ $g->[7] } / 2, 200, 'so many are told');
is(unpacked($g->[7][0])->[1], $storm[0], 'the first ones');
is(scalar(@{ $g->[8] }), 1, 'each list once');
is_deeply(store($g), ['OK', 1], 'one message');
($m) = take_one();
done($m, 'ok');
nothing_left('a storm');

# Scripts and daemon agree which channels have a message a host, and how many.
my $in_scripts = read_file('shared/lua/_digest.lua');
my ($most_in_scripts) = $in_scripts =~ /^local digest_per_host = (\d+)$/m;
my ($most_in_daemon) = read_file('rbl-checkd/deliver/digest_make.h')
    =~ /^#define DIGEST_PER_HOST +(\d+)/m;
like($most_in_scripts, qr{^\d+$}, 'so many hosts with a message each');
is($most_in_scripts, $most_in_daemon, 'in the daemon, too');
my @per_host = sort map { /\.per_host = 1,/ && /\.type = "(\w+)"/ ? $1 : () }
    map { read_file($_) } glob('rbl-checkd/deliver/channel_*.c');
my ($is_per_host) = $in_scripts
    =~ /digest_per_host_of\(c\)\n(.*?)\nend$/ms;
is_deeply(\@per_host, [sort $is_per_host =~ /== '(\w+)'/g], 'the same channels');

# so many ends that are a message each: what is too much is told next
my $pager = contact('start_and_end', type => 'pagerduty');
check($_, qw(listed clear)) for @storm[0 .. 249];
store($_, messages => []) for claim();
check($_, qw(clear clear)) for @storm[0 .. 249];
for my $ends (200, 50) {
    my %claimed = map { $_->[0] => $_ } claim();
    my $d = $claimed{"$ac:$pager"};
    is($d->[5], $ends, "$ends ends of 250");
    is(scalar @{ $d->[7] } / 2, $ends, 'each is told');
    is($claimed{"$ac:$to"}[5], 250, 'others hear of all at once')
        if $ends == 200;
    store($_, messages => []) for values %claimed;
}
script('contact_delete', [$acct], $pager);
nothing_left('many ends');

# nor is one counted that is no more, however many there are
check($_, qw(listed clear)) for @storm[0 .. 249];
script('host_delete', [$acct], $_, 60_000) for @storm[0 .. 229];
($g) = claim();
is_deeply([@$g[4, 5, 9], @{ $g->[7] } / 2], [20, 0, 0, 20],
    'hosts that are deleted before they are told');
store($g, messages => []);

# what is damaged waits, and harms nobody else
check($in, qw(clear clear));
my $fine = contact('every_check');
check($in, qw(listed clear));
cmd('SET', k('r', $ac, $to), 'x');
my @got = claim();
is_deeply([map { $_->[0] } @got], ["$ac:$fine"], 'the sound one is claimed');
ok(cmd('ZSCORE', k('digests'), "$ac:$to") > $now, 'the other waits');
cmd('ZADD', k('digests'), 0, 'what is this');
is(scalar(@none = claim()), 0, 'what is no digest');
is(cmd('ZSCORE', k('digests'), 'what is this'), undef, 'is dropped');

done_testing();
