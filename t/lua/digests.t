#!/usr/bin/perl

# Digests of contacts: changes of a host go to contacts by schedule and group;
# each change is reported once.

use strict;
use warnings;
use RblDigest;
use RblScript;
use RblTest;

my ($ac, $acct, $cg, $other) = digests_new();

# --- histories x schedules: changes that each check adds to an empty digest;
# while_listed needs an end to forget the listing, and reports none -----------

my %co = map { $_ => contact($_) } qw(every_check start_and_end while_listed);
my ($l, $d, $c) = qw(listed delisted clear);
my @histories = (
    # checks, and the reports to every_check, start_and_end, while_listed
    ['never listed', [qw(clear clear)], [$c, '', ''], [qw(clear clear)],
        [$c, '', '']],
    ['listed, stays, is delisted', [qw(listed clear)], [$l, $l, $l],
        [qw(listed clear)], [$l, '', $l], [qw(listed clear)], [$l, '', $l],
        [qw(clear clear)], [$d, $d, $d], [qw(clear clear)], [$c, '', '']],
    # The end of one of two listings is looked at, and no message.
    ['gets on a further list', [qw(listed clear)], [$l, $l, $l],
        [qw(listed listed)], [$l, $l, $l], [qw(clear listed)], [$l, $l, $l],
        [qw(clear clear)], [$d, $d, $d]],
    ['one list for another', [qw(listed clear)], [$l, $l, $l],
        [qw(clear listed)], [$l, $l, $l]],
    ['unknown changes nothing', [qw(unknown clear)], [$c, '', ''],
        [qw(listed unknown)], [$l, $l, $l], [qw(unknown unknown)], [$l, '', $l],
        [qw(unknown clear)], [$l, '', $l], [qw(clear unknown)], [$d, $d, $d]],
    ['failed checks change nothing', ['failed'], ['', '', ''],
        [qw(listed clear)], [$l, $l, $l], ['failed'], ['', '', ''],
        [qw(clear clear)], [$d, $d, $d]],
    ['on and off', [qw(listed clear)], [$l, $l, $l], [qw(clear clear)],
        [$d, $d, $d], [qw(listed clear)], [$l, $l, $l]],
);
for my $history (@histories) {
    my ($name, @steps) = @$history;
    my ($ht, $n) = (host(), 0);
    my $value = last_address();
    while (my ($says, $told) = splice @steps, 0, 2) {
        check($ht, @$says);
        my %want;
        @want{qw(every_check start_and_end while_listed)} =
            map { $_ && "$_ $value" } @$told;
        is_deeply({ map { $_ => waits($co{$_}) } keys %co }, \%want,
            "$name, check " . ++$n
            . ": each contact gets its report of @$says");
        forget(values %co);
    }
    script('host_delete', [$acct], host => $ht, keep => 60_000);
    forget(values %co);
}

# --- histories x windows: changes combined in one digest --------------------

my @windows = (
    # all of it in one window, then the reports
    ['twice listed', [qw(listed clear)], [qw(listed clear)], [$l, $l, $l]],
    ['listed and delisted', [qw(listed clear)], [qw(clear clear)],
        [$d, $d, $d]],
    ['delisted, then clear', [qw(listed clear)], [qw(clear clear)],
        [qw(clear clear)], [$d, $d, $d]],
    ['delisted and listed again', [qw(listed clear)], [qw(clear clear)],
        [qw(listed clear)], [$l, $l, $l]],
    ['clear, then listed', [qw(clear clear)], [qw(listed clear)],
        [$l, $l, $l]],
);
for my $w (@windows) {
    my ($name, @checks) = @$w;
    my $told = pop @checks;
    my $ht = host();
    my $value = last_address();
    check($ht, @$_) for @checks;
    is_deeply([map { waits($co{$_}) } qw(every_check start_and_end
        while_listed)], [map { "$_ $value" } @$told], "one window: $name");
    is(cmd('ZCARD', k('digests')), 3, 'one digest a contact');
    forget(values %co);
    script('host_delete', [$acct], host => $ht, keep => 60_000);
    forget(values %co);
}

