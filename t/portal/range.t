#!/usr/bin/perl

# range/cells and range/history: addresses of ranges and single ones, their
# states, those that are listed and what changed; what is refused.

use strict;
use warnings;

use Test::More;

use RblPortal;

my $t = portal_setup(lists => 1);
my $me = sign_in($t, role => 'viewer');
my $ac = $t->{acct}{sid};

sub cells {
    my ($query) = @_;

    return accepted(portal($t, $me, 'GET', "range/cells.json?$query"),
        "range/cells $query")->{data};
}
sub history {
    my ($query) = @_;

    return accepted(portal($t, $me, 'GET', "range/history.json?$query"),
        "range/history $query");
}
sub states { return join ' ', map { "$_->{host} $_->{state}" }
    @{ $_[0]{cells} } }

my $empty = cells('net=198.18.3.17');
is_deeply([@$empty{qw(net parts part first size range next)}],
    ['198.18.3.0/24', 1, 0, '198.18.3.0', 256, undef, undef],
    'an address stands for its /24');
is_deeply([@$empty{qw(cells listed)}], [[], []], 'nothing is monitored there');
is(cells('net=2001:db8::ff17')->{net}, '2001:db8::ff00/120',
    'an address of IPv6 stands for its /120');
is(cells('net=198.18.3.17/28')->{net}, '198.18.3.16/28',
    'bits of a host do not matter');

my ($range) = add_host($t, '198.18.0.0/22', type => 'ip_range', name => 'VPS');
my %id = map { $_ => json(portal($t, $me, 'GET',
    "hosts/find.json?text=$_"))->{data}[0]{id} }
    '198.18.1.0', '198.18.3.17', '198.18.3.40';
my $single = add_host($t, '203.0.113.7')->{id};
my $domain = add_host($t, 'example.com', type => 'uribl');

my $data = cells('net=198.18.0.0/22');
is_deeply([@$data{qw(parts part size)}, scalar @{ $data->{cells} }],
    [4, 0, 256, 256], 'a range of 1,024 addresses has four parts');
is($data->{range}{id}, $range->{id}, 'a range is there with its record');
is_deeply([map { $_->{place} } @{ $data->{cells} }], [0 .. 255],
    'cells come in the order of the addresses');
is(cells('net=198.18.0.0/22&part=3')->{first}, '198.18.3.0',
    'the last part begins at its address');
$data = cells('net=198.18.3.0/24');
is($data->{range}{host}, '198.18.0.0/22',
    'a subnet of a range has the range around it');
is(cells('net=198.18.0.0/16&part=3')->{cells}[17]{id}, $id{'198.18.3.17'},
    'a subnet around a range has its addresses');
$data = cells('net=203.0.113.0/29');
is(states($data), '203.0.113.7 unknown', 'a single host is a cell, too');
is($data->{cells}[0]{id}, $single, 'a cell has the id of its host');
is($data->{size}, 8, 'a small subnet has few addresses');

# --- states ------------------------------------------------------------------

my $now = int(time) * 1000;
list_host($t, $id{'198.18.3.17'}, since => $now - 7_200_000, lists => 7);
list_host($t, $id{'198.18.3.40'}, since => $now - 3_600_000);
redis($t->{redis}, 'ZREM', redis_key('states', $ac), $id{'198.18.1.0'});
$data = cells('net=198.18.3.0/24');
is_deeply([map { "$_->{place} $_->{id}" } grep { $_->{state} eq 'listed' }
    @{ $data->{cells} }], ["17 $id{'198.18.3.17'}", "40 $id{'198.18.3.40'}"],
    'cells of listed addresses');
like($data->{cells}[17]{since}, qr/^2\d{3}-\d\d-\d\dT/,
    'a listed address has the time of its listing');
is($data->{cells}[18]{since}, '', 'others have none');
my @listed = @{ $data->{listed} };
is(join(' ', map { $_->{host} } @listed), '198.18.3.17 198.18.3.40',
    'the listed addresses are there with names');
is_deeply([$listed[0]{total_lists}, scalar @{ $listed[0]{lists} },
    $listed[0]{weight}], [7, 5, ''], 'five lists of each are shown');
