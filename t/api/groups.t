#!/usr/bin/perl

# Contact groups: reads, add, update, delete; the plural paths; one default.

use strict;
use warnings;

use RblApi;

my $t = api_setup();
my $redis = $t->{redis};
my $ac = $t->{acct}{sid};
my $added = 0;

sub account { return record('account', redis($redis, 'GET',
    redis_key('acct', $_[0] // $ac))) }
sub group { return json(call($t, 'GET', "contactgroup/$_[0].json"))->{data}[0] }
sub groups { return json(call($t, 'GET',
    'contactgroups.json?page_size=1000'))->{data} }
sub defaults { return join ' ', map { $_->{id} }
    grep { $_->{is_default} } @{ groups() } }
sub add {
    my ($name, @form) = @_;
    my $v = accepted(call($t, 'POST', 'contactgroup/add.json',
        form => [name => $name, @form]), "add $name");
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
    total_hosts total_contacts)], 'has all fields, in their sequence');
is_deeply([@$v{qw(page total_pages page_size total_contact_groups)}],
    [1, 1, 20, 1], 'its counters');
is_deeply($v->{data}, [{ id => $first, name => 'Default', is_default => 1,
    total_hosts => 0, total_contacts => 0 }], 'the default group');
like($r->{body}, qr/"is_default":1,"total_hosts":0,"total_contacts":0\}/,
    'numbers are numbers');
my $one = call($t, 'GET', "contactgroup/$first.json");
is($one->{body}, $r->{body}, 'alone it looks the same');
is(call($t, 'GET', "contactgroups/$first.json")->{body}, $one->{body},
    'the plural is the same');
is(call($t, 'GET', 'contactgroup/CG' . uc(substr $first, 2) . '.json')->{body},
    $one->{body}, 'in upper case too');
is(call($t, 'HEAD', 'contactgroups.json')->{status}, 200, 'HEAD');
$r = call($t, 'GET', 'contactgroups.xml');
is($r->{status}, 200, 'XML');
xml_ok($r->{body}, 'is well-formed');
like($r->{body}, qr{<total_contact_groups>1</total_contact_groups><data><item>
    <id>$first</id><name>Default</name><is_default>1</is_default>
    <total_hosts>0</total_hosts>}x, 'and has the same values');

# --- add -------------------------------------------------------------------

$r = call($t, 'POST', 'contactgroup/add.json', form => [name => ' <Öps> & ']);
$v = accepted($r, 'add');
is($v->{status_message}, 'Contact group added successfully.', 'message');
my $ops = $v->{data};
like($ops->{id}, qr/^CG[0-9a-f]{32}$/, 'its id');
is_deeply($ops, { id => $ops->{id}, name => "<\x{d6}ps> &", is_default => 0,
    total_hosts => 0, total_contacts => 0 }, 'the record');
is_deeply(group($ops->{id}), $ops, 'equals the read record');
is(defaults(), $first, 'the default stays');
my $night = add('Night', is_default => 'true');
is($night->{is_default}, 1, 'added as the default');
is(defaults(), $night->{id}, 'it is the only default');
is(add('Day', is_default => $_)->{is_default}, 0, "is_default $_")
    for '0', 'false';
$v = accepted(call($t, 'POST', 'contactgroups/add/.json',
    form => 'name=Plural'), 'the plural, with a slash');
is($v->{data}{name}, 'Plural', 'adds');
$r = call($t, 'POST', 'contactgroup/add.xml', form => 'name=X');
xml_ok($r->{body}, 'add in XML');
like($r->{body}, qr{<data><id>CG[0-9a-f]{32}</id><name>X</name>}, 'its data');
$v = accepted(call($t, 'POST', 'contactgroup/add.json', type =>
    'application/json', body => '{"name":"J","is_default":false}'), 'JSON');
is($v->{data}{name}, 'J', 'its name');
is_deeply([map { $_->{name} } @{ groups() }], ['Default', "<\x{d6}ps> &",
    'Night', 'Day', 'Day', 'Plural', 'X', 'J'], 'sorted by creation');

unchanged {
    for my $form ([], [is_default => 1], [name => ''], [name => '   ']) {
        refused(call($t, 'POST', 'contactgroup/add.json', form => $form), 400,
            qr/^No name value provided\. Please try again\.$/, 'no name');
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
            "$_: is_default " . unpack 'H*', $bad)
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
                    "$group/$verb$id");
                $text{$r->{body}}++;
            }
        }
        is(scalar keys %text, 1, "$verb: one text for all");
    }
    for my $path ("update/$ops->{id}", "delete/$ops->{id}", 'add') {
        for my $method (qw(GET HEAD PUT DELETE PATCH)) {
            for my $group ('contactgroup', 'contactgroups') {
                $r = call($t, $method, "$group/$path.json");
                is("$r->{status} $r->{headers}{allow}", '405 POST',
                    "$method $group/$path");
            }
        }
    }
    is(call($t, 'POST', "$_.json")->{status}, 405, "POST $_")
        for 'contactgroups', "contactgroup/$first";
    for my $path ('contactgroup/update', 'contactgroups/delete') {
        refused(call($t, 'POST', "$path.json"), 404,
            qr/^Invalid contact group id provided\.$/, "$path without an id");
    }
    is(call($t, 'GET', 'contactgroups.nagios')->{status}, 404,
        'no format for monitors');
} $t, 'ids and methods';