# --- hosts that are deleted, or get other groups --------------------------------

my $u = 'unreported';
my @ends = (
    # checks, the action, reports to every_check, start_and_end, while_listed
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

    return script('host_delete', [$acct], host => $ht, keep => 60_000)->[0]
        if $what eq 'delete';
    return script('host_status', [$acct], host => $ht, status => $what)->[0]
        if $what =~ /^(?:paused|active)$/;
    return script('host_update', [$acct], host => $ht,
        groups => [split /,/, $what])->[0];
}
for (@ends) {
    my ($name, $checks, $changes, $told) = @$_;
    for my $together (0, 1) {
        my $ht = host();
        my $value = last_address();
        for (@$checks) {
            check($ht, @$_);
            tells() unless $together;
        }
        is(change($ht, $_), 'OK',
            "$name: the change to $_ is accepted") for split / /, $changes;
        my %got = tells();
        my @of = map { $got{ $co{$_} } // '' }
            qw(every_check start_and_end while_listed);
        if ($together) {
            is_deeply([grep { /$u/ } @of], [], "$name, before the report");
        } else {
            is_deeply(\@of, [map { $_ && "$_ $value" } @$told], $name);
        }
        change($ht, 'delete');
        tells();
    }
}

# reported by name, as the record is gone
my $named = host();
check($named, qw(listed clear));
tells();
script('host_update', [$acct], host => $named, named => '1',
    name => "a|b \xc3\xa4|");
change($named, 'delete');
my ($row) = grep { $_->{member} eq "$ac:$co{start_and_end}" } claim();
is_deeply([@$row{qw(listed delisted clear unreported)},
    @{ unpacked($row->{hosts}[0]) }[1, 2, 3], $row->{hosts}[1]],
    [0, 0, 0, 1, $named, last_address(), "a|b \xc3\xa4|", 3],
    'a deleted host is reported by its name');
store($_, messages => []) for $row;
leases_end($_) for values %co;
tells();

# moved and moved back: the next owner gets no report of that
my $moved = host();
my $its = last_address();
check($moved, qw(listed clear));
tells();
change($moved, $other);
change($moved, $cg);
is({ tells() }->{ $co{start_and_end} }, undef, 'moved, and back');
change($moved, $other);
is({ tells() }->{ $co{start_and_end} }, "$u $its",
    'the contact gets a moved host as unreported');
change($moved, $cg);
is({ tells() }->{ $co{start_and_end} }, "$l $its",
    'the contact gets a host that is back as listed');
change($moved, 'delete');
is({ tells() }->{ $co{start_and_end} }, "$u $its",
    'the contact gets a deleted host as unreported');

# a range: each listed address, by any number of calls
my ($block, @blocked) = (sid('HT'), map { sid('HT') } 1 .. 256);
script('host_add', [$acct], name => 'name', type => 'ip_range', family => 1,
    range => $block, net => '10.7.0.0/24',
    host => [@blocked[0 .. 255]], value => [map { "10.7.0.$_" } 0 .. 255]);
check($_, qw(listed clear)) for @blocked[0 .. 249];
tells();
change($block, 'delete');
is(cmd('ZCARD', k('digest', $ac, $co{start_and_end})), 1,
    'a range: one thing to look at');
is(cmd('ZCARD', k('digests')), 3, 'a digest a contact');
($row) = grep { $_->{member} eq "$ac:$co{every_check}" } claim();
is($row->{unreported}, 250, 'all are counted');
is(scalar @{ $row->{hosts} } / 2, 50, 'the message has 50 of them');
forget(values %co);

# the order of reports if there are too many hosts
my @mixed = map { host() } 1 .. 4;
check($mixed[$_], $_ == 3 ? 'clear' : 'listed', 'clear') for 0 .. 3;
tells();
check($mixed[0], qw(listed clear));
check($mixed[1], qw(clear clear));
check($mixed[3], qw(clear clear));
change($mixed[2], 'delete');
($row) = grep { $_->{member} eq "$ac:$co{every_check}" } claim(hosts => 3);
is_deeply([@{ $row->{hosts} }[1, 3, 5],
    @$row{qw(listed delisted clear unreported)}], [0, 1, 3, 1, 1, 1, 1],
    'hosts that are clear come last in the digest');
change($_, 'delete') for @mixed[0, 1, 3];
forget(values %co);

# damaged records do not prevent deletion
my $hurt = host();
check($hurt, qw(listed clear));
cmd('DEL', k('digest', $ac, $_)) for values %co;
cmd('SET', k('digest', $ac, $co{start_and_end}), 'x');
is(change($hurt, 'delete'), 'OK', 'a digest of another type');
ok(!cmd('EXISTS', k('r', $ac, $hurt)), 'the host is deleted');
forget(values %co);

# --- groups, statuses -------------------------------------------------------

script('contact_delete', [$acct], contact => $_) for values %co;
my $here = contact('start_and_end');
my $there = contact('start_and_end', groups => [$other]);
my $both = contact('start_and_end', groups => [$cg, $other]);
my ($in, $out, $two) = (host(), host($other), host($cg, $other));
my @v = map { last_address($_) } 2, 1, 0;
check($_, qw(listed clear)) for $in, $out, $two;
is(waits($here), "listed $v[0], listed $v[2]", 'the hosts of its group');
is(waits($there), "listed $v[1], listed $v[2]",
    'a contact of another group gets its hosts');
is(waits($both), "listed $v[0], listed $v[1], listed $v[2]",
    'a contact of both groups gets each host once');
forget($here, $there, $both);

is(script('contact_status', [$acct], contact => $here,
    status => 'paused')->[0], 'OK', 'contact_status pauses the contact');
is(script('contact_update', [$acct], contact => $both, groups => $other)->[0],
    'OK', 'contact_update moves the contact to another group');
is(script('contact_update', [$acct], contact => $there,
    schedule => 'every_check')->[0], 'OK', 'of another schedule');
check($in, qw(clear clear));
check($out, qw(listed clear));
is(waits($here), '', 'a paused contact gets nothing');
is(waits($both), '', 'a contact without a group of the host gets nothing');
is(waits($there), "listed $v[1]",
    'a contact of every check gets the new listing');
forget($there);
is(script('contact_status', [$acct], contact => $here,
    status => 'active')->[0], 'OK', 'contact_status resumes the contact');
is(script('contact_delete', [$acct], contact => $there)->[0], 'OK',
    'contact_delete deletes the contact');
check($in, qw(listed clear));
is(waits($here), "listed $v[0]", 'gets reports again');
check($out, qw(listed clear));
ok(!cmd('EXISTS', k('digest', $ac, $there)), 'a deleted contact does not');
forget($here, $both);

# a contact without its record, an index of another type
cmd('SET', k('r', $ac, $both), 'x');
cmd('SET', k('hears', $ac, $other), 'x');
check($in, qw(clear clear));
is(waits($here), "delisted $v[0]",
    'damaged keys of a contact affect no other contact');
cmd('SET', k('digest', $ac, $here), 'x');
check($in, qw(listed clear));
is(unpacked(cmd('GET', k('r', $ac, $in)))->[13], 1,
    'a damaged digest does not stop the check');
cmd('DEL', k('r', $ac, $both), k('hears', $ac, $other));
cmd('ZREM', k($_, $ac), $both) for 'contacts', 'hears';
forget($here);

# a range: its addresses are reported, not the range itself
my ($range, @kids) = (sid('HT'), sid('HT'), sid('HT'));
script('host_add', [$acct], name => 'name', type => 'ip_range', family => 1,
    range => $range, net => '198.51.100.0/31', host => [@kids[0, 1]],
    value => ['198.51.100.0', '198.51.100.1']);
check($_, qw(listed clear)) for @kids;
is(waits($here), 'listed 198.51.100.0, listed 198.51.100.1',
    'the addresses of a range');
forget($here);

done_testing();
