#!/usr/bin/perl
# rblctl: options, connection to the store, init, status.

use strict;
use warnings;

use lib 't/lib';
use RblTest;

# A cluster's status shows its servers also if it cannot be used.
my $redis = start_redis(cluster => 1);
my $r;

sub fails {
    my ($r, $pattern, $name) = @_;

    is($r->{status}, 3, "$name: exit status");
    like($r->{err}, $pattern, "$name: the message");
    is(() = $r->{err} =~ /\n/g, 1, "$name: in one line");
    is($r->{out}, '', "$name: nothing else");
}

# words and options
$r = rblctl(undef, '--help');
is($r->{status}, 0, 'rblctl --help exits with 0');
like($r->{out}, qr/^  account add NAME .*^  lists load FILE/ms,
    'rblctl --help names the commands');
$r = rblctl(undef, 'lists', '--help');
is($r->{status}, 0, 'rblctl lists --help exits with 0');
is_deeply([grep { !/^lists / } $r->{out} =~ /^  (\S.*)/mg], [],
    'rblctl lists --help has the commands of lists alone');
like($r->{out}, qr/^  lists load FILE.*\n        \w.*^  lists show/ms,
    'rblctl lists --help says what they do');
$r = rblctl(undef, 'lists', 'show', 'a.example', '--help');
like($r->{out}, qr/\A  lists show .*\n        \w.*\n\z/,
    "rblctl COMMAND --help says what the command does");
fails(rblctl(undef, 'frob', '--help'), qr/unknown command "frob"/,
    'help for an unknown command');
is(rblctl(undef)->{status}, 3, 'rblctl without a command exits with 3');
fails(rblctl(undef, 'frob'), qr/unknown command "frob"/, 'unknown command');
fails(rblctl(undef, 'account', 'frob'), qr/unknown command "account frob"/,
    'unknown second word');
fails(rblctl(undef, 'init', '--frob'), qr/unknown option --frob/,
    'unknown option');
fails(rblctl(undef, 'init', '--keep'), qr/unknown option --keep of init/,
    "another command's option");
fails(rblctl(undef, 'init', '--partitions'), qr/--partitions needs a value/,
    'an option without its value');
fails(rblctl(undef, 'init', '--json=1'), qr/--json takes no value/,
    'a value too many');
fails(rblctl(undef, 'init', 'x'), qr/usage: rblctl init/, 'too many words');
fails(rblctl(undef, ('x') x 20), qr/too many arguments/, 'many more words');
fails(rblctl(undef, 'account', 'add'), qr/usage: rblctl account add NAME/,
    'too few words');
