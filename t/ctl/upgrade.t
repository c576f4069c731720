#!/usr/bin/perl

# rblctl upgrade, and the copies of the meta data that it writes.

use strict;
use warnings;

use RblCtl;

my $redis = start_redis();
my $schema = schema_version();
init_store($redis);
my $acct = make_account($redis);

my $tags = RblTest::Redis::tags_of(64);
my @copies = map { "rbl:{$_}:meta" } @$tags;
my %want = (schema => $schema, oldest => $schema, partitions => 64);

sub meta { return { @{ redis($redis, 'HGETALL', $_[0] // 'rbl:meta') } } }
sub upgrade { return rblctl($redis, 'upgrade', '--json', @_) }

# As the version before has left it.
sub before {
    redis($redis, 'DEL', $_) for @copies;
    redis($redis, 'DEL', 'rbl:meta');
    redis($redis, 'HSET', 'rbl:meta', 'schema', $schema - 1, 'partitions', 64,
        'created', 1, @_);
}

sub is_raised {
    my ($name) = @_;

    my $meta = meta();
    is_deeply([@$meta{sort keys %want}], [@want{sort keys %want}], $name);
    is_deeply([grep { join(' ', map { $_ // '' } @{ meta($_) }{sort keys %want})
        ne join ' ', @want{sort keys %want} } @copies], [],
        "$name: all copies have the same values");
}

is_raised('init makes the schema of these programs');
is(rblctl($redis, 'fsck')->{status}, 0, 'fsck finds no fault in a new store');

# From the schema before
before();
my $r = rblctl($redis, 'status');
is($r->{status}, 2, 'status can use the schema before, without a daemon');
like($r->{err}, qr/has schema @{[ $schema - 1 ]}; rblctl upgrade makes it $schema$/,
    'status recommends rblctl upgrade');
is(rblctl($redis, 'account', 'show', $acct->{sid})->{status}, 0,
    'account show can use the schema before');
is(rblctl($redis, 'fsck')->{status}, 0,
    'fsck expects no copies in the schema before');
$r = upgrade();
is($r->{status}, 0, 'rblctl upgrade raises the schema') or diag($r->{err});
is_deeply(json($r->{out}), { store => $redis->{addr}, prefix => 'rbl',
    schema => $schema, before => $schema - 1 },
    'rblctl upgrade prints the old and the new schema');
is_raised('raised');
is(meta()->{created}, 1, 'rblctl upgrade keeps other fields of rbl:meta');
is(json(upgrade()->{out})->{before}, $schema,
    'a second upgrade has nothing to do');
unlike(rblctl($redis, 'status')->{err}, qr/upgrade/,
    'status does not recommend an upgrade after it');

# Stopped halfway
before();
redis($redis, 'HSET', $copies[$_], %want) for 0 .. 20;
is(upgrade()->{status}, 0, 'rblctl upgrade completes a half-made change');
is_raised('raised');

# Copies that are wrong or missing
redis($redis, 'DEL', $copies[3]);
redis($redis, 'HSET', $copies[5], 'partitions', 16);
$r = rblctl($redis, 'fsck');
is($r->{status}, 1, 'fsck finds copies that are missing or wrong');
like($r->{out}, qr/copy 3 +of the meta data is missing/,
    'fsck reports the missing copy');
like($r->{out}, qr/copy 5 +of the meta data is not/,
    'fsck reports the wrong copy');
rblctl($redis, 'fsck', '--repair');
is(rblctl($redis, 'fsck')->{status}, 0, 'fsck --repair repairs both copies');
is_raised('repaired');

# Stores that cannot be raised
for my $case ([[schema => $schema - 2], qr/it has schema @{[ $schema - 2 ]}, this /],
    [[schema => $schema + 1], qr/it has schema @{[ $schema + 1 ]}, this /],
    [[schema => $schema + 1, oldest => $schema],
        qr/has schema @{[ $schema + 1 ]}, and this rblctl makes $schema: nothing/],
    [[partitions => 12], qr/number of partitions, 12, is not/])
{
    before(@{ $case->[0] });
    my $was = meta();
    $r = upgrade();
    is($r->{status}, 3, "rblctl upgrade refuses @{ $case->[0] }");
    like($r->{err}, $case->[1], 'the message has the reason of the refusal');
    is_deeply(meta(), $was, 'a refused upgrade leaves rbl:meta unchanged');
    is(scalar(grep { redis($redis, 'EXISTS', $_) } @copies), 0,
        'a refused upgrade writes no copies');
}
is(rblctl($redis, 'account', 'show', $acct->{sid})->{status}, 3,
    'account show refuses an invalid number of partitions');
before(schema => $schema + 1, oldest => $schema);
is(rblctl($redis, 'account', 'show', $acct->{sid})->{status}, 0,
    'account show can use a later schema that allows it');

redis($redis, 'DEL', 'rbl:meta');
like(upgrade()->{err}, qr/not been initialised \(rblctl init\)/,
    'rblctl upgrade refuses a store without rbl:meta');

# An ACL of the version before
before();
my ($rules) = grep { /^user rblctl / } @{ redis($redis, 'ACL', 'LIST') };
my @rules = grep { !/^~rbl:\{\?\?\?\}:meta$/ } split ' ', $rules;
expect_denial();
redis($redis, 'ACL', 'SETUSER', 'rblctl', 'reset', @rules[2 .. $#rules]);
$r = upgrade();
is($r->{status}, 3, 'rblctl upgrade fails when a right is missing');
like($r->{err}, qr/NOPERM/, 'the message has the error of the store');
is(meta()->{schema}, $schema - 1,
    'a failed upgrade does not change the schema');
is(rblctl($redis, 'account', 'show', $acct->{sid})->{status}, 0,
    'account show can use the store after a failed upgrade');

done_testing();
