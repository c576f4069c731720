#!/usr/bin/perl
# rblctl fsck of keys that do not belong to an account: of another type, or with
# nonsense in them.  Derived keys are deleted and made again; keys of the system
# lists are only reported.

use strict;
use warnings;

use lib 't/lib';
use RblTest;
use RblScript;

my $redis = redis_new();
rblctl($redis, 'init', '--partitions', 1);
my ($ac, $acct) = account(max_checks => 1000);
my ($rb, $ap) = (sid('RB'), sid('AP'));
my @list = (1, $rb, 'rbl', 'a.example', 'A', '', 3, 0, 'active', '', [], '',
    '', 'normal', 'ip', 'block', 'ip');
script('lists_put', [k('lists')], records => packed(\@list));
script('app_admit', [$acct], app => $ap, kind => 1, hour => 100, second => 0);
script('check_start', [$acct], check => sid('PP'), value => '192.0.2.9',
    family => 1, app => $ap, keep => 600_000);
is(cmd('EXISTS', k('rate', $ac, $ap), k('started', $ac), k('defaults:for'),
    k('lists:active'), k('lists:zones')), 5,
    'the keys to be damaged exist');

sub faults {
    my $r = rblctl($redis, 'fsck', @_, '--json');
    return $r->{err} if $r->{status} > 1;
    return join "\n", map { "$_->{fault} " . $_->{where} =~ s/\{\w+\}/{0}/r
        . ($_->{mended} ? '!' : '') } @{ json($r->{out}) };
}
is(faults(), '', 'the new store has no fault');

sub typed {
    my ($key) = @_;

    return sub { cmd('DEL', $key); cmd('SADD', $key, 'x') };
}

sub set {
    my ($key, $value) = @_;

    return sub { cmd('SET', $key, $value, 'PX', 60_000) };
}

my $rate = k('rate', $ac, $ap);
my $today = int(time / 86_400);
my $mail = k('mail', 'c' x 32);
is_deeply(script('fsck_mail', [$mail], mend => '1', what => 'mail',
    cursor => '0'), ['OK'],
    'a key of the index by address that has ended meanwhile is no fault');
for my $case (
    [$mail, "type $mail"],
    [$mail, 'mail nobody', sub { cmd('ZADD', $mail, 1, 'nobody') }],
    [k('outbox'), 'type outbox'], [k('daemons:addr'), 'type daemons:addr'],
    [k('responded'), 'type responded'],
    (map { my $of = "$_:" . ($today - 7); [k($of), "type $of"] } 'series',
        'responses'),
    [$rate, "type rate $ap"],
    [$rate, "rate $ap", set($rate, "\xc1")],
    [$rate, "rate $ap", set($rate, packed([('x') x 8]))],
    [k('large', $ac, 'hosts'), 'type large hosts'],
    (map { [k('large', $ac, 'hosts'), 'large hosts',
        set(k('large', $ac, 'hosts'), $_)] } 'x', 12_000, -8192),
    (map { [k($_, $ac), "type $_:$ac"] } 'audit', 'audit:rest', 'audit:again',
        'audit:rest:again'),
    (map { [k($_, $ac), "type $_:$ac"] } 'requests', 'ended'),
    [k('plans'), 'type plans'],
    [k('started', $ac), "type started:$ac"],
    [k('coverage', $ac), "type coverage:$ac"],
    [k('started', $ac), 'started started', set(k('started', $ac), 'x')],
) {
    my ($key, $fault, $plant) = @$case;
    my $was = cmd('DUMP', $key);
    ($plant // typed($key))->();
    is(faults(), $fault, "$key: $fault is reported");
    is(faults('--repair'), "$fault!", "$key: fsck --repair repairs $fault");
    is(cmd('EXISTS', $key), 0, "$key: the key is deleted");
    is(faults(), '', "$key: no fault is left");
    cmd('RESTORE', $key, 0, $was) if defined $was;
    cmd('PEXPIRE', $key, 600_000) if $key =~ /rate|started/;
}

my $series = k('series', $today);
cmd('SET', $series, 'x');
is(faults('--repair'), "endless series:$today!",
    'a day of the service that never ends');
ok(cmd('PTTL', $series) > 7 * 86_400_000, 'fsck gives it an end in a week');
cmd('DEL', $series);

my $record = k('r', 'SYS', $rb);
for my $case (
    (map { [k($_), "type $_"] } qw(defaults defaults:for lists lists:active
        lists:zones)),
    [$record, "damaged $rb"],
    [$record, "damaged $rb", set($record, 'x')],
    [$record, "damaged $rb", set($record, packed([@list[0 .. 9]]))],
    [$record, "damaged $rb", set($record, packed([2, @list[1 .. 16]]))],
    [$record, "index lists $rb", sub { cmd('DEL', $record) }],
) {
    my ($key, $fault, $plant) = @$case;
    my $was = cmd('DUMP', $key);
    ($plant // typed($key))->();
    my $bad = cmd('DUMP', $key);
    is(faults(), $fault, "$key: $fault is reported");
    is(faults('--repair'), $fault, "$key: fsck does not repair $fault");
    is(cmd('DUMP', $key) // '', $bad // '', "$key: the key is unchanged");
    cmd('DEL', $key);
    cmd('RESTORE', $key, 0, $was);
}
is(faults(), '', 'the store has no fault in the end');
done_testing();
