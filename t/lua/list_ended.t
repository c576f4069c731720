#!/usr/bin/perl

# Ways by which a listing ends without its list having said so: the list is no
# longer used for the host.  In each the event of the end has a reason, the
# history of the host tells it from a clear answer, and a contact reads which
# list is no longer used; the answers of lists have none of this.

use strict;
use warnings;
use RblDigest;
use RblScript;
use RblTest;

my ($ac, $acct) = digests_new();
my $hook = sid('WH');
script('hook_put', [$acct], hook => $hook, name => 'n',
    url => 'https://x.example/', secret => 's');
my $contact = contact('start_and_end');
my $heavy = contact('start_and_end');           # critical listings alone
script('contact_alert', [$acct], contact => $heavy, weight => 4);
my $each = contact('every_check');

sub host_of { return unpacked(cmd('GET', k('r', $ac, $_[0]))) }
sub profile_of { return host_of($_[0])->[8] }
sub events {
    return map { unpacked($_->[1][5]) }
        @{ cmd('XRANGE', k('outbox'), '-', '+') };
}

# The lists of a system as in a file: the fields that differ.
sub system_list {
    my ($sid, %o) = @_;

    my $zone = lc(substr $sid, 2) . '.example';
    script('lists_put', [k('lists')], records => packed([1, $sid,
        $o{type} // 'rbl', $zone, $zone, '', $o{families} // 3, 0,
        $o{status} // 'active', '', [], '', '', 'normal', 'ip', 'block',
        'ip']));
}
sub lists_as_ever {
    script('lists_kill', [k('lists')], list => 'RBa', reason => '')
        if cmd('HGET', k('lists:override'), 'RBa:killed');
    script('lists_status', [k('lists')], list => 'RBa', status => 'active');
    system_list($_) for qw(RBa RBb);
}

