#!/usr/bin/perl

# Questions: 500 addresses at 40 lists that rbldnsd serves on loopback, by this
# engine, by whole checks (daemon and store), and by others in the same run;
# the same behind 20 ms; and how long a check takes when some lists are slow.
#
# A program's CPU is that of its whole life, but for dnsload and the daemon.
# Those that only ask port 53 are there if this is root: everything then runs
# in a network of its own.

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

use constant { ADDRESSES => 500, LISTS => 40, QUESTIONS => 20_000,
    DELAY => 20 };

my $own = $ENV{BENCH_DNS_OWN};
# npm's packages come before there is no network.
my $modules = $own || eval { node_modules(
    "$FindBin::Bin/../lab/peers/package.json", 'lab') };
if (!$own && $> == 0 && program('unshare') && program('ip')) {
    $ENV{BENCH_DNS_OWN} = $modules || 'none';
    exec 'unshare', '-m', '-n', $^X, $0 or die "unshare: $!\n";
}

bench('dns', '500 addresses at 40 lists, 20,000 questions');

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
my (@names, %truth);
for my $i (0 .. ADDRESSES - 1) {
    my $reversed = join '.', reverse split /\./, $address[$i];
    for my $l (0 .. LISTS - 1) {
        push @names, "$reversed.$zone[$l]";
        $truth{ $names[-1] } = is_listed($i, $l);
    }
}
write_file("$dir/plain", join '', map { "$_\n" } @names);
write_file("$dir/dnsperf", join '', map { "$_ A\n" } @names);
write_file("$dir/ours", join '', map { $_ . ' '
    . ($truth{$_} ? '127.0.0.2' : '-') . "\n" } @names);
my $all_listed = sum0(values %truth);

# Runs a program once: its CPU a question, questions a second, and what its
# output says in `n`.
sub run {
    my ($opt, @command) = @_;

    my @before = times;
    my $began = clock_gettime(CLOCK_MONOTONIC);
    my $r = run_cmd({ timeout => 120, %$opt }, @command);
    my $wall = clock_gettime(CLOCK_MONOTONIC) - $began;
    my @after = times;
    die "$command[0]: $r->{err}\n" if $r->{err} ne '' || $r->{signal};
    my $cpu = $after[2] + $after[3] - $before[2] - $before[3];
    return ({ us => $cpu * 1e6 / QUESTIONS, rps => QUESTIONS / $wall,
        wall => $wall }, $r);
}

my %wrong;                              # by row, over all rounds

# --- the rows --------------------------------------------------------------

sub ours {
    my ($row, $to, $in_flight) = @_;

    my ($v, $r) = run({ stdin => read_file("$dir/ours") }, build_dir()
        . '/t/tools/dnsload', $to, $in_flight);
    my %n = $r->{out} =~ /(\w+)=(\d+)/g;
    $wrong{$row} += $n{wrong} + $n{lost} + QUESTIONS - $n{asked};
    return { us => ($n{user_us} + $n{system_us}) / QUESTIONS,
        rps => QUESTIONS * 1e6 / $n{wall_us}, wall => $n{wall_us} / 1e6 };
}

sub dnsperf {
    my ($row, $to, $in_flight) = @_;

    my ($v, $r) = run({}, program('dnsperf'), '-s', '127.0.0.1', '-p', $to,
        '-d', "$dir/dnsperf", '-n', 1, '-q', $in_flight, '-c', 1, '-T', 1);
    my ($completed) = $r->{out} =~ /Queries completed:\s+(\d+)/;
    my ($rps) = $r->{out} =~ /Queries per second:\s+([\d.]+)/;
    $wrong{$row} += QUESTIONS - $completed;
    return { %$v, rps => $rps, wall => QUESTIONS / $rps };
}

