#!/usr/bin/perl

# Queries: 500 addresses at 40 lists that rbldnsd serves on loopback, by this
# engine, by whole checks (daemon and store), and by other programs in the same
# run; the same with a delay of 20 ms; and the duration of a check when some
# lists are slow.  One response of ten is a listing; every response is compared
# with the truth.
#
# Checks are made in direct mode, with rbldnsd as the lists' own server, and in
# resolver mode through unbound, whose cache is empty.
#
# The CPU time of a program is that of its whole life; that of dnsload and the
# daemon is only for the queries.  Programs that can only query port 53 take part if this is root: everything
# then runs in its own network namespace.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/lib";

use List::Util qw(max sum0);
use RblBench;
use RblCheckd;
use RblDns;
use RblNode;
use RblTest;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep time);

use constant { ADDRESSES => smoke(50) // 500, LISTS => 40, DELAY => 20,
    STEADY => 10 };
use constant QUESTIONS => ADDRESSES * LISTS;

my $own = $ENV{BENCH_DNS_OWN};
# The npm packages must be there before the network is cut off.
my $modules = $own || eval { node_modules(
    "$FindBin::Bin/../lab/peers/package.json", 'lab') };
if (!$own && $> == 0 && program('unshare') && program('ip')) {
    $ENV{BENCH_DNS_OWN} = $modules || 'none';
    exec 'unshare', '-m', '-n', $^X, $0 or die "unshare: $!\n";
}

bench('dns', ADDRESSES . ' addresses at ' . LISTS . ' lists, ' . QUESTIONS
    . ' queries');

if ($own) {
    run_cmd('ip', 'link', 'set', 'lo', 'up');
    write_file(temp_dir() . '/resolv.conf', "nameserver 127.0.0.1\n");
    run_cmd('mount', '--bind', temp_dir() . '/resolv.conf',
        '/etc/resolv.conf');
}


# --- the lists and the truth -----------------------------------------------

my @address = map { sprintf '10.50.%d.%d', $_ >> 8, $_ & 255 }
    0 .. ADDRESSES - 1;
my @zone = map { sprintf 'l%02d.bench.test', $_ } 0 .. LISTS - 1;

sub is_listed { my ($i, $l) = @_; return ($i * 7 + $l * 3) % 10 == 0 }

my $port = $own ? 53 : free_port();
my $rbldnsd = start_rbldnsd(port => $port, zones => [map { my $l = $_;
    [$zone[$l], 'ip4set', join '', ":127.0.0.2:listed\n127.0.0.2\n",
        map { "$address[$_]\n" } grep { is_listed($_, $l) }
            0 .. ADDRESSES - 1] } 0 .. LISTS - 1]);
my $dir = temp_dir();
my (@names, %name, %truth);
for my $i (0 .. ADDRESSES - 1) {
    my $reversed = join '.', reverse split /\./, $address[$i];
    for my $l (0 .. LISTS - 1) {
        push @names, "$reversed.$zone[$l]";
        $name{"$address[$i] $zone[$l]"} = $names[-1];
        $truth{ $names[-1] } = 1 if is_listed($i, $l);
    }
}
write_file("$dir/dnsperf", join '', map { "$_ A\n" } @names);
write_file("$dir/ours", join '', map { $_ . ' '
    . ($truth{$_} ? '127.0.0.2' : '-') . "\n" } @names);

my %wrong;                              # by row, over all rounds