# A check of a host at the lists that the store names for it: those in %says
# answer so, "listed:2" with that weight; the others are clear.
sub asked {
    my ($ht, %says) = @_;

    no_flapping($ac, $ht);
    cmd('HDEL', k($_), "$ac:$ht") for 'flight', 'flight:due';
    my $pp = sid('PP');
    script('check_start', [$acct], check => $pp, host => $ht, keep => 60_000);
    my $begun = begin($acct, $pp, $ht);
    my %was = map { $_->[0] => $_->[1] } @{ unpacked($begun->[5] || "\x90") };
    my (@told, @clear, $n);
    for my $l (@{ unpacked($begun->[3]) }) {
        my ($sid, $zone) = @$l[0, 3];
        my ($said, $weight) = split /:/, $says{$sid} // 'clear';
        my %o = (zone => $zone, weight => $weight // 4);
        $n++;
        push @told, $said eq 'listed' ? listed_result($sid, %o)
            : result($sid, $said, %o, error => 'timeout') if $said ne 'clear';
        # As result.c: a clear list with another zone says nothing about the
        # old one.
        push @clear, $sid if $said eq 'clear' && ($was{$sid} // $zone) eq $zone;
    }
    my $r = script('check_finish', [$acct], job => handle($acct, $pp, $ht),
        told => packed(\@told), lists => $n // 0, clear => join('', @clear),
        all => '=', why => $n ? '' : 'No blocklist applies to this host.',
        keep => 60_000, interval => 600, events => '1', soon => 0,
        details => 16 << 20, asks => '', members => '');
    is($r->[0], 'OK', 'the check ends') if $r->[0] ne 'OK';
    return;
}

# The results of a check of the host: events but those of its start and end
# ("type reason"); the end of the history; the messages to contacts.
sub tells_by {
    my ($ht) = @_;

    my @events = map { $_->[2] =~ /listed$/ ? "$_->[2] $_->[13]" : () }
        events();
    my $last = cmd('XREVRANGE', k('hist', $ac, $ht), '+', '-', 'COUNT', 1);
    my %h = @{ $last->[0][1] };
    my %told = messages();
    return { events => join(', ', @events),
        history => join(', ', sort map { "$_->[1] $_->[2]" }
            @{ unpacked($h{t}) }),
        map({ $_->[0] => $told{ $_->[1] } // '' } ['contact', $contact],
            ['heavy', $heavy], ['each', $each]) };
}

# {CO => "state [zones of the lists that are not used]"}
sub messages {
    my %told;
    my @states = qw(listed delisted clear unreported);
    for my $d (claim()) {
        my @rows = @{ $d->{hosts} };
        my @news = @{ $d->{news} };
        while (my (undef, $state) = splice @rows, 0, 2) {
            my (undef, $past) = splice @news, 0, 3;
            my $zones = $state == 3
                ? join '', map { " $_->[1]" } @{ unpacked($past) } : '';
            push @{ $told{ substr $d->{member}, 35 } }, $states[$state] . $zones;
        }
        is_deeply(store($d, messages => []), ['OK', 0],
            'digest_store ends the digest');
    }
    return map { $_ => join ', ', @{ $told{$_} } } keys %told;
}

my $own;
sub new_own {
    $own = sid('RB');
    script('rbl_add', [$acct], list => $own, type => 'rbl',
        zone => 'own.example')->[0] eq 'OK' or die 'rbl_add';
    return $own;
}
sub new_profile {
    my (%o) = @_;

    my $rp = sid('RP');
    script('profile_add', [$acct], profile => $rp, name => 'p', %o)->[0] eq 'OK'
        or die 'profile_add';
    return $rp;
}
sub with_own {
    my ($ht) = @_;

    script('host_update', [$acct], host => $ht, profile => new_profile(
        given => '1', entries => [new_own(), 'RBb']));
}
sub change {
    my ($ht, %o) = @_;

    script('profile_update', [$acct], profile => profile_of($ht), %o)->[0]
        eq 'OK' or die 'profile_update';
}
sub own_profile { script('host_update', [$acct], host => $_[0],
    profile => new_profile()) }

# Each way: its name; which list lists the host ("own": one of the account, so
# the host gets a profile with it); what happens; {} of what else is so: `none`,
# no list is left.
my @ways = (
    ['the operator disables the list', 'RBa', sub { script('lists_status',
        [k('lists')], list => 'RBa', status => 'disabled') }],
    ['the operator kills the list', 'RBa', sub { script('lists_kill',
        [k('lists')], list => 'RBa', reason => 'gone') }],
    ['a catalogue kills the list', 'RBa', sub { system_list('RBa',
        status => 'killed') }],
    ['a catalogue disables the list', 'RBa', sub {
        cmd('HDEL', k('lists:override'), 'RBa');
        system_list('RBa', status => 'disabled') }],
    ['the list no longer takes such addresses', 'RBa', sub {
        system_list('RBa', families => 2) }],
    ['the list becomes one of another kind', 'RBa', sub {
        system_list('RBa', type => 'uribl', families => 4) }],
    ['the own list is deleted', 'own', sub { script('rbl_delete', [$acct],
        list => $own) }],
    ['the own list is paused', 'own', sub { script('rbl_status', [$acct],
        list => $own, status => 'paused') }],
    ['the own list gets another zone, which is clear', 'own', sub {
        script('rbl_update', [$acct], list => $own, zone => 'new.example') }],
    ['the own list gets another zone, which does not answer', 'own', sub {
        script('rbl_update', [$acct], list => $own, zone => 'new.example') },
        sub { ($own => 'unknown') }],
    ['the own list becomes one of another kind', 'own', sub {
        script('rbl_update', [$acct], list => $own, type => 'uribl') }],
    ['the host gets another profile', 'RBa', sub { script('host_update',
        [$acct], host => $_[0], profile => new_profile(given => '1',
            entries => ['RBb'])) }],
    ['the host gets a profile that leaves the list out', 'RBa', sub {
        script('host_update', [$acct], host => $_[0],
            profile => new_profile(given => '2', entries => ['RBa'])) }],
    ['the profile gets other lists', 'RBa', sub { change($_[0], given => '1',
        entries => ['RBb']) }],
    ['the profile leaves the list out', 'RBa', sub { change($_[0],
        given => '2', entries => ['RBa']) }],
    ['the profile follows the system lists again', 'own', sub { change($_[0],
        given => '2') }],
    ['the profile has no list any longer', 'RBa', sub { change($_[0],
        given => '1') }],
    ['the profile leaves all lists out', 'RBa', sub { change($_[0],
        given => '2', entries => ['RBa', 'RBb', 'RBu']) }],
    ['the operator disables the last list', 'RBa', sub {
        system_list('RBb', status => 'disabled');
        script('lists_status', [k('lists')], list => 'RBa',
            status => 'disabled') }],
);
for my $way (@ways) {
    my ($name, $list, $happens, $says) = @$way;
    my $ht = host();
    $list eq 'own' ? with_own($ht) : own_profile($ht);
    my $zone = $list eq 'own' ? 'own.example' : 'a.example';
    forget($contact, $heavy, $each);
    asked($ht, ($list eq 'own' ? $own : 'RBa') => 'listed');
    is({ messages() }->{$contact}, 'listed', "$name: the host was listed");
    cmd('DEL', k('outbox'));
    $happens->($ht);
    asked($ht, $says ? $says->() : ());
    my $was = tells_by($ht);
    is($was->{events}, 'rbl.host.delisted list_ended',
        "$name: the event has the reason");
    is($was->{history}, "$zone ended",
        "$name: the history says that the list is not used");
    is($was->{$_}, "unreported $zone", "$name: $_ reads which list it was")
        for qw(contact heavy each);
    is(host_of($ht)->[13], 0, "$name: the host is on no list");
    lists_as_ever();
    script('rbl_delete', [$acct], list => $own) if $own
        && cmd('ZSCORE', k('rbls', $ac), $own);
    script('host_delete', [$acct], host => $ht, keep => 60_000);
    messages();
    sound($name);
}

# --- what lists say ----------------------------------------------------------

my $ht = host();
own_profile($ht);
sub rows {
    my (@checks) = @_;

    forget($contact, $heavy, $each);
    for my $i (0 .. $#checks) {
        $checks[$i]->();
        messages() if $i < $#checks;
        cmd('DEL', k('outbox')) if $i < $#checks;
    }
    my $was = tells_by($ht);
    change($ht, given => '2');
    asked($ht);
    messages();
    return $was;
}
sub says { my %o = @_; return sub { asked($ht, %o) } }
sub leaves_out { my @l = @_; return sub { change($ht, given => '2',
    entries => \@l) } }
my $was = rows(says(RBa => 'listed'), says());
is($was->{events}, 'rbl.host.delisted ',
    'an end that the list reports has no reason');
is($was->{history}, 'a.example clear', 'the history says that it is clear');
is($was->{$_}, 'delisted', "$_ reads that the host is delisted")
    for qw(contact heavy each);

$was = rows(says(RBa => 'listed', RBb => 'listed'), leaves_out('RBb'), says());
is($was->{events}, 'rbl.host.delisted list_ended',
    'one of two lists is no longer used: the event has the reason');
is($was->{history}, 'a.example clear, b.example ended',
    'the history tells the list that is not used from the other one');
is($was->{contact}, 'unreported b.example',
    'the contact reads which list is no longer used');

$was = rows(says(RBa => 'listed', RBb => 'listed'), leaves_out('RBb'),
    says(RBa => 'listed'), says());
is($was->{events}, 'rbl.host.delisted ',
    'the last listing is ended by its list: the event has no reason');
is($was->{contact}, 'unreported b.example',
    'a contact that has not heard of the other list reads of it then');

$was = rows(says(RBa => 'listed'), leaves_out('RBa'), says(RBb => 'listed'));
is($was->{events}, 'rbl.host.listed ',
    'a host that another list lists has no end');
is($was->{history}, 'a.example ended, b.example listed',
    'the history has both');
is($was->{contact}, 'listed', 'the contact reads of the other list');

$was = rows(says(RBa => 'listed'), leaves_out('RBa'), says(RBb => 'listed'),
    leaves_out(), says(RBa => 'listed', RBb => 'listed'), says());
is($was->{contact}, 'delisted',
    'a list that was used again and ended the listing itself is no reason');

# A contact of a high weight does not know of the list that is not used.
$was = rows(says(RBa => 'listed', RBb => 'listed:2'), leaves_out('RBb'),
    says());
is($was->{contact}, 'unreported b.example', 'the other contact reads of it');
is($was->{heavy}, 'delisted',
    'a contact reads of no list that is below its weight');

# A contact with every_check that knows of no listing reads nothing about a host
# that no list is asked about; it is not clear.
forget($contact, $heavy, $each);
asked($ht, RBa => 'listed');
forget($contact, $heavy, $each);
cmd('DEL', k('open', $ac, $each));
change($ht, given => '1');
asked($ht);
asked($ht);
is({ messages() }->{$each} // '', '',
    'a host that no list is asked about is not reported as clear');
change($ht, given => '2');
asked($ht);
is({ messages() }->{$each}, 'clear', 'a host that lists are asked about is');

# --- the store has lost its lists --------------------------------------------

forget($contact, $heavy, $each);
asked($ht, RBa => 'listed');
my %kept = map { $_ => cmd('DUMP', k($_)) } qw(defaults defaults:for);
for my $lost ('defaults:for', 'defaults') {
    cmd('DEL', k($_)) for $lost, 'defaults:for';
    cmd('DEL', k('outbox'));
    asked($ht);
    is(join(' ', map { $_->[2] =~ /listed$/ ? $_->[2] : () } events()), '',
        "no listing ends while the store has no $lost");
    is(host_of($ht)->[13], 1, "the host is still listed while the store has no $lost");
}
cmd('RESTORE', k($_), 0, $kept{$_}, 'REPLACE') for keys %kept;

done_testing();
