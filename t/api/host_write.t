#!/usr/bin/perl

# host/update, pause, resume, delete; on ranges, their children and totals.

use strict;
use warnings;

use RblApi;

my $t = api_setup();
my $redis = $t->{redis};
my $ac = $t->{acct}{sid};
my $acct = record('chosen', redis($redis, 'GET', redis_key('chosen', $ac)));
my $foreign = record('chosen', redis($redis, 'GET',
    redis_key('chosen', $t->{other}{sid})));
my $p = partition_of($ac);

sub host { return json(call($t, 'GET', "host/$_[0].json"))->{data}[0] }
sub write_to {
    my ($verb, $id, @form) = @_;

    return call($t, 'POST', "host/$verb/$id.json",
        @form ? (form => [@form]) : ());
}
sub totals {
    my $v = json(call($t, 'GET', 'listings.json'));
    return "$v->{total_hosts} $v->{total_listed} " . @{ $v->{data} };
}
sub due { return defined redis($redis, 'ZSCORE', redis_key('due', $ac),
    $_[0]) ? 1 : 0 }

# Another profile and two more groups, as later calls will make them.
my ($rp, @cg) = (sid_of('RP'), 'CG' . 'a' x 32, 'CG' . 'b' x 32);
redis($redis, 'SET', redis_key('r', $ac, $rp), record_pack('profile',
    version => 1, id => $rp, name => 'P', status => 'active',
    uses_defaults => 1, entries => [], created => 1));
redis($redis, 'ZADD', redis_key('profiles', $ac), 9, $rp);
for (@cg) {
    redis($redis, 'SET', redis_key('r', $ac, $_), record_pack('group',
        version => 1, id => $_, name => 'G', created => 1));
    redis($redis, 'ZADD', redis_key('groups', $ac), 9, $_);
}

my $h = add_host($t, '10.0.0.1', name => 'one');
my $theirs = do {
    local $t->{acct} = $t->{other};
    add_host($t, '10.0.0.1');
};

# --- ids -------------------------------------------------------------------

unchanged {
    for my $verb (qw(update pause resume delete)) {
        my %text;
        for my $id (sid_of('HT'), $theirs->{id}, 'HT1', 'x', "$h->{id}0",
            sid_of('RP'), '%ff', '%01')
        {
            my $r = write_to($verb, $id);
            refused($r, 404, qr/^Invalid host id provided\.$/,
                "host/$verb/$id is not found");
            $text{$r->{body}}++;
        }
        is(scalar keys %text, 1,
            "all refusals of host/$verb have the same text");
        refused(call($t, 'POST', "host/$verb.json"), 404,
            qr/^Invalid host id provided\.$/,
            "host/$verb without an id is refused");
        for my $method (qw(GET HEAD PUT DELETE PATCH OPTIONS)) {
            my $r = call($t, $method, "host/$verb/$h->{id}.json");
            is($r->{status}, 405, "$method host/$verb is refused with 405");
            is($r->{headers}{allow}, 'POST',
                "the refusal of $method host/$verb allows only POST");
        }
    }
} $t, 'bad ids and methods';

# --- update: fields --------------------------------------------------------

unchanged {
    my %bad = (
        name => ['', '  ', 'x' x 256, "a\0b", "a\nb", "\xff", "\xc3\xa9" x 256],
        rbl_profile => ['', 'x', sid_of('RP') . '0', $foreign->{profile},
            $cg[0], "$rp,$rp", "\0", "RP\xff"],
        contact_group => ['', ',', "$cg[0],", ",$cg[0]", "$cg[0],,$cg[1]",
            'x', $foreign->{group}, "$cg[0],$foreign->{group}", $rp, "\0",
            "$cg[0] $cg[1]"],
    );
    for my $field (sort keys %bad) {
        for my $value (@{ $bad{$field} }) {
            refused(write_to('update', $h->{id}, $field => $value), 400,
                qr/^Invalid $field value provided\. Please try again\.$/,
                "update: $field " . unpack 'H*', substr $value, 0, 20);
        }
    }
    refused(write_to('update', sid_of('HT'), name => ''), 400, qr/name/,
        'a bad field comes before an unknown id');
    refused(write_to('update', 'x', name => ''), 400, qr/name/,
        'a bad field comes before a malformed id');
    my $v = accepted(write_to('update', $h->{id}),
        'an update without fields is accepted');
    is_deeply([sort keys %$v], [qw(status_code status_message version)],
        'an update without fields returns no data');
    accepted(write_to('update', $h->{id}, host => '1.2.3.4', type => 'uribl'),
        'add-only fields are unknown here');
} $t, 'bad updates';

my $v = accepted(write_to('update', $h->{id}, name => ' <two> '), 'name');
is($v->{status_message}, 'Host updated successfully.',
    'host/update says that the host is updated');
is(host($h->{id})->{name}, '<two>', 'host/update changes the name');
accepted(write_to('update', $h->{id}, rbl_profile => uc($rp) =~ s/^RP/RP/r,
    contact_group => "$cg[1], $cg[0],$cg[1]"),
    'an update of profile and groups is accepted');
is(host($h->{id})->{rbl_profile}, $rp, 'host/update changes the profile');
is(host($h->{id})->{contact_group}, "$cg[1],$cg[0]",
    'host/update sets the groups, each once');
