#!/usr/bin/perl
# rblctl check and queue.

use strict;
use warnings;

use lib 't/lib';
use RblTest;

my $redis = start_redis();
my $dir = temp_dir();
my $rbldnsd = start_rbldnsd(zones => [
    ['a.test', 'ip4set', ":127.0.0.2:A says \$\n127.0.0.2\n192.0.2.1\n"],
    ['b.test', 'ip4set', ":127.0.0.3:B\n127.0.0.2\n192.0.2.2\n"],
    ['r.test', 'ip4set', ":127.255.255.254:Go away\n192.0.2.0/24\n"],
    ['u.test', 'dnset', ":127.0.0.2:\e[31mU\n.bad.example\n"],
]);
my $unbound = start_unbound(stubs => { map { ($_ => $rbldnsd) }
    qw(a.test b.test r.test u.test) });
my $resolver = "127.0.0.1\@$unbound->{port}";
my ($r, $v);

sub lists_file {
    my ($name, @zones) = @_;

    write_file("$dir/$name.json", '{"version": 1, "lists": ['
        . join(', ', map { my ($zone, $type, $families) = @$_;
            qq({"zone": "$zone", "name": "$zone", "type": "$type",
                "families": [$families], "codes": ["127.0.0.2=spam"]}) }
            @zones) . ']}');
    return "$dir/$name.json";
}

my $ab = lists_file('ab', ['a.test', 'rbl', '"ipv4"'],
    ['b.test', 'rbl', '"ipv4"'], ['u.test', 'uribl', '"domain"']);
my $abr = lists_file('abr', ['a.test', 'rbl', '"ipv4"'],
    ['r.test', 'rbl', '"ipv4"']);

sub check {
    my ($host, $file, @more) = @_;

    return rblctl(undef, 'check', $host, '--resolver', $resolver,
        $file ? ('--lists', $file) : (), @more);
}

# verdicts and exit status, without a store
is(check('192.0.2.9', $ab)->{status}, 0, 'check exits with 0 for a clear host');
is(check('192.0.2.1', $ab)->{status}, 1,
    'check exits with 1 for a listed host');
is(check('192.0.2.9', $abr)->{status}, 2,
    'check exits with 2 when a list refuses');
is(check('192.0.2.1', $abr)->{status}, 1,
    'check exits with 1 for a listed host although a list refuses');

$r = check('192.0.2.1', $ab);
like($r->{out}, qr/^LIST +VERDICT +HEALTH +CODES +REASON +MS$/m,
    'check prints a table of the lists');
like($r->{out},
    qr/^a\.test +listed +good +127\.0\.0\.2 +A says 192\.0\.2\.1 +[\d.]+$/m,
    'the listing has its code, reason and time');
like($r->{out}, qr/^b\.test +clear /m, 'the other list is clear');
unlike($r->{out}, qr/u\.test/, 'a list of domains is not queried');
like($r->{out}, qr/^192\.0\.2\.1: listed \(1 of 2 lists list it, 0 unknown\)$/m,
    'the last line counts the listings');
is($r->{err}, '', 'check shows no progress without a terminal');

$v = json(check('192.0.2.9', $abr, '--json')->{out});
is_deeply([@$v{qw(host status total listed unknown)}],
    ['192.0.2.9', 'unknown', 2, 0, 1], 'the JSON of check has the totals');
my ($refused) = grep { $_->{zone} eq 'r.test' } @{ $v->{lists} };
is_deeply([@$refused{qw(status error)}], ['unknown', 'blocked'],
    'a refusal is reported as unknown');
is(json(check('::ffff:192.0.2.1', $ab, '--json')->{out})->{host}, '192.0.2.1',
    'check queries the canonical form of an address');

$r = check('x.bad.example', $ab);
is($r->{status}, 1, 'check finds the listing of a domain');
unlike($r->{out}, qr/\e/, 'check escapes control bytes of a TXT record');
is(check('x.bad.example.', $ab)->{status}, 1,
    'check accepts a domain with a trailing dot');
is(check('good.example', $ab)->{status}, 0,
    'check exits with 0 for a clear domain');

# no responses
my $silent = free_port();
$r = rblctl(undef, 'check', '192.0.2.1', '--lists', $ab, '--resolver',
    "127.0.0.1\@$silent");
