#!/usr/bin/perl

# Changes that nginx may not make, and a daemon makes for it: of the record of an
# account, as its users want them, and of the audit log of before the last hour.

use strict;
use warnings;

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
sub settle { return script('account_settle', [$acct])->[1] }
sub turn { return cmd('ZSCORE', k('settle'), $ac) }
sub entries { return map { $_->[0] } @{ cmd('XRANGE', $_[0], '-', '+') } }

# Settles until nothing is left to do; how many calls it took.
sub settled {
    for my $n (1 .. 100) {
        return $n if !settle();
    }
    return 'never';
}

# --- what users want ----------------------------------------------------------

my $was = stored();
my @cases = (
    ['the name', ['New', '', ''], { NAME, 'New' }],
    ['the time zone', ['', 'Asia/Tokyo', ''], { ZONE, 'Asia/Tokyo' }],
    ['the interval', ['', '', 7200], { INTERVAL, 7200 }],
    ['all of them', ['Old', 'UTC', 3600],
        { NAME, 'Old', ZONE, 'UTC', INTERVAL, 3600 }],
);
for my $case (@cases) {
    my ($what, $args, $want) = @$case;
    my $before = cmd('GET', $acct);
    is(script('account_want', [$acct], @$args)->[0], 'OK', "$what is wanted");
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
script('account_want', [$acct], @$_) for ['One', '', ''], ['', 'Asia/Tokyo', ''],
    ['Two', '', 7200];
settle();
is_deeply([@{ stored() }[NAME, ZONE, INTERVAL]], ['Two', 'Asia/Tokyo', 7200],
    'changes that are wanted one after the other are done together');

# The plan has the last word, also if it changes meanwhile.
my $a = stored();
$a->[SHORTEST] = 600;
cmd('SET', $acct, packed($a));
is_deeply(script('account_want', [$acct], 'n', 'UTC', 599), ['SHORT', 600],
    'an interval that the plan does not allow is refused');
is(cmd('EXISTS', k('wanted', $ac)), 0, 'a refused interval is not wanted');
script('account_want', [$acct], '', '', 700);
$a = stored();
$a->[SHORTEST] = 900;
cmd('SET', $acct, packed($a));
settle();
is(stored()->[INTERVAL], 900, 'the interval is not shorter than another plan'
    . ' allows that came before the daemon');

script('account_want', [$acct], 'Mine', 'Asia/Tokyo', '');
is(script('account_update', [$acct], '', 'UTC', '')->[0], 'OK',
    'an operator changes the account before a daemon');
is_deeply([@{ stored() }[NAME, ZONE]], ['Mine', 'UTC'],
    'what was wanted before is done, and the later change holds');
settle();
is(stored()->[ZONE], 'UTC', 'the later change holds after a daemon, too');

my $none = k('acct', sid('AC'));
is(script('account_want', [$none], 'x', '', '')->[0], 'ACCOUNT',
    'nothing is wanted of an unknown account');
is(script('account_settle', [$none])->[0], 'OK', 'nothing is settled of an unknown account');
is(cmd('EXISTS', $none), 0, 'neither script makes an account');

# --- the audit log --------------------------------------------------------------

my ($log, $rest, $past, $past_rest) = (k('audit', $ac), k('audit', 'rest', $ac),
    k('past', $ac), k('past', 'rest', $ac));
cmd('DEL', $log, $rest, k('settle'), k('audit', 'again', $ac),
    k('audit', 'rest', 'again', $ac));
my $from = cmd('TIME')->[0] * 1000;
$now = $from;
script_clock($now);
script('account_want', [$acct], 'Now', '', '');
settle();
is(scalar(() = entries($log)), 1, 'a change has its entry');
my $first = (entries($log))[0];
my ($ms) = $first =~ /^(\d+)/;
is(turn(), $ms + HOUR, 'the turn of the entry comes an hour later');
settle();
is(join(' ', entries($log)), $first,
    'the entry of a change stays where it is till then');

# 250 older entries in one stream, 3 in the other.
cmd('DEL', $log);
my $by = (caller_of(read_file(build_dir() . '/gen/lua/host_add.lua')))[0];
sub put {
    my ($k, $at, $name) = @_;
    return cmd('XADD', $k, $at . '-*', 'b', $by, 't', $ac, 'n', $name);
}
my $old = $now - 5 * HOUR;
my @log = map { put($log, $old + $_, "log $_") } 1 .. 250;
my @rest = map { put($rest, $old + 50 * $_, "rest $_") } 1 .. 3;
my @young = put($log, $now - HOUR + 5000, 'young');
sub shown {
    my ($before, @all) = '';
    do {
        (undef, $before, my $page) = @{ script('audit_show', [$acct], $before, 7,
            300, '', '') };
        push @all, map { "$_->[0] $_->[3]" } @$page;
    } while ($before ne '' && @all < 1000);
    return join ',', @all;
}
my $shown = shown();
is(scalar(() = $shown =~ /log|rest|young/g), 254, 'the whole log is shown');
cmd('ZADD', k('settle'), $now, $ac);
is(settle(), 1, 'one call does not move all');
is(shown(), $shown, 'the log is shown as before while it moves');
is(settled(), 2, 'later calls move the others');
is(join(' ', entries($past)), "@log", 'the entries have moved with their ids');
is(join(' ', entries($past_rest)), "@rest",
    'the entries of the other stream have moved with their ids');
is(join(' ', entries($log)), "@young",
    'the entry that is not an hour old has not moved');
like(rblctl($redis, 'fsck')->{out}, qr/no fault/, 'fsck finds no fault there');
is(shown(), $shown, 'the log is shown as before, with the same ids');
is(turn(), $now + 5000, 'the next turn comes when the first of the others is'
    . ' an hour old');
$now += 10_000;
script_clock($now);
settle();
is(turn(), undef, 'no turn is left when nothing is left to move');
is(shown(), $shown, 'the log is shown as before when all entries have moved');

# A clock that was set back: ids below those that have moved.
cmd('DEL', $log);
my @late = map { put($log, $old - 100_000 + $_, "late $_") } 1 .. 3;
cmd('ZADD', k('settle'), $now, $ac);
settled();
is(scalar(() = entries($past)), 254, 'entries of a clock that was set back move,'
    . ' too');
is(scalar(() = shown() =~ /late/g), 3, 'entries of a clock that was set back are shown');

# As many as are kept.
cmd('EVAL', "for i = 1, 3000 do redis.call('XADD', KEYS[1], i .. '-1', 'b', 'x',"
    . " 't', 'y', 'n', 'z') end", 1, $rest) if cmd('DEL', $rest, $past_rest);
cmd('ZADD', k('settle'), $now, $ac);
is(settled(), 30, 'each call moves a hundred entries');
my $n = cmd('XLEN', $past_rest);
ok($n >= 2000 && $n < 2200, 'about 2,000 entries are kept');

# --- fsck -----------------------------------------------------------------------

sub finds {
    my ($pattern, $name) = @_;

    like(rblctl($redis, 'fsck')->{out}, $pattern, "fsck finds $name");
    rblctl($redis, 'fsck', '--repair');
    like(rblctl($redis, 'fsck')->{out}, qr/no fault/, "fsck has mended $name");
}
script_clock(cmd('TIME')->[0] * 1000);
cmd('DEL', $log, $rest, $past, $past_rest, k('settle'));
script('account_want', [$acct], 'Name', '', '');
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
