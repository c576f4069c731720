#!/usr/bin/perl
# rblctl fsck: faults are planted one at a time; each is found, named and
# repaired by --repair, and then the store is consistent again.

use strict;
use warnings;

use lib 't/lib';
use JSON::XS ();
use RblTest;
use RblScript qw(:DEFAULT find_address find_members);

my $redis = redis_new();
rblctl($redis, 'init', '--partitions', 4);

sub fsck {
    my (@args) = @_;

    my $r = rblctl($redis, 'fsck', @args, '--json');
    return ($r->{status}, $r->{status} < 3 ? @{ json($r->{out}) } : ());
}

sub clean {
    my ($name, @args) = @_;

    my ($status, @faults) = fsck(@args);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($status, 0, $name) or diag(join "\n", map { said($_) } @faults);
    return $status == 0;
}

sub said { return join ' ', @{ $_[0] }{qw(account fault where text)} }

clean('nothing is there');


# --- a store with one of everything ----------------------------------------

my $now = int(cmd('TIME')->[0]) * 1000;
my ($ac, $acct) = account(max_checks => 1000);
my ($ac2) = account();
my $rp = chosen($acct)->[1];
my $cg = chosen($acct)->[2];

sub rk { return k($_[0] =~ /^(?:AP|WH)/ ? 's' : 'r', $ac, $_[0]) }
sub put { return cmd('SET', rk($_[0][1]), packed($_[0])) }
sub got { return unpacked(cmd('GET', rk($_[0]))) }

# Changes fields of a record: changed($sid, 7 => 'paused').
sub changed {
    my ($sid, %to) = @_;

    my $r = got($sid);
    $r->[$_] = $to{$_} for keys %to;
    put($r);
}

sub made {
    my ($kind, $index, @rest) = @_;

    my $sid = sid($kind);
    put([1, $sid, @rest]);
    cmd('ZADD', k($index, $ac), cmd('INCR', k('seq', $ac)), $sid);
    return $sid;
}

# The size of a check's details, and their entry.
sub octets { return 256 + cmd('STRLEN', k('check', $ac, "$_[0]:d")) }
sub entry_of { return "$_[0]:" . octets($_[0]) }

sub host { return unpacked(add_host($acct, @_)->[1])->[1] }

my $rb = made('RB', 'rbls', 'rbl', 'x.example', 'x', '', 3, 1, 'active', '',
    [], '', '', 'normal', 'ip', 'block', 'none');
my $rp2 = made('RP', 'profiles', 'Mine', 'active', 0, ['RBa', $rb], $now);
my $cg2 = made('CG', 'groups', 'Mine', $now);
my $co = made('CO', 'contacts', 'email', 'a@b.example', 'every_check',
    'active', [$cg, $cg2], $now, '', 0, 0, 0);
cmd('HINCRBY', k('refs', $ac), "$_:c", 1) for $cg, $cg2;
cmd('HINCRBY', k('refs', $ac), 'c', 2);
contacts_hear($ac);
my ($ap, $wh, $digest) = (sid('AP'), sid('WH'), 'x' x 32);
my $token = unpack 'H*', 'x' x 8;
script('app_put', [$acct], app => $ap, name => 'app', secret => 'secret',
    field => $token, digest => $digest);
script('hook_put', [$acct], hook => $wh, name => 'n',
    url => 'https://x.example/', secret => 's');

my $ht = host('rbl', '192.0.2.1');
my $on = host('rbl', '192.0.2.2');
my $off = host('rbl', '192.0.2.3');
my $asked = host('rbl', '192.0.2.4');
my $begun = host('rbl', '192.0.2.5');
my @range = map { unpacked($_)->[1] } (@{ add_host($acct, 'ip_range',
    '10.0.0.0/31', '10.0.0.0', '10.0.0.1') })[1 .. 3];
my ($range, $kid) = @range;

sub manual {
    my ($ht, @results) = @_;

    my $pp = sid('PP');
    script('check_start', [$acct], check => $pp, host => $ht,
        value => $ht ? '' : '192.0.2.9', family => 1, app => $ap,
        keep => 600_000);
    return $pp if !@results;
    begin($acct, $pp, $ht);
    finish_check($acct, $pp, $ht, [@results]);
    return $pp;
}
my @ended = map { manual($_, listed_result('RBa'), listed_result('RBb')) }
    $on, $kid;
cmd('DEL', k('leases'), k('manual'), k('manual', $ac));
script('host_update', [$acct], host => $off, profile => $rp2, groups => $cg2);
my ($job) = grep { /:$begun:/ } take('d', 50);
begin_job($job);
script('host_status', [$acct], host => $off, status => 'paused');
my $pp = manual($asked);
my $oneoff = manual('');
my $ev = sid('EV');
cmd('HSET', k('event', $ac, $ev), 'type', 't', 'date', $now, 'body', '{}',
    'open', 3);
for my $to ($wh, 'CB0', $co) {
    cmd('HSET', k('dlv', $ac, $ev, $to), 'attempt', 0, 'first', $now);
    cmd('ZADD', k('retry'), $now, "$ac:$ev:$to");
    cmd('ZADD', k('pending', $ac), 0, "$to:$now:$ev:$to") if $to !~ /^CO/;
}
# events of a contact: in delivery, being reported, to be reported
my @told = map { sid('EV') } 1 .. 2;
for my $told (@told) {
    cmd('HSET', k('event', $ac, $told), 'type', 't', 'date', $now, 'body', '{}',
        'open', 1);
    cmd('HSET', k('dlv', $ac, $told, $co), 'attempt', 0, 'first', $now);
    cmd('RPUSH', k('line', $ac, $co), $told);
}
cmd('ZADD', k('retry'), $now, "$ac:$told[0]:$co");
cmd('ZADD', k('batch', $ac, $co), -1, sid('EV'), $now, $on);
cmd('ZADD', k('digest', $ac, $co), $now, $on);
cmd('ZADD', k('digests'), $now, "$ac:$co");
my $ends = $now + 3_600_000;
my $mu = sid('MU');
script('mute_add', [$acct], mute => $mu, target => $on, ends => $ends,
    reason => 'why', longest => 86_400_000);
my $within = sid('MU');
script('mute_add', [$acct], mute => $within, target => 'RBa', group => $cg,
    ends => $ends, reason => 'why', longest => 86_400_000);
