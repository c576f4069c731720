#!/usr/bin/perl

# Changes that nginx may not make, and a daemon makes for it: of the record of an
# account, as its users want them, and of the audit log of before the last hour.

use strict;
use warnings;

use RblSeam;
use RblTest;
use RblScript;

use constant { NAME => 2, ZONE => 4, INTERVAL => 9, SHORTEST => 12 };
use constant HOUR => 3_600_000;

my $redis = redis_new();
rblctl($redis, 'init', '--partitions', 1);
my ($ac, $acct) = account();
my $now = time * 1000;
script_clock($now);

sub stored { return unpacked(cmd('GET', $acct)) }
sub settle { return script('account_settle', [$acct])->[0] }
sub turn { return cmd('ZSCORE', k('settle'), $ac) }
sub entries { return map { $_->[0] } @{ cmd('XRANGE', $_[0], '-', '+') } }

# Goes on to each turn of the account; how many there were.
sub settled {
    for my $n (0 .. 99) {
        my $turn = turn() // return $n;
        $now = $turn if $turn > $now;
        script_clock($now);
        settle();
    }
    return 'never';
}

# --- what users want ----------------------------------------------------------

my $was = stored();
my @cases = (
    ['the name', [name => 'New'], { NAME, 'New' }],
    ['the time zone', [timezone => 'Asia/Tokyo'], { ZONE, 'Asia/Tokyo' }],
    ['the interval', [interval => 7200], { INTERVAL, 7200 }],
    ['all of them', [name => 'Old', timezone => 'UTC', interval => 3600],
        { NAME, 'Old', ZONE, 'UTC', INTERVAL, 3600 }],
);
for my $case (@cases) {
    my ($what, $args, $want) = @$case;
    my $before = cmd('GET', $acct);
    is(script('account_update', [$acct], @$args, now => 0)->[0], 'OK',
        "$what is wanted");
    is(cmd('GET', $acct), $before, "$what: the account's record stays");
    cmp_ok(turn(), '<=', $now, "$what: the account's turn is now");
    script('totals_make', [$acct]);
    my $made = cmd('GET', k('totals', $ac));
    $was->[$_] = $want->{$_} for keys %$want;
    settle();
    my $got = stored();
    is_deeply([@$got[0 .. 10]], [@$was[0 .. 10]],
        "$what: a daemon changes that and no more");
    isnt(cmd('GET', k('totals', $ac)), $made,
        "$what: what nginx remembers of the account has ended");
    is(cmd('EXISTS', k('wanted', $ac)), 0, "$what: nothing is wanted any more");
}
script('account_update', [$acct], @$_, now => 0) for [name => 'One'],
    [timezone => 'Asia/Tokyo'], [name => 'Two', interval => 7200];
settle();
is_deeply([@{ stored() }[NAME, ZONE, INTERVAL]], ['Two', 'Asia/Tokyo', 7200],
    'changes that are wanted one after the other are done together');

# The plan has the last word, also if it changes meanwhile.
my $a = stored();
$a->[SHORTEST] = 600;
cmd('SET', $acct, packed($a));
is_deeply(script('account_update', [$acct], name => 'n', timezone => 'UTC',
    interval => 599, now => 0), ['SHORT', 600],
    'an interval that the plan does not allow is refused');
is(cmd('EXISTS', k('wanted', $ac)), 0, 'a refused interval is not wanted');
script('account_update', [$acct], interval => 700, now => 0);
$a = stored();
$a->[SHORTEST] = 900;
cmd('SET', $acct, packed($a));
settle();
is(stored()->[INTERVAL], 900, 'the interval is not shorter than another plan'
    . ' allows that came before the daemon');

script('account_update', [$acct], name => 'Mine', timezone => 'Asia/Tokyo',
    now => 0);
is(script('account_update', [$acct], timezone => 'UTC', now => 1)->[0], 'OK',
    'an operator changes the account before a daemon');
is_deeply([@{ stored() }[NAME, ZONE]], ['Mine', 'UTC'],
    'what was wanted before is done, and the later change holds');
settle();
is(stored()->[ZONE], 'UTC', 'the later change holds after a daemon, too');

