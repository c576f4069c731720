#!/usr/bin/perl

# Texts of lists for a host that is on very many of them: its record stays
# small, whatever the account's own lists answer; system lists keep their texts;
# a cut text ends in an ellipsis.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;

use constant { OWN => 200, TXT => 1000 };

my $say = 'x' x TXT;
my @end = [ '.', { rcode => 'nxdomain', soa => ['test', 1, 1], ttl => 1 } ];
my @system = ([ '^2\.0\.0\.127\.sys\.test ' => { a => ['127.0.0.2'],
        ttl => 0 } ],
    [ '^1\.0\.0\.10\.sys\.test ' => { a => ['127.0.0.2'], ttl => 0,
        txt => ['the list says why'] } ]);
sub own {
    my ($pattern, @say) = @_;
    return [ "^1\\.0\\.0\\.10\\.o${pattern}\\.test " => { ttl => 0,
        a => ['127.0.0.2', '127.0.0.3', '127.0.0.4'],
        txt => [[$say =~ /(.{1,250})/g]] } ];
}
my $dns = RblDns->new(rules => [@system, own('\d+'), @end]);
my $w = world(no_dns => 1, zones => { 'sys.test' => { control => 'ip' } });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short(
        cache_size => '0', check_timeout => '20s', lease => '60s',
        dns_timeout => '2s', schedule => 'off') });
own_lists($w, map { ("o$_.test" => 'rbl') } 1 .. OWN);
my $ht = add_host($w, '10.0.0.1');
my $key = RblCheckd::akey($w, 'r', $ht);

sub checked {
    my $pp = check_host($w, $ht);
    wait_check($w, $pp, 60);
    return $pp;
}

my $pp = checked();
my $state = check_state($w, $pp);
is($state->{listed}, OWN + 1, 'all lists list the host')
    or diag(substr read_file($checkd->{log}), -2000);
my $size = redis($w->{redis}, 'STRLEN', $key);
cmp_ok($size, '<=', 32 * 1024, 'the record of the host is small');
my $octets = redis($w->{redis}, 'STRLEN', RblCheckd::akey($w, 'check',
    "$pp:d"));
cmp_ok($octets, '<=', 64 * 1024, 'the details of the check are small');

my $d = details($w, $pp);
is($d->{'sys.test'}{reason}, 'the list says why',
    'the text of the system list is whole');
like($d->{"o$_.test"}{reason}, qr/\Ax+\xe2\x80\xa6\z/, "o$_.test is cut")
    for 1, OWN;
cmp_ok(length $d->{'o1.test'}{reason}, '>=', 40,
    'a cut text keeps at least 40 bytes');
is(scalar @{ $d->{'o1.test'}{codes} }, 2,
    'a list with a cut text keeps two codes');
my ($entry) = grep { $_->[1] eq 'o1.test' } @{ host_record($w, $ht)->{details} };
like($entry->[3], qr/\Ax+\xe2\x80\xa6\z/, 'the text in the record is cut too');

# Current listings from other checks do not add to that.

for my $half ('\d*[02468]', '\d*[13579]') {
    $dns->rules(@system, own($half), [ '\.o\d+\.test ' => 'servfail' ], @end);
    checked();
    cmp_ok(redis($w->{redis}, 'STRLEN', $key), '<=', 32 * 1024,
        'the record is small with half of the lists unknown');
}
is(host_record($w, $ht)->{listed_count}, OWN + 1, 'all listings are current');

# A few lists keep their whole texts.

my @few = redis($w->{redis}, 'ZRANGE', RblCheckd::akey($w, 'rbls'), 0, 7);
script_ok($w, 'profile_add', [RblCheckd::akey($w, 'acct')],
    profile => fresh_sid('RP'), name => 'few', is_default => 1, given => 1,
    entries => $few[0]);
my $rp = record('chosen', redis($w->{redis}, 'GET',
    RblCheckd::akey($w, 'chosen')))->{profile};
script_ok($w, 'host_update', [RblCheckd::akey($w, 'acct')], host => $ht,
    profile => $rp);
$dns->rules(@system, own('\d+'), @end);
$d = details($w, checked());
is(scalar keys %$d, 8, 'the small profile has eight lists');
is($_->{reason}, $say,
    "the text of $_->{zone} is whole") for @$d{sort keys %$d};
is(scalar @{ (values %$d)[0]{codes} }, 3,
    'a list of the small profile keeps three codes');

ok(stop_server($checkd), 'the daemon stops');
done_testing();
