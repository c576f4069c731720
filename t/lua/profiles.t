#!/usr/bin/perl

# Scripts that change monitoring profiles: entries given, empty or omitted;
# exactly one default; a profile in use, or the last one, stays.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { ID => 1, NAME => 2, STATUS => 3, USES_DEFAULTS => 4,
    ENTRIES => 5, EXCEPT => 7 };

redis_new();
my ($ac, $acct) = account();

sub profile { return unpacked(cmd('GET', k('r', $ac, $_[0]))) }
sub default_profile { return chosen($acct)->[1] }
sub all {
    my @all = sort @{ cmd('ZRANGE', k('profiles', $ac), 0, -1) };
    return @all;
}

# The SID of a new profile, and the script's reply.
sub add {
    my ($name, $default, @entries) = @_;
    my $rp = sid('RP');
    my $r = script('profile_add', [$acct], profile => $rp, name => $name,
        is_default => $default ? 1 : 0,
        @entries ? (given => 1, entries => $entries[0]) : ());
    return wantarray ? ($rp, $r) : $rp;
}

# name, is_default (undef: not given), entries (undef: not given)
sub update {
    my ($rp, $name, $default, $entries) = @_;
    return script('profile_update', [$acct], profile => $rp,
        defined $name ? (named => 1, name => $name) : (),
        is_default => $default // '',
        $entries ? (given => 1, entries => $entries) : ())->[0];
}

sub del { return script('chosen_delete', [$acct], id => $_[0],
    index => 'profiles') }

my $first = default_profile();

# Custom lists of this account and of another.
my ($theirs, $their_acct) = account();
my $custom = sid('RB');
my $foreign = sid('RB');
is(script('rbl_add', [$acct], list => $custom, type => 'rbl',
    zone => 'c.example')->[0], 'OK', 'a custom list');
is(script('rbl_add', [$their_acct], list => $foreign, type => 'rbl',
    zone => 'c.example')->[0], 'OK', 'rbl_add adds a list of another account');

# --- add -------------------------------------------------------------------

my ($follows, $r) = add('follows');
is($r->[0], 'OK', 'profile_add adds a profile without entries');
my $p = unpacked($r->[1]);
is_deeply([@$p[ID, NAME, STATUS, USES_DEFAULTS, ENTRIES]],
    [$follows, 'follows', 'active', 1, []],
    'a profile without entries follows the system lists');
is_deeply($r->[2], [qw(RBa RBb RBu)], 'the response has the lists, sorted');
is_deeply(profile($follows), $p, 'the record is kept');

(my $none, $r) = add('none', 0, []);
$p = unpacked($r->[1]);
is_deeply([@$p[USES_DEFAULTS, ENTRIES]], [0, []], 'entries but none of them');
is_deeply($r->[2], [], 'nothing is followed');

(my $some, $r) = add('some', 0, ['RBu', $custom, 'RBa', 'RBu', $custom]);
$p = unpacked($r->[1]);
is_deeply([@$p[USES_DEFAULTS, ENTRIES]], [0, ['RBu', $custom, 'RBa']],
    'each once, in the order given');

script('lists_status', [k('lists')], list => 'RBb', status => 'disabled');
is((add('d', 0, ['RBb']))[1][0], 'OK', 'a disabled list may be an entry');
is_deeply((add('f'))[1][2], [qw(RBa RBu)], 'a disabled list is not followed');
script('lists_status', [k('lists')], list => 'RBb', status => 'active');

my @before = all();
for my $bad ([$foreign], ['RBa', $foreign], [sid('RB')], [''], ['RBa', ''],
    [$first], ['SYS'])
{
    is_deeply((add('bad', 1, $bad))[1], ['ENTRIES'],
        "profile_add refuses the entries @$bad");
}
is_deeply([all()], \@before, 'nothing was added');
is(default_profile(), $first, 'a refused profile is not the default');

is(scalar(grep { $_ eq $first } all()), 1, 'the first one is there');
my $default = add('default', 1);
is(default_profile(), $default, 'a new default');
is(script('profile_add', [k('acct', sid('AC'))], profile => sid('RP'),
    name => 'x', is_default => 0, given => 0)->[0], 'ACCOUNT',
    'profile_add refuses an unknown account');

# --- update ----------------------------------------------------------------

is(update($some, 'renamed'), 'OK', 'profile_update changes the name');
is(profile($some)->[NAME], 'renamed', 'the profile has the new name');
is_deeply(profile($some)->[ENTRIES], ['RBu', $custom, 'RBa'],
    'a new name does not change the entries');
is(update($follows, undef, undef, ['RBb', 'RBb']), 'OK',
    'profile_update changes the entries');
is_deeply([@{ profile($follows) }[USES_DEFAULTS, ENTRIES]], [0, ['RBb']],
    'end the following');
