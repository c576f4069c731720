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
        ne join ' ', @want{sort keys %want} } @copies], [], 'so have all copies');
}

is_raised('init makes the schema of these programs');
is(rblctl($redis, 'fsck')->{status}, 0, 'fsck');

# From the schema before
before();
my $r = rblctl($redis, 'status');
is($r->{status}, 0, 'the schema before can be used');
like($r->{err}, qr/has schema @{[ $schema - 1 ]}; rblctl upgrade makes it $schema$/,
    'status tells what to do');
is(rblctl($redis, 'account', 'show', $acct->{sid})->{status}, 0, 'an account');
is(rblctl($redis, 'fsck')->{status}, 0, 'fsck looks for no copies');
$r = upgrade();
is($r->{status}, 0, 'upgrade') or diag($r->{err});
is_deeply(json($r->{out}), { store => $redis->{addr}, prefix => 'rbl',
    schema => $schema, before => $schema - 1 }, 'what it prints');
is_raised('raised');
is(meta()->{created}, 1, 'other fields stay');
is(json(upgrade()->{out})->{before}, $schema, 'once more: nothing is left to do');
unlike(rblctl($redis, 'status')->{err}, qr/upgrade/, 'status is silent');

# Stopped halfway
before();
redis($redis, 'HSET', $copies[$_], %want) for 0 .. 20;
is(upgrade()->{status}, 0, 'a half-made change is ended');
is_raised('raised');

# Copies that are wrong or missing
redis($redis, 'DEL', $copies[3]);
redis($redis, 'HSET', $copies[5], 'partitions', 16);
$r = rblctl($redis, 'fsck');
is($r->{status}, 1, 'fsck finds them');
like($r->{out}, qr/copy 3 +of the meta data is missing/, 'a missing one');
like($r->{out}, qr/copy 5 +of the meta data is not/, 'a wrong one');
rblctl($redis, 'fsck', '--repair');
is(rblctl($redis, 'fsck')->{status}, 0, 'and repairs them');
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
    is($r->{status}, 3, "refused: @{ $case->[0] }");
    like($r->{err}, $case->[1], 'with the reason');
    is_deeply(meta(), $was, 'nothing was changed');
    is(scalar(grep { redis($redis, 'EXISTS', $_) } @copies), 0,
        'nor were copies made');
}
is(rblctl($redis, 'account', 'show', $acct->{sid})->{status}, 3,
    'no command uses the last one');
before(schema => $schema + 1, oldest => $schema);
is(rblctl($redis, 'account', 'show', $acct->{sid})->{status}, 0,
    'one of a later schema that allows it can be used');

redis($redis, 'DEL', 'rbl:meta');
like(upgrade()->{err}, qr/not been initialised \(rblctl init\)/, 'no store');

# An ACL of the version before
before();
my ($rules) = grep { /^user rblctl / } @{ redis($redis, 'ACL', 'LIST') };
my @rules = grep { !/^~rbl:\{\?\?\?\}:meta$/ } split ' ', $rules;
expect_denial();
redis($redis, 'ACL', 'SETUSER', 'rblctl', 'reset', @rules[2 .. $#rules]);
$r = upgrade();
is($r->{status}, 3, 'a right is missing');
like($r->{err}, qr/NOPERM/, 'the reason');
is(meta()->{schema}, $schema - 1, 'the schema is as before');
is(rblctl($redis, 'account', 'show', $acct->{sid})->{status}, 0,
    'and the store in use');

done_testing();
