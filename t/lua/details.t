#!/usr/bin/perl

# The stored details of an account's checks are bounded: the oldest go first,
# the counters match the contents, and scheduled checks without news cost
# nothing for it.

use strict;
use warnings;
use RblTest;
use Time::HiRes qw(usleep);
use RblScript;

use constant { EACH => 256, BUDGET => 200_000 };

redis_new();
my ($ac, $acct) = account();
my $details = k('details', $ac);

sub one_off {
    my ($size, %o) = @_;

    my $pp = sid('PP');
    script('check_start', [$acct], check => $pp, value => '192.0.2.1',
        family => 1, app => 'APx', keep => $o{keep} // 60_000);
    begin($acct, $pp, '');
    finish_check($acct, $pp, '', [map { listed_result($_,
        reason => 'x' x $size) } @{ $o{lists} // ['RBa'] }], '',
        budget => BUDGET);
    return $pp;
}
sub there {
    my @pp = sort map { /(PP\w+):d$/ }
        @{ cmd('KEYS', k('check', $ac, '*:d')) };
    return @pp;
}
sub octets {
    my $n = 0;
    $n += EACH + cmd('STRLEN', $_)
        for @{ cmd('KEYS', k('check', $ac, '*:d')) };
    return $n;
}
sub counted { return cmd('ZSCORE', $details, 'octets') }
sub exact {
    my ($name) = @_;

    is(counted(), octets(), "$name: the counted octets exist");
    is_deeply([sort map { /(PP\w+):/ } @{ cmd('ZRANGE', $details, 0, -1) }],
        [there()], "$name: each of them");
}

# below the budget all are kept

my @pp = map { one_off(10_000) } 1 .. 10;
is(scalar there(), 10, 'below the budget all stay');
exact('ten');
cmp_ok(cmd('PTTL', $details), '>', 50_000, 'the accounts end with them');

# beyond it the oldest are deleted

push @pp, map { one_off(10_000) } 1 .. 30;
cmp_ok(octets(), '<=', BUDGET, 'the budget holds');
cmp_ok(octets(), '>', BUDGET - 11_000,
    'the details use nearly the whole budget');
my $left = there();
is_deeply([there()], [sort @pp[-$left .. -1]], 'the newest are there');
exact('forty');
is(cmd('HGET', k('check', $ac, $pp[0]), 'status'), 'completed',
    'the check itself stays');
is(cmd('HGET', k('check', $ac, $pp[0]), 'details'), 1,
    'the check records that it had details');

# a large one replaces many small ones, in bounded steps

cmd('DEL', map { k('check', $ac, "$_:d") } there());
cmd('DEL', $details);
one_off(0) for 1 .. 500;
cmp_ok(octets(), '<=', BUDGET, 'small details stay within the budget');
my $before = there();
cmd('CONFIG', 'RESETSTAT');
my $big = one_off(60_000, lists => ['RBa', 'RBb']);
is(there() - $before - 1, -200,
    'a large check replaces 200 small ones at a time');
exact('a large one');
one_off(0) for 1 .. 5;
cmp_ok(octets(), '<=', BUDGET, 'the budget holds again');
exact('and small ones');

# expired details are not counted, wherever they were

cmd('DEL', map { k('check', $ac, "$_:d") } there());
cmd('DEL', $details);
my $long = one_off(1000, keep => 600_000);
script('check_start', [$acct], check => my $short = sid('PP'),
    value => '192.0.2.1', family => 1, app => 'APx', keep => 1);
begin($acct, $short, '');
script('check_finish', [$acct], job => handle($acct, $short, ''),
    told => packed([listed_result('RBa')]), lists => 1,
    all => packed([listed_result('RBa')]), keep => 300, interval => 600,
    events => '1', soon => 0, details => BUDGET);
exact('long and short');
wait_for { !cmd('EXISTS', k('check', $ac, "$short:d")) } 5, 'it to end';
my $next = one_off(1000);
exact('one has expired');
is_deeply([there()], [sort $long, $next], 'the others stay');
cmp_ok(cmd('PTTL', $details), '>', 500_000, 'the accounts outlive them all');

# accounts have separate budgets

my ($ac2, $acct2) = account();
script('check_start', [$acct2], check => my $theirs = sid('PP'),
    value => '192.0.2.1', family => 1, app => 'APx', keep => 60_000);
begin($acct2, $theirs, '');
finish_check($acct2, $theirs, '', [listed_result('RBa')], '',
    budget => BUDGET);
one_off(60_000) for 1 .. 4;
ok(cmd('EXISTS', k('check', $ac2, "$theirs:d")), "another account's stay");

# scheduled checks without news cost nothing

my $ht = unpacked(add_host($acct, 'rbl', '192.0.2.1')->[1])->[1];
my ($job) = grep { /$ht/ } take('d', 9);
my (undef, $pp) = split /:/, $job;
begin($acct, $pp, $ht);
cmd('CONFIG', 'RESETSTAT');
finish_check($acct, $pp, $ht, [result('RBa', 'clear'), result('RBb', 'clear')],
    '', part => 1, events => '0');
my $stats = cmd('INFO', 'commandstats');
unlike($stats, qr/cmdstat_(?:pttl|zrangebyscore)/, 'no command of these');
like($stats, qr/cmdstat_zadd:calls=1,/, 'the schedule alone');

done_testing();