is(update($follows, undef, undef, []), 'OK', 'entries but none of them');
is_deeply(profile($follows)->[ENTRIES], [], 'the profile has no entries');
my $other = add('other');
is(update($other, undef, undef, []), 'OK', 'of one that follows');
is_deeply([@{ profile($other) }[USES_DEFAULTS, ENTRIES]], [0, []],
    'a profile with an empty list of entries follows no list');

for my $bad ([$foreign], ['RBa', $foreign], [sid('RB')], ['']) {
    is(update($some, 'bad', 1, $bad), 'ENTRIES',
        "profile_update refuses the entries @$bad");
}
is(update($default, 'bad', 0), 'DEFAULT', 'the default stays one');
is(update(sid('RP'), 'bad', 1), 'PROFILE', 'an unknown profile');
is(update(chosen($their_acct)->[1], 'bad', 1), 'PROFILE',
    'one of another account');
is(update($custom, 'bad', 1), 'PROFILE', 'something else of the account');
is(profile($_)->[NAME], $_ eq $some ? 'renamed' : 'default',
    'a refused update changed nothing') for $some, $default;
is_deeply(profile($some)->[ENTRIES], ['RBu', $custom, 'RBa'],
    'a refused update does not change the entries');
is(default_profile(), $default, 'a refused update does not change the default');

is(update($some, undef, 0), 'OK', '0 on one that is not the default');
is(update($some, undef, 1), 'OK',
    'profile_update makes another profile the default');
is(default_profile(), $some, 'the profile is the default');
is(update($some, undef, 1), 'OK',
    'profile_update accepts the profile that is the default');
is(update($default, undef, 0), 'OK', 'the former one is not the default');

# A profile keeps a list that was killed since.
script('lists_put', [k('lists')], records => packed([1, 'RBu', 'uribl',
    'u.example', 'U', '', 4, 0, 'killed', '', [], '', '', 'normal', 'ip',
    'block', 'none']));
is(update($some, undef, undef, ['RBa', 'RBu']), 'OK',
    'a list killed since may stay');
is(update($some, undef, undef, ['RBa']), 'OK',
    'profile_update removes a killed list');
is(update($some, undef, undef, ['RBu']), 'ENTRIES',
    'profile_update does not add a killed list');

# --- all system lists but some ----------------------------------------------

sub add_but { my $rp = sid('RP'); return ($rp, script('profile_add', [$acct],
    profile => $rp, name => 'but', given => '2', entries => [@_])) }
sub but { my ($rp, @lists) = @_; return script('profile_update', [$acct],
    profile => $rp, given => '2', entries => \@lists)->[0] }
sub is_but {
    my ($rp, $except, $name) = @_;
    is_deeply([@{ profile($rp) }[USES_DEFAULTS, ENTRIES, EXCEPT]],
        [1, [], $except], $name);
}
# The lists that a check of an address gets, by its profile.
sub asked {
    my ($rp) = @_;
    my $host = unpacked(script('host_add', [$acct], name => 'n',
        type => 'rbl', family => 1, profile => $rp, host => sid('HT'),
        value => '192.0.2.77')->[1])->[1];
    my $check = sid('PP');
    my $n = script('check_start', [$acct], check => $check, host => $host,
        keep => 60_000)->[4];
    my @lists = map { $_->[0] } @{ unpacked(begin($acct, $check, $host)->[3]) };
    is($n, scalar @lists, 'check_start counts the lists of the check');
    script('host_delete', [$acct], host => $host, keep => 1000);
    return join ' ', @lists;
}
script('lists_put', [k('lists')], records => packed([1, 'RBu', 'uribl',
    'u.example', 'U', '', 4, 0, 'active', '', [], '', '', 'normal', 'ip',
    'block', 'none']));

(my $but, $r) = add_but('RBb', 'RBb');
is($r->[0], 'OK', 'profile_add adds a profile that leaves a list out');
is_but($but, ['RBb'], 'the list is left out once');
is_deeply([sort @{ $r->[2] }], [qw(RBa RBb RBu)],
    'the response has the lists that are active');
is(asked($but), 'RBa', 'a check gets the other lists of the kind of its host');
script('lists_status', [k('lists')], list => 'RBa', status => 'disabled');
is(asked($but), '', 'a list that the operator disables is not in the profile');
script('lists_status', [k('lists')], list => 'RBa', status => 'active');
script('lists_put', [k('lists')], records => packed([1, 'RBn', 'rbl',
    'n.example', 'N', '', 1, 0, 'active', '', [], '', '', 'normal', 'ip',
    'block', 'none']));
