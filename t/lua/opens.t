#!/usr/bin/perl

# Checks that start in one batch (check_open): which may, their records, and
# that they continue as if each had started by itself.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { STATUS => 7, PROFILE => 8, LISTED => 13, DETAILS => 16,
    TROUBLED => 17, INTERVAL => 9, SINCE => 1_700_000_000_000 };

redis_new();
my ($ac, $acct) = account(interval => 600);

sub sum { return cmd('HGET', k('defaults:for'), 'sum') }
sub new_host {
    my ($acct, $value, $type) = @_;
    return unpacked(add_host($acct, $type // 'rbl', $value)->[1])->[1];
}

# Claims hosts of an account; returns the handles of their jobs.
sub take_of {
    my ($ac, $hosts, %o) = @_;
    cmd('ZADD', k('due', $ac), map { (1, $_) } @$hosts);
    cmd('ZADD', k('due'), 1, $ac);
    my %job = map { (split /:/)[2] => $_ } take('d', 100, %o);
    return map { $job{$_} // die "$_ was not claimed\n" } @$hosts;
}

# "<AC>:<HT>" and its flight at the start.
sub args_of {
    return map { my ($ac, $pp, $ht, undef, @lease) = split /:/;
        ("$ac:$ht", join ':', $pp, 1, @lease) } @_;
}
sub open_jobs {
    my ($sum, @jobs) = @_;
    my %flight = args_of(@jobs);
    my @members = map { join ':', (split /:/)[0, 2] } @jobs;
    my $r = script('check_open', [k('flight:due')], sum => $sum,
        member => \@members, flight => [@flight{@members}]);
    die "open: $r->[0]\n" if shift @$r ne 'OK';
    return @$r;
}
sub change {
    my ($key, %field) = @_;
    my $was = cmd('GET', $key);
    my $record = unpacked($was);
    @$record[keys %field] = values %field;
    cmd('SET', $key, packed($record));
    return sub { cmd('SET', $key, $was) };
}
sub flight { return cmd('HGET', k('flight:due'), "$ac:$_[0]") }

# several, of two accounts

my ($ac2, $acct2) = account(interval => 7200);
my @ht = map { new_host($acct, "192.0.2.$_") } 1 .. 3;
my $far = new_host($acct2, '2001:db8::1');
my $record = unpacked(cmd('GET', k('r', $ac2, $far)));
my @jobs = (take_of($ac, \@ht), take_of($ac2, [$far]));
my @before = map { cmd('DUMP', k('r', @$_)) } map { [$ac, $_] } @ht;
my $began = time;
my @r = open_jobs(sum(), @jobs);
is_deeply([map { [@$_[0 .. 4, 6, 7]] } @r], [
    (map { ["192.0.2.$_", 1, 'rbl', 600, 0, '', ''] } 1 .. 3),
    ['2001:db8::1', $record->[5], 'rbl', 7200, 0, '', '']],
    'each gets its data');
is_current($r[0][5] / 1000, $began, 'the check gets the time of its start');
my %args = args_of(@jobs);
is_deeply({ @{ cmd('HGETALL', k('flight:due')) } }, \%args,
    'the started checks are in flight');
is_deeply([map { cmd('DUMP', k('r', @$_)) } map { [$ac, $_] } @ht], \@before,
    'the records of the hosts do not change');
is_deeply(cmd('KEYS', k('check', '*')), [], 'none has a record of its check');
is(cmd('EXISTS', k('outbox')), 0, 'no event is written');

# an older daemon asks again

my $b = begin_job($jobs[0], sum());
is_deeply([@$b[0, 1, 8, 9]], ['OK', '192.0.2.1', (split /:/, $jobs[0])[1], 1],
    'a second start returns the same check, counted once');
is_deeply([open_jobs(sum(), $jobs[0])], [''],
    'a check in flight is not started like this');
is(flight($ht[0]), $args{"$ac:$ht[0]"},
    'a second start does not change the check in flight');
my $clear = script('check_clear', [k('flight:due')],
    member => [map { "$ac:$_" } @ht],
    flight => [map { $args{"$ac:$_"} } @ht], interval => 600);
is_deeply($clear, ['OK', 1, 1, 1],
    'checks that start in one batch end like any other');

# checks that do not start like this: unchanged, and check_begin reports why

my $paused = sub { change(k('r', $ac, $ht[0]), STATUS, 'paused') };
my $wh = sid('WH');
for my $case (
    ['its host is deleted', sub { my $was = cmd('GET', k('r', $ac, $ht[0]));
        cmd('DEL', k('r', $ac, $ht[0]));
        sub { cmd('SET', k('r', $ac, $ht[0]), $was) } }, 'GONE'],
    ['its host is paused', $paused, 'GONE'],
    ['its account is suspended', sub {
        script('account_status', [$acct], status => 'suspended');
        sub { script('account_status', [$acct], status => 'active') } },
            'GONE'],
    ['its account is deleted', sub { my $was = cmd('GET', $acct);
        cmd('DEL', $acct); sub { cmd('SET', $acct, $was) } }, 'GONE'],
    ['its lease has expired', sub {
        cmd('ZADD', k('due', $ac), SINCE, $ht[0]); sub { } }, 'GONE'],
    ['it waits for a manual check', sub { my $pp = sid('PP');
        script('check_start', [$acct], check => $pp, host => $ht[0],
            app => 'APx', keep => 60_000);
        sub { cmd('DEL', k('flight'), k('manual'), k('manual', $ac),
            k('check', $ac, $pp)) } }, 'GONE'],
    ['other lists are known', sub { sub { } }, 'OK', 'other'],
    ['no list applies', sub {
        script('lists_status', [k('lists')], list => $_, status => 'disabled')
            for qw(RBa RBb);
        sub { script('lists_status', [k('lists')], list => $_,
            status => 'active') for qw(RBa RBb) } }, 'OK'],
    ['its profile has lists of its own', sub {
        change(k('r', $ac, unpacked(cmd('GET', k('r', $ac, $ht[0])))->[PROFILE]),
            4, 0, 5, ['RBa']) }, 'OK'],
    ['its profile has lists that it leaves out', sub {
        change(k('r', $ac, unpacked(cmd('GET', k('r', $ac, $ht[0])))->[PROFILE]),
            7, ['RBa']) }, 'OK'],
    ['its profile is deleted', sub {
        change(k('r', $ac, $ht[0]), PROFILE, sid('RP')) }, 'OK'],
    ['a receiver wants its events', sub {
        script('hook_put', [$acct], hook => $wh, name => 'n',
            url => 'https://x.example/', secret => 's');
        sub { script('hook_delete', [$acct], hook => $wh) } }, 'OK'],
    ['a contact wants to hear of it', sub { my $co = sid('CO');
        script('contact_add', [$acct], contact => $co, type => 'email',
            value => 'a@b.example', schedule => 'every_check', digest => 'd',
            code => 'c', event => sid('EV'));
        script('contact_confirm', [$acct], contact => $co, digest => 'd');
        sub { script('contact_delete', [$acct], contact => $co) } }, 'OK'],
) {
    my ($name, $make, $then, $other) = @$case;
    my ($job, $beside) = take_of($ac, [@ht[0, 1]]);
    my $undo = $make->();
    my @shared = $name =~ /^(?:its account|other|no list|its profile has|a )/;
    my ($r, $of_other) = open_jobs($other // sum(), $job, $beside);
    is($r, '', "$name: nothing is done");
    ok(!flight($ht[0]), "$name: it is not in flight");
    is(ref $of_other ? 1 : 0, @shared ? 0 : 1, "$name: and one beside it");
    is(begin_job($job, sum())->[0], $then, "$name: then $then");
    $undo->();
    cmd('DEL', k('flight:due'), k('outbox'), @{ cmd('KEYS', k('check', '*')) });
}

# a contact that subscribes to listings only is no reason

my $co = sid('CO');
script('contact_add', [$acct], contact => $co, type => 'email',
    value => 'a@b.example', schedule => 'start_and_end', digest => 'd',
    code => 'c', event => sid('EV'));
script('contact_confirm', [$acct], contact => $co, digest => 'd');
my ($job) = take_of($ac, [$ht[1]]);
is((open_jobs(sum(), $job))[0][0], '192.0.2.2', 'a contact of listings only');

# started before, by a daemon that died

my ($again) = take_of($ac, [$ht[1]], name => 'second');
is_deeply([open_jobs(sum(), $again)], [''],
    'starts by other daemons are counted');
my $told = begin_job($again, sum());
is_deeply([@$told[0, 8, 9]], ['OK', (split /:/, $job)[1], 2],
    'check_begin counts the starts by other daemons');

# listings and troubles are returned as by check_begin

cmd('DEL', k('flight:due'));
for my $case (
    ['a listing', [['RBa', 'a.example', '', '', [], SINCE, SINCE, 2, SINCE]],
        undef],
    ['an old entry', [['RBa', 'a.example', '', '', [], SINCE]], []],
    ['trouble', [], [['RBa', 'timeout', SINCE, 1], ['RBb', 'quota', SINCE, 1]]],
    ['new listings', [], [['RBa', 'timeout', SINCE, 1],
        ['RBb', 'unconfirmed', SINCE, 1, 1], ['RBc', 'timeout', SINCE, 3, 1]]],
    ['both', [['RBa', 'a.example', '', '', [], SINCE, SINCE, 0, 0]],
        [['RBb', 'timeout', SINCE, 1]]],
) {
    my ($name, $details, $troubled) = @$case;
    my $undo = change(k('r', $ac, $ht[2]), DETAILS, $details, LISTED,
        scalar @$details, $troubled ? (TROUBLED, $troubled) : ());
    my ($job) = take_of($ac, [$ht[2]]);
    my ($r) = open_jobs(sum(), $job);
    my $b = begin_job($job, sum());
    is_deeply([@$r[0 .. 4, 6 .. 9]], [@$b[1, 2, 6, 4, 11, 5, 12 .. 14]], $name);
    isnt(length "$r->[6]$r->[7]", 0, "$name: the response names some lists");
    is("@$r[7, 8]", 'RBaRBbRBc RBbRBc',
        'the response names each list with a new listing')
        if $name eq 'new listings';
    $undo->();
    cmd('DEL', k('flight:due'));
}

done_testing();