# With the rights of nginx anything can be written there.
my $sound = cmd('GET', $acct);
for my $case (['no record', 'x'], ['of another version', packed([2, 'n', '', 0])],
    ['no array', packed({ a => 1 })], ['short', packed([1])],
    ['a name that is none', "\x94\x01\x80\xa0\x00"],
    ['a time zone that is none', packed([1, '', 7, 0])],
    ['a long name', packed([1, 'n' x 1021, '', 0])],
    ['a long time zone', packed([1, '', 'z' x 65, 0])],
    (map { ["an interval of $_", packed([1, '', '', $_])] } -1, 0.5, 2_592_001,
        9e15, 'inf', '60'),
    ['a list', undef])
{
    my ($what, $raw) = @$case;
    cmd('DEL', k('wanted', $ac));
    defined $raw ? cmd('SET', k('wanted', $ac), $raw)
        : cmd('RPUSH', k('wanted', $ac), 'x');
    cmd('ZADD', k('settle'), 1, $ac);
    is(settle(), 'OK', "$what: the account is settled");
    is(cmd('GET', $acct), $sound, "$what: the account's record stays");
    is(cmd('EXISTS', k('wanted', $ac)), 0, "$what: it is dropped");
    cmd('SET', k('wanted', $ac), $raw // 'x');
    is(script('account_update', [$acct], timezone => 'UTC', now => 0)->[0],
        'OK', "$what: users can want something else");
    settle();
    cmd('SET', $acct, $sound);
}
cmd('SET', k('settle'), 'x');
like(redis_try($redis, 'EVAL', seam_source('account_update'),
    seam_words('account_update', [$acct], name => 'n', now => 0)),
    qr/WRONGTYPE/, 'a change without a turn is refused');
is(cmd('EXISTS', k('wanted', $ac)), 0, 'a refused change is not wanted');
is(script('account_status', [$acct], status => 'active')->[0], 'OK',
    'other changes go on without a turn');
cmd('DEL', k('settle'));

# A plan comes after what was wanted before it.
$a = stored();
$a->[SHORTEST] = 3600;
$a->[INTERVAL] = 3600;
cmd('SET', $acct, packed($a));
script('account_update', [$acct], interval => 3600, now => 0);
script('account_plan', [$acct], plan => 'other', paid => 0, hosts => 0,
    contacts => 0, checks => 0, shortest => 600);
is(stored()->[INTERVAL], 600, 'the interval of the plan before does not outlive'
    . ' it, although it was wanted');

my $none = k('acct', sid('AC'));
is(script('account_update', [$none], name => 'x', now => 0)->[0], 'ACCOUNT',
    'nothing is wanted of an unknown account');
is(script('account_settle', [$none])->[0], 'OK',
    'nothing is settled of an unknown account');
is(cmd('EXISTS', $none), 0, 'neither script makes an account');

# --- the audit log --------------------------------------------------------------

my ($log, $rest, $past, $past_rest) = (k('audit', $ac), k('audit', 'rest', $ac),
    k('past', $ac), k('past', 'rest', $ac));
cmd('DEL', $log, $rest, k('settle'), k('audit', 'again', $ac),
    k('audit', 'rest', 'again', $ac));
my $from = cmd('TIME')->[0] * 1000;
$now = $from;
script_clock($now);
script('account_update', [$acct], name => 'Now', now => 0);
settle();
is(scalar(() = entries($log)), 1, 'a change has its entry');
my $first = (entries($log))[0];
is(turn(), $now + HOUR, 'the turn of the entry comes an hour later');
settle();
is(join(' ', entries($log)), $first,
    'the entry of a change stays where it is till then');

# 250 older entries in one stream, 3 in the other.
cmd('DEL', $log);
my $by = (caller_of(seam_source('host_add')))[0];
sub put {
    my ($k, $at, $name) = @_;
    return cmd('XADD', $k, $at . '-*', 'b', $by, 't', $ac, 'n', $name);
}
my $old = $now - 5 * HOUR;
my @log = map { put($log, $old + $_, "log $_") } 1 .. 250;
my @rest = map { put($rest, $old + 50 * $_, "rest $_") } 1 .. 3;
my $young = put($log, $now - HOUR + 5000, 'young');
sub shown {
    my ($before, @all) = '';
    do {
        (undef, $before, my $page) = @{ script('audit_show', [$acct],
            before => $before, most => 7, looks => 300) };
        push @all, map { "$_->[0] $_->[3]" } @$page;
    } while ($before ne '' && @all < 1000);
    return join ',', @all;
}
my $shown = shown();
is(scalar(() = $shown =~ /log|rest|young/g), 254, 'the whole log is shown');
cmd('ZADD', k('settle'), $now, $ac);
settle();
is(cmd('XLEN', $past), 100, 'a hundred entries move at once');
is(shown(), $shown, 'the log is shown as before while it moves');
is(turn(), $now + HOUR / 2, 'the next ones move half an hour later');
cmd('ZADD', k('settle'), 1, $ac);
settle();
is(cmd('XLEN', $past), 100, 'a turn that comes too early moves nothing');
is(settled(), 2, 'the others move in two turns');
is(join(' ', entries($past)), join(' ', @log, $young),
    'the entries have moved with their ids');
is(join(' ', entries($past_rest)), "@rest",
    'the entries of the other stream have moved with their ids');
is(shown(), $shown, 'the log is shown as before, with the same ids');
like(rblctl($redis, 'fsck')->{out}, qr/no fault/,
    'fsck finds no fault when all entries have moved');

# Clocks: ids below those that have moved, and ids of a clock that was ahead.
cmd('DEL', $log);
put($log, $old - 100_000 + $_, "late $_") for 1 .. 3;
cmd('ZADD', k('settle'), $now, $ac);
$now += HOUR;
settled();
is(scalar(() = shown() =~ /late/g), 3,
    'entries of a clock that was set back move and are shown');
put($log, $now + 50 * HOUR, 'ahead');
cmd('ZADD', k('settle'), $now, $ac);
$now += HOUR;
settled();
is(cmd('XLEN', $log), 0, 'an entry of a clock that was ahead moves');
like(shown(), qr/ahead/, 'an entry of a clock that was ahead is shown');
my ($top) = map { /^(\d+)/ } (entries($past))[-1];
cmp_ok($top, '<=', $now - HOUR, 'the id of such an entry keeps no later one from moving');

# A flood, and entries that no script writes.
cmd('DEL', $log, $rest, $past, $past_rest, k('settle'));
put($past, $old, 'history');
cmd('XADD', $log, ($old + $_) . '-1', 'b', 'x', 't', 'y', 'n', 'flood')
    for 1 .. 2500;
cmd('XADD', $log, ($old + 2501) . '-1', map { ("f$_", 'v') } 1 .. 4500);
cmd('XADD', $log, ($old + 2502) . '-1', 'b', 'B' x 100_000);
for (1 .. 20) {
    cmd('ZADD', k('settle'), 1, $ac);
    $now += HOUR / 4;
    script_clock($now);
    settle();
}
cmp_ok(cmd('XLEN', $past), '<=', 1101,
    'a flood moves at most 200 entries an hour, however often its turn comes');
like(cmd('XRANGE', $past, '-', '+', 'COUNT', 1)->[0][1][5], qr/history/,
    'the entries of before are there after five hours of a flood');
settled();
is(cmd('XLEN', $log), 0, 'an entry with many fields does not stop the others');
my $n = cmd('XLEN', $past);
ok($n >= 2000 && $n < 2200, 'about 2,000 entries are kept');
cmp_ok(length cmd('XREVRANGE', $past, '+', '-', 'COUNT', 1)->[0][1][1], '<=', 2048,
    'no entry is larger than an entry can be');

# --- fsck -----------------------------------------------------------------------

sub finds {
    my ($pattern, $name) = @_;

    like(rblctl($redis, 'fsck')->{out}, $pattern, "fsck finds $name");
    rblctl($redis, 'fsck', '--repair');
    like(rblctl($redis, 'fsck')->{out}, qr/no fault/, "fsck has mended $name");
}
cmd('ZADD', k('settle'), 1, $_) for $ac . 'x', lc sid('AC'), uc sid('AC');
finds(qr/settle .*has a turn for nothing/, 'turns of no account');
script_clock(cmd('TIME')->[0] * 1000);
cmd('DEL', $log, $rest, $past, $past_rest, k('settle'));
script('account_update', [$acct], name => 'Name', now => 0);
cmd('ZADD', k('settle'), 9e12, $ac);
finds(qr/settle .*waits in settle for too long/, 'a turn that is too late');
cmd('ZREM', k('settle'), $ac);
finds(qr/settle .*has wanted changes and no turn/, 'wanted changes without a'
    . ' turn');
cmd('SET', k('wanted', $ac), 'x');
finds(qr/wanted .*cannot be read/, 'wanted changes that cannot be read');
cmd('DEL', k('wanted', $ac));
cmd('ZREM', k('settle'), $ac);
put($rest, $old, 'x');
finds(qr/settle .*has a log and no turn/, 'a log without a turn');

done_testing();