my $window = sid('MU');
script('mute_add', [$acct], mute => $window, target => '', ends => 0,
    rule => 'daily 22:00', minutes => 90, reason => 'why',
    longest => 86_400_000);
script('mute_next', [k('unmutes')], member => "$ac:$window",
    begins => $ends, ends => $ends + 60_000);
cmd('DEL', k('telling', $ac), k('tellings'));
cmd('HSET', k('held', $ac, $co), $on, 'm');
cmd('DEL', k('outbox'));
clean('a store with something of everything') or BAIL_OUT('not clean');
is(rblctl($redis, 'fsck')->{out}, "no fault in 2 accounts\n",
    'fsck reports no fault in two accounts');
clean('one account', $ac);
is(rblctl($redis, 'fsck', $ac)->{out}, "no fault in 1 account\n",
    'fsck of one account reports no fault in it');


# --- faults, each found, repaired and gone ---------------------------------

# The daemon that claims a check that cannot be executed ends it.
sub ends_failed {
    my ($pp) = @_;

    cmd('HSET', k('check', $ac, $pp), 'callbacks',
        packed([['https://cb.example/', $ap]]), 'host', '192.0.2.9');
    my ($job) = grep { /:$pp:/ } take('m', 50) or return 0;
    return begin_job($job)->[0] eq 'GONE'
        && cmd('HGET', k('check', $ac, $pp), 'status') eq 'failed'
        && cmd('XLEN', k('outbox')) == 1;
}
sub is_back { return cmd('GET', rk($_[0])) ne '' }

