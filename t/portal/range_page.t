#!/usr/bin/perl

# The addresses of a range in a browser: squares of cells, what is listed and
# when it was; by keyboard; any subnet; in English and German.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup(lists => 1);
my $ac = $t->{acct}{sid};
my ($now, $day) = (int(time) * 1000, 86_400_000);
my $range = add_host($t, '198.18.0.0/22', type => 'ip_range', name => 'VPS');
my $who = sign_in($t);
sub id_of { return json(portal($t, $who, 'GET',
    "hosts/find.json?text=$_[0]"))->{data}[0]{id} }
my @listed = map { id_of($_) } '198.18.0.17', '198.18.3.40';
my $single = add_host($t, '203.0.113.7', name => '<b>')->{id};
add_host($t, '2001:db8::25');
redis($t->{redis}, 'DEL', redis_key('states', $ac));
list_host($t, $_, since => $now - 2 * $day) for @listed, $single;
for my $e ([$listed[0], 60, 'listed'], [$listed[0], 50, 'clear'],
    [$listed[0], 2, 'listed'], [$listed[1], 2, 'listed'])
{
    my ($id, $ago, $status) = @$e;
    redis($t->{redis}, 'XADD', redis_key('hist', $ac, $id),
        $now - $ago * $day . '-0', 'c', sid_of('PP'), 't',
        mp_pack([[\('RB' . '0' x 31 . '1'), \'list1.test', \$status,
            \'127.0.0.2']]));
}
browser_run($t, 'range', range => $range->{id}, host => $listed[0],
    last => $listed[1], single => $single, who => [
    { link => add_user($t)->{link}, locale => 'en-GB', acts => 1,
        counts => 'listed 2,clear 1,022',
        says => '90 days: 2 listed addresses now, at most 2.',
        week => '7 days', name => '198.18.0.17 listed', none => 'not monitored' },
    { link => add_user($t, role => 'viewer')->{link}, locale => 'de-DE',
        acts => 0, counts => 'gelistet 2,frei 1.022',
        says => "90 Tage: jetzt 2 gelistete Adressen, h\x{f6}chstens 2.",
        week => '7 Tage', name => '198.18.0.17 gelistet',
        none => "nicht \x{fc}berwacht" }]);

done_testing();