for (["contact_group=$cg[0]&contact_group=$cg[1]", 'repeated'],
    ["contact_group[]=$cg[0]&contact_group[]=$cg[1]", 'k[]'],
    ["contact_group[0]=$cg[0]&contact_group[1]=$cg[1]", 'k[0]'],
    ["contact_group%5B0%5D=$cg[0]&contact_group%5B1%5D=$cg[1]", 'k%5B0%5D'],
    ["contact_group=$cg[0]%2C$cg[1]", 'comma'])
{
    accepted(write_to('update', $h->{id}, contact_group => $acct->{group}),
        'the host gets the default group');
    accepted(call($t, 'POST', "host/update/$h->{id}.json", form => $_->[0]),
        "a list of groups is accepted: $_->[1]");
    is(host($h->{id})->{contact_group}, "$cg[0],$cg[1]", 'both are set');
}
accepted(call($t, 'POST', "host/update/$h->{id}.json",
    form => "contact_group[x]=$cg[0]&contact_group[1=$cg[0]&name[]=z"),
    'other brackets are other fields');
is(host($h->{id})->{contact_group}, "$cg[0],$cg[1]",
    'other brackets do not change the groups');
is(host($h->{id})->{name}, '<two>', 'the field name[] is not the name');

# --- pause, resume ---------------------------------------------------------

list_host($t, $h->{id});
is(totals(), '1 1 1', 'the host is listed before the pause');
for my $again (0, 1) {
    $v = accepted(write_to('pause', $h->{id}), 'pause');
    is($v->{status_message}, 'Host paused successfully.',
        'host/pause says that the host is paused');
    is(host($h->{id})->{status}, 'paused', 'host/pause pauses the host');
    is(totals(), '1 0 0', 'a paused host is in no listing');
    is(due($h->{id}), 0, 'a paused host is not due');
}
for my $again (0, 1) {
    $v = accepted(write_to('resume', $h->{id}), 'resume');
    is($v->{status_message}, 'Host resumed successfully.',
        'host/resume says that the host is resumed');
    is(host($h->{id})->{status}, 'active', 'host/resume makes the host active');
    is(totals(), '1 1 1', 'a resumed host is listed again');
    is(due($h->{id}), 1, 'a resumed host is due');
}

# --- delete ----------------------------------------------------------------

$v = accepted(write_to('delete', $h->{id}), 'delete');
is($v->{status_message}, 'Host deleted successfully.',
    'host/delete says that the host is deleted');
is(totals(), '0 0 0', 'the totals do not count a deleted host');
refused(call($t, 'GET', "host/$h->{id}.json"), 404, qr/host id/,
    'a deleted host is not found');
refused(write_to('delete', $h->{id}), 404, qr/host id/,
    'a host cannot be deleted twice');
is(due($h->{id}), 0, 'a deleted host is not due');
add_host($t, '10.0.0.1');
is(totals(), '1 0 0', 'the value is free again');

# --- a range ---------------------------------------------------------------

my ($range, @kids) = add_host($t, '192.0.2.0/24', name => 'R',
    type => 'ip_range');
is(scalar @kids, 256, 'the range has 256 children');
is(totals(), '258 0 0', 'the totals count a range and its children');
list_host($t, $kids[3]{id});
list_host($t, $kids[4]{id});
is(totals(), '258 2 2', 'children show in listings');

accepted(write_to('pause', $range->{id}), 'host/pause of a range is accepted');
is(totals(), '258 0 0', 'nothing is listed');
my %status;
for my $page (1 .. 13) {
    $status{$_->{status}}++
        for @{ json(call($t, 'GET', "hosts.json?page=$page"))->{data} };
}
is_deeply(\%status, { active => 1, paused => 257 }, 'children are paused');
accepted(write_to('resume', $kids[3]{id}),
    'host/resume of a child is accepted');
is(totals(), '258 1 1', 'a resumed child is listed again');
is(host($range->{id})->{status}, 'paused', 'the range is paused still');
accepted(write_to('resume', $range->{id}),
    'host/resume of a range is accepted');
is(totals(), '258 2 2', 'all listed children are listed again');
is(host($kids[200]{id})->{status}, 'active',
    'a resumed range resumes its children');
is(due($range->{id}), 0, 'a range is never due');

accepted(write_to('update', $range->{id}, name => 'S', rbl_profile => $rp,
    contact_group => $cg[0]), 'host/update of a range is accepted');
my $kid = host($kids[9]{id});
is_deeply([@$kid{qw(name rbl_profile contact_group)}],
    ['S 192.0.2.9', $rp, $cg[0]],
    'the children of a range take over its values');
is(host($range->{id})->{name}, 'S',
    'host/update changes the name of the range');

accepted(write_to('delete', $kids[9]{id}),
    'host/delete of a child is accepted');
is(totals(), '257 2 2', 'the totals do not count a deleted child');
accepted(write_to('delete', $range->{id}),
    'host/delete of a range is accepted');
is(totals(), '1 0 0', 'the children are deleted');
refused(call($t, 'GET', "host/$kids[100]{id}.json"), 404, qr/host id/,
    'a child of a deleted range is not found');
is_deeply(redis($redis, 'KEYS', redis_key('kids', $ac, '*')), [],
    'no index of children is left');
is(scalar(() = add_host($t, '192.0.2.0/24')), 256, 'the addresses are free');

done_testing();