my $host = got($ht);
my @late = (sid('PP'), sid('PP'), sid('PP'));
my $lease = join ':', $ac, sid('PP'), '', 'm', 1, 'gone';
my $leased = join ':', $ac, $oneoff, '', 'm', 1, 'gone';
my $ghost = sid('HT');
my $found = cmd('ZCARD', k('find', $ac));
my @faults = (
    # indexes and records
    ['a host without a record', index => "hosts $off",
        sub { cmd('DEL', k('r', $ac, $off)) },
        sub { !cmd('ZSCORE', k('hosts', $ac), $off) }],
    ['a record that is in no index', record => $ht,
        sub { cmd('ZREM', k('hosts', $ac), $ht) },
        sub { cmd('ZSCORE', k('hosts', $ac), $ht) }],
    ['a record that is in no index, its value that of no host', record => $ht,
        sub { cmd('ZREM', k('hosts', $ac), $ht);
            cmd('HSET', k('uniq', $ac), 'rbl|192.0.2.1', sid('HT')) },
        sub { cmd('ZSCORE', k('hosts', $ac), $ht)
            && cmd('HGET', k('uniq', $ac), 'rbl|192.0.2.1') eq $ht }],
    ['a record that is in no index, its value that of another', record => $ht,
        sub { cmd('ZREM', k('hosts', $ac), $ht);
            cmd('HSET', k('uniq', $ac), 'rbl|192.0.2.1', $on) },
        sub { cmd('HGET', k('uniq', $ac), 'rbl|192.0.2.1') eq $ht }],
    ['a record without index, its value another host', record => $ghost,
        sub { put([1, $ghost, @$host[2 .. 16]]) },
        sub { !cmd('EXISTS', k('r', $ac, $ghost)) }],
    (map { my ($index, $sid) = @$_;
        (["$index without a record", index => "$index $sid",
            sub { cmd('ZADD', k($index, $ac), 1, $sid) }, undef],
        ["an entry of $index that is of another kind", index => "$index $ac",
            sub { cmd('ZADD', k($index, $ac), 1, $ac) }, sub { is_back($ht) }])
    } ['profiles', sid('RP')], ['groups', sid('CG')], ['contacts', sid('CO')],
        ['rbls', sid('RB')], ['apps', sid('AP')], ['hooks', sid('WH')],
        ['hosts', sid('HT')]),
    ['a record with a secret among the others', left => $wh,
        sub { cmd('SET', k('r', $ac, $wh), packed(got($wh))) },
        sub { !cmd('EXISTS', k('r', $ac, $wh)) && is_back($wh) }],
    ['and another among those with one', left => $ht,
        sub { cmd('SET', k('s', $ac, $ht), packed($host)) },
        sub { !cmd('EXISTS', k('s', $ac, $ht)) && is_back($ht) }],
    (map { my ($index, $sid) = @$_;
        ["$index: an entry is lost", record => $sid,
            sub { cmd('ZREM', k($index, $ac), $sid) },
            sub { cmd('ZSCORE', k($index, $ac), $sid) }]
    } ['groups', $cg2], ['contacts', $co], ['hooks', $wh]),
    ['an account that the index lacks', index => 'accounts',
        sub { cmd('ZREM', k('accounts'), $ac) },
        sub { cmd('ZSCORE', k('accounts'), $ac) }],
    ['an account that is in the index alone', index => 'accounts',
        sub { cmd('ZADD', k('accounts'), 1, 'AC' . '0' x 32) }, undef],
    ['a record that is no record', damaged => $rp2,
        sub { cmd('SET', k('r', $ac, $rp2), "\xc1 not a record") },
        sub { !cmd('ZSCORE', k('profiles', $ac), $rp2) }],
    ['a record that is short', damaged => $cg2,
        sub { cmd('SET', k('r', $ac, $cg2), packed([1, $cg2])) }, undef],
    ["another host's record", damaged => $ht,
        sub { cmd('SET', k('r', $ac, $ht), packed(got($on))) },
        sub { !cmd('EXISTS', k('r', $ac, $ht)) }],
    ['a record whose field is of another type', damaged => $on,
        sub { changed($on, 10 => 'none') }, undef],
    ['a number as the order that is too small', order => 'seq',
        sub { cmd('SET', k('seq', $ac), 1) },
        sub { cmd('GET', k('seq', $ac)) >= 10 }],
    (map { my ($name, $type) = @$_; ["$name of another type", type =>
        "$name:$ac", sub {
            my $k = k($name, $ac);
            cmd('DEL', $k);
            $type eq 'string' ? cmd('SADD', $k, 'x') : cmd('SET', $k, 'x');
        }, undef] } ['hosts', 'zset'], ['profiles', 'zset'],
        ['groups', 'zset'], ['refs', 'hash'], ['uniq', 'hash'],
        ['seq', 'string'], ['due', 'zset'], ['details', 'zset'], ['manual', 'list'],
        ['pending', 'zset'],
        ['listed', 'zset']),
    ['an index of the partition of another type', type => 'due',
        sub { cmd('DEL', k('due')); cmd('SET', k('due'), 'x') }, undef],
    ['a record of another type', damaged => $ht,
        sub { cmd('DEL', k('r', $ac, $ht)); cmd('SADD', k('r', $ac, $ht), 1) },
        undef],

    # references
    ['a value without a host', uniq => 'rbl|198.51.100.1',
        sub { cmd('HSET', k('uniq', $ac), 'rbl|198.51.100.1', $ht) }, undef],
    ['a value of a deleted host', uniq => 'rbl|198.51.100.1',
        sub { cmd('HSET', k('uniq', $ac), 'rbl|198.51.100.1', $ghost) },
        undef],
    ['a host that is not known by its value', uniq => $ht,
        sub { cmd('HDEL', k('uniq', $ac), "rbl|$host->[2]") },
        sub { cmd('HGET', k('uniq', $ac), "rbl|$host->[2]") eq $ht }],
    ['a counter that is too high', refs => $rp,
        sub { cmd('HINCRBY', k('refs', $ac), $rp, 2) }, undef],
    ['a counter that is missing', refs => "$cg:h",
        sub { cmd('HDEL', k('refs', $ac), "$cg:h") }, undef],
    ['a counter of nothing', refs => "$cg2:x",
        sub { cmd('HSET', k('refs', $ac), "$cg2:x", 0) }, undef],
    ["a contact's counter", refs => "$cg:c",
        sub { cmd('HINCRBY', k('refs', $ac), "$cg:c", -1) }, undef],
    ['a default profile that does not exist', default => sid('RP'),
        sub { cmd('SET', k('chosen', $ac), packed([1, $_[0], $cg])) },
        sub { "@{ chosen($acct) }" eq "1 $rp $cg" }],
    ['no default group', default => '',
        sub { cmd('SET', k('chosen', $ac), packed([1, $rp, ''])) },
        sub { "@{ chosen($acct) }" eq "1 $rp $cg" }],
    ['a default group that does not exist', default => sid('CG'),
        sub { cmd('SET', k('chosen', $ac), packed([1, $rp, $_[0]])) },
        sub { "@{ chosen($acct) }" eq "1 $rp $cg" }],
    ['defaults that cannot be read', damaged => 'chosen',
        sub { cmd('SET', k('chosen', $ac), "\xc1") },
        sub { "@{ chosen($acct) }" eq "1 $rp $cg" }],
    ['no defaults', missing => 'chosen',
        sub { cmd('DEL', k('chosen', $ac)) },
        sub { "@{ chosen($acct) }" eq "1 $rp $cg" }],
    ['no group at all', default => $cg,
        sub { cmd('DEL', k('groups', $ac), map { k('r', $ac, $_) }
            $cg, $cg2) },
        sub { my $new = chosen($acct)->[2];
            $new ne $cg && got($new)->[2] eq 'Default'
                && got($ht)->[9][0] eq $new }],
    ['a host whose profile does not exist', profile => $ht,
        sub { changed($ht, 8 => sid('RP')) },
        sub { got($ht)->[8] eq $rp }],
    ['a host with a group that does not exist', group => $ht,
        sub { changed($ht, 9 => [sid('CG'), $cg]) },
        sub { "@{ got($ht)->[9] }" eq $cg }],
    (map { my ($sid, $at) = @$_;
        ["a group that is no text, $sid", group => $sid,
            sub { changed($sid, $at => [[], $cg2]);
                },
            sub { got($sid)->[$at][0] eq $cg2 }]
    } [$ht, 9], [$co, 6]),
    ['a host without groups', group => $ht, sub { changed($ht, 9 => []) },
        sub { "@{ got($ht)->[9] }" eq $cg }],
    ['a contact with a group that does not exist', group => $co,
        sub { changed($co, 6 => [sid('CG')]) },
        sub { "@{ got($co)->[6] }" eq $cg }],
    ['a profile that names a list which does not exist', entries => $rp2,
        sub { changed($rp2, 5 => ['RBa', sid('RB'), $rb]) },
        sub { "@{ got($rp2)->[5] }" eq "RBa $rb" }],
    ['a profile that leaves out a list which does not exist', entries => $rp2,
        sub { changed($rp2, 4 => 1, 7 => ['RBa', sid('RB')]) },
        sub { "@{ got($rp2)->[7] }" eq 'RBa' }],
    ['a profile that leaves lists out and follows none', entries => $rp2,
        sub { changed($rp2, 4 => 0, 7 => ['RBa']) },
        sub { !defined got($rp2)->[7] }],
    ['a profile with a deleted custom list', entries => $rp2,
        sub { cmd('DEL', k('r', $ac, $rb)); cmd('ZREM', k('rbls', $ac), $rb) },
        sub { "@{ got($rp2)->[5] }" eq 'RBa' }],

    # totals
    ['totals that are not those of the indexes', totals => 'totals',
        sub { cmd('SET', k('totals', $ac), packed([1, 1, 99, 1, 99, 1])) },
        sub { !cmd('EXISTS', k('totals', $ac)) }],
    ['a coverage that cannot be read', coverage => 'coverage',
        sub { cmd('SET', k('coverage', $ac), 'x');
            cmd('SET', k('checked', $ac), '1700000000000 noted') },
        sub { !cmd('EXISTS', k('coverage', $ac))
            && cmd('GET', k('checked', $ac)) eq '1700000000000' }],
    ['a coverage with a list that it does not have', coverage => 'coverage',
        sub { cmd('SET', k('coverage', $ac), packed([1, '', '0' x 16
            . "\0" x 12 . ";\0\1"])) },
        sub { !cmd('EXISTS', k('coverage', $ac)) }],
    (map { my $answers = $_;
        ['answers of lists, ' . length($answers) . ' bytes', answers => $on,
            sub { changed($on, 17 => [], 18 => 0, 19 => 0, 20 => $answers) },
            sub { got($on)->[20] eq '' }] } 'x', "x" x 4 . "\x18\0\0",
        "x" x 4 . "\x0b\0\0\0", "x" x 1500),
    (map { my ($name, $past, $flap) = @$_;
        [$name, changes => $on,
            sub { changed($on, 17 => [], 18 => 0, 19 => 0, 20 => '',
                21 => $past, 22 => $flap) },
            sub { !@{ got($on)->[21] } && !@{ got($on)->[22] } }] }
        ['a time of the last change alone', [], [1]],
        ['an ended listing without times', [['RBa', 'a.example']], []],
        ['a last change in the future', [],
            [(time + 9999) * 1000, (0) x 8]]),
    ['a coverage with an answer in the future', coverage => 'coverage',
        sub { cmd('SET', k('coverage', $ac), packed([1,
            pack('a16NN', 'x', 0, time + 9999)])) },
        sub { !cmd('EXISTS', k('coverage', $ac)) }],
    (map { my ($name, $bytes) = @$_;
        ["$name of days that cannot be read", days => 'today',
            sub { cmd('SET', k($name, $ac), $bytes) },
            sub { !cmd('EXISTS', k('today', $ac), k('days', $ac)) }] }
        ['today', 'x'], ['days', "\1\2\3"], ['days', "\xff" x 6],
        ['today', packed([1, 99_999, (0) x 9])]),
    (map { my $bytes = $_;
        ['days of lists that cannot be read', trends => 'trends',
            sub { cmd('SET', k('trends', $ac), $bytes) },
            sub { !cmd('EXISTS', k('trends', $ac)) }] }
        'x', packed([1, 20_000, 20_001, 'x' x 6, "\1\1", '']),
        packed([1, 20_000, 20_001, '', '', "\1\x80"]),
        packed([1, 20_001, 20_000, '', '', '']),
        packed([1, 20_000, 99_999, '', '', ''])),
    ['a list with the wrong number of hosts', refs => 'RBa:h',
        sub { cmd('HSET', k('refs', $ac), 'RBa:h', 7) },
        sub { cmd('HGET', k('refs', $ac), 'RBa:h') != 7 }],
    ['totals that cannot be read', totals => 'totals',
        sub { cmd('SET', k('totals', $ac), 'x') },
        sub { !cmd('EXISTS', k('totals', $ac)) }],
    ['totals that were right for an index that was not', listed => $on,
        sub { cmd('ZREM', k('listed', $ac), $on);
            script('totals_make', [k('acct', $ac)]) },
        sub { !cmd('EXISTS', k('totals', $ac)) }],

    # listings
    ['a listed host that listings do not show', listed => $on,
        sub { cmd('ZREM', k('listed', $ac), $on) },
        sub { cmd('ZSCORE', k('listed', $ac), $on) }],
    ['a host that listings show and is not listed', listed => $ht,
        sub { cmd('ZADD', k('listed', $ac), 3, $ht) }, undef],
    ['a paused host that listings show', listed => $off,
        sub { cmd('ZADD', k('listed', $ac), 3, $off) }, undef],
    ['a place in the listings that is not that of the host', listed => $on,
        sub { cmd('ZADD', k('listed', $ac), 9999, $on) }, undef],
    ['a listing without a host', index => "listed $ghost",
        sub { cmd('ZADD', k('listed', $ac), 3, $ghost) }, undef],
    ['a number of listings that is wrong', count => $on,
        sub { changed($on, 13 => 7) }, sub { got($on)->[13] == 2 }],
    ['a listed host that is not known since when', since => $on,
        sub { changed($on, 12 => 0) },
        sub { got($on)->[12] == got($on)->[16][0][5] }],
    ['a range that counts wrongly', count => $range,
        sub { changed($range, 13 => 2) }, sub { got($range)->[13] == 1 }],
    ['a range that does not know its address', kids => $range,
        sub { cmd('ZREM', k('kids', $ac, $range), $kid) },
        sub { got($range)->[13] == 1 }],
    ['a range with an address of others', kids => $range,
        sub { cmd('ZADD', k('kids', $ac, $range), 9, $on) }, undef],
    ['an address of a deleted range', parent => $kid,
        sub { changed($kid, 6 => sid('HT')) }, undef],
    ['addresses of no range', left => $ghost,
        sub { cmd('ZADD', k('kids', $ac, $ghost), 1, $ht) }, undef],
    ['a history of no host', left => $ghost,
        sub { cmd('XADD', k('hist', $ac, $ghost), '*', 'c', 'x') }, undef],

    # states of hosts, and what they are found by
    ['one to which no list applies', state => $ht,
        sub { my $r = got($ht); put([@$r[0 .. 16], [], 1]) },
        sub { in_state($ac, 3) == 1 }],
    ['one that is not counted', state => $off,
        sub { cmd('ZREM', k('states', $ac), $off) },
        sub { in_state($ac, 4) == 1 }],
    ['one in another state', state => $off,
        sub { cmd('ZADD', k('states', $ac), 1, $off) },
        sub { in_state($ac, 4) == 1 }],
    ['one that is listed since another time', state => $on,
        sub { cmd('ZINCRBY', k('states', $ac), 1, $on) }, undef],
    ['no host in a state', index => "states $ghost",
        sub { cmd('ZADD', k('states', $ac), 1, $ghost) }, undef],
    ['one that is not found', find => $ht,
        sub { cmd('DEL', k('find', $ac)) },
        sub { cmd('ZCARD', k('find', $ac)) == $found }],
    ['one that is not found by its address', find => $ht,
        sub { cmd('ZREMRANGEBYLEX', k('find', $ac), '[a', '(b') },
        sub { cmd('ZCARD', k('find', $ac)) == $found }],
    ['one that is found by a name it had', find => $ht,
        sub { cmd('ZADD', k('find', $ac), 0, (find_members($ht,
            '192.0.2.1', 'had'))[0]) },
        sub { cmd('ZCARD', k('find', $ac)) == $found }],
    ['no host that is found', find => $ghost,
        sub { cmd('ZADD', k('find', $ac), 0,
            find_members($ghost, 'x', 'x')) }, undef],
    ['an account without both indexes', state => $off,
        sub { cmd('DEL', k('states', $ac), k('find', $ac)) },
        sub { in_state($ac, 4) == 1 && cmd('ZCARD', k('find', $ac)) == $found
            }],
    ['a key of states that is none', type => "states:$ac",
        sub { cmd('SET', k('states', $ac), 1) },
        sub { in_state($ac, 4) == 1 }],
    ['nothing that is found', find => '',
        sub { cmd('ZADD', k('find', $ac), 0, 'x') }, undef],

    # details of checks
    ['details that are not counted', details => $ended[0],
        sub { cmd('ZREM', k('details', $ac), entry_of($ended[0]));
            cmd('ZINCRBY', k('details', $ac), -octets($ended[0]), 'octets') },
        sub { cmd('ZSCORE', k('details', $ac), entry_of($ended[0])) }],
    ['details that are counted and deleted', details => $ended[1],
        sub { cmd('DEL', k('check', $ac, "$ended[1]:d")) },
        sub { cmd('ZSCORE', k('details', $ac), 'octets')
            == octets($ended[0]) }],
    ['details whose sum is wrong', details => 'details',
        sub { cmd('ZADD', k('details', $ac), 7, 'octets') },
        sub { cmd('ZSCORE', k('details', $ac), 'octets') > 7 }],

    # the schedule
    ['an active host that is never due', schedule => $ht,
        sub { cmd('ZREM', k('due', $ac), $ht) },
        sub { cmd('ZSCORE', k('due', $ac), $ht) }],
    ['a paused host that is due', schedule => $off,
        sub { cmd('ZADD', k('due', $ac), $now, $off) },
        sub { !cmd('ZSCORE', k('due', $ac), $off) }],
    ['a range that is due', schedule => $range,
        sub { cmd('ZADD', k('due', $ac), $now, $range) }, undef],
    ['a host that is due while its check waits', schedule => $asked,
        sub { cmd('ZADD', k('due', $ac), $now, $asked) }, undef],
    ['a due host that does not exist', index => "due $ghost",
        sub { cmd('ZADD', k('due', $ac), $now, $ghost) }, undef],
    ['an account that has no turn', turn => 'due',
        sub { cmd('ZREM', k('due'), $ac) }, sub { cmd('ZSCORE', k('due'), $ac) }],
    ['an account whose turn is too late', turn => 'due',
        sub { cmd('ZADD', k('due'), $now * 2, $ac) }, undef],
    ['a turn of no account', turn => 'due',
        sub { cmd('ZADD', k('due'), $now, 'AC' . '0' x 31 . 'f') }, undef],
    ['checks that wait and have no turn', turn => 'manual',
        sub { cmd('ZREM', k('manual'), $ac) }, undef],
    ['a turn without checks that wait', turn => 'manual',
        sub { cmd('ZADD', k('manual'), $now, $ac2) }, undef],

    # jobs
    ['a check that waits and has no record', queue => $pp,
        sub { cmd('DEL', k('check', $ac, $pp)) },
        sub { !cmd('HEXISTS', k('flight'), "$ac:$asked")
            && cmd('ZSCORE', k('due', $ac), $asked) }],
    ['an invalid member of a queue', queue => 'manual',
        sub { cmd('RPUSH', k('manual', $ac), 'nonsense') }, undef],
    ['a check in flight in no queue', flight => $asked,
        sub { cmd('DEL', k('manual', $ac), k('check', $ac, $oneoff));
            cmd('ZREM', k('manual'), $ac) },
        sub { cmd('LRANGE', k('manual', $ac), 0, -1)->[0] eq "$pp:$asked" }],
    ['a check in flight that is finished', flight => $asked,
        sub { cmd('HSET', k('check', $ac, $pp), 'status', 'completed') },
        sub { cmd('ZSCORE', k('due', $ac), $asked) }],
    ['a check in flight of no host', flight => $ghost,
        sub { cmd('HSET', k('flight'), "$ac:$ghost", $pp) }, undef],
    ['a started check of no host', flight => $ghost,
        sub { cmd('HSET', k('flight:due'), "$ac:$ghost", "$pp:1:$now:x") },
        undef],
    ['a started check that cannot be read', flight => $begun,
        sub { cmd('HSET', k('flight:due'), "$ac:$begun", 'nonsense') }, undef],
    ['a started check that is not due again', flight => $begun,
        sub { cmd('ZREM', k('due', $ac), $begun) },
        sub { cmd('ZSCORE', k('due', $ac), $begun) }],
    ['a one-off in no queue', check => $oneoff,
        sub { cmd('LREM', k('manual', $ac), 0, "$oneoff:") },
        sub { cmd('LPOS', k('manual', $ac), "$oneoff:") }],
    ['a check of a host in no queue', check => $late[0],
        sub { cmd('HSET', k('check', $ac, $late[0]), 'status', 'running',
            'host_id', $ht, 'host', $host->[2]);
            cmd('PEXPIRE', k('check', $ac, $late[0]), 60_000) },
        sub { cmd('HGET', k('flight'), "$ac:$ht") eq $late[0] }],
    ['a check of a host that has another one', check => $late[1],
        sub { cmd('HSET', k('check', $ac, $late[1]), 'status', 'queued',
            'host_id', $asked);
            cmd('PEXPIRE', k('check', $ac, $late[1]), 31_000_000_000) },
        sub { ends_failed($late[1]) }],
    ['a check of a deleted host', check => $late[1],
        sub { cmd('HSET', k('check', $ac, $late[1]), 'status', 'queued',
            'host_id', $ghost);
            cmd('PEXPIRE', k('check', $ac, $late[1]), 31_000_000_000) },
        sub { ends_failed($late[1]) }],
    ['a check that waits and is not in flight', check => $pp,
        sub { cmd('HDEL', k('flight'), "$ac:$asked");
            cmd('ZREM', k('due', $ac), $asked) },
        sub { cmd('HGET', k('flight'), "$ac:$asked") eq $pp
            && cmd('LPOS', k('manual', $ac), "$pp:$asked", 'COUNT', 0)->@*
                == 1 }],
    ['a lease of nothing', lease => (split /:/, $lease)[1],
        sub { cmd('ZADD', k('leases'), 1, $lease) }, undef],
    ['a lease that cannot be read', lease => 'leases',
        sub { cmd('ZADD', k('leases'), $now * 2, "$ac:x") }, undef],
    ['a check whose record has no end', endless => $late[2],
        sub { cmd('HSET', k('check', $ac, $late[2]), 'status', 'completed') },
        sub { cmd('PTTL', k('check', $ac, $late[2])) > 0 }],
    ['a host that was checked in the future', schedule => $ht,
        sub { changed($ht, 11 => $now + 400_000_000,
            15 => $now + 500_000_000);
            cmd('ZADD', k('due', $ac), $now + 500_000_000, $ht) },
        sub { cmd('ZSCORE', k('due', $ac), $ht) < $now + 600_000
            && got($ht)->[11] < $now + 600_000 }],
    ['a host whose lease ends far in the future', schedule => $ht,
        sub { cmd('ZADD', k('due', $ac), $now + 500_000_000, $ht) },
        sub { cmd('ZSCORE', k('due', $ac), $ht) < $now + 600_000 }],
    ['a started check whose lease ends far in the future', schedule => $begun,
        sub { changed($begun, 15 => $now + 500_000_000);
            cmd('ZADD', k('due', $ac), $now + 500_000_000, $begun) },
        sub { cmd('ZSCORE', k('due', $ac), $begun) < $now + 600_000 }],
    ['a host that was added in the future', schedule => $ht,
        sub { changed($ht, 10 => $now + 400_000_000,
            15 => $now + 400_000_000);
            cmd('ZADD', k('due', $ac), $now + 400_000_000, $ht) },
        sub { cmd('ZSCORE', k('due', $ac), $ht) < $now + 600_000 }],
    ['a host that was resumed in the future', schedule => $ht,
        sub { changed($ht, 15 => $now + 9_000_000_000);
            cmd('ZADD', k('due', $ac), $now + 9_000_000_000, $ht) },
        sub { cmd('ZSCORE', k('due', $ac), $ht) < $now + 600_000 }],
    ['a delivery that is tried far in the future', late => $ev,
        sub { cmd('ZADD', k('retry'), $now + 500_000_000, "$ac:$ev:CB0") },
        sub { cmd('ZSCORE', k('retry'), "$ac:$ev:CB0") < $now + 600_000 }],
    ['a digest that is due far in the future', late => $co,
        sub { cmd('ZADD', k('digests'), $now + 500_000_000, "$ac:$co") },
        sub { cmd('ZSCORE', k('digests'), "$ac:$co") < $now + 600_000 }],
    ['a lease that ends far in the future', late => $oneoff,
        sub { cmd('LREM', k('manual', $ac), 0, "$oneoff:");
            cmd('ZADD', k('leases'), $now + 500_000_000, $leased) },
        sub { cmd('ZSCORE', k('leases'), $leased) < $now + 600_000 }],
    ['checks of a day that ends in a year', endless => 'started',
        sub { cmd('SET', k('started', $ac), 5, 'PX', 31_000_000_000) },
        sub { cmd('PTTL', k('started', $ac)) <= 86_400_000 }],
    ['checks of a day that has no end', endless => 'started',
        sub { cmd('SET', k('started', $ac), 5) },
        sub { cmd('PTTL', k('started', $ac)) > 0 }],

    # tokens
    ['a token of a deleted application', token => $token,
        sub { cmd('DEL', rk($ap)); cmd('DEL', k('apps', $ac)) },
        sub { !cmd('EXISTS', k('tokens', $ac), k('token', $ac, $token)) }],
    ['a token whose application is revoked', token => $token,
        sub { changed($ap, 3 => 'revoked') },
        sub { !cmd('EXISTS', k('tokens', $ac), k('token', $ac, $token)) }],
    ['a token with other limits', token => $token,
        sub { my $t = unpacked(cmd('GET', k('token', $ac, $token)));
            $t->[4] = ['192.0.2.0/24'];
            cmd('SET', k('token', $ac, $token), packed($t)) },
        sub { !@{ unpacked(cmd('GET', k('token', $ac, $token)))->[4] } }],
    ['a token that names another application', token => $token,
        sub { cmd('HSET', k('tokens', $ac), $token, sid('AP')) },
        sub { cmd('HGET', k('tokens', $ac), $token) eq $ap }],
    ['a token that cannot be read', damaged => "token $token",
        sub { cmd('SET', k('token', $ac, $token), 'x') }, undef],
    ['a token without a record', index => "tokens $token",
        sub { cmd('DEL', k('token', $ac, $token)) }, undef],
    ['a token that is in no index', record => "token $token",
        sub { cmd('DEL', k('tokens', $ac)) },
        sub { cmd('HGET', k('tokens', $ac), $token) eq $ap }],
    ['a token in no index, its application revoked', left => "token $token",
        sub { cmd('DEL', k('tokens', $ac)); changed($ap, 3 => 'revoked') },
        sub { !cmd('EXISTS', k('token', $ac, $token)) }],
    ['a token under another name', left => 'token ' . 'ab' x 8,
        sub { cmd('SET', k('token', $ac, 'ab' x 8),
            cmd('GET', k('token', $ac, $token))) }, undef],

    # reports to contacts
    ['a digest that is never reported', digest => $co,
        sub { cmd('DEL', k('digests'), k('batch', $ac, $co)) },
        sub { cmd('ZSCORE', k('digests'), "$ac:$co") }],
    ['a digest that was claimed and is never reported', digest => $co,
        sub { cmd('DEL', k('digests'), k('batch', $ac, $co));
            cmd('RENAME', k('digest', $ac, $co), k('making', $ac, $co)) },
        sub { cmd('ZSCORE', k('digests'), "$ac:$co") }],
    ['a digest of no contact', digest => 'CO' . '2' x 32,
        sub { cmd('ZADD', k('batch', $ac, 'CO' . '2' x 32), 1, $on) }, undef],
    ['a digest that is due and empty', digest => $co,
        sub { cmd('DEL', k('digest', $ac, $co), k('batch', $ac, $co)) },
        sub { !cmd('EXISTS', k('digests')) }],
    ['a line whose first message is never tried', line => $co,
        sub { cmd('ZREM', k('retry'), "$ac:$told[0]:$co") },
        sub { cmd('ZSCORE', k('retry'), "$ac:$told[0]:$co") }],
    ['a line whose first message is deleted', line => $co,
        sub { cmd('LPUSH', k('line', $ac, $co), sid('EV')) },
        sub { cmd('LINDEX', k('line', $ac, $co), 0) eq $told[0] }],
    ['a message that waits in no line', delivery => "$told[1]:$co",
        sub { cmd('LREM', k('line', $ac, $co), 1, $told[1]) },
        sub { cmd('ZSCORE', k('retry'), "$ac:$told[1]:$co") }],
    ['a contact in too few sets', hears => $co,
        sub { cmd('ZREM', k('hears', $ac, $cg), $co) },
        sub { cmd('ZSCORE', k('hears', $ac, $cg), $co) == 2 }],
    ['a contact in too many sets', hears => $co,
        sub { cmd('ZADD', k('hears', $ac), 1, $co) },
        sub { cmd('ZSCORE', k('hears', $ac), $co) == 2 }],
    ['a group with another schedule of a contact', hears => $co,
        sub { cmd('ZADD', k('hears', $ac, $cg2), 1, $co) },
        sub { cmd('ZSCORE', k('hears', $ac, $cg2), $co) == 2 }],
    ['a group with a contact that is not its own', hears => 'CG' . '3' x 32,
        sub { cmd('ZADD', k('hears', $ac, 'CG' . '3' x 32), 2, $co) },
        sub { !cmd('EXISTS', k('hears', $ac, 'CG' . '3' x 32)) }],
    ['places of contacts that are miscounted', refs => 'c',
        sub { cmd('HSET', k('refs', $ac), 'c', 7) },
        sub { cmd('HGET', k('refs', $ac), 'c') == 2 }],
    ['a set with an unknown contact', hears => 'CO' . '3' x 32,
        sub { cmd('ZADD', k('hears', $ac), 1, 'CO' . '3' x 32) },
        sub { !defined cmd('ZSCORE', k('hears', $ac), 'CO' . '3' x 32) }],
    ['a mute that is not where it ends', mute => $mu,
        sub { cmd('ZADD', k('mutes', $ac), 5, $mu) },
        sub { cmd('ZSCORE', k('mutes', $ac), $mu) == $ends }],
    ['a mute whose end nobody waits for', mute => $mu,
        sub { cmd('ZREM', k('unmutes'), "$ac:$mu") },
        sub { cmd('ZSCORE', k('unmutes'), "$ac:$mu") == $ends }],
    ['a window that is not where it is over', mute => $window,
        sub { cmd('ZADD', k('mutes', $ac), $ends, $window) },
        sub { cmd('ZSCORE', k('mutes', $ac), $window) eq 'inf' }],
    ['a window whose next time nobody looks for', mute => $window,
        sub { cmd('ZADD', k('unmutes'), 2 * $ends, "$ac:$window") },
        sub { cmd('ZSCORE', k('unmutes'), "$ac:$window") == $ends + 60_000 }],
    ['a window without a turn', mute => $window,
        sub { cmd('ZREM', k('unmutes'), "$ac:$window") },
        sub { cmd('ZSCORE', k('unmutes'), "$ac:$window") == $ends + 60_000 }],
    (map { my ($what, $field, $sid) = @$_;
        ["a mute of $what that is gone", mute => $within,
            sub { changed($within, $field => $sid) },
            sub { my $at = got($within)->[5];
                $at < $ends && cmd('ZSCORE', k('mutes', $ac), $within) == $at
                    && !defined cmd('ZSCORE', k('unmutes'), "$ac:$within") }]
        } ['a list', 2, 'RB' . '3' x 32], ['a list within a group', 12,
        'CG' . '3' x 32], ['a group', 2, 'CG' . '3' x 32]),
    ['a mute without a record', index => "mutes $mu",
        sub { cmd('DEL', rk($mu)) },
        sub { !defined cmd('ZSCORE', k('mutes', $ac), $mu)
            && cmd('ZSCORE', k('unmutes'), "$ac:$mu") == 0 }],
    ['marks of a listing that is over', marks => $on,
        sub { cmd('HSET', k('marks', $ac), $on, packed([
            ['RB' . '9' x 32, 5, 'x', 0, '', '', 0, '']])) },
        sub { !cmd('EXISTS', k('marks', $ac)) }],
    ['marks of a host that is no more', marks => 'HT' . '7' x 32,
        sub { cmd('HSET', k('marks', $ac), 'HT' . '7' x 32, packed([])) },
        sub { !cmd('EXISTS', k('marks', $ac)) }],
    ['marks that cannot be read', marks => $on,
        sub { cmd('HSET', k('marks', $ac), $on, 'x') },
        sub { !cmd('EXISTS', k('marks', $ac)) }],
    ['siblings of something that is no range', siblings => 'siblings',
        sub { cmd('ZADD', k('siblings'), 0, "$ac:x") },
        sub { !defined cmd('ZSCORE', k('siblings'), "$ac:x") }],
    ['a turn without an account', turn => 'unmutes',
        sub { cmd('ZADD', k('unmutes'), $ends, 'AC' . '7' x 32 . ":$mu") },
        sub { cmd('ZCARD', k('unmutes')) == 3 }],
    ['a turn that is no mute', turn => 'unmutes',
        sub { cmd('ZADD', k('unmutes'), $ends, $ac2) },
        sub { !defined cmd('ZSCORE', k('unmutes'), $ac2) }],
    ['what is held back from a contact that is no more',
        open => 'CO' . '3' x 32,
        sub { cmd('HSET', k('held', $ac, 'CO' . '3' x 32), $on, 1) },
        sub { !cmd('EXISTS', k('held', $ac, 'CO' . '3' x 32)) }],
    ['reports to many contacts without a turn', turn => 'tellings',
        sub { cmd('HSET', k('telling', $ac), $on, packed([[[$cg]], [1],
            [1, 1, 0, 0], [], 0, 0])) },
        sub { cmd('ZSCORE', k('tellings'), $ac) }],
    ['reports to many contacts that cannot be read', telling => $on,
        sub { cmd('HSET', k('telling', $ac), $on, 'x');
            cmd('ZADD', k('tellings'), 1, $ac) },
        sub { !cmd('EXISTS', k('telling', $ac)) }],
    ['a turn without reports to many contacts', turn => 'tellings',
        sub { cmd('ZADD', k('tellings'), 1, $ac) },
        sub { !cmd('EXISTS', k('tellings')) }],

    # events
    ['a delivery that is not counted', pending => "$ev:CB0",
        sub { cmd('ZREM', k('pending', $ac), "CB0:$now:$ev:CB0") },
        sub { defined cmd('ZSCORE', k('pending', $ac), "CB0:$now:$ev:CB0") }],
    ['a delivery that is counted twice', pending => $ev,
        sub { cmd('ZADD', k('pending', $ac), 0, "CB0:1:$ev:CB0") },
        sub { cmd('ZCARD', k('pending', $ac)) == 2 }],
    ['a counted delivery that does not exist', pending => $told[0],
        sub { cmd('ZADD', k('pending', $ac), 0, "$wh:1:$told[0]:$wh") },
        sub { cmd('ZCARD', k('pending', $ac)) == 2 }],
    ['an unreadable counted delivery', pending => 'pending',
        sub { cmd('ZADD', k('pending', $ac), 0, 'x') },
        sub { cmd('ZCARD', k('pending', $ac)) == 2 }],
    ['a delivery that is never tried', delivery => "$ev:CB0",
        sub { cmd('ZREM', k('retry'), "$ac:$ev:CB0") },
        sub { cmd('ZSCORE', k('retry'), "$ac:$ev:CB0") }],
    ['a delivery without event', delivery => "$ev:CB0",
        sub { cmd('DEL', k('event', $ac, $ev)) },
        sub { !grep { /:$ev:/ } @{ cmd('ZRANGE', k('retry'), 0, -1) } }],
    ['a try without delivery', retry => $ev,
        sub { cmd('ZADD', k('retry'), $now, "$ac:$ev:CB7") }, undef],
    ['an event that counts too many', event => $ev,
        sub { cmd('HSET', k('event', $ac, $ev), 'open', 4) },
        sub { cmd('HGET', k('event', $ac, $ev), 'open') == 3 }],
    ['an event that counts too few', event => $ev,
        sub { cmd('HSET', k('event', $ac, $ev), 'open', 1) },
        sub { cmd('HGET', k('event', $ac, $ev), 'open') == 3 }],
    ['an event without deliveries', event => $late[0],
        sub { cmd('HSET', k('event', $ac, $late[0]), 'open', 1) },
        sub { !cmd('EXISTS', k('event', $ac, $late[0])) }],
);

