#!/usr/bin/perl

# A list with a minimum interval is skipped by scheduled checks in between, and
# keeps its last result; a manual check queries all lists.

use strict;
use warnings;
use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes qw(time);

use constant MONTH => 30 * 86400;

my $dns = RblDns->new(rules => [
    test_entry(),
    [ '^5\.0\.0\.10\.', { a => ['127.0.0.2'], txt => ['why'], ttl => 0 } ],
    [ '^[78]\.0\.0\.10\.slow\.test', 'servfail' ],
    not_there(),
]);
# The longest possible interval: the test never reaches its end by chance.
my $w = world(no_dns => 1, partitions => 2,
    zones => { 'often.test' => { control => 'ip' }, 'slow.test' => {
        control => 'ip', more => sprintf '"min_interval": %d', MONTH } });
my %sid = %{ add_many($w, map { "10.0.0.$_" } 4 .. 8) };
my ($clean, $listed, $late) = @sid{ map { "10.0.0.$_" } 4, 5, 7 };
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { conf_short(
        # Counted queries are not repeated, however late the response.
        dns_timeout => '2s', dns_tries => 1) });

sub checked { return host_record($w, $_[0])->{checked} }
sub questions {
    my ($n, $zone) = @_;
    return $dns->asked("^$n\\.0\\.0\\.10\\.$zone\\.test A");
}
sub scheduled {
    my ($ht) = @_;
    my $before = checked($ht);
    set_due($w, $ht);
    wait_for { checked($ht) > $before && jobs_left($w) == 0 } 10,
        'a scheduled check';
    return;
}

for my $ht (values %sid) {
    wait_for { checked($ht) > 0 } 15, 'the first check';
}
cmp_ok(questions($_, 'slow'), '>', 0, 'the first check queries every list')
    for 4 .. 8;

# a clean host: only the other list is queried, and the check finishes as
# cheaply

my ($slow, $often) = map { questions(4, $_) } 'slow', 'often';
scheduled($clean) for 1 .. 3;
is(questions(4, 'slow'), $slow,
    'a scheduled check does not query a list before its interval');
is(questions(4, 'often'), $often + 3,
    'a scheduled check queries a list without an interval');
is(scalar @{ redis($w->{redis}, 'KEYS', RblCheckd::akey($w, 'check',
    'PP' . '?' x 64)) },
    scalar(grep { host_record($w, $_)->{listed_count}
        || host_record($w, $_)->{unknown_count} } values %sid),
    'only a check with a listing or an error has a record');
is(host_record($w, $clean)->{unknown_count}, 0,
    'the clean host has no unknown result');

# a listed host

my $r = host_record($w, $listed);
is($r->{listed_count}, 2, 'the host is listed on both lists');
my ($entry) = grep { $_->[1] eq 'slow.test' } @{ $r->{details} };
$dns->rules(test_entry(), [ '^[78]\.0\.0\.10\.slow\.test', 'servfail' ],
    not_there());
$slow = questions(5, 'slow');
scheduled($listed);
$r = host_record($w, $listed);
is(questions(5, 'slow'), $slow,
    'the check of a listed host does not query the list');
is_deeply($r->{details}, [$entry],
    'the listing on the skipped list stays unchanged');
is_deeply([@$r{qw(listed_count unknown_count)}], [1, 0],
    'the listing on the skipped list is counted');

# a manual check

$slow = questions(5, 'slow');
my $state = wait_check($w, check_host($w, $listed));
is(questions(5, 'slow'), $slow + 1,
    'a manual check queries the list before its interval');
is($state->{checked}, 2, 'a manual check has the results of both lists');
is(host_record($w, $listed)->{listed_count}, 0,
    'the result of a manual check ends the listing');

# a query without a response is still open

for my $n (7, 8) {
    my $ht = $sid{"10.0.0.$n"};
    is(host_record($w, $ht)->{troubled}[0][1], 'servfail',
        'the host has the error servfail');
    $slow = questions($n, 'slow');
    scheduled($ht);
    cmp_ok(questions($n, 'slow'), '>', $slow,
        'a list without a response is queried again');
    is(host_record($w, $ht)->{troubled}[0][3], 2,
        'the second error is counted');
}
$dns->rules(test_entry(), [ '.', 'nxdomain' ]);
scheduled($late);
is(questions(7, 'slow'), 1, 'the list is queried once more for the host');
is_deeply(host_record($w, $late)->{troubled}, [],
    'a response clears the error of the host');
$slow = questions(7, 'slow');
scheduled($late);
is(questions(7, 'slow'), $slow,
    'a list that has answered is not queried before its interval');

ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
