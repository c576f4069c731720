#!/usr/bin/perl

# Every path of the API as clients write it: with the slash before the suffix,
# without a suffix, by its alias, in XML.  A method that no call has shows that
# a path is known, lists its methods, and changes nothing.

use strict;
use warnings;

use RblApi;

my $t = api_setup();

# method, path ({XX}: an id of that kind), aliases
my @table = (
    ['POST', 'check/start'],
    ['GET', 'check/status/{PP}'],
    ['GET', 'check/status'],
    ['GET', 'listings'],
    ['GET', 'hosts'],
    ['GET', 'host/{HT}'],
    ['POST', 'host/add'],
    (map { ['POST', "host/$_/{HT}"] } qw(update pause resume delete)),
    ['GET', 'rblprofiles', 'monitoringprofiles'],
    ['GET', 'rblprofile/{RP}', 'monitoringprofile/{RP}'],
    ['POST', 'rblprofile/add', 'monitoringprofile/add'],
    (map { ['POST', "rblprofile/$_/{RP}", "monitoringprofile/$_/{RP}"] }
        qw(update delete)),
    ['GET', 'rbls'],
    ['GET', 'rbl/{RB}'],
    ['POST', 'rbl/add'],
    (map { ['POST', "rbl/$_/{RB}"] } qw(update pause resume delete)),
    ['GET', 'contacts'],
    ['GET', 'contact/{CO}'],
    ['POST', 'contact/add'],
    (map { ['POST', "contact/$_/{CO}"] } qw(update pause resume resend confirm
        delete)),
    ['GET', 'contactgroups'],
    ['GET', 'contactgroup/{CG}', 'contactgroups/{CG}'],
    ['POST', 'contactgroup/add', 'contactgroups/add'],
    (map { ['POST', "contactgroup/$_/{CG}", "contactgroups/$_/{CG}"] }
        qw(update delete)),
    ['GET', 'acls'],
);

my %allow = (GET => 'GET, HEAD', POST => 'POST');
for (@table) {
    my ($method, @paths) = @$_;
    for my $path (@paths) {
        my $kind = $path =~ s/\{(\w\w)\}/sid_of($1)/e ? $1 : '';
        my (@got, @want);
        for my $end ('', '/', '.json', '/.json', '.xml', '/.xml') {
            for my $other ('PUT', $method eq 'GET' ? 'POST' : 'GET') {
                my $r = call($t, $other, $path . $end);
                push @got, [$path . $end, $r->{status}, $r->{headers}{allow}];
                push @want, [$path . $end, 405, $allow{$method}];
            }
        }
        is_deeply(\@got, \@want,
            "$path allows only $allow{$method} in every form");

        # The right call answers: it refuses an unknown id, and a form without
        # fields, with its own message.
        my ($first) = map { s/\{(\w\w)\}/sid_of($1)/er } $paths[0];
        my @opt = $method eq 'POST' ? (form => { authcode => 'aaaaaa' }) : ();
        is(call($t, $method, "$path/.json", @opt)->{body},
            call($t, $method, "$first.json", @opt)->{body},
            "$path gives the response of $paths[0]")
            if $kind || $method eq 'POST' || $path ne $first;
        is(call($t, $method, "$path.json", @opt)->{status}, 404,
            "$path with an unknown id is not found") if $kind;
    }
}

# paths not in the table
refused(call($t, 'GET', $_), 404, qr/^Unknown path\.$/,
    "$_ is an unknown path") for
    'monitoringprofiles/' . sid_of('RP') . '.json', 'rblprofiles/add.json',
    'contactgroup.json/', 'contacts/' . sid_of('CO') . '.json',
    'contactgroups/pause/' . sid_of('CG') . '.json', 'monitoringrbls.json',
    'rblprofile/pause/' . sid_of('RP') . '.json', 'hosts/add.json';

done_testing();