# Dumps the store, and restores it.
sub dump_all {
    my %all;
    for my $key (@{ cmd('KEYS', '*') }) {
        $all{$key} = [cmd('PTTL', $key), cmd('DUMP', $key)];
    }
    return \%all;
}
sub restore_all {
    my ($all) = @_;

    cmd('FLUSHALL');
    cmd('RESTORE', $_, $all->{$_}[0] > 0 ? $all->{$_}[0] : 0, $all->{$_}[1])
        for keys %$all;
}
my $all = dump_all();

for my $fault (@faults) {
    my ($name, $kind, $where, $plant, $mended) = @$fault;
    $plant->($where);
    my ($status, @found) = fsck();
    is($status, 1, "$name: fsck finds a fault");
    my @it = grep { $_->{fault} eq $kind && $_->{where} eq $where } @found;
    is(scalar @it, 1, "$name: named once as $kind $where")
        or diag(join "\n", map { said($_) } @found);
    is(scalar(grep { $_->{mended} } @found), 0,
        "$name: nothing is repaired yet");
    ($status, @found) = fsck('--repair');
    is($status, 1, "$name: --repair reports it too");
    is(join("\n", map { said($_) } grep { !$_->{mended} } @found), '',
        "$name: and repairs all of it");
    clean("$name: then no fault is left");
    ok($mended->(), "$name: as it should be") if $mended;
    restore_all($all);
}
cmp_ok(scalar @faults, '>=', 60, scalar(@faults) . ' faults were planted');


