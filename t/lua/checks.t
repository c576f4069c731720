#!/usr/bin/perl

# Scripts of a check's life: a listing is never invented and never lost, and
# effects happen once, whichever program dies.

use strict;
use warnings;
use RblSeam;
use RblTest;
use Time::HiRes qw(usleep);
use RblScript;

use constant { STATUS => 7, CHECKED => 11, FIRST => 12, LISTED => 13,
    UNKNOWN => 14, NEXT => 15, DETAILS => 16, TROUBLED => 17 };

my $host_fields = @{ record_fields('host') };

redis_new();
my ($ac, $acct) = account(interval => 600);
my $ht = unpacked(add_host($acct, 'rbl', '192.0.2.1')->[1])->[1];
my $hook = sid('WH');

sub host { return unpacked(cmd('GET', k('r', $ac, $ht))) }
sub field { return cmd('HGET', k('check', $ac, $_[0]), $_[1]) }
sub start {
    my ($pp, $callback) = @_;
    return script('check_start', [$acct], check => $pp, host => $ht,
        callback => $callback // '', app => 'APx', keep => 60_000);
}
sub events {
    return map { unpacked($_->[1][5]) }
        @{ cmd('XRANGE', k('outbox'), '-', '+') };
}
sub types { return join ' ', map { $_->[2] } events() }
sub record_of { return unpacked($_[0][1])->[1] }
sub check_with {
    my @results = @_;
    my $pp = sid('PP');
    start($pp);
    begin($acct, $pp, $ht);
    finish_check($acct, $pp, $ht, [@results]);
    return $pp;
}

script('hook_put', [$acct], hook => $hook, name => 'n',
    url => 'https://x.example/', secret => 's');

# due -> job, once

my @jobs = take('d', 3);
is(scalar @jobs, 1, 'a due host is a job');
my ($of, $pp1, $for, $kind, $till, $daemon) = split /:/, $jobs[0];
is("$of $for $kind $daemon", "$ac $ht d test",
    'the job names its account, host and daemon');
is(scalar(my @none = take('d', 3)), 0, 'a host is claimed once');
is(cmd('ZSCORE', k('due', $ac), $ht), $till, 'due again when the lease ends');
is(cmd('ZSCORE', k('due'), $ac), $till,
    'no check of the account is due before');
my $r = begin($acct, $pp1, $ht);
is($r->[0], 'OK', 'the check starts');
like(cmd('HGET', k('flight:due'), "$ac:$ht"), qr/\A$pp1:1:$till:test\z/,
    'one in flight');

# a manual start while it is in flight returns that check

$r = start(sid('PP'), 'https://cb.example/');
is($r->[1], $pp1, 'the check in flight is returned');
is($r->[2], 'running', 'the returned check is running');
is($r->[4], 2, 'the response has its lists; uribl does not apply');
is_deeply([map { $_->[0] } @{ unpacked($r->[5]) }], ['RBa', 'RBb'],
    'the response names the lists of the check');
is(cmd('LLEN', k('manual', $ac)), 0, 'no second job');

# start, and start again after a take-over

$r = begin($acct, $pp1, $ht);
is($r->[0], 'OK', 'the check starts');
is($r->[1], '192.0.2.1', 'the response has the value to query');
is_deeply([map { $_->[0] } @{ unpacked($r->[3]) }], ['RBa', 'RBb'],
    'the response has the lists to query');
is_deeply([@$r[4 .. 6]], [600, '', 'rbl'],
    'the interval, no listing so far, the type of list');
is(begin($acct, $pp1, $ht, cmd('HGET', k('defaults:for'), 'sum'))->[3], '',
    'a daemon that knows the lists does not get them');
is(field($pp1, 'total'), 2, 'how many they are');
is(begin($acct, $pp1, $ht)->[0], 'OK',
    'check_begin accepts a check that has started');
is(types(), 'rbl.host.check.started', 'one started event');
is(field($pp1, 'status'), 'running', 'the status of the check is running');

# finish with a listing, twice

my @listed = (listed_result('RBa'), result('RBb', 'clear'));
is_deeply(finish_check($acct, $pp1, $ht, \@listed), ['OK'],
    'check_finish ends the check');
my $before = cmd('GET', k('r', $ac, $ht));
is(finish_check($acct, $pp1, $ht, \@listed)->[0], 'DONE',
    'check_finish ends the check only once');
is(cmd('GET', k('r', $ac, $ht)), $before, 'no second effect');
is(types(), 'rbl.host.check.started rbl.host.check.completed rbl.host.listed',
    'each event once');
is_deeply((events())[1][11], [['https://cb.example/', 'APx']],
    'the callback goes with completed');
my $h = host();
is($h->[LISTED], 1, 'one list has the host');
cmp_ok($h->[FIRST], '>', 0, 'the host has the time of its first listing');
is($h->[DETAILS][0][1], 'a.example', 'the details of the host name the list');
ok(on_its_slot($ht, @$h[CHECKED, NEXT], 600), 'the next check');
is(cmd('ZSCORE', k('due', $ac), $ht), $h->[NEXT],
    'the next check of the host is scheduled');
ok(!cmd('EXISTS', k('flight:due')), 'nothing is in flight');
is(cmd('ZCARD', k('listed', $ac)), 1, 'listings show it');
is(cmd('XLEN', k('hist', $ac, $ht)), 1,
    'the history of the host has one transition');

# unknown changes nothing, whatever its reason, and is no response

sub checked { return cmd('GET', k('checked', $ac)) // 0 }
cmp_ok(checked(), '>', 0, 'the time of the last answer');
cmd('SET', k('checked', $ac), 0);
for my $error (qw(timeout servfail refused blocked hijacked unhealthy)) {
    check_with(result('RBa', 'unknown', error => $error),
        result('RBb', 'unknown', error => $error));
    $h = host();
    is($h->[LISTED], 1, "$error does not end a listing");
    is($h->[UNKNOWN], 2, "both lists are counted as unknown for $error");
}
is_deeply($h->[TROUBLED][0], ['RBb', 'unhealthy', $h->[TROUBLED][0][2], 6],
    'a list without a listing has trouble');
is_deeply([@{ $h->[DETAILS][0] }[7, 8]], [6, 0],
    'the last query of the listed one failed');
is($h->[DETAILS][0][3], 'why', 'the current listing keeps its details');
is(checked(), 0, 'no list has answered');
check_with(result('RBa', 'skipped'), result('RBb', 'clear'));
is(checked(), host()->[CHECKED],
    'a clear response sets the time of the last answer');
is_deeply([@{ host() }[LISTED, UNKNOWN]], [1, 0],
    'skipped does not end a listing, nor is it unknown');
is(cmd('XLEN', k('hist', $ac, $ht)), 1, 'no transition in all that');

# an older version did not write that time: it counts from the first finished
# check on, with or without a response

cmd('DEL', k('checked', $ac));
check_with(result('RBa', 'unknown', error => 'timeout'));
is(checked(), my $since = host()->[CHECKED], 'a check has finished');
usleep 2000;
check_with(result('RBa', 'unknown', error => 'timeout'));
cmp_ok(host()->[CHECKED], '>', $since,
    'another check without a response finishes later');
is(checked(), $since, 'a check without a response does not change the time');
check_with(result('RBa', 'skipped'), result('RBb', 'clear'));

# a failed check does not change the state

cmd('SET', k('checked', $ac), 0);
my $pp = sid('PP');
start($pp);
begin($acct, $pp, $ht);
finish_check($acct, $pp, $ht, [], 'reason');
is(field($pp, 'status'), 'failed', 'the check has failed');
is(field($pp, 'message'), 'reason', 'the failed check has its reason');
is(host()->[LISTED], 1, 'the listing is current');
is(checked(), 0, 'a failed check does not count as an answer');
ok(cmd('ZSCORE', k('due', $ac), $ht), 'the next check is due');
sub told_last { my $e = (events())[-1]; return join ' ', @$e[2, 4, 7 .. 8, 10, 13] }
is(told_last(), "rbl.host.check.completed $pp 1 1 1 reason",
    'the completion event has the current listings');

# another list adds a listing, the first one clears, then the other

my $first = host()->[FIRST];
check_with(listed_result('RBa'), listed_result('RBb'));
is(host()->[LISTED], 2, 'two lists have the host');
check_with(result('RBa', 'clear'), listed_result('RBb'));
$h = host();
is($h->[LISTED], 1, 'one list still has the host');
is($h->[FIRST], $first, 'first_listed is of the whole time');
cmd('DEL', k('outbox'));
check_with(result('RBa', 'clear'), result('RBb', 'clear'));
$h = host();
is($h->[LISTED], 0, 'no list has it');
is($h->[FIRST], 0, 'a delisted host has no time of a first listing');
is(types(), 'rbl.host.check.started rbl.host.check.completed '
    . 'rbl.host.delisted', 'the delisting is reported');
is(cmd('ZCARD', k('listed', $ac)), 0, 'listings do not show it');
check_with(result('RBa', 'clear'), result('RBb', 'clear'));
unlike(types(), qr/delisted.*delisted/, 'the delisting is reported once');

# unknown never makes a listing

check_with(result('RBa', 'unknown', error => 'timeout'));
is(host()->[LISTED], 0, 'unknown is no listing');

# a list that is no longer queried has no current listing

check_with(listed_result('RBa'));
check_with(result('RBb', 'clear'));
is(host()->[LISTED], 0, 'a list that is no longer queried does not count');

# a paused host can be checked manually; it keeps its state and is not shown

script('host_status', [$acct], host => $ht, status => 'paused');
check_with(listed_result('RBa'));
is(host()->[LISTED], 1, 'a paused host keeps the result of its check');
is(cmd('ZCARD', k('listed', $ac)), 0, 'the listings do not show a paused host');
ok(!cmd('ZSCORE', k('due', $ac), $ht), 'a paused host is not scheduled');

# one-off

cmd('DEL', k('outbox'));
$pp = sid('PP');
$r = script('check_start', [$acct], check => $pp, value => 'one.example',
    family => 4, app => 'APx', keep => 60_000);
is($r->[4], 2, 'a one-off domain: rbl with domains and uribl');
is(begin($acct, $pp, '')->[0], 'OK', 'the check starts');
finish_check($acct, $pp, '', [listed_result('RBu')]);
is(field($pp, 'listed'), 1, 'a one-off check stores its result');
is(types(), '', 'no event without a callback');
$pp = sid('PP');
script('check_start', [$acct], check => $pp, value => 'one.example',
    family => 4, callback => 'https://c.example/', app => 'APx',
    keep => 60_000);
begin($acct, $pp, '');
finish_check($acct, $pp, '', [listed_result('RBu')]);
is(types(), 'rbl.host.check.completed', 'the callback, with one');

# refusals

is(script('check_start', [$acct], check => sid('PP'), host => sid('HT'),
    keep => 1)->[0], 'HOST', 'an unknown host');
my $range = unpacked(add_host($acct, 'ip_range', '10.0.0.0/31', '10.0.0.0',
    '10.0.0.1')->[1])->[1];
is(script('check_start', [$acct], check => sid('PP'), host => $range,
    keep => 1)->[0], 'RANGE', 'check_start refuses a range');

# a host deleted while its check runs

script('host_status', [$acct], host => $ht, status => 'active');
$pp = sid('PP');
start($pp);
begin($acct, $pp, $ht);
script('host_delete', [$acct], host => $ht, keep => 60_000);
is(field($pp, 'status'), 'failed', 'deleting a host fails its running check');
is(told_last(), "rbl.host.check.completed $pp 1 1 1 The host was deleted.",
    'the failed check of a deleted host is reported');
is(finish_check($acct, $pp, $ht, \@listed)->[0], 'DONE', 'the result is dropped');
is(begin($acct, $pp, $ht)->[0], 'GONE',
    'a check of a deleted host does not start again');
ok(!cmd('EXISTS', k('r', $ac, $ht)), 'the host does not come back');

# a suspended account

$ht = unpacked(add_host($acct, 'rbl', '192.0.2.77')->[1])->[1];
$pp = sid('PP');
start($pp);
script('account_status', [$acct], status => 'suspended');
is(begin($acct, $pp, $ht)->[0], 'GONE', 'a suspended account is not checked');
like(field($pp, 'message'), qr/suspended/, 'the message gives the reason');
isnt((events())[-1][4], $pp,
    'no completion is reported for a check that never started');
ok(cmd('ZSCORE', k('due', $ac), $ht), 'a suspended account keeps its schedule');

# A scheduled check without subscribers leaves nothing behind: otherwise a
# suspended account would collect such checks without end.
sub due_only {
    cmd('DEL', k('due'), k('due', $ac));
    cmd('ZADD', k('due', $ac), 1, $ht);
    cmd('ZADD', k('due'), 1, $ac);
    return split /:/, (take('d', 1))[0];
}
my @due = due_only();
my @records = sort @{ cmd('KEYS', k('check', '*')) };
is(begin($acct, $due[1], $ht)->[0], 'GONE',
    'a scheduled check of a suspended account does not start');
is_deeply([sort @{ cmd('KEYS', k('check', '*')) }], \@records,
    'a check that does not start leaves no record');
cmp_ok(cmd('ZSCORE', k('due', $ac), $ht), '>', time * 1000,
    'the next one is due');
script('account_status', [$acct], status => 'active');
@due = due_only();
is(begin($acct, $due[1], $ht)->[0], 'OK', 'the check starts before');
is(start(sid('PP'))->[1], $due[1], 'check_start returns the running check');
script('account_status', [$acct], status => 'suspended');
is(begin($acct, $due[1], $ht)->[0], 'GONE',
    'a second daemon does not start it then');
like(field($due[1], 'message'), qr/suspended/,
    'the message of the check gives the reason');
ok(!cmd('HEXISTS', k('flight:due'), "$ac:$ht"), 'nothing is in flight');

script('account_status', [$acct], status => 'active');

# each callback is notified, however the check ends

sub told { return join ' ', map { "$_->[1] $_->[13] " . scalar @{ $_->[11] } } events() }

for my $way ('deleted', 'suspended') {
    $ht = record_of(add_host($acct, 'rbl', "192.0.2.8$way"));
    cmd('DEL', k('outbox'));
    $pp = sid('PP');
    start($pp, 'https://cb.example/');
    is(start(sid('PP'), 'https://cb.example/')->[1], $pp,
        'a second request gets the same check');
    if ($way eq 'deleted') {
        script('host_delete', [$acct], host => $ht, keep => 60_000);
    } else {
        script('account_status', [$acct], status => 'suspended');
        begin($acct, $pp, $ht);
        script('account_status', [$acct], status => 'active');
    }
    like(told(), qr/\AEV\w+ The \w+ (?:was|is) $way\. 1\z/,
        "the callback of a check whose host was $way, once");
}

# the number of callbacks of a check is limited

$ht = record_of(add_host($acct, 'rbl', '192.0.2.90'));
$pp = sid('PP');
start($pp, "https://cb.example/$_") for 1 .. 32;
is_deeply(start(sid('PP'), 'https://cb.example/33'), ['CALLBACKS', 32],
    'one more callback is refused');
is(start(sid('PP'), 'https://cb.example/7')->[0], 'OK', 'a known one is not');

# a lost record leaves no unfinished check

begin($acct, $pp, $ht);
cmd('DEL', k('check', $ac, $pp));
is(finish_check($acct, $pp, $ht, [listed_result('RBa')])->[0], 'OK',
    'a check without a record finishes');
ok(!cmd('HEXISTS', k('flight'), "$ac:$ht"), 'nothing is left in flight');
ok(cmd('ZSCORE', k('due', $ac), $ht), 'the next check is due');
is(host()->[LISTED], 1, 'the answers of a check without a record count');

# progress is stored for a running check only, and makes no record

$pp = sid('PP');
is(script('check_progress', [$acct], check => $pp, checked => 1, listed => 1,
    unknown => 0)->[0], 'GONE',
    'check_progress refuses a check without a record');
ok(!cmd('EXISTS', k('check', $ac, $pp)), 'no record is created');
start($pp);
begin($acct, $pp, $ht);
is(script('check_progress', [$acct], check => $pp, checked => 1, listed => 1,
    unknown => 0)->[0], 'OK', 'check_progress accepts a running check');
is(field($pp, 'checked'), 1, 'the record has the progress');
finish_check($acct, $pp, $ht, []);
is(script('check_progress', [$acct], check => $pp, checked => 9, listed => 1,
    unknown => 0)->[0], 'GONE', 'check_progress refuses a finished check');

# a profile without lists keeps no listings

check_with(listed_result('RBa'));
is(host()->[LISTED], 1, 'the host is listed');
my $rp = chosen($acct)->[1];
my $profile = unpacked(cmd('GET', k('r', $ac, $rp)));
@$profile[4, 5] = (0, []);
cmd('SET', k('r', $ac, $rp), packed($profile));
cmd('DEL', k('outbox'));
$pp = sid('PP');
start($pp);
is_deeply(unpacked(begin($acct, $pp, $ht)->[3]), [], 'no list is queried');
finish_check($acct, $pp, $ht, [], 'No blocklist applies to this host.');
is(field($pp, 'status'), 'failed', 'the check fails');
is(host()->[LISTED], 0, 'the listing of a list that is not queried has ended');
is(types(), 'rbl.host.check.started rbl.host.check.completed '
    . 'rbl.host.delisted', 'the end of the listing is reported');

# it is not covered then, until lists apply to it again

sub uncovered { return [host()->[18] // 0, in_state($ac, 3)] }
is_deeply(uncovered(), [1, 1], 'the host without lists is not covered');
is((events())[1][6], cmd('HGET', k('check', $ac, $pp), 'host'), 'of that host');
is(unpacked((events())[1][5])->[18], 1, 'the events have the flag');
script('host_status', [$acct], host => $ht, status => 'paused');
is_deeply(uncovered(), [1, 0], 'a paused one does not count');
script('host_status', [$acct], host => $ht, status => 'active');
is_deeply(uncovered(), [1, 1], 'resumed it does');
my $failed = sid('PP');
start($failed);
begin($acct, $failed, $ht);
finish_check($acct, $failed, $ht, [], 'No blocklist applies to this host.');
is_deeply(uncovered(), [1, 1], 'a host that stays uncovered is counted once');
@$profile[4, 5] = (1, []);
cmd('SET', k('r', $ac, $rp), packed($profile));
check_with(result('RBa', 'unknown', error => 'timeout'));
is_deeply(uncovered(), [0, 0], 'lists that do not answer cover it');
is(host()->[17][0][0], 'RBa', 'a list that does not answer has trouble');

# an address of another family than all lists of its profile

$ht = unpacked(script('host_add', [$acct], name => 'six', type => 'rbl',
    family => 2, host => sid('HT'), value => '2001:db8::5')->[1])->[1];
check_with(listed_result('RBa'));
cmd('HDEL', k('defaults:for'), 'rbl|2', 'n|rbl|2');
$pp = sid('PP');
start($pp);
is_deeply(unpacked(begin($acct, $pp, $ht)->[3]), [], 'no list for IPv6');
finish_check($acct, $pp, $ht, [], 'No blocklist applies to this host.');
is_deeply(uncovered(), [1, 0],
    'an uncovered host with a listing counts as listed');
is(host()->[CHECKED] > 0, 1, 'an uncovered host keeps the time of its check');
script('host_delete', [$acct], host => $ht, keep => 60_000);
is(in_state($ac, 3), 0, 'a deleted one does not count');
$ht = unpacked(add_host($acct, 'rbl', '192.0.2.99')->[1])->[1];

# check_clear leaves one to check_finish

cmd('SET', k('r', $ac, $ht), packed([@{ host() }[0 .. 16], [], 1]));
cmd('DEL', k('due'), k('due', $ac));
cmd('ZADD', k('due', $ac), 1, $ht);
cmd('ZADD', k('due'), 1, $ac);
my ($uncovered_job) = take('d', 1);
my $its_pp = (split /:/, $uncovered_job)[1];
begin_job($uncovered_job);
is_deeply(script('check_clear', [k('flight:due')], member => "$ac:$ht",
    flight => cmd('HGET', k('flight:due'), "$ac:$ht"), interval => 600),
    ['OK', 0], 'check_clear does not end it');
finish_check($acct, $its_pp, $ht, [result('RBa', 'clear')]);
is_deeply(uncovered(), [0, 0], 'check_finish makes the host covered');

# a range shows the listings of its addresses

my @six = map { unpacked($_)->[1] } @{ script('host_add', [$acct], name => 'r',
    type => 'ip_range', family => 2, range => sid('HT'),
    net => '2001:db8::/127', host => [sid('HT'), sid('HT')],
    value => ['2001:db8::', '2001:db8::1']) }[1 .. 3];
{
    my $before = $ht;
    $ht = $six[1];
    $pp = sid('PP');
    start($pp);
    begin($acct, $pp, $ht);
    finish_check($acct, $pp, $ht, [], 'No blocklist applies to this host.');
    is_deeply(uncovered(), [1, 1], 'an address without lists is not covered');
    $ht = $before;
}
is(unpacked(cmd('GET', k('r', $ac, $six[0])))->[18], 1,
    'the range has the flag of its address');
script('host_delete', [$acct], host => $_, keep => 60_000) for @six[1, 2];

# fields omitted from a result are requested where they matter

cmd('DEL', k('due'));
($ac, $acct) = account();
$ht = record_of(add_host($acct, 'rbl', '192.0.2.1'));
my ($job) = take('d', 1);
my @of = split /:/, $job;
begin($acct, $of[1], $ht);
my @clear = map { result($_, 'clear') } 'RBa', 'RBb';
start(sid('PP'));
is_deeply(finish_check($acct, $of[1], $ht, \@clear, '', part => 1), ['FULL'],
    'the check was requested meanwhile: all results are needed');
is(field($of[1], 'status'), 'running',
    'the check is running until it has all results');
is(finish_check($acct, $of[1], $ht, \@clear)->[0], 'OK', 'now it is');
is(scalar @{ unpacked(cmd('GET', k('check', $ac, "$of[1]:d"))) }, 2,
    'the details of the check have the clear lists');

sub due_check {
    my ($results, %o) = @_;
    cmd('ZADD', k('due', $ac), 1, $ht);
    cmd('ZADD', k('due'), 1, $ac);
    ($job) = take('d', 1);
    @of = split /:/, $job;
    begin($acct, $of[1], $ht);
    return finish_check($acct, $of[1], $ht, $results, '', kind => 'd', %o);
}
is(due_check(\@clear, part => 1)->[0], 'OK', 'a scheduled one, all clear');
ok(!cmd('EXISTS', k('check', $ac, "$of[1]:d")),
    'a scheduled check without news has no details');
cmp_ok(cmd('PTTL', k('check', $ac, $of[1])), '>', 50_000,
    'the record of a scheduled check expires');
is(due_check([listed_result('RBa'), result('RBb', 'clear')], part => 1)->[0],
    'OK', 'a new listing');
is(due_check(\@clear, part => 1)->[0], 'FULL', 'a current listing may end now');
is(host()->[LISTED], 1, 'the listing is still current');
is(finish_check($acct, $of[1], $ht, \@clear)->[0], 'OK',
    'the check finishes with all results');
is(host()->[LISTED], 0, 'the listing has ended');
is(host()->[NEXT], cmd('ZSCORE', k('due', $ac), $ht), 'the next one is due');
my %last = @{ cmd('XREVRANGE', k('hist', $ac, $ht), '+', '-', 'COUNT', 1)
    ->[0][1] };
my ($end) = @{ unpacked($last{t}) };
is_deeply($end, ['RBa', 'a.example', 'clear', ''],
    'the history has the delisting');

# Other lists since the check started: the final number of lists counts.

my $its = unpacked(cmd('GET', k('r', $ac, $ht)))->[8];
cmd('ZADD', k('due', $ac), 1, $ht);
cmd('ZADD', k('due'), 1, $ac);
($job) = take('d', 1);
my $asked_of = (split /:/, $job)[1];
begin_job($job);
is(script('profile_update', [$acct], profile => $its, given => 1,
    entries => 'RBa')->[0], 'OK', 'one list less');
is(start(sid('PP'))->[1], $asked_of, 'the check is requested');
finish_check($acct, $asked_of, $ht, \@clear, '', kind => 'd');
is(join(' ', map { field($asked_of, $_) } 'checked', 'total'), '2 2',
    'both were checked, of both');
script('profile_update', [$acct], profile => $its, given => 1,
    entries => ['RBa', 'RBb']);

# The last subscriber is deleted while a check is taken over: a check announced
# as started still has an announced end.

my $ear = sid('CO');
script('contact_add', [$acct], contact => $ear, type => 'email',
    value => 'a@b.example', schedule => 'every_check', digest => 'd',
    code => 'c', event => sid('EV'));
script('contact_confirm', [$acct], contact => $ear, digest => 'd');
cmd('DEL', k('outbox'));
cmd('ZADD', k('due', $ac), 1, $ht);
cmd('ZADD', k('due'), 1, $ac);
my ($told) = take('d', 1);
my $begun = (split /:/, $told)[1];
is(begin_job($told)->[7], '1', 'a contact receives its events');
script('contact_delete', [$acct], contact => $ear);
cmd('ZADD', k('due', $ac), 1, $ht);
cmd('ZADD', k('due'), 1, $ac);
($told) = take('d', 1, name => 'second');
$r = begin_job($told);
is_deeply([@$r[0, 8]], ['OK', $begun], 'a second daemon claims the check');
isnt($r->[7], '0',
    'the second daemon may not end the check without its record');
finish_check($acct, $begun, $ht, \@clear, '', kind => 'd');
is(field($begun, 'status'), 'completed', 'the check is completed');

# checks without news, of hosts without subscribers, finish in one batch

sub record_at { return unpacked(cmd('GET', k('r', $ac, $_[0]))) }
sub in_flight { return { member => "$ac:$_[0]",
    flight => cmd('HGET', k('flight:due'), "$ac:$_[0]") // 'none',
    interval => $_[1] // 600 } }
sub clear { return script('check_clear', [k('flight:due')], columns(@_)) }
sub make_due {
    cmd('ZADD', k('due', $ac), map { (1, $_) } @_);
    cmd('ZADD', k('due'), 1, $ac);
    return take('d', 100);
}
my @quiet = map { record_of(add_host($acct, 'rbl', "192.0.2.1$_")) } 1 .. 5;
my @quiet_jobs = make_due(@quiet, $ht);
is(scalar @quiet_jobs, 6, 'six hosts are due');
begin_job($_) for @quiet_jobs;
is(cmd('EXISTS', map { k('check', $ac, (split /:/)[1]) } @quiet_jobs), 0,
    'a check that was not requested has no record');
my ($paused, $listed, $asked, @plain) = @quiet;
script('host_status', [$acct], host => $paused, status => 'paused');
my $state = unpacked(cmd('GET', k('r', $ac, $listed)));
@$state[13, 16] = (1, [['RBa', 'a.example', '', '', [], 1]]);
cmd('SET', k('r', $ac, $listed), packed($state));
my $joined = script('check_start', [$acct], check => sid('PP'), host => $asked,
    app => 'APx', keep => 60_000);
is($joined->[2], 'running', 'one is requested meanwhile');
my @before = map { cmd('GET', k('r', $ac, $_)) } $paused, $listed, $asked;
my @args = map { in_flight($_) } $ht, @plain, $paused, $listed, $asked;
$_->{flight} =~ s/\+/:/ for @args;      # as in the daemon
cmd('DEL', k('checked', $ac));
is_deeply(clear($_), ['OK', 0], 'one alone that cannot end like this')
    for @args[3 .. 5];
is(checked(), 0, 'no list has answered');
is_deeply(clear(@args), ['OK', 1, 1, 1, 0, 0, 0],
    'check_clear ends no host that is paused, listed or requested');
is_deeply([map { cmd('GET', k('r', $ac, $_)) } $paused, $listed, $asked],
    \@before, 'the records of those do not change');
is(cmd('HLEN', k('flight:due')), 3, 'the checks of those hosts stay in flight');
is(checked(), record_at($ht)->[CHECKED], 'lists have answered');
for my $sid ($ht, @plain) {
    my $h = unpacked(cmd('GET', k('r', $ac, $sid)));
    ok(on_its_slot($sid, @$h[CHECKED, NEXT], 600),
        'the times of a finished check');
    is(cmd('ZSCORE', k('due', $ac), $sid), $h->[NEXT],
        'the next check of the host is scheduled');
    is_deeply([@$h[FIRST, LISTED, UNKNOWN, DETAILS]], [0, 0, 0, []],
        'no listing is current');
}
cmp_ok(cmd('ZSCORE', k('due'), $ac), '<=',
    cmd('ZRANGE', k('due', $ac), 0, 0, 'WITHSCORES')->[1],
    "the account's turn is not late");
my @after = map { cmd('GET', k('r', $ac, $_)) } $ht, @plain;
is_deeply(clear(@args[0 .. 2]), ['OK', 0, 0, 0],
    'check_clear ends each check only once');
is_deeply([map { cmd('GET', k('r', $ac, $_)) } $ht, @plain], \@after,
    'check_clear changes no record the second time');
is(finish_check($acct, (split /:/, $_)[1 .. 2], [@clear])->[0], 'OK',
    'check_finish ends the others')
    for grep { /$paused|$listed|$asked/ } @quiet_jobs;
is(cmd('HLEN', k('flight:due')), 0, 'none is in flight');
ok(!cmd('ZSCORE', k('due', $ac), $paused), 'a paused host is not scheduled');
is(scalar(grep { /$ht/ } take('d', 9)), 0, 'none is due now');
my @late = make_due($ht);
begin_job($late[0]);
my $zombie = in_flight($ht);
cmd('ZADD', k('due', $ac), 1, $ht);
cmd('ZADD', k('due'), 1, $ac);
begin_job((take('d', 9, name => 'other'))[0]);
is_deeply(clear($zombie), ['OK', 0], 'a check that another daemon has claimed '
    . 'cannot end it');
is_deeply(clear(in_flight($ht, 7200)), ['OK', 1],
    'the daemon that has claimed the check can end it');

# The time of the last response is written when it is an eighth of the interval
# old, when there is none, and when the clock was ahead; with several hosts,
# too.
for my $n (1, 2) {
    for ([-60, 0], [-80, 1], [3600, 1], ['junk', 1]) {
        my ($age, $anew) = @$_;
        my $was = $age eq 'junk' ? $age : cmd('TIME')->[0] * 1000 + $age * 1000;
        my @some = ($ht, $plain[0])[0 .. $n - 1];
        begin_job($_) for make_due(@some);
        cmd('SET', k('checked', $ac), $was);
        is_deeply(clear(map { in_flight($_) } @some), ['OK', (1) x $n],
            "the number of checks that check_clear ends is $n");
        is(checked(), $anew ? record_at($ht)->[CHECKED] : $was,
            "an answer of $age s: " . ($anew ? 'replaced' : 'kept'));
    }
}
my $kin = script('host_add', [$acct], name => 'r', type => 'ip_range',
    family => 1, range => sid('HT'), net => '10.7.0.0/31',
    host => [sid('HT'), sid('HT')], value => ['10.7.0.0', '10.7.0.1']);
my ($up, $kid) = map { $_->[1] } records(@$kin[1, 2]);
my ($kid_job) = grep { /$kid/ } take('d', 9);
begin_job($kid_job);
is_deeply(clear(in_flight($kid)), ['OK', 1], 'a child of a range');
is(unpacked(cmd('GET', k('r', $ac, $up)))->[CHECKED],
    unpacked(cmd('GET', k('r', $ac, $kid)))->[CHECKED],
    'the range has the time of its child');
my @kids = map { $_->[1] } records(@$kin[2, 3]);
begin_job($_) for make_due(@kids);
my @old = map { cmd('GET', k('r', $ac, $_)) } $up, @kids;
usleep(2_000);
is_deeply(clear(map { in_flight($_) } @kids), ['OK', 1, 1], 'two of them');
my @new = map { unpacked(cmd('GET', k('r', $ac, $_)))->[CHECKED] } $up, @kids;
is_deeply([@new[0, 0]], [@new[1, 2]],
    'the range has the time of its two children');
cmp_ok($new[0], '>', unpacked($old[0])->[CHECKED], 'the time is later');
# Of a newer release.
my @newer = ([], 0, 0, '', map({ [] } 22 .. $host_fields), 'newer', 7);
cmd('SET', k('r', $ac, $ht), packed([@{ host() }[0 .. 16], @newer]));
@late = make_due($ht);
begin_job($late[0]);
is_deeply(clear(in_flight($ht)), ['OK', 1], 'a record of a newer release');
is_deeply([splice @{ host() }, $host_fields], ['newer', 7],
    'check_clear keeps the fields of a newer release');
cmd('SET', k('r', $ac, $ht), packed([@{ host() }[0 .. 16]]));

# fields that a newer release adds at the end of a record stay

my $record = unpacked(cmd('GET', k('r', $ac, $ht)));
cmd('SET', k('r', $ac, $ht), packed([@$record, @newer]));
for my $results (\@clear, [listed_result('RBa')]) {
    due_check($results);
    is_deeply([splice @{ host() }, $host_fields], ['newer', 7], 'a newer field stays');
    is(host()->[LISTED], @$results % 2, 'beside the result of the check');
}
is(host()->[1], $ht, 'the record of the host keeps its SID');

# consumers of ended daemons

cmd('XGROUP', 'CREATE', k('outbox'), 'deliver', '$', 'MKSTREAM');
cmd('XGROUP', 'CREATECONSUMER', k('outbox'), 'deliver', $_) for 1 .. 3;
is(script('consumers_trim', [k('outbox')], group => 'deliver',
    idle => 60_000)->[1], 0,
    'consumers_trim keeps consumers that were seen lately');
is(script('consumers_trim', [k('outbox')], group => 'deliver', idle => 0)->[1],
    3, 'the others go');

# the number of lists that apply is reported again when a check restarts

cmd('FLUSHALL');
{
    my ($ac, $acct) = account();
    add_host($acct, 'rbl', '10.7.0.1');
    my ($job) = take('d', 1);
    my $total = sub {
        cmd('HGET', k('check', $ac, begin_job($job)->[8]), 'total');
    };
    script('lists_status', [k('lists')], list => $_, status => 'disabled')
        for qw(RBa RBb);
    is($total->(), 0, 'no list applies');
    script('lists_status', [k('lists')], list => $_, status => 'active')
        for qw(RBa RBb);
    is($total->(), 2, 'two do, later');
}

# limit on checks started per day

{
    my ($ac, $acct) = account(max_checks => 3);
    my $ht = record_of(add_host($acct, 'rbl', '192.0.2.1'));
    my $started = k('started', $ac);
    my $go = sub { script('check_start', [$acct], check => sid('PP'),
        host => $_[0] // '', value => $_[0] ? '' : $_[1] // '192.0.2.9',
        family => 1, app => 'APx', keep => 60_000) };
    my ($s) = @{ cmd('TIME') };
    is($go->($ht)->[0], 'OK', 'the first check of the day starts');
    my $left = cmd('PTTL', $started);
    my ($till) = @{ cmd('TIME') };
    $till += int $left / 1000 + 1;
    cmp_ok($left, '>', 0, 'the counter ends');
    is(int(($till - 2) / 86400), int($s / 86400),
        'the counter of checks ends on the same day');
    cmp_ok(abs($till % 86400 - 86400 * ($till % 86400 > 43200)), '<=', 3,
        'the counter of checks ends at midnight UTC');
    is($go->($ht)->[0], 'OK', 'one that is queued already') for 1 .. 4;
    is(cmd('GET', $started), 1, 'counts for nothing');
    is($go->()->[0], 'OK', 'a one-off counts');
    is($go->(sid('HT'))->[0], 'HOST', 'a refused one does not');
    is($go->()->[0], 'OK', 'the third check of the day starts');
    my $before = cmd('LLEN', k('manual', $ac));
    is_deeply($go->(), ['LIMIT', 3], 'the fourth is refused');
    is(cmd('LLEN', k('manual', $ac)), $before, 'a refused check is not queued');
    is(cmd('GET', $started), 3, 'a refused check is not counted');
    is(cmd('PTTL', $started) <= $left, 1, 'the end does not move');
    is($go->($ht)->[0], 'OK', 'a queued check is still returned');
    cmd('DEL', $started);               # the day ends
    is($go->()->[0], 'OK', 'a check starts on the next day');
    cmd('DEL', k('manual'), k('manual', $ac), k('flight'));

    ($ac, $acct) = account();
    script('check_start', [$acct], check => sid('PP'), value => '192.0.2.9',
        family => 1, app => 'APx', keep => 60_000);
    ok(!cmd('EXISTS', k('started', $ac)),
        'checks are not counted without a limit');
    cmd('DEL', k('manual'), k('manual', $ac));
}

done_testing();
