#!/usr/bin/perl

# The calls of the portal about what contacts are told: the least weight of a
# contact, and mutes, and what they refuse.  rblctl sees the same, and the API
# shows none of it.

use strict;
use warnings;

use Test::More;

use RblPortal;

my $t = portal_setup();
my $ac = $t->{acct}{sid};
my $owner = sign_in($t);
my $viewer = sign_in($t, role => 'viewer');

sub post { return portal($t, $owner, 'POST', "$_[0].json", fields => $_[1]) }
sub get { return portal($t, $_[1] // $owner, 'GET', $_[0]) }
sub data { return accepted(@_)->{data} }
sub ctl { return rblctl($t->{redis}, '--json', @_) }

# --- the least weight of a contact -------------------------------------------

my $co = data(post('contact/add', { type => 'email', schedule => 'every_check',
    contact => 'ops@example.net' }), 'a contact is added')->{id};
my $is = data(get("contact/alerts/$co.json"), 'what a contact is told');
is($is->{weight}, 'info', 'a contact is told every weight at first');
is($is->{contact}{id}, $co, 'the response has the contact');
accepted(post("contact/alert/$co", { weight => 'high' }),
    'a contact gets a weight');
is(data(get("contact/alerts/$co.json", $viewer), 'a viewer reads the weight')
    ->{weight}, 'high', 'a viewer sees the weight');
my ($row) = @{ json(ctl('contact', 'list', $ac)->{out}) };
is_deeply([@$row{qw(weight)}, $row->{contact}{id}], ['high', $co],
    'rblctl contact list shows it');
is(ctl('contact', 'alert', $ac, $co, '--weight', 'critical')->{status}, 0,
    'rblctl contact alert changes it');
is(data(get("contact/alerts/$co.json"), 'the owner reads the weight')->{weight},
    'critical', 'the portal shows what rblctl has set');
is_deeply([sort keys %{ data(get("contact/$co.json"), 'the contact')->[0] }],
    [qw(contact contact_group id schedule status type)],
    'the call of the API shows no weight');
for my $weight ('', 'Critical', 'minor', '4') {
    refused(post("contact/alert/$co", { weight => $weight }), 400, qr/weight/,
        "the weight '$weight' is refused");
}
accepted(post("contact/alert/$co", {}), 'a change of nothing');
is_deeply([@{ data(get("contact/alerts/$co.json"), 'the contact is read') }{
    qw(weight rhythm quiet after checks)}], ['critical', 'now', 'none', 0, 1],
    'a contact is notified at once at first');
accepted(post("contact/alert/$co", { rhythm => 'weekly fri 17:30',
    quiet => '22:00-06:30', after => 90, checks => 5 }), 'a contact gets times');
is_deeply([@{ data(get("contact/alerts/$co.json"), 'the contact is read') }{
    qw(weight rhythm quiet after checks)}],
    ['critical', 'weekly fri 17:30', '22:00-06:30', 90, 5],
    'the times are shown');
for (['rhythm', 'daily'], ['rhythm', 'daily 8:00'], ['rhythm', 'Daily 08:00'],
    ['rhythm', 'weekly 08:00'], ['rhythm', ''], ['quiet', '22:00'],
    ['quiet', '08:00-08:00'], ['quiet', '22:00-24:00'], ['quiet', ''],
    ['after', -1], ['after', 10_081], ['after', '1h'], ['checks', 0],
    ['checks', 6])
{
    my ($field, $value) = @$_;
    refused(post("contact/alert/$co", { $field => $value }), 400,
        qr/\Q$field\E/, "$field '$value' is refused");
}
is(ctl('contact', 'alert', $ac, $co, '--rhythm', 'now', '--quiet', 'none',
    '--after', '0', '--checks', '1')->{status}, 0,
    'rblctl contact alert takes the times away');
refused(post('contact/alert/' . sid_of('CO'), { weight => 'high' }), 404,
    qr/contact/, 'a contact that does not exist is refused');

# --- mutes -------------------------------------------------------------------

my $ht = data(post('host/add', { type => 'rbl', name => 'mx1',
    host => '198.51.100.7' }), 'a host is added')->[0]{id};
is_deeply(data(get('mutes.json'), 'no mutes'), [], 'there are no mutes');
my $made = data(post('mute/add', { target => $ht, until => '12h',
    reason => ' ticket 4711 ' }), 'a host is muted');
is_deeply([@$made{qw(target name reason active)}], [$ht, 'mx1', 'ticket 4711',
    1], 'the response has the mute');
like($made->{id}, qr/^MU[0-9a-f]{32}$/, 'a mute has an id');
my $all = accepted(get('mutes.json', $viewer), 'a viewer reads the mutes');
is_deeply([$all->{total_mutes}, $all->{data}], [1, [$made]],
    'the list of mutes has the new one');
is_deeply([map { $_->{id} } @{ json(ctl('mute', 'list', $ac)->{out}) }],
    [$made->{id}], 'rblctl mute list has it');
isnt(ctl('mute', 'add', $ac, '2099-01-01T00:00', 'x')->{status}, 0,
    'rblctl refuses a mute that lasts too long');
ok(ctl('mute', 'add', $ac, '90m', 'window')->{status} == 0,
    'rblctl mutes the account');
is(accepted(get('mutes.json'), 'both')->{total_mutes}, 2,
    'the portal shows both');
accepted(post("mute/end/$made->{id}"), 'a mute is ended');
my ($one) = grep { $_->{id} eq $made->{id} }
    @{ data(get('mutes.json'), 'the mutes after that') };
is($one->{active}, 0, 'the portal shows that the mute is over');
accepted(post("mute/end/$made->{id}"), 'a mute is ended again');
refused(post('mute/end/' . sid_of('MU')), 404, qr/mute/,
    'a mute that does not exist is refused');

for my $case ([{ until => '2020-01-01T00:00' }, qr/to come/, 'a past end'],
    [{ until => 'tomorrow' }, qr/until/, 'an end that is no time'],
    [{ until => '367d' }, qr/at most 366 days/, 'an end that is too late'],
    [{ until => '' }, qr/until/, 'no end'],
    [{ reason => '' }, qr/reason/, 'no reason'],
    [{ reason => 'x' x 201 }, qr/reason/, 'a long reason'],
    [{ target => $ac }, qr/target/, 'an account as the target'],
    [{ target => 'x' }, qr/target/, 'a target that is no id'],
    [{ target => sid_of('HT') }, qr/target/, 'a host that does not exist'],
    [{ target => sid_of('RB') }, qr/target/, 'a list that does not exist'])
{
    my ($fields, $text, $name) = @$case;
    refused(post('mute/add', { until => '1h', reason => 'r', %$fields }), 400,
        $text, "$name is refused");
}
is(portal($t, $viewer, 'POST', 'mute/add.json', fields => { until => '1h',
    reason => 'r' })->{status}, 403, 'a viewer mutes nothing');

# --- a list within a group -------------------------------------------------

my $list = data(post('rbl/add', { type => 'rbl', host => 'own.example.net' }),
    'a list is added')->{id};
my $group = data(post('contactgroup/add', { name => 'night' }),
    'a group is added')->{id};
my $within = data(post('mute/add', { target => $list, group => $group,
    until => '1h', reason => 'r' }), 'a list is muted within a group');
is_deeply([@$within{qw(target name group group_name open)}], [$list,
    'own.example.net', $group, 'night', 1],
    'the response has the list and the group');
is_deeply([@$made{qw(group group_name)}], ['', ''],
    'another mute is within no group');
my $twice = data(post('mute/add', { target => $list, group => $group,
    until => '1h', reason => 'r' }), 'the same is muted twice');
isnt($twice->{id}, $within->{id}, 'the second mute is another one');
is(ctl('mute', 'add', $ac, '2h', 'r', '--target', $list, '--group', $group)
    ->{status}, 0, 'rblctl mutes a list within a group');
like(rblctl($t->{redis}, 'mute', 'list', $ac)->{out},
    qr/own\.example\.net\s+night/, 'rblctl mute list shows the group');
for my $case ([{ target => $ht }, 'a host within a group'],
    [{ target => '' }, 'the account within a group'],
    [{ target => $group }, 'a group within a group'],
    [{ group => sid_of('CG') }, 'a list within a group that does not exist'],
    [{ group => $ht }, 'a list within a host'],
    [{ group => "$group,$group" }, 'a list within two groups'])
{
    my ($fields, $name) = @$case;
    refused(post('mute/add', { until => '1h', reason => 'r', target => $list,
        group => $group, %$fields }), 400, qr/group/, "$name is refused");
}
sub open_mutes { return grep { $_->{open} && $_->{target} eq $list }
    @{ data(get('mutes.json?page_size=100'), 'the mutes now') } }
is(scalar(open_mutes()), 3, 'the list is muted three times');
accepted(call($t, 'POST', "contactgroup/delete/$group.json"),
    'the API deletes a group that is muted');
is(scalar(open_mutes()), 0, 'the mutes within a group end with it');
data(post('mute/add', { target => $list, until => '1h', reason => 'r' }),
    'the list is muted');
accepted(call($t, 'POST', "rbl/delete/$list.json"),
    'the API deletes a list that is muted');
is(scalar(open_mutes()), 0, 'the mutes of an own list end with it');

# --- mutes that begin later, and windows -------------------------------------

my $later = data(post('mute/add', { target => $ht, begin => '2h',
    until => '90m', reason => 'new racks' }), 'a host is muted in two hours');
is_deeply([@$later{qw(active open repeat minutes)}], [1, 0, 'none', 0],
    'a mute that begins later is not open');
cmp_ok($later->{begins}, 'gt', $later->{made}, 'a mute begins after it was made');
is($later->{until}, $later->{ends}, 'a mute is over when it ends');
my $window = data(post('mute/add', { until => 'never', reason => 'backups',
    repeat => 'weekly sat,sun 02:00', minutes => 90 }), 'a mute is repeated');
is_deeply([@$window{qw(active open repeat minutes until begins ends)}],
    [1, 0, 'weekly sat,sun 02:00', 90, '', '', ''],
    'the next time is not known until a daemon has found it');
my ($shown) = grep { $_->{id} eq $window->{id} }
    @{ data(get('mutes.json'), 'the mutes with it') };
is_deeply($shown, $window, 'the list of mutes has the one that is repeated');
is(ctl('mute', 'add', $ac, '30d', 'window', '--target', $ht, '--repeat',
    'daily 22:00', '--minutes', 30, '--begin', '1d')->{status}, 0,
    'rblctl adds a mute that is repeated');
accepted(post("mute/end/$window->{id}"), 'a mute that is repeated is ended');
($shown) = grep { $_->{id} eq $window->{id} }
    @{ data(get('mutes.json'), 'the mutes after its end') };
is_deeply([@$shown{qw(active open repeat)}], [0, 0, 'none'],
    'a mute that was ended is over');

for my $case ([{ begin => 'soon' }, qr/begin/, 'a begin that is no time'],
    [{ begin => '2099-01-01T00:00', until => '1h' }, qr/within 366 days/,
        'a begin that is too late'],
    [{ begin => '2h', until => '2020-01-01T00:00' }, qr/to come/,
        'an end before the begin'],
    [{ until => 'never' }, qr/until/, 'a mute without an end'],
    [{ repeat => 'daily 22:00' }, qr/minutes/, 'a window without minutes'],
    [{ minutes => 90 }, qr/repeat/, 'minutes of a mute that is not repeated'],
    [{ repeat => 'daily 22:00', minutes => 0 }, qr/minutes/,
        'a window of no minutes'],
    [{ repeat => 'daily 22:00', minutes => 1440 }, qr/minutes/,
        'a window that does not end before it begins again'],
    map { [{ repeat => $_, minutes => 90 }, qr/repeat/, "the rule '$_'"] }
        'hourly', 'now', 'daily', 'daily 24:00', 'weekly 22:00',
        'weekly sat,sat 22:00', 'Daily 22:00')
{
    my ($fields, $text, $name) = @$case;
    refused(post('mute/add', { until => '1h', reason => 'r', %$fields }), 400,
        $text, "$name is refused");
}
my $fsck = rblctl($t->{redis}, 'fsck');
is($fsck->{status}, 0, 'fsck finds no fault') or diag($fsck->{out});
done_testing();