fails(rblctl(undef, "a\e[31m\nb"), qr/a\\x1b\[31m\\x0ab/,
    'control bytes of an argument');

# connection to the store
my $dir = temp_dir();
fails(rblctl(undef, '--store', "unix:$dir/none", 'status'),
    qr/cannot reach the store at unix:\S+: .*Is its server running\?/,
    'no store');
my $port = free_port();
fails(rblctl(undef, '--store', "127.0.0.1:$port", 'status'),
    qr/cannot reach the store at 127\.0\.0\.1:$port: Connection refused/,
    'no server at the port');
fails(rblctl(undef, '--store', 'nonsense', 'status'), qr/store/,
    'not an address');
fails(rblctl($redis, '--prefix', 'a b', 'status'), qr/prefix/i,
    'not a prefix');
fails(rblctl(undef, '--store', $redis->{addr}, '--user', 'rblctl', 'status'),
    qr/user rblctl of the store has no password: --password-file/,
    'a user without a password');
fails(rblctl($redis, '-c', "$dir/none.conf", 'status'), qr/none\.conf/,
    'no configuration file');
write_file("$dir/bad.conf", "store 127.0.0.1:6379\nfrob 1\n");
fails(rblctl(undef, '-c', "$dir/bad.conf", 'status'),
    qr/bad\.conf.*2.*frob/, 'a mistake in the configuration');
write_file("$dir/good.conf", "store $redis->{addr}\nstore_prefix other\n");
$r = rblctl(undef, '-c', "$dir/good.conf", 'status', '--json');
is(json($r->{out})->{prefix}, 'other',
    'rblctl uses the prefix of the configuration file');
is(run_cmd({ env => { RBL_STORE => $redis->{addr} } },
    build_dir() . '/rblctl', 'status')->{status}, 2,
    'rblctl uses the store of RBL_STORE');

# before init
$r = rblctl($redis, 'status', '--json');
is($r->{status}, 2, 'status is broken with an empty store');
is(json($r->{out})->{conditions}[0]{name}, 'store_emptied',
    'status says that an empty store has no meta data');
ok(!json($r->{out})->{initialised}, 'an empty store is not initialized');
my %server = redis($redis, 'INFO', 'server') =~ /^(\w+):(.*?)\r$/mg;
is(json($r->{out})->{version}, $server{valkey_version}
    ? "Valkey $server{valkey_version}" : "Redis $server{redis_version}",
    'status prints name and version of the server');
for my $command ('account list', 'lists show', 'queue') {
    fails(rblctl($redis, split ' ', $command),
        qr/not been initialised \(rblctl init\)/, "$command before init");
}

# init
fails(rblctl($redis, 'init', '--partitions', $_), qr/--partitions must be/,
    "init with $_ partitions") for 0, 3, -1, 2048, 'x', '';
is(redis($redis, 'EXISTS', 'rbl:meta'), 0, 'a refused init writes no rbl:meta');
my $began = time;
$r = rblctl($redis, 'init', '--partitions', 4, '--json');
is($r->{status}, 0, 'init succeeds with an empty store');
is(json($r->{out})->{partitions}, 4, 'init prints the number of partitions');
my %meta = @{ redis($redis, 'HGETALL', 'rbl:meta') };
is_deeply([@meta{qw(partitions schema)}], [4, schema_version()],
    'rbl:meta has the partitions and the schema');
is_current($meta{created} / 1000, $began, 'rbl:meta has the present time');
$r = rblctl($redis, 'init', '--json');
is($r->{status}, 0, 'a second init exits with 0');
ok(!json($r->{out})->{created}, 'a second init creates nothing');
is(rblctl($redis, 'init', '--partitions', 4)->{status}, 0,
    'init accepts the same number of partitions');
fails(rblctl($redis, 'init', '--partitions', 8),
    qr/initialised with 4 partitions/, 'another number');
is_deeply({ @{ redis($redis, 'HGETALL', 'rbl:meta') } }, \%meta,
    'a second init leaves rbl:meta unchanged');

# a store that has lost it: the copies count
redis($redis, 'DEL', 'rbl:meta');
fails(rblctl($redis, 'init', '--partitions', 8),
    qr/lost rbl:meta, and the copies say that it has 4 partitions: nothing was/,
    'another number than that of the copies');
is(redis($redis, 'EXISTS', 'rbl:meta'), 0,
    'init with another number writes no rbl:meta');
is(json(rblctl($redis, 'init', '--json')->{out})->{partitions}, 4,
    'init takes the number of partitions from the copies');

is(rblctl($redis, '--prefix', 'p2', 'init')->{status}, 0,
    'init succeeds with another prefix');
is(redis($redis, 'HGET', 'p2:meta', 'partitions'), 64,
    'another prefix has its own meta key');

# a foreign meta key
my $schema = schema_version();
for my $other ($schema - 2, $schema + 1) {
    redis($redis, 'HSET', 'p3:meta', 'schema', $other, 'partitions', 16);
    fails(rblctl($redis, '--prefix', 'p3', @$_),
        qr/prefix p3: it has schema $other, this rblctl can use/,
        "@$_: schema $other") for ['init'], ['status'], ['account', 'list'];
}
redis($redis, 'HSET', 'p3:meta', 'schema', $schema, 'partitions', 12);
fails(rblctl($redis, '--prefix', 'p3', 'account', 'list'),
    qr/its number of partitions, 12, is not/,
    'a damaged number');
redis($redis, 'SET', 'p4:meta', 'x');
fails(rblctl($redis, '--prefix', 'p4', 'account', 'list'), qr/WRONGTYPE/,
    'a key of another type');
redis($redis, 'HSET', 'p6:meta', 'partitions', 'many');
fails(rblctl($redis, '--prefix', 'p6', 'init'),
    qr/does not keep what rblctl init writes into p6:meta/,
    'a key of another program');
is(redis($redis, 'HEXISTS', 'p6:meta', 'schema'), 0,
    'init writes no schema into a key of another program');

# a store that refuses
redis($redis, 'CONFIG', 'SET', 'maxmemory', 1);
fails(rblctl($redis, '--prefix', 'p5', 'init'), qr/memory limit/,
    'a full store');
redis($redis, 'CONFIG', 'SET', 'maxmemory', 0);
redis($redis, 'CONFIG', 'SET', 'requirepass', 'secret');
delete $redis->{users};
fails(rblctl($redis, 'account', 'list'), qr/NOAUTH.*store_password_file/,
    'a password that was not given');
write_file("$dir/pw", "secret\n", 0600);
write_file("$dir/auth.conf",
    "store $redis->{addr}\nstore_password_file $dir/pw\n");
is(rblctl(undef, '-c', "$dir/auth.conf", 'account', 'list')->{status}, 0,
    'rblctl reads the password from its file');
redis($redis, 'AUTH', 'secret');
redis($redis, 'CONFIG', 'SET', 'requirepass', '');

# status as text
$r = rblctl($redis, 'status');
like($r->{out}, qr/\Abroken: no_daemon\n/, 'the first line is the verdict');
like($r->{out}, qr/^initialised +yes$/m, 'status reports an initialized store');
like($r->{out}, qr/No daemon has claimed/,
    'status reports that no daemon runs');

# a daemon that hangs shows its idle time
my $now = time * 1000;
redis($redis, 'ZADD', 'rbl:{1}:daemons', $now, "d\e1", $now - 50_000, 'd2');
redis($redis, 'ZADD', 'rbl:{0}:daemons', $now - 70_000, 'd2');
redis($redis, 'ZADD', 'rbl:{1}:leases', 1, "AC1:PP$_:HT1:m:1:d2") for 1, 2;
redis($redis, 'HSET', 'rbl:{1}:flight:due', 'AC1:HT2', 'PP' . '0' x 64
    . ':1:1:d2');
$r = rblctl($redis, 'status', '--json');
is_deeply([map { $_->{name} } @{ json($r->{out})->{daemons} }], ['d2'],
    'status shows daemons with a valid name');
is(json($r->{out})->{daemons}[0]{pending}, 3,
    'status counts three pending checks of the daemon');
cmp_ok(json($r->{out})->{daemons}[0]{idle}, '<', 69,
    'status shows when the daemon was last seen');

done_testing();
