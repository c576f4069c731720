package RblNeighboursOwn;

# More attacks on nginx and the store, from no row of the table of faults.
# RblNeighboursAttacks explains attacks.

use strict;
use warnings;

use RblNeighbours;
use RblNeighboursAttack;
use RblNeighboursAttacks;

use constant { DEEP => 1_000_000_000_000 };

# An account with so many ordinary hosts, in subnets of 1,024; {acct, hosts}.
sub many_hosts {
    my ($w, $n) = @_;

    return kept($w, "many $n", sub { hosts_added($w, $n) });
}

sub hosts_added {
    my ($w, $n) = @_;

    my $b = hostile($w, 'B');
    for my $i (0 .. $n / 1024 - 1) {
        my $r = http($w->{nginx}, 'POST', '/3.0/host/add.json', auth => $b,
            timeout => 30, form => { name => "subnet $i", type => 'rbl',
            host => join('.', 10, 30, 4 * $i, 0) . '/22' });
        die "host/add: $r->{raw}\n" if $r->{status} != 200;
        push @{ $b->{hosts} }, map { $_->{id} } @{ json($r)->{data} };
    }
    RblNeighbours::settled($w, 20);
    return { acct => $b };
}

sub page_of { return request($_[0], 'GET', "hosts.json?page_size=1000$_[1]") }


# --- slow clients ------------------------------------------------------------

define('own', 'slow readers', what => '100 clients read pages of 1,000 hosts '
    . '64 bytes at a time', setup => sub { many_hosts($_[0], 1024) },
    run => sub {
        my ($a, $w, $s) = @_;
        $a->slow(port => $w->{nginx}{port}, connections => 100,
            bytes => page_of($s->{acct}, ''));
    });

define('own', 'slow readers, HTTP/2', what => 'the same in 100 streams of each '
    . 'of 6 connections of HTTP/2, with windows of 100 bytes',
    setup => sub { many_hosts($_[0], 1024) },
    run => sub {
        my ($a, $w, $s) = @_;
        $a->slow(port => $w->{h2}, connections => 6,
            bytes => RblNeighboursAttack::h2_requests(
                '/3.0/hosts.json?page_size=1000', $s->{acct}, 100, 100));
    });

define('own', 'slow requests', what => '300 requests whose head, or body, '
    . 'comes one byte at a time',
    setup => sub { return { acct => hostile($_[0], 'B') } },
    run => sub {
        my ($a, $w, $s) = @_;
        my $whole = request($s->{acct}, 'POST', 'host/add.json',
            { host => '198.18.31.1', name => 'n' x 60_000, type => 'rbl' });
        my $head = index $whole, "\r\n\r\n";
        $a->drip(port => $w->{nginx}{port}, connections => 150,
            bytes => substr($whole, 0, $head - 20), more => 'x');
        $a->drip(port => $w->{nginx}{port}, connections => 150,
            bytes => substr($whole, 0, $head + 4), more => 'n');
    });


# --- fast clients ------------------------------------------------------------

define('own', 'huge pages', what => 'pages of 1,000 of an account with many '
    . 'hosts, one after the other, on 8 connections',
    setup => sub { my ($w, $o) = @_; many_hosts($w, $o->{long} ? 8192 : 1024) },
    run => sub {
        my ($a, $w, $s) = @_;
        my ($n, $pages) = (0, int(@{ $s->{acct}{hosts} } / 1000));
        $a->flood(port => $w->{nginx}{port}, connections => 8, rate => 80,
            next => sub { page_of($s->{acct},
                '&page=' . (1 + $n++ % $pages)) });
    });

define('own', 'ranges', what => 'ranges of 1,024 addresses are added and '
    . 'deleted in a loop, on 4 connections',
    setup => sub { return { acct => hostile($_[0], 'B') } },
    run => sub {
        my ($a, $w, $s) = @_;
        my @id;
        $a->flood(port => $w->{nginx}{port}, connections => 4, rate => 200,
            next => sub {
                my ($n) = @_;
                my $id = delete $id[$n];
                return request($s->{acct}, 'POST', "host/delete/$id.json", '')
                    if $id;
                return request($s->{acct}, 'POST', 'host/add.json',
                    { name => 'r', type => 'ip_range',
                    host => join('.', 10, 32, 4 * $n, 0) . '/22' });
            }, then => sub {
                my ($status, $body, undef, $n) = @_;
                ($id[$n]) = $body =~ /"data":\[?\{"id":"(HT\w+)"/
                    if $status == 200;
            });
    });

define('own', 'wrong tokens', what => '1,500 requests a second with a wrong '
    . 'token, for a host and for accounts that do not exist',
    refused => ['401'],
    setup => sub { return { acct => hostile($_[0], 'B') } },
    run => sub {
        my ($a, $w, $s) = @_;
        my $n = 0;
        $a->flood(port => $w->{nginx}{port}, connections => 32, rate => 1500,
            next => sub {
                my $sid = ++$n % 2 ? $s->{acct}{sid}
                    : 'AC' . sprintf '%032x', $n;
                request({ sid => $sid, token => 'f' x 64 }, 'GET',
                    "host/HT" . '0' x 32 . '.json') });
    });

define('own', 'writes over the limit', what => '1,000 writes a second of an '
    . 'application that has used up its hour', refused => ['429'],
    setup => sub {
        my ($w) = @_;
        my $b = hostile($w, 'B');
        RblNeighboursAttacks::used_up($w, $b);
        return { acct => $b };
    },
    run => sub {
        my ($a, $w, $s) = @_;
        my $bytes = request($s->{acct}, 'POST', 'host/add.json',
            { host => '198.18.32.0/22', name => 'n', type => 'rbl' });
        $a->flood(port => $w->{nginx}{port}, connections => 32, rate => 1000,
            next => sub { $bytes });
    });

define('own', 'pipelines', what => 'requests 64 at a time in the pipelines of '
    . '8 connections',
    setup => sub {
        my ($w) = @_;
        my $b = hostile($w, 'B');
        my ($ht) = in_data('HT', ask_all($b, request($b, 'POST',
            'host/add.json', { host => '198.18.36.1', name => 'n',
            type => 'rbl' })));
        return { acct => $b, host => $ht };
    },
    run => sub {
        my ($a, $w, $s) = @_;
        my $bytes = request($s->{acct}, 'GET', "host/$s->{host}.json");
        $a->flood(port => $w->{nginx}{port}, connections => 8, depth => 64,
            rate => 3000, next => sub { $bytes });
    });

define('own', 'deep pages', what => 'page 10^12 of 1,000 of all that has '
    . 'pages, 400 times a second on 16 connections',
    setup => sub { many_hosts($_[0], 1024) },
    run => sub {
        my ($a, $w, $s) = @_;
        my @what = qw(hosts listings contacts contactgroups rblprofiles rbls);
        my $n = 0;
        $a->flood(port => $w->{nginx}{port}, connections => 16, rate => 400,
            next => sub { request($s->{acct}, 'GET', $what[$n++ % @what]
                . '.json?page_size=1000&page=' . DEEP) });
    });

1;