# --- faults that fsck does not repair --------------------------------------

for (
    ['an account without a record', account => $ac, sub { cmd('DEL', $acct) }],
    ['an account whose record cannot be read', account => $ac,
        sub { cmd('SET', $acct, 'x') }],
    ['a key of unknown kind', key => "future:$ac",
        sub { cmd('SET', k('future', $ac), 1) }],
    ['a key of no account', key => 'hist:AC' . '1' x 32 . ":$ht",
        sub { cmd('XADD', "rbl:{1}:hist:AC" . '1' x 32 . ":$ht", '*', 'a', 1)
            }],
    ['a key in the wrong partition', key => "hosts:$ac",
        sub { cmd('ZADD', "rbl:{1}:hosts:$ac", 1, $ht) }],
    (map { my $sid = $_;
        ["a record of another version, $sid", damaged => $sid,
            sub { changed($sid, 0 => 2) }] } $rp2, $rp, $cg, $rb, $co, $ap,
        $wh, $on, $asked, $begun, $range, $kid),
    ['a record in no index, its value of another version', record => $ghost,
        sub { put([1, $ghost, @$host[2 .. 16]]); changed($ht, 0 => 2) },
        "damaged $ht"],
    ['the same host twice', twice => $ghost, sub {
        put([1, $ghost, @$host[2 .. 16]]);
        my $order = cmd('INCR', k('seq', $ac));
        cmd('ZADD', k('hosts', $ac), $order, $ghost);
        cmd('ZADD', k('states', $ac), "2e13" + $order, $ghost);
        cmd('ZADD', k('find', $ac), map { (0, $_) } find_address($ghost,
            $host->[2]), find_members($ghost, @$host[2, 3]));
        cmd('ZADD', k('due', $ac), $now + 3_000_000, $ghost);
        cmd('HINCRBY', k('refs', $ac), $_, 1) for $rp, "$cg:h" }],
) {
    my ($name, $kind, $where, $plant, @more) = @$_;
    $plant->();
    my $before = cmd('DBSIZE');
    my ($status, @found) = fsck('--repair');
    is($status, 1, "$name: fsck --repair finds a fault");
    is(join("\n", map { "$_->{fault} $_->{where}" . ($_->{mended} ? '!' : '') }
        @found), join("\n", "$kind $where", @more),
        "$name: named, and left alone");
    is(cmd('DBSIZE'), $before, "$name: nothing is lost");
    my $r = rblctl($redis, 'fsck', '--repair');
    my $n = @found;
    like($r->{err}, qr/^rblctl: $n of $n faults are not repaired$/m,
        "$name: and the message has their number");
    restore_all($all);
}

my $mine = $ac;
changed($ht, 8 => sid('RP'));
($ac, $acct) = ($ac2, k('acct', $ac2));
clean('another account has no fault', $ac2);
is((fsck($mine))[0], 1, 'the account with the fault has it');
like(rblctl($redis, 'fsck', 'AC' . 'e' x 32)->{err},
    qr/^rblctl: there is no account ACe+$/m,
    'fsck of an unknown account is refused');
is(rblctl($redis, 'fsck', 'x')->{status}, 3,
    'fsck of an invalid SID is refused');
restore_all($all);
clean('as at first');

done_testing();
