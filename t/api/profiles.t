#!/usr/bin/perl

# rblprofiles, rblprofile/{id}, add, update, delete; their aliases; a default
# that moves; entries omitted, empty and given.

use strict;
use warnings;

use RblApi;

my $t = api_setup();
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
my $theirs = record('account', redis($redis, 'GET',
    redis_key('acct', $t->{other}{sid})))->{profile};

# --- the first profile -----------------------------------------------------

my $v = accepted(call($t, 'GET', 'rblprofiles.json'), 'rblprofiles');
is(join(' ', map { $v->{$_} } qw(status_code status_message version page
    total_pages page_size total_rbl_profiles)), '200 OK 3.6 1 1 20 1',
    'the envelope');
my $first = $v->{data}[0];
is_deeply($first, { id => $first->{id}, name => 'Default', is_default => 1,
    status => 'active', entries => \@system, total_entries => scalar @system,
    uses_defaults => 1 }, 'the default follows the system lists');
my $r = call($t, 'GET', "rblprofile/$first->{id}.json");
like($r->{body}, qr/"total_rbl_profiles":1,"data":\[\{"id":"RP\w+",
    "name":"Default","is_default":1,"status":"active","entries":\["RB\w+",.*
    "\],"total_entries":\d+,"uses_defaults":1\}\]\}\z/x,
    'fields in their sequence');
is_deeply(accepted($r, 'rblprofile/{id}')->{data}, [$first], 'one profile');

# --- add -------------------------------------------------------------------

$r = post('add', { name => ' <N & "1"> ' });
$v = accepted($r, 'add');
is($v->{status_message}, 'Profile added successfully.', 'message');
my $follows = $v->{data};
like($follows->{id}, qr/^RP[0-9a-f]{32}$/, 'an id');
is_deeply($follows, { id => $follows->{id}, name => '<N & "1">',
    is_default => 0, status => 'active', entries => \@system,
    total_entries => scalar @system, uses_defaults => 1 },
    'without entries: all active lists');
is_deeply(profile($follows->{id}), $follows, 'the same when it is read');
for my $form ('name=e&entries=', 'name=e&entries[]=', 'name=e&entries=%20') {
    my $none = accepted(post('add', $form), $form)->{data};
    is_deeply([@$none{qw(entries total_entries uses_defaults)}], [[], 0, 0],
        'entries given and empty: no lists');
    accepted(post("delete/$none->{id}"), 'delete');
}
my $none = accepted(call($t, 'POST', 'rblprofile/add', type =>
    'application/json', body => '{"name": "j", "entries": []}'),
    'an empty list in JSON')->{data};
is_deeply([@$none{qw(entries uses_defaults)}], [[], 0], 'is given and empty');
for my $form ("name=s&entries=$system[3],$custom,$system[0]",
    "name=s&entries=$system[3]&entries=$custom&entries=$system[0]",
    "name=s&entries[]=$system[3]&entries[]=$custom&entries[]=$system[0]",
    "name=s&entries[0]=$system[3]&entries[1]=$custom&entries[2]=$system[0]",
    'name=s&entries=' . uc($system[3]) . " , $custom,$system[0],$custom")
{
    my $some = accepted(post('add', $form), substr $form, 0, 20)->{data};
    is_deeply([@$some{qw(entries total_entries uses_defaults)}],
        [[$system[3], $custom, $system[0]], 3, 0], 'entries given');
    accepted(post("delete/$some->{id}"), 'delete');
}
my $d = add(is_default => 'true');
is($d->{is_default}, 1, 'a new default');
is(default_ids(), $d->{id}, 'is the only default');
is(add_host($t, '192.0.2.1')->{rbl_profile}, $d->{id}, 'and used');
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
    refused(post('add', {}), 400, qr/^No name value/, 'add: nothing given');
    for my $field (sort keys %bad) {
        for my $value (@{ $bad{$field} }) {
            my $what = "$field " . unpack 'H*', substr $value, 0, 20;
            my $text = qr/^(?:Invalid|No) $field value provided\. Please try/;
            refused(post('add', { name => 'n', $field => $value }), 400,
                $text, "add: $what");
            refused(update($follows->{id}, $field => $value), 400,
                qr/^Invalid $field value/, "update: $what");
        }
    }
    my %text;
    for my $id (sid_of('RP'), $theirs, 'RP1', 'x', "$d->{id}0", $custom,
        '%ff', '%01')
    {
        my @r = (call($t, 'GET', "rblprofile/$id.json"),
            update($id, name => 'x'), post("delete/$id"));
        refused($_, 404, qr/^Invalid profile id provided\.$/, $id) for @r;
        $text{ $_->{body} }++ for @r;
    }
    is(scalar keys %text, 1, 'one text for all');
    refused(call($t, 'POST', 'rblprofile/update.json'), 404, qr/profile id/,
        'no id');
    refused(update($d->{id}, is_default => 0), 409,
        qr/^This is the default profile\./, '0 on the default');
    refused(update($d->{id}, name => 'x', entries => '', is_default => 0),
        409, qr/default/, 'with other fields');
    accepted(update($follows->{id}), 'nothing given');
    accepted(update($follows->{id}, is_default => 0), '0 on another');
    refused(post("delete/$d->{id}"), 409,
        qr/^The profile is attached to a host\.$/, 'in use');
    for my $try (['add', 'POST'], ["update/$d->{id}", 'POST'],
        ["delete/$d->{id}", 'POST'], [$d->{id}, 'GET, HEAD'])
    {
        my ($path, $allow) = @$try;
        for my $method (qw(GET HEAD POST PUT DELETE PATCH)) {
            next if $allow =~ /$method/;
            $r = call($t, $method, "rblprofile/$path.json");
            is("$r->{status} $r->{headers}{allow}", "405 $allow",
                "$method $path");
        }
    }
} $t, 'refusals';

# --- update ----------------------------------------------------------------

$v = accepted(update($some->{id}, name => ' new '), 'a name');
is_deeply($v, { status_code => 200, version => '3.6',
    status_message => 'Profile updated successfully.' }, 'no data');
is_deeply(profile($some->{id}), { %$some, name => 'new' }, 'is changed');
accepted(update($follows->{id}, entries => $custom), 'entries');
is_deeply([@{ profile($follows->{id}) }{qw(entries uses_defaults)}],
    [[$custom], 0], 'with entries it does not follow the system lists');
accepted(update($follows->{id}, entries => ''), 'no entries');
is_deeply([@{ profile($follows->{id}) }{qw(entries total_entries
    uses_defaults)}], [[], 0, 0], 'no lists');
accepted(update($some->{id}, is_default => 1), 'another default');
is(default_ids(), $some->{id}, 'it moved');
accepted(update($d->{id}, is_default => 0),
    'the former one is not the default');
is(default_ids(), $some->{id}, 'still');

# --- the system lists change -----------------------------------------------

my $zone = json(call($t, 'GET', "rbl/$system[2].json"))->{data}[0]{host};
is(rblctl($redis, 'lists', 'disable', $zone)->{status}, 0, 'a list goes');
my @rest = grep { $_ ne $system[2] } @system;
is_deeply([@{ profile($first->{id}) }{qw(entries total_entries)}],
    [\@rest, scalar @rest], 'the default profile follows');
is(rblctl($redis, 'lists', 'enable', $zone)->{status}, 0, 'it comes back');
is_deeply(profile($first->{id})->{entries}, \@system, 'in its place');

# --- paging, aliases, XML --------------------------------------------------

my @all = @{ ids() };
push @all, add(name => "p$_")->{id} for @all + 1 .. 23;
is_deeply(ids(), \@all, 'sorted by creation');
my @seen;
for my $page (1 .. 4) {
    # Twice: the second time the page comes from the cache.
    for my $again (0, 1) {
        $v = accepted(call($t, 'GET',
            "rblprofiles.json?page=$page&page_size=7"), "page $page");
        is(join(' ', map { $v->{$_} } qw(page total_pages page_size
            total_rbl_profiles)), "$page 4 7 23", 'numbers');
        is(scalar(grep { @{ $_->{entries} } != $_->{total_entries} }
            @{ $v->{data} }), 0, 'all have their entries');
    }
    push @seen, map { $_->{id} } @{ $v->{data} };
}
is_deeply(\@seen, \@all, 'each is on one page');
is_deeply(accepted(call($t, 'GET', 'rblprofiles.json?page=9'), 'past the end')
    ->{data}, [], 'is empty');
refused(call($t, 'GET', "rblprofiles.json?$_"), 400, qr/^Invalid page/, $_)
    for 'page=0', 'page_size=x';

for my $suffix ('.json', '', '/.json') {
    is_deeply(accepted(call($t, 'GET', "monitoringprofiles$suffix"),
        "monitoringprofiles$suffix"), accepted(call($t, 'GET', 'rblprofiles'),
        'rblprofiles'), 'the same');
}
$v = accepted(call($t, 'POST', 'monitoringprofile/add/.json',
    form => { name => 'alias' }), 'monitoringprofile/add')->{data};
accepted(call($t, 'POST', "monitoringprofile/update/$v->{id}.json",
    form => { name => 'alias 2' }), 'monitoringprofile/update');
is(accepted(call($t, 'GET', "monitoringprofile/$v->{id}.json"),
    'monitoringprofile/{id}')->{data}[0]{name}, 'alias 2', 'the same profile');
accepted(call($t, 'POST', "monitoringprofile/delete/$v->{id}.json"),
    'monitoringprofile/delete');

accepted(update($some->{id}, name => '<&"> x', entries =>
    "$system[0],$custom"), 'a name for XML');
$r = call($t, 'GET', "rblprofile/$some->{id}.xml");
xml_ok($r->{body}, 'XML of one');
like($r->{body}, qr{<data><item><id>$some->{id}</id><name>&lt;&amp;.*?&gt;\ x
    </name><is_default>1</is_default><status>active</status>
    <entries><item>$system[0]</item><item>$custom</item></entries>
    <total_entries>2</total_entries><uses_defaults>0</uses_defaults>
    </item></data></response>}x, 'its fields');
xml_ok(call($t, 'GET', 'rblprofiles.xml')->{body}, 'XML of all');
$r = call($t, 'POST', 'rblprofile/add.xml', form => { name => 'x',
    entries => '' });
xml_ok($r->{body}, 'XML of an added one');
like($r->{body}, qr{<data><id>RP\w+</id><name>x</name>}, 'an object');
$r = call($t, 'POST', 'rblprofile/delete/x.xml');
is($r->{status}, 404, 'a refusal in XML');
xml_ok($r->{body}, 'is XML');

# --- delete ----------------------------------------------------------------

my ($host) = @{ json(call($t, 'GET', 'hosts.json'))->{data} };
accepted(call($t, 'POST', "host/delete/$host->{id}.json"), 'no host');
$v = accepted(post("delete/$d->{id}"), 'delete');
is_deeply($v, { status_code => 200, version => '3.6',
    status_message => 'Profile deleted successfully.' }, 'no data');
refused(call($t, 'GET', "rblprofile/$d->{id}.json"), 404, qr/profile id/,
    'does not exist');
accepted(post("delete/$some->{id}"), 'delete the default');
my $new = default_ids();
like($new, qr/^RP\w{32}$/, 'exactly one other is the default');
for my $id (grep { $_ ne $new } @{ ids() }) {
    post("delete/$id");
}
is_deeply(ids(), [$new], 'all but one are deleted');
unchanged {
    refused(post("delete/$new"), 409, qr/^The last profile cannot be deleted/,
        'the last one');
} $t, 'the last profile';

# --- accounts without access -----------------------------------------------

my $free = { %$t, acct => make_account($redis, free => 1) };
unchanged {
    my %text;
    for my $path ('rblprofiles.json', 'rblprofiles.json?page=x',
        map { "rblprofile/$_.json" } $new, sid_of('RP'), 'x')
    {
        $r = call($free, 'GET', $path);
        refused($r, 403, qr/paid plan/, "a free account: $path");
        $text{ $r->{body} }++;
    }
    for my $call (['add', {}], ['add', { name => 'x' }], ["update/$new", {}],
        ['update/x', { name => '' }], ["delete/$new", undef],
        ['delete/x', undef])
    {
        $r = call($free, 'POST', "rblprofile/$call->[0].json",
            $call->[1] ? (form => $call->[1]) : ());
        refused($r, 403, qr/paid plan/, "a free account: $call->[0]");
        $text{ $r->{body} }++;
    }
    is(scalar keys %text, 1, 'one text for all');
} $t, 'a free account';
for my $path ('rblprofiles.json', "rblprofile/$new.json") {
    is(call($t, 'GET', $path, auth => undef)->{status}, 401,
        "no credentials: $path");
}

# --- unexpected contents of the store --------------------------------------

my $key = redis_key('r', $ac, $new);
my $raw = redis($redis, 'GET', $key);
redis($redis, 'SET', $key, 'x');
is(call($t, 'GET', "rblprofile/$new.json")->{status}, 500,
    'an invalid record');
accepted(call($t, 'GET', 'rblprofiles.json'), 'in a page it is left out');
redis($redis, 'SET', $key, $raw);
accepted(call($t, 'GET', "rblprofile/$new.json"), 'and as it was');

done_testing();
