#!/usr/bin/perl
# rblctl lists: settings by hand survive a load of the catalogue, until the
# operator changes them; keys are never shown.

use strict;
use warnings;

use lib 't/lib';
use Digest::SHA qw(sha256_hex);
use JSON::XS ();
use RblTest;

my $redis = start_redis();
init_store($redis, partitions => 4);
my $dir = temp_dir();
my ($r, $v);

sub list_sid { return 'RB' . substr sha256_hex($_[0]), 0, 32 }

sub entry {
    my ($zone, %member) = @_;

    return { zone => $zone, name => "Name of $zone", type => 'rbl',
        families => ['ipv4'], codes => ['127.0.0.2=spam'], %member };
}

sub load {
    my ($lists, @killed) = @_;

    write_file("$dir/lists.json", JSON::XS->new->canonical->encode({
        version => 1, lists => $lists,
        killed => [map { { zone => $_, reason => 'of the file' } } @killed] }));
    my $got = rblctl($redis, 'lists', 'load', "$dir/lists.json");
    is($got->{status}, 0, 'lists load loads the file') or diag($got->{err});
    return;
}

my @all = (entry('a.test'), entry('b.test'),
    entry('d.test', type => 'uribl', families => ['domain'],
        names => 'full', min_interval => 3600, day_quota => 1000),
    entry('{key}.k.test', enabled => JSON::XS::false()));
load(\@all);

# The same in every partition.
sub record_of {
    my ($zone) = @_;

    my @r = map { record('list', redis($redis, 'GET', "rbl:{$_}:r:SYS:"
        . list_sid($zone))) } 0 .. 3;
    is_deeply($r[$_], $r[0], "$zone: the record is the same in every partition")
        for 1 .. 3;
    return $r[0];
}

sub order { return redis($redis, 'ZRANGE', 'rbl:{1}:lists', 0, -1) }

sub shown {
    my (@args) = @_;

    return json(rblctl($redis, 'lists', 'show', @args, '--stored',
        '--json')->{out});
}

sub done {
    my ($name, @args) = @_;

    my $got = rblctl($redis, 'lists', @args, '--json');
    is($got->{status}, 0, $name) or diag($got->{err});
    return $got->{status} == 0 ? json($got->{out}) : {};
}

sub refused {
    my ($name, $pattern, @args) = @_;

    my $got = rblctl($redis, ref $args[0] ? shift @args : (), 'lists', @args);
    is($got->{status}, 3, "$name is refused with exit status 3");
    like($got->{err}, $pattern, "$name: the message has the reason");
    is(() = $got->{err} =~ /\n/g, 1, "$name: the message has one line");
    return $got;
}


# --- override ---------------------------------------------------------------

my $before = record_of('d.test');
my $version = redis($redis, 'GET', 'rbl:{0}:lists:ver');
$v = done('override', 'override', 'd.test', '--names', 'registered',
    '--min-interval', '2h', '--rate', 7, '--day-quota', 0, '--weight', 'high',
    '--control', 'name:test');
is_deeply([@$v{qw(names min_interval rate day_quota weight control)}],
    ['registered', 7200, 7, 0, 'high', 'name:test'],
    'lists override shows the new values');
is_deeply([sort @{ $v->{by_hand} }],
    [sort qw(names min_interval rate day_quota weight control)],
    'lists override shows which fields are set by hand');
is(redis($redis, 'GET', 'rbl:{0}:lists:ver'), $version + 1,
    'lists override notifies daemons once');
my $after = record_of('d.test');
is_deeply([@$after{qw(names min_interval rate day_quota weight control)}],
    ['registered', 7200, 7, 0, 'high', 'name:test'],
    'the record has the overrides');
is_deeply([@$after{qw(zone name codes status families)}],
    [@$before{qw(zone name codes status families)}],
    'an override changes no other field');

load([@all[0, 1], { %{ $all[2] }, day_quota => 5000, name => 'New',
    control => 'none' }]);
$v = record_of('d.test');
is_deeply([@$v{qw(names min_interval rate day_quota weight name)}],
    ['registered', 7200, 7, 0, 'high', 'New'],
    'overrides are kept over a load');
$v = done('again', 'override', 'd.test', '--rate', 9);
is_deeply([@$v{qw(rate min_interval)}], [9, 7200],
    'a second override changes one field only');

