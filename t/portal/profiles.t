#!/usr/bin/perl

# Profiles that follow the system lists but some: what the calls of the portal
# and rblctl make, what the calls of the API show of it, and that the profile
# follows as the operator enables and disables lists.

use strict;
use warnings;

use RblPortal;

my $t = portal_setup(lists => 1);
my $me = sign_in($t, role => 'admin');
my $sid = $t->{acct}{sid};

sub get { return accepted(portal($t, $me, 'GET', "$_[0].json"), $_[0]) }
sub post { return portal($t, $me, 'POST', "$_[0].json", fields => $_[1]) }
sub changed { return accepted(post(@_), $_[0]) }
sub of_api { return accepted(call($t, 'GET', "rblprofile/$_[0].json"),
    'rblprofile')->{data}[0] }
sub ctl {
    my $r = rblctl($t->{redis}, @_);
    die "rblctl @_: $r->{err}" if $r->{status} != 0;
    return $r->{out};
}

my @system = map { $_->{id} } grep { !$_->{custom} }
    @{ get('rbls')->{data} ? accepted(portal($t, $me, 'GET',
        'rbls.json?page_size=1000'), 'rbls')->{data} : [] };
my $own = changed('rbl/add', { type => 'rbl', host => 'own.test' })
    ->{data}{id};
my ($out, $second, @rest) = @system;

# --- made by the portal ------------------------------------------------------

my $made = changed('profile/add', { name => 'most', except => "$out,$second" })
    ->{data};
my $rp = $made->{profile}{id};
is_deeply($made, { except => [$out, $second], profile => { id => $rp,
    name => 'most', is_default => 0, status => 'active', entries => \@rest,
    total_entries => scalar @rest, uses_defaults => 1 } },
    'profile/add makes a profile with all lists but those');
is_deeply(get("profile/$rp")->{data}, $made, 'profile shows it');
my ($listed) = grep { $_->{profile}{id} eq $rp } @{ get('profiles')->{data} };
is_deeply($listed, $made, 'profiles shows it');
is_deeply(of_api($rp), $made->{profile},
    'the API shows the lists that the profile has, and no more');
my ($default) = grep { $_->{profile}{is_default} } @{ get('profiles')->{data} };
is_deeply([$default->{except}, $default->{profile}{total_entries}],
    [[], scalar @system], 'the default profile leaves none out');

# --- it follows the catalogue ------------------------------------------------

my $ht = changed('host/add', { host => '198.51.100.7', name => 'h',
    type => 'rbl', rbl_profile => $rp })->{data}[0]{id};
sub asked {
    my $c = accepted(call($t, 'POST', 'check/start.json',
        form => { host => $ht, details => 1 }), 'check/start')->{data};
    redis($t->{redis}, 'DEL', map { redis_key($_, $sid) } 'manual');
    redis($t->{redis}, 'HDEL', redis_key('flight', partition_of($sid)),
        "$sid:$ht");
    return { map { $_->{id} => 1 } @{ $c->{rbls} } };
}
my %kind = map { $_->{id} => $_ } @{ accepted(portal($t, $me, 'GET',
    'rbls.json?page_size=1000'), 'rbls')->{data} };
my @for = grep { $kind{$_}{type} eq 'rbl'
    && grep { $_ eq 'ipv4' } @{ $kind{$_}{families} } } @rest;
is_deeply([sort keys %{ asked() }], [sort @for],
    'a host is checked at the lists of its kind that are not left out');
