#!/usr/bin/perl

# The cost of a check in the store: redis-server's CPU time for claiming due
# hosts, starting their checks and writing the results, with the scripts and the
# arguments of the daemon, 64 commands at a time on one connection.
#
# A scheduled check without news ends by check_clear, which takes several: here
# one at a time, and for comparison 8 and 50, and check_finish.
#
# Every case has its own hosts, in one account of 36 lists.  The floor is a
# script that does nothing and gets the arguments of the result of a scheduled
# check.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/lib";

use RblBench;
use RblBenchBills;
use RblBenchChecks qw(lists_said);
use RblBenchStore;
use RblScript;
use RblSeam;
use RblTest;

use constant { LISTS => 36, HOSTS => smoke(500) // 2000, BATCH => 64,
    CLAIM => 100, ASKED => 4, KEEP => 604_800_000 };

bench('store', 'what a check costs the store');

my $redis = redis_new();
my $store = RblBenchStore->new($redis);
my $many;
my $name = 'checkd-1.example.org:12345';

sub call_of { return $store->call_of(@_) }
sub pipelined { return $store->pipelined(@_) }


# --- the store -------------------------------------------------------------

my @rb = map { sprintf 'RB%032x', $_ } 1 .. LISTS;
my ($asks, $members) = lists_said(@rb);

sub result_of {
    my ($i, $is) = @_;

    my $zone = "list$i.dnsbl.example";
    return result($rb[$i], $is, zone => $zone, weight => 3) if $is ne 'listed';
    return listed_result($rb[$i], zone => $zone, weight => 3,
        details => "https://list$i.example/lookup?ip=192.0.2.1",
        reason => 'Spam source');
}

# Results in the daemon's form: [not clear, clear, number, all].
sub results {
    my ($listed) = @_;

    my @all = map { result_of($_, $_ < $listed ? 'listed' : 'clear') }
        0 .. LISTS - 1;
    return [packed([@all[0 .. $listed - 1]]),
        join('', @rb[$listed .. LISTS - 1]), LISTS, packed(\@all)];
}

script('lists_put', [k('lists')], records => [map { packed([1, $rb[$_], 'rbl',
    "list$_.dnsbl.example", "List $_", "https://list$_.example/", 3, 0,
    'active', '', ['127.0.0.2=listed'], '', '', 'normal', 'ip', 'block',
    'ip']) } 0 .. LISTS - 1]);
my $sum = cmd('HGET', k('defaults:for'), 'sum');

sub new_account {
    my ($hooks) = @_;

    my $ac = sid('AC');
    my $acct = k('acct', $ac);
    script('account_put', [$acct], name => 'Bench', timezone => 'UTC',
        plan => 'plan', paid => 1, hosts => 0, contacts => 0, interval => 3600,
        profile => sid('RP'), group => sid('CG'), checks => 0, shortest => 0);
    script('hook_put', [$acct], hook => sid('WH'), name => 'n',
        url => 'https://x.example/', secret => 's') if $hooks;
    my ($n, @ht) = (0);
    for (1 .. HOSTS / 500) {
        my @new = map { sid('HT') } 1 .. 500;
        script('host_add', [$acct], name => 'mail server', type => 'rbl',
            family => 1, host => \@new, value => [map { '10.0.' . join '.',
            $n >> 8, $n++ & 255 } @new]);
        push @ht, @new;
    }
    cmd('DEL', k('due', $ac));
    cmd('DEL', k('due'));
    return { ac => $ac, acct => $acct, ht => \@ht };
}


# --- what is measured ------------------------------------------------------

