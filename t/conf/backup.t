#!/usr/bin/perl

# backup.sh: a copy of the store that Redis can load, for its owner alone; old
# copies are removed only when a new one is complete.

use strict;
use warnings;

use lib 't/lib';
use RblTest;

my $redis = start_redis(users => 0);
my $dir = temp_dir();
my $etc = "$dir/etc";
my $copies = "$dir/copies";
mkdir $_ or die "mkdir $_: $!" for $etc, "$dir/stub";
write_file("$etc/rblctl.conf",
    "#store 127.0.0.1:1\nstore $redis->{addr}    # rblctl setup: 00000000\n");
my $script = read_file(repo_dir() . '/conf/backup.sh');
$script =~ s{/etc/rbl-checkd}{$etc};
write_file("$dir/backup.sh", $script);

sub backup {
    return run_cmd({ env => { PATH => "$dir/stub:$ENV{PATH}" } }, 'sh',
        "$dir/backup.sh", $copies, @_);
}

sub stub {
    my ($name, $text) = @_;

    write_file("$dir/stub/$name", "#!/bin/sh\n$text\n");
    chmod 0755, "$dir/stub/$name" or die "chmod: $!";
    return "$dir/stub/$name";
}

sub copies {
    opendir my $dh, $copies or return;
    return sort grep { !/^\./ } readdir $dh;
}

redis($redis, 'SET', 'rbl:x', 'a value');
my $r = backup();
is($r->{status}, 0, 'backup.sh exits with 0') or diag($r->{err});
like($r->{out}, qr/^copied the store at \Q$redis->{addr}\E to \S+\.rdb\n\z/,
    'backup.sh names store and copy');
my ($first) = copies();
is((stat $copies)[2] & 0777, 0700, "the directory is its owner's alone");
is((stat "$copies/$first")[2] & 0777, 0600, "the copy is its owner's alone");

# Redis loads it.
{
    my $data = own_dir('loaded');
    write_file("$data/dump.rdb", read_file("$copies/$first"));
    my $s = spawn('loaded', { dir => $data }, 'redis-server', '--port', 0,
        '--unixsocket', "$data/s", '--dir', $data, '--save', '');
    started($s, sub { run_cmd('redis-cli', '-s', "$data/s", 'PING')->{out}
        eq "PONG\n" });
    is(run_cmd('redis-cli', '-s', "$data/s", 'GET', 'rbl:x')->{out},
        "a value\n", 'a Redis that loads the copy has the value');
}

# The newest copies stay, also if the clock was set back.
for my $year (2001 .. 2004) {
    write_file("$copies/rbl-${year}0101T000000Z.rdb", 'old');
}
write_file("$copies/other", 'not a copy');
backup(3);
my @left = copies();
is(scalar(grep { /^rbl-/ } @left), 3, 'backup.sh keeps three copies');
ok((grep { $_ eq 'other' } @left), 'other files of the directory stay');
is_deeply([grep { /^rbl-200/ } @left], ['rbl-20040101T000000Z.rdb'],
    'the oldest copies are removed');
write_file("$copies/rbl-${_}0101T000000Z.rdb", 'newer') for 2190 .. 2192;
$r = backup(2);
my ($made) = $r->{out} =~ m{(rbl-[^/]+)\n};
ok(-e "$copies/$made", 'a copy by a clock that was set back stays');

# A copy that fails changes nothing.
sub fails {
    my ($name, $pattern, @args) = @_;

    my @before = copies();
    my $r = backup(@args);
    is($r->{status}, 1, "backup.sh exits with 1: $name");
    like($r->{err}, qr/^backup\.sh: .*$pattern/m, "backup.sh says why: $name");
    is_deeply([copies()], \@before, "all copies stay, and no part: $name");
}

my $stub = stub('redis-cli', 'for x; do f=$x; done; head -c 99 /dev/zero >"$f"');
fails('a disk that is full', qr/is not complete: df -h/);
stub('redis-cli', 'echo "No space left on device"; exit 1');
fails('redis-cli that fails', qr/cannot be copied: No space left/);
unlink $stub;
fails('no number of copies', qr/"many" is not a number/, 'many');
fails('zero copies', qr/"0" is not a number/, 0);
write_file("$etc/redis.password", "wrong\n");
redis($redis, 'CONFIG', 'SET', 'requirepass', 'right');
fails('a wrong password', qr/cannot be copied: .*AUTH/s);
write_file("$etc/redis.password", "right\n");
is(backup()->{status}, 0, 'backup.sh uses the password of the operator');
write_file("$etc/rblctl.conf", "store sentinel:m\@127.0.0.1:1\n");
fails('a store of several servers', qr/copy each server of this store/);
write_file("$etc/rblctl.conf", "store unix:$dir/none\n");
fails('a store that is away', qr/cannot be copied/);

done_testing();