# --- update ----------------------------------------------------------------

$v = accepted(write_to('update', $ops->{id}, name => 'Desk'), 'name');
is($v->{status_message}, 'Contact group updated successfully.', 'message');
is_deeply([sort keys %$v], [qw(status_code status_message version)], 'no data');
is(group($ops->{id})->{name}, 'Desk', 'is changed');
is(defaults(), $night->{id}, 'the default is not');
accepted(call($t, 'POST', "contactgroups/update/$ops->{id}.json",
    form => 'is_default=1'), 'default, in the plural');
is(defaults(), $ops->{id}, 'has moved');
is(group($ops->{id})->{name}, 'Desk', 'the name stays');
accepted(write_to('update', $ops->{id}, is_default => 1), 'again');
accepted(write_to('update', $night->{id}, is_default => 0),
    '0 on another one');
unchanged {
    for my $form ([is_default => 0], [name => 'N', is_default => 'false']) {
        refused(write_to('update', $ops->{id}, @$form), 409,
            qr/default/, 'the default cannot cease');
    }
    for my $bad ('', ' ', 'x' x 256, "a\0b") {
        refused(write_to('update', $ops->{id}, name => $bad), 400,
            qr/^Invalid name value/, 'a bad name');
    }
    refused(write_to('update', 'x', name => ''), 400, qr/name/,
        'a bad field comes before an id');
    accepted(write_to('update', $ops->{id}), 'nothing given');
} $t, 'bad updates';
is(defaults(), $ops->{id}, 'one default');

# --- members ---------------------------------------------------------------

my $h = add_host($t, '10.0.0.1', contact_group => $night->{id});
my $also = add_host($t, '10.0.0.2');
is($also->{contact_group}, $ops->{id}, 'no group given: the default one');
for my $group ($night->{id}, $night->{id}, $ops->{id}) {
    accepted(call($t, 'POST', 'contact/add.json', form => [
        contact => 'a' . ++$added . '@b.example', type => 'email',
        schedule => 'every_check', contact_group => $group]), 'a contact');
}
is_deeply({ map { $_->{id} => "$_->{total_hosts} $_->{total_contacts}" }
    grep { $_->{total_hosts} + $_->{total_contacts} } @{ groups() } },
    { $night->{id} => '1 2', $ops->{id} => '1 1' }, 'both are counted');
is_deeply([@{ group($night->{id}) }{qw(total_hosts total_contacts)}], [1, 2],
    'alone too');
accepted(call($t, 'POST', "host/update/$h->{id}.json", form =>
    [contact_group => "$ops->{id},$night->{id}"]), 'a host with both');
is(group($ops->{id})->{total_hosts}, 2, 'is counted at both');

# --- delete ----------------------------------------------------------------

unchanged {
    refused(write_to('delete', $_), 409, qr/host or a contact/, 'in use')
        for $night->{id}, $ops->{id};
} $t, 'in use';
accepted(call($t, 'POST', "host/delete/$_->{id}.json"), 'no host')
    for $h, $also;
