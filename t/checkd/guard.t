#!/usr/bin/perl

# A list turns positive for 300 hosts at once and still passes its test points.
# Two daemons monitor the hosts.  If the list is wildcarding, nothing is
# announced.  If the listings are real, the list is frozen until a sample
# passes, and then they are announced.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;

my $N = 300;
my $listed = { a => ['127.0.0.2'], txt => ['listed'], ttl => 1 };
my $clear = { rcode => 'nxdomain', soa => ['test', 1, 1] };
my @controls = ([ '^2\.0\.0\.127\.', $listed ], [ '\.127\.\w+\.test ', $clear ]);

my $dns = RblDns->new(rules => [ @controls, [ '.', $clear ] ]);
my $w = world(no_dns => 1, zones => {
    'mass.test' => { control => 'ip' } });
my @checkd = map { start_checkd(store => $w->{redis},
    resolver => { port => $dns->port },
    conf => { conf_short(dns_timeout => '2s', check_timeout => '20s',
        lease => '41s', checks_max => 100) }) } 1, 2;

my ($list) = @{ redis($w->{redis}, 'ZRANGE', redis_key('lists', 0), 0, -1) };
my $key = redis_key({ partitions => $w->{partitions} }, 'list', $list);
my %host = %{ add_many($w, map { "10.1." . ($_ >> 7) . '.' . ($_ & 127) }
    1 .. $N) };

sub field { return redis($w->{redis}, 'HGET', $key, $_[0]) }
sub listings { return redis($w->{redis}, 'ZCARD', listed_key()) }
sub listed_key { return redis_key({ partitions => $w->{partitions} }, 'listed',
    $w->{acct}{sid}) }
sub told { my $n = 0; $n += log_count($_, $_[0]) for @checkd; return $n }

# One check of each host; {"status error" => number}.
sub check_all {
    my ($what) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @pp = map { check_host($w, $_) } values %host;
    my @left = @pp;
    eventually { !(@left = grep { (check_state($w, $_)->{status} // '')
        !~ /completed|failed/ } @left) } 90, $what;
    my %n;
    for my $pp (@pp) {
        my $d = details($w, $pp)->{'mass.test'} // {};
        $n{ join ' ', grep { length } @$d{qw(status error)} }++;
    }
    diag join ', ', map { "$n{$_} $_" } sort keys %n if $ENV{GUARD_SHOW};
    return \%n;
}

is_deeply(check_all('all are checked'), { clear => $N },
    'no host is listed at first');
eventually { jobs_left($w) == 0 } 30, 'no job is left after the first checks';
is(field('frozen'), undef, 'the list is not frozen at first');

# --- wildcarding, except for its test points and 127/8 ----------------------

$dns->rules(@controls, [ '.', $listed ]);
for my $time ('', ' again') {
    is_deeply(check_all("all are checked$time"), { 'unknown unhealthy' => $N },
        'wildcarding detected by random names announces no listing');
    is(listings(), 0, 'the hosts keep their state');
}
is(field('frozen'), undef,
    'wildcarding detected by random names does not freeze the list');

# --- the operator ----------------------------------------------------------

redis($w->{redis}, 'HSET', $key, 'frozen', time * 1000, 'turned', 10, 'of', 12);
like(rblctl($w->{redis}, 'lists', 'show')->{out}, qr/frozen/,
    'rblctl lists show has the frozen list');
my $r = rblctl($w->{redis}, 'lists', 'thaw', 'mass.test');
is($r->{status}, 0, 'the operator thaws it') or diag $r->{err};
is(field('frozen'), undef, 'the list is not frozen after the thaw');
redis($w->{redis}, 'HDEL', $key, 'passed', 'passes');

# --- sound again -----------------------------------------------------------

# The list is trusted again after it has passed its test points for a while.
$dns->rules(@controls, [ '.', $clear ]);
my ($one) = values %host;
eventually { verdict($w, $one, 'mass.test') eq 'clear ' } 120,
    'one host is clear as before';
eventually { (check_all('all are checked')->{clear} // 0) == $N } 120,
    'all hosts are clear as before';

# --- real listings ---------------------------------------------------------

$dns->rules(@controls, [ '\.10\.mass\.test ', $listed ], [ '.', $clear ]);
eventually { (check_all('all are checked')->{listed} // 0) == $N } 90,
    'the real listings are announced';
is(listings(), $N, 'every host has a current listing');
cmp_ok(told('mass\.test is frozen'), '>', 0,
    'the log says that the list is frozen');
cmp_ok(told('mass\.test passes its test points'), '>', 0,
    'the log says that the list passes its test points');
eventually { jobs_left($w) == 0 } 30, 'no check is in flight';
is(field('frozen'), undef, 'the list is not frozen at the end');

$r = rblctl($w->{redis}, 'fsck');
is($r->{status}, 0, 'fsck finds nothing') or diag $r->{out};

ok(stop_server($_), 'a daemon stops') for @checkd;
is($_->{status}, 0, 'the daemon exits with status 0') for @checkd;
$dns->stop;
done_testing();
