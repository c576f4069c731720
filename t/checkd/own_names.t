#!/usr/bin/perl

# An account's own list must not reveal the site's DNS: only codes in 127/8 are
# shown, no text of an alias, and reserved zones and configured zones are not
# queried, whatever an old record contains.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;

my %internal = ('db.prod.corp.test' => ['10.1.2.3'],
    'web.prod.corp.test' => ['127.0.0.2', '10.1.2.3'],
    'many.prod.corp.test' => [(map { "127.0.0.$_" } 2 .. 21), '10.1.2.3'],
    'ok.prod.corp.test' => ['127.0.0.2'],
    'alias.prod.corp.test' => ['127.0.0.2']);
my $dns = RblDns->new(rules => [
    (map { my $q = quotemeta; ["^$q A\$" => { a => $internal{$_}, ttl => 0 }] }
        keys %internal),
    ['^ok\.prod\.corp\.test TXT$' => { txt => ['listed: ok'], ttl => 0 }],
    ['^alias\.prod\.corp\.test TXT$' => { more => [
        [1, '', 'CNAME', 'secret.corp.test', 0],
        [1, 'secret.corp.test', 16, "\x0apassword=1", 0]] }],
    ['prod\.corp\.test TXT$' => { txt => ['password=1'], ttl => 0 }],
    ['arpa A$' => { a => ['10.1.2.3'], ttl => 0 }],
    ['^dns\.(?:deep|other)\.secret\.test A$' => { a => ['127.0.0.2'], ttl => 0 }],
    test_entry(), not_there() ]);
my $w = world(no_dns => 1, zones => { 'a.test' => {} });
my $checkd = start_checkd(store => $w->{redis}, resolver => $dns,
    conf => { conf_short(), refuse_zone => 'deep.secret.test' });
own_lists($w, 'corp.test' => 'uribl', '10.in-addr.arpa' => 'uribl',
    'resolver.arpa' => 'uribl', 'secret.test' => 'uribl');

sub look {
    my ($name) = @_;

    my $pp = check_value($w, $name, 4);
    is(wait_check($w, $pp)->{status}, 'completed', "$name is checked");
    return details($w, $pp);
}

for my $host (qw(db.prod web.prod many.prod)) {
    my $d = look($host)->{'corp.test'};
    is("$d->{status} $d->{error}", 'unknown hijacked',
        "$host: the result is unknown, hijacked");
    is_deeply($d->{codes}, [], "$host: no address is shown");
    is("$d->{details}$d->{reason}", '', "$host: no text is shown");
}
my $d = look('ok.prod')->{'corp.test'};
is("$d->{status} @{ $d->{codes} } $d->{reason}", 'listed 127.0.0.2 listed: ok',
    'a code and its text are shown');
$d = look('alias.prod')->{'corp.test'};
is("$d->{status} @{ $d->{codes} } $d->{reason}", 'listed 127.0.0.2 ',
    'the text of another name is not shown');

$d = look('dns.deep');
is("$d->{$_}{status} $d->{$_}{error} @{ $d->{$_}{codes} }", 'unknown name ',
    "$_ is unknown") for '10.in-addr.arpa', 'resolver.arpa', 'secret.test';
is($dns->asked("$_ \\w+\$"), 0, "names in $_ are not queried")
    for '(?<!ipv4only\.)arpa', 'deep\.secret\.test';
$d = look('dns.other')->{'secret.test'};
is("$d->{status} $d->{error}", 'listed ', 'a name beside the refused one is');

ok(stop_server($checkd), 'the daemon stops');
unlike(read_file($checkd->{log}), qr/10\.1\.2\.3|password/,
    'the log has no address and no secret text');
done_testing();
