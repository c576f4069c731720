#!/usr/bin/perl

# Contact groups: reads, add, update, delete; the plural paths; one default.

use strict;
use warnings;

use RblApi;

my $t = api_setup();
my $redis = $t->{redis};
my $ac = $t->{acct}{sid};
my $added = 0;

sub account { return record('chosen', redis($redis, 'GET',
    redis_key('chosen', $_[0] // $ac))) }
sub group { return json(call($t, 'GET', "contactgroup/$_[0].json"))->{data}[0] }
sub groups { return json(call($t, 'GET',
    'contactgroups.json?page_size=1000'))->{data} }
sub defaults { return join ' ', map { $_->{id} }
    grep { $_->{is_default} } @{ groups() } }
sub add {
    my ($name, @form) = @_;
    my $v = accepted(call($t, 'POST', 'contactgroup/add.json',
        form => [name => $name, @form]),
            "contactgroup/add adds the group $name");
    return $v->{data};
}
sub write_to {
    my ($verb, $id, @form) = @_;
    return call($t, 'POST', "contactgroup/$verb/$id.json",
        @form ? (form => [@form]) : ());
}

my $first = account()->{group};
my $theirs = account($t->{other}{sid})->{group};

# --- the group that every account has --------------------------------------

my $r = call($t, 'GET', 'contactgroups.json');
my $v = accepted($r, 'contactgroups');
is_deeply([$r->{body} =~ /"(\w+)":/g], [qw(status_code status_message version
    page total_pages page_size total_contact_groups data id name is_default
    total_hosts total_contacts)],
    'contactgroups returns all fields in their sequence');
is_deeply([@$v{qw(page total_pages page_size total_contact_groups)}],
    [1, 1, 20, 1], 'contactgroups counts one group');
is_deeply($v->{data}, [{ id => $first, name => 'Default', is_default => 1,
    total_hosts => 0, total_contacts => 0 }],
    'the account has the default group');
like($r->{body}, qr/"is_default":1,"total_hosts":0,"total_contacts":0\}/,
    'the counts of a group are JSON numbers');
my $one = call($t, 'GET', "contactgroup/$first.json");
is($one->{body}, $r->{body}, 'contactgroup/{id} returns the same group');
is(call($t, 'GET', "contactgroups/$first.json")->{body}, $one->{body},
    'contactgroups/{id} returns the same group');
is(call($t, 'GET', 'contactgroup/CG' . uc(substr $first, 2) . '.json')->{body},
    $one->{body}, 'an id in upper case finds the group');
is(call($t, 'HEAD', 'contactgroups.json')->{status}, 200,
    'HEAD contactgroups.json is served');
$r = call($t, 'GET', 'contactgroups.xml');
is($r->{status}, 200, 'contactgroups.xml is served');
xml_ok($r->{body}, 'is well-formed');
like($r->{body}, qr{<total_contact_groups>1</total_contact_groups><data><item>
    <id>$first</id><name>Default</name><is_default>1</is_default>
    <total_hosts>0</total_hosts>}x, 'the XML response has the same group');

# --- add -------------------------------------------------------------------

$r = call($t, 'POST', 'contactgroup/add.json', form => [name => ' <Öps> & ']);
$v = accepted($r, 'add');
is($v->{status_message}, 'Contact group added successfully.',
    'contactgroup/add says that the group is added');
my $ops = $v->{data};
like($ops->{id}, qr/^CG[0-9a-f]{32}$/, 'the new group has an id');
is_deeply($ops, { id => $ops->{id}, name => "<\x{d6}ps> &", is_default => 0,
    total_hosts => 0, total_contacts => 0 },
    'contactgroup/add returns the new group');
is_deeply(group($ops->{id}), $ops,
    'contactgroup/{id} returns the group that was added');
is(defaults(), $first, 'the default stays');
my $night = add('Night', is_default => 'true');
is($night->{is_default}, 1, 'a group is added as the default');
is(defaults(), $night->{id}, 'the added default is the only one');
is(add('Day', is_default => $_)->{is_default}, 0,
    "a group added with is_default $_ is no default")
    for '0', 'false';
$v = accepted(call($t, 'POST', 'contactgroups/add/.json',
    form => 'name=Plural'), 'contactgroups/add/.json is accepted');
is($v->{data}{name}, 'Plural', 'the plural path adds a group');
$r = call($t, 'POST', 'contactgroup/add.xml', form => 'name=X');
xml_ok($r->{body}, 'contactgroup/add.xml returns valid XML');
like($r->{body}, qr{<data><id>CG[0-9a-f]{32}</id><name>X</name>},
    'contactgroup/add.xml returns the new group');
$v = accepted(call($t, 'POST', 'contactgroup/add.json', type =>
    'application/json', body => '{"name":"J","is_default":false}'), 'JSON');
is($v->{data}{name}, 'J', 'a group is added by JSON');
is_deeply([map { $_->{name} } @{ groups() }], ['Default', "<\x{d6}ps> &",
    'Night', 'Day', 'Day', 'Plural', 'X', 'J'],
    'groups are sorted by creation');

unchanged {
    for my $form ([], [is_default => 1], [name => ''], [name => '   ']) {
        refused(call($t, 'POST', 'contactgroup/add.json', form => $form), 400,
            qr/^No name value provided\. Please try again\.$/,
            'a group without a name is refused');
    }
    for my $bad ('x' x 256, "\xc3\xa9" x 256, "a\0b", "a\nb", "\xff") {
        refused(call($t, 'POST', 'contactgroup/add.json', form =>
            [name => $bad]), 400, qr/^Invalid name value provided\./,
            'name ' . unpack 'H*', substr $bad, 0, 9);
    }
    for my $bad ('', '2', '-1', 'yes', 'TRUE', '01', "\0") {
        refused(call($t, 'POST', "contactgroup/$_", form => [name => 'n',
            is_default => $bad]), 400,
            qr/^Invalid is_default value provided\. Please try again\.$/,
            "$_ refuses is_default " . unpack 'H*', $bad)
            for 'add.json', "update/$ops->{id}.json";
    }
} $t, 'bad adds';

# --- ids and methods -------------------------------------------------------

unchanged {
    for my $verb ('', 'update/', 'delete/') {
        my %text;
        for my $group ('contactgroup', 'contactgroups') {
            for my $id (sid_of('CG'), $theirs, 'CG1', 'x', "${first}0",
                sid_of('CO'), '%ff', '%01')
            {
                $r = call($t, $verb ? 'POST' : 'GET', "$group/$verb$id.json");
                refused($r, 404, qr/^Invalid contact group id provided\.$/,
                    "$group/$verb$id is not found");
                $text{$r->{body}}++;
            }
        }
        is(scalar keys %text, 1,
            "all refusals of contactgroup/$verb have the same text");
    }
    for my $path ("update/$ops->{id}", "delete/$ops->{id}", 'add') {
        for my $method (qw(GET HEAD PUT DELETE PATCH)) {
            for my $group ('contactgroup', 'contactgroups') {
                $r = call($t, $method, "$group/$path.json");
                is("$r->{status} $r->{headers}{allow}", '405 POST',
                    "$method $group/$path is refused with 405");
            }
        }
    }
    is(call($t, 'POST', "$_.json")->{status}, 405,
        "POST $_ is refused with 405")
        for 'contactgroups', "contactgroup/$first";
    for my $path ('contactgroup/update', 'contactgroups/delete') {
        refused(call($t, 'POST', "$path.json"), 404,
            qr/^Invalid contact group id provided\.$/,
            "$path without an id is refused");
    }
    is(call($t, 'GET', 'contactgroups.nagios')->{status}, 404,
        'groups have no format for monitors');
} $t, 'ids and methods';

# --- update ----------------------------------------------------------------

$v = accepted(write_to('update', $ops->{id}, name => 'Desk'), 'name');
is($v->{status_message}, 'Contact group updated successfully.',
    'contactgroup/update says that the group is updated');
is_deeply([sort keys %$v], [qw(status_code status_message version)],
    'contactgroup/update returns no data');
is(group($ops->{id})->{name}, 'Desk', 'contactgroup/update changes the name');
is(defaults(), $night->{id}, 'an update of the name keeps the default');
accepted(call($t, 'POST', "contactgroups/update/$ops->{id}.json",
    form => 'is_default=1'), 'contactgroups/update takes is_default');
is(defaults(), $ops->{id}, 'contactgroups/update moves the default');
is(group($ops->{id})->{name}, 'Desk', 'the name stays');
accepted(write_to('update', $ops->{id}, is_default => 1),
    'the default group can be made the default again');
accepted(write_to('update', $night->{id}, is_default => 0),
    'is_default 0 of another group is accepted');
unchanged {
    for my $form ([is_default => 0], [name => 'N', is_default => 'false']) {
        refused(write_to('update', $ops->{id}, @$form), 409,
            qr/default/, 'is_default 0 of the default group is refused');
    }
    for my $bad ('', ' ', 'x' x 256, "a\0b") {
        refused(write_to('update', $ops->{id}, name => $bad), 400,
            qr/^Invalid name value/, 'an update with a bad name is refused');
    }
    refused(write_to('update', 'x', name => ''), 400, qr/name/,
        'a bad field comes before an id');
    accepted(write_to('update', $ops->{id}),
        'an update without fields is accepted');
} $t, 'bad updates';
is(defaults(), $ops->{id}, 'refused updates leave the default as it is');

# --- members ---------------------------------------------------------------

my $h = add_host($t, '10.0.0.1', contact_group => $night->{id});
my $also = add_host($t, '10.0.0.2');
is($also->{contact_group}, $ops->{id},
    'a host without a group has the default one');
for my $group ($night->{id}, $night->{id}, $ops->{id}) {
    accepted(call($t, 'POST', 'contact/add.json', form => [
        contact => 'a' . ++$added . '@b.example', type => 'email',
        schedule => 'every_check', contact_group => $group]),
        'a contact is added to a group');
}
is_deeply({ map { $_->{id} => "$_->{total_hosts} $_->{total_contacts}" }
    grep { $_->{total_hosts} + $_->{total_contacts} } @{ groups() } },
    { $night->{id} => '1 2', $ops->{id} => '1 1' },
    'the list counts the hosts and contacts of both groups');
is_deeply([@{ group($night->{id}) }{qw(total_hosts total_contacts)}], [1, 2],
    'a single group counts its host and contacts');
accepted(call($t, 'POST', "host/update/$h->{id}.json", form =>
    [contact_group => "$ops->{id},$night->{id}"]),
    'a host is put in both groups');
is(group($ops->{id})->{total_hosts}, 2,
    'a host is counted in both of its groups');

# --- delete ----------------------------------------------------------------

unchanged {
    refused(write_to('delete', $_), 409, qr/host or a contact/,
        'a group in use cannot be deleted')
        for $night->{id}, $ops->{id};
} $t, 'in use';
accepted(call($t, 'POST', "host/delete/$_->{id}.json"),
    'the host of a group is deleted')
    for $h, $also;
unchanged {
    refused(write_to('delete', $ops->{id}), 409, qr/host or a contact/,
        'the group of a contact cannot be deleted');
} $t, 'in use by a contact';
accepted(call($t, 'POST', "contact/delete/$_->{id}.json"),
    'the contact of a group is deleted')
    for @{ json(call($t, 'GET', 'contacts.json'))->{data} };
$v = accepted(write_to('delete', $night->{id}), 'delete');
is($v->{status_message}, 'Contact group deleted successfully.',
    'contactgroup/delete says that the group is deleted');
refused(call($t, 'GET', "contactgroup/$night->{id}.json"), 404,
    qr/contact group id/, 'a deleted group is not found');
refused(write_to('delete', $night->{id}), 404, qr/contact group id/,
    'a group cannot be deleted twice');
refused(call($t, 'POST', 'host/add.json', form => [host => '10.0.0.3',
    name => 'n', type => 'rbl', contact_group => $night->{id}]), 400,
    qr/^Invalid contact_group value/, 'a host with a deleted group is refused');
is(defaults(), $ops->{id}, 'the default stays');
accepted(call($t, 'POST', "contactgroups/delete/$ops->{id}.json"),
    'the default group can be deleted');
my $now = defaults();
like($now, qr/^CG\w{32}$/, 'another one becomes the default');
my @rest = @{ groups() };
is(record('chosen', redis($redis, 'GET', redis_key('chosen', $ac)))->{group},
    $now, 'the account has the new default group');
accepted(write_to('delete', $_->{id}), "the group $_->{name} can be deleted")
    for @rest[1 .. $#rest];
is(defaults(), $rest[0]{id}, 'the last one is the default');
unchanged {
    refused(write_to('delete', $rest[0]{id}), 409, qr/last/,
        'the last group cannot be deleted');
} $t, 'the last one';

# --- pages -----------------------------------------------------------------

my @all = ($rest[0]{id}, map { add("p$_")->{id} } 1 .. 44);
for my $again (0, 1) {
    my @seen;
    for my $page (1 .. 3) {
        $v = accepted(call($t, 'GET', "contactgroups.json?page=$page"),
            "page $page of groups is served");
        is_deeply([@$v{qw(page total_pages page_size total_contact_groups)}],
            [$page, 3, 20, 45], "page $page has the right counters");
        push @seen, @{ $v->{data} };
    }
    is_deeply([map { $_->{id} } @seen], \@all,
        'the pages have all groups sorted by creation');
    is_deeply([map { $_->{is_default} } @seen], [1, (0) x 44],
        'the pages have one default group');
}
my $used = add_host($t, '10.0.0.9', contact_group => $all[7]);
accepted(write_to('delete', $all[3]), 'one of a page that is known');
$v = accepted(call($t, 'GET', 'contactgroups.json'),
    'the page of the deleted group is served');
is_deeply([map { $_->{id} } @{ $v->{data} }], [@all[0 .. 2, 4 .. 20]],
    'the page does not have the deleted group');
is_deeply([map { $_->{total_hosts} } @{ $v->{data} }[5 .. 7]], [0, 1, 0],
    'the page has the host count at its group');
$v = accepted(call($t, 'GET', 'contactgroups.json?page=9'),
    'a page past the end is served');
is_deeply($v->{data}, [], 'a page past the end is empty');
refused(call($t, 'GET', 'contactgroups.json?page=0'), 400, qr/page/,
    'page 0 is refused with 400');

# --- limits per host and contact --------------------------------------------

my @many = map { add("q$_")->{id} } 1 .. 51;
my $mine = join ',', @many[0 .. 49];
accepted(call($t, 'POST', "host/update/$used->{id}.json",
    form => [contact_group => $mine]), 'a host with fifty groups is accepted');
is(json(call($t, 'GET', "host/$used->{id}.json"))->{data}[0]{contact_group}, $mine,
    'the host has all fifty groups');
$v = accepted(call($t, 'POST', 'contact/add.json', form => [contact =>
    'a@b.example', type => 'email', schedule => 'every_check', contact_group =>
    $mine]), 'a contact with fifty groups is accepted');
my $co = $v->{data}{id};
unchanged {
    for (['host', "host/update/$used->{id}.json"],
        ['contact', "contact/update/$co.json"],
        ['contact', 'contact/add.json', contact => 'b@b.example',
            type => 'email', schedule => 'every_check'])
    {
        my ($what, $path, @form) = @$_;
        refused(call($t, 'POST', $path, form => [@form,
            contact_group => "$mine,$many[50]"]), 409,
            qr/^A $what may have at most 50 contact groups\.$/,
            "$path: a group too many is refused");
    }
} $t, 'one more';

# --- damaged records --------------------------------------------------------

redis($redis, 'HSET', redis_key('refs', $ac), "$all[5]:h", '-3', "$all[5]:c",
    'many');
is_deeply([@{ group($all[5]) }{qw(total_hosts total_contacts)}], [0, 0],
    'invalid counts are shown as zero');
redis($redis, 'SET', redis_key('refs', $ac), 'x');
refused(call($t, 'GET', $_), 503, qr/^The store/, "$_: no counts at all")
    for 'contactgroups.json', "contactgroup/$all[5].json";

done_testing();