# Compares the listings that a program found, as names or as "ADDRESS ZONE".
sub compare {
    my ($row, @found) = @_;

    my %found = map { ($name{$_} // $_) => 1 } @found;
    $wrong{$row} += grep { !$truth{$_} } keys %found;
    $wrong{$row} += grep { !$found{$_} } keys %truth;
}

# Runs a program once: CPU per query, queries per second, and its output.  It
# makes all queries `times` times.
sub run {
    my ($opt, @command) = @_;

    my $n = QUESTIONS * (delete $opt->{times} // 1);
    my @before = times;
    my $began = clock_gettime(CLOCK_MONOTONIC);
    my $r = run_cmd({ timeout => 120, %$opt }, @command);
    my $wall = clock_gettime(CLOCK_MONOTONIC) - $began;
    my @after = times;
    die "$command[0]: $r->{err}\n" if $r->{err} ne '' || $r->{signal};
    my $cpu = $after[2] + $after[3] - $before[2] - $before[3];
    return ({ us => $cpu * 1e6 / $n, rps => $n / $wall, wall => $wall }, $r);
}

# --- the rows --------------------------------------------------------------

sub ours {
    my ($row, $to, $in_flight, $times) = @_;

    my $all = QUESTIONS * ($times // 1);
    my ($v, $r) = run({ stdin => read_file("$dir/ours") x ($times // 1) },
        build_dir() . '/t/tools/dnsload', $to, $in_flight);
    my %n = $r->{out} =~ /(\w+)=(\d+)/g;
    $wrong{$row} += $n{wrong} + $n{lost} + $all - $n{asked};
    return { us => ($n{user_us} + $n{system_us}) / $all,
        rps => $all * 1e6 / $n{wall_us}, wall => $n{wall_us} / 1e6 };
}

sub dnsperf {
    my ($row, $to, $in_flight, $times) = @_;

    $times //= 1;
    my $all = QUESTIONS * $times;
    my ($v, $r) = run({ times => $times }, program('dnsperf'), '-s',
        '127.0.0.1', '-p', $to, '-d', "$dir/dnsperf", '-n', $times, '-q',
        $in_flight, '-c', 1, '-T', 1);
    my ($completed) = $r->{out} =~ /Queries completed:\s+(\d+)/;
    my ($rps) = $r->{out} =~ /Queries per second:\s+([\d.]+)/;
    my ($listed) = $r->{out} =~ /NOERROR (\d+)/;
    $wrong{$row} += $all - $completed + abs($listed - $times * keys %truth);
    return { %$v, rps => $rps, wall => $all / $rps };
}

sub rblcheck {
    my ($row) = @_;

    my ($v, $r) = run({}, 'rblcheck', '-c', map({ ('-s', $_) } @zone),
        @address);
    compare($row, map { s/ listed by / /r }
        $r->{out} =~ /^([\d.]+ listed by [\w.]+)/mg);
    return $v;
}

sub rblclient {
    my ($row) = @_;

    my ($v, $r) = run({}, $^X, '-MNet::RBLClient', '-e', '
        my ($n, @a) = @ARGV;
        my $c = Net::RBLClient->new(lists => [splice @a, 0, $n],
            server => "127.0.0.1");
        for my $a (@a) {
            $c->lookup($a);
            print "$a $_\n" for $c->listed_by;
        }', LISTS, @zone, @address);
    compare($row, split /\n/, $r->{out});
    return $v;
}

sub npm {
    my ($row) = @_;

    write_file("$own/../bench.mjs", "import { batch } from 'dnsbl';\n"
        . "const [n, ...a] = process.argv.slice(2);\n"
        . "const r = await batch(a.slice(n), a.slice(0, n),\n"
        . "    { servers: ['127.0.0.1'] });\n"
        . "for (const x of r.filter(x => x.listed)) {\n"
        . "    console.log(x.address + ' ' + x.blacklist);\n}\n");
    my ($v, $r) = run({}, 'node', "$own/../bench.mjs", LISTS, @zone,
        @address);
    compare($row, split /\n/, $r->{out});
    return $v;
}

# --- whole checks ----------------------------------------------------------

# A store with the lists, whose own server is at a port of 127.0.0.1, some at
# another (zone => port); undef: they have no configured servers.
sub lists_at {
    my ($to, %other) = @_;

    my $w = world(no_dns => 1, zones => { map { $_ => { control => 'ip' } }
        @zone });
    for my $zone ($to ? @zone : ()) {
        my $r = rblctl($w->{redis}, 'lists', 'override', $zone, '--server',
            '127.0.0.1@' . ($other{$zone} // $to));
        die $r->{err} if $r->{status};
    }
    return $w;
}

sub daemon {
    my ($w, $resolver, %conf) = @_;

    return start_checkd(store => $w->{redis}, resolver => $resolver,
        conf => { cache_size => 0, log_level => 'info', deliver => 'off',
            %conf });
}

my $w = lists_at($port);
my $checkd = daemon($w, $rbldnsd, lookup => 'direct', dns_in_flight => 100);
my $unbound = start_unbound(stubs => { 'bench.test' => $rbldnsd },
    conf => "  cache-max-ttl: 0\n  cache-max-negative-ttl: 0\n");
my $behind = lists_at();
my $behind_checkd = daemon($behind, $unbound, lookup => 'resolver',
    dns_in_flight => 100);

# Accounts with 500 hosts each: the hosts that all other programs check, too,
# each on four lists; hosts on no list; and such hosts again with receivers for
# their events.
sub hosts {
    my ($w, $net, %opt) = @_;

    my $mine = { %$w, acct => make_account($w->{redis}) };
    script_ok($mine, 'hook_put', [RblCheckd::akey($mine, 'acct')],
        hook => fresh_sid('WH'), name => 'n', url => 'https://x.test/',
        secret => 's') if $opt{events};
    my @own = map { s/^10\.50/$net/r } @address;
    my $sid = add_many($mine, @own);
    return { world => $mine, ht => [@$sid{@own}], address => \@own };
}

sub records {
    my ($hosts) = @_;

    return map { record('host', $_) } @{ redis($hosts->{world}{redis}, 'MGET',
        map { RblCheckd::akey($hosts->{world}, 'r', $_) }
            @{ $hosts->{ht} }) };
}

sub not_checked_since {
    my ($hosts, $at) = @_;

    return scalar grep { ($_->{checked} // 0) <= $at } records($hosts);
}

sub check_all {
    my ($hosts, $now) = @_;

    my $mine = $hosts->{world};
    my $redis = $mine->{redis};
    redis($redis, 'ZADD', RblCheckd::akey($mine, 'due'),
        map { ($now, $_) } @{ $hosts->{ht} });
    redis($redis, 'ZADD', RblCheckd::pkey($mine, 'due'), $now,
        $mine->{acct}{sid});
    wait_for { redis($redis, 'ZCOUNT', RblCheckd::akey($mine, 'due'), 0,
        $now) == 0 && jobs_left($mine) == 0 } 60, 'the checks';
}

sub checks {
    my ($row, $hosts) = @_;

    my $now = int(time * 1000);
    my $far = $hosts->{world}{redis} != $w->{redis};
    my $c = spend(sub { check_all($hosts, $now) },
        daemon => [$far ? $behind_checkd->{pid} : $checkd->{pid}],
        store => [$hosts->{world}{redis}{pid}],
        resolver => [$far ? $unbound->{pid} : ()]);
    my @record = records($hosts);
    my @found = map { my $i = $_; map { "$hosts->{address}[$i] $_->[1]" }
        @{ $record[$i]{details} } } 0 .. $#record;
    if ($hosts->{address}[0] eq $address[0]) {
        compare($row, @found);
    } else {
        $wrong{$row} += @found;
    }
    $wrong{$row} += sum0(map { $_->{unknown_count} } @record)
        + grep { $_->{checked} <= $now } @record;
    my %us = map { $_ => $c->{$_} / 1e3 / QUESTIONS }
        qw(daemon store resolver);
    return { us => sum0(values %us), %us,
        rps => QUESTIONS / $c->{wall}, wall => $c->{wall} };
}

my %hosts = (standing => hosts($w, '10.50'), clear => hosts($w, '10.60'),
    events => hosts($w, '10.61', events => 1),
    resolver => hosts($behind, '10.60'));
for my $hosts (values %hosts) {
    wait_for { !not_checked_since($hosts, 0) } 60, 'the first checks';
}
# A list that turns positive for so many hosts at once is tested more closely.
wait_for { checks('first', $hosts{standing}); !delete $wrong{first} } 60,
    'right answers';

# --- loopback --------------------------------------------------------------

my @rows;
my @order;
sub row {
    my ($name, $needs, $code) = @_;

    return if !$needs;
    push @rows, $name => sub { $code->($name) };
    push @order, $name;
}

row('dnsperf (floor)', 1,
    sub { dnsperf(@_, $port, 100) });
row('the engine', 1, sub { ours(@_, $port, 100) });
row('whole checks', 1, sub { checks(@_, $hosts{clear}) });
row('the same, with events', 1, sub { checks(@_, $hosts{events}) });
row('the same, each on 4 lists', 1, sub { checks(@_, $hosts{standing}) });
row('the same, through unbound', 1, sub { checks(@_, $hosts{resolver}) });
row('rblcheck', $own && program('rblcheck'), \&rblcheck);
row('Net::RBLClient', $own && eval { require Net::RBLClient }, \&rblclient);
row('dnsbl (npm)', $own && $own ne 'none', \&npm);

my $r = interleave(rounds(5), \@rows, warm => 1);
table([QUESTIONS . ' queries', 'us a query', 'a second', 'not right'],
    map { [$_, figure($r->{$_}{us}), figure($r->{$_}{rps}), $wrong{$_}] }
        @order);
for my $row (grep { $r->{$_}{daemon} } @order) {
    remark("$row: daemon " . figure($r->{$row}{daemon}) . ', store '
        . figure($r->{$row}{store}) . ', resolver '
        . figure($r->{$row}{resolver}) . ' us a query');
}
remark(ADDRESSES . ' hosts are due at once; those on 4 lists have '
    . 4 * ADDRESSES . ' TXT queries more');

# --- steady ----------------------------------------------------------------

@rows = @order = ();
row('dnsperf, steady', 1, sub { dnsperf(@_, $port, 100, STEADY) });
row('the engine, steady', 1, sub { ours(@_, $port, 100, STEADY) });
my $s = interleave(rounds(5), \@rows);
table([STEADY * QUESTIONS . ' queries', 'us a query', 'a second', 'not right'],
    map { [$_, figure($s->{$_}{us}), figure($s->{$_}{rps}), $wrong{$_}] }
        @order);

# --- behind 20 ms ----------------------------------------------------------

my $far = free_port();
my $delay = spawn('dnsdelay', {}, build_dir() . '/t/tools/dnsdelay', $far,
    $port, DELAY);
wait_log($delay, qr/ready/);
@rows = @order = ();
row('dnsperf, far', 1, sub { dnsperf(@_, $far, 4000) });
row('the engine, far', 1, sub { ours(@_, $far, 4000) });
my $f = interleave(rounds(5), \@rows, warm => 1);
table(['behind ' . DELAY . ' ms', 's', 'us a query', 'not right'],
    map { [$_, figure($f->{$_}{wall}), figure($f->{$_}{us}), $wrong{$_}] }
        @order);

# --- slow lists ------------------------------------------------------------

use constant { SLOWEST => 300 };
my %slow = (l03 => 50, l17 => 120, l29 => SLOWEST);
my @is = (a => ['127.0.0.2'], aa => 1);
my @not = (rcode => 'nxdomain', aa => 1, soa => ['bench.test', 60, 60]);
my $script = RblDns->new(tcp => 0, rules => [
    ['^2\.0\.0\.127\.', { @is }],
    ['^9\.0\.51\.10\.l0[012]\.', { @is }],
    ['.', { @not }],
]);
# Each slow list has its own server, so that the round trips of others are
# short.
my %own_server = map { my $wait = $slow{$_} / 1e3; $_ => RblDns->new(tcp => 0,
    rules => [
        ['^2\.0\.0\.127\.', { @is, delay => $wait }],
        ['^10\.0\.51\.10\.l29\.', { @is, delay => $wait }],
        ['.', { @not, delay => $wait }],
    ]) } sort keys %slow;
stop_server($_) for $checkd, $behind_checkd;
$w = lists_at($script->port, map { ("$_.bench.test" => $own_server{$_}->port) }
    keys %slow);
my $slow = daemon($w, { port => $script->port }, lookup => 'direct',
    schedule => 'off');

# The duration of checks that $start starts.  The first one is not counted,
# since it includes the test points of the lists.
sub lasting {
    my ($listed, $start) = @_;

    my @took;
    for my $n (0 .. rounds(5)) {
        my $took = took($n ? $listed : undef, $start->($n));
        push @took, $took if $n;
    }
    return stat_of(@took);
}

# The duration of one check; `listed` undef: any result.
sub took {
    my ($listed, $pp) = @_;

    my $state = wait_check($w, $pp, 30);
    die "$state->{listed} listings, $state->{unknown} unknown\n"
        if defined $listed && ($state->{listed} != $listed || $state->{unknown});
    return $state->{completed} - $state->{started};
}

my ($standing, $slowest) = map { add_host($w, $_) } '10.51.0.9', '10.51.0.10';
my %took = (
    clear => lasting(0, sub { check_value($w, '10.51.1.' . $_[0]) }),
    standing => lasting(3, sub { check_host($w, $standing) }),
    slowest => lasting(1, sub { check_host($w, $slowest) }),
);
# After the fourth new listing of a list the guard batches its requests.
my @new = map { took(1, check_value($w, '10.51.0.10')) } 1 .. 6;
@took{qw(new doubt)} = (stat_of(@new[0 .. 2]), stat_of(@new[3 .. 5]));
table(['one address at 40 lists, three respond after 50, 120, '
    . SLOWEST . ' ms', 'ms'],
    ['on none', figure($took{clear})],
    ['listed before, at three quick ones', figure($took{standing})],
    ['listed before, at the slowest: and then why', figure($took{slowest})],
    ['newly listed there: confirmed in a second round trip',
        figure($took{new})],
    ['the same, after three others: the guard gathers for 300 ms',
        figure($took{doubt})]);
$_->stop for $script, values %own_server;

# --- targets ---------------------------------------------------------------

my @ours = grep { /^the (engine|same)|^whole/ } sort keys %wrong;
target('the engine, steady: CPU of dnsperf', ratio($s, 'the engine, steady',
    'dnsperf, steady', 'us'), '<=', 0.85, 'x');
target("$_->[0]: CPU of dnsperf", ratio($r, $_->[0], 'dnsperf (floor)', 'us'),
    '<=', $_->[1], 'x') for ['whole checks', 2.5], ['the same, with events', 3];
target('behind 20 ms: s', $f->{'the engine, far'}{wall}, '<=', 0.25, 's');
target('answers and results that are not right', sum0(@wrong{@ours}), '<=',
    0);
target("slow lists, $_: ms", $took{$_}, '<=', SLOWEST + 10, 'ms')
    for 'clear', 'standing';
target('slow lists, a new listing: ms', $took{new}, '<=', 2 * SLOWEST + 20,
    'ms');

bench_end();