# The daemon makes the SID of the check for a claimed host.
sub handles {
    return map { my $taken = $_; ref $taken ? map { join ':', $taken->[0],
        sid('PP'), $_, 'd', $taken->[1], $name } @{ $taken->[2] } : $taken }
        map { @$_[1 .. $#$_] } @{ $_[0] };
}

sub take_calls {
    my ($kind, $n) = @_;

    return map { call_of('check_take', [k('leases')], kinds => $kind,
        most => CLAIM, share => CLAIM, lease => 60_000, daemon => $name,
        alone => 1) }
        1 .. $n / CLAIM;
}

# Claims an account's hosts, starts their checks, and returns what that cost, and
# the calls that end them.  Options: manual, full (all results, for the client
# that requested them), listed (lists), clear (so many end by one call).
sub started_of {
    my ($a, %o) = @_;

    my ($start, $r, $take, $begin);
    my $results = results($o{listed} // 0);
    if ($o{manual}) {
        ($r, $start) = pipelined(BATCH, map { call_of('check_start',
            [$a->{acct}], check => sid('PP'), host => $_, app => 'APx',
            keep => KEEP, lists => '0') }
            @{ $a->{ht} });
    } else {
        my $when = $o{at} // 1;
        cmd('ZADD', k('due', $a->{ac}), map { ($when, $_) } @{ $a->{ht} });
        cmd('ZADD', k('due'), 1, $a->{ac});
    }
    ($r, $take) = pipelined(ASKED, take_calls($o{manual} ? 'm' : 'd', HOSTS));
    my @jobs = handles($r);
    die 'took ' . @jobs . "\n" if @jobs != HOSTS;
    ($r, $begin) = pipelined(BATCH, map { call_of('check_begin', [$a->{acct}],
        job => $_, keep => KEEP, sum => $sum, leave => '0') } @jobs);
    my %cost = ($start ? (start => $start) : (), take => $take / CLAIM,
        begin => $begin);
    if ($o{clear}) {
        my @clear = map { my ($ac, $pp, $ht, undef, $till) = split /:/;
            { member => "$ac:$ht", flight => "$pp:1:$till:$name" } } @jobs;
        my @calls;
        push @calls, call_of('check_clear', [k('flight:due')],
            columns(splice @clear, 0, $o{clear}), interval => 3600,
            asks => $asks) while @clear;
        return (\%cost, @calls);
    }
    s/:d:/:d:1:/ for @jobs;             # started once
    my ($standing, $events) = @{ $r->[0] }[5, 7];
    return (\%cost, map { call_of('check_finish',
        [$a->{acct}], job => $_, told => $results->[0],
        clear => $standing ? $results->[1] : '', lists => LISTS,
        all => $o{manual} ? $results->[3] : '', keep => KEEP, interval => 3600,
        events => $events, soon => 0, details => 1 << 24, asks => $asks,
        members => $members) } @jobs);
}

# Makes these calls, and returns the cost of one.
sub ended_by {
    my ($clear, @calls) = @_;

    my ($r, $finish) = pipelined(BATCH, @calls);
    die 'end: ' . join(' ', @{ $r->[0] }) . "\n" if grep { $clear
        ? join(' ', @$_) =~ /0/ : $_->[0] ne 'OK' } @$r;
    return $finish;
}

# One round of an account's hosts; options as above.
sub round_of {
    my ($a, %o) = @_;

    my ($cost, @calls) = started_of($a, %o);
    my $finish = ended_by($o{clear}, @calls);
    cmd('DEL', k('outbox')) if !$o{clear};
    return { %$cost, finish => $finish / ($o{clear} // 1) };
}

# How many times as much as that of the second account the end of a check of the
# first costs.  They end in turns, because a quotient of figures that were taken
# at other moments says more about the machine.
sub quotient_of {
    my ($x, $y, %o) = @_;

    my @calls = map { my (undef, @all) = started_of($_, %o); \@all } $x, $y;
    my @cost = (0, 0);
    for (my $i = 0; @{ $calls[0] }; $i++) {
        for my $who ($i % 2 ? (1, 0) : (0, 1)) {
            my @some = splice @{ $calls[$who] }, 0, BATCH;
            $cost[$who] += @some * ended_by($o{clear}, @some);
        }
    }
    cmd('DEL', k('outbox'));
    return { quotient => $cost[0] / $cost[1] };
}

# Hosts become listed, then delisted.
sub round_new {
    my ($a) = @_;

    my $new = round_of($a, listed => 1);
    my $gone = round_of($a, listed => 0);
    return { finish => $new->{finish}, gone => $gone->{finish},
        begin => $new->{begin} };
}

sub round_floor {
    my $nothing = $store->load_script('return {"OK", 0, 0}');
    my $job = join ':', sid('AC'), sid('PP'), sid('HT'), 'd', 1, $name;
    my $calls = $store->bytes_of('EVALSHA', $nothing, 1, k('acct', sid('AC')), $job,
        "\x90", '', LISTS, '', '', KEEP, 3600, '0', 0);
    my $empty = $store->bytes_of('EVALSHA', $store->load_script('return 1'), 0);
    return { ping => (pipelined(BATCH, ($store->bytes_of('PING')) x HOSTS))[1],
        empty => (pipelined(BATCH, ($empty) x HOSTS))[1],
        script => (pipelined(BATCH, ($calls) x HOSTS))[1] };
}

# Many accounts with one host each.
sub round_many {
    $many //= [map { my $ac = sid('AC');
        script('account_put', [k('acct', $ac)], name => 'N', timezone => 'UTC',
            plan => 'plan', paid => 1, hosts => 0, contacts => 0,
            interval => 3600, profile => sid('RP'), group => sid('CG'),
            checks => 0, shortest => 0);
        $ac } 1 .. HOSTS];
    for my $ac (@$many) {
        cmd('ZADD', k('due', $ac), 1, sid('HT'));
        cmd('ZADD', k('due'), 1, $ac);
    }
    my ($r, $take) = pipelined(ASKED, take_calls('d', HOSTS));
    cmd('DEL', k('due'));
    return { take => $take / CLAIM };
}

my ($clear, $standing, $new, $manual, $metered) = map { new_account($_) } 0, 1,
    1, 0, 0;
# It pays by the check (_bill.lua).
cmd('SET', k('meter', $metered->{ac}), pack('d>', 9e15) . '2000');
round_of($standing, listed => 1);
round_of($_) for $clear, $metered;      # their lists are noted
my $r = interleave(rounds(15), [
    floor => \&round_floor,
    clear => sub { round_of($clear, clear => 1) },
    clear8 => sub { round_of($clear, clear => 8) },
    clear50 => sub { round_of($clear, clear => 50) },
    finish => sub { round_of($clear) },
    paid => sub { round_of($metered, clear => 1) },
    paid8 => sub { round_of($metered, clear => 8) },
    paid_finish => sub { round_of($metered) },
    alone => sub { quotient_of($metered, $clear, clear => 1) },
    together => sub { quotient_of($metered, $clear, clear => 8) },
    by_finish => sub { quotient_of($metered, $clear) },
    standing => sub { round_of($standing, listed => 1) },
    new => sub { round_new($new) },
    manual => sub { round_of($manual, manual => 1) },
    many => \&round_many,
], warm => 1);

table(['Redis CPU, us', 'queued', 'claimed', 'started', 'result written'],
    ['PING', '', '', '', figure($r->{floor}{ping})],
    ['the smallest script', '', '', '', figure($r->{floor}{empty})],
    ['a script that does nothing with these arguments', '', '', '', figure($r->{floor}{script})],
    map { [$_->[1], map { figure($_) } @{ $r->{ $_->[0] } }{qw(start take
        begin), $_->[2] // 'finish'}] }
        ['clear', 'scheduled, ' . LISTS . ' lists, all clear'],
        ['clear8', 'the same, 8 of them together'],
        ['clear50', 'the same, 50 of them together'],
        ['finish', 'the same, finished like one that is not'],
        ['paid', 'all clear, of an account that pays by the check'],
        ['paid8', 'the same, 8 of them together'],
        ['paid_finish', 'the same, finished like one that is not'],
        ['standing', 'scheduled, listed as before, an event'],
        ['new', 'scheduled, newly listed, two events'],
        ['new', 'scheduled, no longer listed, two events', 'gone'],
        ['manual', 'manual, all clear, with all details'],
        ['many', 'one host of each of many accounts']);
remark(sprintf 'claimed: %d at a time, of %d, %d such calls in a pipeline (a '
    . 'daemon queries all partitions at once); else %d commands', CLAIM, HOSTS,
    ASKED, BATCH);
# The speed of Redis depends on the machine and on the moment: the targets, 12
# us and 1 us, assume that its smallest script takes 1.1 us.
for (['clear', 'finish', 'a scheduled result written', 12],
    ['clear', 'take', 'a due host, claimed', 1])
{
    my ($row, $key, $name, $us) = @$_;
    my ($x, $y) = ($r->{$row}{$key}{all}, $r->{floor}{empty}{all});
    target("$name: Redis CPU of the smallest script",
        stat_of(map { $x->[$_] / $y->[$_] } 0 .. $#$x), '<=',
        sprintf('%.2f', $us / 1.1), 'x');
}
target("a finished check on a metered account, $_->[1]",
    $r->{ $_->[0] }{quotient}, '<=', 1.1, 'x')
    for ['alone', 'alone'], ['together', '8 together'],
        ['by_finish', 'by check_finish'];
stop_server($redis);


# --- bills -----------------------------------------------------------------

# A part of 100,000 accounts that renew in one day: all at once, and at the pace
# of that day, one each 864 ms.
my $bills = RblBenchBills->new(smoke(20) // 300);
my $pace = seconds(20);
$r = interleave(rounds(3), [
    renew => sub { $bills->renew() },
    book => sub { $bills->book() },
    pace => sub { $bills->renew(864, int($pace / 0.864)) },
], warm => 1);
my $day = 100_000 / 1e6;
table(['one of 100,000 accounts, CPU in us', 'daemon', 'store',
    'the day: daemon, s', 'store, s'],
    map { my ($x, $name) = ($r->{ $_->[0] }, $_->[1]);
        [$name, figure($x->{daemon}), figure($x->{store}),
            map { figure($day * $x->{$_}{median}) } qw(daemon store)] }
        ['renew', 'a month is paid by a card, all at once'],
        ['pace', 'the same, one each 864 ms, with all else a daemon does'],
        ['book', "by the check, a day's use is booked"]);
remark(sprintf 'the day is that of %d accounts, scaled; "appendfsync always"; '
    . 'the gateway is a stand-in, which limits the pace: %s s for all of them',
    $bills->{n}, figure($r->{renew}{wall}));
remark(sprintf 'booked: %.0f accounts a second (an hour is long enough for '
    . '100,000 from 28 on)', $bills->{n} / $r->{book}{wall}{median});
bench_end();
