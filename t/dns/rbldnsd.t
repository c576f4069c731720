#!/usr/bin/perl

# 20,000 queries to a real rbldnsd: 500 addresses, 40 lists.

use warnings;
use strict;

use File::Temp ();
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use RblDns;
use RblDnsAsk;

my ($bin) = grep { -x } map { "$_/rbldnsd" }
    split(/:/, $ENV{PATH}), '/usr/sbin', '/usr/local/sbin';
plan skip_all => 'no rbldnsd' unless $bin;

my $dir = File::Temp->newdir;
chmod 0755, "$dir";

sub spew {
    my ($name, $text) = @_;
    open my $fh, '>', "$dir/$name" or die "$name: $!";
    print $fh $text;
    close $fh;
}


# Even last octets are listed; the third octet gives the code.
spew('ip4', '$SOA 3000 ns.test admin.test 0 3600 600 86400 90' . "\n"
     . '$TTL 600' . "\n"
     . join('', map { my $b = $_; map { "10.0.$b.$_ :127.0.0." . ($b + 2)
                . ':Listed, see http://lists.test/$' . "\n" }
                grep { $_ % 2 == 0 } 0 .. 249 } 0 .. 1));
spew('names', ':127.0.1.2:A domain' . "\n" . "bad.example\n.worse.example\n");

my $port = RblDns::closed_port();
my $parent = $$;
my $pid = fork();
die "fork: $!" unless defined $pid;

if ($pid == 0) {
    open STDOUT, '>', "$dir/log";
    open STDERR, '>&', \*STDOUT;
    exec $bin, '-n', '-b', "127.0.0.1/$port",
        ($> == 0 ? ('-u', 'nobody') : ()), '-r', "$dir",
        (map { "z$_.test:ip4set:ip4" } 1 .. 40), 'dom.test:dnset:names'
        or POSIX::_exit(126);
}

END {
    if ($pid && $$ == $parent) {
        local $?;
        kill 'TERM', $pid;
        waitpid $pid, 0;
    }
}

my @r = (-r => "127.0.0.1\@$port", -t => 2);
my ($v, $c, $until) = (undef, undef, time + 10);

do {
    sleep 0.05;
    ($v) = one(\@r, '2.0.0.10.z1.test');
} while ($v->{status} ne 'NOERROR' && time < $until);

is("$v->{status} $v->{a} $v->{ttl}", 'NOERROR 127.0.0.2 600',
    'a listed address has its code and TTL');
($v) = one([@r, -T => 'txt'], '2.1.0.10.z40.test');
is($v->{txt}, 'Listed, see http://lists.test/10.0.1.2',
    'the TXT has the reason of the listing');
($v) = one(\@r, '3.0.0.10.z1.test');
is("$v->{status} $v->{ttl}", 'NXDOMAIN 90',
    'a clear address has the negative TTL');
($v) = one(\@r, 'www.worse.example.dom.test');
is("$v->{status} $v->{a}", 'NOERROR 127.0.1.2',
    'a domain below a wildcard is listed');
($v) = one(\@r, 'www.bad.example.dom.test');
is($v->{status}, 'NXDOMAIN',
    'a domain below an entry without a wildcard is clear');
($v) = one(\@r, '1.0.0.127.elsewhere.test');
is($v->{status}, 'REFUSED', 'a query for an unknown zone is refused');

my @names = map { my $z = $_; map { my $b = $_; map {
    "$_.$b.0.10.z$z.test z$z.test" } 0 .. 249 } 0 .. 1 } 1 .. 40;
($v, $c) = dnsask([@r, -f => 100], @names);

my $wrong = grep {
    my ($last, $third) = /^(\d+)\.(\d+)/;
    my $got = $v->{(split / /)[0]};
    my $want = $last % 2 ? 'NXDOMAIN ' : 'NOERROR 127.0.0.' . ($third + 2);
    !$got || @$got != 1 || "$got->[0]{status} $got->[0]{a}" ne $want;
} @names;

is($wrong, 0, 'all 20,000 queries get the right response');
is($c->{dropped}, 0, 'no reply is dropped');

my (undef, $run) = dnsask([@r, -f => 100, '-q', -R => 5], @names);
is($run->{answered}, 100_000, '100,000 queries get a response');
is($run->{listed}, 50_000, 'half of 100,000 queries find a listing');
note "rbldnsd: $run->{rate} questions/s, $run->{cpu_us} us CPU a question";

done_testing();