is($r->{status}, 2, 'check exits with 2 when the resolver is silent');
like($r->{out}, qr/^a\.test +unknown +untried +network/m,
    'the table has the network error of the list');

# input
for my $case (['', 'nothing'], ['192.0.2.0/24', 'a subnet'], ['a b', 'a blank'],
    ['a.-x.example', 'a hyphen'], ['x' x 300, 'too long'], ["a\e.example",
    'a control byte'], ['localhost', 'one label'])
{
    $r = check($case->[0], $ab);
    is($r->{status}, 3, "check exits with 3 for invalid input: $case->[1]");
    like($r->{err}, qr/\Arblctl: .*neither an address nor a domain.*\n\z/,
        "the message names the invalid input: $case->[1]");
}
$r = check('2001:db8::1', $ab);
is($r->{status}, 3, 'check exits with 3 when no list accepts the address');
like($r->{err}, qr/no active list takes 2001:db8::1/,
    'the message says that no list takes the address');
is(check('192.0.2.1', "$dir/none.json")->{status}, 3,
    'check exits with 3 for a missing file of lists');
$r = rblctl(undef, 'check', '192.0.2.1', '--lists', $ab, '--resolver', 'x');
is($r->{status}, 3, 'check exits with 3 for an invalid resolver');
like($r->{err}, qr/resolver/, 'the message names the invalid resolver');

# the lists of the store
$r = rblctl($redis, 'check', '192.0.2.1', '--resolver', $resolver);
is($r->{status}, 3, 'check exits with 3 before init');
like($r->{err}, qr/--lists FILE/, 'the message suggests --lists');
init_store($redis, lists => $ab, partitions => 2);
is(rblctl($redis, 'check', '192.0.2.1', '--resolver', $resolver)->{status}, 1,
    'check queries the lists of the store');
rblctl($redis, 'lists', 'disable', 'a.test');
is(rblctl($redis, 'check', '192.0.2.1', '--resolver', $resolver)->{status}, 0,
    'check does not query a disabled list');

# queue
$v = json(rblctl($redis, 'queue', '--json')->{out});
is(scalar @$v, 3, 'queue shows two partitions and the sum');
is($v->[2]{partition}, 'all', 'queue shows the sum last');
my $old = int((time - 100) * 1000);
redis($redis, 'ZADD', 'rbl:{1}:due', $old, 'AC1');
redis($redis, 'ZADD', 'rbl:{1}:due:AC1', $old, 'HT1');
redis($redis, 'HSET', 'rbl:{1}:flight:due', 'AC1:HT2', 'PP1:1:1:me');
redis($redis, 'ZADD', 'rbl:{0}:manual', time * 1000, 'AC2');
redis($redis, 'RPUSH', 'rbl:{0}:manual:AC2', 'PP2:');
my $soon = time * 1000 + 30_000;
redis($redis, 'ZADD', 'rbl:{0}:due', $soon, 'AC2', $soon, 'AC3');
redis($redis, 'ZADD', 'rbl:{0}:due:AC2', $soon, 'HT3');
redis($redis, 'ZADD', 'rbl:{0}:due:AC3', time * 1000 + 3_600_000, 'HT4');
redis($redis, 'XADD', 'rbl:{0}:outbox', '*', 'a', 'x');
redis($redis, 'ZADD', 'rbl:{1}:retry', 1, 'x');
redis($redis, 'ZADD', 'rbl:{1}:digests', 1, 'x', 2, 'y');
$v = json(rblctl($redis, 'queue', '--json')->{out});
my $all = $v->[2];
is_deeply([@$all{qw(manual due pending soon scheduled outbox deliveries
    digests)}], [1, 1, 1, 2, 3, 1, 1, 2],
    'the sum counts the waiting work of both partitions');
cmp_ok($all->{oldest}, '>=', 99, 'the oldest check is at least 99 seconds old');
cmp_ok($all->{oldest}, '<', 200,
    'the oldest check is less than 200 seconds old');
is_deeply([@{ $v->[0] }{qw(manual due pending)}], [1, 0, 0],
    'queue counts the manual check in partition 0');
is_deeply([@{ $v->[1] }{qw(manual due pending)}], [0, 1, 1],
    'queue counts the due and pending checks in partition 1');
like(rblctl($redis, 'queue')->{out}, qr/^all +1 +1 +1 /m,
    'queue prints a table');

done_testing();