sub massdns {
    my ($row, $to, $in_flight) = @_;

    write_file("$dir/resolvers", "127.0.0.1:$to\n");
    my ($v) = run({}, program('massdns'), '-q', '-r', "$dir/resolvers", '-t',
        'A', '-s', $in_flight, '-o', 'S', '-w', "$dir/massdns", '--root',
        "$dir/plain");
    my $listed = () = read_file("$dir/massdns") =~ / A 127\.0\.0\.2$/mg;
    $wrong{$row} += abs($listed - $all_listed);
    return $v;
}

sub rblcheck {
    my ($row) = @_;

    my ($v, $r) = run({}, 'rblcheck', '-q', '-c', map({ ('-s', $_) } @zone),
        @address);
    my $listed = () = $r->{out} =~ /\S/mg ? $r->{out} =~ /^\S+/mg : ();
    $wrong{$row} += abs($listed - $all_listed);
    return $v;
}

sub rblclient {
    my ($row) = @_;

    my ($v, $r) = run({}, $^X, '-MNet::RBLClient', '-e', '
        my ($n, @a) = @ARGV;
        my $c = Net::RBLClient->new(lists => [splice @a, 0, $n],
            server => "127.0.0.1");
        my $sum = 0;
        for (@a) { $c->lookup($_); my @by = $c->listed_by; $sum += @by }
        print $sum', LISTS, @zone, @address);
    $wrong{$row} += abs($r->{out} - $all_listed);
    return $v;
}

sub npm {
    my ($row) = @_;

    write_file("$own/../bench.mjs", "import { batch } from 'dnsbl';\n"
        . "const [n, ...a] = process.argv.slice(2);\n"
        . "const r = await batch(a.slice(n), a.slice(0, n),\n"
        . "    { servers: ['127.0.0.1'] });\n"
        . "console.log(r.filter(x => x.listed).length);\n");
    my ($v, $r) = run({}, 'node', "$own/../bench.mjs", LISTS, @zone,
        @address);
    $wrong{$row} += abs($r->{out} - $all_listed);
    return $v;
}

# --- whole checks ----------------------------------------------------------

my $w = world(no_dns => 1, zones => { map { $_ => { control => 'ip' } }
    @zone });
my $checkd = start_checkd(store => $w->{redis}, resolver => $rbldnsd,
    conf => { checks_max => ADDRESSES, cache_size => 0, dns_zone_rate => 0,
        log_level => 'info', deliver => 'off' });
my $sid = add_many($w, @address);

sub not_checked_since {
    my ($at) = @_;

    return scalar grep { !defined $_ || $_ <= $at } map { $_->{checked} }
        map { record('host', $_) } @{ redis($w->{redis}, 'MGET',
            map { RblCheckd::akey($w, 'r', $sid->{$_}) } @address) };
}

sub checks {
    my ($row) = @_;

    my $ac = $w->{acct}{sid};
    my $now = int(time * 1000);
    my $c = spend(sub {
        redis($w->{redis}, 'ZADD', RblCheckd::akey($w, 'due'),
            map { ($now, $sid->{$_}) } @address);
        redis($w->{redis}, 'ZADD', RblCheckd::pkey($w, 'due'), $now, $ac);
        wait_for { redis($w->{redis}, 'ZCOUNT', RblCheckd::akey($w, 'due'), 0,
            $now) == 0 && jobs_left($w) == 0 } 60, 'the checks';
    }, daemon => [$checkd->{pid}], store => [$w->{redis}{pid}]);
    my $listed = redis($w->{redis}, 'ZCARD', RblCheckd::akey($w, 'listed'));
    my $count = sum0(map { record('host', $_)->{listed_count} } @{ redis(
        $w->{redis}, 'MGET', map { RblCheckd::akey($w, 'r', $sid->{$_}) }
            @address) });
    $wrong{$row} += abs($count - $all_listed) + not_checked_since($now);
    return { us => ($c->{daemon} + $c->{store}) / 1e3 / QUESTIONS,
        daemon => $c->{daemon} / 1e3 / QUESTIONS,
        store => $c->{store} / 1e3 / QUESTIONS,
        rps => QUESTIONS / $c->{wall}, wall => $c->{wall} };
}

wait_for { !not_checked_since(0) } 60, 'the first checks';
wait_for { checks('first'); my $n = delete $wrong{first}; !$n } 60,
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

row('dnsperf (floor)', program('dnsperf'),
    sub { dnsperf(@_, $port, 100) });
row('massdns', program('massdns'), sub { massdns(@_, $port, 100) });
row('the engine', 1, sub { ours(@_, $port, 100) });
row('whole checks', 1, \&checks);
row('rblcheck', $own && program('rblcheck'), \&rblcheck);
row('Net::RBLClient', $own && eval { require Net::RBLClient }, \&rblclient);
row('dnsbl (npm)', $own && $own ne 'none', \&npm);

my $r = interleave(rounds(5), \@rows, warm => 1);
table(['20,000 questions', 'us a question', 'a second', 'not right'],
    map { [$_, figure($r->{$_}{us}), figure($r->{$_}{rps}), $wrong{$_}] }
        @order);
remark('whole checks: daemon ' . figure($r->{'whole checks'}{daemon})
    . ', store ' . figure($r->{'whole checks'}{store})
    . ' us a question; 500 hosts due at once');

# --- behind 20 ms ----------------------------------------------------------

my $far = free_port();
my $delay = spawn('dnsdelay', {}, build_dir() . '/t/tools/dnsdelay', $far,
    $port, DELAY);
wait_log($delay, qr/ready/);
@rows = @order = ();
row('dnsperf, far', program('dnsperf'), sub { dnsperf(@_, $far, 4000) });
row('massdns, far', program('massdns'), sub { massdns(@_, $far, 4000) });
row('the engine, far', 1, sub { ours(@_, $far, 4000) });
my $f = interleave(rounds(5), \@rows, warm => 1);
table(['behind ' . DELAY . ' ms', 's', 'us a question', 'not right'],
    map { [$_, figure($f->{$_}{wall}), figure($f->{$_}{us}), $wrong{$_}] }
        @order);

# --- slow lists ------------------------------------------------------------

my %slow = ('l03' => 0.05, 'l17' => 0.12, 'l29' => 0.3);
my $script = RblDns->new(tcp => 0, rules => [
    ['^2\.0\.0\.127\.', { a => ['127.0.0.2'] }],
    map({ ["\\.\Q$_.bench.test\E", { rcode => 'nxdomain',
        delay => $slow{$_} }] } sort keys %slow),
    ['.', 'nxdomain'],
]);
stop_server($checkd);
my $slow = start_checkd(store => $w->{redis}, resolver => {
    port => $script->port }, conf => { cache_size => 0, schedule => 'off',
        log_level => 'info', deliver => 'off' });
my @took;
for my $n (1 .. rounds(5) + 3) {
    my $pp = check_value($w, "10.51.0.$n");
    my $state = wait_check($w, $pp, 30);
    push @took, $state->{completed} - $state->{started} if $n > 3;
}
my $took = stat_of(@took);
remark('one address at 40 lists, three of them slow (50, 120 and 300 ms): '
    . figure($took) . ' ms');
$script->stop;

# --- targets ---------------------------------------------------------------

if (program('massdns')) {
    target('the engine: CPU of massdns', ratio($r, 'the engine', 'massdns',
        'us'), '<=', 1, 'x');
    target('whole checks: CPU of massdns', ratio($r, 'whole checks',
        'massdns', 'us'), '<=', 2, 'x');
}
target('the engine: us a question', $r->{'the engine'}{us}, '<=', 4.0, 'us');
target('behind 20 ms: s', $f->{'the engine, far'}{wall}, '<=', 0.40, 's');
target('answers of the engine that are not right', stat_of(
    $wrong{'the engine'} + $wrong{'the engine, far'}), '<=', 0, '');
target('results of whole checks that are not right', stat_of(
    $wrong{'whole checks'}), '<=', 0, '');
target('a check with slow lists: ms', $took, '<=', 310, 'ms');

bench_end();
