#!/usr/bin/perl

# Scripts that change custom lists, and their effect on profiles, checks and
# current listings.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { TYPE => 2, ZONE => 3, NAME => 4, FAMILIES => 6, CUSTOM => 7,
    STATUS => 8, CODES => 10 };

redis_new();
my ($ac, $acct) = account();
my ($theirs, $their_acct) = account();

sub list { return unpacked(cmd('GET', k('r', $ac, $_[0]))) }
sub all { return @{ cmd('ZRANGE', k('rbls', $ac), 0, -1) } }

sub add {
    my ($type, $zone, $of) = @_;
    my $rb = sid('RB');
    my $r = script('rbl_add', [$of // $acct], list => $rb, type => $type,
        zone => $zone);
    return wantarray ? ($rb, $r) : $rb;
}

sub update {
    my ($rb, $type, $zone) = @_;
    return script('rbl_update', [$acct], list => $rb, type => $type,
        zone => $zone)->[0];
}

sub status { return script('rbl_status', [$acct], list => $_[0],
    status => $_[1])->[0] }
sub del { return script('rbl_delete', [$acct], list => $_[0])->[0] }

# --- add -------------------------------------------------------------------

my ($rb, $r) = add('rbl', 'c.example');
is($r->[0], 'OK', 'a list is added');
my $l = unpacked($r->[1]);
is_deeply([@$l[1, TYPE, ZONE, NAME, FAMILIES, CUSTOM, STATUS, CODES]],
    [$rb, 'rbl', 'c.example', 'c.example', 3, 1, 'active', []],
    'a new list is for addresses of both families');
is_deeply(list($rb), $l, 'the record is kept');
is_deeply([all()], [$rb], 'the new list is in the index');
my $uri = add('uribl', 'c.example');
is(list($uri)->[FAMILIES], 4, 'the same zone for domains');

is((add('rbl', 'c.example'))[1][0], 'EXISTS', 'twice is refused');
is((add('rbl', 'a.example'))[1][0], 'EXISTS', 'a system list too');
is((add('uribl', 'u.example'))[1][0], 'EXISTS', 'of either type');
is((add('uribl', 'a.example'))[1][0], 'OK', 'of another type it is not');
is((add('rbl', 'c.example', $their_acct))[1][0], 'OK',
    'another account has its own');
script('lists_status', [k('lists')], list => 'RBb', status => 'disabled');
is((add('rbl', 'b.example'))[1][0], 'EXISTS', 'a disabled list is one');
script('lists_put', [k('lists')], records => packed([1, 'RBb', 'rbl',
    'b.example', 'B', '', 5, 0, 'killed', '', [], '', '', 'normal', 'ip',
    'block', 'ip']));
is((add('rbl', 'b.example'))[1][0], 'OK', 'a killed one is free');
is((add('rbl', 'x.example', k('acct', sid('AC'))))[1][0], 'ACCOUNT',
    'rbl_add refuses an unknown account');
is(scalar all(), 4, 'a refused list does not exist');

# --- update ----------------------------------------------------------------

is(update($rb, '', 'd.example'), 'OK', 'rbl_update changes the zone');
is_deeply([@{ list($rb) }[TYPE, ZONE, NAME, FAMILIES]],
    ['rbl', 'd.example', 'd.example', 3], 'the list has the new zone');
is(update($rb, 'uribl', ''), 'OK', 'rbl_update changes the type');
is_deeply([@{ list($rb) }[TYPE, ZONE, FAMILIES]], ['uribl', 'd.example', 4],
    'the list has the families of its new type');
is(update($rb, 'uribl', 'd.example'), 'OK', 'an update without a change');
is(update($rb, '', ''), 'OK', 'rbl_update accepts a request without changes');
is(update($rb, 'uribl', 'c.example'), 'EXISTS', 'another list is that');
is(update($rb, 'rbl', 'a.example'), 'EXISTS', 'a system list is that');
is(update($rb, '', 'u.example'), 'EXISTS',
    'rbl_update refuses a system list of the same type');
is_deeply([@{ list($rb) }[TYPE, ZONE]], ['uribl', 'd.example'],
    'a refused update changed nothing');
is(update($rb, 'rbl', 'c.example'), 'OK',
    'rbl_update restores the type and the zone');

# --- other accounts --------------------------------------------------------

my $foreign = add('rbl', 'f.example', $their_acct);
for my $try (\&update, sub { status($_[0], 'paused') }, \&del) {
    is($try->('RBa', '', ''), 'SYSTEM', 'a system list');
    is($try->('RBb', '', ''), 'RBL', 'a killed one');
    is($try->($foreign, '', ''), 'RBL', 'one of another account');
    is($try->(sid('RB'), '', ''), 'RBL', 'an unknown one');
    is($try->(chosen($acct)->[1], '', ''), 'RBL',
        'the SID of a profile is refused');
}

# --- queried zones ---------------------------------------------------------

my $rp = sid('RP');
script('profile_add', [$acct], profile => $rp, name => 'custom',
    is_default => 1, given => 1, entries => ['RBa', $rb, $uri]);
my $ht = unpacked(script('host_add', [$acct], name => 'n', type => 'rbl',
    family => 1, host => sid('HT'), value => '192.0.2.1')->[1])->[1];

# The zones that a check of the host queries, and its results as given.
sub check {
    my ($results, $failed) = @_;
    my $pp = sid('PP');
    script('check_start', [$acct], check => $pp, host => $ht, keep => 60_000);
    my $lists = unpacked(begin($acct, $pp, $ht)->[3]);
    is(finish_check($acct, $pp, $ht, $results // [], $failed)->[0], 'OK',
        'a check ends');
    return join ' ', map { "$_->[3]:$_->[2]" } @$lists;
}

sub standing {
    my $h = unpacked(cmd('GET', k('r', $ac, $ht)));
    return join ' ', $h->[13], map { $_->[1] } @{ $h->[16] };
}

my @listed = (listed_result('RBa'), listed_result($rb, zone => 'c.example'));
is(check(\@listed), 'a.example:0 c.example:1', 'the custom list is queried');
is(standing(), '2 a.example c.example', 'both list the host');

is(status($rb, 'paused'), 'OK', 'rbl_status pauses the list') for 1, 2;
is(list($rb)->[STATUS], 'paused', 'the list is paused');
is(standing(), '2 a.example c.example',
    'the listing of the paused list stays current');
is(check([$listed[0]]), 'a.example:0', 'until the next check, without it');
is(standing(), '1 a.example', 'the paused list has no listing after the check');
is_deeply(unpacked(cmd('GET', k('r', $ac, $rp)))->[5], ['RBa', $rb, $uri],
    'the profile keeps it');

is(status($rb, 'active'), 'OK', 'rbl_status resumes the list') for 1, 2;
is(check(\@listed), 'a.example:0 c.example:1',
    'the resumed list is queried again');
is(standing(), '2 a.example c.example', 'the resumed list has a listing again');

# With another zone it is another list: its listings end.
is(update($rb, '', 'e.example'), 'OK', 'rbl_update changes the zone');
is(check([$listed[0], result($rb, 'unknown', zone => 'e.example')]),
    'a.example:0 e.example:1', 'the new one is queried');
is(standing(), '1 a.example', 'a listing of the old zone is not current');
is(check([$listed[0], listed_result($rb, zone => 'e.example')]),
    'a.example:0 e.example:1', 'the new one lists it');
is(check([$listed[0], result($rb, 'unknown', zone => 'e.example')]),
    'a.example:0 e.example:1', 'the new zone is queried and unknown');
is(standing(), '2 a.example e.example',
    'an unknown answer keeps the listing current');
is(update($rb, 'uribl', ''), 'OK', 'rbl_update changes the type');
is(check([$listed[0]]), 'a.example:0',
    'a list of domains is not queried for an address');
is(standing(), '1 a.example', 'a list of domains has no current listing');
is(update($rb, 'rbl', ''), 'OK', 'the type it had');

# The last list with a listing is paused: the host is no longer listed.
script('profile_update', [$acct], profile => $rp, given => 1, entries => $rb);
is(check([listed_result($rb, zone => 'e.example')]), 'e.example:1',
    'only the custom list');
is(standing(), '1 e.example', 'lists the host');
ok(cmd('ZSCORE', k('listed', $ac), $ht), 'the listings have the host');
status($rb, 'paused');
is(check([], 'No blocklist applies to this host.'), '', 'no list is queried');
is(standing(), '0', 'the host is no longer listed');
ok(!cmd('ZSCORE', k('listed', $ac), $ht), 'the listings do not have the host');
status($rb, 'active');
check([listed_result($rb, zone => 'e.example')]);
is(standing(), '1 e.example', 'the host is listed again');

# --- delete ----------------------------------------------------------------

my $rp2 = sid('RP');
script('profile_add', [$acct], profile => $rp2, name => 'other',
    is_default => 0, given => 1, entries => [$uri, $rb, 'RBa']);
is(del($rb), 'OK', 'rbl_delete deletes the list');
is(del($rb), 'RBL', 'the list does not exist');
ok(!cmd('EXISTS', k('r', $ac, $rb)), 'the deleted list has no record');
is_deeply(unpacked(cmd('GET', k('r', $ac, $rp)))->[5], [],
    'the first profile does not have the deleted list');
is(unpacked(cmd('GET', k('r', $ac, $rp)))->[4], 0,
    'the profile does not follow the system lists now');
is_deeply(unpacked(cmd('GET', k('r', $ac, $rp2)))->[5], [$uri, 'RBa'],
    'the second profile does not have the deleted list');
is(standing(), '1 e.example', 'the listing of the deleted list stays current');
is(check([], 'No blocklist applies to this host.'), '',
    'until a check that does not query it');
is(standing(), '0', 'the next check ends the listing');
is((add('rbl', 'e.example'))[1][0], 'OK', 'the zone is free again');

# A list deleted during a check: the check finishes, the next one is without it.
my $late = add('rbl', 'late.example');
script('profile_update', [$acct], profile => $rp, given => 1,
    entries => ['RBa', $late]);
my $pp = sid('PP');
script('check_start', [$acct], check => $pp, host => $ht, keep => 60_000);
begin($acct, $pp, $ht);
is(del($late), 'OK', 'deleted during a check');
is(finish_check($acct, $pp, $ht, [result('RBa', 'clear'),
    listed_result($late, zone => 'late.example')])->[0], 'OK',
    'the check ends');
is(standing(), '1 late.example',
    'the listing of the list deleted meanwhile is current');
is(check([result('RBa', 'clear')]), 'a.example:0', 'the next one');
is(standing(), '0', 'the next check ends that listing');

# --- limit -----------------------------------------------------------------

add('rbl', "l$_.example") for scalar(all()) + 1 .. 200;
is(scalar all(), 200, 'the account has two hundred lists');
is_deeply((add('rbl', 'more.example'))[1], ['LIMIT', 200],
    'rbl_add refuses a list beyond 200');
is(scalar all(), 200, 'nothing was added');

# --- leftovers of a deleted list -------------------------------------------

# Profiles of every length, the list at their start, in the middle, at the end.
my @system = map { sprintf 'RB%032x', 0xabc000 + $_ } 1 .. 190;
script('lists_put', [k('lists')], records => [map { packed([1, $system[$_],
    'rbl', "s$_.example", 'S', '', 3, 0, 'active', '', [], '', '', 'normal',
    'ip', 'block', 'ip']) } 0 .. $#system]);
my %left;
my $gone = (all())[7];
push @system, (all())[20 .. 129];
for my $n (0, 1, 14, 15, 16, 254, 255, 256, 300) {
    for my $at (0, int $n / 2, $n) {
        my @entries = @system[0 .. $n - 1];
        splice @entries, $at, 0, $gone;
        my $p = sid('RP');
        # a profile may be named like the list
        is(script('profile_add', [$acct], profile => $p,
            name => $at ? "n $n" : $gone, is_default => 0, given => 1,
            entries => \@entries)->[0], 'OK',
            "$n entries and the list, at $at");
        $left{$p} = unpacked(cmd('GET', k('r', $ac, $p)));
        $left{$p}[5] = [@system[0 .. $n - 1]];
    }
}
for my $n (0, 3) {
    my $p = sid('RP');
    script('profile_add', [$acct], profile => $p, name => $gone,
        is_default => 0, given => 1, entries => [@system[0 .. $n - 1]]);
    $left{$p} = unpacked(cmd('GET', k('r', $ac, $p)));
}
is(del($gone), 'OK', 'rbl_delete deletes the list');
is_deeply(unpacked(cmd('GET', k('r', $ac, $_))), $left{$_},
    "$left{$_}[2]: all else stays") for sort keys %left;

done_testing();