unchanged {
    refused(write_to('delete', $ops->{id}), 409, qr/host or a contact/,
        'a contact has it');
} $t, 'in use by a contact';
accepted(call($t, 'POST', "contact/delete/$_->{id}.json"), 'no contact')
    for @{ json(call($t, 'GET', 'contacts.json'))->{data} };
$v = accepted(write_to('delete', $night->{id}), 'delete');
is($v->{status_message}, 'Contact group deleted successfully.', 'message');
refused(call($t, 'GET', "contactgroup/$night->{id}.json"), 404,
    qr/contact group id/, 'does not exist');
refused(write_to('delete', $night->{id}), 404, qr/contact group id/, 'twice');
refused(call($t, 'POST', 'host/add.json', form => [host => '10.0.0.3',
    name => 'n', type => 'rbl', contact_group => $night->{id}]), 400,
    qr/^Invalid contact_group value/, 'no host can have it');
is(defaults(), $ops->{id}, 'the default stays');
accepted(call($t, 'POST', "contactgroups/delete/$ops->{id}.json"),
    'the default');
my $now = defaults();
like($now, qr/^CG\w{32}$/, 'another one becomes the default');
my @rest = @{ groups() };
is(account()->{group}, $now, 'the account has it');
accepted(write_to('delete', $_->{id}), "delete $_->{name}")
    for @rest[1 .. $#rest];
is(defaults(), $rest[0]{id}, 'the last one is the default');
unchanged {
    refused(write_to('delete', $rest[0]{id}), 409, qr/last/, 'the last one');
} $t, 'the last one';

# --- pages -----------------------------------------------------------------

my @all = ($rest[0]{id}, map { add("p$_")->{id} } 1 .. 44);
for my $again (0, 1) {
    my @seen;
    for my $page (1 .. 3) {
        $v = accepted(call($t, 'GET', "contactgroups.json?page=$page"),
            "page $page");
        is_deeply([@$v{qw(page total_pages page_size total_contact_groups)}],
            [$page, 3, 20, 45], 'its counters');
        push @seen, @{ $v->{data} };
    }
    is_deeply([map { $_->{id} } @seen], \@all, 'all, sorted by creation');
    is_deeply([map { $_->{is_default} } @seen], [1, (0) x 44], 'one default');
}
my $used = add_host($t, '10.0.0.9', contact_group => $all[7]);
accepted(write_to('delete', $all[3]), 'one of a page that is known');
$v = accepted(call($t, 'GET', 'contactgroups.json'), 'that page');
is_deeply([map { $_->{id} } @{ $v->{data} }], [@all[0 .. 2, 4 .. 20]],
    'without it');
is_deeply([map { $_->{total_hosts} } @{ $v->{data} }[5 .. 7]], [0, 1, 0],
    'counts are at their groups');
$v = accepted(call($t, 'GET', 'contactgroups.json?page=9'), 'past the end');
is_deeply($v->{data}, [], 'nothing');
refused(call($t, 'GET', 'contactgroups.json?page=0'), 400, qr/page/, 'page 0');

# --- limits per host and contact --------------------------------------------

my @many = map { add("q$_")->{id} } 1 .. 51;
my $mine = join ',', @many[0 .. 49];
accepted(call($t, 'POST', "host/update/$used->{id}.json",
    form => [contact_group => $mine]), 'a host with fifty');
is(json(call($t, 'GET', "host/$used->{id}.json"))->{data}[0]{contact_group}, $mine,
    'has them');
$v = accepted(call($t, 'POST', 'contact/add.json', form => [contact =>
    'a@b.example', type => 'email', schedule => 'every_check', contact_group =>
    $mine]), 'a contact with fifty');
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
            "$path: one more");
    }
} $t, 'one more';

# --- damaged records --------------------------------------------------------

redis($redis, 'HSET', redis_key('refs', $ac), "$all[5]:h", '-3', "$all[5]:c",
    'many');
is_deeply([@{ group($all[5]) }{qw(total_hosts total_contacts)}], [0, 0],
    'invalid counts');
redis($redis, 'SET', redis_key('refs', $ac), 'x');
refused(call($t, 'GET', $_), 503, qr/^The store/, "$_: no counts at all")
    for 'contactgroups.json', "contactgroup/$all[5].json";

done_testing();