is(asked($but), 'RBa RBn', 'a list that the operator adds is in the profile');
script('lists_kill', [k('lists')], list => 'RBn', reason => 'gone');
is(asked($but), 'RBa', 'a list that the operator kills is not');
is(but($but, 'RBb', 'RBu'), 'OK', 'profile_update changes what is left out');
is_but($but, ['RBb', 'RBu'], 'both lists are left out');
is(update($but, 'again'), 'OK', 'the profile gets another name');
is_but($but, ['RBb', 'RBu'], 'a name changes no lists');
for my $bad ([$custom], [$foreign], ['RBn'], ['RBa', sid('RB')], [''], ['SYS'])
{
    is(but($but, @$bad), 'EXCEPT', "profile_update refuses to leave out @$bad");
    is((add_but(@$bad))[1][0], 'EXCEPT',
        "profile_add refuses to leave out @$bad");
}
is_but($but, ['RBb', 'RBu'], 'a refused update changes nothing');
script('lists_kill', [k('lists')], list => 'RBb', reason => 'gone');
is(but($but, 'RBb'), 'OK', 'a list that was killed since may stay left out');
script('lists_kill', [k('lists')], list => 'RBb', reason => '');
is(asked($but), 'RBa', 'a list that is no longer killed is still left out');
is(but($but), 'OK', 'profile_update leaves none out');
is_but($but, undef, 'the record has no such lists then');
is(asked($but), 'RBa RBb', 'the profile has all lists');
is(update($but, undef, undef, ['RBb']), 'OK', 'the profile gets entries');
is_deeply([@{ profile($but) }[USES_DEFAULTS, ENTRIES, EXCEPT]],
    [0, ['RBb'], undef], 'the profile has the entries, and leaves none out');
is(but($but, 'RBa'), 'OK', 'profile_update has it follow again');
is_but($but, ['RBa'], 'it has no entries then');
is(update($but, undef, undef, []), 'OK', 'the profile gets no entries');
is_deeply([@{ profile($but) }[USES_DEFAULTS, ENTRIES, EXCEPT]],
    [0, [], undef], 'the profile has no entries, and leaves none out');
is(but($but, qw(RBa RBb RBu)), 'OK', 'all lists may be left out');
is(asked($but), '', 'a check gets none');

$r = script('profile_show', [$acct], profile => $but);
is_deeply([@$r[0, 2], unpacked($r->[1])], ['OK', default_profile(),
    profile($but)], 'profile_show has the record and the default');
is(script('profile_show', [$acct], profile => sid('RP'))->[0], 'PROFILE',
    'profile_show refuses an unknown profile');
$r = script('profiles_show', [$acct], first => 0, last => 1);
is_deeply([$r->[1], map { unpacked($_)->[ID] } @{ $r->[2] }],
    [scalar(my @n = all()), @{ cmd('ZRANGE', k('profiles', $ac), 0, 1) }],
    'profiles_show has a page, and how many there are');
del($but);

# --- delete ----------------------------------------------------------------

my $ht = unpacked(script('host_add', [$acct], name => 'n', type => 'rbl',
    family => 1, profile => $default, host => sid('HT'),
    value => '192.0.2.1')->[1])->[1];
is_deeply(del($default), ['USED', 1], 'a host has it');
is(script('host_delete', [$acct], host => $ht, keep => 1000)->[0], 'OK',
    'the host is deleted');
is_deeply(del($default), ['OK'], 'chosen_delete deletes an unused profile');
is_deeply(del($default), ['PROFILE'], 'the profile does not exist');
ok(!cmd('EXISTS', k('r', $ac, $default)), 'the deleted profile has no record');
is(default_profile(), $some, 'the default is the same');
is_deeply(del(chosen($their_acct)->[1]), ['PROFILE'],
    'one of another account');

# The new default is any of the others.
my %chosen;
for (1 .. 200) {
    my $rp = add('to go', 1);
    is(default_profile(), $rp, 'the new profile is the default') if $_ == 1;
    die 'delete' if del($rp)->[0] ne 'OK';
    my $now = default_profile();
    die 'none' if $now eq $rp || !defined cmd('ZSCORE', k('profiles', $ac),
        $now);
    $chosen{$now}++;
}
is_deeply([sort keys %chosen], [all()],
    'a new default is one of the others by chance');

del($_) for grep { $_ ne $first } all();
is_deeply([all()], [$first], 'all but one');
is(default_profile(), $first, 'the only profile is the default');
is_deeply(del($first), ['LAST'], 'the last stays');
ok(cmd('EXISTS', k('r', $ac, $first)), 'the last profile keeps its record');

# A waiting one-off check whose profile is deleted uses the default's lists.
my $rp = add('one-off', 1, ['RBa']);
my $pp = sid('PP');
is(script('check_start', [$acct], check => $pp, value => '192.0.2.7',
    family => 1, keep => 60_000)->[4], 1, 'a one-off at one list');
del($rp);
my $b = begin($acct, $pp, '');
is(cmd('HGET', k('check', $ac, $pp), 'total'), 2,
    'the check uses the lists of the default profile');

# --- limit -----------------------------------------------------------------

add("p$_") for scalar(all()) + 1 .. 1000;
is(scalar all(), 1000, 'a thousand profiles');
is_deeply((add('more'))[1], ['LIMIT', 1000],
    'profile_add refuses a profile beyond 1,000');
is(scalar all(), 1000, 'nothing was added');

done_testing();
