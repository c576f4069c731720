#!/usr/bin/perl

# Scheduled checks without news finish in one batch, and leave no record; a
# check with news leaves one.  None is lost when the store or the daemon dies
# meanwhile.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time);

use constant { CLEAN => 60, LISTED => 3 };

my $dns = RblDns->new(rules => [
    test_entry(),
    [ '^[123]\.9\.0\.10\.', { a => ['127.0.0.2'], txt => ['why'],
        ttl => 0 } ],
    not_there(delay => 0.1),
]);
my $w = world(no_dns => 1, partitions => 2, redis => { appendonly => 1,
    args => ['--appendfsync', 'always'] },
    zones => { map { $_ => { control => 'ip' } } 'a.test', 'b.test' });
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short(name => 'same',
    dns_timeout => '1s') });

# The first check of an account notes its lists (_coverage.lua), which is news.
my $first = add_host($w, '10.0.2.1');
wait_for { host_record($w, $first)->{checked} > 0 } 20, 'the first check';
my $sid = add_many($w, map { "10.0.1.$_" } 1 .. CLEAN);
my $bad = add_many($w, map { "10.0.9.$_" } 1 .. LISTED);
my @all = (values %$sid, values %$bad);

sub checked {
    my ($since) = @_;
    return scalar grep { host_record($w, $_)->{checked} > $since } @all;
}
sub records {
    return scalar @{ redis($w->{redis}, 'KEYS',
        'rbl:*:check:*:PP' . '?' x 64) } - 1;
}
sub on_time {
    return scalar grep { redis($w->{redis}, 'ZSCORE',
        RblCheckd::akey($w, 'due'), $_) == host_record($w, $_)->{next_check} }
        @all;
}
wait_for { checked(0) == @all } 20, 'all hosts to be checked';
eventually { jobs_left($w) == 0 } 5, 'no job is left after the first checks';
is(records(), LISTED, 'only a check that found something has a record');
is(on_time(), scalar @all, 'each host has its next check');
is(scalar(grep { host_record($w, $_)->{listed_count} == 2 } values %$bad),
    LISTED, 'each listed host has two listings');

# again: the listed host becomes clear, and the others do not change

$dns->rules(test_entry(), not_there(delay => 0.1));
my $then = time * 1000;
set_due($w, $_) for @all;
wait_for { checked($then) == @all } 20, 'all hosts to be checked again';
is(scalar(grep { host_record($w, $_)->{listed_count} } @all), 0,
    'no host is listed now');
is(records(), 2 * LISTED, 'a check that ends a listing has a record');
eventually { jobs_left($w) == 0 } 5, 'no job is left after the second checks';
is(on_time(), scalar @all,
    'each host has its next check after the second checks');

# the store, or the daemon, dies while checks finish

for my $round (1 .. 4) {
    $then = time * 1000;
    set_due($w, $_) for @all;
    wait_for { checked($then) > 0 } 20, 'the first ends';
    my $dies = $round % 2 ? $w->{redis} : $checkd;
    kill_server($dies);
    restart_server($dies);
    wait_for { checked($then) == @all } 30, 'the others';
    eventually { jobs_left($w) == 0 } 20, "round $round: nothing is left";
    is(on_time(), scalar @all, "round $round: each host has its next check");
}
is(scalar(grep { host_record($w, $_)->{unknown_count} } @all), 0,
    'no host has an unknown result');
ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
