#!/usr/bin/perl

# Paths, methods, suffixes: the module makes every refusal below the location.

use strict;
use warnings;

use RblApi;

my $t = api_setup(server => 'location /old/ { rbl_api on;
    rbl_legacy_errors on; rbl_realm "Old things"; }
    location / { return 204; }');
my $h = add_host($t, '10.0.0.1');
my $pp = json(call($t, 'POST', 'check/start.json',
    form => { host => '10.0.0.1' }))->{data}{id};

# --- unknown paths ---------------------------------------------------------

for my $path ('', '/', 'x', 'x.json', 'hosts.jso', 'hosts.jsonx', 'Hosts.json',
    'hosts.JSON', 'hosts.json.json', 'hosts/x.json', 'hosts.txt', '.json',
    'host/add/x.json', 'host/x/y.json', 'check.json', 'check/start/x.json',
    'check/x.json', 'check/status/x/y.json', 'listings/x.json', 'hostsx.json',
    "hosts/$h->{id}.json", 'acl.json', "host/pause/$h->{id}/x.json",
    '%68osts%2ejsonx',
    'x' x 3000, "%01", '%ff')
{
    for my $method (qw(GET POST PUT DELETE OPTIONS)) {
        refused(call($t, $method, $path), 404, qr/^Unknown path\.$/,
            "$method " . substr $path, 0, 40);
    }
}
is(call($t, 'GET', 'x.nagios')->{body}, 'UNKNOWN - Unknown path.',
    'an unknown path is UNKNOWN for Nagios');
is(call($t, 'GET', 'x.zabbix')->{body}, '-1',
    'an unknown path is -1 for Zabbix');
xml_ok(call($t, 'GET', 'x.xml')->{body}, 'XML');
for ('hosts', "host/$h->{id}", "check/status/$pp") {
    is(call($t, 'GET', "$_.nagios")->{status}, 404,
        "$_.nagios is an unknown path");
    is(call($t, 'GET', "$_.zabbix")->{body}, '-1',
        "$_.zabbix returns the value -1");
}
is(call($t, 'GET', '%2e%2e%2fx')->{status}, 204, 'outside: not ours');

# --- methods ---------------------------------------------------------------

my %calls = (
    GET => ['hosts', 'listings', "host/$h->{id}", "check/status/$pp",
        "check/status"],
    POST => ['host/add', "host/update/$h->{id}", "host/pause/$h->{id}",
        "host/resume/$h->{id}", "host/delete/$h->{id}", 'check/start'],
);
my %allow = (GET => 'GET, HEAD', POST => 'POST');
unchanged {
    for my $right (qw(GET POST)) {
        for my $path (@{ $calls{$right} }) {
            for my $method (qw(GET POST PUT DELETE PATCH OPTIONS TRACEX
                PROPFIND))
            {
                next if $method eq $right;
                for my $suffix ('', '.json', '/.json') {
                    my $r = call($t, $method, $path . $suffix);
                    refused($r, 405, qr/\b$right\b/,
                        "$method $path$suffix is refused with 405");
                    is($r->{headers}{allow}, $allow{$right},
                        "the refusal of $method $path$suffix has Allow");
                }
            }
        }
    }
    is(call($t, 'HEAD', "$_.json")->{status}, 405,
        "HEAD $_ is refused with 405")
        for @{ $calls{POST} };
} $t, 'wrong methods';
is(call($t, 'PUT', 'listings.nagios')->{body},
    'UNKNOWN - This call is made by GET.',
    'listings.nagios refuses PUT with UNKNOWN');
is(call($t, 'PUT', 'listings.zabbix')->{body}, '-1',
    'listings.zabbix refuses PUT with -1');
is(call($t, 'PUT', 'listings.nagios')->{status}, 405,
    'listings.nagios refuses PUT with 405');

# --- the slash before the suffix -------------------------------------------

for my $suffix ('', '.json', '/', '/.json') {
    accepted(call($t, 'GET', "$_$suffix"), "GET $_$suffix is served")
        for grep { $_ ne 'check/status' } @{ $calls{GET} };
    accepted(call($t, 'POST', "host/pause/$h->{id}$suffix"),
        "POST host/pause/{id}$suffix is served");
    accepted(call($t, 'POST', "host/add$suffix", form => {
        host => '10.0.1.' . length $suffix, name => 'n', type => 'rbl' }),
        "POST host/add$suffix is served");
}
xml_ok(call($t, 'GET', 'hosts/.xml')->{body}, 'hosts/.xml');
daemon_seen($t);
is(call($t, 'GET', 'listings/.zabbix')->{body}, '0',
    'listings/.zabbix returns the value 0');
accepted(http($t->{nginx}, 'GET', '//3.0///hosts.json', auth => $t->{acct}),
    'slashes are merged by nginx');
accepted(call($t, 'GET', 'x/../hosts.json'), 'nginx resolves dots in a path');
accepted(call($t, 'GET', '%68osts%2ejson'),
    'nginx decodes percent signs in a path');
accepted(call($t, 'GET', 'hosts.json?'), 'an empty query is accepted');
accepted(call($t, 'GET', 'hosts.json?&&=&a&=b&'), 'an odd query is accepted');
accepted(call($t, 'GET', 'hosts.json?%'), 'a malformed field is ignored');
accepted(call($t, 'GET', 'hosts.json?x=%g0'),
    'an invalid encoding of an unknown field is ignored');
refused(call($t, 'GET', 'hosts.json?page=%g0'), 400, qr/\bpage\b/,
    'an invalid encoding of a known field is refused');

# --- legacy errors ---------------------------------------------------------

sub old { return http($t->{nginx}, $_[0], "/old/$_[1]", auth => $t->{acct},
    @_[2 .. $#_]) }

for (['GET', 'x.json', qr/^Unknown path/], ['PUT', 'hosts.json', qr/GET/],
    ['GET', 'hosts.json?page=0', qr/page/],
    ['GET', 'host/x.json', qr/^Invalid host id provided/],
    ['POST', 'host/add.json', qr/host/, form => {}],
    ['POST', 'host/add.json', qr/already/, form => { host => '10.0.0.1',
        name => 'n', type => 'rbl' }],
    ['POST', 'host/add.json', qr/65536/, body => 'x' x 70_000],
    ['POST', 'host/add.json', qr/type/, body => 'x', type => 'text/plain'],
    ['GET', 'hosts.json', qr/^Invalid credentials/, auth => undef])
{
    my ($method, $path, $message, @opt) = @$_;
    my $r = old($method, $path, @opt);
    is($r->{status}, 200, "legacy: $method $path: the HTTP status is 200");
    my $v = json($r);
    is($v->{status_code}, 500, "legacy: $method $path: status_code is 500");
    like($v->{status_message}, $message,
        "legacy: $method $path: the message is the usual one");
}
my $r = old('GET', 'x.xml');
xml_ok($r->{body}, 'a legacy refusal in XML is valid');
like($r->{body}, qr{<status_code>500</status_code>},
    'a legacy refusal in XML has status_code 500');
is(old('GET', 'listings.nagios', auth => undef)->{body},
    'UNKNOWN - Invalid credentials.', 'a legacy refusal is UNKNOWN for Nagios');
accepted(old('GET', 'hosts.json'), 'legacy: success is unchanged');
is(old('GET', 'hosts.json', auth => undef)->{headers}{'www-authenticate'},
    'Basic realm="Old things"', 'a refusal has the realm of rbl_realm');

done_testing();