$data = cells('net=198.18.3.0/24&after=18');
is(join(' ', map { $_->{host} } @{ $data->{listed} }), '198.18.3.40',
    'a later slice has the next ones');
is(cells('net=198.18.1.0/24')->{cells}[0]{state}, 'clear',
    'an address that is not in the index of states is clear');
redis($t->{redis}, 'HSET', redis_key('uniq', $ac), 'rbl|203.0.113.1',
    sid_of('HT'));
is(states(cells('net=203.0.113.0/29')), '203.0.113.7 unknown',
    'an address that is still to be made has no state');

list_host($t, json(portal($t, $me, 'GET',
    "hosts/find.json?text=198.18.2.$_"))->{data}[0]{id}) for 0 .. 70;
$data = cells('net=198.18.2.0/24');
is_deeply([scalar @{ $data->{listed} }, $data->{next}], [64, 64],
    'a slice has at most 64 listed addresses');
$data = cells('net=198.18.2.0/24&after=64');
is_deeply([scalar @{ $data->{listed} }, $data->{next}], [7, undef],
    'the last slice has the rest');

# --- history -----------------------------------------------------------------

my ($pp, $rb, $entry) = (sid_of('PP'), sid_of('RB'), 0);
sub change {
    my ($host, $ago, $status) = @_;

    redis($t->{redis}, 'XADD', redis_key('hist', $ac, $id{$host}),
        $now - $ago * 86_400_000 . '-' . ++$entry, 'c', $pp, 't',
        mp_pack([[\$rb, \'list.test', \$status, \'127.0.0.2']]));
}
is_deeply([@{ history('net=198.18.3.0/24') }{qw(data next)}], [[], undef],
    'no changes yet');
change('198.18.3.17', 95, 'listed');
change('198.18.3.17', 40, 'clear');
change('198.18.3.17', 3, 'listed');
change('198.18.3.40', 5, 'listed');
my $all = history('net=198.18.3.0/24');
is(join(' ', map { "$_->{host} $_->{changes}[0]{status}" } @{ $all->{data} }),
    '198.18.3.17 listed 198.18.3.17 clear 198.18.3.40 listed',
    'changes of one address after the other, of 90 days');
is_deeply($all->{data}[0]{changes}, [{ id => $rb, host => 'list.test',
    status => 'listed', codes => '127.0.0.2' }], 'a change says which list it was');
is(scalar @{ history('net=198.18.3.0/24&days=4')->{data} }, 1,
    'changes of fewer days');
is(scalar @{ history('net=198.18.3.0/24&after=18')->{data} }, 1,
    'changes from a place on');
for my $host ('198.18.3.17', '198.18.3.40') {
    change($host, 1, $_ % 2 ? 'listed' : 'clear') for 1 .. 150;
}
my ($after, $n, $calls) = (0, 0, 0);
while (defined $after && $calls++ < 9) {
    my $r = history("net=198.18.3.0/24&after=$after");
    $n += @{ $r->{data} };
    $after = $r->{next};
}
is_deeply([$n, defined $after ? 1 : 0], [303, 0], 'slices have all changes');

# --- a plan that has expired, and refusals -----------------------------------

for my $query ('', 'net=', 'net=example.com', 'net=198.18.0.0/15', 'net=::/111',
    'net=198.18.0.0/33')
{
    refused(portal($t, $me, 'GET', "range/cells.json?$query"), 400, qr/net/,
        "range/cells refuses '$query'");
}
for my $query ('part=1', 'part=256', 'part=x', 'after=256') {
    refused(portal($t, $me, 'GET', "range/cells.json?net=198.18.3.0/24&$query"),
        400, qr/part|after/, "range/cells refuses $query");
}
refused(portal($t, $me, 'GET', "range/history.json?net=198.18.3.0/24&days=$_"),
    400, qr/days/, "range/history refuses $_ days") for 0, 91, 'x';

lapse($t, $t->{acct});
$data = cells('net=198.18.3.0/24');
is_deeply([scalar(grep { $_->{state} ne 'unknown' } @{ $data->{cells} }),
    scalar @{ $data->{listed} }], [0, 0],
    'no address is known to be listed after the end of the plan');

done_testing();
