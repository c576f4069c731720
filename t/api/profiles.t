#!/usr/bin/perl

# rblprofiles, rblprofile/{id}, add, update, delete; their aliases; a default
# that moves; entries omitted, empty and given.

use strict;
use warnings;

use RblApi;

my $t = api_setup(lists => 1);
my $redis = $t->{redis};
my $ac = $t->{acct}{sid};

sub profile { return json(call($t, 'GET', "rblprofile/$_[0].json"))->{data}[0] }
sub post { return call($t, 'POST', "rblprofile/$_[0].json", form => $_[1]) }
sub add { return accepted(post('add', { name => 'p', @_ }), 'add')->{data} }
sub update { my $id = shift; return post("update/$id", [@_]) }
sub ids { return [map { $_->{id} }
    @{ json(call($t, 'GET', 'rblprofiles.json?page_size=100'))->{data} }] }
sub default_ids { return join ' ', map { $_->{id} } grep { $_->{is_default} }
    @{ json(call($t, 'GET', 'rblprofiles.json?page_size=100'))->{data} } }

my @system = @{ redis($redis, 'ZRANGE', redis_key('lists:active',
    partition_of($ac)), 0, -1) };
cmp_ok(scalar @system, '>=', 30, 'there are system lists');
my $foreign = do {
    local $t->{acct} = $t->{other};
    accepted(call($t, 'POST', 'rbl/add.json', form => { type => 'rbl',
        host => 'theirs.test' }), 'a list of theirs')->{data}{id};
};
my $custom = accepted(call($t, 'POST', 'rbl/add.json', form => {
    type => 'rbl', host => 'ours.test' }), 'a list of ours')->{data}{id};
my $theirs = record('chosen', redis($redis, 'GET',
    redis_key('chosen', $t->{other}{sid})))->{profile};

# --- the first profile -----------------------------------------------------

my $v = accepted(call($t, 'GET', 'rblprofiles.json'), 'rblprofiles');
is(join(' ', map { $v->{$_} } qw(status_code status_message version page
    total_pages page_size total_rbl_profiles)), '200 OK 3.6 1 1 20 1',
    'rblprofiles has the envelope of one profile');
my $first = $v->{data}[0];
is_deeply($first, { id => $first->{id}, name => 'Default', is_default => 1,
    status => 'active', entries => \@system, total_entries => scalar @system,
    uses_defaults => 1 }, 'the default follows the system lists');
