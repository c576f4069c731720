#!/usr/bin/perl

# hosts/read: what pasted lines are; and host/add, which takes a host with its
# comment, quotes, brackets and name.  No line is lost.

use strict;
use warnings;

use Test::More;

use RblPortal;

my $t = portal_setup();
my $admin = sign_in($t, role => 'admin');

sub read_lines {
    my (@lines) = @_;

    return accepted(portal($t, $admin, 'POST', 'hosts/read.json',
        fields => { lines => \@lines }), @lines . ' lines are read')->{data};
}
sub told {
    return join ' / ', map { join '|', @$_{qw(line host name type hosts
        problem)} } @{ read_lines(@_) };
}

for (['192.0.2.10 # mx1', '0|192.0.2.10||rbl|1|'],
    ['"192.0.2.10";"gateway"', '0|192.0.2.10|gateway|rbl|1|'],
    ['192.0.2.11,"mx2, Frankfurt"', '0|192.0.2.11|mx2, Frankfurt|rbl|1|'],
    ['[2001:DB8:0::1]', '0|2001:db8::1||rbl|1|'],
    ['192.0.2.13 mx4.example.com', '0|192.0.2.13|mx4.example.com|rbl|1|'],
    ['Example.COM.', '0|example.com||uribl|1|'],
    ["b\x{fc}cher.example", '0|xn--bcher-kva.example||uribl|1|'],
    ['203.0.113.0/29 net', '0|203.0.113.0/29|net|ip_range|8|'],
    ['203.0.113.1/32', '0|203.0.113.1||rbl|1|'],
    ['192.0.2.1,192.0.2.2', '0|192.0.2.1||rbl|1| / 0|192.0.2.2||rbl|1|'],
    ['# nothing', ''], [' ', ''],
    ['203.0.113.1/29', '0|203.0.113.1/29|||1|host_bits'],
    ['203.0.113.0/255.255.255.0', '0|203.0.113.0/255.255.255.0|||1|not_subnet'],
    ['10.0.0.0/8', '0|10.0.0.0/8|||1|subnet_large'],
    ['192.0.2.10-20', '0|192.0.2.10-20|||1|short_range'],
    ['192.0.2.*', '0|192.0.2.*|||1|short_range'],
    ['192.0.2.1O', '0|192.0.2.1O|||1|not_host'],
    ['ip,label', '0|ip,label|||1|not_host'],
    ['https://example.com/', '0|https://example.com/|||1|not_host'])
{
    is(told($_->[0]), $_->[1], "the line \"$_->[0]\" is read");
}
is(told('x', '', '# c', '192.0.2.1, a', 'y'), '0|x|||1|not_host / '
    . '3|192.0.2.1|a|rbl|1| / 4|y|||1|not_host', 'lines have their numbers');
is_deeply(read_lines(), [], 'no lines have no hosts');

# Ten thousand lines, half of them wrong, as the page sends them.
my %seen;
for my $part (0 .. 33) {
    my @lines = map { $_ % 2 ? "192.0." . int($_ / 250) . '.' . $_ % 250
        . ", host $_" : "192.0.$_.x # $_" } $part * 300 .. $part * 300 + 299;
    for my $host (@{ read_lines(@lines) }) {
        $seen{ $host->{problem} }{"$part $host->{line}"}++;
    }
}
is(join(' ', map { "$_:" . keys %{ $seen{$_} } } sort keys %seen),
    ':5100 short_range:5100', 'each of 10,200 lines has its answer');

# --- host/add ----------------------------------------------------------------

sub add {
    my ($host, $type) = @_;

    return call($t, 'POST', 'host/add.json', form => { host => $host,
        name => 'n', type => $type // 'rbl' });
}
for (['192.0.2.20 # mx1', '192.0.2.20'], ['"192.0.2.21"', '192.0.2.21'],
    ['[2001:db8::20]', '2001:db8::20'], ['192.0.2.22 mx.example',
    '192.0.2.22'], ['192.0.2.23,mx.example.com', '192.0.2.23'],
    ['<mail.example.com>', 'mail.example.com'],
    ["'shop.example.com' # x", 'shop.example.com', 'uribl'],
    ['192.0.2.24/32;"one"', '192.0.2.24'])
{
    my ($text, $host, $type) = @$_;
    is(accepted(add($text, $type), "host/add takes $text")->{data}[0]{host},
        $host, "host/add adds $host");
}
is(accepted(add('203.0.113.8/30 # net', 'ip_range'), 'a range')->{data}[0]
    {host}, '203.0.113.8/30', 'host/add takes a subnet with a comment');
unchanged {
    for my $text ('192.0.2.30,192.0.2.31', '192.0.2.30 192.0.2.31',
        'a.test,b.test', '# 192.0.2.30', '192.0.2.30 255.255.255.0', '""', '[',
        '192.0.2.30 # ' . 'x' x 2000)
    {
        refused(add($text), 400, qr/^Invalid host value/,
            'host/add refuses ' . substr $text, 0, 40);
    }
    refused(add('192.0.2.1 - 192.0.2.9'), 400, qr/written as a subnet/,
        'host/add gives a hint for a range');
} $t, 'bad hosts';

done_testing();
