#!/usr/bin/perl

# rblctl doctor of a store behind Sentinels with 300 accounts: it ends in time,
# and names nothing of them; with a master that is away it ends in time, too.

use strict;
use warnings;

use lib 't/lib';
use RblTest;
use RblCheckd;
use RblFailover::Member;
use RblFailover::Sentinel;

use constant SOON => 20;                # s, after which a command is killed

my $f = start_sentinels();
my $dir = temp_dir();
write_file("$dir/none.conf", "events {}\n");

# Rows of the store and of accounts that are neither good nor unknown.
sub faults {
    my $r = rblctl($f, { timeout => SOON }, 'doctor', '--json', '--nginx',
        "$dir/none.conf", '--lists', repo_dir() . '/conf/lists.json');
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    cmp_ok($r->{status}, '<=', 2, 'rblctl doctor ends in time')
        or diag($r->{err});
    return map { "$_->{name}: $_->{reason}; $_->{remedy}" }
        grep { $_->{state} =~ /broken|degraded/ && $_->{name} =~
            /^(?:store_\w+|schema|account\w*|groups|contacts|receivers|quota)$/ }
        @{ json($r->{out})->{rows} };
}

for my $words (['init'], ['account', 'add', 'x']) {
    my $r = rblctl($f, @$words);
    is($r->{status}, 0, "rblctl @$words: the exit status") or diag($r->{err});
}
my $master = master($f);
my $first = json(rblctl($f, '--json', 'account', 'list')->{out})->[0]{id};
my $raw = redis($master, 'GET', redis_key('acct', $first));
for (2 .. 300) {
    my $sid = fresh_sid('AC');
    redis($master, 'SET', redis_key('acct', $sid), $raw =~ s/$first/$sid/r);
    redis($master, 'ZADD', redis_key('acct', $sid) =~ s/acct:.*/accounts/r, 1,
        $sid);
}
my $s = json(rblctl($f, 'status', '--json')->{out});
is($s->{accounts}, 300, 'there are 300 accounts');

# These servers of the test have no appendonly file.
is(join("\n", grep { !/^store_s(?:ettings: appendonly is no|ync): / } faults()),
    '', 'no row of the store or of the accounts has a fault');

redis($master, 'CONFIG', 'SET', 'min-replicas-to-write', 0);
like(join("\n", faults()), qr/^store_settings: .*min-replicas-to-write is not/m,
    'the settings of the master are looked at');
redis($master, 'CONFIG', 'SET', 'min-replicas-to-write', 1);

pause_server($_) for @{ $f->{nodes} };
my ($away) = faults();
like($away // '', qr/^store_away: /, 'a store that is away is named');
like($away // '', qr/; try: (?:redis|valkey)-cli ping$/,
    'store_away: the remedy names the client');
cont_server($_) for @{ $f->{nodes} };

done_testing();