$v = done('none', 'override', 'd.test', '--none');
is_deeply([@$v{qw(names min_interval rate day_quota weight control)}],
    ['full', 3600, 0, 5000, '', 'none'],
    '--none restores the values of the last file');
is_deeply($v->{by_hand}, [], 'no field is set by hand after --none');
is(redis($redis, 'HLEN', 'rbl:{2}:lists:override'), 0,
    'the store has no overrides after --none');

$v = done('servers', 'override', 'd.test', '--server', '192.0.2.1',
    '--server', '::1@5353');
is($v->{servers}, '192.0.2.1 ::1@5353', 'lists override sets two servers');
done('none', 'override', 'd.test', '--none');
is(rblctl($redis, 'lists', 'override', 'd.test', '--server', $_)->{status}, 3,
    "the server $_ is refused") for 'ns.test', '192.0.2.1@0', '1.2.3';
is(rblctl($redis, 'lists', 'override', 'd.test', map { ('--server',
    "192.0.2.$_") } 1 .. 9)->{status}, 3, 'nine servers are refused');

done('a rate', 'override', 'd.test', '--rate', 3, '--day-quota', 77);
$v = done('none, but', 'override', 'd.test', '--none', '--rate', 4);
is_deeply([@$v{qw(rate day_quota)}], [4, 5000],
    '--none keeps the override that is given with it');
done('none', 'override', 'd.test', '--none');

write_file("$dir/rules", "# rules\n\n127.0.0.5=five\r\n!127.0.0.9=refused\n");
$v = done('codes', 'override', 'a.test', '--codes', "$dir/rules");
is_deeply($v->{codes}, ['127.0.0.5=five', '!127.0.0.9=refused'],
    'lists override reads codes from a file');
load(\@all);
is_deeply(record_of('a.test')->{codes}, ['127.0.0.5=five',
    '!127.0.0.9=refused'], 'overridden codes are kept over a load');
done('none', 'override', 'a.test', '--none');
is_deeply(record_of('a.test')->{codes}, ['127.0.0.2=spam'],
    '--none restores the codes of the file');

