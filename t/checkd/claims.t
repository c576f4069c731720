#!/usr/bin/perl

# The store's work for a check does not grow with the number of partitions:
# the daemon does not call all 256 partitions for each check, neither while checks
# become due one after the other, nor when few slots are free.

use strict;
use warnings;

use RblCheckd;
use RblTest;
use Time::HiRes qw(time sleep);

use constant { PARTITIONS => 256, ACCOUNTS => 12, HOSTS => 10, SECONDS => 3 };

my $w = world(partitions => PARTITIONS, zones => { 'a.test' =>
    { data => listed_entry('10.0.0.1') } });
my $redis = $w->{redis};
my @ac = map { { acct => make_account($redis) } } 1 .. ACCOUNTS;
for my $i (0 .. $#ac) {
    my $p = hex(substr $ac[$i]{acct}{sid}, 2, 4) % PARTITIONS;
    my $tag = RblTest::Redis::tags_of(PARTITIONS)->[$p];
    $ac[$i]{key} = sub { join ':', "rbl:{$tag}", @_ };
    for my $n (1 .. HOSTS) {
        my $ht = fresh_sid('HT');
        push @{ $ac[$i]{hosts} }, $ht;
        script_ok($w, 'host_add', [$ac[$i]{key}->('acct', $ac[$i]{acct}{sid})],
            name => 'n', type => 'rbl', family => 1, host => $ht,
            value => "10.1.$i.$n");
    }
}
my $checkd = start_checkd(store => $redis, resolver => $w->{dns},
    conf => { conf_short(log_level => 'info') });

sub in_due {
    my ($from, $to) = @_;
    my $n = 0;
    $n += redis($redis, 'ZCOUNT', $_->{key}->('due', $_->{acct}{sid}), $from,
        $to) for @ac;
    return $n;
}
sub calls {
    return (redis($redis, 'INFO', 'commandstats')
        =~ /^cmdstat_evalsha:calls=(\d+)/m)[0] // 0;
}
ok((wait_for { !in_due('-inf', time * 1000 + 60_000) } 40),
    'all hosts were checked') or BAIL_OUT('no checks');

my $before = calls();
sleep SECONDS;
my $idle = calls() - $before;

# Each at its time, spread over the partitions.
my ($start, $n) = (time + 0.2, ACCOUNTS * HOSTS);
for my $i (0 .. $n - 1) {
    my $ac = $ac[$i % ACCOUNTS];
    my ($sid, $at) = ($ac->{acct}{sid},
        int 1000 * ($start + SECONDS * $i / $n));
    redis($redis, 'ZADD', $ac->{key}->('due', $sid), $at,
        $ac->{hosts}[$i / ACCOUNTS]);
    redis($redis, 'ZADD', $ac->{key}->('due'), 'LT', $at, $sid);
}
$before = calls();
my $since = time;
ok((wait_for { !in_due('-inf', 1000 * ($start + SECONDS)) } 40),
    'all due hosts are checked again');
my $busy = calls() - $before;
my $more = ($busy - $idle * (time - $since) / SECONDS) / $n;
note(sprintf '%d scripts a second while nothing is due, %.1f more for a check',
    $idle / SECONDS, $more);
cmp_ok($more, '<', 40, 'the scripts for a check');

# All hosts become due at once, and the daemon has few slots.
ok(stop_server($checkd), 'the daemon stops');
start_checkd(store => $redis, resolver => $w->{dns},
    conf => { conf_short(log_level => 'info', checks_max => 16) });
$before = calls();
eventually { calls() >= $before + 2 * PARTITIONS } 10,
    'another one looks at all partitions';
my $now = int(1000 * time);
for my $ac (@ac) {
    redis($redis, 'ZADD', $ac->{key}->('due', $ac->{acct}{sid}),
        map { ($now, $_) } @{ $ac->{hosts} });
    redis($redis, 'ZADD', $ac->{key}->('due'), 'LT', $now, $ac->{acct}{sid});
}
($before, $since) = (calls(), time);
eventually { !in_due('-inf', time * 1000 + 60_000) } 40,
    'all hosts were checked again';
$more = (calls() - $before - $idle * (time - $since) / SECONDS) / $n;
note(sprintf '%.1f scripts for a check while few slots are free', $more);
cmp_ok($more, '<', 10, 'the scripts for a check while few slots are free');

done_testing();