my $r = call($t, 'GET', "rblprofile/$first->{id}.json");
like($r->{body}, qr/"total_rbl_profiles":1,"data":\[\{"id":"RP\w+",
    "name":"Default","is_default":1,"status":"active","entries":\["RB\w+",.*
    "\],"total_entries":\d+,"uses_defaults":1\}\]\}\z/x,
    'the fields of a profile are in their sequence');
is_deeply(accepted($r, 'rblprofile/{id}')->{data}, [$first],
    'rblprofile/{id} returns one profile');

# --- add -------------------------------------------------------------------

$r = post('add', { name => ' <N & "1"> ' });
$v = accepted($r, 'add');
is($v->{status_message}, 'Profile added successfully.',
    'rblprofile/add says that the profile is added');
my $follows = $v->{data};
like($follows->{id}, qr/^RP[0-9a-f]{32}$/, 'a new profile has an id');
is_deeply($follows, { id => $follows->{id}, name => '<N & "1">',
    is_default => 0, status => 'active', entries => \@system,
    total_entries => scalar @system, uses_defaults => 1 },
    'a profile without entries has all active lists');
is_deeply(profile($follows->{id}), $follows, 'the same when it is read');
for my $form ('name=e&entries=', 'name=e&entries[]=', 'name=e&entries=%20') {
    my $none = accepted(post('add', $form), $form)->{data};
    is_deeply([@$none{qw(entries total_entries uses_defaults)}], [[], 0, 0],
        'a profile with empty entries has no lists');
    accepted(post("delete/$none->{id}"), 'an empty profile can be deleted');
}
my $none = accepted(call($t, 'POST', 'rblprofile/add', type =>
    'application/json', body => '{"name": "j", "entries": []}'),
    'an empty list in JSON')->{data};
is_deeply([@$none{qw(entries uses_defaults)}], [[], 0],
    'an empty JSON list gives no lists');
for my $form ("name=s&entries=$system[3],$custom,$system[0]",
    "name=s&entries=$system[3]&entries=$custom&entries=$system[0]",
    "name=s&entries[]=$system[3]&entries[]=$custom&entries[]=$system[0]",
    "name=s&entries[0]=$system[3]&entries[1]=$custom&entries[2]=$system[0]",
    'name=s&entries=' . uc($system[3]) . " , $custom,$system[0],$custom")
{
    my $some = accepted(post('add', $form), substr $form, 0, 20)->{data};
    is_deeply([@$some{qw(entries total_entries uses_defaults)}],
        [[$system[3], $custom, $system[0]], 3, 0],
        'the profile has the given entries');
    accepted(post("delete/$some->{id}"),
        'a profile with entries can be deleted');
}
my $d = add(is_default => 'true');
is($d->{is_default}, 1, 'the new profile is the default');
is(default_ids(), $d->{id}, 'the new default is the only one');
is(add_host($t, '192.0.2.1')->{rbl_profile}, $d->{id},
    'a new host has the new default');
my $some = add(entries => "$system[1],$custom");

# --- refusals --------------------------------------------------------------

my %bad = (
    name => ['', '  ', 'x' x 256, "a\0b", "a\nb", "\xff", "\xc3\xa9" x 256],
    is_default => ['', '2', '-1', 'yes', '01', "\0"],
    entries => [',', "$custom,", ",$custom", "$custom,,$custom", 'x',
        sid_of('RB'), $foreign, "$system[0],$foreign", "$custom $custom",
        $first->{id}, "\0", "RB\xff", 'SYS', "$custom;",
        "$custom,RB" . 'g' x 32],
);
unchanged {
    refused(post('add', {}), 400, qr/^No name value/,
        'an add without fields is refused');
    for my $field (sort keys %bad) {
        for my $value (@{ $bad{$field} }) {
            my $what = "$field " . unpack 'H*', substr $value, 0, 20;
            my $text = qr/^(?:Invalid|No) $field value provided\. Please try/;
            refused(post('add', { name => 'n', $field => $value }), 400,
                $text, "an add with this field is refused: $what");
            refused(update($follows->{id}, $field => $value), 400,
                qr/^Invalid $field value/,
                "an update with this field is refused: $what");
        }
    }
    my %text;
    for my $id (sid_of('RP'), $theirs, 'RP1', 'x', "$d->{id}0", $custom,
        '%ff', '%01')
    {
        my @r = (call($t, 'GET', "rblprofile/$id.json"),
            update($id, name => 'x'), post("delete/$id"));
        refused($_, 404, qr/^Invalid profile id provided\.$/,
            "the profile $id is not found") for @r;
        $text{ $_->{body} }++ for @r;
    }
    is(scalar keys %text, 1, 'all refusals of an id have the same text');
    refused(call($t, 'POST', 'rblprofile/update.json'), 404, qr/profile id/,
        'an update without an id is refused');
    refused(update($d->{id}, is_default => 0), 409,
        qr/^This is the default profile\./,
        'is_default 0 of the default profile is refused');
    refused(update($d->{id}, name => 'x', entries => '', is_default => 0),
        409, qr/default/, 'is_default 0 is refused with other fields, too');
    accepted(update($follows->{id}), 'an update without fields is accepted');
    accepted(update($follows->{id}, is_default => 0),
        'is_default 0 of another profile is accepted');
    refused(post("delete/$d->{id}"), 409,
        qr/^The profile is attached to a host\.$/,
        'a profile in use cannot be deleted');
    for my $try (['add', 'POST'], ["update/$d->{id}", 'POST'],
        ["delete/$d->{id}", 'POST'], [$d->{id}, 'GET, HEAD'])
    {
        my ($path, $allow) = @$try;
        for my $method (qw(GET HEAD POST PUT DELETE PATCH)) {
            next if $allow =~ /$method/;
            $r = call($t, $method, "rblprofile/$path.json");
            is("$r->{status} $r->{headers}{allow}", "405 $allow",
                "$method rblprofile/$path is refused with 405");
        }
    }
} $t, 'refusals';

# --- update ----------------------------------------------------------------

$v = accepted(update($some->{id}, name => ' new '),
    'an update of the name is accepted');
is_deeply($v, { status_code => 200, version => '3.6',
    status_message => 'Profile updated successfully.' },
    'rblprofile/update returns no data');
is_deeply(profile($some->{id}), { %$some, name => 'new' },
    'rblprofile/update changes the name');
accepted(update($follows->{id}, entries => $custom),
    'an update with entries is accepted');
is_deeply([@{ profile($follows->{id}) }{qw(entries uses_defaults)}],
    [[$custom], 0], 'a profile with entries does not follow the system lists');
accepted(update($follows->{id}, entries => ''),
    'an update with empty entries is accepted');
is_deeply([@{ profile($follows->{id}) }{qw(entries total_entries
    uses_defaults)}], [[], 0, 0],
    'the profile with empty entries has no lists');
accepted(update($some->{id}, is_default => 1),
    'another profile can become the default');
is(default_ids(), $some->{id}, 'the updated profile is the only default');
accepted(update($d->{id}, is_default => 0),
    'the former one is not the default');
is(default_ids(), $some->{id},
    'is_default 0 of another profile keeps the default');

# --- the system lists change -----------------------------------------------

my $zone = json(call($t, 'GET', "rbl/$system[2].json"))->{data}[0]{host};
is(rblctl($redis, 'lists', 'disable', $zone)->{status}, 0,
    'rblctl disables a system list');
my @rest = grep { $_ ne $system[2] } @system;
is_deeply([@{ profile($first->{id}) }{qw(entries total_entries)}],
    [\@rest, scalar @rest], 'the default profile follows the system lists');
is(rblctl($redis, 'lists', 'enable', $zone)->{status}, 0,
    'rblctl enables the system list again');
is_deeply(profile($first->{id})->{entries}, \@system,
    'the enabled list is back in its place');

# --- paging, aliases, XML --------------------------------------------------

my @all = @{ ids() };
push @all, add(name => "p$_")->{id} for @all + 1 .. 23;
is_deeply(ids(), \@all, 'profiles are sorted by creation');
my @seen;
for my $page (1 .. 4) {
    # Twice: the second time the page comes from the cache.
    for my $again (0, 1) {
        $v = accepted(call($t, 'GET',
            "rblprofiles.json?page=$page&page_size=7"),
                "page $page of profiles is served");
        is(join(' ', map { $v->{$_} } qw(page total_pages page_size
            total_rbl_profiles)), "$page 4 7 23",
            "page $page has the right counters");
        is(scalar(grep { @{ $_->{entries} } != $_->{total_entries} }
            @{ $v->{data} }), 0, 'all have their entries');
    }
    push @seen, map { $_->{id} } @{ $v->{data} };
}
is_deeply(\@seen, \@all, 'each is on one page');
is_deeply(accepted(call($t, 'GET', 'rblprofiles.json?page=9'), 'past the end')
    ->{data}, [], 'a page past the end is empty');
refused(call($t, 'GET', "rblprofiles.json?$_"), 400, qr/^Invalid page/,
    "rblprofiles.json?$_ is refused")
    for 'page=0', 'page_size=x';

for my $suffix ('.json', '', '/.json') {
    is_deeply(accepted(call($t, 'GET', "monitoringprofiles$suffix"),
        "monitoringprofiles$suffix"), accepted(call($t, 'GET', 'rblprofiles'),
        'rblprofiles'), "monitoringprofiles$suffix equals rblprofiles");
}
$v = accepted(call($t, 'POST', 'monitoringprofile/add/.json',
    form => { name => 'alias' }), 'monitoringprofile/add')->{data};
accepted(call($t, 'POST', "monitoringprofile/update/$v->{id}.json",
    form => { name => 'alias 2' }),
    'monitoringprofile/update changes a profile');
is(accepted(call($t, 'GET', "monitoringprofile/$v->{id}.json"),
    'monitoringprofile/{id}')->{data}[0]{name}, 'alias 2',
    'monitoringprofile/{id} returns the updated profile');
accepted(call($t, 'POST', "monitoringprofile/delete/$v->{id}.json"),
    'monitoringprofile/delete deletes a profile');

accepted(update($some->{id}, name => '<&"> x', entries =>
    "$system[0],$custom"), 'an update with XML characters is accepted');
$r = call($t, 'GET', "rblprofile/$some->{id}.xml");
xml_ok($r->{body}, 'rblprofile/{id}.xml is valid XML');
like($r->{body}, qr{<data><item><id>$some->{id}</id><name>&lt;&amp;.*?&gt;\ x
    </name><is_default>1</is_default><status>active</status>
    <entries><item>$system[0]</item><item>$custom</item></entries>
    <total_entries>2</total_entries><uses_defaults>0</uses_defaults>
    </item></data></response>}x, 'rblprofile/{id}.xml has all fields');
xml_ok(call($t, 'GET', 'rblprofiles.xml')->{body},
    'rblprofiles.xml is valid XML');
$r = call($t, 'POST', 'rblprofile/add.xml', form => { name => 'x',
    entries => '' });
xml_ok($r->{body}, 'rblprofile/add.xml returns valid XML');
like($r->{body}, qr{<data><id>RP\w+</id><name>x</name>},
    'rblprofile/add.xml returns the new profile');
$r = call($t, 'POST', 'rblprofile/delete/x.xml');
is($r->{status}, 404, 'rblprofile/delete/x.xml is not found');
xml_ok($r->{body}, 'is XML');

# --- delete ----------------------------------------------------------------

my ($host) = @{ json(call($t, 'GET', 'hosts.json'))->{data} };
accepted(call($t, 'POST', "host/delete/$host->{id}.json"),
    'the host with the profile is deleted');
$v = accepted(post("delete/$d->{id}"), 'delete');
is_deeply($v, { status_code => 200, version => '3.6',
    status_message => 'Profile deleted successfully.' },
    'rblprofile/delete returns no data');
refused(call($t, 'GET', "rblprofile/$d->{id}.json"), 404, qr/profile id/,
    'a deleted profile is not found');
accepted(post("delete/$some->{id}"), 'the default profile can be deleted');
my $new = default_ids();
like($new, qr/^RP\w{32}$/, 'exactly one other is the default');
for my $id (grep { $_ ne $new } @{ ids() }) {
    post("delete/$id");
}
is_deeply(ids(), [$new], 'all but one are deleted');
unchanged {
    refused(post("delete/$new"), 409, qr/^The last profile cannot be deleted/,
        'the last profile cannot be deleted');
} $t, 'the last profile';

# --- accounts without access -----------------------------------------------

my $free = { %$t, acct => make_account($redis, free => 1) };
unchanged {
    my %text;
    for my $path ('rblprofiles.json', 'rblprofiles.json?page=x',
        map { "rblprofile/$_.json" } $new, sid_of('RP'), 'x')
    {
        $r = call($free, 'GET', $path);
        refused($r, 403, qr/paid plan/, "a free account may not read $path");
        $text{ $r->{body} }++;
    }
    for my $call (['add', {}], ['add', { name => 'x' }], ["update/$new", {}],
        ['update/x', { name => '' }], ["delete/$new", undef],
        ['delete/x', undef])
    {
        $r = call($free, 'POST', "rblprofile/$call->[0].json",
            $call->[1] ? (form => $call->[1]) : ());
        refused($r, 403, qr/paid plan/,
            "a free account may not call $call->[0]");
        $text{ $r->{body} }++;
    }
    is(scalar keys %text, 1,
        'all refusals of a free account have the same text');
} $t, 'a free account';
for my $path ('rblprofiles.json', "rblprofile/$new.json") {
    is(call($t, 'GET', $path, auth => undef)->{status}, 401,
        "$path is refused without credentials");
}

# --- unexpected contents of the store --------------------------------------

my $key = redis_key('r', $ac, $new);
my $raw = redis($redis, 'GET', $key);
redis($redis, 'SET', $key, 'x');
is(call($t, 'GET', "rblprofile/$new.json")->{status}, 500,
    'a profile with an invalid record is refused');
accepted(call($t, 'GET', 'rblprofiles.json'),
    'a page with an invalid record is served');
redis($redis, 'SET', $key, $raw);
accepted(call($t, 'GET', "rblprofile/$new.json"),
    'a profile is served when its record is repaired');

done_testing();