write_file("$dir/bad", "127.0.0.5=five\nfrob\n");
write_file("$dir/latin1", "127.0.0.5=f\xfc\n");
refused("override @$_[1 .. $#$_]", $_->[0], 'override', 'd.test',
    @$_[1 .. $#$_]) for
    [qr/d\.test: names: must be one of/, '--names', 'none'],
    [qr/d\.test: min_interval: must be a whole/, '--min-interval', '1w'],
    [qr/d\.test: min_interval: must be a whole/, '--min-interval', 9999999],
    [qr/d\.test: rate: must be a whole number/, '--rate', '-1'],
    [qr/d\.test: rate: must be a whole number/, '--rate', 'x'],
    [qr/d\.test: day_quota: must be a whole/, '--day-quota', '9' x 30],
    [qr/d\.test: weight: must be one of/, '--weight', 'low'],
    [qr/d\.test: control: must be/, '--control', 'name:'],
    [qr/d\.test: codes\[1\]: "frob" is not a rule/, '--codes', "$dir/bad"],
    [qr/latin1: must be UTF-8/, '--codes', "$dir/latin1"],
    [qr/none: No such file/, '--codes', "$dir/none"],
    [qr/must be UTF-8/, '--weight', "\xff"],
    [qr/nothing to change was given/];
refused('names of a list of addresses', qr/a\.test: names: is for lists that/,
    'override', 'a.test', '--names', 'full');
refused('override of nothing', qr/there is no list none\.test/, 'override',
    'none.test', '--rate', 1);
is_deeply(record_of('d.test'), { %$before },
    'refused overrides change no record');

# A record of an older release has none of these fields.
my $old = mp_unpack(redis($redis, 'GET', 'rbl:{0}:r:SYS:' . list_sid('b.test')));
redis($redis, 'SET', "rbl:{$_}:r:SYS:" . list_sid('b.test'),
    mp_pack([@$old[0 .. 16]])) for 0 .. 3;
$v = done('an old record', 'override', 'b.test', '--day-quota', 9);
is($v->{day_quota}, 9, 'an old record takes an override');
$v = record_of('b.test');
is_deeply([@$v{qw(names min_interval rate day_quota reason note)}],
    ['', 0, 0, 9, '', ''], 'an old record gets its missing fields');


# --- kill and unkill --------------------------------------------------------

my @order = @{ order() };
$v = done('kill', 'kill', 'a.test', 'lists the world');
is_deeply([$v->{list}{status}, $v->{reason}], ['killed', 'lists the world'],
    'lists kill shows the status and the reason');
is_deeply([map { $_->{list}{host} } @{ shown() }],
    [qw(b.test d.test {key}.k.test)],
    'lists show does not print a killed list');
is(redis($redis, 'ZSCORE', 'rbl:{3}:lists:active', list_sid('a.test')), undef,
    'a killed list is not in the index of active lists');
is(redis($redis, 'HEXISTS', 'rbl:{3}:lists:zones', 'a.test'), 0,
    'lists kill frees the zone of the list');
load(\@all);
is(record_of('a.test')->{status}, 'killed',
    'a list killed by hand stays killed over a load');
is(record_of('a.test')->{reason}, 'lists the world',
    'the reason of a kill is kept over a load');
is(scalar @{ order() }, 3, 'a load puts no killed list into the index');
refused("$_ of a killed list", qr/there is no list a\.test, or it is killed/,
    $_, 'a.test') for qw(enable disable);
refused('override of a killed list', qr/there is no list a\.test, or it is/,
    'override', 'a.test', '--rate', 1);
$v = done('kill again', 'kill', 'a.test', 'still does');
is($v->{reason}, 'still does', 'a second lists kill changes the reason');

$v = done('unkill', 'unkill', 'a.test');
is_deeply([$v->{list}{status}, @$v{qw(reason by_hand)}], ['active', '', []],
    'lists unkill restores the status of the list');
is_deeply(order(), \@order, 'lists unkill restores the position of the list');
is(redis($redis, 'HGET', 'rbl:{3}:lists:zones', 'a.test'), 'rbl',
    'lists unkill restores the zone of the list');
done('unkill again', 'unkill', 'a.test');
is_deeply(order(), \@order, 'a second lists unkill changes nothing');

done('disable', 'disable', 'b.test');
done('kill a disabled one', 'kill', 'b.test', 'x');
load(\@all);
$v = done('unkill it', 'unkill', 'b.test');
is_deeply([$v->{list}{status}, sort @{ $v->{by_hand} }],
    ['disabled', 'day_quota', 'status'],
    'lists unkill restores a list that is disabled by hand');
done('enable', 'enable', 'b.test');

done('kill', 'kill', 'b.test', 'x');
load([@all[0, 2, 3]], 'b.test');
is(record_of('b.test')->{reason}, 'of the file',
    'the file gives the reason of a second kill');
refused('unkill after a kill by a file', qr/The catalogue has killed this list/,
    'unkill', 'b.test');
is(redis($redis, 'HLEN', 'rbl:{1}:lists:override'), 0,
    'a kill by a file deletes the overrides');
load(\@all);
is(record_of('b.test')->{status}, 'active',
    'a file without the kill makes the list active');

refused('kill of nothing', qr/there is no list none\.test/, 'kill',
    'none.test', 'x');
refused('unkill of nothing', qr/there is no list none\.test/, 'unkill',
    'none.test');
refused('kill without a reason', qr/No reason value provided/, 'kill', 'a.test', ' ');
refused('a reason with control characters', qr/Invalid reason value/, 'kill',
    'a.test', "a\nb");
refused('kill without an argument', qr/usage: rblctl lists kill/, 'kill',
    'a.test');


# --- keys -------------------------------------------------------------------

my $secret = 'Abc-123-' . 'x' x 20;
my $keys = 'rbl:{0}:lists:keys';
is(shown('{key}.k.test')->{key}, 'needed',
    'lists show says that the list needs a key');
is(shown('a.test')->{key}, '', 'lists show says that the list needs no key');
refused('enabled without a key', qr/\{key\}\.k\.test needs a key, and has none/,
    'enable', '{key}.k.test');

for my $bad ('', "\n", "two words\n", "a.b\n", "a_b\n", "-a\n", "a-\n",
    'x' x 64, 'x' x 5000, "{key}\n", "a\0b\n", "\xc3\xa4\n")
{
    $r = rblctl($redis, { stdin => $bad }, 'lists', 'key', '{key}.k.test');
    is($r->{status}, 3, "a wrong key of @{[ length $bad ]} bytes is refused");
    like($r->{err}, qr/a key must be 1 to 63|standard input: is empty/,
        'the message has the rule for keys');
    is(redis($redis, 'EXISTS', $keys), 0, 'an invalid key is not stored');
}

$version = redis($redis, 'GET', 'rbl:{0}:lists:ver');
$r = rblctl($redis, { stdin => "$secret\n" }, 'lists', 'key', '{key}.K.test',
    '--json');
is($r->{status}, 0, 'lists key accepts a valid key') or diag($r->{err});
is(json($r->{out})->{key}, 'set', 'lists key shows that the key is set');
is($r->{err}, '', 'lists key writes nothing to standard error');
is_deeply(redis($redis, 'HGETALL', $keys), ['{key}.k.test', $secret],
    'the store has the key');
is(redis($redis, 'GET', 'rbl:{0}:lists:ver'), $version + 1,
    'lists key notifies daemons once');
is(record_of('{key}.k.test')->{status}, 'disabled',
    'a key does not enable the list');
$v = done('enable', 'enable', '{key}.k.test');
is($v->{list}{status}, 'active',
    'lists enable succeeds for a list with a key');

# nowhere else
my @out = map { $_->{out} . $_->{err} } rblctl($redis, 'lists', 'show'),
    rblctl($redis, 'lists', 'show', '--json'),
    rblctl($redis, 'lists', 'show', '{key}.k.test', '--stored'),
    rblctl($redis, 'lists', 'show', '{key}.k.test', '--stored', '--json');
is(scalar(grep { /Abc-123/ } @out), 0, 'lists show never prints the key');
is(scalar(grep { /set/ } @out), 4, 'lists show prints that a key is set');
my $all = redis_dump($redis);
is_deeply([grep { $all->{$_} =~ /Abc-123/ } keys %$all],
    [tagged($redis, $keys)], 'no other key of the store has the key');
is(rblctl($redis, 'fsck')->{status}, 0, 'fsck accepts the record of keys');

write_file("$dir/key", "  other-key\r\nsecond line\n");
done('from a file', 'key', '{key}.k.test', '--file', "$dir/key");
is(redis($redis, 'HGET', $keys, '{key}.k.test'), 'other-key',
    'lists key takes the first line of a file');
refused('no such file', qr/nofile: No such file/, 'key', '{key}.k.test',
    '--file', "$dir/nofile");
refused('a key of a list that needs none', qr/a\.test wants no key/,
    { stdin => "x\n" }, 'key', 'a.test');
refused('a key of nothing', qr/there is no list none\.test/,
    { stdin => "x\n" }, 'key', 'none.test');
refused('a key on the command line', qr/usage: rblctl lists key/, 'key',
    '{key}.k.test', 'secret');

$v = done('remove', 'key', '{key}.k.test', '--remove');
is_deeply([$v->{key}, $v->{list}{status}], ['needed', 'disabled'],
    'lists key --remove disables the list');
is(redis($redis, 'EXISTS', $keys), 0, 'lists key --remove deletes the key');
load(\@all);
is(record_of('{key}.k.test')->{status}, 'disabled',
    'a load does not enable the list without its key');
done('remove again', 'key', '{key}.k.test', '--remove');

rblctl($redis, { stdin => "$secret\n" }, 'lists', 'key', '{key}.k.test');
done('kill', 'kill', '{key}.k.test', 'x');
done('remove the key of a killed list', 'key', '{key}.k.test', '--remove');
is(redis($redis, 'EXISTS', $keys), 0,
    'the key of a killed list can be removed');


# --- quotas as displayed ----------------------------------------------------

my $sid = list_sid('d.test');
my $p = hex(substr $sid, 2, 4) % 4;
redis($redis, 'HSET', "rbl:{$p}:list:$sid", 'day', int(time / 86400), 'used',
    300, 'till', (time + 3000) . '000');
$v = shown('d.test');
is($v->{quota_left}, 700, 'lists show prints what is left of the quota');
like($v->{refusing_till}, qr/^\d{4}-\d\d-\d\dT/,
    'lists show prints the end of the back-off');
is($v->{state}, 'refuses', 'lists show prints the state refuses');
redis($redis, 'HSET', "rbl:{$p}:list:$sid", 'day', 5, 'till', 5);
$v = shown('d.test');
is($v->{quota_left}, 1000, 'the quota of another day is complete');
is($v->{refusing_till}, '', 'an expired back-off is not shown');
is($v->{state}, '', 'an expired back-off shows no state');
redis($redis, 'HSET', "rbl:{$p}:list:$sid", 'day', 'x' x 500, 'till', -1,
    'used', '9' x 40);
$v = shown('d.test');
is_deeply([@$v{qw(quota_left refusing_till state)}], [1000, '', ''],
    'lists show ignores nonsense in the store');
is(shown('a.test')->{quota_left}, -1,
    'a list without a quota has no remainder');
like(rblctl($redis, 'lists', 'show')->{out},
    qr/^ZONE\ +TYPE\ +FAMILIES\ +STATUS\ +KEY\ +STATE\ +HEALTH\ +SINCE\ +WEIGHT
        \ +KIND\ +LEFT\ +NAME\ +REASON$/mx,
    'lists show prints a table');


# --- metrics of daemons -----------------------------------------------------

# answered, refused, failed, listed, clear, unknown, us, slowest, left, frozen
sub daemon_tells {
    my ($name, @lists) = @_;

    redis($redis, 'ZADD', 'rbl:{0}:daemons', time . '000', $name);
    redis($redis, 'SET', "rbl:{0}:daemon:$name", mp_pack([1, $name, 'v1', 1, 1,
        [1], [], \@lists]));
}

daemon_tells('one', [$sid, 'd.test', 'good', 'passes', 10, 1, 2, 3, 4, 5,
    30_000, 9_000, -1, 0, 1_000]);
daemon_tells('two', [$sid, 'd.test', 'down', 'timeout', 10, 0, 1, 1, 1, 1,
    10_000, 4_000, -1, 0, 86_400_000], ['', 'custom.test', '', '', 5]);
daemon_tells('three', [$sid, 'd.test', 'blocked', 'refuses', 0, 0, 0, 0, 0, 0,
    0, 0, -1, 0, 2 * 86_400_000]);
redis($redis, 'SET', 'rbl:{0}:daemon:four', 'nonsense');
redis($redis, 'ZADD', 'rbl:{0}:daemons', time . '000', 'four');
$v = shown('d.test');
is_deeply([@$v{qw(answered refused failed listed clear unknown)}],
    [20, 1, 3, 4, 5, 6], 'lists show adds the counters of all daemons');
is_deeply([@$v{qw(latency_ms slowest_ms)}], [2, 9],
    'lists show has the mean and the longest response time');
is_deeply([sort @{ $v->{health} }], ['blocked', 'down', 'good'],
    'lists show has each health once');
is_deeply([@$v{qw(health_reason health_text health_since)}],
    ['timeout', 'no response in time', '1970-01-02T00:00:00+00:00'],
    'lists show has the reason and the time of the first trouble');
is_deeply([@{ shown('a.test') }{qw(answered health health_since)}],
    [undef, [], ''],
    'lists show has no counters for another list');
like(rblctl($redis, 'lists', 'show')->{out},
    qr/^d\.test .* (?:(?:good|down|blocked) ){3}.* no response in time$/m,
    'the table has the health of the list');


# --- frozen -----------------------------------------------------------------

redis($redis, 'HSET', "rbl:{$p}:list:$sid", 'frozen', time . '000', 'turned',
    12, 'of', 40);
$v = shown('d.test');
is_deeply([@$v{qw(state turned of)}], ['frozen', 12, 40],
    'lists show has the answers that froze the list');
like(rblctl($redis, 'lists', 'show', 'd.test', '--stored')->{out},
    qr/^frozen by +12 of 40 answers$/m,
    'lists show prints why a list is frozen');
like($v->{frozen}, qr/^\d{4}-\d\d-\d\dT/,
    'lists show prints since when a list is frozen');
$v = done('thaw', 'thaw', 'd.test');
is_deeply([@$v{qw(state frozen of)}], ['', '', 0],
    'lists thaw shows a list that is not frozen');
is(redis($redis, 'HGET', "rbl:{$p}:list:$sid", 'frozen'), undef,
    'lists thaw deletes the mark in the store');
refused('thaw again', qr/This list is not frozen/, 'thaw', 'd.test');
refused('thaw of nothing', qr/there is no list none\.test/, 'thaw', 'none.test');

done_testing();