ctl('lists', 'disable', $for[0]);
is(asked()->{ $for[0] }, undef, 'a list that is disabled is not used');
is(of_api($rp)->{total_entries}, @rest - 1, 'the profile has one list less');
my ($off) = map { $_->{zone} } grep { !($_->{enabled} // 1) && !$_->{killed}
    && $_->{type} eq 'rbl' && $_->{zone} !~ /\{key\}/
    && grep { $_ eq 'ipv4' } @{ $_->{families} } }
    @{ json(read_file(repo_dir() . '/conf/lists.json'))->{lists} };
my $n = keys %{ asked() };
ctl('lists', 'enable', $off);
is(scalar keys %{ asked() }, $n + 1, 'a list that is enabled is used');
is(of_api($rp)->{total_entries}, scalar @rest, 'the profile has it');
ctl('lists', 'disable', $out);
ctl('lists', 'enable', $out);
is(asked()->{$out}, undef, 'a list that is left out stays out');
ctl('lists', 'kill', $second, 'gone');
is_deeply(get("profile/$rp")->{data}{except}, [$out, $second],
    'a list that is killed stays left out');
is(changed("profile/update/$rp", { except => "$out,$second" })
    ->{status_message}, 'Profile updated successfully.',
    'a list that was killed since may stay left out');
ctl('lists', 'unkill', $second);
ctl('lists', 'disable', $off);
ctl('lists', 'enable', $for[0]);

# --- changes -----------------------------------------------------------------

changed("profile/update/$rp", { name => 'nearly all' });
is_deeply(get("profile/$rp")->{data}{except}, [$out, $second],
    'another name changes no list');
accepted(call($t, 'POST', "rblprofile/update/$rp.json",
    form => { name => 'renamed', is_default => 1 }),
    'the API renames the profile');
is_deeply([@{ get("profile/$rp")->{data} }{'except'}, of_api($rp)->{name}],
    [[$out, $second], 'renamed'],
    'a change by the API that gives no entries keeps the lists');
accepted(call($t, 'POST', "rblprofile/update/$rp.json",
    form => { entries => "$out,$own" }), 'the API gives it entries');
is_deeply(get("profile/$rp")->{data}{except}, [],
    'entries of the API end that lists are left out');
is_deeply([@{ of_api($rp) }{qw(entries uses_defaults)}], [[$out, $own], 0],
    'the profile has those entries');
changed("profile/update/$rp", { except => $second });
is_deeply([@{ get("profile/$rp")->{data}{profile} }{qw(uses_defaults
    total_entries)}], [1, @system - 1],
    'profile/update has the profile follow again');
changed("profile/update/$rp", { except => '' });
is_deeply([get("profile/$rp")->{data}{except}, of_api($rp)->{entries}],
    [[], \@system], 'an empty except leaves none out');
changed("profile/update/$rp", { except => "$out,$out" });
is_deeply(get("profile/$rp")->{data}{except}, [$out],
    'a list that is given twice is left out once');
changed("profile/update/$rp", { except => join ',', @system });
is_deeply(of_api($rp)->{entries}, [], 'all lists may be left out');
is(scalar keys %{ asked() }, 0, 'a host is then checked at none');

# --- refusals ----------------------------------------------------------------

my $foreign = do {
    local $t->{acct} = $t->{other};
    accepted(call($t, 'POST', 'rbl/add.json', form => { type => 'rbl',
        host => 'theirs.test' }), 'a list of theirs')->{data}{id};
};
my $before = get("profile/$rp")->{data};
for my $bad ($own, $foreign, sid_of('RB'), $rp, 'x', "$out,$own") {
    refused(post("profile/update/$rp", { except => $bad, name => 'bad' }), 400,
        qr/^Invalid except value/, "profile/update refuses $bad");
    refused(post('profile/add', { except => $bad, name => 'bad' }), 400,
        qr/^Invalid except value/, "profile/add refuses $bad");
}
is_deeply(get("profile/$rp")->{data}, $before,
    'a refused change changes nothing');
refused(post('profile/add', { except => $out }), 400, qr/name/,
    'profile/add needs a name');
refused(post("profile/update/$rp", { is_default => 0 }), 409, qr/default/,
    'the default profile stays one');
refused(call($t, 'GET', 'profiles.json'), 404, qr/./,
    'the API has no such call');

# --- rblctl ------------------------------------------------------------------

my $made_by = json(ctl('--json', 'profile', 'add', $sid, 'By hand',
    '--except', "$kind{$out}{host},$second"));
is_deeply($made_by->{except}, [$out, $second],
    'rblctl profile add takes zones and ids');
my $id = $made_by->{profile}{id};
is_deeply(json(ctl('--json', 'profile', 'except', $sid, $id,
    uc $kind{ $rest[0] }{host}))->{except}, [$rest[0]],
    'rblctl profile except changes what is left out');
is_deeply(json(ctl('--json', 'profile', 'except', $sid, $id, '--none'))
    ->{except}, [], 'rblctl profile except --none leaves none out');
like(ctl('profile', 'list', $sid), qr/^\Q$id\E +By hand +0 +1 +\d+/m,
    'rblctl profile list shows it');
like(ctl('profile', 'show', $sid, $id), qr/^name +By hand$/m,
    'rblctl profile show shows it');
for my $bad ('nowhere.test', 'own.test', '', 'x,') {
    my $r = rblctl($t->{redis}, 'profile', 'except', $sid, $id, $bad);
    isnt($r->{status}, 0, "rblctl refuses '$bad'");
}
# The checks above were taken away.
unlike(rblctl($t->{redis}, 'fsck')->{out}, qr/ (?:entries|damaged) /,
    'fsck finds no fault of a profile');
done_testing();
